"""What a model consists of, and how a folder holds it."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfbow.errors import InputError
from sfbow.measures import Measure, check_measure
from sfbow.memberships import ComputedMemberships, Memberships, StoredMemberships
from sfbow.options import check_positive
from sfbow.safetensors import TensorSource
from sfbow.storage import Folder, damaged, open_folder, save_folder
from sfbow.tensors import (
    open_subwords,
    open_vocabulary,
    subword_config,
    subword_tensors,
    vocabulary_tensors,
)
from sfbow.text import Tokenizer
from sfbow.universe import Universe
from sfbow.universe_report import UniverseReport
from sfbow.unknown import UnknownWords
from sfbow.vocabulary import Vocabulary

KIND = "model"
# A universe with more axes than this many times the dimensions is kept apart from the words:
# multiplied with them it would fill the disk.
_WIDEST = 4
_DECISIVE = ("tokenizer", "counts", "scale", "subwords", "unknown")  # for the sets of texts


@dataclass(frozen=True)
class ModelParts:
    """All that a model is made of."""

    vocabulary: Vocabulary
    memberships: Memberships
    universe: Universe
    unknown: UnknownWords | None
    tokenizer: Tokenizer
    counts: bool
    measure: Measure
    recipe: dict[str, Any]
    fingerprint: str | None = None  # of its folder, if it comes from one


def save_model(path: Path, parts: ModelParts) -> None:
    """Write a model's folder."""
    config = {
        "recipe": parts.recipe,
        "tokenizer": asdict(parts.tokenizer),
        "counts": parts.counts,
        "measure": parts.measure,
        "scale": parts.memberships.scale,
        "universe": {
            "signed": parts.universe.is_signed,
            "report": parts.universe.report.as_dict(),
        },
        "unknown": None,
    }
    if parts.unknown is not None:
        config["subwords"] = subword_config(parts.unknown.subwords)
        config["unknown"] = {"weight": parts.unknown.weight}
    save_folder(path, KIND, config, _files(parts))


def _files(parts: ModelParts) -> Iterator[tuple[str, dict[str, TensorSource]]]:
    axes = parts.universe.axes
    memberships = parts.memberships
    if isinstance(memberships, ComputedMemberships) and len(axes) > _WIDEST * axes.shape[1]:
        yield (
            "vectors",
            {
                "vectors": TensorSource.whole(memberships.vectors),
                "weights": TensorSource.whole(memberships.weights),
            },
        )
    else:
        table = TensorSource(memberships.dtype, (len(axes),), memberships.blocks())
        yield "memberships", {"memberships": table}
    yield "universe", {"universe": TensorSource.whole(axes)}
    yield "words", vocabulary_tensors(parts.vocabulary)
    if parts.unknown is not None:
        yield "subwords", subword_tensors(parts.unknown.subwords)


def open_model(path: Path) -> ModelParts:
    """Open a model's folder; its data is mapped."""
    folder = open_folder(path, KIND)
    settings = _settings(folder)
    axes = np.array(folder.tensor("universe", "f4", 2))  # small, and all of it is looked at
    axes.flags.writeable = False
    try:
        universe = Universe(axes, signed=settings.signed, report=settings.report)
    except InputError as error:
        raise damaged(path, "universe", "a universe matrix", str(error)) from None
    memberships, words = _memberships(folder, universe, settings.scale)
    subwords = open_subwords(folder, universe.dim)
    return ModelParts(
        vocabulary=open_vocabulary(folder, words),
        memberships=memberships,
        universe=universe,
        unknown=None
        if subwords is None
        else UnknownWords(subwords, universe, settings.unknown_weight),
        tokenizer=settings.tokenizer,
        counts=settings.counts,
        measure=settings.measure,
        recipe=settings.recipe,
        fingerprint=_fingerprint(folder.config),
    )


def _fingerprint(config: Mapping[str, Any]) -> str:
    """Tell models apart that give other sets: by the settings that matter, and by all data."""
    settings = {key: config.get(key) for key in _DECISIVE}
    settings["signed"] = config["universe"]["signed"]
    settings["files"] = sorted(entry["sha256"] for entry in config["files"].values())
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class _Settings:
    signed: bool
    report: UniverseReport
    scale: float
    tokenizer: Tokenizer
    counts: bool
    measure: Measure
    unknown_weight: float
    recipe: dict[str, Any]


def _settings(folder: Folder) -> _Settings:
    """Read all settings, and nothing else, so that any fault is a fault of the file."""
    config = folder.config
    try:
        check_measure(config["measure"])
        scale, unknown = config["scale"], config["unknown"]
        weight = 0 if config.get("subwords") is None else unknown["weight"]
        check_positive("scale", scale)
        if not 0 <= weight < math.inf:
            raise ValueError(f"weight {weight} of unknown words")
        if not isinstance(config["counts"], bool):
            raise TypeError("counts that are neither true nor false")
        return _Settings(
            signed=bool(config["universe"]["signed"]),
            report=UniverseReport.from_dict(config["universe"]["report"]),
            scale=float(scale),
            tokenizer=Tokenizer(**config["tokenizer"]),
            counts=config["counts"],
            measure=config["measure"],
            unknown_weight=float(weight),
            recipe=dict(config["recipe"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        found = f"{type(error).__name__}: {str(error)[:200]}"
        raise damaged(folder.path, "config.json", "the settings of a model", found) from None


def _memberships(folder: Folder, universe: Universe, scale: float) -> tuple[Memberships, int]:
    """Give the memberships and the number of words that have them."""
    if "memberships" in folder.tensors:
        table = folder.tensor("memberships", "f4 i1", 2)
        _check_width(folder, table.shape[1], len(universe.axes))
        return StoredMemberships(table, scale), len(table)
    vectors = folder.tensor("vectors", "f4", 2)
    weights = folder.tensor("weights", "f4", 1)
    _check_width(folder, vectors.shape[1], universe.dim)
    if len(weights) != len(vectors):
        raise damaged(folder.path, "weights", f"{len(vectors)} numbers", str(len(weights)))
    return ComputedMemberships(vectors, weights, universe, scale), len(vectors)


def _check_width(folder: Folder, found: int, expected: int) -> None:
    if found != expected:
        expectation = f"{expected} columns, as in the universe"
        raise damaged(folder.path, "its tensors", expectation, str(found))
