"""`sfbow explain`: the drawing, JSON, the heat map, and what goes wrong."""

import json
import os
import pty
import re
import struct
import subprocess
import sys
from fcntl import ioctl
from termios import TIOCSWINSZ

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import make_words, random_vectors, with_subwords
from test_cli import SFBOW, environment
from test_cli_encode import fault, make_model, misuse, succeeded

from sfbow import SFBoW, Universe, WordVectors
from sfbow.cli import cli
from sfbow.cli.columns import width
from sfbow.cli.explain_drawing import draw

A, B = "The man plays a guitar, xqzzy.", "a woman, the music café"
NUMBER = re.compile(r"(\d\.\d{4})$")


@pytest.fixture
def model(tmp_path) -> str:
    return make_model(tmp_path / "model")


@pytest.fixture
def explain(model):
    def run(*arguments, **environment):
        return CliRunner(env=environment).invoke(
            cli, ["explain", "-m", model, *map(str, arguments)]
        )

    return run


@pytest.fixture
def explanation(model):
    return SFBoW.from_pretrained(model).explain(A, B)


def sections(output: str) -> list[list[str]]:
    """The parts between empty lines: a title, words of A, words of B, pairs, notes."""
    return [part.split("\n") for part in output.rstrip("\n").split("\n\n")]


def total(lines: list[str]) -> float:
    return sum(float(NUMBER.search(line)[1]) for line in lines)


def test_every_part_adds_up_to_the_similarity(explain, explanation):
    title, words_a, words_b, pairs, notes = sections(succeeded(explain(A, B)).stdout)
    assert title[0].split()[:3] == [f"{explanation.similarity:.4f}", "otsuka", "similarity"]
    for lines in (words_a, words_b, pairs):
        assert total(lines) == pytest.approx(explanation.similarity, abs=1e-3)
    names = [line[3:].split()[0] for line in words_a + words_b]
    assert names == [*explanation.a.words, *explanation.b.words]
    best = explanation.best_pairs()[0]
    assert pairs[0].split()[::2] == [best.a, best.b]
    assert pairs[0].endswith(f"{best.score:.4f}")
    assert notes == ["unknown in A: xqzzy"]


def test_bars_are_as_long_as_what_they_stand_for(explanation):
    _, words_a, words_b, pairs, _ = sections(draw(explanation, columns=100))
    rows = zip(
        words_a + words_b,
        [*explanation.a.masses, *explanation.b.masses],
        [*explanation.matrix.sum(axis=1), *explanation.matrix.sum(axis=0)],
        strict=True,
    )
    largest = max(explanation.a.masses.max(), explanation.b.masses.max())
    longest = max(len(re.findall("[█░]", line)) for line in words_a + words_b)
    for line, mass, shared in rows:
        assert line.count("█") == pytest.approx(shared / largest * longest, abs=1)
        assert len(re.findall("[█░]", line)) == pytest.approx(mass / largest * longest, abs=1)
    full = pairs[0].count("█")
    for line, pair in zip(pairs, explanation.best_pairs(), strict=False):
        share = pair.score / explanation.best_pairs()[0].score
        assert line.count("█") == pytest.approx(share * full, abs=1)


def test_as_many_pairs_as_asked_for(explain, explanation):
    count = len(explanation.best_pairs())
    for top in (1, 3):
        *_, pairs, _ = sections(explain(A, B, "--top", top).stdout)
        assert len(pairs) == top + 1
        assert f" {count - top} more pairs  " in pairs[-1]
    *_, pairs, _ = sections(explain(A, B, "--top", count).stdout)
    assert len(pairs) == count
    *_, pairs, _ = sections(explain(A, B, "--top", count - 1).stdout)
    assert " 1 more pair  " in pairs[-1]
    assert len(sections(explain(A, B, "--top", 0).stdout)) == 4


@pytest.mark.parametrize("measure", ["otsuka", "hellinger"])
@pytest.mark.parametrize("columns", [1, 26, 27, 30, 35, 40, 80, 100, 500])
def test_lines_fit_the_terminal(columns, measure):
    names = ["guitar", "東京", "שלום", "👩\u200d👩\u200d👧", "x" * 70, "cafe\u0301"]
    words = WordVectors(names, random_vectors(len(names), 20))
    model = SFBoW(words, Universe.identity(20).signed(), split="spaces")
    drawn = draw(model.explain(names[:4], names[2:], measure=measure), columns=columns)
    widths = [width(line) for line in drawn.split("\n")]
    assert max(widths) <= min(max(columns, 26), 100)
    assert "█" in drawn


def test_a_word_that_shares_more_than_it_has_is_matched_and_no_more():
    words = WordVectors(["little", "much"], np.array([[0.25], [1.0]]))
    model = SFBoW(words, Universe.identity(1), weights=None, measure="hellinger")
    explanation = model.explain("little", "much")
    assert explanation.shared == 0.5
    assert [side.tolist() for side in explanation.matched] == [[0.25], [0.5]]
    _, little, much, _ = sections(draw(explanation, columns=80))
    assert "░" not in little[0]
    assert 2 * little[0].count("█") == much[0].count("█")


def test_long_lists_of_unknown_words_are_cut(explain):
    strangers = [f"xq{i}" for i in range(1020)]
    *_, notes = sections(explain(" ".join(strangers), "man").stdout)
    assert notes == [f"unknown in A: {', '.join(strangers[:12])} and 1,008 more"]


def test_words_from_subwords_are_named(tmp_path):
    SFBoW(with_subwords(make_words()), Universe.identity(6)).save_pretrained(tmp_path / "m")
    done = CliRunner().invoke(cli, ["explain", "the cats", "cat", "-m", str(tmp_path / "m")])
    assert succeeded(done).stdout.endswith("\n\nfrom subwords in A: cats\n")


def test_texts_without_a_known_word(explain):
    output = succeeded(explain("", "xqzzy")).stdout
    title, words_a, words_b, notes = sections(output)
    assert title[0].startswith("0.0000  otsuka similarity")
    assert (words_a, words_b) == (["A  no known word"], ["B  no known word"])
    assert notes == ["unknown in B: xqzzy"]


def test_measure(explain):
    found = explain(A, B, "--measure", "jaccard").stdout
    assert found.split()[1] == "jaccard"
    assert float(found.split()[0]) < float(explain(A, B).stdout.split()[0])


def test_json(explain, explanation):
    output = succeeded(explain(A, B, "--format", "json")).stdout
    assert output.count("\n") == 1
    assert json.loads(output) == explanation.to_dict()


def in_terminal(arguments, columns, **variables) -> str:
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    settings = {**environment(), "TERM": "xterm-256color", **variables}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        if name not in variables:
            settings.pop(name, None)
    with subprocess.Popen(
        [*SFBOW, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=settings
    ) as process:
        os.close(theirs)
        output = b""
        try:
            while more := os.read(ours, 1 << 16):
                output += more
        except OSError:  # on Linux, the end
            pass
        finally:
            os.close(ours)
    assert process.returncode == 0, output
    return output.decode().replace("\r\n", "\n")


def test_colour_and_width_are_the_terminals(model, explanation):
    drawn = in_terminal(["explain", A, B, "-m", model], 50)
    assert "\x1b[38;5;32m" in drawn
    plain = re.sub(r"\x1b\[[\d;]*m", "", drawn)
    assert plain == draw(explanation, columns=48)


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_none_is_wanted(model, explanation, variables):
    drawn = in_terminal(["explain", A, B, "-m", model], 60, **variables)
    assert drawn == draw(explanation, columns=58)


def test_output_is_utf_8_whatever_the_locale(model):
    done = subprocess.run(
        [*SFBOW, "explain", A, B, "-m", model],
        capture_output=True,
        env=environment(PYTHONIOENCODING="ascii", COLUMNS="70"),
        check=True,
    )
    assert "café" in done.stdout.decode()


# The heat map


@pytest.mark.parametrize(
    ("name", "start"), [("why.png", b"\x89PNG\r\n"), ("WHY.SVG", b"<?xml version")]
)
def test_plot(explain, tmp_path, name, start):
    target = tmp_path / name
    output = succeeded(explain(A, B, "--plot", target)).stdout
    assert output == explain(A, B).stdout
    drawn = target.read_bytes()
    assert drawn.startswith(start)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [name]
    succeeded(explain(A, B, "--plot", target))
    assert target.read_bytes() == drawn, "the same bytes each time"


def figure_of(explanation):
    from sfbow.cli.explain_plot import _figure
    from sfbow.experiment.drawing import style

    with style():
        return _figure(explanation)


def test_the_heat_map_shows_the_matrix(explanation):
    above, _, cells, beside = figure_of(explanation).axes
    np.testing.assert_array_equal(cells.images[0].get_array(), explanation.scores)
    assert [label.get_text() for label in cells.get_yticklabels()] == list(explanation.a.words)
    assert [label.get_text() for label in cells.get_xticklabels()] == list(explanation.b.words)
    written = sum(float(text.get_text()) for text in cells.texts)
    assert written == pytest.approx(explanation.similarity, abs=0.01)
    masses, matched = np.split(np.array([bar.get_width() for bar in beside.patches]), 2)
    np.testing.assert_array_equal(masses, explanation.a.masses)
    np.testing.assert_array_equal(matched, explanation.matrix.sum(axis=1))
    masses, matched = np.split(np.array([bar.get_height() for bar in above.patches]), 2)
    np.testing.assert_array_equal(masses, explanation.b.masses)
    np.testing.assert_array_equal(matched, explanation.matrix.sum(axis=0))


def test_a_large_heat_map_shows_the_words_that_share_most():
    names = [f"w{i}" for i in range(70)]
    words = WordVectors(names, np.abs(random_vectors(70, 200)))
    explanation = SFBoW(words, Universe.identity(200)).explain(names, names[:5])
    figure = figure_of(explanation)
    cells = figure.axes[2]
    shown = [label.get_text() for label in cells.get_yticklabels()]
    shared = dict(zip(explanation.a.words, explanation.matrix.sum(axis=1), strict=True))
    assert len(shown) == 40
    assert sorted(shown, key=names.index) == shown
    assert min(shared[name] for name in shown) >= max(
        shared[name] for name in names if name not in shown
    )
    rest = explanation.similarity - cells.images[0].get_array().sum()
    assert f"{rest:.3f} in 30 words" in figure.texts[1].get_text()


@pytest.mark.parametrize("texts", [("", "xqzzy"), ("man", ""), ("man", "man")])
def test_plots_of_next_to_nothing(explain, tmp_path, texts):
    succeeded(explain(*texts, "--plot", tmp_path / "x.png"))
    assert (tmp_path / "x.png").stat().st_size > 1000


def test_hostile_words_in_a_plot(tmp_path):
    names = ["$x_{$", "a\nb", "\x1b[31m", "שלום", "<&>"]
    model = SFBoW(WordVectors(names, random_vectors(5, 9)), Universe.identity(9))
    from sfbow.cli.explain_plot import plot

    plot(model.explain(names, names[::-1]), tmp_path / "x.svg")
    assert (tmp_path / "x.svg").stat().st_size > 1000


def test_characters_that_no_font_has_are_told(tmp_path, explain, model):
    words = WordVectors(["man", "\U00013000\U00013001"], random_vectors(2, 4))
    SFBoW(words, Universe.identity(4)).save_pretrained(tmp_path / "m")
    done = CliRunner().invoke(
        cli,
        ["explain", "\U00013000\U00013001", "man", "-m", str(tmp_path / "m"),
         "--plot", str(tmp_path / "x.png")],
    )  # fmt: skip
    assert succeeded(done).stderr == (
        "sfbow: warning: no installed font has some of the characters: boxes stand for them in "
        "the figure\n"
    )


# What goes wrong


def test_other_endings_are_refused_before_anything_is_done(explain):
    found = misuse(explain(A, B, "--plot", "why.pdf"))
    assert "expected a name that ends with .png or .svg, found why.pdf; see" in found


@pytest.mark.parametrize("arguments", [["a"], ["a", "b", "c"], ["a", "b", "--top", "-1"]])
def test_misuse(explain, arguments):
    misuse(explain(*arguments))


def test_a_folder_that_is_not_there(explain, tmp_path):
    found = fault(explain(A, B, "--plot", tmp_path / "none" / "x.png"))
    assert found == f"{tmp_path}/none/x.png: no such file or directory"


def test_the_model_is_not_there(tmp_path):
    done = CliRunner().invoke(cli, ["explain", A, B, "-m", str(tmp_path / "none")])
    assert str(tmp_path / "none") in fault(done)


def test_without_matplotlib(explain, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = explain(A, B, "--plot", tmp_path / "x.png")
    assert fault(done) == "figures: packages are missing; pip install 'sfbow[evaluate]'"
    assert done.stdout == ""
    assert not (tmp_path / "x.png").exists()
    succeeded(explain(A, B))
