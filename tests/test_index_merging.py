"""Segments stay few, and rows are seldom written anew."""

from hypothesis import given
from hypothesis import strategies as st

from sfbow.index.merging import LARGEST, Piece, cut, is_wasteful, taken_in

LIMIT = 64


def add(live: list[int], new: int, limit: int = LIMIT) -> tuple[list[int], int]:
    """Give the segments after rows were added, and how many rows were written."""
    taken = taken_in(live, new, limit)
    kept, last = live[: len(live) - taken], live[len(live) - taken :]
    pieces = cut([*last, new], limit)
    written = [sum(piece.stop - piece.start for piece in segment) for segment in pieces]
    return kept + written, sum(written)


def test_rows_added_one_at_a_time_make_few_segments():
    live, written = [], 0
    for count in range(1, 5000):
        live, more = add(live, 1)
        written += more
        small = [rows for rows in live if rows <= LIMIT // 2]
        assert sum(live) == count
        assert len(small) <= 6  # log₂ 64
        assert all(rows > sum(small[i + 1 :]) for i, rows in enumerate(small))
    assert written <= 7 * 5000


@given(st.lists(st.integers(1, 3 * LIMIT), max_size=60))
def test_whatever_is_added(sizes):
    live = []
    for size in sizes:
        live, _ = add(live, size)
    assert sum(live) == sum(sizes)
    assert all(0 < rows <= LIMIT for rows in live)
    # Of those that stay as they are, no two next to each other are both small.
    assert len(live) <= 2 * sum(sizes) / (LIMIT // 2) + 6


@given(st.lists(st.integers(0, 30), max_size=20), st.integers(1, 12))
def test_cut_keeps_every_row_in_its_place(lengths, largest):
    segments = cut(lengths, largest)
    rows = [
        (p.source, row) for pieces in segments for p in pieces for row in range(p.start, p.stop)
    ]
    assert rows == [(source, row) for source, length in enumerate(lengths) for row in range(length)]
    sizes = [sum(piece.stop - piece.start for piece in pieces) for pieces in segments]
    assert all(size == largest for size in sizes[:-1])
    assert all(0 < size <= largest for size in sizes)


def test_cut_by_hand():
    assert cut([3, 0, 4], 5) == [[Piece(0, 0, 3), Piece(2, 0, 2)], [Piece(2, 2, 4)]]
    assert cut([]) == cut([0]) == []
    assert cut([LARGEST]) == [[Piece(0, 0, LARGEST)]]


def test_what_is_wasteful():
    assert not is_wasteful(2, 1)
    assert is_wasteful(3, 1)
    assert is_wasteful(1, 0)
