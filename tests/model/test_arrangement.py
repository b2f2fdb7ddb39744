"""The immutable holder, what it knows exactly, and genericity."""

import pickle
from fractions import Fraction
from itertools import combinations

import naive
import numpy as np
import pytest
import strategies
from examples import EXAMPLES
from hypothesis import given
from hypothesis import strategies as st

from arrangements.errors import DegenerateArrangementError, InputError, TooLargeError
from arrangements.exact import linear
from arrangements.exact.residues import primes
from arrangements.model.arrangement import Arrangement


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
    with pytest.raises(InputError, match="beside an Arrangement"):
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
    from arrangements import OrientedMatroid, chambers, characteristic_polynomial

    with pytest.raises(InputError, match=r"W is OrientedMatroid\(2 .*pass the matrix"):
        characteristic_polynomial(OrientedMatroid.from_matrix(np.eye(2)))
    with pytest.raises(InputError, match="W is SignVectors.*pass the arrangement or weights"):
        characteristic_polynomial(chambers(np.eye(2)))
    for value in (None, "ab", {1: 2}, 3):
        with pytest.raises(InputError, match=r"normals is .*; expected numbers of shape \(n, d\)"):
            chambers(value)
