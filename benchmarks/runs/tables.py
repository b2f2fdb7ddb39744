"""The cases of a run as a flat table: CSV, or Parquet for other programs."""

from __future__ import annotations

import csv
import io
from typing import Any

from arrangements.errors import InputError
from arrangements.files.atomic import atomic_write
from arrangements.messages import missing_library
from benchmarks.runs.intervals import interval
from benchmarks.runs.run_files import RunRecord

_TEXTS = ("suite", "topic", "family", "method", "processor", "status", "message", "sha256")
_WHOLE = ("n", "d", "workers", "chambers", "found", "output_bytes", "peak_bytes", "laps")
_NUMBERS = ("seconds", "seconds_low", "seconds_high", "ns_per_chamber", "first_call_seconds")
_RATIOS = ("evaluation_seconds", "copy_seconds", "ratio_to_evaluation", "ratio_to_copy")
COLUMNS = (*_TEXTS, *_WHOLE, *_NUMBERS, *_RATIOS)


def rows(run: RunRecord) -> list[dict[str, Any]]:
    """A row for each case, with the keys `COLUMNS`; None where a case has no such number.

    Examples
    --------
    >>> case = {"status": "ok", "seconds_all": [1.0, 2.0, 3.0], "references": {}}
    >>> row = rows({"cases": [case]})[0]
    >>> row["laps"], row["seconds_low"], row["seconds_high"], row["message"]
    (3, 1.0, 3.0, None)
    """
    found = []
    for record in run["cases"]:
        row = {name: record.get(name) for name in COLUMNS}
        if record["status"] == "ok":
            row["laps"] = len(record["seconds_all"])
            row["seconds_low"], row["seconds_high"] = interval(record["seconds_all"])
            for name in ("evaluation", "copy"):
                row[f"{name}_seconds"] = record["references"].get(name)
        found.append(row)
    return found


def save_table(run: RunRecord, path: str) -> None:
    """Write the table to a .csv or .parquet file.

    Raises
    ------
    InputError
        If the name ends in something else.
    MissingDependencyError
        If pyarrow is not installed (extra `scale`).
    """
    check_table(path)
    table = rows(run)
    if path.lower().endswith(".csv"):
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
        with atomic_write(path) as file:
            file.write(text.getvalue().encode())
        return
    import pyarrow  # an extra
    from pyarrow import parquet  # an extra

    kinds = dict.fromkeys(_TEXTS, pyarrow.string()) | dict.fromkeys(_WHOLE, pyarrow.int64())
    schema = pyarrow.schema([(name, kinds.get(name, pyarrow.float64())) for name in COLUMNS])
    with atomic_write(path) as file:
        parquet.write_table(pyarrow.Table.from_pylist(table, schema), file)


def check_table(path: str) -> None:
    """As `save_table` if the table cannot be written."""
    if not path.lower().endswith((".csv", ".parquet")):
        raise InputError(f"{path} has an unknown extension; expected .csv or .parquet.")
    if path.lower().endswith(".parquet"):
        try:
            import pyarrow  # noqa: F401 (an extra)
        except ImportError as error:
            raise missing_library("pyarrow", "to write Parquet") from error
