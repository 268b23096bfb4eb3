"""What composing unknown words is worth: SICK with misspelt words, and with words unlearned.

usage: python benchmarks/unknown_words.py --sick DIR [--model FOLDER] [--quick | --speed]

Spearman ×100 of similarity and relatedness, train and trial. "misspelt": of the words with four
letters or more this share has two letters swapped, one left out or one doubled, in both sentences
of a pair and independently; the mean over seeds. "unlearned": the model knows the 2,000 or 5,000
most frequent words only, and composes the others from what these teach. "as it is": SICK itself.
--speed tells sentences a second, on one thread, beside the same model that leaves them out.
"""

import argparse
import random
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from machine import describe, median_seconds

from sfbow import SFBoW, Universe, WordVectors
from sfbow.coverage import measure_coverage
from sfbow.distill.composition import fit_subwords
from sfbow.evaluation import Benchmark, Edition, PairSet, evaluate, read_sick
from sfbow.memberships import whole_table
from sfbow.subwords import Subwords

SHARES = (0.1, 0.3)
KNOWN = (2_000, 5_000)

Compose = Callable[[list[str], np.ndarray], Subwords | None]


def misspelt(benchmark: Benchmark, share: float, seed: int) -> Benchmark:
    """Misspell a share of the longer words."""
    rng = random.Random(seed)  # noqa: S311 - no secret

    def change(match: re.Match[str]) -> str:
        word = match[0]
        if rng.random() >= share:
            return word
        i = rng.randrange(1, len(word) - 1)  # the first and the last letter stay
        return rng.choice(
            [
                word[:i] + word[i + 1] + word[i] + word[i + 2 :],
                word[:i] + word[i + 1 :],
                word[:i] + word[i] + word[i:],
            ]
        )

    def texts(side: list[str]) -> list[str]:
        return [re.sub(r"[^\W\d_]{4,}", change, text) for text in side]

    (pairs,) = benchmark.editions[0].sets
    changed = PairSet(pairs.name, texts(pairs.left), texts(pairs.right), pairs.gold)
    return Benchmark(benchmark.name, (Edition(pairs.name, (changed,)),))


class Pieces:
    """The longest beginning of a word that is known, then of what is left: the mean of these."""

    def __init__(self, words: list[str], table: np.ndarray) -> None:
        self._rows = {word: table[row] for row, word in enumerate(words)}

    def vector(self, word: str) -> np.ndarray | None:
        """Compose a word; None where not even a letter of it is known."""
        found = []
        while word:
            end = next((n for n in range(len(word), 0, -1) if word[:n] in self._rows), 0)
            if end:
                found.append(self._rows[word[:end]])
            word = word[max(1, end) :]
        return np.mean(found, axis=0) if found else None


def ngrams(**options: float) -> Compose:
    """Compose from character n-grams."""
    return lambda words, table: fit_subwords(words, table, **options)


def around_mean(words: list[str], table: np.ndarray) -> Subwords:
    """Compose what a word has beyond the mean of the rarer half of all words."""
    mean = table[len(table) // 2 :].mean(axis=0)
    found = fit_subwords(words, table - mean)
    return Subwords(found.shortest, found.longest, found.buckets + mean)


def longer(words: list[str], table: np.ndarray) -> Subwords:
    """Compose, and make what comes out a quarter longer."""
    found = fit_subwords(words, table)
    return Subwords(found.shortest, found.longest, found.buckets, 1.25)


def variants(quick: bool) -> Iterator[tuple[str, Compose]]:
    """Yield ways to compose."""
    yield "left out", lambda *_: None
    yield "3-4-grams, 8,192 buckets, ridge 0.1", ngrams()
    if quick:
        return
    for shortest, longest in ((2, 3), (2, 4), (3, 3), (3, 5), (3, 6)):
        yield f"{shortest}-{longest}-grams", ngrams(shortest=shortest, longest=longest)
    yield "32,768 buckets", ngrams(buckets=32_768)
    yield "3-5-grams, 32,768 buckets", ngrams(longest=5, buckets=32_768)
    for ridge in (0.01, 1.0):
        yield f"ridge {ridge:g}", ngrams(ridge=ridge)
    yield "around the mean of rare words", around_mean
    yield "1.25 times as long", longer


def model_of(words: list[str], table: np.ndarray, subwords: Subwords | None, like: SFBoW) -> SFBoW:
    """Make a model that differs in how it composes."""
    vectors = WordVectors(words, table, subwords=subwords)
    universe = Universe.identity(vectors.dim).signed()
    return SFBoW(vectors, universe, weights=None, measure=like.measure, casing="lower")


def with_pieces(words: list[str], table: np.ndarray, unknown: set[str], like: SFBoW) -> SFBoW:
    """Make a model that knows these unknown words by their pieces."""
    pieces = Pieces(words, table)
    found = {word: pieces.vector(word) for word in sorted(unknown - set(words))}
    kept = {word: vector for word, vector in found.items() if vector is not None}
    rows = np.concatenate([table, np.array(list(kept.values()), np.float32)]) if kept else table
    return model_of(words + list(kept), rows, None, like)


def words_of(benchmarks: list[Benchmark]) -> set[str]:
    """Give all words of some benchmarks."""
    sets = [benchmark.editions[0].sets[0] for benchmark in benchmarks]
    texts = [text for pairs in sets for text in (*pairs.left, *pairs.right)]
    return {word for text in texts for word in re.findall(r"\w+", text.lower())}


def score(model: SFBoW, benchmarks: list[Benchmark]) -> float:
    """Give the mean over benchmarks."""
    found = [evaluate(model, each).summary("all")["average"] for each in benchmarks]
    return 100 * float(np.mean(found))


def misspell_any(text: str, share: float, rng: random.Random) -> str:
    """Scramble a share of all words beyond recognition."""
    return " ".join(
        "".join(rng.sample(word, len(word))) + rng.choice("qxzv") if rng.random() < share else word
        for word in text.split()
    )


def speed(model: SFBoW, plain: Benchmark) -> None:
    """Print sentences a second by share of unknown words."""
    words = model.vocabulary.words
    table = whole_table(model.memberships)
    without = model_of(words, table, None, model).quantized()
    (pairs,) = plain.editions[0].sets
    rng = random.Random(0)  # noqa: S311 - no secret
    print(f"{describe()}; {model}\n| unknown | composed | left out | ratio |\n|---|---|---|---|")
    for share in (0.0, 0.05, 0.1):
        texts = [misspell_any(text, share, rng) for text in 6 * (pairs.left + pairs.right)]
        known = measure_coverage(texts, model.vocabulary, model.tokenizer)
        rates = []
        for each in (model, without):
            out = np.empty((len(texts), each.size), np.float32)
            encode = partial(each.encode, texts, out=out, threads=1)
            rates.append(len(texts) / median_seconds(encode, 9))
        unknown = 1 - known.known_tokens / known.tokens
        print(f"| {unknown:.1%} | {rates[0]:,.0f} | {rates[1]:,.0f} | {rates[0] / rates[1]:.2f} |")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sick", type=Path, required=True)
    parser.add_argument("--model", help="a model's folder; default: the model in sfbow")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="with and without composition only")
    parser.add_argument("--speed", action="store_true", help="sentences a second only")
    options = parser.parse_args()

    base = SFBoW.from_pretrained(options.model)
    words = base.vocabulary.words
    table = whole_table(base.memberships)
    plain = [read_sick(options.sick)]
    if options.speed:
        speed(base, plain[0])
        return
    wrong = [[misspelt(plain[0], share, seed) for seed in range(options.seeds)] for share in SHARES]
    tasks = [(len(words), plain), *((len(words), each) for each in wrong)]
    tasks += [(known, plain) for known in KNOWN]

    heads = ["as it is", *(f"{share:.0%} misspelt" for share in SHARES)]
    heads += [f"{known:,} words learned" for known in KNOWN]
    print(f"| unknown words | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")

    def show(name: str, make: Callable[[int, list[Benchmark]], SFBoW]) -> None:
        cells = [f"{score(make(known, task), task):.2f}" for known, task in tasks]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)

    for name, compose in variants(options.quick):
        fitted = {known: compose(words[:known], table[:known]) for known, _ in tasks}
        show(
            name,
            lambda known, task, fitted=fitted: model_of(
                words[:known], table[:known], fitted[known], base
            ),
        )
    if not options.quick:
        show(
            "pieces",
            lambda known, task: with_pieces(words[:known], table[:known], words_of(task), base),
        )


if __name__ == "__main__":
    main()
