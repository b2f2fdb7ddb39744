"""Small labels for every method, dtype and question, each handed over exactly as written."""

from fractions import Fraction
from functools import cache
from itertools import product

import naive
import numpy as np
from examples import Example, gaussian, grid


def cube(d: int) -> list[tuple[int, ...]]:
    """{0, 1}^d."""
    return list(product((0, 1), repeat=d))


def lattice(k: int) -> list[tuple[int, ...]]:
    """k x k points of the plane."""
    return list(product(range(k), repeat=2))


def signed_units(d: int) -> list[list[int]]:
    """e_i and -e_i."""
    unit = np.eye(d, dtype=int)
    return np.concatenate([unit, -unit]).tolist()


@cache
def ranked(example: Example) -> frozenset[tuple[int, ...]]:
    """All rankings of an example, by the naive oracle (computed once)."""
    return frozenset(naive.rankings(*example.arguments))


_BIG = 10**30
_NEAR = [[1.0, 1.0], [1.0 + 2.0**-52, 1.0], [1.0, 1.0 + 2.0**-52], [0.0, 0.0], [2.0, 2.0]]

SMALL = [
    Example("one label", [[3, 4]], known=1),
    Example("one label with offset", [[0, 0]], [2], known=1),
    Example("two labels", [[0, 0], [0, 1]], known=2),
    Example("labels on a line", [[1], [5], [-2], [3]], known=2),
    Example("labels on a line in R^3", [[1, 2, 3], [2, 4, 6], [-1, -2, -3]], known=2),
    Example("lines over a line", [[1], [5], [-2], [3]], [0, 1, 0, 7], known=7),
    Example("equal offsets", [[1, 0], [0, 1], [1, 1], [2, 0]], [5, 5, 5, 5]),
    Example("equal rows, different offsets", [[1, 2]] * 3, [3, 1, 2], known=1),
    Example("two equal rows", [[0, 0], [0, 0], [1, 0], [0, 1]], [1, 2, 0, 0]),
    Example("square", cube(2), known=8),
    Example("square with offsets", cube(2), [0, 0, 0, 1]),
    Example("hexagon", [[2, 0], [1, 2], [-1, 2], [-2, 0], [-1, -2], [1, -2]], known=12),
    Example("2 x 3 points", list(product(range(2), range(3)))),
    Example("2 x 3 points with offsets", list(product(range(2), range(3))), [0, 1, 0, 0, 2, 0]),
    Example("+/- e_i in R^3", signed_units(3), known=48),
    Example("one-hot", np.eye(5, dtype=np.float32), known=120),
    Example("one-hot and reference", [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], known=24),
    Example("one-hot with offsets", np.eye(4), [0, 1, 2, 3], known=24),
    Example("generic in R^2", gaussian(5, 2, 1), known=20),
    Example("generic in R^3", gaussian(6, 3, 2), known=172),
    Example("generic in R^4", gaussian(6, 4, 3), known=480),
    Example("generic in R^2 with offsets", gaussian(5, 2, 4), gaussian(5, 1, 5)[:, 0], known=46),
    Example("generic in R^1 with offsets", gaussian(6, 1, 6), gaussian(6, 1, 7)[:, 0], known=16),
    Example("rank 2 in R^4", np.array(lattice(3))[:6] @ [[1, 2, 0, -1], [0, 1, 1, 3]]),
    Example("float16 grid", grid(6, 2, 2, 8, np.float16) + np.arange(6)[:, None].astype("f2")),
    Example("float16 grid with offsets", grid(6, 2, 2, 9, np.float16), [1, 2, 3, 4, 5, 6]),
    Example("fractions", [[Fraction(1, 3), 1], [Fraction(2, 3), 1], [1, Fraction(1, 7)], [0, 0]]),
    Example("beyond int64", [[_BIG, 1], [_BIG + 1, 0], [_BIG, 0], [-1, _BIG]]),
    Example("int64 extremes", [[2**63 - 1, 0], [-(2**63), 1], [0, 2**62], [1, 1]]),
    Example("close floats", _NEAR),
    Example("close floats with offsets", _NEAR, [0.0, 0.0, 2.0**-52, 0.0, 0.0]),
    Example("1e-300 to 1e300", [[1e300, 1.0], [1e-300, 0.0], [-1e300, 1e-300], [0.0, 1e300]]),
]
