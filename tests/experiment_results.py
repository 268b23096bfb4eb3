"""Folders of results as a run leaves them, without the run."""

import json
import math

from sfbow.experiment.paper import load_paper

PAPER = load_paper()


def cell(embedding, row, scores=None, **more):
    """A cell with these scores ×100 on the five editions, after each school."""
    schools = {"mean": 0.0, "weighted": 1.0, "all": 2.0}
    return {
        "embedding": embedding,
        "row": row,
        "seconds": {"build": 1.5, "evaluate": 0.5},
        "size": 300,
        "sentences_per_second": 50_000.0,
        "report": None,
        "scores": None
        if scores is None
        else {
            edition: {
                school: {"spearman": (score + more_points) / 100, "pearson": 0.01}
                for school, more_points in schools.items()
            }
            for edition, score in zip(PAPER.editions, scores, strict=True)
        },
        "failed": None if scores is not None else "no cluster",
        **more,
    }


def write_folder(path, cells, **run):
    for each in cells:
        folder = path / "cells" / each["embedding"]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{each['row']}.json").write_text(json.dumps(each), encoding="utf-8")
    content = {"sfbow": "0", "settings": {"seed": 0}, "embeddings": {}, **run}
    path.mkdir(exist_ok=True)
    (path / "run.json").write_text(json.dumps(content), encoding="utf-8")
    return path


def report_of(row, place=0):
    """What building a universe could have told; the figures are made up, but of likely sizes."""
    kind, _, rest = row.partition("-")
    words = 50_000 if rest.startswith("top50000") else 100_000
    if kind in ("kmeans", "spherical"):
        k = int(rest.rsplit("-", 1)[1])
        total = words * (1.0 if kind == "spherical" else 30 + 5 * place + 8 * ("top" in row))
        within = total * (0.95 - 0.08 * math.log10(k) - 0.05 * (kind == "kmeans"))
        return {"kind": kind, "words": words, "clusters": k, "wcsos": within,
                "bcsos": total - within}  # fmt: skip
    if kind == "pca":
        decay = 0.97 + 0.005 * place - (0.002 if "top" in row else 0)
        variance = [30.0, *(decay**i for i in range(1, 700 if place == 3 else 300))]
        return {"kind": "pca", "words": words, "explained_variance": variance}
    if kind == "dbscan":
        return {"kind": "dbscan", "words": words, "clusters": 12, "noise_share": 0.8125}
    return None


def cells_of_the_paper():
    """What a run would leave that found exactly what the paper prints."""
    names = list(PAPER.by_embedding)
    speeds = {"100": 90e3, "1000": 30e3, "10000": 3e3, "25000": 1.2e3}
    for (embedding, row), printed in {**PAPER.comparison, **PAPER.universes}.items():
        k = row.rsplit("-", 1)[-1]
        place = names.index(embedding) if embedding in names else 0
        is_clustering = k in speeds and row.count("-") == 2
        yield cell(
            embedding, row, printed.scores,
            size=int(k) if is_clustering else 300,
            sentences_per_second={"dynamax": None, "sentence-bert": 800.0}.get(
                row, speeds.get(k, 60e3 + 1000 * len(row))),
            report=report_of(row, place),
        )  # fmt: skip
