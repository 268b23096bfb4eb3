"""A folder is the old model or the new one, whole, whatever happens; and damage is told."""

import json
import os
import stat
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from conftest import SENTENCES, make_words, random_vectors, with_subwords

from sfbow import SFBoW, Universe, WordVectors
from sfbow.errors import ModelFolderError
from sfbow.memberships import ComputedMemberships, StoredMemberships
from sfbow.model_folder import open_model, save_model
from sfbow.safetensors import TensorSource, map_tensor, read_header, write_tensors
from sfbow.storage import is_folder, open_folder, sha256, verify_folder


def build(**options) -> SFBoW:
    """A model with a part of every kind."""
    universe = options.pop("universe", Universe(random_vectors(9, 6, 1)).signed())
    return SFBoW(with_subwords(make_words()), universe, **options)


def config_of(folder: Path) -> dict:
    return json.loads((folder / "config.json").read_text())


def data_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.safetensors")}


def answers(folder: Path) -> np.ndarray:
    return SFBoW.from_pretrained(folder).encode(SENTENCES)


VARIANTS = {
    "recommended": {},
    "paper": {"weights": None, "counts": True, "measure": "jaccard"},
    "unsigned, spaces": {"universe": Universe.identity(6), "split": "spaces", "casing": "keep"},
    "punctuation": {"punctuation": True, "casing": "both", "weights": {"cat": 2}},
    "computed, narrow": {"memory_budget": 0},
    "computed, wide": {"memory_budget": 0, "universe": Universe(random_vectors(25, 6)).signed()},
}


@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("rounded", [False, True])
def test_a_model_comes_back_bit_for_bit(tmp_path, options, rounded):
    model = build(**options)
    model = model.quantized() if rounded else model
    model.save_pretrained(tmp_path)
    loaded = SFBoW.from_pretrained(tmp_path)
    np.testing.assert_array_equal(loaded.encode(SENTENCES), model.encode(SENTENCES))
    assert loaded.vocabulary.words == model.vocabulary.words
    assert loaded.tokenizer == model.tokenizer
    assert loaded.measure == model.measure
    assert loaded.size == model.size
    assert loaded.universe.report == model.universe.report
    np.testing.assert_array_equal(loaded.universe.matrix, model.universe.matrix)
    assert loaded._parts.recipe == model._parts.recipe
    assert verify_folder(tmp_path) == list(config_of(tmp_path)["files"])

    loaded.save_pretrained(tmp_path / "again")
    assert data_files(tmp_path / "again") == data_files(tmp_path)
    assert config_of(tmp_path / "again") == config_of(tmp_path)


def test_a_wide_universe_is_stored_beside_the_words(tmp_path):
    for options, kind in (
        (VARIANTS["computed, narrow"], StoredMemberships),
        (VARIANTS["computed, wide"], ComputedMemberships),
    ):
        build(**options).save_pretrained(tmp_path)
        assert isinstance(SFBoW.from_pretrained(tmp_path).memberships, kind)


def test_settings_may_be_numbers_of_numpy(tmp_path):
    model = build(counts=np.bool_(True))
    model.save_pretrained(tmp_path)
    np.testing.assert_array_equal(answers(tmp_path), model.encode(SENTENCES))


def test_the_same_model_gives_the_same_files(tmp_path):
    for name in ("a", "b"):
        build().save_pretrained(tmp_path / name)
    assert data_files(tmp_path / "a") == data_files(tmp_path / "b")
    for name, content in data_files(tmp_path / "a").items():
        digest = sha256(tmp_path / "a" / name)
        entry = config_of(tmp_path / "a")["files"][name]
        assert entry == {"bytes": len(content), "sha256": digest}
        assert digest[:12] in name


def test_opening_maps_and_reads_no_matrix(tmp_path):
    words = WordVectors(map(str, range(2000)), random_vectors(2000, 500))
    SFBoW(words, Universe.identity(500)).save_pretrained(tmp_path)
    SFBoW.from_pretrained(tmp_path)
    tracemalloc.start()
    model = SFBoW.from_pretrained(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(model.memberships.table.base, np.memmap)
    assert not model.memberships.table.flags.writeable
    assert peak < model.memberships.table.nbytes / 2


def test_a_reader_keeps_its_model_while_another_takes_its_place(tmp_path):
    build().save_pretrained(tmp_path)
    reader = SFBoW.from_pretrained(tmp_path)
    before = data_files(tmp_path)
    expected = build().encode(SENTENCES)
    new = build(weights=None)
    new.save_pretrained(tmp_path)
    np.testing.assert_array_equal(reader.encode(SENTENCES), expected)
    np.testing.assert_array_equal(answers(tmp_path), new.encode(SENTENCES))
    assert set(data_files(tmp_path)) == set(config_of(tmp_path)["files"])
    assert set(data_files(tmp_path)) != set(before), "what is not needed any more is gone"


def test_a_model_replaced_while_it_is_opened(tmp_path, monkeypatch):
    """The config is of the old one, whose files are gone: the new one is opened."""
    build().save_pretrained(tmp_path)
    read = Path.read_bytes
    new = build(weights=None)
    replaced = []

    def read_and_replace(path):
        content = read(path)
        if not replaced:
            replaced.append(True)
            new.save_pretrained(tmp_path)
        return content

    monkeypatch.setattr(Path, "read_bytes", read_and_replace)
    np.testing.assert_array_equal(answers(tmp_path), new.encode(SENTENCES))
    assert replaced


def test_many_write_one_folder_while_others_read_it(quick_folder, monkeypatch):
    """The last writer's model is there whole, and a reader finds some writer's at any time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # which is slow
    parts = [build(weights=weights)._parts for weights in (None, "sif", {"cat": 2})]
    save_model(quick_folder, parts[0])

    def write(part):
        for _ in range(20):
            save_model(quick_folder, part)

    with ThreadPoolExecutor(len(parts)) as pool:
        writers = [pool.submit(write, part) for part in parts]
        while not all(writer.done() for writer in writers):
            open_model(quick_folder)
    for writer in writers:
        writer.result()
    open_model(quick_folder)
    assert set(data_files(quick_folder)) == set(config_of(quick_folder)["files"])


def test_other_files_in_the_folder_stay(tmp_path):
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "own.safetensors").write_bytes(b"mine")
    build().save_pretrained(tmp_path)
    build(weights=None).save_pretrained(tmp_path)
    assert (tmp_path / "README.md").read_text() == "mine"
    assert (tmp_path / "own.safetensors").read_bytes() == b"mine"


def test_an_old_config_cannot_name_files_elsewhere_to_delete(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    victims = [tmp_path / "victim", tmp_path / "victim.safetensors", folder / "README.md"]
    for victim in victims:
        victim.write_text("precious")
    sound = {"bytes": 8, "sha256": ""}
    names = ["../victim", "../victim.safetensors", str(victims[1]), "README.md"]
    for files in (dict.fromkeys(names, sound), names, dict.fromkeys(names), 3, None):
        (folder / "config.json").write_text(json.dumps({"files": files}))
        build().save_pretrained(folder)
        assert all(victim.exists() for victim in victims)


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_modes_follow_the_umask(tmp_path, umask, mask):
    umask(mask)
    build().save_pretrained(tmp_path / "folder")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "folder").iterdir()}
    assert modes == {0o666 & ~mask}
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o777 & ~mask


def test_what_a_killed_save_left_goes_once_it_is_old(tmp_path):
    strays = [tmp_path / ".0123456789abcdef.part", tmp_path / "words-0123456789ab.safetensors"]
    fresh, other = tmp_path / ".fedcba9876543210.part", tmp_path / "notes.safetensors"
    for file in (*strays, fresh, other):
        file.write_bytes(b"")
    for file in (*strays, other):
        os.utime(file, (0, 0))
    build().save_pretrained(tmp_path)
    assert not any(file.exists() for file in strays)
    assert fresh.exists(), "somebody may be writing it"
    assert other.exists()
    SFBoW.from_pretrained(tmp_path)


# To go on reading a mapped file that another program has cut would end the process with SIGBUS.


def cut(folder: Path, part: str) -> None:
    os.truncate(next(folder.glob(f"{part}-*")), 1024)


def refuse_to_read(part: str, action) -> None:
    with pytest.raises(ModelFolderError, match=f"{part}-.* another program cut it"):
        action()


@pytest.mark.parametrize("part", ["memberships", "words", "subwords"])
@pytest.mark.parametrize(
    "use",
    [
        lambda model, _: model.encode("the cat, unheard-of"),
        lambda model, folder: model.save_pretrained(folder / "copy"),
    ],
    ids=["encode", "save"],
)
def test_a_model_that_is_cut_while_it_is_mapped(tmp_path, part, use):
    build().save_pretrained(tmp_path)
    model = SFBoW.from_pretrained(tmp_path)
    cut(tmp_path, part)
    refuse_to_read(part, lambda: use(model, tmp_path))
    assert not (tmp_path / "copy" / "config.json").exists()


def test_a_model_of_words_and_a_universe_that_are_cut(tmp_path):
    build(**VARIANTS["computed, wide"]).save_pretrained(tmp_path)
    model = SFBoW.from_pretrained(tmp_path)
    expected = model.encode(SENTENCES)
    cut(tmp_path, "universe")
    np.testing.assert_array_equal(model.encode(SENTENCES), expected)
    cut(tmp_path, "vectors")
    refuse_to_read("vectors", lambda: model.encode(SENTENCES))
    refuse_to_read("vectors", model.quantized)


WORDS_FOLDER_USES = {
    "look up a vector": ("vectors", lambda words: words["cat"]),
    "compose a vector": ("subwords", lambda words: words["unheard-of"]),
    "look up a word": ("words", lambda words: "cat" in words),
    "list the words": ("words", lambda words: words.words),
    "take some": ("words", lambda words: words.most_frequent(3)),
    "make a model": ("vectors", lambda words: SFBoW(words, Universe.identity(6))),
    "see capitals": ("words", lambda words: SFBoW(words, Universe.identity(6))),
    "make a universe": ("vectors", Universe.pca),
}


@pytest.mark.parametrize(("part", "use"), WORDS_FOLDER_USES.values(), ids=WORDS_FOLDER_USES)
def test_words_that_are_cut_while_they_are_mapped(tmp_path, part, use):
    with_subwords(make_words()).save(tmp_path)
    words = WordVectors.load(tmp_path)
    cut(tmp_path, part)
    refuse_to_read(part, lambda: use(words))


def test_a_save_that_fails_leaves_no_trace(tmp_path, monkeypatch):
    build().save_pretrained(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def no_space(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space left"):
        build(weights=None).save_pretrained(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def note_disk_events(monkeypatch) -> list[str]:
    """List the files and folders that reach the disk from now on, and the names that are given."""
    events = []
    fsync, replace = os.fsync, Path.replace

    def note_fsync(descriptor):
        fsync(descriptor)
        events.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))

    def note_replace(path, target):
        assert events.count(str(path)) == 1, "a file is on the disk before it has its name"
        events.append(f"named {target.name}")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(Path, "replace", note_replace)
    return events


def names_in_order(events: list[str], folder: Path) -> list[str]:
    """Make sure that the config comes last, and after the folder has its data; give the names."""
    names = [event for event in events if event.startswith("named ")]
    last_data, config = events.index(names[-2]), events.index("named config.json")
    assert names[-1] == "named config.json"
    assert str(folder) in events[last_data:config]
    assert events[-1] == str(folder)
    return names


def test_data_reaches_the_disk_before_the_config_names_it(tmp_path, monkeypatch):
    """So that not even a loss of power can leave a config without its data."""
    events = note_disk_events(monkeypatch)
    build().save_pretrained(tmp_path)
    names_in_order(events, tmp_path)


# A process that dies at any of its calls


def small_new():
    return SFBoW(make_words(3), Universe.identity(3), counts=True)


@pytest.mark.parametrize("fresh", [True, False], ids=["fresh folder", "over an old model"])
@pytest.mark.parametrize("after", [True, False], ids=["after the call", "instead of it"])
def test_a_process_that_is_killed_at_any_moment(quick_folder, monkeypatch, fresh, after):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # which is slow
    old, new = build().encode(SENTENCES), small_new().encode(SENTENCES)
    build().save_pretrained(quick_folder / "old")
    small_new().save_pretrained(quick_folder / "new")
    killed = subprocess.run(
        [sys.executable, Path(__file__).with_name("killed_saves.py"), quick_folder / "new",
         "" if fresh else quick_folder / "old", quick_folder / "folder",
         "after" if after else "instead"],
        check=True, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    count = int(killed.stdout)
    assert count > 20, "most calls were not seen"
    seen = []
    for number in range(1, count + 1):
        folder = quick_folder / f"folder{number}"
        try:
            found = answers(folder)
            verify_folder(folder)
            seen.append("new" if np.array_equal(found, new) else "old")
            np.testing.assert_array_equal(found, new if seen[-1] == "new" else old)
        except ModelFolderError:
            assert fresh
            assert not (folder / "config.json").exists()
            seen.append("none")
        # Whatever is left there, the next save succeeds.
        small_new().save_pretrained(folder)
        np.testing.assert_array_equal(answers(folder), new)
    # There is one moment of change, and nothing goes back.
    assert list(dict.fromkeys(seen)) == ["none" if fresh else "old", "new"]
    assert seen == sorted(seen, key=lambda state: state == "new")


# Folders that are damaged


@pytest.fixture
def folder(tmp_path):
    build().save_pretrained(tmp_path / "model")
    return tmp_path / "model"


def refuse(folder: Path, *parts: str, opening=answers) -> None:
    """Make sure that a folder is refused with one short line that holds these parts."""
    with pytest.raises(ModelFolderError) as caught:
        opening(folder)
    message = str(caught.value)
    assert message.startswith(str(folder))
    assert "\n" not in message
    assert len(message) < 600 + len(str(folder))
    for part in ("expected ", "found ", *parts):
        assert part in message


def test_no_folder(tmp_path):
    refuse(tmp_path / "nowhere", "no such folder")
    refuse(tmp_path, "expected a folder with config.json, found none")
    (tmp_path / "file").write_text("x")
    refuse(tmp_path / "file", "no such folder")
    (tmp_path / "folder" / "config.json").mkdir(parents=True)
    refuse(tmp_path / "folder", "config.json")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "JSON"), (b"{", "JSON"), (b"\xff", "JSON"), (b"[]", "list"), (b"null", "NoneType"),
        (b'"x"', "str"), (b"{}", "None"), (b"[" * 200_000, "JSON"), (b"9" * 5000, "JSON"),
    ],
)  # fmt: skip
def test_a_config_that_is_none(folder, content, found):
    (folder / "config.json").write_bytes(content)
    refuse(folder, "config.json", found)
    assert not is_folder(folder)


def test_a_huge_config_is_not_read(folder):
    with (folder / "config.json").open("r+b") as file:
        file.truncate(1 << 40)  # sparse
    refuse(folder, "config.json", f"{1 << 40} bytes")


MODEL_FILE = {"bytes": 1, "sha256": ""}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"format": "sfbow word vectors"}, "'sfbow word vectors'"),
        ({"format": "another"}, "'another'"),
        ({"format": None}, "None"),
        ({"format": ["x" * 10**6]}, "..."),
        ({"version": 2}, "found 2; install a newer sfbow"),
        ({"version": None}, "found None"),
        ({"version": "1"}, "found '1'"),
        ({"files": None}, "found None"),
        ({"files": [1] * 10**5}, "..."),
        ({"files": {"x.safetensors": None}}, "None"),
        ({"files": {"x.safetensors": {}}}, "{}"),
        ({"files": {"x.safetensors": {"bytes": "1", "sha256": ""}}}, "'1'"),
        ({"files": {"x.safetensors": {"bytes": True, "sha256": ""}}}, "True"),
        ({"files": {"x.safetensors": {"bytes": 1, "sha256": 2}}}, "2"),
        ({"files": {"../evil.safetensors": MODEL_FILE}}, "evil"),
        ({"files": {"/evil.safetensors": MODEL_FILE}}, "evil"),
        ({"files": {"sub/evil.safetensors": MODEL_FILE}}, "evil"),
        ({"files": {"..": MODEL_FILE}}, ".."),
        ({"files": {"config.json": MODEL_FILE}}, "config.json"),
        ({"files": {"a\0.safetensors": MODEL_FILE}}, "a"),
        ({"files": {"a\n.safetensors": MODEL_FILE}}, "a"),
        ({"files": {"\ud800.safetensors": MODEL_FILE}}, "d800"),
        ({"files": {"a" * 300 + ".safetensors": MODEL_FILE}}, "aaa"),
        ({"files": {"nowhere.safetensors": MODEL_FILE}}, "nowhere.safetensors"),
        ({"files": {}}, "a tensor 'universe', found none"),
        ({"scale": 0}, "scale"),
        ({"scale": -1}, "scale"),
        ({"scale": float("nan")}, "scale"),
        ({"scale": float("inf")}, "scale"),
        ({"scale": "1"}, "scale"),
        ({"scale": None}, "scale"),
        ({"counts": "no"}, "counts"),
        ({"measure": "cosine"}, "cosine"),
        ({"measure": []}, "found []"),
        ({"tokenizer": {"casing": "upper"}}, "upper"),
        ({"tokenizer": {"casing": []}}, "list"),
        ({"tokenizer": {"split": 1}}, "split"),
        ({"tokenizer": {"punctuation": "no"}}, "punctuation"),
        ({"tokenizer": {"stemming": True}}, "stemming"),
        ({"tokenizer": []}, "Tokenizer"),
        ({"universe": None}, "NoneType"),
        ({"universe": {"signed": True}}, "report"),
        ({"universe": {"signed": True, "report": 3}}, "config.json"),
        ({"universe": {"signed": True, "report": {}}}, "report"),
        ({"universe": {"signed": True, "report": {"kind": "x", "y": 1}}}, "report"),
        ({"recipe": 3}, "int"),
        ({"unknown": 3}, "config.json"),
        ({"unknown": {"wait": 1}}, "weight"),
        ({"unknown": {"weight": float("nan")}}, "nan"),
        ({"unknown": {"weight": -1}}, "-1"),
        ({"unknown": {"weight": "1"}}, "config.json"),
        ({"subwords": 3}, "subwords, found 3"),
        ({"subwords": [1]}, "subwords, found [1]"),
        ({"subwords": {"shortest": "2", "longest": 3, "scale": 1}}, "subwords"),
        ({"subwords": {"shortest": 2, "longest": 10**30, "scale": 1}}, "subwords"),
        ({"subwords": {"shortest": 2, "longest": 3, "scale": 0}}, "subwords"),
        ({"subwords": {"shortest": 2, "longest": 3}}, "subwords"),
    ],
    ids=lambda value: str(value)[:50] if isinstance(value, dict) else "",
)
def test_a_config_with_one_wrong_value(folder, change, found):
    config = config_of(folder) | change
    (folder / "config.json").write_text(json.dumps(config))
    refuse(folder, found)


@pytest.mark.parametrize("key", ["files", "recipe", "tokenizer", "counts", "measure", "scale",
                                 "universe", "unknown", "format", "version"])  # fmt: skip
def test_a_config_that_lacks_something(folder, key):
    config = config_of(folder)
    del config[key]
    (folder / "config.json").write_text(json.dumps(config))
    refuse(folder, "config.json")


@pytest.mark.parametrize("part", ["memberships", "universe", "words", "subwords"])
class TestDataFiles:
    """Each data file in turn."""

    @pytest.fixture
    def file(self, folder, part):
        return next(folder.glob(f"{part}-*.safetensors"))

    def test_gone(self, folder, file):
        file.unlink()
        refuse(folder, file.name, "no such file")
        with pytest.raises(ModelFolderError, match="no such file"):
            verify_folder(folder)

    def test_a_folder_in_its_place(self, folder, file):
        file.unlink()
        file.mkdir()
        refuse(folder, file.name)

    @pytest.mark.parametrize("change", [-1, 1, 4096])
    def test_of_another_size(self, folder, file, change):
        size = file.stat().st_size
        os.truncate(file, size + change)
        refuse(folder, file.name, f"expected {size} bytes, found {size + change} bytes")

    def test_empty(self, folder, file):
        file.write_bytes(b"")
        refuse(folder, file.name, "found 0 bytes")

    def test_with_a_flipped_bit(self, folder, file):
        content = bytearray(file.read_bytes())
        for place in (0, 9, 500, 1024, len(content) - 1):
            flipped = content.copy()
            flipped[place] ^= 1
            file.write_bytes(flipped)
            with pytest.raises(ModelFolderError, match=f"{file.name}: expected the SHA-256"):
                verify_folder(folder)
        file.write_bytes(content)
        assert file.name in verify_folder(folder)

    def test_with_a_damaged_header(self, folder, file):
        content = bytearray(file.read_bytes())
        content[8] ^= 0xFF
        file.write_bytes(content)
        refuse(folder, file.name, "the header")


def exchange(file: Path, **changes) -> dict:
    """Exchange tensors of a file; give what its manifest is to say of it now."""
    tensors = {name: np.array(map_tensor(file, info)) for name, info in read_header(file).items()}
    for name, change in changes.items():
        key = name.replace("_", ".")
        tensors[key] = np.asarray(change(tensors[key]))
    file.unlink()
    write_tensors(file, {name: TensorSource.whole(array) for name, array in tensors.items()})
    return {"bytes": file.stat().st_size, "sha256": sha256(file)}


def rewrite(folder: Path, part: str, **changes) -> None:
    """Exchange tensors of a data file, with a config that agrees: only the content is at fault."""
    file = next(folder.glob(f"{part}-*.safetensors"))
    config = config_of(folder)
    config["files"][file.name] = exchange(file, **changes)
    (folder / "config.json").write_text(json.dumps(config))


def put(places, value):
    """Change some numbers of an array."""

    def change(array):
        array[places] = value
        return array

    return change


def wrapped(offsets):
    """Offsets whose differences, taken in their own width, are no less than 0."""
    limit = np.iinfo(offsets.dtype).max
    offsets[1], offsets[2] = limit, -2
    return offsets


@pytest.mark.parametrize(
    ("part", "changes", "where"),
    [
        ("memberships", {"memberships": lambda a: a.astype(np.float64)}, "memberships"),
        ("memberships", {"memberships": lambda a: a.astype(np.uint8)}, "memberships"),
        ("memberships", {"memberships": lambda a: a[0]}, "memberships"),
        ("memberships", {"memberships": lambda a: a[:, :-1]}, "columns"),
        ("memberships", {"memberships": lambda a: a[:-1]}, "words"),
        ("memberships", {"memberships": lambda a: a[:0]}, "words"),
        ("universe", {"universe": lambda a: a[:-1]}, "columns"),
        ("universe", {"universe": lambda a: a[0]}, "universe"),
        ("universe", {"universe": lambda a: a[:0]}, "universe"),
        ("universe", {"universe": put(0, np.nan)}, "universe"),
        ("universe", {"universe": lambda a: a.astype(np.int32)}, "universe"),
        ("words", {"words_buffer": lambda a: a[:-1]}, "words"),
        ("words", {"words_buffer": lambda a: a.astype(np.int32)}, "words"),
        ("words", {"words_offsets": lambda a: a[:-1]}, "words"),
        ("words", {"words_offsets": lambda a: a[:0]}, "words"),
        ("words", {"words_offsets": put(0, 1)}, "words"),
        ("words", {"words_offsets": put(-1, 10**6)}, "words"),
        ("words", {"words_offsets": put(3, 1)}, "words"),
        ("words", {"words_offsets": put(3, -1)}, "words"),
        ("words", {"words_offsets": wrapped}, "words"),
        ("words", {"words_offsets": lambda a: a.astype(np.float32)}, "words"),
        ("words", {"words_table": put(slice(None), 1)}, "words"),
        ("words", {"words_table": put(slice(None), 0)}, "words"),
        ("words", {"words_table": put(0, 11)}, "words"),
        ("words", {"words_table": put(0, -1)}, "words"),
        ("words", {"words_table": lambda a: np.where(a == 3, 11, a)}, "words"),
        ("words", {"words_table": lambda a: np.where(a == 3, -1, a)}, "words"),
        ("words", {"words_table": lambda a: a[:-1]}, "words"),
        ("words", {"words_table": lambda a: a[:0]}, "words"),
        ("words", {"words_table": lambda a: a[:8]}, "words"),
        ("words", {"words_table": lambda a: np.repeat(a, 3)}, "words"),
        ("words", {"words_table": lambda a: a.reshape(2, -1)}, "words"),
        ("subwords", {"subwords": lambda a: a[:0]}, "subwords"),
        ("subwords", {"subwords": lambda a: a[:, :-1]}, "subwords"),
        ("subwords", {"subwords": lambda a: a[0]}, "subwords"),
        ("subwords", {"subwords": lambda a: a.astype(np.float16)}, "subwords"),
        ("subwords", {"subwords": lambda a: a.astype(np.int16)}, "subwords"),
    ],
)
def test_tensors_that_do_not_fit_together(folder, part, changes, where):
    rewrite(folder, part, **changes)
    refuse(folder, where)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"weights": lambda a: a[:-1]}, "weights"),
        ({"weights": lambda a: a[None]}, "weights"),
        ({"vectors": lambda a: a[:, :-1]}, "columns"),
        ({"vectors": lambda a: a[:-1], "weights": lambda a: a[:-1]}, "words"),
    ],
)
def test_vectors_that_do_not_fit_together(folder, changes, where):
    build(**VARIANTS["computed, wide"]).save_pretrained(folder)
    rewrite(folder, "vectors", **changes)
    refuse(folder, where)


def test_a_table_without_a_free_slot(tmp_path):
    """In it, the search for an unknown word would never end."""
    make_words().most_frequent(8).save(tmp_path)
    rewrite(tmp_path, "words", words_table=lambda a: np.arange(1, 9, dtype=a.dtype))
    with pytest.raises(ModelFolderError, match=r"words: expected 8 words and a table"):
        WordVectors.load(tmp_path)


@pytest.mark.parametrize("change", [lambda a: a[:-1], lambda a: a.astype(float), put(0, -3)])
def test_ranks_that_do_not_fit_together(tmp_path, change):
    make_words().in_dictionary(["cat", "dog"]).save(tmp_path)
    rewrite(tmp_path, "vectors", ranks=change)
    with pytest.raises(ModelFolderError, match="ranks: expected"):
        WordVectors.load(tmp_path)


def test_subwords_of_another_width(tmp_path):
    with_subwords(make_words()).save(tmp_path)
    rewrite(tmp_path, "subwords", subwords=lambda a: a[:, :-1])
    with pytest.raises(ModelFolderError, match="subwords: expected rows of 6 numbers"):
        WordVectors.load(tmp_path)


def test_one_kind_of_folder_is_not_the_other(folder, tmp_path):
    make_words().save(tmp_path / "words")
    refuse(tmp_path / "words", "'sfbow word vectors'", "give a folder of that format")
    assert is_folder(folder)
    assert is_folder(tmp_path / "words")
    assert not is_folder(tmp_path)
    with pytest.raises(ModelFolderError, match="give a folder of that format"):
        WordVectors.load(folder)
    assert verify_folder(tmp_path / "words")


def test_a_tensor_is_asked_for_by_type(folder):
    opened = open_folder(folder, "model")
    assert opened.tensor("universe", "f4 i1", 2).shape == (9, 6)
    with pytest.raises(ModelFolderError, match="universe: expected 1 dimensions of i4, found 2 of"):
        opened.tensor("universe", "i4", 1)
