"""Rows of the linear models of scikit-learn, and reasons why others have none."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from arrangements.errors import InputError
from arrangements.exact.numbers import ExactArray, append_column, as_objects, stack_rows
from arrangements.heads.head import Head, exact_rows, simplest
from arrangements.heads.pipelines import (
    ENCODERS,
    Affine,
    NotLinearError,
    flat_steps,
    names_of_kinds,
    scale,
)
from arrangements.heads.unions import linear_map

# Estimators of scikit-learn that hold one for each label.
_ONE_EACH = ("OneVsRestClassifier", "MultiOutputClassifier", "MultiOutputRegressor")
# Why some have no linear scores, and what to ask instead.
_REASONS = {
    "GaussianNB": "its scores are quadratic in x",
    "QuadraticDiscriminantAnalysis": "its scores are quadratic in x",
    "CategoricalNB": "its scores are linear in indicators of categories, not in x",
    "CalibratedClassifierCV": "its scores are not those of its base estimator, each is calibrated "
    "by a function of its own; which labels are on or off can be asked about the estimators in "
    "calibrated_classifiers_",
    "OneVsOneClassifier": "it has a score for each pair of classes, and counts votes",
    "ClassifierChain": "its scores depend on the labels before them in the chain",
    "NearestCentroid": "its scores are distances; of Euclidean ones the rows 2 * centroids_ and "
    "the offsets -(centroids_**2).sum(axis=1) say the same",
    "TransformedTargetRegressor": "it transforms the scores; pass its regressor_",
    "FixedThresholdClassifier": "it moves the threshold; pass its estimator_",
    "TunedThresholdClassifierCV": "it moves the threshold; pass its estimator_",
}
_EXPECTED = (
    "expected a model with linear scores: one with coef_, a naive Bayes model of counts, a "
    "pipeline that ends in one of these, a linear layer of PyTorch or Keras, or rows of weights"
)


def is_estimator(value: Any) -> bool:
    """Tell if this is an estimator of scikit-learn, or works like one."""
    learned = hasattr(value, "coef_") or hasattr(value, "coefs_")
    return learned or (
        hasattr(value, "fit") and (hasattr(value, "predict") or hasattr(value, "get_params"))
    )


def has_several_labels(fitted: Any) -> bool:
    """Tell if an estimator gives each input any number of labels (scikit-learn: multilabel)."""
    binarizers = (getattr(fitted, name, None) for name in ("label_binarizer_", "_label_binarizer"))
    kinds = [str(getattr(binarizer, "y_type_", "")) for binarizer in binarizers]
    by_output = "MultiOutputClassifier" in names_of_kinds(fitted)
    return by_output or any(kind.startswith("multilabel") for kind in kinds)


def read_estimator(fitted: Any, name: str) -> Head:
    """The rows of a fitted estimator; `name` is that of the argument in messages."""
    if isinstance(fitted, type):
        raise InputError(f"{name} is the class {fitted.__name__}; pass a fitted instance of it.")
    if hasattr(fitted, "best_estimator_"):
        return read_estimator(fitted.best_estimator_, name)
    if hasattr(fitted, "steps"):
        return _pipeline(fitted, name)
    kinds, text = names_of_kinds(fitted), f"{name} is a {type(fitted).__name__}"
    if "FrozenEstimator" in kinds:
        return read_estimator(fitted.estimator, name)
    for kind in kinds & _REASONS.keys():
        raise InputError(f"{text}: {_REASONS[kind]}; {_EXPECTED}.")
    learned = getattr(fitted, "__dict__", {})
    if not any(key.endswith("_") and not key.startswith("__") for key in learned):
        raise InputError(f"{text} that is not fitted; call its fit first.")
    if kinds.intersection(_ONE_EACH):
        return _head(fitted, partial(_rows_of_parts, fitted, name), name, **_inputs_of(fitted))
    if hasattr(fitted, "feature_log_prob_"):
        return _naive_bayes(fitted, kinds, name)
    if hasattr(fitted, "coefs_"):
        return _network(fitted, name)
    if not hasattr(fitted, "coef_"):
        searching = ", with refit=False or not fitted" if hasattr(fitted, "cv_results_") else ""
        raise InputError(f"{text}{searching}, which has no linear scores; {_EXPECTED}.")
    return _head(fitted, partial(_coefficients, fitted, kinds, name), name)


def _head(fitted: Any, make: Any, name: str, **known: Any) -> Head:
    """Rows with the classes and the columns of an estimator."""
    labels, columns = getattr(fitted, "classes_", None), _columns(fitted)
    if labels is not None:
        labels = list(labels)
        if labels and np.ndim(labels[0]) == 1:  # those of each output
            labels = list(range(len(labels)))
    several = None if labels is None else has_several_labels(fitted)

    def checked() -> Affine:
        W, b = make()
        if labels is not None and len(W) != len(labels) and (len(W), len(labels)) != (1, 2):
            raise InputError(
                f"{name} is a {type(fitted).__name__} with {len(W)} rows of weights for "
                f"{len(labels)} classes; expected one row for each, or one for two."
            )
        return W, b

    return Head(type(fitted).__name__, checked, labels, columns, several, **known)


def _columns(fitted: Any) -> tuple[str, ...] | None:
    parts = getattr(fitted, "estimators_", None) or [None]
    columns = getattr(fitted, "feature_names_in_", getattr(parts[0], "feature_names_in_", None))
    return None if columns is None else tuple(map(str, columns))


def _coefficients(fitted: Any, kinds: set[str], name: str) -> Affine:
    """``coef_`` and ``intercept_``."""
    W, b = exact_rows(fitted.coef_, _intercept(fitted), "coef_")
    if hasattr(fitted, "support_vectors_") and len(W) > 1:
        raise InputError(
            f"{name} is a {type(fitted).__name__}, which has a score for each pair of classes; "
            "expected one for each class, as LinearSVC has."
        )
    if "_PLS" in kinds:  # which centers its inputs
        W, b = scale(None, fitted._x_mean)(W, b)
    return W, None if b is None else simplest(b)


def _intercept(fitted: Any) -> Any:
    if hasattr(fitted, "intercept_"):
        return fitted.intercept_
    return -fitted.offset_ if hasattr(fitted, "offset_") else None


def _rows_of_parts(fitted: Any, name: str) -> Affine:
    """One row of each of the estimators that an estimator holds."""
    parts = getattr(fitted, "estimators_", [])
    d = getattr(fitted, "n_features_in_", None)
    found = [_row(part, d, name) for part in parts]
    rows = stack_rows(*(W for W, _ in found))
    return rows, stack_rows(*(b for _, b in found))


def _row(part: Any, d: int | None, name: str) -> tuple[ExactArray, ExactArray]:
    """The score that decides about one label."""
    if "_ConstantPredictor" in names_of_kinds(part):
        always = bool(np.ravel(part.y_)[0])
        return np.zeros((1, d or part.n_features_in_)), np.array([1.0 if always else -1.0])
    W, b = read_estimator(part, f"an estimator of {name}").make()
    if len(W) == 2:  # the score of the second class against the first
        first, second = as_objects(append_column(W, b))
        row = simplest(second - first)[None]
        W, b = row[:, :-1], row[:, -1]
    return W, np.zeros(len(W)) if b is None else b


def _naive_bayes(fitted: Any, kinds: set[str], name: str) -> Head:
    """Log-probabilities of the classes, as functions of counts, or of zeros and ones."""
    if not np.isfinite(fitted.feature_log_prob_).all():
        raise InputError(
            f"{name} is a {type(fitted).__name__} with infinite log-probabilities; fit it with "
            "alpha > 0."
        )
    if "BernoulliNB" in kinds:
        return _head(fitted, partial(_bernoulli, fitted), name, inputs="features", range="binary")
    idle = "ComplementNB" in kinds and len(fitted.classes_) > 1
    prior = None if idle else fitted.class_log_prior_
    make = partial(exact_rows, fitted.feature_log_prob_, prior, "feature_log_prob_")
    return _head(fitted, make, name, inputs="features", range="count")


def _inputs_of(fitted: Any) -> dict[str, str]:
    """What the inputs are, if naive Bayes models of one kind have a part each."""
    parts = [names_of_kinds(part) for part in getattr(fitted, "estimators_", ())]
    bayes = [kinds for kinds in parts if kinds & {"BernoulliNB", "MultinomialNB", "ComplementNB"}]
    if not bayes or len(bayes) < len(
        [kinds for kinds in parts if "_ConstantPredictor" not in kinds]
    ):
        return {}
    binary = all("BernoulliNB" in kinds for kinds in bayes)
    return {"inputs": "features", "range": "binary" if binary else "count"}


def _bernoulli(fitted: Any) -> Affine:
    """Features that are absent count, too: with the floats that scikit-learn computes for them."""
    present = as_objects(exact_rows(fitted.feature_log_prob_, None, "feature_log_prob_")[0])
    absent = as_objects(np.log(1 - np.exp(np.asarray(fitted.feature_log_prob_, float))))
    prior = as_objects(np.asarray(fitted.class_log_prior_, float))
    return simplest(present - absent), simplest(prior + absent.sum(axis=1))


def _network(fitted: Any, name: str) -> Head:
    """The last layer of an MLPClassifier or an MLPRegressor."""

    def make() -> Affine:
        return exact_rows(np.transpose(fitted.coefs_[-1]), fitted.intercepts_[-1], "coefs_[-1]")

    found = _head(fitted, make, name)
    if len(fitted.coefs_) == 1:
        return found
    kind = {"relu": "relu", "logistic": "sigmoid", "tanh": "tanh"}.get(fitted.activation, "")
    inputs = f"the outputs of {fitted.activation}"
    return replace(found, columns=None, inputs=inputs, range=kind, is_inner=True)


def _pipeline(fitted: Any, name: str) -> Head:
    """The last step, in terms of what enters the pipeline, or leaves its last encoder."""
    *before, (_, _, last_step) = flat_steps(fitted)
    last = read_estimator(last_step, f"the last step of {name}")
    if last.is_inner:
        return last
    encoders = [k for k, part in enumerate(before) if names_of_kinds(part[2]) & ENCODERS.keys()]
    start = encoders[-1] + 1 if encoders else 0
    found = replace(
        last,
        make=partial(_composed, last, before[start:], name),
        columns=None if encoders else _columns(fitted),
    )
    if encoders:
        kind = type(before[start - 1][2]).__name__
        return replace(found, inputs=f"the features of {kind}", range=ENCODERS.get(kind, ""))
    return found if start == len(before) else replace(found, inputs="", range="")


def _composed(last: Head, steps: list[tuple[int, str, Any]], name: str) -> Affine:
    """The rows of the last step after the steps before it."""
    W, b = last.make()
    for number, title, step in reversed(steps):
        try:
            W, b = linear_map(step)(W, b)
        except NotLinearError as error:
            raise InputError(
                f"{name} is a Pipeline, whose step {title!r} ({type(step).__name__}) {error}; pass "
                f"{name}[{number + 1}:] to ask about what this step makes of the inputs."
            ) from None
    return simplest(W), None if b is None else simplest(b)
