"""Word weights g(w): how much of its memberships a word brings into a sentence."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError, OptionError
from sfbow.options import check_positive
from sfbow.vectors import WordVectors

# Zipf's law with Mandelbrot's shift: the word of rank r has a share of about 1 / (r + shift).
_SHIFT = 2.7


@dataclass(frozen=True)
class Sif:
    """Smooth inverse frequency: g(w) = a / (a + p(w)).

    p is the share of the word in a text: counted, where ``counts`` is given (a mapping, or a file
    with a word and its count a line), else guessed from the word's rank r, as 1 / (r + 2.7) over
    the sum of that for all words. A word without a count has the share 0.
    """

    a: float = 1e-2
    counts: Mapping[str, float] | str | Path | None = None

    def __post_init__(self) -> None:
        check_positive("a", self.a)


Weights = Literal["sif"] | Sif | Mapping[str, float] | None


def describe(weights: Weights) -> Any:  # noqa: ANN401 - whatever JSON can say
    """Tell the weights in words that a model's config.json can hold."""
    if weights is None:
        return None
    if weights == "sif":
        weights = Sif()
    if isinstance(weights, Sif):
        source = "rank" if weights.counts is None else "counts"
        return {"sif": float(weights.a), "frequencies": source}
    return f"a mapping of {len(weights)} words"


def word_weights(words: WordVectors, weights: Weights) -> NDArray[np.float32]:
    """Give the weight of each word; None means 1, and so does a word that a mapping lacks."""
    if weights is None:
        return np.ones(len(words), np.float32)
    if isinstance(weights, Sif) or weights == "sif":
        return _sif(words, weights if isinstance(weights, Sif) else Sif())
    if isinstance(weights, Mapping):
        try:
            found = np.array([weights.get(word, 1.0) for word in words.words], np.float32)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"weights: expected numbers from 0 up, found others ({error}); correct them"
            ) from None
        if not (np.isfinite(found).all() and (found >= 0).all()):
            raise InputError(
                "weights: expected numbers from 0 up, found negative ones or NaN; correct them"
            )
        return found
    raise OptionError("weights", expected="'sif', Sif(…), a mapping or None", found=weights)


def _sif(words: WordVectors, sif: Sif) -> NDArray[np.float32]:
    if sif.counts is None:
        ranks = words.ranks
        share = 1 / (ranks + _SHIFT)
        total = (1 / (np.arange(int(ranks.max(initial=0)) + 1) + _SHIFT)).sum()
    else:
        counts = sif.counts if isinstance(sif.counts, Mapping) else read_counts(sif.counts)
        share = np.array([counts.get(word, 0.0) for word in words.words])
        total = sum(counts.values())
        if not (0 < total < math.inf and (share >= 0).all()):
            raise InputError(
                "counts: expected finite numbers from 0 up, some above 0, found others; check them"
            )
    factors: NDArray[np.float32] = (sif.a / (sif.a + share / total)).astype(np.float32)
    return factors


def read_counts(path: str | Path) -> dict[str, float]:
    """Read a file with a word and its count a line, a space or a tab between."""
    counts: dict[str, float] = {}
    try:
        with Path(path).open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                word, _, count = line.rstrip("\r\n").replace("\t", " ").rpartition(" ")
                try:
                    counts[word] = counts.get(word, 0.0) + float(count)
                except ValueError:
                    raise InputError(
                        f"{path}, line {number}: expected a word and its count, "
                        f"found {line.strip()[:60]!r}; correct the line"
                    ) from None
    except OSError as error:
        reason = error.strerror
        raise InputError(f"{path}: expected a readable file, found {reason}; check it") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: expected UTF-8, found {error}; convert the file") from None
    return counts
