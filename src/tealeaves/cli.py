"""The command line: a group whose sub-commands are imported only when they are called.

This module and the help it prints cost no numpy: each sub-command lives in its own file of
``tealeaves.commands``, and what that file needs for its work it imports inside its function.
"""

import difflib
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from tealeaves.errors import TealeavesError, meant

# What `tealeaves --help` says of each: kept here, so that the help need import none of them.
COMMANDS = {
    "demo": "Fit, evaluate and report on real text that comes with tealeaves.",
    "evaluate": "Score topic models: coherence, held-out, tokens, time, coverage.",
    "measures": "List the measures, or explain one.",
    "report": "Write the report of saved scores, or tell how two differ.",
    "inspect": "Say what a file or folder is and what is in it.",
    "convert": "Turn a model or a corpus into another format.",
    "corpus": "Build, describe and verify corpora.",
    "index": "Index a reference corpus that will be asked again and again.",
    "fit": "Fit a topic model to a corpus: LDA, NMF, HDP and more.",
    "infer": "Find topics of new documents with those of a model fixed.",
    "read": "Show documents with the topic of every word.",
    "sweep": "Choose K or another setting: fit, measure and compare many.",
    "matcher": "Draw pairs of topics, learn from people which are the same, and apply it.",
    "stability": "Say whether runs of a model find the same topics, and which.",
    "regress": "Say how much of a human score measures explain.",
    "correlate": "Say how measures go together over topics, models or sets of runs.",
    "study": "Make a study with people, serve it, and score their answers.",
    "experiment": "Fit and measure a whole grid of models; resume, and make its tables.",
    "controls": "See whether measures over time react to topics made worse.",
    "degrade": "Make a model worse in known ways; see which measures notice.",
    "replicate": "Compute a published table again, beside what was printed.",
    "warmup": "Compile the kernels now, not at the first call.",
    "completion": "Print what makes your shell complete tealeaves by Tab.",
    "version": "Print the version of tealeaves and of what it stands on.",
}
FAILED, USAGE, INTERRUPTED = 1, 2, 130  # exit statuses; 0 is done


class Sections(click.Command):
    """A command whose epilog (its examples) keeps its line breaks."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the epilog as it stands."""
        if self.epilog:
            formatter.write(f"\n{self.epilog.rstrip()}\n")


class Commands(click.Group):
    """A group that suggests the nearest sub-command when there is none of the name given."""

    command_class = Sections

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the sub-command, or say which was probably meant."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            known = self.list_commands(ctx)
            ctx.fail(f"there is no command {name!r}; {meant(name, known)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List them with the whole first sentence of what each says, and in the order they are used."""
        found = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        rows = [(name, one.get_short_help_str(400)) for name, one in found.items() if one and not one.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class LazyCommands(Commands):
    """The root: it knows its sub-commands by name and imports the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in the order a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the sub-command from the file of its name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"tealeaves.commands.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List them from the table above, importing none."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Their names and what they do, for the Tab key, importing none."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        found = [(name, says) for name, says in COMMANDS.items() if name.startswith(incomplete)]
        return [CompletionItem(name, help=says) for name, says in found]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the sub-command; flush here, so that a closed pipe is met where it is handled."""
        result = super().invoke(ctx)
        sys.stdout.flush()
        return result


@click.group(
    cls=LazyCommands,
    no_args_is_help=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--version", is_flag=True, help="Print the version and leave.")
@click.pass_context
def cli(ctx: click.Context, version: bool) -> None:
    """Judge topic models: coherent, distinct, significant - and by how much to trust it.

    Start with `tealeaves demo`, or with your own files:

        tealeaves evaluate topics.json --corpus docs.txt --out scores
    """
    if version:
        from tealeaves import __version__

        click.echo(__version__)
    elif ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status, with what went wrong said on stderr."""
    for stream in (sys.stdout, sys.stderr):  # a word that the terminal cannot show must not end the run
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        result = cli.main(None if arguments is None else list(arguments), "tealeaves", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _say("Interrupted.", INTERRUPTED)
    except SystemExit as error:  # click's own answer to a closed pipe
        return _closed_pipe() if error.code == 1 else int(error.code or 0)
    except BrokenPipeError:
        return _closed_pipe()
    except (TealeavesError, OSError, UnicodeError, MemoryError) as error:
        return _say(f"Error: {explain(error)}", FAILED)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit status."""
    status = run(arguments)
    if status == INTERRUPTED:  # do not wait for threads that are still counting
        sys.stdout.flush()
        gc.collect()  # of processes that were started for it, their locks
        os._exit(status)
    sys.exit(status)


def explain(error: BaseException) -> str:
    """One message for a mistake that Python itself found: what and where, without its number."""
    if isinstance(error, MemoryError):
        return f"not enough memory ({error})" if str(error) else "not enough memory"
    if isinstance(error, UnicodeDecodeError):
        found = f"byte 0x{error.object[error.start]:02x} at position {error.start}"
        return f"a text is not UTF-8 ({found}); convert it, for example with iconv -t UTF-8"
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename is not None else ""
        said = {
            FileNotFoundError: "no such file or folder",
            IsADirectoryError: "is a folder, but a file is wanted",
            NotADirectoryError: "is a file, but a folder is wanted",
            PermissionError: "no permission",
        }
        system = os.strerror(error.errno or 0)
        if error.strerror.startswith(system):  # what we have added stays
            what = said.get(type(error), system.lower())
            return where + what + (error.strerror.removeprefix(system) or _nearest(error))
        return where + said.get(type(error), error.strerror.lower()) + _nearest(error)
    return str(error) or type(error).__name__


def _nearest(error: OSError) -> str:
    """The file beside a missing one that was probably meant."""
    if not isinstance(error, FileNotFoundError) or not isinstance(error.filename, str):
        return ""
    folder, name = os.path.split(error.filename)
    try:
        there = sorted(os.listdir(folder or "."))
    except OSError:
        return ""
    near = difflib.get_close_matches(name, there, n=1, cutoff=0.75)
    return f"; did you mean {os.path.join(folder, near[0])}?" if near else ""


def _say(message: str, status: int) -> int:
    click.echo(message, err=True)
    return status


def _closed_pipe() -> int:
    """Whoever read our output has seen enough (`| head`): no error; keep the exit from flushing into it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
