"""What a folder of results is of: the same goes on, anything else is refused."""

import json

import numpy as np
import pytest

from sfbow.errors import InputError
from sfbow.evaluation import Benchmark, Edition, PairSet
from sfbow.experiment.origin import note_origin

PAIRS = PairSet("x", ["a", "b"], ["c", "d"], np.array([1.0, 2.0]))


def benchmark(pairs=PAIRS) -> Benchmark:
    return Benchmark("STS", (Edition("STS12", (pairs,)),))


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_bytes(bytes(range(256)) * 20_000)  # 5 MB
    return path


@pytest.fixture
def out(tmp_path, vectors):
    """Give a folder with a cell of each."""
    folder = tmp_path / "out"
    for cell in ("GloVe/identity.json", "none/sentence-bert.json"):
        (folder / "cells" / cell).parent.mkdir(parents=True)
        (folder / "cells" / cell).touch()
    note_origin(folder, benchmark(), {"GloVe": vectors, "sentence-bert": "a/hub-id"}, 7)
    return folder


def test_what_is_noted(out):
    run = json.loads((out / "run.json").read_text())
    assert (run["seed"], run["pairs"]) == (7, {"STS12": 2})
    assert run["made_of"]["sentence-bert"] == {"name": "a/hub-id"}
    assert {"name", "bytes", "ends"} == run["made_of"]["GloVe"].keys()
    assert {"sfbow", "python", "numpy", "numba", "machine", "data"} < run.keys()


def test_the_same_under_another_name_goes_on(out, vectors):
    moved = vectors.rename(vectors.with_name("moved.txt"))
    folder = vectors.with_name("folder")
    folder.mkdir()
    (folder / "words").write_text("x")
    note_origin(out, benchmark(), {"GloVe": moved, "Mine": folder}, 7)
    assert json.loads((out / "run.json").read_text())["made_of"].keys() == {
        "GloVe", "sentence-bert", "Mine"
    }  # fmt: skip


def refused(out, what, pairs=PAIRS, made=None, seed=7):
    before = (out / "run.json").read_bytes()
    with pytest.raises(InputError) as caught:
        note_origin(out, benchmark(pairs), made or {}, seed)
    assert str(caught.value) == (
        f"{out / 'run.json'}: expected the same {what} as before, found another; "
        "give another folder for the results"
    )
    assert (out / "run.json").read_bytes() == before


@pytest.mark.parametrize("place", [0, -1])
def test_other_vectors_of_the_same_size(out, vectors, place):
    content = bytearray(vectors.read_bytes())
    content[place] ^= 1
    vectors.write_bytes(content)
    refused(out, "GloVe, which was vectors.txt,", made={"GloVe": vectors})


def test_anything_else(out, vectors):
    with vectors.open("ab") as file:
        file.write(b"more")
    refused(out, "GloVe, which was vectors.txt,", made={"GloVe": vectors})
    refused(out, "sentence-bert, which was a/hub-id,", made={"sentence-bert": "b"})
    refused(out, "sentence-bert, which was a/hub-id,", made={"sentence-bert": vectors})
    refused(out, "seed", seed=8)
    refused(out, "data", PairSet("x", PAIRS.left, PAIRS.right, np.array([1.0, 2.5])))
    refused(out, "data", PairSet("x", ["a", "B"], PAIRS.right, PAIRS.gold))


def test_what_has_no_cells_may_be_another(out, vectors):
    """Whoever has given a wrong file first, that could not be read, may correct it."""
    (out / "cells" / "GloVe" / "identity.json").unlink()
    vectors.write_text("other")
    note_origin(out, benchmark(), {"GloVe": vectors}, 7)
    (out / "cells" / "none" / "sentence-bert.json").unlink()
    note_origin(out, benchmark(), {"GloVe": vectors}, 8)
    assert json.loads((out / "run.json").read_text())["made_of"].keys() == {"GloVe"}


def test_vectors_that_are_not_there(out, tmp_path):
    with pytest.raises(FileNotFoundError):
        note_origin(out, benchmark(), {"GloVe": tmp_path / "none"}, 7)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-9],
        lambda _: "[]",
        lambda _: "{}",
        lambda text: text.replace('"made_of": {', '"made_of": 3, "": {'),
        lambda text: text.replace('"GloVe": {', '"GloVe": 3, "": {'),
    ],
)
def test_a_damaged_run(out, vectors, damage):
    path = out / "run.json"
    path.write_text(damage(path.read_text()))
    with pytest.raises(InputError, match=r"run\.json: expected what sfbow reproduce writes"):
        note_origin(out, benchmark(), {"GloVe": vectors}, 7)
