"""Where commands may write a model."""

from pathlib import Path

import click

from sfbow.cli.facts import is_model
from sfbow.errors import InputError

output_option = click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="The folder to make.",
)
force_option = click.option(
    "--force", is_flag=True, help="Replace a model that is in FOLDER already."
)


def check_output(folder: Path, force: bool) -> None:
    """Refuse to replace anything but a model, and that only with ``force``."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not is_model(folder):
        raise InputError(
            f"{folder}: expected a new folder or a model to replace, found something else; "
            "choose another --output"
        )
    if not force:
        raise InputError(f"{folder}: expected a new folder, found a model; replace it with --force")
