"""Draw docs/search.png, recall over speed, from benchmarks/results.json.

usage: python benchmarks/search_figure.py           (needs matplotlib)
"""

import json
import re
from pathlib import Path

import matplotlib.pyplot as plt
from machine import RESULTS
from matplotlib.axes import Axes

# Colours that are apart for every kind of colour vision; shapes that are apart without colour.
ENGINES = {
    "exact": ("sfbow, exact", "#0072b2", "*"),
    "graph": ("sfbow, graph", "#0072b2", "o"),
    "FAISS Flat": ("FAISS Flat, Jaccard", "#d55e00", "s"),
    "FAISS HNSW": ("FAISS HNSW, Jaccard", "#d55e00", "^"),
}


def curve(figures: dict[str, float], engine: str) -> list[tuple[float, float]]:
    """Give recall and queries a second for each effort."""
    names = [name for name in figures if name.startswith(engine) and name.endswith(" ms")]
    return [(figures[name[:-2] + "recall"], 1000 / figures[name]) for name in names]


def draw(panel: Axes, figures: dict[str, float], rows: int) -> None:
    """Draw the curves of all engines among so many rows."""
    for engine, (label, colour, shape) in ENGINES.items():
        if points := curve(figures, engine):
            size = 11 if shape == "*" else 5
            panel.plot(*zip(*points, strict=True), shape, ls="-", c=colour, ms=size, label=label)
    panel.set_yscale("log")
    panel.set_title(f"{rows:,} sentences".replace(",", " "), loc="left", fontsize=10)
    panel.set_xlabel("recall@10")
    panel.grid(alpha=0.3)
    panel.spines[["top", "right"]].set_visible(False)


def main() -> None:
    """Draw a panel for each number of rows."""
    results = json.loads(RESULTS.read_text())
    found = (re.fullmatch(r"approximate (\d+)", name) for name in results)
    counts = sorted(int(match[1]) for match in found if match)
    size = (max(7, 4.5 * len(counts)), 3.6)
    figure, panels = plt.subplots(
        1, len(counts), figsize=size, layout="constrained", sharey=True, squeeze=False
    )
    for panel, rows in zip(panels[0], counts, strict=True):
        draw(panel, results[f"approximate {rows}"], rows)
    panels[0, 0].set_ylabel("queries a second (2 cores)")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    target = Path(__file__).parents[1] / "docs/search.png"
    figure.savefig(target, dpi=150)
    print(target)


if __name__ == "__main__":
    main()
