"""Sentence embeddings without a GPU: texts as fuzzy sets of words."""

from sfbow.errors import (
    InputError,
    MissingExtraError,
    ModelFolderError,
    OptionError,
    SfbowError,
    SfbowWarning,
    VectorFileError,
)
from sfbow.model import SFBoW
from sfbow.similarity import similarity, similarity_pairwise
from sfbow.text import Tokenizer
from sfbow.universe import Universe
from sfbow.vectors import WordVectors
from sfbow.weights import Sif

__version__ = "0.1.0"

__all__ = [
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
    "similarity",
    "similarity_pairwise",
]
