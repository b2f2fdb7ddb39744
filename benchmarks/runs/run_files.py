"""Records of runs: saved, loaded and joined."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arrangements.errors import InputError
from arrangements.files.atomic import atomic_write
from benchmarks.suites.cases import FAMILIES, PROCESS, PROMISED

Record = dict[str, Any]
RunRecord = dict[str, Any]
SCHEMA = 2
# Runs of schema 1 have no features, kernel, threads, load, seeds, command and intervals.
_SCHEMAS = (1, SCHEMA)


def save_run(run: RunRecord, path: str) -> None:
    """Write a run as JSON, a line for each case; at no time is there half a file."""
    long = ("processors", "cases")
    head = json.dumps({key: value for key, value in run.items() if key not in long}, indent=1)
    apart = f' "processors": {json.dumps(run["processors"])},\n' if "processors" in run else ""
    cases = ",\n".join(json.dumps(record) for record in run["cases"])
    text = f'{head[:-2]},\n{apart} "cases": [\n{cases}\n]}}\n'.encode()
    with atomic_write(path) as file:
        file.write(text)


def load_run(path: str) -> RunRecord:
    """Read what `save_run` wrote.

    Raises
    ------
    InputError
        If it is something else.
    """
    try:
        run = json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{path} is not JSON: {error}.") from error
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path!r}: {error}.") from error
    if not isinstance(run, dict) or not {"machine", "versions", "cases"} <= run.keys():
        raise InputError(
            f"{path} is not a run of benchmarks; make one with python -m benchmarks -o."
        )
    if run.get("schema") not in _SCHEMAS:
        raise InputError(
            f"{path} has schema {run.get('schema')!r}; expected {SCHEMA}. Run the suite again."
        )
    if not _has_run_entries(run) or (
        "processors" in run and not _has_run_entries(run["processors"])
    ):
        raise InputError(
            f"{path} is not as python -m benchmarks saved it: entries are missing. "
            "Run the suite again."
        )
    return run


_MACHINE = {"cpu", "cores", "memory_bytes", "system", "copy_bytes_per_second"}
_JOB = {"suite", "topic", "family", "n", "d", "method", "workers", "status"}
_TIMES = {"chambers", "found", "seconds", "seconds_all", "references"}
_TIMES |= {"first_call_seconds", "compile_seconds"}
_RATES = {"chambers_per_second", "ns_per_chamber", "bytes_per_second", "peak_bytes"}
_RATES |= {"ratio_to_evaluation", "ratio_to_copy"}
_PROMISE = {"beside", "ratio", "seconds_per_task", "limit", "kept", "peak_bytes", "most_bytes"}


def _has_run_entries(run: Any) -> bool:
    """It has what reports are made of; older ones do not say when and from what they were made."""
    if not isinstance(run, dict):
        return False
    machine, made, cases = run.get("machine"), run.get("made", []), run.get("cases")
    return (
        isinstance(machine, dict)
        and machine.keys() >= _MACHINE
        and isinstance(run.get("versions"), dict)
        and (isinstance(made, list) and all(map(_has_origin_entries, made)))
        and (isinstance(cases, list) and all(map(_is_record, cases)))
    )


def _has_origin_entries(made: Any) -> bool:
    return isinstance(made, dict) and made.keys() >= {"date", "commit"}


def _is_record(record: Any) -> bool:
    """It names a job and an outcome, with the numbers that reports are made of."""
    if not isinstance(record, dict) or not record.keys() >= _JOB:
        return False
    needed = {"message", "cap"} if record["status"] == "capped" else {"message"}
    if record["status"] == "ok":
        needed = _TIMES if record["topic"] in (PROCESS, *PROMISED) else _TIMES | _RATES
        needed = needed | (_PROMISE if record["topic"] in PROMISED else set())
    times = record.get("seconds_all", [1.0])
    measured = isinstance(times, list) and all(isinstance(t, float) and t > 0 for t in times)
    return record["topic"] in [*FAMILIES] and record.keys() >= needed and measured and times != []


def merged(runs: list[RunRecord]) -> RunRecord:
    """Several runs on one machine as one; of a job that occurs again the last record counts.

    One of the suite processors stays apart, as the entry ``"processors"``: it holds ratios, and
    may be of another machine.

    Raises
    ------
    InputError
        If they are of different machines or versions.
    """
    apart = [run["processors"] for run in runs if "processors" in run]
    apart += [run for run in runs if is_of_processors(run)]
    runs = [run for run in runs if not is_of_processors(run)]
    if not runs:
        return apart[-1]
    first = runs[0]
    for other in runs[1:]:
        if (
            other["versions"] != first["versions"]
            or other["machine"]["cpu"] != first["machine"]["cpu"]
        ):
            raise InputError("the runs are of different machines or versions: report them apart.")
    cases = {key_of(record): record for run in runs for record in run["cases"]}
    joined = first | {"cases": list(cases.values())}
    if all("load" in run for run in runs):
        during = [one for run in runs for one in run["load"]["during"]]
        joined["load"] = first["load"] | {"during": during}
        joined["command"] = "\n".join(dict.fromkeys(run["command"] for run in runs))
    for name in ("made", "entries"):
        if parts := [one for run in runs for one in run.get(name, [])]:
            joined[name] = parts
    return joined | ({"processors": apart[-1]} if apart else {})


def is_of_processors(run: RunRecord) -> bool:
    """Whether it compares processors that kernels are compiled for, and nothing else."""
    return bool(run["cases"]) and all(record["suite"] == "processors" for record in run["cases"])


def record_name(record: Record) -> str:
    """The name of the job."""
    several = f" workers={record['workers']}" if record["workers"] > 1 else ""
    compiled = f" for {record['processor']}" if "processor" in record else ""
    return (
        f"{record['topic']} {record['family']} n={record['n']} d={record['d']} "
        f"{record['method']}{several}{compiled}"
    )


def key_of(record: Record) -> tuple[Any, ...]:
    """What a record shares with that of the same job in another run."""
    names = ("topic", "family", "n", "d", "method", "workers")
    return (*(record[name] for name in names), record.get("processor", ""))
