"""The bytes of a vector file, unpacked on the way: read in order, never mapped.

A mapped file that another program cuts short kills the process; a read of it only comes up
short. Nothing is opened that could block, and a packed file may not unpack without end.
"""

import bz2
import gzip
import io
import lzma
import os
import stat
import weakref
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from sfbow.errors import VectorFileError

# Vectors in decimal notation shrink to between a half and a fifth.
MOST_UNPACKED_PER_BYTE = 100
_ALWAYS_UNPACKED = 64 << 20

_LONGEST_LIST = 5

Result = TypeVar("Result")
Readable = io.FileIO | io.BufferedIOBase
Unpacker = Callable[[Path, io.FileIO], Readable]

_DAMAGED = (
    OSError,
    EOFError,
    RuntimeError,  # an encrypted member of a zip file
    NotImplementedError,  # a packing method of zip that Python does not know
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
)


class Source:
    """An open file; ``packing`` names what it is packed with, ``size`` is None if it is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        descriptor = _open_regular(path)
        self.close = weakref.finalize(self, os.close, descriptor)
        file = io.FileIO(descriptor, closefd=False)
        self._file_size = os.fstat(descriptor).st_size
        self.packing, unpack = _packing(file.read(8))
        file.seek(0)
        self.size: int | None = self._file_size
        self._unpacked = 0
        self._file: Readable = file
        if unpack:
            self.size = None
            self._file = self._guard(lambda: unpack(path, file))

    def readinto(self, target: memoryview) -> int:
        """Read up to as many bytes as there is room; 0 is the file's end."""
        count = self._guard(lambda: self._file.readinto(target)) or 0
        self._unpacked += count
        allowed = self._file_size * MOST_UNPACKED_PER_BYTE + _ALWAYS_UNPACKED
        if self.packing and self._unpacked > allowed:
            raise VectorFileError(
                self.path,
                expected=f"at most {MOST_UNPACKED_PER_BYTE} bytes from each packed one",
                found=f"{self._unpacked} bytes from the first {self._file_size} or fewer",
                cure="unpack the file yourself if you trust it",
            )
        return count

    def seek(self, position: int) -> None:
        """Go on at another byte of a file that is not packed."""
        self._file.seek(position)

    def _guard(self, action: Callable[[], Result]) -> Result:
        try:
            return action()
        except _DAMAGED as error:
            raise VectorFileError(
                self.path,
                expected=f"a whole {self.packing} file" if self.packing else "a readable file",
                found=str(error) or type(error).__name__,
                cure="copy or download it again",
            ) from None


def _open_regular(path: Path) -> int:
    # Without O_NONBLOCK the opening of a named pipe waits for a writer.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        raise VectorFileError(
            path,
            expected="a readable file",
            found=(error.strerror or str(error)).lower(),
            cure="check the path and its permissions",
        ) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise VectorFileError(
            path,
            expected="a regular file",
            found="a pipe, device or socket",
            cure="write its contents to a file first",
        )
    return descriptor


def _packing(head: bytes) -> tuple[str, Unpacker | None]:
    for magic, name, unpack in _PACKINGS:
        if head.startswith(magic):
            return name, unpack
    return "", None


def _open_zip(path: Path, file: io.FileIO) -> Readable:
    archive = zipfile.ZipFile(file)
    members = [member for member in archive.infolist() if not member.is_dir()]
    names = [member.filename for member in members]
    if any(name == "data.pkl" or name.endswith("/data.pkl") for name in names):
        raise VectorFileError(
            path,
            expected="word vectors",
            found="a PyTorch file, which holds a pickle and could run any code",
            cure="save its words and vectors as text or safetensors in the program it is from",
        )
    if len(members) != 1:
        listed = ", ".join(map(repr, names[:_LONGEST_LIST]))
        more = ", …" if len(names) > _LONGEST_LIST else ""
        raise VectorFileError(
            path,
            expected="a zip archive of exactly one file",
            found=f"{len(names)} files: {listed}{more}" if names else "no file",
            cure="unpack it and name the file with the vectors",
        )
    return cast("io.BufferedIOBase", archive.open(members[0]))


def _open_gzip(_: Path, file: io.FileIO) -> Readable:
    return gzip.GzipFile(fileobj=file)


def _open_xz(_: Path, file: io.FileIO) -> Readable:
    return lzma.LZMAFile(file)


def _open_bzip2(_: Path, file: io.FileIO) -> Readable:
    return bz2.BZ2File(file)


_PACKINGS: tuple[tuple[bytes, str, Unpacker], ...] = (
    (b"\x1f\x8b", "gzip", _open_gzip),
    (b"\xfd7zXZ\0", "xz", _open_xz),
    (b"BZh", "bzip2", _open_bzip2),
    (b"PK\3\4", "zip", _open_zip),
    (b"PK\5\6", "zip", _open_zip),
)
