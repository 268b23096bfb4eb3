"""Pairs a second: all-pairs fuzzy similarity against NumPy's broadcast and FAISS' Jaccard.

usage: python benchmarks/similarity.py [--rows N] [--dim D]
"""

import argparse

import faiss
import numpy as np
from machine import describe, median_seconds, record

from sfbow import similarity

REPEATS = 5


def broadcast(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute Jaccard as one would write it with NumPy, in blocks that fit into memory."""
    blocks = [np.minimum(row, b).sum(1) / np.maximum(row, b).sum(1) for row in a]
    return np.stack(blocks)


def main() -> None:
    """Run all three and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--dim", type=int, default=600)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    b = np.maximum(rng.standard_normal((options.rows, options.dim), dtype=np.float32), 0)
    a = b[: options.rows // 2]
    print(f"{describe()}; {options.dim} dimensions, float32")

    rates = {}
    for threads in (1, 2):
        seconds = median_seconds(lambda n=threads: similarity(a, b, threads=n), REPEATS)
        rates[threads] = len(a) * len(b) / seconds
        print(f"sfbow, {threads} threads: {rates[threads] / 1e6:.1f} M pairs/s")
    few = a[:100]
    numpy_rate = len(few) * len(b) / median_seconds(lambda: broadcast(few, b), 3)
    faiss.omp_set_num_threads(1)
    jaccard = faiss.METRIC_Jaccard
    faiss_rate = (
        len(few)
        * len(b)
        / median_seconds(lambda: faiss.pairwise_distances(few, b, metric=jaccard), 3)
    )
    print(f"NumPy broadcast: {numpy_rate / 1e6:.2f} M pairs/s; ratio {rates[1] / numpy_rate:.0f}")
    print(f"FAISS Jaccard: {faiss_rate / 1e6:.2f} M pairs/s; ratio {rates[1] / faiss_rate:.0f}")
    record(
        "similarity",
        {
            "one thread": rates[1],
            "two threads": rates[2],
            "NumPy broadcast": numpy_rate,
            "FAISS Jaccard": faiss_rate,
        },
    )
    shared = similarity(few, b, measure="jaccard")
    print(f"largest difference from NumPy: {np.abs(shared - broadcast(few, b)).max():.1e}")


if __name__ == "__main__":
    main()
