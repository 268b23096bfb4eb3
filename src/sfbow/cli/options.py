"""What several commands share: options, files, and whether to show progress."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import click

from sfbow.tables import Errors, TextFile
from sfbow.writers import replacing

Command = TypeVar("Command", bound=Callable[..., Any])

MEASURES = click.Choice(["jaccard", "otsuka", "dice", "hellinger"])

model_option = click.option(
    "--model",
    "-m",
    type=click.Path(),
    metavar="FOLDER|ID",
    help="A model's folder, or its name on the Hugging Face hub. Default: the model in sfbow.",
)
output_option = click.option(
    "--output",
    "-o",
    default="-",
    type=click.Path(allow_dash=True),
    metavar="FILE",
    help="Where to write; the file appears when it is whole. Default: standard output.",
)
column_option = click.option(
    "--column",
    "-c",
    metavar="NAME",
    help="The column, or JSON key, that holds the texts.  [default: text]",
)
source_option = click.option(
    "--from",
    "source",
    type=click.Choice(["lines", "csv", "tsv", "jsonl", "parquet"]),
    help="What FILE is. Default: what its name ends with, else lines.",
)
threads_option = click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Threads to use. Default: one for each core.",
)
errors_option = click.option(
    "--errors",
    type=click.Choice(["strict", "replace"]),
    default="strict",
    show_default=True,
    help="What to do about bytes that are no UTF-8: stop, or put U+FFFD in their place.",
)


def on_terminal() -> bool:
    """Whether somebody watches standard error."""
    return sys.stderr.isatty()


def wants_color() -> bool:
    """Whether somebody watches the output, and has not asked for none."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def step(what: str) -> None:
    """Tell somebody who watches what goes on."""
    if on_terminal():
        click.echo(f"{what} …", err=True)


@contextmanager
def open_texts(path: str, errors: Errors) -> Iterator[TextFile]:
    """Open a file of texts, or standard input as "-"."""
    if path == "-":
        if sys.stdin.isatty() and on_terminal():
            click.echo("Reading texts, one a line; end with Ctrl-D.", err=True)
        yield TextFile("standard input", sys.stdin.buffer, errors)
        return
    with Path(path).open("rb") as file:
        yield TextFile(path, file, errors)


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """Open a file that appears when it is whole, or standard output as "-"."""
    if path == "-":
        yield sys.stdout.buffer
        return
    with replacing(path) as file:
        yield file
