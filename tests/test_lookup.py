"""Words that are already cut are looked up as words of a text are, and counted."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfbow.inputs import pack
from sfbow.lookup import count_repeats, find
from sfbow.text import Texts, Tokenizer
from sfbow.vocabulary import Vocabulary

VOCABULARY = Vocabulary.of(["cat", "Dog", "new york", "straße", "", "CAT"])
TOKENS = [["cat", "CAT", "Cat"], [], ["DOG", "Dog", "dog", "bird"], ["New York", "STRASSE", ""]]


@pytest.mark.parametrize(
    ("casing", "expected"),
    [
        ("keep", [[0, 5, -1], [], [-1, 1, -1, -1], [-1, -1, 4]]),
        ("lower", [[0, 0, 0], [], [-1, -1, -1, -1], [2, -1, 4]]),
        ("both", [[0, 5, 0], [], [-1, 1, -1, -1], [2, -1, 4]]),
    ],
)
@pytest.mark.parametrize("places", [True, False])
def test_tokens_are_looked_up_whole(casing, places, expected):
    found = find(pack(TOKENS), VOCABULARY, Tokenizer(casing), places=places)
    if not places:
        expected = [[row for row in rows if row >= 0] for rows in expected]
    assert [part.tolist() for part in np.split(found.rows, found.bounds[1:-1])] == expected
    assert len(found.starts) == len(found.ends) == len(found.rows)


def test_places_name_the_words():
    texts = Texts.of(["the Cat, the dög", "", "new york"])
    found = find(texts, VOCABULARY, Tokenizer("lower"), places=True)
    data = found.buffer.tobytes()
    words = [data[start:end].decode() for start, end in zip(found.starts, found.ends, strict=True)]
    assert words == ["the", "Cat", ",", "the", "dög", "new", "york"]
    assert found.rows.tolist() == [-1, 0, -1, -1, -1, -1, -1]
    assert found.bounds.tolist() == [0, 5, 5, 7]


@given(st.lists(st.lists(st.one_of(st.integers(0, 4), st.integers(0, 2**31 - 1)), max_size=9)))
def test_counting_repeats(sentences):
    rows = np.array([row for sentence in sentences for row in sentence], np.int32)
    bounds = np.cumsum([0, *map(len, sentences)])
    distinct, new_bounds, counts = count_repeats(rows, bounds)
    assert distinct.dtype == counts.dtype == np.int32
    assert new_bounds.dtype == np.int64
    found = [
        dict(zip(distinct[start:end].tolist(), counts[start:end].tolist(), strict=True))
        for start, end in pairwise(new_bounds)
    ]
    assert found == [dict(Counter(sentence)) for sentence in sentences]
    assert len(distinct) == sum(map(len, found))
