"""Correlations against SciPy's, and the three schools against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from sfbow import InputError
from sfbow.evaluation import pearson, spearman
from sfbow.evaluation.correlation import average_ranks, by_school

few_values = st.integers(-3, 3)
any_values = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(st.data(), st.integers(2, 30), st.sampled_from([few_values, any_values]))
def test_as_scipy_has_it(data, size, values):
    a = data.draw(arrays(np.float64, size, elements=values))
    b = data.draw(arrays(np.float64, size, elements=values))
    np.testing.assert_array_equal(average_ranks(a), stats.rankdata(a))
    if np.ptp(a) and np.ptp(b):
        assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-12)
        if np.ptp(a) > 1e-6 * abs(a).max() and np.ptp(b) > 1e-6 * abs(b).max():
            assert pearson(a, b) == pytest.approx(stats.pearsonr(a, b).statistic, abs=1e-8)
    else:
        assert math.isnan(spearman(a, b))
        assert math.isnan(pearson(a, b))


@pytest.mark.parametrize("size", [1e-200, 1e-300, 1e150])
def test_numbers_of_any_size(size):
    a = np.array([1.0, 2, 4, 3])
    assert pearson(a * size, a) == pytest.approx(1)
    assert pearson(a * size, -a) == pytest.approx(-1)


@pytest.mark.parametrize("values", [[], [1.0], [0.1, 0.1, 0.1]])
def test_undefined_without_an_order(values):
    other = np.arange(len(values))
    for function in (pearson, spearman):
        assert math.isnan(function(np.array(values), other))
        assert math.isnan(function(other, np.array(values)))


def test_rows_of_one_length():
    with pytest.raises(InputError, match="two rows of one length"):
        pearson(np.zeros(3), np.zeros(4))


@pytest.mark.parametrize(
    ("name", "peer"), [("spearman", stats.spearmanr), ("pearson", stats.pearsonr)]
)
def test_schools(name, peer):
    rng = np.random.default_rng(0)
    gold = [rng.integers(0, 6, n).astype(float) for n in (10, 50, 7)]
    found = [(side + 3 * rng.standard_normal(len(side)) + n) for n, side in enumerate(gold)]
    each = [peer(*sides).statistic for sides in zip(found, gold, strict=True)]
    pooled = peer(np.concatenate(found), np.concatenate(gold)).statistic
    weighted = (10 * each[0] + 50 * each[1] + 7 * each[2]) / 67
    assert by_school(found, gold, "mean", name) == pytest.approx(sum(each) / 3)
    assert by_school(found, gold, "weighted", name) == pytest.approx(weighted)
    assert by_school(found, gold, "all", name) == pytest.approx(pooled)


def test_what_is_undefined_stays_so_in_a_mean():
    gold = [np.arange(4.0), np.arange(4.0)]
    found = [np.ones(4), np.arange(4.0)]
    assert math.isnan(by_school(found, gold, "mean"))
    assert math.isnan(by_school(found, gold, "weighted"))
    assert by_school(found, gold, "all") == pytest.approx(
        stats.spearmanr(np.concatenate(found), np.concatenate(gold)).statistic
    )
