"""Commands that compile kernels: ``compile``, and ``demo``, which explains a small example."""

from time import perf_counter

import click

from arrangements.cli.options import POSITIVE, json_option
from arrangements.cli.output import announce_compilation, print_result, show_progress, write_out
from arrangements.errors import InputError
from arrangements.execution.progress import with_progress


@click.command("compile")
@click.argument("kinds", nargs=-1, metavar="[KIND]...")
@click.option(
    "--workers",
    type=POSITIVE,
    metavar="M",
    help="Processes at a time (default: one for each core).",
)
@json_option
def compile_(kinds: tuple[str, ...], workers: int | None, as_json: bool) -> None:
    """Compile the kernels ahead, for an image or a cluster, and say where they are kept.

    A KIND is rankings, chambers, sums, questions, counting, "oriented matroids", searches or
    structure; default all. NUMBA_CACHE_DIR names another folder.
    """
    from arrangements import preparation  # loads NumPy
    from arrangements.checks import check_option  # loads NumPy

    for kind in kinds:
        check_option("KIND", kind, preparation.KINDS)
    folder = preparation.cache_folder()
    if not folder:
        raise InputError(
            "no folder for compiled kernels can be written to; expected one next to the package "
            "or in the home directory. Set NUMBA_CACHE_DIR to one that can."
        )
    began = perf_counter()
    chosen = kinds or tuple(preparation.KINDS)
    _compile(chosen, workers)
    taken = perf_counter() - began
    text = f"compiled the kernels of {', '.join(chosen)} in {taken:.0f} s; they are in {folder}\n"
    record = {"kinds": chosen, "seconds": taken, "folder": str(folder)}
    print_result(as_json, text, record)


@click.command()
def demo() -> None:
    """List and explain the sign vectors and rankings of a small classifier of digits."""
    from arrangements import preparation  # loads NumPy

    if preparation.is_new() or (preparation.cache_folder() and not preparation.is_compiled()):
        _compile(tuple(preparation.DEMO))  # side by side, not one after the other
    announce_compilation()
    from arrangements.demo import explain  # loads numba

    for line in explain():
        write_out(line + "\n")


def _compile(kinds: tuple[str, ...], workers: int | None = None) -> None:
    """Compile kinds of questions, with a bar on a terminal."""
    from arrangements.preparation import compile_kinds  # loads NumPy

    results = compile_kinds(kinds, workers)
    noun = "kinds of questions"
    for _ in with_progress(results, show_progress(), len(kinds), lambda kind: 1, noun):
        pass
