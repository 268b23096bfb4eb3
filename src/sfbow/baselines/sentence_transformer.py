"""Sentence-BERT and its kin, through sentence-transformers (Reimers and Gurevych 2019)."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from sfbow.baselines.cosine import CosineModel
from sfbow.baselines.texts import Floats
from sfbow.errors import InputError, MissingExtraError
from sfbow.inputs import counted
from sfbow.options import check_count


def load_transformer(
    name: str | Path,
    *,
    device: str,
    local_files_only: bool = False,
    extra: str = "sentence-transformers",
) -> Any:  # noqa: ANN401 - the library is not there when types are checked
    """Load a model of sentence-transformers; what is a folder never asks the network."""
    try:
        library = import_module("sentence_transformers")
    except ImportError:
        raise MissingExtraError("a model of sentence-transformers", extra) from None
    try:
        return library.SentenceTransformer(
            str(name), device=device, local_files_only=local_files_only or Path(name).exists()
        )
    except (OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(
            f"{name}: expected a model of sentence-transformers, found {reason}; "
            "give a folder or an id of the hub"
        ) from None


class SentenceTransformerModel(CosineModel):
    """v(S) as a model of sentence-transformers gives it; compared by cosine.

    Parameters
    ----------
    name
        A folder, or the model's id on the hub.
    device
        Where to compute, as PyTorch names it.
    batch_size
        How many texts to encode at a time.
    local_files_only
        Whether the network is out of bounds.
    """

    def __init__(
        self,
        name: str | Path,
        *,
        device: str = "cpu",
        batch_size: int = 32,
        local_files_only: bool = False,
    ) -> None:
        check_count("batch_size", batch_size, least=1)
        self._batch_size = batch_size
        self._model = load_transformer(name, device=device, local_files_only=local_files_only)

    def encode(self, sentences: Any) -> Floats:  # noqa: ANN401
        """Turn texts into vectors: one for a string, a row each for many texts."""
        if isinstance(sentences, str):
            vector: Floats = self.encode([sentences])[0]
            return vector
        texts = list(counted(sentences))
        for place, text in enumerate(texts):
            if not isinstance(text, str):
                kind = type(text).__name__
                raise InputError(f"text {place}: expected a string, found {kind}; convert it")
        vectors = self._model.encode(
            texts or [""],  # of no texts, the width is still asked for
            batch_size=self._batch_size,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(vectors, np.float32)[: len(texts)]
