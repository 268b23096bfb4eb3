"""A word2vec binary of GoogleNews' size: how long and how much memory until it encodes.

usage: python benchmarks/big_file.py [--words N] [--dim D] [--folder DIR]

Makes a file of random vectors, turns it into a model folder by `sfbow build` in a process of its
own, whose peak memory is told, and opens that in another. Needs three times the file's size
(3.6 GB) in DIR.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from machine import describe, record

OPEN = """
import time
from sfbow import SFBoW
start = time.perf_counter()
model = SFBoW.from_pretrained({folder!r})
opened = time.perf_counter()
model.encode("word1 word2999 word31")
print(opened - start, time.perf_counter() - opened)
"""


def make_file(path: Path, words: int, dim: int) -> None:
    """Write random vectors as word2vec does, with a newline after each."""
    rng = np.random.default_rng(0)
    with path.open("wb") as file:
        file.write(f"{words} {dim}\n".encode())
        for start in range(0, words, 10_000):
            vectors = rng.standard_normal((min(10_000, words - start), dim), dtype=np.float32)
            for place, vector in enumerate(vectors, start):
                file.write(f"word{place} ".encode() + vector.tobytes() + b"\n")


def main() -> None:
    """Make, build, open, encode."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=3_000_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        source, model = Path(folder, "vectors.bin"), Path(folder, "model")
        make_file(source, options.words, options.dim)
        print(f"{describe()}; {source.stat().st_size / 1e9:.2f} GB")
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "sfbow", "build", source, "-o", model], check=True)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"sfbow build (ICA on 50,000 words): {seconds:.0f} s, peak {peak:.0f} MiB")
        found = subprocess.run(
            [sys.executable, "-c", OPEN.format(folder=str(model))],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        opened, encoded = map(float, found.stdout.split())
        print(f"opened in {opened:.3f} s, then the first sentence in {encoded:.3f} s")
        record(
            "big file",
            {"build s": seconds, "peak MiB": peak, "open s": opened, "first s": encoded},
        )


if __name__ == "__main__":
    main()
