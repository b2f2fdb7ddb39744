"""The command that measures: ``bench``."""

import os
import sys
from pathlib import Path
from shlex import join, quote
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.options import POSITIVE_NUMBER, Input, input_options
from arrangements.cli.output import write_out

if TYPE_CHECKING:
    from arrangements.benchmarking.comparison import Comparison
    from arrangements.benchmarking.suites import Suite

SUITES = (
    *("quick", "standard", "full", "scaling", "peers"),
    *("processors", "first", "models", "optimize", "scale"),
)


@click.command()
@click.option("--suite", type=click.Choice(SUITES), help="Which cases to run; default quick.")
@input_options(
    click.option("--file", metavar="W.npy", help="Instead of a suite: this matrix."), labels=False
)
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
    source: Input,
    suite: str | None,
    rankings: bool,
    saved: tuple[str, ...],
    export: str | None,
    fail_on_slower: bool,
    **options: Any,
) -> None:
    """Measure every method and other software on known cases, checking the answers."""
    _check_options(source, suite, rankings, saved, export, fail_on_slower, options)
    output, compare = options["output"], options["compare"]
    default = "quick" if export is None else "standard"
    if export is not None:
        chosen = _read_suite(suite or default, source, rankings, options)
        _export(chosen, options["only"], export)
        return
    from arrangements.benchmarking import plots, run_files, runner, tables
    from arrangements.files.paths import check_writable

    # now, not after the run
    if options["table"] is not None:
        tables.check_table(options["table"])
    for path in (output, options["table"], options["markdown"]):
        if path is not None:
            check_writable(path)
    earlier = None if compare is None else run_files.load_run(compare)
    if options["plot"] is not None:
        plots.check_folder(options["plot"])
    if saved:
        run = run_files.merged([run_files.load_run(path) for path in saved])
        if output is not None:
            run_files.save_run(run, output)
    else:
        chosen = _read_suite(suite or default, source, rankings, options)
        limits = {name: options[name] for name in ("only", "cap", "output")}
        if options["against"] is not None:
            _compare_versions(options["against"], chosen, fail_on_slower, **limits)
            return
        run = runner.run_suite(chosen, report=_print_line, command=_command_line(), **limits)
    if saved and not any(options[name] for name in ("output", "compare", *_REPORTS)):
        for record in run["cases"]:
            _print_line(f"{run_files.record_name(record)}: {runner.describe_record(record)}")
    _write_reports(run, options)
    if earlier is not None:
        _compare_runs(run, earlier, compare, fail_on_slower)
    wrong = [record for record in run["cases"] if record["status"] in ("wrong", "failed")]
    if wrong and not saved:
        raise click.ClickException(f"{len(wrong)} of {len(run['cases'])} cases failed, see above.")


# Options of bench that write about a run.
_REPORTS = ("table", "plot", "markdown")


def _check_options(
    source: Input,
    suite: str | None,
    rankings: bool,
    saved: tuple[str, ...],
    export: str | None,
    fail_on_slower: bool,
    options: dict[str, Any],
) -> None:
    """Refuse options that do not go together."""

    def has(*names: str) -> bool:
        return any(options[name] for name in names)

    measures = suite or source.file or has("methods", "commands", "only", "cap", "against")
    if saved and measures:
        raise click.UsageError(
            "--from reports a saved run: leave out --suite, --file, --method, --command, --only, "
            "--cap and --against."
        )
    if suite is not None and source.file is not None:
        raise click.UsageError("give either --suite or --file.")
    if source.file is None and (source != Input(None) or rankings):
        raise click.UsageError("--key, --offsets, --offsets-key and --rankings go with --file.")
    if fail_on_slower and not has("compare", "against"):
        raise click.UsageError("--fail-on-slower needs --compare OLD.json or --against GITREF.")
    if has("against") and has("compare", *_REPORTS):
        raise click.UsageError(
            "--against reports ratios: leave out --compare, --table, --plot and --markdown."
        )
    others = ("methods", "commands", "cap", "against", "output", "compare", *_REPORTS)
    if export is not None and (saved or has(*others)):
        raise click.UsageError("--export goes with --suite, --file and --only alone.")


def _write_reports(run: dict[str, Any], options: dict[str, Any]) -> None:
    """Write the table, the pictures and the page of a run."""
    from arrangements.benchmarking import plots, report, tables
    from arrangements.files.atomic import atomic_write

    if options["table"] is not None:
        tables.save_table(run, options["table"])
    folder, page = options["plot"], options["markdown"]
    pictures = [] if folder is None else plots.save_plots(run, folder)
    if folder is not None and not pictures:
        click.echo("arrangements: the run has no case to draw a picture of", err=True)
    for path in pictures:
        click.echo(f"arrangements: wrote {path}", err=True)
    if page is not None:
        beside = os.path.dirname(page) or "."
        links = [os.path.relpath(path, beside).replace(os.sep, "/") for path in pictures]
        with atomic_write(page) as stream:
            stream.write(report.page(run, _repeat_command(run, options["only"]), links).encode())


def _compare_runs(
    run: dict[str, Any], earlier: dict[str, Any], name: str, fail_on_slower: bool
) -> None:
    """Print what changed since a saved run."""
    from arrangements.benchmarking import comparison, report

    found = comparison.compare(run, earlier)
    if (caveat := comparison.caveat(run, earlier)) is not None:
        _print_line(caveat)
    made = [f"Compared with a run of {report.origin_of(one)}." for one in earlier.get("made", [])]
    _print_comparisons(found, made, fail_on_slower and bool(found))
    if not found:
        raise click.ClickException(f"no case can be compared with one in {name}.")


def _print_comparisons(found: "list[Comparison]", notes: list[str], fail_on_slower: bool) -> None:
    for line in (*map(str, found), *notes):
        _print_line(line)
    slower = sum(line.verdict in ("slower", "broken") for line in found)
    _print_line(f"{slower} of {len(found)} got slower or broke.")
    if slower and fail_on_slower:
        raise click.exceptions.Exit(1)


def _export(suite: "Suite", only: str, folder: str) -> None:
    """Write the inputs of a suite."""
    from arrangements.benchmarking import runner, standard

    jobs = runner.select_jobs(suite, only)
    files = standard.export((job.case for job in jobs), folder)
    click.echo(f"arrangements: wrote {len(files)} files to {folder}", err=True)


def _compare_versions(
    reference: str,
    suite: "Suite",
    fail_on_slower: bool,
    *,
    only: str,
    cap: float | None,
    output: str | None,
) -> None:
    """Compare the files here with another version."""
    from dataclasses import asdict

    from arrangements.benchmarking import run_files, runner, versions

    jobs = runner.select_jobs(suite, only)
    run = runner.new_run(_command_line()) | {"against": reference, "comparisons": []}
    cap = suite.cap if cap is None else cap
    ratios = versions.against(reference, jobs, cap=cap, report=_print_line)
    found = versions.comparisons(ratios)
    run["comparisons"] = [asdict(line) | {"ratios": ratios[line.name]} for line in found]
    if output is not None:
        run_files.save_run(run, output)
    _print_comparisons(found, [], fail_on_slower)


def _read_suite(name: str, source: Input, ranked: bool, options: dict[str, Any]) -> "Suite":
    """A known suite or one of a file, with methods of others."""
    from arrangements.benchmarking import extension, suites
    from arrangements.benchmarking.cases import CHAMBERS, RANKINGS
    from arrangements.benchmarking.methods import method_named

    extension.load_installed()
    topic = RANKINGS if ranked else CHAMBERS
    if source.file is None:
        suite = suites.suite_named(name)
    else:
        W, offsets = source.arrays()
        suite = suites.of_matrix(Path(source.file).name, W, offsets, topic=topic)
    others = [
        extension.register_function(method, topic) if ":" in method else method
        for method in options["methods"]
    ]
    others += [extension.register_command(command, topic) for command in options["commands"]]
    for method in others:
        method_named(topic, method)
    return suites.beside(suite, others) if others else suite


def _command_line() -> str:
    return join(["arrangements", *sys.argv[1:]])


def _print_line(text: str) -> None:
    write_out(text + "\n")


def _repeat_command(run: dict[str, Any], only: str) -> str:
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
