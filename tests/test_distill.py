"""Distillation as a whole, from a transformer that is made on the spot."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny_teacher import SENTENCES, WORDS, make_teacher

from sfbow import InputError, MissingExtraError, SFBoW, WordVectors
from sfbow.distill import Settings, distill

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")

from sfbow.distill import training  # noqa: E402

# The libraries below warn of each other.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

QUICK = Settings(dim=16, steps=40, batch=64, rate=0.02, held_out=40, device="cpu")


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    torch.set_num_threads(1)
    return make_teacher(tmp_path_factory.mktemp("teacher"))


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def learn(teacher, cache):
    def run(settings: Settings = QUICK, sentences=SENTENCES, **options):
        reports = []
        options = {"cache": cache, "watch": reports.append} | options
        return distill(teacher, sentences, settings=settings, **options), reports

    return run


def table_of(model: SFBoW) -> np.ndarray:
    return np.concatenate(list(model.memberships.blocks())) * model.memberships.scale


@pytest.mark.parametrize("measure", ["hellinger", "otsuka", "jaccard", "dice"])
def test_training_follows_the_teacher(learn, measure):
    model, reports = learn(replace(QUICK, measure=measure))
    assert [report.step for report in reports] == list(range(0, 41, 4))
    assert reports[-1].held_out > reports[0].held_out + 0.03
    assert model.measure == measure
    assert set(model.vocabulary.words) == set(WORDS)
    assert (model.size, model.memberships.dtype) == (32, np.int8)
    assert model.encode(["ba de", "zzz", "x", "東"]).any(axis=1).all()


def test_one_seed_is_one_model(learn):
    first, second, other = (table_of(learn(replace(QUICK, seed=n))[0]) for n in (1, 1, 2))
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


def test_the_mean_of_several_runs(learn):
    mean, reports = learn(replace(QUICK, seed=1, runs=2))
    tables = [table_of(learn(replace(QUICK, seed=seed))[0]) for seed in (1, 2)]
    np.testing.assert_allclose(
        table_of(mean), np.mean(tables, axis=0), atol=2 * mean.memberships.scale
    )
    assert [report.seed for report in reports] == [None] + [1] * 10 + [2] * 10 + [None]
    assert reports[-1].held_out > reports[0].held_out + 0.03


class Stop(BaseException):
    """As Ctrl-C comes."""


@pytest.mark.parametrize(("runs", "stop"), [(1, 1), (1, 17), (1, 40), (2, 40), (2, 57)])
def test_a_run_that_was_stopped_goes_on(learn, tmp_path, monkeypatch, runs, stop):
    monkeypatch.setattr(training, "_SECONDS", 0)
    settings = replace(QUICK, runs=runs)
    expected = table_of(learn(settings)[0])
    save, saved = training.save_state, []

    def save_and_stop(folder, state, run):
        save(folder, state, run)
        saved.append(state.step)
        if len(saved) == stop:
            raise Stop

    monkeypatch.setattr(training, "save_state", save_and_stop)
    with pytest.raises(Stop):
        learn(settings, folder=tmp_path)
    assert saved == [*range(1, 41), *range(1, 41)][:stop]
    monkeypatch.setattr(training, "save_state", save)
    model, reports = learn(settings, folder=tmp_path)
    done = [(report.seed, report.step) for report in reports if report.seed is not None]
    assert all(40 * seed + step >= stop or step == 40 for seed, step in done)
    np.testing.assert_array_equal(table_of(model), expected)


@pytest.mark.parametrize(
    ("changed", "name"),
    [({"steps": 41}, "steps"), ({"rate": 0.03}, "rate"), ({"measure": "dice"}, "measure")],
)
def test_a_run_with_other_settings_does_not_go_on(learn, tmp_path, changed, name):
    learn(folder=tmp_path)
    with pytest.raises(InputError, match=f"a run with {name} = .*; give the same settings"):
        learn(replace(QUICK, **changed), folder=tmp_path)


def test_a_run_with_other_texts_does_not_go_on(learn, tmp_path):
    learn(folder=tmp_path)
    with pytest.raises(InputError, match="expected a run with texts"):
        learn(sentences=SENTENCES[:-1], folder=tmp_path)


def test_the_teacher_is_asked_once(learn, tmp_path):
    learn(cache=tmp_path)
    names = sorted(path.name.split("-")[0] for path in tmp_path.iterdir())
    assert names == ["neighbours16", "sentences", "words"]
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    learn(replace(QUICK, seed=3), cache=tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_without_training_or_texts(learn):
    still = replace(QUICK, steps=0)
    assert learn(still, [])[0].vocabulary.words == WORDS
    assert learn(still, [], word_list=["Be", "xx", "ba"])[0].vocabulary.words == ["be", "xx", "ba"]
    model, reports = learn(still)
    assert [(report.seed, report.step, report.steps) for report in reports] == [(None, 0, 0)]
    assert learn(still, SENTENCES[:5])[1] == []
    assert len(model.vocabulary) == len(WORDS)
    assert len(learn(replace(still, words=10), [])[0].vocabulary) == 10


def test_the_start_is_the_teachers_words(teacher, learn):
    """Axes are turned and words weighed, so that cosines of words are the teacher's."""
    from sentence_transformers import SentenceTransformer

    model = learn(replace(QUICK, steps=0, dim=None), [])[0]
    found = table_of(model)
    vectors = SentenceTransformer(str(teacher), device="cpu").encode(model.vocabulary.words)

    def cosines(rows: np.ndarray) -> np.ndarray:
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit @ unit.T

    np.testing.assert_allclose(cosines(found), cosines(vectors), atol=0.1)


def test_a_model_of_sfbow_is_a_start(learn, tmp_path):
    still = replace(QUICK, steps=0, dim=None)
    first = learn()[0]
    first.save_pretrained(tmp_path / "first")
    second = learn(still, start=tmp_path / "first")[0]
    assert second.vocabulary.words == first.vocabulary.words
    np.testing.assert_allclose(table_of(second), table_of(first), atol=first.memberships.scale)
    known = learn(still, [*SENTENCES, "newword " * 9], start=tmp_path / "first")[0]
    composed, old = (model.encode("newword") for model in (known, first))
    np.testing.assert_allclose(composed, old, atol=2 * first.memberships.scale)
    with pytest.raises(InputError, match="dim: expected 16, the axes of the model"):
        learn(replace(still, dim=8), start=tmp_path / "first")


@pytest.mark.parametrize("kind", ["folder", "text"])
def test_word_vectors_are_a_start(learn, tmp_path, kind):
    words = [*WORDS[:50], "Unused"]
    matrix = np.random.default_rng(0).standard_normal((51, 6)).astype(np.float32)
    path = tmp_path / kind
    if kind == "folder":
        WordVectors(words, matrix).save(path)
    else:
        rows = zip(words, matrix.tolist(), strict=True)
        path.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows))
    still = replace(QUICK, steps=0, dim=None)
    assert learn(still, [], start=path)[0].vocabulary.words == [*WORDS[:50], "unused"]
    model, reports = learn(replace(QUICK, dim=4), start=path)
    assert model.size == 8
    assert set(model.vocabulary.words) == set(WORDS)
    assert reports[-1].held_out > reports[0].held_out


def test_static_models_are_a_start(learn, tmp_path):
    """Their words' lengths are weights already, so that frequencies change nothing."""
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer, models, pre_tokenizers

    try:
        from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    except ImportError:  # before sentence-transformers 6
        from sentence_transformers.models import StaticEmbedding

    matrix = np.random.default_rng(0).standard_normal((len(WORDS), 6)).astype(np.float32)
    places = {word: place for place, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(places, unk_token=WORDS[0]))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    layer = StaticEmbedding(tokenizer, embedding_weights=matrix)
    SentenceTransformer(modules=[layer], device="cpu").save(str(tmp_path))
    model = learn(replace(QUICK, steps=0, dim=None), [], start=tmp_path)[0]
    assert model.vocabulary.words == WORDS
    found = np.linalg.norm(table_of(model), axis=1)
    np.testing.assert_allclose(found, np.linalg.norm(matrix, axis=1), rtol=0.05)


@pytest.mark.parametrize("sentences", [[], SENTENCES[:99]])
def test_too_few_sentences(learn, sentences):
    with pytest.raises(InputError, match=f"at least 100 different .* found {len(sentences)}"):
        learn(sentences=[*sentences, *sentences])


def test_long_sentences_are_left_out(learn):
    model = learn(replace(QUICK, longest=5), [*SENTENCES, "unheard " * 6])[0]
    assert "unheard" not in model.vocabulary.words
    with pytest.raises(InputError, match="at least 100 different sentences of at most 3 words"):
        learn(replace(QUICK, longest=3))


def test_sentences_of_unknown_words(learn):
    listed = [f"{a}{b}" for a in "cvwxyz" for b in "aeiou"]
    with pytest.raises(InputError, match="with words of the vocabulary, found none"):
        learn(replace(QUICK, words=30), word_list=listed)


def test_another_seed_is_another_run(learn, tmp_path):
    first = table_of(learn(folder=tmp_path)[0])
    learn(replace(QUICK, seed=1), folder=tmp_path)
    again, reports = learn(folder=tmp_path)
    np.testing.assert_array_equal(table_of(again), first)
    assert [report.step for report in reports] == [0, 40]


@pytest.mark.parametrize("sentences", ["a single string", [*SENTENCES, 5], 7])
def test_what_are_no_sentences(learn, sentences):
    with pytest.raises(InputError, match=r"expected a (list of )?string"):
        learn(sentences=sentences)


def test_no_teacher(tmp_path):
    with pytest.raises(InputError, match="expected a model of sentence-transformers"):
        distill(tmp_path, SENTENCES, settings=QUICK)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_no_gpu(teacher):
    with pytest.raises(InputError, match="expected a GPU that PyTorch can use, found none"):
        distill(teacher, SENTENCES, settings=replace(QUICK, device="cuda"))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_a_gpu_learns_the_same(learn):
    on_gpu = [learn(replace(QUICK, device="cuda")) for _ in range(2)]
    np.testing.assert_array_equal(*(table_of(model) for model, _ in on_gpu))
    assert on_gpu[0][1][-1].held_out == pytest.approx(learn()[1][-1].held_out, abs=0.02)


def test_a_missing_extra(monkeypatch):
    monkeypatch.setattr("sfbow.distill.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sfbow\[distill\]'"):
        distill(Path("teacher"))
