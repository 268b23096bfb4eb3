"""The paper's tables, from a folder of results, without computing anything again."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from sfbow.evaluation.correlation import School
from sfbow.evaluation.tables import TIMES_100, UNDEFINED
from sfbow.experiment import labels
from sfbow.experiment.averages import Key, evaluated, pooled, scored
from sfbow.experiment.paper import Spread, load_paper
from sfbow.experiment.renderers import as_csv, as_latex, as_markdown
from sfbow.experiment.results import NONE, Results, read_results
from sfbow.experiment.table import Column, Number, Row, Table
from sfbow.writers import replacing

_WRITERS: dict[str, Callable[[Table], str]] = {
    ".md": as_markdown,
    ".tex": as_latex,
    ".csv": as_csv,
}
_SCHOOLS: dict[School, str] = {
    "mean": "mean over the sub-datasets of an edition",
    "weighted": "mean over the sub-datasets of an edition, weighted by their pairs",
    "all": "all pairs of an edition in one correlation",
}
_AVERAGES = (Column("Average", compared=True), Column("Weighted average", compared=True))


def write_tables(
    results_folder: str | Path, out: str | Path, *, school: School = "mean"
) -> list[Path]:
    """Write all tables into the folder tables of ``out``, and return their files."""
    folder = Path(out) / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for table in make_tables(read_results(results_folder), school):
        for ending, render in _WRITERS.items():
            path = folder / f"{table.name}{ending}"
            with replacing(path) as file:
                file.write(render(table).encode())
            written.append(path)
    return written


def make_tables(results: Results, school: School = "mean") -> list[Table]:
    """Make the tables that there is something to say in."""
    found = [support(results), comparison(results, school)]
    found += [by_embedding(results, school), by_universe(results, school)]
    found += [complete(results, school, embedding) for embedding in results.embeddings]
    return [table for table in (*found, dbscan(results, school)) if table.rows]


def support(results: Results) -> Table:
    """Make Table 1: the pairs of each edition."""
    paper, pairs = load_paper(), results.pairs
    numbers = [
        Number(pairs.get(name, math.nan), paper=printed)
        for name, printed in zip(paper.editions, paper.support, strict=True)
    ]
    total = Number(sum(number.value for number in numbers), paper=paper.support_total)
    rows = [Row((name,), (each,)) for name, each in zip(paper.editions, numbers, strict=True)]
    column = Column("Scored pairs", "count", compared=True, ranked=False)
    title = "Support of the editions: pairs that have a gold score, and pairs after the paper."
    return Table(
        "table1-support",
        title,
        ("Edition",),
        (column,),
        (tuple(rows), (Row(("Total",), (total,)),)),
    )


def comparison(results: Results, school: School) -> Table:
    """Make Table 2: the paper's rows, whatever else was compared, and the best of our own."""
    known = [(row, embedding) for embedding, row in load_paper().comparison]
    found = [(row, embedding) for embedding, row in results.cells if row in labels.BASELINES]
    baselines = sorted({*found, *(key for key in known if key[0] in labels.BASELINES)}, key=_order)
    averages = [key for key in baselines if key[0] == "average"]
    ours = [key for key in known if key not in baselines]
    ours += [key for key in _leading(results, school) if key not in ours]
    blocks = averages, [key for key in baselines if key not in averages], ours
    return Table(
        "table2-comparison",
        _title("Comparison of models", school),
        ("Model", "Words"),
        (*_editions(), *_AVERAGES),
        tuple(
            tuple(
                Row(_model(row, embedding), scored(results, school, (embedding, row)))
                for row, embedding in block
            )
            for block in blocks
        ),
    )


def _model(row: str, embedding: str) -> tuple[str, str]:
    name = labels.label(row)
    is_ours = labels.is_universe(row) or row == labels.RECOMMENDED
    return f"SFBoW, {name}" if is_ours else name, UNDEFINED if embedding == NONE else embedding


def complete(results: Results, school: School, embedding: str) -> Table:
    """Make the appendix's table of all universes of an embedding."""
    paper = load_paper()
    clusterings = [row for row in paper.by_universe if labels.clusters_of(row)]
    others = [row for row in paper.by_universe if row not in clusterings]
    blocks = [clusterings, others, labels.further_rows(results.rows(embedding))]
    rows = [
        tuple(Row(labels.parts(row), scored(results, school, (embedding, row))) for row in block)
        for block in blocks
    ]
    keys = [(embedding, row) for row in paper.by_universe]
    averages = pooled(results, school, keys, paper.column_averages.get(embedding))[:-1]
    summary = Row(("Average", "", ""), (*averages, Number(), Number()), ranked=False)
    return Table(
        f"complete-{embedding.lower()}",
        _title(f"All universes on {embedding}", school),
        ("Universe", "Source", "k"),
        (*_editions(), *_AVERAGES),
        (*(block for block in rows if block), (summary,)),
    )


def by_embedding(results: Results, school: School) -> Table:
    """Make the appendix's averages over the universes."""
    paper = load_paper()
    rows = [
        _pooled_row(
            results,
            school,
            (name,),
            [(name, row) for row in paper.by_universe],
            paper.by_embedding.get(name),
        )
        for name in dict.fromkeys((*paper.by_embedding, *results.embeddings))
    ]
    return Table(
        "averages-by-embedding",
        _title("Averages over the universes", school),
        ("Words", "Universes"),
        (*_editions(), Column("Average", compared=True)),
        (tuple(rows),),
    )


def by_universe(results: Results, school: School) -> Table:
    """Make the appendix's averages over the embeddings: the paper's, or else those there are."""
    paper = load_paper()
    theirs = not results.embeddings or any(
        name in paper.by_embedding for name in results.embeddings
    )
    names = tuple(paper.by_embedding) if theirs else results.embeddings
    rows = [
        _pooled_row(
            results,
            school,
            labels.parts(row),
            [(name, row) for name in names],
            printed if theirs else None,
        )
        for row, printed in paper.by_universe.items()
    ]
    return Table(
        "averages-by-universe",
        _title("Averages over the embeddings", school),
        ("Universe", "Source", "k", "Embeddings"),
        (*_editions(), Column("Average", compared=True)),
        (tuple(rows),),
    )


def dbscan(results: Results, school: School) -> Table:
    """Make the table of DBSCAN, which the paper leaves out."""
    rows = []
    for embedding in results.embeddings:
        plans = {row: labels.radius_of(row) for row in results.rows(embedding)}
        for (metric, subset, eps), row in sorted(
            (plan, row) for row, plan in plans.items() if plan
        ):
            names = embedding, metric, labels.subset_label(subset), f"{eps:g}"
            rows.append(Row(names, _density(results, school, (embedding, row))))
    columns = (
        Column("Clusters", "count", ranked=False),
        Column("Noise", "share", ranked=False),
        Column("Average"),
        Column("Weighted average"),
    )
    title = _title("DBSCAN, radius by radius", school)
    return Table("dbscan", title, ("Words", "Metric", "Source", "ε"), columns, (tuple(rows),))


def _title(what: str, school: School) -> str:
    return f"{what}: Spearman's correlation {TIMES_100} on STS, {_SCHOOLS[school]}."


def _editions() -> tuple[Column, ...]:
    return tuple(Column(name) for name in load_paper().editions)


def _order(key: tuple[str, str]) -> tuple[int, int, str]:
    """Sort baselines, and within them the embeddings of the paper before others."""
    row, embedding = key
    known = [*load_paper().by_embedding]
    place = known.index(embedding) if embedding in known else len(known)
    return labels.BASELINES.index(row), place, embedding


def _leading(results: Results, school: School) -> Iterator[tuple[str, str]]:
    """Yield the universes that lead a column, then the rows that the paper does not have."""
    keys = [key for key in results.cells if labels.is_universe(key[1])]
    table = np.array([[each.value for each in scored(results, school, key)] for key in keys])
    # What was not found leads nothing: NaN is not equal to anything.
    best = np.where(np.isnan(table), -np.inf, table).max(axis=0, initial=-np.inf)
    for key, values in zip(keys, table, strict=True):
        if (values == best).any():
            yield key[::-1]
    for embedding in (*results.embeddings, NONE):
        yield from ((row, embedding) for row in labels.further_rows(results.rows(embedding)))


def _pooled_row(
    results: Results,
    school: School,
    names: tuple[str, ...],
    keys: Sequence[Key],
    printed: Sequence[Spread] | None,
) -> Row:
    count = str(len(evaluated(results, school, keys)))
    return Row((*names, f"{count} of {len(keys)}"), pooled(results, school, keys, printed))


def _density(results: Results, school: School, key: Key) -> tuple[Number, ...]:
    report = results.cells[key].report
    clusters, noise = (report.clusters, report.noise_share) if report else (None, None)
    counts = (Number(math.nan if value is None else value) for value in (clusters, noise))
    return (*counts, *scored(results, school, key)[-2:])
