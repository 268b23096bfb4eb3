"""From texts to fuzzy sets: the memberships of their words, pooled."""

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.inputs import Tokens
from sfbow.lookup import Found, count_repeats, find
from sfbow.mapped import check_whole
from sfbow.memberships import Floats, Table
from sfbow.model_folder import ModelParts
from sfbow.text import Texts, gather, lower_case

_NO_COUNTS = np.empty(0, np.int32)


def find_words(parts: ModelParts, texts: Texts | Tokens, *, places: bool) -> Found:
    """Look the words of texts up; unknown ones are left out, unless ``places`` are asked for."""
    vocabulary = parts.vocabulary
    check_whole(vocabulary.buffer, vocabulary.offsets, vocabulary.table)
    return find(texts, vocabulary, parts.tokenizer, places=places)


def word_tables(parts: ModelParts, found: Found) -> tuple[Table, Table, NDArray[np.int32]]:
    """Give a table, another one that goes on behind it, and the row of each word in them.

    A word without memberships has the row -1.
    """
    check_whole(*parts.memberships.arrays)
    table, rows = parts.memberships.select(found.rows)
    if parts.unknown is None or not (unknown := found.rows < 0).any():
        return table, table[:0], rows
    words = gather(found.buffer, found.starts[unknown], found.ends[unknown])
    if parts.tokenizer.casing == "lower":
        words = lower_case(words)
    composed, places = parts.unknown.memberships(words, parts.memberships.like_table)
    rows = rows.copy()
    rows[unknown] = len(table) + places
    return table, composed, rows


def pool(parts: ModelParts, texts: Texts | Tokens, result: Floats) -> None:
    """Write the fuzzy set of each text into a row of the result."""
    found = find_words(parts, texts, places=parts.unknown is not None)
    table, extra, rows = word_tables(parts, found)
    bounds, counts = found.bounds, _NO_COUNTS
    if parts.counts:
        rows, bounds, counts = count_repeats(rows, bounds)
    kernels.pool(
        table,
        extra,
        rows,
        bounds,
        counts,
        parts.universe.is_signed,
        parts.memberships.scale,
        result,
    )
