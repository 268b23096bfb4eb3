"""`sfbow download`: data to evaluate on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from tqdm import tqdm

from sfbow.cli.options import on_terminal
from sfbow.evaluation.download import Watch, download_sts
from sfbow.evaluation.transfer import Progress


@click.command("download")
@click.argument("what", type=click.Choice(["sts"]))
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where to put it. Default: sfbow/sts in the user's cache, where `sfbow evaluate` looks.",
)
def command(what: str, folder: Path | None) -> None:
    """Get data to evaluate on.

    "sts" is SemEval's STS 2012-2016, five small archives from its authors' site. Each file is
    checked with a SHA-256 of its content. What is there and whole is not fetched again, and a
    transfer that broke off goes on where it stopped. Prints the folder.

    \b
    Examples:
      sfbow download sts
      sfbow download sts --to data/sts
    """  # noqa: D301 - click wants the character \b
    with _bars() as watch:
        click.echo(str(download_sts(folder, watch=watch)))


@contextmanager
def _bars() -> Iterator[Watch]:
    """Show a bar for each archive, if somebody watches."""
    bars: list[tqdm] = []

    def watch(name: str) -> Progress:
        bar = tqdm(desc=name, unit="B", unit_scale=True, disable=not on_terminal())
        bars.append(bar)

        def progress(done: int, total: int | None) -> None:
            bar.total = total
            bar.update(done - bar.n)

        return progress

    try:
        yield watch
    finally:
        for bar in bars:
            bar.close()
