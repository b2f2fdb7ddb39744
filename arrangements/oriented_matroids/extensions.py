"""One-element extensions, mutations, canonical forms, and lists of all oriented matroids.

An extension gives each cocircuit the sign of the new element, such that on every line (the
cocircuits that contain a flat of rank r - 2 in their zero sets, in their circular order) the signs
are all 0, or + on a half circle and - on the other, with a zero between them or not (Las Vergnas
1978; Björner et al., Oriented Matroids, theorem 7.1.8).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.checks import check_flag, check_integer, check_option
from arrangements.errors import InputError
from arrangements.forecast.hours import check_hours
from arrangements.messages import quote
from arrangements.oriented_matroids import chirotopes
from arrangements.oriented_matroids.chirotopes import Signs
from arrangements.oriented_matroids.covectors import distinct_cocircuits
from arrangements.oriented_matroids.isomorphism import canonical_relabelings
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid

# Extensions that are made and brought to a canonical form in a second.
_PER_SECOND = 300


def one_element_extensions(
    M: OrientedMatroid, *, uniform: bool = False
) -> Iterator[OrientedMatroid]:
    """All oriented matroids of the same rank whose last element can be deleted to give M.

    Parameters
    ----------
    M : OrientedMatroid
    uniform : bool
        Only those whose new element is in general position.

    Yields
    ------
    OrientedMatroid
        With element n = M.n. The loop, and elements parallel or antiparallel to others, included.

    Notes
    -----
    Exact: localizations are found line by line, with backtracking [1]_.

    References
    ----------
    .. [1] A. Bjorner, M. Las Vergnas, B. Sturmfels, N. White, G. Ziegler, Oriented Matroids,
       2nd ed., Cambridge 1999, section 7.1.

    Examples
    --------
    >>> M = OrientedMatroid.from_chirotope(3, 2, "+++")        # three lines of the plane
    >>> len(list(one_element_extensions(M))), len(list(one_element_extensions(M, uniform=True)))
    (13, 6)
    """
    _check_matroid(M)
    check_flag("uniform", uniform)
    return _extensions(M, uniform)


def mutations(M: OrientedMatroid) -> list[tuple[int, ...]]:
    """Bases whose sign can be reversed alone: what remains is a chirotope.

    Parameters
    ----------
    M : OrientedMatroid

    Returns
    -------
    list of tuple of int
        Of a uniform oriented matroid these are its simplicial topes, up to sign; in rank 3, the
        triangles of an arrangement of pseudolines, at least n of them.

    Examples
    --------
    >>> mutations(OrientedMatroid.from_chirotope(5, 3, "+" * 10))
    [(0, 1, 2), (0, 1, 4), (0, 3, 4), (1, 2, 3), (2, 3, 4)]
    """
    _check_matroid(M)
    found = []
    signs = M.chirotope.copy()
    for k, basis in enumerate(combinations(range(M.n), M.rank)):
        if signs[k]:
            signs[k] *= -1
            if chirotopes.check_signs(signs, M.n, M.rank):
                found.append(basis)
            signs[k] *= -1
    return found


def canonical_form(M: OrientedMatroid) -> OrientedMatroid:
    """The same oriented matroid for all relabelings and reorientations of M.

    Parameters
    ----------
    M : OrientedMatroid

    Returns
    -------
    OrientedMatroid
        Isomorphic to M; equal for M and N if and only if ``M.is_isomorphic(N)``.

    Notes
    -----
    Exact. Colors of the elements are refined as for `isomorphism`; of all orders that the choices
    left open allow, the one with the least chirotope is taken. So it takes the longer, the larger
    the group of `automorphisms` is.

    Examples
    --------
    >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
    >>> canonical_form(M) == canonical_form(M.relabeling([2, 0, 1]).reorientation([1]))
    True
    """
    _check_matroid(M)
    return OrientedMatroid(M.n, M.rank, np.frombuffer(_key(M, True), np.int8))


def iter_oriented_matroids(
    n: int,
    rank: int,
    *,
    up_to: Literal["reorientation", "matroid"] = "reorientation",
    uniform: bool = False,
) -> Iterator[OrientedMatroid]:
    """All simple oriented matroids with n elements, realizable or not, each class once.

    Simple means without loops and parallel elements: arrangements of n pseudohyperplanes.

    Parameters
    ----------
    n, rank : int
    up_to : {"reorientation", "matroid"}
        One of each class up to relabeling and reorientation; or one for each matroid below, up to
        relabeling.
    uniform : bool
        Only those in general position.

    Yields
    ------
    OrientedMatroid

    Raises
    ------
    InputError
        If the arguments are no sizes.
    TooLargeError
        If more than hours are expected.

    See Also
    --------
    one_element_extensions

    Notes
    -----
    Exact. Extensions of all those with n - 1 elements, in `canonical_form`, each kept once. The
    numbers up to reorientation in rank 3 are 1, 2, 4, 17, 143, 4890 for n = 3, .., 8, and 1, 1, 1,
    4, 11, 135 uniform ones [1]_.

    References
    ----------
    .. [1] L. Finschi, K. Fukuda, Generation of oriented matroids: a graph theoretical approach,
       Discrete Comput. Geom. 27 (2002) 117-136.

    Examples
    --------
    >>> len(list(iter_oriented_matroids(4, 3)))
    2
    """
    n = check_integer("n", n, 0)
    rank = check_integer("rank", rank, 0, n, of="n")
    check_option("up_to", up_to, ("reorientation", "matroid"))
    check_flag("uniform", uniform)
    return _all(n, rank, up_to, uniform)


def _all(n: int, rank: int, up_to: str, uniform: bool) -> Iterator[OrientedMatroid]:
    if rank < 2:  # one element at most, or loops
        if n == rank:
            yield OrientedMatroid(n, rank, np.ones(1, np.int8))
        return
    level = [OrientedMatroid(rank, rank, np.ones(1, np.int8))]
    _check_hours(1, n - 1, rank)
    for size in range(rank, n):
        _check_hours(len(level), size, rank)
        level = list(_distinct(level, uniform))
    if up_to == "reorientation":
        yield from level
        return
    seen = set()
    for M in level:
        key = _key(M, False)
        if key not in seen:
            seen.add(key)
            yield M


def _check_hours(number: int, n: int, rank: int) -> None:
    """Refuse to extend so many oriented matroids, if this is expected to take too long."""
    # measured in rank 3 and 4, up to 8 elements: it grows about like this
    extensions = 3 ** min(40, comb(n, rank - 1) // 2) / 100
    what = f"extending {number} oriented matroids of {n} elements"
    check_hours(what, number * extensions, _PER_SECOND)


def _distinct(level: list[OrientedMatroid], uniform: bool) -> Iterator[OrientedMatroid]:
    """Simple extensions in canonical form, each once."""
    seen = set()
    for M in level:
        known = set()
        for N in _extensions(M, uniform, simple=True):
            signs = N.chirotope * N.chirotope[chirotopes.first_nonzero(N.chirotope)]
            if signs.tobytes() in known:
                continue
            known.add(signs.tobytes())
            key = _key(N, True)
            if key not in seen:
                seen.add(key)
                yield OrientedMatroid(N.n, N.rank, np.frombuffer(key, np.int8))


def _key(M: OrientedMatroid, oriented: bool) -> bytes:
    """The least chirotope of all relabelings (and reorientations) that colors leave open."""
    best: bytes | None = None
    for order, factors in canonical_relabelings(M, oriented):
        signs = chirotopes.minor_signs(M.chirotope, M.n, M.rank, order, factors)
        signs = signs * signs[chirotopes.first_nonzero(signs)] if oriented else np.abs(signs)
        key = signs.tobytes()
        if best is None or key < best:
            best = key
    assert best is not None
    return best


def _check_matroid(M: OrientedMatroid) -> None:
    if not isinstance(M, OrientedMatroid):
        raise InputError(f"M is {quote(M)}; expected an OrientedMatroid, as A.oriented_matroid().")


# ------------------------------------------------------------------ localizations


class _Line(NamedTuple):
    """Cocircuits on a line, and which signs a new element may give them.

    cocircuits : (k,) int64, one of each pair
    patterns : (1 + 4 k, k) int8
    """

    cocircuits: NDArray[np.int64]
    patterns: Signs


def _extensions(
    M: OrientedMatroid, uniform: bool, simple: bool = False
) -> Iterator[OrientedMatroid]:
    n, r = M.n, M.rank
    half = distinct_cocircuits(M.chirotope, n, r)
    table = chirotopes.cocircuit_table(M.chirotope, n, r) if r else np.zeros((0, n), np.int8)
    place = {bytes(row): k for k, row in enumerate(half)}
    which, factors = np.zeros(len(table), np.int64), np.zeros(len(table), np.int8)
    for t in np.flatnonzero(table.any(axis=1)).tolist():
        factors[t] = table[t][chirotopes.first_nonzero(table[t])]
        which[t] = place[bytes(table[t] * factors[t])]
    # signs that some element has already, or its opposite, or a loop
    old = {bytes(s * column) for column in half.T for s in (1, -1)} | {bytes(len(half))}
    last = np.array([subset[-1:] == (n,) for subset in combinations(range(n + 1), r)], bool)
    for signs in _localizations(half, uniform):
        if simple and bytes(signs) in old:
            continue
        found = np.empty(len(last), np.int8)
        found[~last] = M.chirotope
        if r:
            found[last] = factors * signs[which]
        yield OrientedMatroid(n + 1, r, found)


def _localizations(half: Signs, uniform: bool) -> Iterator[Signs]:
    """The signs of one of each pair of cocircuits, for all new elements."""
    lines = _lines(half)
    if uniform:
        lines = [_Line(c, patterns[patterns.all(axis=1)]) for c, patterns in lines]
    if not lines:  # rank 0 or 1
        for sign in ((1, -1) if uniform else (0, 1, -1)) if len(half) else (0,):
            yield np.full(len(half), sign, np.int8)
        return

    def assign(k: int, signs: Signs, known: NDArray[np.bool_]) -> Iterator[Signs]:
        if k == len(lines):
            yield signs
            return
        cocircuits, patterns = lines[k]
        fixed = known[cocircuits]
        fits = (patterns[:, fixed] == signs[cocircuits[fixed]]).all(axis=1)
        now = known.copy()
        now[cocircuits] = True
        for pattern in patterns[fits]:
            further = signs.copy()
            further[cocircuits] = pattern
            yield from assign(k + 1, further, now)

    yield from assign(0, np.zeros(len(half), np.int8), np.zeros(len(half), bool))


def _lines(half: Signs) -> list[_Line]:
    """The lines, each next one with as many cocircuits of earlier ones as possible."""
    masks = [sum(1 << e for e in np.flatnonzero(row == 0).tolist()) for row in half]
    meets = {a & b for a, b in combinations(masks, 2)}
    flats = [f for f in meets if not any(f != g and f & g == f for g in meets)]
    left = [
        _line(half, [k for k, mask in enumerate(masks) if mask & flat == flat]) for flat in flats
    ]
    ordered: list[_Line] = []
    known: set[int] = set()
    while left:
        line = max(left, key=lambda line: len(known.intersection(line.cocircuits.tolist())))
        left = [other for other in left if other is not line]
        ordered.append(line)
        known.update(line.cocircuits.tolist())
    return ordered


def _line(half: Signs, numbers: list[int]) -> _Line:
    """Cocircuits in their circular order, as far as the opposite of the first one."""
    first = half[numbers[0]]
    turn = int(np.flatnonzero((first == 0) & half[numbers].any(axis=0))[0])
    others = [(k, int(half[k][turn])) for k in numbers[1:]]
    # on the way, each element changes its sign once
    others.sort(key=lambda pair: int(np.abs(pair[1] * half[pair[0]] - first).sum()))
    order = [(numbers[0], 1), *others]
    k = len(order)
    rows: list[list[int]] = [[0] * k]
    for s in (1, -1):
        rows += ([s] * j + [-s] * (k - j) for j in range(k))
        rows += ([s] * j + [0] + [-s] * (k - j - 1) for j in range(k))
    turned = np.array([sign for _, sign in order], np.int8)
    return _Line(np.array([c for c, _ in order]), np.array(rows, np.int8) * turned)
