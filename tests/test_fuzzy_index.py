"""`FuzzyIndex` does what a dictionary with a plain search would do, also opened again."""

import tempfile
from enum import Enum
from pathlib import Path

import numpy as np
import pytest
from conftest import SENTENCES, random_vectors
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from sfbow import FuzzyIndex, Hit, Hits, InputError
from sfbow.index import merging, snapshot
from sfbow.index.comparison import scores
from sfbow.index.levels import Levels

SIZE = 5


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("os.fsync", lambda descriptor: None)  # which is slow


@pytest.fixture
def small_segments(monkeypatch):
    limit_segments(monkeypatch, 8)


def limit_segments(monkeypatch, rows: int) -> None:
    for function in (merging.cut, merging.taken_in):
        monkeypatch.setattr(function, "__defaults__", (rows,))
    monkeypatch.setattr(snapshot, "LARGEST", rows)


@pytest.fixture
def vectors(tmp_path):
    with FuzzyIndex.create(tmp_path / "vectors", size=SIZE, measure="jaccard") as index:
        yield index


@pytest.fixture
def texts(tmp_path, model):
    with FuzzyIndex.create(tmp_path / "texts", model) as index:
        yield index


def some_vectors(count: int, seed: int = 0) -> np.ndarray:
    return np.abs(random_vectors(count, SIZE, seed))


def lists(hits: Hits) -> list[list[tuple]]:
    return [[tuple(hit) for hit in found] for found in hits]


def refused(match: str, action, *arguments, kind=InputError, **options) -> None:
    """Make sure that something is refused with one line."""
    with pytest.raises(kind, match=match) as caught:
        action(*arguments, **options)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700


# Search


def test_texts_come_back_with_their_scores(texts, model):
    texts.add(range(len(SENTENCES)), SENTENCES)
    (found,) = texts.search("the cat", k=3)
    assert all(isinstance(hit, Hit) for hit in found)
    expected = model.similarity(model.encode(["the cat"]), model.encode(SENTENCES))[0]
    for hit in found:
        assert hit.text == SENTENCES[hit.id]
        assert hit.score == pytest.approx(expected[hit.id], abs=0.01)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


@pytest.mark.parametrize("queries", [[], ["the cat"], ["the cat", "", "dog"]])
def test_hits_have_one_shape(texts, queries):
    texts.add(["a", "b"], ["the cat", "the dog"])
    hits = texts.search(queries, k=4)
    assert len(hits) == len(list(hits)) == len(queries)
    assert hits.ids.shape == hits.scores.shape == (len(queries), 4)
    assert hits.ids.dtype == object
    assert hits.scores.dtype == np.float32
    assert repr(hits).startswith("<Hits: ")
    for row, found in enumerate(hits):
        assert hits[row] == hits[row - len(queries)] == found
        padding = 4 - len(found)
        assert hits.ids[row].tolist() == [hit.id for hit in found] + [None] * padding
        assert hits.scores[row].tolist() == [hit.score for hit in found] + [0] * padding
    with pytest.raises(IndexError):
        hits[len(queries)]


def test_a_single_query_is_one_of_one(texts):
    texts.add(["a", "b"], ["the cat", "the dog"])
    one, several = texts.search("the cat"), texts.search(["the cat"])
    assert lists(one) == lists(several)
    vector = texts.model.encode("the cat")
    assert lists(texts.search(vector)) == lists(texts.search(vector[None])) == lists(one)


def test_an_empty_index(texts):
    for hits in (texts.search(["cat", "dog"]), texts.search(["cat", "dog"], threshold=0.5)):
        assert list(hits) == [[], []]
    assert texts.search("cat", k=3).ids.tolist() == [[None] * 3]
    assert len(texts) == 0
    assert list(texts) == []
    assert "a" not in texts
    assert 1 not in texts
    texts.add([], [])
    texts.remove([])
    texts.vacuum()
    assert len(FuzzyIndex.open(texts.folder)) == 0


def test_more_hits_than_there_are_rows(vectors):
    vectors.add(range(3), some_vectors(3))
    hits = vectors.search(some_vectors(1), k=10**12)
    assert hits[0][0].id == 0
    assert len(hits[0]) == 3


def test_the_scale_is_that_of_the_first_vectors_that_are_not_zero(vectors):
    vectors.add([0, 1], np.zeros((2, SIZE), np.float32))
    assert vectors.search(some_vectors(1), k=2)[0] == []
    rows = some_vectors(9) / 1000
    vectors.add(range(2, 11), rows)
    assert FuzzyIndex.open(vectors.folder).search(rows, k=1).ids[:, 0].tolist() == list(
        range(2, 11)
    )
    assert "11 rows, 5 fuzzy sets, jaccard, 8-bit" in repr(vectors)


def test_threshold(vectors):
    rows = some_vectors(50)
    vectors.add(range(50), rows)
    every = vectors.search(rows[:3], k=50)
    hits = vectors.search(rows[:3], threshold=0.6)
    for found, ranked in zip(hits, every, strict=True):
        assert found == [hit for hit in ranked if hit.score >= 0.6]
    widest = max(map(len, hits))
    assert hits.ids.shape == hits.scores.shape == (3, widest)
    assert vectors.search(rows[:2], threshold=1).ids.tolist() == [[0], [1]]


def test_only_some_ids(vectors):
    rows = some_vectors(20)
    vectors.add(range(20), rows)
    vectors.remove([7])
    (found,) = vectors.search(rows[3], k=20, ids={3, 5, 7, 11, 99})
    assert sorted(hit.id for hit in found) == [3, 5, 11]
    assert found == [hit for hit in vectors.search(rows[3], k=20)[0] if hit.id in (3, 5, 11)]
    assert vectors.search(rows[3], ids=[])[0] == []
    (near,) = vectors.search(rows[3], threshold=0.9, ids=[3, 4])
    assert near[0].id == 3


def test_equal_rows_are_in_the_order_of_insertion(vectors, small_segments):
    row = some_vectors(1)
    for start in range(0, 30, 3):
        vectors.add(range(start, start + 3), np.repeat(row, 3, axis=0))
    vectors.add([4], row)
    vectors.remove([9])
    expected = [n for n in range(30) if n not in (4, 9)] + [4]
    assert list(vectors) == expected
    assert vectors.search(row, k=40).ids[0][:29].tolist() == expected
    vectors.vacuum()
    assert list(vectors) == expected
    assert vectors.search(row, k=40).ids[0][:29].tolist() == expected


@pytest.mark.parametrize("measure", ["jaccard", "otsuka", "dice", "hellinger"])
@pytest.mark.parametrize("storage", ["8-bit", "4-bit", "float32"])
def test_every_measure_and_storage(tmp_path, model, measure, storage):
    with FuzzyIndex.create(tmp_path / "i", model, storage=storage, measure=measure) as index:
        index.add(range(len(SENTENCES)), SENTENCES)
        assert (index.measure, index.storage, index.size) == (measure, storage, model.size)
    opened = FuzzyIndex.open(tmp_path / "i")
    levels = Levels.for_model(model, storage, measure=measure)
    assert opened._snapshot.manifest.levels == levels
    assert opened.search(SENTENCES[0], k=1).ids.tolist() == [[0]]
    assert opened.search(SENTENCES[0], k=1).scores[0, 0] == pytest.approx(1, abs=1e-6)


# What is in it


def test_ids_texts_and_payload_come_back(texts):
    payload = [{"n": 1, "list": [1.5, None, "ü"], "deep": {"a": {}}}, None, {}]
    texts.add(["x", "", "東\0\ud800"], ["the cat", "", "dog \ud800"], payload=payload)
    index = FuzzyIndex.open(texts.folder)
    assert list(index) == ["x", "", "東\0\ud800"]
    found = {hit.id: hit for hit in index.search(["the cat", "dog"], threshold=1e-9)[0]}
    assert found["x"] == ("x", found["x"].score, "the cat", payload[0])
    (dog,) = (hit for hit in index.search("dog", k=1)[0])
    assert dog.text == "dog \ud800"
    assert dog.payload == {}


@pytest.mark.parametrize(
    "ids",
    [[3, -(2**63), 2**63 - 1], np.array([3, -1, 7]), np.array(["a", "b", "c"]), ("a", "b", "c"),
     range(3), iter("abc"), [np.int32(1), 2, np.uint64(3)]],
    ids=str,
)  # fmt: skip
def test_kinds_of_ids(vectors, ids):
    ids = list(ids) if not isinstance(ids, np.ndarray | range | tuple) else ids
    vectors.add(ids, some_vectors(3))
    assert list(vectors) == list(ids)
    assert all(one in vectors for one in ids)
    assert {type(one) for one in vectors} <= {int, str}
    vectors.remove([ids[1]])
    assert ids[1] not in vectors
    assert len(vectors) == 2


def test_ids_that_are_strings_of_another_kind(vectors):
    class Colour(str, Enum):  # noqa: UP042 - a StrEnum would be the string in any case
        RED = "red"

    vectors.add([Colour.RED], some_vectors(1))
    assert list(vectors) == ["red"]
    assert Colour.RED in vectors


def test_what_is_an_array_to_numpy(vectors):
    class Like:
        dtype = np.dtype(np.float32)
        shape = (3, SIZE)

        def __len__(self):
            return 3

        def __array__(self, dtype=None, copy=None):
            return some_vectors(3)

    vectors.add([1, 2, 3], Like())
    assert lists(vectors.search(Like(), k=1)) == lists(vectors.search(some_vectors(3), k=1))


@pytest.mark.parametrize("measure", ["jaccard", "hellinger"])
def test_vectors_below_0_are_refused(tmp_path, measure):
    with FuzzyIndex.create(tmp_path, size=SIZE, measure=measure) as index:
        refused("negative|below 0", index.add, [1, 2], -some_vectors(2) - 1)
        assert len(index) == 0


def test_what_is_no_id_is_not_in_it(vectors):
    vectors.add([1, 2], some_vectors(2))
    for other in ("1", 1.0, True, None, 3, b"1", [1]):
        assert other not in vectors


def test_adding_replaces(texts):
    texts.add(["a", "b", "c"], ["the cat", "the dog", "café"], payload=[{"v": 1}] * 3)
    texts.add(["b", "d", "b"], ["no", "café", "the cat sat"], payload=[None, None, {"v": 2}])
    assert list(texts) == ["a", "c", "d", "b"]
    assert len(texts) == 4
    (found,) = texts.search("dog", k=9)
    by_id = {hit.id: hit for hit in texts.search("the cat", k=9)[0]}
    assert (by_id["b"].text, by_id["b"].payload) == ("the cat sat", {"v": 2})
    assert all(hit.text != "the dog" for hit in found)


def test_texts_and_vectors_in_one_index(texts, model, small_segments):
    texts.add(["a"], ["the cat"])
    texts.add(["b"], model.encode(["the cat"]), payload=[{"v": 1}])
    texts.add(["c"], ["the cat"])
    hits = texts.search("the cat", k=3)[0]
    assert [hit.text for hit in hits] == ["the cat", None, "the cat"]
    assert [hit.payload for hit in hits] == [None, {"v": 1}, None]
    assert {hit.score for hit in hits} == {1.0}


@pytest.mark.parametrize("kind", ["tuple", "iterator", "numpy", "objects", "arrow"])
def test_whatever_holds_texts(texts, kind):
    given = ["the cat", "dog", ""]
    if kind == "arrow":
        pyarrow = pytest.importorskip("pyarrow")
        held = pyarrow.array(["the cat", "dog", None])
    else:
        held = {"tuple": tuple, "iterator": iter, "numpy": np.array,
                "objects": lambda t: np.array(t, object)}[kind](given)  # fmt: skip
    texts.add(list("abc"), held)
    assert len(texts) == 3
    assert texts.search(["the cat", "dog"], k=1).ids.tolist() == [["a"], ["b"]]


class Compared(RuleBasedStateMachine):
    """An index beside a dictionary, with segments so small that they are merged all the time."""

    @initialize(storage=st.sampled_from(["8-bit", "4-bit", "float32"]))
    def create(self, storage):
        self.patch = pytest.MonkeyPatch()
        limit_segments(self.patch, 6)
        self.patch.setattr("os.fsync", lambda descriptor: None)
        self.place = tempfile.TemporaryDirectory()
        self.index = FuzzyIndex.create(
            Path(self.place.name), size=SIZE, measure="jaccard", storage=storage
        )
        self.rows = {}
        self.rng = np.random.default_rng(0)
        self.all = np.round(np.abs(self.rng.standard_normal((40, SIZE))), 1).astype("f4")
        self.all[0] = 0
        # The scale is that of the first rows.
        self.index.add([0], self.all.max(axis=0, keepdims=True))
        self.index.remove([0])

    @rule(data=st.data())
    def add(self, data):
        ids = data.draw(st.lists(st.integers(0, 19), max_size=9))
        which = data.draw(st.lists(st.integers(0, 39), min_size=len(ids), max_size=len(ids)))
        payload = [{"n": n} if n % 3 else None for n in which]
        self.index.add(ids, self.all[which], payload=payload)
        for one, n in zip(ids, which, strict=True):
            self.rows.pop(one, None)
            self.rows[one] = n

    @rule(data=st.data())
    def remove(self, data):
        if self.rows:
            ids = data.draw(st.lists(st.sampled_from(list(self.rows))))
            self.index.remove(ids)
            for one in set(ids):
                del self.rows[one]

    @rule()
    def vacuum(self):
        self.index.vacuum()
        segments = self.index._snapshot.segments
        assert all(live.is_full() for live in segments[:-1])
        assert len(self.index) == sum(len(live.segment) for live in segments)

    @rule()
    def reopen(self):
        self.index.close()
        self.index = FuzzyIndex.open(Path(self.place.name), writable=True)

    @invariant()
    def same(self):
        if not hasattr(self, "index"):
            return
        assert list(self.index) == list(self.rows)
        assert len(self.index) == len(self.rows)
        for live in self.index._snapshot.segments:
            assert 2 * live.live >= len(live.segment) > 0
        files = {path.name for path in Path(self.place.name).iterdir()}
        assert files == {"config.json", *self.index._snapshot.manifest.files}
        hits = self.index.search(self.all[[1, 0, 2]], k=30)
        levels = self.index._snapshot.manifest.levels
        expected = self.ranked(levels, self.all[1])
        assert [hit.id for hit in hits[0]] == [one for one, _ in expected]
        assert [hit.score for hit in hits[0]] == pytest.approx([s for _, s in expected])
        assert hits[1] == []
        for hit in hits[2]:
            n = self.rows[hit.id]
            assert hit.payload == ({"n": n} if n % 3 else None)

    def ranked(self, levels, query):
        if not self.rows:
            return []
        rows = levels.store(self.all[list(self.rows.values())])
        found = scores(levels, levels.store(query[None]), rows)[0]
        order = np.lexsort((np.arange(len(found)), -found))
        ids = list(self.rows)
        return [(ids[row], found[row]) for row in order if found[row] > 0]

    def teardown(self):
        if hasattr(self, "index"):
            self.index.close()
            self.place.cleanup()
            self.patch.undo()


TestCompared = Compared.TestCase
TestCompared.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
