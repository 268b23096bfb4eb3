"""What a batch is to learn: that its similarities are the teacher's, up to scale and shift."""

from collections.abc import Callable

from torch import Tensor

from sfbow.distill.shared_mass import shared_mass
from sfbow.measures import Measure

SHARPNESS = 20.0  # of the teacher's cosines before the softmax
_TINY = 1e-12
_SMALLEST = 1e-4


def similarities(a: Tensor, b: Tensor, measure: Measure) -> Tensor:
    """Compare each fuzzy set of ``a`` with each of ``b``, as `sfbow.similarity` does."""
    if measure == "hellinger":
        return _unit_roots(a) @ _unit_roots(b).T
    shared = shared_mass(a, b)
    return _FORMULAS[measure](shared, a.sum(1)[:, None], b.sum(1)[None, :])


def _unit_roots(sets: Tensor) -> Tensor:
    """Give √a / √Σa."""
    roots = _root(sets)
    unit: Tensor = roots / roots.norm(dim=1, keepdim=True).clamp_min(_TINY)
    return unit


def _root(sets: Tensor) -> Tensor:
    root: Tensor = (sets + _SMALLEST).sqrt() - _SMALLEST**0.5
    return root


def _jaccard(shared: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return shared / (a + b - shared).clamp_min(_TINY)


def _otsuka(shared: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return shared / (a.clamp_min(_TINY) * b.clamp_min(_TINY)).sqrt()


def _dice(shared: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return 2 * shared / (a + b).clamp_min(_TINY)


_FORMULAS: dict[Measure, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "jaccard": _jaccard,
    "otsuka": _otsuka,
    "dice": _dice,
}


def loss(ours: Tensor, teachers: Tensor, log_sharpness: Tensor) -> Tensor:
    """(1 − Pearson's correlation of all entries) + KL(softmax rows of the teacher ‖ ours)."""
    target = (SHARPNESS * teachers).log_softmax(1)
    learned = (log_sharpness.exp() * ours).log_softmax(1)
    divergence = (target.exp() * (target - learned)).sum(1).mean()
    total: Tensor = 1 - _pearson(ours, teachers) + divergence
    return total


def _pearson(a: Tensor, b: Tensor) -> Tensor:
    a, b = a - a.mean(), b - b.mean()
    correlation: Tensor = (a * b).sum() / (a.norm() * b.norm()).clamp_min(_TINY)
    return correlation
