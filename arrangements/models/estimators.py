"""Rows of the linear classifiers of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from arrangements.errors import InputError
from arrangements.exact import coercion
from arrangements.exact.numbers import ExactArray

# Estimators of scikit-learn that hold one for each label.
_OF_ESTIMATORS = ("OneVsRestClassifier", "MultiOutputClassifier")


def has_several_labels(fitted: Any) -> bool:
    """Tell if an estimator gives each input any number of labels (scikit-learn: multilabel)."""
    binarizers = (getattr(fitted, name, None) for name in ("label_binarizer_", "_label_binarizer"))
    kinds = [str(getattr(binarizer, "y_type_", "")) for binarizer in binarizers]
    by_output = any(kind.__name__ == "MultiOutputClassifier" for kind in type(fitted).__mro__)
    return by_output or any(kind.startswith("multilabel") for kind in kinds)


def fitted_rows(
    fitted: Any,
) -> tuple[ExactArray, ExactArray, list[Any], tuple[str, ...] | None]:
    """``coef_``, ``intercept_`` and ``classes_`` of an estimator, or of the estimators in it.

    Also the names of the columns, if it was fitted to a DataFrame.
    """
    name = type(fitted).__name__
    if hasattr(fitted, "steps"):
        raise InputError(
            f"fitted is a {name}; pass its last step, such as fitted[-1]: its weights belong to "
            "the inputs as the steps before it leave them."
        )
    nested = any(kind.__name__ in _OF_ESTIMATORS for kind in type(fitted).__mro__)
    parts = list(getattr(fitted, "estimators_", ())) if nested else [fitted]
    known = parts and all(hasattr(part, "coef_") for part in parts)
    if not known or not hasattr(fitted, "classes_") or hasattr(fitted, "support_vectors_"):
        raise InputError(
            f"fitted is a {name}; expected a linear classifier of scikit-learn after fit, with "
            "coef_ and classes_ and a score for each class (SVC has one for each pair)."
        )
    shaped = [[part.coef_] if np.ndim(part.coef_) == 1 else part.coef_ for part in parts]
    rows = [coercion.as_exact_matrix(coef, "coef_") for coef in shaped]
    intercepts = [np.ravel(getattr(part, "intercept_", 0.0)) for part in parts]
    # without an intercept there may be one zero for all rows
    sized = [
        np.repeat(c, len(r)) if len(c) == 1 else c for c, r in zip(intercepts, rows, strict=True)
    ]
    coef, classes = np.vstack(rows), list(fitted.classes_)
    if classes and np.ndim(classes[0]) == 1:  # those of each output
        classes = list(range(len(classes)))
    if len(coef) != len(classes) and (len(coef), len(classes)) != (1, 2):
        raise InputError(
            f"fitted is a {name} with {len(coef)} rows of weights for {len(classes)} classes; "
            "expected one row for each, or one for two."
        )
    offsets = coercion.as_exact_vector(np.concatenate(sized), len(coef), "intercept_")
    columns = getattr(fitted, "feature_names_in_", getattr(parts[0], "feature_names_in_", None))
    return coef, offsets, classes, None if columns is None else tuple(map(str, columns))
