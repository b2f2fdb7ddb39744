"""Oriented matroids against definitions, published counts, duality and invariance."""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, factorial, nextafter

import naive
import naive_matroids as slow
import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

from arrangements import Arrangement, OrientedMatroid, SignVectors, chambers, generators
from arrangements.algebra import check_chirotope, same_oriented_matroid
from arrangements.errors import (
    DegenerateArrangementError,
    IncompleteError,
    InputError,
    TooLargeError,
)
from arrangements.sets import ternary

F = Fraction
MATRICES = {
    "one loop": [[0]],
    "loops": [[0, 0], [1, 2], [0, 0], [3, 4], [1, 1]],
    "parallel and antiparallel": [[1, 2], [-2, -4], [0, 1], [3, 6], [0, -1]],
    "coloop": [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 5]],
    "independent": [[1, 2, 3], [0, 1, 4], [0, 0, 1]],
    "rank below both": [[1, 1, 2], [2, 2, 4], [1, 0, 1], [0, 1, 1], [3, 1, 4]],
    "more columns than rows": [[1, 2, 3, 4], [0, 1, 0, -1]],
    "fractions": [[F(1, 3), F(1, 2)], [F(2, 3), 1], [F(-1, 7), 3]],
    "huge and tiny": [[1e300, 1.0], [1e-300, 1.0], [1.0, 1e300], [-1e300, 1e-300]],
    "one ulp": [[1.0, 0.1], [1.0, nextafter(0.1, 1.0)], [3.0, 0.3], [10.0, 1.0]],
    "wide integers": [[2**70, 2**70 + 1, 1], [2**70, 2**70, 1], [1, 1, 0], [1, 0, 0], [0, 0, 1]],
    "braid(4)": generators.braid(4).normals,
    "K4 less an edge": generators.braid(4).normals[:5],
    "resonance(2) twice": np.concatenate([generators.resonance(2)] * 2),
    "generic rank 3": generators.generic(6, 3, 1).normals,
    "generic rank 4": generators.generic(6, 4, 2).normals,
    "square": [[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [2, 1, 1]],
}

# Near-ties look like rounded products, which the library says.
pytestmark = pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")


def rows(array):
    """Sign vectors as a set of tuples, having checked that the order is the promised one."""
    listed = list(map(tuple, array.tolist()))
    assert array.dtype == np.int8 and listed == sorted(set(listed))
    assert np.array_equal(array[::-1], -array)
    return set(listed)


def of(W):
    return OrientedMatroid.from_matrix(W)


# ------------------------------------------------------------------ from the definitions


@pytest.mark.sampled(8)
@pytest.mark.parametrize("W", MATRICES.values(), ids=list(MATRICES))
def test_definitions(W):
    M = of(W)
    n, r = len(W), slow.rank(W)
    assert (M.n, M.rank) == (n, r)
    covectors, vectors = slow.covectors(W), slow.vectors(W)
    assert rows(M.covectors()) == covectors
    assert rows(M.vectors()) == vectors
    assert rows(M.cocircuits()) == slow.minimal(covectors)
    assert rows(M.circuits()) == slow.minimal(vectors)
    assert M.loops == tuple(i for i in range(n) if not any(W[i]))
    assert M.coloops == tuple(i for i in range(n) if all(x[i] == 0 for x in vectors))
    assert M.is_acyclic == ((1,) * n in covectors)
    assert M.is_totally_cyclic == ((1,) * n in vectors)
    assert M.is_uniform == all(slow.rank([W[i] for i in b]) == r for b in combinations(range(n), r))
    # two elements are parallel iff their signs are equal, or opposite, in all covectors
    sides = {(i, j): {x[i] * x[j] for x in covectors} - {0} for i in range(n) for j in range(n)}
    same = {(i, j) for i, j in sides if {x[i] == 0 for x in covectors if x[j] == 0} == {True}}
    classes = {
        tuple(j for j in range(n) if (i, j) in same and (j, i) in same)
        for i in set(range(n)) - set(M.loops)
    }
    assert set(M.parallel_classes) == classes
    assert M.parallel_classes == tuple(sorted(M.parallel_classes))
    for group in M.parallel_classes:
        assert all(sides[group[0], j] == {int(M.parallel_signs[j])} for j in group)
    if not M.loops:
        topes = {x for x in covectors if all(x)}
        assert {tuple(x) for x in M.topes().to_array().tolist()} == topes
        listed = OrientedMatroid.from_chirotope(n, r, M.chirotope).topes()  # without the matrix
        assert {tuple(x) for x in listed.to_array().tolist()} == topes


@pytest.mark.parametrize("W", MATRICES.values(), ids=list(MATRICES))
def test_chirotope_is_signs_of_minors(W):
    M, exact = of(W), slow.exact(W)
    if M.rank == len(exact[0]):
        minors = [slow.determinant([exact[i] for i in b]) for b in combinations(range(M.n), M.rank)]
        assert M.chirotope.tolist() == [slow.sign(minor) for minor in minors]
    else:
        assert M.chirotope[np.flatnonzero(M.chirotope)[0]] == 1
    bases = [slow.rank([W[i] for i in b]) == M.rank for b in combinations(range(M.n), M.rank)]
    assert (M.chirotope != 0).tolist() == bases
    for elements in product(range(min(M.n, 4)), repeat=M.rank):
        chi = slow.alternating(M.n, M.rank, M.chirotope.tolist())
        assert M.sign(elements) == chi(elements)


@pytest.mark.slow
@given(strategies.matrices(max_rows=7, max_columns=3))
def test_all_kinds_of_numbers(W):
    M, exact = of(W), slow.exact(W)
    if M.rank == len(exact[0]):
        minors = [slow.determinant([exact[i] for i in b]) for b in combinations(range(M.n), M.rank)]
        assert M.chirotope.tolist() == [slow.sign(minor) for minor in minors]
    assert check_chirotope(M.n, M.rank, M.chirotope)


def test_every_way_of_computing_minors():
    """int64, floats, and residues where floats are undecided, agree; high rank goes by the dual."""
    braid = generators.braid(6).normals
    scaled = braid * np.array([1.0, 3e80, 1e-80, 0.1, 7.0, 1.0])[None, :]
    assert of(braid @ np.diag(np.arange(1, 7))) == of(scaled)
    assert of(braid).chirotope.size - np.count_nonzero(of(braid).chirotope) == comb(15, 5) - 6**4
    W = generators.generic(9, 7, 3, kind="integer").normals
    exact = slow.exact(W)
    for place, basis in list(enumerate(combinations(range(9), 7)))[::7]:
        assert of(W).chirotope[place] == slow.sign(fraction_free([exact[i] for i in basis]))


def fraction_free(rows):
    """Determinant by elimination."""
    total = F(1)
    while rows:
        pivot = next((i for i, row in enumerate(rows) if row[0]), None)
        if pivot is None:
            return F(0)
        rows = [rows[pivot], *rows[:pivot], *rows[pivot + 1 :]]
        total *= rows[0][0] * (-1) ** pivot
        rows = [
            [b - row[0] / rows[0][0] * a for a, b in zip(rows[0][1:], row[1:], strict=True)]
            for row in rows[1:]
        ]
    return total


# ------------------------------------------------------------------ axioms


SMALL = st.lists(
    st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=1, max_size=6
)  # zero rows included


@given(SMALL)
def test_circuits_and_covectors(W):
    M = of(W)
    circuits, cocircuits = rows(M.circuits()), rows(M.cocircuits())
    covectors, vectors = rows(M.covectors()), rows(M.vectors())
    for circuit in circuits:
        assert all(slow.orthogonal(circuit, x) for x in covectors)
    for cocircuit in cocircuits:
        assert all(slow.orthogonal(cocircuit, x) for x in vectors)
    for family in (circuits, cocircuits):
        for x, y in combinations(family, 2):
            # no support inside another; elimination of an element separated
            if {i for i in range(M.n) if x[i]} == {i for i in range(M.n) if y[i]}:
                assert x == tuple(-s for s in y)
            for e in (i for i in range(M.n) if x[i] * y[i] < 0):
                assert any(
                    z[e] == 0
                    and all(s == 0 or s in (a, b) for s, a, b in zip(z, x, y, strict=True))
                    for z in family
                ) or x == tuple(-s for s in y)
    for family in (covectors, vectors):
        assert all(slow.compose(x, y) in family for x in family for y in family)


@settings(max_examples=25)
@given(SMALL.filter(lambda W: len(W) <= 5))
def test_covectors_are_the_sign_vectors_orthogonal_to_circuits(W):
    M = of(W)
    circuits = rows(M.circuits())
    every = product((-1, 0, 1), repeat=M.n)
    assert rows(M.covectors()) == {
        x for x in every if all(slow.orthogonal(x, circuit) for circuit in circuits)
    }
    assert slow.are_covectors(rows(M.vectors()), M.n)


@given(SMALL, st.data())
def test_minors(W, data):
    M = of(W)
    gone = data.draw(st.sets(st.integers(0, M.n - 1)))
    kept = [i for i in range(M.n) if i not in gone]
    covectors = rows(M.covectors())
    deletion, contraction = M.deletion(gone), M.contraction(gone)
    assert rows(deletion.covectors()) == {tuple(x[i] for i in kept) for x in covectors}
    assert rows(contraction.covectors()) == {
        tuple(x[i] for i in kept) for x in covectors if not any(x[i] for i in gone)
    }
    assert M.dual().deletion(gone).dual() == contraction
    assert M.dual().dual() == M and hash(M.dual().dual()) == hash(M)
    if kept:
        assert deletion == of([W[i] for i in kept])
        assert np.array_equal(deletion.matrix, [W[i] for i in kept])


@given(SMALL, st.data())
def test_reorientation_and_relabeling(W, data):
    M = of(W)
    gone = data.draw(st.sets(st.integers(0, M.n - 1)))
    order = data.draw(st.permutations(range(M.n)))
    factors = [-1 if i in gone else 1 for i in range(M.n)]
    turned, moved = M.reorientation(gone), M.relabeling(order)
    assert turned == of(np.array(W) * np.array(factors)[:, None])
    assert turned == of(turned.matrix) and moved == of(moved.matrix)
    assert moved == of([W[i] for i in order])
    assert M.dual().reorientation(gone) == turned.dual()
    assert M.dual().relabeling(order) == moved.dual()
    assert (turned == M) == np.array_equal(turned.covectors(), M.covectors())


# ------------------------------------------------------------------ counts


@pytest.mark.parametrize(("n", "r"), [(4, 1), (7, 2), (8, 3), (7, 4), (6, 6), (8, 5)])
def test_uniform_counts(n, r):
    M = of(generators.generic(n, r, n + r))
    assert M.is_uniform
    assert len(M.cocircuits()) == 2 * comb(n, r - 1)
    assert len(M.circuits()) == 2 * comb(n, r + 1)
    assert len(M.topes()) == naive.generic_count(n, r)
    # faces with a given zero set of k elements: the chambers of a generic arrangement there
    faces = sum(comb(n, k) * naive.generic_count(n - k, r - k) for k in range(r))
    assert len(M.covectors()) == 1 + faces
    dual = M.dual()
    assert dual.is_uniform and dual.rank == n - r


def test_published_counts():
    braid, type_b = of(generators.braid(4)), of(generators.type_b(3))
    # weak orders of 4 items (Fubini); splits into two blocks; cycles of K4 in two directions
    assert len(braid.covectors()) == 75 and len(braid.cocircuits()) == 2**4 - 2
    assert len(braid.circuits()) == 2 * (4 + 3) and len(braid.topes()) == 24
    assert np.count_nonzero(braid.chirotope) == 16  # spanning trees
    # faces of the type B Coxeter complex: 1 + 26 + 72 + 48
    assert len(type_b.covectors()) == 147 and len(type_b.cocircuits()) == 3**3 - 1
    assert len(type_b.topes()) == 48
    assert len(of(generators.braid(5)).covectors()) == 541


@pytest.mark.parametrize(
    "W",
    [generators.generic(14, 4, 0), generators.resonance(4), generators.type_d(4)],
    ids=["generic", "resonance(4)", "type_d(4)"],
)
def test_against_the_sweep(W):
    """Topes from the chirotope alone are the chambers, and faces have the sum that cells have."""
    M = of(W)
    alone = OrientedMatroid.from_chirotope(M.n, M.rank, M.chirotope)
    S = chambers(W)
    assert alone.topes() == S and OrientedMatroid.from_chambers(S) == M
    assert euler(M) == (-1) ** M.rank  # faces are open cells, and together all of R^rank


def euler(M):
    """Sum of (-1)^dim over the covectors, dim = rank - rank of the zero set."""
    total = 0
    ranks: dict[bytes, int] = {}
    for zero in M.covectors() == 0:
        key = zero.tobytes()
        if key not in ranks:
            ranks[key] = M.deletion(np.flatnonzero(~zero).tolist()).rank
        total += (-1) ** (M.rank - ranks[key])
    return total


def test_many_elements():
    """More signs than one word of balanced ternary holds."""
    M = of(generators.generic(85, 2, 0))
    assert len(M.covectors()) == 4 * 85 + 1 and len(M.cocircuits()) == 170
    assert rows(M.cocircuits()) <= rows(M.covectors())
    assert OrientedMatroid.from_chambers(M.topes()) == M
    without_matrix = OrientedMatroid.from_chirotope(85, 2, M.chirotope)
    assert without_matrix.topes() == M.topes()


@pytest.mark.parametrize("n", [0, 1, 39, 40, 41, 85])
def test_ternary(n):
    signs = np.random.default_rng(n).integers(-1, 2, (50, n)).astype(np.int8)
    signs[0], signs[1] = -1, 1
    codes = ternary.encode(signs)
    assert np.array_equal(ternary.decode(codes, n), signs)
    assert np.array_equal(ternary.encode(-signs), -codes)
    assert [tuple(c) for c in ternary.decode(ternary.distinct(codes), n).tolist()] == sorted(
        {tuple(row) for row in signs.tolist()}
    )
    for row in ternary.decode(ternary.positive(codes), n).tolist():
        assert next((s for s in row if s), 1) == 1


# ------------------------------------------------------------------ chirotope axioms


def pappus():
    """Nine points, rows (x, y, 1), and the nine collinear triples of Pappus."""
    a, b = [(0, 0), (4, 0), (12, 0)], [(0, 4), (4, 6), (8, 8)]

    def meet(p, q, s, t):
        line = [np.cross((*p, 1), (*q, 1)), np.cross((*s, 1), (*t, 1))]
        return np.cross(*line)

    crossings = {(i, j): meet(a[i], b[j], a[j], b[i]) for i, j in combinations(range(3), 2)}
    points = [(*p, 1) for p in a + b] + [tuple(crossings[ij].tolist()) for ij in crossings]
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
    for k, (i, j) in enumerate(crossings):
        lines += [(i, 3 + j, 6 + k), (j, 3 + i, 6 + k)]
    return points, sorted(tuple(sorted(line)) for line in lines)


def test_non_pappus_is_a_chirotope():
    """Realizable but for one triple, and that one cannot be: Pappus forces it to be collinear."""
    points, lines = pappus()
    M = of(points)
    dependent = np.flatnonzero(M.chirotope == 0)
    assert [t for t in combinations(range(9), 3) if M.sign(t) == 0] == lines and len(lines) == 9
    place = list(combinations(range(9), 3)).index((6, 7, 8))
    assert place in dependent
    found = []
    for sign in (-1, 1):
        values = M.chirotope.copy()
        values[place] = sign
        N = OrientedMatroid.from_chirotope(9, 3, values)
        assert N != M and N.matrix is None and check_chirotope(9, 6, N.dual().chirotope)
        # 8 lines of three points: V = 36 - 8 * 2 vertices; chambers of lines in the plane by Euler
        vertices = comb(9, 2) - 2 * 8
        assert len(N.cocircuits()) == 2 * vertices
        assert len(N.topes()) == 2 * (1 + sum([1] * (comb(9, 2) - 3 * 8) + [2] * 8))
        assert OrientedMatroid.from_chambers(N.topes()) == N
        assert slow.orthogonal(tuple(N.circuits()[0]), tuple(N.covectors()[7]))
        found.append(N)
    assert found[0] != found[1]
    assert not found[0].is_isomorphic(M)


def test_a_broken_sign_is_found():
    M = of(generators.generic(7, 3, 0))
    broken = 0
    for place in range(comb(7, 3)):
        values = M.chirotope.copy()
        values[place] *= -1
        check = check_chirotope(7, 3, values)
        broken += not check
        if not check:
            assert check.axiom == "three-term"
            chi = slow.alternating(7, 3, values.tolist())
            ab, cd, ac, bd, ad, bc = (chi(subset) for subset in check.subsets)
            assert check.signs == (ab, cd, ac, bd, ad, bc)
            terms = {ab * cd, -ac * bd, ad * bc} - {0}
            assert len(terms) == 1
            with pytest.raises(InputError, match="three-term Grassmann-Plucker relation"):
                OrientedMatroid.from_chirotope(7, 3, values)
    # a triangle of the pseudoline arrangement can be flipped: there are at least 7 of them
    assert 0 < broken <= comb(7, 3) - 7


def test_axioms_against_the_definition():
    for values in product((-1, 0, 1), repeat=6):
        assert bool(check_chirotope(4, 2, values)) == slow.is_chirotope(4, 2, values)
    for values in product((-1, 0, 1), repeat=4):
        assert bool(check_chirotope(4, 3, values)) == slow.is_chirotope(4, 3, values)
        assert bool(check_chirotope(4, 1, values)) == slow.is_chirotope(4, 1, values)


@settings(max_examples=30)
@given(st.data())
def test_axioms_in_rank_3(data):
    """Signs of vectors with a few of them changed."""
    entry = st.lists(st.integers(-1, 1), min_size=3, max_size=3)
    W = data.draw(st.lists(entry, min_size=5, max_size=5))
    values = [slow.sign(slow.determinant([W[i] for i in b])) for b in combinations(range(5), 3)]
    for place in data.draw(st.lists(st.integers(0, 9), max_size=2)):
        values[place] = data.draw(st.integers(-1, 1))
    assert bool(check_chirotope(5, 3, values)) == slow.is_chirotope(5, 3, values)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("n", "r"), [(4, 2), (5, 2), (5, 3)])
def test_number_of_uniform_chirotopes(n, r):
    """Of rank 2: n lines in some order, each with an orientation; rank 3 on 5 is dual to it."""
    every = product((-1, 1), repeat=comb(n, r))
    count = sum(bool(check_chirotope(n, r, values)) for values in every)
    assert count == factorial(n - 1) * 2 ** (n - 1)


def test_exchange_violation():
    values = {(0, 1): 1, (2, 3): 1}
    check = check_chirotope(4, 2, values)
    assert check.axiom == "exchange" and sorted(check.subsets) == [(0, 1), (2, 3)]
    assert "no element of the second can take the place" in check.reason
    with pytest.raises(InputError, match="basis exchange fails"):
        OrientedMatroid.from_chirotope(4, 2, values)
    assert check_chirotope(3, 2, [0, 0, 0]).axiom == "nonzero"


def test_mappings():
    M = OrientedMatroid.from_chirotope(3, 2, {(1, 0): -1, (2, 1): -1, (0, 2): 1, (2, 0): -1})
    assert M == of([[1, 0], [0, 1], [-1, 1]])
    assert OrientedMatroid.from_chirotope(2, 0, [-1]) == of([[0], [0]])
    assert OrientedMatroid.from_chirotope(3, 2, "++-") == of([[1, 0], [0, 1], [1, 1]])
    with pytest.raises(InputError, match="0 is not made of 1 distinct elements below 3"):
        OrientedMatroid.from_chirotope(3, 1, {0: 1})


@pytest.mark.parametrize("n", [5, 64, 65, 70, 129])
def test_the_one_broken_relation_is_found_wherever_it_is(n):
    """All signs + is alternating; in rank 2 a flipped sign (i, j) leaves no order of n lines."""
    pairs = list(combinations(range(n), 2))
    for pair in [(0, 2), (1, n - 2), (n - 4, n - 2), (0, n - 2), (1, n - 1), (n - 3, n - 1)]:
        values = np.ones(len(pairs), np.int8)
        values[pairs.index(pair)] = -1
        check = check_chirotope(n, 2, values)
        assert check.axiom == "three-term" and pair in check.subsets
        ab, cd, ac, bd, ad, bc = check.signs
        assert abs(ab * cd - ac * bd + ad * bc) in (1, 3)
    assert check_chirotope(n, 2, np.ones(len(pairs), np.int8))


def test_things_that_are_no_oriented_matroids():
    A = Arrangement([[1, 0], [0, 1]])
    with pytest.raises(InputError, match="pass chambers"):
        OrientedMatroid.from_chambers(A)
    with pytest.raises(InputError, match="topes is .*expected rows of one length"):
        OrientedMatroid.from_chambers([[1], [1, -1]])
    with pytest.raises(InputError, match="expected an OrientedMatroid"):
        of(A).isomorphism(A)
    with pytest.raises(InputError, match=r"Pass its cone, A\.cone\(\)"):
        of(Arrangement([[1]], [1]))


def test_one_element_may_stand_for_itself_and_masks_are_refused():
    M = of([[1, 0], [0, 1], [1, 1]])
    assert M.deletion(1) == M.deletion([1]) and M.contraction(1) == M.contraction([1])
    assert M.reorientation(2) == M.reorientation([2])
    for method in (M.deletion, M.contraction, M.reorientation):
        with pytest.raises(InputError, match="an element is .*; expected an integer from 0 to 2"):
            method([True, False, False])


# ------------------------------------------------------------------ from topes


@pytest.mark.sampled(8)
@pytest.mark.parametrize("W", MATRICES.values(), ids=list(MATRICES))
def test_from_chambers(W):
    M = of(W)
    covectors = M.covectors()
    topes = covectors[(covectors != 0).sum(axis=1) == (covectors != 0).sum(axis=1).max()]
    order = np.random.default_rng(0).permutation(len(topes))
    assert OrientedMatroid.from_chambers(topes[order]) == M
    if not M.loops:
        assert OrientedMatroid.from_chambers(M.topes()) == M


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_which_sets_are_sets_of_topes(n):
    """All sets of sign vectors closed under negation, against the covector axioms."""
    half = [(1, *rest) for rest in product((-1, 1), repeat=n - 1)]
    accepted = 0
    for bits in range(1, 2 ** len(half)):
        chosen = [half[i] for i in range(len(half)) if bits >> i & 1]
        topes = {*chosen, *(tuple(-s for s in t) for t in chosen)}
        L = slow.covectors_of_topes(topes, n)
        valid = {x for x in L if all(x)} == topes and slow.are_covectors(L, n)
        try:
            M = OrientedMatroid.from_chambers(sorted(topes))
        except InputError as error:
            assert not valid and "these are not the topes of an oriented matroid" in str(error)
        else:
            assert valid and rows(M.covectors()) == L
            accepted += 1
    # n = 4, by rank and number of parallel classes: 8; 28 + 48 + 24; 12 + 8 + 16; 1
    assert accepted == {1: 1, 2: 3, 3: 15, 4: 145}[n]


def test_not_topes():
    square = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    with pytest.raises(InputError, match="its negative is not"):
        OrientedMatroid.from_chambers(square[:3])
    with pytest.raises(InputError, match="there are none"):
        OrientedMatroid.from_chambers(np.zeros((0, 2)))
    with pytest.raises(InputError, match="element 1 is zero in some"):
        OrientedMatroid.from_chambers([[1, 0], [-1, 1], [1, -1], [-1, 0]])
    with pytest.raises(InputError, match=r"topes\[0, 0\] is 2"):
        OrientedMatroid.from_chambers([[2, 1]])
    with pytest.raises(InputError, match=r"shape \(2,\)"):
        OrientedMatroid.from_chambers([1, 1])
    with pytest.raises(IncompleteError, match="cut short"):
        OrientedMatroid.from_chambers(chambers(np.eye(3), limit=4))
    S = chambers(generators.generic(7, 3, 0)).to_array()
    for i in range(0, len(S) // 2, 5):
        missing = [row for row in S.tolist() if row not in (S[i].tolist(), (-S[i]).tolist())]
        with pytest.raises(InputError, match="not the topes of an oriented matroid"):
            OrientedMatroid.from_chambers(missing)
    assert OrientedMatroid.from_chambers(SignVectors.from_array(S)) == of(
        generators.generic(7, 3, 0)
    )


# ------------------------------------------------------------------ isomorphism


@given(SMALL, st.data())
def test_isomorphic_after_relabeling_and_reorientation(W, data):
    M = of(W)
    order = data.draw(st.permutations(range(M.n)))
    N = M.reorientation(data.draw(st.sets(st.integers(0, M.n - 1)))).relabeling(order)
    f = M.isomorphism(N)
    assert N.relabeling(f.relabeling).reorientation(f.reorientation) == M
    assert M.dual().is_isomorphic(N.dual())


@settings(max_examples=20)
@given(st.data())
def test_isomorphism_against_all_relabelings(data):
    entry = st.lists(st.integers(-1, 1), min_size=3, max_size=3)
    M, N = (of(data.draw(st.lists(entry, min_size=4, max_size=4))) for _ in range(2))
    wanted, given_ = rows(M.covectors()), rows(N.covectors())
    found = any(
        {tuple(s * x[i] for s, i in zip(factors, order, strict=True)) for x in given_} == wanted
        for order in permutations(range(4))
        for factors in product((1,), *[(-1, 1)] * 3)
    )
    assert M.is_isomorphic(N) == found


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("n", "r", "samples", "classes"), [(5, 3, 30, 1), (6, 3, 60, 4), (6, 4, 20, 1), (7, 4, 100, 11)]
)
def test_classes_of_uniform_oriented_matroids(n, r, samples, classes):
    """Simple arrangements of n pseudolines: 1, 4, 11 for n = 5, 6, 7; rank 4 on 7 is dual to it."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(samples):
        M = of(generators.generic(n, r, rng))
        if not any(M.is_isomorphic(N) for N in found):
            found.append(M)
    assert len(found) == classes


def test_not_isomorphic():
    uniform = of(generators.generic(6, 3, 0))
    assert not uniform.is_isomorphic(of(generators.braid(4)))
    assert not uniform.is_isomorphic(of(generators.generic(6, 2, 0)))
    assert not of([[1, 0], [0, 1]]).is_isomorphic(of([[1, 0], [0, 0]]))
    big = of(np.eye(12, dtype=int))
    assert big.isomorphism(big.reorientation([3])).relabeling is not None


# ------------------------------------------------------------------ two matrices


@pytest.mark.slow
@given(SMALL, st.data())
def test_same_oriented_matroid(W, data):
    G = data.draw(strategies.invertible(3))
    scale = data.draw(st.lists(st.integers(1, 5), min_size=len(W), max_size=len(W)))
    other = np.array(scale)[:, None] * (np.array(W) @ np.array(G))
    same = same_oriented_matroid(W, other)
    assert same and same.verify() and repr(same) == "OrientedMatroidComparison(same)"
    changed = np.array(W)
    changed[data.draw(st.integers(0, len(W) - 1))] = data.draw(
        st.lists(st.integers(-2, 2), min_size=3, max_size=3)
    )
    answer = same_oriented_matroid(W, changed)
    assert answer.verify()
    assert bool(answer) == (slow.covectors(W) == slow.covectors(changed))
    if answer.cocircuit is not None:
        assert answer.cocircuit in slow.covectors(W) - slow.covectors(changed)


def test_two_configurations_with_one_oriented_matroid():
    """Five points whose linear rankings differ (Bjorner et al., section 1.10)."""
    W1 = [(1, 0, 0), (1, 10, 1), (1, 9, 5), (1, 1, 3), (1, 2, 2)]
    W2 = [*W1[:2], (1, 9, 3), *W1[3:]]
    same = same_oriented_matroid(W1, W2)
    assert same and same.verify()
    # the last point leaves the triangle of points 0, 1 and 3
    other = same_oriented_matroid(W1, [*W1[:4], (1, 0, 1)])
    assert not other and other.verify() and other.bases is not None


def test_certificates_can_fail():
    from dataclasses import replace

    answer = same_oriented_matroid(np.eye(2), [[1, 0], [0, -1]])
    assert answer and answer.verify()  # rank 2 on 2 elements: one basis, one sign for all
    turned = same_oriented_matroid([[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 1], [1, -1]])
    assert turned.verify() and not replace(turned, same=True).verify()
    assert not replace(turned, cocircuit=(0, 1, -1)).verify()
    assert not replace(turned, bases=((0, 1), (1, 2))).verify()
    assert not replace(turned, bases=None).verify()
    rank = same_oriented_matroid([[1, 0], [0, 1]], [[1, 2], [2, 4]])
    assert rank.independent == (0, 1) and rank.verify()
    assert not replace(rank, independent=(0,)).verify()
    assert not replace(rank, same=True).verify()
    basis = same_oriented_matroid([[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 1], [1, 0]])
    assert basis.independent == (0, 2) and basis.verify()
    ulp = same_oriented_matroid([[1.0, 0.1], [1.0, 0.1]], [[1.0, 0.1], [1.0, nextafter(0.1, 1)]])
    assert ulp.independent == (0, 1) and ulp.verify()


# ------------------------------------------------------------------ edges


def test_no_elements_and_no_rank():
    empty = of(np.empty((0, 3)))
    assert (empty.n, empty.rank, empty.chirotope.tolist()) == (0, 0, [1])
    assert empty.covectors().shape == (1, 0) and empty.cocircuits().shape == (0, 0)
    assert len(empty.topes()) == 1 and empty.is_acyclic and empty.is_totally_cyclic
    assert empty.dual() == empty and OrientedMatroid.from_chambers(np.zeros((1, 0))) == empty
    assert empty.is_isomorphic(empty)
    zero = of([[0, 0], [0, 0]])
    assert zero.loops == (0, 1) and zero.coloops == () and zero.parallel_classes == ()
    assert zero.covectors().tolist() == [[0, 0]] and zero.is_totally_cyclic
    assert not zero.is_acyclic and zero.dual().coloops == (0, 1)
    assert OrientedMatroid.from_chambers([[0, 0]]) == zero and zero.is_isomorphic(zero)
    assert len(zero.vectors()) == 9 and zero.deletion([0]).n == 1


def test_topes_have_witnesses():
    M = of(generators.braid(4)).deletion([2]).reorientation([0])
    S = M.topes()
    point = S.witness(0)
    assert naive.signs_at(M.matrix, None, point) == tuple(S[0].tolist())
    assert of(Arrangement(generators.braid(3))) == of(generators.braid(3))


def test_chirotope_is_read_only():
    M = of([[1, 0], [0, 1]])
    with pytest.raises(ValueError, match="read-only"):
        M.chirotope[0] = 0
    assert M != "M" and repr(of([[1]])) == "OrientedMatroid(1 element, rank 1)"


def test_errors(monkeypatch):
    with pytest.raises(InputError, match="expected a central one"):
        of(Arrangement([[1, 0]], [1]))
    with pytest.raises(InputError, match="W1 has 1 rows and W2 has 2"):
        same_oriented_matroid([[1]], [[1], [2]])
    with pytest.raises(DegenerateArrangementError, match=r"elements \(1,\) are loops"):
        of([[1], [0]]).topes()
    M = of([[1, 0], [0, 1], [1, 1]])
    for wrong in (lambda: M.deletion([3]), lambda: M.contraction([-1]), lambda: M.sign([0, "a"])):
        with pytest.raises(InputError, match="an element is .*; expected an integer from 0 to 2"):
            wrong()
    with pytest.raises(InputError, match="expected 2, the rank"):
        M.sign([0])
    with pytest.raises(InputError, match="expected a permutation"):
        M.relabeling([0, 0, 1])
    for n, r, values, message in [
        (3, 2, [1, 1], r"shape \(2,\); expected \(3,\)"),
        (3, 2, [1, 1, 2], r"values\[2\] is 2"),
        (3, 4, [], "rank is 4; expected an integer from 0 to n, 3"),
        ("3", 2, [1, 1, 1], "n is '3'; expected an integer of at least 0"),
        (3, 2, {(0, 3): 1}, "not made of 2 distinct elements below 3"),
        (3, 2, {(0, 1): 5}, "expected -1, 0 or 1"),
        (3, 2, {(0, 1): 1, (1, 0): 1}, "contradict each other"),
    ]:
        with pytest.raises(InputError, match=message):
            check_chirotope(n, r, values)
    monkeypatch.setattr("arrangements.execution.limits.available_bytes", lambda: 10**5)
    with pytest.raises(TooLargeError, match="a chirotope of rank 6 on 30 elements: 5.94e"):
        of(generators.generic(30, 6, 0))
    monkeypatch.setattr("arrangements.execution.limits.available_bytes", lambda: 10**4)
    with pytest.raises(TooLargeError, match="the covectors: 1.52e"):
        of(generators.generic(20, 3, 0)).covectors()
    with pytest.raises(TooLargeError, match="a level of the face lattice"):
        of(generators.braid(5)).covectors()


# ------------------------------------------------------------------ the matroid below


def complete_graph(n: int) -> OrientedMatroid:
    return OrientedMatroid.from_matrix(generators.braid(n))


# R10 and R12 of J. Oxley, Matroid Theory, 2nd ed., appendix: [I | A] with real (unimodular) A.
R10 = [
    *np.eye(5, dtype=int).tolist(),
    *([-1, 1, 0, 0, 1], [1, -1, 1, 0, 0], [0, 1, -1, 1, 0], [0, 0, 1, -1, 1], [1, 0, 0, 1, -1]),
]


@pytest.mark.parametrize("name", MATRICES)
def test_matroid_against_ranks(name: str) -> None:
    W = MATRICES[name]
    M, n = OrientedMatroid.from_matrix(W), len(W)
    subsets = [s for k in range(n + 1) for s in combinations(range(n), k)]
    ranks = {s: slow.rank([W[i] for i in s]) for s in subsets}
    r = ranks[tuple(range(n))]
    expected = [list(s) for s in combinations(range(n), r) if ranks[s] == r]
    assert M.bases().tolist() == expected and M.bases().dtype == np.int64
    for s in subsets:
        assert M.rank_of(s) == ranks[s]
        spanned = (e for e in range(n) if ranks[tuple(sorted({*s, e}))] == ranks[s])
        assert M.closure(s) == tuple(spanned)
    # a separator has the rank that is missing to its complement; components are the least ones
    separators = [
        s
        for s in subsets[1:]
        if ranks[s] + ranks[tuple(e for e in range(n) if e not in s)] == ranks[tuple(range(n))]
    ]
    least = [s for s in separators if not any(set(t) < set(s) for t in separators)]
    assert M.components == tuple(sorted(least)) == M.dual().components
    assert M.is_connected == (len(least) == 1)


def test_published_matroids() -> None:
    """Spanning trees: Cayley n^(n - 2) and K(3, 3) 81; Oxley's appendix for R10 and Pappus."""
    for n in (2, 3, 4, 5):
        assert len(complete_graph(n).bases()) == n ** (n - 2)
    K33 = OrientedMatroid.from_matrix(
        generators.graphical([(i, j) for i in range(3) for j in range(3, 6)])
    )
    assert len(K33.bases()) == 81 and K33.is_connected
    ten = OrientedMatroid.from_matrix(R10)
    assert (len(ten.bases()), len(ten.circuits())) == (162, 60)
    assert ten.is_isomorphic(ten.dual(), oriented=False)
    # every deletion of R10 is M(K33), every contraction its dual
    for e in range(10):
        assert ten.deletion(e).is_isomorphic(K33, oriented=False)
        assert ten.contraction(e).is_isomorphic(K33.dual(), oriented=False)
    assert len(OrientedMatroid.from_matrix(pappus()[0]).bases()) == 84 - 9


@pytest.mark.slow
def test_isomorphism_without_orientation() -> None:
    def bases(M: OrientedMatroid) -> set[frozenset[int]]:
        return {frozenset(basis) for basis in M.bases().tolist()}

    rng = np.random.default_rng(5)
    matroids = [OrientedMatroid.from_matrix(rng.integers(-1, 2, (5, 3))) for _ in range(12)]
    found = 0
    for M, N in product(matroids, repeat=2):
        images = permutations(range(5))
        same = M.rank == N.rank and any(
            {frozenset(p[e] for e in basis) for basis in bases(M)} == bases(N) for p in images
        )
        f = M.isomorphism(N, oriented=False)
        assert (f is not None) == same
        if f is not None:
            found += 1
            assert f.reorientation == () and bases(N.relabeling(f.relabeling)) == bases(M)
    assert 12 < found < 144
    # the whirl has one basis more than the wheel K4, and is none of its relabelings
    whirl = OrientedMatroid.from_matrix([*np.eye(3), [1, 1, 0], [0, 1, 1], [1, 0, 2]])
    assert len(whirl.bases()) == 17
    assert not whirl.is_isomorphic(complete_graph(4), oriented=False)
    assert complete_graph(4).is_isomorphic(complete_graph(4).dual(), oriented=False)
    # one uniform matroid, four classes of six lines in general position (Gruenbaum 1972)
    generic = [OrientedMatroid.from_matrix(generators.generic(6, 3, seed)) for seed in range(40)]
    classes: list[OrientedMatroid] = []
    for M in generic:
        assert M.is_isomorphic(generic[0], oriented=False)
        if not any(M.is_isomorphic(N) for N in classes):
            classes.append(M)
    assert len(classes) == 4


def test_minors_of_labeled_matroids() -> None:
    A = Arrangement([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [1, 2, 3]], labels="abcde")
    M = OrientedMatroid.from_matrix(A)
    N = M.minor(contracted="a", deleted=["e"])
    assert N.labels == ("b", "c", "d") and N == M.contraction("a").deletion("e")
    assert N == M.deletion("e").contraction("a") and M.minor().labels == M.labels
    assert M.rank_of(["a", "b"]) == 2 and M.closure(["a", "b"]) == (0, 1)
    assert M.minor() == M
    with pytest.raises(InputError, match=r"elements \[0\] are both contracted and deleted"):
        M.minor([0, 1], [0])


def test_limits_of_bases(monkeypatch: pytest.MonkeyPatch) -> None:
    M = complete_graph(4)
    monkeypatch.setattr("arrangements.execution.limits.available_bytes", lambda: 100)
    with pytest.raises(TooLargeError, match="the bases"):
        M.bases()


def test_chambers_as_texts() -> None:
    M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
    texts = ["".join("-0+"[s + 1] for s in row) for row in M.topes().to_array()]
    assert OrientedMatroid.from_chambers(texts) == M
    assert OrientedMatroid.from_chambers(iter(texts)) == M
    with pytest.raises(InputError, match=r"^topes\[5\] is '\+', of 1 signs; expected 3"):
        OrientedMatroid.from_chambers([*texts[:5], "+"])
    with pytest.raises(InputError, match="^topes is a dict"):
        OrientedMatroid.from_chambers({"+++": 1})
