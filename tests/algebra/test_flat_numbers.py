"""Tutte polynomials, Whitney numbers, exponents: against definitions and published values."""

from itertools import combinations
from math import comb

import networkx as nx
import numpy as np
import pytest
from sympy import Poly, symbols

from arrangements import (
    Arrangement,
    OrientedMatroid,
    betti_numbers,
    characteristic_polynomial,
    cone,
    count_chambers,
    generators,
)
from arrangements.algebra import (
    coboundary_polynomial,
    cocharacteristic_polynomial,
    doubly_indexed_whitney_numbers,
    exponents,
    mobius,
    nbc_bases,
    nbc_sets,
    primitive_eulerian_polynomial,
    tutte_polynomial,
)
from arrangements.errors import DegenerateArrangementError, InputError
from arrangements.exact import linear
from arrangements.structure import intersection_poset

x, y, z, q, t = symbols("x y z q t")
ARRANGEMENTS = [
    generators.braid(4),
    generators.shi(3),
    generators.semiorder(3),
    generators.generic(6, 3, 0),
    Arrangement(generators.generic(5, 2, 0).normals, [1, 2, 3, 5, 7]),
    Arrangement([[1, 0], [2, 0], [0, 1], [1, 1], [0, 0]], [0, 0, 0, -1, 1]),
    Arrangement([[1, 2, 3], [0, 1, 1]]),
    Arrangement(np.zeros((0, 2))),
]


def by_definition(A: Arrangement) -> Poly:
    """The sum over all sets of rows with a common point."""
    total = Poly(0, x, y)
    for k in range(len(A) + 1):
        for chosen in combinations(A.integer_rows, k):
            rank = linear.rank([row[:-1] for row in chosen])
            if linear.rank(list(chosen)) == rank:
                total += Poly((x - 1) ** (A.rank - rank) * (y - 1) ** (k - rank), x, y)
    return total


@pytest.mark.parametrize("A", ARRANGEMENTS, ids=str)
def test_tutte_polynomials_by_definition(A: Arrangement) -> None:
    T, r = tutte_polynomial(A), A.rank
    assert T == by_definition(A)
    assert T.eval((2, 0)) == count_chambers(A)
    other = sum(c * (q + t - 1) ** i * (t - 1) ** (r - i) * t**j for (i, j), c in T.terms())
    assert coboundary_polynomial(A) == Poly(other, q, t)
    chi = coboundary_polynomial(A).eval({t: 0}).as_expr().subs(q, t)
    assert characteristic_polynomial(A) == Poly(chi * t ** (A.dimension - r), t)


def test_tutte_polynomials_of_graphs() -> None:
    for graph in (nx.complete_graph(5), nx.cycle_graph(6), nx.wheel_graph(6), nx.diamond_graph()):
        found = tutte_polynomial(generators.graphical(graph))
        assert found == Poly(nx.tutte_polynomial(graph), x, y)


def test_published_tutte_polynomials() -> None:
    # Welsh, Complexity: Knots, Colorings and Counting, 1993: K4; Oxley, Matroid Theory: U(2, 4)
    k4 = x**3 + 3 * x**2 + 4 * x * y + 2 * x + y**3 + 3 * y**2 + 2 * y
    assert tutte_polynomial(generators.braid(4)) == Poly(k4, x, y)
    assert tutte_polynomial([[1, 0], [0, 1], [1, 1], [1, 2]]) == Poly(
        x**2 + 2 * x + 2 * y + y**2, x, y
    )
    # Oxley, Matroid Theory, p. 644, with the polynomial of Sage's manual: O7, a point freely added
    # to a line of M(K4)
    o7 = [*generators.braid(4).normals.tolist(), [1, 2, -3, 0]]
    assert tutte_polynomial(o7) == Poly(
        y**4 + x**3 + x * y**2 + 3 * y**3 + 4 * x**2 + 5 * x * y + 5 * y**2 + 4 * x + 4 * y, x, y
    )
    # Cayley's trees, forests (OEIS A001858) and connected graphs (OEIS A001187) on n nodes
    for n, trees, forests, connected in ((3, 3, 7, 4), (4, 16, 38, 38), (5, 125, 291, 728)):
        T = tutte_polynomial(generators.braid(n))
        assert [T.eval(p) for p in ((1, 1), (2, 1), (1, 2))] == [trees, forests, connected]
    # Sage's manual: the Petersen graph, with 2000 spanning trees (Biggs, Algebraic Graph Theory)
    T = tutte_polynomial(generators.graphical(nx.petersen_graph()))
    known = {x**9: 1, x**8: 6, x**7: 21, x**6: 56, x**5 * y: 12, y**6: 1, x**5: 114, x**4 * y: 70}
    known |= {x**3 * y**2: 30, x**2 * y**3: 15, x * y**4: 10}
    assert {term: T.coeff_monomial(term) for term in known} == known
    assert T.eval((1, 1)) == 2000
    # order of the Weyl group
    assert tutte_polynomial(generators.coxeter("E", 6)).eval((2, 0)) == 51840


@pytest.mark.parametrize(("n", "r"), [(4, 2), (6, 3), (7, 4)])
def test_uniform_matroids(n: int, r: int) -> None:
    # C. Merino, M. Ramirez-Ibanez, G. Rodriguez-Sanchez, Int. J. Comb. 2012, article 430859
    expected = sum(comb(n - i - 1, n - r - 1) * x**i for i in range(1, r + 1))
    expected += sum(comb(n - j - 1, r - 1) * y**j for j in range(1, n - r + 1))
    assert tutte_polynomial(generators.generic(n, r)) == Poly(expected, x, y)
    # listing flats gives the same as the formula
    M = OrientedMatroid.from_matrix(generators.generic(n, r))
    assert tutte_polynomial(OrientedMatroid.from_chirotope(n, r, M.chirotope)) == Poly(
        expected, x, y
    )


def test_coboundary_polynomial_counts_points() -> None:
    """Of a space over a field of 11 elements, by the number of hyperplanes through them."""
    A = generators.coxeter("B", 3)
    field = np.stack(np.meshgrid(*[np.arange(11)] * 3), axis=-1).reshape(-1, 3)
    on = ((field @ A.normals.T.astype(int)) % 11 == 0).sum(axis=1)
    found = Poly(coboundary_polynomial(A).as_expr().subs(q, 11), t)
    assert found.all_coeffs()[::-1] == np.bincount(on).tolist()


@pytest.mark.slow
def test_matroids() -> None:
    M = OrientedMatroid.from_matrix(generators.braid(4))
    bare = OrientedMatroid.from_chirotope(M.n, M.rank, M.chirotope)
    assert tutte_polynomial(bare) == tutte_polynomial(M) == tutte_polynomial(generators.braid(4))
    dual = tutte_polynomial(M.dual())
    assert {(j, i): c for (i, j), c in dual.terms()} == dict(tutte_polynomial(M).terms())
    assert str(bare.characteristic_polynomial().as_expr()) == "t**3 - 6*t**2 + 11*t - 6"
    assert M.characteristic_polynomial() == bare.characteristic_polynomial()
    loops = OrientedMatroid.from_matrix([[1, 0], [0, 0], [2, 0], [0, 1]])
    assert tutte_polynomial(loops) == Poly(x * y * (x + y), x, y)
    assert loops.characteristic_polynomial().is_zero
    for given in (loops, OrientedMatroid.from_chirotope(4, 2, loops.chirotope)):
        assert tutte_polynomial(given) == tutte_polynomial(loops)
        with pytest.raises(DegenerateArrangementError, match="are loops"):
            exponents(given)
        with pytest.raises(DegenerateArrangementError, match="are loops"):
            doubly_indexed_whitney_numbers(given)
    with pytest.raises(InputError, match="which has none"):
        tutte_polynomial(M, [1, 2])
    # Ringel's non-stretchable pseudolines have 1 + n + C(n, 2) chambers of the uniform matroid
    uniform = OrientedMatroid.from_chirotope(5, 3, "+" * 10)
    assert uniform.characteristic_polynomial().eval(-1) == -len(uniform.topes())


@pytest.mark.sampled(2)
@pytest.mark.parametrize("A", ARRANGEMENTS, ids=str)
def test_whitney_numbers_by_definition(A: Arrangement) -> None:
    P = nx.transitive_closure(intersection_poset(A), reflexive=True)
    ranks = nx.get_node_attributes(P, "rank")
    number = np.zeros((A.rank + 1, A.rank + 1), int)
    sums = np.zeros_like(number)
    for a in P:
        value = {a: 1}
        for b in P:  # in order of the ranks
            if b != a and P.has_edge(a, b):
                value[b] = -sum(value[c] for c in P.predecessors(b) if c in value and c != b)
        for b in value:
            number[ranks[a], ranks[b]] += 1
            sums[ranks[a], ranks[b]] += value[b]
            rows = [P.nodes[v]["hyperplanes"] for v in (a, b)]
            assert mobius(A, *rows) == value[b]
    assert doubly_indexed_whitney_numbers(A) == tuple(map(tuple, sums.tolist()))
    assert doubly_indexed_whitney_numbers(A, kind=2) == tuple(map(tuple, number.tolist()))


@pytest.mark.slow
def test_published_numbers_of_flats() -> None:
    # Sage's manual
    assert doubly_indexed_whitney_numbers(generators.shi(3)) == ((1, -6, 9), (0, 6, -15), (0, 0, 6))
    assert doubly_indexed_whitney_numbers(generators.shi(3), kind=2)[1:] == ((0, 6, 15), (0, 0, 6))
    assert doubly_indexed_whitney_numbers(generators.semiorder(3))[1][2] == -24
    # the partition lattice: Stanley, Enumerative Combinatorics 1, example 3.10.4
    assert [mobius(generators.braid(n), [], range(n - 1)) for n in (3, 4, 5)] == [2, -6, 24]
    assert mobius(generators.braid(5), [0], range(10)) == -6
    assert mobius(generators.braid(4), 0, 1) == 0
    with pytest.raises(InputError, match="no point"):
        mobius(generators.semiorder(3), [], [0, 3])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "known"),
    [
        # Bourbaki, Lie IV-VI, tables
        ("A4", (1, 2, 3, 4)),
        ("B4", (1, 3, 5, 7)),
        ("D4", (1, 3, 3, 5)),
        ("D5", (1, 3, 4, 5, 7)),
        ("E6", (1, 4, 5, 7, 8, 11)),
        ("E7", (1, 5, 7, 9, 11, 13, 17)),
        ("F4", (1, 5, 7, 11)),
        ("G2", (1, 5)),
    ],
)
def test_exponents_of_reflection_groups(name: str, known: tuple[int, ...]) -> None:
    assert exponents(generators.coxeter(name)) == known


def test_exponents() -> None:
    # Shi 1986 and Athanasiadis, Adv. Math. 122 (1996) 193-233
    assert exponents(generators.shi(5)) == exponents(generators.ish(5)) == (0, 5, 5, 5, 5)
    assert exponents(generators.catalan(4)) == (0, 5, 6, 7)
    assert exponents(cone(generators.shi(3)).arrangement) == (0, 1, 3, 3)
    # a cycle of four nodes: t (t - 1) (t^2 - 3 t + 3)
    assert exponents(generators.graphical(nx.cycle_graph(4))) is None
    assert exponents(np.zeros((0, 3))) == (0, 0, 0)


def test_published_eulerian_polynomials() -> None:
    # Sage's manual
    assert cocharacteristic_polynomial(np.eye(2, dtype=int)) == Poly(z**2 + 2 * z + 1, z)
    assert cocharacteristic_polynomial(generators.braid(3)) == Poly(2 * z**3 + 3 * z**2 + z, z)
    ask = primitive_eulerian_polynomial
    assert ask(np.eye(2, dtype=int)) == Poly(z**2, z)
    assert ask(generators.braid(3)) == Poly(z**2 + z, z)
    assert ask(cone(generators.shi("B2")).arrangement) == Poly(z**3 + 11 * z**2 + 4 * z, z)
    assert ask(generators.graphical(nx.cycle_graph(4))) == Poly(z**3 + 3 * z**2 - z, z)
    for k in range(2, 6):  # Bastidas, Hohlweg, Saliola, example 2.4
        assert ask([[1, i] for i in range(k)]) == Poly(z**2 + (k - 2) * z, z)
    assert ask([[1, 0], [0, 1]], [1, 2]) == Poly(z**2, z)
    with pytest.raises(InputError, match="no point"):
        ask(generators.semiorder(3))


@pytest.mark.parametrize("A", [*ARRANGEMENTS, generators.shi(4), generators.resonance(4)], ids=str)
def test_sets_without_broken_circuits(A: Arrangement) -> None:
    numbers = [len(set(nbc_sets(A, k))) for k in range(A.rank + 1)]
    assert tuple(numbers) == betti_numbers(A)
    bases = set(nbc_bases(A))
    for k in range(A.rank + 1):  # a set is in a basis, and its subsets have no broken circuits
        parts = {part for basis in bases for part in combinations(basis, k)}
        assert set(nbc_sets(A, k)) == parts
    with pytest.raises(InputError, match="to the rank"):
        nbc_sets(A, A.rank + 1)


def test_broken_circuits() -> None:
    # Orlik and Terao, Arrangements of Hyperplanes, section 3.1: x y (x + y) z
    A = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert sorted(nbc_sets(A, 2)) == [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)]
    assert sorted(nbc_bases(A)) == [(0, 1, 3), (0, 2, 3)]
    # equal hyperplanes are a circuit, parallel ones have no common point
    assert list(nbc_bases([[1, 0], [2, 0], [3, 0]], [1, 2, 5])) == [(0,), (2,)]


@pytest.mark.parametrize(
    "A",
    [
        generators.coxeter("D", 4),
        generators.braid(5),
        generators.generic(6, 3, 0),
        generators.boolean(3),
    ],
)
def test_polynomials_of_an_oriented_matroid_without_a_matrix(A):
    M = A.oriented_matroid()
    bare = OrientedMatroid.from_chirotope(M.n, M.rank, M.chirotope)
    shift, found = A.dimension - A.rank, exponents(A)
    assert exponents(bare) == (found if found is None else found[shift:])
    assert cocharacteristic_polynomial(bare) * Poly(z**shift, z) == cocharacteristic_polynomial(A)
    assert primitive_eulerian_polynomial(bare) == primitive_eulerian_polynomial(A)
    with pytest.raises(InputError, match="offsets or rank were given with an OrientedMatroid"):
        exponents(bare, rank=2)
