"""`sfbow info`: what is in a model, an index or a file of word vectors."""

import json
from itertools import islice
from pathlib import Path
from typing import Literal

import click

from sfbow.cli.facts import Facts, describe
from sfbow.cli.facts_table import as_table, fact_rows
from sfbow.cli.options import errors_option, open_texts
from sfbow.coverage import Coverage, measure_coverage
from sfbow.model_folder import open_model
from sfbow.readers import open_vectors
from sfbow.storage import is_folder, verify_folder
from sfbow.tables import Errors
from sfbow.text import Texts, Tokenizer
from sfbow.vectors import WordVectors
from sfbow.vocabulary import Vocabulary, VocabularyBuilder

_MOST_UNKNOWN = 50
_LISTED_UNKNOWN = 8


@click.command("info")
@click.argument("path", required=False, type=click.Path())
@click.option(
    "--coverage",
    type=click.Path(allow_dash=True),
    metavar="FILE",
    help="Tell how many of the words of FILE, a text a line, are known.",
)
@click.option("--verify", is_flag=True, help="Compare each file of the folder with its SHA-256.")
@click.option(
    "--format",
    "-f",
    "target",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
)
@errors_option
def command(
    path: str | None,
    coverage: str | None,
    verify: bool,
    target: Literal["table", "json"],
    errors: Errors,
) -> None:
    """Tell what is in a model, an index or a file of word vectors.

    PATH is a model's folder or its name on the hub, an index, or a file or folder of word vectors;
    without it, the model in sfbow. Only the beginning of a vector file is read, so that the number
    of its words may be a guess; --coverage reads all of it.

    \b
    Examples:
      sfbow info my-model
      sfbow info glove.6B.300d.txt --coverage titles.txt
      sfbow info my-model --verify --format json
    """  # noqa: D301 - click wants the character \b
    facts = describe(path)
    if verify:
        facts["verified"] = _verify(Path(facts["path"]))
    if coverage is not None:
        if facts["kind"] == "index":
            raise click.UsageError("--coverage is for models and word vectors")
        vocabulary, tokenizer = _vocabulary(facts)
        with open_texts(coverage, errors) as file:
            covered = measure_coverage(file.lines(), vocabulary, tokenizer)
        facts["coverage"] = _coverage_facts(coverage, covered)
    if target == "json":
        click.echo(json.dumps(facts, ensure_ascii=False, indent=2))
    else:
        click.echo(_table(facts))


def _verify(path: Path) -> list[str]:
    if not is_folder(path):
        raise click.UsageError("--verify is for folders of sfbow: no other has checksums")
    return verify_folder(path)


def _vocabulary(facts: Facts) -> tuple[Vocabulary, Tokenizer]:
    path = Path(facts["path"])
    if facts["kind"] == "model":
        parts = open_model(path)
        return parts.vocabulary, parts.tokenizer
    vocabulary = _known_words(path)
    return vocabulary, Tokenizer("both" if vocabulary.is_cased else "lower")


def _known_words(path: Path) -> Vocabulary:
    """Read the words alone: the vectors may be larger than the memory."""
    if is_folder(path):
        return WordVectors.load(path).vocabulary
    builder = VocabularyBuilder()
    for block in open_vectors(path).blocks:
        builder.add(Texts(block.buffer, block.offsets))
    return builder.finish()


def _coverage_facts(path: str, covered: Coverage) -> Facts:
    return {
        "file": path,
        "texts": covered.texts,
        "texts_without_known_word": covered.texts_without,
        "tokens": covered.tokens,
        "known_tokens": covered.known_tokens,
        "words": covered.words,
        "known_words": covered.known_words,
        "most_frequent_unknown": dict(covered.unknown.most_common(_MOST_UNKNOWN)),
    }


def _table(facts: Facts) -> str:
    rows = fact_rows(facts)
    if "verified" in facts:
        rows.append(("verified", f"{len(facts['verified'])} files have the SHA-256 they should"))
    if "coverage" in facts:
        rows += _coverage_rows(facts["coverage"])
    return as_table(rows)


def _coverage_rows(covered: Facts) -> list[tuple[str, str]]:
    known = _share(covered["known_tokens"], covered["tokens"])
    distinct = _share(covered["known_words"], covered["words"])
    without = f"{covered['texts_without_known_word']:,} of {covered['texts']:,}"
    listed = islice(covered["most_frequent_unknown"].items(), _LISTED_UNKNOWN)
    unknown = ", ".join(f"{word} ({count:,})" for word, count in listed)
    return [
        ("", ""),
        ("coverage", covered["file"]),
        ("known", f"{known} words, {distinct} distinct words"),
        ("unknown", f"most often {unknown}" if unknown else "none"),
        ("texts", f"{without} have no known word"),
    ]


def _share(part: int, whole: int) -> str:
    return f"{part / whole if whole else 0:.1%} of {whole:,}"
