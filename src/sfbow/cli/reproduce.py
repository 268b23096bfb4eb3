"""`sfbow reproduce`: the paper's experiment, its tables and figures."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sfbow.cli.options import on_terminal, step
from sfbow.evaluation.correlation import SCHOOLS, School
from sfbow.evaluation.sts import read_sts
from sfbow.experiment.figures import write_figures
from sfbow.experiment.grid import Row, Source
from sfbow.experiment.run import run_experiment
from sfbow.experiment.tables import write_tables
from sfbow.model import SFBoW

_FILE = click.Path(path_type=Path)


@click.command("reproduce")
@click.option("--word2vec", type=_FILE, metavar="FILE", help="Vectors of word2vec, as GoogleNews'.")
@click.option("--glove", type=_FILE, metavar="FILE", help="Vectors of GloVe.")
@click.option("--fasttext", type=_FILE, metavar="FILE", help="Vectors of fastText.")
@click.option("--sent2vec", type=_FILE, metavar="FILE", help="A model of sent2vec, its .bin.")
@click.option(
    "--vectors",
    "others",
    multiple=True,
    metavar="NAME=FILE",
    help="Any other word vectors, under a name of yours; may be given several times.",
)
@click.option(
    "--sentence-bert",
    type=click.Path(),
    metavar="FOLDER|ID",
    help="A model of sentence-transformers to compare with.",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME=FOLDER|ID",
    help="A model of yours to compare with, under a name of yours; may be given several times.",
)
@click.option(
    "--data",
    type=_FILE,
    metavar="DIR",
    help="The folder that holds STS12-en-test to STS16-en-test. Default: sfbow/sts in the user's "
    "cache.",
)
@click.option(
    "--output", "-o", "--out", type=_FILE, required=True, metavar="FOLDER", help="For all results."
)
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Only such rows, as 'kmeans-*' or identity; may be given several times.",
)
@click.option(
    "--school",
    type=click.Choice(SCHOOLS),
    default="mean",
    show_default=True,
    help="How an edition's sub-datasets become one score in tables and figures: the paper's is the "
    "mean. The cells hold all.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
def command(
    word2vec: Path | None,
    glove: Path | None,
    fasttext: Path | None,
    sent2vec: Path | None,
    others: tuple[str, ...],
    sentence_bert: str | None,
    models: tuple[str, ...],
    data: Path | None,
    output: Path,
    only: tuple[str, ...],
    school: School,
    seed: int,
) -> None:
    """Run the paper's experiment and write its tables and figures.

    Each cell of the grid, a universe or baseline on an embedding, is a file in FOLDER once it is
    finished: stopped and started again, the experiment goes on where it was. Tables and figures
    are made from these files at the end; without any vectors, of what there is.

    \b
    Examples:
      sfbow reproduce --glove glove.6B.300d.txt --out results
      sfbow reproduce --glove glove.6B.300d.txt --out results --only 'pca-*'
      sfbow reproduce --out results --school all
    """  # noqa: D301 - click wants the character \b
    given = {"Word2Vec": word2vec, "GloVe": glove, "FastText": fasttext, "Sent2Vec": sent2vec}
    sources = [Source(name, path) for name, path in given.items() if path is not None]
    sources += [Source(name, Path(path)) for name, path in map(_named("--vectors"), others)]
    rows = [] if sentence_bert is None else [_sentence_bert(sentence_bert)]
    rows += [_saved(name, path) for name, path in map(_named("--model"), models)]
    if only and not (sources or rows):
        raise click.UsageError("--only needs vectors or models")
    if sources or rows:
        run_experiment(
            sources,
            read_sts(data),
            output,
            only=only,
            seed=seed,
            others=rows,
            show_progress_bar=on_terminal(),
        )
    step("Writing tables and figures")
    write_tables(output, output, school=school)
    write_figures(output, output, school=school)


def _named(option: str) -> Callable[[str], tuple[str, str]]:
    """Give a function that parts a name from what it is the name of."""

    def parted(value: str) -> tuple[str, str]:
        name, equals, path = value.partition("=")
        if not (equals and path and name.replace("-", "").replace("_", "").isalnum()):
            raise click.UsageError(f"{option}: expected NAME=…, found {value!r}")
        return name, path

    return parted


def _sentence_bert(name: str) -> Row:
    def build(_: Source, __: int) -> tuple[Any, None]:
        from sfbow.baselines import SentenceTransformerModel

        return SentenceTransformerModel(name), None

    return Row("sentence-bert", 300, build, _made_of(name))


def _saved(name: str, path: str) -> Row:
    def build(_: Source, __: int) -> tuple[Any, None]:
        return SFBoW.from_pretrained(path), None

    return Row(name, 1, build, _made_of(path))


def _made_of(name: str) -> str | Path:
    """Give a folder, or else an id of the hub."""
    return Path(name) if Path(name).exists() else name
