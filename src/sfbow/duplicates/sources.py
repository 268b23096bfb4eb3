"""Whatever is searched for duplicates, as rows of 8 bits."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.index.levels import Levels, Stored
from sfbow.inputs import batches, counted
from sfbow.matrices import checked_matrix
from sfbow.measures import Measure
from sfbow.model import SFBoW
from sfbow.progress import shown
from sfbow.slices import row_slices
from sfbow.text import Texts

Numbers = NDArray[np.int64]

_BATCH = 8192


def stored_vectors(vectors: NDArray[Any], measure: Measure) -> tuple[Stored, Numbers]:
    """Store vectors; no empty one is like another."""
    if vectors.ndim == 2 and len(vectors) == 0:
        return Stored(np.empty((0, 64), np.uint8), np.empty(0, np.int64)), np.empty(0, np.int64)
    vectors = checked_matrix(vectors, "vectors")
    levels = Levels.for_vectors(vectors, measure)
    stored = levels.room(len(vectors))
    for part in row_slices(*vectors.shape):
        stored.rows[part], stored.masses[part] = levels.store(vectors[part])
    return stored, np.flatnonzero(stored.masses == 0)


def stored_texts(
    texts: Any,  # noqa: ANN401 - whatever holds texts
    model: SFBoW | None,
    measure: Measure,
    threads: int,
    show_progress_bar: bool,
) -> tuple[Stored, Numbers]:
    """Encode and store texts; empty rows are alike where the texts are the same."""
    texts = counted(texts)
    model = SFBoW.from_pretrained() if model is None else model
    levels = Levels.for_model(model, measure=measure)
    stored = levels.room(len(texts))
    start = 0
    matrices = model.encode_batches(texts, threads=threads)
    for vectors in shown(
        matrices, len, total=len(texts), unit=" texts", show=show_progress_bar, scale=True
    ):
        part = slice(start, start + len(vectors))
        stored.rows[part], stored.masses[part] = levels.store(vectors)
        start = part.stop
    return stored, _alike(texts, np.flatnonzero(stored.masses == 0))


def _alike(texts: Any, numbers: Numbers) -> Numbers:  # noqa: ANN401
    """Give for each of these texts the first that is the same."""
    first: dict[object, int] = {}
    alike = numbers.copy()
    start = place = 0
    for batch in batches(texts, _BATCH) if len(numbers) > 1 else ():
        while place < len(numbers) and numbers[place] < start + len(batch):
            number = int(numbers[place])
            alike[place] = first.setdefault(_content(batch, number - start), number)
            place += 1
        start += len(batch)
    return alike


def _content(batch: Sequence[Any] | Texts, row: int) -> object:
    if isinstance(batch, Texts):
        return batch.buffer[batch.offsets[row] : batch.offsets[row + 1]].tobytes()
    text = batch[row]
    return text if isinstance(text, str) else tuple(text)
