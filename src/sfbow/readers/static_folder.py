"""Folders of model2vec and of sentence-transformers' StaticEmbedding: tensors and a tokenizer.

The vector of token i is row i of the matrix or, with a mapping, row mapping[i]; and with weights
it is multiplied by weights[i]. A folder of sfbow's own is not for this module.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import ModelFolderError, VectorFileError
from sfbow.readers.binary import check_finite, read_bytes
from sfbow.readers.source import Source
from sfbow.readers.stream import VectorStream, WordBlock
from sfbow.readers.tokenizer import read_tokens
from sfbow.safetensors import TensorInfo, read_header

_BLOCK_SIZE = 4 << 20
_SUBFOLDERS = ("", "0_StaticEmbedding")
_MODEL, _TOKENIZER = "model.safetensors", "tokenizer.json"
_MATRICES = {"embeddings": "model2vec folder", "embedding.weight": "StaticEmbedding folder"}


def open_static_folder(folder: Path, limit: int | None) -> VectorStream:
    """Open a folder with model.safetensors and tokenizer.json, or its 0_StaticEmbedding."""
    home = next((folder / name for name in _SUBFOLDERS if _is_model(folder / name)), None)
    if home is None:
        raise VectorFileError(
            folder,
            expected=f"a folder with {_MODEL} and {_TOKENIZER}, or a file of word vectors",
            found="a folder without them",
            cure="give a file in it, or the folder of a static model",
        )
    source = Source(home / _MODEL)
    tensors = _read_header(source)
    name = next((name for name in _MATRICES if name in tensors), "")
    if not name:
        raise _bad_tensors(source, f"a tensor {' or '.join(_MATRICES)}", str(sorted(tensors)))
    matrix = _check_tensor(source, tensors[name], 2, "fi")
    words = read_tokens(home / _TOKENIZER)
    ids = np.fromiter(words, np.int64, len(words))[:limit]
    rows = _per_token(source, tensors, "mapping", "i", ids)
    weights = _per_token(source, tensors, "weights", "f", ids)
    rows = ids if rows is None else rows.astype(np.int64)
    if not len(rows) or rows.min() < 0 or rows.max() >= matrix.shape[0]:
        found = f"rows {rows.min()} to {rows.max()}" if len(rows) else "no tokens"
        raise _bad_tensors(source, f"tokens for the {matrix.shape[0]} rows of {name}", found)
    blocks = _read_blocks(source, matrix, list(words.values())[:limit], rows, weights)
    return VectorStream(_MATRICES[name], matrix.shape[1], len(rows), blocks)


def _is_model(folder: Path) -> bool:
    return (folder / _MODEL).exists() and (folder / _TOKENIZER).exists()


def _read_header(source: Source) -> dict[str, TensorInfo]:
    try:
        return read_header(source.path)
    except ModelFolderError as error:
        raise _bad_tensors(source, "a safetensors file", str(error)) from None


def _check_tensor(source: Source, info: TensorInfo, dimensions: int, kinds: str) -> TensorInfo:
    if len(info.shape) != dimensions or 0 in info.shape or info.dtype.kind not in kinds:
        shape = " by ".join(map(str, info.shape))
        found = f"{info.name} of {info.dtype} and shape {shape or 'nothing'}"
        expected = "whole numbers" if kinds == "i" else "numbers"
        raise _bad_tensors(source, f"{expected} in {dimensions} dimensions", found)
    return info


def _per_token(
    source: Source, tensors: dict[str, TensorInfo], name: str, kinds: str, ids: NDArray[np.int64]
) -> NDArray[Any] | None:
    """Read the tensor that has a number for each token, if there is one, for these tokens."""
    if name not in tensors:
        return None
    info = _check_tensor(source, tensors[name], 1, kinds)
    if len(ids) and ids.max() >= info.shape[0]:
        raise _bad_tensors(
            source, f"{name} for all tokens up to {ids.max()}", f"{info.shape[0]} numbers"
        )
    return _read_tensor(source, info, 0, info.shape[0])[ids]


def _read_tensor(source: Source, info: TensorInfo, first: int, last: int) -> NDArray[Any]:
    part = np.empty((last - first, *info.shape[1:]), info.dtype)
    source.seek(info.start + first * (part.nbytes // len(part)))
    read_bytes(source, part.reshape(-1).view(np.uint8))
    return part


def _read_blocks(
    source: Source,
    matrix: TensorInfo,
    words: list[bytes],
    rows: NDArray[np.int64],
    weights: NDArray[Any] | None,
) -> Iterator[WordBlock]:
    size = max(1, _BLOCK_SIZE // (4 * matrix.shape[1]))
    with closing(source):
        for first in range(0, len(rows), size):
            block = slice(first, first + size)
            lowest = int(rows[block].min())
            part = _read_tensor(source, matrix, lowest, int(rows[block].max()) + 1)
            with np.errstate(over="ignore"):
                vectors = part[rows[block] - lowest].astype("<f4")
                if weights is not None:
                    vectors *= weights[block, None].astype("<f4")
            check_finite(source, vectors, first, "token")
            offsets = np.cumsum([0, *map(len, words[block])], dtype=np.int64)
            yield WordBlock(np.frombuffer(b"".join(words[block]), np.uint8), offsets, vectors)


def _bad_tensors(source: Source, expected: str, found: str) -> VectorFileError:
    return VectorFileError(
        source.path, expected=expected, found=found, cure="get or build the folder again"
    )
