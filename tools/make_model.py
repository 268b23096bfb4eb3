"""Make src/sfbow/data/model, the model inside the package, from models that `sfbow distill` made.

usage: python tools/make_model.py MODEL...

The models are runs of one recipe (docs/distillation.md) with the same words and the same start, so
that the mean of their memberships is a model as well, and on SICK a better one. The most frequent
words are kept, as many as 20 MB hold; what all of them teach about words that are left out or
unknown is kept in the vectors of character n-grams.
"""

import sys
from pathlib import Path

import numpy as np

from sfbow import SFBoW, Universe, WordVectors
from sfbow.distill.composition import fit_subwords

WORDS = 63_000
TARGET = Path(__file__).parents[1] / "src/sfbow/data/model"


def main() -> None:
    """Average, shorten, compose, save."""
    runs = [SFBoW.from_pretrained(folder) for folder in sys.argv[1:]]
    words = runs[0].vocabulary.words
    if any(run.vocabulary.words != words for run in runs):
        sys.exit("the models have different words; give runs of one recipe")
    table = np.mean([run.memberships.table * run.memberships.scale for run in runs], axis=0)
    table = table.astype(np.float32)
    subwords = fit_subwords(words, table)
    vectors = WordVectors(words[:WORDS], table[:WORDS], subwords=subwords)
    universe = Universe.identity(vectors.dim).signed()
    model = SFBoW(vectors, universe, weights=None, measure="hellinger", casing="lower").quantized()
    model.save_pretrained(TARGET)
    size = sum(file.stat().st_size for file in TARGET.iterdir())
    print(f"{len(model.vocabulary):,} words, {model.size} fuzzy sets, {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
