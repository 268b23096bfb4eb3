"""Recall over speed: exact search, our graph, and FAISS Flat and HNSW with METRIC_Jaccard.

usage: python benchmarks/approximate.py --corpus FILE [--rows N] [--faiss-rows N] [--threads N]

FILE, which may end in .xz, has a sentence a line. FAISS is too slow for many rows: Flat is timed on
few and scaled, and HNSW is only built for as many as --faiss-rows (100 000 take minutes).
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import faiss  # before USearch, which is loaded with the graph: the other order crashes FAISS
import numpy as np
from machine import describe, record
from search import Real, faiss_milliseconds, recall, sentences, stored

from sfbow.index.graph import Graph
from sfbow.index.levels import Levels
from sfbow.index.part import Part
from sfbow.index.scan import nearest

K = 10
QUERIES = 500
MEASURE = "jaccard"
EFFORTS = [10, 20, 40, 80, 160, 320, 640]
LINKS, CARE = 32, 128  # of FAISS' HNSW, as ours has
FLAT_ROWS = 10_000


def milliseconds(search: Callable[[], np.ndarray], queries: int) -> tuple[float, np.ndarray]:
    """Give the time of a query and what was found, at the better of two runs."""
    times = []
    for _ in range(2):
        began = time.perf_counter()
        found = search()
        times.append(time.perf_counter() - began)
    return 1000 * min(times) / queries, found


class Report:
    """Figures as they are printed and kept."""

    def __init__(self, true: np.ndarray) -> None:
        self.true = true
        self.figures: dict[str, float] = {}

    def add(self, engine: str, effort: int, value: float, found: np.ndarray) -> None:
        """Keep a point of a curve."""
        share = recall(found, self.true)
        name = f"{engine} {effort}"
        self.figures |= {f"{name} ms": value, f"{name} recall": share}
        print(
            f"  {engine:10} {effort:4}: {value:9.3f} ms a query, recall@{K} {share:.4f}", flush=True
        )


def our_engines(rows: Real, count: int, threads: int) -> Report:
    """Measure exact search and the graph."""
    levels = Levels.for_model(rows.model, measure=MEASURE)
    whole = stored(rows, levels, 0, count)
    queries = stored(rows, levels, count, count + QUERIES)
    part = Part.of(whole)

    def exact() -> np.ndarray:
        return nearest(levels, [part], queries, K, threads=threads).numbers

    value, true = milliseconds(exact, QUERIES)
    report = Report(true)
    report.add("exact", 0, value, true)
    began = time.perf_counter()
    graph = Graph.build(levels, [part], threads=threads)
    report.figures["graph build s"] = seconds = time.perf_counter() - began
    print(f"  the graph was built in {seconds:.0f} s")
    for effort in EFFORTS:
        report.add(
            "graph",
            effort,
            *milliseconds(
                lambda n=effort: graph.search(queries, K, effort=n, threads=threads).numbers,
                QUERIES,
            ),
        )
    return report


def faiss_engines(rows: Real, count: int, most: int, report: Report, threads: int) -> None:
    """Measure FAISS' exact search and, if there are few rows, its graph."""
    faiss.omp_set_num_threads(threads)
    queries = np.concatenate(list(rows.blocks(count, count + QUERIES)))
    few = next(rows.blocks(0, min(FLAT_ROWS, count)))
    value = faiss_milliseconds(faiss.METRIC_Jaccard, few, queries[:100], count)
    report.add("FAISS Flat", 0, value, report.true)
    if count > most:
        return
    vectors = np.concatenate(list(rows.blocks(0, count)))
    index = faiss.IndexHNSWFlat(vectors.shape[1], LINKS, faiss.METRIC_Jaccard)
    index.hnsw.efConstruction = CARE
    began = time.perf_counter()
    index.add(vectors)
    report.figures["FAISS HNSW build s"] = seconds = time.perf_counter() - began
    print(f"  FAISS' HNSW was built in {seconds:.0f} s")
    for effort in EFFORTS:
        index.hnsw.efSearch = effort
        report.add(
            "FAISS HNSW", effort, *milliseconds(lambda: index.search(queries, K)[1], QUERIES)
        )


def main() -> None:
    """Measure all and keep the figures, from which search_figure.py draws."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--faiss-rows", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    rows = Real(sentences(options.corpus, max(options.rows) + QUERIES))
    for count in options.rows:
        print(f"{describe()}; {count:,} sentences, {MEASURE}, {options.threads} threads")
        report = our_engines(rows, count, options.threads)
        record(f"approximate {count}", report.figures)
        faiss_engines(rows, count, options.faiss_rows, report, options.threads)
        record(f"approximate {count}", report.figures)


if __name__ == "__main__":
    main()
