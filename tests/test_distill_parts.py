"""The parts of a distillation, each against its definition. Needs no teacher."""

import gzip
import lzma

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfbow import InputError, OptionError
from sfbow.distill import Settings
from sfbow.distill.bags import Bags
from sfbow.distill.caches import cached_rows
from sfbow.distill.checkpoints import State, load_state, save_state
from sfbow.distill.held_out import HeldOut, split
from sfbow.distill.texts import read_list, read_sentences, short_sentences
from sfbow.distill.words import frequent_words, ranked_words
from sfbow.errors import ModelFolderError

SENTENCES = ["The cat sat.", "the dog, the cat", "…", "a dog"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"words": 0},
        {"dim": 0},
        {"steps": -1},
        {"batch": 1},
        {"rate": 0},
        {"sif": float("nan")},
        {"measure": "cosine"},
        {"device": "tpu"},
        {"seed": 0.5},
        {"held_out": 1},
        {"runs": 0},
        {"longest": 0},
    ],
)
def test_settings_are_checked(wrong):
    (name,) = wrong
    with pytest.raises(OptionError, match=name):
        Settings(**wrong)


def test_sentences_are_the_lines_of_files(tmp_path):
    (tmp_path / "a.txt").write_text("one\n\n two \none\r\n", encoding="utf-8-sig")
    (tmp_path / "b.gz").write_bytes(gzip.compress("drei\nété\n".encode()))
    (tmp_path / "c.xz").write_bytes(lzma.compress(b"one\nfour"))
    paths = [tmp_path / name for name in ("a.txt", "b.gz", "c.xz")]
    assert read_sentences(paths) == ["one", "two", "one", "drei", "été", "one", "four"]
    assert read_list(tmp_path / "a.txt") == ["one", "two", "one"]


def test_sentences_are_short_and_different():
    sentences = ["one two", " ", "one  two three", "one two"]
    assert short_sentences(sentences, 2) == ["one two", " "]
    assert short_sentences([], 2) == []
    with pytest.raises(InputError, match="text 1: expected a string, found list"):
        short_sentences(["one", ["two"]], 2)
    with pytest.raises(InputError, match="at most 2 words, found longer ones only"):
        short_sentences(sentences[2:3], 2)


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("x.xz", lzma.compress(b"line\n" * 1000)[:-20], "damaged"),
        ("x.gz", b"no gzip", "damaged"),
        ("x.txt", b"good\n\xff\n", "line 2.*UTF-8"),
    ],
)
def test_files_that_are_broken(tmp_path, name, data, found):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=found):
        read_sentences([tmp_path / name])


def test_the_most_frequent_words():
    found = frequent_words(SENTENCES, [], 3)
    assert found.words == ["the", "cat", "dog"]
    assert found.counts.tolist() == [3, 2, 2]
    share = found.counts / 7
    np.testing.assert_allclose(found.sif(0.01), 0.01 / (0.01 + share), rtol=1e-6)


def test_listed_words_are_known_in_any_case():
    found = frequent_words(SENTENCES, ["Zebra", "sat", "two words", "-", "zebra"], 4)
    assert found.words == ["the", "cat", "sat", "zebra"]
    assert found.counts.tolist() == [3, 2, 1, 1]
    assert frequent_words(SENTENCES, ["zebra", "dog"], 1).words == ["dog"]


def test_words_without_texts_come_by_rank():
    found = ranked_words(["The", "cat", "##s", "[x", "the", "dog"], 3)
    assert found.words == ["the", "cat", "dog"]
    np.testing.assert_allclose(found.counts, [1 / 2.7, 1 / 3.7, 1 / 4.7])


@pytest.mark.parametrize(
    "find", [lambda: frequent_words(["…"], [], 9), lambda: ranked_words(["-"], 9)]
)
def test_there_must_be_words(find):
    with pytest.raises(InputError, match="expected words, found none"):
        find()


def test_bags():
    bags = Bags.of(SENTENCES, ["the", "cat", "dog"])
    assert len(bags) == 4
    assert bags.lengths.tolist() == [2, 4, 0, 1]
    assert bags.rows.tolist() == [0, 1, 0, 2, 0, 1, 2]
    assert bags.bounds.tolist() == [0, 2, 6, 6, 7]


def test_the_first_words_of_a_sentence_count():
    bags = Bags.of(["a b " * 40, "", "b"], ["a", "b"])
    assert bags.rows.tolist() == [0, 1] * 32 + [1]
    assert bags.bounds.tolist() == [0, 64, 64, 65]


@given(st.integers(0, 300), st.integers(2, 50))
def test_held_out_sentences_are_not_learned(count, held_out):
    learned, measured = split(count, held_out)
    assert sorted([*learned, *measured]) == list(range(count))
    assert len(measured) == min(held_out, count // 10)


@pytest.mark.parametrize("measure", ["otsuka", "hellinger"])
def test_held_out_correlation_of_a_perfect_student_is_1(measure):
    rng = np.random.default_rng(0)
    table = rng.standard_normal((20, 6)).astype(np.float32)
    sentences = [" ".join(f"w{i}" for i in rng.integers(20, size=4)) for _ in range(30)]
    bags = Bags.of([*sentences, "unknown"], [f"w{i}" for i in range(20)])

    def sets(table: np.ndarray) -> np.ndarray:
        rows = [table[bags.rows[bags.bounds[i] : bags.bounds[i + 1]]] for i in range(30)]
        return np.array([[*row.max(0).clip(0), *(-row).max(0).clip(0)] for row in rows])

    roots = np.sqrt(sets(table))
    unit = roots / np.linalg.norm(roots, axis=1, keepdims=True)
    teachers = np.concatenate([unit, np.zeros((1, 12))]).astype(np.float32)
    found = HeldOut(bags, teachers, measure).correlation(table)
    assert found == pytest.approx(1, abs=1e-6) if measure == "hellinger" else 0.5 < found < 1
    other = rng.standard_normal(table.shape).astype(np.float32)
    assert HeldOut(bags, teachers, measure).correlation(other) < 0.9


def test_held_out_correlation_needs_pairs():
    assert np.isnan(
        HeldOut(Bags.of(["a"], ["a"]), np.ones((1, 2), np.float32), "dice").correlation(
            np.ones((1, 2), np.float32)
        )
    )


def rows_of(cache, make, *, block=3):
    options = {"block": block, "title": "", "show_progress_bar": False}
    return cached_rows(cache, (10, 2), np.int32, make, **options)


def test_cached_rows_are_made_once(tmp_path):
    made = []

    def make(rows: slice) -> np.ndarray:
        made.append((rows.start, rows.stop))
        return np.arange(20, dtype=np.int32).reshape(10, 2)[rows]

    path = tmp_path / "new" / "rows"
    expected = np.arange(20).reshape(10, 2)
    np.testing.assert_array_equal(rows_of(path, make), expected)
    np.testing.assert_array_equal(rows_of(path, make), expected)
    assert made == [(0, 3), (3, 6), (6, 9), (9, 10)]


@pytest.mark.parametrize("size", range(0, 81, 7))
def test_a_cache_that_was_cut_goes_on(tmp_path, size):
    def make(rows: slice) -> np.ndarray:
        return np.arange(20, dtype=np.int32).reshape(10, 2)[rows]

    path = tmp_path / "rows"
    path.write_bytes(np.arange(20, dtype=np.int32).tobytes()[:size])
    np.testing.assert_array_equal(rows_of(path, make), np.arange(20).reshape(10, 2))


RUN = {"steps": 5, "texts": "abc", "dim": None}


def some_state() -> State:
    table, first, second = np.random.default_rng(0).random((3, 4, 2)).astype(np.float32)
    return State(3, table, first, second, np.array([1, 2, 3], np.float32))


def test_checkpoints_come_back(tmp_path):
    assert load_state(tmp_path, RUN, (4, 2)) is None
    state = some_state()
    save_state(tmp_path, state, RUN)
    found = load_state(tmp_path, RUN, (4, 2))
    assert found.step == 3
    for name in ("table", "first", "second", "sharpness"):
        np.testing.assert_array_equal(getattr(found, name), getattr(state, name))


def test_checkpoints_of_another_run_are_refused(tmp_path):
    save_state(tmp_path, some_state(), RUN)
    with pytest.raises(InputError, match=r"expected a run with steps = 6, found 5; give the same"):
        load_state(tmp_path, RUN | {"steps": 6}, (4, 2))


def test_checkpoints_that_do_not_fit(tmp_path):
    save_state(tmp_path, some_state(), RUN)
    with pytest.raises(ModelFolderError, match="expected tables of"):
        load_state(tmp_path, RUN, (5, 2))
    config = tmp_path / "config.json"
    config.write_text(config.read_text().replace('"run": {', '"run": 1, "was": {'))
    with pytest.raises(ModelFolderError, match="the settings of a run"):
        load_state(tmp_path, RUN, (4, 2))
