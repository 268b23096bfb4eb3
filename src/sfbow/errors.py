"""What can go wrong, as a tree.

SfbowError
├── VectorFileError     a word-vector file is not what it claims to be   (also a ValueError)
├── ModelFolderError    a folder (model, index) is missing, damaged or too new  (also a ValueError)
├── FolderBusyError     somebody else is writing to an index             (also a BlockingIOError)
├── InputError          texts, tables or arrays that cannot be used      (also a ValueError)
├── OptionError         an option has a value that it cannot have        (also a ValueError)
└── MissingExtraError   an optional dependency is not installed          (also an ImportError)

SfbowWarning            something was repaired or left out, and how often

Every message is one line: what and where, expected, found, and the cure.
"""

from pathlib import Path


class SfbowError(Exception):
    """The root of all errors that sfbow raises on purpose."""


class _FileError(SfbowError, ValueError):
    """A file or folder at fault; ``where`` is a line, a byte or a tensor in it."""

    def __init__(
        self, path: str | Path, where: str = "", *, expected: str, found: str, cure: str
    ) -> None:
        place = f"{path}, {where}" if where else str(path)
        super().__init__(f"{place}: expected {expected}, found {found}; {cure}")
        self.path = Path(path)


class VectorFileError(_FileError):
    """A word-vector file is not what it claims to be."""


class ModelFolderError(_FileError):
    """A model folder is missing, damaged or too new."""


class FolderBusyError(SfbowError, BlockingIOError):
    """Somebody else is writing to an index."""


class InputError(SfbowError, ValueError):
    """Texts, tables or arrays that cannot be used."""


class OptionError(SfbowError, ValueError):
    """An option has a value that it cannot have."""

    def __init__(self, option: str, *, expected: str, found: object) -> None:
        super().__init__(f"{option}: expected {expected}, found {found!r}")


class MissingExtraError(SfbowError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose}: packages are missing; pip install 'sfbow[{extra}]'")


class SfbowWarning(UserWarning):
    """Something was repaired or left out, and how often."""
