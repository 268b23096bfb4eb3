"""Seconds to evaluate a model on STS, and to make all tables and figures of a finished experiment.

usage: python benchmarks/evaluation.py GLOVE --sts DIR [--results FOLDER]

FOLDER is what `sfbow reproduce` has left. Models are loaded, and have run once, before.
"""

import argparse
import resource
import tempfile
from pathlib import Path

import numpy as np
from machine import describe, median_seconds, record

from sfbow import SFBoW, Universe, WordVectors
from sfbow.baselines import AverageOfWords, DynaMax, SifEmbedding
from sfbow.evaluation import bootstrap, evaluate, read_sts
from sfbow.experiment.figures import write_figures
from sfbow.experiment.tables import write_tables

REPEATS = 3


def main() -> None:
    """Print a line for each question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("glove", type=Path)
    parser.add_argument("--sts", type=Path, required=True)
    parser.add_argument("--results", type=Path)
    options = parser.parse_args()

    sts, words = read_sts(options.sts), WordVectors.load(options.glove)
    models = {
        "the model in sfbow": SFBoW.from_pretrained(),
        "the paper's, identity": SFBoW.paper(words, Universe.identity(words.dim)),
        "average of words": AverageOfWords(words),
        "SIF": SifEmbedding(words, transductive=True),
        "DynaMax": DynaMax(words),
    }
    print(f"{describe()}; seconds for {len(sts):,} pairs")
    figures = {
        name: median_seconds(lambda model=model: evaluate(model, sts), REPEATS)
        for name, model in models.items()
    }
    result = evaluate(models["the model in sfbow"], sts)
    figures["1000 resamples"] = median_seconds(lambda: bootstrap([result]), 1)
    if options.results:
        figures["tables and figures"] = median_seconds(lambda: render(options.results), 1)
    for name, seconds in figures.items():
        print(f"{name}: {seconds:.2f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"peak memory: {peak:.2f} GB")
    record("evaluation", figures)
    score = 100 * float(np.mean(result.scores("all")))
    print(f"the model in sfbow: {score:.2f}, all pairs, average of editions")
    record("quality", {"sfbow": score})


def render(results: Path) -> None:
    """Make all tables and figures elsewhere."""
    with tempfile.TemporaryDirectory() as folder:
        write_tables(results, folder)
        write_figures(results, folder)


if __name__ == "__main__":
    main()
