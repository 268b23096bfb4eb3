"""An explanation as a heat map: words against words, and what each word gives beside them."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfbow.cli.columns import shortened, width
from sfbow.errors import SfbowWarning
from sfbow.experiment.drawing import BLUE, GREY, VERMILION, style
from sfbow.explanation import Amounts, Explanation
from sfbow.writers import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST = 40  # words of a side: those that share most
_CELL = 0.52  # inches
_BARS = 1.1  # inches beside the cells for what the words give
_GAP = 0.07
_LONGEST_WORD = 20
_SHORT_WORD = 5  # fits below its column
_UNMATCHED = "#d9d9d9"
# For what DejaVu Sans does not have; whichever of them there are.
_FONTS = [
    "DejaVu Sans", "Noto Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", "Source Han Sans",
    "WenQuanYi Micro Hei", "Hiragino Sans", "PingFang SC", "Yu Gothic", "Microsoft YaHei",
    "Malgun Gothic", "Noto Sans Devanagari", "Noto Sans Thai", "Noto Emoji", "Symbola",
]  # fmt: skip
# The same figure is the same bytes.
_NO_DATES: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
}


def plot(explanation: Explanation, path: Path) -> None:
    """Write a .png or .svg, whole or not at all."""
    with style(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        import matplotlib as mpl
        from matplotlib import font_manager

        installed = {font.name for font in font_manager.fontManager.ttflist}
        mpl.rcParams["font.family"] = [name for name in _FONTS if name in installed]
        mpl.rcParams["text.parse_math"] = False  # a dollar is a dollar
        mpl.rcParams["axes.grid"] = False
        figure = _figure(explanation)
        kind = path.suffix.lower().removeprefix(".")
        nothing = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}[kind]
        with replacing(path) as file:
            figure.savefig(
                file, format=kind, dpi=160, metadata=nothing, bbox_inches="tight", pad_inches=0.2
            )
    _tell(caught)


def _tell(caught: list[warnings.WarningMessage]) -> None:
    """Say in one line that characters are missing, and pass on whatever else is wrong."""
    others = [each for each in caught if "Glyph" not in str(each.message)]
    if len(others) < len(caught):
        text = "no installed font has some of the characters: boxes stand for them in the figure"
        warnings.warn(text, SfbowWarning, stacklevel=3)
    for each in others:
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def _figure(explanation: Explanation) -> "Figure":
    from matplotlib.figure import Figure

    rows = _best(explanation.matrix.sum(axis=1))
    columns = _best(explanation.matrix.sum(axis=0))
    scores = explanation.scores[np.ix_(rows, columns)]
    wide, high = (max(count, 1) * _CELL for count in (len(columns), len(rows)))
    # The axes fill the figure; labels and title stand outside, and the page is cut around them.
    figure = Figure(figsize=(wide + _BARS, high + _BARS))
    (above, corner), (cells, beside) = figure.subplots(
        2, 2, width_ratios=(wide, _BARS), height_ratios=(_BARS, high),
        gridspec_kw={
            "left": 0, "right": 1, "bottom": 0, "top": 1,
            "wspace": 2 * _GAP / (wide + _BARS), "hspace": 2 * _GAP / (high + _BARS),
        },
    )  # fmt: skip
    a = [shortened(explanation.a.words[place], _LONGEST_WORD) for place in rows]
    b = [shortened(explanation.b.words[place], _LONGEST_WORD) for place in columns]
    _draw_cells(cells, scores, a, b)
    _draw_bars(explanation, above, beside, rows, columns)
    for axes in (above, corner, beside):
        axes.set_axis_off()
    height = figure.get_figheight()
    title = f"{explanation.similarity:.3f} {explanation.measure}"
    figure.text(0, 1 + 0.52 / height, title, fontsize=13, weight="bold")
    for line, text in enumerate(_subtitle(explanation, scores)):
        figure.text(0, 1 + (0.32 - 0.17 * line) / height, text, color=GREY)
    return figure


def _subtitle(explanation: Explanation, scores: Amounts) -> Iterator[str]:
    if hidden := len(explanation.a.words) + len(explanation.b.words) - sum(scores.shape):
        rest = explanation.similarity - scores.sum()
        yield f"the sum of all cells, and {rest:.3f} in {hidden:,} words that are not shown"
    else:
        yield "the sum of all cells"
    yield "bars: what each word gives, coloured where it is matched"


def _best(shared: Amounts) -> NDArray[np.intp]:
    """Choose the words that share most, and keep their order."""
    return np.sort(np.argsort(-shared, kind="stable")[:_MOST])


def _draw_cells(axes: "Axes", scores: Amounts, a: list[str], b: list[str]) -> None:
    largest = float(scores.max(initial=0)) or 1.0
    if scores.size:
        axes.imshow(scores, cmap="Blues", vmin=0, vmax=largest, aspect="auto")
    axes.set_xticks(range(len(b)), b, **_slant(b))
    axes.set_yticks(range(len(a)), a)
    axes.tick_params(length=0, labelsize=9)
    axes.set_xticks(np.arange(len(b) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(a) + 1) - 0.5, minor=True)
    axes.grid(which="minor", visible=True, color="white", linewidth=1.5)
    axes.tick_params(which="minor", length=0)
    axes.spines[:].set_visible(False)
    for (row, column), score in np.ndenumerate(scores):
        if score >= 0.0005:
            color = "white" if score > 0.6 * largest else "#222222"
            text = f"{score:.3f}".removeprefix("0")
            axes.text(column, row, text, color=color, ha="center", va="center", fontsize=8)


def _slant(words: list[str]) -> dict[str, Any]:
    if max(map(width, words), default=0) <= _SHORT_WORD:
        return {}
    return {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}


def _draw_bars(
    explanation: Explanation,
    above: "Axes",
    beside: "Axes",
    rows: NDArray[np.intp],
    columns: NDArray[np.intp],
) -> None:
    """Draw each word's mass, coloured as far as it is matched."""
    largest = max(text.masses.max(initial=0) for text in (explanation.a, explanation.b)) or 1.0
    matched = explanation.matched
    beside.barh(range(len(rows)), explanation.a.masses[rows], 0.7, color=_UNMATCHED)
    beside.barh(range(len(rows)), matched[0][rows], 0.7, color=BLUE)
    beside.set(ylim=(max(len(rows), 1) - 0.5, -0.5), xlim=(0, largest))
    above.bar(range(len(columns)), explanation.b.masses[columns], 0.7, color=_UNMATCHED)
    above.bar(range(len(columns)), matched[1][columns], 0.7, color=VERMILION)
    above.set(xlim=(-0.5, max(len(columns), 1) - 0.5), ylim=(0, largest))
