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


def patterns_in_box(network: Plain, low: int, high: int, dimension: int) -> set[tuple[int, ...]]:
    """Patterns of all regions in a box, unit by unit: each region is the list of its vertices.

    A vertex comes with the rows that are zero there. Two vertices are joined by an edge if no third
    one lies on all rows on which both lie.
    """
    n = sum(len(W) for W, _, slopes, _ in network if slopes is not None)
    corners = [
        (
            tuple(Fraction(high if end else low) for end in ends),
            frozenset(2 * i + end for i, end in enumerate(ends)),
        )
        for ends in product((0, 1), repeat=dimension)
    ]
    stack: list[tuple[tuple[int, ...], Any]] = [((), corners)]
    found = set()
    while stack:
        prefix, vertices = stack.pop()
        k = len(prefix)
        if k == n:
            found.add(prefix)
            continue
        row = functions(network, (*prefix, *[1] * (n - k)), dimension)[0][k]
        values = [
            sum((a * x for a, x in zip(row, point, strict=False)), row[-1]) for point, _ in vertices
        ]
        if min(values) < 0 < max(values):
            section = _section(vertices, values, 2 * dimension + k)
            for sign in (-1, 1):
                kept = [v for v, y in zip(vertices, values, strict=True) if sign * y > 0]
                stack.append(((*prefix, sign), kept + section))
        else:
            stack.append(((*prefix, (max(values) > 0) - (min(values) < 0)), vertices))
    return found


def _section(vertices: Any, values: Sequence[Fraction], name: int) -> list[Any]:
    """The vertices where a row is zero, some of them inside edges."""
    valued = list(zip(vertices, values, strict=True))
    section = [(point, tight | {name}) for (point, tight), y in valued if y == 0]
    for ((p, tp), y), ((q, tq), t) in product(valued, valued):
        common = tp & tq
        if y > 0 > t and sum(common <= tight for _, tight in vertices) == 2:
            w = y / (y - t)
            point = tuple(a + w * (b - a) for a, b in zip(p, q, strict=True))
            section.append((point, common | {name}))
    return section
