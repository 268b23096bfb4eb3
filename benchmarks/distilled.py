"""A distilled model taken apart: measures, fewer axes, fewer bits, and pooling by mean instead.

usage: python benchmarks/distilled.py --sick DIR [--sts DIR] [--model FOLDER] [--table FOLDER]...

Spearman ×100; STS 2012-2016 is the average over editions of all pairs of an edition. --table adds
word tables of other models (model2vec, StaticEmbedding, or a transformer with model.safetensors and
tokenizer.json, whose input embeddings are taken): what fuzzy pooling makes of them beside the mean.
The figures go to docs/distillation.md.
"""

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sfbow import SFBoW, Sif, Universe, WordVectors, similarity_pairwise
from sfbow.baselines import AverageOfWords
from sfbow.evaluation import Benchmark, evaluate, read_sick, read_sts
from sfbow.measures import Measure
from sfbow.memberships import whole_table
from sfbow.readers.tokenizer import read_tokens
from sfbow.safetensors import map_tensor, read_header

MEASURES: tuple[Measure, ...] = ("hellinger", "otsuka", "dice", "jaccard")


class Changed:
    """A model whose sentence vectors are changed before they are compared."""

    def __init__(self, model: SFBoW, change: Any, measure: Measure | None = None) -> None:  # noqa: ANN401
        self._model = model
        self._change = change
        self._measure = measure or model.measure

    def encode(self, sentences: list[str]) -> np.ndarray:
        """Encode and change."""
        return self._change(self._model.encode(sentences))

    def similarity_pairwise(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Compare by the measure."""
        return similarity_pairwise(a, b, measure=self._measure)


def unchanged(vectors: np.ndarray) -> np.ndarray:
    """Leave vectors as they are."""
    return vectors


def with_levels(vectors: np.ndarray, levels: int, power: float, largest: float) -> np.ndarray:
    """Round to the levels k of largest · (k / levels) ** power."""
    places = np.rint((vectors / largest).clip(0, 1) ** (1 / power) * levels)
    return (largest * (places / levels) ** power).astype(np.float32)


def on_axes(vectors: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Keep both fuzzy sets of some axes."""
    return np.ascontiguousarray(vectors[:, np.concatenate([axes, axes + vectors.shape[1] // 2])])


def variants(model: SFBoW, sick: Benchmark) -> Iterator[tuple[str, str, object]]:
    """Yield a table's name, a row's name and what is evaluated."""
    for measure in MEASURES:
        yield "measure", measure, Changed(model, unchanged, measure)
    words = words_of(model)
    yield "measure", "mean of the same vectors, cosine", AverageOfWords(words, punctuation=False)

    texts = [text for pairs in sick.editions[0].sets for text in (*pairs.left, *pairs.right)]
    vectors = model.encode(texts)
    largest = float(vectors.max())
    size = model.size
    for bits in (8, 4, 2):
        for power, kind in ((1, "even levels"), (2, "levels of roots")):
            change = partial(with_levels, levels=2**bits - 1, power=power, largest=largest)
            name = f"{bits} bits, {kind}, {size * bits // 8} bytes"
            yield "sentence vectors", name, Changed(model, change)

    half = size // 2
    masses = vectors.sum(axis=0)
    by_mass = np.argsort(-(masses[:half] + masses[half:]), kind="stable")
    for count in (256, 128, 64, 32):
        if count >= half:
            continue
        for order, kind in ((np.arange(half), "the first"), (by_mass, "the heaviest on SICK")):
            change = partial(on_axes, axes=order[:count])
            yield "axes", f"{count} axes, {kind}", Changed(model, change)


def words_of(model: SFBoW) -> WordVectors:
    """Give the memberships of a model's words as word vectors."""
    return WordVectors(model.vocabulary.words, whole_table(model.memberships))


def transformer_words(folder: Path) -> WordVectors:
    """Read the input embeddings of a transformer: whole words only, as pieces are marked."""
    header = read_header(folder / "model.safetensors")
    name = next(name for name in header if name.endswith("word_embeddings.weight"))
    matrix = np.array(map_tensor(folder / "model.safetensors", header[name]), np.float32)
    tokens = {i: word.decode() for i, word in read_tokens(folder / "tokenizer.json").items()}
    kept = [i for i, word in tokens.items() if word.isalnum()]
    return WordVectors([tokens[i] for i in kept], matrix[kept])


def pooled(words: WordVectors, *, weighted: bool) -> Iterator[tuple[str, object]]:
    """Yield ways to make sentences of a table of words, each with the same weights."""
    weights = None if weighted else Sif()
    yield "mean, cosine", AverageOfWords(words, weights=weights, punctuation=False)
    universes = {
        "as it is": Universe.identity(words.dim),
        "ICA": Universe.ica(words.most_frequent(50_000)),
    }
    for kind, universe in universes.items():
        for measure in ("otsuka", "hellinger"):
            model = SFBoW(words, universe.signed(), weights=weights, measure=measure)
            yield f"fuzzy, {kind}, {measure}", model


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sick", type=Path, required=True)
    parser.add_argument("--sts", type=Path)
    parser.add_argument("--model", help="a model's folder; default: the model in sfbow")
    parser.add_argument("--table", type=Path, action="append", default=[])
    options = parser.parse_args()
    sick = read_sick(options.sick)
    sts = read_sts(options.sts) if options.sts else None

    def row(name: str, model: Any) -> None:  # noqa: ANN401
        cells = [evaluate(model, each) for each in (sick, sts) if each is not None]
        scores = [f"{100 * cell.summary('all')['average']:.2f}" for cell in cells]
        print(f"| {name} | {' | '.join(scores)} |", flush=True)

    def head(name: str) -> None:
        columns = ["SICK"] + (["STS"] if sts else [])
        print(f"\n| {name} | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")

    model = SFBoW.from_pretrained(options.model)
    print(model)
    before = ""
    for table, name, changed in variants(model, sick):
        if table != before:
            head(table)
            before = table
        row(name, changed)
    tables = {"this model's words": (words_of(model), True)}
    for folder in options.table:
        is_static = not (folder / "vocab.txt").exists()
        tables[folder.name] = (
            (WordVectors.load(folder), True) if is_static else (transformer_words(folder), False)
        )
    for name, (words, weighted) in tables.items():
        head(f"{name}: {len(words):,} words of {words.dim} numbers")
        for kind, each in pooled(words, weighted=weighted):
            row(kind, each)


if __name__ == "__main__":
    main()
