"""A vocabulary is a dict from words to rows, whatever the words are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfbow import kernels
from sfbow.errors import InputError
from sfbow.kernels.codes import AS_GIVEN
from sfbow.text import Texts
from sfbow.vocabulary import Vocabulary, VocabularyBuilder, pack_words

word_lists = st.lists(st.text(st.sampled_from("ab\0é東"), max_size=3), max_size=40)


def as_dict(words: list) -> dict:
    return {word: row for row, word in enumerate(dict.fromkeys(words))}


@given(word_lists, word_lists)
def test_a_vocabulary_is_a_dict(words, others):
    rows = as_dict(words)
    vocabulary = Vocabulary.of(words)
    assert vocabulary.words == list(rows)
    assert len(vocabulary) == len(rows)
    found = vocabulary.find(Texts.of(words + others), AS_GIVEN)
    assert found.tolist() == [rows.get(word, -1) for word in words + others]
    for word in others:
        assert (word in vocabulary) == (word in rows)
        assert vocabulary.row(word) == rows.get(word, -1)


@given(st.lists(st.lists(st.binary(max_size=3), max_size=20), max_size=6))
def test_a_growing_vocabulary_tells_what_is_new(portions):
    builder, seen = VocabularyBuilder(), {}
    for portion in portions:
        expected = []
        for word in portion:
            expected.append(word not in seen)
            seen.setdefault(word, len(seen))
        assert builder.add(Texts.of_bytes(portion)).tolist() == expected
    vocabulary = builder.finish()
    words = Texts.of_bytes(list(seen))
    assert vocabulary.buffer.tobytes() == words.buffer.tobytes()
    np.testing.assert_array_equal(vocabulary.offsets, words.offsets)
    assert vocabulary.find(words, AS_GIVEN).tolist() == list(range(len(seen)))


def test_two_hundred_thousand_words():
    words = [f"{number * 2654435761 % 2**32:x}" for number in range(200_000)]
    vocabulary = Vocabulary.of(words + words[:1000])
    assert vocabulary.words == words
    assert np.count_nonzero(vocabulary.table) == len(words)
    order = np.random.default_rng(0).permutation(len(words))
    found = vocabulary.find(Texts.of([words[row] for row in order]), AS_GIVEN)
    np.testing.assert_array_equal(found, order)
    assert (vocabulary.find(Texts.of([word + "!" for word in words]), AS_GIVEN) == -1).all()


def test_a_table_with_a_single_free_slot_still_answers():
    words = Texts.of_bytes([bytes([code]) for code in range(255)])
    builder = VocabularyBuilder()
    builder.add(words)
    sparse = builder.finish()
    table = np.zeros(256, sparse.table.dtype)
    kernels.fill_table(sparse.buffer, sparse.offsets, 255, table)
    assert np.count_nonzero(table) == 255
    vocabulary = Vocabulary(sparse.buffer, sparse.offsets, table)
    np.testing.assert_array_equal(vocabulary.find(words, AS_GIVEN), np.arange(255))
    assert vocabulary.find(Texts.of_bytes([b"", b"\xff", b"aa"]), AS_GIVEN).tolist() == [-1] * 3


@given(word_lists, st.data())
def test_taking_rows(words, data):
    distinct = list(as_dict(words))
    chosen = data.draw(st.permutations(range(len(distinct))))[: len(distinct) // 2]
    taken = Vocabulary.of(words).take(np.array(chosen, np.int64))
    assert taken.words == [distinct[row] for row in chosen]
    assert [taken.row(word) for word in taken.words] == list(range(len(chosen)))


@pytest.mark.parametrize(
    ("words", "is_cased"),
    [
        ([], False),
        (["cat", "東", "É"], False),
        (["Cat"], True),
        (["A", *map(str, range(99))], True),
        (["ABC", *map(str, range(100))], False),
    ],
)
def test_which_vocabulary_knows_capitals(words, is_cased):
    assert Vocabulary.of(words).is_cased is is_cased


@pytest.mark.parametrize("word", ["\udcff", "a\udc80\ud800", "\U0010ffff", ""])
def test_words_that_utf_8_does_not_know_can_be_found(word):
    vocabulary = Vocabulary.of(["a", word])
    assert word in vocabulary
    assert vocabulary.row(vocabulary.words[1]) == 1


def test_only_strings_are_words():
    assert 3 not in Vocabulary.of(["3"])
    with pytest.raises(InputError, match=r"^words: expected strings, found int; convert"):
        pack_words(["a", 3])


def test_a_vocabulary_has_its_limit():
    class TooMuch:
        """Texts as if their buffer had 2 GiB."""

        buffer = range(1 << 31)

        def __len__(self):
            return 1

    with pytest.raises(InputError, match=r"at most 2 GiB of words, found 2147483648 bytes"):
        VocabularyBuilder().add(TooMuch())
