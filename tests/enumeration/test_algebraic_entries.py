"""Every question with real algebraic entries: disguised rational arrangements, and known ones."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import sympy
from sympy.abc import x

from arrangements import (
    Arrangement,
    NumberField,
    OrientedMatroid,
    SignVectors,
    argmax_labels,
    can_be_top,
    chambers,
    count_chambers,
    count_rankings,
    feasible,
    feasible_many,
    flats,
    fold_chambers,
    generators,
    rankings,
    top_k_sets,
)
from arrangements.exact import linear

FIELDS = {
    "sqrt 2": NumberField([-2, 0, 1], (1, 2)),
    "cos 2 pi / 7": NumberField([-1, -2, 1, 1], (1, 2)),
    "sqrt 2 + sqrt 3": NumberField([1, 0, -10, 0, 1], (3, 4)),
}
# central and affine, with many coincidences
RATIONAL = [
    generators.resonance(4),
    generators.braid(4),
    generators.semiorder(3),
    generators.threshold(3),
]


def disguised(A, K, seed=0):
    """The arrangement in other coordinates, its rows times positive numbers, all of K."""
    rng = np.random.default_rng(seed)
    d = A.dimension
    G = [[K(rng.integers(-2, 3, K.degree).tolist()) for _ in range(d)] for _ in range(d)]
    assert linear.rank(G) == d
    scales = [abs(K(rng.integers(1, 3, K.degree).tolist())) for _ in A.normals]
    rows = [
        [scale * entry for entry in row]
        for scale, row in zip(scales, linear.matrix_product(A.normals.tolist(), G), strict=True)
    ]
    if A.offsets is None:
        return Arrangement(rows)
    return Arrangement(rows, [s * int(b) for s, b in zip(scales, A.offsets, strict=True)])


@pytest.fixture(params=list(itertools.product(range(len(RATIONAL)), FIELDS)), ids=str)
def pair(request):
    number, name = request.param
    return RATIONAL[number], disguised(RATIONAL[number], FIELDS[name])


def as_set(S):
    return set(map(bytes, S.to_array()))


@pytest.mark.sampled(2)
def test_a_change_of_coordinates_changes_nothing(pair) -> None:
    A, B = pair
    assert B.field is not None and B.rank == A.rank
    assert B.parallel_classes == A.parallel_classes
    expected = as_set(chambers(A))
    for method in ("sweep", "incremental"):
        assert as_set(chambers(B, method=method)) == expected
    assert count_chambers(B) == len(expected)
    assert B.characteristic_polynomial() == A.characteristic_polynomial()
    assert B.whitney_numbers(kind=2) == A.whitney_numbers(kind=2)
    assert B.f_vector() == A.f_vector()
    assert flats(B) == flats(A)
    assert B.is_generic == A.is_generic
    assert B.count_bounded() == A.count_bounded()


@pytest.mark.sampled(2)
def test_answers_are_proved(pair) -> None:
    A, B = pair
    listed, rng = chambers(A), np.random.default_rng(1)
    asked = rng.choice([-1, 1], (12, len(A)))
    asked[:4] = listed.to_array()[:4]
    several = feasible_many(B, asked)
    for k, signs in enumerate(asked):
        answer = feasible(B, signs)
        assert bool(answer) == (signs in listed) == bool(several[k])
        assert answer.verify() and several[k].verify()
        assert answer.arrangement is B


@pytest.mark.parametrize("name", FIELDS)
def test_oriented_matroids(name: str) -> None:
    A = generators.resonance(4)
    B = disguised(A, FIELDS[name])

    ours, theirs = (OrientedMatroid.from_matrix(X).chirotope for X in (A, B))
    assert ours.tolist() in (theirs.tolist(), (-theirs).tolist())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("offsets", [None, [0, 1, 0, 2, 1, 0, 0]])
def test_rankings(name: str, offsets) -> None:
    K, rng = FIELDS[name], np.random.default_rng(2)
    W = rng.integers(-2, 3, (7, 3))
    G = [[K(rng.integers(-2, 3, K.degree).tolist()) for _ in range(3)] for _ in range(3)]
    V = linear.matrix_product(W.tolist(), G)
    theta = K.generator
    b = None if offsets is None else [theta * x - 1 for x in offsets]
    scaled = [[entry * theta for entry in row] for row in V]
    for method in ("sweep", "pairs", "incremental"):
        found = rankings(scaled, b, method=method)
        assert as_set(found) == as_set(rankings(W, offsets)), method
    assert count_rankings(scaled, b) == count_rankings(W, offsets)
    assert top_k_sets(scaled, 2, offsets=b).tolist() == top_k_sets(W, 2, offsets=offsets).tolist()
    assert argmax_labels(scaled, b).tolist() == argmax_labels(W, offsets).tolist()
    asked = [[0, 1], [2, 5]]
    assert [bool(c) for c in can_be_top(scaled, asked, offsets=b)] == [
        bool(c) for c in can_be_top(W, asked, offsets=offsets)
    ]
    # labels in the plane, by sorting slopes
    flat = [row[:2] for row in linear.matrix_product(W[:, :2].tolist(), [[theta, 1], [1, -theta]])]
    assert count_rankings(flat, b, ties="drop") == count_rankings(W[:, :2], offsets, ties="drop")


@pytest.mark.parametrize("name", FIELDS)
def test_generic_entries_are_like_close_rational_ones(name: str) -> None:
    K, rng = FIELDS[name], np.random.default_rng(3)
    rows = [[K(rng.integers(-3, 4, K.degree).tolist()) for _ in range(3)] for _ in range(7)]
    b = [K(rng.integers(-3, 4, K.degree).tolist()) for _ in range(7)]

    def close(entry):
        return (
            entry
            if isinstance(entry, Fraction)
            else sympy.Rational(entry.approximation(300), 2**300)
        )

    A = Arrangement(rows, b)
    near = Arrangement([[close(e) for e in row] for row in rows], [close(e) for e in b])
    assert A.is_generic and near.is_generic
    assert as_set(chambers(A)) == as_set(chambers(near))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "count", "exponents"), [(3, 120, (1, 5, 9)), (4, 14400, (1, 11, 19, 29))]
)
def test_mirrors_of_the_icosahedron_and_the_600_cell(n: int, count: int, exponents) -> None:
    H = generators.coxeter("H", n)
    assert len(chambers(H)) == count_chambers(H) == count
    assert H.exponents() == exponents
    assert H.is_simplicial() and H.is_reflection()


def sign(number: sympy.Expr) -> int:
    """By 60 digits or, if they are zeros, by the minimal polynomial."""
    number = sympy.sympify(number)
    decimal = number.evalf(60, maxn=400)
    if abs(decimal) < sympy.Float("1e-40", 60):
        if sympy.minimal_polynomial(number, x) == x:
            return 0
        decimal = number.evalf(400, maxn=2000)
    return 1 if decimal > 0 else -1


def lines_cut_into(W, b) -> int:
    """How many regions lines have: one, one for each line, and those that each point adds."""
    lines = []
    for p, q, c in (map(sympy.sympify, (*row, c)) for row, c in zip(W, b, strict=True)):
        same = ((p * v - q * u, p * e - c * u, q * e - c * v) for (u, v), e in lines)
        if not any(not any(map(sign, minors)) for minors in same):
            lines.append(((p, q), c))
    points = []
    for ((p, q), c), ((u, v), e) in itertools.combinations(lines, 2):
        if sign(det := p * v - q * u):
            point = ((q * e - v * c) / det, (c * u - e * p) / det)
            if not any(not sign(s - point[0]) and not sign(t - point[1]) for s, t in points):
                points.append(point)
    through = [sum(not sign(p * s + q * t + c) for (p, q), c in lines) for s, t in points]
    return 1 + len(lines) + sum(k - 1 for k in through)


TWO, THREE, SIX = map(sympy.sqrt, (2, 3, 6))
NEAR = sympy.Rational(int(TWO.evalf(40) * 10**18), 10**18)  # the square root of 2, but for 1e-18
ELEVEN = sympy.cos(2 * sympy.pi / 11)
QUINTIC, SEXTIC = sympy.CRootOf(x**5 - x - 1, 0), sympy.CRootOf(x**6 - x - 1, 1)
LONG = sympy.sqrt(10**40 + 1)
DISGUISED = sympy.sqrt(5 + 2 * SIX) - TWO - THREE  # zero


@pytest.mark.slow
@pytest.mark.parametrize(
    ("W", "b"),
    [
        ([[1, 0], [0, 1], [1, 1], [1, 1]], [-TWO, -1, -1 - TWO, -1 - NEAR]),
        ([[1, TWO], [1, NEAR], [1, TWO + sympy.Rational(1, 10**18)], [0, 1]], [0, 0, 0, -1]),
        ([[1, TWO], [THREE, SIX], [1, THREE], [sympy.cbrt(2), 1]], [0, 1, TWO, 0]),
        ([[1, TWO * THREE - SIX], [TWO, 0], [0, 1], [1, 1]], [0, 0, SIX - TWO * THREE, 0]),
        ([[1, DISGUISED], [1, 0], [1, 1], [0, 1]], [0, 0, TWO - 1, DISGUISED]),
        ([[1, QUINTIC], [QUINTIC**5, QUINTIC + 1], [0, 1]], [0, 1, -QUINTIC]),
        ([[1, SEXTIC], [SEXTIC, 1], [1, 1]], [0, 0, -1]),
        ([[1, 2 * ELEVEN], [sympy.cos(4 * sympy.pi / 11), 1], [1, 0]], [0, 1, ELEVEN]),
        ([[1, LONG], [1, 10**20], [0, 1], [1, 1]], [0, 0, -1, -LONG]),
        ([[1, sympy.CRootOf(10**12 * x**3 - 7 * x - 1, 0)], [1, 1], [0, 1]], [0, 0, -1]),
        ([[1, -TWO], [1, TWO], [TWO, 2], [0, 1]], [0, 0, 0, -1]),
    ],
)
def test_lines_against_symbols(W, b) -> None:
    expected = lines_cut_into(W, b)
    assert count_chambers(W, b) == expected
    for method in ("sweep", "incremental", "reverse_search"):
        assert len(chambers(W, b, method=method)) == expected


def test_points_and_weights_are_numbers_of_the_field() -> None:
    A = Arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, -sympy.sqrt(2)])
    root = A.field.generator
    assert sorted(A.vertices(), key=str) == [(0, 0), (0, root), (root, 0)]
    no = feasible(A, "--+")
    assert not no and no.verify()
    # three lines through one point, but for one of 10**30 parts
    close = sympy.sqrt(2) + sympy.Rational(1, 10**30)
    lines = [[1, 0], [0, 1], [1, 1]]
    offsets = [-sympy.sqrt(2), -1, -1 - sympy.sqrt(2)]
    assert count_chambers(lines, offsets) == 6
    assert count_chambers(lines, [-close, -1, -1 - sympy.sqrt(2)]) == 7
    assert feasible(lines, "--+", offsets=[-close, -1, -1 - sympy.sqrt(2)]).verify()


def test_files_keep_the_numbers(tmp_path) -> None:
    A = Arrangement([[1, sympy.sqrt(2)], [1, 1]], [0, sympy.sqrt(8)])
    S = chambers(A)
    S.save(tmp_path / "a.npz")
    loaded = SignVectors.load(tmp_path / "a.npz")
    assert (
        loaded == S and loaded.arrangement.same_numbers(A) and loaded.arrangement.field == A.field
    )
    positives = fold_chambers(A, "positives")
    assert positives.tolist() == fold_chambers(loaded.arrangement, "positives").tolist()
