"""How much of a text a vocabulary knows."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfbow.inputs import batches, pack
from sfbow.lookup import Found, find
from sfbow.text import Texts, Tokenizer, gather, lower_case
from sfbow.vocabulary import Vocabulary

_BATCH = 4096


@dataclass
class Coverage:
    """Counts over texts; ``unknown`` has the unknown words and how often they occur."""

    texts: int = 0
    texts_without: int = 0
    tokens: int = 0
    known_tokens: int = 0
    known_words: int = 0
    unknown: Counter[str] = field(default_factory=Counter)

    @property
    def words(self) -> int:
        """The number of distinct words."""
        return self.known_words + len(self.unknown)


def measure_coverage(
    texts: Iterable[str], vocabulary: Vocabulary, tokenizer: Tokenizer
) -> Coverage:
    """Count the words of texts that a vocabulary knows."""
    result = Coverage()
    seen = np.zeros(len(vocabulary), np.bool_)
    for batch in batches(texts, _BATCH):
        found = find(pack(batch), vocabulary, tokenizer, places=True)
        known = found.rows >= 0
        seen[found.rows[known]] = True
        before = np.concatenate([[0], np.cumsum(known)])
        in_text = before[found.bounds[1:]] - before[found.bounds[:-1]]
        result.texts += len(batch)
        result.texts_without += int((in_text == 0).sum())
        result.tokens += len(known)
        result.known_tokens += int(known.sum())
        result.unknown.update(_unknown_words(found, ~known, tokenizer))
    result.known_words = int(seen.sum())
    return result


def _unknown_words(found: Found, unknown: NDArray[np.bool_], tokenizer: Tokenizer) -> list[str]:
    words = gather(found.buffer, found.starts[unknown], found.ends[unknown])
    if tokenizer.casing != "keep":
        words = lower_case(words)
    return _strings(words)


def _strings(words: Texts) -> list[str]:
    data, bounds = words.buffer.tobytes(), words.offsets.tolist()
    return [data[start:stop].decode("utf-8", "replace") for start, stop in pairwise(bounds)]
