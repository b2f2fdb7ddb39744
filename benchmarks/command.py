"""The command line of the benchmarks: ``python -m benchmarks``."""

import os
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from arrangements import load_matrix, load_vector
from arrangements.errors import ArrangementError
from arrangements.files.atomic import atomic_write
from arrangements.files.paths import check_writable
from benchmarks.reports import plots, report
from benchmarks.runs import comparison, run_files, runner, tables, versions
from benchmarks.runs.comparison import Comparison
from benchmarks.suites import extension, standard, suites
from benchmarks.suites.cases import CHAMBERS, RANKINGS
from benchmarks.suites.methods import method_named
from benchmarks.suites.suites import SUITES, Suite

POSITIVE_NUMBER = click.FloatRange(min=0, min_open=True)
# Options that write about a run.
REPORTS = ("table", "plot", "markdown")


@click.command()
@click.option("--suite", type=click.Choice([*SUITES]), help="Which cases to run; default quick.")
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
def bench(saved: tuple[str, ...], export: str | None, **options: Any) -> None:
    """Measure every method and other software on known cases, checking the answers."""
    _check_options(saved, export, options)
    if export is not None:
        jobs = runner.select_jobs(_read_suite("standard", options), options["only"])
        files = standard.export((job.case for job in jobs), export)
        click.echo(f"wrote {len(files)} files to {export}", err=True)
        return
    # now, not after the run
    output, compare = options["output"], options["compare"]
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
        if not any(options[name] for name in ("output", "compare", *REPORTS)):
            for record in run["cases"]:
                click.echo(f"{run_files.record_name(record)}: {runner.describe_record(record)}")
    else:
        suite = _read_suite("quick", options)
        limits = {name: options[name] for name in ("only", "cap", "output")}
        if options["against"] is not None:
            _compare_versions(options["against"], suite, options["fail_on_slower"], **limits)
            return
        run = runner.run_suite(suite, report=click.echo, command=_command_line(), **limits)
    _write_reports(run, options)
    if earlier is not None:
        _compare_runs(run, earlier, compare, options["fail_on_slower"])
    wrong = [record for record in run["cases"] if record["status"] in ("wrong", "failed")]
    if wrong and not saved:
        raise click.ClickException(f"{len(wrong)} of {len(run['cases'])} cases failed, see above.")


def _check_options(saved: tuple[str, ...], export: str | None, options: dict[str, Any]) -> None:
    """Refuse options that do not go together."""

    def has(*names: str) -> bool:
        return any(options[name] for name in names)

    if saved and has("suite", "file", "methods", "commands", "only", "cap", "against"):
        raise click.UsageError(
            "--from reports a saved run: leave out --suite, --file, --method, --command, --only, "
            "--cap and --against."
        )
    if has("suite") and has("file"):
        raise click.UsageError("give either --suite or --file.")
    if not has("file") and has("key", "offsets", "offsets_key", "rankings"):
        raise click.UsageError("--key, --offsets, --offsets-key and --rankings go with --file.")
    if has("offsets_key") and not has("offsets"):
        raise click.UsageError("--offsets-key needs --offsets FILE.")
    if has("fail_on_slower") and not has("compare", "against"):
        raise click.UsageError("--fail-on-slower needs --compare OLD.json or --against GITREF.")
    if has("against") and has("compare", *REPORTS):
        raise click.UsageError(
            "--against reports ratios: leave out --compare, --table, --plot and --markdown."
        )
    others = ("methods", "commands", "cap", "against", "output", "compare", *REPORTS)
    if export is not None and (saved or has(*others)):
        raise click.UsageError("--export goes with --suite, --file and --only alone.")


def _write_reports(run: dict[str, Any], options: dict[str, Any]) -> None:
    """Write the table, the pictures and the page of a run."""
    if options["table"] is not None:
        tables.save_table(run, options["table"])
    folder, page = options["plot"], options["markdown"]
    pictures = [] if folder is None else plots.save_plots(run, folder)
    if folder is not None and not pictures:
        click.echo("the run has no case to draw a picture of", err=True)
    for path in pictures:
        click.echo(f"wrote {path}", err=True)
    if page is not None:
        beside = os.path.dirname(page) or "."
        links = [os.path.relpath(path, beside).replace(os.sep, "/") for path in pictures]
        with atomic_write(page) as stream:
            stream.write(report.page(run, _repeat_command(run, options["only"]), links).encode())


def _compare_runs(
    run: dict[str, Any], earlier: dict[str, Any], name: str, fail_on_slower: bool
) -> None:
    """Print what changed since a saved run."""
    found = comparison.compare(run, earlier)
    if (caveat := comparison.caveat(run, earlier)) is not None:
        click.echo(caveat)
    made = [f"Compared with a run of {report.origin_of(one)}." for one in earlier.get("made", [])]
    _print_comparisons(found, made, fail_on_slower and bool(found))
    if not found:
        raise click.ClickException(f"no case can be compared with one in {name}.")


def _print_comparisons(found: list[Comparison], notes: list[str], fail_on_slower: bool) -> None:
    for line in (*map(str, found), *notes):
        click.echo(line)
    slower = sum(line.verdict in ("slower", "broken") for line in found)
    click.echo(f"{slower} of {len(found)} got slower or broke.")
    if slower and fail_on_slower:
        raise click.exceptions.Exit(1)


def _compare_versions(
    reference: str,
    suite: Suite,
    fail_on_slower: bool,
    *,
    only: str,
    cap: float | None,
    output: str | None,
) -> None:
    """Compare the files here with another version."""
    jobs = runner.select_jobs(suite, only)
    run = runner.new_run(_command_line()) | {"against": reference, "comparisons": []}
    cap = suite.cap if cap is None else cap
    ratios = versions.against(reference, jobs, cap=cap, report=click.echo)
    found = versions.comparisons(ratios)
    run["comparisons"] = [asdict(line) | {"ratios": ratios[line.name]} for line in found]
    if output is not None:
        run_files.save_run(run, output)
    _print_comparisons(found, [], fail_on_slower)


def _read_suite(default: str, options: dict[str, Any]) -> Suite:
    """A known suite or one of a file, with methods of others."""
    extension.load_installed()
    topic = RANKINGS if options["rankings"] else CHAMBERS
    if options["file"] is None:
        suite = suites.suite_named(options["suite"] or default)
    else:
        W, b = load_matrix(options["file"], options["key"]), None
        if options["offsets"] is not None:
            b = load_vector(options["offsets"], options["offsets_key"])
        suite = suites.of_matrix(Path(options["file"]).name, W, b, topic=topic)
    others = [
        extension.register_function(method, topic) if ":" in method else method
        for method in options["methods"]
    ]
    others += [extension.register_command(command, topic) for command in options["commands"]]
    for method in others:
        method_named(topic, method)
    return suites.beside(suite, others) if others else suite


def _command_line() -> str:
    return shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]])


def _repeat_command(run: dict[str, Any], only: str) -> str:
    """The command that repeats the run; as it was given, if it was more than a suite."""
    given = str(run.get("command", ""))
    if any(f" {option} " in given for option in ("--file", "--method", "--command")):
        return given
    caps: dict[str, set[float]] = {}
    for record in [*run["cases"], *run.get("processors", {"cases": []})["cases"]]:
        caps.setdefault(record["suite"], set())
        if record["status"] == "capped":
            caps[record["suite"]].add(record["cap"])
    names = [name for name in SUITES if name in caps]
    lines = []
    for name in names:
        options = f" --only {shlex.quote(only)}" if only else ""
        options += "".join(f" --cap {cap:g}" for cap in caps[name] - {SUITES[name].cap})
        lines.append(f"python -m benchmarks --suite {name}{options} -o {name}.json")
    saved = " ".join(f"--from {name}.json" for name in names)
    return "\n".join([*lines, f"python -m benchmarks {saved} --markdown page.md --plot pictures"])


def main() -> int:
    """Run the command line; its exit status: 2 for bad input, 130 after Ctrl-C."""
    try:
        return bench.main(prog_name="python -m benchmarks", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        click.echo("Interrupted.", err=True)
        return 130
    except (ArrangementError, OSError) as error:
        click.echo(f"Error: {error}", err=True)
        return 2
