"""How the recommended settings do, and each of their neighbours, on development and test data.

usage: python benchmarks/settings.py GLOVE_FILE --sick DIR [--sts DIR]

The recommended settings are chosen on SICK, Spearman of similarity and relatedness, train and
trial together; STS 2012-2016 ("all": all pairs of an edition in one correlation; "mean": mean of
its sub-sets; each then averaged over the editions) is for the report only. The figures, ×100, go
to docs/settings.md. ± is the standard error of a difference to the recommended settings, from a
bootstrap over the pairs.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from sfbow import SFBoW, Sif, Universe, WordVectors
from sfbow.evaluation import Benchmark, evaluate, read_sick, read_sts

UNIVERSE_WORDS = 50_000
RESAMPLES = 1000


def standard_error(base: np.ndarray, other: np.ndarray, gold: np.ndarray) -> float:
    """Bootstrap the difference of two correlations over the pairs, ranks taken once."""
    rng = np.random.default_rng(0)
    ranks = np.stack([rankdata(values) for values in (base, other, gold)])
    differences = []
    for _ in range(RESAMPLES):
        correlations = np.corrcoef(ranks[:, rng.integers(len(gold), size=len(gold))])
        differences.append(correlations[1, 2] - correlations[0, 2])
    return 100 * float(np.std(differences))


def sts_scores(model: SFBoW, sts: Benchmark) -> str:
    """Give the averages over editions of "all" and of "mean"."""
    result = evaluate(model, sts)
    scores = [100 * result.summary(school)["average"] for school in ("all", "mean")]
    return f"{scores[0]:.2f} | {scores[1]:.2f} |"


def variants(words: WordVectors) -> Iterator[tuple[str, SFBoW]]:
    """Yield the recommended model, and each with one setting changed."""
    top = words.most_frequent(UNIVERSE_WORDS)
    ica = Universe.ica(top)

    def model(universe: Universe | None = None, **settings: Any) -> SFBoW:  # noqa: ANN401
        return SFBoW(words, universe or ica.signed(), **settings)

    yield "recommended", model()
    for a in (1e-4, 3e-4, 1e-3, 3e-3, 3e-2):
        yield f"SIF, a = {a:g}", model(weights=Sif(a))
    yield "no weights", model(weights=None)
    yield "counts", model(counts=True)
    yield "punctuation kept", model(punctuation=True)
    yield "Jaccard", model(measure="jaccard")
    yield "Dice", model(measure="dice")
    yield "Hellinger", model(measure="hellinger")
    yield "ICA, unsigned", model(ica)
    for seed in (1, 2, 3):
        yield f"ICA, seed {seed}", model(Universe.ica(top, seed=seed).signed())
    yield "ICA on 100,000 words", model(Universe.ica(words.most_frequent(100_000)).signed())
    yield "PCA, signed", model(Universe.pca(words.in_dictionary()).signed())
    yield "identity, signed", model(Universe.identity(words.dim).signed())
    yield "8 bits", model().quantized()
    yield "the paper, identity", SFBoW.paper(words, Universe.identity(words.dim))
    yield "the paper, PCA", SFBoW.paper(words, Universe.pca(words.in_dictionary()))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--sick", type=Path, required=True)
    parser.add_argument("--sts", type=Path)
    options = parser.parse_args()

    sick = read_sick(options.sick)
    sts = read_sts(options.sts) if options.sts else None
    base = None
    print("| setting | SICK | difference | STS all | STS mean |\n|---|---|---|---|---|")
    for name, model in variants(WordVectors.load(options.vectors)):
        result = evaluate(model, sick).editions[0].sets[0]
        base = result if base is None else base
        gain = 100 * (result.score() - base.score())
        error = standard_error(base.predicted, result.predicted, result.gold)
        row = f"| {name} | {100 * result.score():.2f} | {gain:+.2f} ± {error:.2f} |"
        print(row, sts_scores(model, sts) if sts else "| |", flush=True)


if __name__ == "__main__":
    main()
