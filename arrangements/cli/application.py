"""The group of all commands; errors, warnings and Ctrl-C become one line and an exit status."""

import errno
import os
import re
import sys
import warnings
from typing import TextIO

import click
from click.shell_completion import shell_complete

from arrangements.cli.audit_commands import audit
from arrangements.cli.comparison_commands import compare
from arrangements.cli.compilation_commands import compile_, demo
from arrangements.cli.explorer_commands import explore
from arrangements.cli.feasible_commands import feasible
from arrangements.cli.interruption import Interruption
from arrangements.cli.listing_commands import chambers, count, rankings
from arrangements.cli.memory import explain_memory, is_limited, within_memory
from arrangements.cli.network_commands import network
from arrangements.cli.optimum_commands import best, depth, places
from arrangements.cli.output import log_to_stderr, say
from arrangements.cli.paper_commands import verify
from arrangements.cli.picture_commands import bjorner, plot
from arrangements.cli.planning_commands import plan
from arrangements.cli.run_commands import check
from arrangements.cli.shell_commands import VARIABLE, completion
from arrangements.cli.structure_commands import f_vector, flats, polynomial, structure
from arrangements.cli.summary_commands import summary
from arrangements.cli.wording import WORDS, format_message
from arrangements.errors import ArrangementError
from arrangements.messages import first_line, quote, quote_path
from arrangements.version import __version__

BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
COMMANDS = (
    chambers,
    count,
    polynomial,
    f_vector,
    flats,
    structure,
    feasible,
    rankings,
    compare,
    audit,
    best,
    depth,
    places,
    network,
    summary,
    check,
    plot,
    explore,
    verify,
    bjorner,
    plan,
    compile_,
    completion,
    demo,
)


# Commands that are not called like the function.
_FUNCTIONS = {"count_chambers": "count", "characteristic_polynomial": "polynomial"}


class _Commands(click.Group):
    """Answers a command that does not exist with the one that is meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not self.get_command(ctx, args[0]) and (meant := self._meant(args[0])):
            listed = " or ".join(meant)
            raise click.UsageError(f"No such command {quote(args[0])}; use {listed}.", ctx)
        return super().resolve_command(ctx, args)

    def _meant(self, name: str) -> list[str]:
        """Commands for the name of a function, or for a name in other systems."""
        from arrangements.other_systems import names_here  # only for errors

        written = name.replace("-", "_")
        here = [written, *(own for _, names in names_here().get(written, []) for own in names)]
        commands = [_FUNCTIONS.get(own, own.replace("_", "-")) for own in here]
        return [command for command in dict.fromkeys(commands) if command in self.commands]


@click.group(cls=_Commands, invoke_without_command=True)
@click.version_option(__version__, prog_name="arrangements")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Exact sign vectors (chambers) and rankings of the linear scores W x + b."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _be_verbose(ctx: click.Context, param: click.Parameter, value: int) -> None:
    if value:
        ctx.with_resource(log_to_stderr(value > 1))


for _command in COMMANDS:
    assert _command.callback is not None
    _command.callback = within_memory(_command.callback)
    _command.params.append(
        click.Option(
            ["-v", "--verbose"],
            count=True,
            expose_value=False,
            is_eager=True,
            callback=_be_verbose,
            help="Say on standard error what is planned; -vv: each step.",
        )
    )
    cli.add_command(_command)


class _Warnings:
    """Shows each warning once, in one line, without the place in the source."""

    def __init__(self) -> None:
        self._messages: set[str] = set()

    def __call__(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        text = format_message(message)
        if text not in self._messages:
            self._messages.add(text)
            say(f"arrangements: warning: {text}")


def _fail(message: object, status: int) -> int:
    say(f"arrangements: error: {format_message(message)}")
    return status


def run(interruption: Interruption) -> int:
    """Run the command that `sys.argv` names; its exit status."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _Warnings()
            warnings.simplefilter("always", UserWarning)
            if instruction := os.environ.get(VARIABLE):
                return shell_complete(cli, {}, "arrangements", VARIABLE, instruction)
            with cli.make_context("arrangements", sys.argv[1:]) as context:
                cli.invoke(context)
        if interruption.received is not None:  # a search that keeps what it has found
            return _fail(interruption.message, interruption.status)
    except BaseException as error:
        if interruption.received is not None:
            # CPython ends by SIGINT itself if text it executed was interrupted, be that
            # handled or not, unless it has executed other text since.
            exec("")
            return _fail(interruption.message, interruption.status)
        return _status(error)
    return 0


def _text_of(error: click.ClickException) -> str:
    """The message of click; an option by another name is answered with the one it has here."""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        plain = error.option_name.removesuffix("-b")
        name = WORDS.get(plain, plain) + error.option_name[len(plain) :]
        known = {option for one in error.ctx.command.params for option in one.opts}
        if name in known:
            return f"There is no option {error.option_name}; it is called {name}."
    return error.format_message()


def _status(error: BaseException) -> int:
    """Exit status of an error, after its message; raise the error again if it is a bug."""
    if isinstance(error, click.exceptions.Exit):  # --help and --version
        return error.exit_code
    if isinstance(error, click.ClickException):
        # click repeats the value of an option, however long it is
        message = re.sub(r"\S{200,}", lambda word: f"{word[0][:60]}..", _text_of(error))
        return _fail(message, error.exit_code)
    if isinstance(error, KeyboardInterrupt):
        return _fail("interrupted", INTERRUPTED)
    if isinstance(error, BrokenPipeError):
        # Whatever is still buffered goes nowhere; otherwise Python complains at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    if isinstance(error, OSError) and error.filename is not None:
        return _fail(f"{quote_path(error.filename)}: {error.strerror}.", BAD_INPUT)
    if isinstance(error, ArrangementError):
        return _fail(error, BAD_INPUT)
    # under a limit, libraries do not load and threads do not start
    starved = is_limited() and (
        isinstance(error, ImportError | SystemError)
        or (isinstance(error, OSError) and error.errno is None)
        or (isinstance(error, RuntimeError) and "thread" in str(error))
    )
    if isinstance(error, Exception) and (starved or isinstance(error, MemoryError)):
        details = first_line(error) if str(error) else ""
        return _fail(explain_memory(details), BAD_INPUT)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return _fail(f"standard output: {error.strerror}.", BAD_INPUT)
    if isinstance(error, OSError):
        return _fail(error, BAD_INPUT)
    raise error
