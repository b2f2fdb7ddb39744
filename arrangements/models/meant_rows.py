"""Rows that an audit is about: those given, or those of low rank that they were meant to be."""

from __future__ import annotations

from typing import NamedTuple

from arrangements.core.low_rank import (
    LowRankStructure,
    exact_rank,
    structure_of,
    warn_if_low_rank,
)
from arrangements.core.numerical_rank import numerical_rank
from arrangements.core.rows import Rows
from arrangements.core.short_rows import keep_short


class MeantRows(NamedTuple):
    """Rows for each kind of question.

    Attributes
    ----------
    of_labels, of_signs : Rows
        For questions about the order of labels, and about their signs.
    structure : LowRankStructure or None
        Of the first rows, if they were inferred.
    is_full : bool
        Whether the columns, centered, are known to be independent beyond any rounding.
    """

    of_labels: Rows
    of_signs: Rows
    structure: LowRankStructure | None = None
    is_full: bool = False


def meant_rows(model_rows: Rows, rank: int | None, with_signs: bool) -> MeantRows:
    """The rows given, with a warning if rounding hides a low rank; or the rows of a rank.

    Parameters
    ----------
    model_rows : Rows
        In float32 only if there are many and no rank is asked for; those that may have a low one
        become float64.
    rank : int or None
        Rank of the matrix meant. Differences of its rows may have one less.
    with_signs : bool
        Whether signs of labels are asked about.

    Examples
    --------
    >>> import numpy as np
    >>> from arrangements.core.rows import read_rows
    >>> W = np.random.default_rng(0).normal(size=(6, 2)) @ [[1.5, 0.25, 2.0], [0.5, 1.0, -3.0]]
    >>> found = meant_rows(read_rows(W), 2, True)
    >>> found.of_labels.weights.shape, found.of_signs.weights.shape
    ((6, 2), (6, 2))
    """
    model_rows, is_full = keep_short(model_rows, rank)
    if is_full:
        return MeantRows(model_rows, model_rows, is_full=True)
    W, printed = model_rows.weights, model_rows.printed
    if rank is None:
        clear = warn_if_low_rank(W, lambda: exact_rank(W, True), True, printed)
        # differences of few rows have no rank to lose, but their signs may have
        if with_signs and not clear and numerical_rank(W, printed, False).rank >= len(W) - 1:
            warn_if_low_rank(W, lambda: exact_rank(W, False), False, printed)
        return MeantRows(model_rows, model_rows, is_full=clear)
    found = structure_of(W, rank_of_differences(model_rows, rank), True, printed)
    signs = structure_of(W, rank, False, printed).factor if with_signs else W
    return MeantRows(
        model_rows._replace(weights=found.factor), model_rows._replace(weights=signs), found
    )


def rank_of_differences(rows: Rows, rank: int) -> int:
    """Rank of the differences of rows whose rank was meant to be this: the same, or one less.

    Examples
    --------
    >>> from arrangements.core.rows import read_rows
    >>> rank_of_differences(read_rows([[0.5, 1.5], [1.5, 1.5], [3.5, 1.5]]), 2)
    1
    """
    fewer = numerical_rank(rows.weights, rows.printed, True).rank == rank - 1 > 0
    return rank - 1 if fewer else rank
