"""DynaMax, against its published formulas in float64."""

import numpy as np
import pytest
from baseline_words import NAMES, numbered_words, texts, vectors_of
from conftest import make_words, with_subwords
from hypothesis import given
from hypothesis import strategies as st

from sfbow import InputError, OptionError, WordVectors
from sfbow.baselines import DynaMax

MEASURES = {
    "jaccard": lambda a, b: np.minimum(a, b).sum() / np.maximum(a, b).sum(),
    "otsuka": lambda a, b: np.minimum(a, b).sum() / np.sqrt(a.sum() * b.sum()),
    "dice": lambda a, b: 2 * np.minimum(a, b).sum() / (a.sum() + b.sum()),
}


def dynamax_by_definition(x, y, measure="jaccard"):
    """x, y: the word vectors of the sentences, a row for each occurrence."""
    if not len(x) or not len(y):
        return 0
    universe = np.vstack([x, y])
    a, b = (np.maximum((words @ universe.T).max(axis=0), 0) for words in (x, y))
    return MEASURES[measure](a, b) if a.any() and b.any() else 0


@given(
    st.integers(0, 2**32),
    st.integers(1, 20),
    st.lists(st.tuples(texts, texts), max_size=5),
    st.sampled_from(list(MEASURES)),
)
def test_dynamax(seed, dim, pairs, measure):
    words = numbered_words(seed, dim)
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    found = DynaMax(words, measure=measure).similarity_of_texts(left, right)
    expected = [
        dynamax_by_definition(vectors_of(words, a), vectors_of(words, b), measure) for a, b in pairs
    ]
    assert found.shape == (len(pairs),)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@given(st.integers(0, 2**32), texts, texts)
def test_weights(seed, left, right):
    words = numbered_words(seed)
    weights = np.linspace(0.1, 2, len(words), dtype=np.float32)
    scaled = WordVectors(NAMES, words.matrix * weights[:, None])
    model = DynaMax(words, weights=dict(zip(NAMES, weights.tolist(), strict=True)))
    expected = dynamax_by_definition(vectors_of(scaled, left), vectors_of(scaled, right))
    found = model.similarity_of_texts([left], [right])[0]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_a_repeated_word_repeats_its_row():
    words = WordVectors(["x", "y"], np.array([[1.0, 0.0], [0.5, 1.0]]))
    model = DynaMax(words)
    # The universes are x, y and x, x, y: μ_A = (1, ½), (1, 1, ½); μ_B = (½, 1¼), (½, ½, 1¼).
    assert model.similarity_of_texts(["x"], ["y"])[0] == pytest.approx(1 / 2.25)
    assert model.similarity_of_texts(["x x"], ["y"])[0] == pytest.approx(1.5 / 3.25)


def test_a_text_resembles_itself_and_empty_ones_nothing():
    model = DynaMax(numbered_words(4))
    pairs = [("w1 w2", "w2 w1"), ("", ""), ("w1", ""), ("", "w1"), ("unknown", "w1"), ("w3", "w3")]
    found = model.similarity_of_texts([a for a, _ in pairs], [b for _, b in pairs])
    assert found.tolist() == [pytest.approx(1), 0, 0, 0, 0, 0]


def test_threads_and_batches_change_nothing():
    model = DynaMax(numbered_words(5))
    left = [f"w{i % 12} w{i % 5}" for i in range(5000)]
    right = [f"w{i % 7}" for i in range(5000)]
    whole = model.similarity_of_texts(left, right, threads=3)
    assert (whole == model.similarity_of_texts(left, right, threads=1)).all()
    assert (whole[4321:] == model.similarity_of_texts(left[4321:], right[4321:])).all()


def test_lists_of_words_and_unknown_words():
    words = with_subwords(make_words())
    model = DynaMax(words, casing="lower")
    found = model.similarity_of_texts([["cat", "Doggy"]], [["sat"]])[0]
    x = np.array([words["cat"], words["doggy"]], np.float64)
    assert found == pytest.approx(dynamax_by_definition(x, words["sat"][None]), rel=1e-4)


def test_tokenizer_options():
    words = make_words()

    def compare(a, b, **options):
        return DynaMax(words, **options).similarity_of_texts([a], [b])[0]

    assert compare("cat", "CAT", casing="keep") == 0
    assert compare("cat", "CAT", casing="lower") == pytest.approx(1)
    assert compare("cat,", "cat", punctuation=False) == pytest.approx(1)
    assert compare("cat,", "cat") != pytest.approx(1)
    assert compare("cat,", "cat", split="spaces") == 0


def test_what_is_refused():
    words = numbered_words(0)
    model = DynaMax(words)
    with pytest.raises(InputError, match="as many twice, found 1 and 2"):
        model.similarity_of_texts(["a"], ["a", "b"])
    with pytest.raises(InputError, match="expected a list of strings, found str"):
        model.similarity_of_texts("a", "b")
    with pytest.raises(InputError, match="text 1: expected a string, found NoneType"):
        model.similarity_of_texts(["a", None], ["a", "b"])
    with pytest.raises(OptionError, match="measure: expected jaccard or otsuka or dice"):
        DynaMax(words, measure="cosine")
    with pytest.raises(OptionError, match="threads"):
        model.similarity_of_texts(["a"], ["a"], threads=0)
    large = WordVectors(["a"], np.full((1, 2), 1e30))
    with pytest.raises(InputError, match="expected vectors with finite products"):
        DynaMax(large).similarity_of_texts(["a"], ["a"])
