"""Sentence embeddings without a GPU: texts as fuzzy sets of words.

Each name is loaded when it is first used, so that importing the package takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfbow.duplicates.finding import duplicate_pairs, find_duplicates
    from sfbow.duplicates.results import Duplicates
    from sfbow.errors import (
        FolderBusyError,
        InputError,
        MissingExtraError,
        ModelFolderError,
        OptionError,
        SfbowError,
        SfbowWarning,
        VectorFileError,
    )
    from sfbow.index.fuzzy_index import FuzzyIndex
    from sfbow.index.hits import Hit, Hits
    from sfbow.measures import similarity, similarity_pairwise
    from sfbow.model import SFBoW
    from sfbow.text import Tokenizer
    from sfbow.universe import Universe
    from sfbow.vectors import WordVectors
    from sfbow.weights import Sif

__version__ = "0.1.0"

__all__ = [
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

_HOMES = {
    "Duplicates": "duplicates.results",
    "FuzzyIndex": "index.fuzzy_index",
    "Hit": "index.hits",
    "Hits": "index.hits",
    "SFBoW": "model",
    "Sif": "weights",
    "Tokenizer": "text",
    "Universe": "universe",
    "WordVectors": "vectors",
    "duplicate_pairs": "duplicates.finding",
    "find_duplicates": "duplicates.finding",
    "similarity": "measures",
    "similarity_pairwise": "measures",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public name
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
