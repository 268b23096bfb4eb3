"""The bootstrap against one that resamples, ranks and correlates plainly."""

import math

import numpy as np
import pytest
from scipy import stats

from sfbow import InputError, OptionError
from sfbow.evaluation import bootstrap
from sfbow.evaluation.correlation import CORRELATIONS, SCHOOLS
from sfbow.evaluation.resampling import _Column, _correlations, _counts
from sfbow.evaluation.results import Coverage, EditionResult, Evaluation, SetResult

NO_COVERAGE = Coverage(0, None, None, None)


def evaluation(name, gold, predicted, supports=(3, 1)):
    editions = tuple(
        EditionResult(
            f"E{place}",
            tuple(
                SetResult(str(each), side, found, NO_COVERAGE)
                for each, (side, found) in enumerate(zip(sides, founds, strict=True))
            ),
            support,
        )
        for place, (sides, founds, support) in enumerate(
            zip(gold, predicted, supports, strict=False)
        )
    )
    return Evaluation(name, "made up", editions, 0.0)


def made_up(noise, seed=0, sizes=((40, 25), (30,))):
    gold_rng, rng = np.random.default_rng(99), np.random.default_rng(seed)
    gold = [[gold_rng.integers(0, 6, n).astype(float) for n in each] for each in sizes]
    found = [
        [(side + noise * rng.standard_normal(len(side))).astype(np.float32) for side in each]
        for each in gold
    ]
    return evaluation(f"noise {noise}", gold, found)


def test_correlations_of_resamples_are_those_of_scipy():
    rng = np.random.default_rng(1)
    gold, found = rng.integers(0, 5, 30).astype(float), rng.integers(0, 9, 30) / 7
    counts = _counts(rng, 20, 30)
    assert (counts.sum(axis=1) == 30).all()
    result = _correlations([_Column(gold), _Column(found)], counts)
    for drawn, spearman, pearson in zip(counts.astype(int), *result[0], strict=True):
        sides = np.repeat(gold, drawn), np.repeat(found, drawn)
        assert spearman == pytest.approx(stats.spearmanr(*sides).statistic, abs=1e-12)
        assert pearson == pytest.approx(stats.pearsonr(*sides).statistic, abs=1e-12)


def test_each_pair_is_as_likely():
    counts = _counts(np.random.default_rng(0), 20_000, 7)
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=0.03)
    np.testing.assert_allclose(counts.var(axis=0), 6 / 7, atol=0.05)


def test_schools_and_averages_of_resamples():
    result = bootstrap([made_up(1.0), made_up(2.0, 1)], resamples=50)
    for draws in result.draws.values():
        assert draws.shape == (2, len(CORRELATIONS), len(SCHOOLS), 50)
    e0, e1 = result.draws["E0"], result.draws["E1"]
    np.testing.assert_allclose(result.draws["average"], (e0 + e1) / 2)
    np.testing.assert_allclose(result.draws["paper_average"], (3 * e0 + e1) / 4)
    # An edition of one pair set has the same score by each school.
    np.testing.assert_allclose(e1, np.repeat(e1[:, :, :1], 3, axis=2))


def test_blocks_change_nothing(monkeypatch):
    whole = bootstrap([made_up(1.0)], resamples=30)
    monkeypatch.setattr("sfbow.evaluation.resampling._BLOCK", 200)
    parts = bootstrap([made_up(1.0)], resamples=30)
    assert {name: draws.shape for name, draws in parts.draws.items()} == {
        name: draws.shape for name, draws in whole.draws.items()
    }
    again = bootstrap([made_up(1.0)], resamples=30)
    np.testing.assert_array_equal(parts.draws["E0"], again.draws["E0"])


def test_the_seed_decides():
    first, same, other = (
        bootstrap([made_up(1.0)], resamples=20, seed=seed).draws["average"] for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()


@pytest.mark.parametrize("correlation", CORRELATIONS)
def test_an_interval_is_as_wide_as_theory_has_it(correlation):
    # For normal variables, the standard error of r is about (1 - r²)/√n; ranks do a bit worse.
    rng = np.random.default_rng(5)
    gold = rng.standard_normal(1000)
    found = gold + rng.standard_normal(1000)
    result = bootstrap([evaluation("m", [[gold]], [[found]])], resamples=1000)
    low, high = result.interval(0, "E0", "mean", correlation)
    assert (high - low) / (2 * 1.96) == pytest.approx(0.5 / math.sqrt(1000), rel=0.25)
    score = result.evaluations[0].editions[0].score("mean", correlation)
    assert low < score < high


def test_a_clear_difference_and_none():
    better, worse = made_up(0.5), made_up(5.0, 3)
    result = bootstrap([worse, better], resamples=300)
    found = result.compare(0, 1)
    assert (found.a, found.b) == ("noise 5.0", "noise 0.5")
    assert found.difference == pytest.approx(
        better.summary()["average"] - worse.summary()["average"]
    )
    assert 0 < found.low < found.difference < found.high
    assert found.p_value == pytest.approx(2 / 301)
    back = result.compare(1, 0)
    assert (back.low, back.high) == pytest.approx((-found.high, -found.low))
    assert back.p_value == found.p_value
    same = bootstrap([better, better], resamples=50).compare(0, 1, "E1", "all", "pearson")
    assert (same.difference, same.low, same.high, same.p_value) == (0, 0, 0, 1)


def test_p_values_without_a_difference_are_spread_evenly():
    values = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        gold = rng.standard_normal(60)
        models = [evaluation(str(n), [[gold]], [[gold + rng.standard_normal(60)]]) for n in (0, 1)]
        values.append(bootstrap(models, resamples=200, seed=seed).compare(0, 1).p_value)
    values = np.array(values)
    assert (values < 0.05).mean() < 0.12
    assert 0.3 < (values < 0.5).mean() < 0.7


def test_undefined_resamples():
    gold = [[np.array([1.0, 2, 3])]]
    result = bootstrap([evaluation("tiny", gold, gold)], resamples=200)
    assert np.isnan(result.draws["E0"]).any()
    assert result.interval(0, "E0") == (1.0, 1.0)
    constant = bootstrap([evaluation(name, gold, [[np.ones(3)]]) for name in "ab"], resamples=10)
    assert all(map(math.isnan, constant.interval(0, "E0")))
    assert math.isnan(constant.compare(0, 1).p_value)


def test_what_cannot_be_resampled():
    with pytest.raises(InputError, match="found none"):
        bootstrap([])
    with pytest.raises(OptionError, match="resamples"):
        bootstrap([made_up(1.0)], resamples=0)
    with pytest.raises(OptionError, match="level"):
        bootstrap([made_up(1.0)], level=1.5)
    with pytest.raises(InputError, match="the same pairs"):
        bootstrap([made_up(1.0), made_up(1.0, sizes=((40, 24), (30,)))])
    with pytest.raises(InputError, match="the same pairs"):
        bootstrap([made_up(1.0), made_up(1.0, sizes=((40, 25),))])
