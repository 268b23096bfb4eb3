"""All baselines are used as SFBoW is: what evaluates or compares one takes any."""

import numpy as np
import pytest
from conftest import SENTENCES, make_words

from sfbow import SFBoW, Universe
from sfbow.baselines import AverageOfWords, BagOfWords, DynaMax, FuzzyBagOfWords, SifEmbedding
from sfbow.evaluation import Benchmark, PairSet, evaluate

WORDS = make_words()
MODELS = {
    "SFBoW": SFBoW(WORDS, Universe.identity(WORDS.dim)),
    "AverageOfWords": AverageOfWords(WORDS),
    "BagOfWords": BagOfWords(WORDS),
    "DynaMax": DynaMax(WORDS),
    "FuzzyBagOfWords": FuzzyBagOfWords(WORDS),
    "SifEmbedding": SifEmbedding(WORDS).fit(SENTENCES),
}
with_vectors = pytest.mark.parametrize("name", [name for name in MODELS if name != "DynaMax"])
with_pairs = pytest.mark.parametrize("name", ["BagOfWords", "DynaMax", "SifEmbedding"])
LEFT, RIGHT = SENTENCES, SENTENCES[::-1]


@pytest.mark.parametrize("name", MODELS)
def test_evaluate(name):
    pairs = PairSet("pairs", LEFT, RIGHT, np.arange(len(LEFT), dtype=float))
    result = evaluate(MODELS[name], Benchmark.of(pairs))
    assert result.model == name
    assert -1 <= result.scores()[0] <= 1
    assert result.coverage.unknown_words > 0


@with_vectors
def test_vectors_and_their_similarities(name):
    model = MODELS[name]
    rows = model.encode(SENTENCES)
    assert rows.shape == (len(SENTENCES), model.size)
    assert model.encode([]).shape == (0, model.size)
    np.testing.assert_allclose(model.encode(SENTENCES[0]), rows[0], atol=1e-6)
    every = model.similarity(rows, rows[::-1])
    assert rows.dtype == every.dtype == np.float32
    pairwise = model.similarity_pairwise(rows, rows[::-1])
    np.testing.assert_allclose(np.diagonal(every), pairwise, atol=1e-6)
    unknown = SENTENCES.index("entirely unheard-of")
    assert not every[unknown].any()


@with_pairs
def test_similarities_of_texts(name):
    model = MODELS[name]
    found = model.similarity_of_texts(LEFT, RIGHT)
    assert (found.shape, found.dtype) == ((len(LEFT),), np.float32)
    if name != "DynaMax":
        expected = model.similarity_pairwise(model.encode(LEFT), model.encode(RIGHT))
        np.testing.assert_allclose(found, expected, atol=1e-6)
