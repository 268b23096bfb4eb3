"""Get the data of STS from where its authors put it, and check each file."""

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from sfbow.errors import InputError
from sfbow.evaluation.catalogue import Source, checksum, sts_sources
from sfbow.evaluation.sts import sts_folder
from sfbow.evaluation.transfer import Progress, fetch
from sfbow.writers import replacing

_LARGEST = 1 << 24  # bytes of a file
_BROKEN = (BadZipFile, EOFError, NotImplementedError, OSError, RuntimeError, zlib.error)

Watch = Callable[[str], Progress]
"""Called with the name of an edition, gives what is to be told of its transfer."""


def _unwatched(name: str) -> Progress:
    return lambda done, total: None


def download_sts(
    folder: str | Path | None = None,
    *,
    sources: Sequence[Source] | None = None,
    watch: Watch = _unwatched,
) -> Path:
    """Put STS 2012-2016 into a folder, or into the user's cache; what is there and whole, stays.

    Each file is checked before it gets its name. What a broken transfer has brought is kept, and
    the next call goes on from there.
    """
    root = sts_folder() if folder is None else Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    for source in sts_sources() if sources is None else sources:
        if not is_whole(root, source):
            _install(root, source, watch(source.name))
    return root


def is_whole(root: Path, source: Source) -> bool:
    """Whether all files of an edition are there, and are what they should be."""
    paths = {root / source.folder / name: digest for name, digest in source.files.items()}
    return all(
        path.is_file() and checksum(path.name, path.read_bytes()) == digest
        for path, digest in paths.items()
    )


def _install(root: Path, source: Source, progress: Progress) -> None:
    part = root / f".{source.folder}.zip.part"
    _fetch_first(source.urls, part, progress)
    try:
        files = _checked_files(part, source)
    except InputError:
        part.unlink()  # else the next call would go on with what is wrong
        raise
    target = root / source.folder
    target.mkdir(exist_ok=True)
    for name, data in files.items():
        with replacing(str(target / name)) as file:
            file.write(data)
    part.unlink()


def _fetch_first(urls: Sequence[str], part: Path, progress: Progress) -> None:
    """Fetch from the first address that answers."""
    for url in urls[:-1]:
        try:
            return fetch(url, part, progress)
        except InputError:
            continue
    return fetch(urls[-1], part, progress)


def _checked_files(path: Path, source: Source) -> dict[str, bytes]:
    """Take the edition's files out of its archive, wherever they are in it."""
    try:
        with ZipFile(path) as archive:
            found = {
                _usual_name(info.filename): archive.read(info)
                for info in archive.infolist()
                if _usual_name(info.filename) in source.files and info.file_size <= _LARGEST
            }
    except _BROKEN as error:
        raise _wrong(source, "a zip archive", f"none ({error})") from None
    for name, digest in source.files.items():
        if name not in found:
            raise _wrong(source, name, "no such file in the archive")
        if (actual := checksum(name, found[name])) != digest:
            raise _wrong(source, f"{name} with the SHA-256 {digest[:12]}…", f"{actual[:12]}…")
    return found


def _usual_name(member: str) -> str:
    """Give the name that a file has in all editions: in that of 2016, all begin with STS2016."""
    name = member.rsplit("/", 1)[-1]
    return name.replace("STS2016.", "STS.", 1) if name.startswith("STS2016.") else name


def _wrong(source: Source, expected: str, found: str) -> InputError:
    return InputError(
        f"{source.name} from {source.urls[-1]}: expected {expected}, found {found}; "
        "run the command again, or get the data elsewhere and use --data DIR"
    )
