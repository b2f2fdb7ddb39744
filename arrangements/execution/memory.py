"""Memory for long answers, and for kernels."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from math import prod
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

_HUGE_PAGE = 2**21
# Rows of the first block of a stream.
_FIRST_ROWS = 64
# Shorter arrays are left as they are; NumPy asks for huge pages from this size on.
_LONG, _ASKED = 2**20, 2**22
# Up to so many bytes it is faster to fill a workspace with zeros than to lay out another one.
_SMALL = 2**18
Space = TypeVar("Space", bound=tuple[Any, ...])


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


class Layout(NamedTuple):
    """Where arrays stand in one piece of memory.

    Attributes
    ----------
    arrays : tuple of (str, tuple of int, dtype, int)
        Name, shape, type and first byte of each.
    size : int
        Bytes.
    """

    arrays: tuple[tuple[str, tuple[int, ...], np.dtype[Any], int], ...]
    size: int


def layout_of(shapes: dict[str, tuple[tuple[int, ...], Any]]) -> Layout:
    """Arrays of these shapes and types one after the other, each from a multiple of 64 bytes on.

    So no vector straddles two cache lines. Their distances, on which the speed of loads after
    stores depends, are the same in every run.

    Examples
    --------
    >>> layout_of({"key": ((2, 3), np.int16), "state": ((4,), np.int64)}).size
    128
    """
    arrays, start = [], 0
    for name, (shape, kind) in shapes.items():
        dtype = np.dtype(kind)
        arrays.append((name, shape, dtype, start))
        start += prod(shape) * dtype.itemsize + 63 & -64
    return Layout(tuple(arrays), start)


def aligned_zeros(layout: Layout) -> dict[str, NDArray[Any]]:
    """Arrays of zeros that stand as a layout says."""
    memory = _aligned(np.zeros(layout.size + 64, np.uint8))
    return {
        name: np.ndarray(shape, dtype, memory, start) for name, shape, dtype, start in layout.arrays
    }


def _aligned(octets: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """All but 64 octets, from a multiple of 64 bytes on."""
    first = -octets.__array_interface__["data"][0] % 64
    return octets[first : first + len(octets) - 64]


class Spare(Generic[Space]):
    """Small workspaces that are done with, for the next sweep of the same size.

    To lay out their arrays takes longer than a sweep of ten hyperplanes.

    Parameters
    ----------
    lay_out : callable
        Makes a named tuple of arrays, or of such tuples, in memory of `aligned_zeros`, the first
        of which is an array, and fills in what is the same for all sweeps of this size.
    """

    def __init__(self, lay_out: Callable[[], Space]) -> None:
        self._lay_out = lay_out
        self._first: NDArray[np.uint8] | None = None
        self._kept: deque[Space] = deque(maxlen=4)  # adding to it and taking from it are atomic

    def take(self) -> Space:
        """A workspace as it was laid out."""
        try:
            space = self._kept.pop()
        except IndexError:
            space = self._lay_out()
            if self._first is None and space[0].base.nbytes <= _SMALL:
                self._first = _aligned(space[0].base).copy()
        else:
            assert self._first is not None  # it was made with the first one
            _aligned(space[0].base)[:] = self._first
        return space

    def keep(self, space: Space) -> None:
        """Take back a workspace, if it is small."""
        if space[0].base.nbytes <= _SMALL:
            self._kept.append(space)


def block_sizes(rows: int, growing: bool) -> Iterator[int]:
    """Rows of the blocks of a stream: `rows` each, or fewer in the first ones if `growing`.

    A growing block has twice as many as the one before. So a stream begins at once, however slow
    it is, waits for a block at most about as long as it has run, and soon has blocks of full size.

    Examples
    --------
    >>> from itertools import islice
    >>> list(islice(block_sizes(200, True), 4))
    [64, 128, 200, 200]
    """
    size = min(rows, _FIRST_ROWS) if growing else rows
    while True:
        yield size
        size = min(2 * size, rows)
