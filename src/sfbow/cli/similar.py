"""`sfbow similar`: two texts, or many pairs."""

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Literal

import click
from tqdm import tqdm

from sfbow.cli.options import (
    MEASURES,
    errors_option,
    model_option,
    on_terminal,
    open_texts,
    threads_option,
)
from sfbow.errors import SfbowWarning
from sfbow.measures import Measure, similarity_pairwise
from sfbow.model import SFBoW
from sfbow.tables import Errors, TextFile, table_format

_BATCH = 1 << 14
_JSON_KEYS = ("a", "b")

Format = Literal["tsv", "jsonl"]
Pair = list[str]


@click.command("similar")
@click.argument("texts", nargs=-1, metavar="[A B]")
@click.option(
    "--pairs",
    "-p",
    type=click.Path(allow_dash=True),
    metavar="FILE",
    help="Compare the two texts of each line: with a tab between, or, where the name ends with "
    '.jsonl, as {"a": …, "b": …}.',
)
@click.option(
    "--format",
    "-f",
    "target",
    type=click.Choice(["tsv", "jsonl"]),
    default="tsv",
    show_default=True,
    help="How to print pairs: similarity, a tab and the pair; or JSON objects.",
)
@click.option("--measure", type=MEASURES, help="Default: the model's own.")
@errors_option
@model_option
@threads_option
def command(
    texts: tuple[str, ...],
    pairs: str | None,
    target: Format,
    measure: Measure | None,
    errors: Errors,
    model: str | None,
    threads: int | None,
) -> None:
    """Tell how similar two texts are.

    Prints a number from 0, nothing in common, to 1, the same fuzzy set. A text without a known
    word is similar to nothing. With --pairs, compares the two texts of each line of a file.

    \b
    Examples:
      sfbow similar "A man plays a guitar." "Someone makes music."
      sfbow similar --pairs candidates.tsv | sort -rn | head
      sfbow similar --pairs - --format jsonl --measure jaccard < candidates.tsv
    """  # noqa: D301 - click wants the character \b
    if (pairs is None) != (len(texts) == 2) or (pairs is not None and texts):
        raise click.UsageError("give two texts, A and B, or --pairs FILE")
    encoder = SFBoW.from_pretrained(model)

    def compare(batch: list[Pair]) -> tuple[list[float], int]:
        vectors = encoder.encode([text for pair in batch for text in pair], threads=threads)
        scores = similarity_pairwise(
            vectors[::2], vectors[1::2], measure=measure or encoder.measure
        )
        return scores.tolist(), int((~vectors.any(axis=1)).sum())

    if pairs is None:
        (score,), unknown = compare([list(texts)])
        click.echo(f"{score:.6f}")
        _warn(unknown, 2)
        return
    with open_texts(pairs, errors) as file:
        _compare_file(_read(file, pairs), target, compare)


def _read(file: TextFile, path: str) -> Iterator[Pair]:
    return file.records(_JSON_KEYS) if table_format(path) == "jsonl" else file.pairs()


def _compare_file(
    pairs: Iterator[Pair], target: Format, compare: Callable[[list[Pair]], tuple[list[float], int]]
) -> None:
    out = sys.stdout.buffer
    line = _LINES[target]
    total = unknown = 0
    with tqdm(unit=" pairs", unit_scale=True, disable=not on_terminal()) as bar:
        while batch := list(islice(pairs, _BATCH)):
            scores, strangers = compare(batch)
            lines = (line(score, *pair) for score, pair in zip(scores, batch, strict=True))
            out.write("".join(lines).encode("utf-8", "replace"))
            total += 2 * len(batch)
            unknown += strangers
            bar.update(len(batch))
    _warn(unknown, total)


def _tab_line(score: float, a: str, b: str) -> str:
    return f"{score:.6f}\t{a}\t{b}\n"


def _json_line(score: float, a: str, b: str) -> str:
    record = {"similarity": round(score, 6), "a": a, "b": b}
    return json.dumps(record, ensure_ascii=False) + "\n"


_LINES: dict[Format, Callable[[float, str, str], str]] = {"tsv": _tab_line, "jsonl": _json_line}


def _warn(unknown: int, total: int) -> None:
    if unknown:
        warnings.warn(
            f"no known word in {unknown:,} of {total:,} texts: they are similar to nothing",
            SfbowWarning,
            stacklevel=2,
        )
