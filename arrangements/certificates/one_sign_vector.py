"""The question whether one sign vector occurs."""

from __future__ import annotations

from numpy.typing import ArrayLike

from arrangements.certificates.certificate import Certificate
from arrangements.core.arrangement import ArrangementLike
from arrangements.core.questions import as_arrangement
from arrangements.core.signs import SomeSigns
from arrangements.feasibility.one_sign_vector import parse_signs, solve


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
    >>> from arrangements import Arrangement
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
    point, weights = solve(arrangement, entries)
    return Certificate(arrangement, entries, point is not None, point=point, weights=weights)
