"""Commands about sign vectors."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.options import (
    certificate_option,
    check_certificate,
    input_options,
    limit_option,
    load_arrangement,
    max_hours_option,
    output_option,
)
from arrangements.cli.output import (
    Cut,
    print_json,
    print_summary,
    show_progress,
    watched,
    write_out,
)
from arrangements.cli.run_commands import is_run, refuse_run_options, run_options, write_run

if TYPE_CHECKING:
    from arrangements.core.arrangement import Arrangement
    from arrangements.sets.sign_vectors import SignVectors

METHODS = ("auto", "sweep", "incremental", "reverse_search")
COUNTING_METHODS = (*METHODS, "characteristic")


@click.command()
@input_options(METHODS)
@click.option("--labels", metavar="FILE", help="Names of the rows: a line each, or JSON.")
@limit_option("chambers")
@output_option
@certificate_option
@run_options
def chambers(
    file: str,
    key: str | None,
    offsets: str | None,
    offsets_key: str | None,
    as_json: bool,
    labels: str | None,
    limit: int | None,
    output: str | None,
    certificate: str | None,
    **options: Any,
) -> None:
    """List the sign vectors of W x + b, a line such as +-+ for each chamber.

    FILE holds W, a row per hyperplane: .npy, .npz, .safetensors, .csv, .txt, or -.
    With --labels a line has the names of the rows that are +, such as cat, bird: none if all are -.
    -o RUN/ (a folder) or a URL writes a run of Parquet files, and the same command again goes on
    with one that was interrupted.
    """
    from arrangements.files.names import load_names
    from arrangements.files.paths import check_output

    run = is_run(output)
    if not run:
        refuse_run_options(options)
    if output is not None and not run:
        check_output(output, file, offsets, labels)
    elif run and certificate is not None:
        raise click.UsageError("A run has proofs of its own: leave out --certificate.")
    check_certificate(certificate, file, offsets, labels, output)
    names = None if labels is None else load_names(labels)
    arrangement = load_arrangement(file, key, offsets, offsets_key, names)
    if output is not None and run:
        from arrangements import write_chambers

        write = partial(write_chambers, arrangement)
        found = write_run(write, output, options | {"limit": limit})
        if as_json:
            print_summary(_description(arrangement), count=len(found), complete=True, output=output)
        return
    options["progress"] = show_progress(output)
    if output is None:
        _list(arrangement, as_json, limit, certificate, options)
        return
    written, complete = _write(arrangement, output, limit, certificate, options)
    if as_json:
        print_summary(_description(arrangement), count=written, complete=complete, output=output)


@click.command()
@input_options(COUNTING_METHODS)
@max_hours_option
@certificate_option
def count(
    file: str,
    key: str | None,
    offsets: str | None,
    offsets_key: str | None,
    as_json: bool,
    certificate: str | None,
    **options: Any,
) -> None:
    """Count the chambers of W x + b without storing them.

    FILE holds W, a row per hyperplane: .npy, .npz, .safetensors, .csv, .txt, or -.
    """
    check_certificate(certificate, file, offsets)
    arrangement = load_arrangement(file, key, offsets, offsets_key)
    from arrangements import count_chambers, write_certificate
    from arrangements.core.arrangement import as_arrangement

    number = count_chambers(arrangement, progress=watched(sys.stderr), **options)
    if certificate is not None:
        counted = as_arrangement(arrangement, rank=options["rank"])
        write_certificate(number, certificate, W=counted)
    if as_json:
        print_summary(_description(arrangement), count=number)
    else:
        write_out(f"{number}\n")


def _description(arrangement: "Arrangement") -> dict[str, Any]:
    return {
        "hyperplanes": arrangement.n_hyperplanes,
        "dimension": arrangement.dimension,
        "central": arrangement.is_central,
    }


def _write(
    arrangement: "Arrangement",
    output: str,
    limit: int | None,
    certificate: str | None,
    options: dict[str, Any],
) -> tuple[int, bool]:
    """Write the chambers to a file, text in blocks; return how many, and whether that is all."""
    from arrangements.files.lines import write_signs

    if output.lower().endswith(".npz"):
        found = _listed(arrangement, limit, certificate, options)
        found.save(output)
        return len(found), found.complete
    blocks = _blocks(arrangement, limit, certificate, options)
    return write_signs(output, blocks), blocks.complete


def _listed(
    arrangement: "Arrangement",
    limit: int | None,
    certificate: str | None,
    options: dict[str, Any],
) -> "SignVectors":
    """The chambers as a set, and their certificate if it is wanted."""
    from arrangements import chambers as list_chambers
    from arrangements import write_certificate

    found = list_chambers(arrangement, limit=limit, **options)
    if certificate is not None:
        write_certificate(found, certificate)
    return found


def _blocks(
    arrangement: "Arrangement",
    limit: int | None,
    certificate: str | None,
    options: dict[str, Any],
) -> Cut:
    """The chambers in blocks; with a certificate, all of them are held."""
    from arrangements import iter_chambers

    if certificate is None:
        return Cut(iter_chambers(arrangement, **options), limit)
    found = _listed(arrangement, limit, certificate, options)
    return Cut([found], complete=found.complete)


def _list(
    arrangement: "Arrangement",
    as_json: bool,
    limit: int | None,
    certificate: str | None,
    options: dict[str, Any],
) -> None:
    """Print the chambers block by block, as lines or as one JSON object."""
    from arrangements.files.lines import sign_lines, text_signs

    blocks = _blocks(arrangement, limit, certificate, options)
    if as_json:

        def entries(block: "SignVectors") -> list[Any]:
            if block.is_named:
                return [block.names(i) for i in range(len(block))]
            return sign_lines(block.to_array()).decode("ascii").split("\n")[:-1]

        print_json(_description(arrangement), "chambers", blocks, entries)
    else:
        for block in blocks:
            write_out(text_signs(block))
