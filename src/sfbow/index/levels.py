"""Memberships as an index stores them: levels of 8 or 4 bits with one scale, or float32."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.errors import InputError, OptionError
from sfbow.matrices import checked_matrix
from sfbow.measures import Measure, check_measure
from sfbow.options import check_count, check_positive

if TYPE_CHECKING:
    from sfbow.model import SFBoW

Storage = Literal["8-bit", "4-bit", "float32"]
Rows = NDArray[Any]  # of uint8, or of float32
Masses = NDArray[Any]  # of int64, or of float64

_HIGHEST = {"8-bit": 255, "4-bit": 15}
_REACH_OF_4_BITS = 0.55  # of the largest membership: few are as large, and small ones gain
_HEAVIEST = 2.0**126  # a row of float32, so that two together are finite
_ALIGNED = 64  # bytes that a vector unit may take at once: a row is a multiple of them
_WIDEST = 1 << 15  # levels of a row, so that 255² times as many fit into 32 bits
_LARGEST = 127  # of memberships that a model has in 8 bits
_BEST_FOR_ROOTS = 247  # the level of their root by which the roots of all smaller ones fit best
_REPEATS = 4  # of a word in a text, where they count: more are clipped


class Stored(NamedTuple):
    """Rows as an index keeps them, and the mass of each: Σx of its levels, or Σx² of roots."""

    rows: Rows
    masses: Masses


@dataclass(frozen=True)
class Levels:
    """How memberships μ become what is stored: x = round(μ / scale), or round(√μ / scale).

    Roots are for Hellinger's affinity, which so is the cosine of the levels. A row is zero-padded
    to a multiple of 64 bytes; its mass A is Σx, or Σx² of roots. Levels end at 255 or 15, and
    float32 has no levels: x = μ or √μ.

    As no membership moves by more than half a step, a score from levels differs from that of
    float32 by at most u / max(A, B) for Jaccard, 2u / (A + B) for Dice, u / min(A, B) for Otsuka
    and √(u/A) + √(u/B) for Hellinger's affinity, where u is ``size``; in practice by a hundredth of
    it. That is so while no membership exceeds ``largest``: what does is stored as that. Scales
    chosen for 4 bits let that happen to the largest, as most are far smaller.

    Parameters
    ----------
    storage
        "8-bit", "4-bit" or "float32".
    measure
        The similarity that is meant.
    size
        The number u of fuzzy sets.
    scale
        The step between two levels; of no effect with float32.
    """

    storage: Storage
    measure: Measure
    size: int
    scale: float = 1.0

    def __post_init__(self) -> None:
        if self.storage not in get_args(Storage):
            expected = " or ".join(get_args(Storage))
            raise OptionError("storage", expected=expected, found=self.storage)
        check_measure(self.measure)
        check_count("size", self.size, least=1)
        check_positive("scale", self.scale)
        if self.storage != "float32" and self.size > _WIDEST:
            raise OptionError(
                "storage", expected=f"float32 beyond {_WIDEST:,} fuzzy sets", found=self.storage
            )

    @classmethod
    def for_model(
        cls, model: "SFBoW", storage: Storage = "8-bit", *, measure: Measure | None = None
    ) -> "Levels":
        """Choose the scale by the largest membership that a text of known words can have.

        The measure is the model's own if none is given. Memberships that the model has in 8 bits
        keep their steps, so that nothing is lost; of their roots little is.
        """
        measure = measure or model.measure
        memberships = model.memberships
        if memberships.dtype == np.int8:
            largest = _LARGEST * memberships.scale
        else:
            signed = model.universe.is_signed
            blocks = (np.abs(block) if signed else block for block in memberships.blocks())
            largest = max(float(block.max(initial=0)) for block in blocks) * memberships.scale
        if model.counts:
            largest *= _REPEATS
        elif memberships.dtype == np.int8 and storage == "8-bit":
            if measure == "hellinger":
                return cls(storage, measure, model.size, largest**0.5 / _BEST_FOR_ROOTS)
            return cls(storage, measure, model.size, memberships.scale)
        return cls._reaching(largest, storage, measure, model.size)

    @classmethod
    def for_vectors(
        cls, vectors: NDArray[Any], measure: Measure, storage: Storage = "8-bit"
    ) -> "Levels":
        """Choose the scale by the largest membership of these vectors."""
        checked = checked_matrix(vectors, "memberships")
        return cls._reaching(float(checked.max()), storage, measure, checked.shape[1])

    @classmethod
    def _reaching(cls, largest: float, storage: Storage, measure: Measure, size: int) -> "Levels":
        check_measure(measure)
        if storage == "4-bit":
            largest *= _REACH_OF_4_BITS
        # Vectors below 0 are refused when they are stored.
        reach = max(0.0, largest) ** 0.5 if measure == "hellinger" else largest
        # The step is rounded to float32, as memberships are.
        step = float(np.float32(reach / _HIGHEST.get(storage, 1)))
        return cls(storage, measure, size, step if step > 0 and storage in _HIGHEST else 1.0)

    @property
    def has_roots(self) -> bool:
        """Whether √μ is stored."""
        return self.measure == "hellinger"

    @property
    def largest(self) -> float:
        """The largest membership that is stored as it is."""
        if self.storage == "float32":
            return float(np.finfo(np.float32).max)
        reach = _HIGHEST[self.storage] * self.scale
        return reach**2 if self.has_roots else reach

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of what a row consists of."""
        return np.dtype(np.float32 if self.storage == "float32" else np.uint8)

    @property
    def mass_dtype(self) -> np.dtype[Any]:
        """The type of masses."""
        return np.dtype(np.float64 if self.storage == "float32" else np.int64)

    @property
    def width(self) -> int:
        """How many numbers of that type a row has."""
        used = -(-self.size // 2) if self.storage == "4-bit" else self.size
        unit = _ALIGNED // self.dtype.itemsize
        return -(-used // unit) * unit

    @property
    def unpacked_width(self) -> int:
        """How many numbers a row has once it is unpacked."""
        return 2 * self.width if self.storage == "4-bit" else self.width

    def room(self, count: int) -> Stored:
        """Give rows and masses to be filled."""
        return Stored(np.empty((count, self.width), self.dtype), np.empty(count, self.mass_dtype))

    def store(self, memberships: NDArray[Any]) -> Stored:
        """Turn memberships, as `encode` gives them, into rows and masses."""
        vectors = self._checked(memberships)
        stored = self.room(len(vectors))
        if self.storage == "float32":
            right = kernels.store_floats(vectors, self.has_roots, *stored)
        else:
            store = kernels.store_bytes if self.storage == "8-bit" else kernels.store_nibbles
            right = store(vectors, self.scale, self.has_roots, *stored)
        if not (right and (stored.masses <= _HEAVIEST).all()):
            raise InputError(
                "memberships: expected numbers from 0 up, found negative ones, NaN or too large; "
                "give what encode returns"
            )
        return stored

    def _checked(self, memberships: NDArray[Any]) -> NDArray[np.float32]:
        given = np.asarray(memberships)
        if given.dtype.kind not in "fiu" or given.ndim != 2 or given.shape[1] != self.size:
            raise InputError(
                f"memberships: expected rows of {self.size} numbers, found {given.dtype} of shape "
                f"{given.shape}; give what encode returns for a list of texts"
            )
        with np.errstate(over="ignore"):  # the kernels refuse infinity
            return np.ascontiguousarray(given, np.float32)

    def unpacked(self, stored: Stored) -> Stored:
        """Give a number for each level, as kernels compare them: 4-bit rows become bytes."""
        if self.storage != "4-bit":
            return stored
        rows = np.empty((len(stored.rows), self.unpacked_width), np.uint8)
        kernels.unpack(stored.rows, rows)
        return Stored(rows, stored.masses)
