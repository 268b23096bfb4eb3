"""A bar for work that comes in parts of several sizes."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

Part = TypeVar("Part")


def shown(
    parts: Iterable[Part],
    size: Callable[[Part], int],
    *,
    total: int,
    unit: str,
    show: bool,
    scale: bool = False,
) -> Iterator[Part]:
    """Pass the parts on, and show how far that is; large numbers as 1.2M if they ``scale``."""
    if not show:  # as tqdm starts a thread even for a bar that is not shown
        yield from parts
        return
    with tqdm(total=total, unit=unit, unit_scale=scale) as bar:
        for part in parts:
            yield part
            bar.update(size(part))
