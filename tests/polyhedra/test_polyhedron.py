"""Polyhedra against all bases in Fractions, and against what generates them."""

import pickle
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from sympy import sqrt

from arrangements import Polyhedron, chambers
from arrangements.errors import InputError, TooLargeError
from arrangements.polyhedra.double_description import cone_of
from arrangements.structure import chamber_polyhedron

Rows = list[list[Any]]


def dot(a: Any, b: Any) -> Any:
    return sum((Fraction(x) * y for x, y in zip(a, b, strict=True)), Fraction(0))


def reduced(rows: Rows) -> Rows:
    """Rows in reduced echelon form."""
    table = [[Fraction(x) for x in row] for row in rows]
    done = 0
    for c in range(len(table[0]) if table else 0):
        pivot = next((i for i in range(done, len(table)) if table[i][c]), None)
        if pivot is None:
            continue
        table[done], table[pivot] = table[pivot], table[done]
        table[done] = [x / table[done][c] for x in table[done]]
        for i, row in enumerate(table):
            if i != done and row[c]:
                factor = row[c]
                table[i] = [x - factor * y for x, y in zip(row, table[done], strict=True)]
        done += 1
    return table[:done]


def rank(rows: Rows) -> int:
    return len(reduced(rows))


def vertices_of(A: Rows, c: list[int], E: Rows, f: list[int], d: int) -> list[tuple[Any, ...]]:
    """All solutions of d independent equations that satisfy everything."""
    found = set()
    system = [[*row, value] for row, value in zip(A + E, c + f, strict=True)]
    for chosen in combinations(system, d):
        table = reduced([list(row) for row in chosen])
        if len(table) < d or any(table[k][k] != 1 for k in range(d)):
            continue
        x = tuple(row[-1] for row in table)
        below = all(dot(row, x) <= value for row, value in zip(A, c, strict=True))
        if below and all(dot(row, x) == value for row, value in zip(E, f, strict=True)):
            found.add(x)
    return sorted(found)


def random_system(seed: int) -> tuple[Rows, list[int], Rows, list[int], int]:
    rng = np.random.default_rng(seed)
    d, m = int(rng.integers(1, 4)), int(rng.integers(0, 8))
    e = int(rng.integers(0, 2)) if d > 1 else 0
    A, c = rng.integers(-2, 3, (m, d)), rng.integers(-1, 4, m)
    E, f = rng.integers(-2, 3, (e, d)), rng.integers(-1, 2, e)
    return A.tolist(), c.tolist(), E.tolist(), f.tolist(), d


def polyhedron(A: Rows, c: list[int], E: Rows, f: list[int], d: int) -> Polyhedron:
    equations = (E, f) if E else None
    return Polyhedron(np.array(A, np.int64).reshape(-1, d), c, equations=equations)


def check_against_generators(P: Polyhedron, A: Rows, c: list[int], d: int) -> None:
    """Dimension, boundedness, facets and implicit equations, from vertices, rays and lines."""
    generators: Rows = [[*x, 1] for x in P.vertices]
    generators += [[*x, 0] for x in [*P.rays, *P.lines]]
    assert rank(generators) == P.dimension + 1
    assert P.is_bounded == (not P.rays and not P.lines)
    facets, sets, implicit = [], set(), []
    for j in range(len(A)):
        row = [*(-entry for entry in A[j]), c[j]]
        on = tuple(k for k, g in enumerate(generators) if dot(row, g) == 0)
        assert all(dot(row, g) >= 0 for g in generators)
        if len(on) == len(generators):
            implicit.append(j)
        elif rank([generators[k] for k in on]) == P.dimension and on not in sets:
            sets.add(on)
            if any(generators[k][-1] for k in on):
                facets.append(j)
    assert (list(P.facets), list(P.implicit_equations)) == (facets, implicit)


def check_redundant(P: Polyhedron, A: Rows, c: list[int], E: Rows, f: list[int]) -> None:
    for j, y in P.redundant.items():
        columns = list(zip(*(A + E), strict=True))
        assert [dot(y, column) for column in columns] == A[j] and dot(y, c + f) <= c[j]
        assert all(w >= 0 or i in P.implicit_equations for i, w in enumerate(y[: len(A)]))
    kinds = [*P.redundant, *P.facets, *P.implicit_equations]
    assert sorted(kinds) == list(range(len(A)))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("block", range(5))
def test_random_systems(block: int) -> None:
    seen = dict.fromkeys(("empty", "flat", "with lines", "bounded"), 0)
    for seed in range(40 * block, 40 * block + 40):
        A, c, E, f, d = random_system(seed)
        P = polyhedron(A, c, E, f, d)
        if rank(A + E) == d:
            corners = vertices_of(A, c, E, f, d)
            assert P.vertices == corners and P.is_empty == (not corners)
        if P.is_empty:
            seen["empty"] += 1
            assert P.interior_point is None and not P.rays and not P.facets
            continue
        assert P.interior_point is not None and P.contains(P.interior_point, interior=True)
        seen["flat"] += P.dimension < d
        seen["with lines"] += bool(P.lines)
        seen["bounded"] += P.is_bounded
        check_against_generators(P, A, c, d)
        check_redundant(P, A, c, E, f)
        points, rays, lines = (
            np.array(part, object).reshape(-1, d) for part in (P.vertices, P.rays, P.lines)
        )
        Q = Polyhedron.hull(points, rays=rays, lines=lines)
        assert Q == P == P & Q and hash(Q) == hash(P)
        if P.is_bounded and P.dimension == d > 1:
            assert float(P.volume) == pytest.approx(ConvexHull(points.astype(float)).volume)
            assert P.contains(P.centroid, interior=True)
    assert all(seen.values())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(20))
def test_many_points_are_contained_as_each_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    A, c = rng.integers(-2, 3, (4, d)), rng.integers(-1, 3, 4)
    E, f = rng.integers(-1, 2, (seed % 2, d)), rng.integers(-1, 2, seed % 2)
    P = Polyhedron(A, c, equations=(E, f))
    points = rng.integers(-2, 3, (40, d))
    below = (points @ A.T <= c).all(axis=1) & (points @ E.T == f).all(axis=1)
    assert P.contains(points).tolist() == below.tolist()
    for given in (points, points / 2, np.array(list(map(list, points)), object) * Fraction(1, 3)):
        for interior in (False, True):
            each = [P.contains(point, interior=interior) for point in given]
            assert P.contains(given, interior=interior).tolist() == each
    assert P.contains(np.zeros((0, d))).shape == (0,)


def test_irrational_points_are_contained() -> None:
    P = Polyhedron([[1, sqrt(2)], [-1, 0]], [1, 0])
    points = np.array([[0, 1], [sqrt(2) - 1, sqrt(2) - 1], [sqrt(2) - 1, 1], [1, 0]], object)
    assert P.contains(points).tolist() == [False, True, False, True]
    assert P.contains(points, interior=True).tolist() == [False] * 4
    assert P.contains([[0.25, 0.5], [0, 0.5]], interior=True).tolist() == [True, False]


def test_equations_alone() -> None:
    P = Polyhedron(equations=([[1, 1]], [1]))
    assert P == Polyhedron(np.zeros((0, 2)), [], equations=([[1, 1]], [1])) and P.dimension == 1
    assert pickle.loads(pickle.dumps(P)) == P


def test_infinite_bounds_of_any_type_leave_a_side_open() -> None:
    right = Polyhedron([[-1, 0], [0, -1], [0, 1]], [0, -1, 2])
    for kind in (float, np.float32, np.float16, np.longdouble, object):
        high = np.array([np.inf, 2], kind)
        assert Polyhedron.box([0, 1], high) == right
    assert Polyhedron.box(np.float32(0), np.float32("inf"), dimension=2).rays == [(0, 1), (1, 0)]
    assert len(Polyhedron.box(-np.inf, np.inf, dimension=2).lines) == 2


def test_what_is_known_is_shown() -> None:
    flat = Polyhedron.simplex(3)
    assert repr(flat) == "Polyhedron(3 inequalities, 1 equation in dimension 3)"
    assert flat.dimension == 2 and repr(flat).endswith("in dimension 3, itself of dimension 2)")
    empty = Polyhedron([[1], [-1]], [0, -1])
    assert empty.is_empty and repr(empty) == "Polyhedron(2 inequalities in dimension 1, empty)"


def test_a_box_with_its_ends_exchanged() -> None:
    with pytest.raises(InputError, match="low > high for x_1; expected low <= high"):
        Polyhedron.box([0, 2], [1, 1])


def test_boxes_simplices_and_cones() -> None:
    box = Polyhedron.box([0, -1.5], [1, np.inf])
    assert box.vertices == [(0, Fraction(-3, 2)), (1, Fraction(-3, 2))] and box.rays == [(0, 1)]
    assert Polyhedron.box(None, 1, dimension=2) == Polyhedron([[1, 0], [0, 1]], [1, 1])
    cube = Polyhedron.box(0, 1, dimension=5)
    assert (cube.volume, cube.centroid) == (1, (Fraction(1, 2),) * 5)
    large = Polyhedron.box(0, 1, dimension=40)
    assert len(large.facets) == 80 and large.is_bounded and large.dimension == 40
    simplex = Polyhedron.simplex(4)
    assert simplex.is_simplicial and simplex.volume == 0 and simplex.dimension == 3
    assert simplex == Polyhedron.hull(np.eye(4, dtype=int))
    orthant = Polyhedron.cone(np.eye(3, dtype=int))
    assert orthant == Polyhedron(-np.eye(3, dtype=int), [0, 0, 0]) and orthant.is_simplicial
    half = Polyhedron.cone([[1, 0]], lines=[[0, 1]])
    assert (
        half.lines in ([(0, 1)], [(0, -1)]) and half.rays == [(1, 0)] and half.vertices == [(0, 0)]
    )
    assert len(Polyhedron(np.zeros((0, 2)), []).lines) == 2
    assert pickle.loads(pickle.dumps(cube)) == cube


def test_numbers_are_exact() -> None:
    thin = Polyhedron([[1], [-1]], [0.1, -np.nextafter(0.1, 0)])
    assert thin.dimension == 1 and thin.contains([Fraction(1, 10)])
    assert Polyhedron([[1], [-1]], [0.1, Fraction(-1, 10)]).dimension == 1  # 0.1 is above 1/10
    point = Polyhedron([[1], [-1]], [0.1, -0.1])
    assert point.vertices == [(Fraction(0.1),)] and not point.contains([Fraction(1, 10)])
    root = sqrt(2)
    square = Polyhedron([[1, root], [-1, 0], [0, -1]], [root, 0, 0])
    assert square.facets == (0, 1, 2) and square.is_bounded
    assert square.volume**2 == Fraction(1, 2)
    assert square.contains([0, 1]) and not square.contains([0, 1], interior=True)


def test_the_least_integer_of_64_bits() -> None:
    least = -(2**63)
    P = Polyhedron([[least], [1]], [least, 5])  # x >= 1
    assert P.vertices == [(1,), (5,)]
    assert Polyhedron([[1], [-1]], [5, least]).is_empty
    Q = chamber_polyhedron([[least], [1]], "+-", offsets=[least, 2])
    assert Q.facets == (1,) and Q.vertices == [(-2,)] and Q.rays == [(-1,)]


def test_equality_across_fields() -> None:
    rows = [[1, sqrt(2)], [-1, 0], [0, -1]]
    P, Q = Polyhedron(rows, [1, 0, 0]), Polyhedron([*rows, [sqrt(3), 0]], [1, 0, 0, 100])
    assert P == Q and hash(P) == hash(Q)
    assert Polyhedron([*rows, [sqrt(3), 0]], [1, 0, 0, 1]) != P


def test_the_double_description() -> None:
    signs = [[1 - 2 * bit for bit in bits] for bits in np.ndindex(2, 2, 2)]
    octahedron = cone_of([[1, *row] for row in signs], 4)
    assert len(octahedron.rays) == 6 and (octahedron.tight.sum(axis=1) == 4).all()
    with pytest.raises(TooLargeError, match="more than 3 rays"):
        cone_of([[1, *row] for row in [[1, 1], [1, -1], [-1, 1], [-1, -1]]], 3, most=3)
    # entries beyond 64 bits, the same rays
    rows = [[1, 2, 3], [3, 1, -1], [-1, 4, 1], [2, 2, 7]]
    long = [[entry * 10**40 + k for entry in row] for k, row in enumerate(rows)]
    assert cone_of(rows, 3).tight.tolist() == cone_of(long, 3).tight.tolist()


def test_chambers_are_polyhedra_of_all_their_points() -> None:
    rng = np.random.default_rng(5)
    W, b = rng.standard_normal((9, 3)), rng.standard_normal(9)
    for signs in chambers(W, b).to_array()[::5]:
        P = chamber_polyhedron(W, signs, offsets=b)
        assert P.interior_point is not None
        values = [dot(row, P.interior_point) + Fraction(z) for row, z in zip(W, b, strict=True)]
        assert [1 if value > 0 else -1 for value in values] == signs.tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Polyhedron([[1, 2]], [1, 2]), "c"),
        (lambda: Polyhedron([[1, 2]], [1], equations=5), "equations is 5; expected a pair"),
        (lambda: Polyhedron([[1, 2]], [1], equations=([[1]], [1])), "E has 1 columns and A has 2"),
        (lambda: Polyhedron([[1, np.nan]], [1]), "nan"),
        (lambda: Polyhedron.box(0, 1), "expected vectors of one length"),
        (lambda: Polyhedron.box([0, 0], [1, 1, 1]), "expected vectors of one length"),
        (lambda: Polyhedron.hull([[0, 1]], rays=[[1]]), "rays has 1 columns; expected 2"),
        (lambda: Polyhedron.box(0, None, dimension=2).volume, "not bounded"),
        (lambda: Polyhedron.simplex(2).centroid, "no volume"),
        (lambda: Polyhedron.simplex(2).contains([1]), "point has 1 entries; expected 2"),
        (lambda: Polyhedron.simplex(2) & Polyhedron.simplex(3), "other lies in dimension 3"),
    ],
)
def test_refusals(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_targets_that_do_not_vanish_on_the_hull() -> None:
    P = Polyhedron([[1, 0], [-1, 0], [0, 1]], [2, -2, 0])
    with pytest.raises(InputError, match="target has shape"):
        P.implicit_weights([1, 2])
    for Q, target in ((P, [1, 0, 0]), (P, [0, 1, 0]), (Polyhedron.box(0, 1, dimension=1), [1, 0])):
        with pytest.raises(InputError, match="does not vanish on"):
            Q.implicit_weights(target)
