"""Near-duplicates among sentences: seconds, memory, and what each step of the join rules out.

usage: python benchmarks/dedup.py CORPUS [--rows N …] [--threshold T …] [--measure M …]

CORPUS, which may end in .xz, has a sentence a line; the model inside the package encodes them. Each
figure is from a process of its own. The peers compare all pairs of a sample, and the time that all
pairs would take is worked out from that; what they find in it must be what sfbow finds.
"""

import argparse
import dataclasses
import itertools
import json
import lzma
import resource
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import faiss
import numpy as np
from machine import describe, record

from sfbow import SFBoW, duplicate_pairs, find_duplicates
from sfbow.duplicates.search import Search
from sfbow.index.levels import Levels

SAMPLE = 3000


def sentences(corpus: Path, count: int) -> list[str]:
    """Read the first lines of a file."""
    with lzma.open(corpus, "rt") if corpus.suffix == ".xz" else corpus.open() as lines:
        return [line.rstrip("\n") for line in islice(lines, count)]


def measure_once(options: argparse.Namespace) -> None:
    """Find the duplicates among the first sentences, and print the figures as JSON."""
    (rows,), (threshold,), (measure,) = options.rows, options.threshold, options.measure
    texts = sentences(options.corpus, rows)
    model = SFBoW.from_pretrained()
    find_duplicates(texts[:100], model=model, measure=measure)  # loads the kernels
    start = time.perf_counter()
    search = Search(texts, model, threshold, measure, options.threads, False)
    ready = time.perf_counter()
    for _ in search.join:  # all pairs: groups need only those that connect something
        pass
    done = time.perf_counter()
    pruned = dataclasses.replace(search.join.pruned)
    kept = len(search.duplicates().kept)
    figures = {
        "texts": len(texts),
        "encode s": ready - start,
        "join s": done - ready,
        "MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "kept": kept,
        "left by mass": pruned.by_mass,
        "left by sketch": pruned.by_sketch,
        "left by distance": pruned.by_distance,
        "left by score": pruned.by_score,
    }
    print(json.dumps(figures))


def child(options: argparse.Namespace, rows: int, threshold: float, measure: str) -> dict:
    """Run this for one number of rows, threshold and measure."""
    command = [sys.executable, __file__, str(options.corpus), "--once", "--rows", str(rows)]
    command += ["--threshold", str(threshold), "--measure", measure]
    command += ["--threads", str(options.threads)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def peers(options: argparse.Namespace) -> dict[str, float]:
    """Compare all pairs of a sample with NumPy and with FAISS: pairs a second."""
    texts = sentences(options.corpus, SAMPLE)
    vectors = SFBoW.from_pretrained().encode(texts)
    levels = Levels.for_model(SFBoW.from_pretrained(), measure="jaccard")
    rows = levels.store(vectors).rows.astype(np.float32)
    start = time.perf_counter()
    scores = np.stack([np.minimum(a, rows).sum(1) / np.maximum(a, rows).sum(1) for a in rows])
    rates = {"NumPy": len(rows) ** 2 / (time.perf_counter() - start)}
    first, second = np.nonzero(np.triu(scores >= np.float32(0.6), 1))
    found = {pair[:2] for pair in duplicate_pairs(texts, threshold=0.6)}
    if found != set(zip(first.tolist(), second.tolist(), strict=True)):
        raise SystemExit("NumPy finds other pairs")
    faiss.omp_set_num_threads(options.threads)
    start = time.perf_counter()
    faiss.pairwise_distances(rows[:1000], rows, metric=faiss.METRIC_Jaccard)
    rates["FAISS Jaccard"] = 1000 * len(rows) / (time.perf_counter() - start)
    return rates


def main() -> None:
    """Print a line for each number of rows, threshold and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--threshold", type=float, nargs="+", default=[0.9])
    parser.add_argument("--measure", nargs="+", default=["jaccard"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        measure_once(options)
        return
    print(f"{describe()}; {options.threads} threads; 512 fuzzy sets of 8 bits")
    rates = peers(options)
    figures = {f"{peer} pairs/s": rate for peer, rate in rates.items()}
    for case in itertools.product(options.rows, options.threshold, options.measure):
        found = child(options, *case)
        pairs = found["texts"] * (found["texts"] - 1) / 2
        seconds = found["encode s"] + found["join s"]
        print(
            "{} texts, {}, {}: encode {encode s:.2f} s, join {join s:.2f} s, {MiB:.0f} MiB; "
            "{kept:,} kept".format(*case, **found)
        )
        for step in ("mass", "sketch", "distance", "score"):
            left = found[f"left by {step}"]
            print(f"    left by {step}: {left:,} pairs, {left / pairs:.2g} of all")
        for peer, rate in rates.items():
            print(f"    {peer}: {pairs / rate:,.0f} s; ratio {pairs / rate / seconds:,.0f}")
        name = "{} {} {}".format(*case)
        figures |= {f"{name} s": seconds, f"{name} MiB": found["MiB"]}
    record("dedup", figures)


if __name__ == "__main__":
    main()
