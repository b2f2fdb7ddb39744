"""How times grow with n, with d and with the answer, beside the fixed cost of a call."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.runs.run_files import Record, RunRecord

Floats = NDArray[np.float64]
Measured = tuple[float, float]

# A time counts as work where it is at least this many times the fixed cost; below, the fixed cost
# hides how it grows.
_REACH = 2.0
# Times below this are within reach of the timer and of interrupts.
_SHORTEST = 50e-6
_LEAST_SIZES = 3
_LEVEL = 0.95


@dataclass(frozen=True)
class Fit:
    """Growth of the times of a method on one family.

    Every number comes with half the width of its 95 % interval.

    Attributes
    ----------
    topic, family, method : str
    overhead : pair of float
        Seconds of a call however small the input is.
    powers : dict
        Seconds beside the overhead grow like the number of patterns times these powers of n and d,
        as far as both vary; the key "output" has the power of the number alone.
    series : tuple of Series
        For each d that has sizes enough.
    hidden : tuple of int
        The d whose times are too near to the overhead.
    """

    topic: str
    family: str
    method: str
    overhead: Measured
    powers: dict[str, Measured]
    series: tuple[Series, ...]
    hidden: tuple[int, ...]


@dataclass(frozen=True)
class Series:
    """The same for one d.

    Attributes
    ----------
    d : int
    sizes : tuple of int
        The n above the reach of the overhead.
    exponent : pair of float
        Seconds beside the overhead grow like n to this power.
    count_exponent : float
        The same for the number of patterns.
    each : float
        Seconds for each pattern at the largest n, beside the overhead.
    """

    d: int
    sizes: tuple[int, ...]
    exponent: Measured
    count_exponent: float
    each: float


def growth(run: RunRecord) -> list[Fit]:
    """Fits for all methods that have at least three sizes beyond their overhead, on one thread.

    Examples
    --------
    >>> case = {"topic": "chambers", "family": "gaussian", "method": "sweep", "workers": 1}
    >>> cases = [
    ...     case | {"status": "ok", "d": 3, "n": n, "chambers": n * n, "seconds": s + 1e-3}
    ...     for n, s in ((2, 0), (4, 0), (10, 1e-2), (20, 8e-2), (40, 64e-2))
    ... ]
    >>> fit = growth({"cases": cases})[0]
    >>> round(fit.series[0].exponent[0], 1), round(fit.series[0].count_exponent, 1)
    (3.0, 2.0)
    >>> fit.series[0].sizes
    (10, 20, 40)
    """
    groups: dict[tuple[str, str, str], dict[tuple[int, int], Record]] = defaultdict(dict)
    for record in run["cases"]:
        if record["status"] == "ok" and record["workers"] == 1 and record["chambers"]:
            key = record["topic"], record["family"], record["method"]
            groups[key][record["d"], record["n"]] = record
    fits = [_fit(key, by_size) for key, by_size in sorted(groups.items())]
    return [fit for fit in fits if fit is not None]


def _fit(key: tuple[str, str, str], by_size: dict[tuple[int, int], Record]) -> Fit | None:
    d, n = np.array(sorted(by_size), np.float64).T
    records = [by_size[size] for size in sorted(by_size)]
    times = np.array([record["seconds"] for record in records])
    counts = np.array([record["chambers"] for record in records], np.float64)
    dimensions = [x for x in np.unique(d) if (d == x).sum() >= _LEAST_SIZES]
    if not dimensions:
        return None
    used = np.isin(d, dimensions)
    n, d, times, counts = n[used], d[used], times[used], counts[used]
    overhead = _overhead(n, d, times)
    above = times > max(_REACH * overhead[0], _SHORTEST)
    work = np.maximum(times - overhead[0], 0.0)
    series, hidden = [], []
    for dimension in dimensions:
        chosen = above & (d == dimension)
        if chosen.sum() < _LEAST_SIZES:
            hidden.append(int(dimension))
            continue
        (exponent,) = _powers([n[chosen]], work[chosen])
        series.append(
            Series(
                int(dimension),
                tuple(n[chosen].astype(int).tolist()),
                exponent,
                _powers([n[chosen]], counts[chosen])[0][0],
                float(work[chosen][-1] / counts[chosen][-1]),
            )
        )
    shown = above & ~np.isin(d, hidden)
    powers: dict[str, Measured] = {}
    if series:
        (powers["output"],) = _powers([counts[shown]], work[shown])
        rest = work[shown] / counts[shown]
        if len(series) > 1 and shown.sum() > _LEAST_SIZES + 2:
            powers["n"], powers["d"] = _powers([n[shown], d[shown]], rest)
        else:
            (powers["n"],) = _powers([n[shown]], rest)
    return Fit(*key, overhead, powers, tuple(series), tuple(hidden))


def _overhead(n: Floats, d: Floats, times: Floats) -> Measured:
    """Fixed seconds, at most the least time: a number for all d, beside a power of n for each d."""
    dimensions = np.unique(d)
    place = np.searchsorted(dimensions, d)
    k = len(dimensions)
    low = float(times.min())
    center = np.log(n).mean()

    def rest(x: Floats) -> Floats:
        with np.errstate(over="ignore"):
            work = np.exp(x[1 : 1 + k][place] + x[1 + k :][place] * (np.log(n) - center))
        found: Floats = np.log(x[0] * low + work) - np.log(times)
        return found

    start = np.concatenate([[0.5], [np.log(np.median(times[d == x])) for x in dimensions]])
    start = np.concatenate([start, np.full(k, 3.0)])
    bounds = ([0.0] + [-60.0] * k + [0.0] * k, [1.0] + [30.0] * k + [25.0] * k)
    from scipy.optimize import least_squares  # loads slowly

    found = least_squares(rest, start, bounds=bounds, x_scale="jac")
    half = _half_width(found.jac, found.fun, 0)
    return float(found.x[0]) * low, half * low


def _powers(factors: list[Floats], times: Floats) -> list[Measured]:
    """Powers of factors whose product the times are in proportion to, in least squares of logs."""
    columns = np.column_stack([np.ones(len(times)), *map(np.log, factors)])
    values = np.log(times)
    found = np.linalg.lstsq(columns, values, rcond=None)[0]
    rest = columns @ found - values
    return [(float(found[k]), _half_width(columns, rest, k)) for k in range(1, len(found))]


def _half_width(columns: Floats, rest: Floats, k: int) -> float:
    """Half the interval of parameter k of a least-squares fit; infinite without spare points."""
    spare = len(rest) - columns.shape[1]
    if spare < 1:
        return float("inf")
    from scipy.stats import t as student  # loads slowly

    spread = np.linalg.pinv(columns.T @ columns)[k, k] * float(rest @ rest) / spare
    return float(student.ppf((1 + _LEVEL) / 2, spare) * np.sqrt(spread))


# What theory says of the work for each pattern of a generic input (docs/algorithms.md).
THEORY = {
    ("chambers", "sweep"): "d^2 + n / 64 for large n",
    ("chambers", "count"): "at most that of the sweep",
    ("chambers", "incremental"): "at most n linear programs",
    ("chambers", "reverse_search"): "at most n linear programs",
    ("chambers", "characteristic"): "flats, whose number grows like that of chambers",
    ("chambers", "linprog loop"): "at most n linear programs",
    ("chambers", "HiGHS loop"): "at most n linear programs",
    ("chambers", "polypart incremental"): "at most n linear programs",
    ("rankings", "sweep"): "n labels are written",
}


def measured(value: Measured, digits: int = 2) -> str:
    """A number with half its interval.

    Examples
    --------
    >>> measured((1.234, 0.056)), measured((2.0, float("inf")))
    ('1.23 ± 0.06', '2.00')
    """
    number, half = value
    return f"{number:.{digits}f}" + (f" ± {half:.{digits}f}" if np.isfinite(half) else "")
