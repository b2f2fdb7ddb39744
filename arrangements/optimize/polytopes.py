"""Bounded polytopes by their vertices, cut by closed half-spaces: exact, and of any dimension."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from operator import mul

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.numbers import primitive

# Of a vertex: integers, the last positive, over which the others are coordinates.
Vertex = tuple[int, ...]

# Numbers that are held at a time.
_BLOCK = 2**22


class Polytope:
    """A polytope that half-spaces cut: the double description method, for few vertices.

    Parameters
    ----------
    vertices : sequence of tuples of int
        Homogeneous coordinates, the last one positive.
    tight : (vertices, facets) ndarray of bool
        Whether a vertex lies on the boundary of a half-space: at least all that carry facets.

    Examples
    --------
    >>> square = Polytope.box([0, 0], [2, 2])
    >>> triangle = square.cut((-1, -1, 3))
    >>> sorted(triangle.points)[-1]
    (Fraction(2, 1), Fraction(1, 1))
    >>> len(square.cut((-1, -1, 0)).points), len(square.cut((-1, -1, -1)).points)
    (1, 0)
    """

    def __init__(self, vertices: Sequence[Vertex], tight: NDArray[np.bool_]) -> None:
        self.vertices, self._tight = list(vertices), tight[:, tight.any(axis=0)]

    @classmethod
    def box(cls, low: Sequence[int], high: Sequence[int]) -> Polytope:
        """All points between two corners, the second of which is larger in every coordinate."""
        vertices = [(*corner, 1) for corner in product(*zip(low, high, strict=True))]
        upper = np.array(list(product((False, True), repeat=len(low))))
        return cls(vertices, np.hstack([upper, ~upper]))

    @property
    def points(self) -> list[tuple[Fraction, ...]]:
        """The vertices as points."""
        return [tuple(Fraction(x, v[-1]) for x in v[:-1]) for v in self.vertices]

    def least(self, row: Sequence[int]) -> int:
        """A number of the sign that (a, c) has where ``a . x + c`` is least."""
        return min(_value(row, vertex) for vertex in self.vertices)

    def cut(self, row: Sequence[int]) -> Polytope:
        """The part where ``a . x + c >= 0``, for integers (a, c)."""
        if not self.vertices:
            return self
        values = [_value(row, vertex) for vertex in self.vertices]
        signs = np.array([(value > 0) - (value < 0) for value in values], np.int8)
        kept = np.flatnonzero(signs >= 0)
        pairs, common = self._edges(np.flatnonzero(signs < 0), np.flatnonzero(signs > 0))
        vertices = [self.vertices[k] for k in kept.tolist()]
        for j, k in pairs.tolist():
            ends = zip(self.vertices[j], self.vertices[k], strict=True)
            vertices.append(tuple(primitive([values[k] * x - values[j] * y for x, y in ends])))
        new = np.append(signs[kept] == 0, np.ones(len(pairs), np.bool_))
        return Polytope(vertices, np.column_stack([np.vstack([self._tight[kept], common]), new]))

    def _edges(
        self, below: NDArray[np.intp], above: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Pairs of vertices that span an edge, one of each kind; the boundaries it lies on."""
        tight = self._tight.astype(np.float32)  # sums are exact below 2**24
        shared = tight[below] @ tight[above].T
        # an edge lies on d - 1 boundaries at least, and no third vertex lies on all of them
        first, second = np.nonzero(shared >= len(self.vertices[0]) - 2)
        found, part = [], max(1, _BLOCK // max(1, len(tight)))
        for start in range(0, len(first), part):
            i, j = first[start : start + part], second[start : start + part]
            common = tight[below[i]] * tight[above[j]]
            edge = (common @ tight.T == shared[i, j, None]).sum(axis=1) == 2
            found.append(np.column_stack([below[i], above[j]])[edge])
        pairs = np.concatenate(found) if found else np.zeros((0, 2), np.intp)
        return pairs, self._tight[pairs[:, 0]] & self._tight[pairs[:, 1]]


def _value(row: Sequence[int], vertex: Vertex) -> int:
    return sum(map(mul, row, vertex))
