"""A million sentences to a durable index: seconds, memory, and how long it takes to open.

usage: python benchmarks/indexing.py --corpus FILE --folder DIR [--rows N]

FILE, which may end in .xz, has a sentence a line. The index is made twice: by `sfbow index`, in a
process of its own, whose memory is told, and by `FuzzyIndex.add` of a list, whose steps are told.
It takes some 0.7 KB of DIR a sentence, and is removed at the end.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from machine import describe, median_seconds, record
from search import sentences

from sfbow import FuzzyIndex, SFBoW
from sfbow.index import writing

MIB = 1 << 20


def command_line(texts: list[str], folder: Path) -> dict[str, float]:
    """Index a file by the command."""
    source = folder / "texts.txt"
    source.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "sfbow",
        "index",
        str(source),
        "-o",
        str(folder / "by-command"),
    ]
    seconds = timed(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    again = timed(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
    print(f"sfbow index: {seconds:.1f} s, {memory:.0f} MiB at most; the same again {again:.1f} s")
    return {"command_seconds": seconds, "command_mib": memory, "again_seconds": again}


def timed(action: Callable[[], object]) -> float:
    """Give the seconds that something takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def python(texts: list[str], folder: Path) -> dict[str, float]:
    """Index a list, and tell what of the time the disk takes."""
    model = SFBoW.from_pretrained()
    model.encode(texts[:100])
    encoding = timed(lambda: list(model.encode_batches(iter(texts))))
    disk = 0.0
    write_file = writing.write_file

    def timed_write(*arguments: object) -> object:
        nonlocal disk
        start = time.perf_counter()
        written = write_file(*arguments)  # type: ignore[arg-type]
        disk += time.perf_counter() - start
        return written

    writing.write_file = timed_write  # type: ignore[assignment]
    with FuzzyIndex.create(folder / "by-list", model) as index:
        seconds = timed(lambda: index.add(range(len(texts)), texts))
    writing.write_file = write_file
    print(f"FuzzyIndex.add: {seconds:.1f} s, of which {disk:.1f} s are writing, hashing and fsync")
    print(f"(encode alone: {encoding:.1f} s)")
    return {"add_seconds": seconds, "disk_seconds": disk, "encode_seconds": encoding}


def opening(folder: Path) -> dict[str, float]:
    """Open it, look an id up, add one row, remove one."""
    path = folder / "by-list"
    opened = median_seconds(lambda: FuzzyIndex.open(path), 21)
    found = timed(lambda: 77 in FuzzyIndex.open(path))
    with FuzzyIndex.open(path, writable=True) as index:
        added = timed(lambda: index.add([-1], ["one more sentence"]))
        removed = timed(lambda: index.remove([-1, 77]))
        verified = timed(index.verify)
    print(f"open: {1e3 * opened:.2f} ms; open and look the first id up: {1e3 * found:.1f} ms")
    print(f"add a row: {1e3 * added:.0f} ms; remove two: {1e3 * removed:.0f} ms")
    print(f"verify all checksums: {verified:.2f} s")
    return {"open_ms": 1e3 * opened, "first_id_ms": 1e3 * found, "add_one_ms": 1e3 * added}


def main() -> None:
    """Index, and print how it went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=1_000_000)
    arguments = parser.parse_args()
    texts = sentences(arguments.corpus, arguments.rows)
    folder = arguments.folder / f"indexing-{os.getpid()}"
    folder.mkdir(parents=True)
    print(f"{describe()}: {len(texts):,} sentences")
    try:
        figures = {**command_line(texts, folder), **python(texts, folder), **opening(folder)}
        size = sum(file.stat().st_size for file in (folder / "by-list").iterdir())
        print(f"on disk: {size / MIB:.0f} MiB")
    finally:
        shutil.rmtree(folder)
    if len(texts) >= 1_000_000:
        record("indexing", {**figures, "mib": size / MIB})


if __name__ == "__main__":
    main()
