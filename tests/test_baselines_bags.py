"""The crisp and the fuzzy bag of words, against their definitions."""

from collections import Counter

import numpy as np
import pytest
from baseline_words import NAMES, numbered_words, texts, vectors_of
from conftest import make_words, with_subwords
from hypothesis import given
from hypothesis import strategies as st

from sfbow import InputError, OptionError
from sfbow.baselines import BagOfWords, FuzzyBagOfWords

CRISP = {
    "cosine": lambda a, b: a @ b / np.sqrt((a @ a) * (b @ b)),
    "jaccard": lambda a, b: np.minimum(a, b).sum() / np.maximum(a, b).sum(),
    "otsuka": lambda a, b: np.minimum(a, b).sum() / np.sqrt(a.sum() * b.sum()),
    "dice": lambda a, b: 2 * np.minimum(a, b).sum() / (a.sum() + b.sum()),
}


def counts_by_definition(text):
    counts = Counter(text.split())
    return np.array([counts[name] for name in NAMES], np.float64)


@given(st.lists(st.tuples(texts, texts), max_size=5), st.sampled_from(list(CRISP)))
def test_crisp(pairs, measure):
    model = BagOfWords(NAMES, measure=measure)
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    a, b = model.encode(left), model.encode(right)
    counts = [[counts_by_definition(text) for text in side] for side in (left, right)]
    assert a.dtype == np.float32
    assert (a == np.reshape(counts[0], a.shape)).all()
    expected = [CRISP[measure](x, y) if x.any() and y.any() else 0 for x, y in zip(*counts)]  # noqa: B905
    np.testing.assert_allclose(model.similarity_of_texts(left, right), expected, atol=1e-6)
    np.testing.assert_allclose(model.similarity_pairwise(a, b), expected, atol=1e-6)
    np.testing.assert_allclose(np.diagonal(model.similarity(a, b)), expected, atol=1e-6)


def test_crisp_vocabularies():
    words = make_words()
    assert (BagOfWords(words).encode("cat Cat") == BagOfWords(words.words).encode("cat Cat")).all()
    assert BagOfWords(words).encode("the the cat")[:2].tolist() == [2, 1]
    assert BagOfWords(words, casing="lower").encode("CAT,").sum() == 2
    assert BagOfWords(words, punctuation=False).encode("cat,").sum() == 1
    assert BagOfWords(words, split="spaces").encode("cat,").sum() == 0
    assert BagOfWords(words).encode([]).shape == (0, len(words))


def test_crisp_does_not_fill_the_memory():
    model = BagOfWords(f"w{i}" for i in range(100_000))
    with pytest.raises(InputError, match="found 3000 by 100000 words; use similarity_of_texts"):
        model.encode(["w1"] * 3000)
    assert model.similarity_of_texts(["w1"] * 3000, ["w1 w1"] * 3000) == pytest.approx(1)


def test_what_the_crisp_one_refuses():
    with pytest.raises(OptionError, match="measure: expected cosine or jaccard or otsuka or dice"):
        BagOfWords(NAMES, measure="euclid")
    with pytest.raises(InputError, match="expected word vectors or a list of words"):
        BagOfWords("words")
    with pytest.raises(InputError, match="as many twice"):
        BagOfWords(NAMES).similarity_of_texts(["a"], [])


def fuzzy_by_definition(words, chosen, text):
    vectors = vectors_of(words, text)
    memberships = np.zeros(len(chosen))
    for j, name in enumerate(chosen):
        for vector in vectors:
            axis = words[name].astype(np.float64)
            lengths = np.linalg.norm(axis) * np.linalg.norm(vector)
            cosine = axis @ vector / lengths if lengths else 0
            memberships[j] = max(memberships[j], cosine)
    return memberships


@given(st.integers(0, 2**32), texts, st.sampled_from([4, 100, ("w7", "w3", "w0")]))
def test_fuzzy(seed, text, universe):
    words = numbered_words(seed)
    chosen = NAMES[:universe] if isinstance(universe, int) else universe
    model = FuzzyBagOfWords(words, universe=universe)
    found = model.encode(text)
    assert found.shape == (model.size,) == (len(chosen),)
    np.testing.assert_allclose(found, fuzzy_by_definition(words, chosen, text), atol=1e-6)


def test_fuzzy_is_compared_by_cosine():
    words = make_words()
    model = FuzzyBagOfWords(words)
    rows = model.encode(["the cat", "", "dog", "Dog,"])
    assert (rows >= 0).all()
    assert not model.similarity(rows, rows)[1].any()
    assert model.similarity_pairwise(rows[2], rows[2]) == pytest.approx(1)
    lower = FuzzyBagOfWords(words, casing="lower", punctuation=False, split="words")
    np.testing.assert_allclose(lower.encode("DOG,"), rows[2], atol=1e-6)
    assert not FuzzyBagOfWords(with_subwords(words)).encode("doggy").any()
    assert not FuzzyBagOfWords(words, split="spaces").encode("dog,").any()


def test_what_the_fuzzy_one_refuses():
    words = numbered_words(0)
    with pytest.raises(InputError, match="found 1 unknown, as 'cat'"):
        FuzzyBagOfWords(words, universe=["w1", "cat"])
    with pytest.raises(InputError, match="found none"):
        FuzzyBagOfWords(words, universe=[])
    for universe in (0, "w1", None, 1.5):
        with pytest.raises(OptionError, match="a whole number from 1"):
            FuzzyBagOfWords(words, universe=universe)
