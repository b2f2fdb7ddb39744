"""Two runs side by side: what got slower than noise explains."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from statistics import median

from arrangements.benchmarking.runner import Record, RunRecord, key_of, record_name

# Differences below this are never called one: layout of memory alone makes as much.
_LEAST_NOISE = 0.1


@dataclass(frozen=True)
class Comparison:
    """A job in two runs.

    Attributes
    ----------
    name : str
        Of the job.
    ratio, low, high : float
        New time over old: of the medians, and the range that the repetitions span; on
        different machines divided by the same ratio of the NumPy reference.
    noise : float
        What a ratio must differ from 1 by to mean something. On one machine it includes the
        change of the NumPy reference, which was timed in turn: that is the machine's.
    verdict : str
        "slower", "faster", "same", or "broken" if it gave an answer before and none now.
    """

    name: str
    ratio: float
    low: float
    high: float
    noise: float
    verdict: str

    def __str__(self) -> str:
        if self.verdict == "broken":
            return f"BROKEN  {self.name}: no answer any more"
        mark = {"slower": "SLOWER", "faster": "faster", "same": "same  "}[self.verdict]
        spread = f"{self.low:.2f} to {self.high:.2f}"
        return f"{mark}  {self.ratio:.2f} ({spread}, noise {100 * self.noise:.0f} %)  {self.name}"


def compare(new: RunRecord, old: RunRecord) -> list[Comparison]:
    """Compare the jobs that both runs have; the slower the earlier.

    A job is slower if the ratio of the medians and that of the least times both exceed 1 by 10 %
    more than the spread of the repetitions and the change of the reference. Left out is
    what cannot be compared: an answer that a lower cap did not wait for, and on another machine
    what has no reference.

    Examples
    --------
    >>> case = {"topic": "chambers", "family": "gaussian", "n": 9, "d": 3, "method": "sweep",
    ...         "workers": 1, "status": "ok", "references": {"evaluation": 1.0}}
    >>> runs = [{"machine": {"cpu": "x"}, "cases": [case | {"seconds_all": [t, 1.01 * t]}]}
    ...         for t in (3.0, 2.0)]
    >>> print(compare(*runs)[0])
    SLOWER  1.50 (1.49 to 1.52, noise 11 %)  chambers gaussian n=9 d=3 sweep
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
            found.append(Comparison(record_name(record), float("inf"), 0, 0, 0, "broken"))
        else:
            found.append(_compared(record, earlier, same_machine))
    return sorted(found, key=lambda comparison: -comparison.ratio)


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
    return bool(capped["cap"] > (1 + _LEAST_NOISE) * taken)


def _compared(new: Record, old: Record, same_machine: bool) -> Comparison:
    times, earlier = new["seconds_all"], old["seconds_all"]
    scale, drift = 1.0, 0.0
    if new["references"] and old["references"]:
        reference = new["references"]["evaluation"] / old["references"]["evaluation"]
        if same_machine:
            drift = max(reference, 1 / reference) - 1
        else:
            scale = 1 / reference
    middle = scale * median(times) / median(earlier)
    least = scale * min(times) / min(earlier)
    noise = _LEAST_NOISE + hypot(_spread(times), _spread(earlier), drift)
    verdict = "same"
    if min(middle, least) > 1 + noise:
        verdict = "slower"
    elif max(middle, least) < 1 / (1 + noise):
        verdict = "faster"
    low, high = scale * min(times) / max(earlier), scale * max(times) / min(earlier)
    return Comparison(record_name(new), middle, low, high, noise, verdict)


def _spread(times: list[float]) -> float:
    """How far the median is above the least time, for a disturbance only adds to it."""
    return median(times) / min(times) - 1
