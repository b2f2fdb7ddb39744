"""Prove the claims of a certificate about a network: one file, the standard library, Python 3.9.

``python network_checker.py FILE`` prints a verdict on each claim. Its exit status is 0 if all are
proved, 1 if not, 2 if the arguments are wrong. docs/certificates.md describes the format.
"""

from __future__ import annotations

import json
import sys
from copy import copy
from fractions import Fraction
from math import inf
from typing import Any, Iterator  # noqa: UP035 for Python 3.9

ZERO, ONE = Fraction(0), Fraction(1)
Row = dict[int, Fraction]  # weights of outputs of units
Known = dict[Any, Any]  # the ends of intervals, of inputs of units and of the distance in a "ball"


def require(holds: Any, why: str) -> None:
    """Refuse the claim unless the condition holds."""
    if not holds:
        raise ValueError(why)


def exact(value: Any) -> Fraction:
    """A whole number, or p/q, both decimal or in hexadecimal after 0x."""
    p, q = (value, 1) if type(value) is int else (int(x, 0) for x in value.split("/"))
    return Fraction(p, q)


def pairs(values: Any, most: int) -> Row:
    """Numbers of some of the first units."""
    found = {i: exact(value) for i, value in values}
    require(len(found) == len(values) and {*range(most)}.issuperset(found), "not units before")
    return found


def largest(c: Fraction, g: Fraction, slope: Fraction, low: Any, high: Any) -> tuple[Any, Any]:
    """The largest ``c a - g z`` for z between two ends; where it is, if at one place only."""
    values = {}
    for z in [low, high] + [ZERO] * (low <= 0 <= high):  # it is linear between these
        factor: Any = (c if z > 0 else c * slope) - g
        if abs(z) == inf:
            factor = (factor > 0) - (factor < 0)
        values[z] = factor * z if factor else ZERO
    most = max(values.values())
    places = [z for z, value in values.items() if value == most]
    return most, places[0] if len(places) == 1 else None


class Problem:
    """A network, and which inputs count.

    Unit j has the input z = offset + a row of weights of outputs of units before it. Its output a
    is z if z > 0 or it has no slope, else slope * z. The first units have the inputs x as z.
    """

    def __init__(self, lines: Iterator[Any]) -> None:
        self.d, self.n = d, size = (shape := next(lines))["inputs"], shape["units"]
        require(0 < d <= size, "expected inputs, which are units, too")
        self.units: list[Any] = [({j: ONE}, ZERO, None) for j in range(d)]
        for j in range(d, size):
            row, offset, slope = next(lines)
            self.units.append((pairs(row, j), exact(offset), slope and exact(slope)))
        fields = next(lines)
        self.bounds: Known = dict.fromkeys(range(size), (-inf, inf))  # of inputs that count
        for j, ends in zip(range(size), fields["bounds"]):
            self.bounds[j] = tuple(s if e is None else exact(e) for e, s in zip(ends, (-inf, inf)))
        self.open: set[Any] = set()  # ends of bounds that no input that counts reaches
        self.steep: Any = None  # of a claim about gradients: of which functions, a norm, a bound
        self.center, self.norm = dict.fromkeys(range(d), ZERO), "max"
        if (ball := fields["ball"]) is not None:
            self.center, self.norm = pairs([*enumerate(ball["center"])], d), ball["norm"]
            require(self.norm in ("max", "l1"), "this norm is not known")
            self.bounds["ball"] = ZERO, (r := exact(ball["radius"]))
            for j, x in self.center.items():
                low, high = self.bounds[j]
                self.bounds[j] = max(low, x - r), min(high, x + r)
                if ball["open"] is True:
                    self.open |= {(j, x - r), (j, x + r), ("ball", r)}

    def under(self, case: list[Any]) -> Problem:
        """With the conditions of a case as linear units, whose inputs are at least 0."""
        found, n = copy(self), len(self.units)
        found.units = self.units + [(row, constant, None) for row, constant, _ in case]
        found.bounds = {**self.bounds, **dict.fromkeys(range(n, n + len(case)), (ZERO, inf))}
        found.open = self.open | {(n + i, ZERO) for i, (_, _, strict) in enumerate(case) if strict}
        return found

    def at(self, x: Row) -> Known:
        """The inputs of all units at a point, and its distance from the center of the ball."""
        sizes, outputs = [abs(x[j] - y) for j, y in self.center.items()], dict(x)
        found: Known = {"ball": max(sizes) if self.norm == "max" else sum(sizes, ZERO)}
        for j, (row, offset, slope) in enumerate(self.units):
            z = found[j] = sum((w * outputs[i] for i, w in row.items()), offset)
            outputs[j] = z if z > 0 or slope is None else slope * z
        return found

    def bound(self, weights: Row, total: Any, proof: Any, known: Known) -> tuple[Any, Known]:
        """A bound of a sum of outputs in a cell, and where units are if it is reached.

        The output a of a unit has a weight c. Whatever the multiple g of its input z is, c a is at
        most g z plus the largest value of c a - g z, which is at an end of the interval, or at 0.
        """
        multiples, theta = pairs(proof["units"], len(self.units)), exact(proof["ball"])
        require(not theta or (theta > 0 and self.norm == "l1"), "a weight of the ball is wrong")
        places: Known = {"ball": known["ball"][1]} if theta else {}
        total += theta * places.get("ball", ZERO)
        for j in range(len(self.units) - 1, -1, -1):
            c, (row, offset, slope), (low, high) = weights.get(j, ZERO), self.units[j], known[j]
            if j < self.d:  # of c x - theta |x - center|
                x = self.center[j]
                most, place = largest(-theta, -c, -ONE, low - x, high - x)
                total, place = total + most + c * x, None if place is None else place + x
            elif not c and j not in multiples:
                continue
            else:
                g = multiples.get(j, c if slope is None else ZERO)
                most, place = largest(c, g, ONE if slope is None else slope, low, high)
                total += most + g * offset
                for i, w in row.items():
                    weights[i] = weights.get(i, ZERO) + g * w
            places |= {} if place is None else {j: place}
        return total, places

    def gradient(self, weights: Row, known: Known) -> list[Any]:
        """For each input, the ends of the derivative of a sum of outputs in a cell."""
        ends: Known = {j: (w, w) for j, w in weights.items()}
        for j in range(len(self.units) - 1, self.d - 1, -1):
            (row, _, slope), (a, b) = self.units[j], ends.get(j, (ZERO, ZERO))
            low, high = known[j]
            if slope is not None:
                slopes = [ONE] if low >= 0 else [slope] if high <= 0 else [ONE, slope]
                values = [s * y for s in slopes for y in (a, b)]
                a, b = min(values), max(values)
            for i, w in row.items():
                p, q = ends.get(i, (ZERO, ZERO))
                ends[i] = p + min(w * a, w * b), q + max(w * a, w * b)
        return [ends.get(j, (ZERO, ZERO)) for j in range(self.d)]

    def steepness(self, known: Known) -> Fraction:
        """No gradient in a cell is larger: in the norm dual to "max" or "l1", or its entry i."""
        found, (rows, norm, _) = [], self.steep
        for ends in [self.gradient(row, known) for row in rows]:
            sizes = [max(abs(a), abs(b)) for a, b in ends]
            size = sum(sizes, ZERO) if norm == "max" else max(sizes)
            found.append(size if norm in ("max", "l1") else ends[norm][1])
        return max(found)

    def moves(self, j: int, known: Known) -> bool:
        """Whether the gradient of the input of a unit is not 0 anywhere in a cell."""
        return any(a > 0 or b < 0 for a, b in self.gradient(self.units[j][0], known))

    def learn(self, node: Any, known: Known) -> None:
        """Prove bounds of units, each by those before it."""
        for u, side, value, proof in node.get("lemmas", []):
            require(side in (1, -1), "expected a side 1 or -1")
            (row, offset, _), value, (low, high) = self.units[u], exact(value), known[u]
            weights = {i: side * w for i, w in row.items()}
            most, _ = self.bound(weights, side * offset, proof, known)
            require(most <= value, "a bound of a unit does not follow")
            known[u] = (low, min(high, value)) if side > 0 else (max(low, -value), high)

    def ends(self, known: Known) -> list[Known]:
        """A cell where rays from 0 leave the bounds, up to which what meets the conditions does."""
        offsets = [offset for _, offset, _ in self.units]  # the last ones are those of conditions
        require(not any(offsets[: self.n]) and max(offsets) <= 0 and "ball" not in known, "no rays")
        require(all(inf not in map(abs, known[j]) for j in range(self.d)), "endless rays")
        ends = [(u, e, s) for u, both in self.bounds.items() for e, s in zip(both, (-1, 1))]
        return [{**known, u: (e, e), "ball": (ZERO, ONE)} for u, e, s in ends if 0 < s * e < inf]

    def exclude(self, nodes: Iterator[Any], known: Known) -> None:
        """Prove by a tree of cells that no input counts, or that no gradient is too large."""
        stack = [known]
        while stack:
            node, here = next(nodes), stack.pop()
            self.learn(node, here)
            if "split" in node:
                low, high = here[u := node["split"]]
                stack += [{**here, u: (max(low, ZERO), high)}, {**here, u: (low, min(high, ZERO))}]
            elif "rays" in node and (self.open or self.steep):  # 0 itself does not count
                stack += self.ends(here)[::-1]
            elif "proof" in node:
                total, places = self.bound({}, ZERO, node["proof"], here)
                flat = self.steep and any(self.moves(j, here) for j in places)
                require(total <= 0 and (total or flat or self.open & places.items()), "open leaf")
            elif all(low <= high for low, high in here.values()):
                require(self.steep and self.steepness(here) <= self.steep[2], "a cell is open")


def prove(line: Any, problem: Problem, nodes: Iterator[Any]) -> Iterator[str]:
    """What a claim says, once it is proved."""
    size, gradient = problem.n, line["gradient"]
    conditions, *cases = [
        [(pairs(row, size), exact(constant), [False, True].index(s)) for row, constant, s in case]
        for case in [line["conditions"], *line["cases"]]
    ]
    if gradient is not None:
        rows = [pairs(row, size) for row in gradient["rows"]]
        problem.steep = rows, gradient["norm"], exact(gradient["value"])
    require(cases or line["point"] is not None, "this claims nothing")
    if line["point"] is not None:
        here = problem.under(conditions)
        z = here.at(pairs([*enumerate(line["point"])], problem.d))
        inside = all(low <= z[j] <= high for j, (low, high) in here.bounds.items())
        equal = (here.open - problem.open) & z.items()
        require(inside and not equal, "the point does not count, or meet the conditions")
        if gradient is not None:
            near = {j: (y, y) for j, y in z.items()}
            kinks = [j for j, (*_, s) in enumerate(problem.units) if s is not None and not z[j]]
            edge = any(z[j] in ends for j, ends in problem.bounds.items())
            require(not edge and not any(problem.moves(j, near) for j in kinks), "on an edge")
            require(problem.steepness(near) == problem.steep[2], "another gradient")
        yield "an input meets all conditions" if gradient is None else "a region has this gradient"
    if cases:
        known = dict(problem.bounds)
        problem.learn(next(nodes), known)
        for case in cases:
            here = problem.under(case)
            here.exclude(nodes, {**here.bounds, **known})
        yield "no input meets a case" if gradient is None else "no region has a larger one"


def check(lines: Iterator[str]) -> Iterator[str]:
    """A verdict on each claim of a file; an exception if not all of it is as it should be."""
    read = map(json.loads, lines)
    require(next(read) == {"certificate": "arrangements network", "version": 1}, "another format")
    problem, claims = Problem(read), 0
    while "end" not in (line := next(read)):
        claims += 1
        yield f"claim {claims} is proved: {', '.join(prove(line, copy(problem), read))}"
    require(claims and [line, *read] == [{"end": claims}], "the end does not fit")


def main(path: str) -> int:
    """Say what a file proves; the exit status."""
    try:
        with open(path, encoding="ascii") as stream:
            print(*check(stream), sep="\n")
        return 0
    except Exception as error:  # whatever a hostile file provokes
        print(f"NOT PROVED: {type(error).__name__}: {str(error)!a:.300}")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else 2)
