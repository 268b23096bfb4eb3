"""Tables as Markdown, LaTeX and CSV."""

import csv
import io
import math
from collections.abc import Callable, Iterator, Sequence

from sfbow.evaluation.tables import TIMES_100, UNDEFINED
from sfbow.experiment.labels import thousands
from sfbow.experiment.table import Column, Mark, Number, Row, Style, Table

_SPACE = "\u00a0"
_UPRIGHT = 9  # columns, at most
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    _SPACE: "~", "ε": r"$\varepsilon$", "Δ": r"$\Delta$", "±": r"$\pm$", UNDEFINED: "--",
    TIMES_100[0]: r"$\times$", "\u2212": "$-$",
}  # fmt: skip


def as_markdown(table: Table) -> str:
    """Write a table of GitHub's Markdown: best in bold, second underlined."""
    header = [*table.labels, *_columns(table)]
    rule = ["---"] * len(table.labels) + ["---:"] * (len(header) - len(table.labels))
    marks = {"best": "**{}**", "second": "<u>{}</u>"}
    rows = [
        [cell.replace("|", "\\|") for cell in row.labels] + list(_cells(table, row, places, marks))
        for block in table.marked()
        for row, places in block
    ]
    lines = [f"| {' | '.join(row)} |" for row in (header, rule, *rows)]
    return "\n".join([f"{table.title}", "", *lines, ""])


def as_latex(table: Table) -> str:
    """Write a floating table after booktabs, no wider than the page; on its side, if it is wide."""
    marks = {"best": r"\textbf{{{}}}", "second": r"\underline{{{}}}"}
    numbers = len(_columns(table))
    kind = "sidewaystable" if len(table.labels) + numbers > _UPRIGHT else "table"
    lines = [
        r"% needs \usepackage{booktabs,graphicx,rotating}",
        rf"\begin{{{kind}}}[htp]",
        rf"\caption{{{_escaped(table.title)}}}",
        rf"\label{{tab:{table.name}}}",
        r"\begin{center}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{'l' * len(table.labels)}{'r' * numbers}}}",
        r"\toprule",
        _latex_line([_escaped(cell) for cell in (*table.labels, *_columns(table))]),
    ]
    for block in table.marked():
        lines.append(r"\midrule")
        for row, places in block:
            cells = _cells(table, row, places, marks, _escaped)
            lines.append(_latex_line([*map(_escaped, row.labels), *cells]))
    return "\n".join(
        [
            *lines,
            r"\bottomrule",
            r"\end{tabular}}",
            r"\end{center}",
            rf"\end{{{kind}}}",
            "",
        ]
    )


def as_csv(table: Table) -> str:
    """Write all there is: each number, its deviation, the paper's, and the difference."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    parts = [_csv_parts(table, place) for place in range(len(table.columns))]
    names = [
        f"{column.name} {part}".strip()
        for column, kinds in zip(table.columns, parts, strict=True)
        for part in kinds
    ]
    writer.writerow([*table.labels, *names])
    for row in table.rows:
        numbers = zip(table.columns, row.numbers, parts, strict=True)
        cells = [
            _csv_number(_PARTS[part](number, column.style), column.style)
            for column, number, kinds in numbers
            for part in kinds
        ]
        writer.writerow([*(label.replace(_SPACE, "") for label in row.labels), *cells])
    return out.getvalue()


_PARTS: dict[str, Callable[[Number, Style], float | None]] = {
    "": lambda number, _: number.value,
    "deviation": lambda number, _: number.deviation,
    "paper": lambda number, _: number.paper,
    "paper deviation": lambda number, _: number.paper_deviation,
    "difference": lambda number, style: number.difference(style),
}


def _csv_parts(table: Table, place: int) -> list[str]:
    numbers = [row.numbers[place] for row in table.rows]
    found = {
        "": True,
        "deviation": any(number.deviation is not None for number in numbers),
        "paper": any(number.paper is not None for number in numbers),
        "paper deviation": any(number.paper_deviation is not None for number in numbers),
        "difference": any(number.paper is not None for number in numbers),
    }
    return [name for name, has in found.items() if has]


def _csv_number(value: float | None, style: Style) -> str:
    if value is None or math.isnan(value):
        return ""
    return f"{value:.0f}" if style == "count" else f"{value:.4f}"


def _columns(table: Table) -> list[str]:
    names = []
    for column in table.columns:
        names += [column.name, "paper", "Δ"] if column.compared else [column.name]
    return names


def _cells(
    table: Table,
    row: Row,
    marks: Sequence[Mark],
    templates: dict[str, str],
    escape: Callable[[str], str] = str,
) -> Iterator[str]:
    for column, number, mark in zip(table.columns, row.numbers, marks, strict=True):
        text = escape(_text(number.value, column.style))
        yield templates.get(mark, "{}").format(text) + escape(_plus_minus(number.deviation))
        if column.compared:
            yield escape(_text(number.paper, column.style) + _plus_minus(number.paper_deviation))
            yield escape(_difference(number, column))


def _text(value: float | None, style: Style) -> str:
    if value is None or math.isnan(value):
        return UNDEFINED
    if style == "count":
        return thousands(int(value))
    return f"{100 * value:.1f}{_SPACE}%" if style == "share" else f"{value:.2f}"


def _plus_minus(deviation: float | None) -> str:
    known = deviation is not None and not math.isnan(deviation)
    return f"{_SPACE}±{_SPACE}{deviation:.2f}" if known else ""


def _difference(number: Number, column: Column) -> str:
    difference = number.difference(column.style)
    if difference is None:
        return UNDEFINED
    decimals = 0 if column.style == "count" else 2
    rounded = round(difference, decimals)
    return f"{rounded:+.{decimals}f}".replace("-", "\u2212") if rounded else f"{0:.{decimals}f}"


def _latex_line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)
