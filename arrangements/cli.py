"""Command line: ``arrangements chambers``, ``count``, ``rankings`` and ``demo``.

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
    from arrangements.ranking_sets import Rankings
    from arrangements.sign_vectors import SignVectors

Command = Callable[..., Any]

BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
METHODS = ("auto", "sweep", "incremental", "reverse_search")
RANKING_METHODS = ("auto", "sweep", "pairs", "incremental")


def _rank(ctx: click.Context, param: click.Parameter, value: str) -> str | int:
    """``exact`` or a whole number, whose range the library checks."""
    if value == "exact":
        return value
    if not value.isdecimal():
        raise click.BadParameter(f"{value!r} is neither 'exact' nor a positive integer.")
    return int(value)


def _input_options(methods: tuple[str, ...]) -> Callable[[Command], Command]:
    """Add the argument and options that all listing commands share."""
    options = (
        click.argument("file", metavar="FILE"),
        click.option("--key", help="Array of an .npz FILE that holds several."),
        click.option("--offsets", metavar="FILE", help="Offsets b of W x + b; default zeros."),
        click.option("--offsets-key", help="Array of an .npz file of offsets."),
        click.option("--method", type=click.Choice(methods), default="auto", show_default=True),
        click.option("--rank", callback=_rank, default="exact", help="exact, or r: rank-r factor."),
        click.option("--workers", type=int, default=1, show_default=True, help="Threads."),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    )

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


@click.group(invoke_without_command=True)
@click.version_option(__version__, prog_name="arrangements")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Exact sign patterns (chambers) and rankings of the linear scores W x + b."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@cli.command()
@_input_options(METHODS)
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
        check_output(output, file, offsets)
    arrangement = _load(file, key, offsets, offsets_key)
    options |= {"limit": limit, "progress": _show_progress(output)}
    if output is not None:
        summary = _write(arrangement, output, options)
        if as_json:
            _print(json.dumps(summary) + "\n")
    else:
        _list(arrangement, as_json, options)


@cli.command()
@_input_options(METHODS)
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
@_input_options(RANKING_METHODS)
@click.option("--labels", metavar="FILE", help="Names of the labels, one per line.")
@click.option("--ties", type=click.Choice(("error", "drop")), default="error", show_default=True)
@click.option("--count", "only_count", is_flag=True, help="Only count the rankings.")
@click.option("--argmax", is_flag=True, help="Only the labels that can be first.")
@click.option(
    "--top-k", "k", type=int, metavar="K", help="Only the sets of labels that can be the K best."
)
@click.option("--ordered", is_flag=True, help="With --top-k: the K best in order.")
@click.option("--limit", type=int, help="Stop after this many rankings.")
@click.option("-o", "--output", metavar="OUT", help="Write to a .npz, .csv or .txt file.")
def rankings(
    file: str,
    key: str | None,
    offsets: str | None,
    offsets_key: str | None,
    labels: str | None,
    only_count: bool,
    argmax: bool,
    k: int | None,
    ordered: bool,
    **options: Any,
) -> None:
    """List the rankings of labels by the scores W x + b, the best label first.

    FILE holds W, a row per label: .npy, .npz, .csv, .txt, or - for standard input. A line is
    such as 2 0 1, or cat > dog > bird with --labels.
    """
    if only_count + argmax + (k is not None) > 1:
        raise click.UsageError("--count, --argmax and --top-k exclude each other.")
    if ordered and k is None:
        raise click.UsageError("--ordered needs --top-k K.")
    from arrangements.files import check_output, load_names

    if options["output"] is not None:
        check_output(options["output"], file, offsets, labels)
    names = None if labels is None else load_names(labels)
    question = _load_arrays(file, key, offsets, offsets_key)
    if only_count:
        _refuse(options, ("limit", "output"), "--count")
    elif argmax or k is not None:
        _refuse(options, ("limit", "output", "method", "workers"), "--argmax and --top-k")
    description = _ranking_description(question, names, options["ties"])
    if only_count:
        _count_rankings(question, description, options)
    elif argmax or k is not None:
        _print_tops(question, description, names, k, ordered, options)
    else:
        options |= {"labels": names, "progress": _show_progress(options["output"])}
        _list_rankings(question, description, options)


@cli.command()
def demo() -> None:
    """List and explain sign patterns and rankings of a digits classifier with a 3-d bottleneck."""
    from arrangements.demo import explain

    _announce_compilation()
    for line in explain():
        _print(line + "\n")


def _load_arrays(
    file: str, key: str | None, offsets: str | None, offsets_key: str | None
) -> tuple[Any, Any]:
    """W, and b or None."""
    if offsets is None and offsets_key is not None:
        raise click.UsageError("--offsets-key needs --offsets FILE.")
    if file == "-" and offsets == "-":
        raise click.UsageError("FILE and --offsets cannot both be standard input.")
    from arrangements.files import load_matrix, load_vector

    _announce_compilation()
    constants = None if offsets is None else load_vector(offsets, offsets_key)
    return load_matrix(file, key), constants


def _announce_compilation() -> None:
    """Say on a terminal why the first call takes long, once it is known to."""
    if not sys.stderr.isatty():
        return
    from numba.core import event

    class Announcement(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            if not announced:
                announced.append(True)
                click.echo("arrangements: compiling kernels, once (up to a minute) ..", err=True)

        def on_end(self, event: Any) -> None:
            pass

    announced: list[bool] = []
    event.register("numba:compile", Announcement())


def _load(
    file: str, key: str | None, offsets: str | None, offsets_key: str | None
) -> "Arrangement":
    from arrangements.hyperplanes import Arrangement

    return Arrangement(*_load_arrays(file, key, offsets, offsets_key))


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

        def entries(block: "SignVectors") -> list[str]:
            return sign_lines(block.to_array()).decode("ascii").split("\n")[:-1]

        _print_json(_description(arrangement), "chambers", blocks, entries)
    else:
        for block in blocks:
            _print(sign_lines(block.to_array()))


def _print_json(
    description: dict[str, Any],
    key: str,
    blocks: "Iterator[Any]",
    entries: Callable[[Any], list[Any]],
) -> None:
    """One JSON object, its count last, so that no list of all is ever held."""
    _print(json.dumps(description)[:-1] + f', "{key}": [')
    written = 0
    for block in blocks:
        values = entries(block)
        text = ",".join(f"\n{json.dumps(value)}" for value in values)
        _print(("," if written and values else "") + text)
        written += len(values)
    _print(f'\n], "count": {written}}}\n')


def _refuse(options: dict[str, Any], names: tuple[str, ...], what: str) -> None:
    """Take options that mean nothing out of `options`; they must not have been given."""
    unset = {"method": "auto", "workers": 1}
    for name in names:
        if options.pop(name) != unset.get(name):
            raise click.UsageError(f"{what} cannot be combined with --{name}.")


def _ranking_description(
    question: tuple[Any, Any], names: list[str] | None, ties: str
) -> dict[str, Any]:
    """What was asked about; says on stderr which labels are left out."""
    from arrangements.scores import score_model

    model = score_model(*question, labels=names, ties=ties)
    for i, j in model.dropped.items():
        click.echo(f"arrangements: warning: label {i} ties with label {j}: dropped", err=True)
    return {"labels": len(question[0]), "dimension": model.dimension, "central": model.is_central}


def _count_rankings(
    question: tuple[Any, Any], description: dict[str, Any], options: dict[str, Any]
) -> None:
    from arrangements import count_rankings

    as_json = options.pop("as_json")
    number = count_rankings(*question, progress=sys.stderr.isatty(), **options)
    _print(json.dumps(description | {"count": number}) + "\n" if as_json else f"{number}\n")


def _print_tops(
    question: tuple[Any, Any],
    description: dict[str, Any],
    names: list[str] | None,
    k: int | None,
    ordered: bool,
    options: dict[str, Any],
) -> None:
    """The labels that can be first, or the sets or rankings of the k best."""
    from arrangements import argmax_labels, top_k_rankings, top_k_sets
    from arrangements.files import ranking_lines

    W, b = question
    as_json = options.pop("as_json")
    tops: Any
    if k is None:
        tops = argmax_labels(W, b, **options)[:, None]
    else:
        tops = (top_k_rankings if ordered else top_k_sets)(W, k, b, **options)
    if as_json:
        labels: list[Any] = list(range(len(W))) if names is None else names
        _print_json(description, "tops", iter([[[labels[i] for i in top] for top in tops]]), list)
        return
    separator = " " if names is None else " > " if ordered else ", "
    _print(ranking_lines(tops, names or list(map(str, range(len(W)))), separator))


def _list_rankings(
    question: tuple[Any, Any], description: dict[str, Any], options: dict[str, Any]
) -> None:
    """Write the rankings to a file, or print them block by block."""
    from arrangements import iter_rankings
    from arrangements import rankings as list_rankings
    from arrangements.files import text_rankings, write_rankings

    as_json, output = options.pop("as_json"), options.pop("output")
    if output is None:
        blocks = iter_rankings(*question, **options)
        if as_json:
            _print_json(description, "rankings", blocks, _ranking_entries)
        for block in () if as_json else blocks:
            _print(text_rankings(block))
        return
    if output.lower().endswith(".npz"):
        found = list_rankings(*question, **options)
        found.save(output)
        written = len(found)
    else:
        written = write_rankings(output, iter_rankings(*question, **options))
    if as_json:
        _print(json.dumps(description | {"count": written, "output": output}) + "\n")


def _ranking_entries(block: "Rankings") -> list[Any]:
    names: Any = block.label_names if block.is_named else list(map(int, block.label_names))
    return [[names[label] for label in row] for row in block.to_array().tolist()]


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
