"""Named families: entries against independent definitions, counts against published ones."""

import inspect
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, factorial, prod

import examples
import naive
import networkx as nx
import numpy as np
import pytest
from sympy import Expr, Poly, Symbol, sqrt

from arrangements import Arrangement, characteristic_polynomial, count_chambers, flats, generators
from arrangements.errors import InputError, TooLargeError
from arrangements.exact.field_entries import twice_cosine
from arrangements.exact.number_field import FieldElement
from arrangements.exact.numbers import nearest_floats

FACTORIAL = [1, 1, 2, 6, 24, 120, 720]


def test_rows_against_definitions() -> None:
    for n in range(2, 7):
        assert generators.braid(n).normals.tolist() == examples.braid(n)
    for k in range(1, 6):
        assert generators.resonance(k).normals.tolist() == examples.resonance(k)
        assert generators.threshold(k).normals.tolist() == examples.threshold(k)
    assert generators.boolean(3).normals.tolist() == np.eye(3).tolist()


@pytest.mark.parametrize(
    "name",
    [
        *("boolean", "type_b", "resonance", "threshold", "crosspolytope", "demicube"),
        *("permutohedron", "mid_hyperplane", "braid", "golomb", "comparative_probability"),
    ],
)
def test_integer_and_central(name: str) -> None:
    A = getattr(generators, name)(3)
    assert isinstance(A, Arrangement) and A.is_central and A.labels is None
    assert A.normals.dtype == np.int64
    assert np.array_equal(np.asarray(A), A.normals) and A == getattr(generators, name)(3)


@pytest.mark.parametrize("name", sorted(set(generators.__all__) - {"positive_roots"}))
def test_every_family_is_an_arrangement(name: str) -> None:
    assert inspect.signature(getattr(generators, name)).return_annotation is Arrangement


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_classical_reflection_arrangements(n: int) -> None:
    assert naive.count(generators.boolean(n).normals) == 2**n
    assert naive.count(generators.braid(n).normals) == FACTORIAL[n]
    assert naive.count(generators.type_b(n).normals) == 2**n * FACTORIAL[n]
    assert naive.count(generators.type_d(n).normals) == 2 ** (n - 1) * FACTORIAL[n]
    assert len(generators.type_b(n)) == n * n
    assert len(generators.type_d(n)) == n * (n - 1)


# ------------------------------------------------------------------ Coxeter groups

GROUPS = [
    *(("A", n, n * (n + 1) // 2, factorial(n + 1)) for n in (1, 2, 3, 5)),
    *((kind, n, n * n, 2**n * factorial(n)) for kind in "BC" for n in (1, 2, 3, 4)),
    *(("D", n, n * (n - 1), 2 ** (n - 1) * factorial(n)) for n in (2, 3, 4, 5)),
    *(("I", m, m, 2 * m) for m in (2, 3, 4, 7)),
    ("E", 6, 36, 51840),
    ("E", 7, 63, 2903040),
    ("F", 4, 24, 1152),
    ("G", 2, 6, 12),
]


@pytest.mark.parametrize(("kind", "n", "mirrors", "order"), GROUPS)
def test_coxeter_counts(kind: str, n: int, mirrors: int, order: int) -> None:
    rows = generators.coxeter(kind, n).normals
    dimension = 2 if kind == "I" else n
    assert rows.shape == (mirrors, dimension) and rows.dtype == np.int64
    assert rows[:dimension].tolist() == np.eye(dimension).tolist()
    assert (rows >= 0).all()
    assert count_chambers(rows) == order


HIGHEST = {  # the highest root, in Bourbaki's tables
    ("B", 4): [1, 2, 2, 2],
    ("C", 4): [2, 2, 2, 1],
    ("D", 5): [1, 2, 2, 1, 1],
    ("E", 6): [1, 2, 2, 3, 2, 1],
    ("E", 7): [2, 2, 3, 4, 3, 2, 1],
    ("E", 8): [2, 3, 4, 6, 5, 4, 3, 2],
    ("F", 4): [2, 3, 4, 2],
    ("G", 2): [3, 2],
}


@pytest.mark.parametrize(("kind", "n"), HIGHEST)
def test_highest_roots(kind: str, n: int) -> None:
    rows = generators.coxeter(kind, n).normals
    assert rows.max(axis=0).tolist() == HIGHEST[kind, n]
    assert HIGHEST[kind, n] in rows.tolist()


def test_e8_has_120_roots_like_the_usual_ones() -> None:
    rows = generators.coxeter("E", 8).normals
    usual = [v for v in product((-2, 0, 2), repeat=8) if sum(map(abs, v)) == 4]
    usual += [v for v in product((-1, 1), repeat=8) if prod(v) == 1]
    assert len(rows) == 120 == len(usual) / 2
    # Heights: so many roots of height h as there are exponents >= h.
    exponents = (1, 7, 11, 13, 17, 19, 23, 29)
    heights = rows.sum(axis=1)
    assert all((heights == h).sum() == sum(e >= h for e in exponents) for h in range(1, 31))
    # The same inner products.
    gram = np.array(usual) @ np.array(usual).T // 4
    simple = 2 * np.eye(8, dtype=int)
    for i, j in [(0, 2), (1, 3), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7)]:
        simple[i, j] = simple[j, i] = -1
    found = rows @ simple @ rows.T
    assert np.bincount(np.abs(found).ravel()).tolist() == [7560, 6720, 120]
    assert np.bincount(np.abs(gram).ravel()).tolist() == [4 * 7560, 4 * 6720, 4 * 120]


def test_dihedral_signs_are_those_of_the_regular_arrangement() -> None:
    m = 7
    angles = np.pi * np.arange(m) / m
    normals = np.column_stack([np.cos(angles), np.sin(angles)])
    between = angles + np.pi / 2 + np.pi / (2 * m)  # halfway from line to line
    points = np.column_stack([np.cos(between), np.sin(between)])
    signs = np.sign(normals @ np.concatenate([points, -points]).T).T.astype(int)
    order = [0, m - 1, *range(1, m - 1)]  # simple roots first: the two outermost lines
    assert naive.chambers(generators.coxeter("I", m).normals) == set(
        map(tuple, signs[:, order].tolist())
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("n", "p", "exponents"), [(3, 11, (1, 5, 9)), (3, 19, (1, 5, 9)), (4, 29, (1, 11, 19, 29))]
)
def test_h3_and_h4(n: int, p: int, exponents: tuple[int, ...]) -> None:
    """Points off the planes over a field with p elements: chi(p) (finite field method)."""
    rows = generators.positive_roots("H", n)
    root = next(r for r in range(p) if r * r % p == 5)

    def residue(c: Expr) -> int:
        doubled = int(2 * c.coeff(sqrt(5), 0)) + int(2 * c.coeff(sqrt(5), 1)) * root
        return doubled * pow(2, -1, p) % p

    reduced = np.array([[residue(c) for c in row] for row in rows])
    assert prod(e + 1 for e in exponents) == {3: 120, 4: 14400}[n]
    line = np.arange(p)
    grid = np.stack(np.meshgrid(*[line] * (n - 1), indexing="ij"), axis=-1).reshape(-1, n - 1)
    # One representative per line through the origin with last coordinate 1, then those with 0.
    affine = np.column_stack([grid, np.ones(len(grid), int)])
    infinite = np.column_stack([grid, np.zeros(len(grid), int)])
    off = [int(((points @ reduced.T % p) != 0).all(axis=1).sum()) for points in (affine, infinite)]
    assert (p - 1) * off[0] + off[1] == prod(p - e for e in exponents)
    assert generators.coxeter("H", n).exponents() == exponents


@pytest.mark.parametrize("m", [2, 3, 4, 5, 7, 12, 15])
def test_dihedral_arrangements(m: int) -> None:
    A, B = generators.coxeter("I2", m), generators.coxeter("I", m)
    assert A.exponents() == (1, m - 1) and len(A.chambers()) == 2 * m
    slopes = [[y / (x * Fraction(1)) if x else 999 for x, y in C.normals] for C in (A, B)]
    A, B = (C[np.argsort(order).tolist()] for C, order in zip((A, B), slopes, strict=True))
    assert A.chambers() == B.chambers()
    lengths = [x * x + y * y - x * y * twice_cosine(2 * m) for x, y in A.normals]
    assert all(length == 1 for length in lengths) or m == 2


@pytest.mark.slow
@pytest.mark.parametrize("m, degree", [(61, 30), (211, 105), (420, 96)])
def test_dihedral_arrangements_of_large_fields(m: int, degree: int) -> None:
    A = generators.coxeter("I2", m)
    assert {x.field.degree for x in A.normals.ravel() if isinstance(x, FieldElement)} == {degree}
    assert len(A.chambers()) == A.count_chambers() == 2 * m


def test_polygons_of_too_many_sides() -> None:
    for family in (generators.polygon, lambda m: generators.coxeter("I2", m)):
        with pytest.raises(TooLargeError, match=r"of degree [24]0000.* bytes, but .* are allowed"):
            family(10**5)
    with pytest.raises(TooLargeError, match="Kind 'I' has rational lines"):
        generators.coxeter("I2(100003)")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("m", [3, 5, 8, 9])
def test_regular_polygons(m: int) -> None:
    A = generators.polygon(m)
    parallel = m % 2 == 0
    assert A.count_chambers() == 1 + m + m * (m - 1) // 2 - parallel * m // 2
    assert "+" * m in A.chambers()
    for n in [2 * m] * (2 * m > 4) + [4 * m + 1]:
        assert generators.simplicial(n).is_simplicial()
    assert generators.simplicial(2 * m).count_chambers() == 2 * m * (m + 1)


def test_regular_polytopes() -> None:
    """Vertices have one length, and each has as many nearest ones as edges."""
    cases = [("icosahedron", 5), ("dodecahedron", 3), ("cell600", 12), ("cell120", 4)]
    for name, degree in cases:
        points = nearest_floats(getattr(generators, name)().normals[:, 1:])
        products = points @ points.T
        assert np.ptp(products.diagonal()) < 1e-9 and len(
            np.unique(points.round(9), axis=0)
        ) == len(points)
        nearest = np.sort(products.round(9), axis=1)[:, ::-1][:, 1:]
        assert ((nearest == nearest[:, :1]).sum(axis=1) == degree).all()


# ------------------------------------------------------------------ polytopes and sums


def test_resonance_and_threshold() -> None:
    assert [naive.count(generators.resonance(k).normals) for k in range(1, 6)] == [
        2,
        6,
        32,
        370,
        11292,
    ]
    assert [naive.count(generators.threshold(k).normals) for k in range(1, 5)] == [4, 14, 104, 1882]


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_crosspolytope(k: int) -> None:
    rows = generators.crosspolytope(k).normals
    assert rows.shape == (2 * k, k + 1)
    assert naive.count(rows) == 2 * (3**k - 2**k) + 2**k


@pytest.mark.slow
def test_demicube() -> None:
    assert [generators.demicube(k).normals.shape for k in (1, 4)] == [(1, 2), (8, 5)]
    assert [naive.count(generators.demicube(k).normals) for k in (4, 5, 6)] == [146, 3756, 291558]


def test_permutohedron() -> None:
    for n in (1, 2, 3, 4):
        rows = generators.permutohedron(n).normals
        assert rows[:, 1:].tolist() == [list(p) for p in permutations(range(1, n + 1))]
        assert Arrangement(rows).rank == max(n, 1)
        assert count_chambers(rows) == naive.count(rows) == [2, 4, 32, 2894][n - 1]
    # the hexagon is generic in its plane
    assert count_chambers(generators.permutohedron(3)) == naive.generic_count(6, 3)


def test_cell24() -> None:
    rows = generators.cell24().normals
    assert {tuple(v) for v in rows[:, 1:].tolist()} == {
        v for v in product((-1, 0, 1), repeat=4) if sum(map(abs, v)) == 2
    }
    assert count_chambers(rows) == 9170


def test_mid_hyperplane() -> None:
    patterns = {2: 1, 3: 1, 4: 2, 5: 12, 6: 168}  # Kamiya, Orlik, Takemura, Terao 2006
    for n, known in patterns.items():
        rows = generators.mid_hyperplane(n).normals
        assert len(rows) == comb(n, 2) + 3 * comb(n, 4)
        assert len(Arrangement(rows).parallel_classes) == len(rows)
        assert count_chambers(rows) == factorial(n) * known


# ------------------------------------------------------------------ graphs


def orientations(graph: nx.Graph) -> int:
    """Acyclic orientations, by trying all."""
    edges = list(graph.edges)
    turned = (
        [(u, v) if keep else (v, u) for (u, v), keep in zip(edges, choice, strict=True)]
        for choice in product((True, False), repeat=len(edges))
    )
    return sum(nx.is_directed_acyclic_graph(nx.DiGraph(choice)) for choice in turned)


@pytest.mark.slow
def test_graphical() -> None:
    for graph in (
        nx.cycle_graph(5),
        nx.path_graph(5),
        nx.complete_bipartite_graph(2, 3),
        nx.gnm_random_graph(6, 10, seed=1),
    ):
        rows = generators.graphical(graph).normals
        assert rows.shape == (graph.number_of_edges(), len(graph))
        assert count_chambers(rows) == orientations(graph)
    polynomial = nx.chromatic_polynomial(nx.cubical_graph())
    (symbol,) = polynomial.free_symbols
    assert count_chambers(generators.graphical(nx.cubical_graph())) == polynomial.subs(symbol, -1)
    # Biggs, Algebraic Graph Theory: P(t) = t (t - 1) (t - 2) Q(t) for the Petersen graph
    q = sum(c * (-1) ** k for k, c in enumerate((-352, 775, -814, 529, -230, 67, -12, 1)))
    assert count_chambers(generators.graphical(nx.petersen_graph())) == (-1) * (-2) * (-3) * q


def test_graphical_follows_the_order_of_the_nodes() -> None:
    graph = nx.Graph()
    graph.add_nodes_from("cab")
    graph.add_edges_from([("b", "a"), ("b", "c")])
    assert generators.graphical(graph).normals.tolist() == [[1, 0, -1], [0, 1, -1]]
    assert generators.graphical(nx.complete_graph(5)).normals.tolist() == examples.braid(5)
    assert generators.graphical(nx.MultiGraph([(0, 1), (1, 0)])).normals.tolist() == [[1, -1]] * 2
    empty = Arrangement(generators.graphical(nx.empty_graph(3)))
    assert (empty.dimension, empty.count_chambers()) == (3, 1)


# ------------------------------------------------------------------ deformations


def test_deformations() -> None:
    for n in range(1, 6):
        catalan = comb(2 * n, n) // (n + 1)
        assert generators.shi(n).count_chambers() == (n + 1) ** (n - 1)
        assert generators.ish(n).count_chambers() == (n + 1) ** (n - 1)
        assert generators.catalan(n).count_chambers() == factorial(n) * catalan
    for n in range(1, 5):
        assert generators.shi(n, 2).count_chambers() == (2 * n + 1) ** (n - 1)
        fuss = factorial(n) * comb(3 * n, n) // (2 * n + 1)
        assert generators.catalan(n, 2).count_chambers() == fuss
    linial = [generators.linial(n).count_chambers() for n in range(1, 7)]
    assert linial == [1, 2, 7, 36, 246, 2104]
    semiorders = [generators.semiorder(n).count_chambers() for n in range(1, 6)]
    assert semiorders == [1, 3, 19, 183, 2371]


def test_rows_of_deformations() -> None:
    def rows(A: Arrangement) -> list[tuple[list[int], int]]:
        assert A.offsets is not None
        return list(zip(A.normals.tolist(), A.offsets.tolist(), strict=True))

    def at(i: int, j: int, shift: int) -> tuple[list[int], int]:
        return [(k == i) - (k == j) for k in range(1, 4)], -shift

    pairs = [(1, 2), (1, 3), (2, 3)]
    assert rows(generators.shi(3)) == [at(i, j, s) for s in (0, 1) for i, j in pairs]
    assert rows(generators.catalan(3)) == [at(i, j, s) for s in (-1, 0, 1) for i, j in pairs]
    assert rows(generators.semiorder(3)) == [at(i, j, s) for s in (-1, 1) for i, j in pairs]
    assert rows(generators.linial(3)) == [at(i, j, 1) for i, j in pairs]
    ish = [at(i, j, 0) for i, j in pairs] + [at(1, j, i) for i, j in pairs]
    assert rows(generators.ish(3)) == ish
    assert generators.shi(1).n_hyperplanes == 0
    thirds = generators.deformation(2, [Fraction(1, 3), 0.5])
    assert thirds.offsets is not None
    assert thirds.offsets.tolist() == [Fraction(-1, 3), Fraction(-1, 2)]


# ------------------------------------------------------------------ positions


@pytest.mark.parametrize("kind", ["gaussian", "integer"])
def test_generic(kind: str) -> None:
    rows = generators.generic(8, 3, 1, kind=kind).normals
    assert naive.count(rows) == naive.generic_count(8, 3)
    again = generators.generic(8, 3, np.random.default_rng(1), kind=kind).normals
    assert np.array_equal(rows, again)
    assert not np.array_equal(rows, generators.generic(8, 3, 2, kind=kind))


@pytest.mark.parametrize(("n", "d"), [(4, 2), (5, 2), (5, 3), (3, 4)])
def test_low_rank_braid(n: int, d: int) -> None:
    rows = generators.low_rank_braid(n, d, 0).normals
    assert rows.shape == (n * (n - 1) // 2, d)
    assert naive.count(rows) == naive.cover(n, d)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (7, 1), (7, 3), (6, 5), (3, 6)])
def test_cyclic(n: int, d: int) -> None:
    rows = generators.cyclic(n, d).normals
    assert rows.tolist() == [[t**k for k in range(d)] for t in range(n)]
    alternating = {
        s
        for s in product((-1, 1), repeat=n)
        if sum(a != b for a, b in zip(s, s[1:], strict=False)) < d
    }
    assert naive.chambers(rows) == alternating


def test_cyclic_beyond_int64() -> None:
    assert generators.cyclic(9, 21).normals.dtype == np.int64
    assert generators.cyclic(9, 22).normals.dtype == object
    assert generators.cyclic(9, 22).normals[8, 21] == 8**21


def test_discriminantal() -> None:
    assert generators.discriminantal([[1]] * 5).normals.tolist() == examples.braid(5)
    assert generators.discriminantal([[2.0], [Fraction(1, 3)]]).normals.tolist() == [[1, -6]]
    # n - k = 2: n distinct lines. n - k = 3, very generic: the 10 planes meet by fours on
    # 5 lines, one for each 4-subset, and else by twos: 1 + 10 + (5 * 3 + 15) + 21.
    assert naive.count(generators.discriminantal(generators.generic(6, 4, 0)).normals) == 12
    generic = generators.discriminantal(generators.generic(5, 2, 0, kind="integer")).normals
    assert naive.count(generic) == 62
    generic = generators.discriminantal(generators.generic(6, 3, 0, kind="integer")).normals
    assert naive.count(generic) == 2 + 2 * (comb(15, 2) - 6 * comb(4, 2))


@pytest.mark.parametrize("points, k", [([0, 1], 1), ([0, 1, Fraction(7, 2)], 2), ([5, -1], 3)])
def test_schechtman_varchenko(points: list[Fraction | int], k: int) -> None:
    """The characteristic polynomial is (t - n) (t - n - 1) .. (t - n - k + 1)."""
    A, n = generators.schechtman_varchenko(points, k), len(points)
    assert A.n_hyperplanes == n * k + k * (k - 1) // 2 and A.dimension == k
    rng = np.random.default_rng(0)
    x = rng.integers(-5, 9, k).tolist()
    found = [
        sum(a * c for a, c in zip(row, x, strict=True)) + b
        for row, b in zip(A.normals.tolist(), A.offsets.tolist(), strict=True)
    ]
    apart = [x[i] - z for i in range(k) for z in points]
    assert found == apart + [x[i] - x[j] for i, j in combinations(range(k), 2)]
    expected = [1]
    for j in range(k):  # ascending coefficients
        expected = [a - (n + j) * b for a, b in zip([0, *expected], [*expected, 0], strict=True)]
    found = characteristic_polynomial(A).all_coeffs()[::-1]
    assert found == expected
    assert A.count_chambers() == factorial(n + k) // factorial(n)


def test_near_pencils() -> None:
    for n in (3, 4, 7):
        A = generators.near_pencil(n)
        assert len(A) == n and A.is_simplicial() and A.count_chambers() == 4 * (n - 1)
        sizes = sorted(len(flat) for flat in flats(A).of_rank(2))
        assert sizes == sorted([*([2] * (n - 1)), n - 1])


def test_discriminantal_rows_say_that_translates_meet() -> None:
    normals = [[1, 0], [0.5, 3], [Fraction(1, 3), -1], [2, 5], [-1, 7]]
    rows = generators.discriminantal(normals).normals
    point = (Fraction(2, 7), 5)
    exact = [[naive.fraction(entry) for entry in row] for row in normals]
    x = [sum(a * y for a, y in zip(row, point, strict=True)) for row in exact]
    assert all(sum(r * v for r, v in zip(row, x, strict=True)) == 0 for row in rows.tolist())
    for row, chosen in zip(rows.tolist(), combinations(range(5), 3), strict=True):
        assert {i for i, entry in enumerate(row) if entry} == set(chosen)
        first, second, third = (exact[i] for i in chosen)
        assert row[chosen[0]] * (second[0] * third[1] - second[1] * third[0]) > 0
        assert row[chosen[1]] * (first[0] * third[1] - first[1] * third[0]) < 0


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: generators.type_d(1), "n is 1; expected an integer of at least 2"),
        (lambda: generators.resonance(0), "k is 0"),
        (lambda: generators.boolean(2.5), "n is 2.5; expected a positive integer"),
        (lambda: generators.generic(3, 0), "d is 0"),
        (lambda: generators.generic(3, 2, kind="float"), "kind is 'float'; expected 'gaussian'"),
        (lambda: generators.generic(3, 2, "x"), "rng is 'x'; expected a seed"),
        (lambda: generators.low_rank_braid(3, 2, -1), "rng is -1; expected a seed"),
        (lambda: generators.coxeter("J", 3), "kind is 'J'; expected one of A, B"),
        (lambda: generators.coxeter("I5"), r"a name such as 'B4', 'I2\(5\)' or 'A2 x B3'"),
        (lambda: generators.coxeter("B4", 4), "names the rank; leave n=4 out"),
        (lambda: generators.coxeter("B"), "n is None"),
        (lambda: generators.coxeter("E", 10**5000), "an integer of 5001 digits"),
        (lambda: generators.coxeter("E", 5), r"no Coxeter group E_5; expected n=6 or 7 or 8"),
        (lambda: generators.coxeter("I", 1), "n is 1; expected an integer of at least 2"),
        (lambda: generators.graphical(None), "graph is None; expected a networkx.Graph"),
        (lambda: generators.graphical([1, 2]), r"graph is \[1, 2\]; expected a networkx.Graph"),
        (lambda: generators.graphical(nx.Graph()), "no nodes"),
        (lambda: generators.graphical(nx.DiGraph([(0, 1)])), r"graph\.to_undirected\(\)"),
        (lambda: generators.graphical(nx.Graph([("a", "a")])), "node 'a' has a self-loop"),
        (lambda: generators.deformation(3, []), r"shifts is \[\]; expected at least one"),
        (lambda: generators.deformation(3, 5), "shifts is 5; expected at least one"),
        (lambda: generators.shi(3, 0), "k is 0"),
        (lambda: generators.shi("H3"), "type H is not crystallographic"),
        (lambda: generators.shi("B3", kind="C"), "names the kind; leave kind='C' out"),
        (lambda: generators.shi("I2(5)"), r"deformation\(coxeter\('I2\(5\)'\), \[0, 1\]\)"),
        (lambda: generators.linial("A2 H3"), r"deformation\(coxeter\('A2 H3'\), \[1\]\)"),
        (lambda: generators.shi(3, kind="I"), r"deformation\(coxeter\('I', 3\), \[0, 1\]\)"),
        (lambda: generators.discriminantal(5, 2), r"schechtman_varchenko\(range\(n\), k\)"),
        (lambda: generators.discriminantal([[1, 0]] * 3, 3), "k is 3; expected 2, the number of"),
        (lambda: generators.inversion([1], kind="A2 B3"), "expected one irreducible type"),
        (lambda: generators.catalan([(0, 1)]), r"n is \[\(0, 1\)\]; expected a positive integer"),
        (lambda: generators.linial(5, kind="E"), "no Coxeter group E_5"),
        (lambda: generators.deformation(generators.shi(3), [1]), "expected a central"),
        (lambda: generators.bigraphical([(0, 1)], {0: {1: 2}}), "no entry for nodes 1 and 0"),
        (lambda: generators.inversion([1, 1]), "expected a permutation of 1, .., n"),
        (lambda: generators.inversion([3], kind="B2"), "simple reflections from 1 to 2"),
        (lambda: generators.inversion([1], kind="I2(5)"), "kind is 'I2\\(5\\)'"),
        (lambda: generators.facet_arrangement(), "expected either vertices or"),
        (lambda: generators.facet_arrangement([[0, 0], [1, 1], [2, 2]]), "lie in a hyperplane"),
        (lambda: generators.facet_arrangement(inequalities=3), r"expected a pair \(A, c\)"),
        (
            lambda: generators.facet_arrangement(inequalities=([[1], [-1]], [0, 0])),
            "no interior point",
        ),
        (lambda: generators.schechtman_varchenko([1, 1.0], 2), "two of the points are equal"),
        (lambda: generators.schechtman_varchenko(5, 2), "points is 5; expected a sequence"),
        (lambda: generators.near_pencil(2), "n is 2; expected"),
        (lambda: generators.discriminantal(np.eye(2)), "expected more rows than columns"),
        (lambda: generators.discriminantal([[1, 0], [2, 0], [0, 1]]), r"\(0, 1\) are dependent"),
    ],
)
def test_bad_arguments(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *((name, ()) for name in ["boolean", "braid", "type_b", "type_d", "crosspolytope"]),
        *((name, ()) for name in ["shi", "catalan", "linial", "semiorder", "ish"]),
        *((name, ()) for name in ["resonance", "threshold", "demicube", "permutohedron"]),
        *((name, (3,)) for name in ["generic", "cyclic", "low_rank_braid"]),
    ],
)
@pytest.mark.parametrize("size", [10**6, 10**30])
def test_hopeless_sizes(name: str, arguments: tuple[int, ...], size: int) -> None:
    size = size if name not in ("generic", "cyclic") else size * 10**6
    with pytest.raises(TooLargeError, match="Choose a smaller parameter"):
        getattr(generators, name)(size, *arguments)


def test_hopeless_shifts_and_roots() -> None:
    with pytest.raises(TooLargeError, match="Choose a smaller parameter"):
        generators.catalan(2, 10**30)
    with pytest.raises(TooLargeError, match="Choose a smaller parameter"):
        generators.coxeter("A", 10**6)
    with pytest.raises(InputError, match="n is True; expected a positive integer"):
        generators.boolean(True)


@pytest.mark.parametrize("name", ["resonance", "threshold", "demicube", "permutohedron"])
def test_too_large(name: str) -> None:
    with pytest.raises(TooLargeError, match="Choose a smaller parameter"):
        getattr(generators, name)(40)
    with pytest.raises(TooLargeError, match="more than 1e300 normals"):
        getattr(generators, name)(2000)


def test_graphs_of_edges() -> None:
    assert generators.graphical([(0, 1), (1, 2)]).normals.tolist() == [[1, -1, 0], [0, 1, -1]]
    assert generators.graphical({"a": ["b"]}).normals.tolist() == [[1, -1]]


COXETER = [("A", 3), ("B", 4), ("C", 2), ("D", 5), ("E", 6), ("F", 4), ("G", 2), ("H", 3)]


@pytest.mark.parametrize(
    ("name", "kind", "n"),
    [
        *((f"{kind}{n}", kind, n) for kind, n in COXETER),
        *((text, "B", 4) for text in ("b4", "B_4", "B 4", " B4 ")),
        *((text, "I2", 5) for text in ("I2(5)", "i_2(5)", "I_2 (5)")),
    ],
)
def test_names_of_coxeter_groups(name: str, kind: str, n: int) -> None:
    expected = generators.positive_roots(kind, n).tolist()
    assert generators.positive_roots(name).tolist() == expected
    assert generators.positive_roots(kind.lower(), n).tolist() == expected
    if kind != "H":
        assert generators.coxeter(name).normals.tolist() == expected


def test_entries_of_many_digits_count_as_memory() -> None:
    with pytest.raises(TooLargeError, match="Choose a smaller parameter"):
        generators.cyclic(3000, 3000)
    assert generators.cyclic(40, 40).normals[-1, -1] == 39**39


# ------------------------------------------------------------------ deformations of every type

# Humphreys, Reflection Groups and Coxeter Groups, table 3.1: exponents; the largest is h - 1.
EXPONENTS = {
    "A3": (1, 2, 3),
    "B2": (1, 3),
    "B3": (1, 3, 5),
    "C3": (1, 3, 5),
    "D4": (1, 3, 3, 5),
    "F4": (1, 5, 7, 11),
    "G2": (1, 5),
}
t = Symbol("t")


def polynomial(A: Arrangement) -> Poly:
    return characteristic_polynomial(A)


@pytest.mark.parametrize("name", EXPONENTS)
def test_shi_and_catalan_of_every_type(name: str) -> None:
    """C. A. Athanasiadis, Bull. London Math. Soc. 36 (2004): (t - k h)^r and prod (t - k h - e)."""
    exponents = EXPONENTS[name]
    h, r = exponents[-1] + 1, len(exponents)
    for k in (1, 2) if r < 4 else (1,):
        assert polynomial(generators.shi(name, k)) == Poly((t - k * h) ** r, t)
        expected = Poly(prod(t - k * h - e for e in exponents), t)
        assert polynomial(generators.catalan(name, k)) == expected
    assert generators.shi(name).count_chambers() == (h + 1) ** r
    if name[0] != "A":
        assert generators.shi(r, kind=name[0]) == generators.shi(name)


@pytest.mark.parametrize(("name", "k"), [("B2", 1), ("B2", 2), ("G2", 1), ("C3", 1), ("D4", 1)])
def test_linial_of_every_type(name: str, k: int) -> None:
    """Athanasiadis, J. Algebraic Combin. 10 (1999): chi(k h - t) = (-1)^r chi(t)."""
    A, (*_, last) = generators.linial(name, k), EXPONENTS[name]
    r = A.dimension
    chi = polynomial(A)
    assert chi.compose(Poly(k * (last + 1) - t, t)) == (-1) ** r * chi
    if r < 3:
        assert A.count_chambers() == naive.count(A.normals, A.offsets)


@pytest.mark.parametrize(("n", "k"), [(3, 1), (4, 2), (4, 3), (5, 1)])
def test_extended_linial(n: int, k: int) -> None:
    """Postnikov, Stanley (2000), theorem 9.7: t (1 + S + .. + S^k)^n / (k + 1)^n on t^(n - 1)."""
    f = Poly(t ** (n - 1), t)
    for _ in range(n):
        f = sum((f.compose(Poly(t - j, t)) for j in range(k + 1)), Poly(0, t))
    assert polynomial(generators.linial(n, k)) == Poly(t, t) * f.quo_ground((k + 1) ** n)


# Doctests of sage.geometry.hyperplane_arrangement.library, without the factors t of an ambient
# space that is larger than the rank.
SAGE = [
    (lambda: generators.catalan(5), t**5 - 30 * t**4 + 335 * t**3 - 1650 * t**2 + 3024 * t),
    (
        lambda: generators.graphical(nx.house_graph()),
        t**5 - 6 * t**4 + 14 * t**3 - 15 * t**2 + 6 * t,
    ),
    (lambda: generators.ish(3), t**3 - 6 * t**2 + 9 * t),
    (lambda: generators.IshB(3), t**3 - 18 * t**2 + 108 * t - 216),
    (lambda: generators.linial(4), t**4 - 6 * t**3 + 15 * t**2 - 14 * t),
    (lambda: generators.linial(5), t**5 - 10 * t**4 + 45 * t**3 - 100 * t**2 + 90 * t),
    (lambda: generators.semiorder(5), t**5 - 20 * t**4 + 180 * t**3 - 790 * t**2 + 1380 * t),
    (lambda: generators.shi(4), t**4 - 12 * t**3 + 48 * t**2 - 64 * t),
    (lambda: generators.shi("A3"), t**3 - 12 * t**2 + 48 * t - 64),
    (lambda: generators.shi("A3", 2), t**3 - 24 * t**2 + 192 * t - 512),
    (lambda: generators.shi("C3"), t**3 - 18 * t**2 + 108 * t - 216),
    (lambda: generators.shi("B3", 3), t**3 - 54 * t**2 + 972 * t - 5832),
    (lambda: generators.shi("B4", 3), t**4 - 96 * t**3 + 3456 * t**2 - 55296 * t + 331776),
]


@pytest.mark.parametrize(("family", "expected"), SAGE)
def test_polynomials_that_sage_publishes(family: object, expected: Expr) -> None:
    assert polynomial(family()) == Poly(expected, t)  # type: ignore[operator]


@pytest.mark.slow
def test_shi_of_e6() -> None:
    A = generators.shi("E6")
    assert A.n_hyperplanes == 72 and polynomial(A) == Poly((t - 12) ** 6, t)


def test_deformations_of_rows() -> None:
    house = nx.house_graph()
    for A in (generators.G_Shi(house), generators.G_semiorder(house)):  # counts as Sage has them
        assert (A.n_hyperplanes, A.dimension, A.rank) == (12, 5, 4)
    assert generators.G_Shi(nx.complete_graph(4)) == generators.shi(4)
    assert generators.G_semiorder(nx.complete_graph(4)) == generators.semiorder(4)
    edges = [(0, 1), (1, 2)]
    assert generators.deformation(edges, [0, 1]) == generators.G_Shi(edges)
    # customary coordinates and simple roots: the same arrangement up to a change of basis
    customary = generators.deformation(generators.type_b(3), [0, 1])
    assert polynomial(customary) == polynomial(generators.shi("B3"))
    assert generators.deformation("D4", [0]).same_hyperplanes(generators.coxeter("D4"))
    assert generators.deformation(4, [0], kind="F") == generators.deformation("F4", [0])


def test_bigraphical() -> None:
    """63, 65, 59: doctests of Sage's library, from Hopkins and Perkinson."""
    C = nx.cycle_graph(4)
    shifts = {0: {1: 1, 3: 2}, 1: {0: 3, 2: 0}, 2: {1: 2, 3: 1}, 3: {2: 0, 0: 2}}
    assert generators.bigraphical(C, shifts).count_chambers() == 63
    matrix = [[shifts[u].get(v, 0) for v in range(4)] for u in range(4)]
    assert generators.bigraphical(C, matrix) == generators.bigraphical(C, shifts)
    assert generators.bigraphical(C, "generic").count_chambers() == 65
    assert generators.bigraphical(C).count_chambers() == 59
    assert generators.bigraphical(C).same_hyperplanes(generators.G_semiorder(C))
    house = nx.house_graph()
    doubled = [edge for edge in house.edges for _ in range(2)]
    forests = sum(
        nx.is_forest(graph) and len(graph.edges) == k
        for k in range(5)
        for chosen in combinations(doubled, k)
        for graph in [nx.MultiGraph(chosen)]
        if k
    )
    assert generators.bigraphical(house, "generic").count_chambers() == forests + 1


def below(w: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Permutations below w in Bruhat order: swaps of inversions, again and again."""
    found, new = {w}, {w}
    while new:
        made = set()
        for v in new:
            for i, j in combinations(range(len(v)), 2):
                if v[i] > v[j]:
                    u = list(v)
                    u[i], u[j] = u[j], u[i]
                    made.add(tuple(u))
        new = made - found
        found |= new
    return found


def test_inversions_of_permutations() -> None:
    """Hultman, Linusson, Shareshian, Sjostrand: as many as below w, except for 4231 in S_4."""
    for w in permutations(range(1, 5)):
        number = generators.inversion(w).count_chambers()
        assert number == len(below(w)) - 2 * (w == (4, 2, 3, 1))


def test_inversions_of_words() -> None:
    # the longest element, of even exponent h / 2 of a Coxeter element
    for name, word in (("B3", [1, 2, 3] * 3), ("D4", [1, 2, 3, 4] * 3), ("G2", [1, 2] * 3)):
        assert generators.inversion(word, kind=name) == generators.coxeter(name)
        assert generators.inversion(word * 2, kind=name).n_hyperplanes == 0  # the unit
    # s_1 s_2 takes alpha_2 and s_2 alpha_1 to negative roots; in S_3 it is 231, one-line
    assert generators.inversion([1, 2], kind="A2").normals.tolist() == [[0, 1], [1, 1]]
    assert generators.inversion([2, 3, 1]).normals.tolist() == [[1, 0, -1], [0, 1, -1]]


# ------------------------------------------------------------------ facets


def test_facet_arrangements() -> None:
    for d in (1, 2, 3, 4):
        simplex = generators.facet_arrangement([[0] * d, *np.eye(d, dtype=int).tolist()])
        assert simplex.count_chambers() == 2 ** (d + 1) - 1
        cube = generators.facet_arrangement(list(product((0, 1), repeat=d)))
        assert (cube.n_hyperplanes, cube.count_chambers()) == (2 * d, 3**d)
        unit = np.concatenate([np.eye(d, dtype=int), -np.eye(d, dtype=int)])
        cross = generators.facet_arrangement(unit)
        expected = {(*s, 1) for s in product((-1, 1), repeat=d)}
        assert cross.offsets is not None
        rows = np.column_stack([cross.normals, cross.offsets])
        assert set(map(tuple, rows.tolist())) == expected
    cell = generators.cell24().normals[:, 1:]
    assert generators.facet_arrangement(cell).n_hyperplanes == 24  # self-dual


@pytest.mark.parametrize("seed", range(6))
def test_facets_of_random_polytopes(seed: int) -> None:
    """Planes through three points with all others on one side; points inside change nothing."""
    rng = np.random.default_rng(seed)
    points = rng.integers(-2, 3, (9, 3))
    facets = set()
    for a, b, c in combinations(points, 3):
        normal = np.cross(b - a, c - a)
        values = (points - a) @ normal
        for sign in (1, -1):
            if normal.any() and (sign * values >= 0).all():
                row = sign * np.array([*normal, -normal @ a])
                facets.add(tuple((row // np.gcd.reduce(row)).tolist()))
    A = generators.facet_arrangement(points)
    assert A.offsets is not None
    rows = np.column_stack([A.normals, A.offsets])
    assert [tuple(row) for row in rows.tolist()] == sorted(facets)
    # the same from inequalities, with two that follow from the others and one repeated
    more = np.concatenate([rows[:1], rows, rows[:1] + rows[1:2], [[0, 0, 1, 99]]])
    again = generators.facet_arrangement(inequalities=(-more[:, :3], more[:, 3]))
    assert again.same_hyperplanes(A) and again.n_hyperplanes == A.n_hyperplanes
    assert (A.normals @ points.mean(axis=0) + A.offsets > 0).all()


def test_facets_of_unbounded_polyhedra() -> None:
    facets = generators.facet_arrangement
    strip = facets(inequalities=([[1, 0], [-1, 0], [2, 0]], [1, 0, 9]))
    assert strip.normals.tolist() == [[-1, 0], [1, 0]]
    assert facets(inequalities=([[1, 1]], [0.5])).offsets.tolist() == [1]
    assert facets(inequalities=([[0, 0]], [1])).n_hyperplanes == 0
    with pytest.raises(InputError, match="no interior point"):
        facets(inequalities=([[0, 0]], [-1]))
