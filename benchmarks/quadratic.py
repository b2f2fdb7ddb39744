"""Binary quadratic programs of low rank, beside HiGHS and all vectors.

    python -m benchmarks.quadratic

HiGHS solves the linearized program: a variable for each product of two entries. It stops after
``--seconds`` (20), proved or not. All vectors are tried up to n = 20. ``--only WORD`` takes some
cases. Times are those of the process.
"""

import argparse
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.optimize import BinaryOptimum, binary_quadratic

_MOST_TRIED = 20


class Case(NamedTuple):
    """Maximize x @ Q @ x + linear @ x over 0 and 1; perhaps with a number of ones."""

    name: str
    V: NDArray[np.int64]
    weights: list[int]
    linear: NDArray[np.int64]
    ones: int | None


def cases() -> Iterator[Case]:
    """Weights of both signs, and of one; small n for the others."""
    for n, weights, ones in (
        (18, [1, -1], None),
        (18, [1, 1, -1, -1], None),
        (30, [1, 1, -1, -1], None),
        (60, [1, -1], None),
        (60, [1, 1, -1, -1], None),
        (60, [1, 1, -1, -1], 10),
        (60, [1, -1, -1, -1], None),
        (60, [1, 1, 1, 1], 10),
        (60, [-1, -1, -1, -1], 10),
        (100, [1, 1, 1, -1, -1], None),
        (100, [1, 1, 1, 1, 1], None),
    ):
        rng = np.random.default_rng(n)
        V = rng.integers(-99, 100, (n, len(weights)))
        signs = "".join("+" if w > 0 else "-" for w in weights)
        name = f"n={n} weights {signs}" + (f", {ones} ones" if ones else "")
        yield Case(name, V, weights, rng.integers(-(10**4), 10**4, n), ones)


def ours(case: Case) -> BinaryOptimum:
    return binary_quadratic(
        case.V,
        case.linear,
        weights=case.weights,
        domain=(0, 1),
        ones=case.ones,
        method="bounds",
    )


def highs(case: Case, seconds: float) -> tuple[float, bool]:
    """The best value found, and whether HiGHS calls it the best."""
    import highspy  # an extra

    n, Q = len(case.V), case.V @ np.diag(case.weights) @ case.V.T
    model = highspy.Highs()
    model.silent()
    model.setOptionValue("time_limit", seconds)
    model.setOptionValue("threads", 1)
    x = [model.addBinary() for _ in range(n)]
    goal = sum(int(Q[i, i] + case.linear[i]) * x[i] for i in range(n))
    for i in range(n):
        for j in range(i):
            y = model.addVariable(0, 1)
            if Q[i, j] > 0:
                model.addConstrs(y <= x[i], y <= x[j])
            else:
                model.addConstr(y >= x[i] + x[j] - 1)
            goal += 2 * int(Q[i, j]) * y
    if case.ones is not None:
        model.addConstr(sum(x) == case.ones)
    model.maximize(goal)
    proved = model.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return float(model.getInfo().objective_function_value), proved


def all_vectors(case: Case) -> int:
    """The best value, by trying them in blocks."""
    n, best = len(case.V), -(2**62)
    low = min(n, 12)
    tails = (np.arange(2**low)[:, None] >> np.arange(low)) & 1
    for k in range(2 ** (n - low)):
        x = np.hstack([tails, np.tile((k >> np.arange(n - low)) & 1, (len(tails), 1))])
        values = (x @ case.V) ** 2 @ np.array(case.weights) + x @ case.linear
        if case.ones is not None:
            values = values[x.sum(axis=1) == case.ones]
        best = max(best, int(values.max()))
    return best


def timed(call: Any, *arguments: Any) -> tuple[Any, float]:
    """What a call returns, and the seconds of this process."""
    start = time.process_time()
    answer = call(*arguments)
    return answer, time.process_time() - start


def measure(case: Case, seconds: float) -> str:
    """A row of the table; all proved answers must agree."""
    best, time_ours = timed(ours, case)
    if best.gap or not best.verify():
        raise AssertionError(f"{case.name}: {best}")
    (value, proved), time_highs = timed(highs, case, seconds)
    if (proved and abs(value - best.value) > 1e-4 * abs(value)) or value > best.value * 1.0001 + 1:
        raise AssertionError(f"{case.name}: {best.value}, and HiGHS finds {value}.")
    tried = "-"
    if len(case.V) <= _MOST_TRIED:
        found, time_tried = timed(all_vectors, case)
        if found != best.value:
            raise AssertionError(f"{case.name}: {best.value}, and some vector has {found}.")
        tried = f"{1e3 * time_tried:.0f} ms"
    done = "" if proved else f", unproved, {float(best.value - int(value)):.3g} below"
    return f"| {case.name} | {1e3 * time_ours:.0f} | {time_highs:.2f} s{done} | {tried} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="WORD", help="cases with this in the name")
    parser.add_argument("--seconds", type=float, default=20, help="for HiGHS, on each case")
    options = parser.parse_args()
    print("| n, weights | ms | HiGHS, linearized | all vectors |\n|---|---|---|---|")
    ours(next(cases()))
    for case in cases():
        if options.only in case.name:
            print(measure(case, options.seconds), flush=True)


if __name__ == "__main__":
    main()
