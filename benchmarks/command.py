"""What the command line costs: seconds until it answers, memory for a million lines.

usage: python benchmarks/command.py [--lines N] [--folder DIR]

Each command runs in a process of its own, with kernels cached in a folder that is empty at first,
as on a machine that never ran sfbow. Times are medians; the peak is that of `sfbow encode` from a
file of N lines to a .npy file of as many rows, for which DIR needs 2 KB a line.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from machine import describe, record

from sfbow import SFBoW

REPEATS = 5
WORDS = 12  # in a line
SFBOW = ["-m", "sfbow"]
SIMILAR = [*SFBOW, "similar", "A man plays a guitar", "Someone is playing an instrument"]


def run(arguments: list[str], cache: Path) -> tuple[float, float]:
    """Give the seconds that a Python process takes, and the MiB that it has at most."""
    start = time.perf_counter()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    process = subprocess.Popen(
        [sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        sys.exit(f"{' '.join(arguments)} failed")
    return seconds, usage.ru_maxrss / 1024


def write_lines(path: Path, count: int) -> None:
    """Make texts of words of the model inside the package, frequent ones more often."""
    words = SFBoW.from_pretrained().vocabulary.words
    rng = np.random.default_rng(0)
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, count, 10_000):
            ranks = rng.zipf(1.2, (min(10_000, count - start), WORDS)) % len(words)
            file.writelines(" ".join(words[rank] for rank in row) + "\n" for row in ranks)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    print(describe())
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        figures = {"similar, first time, s": run(SIMILAR, folder / "cache")[0]}
        for label, arguments in (
            ("similar, s", SIMILAR),
            ("help, s", [*SFBOW, "--help"]),
            ("import, s", ["-c", "import sfbow"]),
        ):
            times = [run(arguments, folder / "cache")[0] for _ in range(REPEATS)]
            figures[label] = statistics.median(times)
        write_lines(folder / "lines.txt", options.lines)
        encode = [*SFBOW, "encode", str(folder / "lines.txt"), "-o", str(folder / "lines.npy")]
        figures["encode, s"], figures["encode, peak MiB"] = run(encode, folder / "cache")
    for label, value in figures.items():
        print(f"{label:24}{value:8.2f}")
    record("command", {"lines": options.lines, **figures})


if __name__ == "__main__":
    main()
