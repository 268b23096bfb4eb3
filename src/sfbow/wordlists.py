"""Word lists: which words are English, or whatever language a file or a list has.

Case does not count: lists are kept in lower case (`str.lower`), and a word is on a list if its
lower-case form is.
"""

import lzma
from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import Path

from sfbow.errors import InputError


@cache
def english_words() -> frozenset[str]:
    """Return the words that GNU Aspell's English dictionary accepts, in lower case.

    American, British, Canadian and Australian spellings, accented words with and without their
    accents, possessives and contractions: what the paper reduces vocabularies with.
    """
    packed = resources.files("sfbow").joinpath("data", "english.txt.xz").read_bytes()
    return frozenset(lzma.decompress(packed).decode().split())


def read_words(source: str | Path | Iterable[str]) -> frozenset[str]:
    """Return the words of a UTF-8 text file, one a line, or of an iterable, in lower case.

    Space around a word and empty lines do not count.
    """
    name = "word list"
    lines: Iterable[str]
    if isinstance(source, str | Path):
        name, lines = f"word list {source}", _read_lines(Path(source))
    else:
        lines = source
    words = set()
    for number, line in enumerate(lines, start=1):
        if not isinstance(line, str):
            raise InputError(
                f"{name}, word {number}: expected text, found {line!r}; give an iterable of str"
            )
        words.add(line.strip().lower())
    words.discard("")
    if not words:
        raise InputError(f"{name}: expected at least one word, found none; give one word a line")
    return frozenset(words)


def _read_lines(path: Path) -> list[str]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"word list {path}: expected a readable file, found {error.strerror}; check the path"
        ) from error
    try:
        return content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"word list {path}, line {line}: expected UTF-8, found the byte "
            f"0x{content[error.start]:02x}; convert the file to UTF-8"
        ) from error
