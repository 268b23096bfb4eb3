"""Evaluating any model, and the published figures of the embedded one and of the paper's."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from sfbow import InputError, SFBoW, Universe, WordVectors
from sfbow.evaluation import Benchmark, Edition, PairSet, evaluate, read_sick, read_sts

GLOVE = Path.home() / ".cache" / "sfbow" / "glove.6B.100d.txt"


class Lengths:
    """A text is its length, and texts are as similar as their lengths."""

    def __init__(self):
        self.asked = []

    def encode(self, sentences):
        self.asked.append(sentences)
        return np.array([[len(text)] for text in sentences], np.float32)

    def similarity_pairwise(self, a, b):
        return -np.abs(a - b)[:, 0]


class ByPair:
    """A model that only compares texts, as DynaMax does."""

    def similarity_of_texts(self, left, right):
        return [float(a == b) for a, b in zip(left, right, strict=True)]


def pairs(name, left, right, gold):
    return PairSet(name, left, right, np.array(gold, float))


SETS = (
    pairs("one", ["a", "bb", "", "a"], ["a", "a", "dddd", "bb"], [5, 3, 0, 2]),
    pairs("two", ["a", "b", "ccc"], ["a", "bbb", "c"], [5, 4, 3]),
)
BENCHMARK = Benchmark("made up", (Edition("E1", SETS, 300), Edition("E2", (SETS[1],), 100)))


def test_each_text_of_a_pair_set_is_encoded_once():
    model = Lengths()
    evaluate(model, Benchmark("x", BENCHMARK.editions[:1]))
    assert model.asked == [["a", "bb", "", "dddd"], ["a", "b", "ccc", "bbb", "c"]]
    assert all(type(text) is str for texts in model.asked for text in texts)


def test_scores_and_averages():
    result = evaluate(Lengths(), BENCHMARK, name="lengths")
    one = spearmanr([0, -1, -4, -1], SETS[0].gold).statistic
    two = spearmanr([0, -2, -2], SETS[1].gold).statistic
    pooled = spearmanr([0, -1, -4, -1, 0, -2, -2], [5, 3, 0, 2, 5, 4, 3]).statistic
    assert (result.model, result.benchmark, result.pairs) == ("lengths", "made up", 10)
    np.testing.assert_allclose(result.scores("mean"), [(one + two) / 2, two])
    np.testing.assert_allclose(result.scores("weighted"), [(4 * one + 3 * two) / 7, two])
    np.testing.assert_allclose(result.scores("all"), [pooled, two])
    assert result.summary("all") == pytest.approx(
        {
            "average": (pooled + two) / 2,
            "deviation": abs(pooled - two) / 2,
            "paper_average": (3 * pooled + two) / 4,
        }
    )
    linear = pearsonr([0, -2, -2], SETS[1].gold).statistic
    assert result.editions[1].score("mean", "pearson") == pytest.approx(linear)


def test_no_average_of_the_paper_without_its_editions():
    editions = (BENCHMARK.editions[0], Edition("E2", (SETS[1],)))
    assert "paper_average" not in evaluate(Lengths(), Benchmark("x", editions)).summary()


def test_what_a_model_knows():
    coverage = evaluate(Lengths(), BENCHMARK).coverage
    assert (coverage.texts, coverage.zero_vectors) == (14, 1)
    assert (coverage.words, coverage.unknown_words) == (None, None)


def test_what_sfbow_knows(model):
    sets = (pairs("x", ["the cat", "dog bird", ""], ["the cat", "bird", "sat"], [1, 2, 3]),)
    coverage = evaluate(model, Benchmark("x", (Edition("x", sets),))).coverage
    # Five texts: "the cat", "dog bird", "", "bird" and "sat"; "bird" is unknown.
    assert (coverage.texts, coverage.zero_vectors) == (5, 2)
    assert (coverage.words, coverage.unknown_words) == (6, 2)


def test_a_model_that_compares_texts():
    result = evaluate(ByPair(), BENCHMARK)
    assert result.editions[0].sets[0].predicted.tolist() == [1, 0, 0, 0]
    assert (result.coverage.texts, result.coverage.zero_vectors) == (14, None)


def test_comparing_texts_goes_before_comparing_vectors():
    class Both(Lengths, ByPair):
        pass

    model = Both()
    assert evaluate(model, BENCHMARK).editions[0].sets[0].predicted.tolist() == [1, 0, 0, 0]
    assert model.asked == []


def test_blocks_change_nothing(monkeypatch, model):
    left = [f"the {'cat ' * (n % 3)} sat" for n in range(50)]
    right = ["dog sat", "the Cat", "cat café", "I", "東"] * 10
    benchmark = Benchmark.of(pairs("x", left, right, range(50)))
    whole = evaluate(model, benchmark).editions[0].sets[0].predicted
    monkeypatch.setattr("sfbow.evaluation.evaluator._BLOCK_BYTES", 7 * 4 * model.size)
    np.testing.assert_array_equal(evaluate(model, benchmark).editions[0].predicted[0], whole)
    expected = model.similarity_pairwise(model.encode(left), model.encode(right))
    np.testing.assert_array_equal(whole, expected)


@pytest.mark.parametrize(
    ("similarities", "expected"),
    [
        ([1.0, 2.0], r"Odd on E1, one: expected 4 similarities, found float64 of shape \(2,\)"),
        ([[1.0], [2], [3], [4]], r"found float64 of shape \(4, 1\)"),
        (["a", "b", "c", "d"], "expected 4 similarities"),
        ([1, 2, np.nan, 4], "finite numbers, found nan for pair 3"),
        ([np.inf, 2, 3, 4], "finite numbers, found inf for pair 1"),
    ],
)
def test_models_that_answer_wrongly(similarities, expected):
    class Odd:
        def similarity_of_texts(self, left, right):
            return similarities

    with pytest.raises(InputError, match=expected):
        evaluate(Odd(), BENCHMARK)


def test_a_model_whose_vectors_are_no_matrix():
    class Flat(Lengths):
        def encode(self, sentences):
            return super().encode(sentences)[:, 0]

    with pytest.raises(InputError, match=r"Flat.encode: expected a matrix of 4 rows"):
        evaluate(Flat(), BENCHMARK)


def plain_scores(model, folder) -> tuple[float, float]:
    """Read and score all anew with SciPy: "all" and "mean", averaged over the editions."""
    alls, means = [], []
    for edition in sorted(folder.glob("STS1?-en-test")):
        found, gold = [], []
        for path in sorted(edition.glob("STS.input.*.txt")):
            texts = path.read_bytes().decode().split("\n")
            scores = path.with_name(path.name.replace("input", "gs")).read_text().split("\n")
            rows = [(*t.split("\t"), float(s)) for t, s in zip(texts, scores, strict=True) if s]
            left, right, golden = zip(*rows, strict=True)
            found.append(model.similarity_pairwise(model.encode(left), model.encode(right)))
            gold.append(golden)
        alls.append(spearmanr(np.concatenate(found), np.concatenate(gold)).statistic)
        means.append(
            np.mean([spearmanr(*sides).statistic for sides in zip(found, gold, strict=True)])
        )
    return 100 * np.mean(alls), 100 * np.mean(means)


def check_published(model, folder, over_all, mean):
    assert plain_scores(model, folder) == pytest.approx((over_all, mean), abs=0.05)
    result = evaluate(model, read_sts(folder))
    assert 100 * result.summary("all")["average"] == pytest.approx(over_all, abs=0.05)
    assert 100 * result.summary("mean")["average"] == pytest.approx(mean, abs=0.05)


def test_the_embedded_model_on_sts(shared_folder):
    check_published(SFBoW.from_pretrained(), shared_folder("sts"), 76.95, 74.49)


def test_the_embedded_model_on_sick(shared_folder):
    result = evaluate(SFBoW.from_pretrained(), read_sick(shared_folder("sick")))
    assert 100 * result.summary()["average"] == pytest.approx(69.37, abs=0.1)


@pytest.mark.skipif(not GLOVE.exists(), reason=f"the vectors of GloVe 6B 100d are not in {GLOVE}")
def test_the_paper_on_sts(shared_folder):
    words = WordVectors.load(GLOVE)
    paper = SFBoW.paper(words, Universe.identity(words.dim))
    check_published(paper, shared_folder("sts"), 46.41, 45.27)
