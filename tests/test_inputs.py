"""Whatever holds texts gives the same texts; what holds none is refused with one line."""

import sys
from collections import OrderedDict, UserList, deque

import numpy as np
import pytest

from sfbow import inputs
from sfbow.errors import InputError, MissingExtraError
from sfbow.inputs import Tokens, batches, counted, pack, short_parts
from sfbow.text import Texts

TEXTS = ["The cat", "", "Ⱥ東\0", "a" * 100, "dog, dog"]


def read(texts, size=2) -> list[str]:
    """Give all texts back, through batches."""
    return [text for batch in batches(texts, size) for text in unpack(pack(batch))]


def unpack(packed: Texts) -> list[str]:
    data = packed.buffer.tobytes()
    bounds = zip(packed.offsets[:-1], packed.offsets[1:], strict=True)
    return [data[start:end].decode("utf-8", "surrogatepass") for start, end in bounds]


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "UserList": UserList,
    "deque": deque,
    "iterator": iter,
    "generator": lambda texts: (text for text in texts),
    "dict keys": lambda texts: dict.fromkeys(texts).keys(),
    "object array": lambda texts: np.array(texts, object),
    "strided array": lambda texts: np.array(texts, object).repeat(3)[::3],
}


@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_containers(make, size):
    assert read(make(TEXTS), size) == TEXTS
    assert read(make([]), size) == []


def test_arrays_of_fixed_width_end_without_their_nuls():
    texts = ["cat", "東京", ""]
    assert read(np.array(texts)) == texts


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="NumPy 1 has no StringDType")
def test_arrays_of_strings_of_numpy_2():
    assert read(np.array(TEXTS, np.dtypes.StringDType())) == TEXTS
    missing = np.array(["a", None], np.dtypes.StringDType(na_object=None))
    with pytest.raises(InputError, match=r"^text 1: expected a string, found NoneType"):
        read(missing)


@pytest.mark.parametrize("kind", ["string", "large_string"])
def test_arrays_of_arrow_are_not_copied(kind):
    pyarrow = pytest.importorskip("pyarrow")
    array = pyarrow.array(["before", *TEXTS], kind)[1:]
    data = np.frombuffer(array.buffers()[2], np.uint8)
    parts = list(batches(array, 2))
    assert [text for part in parts for text in unpack(part)] == TEXTS
    assert all(np.shares_memory(part.buffer, data) for part in parts)


def test_batches_have_the_size_that_is_asked_for():
    assert [len(batch) for batch in batches(TEXTS, 2)] == [2, 2, 1]
    assert [len(batch) for batch in batches(iter(TEXTS), 2)] == [2, 2, 1]
    assert [len(batch) for batch in batches(np.array(TEXTS), 2)] == [2, 2, 1]


@pytest.mark.parametrize(
    "sentences",
    [
        [["the", "cat"], [], ["Ⱥ"]],
        [("the", "cat"), (), ("Ⱥ",)],
        [np.array(["the", "cat"]), np.array([], "U1"), np.array(["Ⱥ"], object)],
        (["the", "cat"], (), ["Ⱥ"]),
    ],
)
def test_texts_that_are_already_cut(sentences):
    packed = pack(sentences)
    assert isinstance(packed, Tokens)
    assert len(packed) == 3
    assert unpack(packed.words) == ["the", "cat", "Ⱥ"]
    assert packed.bounds.tolist() == [0, 2, 2, 3]


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        ([None], "text 7: expected a string or a list of words, found NoneType"),
        ([b"a"], "text 7: expected a string or a list of words, found bytes"),
        ([3], "text 7: expected a string or a list of words, found int"),
        ([{"a": 1}], "text 7: expected a string or a list of words, found dict"),
        ([float("nan")], "text 7: expected a string or a list of words, found float"),
        (["a", None], "text 8: expected a string, found NoneType"),
        (["a", ["b"]], "text 8: expected a string, found list"),
        ([["a"], "b"], "text 8: expected a string or a list of words, found str"),
        ([["a", "b"], ["c", None]], "text 8: expected words as strings, found NoneType"),
        ([["a"], np.array([1])], "text 8: expected words as strings, found int"),
    ],
)
def test_what_is_no_text_is_told_with_its_number(batch, message):
    with pytest.raises(InputError) as caught:
        pack(batch, 7)
    assert str(caught.value).startswith(message)


NO_TEXTS = [
    None, 3, 2.5, b"bytes", bytearray(b"bytes"), "text", {"a": 1}, OrderedDict(), object(),
    np.array("text"), np.array([["a"]]), np.array([1.0]), np.array([b"a"]), np.zeros((0, 2)),
]  # fmt: skip


@pytest.mark.parametrize("texts", NO_TEXTS, ids=repr)
def test_what_holds_no_texts(texts):
    for function in (counted, lambda texts: list(batches(texts, 2))):
        with pytest.raises(InputError, match=r"^texts: expected an? (list|array) of strings"):
            function(texts)


def test_counting_takes_what_has_a_length_as_it_is():
    array, keys = np.array(TEXTS), dict.fromkeys(TEXTS)
    assert counted(TEXTS) is TEXTS
    assert counted(array) is array
    assert len(counted(keys.keys())) == len(TEXTS)
    assert counted(iter(TEXTS)) == TEXTS


def test_long_texts_are_packed_one_by_one(monkeypatch):
    monkeypatch.setattr(inputs, "_LONG", 10)
    long = ["a" * 9, "b", "c"]
    assert list(short_parts(long)) == [(long[i : i + 1], slice(i, i + 1)) for i in range(3)]
    for batch in (["a" * 9, "b"], ["a" * 99], [], [None, "a" * 99]):
        assert list(short_parts(batch)) == [(batch, slice(0, len(batch)))]
    packed = Texts.of(long)
    assert list(short_parts(packed)) == [(packed, slice(0, 3))]


class TestArrow:
    """Arrays of Arrow in all their forms."""

    @pytest.fixture
    def pa(self):
        return pytest.importorskip("pyarrow")

    @pytest.fixture(
        params=["string", "large_string", "string_view", "dictionary", "large dictionary"]
    )
    def array(self, request, pa):
        def make(texts):
            array = pa.array(texts, pa.string())
            if request.param == "large dictionary":
                return pa.array(texts, pa.large_string()).dictionary_encode()
            if request.param == "dictionary":
                return array.dictionary_encode()
            return pa.array(texts, getattr(pa, request.param)())

        return make

    @pytest.mark.parametrize("size", [1, 2, 100])
    def test_kinds_with_slices_chunks_and_nulls(self, pa, array, size):
        texts = ["before", *TEXTS, None, "after"]
        plain = [text or "" for text in texts]
        assert read(array(texts), size) == plain
        assert read(array(texts)[1:-1], size) == plain[1:-1]
        assert read(array(texts)[3:5][1:], size) == plain[4:5]
        assert read(array([]), size) == []
        assert read(array([None, None]), size) == ["", ""]
        chunks = [array(texts)[2:4], array(texts)[4:4], array(texts)[4:]]
        assert read(pa.chunked_array(chunks), size) == plain[2:]

    def test_no_chunk(self, pa):
        assert read(pa.chunked_array([], pa.string())) == []

    def test_a_stream_without_a_length(self, pa):
        class Stream:
            def __init__(self, array):
                self.__arrow_c_stream__ = array.__arrow_c_stream__

        texts = counted(Stream(pa.chunked_array([TEXTS, TEXTS])))
        assert len(texts) == 2 * len(TEXTS)
        assert read(texts) == TEXTS * 2

    def test_an_array_of_another_library(self, pa):
        class Foreign:
            def __init__(self, array):
                self.__arrow_c_array__ = array.__arrow_c_array__

        assert read(Foreign(pa.array(TEXTS))) == TEXTS

    @pytest.mark.parametrize("kind", ["string", "large_string"])
    def test_data_is_not_copied(self, pa, kind):
        array = pa.array(TEXTS, getattr(pa, kind)())[1:]
        address = array.buffers()[2].address
        for batch in batches(array, 2):
            assert batch.buffer.ctypes.data == address

    def test_what_is_no_text(self, pa):
        for array in (
            pa.array([1, 2]), pa.nulls(2), pa.array([b"a"]), pa.array([["a"]]),
            pa.table({"text": ["a"]}), pa.array([1, 2]).dictionary_encode(),
            pa.RecordBatchReader.from_batches(pa.schema([]), []),
        ):  # fmt: skip
            with pytest.raises(InputError, match=r"^texts: expected an Arrow array of strings"):
                list(batches(counted(array), 2))

    def test_without_pyarrow(self, pa, monkeypatch):
        array = pa.array(TEXTS)
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(MissingExtraError, match=r"pip install 'sfbow\[arrow\]'"):
            list(batches(array, 2))
