"""Word weights follow their formulas, and bad frequencies are told apart from good ones."""

import json

import numpy as np
import pytest
from conftest import WORDS, make_words
from hypothesis import given
from hypothesis import strategies as st

from sfbow import Sif, WordVectors
from sfbow.errors import InputError, OptionError
from sfbow.weights import describe, read_counts, word_weights


@given(st.integers(1, 300), st.floats(1e-6, 10))
def test_sif_from_ranks_is_the_law_of_zipf_and_mandelbrot(count, a):
    words = WordVectors(map(str, range(count)), np.ones((count, 1)))
    p = 1 / (np.arange(count) + 2.7)
    np.testing.assert_allclose(word_weights(words, Sif(a)), a / (a + p / p.sum()), rtol=1e-6)


def test_sif_by_name_has_the_recommended_a(words):
    np.testing.assert_array_equal(word_weights(words, "sif"), word_weights(words, Sif()))


def test_a_subset_keeps_the_places_of_its_words(words):
    subset = words.in_dictionary(["dog", "cat"])
    assert subset.words == ["cat", "Cat", "dog"]
    ranks = np.array([1, 3, 6])
    p = 1 / (ranks + 2.7) / (1 / (np.arange(7) + 2.7)).sum()
    np.testing.assert_allclose(word_weights(subset, Sif(1e-3)), 1e-3 / (1e-3 + p), rtol=1e-6)


@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_counts_from_a_file_or_a_mapping(words, tmp_path, separator, mark):
    counts = {"the": 6, "cat": 2.5, "New York": 1, "café": 0.5}
    file = tmp_path / "counts.txt"
    lines = [f"{word}{separator}{count}\n" for word, count in counts.items()]
    file.write_text(mark + "".join(lines) + lines[0], encoding="utf-8")
    counts["the"] = 12
    assert read_counts(file) == counts
    share = np.array([counts.get(word, 0) for word in WORDS]) / 16
    for source in (counts, file, str(file)):
        np.testing.assert_allclose(
            word_weights(words, Sif(0.1, source)), 0.1 / (0.1 + share), rtol=1e-6
        )


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"the 1\ncat\n", "line 2: expected a word and its count, found 'cat'"),
        (b"the 1\ncat many\n", "line 2"),
        (b"the 1\n\n", "line 2"),
        (b"caf\xe9 1\n", "expected UTF-8"),
    ],
)
def test_a_damaged_file_of_counts(tmp_path, content, where):
    file = tmp_path / "counts"
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_counts(file)
    assert str(file) in str(caught.value)
    assert where in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_of_counts(tmp_path):
    with pytest.raises(InputError, match="expected a readable file, found No such file"):
        read_counts(tmp_path / "counts")


@pytest.mark.parametrize(
    "counts",
    [{}, {"the": 0}, {"the": -1, "cat": 2}, {"the": float("nan")}, {"the": float("inf")},
     {"elsewhere": float("inf"), "the": 1}],
)  # fmt: skip
def test_counts_that_are_no_frequencies(words, counts):
    with pytest.raises(InputError, match=r"^counts: expected"):
        word_weights(words, Sif(counts=counts))


def test_a_mapping_names_weights_and_1_is_for_the_rest(words):
    weights = word_weights(words, {"cat": 0.25, "unknown": 9, "dog": 0})
    assert weights.dtype == np.float32
    assert dict(zip(WORDS, weights.tolist(), strict=True)) == dict.fromkeys(WORDS, 1) | {
        "cat": 0.25,
        "dog": 0,
    }
    np.testing.assert_array_equal(word_weights(words, None), np.ones(len(WORDS)))


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf"), "much", None, [1]])
def test_weights_that_are_no_weights(words, weight):
    with pytest.raises(InputError, match=r"^weights: expected numbers from 0 up"):
        word_weights(words, {"cat": weight})


@pytest.mark.parametrize("weights", ["idf", 3, ["cat"]])
def test_another_kind_of_weights(words, weights):
    with pytest.raises(OptionError, match=r"^weights: expected 'sif'"):
        word_weights(words, weights)


@pytest.mark.parametrize("a", [0, -1, float("nan"), float("inf"), "x"])
def test_another_a(a):
    with pytest.raises(OptionError, match=r"^a: expected a number above 0"):
        Sif(a)


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        (None, None),
        ("sif", {"sif": Sif().a, "frequencies": "rank"}),
        (Sif(np.float32(0.5)), {"sif": 0.5, "frequencies": "rank"}),
        (Sif(0.25, {"a": 1}), {"sif": 0.25, "frequencies": "counts"}),
        ({"a": 1, "b": 2}, "a mapping of 2 words"),
    ],
)
def test_a_description_goes_into_json(weights, told):
    assert json.loads(json.dumps(describe(weights))) == told


def test_no_words_have_the_same_weight_by_rank():
    weights = word_weights(make_words(), "sif")
    assert (np.diff(weights) > 0).all()
    assert 0 < weights[0] < weights[-1] < 1
