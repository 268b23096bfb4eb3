"""What building a universe brought to light."""

from dataclasses import asdict, dataclass
from typing import Any

from sfbow.errors import InputError


@dataclass(frozen=True)
class UniverseReport:
    """How a universe was built and how well it fits; what does not apply is None.

    Attributes
    ----------
    kind
        "matrix", "identity", "pca", "ica", "kmeans", "spherical_kmeans" or "dbscan".
    words
        The number of word vectors that the universe was built from.
    seconds
        The time that took.
    seed
        The seed of the random start.
    iterations, converged
        The rounds done, and whether the search had come to rest by then.
    explained_variance
        For each axis u, Σ (u·w)² over the words divided by their number.
    clusters
        The number of clusters.
    noise_share
        The share of the words that belong to no cluster.
    wcsos, bcsos
        Within-cluster and between-cluster sum of squares, over the words that are in clusters.
    """

    kind: str
    words: int | None = None
    seconds: float | None = None
    seed: int | None = None
    iterations: int | None = None
    converged: bool | None = None
    explained_variance: tuple[float, ...] | None = None
    clusters: int | None = None
    noise_share: float | None = None
    wcsos: float | None = None
    bcsos: float | None = None

    @property
    def explained_variance_share(self) -> tuple[float, ...] | None:
        """The explained variance of each axis as a share of that of all."""
        if self.explained_variance is None:
            return None
        total = sum(self.explained_variance)
        return tuple(variance / total if total else 0.0 for variance in self.explained_variance)

    def as_dict(self) -> dict[str, Any]:
        """Return what is known as JSON values."""
        known = {name: value for name, value in asdict(self).items() if value is not None}
        if self.explained_variance is not None:
            known["explained_variance"] = list(self.explained_variance)
        return known

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "UniverseReport":
        """Restore what `as_dict` returned."""
        unknown = sorted(values.keys() - cls.__dataclass_fields__.keys())
        if unknown or "kind" not in values:
            raise InputError(
                f"universe report: expected a kind and known fields, found {sorted(values)}; "
                "use a report written by as_dict"
            )
        restored = dict(values)
        if "explained_variance" in restored:
            restored["explained_variance"] = tuple(restored["explained_variance"])
        return cls(**restored)
