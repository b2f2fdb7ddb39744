"""Networks in Fractions, plain and slow: values, and all patterns by exact feasibility.

A network is a list of layers (W, b, slopes, inputs): slopes None for a linear layer, inputs a list
of numbers of earlier layers and "x". Numbers are Fractions. Nothing of the package is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

Row = tuple[Fraction, ...]
Plain = list[tuple[Any, Any, Any, Any]]


def plain(network: Any) -> Plain:
    """A `Network` in Fractions."""
    found: Plain = []
    for layer in network.layers:
        W = [[Fraction(x) for x in row] for row in layer.weights.tolist()]
        b = [Fraction(x) for x in layer.offsets.tolist()]
        slopes = [Fraction(x) for x in layer.slopes.tolist()]
        linear = all(s == 1 for s in slopes)
        found.append((W, b, None if linear else slopes, layer.inputs))
    return found


def evaluate(network: Plain, x: Sequence[Fraction]) -> tuple[list[int], list[Fraction]]:
    """Signs of all units, and the outputs, at a point."""
    values: dict[Any, list[Fraction]] = {"x": list(x)}
    signs: list[int] = []
    for k, (W, b, slopes, inputs) in enumerate(network):
        a = [y for source in inputs for y in values[source]]
        z = [sum((w * y for w, y in zip(r, a, strict=True)), c) for r, c in zip(W, b, strict=True)]
        if slopes is not None:
            signs += [(y > 0) - (y < 0) for y in z]
            z = [y if y > 0 else s * y for y, s in zip(z, slopes, strict=True)]
        values[k] = z
    return signs, values[len(network) - 1]


def functions(
    network: Plain, pattern: Sequence[int], dimension: int
) -> tuple[list[Row], list[Row]]:
    """Rows (w, b) of all units where a pattern holds, and those of the outputs."""
    identity = [tuple(Fraction(i == j) for j in range(dimension + 1)) for i in range(dimension)]
    rows: dict[Any, list[Row]] = {"x": identity}
    left, units = list(pattern), []
    for k, (W, b, slopes, inputs) in enumerate(network):
        below = [row for source in inputs for row in rows[source]]
        z = []
        for weights, c in zip(W, b, strict=True):
            row = [Fraction(0)] * dimension + [c]
            for w, other in zip(weights, below, strict=True):
                row = [x + w * y for x, y in zip(row, other, strict=True)]
            z.append(tuple(row))
        if slopes is not None:
            signs, left = left[: len(z)], left[len(z) :]
            units += z
            z = [
                row if sign > 0 else tuple(slope * x for x in row)
                for row, sign, slope in zip(z, signs, slopes, strict=True)
            ]
        rows[k] = z
    return units, rows[len(network) - 1]


def is_feasible(rows: Sequence[Row]) -> bool:
    """Whether all rows (w, b) are positive somewhere: Fourier-Motzkin elimination."""
    left = {_scaled(row) for row in rows}
    for _ in range(len(rows[0]) - 1 if rows else 0):
        plus = [row for row in left if row[0] > 0]
        minus = [row for row in left if row[0] < 0]
        new = {row[1:] for row in left if row[0] == 0}
        for p, m in product(plus, minus):
            new.add(_scaled(tuple(p[0] * y - m[0] * x for x, y in zip(p, m, strict=True))[1:]))
        left = new
        if any(not any(row[:-1]) and row[-1] <= 0 for row in left):
            return False
    return all(row[-1] > 0 for row in left)


def _scaled(row: Row) -> Row:
    size = next((abs(x) for x in row if x), Fraction(1))
    return tuple(x / size for x in row)


def all_patterns(network: Plain, within: Sequence[Row], dimension: int) -> set[tuple[int, ...]]:
    """Patterns of all regions in the interior of a polyhedron of full dimension.

    within : rows (w, b) that are positive inside
    """
    n = sum(len(W) for W, _, slopes, _ in network if slopes is not None)

    def extend(prefix: tuple[int, ...], rows: list[Row]) -> Iterator[tuple[int, ...]]:
        if len(prefix) == n:
            yield prefix
            return
        row = functions(network, (*prefix, *[1] * (n - len(prefix))), dimension)[0][len(prefix)]
        if not any(row):
            yield from extend((*prefix, 0), rows)
            return
        for sign in (-1, 1):
            more = [*rows, tuple(sign * x for x in row)]
            if is_feasible(more):
                yield from extend((*prefix, sign), more)

    rows = list(within) or [(*[Fraction(0)] * dimension, Fraction(1))]
    return set(extend((), rows)) if is_feasible(rows) else set()
