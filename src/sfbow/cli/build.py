"""`sfbow build`: word vectors into a model."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Literal

import click
from click.core import ParameterSource

from sfbow.cli.facts import is_model, model_facts
from sfbow.cli.facts_table import as_table, fact_rows
from sfbow.cli.options import MEASURES, on_terminal, step
from sfbow.errors import InputError
from sfbow.locks import is_abandoned, locked
from sfbow.measures import Measure
from sfbow.model import SFBoW
from sfbow.storage import is_folder
from sfbow.text import Casing, Split
from sfbow.universe import Metric, Universe
from sfbow.vectors import WordVectors
from sfbow.weights import Sif

Kind = Literal["identity", "pca", "ica", "kmeans", "spherical-kmeans", "dbscan"]

_WORKSHOP = ".sfbow-build-"  # and eight letters by chance
_TABLE_IN_MEMORY = 1 << 28  # bytes; the memberships of more words are made while they are written
_OF_CLUSTERS: tuple[Kind, ...] = ("kmeans", "spherical-kmeans")
_FROM_WORDS: tuple[Kind, ...] = ("ica", "pca", *_OF_CLUSTERS, "dbscan")
# Options that only some universes have.
_KINDS_WITH: dict[str, tuple[Kind, ...]] = {
    "k": _OF_CLUSTERS,
    "seed": ("ica", *_OF_CLUSTERS),
    "eps": ("dbscan",),
    "metric": ("dbscan",),
    "universe_words": _FROM_WORDS,
}
_SET_BY_PAPER = ("weights", "sif_a", "counts", "measure")


@click.command("build")
@click.argument("vectors", type=click.Path(path_type=Path))
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="The folder to make.",
)
@click.option("--force", is_flag=True, help="Replace a model that is in FOLDER already.")
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Read only the first N vectors."
)
@click.option(
    "--words",
    "kept",
    default="all",
    type=click.Path(),
    metavar="WHICH",
    show_default=True,
    help='The words that the model knows: "all", a number for the most frequent ones, "english" '
    "for those in the English dictionary, or a file with a word a line.",
)
@click.option(
    "--universe",
    "kind",
    type=click.Choice(["ica", "pca", "identity", "kmeans", "spherical-kmeans", "dbscan"]),
    help="How the fuzzy sets are made.  [default: ica; with --paper: identity]",
)
@click.option(
    "--universe-words",
    default="50000",
    type=click.Path(),
    metavar="WHICH",
    show_default=True,
    help="The words, of those kept, that it is made from: as with --words.",
)
@click.option(
    "--signed/--unsigned",
    default=None,
    help="Whether each axis gives two fuzzy sets, itself and its opposite.  "
    "[default: signed; with --paper: unsigned]",
)
@click.option(
    "--k", type=click.IntRange(min=1), metavar="N", help="Clusters of kmeans and spherical-kmeans."
)
@click.option("--eps", type=float, metavar="NUMBER", help="Radius of dbscan.")
@click.option(
    "--metric",
    type=click.Choice(["euclidean", "cosine"]),
    default="euclidean",
    show_default=True,
    help="Distance of dbscan.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    show_default=True,
    help="Of ica, kmeans and spherical-kmeans.",
)
@click.option(
    "--weights",
    type=click.Choice(["sif", "none"]),
    default="sif",
    show_default=True,
    help="Whether frequent words weigh less: a / (a + share of the word).",
)
@click.option(
    "--sif-a",
    type=float,
    metavar="NUMBER",
    default=Sif.a,
    show_default=True,
    help="The a of the weights.",
)
@click.option(
    "--counts",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A word and its count a line, for the weights. Default: shares guessed from the ranks.",
)
@click.option("--measure", type=MEASURES, default="otsuka", show_default=True)
@click.option(
    "--casing",
    type=click.Choice(["auto", "keep", "lower", "both"]),
    default="auto",
    show_default=True,
    help="How words are looked up; auto: both where the vectors know capitals, else lower.",
)
@click.option(
    "--punctuation/--no-punctuation",
    default=None,
    help="Whether punctuation marks are words. Default: with --paper only.",
)
@click.option("--split", type=click.Choice(["words", "spaces"]), default="words", show_default=True)
@click.option(
    "--paper",
    is_flag=True,
    help="The paper's model: counts, no weights, Jaccard, unsigned.",
)
@click.option(
    "--bits",
    type=click.Choice(["32", "8"]),
    default="32",
    show_default=True,
    help="Of each number: 8 make a model of a quarter of the size.",
)
@click.pass_context
def command(
    ctx: click.Context,
    vectors: Path,
    output: Path,
    force: bool,
    limit: int | None,
    kept: str,
    kind: Kind | None,
    universe_words: str,
    signed: bool | None,
    k: int | None,
    eps: float | None,
    metric: Metric,
    seed: int,
    weights: Literal["sif", "none"],
    sif_a: float,
    counts: Path | None,
    measure: Measure,
    casing: Casing | Literal["auto"],
    punctuation: bool | None,
    split: Split,
    paper: bool,
    bits: Literal["8", "32"],
) -> None:
    """Make a model from word vectors.

    VECTORS is a file of word2vec, GloVe, fastText or sent2vec, packed or not, or a folder of
    model2vec or of sfbow: what it is, its content tells. Files larger than the memory are no
    problem. The settings that are not given are those that measured best.

    \b
    Examples:
      sfbow build glove.6B.300d.txt -o my-model
      sfbow build cc.de.300.vec.gz -o german --words 200000 --bits 8
      sfbow build glove.6B.300d.txt -o as-in-the-paper --paper \\
            --universe kmeans --k 1000 --universe-words english
    """  # noqa: D301 - click wants the character \b
    kind = kind or ("identity" if paper else "ica")
    _check_options(ctx, kind, paper)
    _check_output(output, force)
    output.parent.mkdir(parents=True, exist_ok=True)
    with _workshop(output.parent) as workshop:
        step(f"Reading {vectors}")
        words = _subset(_open(vectors, workshop / "vectors", limit), kept)
        step(f"Making the universe ({kind})")
        universe = _universe(kind, words, universe_words, k, eps, metric, seed)
        if not paper if signed is None else signed:
            universe = universe.signed()
        if paper:
            model = SFBoW.paper(
                words,
                universe,
                casing=casing,
                punctuation=punctuation is not False,
                split=split,
                memory_budget=_TABLE_IN_MEMORY,
            )
        else:
            model = SFBoW(
                words,
                universe,
                weights=Sif(sif_a, counts) if weights == "sif" else None,
                measure=measure,
                casing=casing,
                punctuation=bool(punctuation),
                split=split,
                memory_budget=_TABLE_IN_MEMORY,
            )
        step(f"Writing {output}")
        _save(model.quantized() if bits == "8" else model, output, workshop / "model")
    click.echo(as_table(fact_rows(model_facts(output))))


def _check_options(ctx: click.Context, kind: Kind, paper: bool) -> None:
    given = {
        name
        for name in ctx.params
        if ctx.get_parameter_source(name) not in (ParameterSource.DEFAULT, None)
    }
    for name, kinds in _KINDS_WITH.items():
        if name in given and kind not in kinds:
            option = name.replace("_", "-")
            raise click.UsageError(f"--{option} is for --universe {' or '.join(kinds)}")
    if kind in _OF_CLUSTERS and "k" not in given:
        raise click.UsageError(f"--universe {kind} needs the number of clusters: --k N")
    if kind == "dbscan" and "eps" not in given:
        raise click.UsageError("--universe dbscan needs a radius: --eps NUMBER")
    for name in _SET_BY_PAPER:
        if paper and name in given:
            raise click.UsageError(f"--paper sets --{name.replace('_', '-')} itself")
    if ctx.params["weights"] == "none" and given & {"sif_a", "counts"}:
        raise click.UsageError("--sif-a and --counts are for --weights sif")


def _check_output(folder: Path, force: bool) -> None:
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not is_model(folder):
        raise InputError(
            f"{folder}: expected a new folder or a model to replace, found something else; "
            "choose another --output"
        )
    if not force:
        raise InputError(f"{folder}: expected a new folder, found a model; replace it with --force")


@contextmanager
def _workshop(place: Path) -> Iterator[Path]:
    """Give a folder for what is half-done; those that a killed process left are removed."""
    with ExitStack() as stack:
        with locked(place):
            for left in place.glob(f"{_WORKSHOP}????????"):
                if is_abandoned(left):
                    rmtree(left, ignore_errors=True)
            folder = tempfile.TemporaryDirectory(
                prefix=_WORKSHOP, dir=place, ignore_cleanup_errors=True
            )
            workshop = Path(stack.enter_context(folder))
            stack.enter_context(locked(workshop))
        yield workshop


def _open(vectors: Path, folder: Path, limit: int | None) -> WordVectors:
    """Open vectors mapped, so that they need no memory."""
    if is_folder(vectors):
        return WordVectors.load(vectors, limit=limit)
    return WordVectors.convert(vectors, folder, limit=limit)


def _subset(words: WordVectors, which: str) -> WordVectors:
    if which == "all":
        return words
    if which.isdecimal() and int(which) > 0:
        return words.most_frequent(int(which))
    return words.in_dictionary(None if which == "english" else which)


def _universe(
    kind: Kind,
    words: WordVectors,
    which: str,
    k: int | None,
    eps: float | None,
    metric: Metric,
    seed: int,
) -> Universe:
    if kind == "identity":
        return Universe.identity(words.dim)
    words, watched = _subset(words, which), on_terminal()
    if kind == "pca":
        return Universe.pca(words, show_progress_bar=watched)
    if kind == "dbscan" and eps is not None:
        return Universe.dbscan(words, eps, metric=metric, show_progress_bar=watched)
    if kind in _OF_CLUSTERS and k is not None:
        make = Universe.kmeans if kind == "kmeans" else Universe.spherical_kmeans
        return make(words, k, seed=seed, show_progress_bar=watched)
    return Universe.ica(words, seed=seed, show_progress_bar=watched)


def _save(model: SFBoW, folder: Path, workshop: Path) -> None:
    if folder.exists():
        model.save_pretrained(folder)  # which replaces a model in a single step
        return
    model.save_pretrained(workshop)
    workshop.rename(folder)
