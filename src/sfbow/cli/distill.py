"""`sfbow distill`: a transformer's similarities into a model."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sfbow.cli.facts import model_facts
from sfbow.cli.facts_table import as_table, fact_rows
from sfbow.cli.options import MEASURES, Command, on_terminal, step
from sfbow.cli.outputs import check_output, force_option, output_option
from sfbow.distill import Progress, Settings, distill
from sfbow.distill.card import model_card
from sfbow.distill.settings import Device
from sfbow.distill.texts import read_list, read_sentences
from sfbow.measures import Measure

_DEFAULT = Settings()


def _count_option(name: str, least: int, text: str) -> Callable[[Command], Command]:
    """Make the option of a setting that is a number of something."""
    return click.option(
        f"--{name}",
        type=click.IntRange(min=least),
        default=getattr(_DEFAULT, name),
        show_default=True,
        metavar="N",
        help=text,
    )


@click.command("distill")
@click.argument("teacher")
@click.argument("texts", nargs=-1, type=click.Path(path_type=Path))
@output_option
@force_option
@_count_option(
    "words", 1, "How many words the model knows, at most: the most frequent ones of TEXTS."
)
@click.option(
    "--word-list",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A word a line, to know in any case. Without TEXTS: all the words, frequent ones first.",
)
@click.option(
    "--dim",
    type=click.IntRange(min=1),
    metavar="N",
    help="Axes, each of which gives two fuzzy sets. Default: 256, or what --from has.",
)
@click.option(
    "--from",
    "start",
    type=click.Path(path_type=Path),
    metavar="FOLDER|FILE",
    help="Vectors to start from, rather than the teacher's of each word: a model of sfbow, a "
    "folder of model2vec or StaticEmbedding, or a file of word vectors.",
)
@click.option("--measure", type=MEASURES, default=_DEFAULT.measure, show_default=True)
@click.option("--no-train", is_flag=True, help="Leave it at the start; TEXTS may be left out, too.")
@_count_option("steps", 1, "Batches to learn from.")
@_count_option("batch", 2, "Pairs of sentences in each, compared all with all.")
@_count_option("longest", 1, "Leave sentences of more words out.")
@_count_option(
    "runs", 1, "Train so many times, of this seed and the next ones; the model is the mean."
)
@_count_option("seed", 0, "Of the first run's batches.")
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="Where to compute; auto: on a GPU if there is one.",
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep the teacher's vectors here, for runs with other settings.",
)
def command(
    teacher: str,
    texts: tuple[Path, ...],
    output: Path,
    force: bool,
    words: int,
    word_list: Path | None,
    dim: int | None,
    start: Path | None,
    measure: Measure,
    no_train: bool,
    steps: int,
    batch: int,
    longest: int,
    runs: int,
    seed: int,
    device: Device,
    cache: Path | None,
) -> None:
    """Distil a model from a transformer.

    TEACHER is a model of sentence-transformers: a folder, or a name on the Hugging Face hub. TEXTS
    are files with a sentence a line, packed (.gz, .bz2, .xz) or not. The model's words get
    memberships by which sentences are as similar as the teacher finds them.

    What was done is kept in FOLDER.unfinished until the model is there: the same command goes on
    where one before it was stopped.

    \b
    Examples:
      sfbow distill sentence-transformers/all-MiniLM-L6-v2 news.txt.xz -o news
      sfbow distill my-teacher reports.txt -o small --words 20000 --dim 128
      sfbow distill my-teacher -o quick --no-train --word-list words.txt
    """  # noqa: D301 - click wants the character \b
    if not (texts or no_train):
        raise click.UsageError("give texts to learn from, or --no-train")
    check_output(output, force)
    settings = Settings(
        words=words,
        dim=dim,
        measure=measure,
        steps=0 if no_train else steps,
        batch=batch,
        longest=longest,
        runs=runs,
        seed=seed,
        device=device,
    )
    unfinished = Path(f"{output.resolve()}.unfinished")
    reports: list[Progress] = []
    step("Reading texts")
    try:
        model = distill(
            teacher,
            read_sentences(texts),
            settings=settings,
            word_list=None if word_list is None else read_list(word_list),
            start=start,
            folder=unfinished,
            cache=cache,
            watch=_teller(reports),
            show_progress_bar=on_terminal(),
        )
    except KeyboardInterrupt:
        if unfinished.exists():
            click.echo(f"What was done is in {unfinished}: the same command goes on.", err=True)
        raise
    model.save_pretrained(output)
    card = model_card(model, _facts(teacher, texts, start, settings, reports))
    (output / "README.md").write_text(card, encoding="utf-8")
    shutil.rmtree(unfinished, ignore_errors=True)
    click.echo(as_table(fact_rows(model_facts(output))))


def _teller(reports: list[Progress]) -> Callable[[Progress], None]:
    def tell(progress: Progress) -> None:
        reports.append(progress)
        step(f"{_whose(progress)}: rank correlation with the teacher {progress.held_out:.4f}")

    return tell


def _whose(progress: Progress) -> str:
    if progress.step == 0:
        return "Start"
    if progress.seed is None:
        return "Mean of all runs"
    return f"Seed {progress.seed}, step {progress.step:,} of {progress.steps:,}"


def _facts(
    teacher: str,
    texts: tuple[Path, ...],
    start: Path | None,
    settings: Settings,
    reports: list[Progress],
) -> dict[str, Any]:
    found = [
        f"{_whose(report)}: {report.held_out:.4f}"
        for report in reports
        if report.step in (0, report.steps)
    ]
    return {
        "teacher": Path(teacher).name if Path(teacher).exists() else teacher,
        "texts": ", ".join(path.name for path in texts) or "none",
        "start": "the teacher's words" if start is None else start.name,
        **settings.as_dict(),
        "rank correlation with the teacher on held-out sentences": "; ".join(found) or "unknown",
    }
