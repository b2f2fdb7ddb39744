"""Many questions about the rows of one matrix, each with few rows listed and one rule for the rest.

Three kinds. *signs*: each row has a sign of its own. *sets*: the listed labels score higher than
all others; a threshold t lies between, so these are signs of the rows (w, -1) at (x, t).
*orders*: the listed labels score highest, in their order.

In all of them the condition of row j is that one linear function is positive, so a row stands for
its condition (in an order: that of a listed label, to score lower than the one before it; the first
has none). The last rows may be facets of a polyhedron: they are positive in every question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.coercion import as_fractions
from arrangements.exact.linear import null_vector
from arrangements.exact.numbers import quotient
from arrangements.feasibility.score_rows import ScoreRows, as_integers
from arrangements.kernels.cone.nearest_points import NOTHING, THRESHOLD

Kind = Literal["signs", "sets", "orders"]
Numbers = NDArray[np.integer[Any]]

# Stands for the condition that the coordinate 1, which multiplies offsets, is positive.
INFINITY = -1

_ONE = Fraction(1)


class FeasibilityBatch:
    """Questions of one kind.

    Parameters
    ----------
    rows : ScoreRows
    kind : {"signs", "sets", "orders"}
    starts : (m + 1,) ndarray of int
        Question i lists rows ``listed[starts[i]:starts[i + 1]]``, all distinct.
    listed : ndarray of int
    signs : ndarray of int8
        The signs of the listed rows; all 1 for labels.
    default : (m,) ndarray of int8
        The sign of all other rows, 0 for either; all -1 for labels.
    """

    def __init__(
        self,
        rows: ScoreRows,
        kind: Kind,
        starts: Numbers,
        listed: Numbers,
        signs: NDArray[np.int8] | None = None,
        default: NDArray[np.int8] | None = None,
    ) -> None:
        self.rows: ScoreRows = rows
        self.kind: Kind = kind
        self.starts: NDArray[np.int64] = starts.astype(np.int64)
        self.listed: NDArray[np.int32] = listed.astype(np.int32)
        self.signs: NDArray[np.int8] = np.ones(len(listed), np.int8) if signs is None else signs
        self.default: NDArray[np.int8] = (
            np.full(len(starts) - 1, -1, np.int8) if default is None else default
        )

    @classmethod
    def of_signs(cls, rows: ScoreRows, signs: NDArray[np.int8]) -> FeasibilityBatch:
        """Questions about the rows of an (m, n) array of signs."""
        counts = np.array([(signs == s).sum(axis=1) for s in (-1, 0, 1)])
        default = (counts.argmax(axis=0) - 1).astype(np.int8)
        odd = signs != default[:, None]
        starts = np.concatenate([[0], np.cumsum(odd.sum(axis=1))])
        return cls(rows, "signs", starts, np.nonzero(odd)[1], signs[odd], default)

    @classmethod
    def of_sets(
        cls, rows: ScoreRows, kind: Kind, sets: Sequence[Sequence[int]], default: int = -1
    ) -> FeasibilityBatch:
        """Questions whose listed rows have the sign + or are on top, all of them distinct."""
        starts = np.concatenate([[0], np.cumsum([len(rows) for rows in sets], dtype=np.int64)])
        listed = np.fromiter((i for rows in sets for i in rows), np.int32, int(starts[-1]))
        rest = np.full(len(sets), default, np.int8)
        return cls(rows, kind, starts, listed, default=rest)

    @classmethod
    def of_array(cls, rows: ScoreRows, kind: Kind, tops: Numbers) -> FeasibilityBatch:
        """Questions about tops of one size, (m, k)."""
        m, k = tops.shape
        return cls(rows, kind, np.arange(m + 1) * k, tops.ravel())

    def __len__(self) -> int:
        return len(self.default)

    @cached_property
    def sizes(self) -> Numbers:
        """Number of rows that each question lists."""
        return np.diff(self.starts)

    @property
    def width(self) -> int:
        """Number of coordinates of a condition: those of a row, and the threshold of a set."""
        return self.rows.dimension + self.rows.affine + (self.kind == "sets")

    def of(self, i: int) -> list[int]:
        """Listed rows of question i."""
        return self.listed[self.starts[i] : self.starts[i + 1]].tolist()

    def listed_signs(self, i: int) -> NDArray[np.int8]:
        """Their signs."""
        return self.signs[self.starts[i] : self.starts[i + 1]]

    def part(self, numbers: Numbers) -> FeasibilityBatch:
        """Some of the questions."""
        sizes = self.sizes[numbers]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(self.starts[numbers] - starts[:-1], sizes) + np.arange(starts[-1])
        return FeasibilityBatch(
            self.rows,
            self.kind,
            starts,
            self.listed[places],
            self.signs[places],
            self.default[numbers],
        )

    def about(self, rows: ScoreRows) -> FeasibilityBatch:
        """The same questions about other rows, such as those in other coordinates."""
        lists = self.starts, self.listed, self.signs, self.default
        return FeasibilityBatch(rows, self.kind, *lists)

    def all_signs(self, i: int) -> NDArray[np.int8]:
        """The sign of each row in question i; for labels + is above the threshold."""
        signs = np.full(self.rows.n, self.default[i], np.int8)
        signs[self.of(i)] = self.listed_signs(i)
        signs[self.rows.n_own :] = 1
        return signs

    def with_conditions(self, i: int, rows: Iterable[int]) -> list[int]:
        """Those of some rows that have a condition in question i, each once."""
        listed = self.of(i)
        if self.kind == "orders":
            none = {listed[0]}
        else:
            signs = self.listed_signs(i).tolist()
            none = {j for j, sign in zip(listed, signs, strict=True) if not sign}
            if not self.default[i]:
                rows = list(rows)
                none |= {j for j in rows if j < self.rows.n_own} - set(listed)
        return [j for j in dict.fromkeys(rows) if j >= 0 and j not in none]

    def conditions(self, i: int, chosen: Iterable[int]) -> list[list[int]]:
        """`exact_conditions` times positive numbers, as primitive integers."""
        return [as_integers(row) for row in self._scaled_conditions(i, list(chosen))]

    def exact_conditions(self, i: int, chosen: Sequence[int]) -> list[list[Fraction]]:
        """Rows in the coordinates (x, t, 1) that must be positive; t and 1 only if needed."""
        numbers = self._rows_of(i, chosen)
        return self._conditions(
            i, chosen, dict(zip(numbers, self.rows.exact_rows(numbers), strict=True))
        )

    def _scaled_conditions(self, i: int, chosen: Sequence[int]) -> list[list[Any]]:
        """The same times one positive number, integers if the rows are floats or integers."""
        numbers = self._rows_of(i, chosen)
        found = self.rows.scaled_rows(numbers)
        if found is None:
            return self.exact_conditions(i, chosen)
        return self._conditions(i, chosen, dict(zip(numbers, found[0], strict=True)), found[1])

    def _rows_of(self, i: int, chosen: Sequence[int]) -> list[int]:
        """The rows of which some conditions are made."""
        high = self.of(i) if self.kind == "orders" else []
        return sorted({j for j in chosen if j != INFINITY}.union(high))

    def _conditions(
        self, i: int, chosen: Sequence[int], rows: Mapping[int, Sequence[Any]], one: Any = _ONE
    ) -> list[list[Any]]:
        """Conditions made of these rows, all times the number `one`."""
        listed, rest, n = self.of(i), int(self.default[i]), self.rows.n_own
        before = dict(zip(listed[1:], listed, strict=False)) if self.kind == "orders" else {}
        own = dict(zip(listed, self.listed_signs(i).tolist(), strict=True))
        found = []
        for j in chosen:
            if j == INFINITY:
                found.append([0 * one] * (self.width - 1) + [one])
            elif j >= n:
                found.append(self._with_threshold(rows[j], 0 * one))
            elif self.kind == "orders":
                high = rows[before.get(j, listed[-1])]
                found.append([a - b for a, b in zip(high, rows[j], strict=True)])
            else:
                sign = own.get(j, rest)
                found.append([sign * entry for entry in self._with_threshold(rows[j], -one)])
        return found

    def _with_threshold(self, row: Sequence[Any], entry: Any) -> list[Any]:
        """A row, with this coefficient of the threshold if there is one."""
        d = self.rows.dimension
        return [*row[:d], *[entry] * (self.kind == "sets"), *row[d:]]

    def weights(self, i: int, support: Sequence[int]) -> list[int]:
        """Coprime positive integers by which the conditions of a circuit sum to zero."""
        rows = self._scaled_conditions(i, support)
        scaled = [as_integers(row) for row in rows]
        found = null_vector(list(zip(*scaled, strict=True)), len(support))
        assert found is not None
        ratios = [
            next((quotient(a, w) for a, w in zip(integers, row, strict=True) if w), _ONE) * y
            for y, integers, row in zip(found, scaled, rows, strict=True)
        ]
        weights = as_integers(ratios)
        return weights if weights[0] > 0 else [-y for y in weights]

    @np.errstate(over="ignore")
    def float_conditions(
        self, rows: Numbers, highs: Numbers, signs: NDArray[np.int8]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Conditions of some questions as floats, and the sizes of what they were rounded from.

        Either may be infinite, where it exceeds all floats.

        Parameters
        ----------
        rows, highs, signs : (m, K) ndarray
            What they are made of, as in `kernels.cone.nearest_points.Asked`.

        Returns
        -------
        conditions, sizes : (m, K, width) ndarray
        """
        infinite, table = rows == INFINITY, self.rows.floats
        found = table[rows]
        sizes = np.abs(found)
        if self.kind == "orders":
            alone = (highs == NOTHING)[:, :, None]
            upper = np.where(alone, 0.0, table[highs])
            sizes += np.abs(upper)
            found = np.where(alone, found, upper - found)
        else:
            found = found * signs[:, :, None]
        found[infinite], sizes[infinite] = 0.0, 0.0
        if self.rows.affine:
            found[infinite, -1] = sizes[infinite, -1] = 1.0
        if self.kind == "sets":
            threshold = np.where(highs == THRESHOLD, -signs.astype(np.float64), 0.0)[:, :, None]
            found = np.concatenate([found, threshold], axis=2)
            sizes = np.concatenate([sizes, abs(threshold)], axis=2)
            found[infinite, -1] = 0.0
        return found, sizes

    def label_weights(self, i: int, support: Sequence[int]) -> dict[int, Fraction]:
        """The same for tops: coefficients of labels, of which the positive ones have sum 1."""
        found = self.sum_conditions(i, support, self.weights(i, support))
        total = sum((y for y in found.values() if y > 0), Fraction(0))
        return {j: quotient(y, total) for j, y in found.items()}

    def sum_conditions(
        self, i: int, support: Sequence[int], weights: Sequence[Any]
    ) -> dict[int, Any]:
        """Coefficients of labels in a sum of conditions."""
        listed = self.of(i)
        before = dict(zip(listed[1:], listed, strict=False))
        found: dict[int, Any] = {}
        for j, y in zip(support, weights, strict=True):
            if j == INFINITY or j >= self.rows.n_own:
                continue
            if self.kind == "orders":
                high = before.get(j, listed[-1])
                found[high] = found.get(high, 0) + y
                found[j] = found.get(j, 0) - y
            else:
                found[j] = y if j in listed else -y
        return {j: y for j, y in found.items() if y}

    def sign_weights(self, i: int, support: Sequence[int]) -> tuple[Fraction, ...]:
        """The same for signs: coprime weights of all rows, 0 outside the circuit."""
        weights: list[Any] = [Fraction(0)] * self.rows.n
        for j, weight in zip(support, self.weights(i, support), strict=True):
            if j != INFINITY:
                weights[j] = weight
        return as_fractions(as_integers(weights), "weights")
