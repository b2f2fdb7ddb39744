"""What a model is to a question: rows of weights, with offsets and names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from arrangements.core.alignment import column_names
from arrangements.core.arrangement import rows_and_offsets
from arrangements.core.labels import Label, as_labels, labels_of, names_of
from arrangements.core.rounding import Printed, print_format_of
from arrangements.core.score_model import ScoreModel
from arrangements.errors import InputError
from arrangements.exact import numbers
from arrangements.exact.numbers import ExactArray


class Rows(NamedTuple):
    """Weights, offsets and labels as exact numbers, and how the weights were printed."""

    weights: ExactArray
    offsets: ExactArray | None
    labels: tuple[Label, ...] | None
    columns: tuple[str, ...] | None = None
    printed: Printed | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the rows, or their numbers."""
        return names_of(self.labels, len(self.weights))


def own_outputs(model: Any) -> Any:
    """What a classifier, which stands on a floor above, says that it puts out; else None."""
    return getattr(type(model), "outputs", None)


def rows_of_model(
    model: Any,
    name: str,
    offsets: ArrayLike | None = None,
    labels: Iterable[Label] | None = None,
) -> Rows:
    """Rows of a classifier, an arrangement or a matrix, and the names of its columns.

    Examples
    --------
    >>> rows_of_model([[1, 2]], "W", labels=["cat"]).names
    ('cat',)
    """
    columns, printed = column_names(model), print_format_of(model)
    if isinstance(model, ScoreModel) or own_outputs(model):
        if offsets is not None:
            raise InputError(f"offsets were given with {name}, which has its own.")
        labels = model.labels if labels is None else labels
        model, offsets = model.weights, model.offsets
    else:
        labels = labels_of(model, labels)
        model, offsets = rows_and_offsets(model, offsets, labels)
    W = numbers.as_exact_matrix(model, name)
    b = None if offsets is None else numbers.as_exact_vector(offsets, len(W))
    return Rows(W, b, as_labels(labels, len(W)), columns, printed)
