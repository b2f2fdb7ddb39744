"""The command that asks about a network of ReLU units: ``network``."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.inputs import MATRIX, Region, read_rows, region_options
from arrangements.cli.network_answers import (
    answer_about_outputs,
    class_name,
    file_named,
    read_names,
)
from arrangements.cli.options import (
    FILE,
    Picture,
    check_certificate,
    json_option,
    limit_option,
    max_hours_option,
    picture_options,
    time_limit_option,
    workers_option,
)
from arrangements.cli.output import (
    Cut,
    announce_compilation,
    print_json,
    print_result,
    show_progress,
    table,
    write_out,
)
from arrangements.cli.run_commands import is_run, refuse_run_options, run_options, write_run
from arrangements.messages import quote_path

if TYPE_CHECKING:
    from arrangements.networks import Network, Regions

_SIZE = (8, 6)
_LABEL = click.IntRange(min=0)
# Without a number, in options that --output may give it.
_NO_NUMBER = ""


class _OutputNumber(click.IntRange):
    """The number of an output, or none yet."""

    name = "output"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The number as an integer."""
        return value if value == _NO_NUMBER else super().convert(value, param, ctx)


_OUTPUT: Any = {
    "metavar": "[K]",
    "type": _OutputNumber(min=0),
    "is_flag": False,
    "flag_value": _NO_NUMBER,
}


@click.command()
@click.argument("file", metavar="FILE", type=FILE)
@click.option("--key", help="Of a graph, the value at which the network ends.")
@click.option(
    "--input-shape",
    metavar="N,N,..",
    help="Shape of one input, such as 1,28,28, of a graph that does not say so.",
)
@click.option(
    "--slope",
    default="0",
    show_default=True,
    help="Of units below 0, where FILE holds weights alone: 0.01 is a leaky ReLU.",
)
@click.option(
    "--slice",
    "points",
    metavar="POINTS",
    type=MATRIX,
    help="Only on the line or plane through these inputs, a file of two or three rows; --within "
    "and --box are then about its coordinates.",
)
@region_options
@click.option("--count", "what", flag_value="count", help="Count the regions.")
@click.option("--regions", "what", flag_value="regions", help="Print the pattern of each region.")
@click.option("--units", "what", flag_value="units", help="Which units are dead, always on, equal.")
@click.option("--faces", "what", flag_value="faces", help="Count faces of each dimension.")
@click.option("--plan", "what", flag_value="plan", help="About how many regions, from a sample.")
@click.option(
    "--decision",
    "what",
    flag_value="decision",
    help="Which output is the largest where: pieces, share of the volume, parts of each.",
)
@click.option("--can", metavar="K", type=_LABEL, help="Can output K be the largest?")
@click.option("--max", "most", **_OUTPUT, help="The largest value of output K, or --output K.")
@click.option("--min", "least", **_OUTPUT, help="The least value of output K, or --output K.")
@click.option(
    "--minus",
    metavar="J",
    type=_LABEL,
    help="With --max and --min: of the margin before output J.",
)
@click.option(
    "--robust",
    metavar="X",
    type=MATRIX,
    help="How far each input, a row of this file, is from another class.",
)
@click.option(
    "--norm",
    type=click.Choice(("max", "l1")),
    default="max",
    show_default=True,
    help="With --robust: the largest entry of a difference of inputs, or the sum of their sizes.",
)
@click.option(
    "--property",
    "rules",
    metavar="FILE",
    type=FILE,
    help="Is there a counterexample to this property, a .vnnlib file?",
)
@click.option(
    "--certificate",
    metavar="FILE",
    type=FILE,
    help="Also write the answer about outputs with its proof, for `check`. Of --decision, which "
    "outputs can be the largest.",
)
@click.option(
    "-o",
    "--output",
    metavar="RUN/",
    type=FILE,
    help="Write the regions to a run on disk, a folder; or, with --max and --min, the number K.",
)
@click.option(
    "--labels",
    metavar="FILE",
    type=FILE,
    help="Names of the outputs, a line each, for --decision, --robust and --plot.",
)
@click.option(
    "--color-by",
    type=click.Choice(("class", "pattern", "map")),
    help="Of a picture: the largest output (default), the number of positive units, or the affine "
    "map.",
)
@limit_option(help="Print the first M regions only.", metavar="M")
@time_limit_option(help="Print what is known after S seconds.")
@max_hours_option
@workers_option()
@run_options
@json_option
@picture_options("Draw the regions to a .png, .pdf or .svg file.", "--plot")
def network(
    file: str,
    key: str | None,
    input_shape: str | None,
    slope: str,
    points: str | None,
    region: Region,
    what: str | None,
    can: int | None,
    most: int | None,
    least: int | None,
    minus: int | None,
    robust: str | None,
    norm: str,
    rules: str | None,
    certificate: str | None,
    output: str | None,
    labels: str | None,
    color_by: Any,
    limit: int | None,
    time_limit: float | None,
    max_hours: float | None,
    workers: int,
    as_json: bool,
    picture: Picture,
    **options: Any,
) -> None:
    """Say what the regions of a network of ReLU units are.

    FILE holds a network: an .onnx graph, or weights and biases in .pt, .safetensors, .npz or .h5.
    Without --count and its kin, its inputs, units and outputs. On a region the network is an
    affine function; its pattern has the sign of each unit.
    """
    announce_compilation()
    asked = {"can": can, "max": most, "min": least, "robust": robust, "property": rules}
    asked = {name: value for name, value in asked.items() if value is not None}
    for name in [name for name, value in asked.items() if value == _NO_NUMBER]:
        asked[name], output = _number_of_output(name, output), None
    if len(asked) + (what is not None) > 1:
        raise click.UsageError(
            "one question at a time: --count, --regions, --units, --faces, --plan, --decision, "
            "--can, --max, --min, --robust or --property."
        )
    what = "regions" if output is not None and what is None and not asked else what
    if what != "regions" and (output, limit) != (None, None):
        raise click.UsageError("-o and --limit go with --regions.")
    if time_limit is not None and what not in ("regions", "decision") and not asked:
        raise click.UsageError("--time-limit goes with --regions, --can, --max and their kin.")
    if certificate is not None and what != "decision" and not asked:
        raise click.UsageError(
            "--certificate goes with --decision, --can, --max, --min, --robust, --property."
        )
    if minus is not None and not {"max", "min"} & set(asked):
        raise click.UsageError("--minus goes with --max and --min.")
    if norm != "max" and robust is None:
        raise click.UsageError("--norm goes with --robust.")
    if labels is not None and what != "decision" and robust is None and not picture:
        raise click.UsageError("--labels goes with --decision, --robust and --plot.")
    if color_by is not None and not picture:
        raise click.UsageError("--color-by goes with --plot.")
    check_certificate(certificate, file, points, robust, rules, region.within, labels)
    if max_hours is not None and what != "count":
        raise click.UsageError("--max-hours goes with --count.")
    if output is not None and not is_run(output):
        raise click.UsageError(
            f"-o {quote_path(output)}: expected a folder for a run, a name that ends in /. --plot "
            "OUT draws a picture."
        )
    net = read_network(file, key, input_shape, slope)
    plane = None
    if points is not None:
        rows, _ = read_rows(points)
        with file_named(points):
            plane = net.slice(rows)
        net = plane.network
    within = region.polyhedron(net.dimension)
    if within is None and plane is not None:
        within = plane.box()
    if picture:
        from arrangements.plot.networks import check_drawable

        check_drawable(net)
    names = read_names(labels, net)
    if output is None:
        refuse_run_options(options | {"workers": 1})
    if what == "regions":
        found = {"within": within, "workers": workers}
        if output is not None:
            _write(net, output, as_json, options | found, limit, time_limit)
        else:
            _print_regions(net, as_json, **found, limit=limit, time_limit=time_limit)
    elif asked:
        options = {"minus": minus} if {"max", "min"} & set(asked) else {}
        options |= {"norm": norm} if robust is not None else {}
        options |= {"time_limit": time_limit, "workers": workers}
        print_result(
            as_json, *answer_about_outputs(net, within, asked, options, certificate, names)
        )
    elif what == "decision":
        print_result(as_json, *_decision(net, within, workers, time_limit, certificate, names))
    elif what is not None or not picture:
        answer = _ANSWERS[what or "summary"]
        print_result(as_json, *answer(net, within, workers, max_hours))
    if picture:
        from arrangements.plot.networks import plot_network

        projection = {"projection": "3d"} if net.dimension == 3 else {}
        with picture.figure(_SIZE) as figure:
            ax = figure.subplots(subplot_kw=projection)
            figure.draw_without_rendering()
            subject = net if plane is None else plane
            style: Any = {"color_by": color_by or "class", "labels": names}
            plot_network(subject, within=within, **style, ax=ax)


def _number_of_output(name: str, output: str | None) -> int:
    """The number in ``--output K --max``."""
    if output is None or not output.isdecimal():
        raise click.UsageError(
            f"--{name} needs the number of an output: --{name} K, or --output K --{name}."
        )
    return int(output)


def read_network(file: str, key: str | None, input_shape: str | None, slope: str) -> "Network":
    """The network of a file."""
    from arrangements.files.text import parse_matrix
    from arrangements.networks import Network

    shape = None
    if input_shape is not None:
        try:
            shape = tuple(map(int, input_shape.split(",")))
        except ValueError as error:
            raise click.BadParameter(
                f"{input_shape!r} is no shape; expected sizes, such as 1,28,28.",
                param_hint="--input-shape",
            ) from error
    ((factor,),) = parse_matrix(slope.encode(), "--slope")[0]
    return Network.from_file(file, key, input_shape=shape, slope=factor)


def _write(
    net: "Network",
    output: str,
    as_json: bool,
    options: dict[str, Any],
    limit: int | None,
    time_limit: float | None,
) -> None:
    """The regions as a run on disk."""
    if (limit, time_limit) != (None, None):
        raise click.UsageError("A run has all regions: leave out --limit and --time-limit.")
    run = write_run(net.write_regions, output, options | {"limit": None, "method": "auto"})
    print_result(as_json, f"{len(run)}\n", {"regions": len(run), "path": output})


def _print_regions(net: "Network", as_json: bool, **options: Any) -> None:
    """A line for each region."""

    def blocks() -> Iterator[Any]:
        for block in net.iter_regions(**options, progress=show_progress(not as_json)):
            cut.complete = block.complete
            yield block

    cut = Cut(blocks())
    if as_json:
        print_json({"units": net.n_units}, "regions", cut, _texts)
    else:
        for block in cut:
            write_out("".join(f"{text}\n" for text in _texts(block)))


def _texts(block: "Regions") -> list[str]:
    return ["".join("-0+"[sign + 1] for sign in row) for row in block.to_array().tolist()]


# ------------------------------------------------------------------ answers


def _summary(net: "Network", *_: Any) -> tuple[str, dict[str, Any]]:
    layers = [n for n in net.widths if n]
    record = {
        "inputs": net.dimension,
        "units": net.n_units,
        "layers": layers,
        "outputs": net.n_outputs,
    }
    by_layer = f": {' '.join(map(str, layers))} by layer" if len(layers) > 1 else ""
    text = f"inputs   {net.dimension}\nunits    {net.n_units}{by_layer}\noutputs  {net.n_outputs}\n"
    return text, record


def _count(
    net: "Network", within: Any, workers: int, max_hours: float | None
) -> tuple[str, dict[str, Any]]:
    options: Any = {"workers": workers, "max_hours": max_hours, "progress": show_progress()}
    found = net.count_regions(within=within, **options)
    return f"{found}\n", {"regions": found}


def _units(net: "Network", within: Any, *_: Any) -> tuple[str, dict[str, Any]]:
    found = net.unit_states(within=within)
    names = [f"{layer}.{row}" for layer, row in net.units]
    dead, on = ([names[i] for i in part] for part in (found.dead, found.always_on))
    equal = [[names[i] for i in group] for group in found.equal]
    record = {"dead": dead, "always_on": on, "equal": equal, "regions_by_layer": [*found.counts]}
    lines = {
        "dead": " ".join(dead) or "none",
        "always on": " ".join(on) or "none",
        "equal": ", ".join(" = ".join(group) for group in equal) or "none",
        "regions": " ".join(map(str, found.counts)) + " by layer",
    }
    return "".join(f"{name:<11}{text}\n" for name, text in lines.items()), record


def _faces(net: "Network", within: Any, *_: Any) -> tuple[str, dict[str, Any]]:
    found = net.region_f_vector(within=within)
    return f"{' '.join(map(str, found))}\n", {"faces": found}


def _plan(net: "Network", within: Any, *_: Any) -> tuple[str, dict[str, Any]]:
    found = net.plan_regions(within=within)
    about = "" if found.error == 0 else "about "
    fits = "fits" if found.fits else "does not fit: stream or count"
    text = f"regions  {about}{found.expected:,}\nlist     {fits}\n"
    return text, found._asdict()


def _decision(
    net: "Network",
    within: Any,
    workers: int,
    time_limit: float | None,
    certificate: str | None,
    names: list[str] | None,
) -> tuple[str, dict[str, Any]]:
    from arrangements.exact.text import brief_text, exact_text

    options: Any = {"workers": workers, "time_limit": time_limit, "progress": show_progress()}
    found = net.decision_regions(within=within, **options)
    if certificate is not None:
        from arrangements import write_certificate

        write_certificate(found, certificate)
    rows = found.table()
    classes = []
    for row in rows:
        label, share = row["label"], row.get("share")
        row = row | {"label": label if isinstance(label, int) else [*label]}
        classes.append(row if share is None else row | {"share": exact_text(share)})
    head = ["class", "pieces"]
    lines = [[_class(row["label"], names), row["pieces"]] for row in rows]
    if rows and "share" in rows[0]:
        head += ["share", "parts"]
        lines = [
            [*line, brief_text(row["share"]), row["components"]]
            for line, row in zip(lines, rows, strict=True)
        ]
    text = table(head, lines) + ("" if found.complete else "time was up: there may be more\n")
    record = {"pieces": len(found), "complete": found.complete, "classes": classes}
    return text, record | ({} if names is None else {"names": names})


def _class(label: Any, names: list[str] | None) -> str:
    labels = (label,) if isinstance(label, int) else label
    return "=".join(class_name(k, names) for k in labels)


_ANSWERS = {"summary": _summary, "count": _count, "units": _units, "faces": _faces, "plan": _plan}
