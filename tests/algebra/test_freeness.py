"""Supersolvable, free, formal, simplicial arrangements: published ones, and by definition."""

from math import comb

import networkx as nx
import numpy as np
import pytest

from arrangements import Arrangement, OrientedMatroid, cone, flats, generators, restriction
from arrangements.algebra import (
    exponents,
    freeness,
    inductive_chain,
    is_formal,
    is_free,
    is_inductively_free,
    is_reflection,
    is_supersolvable,
    minimal_generated_number,
    modular_chain,
)
from arrangements.algebra.derivations import satisfies_saito
from arrangements.errors import DegenerateArrangementError, InputError
from arrangements.exact import linear
from arrangements.structure import is_simplicial, product, simplicial_chambers, simplify


def coned(A: Arrangement) -> Arrangement:
    return cone(A).arrangement


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("A", "supersolvable", "inductive"),
    [
        # Barcelo, Ihrig, J. Algebraic Combin. 9 (1999): of irreducible reflection arrangements,
        # A, B and those of rank 2; Barakat, Cuntz, Adv. Math. 229 (2012): all are inductively free
        (generators.braid(5), True, True),
        (generators.type_b(4), True, True),
        (generators.coxeter("G2"), True, True),
        (generators.type_d(4), False, True),
        (generators.coxeter("D5"), False, True),
        (generators.coxeter("F4"), False, True),
        (generators.coxeter("E6"), False, True),
        # Stanley 1972: graphs are supersolvable if chordal, and otherwise not even free
        (generators.graphical(nx.cycle_graph(4)), False, False),
        (generators.graphical(nx.diamond_graph()), True, True),
        (generators.graphical(nx.path_graph(4)), True, True),
        # Athanasiadis, European J. Combin. 19 (1998): cones of Shi and Catalan arrangements
        (coned(generators.shi(3)), False, True),
        (coned(generators.catalan(4)), False, True),
        # Abe, Suyama, Tsujie, J. Combin. Theory Ser. A 146 (2017): Ish is supersolvable
        (coned(generators.ish(4)), True, True),
        (generators.generic(6, 3, 0), False, False),
    ],
    ids=str,
)
def test_published_properties(A: Arrangement, supersolvable: bool, inductive: bool) -> None:
    assert (is_supersolvable(A), is_inductively_free(A)) == (supersolvable, inductive)


def check_modular_chain(A: Arrangement) -> None:
    """The definition, for every flat."""
    chain = modular_chain(A)
    assert chain is not None
    F = flats(A)
    ranks = {frozenset(F[k]): int(r) for k, r in enumerate(F.ranks)}

    def join(X: frozenset[int], Y: frozenset[int]) -> int:
        return min(rank for Z, rank in ranks.items() if X | Y <= Z)

    sizes = [len({g[0] for g in A.parallel_classes} & set(X)) for X in chain]
    grown = sorted(b - a for a, b in zip(sizes, sizes[1:], strict=False))
    assert (*[0] * (A.dimension - A.rank), *grown) == exponents(A)
    for k, flat in enumerate(chain):
        X = frozenset(flat)
        assert ranks[X] == k
        assert all(k + r == join(X, Y) + ranks[X & Y] for Y, r in ranks.items())


def test_modular_chains() -> None:
    doubled = Arrangement([*generators.braid(4).normals.tolist(), [2, -2, 0, 0]])
    for A in (generators.braid(4), generators.type_b(3), coned(generators.ish(3)), doubled):
        check_modular_chain(A)
    M = OrientedMatroid.from_matrix(generators.braid(4))
    bare = OrientedMatroid.from_chirotope(M.n, M.rank, M.chirotope)
    assert is_supersolvable(bare) and modular_chain(M) == modular_chain(generators.braid(4))
    assert modular_chain(np.zeros((0, 2))) == ((),)
    with pytest.raises(InputError, match="expected a central one"):
        modular_chain(generators.shi(3))
    with pytest.raises(DegenerateArrangementError, match="are loops"):
        modular_chain(OrientedMatroid.from_matrix([[1, 0], [0, 0]]))


def has_modular_chain(A: Arrangement) -> bool:
    """By trying all chains of flats that are modular by definition."""
    F = flats(A)
    ranks = {frozenset(F[k]): int(r) for k, r in enumerate(F.ranks)}

    def join(X: frozenset[int], Y: frozenset[int]) -> int:
        return min(rank for Z, rank in ranks.items() if X | Y <= Z)

    modular = {
        X
        for X, k in ranks.items()
        if all(k + r == join(X, Y) + ranks[X & Y] for Y, r in ranks.items())
    }
    reached = {frozenset[int]()}
    for k in range(1, A.rank + 1):
        reached = {X for X in modular if ranks[X] == k and any(Y < X for Y in reached)}
    return bool(reached)


def test_modular_chains_are_found_if_there_are_any() -> None:
    rng, seen = np.random.default_rng(7), set()
    for _ in range(40):
        W = rng.integers(-1, 2, (int(rng.integers(3, 8)), 3))
        A = Arrangement(W[W.any(axis=1)])
        assert is_supersolvable(A) == has_modular_chain(A)
        if is_supersolvable(A):
            check_modular_chain(A)
        seen.add(is_supersolvable(A))
    assert seen == {False, True}


@pytest.mark.parametrize(
    "A",
    [
        generators.type_d(4),
        coned(generators.shi(3)),
        Arrangement([[1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0]]),
        Arrangement(np.zeros((0, 2))),
    ],
    ids=str,
)
def test_inductive_chains(A: Arrangement) -> None:
    """Each step, by the definition."""
    chain = inductive_chain(A)
    assert chain is not None and len(chain) == len(A.parallel_classes)
    for k, (row, after) in enumerate(chain):
        rows = [i for i, _ in chain[:k]]
        before = chain[k - 1][1] if k else (0,) * A.dimension
        trace = simplify(restriction(A[[*rows, row]], k).arrangement).arrangement
        assert is_inductively_free(trace)
        common = list(exponents(trace) or ())
        (last,) = [e for e in set(before) if sorted([*common, e]) == list(before)]
        assert sorted([*common, last + 1]) == list(after) == list(exponents(A[[*rows, row]]) or ())


def naive_module(rows: list[list[int]], degree: int) -> int:
    """Dimension of the derivations of a degree in three variables: f with f(w) = 0 where w . x = 0.

    A polynomial in the plane w . x = 0 vanishes if it does at enough of its points.
    """
    monomials = [m for m in np.ndindex(*[degree + 1] * 3) if sum(m) == degree]
    equations = []
    for row in rows:
        u, v = linear.nullspace([row], 3)
        for s in range(degree + 1):
            point = [a + s * b for a, b in zip(u, v, strict=True)]
            values = [point[0] ** i * point[1] ** j * point[2] ** k for i, j, k in monomials]
            equations.append([a * c for a in row for c in values])
    return 3 * len(monomials) - linear.rank(equations)


def test_free_or_not_in_rank_three() -> None:
    """Up to 8 planes are free if and only if they are inductively free.

    (Abe, Cuntz, Kawanoue, Nozawa, Discrete Math. 339 (2016).)
    """
    rng = np.random.default_rng(2)
    seen = {True: 0, False: 0}
    every = [w for w in np.ndindex(2, 3, 4) if any(w)]
    for _ in range(150):
        n = int(rng.integers(5, 9))
        rows = [list(every[i]) for i in rng.choice(len(every), n, replace=False)]
        table = np.array(rows) - [0, 1, 1]
        A = simplify(table[table.any(axis=1)]).arrangement
        if A.rank < 3 or exponents(A) is None:
            continue
        F = freeness(A)
        assert F.free == is_inductively_free(A)
        if not F:
            assert "other degrees" in F.reason and F.verify()
        else:
            assert F.verify() and F.basis is not None and F.exponents == exponents(A)
            normals = [list(row[:-1]) for row in A.integer_rows]
            for k in range(1, 4):
                size = sum(comb(k - e + 2, 2) for e in F.exponents if e <= k)
                assert naive_module(normals, k) == size
        seen[F.free is True] += 1
    assert seen[True] > 10 and seen[False] > 0


def test_bases_of_derivations() -> None:
    F = freeness(generators.type_b(3))
    assert F.basis is not None and F.verify() and F.exponents == (1, 3, 5)
    wrong = F.basis[:2] + F.basis[:1]
    rows = [r[:-1] for r in generators.type_b(3).integer_rows]
    assert not satisfies_saito(wrong, rows, [1] * len(rows))
    flat = freeness([[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0], [2, 2, 0, 0]])
    assert flat.verify() and flat.exponents == (0, 0, 1, 2)
    assert freeness(np.zeros((0, 2))).verify()


@pytest.mark.slow
def test_large_arrangements() -> None:
    F = freeness(generators.coxeter("E6").deletion([0]).arrangement)
    assert (F.free, F.reason, F.exponents) == (True, "inductively free", (1, 4, 5, 7, 8, 10))
    chordal = nx.complete_graph(9)
    chordal.remove_edge(0, 1)
    assert freeness(generators.graphical(chordal)).reason == "a chain of modular flats"
    A = product(generators.graphical(nx.cycle_graph(4)), generators.braid(3)).arrangement
    assert is_free(A) is False and is_free(generators.boolean(40)) is True


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "degrees"),
    [  # Humphreys, Reflection Groups and Coxeter Groups, table 3.1; the exponents are less by 1
        ("H4", (2, 12, 20, 30)),
        ("E6", (2, 5, 6, 8, 9, 12)),
        ("E7", (2, 6, 8, 10, 12, 14, 18)),
        ("E8", (2, 8, 12, 14, 18, 20, 24, 30)),
    ],
)
def test_reflection_arrangements_are_free(name: str, degrees: tuple[int, ...]) -> None:
    A = generators.coxeter(name)
    d = A.dimension
    shear = np.triu(np.random.default_rng(0).integers(-2, 3, (d, d)), 1) + np.eye(d, dtype=int)
    F = freeness(linear.matrix_product(A.normals.tolist(), shear.tolist()))
    assert (F.free, F.reason) == (True, "a reflection arrangement")
    assert F.exponents == tuple(e - 1 for e in degrees) and F.verify()


def test_localizations_decide() -> None:
    # Edelman, Reiner, Math. Z. 215 (1994): graphs are free if and only if they are chordal. This
    # one, K6 with an edge subdivided, has integer roots all the same (Read, 1975)
    graph = nx.complete_graph(6)
    graph.remove_edge(0, 1)
    graph.add_edges_from([(0, 6), (6, 1)])
    A = generators.graphical(graph)
    assert exponents(A) == (0, 1, 2, 3, 3, 3, 4) and not is_inductively_free(A)
    F = freeness(A)
    assert F.free is False and F.reason.startswith("the localization at rows") and F.verify()


def test_formal_arrangements() -> None:
    # Yuzvinsky 1993, example 2.2, as in Sage's manual: the same flats, but not both are formal
    rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [2, 1, 1], [2, 3, 1], [2, 3, 4]]
    A, B = [*rows, [3, 0, 5], [3, 4, 5]], [*rows, [1, 0, 3], [1, 2, 3]]
    assert (minimal_generated_number(A), minimal_generated_number(B)) == (3, 4)
    assert (is_formal(A), is_formal(B)) == (True, False)
    # Sage's manual: an inversion arrangement of type A4 whose roots are independent
    roots = [[0, 0, 0, 1], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1]]
    assert (minimal_generated_number(roots), is_formal(roots)) == (0, True)
    assert [minimal_generated_number(generators.generic(d + 1, d, 0)) for d in (2, 3, 4)] == [
        3,
        4,
        5,
    ]
    assert minimal_generated_number([[1, 0], [2, 0], [0, 1], [1, 1], [0, 3]]) == 3


def test_simplicial_arrangements() -> None:
    # Grünbaum, Ars Math. Contemp. 2 (2009): A(6, 1), A(7, 1), A(9, 1)
    a61, a71, a91 = generators.braid(4), generators.resonance(3), generators.type_b(3)
    assert is_simplicial(a61) and is_simplicial(a71) and is_simplicial(a91)
    # Sage's manual: the cone of the Shi arrangement of type B2 is not
    assert not is_simplicial(coned(generators.shi("B2")))
    lines = Arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, -1])
    for A in (generators.shi(3), generators.semiorder(3), lines, lines[:2], lines[1:]):
        assert is_simplicial(A) == simplicial_chambers(A).all()
    assert is_simplicial(np.zeros((0, 2))) and is_simplicial([[1, 0], [1, 0]], [0, 1])


def test_reflection_arrangements() -> None:
    rng = np.random.default_rng(0)
    for name in ("A3", "B4", "D4", "F4", "G2", "E6"):
        W = generators.coxeter(name).normals
        d = W.shape[1]
        shear = np.triu(rng.integers(-2, 3, (d, d)), 1) + np.eye(d, dtype=int)
        turned = (W @ shear)[rng.permutation(len(W))] * rng.choice([-2, 1, 3], (len(W), 1))
        assert is_reflection(turned)
        assert not is_reflection(turned[1:]) or name == "A3"
    assert is_reflection(product(generators.type_b(3), generators.braid(3)).arrangement)
    assert is_reflection(generators.boolean(3)) and is_reflection(np.zeros((0, 2)))
    assert not is_reflection(generators.resonance(3)) and not is_reflection(generators.resonance(4))
    # four lines are mirrors if their cross ratio is harmonic
    assert is_reflection([[1, 0], [0, 1], [1, 1], [1, -1]])
    assert not is_reflection([[1, 0], [0, 1], [1, 1], [1, 3]])
    assert is_reflection([[1, 0], [0, 1], [1, 1], [1, 2]])
