"""Labels inside the convex hull of many others, proved in a few products of matrices.

In thousands of dimensions a circuit has thousands of rows, and the search adds them one by one. A
positive combination of all rows is found much faster.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.feasibility.score_rows import ScoreRows
from arrangements.feasibility.wide_rows import WideRows

Floats = NDArray[np.float64]

# Rows that are combined: entries, or times the number of columns if that is more; and rows that are
# copied at a time.
_ENTRIES, _TIMES, _AT_ONCE = 2**25, 4, 4096
# Projections before a label is left to the search, and labels that are projected side by side.
_STEPS, _TOGETHER = 120, 64
# Weights are kept above this share of their mean; a proof needs a quarter of it.
_LEAST = 0.02
# How far a projection goes beyond the nearest positive weights.
_BEYOND = 1.8
# Norms of columns that are scaled, and smallest singular value of what has columns of norm 1.
_SMALL, _LARGE, _REGULAR = 1e-60, 1e60, 1e-8
# More than what underflows where entries are not smaller; more than the roundings of a few factors.
_UNDERFLOW, _ROUNDED_UP = 1e-200, 1 + 1e-9
_UNIT = 2.0**-53


class InnerLabels:
    """Positive combinations of rows that are labels.

    Parameters
    ----------
    rows : ScoreRows
        Without facets; floats hold all entries exactly.

    Notes
    -----
    Rows V, with a last column of ones and columns scaled by powers of two, and a label t, extended
    in the same way. If ``V.T @ y = t`` for some y > 0, the label has a mean of the rows as its own
    row, so that it cannot be first: the rows are not all the same, since V has full rank. From any
    weights, y - V G^-1 (V.T y - t) with G = V.T V solves the equations, and lies nearest. So to
    project on the solutions and on the positive weights in turn finds positive solutions, if there
    are some (von Neumann; Bauschke and Borwein, SIAM Review 38 (1996) 367-426).

    The proof: Let s^2 be less than all eigenvalues of G, and r = V.T y - t. The solution nearest to
    y is off by at most |r| / s in norm, so positive weights larger than this show that it is
    positive. Cholesky's method applied to ``G - 2 s^2`` proves s (Rump, BIT 46 (2006) 433-452),
    with ``n u / (1 - n u) |V|^2`` for the rounding of G, and for that of r with ``|V| |y|``, in
    Frobenius norms, for n terms in any order.
    """

    def __init__(self, rows: ScoreRows) -> None:
        n, width = rows.n_own, rows.floats.shape[1] + 1
        size = min(n, max(_ENTRIES // width, _TIMES * width))
        self._chosen = np.unique(np.linspace(0, n - 1, size).astype(int))
        self._rows = rows
        self._scales = self._scale()
        self._factor: Floats | None = None
        if self._scales is not None:
            self._prepare()

    @property
    def is_usable(self) -> bool:
        """Whether the rows are far enough from dependent for proofs in floating point."""
        return self._factor is not None

    def _blocks(self) -> Any:
        """Places and rows V, some at a time."""
        for start in range(0, len(self._chosen), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            yield part, self._extended(self._chosen[part])

    def _extended(self, numbers: NDArray[Any]) -> Floats:
        found: Floats = np.ones((len(numbers), self._rows.floats.shape[1] + 1))
        found[:, :-1] = self._rows.floats[numbers]
        if self._scales is not None:
            found[:, :-1] *= self._scales
        return found

    def _scale(self) -> Floats | None:
        """Powers of two with which columns have norms about 1; None if these are extreme."""
        squares, least = np.zeros(self._rows.floats.shape[1] + 1), np.inf
        self._scales = None
        with np.errstate(all="ignore"):
            for _, block in self._blocks():
                squares += np.einsum("ij,ij->j", block, block)
                sizes = np.abs(block)
                least = min(least, float(sizes[sizes > 0].min(initial=np.inf)))
        norms = np.sqrt(squares[:-1] / len(self._chosen))
        if not (norms.min() > _SMALL and norms.max() < _LARGE and least > _UNDERFLOW):
            return None
        return np.asarray(np.ldexp(1.0, -np.frexp(norms)[1]))

    def _prepare(self) -> None:
        """A factor of G, a proved bound of its eigenvalues, and rows in float32 to project with."""
        from scipy.linalg import cho_solve, solve_triangular  # loads slowly

        m, width = len(self._chosen), self._rows.floats.shape[1] + 1
        if m < width + 1:
            return
        G = np.zeros((width, width))
        for _, block in self._blocks():
            G += block.T @ block
        factor = _cholesky(G)
        if factor is None:
            return
        vector = np.ones(width) / sqrt(width)
        for _ in range(20):  # the smallest eigenvalue, about
            vector = cho_solve((factor, True), vector)
            vector /= np.linalg.norm(vector)
        least = float(np.linalg.norm(factor.T @ vector)) ** 2
        gamma = (m + width + 8) * _UNIT * 1.01
        square = float(np.trace(G)) * (1 + 4 * gamma)  # of the Frobenius norm of V
        G.flat[:: width + 1] -= least / 2
        self._least = sqrt(max(0.0, least / 2 - 4 * gamma * square))
        self._norm = sqrt(square) * _ROUNDED_UP
        if _cholesky(G) is None or self._least < _REGULAR * self._norm:
            return
        self._factor = factor
        self._short = np.empty((m, width), np.float32)
        for part, block in self._blocks():
            self._short[part] = solve_triangular(factor, block.T, lower=True).T

    def find(
        self, labels: NDArray[Any], late: Callable[[], bool] = lambda: False
    ) -> NDArray[np.bool_]:
        """Which of some labels certainly are positive combinations of the rows.

        False where that is not proved, and for those that are left when `late` says so.

        Examples
        --------
        >>> corners = np.array([[4.0, 0], [0, 4], [-4, -4], [-1, 2], [0, 0], [3, 3]])
        >>> InnerLabels(ScoreRows(corners, compared=True)).find(np.array([4, 5]))
        array([ True, False])
        """
        found = np.zeros(len(labels), np.bool_)
        if not self.is_usable:
            return found
        for start in range(0, len(labels), _TOGETHER):
            if late():
                break
            part = slice(start, start + _TOGETHER)
            found[part] = self._project(labels[part], late)
        return found

    def _project(self, labels: NDArray[Any], late: Callable[[], bool]) -> NDArray[np.bool_]:
        from scipy.linalg import solve_triangular  # loads slowly

        assert self._factor is not None
        targets = self._extended(labels)
        short = solve_triangular(self._factor, targets.T, lower=True).T.astype(np.float32)
        m, found = len(self._short), np.zeros(len(labels), np.bool_)
        weights, left = np.full((len(labels), m), 1 / m, np.float32), np.arange(len(labels))
        least = np.float32(_LEAST / m)
        for _ in range(_STEPS):
            weights -= (weights @ self._short - short[left]) @ self._short.T
            done = weights.min(axis=1) > least / 2
            if done.any():
                sure = self._prove(targets[left[done]], weights[done].astype(np.float64))
                found[left[done]] = sure
            left, weights = left[~done], weights[~done]
            if not len(left) or late():
                break
            weights += np.float32(_BEYOND) * np.maximum(least - weights, 0)
        return found

    def _prove(self, targets: Floats, weights: Floats) -> NDArray[np.bool_]:
        """Whether weights are near positive solutions, after a correction in float64."""
        from scipy.linalg import cho_solve  # loads slowly

        for last in (False, False, True):
            residuals = -targets
            for part, block in self._blocks():
                residuals += weights[:, part] @ block
            if last:
                break
            steps = cho_solve((self._factor, True), residuals.T).T
            for part, block in self._blocks():
                weights[:, part] -= steps @ block.T
        gamma = (len(self._short) + 8) * _UNIT * 1.01
        sizes = self._norm * np.linalg.norm(weights, axis=1) + np.linalg.norm(targets, axis=1)
        error = np.linalg.norm(residuals, axis=1) + 2 * gamma * sizes
        proved: NDArray[np.bool_] = weights.min(axis=1) > 1.01 * error / self._least + _UNDERFLOW
        return proved


def _cholesky(matrix: Floats) -> Floats | None:
    """The lower factor, or None if the matrix is not positive definite beyond rounding."""
    try:
        factor: Floats = np.asarray(np.linalg.cholesky(matrix), np.float64)
    except np.linalg.LinAlgError:
        return None
    return factor if np.isfinite(factor).all() else None


def holds_exactly(rows: ScoreRows) -> bool:
    """Whether the floats of these rows are their numbers."""
    if isinstance(rows.floats, WideRows):
        return True
    offsets = rows.offsets if rows.affine else None
    return rows.weights.dtype == np.float64 and (offsets is None or offsets.dtype == np.float64)
