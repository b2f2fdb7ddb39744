"""A check, in exact arithmetic, that a search over vectors of signs missed none that is better.

It goes through the nodes that `binary_search` saw, and takes nothing from it but the slopes of
the bounds and the places where nodes were divided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from time import monotonic

import numpy as np

from arrangements.optimize.binary_programs import BinaryProgram, Floats
from arrangements.optimize.binary_search import Branch, first_sign

Number = int | Fraction


@dataclass
class _Node:
    """Vectors of signs: those that are known, 0 for others, and ranges of the column sums."""

    name: int
    low: list[Number]
    high: list[Number]
    signs: list[int]


def proves(
    program: BinaryProgram,
    branches: Mapping[int, Branch],
    value: int | None,
    deadline: float | None = None,
) -> bool | None:
    """Check that no vector that counts has a larger value; or none counts, with None.

    None if the clock says `deadline` before the end.

    Parameters
    ----------
    program : BinaryProgram
    branches : dict of Branch
        What was done at each node. The root has the number 0.
    value : int or None

    Examples
    --------
    >>> from arrangements.optimize.binary_search import BinarySearch
    >>> program = BinaryProgram(((2,), (3,), (4,)), (-1,), (0,), (0, 0, 0), ((None, None),))
    >>> search = BinarySearch(program, record=True)
    >>> search.run()
    >>> proves(program, search.branches, -1), proves(program, {}, -1), proves(program, {}, 0)
    (True, False, False)
    """
    check = _Check(program, value)
    waiting = [check.root()]
    while waiting:
        if deadline is not None and monotonic() > deadline:
            return None
        node = waiting.pop()
        branch = branches.get(node.name)
        if branch is None:
            return False
        if check.is_open(node, branch.slopes):
            if all(node.signs):
                if check.is_better(node.signs):
                    return False
                continue
            halves = check.halves(node, branch)
            if halves is None:
                return False
            waiting += halves
    return True


class _Check:
    """Bounds of nodes in exact arithmetic."""

    def __init__(self, program: BinaryProgram, value: int | None) -> None:
        self._program, self._value = program, value
        floats = program.floats
        self._units, self._unit = floats.units, floats.unit
        self._sizes = [
            sum(map(abs, column)) for column in zip(program.shifts, *program.rows, strict=True)
        ]

    def root(self) -> _Node:
        """The node of all vectors, or of one of each pair s and -s that are alike."""
        P = self._program
        signs = [0] * len(P.rows)
        if P.is_even and signs:
            signs[first_sign(P)] = 1
        ends = list(zip(P.ranges, self._sizes, strict=True))
        low: list[Number] = [-size if r[0] is None else max(r[0], -size) for r, size in ends]
        high: list[Number] = [size if r[1] is None else min(r[1], size) for r, size in ends]
        return _Node(0, low, high, signs)

    def is_better(self, signs: Sequence[int]) -> bool:
        """Whether a vector counts and has a larger value."""
        found = self._program.value(signs)
        return found is not None and (self._value is None or found > self._value)

    def is_open(self, node: _Node, slopes: Sequence[Floats]) -> bool:
        """Make known what bounds prove; whether there may be a better vector in the node."""
        for chosen in slopes:
            if not self._tighten(node):
                return False
            exact = [
                Fraction(a) * self._unit / u
                for a, u in zip(chosen.tolist(), self._units, strict=True)
            ]
            if self._close(node, exact):
                return False
        return self._tighten(node)

    def halves(self, node: _Node, branch: Branch) -> list[_Node] | None:
        """The two nodes into which one was divided."""
        parts = [
            _Node(branch.first + side, [*node.low], [*node.high], [*node.signs]) for side in (0, 1)
        ]
        if branch.column is not None:
            at = Fraction(branch.at) * self._units[branch.column]
            parts[0].high[branch.column] = min(at, node.high[branch.column])
            parts[1].low[branch.column] = max(at, node.low[branch.column])
        elif branch.sign is not None:
            known = node.signs[branch.sign]
            for part, sign in zip(parts, (-1, 1), strict=True):
                part.signs[branch.sign] = sign
            parts = [p for p in parts if known in (0, p.signs[branch.sign])]
        else:
            return None
        return parts

    def _close(self, node: _Node, slopes: list[Fraction]) -> bool:
        """Bound a node and all of its halves by signs; whether none is better."""
        P = self._program
        bound = sum((a * t for a, t in zip(slopes, P.shifts, strict=True)), Fraction(0))
        for k, (w, a) in enumerate(zip(P.weights, slopes, strict=True)):
            bound += _largest(w, a, node.low[k], node.high[k])
        common = lcm(*(a.denominator for a in slopes))
        whole = [int(a * common) for a in slopes]
        gradients = [
            common * v + sum(a * x for a, x in zip(whole, row, strict=True))
            for v, row in zip(P.linear, P.rows, strict=True)
        ]
        ends = sum(s * g if s else abs(g) for s, g in zip(node.signs, gradients, strict=True))
        bound += Fraction(ends, common)
        if self._value is None:
            return False
        # a better value is larger by a step or more
        spare = bound - self._value - P.step
        for i, g in enumerate(gradients):
            if not node.signs[i] and spare * common < 2 * abs(g):
                node.signs[i] = 1 if g >= 0 else -1
        return spare < 0

    def _tighten(self, node: _Node) -> bool:
        """Cut ranges and signs by each other; whether a vector may be left."""
        P = self._program
        for group in P.equal_rows:
            known = [node.signs[i] for i in group]
            plus = max((k for k, s in enumerate(known) if s > 0), default=-1)
            minus = min((k for k, s in enumerate(known) if s < 0), default=len(group))
            if plus > minus:
                return False
            for k, i in enumerate(group):
                node.signs[i] = 1 if k <= plus else -1 if k >= minus else 0
        for _ in range(2):
            known, free = P.sums(node.signs), [0] * len(P.weights)
            for s, row in zip(node.signs, P.rows, strict=True):
                if not s:
                    free = [total + abs(v) for total, v in zip(free, row, strict=True)]
            node.low = [max(a, z - f) for a, z, f in zip(node.low, known, free, strict=True)]
            node.high = [min(b, z + f) for b, z, f in zip(node.high, known, free, strict=True)]
            for k in np.flatnonzero(np.array(P.weights, object) == 0).tolist():
                spare = known[k] + free[k] - node.low[k], node.high[k] - known[k] + free[k]
                self._force(node, k, *spare)
        return all(a <= b for a, b in zip(node.low, node.high, strict=True))

    def _force(self, node: _Node, k: int, below: Number, above: Number) -> None:
        """Signs without which the sum of a column leaves its range, at either end."""
        for i, row in enumerate(self._program.rows):
            if not node.signs[i] and row[k]:
                sign = 1 if row[k] > 0 else -1
                if 2 * abs(row[k]) > below:
                    node.signs[i] = sign
                elif 2 * abs(row[k]) > above:
                    node.signs[i] = -sign


def _largest(weight: int, slope: Fraction, low: Number, high: Number) -> Number:
    """The largest ``weight * z**2 - slope * z`` in a range, which may be empty."""
    places = [low, high]
    if weight < 0:
        places = [max(low, min(high, slope / (2 * weight)))]
    return max((weight * z - slope) * z for z in places)
