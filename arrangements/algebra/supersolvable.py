"""Supersolvable arrangements: a chain of modular flats."""

from __future__ import annotations

from arrangements.algebra.subjects import as_central, flat_order
from arrangements.errors import InputError
from arrangements.oriented_matroids.oriented_matroid import MatroidLike, OrientedMatroid
from arrangements.structure.flat_orders import FlatOrder


def modular_chain(W: MatroidLike, *, rank: int | None = None) -> tuple[tuple[int, ...], ...] | None:
    """Maximal chain of modular flats, if the arrangement is supersolvable.

    A flat X is modular if ``r(X) + r(Y) = r(X v Y) + r(X ^ Y)`` for all flats Y, in the lattice of
    flats with the whole space as its least element. The lattice is supersolvable if it has a
    maximal chain of modular flats [1]_.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
        A central arrangement.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    tuple of tuple of int, or None
        Flats of rank 0, 1, .., r, each with all rows that contain it. How many distinct hyperplanes
        each adds to the last are the exponents. None if there is no such chain.

    Raises
    ------
    InputError
        If the arrangement is not central.
    TooLargeError
        If the flats do not fit.

    See Also
    --------
    is_supersolvable : whether there is one.

    Notes
    -----
    Exact. A flat X of rank k - 1 is modular below Y, of rank k, if each flat of rank 2 below Y
    has a hyperplane in common with X [2]_. Lower intervals of supersolvable lattices are
    supersolvable, so any modular flat will do, and nothing is tried again.

    References
    ----------
    .. [1] R. P. Stanley, Supersolvable lattices, Algebra Universalis 2 (1972) 197-217.
    .. [2] A. Björner, P. Edelman, G. Ziegler, Discrete Comput. Geom. 5 (1990) 263-288.

    Examples
    --------
    >>> from arrangements.generators import braid, type_d
    >>> modular_chain(braid(4))
    ((), (0,), (0, 1, 3), (0, 1, 2, 3, 4, 5))
    >>> modular_chain(type_d(4)) is None
    True
    """
    if not isinstance(W, OrientedMatroid):
        W = as_central(W, rank)
    order = flat_order(W, rank=None)
    if order.loops:
        raise InputError(f"{order.loops} elements are loops; pass W.deletion(W.loops).")
    chain = _chain(order)
    if chain is None:
        return None
    words = (order.members[k] for k in chain)
    return tuple(tuple(e for e in range(order.n) if word >> e & 1) for word in words)


def is_supersolvable(W: MatroidLike, *, rank: int | None = None) -> bool:
    """Whether an arrangement is supersolvable: its lattice of flats has a modular maximal chain.

    Parameters
    ----------
    W, rank
        As in `modular_chain`.

    Returns
    -------
    bool

    See Also
    --------
    modular_chain : the proof. is_inductively_free, is_free : what follows from it.

    Examples
    --------
    >>> from arrangements.generators import type_b, type_d
    >>> is_supersolvable(type_b(4)), is_supersolvable(type_d(4))
    (True, False)
    """
    return modular_chain(W, rank=rank) is not None


def _chain(order: FlatOrder) -> list[int] | None:
    """Numbers of the flats of a modular chain, by rank."""
    members = order.members
    lower: dict[int, list[int]] = {}
    for a, b in order.covers.tolist():
        lower.setdefault(b, []).append(a)
    pairs = members[order.level(2)] if order.rank >= 2 else []
    chain = [len(members) - 1]
    for _ in range(order.rank):
        top = members[chain[-1]]
        pairs = [pair for pair in pairs if pair & top == pair]
        below = (k for k in lower[chain[-1]] if all(pair & members[k] for pair in pairs))
        modular = next(below, None) if len(chain) < order.rank else 0
        if modular is None:
            return None
        chain.append(modular)
    return chain[::-1]
