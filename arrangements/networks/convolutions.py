"""Convolution, pooling and normalization of tensors of a network, as exact affine maps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import repeat
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.coercion import as_exact_vector, from_tensor
from arrangements.execution.limits import check_bytes
from arrangements.heads.head import simplest
from arrangements.networks.assembly import (
    SMALLER,
    Assembly,
    Tensor,
    UnreadError,
    constant_tensor,
)
from arrangements.networks.sparse_rows import SparseRows

# Of an entry of a matrix: row, column and value.
_BYTES = 24


class Window(NamedTuple):
    """Which places an output of a convolution or a pool sees, for each spatial axis.

    Attributes
    ----------
    kernel, strides, dilations : tuple of int
    before, after : tuple of int
        Zeros added at the beginning and at the end of the axis.
    """

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]

    @classmethod
    def of(
        cls, kernel: Any, strides: Any = 1, pads: Any = 0, dilations: Any = 1, axes: int = 0
    ) -> Window:
        """From numbers, or one for each axis.

        Examples
        --------
        >>> Window.of((2, 2), 2)
        Window(kernel=(2, 2), strides=(2, 2), dilations=(1, 1), before=(0, 0), after=(0, 0))
        """
        axes = axes or (len(kernel) if isinstance(kernel, Sequence) else 1)
        kernel, strides, pads, dilations = (
            tuple(v) if isinstance(v, Sequence) else tuple(repeat(int(v), axes))
            for v in (kernel, strides, pads, dilations)
        )
        return cls(kernel, strides, dilations, pads, pads)

    def places(self, spatial: Sequence[int]) -> tuple[tuple[int, ...], NDArray[np.intp]]:
        """The shape of the outputs, and a row of numbers of places for each; -1 is padding.

        Examples
        --------
        >>> shape, places = Window.of(2, pads=1).places([3])
        >>> shape, places.tolist()
        ((4,), [[-1, 0], [0, 1], [1, 2], [2, -1]])
        """
        if len(spatial) != len(self.kernel):
            raise UnreadError(f"moves along {len(self.kernel)} axes of {tuple(spatial)}")
        found = np.zeros((1, 1), np.intp)
        shape = []
        for size, kernel, stride, dilation, before, after in zip(spatial, *self, strict=True):
            reach = dilation * (kernel - 1) + 1
            count = (size + before + after - reach) // stride + 1
            if count < 1:
                raise UnreadError(f"has a window of {reach} places on an axis of {size}")
            at = np.arange(count)[:, None] * stride + np.arange(kernel) * dilation - before
            at[(at < 0) | (at >= size)] = -1
            shape.append(count)
            joined = found[:, None, :, None] * size + at[None, :, None, :]
            known = (found[:, None, :, None] >= 0) & (at[None, :, None, :] >= 0)
            rows, columns = len(found) * count, found.shape[1] * kernel
            found = np.where(known, joined, -1).reshape(rows, columns)
        return tuple(shape), found


def convolve(
    net: Assembly, x: Tensor, weights: Any, bias: Any, window: Window, groups: int = 1
) -> Tensor:
    """A convolution of x, (1, channels, ..) ; weights (out, channels / groups, ..)."""
    W = np.asarray(from_tensor(weights))
    if len(x.shape) != W.ndim or x.shape[1] != W.shape[1] * groups or len(W) % groups:
        raise UnreadError(f"convolves {x.shape} with weights {W.shape} of {groups} groups")
    shape, places = window.places(x.shape[2:])
    n, own, size = len(W), W.shape[1], prod(x.shape[2:])
    count = n * own * places.size
    check_bytes(f"a convolution with {count} entries", _BYTES * count, SMALLER)
    group = np.arange(n) // (n // groups)
    channels = group[:, None] * own + np.arange(own)  # (n, own)
    columns = channels[:, :, None, None] * size + places  # (n, own, outputs, kernel)
    rows = np.arange(n * len(places)).reshape(n, 1, len(places), 1)
    values = as_exact_vector(W.ravel(), W.size, "weights").reshape(n, own, 1, -1)
    inside = np.broadcast_to(places >= 0, columns.shape)
    at, among, numbers = (
        np.broadcast_to(part, columns.shape)[inside] for part in (rows, columns, values)
    )
    matrix = SparseRows.of(at, among, numbers, (n * len(places), x.size))
    found = net.apply(matrix, x, (1, n, *shape))
    return found if bias is None else net.add(found, _by_channel(bias, found))


def normalize(
    net: Assembly, x: Tensor, mean: Any, variance: Any, weight: Any, bias: Any, epsilon: float
) -> Tensor:
    """Batch normalization in evaluation: ``(x - mean) * scale + bias`` for each channel.

    The scale is the number of the type of `variance` that is next to
    ``weight / sqrt(variance + epsilon)`` as float64 has it; all else is exact.
    """
    spread = np.asarray(from_tensor(variance))
    scale = 1 / np.sqrt(spread.astype(np.float64) + epsilon)
    if weight is not None:
        scale = np.asarray(from_tensor(weight)).astype(np.float64) * scale
    moved = x if mean is None else net.subtract(x, _by_channel(mean, x))
    found = net.scale(moved, _shaped(scale.astype(spread.dtype), x))
    return found if bias is None else net.add(found, _by_channel(bias, x))


def average(
    net: Assembly, x: Tensor, window: Window, *, count_padding: bool = True, divisor: Any = None
) -> Tensor:
    """Means over windows; padding counts as zeros, or not at all."""
    shape, places = _of_channels(x, window)
    inside = places >= 0
    counts = np.full(len(places), places.shape[1]) if count_padding else inside.sum(axis=1)
    counts = np.full(len(places), divisor) if divisor else counts
    rows, taps = np.nonzero(inside)
    exact = np.empty(len(counts), object)
    exact[:] = [Fraction(1, int(count)) for count in counts]
    ones = np.ones(len(rows), np.int64)
    matrix = SparseRows.of(rows, places[rows, taps], ones, (len(places), x.size))
    return net.apply(matrix.scaled(simplest(exact)), x, shape)


def largest(net: Assembly, x: Tensor, window: Window) -> Tensor:
    """Maxima over windows, with units that compare."""
    shape, places = _of_channels(x, window)
    if (places < 0).all(axis=1).any():
        raise UnreadError("has a window of padding only")
    return net.largest(x, places, shape)


def _of_channels(x: Tensor, window: Window) -> tuple[tuple[int, ...], NDArray[np.intp]]:
    """The shape of pooled channels, and the entries that each output sees."""
    if len(x.shape) < 3:
        raise UnreadError(f"pools {x.shape}; channels and at least one axis are expected")
    shape, places = window.places(x.shape[2:])
    size = prod(x.shape[2:])
    starts = np.arange(prod(x.shape[:2]))[:, None, None] * size
    every = np.where(places >= 0, starts + places, -1)
    return (*x.shape[:2], *shape), every.reshape(-1, places.shape[1])


def _shaped(values: Any, x: Tensor) -> NDArray[Any]:
    """A number for each channel of x, to be broadcast."""
    array = np.asarray(from_tensor(values)).ravel()
    if len(x.shape) < 2 or len(array) != x.shape[1]:
        raise UnreadError(f"has {len(array)} numbers for the channels of {x.shape}")
    return array.reshape(-1, *repeat(1, len(x.shape) - 2))


def _by_channel(values: Any, x: Tensor) -> Tensor:
    return constant_tensor(_shaped(values, x))
