"""Draw docs/speed.png from benchmarks/results.json.

usage: python benchmarks/figure.py           (needs matplotlib)
"""

import json
from pathlib import Path

import matplotlib.pyplot as plt
from machine import RESULTS

OURS, OTHERS = "#0072b2", "#999999"  # apart for every kind of colour vision
BARS = {
    "encode": (
        "texts encoded a second\n(600 numbers each, 2 cores)",
        {"sfbow": "new matrix", "model2vec": "model2vec"},
    ),
    "similarity": (
        "pairs compared a second\n(600 numbers, 1 core)",
        {"sfbow": "one thread", "NumPy": "NumPy broadcast", "FAISS Jaccard": "FAISS Jaccard"},
    ),
}


def readable(value: float) -> str:
    """Write 1234567 as 1.2 M."""
    return f"{value / 1e6:.1f} M" if value >= 1e6 else f"{value / 1e3:.0f} k"


def main() -> None:
    """Draw the bars."""
    results = json.loads(RESULTS.read_text())
    figure, panels = plt.subplots(1, 2, figsize=(9, 2.6), layout="constrained")
    for panel, (benchmark, (title, names)) in zip(panels, BARS.items(), strict=True):
        values = [results[benchmark][key] for key in names.values()]
        bars = panel.barh(list(names), values, color=[OURS] + [OTHERS] * (len(names) - 1))
        panel.bar_label(bars, [readable(value) for value in values], padding=4)
        panel.set_title(title, loc="left", fontsize=10)
        panel.invert_yaxis()
        panel.set_xlim(right=1.2 * max(values))
        panel.spines[["top", "right", "bottom"]].set_visible(False)
        panel.set_xticks([])
    target = Path(__file__).parents[1] / "docs/speed.png"
    figure.savefig(target, dpi=150)
    print(target)


if __name__ == "__main__":
    main()
