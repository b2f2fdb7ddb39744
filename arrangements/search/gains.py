"""What values of chambers are sums of, in the form in which a sweep adds them up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.search.flag import Flag

# Each plane costs a population count for each word of a chamber; beyond these, sums of bytes of
# stored rows are faster.
_MOST_PLANES = 24


class Gains(NamedTuple):
    """Gains of rows, and planes of rows whose weights sum up to them.

    Attributes
    ----------
    gains : (n,) ndarray of int64
    planes : (k, n) ndarray of bool
        Row i has the gain ``± weights[planes[:, i]].sum()``.
    weights : (k,) ndarray of int64
    bits : int
        Of a digit of the name of a chamber, see ``kernels.chambers.workspace.Sums``.
    """

    gains: NDArray[np.int64]
    planes: NDArray[np.bool_]
    weights: NDArray[np.int64]
    bits: int


def gains_of(gains: NDArray[np.int64], flag: Flag) -> Gains | None:
    """The gains in this form; None if that would be slow, or a name would be too long.

    Examples
    --------
    >>> planes_of(np.array([3, -5, 5, 0]))[1]
    array([3, 5])
    """
    bits = (flag.n + 1).bit_length()
    if has_many_planes(gains) or bits * (flag.d - 1) > 64:
        return None
    return Gains(gains, *planes_of(gains), bits)


def has_many_planes(gains: NDArray[np.int64]) -> bool:
    """Whether there are so many planes that adding up is slow."""
    return len(planes_of(gains)[1]) > _MOST_PLANES


def planes_of(gains: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Planes and weights: one for each size, or for each bit of the sizes, whichever are fewer."""
    sizes = np.abs(gains)
    different = np.unique(sizes[sizes > 0])
    powers = np.int64(1) << np.arange(int(sizes.max(initial=0)).bit_length())
    if len(different) <= len(powers):
        return sizes == different[:, None], different
    return (sizes & powers[:, None]) != 0, powers
