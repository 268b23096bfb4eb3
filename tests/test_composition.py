"""Vectors of n-grams that are fitted to words: least squares, and no word is nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfbow import SFBoW
from sfbow.vocabulary import pack_words

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from sfbow.distill.composition import fit_subwords  # noqa: E402
from sfbow.distill.result import make_model  # noqa: E402

WORDS = ["cat", "cats", "café", "dog", "東京", "i", "incomprehensible"]
TABLE = np.random.default_rng(0).standard_normal((len(WORDS), 5)).astype(np.float32)
letters = st.characters(categories=["L"])


def compose(subwords, words):
    packed = pack_words(words)
    return subwords.compose(packed.buffer, packed.offsets[:-1], packed.offsets[1:])


def test_the_fit_is_that_of_ridge_regression():
    buckets, ridge = 23, 0.3
    found = fit_subwords(WORDS, TABLE, buckets=buckets, ridge=ridge)
    # What the mean over n-grams takes from each bucket, seen through buckets of one number each.
    means = np.zeros((len(WORDS), buckets), np.float32)
    for bucket in range(buckets):
        alone = np.zeros((buckets, 1), np.float32)
        alone[bucket] = 1
        single = type(found)(found.shortest, found.longest, alone)
        means[:, bucket] = compose(single, WORDS)[:, 0]
    np.testing.assert_allclose(means.sum(1), 1, rtol=1e-6)
    expected = np.linalg.solve(means.T @ means + ridge * np.eye(buckets), means.T @ TABLE)
    used = means.any(0)
    np.testing.assert_allclose(found.buckets[used], expected[used], atol=1e-4)


def test_buckets_without_words_have_vectors_of_others():
    found = fit_subwords(WORDS, TABLE).buckets
    assert found.any(axis=1).all()
    assert len(np.unique(found, axis=0)) < 100


def test_known_words_are_nearly_what_they_were():
    found = compose(fit_subwords(WORDS, TABLE, ridge=1e-4), WORDS)
    np.testing.assert_allclose(found, TABLE, atol=0.02)


@settings(max_examples=300)
@given(st.lists(st.text(letters, min_size=1, max_size=30), min_size=1, max_size=4))
def test_no_text_with_a_letter_is_nothing(words):
    text = " ".join(words)
    assert small_model().encode(text).any(), text
    assert SFBoW.from_pretrained().encode(text).any(), text


@pytest.mark.parametrize("letter", "aéßжא東あ한ก")
def test_no_letter_is_nothing(letter):
    for text in (letter, f"?! {letter} …", letter * 100):
        assert small_model().encode(text).any()
        assert SFBoW.from_pretrained().encode(text).any()


def small_model():
    if not hasattr(small_model, "made"):
        small_model.made = make_model(WORDS, TABLE, "hellinger")
    return small_model.made
