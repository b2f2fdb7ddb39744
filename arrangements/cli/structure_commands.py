"""Commands about polynomials, flats and faces."""

from collections.abc import Callable, Iterator, Sequence
from math import comb
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.inputs import Input, Region, describe, input_options, region_options
from arrangements.cli.options import (
    FILE,
    json_option,
    max_hours_option,
    rank_option,
    refuse,
    workers_option,
)
from arrangements.cli.output import (
    Cut,
    print_json,
    print_result,
    say,
    show_progress,
    table,
    write_out,
)
from arrangements.cli.wording import format_message
from arrangements.errors import TooLargeError

if TYPE_CHECKING:
    from sympy import Poly

    from arrangements.core.arrangement import Arrangement
    from arrangements.structure.intersections import Flats

# Flats that are printed at a time.
_BLOCK = 4096


@click.command()
@input_options(labels=False)
@rank_option
@click.option(
    "--checkpoint",
    metavar="DIR",
    type=FILE,
    help="Keep intermediate results in this folder; the same command goes on with them.",
)
@workers_option()
@max_hours_option
@json_option
def polynomial(source: Input, as_json: bool, **options: Any) -> None:
    """Print the characteristic polynomial.

    FILE holds W, a row per hyperplane: numbers (.npy, .csv, ..), a model, or -; or is a family.
    --json also has what follows from it: Betti numbers, chambers and bounded chambers.
    """
    arrangement = source.arrangement()
    from arrangements import characteristic_polynomial

    found = characteristic_polynomial(arrangement, progress=show_progress(), **options)
    record = {**describe(arrangement), **_read_polynomial(found)}
    print_result(as_json, f"{record['polynomial']}\n", record)


def _read_polynomial(polynomial: "Poly") -> dict[str, Any]:
    """What the polynomial tells; numbers of chambers are those of Zaslavsky."""
    descending = [int(c) for c in polynomial.all_coeffs()]
    betti = [abs(c) for c in descending if c]
    return {
        "polynomial": str(polynomial.as_expr()),
        "coefficients": descending[::-1],
        "betti": betti,
        "chambers": sum(betti),
        "bounded": abs(sum(descending)),
    }


@click.command("f-vector")
@input_options(labels=False)
@region_options
@rank_option
@max_hours_option
@json_option
def f_vector(source: Input, region: Region, as_json: bool, **options: Any) -> None:
    """Count the faces of each dimension.

    FILE holds W, a row per hyperplane: numbers (.npy, .csv, ..), a model, or -; or is a family.
    """
    arrangement = source.arrangement()
    from arrangements import f_vector as ask

    found = ask(arrangement, within=region.polyhedron(arrangement.dimension), **options)
    record = {**describe(arrangement), "f_vector": found}
    print_result(as_json, table(("dimension", "faces"), list(enumerate(found))), record)


@click.command()
@input_options()
@region_options
@rank_option
@click.option("--count", "only_count", is_flag=True, help="Only count them by rank.")
@click.option(
    "--max-rank", type=click.IntRange(min=0), metavar="K", help="Only flats of rank up to K."
)
@workers_option(help="With --count: threads.")
@max_hours_option
@json_option
def flats(source: Input, region: Region, only_count: bool, as_json: bool, **options: Any) -> None:
    """List the flats, the intersections of hyperplanes: a line such as 2: 0 1 3 for each.

    That is its rank (codimension), and the rows that contain it, which have names with --labels.
    FILE holds W, a row per hyperplane: numbers (.npy, .csv, ..), a model, or -; or is a family.
    """
    if only_count and region:
        raise click.UsageError("--count takes no --within and no --box: count the lines.")
    if only_count:
        refuse(options, ("max_rank",), "--count")
    else:
        refuse(options, ("workers", "max_hours"), "A listing")
    arrangement = source.arrangement()
    if only_count:
        from arrangements.algebra import whitney_numbers

        counts = whitney_numbers(arrangement, kind=2, progress=show_progress(), **options)
        record = {**describe(arrangement), "counts": counts, "count": sum(counts)}
        print_result(as_json, table(("rank", "flats"), list(enumerate(counts))), record)
        return
    from arrangements import flats as ask

    found = ask(arrangement, within=region.polyhedron(arrangement.dimension), **options)
    parts = (range(i, min(i + _BLOCK, len(found))) for i in range(0, len(found), _BLOCK))
    top = options["max_rank"]
    blocks = Cut(parts, complete=top is None or top >= arrangement.rank)
    if as_json:
        print_json(describe(arrangement), "flats", blocks, lambda block: _entries(found, block))
    for block in () if as_json else blocks:
        write_out("".join(_lines(found, block)))


def _entries(found: "Flats", block: range) -> list[Any]:
    return [
        {
            "rank": int(found.ranks[k]),
            "dimension": int(found.dimensions[k]),
            "hyperplanes": found[k] if found.labels is None else found.names(k),
        }
        for k in block
    ]


def _lines(found: "Flats", block: range) -> Iterator[str]:
    from arrangements.files.lines import quote_names

    for k in block:
        rows = " ".join(map(str, found[k]))
        if found.labels is not None:
            rows = ", ".join(quote_names(found.names(k)))
        yield f"{found.ranks[k]}: {rows}".rstrip() + "\n"


@click.command()
@input_options(labels=False)
@rank_option
@workers_option()
@max_hours_option
@json_option
def structure(source: Input, rank: int | None, as_json: bool, **options: Any) -> None:
    """Print all numbers at once: rank, chambers, polynomial, flats and faces.

    FILE holds W, a row per hyperplane: numbers (.npy, .csv, ..), a model, or -; or is a family.
    A number that would take longer than --max-hours, or too much memory, is left out, and a line on
    standard error says why. The faces take the longest.
    """
    given = source.arrangement()
    from arrangements import characteristic_polynomial
    from arrangements import f_vector as count_faces
    from arrangements.algebra import whitney_numbers
    from arrangements.algebra.flat_numbers import roots_of
    from arrangements.core.questions import as_arrangement

    arrangement = as_arrangement(given, rank=rank)
    progress = show_progress()
    record = {
        **describe(given),
        "distinct": len(arrangement.coincident_classes),
        "rank": arrangement.rank,
        "generic": None,
    }
    found = _attempt(
        "polynomial", lambda: characteristic_polynomial(arrangement, progress=progress, **options)
    )
    if found is not None:
        record |= _read_polynomial(found)
        roots = roots_of(tuple(record["betti"]))
        zeros = (0,) * (arrangement.dimension - arrangement.rank)
        record["exponents"] = None if roots is None else (*zeros, *roots)
    record["flats"] = _attempt(
        "flats", lambda: whitney_numbers(arrangement, kind=2, progress=progress, **options)
    )
    if record["flats"] is None:
        record["generic"] = _attempt("generic", lambda: arrangement.is_generic)
    else:
        record["generic"] = _has_most_flats(arrangement, record["flats"])
    record["f_vector"] = _attempt(
        "f_vector", lambda: count_faces(arrangement, max_hours=options["max_hours"])
    )
    print_result(as_json, _format(record), record)


def _has_most_flats(arrangement: "Arrangement", flats: Sequence[int]) -> bool:
    """Whether an arrangement is generic, from its flats by rank.

    Dependent hyperplanes, or too many through a point, make some flats coincide or leave them out.
    """
    n, rank = arrangement.n_hyperplanes, arrangement.rank
    last = rank + (not arrangement.is_central)
    most = [comb(n, k) for k in range(last)]
    return rank >= min(n, arrangement.dimension) and list(flats[:last]) == most


def _attempt(name: str, compute: Callable[[], Any]) -> Any:
    """A number, or None and a line on standard error if it is too large a task."""
    try:
        return compute()
    except TooLargeError as error:
        say(f"arrangements: warning: {name} is left out: {format_message(error)}")
        return None


_TITLES = {
    "betti": "Betti numbers",
    "flats": "flats by rank",
    "f_vector": "faces by dimension",
    "bounded": "bounded chambers",
}


def _format(record: dict[str, Any]) -> str:
    """A line for each number that is known."""
    lines = []
    for key, value in record.items():
        if value is None or key == "coefficients":
            continue
        if isinstance(value, bool):
            value = "yes" if value else "no"
        elif isinstance(value, list | tuple):
            value = " ".join(map(str, value))
        lines.append(f"{_TITLES.get(key, key):<20}{value}\n")
    return "".join(lines)
