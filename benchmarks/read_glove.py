"""Time and memory of reading GloVe text, beside gensim's.

usage: python benchmarks/read_glove.py [FILE]

Each reader runs in a process of its own, which ends with the whole matrix and all words in
memory; the time is the best of three. FILE is made by ../shared/tools/glove100.
"""

import resource
import subprocess
import sys
import time
from pathlib import Path

DEFAULT_FILE = Path("~/.cache/sfbow/glove.6B.100d.txt").expanduser()
REPEATS = 3


def read_with_sfbow(path: str) -> int:
    """Read into one matrix, as WordVectors.load does."""
    import numpy as np

    from sfbow.readers import open_vectors

    stream = open_vectors(path)
    matrix = np.empty((1, stream.dim), np.float32)
    words, count = [], 0
    for block in stream.blocks:
        end = count + len(block.rows)
        if end > len(matrix):
            matrix.resize((end + end // 4, stream.dim), refcheck=False)
        matrix[count:end] = block.rows
        words.append(block.buffer)
        count = end
    matrix.resize((count, stream.dim), refcheck=False)
    return matrix.nbytes


def read_with_gensim(path: str) -> int:
    """Read as gensim's documentation says."""
    from gensim.models import KeyedVectors

    vectors = KeyedVectors.load_word2vec_format(path, no_header=True)
    return int(vectors.vectors.nbytes)


READERS = {"sfbow": read_with_sfbow, "gensim": read_with_gensim}


def measure(name: str, path: str) -> None:
    """Print seconds, the matrix's bytes and the peak of memory, for the process above."""
    start = time.perf_counter()
    size = READERS[name](path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    sys.stdout.write(f"{seconds} {size} {peak}\n")


def main(path: str) -> None:
    """Print the table."""
    best = {}
    for name in READERS:
        command = [sys.executable, __file__, path, name]
        runs = [
            [float(field) for field in subprocess.check_output(command, text=True).split()]
            for _ in range(REPEATS)
        ]
        seconds, size, peak = best[name] = min(runs)
        sys.stdout.write(
            f"{name:7}{seconds:7.2f} s   peak {peak / 2**20:5.0f} MiB"
            f"   matrix {size / 2**20:4.0f} MiB\n"
        )
    sys.stdout.write(f"sfbow is {best['gensim'][0] / best['sfbow'][0]:.0f} times faster\n")


if __name__ == "__main__":
    arguments = sys.argv[1:] or [str(DEFAULT_FILE)]
    if len(arguments) == 2:
        measure(arguments[1], arguments[0])
    else:
        main(arguments[0])
