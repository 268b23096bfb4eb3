"""Vectors of character n-grams whose mean is near the vector of a word, for words yet unknown."""

import warnings
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import accumulate

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sfbow.subwords import Subwords

_STEPS = 40  # of conjugate gradients; more change nothing that matters
_TINY = 1e-30


def fit_subwords(
    words: list[str],
    table: NDArray[np.float32],
    *,
    shortest: int = 3,
    longest: int = 4,
    buckets: int = 8192,
    ridge: float = 0.1,
) -> Subwords:
    """Find B of the least Σ ‖v(w) − mean of B over the n-grams of w‖² + ridge · ‖B‖².

    A bucket that no word has takes the vector of one that some word has, so that words without
    any known n-gram are not nothing, and differ from each other.
    """
    means = _means(words, range(shortest, longest + 1), buckets)
    transposed = means.t().to_sparse_csr()
    target = transposed @ torch.from_numpy(table)

    def normal(b: Tensor) -> Tensor:
        result: Tensor = transposed @ (means @ b) + ridge * b
        return result

    found = _solve(normal, target).numpy()
    used = np.bincount(means.col_indices().numpy(), minlength=buckets) > 0
    chosen = np.random.default_rng(0).choice(np.flatnonzero(used), buckets - int(used.sum()))
    found[~used] = found[chosen]
    return Subwords(shortest, longest, found)


def _solve(operator: Callable[[Tensor], Tensor], target: Tensor) -> Tensor:
    """Solve operator(x) = target by conjugate gradients, each column by itself."""
    x, residual = torch.zeros_like(target), target.clone()
    direction, size = residual.clone(), (residual * residual).sum(0)
    for _ in range(_STEPS):
        image = operator(direction)
        rate = size / (direction * image).sum(0).clamp_min(_TINY)
        x += rate * direction
        residual -= rate * image
        size, before = (residual * residual).sum(0), size
        direction = residual + size / before.clamp_min(_TINY) * direction
    return x


def _means(words: list[str], lengths: range, buckets: int) -> Tensor:
    """Give the matrix that takes the mean of each word's n-grams."""
    places = [_places(word, lengths, buckets) for word in words]
    bounds = torch.tensor([0, *accumulate(map(len, places))])
    columns = torch.tensor([place for row in places for place in row])
    shares = [count / row.total() for row in places for count in row.values()]
    size = (len(words), buckets)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # PyTorch's, that this format is young
        return torch.sparse_csr_tensor(
            bounds, columns, torch.tensor(shares), size=size, check_invariants=True
        )


def _places(word: str, lengths: range, buckets: int) -> Counter[int]:
    """Count the n-grams of '<word>' in each bucket, as `Subwords` has them; buckets in order."""
    framed = f"<{word}>"
    return Counter(
        sorted(
            _hash(framed[i : i + length]) % buckets
            for length in lengths
            for i in range(len(framed) - length + 1)
        )
    )


@cache
def _hash(ngram: str) -> int:
    """32-bit FNV-1a, each byte taken with its sign."""
    value = 2166136261
    for byte in ngram.encode("utf-8", "surrogatepass"):
        value = (value ^ (byte - 256 if byte > 127 else byte)) % 2**32 * 16777619 % 2**32
    return value
