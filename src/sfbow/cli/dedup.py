"""`sfbow dedup`: texts that are nearly the same."""

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO, Literal, cast

import click
import numpy as np

from sfbow.cli.options import (
    MEASURES,
    column_option,
    errors_option,
    model_option,
    on_terminal,
    open_output,
    open_texts,
    output_option,
    source_option,
    step,
    threads_option,
)
from sfbow.duplicates.finding import duplicate_pairs, find_duplicates
from sfbow.duplicates.results import DuplicatePair, Duplicates
from sfbow.measures import Measure
from sfbow.model import SFBoW
from sfbow.tables import Errors, TableFormat, TextFile, table_format

Show = Literal["groups", "pairs"]

_BATCH = 8192  # rows of Parquet


@click.command("dedup")
@click.argument("file", default="-", type=click.Path(allow_dash=True))
@click.option(
    "--threshold",
    "-t",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.9,
    show_default=True,
    help="The least similarity of two duplicates.",
)
@click.option(
    "--groups",
    "show",
    flag_value="groups",
    help="Print the groups of duplicates as JSON objects, not what is left without them.",
)
@click.option(
    "--pairs",
    "show",
    flag_value="pairs",
    help="Print every pair of duplicates as a JSON object, as it is found.",
)
@output_option
@column_option
@source_option
@click.option("--measure", type=MEASURES, default="jaccard", show_default=True)
@errors_option
@model_option
@threads_option
def command(
    file: str,
    threshold: float,
    show: Show | None,
    output: str,
    column: str | None,
    source: TableFormat | None,
    measure: Measure,
    errors: Errors,
    model: str | None,
    threads: int | None,
) -> None:
    """Find texts that are nearly the same.

    Reads FILE, or standard input: a text a line, or a column of CSV, TSV, JSONL or Parquet. Prints
    the same without near-duplicates: of texts that are connected by pairs above the threshold, only
    the first record stays, as it was. Every pair is found. Records are counted from 1.

    \b
    Examples:
      sfbow dedup titles.txt > unique.txt
      sfbow dedup reviews.csv --column body -t 0.8 -o unique.csv
      sfbow dedup titles.txt --groups | jq -r .text
    """  # noqa: D301 - click wants the character \b
    kind = source or table_format(file)
    if column is not None and kind == "lines":
        raise click.UsageError("--column is for tables: tell which with --from csv, say")
    if kind == "parquet" and show is None and output == "-":
        raise click.UsageError("a table of Parquet needs a file to write to: --output FILE")
    options: dict[str, Any] = {
        "model": SFBoW.from_pretrained(model),
        "threshold": threshold,
        "measure": measure,
        "threads": threads,
        "show_progress_bar": on_terminal(),
    }
    with open_texts(file, errors) as opened, open_output(output) as out:
        step("Reading texts")
        texts, records = _read(opened, kind, column or "text")
        if show == "pairs":
            _write(out, (_pair_line(pair, texts) for pair in duplicate_pairs(texts, **options)))
            return
        duplicates = find_duplicates(texts, **options)
        step(f"Keeping {len(duplicates.kept):,} of {len(duplicates):,} texts")
        if show == "groups":
            _write(out, _group_lines(duplicates, texts))
        elif kind == "parquet":
            _copy_parquet(opened.file, duplicates, out)
        else:
            out.write(records[0])
            out.writelines(records[1 + number] for number in duplicates.kept)


class _Lines:
    """A file that remembers the lines that were read since they were last taken."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._read: list[bytes] = []

    def __iter__(self) -> Iterator[bytes]:
        for line in self._file:
            self._read.append(line)
            yield line

    def take(self) -> list[bytes]:
        """Give them."""
        taken, self._read = self._read, []
        return taken


def _read(file: TextFile, kind: TableFormat, column: str) -> tuple[list[str], list[bytes]]:
    """Give the texts, and the header and the record of each as they are in the file."""
    if kind == "parquet":
        return list(file.texts(kind, column)), []
    lines = _Lines(file.file)
    remembered = replace(file, file=cast("BinaryIO", lines))
    texts: list[str] = []
    records: list[bytes] = []
    for text in remembered.texts(kind, column):
        taken = lines.take()
        if not texts:
            height = _header_height(taken, kind)
            records.append(b"".join(taken[:height]))
            taken = taken[height:]
        texts.append(text)
        records.append(b"".join(taken))
    return texts, records or [b"".join(lines.take())]


def _header_height(lines: list[bytes], kind: TableFormat) -> int:
    """Count the lines before the first record: those of the first row of a table, or none."""
    if kind not in ("csv", "tsv"):
        return 0
    decoded = (line.decode("utf-8-sig", "replace") for line in lines)
    reader = csv.reader(decoded, delimiter="," if kind == "csv" else "\t")
    next(reader)
    return reader.line_num


def _write(out: BinaryIO, lines: Iterable[str]) -> None:
    out.writelines(line.encode("utf-8", "replace") for line in lines)


def _pair_line(pair: DuplicatePair, texts: list[str]) -> str:
    first, second, similarity = pair
    return _json_line(
        {
            "similarity": round(similarity, 6),
            "a": texts[first],
            "b": texts[second],
            "records": [first + 1, second + 1],
        }
    )


def _group_lines(duplicates: Duplicates, texts: list[str]) -> Iterator[str]:
    for group in duplicates.groups:
        first, *others = group.tolist()
        found = [
            {
                "record": number + 1,
                "similarity": round(duplicates.similarities[number].item(), 6),
                "text": texts[number],
            }
            for number in others
        ]
        yield _json_line({"record": first + 1, "text": texts[first], "duplicates": found})


def _json_line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def _copy_parquet(source: BinaryIO, duplicates: Duplicates, out: BinaryIO) -> None:
    """Write the rows that are kept, with all columns."""
    from pyarrow import parquet

    table = parquet.ParquetFile(source)
    is_kept = np.zeros(len(duplicates), np.bool_)
    is_kept[duplicates.kept] = True
    start = 0
    with parquet.ParquetWriter(out, table.schema_arrow) as writer:
        for batch in table.iter_batches(_BATCH):
            writer.write_batch(batch.filter(is_kept[start : start + len(batch)]))
            start += len(batch)
