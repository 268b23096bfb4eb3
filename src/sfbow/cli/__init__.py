"""The command line. A new command is a module here with a `command`, and a line in COMMANDS."""

import os
import signal
import sys

import click

import sfbow
from sfbow.cli.group import LazyGroup

COMMANDS = {
    "build": "Make a model from word vectors.",
    "completion": "Print the script that completes commands in a shell.",
    "dedup": "Find texts that are nearly the same.",
    "distill": "Distil a model from a transformer.",
    "download": "Get data to evaluate on.",
    "encode": "Turn texts into vectors.",
    "evaluate": "Tell how well models agree with people.",
    "explain": "Tell which words make two texts similar.",
    "index": "Make an index of texts to search, or add to one.",
    "info": "Tell what is in a model, an index or a file of word vectors.",
    "reproduce": "Run the paper's experiment and write its tables and figures.",
    "search": "Find the texts of an index that are most similar.",
    "similar": "Tell how similar two texts are.",
}

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


@click.group(
    cls=LazyGroup,
    package=__name__,
    summaries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(sfbow.__version__, prog_name="sfbow", message="%(prog)s %(version)s")
def cli() -> None:
    """Sentence embeddings without a GPU: texts as fuzzy sets of words.

    Data goes to standard output, anything else to standard error; "-" as a file is standard input
    or output. The exit status is 0 if all went well, 1 if an input is at fault, 2 if the command
    was written wrongly.

    \b
    Examples:
      sfbow similar "A man plays a guitar." "Someone makes music."
      sfbow encode titles.txt -o titles.npy
      sfbow build glove.6B.300d.txt -o my-model
    """  # noqa: D301 - click wants the character \b


def main() -> None:
    """Run the command line of this process."""
    # A process that is asked to end removes its temporary files first.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    _open_closed_streams()
    cli(prog_name="sfbow")


def _open_closed_streams() -> None:
    """Give standard streams that were closed an end, so that no other file takes their place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) < len(_STREAMS):
        name, mode = _STREAMS[descriptor]
        stream = open(descriptor, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - kept
        setattr(sys, name, stream)
    os.close(descriptor)
