"""Fetch a file over HTTP; a transfer that broke off goes on where it stopped."""

import http.client
import re
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sfbow.errors import InputError

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are there, and how many there will be, if that is known."""

_BLOCK = 1 << 16
_LARGEST = 1 << 26  # bytes; what is longer is no archive of ours
_SECONDS = 30  # without a byte
_ATTEMPTS = 2  # that bring nothing new
_BEYOND_END = 416  # the status of HTTP, and
_PARTIAL = 206  # that of a range
_NO_CONNECTION = (
    ConnectionError,
    TimeoutError,
    http.client.HTTPException,
    ssl.SSLError,
    urllib.error.URLError,
)


def fetch(url: str, part: Path, progress: Progress) -> None:
    """Complete the file ``part``, which may hold the beginning already."""
    if not url.startswith(("http://", "https://")):
        raise InputError(
            f"{url}: expected an address http:// or https://, found another; correct it"
        )
    futile = 0
    while futile < _ATTEMPTS:
        before = part.stat().st_size if part.exists() else 0
        reason = _go_on(url, part, before, progress)
        if reason is None:
            return
        now = part.stat().st_size if part.exists() else 0
        futile = futile + 1 if now <= before else 0
    raise InputError(
        f"{url}: expected a file, found {reason}; check the connection and run the command again, "
        "which goes on from here"
    )


def _go_on(url: str, part: Path, start: int, progress: Progress) -> str | None:
    """Fetch what is missing; give the reason if something still is."""
    headers = {"User-Agent": "sfbow", "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - `fetch` looks at it
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
            if answer.status == _PARTIAL and _first(answer) != start:
                part.unlink()
                return "another part than asked for"
            return _receive(url, answer, part, start if answer.status == _PARTIAL else 0, progress)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == _BEYOND_END:
            part.unlink()  # it is as long as the file, or longer, and yet nobody could use it
            return "a file that is no longer than the part that is here"
        return f"the status {error.code} {error.reason}"
    except _NO_CONNECTION as error:
        return _reason(error)


def _receive(url: str, answer: Any, part: Path, start: int, progress: Progress) -> str | None:  # noqa: ANN401
    total = start + answer.length if answer.length is not None else None
    done = start
    with part.open("ab" if start else "wb") as file:
        progress(done, total)
        while block := answer.read(_BLOCK):
            done += len(block)
            if max(done, total or 0) > _LARGEST:
                raise InputError(
                    f"{url}: expected at most {_LARGEST:,} bytes, found more; try another source"
                )
            file.write(block)
            file.flush()
            progress(done, total)
    if total is not None and done < total:
        return f"{done:,} of its {total:,} bytes"
    return None


def _first(answer: Any) -> int:  # noqa: ANN401
    found = re.match(r"bytes (\d+)-", answer.headers.get("Content-Range", ""))
    return int(found[1]) if found else -1


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    return f"no connection ({str(reason).strip() or type(reason).__name__})"
