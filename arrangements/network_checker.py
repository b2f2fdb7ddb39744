"""Prove the claims of a certificate about a network: one file, the standard library, Python 3.9.

``python network_checker.py FILE`` prints a verdict on each claim. Its exit status is 0 if all are
proved, 1 if not, 2 if the arguments are wrong. docs/certificates.md describes the format.
"""

from __future__ import annotations

import json
import re
import sys
from fractions import Fraction
from math import inf
from typing import Any, Iterator  # noqa: UP035 for Python 3.9

HEADER = {"certificate": "arrangements network", "version": 1}
RATIO = re.compile("-?[0-9]{1,4300}/[0-9]{1,4300}")
HEXADECIMAL = re.compile("-?0x[0-9a-f]{1,100000}")
Bounds = dict[int, Any]  # of a unit: the least and the largest value of its input


def require(holds: Any, why: str) -> None:
    """Refuse the claim unless the condition holds."""
    if not holds:
        raise ValueError(why)


def exact(value: Any) -> Fraction:
    """Whole, in hexadecimal if it is large, a ratio, or a float as Python writes it in that."""
    if type(value) is int:  # not bool
        return Fraction(value)
    require(type(value) is str, "expected a number")
    if HEXADECIMAL.fullmatch(value):
        return Fraction(int(value, 16))
    if RATIO.fullmatch(value):
        return Fraction(value)
    if "/0x" in value:
        p, q = value.split("/")
        return Fraction(int(p, 16), int(q, 16))
    number = float.fromhex(value)
    require(number.hex() == value, "expected an exact number")
    return Fraction(number)


def index(value: Any, most: int) -> int:
    """The number of one of `most` things."""
    require(type(value) is int and 0 <= value < most, "expected a number of something that exists")
    return int(value)


def numbers(values: Any, length: int) -> list[Fraction]:
    """So many numbers."""
    require(type(values) is list and len(values) == length, f"expected {length} numbers")
    return [exact(value) for value in values]


def pairs(values: Any, most: int) -> dict[int, Fraction]:
    """Numbers of some things."""
    found = {index(i, most): exact(value) for i, value in values}
    require(len(found) == len(values), "something has two numbers")
    return found


class Network:
    """Layers of weights and offsets; of units, the slopes where their inputs are negative."""

    def __init__(self, d: int, layers: list[Any]) -> None:
        self.d = d
        self.layers: list[Any] = []
        self.slopes: list[Fraction] = []
        self.first: list[Any] = []  # of the units of each layer; None of linear ones
        for k, layer in enumerate(layers):
            sources = [s if s == "x" else index(s, k) for s in layer["sources"]]
            width = sum(d if s == "x" else len(self.layers[s][1]) for s in sources)
            rows = [numbers(row, width + 1) for row in layer["rows"]]
            slopes = layer["slopes"] and numbers(layer["slopes"], len(rows))
            self.first.append(len(self.slopes) if slopes else None)
            self.layers.append((sources, rows))
            self.slopes += slopes or []
        require(
            len(layers) > 0 and all(len(rows) > 0 for _, rows in self.layers),
            "a layer has no outputs",
        )
        self.outputs = len(self.layers[-1][1])

    def forward(self, x: list[Fraction]) -> list[Fraction]:
        """The outputs at a point."""
        values: dict[Any, list[Fraction]] = {"x": x}
        for k, (sources, rows) in enumerate(self.layers):
            a = [y for s in sources for y in values[s]] + [Fraction(1)]
            z = [sum((w * y for w, y in zip(row, a) if w), Fraction(0)) for row in rows]
            if (u := self.first[k]) is not None:
                z = [y if y > 0 else self.slopes[u + i] * y for i, y in enumerate(z)]
            values[k] = z
        return values[len(self.layers) - 1]

    def back(self, k: int, own: list[Fraction], weights: dict[Any, list[Fraction]]) -> Fraction:
        """Add the weights of the sources of layer k, whose rows have weights; the constant."""
        sources, rows = self.layers[k]
        used = [(g, row) for g, row in zip(own, rows) if g]
        column = 0
        for s in sources:
            for i in range(len(weights[s])):
                weights[s][i] += sum(
                    (g * row[column] for g, row in used if row[column]), Fraction(0)
                )
                column += 1
        return sum((g * row[-1] for g, row in used), Fraction(0))


class Inputs:
    """The inputs: a box, other inequalities ``w @ x <= c``, equations, and perhaps a ball."""

    def __init__(self, d: int, fields: Any) -> None:
        low, high = fields["low"], fields["high"]
        require(len(low) == len(high) == d, "expected d sides")
        self.low: list[Any] = [-inf if a is None else exact(a) for a in low]
        self.high: list[Any] = [inf if a is None else exact(a) for a in high]
        self.rows = [numbers(row, d + 1) for row in fields["rows"]]
        self.n_inequalities = len(self.rows)
        self.rows += [numbers(row, d + 1) for row in fields["equations"]]
        self.given = [*self.low], [*self.high]
        self.radius: Any = None
        self.norm, self.open, self.center = "", False, [Fraction(0)] * d
        for i, side, value, weights in fields["sides"]:
            i, value = index(i, d), exact(value)
            require(side in (1, -1), "expected a side 1 or -1")
            q = [Fraction(side * (j == i)) for j in range(d)]
            bound, _ = self.largest(q, pairs(weights, len(self.rows)), Fraction(0))
            require(bound <= value, "a side of the box does not follow")
            (self.high if side > 0 else self.low)[i] = side * value
        if (ball := fields["ball"]) is not None:
            self.center, self.radius = numbers(ball["center"], d), exact(ball["radius"])
            self.norm, self.open = ball["norm"], ball["open"] is True
            require(self.norm in ("max", "l1"), "this norm is not known")
            for i, x in enumerate(self.center):
                self.low[i] = max(self.low[i], x - self.radius)
                self.high[i] = min(self.high[i], x + self.radius)

    def distance(self, x: list[Fraction]) -> Fraction:
        """Of a point from the center of the ball."""
        sizes = [abs(a - b) for a, b in zip(x, self.center)]
        return max(sizes) if self.norm == "max" else sum(sizes, Fraction(0))

    def has(self, x: list[Fraction], ball: bool = True) -> bool:
        """Whether a point is one of the inputs; without `ball` it may be outside of the ball."""
        gaps = [row[-1] - sum(w * y for w, y in zip(row, x)) for row in self.rows]
        k, (low, high) = self.n_inequalities, self.given
        inside = all(a <= y <= b for a, y, b in zip(low, x, high))
        inside = inside and all(gap >= 0 for gap in gaps[:k]) and not any(gaps[k:])
        if not ball or self.radius is None:
            return inside
        distance = self.distance(x)
        return inside and (distance < self.radius or (distance == self.radius and not self.open))

    def largest(self, q: list[Fraction], rows: dict[int, Fraction], theta: Fraction) -> Any:
        """A bound of ``q @ x`` for all inputs, and whether it is above all in an open ball."""
        if any(a > b for a, b in zip(self.low, self.high)):
            return -inf, True
        total: Any = Fraction(0)
        for j, w in rows.items():
            require(w >= 0 or j >= self.n_inequalities, "a weight is negative")
            total += w * self.rows[j][-1]
            q = [a - w * b for a, b in zip(q, self.rows[j])]
        require(theta >= 0 and (not theta or self.norm == "l1"), "a weight of the ball is wrong")
        strict = self.open and theta > 0
        total += theta * (self.radius or 0)
        for i, w in enumerate(q):
            values = [w * self.center[i]] if theta else []
            for end, sign in (self.low[i], -1), (self.high[i], 1):
                if abs(end) < inf:
                    values.append(w * end - theta * abs(end - self.center[i]))
                elif sign * w > theta:
                    return inf, False
            total += max(values, default=Fraction(0))
            if self.norm == "max" and self.open and w:
                end = self.high[i] if w > 0 else self.low[i]
                strict = strict or abs(end - self.center[i]) == self.radius
        return total, strict


class Prover:
    """Proofs that no input meets all conditions of a case."""

    def __init__(self, network: Network, inputs: Inputs) -> None:
        self.network, self.inputs = network, inputs

    def bound(self, last: int, weights: Any, constant: Fraction, proof: Any, known: Bounds) -> Any:
        """A bound of a weighted sum of outputs of layers; known bounds hold for the units.

        The output a of a unit has a weight c. Whatever the multiple g of its input z is, c a is at
        most g z plus the largest value of c a - g z, which is at an end of the interval, or at 0.
        """
        network, units = self.network, pairs(proof["units"], len(self.network.slopes))
        for k in range(last, -1, -1):
            own = weights[k]
            if (first := network.first[k]) is not None:
                own = [units.get(first + i, Fraction(0)) for i in range(len(own))]
                for i, g in enumerate(own):
                    low, high = known.get(first + i, (-inf, inf))
                    constant += largest(weights[k][i], g, network.slopes[first + i], low, high)
            constant += network.back(k, own, weights)
        rows = pairs(proof["rows"], len(self.inputs.rows))
        bound, strict = self.inputs.largest(weights["x"], rows, exact(proof["ball"]))
        return constant + bound, strict

    def empty(self) -> dict[Any, list[Fraction]]:
        """Weights 0 of the outputs of all layers, and of the inputs."""
        found: dict[Any, list[Fraction]] = {"x": [Fraction(0)] * self.network.d}
        for k, (_, rows) in enumerate(self.network.layers):
            found[k] = [Fraction(0)] * len(rows)
        return found

    def lemmas(self, node: Any, known: Bounds) -> None:
        """Prove bounds of units, each by those before it."""
        for u, side, value, units, ball in node.get("lemmas", []):
            require(side in (1, -1), "expected a side 1 or -1")
            u, value, network = index(u, len(self.network.slopes)), exact(value), self.network
            k = max(k for k, first in enumerate(network.first) if first is not None and first <= u)
            own = [Fraction(0)] * len(network.layers[k][1])
            own[u - network.first[k]] = Fraction(side)
            weights = self.empty()
            constant = network.back(k, own, weights)
            proof = {"units": units, "rows": [], "ball": ball}
            bound, _ = self.bound(k - 1, weights, constant, proof, known)
            require(bound <= value, "a bound of a unit does not follow")
            low, high = known.get(u, (-inf, inf))
            known[u] = (low, min(high, value)) if side > 0 else (max(low, -value), high)

    def none(self, case: list[Any], nodes: Iterator[Any], known: Bounds) -> None:
        """Prove by a tree, whose nodes come in their order, that nothing meets the conditions."""
        stack = [dict(known)]
        while stack:
            node, here = next(nodes), stack.pop()
            self.lemmas(node, here)
            if "split" in node:
                u = index(node["split"], len(self.network.slopes))
                low, high = here.get(u, (-inf, inf))
                stack += [{**here, u: (max(low, 0), high)}, {**here, u: (low, min(high, 0))}]
            elif "proof" in node:
                self.leaf(case, node["proof"], here)
            else:
                require(any(a > b for a, b in here.values()), "a cell need not be empty")

    def leaf(self, case: list[Any], proof: Any, known: Bounds) -> None:
        """Prove that nothing in a cell meets the conditions."""
        shares = pairs(proof["conditions"], len(case))
        require(all(w >= 0 for w in shares.values()), "a weight is negative")
        weights, last, constant = self.empty(), len(self.network.layers) - 1, Fraction(0)
        for j, w in shares.items():
            weights[last] = [a + w * b for a, b in zip(weights[last], case[j][0])]
            constant += w * case[j][0][-1]
        bound, strict = self.bound(last, weights, constant, proof, known)
        strict = strict or any(w > 0 and case[j][1] for j, w in shares.items())
        require(bound < 0 or (bound == 0 and strict), "a leaf excludes nothing")


def largest(c: Fraction, g: Fraction, slope: Fraction, low: Any, high: Any) -> Any:
    """The largest value of ``c a - g z`` for a unit with input z between two ends, output a."""
    values = [Fraction(0)] if low <= 0 <= high else []
    for end, sign in (low, -1), (high, 1):
        factor = c if (end > 0 or end == inf) else c * slope
        if abs(end) < inf:
            values.append((factor - g) * end)
        elif sign * (factor - g) > 0:
            return inf
    return max(values, default=-inf)


def value(row: list[Fraction], outputs: list[Fraction]) -> Fraction:
    """An affine function of the outputs."""
    return sum((w * y for w, y in zip(row, outputs)), row[-1])


def prove(line: Any, network: Network, inputs: Inputs, nodes: Iterator[Any]) -> str:
    """What a claim says, once it is proved."""
    kind, n, prover = line["claim"], network.outputs, Prover(network, inputs)
    point = numbers(line["point"], network.d) if line.get("point") is not None else None
    outputs = network.forward(point) if point is not None else []
    if kind in ("point", "none"):
        cases = [[(numbers(row, n + 1), strict) for row, strict in c] for c in line["cases"]]
        require(
            all(type(strict) is bool for c in cases for _, strict in c), "expected true or false"
        )
        says = "no input meets the conditions of any case"
    if kind == "point":
        require(point is not None and inputs.has(point), "the point is no input")
        met = [(value(row, outputs), strict) for row, strict in cases[0]]
        require(all(v > 0 or (v == 0 and not s) for v, s in met), "a condition does not hold")
        return "an input meets all conditions"
    if kind == "largest":
        row, best = numbers(line["row"], n + 1), exact(line["value"])
        require(point is not None and inputs.has(point), "the point is no input")
        require(value(row, outputs) == best, "the point has another value")
        cases, says = [[([*row[:-1], row[-1] - best], True)]], "the value is the largest"
    if kind == "radius":
        c, unit = index(line["label"], n), [[Fraction(i == j) for j in range(n)] for i in range(n)]
        require(inputs.open and inputs.radius > 0, "expected an open ball")
        if point is not None:
            require(
                inputs.has(point, False) and inputs.distance(point) == inputs.radius, "no input"
            )
            require(max(y for j, y in enumerate(outputs) if j != c) >= outputs[c], "no other class")
        others = [j for j in range(n) if j != c]
        cases = [
            [([a - b for a, b in zip(unit[j], unit[c])] + [Fraction(0)], False)] for j in others
        ]
        says = "the class is the same in the ball" + ", and not beyond" * (point is not None)
    require(kind in ("none", "largest", "radius"), "this kind of claim is not known")
    known: Bounds = {}
    prover.lemmas(next(nodes), known)
    for case in cases:
        prover.none(case, nodes, known)
    return says


def check(lines: Iterator[str]) -> Iterator[str]:
    """A verdict on each claim of a file; an exception if not all of it is as it should be."""
    read = map(json.loads, lines)
    require(next(read) == HEADER, "this is no certificate of a network of version 1")
    shape = next(read)
    d = index(shape["inputs"], 2**20)
    network = Network(d, [next(read) for _ in range(index(shape["layers"], 2**20))])
    inputs, claims = Inputs(d, next(read)), 0
    while "end" not in (line := next(read)):
        claims += 1
        yield f"claim {claims} is proved: {prove(line, network, inputs, read)}"
    require(claims and line == {"end": claims}, "the last line does not fit")
    require(next(read, None) is None, "there is something after the last line")


def main(path: str) -> int:
    """Say what a file proves; the exit status."""
    try:
        with open(path, encoding="ascii") as stream:
            for verdict in check(iter(stream)):
                print(verdict)
        return 0
    except Exception as error:  # whatever a hostile file provokes
        print(f"NOT PROVED: {error!a:.300}")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else 2)
