"""Scores over what they cost: the size of a universe, and the time that encoding takes."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from sfbow.evaluation.correlation import School
from sfbow.evaluation.tables import TIMES_100
from sfbow.experiment import drawing, labels
from sfbow.experiment.drawing import Label
from sfbow.experiment.paper import load_paper
from sfbow.experiment.results import NONE, Cell, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_AVERAGE = f"average Spearman {TIMES_100}"
_SINGLES = {
    "identity": ("identity", drawing.BLACK),
    "pca-english": ("PCA, English", drawing.PURPLE),
    "pca-top100000": ("PCA, top 100k", drawing.PURPLE),
    "recommended": ("recommended", drawing.ORANGE),
}
_DOTTED: Any = (0, (1, 2))
Cost = Callable[[Cell], float | None]
Points = dict[str, tuple[float, float]]
"""By row: what it costs, and its score."""


def score_over_size(results: Results, school: School) -> "Figure | None":
    """Draw the universes, and dotted what the paper prints for them."""
    rows = {
        name: {row: point for row, point in points.items() if row not in labels.BASELINES}
        for name, points in _points(results, school, lambda cell: cell.size).items()
    }
    rows = {name: points for name, points in rows.items() if points}
    return _draw(rows, "sets in the universe", with_paper=True) if rows else None


def score_over_speed(results: Results, school: School) -> "Figure | None":
    """Draw the universes and the baselines; further to the right is faster."""
    rows = _points(results, school, lambda cell: cell.sentences_per_second)
    shared = rows.pop(NONE, {})
    rows = {name: points | shared for name, points in rows.items()} or (
        {"without word vectors": shared} if shared else {}
    )
    return _draw(rows, "sentences per second") if rows else None


def _points(results: Results, school: School, cost: Cost) -> dict[str, Points]:
    found: dict[str, Points] = {}
    for embedding in (*results.embeddings, NONE):
        for row, cell in results.rows(embedding).items():
            x, y = cost(cell), cell.average(school)
            if x and not math.isnan(y) and labels.radius_of(row) is None:
                found.setdefault(embedding, {})[row] = x, y
    return found


def _draw(rows: dict[str, Points], xlabel: str, *, with_paper: bool = False) -> "Figure":
    figure, axes = drawing.panels(len(rows), across=2, width=5.4, height=4.0)
    for panel, (embedding, points) in zip(axes, rows.items(), strict=True):
        panel.set(title=embedding, xlabel=xlabel, ylabel=_AVERAGE, xscale="log")
        for name in labels.CLUSTERINGS:
            _plot_clustering(panel, name, points)
        for row, (x, y) in points.items():
            if not labels.clusters_of(row):
                panel.plot([x], [y], color=_name(row)[1], marker="D", linestyle="")
        if with_paper:
            _plot_paper(panel, _of_paper(embedding, points))
        panel.margins(x=0.12, y=0.1)
        drawing.plain_ticks(panel)
    _share_scale(axes)
    _explain(figure, rows, with_paper=with_paper)
    drawing.settle(figure)
    for panel, (embedding, points) in zip(axes, rows.items(), strict=True):
        theirs = _of_paper(embedding, points) if with_paper else {}
        lines = [*_path(points), *_path(theirs), *theirs.values()]
        drawing.label_points(panel, _labels(points, with_k=not with_paper), lines=lines)
    return figure


def _of_clustering(name: str, points: Points) -> list[tuple[int, float, float]]:
    found = ((labels.clusters_of(row), *point) for row, point in points.items())
    return sorted((plan[1], x, y) for plan, x, y in found if plan and plan[0] == name)


def _plot_clustering(axes: "Axes", name: str, points: Points) -> None:
    _, color, marker = drawing.SERIES[name]
    found = _of_clustering(name, points)
    axes.plot([x for _, x, _ in found], [y for *_, y in found], color=color, marker=marker)


def _of_paper(embedding: str, points: Points) -> Points:
    """Give the paper's averages over the sizes of our universes."""
    universes = load_paper().universes
    return {
        row: (x, universes[embedding, row].average[0])
        for row, (x, _) in points.items()
        if (embedding, row) in universes
    }


def _plot_paper(axes: "Axes", points: Points) -> None:
    for name in labels.CLUSTERINGS:
        line = _of_clustering(name, points)
        _, color, marker = drawing.SERIES[name]
        look: dict[str, Any] = {"marker": marker, "fillstyle": "none", "linestyle": _DOTTED}
        axes.plot([x for _, x, _ in line], [y for *_, y in line], color=color, **look)
    for row, (x, y) in points.items():
        if not labels.clusters_of(row):
            axes.plot([x], [y], color=_name(row)[1], marker="D", fillstyle="none", linestyle="")


def _share_scale(axes: Sequence["Axes"]) -> None:
    """Let panels be compared by eye."""
    lows, highs = zip(*(panel.get_ylim() for panel in axes), strict=True)
    for panel in axes:
        panel.set_ylim(min(lows), max(highs))


def _name(row: str) -> tuple[str, str]:
    return _SINGLES.get(row, (labels.label(row), drawing.GREY))


def _labels(points: Points, *, with_k: bool) -> list[Label]:
    """Give the labels of single points, and k along one of the clusterings."""
    found = [
        Label(x, y, *_name(row)) for row, (x, y) in points.items() if not labels.clusters_of(row)
    ]
    lines = [name for name in labels.CLUSTERINGS if _of_clustering(name, points)]
    if with_k and lines:
        color = drawing.SERIES[lines[-1]][1]
        numbers = _of_clustering(lines[-1], points)
        found += [Label(x, y, f"k = {drawing.short(k)}", color) for k, x, y in numbers]
    return found


def _path(points: Points) -> list[drawing.Point]:
    """Give points all along the lines, close enough that no label fits between."""
    found = []
    for name in labels.CLUSTERINGS:
        line = _of_clustering(name, points)
        for (_, x, y), (_, next_x, next_y) in pairwise([*line, *line[-1:]]):
            found += [
                (x * (next_x / x) ** share, y + share * (next_y - y))
                for share in np.linspace(0, 1, 12).tolist()
            ]
    return found


def _explain(figure: "Figure", rows: dict[str, Points], *, with_paper: bool) -> None:
    from matplotlib.lines import Line2D

    plans = [labels.clusters_of(row) for points in rows.values() for row in points]
    found = {plan[0] for plan in plans if plan}
    handles = [
        Line2D([], [], color=color, marker=marker, label=text)
        for name, (text, color, marker) in drawing.SERIES.items()
        if name in found
    ]
    theirs = any(name in load_paper().by_embedding for name in rows)
    if with_paper and theirs:
        look: dict[str, Any] = {
            "color": drawing.GREY,
            "marker": "o",
            "fillstyle": "none",
            "linestyle": _DOTTED,
        }
        handles.append(Line2D([], [], label="hollow: the paper", **look))
    if handles:
        figure.legend(handles=handles, loc="outside lower center", ncols=4)
