"""Commands that look for the best: ``best``, ``depth`` and ``places``."""

import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.interruption import patience
from arrangements.cli.options import (
    Input,
    Picture,
    input_options,
    json_option,
    max_hours_option,
    picture_options,
    rank_option,
    ties_option,
    time_limit_option,
    workers_option,
)
from arrangements.cli.output import (
    announce_compilation,
    is_terminal,
    print_summary,
    table,
    write_out,
)

if TYPE_CHECKING:
    from arrangements.files.matrices import Table
    from arrangements.optimize.depth_regions import DepthRegion
    from arrangements.optimize.separation import Separation

_SIZE = (7, 6)
# After Ctrl-C, to make a boundary of the best signs that were found.
_SECONDS_TO_END = 10.0


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--target",
    required=True,
    metavar="COLUMN",
    help="Column of the two classes: its name in the first line, or its number from 0 on.",
)
@click.option("--key", help="Array of a FILE that holds several.")
@click.option(
    "--degree",
    type=click.IntRange(1, 2),
    default=1,
    show_default=True,
    help="2 for quadratic boundaries.",
)
@click.option("--balanced", is_flag=True, help="Both classes cost the same in all.")
@click.option("--no-constant", is_flag=True, help="The boundary goes through the origin.")
@workers_option()
@time_limit_option(help="Keep the best boundary found within S seconds.")
@json_option
@picture_options("Draw two columns to a .png, .pdf or .svg file.")
def best(
    file: str,
    target: str,
    key: str | None,
    degree: int,
    balanced: bool,
    no_constant: bool,
    as_json: bool,
    picture: Picture,
    **options: Any,
) -> None:
    """Find the line that separates two classes with the fewest errors.

    FILE holds a point in each row, and its class in the column --target: .npy, .npz, .safetensors,
    .csv, .txt, or -. With more columns it is a plane or hyperplane. After --time-limit or Ctrl-C
    the best one found is printed, with a bound for all others.
    """
    from arrangements.files.matrices import load_table

    announce_compilation()
    data = load_table(file, target, key)
    if picture and data.points.shape[1] != 2:
        raise click.UsageError(f"--output draws two columns; {file} has {data.points.shape[1]}.")
    classes = _two_classes(data.classes)
    import numpy as np

    from arrangements.exact.coercion import as_exact_matrix
    from arrangements.optimize.separation import separate

    points = as_exact_matrix(data.points, "FILE")
    second = np.array(data.classes) == classes[1]
    m = int(second.sum())
    whole = Fraction(len(second), 2)
    factors = (whole / (len(second) - m), whole / m) if balanced else (Fraction(1), Fraction(1))
    with patience(_SECONDS_TO_END):
        found = separate(
            points,
            second,
            [Fraction(1)] * len(second),
            degree=degree,
            constant=not no_constant,
            factors=factors,
            **options,
        )
    assert found is not None  # all weights are positive
    errors = int((found.positive(points) != second).sum())
    if as_json:
        print_summary(_to_record(data, classes, found, errors))
    else:
        write_out(_format(data, classes, found, errors))
    if picture:
        from arrangements.plot.separations import draw_separation

        with picture.figure(_SIZE) as figure:
            floats = data.points.astype(np.float64)
            draw_separation(figure.subplots(), floats, second, found, data.names, classes)


def _two_classes(given: list[str]) -> tuple[str, str]:
    classes = sorted(set(given))
    if len(classes) != 2:
        from arrangements.errors import InputError
        from arrangements.messages import quote

        known = ", ".join(map(quote, classes[:5])) + (", .." if len(classes) > 5 else "")
        raise InputError(f"--target has {len(classes)} classes ({known}); expected two.")
    return classes[0], classes[1]


def _feature_names(data: "Table", degree: int) -> list[str]:
    from itertools import combinations_with_replacement as pairs

    products = [f"{a} * {b}" for a, b in pairs(data.names, 2)] if degree == 2 else []
    return [*data.names, *products]


def _format(data: "Table", classes: tuple[str, str], found: "Separation", errors: int) -> str:
    n, loss = len(data.classes), ""
    if found.loss != errors:
        loss = f"; weighted {float(found.loss):.6g}"
    proved = "the fewest possible"
    if found.gap:
        proved = f"the fewest found; at least {float(found.loss - found.gap):.6g} in any case"
    lines = [
        f"{'points':<10}{n}, {data.points.shape[1]} columns",
        *(f"{'class':<10}{name}: {data.classes.count(name)}" for name in classes),
        f"{'errors':<10}{errors} of {n} ({errors / n:.2%}){loss}: {proved}",
        f"{'rule':<10}{classes[1]} where the sum of these is positive, else {classes[0]}",
    ]
    weights = found.coefficients.tolist()
    names = [*_feature_names(data, found.degree), "constant"]
    terms = [[f"{w + 0:.9g}", name] for w, name in zip(weights, names, strict=True)]
    return "\n".join(lines) + "\n" + "".join(f"{'':<10}{w:>16}  {name}\n" for w, name in terms)


def _to_record(
    data: "Table", classes: tuple[str, str], found: "Separation", errors: int
) -> dict[str, Any]:
    weights = found.coefficients.tolist()
    return {
        "points": len(data.classes),
        "classes": {name: data.classes.count(name) for name in classes},
        "errors": errors,
        "loss": str(found.loss),
        "gap": str(found.gap),
        "positive": classes[1],
        "weights": dict(zip(_feature_names(data, found.degree), weights, strict=False)),
        "constant": weights[-1],
    }


# ------------------------------------------------------------------ depth


@click.command()
@click.argument("file", metavar="DATA")
@click.argument("points", metavar="[POINTS]", required=False)
@click.option("--key", help="Array of a file DATA that holds several.")
@click.option("--normalized", is_flag=True, help="Divide depths by the number of data points.")
@click.option("--median", is_flag=True, help="Instead, the deepest points; up to three columns.")
@workers_option()
@max_hours_option
@json_option
@picture_options("Draw contours of depth to a .png, .pdf or .svg file.")
def depth(
    file: str,
    points: str | None,
    key: str | None,
    normalized: bool,
    median: bool,
    workers: int,
    max_hours: float | None,
    as_json: bool,
    picture: Picture,
) -> None:
    """Say how deep POINTS lie in a cloud of DATA (halfspace depth, Tukey depth).

    Both hold a point in each row: .npy, .npz, .safetensors, .csv, .txt, or -. Prints a line for
    each point: the least number of data points in a closed half-space with it. Without POINTS, the
    depths of the data points themselves.
    """
    if median and (points is not None or normalized):
        raise click.UsageError("--median is about DATA alone: leave out POINTS and --normalized.")
    if file == points == "-":
        raise click.UsageError("DATA and POINTS cannot both be standard input.")
    from arrangements.files.matrices import load_matrix

    announce_compilation()
    data = load_matrix(file, key)
    if median:
        from arrangements.optimize import halfspace_median

        _print_region(halfspace_median(data, max_hours=max_hours), as_json)
    else:
        from arrangements.optimize import halfspace_depth

        found = halfspace_depth(
            data if points is None else load_matrix(points),
            data,
            normalized=normalized,
            workers=workers,
            progress=is_terminal(sys.stderr),
            max_hours=max_hours,
        ).tolist()
        if as_json:
            print_summary({"points": len(data), "depths": found})
        else:
            write_out("".join(f"{k}\n" for k in found))
    if picture:
        from arrangements.plot.depths import plot_depth

        projection = {"projection": "3d"} if data.shape[1] == 3 else {}
        with picture.figure(_SIZE) as figure:
            plot_depth(data, ax=figure.subplots(subplot_kw=projection), max_hours=max_hours)


def _print_region(region: "DepthRegion", as_json: bool) -> None:
    corners = [list(map(str, corner)) for corner in region.vertices]
    if as_json:
        point = list(map(str, region.point))
        print_summary({"depth": region.depth, "median": point, "vertices": corners})
        return
    lines = [f"depth {region.depth}", f"median {' '.join(map(str, region.point))}"]
    write_out("\n".join([*lines, *(f"corner {' '.join(corner)}" for corner in corners)]) + "\n")


# ------------------------------------------------------------------ places


@click.command()
@input_options()
@click.option("--simplex", is_flag=True, help="Only positive x of sum 1: weights of a table.")
@rank_option
@ties_option()
@workers_option()
@max_hours_option
@json_option
def places(source: Input, simplex: bool, ties: str, as_json: bool, **options: Any) -> None:
    """Print the best and the worst place of each label, over all x.

    FILE holds W, a row per label: .npy, .npz, .safetensors, .csv, .txt, or -. Places count from 0,
    the largest score W x + b.
    """
    from arrangements.cli.ranking_commands import read_model

    names = source.names()
    arrays = source.arrays()
    model = read_model(arrays, names, ties, options["rank"])
    from arrangements.optimize import place_range

    options |= {"within": "simplex" if simplex else None, "progress": is_terminal(sys.stderr)}
    found = place_range(*arrays, ties=ties, labels=names, **options).tolist()
    called = model.names(range(model.n_labels))
    rows = [[name, *pair] for name, pair in zip(called, found, strict=True)]
    keys = ("label", "best", "worst")
    if as_json:
        print_summary({"places": [dict(zip(keys, row, strict=True)) for row in rows]})
    else:
        write_out(table(keys, rows))
