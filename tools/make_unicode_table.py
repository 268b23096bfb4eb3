"""Make src/sfbow/data/unicode.safetensors: the class and the simple lower case of each character.

usage: python tools/make_unicode_table.py

Made once, with CPython 3.13 (Unicode 15.1), so that texts are cut alike under every Python.
The table has two levels:
entries[blocks[code >> 8] * 256 + (code & 255)] = class + 8 * (lower case - code).
"""

import unicodedata
from pathlib import Path

import numpy as np

from sfbow.kernels.codes import EXTENDING, IGNORED, SPACE, SYMBOL, WORD
from sfbow.safetensors import TensorSource, write_tensors

WHITE_SPACE = {*range(0x09, 0x0E), *range(0x1C, 0x20), 0x85}
JOINERS = {0x200C, 0x200D}
SKIN_TONES = set(range(0x1F3FB, 0x1F400))
TARGET = Path(__file__).parents[1] / "src/sfbow/data/unicode.safetensors"


def character_class(code: int) -> int:
    """Tell what a character does in a text."""
    category = unicodedata.category(chr(code))
    if category[0] == "M" or code in JOINERS | SKIN_TONES:
        return EXTENDING
    if category[0] in "LN" or category == "Pc":
        return WORD
    if category[0] == "Z" or code in WHITE_SPACE:
        return SPACE
    return IGNORED if category in ("Cc", "Cf") else SYMBOL


def simple_lower(code: int) -> int:
    """Give the simple lower case: one character, whatever stands around it."""
    return ord(chr(code).lower()[0])  # U+0130 alone has a second one there, a combining dot


def main() -> None:
    """Write the table."""
    entries = np.array(
        [character_class(c) + 8 * (simple_lower(c) - c) for c in range(0x110000)], np.int32
    )
    unique, blocks = np.unique(entries.reshape(-1, 256), axis=0, return_inverse=True)
    order = np.argsort(np.arange(len(unique)) != blocks[0], kind="stable")  # ASCII comes first
    rank = np.argsort(order)
    TARGET.unlink(missing_ok=True)
    write_tensors(
        TARGET,
        {
            "blocks": TensorSource.whole(rank[blocks].astype(np.uint8)),
            "entries": TensorSource.whole(unique[order].reshape(-1)),
        },
    )


if __name__ == "__main__":
    main()
