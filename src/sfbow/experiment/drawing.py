"""How figures look: colours that the colour-blind tell apart, labels beside the lines."""

import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sfbow.errors import MissingExtraError
from sfbow.experiment.paper import load_paper

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

# Okabe and Ito, without the yellow, which is too light on white.
BLACK, ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip
GREY = "#666666"
# Clusterings: what they are called, their colour and the shape of their points.
SERIES = {
    "kmeans-english": ("k-means, English", BLUE, "o"),
    "kmeans-top100000": ("k-means, top 100k", VERMILION, "s"),
    "spherical-top50000": ("spherical, top 50k", GREEN, "^"),
}
# Of any type: which names there are depends on the version of matplotlib.
_SETTINGS: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "legend.frameon": False,
    # The names within an SVG come from this instead of from chance.
    "svg.hashsalt": "sfbow",
}  # fmt: skip
_GAP = 12.0
_CANDIDATES = [
    (across * distance, up * distance)
    for distance in (6, 12, 20, 30, 42)
    for across, up in (
        (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1),
        (1, 0.5), (1, -0.5), (-1, 0.5), (-1, -0.5),
    )
]  # fmt: skip
# What a point of distance counts, against pixels that are covered.
_FAR = 10.0
# A text on a text, or on a point, is worse than on a line.
_HEAVY = 8.0


Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, low, right, high."""


@dataclass(frozen=True)
class Label:
    """A text that belongs to a point, in the coordinates of the data."""

    x: float
    y: float
    text: str
    color: str


@contextmanager
def style() -> Iterator[None]:
    """Draw with the settings of all figures, whatever the user's own are."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtraError("figures", "evaluate") from None
    # What a user has set in matplotlibrc would make figures differ from machine to machine.
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


def panels(
    count: int, *, across: int, width: float, height: float
) -> tuple["Figure", list["Axes"]]:
    """Make a figure of panels, ``across`` of them in a row; sizes are those of a panel, in inches.

    Without pyplot, a figure is drawn by Agg and no state is shared with anyone.
    """
    from matplotlib.figure import Figure

    across = min(across, count)
    down = -(-count // across)
    figure = Figure(figsize=(width * across, height * down), layout="constrained")
    grid = figure.subplots(down, across, squeeze=False)
    axes = list(grid.flat)
    for unused in axes[count:]:
        unused.set_visible(False)
    return figure, axes[:count]


def save(figure: "Figure", path: Path) -> list[Path]:
    """Write PNG and SVG, the same bytes each time."""
    png, svg = path.with_suffix(".png"), path.with_suffix(".svg")
    figure.savefig(png, dpi=160, metadata={"Software": None})
    figure.savefig(svg, metadata={"Date": None, "Creator": None})
    return [png, svg]


def embedding_colors(names: Sequence[str]) -> dict[str, str]:
    """Give each embedding a colour, the paper's always the same."""
    known = dict(zip(load_paper().by_embedding, (BLUE, VERMILION, GREEN, PURPLE), strict=True))
    others = [name for name in names if name not in known]
    rest = (ORANGE, SKY, BLACK, GREY)
    return known | {name: rest[place % len(rest)] for place, name in enumerate(others)}


def short(number: float, _: object = None) -> str:
    """Write 25 000 as 25k."""
    return f"{number / 1000:g}k" if number >= 1000 else f"{number:g}"


def plain_ticks(axes: "Axes", places: Collection[int] = ()) -> None:
    """Write the numbers of a logarithmic axis in full, at these places or at powers of ten."""
    from matplotlib.ticker import FuncFormatter

    if places:
        axes.set_xticks(sorted(places))
    axes.set_xticks([], minor=True)
    axes.xaxis.set_major_formatter(FuncFormatter(short))


def settle(figure: "Figure") -> None:
    """Lay the panels out for good, so that labels can be placed by where things are drawn."""
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    figure.set_layout_engine("none")


def label_ends(axes: "Axes", labels: Sequence[Label]) -> None:
    """Write labels to the right of lines, moved apart until none covers another."""
    scale = axes.figure.dpi / 72
    ends = [(float(axes.transData.transform((each.x, each.y))[1]), each) for each in labels]
    ends.sort(key=lambda end: end[0])
    placed = _apart([y for y, _ in ends], _GAP * scale)
    for place, (y, each) in zip(placed, ends, strict=True):
        _annotate(axes, each, (7, (place - y) / scale), pointing=False)


def _apart(places: list[float], gap: float) -> list[float]:
    """Push neighbours apart, both of them alike, until all have room."""
    moved = places.copy()
    for _ in range(200):
        for low in range(len(moved) - 1):
            push = max(0.0, gap - (moved[low + 1] - moved[low])) / 2
            moved[low] -= push
            moved[low + 1] += push
    return moved


def label_points(axes: "Axes", labels: Sequence[Label], *, lines: Sequence[Point] = ()) -> None:
    """Write each label beside its point, off other points and labels; off lines, if it can be."""
    taken = [(_around(axes, each.x, each.y), _HEAVY) for each in labels]
    taken += [(_around(axes, *point), 1.0) for point in lines]
    for each in labels:
        size = _size(axes, each)
        boxes = [(offset, _box(axes, each, size, offset)) for offset in _CANDIDATES]
        offset, box = min(
            boxes, key=lambda place: _cost(axes, place[1], taken) + _FAR * math.hypot(*place[0])
        )
        _annotate(axes, each, offset, pointing=math.hypot(*offset) > 10)
        taken.append((box, _HEAVY))


def _size(axes: "Axes", label: Label) -> tuple[float, float]:
    """Measure a text, in pixels."""
    text = _annotate(axes, label, (0, 0), pointing=False)
    box = text.get_window_extent()
    text.remove()
    return float(box.width), float(box.height)


def _box(axes: "Axes", label: Label, size: tuple[float, float], offset: tuple[float, float]) -> Box:
    scale = axes.figure.dpi / 72
    x, y = axes.transData.transform((label.x, label.y))
    width, height = size
    left = x + scale * offset[0] - {"left": 0.0, "right": width, "center": width / 2}[_side(offset)]
    low = y + scale * offset[1] - height / 2
    return left, low, left + width, low + height


def _cost(axes: "Axes", box: Box, taken: Sequence[tuple[Box, float]]) -> float:
    """Add up what a text would cover, and how much of it would be outside."""
    covered = sum(weight * _overlap(box, other) for other, weight in taken)
    frame = axes.bbox
    inside = _overlap(box, (frame.x0, frame.y0, frame.x1, frame.y1))
    return covered + _HEAVY * ((box[2] - box[0]) * (box[3] - box[1]) - inside)


def _side(offset: tuple[float, float]) -> Literal["left", "right", "center"]:
    if offset[0] == 0:
        return "center"
    return "left" if offset[0] > 0 else "right"


def _annotate(
    axes: "Axes", label: Label, offset: tuple[float, float], *, pointing: bool
) -> "Annotation":
    line = {"arrowstyle": "-", "color": label.color, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2}
    return axes.annotate(
        label.text,
        (label.x, label.y),
        xytext=offset,
        textcoords="offset points",
        color=label.color,
        fontsize=8,
        ha=_side(offset),
        va="center",
        arrowprops=line if pointing else None,
    )


def _around(axes: "Axes", x: float, y: float) -> Box:
    half = 3.5 * axes.figure.dpi / 72
    x, y = map(float, axes.transData.transform((x, y)))
    return x - half, y - half, x + half, y + half


def _overlap(box: Box, other: Box) -> float:
    width = min(box[2], other[2]) - max(box[0], other[0])
    height = min(box[3], other[3]) - max(box[1], other[1])
    return max(width, 0.0) * max(height, 0.0)
