"""How often identical code is called slower or faster: pairs of runs, on a quiet machine.

    python -m benchmarks.false_alarms --pairs 50
    python -m benchmarks.false_alarms --pairs 50 --in-turns

The first makes one run after the other, the second compares in turns, as ``bench --against`` does.
Both print a line for each pair, and at the end the share of comparisons that were false alarms.
"""

import argparse
import tempfile
from pathlib import Path

from benchmarks.runs import runner, versions
from benchmarks.runs.comparison import UNKNOWN, Comparison, compare
from benchmarks.suites.suites import suite_named


def pairs_of_runs(suite: str, pairs: int) -> list[list[Comparison]]:
    """Each run is compared with the one before it, so there is one run more than pairs."""
    found = []
    before = runner.run_suite(suite)
    for _ in range(pairs):
        after = runner.run_suite(suite)
        found.append(said(compare(after, before)))
        before = after
    return found


def pairs_in_turns(suite: str, pairs: int) -> list[list[Comparison]]:
    chosen = suite_named(suite)
    with tempfile.TemporaryDirectory() as folder:
        two = [versions.build(None, Path(folder) / name) for name in ("new", "old")]
        return [
            said(versions.comparisons(versions.measure(two, chosen.jobs(), cap=chosen.cap)))
            for _ in range(pairs)
        ]


def said(found: list[Comparison]) -> list[Comparison]:
    alarms = [str(line) for line in found if line.verdict != UNKNOWN]
    print(f"{len(alarms)} of {len(found)}", *alarms, sep="\n  ", flush=True)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--suite", default="quick")
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--in-turns", action="store_true")
    options = parser.parse_args()
    measured = (pairs_in_turns if options.in_turns else pairs_of_runs)(options.suite, options.pairs)
    verdicts = [line.verdict for found in measured for line in found]
    alarms = sum(verdict != UNKNOWN for verdict in verdicts)
    print(f"{alarms} false alarms in {len(verdicts)} comparisons: {alarms / len(verdicts):.2%}")
