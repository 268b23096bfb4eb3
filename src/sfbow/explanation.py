"""Why two texts are similar: which word of one shares how much with which word of the other.

Max-pooling takes each membership μ[j] from a single word. So what two texts share on axis j,
min(a[j], b[j]) or √(a[j] · b[j]) as the measure has it, belongs to one pair of words, and the
whole is a sum over pairs of words.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError
from sfbow.inputs import pack
from sfbow.lookup import Found
from sfbow.measures import Measure, shared_by_axis, similarity_pairwise
from sfbow.memberships import Floats, Table
from sfbow.model_folder import ModelParts
from sfbow.options import check_count
from sfbow.pooling import find_words, word_tables
from sfbow.text import Tokenizer

Amounts = NDArray[np.float64]
Places = NDArray[np.intp]

_MOST_WORDS = 4096  # of a text, so that a matrix of words has 128 MiB at most
_LISTED = 10


class WordPair(NamedTuple):
    """A word of each text, and the part of the similarity that is theirs."""

    a: str
    b: str
    score: float

    def __str__(self) -> str:
        return f"{self.a}~{self.b} {self.score:.2f}"


@dataclass(frozen=True, eq=False)
class ExplainedText:
    """The distinct words of a text as first written, in order, and the mass each one gave.

    Mass that several words would give is the first one's. ``composed`` are those of the words that
    have memberships from their subwords alone; ``unknown`` words have none and are left out.
    """

    words: tuple[str, ...]
    masses: Amounts
    composed: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def mass(self) -> float:
        """Σμ, which the masses of the words add up to."""
        return float(self.masses.sum())


@dataclass(frozen=True, eq=False)
class Explanation:
    """A similarity as a sum over pairs of words.

    ``matrix[i, k]`` is the mass that word i of ``a`` and word k of ``b`` share. All masses are
    multiples of a power of two that make their sums exact: in whatever order the matrix is added
    up, by rows, by columns or by pairs, the result is `shared` to the last bit.
    """

    a: ExplainedText
    b: ExplainedText
    matrix: Amounts
    similarity: float
    measure: Measure

    @property
    def shared(self) -> float:
        """Σmin, or Σ√(a · b), the sum of the matrix."""
        return float(self.matrix.sum())

    @property
    def scores(self) -> Amounts:
        """The matrix as parts of the similarity: each measure is what is shared over a mass."""
        return self.matrix * (self.similarity / self.shared if self.shared else 0.0)

    @property
    def matched(self) -> tuple[Amounts, Amounts]:
        """The mass of each word of both texts that is shared, as √(a · b) may be more than a."""
        shared = self.matrix.sum(axis=1), self.matrix.sum(axis=0)
        return np.minimum(shared[0], self.a.masses), np.minimum(shared[1], self.b.masses)

    def best_pairs(self, n: int | None = None) -> list[WordPair]:
        """Give the pairs of words that share anything, best first: n of them, or all."""
        if n is not None:
            check_count("n", n, least=0)
        scores = self.scores
        order = np.argsort(-scores, axis=None, kind="stable")[: np.count_nonzero(scores)]
        places = zip(*np.unravel_index(order[:n], scores.shape), strict=True)
        return [WordPair(self.a.words[i], self.b.words[k], float(scores[i, k])) for i, k in places]

    def to_dict(self) -> dict[str, Any]:
        """Give numbers, strings and lists, as JSON has them."""
        return {
            "similarity": self.similarity,
            "measure": self.measure,
            "shared": self.shared,
            "a": _side(self.a, self.matrix.sum(axis=1)),
            "b": _side(self.b, self.matrix.sum(axis=0)),
            "matrix": self.matrix.tolist(),
            "pairs": [pair._asdict() for pair in self.best_pairs()],
        }

    def __str__(self) -> str:
        pairs = self.best_pairs()
        lines = [f"{self.similarity:.4f} {self.measure}"]
        lines += [f"{pair.score:.4f} {pair.a} ~ {pair.b}" for pair in pairs[:_LISTED]]
        if rest := pairs[_LISTED:]:
            lines.append(f"{sum(pair.score for pair in rest):.4f} {len(rest)} more pairs")
        if unknown := dict.fromkeys(self.a.unknown + self.b.unknown):
            lines.append("unknown: " + ", ".join(unknown))
        return "\n".join(lines)


def _side(text: ExplainedText, shared: Amounts) -> dict[str, Any]:
    columns = zip(text.words, text.masses.tolist(), shared.tolist(), strict=True)
    return {
        "mass": text.mass,
        "words": [{"word": word, "mass": mass, "shared": part} for word, mass, part in columns],
        "composed": list(text.composed),
        "unknown": list(text.unknown),
    }


def explain(parts: ModelParts, a: Any, b: Any, measure: Measure) -> Explanation:  # noqa: ANN401
    """Compare two texts, or lists of words, and keep which words it was."""
    left, right = _pooled(parts, a, 0), _pooled(parts, b, 1)
    (similarity,) = similarity_pairwise(left.sets, right.sets, measure=measure).tolist()
    pairs = left.givers * len(right.words) + right.givers
    shared = _addable(shared_by_axis(left.amounts, right.amounts, measure))
    shape = len(left.words), len(right.words)
    return Explanation(
        left.explained(), right.explained(), _by_giver(pairs, shared, shape), similarity, measure
    )


@dataclass(frozen=True)
class _Pooled:
    """A fuzzy set ``sets``, and for each of its axes the place of the word that gave it."""

    words: tuple[str, ...]
    composed: tuple[str, ...]
    unknown: tuple[str, ...]
    sets: Floats
    givers: Places

    @property
    def amounts(self) -> Amounts:
        return self.sets.astype(np.float64)

    def explained(self) -> ExplainedText:
        masses = _by_giver(self.givers, _addable(self.amounts), (len(self.words),))
        return ExplainedText(self.words, masses, self.composed, self.unknown)


def _pooled(parts: ModelParts, text: Any, place: int) -> _Pooled:  # noqa: ANN401
    found = find_words(parts, pack([text], place), places=True)
    table, extra, rows = word_tables(parts, found)
    kept, counts = _first_places(rows, place)
    memberships = _rows(table, extra, rows[kept])
    if parts.counts:
        memberships *= counts.astype(np.float32)[:, None]
    if parts.universe.is_signed:
        memberships = np.concatenate([memberships, -memberships], axis=1)
    width = memberships.shape[1]
    return _Pooled(
        words=tuple(_written(found, kept)),
        composed=tuple(_written(found, kept[found.rows[kept] < 0])),
        unknown=_distinct(_written(found, np.flatnonzero(rows < 0)), parts.tokenizer),
        sets=memberships.max(axis=0, initial=0) * np.float32(parts.memberships.scale),
        # Of equal ones `argmax` finds the first.
        givers=memberships.argmax(axis=0) if len(kept) else np.zeros(width, np.intp),
    )


def _first_places(rows: NDArray[np.int32], place: int) -> tuple[Places, Places]:
    """Find where each distinct word stands first, and how often it occurs."""
    distinct, first, counts = np.unique(rows, return_index=True, return_counts=True)
    order = np.argsort(first)
    order = order[distinct[order] >= 0]
    if len(order) > _MOST_WORDS:
        raise InputError(
            f"text {place}: expected at most {_MOST_WORDS:,} distinct words, "
            f"found {len(order):,}; explain it in parts"
        )
    return first[order], counts[order]


def _rows(table: Table, extra: Table, rows: NDArray[np.int32]) -> Floats:
    memberships = np.empty((len(rows), table.shape[1]), np.float32)
    known = rows < len(table)
    memberships[known] = table[rows[known]]
    memberships[~known] = extra[rows[~known] - len(table)]
    return memberships


def _written(found: Found, places: Places) -> list[str]:
    stretches = zip(found.starts[places].tolist(), found.ends[places].tolist(), strict=True)
    return [found.buffer[start:end].tobytes().decode(errors="replace") for start, end in stretches]


def _distinct(words: list[str], tokenizer: Tokenizer) -> tuple[str, ...]:
    if tokenizer.casing == "keep":
        return tuple(dict.fromkeys(words))
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(word.lower(), word)
    return tuple(first.values())


def _addable(amounts: Amounts) -> Amounts:
    """Round to multiples of a power of two of which float64 holds any sum exactly.

    Numbers above 2⁻²⁸ of their sum are multiples already; others move by 2⁻⁵² of it at most.
    """
    unit = np.spacing(2 * amounts.sum())
    return np.asarray(np.rint(amounts / unit) * unit)


def _by_giver(givers: Places, amounts: Amounts, shape: tuple[int, ...]) -> Amounts:
    """Add up what belongs to the same word or pair of words; what is 0 belongs to nobody."""
    given = np.flatnonzero(amounts)
    sums = np.zeros(shape)
    np.add.at(sums.reshape(-1), givers[given], amounts[given])
    sums.flags.writeable = False
    return sums
