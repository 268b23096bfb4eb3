"""Pairs of texts with the scores that people gave them; and SICK or any table of such pairs."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError

Numbers = NDArray[np.float64]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SICK_FILES = ("SICK_train.txt", "SICK_trial.txt")
_SICK_HEADER = ["pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment"]
_SCORE_NAMES = {"gold", "label", "relatedness_score", "score", "similarity"}
_LONGEST_QUOTE = 40


@dataclass(frozen=True)
class PairSet:
    """Pairs of one source: ``left[i]`` and ``right[i]`` are as similar as ``gold[i]`` says."""

    name: str
    left: list[str]
    right: list[str]
    gold: Numbers

    def __len__(self) -> int:
        return len(self.gold)


@dataclass(frozen=True)
class Edition:
    """Pair sets that are reported as one; ``support`` is its weight in the paper's average."""

    name: str
    sets: tuple[PairSet, ...]
    support: int | None = None

    def __len__(self) -> int:
        return sum(map(len, self.sets))


@dataclass(frozen=True)
class Benchmark:
    """Editions that are averaged."""

    name: str
    editions: tuple[Edition, ...]

    def __len__(self) -> int:
        return sum(map(len, self.editions))

    @classmethod
    def of(cls, pairs: PairSet) -> "Benchmark":
        """Make a benchmark of one pair set."""
        return cls(pairs.name, (Edition(pairs.name, (pairs,)),))


def fault(path: Path, line: int, expected: str, found: str, cure: str) -> InputError:
    """Make an error about a line, or, for line 0, about all of a file."""
    place = f"{path}, line {line}" if line else str(path)
    return InputError(f"{place}: expected {expected}, found {found}; {cure}")


def read_lines(path: Path) -> list[str]:
    """Read the lines of a file; only line feeds end them, as texts may hold any other mark."""
    if not path.is_file():
        found = "a folder" if path.is_dir() else "no such file"
        raise fault(path, 0, "a text file", found, "check the path")
    data = path.read_bytes().removeprefix(_BYTE_ORDER_MARK)
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    return [_decoded(path, number, line) for number, line in enumerate(lines, 1)]


def _decoded(path: Path, number: int, line: bytes) -> str:
    try:
        return line.removesuffix(b"\r").decode()
    except UnicodeDecodeError as error:
        found = f"the byte 0x{line[error.start]:02x} at its byte {error.start + 1}"
        raise fault(path, number, "UTF-8", found, "convert the file") from None


def parse_score(path: Path, number: int, field: str) -> float:
    """Read a score, which is a finite number."""
    try:
        score = float(field)
    except ValueError:
        score = math.nan
    if not math.isfinite(score) or "_" in field:
        raise fault(path, number, "a score, which is a number", quoted(field), "correct the line")
    return score


def quoted(field: str) -> str:
    """Quote a field so that the message stays a short line."""
    return repr(field if len(field) <= _LONGEST_QUOTE else field[:_LONGEST_QUOTE] + "…")


def pair_set(name: str, pairs: Sequence[tuple[str, str, float]]) -> PairSet:
    """Make a pair set of its pairs."""
    gold = np.array([score for *_, score in pairs], np.float64)
    return PairSet(name, [left for left, *_ in pairs], [right for _, right, _ in pairs], gold)


def read_pairs(path: str | Path) -> Benchmark:
    """Read two texts and a score a line, with tabs between; a line of names may come first."""
    path = Path(path)
    return Benchmark.of(pair_set(path.name, _some(path, list(_table(path)))))


def _table(path: Path) -> Iterator[tuple[str, str, float]]:
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split("\t")
        if len(fields) != 3:
            count = f"{len(fields)} column{'s' * (len(fields) != 1)}"
            expected = "two texts and a score with tabs between"
            raise fault(path, number, expected, count, "correct the line")
        if number == 1 and fields[2].strip().lower() in _SCORE_NAMES:
            continue
        yield fields[0], fields[1], parse_score(path, number, fields[2])


def read_sick(folder: str | Path) -> Benchmark:
    """Read SICK's train and trial, similarity and relatedness, as one pair set."""
    folder = Path(folder)
    if not folder.is_dir():
        found = "a file" if folder.exists() else "no such folder"
        expected = f"a folder with {' and '.join(_SICK_FILES)}"
        raise fault(folder, 0, expected, found, "check the path")
    pairs = [pair for name in _SICK_FILES for pair in _sick_file(folder / name)]
    return Benchmark.of(pair_set("SICK", pairs))


def _sick_file(path: Path) -> list[tuple[str, str, float]]:
    lines = read_lines(path)
    if not lines or lines[0].split("\t") != _SICK_HEADER:
        found = quoted(lines[0]) if lines else "an empty file"
        cure = "take the official files of SemEval 2014, task 1"
        raise fault(path, 1, f"the header {' '.join(_SICK_HEADER)}", found, cure)
    pairs = []
    for number, line in enumerate(lines[1:], 2):
        fields = line.split("\t")
        if fields == [""]:
            continue
        if len(fields) != len(_SICK_HEADER):
            expected = f"{len(_SICK_HEADER)} columns, as in the header"
            raise fault(path, number, expected, str(len(fields)), "correct the line")
        pairs.append((fields[1], fields[2], parse_score(path, number, fields[3])))
    return _some(path, pairs)


def _some(path: Path, pairs: list[tuple[str, str, float]]) -> list[tuple[str, str, float]]:
    if not pairs:
        raise fault(path, 0, "pairs with scores", "none", "check the file")
    return pairs
