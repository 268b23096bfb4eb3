"""Save a model again and again, each time in a process that ends at its next call to the system.

usage: killed_saves.py MODEL OLD TARGET after|instead

The n-th process saves MODEL to TARGETn, first a copy of OLD if that is given, and ends after its
n-th call or in its place. The first n that lets the save come to its end is printed. (A script of
its own, as it loads no kernels: to fork a small process is quick.)
"""

import shutil
import sys
from pathlib import Path

from dying import die_at_every_call

from sfbow.model_folder import open_model, save_model


def main(model: str, old: str, target: str, when: str) -> None:
    parts = open_model(Path(model))

    def prepare(last: int) -> None:
        if old:
            shutil.copytree(old, f"{target}{last}")

    def save(last: int) -> None:
        save_model(Path(f"{target}{last}"), parts)

    print(die_at_every_call(prepare, save, after=when == "after"))


main(*sys.argv[1:])
