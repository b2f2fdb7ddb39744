"""Bounded polytopes by their vertices, cut by closed half-spaces: exact, and of any dimension."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from arrangements.exact.numbers import primitive

# Of a vertex: integers, the last positive, over which the others are coordinates.
Vertex = tuple[int, ...]


class Polytope:
    """A polytope that half-spaces cut: the double description method, for few vertices.

    Parameters
    ----------
    vertices : sequence of tuples of int
        Homogeneous coordinates, the last one positive.
    tight : sequence of sets of int
        Numbers of the half-spaces on whose boundary each vertex lies.
    cuts : int
        How many half-spaces there were.

    Examples
    --------
    >>> square = Polytope.box([0, 0], [2, 2])
    >>> triangle = square.cut((-1, -1, 3))
    >>> sorted(triangle.points)[-1]
    (Fraction(2, 1), Fraction(1, 1))
    >>> len(square.cut((-1, -1, 0)).points), len(square.cut((-1, -1, -1)).points)
    (1, 0)
    """

    def __init__(
        self, vertices: Sequence[Vertex], tight: Sequence[frozenset[int]], cuts: int
    ) -> None:
        self.vertices, self._tight, self._cuts = list(vertices), list(tight), cuts

    @classmethod
    def box(cls, low: Sequence[int], high: Sequence[int]) -> Polytope:
        """All points between two corners, the second of which is larger in every coordinate."""
        vertices = [(*corner, 1) for corner in product(*zip(low, high, strict=True))]
        sides = product((0, 1), repeat=len(low))
        tight = [frozenset(2 * i + side for i, side in enumerate(corner)) for corner in sides]
        return cls(vertices, tight, 2 * len(low))

    @property
    def points(self) -> list[tuple[Fraction, ...]]:
        """The vertices as points."""
        return [tuple(Fraction(x, v[-1]) for x in v[:-1]) for v in self.vertices]

    def least(self, row: Sequence[int]) -> int:
        """A number of the sign that (a, c) has where ``a . x + c`` is least."""
        return min(_value(row, vertex) for vertex in self.vertices)

    def cut(self, row: Sequence[int]) -> Polytope:
        """The part where ``a . x + c >= 0``, for integers (a, c)."""
        values = [_value(row, vertex) for vertex in self.vertices]
        kept = [k for k, value in enumerate(values) if value >= 0]
        vertices = [self.vertices[k] for k in kept]
        tight = [self._tight[k] | ({self._cuts} if not values[k] else set()) for k in kept]
        above = [k for k in kept if values[k]]
        for j, value in enumerate(values):
            if value < 0:
                for k in above:
                    common = self._tight[j] & self._tight[k]
                    # two vertices span an edge if no other lies on all their common boundaries
                    others = (t for i, t in enumerate(self._tight) if i not in (j, k))
                    if not any(common <= other for other in others):
                        pairs = zip(self.vertices[j], self.vertices[k], strict=True)
                        zero = [values[k] * x - value * y for x, y in pairs]
                        vertices.append(tuple(primitive(zero)))
                        tight.append(common | {self._cuts})
        return Polytope(vertices, tight, self._cuts + 1)


def _value(row: Sequence[int], vertex: Vertex) -> int:
    return sum(a * x for a, x in zip(row, vertex, strict=True))
