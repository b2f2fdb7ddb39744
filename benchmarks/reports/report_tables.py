"""Tables of a run: cases, other software, growth, threads, predictions, promises, processes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks.reports.formats import (
    Table,
    format_interval,
    format_number,
    format_size,
    format_time,
)
from benchmarks.reports.growth import THEORY, Fit, measured
from benchmarks.runs.run_files import Record, RunRecord
from benchmarks.suites.cases import CHAMBERS, FAMILIES, PROCESS, RANKINGS
from benchmarks.suites.methods import is_own
from benchmarks.suites.peers import PEERS
from benchmarks.suites.suites import OWN, PROCESSORS

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


def answered(run: RunRecord) -> list[Record]:
    """Records of the cases that have an answer."""
    return [record for record in run["cases"] if record["status"] == "ok"]


def highlights(run: RunRecord) -> Table:
    """Five cases: time compared with NumPy."""
    table = [["input", "patterns", "time", "NumPy, points given", "ratio"]]
    for topic, family, n, d, method in HIGHLIGHTS:
        for record in answered(run):
            key = tuple(record[name] for name in ("topic", "family", "n", "d", "method", "workers"))
            if key == (topic, family, n, d, method, 1):
                table.append(
                    [
                        f"{topic}, {family}, n={n} d={d}",
                        f"{record['chambers']:,}",
                        format_time(record["seconds"]),
                        format_time(record["references"]["evaluation"]),
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
                format_interval(record),
                format_time(record["ns_per_chamber"] * 1e-9),
                format_number(record["ratio_to_evaluation"]),
                format_number(record["ratio_to_copy"]),
            ]
        )
    return table


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
    used = other_software(run)
    columns = [list(OWN), *(["sweep", *used[k : k + _PEERS]] for k in range(0, len(used), _PEERS))]
    return [_peer_table(rows, names) for names in columns] if rows else []


def peer_summary(run: RunRecord) -> Table:
    """For each method, how many times as fast the sweep is, and at which size it stops."""
    table = [["method", "cases", "the sweep is faster by", "largest answered", "no answer for"]]
    sweep = {_series(r)[:4]: r for r in answered(run) if r["method"] == "sweep"}
    for name in other_software(run):
        records = [record for record in run["cases"] if record["method"] == name]
        ok = [record for record in records if record["status"] == "ok"]
        if not ok:
            continue
        factors = [
            record["seconds"] / sweep[case]["seconds"]
            for record in ok
            if (case := _series(record)[:4]) in sweep
        ]
        faster = (
            f"{_format_factor(min(factors))} to {_format_factor(max(factors))}" if factors else ""
        )
        largest = max(ok, key=lambda record: (record["chambers"], record["n"]))
        stopped = [record for record in records if record["status"] == "capped"]
        stops = "; ".join(f"{_input(record)} ({record['message']})" for record in stopped)
        known = f"{largest['chambers']:,}, {_input(largest)}"
        table.append([name, str(len(ok)), faster, known, stops])
    return table


def _format_factor(number: float) -> str:
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
    text = format_time(record["seconds"])
    if record["found"] < record["chambers"]:
        text += f" ({100 * record['found'] / record['chambers']:.3g} % found)"
    return text


def other_software(run: RunRecord) -> list[str]:
    """Methods that are not of this package: first those that it knows, in their order."""
    used = dict.fromkeys(record["method"] for record in run["cases"] if not is_own(record))
    return [name for name in PEERS if name in used] + [name for name in used if name not in PEERS]


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
    return (
        f"{format_time(seconds)} ± {format_time(half)}"
        if np.isfinite(half)
        else f"at most {format_time(seconds)}"
    )


def growth_table(fits: Iterable[Fit]) -> Table:
    """Exponents of n and the time for each pattern, for each d."""
    table = [["input", "method", "d", "n", "time exponent", "count exponent", "each"]]
    for fit in fits:
        head = [f"{fit.topic}, {fit.family}", fit.method]
        for one in fit.series:
            sizes = f"{one.sizes[0]}..{one.sizes[-1]}"
            exponents = [measured(one.exponent), f"{one.count_exponent:.2f}"]
            table.append([*head, str(one.d), sizes, *exponents, format_time(one.each)])
        if fit.hidden:
            hidden = ", ".join(map(str, fit.hidden))
            table.append([*head, hidden, "", "hidden by the overhead", "", ""])
    return table


def worker_table(run: RunRecord) -> Table:
    """Several threads against one: ratio of the least times, which disturbances only increase."""
    table = [["input", "threads", "time", "times as fast as one"]]
    one = {_series(r): r for r in answered(run) if r["workers"] == 1}
    for record in answered(run):
        alone = one.get(_series(record))
        if record["workers"] > 1 and alone is not None:
            topic, family, n, d, _ = _series(record)
            table.append(
                [
                    f"{topic}, {family}, n={n} d={d}",
                    str(record["workers"]),
                    format_time(record["seconds"]),
                    f"{min(alone['seconds_all']) / min(record['seconds_all']):.2f}",
                ]
            )
    return table


def processor_table(run: RunRecord) -> Table:
    """Code for other processors against that for the one at hand: ratios of the least times.

    Processor times are used if known: they tell more when others use the cores, too.
    """
    native = run["machine"].get("compiled_for", "native")
    table = [["input", "patterns", native, *(f"{name}, factor" for name in PROCESSORS)]]
    least: dict[tuple[Any, ...], dict[str, float]] = defaultdict(dict)
    for record in answered(run):
        times, name = least[(*_series(record), record["chambers"])], record.get("processor", "")
        spent = record.get("processor_seconds") or record["seconds_all"]
        times[name] = min(times.get(name, np.inf), *spent)
    for (topic, family, n, d, _, count), times in least.items():
        if "" in times:
            factors = [
                f"{times[name] / times['']:.2f}" if name in times else "" for name in PROCESSORS
            ]
            head = [f"{topic}, {family}, n={n} d={d}", f"{count:,}", format_time(times[""])]
            table.append([*head, *factors])
    return table


def _series(record: Record) -> tuple[Any, ...]:
    return tuple(record[name] for name in ("topic", "family", "n", "d", "method"))


def prediction_table(run: RunRecord) -> Table:
    """Predictions and what came."""
    table = [["input", "method", "predicted", "found", "predicted time", "time", "ratio"]]
    for record in answered(run):
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
                format_time(predicted["seconds"]),
                format_time(record["seconds"]),
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
                format_time(record["seconds"]),
                "; ".join(name for name, _ in beside),
                "; ".join(format_time(taken) for _, taken in beside),
                format_number(record["ratio"]),
                "" if peak is None else format_size(peak),
                _limit(record),
            ]
        )
    return table


def _limit(record: Record) -> str:
    """What was promised, what was measured if no column has it, and whether it is missed."""
    parts = [record["limit"]]
    if record["seconds_per_task"] is not None:
        parts.append(f"found {format_time(record['seconds_per_task'])}")
    if record["most_bytes"]:
        parts.append(f"at most {format_size(record['most_bytes'])}")
    return ", ".join(filter(None, parts)) + ("" if record["kept"] else " (missed)")


def compilation_table(run: RunRecord) -> Table:
    """The kernels that were compiled before the first case."""
    table = [["kernels", "compiled in"]]
    for made in run.get("compilation", []):
        if made["seconds"]:
            table.append([f"{made['topic']}, {made['method']}", format_time(made["seconds"])])
    return table


def process_table(run: RunRecord) -> Table:
    """Seconds of fresh interpreters."""
    table = [["what", "seconds", "95 %"]]
    for record in run["cases"]:
        if record["topic"] == PROCESS:
            low, high = record.get("interval", ("", ""))
            between = f"{format_time(low)} to {format_time(high)}" if low != high else ""
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
