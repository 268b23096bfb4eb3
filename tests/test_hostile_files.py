"""Damaged, lying and malicious vector files: one VectorFileError each, in bounded memory.

docs/file-formats.md has the table of the outcomes.
"""

import bz2
import gzip
import io
import lzma
import os
import pickle
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_readers import (
    FIXTURES,
    MATRIX,
    WORDS,
    binary,
    check,
    fasttext_model,
    needs_fixtures,
    read,
    static_folder,
    text_lines,
    word_piece,
)

from sfbow.errors import VectorFileError
from sfbow.readers import open_vectors

TEXT = b"3 2\nthe 0.1 0.2\nof 0.3 0.4\nand 0.5 0.6\n"
GLOVE = b"the 0.1 0.2\nof 0.3 0.4\nand 0.5 0.6\n"


@pytest.fixture
def file(tmp_path):
    def write(content: bytes) -> Path:
        path = tmp_path / "vectors"
        path.write_bytes(content)
        return path

    return write


@pytest.fixture
def refuse(file):
    """Make sure that a file is refused with one line that says where, and what was found."""

    def read_it(content: bytes | Path, where: str, found: str, limit=None) -> VectorFileError:
        path = file(content) if isinstance(content, bytes) else content
        with pytest.raises(VectorFileError) as caught:
            read(path, limit)
        message = str(caught.value)
        assert "\n" not in message
        place, _, problem = message.partition(": expected ")
        assert place == (f"{path}, {where}" if where else str(path))
        assert found in problem.partition(", found ")[2], message
        assert "; " in problem
        return caught.value

    return read_it


# Headers


def test_empty(refuse):
    refuse(b"", "", "an empty file")


@pytest.mark.parametrize("content", [b"\n", b"\n\n\n", b" ", b"\xef\xbb\xbf", b"\0" * 100])
def test_as_good_as_empty(refuse, content):
    refuse(content, "line 1", "")


def test_header_with_too_many_rows(refuse):
    refuse(b"100" + TEXT[1:], "line 1", "100 words of 2 dimensions")
    padded = TEXT.replace(b"0.6", b"0.6" + b"0" * 100).replace(b"3 2", b"5 2")
    refuse(padded, "line 5", "the file's end behind 3")


def test_header_with_too_many_rows_packed(refuse):
    refuse(gzip.compress(b"100" + TEXT[1:]), "line 5", "the file's end behind 3")


def test_header_with_too_few_rows(refuse):
    refuse(b"2" + TEXT[1:], "line 4", "more lines")


@pytest.mark.parametrize("header", [b"-3 2", b"3 -2", b"0 2", b"3 0", b"+0 1", b"0 0"])
def test_header_with_impossible_numbers(refuse, header):
    refuse(TEXT.replace(b"3 2", header), "line 1", header.decode())


@pytest.mark.parametrize("count", ["9" * 18, "9" * 19, "9" * 900, str(2**63), str(2**62 // 100)])
def test_header_with_an_astronomical_count(refuse, count):
    for content in TEXT, binary():
        _, _, rest = content.partition(b"\n")
        refuse(f"{count} 3\n".encode() + rest, "line 1", count[:10])


@pytest.mark.parametrize("dim", [2**19 + 1, 2**31, 2**40, 2**62, 10**18, 10**500])
def test_header_with_an_astronomical_dimension(refuse, dim):
    for content in TEXT, binary(), gzip.compress(f"3 {dim}\n".encode() + GLOVE):
        _, _, rest = content.partition(b"\n")
        packed = content.startswith(b"\x1f")
        refuse(content if packed else f"3 {dim}\n".encode() + rest, "line 1", f"{dim}"[:10])


def test_header_with_a_wrong_dimension(refuse):
    refuse(TEXT.replace(b"3 2", b"3 1"), "line 2", "2: 'the 0.1 0.2'")
    refuse(TEXT.replace(b"3 2", b"3 3"), "line 2", "3 fields: 'the 0.1 0.2'")


def test_truncated_in_the_header(refuse):
    refuse(b"3", "line 1", "'3'")
    refuse(b"3 2", "line 1", "3 words")
    refuse(b"3 2\n", "line 1", "3 words")


# Text rows


def test_truncated_in_a_word(refuse):
    refuse(TEXT[: TEXT.index(b"nd 0.5")], "line 4", "1 fields: 'a'")
    refuse(TEXT[: TEXT.index(b"f 0.3")], "line 1", "3 words")
    refuse(GLOVE[: GLOVE.index(b"nd 0.5")], "line 3", "1 fields: 'a'")


def test_truncated_in_a_vector(refuse):
    refuse(GLOVE[: GLOVE.index(b" 0.6")], "line 3", "2 fields: 'and 0.5'")
    refuse(GLOVE[: GLOVE.index(b"0.6")], "line 3", "2 fields: 'and 0.5 '")


def test_trailing_bytes(refuse):
    refuse(TEXT + b"\n\nx", "line 5", "more lines")
    refuse(TEXT + b" ", "line 5", "more lines")
    refuse(GLOVE + b"\0", "line 4", "1 fields: '\\x00'")


def test_ragged_rows(refuse):
    refuse(GLOVE.replace(b" 0.4", b""), "line 2", "2 fields: 'of 0.3'")
    refuse(GLOVE.replace(b" 0.4", b" 0.4 7"), "line 2", "3: 'of 0.3 0.4 7'")
    refuse(GLOVE.replace(b" 0.2", b"") + GLOVE, "line 1", "2 fields: 'the 0.1'")


def test_one_number_rows(refuse, file):
    refuse(b"the 0.1\nof 0.2\n", "line 1", "'the 0.1'")
    check(file(b"2 1\nthe 0.5\nof 0.25\n"), ["the", "of"], np.array([[0.5], [0.25]], np.float32))


def test_empty_line_between(refuse):
    refuse(GLOVE.replace(b"\nof", b"\n\nof"), "line 2", "an empty line")


@pytest.mark.parametrize("number", [b"nan", b"-NaN", b"inf", b"-inf", b"Infinity", b"1e39"])
def test_not_finite_in_text(refuse, number):
    refuse(TEXT.replace(b"0.3", number), "line 3", repr(number.decode()))
    refuse(GLOVE.replace(b"0.4", number), "line 2", repr(number.decode()))


def test_tabs_and_commas_part_no_fields(refuse):
    refuse(GLOVE.replace(b" ", b"\t"), "line 1", "'the\\t0.1\\t0.2'")
    refuse(GLOVE.replace(b" ", b","), "line 1", "'the,0.1,0.2'")


def test_empty_word(refuse):
    refuse(TEXT.replace(b"of", b""), "line 3", "' 0.3 0.4'")
    refuse(GLOVE.replace(b"of", b""), "line 2", "' 0.3 0.4'")
    refuse(GLOVE.replace(b"of", b"  "), "line 2", "'   0.3 0.4'")


def test_duplicate_words_are_given_as_they_are(file):
    words = ["the", "of", "the"]
    matrix = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    for content in text_lines(words, matrix), binary(words, matrix):
        check(file(content), words, matrix)


def test_undecodable_bytes_are_given_as_they_are(file):
    for content in GLOVE, TEXT:
        assert read(file(content.replace(b"of", b"caf\xe9\xff")))[0][1] == b"caf\xe9\xff"
    content = binary().replace("café".encode(), b"caf\xe9\xff")
    assert read(file(content))[0][2] == b"caf\xe9\xff"


def test_byte_order_mark_is_no_part_of_the_first_word(file):
    for content in GLOVE, TEXT:
        assert read(file(b"\xef\xbb\xbf" + content))[0] == [b"the", b"of", b"and"]


def test_utf_16(refuse):
    refuse(GLOVE.decode().encode("utf-16"), "", "text in UTF-16")


def test_crlf(file):
    for content in GLOVE, TEXT, TEXT.replace(b"\n", b" \n"):
        words, matrix, _ = read(file(content.replace(b"\n", b"\r\n")))
        assert words == [b"the", b"of", b"and"]
        np.testing.assert_array_equal(matrix, np.float32([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]))


def test_a_giant_line(refuse, file):
    with file(b"").open("r+b") as handle:
        handle.write(b"word ")
        handle.truncate(1 << 30)
    tracemalloc.start()
    error = refuse(Path(handle.name), "byte 0", "a longer one")
    assert "1 MiB" in str(error)
    assert tracemalloc.get_traced_memory()[1] < 20 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("tail", [b" 1\n", b"x 1\n", b" x\n", b"."])
def test_a_million_digits(file, tail):
    digits = b"1" * 400_000
    for head in b"", b"1 2\n":
        for number in digits, digits + b"." + digits, digits + b"e" + digits:
            with pytest.raises(VectorFileError):
                read(file(head + b"word " + number + tail))


# Binary rows


def test_binary_truncated(refuse):
    content = binary()
    start = content.index(b"guitar")
    for cut in start + 3, start + 7, start + 10, start + 18:
        refuse(content[:cut], "line 1", "5 words")
    # A first word long enough lets the header pass.
    words = ["w" * 100, *WORDS[1:]]
    content = binary(words)
    start = content.index(b"guitar")
    for cut in start + 3, start + 7, start + 10, start + 18:
        refuse(content[:cut], f"byte {start}", "the file's end behind 1 words")


def test_binary_header_with_too_few_rows(refuse):
    content = binary(header=b"4 3\n")
    refuse(content, f"byte {content.index(b'zero')}", "more bytes")


def test_binary_trailing_bytes(refuse, file):
    check(file(binary() + b"\n"))
    refuse(binary() + b"\0", f"byte {len(binary())}", "more bytes")


def test_binary_empty_word(refuse):
    content = binary(["the", "", "b", "c", "d"])
    refuse(content, "byte 20", "an empty word")


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_not_finite_in_binary(refuse, number):
    matrix = MATRIX.copy()
    matrix[3, 1] = number
    refuse(binary(matrix=matrix), "vector 4", f"{number} in column 2")
    refuse(fasttext_model(matrix=matrix), "word 4", f"{number} in column 2")


def test_binary_with_a_wrong_dimension(file):
    for dim in 2, 4:
        with pytest.raises(VectorFileError, match=r"byte|5 words"):
            read(file(binary(header=f"5 {dim}\n".encode())))


# Other files


class Bomb:
    def __reduce__(self):
        return os._exit, (1,)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_pickle(refuse, protocol):
    refuse(pickle.dumps(Bomb(), protocol), "", "a pickle")


def test_gensim_kv(refuse, tmp_path):
    gensim = pytest.importorskip("gensim.models")
    vectors = gensim.KeyedVectors(3)
    vectors.add_vectors(WORDS, MATRIX)
    vectors.save(str(tmp_path / "vectors.kv"))
    error = refuse(tmp_path / "vectors.kv", "", "a pickle")
    assert "save_word2vec_format" in str(error)


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_torch_pt(refuse):
    refuse(zipped(**{"model/data.pkl": b"", "model/data/0": b""}), "", "a PyTorch file")
    refuse(pickle.dumps({"a": 1}, 2), "", "a pickle")


def test_zip_of_several_files(refuse):
    refuse(zipped(a=TEXT, b=TEXT), "", "2 files: 'a', 'b'")
    refuse(zipped(**{f"file{i}": b"" for i in range(20)}), "", "'file4', …")
    refuse(zipped(), "", "no file")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG picture"),
        (b"\x93NUMPY\x01\0", "a NumPy array"),
        (b"<!DOCTYPE html>\n<html>", "a web page"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        (b"name".ljust(257, b"\0") + b"ustar\0", "a tar archive"),
        (b"\x10\0\0\0\0\0\0\0" + b'{"embeddings":{}}', "a safetensors file alone"),
    ],
)
def test_known_files_that_are_no_vectors(refuse, content, found):
    refuse(content, "", found)


def test_random_bytes(refuse):
    content = np.random.default_rng(4).bytes(10_000)
    refuse(content, "line 1", "")


def test_a_word_list_with_counts(refuse):
    refuse(b"the 23135851162\nof 13151942776\n", "line 1", "'the 23135851162'")


def test_directory_without_a_model(refuse, tmp_path):
    refuse(tmp_path, "", "a folder without them")


def test_fifo_does_not_block(refuse, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    refuse(tmp_path / "fifo", "", "a pipe, device or socket")
    (tmp_path / "link").symlink_to(tmp_path / "fifo")
    refuse(tmp_path / "link", "", "a pipe, device or socket")
    (tmp_path / "model.safetensors").symlink_to(tmp_path / "fifo")
    (tmp_path / "tokenizer.json").symlink_to(tmp_path / "fifo")
    with pytest.raises(VectorFileError, match="a pipe"):
        open_vectors(tmp_path)


def test_endless_device(refuse):
    refuse(Path("/dev/zero"), "", "a pipe, device or socket")


def test_missing(refuse, tmp_path):
    refuse(tmp_path / "missing", "", "no such file")
    (tmp_path / "dangling").symlink_to("missing")
    refuse(tmp_path / "dangling", "", "no such file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_without_permission(refuse, file):
    path = file(TEXT)
    path.chmod(0)
    refuse(path, "", "permission denied")


def test_without_permission_simulated(refuse, file, monkeypatch):
    def denied(*_):
        raise PermissionError(13, "Permission denied")

    path = file(TEXT)
    monkeypatch.setattr("os.open", denied)
    refuse(path, "", "permission denied")


# Packed files


PACKINGS = pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])


@PACKINGS
def test_bomb_of_rows(refuse, pack, monkeypatch):
    monkeypatch.setattr("sfbow.readers.source._ALWAYS_UNPACKED", 1 << 20)
    content = pack((b"a" + b" 0" * 400 + b"\n") * 20_000)
    error = refuse(content, "", f"bytes from the first {len(content)} or fewer")
    assert "at most 100 bytes from each packed one" in str(error)


@PACKINGS
def test_bomb_of_one_line(refuse, pack):
    refuse(pack(b"\0" * (9 << 20)), "byte 0", "a longer one")


@PACKINGS
def test_packed_and_cut_short(file, pack):
    content = pack(text_lines())
    for cut in 6, len(content) // 2, len(content) - 1:
        with pytest.raises(VectorFileError, match=r"end-of-stream|word vectors|a word and"):
            read(file(content[:cut]))


def test_packed_and_damaged(refuse, file):
    content = bytearray(gzip.compress(text_lines()))
    content[-6] ^= 0xFF
    refuse(bytes(content), "", "CRC check failed")
    content = bytearray(zipped(a=text_lines()))
    content[40] ^= 0xFF
    with pytest.raises(VectorFileError):
        read(file(bytes(content)))


def test_encrypted_zip(refuse):
    content = bytearray(zipped(a=TEXT))
    content[6] |= 1
    content[content.index(b"PK\1\2") + 8] |= 1
    refuse(bytes(content), "", "encrypted")


def test_packed_fasttext(refuse):
    refuse(gzip.compress(fasttext_model()), "byte 0", "a fastText .bin in gzip")


# While it is read


@pytest.mark.parametrize("content", ["text", "binary", "fasttext"])
def test_cut_short_while_it_is_read(file, content):
    rng = np.random.default_rng(5)
    matrix = rng.normal(size=(50_000, 50)).astype(np.float32)
    words = [f"w{i}" for i in range(len(matrix))]
    if content == "text":
        path = file(f"{len(words)} 50\n".encode() + text_lines(words, matrix))
    else:
        path = file((binary if content == "binary" else fasttext_model)(words, matrix))
    blocks = open_vectors(path).blocks
    next(blocks)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(VectorFileError, match=r"fields|end|cut short"):
        list(blocks)


# fastText


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"version": 13}, "version 13"),
        ({"model": 5}, "a model of kind 5"),
        ({"dim": -3}, "-3 dimensions"),
        ({"dim": 4}, "5 rows and 3 columns"),
        ({"columns": 2**61}, f"5 rows and {2**61} columns"),
        ({"rows": 2**61}, f"{2**61} rows and 3 columns"),
        ({"rows": -1}, "-1 rows"),
        ({"rows": 4}, "4 rows"),
        ({"entries": 2**31 - 1}, f"{2**31 - 1} entries"),
        ({"entries": -1}, "-1 entries"),
        ({"known": 0}, "0 words"),
        ({"known": 4}, "in another order"),
        ({"known": 2**31 - 1}, f"{2**31 - 1} words"),
        ({"buckets": 2**31 - 1, "longest": 6}, "5 rows"),
        ({"buckets": -1, "longest": 6}, "-1 buckets"),
        ({"buckets": 1, "longest": 2**31 - 1}, f"to {2**31 - 1} characters"),
        ({"longest": 6}, "none"),
        ({"pruned": 1}, "a pruned dictionary"),
        ({"quantised": 1}, "quantised ones (.ftz)"),
        ({"quantised": 1, "pruned": 1}, "quantised ones (.ftz)"),
    ],
)
def test_fasttext_with_damaged_settings(file, changes, found):
    with pytest.raises(VectorFileError) as caught:
        read(file(fasttext_model(**changes)))
    assert found in str(caught.value).partition(", found ")[2]


@needs_fixtures
@pytest.mark.parametrize("name", ["fasttext/skipgram_24d.bin", "sent2vec/unigram_bigram_24d.bin"])
def test_models_cut_short(file, name):
    content = (FIXTURES / name).read_bytes()
    matrix_end = len(content) - 24 * 4 * 5477
    for cut in 5, 20, 63, 70, 90, 200, 60_000, matrix_end // 2, matrix_end - 50_000:
        with pytest.raises(VectorFileError):
            read(file(content[:cut]))


# Folders


@pytest.mark.parametrize(
    ("tensors", "found"),
    [
        ({"other": MATRIX}, "other"),
        ({"embeddings": MATRIX[0]}, "shape 3"),
        ({"embeddings": MATRIX[:0]}, "shape 0 by 3"),
        ({"embeddings": MATRIX > 0}, "of bool"),
        ({"embeddings": MATRIX[:4]}, "rows 0 to 4"),
        ({"embeddings": MATRIX, "weights": MATRIX[0]}, "3 numbers"),
        ({"embeddings": MATRIX, "mapping": np.full(5, -1)}, "rows -1 to -1"),
        ({"embeddings": MATRIX, "mapping": np.full(5, 2**62)}, f"to {2**62}"),
        ({"embeddings": MATRIX, "mapping": MATRIX[:, 0]}, "mapping of float32"),
        ({"embeddings": np.full((5, 3), np.nan, np.float32)}, "nan in column 1"),
        ({"embeddings": np.full((5, 3), 1e39)}, "inf in column 1"),
    ],
)
def test_folder_with_wrong_tensors(tmp_path, tensors, found):
    static_folder(tmp_path, tensors, word_piece())
    with pytest.raises(VectorFileError) as caught:
        read(tmp_path)
    assert found in str(caught.value).partition(", found ")[2]


@pytest.mark.parametrize(
    "tokenizer",
    [
        [], {}, {"model": {}}, {"model": {"vocab": 3}}, {"model": {"vocab": {"a": "b"}}},
        {"model": {"vocab": {"a": -1}}}, {"model": {"vocab": [3]}}, {"model": {"vocab": {}}},
        {"model": {"vocab": {"a": 1.5}}}, {"model": {"vocab": {"a": 0}}, "added_tokens": [{}]},
        {"model": {"vocab": [[3, 4]]}},
        {"model": {"vocab": {"東": 0}}, "decoder": {"type": "ByteLevel"}},
    ],
)  # fmt: skip
def test_folder_with_a_damaged_vocabulary(tmp_path, tokenizer):
    static_folder(tmp_path, {"embeddings": MATRIX}, tokenizer)
    with pytest.raises(VectorFileError):
        read(tmp_path)


@pytest.mark.parametrize("text", [b"", b"{", b"[" * 100_000, b"\xff\xff\xff"])
def test_folder_with_damaged_json(tmp_path, text):
    static_folder(tmp_path, {"embeddings": MATRIX}, {})
    (tmp_path / "tokenizer.json").write_bytes(text)
    with pytest.raises(VectorFileError, match="damaged JSON"):
        read(tmp_path)


def test_folder_with_a_packed_vocabulary(tmp_path):
    static_folder(tmp_path, {"embeddings": MATRIX}, {})
    (tmp_path / "tokenizer.json").write_bytes(gzip.compress(b"{}"))
    with pytest.raises(VectorFileError, match="a packed or very large one"):
        read(tmp_path)


def test_folder_with_damaged_safetensors(tmp_path):
    folder = static_folder(tmp_path, {"embeddings": MATRIX}, word_piece())
    content = (folder / "model.safetensors").read_bytes()
    for damaged in b"", content[:-1], content[:20], content + b"\0", b"\xff" * 50:
        (folder / "model.safetensors").write_bytes(damaged)
        with pytest.raises(VectorFileError, match="expected a safetensors file"):
            read(tmp_path)


# Anything


def samples() -> list[bytes]:
    return [
        TEXT, GLOVE, text_lines(), b"5 3\n" + text_lines(), binary(), binary(separator=b"\n"),
        fasttext_model(), fasttext_model(labels=["__label__a"]), gzip.compress(TEXT),
        zipped(a=GLOVE), lzma.compress(TEXT), bz2.compress(TEXT),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile") / "vectors"


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(samples()),
    st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=9), st.integers(0, 9)), max_size=4),
)
def test_any_damage_is_one_error_in_bounded_memory(scratch, content, changes):
    for place, inserted, removed in changes:
        start = int(place * len(content))
        content = content[:start] + inserted + content[start + removed :]
    scratch.write_bytes(content)
    tracemalloc.start()
    try:
        words, matrix, _ = read(scratch)
    except VectorFileError as error:
        message = str(error)
    else:
        message = ""
        assert len(words) == len(matrix)
        assert np.isfinite(matrix).all()
        assert all(words)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert "\n" not in message
    assert peak < 64 << 20
