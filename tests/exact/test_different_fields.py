"""Two arguments with numbers of different real fields, in questions of every kind.

The expected answers are those of rational numbers that agree with the irrational ones in 400
binary digits, which change no sign of these inputs.
"""

import operator
import pickle
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sympy import cos, pi, sqrt

import arrangements as ar
from arrangements import Arrangement, Certificate, Hyperplane, NumberField
from arrangements.errors import InputError
from arrangements.exact.number_field import FieldElement

A, U = NumberField([-2, 0, 1], (1, 2), "a"), NumberField([-1, -2, 1], (2, 3), "u")
B, T = NumberField([-3, 0, 1], (1, 2), "b"), NumberField([1, 0, -10, 0, 1], (3, 4), "t")
C = NumberField([-1, -2, 1, 1], (1, 2), "c")
# the square root of 2 by itself, by another generator of its field, and in a larger field
ROOTS = [A.generator, U.generator - 1, (T.generator**3 - 9 * T.generator) / 2]
WAYS = [(two, B.generator, C.generator) for two in ROOTS]
WAYS += [(sqrt(2), sqrt(3), 2 * cos(2 * pi / 7))]
RATIONAL = tuple(Fraction(n.approximation(400), 2**400) for n in WAYS[0])


def plain(value: Any) -> Any:
    """Answers that compare: numbers rounded, sets sorted."""
    if isinstance(value, ar.SignVectors | ar.Rankings):
        return sorted(value.to_array().tolist())
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return round(float(value), 9) if isinstance(value, Fraction | FieldElement) else value


def rows(two: Any) -> list[list[Any]]:
    return [[two, 0], [0, 1], [-1, two], [1, -1]]


def tops(two: Any, three: Any, c: Any) -> Any:
    W, b = rows(two), [three, 0, three, 1]
    sets = ar.can_be_top(W, [[0, 1], [1, 2], [0, 3]], offsets=b)
    orders = ar.can_be_top(W, [[0, 1], [1, 2], [0, 3]], offsets=b, ordered=True)
    single = ar.can_be_top([[two], [0], [-1]], [[0], [1], [2]], offsets=[c, 0, c])
    return [
        [batch.feasible, batch.verify(), [one.verify() for one in batch]]
        for batch in (sets, orders, single)
    ]


def feasibility(two: Any, three: Any, c: Any) -> Any:
    patterns = ["++++", "+-+-", "----", "-+-+", "+--+"]
    many = ar.feasible_many(rows(two), patterns, offsets=[1, 0, three, 1])
    one = [ar.feasible(rows(two), signs, offsets=[1, 0, three, 1]) for signs in patterns]
    return [many.feasible, many.verify(), [(bool(proof), proof.verify()) for proof in one]]


def listings(two: Any, three: Any, c: Any) -> Any:
    W, b = rows(two), [three, 0, three, 1]
    methods: Any = ("sweep", "incremental", "reverse_search")
    return [
        [ar.chambers(W, b, method=method) for method in methods],
        ar.chambers(W, [1, 0, 1, 1], within=([[three, 1], [-1, 0]], [1, c])),
        ar.rankings(W, b),
        ar.count_chambers_many([W, W], [b, [0, two, 0, 1]]),
        ar.chambers(W, b) & ar.chambers(W, [two, 0, 1, 1]),
    ]


def optima(two: Any, three: Any, c: Any) -> Any:
    W, costs, A = rows(two), [1, 1, 2, -2], [[-three, -1], [-1, 1]]
    return [
        ar.best_chamber(W, costs, offsets=[1, 0, three, 1]).value,
        ar.best_chamber(W, costs, offsets=[1, 0, two, 1], within=(A, [0, 0])).value,
        ar.best_chamber(W, costs, within=(A, [1, three])).value,
        ar.optimize.place_range(W, [three, 0, 0, 1]),
        ar.optimize.place_range(W, [1, 0, 0, two], within=(A, [0, 0])),
        ar.optimize.max_feasible(W, [1, 0, -three, 1]).value,
        ar.optimize.halfspace_depth(
            [[two, 0], [0, 0]], [[three, 1], [-1, 0], [0, -three], [-2, three]]
        ),
    ]


def points(two: Any, three: Any, c: Any) -> Any:
    D = ar.restriction([[two, 1, 0], [1, 0, three], [0, 1, 1]], 0, offsets=[1, three, 0])
    E = ar.structure.change_of_basis(D.arrangement, [[three, 1], [0, 1]], [1, two])
    mirror = [[two, 0], [1, 1], [1, -1]]
    return [
        ar.sign_vector_at(rows(two), [three, -three], offsets=[1, 0, two, 1]),
        ar.sign_vector_at([[1, 0], [two, -1]], [[three, -three], [1, c]], offsets=[1, two]),
        ar.structure.localization(mirror, point=[0, 0]).rows,
        ar.structure.localization([[two, 1], [1, 1]], offsets=[0, -three], point=[three, 0]).rows,
        D.to_original([two, three]),
        D.from_original(D.to_original([three, 1])),
        E.arrangement.normals,
        D.to_original(E.to_original([1, three])),
    ]


def two_matrices(two: Any, three: Any, c: Any) -> Any:
    V, W = [[two, 1], [1, 0], [1, 1]], [[three, 1], [1, 0], [1, 1]]
    soft = (
        ar.models.SoftmaxClassifier(V, [three, 0, 0]),
        ar.models.SoftmaxClassifier(W, [0, two, 0]),
    )
    sigmoid = (
        ar.models.SigmoidClassifier(V, [three, 0, 0]),
        ar.models.SigmoidClassifier(W, [0, two, 0]),
    )
    compared = [
        ar.compare(*soft, "top labels"),
        ar.compare(*soft, "rankings"),
        ar.compare(*sigmoid, "label sets"),
    ]
    weighed = ar.compare(*soft, "rankings", inputs=[[two, 1], [0, 0], [three, -1]])
    shifted = [[entry + step for entry, step in zip(V[0], (three, 1), strict=True)]]
    return [
        ar.structure.union(V, Arrangement(W, [1, 0, three])).arrangement.count_chambers(),
        ar.structure.product(V, W).arrangement.count_chambers(),
        ar.algebra.same_oriented_matroid(V, W).same,
        ar.algebra.arrangement_isomorphism(V, W) is not None,
        ar.paper.same_softmax(V[:1], shifted).same,
        ar.paper.same_softmax(V, W).same,
        ar.paper.same_cosines(V, W),
        [(each.numbers, each.only) for each in [*compared, weighed]],
        [
            (one.has.verify(), one.lacks.verify())
            for each in compared
            for examples in each.examples
            for one in examples
        ],
        Arrangement(V) == Arrangement(W),
    ]


def structure(two: Any, three: Any, c: Any) -> Any:
    W, b = [[two, 1], [1, 0], [1, 1]], [three, two, 0]
    polyhedron = ar.structure.chamber_polyhedron(W, ar.chambers(W, b).to_array()[0], offsets=b)
    return [
        ar.f_vector(W, b),
        sorted(map(plain, ar.structure.vertices(W, b))),
        ar.algebra.count_bounded(W, b),
        len(polyhedron.vertices) + len(polyhedron.rays),
        sorted(map(plain, ar.structure.zonotope([[two, 1], [three, 0]]).vertices)),
        ar.structure.simplify([[two, 1], [two * two, two]], [three, three * two]).position,
        ar.generators.discriminantal([[two, 1], [1, three], [1, 1], [1, 0]]).count_chambers(),
        ar.generators.deformation(3, [two, three]).count_chambers(),
    ]


QUESTIONS = [tops, feasibility, listings, optima, points, two_matrices, structure]


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question(question: Callable[..., Any]) -> None:
    expected = plain(question(*RATIONAL))
    for way in WAYS:
        assert plain(question(*way)) == expected


@pytest.mark.sampled(2)
@pytest.mark.parametrize("way", WAYS, ids=["own", "other generator", "larger field", "sympy"])
def test_hyperplanes_of_other_fields(way: Any) -> None:
    two, three, c = way
    lines = Arrangement([[two, 1], [1, two], [1, 1]], [0, two, 0])
    for factor in (three, -c, two):
        same = Hyperplane((two * factor, factor), 0)
        assert same in lines
        assert Hyperplane((factor, two * factor), two * factor) in lines
        assert ar.deletion(lines, same).rows == (1, 2)
        assert ar.restriction(lines, same).rows == (1, 2)
    assert Hyperplane((three, 1)) not in lines
    assert Hyperplane((three, three)) in lines
    assert (([2 * c, 2 * c], 0)) in Arrangement([[1, 1]])
    assert lines.same_hyperplanes(Arrangement([[1, 1], [1, two], [two * c, c]], [0, two, 0]))
    assert not lines.same_hyperplanes(Arrangement([[1, 1], [1, three], [two, 1]], [0, two, 0]))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("way", WAYS, ids=["own", "other generator", "larger field", "sympy"])
def test_certificates_by_hand(way: Any) -> None:
    two, three, c = way
    lines = Arrangement([[two, 0], [0, 1]], [1, 0])
    assert Certificate(lines, (1, 1), True, point=(three, c)).verify()
    assert not Certificate(lines, (1, -1), True, point=(three, c)).verify()
    opposite = Arrangement([[two], [-two]])
    assert Certificate(opposite, (1, 1), False, weights=(three, three)).verify()
    assert not Certificate(opposite, (1, 1), False, weights=(three, 1)).verify()


def test_equal_arrangements_in_different_fields() -> None:
    """What is kept for one of them serves no other field."""
    equal = [Arrangement([[two, 1], [1, two], [1, 1]], [1, 1, 0]) for two in ROOTS]
    assert all(one == other for one, other in combinations(equal, 2))
    assert len(set(equal)) == 1
    for lines in (*equal, *equal):
        assert all(ar.feasible(lines, signs).verify() for signs in ("+++", "---", "+-+", "--+"))
        assert ar.chambers(lines).witness(0)


@pytest.mark.slow
def test_files(tmp_path: Path) -> None:
    for two, three, c in WAYS:
        found = ar.can_be_top([[two], [0], [-1]], [[0], [1], [2]], offsets=[three, 0, c])
        found.save(tmp_path / "proofs.npz")
        assert ar.Certificates.load(tmp_path / "proofs.npz").verify()
        signs = ar.chambers([[two, 1], [1, 0]], [three, c])
        signs.save(tmp_path / "signs.npz")
        assert ar.SignVectors.load(tmp_path / "signs.npz") == signs


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_arithmetic(operation: Callable[..., Any]) -> None:
    numbers = [*ROOTS, B.generator, C.generator, T.generator]
    for a in numbers:
        for b in numbers:
            values = (Fraction(n.approximation(400), 2**400) for n in (a, b))
            result, expected = operation(a, b), operation(*values)
            if isinstance(result, Fraction):
                assert abs(result - expected) < Fraction(1, 2**300)
            else:
                assert abs(result.approximation(300) - expected * 2**300) < 2
            x, y = (n.approximation(400) for n in (a, b))
            close = abs(x - y) < 4
            assert (a == b) == close
            assert (a < b) == (x < y and not close)


def test_equal_numbers_are_one_key() -> None:
    numbers = [*ROOTS, ROOTS[0] + B.generator - B.generator, pickle.loads(pickle.dumps(ROOTS[2]))]
    assert len(set(numbers)) == 1
    large = [2**200 * two + 1 for two in ROOTS]
    assert len(set(large)) == 1
    assert len({*numbers, *large, B.generator, C.generator}) == 4
    assert A(ROOTS[1]) == ROOTS[0]
    assert A(ROOTS[1]).field == A  # type: ignore[union-attr]
    with pytest.raises(InputError, match="belongs to"):
        A(B.generator)


def test_fields_that_are_too_large_are_named() -> None:
    with pytest.raises(InputError, match="field of degree 30; expected at most 24"):
        Arrangement([[cos(2 * pi / 11), 1]], [cos(2 * pi / 13)])
