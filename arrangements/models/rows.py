"""What a model is to a question: rows of weights, with offsets and names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numpy.typing import ArrayLike

from arrangements.core.alignment import column_names
from arrangements.core.labels import Label
from arrangements.core.rows import Rows, read_rows
from arrangements.core.score_model import ScoreModel
from arrangements.errors import InputError


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
    if isinstance(model, ScoreModel) or own_outputs(model):
        if offsets is not None:
            raise InputError(f"offsets were given with {name}, which has its own.")
        columns = column_names(model)
        labels = model.labels if labels is None else labels
        found = read_rows(model.weights, model.offsets, labels, name, allow_no_rows=False)
        return found._replace(columns=columns)
    return read_rows(model, offsets, labels, name, allow_no_rows=False)
