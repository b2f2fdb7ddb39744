"""Tests of kernels, which they call directly. Each takes the name of the file that it is about."""

from numba import njit


def compiled(part):
    """A kernel that only other kernels call, as one that Python calls."""
    return njit(lambda *arguments: part(*arguments))
