"""Command line: ``arrangements chambers``, ``count`` and ``demo``.

Results go to stdout, everything else to stderr. Bad input is one line and exit status 2.
Modules that load numba are imported inside the commands, so ``--version`` stays fast.
"""

import json
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO

import click

from arrangements import __version__
from arrangements.errors import ArrangementError

if TYPE_CHECKING:
    from arrangements.hyperplanes import Arrangement
    from arrangements.sign_vectors import SignVectors

BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
METHODS = ("auto", "sweep", "incremental", "reverse_search")


def _rank(ctx: click.Context, param: click.Parameter, value: str) -> str | int:
    """``exact`` or a whole number, whose range the library checks."""
    if value == "exact":
        return value
    if not value.isdecimal():
        raise click.BadParameter(f"{value!r} is neither 'exact' nor a positive integer.")
    return int(value)


_INPUT_OPTIONS = (
    click.argument("file", metavar="FILE"),
    click.option("--key", help="Array of an .npz FILE that holds several."),
    click.option("--offsets", metavar="FILE", help="Offsets b of W x + b; default zeros."),
    click.option("--offsets-key", help="Array of an .npz file of offsets."),
    click.option("--method", type=click.Choice(METHODS), default="auto", show_default=True),
    click.option("--rank", callback=_rank, default="exact", help="exact, or r: rank-r factor."),
    click.option("--workers", type=int, default=1, show_default=True, help="Threads."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
)


def _input_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument and options that all listing commands share."""
    for option in reversed(_INPUT_OPTIONS):
        command = option(command)
    return command


@click.group(invoke_without_command=True)
@click.version_option(__version__, prog_name="arrangements")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Exact sign patterns (chambers) of real hyperplane arrangements W x + b."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@cli.command()
@_input_options
@click.option("--limit", type=int, help="Stop after this many chambers.")
@click.option("-o", "--output", metavar="OUT", help="Write to a .npz, .csv or .txt file.")
def chambers(
    file: str,
    key: str | None,
    offsets: str | None,
    offsets_key: str | None,
    as_json: bool,
    limit: int | None,
    output: str | None,
    **options: Any,
) -> None:
    """List the sign vectors of W x + b, one line such as +-+ per chamber.

    FILE holds W, a row per hyperplane: .npy, .npz, .csv, .txt, or - for standard input.
    """
    from arrangements.files import check_output

    if output is not None:
        check_output(output)
    arrangement = _load(file, key, offsets, offsets_key)
    options |= {"limit": limit, "progress": _show_progress(output)}
    if output is not None:
        summary = _write(arrangement, output, options)
        if as_json:
            _print(json.dumps(summary) + "\n")
    else:
        _list(arrangement, as_json, options)


@cli.command()
@_input_options
def count(
    file: str,
    key: str | None,
    offsets: str | None,
    offsets_key: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Count the chambers of W x + b without storing them.

    FILE holds W, a row per hyperplane: .npy, .npz, .csv, .txt, or - for standard input.
    """
    arrangement = _load(file, key, offsets, offsets_key)
    from arrangements import count_chambers

    number = count_chambers(arrangement, progress=sys.stderr.isatty(), **options)
    summary = _description(arrangement) | {"count": number}
    _print(json.dumps(summary) + "\n" if as_json else f"{number}\n")


@cli.command()
def demo() -> None:
    """List and explain the sign patterns of a digits classifier with a 3-d bottleneck."""
    from arrangements.demo import explain

    for line in explain():
        _print(line + "\n")


def _load(
    file: str, key: str | None, offsets: str | None, offsets_key: str | None
) -> "Arrangement":
    if offsets is None and offsets_key is not None:
        raise click.UsageError("--offsets-key needs --offsets FILE.")
    if file == "-" and offsets == "-":
        raise click.UsageError("FILE and --offsets cannot both be standard input.")
    from arrangements.files import load_matrix, load_vector
    from arrangements.hyperplanes import Arrangement

    constants = None if offsets is None else load_vector(offsets, offsets_key)
    return Arrangement(load_matrix(file, key), constants)


def _description(arrangement: "Arrangement") -> dict[str, Any]:
    return {
        "hyperplanes": arrangement.n_hyperplanes,
        "dimension": arrangement.dimension,
        "central": arrangement.is_central,
    }


def _show_progress(output: str | None) -> bool:
    """A bar only where somebody looks, and not between lines on the same terminal."""
    return sys.stderr.isatty() and (output is not None or not sys.stdout.isatty())


def _write(arrangement: "Arrangement", output: str, options: dict[str, Any]) -> dict[str, Any]:
    """Write the chambers to a file; text is streamed, .npz keeps witnesses computable."""
    from arrangements import chambers as list_chambers
    from arrangements import iter_chambers
    from arrangements.files import write_signs

    if output.lower().endswith(".npz"):
        found = list_chambers(arrangement, **options)
        found.save(output)
        written = len(found)
    else:
        written = write_signs(output, iter_chambers(arrangement, **options))
    return _description(arrangement) | {"count": written, "output": output}


def _list(arrangement: "Arrangement", as_json: bool, options: dict[str, Any]) -> None:
    """Print the chambers block by block, as lines or as one JSON object."""
    from arrangements import iter_chambers
    from arrangements.files import sign_lines

    blocks = iter_chambers(arrangement, **options)
    if as_json:
        for text in _json_pieces(arrangement, blocks):
            _print(text)
    else:
        for block in blocks:
            _print(sign_lines(block.to_array()))


def _json_pieces(arrangement: "Arrangement", blocks: "Iterator[SignVectors]") -> Iterator[str]:
    """One JSON object, its count last, so that no list of chambers is ever held."""
    from arrangements.files import sign_lines

    yield json.dumps(_description(arrangement))[:-1] + ', "chambers": ['
    written = 0
    for block in blocks:
        lines = sign_lines(block.to_array()).decode("ascii").split("\n")[:-1]
        yield ("," if written and lines else "") + ",".join(f'\n"{line}"' for line in lines)
        written += len(lines)
    yield f'\n], "count": {written}}}\n'


def _print(text: str | bytes) -> None:
    """Write all of it to stdout now, so that a closed pipe is noticed here."""
    sys.stdout.buffer.write(text.encode() if isinstance(text, str) else text)
    sys.stdout.buffer.flush()


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """One line per warning, without the place in the source."""
    click.echo(f"arrangements: warning: {_one_line(message)}", err=True)


def _one_line(message: object) -> str:
    return " ".join(str(message).split())


def _fail(message: object, status: int) -> int:
    click.echo(f"arrangements: error: {_one_line(message)}", err=True)
    return status


class _CtrlC:
    """SIGINT handler that remembers the signal.

    What the interrupt meets on its way, such as a half-compiled kernel, may raise another
    exception in its place.
    """

    pressed = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.pressed = True
        raise KeyboardInterrupt


def main() -> int:
    """Run the command line.

    Returns
    -------
    int
        Exit status: 0 for success, 2 for bad input, 130 after Ctrl-C, 141 when the reader of
        stdout has gone.
    """
    ctrl_c = _CtrlC()
    previous = signal.getsignal(signal.SIGINT)
    if previous is signal.default_int_handler:  # not where the caller has SIGINT ignored
        signal.signal(signal.SIGINT, ctrl_c)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            warnings.simplefilter("default", UserWarning)
            with cli.make_context("arrangements", sys.argv[1:]) as context:
                cli.invoke(context)
    except BaseException as error:
        return _fail("interrupted", INTERRUPTED) if ctrl_c.pressed else _status(error)
    finally:
        signal.signal(signal.SIGINT, previous)
    return 0


def _status(error: BaseException) -> int:
    """Exit status of an error, after its message; raises what is a bug."""
    if isinstance(error, click.exceptions.Exit):  # --help and --version
        return error.exit_code
    if isinstance(error, click.ClickException):
        return _fail(error.format_message(), error.exit_code)
    if isinstance(error, KeyboardInterrupt):
        return _fail("interrupted", INTERRUPTED)
    if isinstance(error, BrokenPipeError):
        # Whatever is still buffered goes nowhere; otherwise Python complains at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    if isinstance(error, ArrangementError | OSError):
        return _fail(error, BAD_INPUT)
    raise error


if __name__ == "__main__":
    sys.exit(main())
