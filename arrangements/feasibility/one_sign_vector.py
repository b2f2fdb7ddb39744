"""Does one sign vector occur? By cone tests of few rows, or by a search among many."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.questions import as_arrangement
from arrangements.core.signs import SomeSigns
from arrangements.exact.numbers import nearest_float
from arrangements.feasibility.batch import FeasibilityBatch
from arrangements.feasibility.certificates import Certificate, decide_by_cone_tests, parse_signs
from arrangements.feasibility.deciding import decide
from arrangements.feasibility.interior import Point
from arrangements.feasibility.judging import judge
from arrangements.feasibility.score_rows import ScoreRows

# Below this product of rows and the square of rank + 8, cone tests are faster; preparations take
# most of the time of the others.
_FEW = 100_000
# Bits after the binary point that are tried for a point.
_SHORT = (0, 1, 2, 4, 8, 16, 32)


def feasible(
    W: ArrangementLike,
    signs: SomeSigns,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
) -> Certificate:
    """Decide whether some x has the given signs of ``W @ x + offsets``, with an exact proof.

    Parameters
    ----------
    W : (n, d) array_like of int, float or Fraction, or Arrangement
        A float counts as the exact dyadic number it is.
    signs : (n,) sequence of -1, 1 and None, or str of "-", "+" and "*", or mapping
        None means either sign, and so do "*", also in a string, and a masked entry of a NumPy
        array. A mapping gives the signs of some rows or labels; all others may have either sign. 0
        is refused: in all other functions it means "on the hyperplane". A row of zeros with offset
        zero has neither sign; it does no harm where its sign is left open.
    offsets : (n,) array_like, optional
        Default zeros.
    rank : int, optional
        As in `chambers`: an integer asks about the matrix of that rank that W was meant to be;
        the proof is in the coordinates of its factor, ``certificate.arrangement.normals``.

    Returns
    -------
    Certificate
        True in a boolean context iff the sign vector occurs. It holds an exact interior point or
        exact Farkas weights on a circuit, and ``verify()`` checks them.

    Raises
    ------
    InputError
        If `signs` has the wrong length or other entries, such as 0.

    Warns
    -----
    LowRankWarning
        If W looks like a product of low rank stored in floats.

    See Also
    --------
    feasible_many : many sign vectors of one matrix.

    Notes
    -----
    Exact. Few rows take at most d + 2 cone tests (see ``kernels.cone.cone_test``), each a few
    pivots of O(n d). Many are asked about as `feasible_many` does it: a search among few of them
    proposes points and circuits, and an error bound, or exact arithmetic, proves these.

    Examples
    --------
    >>> triangle = [[1, 0], [0, 1], [-1, -1]]
    >>> feasible(triangle, "+++", offsets=[0, 0, 3])
    Certificate('+++', feasible, point (1, 1))
    >>> feasible(triangle, "+++").weights
    (Fraction(1, 1), Fraction(1, 1), Fraction(1, 1))
    >>> feasible(triangle, [1, 1, None])
    Certificate('++*', feasible, point (1, 1))
    >>> feasible(Arrangement([[1], [3]], [0, -3], labels=["cat", "dog"]), {"cat": -1, "dog": 1})
    Certificate('-+', infeasible, rows 'cat', 'dog' with weights 3, 1)
    """
    arrangement = as_arrangement(W, offsets, rank, zero_rows=True)
    entries = parse_signs(signs, arrangement)
    number = len(entries) - entries.count(None)
    if number * (min(number, arrangement.dimension) + 8) ** 2 < _FEW:
        return decide_by_cone_tests(arrangement, entries)
    return _search(arrangement, entries)


def _search(arrangement: Arrangement, entries: tuple[int | None, ...]) -> Certificate:
    """Decide one question about many rows."""
    signs = np.array([sign or 0 for sign in entries], np.int8)
    used = np.flatnonzero(signs)
    if len(used) == len(signs):
        rows = ScoreRows.of(arrangement)
    else:  # the others do not matter
        b = arrangement.offsets
        rows = ScoreRows(arrangement.normals[used], None if b is None else b[used])
    questions = FeasibilityBatch.of_signs(rows, signs[used][None])
    found = decide(questions)[0]
    assert isinstance(found, Certificate)
    if found.point is not None:
        return Certificate(arrangement, entries, True, point=_shortened(questions, found.point))
    weights = [Fraction(0)] * len(entries)
    for i, weight in zip(used.tolist(), found.weights or (), strict=True):
        weights[i] = weight
    return Certificate(arrangement, entries, False, weights=tuple(weights))


def _shortened(questions: FeasibilityBatch, point: Point) -> Point:
    """The point with as few binary digits as suffice for a proof: they are easier to read."""
    floats = np.array([nearest_float(x) for x in point])
    if not np.isfinite(floats).all():
        return point
    with np.errstate(all="ignore"):
        if not questions.rows.affine:  # any multiple will do
            floats /= 2.0 ** (np.frexp(np.abs(floats).max(initial=0.0))[1] - 1)
        tried = np.array([np.round(floats * 2.0**bits) / 2.0**bits for bits in _SHORT])
    tried = tried[np.isfinite(tried).all(axis=1)]
    proved, _ = judge(questions, np.zeros(len(tried), np.int64), tried)
    return tuple(map(Fraction, tried[proved.argmax()].tolist())) if proved.any() else point
