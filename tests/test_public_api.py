"""What users may rely on: the names, how they are called, and that each says what it is."""

import inspect
import re

import pytest

import sfbow

NAMES = [
    "Duplicates",
    "FolderBusyError",
    "FuzzyIndex",
    "Hit",
    "Hits",
    "InputError",
    "MissingExtraError",
    "ModelFolderError",
    "OptionError",
    "SFBoW",
    "SfbowError",
    "SfbowWarning",
    "Sif",
    "Tokenizer",
    "Universe",
    "VectorFileError",
    "WordVectors",
    "duplicate_pairs",
    "find_duplicates",
    "similarity",
    "similarity_pairwise",
]
CONTRACT = {
    "Duplicates": {"kept", "removed", "groups"},
    "FuzzyIndex": {"create", "open", "close", "add", "remove", "search", "vacuum", "refresh",
                   "verify", "repair", "build_graph", "recall", "model", "measure", "size",
                   "storage", "folder"},
    "Hits": {"ids", "scores"},
    "SFBoW": {"paper", "from_pretrained", "save_pretrained", "quantized", "encode",
              "encode_batches", "explain", "similarity", "similarity_pairwise"},
    "Universe": {"identity", "pca", "kmeans", "spherical_kmeans", "dbscan", "ica", "signed",
                 "matrix", "size"},
    "WordVectors": {"load", "save", "convert", "words", "dim", "most_frequent", "in_dictionary"},
}  # fmt: skip
# Arguments that may be left out and yet have a place: there is one of them, and it is what the
# call is about; or they are the fields of a value.
PLACED = {
    "FuzzyIndex.create": {"model"},
    "Hits": {"width"},
    "SFBoW.from_pretrained": {"name"},
    "WordVectors.in_dictionary": {"dictionary"},
    "Sif": {"a", "counts"},
    "Tokenizer": {"casing", "punctuation", "split"},
}


def public_calls():
    for name in NAMES:
        thing = getattr(sfbow, name)
        if isinstance(thing, type) and issubclass(thing, Exception):
            continue
        yield name, thing
        if isinstance(thing, type):
            for member in vars(thing):
                if not member.startswith("_") and callable(getattr(thing, member)):
                    yield f"{name}.{member}", getattr(thing, member)


CALLS = dict(public_calls())
all_calls = pytest.mark.parametrize("name", CALLS)


def test_names():
    assert sfbow.__all__ == NAMES == sorted(NAMES)
    for name in NAMES:
        assert getattr(sfbow, name).__module__.startswith("sfbow.")
    assert re.fullmatch(r"\d+\.\d+\.\d+", sfbow.__version__)


def test_there_is_no_other_name():
    with pytest.raises(AttributeError, match=r"'sfbow' has no attribute 'Sfbow'"):
        sfbow.Sfbow  # noqa: B018 - the look-up is the test


@pytest.mark.parametrize("name", CONTRACT)
def test_members_of_the_contract(name):
    assert set(dir(getattr(sfbow, name))) >= CONTRACT[name]


@all_calls
def test_options_go_by_their_names(name):
    for parameter in inspect.signature(CALLS[name]).parameters.values():
        assert parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        if parameter.default is not parameter.empty:
            is_placed = parameter.name in PLACED.get(name, ())
            assert is_placed or parameter.kind is parameter.KEYWORD_ONLY, parameter.name


@all_calls
def test_everything_says_what_it_is(name):
    assert inspect.getdoc(CALLS[name])
    for parameter in inspect.signature(CALLS[name]).parameters.values():
        is_typed = parameter.annotation is not parameter.empty
        assert is_typed or parameter.name == "self", parameter.name


@pytest.mark.parametrize("name", NAMES)
def test_properties_say_what_they_are(name):
    thing = getattr(sfbow, name)
    members = vars(thing).items() if isinstance(thing, type) else ()
    properties = [(key, value) for key, value in members if isinstance(value, property)]
    assert [key for key, value in properties if not (key.startswith("_") or value.__doc__)] == []


@pytest.mark.parametrize(
    ("name", "standard"),
    [
        ("VectorFileError", ValueError),
        ("ModelFolderError", ValueError),
        ("InputError", ValueError),
        ("OptionError", ValueError),
        ("FolderBusyError", BlockingIOError),
        ("MissingExtraError", ImportError),
    ],
)
def test_errors_are_also_those_that_python_has(name, standard):
    error = getattr(sfbow, name)
    assert issubclass(error, sfbow.SfbowError)
    assert issubclass(error, standard)
    assert issubclass(sfbow.SfbowWarning, UserWarning)


def test_the_example_of_the_contract(tmp_path):
    """As design.md and the README have it, on words small enough to follow."""
    from sfbow import SFBoW, Universe, WordVectors

    file = tmp_path / "words.txt"
    file.write_text("the 1 0 0\ncat 0 2 1\ndog 0 1 2\ncar 3 0 1\n")
    words = WordVectors.load(file)
    assert words.words == ["the", "cat", "dog", "car"]
    assert words.matrix.shape == (4, 3)
    assert (len(words), words.dim, "cat" in words) == (4, 3, True)
    assert words["dog"].tolist() == [0, 1, 2]
    universe = Universe.pca(words.in_dictionary())
    assert universe.matrix.shape == (3, 3)
    assert universe.report.explained_variance is not None
    model = SFBoW(words, universe.signed(), weights="sif", counts=False, measure="otsuka")
    encoded = model.encode(["the cat", "the dog", "a car"], show_progress_bar=False)
    assert encoded.shape == (3, model.size) == (3, 6)
    assert model.similarity(encoded, encoded).shape == (3, 3)
    assert model.similarity_pairwise(encoded, encoded) == pytest.approx(1)
    model.save_pretrained(tmp_path / "model")
    loaded = SFBoW.from_pretrained(tmp_path / "model")
    assert (loaded.encode("the cat") == encoded[0]).all()
    assert SFBoW.paper(words, universe).measure == "jaccard"
