"""New arrangements from old, against the naive listing of both."""

import pickle
from fractions import Fraction
from functools import cache
from itertools import product as tuples
from typing import Any

import examples
import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

from arrangements import Arrangement, cone, deletion, feasible, generators, restriction
from arrangements.errors import InputError
from arrangements.structure import (
    Derived,
    change_of_basis,
    decone,
    essentialization,
    localization,
    product,
    simplify,
    union,
)

SMALL = [e for e in examples.EXAMPLES if e.n <= 9 and e.n * e.dimension < 24]
Signs = naive.Signs


def find_rows(A: Arrangement) -> tuple[Any, Any]:
    return A.normals.tolist(), None if A.offsets is None else A.offsets.tolist()


@cache
def witnesses(A: Arrangement) -> dict[Signs, tuple[Fraction, ...]]:
    """Chambers by the naive oracle, which takes no empty list of rows."""
    if not A.n_hyperplanes:
        return {(): (Fraction(0),) * A.dimension}
    return naive.witnesses(*find_rows(A))


def chambers(A: Arrangement) -> set[Signs]:
    return set(witnesses(A))


def signs_at(A: Arrangement, point: Any) -> Signs:
    return naive.signs_at(*find_rows(A), point) if A.n_hyperplanes else ()


def chosen(signs: Signs, rows: tuple[int, ...]) -> Signs:
    return tuple(signs[i] for i in rows)


def some_rows(A: Arrangement) -> list[int]:
    """First, middle and last hyperplane."""
    planes = [i for i in range(A.n_hyperplanes) if i not in A.loops]
    return sorted({planes[0], planes[len(planes) // 2], planes[-1]}) if planes else []


# ------------------------------------------------------------------ all of them, on everything


def check_points_stay(D: Derived, A: Arrangement) -> None:
    """In the same space both maps are the identity."""
    for map_ in (D.to_original, D.from_original):
        assert map_(range(A.dimension)) == tuple(range(A.dimension))


def check_rows(D: Derived, A: Arrangement, points: Any) -> None:
    """`rows`, `position` and `orientation` agree, and signs restored are those at the points."""
    n, m = len(A), len(D.arrangement)
    assert len(D.rows) == m and len(D.position) == len(D.orientation) == n
    assert all(D.position[row] == k for k, row in enumerate(D.rows) if row >= 0)
    assert all(-1 <= k < m for k in D.position)
    assert pickle.loads(pickle.dumps(D)) == D and hash(pickle.loads(pickle.dumps(D))) == hash(D)
    for y in points:
        restored = D.restore(np.array(signs_at(D.arrangement, y), int))
        assert restored.dtype == np.int8
        assert tuple(restored.tolist()) == signs_at(A, D.to_original(y))


def check_deletion(A: Arrangement, row: int) -> None:
    D = deletion(A, row)
    smaller, rows = D.arrangement, D.rows
    check_points_stay(D, A)
    assert rows == tuple(i for i in range(A.n_hyperplanes) if i != row)
    assert chambers(smaller) == {chosen(s, rows) for s in chambers(A)}


def check_restriction(A: Arrangement, flat: Any) -> None:
    R = restriction(A, flat)
    assert R.rows == tuple(sorted(R.rows))
    for signs, point in witnesses(R.arrangement).items():
        x = R.to_original(point)
        lifted = signs_at(A, x)
        assert chosen(lifted, R.rows) == signs
        assert all(lifted[i] == 0 for i in range(len(lifted)) if i not in R.rows)
        assert R.from_original(x) == point
    check_rows(R, A, [*witnesses(R.arrangement).values(), (0,) * R.arrangement.dimension])


def check_deletion_restriction(A: Arrangement, row: int) -> None:
    """r(A) = r(A') + r(A'') for a hyperplane that occurs once."""
    R = restriction(A, row)
    copies = next(members for members in A.coincident_classes if row in members)
    assert set(copies) == set(range(A.n_hyperplanes)) - set(R.rows)
    assert R.arrangement.dimension == A.dimension - 1
    both = len(chambers(deletion(A, copies).arrangement)) + len(chambers(R.arrangement))
    assert len(chambers(A)) == both


def check_localization(A: Arrangement, flat: Any) -> None:
    """The chambers of A that agree with a point of the flat where it lies on no hyperplane."""
    R = restriction(A, flat)
    point = R.to_original(next(iter(witnesses(R.arrangement).values())))
    at = signs_at(A, point)
    L = localization(A, flat)
    assert L.rows == tuple(i for i, sign in enumerate(at) if sign == 0)
    assert localization(A, point=point).rows == L.rows
    near = {s for s in chambers(A) if all(a in (0, b) for a, b in zip(at, s, strict=True))}
    assert chambers(L.arrangement) == {chosen(s, L.rows) for s in near}
    check_points_stay(L, A)
    at_point = localization(A, point=point)
    around = np.array(sorted(chambers(at_point.arrangement)), int).reshape(len(near), len(L.rows))
    assert {tuple(s) for s in at_point.restore(around).tolist()} == near
    if None in L.orientation:
        with pytest.raises(InputError, match="was left out, and its sign does not follow"):
            L.restore(around)
    else:
        assert L.restore(around).tolist() == at_point.restore(around).tolist()


def check_cone(A: Arrangement) -> None:
    over, half = cone(A), chambers(A)
    C = over.arrangement
    positive = {(*s, 1) for s in half}
    assert over.rows == (*range(len(A)), -1) and over.position == tuple(range(len(A)))
    check_rows(over, A, [(*point, 1) for point in witnesses(A).values()])
    for point in witnesses(A).values():
        assert over.from_original(point) == (*point, 1)
        assert over.to_original(over.from_original(point)) == point
    with pytest.raises(InputError, match="is not \\+: no point of the original"):
        over.restore([1] * len(A) + [-1])
    assert C.is_central and C.dimension == A.dimension + 1
    assert chambers(C) == positive | {tuple(-x for x in s) for s in positive}
    back = decone(C)
    assert back.arrangement.same_numbers(A) and back.rows == tuple(range(len(A)))
    for _, point in zip(range(3), witnesses(A).values(), strict=False):
        assert back.to_original(point) == (*point, 1)
        assert back.from_original((*point, 1)) == point


def check_decone(A: Arrangement, row: int) -> None:
    D = decone(A, row)
    positive = [s for s in chambers(A) if s[row] > 0]
    assert chambers(D.arrangement) == {chosen(s, D.rows) for s in positive}
    assert D.rows == tuple(i for i in range(len(A)) if i != row)
    for signs, point in witnesses(D.arrangement).items():
        x = D.to_original(point)
        lifted = signs_at(A, x)
        assert chosen(lifted, D.rows) == signs and lifted[row] == 1
        values = [naive.fraction(w) for w in A.normals[row].tolist()]
        assert sum(w * c for w, c in zip(values, x, strict=True)) == 1
    check_rows(D, A, witnesses(D.arrangement).values())


def check_essentialization(A: Arrangement) -> None:
    E = essentialization(A)
    assert E.arrangement.dimension == E.arrangement.rank == A.rank
    assert E.rows == tuple(range(len(A)))
    assert chambers(E.arrangement) == chambers(A)
    for signs, y in witnesses(E.arrangement).items():
        assert signs_at(A, E.to_original(y)) == signs
        assert E.from_original(E.to_original(y)) == y
    check_rows(E, A, witnesses(E.arrangement).values())
    for signs, x in witnesses(A).items():
        assert signs_at(E.arrangement, E.from_original(x)) == signs


def check_simplify(A: Arrangement) -> None:
    S = simplify(A)
    simple = S.arrangement
    check_points_stay(S, A)
    check_rows(S, A, witnesses(A).values())
    assert not simple.loops and len(simple.coincident_classes) == len(simple) == len(S.rows)
    assert all(S.position[row] == k and S.orientation[row] == 1 for k, row in enumerate(S.rows))
    found = np.array(sorted(chambers(simple)), dtype=int)
    restored = S.restore(found.reshape(len(chambers(simple)), len(simple)))
    assert restored.dtype == np.int8
    assert {tuple(s) for s in restored.tolist()} == chambers(A)
    for point in list(witnesses(A).values())[:3]:
        assert tuple(S.restore(signs_at(simple, point)).tolist()) == signs_at(A, point)


def check_all(A: Arrangement) -> None:
    check_cone(A)
    check_essentialization(A)
    check_simplify(A)
    check_restriction(A, [])
    check_localization(A, [])
    for row in some_rows(A):
        check_deletion(A, row)
        check_restriction(A, row)
        check_deletion_restriction(A, row)
        check_localization(A, row)
        if A.is_central:
            check_decone(A, row)


@pytest.mark.slow
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_examples(example: examples.Example) -> None:
    check_all(Arrangement(*example.arguments))


@pytest.mark.slow
@given(strategies.arrangements(max_rows=5))
def test_random(arguments: Any) -> None:
    check_all(Arrangement(*arguments))


@given(strategies.arrangements(max_rows=6), st.sets(st.integers(0, 5), min_size=2, max_size=3))
def test_flats(arguments: Any, chosen_rows: set[int]) -> None:
    A = Arrangement(*arguments)
    flat = sorted(i for i in chosen_rows if i < len(A))
    equations = [row for i, row in enumerate(A.integer_rows) if i in flat]
    from sympy import Matrix

    consistent = not equations or (
        Matrix(equations).rank() == Matrix([row[:-1] for row in equations]).rank()
    )
    if consistent:
        check_restriction(A, flat)
        check_localization(A, flat)
    else:
        for function in (restriction, localization):
            with pytest.raises(InputError, match="have no point in common"):
                function(A, flat)


@given(st.data())
def test_change_of_basis(data: st.DataObject) -> None:
    A = Arrangement(*data.draw(strategies.arrangements()))
    d = A.dimension
    matrix = data.draw(strategies.invertible(d))
    translation = data.draw(st.lists(strategies.fractions, min_size=d, max_size=d))
    B = change_of_basis(A, matrix, translation)
    assert chambers(B.arrangement) == chambers(A)
    for signs, y in witnesses(B.arrangement).items():
        x = B.to_original(y)
        assert signs_at(A, x) == signs and B.from_original(x) == y
    check_rows(B, A, witnesses(B.arrangement).values())
    back = change_of_basis(B.arrangement, B.from_original.matrix, B.from_original.shift)
    assert back.arrangement.same_numbers(A)


@given(strategies.arrangements(max_rows=3), strategies.arrangements(max_rows=3))
def test_product_and_union(first: Any, second: Any) -> None:
    A, B = Arrangement(*first), Arrangement(*second)
    both = product(A, B).arrangement
    assert both.dimension == A.dimension + B.dimension
    assert chambers(both) == {(*s, *t) for s, t in tuples(chambers(A), chambers(B))}
    if A.dimension == B.dimension:
        joined = union(A, B).arrangement
        check_rows(union(A, B), joined, witnesses(joined).values())
        for part, rows in ((A, range(len(A))), (B, range(len(A), len(joined)))):
            assert deletion(joined, sorted(set(range(len(joined))) - set(rows))).arrangement == part
        assert {s[: len(A)] for s in chambers(joined)} == chambers(A)


# ------------------------------------------------------------------ known answers


def test_braid_and_its_neighbors() -> None:
    braid = generators.braid(5).normals
    assert restriction(braid, 0).arrangement.dimension == 4
    assert len(simplify(restriction(braid, 0).arrangement).rows) == 6  # braid(4)
    assert restriction(braid, 0).arrangement.count_chambers() == 24
    # x_0 = x_1 and x_2 = x_3: two transpositions commute
    commuting = localization(braid, [0, 7])
    assert commuting.rows == (0, 7) and commuting.arrangement.count_chambers() == 4
    assert localization(braid, [0, 4]).rows == (0, 1, 4)
    assert essentialization(braid).arrangement.dimension == 4
    assert decone(braid, 3).arrangement.count_chambers() == 60
    shi = generators.shi(3)
    assert cone(shi).arrangement.count_chambers() == 32
    assert product(shi, generators.boolean(3)).arrangement.count_chambers() == 16 * 8
    both = union(generators.linial(3), generators.braid(3))
    assert both.arrangement.count_chambers() == 16 and both.rows == tuple(range(len(both.rows)))


def test_proofs_travel_along_the_maps() -> None:
    """A certificate for the restriction is one for the face of the arrangement."""
    A = Arrangement(generators.resonance(3))
    R = restriction(A, 2)
    for signs in R.arrangement.chambers():
        certificate = feasible(R.arrangement, signs)
        assert certificate.verify() and certificate.point is not None
        lifted = signs_at(A, R.to_original(certificate.point))
        assert chosen(lifted, R.rows) == tuple(signs.tolist()) and lifted[2] == 0


def test_near_ties_are_told_apart() -> None:
    ulp = 2.0**-52
    W = [[1.0, 1.0], [1.0, 1.0 + ulp], [3.0, 3.0]]
    assert simplify(W).rows == (0, 1)
    assert localization(W, [0]).rows == (0, 2)
    # three lines through a point up to one ulp
    b = [-1.0, -2.0, -3.0]
    lines = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    assert localization(lines, [0, 1], offsets=b).rows == (0, 1, 2)
    b[2] = -3.0 - 2 * ulp
    assert localization(lines, [0, 1], offsets=b).rows == (0, 1)
    R = restriction(lines, 0, offsets=b)
    assert R.arrangement.offsets is not None
    assert R.arrangement.offsets.tolist() == [-2, -2 - 2 * ulp]


def test_numbers_stay_exact() -> None:
    big = 2**53 + 1
    joined = union([[big]], [[0.5]]).arrangement
    assert joined.normals.tolist() == [[big], [Fraction(1, 2)]]
    blocks = product([[big]], [[0.5]]).arrangement
    assert blocks.normals.tolist() == [[big, 0], [0, Fraction(1, 2)]]
    shifted = union([[1]], Arrangement([[2]], [0.5])).arrangement
    assert shifted.offsets is not None and shifted.offsets.tolist() == [0, Fraction(1, 2)]
    thirds = restriction([[3, 1, 0], [1, 0, 0]], 0)
    assert thirds.arrangement.normals.tolist() == [[Fraction(-1, 3), 0]]
    assert essentialization([[0.1, 0.3]]).arrangement.normals.tolist() == [[0.1]]
    huge = restriction([[1e300, 1e-300], [1.0, 0.0]], 0)
    assert huge.arrangement.normals.tolist() == [[-Fraction(1e-300) / Fraction(1e300)]]


# ------------------------------------------------------------------ edges


@pytest.mark.parametrize("d", [0, 1, 3])
def test_no_hyperplanes(d: int) -> None:
    A = Arrangement(np.empty((0, d)))
    assert deletion(A, []).arrangement == A
    assert restriction(A, []).arrangement == A
    assert localization(A, []).rows == localization(A, point=[0] * d).rows == ()
    assert simplify(A).restore(np.empty((1, 0))).shape == (1, 0)
    assert essentialization(A).arrangement.dimension == 0
    assert essentialization(A).to_original(()) == (0,) * d
    assert cone(A).arrangement.normals.tolist() == [[0] * d + [1]]
    assert decone(cone(A).arrangement).arrangement == A
    assert product(A, A).arrangement.dimension == 2 * d and union(A, A).arrangement == A
    assert product(A, [[1]]).arrangement.count_chambers() == 2
    assert change_of_basis(A, np.eye(d)).arrangement == A
    with pytest.raises(InputError, match="decone needs a hyperplane"):
        decone(A)


def test_a_point_is_a_space() -> None:
    R = restriction([[1, 0], [0, 1], [1, 1]], [0, 1], offsets=[-1, -2, 0])
    assert R.arrangement.dimension == 0 and R.rows == (2,)
    assert R.arrangement.loops == (0,) and R.to_original(()) == (1, 2)
    assert R.arrangement.count_chambers() == 1
    assert R.arrangement.chambers().to_array().tolist() == [[1]]
    assert decone([[2]]).arrangement.dimension == 0
    assert essentialization([[0, 0]], [3]).arrangement.count_chambers() == 1


def test_parallel_hyperplanes_become_loops() -> None:
    R = restriction([[1, 1], [-2, -2], [1, 1], [1, 0]], 0, offsets=[0, 1, 0, 0])
    assert R.rows == (1, 3) and R.arrangement.loops == (0,)
    assert R.arrangement.chambers().to_array()[:, 0].tolist() == [1, 1]
    D = decone([[1, 2], [2, 4], [-1, -2], [1, 0]], 0)
    assert D.arrangement.loops == (0, 1)
    assert D.arrangement.offsets is not None
    assert D.arrangement.offsets[:2].tolist() == [2, -1]


def test_labels_go_with_their_rows() -> None:
    A = Arrangement([[1, 0], [0, 1], [1, 1], [2, 0]], labels="abcd")
    assert deletion(A, [0, 2]).arrangement.labels == ("b", "d")
    assert restriction(A, 0).arrangement.labels == ("b", "c")
    assert localization(A, 0).arrangement.labels == ("a", "d")
    assert simplify(A).arrangement.labels == ("a", "b", "c")
    assert cone(A).arrangement.labels == (*"abcd", "infinity")
    assert decone(A, 1).arrangement.labels == tuple("acd")
    assert essentialization(A).arrangement.labels == A.labels
    assert change_of_basis(A, np.eye(2)).arrangement.labels == A.labels
    for both in (union(A, A), product(A, A)):
        assert both.arrangement.labels == tuple("abcdabcd")
    assert union(A, [[1, 0]]).arrangement.labels is None


def test_methods_are_the_functions() -> None:
    A = Arrangement(generators.braid(3))
    assert A.deletion(0) == deletion(A, 0)
    assert A.localization(point=[1, 1, 0]).rows == localization(A, 0).rows
    assert A.restriction(0) == restriction(A, 0) and A.restriction(0) != restriction(A, 1)
    assert A.simplify().arrangement == A and A.cone() == cone(A)
    assert A.decone() == decone(A) and A.essentialization() == essentialization(A)
    assert A.product(A) == product(A, A) and A.union(A) == union(A, A)
    assert A.change_of_basis(np.eye(3), [1, 1, 1]).arrangement == A


def test_ways_to_name_rows() -> None:
    W = np.eye(4, dtype=int)
    mask = np.array([True, False, False, True])
    for rows in (
        [0, 3],
        (3, 0),
        {0, -1},
        np.array([0, 3]),
        mask,
        frozenset([0, 3]),
        range(0, 4, 3),
    ):
        assert deletion(W, rows).rows == (1, 2)
    assert deletion(W, np.int64(-4)).rows == (1, 2, 3)
    assert deletion(W, np.zeros(4, dtype=bool)).rows == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: deletion([[1]], 1), "there is no label 1: rows are numbered from 0 to 0"),
        (lambda: deletion([[1]], 0.5), "rows is 0.5; expected rows or labels"),
        (lambda: deletion([[1], [2]], [True]), "mask of 2 bools"),
        (
            lambda: restriction([[1], [1]], [0, 1], offsets=[0, 1]),
            r"\(0, 1\) have no point in common",
        ),
        (lambda: restriction([[0], [1]], 0, offsets=[1, 1]), r"\(0,\) have no point in common"),
        (lambda: localization([[1]]), "exactly one"),
        (lambda: localization([[1]], 0, point=[0]), "exactly one"),
        (lambda: localization([[1]], point=[0, 1]), r"point has shape \(2,\); expected \(1,\)"),
        (lambda: decone([[1]], 0, offsets=[1]), "decone needs a central arrangement"),
        (lambda: change_of_basis([[1, 2]], [[1]]), r"shape \(1, 1\); expected \(2, 2\)"),
        (lambda: change_of_basis([[1, 2]], [[1, 2], [2, 4]]), "matrix is singular"),
        (lambda: change_of_basis([[1]], [[1]], [0, 0]), "translation has shape"),
        (lambda: union([[1]], [[1, 2]]), r"dimensions \[1, 2\] differ"),
        (lambda: union(), "given no arrangement"),
        (lambda: product(), "given no arrangement"),
        (lambda: simplify([[1], [2]]).restore([1, 1]), r"expected \(..., 1\)"),
        (lambda: simplify([[1], [2]]).restore([True]), "signs holds booleans"),
        (lambda: simplify([[1], [2]]).restore([2]), r"signs\[0\] is 2"),
        (lambda: restriction([[1, 0]], 0).to_original([1, 2]), "point has shape"),
        (lambda: deletion([[1], [2]], 0).restore([1]), r"row 0 of the original was .* \(1 such"),
    ],
)
def test_errors(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_one_readable_line() -> None:
    A = Arrangement(np.arange(1, 21)[:, None])
    assert repr(cone([[1], [2]])) == (
        "Derived(Arrangement(3 hyperplanes in dimension 2, central), rows 0, 1, new of 2)"
    )
    assert repr(deletion(A, 0).rows[:2]) == "(1, 2)" and "\n" not in repr(deletion(A, 0))
    assert repr(deletion(A, 0)).endswith("rows 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, .., 19 of 20)")
    assert repr(deletion([[1]], 0)).endswith("no rows of 1)")
    assert repr(cone([[1]]).to_original) == "AffineMap(from dimension 2 to dimension 1)"


def test_what_is_derived_cannot_be_changed() -> None:
    for D in (R := restriction([[1, 0], [0, 1]], 0), pickle.loads(pickle.dumps(R))):
        with pytest.raises(AttributeError):
            D.rows = ()
        with pytest.raises(ValueError, match="read-only"):
            D.to_original.matrix[0] = 1
    assert R != deletion([[1, 0], [0, 1]], 0) and R.to_original != R.from_original


def test_localization_restores_the_chambers_around() -> None:
    # x = 0, x = 1 and y = 0 near the line x = 0: the sign of x = 1 is known, that of y = 0 is not
    W, b = [[1, 0], [1, 0], [0, 1]], [0, -1, 0]
    assert localization(W, 0, offsets=b).orientation == (1, -1, None)
    assert localization(W, [0, 2], offsets=b).restore([[1, 1], [-1, 1]]).tolist() == [
        [1, -1, 1],
        [-1, -1, 1],
    ]


def test_signs_are_restored_however_they_are_written() -> None:
    D = restriction(Arrangement([[1, 0], [0, 1], [2, 3]], labels="abc"), "a")
    assert D.arrangement.labels == ("b", "c")
    for signs in ("+-", [1, -1], {"b": 1, "c": -1}, {0: 1, 1: -1}):
        assert D.restore(signs).tolist() == [0, 1, -1]
    S = D.arrangement.chambers()
    assert D.restore(S).tolist() == D.restore(S.to_array()).tolist()
    with pytest.raises(InputError, match="expected those of all 2"):
        D.restore({"b": 1})


@given(strategies.arrangements(max_rows=6), st.data())
def test_one_operation_then_another(arguments: Any, data: st.DataObject) -> None:
    A = Arrangement(*arguments)
    usable = [i for i, row in enumerate(A.integer_rows) if any(row[:-1])]
    if not usable:
        return
    first = restriction(A, data.draw(st.sampled_from(usable)))
    B = first.arrangement
    steps = [simplify(B), essentialization(B), cone(B)]
    steps += [restriction(B, i) for i, row in enumerate(B.integer_rows) if any(row[:-1])][:1]
    for second in steps:
        both = first.then(second)
        assert both.arrangement is second.arrangement and len(both.position) == len(A)
        for signs in sorted(chambers(second.arrangement))[:5]:
            if all(signs[i] > 0 for i, row in enumerate(second.rows) if row == -1):
                expected = first.restore(second.restore(signs))
                assert np.array_equal(both.restore(signs), expected)
        y = [Fraction(k, 3) for k in range(second.arrangement.dimension)]
        assert both.to_original(y) == first.to_original(second.to_original(y))
        x = first.to_original([Fraction(k, 7) for k in range(B.dimension)])
        assert both.from_original(x) == second.from_original(first.from_original(x))


def test_operations_that_do_not_follow_each_other() -> None:
    first = restriction([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 0)
    with pytest.raises(InputError, match="expected what an operation made of"):
        first.then(simplify([[1, 0, 0]]))
    with pytest.raises(InputError, match="expected a map to dimension 2"):
        first.to_original.after(first.to_original)
