"""What a question about flats and their order is about: an arrangement, or a matroid."""

from __future__ import annotations

from numpy.typing import ArrayLike

from arrangements.errors import InputError
from arrangements.faces.flat_orders import FlatOrder, order_of_flats
from arrangements.model.arrangement import Arrangement, asked_arrangement
from arrangements.model.low_rank import Rank
from arrangements.oriented_matroids.matroid_flats import order_of_matroid
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid


def asked_order(
    W: ArrayLike | Arrangement | OrientedMatroid,
    offsets: ArrayLike | None = None,
    rank: Rank = "exact",
) -> FlatOrder:
    """Flats and their order, of an arrangement or a matroid.

    Examples
    --------
    >>> asked_order([[1, 0], [0, 1], [1, 1]]).ranks.tolist()
    [0, 1, 1, 1, 2]
    """
    if not isinstance(W, OrientedMatroid):
        return order_of_flats(asked_arrangement(W, offsets, rank))
    if offsets is not None or rank != "exact":
        raise InputError("offsets or rank were given with an OrientedMatroid, which has none.")
    return order_of_matroid(W)
