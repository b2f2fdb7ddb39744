"""Numbers and tables as a report has them."""

from __future__ import annotations

from benchmarks.runs.intervals import interval
from benchmarks.runs.run_files import Record

Table = list[list[str]]


def markdown(table: Table) -> str:
    """A table, its first row the header."""
    lines = [table[0], ["---"] * len(table[0]), *table[1:]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def format_time(seconds: float) -> str:
    """Three digits in the unit that suits."""
    unit, size = _choose_unit(seconds)
    return f"{format_number(seconds / size)} {unit}"


def format_interval(record: Record) -> str:
    """The median and its interval, in one unit."""
    times = record["seconds_all"]
    if len(times) == 1:
        return format_time(record["seconds"])
    unit, size = _choose_unit(record["seconds"])
    middle, low, high = (format_number(x / size) for x in (record["seconds"], *interval(times)))
    return f"{middle} ({low} to {high}) {unit}"


def _choose_unit(seconds: float) -> tuple[str, float]:
    """The unit that suits, and its seconds."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9995 * size:  # 1 ms, not 1,000 µs
            return unit, size
    return "ns", 1e-9


def format_size(number: float) -> str:
    """Bytes, in kB or MB."""
    return f"{number / 1e3:.0f} kB" if number < 1e6 else f"{format_number(number / 1e6)} MB"


def format_number(number: float) -> str:
    """Three digits, without exponent: less than a thousandth is nothing."""
    if number < 1e-3:
        return "0"
    return f"{number:,.0f}" if number >= 999.5 else f"{number:.3g}"
