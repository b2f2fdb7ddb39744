"""Rows that several families share, and the checks of their sizes."""

from math import inf

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import TooLargeError
from arrangements.messages import quote

Integers = NDArray[np.int64]

# The largest array of normals worth making: no method can handle more hyperplanes.
MAX_BYTES = 2**31


def differences(n: int, sign: int = -1) -> Integers:
    """Rows ``e_i + sign e_j`` for i < j, lexicographic; none for n = 1."""
    check_memory(n * (n - 1) // 2, n)
    first, second = np.triu_indices(n, 1)
    rows = np.zeros((len(first), n), np.int64)
    rows[np.arange(len(first)), first] = 1
    rows[np.arange(len(first)), second] = sign
    return rows


def cube(k: int, values: tuple[int, int]) -> Integers:
    """All 2^k vectors over two values, in lexicographic order."""
    check_memory(1 << k if k < 1024 else inf, k)
    bits = np.arange(1 << k, dtype=np.int64)[:, None] >> np.arange(k - 1, -1, -1)
    return np.array(values, np.int64)[bits & 1]


def lifted(vertices: Integers) -> Integers:
    """Vertices with a leading 1."""
    return np.column_stack([np.ones(len(vertices), np.int64), vertices])


def check_memory(rows: float, columns: int, words: int = 1) -> None:
    """Refuse an array that is too large to be of use; `rows` is inf if too large to compute.

    An entry takes `words` words of 8 bytes.
    """
    if 8 * rows * min(columns * words, MAX_BYTES) > MAX_BYTES:
        count = f"{rows:.3g}" if rows < 1e300 else "more than 1e300"
        raise TooLargeError(
            f"the family has {count} normals in dimension {quote(columns)}, more than fit into "
            f"{MAX_BYTES / 1e9:.2g} GB. Choose a smaller parameter."
        )
