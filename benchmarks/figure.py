"""Draw docs/speed.png from benchmarks/results.json.

usage: python benchmarks/figure.py           (needs matplotlib)
"""

import json
from pathlib import Path

import matplotlib.pyplot as plt
from machine import RESULTS
from matplotlib.axes import Axes

OURS, OTHERS = "#0072b2", "#999999"  # apart for every kind of colour vision
# Spearman ×100, all pairs of an edition, average of STS 2012-2016, as their authors give it.
PUBLISHED = {"potion-base-8M": 73.5, "Sentence-BERT": 76.6, "all-MiniLM-L6-v2": 78.6}
BARS = {
    "encode": (
        "texts encoded a second\n(600 numbers each, 2 cores)",
        {"sfbow": "new matrix", "model2vec": "model2vec"},
    ),
    "similarity": (
        "pairs compared a second\n(600 numbers, 1 core)",
        {"sfbow": "one thread", "NumPy": "NumPy broadcast", "FAISS Jaccard": "FAISS Jaccard"},
    ),
    "search": (
        "ms a query among a million sentences\n(exact, batches of 100, 2 cores)",
        {
            "sfbow": "sentences jaccard 1000000 batch ms",
            "FAISS L1": "sentences jaccard FAISS L1 ms",
            "FAISS Jaccard": "sentences jaccard FAISS Jaccard ms",
        },
    ),
}


def readable(value: float) -> str:
    """Write 1234567 as 1.2 M."""
    if value >= 1e6:
        return f"{value / 1e6:.1f} M"
    if value >= 1e4:
        return f"{value / 1e3:.0f} k"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def draw(panel: Axes, title: str, values: dict[str, float], first: float = 0) -> None:
    """Draw a bar for each name, ours in its colour, from a number on."""
    colors = [OURS if name == "sfbow" else OTHERS for name in values]
    lengths = [value - first for value in values.values()]
    bars = panel.barh(list(values), lengths, left=first, color=colors)
    panel.bar_label(bars, [readable(value) for value in values.values()], padding=4)
    panel.set_title(title, loc="left", fontsize=10)
    panel.invert_yaxis()
    panel.set_xlim(first, first + 1.25 * max(lengths))
    panel.spines[["top", "right", "bottom"]].set_visible(False)
    panel.set_xticks([])


def main() -> None:
    """Draw the bars."""
    results = json.loads(RESULTS.read_text())
    figure, panels = plt.subplots(2, 2, figsize=(9, 4.6), layout="constrained")
    quality = {**PUBLISHED, "sfbow": results["quality"]["sfbow"]}
    ordered = dict(sorted(quality.items(), key=lambda item: item[1]))
    title = "agreement with people, STS 2012-2016\n(Spearman ×100; bars begin at 70)"  # noqa: RUF001
    draw(panels.flat[0], title, ordered, first=70)
    for panel, (benchmark, (title, names)) in zip(panels.flat[1:], BARS.items(), strict=True):
        draw(panel, title, {name: results[benchmark][key] for name, key in names.items()})
    target = Path(__file__).parents[1] / "docs/speed.png"
    figure.savefig(target, dpi=150)
    print(target)


if __name__ == "__main__":
    main()
