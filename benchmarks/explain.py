"""How long it takes to explain a pair of texts.

usage: python benchmarks/explain.py          (the model inside the package)
"""

import argparse
from itertools import pairwise

import numpy as np
from machine import describe, median_seconds

from sfbow import SFBoW

LENGTHS = (5, 11, 30, 100, 1000)
PAIRS = 100
REPEATS = 5


def main() -> None:
    """Time pairs of texts of several lengths, and encoding them for comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a model's folder; default: the model in sfbow")
    model = SFBoW.from_pretrained(parser.parse_args().model)
    rng = np.random.default_rng(0)
    # Frequent words more often than rare ones, as in language.
    ranks = rng.zipf(1.2, 10_000_000)
    ranks = ranks[ranks < len(model.vocabulary)]
    print(f"{describe()}; {model}")
    for length in LENGTHS:
        texts = [
            " ".join(model.vocabulary.words[rank] for rank in rng.choice(ranks, length))
            for _ in range(PAIRS + 1)
        ]

        def explain(texts: list[str] = texts) -> None:
            for a, b in pairwise(texts):
                model.explain(a, b).best_pairs(3)

        def compare(texts: list[str] = texts) -> None:
            for a, b in pairwise(texts):
                model.similarity_pairwise(model.encode(a), model.encode(b))

        ours, plain = (1e3 * median_seconds(each, REPEATS) / PAIRS for each in (explain, compare))
        print(
            f"{length:5} words: {ours:.3f} ms a pair; without words, {plain:.3f} ms; "
            f"ratio {ours / plain:.1f}"
        )


if __name__ == "__main__":
    main()
