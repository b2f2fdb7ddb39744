"""The command that predicts: ``plan``."""

import os
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.inputs import MATRIX, Input, Region, input_options, region_options
from arrangements.cli.options import (
    POSITIVE,
    POSITIVE_NUMBER,
    json_option,
    method_option,
    workers_option,
)
from arrangements.cli.output import announce_compilation, print_result
from arrangements.messages import duration

if TYPE_CHECKING:
    from arrangements.enumeration.planning import Plan
    from arrangements.runs.planning import RunPlan

METHODS = ("auto", "sweep", "incremental", "reverse_search", "pairs")


@click.command()
@input_options(click.argument("file", metavar="[FILE]", required=False, type=MATRIX), labels=False)
@region_options
@click.option("--n", type=POSITIVE, help="Instead of FILE: this many hyperplanes (or labels) ..")
@click.option("--d", type=POSITIVE, help=".. in this dimension, in general position.")
@click.option("--rankings", is_flag=True, help="Predict rankings of the rows, not chambers.")
@method_option(METHODS)
@workers_option(
    help="Threads; from 2 on also the workers of a run on disk, whose parts are predicted."
)
@click.option(
    "--seconds",
    type=POSITIVE_NUMBER,
    default=10.0,
    show_default=True,
    help="Time to calibrate.",
)
@json_option
def plan(
    source: Input,
    region: Region,
    n: int | None,
    d: int | None,
    as_json: bool,
    workers: int,
    **options: Any,
) -> None:
    """Predict the number, bytes and time of a listing or count on this machine.

    FILE holds W, a row per hyperplane: numbers (.npy, .csv, ..), a model, or -; or is a family
    such as 'braid(4)' (arrangements.generators).
    With --workers M also the parts, bytes and hours of a run on disk (-o RUN/ of chambers and
    rankings) that M workers make, such as those of a cluster, from a simulated schedule of its
    parts.
    """
    file = source.file
    if (file is None) == (n is None and d is None) or (n is None) != (d is None):
        raise click.UsageError("give either FILE, or both --n and --d.")
    if file is None and source != Input(None):
        raise click.UsageError("--key, --transpose, --offsets and --offsets-key go with FILE.")
    from dataclasses import asdict

    from arrangements.enumeration import planning

    # more threads than processors would measure how these are shared
    threads = min(workers, os.cpu_count() or 1)
    if file is not None:
        W, b = source.arrays()
        options["within"] = region.polyhedron(W.shape[1])
        found = planning.plan(W, b, workers=threads, **options)
    else:
        announce_compilation()
        assert n is not None and d is not None
        options["within"] = region.polyhedron(d)
        found = planning.plan_size(n, d, workers=threads, **options)
        W, b = planning.matrix_of_size(n, d), None
    text, record = _format_plan(found), asdict(found)
    if workers > 1 and options["method"] in ("auto", "sweep"):
        from arrangements.runs.planning import plan_run

        asked = {name: options[name] for name in ("rankings", "within")}
        run = plan_run(W, b, **asked, workers=workers)
        text, record = text + _format_run(run), {**record, "run": asdict(run)}
    print_result(as_json, text, record)


def _format_plan(plan: "Plan") -> str:
    """Six lines."""
    about, bound = "", "listed to the end" if plan.listed else "counted to the end"
    if not plan.exact:
        about, bound = "about ", f"at most {_format_number(plan.most)}"
    counting = "time not known"
    if plan.counting_seconds is not None:
        counting = duration(plan.counting_seconds / 3600)
    merged = plan.counting_method == "characteristic"
    if merged and plan.polynomial_memory is not None and plan.polynomial_disk is not None:
        counting += (
            f" (within a factor of 3; {_format_bytes(plan.polynomial_memory)} of memory, or "
            f"{_format_bytes(plan.polynomial_disk)} in a folder)"
        )
    counting += f", method {plan.counting_method}"
    if plan.reason:
        counting += f": {plan.reason}"
    elif plan.polynomial_seconds is not None:
        counting += f", {duration(plan.polynomial_seconds / 3600)} with method characteristic"
    memory = f"{_format_bytes(plan.listing_bytes)} of {_format_bytes(plan.available_bytes)}"
    threads = f"{plan.workers} thread{'s' if plan.workers > 1 else ''}"
    lines = {
        plan.noun: f"{about}{_format_number(plan.expected)} ({bound})",
        "memory": f"{memory}: {'fits' if plan.fits else 'does not fit: stream or count'}",
        "listing": f"{duration(plan.listing_seconds / 3600)}, method {plan.method}, {threads}",
        "streaming": duration(plan.streaming_seconds / 3600),
        "counting": counting,
        "sample": f"{plan.calibrated:,} in {duration(plan.calibration_seconds / 3600)}",
    }
    return "".join(f"{name:<10}{text}\n" for name, text in lines.items())


def _format_run(run: "RunPlan") -> str:
    """Two lines about a run."""
    largest = float(f"{100 * run.largest:.2g}")  # no power of ten for 100
    return (
        f"{'run':<10}{duration(run.hours)} with {run.workers:,} "
        f"worker{'s' if run.workers > 1 else ''}, busy "
        f"{run.efficiency:.2%} of it; {_format_bytes(run.bytes)} in {run.parts:,} "
        f"part{'s' if run.parts > 1 else ''}, the largest {largest:g}%\n"
        f"{'':<10}{run.assumed}\n"
    )


def _format_number(patterns: int) -> str:
    """All digits, unless there are too many to read."""
    return f"{patterns:,}" if patterns < 10**18 else f"{patterns:.4g}"


def _format_bytes(number: int) -> str:
    size = float(number)
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} PB"
