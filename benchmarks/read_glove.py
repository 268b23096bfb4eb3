"""Time and memory of reading GloVe text, beside gensim's.

usage: python benchmarks/read_glove.py [FILE]

Each reader runs in a process of its own, which ends with the matrix and a vocabulary that finds
its words; the time, without the imports, is the median of three. FILE is made by
../shared/tools/glove100.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from machine import describe, record

DEFAULT_FILE = Path("~/.cache/sfbow/glove.6B.100d.txt").expanduser()
REPEATS = 3
Read = Callable[[str], int]


def sfbow_reader() -> Read:
    """Give what returns the size of the matrix."""
    from sfbow import WordVectors

    return lambda path: WordVectors.load(path).matrix.nbytes


def gensim_reader() -> Read:
    """Read as gensim's documentation says."""
    from gensim.models import KeyedVectors

    return lambda path: KeyedVectors.load_word2vec_format(path, no_header=True).vectors.nbytes


READERS = {"sfbow": sfbow_reader, "gensim": gensim_reader}


def measure(name: str, path: str) -> None:
    """Print seconds, the matrix's bytes and the peak of memory, for the process above."""
    read = READERS[name]()
    start = time.perf_counter()
    size = read(path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(seconds, size, peak)


def main(path: str) -> None:
    """Print the table."""
    print(describe())
    figures = {}
    for name in READERS:
        command = [sys.executable, __file__, path, name]
        runs = [
            [float(field) for field in subprocess.check_output(command, text=True).split()]
            for _ in range(REPEATS)
        ]
        seconds, size, peak = sorted(runs)[REPEATS // 2]
        print(
            f"{name:7}{seconds:7.2f} s   peak {peak / 2**20:5.0f} MiB"
            f"   matrix {size / 2**20:4.0f} MiB"
        )
        figures |= {f"{name} s": seconds, f"{name} peak MiB": peak / 2**20}
    print(f"sfbow is {figures['gensim s'] / figures['sfbow s']:.0f} times faster")
    record("read GloVe", figures)


if __name__ == "__main__":
    arguments = sys.argv[1:] or [str(DEFAULT_FILE)]
    if len(arguments) == 2:
        measure(arguments[1], arguments[0])
    else:
        main(arguments[0])
