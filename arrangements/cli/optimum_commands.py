"""Commands that look for the best: ``best``, ``depth`` and ``places``."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.inputs import MATRIX, Input, Region, input_options, read_rows, region_options
from arrangements.cli.interruption import patience
from arrangements.cli.options import (
    FILE,
    Picture,
    certificate_option,
    check_certificate,
    json_option,
    max_hours_option,
    picture_options,
    rank_option,
    ties_option,
    time_limit_option,
    workers_option,
)
from arrangements.cli.output import announce_compilation, print_result, show_progress, table

if TYPE_CHECKING:
    from arrangements.files.matrices import Table
    from arrangements.optimize.depth_regions import DepthRegion
    from arrangements.optimize.separation import Separation

_SIZE = (7, 6)
# After Ctrl-C, to make a boundary of the best signs that were found.
_SECONDS_TO_END = 10.0


@click.command()
@click.argument("file", metavar="FILE", type=FILE)
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
@click.option("--widest", is_flag=True, help="Of the best boundaries, one of the largest margin.")
@workers_option()
@time_limit_option(help="Keep the best boundary found within S seconds.")
@certificate_option
@json_option
@picture_options("Draw two columns to a .png, .pdf or .svg file.")
def best(
    file: str,
    target: str,
    key: str | None,
    degree: int,
    balanced: bool,
    no_constant: bool,
    certificate: str | None,
    as_json: bool,
    picture: Picture,
    **options: Any,
) -> None:
    """Find the line that separates two classes with the fewest errors.

    FILE holds a point in each row, and its class in the column --target: .csv, .parquet, .npy, ..,
    or -. With more columns it is a plane or hyperplane. After --time-limit or Ctrl-C
    the best one found is printed, with a bound for all others. The claim of --certificate is about
    the chambers of the distinct points: the least sum of costs, an error costing 1 (or as
    --balanced says).
    """
    from arrangements.files.matrices import load_table

    check_certificate(certificate, file)
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
    print_result(as_json, *_describe(data, classes, found, errors))
    if certificate is not None:
        from arrangements import write_certificate

        write_certificate(found.optimum, certificate)
    if picture:
        from arrangements.plot.separations import draw_separation

        with picture.figure(_SIZE) as figure:
            floats = data.points.astype(np.float64)
            draw_separation(figure.subplots(), floats, second, found, data.names, classes)


def _two_classes(column: list[str]) -> tuple[str, str]:
    classes = sorted(set(column))
    if len(classes) != 2:
        from arrangements.errors import InputError
        from arrangements.messages import quote

        known = ", ".join(map(quote, classes[:5])) + (", .." if len(classes) > 5 else "")
        raise InputError(f"--target has {len(classes)} classes ({known}); expected two.")
    return classes[0], classes[1]


def _describe(
    data: "Table", classes: tuple[str, str], found: "Separation", errors: int
) -> tuple[str, dict[str, Any]]:
    """The boundary as text, and as JSON."""
    from itertools import combinations_with_replacement as pairs

    features = [*data.names]
    if found.degree == 2:
        features += [f"{a} * {b}" for a, b in pairs(data.names, 2)]
    n, weights = len(data.classes), found.coefficients.tolist()
    sizes = {name: data.classes.count(name) for name in classes}
    loss = f"; weighted {float(found.loss):.6g}" if found.loss != errors else ""
    proved = "the fewest possible"
    if found.gap:
        least = float(found.loss - found.gap)
        proved = f"the fewest found; no boundary has less than {least:.6g}"
    lines = [
        ("points", f"{n}, {data.points.shape[1]} columns"),
        *(("class", f"{name}: {size}") for name, size in sizes.items()),
        ("errors", f"{errors} of {n} ({errors / n:.2%}){loss}: {proved}"),
        ("rule", f"{classes[1]} where the sum of these is positive, else {classes[0]}"),
    ]
    names = [*features, "constant"]
    lines += [("", f"{w + 0:>16.9g}  {name}") for w, name in zip(weights, names, strict=True)]
    record = {
        "points": n,
        "classes": sizes,
        "errors": errors,
        "loss": str(found.loss),
        "gap": str(found.gap),
        "positive": classes[1],
        "weights": dict(zip(features, weights, strict=False)),
        "constant": weights[-1],
    }
    return "".join(f"{head:<10}{text}\n" for head, text in lines), record


# ------------------------------------------------------------------ depth


@click.command()
@click.argument("file", metavar="DATA", type=MATRIX)
@click.argument("points", metavar="[POINTS]", required=False, type=MATRIX)
@click.option("--key", help="Array of a file DATA that holds several.")
@click.option("--normalized", is_flag=True, help="Divide depths by the number of data points.")
@click.option("--median", is_flag=True, help="Instead, the deepest points; up to four columns.")
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

    Both hold a point in each row: numbers (.npy, .csv, ..), a model, or -. Prints a line for
    each point: the least number of data points in a closed half-space with it. Without POINTS, the
    depths of the data points themselves.
    """
    if median and (points is not None or normalized):
        raise click.UsageError("--median is about DATA alone: leave out POINTS and --normalized.")
    if file == points == "-":
        raise click.UsageError("DATA and POINTS cannot both be standard input.")
    data = _read_points(file, key)
    effort: Any = {"workers": workers, "progress": show_progress(), "max_hours": max_hours}
    if median:
        from arrangements.optimize import halfspace_median

        _print_region(halfspace_median(data, **effort), as_json)
    else:
        from arrangements.optimize import halfspace_depth

        found = halfspace_depth(
            data if points is None else _read_points(points),
            data,
            normalized=normalized,
            **effort,
        ).tolist()
        text = "".join(f"{k}\n" for k in found)
        print_result(as_json, text, {"points": len(data), "depths": found})
    if picture:
        from arrangements.plot.depths import plot_depth

        projection = {"projection": "3d"} if data.shape[1] == 3 else {}
        with picture.figure(_SIZE) as figure:
            plot_depth(data, ax=figure.subplots(subplot_kw=projection), **effort)


def _read_points(file: str, key: str | None = None) -> Any:
    points, offsets = read_rows(file, key)
    if offsets is not None:
        raise click.UsageError(f"{file} has offsets; expected points.")
    return points


def _print_region(region: "DepthRegion", as_json: bool) -> None:
    point, *corners = (list(map(str, corner)) for corner in (region.point, *region.vertices))
    text = f"depth {region.depth}\nmedian {' '.join(point)}\n"
    text += "".join(f"corner {' '.join(corner)}\n" for corner in corners)
    print_result(as_json, text, {"depth": region.depth, "median": point, "vertices": corners})


# ------------------------------------------------------------------ places


@click.command()
@input_options()
@click.option("--simplex", is_flag=True, help="Only positive x of sum 1: weights of a table.")
@region_options
@rank_option
@ties_option()
@workers_option()
@max_hours_option
@json_option
def places(
    source: Input, simplex: bool, region: Region, ties: str, as_json: bool, **options: Any
) -> None:
    """Print the best and the worst place of each label, over all x or those in a polyhedron.

    FILE holds W, a row per label: numbers (.npy, .csv, ..), a model, or -. Places count from 0,
    the largest score W x + b.
    """
    from arrangements.cli.listing_commands import read_model

    if simplex and region:
        raise click.UsageError("--simplex takes no --within and no --box.")
    names = source.names()
    arrays = source.arrays()
    model = read_model(arrays, names, ties, options["rank"])
    from arrangements.optimize import place_range

    within = "simplex" if simplex else region.polyhedron(model.dimension)
    options |= {"within": within, "progress": show_progress()}
    found = place_range(*arrays, ties=ties, labels=names, **options).tolist()
    called = model.names(range(model.n_labels))
    keys, rows = (
        ("label", "best", "worst"),
        [[name, *pair] for name, pair in zip(called, found, strict=True)],
    )
    record = {"places": [dict(zip(keys, row, strict=True)) for row in rows]}
    print_result(as_json, table(keys, rows), record)
