"""`sfbow explain`: which words make two texts similar."""

import json
import shutil
import sys
from pathlib import Path
from typing import Literal

import click

from sfbow.cli.explain_drawing import draw
from sfbow.cli.explain_plot import plot
from sfbow.cli.options import MEASURES, model_option, wants_color
from sfbow.measures import Measure
from sfbow.model import SFBoW

_PLOTS = (".png", ".svg")


def _plot_name(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in _PLOTS:
        raise click.BadParameter(f"expected a name that ends with .png or .svg, found {path.name}")
    return path


@click.command("explain")
@click.argument("a")
@click.argument("b")
@click.option(
    "--plot",
    "target",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=_plot_name,
    metavar="FILE",
    help="Draw all pairs of words as a heat map, too: a .png or .svg. Needs sfbow[evaluate].",
)
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="How many pairs of words to show.",
)
@click.option(
    "--format",
    "-f",
    "kind",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="A drawing, or one JSON object with the whole matrix.",
)
@click.option("--measure", type=MEASURES, help="Default: the model's own.")
@model_option
def command(
    a: str,
    b: str,
    target: Path | None,
    top: int,
    kind: Literal["text", "json"],
    measure: Measure | None,
    model: str | None,
) -> None:
    """Tell which words make two texts similar.

    Each word has a bar, as long as what it gives to its text, and filled as far as the other text
    has the same. Below are the pairs of words that match, with the part of the similarity that is
    theirs. The numbers of A's words, of B's words and of the pairs add up to the similarity.

    \b
    Examples:
      sfbow explain "A man plays a guitar." "Someone makes music."
      sfbow explain "A man plays a guitar." "Someone makes music." --plot why.png
      sfbow explain "red car" "blue lorry" --format json | jq .pairs[0]
    """  # noqa: D301 - click wants the character \b
    explanation = SFBoW.from_pretrained(model).explain(a, b, measure=measure)
    if target is not None:
        plot(explanation, target)
    if kind == "json":
        text = json.dumps(explanation.to_dict(), ensure_ascii=False) + "\n"
    else:
        # Terminals disagree about the width of some emoji: leave them room.
        columns = shutil.get_terminal_size().columns - 2
        text = draw(explanation, columns=columns, color=wants_color(), top=top)
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
