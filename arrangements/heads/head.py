"""What a model of another library gives: rows of weights, and what is known about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import eq
from typing import Any

import numpy as np

from arrangements.exact import coercion
from arrangements.exact.numbers import ExactArray, nearest_floats

# What leaves a layer or a step, and the polyhedron in dimension d in which it is.
_RANGES = {
    "relu": ("which are >= 0", "Polyhedron.box(0, None, dimension={d})"),
    "relu6": ("which are from 0 to 6", "Polyhedron.box(0, 6, dimension={d})"),
    "softplus": ("which are > 0", "Polyhedron.box(0, None, dimension={d})"),
    "sigmoid": ("which are between 0 and 1", "Polyhedron.box(0, 1, dimension={d})"),
    "tanh": ("which are between -1 and 1", "Polyhedron.box(-1, 1, dimension={d})"),
    "softmax": ("which are weights of sum 1", "Polyhedron.simplex({d})"),
    "count": ("which are counts >= 0", "Polyhedron.box(0, None, dimension={d})"),
    "weight": ("which are >= 0", "Polyhedron.box(0, None, dimension={d})"),
    "binary": ("which are 0 or 1", "Polyhedron.box(0, 1, dimension={d})"),
}
# A box is not recommended in a higher dimension: its facets are rows.
_MOST = 5000


@dataclass(frozen=True)
class HeadRows:
    """Rows of a model of another library, with the attributes that models here have."""

    kind: str
    weights: ExactArray
    offsets: ExactArray | None
    labels: list[Any] | None


@dataclass(frozen=True)
class Head:
    """Scores ``w . x + b`` of a model of another library, and what comes along.

    Attributes
    ----------
    kind : str
        The class of the model.
    make : callable
        Makes the exact rows and offsets.
    labels : list, optional
        One for each row; or two for one row, the score of the second against the first.
    columns : tuple of str, optional
        Names of the coordinates.
    several : bool, optional
        Whether an input gets any number of labels, or one; None if the model does not say so.
    inputs : str
        What x is, if not any input of the whole model: ``"the outputs of ReLU"``.
    range : str
        A key of the known ranges of x, or "".
    is_inner : bool
        Whether x is what hidden layers make of the inputs of the model.
    """

    kind: str
    make: Callable[[], tuple[ExactArray, ExactArray | None]]
    labels: list[Any] | None = None
    columns: tuple[str, ...] | None = None
    several: bool | None = None
    inputs: str = ""
    range: str = ""
    is_inner: bool = False

    def rows(self, compared: bool) -> HeadRows:
        """The rows, where one may stand for two classes.

        Then it is the row of the second if signs of scores count, and if scores are compared with
        each other, a row of zeros for the first precedes it.
        """
        (W, b), labels = self.make(), self.labels
        if labels is not None and (len(W), len(labels)) == (1, 2):
            if not compared:
                return HeadRows(self.kind, W, b, labels[1:])
            W = np.vstack([np.zeros_like(W), W])
            b = None if b is None else np.concatenate([np.zeros_like(b), b])
        return HeadRows(self.kind, W, b, labels)

    def describe_inputs(self, dimension: int) -> str:
        """A sentence about the inputs that occur, and how to ask about these; "" if none is known.

        Examples
        --------
        >>> head = Head("Net", list, inputs="the outputs of ReLU", range="relu")
        >>> head.describe_inputs(2)
        'the outputs of ReLU, which are >= 0 (any x counts here; within=Polyhedron.box(0, None, \
dimension=2) confines x)'
        """
        if not self.range:
            return self.inputs
        which, polyhedron = _RANGES[self.range]
        text = f"{self.inputs}, {which}"
        if dimension > _MOST:
            return f"{text} (any x counts here)"
        within = polyhedron.format(d=dimension)
        return f"{text} (any x counts here; within={within} confines x)"


def exact_rows(weights: Any, offsets: Any, name: str) -> tuple[ExactArray, ExactArray | None]:
    """Weights and offsets of a model as exact arrays; a single offset counts for all rows.

    Examples
    --------
    >>> exact_rows([[1, 2], [3, 4]], 0.5, "coef_")[1]
    array([0.5, 0.5])
    """
    weights = coercion.from_tensor(weights)
    W = coercion.as_exact_matrix([weights] if np.ndim(weights) == 1 else weights, name)
    if offsets is None:
        return W, None
    b = np.ravel(coercion.from_tensor(offsets))
    return W, coercion.as_exact_vector(np.repeat(b, len(W)) if len(b) == 1 else b, len(W))


def simplest(values: ExactArray) -> ExactArray:
    """The same numbers in float64, if it holds all of them exactly.

    Examples
    --------
    >>> from fractions import Fraction
    >>> simplest(np.array([Fraction(1, 2), 3], dtype=object))
    array([0.5, 3. ])
    """
    if values.dtype != object:
        return values
    floats = nearest_floats(values)
    same = all(map(eq, floats.ravel().tolist(), values.ravel().tolist()))
    return floats if same else values
