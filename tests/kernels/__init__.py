"""Tests of kernels, which they call directly. Each takes the name of the file that it is about."""

from typing import get_args

import numpy as np
from numba import njit


def compiled(part):
    """A kernel that only other kernels call, as one that Python calls."""
    return njit(lambda *arguments: part(*arguments))


def dtypes(space):
    """(name, dtype, dtype that the class promises) of all arrays, nested ones too."""
    for name, kind in type(space).__annotations__.items():
        array = getattr(space, name)
        if isinstance(array, tuple):
            yield from dtypes(array)
        else:
            yield name, array.dtype, np.dtype(_number(kind))


def _number(kind):
    """The type of numbers in ``NDArray[..]``, which NumPy spells in two ways."""
    inner = get_args(kind)
    return _number(inner[-1]) if inner else kind
