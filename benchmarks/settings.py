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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata, spearmanr

from sfbow import SFBoW, Sif, Universe, WordVectors

UNIVERSE_WORDS = 50_000
RESAMPLES = 1000


@dataclass(frozen=True)
class Pairs:
    """Pairs of sentences with the scores that people gave them."""

    left: list[str]
    right: list[str]
    gold: np.ndarray


def read_sick(folder: Path) -> Pairs:
    """Read train and trial."""
    rows = []
    for name in ("SICK_train.txt", "SICK_trial.txt"):
        lines = (folder / name).read_text(encoding="utf-8").splitlines()[1:]
        rows += [line.split("\t") for line in lines if line]
    left, right = [row[1] for row in rows], [row[2] for row in rows]
    return Pairs(left, right, np.array([float(row[3]) for row in rows]))


def read_sts(folder: Path) -> dict[str, list[Pairs]]:
    """Read the editions: the scored pairs of each sub-set that has sentences."""
    editions = {}
    for edition in sorted(folder.glob("STS1?-en-test")):
        subsets = []
        for text in sorted(edition.glob("STS.input.*.txt")):
            gold = text.with_name(text.name.replace("input", "gs"))
            lines = text.read_text(encoding="utf-8").split("\n")
            scores = gold.read_text(encoding="utf-8").split("\n")
            scored = [
                (line.split("\t")[:2], float(score))
                for line, score in zip(lines, scores, strict=True)
                if score.strip()
            ]
            left, right = ([pair[side] for pair, _ in scored] for side in (0, 1))
            subsets.append(Pairs(left, right, np.array([score for _, score in scored])))
        editions[edition.name] = subsets
    return editions


def predict(model: SFBoW, pairs: Pairs) -> np.ndarray:
    """Compare the two sentences of each pair."""
    return model.similarity_pairwise(model.encode(pairs.left), model.encode(pairs.right))


def spearman(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's correlation, ×100."""
    return 100 * float(spearmanr(a, b).statistic)


def sts_scores(model: SFBoW, editions: dict[str, list[Pairs]]) -> tuple[float, float]:
    """Give the averages over editions of "all" and of "mean"."""
    alls, means = [], []
    for subsets in editions.values():
        found = [predict(model, pairs) for pairs in subsets]
        gold = [pairs.gold for pairs in subsets]
        alls.append(spearman(np.concatenate(found), np.concatenate(gold)))
        means.append(np.mean([spearman(*both) for both in zip(found, gold, strict=True)]))
    return float(np.mean(alls)), float(np.mean(means))


def standard_error(base: np.ndarray, other: np.ndarray, gold: np.ndarray) -> float:
    """Bootstrap the difference of two correlations over the pairs, ranks taken once."""
    rng = np.random.default_rng(0)
    ranks = np.stack([rankdata(values) for values in (base, other, gold)])
    differences = []
    for _ in range(RESAMPLES):
        correlations = np.corrcoef(ranks[:, rng.integers(len(gold), size=len(gold))])
        differences.append(correlations[1, 2] - correlations[0, 2])
    return 100 * float(np.std(differences))


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
    yield "ICA, unsigned", model(ica)
    for seed in (1, 2, 3):
        yield f"ICA, seed {seed}", model(Universe.ica(top, seed=seed).signed())
    yield "ICA on 100,000 words", model(Universe.ica(words.most_frequent(100_000)).signed())
    yield "PCA, signed", model(Universe.pca(words.in_dictionary()).signed())
    yield "identity, signed", model(Universe.identity(words.dim).signed())
    yield "8 bits", model().quantized()
    yield "the paper, identity", SFBoW.paper(words, Universe.identity(words.dim))
    yield "the paper, PCA", SFBoW.paper(words, Universe.pca(words.in_dictionary()))
    yield "inside the package", SFBoW.from_pretrained()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--sick", type=Path, required=True)
    parser.add_argument("--sts", type=Path)
    options = parser.parse_args()

    sick = read_sick(options.sick)
    sts = read_sts(options.sts) if options.sts else {}
    base = None
    print("| setting | SICK | difference | STS all | STS mean |\n|---|---|---|---|---|")
    for name, model in variants(WordVectors.load(options.vectors)):
        found = predict(model, sick)
        base = found if base is None else base
        score = spearman(found, sick.gold)
        gain = score - spearman(base, sick.gold)
        error = standard_error(base, found, sick.gold)
        report = " | ".join(f"{value:.2f}" for value in sts_scores(model, sts)) if sts else "|"
        print(f"| {name} | {score:.2f} | {gain:+.2f} ± {error:.2f} | {report} |", flush=True)


if __name__ == "__main__":
    main()
