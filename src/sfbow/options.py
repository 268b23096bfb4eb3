"""Checks of numeric options."""

import math
from operator import index

import numpy as np

from sfbow.errors import OptionError


def check_count(option: str, value: int, *, least: int) -> None:
    """Refuse what is not a whole number of at least `least`."""
    try:
        fits = not isinstance(value, bool) and index(value) >= least
    except TypeError:
        fits = False
    if not fits:
        raise OptionError(option, expected=f"a whole number from {least}", found=value)


def check_flag(option: str, value: object) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool | np.bool_):
        raise OptionError(option, expected="True or False", found=value)


def check_positive(option: str, value: float, *, most: float = math.inf) -> None:
    """Refuse what is not a finite number above 0 and up to `most`."""
    limit = "" if most == math.inf else f" up to {most:g}"
    try:
        fits = not isinstance(value, bool) and 0 < value <= most and math.isfinite(value)
    except TypeError:
        fits = False
    if not fits:
        raise OptionError(option, expected=f"a number above 0{limit}", found=value)
