"""Words in columns of a terminal: how wide they are, cut and padded to fit, and harmless."""

import unicodedata
from collections.abc import Iterator

_JOINERS = "\u200c\u200d"  # letters and emoji are written with these
_JOIN, _AS_EMOJI = "\u200d", "\ufe0f"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_JAMO_WITHIN_A_SYLLABLE = range(0x1160, 0x1200)
_ISOLATE, _END_OF_ISOLATE = "\u2068", "\u2069"


def printable(text: str) -> str:
    """Replace what would move the cursor, change colours or turn the direction of the line."""
    return "".join(c if c.isprintable() or c in _JOINERS else "\ufffd" for c in text)


def width(text: str) -> int:
    """Tell how many columns of a terminal a text takes."""
    return sum(_widths(text))


def _widths(text: str) -> Iterator[int]:
    before, columns = "", 0
    for character in text:
        if character == _AS_EMOJI:
            columns = 1 if columns == 1 else 0  # a sign of text becomes a picture, twice as wide
        elif before == _JOIN or _is_part(character, before):
            columns = 0
        else:
            columns = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        before = character
        yield columns


def _is_part(character: str, before: str) -> bool:
    """Whether it stands upon or within the character before."""
    code = ord(character)
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or code in _JAMO_WITHIN_A_SYLLABLE:
        return True
    return before != "" and code in _SKIN_TONES


def shortened(text: str, columns: int) -> str:
    """Give at most these columns of a text, made printable."""
    text = printable(text)
    return text if width(text) <= columns else _cut(text, columns - 1) + "…"


def fit(text: str, columns: int, *, right: bool = False) -> str:
    """Cut or pad a text to exactly these columns; words from right to left keep to themselves."""
    text = shortened(text, columns)
    padding = " " * (columns - width(text))
    if any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in text):
        text = _ISOLATE + text + _END_OF_ISOLATE
    return padding + text if right else text + padding


def _cut(text: str, columns: int) -> str:
    taken = 0
    for place, more in enumerate(_widths(text)):
        taken += more
        if taken > columns:
            return text[:place].removesuffix(_JOIN)
    return text
