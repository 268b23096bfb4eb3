"""Sent2Vec, against the program itself and against its formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfbow import VectorFileError, WordVectors, kernels
from sfbow.baselines import Sent2Vec
from sfbow.readers.sent2vec_binary import read_word_ngrams


@pytest.fixture
def folder(shared_folder):
    return shared_folder("fixtures") / "sent2vec"


@pytest.fixture
def program(folder):
    return Sent2Vec(folder / "unigram_bigram_24d.bin")


def test_the_program_says_the_same(folder, program):
    sentences = (folder / "sentences.txt").read_text().removesuffix("\n").split("\n")
    lines = (folder / "sentence_vectors.txt").read_text().splitlines()
    printed = np.array([line.split() for line in lines], float)
    found = program.encode(sentences)
    assert found.shape == printed.shape == (5, program.size)
    # It prints 5 digits: half of the last one may be lost, and the rounding of float32.
    last_digit = 10.0 ** (np.floor(np.log10(np.abs(printed).clip(1e-30))) - 4)
    assert (np.abs(found - printed) <= 0.501 * last_digit).all()


def test_unknown_words_are_dropped_before_ngrams(program):
    assert (program.encode("a man") == program.encode("a qqzzx man")).all()
    assert (program.encode("a man") != program.encode("man a")).any()
    assert not program.encode("").any()


def test_tokenizer_options(folder):
    path = folder / "unigram_bigram_24d.bin"
    plain = Sent2Vec(path)
    raw = Sent2Vec(path, casing="lower", split="words", punctuation=False)
    assert (raw.encode("A man, (a guitar)!") == plain.encode("a man a guitar")).all()
    assert (plain.encode("A Man") == 0).all()
    one = plain.similarity_pairwise(plain.encode(["a man"]), raw.encode(["A man"]))
    assert one == pytest.approx(1)


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("a 1 2\nb 3 4\n")
    with pytest.raises(VectorFileError, match="expected a sent2vec model"):
        Sent2Vec(path)


def test_what_is_read_is_what_is_used(folder, program):
    path = folder / "unigram_bigram_24d.bin"
    words, ngrams = WordVectors.load(path), read_word_ngrams(path)
    a, b = words.vocabulary.row("a"), words.vocabulary.row("man")
    bucket = ngrams.buckets[(a * 116049371 + b) % len(ngrams.buckets)]
    expected = (words["a"] + words["man"] + bucket) / 3
    np.testing.assert_allclose(program.encode("a man"), expected, rtol=1e-5)


def average_by_definition(table, buckets, longest, rows):
    """The mean of all rows and of the buckets of their n-grams; h in Python's whole numbers."""
    found = [table[row] for row in rows]
    for first in range(len(rows) if len(buckets) else 0):
        code = int(rows[first])
        for row in rows[first + 1 : first + longest]:
            code = (code * 116049371 + int(row)) % 2**64
            found.append(buckets[code % len(buckets)])
    return np.mean(found, axis=0, dtype=np.float64) if found else np.zeros(table.shape[1])


@given(
    st.integers(0, 2**32),
    st.integers(0, 11),
    st.integers(1, 6),
    st.lists(st.lists(st.integers(0, 199), max_size=9), max_size=4),
)
def test_kernels(seed, buckets, longest, sentences):
    random = np.random.default_rng(seed)
    table = random.standard_normal((200, 6)).astype(np.float32)
    buckets = random.standard_normal((buckets, 6)).astype(np.float32)
    rows = np.array([row for rows in sentences for row in rows], np.int32)
    bounds = np.cumsum([0, *map(len, sentences)])
    out = np.full((len(sentences), 6), np.nan, np.float32)
    kernels.average_with_ngrams(table, buckets, longest, rows, bounds, out)
    expected = [average_by_definition(table, buckets, longest, rows) for rows in sentences]
    np.testing.assert_allclose(out, np.reshape(expected, out.shape), rtol=0, atol=1e-5)
    kernels.average(table, rows, bounds, out)
    expected = [average_by_definition(table, buckets, 1, rows) for rows in sentences]
    np.testing.assert_allclose(out, np.reshape(expected, out.shape), rtol=0, atol=1e-5)
