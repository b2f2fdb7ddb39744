"""The classifier with the fewest errors: against all chambers and support vectors."""

import subprocess
import sys
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import arrangements
from arrangements import chambers
from arrangements.errors import InputError
from arrangements.optimize.by_bounds import EveryBest
from arrangements.optimize.separation import max_margin_plane

sklearn = pytest.importorskip("sklearn")

from sklearn.exceptions import NotFittedError  # noqa: E402

from arrangements.optimize import ZeroOneClassifier  # noqa: E402

ROOT = Path(arrangements.__file__).parent.parent


def fewest(rows, y, weights):
    """The least weighted number of errors, by a look at every chamber."""
    moving = (rows != 0).any(axis=1)
    fixed = weights[~moving & (y == 1)].sum()
    if not moving.any():
        return fixed
    signs = chambers(rows[moving]).to_array() > 0
    wrong = signs != (y[moving] == 1)
    return fixed + (wrong * weights[moving]).sum(axis=1).min()


def errors(model, X, y, weights):
    return weights[model.predict(X) != y].sum()


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(40))
def test_no_line_makes_fewer_errors(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 13)), int(rng.integers(1, 3))
    degree, intercept = 1 + seed % 2, bool(seed % 3)
    X = rng.integers(-2, 3, (n, d))  # points occur twice, and contradict each other
    y, weights = rng.integers(0, 2, n), rng.integers(0, 4, n)
    y[:2], weights[:2] = (0, 1), 1
    first, second = np.triu_indices(d)
    rows = X if degree == 1 else np.hstack([X, X[:, first] * X[:, second]])
    if intercept:
        rows = np.column_stack([rows, np.ones(n, int)])
    model = ZeroOneClassifier(degree, intercept).fit(X, y, weights)
    assert model.loss_ == fewest(rows, y, weights) == errors(model, X, y, weights)
    assert model.gap_ == 0 and model.certificate_.verify()
    shuffled = rng.permutation(n)
    again = ZeroOneClassifier(degree, intercept).fit(X[shuffled], y[shuffled], weights[shuffled])
    assert (again.coef_ == model.coef_).all() and (again.intercept_ == model.intercept_).all()


def test_weights_are_not_rounded():
    X, y = [[0], [0], [1], [1]], [0, 1, 0, 1]
    heavy = [2**60 + 1, 2**60, 2**60, 2**60 + 3]
    assert ZeroOneClassifier().fit(X, y, heavy).loss_ == 2**61
    third = Fraction(1, 3)
    assert ZeroOneClassifier().fit(X, y, [third, third - Fraction(1, 10**30), 1, 1]).loss_ == (
        1 + third - Fraction(1, 10**30)
    )
    with pytest.raises(InputError, match="sample_weight has the entry ≈ -1e-400"):
        ZeroOneClassifier().fit(X, y, [1, 1, 1, Fraction(-1, 10**400)])


def test_the_margin_is_that_of_support_vectors():
    from sklearn.svm import SVC

    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = (X @ [1, 2, -1] + 0.3 > 0).astype(int)
    X += 0.05 * (2 * y - 1)[:, None] * np.array([1, 2, -1])
    ours, theirs = ZeroOneClassifier().fit(X, y), SVC(kernel="linear", C=1e8, tol=1e-9).fit(X, y)
    assert ours.loss_ == 0
    assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-4)
    scores = np.abs(ours.decision_function(X))
    assert scores.min() == pytest.approx(1, abs=1e-9)


def test_margins_without_offset_and_of_one_side():
    points = np.array([[3.0, 1], [1, 3], [-4, -4]])
    signs = np.array([1, 1, -1], np.int8)
    normal = max_margin_plane(points, signs, False)
    assert normal == pytest.approx([0.25, 0.25])
    assert max_margin_plane(points, np.ones(3, np.int8), True).tolist() == [0, 0, 1]
    assert max_margin_plane(np.full((2, 1), 10**400, object), signs[:2], False) is None
    quarter = max_margin_plane(np.array([[0], [4]]), np.array([-1, 1], np.int8), True, 0.25)
    assert quarter == pytest.approx([0.5, -0.5])


@pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")
def test_a_cell_too_thin_for_floats():
    # between the two neighbors of 1 there is only 1, which is a point of the data, too
    below, above = np.nextafter(1.0, 0.0), np.nextafter(1.0, 2.0)
    X, y = np.array([[below], [1.0], [above]]) * 1e8, np.array([0, 0, 1])
    model = ZeroOneClassifier().fit(X, y)
    assert model.loss_ == 0 and model.predict(X).tolist() == [0, 0, 1]
    far = X * [[1.0]] + 2.0**60 * np.array([[0], [0], [1]])
    assert ZeroOneClassifier(degree=2).fit(far, y).predict(far).tolist() == [0, 0, 1]


def test_products_are_exact():
    # as near to the parabola y = x * x as floats are, on both sides of it
    x = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.7])
    squares = [Fraction(v) ** 2 for v in x.tolist()]
    X = np.column_stack([x, x * x])
    y = np.array([float(s) > s for s in squares]).astype(int)
    assert 0 < y.sum() < 6
    model = ZeroOneClassifier(degree=2).fit(X, y)
    assert errors(model, X, y, np.ones(6)) == model.loss_ == 0
    tiny = X * 1e-170  # products vanish in floats
    small = ZeroOneClassifier(degree=2).fit(tiny, y)
    assert errors(small, tiny, y, np.ones(6)) == small.loss_ == model.loss_


@pytest.mark.sampled(2)
@pytest.mark.parametrize("scale", [1e-320, 1e-310, 1e-300, 1e300])
@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("degree", [1, 2])
def test_numbers_at_the_ends_of_the_range_of_floats(scale, constant, degree):
    """Where no float has a normal of the margin, an exact boundary takes its place."""
    X = np.random.default_rng(0).integers(-5, 6, (12, 2)).astype(float)
    y = (X @ [1, 2] + 0.5 > 0).astype(int)
    y[0] ^= 1
    model, whole = ZeroOneClassifier(degree, constant), ZeroOneClassifier(degree, constant)
    whole.fit(X, y)
    assert model.fit(X * scale, y).loss_ == whole.loss_
    assert errors(model, X * scale, y, np.ones(12)) == whole.loss_


def test_class_weights_count_exactly():
    X, y = [[0], [1], [2], [3]], [0, 1, 0, 1]
    weighted = ZeroOneClassifier(class_weight={0: 0.1, 1: 10}).fit(X, y)
    assert weighted.loss_ == Fraction(0.1) and weighted.predict(X).tolist() == [0, 1, 1, 1]
    assert weighted.intercept_ / -weighted.coef_[0] < 0.1  # nearer to the class that costs less
    balanced = ZeroOneClassifier(class_weight="balanced").fit([[0], [1], [2], [0]], [0, 0, 0, 1])
    assert balanced.loss_ == Fraction(2, 3)  # of three points of 2 / 3 and one of 2


def test_points_without_features():
    zeros = ZeroOneClassifier(fit_intercept=False).fit([[0], [0], [0]], [0, 1, 1])
    assert zeros.loss_ == 2 and zeros.predict([[0], [5]]).tolist() == [0, 0]
    same = ZeroOneClassifier().fit([[7, 7]] * 3, [0, 1, 1])
    assert same.loss_ == 1 and same.predict([[7, 7]]).tolist() == [1]


def test_what_a_time_limit_leaves():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 4)), rng.integers(0, 2, 300)
    model = ZeroOneClassifier(time_limit=0.3).fit(X, y)
    assert 0 < model.gap_ <= model.loss_ == errors(model, X, y, np.ones(300))


@pytest.mark.parametrize(
    ("options", "X", "y", "weights", "message"),
    [
        ({}, [[0], [1]], [1, 1], None, "y has one class, 1; expected two"),
        (
            {},
            [[0], [1], [2]],
            [1, 2, 3],
            None,
            "y has 3 classes; expected 2. OneVsOne",
        ),
        ({}, [[0], [np.nan]], [0, 1], None, "NaN"),
        ({}, [[0], [1]], [0.5, 1.5], None, "Unknown label type: continuous"),
        ({}, [[0], [1]], [0, 1], [0, 0], "at least one non-zero|weights are zero"),
        ({"class_weight": {0: 0}}, [[0], [1]], [0, 1], [1, 0], "all weights are zero; expected"),
        ({}, [[0], [1]], [0, 1], [1, -1], "Negative values in data"),
        ({"degree": 3}, [[0], [1]], [0, 1], None, "degree is 3; expected"),
        ({"workers": 0}, [[0], [1]], [0, 1], None, "workers is 0; expected"),
        ({"class_weight": "even"}, [[0], [1]], [0, 1], None, "class_weight is 'even'; expected"),
        ({"class_weight": [1, 2]}, [[0], [1]], [0, 1], None, r"class_weight is \[1, 2\]; expected"),
    ],
)
def test_bad_arguments(options, X, y, weights, message):
    with pytest.raises(ValueError, match=message):
        ZeroOneClassifier(**options).fit(X, y, weights)


def test_errors_are_of_the_package():
    with pytest.raises(InputError):
        ZeroOneClassifier().fit([[0], [1]], [1, 1])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_it_is_an_estimator():
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(ZeroOneClassifier())


@pytest.mark.parametrize("how", ["OneVsOneClassifier", "OneVsRestClassifier"])
def test_more_classes_by_pairs_or_against_the_rest(how):
    from sklearn import multiclass

    rng = np.random.default_rng(2)
    y = np.array(["a", "b", "c"]).repeat(8)
    X = rng.integers(-3, 4, (24, 2)) + np.array([[0, 0], [9, 0], [0, 9]]).repeat(8, axis=0)
    model = getattr(multiclass, how)(ZeroOneClassifier()).fit(X, y)
    assert len(model.estimators_) == 3 and (model.predict(X) == y).all()
    assert all(line.loss_ == line.gap_ == 0 for line in model.estimators_)


@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_it_is_fitted_first(method):
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        getattr(ZeroOneClassifier(), method)([[0]])


def test_it_is_tuned_as_others_are():
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 2))
    y = (X**2).sum(axis=1) > 1
    search = GridSearchCV(
        make_pipeline(StandardScaler(), ZeroOneClassifier()),
        {"zerooneclassifier__degree": [1, 2]},
        cv=2,
    ).fit(X, y)
    assert search.best_params_ == {"zerooneclassifier__degree": 2}


def test_other_numbers_are_not_rounded():
    third, near = Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)
    tables = [
        [[third], [near], [1]],
        [[2**60], [2**60 + 1], [2**61]],
        [[2**53, 0.5], [2**53 + 1, 0.5], [2**54, 0.5]],
        [[Decimal("0.1")], [Decimal("0.1") + Decimal("1e-25")], [Decimal(1)]],
        [[10**400], [10**400 + 1], [10**401]],
    ]
    for rows in tables:
        array = np.empty((3, len(rows[0])), object)
        array[:] = rows
        for X in (rows, array):
            for degree in (1, 2):
                model = ZeroOneClassifier(degree).fit(X, [0, 1, 1])
                assert model.loss_ == 0 and model.predict(X).tolist() == [0, 1, 1]
                assert (model.decision_function(X) > 0).tolist() == [False, True, True]
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"whole": [2**53, 2**53 + 1], "half": [0.5, 0.5]})
    assert ZeroOneClassifier().fit(frame, [0, 1]).predict(frame).tolist() == [0, 1]


def test_time_ends_the_search_for_the_widest_boundary(monkeypatch):
    X, y = [[0], [1], [2], [5], [6]], [0, 1, 0, 1, 1]
    monkeypatch.setattr(EveryBest, "_extend", lambda *given: time.sleep(0.02))  # it never ends
    model = ZeroOneClassifier(widest=True, time_limit=0.1).fit(X, y)
    assert model.loss_ == 1 and model.gap_ == 0 and model.certificate_.verify()


def test_the_widest_boundary_where_no_point_can_move():
    model = ZeroOneClassifier(2, fit_intercept=False, widest=True)
    assert model.fit([[1], [0]], [0, 1], [0, 3]).loss_ == 3


def run(code):
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.slow
def test_others_do_without_scikit_learn():
    assert run(
        "import arrangements, sys; arrangements.best_chamber; print('sklearn' in sys.modules)"
    )
    asked = (
        "import sys; sys.modules['sklearn'] = None\n"
        "from arrangements.errors import MissingDependencyError\n"
        "from arrangements.optimize import ZeroOneClassifier\n"
        "try:\n    ZeroOneClassifier(degree=2)\n"
        "except MissingDependencyError as error:\n    print(error)\n"
    )
    assert run(asked).startswith(
        "scikit-learn is needed for ZeroOneClassifier; install it with the extra: pip install "
    )
