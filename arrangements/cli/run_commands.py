"""Runs on disk: what ``-o run/`` does, and the command that checks one."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.options import (
    FILE,
    POSITIVE,
    POSITIVE_NUMBER,
    SHARE,
    Command,
    add_options,
    json_option,
    refuse,
    workers_option,
)
from arrangements.cli.output import (
    announce_compilation,
    print_result,
    say,
    show_progress,
    write_out,
)
from arrangements.messages import missing_library

if TYPE_CHECKING:
    from arrangements.runs.reading import Run


def run_options(command: Command) -> Command:
    """Add the options that only mean something with ``-o run/``."""
    return add_options(
        command,
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="With -o RUN/: a Dask scheduler, tcp://.., or local for processes here.",
        ),
        click.option(
            "--max-bytes",
            type=POSITIVE,
            metavar="B",
            help="With -o RUN/: refuse a run of more bytes (default: what is free).",
        ),
        click.option(
            "--rows-per-part", type=POSITIVE, metavar="M", help="With -o RUN/: most rows of a part."
        ),
    )


def is_run(output: str | None) -> bool:
    """Whether an output is the folder of a run, not a file."""
    if output is None:
        return False
    from arrangements.files.folder import is_url
    from arrangements.files.paths import WRITABLE

    if output.endswith(("/", os.sep)) or is_url(output):
        return True
    # a folder called out.txt rather stands in the way of a file
    return os.path.isdir(output) and not output.lower().endswith(WRITABLE)


def write_run(write: Callable[..., "Run"], output: str, options: dict[str, Any]) -> "Run":
    """Write a run, or go on with it."""
    refuse(options, ("limit", "method"), "A run")
    scheduler = options.pop("scheduler")
    with _client(scheduler, options["workers"]) as client:
        return write(path=output, client=client, progress=show_progress(), **options)


def refuse_run_options(options: dict[str, Any]) -> None:
    """Refuse the options of a run where there is none."""
    refuse(options, ("rows_per_part", "max_bytes", "scheduler"), "An output that is no run (RUN/)")


@contextmanager
def _client(scheduler: str | None, workers: int) -> Iterator[Any]:
    """A client of the scheduler, which ends with it if it was started here."""
    if scheduler is None:
        yield None
        return
    from arrangements.execution.clusters import local_cluster

    if scheduler == "local":
        with local_cluster(workers) as client:
            yield client
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise missing_library("dask[distributed]", "for --scheduler") from error
    try:
        client = Client(scheduler, timeout=30)
    except (OSError, ValueError) as error:
        raise click.BadParameter(
            f"no scheduler answers: {error}", param_hint="--scheduler"
        ) from error
    import logging  # loads slowly

    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # the error says it
    with client:
        yield client


@click.command()
@click.argument("path", metavar="PATH", type=FILE)
@click.option(
    "--points",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    help="Rows that are proved by exact points.",
)
@click.option(
    "--repair", is_flag=True, help="Remove what is damaged or unfinished, make what is missing."
)
@click.option(
    "--sample",
    type=SHARE,
    help="Of a count: do this share of its tasks again (default: 1%).",
)
@workers_option(help="Threads of a repair, or of a count.")
@click.option(
    "--max-seconds",
    type=POSITIVE_NUMBER,
    metavar="S",
    help="Of a certificate: give up after S seconds (default: 600).",
)
@click.option(
    "--max-megabytes",
    type=POSITIVE_NUMBER,
    metavar="M",
    help="Of a certificate: give up if it takes M MB of memory (default: 1000).",
)
@json_option
def check(
    path: str,
    as_json: bool,
    max_seconds: float | None,
    max_megabytes: float | None,
    sample: float | None,
    **options: Any,
) -> None:
    """Check a run or a long count, or prove the claims of a certificate again.

    PATH is a file that --certificate wrote, what chambers -o or rankings -o wrote, or what count
    --checkpoint left: a folder or a URL. The exit status is 1 if something is wrong or not proved,
    after a repair of a run if something still is, and 3 if a limit ended the check of a
    certificate. A certificate is read by checker.py alone, or, about a network, by
    network_checker.py, which also run without this package: see docs/certificates.md.
    """
    limits = {"max_seconds": max_seconds, "max_megabytes": max_megabytes}
    if os.path.exists(path) and not os.path.isdir(path):  # a pipe, too
        refuse({"sample": sample}, ("sample",), "A certificate")
        _refuse_other_file(path)
        _check_certificate(path, as_json, options, limits)
        return
    if path and "://" not in path and not os.path.exists(path):
        raise click.UsageError(
            f"{path} does not exist; expected a file that --certificate wrote, or a run."
        )
    refuse(limits, tuple(limits), "A run")
    from arrangements.files.folder import folder_at

    if "restrictions.json" in folder_at(path).names():
        _check_count(path, as_json, sample, options)
        return
    refuse({"sample": sample}, ("sample",), "A run")
    announce_compilation()
    from arrangements import check_run

    report = check_run(path, progress=show_progress(), **options)
    print_result(as_json, f"{report}\n", vars(report))
    if not report:
        raise click.exceptions.Exit(1)


def _check_count(path: str, as_json: bool, sample: float | None, options: dict[str, Any]) -> None:
    """Print what is wrong with a long count."""
    if options["points"] != 100 or options["repair"]:
        raise click.UsageError("--points and --repair are about runs: leave them out.")
    announce_compilation()
    from arrangements.algebra import check_count

    report = check_count(
        path, sample=sample or 0.01, workers=options["workers"], progress=show_progress()
    )
    print_result(as_json, f"{report}\n", vars(report))
    if not report:
        raise click.exceptions.Exit(1)


def _refuse_other_file(path: str) -> None:
    """Refuse a file that does not begin as certificates do: it has no claims."""
    if path.endswith(".gz") or not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        first = file.read(1)
    if first not in (b"{", b""):
        raise click.UsageError(
            f"{path} is neither a certificate nor a run; expected a file that --certificate wrote, "
            "or the folder of a run."
        )


def _is_about_network(path: str) -> bool:
    """Whether a file is for the checker of networks."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return b'"arrangements network"' in file.read(200)


# Runs a file, and ends with whoever started it: also if Ctrl-C came before that knew of it.
_WHILE_STDIN_IS_OPEN = """
import os, runpy, sys, threading
def watch():
    os.read(0, 1)
    os._exit(3)
threading.Thread(target=watch, daemon=True).start()
sys.argv = sys.argv[1:]
"""
_RUN = 'runpy.run_path(sys.argv[0], run_name="__main__")'
# The same for the checker of networks, which has no limits of its own.
_RUN_WITH_LIMITS = f"""
limits = map(float, sys.argv[1:3])
watch = runpy.run_path(sys.argv.pop())["watch"]
threading.Thread(target=watch, args=limits, daemon=True).start()
del sys.argv[1:3]
{_RUN}
"""


def _check_certificate(
    path: str, as_json: bool, options: dict[str, Any], limits: dict[str, float | None]
) -> None:
    """Print the verdict on each claim of a certificate file as soon as it is known.

    The checker runs in a process of its own, which its limits end.
    """
    if options != {"points": 100, "repair": False, "workers": 1}:
        raise click.UsageError("--points, --repair and --workers are about runs: leave them out.")
    from arrangements import checker, network_checker

    if _is_about_network(path):
        run, seconds, megabytes = _RUN_WITH_LIMITS, *limits.values()
        arguments = [network_checker.__file__, str(seconds or 600), str(megabytes or 1000), path]
        arguments.append(checker.__file__)
    else:
        run, arguments = _RUN, [checker.__file__]
        for name, limit in limits.items():
            arguments += [] if limit is None else [f"--{name.replace('_', '-')}", str(limit)]
        arguments += ["--", path]
    command = [sys.executable, "-I", "-S", "-c", _WHILE_STDIN_IS_OPEN + run]
    verdicts: list[str] = []
    # in a session of its own: Ctrl-C comes to this process, which ends the other one
    process = subprocess.Popen(
        [*command, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None and process.stdin is not None
    try:
        for verdict in process.stdout:
            if as_json:
                verdicts.append(verdict.rstrip("\n"))
            else:
                write_out(verdict)
        status = process.wait()
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
    if status < 0:
        say(f"The checker was ended by signal {-status}.")
        status = checker.STOPPED
    print_result(as_json, "", {"proved": not status, "verdicts": verdicts})
    if status:
        raise click.exceptions.Exit(status)
