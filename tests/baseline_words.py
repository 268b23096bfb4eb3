"""Words and texts for the tests of baselines."""

import numpy as np
from hypothesis import strategies as st

from sfbow import WordVectors

NAMES = [f"w{i}" for i in range(12)]
texts = st.lists(st.sampled_from([*NAMES, "unknown"]), max_size=9).map(" ".join)


def numbered_words(seed: int, dim: int = 5) -> WordVectors:
    """Give random vectors to w0, w1, …; w3 is zero, and all have something in common."""
    matrix = np.random.default_rng(seed).standard_normal((len(NAMES), dim)) + 0.5
    matrix[3] = 0
    return WordVectors(NAMES, matrix.astype(np.float32))


def vectors_of(words: WordVectors, text: str) -> np.ndarray:
    """Give the vectors of the known words of a text, cut at spaces, in float64."""
    rows = [words[word] for word in text.split() if word in words]
    return np.array(rows, np.float64).reshape(len(rows), words.dim)
