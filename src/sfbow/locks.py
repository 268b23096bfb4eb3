"""Locks on folders, which end with the process that holds them, however it ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # a system that has no such locks
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(folder: Path, *, wait: bool = True) -> Iterator[None]:
    """Wait until nobody else has the lock of a folder, and hold it.

    Without waiting, a lock that somebody else has is a BlockingIOError.
    """
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # a file system that has no such locks
            pass
        yield
    finally:
        os.close(descriptor)


def is_abandoned(folder: Path) -> bool:
    """Whether nobody holds the lock of a folder, as far as that can be told."""
    if fcntl is None:
        return False
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
