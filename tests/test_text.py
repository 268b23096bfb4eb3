"""Texts are cut as the plain Python definition here says, whatever stands in them."""

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfbow.errors import InputError, OptionError
from sfbow.lookup import find
from sfbow.text import Texts, Tokenizer, character_table, gather, lower_case
from sfbow.vocabulary import Vocabulary, pack_words

SYMBOL, WORD, SPACE, IGNORED, EXTENDING = range(5)
LETTERS = "SW IE"  # a letter for each class, so that a regular expression can cut words
NEWEST = tuple(map(int, unicodedata.unidata_version.split("."))) > (15, 1, 0)


def is_assigned(character: str) -> bool:
    """Whether a character is in this Python's Unicode and in the table's, which is 15.1."""
    database = unicodedata.ucd_3_2_0 if NEWEST else unicodedata
    return database.category(character) != "Cn"


def character_class(character: str) -> int:
    code, category = ord(character), unicodedata.category(character)
    if category[0] == "M" or code in (0x200C, 0x200D) or 0x1F3FB <= code <= 0x1F3FF:
        return EXTENDING
    if category[0] in "LN" or category == "Pc":
        return WORD
    if category[0] == "Z" or character in "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85":
        return SPACE
    return IGNORED if category in ("Cc", "Cf") else SYMBOL


def lowered(text: str) -> str:
    """The simple lower case: each character for itself, and one for each."""
    return "".join(character.lower()[0] for character in text)


def cut(text: str, tokenizer: Tokenizer) -> list[str]:
    kinds = "".join(LETTERS[character_class(character)] for character in text)
    pattern = "W[WE]*|S" if tokenizer.punctuation else "W[WE]*"
    if tokenizer.split == "spaces":
        pattern = "[^ ]+"
    return [text[match.start() : match.end()] for match in re.finditer(pattern, kinds)]


def look_up(word: str, rows: dict[str, int], tokenizer: Tokenizer) -> int:
    forms = {"keep": [word], "lower": [lowered(word)], "both": [word, lowered(word)]}
    return next((rows[form] for form in forms[tokenizer.casing] if form in rows), -1)


def found_words(texts: Texts, vocabulary: Vocabulary, tokenizer: Tokenizer):
    """Give for each text its words, as bytes, and their rows."""
    found = find(texts, vocabulary, tokenizer, places=True)
    data = found.buffer.tobytes()
    words = [
        (data[start:end], row)
        for start, end, row in zip(found.starts, found.ends, found.rows, strict=True)
    ]
    return [
        words[start:end] for start, end in zip(found.bounds[:-1], found.bounds[1:], strict=True)
    ]


TRICKY = [
    "a", "B", "7", "_", "-", ",", "'", " ", "\t", "\n", "\0", "\x1c", "\x85", "\xa0", "\xad",
    "é", "e\u0301", "\u0301", "\u0130", "ı", "Ⱥ", "ⱥ", "Σ", "ς", "ß", "K", "Å", "ǅ", "Ꭰ",
    "\u200b", "\u200c", "\u200d", "\u200e", "\u202e", "\u2028", "\u2060", "\ufeff", "\u3000",
    "\ufe0f", "\u20e3", "\ufffd", "\uffff", "\ud800", "\udcff", "\udfff", "東", "京", "가", "ไ",
    "שָׁ", "عَ", "नि", "Ⅷ", "½", "€", "‿", "😀", "👩\u200d👩\u200d👧",
    "👍\U0001f3fd", "\U0001f1e9", "𝔸", "𐐀", "\U0010ffff",
]  # fmt: skip
characters = st.one_of(
    st.sampled_from([piece for piece in TRICKY if all(map(is_assigned, piece))]),
    st.characters().filter(is_assigned),
    st.characters(max_codepoint=0x24F).filter(is_assigned),
    st.characters(categories=["Cs"]),
)
texts = st.lists(characters, max_size=30).map("".join)
tokenizers = st.builds(
    Tokenizer,
    casing=st.sampled_from(["keep", "lower", "both"]),
    punctuation=st.booleans(),
    split=st.sampled_from(["words", "spaces"]),
)


def test_every_character_has_its_class_and_its_lower_case():
    blocks, entries = character_table()
    codes = np.array([code for code in range(0x110000) if is_assigned(chr(code))])
    expected = np.array(
        [
            character_class(chr(code)) + 8 * (ord(lowered(chr(code))) - code)
            for code in codes.tolist()
        ]
    )
    found = entries[blocks[codes >> 8].astype(np.int64) * 256 + (codes & 255)]
    assert [f"U+{code:04X}" for code in codes[found != expected]] == []


@given(st.lists(texts, max_size=5), tokenizers, st.data())
def test_words_and_rows_are_those_of_the_definition(batch, tokenizer, data):
    cut_texts = [cut(text, tokenizer) for text in batch]
    forms = {form for words in cut_texts for word in words for form in (word, lowered(word))}
    # Surrogates that stand for bytes name other words in a vocabulary than in a text.
    forms = [form for form in sorted(forms) if not re.search("[\udc80-\udcff]", form)]
    known = data.draw(st.lists(st.sampled_from(forms), unique=True)) if forms else []
    rows = {word: row for row, word in enumerate(known)}
    vocabulary = Vocabulary.of(known)
    packed = Texts.of(batch)
    expected = [
        [(word.encode("utf-8", "surrogatepass"), look_up(word, rows, tokenizer)) for word in words]
        for words in cut_texts
    ]
    assert found_words(packed, vocabulary, tokenizer) == expected
    only_known = find(packed, vocabulary, tokenizer)
    parts = np.split(only_known.rows, only_known.bounds[1:-1]) if batch else []
    assert [part.tolist() for part in parts] == [
        [row for _, row in words if row >= 0] for words in expected
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("don't stop", ["don", "'", "t", "stop"]),
        ("snake_case x2", ["snake_case", "x2"]),
        ("e\u0301t\u00e9", ["e\u0301t\u00e9"]),
        ("a\u200db", ["a\u200db"]),
        ("a\u200bb\0c", ["a", "b", "c"]),
        ("❤\ufe0f👍\U0001f3fd", ["❤", "👍"]),
        ("\u0301\u0301 a", ["a"]),
        ("שָׁלוֹם", ["שָׁלוֹם"]),
        ("", []),
    ],
)
def test_what_a_word_is(text, words):
    found = found_words(Texts.of([text]), Vocabulary.of([]), Tokenizer())
    assert [word.decode() for word, _ in found[0]] == words


@given(
    st.lists(
        st.one_of(
            texts.map(lambda text: text.encode("utf-8", "surrogatepass")), st.binary(max_size=12)
        ),
        min_size=1,
        max_size=5,
    ),
    tokenizers,
)
@example([b"\xe6\x9d", b"\xb1"], Tokenizer())
@example([b"a\xf0\x9f\x98", b"\x80b"], Tokenizer(split="spaces"))
@example([b"\xc8", b"\xba\xc8\xba"], Tokenizer())
def test_neighbours_never_bleed_into_each_other(batch, tokenizer):
    vocabulary = Vocabulary.of(["東", "a", "b", "ⱥ", "\ufffd"])
    together = found_words(Texts.of_bytes(batch), vocabulary, tokenizer)
    alone = [found_words(Texts.of_bytes([text]), vocabulary, tokenizer)[0] for text in batch]
    assert together == alone
    for text, words in zip(batch, alone, strict=True):
        assert len(b"".join(word for word, _ in words)) <= len(text)
        assert all(word and word in text for word, _ in words)


@pytest.mark.parametrize(
    "junk",
    [b"\xff", b"\x80", b"\xc3", b"\xe6\x9d", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\xc0\x80",
     b"\xf8\x88\x80\x80\x80", b"\xed\xa0\x80", b"\xe0\x80\x80"],
)  # fmt: skip
@pytest.mark.parametrize("casing", ["keep", "lower", "both"])
def test_words_around_broken_utf_8_are_found(junk, casing):
    texts = Texts.of_bytes([b"caf\xc3\xa9 " + junk + b" dog" + junk, junk + b" cat"])
    vocabulary = Vocabulary.of(["café", "dog", "cat"])
    found = find(texts, vocabulary, Tokenizer(casing))
    assert (found.rows.tolist(), found.bounds.tolist()) == ([0, 1, 2], [0, 2, 3])


def test_only_the_part_of_the_buffer_that_the_offsets_name_is_read():
    buffer = np.frombuffer(b"dog cat dog", np.uint8)
    found = find(Texts(buffer, np.array([4, 6, 7])), Vocabulary.of(["dog", "ca", "t"]), Tokenizer())
    assert (found.rows.tolist(), found.bounds.tolist()) == ([1, 2], [0, 1, 2])


@pytest.mark.parametrize("letter", ["a", "Ⱥ", "İ", "𐐀"])
@pytest.mark.parametrize("split", ["words", "spaces"])
def test_very_long_words(letter, split):
    text = letter * 300_000
    vocabulary = Vocabulary.of(["x", lowered(text)])
    found = find(Texts.of(["x " + text, text]), vocabulary, Tokenizer("both", True, split))
    assert found.rows.tolist() == [0, 1, 1]


@given(st.lists(texts, max_size=5))
@example(["Ⱥ" * 50, "İΣ", "\ud800A"])
def test_lower_case(batch):
    folded = lower_case(Texts.of(batch))
    data = folded.buffer.tobytes()
    assert [
        data[start:end].decode("utf-8", "surrogatepass")
        for start, end in zip(folded.offsets[:-1], folded.offsets[1:], strict=True)
    ] == [lowered(text) for text in batch]


@given(st.lists(st.binary(max_size=12), max_size=5))
@example([b"\xff" * 100])
def test_lower_case_of_broken_utf_8_keeps_to_its_room(batch):
    together = lower_case(Texts.of_bytes(batch))
    alone = [lower_case(Texts.of_bytes([text])).buffer.tobytes() for text in batch]
    assert together.buffer.tobytes() == b"".join(alone)
    assert len(together) == len(batch)


@given(st.lists(texts, max_size=6))
def test_packing_is_encoding(batch):
    packed = Texts.of(batch)
    encoded = [text.encode("utf-8", "surrogatepass") for text in batch]
    assert packed.buffer.tobytes() == b"".join(encoded)
    assert np.diff(packed.offsets).tolist() == list(map(len, encoded))
    assert len(packed) == len(batch)


def test_packing_tells_which_text_is_none():
    with pytest.raises(InputError, match=r"^text 1: expected a string, found bytes; decode"):
        Texts.of(["a", b"b", None])
    with pytest.raises(InputError, match=r"^text 12: expected a string, found NoneType; decode"):
        Texts.of(["a", "b", None], 10)


@given(st.lists(texts, min_size=1, max_size=6), st.data())
def test_gather(batch, data):
    packed = Texts.of(batch)
    chosen = np.array(data.draw(st.lists(st.integers(0, len(batch) - 1))), np.int64)
    parts = gather(packed.buffer, packed.offsets[chosen], packed.offsets[chosen + 1])
    again = Texts.of([batch[place] for place in chosen])
    assert parts.buffer.tobytes() == again.buffer.tobytes()
    np.testing.assert_array_equal(parts.offsets, again.offsets)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"casing": "upper"}, "casing"),
        ({"punctuation": "no"}, "punctuation"),
        ({"split": ""}, "split"),
    ],
)
def test_options_that_do_not_exist(options, name):
    with pytest.raises(OptionError, match=rf"^{name}: expected .* found "):
        Tokenizer(**options)


def test_words_of_a_vocabulary_may_be_bytes_that_are_no_text():
    # What a vocabulary gives back for them can be given to it again.
    vocabulary = Vocabulary.of(["\udcff", "a\udc80"])
    assert vocabulary.buffer.tobytes() == b"\xffa\x80"
    assert pack_words(vocabulary.words).buffer.tobytes() == b"\xffa\x80"
