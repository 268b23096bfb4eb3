import lzma
from importlib import resources

import pytest

from sfbow.errors import InputError
from sfbow.wordlists import english_words, read_words


def test_english_words():
    words = english_words()
    assert words is english_words()
    assert len(words) == 125_207
    assert {"guitar", "colour", "color", "café", "cafe", "london", "it's", "dog's"} <= words
    assert not {"", "teh", "guitarr", "Guitar"} & words


def test_the_list_in_the_package_is_sorted_and_in_lower_case():
    packed = resources.files("sfbow").joinpath("data/english.txt.xz").read_bytes()
    lines = lzma.decompress(packed).decode().splitlines()
    assert lines == sorted({line.lower() for line in lines})


def test_the_notice_travels_with_the_list():
    notice = resources.files("sfbow").joinpath("data/english.NOTICE").read_text("utf-8")
    assert "Copyright 2000-2018 by Kevin Atkinson" in notice
    assert "Geoff Kuenning" in notice
    assert "were modified" in notice


def test_words_from_a_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes("\ufeffÉté\r\n\nApple \nice cream".encode())
    assert read_words(path) == read_words(str(path)) == {"été", "apple", "ice cream"}


def test_words_from_an_iterable():
    assert read_words(word for word in ["A", "b", "a"]) == {"a", "b"}


def test_a_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"none\.txt: expected a readable file, found No such"):
        read_words(tmp_path / "none.txt")


def test_a_file_that_is_not_utf8(tmp_path):
    path = tmp_path / "latin1.txt"
    path.write_bytes("plain\ncafé\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin1\.txt, line 2: expected UTF-8, found .* 0xe9"):
        read_words(path)


def test_an_empty_list(tmp_path):
    path = tmp_path / "empty.txt"
    path.write_text("\n \n")
    with pytest.raises(InputError, match=r"empty\.txt: expected at least one word, found none"):
        read_words(path)
    with pytest.raises(InputError, match="word list: expected at least one word, found none"):
        read_words([])


def test_what_is_not_text():
    with pytest.raises(InputError, match="word list, word 2: expected text, found b'b'"):
        read_words(["a", b"b"])
