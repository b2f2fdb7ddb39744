"""Random matrices of the kinds on which exact software goes wrong.

A kind says where entries come from. Then coincidences are planted: rows that are equal, opposite,
proportional or the sum of two others, columns of zeros, and rows one unit in the last place away
from a coincidence.
"""

from collections.abc import Callable
from fractions import Fraction
from math import inf, isfinite, ldexp, nextafter
from random import Random
from typing import Any

Rows = list[list[Any]]

# Primes that modular arithmetic likes, the first ones below a power of two among them.
PRIMES = (2**31 - 1, 2147483629, 2147483563, 2**61 - 1, 32749, 65521, 998244353)
_MANTISSAS = (1.0, 1.0, 3.0, 5.0, 1 + 2.0**-52, 1 - 2.0**-53, 2.0**53 - 1)
_ENDS = (1.0, 2.0**200, 1e-300, 5e-324, 2.0**-1022, 2.0**1023, 1.7976931348623157e308, 1e308)


def _signed(rng: Random, size: Any) -> Any:
    return rng.choice((-1, 1, 1, 0)) * size


KINDS: dict[str, Callable[[Random], Any]] = {
    "unit": lambda rng: rng.randint(-1, 1),
    "small": lambda rng: rng.randint(-3, 3),
    "decimal": lambda rng: rng.randint(-30, 30) / 10,
    "gauss": lambda rng: rng.gauss(0, 1),
    "fraction": lambda rng: Fraction(rng.randint(-6, 6), rng.randint(1, 6)),
    "wide": lambda rng: _signed(rng, ldexp(rng.choice(_MANTISSAS), rng.randint(-1070, 960))),
    "two sizes": lambda rng: ldexp(rng.randint(-3, 3), rng.choice((0, 0, -51, 60, -900, 900))),
    "ends": lambda rng: _signed(rng, rng.choice(_ENDS)),
    "subnormal": lambda rng: rng.choice((5e-324, 1.0)) * rng.randint(-5, 5),
    "near 2^53": lambda rng: rng.choice((2**53 - 1, 2**53, 2**53 + 1, 1, 2)) * rng.choice((-1, 1)),
    "prime": lambda rng: rng.choice(PRIMES[:3]) * rng.randint(-2, 2) + rng.choice((0, 0, 1, -1)),
    "primes": lambda rng: rng.choice((*PRIMES, 1, 0)) * rng.choice((-1, 1)),
    "huge": lambda rng: rng.choice((10**18, 10**40, 3**40, 1, 2)) * rng.randint(-2, 2),
}
FLOATS = ("decimal", "gauss", "wide", "two sizes", "ends", "subnormal")


def kind(rng: Random) -> str:
    """Name of a kind of entries; exponents that lie far apart are the most likely ones."""
    return rng.choice((*KINDS, "ends", "ends", "two sizes", "two sizes"))


def _plant(rng: Random, rows: Rows, name: str) -> None:
    """Make one row depend on others, or nearly."""
    i, j, k = (rng.randrange(len(rows)) for _ in range(3))
    change = rng.randrange(9)
    if change == 0:
        rows[i] = list(rows[j])
    elif change == 1:
        rows[i] = [-x for x in rows[j]]
    elif change == 2:
        multiple = [rng.choice((2, -2, 4)) * x for x in rows[j]]
        rows[i] = multiple if all(map(in_range, multiple)) else rows[i]
    elif change == 3:
        total = [x + y for x, y in zip(rows[j], rows[k], strict=True)]
        rows[i] = total if all(map(in_range, total)) else rows[i]
    elif change == 4:
        column = rng.randrange(len(rows[0]))
        for row in rows:
            row[column] *= 0
    elif change == 5 and name in FLOATS:
        rows[i] = list(rows[j])
        column = rng.randrange(len(rows[0]))
        if rows[i][column]:
            rows[i][column] = nextafter(rows[i][column], rng.choice((0, 0, -inf, inf)))
    elif change == 6 and name in FLOATS:
        shift = rng.choice((-1000, -60, 60, 1000))
        scaled = [ldexp(x, shift) if abs(x) < 2.0**20 else x for x in rows[i]]
        rows[i] = scaled if all(map(in_range, scaled)) else rows[i]
    elif change > 6:  # equal but for one entry, which may be tiny beside the others
        rows[i] = list(rows[j])
        column = rng.randrange(len(rows[0]))
        rows[i][column] = rng.choice((-rows[i][column], KINDS[name](rng)))


def in_range(value: Any) -> bool:
    """Whether a number is finite."""
    return not isinstance(value, float) or isfinite(value)


def matrix(rng: Random, n: int, d: int, name: str | None = None, plants: int = 2) -> Rows:
    """n rows of d entries of one kind, none of them zero throughout."""
    name = kind(rng) if name is None else name
    rows = [[KINDS[name](rng) for _ in range(d)] for _ in range(n)]
    for _ in range(rng.randint(0, plants)):
        _plant(rng, rows, name)
    for row in rows:
        if not any(row):
            row[rng.randrange(d)] = rng.choice((1, -1))
    return [[x if in_range(x) else 1.0 for x in row] for row in rows]


def shape(rng: Random, n: int = 6, d: int = 3) -> tuple[int, int]:
    """Small shapes, often tiny, sometimes with more columns than rows."""
    return rng.randint(1, n), rng.randint(1, d)


def vector(rng: Random, n: int, name: str) -> list[Any]:
    """n entries of one kind, some of them zero."""
    return [KINDS[name](rng) for _ in range(n)]


def arrangement(rng: Random, n: int = 6, d: int = 3) -> tuple[Rows, list[Any] | None]:
    """Normals, and offsets of the same kind or None."""
    n, d = shape(rng, n, d)
    name = kind(rng)
    rows = matrix(rng, n, d, name)
    return rows, vector(rng, n, name) if rng.random() < 0.5 else None


def labels(rng: Random, n: int = 5, d: int = 3) -> tuple[Rows, list[Any] | None]:
    """Weights and offsets of labels of which no two tie everywhere."""
    while True:
        rows, offsets = arrangement(rng, n, d)
        keys = {
            (*map(Fraction, row), Fraction(b))
            for row, b in zip(rows, offsets or [0] * len(rows), strict=True)
        }
        if len(keys) == len(rows):
            return rows, offsets


def fraction_of(rng: Random) -> Fraction:
    """A small number that is not zero."""
    return Fraction(rng.choice((1, -1)), rng.choice((1, 3, 10**20)))
