"""What is wrong with an index or with what it is given is told in one line; the rest goes on."""

import json
import os
import shutil
import warnings
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from conftest import SENTENCES, make_words, random_vectors
from test_fuzzy_index import SIZE, limit_segments, lists, refused, some_vectors
from test_storage import config_of, exchange, put
from test_storage import refuse as refuse_folder

from sfbow import FuzzyIndex, ModelFolderError, OptionError, SFBoW, SfbowWarning, Universe
from sfbow.index import manifest
from sfbow.safetensors import map_tensor, read_header

ROWS = some_vectors(40)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("os.fsync", lambda descriptor: None)  # which is slow
    limit_segments(monkeypatch, 8)


@pytest.fixture
def folder(tmp_path) -> Path:
    """An index of vectors: segments of 8, 8 and 3 rows, one of the second removed."""
    with FuzzyIndex.create(tmp_path / "index", size=SIZE, measure="dice") as index:
        index.add([f"row {n}" for n in range(19)], ROWS[:19], payload=[{"n": n} for n in range(19)])
        index.remove(["row 9"])
    return tmp_path / "index"


def segment(folder: Path, number: int) -> Path:
    return folder / config_of(folder)["segments"][number]["file"]


def open_damaged(folder: Path, *parts: str, left: int) -> FuzzyIndex:
    """Open an index of which a part is damaged: one warning tells which."""
    with pytest.warns(SfbowWarning) as caught:
        index = FuzzyIndex.open(folder)
    (warning,) = [str(one.message) for one in caught]
    assert "\n" not in warning
    for part in ("left out: ", str(folder), *parts):
        assert part in warning
    assert len(index) == left
    return index


# What is given to it


@pytest.fixture
def index(folder):
    with FuzzyIndex.open(folder, writable=True) as opened:
        yield opened


@pytest.mark.parametrize(
    ("ids", "match"),
    [
        ("row", "expected a list of strings or whole numbers, found str; put a single id"),
        (3, "found int"),
        (None, "found NoneType"),
        ([3, 4], "expected strings, as the index has, found 3"),
        (["a", 3], "strings only or whole numbers only, found 3 at place 1"),
        ([3, "a"], "found 'a' at place 1"),
        ([True, False], "found True at place 0"),
        ([1, True], "found True at place 1"),
        ([1.5, 2], "found 1.5 at place 0"),
        (["a", None], "found None at place 1"),
        ([b"a", b"b"], "found b'a' at place 0"),
        ([[1], [2]], r"found \[1\] at place 0"),
        (["a"], "expected as many as texts or vectors, 2, found 1"),
        (["a", "b", "c"], "expected as many as texts or vectors, 2, found 3"),
    ],
    ids=str,
)
def test_wrong_ids(index, ids, match):
    refused(match, index.add, ids, ROWS[:2])
    assert len(index) == 18


def test_numbers_that_are_too_large(tmp_path):
    with FuzzyIndex.create(tmp_path, size=SIZE) as index:
        for far in (2**63, -(2**63) - 1, 10**400):
            refused("expected numbers of 64 bits", index.add, [1, far], ROWS[:2])
        index.add([1], ROWS[:1])
        refused("expected integers, as the index has, found 'a'", index.add, ["a"], ROWS[:1])
        assert 2**63 not in index


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        (ROWS[:2, :-1], "expected rows of 5 numbers"),
        (ROWS[0], "expected as many as"),
        (ROWS[:2, None], "expected rows of 5 numbers"),
        (-ROWS[:2], "numbers from 0 up"),
        (ROWS[:2] * np.nan, "numbers from 0 up"),
        (ROWS[:2] * np.inf, "numbers from 0 up"),
        (ROWS[:2].astype(complex), "expected rows of 5 numbers, found complex"),
        (["a text", "another"], "expected vectors, as the index has no model, found texts"),
    ],
    ids=lambda value: "" if isinstance(value, np.ndarray) else str(value)[:30],
)
def test_wrong_vectors(index, rows, match):
    refused(match, index.add, ["a", "b"], rows)
    assert len(index) == 18
    assert index.verify() == []


def test_a_fault_in_a_late_row_changes_nothing(index, folder):
    before = sorted(folder.iterdir())
    rows = ROWS[:30].copy()
    rows[-1, 0] = np.nan
    refused("numbers from 0 up", index.add, [f"new {n}" for n in range(30)], rows)
    assert sorted(folder.iterdir()) == before
    assert len(index) == 18


@pytest.mark.parametrize(
    ("payload", "match"),
    [
        ([{}], "payload: expected 2, one for each id, found 1"),
        (3, "payload: expected a dictionary for each id, found int"),
        ([{}, 3], "payload 1: expected a dictionary or None, found int"),
        ([{}, [1]], "payload 1: expected a dictionary or None, found list"),
        ([{"a": {1}}, {}], "payload 0: expected what JSON has, found other things"),
        ([{"a": np.nan}, {}], "payload 0: expected what JSON has"),
        ([{(1, 2): 3}, {}], "payload 0: expected what JSON has"),
    ],
    ids=str,
)
def test_wrong_payload(index, payload, match):
    refused(match, index.add, ["a", "b"], ROWS[:2], payload=payload)
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    refused("payload 0: expected what JSON has", index.add, ["a"], ROWS[:1], payload=[{"a": deep}])


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"k": 0}, "k: expected a whole number from 1, found 0"),
        ({"k": -1}, "found -1"),
        ({"k": 1.5}, "found 1.5"),
        ({"k": True}, "found True"),
        ({"threshold": 0}, "threshold: expected a number above 0 up to 1, found 0"),
        ({"threshold": 1.01}, "found 1.01"),
        ({"threshold": -0.5}, "found -0.5"),
        ({"threshold": np.nan}, "found nan"),
        ({"threshold": "high"}, "found 'high'"),
        ({"k": 3, "threshold": 0.5}, "threshold: expected none, or no k, found 0.5"),
        ({"ids": "row 3"}, "expected a list of strings"),
        ({"ids": [3]}, "expected strings, as the index has, found 3"),
        ({"threads": 0}, "threads: expected a whole number from 1, found 0"),
    ],
    ids=str,
)
def test_wrong_searches(index, options, match):
    refused(match, index.search, ROWS[:2], kind=ValueError, **options)


@pytest.mark.parametrize("queries", ["a text", ["a text"], ROWS[:2, 1:], -ROWS[:2], ROWS * np.nan])
def test_wrong_queries(index, queries):
    refused("expected", index.search, queries)


@pytest.mark.parametrize("queries", [3, None, [3], [None], b"x", {"a": 1}, [["the", 3]], [b"x"]])
def test_wrong_texts(tmp_path, model, queries):
    with FuzzyIndex.create(tmp_path, model) as index:
        index.add([1], ["the cat"])
        refused("expected", index.search, queries)
        refused("expected", index.add, [2], queries)
        assert len(index) == 1


def test_unknown_ids_are_not_removed(index):
    refused("found 'row 9'; nothing was removed", index.remove, ["row 1", "row 9"])
    refused("found 'x' and 2 more; nothing", index.remove, ["row 1", "x", "y", "z"])
    refused("expected strings, as the index has", index.remove, [1])
    index.remove(["row 1", "row 1"])
    assert len(index) == 17


def test_memberships_above_the_highest_level(index):
    with pytest.warns(SfbowWarning, match="1 of 2 rows have memberships above"):
        index.add(["a", "b"], np.array([[99, 0, 0, 0, 0], [1, 0, 0, 0, 0]], np.float32))


# Making and opening


def test_wrong_settings(tmp_path, model):
    create = FuzzyIndex.create
    refused("give one of the two", create, tmp_path)
    refused("give one of the two", create, tmp_path, model, size=model.size)
    refused("storage: expected 8-bit or 4-bit or float32", create, tmp_path, model,
            storage="16-bit", kind=OptionError)  # fmt: skip
    refused(
        "measure: expected jaccard", create, tmp_path, model, measure="cosine", kind=OptionError
    )
    refused("measure: expected jaccard", create, tmp_path, size=3, measure="", kind=OptionError)
    for size in (0, -1, 1.5, True, "3"):
        refused("size: expected a whole number", create, tmp_path, size=size, kind=OptionError)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_use(tmp_path, folder, model):
    refused("expected a new folder, found one in use", FuzzyIndex.create, folder, size=SIZE)
    model.save_pretrained(tmp_path / "model")
    refused("expected a new folder", FuzzyIndex.create, tmp_path / "model", size=SIZE)
    SFBoW.from_pretrained(tmp_path / "model")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OSError, match="exists"):
        FuzzyIndex.create(tmp_path / "file", size=SIZE)


def test_wrong_places(tmp_path, model):
    for writable in (False, True):
        refused("no such folder", FuzzyIndex.open, tmp_path / "no", writable=writable,
                kind=ModelFolderError)  # fmt: skip
        refused("expected a folder with config.json, found none", FuzzyIndex.open, tmp_path,
                writable=writable, kind=ModelFolderError)  # fmt: skip
        (tmp_path / "file").write_text("x")
        refused("no such folder", FuzzyIndex.open, tmp_path / "file", writable=writable,
                kind=ModelFolderError)  # fmt: skip
    model.save_pretrained(tmp_path / "model")
    refused("expected the format 'sfbow index', found 'sfbow model'; give a folder of that format",
            FuzzyIndex.open, tmp_path / "model", kind=ModelFolderError)  # fmt: skip


# Models


def other_model() -> SFBoW:
    return SFBoW(make_words(), Universe(random_vectors(9, 6, 2)).signed())


def test_the_model_is_found_again(tmp_path, model):
    model.save_pretrained(tmp_path / "model")
    places = {
        "saved": SFBoW.from_pretrained(tmp_path / "model"),
        "folder": str(tmp_path / "model"),
        "path": tmp_path / "model",
        "embedded": SFBoW.from_pretrained(),
        "never saved": model,
    }
    for name, given in places.items():
        with FuzzyIndex.create(tmp_path / name, given) as index:
            index.add(["a"], ["the cat"])
    shutil.move(tmp_path / "never saved", tmp_path / "moved")
    for name in ("saved", "folder", "path", "embedded", "moved"):
        opened = FuzzyIndex.open(tmp_path / name)
        assert opened.search("the cat").ids[0, 0] == "a"
        assert opened.model.fingerprint == config_of(tmp_path / name)["model"]["fingerprint"]
    assert (tmp_path / "moved" / "model" / "config.json").exists()
    assert not (tmp_path / "saved" / "model").exists()


def test_a_model_that_is_gone(tmp_path, model):
    model.save_pretrained(tmp_path / "model")
    with FuzzyIndex.create(tmp_path / "index", tmp_path / "model") as index:
        index.add(["a"], ["the cat"])
    (tmp_path / "model").rename(tmp_path / "elsewhere")
    opened = FuzzyIndex.open(tmp_path / "index")
    assert opened.search(model.encode("the cat")).ids[0, 0] == "a", "vectors need no model"
    refused("its model .* tell where it is: .*no such folder", opened.search, "the cat")
    again = FuzzyIndex.open(tmp_path / "index", model=tmp_path / "elsewhere")
    assert again.search("the cat").ids[0, 0] == "a"


def test_a_model_that_does_not_fit(tmp_path, model):
    model.save_pretrained(tmp_path / "model")
    with FuzzyIndex.create(tmp_path / "index", tmp_path / "model") as index:
        index.add(["a"], ["the cat"])
    other_model().save_pretrained(tmp_path / "other")
    refused("expected the model [0-9a-f]{12}, with which it was made, found [0-9a-f]{12};",
            FuzzyIndex.open, tmp_path / "index", model=tmp_path / "other")  # fmt: skip
    refused("found one that was never saved", FuzzyIndex.open, tmp_path / "index", model=model)
    other_model().save_pretrained(tmp_path / "model")
    opened = FuzzyIndex.open(tmp_path / "index")
    refused("expected the model [0-9a-f]{12}, with which", opened.search, "the cat")


def test_fingerprints(tmp_path, model):
    model.save_pretrained(tmp_path / "a")
    opened = SFBoW.from_pretrained(tmp_path / "a")
    opened.save_pretrained(tmp_path / "b")
    assert SFBoW.from_pretrained(tmp_path / "b").fingerprint == opened.fingerprint
    assert model.fingerprint is None
    assert opened.quantized().fingerprint is None
    variants = [
        model.quantized(),
        other_model(),
        SFBoW(make_words(), model.universe, counts=True),
        SFBoW(make_words(), model.universe, casing="lower"),
        SFBoW(make_words(), model.universe, weights=None),
    ]
    found = {opened.fingerprint}
    for variant in variants:
        variant.save_pretrained(tmp_path / "variant")
        found.add(SFBoW.from_pretrained(tmp_path / "variant").fingerprint)
    assert len(found) == 1 + len(variants)


# The manifest


refuse = partial(refuse_folder, opening=FuzzyIndex.open)


def test_a_manifest_with_any_bit_flipped(folder):
    content = bytearray((folder / "config.json").read_bytes())
    expected = lists(FuzzyIndex.open(folder).search(ROWS[:2], k=40))
    for place in range(len(content)):
        flipped = content.copy()
        flipped[place] ^= 1 << place % 7
        (folder / "config.json").write_bytes(flipped)
        with suppress(ModelFolderError):
            # It may be white space.
            assert lists(FuzzyIndex.open(folder).search(ROWS[:2], k=40)) == expected
    for size in range(len(content) - 2):
        (folder / "config.json").write_bytes(content[:size])
        refuse(folder, "config.json")


def rewrite_manifest(folder: Path, change: dict) -> None:
    """Change settings, with a checksum that fits."""
    config = config_of(folder) | change
    del config["checksum"]
    config["checksum"] = manifest._checksum(config)
    (folder / "config.json").write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"format": "sfbow model"}, "'sfbow model'"),
        ({"version": 2}, "found 2; install a newer sfbow"),
        ({"files": {}}, "segments that are not its files"),
        ({"files": {"../x.safetensors": {"bytes": 1, "sha256": ""}}}, "x.safetensors"),
        ({"segments": []}, "segments that are not its files"),
        ({"segments": None}, "config.json"),
        ({"segments": [3]}, "config.json"),
        ({"segments": [{"file": "x"}]}, "config.json"),
        ({"segments": [{"file": [], "rows": 3}]}, "config.json"),
        ({"removed": None}, "segments that are not its files"),
        ({"removed": 3}, "config.json"),
        ({"removed": {}}, "config.json"),
        ({"storage": "2-bit"}, "2-bit"),
        ({"storage": []}, "config.json"),
        ({"measure": "cosine"}, "cosine"),
        ({"measure": []}, "config.json"),
        ({"size": 0}, "size"),
        ({"size": "5"}, "size"),
        ({"size": True}, "size"),
        ({"size": 10**10}, "config.json"),
        ({"scale": 0}, "scale"),
        ({"scale": -1}, "scale"),
        ({"scale": "1"}, "scale"),
        ({"scale": float("inf")}, "scale"),
        ({"ids": None}, "None"),
        ({"ids": "floats"}, "floats"),
        ({"ids": []}, "config.json"),
        ({"model": 3}, "config.json"),
        ({"model": {}}, "config.json"),
        ({"model": {"name": 3, "fingerprint": ""}}, "config.json"),
        ({"model": {"name": None, "fingerprint": None}}, "config.json"),
        ({"inserted": -1}, "-1 rows"),
        ({"inserted": "3"}, "'3' rows"),
        ({"inserted": 1 << 70}, "rows"),
    ],
    ids=str,
)
def test_a_manifest_with_one_wrong_value(folder, change, found):
    rewrite_manifest(folder, change)
    refuse(folder, found)


@pytest.mark.parametrize("key", ["segments", "files", "removed", "storage", "measure", "size",
                                 "scale", "ids", "model", "inserted", "checksum"])  # fmt: skip
def test_a_manifest_that_lacks_something(folder, key):
    config = config_of(folder)
    del config[key]
    if key != "checksum":
        del config["checksum"]
        config["checksum"] = manifest._checksum(config)
    (folder / "config.json").write_text(json.dumps(config))
    refuse(folder, "config.json")


def test_a_manifest_that_is_none(folder):
    for content in (b"", b"{", b"[]", b"null", b"\xff", b"[" * 200_000):
        (folder / "config.json").write_bytes(content)
        refuse(folder, "config.json")
    (folder / "config.json").unlink()
    os.mkfifo(folder / "config.json")
    refuse(folder, "config.json")
    (folder / "config.json").unlink()
    (folder / "config.json").mkdir()
    refuse(folder, "config.json")


# Segments


def delete(file: Path) -> None:
    file.unlink()


def replace_by_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def replace_by_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def shorten(file: Path) -> None:
    os.truncate(file, file.stat().st_size - 1)


def lengthen(file: Path) -> None:
    os.truncate(file, file.stat().st_size + 1)


def garble_header(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.seek(8)
        opened.write(b"\xff")


@pytest.mark.parametrize(
    "damage", [delete, replace_by_folder, replace_by_pipe, shorten, lengthen, garble_header]
)
@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_damaged_segment_is_named_and_the_rest_is_there(folder, damage, number):
    file = segment(folder, number)
    damage(file)
    left = [n for n in range(19) if n != 9 and n // 8 != number]
    index = open_damaged(folder, file.name, left=len(left))
    assert list(index) == [f"row {n}" for n in left]
    hits = index.search(ROWS[:2], k=40)
    assert {hit.payload["n"] for hit in hits[0]} == set(left)
    (line,) = index.verify()
    assert file.name in line
    with pytest.warns(SfbowWarning):
        writer = FuzzyIndex.open(folder, writable=True)
    with writer:
        for change in (
            lambda: writer.add(["x"], ROWS[:1]),
            lambda: writer.remove([f"row {left[0]}"]),
        ):
            refused(f"whole segments, to change them, found .*{file.name}", change,
                    kind=ModelFolderError)  # fmt: skip
    (line,) = FuzzyIndex.repair(folder)
    assert file.name in line
    assert FuzzyIndex.repair(folder) == []
    with FuzzyIndex.open(folder, writable=True) as index:
        assert list(index) == [f"row {n}" for n in left]
        index.add(["x"], ROWS[:1])
        assert index.verify() == []


def test_a_flipped_bit_is_found(folder):
    for number in range(3):
        file = segment(folder, number)
        content = bytearray(file.read_bytes())
        for place in (8, 1024, len(content) - 1):
            flipped = content.copy()
            flipped[place] ^= 1
            file.write_bytes(flipped)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SfbowWarning)
                (line,) = FuzzyIndex.open(folder).verify()
            assert f"{file.name}: expected the SHA-256" in line
        file.write_bytes(content)
    assert FuzzyIndex.open(folder).verify() == []


def test_damage_is_not_copied(folder):
    """A segment is compared with its checksum before its rows go into another."""
    file = segment(folder, 2)
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with FuzzyIndex.open(folder, writable=True) as index:
        refused(f"{file.name}: expected the SHA-256", index.add, list("abc"), ROWS[:3],
                kind=ModelFolderError)  # fmt: skip
        index.add(["a"], ROWS[:1])


def test_what_is_removed_cannot_be_told(folder):
    file = folder / config_of(folder)["removed"]
    with FuzzyIndex.open(folder, writable=True) as index:
        index.add(["row 3"], ROWS[30:31])
    file = folder / config_of(folder)["removed"]
    expected = list(FuzzyIndex.open(folder))
    file.unlink()
    refuse(folder, file.name, "no such file")
    (line,) = FuzzyIndex.repair(folder)
    assert file.name in line
    index = FuzzyIndex.open(folder)
    assert len(set(index)) == len(list(index)), "what was replaced is not back"
    assert set(index) == {*expected, "row 9"}
    assert index.search(ROWS[30], k=1).ids[0, 0] == "row 3"


def rewrite(folder: Path, file: Path, **changes) -> None:
    """Exchange tensors of a file, with a manifest that agrees: only the content is at fault."""
    entry = exchange(file, **changes)
    rewrite_manifest(folder, {"files": config_of(folder)["files"] | {file.name: entry}})


@pytest.mark.parametrize(
    "changes",
    [
        {"levels": lambda a: a[:-1]},
        {"levels": lambda a: a[:, :-1]},
        {"levels": lambda a: a.astype(np.int16)},
        {"levels": lambda a: a[0]},
        {"masses": lambda a: a[:-1]},
        {"masses": lambda a: a.astype(np.int32)},
        {"order": lambda a: a[:-1]},
        {"order": lambda a: a.astype(np.int64)},
        {"ids_offsets": lambda a: a[:-1]},
        {"ids_buffer": lambda a: a.astype(np.int32)},
        {"ids_table": lambda a: a.astype(np.int64)},
        {"payload_offsets": lambda a: a[:-1]},
        {"payload_offsets": lambda a: a.astype(np.int32)},
        {"payload_buffer": lambda a: a.astype(np.int8)},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_tensors_that_do_not_fit_together(folder, changes):
    file = segment(folder, 1)
    rewrite(folder, file, **changes)
    open_damaged(folder, file.name, left=11)


def looked_up(index):
    return "row 1" in index


def listed(index):
    return list(index)


def filtered(index):
    return index.search(ROWS[0], ids=["row 1"])


def searched(index):
    return list(index.search(ROWS[:2], k=40))


def merged(index):
    with FuzzyIndex.open(index.folder, writable=True) as writer:
        writer.vacuum()


@pytest.mark.parametrize(
    ("changes", "uses"),
    [
        ({"ids_table": put(slice(None), 1)}, [looked_up, listed, filtered, merged]),
        ({"ids_table": put(slice(None), 0)}, [looked_up, listed, filtered, merged]),
        ({"ids_table": lambda a: np.where(a == 3, 99, a)}, [looked_up, filtered]),
        ({"ids_table": lambda a: a[:-1]}, [looked_up, filtered]),
        ({"ids_table": lambda a: a[:0]}, [looked_up, filtered]),
        ({"ids_offsets": put(3, 10**6)}, [looked_up, listed, searched, merged]),
        ({"ids_offsets": put(3, -1)}, [looked_up, listed, searched, merged]),
        ({"ids_offsets": put(-1, 10**6)}, [looked_up, listed, searched]),
        ({"ids_buffer": put(slice(None), 255)}, [listed, searched]),
        ({"order": put(0, 99)}, [searched, filtered]),
        ({"order": put(0, -1)}, [searched, filtered]),
        ({"payload_offsets": put(3, 10**6)}, [searched, merged]),
        ({"payload_offsets": put(3, -1)}, [searched, merged]),
        ({"payload_offsets": put(2, 1 << 62)}, [searched, merged]),
        ({"payload_buffer": put(slice(None), 255)}, [searched]),
        ({"payload_buffer": put(slice(None), ord("["))}, [searched]),
        ({"payload_buffer": put(slice(None), ord("3"))}, [searched]),
    ],
    ids=lambda value: str(next(iter(value))) if isinstance(value, dict) else "",
)
def test_content_that_does_not_fit_together(folder, changes, uses):
    """What is only read when it is used is only then refused, and no memory but its own is read."""
    file = segment(folder, 1)
    rewrite(folder, file, **changes)
    for use in uses:
        refused(file.name, use, FuzzyIndex.open(folder), kind=ModelFolderError)


def test_texts_that_are_no_utf8(tmp_path, model):
    with FuzzyIndex.create(tmp_path, model) as index:
        index.add(range(3), SENTENCES[:3])
    file = segment(tmp_path, 0)
    rewrite(tmp_path, file, texts_buffer=put(1, 0xC0))
    refused(f"{file.name}: expected texts in UTF-8", lambda: list(FuzzyIndex.open(tmp_path)
            .search(SENTENCES[0])), kind=ModelFolderError)  # fmt: skip


def test_ids_that_are_not_unique(folder):
    """No change of ours leads there; what is merged is compared."""
    for number in (0, 1):
        rewrite(folder, segment(folder, number), ids_buffer=lambda a: a)
    entries = config_of(folder)["segments"]
    shutil.copy(segment(folder, 0), folder / "segment-copy.safetensors")
    copy = {"file": "segment-copy.safetensors", "rows": 8}
    files = config_of(folder)["files"]
    files["segment-copy.safetensors"] = files[entries[0]["file"]]
    files.pop(config_of(folder)["removed"])
    rewrite_manifest(folder, {"files": files, "segments": [*entries, copy], "removed": None})
    with FuzzyIndex.open(folder, writable=True) as index:
        assert len(index) == 27
        most = [f"row {n}" for n in range(5)]
        refused("expected distinct ones, found some twice", index.remove, most)


def test_a_removed_list_that_does_not_fit(folder):
    file = folder / config_of(folder)["removed"]
    content = file.read_bytes()
    for changes in (
        {"rows": put(0, 8)},
        {"rows": put(0, -1)},
        {"rows": lambda a: a[:0]},
        {"rows": lambda a: a.astype(np.int64)},
        {"bounds": lambda a: a[:-1]},
        {"bounds": lambda a: a[:0]},
        {"bounds": put(1, 1)},
        {"bounds": put(1, -5)},
        {"bounds": put(1, 1 << 62)},
        {"bounds": put(-1, 2)},
    ):
        file.write_bytes(content)
        if "bounds" in changes and changes["bounds"](np.arange(4)).tolist() == [0, 1, 2, 3]:
            continue
        rewrite(folder, file, **changes)
        if list(changes) == ["bounds"] and read_removed(file) == [0, 1, 1, 1]:
            assert len(FuzzyIndex.open(folder)) == 18, "a removed row of another segment"
            continue
        refuse(folder, file.name)


def read_removed(file: Path) -> list[int]:
    return map_tensor(file, read_header(file)["bounds"]).tolist()


def test_a_segment_that_is_cut_while_it_is_mapped(folder):
    index = FuzzyIndex.open(folder)
    hits = index.search(ROWS[:2], k=40)
    file = segment(folder, 0)
    os.truncate(file, 1024)
    for use in (looked_up, listed, filtered, searched, lambda _: list(hits), lambda _: hits.ids):
        refused(f"{file.name}.* another program cut it", use, index, kind=ModelFolderError)
