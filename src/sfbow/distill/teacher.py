"""The teacher: a model of sentence-transformers, whose cosines are to be learned."""

import hashlib
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sfbow.baselines.sentence_transformer import load_transformer

_BATCH = {"cpu": 64, "cuda": 1024}
_LONGEST = 128  # tokens of a sentence; what follows has little to teach a bag of words


class Teacher:
    """Vectors of length 1, whose dot products are the similarities.

    Parameters
    ----------
    name
        A folder, or an id of the hub. What is a folder never asks the network.
    device
        Where to compute; on a GPU with half the precision.
    """

    def __init__(self, name: str | Path, device: torch.device) -> None:
        with _quiet():
            self._model = load_transformer(name, device="cpu", extra="distill")
        self.digest = _digest(self._model)
        if _LONGEST < (self._model.max_seq_length or 0) < math.inf:
            self._model.max_seq_length = _LONGEST
        self._batch = _BATCH[device.type]
        if device.type == "cuda":
            self._model.half()
        self._model.to(device)

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return int(self.encode([""]).shape[1])

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give a row for each text."""
        with torch.inference_mode():
            rows = self._model.encode(
                list(texts),
                batch_size=self._batch,
                convert_to_numpy=True,
                normalize_embeddings=True,
                show_progress_bar=False,
            )
        return np.asarray(rows, np.float32)

    def vocabulary(self) -> list[str]:
        """Give the words of the teacher's tokenizer, as they are ordered there."""
        tokens: dict[str, int] = self._model.tokenizer.get_vocab()
        ordered = sorted(tokens, key=tokens.__getitem__)
        special = set(getattr(self._model.tokenizer, "all_special_tokens", ()))
        return [token for token in ordered if token not in special]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library from drawing a bar, whoever watches."""
    messages = import_module("transformers.utils.logging")
    is_shown = messages.is_progress_bar_enabled()
    messages.disable_progress_bar()
    try:
        yield
    finally:
        if is_shown:
            messages.enable_progress_bar()


def _digest(model: Any) -> str:  # noqa: ANN401 - torch's modules have no type here
    """Name a model by its numbers."""
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
