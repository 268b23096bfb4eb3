"""The model of an index: kept by its name and fingerprint, and found again."""

from pathlib import Path

from sfbow.errors import InputError, SfbowError
from sfbow.index.manifest import ModelEntry
from sfbow.model import SFBoW

_INSIDE = "./model"  # where a model that was never saved goes to


def opened(model: SFBoW | str | Path | None) -> SFBoW | None:
    """Give a model, of which the folder or name on the hub may be given."""
    return SFBoW.from_pretrained(model) if isinstance(model, str | Path) else model


def remember(model: SFBoW, folder: Path) -> tuple[SFBoW, ModelEntry]:
    """Note where a model is; one that was never saved is saved within the index."""
    name = model.name
    if model.fingerprint is None:
        name = _INSIDE
        model.save_pretrained(folder / name)
        model = SFBoW.from_pretrained(folder / name)
    return model, ModelEntry(name, str(model.fingerprint))


def find_again(entry: ModelEntry, folder: Path) -> SFBoW:
    """Open the model of an index."""
    name = entry.name
    where: str | Path | None = folder / name if name is not None and name[:2] == "./" else name
    try:
        model = SFBoW.from_pretrained(where, local_files_only=True)
    except SfbowError as error:
        raise InputError(
            f"{folder}: its model cannot be opened; tell where it is: {error}"
        ) from None
    check(model, entry, folder)
    return model


def check(model: SFBoW, entry: ModelEntry | None, folder: Path) -> None:
    """Refuse a model whose sets are not those of the index."""
    if entry is None:
        raise InputError(
            f"{folder}: expected no model, as the index has vectors only, found {model!r}; "
            "leave it out"
        )
    if model.fingerprint != entry.fingerprint:
        found = "one that was never saved" if model.fingerprint is None else model.fingerprint[:12]
        raise InputError(
            f"{folder}: expected the model {entry.fingerprint[:12]}, with which it was made, "
            f"found {found}; give that model, or index the texts again"
        )
