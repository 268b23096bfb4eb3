"""A similarity is a sum over pairs of words, each of which is the one that pooling took."""

import json
from collections import Counter
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from conftest import WORDS, make_words, random_vectors, with_subwords
from hypothesis import given
from hypothesis import strategies as st

from sfbow import SFBoW, Universe, WordVectors, similarity_pairwise
from sfbow.errors import InputError, OptionError
from sfbow.explanation import WordPair

MEASURES = ["jaccard", "otsuka", "dice", "hellinger"]
sentences = st.lists(st.sampled_from([*WORDS, "unheard-of", "cats", "CAT"]), max_size=12)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def models(draw):
    """Models of every kind; coarse numbers make ties."""
    random = np.random.default_rng(draw(seeds))
    dim, size = draw(st.integers(1, 5)), draw(st.integers(1, 40))
    matrix = random.standard_normal((len(WORDS), dim)).astype(np.float32)
    if draw(st.booleans()):
        matrix = np.rint(matrix)
    if draw(st.booleans()):
        matrix *= np.float32(10.0) ** random.integers(-12, 12, (len(WORDS), 1))
    words = WordVectors(WORDS, matrix)
    if draw(st.booleans()):
        words = with_subwords(words)
    universe = Universe(np.rint(2 * random.standard_normal((size, dim))).astype(np.float32))
    model = SFBoW(
        words,
        universe.signed() if draw(st.booleans()) else universe,
        weights=draw(st.sampled_from(["sif", None])),
        counts=draw(st.booleans()),
        measure=draw(st.sampled_from(MEASURES)),
        casing=draw(st.sampled_from(["keep", "lower", "both"])),
        memory_budget=draw(st.sampled_from([0, 1 << 20])),
    )
    return model.quantized() if draw(st.booleans()) else model


def alone(model, words):
    return model.encode([words])[0]


@given(models(), sentences, sentences)
def test_the_matrix_is_the_sum_of_what_is_shared(model, a, b):
    explanation = model.explain(a, b)
    mu_a, mu_b = (alone(model, text).astype(np.float64) for text in (a, b))
    shared = np.minimum(mu_a, mu_b)
    if model.measure == "hellinger":
        shared = np.sqrt(mu_a) * np.sqrt(mu_b)
    matrix = explanation.matrix
    assert matrix.shape == (len(explanation.a.words), len(explanation.b.words))
    # To the last bit, in any order; and the sum over the axes as well as float64 can tell it.
    assert matrix.sum() == explanation.shared == matrix.sum(axis=0).sum() == sum(matrix.flat)
    assert matrix.sum() == sum(sorted(matrix.flat)) == matrix[::-1, ::-1].sum(axis=1).sum()
    assert abs(explanation.shared - shared.sum()) <= shared.sum() * len(shared) * 2.0**-50
    for text, mu in ((explanation.a, mu_a), (explanation.b, mu_b)):
        assert text.mass == text.masses.sum() == sum(text.masses)
        assert abs(text.mass - mu.sum()) <= mu.sum() * len(mu) * 2.0**-50


@given(models(), sentences, sentences)
def test_the_similarity_is_that_of_the_vectors(model, a, b):
    explanation = model.explain(a, b)
    (expected,) = model.similarity_pairwise(alone(model, a), alone(model, b))
    assert explanation.similarity == expected, "to the last bit"
    assert explanation.measure == model.measure
    assert explanation.scores.sum() == pytest.approx(expected, rel=1e-12)
    # From the masses alone, within the rounding of sums of float32.
    shared, masses = explanation.shared, (explanation.a.mass, explanation.b.mass)
    whole = {
        "jaccard": sum(masses) - shared,
        "otsuka": masses[0] ** 0.5 * masses[1] ** 0.5,
        "dice": sum(masses) / 2,
        "hellinger": masses[0] ** 0.5 * masses[1] ** 0.5,
    }[model.measure]
    rounding = (3 * model.size + 8) * 2.0**-24
    assert expected == pytest.approx(shared / whole if whole else 0, rel=rounding, abs=1e-30)


@given(models(), sentences, sentences)
def test_each_axis_belongs_to_the_first_word_that_has_its_membership(model, a, b):
    """By the definition, a word at a time: what a word gives, it gives in a text of its own."""

    def givers(sentence):
        known, by_row = [], {}
        for word in sentence:
            row = model.vocabulary.row(word)
            if row < 0 and model.tokenizer.casing != "keep":
                row = model.vocabulary.row(word.lower())
            if model.tokenizer.casing == "lower":
                row = model.vocabulary.row(word.lower())
            key = row if row >= 0 else _composed_key(model, word)
            if key is not None:
                known.append(by_row.setdefault(key, word))
        counts = Counter(known)
        distinct = list(counts)
        times = [counts[word] if model._parts.counts else 1 for word in distinct]
        sets = [alone(model, [word] * n) for word, n in zip(distinct, times, strict=True)]
        sets = np.array([*sets, np.zeros(model.size)])  # nobody comes last
        return distinct, sets.argmax(axis=0), sets.max(axis=0)

    (words_a, givers_a, mu_a), (words_b, givers_b, mu_b) = givers(a), givers(b)
    expected = np.zeros((len(words_a), len(words_b)))
    shared = np.sqrt(mu_a * mu_b) if model.measure == "hellinger" else np.minimum(mu_a, mu_b)
    for i, k, amount in zip(givers_a, givers_b, shared, strict=True):
        if amount > 0:
            expected[i, k] += amount
    explanation = model.explain(a, b)
    assert explanation.a.words == tuple(words_a)
    assert explanation.b.words == tuple(words_b)
    np.testing.assert_allclose(explanation.matrix, expected, rtol=1e-6, atol=1e-9 * mu_a.sum())


def _composed_key(model, word):
    if model._parts.unknown is None:
        return None
    return word.lower() if model.tokenizer.casing == "lower" else word


@pytest.fixture
def plain():
    """Words whose memberships are easy to follow: four fuzzy sets."""
    words = ["man", "guitar", "music", "nothing", "copy"]
    rows = [[3, 0, 0, 1], [0, 4, 0, 1], [0, 2, 5, 1], [0, 0, 0, 0], [3, 0, 0, 1]]
    return SFBoW(WordVectors(words, np.float32(rows)), Universe.identity(4), weights=None)


def test_by_hand(plain):
    explanation = plain.explain("The Man: guitar", "music, man", measure="jaccard")
    # μ(a) = 3 4 0 1 from man guitar - man, μ(b) = 3 2 5 1 from man music music music.
    assert explanation.a.words == ("Man", "guitar")
    assert explanation.b.words == ("music", "man")
    assert explanation.matrix.tolist() == [[1, 3], [2, 0]]
    assert (explanation.a.masses.tolist(), explanation.b.masses.tolist()) == ([4, 4], [8, 3])
    assert (explanation.a.unknown, explanation.b.unknown) == (("The",), ())
    assert (explanation.shared, explanation.a.mass, explanation.b.mass) == (6, 8, 11)
    assert explanation.similarity == pytest.approx(6 / 13)
    assert explanation.measure == "jaccard"
    assert explanation.scores == pytest.approx(explanation.matrix / 13)
    pairs = explanation.best_pairs()
    assert [pair[:2] for pair in pairs] == [("Man", "man"), ("guitar", "music"), ("Man", "music")]
    assert [pair.score for pair in pairs] == pytest.approx([3 / 13, 2 / 13, 1 / 13])
    assert explanation.best_pairs(1) == pairs[:1]
    assert (explanation.best_pairs(0), explanation.best_pairs(9)) == ([], pairs)
    assert str(WordPair("guitar", "instrument", 0.123)) == "guitar~instrument 0.12"
    assert str(explanation).splitlines() == [
        "0.4615 jaccard",
        "0.2308 Man ~ man",
        "0.1538 guitar ~ music",
        "0.0769 Man ~ music",
        "unknown: The",
    ]


def test_many_pairs_end_with_a_line_for_the_rest(words):
    model = SFBoW(words, Universe(random_vectors(80, 6, 1)))
    explanation = model.explain("the cat sat dog I", "I Cat café the cat 東")
    lines = str(explanation).splitlines()
    rest = len(explanation.best_pairs()) - 10
    assert rest > 0
    assert len(lines) == 12
    assert lines[-1].endswith(f" {rest} more pairs")
    assert sum(float(line.split()[0]) for line in lines[1:]) == pytest.approx(
        explanation.similarity, abs=6e-4
    )


@pytest.mark.parametrize("order", [("man", "copy"), ("copy", "man")])
def test_of_equal_words_the_first_is_credited(plain, order):
    explanation = plain.explain(list(order), "man")
    assert explanation.matrix.tolist() == [[4], [0]]
    assert [pair.a for pair in explanation.best_pairs()] == [order[0]]


def test_a_word_that_repeats_is_one_word(plain):
    explanation = plain.explain("man, guitar! MAN man", "guitar")
    assert explanation.a.words == ("man", "guitar")
    assert explanation.a.masses.tolist() == [4, 4]


def test_counts_lengthen_a_word():
    words = WordVectors(["x", "y"], np.float32([[2, 1], [3, 1]]))
    model = SFBoW.paper(words, Universe.identity(2))
    explanation = model.explain("y x x", "y y y")
    assert explanation.a.words == ("y", "x")
    assert explanation.matrix.tolist() == [[0], [6]]
    assert explanation.a.masses.tolist() == [0, 6]


def test_a_membership_of_zero_belongs_to_nobody(plain):
    explanation = plain.explain("nothing", "nothing man")
    assert explanation.a.words == ("nothing",)
    assert explanation.matrix.tolist() == [[0, 0]]
    assert (explanation.similarity, explanation.best_pairs()) == (0, [])


def test_axes_below_zero_are_sets_of_their_own_where_the_universe_is_signed():
    words = WordVectors(["x", "y"], np.float32([[-2, 1], [-3, -1]]))
    signed = SFBoW(words, Universe.identity(2).signed(), weights=None)
    assert signed.explain("x", "y").matrix.tolist() == [[2]]
    unsigned = SFBoW(words, Universe.identity(2), weights=None)
    assert unsigned.explain("x", "y").matrix.tolist() == [[0]]


def test_words_from_subwords_take_part_and_are_named(subword_model, model):
    explanation = subword_model.explain("the cats cats Cats", ["cat", "unheard-of"])
    assert explanation.a.words == ("the", "cats")
    assert (explanation.a.composed, explanation.a.unknown) == (("cats",), ())
    assert explanation.b.composed == ("unheard-of",)
    assert explanation.matrix[1].any()
    explanation = model.explain("the cats Dogs cats dogs", "cat")
    assert explanation.a.words == ("the",)
    assert (explanation.a.composed, explanation.a.unknown) == ((), ("cats", "Dogs"))


@pytest.mark.parametrize(("a", "b"), [("", ""), ([], "the cat"), ("the cat", "unheard-of")])
def test_texts_without_a_known_word(model, a, b):
    explanation = model.explain(a, b)
    assert explanation.matrix.size == 0
    assert (explanation.similarity, explanation.shared) == (0, 0)
    assert (explanation.best_pairs(), explanation.scores.size) == ([], 0)
    assert json.loads(json.dumps(explanation.to_dict()))["pairs"] == []


def test_a_string_and_a_list_of_words(plain):
    both = plain.explain("man guitar", ("music",)), plain.explain(["man", "guitar"], "music")
    assert both[0].to_dict() == both[1].to_dict()


def test_json(plain):
    explanation = plain.explain("The man's guitar", "music", measure="dice")
    assert json.loads(json.dumps(explanation.to_dict())) == {
        "similarity": pytest.approx(0.375),
        "measure": "dice",
        "shared": 3.0,
        "a": {
            "mass": 8.0,
            "words": [
                {"word": "man", "mass": 4.0, "shared": 1.0},
                {"word": "guitar", "mass": 4.0, "shared": 2.0},
            ],
            "composed": [],
            "unknown": ["The", "s"],
        },
        "b": {
            "mass": 8.0,
            "words": [{"word": "music", "mass": 8.0, "shared": 3.0}],
            "composed": [],
            "unknown": [],
        },
        "matrix": [[1.0], [2.0]],
        "pairs": [
            {"a": "guitar", "b": "music", "score": pytest.approx(0.25)},
            {"a": "man", "b": "music", "score": pytest.approx(0.125)},
        ],
    }


def test_the_result_cannot_be_changed(plain):
    explanation = plain.explain("man", "man")
    with pytest.raises(FrozenInstanceError):
        explanation.measure = "dice"
    for array in (explanation.matrix, explanation.a.masses):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_broken_characters_are_readable(plain):
    explanation = plain.explain(["\ud800x"], "man")
    assert explanation.a.unknown == ("\ufffd\ufffd\ufffdx",)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (5, "x", r"text 0: expected a string or a list of words, found int"),
        ("x", None, r"text 1: expected a string or a list of words, found NoneType"),
        ("x", b"bytes", r"text 1: expected a string or a list of words, found bytes"),
        ("x", ["a", 1], r"text 1: expected words as strings, found int"),
    ],
)
def test_what_is_no_text(model, a, b, message):
    with pytest.raises(InputError, match=message):
        model.explain(a, b)


def test_options_that_do_not_exist(model):
    with pytest.raises(OptionError, match="measure: expected jaccard or otsuka or dice"):
        model.explain("the", "cat", measure="cosine")
    with pytest.raises(OptionError, match="n: expected a whole number from 0, found -1"):
        model.explain("the", "cat").best_pairs(-1)


def test_texts_too_long_for_a_matrix():
    names = [f"w{i}" for i in range(4097)]
    words = WordVectors(names, random_vectors(len(names), 2))
    model = SFBoW(words, Universe.identity(2))
    assert len(model.explain(names[1:] * 2, "w0").a.words) == 4096
    message = r"text 1: expected at most 4,096 distinct words, found 4,097; explain it in parts"
    with pytest.raises(InputError, match=message):
        model.explain("w0", names)


def test_memberships_too_large_to_add_up():
    words = WordVectors(["x"], np.full((1, 4), 3e38, np.float32))
    model = SFBoW(words, Universe.identity(4), weights=None)
    with pytest.raises(InputError, match="memberships: expected numbers from 0 up"):
        model.explain("x", "x")


@pytest.mark.parametrize("measure", MEASURES)
def test_a_saved_model_explains_alike(tmp_path, measure):
    model = SFBoW(make_words(), Universe.identity(6).signed()).quantized()
    model.save_pretrained(tmp_path / "model")
    loaded = SFBoW.from_pretrained(tmp_path / "model")
    texts = "the cat sat", "Cat café, dog"
    explanations = [each.explain(*texts, measure=measure) for each in (model, loaded)]
    assert explanations[0].to_dict() == explanations[1].to_dict()
    encoded = model.encode(list(texts))
    assert explanations[0].similarity == similarity_pairwise(*encoded, measure=measure)[0]
