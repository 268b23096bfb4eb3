"""Memberships are the same numbers, stored or computed, and rounding them keeps its bound."""

import numpy as np
import pytest
from conftest import SENTENCES, make_words, random_vectors, with_subwords
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfbow import SFBoW, Universe
from sfbow.memberships import (
    ComputedMemberships,
    StoredMemberships,
    quantized,
    word_memberships,
)

finite = st.floats(-(2.0**100), 2.0**100, width=32)
tables = arrays(np.float32, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=finite)
UNIVERSES = {
    "identity": Universe.identity(6),
    "signed identity": Universe.identity(6).signed(),
    "matrix": Universe(random_vectors(4, 6, 1)),
    "signed matrix": Universe(random_vectors(30, 6, 2)).signed(),
}
all_universes = pytest.mark.parametrize("universe", UNIVERSES.values(), ids=UNIVERSES)


@all_universes
def test_a_membership_is_u_times_w(universe):
    vectors, weights = make_words().matrix, np.linspace(0, 2, 10, dtype=np.float32)
    made = word_memberships(vectors, weights, universe, memory_budget=2**20)
    expected = (vectors * weights[:, None]) @ universe.axes.T.astype(np.float64)
    np.testing.assert_allclose(made.table, expected, rtol=1e-5, atol=1e-6)
    assert not made.table[5].any(), "the word without a direction belongs to nothing"


@all_universes
@pytest.mark.parametrize("options", [{}, {"counts": True}, {"weights": None}])
@pytest.mark.parametrize("prepare", [lambda words: words, with_subwords])
def test_computed_memberships_equal_stored_ones(universe, options, prepare):
    words = prepare(make_words())
    stored = SFBoW(words, universe, **options)
    computed = SFBoW(words, universe, **options, memory_budget=0)
    assert isinstance(stored.memberships, StoredMemberships)
    assert isinstance(computed.memberships, ComputedMemberships)
    np.testing.assert_allclose(
        computed.encode(SENTENCES), stored.encode(SENTENCES), rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(
        np.concatenate(list(computed.memberships.blocks())), stored.memberships.table, atol=1e-6
    )


def test_the_budget_is_that_of_one_half_of_a_signed_universe():
    words, universe = make_words(), Universe.identity(6).signed()
    kinds = [
        type(SFBoW(words, universe, memory_budget=budget).memberships)
        for budget in (10 * 6 * 4 - 1, 10 * 6 * 4)
    ]
    assert kinds == [ComputedMemberships, StoredMemberships]


@given(tables)
def test_rounding_errs_by_half_a_step_at_most(table):
    rounded = quantized(StoredMemberships(table))
    assert rounded.table.dtype == np.int8
    exact, back = table.astype(np.float64), rounded.table * rounded.scale
    assert (np.abs(back - exact) <= rounded.scale * 0.5001).all()
    assert not back[exact == 0].any()
    assert np.abs(rounded.table.astype(int)).max() <= 127
    if np.abs(exact).max() > 1e-30:
        assert np.abs(rounded.table.astype(int)).max() == 127
        order = np.argsort(table, axis=None)
        assert (np.diff(rounded.table.reshape(-1)[order].astype(int)) >= 0).all()


@pytest.mark.parametrize("budget", [0, 2**20])
def test_a_rounded_model_is_near_and_rounding_again_changes_nothing(budget):
    words, universe = make_words(), Universe.identity(6).signed()
    model = SFBoW(words, universe, memory_budget=budget)
    once = model.quantized()
    twice = once.quantized()
    exact, near = model.encode(SENTENCES), once.encode(SENTENCES)
    assert np.abs(exact - near).max() <= once.memberships.scale * 0.5001
    assert not near[exact.sum(axis=1) == 0].any()
    np.testing.assert_array_equal(twice.encode(SENTENCES), near)
    assert twice.memberships.scale == once.memberships.scale


def test_a_rounded_model_composes_unknown_words_on_its_scale():
    model = SFBoW(with_subwords(make_words()), Universe.identity(6).signed())
    rounded = model.quantized()
    unknown = rounded._parts.unknown
    step, of_buckets = rounded.memberships.scale, unknown.weight * unknown.subwords.scale
    exact, near = model.encode("unheard"), rounded.encode("unheard")
    assert exact.any()
    within = exact < 127 * step  # beyond, the scale ends
    assert np.abs(near - exact)[within].max() <= 0.5001 * (step + of_buckets)
    np.testing.assert_allclose(near[~within], 127 * step, rtol=1e-6)


def test_a_table_of_zeros_stays_one():
    rounded = quantized(StoredMemberships(np.zeros((2, 3), np.float32)))
    assert not rounded.table.any()
    assert rounded.scale == 1
