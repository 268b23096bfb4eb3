"""Each format is read as its own program or gensim writes it."""

import bz2
import gzip
import io
import json
import lzma
import struct
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sfbow.errors import OptionError, VectorFileError
from sfbow.readers import VectorStream, open_vectors
from sfbow.readers.sent2vec_binary import read_word_ngrams

FIXTURES = Path(__file__).parents[2] / "shared" / "fixtures"
needs_fixtures = pytest.mark.skipif(
    not FIXTURES.is_dir(), reason=f"the models of other programs are not in {FIXTURES}"
)
WORDS = ["the", "guitar", "café", "東京", "zero"]
MATRIX = np.array(
    [[0.5, -1.25, 3e-5], [1e10, 2.5, -0.125], [1, 2, 3], [-7, 1 / 3, 1e-40], [0, 0, 0]], np.float32
)


def read(path, limit=None) -> tuple[list[bytes], np.ndarray, VectorStream]:
    stream = open_vectors(path, limit=limit)
    words: list[bytes] = []
    rows = [np.empty((0, stream.dim), np.float32)]
    for block in stream.blocks:
        assert block.buffer.dtype == np.uint8
        assert block.offsets.dtype == np.int64
        assert block.rows.dtype == np.float32
        assert len(block.offsets) == len(block.rows) + 1
        bounds = block.offsets.tolist()
        words += [block.buffer[start:end].tobytes() for start, end in pairwise(bounds)]
        rows.append(block.rows)
    matrix = np.concatenate(rows)
    assert stream.count is None or stream.count >= len(matrix)
    return words, matrix, stream


def text_lines(words=WORDS, matrix=MATRIX) -> bytes:
    rows = (" ".join(map(repr, row)) for row in matrix.tolist())
    return "".join(f"{word} {row}\n" for word, row in zip(words, rows, strict=True)).encode()


def binary(words=WORDS, matrix=MATRIX, separator=b"", header=None) -> bytes:
    head = header or f"{len(words)} {matrix.shape[1]}\n".encode()
    rows = zip(words, matrix, strict=True)
    return head + b"".join(word.encode() + b" " + row.tobytes() + separator for word, row in rows)


def check(path, words=WORDS, matrix=MATRIX, format=None) -> None:
    found_words, found, stream = read(path)
    assert found_words == [word.encode() for word in words]
    np.testing.assert_array_equal(found, matrix)
    assert stream.dim == matrix.shape[1]
    if format:
        assert stream.format == format


@pytest.fixture
def file(tmp_path):
    def write(content: bytes, name="vectors") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


# Text


def test_glove_text(file):
    check(file(text_lines()), format="GloVe text")


def test_word2vec_text(file):
    check(file(b"5 3\n" + text_lines()), format="word2vec text")


def test_fasttext_vec_has_a_space_at_the_end_of_each_line(file):
    content = b"5 3\n" + text_lines().replace(b"\n", b" \n")
    check(file(content), format="word2vec text")


def test_gensim_text_and_binary(tmp_path):
    gensim = pytest.importorskip("gensim.models")
    vectors = gensim.KeyedVectors(3)
    vectors.add_vectors(WORDS, MATRIX)
    for is_binary in False, True:
        vectors.save_word2vec_format(tmp_path / "vectors", binary=is_binary)
        check(tmp_path / "vectors", format=f"word2vec {'binary' if is_binary else 'text'}")
    vectors.save_word2vec_format(tmp_path / "vectors", write_header=False)
    check(tmp_path / "vectors", format="GloVe text")


def test_the_last_line_needs_no_line_end(file):
    check(file(text_lines()[:-1]))
    check(file(b"5 3\n" + text_lines()[:-1]))


def test_empty_lines_at_the_end_are_ignored(file):
    check(file(text_lines() + b"\n\r\n\n"))
    check(file(b"5 3\n" + text_lines() + b"\n"))


def test_words_with_spaces_are_split_from_the_right(file):
    words = [". . .", "the", "at name@domain.com", "New York", "1 . 5", " x"]
    matrix = np.arange(18, dtype=np.float32).reshape(6, 3)
    check(file(text_lines(words, matrix)), words, matrix)
    check(file(b"6 3\n" + text_lines(words, matrix)), words, matrix)


def test_only_the_ascii_space_parts_fields(file):
    words = ["a\u00a0b", "c\u0085d", "e\u2028f", "g\u3000h", "i\tj", "k\x0bl", "m\x1cn", "o\rp"]
    matrix = np.ones((8, 2), np.float32)
    check(file(text_lines(words, matrix)), words, matrix)


def test_more_spaces_than_one_are_one(file):
    check(file(text_lines().replace(b" ", b"   ")))


def test_the_usual_dimension_wins(file):
    words = [". . 7", *(f"w{i}" for i in range(40))]
    content = text_lines(words, np.ones((41, 4), np.float32))
    assert read(file(content))[0][0] == b". . 7"
    with pytest.raises(VectorFileError, match="line 1: expected a word and 4 numbers"):
        read(file(b"short 1 2\n" + content))


def test_blocks_do_not_show(file):
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(40_000, 30)).astype(np.float32)
    words = [f"word{i}" * (i % 7 + 1) for i in range(len(matrix))]
    content = text_lines(words, matrix)
    assert len(content) > 20 << 20
    check(file(content), words, matrix)
    check(file(b"40000 30\n" + content), words, matrix)
    check(file(binary(words, matrix)), words, matrix)


def test_the_end_is_checked_behind_the_first_block(file):
    matrix = np.ones((200, 5000), np.float32)
    words = [f"w{i}" for i in range(len(matrix))]
    for content in text_lines(words, matrix), binary(words, matrix, header=b"\n"):
        rows = content.lstrip(b"\n")
        check(file(b"200 5000\n" + rows + b"\n"), words, matrix)
        with pytest.raises(VectorFileError, match="more"):
            read(file(b"200 5000\n" + rows + b"\n" * (5 << 20) + b"x"))


def test_many_dimensions(file):
    matrix = np.arange(80_000, dtype=np.float32).reshape(2, -1) / 7
    check(file(b"2 40000\n" + text_lines(["a", "b"], matrix)), ["a", "b"], matrix)
    check(file(binary(["a", "b"], matrix)), ["a", "b"], matrix)


@pytest.mark.parametrize("limit", [1, 3, 5, 8])
def test_limit(file, limit):
    for content in text_lines(), b"5 3\n" + text_lines(), binary():
        words, matrix, stream = read(file(content), limit)
        assert words == [word.encode() for word in WORDS[:limit]]
        np.testing.assert_array_equal(matrix, MATRIX[:limit])
        assert stream.count in (None, min(limit, 5))


def test_limit_does_not_look_behind(file):
    damaged = text_lines() + b"ragged\n"
    assert len(read(file(damaged), 5)[0]) == 5
    assert len(read(file(b"6 3\n" + damaged), 5)[0]) == 5


def test_limit_must_be_positive(file):
    with pytest.raises(OptionError, match="limit"):
        open_vectors(file(text_lines()), limit=0)


# Numbers


def decimal_strings():
    digits = st.text("0123456789", min_size=1, max_size=30)
    exponent = st.builds(
        "{}{}{}".format,
        st.sampled_from("eE"),
        st.sampled_from(["", "+", "-"]),
        st.integers(0, 60).map(str) | st.text("0123456789", min_size=1, max_size=6),
    )
    plain = digits | st.builds("{}.{}".format, digits, digits)
    plain |= st.builds(".{}".format, digits) | st.builds("{}.".format, digits)
    return st.builds(
        "{}{}{}".format, st.sampled_from(["", "+", "-"]), plain, st.just("") | exponent
    )


def floats():
    single = st.floats(width=32, allow_nan=False, allow_infinity=False)
    double = st.floats(-1e38, 1e38)
    # Halfway between two neighbours in float32, where rounding twice differs from rounding once.
    tie = single.map(lambda x: (float(x) + float(np.nextafter(np.float32(x), np.float32(0)))) / 2)
    number = single | double | tie
    return number.map(repr) | number.map("{:.25e}".format) | number.map("{:.30f}".format)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("numbers") / "vectors"


@settings(deadline=None, max_examples=400)
@given(st.lists(decimal_strings() | floats(), min_size=2, max_size=60))
@example(["1e38", "3.4028235e38", "3.40282356e38", "1e-45", "7e-46", "1e-400", "0e999999"])
@example(["-0", "+0.0", "00000000000000000000000000001", "0." + "0" * 40 + "1", "1" + "0" * 30])
@example(["9007199254740993", "16777217", "16777217.0000000000000000000000001"])
@example(["1" + "0" * 200_000 + "e-200000", "0." + "0" * 200_000 + "1e200001"])
@example(["1e-308", "4e-320", "1e308", "0e308"])
@example(["1" * 800 + "e-790", "0." + "1" * 800, "1e22", "1e23", "123456789012345678901"])
def test_numbers_are_pythons(scratch, texts):
    with np.errstate(over="ignore"):
        expected = np.array([np.float32(float(text)) for text in texts])
    scratch.write_text(f"1 {len(texts)}\nword {' '.join(texts)}\n")
    if np.isfinite(expected).all():
        found = read(scratch)[1][0]
        np.testing.assert_array_equal(found.view(np.int32), expected.view(np.int32))
    else:
        with pytest.raises(VectorFileError, match="line 2: expected a number that float32 can"):
            read(scratch)


@pytest.mark.parametrize(
    "text",
    ["", ".", "-", "+-1", "1_0", "0x1", "1e", "1e+", "1.2.3", "1,5", "١", "1e5.", "1d5", "--1"],
)
def test_what_is_no_number(file, text):
    with pytest.raises(VectorFileError, match="line 2"):
        read(file(f"1 2\nword 1 {text}\n".encode()))


# Binary


@pytest.mark.parametrize("separator", [b"", b"\n", b"\n\n"])
def test_word2vec_binary(file, separator):
    check(file(binary(separator=separator)), format="word2vec binary")


def test_word2vec_binary_of_few_dimensions(file):
    rng = np.random.default_rng(2)
    for dim in range(2, 12):
        matrix = rng.normal(size=(9, dim)).astype(np.float32)
        words = [f"w{i}" for i in range(9)]
        check(file(binary(words, matrix)), words, matrix, "word2vec binary")


# Packed files


def zipped(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("folder")
        archive.writestr("folder/glove.txt", content)
    return file.getvalue()


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zipped])
def test_packed(file, pack):
    for content in text_lines(), b"5 3\n" + text_lines(), binary():
        check(file(pack(content)))


def test_several_packed_parts(file):
    content = text_lines()
    for pack in gzip.compress, bz2.compress, lzma.compress:
        check(file(pack(content[:50]) + pack(content[50:])))


# fastText and sent2vec


@needs_fixtures
def test_fasttext_words():
    answers = json.loads((FIXTURES / "fasttext" / "word_vectors.json").read_text())
    words, matrix, stream = read(FIXTURES / "fasttext" / "skipgram_24d.bin")
    assert (stream.format, stream.dim, stream.count) == ("fastText binary", 24, len(words))
    known = [word for word in answers if word.encode() in words]
    assert known
    assert len(known) < len(answers)
    for word in known:
        row = matrix[words.index(word.encode())]
        np.testing.assert_allclose(row, answers[word], atol=1e-6)


@needs_fixtures
def test_fasttext_in_blocks_and_limited(monkeypatch):
    path = FIXTURES / "fasttext" / "skipgram_24d.bin"
    words, matrix, _ = read(path)
    monkeypatch.setattr("sfbow.readers.fasttext_binary._BLOCK_SIZE", 1000)
    again = read(path, 37)
    assert again[0] == words[:37]
    np.testing.assert_array_equal(again[1], matrix[:37])


@needs_fixtures
def test_sent2vec_sentences():
    folder = FIXTURES / "sent2vec"
    words, matrix, stream = read(folder / "unigram_bigram_24d.bin")
    assert stream.format == "sent2vec binary"
    ngrams = read_word_ngrams(folder / "unigram_bigram_24d.bin")
    assert ngrams.longest == 2
    rows = {word: row for row, word in enumerate(words)}
    sentences = (folder / "sentences.txt").read_text().splitlines()
    answers = np.loadtxt(folder / "sentence_vectors.txt")
    for sentence, answer in zip(sentences, answers, strict=True):
        known = [rows[word.encode()] for word in sentence.split() if word.encode() in rows]
        pairs = pairwise(known)
        buckets = [(a * 116049371 + b) % len(ngrams.buckets) for a, b in pairs]
        vectors = np.concatenate([matrix[known], ngrams.buckets[buckets]])
        # The file has five digits: half a unit of the last is up to 5e-5 of the number.
        np.testing.assert_allclose(vectors.mean(axis=0), answer, rtol=5.1e-5, atol=1e-6)


@needs_fixtures
def test_sent2vec_ngrams_of_another_model():
    with pytest.raises(VectorFileError, match="expected a sent2vec model"):
        read_word_ngrams(FIXTURES / "fasttext" / "skipgram_24d.bin")


def fasttext_model(words=WORDS, matrix=MATRIX, labels=(), **changes) -> bytes:
    """Write a model without n-grams, or one with what a test changes."""
    fields = {
        "version": 12, "dim": matrix.shape[1], "model": 2, "word_ngrams": 1, "buckets": 0,
        "shortest": 0, "longest": 0, "entries": len(words) + len(labels), "known": len(words),
        "labels": len(labels), "pruned": -1, "quantised": 0, "rows": len(matrix),
        "columns": matrix.shape[1],
    } | changes  # fmt: skip
    f = fields
    head = struct.pack(
        "<ii iiiiiiii iiii d", 793712314, f["version"], f["dim"], 5, 1, 1, 5, f["word_ngrams"], 1,
        f["model"], f["buckets"], f["shortest"], f["longest"], 100, 1e-4,
    )  # fmt: skip
    head += struct.pack("<iiiqq", f["entries"], f["known"], f["labels"], 99, f["pruned"])
    for kind, names in enumerate((words, labels)):
        head += b"".join(name.encode() + b"\0" + struct.pack("<qb", 9, kind) for name in names)
    return head + struct.pack("<?qq", f["quantised"], f["rows"], f["columns"]) + matrix.tobytes()


def test_fasttext_labels_are_no_words(file):
    content = fasttext_model(labels=("__label__a", "__label__b"), model=3)
    check(file(content), format="fastText binary")
    assert open_vectors(file(content)).subwords is None


def test_fasttext_classifiers_of_version_11_have_no_subwords(file):
    check(file(fasttext_model(model=3, version=11, shortest=3, longest=6)))


# Folders of static models


def static_folder(folder, tensors, tokenizer) -> Path:
    safetensors = pytest.importorskip("safetensors.numpy")
    folder.mkdir(parents=True, exist_ok=True)
    safetensors.save_file(tensors, folder / "model.safetensors")
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    return folder


def word_piece(words=WORDS) -> dict:
    vocabulary = {word: i for i, word in reversed(list(enumerate(words)))}
    return {"model": {"type": "WordPiece", "vocab": vocabulary}, "added_tokens": []}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8"])
def test_model2vec(tmp_path, dtype):
    matrix = np.arange(15).reshape(5, 3).astype(dtype)
    static_folder(tmp_path, {"embeddings": matrix}, word_piece())
    check(tmp_path, matrix=matrix.astype(np.float32), format="model2vec folder")


def test_model2vec_with_mapping_and_weights(tmp_path):
    mapping = np.array([2, 0, 1, 1, 2])
    weights = np.array([1, 0.5, 2, 1, 0], np.float32)
    tensors = {"embeddings": MATRIX[:3], "mapping": mapping, "weights": weights}
    static_folder(tmp_path, tensors, word_piece())
    check(tmp_path, matrix=MATRIX[mapping] * weights[:, None])
    assert read(tmp_path, 2)[0] == [b"the", b"guitar"]


@pytest.mark.parametrize("subfolder", ["", "0_StaticEmbedding"])
def test_static_embedding(tmp_path, subfolder):
    static_folder(tmp_path / subfolder, {"embedding.weight": MATRIX}, word_piece())
    check(tmp_path, format="StaticEmbedding folder")


def test_special_tokens_are_no_words(tmp_path):
    tokenizer = word_piece(["[PAD]", "the", "guitar", "café"])
    tokenizer["added_tokens"] = [
        {"id": 0, "content": "[PAD]", "special": True},
        {"id": 4, "content": "added", "special": False},
    ]
    static_folder(tmp_path, {"embeddings": MATRIX}, tokenizer)
    check(tmp_path, ["the", "guitar", "café", "added"], MATRIX[1:])


def test_unigram_marks(tmp_path):
    vocabulary = [["ing", -1], ["▁the", -2], ["▁", -1], ["the", -3], ["▁東京", -4]]
    tokenizer = {
        "model": {"type": "Unigram", "vocab": vocabulary},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Metaspace"}]},
    }
    static_folder(tmp_path, {"embeddings": MATRIX}, tokenizer)
    check(tmp_path, ["ing", "the", "東京"], MATRIX[[0, 1, 4]])


def test_byte_level_marks(tmp_path):
    tokenizer = {
        "model": {"type": "BPE", "vocab": {"Ġthe": 0, "the": 1, "ĠcafÃ©": 2, "Ċ": 3}},
        "pre_tokenizer": {"type": "ByteLevel"},
    }
    static_folder(tmp_path, {"embeddings": MATRIX}, tokenizer)
    check(tmp_path, ["the", "café", "\n"], MATRIX[[0, 2, 3]])


def test_an_unread_stream_is_closed_without_a_word(file):
    path = file(text_lines())
    for _ in range(5000):
        open_vectors(path)
