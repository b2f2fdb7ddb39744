"""Commands about sign vectors."""

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.options import input_options, load_arrangement
from arrangements.cli.output import print_json, show_progress, write_out

if TYPE_CHECKING:
    from arrangements.hyperplanes import Arrangement
    from arrangements.sign_vectors import SignVectors

METHODS = ("auto", "sweep", "incremental", "reverse_search")


@click.command()
@input_options(METHODS)
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
    arrangement = load_arrangement(file, key, offsets, offsets_key)
    options |= {"limit": limit, "progress": show_progress(output)}
    if output is not None:
        summary = _write(arrangement, output, options)
        if as_json:
            write_out(json.dumps(summary) + "\n")
    else:
        _list(arrangement, as_json, options)


@click.command()
@input_options(METHODS)
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
    arrangement = load_arrangement(file, key, offsets, offsets_key)
    from arrangements import count_chambers

    number = count_chambers(arrangement, progress=sys.stderr.isatty(), **options)
    summary = _description(arrangement) | {"count": number}
    write_out(json.dumps(summary) + "\n" if as_json else f"{number}\n")


def _description(arrangement: "Arrangement") -> dict[str, Any]:
    return {
        "hyperplanes": arrangement.n_hyperplanes,
        "dimension": arrangement.dimension,
        "central": arrangement.is_central,
    }


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

        print_json(_description(arrangement), "chambers", blocks, entries)
    else:
        for block in blocks:
            write_out(sign_lines(block.to_array()))
