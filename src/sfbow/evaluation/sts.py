"""SemEval's STS 2012-2016 in its official layout: a text file and a gold file a sub-dataset."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from sfbow.errors import OptionError
from sfbow.evaluation.pairs import (
    Benchmark,
    Edition,
    PairSet,
    fault,
    pair_set,
    parse_score,
    quoted,
    read_lines,
)


@dataclass(frozen=True)
class _Official:
    """What belongs to an edition; ``support`` is what the paper's Table 1 prints for it."""

    support: int
    names: tuple[str, ...]


# STS13 has a fifth source, SMT, whose texts are under licence: everybody leaves it out.
_EDITIONS = {
    "STS12": _Official(
        5250, ("MSRpar", "MSRvid", "SMTeuroparl", "surprise.OnWN", "surprise.SMTnews")
    ),
    "STS13": _Official(2250, ("FNWN", "headlines", "OnWN")),
    "STS14": _Official(
        3750, ("deft-forum", "deft-news", "headlines", "images", "OnWN", "tweet-news")
    ),
    "STS15": _Official(
        3000, ("answers-forums", "answers-students", "belief", "headlines", "images")
    ),
    "STS16": _Official(
        1186, ("answer-answer", "headlines", "plagiarism", "postediting", "question-question")
    ),
}
EDITIONS = tuple(_EDITIONS)


def sts_folder() -> Path:
    """Give the folder in the user's cache where the data is looked for."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(cache) if Path(cache).is_absolute() else Path.home() / ".cache"
    return base / "sfbow" / "sts"


def read_sts(folder: str | Path | None = None, *, editions: Sequence[str] = EDITIONS) -> Benchmark:
    """Read editions of STS; without a folder, from the user's cache."""
    wrong = [name for name in editions if name not in _EDITIONS]
    if wrong or not editions:
        found = wrong[0] if wrong else list(editions)
        raise OptionError("editions", expected=f"some of {', '.join(EDITIONS)}", found=found)
    root = sts_folder() if folder is None else Path(folder)
    _check_root(root, given=folder is not None)
    return Benchmark("STS", tuple(_read_edition(root, name) for name in editions))


def _folder_name(edition: str) -> str:
    return f"{edition}-en-test"


def _check_root(root: Path, *, given: bool) -> None:
    expected = f"the folders {_folder_name(EDITIONS[0])} to {_folder_name(EDITIONS[-1])}"
    if not root.is_dir():
        found = "a file" if root.exists() else "no such folder"
        cure = (
            "check the path"
            if given
            else "get the data with `sfbow download sts`, or use --data DIR"
        )
        raise fault(root, 0, expected, found, cure)
    if any((root / _folder_name(edition)).is_dir() for edition in EDITIONS):
        return
    if any(root.glob("STS.input.*.txt")):
        raise fault(root, 0, expected, "the files of one edition", f"give {root.resolve().parent}")
    for below in sorted(root.glob(f"*/{_folder_name('STS1?')}")):
        raise fault(root, 0, expected, "them one level below", f"give {below.parent}")


def _read_edition(root: Path, name: str) -> Edition:
    folder, official = root / _folder_name(name), _EDITIONS[name]
    if not folder.is_dir():
        raise fault(folder, 0, f"the folder of {name}", *_missing(folder))
    sets = tuple(_read_set(folder, each) for each in official.names)
    return Edition(name, sets, official.support)


def _missing(path: Path) -> tuple[str, str]:
    """Say what is there instead of a file or folder, and what to do."""
    beside = {each.name.lower(): each.name for each in path.parent.iterdir()}
    known = {_folder_name(edition).lower() for edition in EDITIONS} - {path.name.lower()}
    known |= {name for name in beside if name.count(".") and name != path.name.lower()}
    close = get_close_matches(path.name.lower(), beside.keys() - known, 1, 0.75)
    if close:
        return f"only {beside[close[0]]!r}", f"rename it to {path.name}"
    return "no such name", "complete the official data"


def _read_set(folder: Path, name: str) -> PairSet:
    texts, golds = folder / f"STS.input.{name}.txt", folder / f"STS.gs.{name}.txt"
    for path, what in ((texts, "texts"), (golds, "scores")):
        if not path.is_file():
            raise fault(path, 0, f"the {what} of {name}", *_missing(path))
    lines, scores = read_lines(texts), read_lines(golds)
    if len(lines) != len(scores):
        found = f"{len(scores):,} lines"
        expected = f"{len(lines):,} lines, as {texts.name} has"
        where = min(len(lines), len(scores)) + 1
        raise fault(golds, where, expected, found, "both need a line a pair")
    pairs = []
    for number, (line, score) in enumerate(zip(lines, scores, strict=True), 1):
        if score.strip():  # else nobody scored the pair: it does not count
            left, right = _two_texts(texts, number, line)
            pairs.append((left, right, parse_score(golds, number, score)))
    if not pairs:
        raise fault(golds, 0, "scores", "none", "complete the official data")
    return pair_set(name, pairs)


def _two_texts(path: Path, number: int, line: str) -> tuple[str, str]:
    """Take the first two columns: later ones tell where the texts come from."""
    fields = line.split("\t")
    if len(fields) < 2:
        expected = "two texts with a tab between"
        raise fault(path, number, expected, f"no tab in {quoted(line)}", "correct the line")
    return fields[0], fields[1]
