"""Save a model again and again, each time in a process that ends at its next call to the system.

usage: killed_saves.py MODEL OLD TARGET after|instead

The n-th process saves MODEL to TARGETn, first a copy of OLD if that is given, and ends after its
n-th call or in its place. The first n that lets the save come to its end is printed. (A script of
its own, as it loads no kernels: to fork a small process is quick.)
"""

import os
import shutil
import sys
from pathlib import Path

from sfbow.model_folder import open_model, save_model

CALLS = (
    (Path, "replace"), (Path, "unlink"), (Path, "mkdir"), (os, "fsync"), (os, "open"),
)  # fmt: skip


class Dying:
    def __init__(self, last: int, *, after: bool):
        self.left, self.after = last, after

    def wrap(self, function):
        def call(*arguments, **options):
            self.left -= 1
            if self.left == 0 and not self.after:
                os._exit(3)
            result = function(*arguments, **options)
            if self.left == 0:
                os._exit(3)
            return result

        return call

    def wrap_open(self, function):
        opened = self.wrap(function)

        def open_file(*arguments, **options):
            file = opened(*arguments, **options)
            return DyingFile(file, self) if file.writable() else file

        return open_file


class DyingFile:
    """Writes in two halves, as one write may reach the disk in part."""

    def __init__(self, file, dying: Dying):
        self.file, self.dying = file, dying

    def write(self, data):
        half = len(data) // 2
        self.dying.wrap(self.file.write)(data[:half])
        self.file.flush()
        self.dying.wrap(self.file.write)(data[half:])
        self.file.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def __getattr__(self, name):
        return getattr(self.file, name)


def save_and_die(parts, folder: Path, last: int, *, after: bool) -> None:
    dying = Dying(last, after=after)
    os.fsync = lambda descriptor: None  # which is slow; the disk itself does not fail here
    Path.open = dying.wrap_open(Path.open)
    for owner, name in CALLS:
        setattr(owner, name, dying.wrap(getattr(owner, name)))
    save_model(folder, parts)
    os._exit(0)


def main(model: str, old: str, target: str, when: str) -> None:
    parts = open_model(Path(model))
    for last in range(1, 1000):
        folder = Path(f"{target}{last}")
        if old:
            shutil.copytree(old, folder)
        process = os.fork()
        if process == 0:
            try:
                save_and_die(parts, folder, last, after=when == "after")
            finally:
                os._exit(1)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if code == 0:
            print(last)
            return
        if code != 3:
            sys.exit(f"the save failed with {code} at call {last}")
    sys.exit("the save does not end")


main(*sys.argv[1:])
