"""Chirotopes: signs of the r-subsets of n elements, from matrices, and the axioms they obey."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, combinations
from math import comb, prod
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.checks import check_integer
from arrangements.core.signs import as_signs, sign_values
from arrangements.errors import InputError, TooLargeError
from arrangements.exact import linear
from arrangements.execution import limits
from arrangements.execution.interrupts import answering_ctrl_c
from arrangements.messages import quote

Signs = NDArray[np.int8]
Subset = tuple[int, ...]

_LARGEST_INT64 = 2**63 - 1
# Unit roundoff of float64.
_U = 2.0**-53


@lru_cache(maxsize=32)
def binomials(n: int, r: int) -> NDArray[np.int64]:
    """Binomial coefficients "a choose b", a <= n and b <= r + 1; those that do not fit are capped.

    Examples
    --------
    >>> binomials(4, 1).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 2, 1], [1, 3, 3], [1, 4, 6]]
    """
    rows = [[min(comb(a, b), _LARGEST_INT64) for b in range(r + 2)] for a in range(n + 1)]
    return np.array(rows, np.int64)


def check_fits(what: str, rows: int, row_bytes: int) -> None:
    """Refuse a table of this many rows if it does not fit into the memory allowed.

    Raises
    ------
    TooLargeError
        The message names the size, and functions that need no such table.
    """
    rows = min(rows, 10**290)  # what is shown as a float
    needed, allowed = rows * row_bytes, limits.available_bytes()
    if needed > allowed:
        raise TooLargeError(
            f"{what}: {rows:.3g} rows of {row_bytes} bytes, {needed / 2**30:.3g} GiB, are more "
            f"than the {allowed / 2**30:.3g} GiB allowed. chambers(W) and count_chambers(W) need "
            "no such table, and a deletion or contraction of the oriented matroid is smaller."
        )


# ------------------------------------------------------------------ from a matrix


def matrix_signs(rows: list[list[int]], dimension: int) -> tuple[int, Signs]:
    """Rank and chirotope of the rows of an integer matrix; zero rows are loops.

    Parameters
    ----------
    rows : list of list of int
        Each with `dimension` entries.

    Returns
    -------
    rank : int
    signs : (C(n, rank),) ndarray of int8
        Signs of the maximal minors if the rank is `dimension`; otherwise those of a choice of
        independent columns, negated if necessary so that the first non-zero sign is +.

    Notes
    -----
    Minors grow column by column (Laplace): in int64 if the row sums of absolute values prove that
    nothing overflows, else in float64 with an error bound; signs that the bound leaves undecided
    are computed modulo primes. Above rank n / 2, the minors of a dual matrix are used.

    Examples
    --------
    >>> matrix_signs([[1, 0], [0, 1], [1, 1]], 2)
    (2, array([ 1,  1, -1], dtype=int8))
    """
    n = len(rows)
    rank = linear.rank(rows)
    check_fits(f"a chirotope of rank {rank} on {n} elements", comb(n, rank), 1)
    if rank == 0:
        return 0, np.ones(1, np.int8)
    if 2 * rank <= n:
        signs = _minor_signs(rows)
    else:
        transposed = [list(column) for column in zip(*rows, strict=True)]
        dependencies = linear.nullspace(transposed, n)
        signs = np.ones(1, np.int8)
        if dependencies:
            signs = _minor_signs([list(column) for column in zip(*dependencies, strict=True)])
        signs = dual_signs(signs, n, n - rank)
    first = first_nonzero(signs)
    wanted = 1
    if rank == dimension:
        basis = subset_at(n, rank, first)
        wanted = linear.determinant_sign([rows[i] for i in basis])
    return rank, signs if signs[first] == wanted else -signs


def _minor_signs(rows: list[list[int]]) -> Signs:
    """Signs of the minors of maximal order in independent columns, up to one sign for all."""
    from arrangements.feasibility.cone_system import HomogeneousRows  # loads numba
    from arrangements.kernels.structure import chirotopes as kernels  # loads numba

    loops = np.array([not any(row) for row in rows])
    stand_in = next(row for row in rows if any(row))
    system = HomogeneousRows([row if any(row) else stand_in for row in rows])
    n, r = len(rows), system.dimension
    check_fits(f"minors of order {r - 1} of {n} rows", comb(n, r - 1), 16)
    choose = binomials(n, r)
    sums = [sum(map(abs, row)) for row in system.integers]
    whole = system.field is None and _bound(sums, r) <= _LARGEST_INT64
    columns: NDArray[Any]
    if whole:
        columns = np.array(system.integers, np.int64).T
        bound: Any = np.int64(0)
        small = 0
    else:
        columns = system.floats
        # each of the r! products of r entries: r entries rounded, at most r + 1 products and
        # r (r + 1) / 2 sums; underflow is far below, since entries are at most 2
        roundings = r * (r + 7) / 2 + 1
        sizes = np.abs(columns).sum(axis=0).tolist()
        bound, small = np.float64(1.1 * roundings * _U * _bound(sizes, r)), kernels.UNDECIDED
    minors = np.ones(1, columns.dtype)
    for k in range(1, r):
        lower, minors = minors, np.empty(comb(n, k), columns.dtype)
        column = np.ascontiguousarray(columns[k - 1])
        call = partial(kernels.fill_minors, column, lower, k, n, choose, minors)
        answering_ctrl_c(call, 10.0 * k * len(minors))
    signs = np.empty(comb(n, r), np.int8)
    last = np.ascontiguousarray(columns[r - 1])
    call = partial(kernels.fill_minor_signs, last, minors, r, n, choose, bound, small, signs)
    answering_ctrl_c(call, 10.0 * r * len(signs))
    if not whole and (undecided := np.count_nonzero(signs == kernels.UNDECIDED)):
        table = system.table
        call = partial(kernels.decide_minor_signs, table.residues, table.fields, r, n, signs)
        answering_ctrl_c(call, 5.0 * (len(signs) + undecided * len(table.fields) * r**3))
    if loops.any():
        signs = minor_signs(signs, n, r, range(n), np.where(loops, 0, 1).astype(np.int8))
    return signs


def first_nonzero(signs: Signs) -> int:
    """Place of the first non-zero sign, which must exist.

    Examples
    --------
    >>> first_nonzero(np.array([0, -1, 1], np.int8))
    1
    """
    return int((signs != 0).argmax())


def _bound(sums: list[Any], r: int) -> Any:
    """Product of the r largest, a bound for all sums of products in a minor of r rows."""
    return prod(sorted(sums)[-r:])


# ------------------------------------------------------------------ subsets


def subset_at(n: int, r: int, place: int) -> Subset:
    """The r-subset of range(n) at a place in lexicographic order.

    Examples
    --------
    >>> subset_at(4, 2, 3)
    (1, 2)
    """
    chosen: list[int] = []
    for e in range(n):
        if len(chosen) == r:
            break
        with_e = comb(n - 1 - e, r - 1 - len(chosen))
        if place < with_e:
            chosen.append(e)
        else:
            place -= with_e
    return tuple(chosen)


def subset_table(n: int, r: int) -> NDArray[np.int64]:
    """All r-subsets of range(n), (C(n, r), r).

    Examples
    --------
    >>> subset_table(3, 2).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    members = chain.from_iterable(combinations(range(n), r))
    return np.fromiter(members, np.int64, comb(n, r) * r).reshape(comb(n, r), r)


# ------------------------------------------------------------------ new from old


def dual_signs(signs: Signs, n: int, r: int) -> Signs:
    """Chirotope of the dual: at a complement, the sign of the permutation (S, complement of S).

    Examples
    --------
    >>> dual_signs(np.array([1, 1, -1], np.int8), 3, 2)
    array([-1, -1,  1], dtype=int8)
    """
    # the complements of subsets in lexicographic order come in reverse order
    return np.ascontiguousarray((signs * _shuffle_signs(n, r))[::-1])


def _shuffle_signs(n: int, r: int) -> Signs:
    """Signs of the permutations (S, complement of S) for the r-subsets S of range(n)."""
    signs = np.ones(1, np.int8)  # below: signs of all k-subsets of the last e elements, by k
    by_size: list[Signs] = [signs] + [signs[:0]] * r
    for _ in range(n):
        # a first element in S moves nothing; outside it passes the k elements of S
        by_size = [by_size[0]] + [
            np.concatenate([by_size[k - 1], by_size[k] * (-1) ** k]).astype(np.int8)
            for k in range(1, r + 1)
        ]
    return by_size[r]


def minor_signs(
    signs: Signs,
    n: int,
    r: int,
    kept: ArrayLike,
    factors: ArrayLike | None = None,
    appended: ArrayLike = (),
) -> Signs:
    """Chirotope on the elements `kept`, in that order, with `appended` after each subset.

    This contracts the independent elements `appended`, reorients where `factors` is -1, and makes
    loops where it is 0.

    Examples
    --------
    >>> minor_signs(np.array([1, 1, -1], np.int8), 3, 2, [2, 1], appended=[0])
    array([-1, -1], dtype=int8)
    """
    from arrangements.kernels.structure.chirotopes import fill_minor  # loads numba

    chosen = np.array(kept, np.int64)
    behind = np.array(appended, np.int64)
    weights = np.ones(len(chosen), np.int8) if factors is None else np.array(factors, np.int8)
    out = np.empty(comb(len(chosen), r - len(behind)), np.int8)
    call = partial(fill_minor, signs, n, r, binomials(n, r), chosen, weights, behind, out)
    answering_ctrl_c(call, 10.0 * r * len(out))
    return out


def cocircuit_table(signs: Signs, n: int, r: int) -> Signs:
    """Signs of (T, e) for all e, one row for each (r - 1)-subset T, (C(n, r - 1), n); r >= 1.

    Examples
    --------
    >>> cocircuit_table(np.array([1, 1, -1], np.int8), 3, 2).tolist()
    [[0, 1, 1], [-1, 0, -1], [-1, 1, 0]]
    """
    from arrangements.kernels.structure.chirotopes import fill_cocircuits  # loads numba

    check_fits(f"cocircuits of rank {r} on {n} elements", comb(n, r - 1), 2 * n)
    table = np.empty((comb(n, r - 1), n), np.int8)
    call = partial(fill_cocircuits, signs, n, r, binomials(n, r), table)
    answering_ctrl_c(call, 10.0 * r * table.size)
    return table


# ------------------------------------------------------------------ axioms


@public_class
@dataclass(frozen=True)
class ChirotopeCheck:
    """Whether a map of r-subsets to signs is a chirotope, and if not, what it violates.

    Attributes
    ----------
    axiom : {"nonzero", "exchange", "three-term"} or None
        The violated axiom; None if there is none, and then the check is True as a bool.
    subsets : tuple of tuples of int
        "exchange": bases B1 and B2; no element of B2 can replace `element` in B1. "three-term":
        (X, a, b), (X, c, d), (X, a, c), (X, b, d), (X, a, d), (X, b, c).
    signs : tuple of int
        Values of the map at `subsets`, as ordered tuples.
    element : int or None
        "exchange": the element of B1 that no element of B2 can replace.

    Examples
    --------
    >>> check_chirotope(4, 2, [1, 1, 1, 1, 1, 1])
    ChirotopeCheck(axiom=None, subsets=(), signs=(), element=None)
    >>> check = check_chirotope(4, 2, [1, -1, 1, 1, 1, 1])
    >>> bool(check), check.axiom, check.signs
    (False, 'three-term', (1, 1, -1, 1, 1, 1))
    """

    axiom: str | None
    subsets: tuple[Subset, ...] = ()
    signs: tuple[int, ...] = ()
    element: int | None = None

    @property
    def reason(self) -> str:
        """The violation in words; empty if there is none."""
        if self.axiom == "nonzero":
            return "every sign is zero, so there is no basis"
        if self.axiom == "exchange":
            first, second = self.subsets
            return (
                f"basis exchange fails: {first} and {second} have non-zero signs, but no element "
                f"of the second can take the place of {self.element} in the first"
            )
        if self.axiom == "three-term":
            (ab, cd, ac, bd, ad, bc), s = self.subsets, self.signs
            return (
                f"the three-term Grassmann-Plucker relation x({ab})x({cd}) - x({ac})x({bd}) + "
                f"x({ad})x({bc}) = 0 has terms of signs {s[0] * s[1]}, {-s[2] * s[3]}, "
                f"{s[4] * s[5]}, which no real numbers that sum to zero have"
            )
        return ""

    def __bool__(self) -> bool:
        return self.axiom is None


def check_chirotope(
    n: int, rank: int, values: ArrayLike | str | Mapping[tuple[int, ...], int]
) -> ChirotopeCheck:
    """Check the chirotope axioms: a basis exists, bases exchange, three-term relations hold.

    Parameters
    ----------
    n, rank : int
        Number of elements, and size of the subsets.
    values : (C(n, rank),) array_like of -1, 0, 1, or str, or mapping of tuples to -1, 0, 1
        In lexicographic order of the subsets; a string is like "+0-". A mapping may list a subset
        in any order (the map is alternating); missing subsets are zero.

    Returns
    -------
    ChirotopeCheck
        True in a boolean context iff `values` is a chirotope.

    Raises
    ------
    InputError
        If `values` is not a map of the r-subsets to signs.

    Notes
    -----
    These axioms define chirotopes [1]_ (theorem 3.6.2). Bases exchange iff no basis lies in the
    hyperplane spanned by r - 1 independent elements. The O(C(n, r - 2) n^4) relations are checked
    64 at a time: 4 million signs take seconds.

    References
    ----------
    .. [1] A. Bjorner, M. Las Vergnas, B. Sturmfels, N. White, G. Ziegler, Oriented Matroids,
       2nd ed., Cambridge 1999.

    Examples
    --------
    >>> bool(check_chirotope(3, 2, {(0, 1): 1, (2, 0): -1, (1, 2): 1}))
    True
    """
    signs = as_chirotope(n, rank, values)
    return check_signs(signs, index(n), index(rank))


def check_signs(signs: Signs, n: int, r: int) -> ChirotopeCheck:
    """`check_chirotope` for an array of signs that has the right shape."""
    from arrangements.kernels.structure.chirotopes import find_violation  # loads numba

    if not signs.any():
        return ChirotopeCheck("nonzero")
    if r >= 1 and not signs.all():
        failed = _failed_exchange(signs, n, r)
        if failed is not None:
            return failed
    found = np.empty(r + 2, np.int64)
    call = partial(find_violation, signs, n, r, binomials(n, r), found)
    if r >= 2 and answering_ctrl_c(call, 10.0 * comb(n, r - 2) * (r * n**2 + comb(n, 3))):
        *common, a, b, c, d = found.tolist()
        pairs = ((a, b), (c, d), (a, c), (b, d), (a, d), (b, c))
        subsets = tuple((*common, *pair) for pair in pairs)
        values = tuple(sign_at(signs, n, r, subset) for subset in subsets)
        return ChirotopeCheck("three-term", subsets, values)
    return ChirotopeCheck(None)


def _failed_exchange(signs: Signs, n: int, r: int) -> ChirotopeCheck | None:
    """Find bases without exchange, or None."""
    from arrangements.kernels.structure.chirotopes import find_basis_within  # loads numba

    table = cocircuit_table(signs, n, r)
    independent = np.flatnonzero(table.any(axis=1))
    supports = np.packbits(table[independent] != 0, axis=1)
    _, first = np.unique(supports, axis=0, return_index=True)
    second = np.empty(r, np.int64)
    for t in independent[first].tolist():
        hyperplane = np.flatnonzero(table[t] == 0)
        if find_basis_within(signs, n, r, binomials(n, r), hyperplane, second):
            facet, element = subset_at(n, r - 1, t), int(np.flatnonzero(table[t])[0])
            bases = (tuple(sorted((*facet, element))), tuple(second.tolist()))
            values = tuple(sign_at(signs, n, r, basis) for basis in bases)
            return ChirotopeCheck("exchange", bases, values, element)
    return None


def sign_at(signs: Signs, n: int, r: int, elements: tuple[int, ...]) -> int:
    """Value of an alternating map at r elements in any order; 0 if two are equal.

    Examples
    --------
    >>> sign_at(np.array([1, 1, -1], np.int8), 3, 2, (1, 0))
    -1
    """
    from arrangements.kernels.structure.chirotopes import tuple_sign  # loads numba

    return int(tuple_sign(signs, np.array(elements, np.int64), r, n, binomials(n, r)))


def as_chirotope(
    n: int, rank: int, values: ArrayLike | str | Mapping[tuple[int, ...], int]
) -> Signs:
    """Signs in lexicographic order of the r-subsets; only shape and entries are checked.

    Examples
    --------
    >>> as_chirotope(3, 2, {(1, 0): -1, (1, 2): 1})
    array([1, 0, 1], dtype=int8)
    """
    n = check_integer("n", n, 0)
    rank = check_integer("rank", rank, 0, n, of="n")
    count = comb(n, rank)
    check_fits(f"a chirotope of rank {rank} on {quote(n)} elements", count, 1)
    if isinstance(values, Mapping):
        return _from_mapping(n, rank, values)
    if isinstance(values, str):
        return as_signs(values, count)
    array = sign_values(values, "values")
    if array.shape != (count,):
        raise InputError(
            f"values has shape {array.shape}; expected ({count},), one sign for each of the "
            f"{rank}-subsets of {n} elements in lexicographic order."
        )
    return array


def _from_mapping(n: int, rank: int, values: Mapping[tuple[int, ...], int]) -> Signs:
    """Signs of a mapping whose keys are ordered tuples."""
    ordinal = {subset: i for i, subset in enumerate(combinations(range(n), rank))}
    signs = np.zeros(len(ordinal), np.int8)
    seen: dict[Subset, tuple[int, ...]] = {}
    for key, value in values.items():
        proper = isinstance(key, tuple) and all(isinstance(e, (int, np.integer)) for e in key)
        subset = tuple(sorted(key)) if proper else None
        if subset is None or subset not in ordinal:
            raise InputError(f"{quote(key)} is not made of {rank} distinct elements below {n}.")
        if not isinstance(value, (int, np.integer)) or value not in (-1, 0, 1):
            raise InputError(f"values[{quote(key)}] is {quote(value)}; expected -1, 0 or 1.")
        inversions = sum(key[i] > key[j] for i, j in combinations(range(rank), 2))
        sign = int(value) * (-1) ** inversions
        if subset in seen and signs[ordinal[subset]] != sign:
            pair = f"{quote(seen[subset])} and {quote(key)}"
            raise InputError(f"values at {pair} contradict each other.")
        seen[subset] = key
        signs[ordinal[subset]] = sign
    return signs
