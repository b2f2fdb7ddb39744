"""Commands that measure and predict."""

from collections.abc import Sequence
from pathlib import Path
from shlex import join, quote
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.options import POSITIVE, POSITIVE_NUMBER, load_arrays
from arrangements.cli.output import announce_compilation, print_summary, write_out

if TYPE_CHECKING:
    from arrangements.benchmarking.comparison import Comparison
    from arrangements.benchmarking.suites import Suite
    from arrangements.enumeration.planning import Plan
    from arrangements.runs.planning import RunPlan

SUITES = (
    "quick",
    "standard",
    "full",
    "scaling",
    "peers",
    "processors",
    "first",
    "models",
    "optimize",
    "scale",
)
METHODS = ("auto", "sweep", "incremental", "reverse_search", "pairs")


@click.command()
@click.option("--suite", type=click.Choice(SUITES), help="Which cases to run; default quick.")
@click.option("--file", metavar="W.npy", help="Instead of a suite: this matrix.")
@click.option("--key", help="Array of a FILE that holds several.")
@click.option("--offsets", metavar="FILE", help="Offsets b of W x + b; default zeros.")
@click.option("--offsets-key", help="Array of a file of offsets.")
@click.option("--rankings", is_flag=True, help="With --file: list rankings of the rows.")
@click.option(
    "--method",
    "methods",
    metavar="NAME",
    multiple=True,
    help="Beside the sweep: a method or other software, or your own as module:function.",
)
@click.option(
    "--command",
    "commands",
    metavar="COMMAND",
    multiple=True,
    help="Beside the sweep: a program, as 'program {input} {output}'.",
)
@click.option("--only", metavar="TEXT", default="", help="Only cases with TEXT in their name.")
@click.option("--cap", type=POSITIVE_NUMBER, help="Seconds for an answer.")
@click.option(
    "--from",
    "saved",
    metavar="RUN.json",
    multiple=True,
    help="Report a saved run instead of making one; several are joined.",
)
@click.option(
    "--export", metavar="DIR", help="Write the inputs of a suite (default standard) as text files."
)
@click.option("-o", "--output", metavar="OUT.json", help="Save the run.")
@click.option("--table", metavar="OUT.csv", help="Write the cases as .csv or .parquet.")
@click.option("--plot", metavar="DIR", help="Draw the run (needs matplotlib).")
@click.option("--markdown", metavar="PAGE.md", help="Write a page of tables.")
@click.option("--compare", metavar="OLD.json", help="Report what got slower since a saved run.")
@click.option(
    "--against",
    metavar="GITREF",
    help="Measure the files here and another version in turns, in environments of their own.",
)
@click.option(
    "--fail-on-slower",
    is_flag=True,
    help="With --compare or --against: exit status 1 if one got slower.",
)
def bench(
    suite: str | None,
    file: str | None,
    key: str | None,
    offsets: str | None,
    offsets_key: str | None,
    rankings: bool,
    methods: tuple[str, ...],
    commands: tuple[str, ...],
    only: str,
    cap: float | None,
    saved: tuple[str, ...],
    export: str | None,
    output: str | None,
    table: str | None,
    plot: str | None,
    markdown: str | None,
    compare: str | None,
    against: str | None,
    fail_on_slower: bool,
) -> None:
    """Measure every method and other software on known cases, checking the answers."""
    measured = (suite, file, methods, commands, only, cap, against)
    if saved and any(measured):
        raise click.UsageError(
            "--from reports a saved run: leave out --suite, --file, --method, --command, --only, "
            "--cap and --against."
        )
    if suite is not None and file is not None:
        raise click.UsageError("give either --suite or --file.")
    if file is None and (key or offsets or offsets_key or rankings):
        raise click.UsageError("--key, --offsets, --offsets-key and --rankings go with --file.")
    if fail_on_slower and compare is None and against is None:
        raise click.UsageError("--fail-on-slower needs --compare OLD.json or --against GITREF.")
    if against is not None and any((compare, table, plot, markdown)):
        raise click.UsageError(
            "--against reports ratios: leave out --compare, --table, --plot and --markdown."
        )
    if export is not None:
        if any((saved, methods, commands, cap, against, output, table, plot, markdown, compare)):
            raise click.UsageError("--export goes with --suite, --file and --only alone.")
        arrays = None if file is None else (file, key, offsets, offsets_key)
        _export(_suite(suite or "standard", arrays, rankings, (), ()), only, export)
        return
    from arrangements.benchmarking import comparison, plots, report, runner, tables
    from arrangements.files.atomic import atomic_write
    from arrangements.files.paths import check_writable

    if table is not None:
        tables.check_table(table)
    for path in (output, table, markdown):  # now, not after the run
        if path is not None:
            check_writable(path)
    earlier = None if compare is None else runner.load_run(compare)
    if plot is not None:
        plots.check_folder(plot)
    if saved:
        run = runner.merged([runner.load_run(path) for path in saved])
    else:
        arrays = None if file is None else (file, key, offsets, offsets_key)
        chosen = _suite(suite or "quick", arrays, rankings, methods, commands)
        if against is not None:
            _against(against, chosen, only, cap, output, fail_on_slower)
            return
        run = runner.run_suite(
            chosen, cap=cap, only=only, report=_line, output=output, command=_written()
        )
    if output is not None and saved:
        runner.save_run(run, output)
    if table is not None:
        tables.save_table(run, table)
    if saved and not any((output, table, plot, markdown, compare)):
        for record in run["cases"]:
            _line(f"{runner.record_name(record)}: {runner.said(record)}")
    pictures = [] if plot is None else plots.save_plots(run, plot)
    if plot is not None and not pictures:
        click.echo("arrangements: the run has no case to draw a picture of", err=True)
    for path in pictures:
        click.echo(f"arrangements: wrote {path}", err=True)
    if markdown is not None:
        page = report.page(run, _command(run, only), _relative(pictures, markdown))
        with atomic_write(markdown) as stream:
            stream.write(page.encode())
    if earlier is not None:
        found = comparison.compare(run, earlier)
        if (caveat := comparison.caveat(run, earlier)) is not None:
            _line(caveat)
        for line in found:
            _line(str(line))
        for made in earlier.get("made", []):
            _line(f"Compared with a run of {report.origin_of(made)}.")
        slower = _counted(found)
        if not found:
            raise click.ClickException(f"no case can be compared with one in {compare}.")
        if slower and fail_on_slower:
            raise click.exceptions.Exit(1)
    wrong = [record for record in run["cases"] if record["status"] in ("wrong", "failed")]
    if wrong and not saved:
        raise click.ClickException(f"{len(wrong)} of {len(run['cases'])} cases failed, see above.")


def _export(suite: "Suite", only: str, folder: str) -> None:
    """Write the inputs of a suite."""
    from arrangements.benchmarking import runner, standard

    jobs = runner.chosen_jobs(suite, only)
    files = standard.export((job.case for job in jobs), folder)
    click.echo(f"arrangements: wrote {len(files)} files to {folder}", err=True)


def _counted(found: "Sequence[Comparison]") -> int:
    """Say how many got slower."""
    slower = sum(line.verdict in ("slower", "broken") for line in found)
    _line(f"{slower} of {len(found)} got slower or broke.")
    return slower


def _against(
    reference: str,
    suite: "Suite",
    only: str,
    cap: float | None,
    output: str | None,
    fail_on_slower: bool,
) -> None:
    """Compare the files here with another version."""
    from dataclasses import asdict

    from arrangements.benchmarking import runner, versions

    jobs = runner.chosen_jobs(suite, only)
    run = runner.new_run(_written()) | {"against": reference, "comparisons": []}
    ratios = versions.against(reference, jobs, cap=suite.cap if cap is None else cap, report=_line)
    found = versions.comparisons(ratios)
    run["comparisons"] = [asdict(line) | {"ratios": ratios[line.name]} for line in found]
    if output is not None:
        runner.save_run(run, output)
    for line in found:
        _line(str(line))
    if _counted(found) and fail_on_slower:
        raise click.exceptions.Exit(1)


def _suite(
    name: str,
    arrays: "tuple[str, str | None, str | None, str | None] | None",
    ranked: bool,
    methods: tuple[str, ...],
    commands: tuple[str, ...],
) -> "Suite":
    """A known suite or one of a file, with methods of others."""
    from arrangements.benchmarking import extension, suites
    from arrangements.benchmarking.cases import CHAMBERS, RANKINGS
    from arrangements.benchmarking.methods import method_named

    extension.load_installed()
    topic = RANKINGS if ranked else CHAMBERS
    if arrays is None:
        suite = suites.suite_named(name)
    else:
        W, offsets = load_arrays(*arrays)
        suite = suites.of_matrix(Path(arrays[0]).name, W, offsets, topic=topic)
    others = [
        extension.register_function(method, topic) if ":" in method else method
        for method in methods
    ]
    others += [extension.register_command(command, topic) for command in commands]
    for method in others:
        method_named(topic, method)
    return suites.beside(suite, others) if others else suite


def _written() -> str:
    """The command line as it was given."""
    import sys

    return join(["arrangements", *sys.argv[1:]])


def _line(text: str) -> None:
    write_out(text + "\n")


def _command(run: dict[str, Any], only: str) -> str:
    """The command that repeats the run; as it was given, if it was more than a suite."""
    given = str(run.get("command", ""))
    if any(f" {option} " in given for option in ("--file", "--method", "--command")):
        return given
    from arrangements.benchmarking.suites import suite_named

    caps: dict[str, set[float]] = {}
    for record in [*run["cases"], *run.get("processors", {"cases": []})["cases"]]:
        caps.setdefault(record["suite"], set())
        if record["status"] == "capped":
            caps[record["suite"]].add(record["cap"])
    suites = [name for name in SUITES if name in caps]
    lines = []
    for name in suites:
        options = f" --only {quote(only)}" if only else ""
        options += "".join(f" --cap {cap:g}" for cap in caps[name] - {suite_named(name).cap})
        lines.append(f"arrangements bench --suite {name}{options} -o {name}.json")
    saved = " ".join(f"--from {name}.json" for name in suites)
    return "\n".join([*lines, f"arrangements bench {saved} --markdown page.md --plot pictures"])


def _relative(pictures: list[str], page: str) -> list[str]:
    import os

    folder = os.path.dirname(page) or "."
    return [os.path.relpath(path, folder).replace(os.sep, "/") for path in pictures]


@click.command()
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--n", type=POSITIVE, help="Instead of FILE: this many hyperplanes (or labels) ..")
@click.option("--d", type=POSITIVE, help=".. in this dimension, in general position.")
@click.option("--key", help="Array of an .npz FILE that holds several.")
@click.option("--offsets", metavar="FILE", help="Offsets b of W x + b; default zeros.")
@click.option("--offsets-key", help="Array of an .npz file of offsets.")
@click.option("--rankings", is_flag=True, help="Predict rankings of the rows, not chambers.")
@click.option("--method", type=click.Choice(METHODS), default="auto", show_default=True)
@click.option(
    "--workers",
    type=POSITIVE,
    default=1,
    show_default=True,
    help="Threads; from 2 on also the workers of a run on disk, whose parts are predicted.",
)
@click.option(
    "--seconds",
    type=POSITIVE_NUMBER,
    default=10.0,
    show_default=True,
    help="Time to calibrate.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plan(
    file: str | None,
    n: int | None,
    d: int | None,
    key: str | None,
    offsets: str | None,
    offsets_key: str | None,
    as_json: bool,
    workers: int,
    **options: Any,
) -> None:
    """Predict the number, bytes and time of a listing or count on this machine.

    FILE holds W, a row per hyperplane: .npy, .npz, .safetensors, .csv, .txt, or -.
    With --workers M also the parts, bytes and hours of a run on disk (-o RUN/ of chambers and
    rankings) that M workers make, such as those of a cluster, from a simulated schedule of its
    parts.
    """
    if (file is None) == (n is None and d is None) or (n is None) != (d is None):
        raise click.UsageError("give either FILE, or both --n and --d.")
    if file is None and (key or offsets or offsets_key):
        raise click.UsageError("--key, --offsets and --offsets-key go with FILE.")
    import os
    from dataclasses import asdict

    from arrangements.enumeration import planning

    # more threads than processors would measure how these are shared
    threads = min(workers, os.cpu_count() or 1)
    if file is not None:
        W, b = load_arrays(file, key, offsets, offsets_key)
        found = planning.plan(W, b, workers=threads, **options)
    else:
        announce_compilation()
        assert n is not None and d is not None
        found = planning.plan_size(n, d, workers=threads, **options)
        W, b = planning.matrix_of_size(n, d), None
    run = None
    if workers > 1 and options["method"] in ("auto", "sweep"):
        from arrangements.runs.planning import plan_run

        run = plan_run(W, b, rankings=options["rankings"], workers=workers)
    if as_json:
        print_summary(asdict(found), **({} if run is None else {"run": asdict(run)}))
    else:
        write_out(_text(found) + ("" if run is None else _run_text(run)))


def _text(plan: "Plan") -> str:
    """Six lines."""
    about, known = "", "listed to the end" if plan.listed else "counted to the end"
    if not plan.exact:
        about, known = "about ", f"at most {_number(plan.most)}"
    counting = f", method {plan.counting_method}"
    if plan.reason:
        counting += f": {plan.reason}"
    elif plan.polynomial_seconds is not None:
        counting += f", {_duration(plan.polynomial_seconds)} with method characteristic"
    taken = "time not known" if plan.counting_seconds is None else _duration(plan.counting_seconds)
    fits = "fits" if plan.fits else "does not fit: stream or count"
    return (
        f"{plan.noun:<10}{about}{_number(plan.expected)} ({known})\n"
        f"{'memory':<10}{_bytes(plan.listing_bytes)} of {_bytes(plan.available_bytes)}: {fits}\n"
        f"{'listing':<10}{_duration(plan.listing_seconds)}, method {plan.method}, "
        f"{plan.workers} thread{'s' if plan.workers > 1 else ''}\n"
        f"{'streaming':<10}{_duration(plan.streaming_seconds)}\n"
        f"{'counting':<10}{taken}{counting}\n"
        f"{'seen':<10}{plan.calibrated:,} in {_duration(plan.calibration_seconds)}\n"
    )


def _run_text(run: "RunPlan") -> str:
    """Two lines about a run."""
    largest = float(f"{100 * run.largest:.2g}")  # no power of ten for 100
    return (
        f"{'run':<10}{_duration(3600 * run.hours)} with {run.workers:,} "
        f"worker{'s' if run.workers > 1 else ''}, busy "
        f"{run.efficiency:.2%} of it; {_bytes(run.bytes)} in {run.parts:,} "
        f"part{'s' if run.parts > 1 else ''}, the largest {largest:g}%\n"
        f"{'':<10}{run.assumed}\n"
    )


def _number(patterns: int) -> str:
    """All digits, unless there are too many to read."""
    return f"{patterns:,}" if patterns < 10**18 else f"{patterns:.4g}"


def _bytes(number: int) -> str:
    size = float(number)
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} PB"


def _duration(seconds: float) -> str:
    for unit, size in (("years", 31_557_600), ("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.3g} {unit}"
    return f"{seconds:.3g} s"
