"""Arguments of the wrong kind are refused in one clear line; odd ones that are right are taken."""

import pickle
from collections.abc import Callable
from itertools import count, repeat

import numpy as np
import pytest

import arrangements as ar
from arrangements import Arrangement, generators
from arrangements.checks import check_flag, check_integer, check_option, random_generator
from arrangements.errors import InputError, UnknownMethodError
from arrangements.messages import quote

W = [[1, 0], [0, 1], [1, 1]]
RAGGED = [[1, 2], [3]]
M = ar.OrientedMatroid.from_matrix(W)


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), np.array(3)])
def test_integers(value: object) -> None:
    found = check_integer("k", value, 1, 3)
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
        check_integer("k", value, least, most, of="the rows")


def test_ties_cannot_be_dropped_everywhere() -> None:
    for ask in (ar.ScoreModel, lambda W: ar.ScoreModel(W, [3, 3])):
        with pytest.raises(
            ar.errors.TiedLabelsError, match="no ranking is strict. Keep one of them.$"
        ):
            ask([[1, 2], [1, 2]])


def test_an_integer_too_long_to_print() -> None:
    with pytest.raises(InputError, match="k is an integer of 5001 digits; expected a positive"):
        check_integer("k", -(10**5000), 1)


def test_options_and_seeds() -> None:
    check_option("kind", 2, (1, 2))
    for value in (3, "1", [1], np.array([1, 2]), None):
        with pytest.raises(UnknownMethodError, match="kind is .*; expected 1 or 2"):
            check_option("kind", value, (1, 2))
    assert random_generator(np.random.default_rng(1)).integers(9) == random_generator(1).integers(9)
    with pytest.raises(InputError, match="rng is 'x'; expected a seed"):
        random_generator("x")


def test_what_is_shown_of_a_value() -> None:
    assert quote(10**20) == str(10**20) and quote(10**5000) == "an integer of 5001 digits"
    assert quote(-(10**5000) + 1) == "an integer of 5000 digits"
    assert quote(np.zeros((2, 2))) == "array([[0., 0.], [0., 0.]])"
    assert len(quote("x" * 10**6)) < 80 and quote([10**5000]) == "a list"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ar.paper.cosine_matrix(RAGGED), "W is ragged: row 0"),
        (lambda: ar.paper.same_cosines(RAGGED, RAGGED), "W is ragged: row 0"),
        (lambda: ar.paper.ranking_pattern(RAGGED), "W is ragged: row 0"),
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
        (
            lambda: ar.Rankings.from_array([[0, 1]]).witness(0),
            "ask feasible about the differences of neighbors",
        ),
        (lambda: ar.characteristic_polynomial(W, symmetry=5), "symmetry is 5; expected perm"),
        (
            lambda: ar.characteristic_polynomial(W, symmetry="ab"),
            r"symmetry\[0\] is 'a'; expected a seq",
        ),
        (
            lambda: ar.algebra.whitney_numbers(W, kind=np.array([1, 2])),
            "kind is .*; expected 1 or 2",
        ),
        (
            lambda: ar.structure.tie_set(W, tied=3),
            "there is no label 3: rows are numbered from 0 to 2",
        ),
        (lambda: ar.structure.decone(W, row=(1, 2)), r"row is \(1, 2\); expected one row or label"),
        (
            lambda: ar.algebra.check_chirotope(3, "x", [1, 1, 1]),
            "rank is 'x'; expected an integer from 0",
        ),
        (lambda: ar.rankings(W, ties=5), "ties is 5; expected 'error' or 'drop'"),
        (lambda: ar.characteristic_polynomial(W, symmetry=np.array(3)), "expected permutations"),
        (
            lambda: ar.structure.tie_set(W, np.array(3)),
            "there is no label 3: rows are numbered from 0 to 2",
        ),
        (lambda: ar.feasible(W, RAGGED), "signs is .*; expected rows of one length"),
        (lambda: RAGGED in ar.chambers(W), "signs is .*; expected rows of one length"),
        (
            lambda: ar.argmax_labels(W, candidates=RAGGED),
            "candidates: label .* is neither a name nor a row number",
        ),
        (lambda: ar.restriction(W, RAGGED), "rows is .*; expected rows of one length"),
        (lambda: ar.sign_vector_at(W, RAGGED), "point is .*; expected rows of one length"),
        (
            lambda: ar.structure.chamber_distances(W, 10**5000),
            "chamber an integer of 5001 digits of 6",
        ),
        (
            lambda: ar.structure.chamber_distance(W, 10**5000, "+++"),
            "signs is an integer of 5001 digits",
        ),
        (lambda: ar.Rankings.from_sign_vectors(5), "signs is 5; expected SignVectors"),
        (lambda: RAGGED in ar.rankings(W), "ranking is .*; expected rows of one length"),
        (lambda: M.deletion([[1], 2]), r"an element is \[1\]; expected an integer from 0 to 2"),
        (lambda: M.contraction(2.5), "an element is 2.5"),
        (lambda: M.sign(None), "elements is None"),
        (lambda: M.relabeling([0, 0, 1]), r"order is \[0, 0, 1\]; expected a permutation"),
        (lambda: M.relabeling(5), "order is 5"),
        (lambda: generators.threshold(10**5000), "more than 1e300 normals"),
        (lambda: generators.low_rank_braid(3, None), "d is None; expected a positive integer"),
        (lambda: list(ar.paper.verify(only=5)), "only is 5; expected part of a name"),
        (lambda: ar.algebra.generic_ranking_count(3, "x"), "d is 'x'; expected a positive integer"),
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
    assert [len(rows) for rows in ar.structure.iter_faces(W, 1, block_size=huge)] == [6]
    assert [len(edges) for edges, _ in ar.structure.iter_chamber_edges(W, block_size=huge)] == [6]


def test_odd_arguments_that_are_right() -> None:
    assert ar.algebra.check_chirotope(3, np.array(2), [1, 1, 1])
    assert ar.OrientedMatroid.from_chirotope(3, np.array(2), [1, 1, 1]).rank == 2
    assert ar.SignVectors.from_array({"+-", "++"}) == ar.SignVectors.from_array(["++", "+-"])
    assert ar.SignVectors.from_array(np.array(["+-", "++"])).n == 2
    assert ar.characteristic_polynomial(W, symmetry=np.array([[1, 0, 2]])).degree() == 2
    assert generators.resonance(np.array(3)).normals.shape == (7, 3)


@pytest.mark.parametrize(
    "value",
    [
        ar.feasible(W, "++-"),
        ar.feasible(W, "+++"),
        ar.flats(W),
        ar.models.SoftmaxClassifier(W, [0, 0, 1], labels="abc"),
        ar.models.SigmoidClassifier(W),
        Arrangement(W),
    ],
    ids=lambda value: type(value).__name__,
)
def test_pickled_values_are_equal(value: object) -> None:
    copy = pickle.loads(pickle.dumps(value))
    assert copy == value and hash(copy) == hash(value) and copy is not value


def test_unequal_values() -> None:
    assert ar.feasible(W, "+++") != ar.feasible(W, "++*")
    assert ar.flats(W) != ar.flats(W, [0, 0, 1]) and ar.flats(W) != 3
    softmax = ar.models.SoftmaxClassifier(W)
    assert softmax == ar.models.SoftmaxClassifier(np.array(W, float), [0, 0, 0])
    for other in (ar.models.SigmoidClassifier(W), ar.models.SoftmaxClassifier(W, [0, 0, 1])):
        assert softmax != other
    assert softmax != ar.models.SoftmaxClassifier(W, labels="abc") and softmax != 3


@pytest.mark.parametrize("value", ["no", None, 2, 0.0, np.array([True, False]), []])
def test_flags(value: object) -> None:
    assert check_flag("exact", np.True_) and not check_flag("exact", 0)
    for call in (
        lambda: ar.algebra.generic_ranking_count(3, 2, bias=value),
        lambda: ar.count_chambers(W, progress=value),
        lambda: ar.top_k_sets(W, 1, progress=value),
        lambda: ar.betti_numbers(W, progress=value),
        lambda: ar.models.low_rank_structure(W, 1, centered=value),
    ):
        with pytest.raises(InputError, match="(exact|bias|progress|centered) is .*; expected True"):
            call()


class Contrary:
    """Refuses everything that may be asked of an object."""

    def _refuse(self, *arguments: object) -> object:
        raise RuntimeError("no")

    __len__ = __iter__ = __bool__ = __index__ = __float__ = __repr__ = __array__ = _refuse


CONTRARY = Contrary()


@pytest.mark.sampled(22)
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Arrangement(W, labels=3), "labels is a int; expected a sequence of 3 labels"),
        (lambda: ar.rankings(W, labels=np.array("x")), "labels is a ndarray; expected a seq"),
        (lambda: ar.plot_rankings(W, labels=3), "labels is a int"),
        (lambda: ar.rankings(W, labels=count()), "labels is count.*of more than 1000000 entries"),
        (lambda: ar.deletion(W, count()), r"label count\(0\) is neither a name nor a row number"),
        (lambda: ar.rankings(W, labels=[10**5000] * 3), "a label is an integer of 5001 digits"),
        (lambda: ar.plot_rankings(W, colors=np.array(True)), "colors is .*; expected a sequence"),
        (lambda: ar.models.SoftmaxClassifier(W).names(3), "rows is 3; expected a sequence"),
        (
            lambda: ar.models.SoftmaxClassifier(W).names([3]),
            "a row is 3; expected an integer from 0 to 2",
        ),
        (
            lambda: ar.models.SoftmaxClassifier(W).decision_region(np.eye(2)),
            "neither a name nor a row",
        ),
        (lambda: ar.models.SoftmaxClassifier(W).scores("ab"), "x is 'ab'; expected real numbers"),
        (lambda: ar.models.SoftmaxClassifier(W).scores([1j, 0]), "x is .*; expected real numbers"),
        (lambda: ar.models.SigmoidClassifier(W).active([[1, 1, 1]]), r"signs has shape \(1, 3\)"),
        (lambda: ar.ScoreModel(W, dropped=3), "dropped is 3; expected an instance of Mapping"),
        (
            lambda: ar.ScoreModel(W).arrangement([0], [3]),
            "there is no label 3: rows are numbered from 0 to 2",
        ),
        (lambda: ar.ScoreModel(W).arrangement([0], [1, 2]), "above has 1 labels and below has 2"),
        (lambda: ar.ScoreModel(W).same_scores(W), "other is .* expected an instance of ScoreModel"),
        (lambda: Arrangement(W).same_numbers(None), "other is None; expected an instance of Arr"),
        (lambda: Arrangement(W).same_hyperplanes(None), r"expected numbers of shape \(n, d\)"),
        (lambda: ar.flats(W).of_rank([]), r"rank is \[\]; expected an integer of at least 0"),
        (lambda: ar.flats(W)["0"], "the number of a flat is '0'; expected an integer"),
        (
            lambda: ar.chambers(W, rank=10**5000),
            "rank is an integer of 5001 digits; expected an integer from 1",
        ),
        (
            lambda: ar.chambers(W, rank=np.eye(2)),
            r"rank is array\(\[\[1., 0.\], \[0., 1.\]\]\); exp",
        ),
        (
            lambda: ar.count_chambers(W, max_hours=np.eye(2)),
            r"max_hours is array.*; expected a pos",
        ),
        (lambda: ar.chambers(W).to_array("x"), "dtype is 'x'; expected a type of NumPy"),
        (lambda: ar.Rankings(np.array(3), half=False), r"orders is int64 of shape \(\); expected"),
        (lambda: ar.Certificate(W, (1, 1, 1), True), "arrangement is .*; expected an instance of"),
        (lambda: ar.top_k_sets(ar.chambers(W), 1), "W is SignVectors.*, a set of answers"),
        (
            lambda: ar.paper.sign_pattern_from_cosines(np.eye(2), rank=[]),
            "rank is .*; expected None or",
        ),
        (
            lambda: list(ar.paper.verify(statements={0: 1})),
            "the name of a statement is 0; expected an",
        ),
        (lambda: generators.deformation(3, "x"), "shifts is 'x'; expected at least one number"),
        (lambda: generators.deformation(3, [[1]]), "shifts"),
        (lambda: generators.discriminantal([[0, 0]] * 4), r"normals \(0, 1\) are dependent"),
        (lambda: generators.generic(3, 2, count()), r"rng is count\(0\); expected a seed"),
        (lambda: ar.paper.verify(d=10**30), "d is 1000.*; expected an integer from 2 to 10000"),
        (lambda: ar.sign_vector_at(W, [np.ma.masked, 1]), "point has masked entries"),
        (lambda: ar.top_k_sets(W, 1, progress=np.zeros(0)), "progress is array"),
        (lambda: M.contraction(repeat("x")), "elements is repeat.* of more than 1000000 entries"),
        (
            lambda: Arrangement(W, labels=[CONTRARY] * 3),
            "a label is a Contrary, which Python cannot",
        ),
        (lambda: Arrangement(CONTRARY), "normals is a Contrary, which is no array: no"),
        (lambda: generators.braid(CONTRARY), "n is a Contrary; expected a positive integer"),
        (lambda: generators.generic(3, 2, CONTRARY), "rng is a Contrary; expected a seed"),
        (lambda: ar.feasible(W, CONTRARY), "signs is a Contrary"),
        (lambda: ar.rankings(W, labels=CONTRARY), "labels is a Contrary; expected a sequence"),
    ],
)
def test_odd_kinds(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ar.ArrangementError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [ar.models.SoftmaxClassifier(W), ar.ScoreModel(W), M])
def test_attributes_are_neither_set_nor_deleted(value: object) -> None:
    for name in [*vars(value), "unheard_of"]:
        with pytest.raises(AttributeError, match="immutable"):
            setattr(value, name, 1)
        with pytest.raises(AttributeError, match="immutable"):
            delattr(value, name)
    assert pickle.loads(pickle.dumps(value)) is not value


def test_shifts_that_are_exact() -> None:
    A = generators.deformation(2, np.array([-(2**63), 1]))
    assert A.offsets is not None and A.offsets.tolist() == [2**63, -1]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.longdouble, np.int8, int])
def test_hours_of_any_type(kind: type) -> None:
    assert ar.count_chambers(W, max_hours=kind(2)) == 6
    assert ar.f_vector(W, max_hours=kind(2)) == (1, 6, 6)
