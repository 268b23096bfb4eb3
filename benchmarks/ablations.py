"""What the paper leaves open, and what it is worth: the paper's model with one detail changed.

usage: python benchmarks/ablations.py VECTORS --sts DIR [--sick DIR]

Spearman ×100, averaged over the editions, by the three ways to make one score of an edition's
sub-datasets. The universe is the identity, or the principal axes of the English words.
"""

import argparse
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from sfbow import SFBoW, Universe, WordVectors
from sfbow.evaluation import evaluate, read_sick, read_sts
from sfbow.inputs import pack
from sfbow.lookup import count_repeats, find

# The function words of English that are commonly left out.
STOP_WORDS = """
    a an the and or but if of at by for with about into to from in out on off over under then is am
    are was were be been being have has had do does did he she it they we you i him her his hers its
    their them this that these those as not no nor so than too very can will just
    """


class Unclipped:
    """The paper's model without the clipping at 0: Σmin / Σmax of what may be negative."""

    def __init__(self, model: SFBoW) -> None:
        self._model = model
        self._table = np.concatenate(list(model.memberships.blocks()))

    def encode(self, sentences: list[str]) -> np.ndarray:
        """Take the largest membership of each sentence, whatever its sign; zeros for no word."""
        model = self._model
        found = find(pack(sentences), model.vocabulary, model.tokenizer)
        rows, bounds, counts = count_repeats(found.rows, found.bounds)
        result = np.zeros((len(sentences), model.size), np.float32)
        for i, (start, end) in enumerate(pairwise(bounds)):
            if end > start:
                members = self._table[rows[start:end]] * counts[start:end, None]
                result[i] = members.max(axis=0)
        return result

    def similarity_pairwise(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Σmin / Σmax."""
        whole = np.maximum(a, b).sum(axis=1)
        shared = np.minimum(a, b).sum(axis=1)
        return np.divide(shared, whole, out=np.zeros(len(a)), where=whole != 0)


def variants(words: WordVectors, universe: Universe) -> Iterator[tuple[str, object]]:
    """Yield the paper's model, and each with one detail changed."""

    def model(**settings: object) -> SFBoW:
        options = {
            "weights": None, "counts": True, "measure": "jaccard", "punctuation": True,
        }  # fmt: skip
        return SFBoW(words, universe, **(options | settings))

    yield "the paper's formula", model()
    yield "memberships not clipped at 0", Unclipped(model())
    yield "without counts", model(counts=False)
    yield "case kept", model(casing="keep")
    yield "punctuation left out", model(punctuation=False)
    yield "without counts and punctuation", model(counts=False, punctuation=False)
    yield "stop words left out", model(weights=dict.fromkeys(STOP_WORDS.split(), 0.0))
    yield "cut at white space only", model(split="spaces")
    yield "Otsuka", model(measure="otsuka")
    yield (
        "signed universe",
        SFBoW(
            words, universe.signed(), weights=None, counts=True, measure="jaccard", punctuation=True
        ),
    )
    yield "SIF weights", model(weights="sif")


def main() -> None:
    """Print a table for each universe."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--sts", type=Path, required=True)
    parser.add_argument("--sick", type=Path)
    options = parser.parse_args()
    words, sts = WordVectors.load(options.vectors), read_sts(options.sts)
    sick = read_sick(options.sick) if options.sick else None
    universes = {
        "identity": Universe.identity(words.dim),
        "PCA": Universe.pca(words.in_dictionary()),
    }
    print("| universe | detail | mean | weighted | all | SICK |\n|---|---|---|---|---|---|")
    for kind, universe in universes.items():
        for name, model in variants(words, universe):
            result = evaluate(model, sts)
            schools = ("mean", "weighted", "all")
            cells = [100 * result.summary(school)["average"] for school in schools]
            if sick:
                cells.append(100 * evaluate(model, sick).summary("all")["average"])
            row = " | ".join(f"{cell:.1f}" for cell in cells)
            print(f"| {kind} | {name} | {row} |", flush=True)


if __name__ == "__main__":
    main()
