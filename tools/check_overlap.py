"""Count the sentences of a training text that stand in STS or SICK, case and punctuation aside.

usage: python tools/check_overlap.py TEXT --sts DIR --sick DIR      (TEXT may be packed with xz)
"""

import argparse
import lzma
import re
from collections.abc import Iterator
from pathlib import Path

from sfbow.evaluation import read_sick, read_sts
from sfbow.evaluation.pairs import Benchmark


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path)
    parser.add_argument("--sts", type=Path, required=True)
    parser.add_argument("--sick", type=Path, required=True)
    options = parser.parse_args()
    tests = {
        "STS 2012-2016": _sentences(read_sts(options.sts)),
        "SICK train and trial": _sentences(read_sick(options.sick)),
    }
    unpack = lzma.open if options.text.suffix == ".xz" else open
    with unpack(options.text, "rt", encoding="utf-8") as lines:
        trained = {_folded(line) for line in lines}
    for name, sentences in tests.items():
        shared = len(sentences & trained)
        print(f"{name}: {shared:,} of {len(sentences):,} sentences are in the text")


def _sentences(benchmark: Benchmark) -> set[str]:
    return set(_texts(benchmark))


def _texts(benchmark: Benchmark) -> Iterator[str]:
    for edition in benchmark.editions:
        for pairs in edition.sets:
            yield from map(_folded, pairs.left + pairs.right)


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


if __name__ == "__main__":
    main()
