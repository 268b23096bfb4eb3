"""What can be told of a model or of word vectors without reading them whole."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sfbow.hub import find_model
from sfbow.index import manifest
from sfbow.index.fuzzy_index import FuzzyIndex
from sfbow.memberships import StoredMemberships
from sfbow.model_folder import KIND, ModelParts, open_model
from sfbow.readers import open_vectors
from sfbow.readers.source import Source
from sfbow.readers.stream import VectorStream
from sfbow.storage import folder_kind, is_folder
from sfbow.subwords import Subwords
from sfbow.text import Texts
from sfbow.vectors import WordVectors
from sfbow.vocabulary import Vocabulary, VocabularyBuilder

Facts = dict[str, Any]

_FIRST_WORDS = 8
_SAMPLE = 1 << 20
_LONGEST_WORD = 40


def describe(name: str | None) -> Facts:
    """Give the facts of a model, of an index, or of a file or folder of word vectors."""
    if name is not None and folder_kind(Path(name)) == manifest.KIND:
        return index_facts(FuzzyIndex.open(name))
    if name is not None and Path(name).exists() and not is_model(Path(name)):
        return _vector_facts(Path(name))
    return model_facts(find_model(name))


def is_model(path: Path) -> bool:
    """Whether a path is the folder of a model, sound or not."""
    return folder_kind(path) == KIND


def model_facts(path: Path) -> Facts:
    """Give the facts of a model's folder."""
    parts = open_model(path)
    return {
        "path": str(path),
        "kind": "model",
        **_word_facts(parts.vocabulary),
        "source": parts.recipe.get("words"),
        "dimensions": parts.universe.dim,
        "size": parts.universe.size,
        "universe": {
            "signed": parts.universe.is_signed,
            **parts.universe.report.as_dict(),
        },
        "settings": _settings(parts),
        "subwords": _subword_facts(parts.unknown.subwords if parts.unknown else None),
        "bits": _bits(parts),
        **_disk_facts(path),
    }


def index_facts(index: FuzzyIndex) -> Facts:
    """Give the facts of an index."""
    return {
        "path": str(index.folder),
        "kind": "index",
        "rows": len(index),
        "size": index.size,
        "storage": index.storage,
        "measure": index.measure,
        **_disk_facts(index.folder),
    }


def _settings(parts: ModelParts) -> Facts:
    return {
        "measure": parts.measure,
        "weights": parts.recipe.get("weights"),
        "counts": parts.counts,
        "casing": parts.tokenizer.casing,
        "punctuation": parts.tokenizer.punctuation,
        "split": parts.tokenizer.split,
    }


def _bits(parts: ModelParts) -> int:
    memberships = parts.memberships
    if isinstance(memberships, StoredMemberships):
        return 8 * memberships.table.itemsize
    return 8 * memberships.vectors.itemsize


def _vector_facts(path: Path) -> Facts:
    if is_folder(path):
        words = WordVectors.load(path)
        return {
            "path": str(path),
            "kind": "word vectors",
            "format": f"sfbow folder, from {words.format}",
            **_word_facts(words.vocabulary),
            "dimensions": words.dim,
            "subwords": _subword_facts(words.subwords),
            **_disk_facts(path),
        }
    stream = open_vectors(path)
    return {
        "path": str(path),
        "kind": "word vectors",
        "format": stream.format,
        "words": stream.count,
        **({} if stream.count else {"words_estimate": _estimated_rows(path)}),
        **_sample_facts(_first_block(stream)),
        "dimensions": stream.dim,
        "subwords": _subword_facts(stream.subwords),
        **_disk_facts(path),
    }


def _word_facts(vocabulary: Vocabulary) -> Facts:
    return {"words": len(vocabulary), **_sample_facts(vocabulary)}


def _sample_facts(vocabulary: Vocabulary) -> Facts:
    """Tell what some words tell of the others."""
    return {
        "first_words": _first_words(vocabulary.texts),
        "cased": bool(vocabulary.is_cased),
    }


def _first_block(stream: VectorStream) -> Vocabulary:
    builder = VocabularyBuilder()
    if (block := next(stream.blocks, None)) is not None:
        builder.add(Texts(block.buffer, block.offsets))
    return builder.finish()


def _first_words(words: Texts) -> list[str]:
    bounds = words.offsets[: _FIRST_WORDS + 1].tolist()
    return [
        words.buffer[start:stop].tobytes().decode("utf-8", "replace")[:_LONGEST_WORD]
        for start, stop in pairwise(bounds)
    ]


def _estimated_rows(path: Path) -> int | None:
    """Guess the rows of a text file from the length of its first ones."""
    source = Source(path)
    if source.packing or not source.size:
        return None
    with path.open("rb") as file:
        sample = np.frombuffer(file.read(_SAMPLE), np.uint8)
    lines = int((sample == ord("\n")).sum())
    return round(source.size * lines / len(sample)) if lines else None


def _subword_facts(subwords: Subwords | None) -> Facts | None:
    if subwords is None:
        return None
    return {
        "shortest": subwords.shortest,
        "longest": subwords.longest,
        "buckets": len(subwords.buckets),
    }


def _disk_facts(path: Path) -> Facts:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return {"bytes": sum(file.stat().st_size for file in files), "files": len(files)}
