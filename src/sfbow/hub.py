"""Where a model is: inside the package, in a folder, or on the Hugging Face hub."""

import re
from pathlib import Path

from sfbow.errors import InputError, MissingExtraError, ModelFolderError

_HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")
EMBEDDED = Path(__file__).with_name("data") / "model"


def find_model(
    name: str | Path | None, *, revision: str | None = None, local_files_only: bool = False
) -> Path:
    """Give the folder of a model; only a name "owner/name" that is no path asks the network."""
    if name is None:
        return EMBEDDED
    path = Path(name)
    if path.exists() or isinstance(name, Path) or not _HUB_NAME.fullmatch(name):
        return path
    if path.parent.exists():
        raise ModelFolderError(
            path, expected="a model folder", found="no such folder", cure="check the path"
        )
    return _download(name, revision, local_files_only)


def lasting_name(name: str | Path | None) -> str | None:
    """Give the name that finds the same model from any folder."""
    if name is None:
        return None
    return str(Path(name).resolve()) if Path(name).exists() else str(name)


def _download(name: str, revision: str | None, local_files_only: bool) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingExtraError(f"a model from the hub ({name})", "hub") from None
    try:
        folder = snapshot_download(
            name,
            revision=revision,
            local_files_only=local_files_only,
            allow_patterns=["config.json", "*.safetensors", "README.md"],
        )
    except (OSError, ValueError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(
            f"{name}: expected a folder or a model on the hub, found neither ({reason}); "
            "check the name and the connection"
        ) from None
    return Path(folder)
