"""Memory for long answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_HUGE_PAGE = 2**21
# Shorter arrays are left as they are; NumPy asks for huge pages from this size on.
_LONG, _ASKED = 2**20, 2**22


def empty_rows(rows: int, width: int, dtype: DTypeLike) -> NDArray[Any]:
    """``np.empty((rows, width), dtype)`` that begins with a huge page if it is long.

    The first touch of 4 KiB of fresh memory takes about 1 us, ten times as long as to write them;
    that of 2 MiB at once, where the system has such pages, little longer than to zero them.
    """
    size = rows * width * np.dtype(dtype).itemsize
    if size < _LONG:
        return np.empty((rows, width), dtype)
    memory = np.empty(max(size, _ASKED) + _HUGE_PAGE, np.uint8)
    start = -memory.ctypes.data % _HUGE_PAGE
    return memory[start : start + size].view(dtype).reshape(rows, width)
