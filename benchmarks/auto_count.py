"""Does `count_chambers` choose well? Its time beside those of the two methods it chooses from.

    python -m benchmarks.auto_count [TEXT] [--cap SECONDS] [--repeat TIMES] [--above RATIO]

For every case of the benchmark suites with TEXT in its name: processor time, the best of some runs,
of ``method="auto"``, "sweep" and "characteristic", and the ratio of the first to the better of the
others. A method that takes longer than the cap is left out, also in larger cases of its family;
answers must agree. The status is 1 if a ratio exceeds `--above` in a case of a millisecond or more.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from typing import Any

from arrangements import count_chambers, generators
from benchmarks.suites.cases import CHAMBERS, Case
from benchmarks.suites.suites import SUITES

METHODS: tuple[Any, ...] = ("auto", "sweep", "characteristic")
# Cases that no suite has, since only one of the methods can count them.
_MORE = [Case(CHAMBERS, "resonance", 255, 8), Case(CHAMBERS, "threshold", 64, 7)]
_MEASURED = 1e-3


def cases(text: str) -> list[Case]:
    """Cases of all suites and some more, each once, those of a family by size."""
    found = {job.case: None for suite in SUITES.values() for job in suite.jobs()}
    wanted = [case for case in [*found, *_MORE] if case.topic == CHAMBERS and text in case.name]
    return sorted(wanted, key=lambda case: (case.family, case.d, case.n))


def measured(case: Case, method: Any, cap: float, repeat: int) -> tuple[float, int] | None:
    """The best time and the answer; None if the first run takes longer than the cap."""

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, cap)
    best, number = float("inf"), 0
    try:
        for _ in range(repeat):
            began = time.process_time()
            number = count_chambers(case.W, case.offsets, method=method)
            best = min(best, time.process_time() - began)
            signal.setitimer(signal.ITIMER_REAL, 0)
            if best > 1:
                break
    except TimeoutError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return best, number


def compared(case: Case, cap: float, repeat: int, hopeless: set[Any]) -> float | None:
    """Print a row of the table; the ratio, None if there is nothing to compare."""
    found = {}
    for method in METHODS:
        key = case.family, case.d, method
        result = None if key in hopeless else measured(case, method, cap, repeat)
        if result is None:
            hopeless.add(key)
        else:
            found[method] = result
    answers = {number for _, number in found.values()}
    if len(answers) > 1 or (case.known is not None and answers - {case.known}):
        raise SystemExit(f"{case.name}: {answers} were found, {case.known} are known.")
    others = [found[method][0] for method in METHODS[1:] if method in found]
    ratio = found["auto"][0] / min(others) if "auto" in found and others else None
    times = "  ".join(
        f"{1e3 * found[method][0]:10.2f}" if method in found else "         -" for method in METHODS
    )
    print(f"{case.name[9:]:32s} {times}  {'-' if ratio is None else f'{ratio:5.2f}'}", flush=True)
    return ratio if ratio is not None and min(others) >= _MEASURED else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", nargs="?", default="")
    parser.add_argument("--cap", type=float, default=20.0)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--above", type=float, default=2.5)
    options = parser.parse_args()
    for method in METHODS[1:]:  # compile
        count_chambers(generators.resonance(6), method=method)
        count_chambers(generators.shi(5), method=method)
    print(f"{'milliseconds':32s} " + "  ".join(f"{method:>10.10s}" for method in METHODS))
    hopeless: set[Any] = set()
    ratios = [compared(case, options.cap, options.repeat, hopeless) for case in cases(options.text)]
    known = sorted(ratio for ratio in ratios if ratio is not None)
    if known:
        print(f"ratios: median {known[len(known) // 2]:.2f}, largest {known[-1]:.2f}")
        sys.exit(known[-1] > options.above)


if __name__ == "__main__":
    main()
