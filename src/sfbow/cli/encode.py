"""`sfbow encode`: a stream of texts into a stream of vectors."""

import warnings
from collections import deque
from collections.abc import Iterable, Iterator

import click
import numpy as np
from tqdm import tqdm

from sfbow.cli.options import (
    column_option,
    errors_option,
    model_option,
    on_terminal,
    open_output,
    open_texts,
    output_option,
    source_option,
    threads_option,
)
from sfbow.errors import SfbowWarning
from sfbow.model import SFBoW
from sfbow.tables import Errors, TableFormat, table_format
from sfbow.writers import VectorFormat, Write, vector_format, vector_writer


@click.command("encode")
@click.argument("file", default="-", type=click.Path(allow_dash=True))
@output_option
@column_option
@source_option
@click.option(
    "--to",
    "target",
    type=click.Choice(["npy", "jsonl", "parquet"]),
    help="What to write. Default: what the output's name ends with, else jsonl.",
)
@errors_option
@model_option
@threads_option
def command(
    file: str,
    output: str,
    column: str | None,
    source: TableFormat | None,
    target: VectorFormat | None,
    errors: Errors,
    model: str | None,
    threads: int | None,
) -> None:
    """Turn texts into vectors.

    Reads FILE, or standard input: a text a line, or a column of CSV, TSV, JSONL or Parquet. Row i
    of the result belongs to text i: an empty line is a text, too, and gets a vector of zeros.
    Input of any length is encoded in little memory.

    \b
    Examples:
      sfbow encode titles.txt -o titles.npy
      sfbow encode reviews.csv --column body -o reviews.parquet
      zcat titles.txt.gz | sfbow encode > titles.jsonl
    """  # noqa: D301 - click wants the character \b
    kind = source or table_format(file)
    if column is not None and kind == "lines":
        raise click.UsageError("--column is for tables: tell which with --from csv, say")
    written = target or vector_format(output) or "jsonl"
    if output == "-" and written != "jsonl":
        raise click.UsageError(f"--to {written} needs a file to write to: --output FILE")
    if output != "-" and target is None and vector_format(output) is None:
        raise click.UsageError("name the output .npy, .jsonl or .parquet, or tell which with --to")
    encoder = SFBoW.from_pretrained(model)
    with (
        open_texts(file, errors) as opened,
        open_output(output) as out,
        vector_writer(out, written, encoder.size) as write,
    ):
        _encode(encoder, opened.texts(kind, column or "text"), threads, write)


def _encode(model: SFBoW, texts: Iterable[str], threads: int | None, write: Write) -> None:
    pending: deque[str] = deque()

    def remembered() -> Iterator[str]:
        for text in texts:
            pending.append(text)
            yield text

    total = unknown = 0
    with tqdm(unit=" texts", unit_scale=True, disable=not on_terminal()) as bar:
        for vectors in model.encode_batches(remembered(), threads=threads):
            batch = [pending.popleft() for _ in range(len(vectors))]
            write(batch, vectors)
            zero = np.flatnonzero(~vectors.any(axis=1))
            unknown += sum(bool(batch[row].strip()) for row in zero)
            total += len(batch)
            bar.update(len(batch))
    if unknown:
        warnings.warn(
            f"no known word in {unknown:,} of {total:,} texts: their vectors are zero",
            SfbowWarning,
            stacklevel=2,
        )
