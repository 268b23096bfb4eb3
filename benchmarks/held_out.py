"""How well models follow their teacher on 2,000 sentences that `sfbow distill` holds out.

usage: python benchmarks/held_out.py TEACHER TEXTS [--model FOLDER]... [--longest N] [--sick DIR]

Spearman with the teacher's cosines: of all pairs, and "near" of each sentence and the five nearest
to it. TEXTS and --longest are those of the distillation; without --model, the model in sfbow is
measured. The figures are those of docs/distillation.md.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfbow import SFBoW
from sfbow.distill import Settings
from sfbow.distill.devices import find_device
from sfbow.distill.held_out import split
from sfbow.distill.teacher import Teacher
from sfbow.distill.texts import read_sentences, short_sentences
from sfbow.evaluation import evaluate, read_sick
from sfbow.evaluation.correlation import average_ranks, pearson

NEAREST = 5


def correlations(ours: NDArray[np.float32], teachers: NDArray[np.float32]) -> list[float]:
    """Correlate all pairs, and those of each row and its nearest ones by the teacher."""
    without_self = teachers - 2 * np.eye(len(teachers), dtype=np.float32)
    near = np.argsort(-without_self, axis=1)[:, :NEAREST]
    places = (np.triu_indices(len(ours), 1), (np.arange(len(ours))[:, None], near))
    return [
        pearson(average_ranks(ours[at].ravel()), average_ranks(teachers[at].ravel()))
        for at in places
    ]


def main() -> None:
    """Print a row for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("teacher")
    parser.add_argument("texts", type=Path)
    parser.add_argument("--model", action="append", help="a model's folder")
    parser.add_argument("--longest", type=int, default=Settings().longest)
    parser.add_argument("--sick", type=Path)
    options = parser.parse_args()

    sentences = short_sentences(read_sentences([options.texts]), options.longest)
    held_out = [sentences[i] for i in split(len(sentences), Settings().held_out)[1]]
    vectors = Teacher(options.teacher, find_device("auto")).encode(held_out)
    sick = read_sick(options.sick) if options.sick else None
    for folder in options.model or [None]:
        model = SFBoW.from_pretrained(folder)
        sets = model.encode(held_out)
        all_pairs, near = correlations(model.similarity(sets, sets), vectors @ vectors.T)
        row = f"{folder or 'the model in sfbow'}: held-out {all_pairs:.3f}, near {100 * near:.1f}"
        if sick:
            row += f", SICK {100 * evaluate(model, sick).summary('all')['average']:.2f}"
        print(row, flush=True)


if __name__ == "__main__":
    main()
