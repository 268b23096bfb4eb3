"""From a table of words to a model that knows every word."""

import numpy as np
from numpy.typing import NDArray

from sfbow.distill.composition import fit_subwords
from sfbow.measures import Measure
from sfbow.model import SFBoW
from sfbow.universe import Universe
from sfbow.vectors import WordVectors


def make_model(words: list[str], table: NDArray[np.float32], measure: Measure) -> SFBoW:
    """Compose what is unknown from character n-grams, and round all to 8 bits."""
    vectors = WordVectors(words, table, subwords=fit_subwords(words, table))
    universe = Universe.identity(vectors.dim).signed()
    model = SFBoW(vectors, universe, weights=None, measure=measure, casing="lower")
    return model.quantized()
