"""Vocabulary and subwords as tensors in a folder, and back."""

import numpy as np

from sfbow.safetensors import TensorSource
from sfbow.storage import Folder, damaged
from sfbow.subwords import Subwords
from sfbow.vocabulary import Vocabulary


def vocabulary_tensors(vocabulary: Vocabulary) -> dict[str, TensorSource]:
    """Name the tensors of a vocabulary."""
    return {
        "words.buffer": TensorSource.whole(vocabulary.buffer),
        "words.offsets": TensorSource.whole(vocabulary.offsets),
        "words.table": TensorSource.whole(vocabulary.table),
    }


def open_vocabulary(folder: Folder, count: int) -> Vocabulary:
    """Map a vocabulary of ``count`` words, checked so that no look-up leaves its arrays."""
    buffer = folder.tensor("words.buffer", "u1", 1)
    offsets = folder.tensor("words.offsets", "i4", 1)
    table = folder.tensor("words.table", "i4", 1)
    slots = len(table)
    sound = (
        len(offsets) == count + 1
        and offsets[0] == 0
        and offsets[-1] == len(buffer)
        and bool((offsets[1:] >= offsets[:-1]).all())
        and slots > count
        and slots & (slots - 1) == 0
        and int(table.min(initial=0)) == 0
        and int(table.max(initial=0)) <= count
        and int(np.count_nonzero(table)) == count
    )
    if not sound:
        expected = f"{count} words and a table that finds them"
        raise damaged(folder.path, "words", expected, "arrays that do not fit together")
    return Vocabulary(buffer, offsets, table)


def subword_tensors(subwords: Subwords) -> dict[str, TensorSource]:
    """Name the tensors of subwords."""
    return {"subwords": TensorSource.whole(subwords.buckets)}


def open_subwords(folder: Folder, dim: int) -> Subwords | None:
    """Map the subwords, where there are any, of vectors of ``dim`` dimensions."""
    lengths = folder.config.get("subwords")
    if lengths is None:
        return None
    if not (
        isinstance(lengths, list)
        and [type(length) for length in lengths] == [int, int]
        and max(map(abs, lengths)) < 1 << 31
    ):
        raise damaged(folder.path, "config.json", "two lengths of subwords", repr(lengths)[:100])
    buckets = folder.tensor("subwords", "f4", 2)
    if len(buckets) == 0 or buckets.shape[1] != dim:
        raise damaged(folder.path, "subwords", f"rows of {dim} numbers", f"{buckets.shape}")
    shortest, longest = lengths
    return Subwords(shortest, longest, buckets)
