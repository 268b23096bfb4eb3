"""Vectors of unknown words are fastText's own."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfbow.errors import InputError
from sfbow.readers import open_vectors
from sfbow.readers.sent2vec_binary import read_word_ngrams
from sfbow.subwords import Subwords

FIXTURES = Path(__file__).parents[2] / "shared" / "fixtures"
needs_fixtures = pytest.mark.skipif(
    not FIXTURES.is_dir(), reason=f"the models of other programs are not in {FIXTURES}"
)


def compose(subwords: Subwords, words: list[bytes]) -> np.ndarray:
    ends = np.cumsum([len(word) for word in words], dtype=np.int64)
    starts = np.concatenate([np.zeros(1, np.int64), ends])[:-1]
    return subwords.compose(np.frombuffer(b"".join(words), np.uint8), starts, ends)


def definition(subwords: Subwords, word: bytes) -> np.ndarray:
    """The mean over all runs of characters of '<word>' of the right lengths."""
    characters: list[bytes] = []
    for byte in b"<" + word + b">":
        if byte & 0xC0 == 0x80:
            characters[-1] += bytes([byte])
        else:
            characters.append(bytes([byte]))
    rows = [
        subwords.buckets[hash_of(b"".join(characters[i:j])) % len(subwords.buckets)]
        for i in range(len(characters))
        for j in range(i + 1, len(characters) + 1)
        if subwords.shortest <= j - i <= subwords.longest
        and not (j - i == 1 and (i == 0 or j == len(characters)))
    ]
    if not rows or word == b"</s>":
        return np.zeros(subwords.buckets.shape[1])
    return subwords.scale * np.mean(rows, axis=0)


def hash_of(text: bytes) -> int:
    value = 2166136261
    for byte in text:
        value = (value ^ (byte - 256 if byte > 127 else byte)) % 2**32 * 16777619 % 2**32
    return value


@needs_fixtures
def test_fasttexts_own_answers():
    answers = json.loads((FIXTURES / "fasttext" / "word_vectors.json").read_text())
    stream = open_vectors(FIXTURES / "fasttext" / "skipgram_24d.bin")
    known = {
        block.buffer[start:end].tobytes()
        for block in stream.blocks
        for start, end in zip(block.offsets[:-1], block.offsets[1:], strict=True)
    }
    unknown = [word for word in answers if word.encode() not in known]
    assert "zzzxqy" in unknown
    found = compose(stream.subwords, [word.encode() for word in unknown])
    np.testing.assert_allclose(found, [answers[word] for word in unknown], atol=1e-6)


@needs_fixtures
def test_sent2vecs_print_word_vectors():
    """Its answer for an unknown word, though without meaning, shows that buckets are read right."""
    folder = FIXTURES / "sent2vec"
    lines = (folder / "word_vectors.txt").read_text().splitlines()
    answer = next(line.split()[1:] for line in lines if line.startswith("guitar "))
    buckets = read_word_ngrams(folder / "unigram_bigram_24d.bin").buckets
    found = compose(Subwords(3, 6, buckets), [b"guitar"])[0]
    np.testing.assert_allclose(found, np.array(answer, float), rtol=5.1e-5, atol=1e-6)


@settings(deadline=None)
@given(
    st.lists(st.text("aé東😀<>x", max_size=9).map(str.encode), max_size=5),
    st.integers(1, 4),
    st.integers(0, 5),
    st.booleans(),
)
def test_definition(words, shortest, longer, is_small):
    buckets = np.random.default_rng(3).normal(size=(97, 5)).astype(np.float32)
    subwords = Subwords(shortest, shortest + longer, buckets)
    if is_small:
        subwords = subwords.quantized()
    words += [b"</s>", b"", b"broken \xff\xfe utf-8 \xc3"]
    expected = [definition(subwords, word) for word in words]
    np.testing.assert_allclose(compose(subwords, words), expected, atol=1e-6)


def test_8_bits_are_near():
    buckets = np.random.default_rng(3).normal(size=(97, 5)).astype(np.float32)
    small = Subwords(3, 6, buckets).quantized()
    assert small.buckets.dtype == np.int8
    step = np.abs(buckets).max() / 127
    np.testing.assert_allclose(small.buckets * small.scale, buckets, atol=step * 0.5001)


def test_without_ngrams_the_vector_is_zero():
    subwords = Subwords(5, 6, np.ones((10, 3), np.float32))
    np.testing.assert_array_equal(compose(subwords, [b"ab", b"abc"]), [[0, 0, 0], [1, 1, 1]])


def test_no_words():
    assert compose(Subwords(3, 6, np.ones((10, 3), np.float32)), []).shape == (0, 3)


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 1), (0, 5)])
def test_words_outside_of_the_buffer(start, end):
    subwords = Subwords(3, 6, np.ones((10, 3), np.float32))
    buffer = np.zeros(4, np.uint8)
    with pytest.raises(InputError, match="outside"):
        subwords.compose(buffer, np.array([start]), np.array([end]))
