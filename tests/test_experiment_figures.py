"""Figures of made-up folders: which there are, that they are the same each time, what they show."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from experiment_results import cell, cells_of_the_paper, report_of, write_folder

from sfbow.errors import MissingExtraError
from sfbow.experiment import drawing
from sfbow.experiment.figures import write_figures

pytest.importorskip("matplotlib")
SCORES = [50.0, 40.0, 60.0, 65.0, 70.0]


def names(paths):
    return {path.name for path in paths}


def test_figures_of_all_there_is(tmp_path):
    cells = [each for each in cells_of_the_paper() if each["embedding"] in ("GloVe", "none")]
    folder = write_folder(tmp_path / "results", cells)
    first = write_figures(folder, tmp_path / "a")
    expected = ["clusters-glove", "explained-variance", "score-size", "score-speed"]
    assert names(first) == {f"{name}.{kind}" for name in expected for kind in ("png", "svg")}
    again = write_figures(folder, tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    for path in first:
        if path.suffix == ".svg":
            assert ET.parse(path).getroot().tag.endswith("svg")  # noqa: S314 - our own file
        else:
            assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([], set()),
        ([cell("GloVe", "dbscan-cosine-top50000-0.1")], set()),
        ([cell("none", "sentence-bert", SCORES, size=None)], {"score-speed"}),
        ([cell("mine", "identity", SCORES)], {"score-size", "score-speed"}),
        (
            [
                cell("mine", "pca-english", SCORES, sentences_per_second=None,
                     report=report_of("pca-english"))
            ],
            {"explained-variance", "score-size"},
        ),
        (
            [
                cell("mine", "kmeans-english-100", report=report_of("kmeans-english-100"),
                     sentences_per_second=None)
            ],
            {"clusters-mine"},
        ),
    ],
)  # fmt: skip
def test_figures_of_what_there_is(tmp_path, cells, expected):
    found = write_figures(write_folder(tmp_path, cells), tmp_path)
    assert {path.stem for path in found} == expected


def test_labels_keep_apart():
    assert drawing._apart([1.0, 1.0], 4.0) == [-1.0, 3.0]
    assert drawing._apart([0.0, 10.0], 4.0) == [0.0, 10.0]
    placed = drawing._apart([0.0, 0.1, 0.2, 50.0], 4.0)
    assert min(high - low for low, high in pairwise(placed)) > 3.9
    assert placed[3] == 50.0


@pytest.mark.parametrize(("number", "text"), [(100, "100"), (1000, "1k"), (25_000, "25k")])
def test_short_numbers(number, text):
    assert drawing.short(number) == text


def test_no_label_covers_another():
    with drawing.style():
        figure, (axes,) = drawing.panels(1, across=1, width=4, height=3)
        axes.set(xlim=(0, 10), ylim=(0, 10))
        labels = [
            drawing.Label(5, 5 + 0.1 * place, f"label {place}", "black") for place in range(6)
        ]
        drawing.settle(figure)
        drawing.label_points(axes, labels)
        boxes = [text.get_window_extent() for text in axes.texts]
    assert len(boxes) == 6
    # The boxes of line and text together reach to the point; texts alone must not meet.
    texts = [type(text).__mro__[1].get_window_extent(text) for text in axes.texts]
    assert not any(
        one.overlaps(other) for place, one in enumerate(texts) for other in texts[:place]
    )


def test_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"sfbow\[evaluate\]"):
        write_figures(write_folder(tmp_path, []), tmp_path)
    assert not (tmp_path / "figures").exists()


def test_importing_is_without_matplotlib():
    code = "import sys, sfbow.experiment.figures; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
