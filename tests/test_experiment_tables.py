"""Tables of made-up folders; one that holds the paper's own scores has to give its tables."""

import csv
import io
import math

import pytest
from experiment_results import PAPER, cell, cells_of_the_paper, report_of, write_folder

from sfbow.experiment.labels import label
from sfbow.experiment.renderers import as_csv, as_latex, as_markdown
from sfbow.experiment.results import read_results
from sfbow.experiment.table import Column, Number, Row, Table
from sfbow.experiment.tables import make_tables, write_tables

SCORES = [50.0, 40.0, 60.0, 65.0, 70.0]


def tables_of(path, cells, school="mean", **run):
    found = make_tables(read_results(write_folder(path, cells, **run)), school)
    return {table.name: table for table in found}


def marks(table, kind):
    return {
        (row.labels, column.name)
        for block in table.marked()
        for row, places in block
        for column, mark in zip(table.columns, places, strict=True)
        if mark == kind
    }


@pytest.fixture(scope="module")
def of_the_paper(tmp_path_factory):
    return tables_of(tmp_path_factory.mktemp("paper"), cells_of_the_paper())


def off(table):
    """By first label and column, what differs from the paper by more than roundings explain."""
    return {
        (row.labels[0], column.name)
        for row in table.rows
        for column, number in zip(table.columns, row.numbers, strict=True)
        if abs(number.difference(column.style) or 0) > 0.0155
    }


def test_the_papers_scores_give_the_papers_averages(of_the_paper):
    """But where its averages do not follow from its scores: see `test_experiment_paper`."""
    of_fasttext = [("FastText", f"STS{year}") for year in (12, 13, 14)]
    by_embedding = {("Word2Vec", "STS14"), ("Sent2Vec", "STS13"), ("Sent2Vec", "STS14")}
    assert off(of_the_paper["table2-comparison"]) == set()
    assert off(of_the_paper["averages-by-embedding"]) == {
        *of_fasttext, *by_embedding, ("FastText", "Average")
    }  # fmt: skip
    assert off(of_the_paper["complete-word2vec"]) == {
        ("PCA", "Weighted average"), ("Average", "STS14")
    }  # fmt: skip
    assert off(of_the_paper["complete-glove"]) == set()
    assert off(of_the_paper["complete-fasttext"]) == {("Average", year) for _, year in of_fasttext}
    assert off(of_the_paper["complete-sent2vec"]) == {("Average", "STS13"), ("Average", "STS14")}
    assert {name for name, _ in off(of_the_paper["averages-by-universe"])} == {"k-means"}


def test_best_and_second_of_table_2_are_the_papers(of_the_paper):
    table = of_the_paper["table2-comparison"]
    columns = [column.name for column in table.columns]
    assert marks(table, "best") == {(("Sentence-BERT", "–"), column) for column in columns}
    assert marks(table, "second") == {
        (("SFBoW, PCA, English", "FastText"), "STS12"),
        (("SIF", "GloVe"), "STS13"),
        (("SFBoW, Identity", "FastText"), "STS14"),
        *((("DynaMax", "FastText"), column) for column in columns[3:]),
    }


def test_best_of_averages_by_universe_are_the_papers(of_the_paper):
    identity, pca = ("Identity", "", "", "4 of 4"), ("PCA", "English", "", "4 of 4")
    expected = {(pca, "STS12"), (identity, "STS13"), (identity, "STS14"), (identity, "STS15"),
                (pca, "STS15"), (pca, "STS16")}  # fmt: skip
    found = marks(of_the_paper["averages-by-universe"], "best")
    assert {each for each in found if each[1] != "Average"} == expected


def test_rows_stand_in_the_order_of_the_paper(of_the_paper):
    names = [row.labels[:2] for row in of_the_paper["table2-comparison"].rows]
    keys = list(PAPER.comparison)
    assert [name for name, _ in names] == [
        label(row) if "identity" not in row and "pca" not in row else f"SFBoW, {label(row)}"
        for _, row in keys
    ]


def test_one_embedding_is_compared_like_with_like(tmp_path):
    """Averages over two of the 15 universes, beside the paper's for the same two."""
    cells = [cell("GloVe", "identity", SCORES), cell("GloVe", "pca-english", [60.0] * 5)]
    tables = tables_of(tmp_path, cells)
    row = {each.labels[0]: each for each in tables["averages-by-embedding"].rows}["GloVe"]
    assert row.labels[1] == "2 of 15"
    first = row.numbers[0]
    assert (first.value, first.deviation) == (pytest.approx(55), pytest.approx(5))
    assert first.paper == pytest.approx((58.82 + 58.53) / 2)
    identity = {each.labels: each for each in tables["averages-by-universe"].rows}[
        "Identity", "", "", "1 of 4"
    ]
    assert identity.numbers[0].paper == pytest.approx(58.82)
    missing = {each.labels[0]: each for each in tables["averages-by-embedding"].rows}["Word2Vec"]
    assert math.isnan(missing.numbers[0].value)
    assert missing.numbers[0].paper == 52.82


def test_vectors_that_the_paper_does_not_have(tmp_path):
    tables = tables_of(tmp_path, [cell("mine", "identity", SCORES), cell("mine", "odd", SCORES)])
    complete = {row.labels[0]: row for row in tables["complete-mine"].rows}
    assert complete["Identity"].numbers[5].paper is None
    assert complete["odd"].numbers[5].value == pytest.approx(57)
    assert complete["Average"].numbers[0].value == pytest.approx(50)
    by_universe = {row.labels: row for row in tables["averages-by-universe"].rows}
    assert by_universe["Identity", "", "", "1 of 1"].numbers[0].paper is None
    ours = [row.labels for row in tables["table2-comparison"].blocks[2]]
    assert ("SFBoW, Identity", "mine") in ours
    assert ("odd", "mine") in ours


@pytest.mark.parametrize(("school", "more"), [("mean", 0), ("weighted", 1), ("all", 2)])
def test_schools(tmp_path, school, more):
    table = tables_of(tmp_path, [cell("GloVe", "identity", SCORES)], school)["complete-glove"]
    row = next(row for row in table.rows if row.labels[0] == "Identity")
    assert [number.value for number in row.numbers[:5]] == pytest.approx(
        [score + more for score in SCORES]
    )
    # (50·5250 + 40·2250 + 60·3750 + 65·3000 + 70·1186) / 15436
    assert row.numbers[6].value == pytest.approx(855_520 / 15_436 + more)


def test_support(tmp_path):
    pairs = dict(zip(PAPER.editions, (3108, 1500, 3750, 3000, 1186), strict=True))
    text = as_markdown(tables_of(tmp_path, [], pairs=pairs)["table1-support"])
    assert "| STS12 | 3108 | 5250 | −2142 |" in text
    assert "| STS14 | 3750 | 3750 | 0 |" in text
    assert "| Total | 12\u00a0544 | 15\u00a0436 | −2892 |" in text
    unknown = as_markdown(tables_of(tmp_path, [])["table1-support"])
    assert "| Total | – | 15\u00a0436 | – |" in unknown


def test_dbscan(tmp_path):
    cells = [
        cell("GloVe", "dbscan-euclidean-english-10", SCORES, report=report_of("dbscan-")),
        cell("GloVe", "dbscan-euclidean-english-4.5", SCORES, report=report_of("dbscan-")),
        cell("GloVe", "dbscan-cosine-top50000-0.1"),
    ]
    lines = as_markdown(tables_of(tmp_path, cells)["dbscan"]).splitlines()[4:]
    assert lines[0] == "| GloVe | cosine | top 50\u00a0000 | 0.1 | – | – | – | – |"
    assert lines[1].startswith("| GloVe | euclidean | English | 4.5 | 12 | 81.2\u00a0% | **57.00**")
    assert lines[2].startswith("| GloVe | euclidean | English | 10 | 12 |")


TABLE = Table(
    "small", "Some 100% & more", ("Model_1",), (Column("A", compared=True), Column("B")),
    (
        (Row(("x|y",), (Number(61.234, 2.5, 60.0, 2.25), Number(5.0))),
         Row(("z",), (Number(61.231, 2.5), Number()))),
        (Row(("top 10\u00a0000",), (Number(60.0, paper=61.0), Number(4.0))),
         Row(("Average",), (Number(99.0), Number(99.0)), ranked=False)),
    ),
)  # fmt: skip


def test_markdown():
    assert as_markdown(TABLE).splitlines() == [
        "Some 100% & more",
        "",
        "| Model_1 | A | paper | Δ | B |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| x\\|y | **61.23**\u00a0±\u00a02.50 | 60.00\u00a0±\u00a02.25 | +1.23 | **5.00** |",
        "| z | **61.23**\u00a0±\u00a02.50 | – | – | – |",
        "| top 10\u00a0000 | <u>60.00</u> | 61.00 | −1.00 | <u>4.00</u> |",
        "| Average | 99.00 | – | – | 99.00 |",
    ]


def test_latex():
    lines = as_latex(TABLE).splitlines()
    assert r"\caption{Some 100\% \& more}" in lines
    assert r"Model\_1 & A & paper & $\Delta$ & B \\" in lines
    assert r"x|y & \textbf{61.23}~$\pm$~2.50 & 60.00~$\pm$~2.25 & +1.23 & \textbf{5.00} \\" in lines
    assert r"top 10~000 & \underline{60.00} & 61.00 & $-$1.00 & \underline{4.00} \\" in lines
    assert lines.count(r"\midrule") == 2
    assert r"\begin{tabular}{lrrrr}" in lines
    assert (lines[1], lines[-1]) == (r"\begin{table}[htp]", r"\end{table}")


def test_wide_tables_of_latex_lie_on_their_side(of_the_paper):
    lines = as_latex(of_the_paper["complete-glove"]).splitlines()
    assert (lines[1], lines[-1]) == (r"\begin{sidewaystable}[htp]", r"\end{sidewaystable}")
    assert all(line.isascii() for line in lines)
    assert {line.count("&") for line in lines if line.endswith(r"\\")} == {13}


def test_csv():
    rows = list(csv.DictReader(io.StringIO(as_csv(TABLE))))
    assert rows[0] == {
        "Model_1": "x|y", "A": "61.2340", "A deviation": "2.5000", "A paper": "60.0000",
        "A paper deviation": "2.2500", "A difference": "1.2300", "B": "5.0000",
    }  # fmt: skip
    assert rows[1]["B"] == ""
    assert rows[2]["Model_1"] == "top 10000"


def test_csv_has_the_paper_for_each_edition(of_the_paper):
    rows = list(csv.DictReader(io.StringIO(as_csv(of_the_paper["complete-glove"]))))
    assert (rows[1]["STS13"], rows[1]["STS13 paper"], rows[1]["STS13 difference"]) == (
        "38.6200", "38.6200", "0.0000",
    )  # fmt: skip


def test_files_are_the_same_each_time(tmp_path):
    folder = write_folder(tmp_path / "results", [cell("GloVe", "identity", SCORES)])
    first = write_tables(folder, tmp_path / "a")
    again = write_tables(folder, tmp_path / "b")
    assert {path.name for path in first} == {
        f"{name}.{ending}"
        for name in ("table1-support", "table2-comparison", "averages-by-embedding",
                     "averages-by-universe", "complete-glove")
        for ending in ("md", "tex", "csv")
    }  # fmt: skip
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    assert first[0].parent == tmp_path / "a" / "tables"
