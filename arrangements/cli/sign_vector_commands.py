"""Commands about sign vectors: ``chambers`` and ``count``."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.listing import Listing, check_listing
from arrangements.cli.options import (
    Input,
    certificate_option,
    check_certificate,
    input_options,
    json_option,
    limit_option,
    max_hours_option,
    method_option,
    output_option,
    rank_option,
    workers_option,
)
from arrangements.cli.output import is_terminal, print_summary, write_out
from arrangements.cli.run_commands import run_options

if TYPE_CHECKING:
    from arrangements.core.arrangement import Arrangement
    from arrangements.sets.sign_vectors import SignVectors

METHODS = ("auto", "sweep", "incremental", "reverse_search")
COUNTING_METHODS = (*METHODS, "characteristic")


@click.command()
@input_options()
@method_option(METHODS)
@rank_option
@workers_option()
@json_option
@limit_option(help="Stop after this many chambers.")
@output_option
@certificate_option
@run_options
def chambers(source: Input, **options: Any) -> None:
    """List the sign vectors of W x + b, a line such as +-+ for each chamber.

    FILE holds W, a row per hyperplane: .npy, .npz, .safetensors, .csv, .txt, or -.
    With --labels a line has the names of the rows that are +, such as cat, bird: none if all are -.
    -o RUN/ (a folder) or a URL writes a run of Parquet files, and the same command again goes on
    with one that was interrupted.
    """
    run = check_listing(source, options)
    arrangement = source.arrangement()
    from arrangements import chambers as list_chambers
    from arrangements import iter_chambers, write_chambers
    from arrangements.files.lines import text_signs, write_signs

    Listing(
        noun="chambers",
        description=_describe(arrangement),
        collect=partial(list_chambers, arrangement),
        iterate=partial(iter_chambers, arrangement),
        write_run=partial(write_chambers, arrangement),
        write=write_signs,
        lines=text_signs,
        entries=_list_signs,
    ).output(run, options)


def _list_signs(block: "SignVectors") -> list[Any]:
    """Names of the rows that are +, or signs as text."""
    from arrangements.files.lines import sign_lines

    if block.is_named:
        return [block.names(i) for i in range(len(block))]
    return sign_lines(block.to_array()).decode("ascii").split("\n")[:-1]


@click.command()
@input_options(labels=False)
@method_option(COUNTING_METHODS)
@rank_option
@workers_option()
@json_option
@max_hours_option
@certificate_option
def count(source: Input, as_json: bool, certificate: str | None, **options: Any) -> None:
    """Count the chambers of W x + b without storing them.

    FILE holds W, a row per hyperplane: .npy, .npz, .safetensors, .csv, .txt, or -.
    """
    check_certificate(certificate, *source.files)
    arrangement = source.arrangement()
    from arrangements import count_chambers, write_certificate
    from arrangements.core.arrangement import as_arrangement

    number = count_chambers(arrangement, progress=is_terminal(sys.stderr), **options)
    if certificate is not None:
        write_certificate(number, certificate, W=as_arrangement(arrangement, rank=options["rank"]))
    if as_json:
        print_summary(_describe(arrangement), count=number)
    else:
        write_out(f"{number}\n")


def _describe(arrangement: "Arrangement") -> dict[str, Any]:
    return {
        "hyperplanes": arrangement.n_hyperplanes,
        "dimension": arrangement.dimension,
        "central": arrangement.is_central,
    }
