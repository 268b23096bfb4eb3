"""The hot loops, compiled by numba when one of them is first used.

Each is a small function of typed arrays with its formula in the docstring; its plain definition
stands in the tests. Importing this package is free: numba loads with the first kernel.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfbow.kernels.averages import average as average
    from sfbow.kernels.averages import average_with_ngrams as average_with_ngrams
    from sfbow.kernels.compare import mass as mass
    from sfbow.kernels.compare import product_by_pair as product_by_pair
    from sfbow.kernels.compare import shared_by_pair as shared_by_pair
    from sfbow.kernels.compare import shared_by_row as shared_by_row
    from sfbow.kernels.distances import bray_curtis as bray_curtis
    from sfbow.kernels.distances import cosine_distance as cosine_distance
    from sfbow.kernels.distances import otsuka_distance as otsuka_distance
    from sfbow.kernels.dynamax import overlap_in_own_universe as overlap_in_own_universe
    from sfbow.kernels.gradients import shared_gradient as shared_gradient
    from sfbow.kernels.join import distances_of_pairs as distances_of_pairs
    from sfbow.kernels.join import near_rows as near_rows
    from sfbow.kernels.join import products_of_pairs as products_of_pairs
    from sfbow.kernels.join import sketch_rows as sketch_rows
    from sfbow.kernels.levels import store_bytes as store_bytes
    from sfbow.kernels.levels import store_floats as store_floats
    from sfbow.kernels.levels import store_nibbles as store_nibbles
    from sfbow.kernels.neighbours import flatten as flatten
    from sfbow.kernels.neighbours import join_neighbours as join_neighbours
    from sfbow.kernels.neighbours import join_pairs as join_pairs
    from sfbow.kernels.neighbours import lower_to_neighbours as lower_to_neighbours
    from sfbow.kernels.neighbours import mark_neighbours as mark_neighbours
    from sfbow.kernels.numbers import first_not_finite as first_not_finite
    from sfbow.kernels.numbers import parse_lines as parse_lines
    from sfbow.kernels.pool import pool as pool
    from sfbow.kernels.ranking import keep_above as keep_above
    from sfbow.kernels.ranking import keep_best as keep_best
    from sfbow.kernels.records import split_entries as split_entries
    from sfbow.kernels.records import split_rows as split_rows
    from sfbow.kernels.rounding import round_to_levels as round_to_levels
    from sfbow.kernels.rows import hash_rows as hash_rows
    from sfbow.kernels.rows import reorder_rows as reorder_rows
    from sfbow.kernels.shared import product_bytes as product_bytes
    from sfbow.kernels.shared import shared_bytes as shared_bytes
    from sfbow.kernels.shared import shared_floats as shared_floats
    from sfbow.kernels.shared import unpack as unpack
    from sfbow.kernels.subwords import average_subwords as average_subwords
    from sfbow.kernels.tokens import find_tokens as find_tokens
    from sfbow.kernels.tokens import fold as fold
    from sfbow.kernels.vocabulary import add_words as add_words
    from sfbow.kernels.vocabulary import fill_table as fill_table
    from sfbow.kernels.vocabulary import find_exact as find_exact
    from sfbow.kernels.vocabulary import gather_bytes as gather_bytes
    from sfbow.kernels.words import find_words as find_words

_MODULES = {
    "averages": ("average", "average_with_ngrams"),
    "compare": ("mass", "product_by_pair", "shared_by_pair", "shared_by_row"),
    "distances": ("bray_curtis", "cosine_distance", "otsuka_distance"),
    "dynamax": ("overlap_in_own_universe",),
    "gradients": ("shared_gradient",),
    "join": ("distances_of_pairs", "near_rows", "products_of_pairs", "sketch_rows"),
    "levels": ("store_bytes", "store_floats", "store_nibbles"),
    "neighbours": (
        "flatten",
        "join_neighbours",
        "join_pairs",
        "lower_to_neighbours",
        "mark_neighbours",
    ),
    "numbers": ("first_not_finite", "parse_lines"),
    "pool": ("pool",),
    "records": ("split_entries", "split_rows"),
    "ranking": ("keep_above", "keep_best"),
    "rows": ("hash_rows", "reorder_rows"),
    "shared": ("product_bytes", "shared_bytes", "shared_floats", "unpack"),
    "rounding": ("round_to_levels",),
    "subwords": ("average_subwords",),
    "tokens": ("find_tokens", "fold"),
    "vocabulary": ("add_words", "fill_table", "find_exact", "gather_bytes"),
    "words": ("find_words",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any kernel
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    kernel = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = kernel
    return kernel
