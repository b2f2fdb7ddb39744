"""Time of a chamber inside a polyhedron beside one of the whole arrangement.

    python -m benchmarks.within

Both are listed in turns, in one thread; the ratio is that of times per chamber listed. The numbers
of chambers are those of the incremental enumeration, or known. ``--only WORD`` takes some cases,
``--peers`` asks other software about smaller boxes and adds how much two threads gain.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from arrangements import Arrangement, Polyhedron, chambers, count_chambers, generators

_ROUNDS = 7


class Case(NamedTuple):
    """Hyperplanes, a polyhedron, and how many chambers meet it."""

    name: str
    arrangement: Arrangement
    polyhedron: Polyhedron
    number: int


def in_a_box(n: int, d: int, radius: float, count: int) -> Case:
    """Normal hyperplanes in a cube around the origin."""
    W = np.random.default_rng(0).standard_normal((n, d))
    b = 0.5 * np.random.default_rng(1).standard_normal(n)
    box = Polyhedron.box(-radius, radius, dimension=d)
    return Case(f"{n} x {d} in a box", Arrangement(W, b), box, count)


def cases() -> Iterator[Case]:
    yield in_a_box(10, 3, 1.0, 129)
    yield in_a_box(60, 4, 1.0, 320_398)
    yield in_a_box(30, 6, 1.0, 472_448)
    yield in_a_box(24, 8, 1.0, 898_981)
    yield in_a_box(200, 4, 0.1, 285_096)
    simplex = Polyhedron.cone(np.eye(4, dtype=int))
    W = np.random.default_rng(0).standard_normal((100, 4))
    yield Case("100 x 4, positive weights", Arrangement(W), simplex, 19_713)
    facets = -np.random.default_rng(5).standard_normal((3, 5))
    W = np.random.default_rng(0).standard_normal((64, 5))
    yield Case("64 x 5 in a cone", Arrangement(W), Polyhedron(facets, np.zeros(3)), 395_327)
    dominant = np.eye(6, k=1, dtype=int)[:-1] - np.eye(6, dtype=int)[:-1]
    within = Polyhedron(dominant, np.zeros(5, int))
    yield Case("shi(6), dominant", generators.shi(6), within, 132)
    rows = np.random.default_rng(1).integers(-3, 4, (5, 8))
    cone = Polyhedron(rows, np.zeros(5, int))
    yield Case("braid(8) in a cone", generators.braid(8), cone, 12_160)


def seconds(answer: Callable[[], Any]) -> float:
    start = time.perf_counter()
    answer()
    return time.perf_counter() - start


def measure(case: Case) -> dict[str, float]:
    """Seconds of both, the best of several rounds in turns, and of the count."""
    A, P = case.arrangement, case.polyhedron
    answers: dict[str, Callable[[], Any]] = {
        "all": lambda: chambers(A),
        "within": lambda: chambers(A, within=P),
        "count": lambda: count_chambers(A, within=P),
    }
    found = answers["within"](), answers["count"]()
    if len(found[0]) != case.number or found[1] != case.number:
        raise AssertionError(f"{case.name}: {len(found[0])}, {found[1]}, not {case.number}.")
    best = dict.fromkeys(answers, float("inf"))
    for _ in range(_ROUNDS):
        for name, answer in answers.items():
            best[name] = min(best[name], seconds(answer))
    return best


def polypart(case: Case) -> int:
    """Its tree of the parts into which hyperplanes cut a polytope, exact."""
    from polypart.geometry import Hyperplane, Polytope  # an extra
    from polypart.ppart import build_partition_tree

    A, (rows, bounds) = case.arrangement, case.polyhedron.inequalities
    assert A.offsets is not None
    pairs = zip(A.normals.tolist(), A.offsets.tolist(), strict=True)
    # w x + b = 0 is written w x = -b
    cuts = [Hyperplane.from_coefficients([*map(Fraction, row), -Fraction(b)]) for row, b in pairs]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return int(build_partition_tree(Polytope(rows.tolist(), bounds.tolist()), cuts)[1])


def highs(case: Case) -> int:
    """Incremental enumeration over one warm HiGHS model of (x, t): the t that all signs allow.

    A prefix of signs is kept if t > 1e-9, so near ties may be wrong.
    """
    import highspy  # an extra

    A, (rows, bounds) = case.arrangement, case.polyhedron.inequalities
    assert A.offsets is not None
    offsets, (n, d) = A.offsets.tolist(), A.normals.shape
    model, free = highspy.Highs(), highspy.kHighsInf
    model.setOptionValue("output_flag", False)
    for _ in range(d):
        model.addVar(-free, free)
    model.addVar(0.0, 1.0)
    model.changeColCost(d, -1.0)
    columns = np.arange(d + 1, dtype=np.int32)
    for row, bound in zip(rows, bounds, strict=True):
        model.addRow(-free, float(bound), d + 1, columns, np.append(row, 1.0))
    first = len(rows)
    for row in A.normals:
        model.addRow(-free, free, d + 1, columns, np.append(row, 0.0))

    def count(k: int) -> int:
        if k == n:
            return 1
        found, b = 0, float(offsets[k])
        for sign in (1.0, -1.0):  # sign * (w x + b) >= t
            model.changeCoeff(first + k, d, -sign)
            model.changeRowBounds(first + k, *((-b, free) if sign > 0 else (-free, -b)))
            model.run()
            if model.getSolution().col_value[d] > 1e-9:
                found += count(k + 1)
        model.changeCoeff(first + k, d, 0.0)
        model.changeRowBounds(first + k, -free, free)
        return found

    return count(0)


def compare_peers() -> None:
    """Times of small cases beside other software, and of large ones in two threads."""
    programs = {"polypart": polypart, "highspy": highs}
    for n, d in ((8, 3), (12, 3)):
        case = in_a_box(n, d, 1.0, 0)
        number = count_chambers(case.arrangement, within=case.polyhedron, method="incremental")
        case = case._replace(number=number)
        own = measure(case)["within"]
        print(f"{case.name}, {number} chambers: {1e3 * own:.2f} ms")
        for name, program in programs.items():
            if find_spec(name):
                start = time.perf_counter()
                found = program(case)
                taken = time.perf_counter() - start
                print(f"    {name}: {1e3 * taken:.0f} ms, {taken / own:.0f} times, {found}")
    for case in list(cases())[1:4]:
        times = {1: float("inf"), 2: float("inf")}
        for _ in range(_ROUNDS):
            for workers in times:
                answer = partial(
                    chambers, case.arrangement, within=case.polyhedron, workers=workers
                )
                times[workers] = min(times[workers], seconds(answer))
        print(f"{case.name}: two threads {times[1] / times[2]:.2f} times as fast as one")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="WORD", help="cases with this in the name")
    parser.add_argument("--peers", action="store_true", help="other software, and two threads")
    options = parser.parse_args()
    if options.peers:
        compare_peers()
        return
    word = options.only
    print(f"{'':26}{'chambers':>10}{'of':>12}{'ms':>9}{'all':>9}{'count':>9}{'ratio':>8}")
    for case in cases():
        if word in case.name:
            whole, best = len(chambers(case.arrangement)), measure(case)
            ratio = best["within"] / case.number / (best["all"] / whole)
            times = "".join(f"{1e3 * best[key]:9.2f}" for key in ("within", "all", "count"))
            print(f"{case.name:26}{case.number:10}{whole:12}{times}{ratio:8.1f}", flush=True)


if __name__ == "__main__":
    main()
