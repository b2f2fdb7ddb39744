"""The oriented matroid that has given topes, if there is one.

Take the topes of M that have a neighbor across the parallel class of e, and drop that class: these
are the topes of the contraction M / e, each twice. So contractions need only sorting. Contractions
by flats of rank r - 1 give the cocircuits, which determine the chirotope. The result is checked
against the axioms, and its topes against the given ones, so the input need not be trusted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement
from arrangements.core.signs import sign_text, sign_values
from arrangements.errors import IncompleteError, InputError
from arrangements.oriented_matroids.chirotopes import (
    Signs,
    binomials,
    check_fits,
    check_signs,
    first_nonzero,
    subset_table,
)
from arrangements.oriented_matroids.covectors import iter_levels
from arrangements.oriented_matroids.matroid import parallel_columns
from arrangements.sets import ternary
from arrangements.sets.sign_vectors import SignVectors
from arrangements.sets.ternary import Codes

_NOT_TOPES = "these are not the topes of an oriented matroid: "


class _Contraction(NamedTuple):
    """Topes of the contraction by a flat, with zeros on it, and the flats that cover it."""

    rows: Signs
    codes: Codes  # the rows as words
    covers: dict[int, bytes]  # element outside the flat -> the flat they span together


def signs_from_topes(topes: ArrayLike | SignVectors) -> tuple[int, int, Signs]:
    """Find (n, rank, chirotope) of the oriented matroid with these topes.

    Parameters
    ----------
    topes : SignVectors, or (m, n) array_like of -1, 0, 1
        Zeros are legal only in columns of zeros (loops).

    Raises
    ------
    InputError
        If there is no such oriented matroid; the message says why.
    IncompleteError
        If `topes` was cut short.

    Examples
    --------
    >>> signs_from_topes([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    (2, 2, array([1], dtype=int8))
    """
    from arrangements.kernels.structure.chirotopes import fill_from_cocircuits  # loads numba

    rows = _as_topes(topes)
    n = rows.shape[1]
    levels = _contractions(rows)
    r = len(levels)
    if r == 0:
        return n, 0, np.ones(1, np.int8)
    subsets = subset_table(n, r - 1)
    check_fits(f"cocircuits of rank {r} on {n} elements", len(subsets), 2 * n)
    table = np.zeros((len(subsets), n), np.int8)
    for t, subset in enumerate(subsets.tolist()):
        row = _cocircuit(levels, subset)
        if row is not None:
            table[t] = row
    choose = binomials(n, r)
    signs = np.empty(int(choose[n, r]), np.int8)
    if not table.any() or not fill_from_cocircuits(table, subsets, n, r, choose, signs):
        raise InputError(_NOT_TOPES + "the cocircuits they determine fit no chirotope.")
    check = check_signs(signs, n, r)
    if not check:
        raise InputError(f"{_NOT_TOPES}in the chirotope they determine, {check.reason}.")
    _check_same(rows, signs, n, r)
    return n, r, signs * signs[first_nonzero(signs)]


def _as_topes(topes: ArrayLike | SignVectors) -> Signs:
    """Distinct rows, closed under negation, zeros only in columns of zeros."""
    if isinstance(topes, Arrangement):
        raise InputError("topes is an Arrangement; pass chambers(A), or use from_matrix(A).")
    if isinstance(topes, SignVectors) and not topes.complete:
        raise IncompleteError(
            f"{topes!r} was cut short; all topes are needed: list them without limit."
        )
    given = topes.to_array() if isinstance(topes, SignVectors) else topes
    rows = sign_values(given, "topes")
    if rows.ndim != 2:
        raise InputError(f"topes has shape {rows.shape}; expected (m, n), one tope per row.")
    if not len(rows):
        raise InputError(_NOT_TOPES + "there are none, but an oriented matroid has at least one.")
    zero = rows == 0
    if (zero.any(axis=0) != zero.all(axis=0)).any():
        element = int(np.flatnonzero(zero.any(axis=0) != zero.all(axis=0))[0])
        raise InputError(f"{_NOT_TOPES}element {element} is zero in some but not in all of them.")
    codes = ternary.distinct(ternary.encode(rows))
    if (codes != -codes[::-1]).any():
        known = set(map(tuple, codes.tolist()))
        lonely = next(row for row in codes if tuple((-row).tolist()) not in known)
        raise InputError(
            f"{_NOT_TOPES}{sign_text(ternary.decode(lonely[None], rows.shape[1])[0])} is among "
            "them, its negative is not. (Of an affine arrangement take the chambers of its cone.)"
        )
    return ternary.decode(codes, rows.shape[1])


def _contractions(rows: Signs) -> list[dict[bytes, _Contraction]]:
    """Contractions by the flats of rank 0, 1, .., r - 1, by the zero set as bytes."""
    first = (rows == 0).all(axis=0).tobytes()
    levels = [{first: _Contraction(rows, ternary.encode(rows), {})}]
    while True:
        sizes = {len(node.rows) for node in levels[-1].values()}
        if sizes == {1}:
            return []  # all are loops
        if sizes == {2}:
            return levels
        if 2 in sizes:
            raise InputError(_NOT_TOPES + "contractions that should have equal ranks do not.")
        levels.append(_covers(levels[-1]))


def _covers(level: dict[bytes, _Contraction]) -> dict[bytes, _Contraction]:
    """Contractions by the flats of one rank more."""
    grown: dict[bytes, _Contraction] = {}
    n = next(iter(level.values())).rows.shape[1]
    units = ternary.encode(np.eye(n, dtype=np.int8))
    for key, node in level.items():
        flat = np.frombuffer(key, bool)
        for members in map(list, parallel_columns(node.rows)[0]):
            larger = flat.copy()
            larger[members] = True
            name = larger.tobytes()
            node.covers.update(dict.fromkeys(members, name))
            if name not in grown:
                grown[name] = _contraction(node, members, units)
    return grown


def _contraction(node: _Contraction, members: list[int], units: Codes) -> _Contraction:
    """Contraction by a parallel class."""
    e = members[0]
    factors = node.rows[0, members] * node.rows[0, e]
    unit = (units[members] * factors[:, None]).sum(axis=0)
    codes = node.codes - node.rows[:, [e]] * unit
    order = ternary.sorted_order(codes)
    codes = codes[order]
    twice = np.flatnonzero((codes[1:] == codes[:-1]).all(axis=1))
    if not len(twice):
        raise InputError(
            f"{_NOT_TOPES}no two of those that are left after contraction differ in the "
            f"elements {members} alone."
        )
    rows = node.rows[order[twice]]
    rows[:, members] = 0
    return _Contraction(rows, codes[twice], {})


def _cocircuit(levels: list[dict[bytes, _Contraction]], subset: list[int]) -> Signs | None:
    """The cocircuit that vanishes on r - 1 elements, up to sign; None if they are dependent."""
    node = next(iter(levels[0].values()))
    for level, e in zip(levels[1:], subset, strict=False):
        name = node.covers.get(e)
        if name is None:
            return None
        node = level[name]
    return node.rows[0]


def _check_same(rows: Signs, signs: Signs, n: int, r: int) -> None:
    """Refuse if the topes of the chirotope differ from `rows`."""
    *_, half = iter_levels(signs, n, r)
    wanted = set(map(tuple, ternary.with_negatives(half).tolist()))
    given = set(map(tuple, ternary.encode(rows).tolist()))
    if given == wanted:
        return
    extra = bool(given - wanted)
    odd = min(given - wanted) if extra else min(wanted - given)
    text = sign_text(ternary.decode(np.array([odd], np.int64), n)[0])
    word = "is among them, but not" if extra else "is not among them, but"
    raise InputError(
        f"{_NOT_TOPES}{text} {word} among the topes of the only oriented matroid that fits."
    )
