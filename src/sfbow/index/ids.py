"""Ids: strings or whole numbers, the user's own, packed so that a vocabulary finds their rows."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, cast

import numpy as np

from sfbow.errors import InputError
from sfbow.index.columns import values
from sfbow.text import Texts

Id = str | int
IdKind = Literal["strings", "integers"]

_WIDTH = 8  # bytes of a number, the lowest first


def listed(ids: Iterable[Id]) -> Sequence[Id]:
    """Give ids that know their number."""
    if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
        raise InputError(
            f"ids: expected a list of strings or whole numbers, found {type(ids).__name__}; "
            "put a single id into a list"
        )
    if isinstance(ids, np.ndarray):
        return list(ids.tolist())
    return ids if isinstance(ids, list | tuple) else list(ids)


def kind_of(ids: Sequence[Any]) -> IdKind:
    """Tell which kind the ids are, which must be one."""
    kinds = set(map(type, ids))
    if all(map(_is_string, kinds)):
        return "strings"
    if all(map(_is_whole, kinds)):
        return "integers"
    fits = _is_string if isinstance(ids[0], str) else _is_whole
    place = next(place for place, one in enumerate(ids) if not fits(type(one)))
    raise InputError(
        f"ids: expected strings only or whole numbers only, found {ids[place]!r:.100} "
        f"at place {place}; convert them with str"
    )


def fits(number: Id) -> bool:
    """Whether a number has no more than 64 bits."""
    return isinstance(number, int) and -(1 << 63) <= number < 1 << 63


def _is_string(kind: type) -> bool:
    return issubclass(kind, str)


def _is_whole(kind: type) -> bool:
    return issubclass(kind, int | np.integer) and kind is not bool


def pack_ids(ids: Sequence[Id], kind: IdKind | None) -> Texts:
    """Put ids into one buffer; they must be of the kind that the index has, if it has one."""
    if len(ids) == 0:
        return Texts.of([])
    found = kind_of(ids)
    if kind is not None and found != kind:
        raise InputError(
            f"ids: expected {kind}, as the index has, found {ids[0]!r:.100}; convert them"
        )
    if found == "strings":
        return Texts.of(cast("Sequence[str]", ids))
    try:
        numbers = np.fromiter(ids, "<i8", len(ids))
    except OverflowError:
        raise InputError(
            "ids: expected numbers of 64 bits, found a larger one; convert them with str"
        ) from None
    return Texts(numbers.view(np.uint8), np.arange(0, _WIDTH * len(ids) + 1, _WIDTH))


def unpack_ids(texts: Texts, kind: IdKind) -> list[Id]:
    """Give the ids that were packed; damaged ones are a ValueError."""
    packed = values(texts)
    if kind == "strings":
        return [one.decode("utf-8", "surrogatepass") for one in packed]
    return [int.from_bytes(one, "little", signed=True) for one in packed]
