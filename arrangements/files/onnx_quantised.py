"""Weights that an .onnx file stores as integers with scales: ``scale * (integer - zero point)``."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.files.archives import Stored


def dequantised(arrays: Mapping[str, Stored], node: Any) -> Stored | None:
    """What a ``DequantizeLinear`` makes of an array, in the type of its scale, as the node rounds.

    None if it is made of something else than arrays, or has a scale for each block of a column.
    """
    given = {attribute.name: attribute.i for attribute in node.attribute}
    parts = _parts(arrays, node.input)
    if parts is None or given.get("block_size", 0) or any(len(s.shape) > 1 for s in parts[1:]):
        return None
    axis = given.get("axis", 1)
    return Stored(parts[0].shape, partial(_rounded, parts, axis), note="integers dequantised")


def multiplied_integers(arrays: Mapping[str, Stored], names: Sequence[str]) -> Stored | None:
    """The weights of a ``MatMulInteger``: integers, a scale, and perhaps a zero point, exactly.

    Products of a float32 and an integer of nine bits are float64.
    """
    parts = _parts(arrays, names)
    if parts is None:
        return None
    return Stored(parts[0].shape, partial(_exact, parts), note="integers times their scale")


def _parts(arrays: Mapping[str, Stored], names: Sequence[str]) -> list[Stored] | None:
    """Arrays of these names, but for those that are left out at the end."""
    given = [name for name in names if name]
    return [arrays[name] for name in given] if all(name in arrays for name in given) else None


def _rounded(parts: list[Stored], axis: int) -> NDArray[Any]:
    values, scale, *zero = (part.load() for part in parts)
    shape = [-1 if k == axis % values.ndim else 1 for k in range(values.ndim)]
    factor, *shift = (one.reshape(shape if one.size > 1 else ()) for one in (scale, *zero))
    moved = values.astype(np.int64) - (shift[0].astype(np.int64) if shift else 0)
    return np.asarray(moved.astype(factor.dtype) * factor)


def _exact(parts: list[Stored]) -> NDArray[Any]:
    values, scale, *zero = (part.load() for part in parts)
    moved = values.astype(np.int64) - (zero[0].astype(np.int64) if zero else 0)
    return np.asarray(moved * scale.astype(np.float64))
