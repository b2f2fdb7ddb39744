"""Multiarrangements: hyperplanes with multiplicities, as a restriction has them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.algebra.subjects import as_central, classes_of, subject_of
from arrangements.checks import as_list, check_integer
from arrangements.core.arrangement import Arrangement, ArrangementLike, MatroidLike
from arrangements.core.questions import number_of_rows
from arrangements.core.row_choice import RowAddresses, parse_rows
from arrangements.errors import InputError
from arrangements.messages import quote
from arrangements.structure.derived import restriction
from arrangements.structure.intersections import flats


@public_class
class Multiarrangement(NamedTuple):
    """Distinct hyperplanes with multiplicities; `ziegler_restriction` returns one.

    `freeness`, `is_free` and `log_canonical_threshold` take it in place of W.

    Attributes
    ----------
    arrangement : Arrangement
    multiplicities : tuple of int
        One for each row.
    whole : Arrangement or None
        The arrangement of which this is Ziegler's restriction, if it is known.

    Examples
    --------
    >>> from arrangements.generators import braid
    >>> Z = ziegler_restriction(braid(4), 0)
    >>> Z.arrangement, Z.multiplicities
    (Arrangement(3 hyperplanes in dimension 3, central), (2, 2, 1))
    """

    arrangement: Arrangement
    multiplicities: tuple[int, ...]
    whole: Arrangement | None = None


def ziegler_restriction(
    W: ArrangementLike, row: RowAddresses, *, rank: int | None = None
) -> Multiarrangement:
    """Ziegler's restriction: traces on a hyperplane, each as often as hyperplanes leave it.

    If the arrangement is free, so is this multiarrangement, with the same exponents but one 1 [1]_.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
        A central arrangement. Of rows that coincide the first counts.
    row : int, str or Hyperplane
        Row, label or equation of the hyperplane.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    Multiarrangement
        In dimension d - 1, in the coordinates of ``restriction(W, row)``.

    Raises
    ------
    InputError
        If the arrangement is not central, or the row is no hyperplane.

    See Also
    --------
    freeness : also of a multiarrangement.

    References
    ----------
    .. [1] G. M. Ziegler, Multiarrangements of hyperplanes and their freeness, Contemp. Math. 90
       (1989) 345-359.

    Examples
    --------
    >>> from arrangements.algebra import freeness
    >>> from arrangements.generators import coxeter
    >>> Z = ziegler_restriction(coxeter("D4"), 0)
    >>> Z.multiplicities, freeness(Z).exponents
    ((2, 1, 1, 2, 2, 2, 1), (3, 3, 5))
    """
    A = as_central(W, rank)
    lead = [group[0] for group in A.parallel_classes]
    place = {i: k for k, group in enumerate(A.parallel_classes) for i in group}
    chosen = {place.get(i, -1) for i in parse_rows(A, row, "row")}
    if len(chosen) != 1 or -1 in chosen:
        raise InputError(f"row is {quote(row)}; expected one hyperplane.")
    traces = restriction(A[lead], chosen.pop()).arrangement
    groups = traces.parallel_classes
    return Multiarrangement(traces[[group[0] for group in groups]], tuple(map(len, groups)), A)


def log_canonical_threshold(
    W: MatroidLike | Multiarrangement,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    multiplicities: ArrayLike | None = None,
) -> Fraction:
    """Log canonical threshold of the product of the linear forms.

    The least codimension of a flat, divided by the number of hyperplanes that contain it [1]_.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement, Multiarrangement \
or OrientedMatroid
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.
    multiplicities : (n,) array_like of int, optional
        Of a multiarrangement [2]_, as in `freeness`.

    Returns
    -------
    Fraction
        Above 0 and at most 1.

    Raises
    ------
    InputError
        If there is no hyperplane.
    TooLargeError
        If the flats do not fit.

    Notes
    -----
    Exact; all flats are listed.

    References
    ----------
    .. [1] M. Mustata, Trans. Amer. Math. Soc. 358 (2006) 5015-5023.
    .. [2] Z. Teitler, Proc. Amer. Math. Soc. 136 (2008) 1575-1579.

    Examples
    --------
    >>> from arrangements.generators import braid
    >>> log_canonical_threshold(braid(5))
    Fraction(2, 5)
    >>> log_canonical_threshold([[1, 0], [0, 1]], multiplicities=[2, 3])
    Fraction(1, 3)
    """
    subject, multiplicities = split_multiarrangement(W, multiplicities)
    A = subject_of(subject, offsets, rank)
    classes = classes_of(A)
    if not classes:
        raise InputError("there is no hyperplane, so the product of the forms is constant.")
    weights = np.zeros(number_of_rows(A), object)
    weights[[group[0] for group in classes]] = 1
    if multiplicities is not None:
        weights[:] = row_multiplicities(len(weights), multiplicities)
    found = flats(A)
    totals: NDArray[np.object_] = found.to_array()[1:].astype(object) @ weights
    ranks = found.ranks[1:].tolist()
    return min(Fraction(k, int(total)) for k, total in zip(ranks, totals, strict=True))


def split_multiarrangement(
    W: Any, multiplicities: ArrayLike | None
) -> tuple[Any, ArrayLike | None]:
    """The arrangement and the multiplicities, which may be given as one.

    Examples
    --------
    >>> split_multiarrangement([[1]], [2])
    ([[1]], [2])
    """
    if not isinstance(W, Multiarrangement):
        return W, multiplicities
    if multiplicities is not None:
        raise InputError("W is a Multiarrangement and has multiplicities; leave the others out.")
    return W.arrangement, W.multiplicities


def row_multiplicities(n: int, multiplicities: Any) -> list[int]:
    """A positive integer for each of n rows, checked.

    Examples
    --------
    >>> row_multiplicities(2, (2, 3))
    [2, 3]
    """
    numbers = as_list("multiplicities", multiplicities, "a positive integer for each row")
    if len(numbers) != n:
        raise InputError(
            f"multiplicities has {len(numbers)} entries; expected {n}, one for each row."
        )
    return [check_integer(f"multiplicities[{i}]", m, 1) for i, m in enumerate(numbers)]
