"""The state of a training run on disk, replaced in a single step."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError
from sfbow.safetensors import TensorSource
from sfbow.storage import damaged, is_folder, open_folder, save_folder

Table = NDArray[np.float32]
_KIND = "distillation"


@dataclass(frozen=True)
class State:
    """Parameters after ``step`` steps, with Adam's first and second moments of each.

    ``sharpness`` holds the learned factor's logarithm and its moments.
    """

    step: int
    table: Table
    first: Table
    second: Table
    sharpness: Table

    @classmethod
    def start(cls, table: Table, sharpness: float) -> "State":
        """Begin."""
        zeros = np.zeros_like(table)
        return cls(0, table, zeros, zeros, np.array([sharpness, 0, 0], np.float32))


def save_state(folder: Path, state: State, run: Mapping[str, Any]) -> None:
    """Keep the state of a run; ``run`` is what decides about its result."""

    def files() -> Iterator[tuple[str, dict[str, TensorSource]]]:
        tensors = ("table", "first", "second", "sharpness")
        yield "state", {name: TensorSource.whole(getattr(state, name)) for name in tensors}

    save_folder(folder, _KIND, {"run": run, "step": state.step}, files())


def load_state(folder: Path, run: Mapping[str, Any], shape: tuple[int, int]) -> State | None:
    """Give the state that was kept, of the same run, or None."""
    if not is_folder(folder):
        return None
    opened = open_folder(folder, _KIND)
    _check_same(folder, opened.config.get("run"), run)
    table, first, second = (
        np.array(opened.tensor(name, "f4", 2)) for name in ("table", "first", "second")
    )
    sharpness, step = np.array(opened.tensor("sharpness", "f4", 1)), opened.config.get("step")
    if not (
        table.shape == first.shape == second.shape == shape
        and sharpness.shape == (3,)
        and type(step) is int
    ):
        raise damaged(folder, "its tensors", f"tables of {shape}", "others")
    return State(step, table, first, second, sharpness)


def _check_same(folder: Path, found: object, run: Mapping[str, Any]) -> None:
    if not isinstance(found, dict):
        raise damaged(folder, "config.json", "the settings of a run", type(found).__name__)
    for name, value in run.items():
        if found.get(name) != value:
            raise InputError(
                f"{folder}: expected a run with {name} = {value}, found {found.get(name)}; "
                "give the same settings, texts and teacher to go on, or remove the folder"
            )
