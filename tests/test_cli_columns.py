"""Words in columns: how wide a terminal shows them, and that none breaks the line."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfbow.cli.columns import fit, printable, width

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
WIDTHS = {
    "": 0,
    "cat": 3,
    "東京": 4,
    "한국어": 6,
    "\u1112\u1161\u11ab": 2,  # 한 in its parts
    "café": 4,
    "cafe\u0301": 4,
    "नमस्ते": 4,
    "שלום": 4,
    "مرحبا": 5,
    FAMILY: 2,
    "\u2764": 1,
    "\u2764\ufe0f": 2,
    "🇩🇪": 2,
    "👍🏽": 2,
    "ＡＢ": 4,
}


@pytest.mark.parametrize(("text", "columns"), WIDTHS.items())
def test_width(text, columns):
    assert width(text) == columns


@given(st.text(max_size=12), st.integers(1, 14), st.booleans())
def test_a_word_fits_its_column(text, columns, right):
    fitted = fit(text, columns, right=right)
    assert width(fitted) == columns
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in fitted)


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("cat", 5, "cat  "),
        ("guitar", 4, "gui…"),
        ("guitar", 1, "…"),
        ("東京都", 5, "東京…"),
        ("東京都", 4, "東… "),
        (FAMILY + "cats", 4, FAMILY + "c…"),
        (FAMILY, 1, "…"),
        ("cafe\u0301s", 5, "cafe\u0301s"),
        ("cafe\u0301 au", 5, "cafe\u0301…"),
        ("שלום", 5, "\u2068שלום\u2069 "),
        ("x" * 1_000_000, 3, "xx…"),
    ],
)
def test_fit(text, columns, expected):
    assert fit(text, columns) == expected


def test_to_the_right():
    assert fit("cat", 5, right=True) == "  cat"
    assert fit("שלום", 5, right=True) == " \u2068שלום\u2069"


@pytest.mark.parametrize("evil", ["\x1b[31m", "\x9b", "\r", "\n", "\x07", "\u202e", "\u2069", "\0"])
def test_nothing_moves_the_cursor_or_turns_the_line(evil):
    assert printable(f"a{evil}b").startswith("a\ufffd")
    assert evil not in printable(f"a{evil}b")
