"""How little would let a label win that cannot: another bias, or another row.

Label i cannot win if some mean of other labels, with weights y, has ``sum y_j w_j = w_i`` and
``sum y_j b_j >= b_i``. Let h be the largest such ``sum y_j b_j``: with a bias beyond h the label
wins. The rows that cannot win with this bias are a convex polytope, and whoever leaves it wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.addresses import public_class
from arrangements.core.rows import Rows
from arrangements.exact.linear import solve
from arrangements.exact.numbers import fractions, nearest_float, nearest_floats
from arrangements.feasibility.score_rows import upper_norms
from arrangements.models.row_distances import proved_distance

Floats = NDArray[np.float64]

# Weights of a linear program below which they count as zero, and steps of a search for a row.
_LIGHT, _STEPS = 1e-9, 12


@public_class
@dataclass(frozen=True)
class Repair:
    """How little would let a label win.

    Attributes
    ----------
    bias_rise : (Fraction, Fraction) or None
        The least number such that any larger one, added to the bias, lets the label win: bounds of
        it, as a rule equal. Each is proved. None if all biases are equal, where any rise will do.
    distance : float
        The label wins with a row that is farther by any small amount than this from its own: an
        upper bound of the least such distance, found by a local search.
    row : tuple of float
        The row at this distance.
    least_distance : float
        A lower bound, proved: with no row within it the label can win. 0 if none was proved.
    """

    bias_rise: tuple[Fraction, Fraction] | None
    distance: float
    row: tuple[float, ...]
    least_distance: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """As values of JSON, without the row."""
        found: dict[str, Any] = {"distance": self.distance, "least_distance": self.least_distance}
        if self.bias_rise is not None:
            found["bias_rise"] = [nearest_float(x) for x in self.bias_rise]
        return found


class Repairs:
    """Repairs of labels of one matrix.

    Parameters
    ----------
    rows : Rows
        Rational numbers.
    rivals : (k,) ndarray of int
        The labels that can win, copies aside: one of them is first at almost every input.
    """

    def __init__(self, rows: Rows, rivals: NDArray[np.intp]) -> None:
        self.rows, self.rivals = rows, rivals
        b = rows.offsets
        self.affine = b is not None and bool((b != b[:1]).any())
        self.weights = nearest_floats(rows.weights)
        self.biases = np.zeros(len(self.weights)) if b is None else nearest_floats(b)

    def of(self, i: int) -> Repair:
        """The repair of a label that cannot win."""
        rise, start = None, None
        if self.affine:
            rise, start = self._bias_rise(i)
        distance, row = self._nearest(i, start)
        return Repair(rise, distance, tuple(row.tolist()), self._least_distance(i))

    def _least_distance(self, i: int) -> float:
        """A proved lower bound of the distance of a row that can win."""
        steps, rises = self._steps(i)
        norms = upper_norms(self.weights[self.rivals])
        error = float(norms.max() + upper_norms(self.weights[[i]])[0]) * 2.0**-51
        if not self.affine:
            return proved_distance(steps, None, error)
        sizes = np.abs(self.biases[self.rivals]) + abs(self.biases[i])
        # no larger than the exact ones, also where they underflow
        return proved_distance(steps, rises - sizes * 2.0**-51 - 1e-300, error)

    def _steps(self, i: int) -> tuple[Floats, Floats]:
        """Rows and biases of the rivals, minus those of the label."""
        own = self.weights[self.rivals] - self.weights[i]
        return own, self.biases[self.rivals] - self.biases[i]

    def _bias_rise(self, i: int) -> tuple[tuple[Fraction, Fraction], Floats]:
        """Bounds of the least rise, and the input at which it lets the label win."""
        from scipy.optimize import linprog  # loads slowly

        P, c = self._steps(i)
        equations = np.vstack([P.T, np.ones(len(P))])
        right = np.append(np.zeros(P.shape[1]), 1.0)
        found = linprog(-c, A_eq=equations, b_eq=right, method="highs")
        if found.status != 0:
            return (Fraction(0), self._exact_rise(i, [Fraction(0)] * P.shape[1])), np.zeros(0)
        heavy = self.rivals[found.x > _LIGHT].tolist()
        x = np.asarray(found.eqlin.marginals[:-1])
        values = P @ x + c
        tied = values > values.max() - _LIGHT * (1 + np.abs(values).max())
        rough = [Fraction(t) for t in x.tolist()]
        inputs = (self._input_of_ties(some, rough) for some in (heavy, self.rivals[tied].tolist()))
        return (self._exact_mean(i, heavy), min(self._exact_rise(i, one) for one in inputs)), x

    def _exact_mean(self, i: int, heavy: list[int]) -> Fraction:
        """By how much the bias of the mean of some labels that is the row exceeds its own."""
        columns = [[*self._row(j), Fraction(1)] for j in heavy]
        right = [*self._row(i), Fraction(1)]
        weights = solve(list(zip(*columns, strict=True)), right)
        if weights is None or min(weights) < 0:
            return Fraction(0)
        mean = sum(y * self._bias(j) for y, j in zip(weights, heavy, strict=True))
        return max(Fraction(0), mean - self._bias(i))

    def _input_of_ties(self, heavy: list[int], x: list[Fraction]) -> list[Fraction]:
        """The input nearest to x where the scores of some labels are equal."""
        first, *others = heavy
        D = [[a - b for a, b in zip(self._row(j), self._row(first), strict=True)] for j in others]
        off = [
            self._bias(first) - self._bias(j) - sum(a * t for a, t in zip(row, x, strict=True))
            for j, row in zip(others, D, strict=True)
        ]
        square = [[sum(a * b for a, b in zip(p, q, strict=True)) for q in D] for p in D]
        y = solve(square, off) if D else ()
        if y is None:
            return x
        return [
            t + sum(weight * row[k] for weight, row in zip(y, D, strict=True))
            for k, t in enumerate(x)
        ]

    def _exact_rise(self, i: int, x: list[Fraction]) -> Fraction:
        """By how much the best score of a rival exceeds that of the label at an input; exact."""

        def score(j: int) -> Fraction:
            return self._bias(j) + sum(a * t for a, t in zip(self._row(j), x, strict=True))

        return max(Fraction(0), max(score(j) for j in self.rivals.tolist()) - score(i))

    def _row(self, j: int) -> list[Fraction]:
        return [Fraction(x) for x in fractions(self.rows.weights[j])]

    def _bias(self, j: int) -> Fraction:
        b = self.rows.offsets
        return Fraction(0) if b is None else Fraction(fractions(b[j : j + 1])[0])

    def _nearest(self, i: int, start: Floats | None) -> tuple[float, Floats]:
        """Distance of a row that can win, and the row: the best of some local searches."""
        P, c = self._steps(i)
        starts = [] if start is None or not len(start) else [(start, 1.0)]
        lengths, unit = np.linalg.norm(P, axis=1), np.eye(1, P.shape[1])[0]
        starts += [
            (unit, 0.0),
            (-P.mean(axis=0), 0.0),
            (P[lengths.argmin()], 0.0),
            (-P[lengths.argmin()], 0.0),
        ]
        best, direction = np.inf, np.zeros(P.shape[1])
        for x, height in starts:
            last = np.inf
            for _ in range(_STEPS):
                norm = float(np.linalg.norm(x))
                if not 0 < norm < np.inf:
                    break
                reached = _distance(P, c, x / norm, height / norm)
                if reached < best:
                    best, direction = reached, x / norm
                if not reached < last * (1 - 1e-6):
                    break
                last = reached
                x, height = _facet(P, c if self.affine else None, x / norm)
        return float(best), self.weights[i] + best * direction


def _distance(P: Floats, c: Floats, x: Floats, height: float) -> float:
    """A distance by which a row must move along x to win at inputs along x; rounded up."""
    values = P @ x + height * c
    terms = np.abs(P) @ np.abs(x) + height * np.abs(c)
    terms *= (P.shape[1] + 32) * 2.0**-52
    return max(0.0, float((values + terms).max()) * (1 + 2.0**-40))


def _facet(P: Floats, c: Floats | None, x: Floats) -> tuple[Floats, float]:
    """The facet of the polytope of rows that cannot win where the ray along x leaves it.

    Its normal, and the weight of biases in its inequality; zeros if there is none.
    """
    from scipy.optimize import linprog  # loads slowly

    k, d = P.shape
    equations = np.zeros((d + 1, k + 1))
    equations[:d, :k], equations[:d, k], equations[d, :k] = P.T, -x, 1.0
    right = np.append(np.zeros(d), 1.0)
    limits: dict[str, Any] = {}
    if c is not None:
        limits = {"A_ub": np.append(-c, 0.0)[None], "b_ub": np.zeros(1)}
    cost = np.append(np.zeros(k), -1.0)
    found = linprog(cost, A_eq=equations, b_eq=right, method="highs", **limits)
    if found.status != 0:
        return np.zeros(d), 0.0
    normal = np.asarray(found.eqlin.marginals[:d])
    height = 0.0 if c is None else max(0.0, -float(found.ineqlin.marginals[0]))
    return normal, height
