"""Where the official files of STS are, and how each is recognised.

`data/sts.json` has a SHA-256 for each file: not of its bytes, as copies of STS differ in line ends,
capitals, spaces and columns that are no text, but of its content, as `checksum` takes it. A file in
which a score, a letter or a digit is another, or a line is missing, has another checksum.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

_CATALOGUE = Path(__file__).parents[1] / "data" / "sts.json"


@dataclass(frozen=True)
class Source:
    """An edition: its folder, addresses of its archive, and its files with their checksums."""

    name: str
    folder: str
    urls: tuple[str, ...]
    files: dict[str, str]


def sts_sources() -> list[Source]:
    """Give the editions of STS."""
    entries = json.loads(_CATALOGUE.read_text(encoding="utf-8"))
    return [
        Source(entry["name"], entry["folder"], tuple(entry["urls"]), entry["files"])
        for entry in entries
    ]


def checksum(name: str, data: bytes) -> str:
    """Give the SHA-256 of what a file says."""
    lines = data.decode("utf-8", "replace").removeprefix("\ufeff").removesuffix("\n").split("\n")
    normal = _text if ".input." in name else str.strip
    content = "".join(f"{normal(line)}\n" for line in lines)
    return hashlib.sha256(content.encode()).hexdigest()


def _text(line: str) -> str:
    """Keep the letters and digits of the two texts."""
    columns = ("".join(filter(str.isalnum, text.casefold())) for text in line.split("\t")[:2])
    return "\t".join(columns)
