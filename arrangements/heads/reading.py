"""Models of other libraries among the arguments of callers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from arrangements.exact.coercion import is_frame
from arrangements.heads.estimators import is_estimator, read_estimator
from arrangements.heads.head import Head
from arrangements.heads.layers import is_layer, read_layer

_PLAIN = (np.ndarray, list, tuple, str, int, float, Fraction, type(None))
# What arrays, tensors and sparse matrices have.
_ARRAYS = ("__array__", "__dlpack__", "detach", "tocsr")


def read_head(value: Any, name: str = "W") -> Head | None:
    """The linear scores of a model of scikit-learn, PyTorch or Keras; None for anything else.

    Parameters
    ----------
    value : object
    name : str
        Name of the argument in messages.

    Raises
    ------
    InputError
        If it is a model without linear scores, or one that is not fitted.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> fitted = SimpleNamespace(coef_=[[1.5, -2]], intercept_=[0.25], classes_=["no", "yes"])
    >>> read_head(fitted).rows(True).weights.tolist(), read_head([[1, 2]]) is None
    ([[0.0, 0.0], [1.5, -2.0]], True)
    """
    if isinstance(value, _PLAIN) or any(hasattr(value, part) for part in _ARRAYS):
        return None
    if is_frame(value) or hasattr(value, "normals") or hasattr(value, "offsets"):
        return None  # an arrangement or a classifier of ours
    if is_layer(value):  # models of Keras have fit and predict, too
        return read_layer(value, name)
    return read_estimator(value, name) if is_estimator(value) else None


def describe_inputs(value: Any, dimension: int) -> str:
    """What the inputs of a model of another library are, and how to ask about these only.

    Examples
    --------
    >>> describe_inputs([[1, 2]], 2)
    ''
    """
    head = read_head(value)
    return "" if head is None else head.describe_inputs(dimension)
