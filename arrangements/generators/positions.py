"""Families given by positions of points or hyperplanes: random, or on the moment curve."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from operator import mul
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from arrangements.checks import check_flag, check_integer, check_option, random_generator
from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError, TooLargeError
from arrangements.exact import coercion, numbers
from arrangements.exact.linear import determinant
from arrangements.exact.numbers import primitive
from arrangements.generators.blocks import check_memory, differences
from arrangements.messages import quote, short_number

# So many hyperplanes take about ten minutes.
_MOST_SPANNED = 10**7


def generic(
    n: int,
    d: int,
    rng: int | np.random.Generator | None = None,
    *,
    kind: Literal["gaussian", "integer"] = "gaussian",
) -> Arrangement:
    """Random normals: generic with overwhelming probability, but not checked.

    If every d rows are independent, a central arrangement has
    ``2 * sum(binomial(n - 1, k) for k < d)`` chambers.

    Parameters
    ----------
    n, d : int
        Number of hyperplanes and dimension, at least 1.
    rng : int, numpy.random.Generator or None
        A seed or a generator; None draws fresh entropy.
    kind : {"gaussian", "integer"}
        Standard normal float64 entries, or uniform int64 entries of absolute value at
        most 2^20: exact ties are rare, not impossible.

    Returns
    -------
    Arrangement
        Central, with normals of float64 or int64.

    See Also
    --------
    cyclic : certainly generic.

    Notes
    -----
    Normals of rank r < d, with the chambers of n rows in R^r, are ``A.normals @ B.normals`` where A
    is ``generic(n, r, rng, kind="integer")`` and B is ``generic(r, d, rng, kind="integer")``; the
    product is exact for r < 2^23.

    Examples
    --------
    >>> generic(3, 2, 0).normals.dtype, generic(3, 2, 0, kind="integer").normals.dtype
    (dtype('float64'), dtype('int64'))
    >>> generic(20, 4, 0).count_chambers()
    2320
    """
    n = check_integer("n", n, 1)
    d = check_integer("d", d, 1)
    check_memory(n, d)
    random = random_generator(rng)
    check_option("kind", kind, ("gaussian", "integer"))
    if kind == "gaussian":
        return Arrangement(random.standard_normal((n, d)))
    return Arrangement(random.integers(-(2**20), 2**20, (n, d), endpoint=True))


def low_rank_braid(n: int, d: int, rng: int | np.random.Generator | None = None) -> Arrangement:
    """Differences of n random points of R^d: chambers are the rankings by a linear functional.

    The rows are ``p_i - p_j``, i < j lexicographic, for uniform integer points p with entries of at
    most 2^20 in absolute value. For generic points the number of chambers is Cover's ``Q(n, d)``:
    ``Q(n + 1, d) = Q(n, d) + n Q(n, d - 1)``, ``Q(2, d) = 2``, ``Q(n, 1) = 2``.

    Parameters
    ----------
    n, d : int
        Number of points (at least 2) and dimension (at least 1).
    rng : int, numpy.random.Generator or None
        A seed or a generator; None draws fresh entropy.

    Returns
    -------
    Arrangement
        n (n - 1) / 2 hyperplanes in R^d.

    References
    ----------
    .. [1] T. M. Cover, SIAM J. Appl. Math. 15 (1967) 434-439.

    Examples
    --------
    >>> low_rank_braid(4, 2, 0)
    Arrangement(6 hyperplanes in dimension 2, central)
    """
    n = check_integer("n", n, 2)
    d = check_integer("d", d, 1)
    check_memory(n * (n - 1) // 2, d)
    return Arrangement(differences(n) @ generic(n, d, rng, kind="integer").normals)


def cyclic(n: int, d: int) -> Arrangement:
    """Cyclic arrangement: normals ``(1, t, .., t^(d-1))`` on the moment curve, t = 0, .., n - 1.

    Every d rows are independent and every maximal minor of rows in order is positive (the
    alternating oriented matroid [1]_), so it has ``2 * sum(binomial(n - 1, k) for k < d)``
    chambers: the sign vectors of the polynomials of degree below d at n points, those with at
    most d - 1 changes of sign.

    Parameters
    ----------
    n, d : int
        Number of hyperplanes and dimension, at least 1.

    Returns
    -------
    Arrangement
        Central, with normals of int64, or of int objects when they exceed it.

    References
    ----------
    .. [1] A. Björner, M. Las Vergnas, B. Sturmfels, N. White, G. M. Ziegler, Oriented Matroids,
       2nd ed., Cambridge 1999, section 9.4.

    Examples
    --------
    >>> cyclic(3, 3).normals.tolist()
    [[1, 0, 0], [1, 1, 1], [1, 2, 4]]
    """
    n = check_integer("n", n, 1)
    d = check_integer("d", d, 1)
    check_memory(n, d, words=1 + (d - 1) * n.bit_length() // 128)  # on average
    fits = (n - 1) ** (d - 1) < 2**63
    parameters = np.arange(n).astype(np.int64 if fits else object)
    return Arrangement(parameters[:, None] ** np.arange(d))


def discriminantal(normals: ArrayLike | Arrangement, k: int | None = None) -> Arrangement:
    """Discriminantal arrangement of Manin and Schechtman: where translates are not generic.

    Given n hyperplanes ``a_i . y = 0`` in general position in R^k, a point x of R^n stands for
    their translates ``a_i . y = x_i``. Each choice of k + 1 of them gives one hyperplane in R^n:
    the points x for which these translates have a point in common. The rank is n - k. With k = 1
    and all normals 1 the arrangement is ``braid(n)``. For k >= 2 the combinatorics depend on the
    normals [2]_, even if these are generic; random normals are "very generic" with overwhelming
    probability: ``discriminantal(generic(n, k, rng, kind="integer"))``. It has 2 chambers for
    n = k + 1, 2 n for n = k + 2, and for n = k + 3, very generic, ``2 + 2 (N (N - 1) / 2 - n k
    (k + 1) / 2)`` with N = n (n - 1) / 2: n lines lie on k + 2 hyperplanes, the others on two.

    Parameters
    ----------
    normals : (n, k) array_like of int, float or Fraction, or central Arrangement
        n > k, every k rows independent. `generic` and `cyclic` give some.
    k : int, optional
        The number of columns, which are counted if it is left out. Two integers n and k name no
        arrangement, since it depends on the normals.

    Returns
    -------
    Arrangement
        In R^n, one row for each (k + 1)-subset L in lexicographic order: a positive multiple,
        with coprime integers, of the vector with entry ``(-1)^j det(a_i, i in L without its
        j-th)`` at the j-th member of L, j = 0, .., k. The normals are int64, or int objects
        when they exceed it.

    Raises
    ------
    InputError
        If n <= k, `k` is not the number of columns, or the normals are not in general position.

    See Also
    --------
    schechtman_varchenko : the other arrangement of this name.

    References
    ----------
    .. [1] Yu. I. Manin, V. V. Schechtman, Adv. Stud. Pure Math. 17 (1989) 289-308.
    .. [2] M. Falk, Proc. Amer. Math. Soc. 122 (1994) 1221-1227.

    Examples
    --------
    >>> discriminantal([[1], [1], [1]]).normals.tolist()
    [[1, -1, 0], [1, 0, -1], [0, 1, -1]]
    >>> discriminantal([[1, 0], [0, 1], [1, 1]]).normals.tolist()
    [[-1, -1, 1]]
    """
    if isinstance(normals, int):
        raise InputError(
            f"normals is {quote(normals)}; expected a matrix, such as generic(n, k, "
            "kind='integer'). The arrangement of Schechtman and Varchenko is "
            "schechtman_varchenko(range(n), k)."
        )
    a = coercion.as_exact_matrix(normals)
    n, columns = a.shape
    if k is not None and check_integer("k", k, 1) != columns:
        raise InputError(f"k is {k}; expected {columns}, the number of columns of normals.")
    k = columns
    if n <= k:
        raise InputError(f"normals has shape {a.shape}; expected more rows than columns.")
    check_memory(comb(n, k + 1), n)
    rows = numbers.integer_rows(a)
    minors = {}
    for chosen in combinations(range(n), k):
        minors[chosen] = determinant([rows[i] for i in chosen])
        if not minors[chosen]:
            raise InputError(f"normals {chosen} are dependent; expected every {k} independent.")
    # positive factors: rows[i] == scales[i] * a[i]
    scales = list(map(_ratio, rows, map(numbers.fractions, a)))
    table = np.zeros((comb(n, k + 1), n), dtype=object)
    for row, chosen in zip(table, combinations(range(n), k + 1), strict=True):
        for j, i in enumerate(chosen):
            row[i] = (-1) ** j * minors[chosen[:j] + chosen[j + 1 :]] * scales[i]
    return Arrangement(numbers.integer_rows(table))


def schechtman_varchenko(points: ArrayLike, k: int) -> Arrangement:
    """Discriminantal arrangement of Schechtman and Varchenko: k points that avoid n given ones.

    The hyperplanes ``t_i = z_j`` and ``t_i = t_j`` in R^k, for given points z of the line. The
    complement holds the k different points t that are none of these [1]_. The characteristic
    polynomial is ``(t - n) (t - n - 1) .. (t - n - k + 1)``, so there are ``(n + k)! / n!``
    chambers.

    Parameters
    ----------
    points : (n,) array_like of int, float or Fraction
        Different numbers z_0, .., z_(n-1).
    k : int

    Returns
    -------
    Arrangement
        n k + k (k - 1) / 2 hyperplanes in R^k: first ``t_0 - z_0``, .., ``t_0 - z_(n-1)``, those of
        t_1 and so on, then ``t_i - t_j`` for i < j.

    Raises
    ------
    InputError
        If two points are equal.

    See Also
    --------
    discriminantal : the arrangement of Manin and Schechtman.

    References
    ----------
    .. [1] V. V. Schechtman, A. N. Varchenko, Invent. Math. 106 (1991) 139-194.

    Examples
    --------
    >>> A = schechtman_varchenko([0, 1], 2)
    >>> A.normals.tolist(), A.offsets.tolist()
    ([[1, 0], [1, 0], [0, 1], [0, 1], [1, -1]], [0, -1, 0, -1, 0])
    >>> A.count_chambers()                                    # 4! / 2!
    12
    """
    k = check_integer("k", k, 1)
    if coercion.axes_of(points) != 1:
        raise InputError(f"points is {quote(points)}; expected a sequence of numbers.")
    one_row: Any = [points]
    z = numbers.fractions(coercion.as_exact_matrix(one_row, "points", allow_no_columns=True)[0])
    n = len(z)
    check_memory(n * k + comb(k, 2), k)
    if len(set(z)) < n:
        raise InputError("two of the points are equal; expected different ones.")
    rows = np.vstack([np.repeat(np.eye(k, dtype=np.int64), n, axis=0), differences(k)])
    zeros = [0] * comb(k, 2)
    return Arrangement(rows, [*(-x for x in [*z] * k), *zeros])


def spanned_by(points: ArrayLike, *, central: bool = False) -> Arrangement:
    """All hyperplanes through d affinely independent ones of the given points of R^d.

    Parameters
    ----------
    points : (m, d) array_like of int, float, Fraction or SymPy number
        At least d of them affinely independent.
    central : bool
        All hyperplanes through 0 and d - 1 linearly independent points instead.

    Returns
    -------
    Arrangement
        Distinct hyperplanes, as primitive rows with the first entry positive, in the
        lexicographic order of the first points that span each.

    Raises
    ------
    InputError
        If the points span no hyperplane.
    TooLargeError
        If there may be more than ten million hyperplanes.

    See Also
    --------
    resonance : the hyperplanes on which sums of coordinates vanish.

    Notes
    -----
    Exact. Flats of the points are extended by one point after another; each is met once, from its
    first points. O(m d) operations for each flat.

    Examples
    --------
    >>> from itertools import product
    >>> [spanned_by([*product((0, 1), repeat=d)]).n_hyperplanes for d in (1, 2, 3, 4)]
    [2, 6, 20, 140]
    >>> spanned_by([[1, 0], [1, 1], [2, 2]], central=True).normals.tolist()
    [[0, 1], [1, -1]]
    """
    P = coercion.as_exact_matrix(points, "points")
    central = check_flag("central", central)
    rows = numbers.integer_rows(P if central else numbers.append_column(P, np.ones(len(P), int)))
    distinct = [list(row) for row in dict.fromkeys(tuple(row) for row in rows if any(row))]
    size = P.shape[1] - central
    if comb(len(distinct), size) > _MOST_SPANNED:
        raise TooLargeError(
            f"{len(distinct)} points may span {short_number(comb(len(distinct), size))} "
            f"hyperplanes; at most {_MOST_SPANNED} are tried. Pass fewer points."
        )
    unit = [[int(i == j) for j in range(len(rows[0]))] for i in range(len(rows[0]))]
    found = [_leading_positive(row) for row in _spanned(unit, [*enumerate(distinct)], -1)]
    found = [row for row in found if any(row[: P.shape[1]])]
    if not found:
        raise InputError(f"the {len(P)} points span no hyperplane; expected {size} independent.")
    table = np.array(found, object)
    return Arrangement(table) if central else Arrangement(table[:, :-1], table[:, -1])


def _spanned(
    functions: list[list[Any]], points: list[tuple[int, list[Any]]], last: int
) -> Iterator[list[Any]]:
    """Linear functions that vanish on hyperplanes spanned by a flat and points after the last.

    functions : list of rows
        A basis of those that vanish on the flat.
    points : list of (int, row)
        Those outside of the flat.
    """
    if len(functions) == 1:
        yield functions[0]
        return
    groups: dict[tuple[Any, ...], list[tuple[int, list[Any]]]] = {}
    for number, point in points:
        key = tuple(_leading_positive([sum(map(mul, f, point)) for f in functions]))
        groups.setdefault(key, []).append((number, point))
    for values, group in groups.items():
        first = group[0][0]
        if first > last:  # else this flat is met from that point
            k = next(k for k, e in enumerate(values) if e)
            through = functions[k]
            below = [
                primitive([values[k] * f - e * g for f, g in zip(row, through, strict=True)])
                for i, (row, e) in enumerate(zip(functions, values, strict=True))
                if i != k
            ]
            inside = {number for number, _ in group}
            yield from _spanned(below, [p for p in points if p[0] not in inside], first)


def _leading_positive(row: list[Any]) -> list[Any]:
    """The primitive multiple with its first entry other than zero positive."""
    first = next(e for e in row if e)
    return primitive(row if first > 0 else [-e for e in row])


def _ratio(row: list[Any], other: Sequence[Any]) -> Any:
    """The factor between two proportional rows."""
    j = next(j for j, entry in enumerate(row) if entry)
    return row[j] / other[j]
