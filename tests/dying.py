"""Do something again and again, each time in a process that ends at its next call to the system."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

CALLS = (
    (Path, "replace"), (Path, "unlink"), (Path, "mkdir"), (os, "fsync"), (os, "open"),
)  # fmt: skip


class Counting:
    """Calls that change files are counted; the last one is where it happens."""

    def __init__(self, last: int):
        self.left = last

    def wrap(self, function):
        def call(*arguments, **options):
            self.left -= 1
            if self.left == 0:
                return self.last(function, *arguments, **options)
            return function(*arguments, **options)

        return call

    def last(self, function, *arguments, **options):
        raise NotImplementedError

    def wrap_open(self, function):
        opened = self.wrap(function)

        def open_file(path, mode="r", *arguments, **options):
            if not set("wxa+") & set(mode):
                return function(path, mode, *arguments, **options)
            return HalvingFile(opened(path, mode, *arguments, **options), self)

        return open_file


class Dying(Counting):
    """The process ends after its last call, or in its place."""

    def __init__(self, last: int, *, after: bool):
        super().__init__(last)
        self.after = after

    def last(self, function, *arguments, **options):
        if self.after:
            function(*arguments, **options)
        os._exit(3)


class Failing(Counting):
    """The last call, and each one after it that writes, fails as on a full disk."""

    def last(self, function, *arguments, **options):
        raise OSError(28, "No space left on device")


class HalvingFile:
    """Writes in two halves, as one write may reach the disk in part."""

    def __init__(self, file, counting: Counting):
        self.file, self.counting = file, counting

    def write(self, data):
        half = len(data) // 2
        self.counting.wrap(self.file.write)(data[:half])
        self.file.flush()
        self.counting.wrap(self.file.write)(data[half:])
        self.file.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def __getattr__(self, name):
        return getattr(self.file, name)


def install(counting: Counting, calls=CALLS, put=setattr) -> None:
    """Let all calls that change files be counted."""
    put(os, "fsync", lambda descriptor: None)  # which is slow; the disk itself does not fail here
    put(Path, "open", counting.wrap_open(Path.open))
    for owner, name in calls:
        put(owner, name, counting.wrap(getattr(owner, name)))


def die_at_every_call(
    prepare: Callable[[int], None], act: Callable[[int], None], *, after: bool
) -> int:
    """Let ``act(n)`` end after its n-th call, or in its place; give the first n it survives."""
    for last in range(1, 1000):
        prepare(last)
        process = os.fork()
        if process == 0:
            try:
                install(Dying(last, after=after))
                act(last)
                os._exit(0)
            finally:
                os._exit(1)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if code == 0:
            return last
        if code != 3:
            sys.exit(f"failed with {code} at call {last}")
    sys.exit("there is no end")
