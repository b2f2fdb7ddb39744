"""Rows of large heads of models, which stay in float32 where it holds them exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from arrangements.core.clear_rank import is_clearly_full_centered
from arrangements.core.rows import Rows
from arrangements.exact.numbers import ExactArray
from arrangements.execution import limits
from arrangements.messages import Remedy

# Entries of rows whose memory is predicted, and which are kept in float32 if they are so short.
_LARGE = 2**24


def check_size(W: Any, what: str, kept: int = 0) -> bool:
    """Whether W is large; refused if its rows will not fit into memory.

    Parameters
    ----------
    W : array_like
        As a caller gave it: only its shape and its type are looked at.
    what : str
        The question, for a message.
    kept : int
        Bytes that the answer keeps for each number.

    Examples
    --------
    >>> check_size(np.zeros((2, 2)), "an audit")
    False
    """
    try:
        n, d = tuple(getattr(W, "shape", ()))
        size = int(n) * int(d)
    except (TypeError, ValueError):
        return False
    if size < _LARGE:
        return False
    # rows and what a search makes of them, twelve matrices of products and blocks of rows
    bytes_each = kept + (8 if getattr(getattr(W, "dtype", None), "itemsize", 8) <= 4 else 24)
    needed = size * bytes_each + 12 * 8 * int(d) ** 2 + 2**28
    remedy = Remedy("fewer rows", "Take part of the rows, or a machine with more memory.")
    text = f"{what} of {n} rows of {d} numbers"
    limits.check_bytes(text, needed, remedy, allowed=limits.free_bytes())
    return True


def keep_short(rows: Rows, rank: int | None) -> tuple[Rows, bool]:
    """The rows, in float64 unless their differences have full rank beyond any rounding.

    Returns
    -------
    rows : Rows
        As given, if they are not in float32.
    is_full : bool
        Whether they are still in float32.

    Examples
    --------
    >>> found, is_full = keep_short(Rows(np.ones((3, 2), np.float32)), None)
    >>> found.weights.dtype, is_full
    (dtype('float64'), False)
    """
    W = rows.weights
    if W.dtype != np.float32 or (rank is None and is_clearly_full_centered(W)):
        return rows, W.dtype == np.float32
    return rows._replace(weights=widened(W)), False


def widened(matrix: ExactArray) -> ExactArray:
    """The same numbers, in float64 if they are in float32."""
    return matrix.astype(np.float64) if matrix.dtype == np.float32 else matrix
