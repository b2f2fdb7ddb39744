"""Models of scikit-learn where rows are: their scores, exactly composed, or the reason why not."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from arrangements import argmax_labels, audit, can_be_top, chambers, feasible_many, top_k_sets
from arrangements.core.rows import Rows, read_rows
from arrangements.errors import InputError
from arrangements.models import SigmoidClassifier, SoftmaxClassifier

pytest.importorskip("sklearn")
from sklearn import decomposition, feature_selection, linear_model, naive_bayes, preprocessing
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cross_decomposition import PLSRegression
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.neighbors import NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.random_projection import GaussianRandomProjection
from sklearn.svm import SVC, LinearSVC

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(0)
X = RNG.integers(0, 9, (60, 4)).astype(float)
THREE = np.array(["cat", "dog", "bird"])[X[:, :3].argmax(axis=1)]
TWO = np.where(THREE == "cat", "cat", "other")
ON = np.column_stack([THREE == "cat", THREE != "dog", X[:, 0] > 4]).astype(int)
LOGISTIC = linear_model.LogisticRegression()


def scores(rows: Rows, x: Any) -> list[Fraction]:
    """Scores at a point, in Fractions."""
    b = [0] * len(rows.weights) if rows.offsets is None else rows.offsets.tolist()
    point = list(map(Fraction, x))
    return [
        sum((Fraction(w) * z for w, z in zip(row, point, strict=True)), Fraction(c))
        for row, c in zip(rows.weights.tolist(), b, strict=True)
    ]


def close(fitted: Any, values: Any) -> None:
    """The rows of a model have the scores that scikit-learn computes, up to rounding."""
    rows = read_rows(fitted)
    found = np.array([[float(s) for s in scores(rows, x)] for x in X])
    values = np.asarray(values)
    if values.ndim == 1:
        found = found[:, 1] - found[:, 0] if found.shape[1] == 2 else found[:, 0]
    assert np.allclose(found, values, rtol=1e-9, atol=1e-9)


@pytest.mark.sampled(11)
@pytest.mark.parametrize("y", [THREE, TWO], ids=["three", "two"])
@pytest.mark.parametrize(
    "steps",
    [
        [preprocessing.StandardScaler()],
        [
            preprocessing.StandardScaler(with_mean=False),
            preprocessing.StandardScaler(with_std=False),
        ],
        [preprocessing.RobustScaler()],
        [preprocessing.RobustScaler(with_centering=False)],
        [preprocessing.MaxAbsScaler(), "passthrough"],
        [preprocessing.MinMaxScaler((1, 3))],
        [decomposition.PCA(3)],
        [decomposition.PCA(2, whiten=True)],
        [decomposition.TruncatedSVD(2), preprocessing.FunctionTransformer()],
        [decomposition.FastICA(3, random_state=0)],
        [GaussianRandomProjection(3, random_state=0)],
        [feature_selection.SelectKBest(k=2), preprocessing.StandardScaler()],
        [feature_selection.VarianceThreshold(), SimpleImputer()],
        [make_pipeline(preprocessing.StandardScaler(), decomposition.PCA(3)), decomposition.PCA(2)],
    ],
    ids=lambda steps: "-".join(type(step).__name__ for step in steps),
)
def test_pipelines(steps: list[Any], y: Any) -> None:
    fitted = make_pipeline(*steps, LOGISTIC).fit(X, y)
    close(fitted, fitted.decision_function(X))
    assert read_rows(fitted).labels == tuple(fitted.classes_)


def test_composition_is_exact() -> None:
    """Rows of a pipeline are those of the last step at the scaled input, in Fractions."""
    scaler = preprocessing.StandardScaler()
    fitted = make_pipeline(scaler, LOGISTIC).fit(X, THREE)
    rows, last = read_rows(fitted), read_rows(fitted[-1])
    for x in X[:5]:
        z = [
            (Fraction(value) - Fraction(mean)) / Fraction(scale)
            for value, mean, scale in zip(x, scaler.mean_, scaler.scale_, strict=True)
        ]
        assert scores(rows, x) == scores(last, z)
    selected = make_pipeline(feature_selection.SelectKBest(k=2), LOGISTIC).fit(X, THREE)
    rows = read_rows(selected)
    assert rows.weights.dtype == np.float64 and (rows.weights != 0).any(axis=0).sum() == 2


def test_steps_that_are_no_linear_maps() -> None:
    pipeline = make_pipeline(
        preprocessing.PolynomialFeatures(), preprocessing.StandardScaler(), LOGISTIC
    ).fit(X, THREE)
    expected = (
        r"W is a Pipeline, whose step 'polynomialfeatures' \(PolynomialFeatures\) is not a linear "
        r"map; pass W\[1:\] to ask"
    )
    with pytest.raises(InputError, match=expected):
        audit(pipeline)
    assert read_rows(pipeline[1:]).weights.shape == (3, 15)
    for step, reason in [
        (preprocessing.MinMaxScaler(clip=True), "clips"),
        (preprocessing.FunctionTransformer(np.log1p), "is any function"),
        (preprocessing.Normalizer(), "divides inputs by their norms"),
        (SimpleImputer(add_indicator=True), "adds or leaves out columns"),
    ]:
        fitted = make_pipeline(step, LOGISTIC).fit(X + 1, THREE)
        with pytest.raises(InputError, match=rf"{reason}.*; pass \w+\[1:\]"):
            chambers(fitted)
    without = make_pipeline(
        preprocessing.Normalizer(), linear_model.LogisticRegression(fit_intercept=False)
    ).fit(X, THREE)
    model = SoftmaxClassifier.from_estimator(without)
    assert model.predict(X).tolist() == without.predict(X).tolist()


def test_scales_that_would_make_gigabytes() -> None:
    wide = RNG.random((6, 5000)) + 0.1
    fitted = make_pipeline(preprocessing.StandardScaler(), LOGISTIC).fit(wide, [0, 1, 2] * 2)
    with pytest.raises(InputError, match=r"divides 5000 features by scales.*GB; pass \w+\[1:\]"):
        argmax_labels(fitted)
    assert argmax_labels(fitted[1:]).tolist() == [0, 1, 2]


def test_words_and_their_features() -> None:
    texts = ["red cat", "blue dog", "red dog", "green bird", "blue bird"]
    y = ["cat", "dog", "dog", "bird", "bird"]
    for first in ([TfidfVectorizer()], [CountVectorizer(), TfidfTransformer()]):
        fitted = make_pipeline(*first, LOGISTIC).fit(texts, y)
        rows, last = read_rows(fitted), fitted[-1]
        assert (rows.weights == last.coef_).all() and rows.labels == tuple(last.classes_)
        fact = audit(fitted).facts["inputs"]
        assert fact.startswith(f"the features of {type(first[-1]).__name__}, which are >= 0 (any x")
    reduced = make_pipeline(TfidfVectorizer(), decomposition.TruncatedSVD(2), LOGISTIC).fit(
        texts, y
    )
    words = len(reduced[0].vocabulary_)
    assert read_rows(reduced).weights.shape == (3, words)


@pytest.mark.parametrize("y", [THREE, TWO], ids=["three", "two"])
@pytest.mark.parametrize(
    "model",
    [naive_bayes.MultinomialNB(), naive_bayes.BernoulliNB(), naive_bayes.ComplementNB()],
    ids=lambda model: type(model).__name__,
)
def test_naive_bayes(model: Any, y: Any) -> None:
    fitted = model.fit(X, y)
    binary = isinstance(model, naive_bayes.BernoulliNB)
    points = (X > 0).astype(float) if binary else X
    found = np.array([[float(s) for s in scores(read_rows(fitted), x)] for x in points])
    assert np.allclose(found, fitted._joint_log_likelihood(points), rtol=1e-12)
    assert SoftmaxClassifier.from_estimator(fitted).predict(points).tolist() == list(
        fitted.predict(points)
    )
    with pytest.warns(UserWarning, match="alpha"):
        endless = naive_bayes.MultinomialNB(alpha=0, force_alpha=False)
        endless.fit(X, y)
    endless.feature_log_prob_ = endless.feature_log_prob_ - np.inf
    with pytest.raises(InputError, match="infinite log-probabilities; fit it with alpha > 0"):
        audit(endless)


def test_searches_regressions_and_outputs() -> None:
    search = GridSearchCV(LOGISTIC, {"C": [0.1, 1]}, cv=2).fit(X, THREE)
    close(search, search.decision_function(X))
    targets = X @ RNG.standard_normal((4, 3)) + [1, 2, 3]
    for regression in (
        linear_model.LinearRegression(),
        linear_model.Ridge(),
        MultiOutputRegressor(linear_model.Ridge()),
        PLSRegression(2),
    ):
        close(regression.fit(X, targets), regression.predict(X))
    single = linear_model.LinearRegression().fit(X, targets[:, 0])
    assert read_rows(single).labels is None
    assert len(chambers(single)) == 2
    machine = SVC(kernel="linear").fit(X, TWO)
    close(machine, machine.decision_function(X))


def test_a_row_for_each_label() -> None:
    for several in (OneVsRestClassifier(LinearSVC()), MultiOutputClassifier(LinearSVC())):
        fitted = several.fit(X, ON)
        assert (SigmoidClassifier.from_estimator(fitted).predict(X) == fitted.predict(X)).all()
    scaled = OneVsRestClassifier(make_pipeline(preprocessing.StandardScaler(), LOGISTIC))
    scaled.fit(X, THREE)
    assert SoftmaxClassifier.from_estimator(scaled).predict(X).tolist() == list(scaled.predict(X))
    counted = OneVsRestClassifier(naive_bayes.MultinomialNB()).fit(X, ON)
    assert (SigmoidClassifier.from_estimator(counted).predict(X) == counted.predict(X)).all()


def test_constant_labels() -> None:
    constant = np.column_stack([ON[:, 0], np.ones(60, int), np.zeros(60, int)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn, about these labels
        fitted = OneVsRestClassifier(LinearSVC()).fit(X, constant)
    model = SigmoidClassifier.from_estimator(fitted)
    assert (model.predict(X) == fitted.predict(X)).all()
    assert feasible_many(fitted, on=[[0, 1], [1], [0], [0, 1, 2]]).feasible.tolist() == [
        *(True, True, False, False)
    ]


def test_networks_of_scikit_learn() -> None:
    fitted = MLPClassifier((5,), max_iter=5, random_state=0).fit(X, THREE)
    hidden = np.maximum(X @ fitted.coefs_[0] + fitted.intercepts_[0], 0)
    scored = np.array([[float(s) for s in scores(read_rows(fitted), z)] for z in hidden])
    assert fitted.classes_[scored.argmax(axis=1)].tolist() == fitted.predict(X).tolist()
    facts = audit(fitted).facts
    assert facts["inputs"] == (
        "the outputs of relu, which are >= 0 (any x counts here; within=Polyhedron.box(0, None, "
        "dimension=5) confines x)"
    )
    piped = make_pipeline(preprocessing.StandardScaler(), fitted)
    assert (read_rows(piped).weights == read_rows(fitted).weights).all()


def test_two_classes_are_one_sign_and_two_labels() -> None:
    fitted = LOGISTIC.fit(X, TWO)
    assert len(chambers(fitted)) == 2 and chambers(fitted).label_names == ("other",)
    assert argmax_labels(fitted, named=True).tolist() == ["cat", "other"]
    found = audit(fitted)
    assert found.names == ("cat", "other") and found.can_win.tolist() == [1, 1]
    assert can_be_top(fitted, [["other"]]).feasible.tolist() == [True]
    assert len(top_k_sets(linear_model.LogisticRegression().fit(X, THREE), 2)) == 3
    with pytest.raises(InputError, match="offsets were given with a LogisticRegression"):
        audit(fitted, [1, 2])


class Odd:
    """Fits, and has no scores."""

    def fit(self) -> None: ...

    def predict(self) -> None: ...


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (linear_model.LogisticRegression(), "LogisticRegression that is not fitted; call its fit"),
        (Pipeline([("clf", linear_model.LogisticRegression())]), "that is not fitted"),
        (GridSearchCV(linear_model.LogisticRegression(), {}), "that is not fitted"),
        (naive_bayes.GaussianNB().fit(X, THREE), "GaussianNB: its scores are quadratic in x"),
        (naive_bayes.CategoricalNB().fit(X, THREE), "linear in indicators of categories"),
        (QuadraticDiscriminantAnalysis().fit(X, THREE), "quadratic"),
        (
            CalibratedClassifierCV(LinearSVC(), cv=2).fit(X, THREE),
            "its scores are not those of its base estimator.*which labels are on or off",
        ),
        (OneVsOneClassifier(LinearSVC()).fit(X, THREE), "a score for each pair of classes"),
        (SVC(kernel="linear").fit(X, THREE), "SVC, which has a score for each pair of classes"),
        (SVC().fit(X, THREE), "has no linear scores; expected a model with linear scores"),
        (RandomForestClassifier(2).fit(X, THREE), "RandomForestClassifier, which has no linear"),
        (GridSearchCV(LOGISTIC, {}, cv=2, refit=False).fit(X, THREE), "refit=False"),
        (preprocessing.StandardScaler().fit(X), "which has no linear scores"),
        (Odd(), "Odd that is not fitted"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_models_without_linear_scores(model: Any, reason: str) -> None:
    for question in (audit, chambers, argmax_labels, SoftmaxClassifier.from_estimator):
        with pytest.raises(InputError, match=reason) as caught:
            question(model)
        assert "\n" not in str(caught.value)


def test_classes_distances_and_parts_of_naive_bayes() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (30, 4)), rng.integers(0, 3, 30)
    with pytest.raises(InputError, match="W is the class LogisticRegression; pass a fitted"):
        audit(linear_model.LogisticRegression)
    nearest = NearestCentroid().fit(X + 0.01 * rng.standard_normal(X.shape), y)
    with pytest.raises(InputError, match=r"scores are distances; of Euclidean ones the rows 2 \*"):
        audit(nearest)
    for part, inputs in (
        (naive_bayes.MultinomialNB(), "counts"),
        (naive_bayes.BernoulliNB(), "0 or 1"),
    ):
        found = audit(OneVsRestClassifier(part).fit(X, y))
        assert inputs in found.facts["inputs"]
