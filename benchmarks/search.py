"""Milliseconds a query: exact search of 8-bit fuzzy sets, beside FAISS' exact Jaccard and L1.

usage: python benchmarks/search.py [--corpus FILE] [--rows N] [--measure M] [--threads N]

FILE, which may end in .xz, has a sentence a line; the model inside the package encodes as many as
there are rows, and queries are further ones. Other rows are made up: half of their numbers are 0.
FAISS compares float32, and is timed on fewer rows: its time grows with them.
"""

import argparse
import lzma
import time
from collections.abc import Iterator
from pathlib import Path

import faiss
import numpy as np
from machine import describe, record

from sfbow import SFBoW
from sfbow.index.levels import Levels, Stored
from sfbow.index.part import Part
from sfbow.index.scan import Nearest, nearest

K = 10
QUERIES = 100
RECALL_QUERIES = 300
BLOCK = 1 << 15
FAISS_ROWS = {"Jaccard": 20_000, "L1": 100_000}
SIZE = 512


def sentences(corpus: Path, count: int) -> list[str]:
    """Read the first lines of a file."""
    with lzma.open(corpus, "rt") if corpus.suffix == ".xz" else corpus.open() as lines:
        found = [line.rstrip("\n") for line, _ in zip(lines, range(count), strict=False)]
    if len(found) < count:
        raise SystemExit(f"{corpus}: expected {count:,} lines, found {len(found):,}")
    return found


class Real:
    """Fuzzy sets of sentences."""

    name = "sentences"

    def __init__(self, texts: list[str]) -> None:
        self.model = SFBoW.from_pretrained()
        self.texts = texts

    def blocks(self, start: int, end: int) -> Iterator[np.ndarray]:
        """Yield the memberships of some of them."""
        for first in range(start, end, BLOCK):
            yield self.model.encode(self.texts[first : min(first + BLOCK, end)])


class MadeUp:
    """Random fuzzy sets."""

    name = "random"

    def blocks(self, start: int, end: int) -> Iterator[np.ndarray]:
        """Yield some of them, the same each time; a block of rows has a seed of its own."""
        for first in range(start, end, BLOCK):
            rng = np.random.default_rng(first)
            normal = rng.standard_normal((min(BLOCK, end - first), SIZE), dtype=np.float32)
            yield np.maximum(normal, 0, out=normal)


Rows = Real | MadeUp


def levels_for(rows: Rows, measure: str, storage: str) -> Levels:
    """Choose levels as an index does: by the model, or by the largest number."""
    if isinstance(rows, MadeUp):
        return Levels.for_vectors(next(rows.blocks(0, 1000)), measure, storage)
    return Levels.for_model(rows.model, storage, measure=measure)


def stored(rows: Rows, levels: Levels, start: int, end: int) -> Stored:
    """Store some of the rows."""
    result = Stored(
        np.empty((end - start, levels.width), levels.dtype),
        np.empty(end - start, levels.mass_dtype),
    )
    place = 0
    for block in rows.blocks(start, end):
        part = slice(place, place + len(block))
        result.rows[part], result.masses[part] = levels.store(block)
        place = part.stop
    return result


def in_float32(rows: Rows, measure: str, count: int, queries: np.ndarray) -> np.ndarray:
    """Give the true neighbours, by passing over float32 rows in blocks."""
    levels = levels_for(rows, measure, "float32")
    asked = levels.store(queries)
    best: Nearest | None = None
    first = 0
    for block in rows.blocks(0, count):
        found = nearest(levels, [Part.of(levels.store(block), first)], asked, K)
        first += len(block)
        if best is None:
            best = found
            continue
        numbers = np.concatenate([best.numbers, found.numbers], axis=1)
        scores = np.concatenate([best.scores, found.scores], axis=1)
        order = np.argsort(-scores, axis=1, kind="stable")[:, :K]
        best = Nearest(*(np.take_along_axis(a, order, 1) for a in (numbers, scores)))
    return best.numbers


def milliseconds(search: object, queries: Stored, size: int, repeats: int) -> float:
    """Give the median time of a query among batches of this size."""
    times = []
    for repeat in range(repeats + 1):
        start = repeat * size % len(queries.rows)
        batch = Stored(queries.rows[start : start + size], queries.masses[start : start + size])
        began = time.perf_counter()
        search(batch)
        times.append((time.perf_counter() - began) / len(batch.rows))
    return 1000 * float(np.median(times[1:]))


def faiss_milliseconds(metric: int, rows: np.ndarray, queries: np.ndarray, count: int) -> float:
    """Time FAISS Flat, and scale to as many rows."""
    flat = faiss.IndexFlat(rows.shape[1], metric)
    flat.add(rows)
    flat.search(queries[:1], K)
    began = time.perf_counter()
    flat.search(queries, K)
    return 1000 * (time.perf_counter() - began) / len(queries) * count / len(rows)


def recall(found: np.ndarray, true: np.ndarray) -> float:
    """Give the share of the true neighbours that were found."""
    return float(np.mean([np.isin(a, b).mean() for a, b in zip(true, found, strict=True)]))


def measure_search(rows: Rows, measure: str, count: int, threads: int) -> dict[str, float]:
    """Time searches among 10 k, 100 k, … rows, print and return the figures."""
    levels = levels_for(rows, measure, "8-bit")
    whole = stored(rows, levels, 0, count)
    memberships = np.concatenate(list(rows.blocks(count, count + QUERIES)))
    queries = levels.store(memberships)
    figures = {}
    counts = [n for n in (10_000, 100_000, 1_000_000, 10_000_000) if n < count] + [count]
    for n in counts:
        part = Part.of(Stored(whole.rows[:n], whole.masses[:n]))

        def search(batch: Stored, part: Part = part) -> Nearest:
            return nearest(levels, [part], batch, K, threads=threads)

        batched = milliseconds(search, queries, QUERIES, 5)
        single = milliseconds(search, queries, 1, 50)
        figures |= {f"{n} batch ms": batched, f"{n} single ms": single}
        print(f"  {n:>10,} rows: {batched:7.3f} ms a query of {QUERIES}, {single:7.3f} ms alone")
    for size, name in ((QUERIES, "batch"), (1, "single")):
        grown = 1e8 / count * figures[f"{count} {name} ms"] / 1000
        print(f"  100 M rows would take {grown:.2f} s a query in batches of {size}")
    memberships = np.concatenate(list(rows.blocks(count, count + RECALL_QUERIES)))
    found = search(levels.store(memberships)).numbers
    agreement = recall(found, in_float32(rows, measure, count, memberships))
    figures["recall"] = agreement
    print(f"  recall@{K} against float32: {agreement:.4f}")
    return figures


def compare_with_faiss(rows: Rows, ours: float, count: int, threads: int) -> dict[str, float]:
    """Time FAISS' exact search."""
    faiss.omp_set_num_threads(threads)
    figures = {}
    queries = np.concatenate(list(rows.blocks(count, count + QUERIES)))
    for name, few in FAISS_ROWS.items():
        some = np.concatenate(list(rows.blocks(0, min(few, count))))
        metric = getattr(faiss, f"METRIC_{name}")
        value = faiss_milliseconds(metric, some, queries, count)
        figures[f"FAISS {name} ms"] = value
        print(
            f"  FAISS Flat METRIC_{name}, {len(some):,} rows scaled to {count:,}: "
            f"{value:,.0f} ms a query; ours is {value / ours:,.0f} times faster"
        )
    return figures


def main() -> None:
    """Measure all and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--measure", choices=["jaccard", "dice", "otsuka", "hellinger"])
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    count = options.rows
    print(f"{describe()}; {options.threads} threads, {SIZE} levels of 8 bits")
    kinds: list[Rows] = [MadeUp()]
    if options.corpus:
        kinds.insert(0, Real(sentences(options.corpus, count + RECALL_QUERIES)))
    figures = {}
    for rows in kinds:
        for measure in [options.measure] if options.measure else ["jaccard", "hellinger"]:
            print(f"{rows.name}, {measure}")
            found = measure_search(rows, measure, count, options.threads)
            if measure == "jaccard":
                ours = found[f"{count} batch ms"]
                found |= compare_with_faiss(rows, ours, count, options.threads)
            figures |= {f"{rows.name} {measure} {name}": value for name, value in found.items()}
    record("search", figures)


if __name__ == "__main__":
    main()
