"""Rows as a caller names them: numbers, labels, masks, or equations of hyperplanes."""

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from arrangements.core.hyperplane import Equation, as_equation
from arrangements.core.labels import Label, align, find_rows, is_series
from arrangements.errors import InputError
from arrangements.exact import coercion
from arrangements.messages import quote

RowAddresses = Label | Equation | Iterable[Label | Equation]


class WithRows(Protocol):
    """What of an arrangement says which rows are meant."""

    @property
    def n_hyperplanes(self) -> int:
        """Number of rows."""

    @property
    def labels(self) -> tuple[Label, ...] | None:
        """Their labels."""

    def _rows_of(self, normal: Any, offset: Any) -> list[int]: ...


def parse_rows(A: WithRows, rows: Any, name: str = "rows") -> list[int]:
    """Rows meant, in the order given.

    Parameters
    ----------
    A : Arrangement
    rows : row, label or equation, or iterable of them, or (n,) array_like of bool
        Negative numbers count from the end. A Python set may come in any order. An equation (a
        `Hyperplane`, or a pair of normal and offset) stands for all rows that are this hyperplane,
        whatever their scale and orientation; equations do not mix with rows and labels.
    name : str
        Name of the argument in messages.

    Returns
    -------
    list of int

    Raises
    ------
    InputError
        If there is no such row.

    Examples
    --------
    >>> from arrangements import Arrangement
    >>> A = Arrangement([[1, 2], [0, 1], [-2, -4]], labels="abc")
    >>> parse_rows(A, ["c", "a"]), parse_rows(A, -1), parse_rows(A, ([1, 2], 0))
    ([2, 0], [2], [0, 2])
    """
    n = A.n_hyperplanes
    if as_equation(rows) is not None:
        return _rows_of_equation(A, rows)
    coercion.refuse_masked(rows, name)
    several = sorted(rows, key=str) if isinstance(rows, (set, frozenset)) else rows
    if isinstance(several, (list, tuple)) and any(as_equation(part) for part in several):
        return [row for part in several for row in _rows_of_equation(A, part)]
    array = coercion.plain_array(several, name)
    if array.dtype == bool and is_series(several):
        array = np.asarray(align(several, A.labels, name))
    if array.dtype == bool and array.shape == (n,):
        return [int(i) for i in np.flatnonzero(array)]
    if array.ndim > 1 or (array.size and array.dtype.kind not in "iuUO"):
        raise InputError(
            f"{name} is {quote(rows)}; expected rows or labels, or a mask of {n} bools."
        )
    return find_rows(several if array.ndim else [several], A.labels, n, from_end=True)


def _rows_of_equation(A: WithRows, value: Any) -> list[int]:
    equation = as_equation(value)
    if equation is None:
        raise InputError(f"{quote(value)} is mixed with equations; expected rows, or equations.")
    found = A._rows_of(*equation)
    if not found:
        raise InputError(f"no row is the hyperplane {quote(value)}; expected one of A.")
    return found
