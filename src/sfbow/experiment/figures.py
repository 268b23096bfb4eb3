"""The paper's figures, and two of ours, from a folder of results."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfbow.evaluation.correlation import School
from sfbow.experiment import drawing, labels
from sfbow.experiment.drawing import Label
from sfbow.experiment.results import Cell, Results, read_results
from sfbow.experiment.score_figures import score_over_size, score_over_speed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COMPONENTS = 300
_DASHES: dict[str, Any] = {"pca-english": "-", "pca-top100000": (0, (4, 2))}
Sums = dict[str, list[tuple[int, float, float]]]


def write_figures(
    results_folder: str | Path, out: str | Path, *, school: School = "mean"
) -> list[Path]:
    """Write all figures into the folder figures of ``out``, and return their files."""
    results = read_results(results_folder)
    folder = Path(out) / "figures"
    with drawing.style():
        folder.mkdir(parents=True, exist_ok=True)
        return [
            path
            for name, figure in _figures(results, school)
            for path in drawing.save(figure, folder / name)
        ]


def _figures(results: Results, school: School) -> Iterator[tuple[str, "Figure"]]:
    for embedding in results.embeddings:
        if sums := _sums(results.rows(embedding)):
            yield f"clusters-{embedding.lower()}", _draw_sums(embedding, sums)
    if any(_variance(cell) is not None for cell in results.cells.values()):
        yield "explained-variance", _draw_variances(results)
    if figure := score_over_size(results, school):
        yield "score-size", figure
    if figure := score_over_speed(results, school):
        yield "score-speed", figure


def _sums(rows: dict[str, Cell]) -> Sums:
    """Give k, WCSoS and BCSoS of each clustering, by rising k."""
    found: Sums = {name: [] for name in labels.CLUSTERINGS}
    for row, cell in rows.items():
        plan, report = labels.clusters_of(row), cell.report
        if plan and plan[0] in found and report and report.wcsos is not None:
            found[plan[0]].append((plan[1], report.wcsos, report.bcsos or 0.0))
    return {name: sorted(sums) for name, sums in found.items() if sums}


def _draw_sums(embedding: str, sums: Sums) -> "Figure":
    """Draw the two sums; and their share, which alone can be compared between sets of words."""
    figure, axes = drawing.panels(3, across=3, width=3.9, height=3.5)
    figure.suptitle(f"Clusters of {embedding}", x=0.01, ha="left", fontsize=11)
    titles = (
        "WCSoS, within clusters",
        "BCSoS, between clusters",
        "BCSoS as a share of both, %",
    )
    for place, (panel, title) in enumerate(zip(axes, titles, strict=True)):
        panel.set_title(title)
        panel.set_xlabel("k, clusters")
        panel.set_xscale("log")
        if place < 2:
            panel.set_yscale("log")
        for name, triples in sums.items():
            _, color, marker = drawing.SERIES[name]
            values = [_sum_or_share(place, *triple[1:]) for triple in triples]
            panel.plot([k for k, *_ in triples], values, color=color, marker=marker)
        drawing.plain_ticks(panel, {k for triples in sums.values() for k, *_ in triples})
        _room_at_right(panel, 14)
    drawing.settle(figure)
    for place, panel in enumerate(axes):
        ends = [
            Label(k, _sum_or_share(place, within, between), *drawing.SERIES[name][:2])
            for name, ((k, within, between)) in ((name, sums[name][-1]) for name in sums)
        ]
        drawing.label_ends(panel, ends)
    return figure


def _sum_or_share(place: int, within: float, between: float) -> float:
    both = within + between
    return (within, between, 100 * between / both if both else 0.0)[place]


def _room_at_right(axes: "Axes", factor: float) -> None:
    low, high = axes.get_xlim()
    axes.set_xlim(low, high * factor)


def _variance(cell: Cell) -> np.ndarray | None:
    """Give each component's share of the variance in percent."""
    if cell.row not in _DASHES or cell.report is None:
        return None
    shares = cell.report.explained_variance_share
    return None if not shares else 100 * np.array(shares)


def _draw_variances(results: Results) -> "Figure":
    """Draw what each component explains, and all up to it; of all components together."""
    figure, (single, summed) = drawing.panels(2, across=2, width=5.2, height=3.9)
    colors = drawing.embedding_colors(results.embeddings)
    ends: dict[str, Label] = {}
    for (embedding, row), cell in sorted(results.cells.items()):
        shares = _variance(cell)
        if shares is None:
            continue
        shown = min(_COMPONENTS, len(shares))
        components = np.arange(1, shown + 1)
        look: dict[str, Any] = {"color": colors[embedding], "linestyle": _DASHES[row]}
        single.plot(components, shares[:shown], **look)
        summed.plot(components, np.cumsum(shares)[:shown], **look)
        ends.setdefault(embedding, Label(shown, shares[shown - 1], embedding, colors[embedding]))
    single.set(title="Explained variance of each component, %", yscale="log")
    summed.set(title="Explained variance up to a component, %", ylim=(0, 102))
    for panel in (single, summed):
        panel.set_xlabel("components")
        panel.set_xlim(0, None)
    single.set_xlim(0, 1.18 * max(label.x for label in ends.values()))
    single.set_xticks(summed.get_xticks()[summed.get_xticks() <= _COMPONENTS])
    _explain_dashes(summed, results)
    drawing.settle(figure)
    drawing.label_ends(single, list(ends.values()))
    return figure


def _explain_dashes(axes: "Axes", results: Results) -> None:
    from matplotlib.lines import Line2D

    found = {row for (_, row), cell in results.cells.items() if _variance(cell) is not None}
    handles: Sequence[Line2D] = [
        Line2D(
            [], [], color=drawing.GREY, linestyle=dash, label=f"of words: {labels.parts(row)[1]}"
        )
        for row, dash in _DASHES.items()
        if row in found
    ]
    axes.legend(handles=handles, loc="lower right")
