"""Cutting work into blocks of rows, so that memory stays bounded whatever the input's size."""

CELLS = 2**22


def row_slices(rows: int, width: int, *, cells: int = CELLS) -> list[slice]:
    """Return consecutive slices over `rows`, each of about `cells` cells of `width` columns."""
    height = max(1, cells // max(1, width))
    return [slice(start, min(start + height, rows)) for start in range(0, rows, height)]
