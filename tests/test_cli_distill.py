"""`sfbow distill`: what it writes, what it keeps when it is stopped, what it refuses."""

import json
import re

import pytest
from click.testing import CliRunner
from test_cli_encode import fault, misuse, succeeded
from tiny_teacher import SENTENCES, WORDS, make_teacher

from sfbow import SFBoW
from sfbow.cli import cli

QUICK = ["--dim", "16", "--steps", "20", "--batch", "32", "--device", "cpu"]

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def sfbow(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    torch.set_num_threads(1)
    return make_teacher(tmp_path_factory.mktemp("teacher"))


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(SENTENCES))
    return path


def test_a_model_and_its_card(tmp_path, teacher, texts):
    out = tmp_path / "new" / "model"
    done = succeeded(sfbow("distill", teacher, texts, "-o", out, *QUICK, "--measure", "otsuka"))
    assert "words     96" in done.stdout
    assert done.stderr == ""
    model = SFBoW.from_pretrained(out)
    assert (model.size, model.measure, len(model.vocabulary)) == (32, "otsuka", len(WORDS))
    card = (out / "README.md").read_text()
    assert "| teacher | teacher |\n| texts | texts.txt |\n" in card
    assert "| steps | 20 |" in card
    assert re.search(r"\| Start: 0\.\d+; Seed 0, step 20 of 20: 0\.\d+ \|", card)
    assert str(tmp_path) not in card
    assert [path.name for path in out.parent.iterdir()] == ["model"]
    again = fault(sfbow("distill", teacher, texts, "-o", out, *QUICK))
    assert "replace it with --force" in again
    options = ["--no-train", "--words", "7", "--force"]
    succeeded(sfbow("distill", teacher, "-o", out, *options))
    assert len(SFBoW.from_pretrained(out).vocabulary) == 7


def test_without_texts(tmp_path, teacher):
    out, listed = tmp_path / "model", tmp_path / "words.txt"
    listed.write_text("be\nunheard\nba\n")
    succeeded(sfbow("distill", teacher, "-o", out, "--no-train", "--word-list", listed))
    assert SFBoW.from_pretrained(out).vocabulary.words == ["be", "unheard", "ba"]
    found = json.loads(succeeded(sfbow("info", out, "--format", "json")).stdout)
    assert (found["bits"], found["subwords"]["longest"] >= 3) == (8, True)
    start = tmp_path / "second"
    succeeded(sfbow("distill", teacher, "-o", start, "--no-train", "--from", out))
    assert SFBoW.from_pretrained(start).vocabulary.words == ["be", "unheard", "ba"]


def test_the_folder_that_one_is_in(tmp_path, teacher, monkeypatch):
    monkeypatch.chdir(tmp_path)
    succeeded(sfbow("distill", teacher, "-o", ".", "--no-train", "--words", "9"))
    assert len(SFBoW.from_pretrained(tmp_path).vocabulary) == 9


def test_several_runs_of_short_sentences(tmp_path, teacher, texts):
    out = tmp_path / "model"
    options = [*QUICK, "--runs", "2", "--seed", "3", "--longest", "7"]
    succeeded(sfbow("distill", teacher, texts, "-o", out, *options))
    card = (out / "README.md").read_text()
    assert "| longest | 7 |" in card
    assert re.search(r"; Seed 4, step 20 of 20: 0\.\d+; Mean of all runs: 0\.\d+ \|", card)
    few = fault(sfbow("distill", teacher, texts, "-o", out, *QUICK, "--force", "--longest", "3"))
    assert "at least 100 different sentences of at most 3 words" in few


def test_ctrl_c_and_on(tmp_path, teacher, texts, monkeypatch):
    from sfbow.distill import training

    def stop(folder, state, run):
        save(folder, state, run)
        if state.step == 7:
            raise KeyboardInterrupt

    save = training.save_state
    monkeypatch.setattr(training, "_SECONDS", 0)
    monkeypatch.setattr(training, "save_state", stop)
    out = tmp_path / "model"
    done = sfbow("distill", teacher, texts, "-o", out, *QUICK)
    kept = tmp_path / "model.unfinished"
    assert done.exit_code == 130
    assert done.stderr == (
        f"What was done is in {kept}: the same command goes on.\nsfbow: interrupted\n"
    )
    assert not out.exists()
    assert kept.is_dir()
    monkeypatch.setattr(training, "save_state", save)
    other = fault(sfbow("distill", teacher, texts, "-o", out, *QUICK, "--measure", "dice"))
    assert "expected a run with measure = dice, found hellinger" in other
    succeeded(sfbow("distill", teacher, texts, "-o", out, *QUICK))
    assert not kept.exists()
    whole = tmp_path / "whole"
    succeeded(sfbow("distill", teacher, texts, "-o", whole, *QUICK))
    for text in ("ba de", "zzz"):
        encoded = (SFBoW.from_pretrained(folder).encode(text) for folder in (out, whole))
        assert next(encoded).tolist() == next(encoded).tolist()


def test_a_cache_is_kept(tmp_path, teacher, texts):
    for seed in (0, 1):
        options = ["--cache", tmp_path / "cache", "--seed", seed]
        succeeded(sfbow("distill", teacher, texts, "-o", tmp_path / f"m{seed}", *QUICK, *options))
    names = sorted(path.name.split("-")[0] for path in (tmp_path / "cache").iterdir())
    assert names == ["neighbours16", "sentences", "words"]


def test_what_is_refused(tmp_path, texts):
    out = tmp_path / "model"
    assert "give texts to learn from, or --no-train" in misuse(sfbow("distill", "x", "-o", out))
    assert "no such file" in fault(sfbow("distill", "x", tmp_path / "none", "-o", out))
    assert "choose another --output" in fault(sfbow("distill", "x", texts, "-o", tmp_path))
    assert misuse(sfbow("distill", "x", texts, "-o", out, "--measure", "cosine"))


def test_a_missing_extra(tmp_path, texts, monkeypatch):
    monkeypatch.setattr("sfbow.distill.find_spec", lambda name: None)
    said = fault(sfbow("distill", "x", texts, "-o", tmp_path / "model"))
    assert said == "distillation: packages are missing; pip install 'sfbow[distill]'"
