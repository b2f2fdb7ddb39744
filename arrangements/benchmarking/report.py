"""Tables of a run: cases, peers, growth, workers, predictions; and the page made of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath
from statistics import median
from typing import Any

import numpy as np

from arrangements.benchmarking.cases import (
    CHAMBERS,
    FAMILIES,
    MODELS,
    OPTIMIZE,
    PROCESS,
    RANKINGS,
    SCALE,
)
from arrangements.benchmarking.growth import THEORY, Fit, growth, measured
from arrangements.benchmarking.intervals import interval
from arrangements.benchmarking.methods import is_own
from arrangements.benchmarking.peers import PEERS
from arrangements.benchmarking.runner import Record, RunRecord, is_of_processors
from arrangements.benchmarking.suites import OWN, PROCESSORS

Table = list[list[str]]

# From this ratio of time to time of the processor on, a page says that the machine was busy.
_WAITED = 1.2

# More columns of other software make a table that is cut off.
_PEERS = 4

# The rows of the short table: topic, family, n, d, method.
HIGHLIGHTS = (
    (CHAMBERS, "gaussian", 200, 4, "sweep"),
    (CHAMBERS, "gaussian", 30, 8, "sweep"),
    (CHAMBERS, "resonance", 63, 6, "sweep"),
    (RANKINGS, "gaussian", 20, 4, "sweep"),
    (RANKINGS, "gaussian", 50, 3, "sweep"),
)

_EXPLANATION = """\
Every answer was checked while it was measured: its size against a closed form, the literature or
another algorithm, its rows for repetitions, samples of rows by exact points, and sets of other
software against the sweep. Times are medians of repetitions after a first call, with 95 % bootstrap
intervals ([statistics](benchmarking.md#statistics)); the references take turns with them.{turns}

- *time*: the median in seconds, and its 95 % interval.
- *each*: time for each chamber or ranking.
- *x evaluating* (of rankings *x sorting*): the ratio to the time in which NumPy evaluates and
  packs `X @ W.T > 0` (of rankings: sorts `X @ W.T`), in blocks of the best size, where X, a point
  of every stored pattern, is *given*. Below 1 is faster than evaluating at given points.
- *x copy*: the ratio to the time of copying the packed answer once.

The rest of what was measured, such as memory and first calls, is in the saved run, which
[a schema describes](benchmarking.md#what-a-run-records). `--table cases.csv` writes it as a table.
"> 10 s" means that no answer came in 10 s, "skipped" marks the larger cases of such a series, and
"missing" software that is not installed. `arrangements bench --compare OLD.json` prints the ratio
of each time to that in an older run with its interval, and says faster, slower or cannot tell. With
`--fail-on-slower` its exit status is 1 if a case got slower. Times of another machine are divided
by the ratio of the NumPy references, and a line says so.
"""


def _turns(run: RunRecord) -> str:
    """What runs of schema 1 did not do."""
    return "" if run.get("schema") == 1 else " Neighboring cases take turns, too."


def _answered(run: RunRecord) -> list[Record]:
    return [record for record in run["cases"] if record["status"] == "ok"]


# ------------------------------------------------------------------ tables


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
For each method and family, one fit of all d finds the *overhead*, the fixed time of a call, beside
a power of n for each d. What follows is about the time beside the overhead, and about those times
alone that are at least twice the overhead; with fewer than three of them the overhead hides how a
series grows. Time grows like the number of patterns to the power *output*. If one divides it by the
number, the powers of *n* and *d* are left, both in one fit over all d. ± is half a 95 % interval,
wide where there are few sizes.
"""

_SERIES_NOTE = """\
For each d, time grows like n to the *time exponent* and the number of patterns like n to the *count
exponent*; *each* is the time for a pattern at the largest n.
"""

_PROCESS_NOTE = """\
Each is a new process with what it loads. *no cache* and *kernels of* begin with an empty cache of
kernels: one kind of question compiles, one entry after the other. *all kernels* is what
`arrangements compile` does, on all cores.
"""

_ENTRY_NOTE = """\
What each kind of question compiles in a process of its own: seconds of the processor, and the
instructions of LLVM that are made into machine code. Kinds share entries.
"""

_COMPILATION_NOTE = """\
Before the first case the kernels of all methods are compiled, side by side on all cores, and kept
in a cache. A method that is not listed uses the kernels of others.
"""

_PROCESSOR_NOTE = """\
The sweeps use vectors of 512 bits and sorting networks. If a processor has shorter vectors, LLVM
cuts the long ones, and the sweeps count places instead of sorting. Answers are the same: CI also
runs the tests of the sweeps as a processor without AVX-512 (*x86-64-v3*: AVX2, vectors of 256 bits)
and as one with only SSE2 (*x86-64*: 128 bits). Here one processor runs code compiled for each, in
turn; times are the least times of the processor itself, and factors their ratios. There are no
times of aarch64: `tests/processors` asks an emulated one for answers, and the speed of an emulator
tells nothing about that of a processor.
"""

_PREDICTION_NOTE = """\
Here `arrangements plan` predicts after listing (*count*: counting) for a tenth of the time, and at
least 0.1 s. The table has only the cases that it did not finish in that time.
"""


# Titles and notes of what is promised.
_PROMISES = {
    SCALE: (
        "At scale",
        """\
*write* makes a run on disk (about 3 GB, in a folder of temporary files that is removed afterwards;
set `TMPDIR` to have it on another disk). Its references are `iter_chambers` with as many threads,
and files of the same sizes written with fsync; the slower one counts. *fold on Dask* folds on
worker processes of this machine, and *tiny tasks* writes a run of many tiny parts: the difference
to one thread is the overhead of a task. *betti* is `betti_numbers`.
""",
    ),
    MODELS: (
        "Models",
        """\
Every question is answered with a proof, and a sample of the proofs is checked in exact arithmetic.
HiGHS keeps one model, in which bounds change, and answers 20 of the questions by its tolerances, or
as many as it can in two minutes; its time is scaled up to all of them. *argmax* asks which labels
can be first, *pairs* which two can be on top, *label sets* and *sets of five* about given sets.
""",
    ),
    OPTIMIZE: (
        "The best chamber",
        """\
*errors* is `best_chamber` for the fewest errors of a hyperplane, proved to be the least. HiGHS
solves a mixed-integer program with a variable for each point (big M) and stops after a minute,
proved or not. What exact programs for points in general position do, the errors of all hyperplanes
through d - 1 points, is done for three seconds and scaled up. *best by sweep* has random costs,
*depths* are those of all points of a cloud in it, and *quadratic* is `binary_quadratic`.
""",
    ),
}

_LIMIT_NOTE = """\
Every case runs in a fresh process, after a small one has compiled and loaded the kernels, beside
its references; the ratio is that to the slowest. The limits are what the package promises for a
machine of two cores that does nothing else; a limit that was missed is marked. `--cap` leaves out
what takes longer.
"""


def markdown(table: Table) -> str:
    """A table, its first row the header."""
    lines = [table[0], ["---"] * len(table[0]), *table[1:]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


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


def highlights(run: RunRecord) -> Table:
    """Five cases: time compared with NumPy."""
    table = [["input", "patterns", "time", "NumPy, points given", "ratio"]]
    for topic, family, n, d, method in HIGHLIGHTS:
        for record in _answered(run):
            key = tuple(record[name] for name in ("topic", "family", "n", "d", "method", "workers"))
            if key == (topic, family, n, d, method, 1):
                table.append(
                    [
                        f"{topic}, {family}, n={n} d={d}",
                        f"{record['chambers']:,}",
                        _time(record["seconds"]),
                        _time(record["references"]["evaluation"]),
                        f"{record['ratio_to_evaluation']:.2g}",
                    ]
                )
    return table


def case_table(run: RunRecord, topic: str) -> Table:
    """All cases of a topic by the methods of this package."""
    evaluating = "x evaluating" if topic == CHAMBERS else "x sorting"
    table = [["family", "n", "d", "method", topic, "time (95 %)", "each", evaluating, "x copy"]]
    for record in sorted(run["cases"], key=_order):
        if record["topic"] != topic or not is_own(record):
            continue
        method, workers = record["method"], record["workers"]
        size = [record["family"], str(record["n"]), str(record["d"])]
        head = [*size, method if workers == 1 else f"{method}, {workers} threads"]
        if record["status"] != "ok":
            table.append([*head, "", _outcome(record), *[""] * 3])
            continue
        table.append(
            [
                *head,
                f"{record['chambers']:,}",
                _with_interval(record),
                _time(record["ns_per_chamber"] * 1e-9),
                _short(record["ratio_to_evaluation"]),
                _short(record["ratio_to_copy"]),
            ]
        )
    return table


def _with_interval(record: Record) -> str:
    """The median and its interval, in one unit."""
    times = record["seconds_all"]
    if len(times) == 1:
        return _time(record["seconds"])
    unit, size = _unit(record["seconds"])
    middle, low, high = (_short(x / size) for x in (record["seconds"], *interval(times)))
    return f"{middle} ({low} to {high}) {unit}"


def _input(record: Record) -> str:
    """Family and size of a case."""
    return f"{record['family']} n={record['n']} d={record['d']}"


def _order(record: Record) -> tuple[Any, ...]:
    families = list(FAMILIES[record["topic"]])
    family = record["family"]
    place = families.index(family) if family in families else len(families)
    return place, record["method"], record["workers"], record["d"], record["n"]


def peer_tables(run: RunRecord) -> list[Table]:
    """A row for each case that other software was given, a column for each method.

    The first table has the methods of this package, the others the sweep and some peers.
    """
    rows: dict[tuple[Any, ...], dict[str, Record]] = defaultdict(dict)
    for record in run["cases"]:
        if record["topic"] == CHAMBERS and record["workers"] == 1:
            rows[record["family"], record["d"], record["n"]][record["method"]] = record
    rows = {case: by for case, by in sorted(rows.items()) if not all(map(is_own, by.values()))}
    used = _other_software(run)
    columns = [list(OWN), *(["sweep", *used[k : k + _PEERS]] for k in range(0, len(used), _PEERS))]
    return [_peer_table(rows, names) for names in columns] if rows else []


def peer_summary(run: RunRecord) -> Table:
    """For each method, how many times as fast the sweep is, and at which size it stops."""
    table = [["method", "cases", "the sweep is faster by", "largest answered", "no answer for"]]
    sweep = {_series(r)[:4]: r for r in _answered(run) if r["method"] == "sweep"}
    for name in _other_software(run):
        records = [record for record in run["cases"] if record["method"] == name]
        ok = [record for record in records if record["status"] == "ok"]
        if not ok:
            continue
        factors = [
            record["seconds"] / sweep[case]["seconds"]
            for record in ok
            if (case := _series(record)[:4]) in sweep
        ]
        faster = f"{_factor(min(factors))} to {_factor(max(factors))}" if factors else ""
        largest = max(ok, key=lambda record: (record["chambers"], record["n"]))
        stopped = [record for record in records if record["status"] == "capped"]
        stops = "; ".join(f"{_input(record)} ({record['message']})" for record in stopped)
        known = f"{largest['chambers']:,}, {_input(largest)}"
        table.append([name, str(len(ok)), faster, known, stops])
    return table


def _factor(number: float) -> str:
    """Two digits, large ones without exponent."""
    return f"{float(f'{number:.2g}'):,.0f}" if number >= 9.95 else f"{number:.2g}"


def _peer_table(rows: dict[tuple[Any, ...], dict[str, Record]], names: list[str]) -> Table:
    table = [["input", "chambers", *names]]
    for by in rows.values():
        if not set(by) & set(names[1:]):
            continue
        count = next((r["chambers"] for r in by.values() if r["status"] == "ok"), None)
        cells = [_outcome(by[name]) if name in by else "" for name in names]
        first = _input(next(iter(by.values())))
        table.append([first, "" if count is None else f"{count:,}", *cells])
    return table


def _outcome(record: Record) -> str:
    """The time, or what came instead of it."""
    if record["status"] != "ok":
        return record["message"] if record["status"] == "capped" else record["status"]
    text = _time(record["seconds"])
    if record["found"] < record["chambers"]:
        text += f" ({100 * record['found'] / record['chambers']:.3g} % found)"
    return text


def _peer_notes(run: RunRecord) -> str:
    """What the peers are, and why one is not there."""
    lines = []
    for name in _other_software(run):
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


def _other_software(run: RunRecord) -> list[str]:
    """Methods that are not of this package: first those that it knows, in their order."""
    used = dict.fromkeys(record["method"] for record in run["cases"] if not is_own(record))
    return [name for name in PEERS if name in used] + [name for name in used if name not in PEERS]


def _families(run: RunRecord) -> str:
    used = {(record["topic"], record["family"]) for record in run["cases"]}
    lines = [
        f"- {topic}, *{name}*: {family.describe}"
        for topic, families in FAMILIES.items()
        for name, family in families.items()
        if (topic, name) in used
    ]
    return "\n".join(["Families:\n", *lines]) + "\n"


def powers_table(fits: Iterable[Fit]) -> Table:
    """Powers of n, d and output for each method, with what theory says."""
    table = [["input", "method", "overhead", "output", "n", "d", "theory, for each pattern"]]
    for fit in fits:
        if not fit.powers:
            continue
        powers = [measured(fit.powers[k]) if k in fit.powers else "" for k in ("output", "n", "d")]
        theory = THEORY.get((fit.topic, fit.method), "")
        table.append([f"{fit.topic}, {fit.family}", fit.method, _overhead(fit), *powers, theory])
    return table


def _overhead(fit: Fit) -> str:
    seconds, half = fit.overhead
    return f"{_time(seconds)} ± {_time(half)}" if np.isfinite(half) else f"at most {_time(seconds)}"


def growth_table(fits: Iterable[Fit]) -> Table:
    """Exponents of n and the time for each pattern, for each d."""
    table = [["input", "method", "d", "n", "time exponent", "count exponent", "each"]]
    for fit in fits:
        head = [f"{fit.topic}, {fit.family}", fit.method]
        for one in fit.series:
            sizes = f"{one.sizes[0]}..{one.sizes[-1]}"
            exponents = [measured(one.exponent), f"{one.count_exponent:.2f}"]
            table.append([*head, str(one.d), sizes, *exponents, _time(one.each)])
        if fit.hidden:
            hidden = ", ".join(map(str, fit.hidden))
            table.append([*head, hidden, "", "hidden by the overhead", "", ""])
    return table


def worker_table(run: RunRecord) -> Table:
    """Several threads against one: ratio of the least times, which disturbances only increase."""
    table = [["input", "threads", "time", "times as fast as one"]]
    one = {_series(r): r for r in _answered(run) if r["workers"] == 1}
    for record in _answered(run):
        alone = one.get(_series(record))
        if record["workers"] > 1 and alone is not None:
            topic, family, n, d, _ = _series(record)
            table.append(
                [
                    f"{topic}, {family}, n={n} d={d}",
                    str(record["workers"]),
                    _time(record["seconds"]),
                    f"{min(alone['seconds_all']) / min(record['seconds_all']):.2f}",
                ]
            )
    return table


def _waiting(run: RunRecord) -> str:
    """Whether the processor did something else for much of the time."""
    found = [
        r["seconds"] / median(r["processor_seconds"])
        for r in _answered(run)
        if r.get("processor_seconds")
    ]
    if not found or median(found) < _WAITED:
        return ""
    return (
        f"\nOther programs used the cores, too: by the clock, calls took {median(found):.1f} times "
        "as long as the processor's time. Then long lists, which wait for memory, show less of the "
        "factors.\n"
    )


def processor_table(run: RunRecord) -> Table:
    """Code for other processors against that for the one at hand: ratios of the least times.

    Processor times are used if known: they tell more when others use the cores, too.
    """
    native = run["machine"].get("compiled_for", "native")
    table = [["input", "patterns", native, *(f"{name}, factor" for name in PROCESSORS)]]
    least: dict[tuple[Any, ...], dict[str, float]] = defaultdict(dict)
    for record in _answered(run):
        times, name = least[(*_series(record), record["chambers"])], record.get("processor", "")
        spent = record.get("processor_seconds") or record["seconds_all"]
        times[name] = min(times.get(name, np.inf), *spent)
    for (topic, family, n, d, _, count), times in least.items():
        if "" in times:
            factors = [
                f"{times[name] / times['']:.2f}" if name in times else "" for name in PROCESSORS
            ]
            head = [f"{topic}, {family}, n={n} d={d}", f"{count:,}", _time(times[""])]
            table.append([*head, *factors])
    return table


def _series(record: Record) -> tuple[Any, ...]:
    return tuple(record[name] for name in ("topic", "family", "n", "d", "method"))


def prediction_table(run: RunRecord) -> Table:
    """Predictions and what came."""
    table = [["input", "method", "predicted", "found", "predicted time", "time", "ratio"]]
    for record in _answered(run):
        predicted = record.get("predicted")
        if predicted is None or predicted["complete"]:
            continue
        topic, family, n, d, method = _series(record)
        table.append(
            [
                f"{topic}, {family}, n={n} d={d}",
                method,
                f"{predicted['chambers']:,}",
                f"{record['chambers']:,}",
                _time(predicted["seconds"]),
                _time(record["seconds"]),
                f"{predicted['seconds'] / record['seconds']:.2f}",
            ]
        )
    return table


def promise_table(run: RunRecord, topic: str) -> Table:
    """What is promised, and what was measured."""
    table = [
        ["input", "what", "found", "time", "reference", "its time", "ratio", "memory", "limit"]
    ]
    for record in run["cases"]:
        if record["topic"] != topic:
            continue
        workers = f", {record['workers']} workers" if record["workers"] > 1 else ""
        head = [_input(record), record["method"] + workers]
        if record["status"] != "ok":
            table.append([*head, "", _outcome(record), *[""] * 5])
            continue
        beside = sorted(record["beside"].items(), key=lambda beside: beside[1], reverse=True)
        peak = record["peak_bytes"] if record["most_bytes"] else None
        table.append(
            [
                *head,
                f"{record['found']:,}",
                _time(record["seconds"]),
                "; ".join(name for name, _ in beside),
                "; ".join(_time(taken) for _, taken in beside),
                _short(record["ratio"]),
                "" if peak is None else _size(peak),
                _limit(record),
            ]
        )
    return table


def _limit(record: Record) -> str:
    """What was promised, what was measured if no column has it, and whether it is missed."""
    parts = [record["limit"]]
    if record["seconds_per_task"] is not None:
        parts.append(f"found {_time(record['seconds_per_task'])}")
    if record["most_bytes"]:
        parts.append(f"at most {_size(record['most_bytes'])}")
    return ", ".join(filter(None, parts)) + ("" if record["kept"] else " (missed)")


def compilation_table(run: RunRecord) -> Table:
    """The kernels that were compiled before the first case."""
    table = [["kernels", "compiled in"]]
    for made in run.get("compilation", []):
        if made["seconds"]:
            table.append([f"{made['topic']}, {made['method']}", _time(made["seconds"])])
    return table


def process_table(run: RunRecord) -> Table:
    """Seconds of fresh interpreters."""
    table = [["what", "seconds", "95 %"]]
    for record in run["cases"]:
        if record["topic"] == PROCESS:
            low, high = record.get("interval", ("", ""))
            between = f"{_time(low)} to {_time(high)}" if low != high else ""
            table.append([_process(record), _outcome(record), between])
    return table


def _process(record: Record) -> str:
    """What a process does; the size of its input if it has one."""
    sized = record["method"].startswith(("first count", "first rankings"))
    return record["method"] + (f" (n={record['n']} d={record['d']})" if sized else "")


def entry_table(run: RunRecord) -> Table:
    """Entries by kind of question, those that take longest first."""
    table = [["kind of question", "entry", "seconds", "instructions"]]
    entries = run.get("entries", [])
    for kind in dict.fromkeys(entry["kind"] for entry in entries):
        own = [entry for entry in entries if entry["kind"] == kind]
        for entry in sorted(own, key=lambda entry: -entry["seconds"]):
            seconds, instructions = f"{entry['seconds']:.2f}", f"{entry['instructions']:,}"
            table.append([kind, f"`{entry['name']}`", seconds, instructions])
        total = sum(entry["seconds"] for entry in own)
        instructions = sum(entry["instructions"] for entry in own)
        table.append([kind, "all", f"{total:.2f}", f"{instructions:,}"])
    return table


def _time(seconds: float) -> str:
    """Three digits in the unit that suits."""
    unit, size = _unit(seconds)
    return f"{_short(seconds / size)} {unit}"


def _unit(seconds: float) -> tuple[str, float]:
    """The unit that suits, and its seconds."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9995 * size:  # 1 ms, not 1,000 µs
            return unit, size
    return "ns", 1e-9


def _size(number: float) -> str:
    """Bytes, in kB or MB."""
    return f"{number / 1e3:.0f} kB" if number < 1e6 else f"{_short(number / 1e6)} MB"


def _short(number: float) -> str:
    """Three digits, without exponent: less than a thousandth is nothing."""
    if number < 1e-3:
        return "0"
    return f"{number:,.0f}" if number >= 999.5 else f"{number:.3g}"
