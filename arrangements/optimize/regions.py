"""Chambers within a region: an open polyhedron, given by rows that are to be positive."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.errors import InputError
from arrangements.exact.coercion import axes_of
from arrangements.exact.numbers import as_objects
from arrangements.feasibility.one_sign_vector import feasible
from arrangements.messages import quote
from arrangements.optimize.costs import Costs


def as_region(within: ArrangementLike, dimension: int) -> Arrangement:
    """The region in which all rows of `within` are positive.

    Raises
    ------
    InputError
        If it is of another dimension, empty, or a pair.

    Examples
    --------
    >>> as_region([[1, 0], [0, 1]], 2)
    Arrangement(2 hyperplanes in dimension 2, central)
    """
    two = isinstance(within, (tuple, list)) and len(within) == 2
    if two and (isinstance(within, tuple) or axes_of(within[0]) == 2):  # type: ignore[index]
        raise InputError(
            f"within is {quote(within)}, a pair; expected rows that shall be positive, a matrix or "
            "an Arrangement. For A @ x < c pass Arrangement(-A, c); for two rows pass a list."
        )
    region = Arrangement.coerce(within)
    if region.dimension != dimension:
        raise InputError(
            f"within has {region.dimension} columns; expected {dimension}, one for each coordinate."
        )
    if not feasible(region, np.ones(region.n_hyperplanes, np.int8)):
        raise InputError("within is empty: no point makes all of its rows positive.")
    return region


def joined(arrangement: Arrangement, region: Arrangement) -> Arrangement:
    """The hyperplanes, and after them those around the region."""
    both = (arrangement, region)
    rows = np.vstack([as_objects(part.normals) for part in both])
    if arrangement.is_central and region.is_central:
        return Arrangement(rows)
    zeros = np.zeros(max(map(len, both)), object)
    offsets = [
        zeros[: len(part)] if part.offsets is None else as_objects(part.offsets) for part in both
    ]
    return Arrangement(rows, np.concatenate(offsets))


def outside_is_worst(costs: Costs, rows: int) -> Costs:
    """The costs, where each of this many rows that is - costs more than all others can save."""
    most = sum(map(abs, costs.gains)) + 1
    gains, constant = costs.gains + (-most,) * rows, costs.constant + rows * most
    return Costs(gains, constant, costs.denominator)


def inside(rows: NDArray[Any], n: int, total: int) -> NDArray[np.uint64]:
    """The packed rows whose bits n..total-1 are all set, without these bits."""
    bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")[:, :total]
    chosen = bits[bits[:, n:].all(axis=1), :n]
    octets = np.zeros((len(chosen), 8 * -(-n // 64)), np.uint8)
    octets[:, : -(-n // 8)] = np.packbits(chosen, axis=1, bitorder="little")
    return octets.view(np.uint64)
