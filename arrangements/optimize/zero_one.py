"""The linear classifier with the fewest errors, as an estimator of scikit-learn (an extra)."""

from __future__ import annotations

from fractions import Fraction
from numbers import Number
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.certificates.certificate import Certificate
from arrangements.checks import (
    check_flag,
    check_integer,
    check_max_hours,
    check_option,
    check_time_limit,
)
from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import align
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector, from_tensor, is_frame
from arrangements.exact.numbers import ExactArray, check_rational, fractions, nearest_floats
from arrangements.exact.text import brief_text
from arrangements.messages import missing_library, quote
from arrangements.optimize.chamber_search import predict_seconds
from arrangements.optimize.objectives import Costs
from arrangements.optimize.optimum import Optimum
from arrangements.optimize.separation import read_task, separate, with_products

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
except ImportError:

    class BaseEstimator:  # type: ignore[no-redef]
        """Stands for the base class while scikit-learn is not installed."""

        def __new__(cls, *args: Any, **options: Any) -> Any:  # noqa: D102
            raise missing_library("scikit-learn", "for ZeroOneClassifier", "learn")

    class ClassifierMixin:  # type: ignore[no-redef]
        """Stands for the mixin."""


# The least positive float.
_LEAST = 5e-324
_ALL_ZERO = "all weights are zero; expected a positive one."


@public_class
class ZeroOneClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The line (hyperplane, quadric) that separates two classes with the fewest errors, proved.

    An estimator of scikit-learn, which is the extra ``learn``.

    Parameters
    ----------
    degree : {1, 2}
        2 for quadratic boundaries: the features are x_1, .., x_d and then all products x_i x_j with
        i <= j, as ``PolynomialFeatures(2, include_bias=False)`` orders them, but exact.
    fit_intercept : bool
        Whether the boundary may miss the origin.
    class_weight : dict, "balanced" or None
        What an error costs in each class, times its weight; "balanced" makes both classes cost
        the same in all. With an intercept, the distances of the boundary from the nearest points
        on its two sides are in this proportion, too, but for a thousandth of their sum.
    workers : int
        Threads, if all chambers are seen.
    time_limit : float, optional
        Seconds after which the best answer found is kept; `gap_` says how much better another can
        be. So it is after Ctrl-C.
    widest : bool
        Of all boundaries with the least loss, take one of largest margin: of the distance from the
        nearest point of the data on either side, in features. For given sides that is half the
        distance between the convex hulls of the points on both sides (without intercept, the
        distance of the origin from the hull of the points times their signs), infinite if one
        side has no points. Squares of these distances are compared exactly; points of weight zero
        do not count. If the time is up before all are known, the boundary found is kept, whatever
        its margin.
    max_hours : float, optional
        Refuse a sweep that is expected to take more; see `forecast`. The default is a day.

    Attributes
    ----------
    classes_ : (2,) ndarray
    coef_ : (1, k) ndarray of float64
    intercept_ : (1,) ndarray of float64
        The boundary of largest margin that leaves each point of the data on the side where the
        best one has it; without class weights, scores of the nearest points are -1 and 1. The
        sides are proved in exact arithmetic. If floats cannot prove them, an exact inner point
        takes its place, which `predict` uses and these attributes round.
    loss_ : Fraction
        The sum of the weights of all errors: the least of all boundaries if `gap_` is 0.
    gap_ : Fraction
        0, unless the time was up: `loss_` exceeds the least loss by at most this.
    certificate_ : Certificate
        The sides of all distinct points, and an exact boundary that has them.
    optimum_ : Optimum
        The answer of `best_chamber`, about the distinct points as rows, which are + on the side of
        the second class. ``optimum_.verify(optimal=True)`` proves again that no boundary is better,
        and `write_certificate` writes such a proof to a file. ``plot_gap(optimum_)`` draws how the
        search went on.
    n_features_in_ : int

    See Also
    --------
    best_chamber : the search.
    best_tree : a hyperplane and one on each of its sides, for two or more classes.

    Notes
    -----
    Points that occur several times are merged, and count in both classes if they contradict each
    other. No general position is assumed: no boundary goes through a point of the data, since
    turning it a little makes no further errors. Numbers are not rounded: a float counts as the
    dyadic number that it is, and Fractions, Decimals and large integers as they are, also in arrays
    of objects and in tables of several types. Steps of a pipeline before this one may round them.

    For more than two classes, ``OneVsOneClassifier(ZeroOneClassifier())`` of scikit-learn votes by
    pairs of classes, and ``OneVsRestClassifier`` compares scores against the rest. Each boundary
    has the fewest errors; their joint errors are not proved to be the fewest.

    Which of several best boundaries is found depends on the distinct points and their weights only,
    not on their order.

    Examples
    --------
    >>> X, y = [[0, 0], [1, 1], [2, 0], [0, 2], [3, 3], [2, 3]], [0, 1, 0, 0, 1, 1]
    >>> found = ZeroOneClassifier().fit(X, y)
    >>> found.loss_, found.gap_, found.predict([[4, 4], [1, 0]]).tolist()
    (Fraction(1, 1), Fraction(0, 1), [1, 0])
    >>> ZeroOneClassifier(degree=2).fit(X, y).loss_
    Fraction(0, 1)
    """

    def __init__(
        self,
        degree: int = 1,
        fit_intercept: bool = True,
        class_weight: Any = None,
        workers: int = 1,
        time_limit: float | None = None,
        widest: bool = False,
        max_hours: float | None = None,
    ) -> None:
        # scikit-learn wants parameters as they were given; fit checks them
        self.degree = degree
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.workers = workers
        self.time_limit = time_limit
        self.widest = widest
        self.max_hours = max_hours

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the boundary with the fewest errors.

        Parameters
        ----------
        X : (n, d) array_like
        y : (n,) array_like
            Labels of two classes. If X is a DataFrame, a Series is put into the order of its index.
        sample_weight : (n,) array_like, optional
            What an error at each point costs, at least 0; default 1.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If there is one class, there are more than two, or all weights are zero.
        TooLargeError
            If a sweep is expected to take more than `max_hours`, or with `widest`, more than 10,000
            boundaries have the least loss.
        """
        data = self._read(X, y, sample_weight)
        found = separate(
            **data,
            workers=self.workers,
            time_limit=self.time_limit,
            widest=bool(self.widest),
            max_hours=self.max_hours,
        )
        if found is None:
            raise InputError(_ALL_ZERO)
        self._found = found
        self.loss_: Fraction = found.loss
        self.gap_: Fraction = found.gap
        self.optimum_: Optimum = found.optimum
        self.certificate_: Certificate = found.optimum.certificate
        self.coef_: NDArray[np.float64] = found.coefficients[None, :-1]
        self.intercept_: NDArray[np.float64] = found.coefficients[-1:]
        return self

    def forecast(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Predict how many seconds `fit` takes at most, about.

        That is a sweep of all chambers, which follows when bounds have not ended in a tenth of its
        time; where errors are few, they end at once. `widest` and compilation are not counted.

        Parameters
        ----------
        X, y, sample_weight
            As of `fit`.

        Returns
        -------
        float
            At most `time_limit`.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.standard_normal((200, 4)), rng.integers(0, 2, 200)
        >>> 0.1 < ZeroOneClassifier().forecast(X, y) < 1000
        True
        """
        # another estimator, since this one is not fitted
        task = read_task(**type(self)(**self.get_params())._read(X, y, sample_weight))
        if task is None:
            raise InputError(_ALL_ZERO)
        rows = len(task.rows)
        costs = Costs.of(task.costs, rows) if rows else Costs.of_number(0)
        seconds = predict_seconds(Arrangement(task.rows), costs, self.workers)
        return float(seconds if self.time_limit is None else min(seconds, self.time_limit))

    def _read(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> dict[str, Any]:
        """Check parameters and data; the arguments of `separate`."""
        check_option("degree", self.degree, (1, 2))
        check_flag("fit_intercept", self.fit_intercept)
        check_flag("widest", self.widest)
        check_integer("workers", self.workers, 1)
        check_time_limit(self.time_limit)
        check_max_hours(self.max_hours)
        if is_frame(X):
            index: Any = X.index  # type: ignore[union-attr]
            y = align(y, index, "y", "rows of X")
            sample_weight = align(sample_weight, index, "sample_weight", "rows of X")
        data, targets = self._validate(X, from_tensor(y))
        check_classification_targets(targets)
        self.classes_: NDArray[Any]
        self.classes_, member = np.unique(targets, return_inverse=True)
        self._check_classes()
        weights = _exact_weights(sample_weight, data)
        return {
            "points": as_exact_matrix(X, "X"),
            "second": member.astype(bool),
            "weights": weights,
            "degree": self.degree,
            "constant": bool(self.fit_intercept),
            "factors": self._class_factors(weights, member),
        }

    def _check_classes(self) -> None:
        if len(self.classes_) > 2:
            raise InputError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"y has {len(self.classes_)} classes; expected 2. OneVsOneClassifier and "
                "OneVsRestClassifier of scikit-learn take this estimator for more; best_tree takes "
                "any number."
            )
        if len(self.classes_) < 2:
            raise InputError(f"y has one class, {quote(self.classes_[0].tolist())}; expected two.")

    def _class_factors(
        self, weights: list[Fraction], member: NDArray[np.intp]
    ) -> tuple[Fraction, Fraction]:
        """By what the weights of points of both classes are multiplied."""
        if self.class_weight is None:
            return Fraction(1), Fraction(1)
        if isinstance(self.class_weight, str):
            check_option("class_weight", self.class_weight, ("balanced",))
            second = sum((w for w, k in zip(weights, member, strict=True) if k), Fraction(0))
            whole = sum(weights, Fraction(0))
            first = whole - second
        else:
            whole = Fraction(2)
            first, second = (_factor(self.class_weight, label) for label in self.classes_.tolist())
            return first, second
        first, second = (whole / (2 * part) if part else Fraction(1) for part in (first, second))
        return first, second

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Scores of points, in float64: positive where, exactly, the second class is predicted.

        Parameters
        ----------
        X : (n, d) array_like

        Returns
        -------
        (n,) ndarray of float64
        """
        points = self._points(X)
        features = nearest_floats(points)
        with np.errstate(over="ignore", invalid="ignore"):
            features = features if self.degree == 1 else with_products(features)
            scores = features @ self.coef_[0] + self.intercept_[0]
        positive = self._found.positive(points)
        return np.where(positive, np.fmax(scores, _LEAST), np.fmin(scores, 0.0))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Classes of points, decided exactly; on the boundary the first class.

        Parameters
        ----------
        X : (n, d) array_like

        Returns
        -------
        (n,) ndarray
            Entries of `classes_`.
        """
        points = self._points(X)
        return self.classes_[self._found.positive(points).astype(np.intp)]

    def _points(self, X: ArrayLike) -> ExactArray:
        """Points to classify, as exact numbers."""
        check_is_fitted(self)
        self._validate(X, "no_validation", reset=False)
        return as_exact_matrix(X, "X")

    def _validate(self, X: Any, y: Any, **options: Any) -> Any:
        """Check as scikit-learn does, which may round."""
        given = _rational("X", X)
        try:
            return validate_data(self, given, y, dtype="numeric", **options)
        except OverflowError:  # an array of objects has a number beyond the range of floats
            return validate_data(self, given, y, dtype=None, **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _rational(name: str, given: Any) -> Any:
    """An array, or what becomes one, without irrational numbers: scikit-learn would round them."""
    found = from_tensor(given)
    try:
        entries = np.asarray(found)
    except ValueError:  # ragged rows, which scikit-learn refuses
        return found
    check_rational(name, entries)
    return found


def _exact_weights(given: Any, data: Any) -> list[Fraction]:
    """Weights of points as scikit-learn takes them, but not rounded."""
    rounded = _check_sample_weight(
        _rational("sample_weight", given), data, ensure_non_negative=True
    )
    if given is None or isinstance(given, Number):
        return list(map(Fraction, rounded.tolist()))
    weights = fractions(as_exact_vector(given, len(rounded), "sample_weight"))
    if min(weights) < 0:
        least = brief_text(min(weights))
        raise InputError(f"sample_weight has the entry {least}; expected numbers from 0 on.")
    return list(weights)


def _factor(given: Any, label: Any) -> Fraction:
    """The weight of a class in a mapping."""
    weight: Any = given.get(label, 1) if hasattr(given, "get") else None
    try:
        factor = Fraction(weight)
    except (TypeError, ValueError, OverflowError):
        factor = Fraction(-1)
    if factor < 0:
        raise InputError(
            f"class_weight is {quote(given)}; expected a mapping from classes to numbers that are "
            "at least 0, 'balanced' or None."
        )
    return factor
