"""When rows are written anew, so that many small changes leave few segments.

A segment has up to 2¹⁸ rows. New rows take in the segments before them, from the last one
backwards, as long as none of these has more rows than what has been gathered so far, nor is half
full. So a row is written anew at most 18 times, and segments that are not half full are each
larger than all behind them together: there are never more than 18 of them. A segment of whose
rows fewer than half are left is written anew without the others.
"""

from collections.abc import Sequence
from typing import NamedTuple

LARGEST = 1 << 18  # rows of a segment


class Piece(NamedTuple):
    """Rows ``start`` to ``stop`` of a source of rows."""

    source: int
    start: int
    stop: int


def taken_in(live: Sequence[int], new: int, largest: int = LARGEST) -> int:
    """Tell how many of the last segments, of so many live rows each, new rows take in."""
    gathered, taken = new, 0
    for rows in reversed(live):
        if rows > min(gathered, largest // 2):
            break
        gathered += rows
        taken += 1
    return taken


def is_wasteful(rows: int, live: int) -> bool:
    """Whether fewer than half of a segment's rows are left."""
    return 2 * live < rows


def cut(lengths: Sequence[int], largest: int = LARGEST) -> list[list[Piece]]:
    """Cut sources of rows, one behind the other, into segments that are full but for the last."""
    segments: list[list[Piece]] = []
    room = 0
    for source, length in enumerate(lengths):
        start = 0
        while start < length:
            if room == 0:
                segments.append([])
                room = largest
            stop = min(length, start + room)
            segments[-1].append(Piece(source, start, stop))
            room -= stop - start
            start = stop
    return segments
