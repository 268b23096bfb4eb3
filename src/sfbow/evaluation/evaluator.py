"""Ask a model for the similarities of a benchmark, and compare them with those of people."""

import time
from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sfbow.coverage import measure_coverage
from sfbow.errors import InputError
from sfbow.evaluation.pairs import Benchmark, Edition, PairSet
from sfbow.evaluation.results import Coverage, EditionResult, Evaluation, SetResult
from sfbow.text import Tokenizer
from sfbow.vocabulary import Vocabulary

_BLOCK_BYTES = 1 << 26  # of vectors that are compared at a time


class SentenceModel(Protocol):
    """What can be evaluated: SFBoW, SentenceTransformer, or any class with these two methods."""

    def encode(self, sentences: list[str], /) -> Any:  # noqa: ANN401 - arrays of any library
        """Give a vector for each text, as the rows of a matrix.

        It is called once for each pair set, with each of its texts once.
        """

    def similarity_pairwise(self, a: Any, b: Any, /) -> Any:  # noqa: ANN401
        """Compare each row of ``a`` with the same row of ``b``."""


@runtime_checkable
class ComparesTexts(Protocol):
    """A model that compares texts itself, as it has no vector for one alone: DynaMax, say."""

    def similarity_of_texts(self, left: list[str], right: list[str], /) -> Any:  # noqa: ANN401
        """Compare each text of ``left`` with the same one of ``right``."""


def evaluate(
    model: SentenceModel | ComparesTexts, benchmark: Benchmark, *, name: str = ""
) -> Evaluation:
    """Compare a model's similarities with those of people.

    ``name`` is what reports call the model; otherwise they name its class.
    """
    start = time.perf_counter()
    name = name or type(model).__name__
    editions = tuple(_edition(model, name, edition) for edition in benchmark.editions)
    return Evaluation(name, benchmark.name, editions, time.perf_counter() - start)


def _edition(model: SentenceModel | ComparesTexts, name: str, edition: Edition) -> EditionResult:
    sets = []
    for pairs in edition.sets:
        predicted, coverage = _predict(model, pairs)
        where = f"{name} on {edition.name}, {pairs.name}"
        sets.append(SetResult(pairs.name, pairs.gold, _checked(predicted, pairs, where), coverage))
    return EditionResult(edition.name, tuple(sets), edition.support)


def _predict(model: SentenceModel | ComparesTexts, pairs: PairSet) -> tuple[Any, Coverage]:
    places: dict[str, int] = {}
    rows = [places.setdefault(text, len(places)) for text in (*pairs.left, *pairs.right)]
    texts = list(places)
    words = _word_counts(model, texts)
    if isinstance(model, ComparesTexts):
        predicted = model.similarity_of_texts(pairs.left, pairs.right)
        return predicted, Coverage(len(texts), None, *words)
    vectors = np.asarray(model.encode(texts))
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise InputError(
            f"{type(model).__name__}.encode: expected a matrix of {len(texts)} rows, "
            f"found an array of shape {vectors.shape}; give a row for each text"
        )
    zero = int((~vectors.any(axis=1)).sum())
    predicted = np.concatenate(list(_compared(model, vectors, np.array(rows))))
    return predicted, Coverage(len(texts), zero, *words)


def _compared(
    model: SentenceModel, vectors: NDArray[Any], rows: NDArray[np.intp]
) -> Iterator[NDArray[Any]]:
    """Compare some pairs at a time, as universes may have thousands of axes."""
    left, right = np.split(rows, 2)
    size = max(1, _BLOCK_BYTES // max(1, vectors[:1].nbytes))
    for start in range(0, len(left), size):
        block = slice(start, start + size)
        yield np.asarray(model.similarity_pairwise(vectors[left[block]], vectors[right[block]]))


def _checked(similarities: Any, pairs: PairSet, where: str) -> NDArray[Any]:  # noqa: ANN401
    predicted: NDArray[Any] = np.asarray(similarities)
    if predicted.shape != (len(pairs),) or predicted.dtype.kind not in "biuf":
        found = f"{predicted.dtype} of shape {predicted.shape}"
        raise InputError(
            f"{where}: expected {len(pairs)} similarities, found {found}; give one for each pair"
        )
    wrong = np.flatnonzero(~np.isfinite(predicted))
    if len(wrong):
        found = f"{predicted[wrong[0]]} for pair {wrong[0] + 1}"
        raise InputError(
            f"{where}: expected similarities that are finite numbers, found {found}; "
            "correct the model"
        )
    return predicted


def _word_counts(model: object, texts: list[str]) -> tuple[int, int] | tuple[None, None]:
    vocabulary, tokenizer = getattr(model, "vocabulary", None), getattr(model, "tokenizer", None)
    if not isinstance(vocabulary, Vocabulary) or not isinstance(tokenizer, Tokenizer):
        return None, None
    found = measure_coverage(texts, vocabulary, tokenizer)
    return found.tokens, found.tokens - found.known_tokens
