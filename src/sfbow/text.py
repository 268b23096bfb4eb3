"""Texts as one UTF-8 buffer with offsets, and how they are cut into words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.errors import InputError, OptionError
from sfbow.kernels.codes import AS_GIVEN, GIVEN_THEN_LOWERED, LOWERED
from sfbow.options import check_flag
from sfbow.safetensors import map_tensor, read_header

Casing = Literal["keep", "lower", "both"]
Split = Literal["words", "spaces"]

_CASINGS: dict[Casing, int] = {"keep": AS_GIVEN, "lower": LOWERED, "both": GIVEN_THEN_LOWERED}


@dataclass(frozen=True)
class Texts:
    """Text i is ``buffer[offsets[i]:offsets[i + 1]]``, in UTF-8."""

    buffer: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def stretch(self, rows: slice) -> "Texts":
        """Give some texts that are next to each other, in a buffer that has nothing else."""
        offsets = self.offsets[rows.start : rows.stop + 1]
        return Texts(self.buffer[offsets[0] : offsets[-1]], offsets - offsets[0])

    def take(self, rows: NDArray[np.int64]) -> "Texts":
        """Copy some texts."""
        return gather(self.buffer, self.offsets[rows], self.offsets[rows + 1])

    @classmethod
    def of(cls, texts: Sequence[str], first: int = 0) -> "Texts":
        """Pack strings; an error counts them from ``first``."""
        try:
            joined = "".join(texts)
        except TypeError:
            raise _not_text(texts, first) from None
        if joined.isascii():
            return cls._joined(joined.encode(), map(len, texts), len(texts))
        return cls.of_bytes([text.encode("utf-8", "surrogatepass") for text in texts])

    @classmethod
    def of_bytes(cls, texts: Sequence[bytes]) -> "Texts":
        """Pack byte strings that hold UTF-8."""
        return cls._joined(b"".join(texts), map(len, texts), len(texts))

    @classmethod
    def _joined(cls, data: bytes, lengths: Iterable[int], count: int) -> "Texts":
        offsets = np.empty(count + 1, np.int64)
        offsets[0] = 0
        np.cumsum(np.fromiter(lengths, np.int64, count), out=offsets[1:])
        return cls(np.frombuffer(data, np.uint8), offsets)


def folding_room(texts: Texts) -> NDArray[np.uint8]:
    """Make room for the lower case of any one text: a broken byte of UTF-8 becomes three."""
    return np.empty(3 * int(np.diff(texts.offsets).max(initial=0)), np.uint8)


def gather(buffer: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Texts:
    """Copy stretches of a buffer, as texts one behind the other."""
    offsets = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(ends - starts, out=offsets[1:])
    gathered = np.empty(offsets[-1], np.uint8)
    kernels.gather_bytes(buffer, starts, ends, gathered)
    return Texts(gathered, offsets)


def _not_text(texts: Sequence[Any], first: int) -> InputError:
    places = enumerate(texts, first)
    place, found = next((i, text) for i, text in places if not isinstance(text, str))
    return InputError(
        f"text {place}: expected a string, found {type(found).__name__}; "
        "decode bytes, and give '' for what is missing"
    )


@dataclass(frozen=True)
class Tokenizer:
    """How texts are cut into words.

    ``split`` "words": a word is a run of letters, digits, underscores and the marks upon them, and
    each other visible character is a word of its own, unless ``punctuation`` is false. "spaces":
    a word is whatever stands between white space. ``casing`` tells what is looked up: the word as
    it is written ("keep"), in lower case ("lower"), or in lower case if it is unknown as written
    ("both").
    """

    casing: Casing = "lower"
    punctuation: bool = True
    split: Split = "words"

    def __post_init__(self) -> None:
        if self.casing not in _CASINGS:
            raise OptionError("casing", expected=" or ".join(_CASINGS), found=self.casing)
        check_flag("punctuation", self.punctuation)
        if self.split not in get_args(Split):
            raise OptionError("split", expected=" or ".join(get_args(Split)), found=self.split)

    @property
    def casing_code(self) -> int:
        """The casing as kernels take it."""
        return _CASINGS[self.casing]


@cache
def character_table() -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Load the classes and lower cases of all characters: see tools/make_unicode_table.py."""
    path = Path(__file__).with_name("data") / "unicode.safetensors"
    header = read_header(path)
    blocks, entries = (np.array(map_tensor(path, header[name])) for name in ("blocks", "entries"))
    return blocks, entries


def lower_case(texts: Texts) -> Texts:
    """Give the texts in lower case."""
    room = 3 * len(texts.buffer)  # as a broken byte becomes three
    folded, offsets = np.empty(room, np.uint8), np.empty(len(texts.offsets), np.int64)
    kernels.fold(texts.buffer, texts.offsets, *character_table(), folded, offsets)
    return Texts(folded[: offsets[-1]], offsets)
