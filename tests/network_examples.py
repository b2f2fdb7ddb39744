"""Small random networks of every kind."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from arrangements.networks import Layer, Network

KINDS = (
    *("generic", "integer", "ternary", "zero_bias", "duplicated", "dead", "float16", "quantized"),
    *("skip", "leaky", "fractions", "sparse"),
)


def random_network(
    kind: str, rng: np.random.Generator, dimension: int, widths: list[int]
) -> Network:
    """A network with these numbers of units, one output, and coincidences of a kind."""
    sizes = [dimension, *widths]
    layers: list[Any] = []
    for k, (m, n) in enumerate(zip(sizes, sizes[1:], strict=False)):
        if kind == "skip" and k:
            earlier = ["x", *range(k)]
            inputs = [s for s in earlier if rng.random() < 0.5] or [earlier[-1]]
            m = sum(dimension if s == "x" else sizes[int(s) + 1] for s in inputs)
            add = [s for s in range(k) if sizes[s + 1] == n and rng.random() < 0.5]
            W = rng.integers(-2, 3, (n, m)) if rng.random() < 0.5 else rng.standard_normal((n, m))
            layers.append(Layer(W, rng.integers(-1, 2, n), inputs=inputs, add=add))
            continue
        layers.append(_layer(kind, rng, m, n))
    last = rng.integers(-2, 3, (1, sizes[-1])).tolist()
    return Network([*layers, (last, None)])


def _layer(kind: str, rng: np.random.Generator, m: int, n: int) -> Any:
    W: Any = rng.standard_normal((n, m))
    b: Any = rng.standard_normal(n)
    if kind == "integer":
        W, b = rng.integers(-3, 4, (n, m)), rng.integers(-3, 4, n)
    elif kind == "ternary":
        W, b = rng.integers(-1, 2, (n, m)), rng.integers(-1, 2, n)
    elif kind == "zero_bias":
        b = None
        W = rng.integers(-2, 3, (n, m)) if rng.random() < 0.5 else W
    elif kind == "duplicated":
        W[n // 2], b[n // 2] = W[0], b[0]
        W[-1], b[-1] = -2 * W[0], -2 * b[0]
    elif kind == "dead":
        W[0], b[0] = 0, rng.integers(-1, 2)
        W[-1], b[-1] = -np.abs(W[-1]), -abs(b[-1])
    elif kind == "float16":
        W, b = np.float16(W), np.float16(b)
    elif kind == "quantized":
        W, b = np.round(4 * W) / 4, np.round(4 * b) / 4
    elif kind == "leaky":
        slope = [Fraction(1, 10), 0.01, -1, [0.5] * n][rng.integers(4)]
        return Layer(W if rng.random() < 0.5 else rng.integers(-2, 3, (n, m)), b, slope=slope)
    elif kind == "fractions":
        W = [[Fraction(int(x), 3) for x in row] for row in rng.integers(-3, 4, (n, m))]
        b = [Fraction(int(x), 7) for x in rng.integers(-3, 4, n)]
    elif kind == "sparse":
        W = W * (rng.random((n, m)) < 0.5)
        b = b * (rng.random(n) < 0.5)
    return W, b
