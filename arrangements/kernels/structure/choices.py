"""Choices among rows that look alike, on the way to a common form of a state."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import kernel

# Counters of `Choices.used`.
GIVEN, MADE = range(2)


class Choices(NamedTuple):
    """Rows that were chosen among several of a color, at most 2 k of at most N.

    Attributes
    ----------
    row : (2 k,) int64
        The rows, of which the first may be given beforehand.
    alike : (2 k, N) int64, size : (2 k,) int64
        Among which rows each was chosen, and how many these are.
    used : (2,) int64
        How many are given, and how many were made.
    """

    row: NDArray[np.int64]
    alike: NDArray[np.int64]
    size: NDArray[np.int64]
    used: NDArray[np.int64]


def empty_choices(n: int, k: int) -> Choices:
    """Room for choices among at most n rows in k coordinates."""
    numbers = np.int64
    return Choices(
        row=np.zeros(2 * k, numbers),
        alike=np.zeros((2 * k, n), numbers),
        size=np.zeros(2 * k, numbers),
        used=np.zeros(2, numbers),
    )


@kernel
def choose(candidates, i, color, choices):
    """Row i, or the one given in its place. It is a choice if other candidates have its color.

    candidates : (C,) int64, row i among them
    """
    at, size = choices.used[MADE], 0
    alike = choices.alike[at]
    for j in candidates:
        alike[size] = j
        size += 1 if color[j] == color[i] else 0
    if size == 1:
        return i
    choices.size[at] = size
    if at >= choices.used[GIVEN]:
        choices.row[at] = i
    choices.used[MADE] = at + 1
    return choices.row[at]
