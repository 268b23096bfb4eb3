"""Averages of word vectors and SIF, against their formulas in float64."""

import numpy as np
import pytest
from baseline_words import NAMES, numbered_words, texts, vectors_of
from conftest import SENTENCES, make_words, with_subwords
from hypothesis import assume, given
from hypothesis import strategies as st

from sfbow import InputError, OptionError, Sif, WordVectors
from sfbow.baselines import AverageOfWords, SifEmbedding

WEIGHTS = {name: 1 / (2 + place) for place, name in enumerate(NAMES)}


def sif_weights(words, a):
    """a / (a + p), p as Zipf and Mandelbrot guess it from the rank."""
    share = 1 / (np.arange(len(words)) + 2.7)
    return dict(zip(words.words, a / (a + share / share.sum()), strict=True))


def average_by_definition(words, text, weights):
    known = [word for word in text.split() if word in words]
    if not known:
        return np.zeros(words.dim)
    return sum(weights[word] * words[word].astype(np.float64) for word in known) / len(known)


@given(st.integers(0, 2**32), st.lists(texts, max_size=5))
def test_average(seed, sentences):
    words = numbered_words(seed)
    for weights in (None, WEIGHTS, Sif(a=0.05)):
        found = AverageOfWords(words, weights=weights).encode(sentences)
        by_word = dict.fromkeys(NAMES, 1) if weights is None else WEIGHTS
        by_word = sif_weights(words, 0.05) if isinstance(weights, Sif) else by_word
        expected = [average_by_definition(words, text, by_word) for text in sentences]
        assert found.shape == (len(sentences), words.dim)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, np.reshape(expected, found.shape), rtol=0, atol=1e-5)


def sif_by_definition(words, sentences, fitted, components):
    """v − CᵀC v; C: the first right singular vectors of the sentences that were fitted."""
    weights = sif_weights(words, 1e-3)
    fitted = np.array([average_by_definition(words, text, weights) for text in fitted])
    _, strengths, axes = np.linalg.svd(fitted, full_matrices=True)
    strengths = np.concatenate([strengths, np.zeros(words.dim)])
    assume(strengths[components - 1] > 1.2 * strengths[components] + 1e-6)
    common = axes[:components]
    vectors = np.array([average_by_definition(words, text, weights) for text in sentences])
    return vectors - vectors @ common.T @ common


@given(
    st.integers(0, 2**32),
    st.lists(texts, min_size=1, max_size=5),
    st.lists(texts, min_size=3, max_size=12),
    st.integers(1, 2),
)
def test_sif(seed, sentences, fitted, components):
    words = numbered_words(seed)
    assume(any(vectors_of(words, text).any() for text in fitted))
    expected = sif_by_definition(words, sentences, fitted, components)
    model = SifEmbedding(words, components=components).fit(fitted)
    np.testing.assert_allclose(model.encode(sentences), expected, rtol=0, atol=1e-4)


@given(st.integers(0, 2**32), st.lists(texts, min_size=3, max_size=12))
def test_transductive_sif_fits_what_it_encodes(seed, sentences):
    words = numbered_words(seed)
    assume(any(vectors_of(words, text).any() for text in sentences))
    expected = sif_by_definition(words, sentences, sentences, 1)
    model = SifEmbedding(words, transductive=True)
    np.testing.assert_allclose(model.encode(sentences), expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize("transductive", [False, True])
def test_sif_of_pairs(transductive):
    left, right = ["w1 w2", "w1 w2", "w5", "w1"], ["w2 w4", "w7", "", "w1"]
    model = SifEmbedding(numbered_words(3), transductive=transductive).fit(["w6 w7", "w1"])
    rows = model.encode(left + right)
    expected = model.similarity_pairwise(rows[:4], rows[4:])
    assert (model.similarity_of_texts(left, right) == expected).all()
    assert expected[2] == 0
    assert expected[3] == pytest.approx(1)
    assert model.similarity_of_texts([], []).shape == (0,)
    with pytest.raises(InputError, match="as many twice, found 1 and 0"):
        model.similarity_of_texts(["a"], [])


def test_transductive_sif_of_little():
    model = SifEmbedding(numbered_words(0), transductive=True)
    assert model.encode([]).shape == (0, 5)
    assert not model.encode(["unheard-of", ""]).any()
    np.testing.assert_allclose(model.encode("w1 w2"), 0, atol=1e-6)


def test_sif_fits_a_stream():
    words = numbered_words(1)
    sentences = [f"w{i % 12} w{i % 7}" for i in range(10_000)]
    whole = SifEmbedding(words).fit(sentences).encode(sentences)
    streamed = SifEmbedding(words).fit(iter(sentences)).encode(sentences)
    assert (whole == streamed).all()
    assert SifEmbedding(words).size == words.dim


def test_sif_has_to_be_fitted():
    words = numbered_words(0)
    with pytest.raises(InputError, match=r"expected fit\(sentences\) before encode"):
        SifEmbedding(words).encode("w1")
    for nothing in ([], ["unheard-of", "w3"]):
        with pytest.raises(InputError, match="expected some with known words, found none"):
            SifEmbedding(words).fit(nothing)


@pytest.mark.parametrize("components", [0, -1, 1.5, None])
def test_sif_components(components):
    with pytest.raises(OptionError, match="components: expected a whole number from 1"):
        SifEmbedding(numbered_words(0), components=components)


def test_sif_has_not_more_components_than_dimensions():
    with pytest.raises(InputError, match="expected at most 5"):
        SifEmbedding(numbered_words(0), components=6)


def test_one_text_is_one_vector(words):
    average, sif = AverageOfWords(words), SifEmbedding(words).fit(SENTENCES)
    for model in (average, sif):
        rows = model.encode(SENTENCES)
        for text, row in zip(SENTENCES, rows, strict=True):
            np.testing.assert_allclose(model.encode(text), row, rtol=0, atol=1e-6)
        assert model.encode([]).shape == (0, model.size)
        unknown = SENTENCES.index("")
        assert not rows[unknown].any()
        assert not model.similarity(rows, rows)[unknown].any()


def test_texts_of_every_kind(words):
    model = AverageOfWords(words)
    rows = model.encode(SENTENCES)
    assert (model.encode(np.array(SENTENCES)) == rows).all()
    assert (model.encode(text for text in SENTENCES) == rows).all()
    assert (model.encode([["the", "cat"], []]) == model.encode(["the cat", ""])).all()
    with pytest.raises(InputError, match="text 1: expected a string, found int"):
        model.encode(["a", 1])
    with pytest.raises(InputError, match="expected a list of strings, found int"):
        model.encode(3)


def test_many_texts_are_many_batches():
    words = numbered_words(2)
    sentences = [f"w{i % 12}" for i in range(10_000)]
    assert (AverageOfWords(words).encode(sentences) == words.matrix[np.arange(10_000) % 12]).all()


def test_tokenizer_options():
    words = make_words()
    cat, capital, comma = words["cat"], words["Cat"], words[","]

    def encode(text, **options):
        return AverageOfWords(words, **options).encode(text)

    assert (encode("Cat") == capital).all()  # "auto", as the vocabulary has capitals
    assert (encode("Cat", casing="lower") == cat).all()
    np.testing.assert_allclose(encode("cat,"), (cat + comma) / 2, rtol=1e-6)
    assert (encode("cat,", punctuation=False) == cat).all()
    assert not encode("cat,", split="spaces").any()
    for option in ("casing", "split"):
        with pytest.raises(OptionError, match=option):
            encode("", **{option: "no"})


@pytest.mark.parametrize("casing", ["lower", "keep"])
def test_unknown_words_are_composed(casing):
    words = with_subwords(make_words())
    weights = dict.fromkeys(words.words, 0.25) | {"cat": 0.5}
    found = AverageOfWords(words, weights=weights, casing=casing).encode("cat Doggy Doggy")
    doggy = words["doggy" if casing == "lower" else "Doggy"]
    np.testing.assert_allclose(found, 0.5 * (words["cat"] + 2 * doggy) / 3, rtol=1e-5)


def test_weights_are_checked():
    with pytest.raises(OptionError, match="weights"):
        AverageOfWords(WordVectors(["a"], np.ones((1, 2))), weights="idf")
