"""Flats in order, of an arrangement or a matroid; central arrangements."""

from __future__ import annotations

from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.questions import as_arrangement, oriented_matroid_of
from arrangements.errors import InputError
from arrangements.oriented_matroids.matroid_flats import order_of_matroid
from arrangements.oriented_matroids.oriented_matroid import MatroidLike, OrientedMatroid
from arrangements.structure.flat_orders import FlatOrder, order_of_flats


def flat_order(
    W: MatroidLike, offsets: ArrayLike | None = None, rank: int | None = None
) -> FlatOrder:
    """Flats and their order, of an arrangement or a matroid.

    Examples
    --------
    >>> flat_order([[1, 0], [0, 1], [1, 1]]).ranks.tolist()
    [0, 1, 1, 1, 2]
    """
    if isinstance(W, OrientedMatroid):
        return order_of_matroid(oriented_matroid_of(W, offsets, rank))
    return order_of_flats(as_arrangement(W, offsets, rank))


def refuse_loops(M: OrientedMatroid) -> None:
    """Refuse an oriented matroid with loops."""
    if M.loops:
        raise InputError(f"elements {M.loops} are loops; pass W.deletion(W.loops).")


def as_central(W: ArrangementLike, rank: int | None = None) -> Arrangement:
    """The arrangement, which must be central.

    Examples
    --------
    >>> as_central([[1, 0], [0, 1]])
    Arrangement(2 hyperplanes in dimension 2, central)
    """
    A = as_arrangement(W, None, rank)
    if not A.is_central:
        raise InputError(
            f"W is {A!r}; expected a central one. Pass cone(W).arrangement, which has the "
            "hyperplane at infinity too, or localization(W, rows).arrangement after a translation."
        )
    return A
