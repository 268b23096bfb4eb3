"""What rows are called in tables and figures, and which of them belong together."""

import re
from collections.abc import Iterable

from sfbow.experiment.paper import load_paper

CLUSTERINGS = ("kmeans-english", "kmeans-top100000", "spherical-top50000")
SFBOW = ("identity", "pca-english", "pca-top100000")
RECOMMENDED = "recommended"
BASELINES = (
    "average", "sif", "sent2vec", "dynamax", "bag-of-words", "fuzzy-bag-of-words", "sentence-bert",
)  # fmt: skip
_ALGORITHMS = {
    "kmeans": "k-means",
    "spherical": "Spherical k-means",
    "dbscan": "DBSCAN",
    "pca": "PCA",
    "identity": "Identity",
    "recommended": "Recommended",
    "average": "Average of words",
    "sif": "SIF",
    "sent2vec": "Sent2Vec",
    "dynamax": "DynaMax",
    "bag-of-words": "Bag of words",
    "fuzzy-bag-of-words": "Fuzzy bag of words",
    "sentence-bert": "Sentence-BERT",
}
_CLUSTERING = re.compile(r"(kmeans|spherical)-(\w+)-(\d+)")
_DBSCAN = re.compile(r"dbscan-(\w+)-(\w+)-([\d.e+-]+)")


def thousands(number: int) -> str:
    """Write a number as the paper does, 10 000, with spaces that do not break."""
    return f"{number:,}".replace(",", "\u00a0") if number >= 10_000 else str(number)


def subset_label(subset: str) -> str:
    """Name a subset of the words."""
    if subset == "english":
        return "English"
    return re.sub(r"^top(\d+)$", lambda found: f"top {thousands(int(found[1]))}", subset)


def parts(row: str) -> tuple[str, str, str]:
    """Give a row's algorithm, source of words, and number of clusters or radius."""
    if found := _CLUSTERING.fullmatch(row):
        kind, subset, k = found.groups()
        return _ALGORITHMS[kind], subset_label(subset), thousands(int(k))
    if found := _DBSCAN.fullmatch(row):
        metric, subset, eps = found.groups()
        return f"DBSCAN, {metric}", subset_label(subset), f"ε = {eps}"
    kind, _, subset = row.partition("-")
    if kind == "pca" and subset:
        return _ALGORITHMS[kind], subset_label(subset), ""
    return _ALGORITHMS.get(row, row), "", ""


def label(row: str) -> str:
    """Name a row in one text."""
    return ", ".join(part for part in parts(row) if part)


def clusters_of(row: str) -> tuple[str, int] | None:
    """Give a clustering and its k, as in ("kmeans-english", 1000)."""
    found = _CLUSTERING.fullmatch(row)
    return (f"{found[1]}-{found[2]}", int(found[3])) if found else None


def radius_of(row: str) -> tuple[str, str, float] | None:
    """Give the metric, the subset and the radius of a row of DBSCAN."""
    found = _DBSCAN.fullmatch(row)
    return (found[1], found[2], float(found[3])) if found else None


def is_universe(row: str) -> bool:
    """Tell whether a row is one of the 15 universes that the paper's tables are of."""
    return row in load_paper().by_universe


def further_rows(rows: Iterable[str]) -> list[str]:
    """Give the rows that the paper has no line for: the recommended model, and those added."""
    known = {*load_paper().by_universe, *BASELINES}
    return sorted(row for row in rows if row not in known and radius_of(row) is None)
