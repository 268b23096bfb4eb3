"""An index is the old one or the new one, whole, whatever happens; what was told is there."""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from dying import CALLS, Failing, die_at_every_call, install
from test_fuzzy_index import SIZE, limit_segments, lists, refused, some_vectors
from test_storage import names_in_order, note_disk_events

from sfbow import FolderBusyError, FuzzyIndex, InputError, SFBoW

ROWS = np.minimum(some_vectors(40), 1)


def build(folder: Path) -> None:
    """An index with several segments, and with rows removed."""
    with FuzzyIndex.create(folder, size=SIZE, measure="dice") as index:
        index.add(range(20), ROWS[:20], payload=[{"n": n} for n in range(20)])
        index.add(range(20, 26), ROWS[20:26])
        index.remove([3, 21])


def state(folder: Path):
    index = FuzzyIndex.open(folder)
    assert index.verify() == []
    return list(index), lists(index.search(ROWS[:2], k=40))


def add(index: FuzzyIndex) -> None:
    index.add([5, 30, 31], ROWS[[6, 30, 31]], payload=[None, {"new": 1}, None])


def add_much(index: FuzzyIndex) -> None:
    index.add(range(24, 40), ROWS[24:])


def remove(index: FuzzyIndex) -> None:
    index.remove([0, 25])


def remove_much(index: FuzzyIndex) -> None:
    index.remove(range(4, 18))


CHANGES = [add, add_much, remove, remove_much, FuzzyIndex.vacuum]
all_changes = pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)


@pytest.fixture
def small_segments(monkeypatch):
    limit_segments(monkeypatch, 8)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # which is slow


@pytest.fixture
def states(quick_folder, small_segments, change):
    """Give the states before a change and after it."""
    build(quick_folder / "old")
    shutil.copytree(quick_folder / "old", quick_folder / "new")
    with FuzzyIndex.open(quick_folder / "new", writable=True) as index:
        change(index)
    return state(quick_folder / "old"), state(quick_folder / "new")


@all_changes
@pytest.mark.parametrize("after", [True, False], ids=["after the call", "instead of it"])
def test_a_process_that_is_killed_at_any_moment(quick_folder, states, change, after):
    def prepare(number):
        shutil.copytree(quick_folder / "old", quick_folder / str(number))

    def act(number):
        with FuzzyIndex.open(quick_folder / str(number), writable=True) as index:
            change(index)

    count = die_at_every_call(prepare, act, after=after)
    assert count > 10, "most calls were not seen"
    seen = []
    for number in range(1, count + 1):
        folder = quick_folder / str(number)
        found = state(folder)
        assert found in states
        seen.append(found == states[1])
        # Whatever is left there, the next writer cleans up and goes on.
        with FuzzyIndex.open(folder, writable=True) as index:
            assert files(folder) == named(index)
            if found == states[0]:
                change(index)
            assert files(folder) == named(index)
        assert state(folder) == states[1]
    assert seen == sorted(seen), "there is one moment of change, and nothing goes back"
    if change is not FuzzyIndex.vacuum:  # which changes nothing that is seen
        assert not seen[0]
        assert seen[-1]


@pytest.mark.parametrize("after", [True, False], ids=["after the call", "instead of it"])
def test_a_process_that_is_killed_while_it_makes_an_index(quick_folder, model, after):
    """With a model that goes into the index."""

    def make(number):
        FuzzyIndex.create(quick_folder / str(number), model)

    count = die_at_every_call(lambda number: None, make, after=after)
    assert count > 20
    there = []
    for number in range(1, count + 1):
        folder = quick_folder / str(number)
        there.append((folder / "config.json").exists())
        if not there[-1]:
            FuzzyIndex.create(folder, model).close()
        with FuzzyIndex.open(folder, writable=True) as index:
            index.add(["a"], ["the cat"])
        assert FuzzyIndex.open(folder).search("the cat").ids[0, 0] == "a"
    assert there == sorted(there)
    assert there[-1]
    assert not there[0]


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def named(index: FuzzyIndex) -> set[str]:
    return {"config.json", *index._snapshot.manifest.files}


@all_changes
def test_a_disk_that_is_full_at_any_moment(quick_folder, states, change):
    seen = []
    for last in range(1, 1000):
        folder = quick_folder / str(last)
        shutil.copytree(quick_folder / "old", folder)
        with FuzzyIndex.open(folder, writable=True) as index:
            counting = Failing(last)
            with pytest.MonkeyPatch.context() as patch:
                calls = [(owner, name) for owner, name in CALLS if name not in ("unlink", "open")]
                install(counting, calls, patch.setattr)
                with suppress(OSError):
                    change(index)
            # The object knows what the disk has, there is no trace, and one can go on.
            memory = list(index), lists(index.search(ROWS[:2], k=40))
            assert memory == state(folder)
            assert files(folder) == named(index)
            assert memory in states
            seen.append(memory == states[1])
            if not seen[-1]:
                change(index)
            assert state(folder) == states[1]
        if counting.left > 0:
            break
    assert last > 10
    assert seen == sorted(seen)
    if change is not FuzzyIndex.vacuum:
        assert not seen[0]
        assert sum(seen) <= 3, "it is done only once the manifest is there"


def test_data_reaches_the_disk_before_the_manifest_names_it(tmp_path, monkeypatch):
    """So that not even a loss of power can leave a manifest without its data."""
    build(tmp_path)
    with FuzzyIndex.open(tmp_path, writable=True) as index:
        events = note_disk_events(monkeypatch)
        add(index)
    names = names_in_order(events, tmp_path)
    assert len(names) == 3, "a segment, what is removed, and the manifest"


WRITING = """
import sys
from sfbow import FuzzyIndex
from test_fuzzy_index import some_vectors
rows = some_vectors(50)
with FuzzyIndex.open(sys.argv[1], writable=True) as index:
    start = max(index, default=-1) + 1
    if start % 7 == 0 and start - 4 in index:  # the one before was killed in between
        index.remove([start - 4])
    for n in range(start, start + 10**6):
        index.add([n], rows[[n % 50]], payload=[{"n": n}])
        if n % 7 == 6:
            index.remove([n - 3])
        print(n, flush=True)
"""


def test_kill_9_loses_nothing_that_was_acknowledged(quick_folder):
    """Again and again a writer is killed while it writes, at a moment that is nobody's choice."""
    folder = quick_folder / "index"
    FuzzyIndex.create(folder, size=SIZE).close()
    rng = np.random.default_rng()
    told = -1
    paths = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    for _ in range(5):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITING, folder],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths},
        )
        assert writer.stdout is not None
        first = writer.stdout.readline()
        assert first, "the lock of the one who was killed is gone"
        time.sleep(rng.uniform(0, 0.3))
        writer.send_signal(signal.SIGKILL)
        lines = [first, *writer.stdout.read().split(b"\n")[:-1]]
        writer.wait()
        writer.stdout.close()
        told = max(told, int(lines[-1]))
        index = FuzzyIndex.open(folder)
        assert index.verify() == []
        last = max(index)
        assert told <= last <= told + 1
        # Of what was to be removed last, nothing was acknowledged.
        expected = {n for n in range(last + 1) if not (n % 7 == 3 and n + 3 <= told)}
        assert set(index) in (expected, expected - {last - 3})
        (hits,) = index.search(some_vectors(50)[[last % 50]], k=len(index))
        assert all(hit.payload == {"n": hit.id} for hit in hits)
        assert len(index._snapshot.segments) < 20


# Readers and writers


def test_a_reader_keeps_what_it_sees(tmp_path, monkeypatch):
    limit_segments(monkeypatch, 8)
    build(tmp_path)
    reader = FuzzyIndex.open(tmp_path)
    before = list(reader), lists(reader.search(ROWS[:2], k=40))
    hits = reader.search(ROWS[:2], k=40)
    assert not reader.refresh()
    with FuzzyIndex.open(tmp_path, writable=True) as index:
        remove_much(index)
        index.vacuum()
        assert (list(reader), lists(reader.search(ROWS[:2], k=40))) == before
        assert reader.refresh()
        assert list(reader) == list(index)
        assert lists(hits) == before[1], "hits are of what was searched"
        add(index)
        assert 30 not in reader


def test_readers_go_on_while_somebody_writes(quick_folder, small_segments):
    build(quick_folder)
    with FuzzyIndex.open(quick_folder, writable=True) as index:
        child = os.fork()
        if child == 0:
            try:
                for _ in range(25):
                    found = FuzzyIndex.open(quick_folder)
                    ids = list(found)
                    assert {0, 1, 2} <= set(ids)
                    assert len(set(ids)) == len(ids) == len(found)
                    assert found.search(ROWS[:1], k=1).ids.tolist() == [[0]]
                os._exit(0)
            finally:
                os._exit(1)
        n = 100
        while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
            index.add([n, n + 1, 7], ROWS[[n % 40, 7, 7]])
            index.remove([n])
            n += 2
            time.sleep(0.002)
    assert os.waitstatus_to_exitcode(ended[1]) == 0
    assert FuzzyIndex.open(quick_folder).verify() == []


def test_a_second_writer_is_told_at_once(tmp_path):
    build(tmp_path)
    with FuzzyIndex.open(tmp_path, writable=True) as index:
        refused("somebody else is writing", FuzzyIndex.open, tmp_path, writable=True,
                kind=FolderBusyError)  # fmt: skip
        refused("somebody else", FuzzyIndex.create, tmp_path, size=3, kind=FolderBusyError)
        refused("somebody else", FuzzyIndex.repair, tmp_path, kind=FolderBusyError)
        FuzzyIndex.open(tmp_path)
        index.close()
        index.close()
        with FuzzyIndex.open(tmp_path, writable=True):
            refused("to read only", add, index)
        add_again = FuzzyIndex.open(tmp_path, writable=True)
        add(add_again)
        add_again.close()


def test_who_goes_away_leaves_no_lock(tmp_path):
    build(tmp_path)
    index = FuzzyIndex.open(tmp_path, writable=True)
    del index
    FuzzyIndex.open(tmp_path, writable=True).close()
    with pytest.raises(InputError), FuzzyIndex.open(tmp_path, writable=True) as index:
        index.remove([99])
    model = SFBoW.from_pretrained()
    refused("expected no model", FuzzyIndex.open, tmp_path, model=model, writable=True)
    FuzzyIndex.open(tmp_path, writable=True).close()


def test_a_forked_process_cannot_write_with_its_parents_lock(tmp_path):
    build(tmp_path)
    with FuzzyIndex.open(tmp_path, writable=True) as index:
        child = os.fork()
        if child == 0:
            try:
                refused("opened by another process", remove, index)
                assert len(lists(index.search(ROWS[:2], k=3))) == 2
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        remove(index)


def test_threads_take_turns(tmp_path, small_segments):
    from concurrent.futures import ThreadPoolExecutor

    build(tmp_path)
    with FuzzyIndex.open(tmp_path, writable=True) as index, ThreadPoolExecutor(4) as pool:
        adding = [pool.submit(index.add, [100 + n], ROWS[[n]]) for n in range(20)]
        finding = [pool.submit(index.search, ROWS[:3], k=5) for _ in range(20)]
        for task in [*adding, *finding]:
            task.result()
        assert set(range(100, 120)) <= set(index)
    assert FuzzyIndex.open(tmp_path).verify() == []


def test_other_files_in_the_folder_stay(tmp_path):
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "own.safetensors").write_bytes(b"mine")
    build(tmp_path)
    with FuzzyIndex.open(tmp_path, writable=True) as index:
        index.vacuum()
    assert (tmp_path / "README.md").read_text() == "mine"
    assert (tmp_path / "own.safetensors").read_bytes() == b"mine"
