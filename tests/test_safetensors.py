"""Our safetensors are everybody's, and a lying header is refused before anything is mapped."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from sfbow.errors import ModelFolderError
from sfbow.safetensors import TensorSource, map_tensor, read_header, write_tensors

KINDS = ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"]


def write_raw(path, header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    length = len(text) if length is None else length
    path.write_bytes(length.to_bytes(8, "little") + text + data)
    return path


def entry(dtype="F32", shape=(1,), offsets=(0, 4)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def read_all(path):
    return {name: map_tensor(path, info) for name, info in read_header(path).items()}


def assert_same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        assert (a[name].dtype, a[name].shape) == (b[name].dtype, b[name].shape)
        assert a[name].tobytes() == b[name].tobytes()


tensor_tables = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5).filter(
        lambda name: name != "__metadata__"
    ),
    st.sampled_from(KINDS).flatmap(
        lambda kind: arrays(kind, array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
    ),
    min_size=1,
    max_size=4,
)


@given(tensor_tables)
def test_we_write_what_safetensors_reads(tmp_path_factory, tensors):
    path = tmp_path_factory.mktemp("written") / "file"
    write_tensors(path, {name: TensorSource.whole(array) for name, array in tensors.items()})
    assert_same(load_file(path), tensors)
    assert_same(read_all(path), tensors)
    for array in read_all(path).values():
        assert not array.flags.writeable or array.size == 0
        assert array.ctypes.data % array.dtype.itemsize == 0


@given(tensor_tables)
def test_we_read_what_safetensors_writes(tmp_path_factory, tensors):
    path = tmp_path_factory.mktemp("read") / "file"
    save_file(tensors, path, {"format": "np"})
    assert_same(read_all(path), tensors)


def test_tensors_are_written_in_blocks_of_rows(tmp_path):
    rows = np.arange(60, dtype=np.int32).reshape(20, 3)
    blocks = (rows[start : start + 7].astype(np.int64) for start in range(0, 20, 7))
    write_tensors(
        tmp_path / "file",
        {
            "blocks": TensorSource(np.dtype(np.int32), (3,), blocks),
            "none": TensorSource(np.dtype(np.float32), (3,), []),
            "strided": TensorSource.whole(rows.T),
        },
    )
    assert_same(
        load_file(tmp_path / "file"),
        {"blocks": rows, "none": np.empty((0, 3), np.float32), "strided": rows.T},
    )


def test_data_begins_at_a_kibibyte(tmp_path):
    write_tensors(tmp_path / "file", {"a": TensorSource.whole(np.ones(3))})
    assert read_header(tmp_path / "file")["a"].start == 1024
    with safe_open(tmp_path / "file", "np") as file:
        assert list(file.keys()) == ["a"]


def test_an_existing_file_is_never_written_to(tmp_path):
    (tmp_path / "file").write_bytes(b"precious")
    with pytest.raises(FileExistsError):
        write_tensors(tmp_path / "file", {})
    assert (tmp_path / "file").read_bytes() == b"precious"


def test_a_header_has_its_limits(tmp_path):
    many = {f"tensor {number}": TensorSource.whole(np.ones(1)) for number in range(50)}
    with pytest.raises(ValueError, match="50 tensors are too many"):
        write_tensors(tmp_path / "file", many)


SOUND = {"a": entry(), "b": entry("U8", (2, 2), (4, 8))}


def test_a_sound_header_in_any_order_and_with_metadata(tmp_path):
    header = {"__metadata__": {"x": "y"}, "b": SOUND["b"], "a": SOUND["a"]}
    path = write_raw(tmp_path / "file", header, bytes(range(8)))
    tensors = read_all(path)
    assert tensors["b"].tolist() == [[4, 5], [6, 7]]
    assert tensors["a"].tobytes() == bytes(range(4))


def test_a_scalar(tmp_path):
    tensors = read_all(write_raw(tmp_path / "file", {"a": entry(shape=())}, bytes(4)))
    assert (tensors["a"].shape, tensors["a"]) == ((), 0)


HOSTILE = {
    "a hole before": ({"a": entry(offsets=(4, 8))}, 8),
    "a hole between": ({"a": entry(), "b": entry(offsets=(8, 12))}, 12),
    "an overlap": ({"a": entry(shape=(2,), offsets=(0, 8)), "b": entry(offsets=(4, 8))}, 8),
    "the same bytes twice": ({"a": entry(), "b": entry()}, 4),
    "bytes behind": ({"a": entry()}, 5),
    "bytes that lack": ({"a": entry()}, 3),
    "data of no tensor": ({}, 1),
    "more than the shape needs": ({"a": entry(offsets=(0, 8))}, 8),
    "less than the shape needs": ({"a": entry(shape=(3,), offsets=(0, 8))}, 8),
    "offsets that go back": ({"a": entry(offsets=(4, 0))}, 4),
    "a negative offset": ({"a": entry(offsets=(-4, 0))}, 0),
    "a negative shape": ({"a": entry(shape=(-1, -1))}, 4),
    "a shape that overflows": ({"a": entry(shape=(2**32, 2**32, 4), offsets=(0, 0))}, 0),
    "a shape that overflows to 4": ({"a": entry(shape=(2**63 + 1, 2))}, 4),
    "nothing, very wide": ({"a": entry(shape=(0, 2**62), offsets=(0, 0))}, 0),
    "nothing, wider than words": ({"a": entry(shape=(0, 2**70), offsets=(0, 0))}, 0),
    "a hundred dimensions": ({"a": entry(shape=(1,) * 100)}, 4),
    "a huge offset": ({"a": entry(offsets=(0, 10**30))}, 4),
    "a broken number": ({"a": entry(shape=(1.0,))}, 4),
    "a truth": ({"a": entry(shape=(True,))}, 4),
    "infinity": ({"a": entry(shape=(float("inf"),))}, 4),
    "a shape in letters": ({"a": {**entry(), "shape": "1"}}, 4),
    "a shape of nothing": ({"a": {**entry(), "shape": None}}, 4),
    "three offsets": ({"a": entry(offsets=(0, 4, 4))}, 4),
    "an unknown type": ({"a": entry("F33")}, 4),
    "a type that is none": ({"a": entry(["F32"])}, 4),
    "an entry without a type": ({"a": {"shape": [1], "data_offsets": [0, 4]}}, 4),
    "an entry that is a list": ({"a": [1, 2]}, 4),
    "an entry that is nothing": ({"a": None}, 4),
    "a list": ([], 0),
    "a number": (3, 0),
    "a name with a newline": ({"a\nb": entry(offsets=(4, 8))}, 8),
    "no JSON": (b"{", 0),
    "an empty header": (b"", 0),
    "no text": (b"\xff\xfe\xfd", 0),
    "a very deep one": (b"[" * 200_000 + b"]" * 200_000, 0),
    "a very long number": (b'{"a":' + b"9" * 5000 + b"}", 0),
}


@pytest.mark.parametrize(("header", "size"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_headers(tmp_path, header, size):
    path = write_raw(tmp_path / "file", header, bytes(size))
    with pytest.raises(ModelFolderError) as caught:
        read_header(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, ")
    assert "\n" not in message
    assert ": expected " in message
    assert ", found " in message
    assert len(message) < 500 + len(str(path))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "0 bytes"),
        (b"\x01\0\0", "1 bytes"),
        ((100).to_bytes(8, "little") + b"{}", "100 bytes"),
        ((2**64 - 1).to_bytes(8, "little") + b"{}", "18446744073709551615 bytes"),
        ((3).to_bytes(8, "little") + b"{}", "3 bytes"),
    ],
)
def test_a_header_beyond_the_file(tmp_path, content, found):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(ModelFolderError, match=f"byte 0: expected a header .* found {found};"):
        read_header(tmp_path / "file")


def test_a_header_of_more_than_100_megabytes(tmp_path):
    path = write_raw(tmp_path / "file", b"{}", length=100_000_001)
    with path.open("r+b") as file:
        file.truncate(200_000_000)  # sparse
    with pytest.raises(ModelFolderError, match="found 100000001 bytes"):
        read_header(path)


@given(st.binary(max_size=60))
def test_noise(tmp_path_factory, noise):
    path = tmp_path_factory.mktemp("noise") / "file"
    header = json.dumps(SOUND).encode()
    place = sum(noise) % (len(header) - 1)
    damaged = header[:place] + noise + header[place + len(noise) :]
    write_raw(path, damaged, bytes(8))
    try:
        tensors = read_all(path)
    except ModelFolderError:
        return
    assert sum(array.nbytes for array in tensors.values()) == 8
