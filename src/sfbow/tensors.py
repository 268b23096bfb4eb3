"""Vocabulary and subwords as tensors in a folder, and back."""

from typing import Any

from sfbow.options import check_positive
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
    vocabulary = Vocabulary(
        folder.tensor("words.buffer", "u1", 1),
        folder.tensor("words.offsets", "i4", 1),
        folder.tensor("words.table", "i4", 1),
    )
    if not vocabulary.is_sound(count):
        expected = f"{count} words and a table that finds them"
        raise damaged(folder.path, "words", expected, "arrays that do not fit together")
    return vocabulary


def subword_tensors(subwords: Subwords) -> dict[str, TensorSource]:
    """Name the tensors of subwords."""
    return {"subwords": TensorSource.whole(subwords.buckets)}


def subword_config(subwords: Subwords | None) -> dict[str, Any] | None:
    """Give the settings of subwords, where there are any."""
    if subwords is None:
        return None
    return {
        "shortest": subwords.shortest,
        "longest": subwords.longest,
        "scale": subwords.scale,
    }


def open_subwords(folder: Folder, dim: int) -> Subwords | None:
    """Map the subwords, where there are any, of vectors of ``dim`` dimensions."""
    config = folder.config.get("subwords")
    if config is None:
        return None
    try:
        shortest, longest, scale = config["shortest"], config["longest"], config["scale"]
        if not all(type(n) is int and abs(n) < 1 << 31 for n in (shortest, longest)):
            raise TypeError
        check_positive("scale", scale)
    except (KeyError, TypeError, ValueError):
        expected, found = "lengths and a scale of subwords", repr(config)[:100]
        raise damaged(folder.path, "config.json", expected, found) from None
    buckets = folder.tensor("subwords", "f4 i1", 2)
    if len(buckets) == 0 or buckets.shape[1] != dim:
        raise damaged(folder.path, "subwords", f"rows of {dim} numbers", f"{buckets.shape}")
    return Subwords(shortest, longest, buckets, scale)
