"""`sfbow completion`: what a shell needs to complete our commands."""

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands in a shell.

    Once the shell has read it, the Tab key completes commands, options and file names.

    \b
    Examples:
      sfbow completion bash > ~/.local/share/bash-completion/completions/sfbow
      sfbow completion zsh > ~/.zfunc/_sfbow
      sfbow completion fish > ~/.config/fish/completions/sfbow.fish
    """  # noqa: D301 - click wants the character \b
    completer = get_completion_class(shell)
    assert completer is not None  # noqa: S101 - click.Choice admits only shells that click knows
    root = ctx.find_root()
    click.echo(completer(root.command, {}, "sfbow", "_SFBOW_COMPLETE").source())
