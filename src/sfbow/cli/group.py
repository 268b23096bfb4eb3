"""A group of commands that loads the one that runs, and tells errors in one line."""

import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TextIO

import click

from sfbow.errors import SfbowError, SfbowWarning

_INTERRUPTED = 130  # what shells say of a process that Ctrl-C ended, and
_BROKEN_PIPE = 141  # of one that wrote to a pipe nobody reads


class LazyGroup(click.Group):
    """Commands as modules of ``package``, with the one-line summary of each."""

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 - click's own
        package: str,
        summaries: Mapping[str, str],
        **options: Any,  # noqa: ANN401 - click's own
    ) -> None:
        super().__init__(*args, **options)
        self._package = package
        self._summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names of the commands."""
        return list(self._summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name not in self._summaries:
            return None
        command = import_module(f"{self._package}.{cmd_name}").command
        assert isinstance(command, click.Command)  # noqa: S101 - for the type checker
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._summaries.items()))

    def make_context(self, *args: Any, **options: Any) -> click.Context:  # noqa: ANN401 - click's own
        """Read the arguments of the group itself."""
        with _faults_in_one_line():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own
        """Run the command that is asked for."""
        with _faults_in_one_line(), _warnings_in_one_line():
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result


@contextmanager
def _faults_in_one_line() -> Iterator[None]:
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        _fail(_describe_usage(error), error.exit_code)
    except KeyboardInterrupt:
        _fail("interrupted", _INTERRUPTED)
    except BrokenPipeError:
        _drop_output()
        raise click.exceptions.Exit(_BROKEN_PIPE) from None
    except MemoryError:
        _fail("out of memory", 1)
    except SfbowError as error:
        _fail(str(error), 1)
    except OSError as error:
        _fail(_describe(error), 1)


def _fail(message: str, status: int) -> None:
    _say(message)
    raise click.exceptions.Exit(status) from None


def _say(message: str) -> None:
    click.echo("sfbow: " + " ".join(message.split()), err=True)


def _describe_usage(error: click.UsageError) -> str:
    message = error.format_message().rstrip(".")
    command = error.ctx.command_path if error.ctx else "sfbow"
    return f"{message[:1].lower()}{message[1:]}; see '{command} --help'"


def _describe(error: OSError) -> str:
    if error.strerror is None:
        return str(error) or type(error).__name__
    reason = error.strerror[:1].lower() + error.strerror[1:]
    return reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("always", SfbowWarning)
        show = warnings.showwarning

        def show_ours(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, SfbowWarning):
                _say(f"warning: {message}")
            else:
                show(message, category, filename, lineno, file, line)

        warnings.showwarning = show_ours
        yield


def _drop_output() -> None:
    """Send what is still buffered nowhere, so that Python's exit does not stumble over it."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, AttributeError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
