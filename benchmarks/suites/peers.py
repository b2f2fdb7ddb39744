"""Other software for the same question, each used only where it is installed.

Every peer gets the same matrix, whose floats count as the dyadic numbers they are where the
software is exact. Only public functions are called, as a user of that software would. All of them
are registered as a user registers a method, see `extension`.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.suites.extension import PEERS, Found, register_method

__all__ = ["PEERS", "Found"]

Matrix = NDArray[Any]

# Sampling ends when this many points in a row brought nothing new, relative to those it has.
_QUIET = 50
_SAMPLES = 100_000


# ------------------------------------------------------------------ Rada and Cerny over LPs


def rada_cerny(W: Matrix, interior: Callable[[Matrix], Matrix | None]) -> Iterator[list[int]]:
    """Sign vectors with + first: incremental enumeration, one linear program for each new node.

    M. Rada, M. Cerny, SIAM J. Discrete Math. 32 (2018) 455-473. A point of a node has a
    sign at the next hyperplane; whether the other sign is possible is a linear program.

    Parameters
    ----------
    W : (n, d) array of float64
    interior : callable
        A point x with ``rows @ x > 0`` for all given rows, or None.
    """

    def descend(signed: Matrix, signs: list[int], point: Matrix) -> Iterator[list[int]]:
        k = len(signs)
        if k == len(W):
            yield signs
            return
        value = W[k] @ point
        for sign in (1, -1) if value > 0 else (-1, 1):
            rows = np.vstack([signed, sign * W[k]])
            inside = point if sign * value > 1e-6 else interior(rows)
            if inside is not None:
                yield from descend(rows, [*signs, sign], inside)

    start = interior(W[:1])
    assert start is not None
    yield from descend(W[:1], [1], start)


def _linprog(W: Matrix) -> Found:
    from scipy.optimize import linprog  # loads slowly

    def interior(rows: Matrix) -> Matrix | None:
        # any point strictly inside will do: the bound 1 is reached by scaling
        found = linprog(
            np.zeros(W.shape[1]), -rows, -np.ones(len(rows)), bounds=(None, None), method="highs"
        )
        return found.x if found.status == 0 else None

    return _both_sides(list(rada_cerny(np.asarray(W, np.float64), interior)))


def _highs(W: Matrix) -> Found:
    """The same algorithm with one model that stays warm: signs are bounds of its rows."""
    import highspy  # an extra

    W = np.asarray(W, np.float64)
    free, (n, d) = highspy.kHighsInf, W.shape
    model = highspy.Highs()
    model.silent()
    model.setOptionValue("threads", 1)
    model.setOptionValue("presolve", "off")
    for _ in range(d):
        model.addVar(-free, free)
    for row in W:
        model.addRow(-free, free, d, np.arange(d, dtype=np.int32), row)
    found: list[list[int]] = []

    def solve() -> Matrix | None:
        model.run()
        if model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        return np.array(model.getSolution().col_value)

    def descend(signs: list[int], point: Matrix) -> None:
        k = len(signs)
        if k == n:
            found.append(signs)
            return
        value = W[k] @ point
        for sign in (1, -1) if value > 0 else (-1, 1):
            model.changeRowBounds(k, *((1.0, free) if sign > 0 else (-free, -1.0)))
            inside = point if sign * value > 1e-6 else solve()
            if inside is not None:
                descend([*signs, sign], inside)
        model.changeRowBounds(k, -free, free)

    model.changeRowBounds(0, 1.0, free)
    start = solve()
    assert start is not None
    descend([1], start)
    return _both_sides(found)


def _both_sides(half: list[list[int]]) -> Found:
    signs = np.array(half, np.int8)
    return Found(2 * len(signs), np.concatenate([signs, -signs]))


# ------------------------------------------------------------------ polypart


def _cube(d: int) -> Any:
    from polypart.geometry import Polytope  # an extra

    sides = [[sign * int(i == j) for j in range(d)] for i in range(d) for sign in (1, -1)]
    return Polytope(sides, [1] * 2 * d)


def _hyperplanes(W: Matrix) -> list[Any]:
    from polypart.geometry import Hyperplane  # an extra

    return [Hyperplane.from_coefficients([*map(Fraction, row), 0]) for row in W.tolist()]


def _polypart(W: Matrix) -> Found:
    """Partition of the cube around the origin, which meets every chamber."""
    from polypart.ppart import build_partition_tree  # an extra

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        tree, count = build_partition_tree(_cube(W.shape[1]), _hyperplanes(W))
    points, waiting = [], [tree.root]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if not node.children:
            points.append(node.centroid)
    return Found(int(count), _signs_at(W, points))


def _polypart_incremental(W: Matrix) -> Found:
    """Its incremental enumeration with exact linear programs."""
    from polypart.inc_enu import build_tree_inc_enu  # an extra

    return Found(int(build_tree_inc_enu(_hyperplanes(W), _cube(W.shape[1]))[1]))


def _signs_at(W: Matrix, points: list[Any], offsets: Matrix | None = None) -> NDArray[np.int8]:
    """Exact signs of W x + b at rational points."""
    rows = np.array([[Fraction(a) for a in row] for row in W.tolist()])
    columns = np.array([[Fraction(str(x)) for x in point] for point in points]).T
    values = rows @ columns
    if offsets is not None:
        values += np.array([Fraction(b) for b in offsets.tolist()])[:, None]
    return np.sign(values).T.astype(np.int8)


# ------------------------------------------------------------------ SageMath


def _sage_arrangement(W: Matrix, offsets: Matrix | None) -> Any:
    import sage.all__sagemath_polyhedra  # noqa: F401 (sets Sage up)
    from sage.geometry.hyperplane_arrangement.arrangement import HyperplaneArrangements
    from sage.rings.rational_field import QQ  # an extra

    parent = HyperplaneArrangements(QQ, tuple(f"x{i}" for i in range(W.shape[1])))
    constants = [0] * len(W) if offsets is None else offsets.tolist()
    return parent(
        [
            [[QQ(str(Fraction(a))) for a in row], QQ(str(Fraction(b)))]
            for row, b in zip(W.tolist(), constants, strict=True)
        ]
    )


def _sage_regions(W: Matrix, offsets: Matrix | None = None) -> Found:
    arrangement = _sage_arrangement(W, offsets)
    began = time.perf_counter()
    regions = arrangement.regions()
    taken = time.perf_counter() - began
    points = [region.representative_point() for region in regions]
    return Found(len(regions), _signs_at(W, points, offsets), seconds=taken)


def _sage_polynomial(W: Matrix, offsets: Matrix | None = None) -> Found:
    arrangement = _sage_arrangement(W, offsets)
    began = time.perf_counter()
    polynomial = arrangement.characteristic_polynomial()
    taken = time.perf_counter() - began
    return Found(abs(int(polynomial(-1))), seconds=taken)


# ------------------------------------------------------------------ polymake

_POLYMAKE = """
use application "fan";
use Time::HiRes;
my $A = new HyperplaneArrangement(HYPERPLANES=>[{rows}]);
my $began = Time::HiRes::time();
my $signatures = $A->CHAMBER_SIGNATURES;
print STDOUT Time::HiRes::time() - $began, "\\n";
print STDOUT join(" ", @$_), "\\n" for @$signatures;
"""


def _polymake(W: Matrix) -> Found:
    rows = []
    for row in W.tolist():
        exact = [Fraction(a) for a in row]
        scale = lcm(*(a.denominator for a in exact))
        rows.append("[" + ",".join(f'"{int(a * scale)}"' for a in exact) + "]")
    with tempfile.NamedTemporaryFile("w", suffix=".pl") as script:
        script.write(_POLYMAKE.format(rows=",".join(rows)))
        script.flush()
        done = subprocess.run(
            ["polymake", "--script", script.name],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
        )
    first, *lines = done.stdout.split("\n")[:-1]
    signs = np.full((len(lines), len(W)), -1, np.int8)
    for k, line in enumerate(lines):
        signs[k, [int(i) for i in line.split()]] = 1
    return Found(len(lines), signs, seconds=float(first))


# ------------------------------------------------------------------ sampling


def _sampling(W: Matrix) -> Found:
    """Signs of W at random points, until hardly any are new: some chambers, never a proof.

    It stops when the last points, `_QUIET` for each known pair, brought no new one.
    """
    rng = np.random.default_rng(5)
    W = np.asarray(W, np.float64)
    seen: set[bytes] = set()
    since = 0
    while since <= _QUIET * len(seen):
        signs = rng.standard_normal((_SAMPLES, W.shape[1])) @ W.T > 0
        signs ^= ~signs[:, :1]
        packed = np.unique(np.packbits(signs, axis=1), axis=0)
        before = len(seen)
        seen.update(map(bytes, packed))
        since = 0 if len(seen) > before else since + len(signs)
    return Found(2 * len(seen), complete=False)


register_method(
    "linprog loop",
    _linprog,
    describe="Rada-Cerny loop over SciPy's linprog (HiGHS), a new model for each program",
    distribution="scipy",
    module="scipy",
    install="pip install scipy",
)
register_method(
    "HiGHS loop",
    _highs,
    describe="the same loop over one HiGHS model that stays warm",
    distribution="highspy",
    module="highspy",
    install="pip install highspy",
)
for _name, _run, _describe in (
    ("polypart", _polypart, "build_partition_tree of a cube around the origin"),
    (
        "polypart incremental",
        _polypart_incremental,
        "its build_tree_inc_enu, exact linear programs",
    ),
):
    register_method(
        _name,
        _run,
        describe=_describe,
        distribution="polypart",
        module="polypart",
        install="pip install polypart (needs the headers of GMP and cddlib)",
    )
for _name, _run, _describe in (
    ("Sage regions", _sage_regions, "HyperplaneArrangement.regions()"),
    (
        "Sage polynomial",
        _sage_polynomial,
        "HyperplaneArrangement.characteristic_polynomial() at -1",
    ),
):
    register_method(
        _name,
        _run,
        describe=_describe,
        distribution="passagemath-polyhedra",
        module="sage.geometry.hyperplane_arrangement",
        install="pip install passagemath-polyhedra",
    )
register_method(
    "polymake",
    _polymake,
    describe="HyperplaneArrangement.CHAMBER_SIGNATURES",
    program="polymake",
    install="the package polymake of the system, or polymake.org",
)
register_method(
    "sampling",
    _sampling,
    describe="sign(W x) at Gaussian points, until nothing new appears for long",
    distribution="numpy",
)
