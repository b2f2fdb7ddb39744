"""What a question about flats and their order is about: an arrangement, or a matroid."""

from __future__ import annotations

from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement, as_arrangement
from arrangements.errors import InputError
from arrangements.oriented_matroids.matroid_flats import order_of_matroid
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid
from arrangements.structure.flat_orders import FlatOrder, order_of_flats


def asked_order(
    W: ArrayLike | Arrangement | OrientedMatroid,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
) -> FlatOrder:
    """Flats and their order, of an arrangement or a matroid.

    Examples
    --------
    >>> asked_order([[1, 0], [0, 1], [1, 1]]).ranks.tolist()
    [0, 1, 1, 1, 2]
    """
    if not isinstance(W, OrientedMatroid):
        return order_of_flats(as_arrangement(W, offsets, rank))
    if offsets is not None or rank is not None:
        raise InputError("offsets or rank were given with an OrientedMatroid, which has none.")
    return order_of_matroid(W)


def central(W: ArrayLike | Arrangement, rank: int | None = None) -> Arrangement:
    """The arrangement of a question about central ones.

    Examples
    --------
    >>> central([[1, 0], [0, 1]])
    Arrangement(2 hyperplanes in dimension 2, central)
    """
    A = as_arrangement(W, None, rank)
    if not A.is_central:
        raise InputError(
            f"W is {A!r}; expected a central one. Pass cone(W).arrangement, which has the "
            "hyperplane at infinity too, or localization(W, rows).arrangement after a translation."
        )
    return A
