"""``tealeaves completion``: what makes a shell complete the commands, options and files of tealeaves."""

import click
from click.shell_completion import get_completion_class

from tealeaves.commands._common import print_json, subcommand

SHELLS = ("bash", "zsh", "fish")


@subcommand(
    """
    eval "$(tealeaves completion bash)"
    tealeaves completion bash >> ~/.bash_completion
    tealeaves completion zsh > ~/.zfunc/_tealeaves
    tealeaves completion fish > ~/.config/fish/completions/tealeaves.fish
    """
)
@click.argument("shell", type=click.Choice(SHELLS), metavar="bash|zsh|fish")
def command(shell: str, as_json: bool, quiet: bool) -> None:
    """Print the script that makes your shell complete tealeaves by the Tab key.

    For a look, evaluate it in the open shell, as in the first example; to keep it, write it where your shell
    reads such scripts. Zsh reads ~/.zfunc where ~/.zshrc says, before compinit: fpath+=~/.zfunc
    """
    from tealeaves.cli import cli

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"click completes no {shell}")
    # click's own script, without asking an installed bash for its version: it may be for another machine.
    completion = kind(cli, {}, "tealeaves", "_TEALEAVES_COMPLETE")
    script = completion.source_template % completion.source_vars()
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        click.echo(script)
