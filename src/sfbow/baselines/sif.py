"""SIF: a weighted average without what all sentences have in common (Arora et al. 2017)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.baselines.average_of_words import AverageOfWords
from sfbow.baselines.cosine import CosineModel
from sfbow.baselines.texts import BATCH, AnyCasing, Floats, pairs_of
from sfbow.builders.decomposition import gram, principal_axes
from sfbow.errors import InputError
from sfbow.inputs import batches
from sfbow.options import check_count
from sfbow.text import Split
from sfbow.vectors import WordVectors
from sfbow.weights import Sif, Weights


class SifEmbedding(CosineModel):
    """v(S) − CᵀC · v(S), where v(S) = 1/|S| · Σ a / (a + p(w)) · w; compared by cosine.

    The rows of C are the first right singular vectors of the matrix of all v(S) of the sentences
    given to `fit`, which is not centred. What was published was fitted on each test set itself:
    ``transductive`` does that.

    Parameters
    ----------
    words
        The word vectors.
    weights
        The word weights: as in `SFBoW`.
    components
        How many components to remove.
    transductive
        Whether each call of `encode` takes C from its own sentences, instead of from `fit`: a
        sentence's vector then depends on the others of the call, and alone it is about zero.
    casing, punctuation, split
        How texts become words: as in `SFBoW`.
    """

    def __init__(
        self,
        words: WordVectors,
        *,
        weights: Weights = Sif(a=1e-3),  # noqa: B008 - it is frozen
        components: int = 1,
        transductive: bool = False,
        casing: AnyCasing = "auto",
        punctuation: bool = True,
        split: Split = "words",
    ) -> None:
        check_count("components", components, least=1)
        if components > words.dim:
            raise InputError(
                f"components: expected at most {words.dim}, as the words have dimensions, "
                f"found {components}; remove fewer"
            )
        self._average = AverageOfWords(
            words, weights=weights, casing=casing, punctuation=punctuation, split=split
        )
        self.vocabulary = self._average.vocabulary
        self.tokenizer = self._average.tokenizer
        self._components = components
        self._transductive = transductive
        self._common: Floats | None = None

    @property
    def size(self) -> int:
        """The length of a sentence vector."""
        return self._average.size

    def fit(self, sentences: Any) -> "SifEmbedding":  # noqa: ANN401
        """Find the components C of these sentences, which may be a stream; return the model."""
        products = np.zeros((self.size, self.size))
        for batch in batches(sentences, BATCH):
            products += gram(self._average.encode(batch))
        if not products.any():
            raise InputError("sentences: expected some with known words, found none; give others")
        self._common = self._first_axes(products)
        return self

    def _first_axes(self, products: NDArray[np.float64]) -> Floats:
        """Take the eigenvectors of VᵀV, which are the right singular vectors of V."""
        return principal_axes(products)[: self._components].astype(np.float32)

    def encode(self, sentences: Any) -> Floats:  # noqa: ANN401
        """Turn texts into vectors: one for a string, a row each for many texts."""
        common = self._common
        if common is None and not self._transductive:
            raise InputError(
                "SifEmbedding: expected fit(sentences) before encode, found no fit; call it"
            )
        vectors = self._average.encode(sentences)
        if common is None or self._transductive:
            common = self._first_axes(gram(np.atleast_2d(vectors)))
        vectors -= (vectors @ common.T) @ common
        return vectors

    def similarity_of_texts(self, left: Sequence[str], right: Sequence[str]) -> Floats:
        """Compare each text of ``left`` with the same of ``right``.

        A transductive model takes C from both sides together, a repeated text as often as it
        occurs: that is the published way to score a test set.
        """
        a, b = pairs_of(left, right)
        vectors = self.encode(a + b)
        return self.similarity_pairwise(vectors[: len(a)], vectors[len(a) :])
