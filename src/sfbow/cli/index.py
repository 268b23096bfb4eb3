"""`sfbow index`: make an index of texts, add to it, and look after it."""

from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import click
from tqdm import tqdm

from sfbow.cli.facts import index_facts
from sfbow.cli.facts_table import as_table, fact_rows
from sfbow.cli.options import (
    MEASURES,
    errors_option,
    model_option,
    on_terminal,
    open_texts,
    source_option,
    threads_option,
)
from sfbow.errors import InputError
from sfbow.index.fuzzy_index import FuzzyIndex
from sfbow.index.levels import Storage
from sfbow.index.merging import LARGEST
from sfbow.measures import Measure
from sfbow.model import SFBoW
from sfbow.tables import Errors, TableFormat, table_format

_BATCH = LARGEST  # texts that are added at once: a segment, which is not written anew


@click.command("index")
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(allow_dash=True))
@click.option(
    "--output",
    "-o",
    "folder",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="The index. It is made if it is not there.",
)
@click.option(
    "--text",
    metavar="NAME",
    help="The column, or JSON key, that holds the texts.  [default: text]",
)
@click.option(
    "--id",
    "key",
    metavar="NAME",
    help="The column of the ids. Default: FILE:NUMBER.",
)
@click.option(
    "--payload",
    "others",
    multiple=True,
    metavar="NAME",
    help="A column to keep beside the text. May be repeated.",
)
@source_option
@click.option(
    "--storage",
    type=click.Choice(["8-bit", "4-bit", "float32"]),
    help="Of a new index: how vectors are stored.  [default: 8-bit]",
)
@click.option("--measure", type=MEASURES, help="Of a new index. Default: the model's own.")
@click.option("--remove", multiple=True, metavar="ID", help="Remove this row. May be repeated.")
@click.option("--vacuum", is_flag=True, help="Give back the room of removed rows.")
@click.option("--graph", is_flag=True, help="Make the graph of approximate search.")
@click.option("--check", is_flag=True, help="Tell which share of the best 10 the graph finds.")
@click.option("--verify", is_flag=True, help="Compare each file with its SHA-256.")
@click.option("--repair", is_flag=True, help="Give up files that are damaged.")
@errors_option
@model_option
@threads_option
def command(
    files: tuple[str, ...],
    folder: Path,
    text: str | None,
    key: str | None,
    others: tuple[str, ...],
    source: TableFormat | None,
    storage: Storage | None,
    measure: Measure | None,
    remove: tuple[str, ...],
    vacuum: bool,
    graph: bool,
    check: bool,
    verify: bool,
    repair: bool,
    errors: Errors,
    model: str | None,
    threads: int | None,
) -> None:
    """Make an index of texts to search, or add to one.

    Reads each FILE: a text a line, or a column of CSV, TSV, JSONL or Parquet. A text whose id is
    there already replaces the old one; what is there as it is is left alone, so that after an
    interruption the same command goes on where it stopped. At the end, tells what the index has.

    \b
    Examples:
      sfbow index titles.txt -o titles.index
      sfbow index shop.csv --id sku --text name --payload price -o shop.index
      sfbow index -o shop.index --remove A-17 --vacuum --verify
    """  # noqa: D301 - click wants the character \b
    tables = [(file, source or table_format(file)) for file in files]
    if (text or key or others) and any(kind == "lines" for _, kind in tables):
        raise click.UsageError("columns are of tables: tell which with --from csv, say")
    if not files and not (remove or vacuum or graph or check or verify or repair):
        raise click.UsageError("give a FILE, or - for standard input; or something to do")
    rows: list[tuple[str, str]] = []
    if repair:
        rows += [("given up", line) for line in FuzzyIndex.repair(folder)]
    with ExitStack() as stack:
        writable = bool(files or remove or vacuum or graph)
        index = stack.enter_context(
            _open(folder, files, storage, measure, model, writable=writable)
        )
        for file, kind in tables:
            _fill(index, file, kind, (text or "text", key, others), errors, threads)
        if remove:
            index.remove(_ids(index, remove))
        if vacuum:
            index.vacuum()
        if graph:
            index.build_graph(threads=threads, show_progress_bar=on_terminal())
        rows += fact_rows(index_facts(index))
        if check:
            rows.append(("recall@10", f"{index.recall(threads=threads):.4f} of the graph"))
        damage = index.verify() if verify else []
    if verify:
        rows.append(("verified", "some files are damaged" if damage else "all files are sound"))
    click.echo(as_table(rows))
    if damage:
        raise InputError("; ".join(damage))


def _open(
    folder: Path,
    files: tuple[str, ...],
    storage: Storage | None,
    measure: Measure | None,
    model: str | None,
    *,
    writable: bool,
) -> FuzzyIndex:
    if files and not (folder / "config.json").exists():
        encoder = SFBoW.from_pretrained(model)
        return FuzzyIndex.create(folder, encoder, storage=storage or "8-bit", measure=measure)
    index = FuzzyIndex.open(folder, model=model, writable=writable)
    for name, wanted, has in (
        ("--storage", storage, index.storage),
        ("--measure", measure, index.measure),
    ):
        if wanted not in (None, has):
            index.close()
            raise InputError(
                f"{folder}: expected {name} {has}, as the index has, found {wanted}; leave it out"
            )
    return index


def _ids(index: FuzzyIndex, given: tuple[str, ...]) -> list[str | int]:
    """Read ids as the index has them."""
    if not isinstance(next(iter(index), ""), int):
        return list(given)
    try:
        return [int(one) for one in given]
    except ValueError:
        raise InputError(
            f"ids: expected whole numbers, as the index has, found {', '.join(given)!r:.100}; "
            "give ids of the index"
        ) from None


def _fill(
    index: FuzzyIndex,
    file: str,
    kind: TableFormat,
    columns: tuple[str, str | None, tuple[str, ...]],
    errors: Errors,
    threads: int | None,
) -> None:
    # A stream cannot be told from the one before: its numbers go on behind those.
    first = 1 if file != "-" else 1 + index.inserted
    with (
        open_texts(file, errors) as opened,
        tqdm(desc=file, unit=" texts", unit_scale=True, disable=not on_terminal()) as bar,
    ):
        rows = opened.rows(kind, *columns)
        while batch := list(islice(rows, _BATCH)):
            numbers = range(first, first + len(batch))
            texts, keys, others = zip(*batch, strict=True)
            ids = [f"{file}:{n}" for n in numbers] if columns[1] is None else keys
            index.add(ids, texts, payload=others if columns[2] else None, threads=threads)
            first += len(batch)
            bar.update(len(batch))
