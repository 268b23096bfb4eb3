"""Tiny word vectors that reach every corner: zero rows, capitals, accents, unknown words."""

import os
import signal
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from sfbow import SFBoW, Universe, WordVectors
from sfbow.subwords import Subwords

SHARED = Path(__file__).parents[2] / "shared"
WORDS = ["the", "cat", "sat", "Cat", "café", "nothing", "dog", ",", "東", "I"]
SENTENCES = [
    "The cat sat, the dog sat.",
    "Cat café",
    "",
    "nothing",
    "entirely unheard-of",
    "the the the cat",
    "東 I\0dog\t😀\u200dcat",
]

# Shells make what runs in the background deaf to Ctrl-C, and so whatever the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A machine shared with others has no steady clock: no example may fail for being slow.
settings.register_profile("sfbow", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sfbow")


def random_vectors(count: int, dim: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)


def make_words(dim: int = 6) -> WordVectors:
    matrix = random_vectors(len(WORDS), dim)
    matrix[WORDS.index("nothing")] = 0
    return WordVectors(WORDS, matrix)


def with_subwords(words: WordVectors, seed: int = 7) -> WordVectors:
    """Give word vectors that compose unknown words."""
    subwords = Subwords(2, 3, random_vectors(50, words.dim, seed))
    return WordVectors(words.words, words.matrix, subwords=subwords)


@pytest.fixture(scope="session")
def words() -> WordVectors:
    return make_words()


@pytest.fixture(scope="session")
def universe() -> Universe:
    return Universe(random_vectors(9, 6, 1))


@pytest.fixture(scope="session")
def model(words, universe) -> SFBoW:
    return SFBoW(words, universe.signed())


@pytest.fixture(scope="session")
def subword_model(words, universe) -> SFBoW:
    return SFBoW(with_subwords(words), universe.signed(), casing="lower")


@pytest.fixture(scope="session")
def shared_folder():
    """Give a folder beside the project, with data that is too large for it."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"the data of other programs is not in {path}")
        return path

    return find


@pytest.fixture
def umask():
    """Set the umask, and put it back."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.fixture
def quick_folder(tmp_path):
    """Give a folder for thousands of files: in memory, where the system has such a place."""
    memory = Path("/dev/shm")  # noqa: S108 - a folder of its own is made there
    place = memory if os.access(memory, os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(dir=place) as folder:
        yield Path(folder)
