"""Zonotopes: against convex hulls, published numbers, and points counted one by one."""

from fractions import Fraction
from itertools import combinations, product
from math import factorial
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection
from sympy import Poly, Symbol

from arrangements import Arrangement, NumberField, generators
from arrangements.errors import InputError
from arrangements.exact import linear
from arrangements.plot import plot_zonotope
from arrangements.structure import Zonotope, zonotope
from arrangements.structure.zonotopes import Mesh

t = Symbol("t")
CUBE = np.eye(3, dtype=int).tolist()
DODECAHEDRON = [*CUBE, [1, 1, 1]]


def sums(W: object) -> np.ndarray:
    """All sums of rows."""
    table = np.array(W)
    return np.array([np.array(s) @ table for s in product((0, 1), repeat=len(table))])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("d", [2, 3])
def test_against_convex_hulls(seed: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    W = rng.integers(-3, 4, (6, d))
    W[seed % 6] = 2 * W[(seed + 1) % 6]  # parallel segments
    Z, hull = zonotope(W), ConvexHull(sums(W))
    corners = hull.points[hull.vertices]
    assert set(map(tuple, Z.vertices.tolist())) == set(map(tuple, corners.astype(int).tolist()))
    assert float(Z.volume) == pytest.approx(hull.volume)
    A, c = Z.inequalities
    found = Z.halfspaces() / np.linalg.norm(Z.halfspaces()[:, :d], axis=1)[:, None]
    assert set(map(tuple, np.round(hull.equations, 9))) == set(map(tuple, np.round(found, 9)))
    for row, height, facet in zip(A, c, Z.facets, strict=True):
        values = Z.vertices @ row
        assert max(values) == height and set(facet) == set(np.flatnonzero(values == height))
    assert Z.f_vector()[0] == len(Z.vertices) and Z.f_vector()[1] == len(Z.edges)
    assert Z.f_vector()[d - 1] == len(Z.facets) and Z.f_vector()[d] == 1
    # points counted one by one
    low, high = Z.vertices.min(axis=0), Z.vertices.max(axis=0)
    grid = np.array(list(product(*(range(a, b + 1) for a, b in zip(low, high, strict=True)))))
    assert Z.n_lattice_points == (grid @ A.T <= c).all(axis=1).sum()


def test_published_zonotopes() -> None:
    """Stanley 1991: the points of a permutohedron are forests (OEIS A001858), its volume trees."""
    for n, forests in ((2, 2), (3, 7), (4, 38), (5, 291)):
        P = zonotope(generators.braid(n))
        assert P.n_lattice_points == forests
        assert P.ehrhart_polynomial.LC() == n ** (n - 2)
        assert P.f_vector()[0] == factorial(n) and P.f_vector()[-2] == 2**n - 2
        assert (P.rank, P.volume) == (n - 1, 0)
    assert zonotope(generators.braid(4)).f_vector() == (24, 36, 14, 1)
    assert zonotope(generators.type_b(3)).f_vector() == (48, 72, 26, 1)  # truncated cuboctahedron
    assert zonotope(DODECAHEDRON).f_vector() == (14, 24, 12, 1)
    cube = zonotope(CUBE)
    assert cube.ehrhart_polynomial == Poly((t + 1) ** 3, t) and cube.f_vector() == (8, 12, 6, 1)


def test_exact_numbers() -> None:
    Z = zonotope([[Fraction(1, 3), 0], [0, 0.5], [0, 0]])
    assert Z.volume == Fraction(1, 6) and Z.vertices.max() == Fraction(1, 2)
    with pytest.raises(InputError, match="some segments are not integer"):
        _ = Z.n_lattice_points
    large = zonotope([[2**62, 0], [2**62, 1], [2**62, 2]])
    assert max(large.vertices[:, 0]) == 3 * 2**62 and large.volume == 4 * 2**62
    assert zonotope(Arrangement(CUBE)).volume == Arrangement(CUBE).zonotope().volume == 1


@pytest.mark.parametrize(
    ("W", "rank", "facets"),
    [(np.zeros((0, 3)), 0, 0), ([[0, 0]], 0, 0), ([[2]], 1, 2), ([[1, 2], [2, 4]], 1, 2)],
)
def test_flat_zonotopes(W: object, rank: int, facets: int) -> None:
    Z = zonotope(W)  # type: ignore[arg-type]
    assert (Z.rank, len(Z.facets), len(Z.inequalities[0])) == (rank, facets, facets)
    assert (
        len(Z.vertices) == Z.f_vector()[0] == (2 if rank else 1) and len(Z.f_vector()) == rank + 1
    )
    assert len(Z.edges) == rank and Z.n_lattice_points == {0: 1, 1: 3 if len(W) == 1 else 4}[rank]  # type: ignore[arg-type]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "W",
    [
        [[1, 0, 0], [0, 1, 0]],
        [[1, -1, 0], [0, 1, -1], [1, 0, -1]],
        [[1, 2, 3]],
        [[2, 1, 1], [-1, 1, 0], [1, 2, 1], [0, 0, 0]],
        [[1, 0, 1, 0], [0, 1, 0, 2], [1, 1, 1, 2]],
        [[1, 0], [0, 2]],
        [[0, 0]],
        np.zeros((0, 2)),
    ],
)
def test_equations_tell_the_points(W: object) -> None:
    """Against linear programs for each point of a grid."""
    Z = zonotope(W)  # type: ignore[arg-type]
    (A, c), E = Z.inequalities, Z.equations
    assert E.shape == (Z.dimension - Z.rank, Z.dimension)
    assert not (E @ Z.vertices.T).any()
    assert Z.halfspaces().shape == (len(A) + 2 * len(E), Z.dimension + 1)
    segments = np.array(W, float)
    for point in product(range(-1, 4 if Z.dimension < 4 else 2), repeat=Z.dimension):
        x = np.array(point, dtype=object)
        inside = bool((A @ x <= c).all() and (E @ x == 0).all())
        assert inside == bool((Z.halfspaces() @ [*point, 1] <= 1e-9).all())
        if not len(segments):
            assert inside == (not any(point))
            continue
        program = linprog(np.zeros(len(segments)), A_eq=segments.T, b_eq=point, bounds=(0, 1))
        assert inside == (program.status == 0)


def test_equations_of_irrational_segments() -> None:
    root = NumberField([-2, 0, 1], (1, 2), "a").generator
    Z = zonotope([[1, root, 0], [root, 2, 0]])
    assert Z.equations.shape == (2, 3)
    assert not (Z.equations @ Z.vertices.T).any()
    assert (Z.equations @ [root, 1, 0]).any()


def turns(Z: Zonotope, mesh: Mesh) -> float:
    """Six times the signed volume of a closed surface."""
    corners = mesh.vertices[mesh.faces]
    return float(sum(np.linalg.det(triangle) for triangle in corners))


def test_surfaces(tmp_path: Path) -> None:
    for W in (CUBE, DODECAHEDRON, generators.type_b(3)):
        Z = zonotope(W)
        assert turns(Z, Z.mesh()) == pytest.approx(6 * float(Z.volume))  # all face outwards
        Z.write_off(tmp_path / "z.off")
        head, counts, *lines = (tmp_path / "z.off").read_text().splitlines()
        m, f, e = map(int, counts.split())
        assert head == "OFF" and (m, f, e) == (len(Z.vertices), len(Z.facets), len(Z.edges))
        points = [tuple(map(float, line.split())) for line in lines[:m]]
        assert points == list(map(tuple, Z.vertices.astype(float).tolist()))
        polygons = [tuple(map(int, line.split()))[1:] for line in lines[m:]]
        assert tuple(polygons) == Z.facets
        inside = Z.vertices.astype(float).mean(axis=0)
        found = HalfspaceIntersection(Z.halfspaces(), inside).intersections
        assert {tuple(p) for p in np.round(found, 6) + 0.0} == set(points)
    with pytest.raises(InputError, match=r"dimension 2 in R\^2; expected dimension 3 in R\^3"):
        zonotope([[1, 0], [0, 1]]).mesh()
    with pytest.raises(InputError, match="expected a central one"):
        zonotope(generators.shi(3))


def test_pictures() -> None:
    pytest.importorskip("matplotlib")
    ax = plot_zonotope(DODECAHEDRON)
    assert ax.get_title() == "zonotope of 4 segments: 14 vertices, 24 edges, 12 facets"
    assert len(ax.collections) == 1
    flat = plot_zonotope(zonotope([[1, 0], [0, 1], [1, 1]]))
    [polygon] = flat.patches
    assert set(map(tuple, polygon.get_xy())) == {(0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (2, 2)}
    with pytest.raises(InputError, match=r"dimension 1 in R\^2; expected dimension 2"):
        plot_zonotope([[1, 1]])


def test_pictures_too_thin_or_too_large() -> None:
    for W in ([[0, 1e307], [7, 0]], [[1e308, 1e308], [1e308, -1e308]], [[10**400, 0], [0, 1]]):
        with pytest.raises(InputError, match=r"^the zonotope spans .* Scale the columns.$"):
            plot_zonotope(W)
        assert len(zonotope(W).vertices) == 4
    with pytest.raises(InputError, match="beyond the range of float64; scale normals down"):
        zonotope([[10**400, 1], [0, 1]]).halfspaces()


@pytest.mark.parametrize(("n", "d", "most"), [(7, 3, 2), (9, 4, 5), (6, 1, 9), (8, 3, 2**40)])
def test_volume_is_the_sum_of_minors(n: int, d: int, most: int) -> None:
    rows = np.random.default_rng(d).integers(-most, most, (n, d), endpoint=True)
    expected = sum(
        abs(linear.determinant([rows[i].tolist() for i in chosen]))
        for chosen in combinations(range(n), d)
    )
    assert zonotope(rows).volume == expected
    assert zonotope(rows * Fraction(1, 6)).volume == Fraction(expected, 6**d)


def test_large_volumes() -> None:
    # A7: the volume of the permutohedron counts trees; here in simple roots
    assert zonotope(generators.coxeter("A6")).volume == 7**5 * 1
    # sums beyond 63 bits of minors that fit
    rows = [[2**31, 0], [0, 2**31]] * 3 + [[1, 1]]
    assert zonotope(rows).volume == 9 * 2**62 + 6 * 2**31
