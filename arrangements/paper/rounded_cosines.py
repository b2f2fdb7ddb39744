"""Cosines in floats: their precision, the exact rows behind them, and the doubts that remain.

Rounding loses the linear dependencies of rows. The squares of the cosines of rational rows are
rational, so the simplest fractions within the rounding are tried first: they are accepted only if
together they are, exactly, the cosines of rows of the given rank. Otherwise rows are recovered as
by `low_rank_structure`. Then every set of rows that is dependent up to rounding must be dependent
exactly in the answer; if not, rounding decided, and a `RoundingWarning` says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, islice
from math import comb, floor, isqrt, log, log2, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.checks import check_integer
from arrangements.core.low_rank import exact_rank
from arrangements.core.rounded_product import recovered_product
from arrangements.core.rounding import stored_bits
from arrangements.core.simple_fractions import simple_fractions
from arrangements.errors import InputError, RoundingWarning
from arrangements.exact.coercion import as_exact_matrix, as_floats, plain_array, refuse_masked
from arrangements.exact.linear import determinant_sign, solve
from arrangements.exact.numbers import ExactArray, as_objects, integer_rows
from arrangements.messages import Remedy, warn
from arrangements.paper.cosines import FractionRows, rounded_cosine_matrix

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Entries of a float C and of its transpose that differ by more were not computed as cosines.
FLOAT_ERROR = 1e-6
# Cosines that are off by more say nothing.
MOST_ERROR = 0.1
# Mantissas of the types of floats: float8 (e4m3), bfloat16, float16, float32, float64.
_PRECISIONS = (4, 8, 11, 24, 53)
# Numbers of more digits were not rounded in decimal; fewer may be numbers like 0.5.
_DECIMAL_DIGITS, _LEAST_DIGITS = 15, 3
# Fractions are accepted if chance fits an entry, and all of them, at most this often.
_CHANCE_OF_ENTRY, _CHANCE = 0.25, 1e-4
# Standard deviations of rounding within which a set of rows counts as dependent.
_DEVIATIONS = 4
# Sets of rows that are examined; of more, this many random ones. And at a time.
_MOST_SETS, _AT_ONCE = 2**18, 2**13


class RoundedCosines(NamedTuple):
    """Cosine matrix in floats.

    Attributes
    ----------
    values : (n, n) ndarray of float64
        Symmetric.
    unit : float
        Unit roundoff of the numbers, as their type and their deviations from a cosine matrix of
        this rank show it.
    is_exact : bool
        Whether the numbers have this rank as they stand.
    basis : (rank,) ndarray of int
        Well conditioned rows, sorted.
    """

    values: Floats
    unit: float
    is_exact: bool
    basis: Indices

    @property
    def rank(self) -> int:
        """The rank of the rows whose cosines these are."""
        return len(self.basis)

    @property
    def deviation(self) -> float:
        """Standard deviation of an entry: it was stored, after a sum of `rank` products."""
        return self.unit * sqrt((1 + self.rank / 2) / 6)


# ------------------------------------------------------------------ input


def plain_cosines(C: Any, name: str) -> NDArray[Any]:
    """NumPy's array of C, of SymPy and SciPy too.

    Examples
    --------
    >>> plain_cosines([[1, 0.5], [0.5, 1]], "C").dtype
    dtype('float64')
    """
    refuse_masked(C, name)
    if getattr(C, "is_Matrix", False):
        C = C.tolist()
    return plain_array(C.toarray() if hasattr(C, "toarray") else C, name)


def read_cosines(C: Any, name: str, rank: int) -> RoundedCosines:
    """The floats nearest to C, checked; refused if they are far from all cosines of this rank.

    Examples
    --------
    >>> from arrangements.paper import rounded_cosine_matrix
    >>> C = rounded_cosine_matrix([[1, 2], [0, 5], [1, 1]])
    >>> found = read_cosines(C.astype(np.float32), "C", 2)
    >>> found.basis.tolist(), log2(found.unit)
    ([0, 1], -24.0)
    """
    cosines = as_exact_matrix(as_floats(plain_cosines(C, name), name), name)
    if cosines.shape[0] != cosines.shape[1]:
        raise InputError(f"{name} has shape {cosines.shape}; expected (n, n).")
    unit = _unit(cosines)
    most = max(FLOAT_ERROR, min(8 * unit, MOST_ERROR))
    asymmetry = float(np.abs(cosines - cosines.T).max())
    if asymmetry > most:
        raise InputError(f"{name} is not symmetric; expected the cosines of the rows of W.")
    length = float(np.abs(np.diag(cosines) - 1).max())
    if length > most:
        raise InputError(f"the diagonal of {name} is not 1; expected the cosines of non-zero rows.")
    values = np.tril(cosines) + np.tril(cosines, -1).T
    rank = check_integer("rank", rank, 1, len(values), of="n")
    is_exact = exact_rank(values, False) <= rank
    unit = max(2.0**-53 if is_exact else unit, asymmetry, length)
    return _of_rank(values, name, rank, unit, is_exact, most)


def _unit(cosines: Floats) -> float:
    """Unit roundoff of the type, or of the decimals, that the entries were rounded to."""
    sizes = np.abs(cosines)
    sizes = sizes[(sizes != 0) & (sizes != 1)]  # 0, 1 and -1 tell nothing
    if not len(sizes):
        return 2.0 ** -_PRECISIONS[-1]
    integers = (np.frexp(sizes)[0] * 2.0**53).astype(np.int64)
    lengths = 54 - np.frexp((integers & -integers).astype(np.float64))[1]
    bits = min(next(bits for bits in _PRECISIONS if lengths.max() <= bits), stored_bits(cosines))
    return max(2.0**-bits, 10.0 ** -_decimal_digits(sizes.tolist()))


def _decimal_digits(sizes: list[float]) -> int:
    """Most digits of a number in decimal; no more than float64 holds in any case are counted."""
    most = _LEAST_DIGITS
    for size in sizes:
        most = max(most, len(repr(size).partition("e")[0].replace(".", "").strip("0")))
        if most > _DECIMAL_DIGITS:
            return 17
    return most


def _of_rank(
    values: Floats, name: str, rank: int, unit: float, is_exact: bool, most: float
) -> RoundedCosines:
    n = len(values)
    largest_first = np.linalg.eigvalsh(values)[::-1]
    if largest_first[-1] < -n * most:
        raise InputError(
            f"{name} is not positive semidefinite (eigenvalue {largest_first[-1]:.3g}), so it "
            "holds no cosines of vectors."
        )
    found = int((largest_first > n * most).sum())
    if found > rank:
        raise InputError(f"rank is {rank}, but {name} has rank {found} at least, beyond rounding.")
    rest = float(np.linalg.norm(largest_first[rank:]))  # rounding errors, and nothing else
    if rank < n:
        unit = max(unit, rest / (n - rank) / sqrt((1 + rank / 2) / 6))
    if largest_first[rank - 1] < 2 * n * unit:
        found = int((largest_first >= 2 * n * unit).sum())
        raise InputError(f"rank is {rank}, but {name} has only rank {found} and rounding errors.")
    return RoundedCosines(values, unit, is_exact, _pivots(values, rank))


def _pivots(values: Floats, rank: int) -> Indices:
    """Rows that a pivoted Cholesky factorization takes first."""
    rest, pivots = values.copy(), []
    for _ in range(rank):
        pivots.append(int(np.diag(rest).argmax()))
        column = rest[:, pivots[-1]]
        rest = rest - np.outer(column, column) / column[pivots[-1]]
    return np.sort(np.array(pivots))


# ------------------------------------------------------------------ exact cosines


def likely_squares(cosines: RoundedCosines) -> FractionRows | None:
    """Squares of the cosines with their signs, as simple fractions; None if one is not simple.

    They are within the rounding, and simpler than chance explains.

    Examples
    --------
    >>> from arrangements.paper import rounded_cosine_matrix
    >>> C = rounded_cosine_matrix([[1, 2], [0, 5], [-3, 1]])
    >>> print(*likely_squares(read_cosines(C, "C", 2))[0])
    1 4/5 -1/50
    """
    values = cosines.values
    n = len(values)
    error = _DEVIATIONS * cosines.deviation
    squares: list[list[Fraction]] = [[Fraction(1)] * n for _ in range(n)]
    chance = 0.0  # its logarithm
    for i in range(1, n):
        sizes = np.abs(values[i, :i])
        errors = error * (2 * sizes + error)
        tops, bottoms, chances = simple_fractions(sizes * sizes, errors)
        if chances.max() > _CHANCE_OF_ENTRY:
            return None
        chance += float(np.log(chances).sum())
        for j, negative in enumerate((values[i, :i] < 0).tolist()):
            square = Fraction(int(tops[j]), int(bottoms[j]))
            squares[i][j] = squares[j][i] = -square if negative else square
    return list(map(tuple, squares)) if chance <= log(_CHANCE) else None


def likely_rows(cosines: RoundedCosines) -> ExactArray:
    """Rows with these cosines up to rounding, with the dependencies that it hides if recovered.

    Examples
    --------
    >>> from arrangements.paper import rounded_cosine_matrix
    >>> C = rounded_cosine_matrix([[1, 2], [0, 5], [-1, -2]])
    >>> rows = likely_rows(read_cosines(C, "C", 2))
    >>> bool((rows[0] == -rows[2]).all())
    True
    """
    values, rank = cosines.values, cosines.rank
    columns = values[:, cosines.basis]
    if cosines.is_exact:
        return columns
    found = recovered_product(values, rank, floor(-log2(cosines.unit)), centered=False)
    return columns if found is None else found.factor


# ------------------------------------------------------------------ doubt


def warn_if_doubtful(cosines: RoundedCosines, rows: ExactArray, name: str, what: str) -> None:
    """Warn if rounding, and nothing else, decides whether some of the rows are independent.

    Parameters
    ----------
    rows : (n, rank) ndarray
        Exact rows in place of those whose cosines these are.
    name, what : str
        The argument that holds the cosines, and the plural of the things they are about.

    Examples
    --------
    >>> from arrangements.paper import rounded_cosine_matrix
    >>> W = np.array([[1, 0], [0, 1], [1, 1]])
    >>> C = read_cosines(rounded_cosine_matrix(W), "C", 2)
    >>> warn_if_doubtful(C, W, "C", "rows")  # nothing to warn of
    """
    if cosines.is_exact:
        return
    # the columns of exact cosines have the errors of these entries, and no others
    columns = cosines.values[:, cosines.basis]
    error = _DEVIATIONS * cosines.rank * cosines.deviation + cosines.rank * 2.0**-50
    found, taken = _unproved_set(columns, rows, error), "independent"
    if found is None:
        found, taken = _unproved_twins(columns, error), "parallel"
    if found is not None:
        warn(
            RoundingWarning(
                f"up to the rounding of {name} (to {floor(-log2(cosines.unit))} bits), {what} "
                f"{', '.join(map(str, found))} are linearly dependent, which may be chance: the "
                f"answer takes them as {taken}, and may be wrong.",
                Remedy("precise cosines", "Pass exact cosines, or a longer type of floats."),
            )
        )


def _unproved_set(columns: Floats, rows: ExactArray, error: float) -> list[int] | None:
    """Rows that are dependent up to this error, and independent exactly."""
    n, rank = columns.shape
    # entries are at most 1, so this bounds the product of all singular values but the smallest
    others = (rank / sqrt(max(rank - 1, 1))) ** (rank - 1)
    integers = integer_rows(rows)
    for sets in _sets(n, rank):
        minors = columns[sets]
        small = np.abs(np.linalg.det(minors)) <= others * error
        near = sets[small][np.linalg.svd(minors[small], compute_uv=False)[:, -1] <= error]
        for chosen in near.tolist():
            if determinant_sign([integers[i] for i in chosen]):
                return list(chosen)
    return None


def _unproved_twins(columns: Floats, error: float) -> list[int] | None:
    """Two rows that are equal or opposite up to this error, if that may be chance."""
    from scipy.spatial import KDTree  # loads slowly

    n, rank = columns.shape
    if rank == 1 or comb(n, 2) * error ** (rank - 1) <= _CHANCE:
        return None
    pairs = KDTree(np.vstack([columns, -columns])).query_pairs(error)
    return sorted(i % n for i in min(pairs)) if pairs else None


def _sets(n: int, rank: int) -> Iterator[Indices]:
    """Sets of rows, in blocks: all of them, or random ones."""
    if comb(n, rank) <= _MOST_SETS:
        sets = combinations(range(n), rank)
        while block := list(islice(sets, _AT_ONCE)):
            yield np.array(block)
        return
    rng = np.random.default_rng(0)
    for _ in range(_MOST_SETS // _AT_ONCE):
        some = np.sort(rng.integers(n, size=(_AT_ONCE, rank)), axis=1)
        yield some[(np.diff(some, axis=1) > 0).all(axis=1)]


_NO_DIFFERENCES = (
    "D is not the cosine matrix of all differences w_i - w_j, i < j in lexicographic order"
)


def place_labels(directions: NDArray[Any]) -> NDArray[Any]:
    """Labels whose differences are positive multiples of the rows, pairs i < j.

    Examples
    --------
    >>> place_labels(np.array([[1], [2], [1]])).ravel().tolist()  # 0 above 1 above 2
    [2, 1, 0]
    """
    n = _number_of_labels(len(directions))
    rows = as_objects(directions)
    first, second = np.triu_indices(n, 1)
    towards = np.zeros((n, n, rows.shape[1]), dtype=object)  # from label i to label j
    towards[first, second], towards[second, first] = -rows, rows
    if rows.shape[1] == 1:  # on a line: in the order of the signs of their differences
        labels: NDArray[Any] | None = np.sum(towards < 0, axis=1).astype(object)
    else:
        labels = _where_rays_meet(towards)
    if labels is not None:
        differences = integer_rows(as_exact_matrix(labels[first] - labels[second] + Fraction(0)))
        if differences == integer_rows(directions):
            return labels
    raise InputError(f"{_NO_DIFFERENCES}.")


def _where_rays_meet(towards: NDArray[Any]) -> NDArray[Any] | None:
    """Labels from the directions between them, label 0 at the origin; None if rays miss."""
    n, _, r = towards.shape
    labels = np.zeros((n, r), dtype=object)
    labels[1] = towards[0, 1]
    placed, waiting = [1], list(range(2, n))
    while waiting:
        # two labels that are not on a line with 0, the first of them placed already
        p, k = next(
            ((p, k) for k in waiting for p in placed if _independent(labels[p], towards[0, k])),
            (None, None),
        )
        if k is None:
            return None
        rays = np.array([towards[0, k], -towards[p, k]])
        steps = solve(rays.T.tolist(), labels[p].tolist())
        if steps is None or steps[0] <= 0:
            return None
        labels[k] = steps[0] * towards[0, k]
        placed.append(k)
        waiting.remove(k)
    return labels


def _independent(a: NDArray[Any], b: NDArray[Any]) -> bool:
    pivot = np.flatnonzero(a)[0]
    return bool((a[pivot] * b != b[pivot] * a).any())


def _number_of_labels(m: int) -> int:
    n = (1 + isqrt(1 + 8 * m)) // 2
    if n * (n - 1) // 2 != m:
        raise InputError(
            f"D has shape {(m, m)}; expected n (n - 1) / 2 rows, one for each pair of n labels."
        )
    return n


def likely_labels(cosines: RoundedCosines) -> ExactArray:
    """Exact labels whose differences have these cosines up to rounding, pairs i < j in order.

    With the directions u_ij of the differences: the labels w that minimize the sum of squares of
    the parts of w_i - w_j orthogonal to u_ij, which vanishes; not all equal. Then coincidences that
    rounding broke are recovered, as in `rankings`.
    """
    D, r = cosines.values, cosines.rank
    n = _number_of_labels(len(D))
    first, second = np.triu_indices(n, 1)
    values, vectors = np.linalg.eigh(D)
    directions = vectors[:, -r:] * np.sqrt(values[-r:])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    if r == 1:  # on a line: the number of labels below, minus that above
        labels, unit = np.zeros((n, 1)), 0.0
        np.add.at(labels, first, np.sign(directions))
        np.add.at(labels, second, -np.sign(directions))
    else:
        labels, spread = _least_turned(directions, n)
        unit = cosines.unit * sqrt(n * r / values[-r]) / spread
    differences = labels[first] - labels[second]
    if (differences * directions).sum() < 0:
        labels, differences = -labels, -differences
    most = max(FLOAT_ERROR, min(8 * unit, MOST_ERROR))
    if not differences.any(axis=1).all() or (
        np.abs(rounded_cosine_matrix(differences) - D).max() > most
    ):
        raise InputError(f"{_NO_DIFFERENCES}, of column-centered rank {r}.")
    if not 0 < unit < 1:
        return labels
    found = recovered_product(labels, r, floor(-log2(unit)), centered=True)
    return labels if found is None else found.factor


def _least_turned(directions: NDArray[np.float64], n: int) -> tuple[NDArray[np.float64], float]:
    """Centered labels whose differences have the least parts across the directions.

    Also the norm by which those of any other labels of the same size exceed them.
    """
    r = directions.shape[1]
    first, second = np.triu_indices(n, 1)
    across = np.eye(r) - directions[:, :, None] * directions[:, None, :]
    form = np.zeros((n, r, n, r))
    for i, j, part in zip(first, second, across, strict=True):
        form[i, :, i] += part
        form[j, :, j] += part
        form[i, :, j] -= part
        form[j, :, i] -= part
    values, vectors = np.linalg.eigh(form.reshape(n * r, n * r))
    # the form vanishes on the translations and on the labels: what is left without translations
    vanishing = vectors[:, : r + 1].reshape(n, r, r + 1)
    centered = (vanishing - vanishing.mean(axis=0)).reshape(n * r, r + 1)
    return np.linalg.svd(centered)[0][:, 0].reshape(n, r), sqrt(max(values[r + 1], 1e-300))
