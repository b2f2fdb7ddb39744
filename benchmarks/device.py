"""How long do proofs for the labels of a large head take on a GPU? ``python -m benchmarks.device``.

The head has random rows, rounded to bfloat16, some of them short. All labels are asked about with
products on the device, and some of them without; the answers must be equal. Exit status 1 says that
they are not, or that it took longer than three minutes.
"""

from __future__ import annotations

import argparse
import json
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements import can_be_top

LIMIT = 180.0


def head(n: int, d: int) -> NDArray[np.float32]:
    """Random rows that bfloat16 holds; every hundredth is short."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((n, d), np.float32)
    rows[::100] *= 0.1
    return (rows.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)


def measure(n: int, d: int, device: str, sample: int) -> dict[str, Any]:
    """Seconds with the device, and the answers."""
    W = head(n, d)
    can_be_top(W[:300], device=device)  # loads code, and wakes up the device
    began = perf_counter()
    found = can_be_top(W, device=device)
    seconds = perf_counter() - began
    some = np.random.default_rng(1).permutation(n)[:sample]
    here = can_be_top(W, some[:, None])
    return {
        "labels": n,
        "dimension": d,
        "device": device,
        "seconds": round(seconds, 1),
        "feasible": int(found.feasible.sum()),
        "decided": int(found.decided.sum()),
        "equal answers": bool((found.feasible[some] == here.feasible).all()),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=int, default=128_000)
    parser.add_argument("--dimension", type=int, default=4096)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--sample", type=int, default=64)
    options = parser.parse_args()
    found = measure(options.labels, options.dimension, options.device, options.sample)
    print(json.dumps(found))
    return int(not found["equal answers"] or found["seconds"] > LIMIT)


if __name__ == "__main__":
    raise SystemExit(main())
