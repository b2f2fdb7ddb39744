"""Flats in order, of an arrangement or a matroid; central arrangements."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement, MatroidLike
from arrangements.core.questions import as_arrangement, oriented_matroid_of, refuse_loops
from arrangements.errors import InputError
from arrangements.oriented_matroids.matroid_flats import order_of_matroid
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid
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


def subject_of(
    W: MatroidLike, offsets: ArrayLike | None = None, rank: int | None = None
) -> Arrangement | OrientedMatroid:
    """The arrangement, or the oriented matroid, which must have no loops.

    Examples
    --------
    >>> subject_of([[1, 0], [0, 1]])
    Arrangement(2 hyperplanes in dimension 2, central)
    """
    if not isinstance(W, OrientedMatroid):
        return as_arrangement(W, offsets, rank)
    refuse_loops(oriented_matroid_of(W, offsets, rank))
    return W


def classes_of(A: Arrangement | OrientedMatroid) -> Sequence[tuple[int, ...]]:
    """Rows that are the same hyperplane, in classes.

    Examples
    --------
    >>> classes_of(Arrangement([[1], [1]], [0, 1])), classes_of(Arrangement([[1], [2]]))
    (((0,), (1,)), ((0, 1),))
    """
    return A.parallel_classes if isinstance(A, OrientedMatroid) else A.coincident_classes


def as_central(W: MatroidLike, rank: int | None = None) -> Arrangement:
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


def central_subject(W: MatroidLike, rank: int | None = None) -> Arrangement | OrientedMatroid:
    """The arrangement, which must be central, or the oriented matroid, which must have no loops.

    Examples
    --------
    >>> central_subject([[1, 0], [0, 1]])
    Arrangement(2 hyperplanes in dimension 2, central)
    """
    return subject_of(W, None, rank) if isinstance(W, OrientedMatroid) else as_central(W, rank)
