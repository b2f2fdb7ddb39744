"""Facets to vertices and back by `Polyhedron`, beside the Parma Polyhedra Library and cddlib.

    python -m benchmarks.polyhedra

All three are exact, and must find as many vertices and rays. pplpy and pycddlib are used where they
are installed. ``--only WORD`` takes some cases.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.util import find_spec
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements import Polyhedron
from arrangements.exact.numbers import times_common_denominator

_ROUNDS = 3


class Case(NamedTuple):
    """The polyhedron ``A @ x <= c``."""

    name: str
    A: NDArray[Any]
    c: NDArray[Any]


def cases() -> Iterator[Case]:
    """A cone, polytopes of random facets, and a cube."""
    signs = np.array([[-1, *(-s for s in tail)] for tail in product((1, -1), repeat=6)])
    yield Case("64 rows (1, ±1, ..) x 7", signs, np.zeros(64, int))
    rng = np.random.default_rng(0)
    yield Case("32 x 12, integers", rng.integers(-9, 10, (32, 12)), np.ones(32, int))
    rows = rng.standard_normal((60, 8))
    yield Case("60 x 8, floats", rows, np.ones(60, int))
    cube = np.vstack([np.eye(12, dtype=int), -np.eye(12, dtype=int)])
    yield Case("12-cube", cube, np.ones(24, int))


def ours(case: Case) -> tuple[int, int]:
    P = Polyhedron(case.A, case.c)
    return len(P.vertices), len(P.rays)


def ppl(case: Case) -> tuple[int, int]:
    from ppl import C_Polyhedron, Constraint_System, Linear_Expression  # an extra

    system = Constraint_System()
    for row, bound in zip(*_integers(case), strict=True):
        system.insert(Linear_Expression([-a for a in row], bound) >= 0)
    kinds = [generator.type() for generator in C_Polyhedron(system).minimized_generators()]
    return kinds.count("point"), kinds.count("ray")


def cddlib(case: Case) -> tuple[int, int]:
    import cdd.gmp  # an extra

    A, c = case.A.tolist(), case.c.tolist()
    rows = [[Fraction(b), *(-Fraction(a) for a in row)] for row, b in zip(A, c, strict=True)]
    matrix = cdd.gmp.matrix_from_array(rows, rep_type=cdd.RepType.INEQUALITY)
    found = cdd.gmp.copy_generators(cdd.gmp.polyhedron_from_matrix(matrix)).array
    points = sum(row[0] == 1 for row in found)
    return max(points, 1), len(found) - points  # the apex of a cone is left out


def _integers(case: Case) -> tuple[list[list[int]], list[int]]:
    whole = np.column_stack([case.A, case.c]).tolist()
    rows, _ = times_common_denominator([[Fraction(a) for a in row] for row in whole])
    return [row[:-1] for row in rows], [row[-1] for row in rows]


PROGRAMS: dict[str, Callable[[Case], tuple[int, int]]] = {"ours": ours}
if find_spec("ppl"):
    PROGRAMS["PPL"] = ppl
if find_spec("cdd"):
    PROGRAMS["cddlib"] = cddlib


def measure(case: Case) -> tuple[dict[str, float], tuple[int, int]]:
    """Least seconds of each, in turns; all must answer the same."""
    best, answers = dict.fromkeys(PROGRAMS, float("inf")), set()
    for _ in range(_ROUNDS):
        for name, program in PROGRAMS.items():
            start = time.perf_counter()
            answers.add(program(case))
            best[name] = min(best[name], time.perf_counter() - start)
    if len(answers) > 1:
        raise AssertionError(f"{case.name}: {answers} vertices and rays.")
    return best, answers.pop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="WORD", help="cases with this in the name")
    word = parser.parse_args().only
    print(f"{'':26}{'vertices':>10}{'rays':>8}", *(f"{name + ' ms':>11}" for name in PROGRAMS))
    for case in cases():
        if word in case.name:
            best, (points, rays) = measure(case)
            times = " ".join(f"{1e3 * best[name]:11.1f}" for name in PROGRAMS)
            print(f"{case.name:26}{points:10}{rays:8} {times}", flush=True)


if __name__ == "__main__":
    main()
