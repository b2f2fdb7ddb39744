"""The low-rank question: which matrix rounded numbers were meant to be, and what follows."""

import copy
import pickle
import warnings
from fractions import Fraction
from itertools import product

import naive
import numpy as np
import pytest

import arrangements
from arrangements import (
    Arrangement,
    Rankings,
    SignVectors,
    argmax_labels,
    chambers,
    count_chambers,
    count_rankings,
    feasible,
    generators,
    rankings,
)
from arrangements.core.clear_rank import is_clearly_full, is_clearly_full_centered
from arrangements.core.low_rank import exact_rank
from arrangements.core.numerical_rank import numerical_rank as judged_rank
from arrangements.core.rounding import stored_bits
from arrangements.errors import InputError, LowRankWarning
from arrangements.exact import linear
from arrangements.exact.coercion import as_exact_matrix
from arrangements.exact.numbers import as_objects, integer_rows
from arrangements.models import SigmoidClassifier, SoftmaxClassifier, low_rank_structure
from arrangements.paper import (
    ranking_pattern_from_difference_cosines,
    rounded_cosine_matrix,
    rounded_difference_cosine_matrix,
    sign_pattern_from_cosines,
)
from arrangements.structure import tie_set

CUBE3 = np.array(list(product((0, 1), repeat=3)))
CUBE4 = np.array(list(product((0, 1), repeat=4)))
TYPES = ("f8", "f4", "f2")


def numerical_rank(W, centered=False):
    """Rank up to rounding of any numbers."""
    return judged_rank(as_exact_matrix(W), None, centered).rank


def as_product(A, kind, seed, extra=2):
    """A times a Gaussian matrix, in floats of a type."""
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(A.shape[1], A.shape[1] + extra)).astype(kind)
    return (A.astype(kind) @ B).astype(kind)


# ------------------------------------------------------------------ exact rank at most r


@pytest.mark.parametrize(
    ("W", "rank", "count"),
    [
        (generators.braid(4).normals, 3, 24),
        (generators.braid(5).normals, 4, 120),
        (generators.resonance(4).normals, 4, 370),
        (generators.threshold(3).normals, 4, 104),
        (generators.braid(4).normals, 4, 24),
    ],
)
def test_the_given_numbers_are_used_where_their_rank_is_low_enough(W, rank, count):
    assert count_chambers(W, rank=rank) == count
    found = chambers(W, rank=rank)
    assert len(found) == count and found.low_rank.source == "given"
    assert np.array_equal(found.factor, W)
    assert naive.signs_at(W, None, found.witness(3)) == tuple(found[3].tolist())


def test_the_given_labels_are_used_where_their_rank_is_low_enough():
    assert count_rankings(generators.resonance(3), rank=3) == 84
    assert count_rankings(CUBE4, rank=4) == 5376
    assert count_rankings(CUBE3 + [5, 7, 9], rank=3) == 96


# ------------------------------------------------------------------ a product behind rounding


@pytest.mark.sampled(16)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["f8", "f4"])
@pytest.mark.parametrize(
    ("A", "rank", "count"),
    [
        (generators.braid(4).normals, 3, 24),
        (generators.resonance(4).normals, 4, 370),
        (generators.threshold(3).normals, 4, 104),
        (generators.braid(5).normals * np.repeat([1, 2], 5)[:, None] / 3, 4, 120),
    ],
)
def test_a_product_is_recovered(A, rank, count, kind, seed):
    W = as_product(A, kind, seed)
    found = chambers(W, rank=rank)
    structure = found.low_rank
    assert len(found) == count == count_chambers(W, rank=rank)
    assert structure.source == "recovered" and structure.float_rows == ()
    assert len(structure.basis) == rank and 0 < structure.residual <= 1
    assert structure.factor.shape == (len(A), rank)
    # recovered means what the exact factor means
    assert found == chambers(A if A.dtype.kind == "i" else np.round(3 * A).astype(int))
    # the exact matrix meant is W up to rounding
    basis = W[list(structure.basis)].astype(float)
    meant = structure.factor.astype(float) @ basis
    assert np.abs(meant - W).max() <= structure.allowed + 1e-14


@pytest.mark.parametrize("seed", range(4))
def test_small_integers_are_recovered_from_float16(seed):
    assert count_chambers(as_product(generators.braid(4).normals, "f2", seed), rank=3) == 24


@pytest.mark.parametrize("kind", ["f8", "f4"])
def test_rankings_of_a_product_are_recovered(kind):
    rng = np.random.default_rng(0)
    for seed in range(3):
        W = as_product(CUBE3, kind, seed) + rng.normal(size=5).astype(kind)
        found = rankings(W, rank=3)
        assert found == rankings(CUBE3) and found.low_rank.source == "recovered"
        assert naive.order_at(found.factor, None, found.witness(1)) == tuple(found[1].tolist())
    assert count_rankings(as_product(CUBE4, kind, 5), rank=4) == 5376


@pytest.mark.slow
@pytest.mark.parametrize("kind", TYPES)
def test_nothing_is_recovered_from_generic_factors(kind):
    rng = np.random.default_rng(0)
    for seed in range(30):
        r = seed % 3 + 2
        W = as_product(rng.normal(size=(15, r)), kind, seed)
        structure = low_rank_structure(W, r)
        assert structure.source == "projected" and structure.factor.shape == (15, r)
        assert low_rank_structure(W, r, centered=True).source != "recovered"


@pytest.mark.slow
def test_rows_that_fit_no_fraction_keep_their_floats_and_zeros():
    A = np.array([[9, 0, 0], [0, 9, 0], [0, 0, 9], [1, 1, 0], [2**0.5, 3**0.5, 0], [1, 1, 1]])
    for seed in range(20):
        structure = low_rank_structure(as_product(A, "f8", seed), 3)
        assert structure.source == "recovered"
        if structure.basis == (0, 1, 2):
            assert structure.float_rows == () and structure.factor[4, 2] == 0
        if 4 not in structure.basis:
            # rows 0, 1, 3 and 4 lie in a plane
            assert count_chambers(structure.factor) == naive.count(A)


def test_proportional_rows_become_proportional():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(9, 3))
    A[5], A[7], A[8] = np.pi * A[1], -np.e * A[1], 0.1 * A[4]
    for kind in ("f8", "f4"):
        found = chambers(as_product(A, kind, 1), rank=3)
        assert set(found.arrangement.parallel_classes) == {
            (0,), (1, 5, 7), (2,), (3,), (4, 8), (6,)
        }  # fmt: skip
        assert len(found) == 2 * (1 + 5 + 10)


def test_normalized_rows_are_recovered_up_to_factors():
    rng = np.random.default_rng(0)
    for seed in range(10):
        W = as_product(generators.resonance(4).normals, "f8", seed)
        W /= np.linalg.norm(W, axis=1, keepdims=True)
        assert count_chambers(W, rank=4) == 370
    A = rng.integers(-2, 3, size=(9, 3)) + [0, 0, 3]
    scaled = (A * rng.uniform(0.1, 9, (9, 1))) @ rng.normal(size=(3, 5))
    assert chambers(scaled, rank=3) == chambers(A)


def test_factors_of_rows_are_kept_where_offsets_are_given():
    b = np.arange(6) - 2.5
    W = as_product(generators.braid(4).normals, "f8", 0)
    found = chambers(W, b, rank=3)
    F = found.low_rank.factor
    assert found == chambers(F, b) and len(found) == naive.count(F.tolist(), b.tolist())


def test_one_ulp_more_than_rounding_is_not_recovered():
    W = as_product(generators.braid(4).normals, "f8", 0)
    assert low_rank_structure(W, 3).float_rows == ()
    W[4, 2] += 2e-13
    structure = low_rank_structure(W, 3)
    assert structure.source == "projected" or 4 in structure.float_rows


def test_patterns_from_rounded_cosines():
    rng = np.random.default_rng(0)
    tables = [A.normals for A in (generators.braid(4), generators.resonance(4))]
    tables += [generators.coxeter("B", 3).normals]
    tables += [rng.integers(-2, 3, size=(8, 3)) for _ in range(12)]
    for A in tables:
        A = A[np.abs(A).sum(axis=1) > 0]
        C, r = rounded_cosine_matrix(A), np.linalg.matrix_rank(A)
        assert sign_pattern_from_cosines(C, rank=int(r)) == chambers(A)


def test_rankings_from_rounded_cosines_of_differences():
    rng = np.random.default_rng(0)
    tables = [np.array(list(product((0, 1), repeat=2))), CUBE3, rng.integers(-2, 3, size=(5, 2))]
    tables += [rng.integers(-3, 4, size=(6, 3)), np.array([[0, 0], [1, 1], [2, 2], [0, 3], [5, 1]])]
    for W in tables:
        r = int(np.linalg.matrix_rank(W - W[0]))
        D = rounded_difference_cosine_matrix(W)
        assert ranking_pattern_from_difference_cosines(D, rank=r) == rankings(W)


# ------------------------------------------------------------------ the best approximation


def test_an_undetermined_approximation_is_refused():
    with pytest.raises(InputError, match="singular values 2 and 3 are 1 and 1: they agree"):
        chambers(np.eye(3), rank=2)
    W = np.random.default_rng(0).normal(size=(9, 3)) @ np.random.default_rng(1).normal(size=(3, 6))
    with pytest.raises(InputError, match=r"rank is 4, but W has rank 3 up to .* Pass rank=3"):
        chambers(W, rank=4)


def test_close_singular_values_warn():
    W = np.diag([3.0, 2.0, 1.999]) @ np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    with pytest.warns(LowRankWarning, match=r"singular values 2 and 3 of W .*2 and 1\.999"):
        low_rank_structure(W, 2)


def test_a_projection_keeps_exact_relations_between_rows():
    A = generators.resonance(4).normals  # 15 rows of rank 4, in the plane
    W = A * np.array([5, 3, 2, 1]) + A[:, ::-1]
    structure = low_rank_structure(W, 3)
    assert structure.source == "projected" and structure.float_rows == tuple(range(15))
    F = structure.factor
    relations = [(i, j, k) for i in range(15) for j in range(i) for k in range(15)
                 if (W[i] + W[j] == W[k]).all()]  # fmt: skip
    assert len(relations) == 25
    assert all((F[i] + F[j] == F[k]).all() for i, j, k in relations)
    # as near to W as the truncated singular value decomposition
    U, s, Vt = np.linalg.svd(W)
    assert np.allclose(np.abs(F.astype(float)), np.abs(U[:, :3] * s[:3]))


# ------------------------------------------------------------------ which rank floats hide


@pytest.mark.slow
@pytest.mark.parametrize("kind", TYPES)
def test_every_float_type_warns(kind):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 3))
    W = (A.astype(kind) @ rng.normal(size=(3, 16)).astype(kind)).astype(kind)
    for given in (W, W.astype(float), W.tolist()):
        with pytest.warns(LowRankWarning, match="numerical rank 3"):
            labels = argmax_labels(given)
        assert len(labels) == 30  # what the warning is about
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            labels = argmax_labels(given, rank=3)
        assert labels.tolist() == argmax_labels(A).tolist() and len(labels) == 16
    with pytest.warns(LowRankWarning, match="Pass the factor A itself"):
        count_chambers(W[:6])


def test_bfloat16_is_told_by_its_mantissas():
    W = as_product(np.random.default_rng(0).normal(size=(30, 3)), "f4", 0)
    rounded = ((W.view(np.uint32) + 0x8000) & 0xFFFF0000).view(np.float32)
    assert stored_bits(rounded.astype(float)) == 8 and numerical_rank(rounded) == 3


@pytest.mark.parametrize(
    "W",
    [
        generators.resonance(6),
        generators.braid(6),
        generators.threshold(4).normals - 0.5,
        np.random.default_rng(0).integers(0, 256, (60, 9)),
        np.random.default_rng(0).integers(-2000, 2000, (60, 9)),
        np.random.default_rng(0).normal(size=(400, 39)).astype("f2"),
        np.random.default_rng(0).normal(size=(400, 380)).astype("f4"),
        [[1000, 1001], [1001, 1002]],
    ],
)
def test_matrices_of_full_rank_do_not_warn(W):
    floats = np.asarray(W, dtype=float)
    assert numerical_rank(floats) == np.linalg.matrix_rank(floats)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["f8", "f4"])
def test_labels_far_from_the_origin_are_rounded_more(kind):
    near = (as_product(np.random.default_rng(0).normal(size=(9, 2)), "f8", 0)).astype(kind)
    far = (near + np.full(4, 100)).astype(kind)
    assert Arrangement(near).rank == 4
    for W in (near, far):
        with pytest.warns(LowRankWarning, match="column-centered W has exact rank 4 but .* rank 2"):
            count_rankings(W)


def test_columns_of_any_size():
    W = np.random.default_rng(0).normal(size=(9, 4)) * [1e-200, 1, 1e-30, 1e200]
    assert numerical_rank(W) == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert count_chambers(W) == count_chambers(W / [1e-200, 1, 1e-30, 1e200])
        count_rankings(W)


def test_numerical_rank_of_any_numbers():
    rng = np.random.default_rng(0)
    W = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 6))
    assert numerical_rank(W * np.logspace(-200, 200, 30)[:, None]) == 3
    assert numerical_rank([[Fraction(1, 3), 10**400], [0, 10**400]]) == 2
    assert numerical_rank([[Fraction(10**400), 0], [0, 1]]) == 2
    assert numerical_rank([[Fraction(1, 3), 10**400], [Fraction(2, 3), 2 * 10**400]]) == 1


def test_a_warning_points_at_the_line_of_the_caller():
    W = as_product(np.random.default_rng(0).normal(size=(8, 2)), "f8", 0)
    for question in (count_chambers, count_rankings, argmax_labels):
        with pytest.warns(LowRankWarning) as caught:
            question(W)
        assert [warning.filename for warning in caught] == [__file__]


# ------------------------------------------------------------------ the argument and the result


@pytest.mark.parametrize("question", [chambers, rankings, low_rank_structure])
def test_bad_ranks(question):
    for rank in (0, 3, -1):
        with pytest.raises(InputError, match=r"expected an integer from 1 to min\(n, d\), 2"):
            question([[1, 2], [3, 5], [6, 6]], rank=rank)
    for rank in (1.5, True, [1], "3", 10**5000):
        with pytest.raises(InputError, match="rank is .*expected"):
            question([[1, 2], [3, 5], [6, 6]], rank=rank)
    with pytest.raises(InputError, match="exceeds the range of float64"):
        question([[10**400, 1], [1, 10**400], [3, 0]], rank=1)


def test_files_keep_what_was_found(tmp_path):
    W = as_product(generators.braid(4).normals, "f4", 0)
    for cls, found in ((SignVectors, chambers(W, rank=3)), (Rankings, rankings(W, rank=3))):
        found.save(tmp_path / "set.npz")
        read = cls.load(tmp_path / "set.npz")
        assert read == found and repr(read) == repr(found) and "rank 3" in repr(read)
        assert repr(read.low_rank) == repr(found.low_rank)
        assert read.low_rank.basis == found.low_rank.basis
        assert read.low_rank.singular_values == found.low_rank.singular_values
        assert (read.factor == found.factor).all()


# ------------------------------------------------------------------ every question about a matrix

BRAID = generators.braid(4).normals
PRODUCT = as_product(BRAID, "f8", 0)
CENTER = np.array([[1.0, 0.2], [-0.4, 1.0], [-1.0, -0.3], [0.3, -1.0], [0.1, 0.05]])
LABELS = as_product(CENTER, "f8", 0)  # the last label can never be first
QUESTIONS = {
    "characteristic_polynomial": lambda W, **o: str(arrangements.characteristic_polynomial(W, **o)),
    "betti_numbers": arrangements.betti_numbers,
    "whitney_numbers": lambda W, **o: arrangements.algebra.whitney_numbers(W, kind=2, **o),
    "count_bounded": arrangements.algebra.count_bounded,
    "flats": lambda W, **o: list(arrangements.flats(W, **o)),
    "intersection_poset": lambda W, **o: set(
        arrangements.structure.intersection_poset(W, **o).edges
    ),
    "covectors": lambda W, **o: sorted(
        map(tuple, arrangements.structure.covectors(W, **o).tolist())
    ),
    "iter_faces": lambda W, **o: sum(map(len, arrangements.structure.iter_faces(W, 2, **o))),
    "f_vector": arrangements.f_vector,
    "face_lattice": lambda W, **o: arrangements.structure.face_lattice(W, **o).number_of_edges(),
    "vertices": lambda W, **o: arrangements.structure.vertices(W, **o),
    "rays": lambda W, **o: len(arrangements.structure.rays(W, **o)),
    "walls": lambda W, **o: int(arrangements.structure.walls(W, **o).sum()),
    "neighbors": lambda W, **o: len(arrangements.structure.neighbors(W, "++++++", **o)[0]),
    "bounded_chambers": lambda W, **o: int(arrangements.structure.bounded_chambers(W, **o).sum()),
    "simplicial_chambers": lambda W, **o: int(
        arrangements.structure.simplicial_chambers(W, **o).sum()
    ),
    "chamber_distance": lambda W, **o: arrangements.structure.chamber_distance(
        W, "+" * 6, "-" * 6, **o
    ),
    "chamber_distances": lambda W, **o: sorted(
        arrangements.structure.chamber_distances(W, "++++++", **o)
    ),
    "chamber_edges": lambda W, **o: len(arrangements.structure.chamber_edges(W, **o)[0]),
    "iter_chamber_edges": lambda W, **o: len(
        list(arrangements.structure.iter_chamber_edges(W, **o))
    ),
    "chamber_graph": lambda W, **o: arrangements.structure.chamber_graph(W, **o).number_of_edges(),
    "poset_of_chambers": lambda W, **o: arrangements.structure.poset_of_chambers(
        W, "+" * 6, **o
    ).size(),
    "feasible": lambda W, **o: [bool(feasible(W, s, **o)) for s in ("++++++", "+-+-+-", "++-+++")],
    "OrientedMatroid": lambda W, **o: arrangements.OrientedMatroid.from_matrix(W, **o).topes(),
    "Arrangement.feasible": lambda W, **o: bool(Arrangement(W).feasible("+-+-+-", **o)),
    "decision_region": lambda W, **o: bool(SigmoidClassifier(W).decision_region([0, 2, 4], **o)),
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_about_a_product_take_its_rank(name):
    ask = QUESTIONS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # the factor has three columns, as the lifted braid arrangement has four
        expected = ask(low_rank_structure(PRODUCT, 3).factor)
        assert ask(PRODUCT, rank=3) == expected
        assert ask(as_product(BRAID, "f4", 1), rank=3) == expected
    with pytest.warns(LowRankWarning, match="rank 6 but numerical rank 3") as caught:
        ask(PRODUCT)
    assert {warning.filename for warning in caught} == {__file__}


LABEL_QUESTIONS = {
    "tie_set": lambda W, **o: tie_set(W, [0, 1], **o).labels,
    "tie_sets": lambda W, **o: [tie.labels for tie in arrangements.structure.tie_sets(W, **o)],
    "top_ties": lambda W, **o: arrangements.structure.top_ties(W, **o).tolist(),
    "top_k_sets": lambda W, **o: arrangements.top_k_sets(W, 2, **o).tolist(),
    "top_k_rankings": lambda W, **o: arrangements.top_k_rankings(W, 2, **o).tolist(),
    "argmax_labels": lambda W, **o: argmax_labels(W, **o).tolist(),
    "ranking_graph": lambda W, **o: arrangements.structure.ranking_graph(W, **o).size(),
    "order_region": lambda W, **o: bool(SoftmaxClassifier(W).order_region([4, 0], **o)),
    "decision_region": lambda W, **o: bool(SoftmaxClassifier(W).decision_region(4, **o)),
    "classifier": lambda W, **o: len(SoftmaxClassifier(W).rankings(**o)),
    "classifier.tie_set": lambda W, **o: SoftmaxClassifier(W).tie_set([0, 1], **o).labels,
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", LABEL_QUESTIONS)
def test_questions_about_labels_take_the_rank(name):
    ask = LABEL_QUESTIONS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = ask(CENTER)
        assert ask(LABELS, rank=2) == expected
        assert ask(LABELS.astype("f4"), rank=2) == expected
    with pytest.warns(LowRankWarning, match="numerical rank 2") as caught:
        ask(LABELS)
    assert {warning.filename for warning in caught} == {__file__}


def test_an_arrangement_is_warned_of_and_factored_once():
    A = Arrangement(PRODUCT)
    with pytest.warns(LowRankWarning) as caught:
        assert count_chambers(A) == 64 and not A.feasible("+-+-++").arrangement.low_rank
        arrangements.f_vector(A)
    assert len(caught) == 1
    first, second = A.feasible("++++++", rank=3), chambers(A, rank=3)
    assert first.arrangement is second.arrangement and first.verify()
    with pytest.raises(InputError, match="rank was given with SignVectors"):
        arrangements.structure.walls(second, rank=3)
    softmax = SoftmaxClassifier(LABELS)
    with pytest.warns(LowRankWarning) as caught:
        assert all(softmax.decision_region(i) for i in range(5))
    assert len(caught) == 1 and not softmax.decision_region(4, rank=2)


# ------------------------------------------------------------------ inputs out of the ordinary


def test_opposite_rows_become_proportional():
    rng = np.random.default_rng(99)
    A = rng.normal(size=(6, 3))
    A = np.vstack([A, -A * rng.uniform(0.1, 3, (6, 1))])
    for seed in range(10):
        assert count_chambers(as_product(A, "f8", seed), rank=3) == 2 * (1 + 5 + 10)


def test_labels_that_tie_in_what_was_meant_can_be_dropped():
    found = rankings(np.vstack([as_product(CUBE3, "f8", 1), np.zeros(5)]), rank=3, ties="drop")
    assert found == rankings(CUBE3) and found.model.dropped == {8: 0}
    integers = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 1], [1, 3]])
    P = as_product(integers, "f8", 0)
    P = np.vstack([P, np.nextafter(P[3], 9)])
    assert rankings(P, rank=2, ties="drop") == rankings(integers)
    assert argmax_labels(P, rank=2, ties="drop").tolist() == argmax_labels(integers).tolist()
    with pytest.raises(arrangements.errors.TiedLabelsError, match="labels 3 and 6 .*ties='drop'"):
        count_rankings(P, rank=2)


@pytest.mark.parametrize("shift", [10, 1000])
def test_rankings_of_labels_far_from_the_origin(shift):
    integers = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 1], [1, 3]])
    for seed in range(5):
        W = as_product(integers, "f8", seed) + shift
        with pytest.warns(LowRankWarning, match="numerical rank 2"):
            count_rankings(W)
        assert rankings(W, rank=2) == rankings(integers)


@pytest.mark.slow
def test_rows_and_columns_of_any_size():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        W = as_product(BRAID, "f8", seed)
        assert count_chambers(W * 10.0 ** rng.uniform(-250, 250, (6, 1)), rank=3) == 24
        assert count_chambers(W * 10.0 ** rng.uniform(-150, 150, 6), rank=3) == 24
        W = as_product(rng.normal(size=(6, 3)), "f8", seed)
        assert count_chambers(W * 10.0 ** rng.uniform(-250, 250, (6, 1)), rank=3) == 32
    for scale in (2.0**600, 2.0**-600):
        assert count_rankings(PRODUCT * scale, rank=3) == count_rankings(BRAID)
        with pytest.warns(LowRankWarning, match="numerical rank 3"):
            count_rankings(PRODUCT * scale)
    W = 1e200 * np.random.default_rng(0).normal(size=(5, 4))
    assert count_chambers(W, rank=2) == 10 and low_rank_structure(W, 2).source == "projected"


def test_the_allowance_is_in_units_of_the_matrix():
    found = low_rank_structure(PRODUCT, 3)
    meant = found.factor @ as_objects(PRODUCT[list(found.basis)])
    off = np.abs(meant - as_objects(PRODUCT))
    assert 0 < off.max() <= found.allowed < 1e-13
    for scale in (2.0**-40, 8.0, 2.0**700):
        scaled = low_rank_structure(PRODUCT * scale, 3)
        assert scaled.allowed == found.allowed * scale and scaled.residual == found.residual
    # columns in other units are scaled back: the largest error is that of the largest column
    columns = low_rank_structure(PRODUCT * [1, 2.0**20, 1, 1, 1, 2.0**-9], 3)
    assert found.allowed * 2**18 < columns.allowed <= found.allowed * 2**20


def test_float32_that_went_through_text():
    W = as_product(BRAID, "f4", 0)
    text = np.array([[float(str(entry)) for entry in row] for row in W])
    assert stored_bits(text) == 24 and count_chambers(text, rank=3) == 24
    decimals = np.random.default_rng(0).integers(-999, 999, (9, 4)) / 100
    assert stored_bits(decimals) == 53


def test_a_rank_above_that_up_to_rounding_warns_whatever_the_shape():
    square = as_product(BRAID, "f8", 0, extra=0)
    with pytest.warns(LowRankWarning, match="exact rank 4 but numerical rank 3"):
        chambers(square, rank=4)
    with pytest.raises(InputError, match="rank is 4, but W has rank 3"):
        chambers(PRODUCT, rank=4)


def test_a_zero_row_of_the_approximation_is_called_that():
    with pytest.raises(
        arrangements.errors.DegenerateArrangementError, match="approximation of rank 2, row 2"
    ):
        count_chambers(np.diag([3, 2, 1]), rank=2)


def test_pickles_and_copies_keep_what_was_found():
    found = chambers(PRODUCT, rank=3)
    for twin in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert repr(twin) == repr(found) and (twin.factor == found.factor).all()
    assert arrangements.paper.sign_pattern(PRODUCT, rank=3) == chambers(BRAID)
    assert arrangements.paper.ranking_pattern(LABELS, rank=2) == rankings(CENTER)


@pytest.mark.slow
def test_generic_labels_on_a_line_are_not_recovered():
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(300):
        W = rng.normal(size=(8, 1)) @ rng.normal(size=(1, 3))
        found += low_rank_structure(W, 1, centered=True).source == "recovered"
    assert found <= 1


@pytest.mark.parametrize("rank", [1, 2])
def test_integers_of_numpy_are_projected_as_those_of_python(rank: int) -> None:
    W = np.array([[2**40, 1, 0], [0, 2**40, 1], [3, 2**41, 7], [5, 1, 2**39]])
    found, known = (low_rank_structure(given, rank) for given in (W, W.astype(object)))
    assert found.source == "projected" and found.factor.tolist() == known.factor.tolist()


@pytest.mark.parametrize("shape", [(4, 4), (9, 3), (40, 6), (3000, 12)])
def test_only_full_rank_is_clear(shape):
    """The scales of rows do not matter; a dependent column, or nearly so, is never clear."""
    n, d = shape
    rng = np.random.default_rng(n)
    W = rng.standard_normal(shape)
    if n > d:
        assert is_clearly_full(W)
        assert is_clearly_full(W * 2.0 ** rng.integers(-500, 500, (n, 1)))
    whole = rng.integers(-9, 10, shape).astype(float)
    for scale in (1.0, 2.0**-600, 2.0**600):
        whole[:, -1] = whole[:, 0] - whole[:, 1]
        assert not is_clearly_full(whole * scale)
        near = whole * scale
        near[:, -1] = np.nextafter(near[:, -1], np.inf)
        assert not is_clearly_full(near)
    W[:, 0] = 0.0
    assert not is_clearly_full(W)
    assert not is_clearly_full(rng.standard_normal((d - 1, d)))


def test_a_rank_that_is_clear_is_that_of_a_matrix_without_warning():
    rng = np.random.default_rng(3)
    for _ in range(300):
        n, d = int(rng.integers(1, 9)), int(rng.integers(1, 5))
        W = rng.integers(-2, 3, (n, d)) * 2.0 ** rng.integers(-3, 4, (n, 1))
        if is_clearly_full(W):
            assert numerical_rank(W) == d == linear.rank(integer_rows(W))


@pytest.mark.parametrize("shape", [(5, 4), (7, 3), (40, 6), (3000, 12)])
def test_only_differences_of_full_rank_are_clear(shape):
    """Few rows and many; a common row matters only if its rounding hides the differences."""
    n, d = shape
    rng = np.random.default_rng(n)
    W = rng.standard_normal(shape)
    W[: d + 1] = 2 * np.eye(d + 1, d)
    assert is_clearly_full_centered(W) and is_clearly_full_centered(W + 0.5)
    assert is_clearly_full_centered(W * 2.0 ** rng.integers(-300, 300, d))
    assert not is_clearly_full_centered(W + 2.0**20)
    whole = rng.integers(-9, 10, shape).astype(float)
    whole[:, -1] = whole[:, 0] + 3.0
    for scale in (1.0, 2.0**-600, 2.0**600, 2.0**-1060):
        assert not is_clearly_full_centered(whole * scale)
    W[:, 0] = 5.0
    assert not is_clearly_full_centered(W)
    assert not is_clearly_full_centered(rng.standard_normal((d, d)))


def test_clear_ranks_of_differences_are_those_of_exact_arithmetic():
    rng = np.random.default_rng(4)
    clear = 0
    for _ in range(600):
        n, d = int(rng.integers(2, 9)), int(rng.integers(1, 5))
        W = rng.integers(-2, 3, (n, d)) * 2.0 ** rng.integers(-3, 4, (1, d))
        W += rng.integers(-1, 2, d) * 2.0 ** rng.integers(0, 60)
        if is_clearly_full_centered(W):
            clear += 1
            assert exact_rank(W, True) == d == numerical_rank(W, centered=True)
    assert clear > 100


def test_a_rank_that_some_of_many_rows_show_is_clear():
    """Some rows by themselves prove it; or all do, where these are equal."""
    W = np.random.default_rng(2).standard_normal((4096, 4))
    assert is_clearly_full_centered(W)
    W[:: 4096 // 16] = 1.0
    assert is_clearly_full_centered(W)
    W[:] = 1.0
    assert not is_clearly_full_centered(W)


@pytest.mark.parametrize("centered", [False, True])
def test_ranks_of_some_rows_and_columns_are_only_lower_bounds(centered: bool) -> None:
    rng = np.random.default_rng(0)
    for n, d in ((4, 60), (60, 4), (1, 30), (30, 1)):
        W = rng.integers(-5, 6, (n, d))
        hidden = np.zeros((n, d), int)  # all but one row or column that a sample leaves out
        hidden[:, 1 % d] = W[:, 1 % d]
        for A in (W, hidden, hidden.astype(float) / 8, np.ones((n, d))):
            rows = A - A[0] if centered else A
            assert exact_rank(A, centered) == np.linalg.matrix_rank(rows)
