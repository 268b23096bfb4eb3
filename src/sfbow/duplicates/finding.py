"""Find near-duplicates: the groups that similar pairs connect, or the pairs one by one."""

from collections.abc import Iterator
from typing import Any

from sfbow.duplicates.results import DuplicatePair, Duplicates
from sfbow.duplicates.search import Search
from sfbow.measures import Measure
from sfbow.model import SFBoW


def find_duplicates(
    texts: Any,  # noqa: ANN401 - whatever holds texts
    *,
    model: SFBoW | None = None,
    threshold: float = 0.9,
    measure: Measure = "jaccard",
    threads: int | None = None,
    show_progress_bar: bool = False,
) -> Duplicates:
    """Group texts that are nearly the same: any two with a similarity of the threshold or more.

    Every pair counts, none is missed. A group holds all texts that such pairs connect, directly or
    over others, and its first text represents it.

    Parameters
    ----------
    texts
        Whatever `SFBoW.encode` takes, or a matrix that it gave.
    model
        What encodes the texts: the model inside the package if not given.
    threshold
        The least similarity of two duplicates, above 0 and up to 1.
    measure
        "jaccard", "otsuka", "dice" or "hellinger". Jaccard is the strictest, and the fastest.
    threads
        How many threads to use: one for each core if not given.
    show_progress_bar
        Whether to show progress bars on standard error.

    Notes
    -----
    Similarities are those of memberships in 8 bits, which `Levels` tells the effect of. Texts that
    are the same are duplicates even without a known word; otherwise a text without one is none,
    and a row of zeros never is.
    """
    search = Search(texts, model, threshold, measure, threads, show_progress_bar)
    return search.duplicates()


def duplicate_pairs(
    texts: Any,  # noqa: ANN401 - whatever holds texts
    *,
    model: SFBoW | None = None,
    threshold: float = 0.9,
    measure: Measure = "jaccard",
    threads: int | None = None,
    show_progress_bar: bool = False,
) -> Iterator[DuplicatePair]:
    """Yield every pair of texts with a similarity of at least the threshold, as it is found.

    The options are those of `find_duplicates`. The order is always the same, but not sorted.
    """
    search = Search(texts, model, threshold, measure, threads, show_progress_bar)
    return search.pairs()
