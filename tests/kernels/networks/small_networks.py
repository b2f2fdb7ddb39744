"""Small networks of all kinds, and their regions in Fractions, plain and slow.

A layer is (W, b, slopes, sources): slopes None if it is not activated, sources the numbers of
earlier layers, -1 for the inputs. Numbers are int, float or Fraction.
"""

from fractions import Fraction
from itertools import product

import numpy as np

from arrangements.exact.numbers import times_common_denominator
from arrangements.search.network_path import Polytope
from arrangements.search.network_tables import SweepLayer

GENERIC, STRUCTURED = (
    ("normal", "leaky"),
    (
        "integer",
        "ternary",
        "no offsets",
        "ternary, no offsets",
        "half",
        "equal",
        "copies",
        "corner",
        "thirds",
        "skips",
    ),
)
KINDS = GENERIC + STRUCTURED


def network(kind, widths, rng):
    """A random network; widths begin with the inputs and end with the outputs."""
    layers = []
    for n, (k, m) in enumerate(zip(widths, widths[1:], strict=False)):
        last, sources = n == len(widths) - 2, (n - 1,)
        slopes = None if last else [Fraction(0)] * m
        if kind == "skips" and n > 1:
            sources, k = (n - 1, -1, n - 2), k + widths[0] + widths[n - 1]
            if n == 2 and not last:
                slopes = None
        W, b = rng.standard_normal((m, k)), 0.3 * rng.standard_normal(m)
        if kind in ("integer", "thirds", "skips"):
            W, b = rng.integers(-3, 4, (m, k)), rng.integers(-2, 3, m)
        if kind in ("ternary", "ternary, no offsets"):
            W, b = rng.integers(-1, 2, (m, k)), rng.integers(-1, 2, m)
        if kind in ("no offsets", "ternary, no offsets"):
            b = np.zeros(m, int)
        if kind == "half":
            W, b = W.astype(np.float16).astype(float), rng.integers(-2, 3, m) / 4
        if kind == "equal":
            W[1:], b[1:] = W[:1] * rng.choice([-2, 0, 1], (m - 1, 1)), b[:1]
        if kind == "copies":
            W, b = np.eye(m, k), np.zeros(m)
            W[-1] = rng.standard_normal(k)
        if kind == "corner":
            W = rng.integers(-1, 2, (m, k)) * 0.1
            b = W @ rng.choice([-1, 1], k)
        if kind == "leaky" and not last:
            slopes = [Fraction(x) for x in rng.choice([0.25, 0.01, -1.0, 0.0], m).tolist()]
        rows, offsets = W.tolist(), b.tolist()
        if kind == "thirds":
            rows = [[Fraction(w, 3) for w in row] for row in rows]
            offsets = [Fraction(c, 7) for c in offsets]
        layers.append((rows, offsets, slopes, sources))
    return layers


def sweep_layers(layers):
    """The layers as the driver takes them."""
    found = []
    for W, b, slopes, sources in layers:
        rows = [[Fraction(x) for x in (*row, c)] for row, c in zip(W, b, strict=True)]
        integers, denominator = times_common_denominator(rows)
        (factors,), common = times_common_denominator([slopes or [1]])
        found.append(
            SweepLayer(integers, denominator, sources, None if slopes is None else factors, common)
        )
    return found


def box(d, low=-1, high=1):
    """The polytope ``low <= x <= high``."""
    ends = Fraction(low), Fraction(high)
    rows = []
    for i in range(d):
        for end, sign in zip(ends, (1, -1), strict=True):
            row = [sign * int(i == j) * end.denominator for j in range(d)]
            rows.append([*row, -sign * end.numerator])
    return Polytope([tuple(point) for point in product(ends, repeat=d)], rows)


def compose(layer, rows, d):
    """Rows (w, b) of a layer, of those of the activations of its sources."""
    W, b, _, sources = layer
    below = [row for source in sources for row in rows[source]]
    found = []
    for weights, c in zip(W, b, strict=True):
        total = [Fraction(0)] * d + [Fraction(c)]
        for w, row in zip(weights, below, strict=True):
            total = [x + Fraction(w) * y for x, y in zip(total, row, strict=True)]
        found.append(tuple(total))
    return found


def activate(layer, z, signs):
    """Rows of activations where the units have given signs."""
    if layer[2] is None:
        return z
    factors = [1 if sign > 0 else slope for sign, slope in zip(signs, layer[2], strict=True)]
    return [tuple(f * x for x in row) for f, row in zip(factors, z, strict=True)]


def evaluate(layers, x):
    """Signs of all units at a point."""
    found, point = [], [*map(Fraction, x), Fraction(1)]
    d = len(point) - 1
    rows = {-1: [tuple(Fraction(i == j) for j in range(d + 1)) for i in range(d)]}
    for n, layer in enumerate(layers):
        z = compose(layer, rows, d)
        values = [sum(a * b for a, b in zip(row, point, strict=True)) for row in z]
        signs = [(y > 0) - (y < 0) for y in values]
        rows[n] = activate(layer, z, signs)
        found += signs if layer[2] is not None else []
    return tuple(found)


def regions(layers, polytope):
    """Yield (pattern, rows of the outputs) of all regions."""
    vertices = [
        (point, frozenset(k for k, row in enumerate(polytope.facets) if _value(row, point) == 0))
        for point in polytope.vertices
    ]
    d = len(vertices[0][0])
    identity = [tuple(Fraction(i == j) for j in range(d + 1)) for i in range(d)]
    yield from _below(layers, vertices, {-1: identity}, (), d)


def _value(row, point):
    return sum((a * x for a, x in zip(row, point, strict=False)), Fraction(0)) + row[-1]


def _below(layers, vertices, rows, pattern, d):
    n = len(rows) - 1
    z = compose(layers[n], rows, d)
    if n == len(layers) - 1:
        yield pattern, z
        return
    parts = [((), vertices)]
    if layers[n][2] is not None:
        for row in z:
            name = len(layers) * len(z) + len(pattern) + 1000 * n + z.index(row)
            parts = [
                ((*signs, sign), part)
                for signs, whole in parts
                for sign, part in _split(whole, row, (name, len(signs)))
            ]
    for signs, part in parts:
        more = {**rows, n: activate(layers[n], z, signs)}
        yield from _below(layers, part, more, pattern + signs, d)


def _split(vertices, row, name):
    """The parts of a polytope on which a function has one sign."""
    values = [_value(row, point) for point, _ in vertices]
    signs = {(y > 0) - (y < 0) for y in values}
    if not {-1, 1} <= signs:
        return [(sum(signs), vertices)]
    both = list(zip(vertices, values, strict=True))
    section = [(point, tight | {name}) for (point, tight), y in both if y == 0]
    for (p, at_p), y in both:
        for (q, at_q), t in both:
            common = at_p & at_q
            if y > 0 > t and sum(common <= tight for _, tight in vertices) == 2:
                point = tuple(a + y / (y - t) * (b - a) for a, b in zip(p, q, strict=True))
                section.append((point, common | {name}))
    return [(s, [v for v, y in both if s * y > 0] + section) for s in (-1, 1)]
