"""Word vectors: words and rows that belong together, through every subset and every folder."""

import warnings

import numpy as np
import pytest
from conftest import WORDS, make_words, random_vectors, with_subwords

from sfbow import WordVectors
from sfbow.errors import InputError, OptionError, SfbowWarning, VectorFileError
from sfbow.mapped import row_blocks
from sfbow.subwords import Subwords


def write_text(path, words, matrix):
    lines = [
        word.encode("utf-8", "surrogateescape") + b" " + " ".join(map(str, row)).encode()
        for word, row in zip(words, matrix.tolist(), strict=True)
    ]
    path.write_bytes(b"\n".join([f"{len(lines)} {matrix.shape[1]}".encode(), *lines, b""]))
    return path


@pytest.fixture
def text_file(tmp_path):
    return write_text(tmp_path / "vectors.txt", WORDS, random_vectors(len(WORDS), 4))


def assert_same(a: WordVectors, b: WordVectors):
    assert a.words == b.words
    np.testing.assert_array_equal(a.matrix, b.matrix)
    np.testing.assert_array_equal(a.ranks, b.ranks)
    assert a.vocabulary.buffer.tobytes() == b.vocabulary.buffer.tobytes()


def test_words_and_their_rows(words):
    assert words.words == WORDS
    assert (len(words), words.dim, words.matrix.shape) == (10, 6, (10, 6))
    assert words.ranks.tolist() == list(range(10))
    for row, word in enumerate(WORDS):
        assert word in words
        np.testing.assert_array_equal(words[word], words.matrix[row])
    assert "bird" not in words
    assert 3 not in words
    with pytest.raises(KeyError, match="bird"):
        words["bird"]
    assert repr(words) == "<WordVectors: 10 words, 6 dimensions, arrays>"


def test_the_matrix_is_taken_as_it_is_and_cannot_be_written_to():
    matrix = random_vectors(2, 3)
    words = WordVectors(["a", "b"], matrix)
    assert np.shares_memory(words.matrix, matrix)
    assert matrix.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        words.matrix[0, 0] = 1


@pytest.mark.parametrize(
    ("words", "matrix", "message"),
    [
        (["a", "b"], np.ones((3, 2)), "matrix: expected 2 rows, one for each word, found 3"),
        (["a", "a"], np.ones((2, 2)), "words: expected distinct ones"),
        (["a", 3], np.ones((2, 2)), "words: expected strings, found int"),
        (["a"], np.array([[np.nan]]), "matrix, row 0: expected finite"),
        (["a", "b"], np.array([[1.0], [1e300]]), "matrix, row 1: expected finite"),
        (["a"], np.ones(1), "matrix: expected a table"),
        ([], np.ones((0, 2)), "matrix: expected a table"),
        (["a"], np.array([["1"]]), "matrix: expected real numbers"),
        (["a"], np.array([[1j]]), "matrix: expected real numbers"),
    ],
)
def test_arrays_that_do_not_fit(words, matrix, message):
    with pytest.raises(InputError, match=rf"^{message}"):
        WordVectors(words, matrix)


def test_subwords_of_another_width():
    subwords = Subwords(3, 6, np.ones((5, 3), np.float32))
    with pytest.raises(InputError, match=r"^subwords: expected 2 dimensions"):
        WordVectors(["a"], np.ones((1, 2)), subwords=subwords)


def test_most_frequent(words):
    assert words.most_frequent(3).words == WORDS[:3]
    assert np.shares_memory(words.most_frequent(3).matrix, words.matrix)
    assert words.most_frequent(10) is words
    assert words.most_frequent(99) is words
    for count in (0, -1, 1.5, True, "3"):
        with pytest.raises(OptionError, match=r"^count: expected a whole number from 1"):
            words.most_frequent(count)


def test_in_dictionary(words, tmp_path):
    file = tmp_path / "list.txt"
    file.write_text("CAFÉ\ncat\n\n", encoding="utf-8")
    for dictionary in (file, str(file), ["cat", "Café"], {"cat", "café"}):
        subset = words.in_dictionary(dictionary)
        assert subset.words == ["cat", "Cat", "café"]
        assert subset.ranks.tolist() == [1, 3, 4]
        for word in subset.words:
            np.testing.assert_array_equal(subset[word], words[word])
    assert "東" not in words.in_dictionary().words
    assert "cat" in words.in_dictionary()
    with pytest.raises(InputError, match="expected some of the 10 words in it, found none"):
        words.in_dictionary(["zebra"])


def test_ranks_survive_subsets_of_subsets_and_folders(words, tmp_path):
    subset = words.in_dictionary(["cat", "dog", "sat"]).in_dictionary(["dog", "sat"])
    assert subset.ranks.tolist() == [2, 6]
    subset.save(tmp_path)
    assert_same(WordVectors.load(tmp_path), subset)
    assert WordVectors.load(tmp_path).most_frequent(1).ranks.tolist() == [2]


def test_unknown_words_are_composed(words):
    composing = with_subwords(words)
    np.testing.assert_array_equal(composing["cat"], words["cat"])
    assert composing["unheard"].any()
    np.testing.assert_array_equal(composing["unheard"], composing["unheard"])
    assert "unheard" not in composing
    subset = composing.most_frequent(2)
    np.testing.assert_array_equal(subset["unheard"], composing["unheard"])


ODD_WORDS = ["a", "", "\0", "new\nline", "\udcff\udc80", "\ud800", "𝔸é", "x" * 100_000]


@pytest.mark.parametrize("dim", [1, 300])
def test_a_folder_gives_the_same_bits(tmp_path, dim):
    matrix = random_vectors(len(ODD_WORDS), dim)
    matrix[:, 0] = [0, -0.0, 1e-45, -1e-45, 3.4e38, -3.4e38, 1, 2]
    words = with_subwords(WordVectors(ODD_WORDS, matrix))
    words.save(tmp_path / "new" / "folder")
    loaded = WordVectors.load(str(tmp_path / "new" / "folder"))
    assert_same(loaded, words)
    assert loaded.matrix.tobytes() == matrix.tobytes()
    assert all(word in loaded for word in ODD_WORDS)
    assert loaded.format == words.format
    np.testing.assert_array_equal(loaded["unheard"], words["unheard"])


def test_a_folder_is_mapped_and_stays_right_when_it_is_replaced(words, tmp_path):
    words.save(tmp_path)
    loaded = WordVectors.load(tmp_path)
    base = loaded.matrix
    while isinstance(base.base, np.ndarray):
        base = base.base
    assert isinstance(base, np.memmap)
    make_words(3).most_frequent(2).save(tmp_path)
    assert_same(loaded, words)
    assert WordVectors.load(tmp_path).dim == 3


def test_saving_over_the_folder_that_is_mapped(words, tmp_path):
    words.save(tmp_path)
    loaded = WordVectors.load(tmp_path)
    loaded.save(tmp_path)
    assert_same(WordVectors.load(tmp_path), words)
    assert_same(loaded, words)


def test_limits(words, text_file, tmp_path):
    words.save(tmp_path / "folder")
    assert WordVectors.load(tmp_path / "folder", limit=3).words == WORDS[:3]
    assert WordVectors.load(text_file, limit=3).words == WORDS[:3]
    converted = WordVectors.convert(text_file, tmp_path / "converted", limit=3)
    assert converted.words == WORDS[:3]
    for read in (
        lambda: WordVectors.load(text_file, limit=0),
        lambda: WordVectors.convert(text_file, tmp_path / "x", limit=1.5),
    ):
        with pytest.raises(OptionError, match=r"^limit: expected a whole number from 1"):
            read()


def test_converting_is_loading(text_file, tmp_path):
    loaded = WordVectors.load(text_file)
    converted = WordVectors.convert(text_file, tmp_path / "folder")
    assert_same(converted, loaded)
    assert converted.format == loaded.format
    loaded.save(tmp_path / "again")
    files = [
        sorted(file.name for file in (tmp_path / name).glob("*.safetensors"))
        for name in ("folder", "again")
    ]
    assert files[0] == files[1]


def test_a_file_that_is_refused_leaves_no_model(tmp_path):
    bad = tmp_path / "vectors.txt"
    bad.write_text("2 2\na 1 2\nb 1\n")
    with pytest.raises(VectorFileError):
        WordVectors.convert(bad, tmp_path / "folder")
    assert list(tmp_path.glob("folder/*")) == []


@pytest.mark.parametrize("how", ["load", "convert"])
def test_repeated_and_undecodable_words_are_told_once(tmp_path, how):
    words = ["a", "b", "a", "\udcff", "b", "caf\udce9"]
    file = write_text(tmp_path / "vectors.txt", words, random_vectors(6, 2))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if how == "load":
            read = WordVectors.load(file)
        else:
            read = WordVectors.convert(file, tmp_path / "folder")
    assert [str(warning.message) for warning in caught] == [
        f"{file}: 2 words that came before; the first of each counts",
        f"{file}: 2 words that are no UTF-8; their bytes are kept",
    ]
    assert all(warning.category is SfbowWarning for warning in caught)
    assert read.words == ["a", "b", "\udcff", "caf\udce9"]
    np.testing.assert_allclose(read.matrix, random_vectors(6, 2)[[0, 1, 3, 5]], rtol=1e-6)


def test_fasttext_composes_as_fasttext_does(shared_folder):
    import json

    folder = shared_folder("fixtures/fasttext")
    words = WordVectors.load(folder / "skipgram_24d.bin")
    for word, vector in json.loads((folder / "word_vectors.json").read_text()).items():
        np.testing.assert_allclose(words[word], vector, atol=1e-5)


def test_pages_of_a_private_mapping_are_never_dropped(tmp_path):
    """They may hold the only copy of what was written to them."""
    file = tmp_path / "matrix"
    np.memmap(file, np.float32, "w+", shape=(5000, 4)).flush()
    for mode, value in (("c", 2), ("r+", 3), ("r", 3)):
        mapped = np.memmap(file, np.float32, mode, shape=(5000, 4))
        if mode != "r":
            mapped[:] = value
        blocks = [block.copy() for block in row_blocks(mapped, 1000)]
        assert (np.concatenate(blocks) == value).all()
        assert (mapped == value).all(), mode
        view = np.asarray(mapped)[:2500]
        assert [len(block) for block in row_blocks(view, 1000)] == [1000, 1000, 500]
        assert (np.asarray(mapped) == value).all(), mode
