"""The page of a run: its tables, with a note to each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from statistics import median

from benchmarks.reports.formats import Table, markdown
from benchmarks.reports.growth import growth
from benchmarks.reports.report_tables import (
    answered,
    case_table,
    compilation_table,
    entry_table,
    growth_table,
    highlights,
    other_software,
    peer_summary,
    peer_tables,
    powers_table,
    prediction_table,
    process_table,
    processor_table,
    promise_table,
    worker_table,
)
from benchmarks.runs.run_files import Record, RunRecord, is_of_processors
from benchmarks.suites.cases import CHAMBERS, FAMILIES, MODELS, OPTIMIZE, RANKINGS, SCALE
from benchmarks.suites.peers import PEERS

# From this ratio of time to time of the processor on, a page says that the machine was busy.
_WAITED = 1.2

_EXPLANATION = """\
Every answer was checked while it was measured ([how](benchmarking.md)). Times are medians of
repetitions after a first call, with 95 % bootstrap intervals; the references take turns with
them.{turns}

- *each*: time for each chamber or ranking.
- *x evaluating* (of rankings *x sorting*): the ratio to the time in which NumPy evaluates and
  packs `X @ W.T > 0` (of rankings: sorts `X @ W.T`), where X, a point of every stored pattern, is
  *given*.
- *x copy*: the ratio to the time of copying the packed answer once.

"> 10 s" means that no answer came in 10 s, "skipped" marks the larger cases of such a series, and
"missing" software that is not installed.
"""


def _turns(run: RunRecord) -> str:
    """What runs of schema 1 did not do."""
    return "" if run.get("schema") == 1 else " Neighboring cases take turns, too."


def page(run: RunRecord, command: str, pictures: Iterable[str] = ()) -> str:
    """The whole report in Markdown.

    Parameters
    ----------
    run : dict
        As from `run_suite`.
    command : str
        What repeats it.
    pictures : iterable of str, optional
        Those of `save_plots`, relative to the page.
    """
    processors = run if is_of_processors(run) else run.get("processors")
    if processors is run:
        run = run | {"cases": []}
    parts = ["# Benchmarks\n", machine_line(run), _section("In short", highlights(run))]
    parts += [f"Repeat with\n\n```sh\n{command}\n```\n", _EXPLANATION.format(turns=_turns(run))]
    for path in pictures:
        if path.endswith(".html"):
            parts.append(_INTERACTIVE.format(path=path))
            continue
        title, note = _PICTURES[PurePosixPath(path).stem]
        parts.append(f"![{title}]({path})\n{note}")
    for topic in (CHAMBERS, RANKINGS):
        parts.append(_section(topic.capitalize(), case_table(run, topic)))
    parts.append(_families(run))
    tables = peer_tables(run)
    note = _peer_notes(run)
    parts.append(_section("Other software", peer_summary(run), note))
    parts.append(_section("Other software, case by case", tables[0]) if tables else "")
    parts += [markdown(table) for table in tables[1:] if len(table) > 1]
    fits = growth(run)
    parts.append(_section("Growth", powers_table(fits), _GROWTH_NOTE))
    parts.append(_section("Growth with n", growth_table(fits), _SERIES_NOTE))
    parts.append(_section("Threads", worker_table(run)))
    if processors is not None:
        note = _PROCESSOR_NOTE + ("" if not run["cases"] else "\n" + machine_line(processors))
        table = processor_table(processors)
        parts.append(_section("Other processors", table, note + _waiting(processors)))
    parts.append(_section("Predicted and measured", prediction_table(run), _PREDICTION_NOTE))
    for topic, (title, note) in _PROMISES.items():
        parts.append(_section(title, promise_table(run, topic), f"{note}\n{_LIMIT_NOTE}"))
    parts.append(_section("Fresh processes", process_table(run), _PROCESS_NOTE))
    parts.append(_section("Entries", entry_table(run), _ENTRY_NOTE))
    parts.append(_section("Compilation", compilation_table(run), _COMPILATION_NOTE))
    return "\n".join(part for part in parts if part)


_PICTURES = {
    "time": (
        "Time against number of chambers",
        "\nOne panel for each d and one point for each case; the dotted line is copying packed "
        "sign vectors of up to 64 hyperplanes in memory.\n",
    ),
    "peers": (
        "Times of other software over that of the sweep",
        "\nHow many times as long as the sweep other software takes, on the inputs that most of it "
        "was given; a cross marks the first size without an answer in time.\n",
    ),
    "heatmap": ("Chambers per second over n and d", ""),
    "workers": ("Time with several threads", ""),
}

# The site shows the file within the page; elsewhere the link opens it.
_INTERACTIVE = """\
All cases, to look into ([as a page of its own]({path})): choose what is shown, and point at a case
for its numbers.

```{{raw}} html
:file: {path}
```
"""

_GROWTH_NOTE = """\
For each method and family, one fit finds the *overhead*, the fixed time of a call. The time beyond
it grows like the number of patterns to the power *output*; divided by the number, it grows like the
powers of *n* and *d*. Only times of at least twice the overhead count. ± is half a 95 % interval.
"""

_SERIES_NOTE = """\
For each d, time grows like n to the *time exponent* and the number of patterns like n to the *count
exponent*; *each* is the time for a pattern at the largest n.
"""

_PROCESS_NOTE = """\
Each is a new process. *no cache* and *kernels of* begin with an empty cache of kernels; *all
kernels* is what `arrangements compile` does, on all cores.
"""

_ENTRY_NOTE = """\
Seconds of the processor that each kind of question takes to compile alone, and instructions of
LLVM. Kinds share entries.
"""

_COMPILATION_NOTE = """\
The kernels of all methods are compiled first, on all cores. A method that is not listed uses the
kernels of others.
"""

_PROCESSOR_NOTE = """\
One processor runs code compiled for itself, for AVX2 (*x86-64-v3*) and for SSE2 (*x86-64*), in
turns; factors are ratios of the least processor times. Answers are the same.
"""

_PREDICTION_NOTE = """\
`arrangements plan` predicts after a tenth of the time, at least 0.1 s. Cases that end within it are
left out.
"""

# Titles and notes of what is promised.
_PROMISES = {
    SCALE: (
        "At scale",
        "*write* makes a run on disk, *fold on Dask* folds on worker processes here, and *tiny\n"
        "tasks* measures the overhead of a task. *betti* is `betti_numbers`.\n",
    ),
    MODELS: (
        "Models",
        "Every question is answered with a proof. HiGHS answers some of the questions by its\n"
        "tolerances; its time is scaled up to all of them.\n",
    ),
    OPTIMIZE: (
        "Optimal chambers",
        "*errors* is `best_chamber` for the fewest errors of a hyperplane. HiGHS stops after a\n"
        "minute, proved or not; the errors of all hyperplanes through d - 1 points are scaled up\n"
        "from three seconds. *quadratic* is `binary_quadratic`.\n",
    ),
}

_LIMIT_NOTE = """\
Every case runs in a fresh process beside its references; the ratio is that to the slowest. Limits
are for an idle machine of two cores; a limit that was missed is marked.
"""


def _section(title: str, table: Table, note: str = "") -> str:
    """A table under its title; nothing without rows."""
    if len(table) < 2:
        return ""
    return "\n".join(part for part in (f"## {title}\n", note, markdown(table)) if part)


def machine_line(run: RunRecord) -> str:
    """Processor, memory and versions of a run, with its date and commit."""
    machine = run["machine"]
    memory = machine["memory_bytes"]
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    size = "" if memory is None else f", {memory / 2**30:.0f} GiB of memory"
    copying = f"{machine['copy_bytes_per_second'] / 1e9:.1f} GB/s"
    target = f", compiled for {machine['compiled_for']}" if "compiled_for" in machine else ""
    origins = dict.fromkeys(map(origin_of, run.get("made", [])))
    made = "".join(f" Made on {origin}." for origin in origins)
    return (
        f"Machine: {machine['cpu']}, {machine['cores']} cores{size}, {machine['system']}{target}; "
        f"copies {copying}. Versions: {versions}.{made}\n"
    )


def origin_of(made: Record) -> str:
    """Date and commit of a run.

    Examples
    --------
    >>> origin_of({"date": "2026-04-30T12:00:00+00:00", "commit": "0123456789ab"})
    '2026-04-30 at commit 0123456789ab'
    """
    commit = f" at commit {made['commit']}" if made["commit"] else ""
    return f"{made['date'][:10]}{commit}"


def _peer_notes(run: RunRecord) -> str:
    """What the peers are, and why one is not there."""
    lines = []
    for name in other_software(run):
        records = [r for r in run["cases"] if r["method"] == name]
        missing = next((r["message"] for r in records if r["status"] == "missing"), None)
        version = next((r["version"] for r in records if r["status"] == "ok"), None)
        peer = PEERS.get(name)
        home = "" if peer is None else peer.distribution or peer.program
        which = f" ({home} {version})".replace("( ", "(") if version else ""
        described = "" if peer is None else peer.describe
        said = ". ".join(part for part in (described, missing) if part)
        lines.append(f"- *{name}*{which}" + (f": {said}" if said else ""))
    lines.append(
        "\nAll run on the same matrices, with one thread. A time above the cap ends its series "
        "('skipped')."
    )
    return "\n".join(lines) + "\n"


def _families(run: RunRecord) -> str:
    used = {(record["topic"], record["family"]) for record in run["cases"]}
    lines = [
        f"- {topic}, *{name}*: {family.describe}"
        for topic, families in FAMILIES.items()
        for name, family in families.items()
        if (topic, name) in used
    ]
    return "\n".join(["Families:\n", *lines]) + "\n"


def _waiting(run: RunRecord) -> str:
    """Whether the processor did something else for much of the time."""
    found = [
        r["seconds"] / median(r["processor_seconds"])
        for r in answered(run)
        if r.get("processor_seconds")
    ]
    if not found or median(found) < _WAITED:
        return ""
    return (
        f"\nOther programs used the cores, too: by the clock, calls took {median(found):.1f} times "
        "as long as the processor's time. Then long lists, which wait for memory, show less of the "
        "factors.\n"
    )
