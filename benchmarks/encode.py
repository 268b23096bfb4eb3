"""Sentences a second: sfbow against model2vec, from a list of str to a matrix of float32.

usage: python benchmarks/encode.py [--sts DIR] [--words GLOVE] [--tokenizer FILE]
                                   [--count N] [--dim D]

Both have the same words and as many dimensions, of random numbers, as the time does not depend on
them. DIR has SemEval's STS 2012-2016, whose sentences are repeated; without it sentences are made
of words by Zipf's law. FILE is the tokenizer.json of a BERT, such as potion-base-8M and
all-MiniLM-L6-v2 have: with it, a model2vec model of potion-base-8M's form runs beside the model
inside the package, 256 random numbers for each piece of a word.
"""

import argparse
from pathlib import Path

import numpy as np
from machine import describe, median_seconds, record
from tokenizers import Tokenizer

from sfbow import SFBoW, Universe, WordVectors
from sfbow.evaluation import read_sts

REPEATS = 5
DEFAULT_WORDS = Path("~/.cache/sfbow/glove.6B.100d.txt").expanduser()


def sentences(sts: Path | None, words: list[str], count: int) -> list[str]:
    """Repeat the sentences of STS until there are enough; or make sentences up."""
    if sts is None:
        rng = np.random.default_rng(0)
        ranks = np.minimum(rng.zipf(1.3, (count, 11)), len(words)) - 1
        return [" ".join(words[rank] for rank in row) for row in ranks]
    sets = [pairs for edition in read_sts(sts).editions for pairs in edition.sets]
    found = [text for pairs in sets for text in (*pairs.left, *pairs.right)]
    return (found * (count // len(found) + 1))[:count]


def peer(words: list[str], matrix: np.ndarray) -> object:
    """Make a model2vec model of the same words."""
    from model2vec import StaticModel
    from tokenizers import normalizers, pre_tokenizers
    from tokenizers.models import WordLevel

    vocabulary = {word: row for row, word in enumerate([*words, "[UNK]"])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106 - no secret
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return StaticModel(np.vstack([matrix, matrix[:1]]), tokenizer)


def peer_of_pieces(tokenizer: Path) -> object:
    """Make a model2vec model that cuts words into pieces."""
    from model2vec import StaticModel

    pieces = Tokenizer.from_file(str(tokenizer))
    pieces.no_padding()
    pieces.no_truncation()
    size = pieces.get_vocab_size()
    return StaticModel(np.random.default_rng(0).standard_normal((size, 256), np.float32), pieces)


def main() -> None:
    """Run both and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sts", type=Path)
    parser.add_argument("--words", type=Path, default=DEFAULT_WORDS)
    parser.add_argument("--tokenizer", type=Path)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=300)
    options = parser.parse_args()

    words = WordVectors.load(options.words).words
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((len(words), options.dim), dtype=np.float32)
    model = SFBoW(WordVectors(words, matrix), Universe.identity(options.dim).signed())
    texts = sentences(options.sts, words, options.count)
    tokens = sum(len(text.split()) for text in texts[:50_000]) / min(len(texts), 50_000)
    print(f"{describe()}; {len(texts):,} texts of {tokens:.1f} words; {len(words):,} words")

    out = np.empty((len(texts), model.size), np.float32)
    rates = {}
    for threads in (1, 2):
        seconds = median_seconds(lambda n=threads: model.encode(texts, out=out, threads=n), REPEATS)
        rates[threads] = len(texts) / seconds
        print(f"sfbow, {threads} threads, {model.size} numbers each: {rates[threads]:,.0f}/s")
    fresh = len(texts) / median_seconds(lambda: model.encode(texts, threads=2), REPEATS)
    print(f"sfbow, 2 threads, into a new matrix each time: {fresh:,.0f}/s")
    embedded = SFBoW.from_pretrained()
    inside = len(texts) / median_seconds(lambda: embedded.encode(texts, threads=2), REPEATS)
    print(f"the model inside the package, {embedded.size} numbers each, the same: {inside:,.0f}/s")
    part = texts[: max(1, len(texts) // 10)]
    other = peer(words, np.hstack([matrix, -matrix]))
    rate = len(part) / median_seconds(lambda: other.encode(part), REPEATS)
    print(f"model2vec, its defaults, {2 * options.dim} numbers each: {rate:,.0f}/s")
    print(f"two threads to one: {rates[2] / rates[1]:.2f}; to model2vec: {fresh / rate:.1f}")
    found = {
        "one thread": rates[1],
        "two threads": rates[2],
        "new matrix": fresh,
        "embedded": inside,
        "model2vec": rate,
    }
    if options.tokenizer:
        pieces = peer_of_pieces(options.tokenizer)
        rate = len(part) / median_seconds(lambda: pieces.encode(part), REPEATS)
        print(f"model2vec, pieces of words, 256 numbers each: {rate:,.0f}/s")
        print(f"the model inside the package to that: {inside / rate:.1f}")
        found["model2vec, pieces"] = rate
    record("encode", found)


if __name__ == "__main__":
    main()
