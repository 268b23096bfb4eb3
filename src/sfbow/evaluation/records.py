"""Evaluations as flat records, one for each score: what CSV and JSON hold."""

import csv
import io
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from sfbow.evaluation.correlation import Correlation, School
from sfbow.evaluation.resampling import Bootstrap, Comparison
from sfbow.evaluation.results import Evaluation

Record = dict[str, Any]

_COLUMNS = (
    "benchmark", "model", "correlation", "school", "edition", "subset", "pairs", "score",
    "deviation", "low", "high",
)  # fmt: skip


def score_records(
    evaluations: Sequence[Evaluation],
    schools: Sequence[School],
    correlations: Sequence[Correlation],
    resampled: Bootstrap | None,
) -> Iterator[Record]:
    """Yield the scores of editions by school, their averages, and the scores of pair sets."""
    for place, evaluation in enumerate(evaluations):
        for correlation in correlations:
            for school in schools:
                for record in _of_school(evaluation, school, correlation):
                    if resampled:
                        key = record["edition"], school, correlation
                        record["low"], record["high"] = resampled.interval(place, *key)
                    yield record
            yield from _of_sets(evaluation, correlation)


def _of_school(
    evaluation: Evaluation, school: School, correlation: Correlation
) -> Iterator[Record]:
    shared = {
        "benchmark": evaluation.benchmark,
        "model": evaluation.model,
        "correlation": correlation,
        "school": school,
    }
    scores = evaluation.scores(school, correlation).tolist()
    for edition, score in zip(evaluation.editions, scores, strict=True):
        yield {**shared, "edition": edition.name, "pairs": edition.pairs, "score": score}
    if len(scores) == 1:
        return
    summary = evaluation.summary(school, correlation)
    deviation = summary.pop("deviation")
    for name, score in summary.items():
        record = {**shared, "edition": name, "pairs": evaluation.pairs, "score": score}
        yield {**record, "deviation": deviation} if name == "average" else record


def _of_sets(evaluation: Evaluation, correlation: Correlation) -> Iterator[Record]:
    for edition in evaluation.editions:
        for each in edition.sets:
            yield {
                "benchmark": evaluation.benchmark,
                "model": evaluation.model,
                "correlation": correlation,
                "edition": edition.name,
                "subset": each.name,
                "pairs": len(each.gold),
                "score": each.score(correlation),
            }


def as_csv(records: Sequence[Record]) -> str:
    """Write records as CSV with a header; what is undefined is empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(_without_nan, records))
    return out.getvalue().removesuffix("\n")


def as_json(
    evaluations: Sequence[Evaluation],
    records: Sequence[Record],
    resampled: Bootstrap | None,
    compared: Sequence[tuple[School, Correlation, Comparison]],
) -> str:
    """Write all there is as JSON; what is undefined is null."""
    content: Record = {
        "benchmark": evaluations[0].benchmark,
        "pairs": evaluations[0].pairs,
        "models": [_model_facts(each) for each in evaluations],
        "scores": list(map(_without_nan, records)),
    }
    if resampled:
        content["bootstrap"] = {
            "level": resampled.level,
            "resamples": resampled.resamples,
            "seed": resampled.seed,
        }
    if compared:
        content["comparisons"] = [
            _without_nan({"school": school, "correlation": correlation, **vars(comparison)})
            for school, correlation, comparison in compared
        ]
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)


def _model_facts(evaluation: Evaluation) -> Record:
    return {
        "model": evaluation.model,
        "seconds": round(evaluation.seconds, 3),
        **vars(evaluation.coverage),
    }


def _without_nan(record: Record) -> Record:
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in record.items()
    }
