"""Whatever holds texts, turned into batches of packed texts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError, MissingExtraError
from sfbow.text import Texts

_LONG = 1 << 24  # characters in a batch


@dataclass(frozen=True)
class Tokens:
    """Texts that are already cut: those of text i are ``words[bounds[i]:bounds[i + 1]]``."""

    words: Texts
    bounds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.bounds) - 1


def pack(batch: Sequence[Any] | Texts, first: int = 0) -> Texts | Tokens:
    """Pack a batch of strings, or of sequences of words; errors count texts from ``first``."""
    if isinstance(batch, Texts):
        return batch
    if len(batch) == 0 or isinstance(batch[0], str):
        return Texts.of(batch, first)
    words: list[str] = []
    bounds = np.zeros(len(batch) + 1, np.int64)
    for place, sentence in enumerate(batch):
        if isinstance(sentence, str | bytes) or not isinstance(sentence, Sequence | np.ndarray):
            kind = type(sentence).__name__
            raise InputError(
                f"text {first + place}: expected a string or a list of words, found {kind}; "
                "give all texts as strings, or all as lists of words"
            )
        words.extend(sentence)
        bounds[place + 1] = len(words)
    try:
        return Tokens(Texts.of(words), bounds)
    except InputError:
        raise _not_words(batch, first) from None


def _not_words(batch: Sequence[Any], first: int) -> InputError:
    place, found = next(
        (place, word)
        for place, sentence in enumerate(batch, first)
        for word in sentence
        if not isinstance(word, str)
    )
    return InputError(
        f"text {place}: expected words as strings, found {type(found).__name__}; "
        "decode bytes, and leave out what is missing"
    )


def counted(texts: Any) -> Any:  # noqa: ANN401
    """Give texts that know their number: a stream becomes a list."""
    _check(texts)
    if isinstance(texts, Sized):
        return texts
    return _arrow().chunked_array(texts) if _is_arrow(texts) else list(texts)


def _check(texts: Any) -> None:  # noqa: ANN401
    """Refuse what cannot hold texts."""
    if isinstance(texts, np.ndarray):
        if texts.ndim != 1 or texts.dtype.kind not in "UTO":
            found = f"{texts.ndim} dimensions of {texts.dtype}"
            raise InputError(
                f"texts: expected an array of strings in one dimension, found {found}; "
                "convert it with astype(str) and ravel()"
            )
        return
    no_texts = isinstance(texts, str | bytes | bytearray | Mapping)
    if no_texts or not (isinstance(texts, Iterable) or _is_arrow(texts)):
        raise InputError(
            f"texts: expected a list of strings, found {type(texts).__name__}; make one of them"
        )


def _is_arrow(texts: Any) -> bool:  # noqa: ANN401
    return hasattr(texts, "__arrow_c_stream__") or hasattr(texts, "__arrow_c_array__")


def batches(texts: Any, size: int) -> Iterator[Sequence[Any] | Texts]:  # noqa: ANN401
    """Cut texts into batches; arrays of Arrow are not copied."""
    _check(texts)
    if _is_arrow(texts):
        yield from _arrow_batches(texts, size)
    elif isinstance(texts, np.ndarray):
        for start in range(0, len(texts), size):
            yield texts[start : start + size].tolist()
    elif isinstance(texts, list | tuple):
        for start in range(0, len(texts), size):
            yield texts[start : start + size]
    else:
        iterator = iter(texts)
        while batch := list(islice(iterator, size)):
            yield batch


def short_parts(batch: Sequence[Any] | Texts) -> Iterator[tuple[Any, slice]]:
    """Cut a batch of long texts further, so that no more is packed at a time than is needed."""
    if isinstance(batch, Texts) or len(batch) == 1 or _length(batch) <= _LONG:
        yield batch, slice(0, len(batch))
        return
    for row in range(len(batch)):
        yield batch[row : row + 1], slice(row, row + 1)


def _length(batch: Sequence[Any]) -> int:
    try:
        return sum(map(len, batch))
    except TypeError:
        return 0  # no texts: `pack` tells so


def _arrow() -> Any:  # noqa: ANN401 - a module
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("reading Arrow arrays", "arrow") from None
    return pyarrow


def _arrow_batches(texts: Any, size: int) -> Iterator[Texts]:  # noqa: ANN401
    pyarrow = _arrow()
    has_chunks = hasattr(texts, "__arrow_c_stream__")
    array = pyarrow.chunked_array(texts) if has_chunks else pyarrow.array(texts)
    is_kind = pyarrow.types
    kind = array.type.value_type if is_kind.is_dictionary(array.type) else array.type
    is_viewed = is_kind.is_string_view(kind)
    if not (is_viewed or is_kind.is_string(kind) or is_kind.is_large_string(kind)):
        raise InputError(
            f"texts: expected an Arrow array of strings, found {array.type}; cast it to strings"
        )
    for chunk in array.chunks if has_chunks else [array]:
        plain = chunk.cast(pyarrow.large_string()) if is_viewed or kind != array.type else chunk
        yield from _slices(_arrow_texts(plain), size)


def _arrow_texts(chunk: Any) -> Texts:  # noqa: ANN401
    """View the buffers of a string array; what is null holds no text."""
    if chunk.null_count:
        chunk = chunk.fill_null("")
    _, offsets, data = chunk.buffers()
    kind = np.int64 if str(chunk.type) == "large_string" else np.int32
    if len(chunk) == 0:
        return Texts(np.empty(0, np.uint8), np.zeros(1, np.int64))
    bounds = np.frombuffer(offsets, kind, len(chunk) + 1, chunk.offset * np.dtype(kind).itemsize)
    buffer = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    return Texts(buffer, bounds.astype(np.int64, copy=False))


def _slices(texts: Texts, size: int) -> Iterator[Texts]:
    for start in range(0, len(texts), size):
        yield Texts(texts.buffer, texts.offsets[start : start + size + 1])
