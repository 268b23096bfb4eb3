"""Sentences to learn from: the short ones among lines of files, packed or not."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import BinaryIO, cast

from sfbow.errors import InputError
from sfbow.tables import TextFile

_PACKINGS: dict[str, Callable[[Path], object]] = {
    ".bz2": bz2.open,
    ".gz": gzip.open,
    ".xz": lzma.open,
}
_DAMAGED = (EOFError, OSError, zlib.error, lzma.LZMAError)


def read_sentences(paths: Iterable[Path]) -> list[str]:
    """Read files with a sentence a line; blank lines are none."""
    return [line for path in paths for line in read_list(path)]


def short_sentences(sentences: Collection[object], longest: int) -> list[str]:
    """Give the different sentences of at most so many words, which are what spaces separate."""
    found: dict[str, None] = {}
    for place, sentence in enumerate(sentences):
        if not isinstance(sentence, str):
            raise InputError(
                f"text {place}: expected a string, found {type(sentence).__name__}; give strings"
            )
        if len(sentence.split()) <= longest:
            found[sentence] = None
    if len(sentences) > 0 and not found:
        raise InputError(
            f"texts: expected sentences of at most {longest} words, found longer ones only; "
            "allow longer ones, or cut them"
        )
    return list(found)


def read_list(path: Path) -> list[str]:
    """Read the lines of a file that are not blank, in order."""
    with _opened(path) as file:
        try:
            lines = (line.strip() for line in TextFile(str(path), file).lines())
            return [line for line in lines if line]
        except _DAMAGED as error:
            raise InputError(
                f"{path}: expected a whole file, found a damaged one ({error}); copy it again"
            ) from None


def _opened(path: Path) -> BinaryIO:
    unpack = _PACKINGS.get(path.suffix.lower())
    return path.open("rb") if unpack is None else cast("BinaryIO", unpack(path))
