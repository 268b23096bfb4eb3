"""`sfbow evaluate`: how well models agree with people."""

from pathlib import Path

import click

from sfbow.cli.options import step
from sfbow.evaluation.correlation import CORRELATIONS, SCHOOLS, Correlation, School
from sfbow.evaluation.evaluator import evaluate
from sfbow.evaluation.pairs import Benchmark, read_pairs, read_sick
from sfbow.evaluation.reporting import Format, report
from sfbow.evaluation.resampling import bootstrap
from sfbow.evaluation.sts import EDITIONS, read_sts
from sfbow.model import SFBoW

_RESAMPLES = 1000  # where --compare asks for some, and --bootstrap does not say how many
_EMBEDDED = "embedded"


@click.command("evaluate")
@click.option(
    "--model",
    "-m",
    "names",
    multiple=True,
    type=click.Path(),
    metavar="FOLDER|ID",
    help="A model's folder, or its name on the Hugging Face hub; may be given several times. "
    "Default: the model in sfbow.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder that holds STS12-en-test to STS16-en-test. Default: sfbow/sts in the user's "
    "cache.",
)
@click.option(
    "--edition",
    "editions",
    multiple=True,
    type=click.Choice(EDITIONS),
    help="Only this edition of STS; may be given several times.",
)
@click.option(
    "--sick",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Evaluate on SICK instead: the folder of SICK_train.txt and SICK_trial.txt.",
)
@click.option(
    "--pairs",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Evaluate on pairs of your own instead: two texts and a score a line, tabs between.",
)
@click.option(
    "--school",
    "schools",
    multiple=True,
    type=click.Choice(SCHOOLS),
    help="How an edition's sub-datasets become one score: the mean of theirs, the mean weighted by "
    "pairs, or one correlation over all pairs; may be given several times. Default: each.",
)
@click.option(
    "--correlation",
    "correlations",
    multiple=True,
    type=click.Choice(CORRELATIONS),
    help="May be given several times. Default: both.",
)
@click.option("--details", is_flag=True, help="Show each sub-dataset in the tables, too.")
@click.option(
    "--bootstrap",
    "resamples",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Show 95% intervals from N resamples of the pairs.",
)
@click.option(
    "--compare",
    is_flag=True,
    help=f"Test each model against the first, by {_RESAMPLES} resamples if --bootstrap is not "
    "given.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the resamples."
)
@click.option(
    "--format",
    "-f",
    "target",
    type=click.Choice(["table", "markdown", "csv", "json"]),
    default="table",
    show_default=True,
)
def command(
    names: tuple[str, ...],
    data: Path | None,
    editions: tuple[str, ...],
    sick: Path | None,
    pairs: Path | None,
    schools: tuple[School, ...],
    correlations: tuple[Correlation, ...],
    details: bool,
    resamples: int,
    compare: bool,
    seed: int,
    target: Format,
) -> None:
    """Tell how well models agree with people.

    Correlates the models' similarities with scores of people, after Spearman and Pearson: on
    SemEval's STS 2012-2016, on SICK, or on pairs of your own.

    \b
    Examples:
      sfbow evaluate --data sts
      sfbow evaluate --data sts --model my-model --model other-model --compare
      sfbow evaluate --pairs scored.tsv --bootstrap 1000 --format json
    """  # noqa: D301 - click wants the character \b
    if compare and len(names) < 2:
        raise click.UsageError("--compare needs two models: --model A --model B")
    if compare and target == "csv":
        raise click.UsageError("--compare is for --format table, markdown or json")
    benchmark = _benchmark(data, editions, sick, pairs)
    evaluations = []
    for name in names or (None,):
        step(f"Evaluating {name or _EMBEDDED}")
        model = SFBoW.from_pretrained(name)
        evaluations.append(evaluate(model, benchmark, name=name or _EMBEDDED))
    resampled = None
    if resamples or compare:
        step("Resampling the pairs")
        resampled = bootstrap(evaluations, resamples=resamples or _RESAMPLES, seed=seed)
    click.echo(
        report(
            evaluations,
            format=target,
            schools=schools or SCHOOLS,
            correlations=correlations or CORRELATIONS,
            details=details,
            resampled=resampled,
            compare=compare,
        )
    )


def _benchmark(
    data: Path | None, editions: tuple[str, ...], sick: Path | None, pairs: Path | None
) -> Benchmark:
    if sum(source is not None for source in (data, sick, pairs)) > 1:
        raise click.UsageError("give one of --data, --sick and --pairs")
    if editions and (sick or pairs):
        raise click.UsageError("--edition is for STS")
    if sick is not None:
        return read_sick(sick)
    if pairs is not None:
        return read_pairs(pairs)
    return read_sts(data, editions=[name for name in EDITIONS if name in (editions or EDITIONS)])
