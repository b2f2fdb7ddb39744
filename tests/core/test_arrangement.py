"""The immutable holder, what it knows exactly, and genericity."""

import gc
import pickle
import weakref
from fractions import Fraction
from itertools import combinations
from unittest.mock import ANY

import naive
import numpy as np
import pytest
import scipy.sparse
import strategies
import sympy
from examples import EXAMPLES
from hypothesis import given
from hypothesis import strategies as st

from arrangements import (
    Hyperplane,
    ScoreModel,
    SignVectors,
    chambers,
    count_chambers,
    feasible,
    generators,
    rankings,
)
from arrangements.core.arrangement import Arrangement
from arrangements.errors import DegenerateArrangementError, InputError, TooLargeError
from arrangements.exact import linear
from arrangements.exact.residues import primes
from arrangements.models import low_rank_structure


def exact_rows(A):
    """Rows (w, b) as Fractions."""
    offsets = [0] * A.n_hyperplanes if A.offsets is None else A.offsets.tolist()
    return [
        [Fraction(entry) for entry in (*row, b)]
        for row, b in zip(A.normals.tolist(), offsets, strict=True)
    ]


def proportional(a, b):
    return all(a[i] * b[j] == a[j] * b[i] for i, j in combinations(range(len(a)), 2))


def test_attributes():
    A = Arrangement([[1, 0], [0, 2]], [0.5, 0], labels=["x", "y"])
    assert (A.n_hyperplanes, A.dimension, A.rank, A.is_central) == (2, 2, 2, False)
    assert A.labels == ("x", "y") and len(A) == 2
    assert A.integer_rows == [[2, 0, 1], [0, 1, 0]]
    assert repr(A) == "Arrangement(2 hyperplanes in dimension 2, affine)"
    assert Arrangement([[1, 2]]).offsets is None
    assert Arrangement([[1, 2]], [0.0]).is_central


def test_it_is_immutable_and_independent_of_its_input():
    W = np.eye(2)
    A = Arrangement(W, [1, 2])
    W[0, 0] = 7
    assert A.normals[0, 0] == 1
    with pytest.raises(AttributeError, match="immutable"):
        A.normals = W
    with pytest.raises(AttributeError, match="immutable"):
        del A.labels
    with pytest.raises(ValueError, match="read-only"):
        A.normals[0, 0] = 3
    with pytest.raises(ValueError, match="read-only"):
        A.offsets[0] = 3


def test_no_hyperplanes():
    A = Arrangement(np.empty((0, 3)))
    assert (A.n_hyperplanes, A.dimension, A.rank) == (0, 3, 0)
    assert A.is_central and A.is_generic and A.parallel_classes == () and A.integer_rows == []
    assert Arrangement.coerce(A) is A
    assert Arrangement.coerce(np.empty((0, 3))) == A
    with pytest.raises(InputError, match=r"shape \(0,\); expected \(n, d\)"):
        Arrangement.coerce([])


def test_degenerate_rows_are_named():
    with pytest.raises(DegenerateArrangementError, match="row 1 is zero and so is its offset"):
        Arrangement([[1, 0], [0, 0]])
    with pytest.raises(DegenerateArrangementError, match=r"row 0 .*2 such rows"):
        Arrangement([[0, 0], [-0.0, 0], [0, 0]], [0, 0.0, 1])
    assert Arrangement([[0, 0]], [Fraction(1, 3)]).loops == (0,)


def test_other_errors():
    with pytest.raises(InputError, match="1 labels were given for 2 rows"):
        Arrangement(np.eye(2), labels="a")
    with pytest.raises(InputError, match=r"offsets has shape \(3,\); expected \(2,\)"):
        Arrangement(np.eye(2), [1, 2, 3])
    with pytest.raises(InputError, match="with an Arrangement"):
        Arrangement.coerce(Arrangement(np.eye(2), [3, 4]), [1, 2])


def test_equality_hash_and_pickle():
    A = Arrangement([[1, 2]], [3])
    same = Arrangement([[1.0, Fraction(2)]], [3.0])
    assert A == same and hash(A) == hash(same)
    assert A != Arrangement([[1, 2]]) and A != Arrangement([[1, 2]], [3], ["a"]) and A != 1
    assert A.same_numbers(Arrangement([[1, 2]], [3], ["a"]))
    assert A.same_numbers(same) and not A.same_numbers(Arrangement([[2, 4]], [6]))
    assert Arrangement([[1, 2]]) == Arrangement([[1.0, 2.0]], [0])
    assert hash(Arrangement([[1, 2]])) == hash(Arrangement([[1.0, 2.0]], [0]))
    assert Arrangement([[2**53 + 1]]) != Arrangement([[2.0**53]])
    thirds = Arrangement([[Fraction(1, 3), 2]], [0.5], ["a"])
    copy = pickle.loads(pickle.dumps(thirds))
    assert copy == thirds and copy.normals.dtype == object and not copy.normals.flags.writeable


@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_rank_rows_and_classes_of_the_examples(example):
    check_structure(Arrangement(*example.arguments))


@given(strategies.arrangements())
def test_rank_rows_and_classes(arguments):
    check_structure(Arrangement(*arguments))


def check_structure(A):
    rows = exact_rows(A)
    assert all(
        proportional([*row, *exact], [*exact, *row]) or proportional(row, exact)
        for row, exact in zip(A.integer_rows, rows, strict=True)
    )
    assert A.rank == linear.rank([row[:-1] for row in A.integer_rows])
    for classes, width in ((A.parallel_classes, -1), (A.coincident_classes, None)):
        cut = [row[:width] for row in rows]
        assert sorted(i for group in classes for i in group) == [
            i for i in range(len(rows)) if i not in A.loops
        ]
        assert all(proportional(cut[group[0]], cut[i]) for group in classes for i in group)
        assert not any(proportional(cut[a[0]], cut[b[0]]) for a, b in combinations(classes, 2))
        assert [group[0] for group in classes] == sorted(group[0] for group in classes)
    assert A.loops == tuple(i for i, row in enumerate(rows) if not any(row[:-1]))


def test_parallel_classes_of_thousands():
    rng = np.random.default_rng(0)
    W = rng.normal(size=(1500, 3))
    both = np.concatenate([W, -2 * W])
    assert Arrangement(both).parallel_classes == tuple((i, i + 1500) for i in range(1500))


def naive_generic(A):
    """General position by all minors."""
    n, d, rows = A.n_hyperplanes, A.dimension, A.integer_rows
    normals = [row[:-1] for row in rows]
    size = min(n, d)
    if any(linear.rank([normals[i] for i in s]) < size for s in combinations(range(n), size)):
        return False
    if A.is_central:
        return True
    return all(linear.rank([rows[i] for i in s]) > d for s in combinations(range(n), d + 1))


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.n <= 12], ids=repr)
def test_is_generic_of_the_examples(example):
    A = Arrangement(*example.arguments)
    assert A.is_generic == naive_generic(A)


@given(strategies.arrangements(), st.booleans())
def test_is_generic(arguments, spread):
    W, b = arguments
    if spread:  # small integers are rarely generic; powers of distinct numbers nearly always are
        W = [[(i + 2) ** k for k in range(len(W[0]))] for i in range(len(W))]
    A = Arrangement(W, b)
    assert A.is_generic == naive_generic(A)


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_one_planted_dependency(d):
    rng = np.random.default_rng(d)
    W = rng.integers(-(10**6), 10**6, (20, d))
    assert Arrangement(W).is_generic
    W[17] = rng.integers(1, 9, d - 1) @ W[[3, 8, 11, 19][: d - 1]]
    assert not Arrangement(W).is_generic


def test_generic_counts_agree_with_the_closed_form():
    rng = np.random.default_rng(3)
    W = rng.integers(-50, 50, (6, 3)).tolist()
    assert Arrangement(W).is_generic == (naive.count(W, None) == 2 * (1 + 5 + 10))


def test_unlucky_prime():
    p = primes(1)[0]
    A = Arrangement([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, p], [1, p, 1], [p, 1, 1]])
    assert A.is_generic == naive_generic(A)
    B = Arrangement([[1, 0], [1, p], [1, 2 * p], [0, 1]])
    assert B.is_generic


def test_is_generic_refuses_what_it_cannot_prove():
    with pytest.raises(TooLargeError, match="more than the"):
        _ = Arrangement(np.random.default_rng(0).normal(size=(200, 8))).is_generic


def test_the_same_hyperplanes():
    A = Arrangement([[1, 2], [0, 1], [0, 0]], [3, 0, 1])
    for rows, offsets in [
        ([[2, 4], [0, -3]], [6, 0]),
        ([[0, 0.5], [-1, -2], [Fraction(1, 3), Fraction(2, 3)], [0, 0]], [0, -3, 1, -7]),
    ]:
        assert A.same_hyperplanes(Arrangement(rows, offsets))
        assert not A.same_numbers(Arrangement(rows, offsets))
    assert not A.same_hyperplanes(Arrangement([[1, 2]], [3]))
    assert not A.same_hyperplanes(Arrangement([[1, 2], [0, 1]], [4, 0]))
    assert not A.same_hyperplanes(Arrangement([[1, 2, 0], [0, 1, 0]], [3, 0]))
    assert Arrangement([[0, 0]], [1]).same_hyperplanes(Arrangement(np.empty((0, 2))))


def test_what_is_no_matrix():
    from arrangements import OrientedMatroid, chambers, characteristic_polynomial, rankings

    with pytest.raises(InputError, match=r"W is OrientedMatroid\(2 .*pass the matrix"):
        rankings(OrientedMatroid.from_matrix(np.eye(2)))
    with pytest.raises(InputError, match="W is SignVectors.*pass the arrangement or weights"):
        characteristic_polynomial(chambers(np.eye(2)))
    for value in (None, "ab", {1: 2}, 3):
        with pytest.raises(InputError, match=r"normals is .*; expected numbers of shape \(n, d\)"):
            chambers(value)


# ------------------------------------------------------------------ rows


LABELED = Arrangement(
    [[1, 0], [0.5, 2], [-2, 0], [0, 0]], [0, Fraction(1, 3), 0, 5], labels=["a", "b", 7, "loop"]
)


def test_a_row_is_a_hyperplane():
    rows = list(LABELED)
    assert rows == [LABELED[i] for i in range(4)] == [LABELED[i - 4] for i in range(4)]
    assert rows[1] == Hyperplane((0.5, 2), Fraction(1, 3), "b") == LABELED["b"]
    assert rows[2] == LABELED[7] == LABELED["7"] == LABELED[np.int64(2)]
    assert repr(rows[3]) == "Hyperplane(normal=(0.0, 0.0), offset=5, label='loop')"
    assert Arrangement([[1, -1]])[0] == Hyperplane((1, -1)) == ((1, -1), 0, None)
    assert len({*rows, *rows}) == 4
    with pytest.raises(IndexError, match="row 4 of 4 hyperplanes"):
        LABELED[4]
    with pytest.raises(IndexError):
        Arrangement(np.empty((0, 2)))[0]
    with pytest.raises(InputError, match="'c' is not the name of a label"):
        LABELED["c"]
    with pytest.raises(InputError, match="1 is the label of row 0, and row 1 has the label 0"):
        Arrangement([[1], [2]], labels=[1, 0])[1]


def test_several_rows_are_an_arrangement():
    def numbers_of(part):
        return part.normals[:, 0].tolist(), part.offsets.tolist(), part.labels

    third = Fraction(1, 3)
    assert numbers_of(LABELED[:2]) == ([1, 0.5], [0, third], ("a", "b"))
    assert numbers_of(LABELED[::-2]) == ([0, 0.5], [5, third], ("loop", "b"))
    assert LABELED[:] == LABELED == LABELED[range(4)]
    for rows in ([2, 0], ["7", "a"], np.array([2, 0]), [np.int64(2), -4], [LABELED[7]]):
        found = LABELED[rows]
        assert numbers_of(found) == ([-2, 1], [0, 0], (7, "a")) or rows == [LABELED[7]]
    assert LABELED[[LABELED[7]]] == LABELED[[0, 2]]
    assert LABELED[[0, 0]].n_hyperplanes == 2
    for mask in ([True, False, True, False], np.array([True, False, True, False])):
        assert LABELED[mask] == LABELED[[0, 2]] == LABELED[{2, 0}]
    assert LABELED[[]] == LABELED[4:] and LABELED[[]].dimension == 2
    assert Arrangement([[1], [2]])[:1] == Arrangement([[1]])
    with pytest.raises(InputError, match=r"the index is \(slice.*entries .* in A\.normals"):
        LABELED[:, 0]
    for odd in (None, 1.5, True, [[0, 1]], [0.0], [9], ...):
        with pytest.raises(InputError):
            LABELED[odd]


def test_rows_make_an_arrangement():
    assert Arrangement(list(LABELED)) == LABELED
    assert Arrangement(list(LABELED[:1]), labels=["x"]).labels == ("x",)
    some = [hyperplane for hyperplane in generators.semiorder(3) if hyperplane.offset > 0]
    assert chambers(some) == chambers(generators.deformation(3, [-1]))
    mixed = Arrangement([LABELED["a"], Hyperplane((1, 1), -1)])
    assert mixed == Arrangement([[1, 0], [1, 1]], [0, -1])
    with pytest.raises(InputError, match="offsets were given with hyperplanes"):
        Arrangement(list(LABELED), [0, 0, 0, 0])


def test_rows_are_found_by_their_equation():
    assert all(hyperplane in LABELED for hyperplane in LABELED)
    assert Hyperplane((-3, 0)) in LABELED and ([-3, -12], -2) in LABELED
    assert Hyperplane((0, 1)) not in LABELED and ([1, 0], 1) not in LABELED
    assert Hyperplane((0, 0), -1) in LABELED
    with pytest.raises(InputError, match="'a' is not a hyperplane; .* `label in A.labels`"):
        assert "a" in LABELED
    with pytest.raises(InputError, match=r"normal has shape \(3,\); expected \(2,\)"):
        assert Hyperplane((1, 0, 0)) in LABELED
    with pytest.raises(InputError, match="zeros only; expected an equation"):
        assert Hyperplane((0, 0)) in LABELED


def test_rows_are_left_out_by_their_equation():
    A = Arrangement([[1, 0], [0, 1], [-2, 0], [1, 1]])
    assert A.deletion(A[0]).rows == A.deletion(([4, 0], 0)).rows == (1, 3)
    assert A.deletion([A[1], Hyperplane((-1, -1))]).rows == A.deletion({A[1], A[3]}).rows == (0, 2)
    assert A.restriction(A[1]).rows == A.restriction(1).rows
    assert A.localization([A[0]]).rows == (0, 2)
    assert A.decone(A[3]).rows == (0, 1, 2)
    with pytest.raises(InputError, match=r"no row is the hyperplane \(\[1, 2\], 0\)"):
        A.deletion(([1, 2], 0))
    with pytest.raises(InputError, match="1 is mixed with equations"):
        A.deletion([A[0], 1])


def test_union_by_the_operator():
    A, B = LABELED[:2], LABELED[2:]
    assert A | B == LABELED and B | A == LABELED[[2, 3, 0, 1]]
    assert (A | A).n_hyperplanes == 4
    for other in ([[1, 0]], np.eye(2), None):
        with pytest.raises(TypeError, match="unsupported operand|does not support"):
            A | other


# ------------------------------------------------------------------ beside arrays


@pytest.mark.parametrize("dtype", [None, float, object, np.int8])
@pytest.mark.parametrize("rows", [[[1, 2], [3, 4]], [[1.0, 2], [3, 4]], [[1, Fraction(3)]]])
def test_a_central_arrangement_is_an_array(rows, dtype):
    A = Arrangement(rows, labels=range(len(rows)))
    assert np.asarray(A) is A.normals or dtype is not None
    for found in (np.asarray(A, dtype), np.array(A, dtype), A.__array__(dtype, copy=True)):
        expected = np.asarray(A.normals, dtype)
        assert found.dtype == expected.dtype and found.tolist() == expected.tolist()
    assert np.array(A).flags.writeable and not np.asarray(A).flags.writeable
    assert np.array_equal(np.asarray(Arrangement(rows, [0] * len(rows))), A.normals)
    with pytest.raises(ValueError, match=r"[Uu]nable to avoid copy"):
        np.asarray(A, np.float32, copy=False)
    assert np.asarray([A, A]).shape == (2, *A.normals.shape)
    assert np.linalg.norm(Arrangement([[3, 4]])) == 5


def test_an_affine_arrangement_is_no_array():
    A = Arrangement([[1, 2]], [3])
    for use in (np.asarray, np.array, np.linalg.norm, low_rank_structure, cyclic_of):
        with pytest.raises(InputError, match=r"with offsets is not an array; pass A\.normals and"):
            use(A, 1) if use is low_rank_structure else use(A)


def cyclic_of(A):
    return generators.discriminantal(A)


def test_nothing_is_compared_entry_by_entry():
    A, X = Arrangement([[1, 0], [0, 1]]), np.eye(2)
    assert (A == X) is False and (X == A) is False and (A != X) is True and (X != A) is True
    assert (A == X.tolist()) is False and (A == 1) is False
    assert (A == scipy.sparse.csr_array(X)) is False and (A == sympy.eye(2)) is False
    assert A == ANY and A in [X, A] and A not in [X, X]
    for calculate in (lambda: A @ X, lambda: X @ A, lambda: A @ A):
        with pytest.raises(InputError, match=r"not a matrix in arithmetic; use the array A"):
            calculate()
    for calculate in (lambda: 2 * A, lambda: A + X, lambda: X - A, lambda: np.abs(A), lambda: -A):
        with pytest.raises(TypeError):
            calculate()


def test_offsets_beside_a_central_arrangement():
    A = Arrangement([[1, 0], [0, 1]], [0, 0], labels=["x", "y"])
    found = Arrangement.coerce(A, [1, 2])
    assert found == Arrangement([[1, 0], [0, 1]], [1, 2], ["x", "y"]) == Arrangement(A, [1, 2])
    assert Arrangement(found) == found and Arrangement(found, labels="ab").labels == ("a", "b")
    assert ScoreModel(found).labels == ("x", "y") and ScoreModel(found).offsets.tolist() == [1, 2]
    assert ScoreModel(A, [1, 2]).same_scores(ScoreModel(found))
    for take in (Arrangement, Arrangement.coerce, ScoreModel, chambers, rankings):
        with pytest.raises(InputError, match="with an Arrangement, which has its own"):
            take(found, [1, 2])


def test_essential():
    assert Arrangement(np.eye(2)).is_essential and Arrangement([[1]], [3]).is_essential
    assert not generators.braid(3).is_essential
    assert generators.braid(3).essentialization().arrangement.is_essential


def test_families_travel(tmp_path):
    A = Arrangement(generators.braid(4), labels=range(6))
    S = chambers(A)
    S.save(tmp_path / "set.npz")
    assert S == SignVectors.load(tmp_path / "set.npz") == chambers(generators.braid(4).normals)
    assert pickle.loads(pickle.dumps((A, A[2]))) == (A, A[2])
    np.save(tmp_path / "w.npy", generators.braid(4))
    assert np.array_equal(np.load(tmp_path / "w.npy"), generators.braid(4).normals)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("question", [chambers, count_chambers, lambda A: feasible(A, [1, 1, 1])])
def test_an_arrangement_is_freed_at_once(question):
    """It is not part of a circle that waits for the garbage collector."""
    gc.collect()
    gc.disable()
    try:
        A = Arrangement([[1.5, 0.25], [0.5, 1.0], [1.0, 1.75]])
        question(A)
        seen = weakref.ref(A)
        del A
        assert seen() is None
    finally:
        gc.enable()
