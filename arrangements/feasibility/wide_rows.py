"""Rows that are kept in float32, which holds them exactly, and read in float64, some at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Numbers that are widened at a time.
_ENTRIES = 2**24


class WideRows:
    """(n, D) rows in float64 that are made of rows in float32 when they are asked for.

    Large heads of models have numbers of 16 bits: in float32 they take half of the memory.

    Examples
    --------
    >>> rows = WideRows(np.array([[0.5, 1.0], [2.0, 3.0]], np.float32))
    >>> rows[[1]], [part.shape for _, part in rows.blocks()]
    (array([[2., 3.]]), [(2, 2)])
    """

    def __init__(self, rows: NDArray[np.float32]) -> None:
        self._rows = rows
        self.shape: tuple[int, int] = rows.shape[0], rows.shape[1]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, chosen: Any) -> NDArray[np.float64]:
        return self._rows[chosen].astype(np.float64)

    def blocks(self) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """All rows, block by block, with their numbers."""
        step = max(256, _ENTRIES // max(1, self.shape[1]))
        for start in range(0, len(self), step):
            part = slice(start, start + step)
            yield part, self[part]
