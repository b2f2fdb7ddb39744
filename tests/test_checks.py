"""Arguments of the wrong kind are refused in one clear line; odd ones that are right are taken."""

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import arrangements as ar
from arrangements import Arrangement, generators
from arrangements.checks import check_option, checked_integer, random_generator
from arrangements.errors import InputError, UnknownMethodError, shown

W = [[1, 0], [0, 1], [1, 1]]
RAGGED = [[1, 2], [3]]
M = ar.OrientedMatroid.from_matrix(W)


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), np.array(3)])
def test_integers(value: object) -> None:
    found = checked_integer("k", value, 1, 3)
    assert found == 3 and type(found) is int


@pytest.mark.parametrize(
    ("value", "least", "most", "message"),
    [
        (True, None, None, "k is True; expected an integer.$"),
        (np.True_, 0, None, "expected an integer of at least 0"),
        (2.0, 1, None, "k is 2.0; expected a positive integer"),
        ("2", 1, 4, "k is '2'; expected an integer from 1 to the rows, 4"),
        (np.array([2]), 1, None, r"k is array\(\[2\]\); expected a positive integer"),
        (None, -2, None, "k is None; expected an integer of at least -2"),
        (0, 1, None, "k is 0"),
        (5, 1, 4, "k is 5"),
    ],
)
def test_no_such_integers(value: object, least: int, most: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        checked_integer("k", value, least, most, of="the rows")


def test_ties_cannot_be_dropped_everywhere() -> None:
    for ask in (ar.ranking_pattern, ar.plot_rankings, lambda W: ar.tie_set(W, [0])):
        with pytest.raises(ar.TiedLabelsError, match="no ranking is strict. Keep one of them.$"):
            ask([[1, 2], [1, 2]])


def test_an_integer_too_long_to_print() -> None:
    with pytest.raises(InputError, match="k is an integer of 5001 digits; expected a positive"):
        checked_integer("k", -(10**5000), 1)


def test_options_and_seeds() -> None:
    check_option("kind", 2, (1, 2))
    for value in (3, "1", [1], np.array([1, 2]), None):
        with pytest.raises(UnknownMethodError, match="kind is .*; expected 1 or 2"):
            check_option("kind", value, (1, 2))
    assert random_generator(np.random.default_rng(1)).integers(9) == random_generator(1).integers(9)
    with pytest.raises(InputError, match="rng is 'x'; expected a seed"):
        random_generator("x")


def test_what_is_shown_of_a_value() -> None:
    assert shown(10**20) == str(10**20) and shown(10**5000) == "an integer of 5001 digits"
    assert shown(-(10**5000) + 1) == "an integer of 5000 digits"
    assert shown(np.zeros((2, 2))) == "array([[0., 0.], [0., 0.]])"
    assert len(shown("x" * 10**6)) < 80 and shown([10**5000]) == "a list"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ar.cosine_matrix(RAGGED), "W is ragged: row 0"),
        (lambda: ar.same_cosines(RAGGED, RAGGED), "W is ragged: row 0"),
        (lambda: ar.ranking_pattern(RAGGED), "W is ragged: row 0"),
        (lambda: ar.SignVectors.from_array(None), "signs is None; expected one row"),
        (lambda: ar.SignVectors.from_array(3), "signs is 3; expected one row"),
        (lambda: ar.SignVectors.from_array([[1, 1], [1]]), "signs is .*; expected rows of one len"),
        (lambda: ar.SignVectors.from_array({1, -1}), r"signs has shape \(2,\); expected \(m, n\)"),
        (lambda: ar.SignVectors([[1]], 1, half=False), "packed is .*SignVectors.from_array"),
        (lambda: ar.SignVectors(np.zeros((1, 1), np.uint64), "x", half=False), "n is 'x'"),
        (
            lambda: ar.SignVectors(np.zeros((1, 1), np.uint64), 1, half=False, arrangement=3),
            "arrangement is 3; expected an Arrangement",
        ),
        (lambda: ar.Rankings.from_array(None), "orders is None; expected one row"),
        (lambda: ar.Rankings.from_array([[1, 0], [1]]), "orders is .*; expected rows of one len"),
        (lambda: ar.Rankings([[1, 0]], half=False), "orders is .*Rankings.from_array"),
        (lambda: ar.Rankings.from_array([[0, 1]]).witness(0), r"those that rankings\(W\) lists"),
        (lambda: ar.characteristic_polynomial(W, symmetry=5), "symmetry is 5; expected perm"),
        (
            lambda: ar.characteristic_polynomial(W, symmetry="ab"),
            r"symmetry\[0\] is 'a'; expected a seq",
        ),
        (lambda: ar.whitney_numbers(W, kind=np.array([1, 2])), "kind is .*; expected 1 or 2"),
        (lambda: ar.tie_set(W, labels=3), "label 3 is no row of 3, numbered from 0"),
        (lambda: ar.decone(W, row=(1, 2)), r"row is \(1, 2\); expected one row or label"),
        (lambda: ar.check_chirotope(3, "x", [1, 1, 1]), "rank is 'x'; expected an integer from 0"),
        (lambda: ar.rankings(W, ties=5), "ties is 5; expected 'error' or 'drop'"),
        (lambda: ar.characteristic_polynomial(W, symmetry=np.array(3)), "expected permutations"),
        (lambda: ar.tie_set(W, np.array(3)), "label 3 is no row of 3, numbered from 0"),
        (lambda: ar.feasible(W, RAGGED), "signs is .*; expected rows of one length"),
        (lambda: RAGGED in ar.chambers(W), "signs is .*; expected rows of one length"),
        (
            lambda: ar.argmax_labels(W, candidates=RAGGED),
            "candidates: label .* is neither a name nor a row number",
        ),
        (lambda: ar.restriction(W, RAGGED), "rows is .*; expected rows of one length"),
        (lambda: ar.region_containing(W, RAGGED), "point is .*; expected rows of one length"),
        (lambda: ar.chamber_distances(W, 10**5000), "chamber an integer of 5001 digits of 6"),
        (lambda: ar.chamber_distance(W, 10**5000, "+++"), "signs is an integer of 5001 digits"),
        (lambda: ar.Rankings.from_sign_vectors(5), "signs is 5; expected SignVectors"),
        (lambda: RAGGED in ar.rankings(W), "ranking is .*; expected rows of one length"),
        (lambda: M.deletion([[1], 2]), r"an element is \[1\]; expected an integer from 0 to 2"),
        (lambda: M.contraction(2.5), "an element is 2.5"),
        (lambda: M.sign(None), "elements is None"),
        (lambda: M.relabelling([0, 0, 1]), r"order is \[0, 0, 1\]; expected a permutation"),
        (lambda: M.relabelling(5), "order is 5"),
        (lambda: generators.threshold(10**5000), "more than 1e300 normals"),
        (lambda: generators.low_rank_braid(3, None), "d is None; expected a positive integer"),
        (lambda: list(ar.verify(only=5)), "only is 5; expected part of a name"),
        (lambda: ar.generic_ranking_count(3, "x"), "d is 'x'; expected a positive integer"),
    ],
)
def test_wrong_kinds(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ar.ArrangementError, match=message):
        call()


@pytest.mark.parametrize("method", ["sweep", "incremental", "reverse_search"])
def test_blocks_and_limits_without_end(method: str) -> None:
    huge = 10**30
    assert len(ar.chambers(W, method=method, limit=huge)) == 6
    assert sum(map(len, ar.iter_chambers(W, method=method, limit=huge, block_size=huge))) == 6


def test_other_blocks_without_end() -> None:
    huge = 10**30
    for method in ("sweep", "pairs", "incremental"):
        assert sum(map(len, ar.iter_rankings(W, method=method, limit=huge, block_size=huge))) == 6
    assert [len(rows) for rows in ar.iter_faces(W, 1, block_size=huge)] == [6]
    assert [len(edges) for edges, _ in ar.iter_chamber_edges(W, block_size=huge)] == [6]


def test_odd_arguments_that_are_right() -> None:
    assert ar.check_chirotope(3, np.array(2), [1, 1, 1])
    assert ar.OrientedMatroid.from_chirotope(3, np.array(2), [1, 1, 1]).rank == 2
    assert ar.SignVectors.from_array({"+-", "++"}) == ar.SignVectors.from_array(["++", "+-"])
    assert ar.SignVectors.from_array(np.array(["+-", "++"])).n == 2
    assert ar.characteristic_polynomial(W, symmetry=np.array([[1, 0, 2]])).degree() == 2
    assert generators.resonance(np.array(3)).shape == (7, 3)


@pytest.mark.parametrize(
    "value",
    [
        ar.feasible(W, "++-"),
        ar.feasible(W, "+++"),
        ar.flats(W),
        ar.SoftmaxClassifier(W, [0, 0, 1], labels="abc"),
        ar.SigmoidClassifier(W),
        Arrangement(W),
    ],
    ids=lambda value: type(value).__name__,
)
def test_pickled_values_are_equal(value: object) -> None:
    copy = pickle.loads(pickle.dumps(value))
    assert copy == value and hash(copy) == hash(value) and copy is not value


def test_unequal_values() -> None:
    assert ar.feasible(W, "+++") != ar.feasible(W, "++0")
    assert ar.flats(W) != ar.flats(W, [0, 0, 1]) and ar.flats(W) != 3
    softmax = ar.SoftmaxClassifier(W)
    assert softmax == ar.SoftmaxClassifier(np.array(W, float), [0, 0, 0])
    for other in (ar.SigmoidClassifier(W), ar.SoftmaxClassifier(W, [0, 0, 1])):
        assert softmax != other
    assert softmax != ar.SoftmaxClassifier(W, labels="abc") and softmax != 3
