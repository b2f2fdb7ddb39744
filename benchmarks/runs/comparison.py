"""Two runs, or two versions in turns: what got slower or faster than noise explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.runs.intervals import interval, ratio_interval
from benchmarks.runs.run_files import Record, RunRecord, key_of, record_name

# Of the interval of a ratio. It leaves out 1 by chance in less than one case of a hundred.
_LEVEL = 0.99
# A ratio that may be as near to 1 as this is never called different: the layout of memory in a
# process alone makes as much, and so do other programs between two runs.
_APART = 0.1
_IN_TURNS = 0.03
# Fewer times than this can all lie on one side by chance.
_LEAST_TIMES = 3

FASTER, SLOWER, UNKNOWN, BROKEN = "faster", "slower", "cannot tell", "broken"


@dataclass(frozen=True)
class Comparison:
    """A job in two runs.

    Attributes
    ----------
    name : str
        Of the job.
    ratio, low, high : float
        New time over old: of the medians, and its interval (99 %); on different machines divided by
        the same ratio of the NumPy reference, on one machine widened by the change of it, which is
        the machine's.
    verdict : str
        "slower", "faster", "cannot tell", or "broken" if it gave an answer before and none now.
    """

    name: str
    ratio: float
    low: float
    high: float
    verdict: str

    def __str__(self) -> str:
        if self.verdict == BROKEN:
            return f"BROKEN       {self.name}: no answer any more"
        mark = self.verdict.upper() if self.verdict == SLOWER else self.verdict
        return f"{mark:<11}  {self.ratio:.2f} ({self.low:.2f} to {self.high:.2f})  {self.name}"


def compare(new: RunRecord, old: RunRecord) -> list[Comparison]:
    """Compare the jobs that both runs have; the slower the earlier.

    A job is slower if the whole interval of the ratio lies above 1.1, and faster if it lies below
    1 / 1.1. Left out is what cannot be compared: an answer that a lower cap did not wait for, and
    on another machine what has no reference.

    Examples
    --------
    >>> case = {"topic": "chambers", "family": "gaussian", "n": 9, "d": 3, "method": "sweep",
    ...         "workers": 1, "status": "ok", "references": {"evaluation": 1.0}}
    >>> runs = [{"machine": {"cpu": "x"}, "cases": [case | {"seconds_all": [t, t, 1.01 * t]}]}
    ...         for t in (3.0, 2.0)]
    >>> print(compare(*runs)[0])
    SLOWER       1.50 (1.49 to 1.52)  chambers gaussian n=9 d=3 sweep
    """
    same_machine = _same_machine(new, old)
    before = {key_of(record): record for record in old["cases"] if record["status"] == "ok"}
    found = []
    for record in new["cases"]:
        earlier = before.get(key_of(record))
        if earlier is None or record["status"] in ("missing", "skipped"):
            continue
        if not same_machine and not earlier["references"]:
            continue
        if record["status"] == "capped" and not _is_patient(record, earlier):
            continue
        if record["status"] != "ok":
            found.append(broken(record_name(record)))
        else:
            found.append(_compared(record, earlier, same_machine))
    return sorted(found, key=lambda comparison: -comparison.ratio)


def broken(name: str) -> Comparison:
    """A job that gave an answer and gives none."""
    return Comparison(name, float("inf"), 0.0, float("inf"), BROKEN)


def in_turns(name: str, ratios: Sequence[float]) -> Comparison:
    """A job of two versions that took turns: ratios of the new time to the old one, lap by lap.

    Examples
    --------
    >>> in_turns("x", [1.2, 1.21, 1.19, 1.2, 1.22, 1.2, 1.21]).verdict
    'slower'
    >>> in_turns("x", [1.2, 1.0, 0.99, 1.2, 1.02, 0.9, 1.01]).verdict
    'cannot tell'
    """
    low, high = interval(ratios, _LEVEL)
    return Comparison(name, median(ratios), low, high, _verdict(low, high, len(ratios), _IN_TURNS))


def _verdict(low: float, high: float, times: int, margin: float) -> str:
    if times >= _LEAST_TIMES and low > 1 + margin:
        return SLOWER
    if times >= _LEAST_TIMES and high < 1 / (1 + margin):
        return FASTER
    return UNKNOWN


def caveat(new: RunRecord, old: RunRecord) -> str | None:
    """What to know about runs from different machines; None for those from one.

    Examples
    --------
    >>> text = caveat({"machine": {"cpu": "new"}}, {"machine": {"cpu": "old"}})
    >>> text.partition(": ratios")[0]
    'The machines differ (new; before: old)'
    """
    if _same_machine(new, old):
        return None
    return (
        f"The machines differ ({new['machine']['cpu']}; before: {old['machine']['cpu']}): ratios "
        "of times are divided by that of the NumPy reference."
    )


def _same_machine(new: RunRecord, old: RunRecord) -> bool:
    return bool(new["machine"]["cpu"] == old["machine"]["cpu"])


def _is_patient(capped: Record, earlier: Record) -> bool:
    """The cap is above what the answer took earlier by more than noise."""
    taken: float = earlier["first_call_seconds"] - earlier["compile_seconds"]
    return bool(capped["cap"] > (1 + _APART) * taken)


def _compared(new: Record, old: Record, same_machine: bool) -> Comparison:
    times, earlier = new["seconds_all"], old["seconds_all"]
    scale, drift = 1.0, 1.0
    if new["references"] and old["references"]:
        reference = new["references"]["evaluation"] / old["references"]["evaluation"]
        if same_machine:
            drift = max(reference, 1 / reference)
        else:
            scale = 1 / reference
    low, high = (scale * end for end in ratio_interval(times, earlier, _LEVEL))
    low, high = low / drift, high * drift
    return Comparison(
        record_name(new),
        scale * median(times) / median(earlier),
        low,
        high,
        _verdict(low, high, min(len(times), len(earlier)), _APART),
    )
