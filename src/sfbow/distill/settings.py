"""What a distillation is told."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from sfbow.errors import OptionError
from sfbow.measures import Measure, check_measure
from sfbow.options import check_count, check_positive

Device = Literal["auto", "cpu", "cuda"]
_DEVICES = ("auto", "cpu", "cuda")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a model is distilled; the defaults are docs/distillation.md's recipe.

    Parameters
    ----------
    words
        The size of the vocabulary, at most.
    dim
        The axes, each of which gives two fuzzy sets. Not given: 256, or as many as the start has
        where that is fewer or is a model of sfbow.
    measure
        The similarity that is trained, and that the model has.
    steps
        The batches to learn from; 0 leaves the start as it is.
    batch
        The pairs of a batch, each compared with each.
    rate
        The learning rate of Adam, which falls to 0 along half a cosine.
    neighbours
        The sentences most similar to each, of which a batch takes one at random.
    longest
        The words of a sentence, at most, by the spaces between; longer ones are left out. In any
        case the first 64 known words of a sentence count.
    held_out
        The sentences to measure on, at most a tenth of all. They do not depend on the seed, so
        that several runs, and their mean, are measured on the same.
    sif
        The a of the start's weights, a / (a + share of the word).
    runs
        Trainings from one start, of this seed and the next ones; the mean of their tables is
        the model.
    seed
        Of the first run's batches. On one device and version of PyTorch, one seed gives one model.
    device
        Where to compute; "auto" is "cuda" where there is such a device.
    """

    words: int = 63_000
    dim: int | None = None
    measure: Measure = "hellinger"
    steps: int = 4500
    batch: int = 1024
    rate: float = 1e-2
    neighbours: int = 16
    longest: int = 20
    held_out: int = 2000
    sif: float = 1e-2
    runs: int = 1
    seed: int = 0
    device: Device = "auto"

    def __post_init__(self) -> None:
        for name, least in _COUNTS.items():
            check_count(name, getattr(self, name), least=least)
        if self.dim is not None:
            check_count("dim", self.dim, least=1)
        check_positive("rate", self.rate)
        check_positive("sif", self.sif)
        check_measure(self.measure)
        if self.device not in _DEVICES:
            raise OptionError("device", expected=" or ".join(_DEVICES), found=self.device)

    def single_runs(self) -> "list[Settings]":
        """Give the settings of each run."""
        return [replace(self, runs=1, seed=self.seed + run) for run in range(self.runs)]

    def as_dict(self) -> dict[str, Any]:
        """Give all that decides about the result, for JSON."""
        settings = asdict(self)
        del settings["device"]
        return settings


_COUNTS = {
    "words": 1,
    "steps": 0,
    "batch": 2,
    "neighbours": 1,
    "longest": 1,
    "held_out": 2,
    "runs": 1,
    "seed": 0,
}
