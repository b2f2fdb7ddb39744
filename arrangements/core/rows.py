"""The rows that a caller means: exact numbers, offsets and labels of a matrix, read once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from arrangements.core.hyperplane import split_hyperplanes
from arrangements.core.labels import (
    Label,
    align,
    arrangement_in,
    as_labels,
    column_names,
    holds_rows,
    is_series,
    labels_of,
    names_of,
)
from arrangements.core.rounding import Printed, print_format_of
from arrangements.errors import InputError, InputTypeError
from arrangements.exact import coercion, numbers
from arrangements.exact.numbers import ExactArray
from arrangements.heads.reading import read_head
from arrangements.messages import quote


class LinearModel(Protocol):
    """What holds rows of weights: a classifier, a score model, or a class of a caller."""

    @property
    def weights(self) -> ArrayLike:
        """One row for each label."""
        ...

    @property
    def offsets(self) -> ArrayLike | None:
        """One for each label; None for zeros."""
        ...


class HoldsSigns(Protocol):
    """An oriented matroid, which questions take that need no numbers."""

    n: int
    rank: int
    chirotope: Any


class HoldsArrangement(Protocol):
    """What an operation on arrangements returns, which a question takes for its arrangement."""

    @property
    def arrangement(self) -> Any:
        """The new arrangement."""
        ...

    @property
    def to_original(self) -> Any:
        """Map of its points to those of the arrangement that it was made from."""
        ...


class Rows(NamedTuple):
    """Rows of weights or normals, with what a caller gave along with them.

    Attributes
    ----------
    weights : (n, d) ndarray, read-only
        Exact numbers: float64, int64, or object.
    offsets : (n,) ndarray, read-only, or None
        In the same field as the weights.
    labels : tuple of int or str, or None
    columns : tuple of str, or None
        Names of the coordinates.
    printed : Printed or None
        How the numbers were printed, if they were read from text.
    """

    weights: ExactArray
    offsets: ExactArray | None = None
    labels: tuple[Label, ...] | None = None
    columns: tuple[str, ...] | None = None
    printed: Printed | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the rows, or their numbers."""
        return names_of(self.labels, len(self.weights))


def read_rows(
    W: Any,
    offsets: ArrayLike | None = None,
    labels: Iterable[Label] | None = None,
    name: str = "W",
    *,
    distinct: bool = True,
    compared: bool = True,
    allow_no_rows: bool = True,
    allow_no_columns: bool = False,
    short: bool = False,
) -> Rows:
    """Rows meant by the arguments of a public function.

    Parameters
    ----------
    W : (n, d) array_like, Arrangement, ScoreModel, classifier, or list of Hyperplane
        Arrangements, models and hyperplanes have offsets of their own, a DataFrame has labels. A
        classifier is one of ours, or one of scikit-learn, PyTorch or Keras with linear scores.
    offsets : (n,) array_like, optional
    labels : sequence of int or str, optional
        Default those that come with W.
    name : str
        Name of W in messages.
    distinct : bool
        Whether labels must differ.
    compared : bool
        Whether scores are compared with each other, instead of with 0: see `Head`.
    allow_no_rows, allow_no_columns : bool
        Whether shapes (0, d) and (n, 0) are accepted.
    short : bool
        Whether floats of at most 32 bits become float32: see `as_exact_matrix`.

    Examples
    --------
    >>> read_rows([[1, 2]], [3], labels=["cat"]).names
    ('cat',)
    """
    W = arrangement_in(W)
    if labels is None and type(W) is np.ndarray:
        # as a rule these are plain numbers, of which nothing else is to be asked
        matrix = coercion.copy_plain(W, 2)
        b = None if offsets is None else coercion.copy_plain(offsets, 1)
        if matrix is not None and (offsets is None or (b is not None and len(b) == len(matrix))):
            return Rows(matrix, b)
    if hasattr(W, "chirotope"):
        raise InputTypeError(
            f"W is {quote(W)}, which holds signs of minors instead of numbers; pass the "
            "matrix of an arrangement (M.matrix, if it was made from one), or M.topes()."
        )
    if hasattr(W, "witnesses"):
        raise InputTypeError(
            f"W is {quote(W)}, a set of answers; pass the arrangement or weights themselves."
        )
    columns = column_names(W)
    if (head := read_head(W, name)) is not None:
        W = head.rows(compared)
    labels, printed = labels_of(W, labels), print_format_of(W)
    if (found := split_hyperplanes(W)) is not None:
        if offsets is not None:
            raise InputError("offsets were given with hyperplanes, which have their own.")
        W, offsets, own = found
        labels = own if labels is None else labels
    else:
        W, offsets = rows_and_offsets(W, offsets, labels)
    matrix = coercion.as_exact_matrix(
        W, name, allow_no_rows=allow_no_rows, allow_no_columns=allow_no_columns, short=short
    )
    n, d = matrix.shape
    b = None if offsets is None else coercion.as_exact_vector(offsets, n, columns=d)
    matrix, b = numbers.unify_fields(matrix, b)
    return Rows(
        numbers.read_only(matrix),
        None if b is None else numbers.read_only(b),
        as_labels(labels, len(matrix), distinct=distinct),
        columns,
        printed,
    )


def rows_and_offsets(
    W: Any, offsets: ArrayLike | None, labels: Any = None, *, compared: bool = True
) -> tuple[Any, Any]:
    """Rows and offsets meant by the arguments of a public function; models bring both.

    Offsets in a Series are put into the order of the labels of W, or else of `labels`. `compared`
    is as in `read_rows`.

    Examples
    --------
    >>> from arrangements import Arrangement
    >>> rows_and_offsets(Arrangement([[1, 2]], [3]), None)[1].tolist()
    [3]
    """
    W = arrangement_in(W)
    if (head := read_head(W)) is not None:
        W = head.rows(compared)
    if is_series(offsets):
        own = labels_of(W)
        offsets = align(offsets, labels if own is None else own, "offsets")
    if not holds_rows(W):
        return W, offsets
    rows, own = W.normals if hasattr(W, "normals") else W.weights, W.offsets
    if offsets is None:
        return rows, own
    if own is not None and own.any():
        kind = getattr(W, "kind", type(W).__name__)
        raise InputError(
            f"offsets were given with {'an' if kind[0] in 'AEIOU' else 'a'} {kind}, which has its "
            f"own; pass its matrix instead of the {kind}."
        )
    return rows, offsets
