"""How well a model's similarities agree with those of people.

>>> from sfbow import SFBoW
>>> from sfbow.evaluation import evaluate, read_sts
>>> result = evaluate(SFBoW.from_pretrained(), read_sts("sts"))       # doctest: +SKIP
>>> result.summary("all")["average"]                                  # doctest: +SKIP
"""

from sfbow.evaluation.correlation import pearson, spearman
from sfbow.evaluation.evaluator import ComparesTexts, SentenceModel, evaluate
from sfbow.evaluation.pairs import Benchmark, Edition, PairSet, read_pairs, read_sick
from sfbow.evaluation.reporting import report
from sfbow.evaluation.resampling import Bootstrap, Comparison, bootstrap
from sfbow.evaluation.results import Evaluation
from sfbow.evaluation.sts import read_sts, sts_folder

__all__ = [
    "Benchmark",
    "Bootstrap",
    "ComparesTexts",
    "Comparison",
    "Edition",
    "Evaluation",
    "PairSet",
    "SentenceModel",
    "bootstrap",
    "evaluate",
    "pearson",
    "read_pairs",
    "read_sick",
    "read_sts",
    "report",
    "spearman",
    "sts_folder",
]
