"""Word memberships by gradient descent."""

import math
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sfbow.distill.batches import Batch, Batches
from sfbow.distill.checkpoints import State, load_state, save_state
from sfbow.distill.devices import repeatable
from sfbow.distill.fuzzy_pooling import pool
from sfbow.distill.held_out import HeldOut
from sfbow.distill.objective import SHARPNESS, loss, similarities
from sfbow.distill.progress import Progress, Watch
from sfbow.distill.settings import Settings

Table = NDArray[np.float32]
# Of Adam: what a rare word learns from one sentence shall neither be blown up nor go on for long.
_BETAS, _EPSILON = (0.5, 0.999), 1e-4
_REPORTS = 10  # of a run, and
_SECONDS = 60  # between checkpoints


def train(
    start: Table,
    batches: Batches,
    held_out: HeldOut,
    settings: Settings,
    device: torch.device,
    *,
    folder: Path,
    run: dict[str, Any],
    watch: Watch,
) -> Table:
    """Learn from a seed's batches, from where the folder's checkpoint ended, if there is one."""
    state = load_state(folder, run, start.shape)
    learner = _Learner(state or State.start(start, math.log(SHARPNESS)), settings, device)
    interval = max(1, settings.steps // _REPORTS)
    saved = monotonic()

    def report(step: int, table: Table) -> None:
        watch(Progress(settings.seed, step, settings.steps, held_out.correlation(table)))

    with repeatable():
        while learner.step < settings.steps:
            learner.learn(batches.make(settings.seed, learner.step))
            is_last = learner.step == settings.steps
            if is_last or monotonic() - saved >= _SECONDS:
                save_state(folder, learner.state(), run)
                saved = monotonic()
            if learner.step % interval == 0 and not is_last:
                report(learner.step, learner.table())
    report(learner.step, learner.table())
    return learner.table()


class _Learner:
    """The parameters and Adam."""

    def __init__(self, state: State, settings: Settings, device: torch.device) -> None:
        self.step = state.step
        self._settings = settings
        self._table = torch.tensor(state.table, device=device, requires_grad=True)
        self._sharpness = torch.tensor(state.sharpness[0], device=device, requires_grad=True)
        self._adam = torch.optim.Adam(
            [self._table, self._sharpness], settings.rate, _BETAS, _EPSILON, fused=True
        )
        moments = {
            self._table: (state.first, state.second),
            self._sharpness: (state.sharpness[1], state.sharpness[2]),
        }
        for parameter, (first, second) in moments.items():
            self._adam.state[parameter] = {
                "step": torch.tensor(float(state.step), device=device),
                "exp_avg": torch.tensor(first, device=device),
                "exp_avg_sq": torch.tensor(second, device=device),
            }

    def learn(self, batch: Batch) -> None:
        """Take a step."""
        for group in self._adam.param_groups:
            group["lr"] = self._settings.rate * _cosine_decay(self.step / self._settings.steps)
        sets = pool(self._table, batch.tokens)
        left, right = sets.chunk(2)
        ours = similarities(left, right, self._settings.measure)
        teachers = _products(batch.teachers)
        self._adam.zero_grad()
        loss(ours, teachers, self._sharpness).backward()
        self._adam.step()
        self.step += 1

    def table(self) -> Table:
        """Give the vectors of the words."""
        return _array(self._table)

    def state(self) -> State:
        """Give all that training goes on from."""
        table, sharpness = (self._adam.state[each] for each in (self._table, self._sharpness))
        moments = (_array(sharpness[name]) for name in ("exp_avg", "exp_avg_sq"))
        return State(
            self.step,
            self.table(),
            _array(table["exp_avg"]),
            _array(table["exp_avg_sq"]),
            np.array([_array(self._sharpness), *moments], np.float32),
        )


def _cosine_decay(part: float) -> float:
    return (1 + math.cos(math.pi * part)) / 2


def _products(pairs: Tensor) -> Tensor:
    left, right = pairs.chunk(2)
    return left @ right.T


def _array(tensor: Tensor) -> Table:
    array: Table = tensor.detach().cpu().numpy()
    return array
