"""An interactive plot of a run: one fragment of HTML, which needs nothing else and no network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arrangements import palette
from benchmarks.runs.run_files import Record, RunRecord
from benchmarks.suites.cases import CHAMBERS, RANKINGS
from benchmarks.suites.methods import METHODS

_TEMPLATE = Path(__file__).with_name("times.html")
_FIELDS = (
    *("topic", "family", "n", "d", "method", "workers", "processor", "machine"),
    *("patterns", "seconds", "each", "ratio", "memory"),
)


def fragment(run: RunRecord) -> str:
    """The plot of all answered cases of a run, of those on other processors too.

    Parameters
    ----------
    run : dict
        As from `run_suite`.

    Returns
    -------
    str
        HTML of ASCII characters alone, for a page or to be opened by itself; "" if no case has an
        answer.
    """
    parts = [run, run["processors"]] if "processors" in run else [run]
    rows = [
        _row(record, k)
        for k, part in enumerate(parts)
        for record in part["cases"]
        if record["status"] == "ok" and record["topic"] in (CHAMBERS, RANKINGS)
    ]
    if not rows:
        return ""
    methods = dict.fromkeys(row[_FIELDS.index("method")] for row in rows)
    colors = {name: palette.SERIES[k % len(palette.SERIES)] for k, name in enumerate(methods)}
    data = {
        "fields": _FIELDS,
        "cases": rows,
        "machines": [part["machine"]["cpu"] for part in parts],
        "colors": colors,
        "peers": [name for name in methods if not any(name in own for own in METHODS.values())],
    }
    # within a script element, only this could end it
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return _TEMPLATE.read_text(encoding="ascii").replace("__DATA__", text)


def _row(record: Record, machine: int) -> list[Any]:
    """A case as the plot has it."""
    names = ("topic", "family", "n", "d", "method", "workers")
    numbers = ("seconds", "ns_per_chamber", "ratio_to_evaluation", "peak_bytes")
    rounded = [None if record[name] is None else float(f"{record[name]:.4g}") for name in numbers]
    found = record["found"] if record["chambers"] is None else record["chambers"]
    return [*map(record.get, names), record.get("processor"), machine, found, *rounded]
