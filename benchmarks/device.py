"""How long do proofs for the labels of a large head take on a GPU? ``python -m benchmarks.device``.

The head has random rows, rounded to bfloat16; some are short, and some are equal to another, so
that neither can win. All labels are asked about with products on the device, and some of them
without; the answers must be equal. Times are printed as they are known, one JSON object a line.
Exit status 1 says that answers differ, or that the labels took longer than three minutes.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements import can_be_top

LIMIT = 180.0
# Functions whose seconds are printed.
STEPS = {
    "reading": "read_rows",
    "rank": "warn_if_low_rank",
    "norms": "norms",
    "rows to the device": "table_there",
    "regression": "regression",
    "points of all rows": "whitened",
    "points again": "plain",
    "judging": "judge",
    "whitening for the search": "whiten",
    "rounds of the search": "round",
    "violated rows": "widen",
    "exact circuits": "circuit_within",
    "exact answers": "answer_exactly",
}


def head(n: int, d: int, twins: int = 0) -> NDArray[np.float32]:
    """Random rows that bfloat16 holds; every hundredth is short, the last ones are equal."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((n, d), np.float32)
    rows[::100] *= 0.1
    if twins:
        rows[-twins:] = rows[-2 * twins : -twins]
    return (rows.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)


def measure(n: int, d: int, twins: int, device: str, sample: int) -> bool:
    """Print seconds with the device; whether the answers are right, in time."""
    began = perf_counter()
    can_be_top(head(300, 64, 5), device=device)  # loads and compiles code, wakes up the device
    report("first call", began)
    began = perf_counter()
    W = head(n, d, twins)
    report("making the head", began)
    profile, began = cProfile.Profile(), perf_counter()
    found = profile.runcall(can_be_top, W, device=device)
    seconds = report("all labels", began, labels=n, dimension=d, device=device)
    for step, name in STEPS.items():
        print(json.dumps({"part": step, "seconds": seconds_of(profile, name)}), flush=True)
    right = bool(found.decided.all() and not found.feasible[n - 2 * twins :].any())
    print(json.dumps({"decided": int(found.decided.sum()), "win": int(found.feasible.sum())}))
    some = np.random.default_rng(1).permutation(n - 2 * twins)[:sample]
    began = perf_counter()
    here = can_be_top(W, some[:, None])
    equal = bool((found.feasible[some] == here.feasible).all())
    report("a sample without the device", began, sample=sample, equal=equal)
    began = perf_counter()
    exact = found[np.concatenate([some[:4], np.arange(n - min(4, twins), n)])].verify()
    report("exact check of a few proofs", began, right=exact)
    return right and equal and exact and seconds <= LIMIT


def report(step: str, began: float, **facts: Any) -> float:
    """Print the seconds of a step."""
    seconds = round(perf_counter() - began, 2)
    print(json.dumps({"step": step, "seconds": seconds, **facts}), flush=True)
    return seconds


def seconds_of(profile: cProfile.Profile, name: str) -> float:
    """Seconds in the functions of this name of the package."""
    stats: Any = pstats.Stats(profile)
    times = [
        entry[3]
        for (file, _, called), entry in stats.stats.items()
        if called == name and "arrangements" in file
    ]
    return round(sum(times), 2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=int, default=128_000)
    parser.add_argument("--dimension", type=int, default=4096)
    parser.add_argument("--twins", type=int, default=16, help="pairs of equal labels")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--sample", type=int, default=64)
    options = parser.parse_args()
    return int(not measure(*vars(options).values()))


if __name__ == "__main__":
    raise SystemExit(main())
