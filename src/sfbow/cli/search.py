"""`sfbow search`: the most similar texts of an index."""

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import click

from sfbow.cli.columns import fit, shortened, width
from sfbow.cli.options import errors_option, model_option, open_texts, threads_option, wants_color
from sfbow.explanation import WordPair
from sfbow.index.fuzzy_index import FuzzyIndex
from sfbow.index.hits import Hit
from sfbow.tables import Errors

_BATCH = 1024
_WIDEST_ID = 24
_PAIRS = 5  # of words that are told of a hit

Explain = Callable[[str, Hit], list[WordPair]]


@click.command("search")
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("query", required=False)
@click.option(
    "--queries",
    "-q",
    "file",
    default="-",
    type=click.Path(allow_dash=True),
    metavar="FILE",
    help="Without QUERY: search for each line of FILE. Default: standard input.",
)
@click.option("-k", type=click.IntRange(min=1), metavar="K", help="How many hits.  [default: 10]")
@click.option(
    "--threshold",
    "-t",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="T",
    help="All hits of at least this similarity instead, above 0 and up to 1.",
)
@click.option("--approximate", is_flag=True, help="Search by the graph that the index has.")
@click.option("--explain", is_flag=True, help="Tell for each hit which words matched.")
@click.option(
    "--format",
    "-f",
    "target",
    type=click.Choice(["table", "jsonl"]),
    default="table",
    show_default=True,
    help="A table, or a JSON object for each query.",
)
@errors_option
@model_option
@threads_option
def command(
    folder: Path,
    query: str | None,
    file: str,
    k: int | None,
    threshold: float | None,
    approximate: bool,
    explain: bool,
    target: Literal["table", "jsonl"],
    errors: Errors,
    model: str | None,
    threads: int | None,
) -> None:
    """Find the texts of an index that are most similar.

    Searches for QUERY, or for each line of standard input. What has nothing in common with a query
    is no hit. The model is the index's own; --model tells where it is, if it has moved.

    \b
    Examples:
      sfbow search titles.index "someone makes music"
      sfbow search titles.index "red car" --threshold 0.7 --explain
      sfbow search titles.index --format jsonl < queries.txt
    """  # noqa: D301 - click wants the character \b
    if threshold is not None and k is not None:
        raise click.UsageError("give -k or --threshold")
    if query is not None and file != "-":
        raise click.UsageError("give QUERY or --queries")
    if threshold is not None and approximate:
        raise click.UsageError("--approximate finds the K best, not all above a threshold")
    index = FuzzyIndex.open(folder, model=model)
    write = _json if target == "jsonl" else _Table(several=query is None).text
    tell = _explainer(index) if explain else None
    out = sys.stdout.buffer
    for batch in _queries(query, file, errors):
        hits = index.search(
            batch, k=k, threshold=threshold, approximate=approximate, threads=threads
        )
        for asked, found in zip(batch, hits, strict=True):
            out.write(write(asked, found, tell).encode("utf-8", "replace"))
        out.flush()


def _queries(query: str | None, file: str, errors: Errors) -> Iterator[list[str]]:
    if query is not None:
        yield [query]
        return
    # Somebody who types wants an answer to each line.
    size = 1 if file == "-" and sys.stdin.isatty() else _BATCH
    with open_texts(file, errors) as opened:
        lines = opened.lines()
        while batch := list(islice(lines, size)):
            yield batch


def _explainer(index: FuzzyIndex) -> Explain:
    model, measure = index.model, index.measure

    def explain(query: str, hit: Hit) -> list[WordPair]:
        if model is None or hit.text is None:
            return []
        return model.explain(query, hit.text, measure=measure).best_pairs(_PAIRS)

    return explain


def _json(query: str, hits: list[Hit], explain: Explain | None) -> str:
    found = []
    for hit in hits:
        record: dict[str, Any] = {**hit._asdict(), "score": round(hit.score, 6)}
        if explain is not None:
            record["words"] = [pair._asdict() for pair in explain(query, hit)]
        found.append(record)
    return json.dumps({"query": query, "hits": found}, ensure_ascii=False) + "\n"


class _Table:
    """A row a hit, as wide as the terminal; of several queries each has a line of its own."""

    def __init__(self, *, several: bool) -> None:
        self._several = several
        self._columns = shutil.get_terminal_size().columns - 2
        self._color = wants_color()

    def _paint(self, text: str, **style: bool) -> str:
        return click.style(text, **style) if self._color else text

    def text(self, query: str, hits: list[Hit], explain: Explain | None) -> str:
        """Give the lines of a query."""
        head = [self._paint(shortened(query, self._columns), bold=True)] if self._several else []
        return "".join(f"{line.rstrip()}\n" for line in [*head, *self._hits(query, hits, explain)])

    def _hits(self, query: str, hits: Iterable[Hit], explain: Explain | None) -> Iterator[str]:
        ids = [str(hit.id) for hit in hits]
        room = min(max(map(width, ids), default=0), _WIDEST_ID)
        for name, hit in zip(ids, hits, strict=True):
            text = shortened(hit.text or "", max(self._columns - room - 10, 10))
            score = self._paint(f"{hit.score:.4f}", bold=True)
            yield f"{score}  {self._paint(fit(name, room), dim=True)}  {text}"
            if explain is not None and (pairs := explain(query, hit)):
                words = shortened(", ".join(map(str, pairs)), max(self._columns - 8, 10))
                yield f"        {self._paint(words, dim=True)}"
