"""Oriented matroids from their cocircuits or covectors, with the axioms checked.

Cocircuits determine a chirotope, whose axioms are checked, and whose cocircuits are compared with
the given ones. Only if this fails is an instance of a violated axiom looked for among the given
sign vectors; there must be one. Circuits and vectors are cocircuits and covectors of the dual.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.signs import sign_rows, sign_text
from arrangements.errors import InputError
from arrangements.oriented_matroids import chirotopes
from arrangements.oriented_matroids.chirotopes import Signs
from arrangements.oriented_matroids.covectors import (
    chirotope_of_cocircuits,
    distinct_cocircuits,
    iter_levels,
)
from arrangements.sets import ternary


def signs_from_cocircuits(cocircuits: Any, name: str) -> tuple[int, int, Signs]:
    """Find (n, rank, chirotope) of the oriented matroid with these cocircuits.

    Parameters
    ----------
    cocircuits : (m, n) array_like of -1, 0, 1, or sequence of str
    name : {"cocircuits", "circuits"}
        Of circuits, which are the cocircuits of the dual, its dual is returned.

    Raises
    ------
    InputError
        If an axiom is violated; the message names the instance.

    Examples
    --------
    >>> signs_from_cocircuits(["+0", "-0", "0+", "0-"], "cocircuits")
    (2, 2, array([1], dtype=int8))
    """
    rows = _as_rows(cocircuits, name)
    found = _chirotope(rows)
    if found is None:
        raise _violation(_cocircuit_violations(rows, name[:-1]), name)
    return _with_first_plus(*found, dual=name == "circuits")


def signs_from_covectors(covectors: Any, name: str) -> tuple[int, int, Signs]:
    """Find (n, rank, chirotope) of the oriented matroid with these covectors, or vectors.

    Examples
    --------
    >>> signs_from_covectors(["0", "+", "-"], "covectors")
    (1, 1, array([1], dtype=int8))
    """
    rows = _as_rows(covectors, name)
    found = _chirotope(_minimal(rows))
    if found is not None:
        n, r, signs = found
        zero, *levels = iter_levels(signs, n, r)
        half = np.concatenate([zero[:0], *levels])
        wanted = ternary.distinct(np.concatenate([zero, half, -half]))
        if np.array_equal(wanted, ternary.encode(rows)):
            return _with_first_plus(*found, dual=name == "vectors")
    raise _violation(_covector_violations(rows, name[:-1]), name)


def _chirotope(cocircuits: Signs) -> tuple[int, int, Signs] | None:
    """The chirotope whose cocircuits these are, if there is one."""
    n = cocircuits.shape[1]
    if not len(cocircuits):
        return n, 0, np.ones(1, np.int8)
    if not cocircuits.any(axis=1).all():
        return None
    first = cocircuits[np.arange(len(cocircuits)), (cocircuits != 0).argmax(axis=1)]
    half, r = cocircuits[first > 0], _rank(cocircuits == 0)
    signs = chirotope_of_cocircuits(half, r)
    if signs is None or not chirotopes.check_signs(signs, n, r):
        return None
    # rows are closed under negation if both halves are the same
    wanted = distinct_cocircuits(signs, n, r)
    same = np.array_equal(half, wanted) and np.array_equal(-cocircuits[first < 0][::-1], wanted)
    return (n, r, signs) if same else None


def _with_first_plus(n: int, r: int, signs: Signs, *, dual: bool) -> tuple[int, int, Signs]:
    """The oriented matroid, or its dual, with + at the first basis."""
    if dual:
        r, signs = n - r, chirotopes.dual_signs(signs, n, r)
    return n, r, signs * signs[chirotopes.first_nonzero(signs)]


def _rank(hyperplanes: NDArray[np.bool_]) -> int:
    """Rank of a matroid with these hyperplanes: elements are added, and closed, one by one."""
    rank, through = 0, np.ones(len(hyperplanes), bool)
    while through.any():
        flat = hyperplanes[through].all(axis=0)
        through &= hyperplanes[:, int((~flat).argmax())]
        rank += 1
    return rank


def _as_rows(rows: Any, name: str) -> Signs:
    """Distinct rows in lexicographic order."""
    array = sign_rows(rows, name)
    if array.ndim != 2:
        raise InputError(
            f"{name} has shape {array.shape}; expected (m, n), one sign vector per row, or texts "
            "such as '+0-'. Of n elements without any, pass np.zeros((0, n))."
        )
    chirotopes.check_fits(name, len(array), 4 * array.shape[1] + 64)
    if not array.shape[1]:
        return array[:1]
    return ternary.decode(ternary.distinct(ternary.encode(array)), array.shape[1])


def _minimal(rows: Signs) -> Signs:
    """Rows of minimal support among those that are not zero."""
    rows = rows[rows.any(axis=1)]
    support = rows != 0
    sizes = support.sum(axis=1)
    kept = np.ones(len(rows), bool)
    for i in np.argsort(sizes, kind="stable").tolist():
        if kept[i]:
            kept &= (sizes <= sizes[i]) | ~support[:, support[i]].all(axis=1)
    return rows[kept]


def _violation(found: Iterator[str], name: str) -> InputError:
    first = next(found, None)
    assert first is not None, "the axioms hold, so there is a chirotope"
    return InputError(f"{name} are not those of an oriented matroid: {first}.")


def _lonely(rows: Signs) -> Iterator[str]:
    known = set(map(bytes, rows))
    for row in rows:
        if bytes(-row) not in known:
            yield f"{sign_text(row)} is among them, its negative is not"


def _cocircuit_violations(rows: Signs, noun: str) -> Iterator[str]:
    """Instances of violated axioms of (co)circuits, in words."""
    if not rows.any(axis=1).all():
        yield f"0 is among them, and is no {noun}"
    yield from _lonely(rows)
    support = rows != 0
    for X, own in zip(rows, support, strict=True):
        wider = support[:, own].all(axis=1) & ~((rows == X).all(axis=1) | (rows == -X).all(axis=1))
        for Y in rows[wider]:
            yield f"the support of {sign_text(X)} is contained in that of {sign_text(Y)}"
    for i, X in enumerate(rows):
        for Y in rows[i + 1 :]:
            if (X == -Y).all():
                continue
            plus, minus = (X > 0) | (Y > 0), (X < 0) | (Y < 0)
            for e in np.flatnonzero(X * Y < 0).tolist():
                zero = np.arange(len(X)) == e
                outside = (rows > 0) & (~plus | zero) | (rows < 0) & (~minus | zero)
                if outside.any(axis=1).all():
                    yield (
                        f"elimination of element {e} from {sign_text(X)} and {sign_text(Y)} fails: "
                        f"no {noun} is 0 there, + only where one of them is, and - only where one "
                        "of them is"
                    )


def _covector_violations(rows: Signs, noun: str) -> Iterator[str]:
    """Instances of violated axioms of (co)vectors, in words."""
    if rows.any(axis=1).all():
        yield f"0 is not among them, and is a {noun} of every oriented matroid"
    yield from _lonely(rows)
    known = set(map(bytes, rows))
    for X in rows:
        for Y in rows:
            both = np.where(X == 0, Y, X)
            if bytes(both) not in known:
                yield (
                    f"{sign_text(X)} and {sign_text(Y)} are among them, their composition "
                    f"{sign_text(both)} is not"
                )
    for i, X in enumerate(rows):
        for Y in rows[i + 1 :]:
            apart = X * Y < 0
            agree = (rows == np.where(X == 0, Y, X))[:, ~apart].all(axis=1)
            for e in np.flatnonzero(apart).tolist():
                if not (agree & (rows[:, e] == 0)).any():
                    yield (
                        f"elimination of element {e} from {sign_text(X)} and {sign_text(Y)} fails: "
                        f"no {noun} is 0 there and agrees with their composition where they are "
                        "not opposite"
                    )
