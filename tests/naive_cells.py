"""Cells of small networks in a segment or polygon, as vertices in Fractions: plain and slow.

A cell is the list of its vertices in their order around it, with the functions of the outputs
there. Nothing of the package is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from naive_networks import Plain, Row, evaluate, functions

Point = tuple[Fraction, ...]
Cell = tuple[list[Point], list[Row]]


def value(row: Sequence[Fraction], x: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(row, x, strict=False)), row[-1])


def minus(a: Row, b: Row) -> Row:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def clip(vertices: list[Point], row: Sequence[Fraction]) -> list[Point]:
    """The part of a polygon, a segment or a point where a function is at least 0."""
    found: list[Point] = []
    for p, q in zip(vertices, [*vertices[1:], *vertices[:1]], strict=True):
        a, b = value(row, p), value(row, q)
        if a >= 0:
            found.append(p)
        if min(a, b) < 0 < max(a, b):
            found.append(tuple(x + a / (a - b) * (y - x) for x, y in zip(p, q, strict=True)))
    return [v for i, v in enumerate(found) if v not in found[:i]]


def size(vertices: list[Point]) -> Fraction:
    """The length of a segment, in the max-norm, or the area of a polygon in the plane."""
    if len(vertices) < 3:
        first, *_, last = vertices or [()] * 2
        return max((abs(a - b) for a, b in zip(first, last, strict=True)), default=Fraction(0))
    around = [*vertices, vertices[0]]
    return abs(sum((a * d - b * c for (a, b), (c, d) in pairwise(around)), Fraction(0))) / 2


def cells(network: Plain, domain: list[Point]) -> Iterator[Cell]:
    """The cells of full dimension in a segment or polygon."""
    n, d = sum(len(W) for W, _, slopes, _ in network if slopes is not None), len(domain[0])
    stack: list[tuple[tuple[int, ...], list[Point]]] = [((), domain)]
    while stack:
        signs, vertices = stack.pop()
        units, outputs = functions(network, (*signs, *[1] * (n - len(signs))), d)
        if len(signs) == n:
            yield vertices, outputs
            continue
        row = units[len(signs)]
        values = [value(row, v) for v in vertices]
        if not any(values):
            stack.append(((*signs, 0), vertices))
        for sign in (-1, 1):
            part = clip(vertices, [sign * x for x in row])
            if max(sign * y for y in values) > 0 and len(part) >= min(3, len(domain)):
                stack.append(((*signs, sign), part))


def largest(network: Plain, domain: list[Point], weights: Sequence[Fraction]) -> Fraction:
    """The largest weighted sum of outputs."""
    return max(
        sum((w * value(row, v) for w, row in zip(weights, outputs, strict=True)), Fraction(0))
        for vertices, outputs in cells(network, domain)
        for v in vertices
    )


def can_win(network: Plain, domain: list[Point], label: int) -> bool:
    """Whether an output is larger than all others somewhere."""
    for part, outputs in cells(network, domain):
        rows = [minus(outputs[label], row) for j, row in enumerate(outputs) if j != label]
        for row in rows:
            part = clip(part, row)
        if part and all(max(value(row, v) for v in part) > 0 for row in rows):
            return True
    return False


def shares(network: Plain, domain: list[Point]) -> dict[tuple[int, ...], Fraction]:
    """The share of each set of outputs that are the largest together."""
    found: dict[tuple[int, ...], Fraction] = {}
    for vertices, outputs in cells(network, domain):
        for row in set(outputs):
            part = vertices
            for other in outputs:
                part = clip(part, minus(row, other))
            if part and size(part):
                label = tuple(j for j, other in enumerate(outputs) if other == row)
                found[label] = found.get(label, Fraction(0)) + size(part) / size(domain)
    return found


def radius(network: Plain, domain: list[Point], x: Point, norm: str) -> Any:
    """The distance of x to the next point where another class is as large, None if there is none.

    A single output has the classes 1, where it is positive, and 0.
    """
    found = []
    y = evaluate(network, x)[1]
    for vertices, outputs in cells(network, domain):
        if len(y) == 1:
            outputs = [outputs[0], tuple(0 * z for z in outputs[0])]
        label = (y if len(y) > 1 else [*y, 0]).index(max(y if len(y) > 1 else [*y, 0]))
        for j, row in enumerate(outputs):
            part = clip(vertices, minus(row, outputs[label])) if j != label else []
            for p, q in zip(part, [*part[1:], *part[:1]], strict=True):
                found.append(_distance(x, p, q, norm))
    return min(found, default=None)


def _distance(x: Point, p: Point, q: Point, norm: str) -> Fraction:
    """Of a point and a segment: the least of a convex function that is linear between kinks."""
    lines = [(b - a, a - c) for a, b, c in zip(p, q, x, strict=True)]
    kinks = [*lines]
    for i, (a, b) in enumerate(lines):
        kinks += [(a + s * c, b + s * d) for c, d in lines[:i] for s in (1, -1)]
    times = [Fraction(0), Fraction(1), *(-b / a for a, b in kinks if a and 0 < -b / a < 1)]
    total: Any = max if norm == "max" else sum
    return min(total(abs(a * t + b) for a, b in lines) for t in times)
