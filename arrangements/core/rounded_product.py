"""A product ``A @ B`` behind its rounded entries, with rows of A as fractions where they fit.

Some rows of W serve as a basis, and the others are expressed in it. If A is rational and the basis
has its rank, all coordinates are rational. A coordinate becomes a simple fraction if that lies
within its error, and chance would hardly have brought it there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from arrangements.core.rounding import Rounding
from arrangements.core.row_relations import keep_zeros, row_classes
from arrangements.core.simple_fractions import fraction_array, simple_fractions
from arrangements.exact import coercion, linear, numbers
from arrangements.exact.numbers import NO_EXPONENT, ExactArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

# Fractions are accepted if chance is expected to fit at most this many entries of a matrix, and at
# most this many whole rows; the second number also holds for zeros in other rows.
_CHANCE_OF_ENTRY, _CHANCE_OF_ROW = 0.25, 1e-4
# Standard deviations of rounding within which a coordinate is assumed to lie.
_DEVIATIONS = 4
_WELL_CONDITIONED = 1e-4  # least pivot of a basis, relative to the largest
_RANDOM_BASES = 12  # bases to try if rows do not fit in the best conditioned one
_WIDE = 60  # binary orders of magnitude between rows that no small fraction bridges
_EXCHANGED = 1e-3  # least coordinate with which a row may replace a basis row
_COORDINATES = 2**20  # most coordinates computed for exchanges of single rows
_ROUNDS = 5  # rounds of least squares for rows and columns in turn


@dataclass
class RecoveredProduct:
    """Exact rows that span what W was meant to be; see ``LowRankStructure`` for the fields."""

    factor: ExactArray
    basis: tuple[int, ...]
    denominator: int
    residual: float
    allowed: float
    float_rows: tuple[int, ...]


def recovered_product(
    matrix: ExactArray, r: int, rounding: Rounding | int, centered: bool
) -> RecoveredProduct | None:
    """Product of inner dimension r behind a matrix with rounded entries, if any.

    Parameters
    ----------
    matrix : (n, d) ndarray of float64
        Its rank up to rounding is r; if `centered`, the rank after column-centering.
    r : int
    rounding : Rounding or int
        An integer is the number of bits of the entries.
    centered : bool

    Returns
    -------
    RecoveredProduct or None
        None if no row outside the basis fits fractions, or the product is further from W
        than rounding explains.
    """
    if matrix.dtype != np.float64:
        return None  # integers and fractions were not rounded
    classes = row_classes(matrix, centered)
    if isinstance(rounding, int):
        rounding = Rounding(rounding)
    if rounding.halves is not None:
        rounding = replace(rounding, halves=rounding.halves[classes.first])
    found = _recovered(matrix[classes.first], r, rounding, centered)
    if found is None:
        return None
    factor = classes.expanded(found.factor)
    loose = np.isin(classes.of, found.float_rows)
    return replace(
        found,
        factor=numbers.read_only(coercion.as_exact_matrix(factor.tolist())),
        basis=tuple(classes.first[list(found.basis)].tolist()),
        float_rows=tuple(np.flatnonzero(loose).tolist()),
    )


def _recovered(
    matrix: Floats, r: int, rounding: Rounding, centered: bool
) -> RecoveredProduct | None:
    """`recovered_product` of rows of which none is a multiple of another."""
    rows = _Rows(matrix, r, rounding, centered)
    best = _best_fit(rows)
    if best is None:
        return None
    exact, is_plain = _exact_rows(rows, best)
    if is_plain:
        return None
    basis, units = best.at.basis, numbers.as_objects(1 / best.sizes)
    factor = np.zeros((len(matrix), len(basis)), dtype=object)
    factor[basis, np.arange(len(basis))] = units
    factor[best.at.others] = exact
    residual, allowed = _deviation(rows, factor / units, basis)
    if residual > 1:
        return None
    if rows.row_powers.any():
        factor = factor * [[Fraction(2) ** int(power)] for power in rows.row_powers]
    return RecoveredProduct(
        # barycentric coordinates add up to one, so any of them may go
        factor=factor[:, 1:] if centered else factor,
        basis=tuple(basis.tolist()),
        denominator=int(best.bottoms[best.fits].max(initial=1)),
        residual=residual,
        allowed=allowed,
        float_rows=tuple(best.at.others[~best.fits].tolist()),
    )


# ------------------------------------------------------------------ coordinates


class _Rows:
    """The rows of W, scaled to comparable sizes, and bounds for their rounding.

    Columns are scaled by powers of two, which changes no coordinates. If only their directions
    count, rows are scaled too: by `exponents` while coordinates are found, and permanently, by
    `outer`, if their sizes differ so much that no simple fractions lie between them.
    """

    def __init__(self, matrix: Floats, r: int, rounding: Rounding, centered: bool) -> None:
        self.rank, self.bits, self.centered, self.fixed = r, rounding.bits, centered, rounding.fixed
        mantissas, powers = numbers.mantissas(matrix)
        halves = np.zeros(matrix.shape) if rounding.halves is None else rounding.halves
        # errors of comparable size: floats have errors in proportion
        levels = powers if rounding.halves is None else numbers.mantissas(halves)[1]
        sizes = np.zeros(len(matrix), np.intc)
        if not centered:
            sizes = levels.max(axis=1)
            sizes[sizes == NO_EXPONENT] = 0
        columns = (levels - sizes[:, None]).max(axis=0)
        columns[columns <= NO_EXPONENT // 2] = 0
        self.columns = columns
        wide = np.ptp(sizes) > _WIDE
        self.row_powers = sizes if wide else np.zeros_like(sizes)
        self.matrix = np.ldexp(mantissas, powers - self.row_powers[:, None] - columns)
        self.halves = np.ldexp(halves, -self.row_powers[:, None] - columns)
        self.exponents = sizes - self.row_powers
        rows, errors = (
            np.ldexp(values, -self.exponents[:, None]) for values in (self.matrix, self.halves)
        )
        # Variances of independent errors add up: that of storing an entry, a sixth of the unit
        # roundoff squared, r / 2 times as much for the sums, and that of printing it.
        unit = np.ldexp(1.0, -self.bits) + np.ldexp(1.0, -53)  # of the entries, and of this
        squares = (rows * rows).mean(axis=1, keepdims=True)
        self.variances = unit**2 * (1 + r / 2) / 6 * squares + errors**2 / 3
        if centered:
            rows = rows - rows.mean(axis=0)
            height = np.linalg.norm(rows, axis=1).max()
            rows = np.column_stack([rows, np.full(len(rows), height)])
        self.rows = rows
        # The other directions hold rounding errors only: enough to choose a basis.
        left, sizes, _ = np.linalg.svd(rows, full_matrices=False)
        self.leading = (left * sizes)[:, : r + centered]

    def in_basis(self, basis: Indices) -> _Coordinates:
        """Coordinates of the other rows, barycentric ones if centered, and their errors."""
        others = np.setdiff1d(np.arange(len(self.rows)), basis)
        Q, R = np.linalg.qr(self.rows[basis].T)
        inverse = Q @ np.linalg.inv(R).T
        values = self.rows[others] @ inverse
        values += (self.rows[others] - values @ self.rows[basis]) @ inverse
        variances = self.variances[others] + values**2 @ self.variances[basis]
        errors = _DEVIATIONS * np.sqrt(variances @ inverse[: self.matrix.shape[1]] ** 2)
        shifts = self.exponents[others][:, None] - self.exponents[basis]
        return _Coordinates(basis, others, np.ldexp(values, shifts), np.ldexp(errors, shifts))


@dataclass
class _Coordinates:
    """Rows of W in a basis of some of them, and an error bound for each coordinate."""

    basis: Indices
    others: Indices
    values: Floats
    errors: Floats


def _deviation(rows: _Rows, coordinates: ExactArray, basis: Indices) -> tuple[float, float]:
    """Largest deviation from W, as a multiple of the rounding of a row, and the largest of these.

    The differences are exact, and so are the scales of rows and columns.

    An entry of a rounded product is off by `allowed` times the sizes of its terms. These are
    lost; the sizes of the row and of the basis rows that make it up stand for them.
    """
    W = numbers.as_objects(rows.matrix)
    meant = linear.matrix_product(coordinates.tolist(), W[basis].tolist())
    off = np.abs(np.array(meant, dtype=object) - W).astype(np.float64)
    sizes, shares = np.abs(rows.matrix).max(axis=1), np.abs(coordinates).astype(np.float64)
    terms = sizes + shares @ sizes[basis]
    allowed = np.ldexp(2.0 * rows.rank + 4.0, -rows.bits) * terms[:, None]
    allowed = allowed + rows.halves + shares @ rows.halves[basis]
    ratios = off / np.where(allowed == 0, 1, allowed)
    with np.errstate(over="ignore"):  # infinite where W is that large
        of_entries = np.ldexp(allowed.max(axis=1), rows.row_powers + rows.columns.max())
    return float(ratios.max()), float(of_entries.max())


# ------------------------------------------------------------------ which basis


def _best_fit(rows: _Rows) -> _Fit | None:
    """The fit with most rows, in the best conditioned basis if all fit there; None without one.

    A row of A that is not rational spoils every basis that contains it, so other bases are tried:
    random ones, then exchanges of single rows.
    """
    best: _Fit | None = None
    for basis in _bases(rows):
        fit = _fit(rows, basis)
        if best is None or fit.score > best.score:
            best = fit
        if best.fits.all():
            return best
    if best is None:
        return None
    last, size = 0, len(best.at.basis)
    for trial in range(_COORDINATES // (len(rows.rows) * size)):
        if best.fits.all() or trial - last > size:
            break
        j = trial % size
        coordinates = np.abs(best.at.values[:, j])
        if coordinates.max() < _EXCHANGED:
            continue  # the exchange would leave no basis
        basis = best.at.basis.copy()
        basis[j] = best.at.others[coordinates.argmax()]
        fit = _fit(rows, np.sort(basis))
        if fit.score > best.score:
            best, last = fit, trial
    return best


def _bases(rows: _Rows) -> Iterator[Indices]:
    """The basis of a pivoted QR decomposition, then those of random halves of the rows."""
    from scipy.linalg import qr  # loads slowly

    n, size = len(rows.rows), rows.rank + rows.centered
    rng = np.random.default_rng(0)
    chosen = np.arange(n)
    for _ in range(1 + _RANDOM_BASES):
        upper, order = qr(rows.leading[chosen].T, mode="r", pivoting=True)
        lengths = np.abs(np.diag(upper))[:size]
        if lengths[-1] > _WELL_CONDITIONED * lengths[0]:
            yield np.sort(chosen[order[:size]])
        chosen = rng.permutation(n)[: max(size, n // 2)]


# ------------------------------------------------------------------ fractions


@dataclass
class _Fit:
    """Coordinates ``values[i, j] = factors[i] * tops[i, j] / bottoms[i, j] * sizes[j]``, nearly.

    fits : rows for which this holds beyond chance.
    """

    at: _Coordinates
    tops: Floats
    bottoms: Floats
    fits: Flags
    factors: Floats
    sizes: Floats

    @property
    def count(self) -> int:
        """Number of rows that fit."""
        return int(self.fits.sum())

    @property
    def score(self) -> tuple[int, int]:
        """Numbers of rows that fit and of entries near zero; larger for a better basis."""
        return self.count, int((np.abs(self.at.values) <= self.at.errors).sum())

    @property
    def surplus(self) -> int:
        """Entries that fit, not counting zeros and the entry of each row that its factor fits."""
        return int(np.count_nonzero(self.tops[self.fits])) - self.count


def _fit(rows: _Rows, basis: Indices) -> _Fit:
    at = rows.in_basis(basis)
    m, k = at.values.shape
    tops, bottoms, chances = simple_fractions(at.values, at.errors)
    free = np.zeros((m, k), np.bool_)
    if rows.centered:  # coordinates add up to one, so one of them follows from the others
        free[np.arange(m), chances.argmin(axis=1)] = True
    plain = _Fit(at, tops, bottoms, _trusted(chances, free), np.ones(m), np.ones(k))
    if rows.centered:  # rows are points: neither they nor the coordinates have factors
        return plain
    best = _joined(plain, _fit_up_to_factors(at, np.ones(k), np.zeros(k), free))
    if not best.fits.all():
        scaled = _fit_up_to_factors(at, *_column_sizes(at))
        # k - 1 entries fit by the choice of the sizes alone
        if scaled.surplus - (k - 1) > best.surplus:
            return scaled
    return best


def _joined(plain: _Fit, up_to_factors: _Fit) -> _Fit:
    """The plain fit of each row if there is one, else its fit up to a factor."""
    use = plain.fits
    return _Fit(
        plain.at,
        np.where(use[:, None], plain.tops, up_to_factors.tops),
        np.where(use[:, None], plain.bottoms, up_to_factors.bottoms),
        use | up_to_factors.fits,
        np.where(use, 1.0, up_to_factors.factors),
        plain.sizes,
    )


def _fit_up_to_factors(at: _Coordinates, sizes: Floats, size_errors: Floats, free: Flags) -> _Fit:
    """Fractions times a factor for each row, after columns are divided by their sizes.

    free : (m, k), entries that fit by the choice of the sizes.
    """
    relative = at.values / sizes
    errors = at.errors / sizes + np.abs(relative) * size_errors
    _, directions, quotient_errors = _directions(relative, errors)
    tops, bottoms, chances = simple_fractions(directions, quotient_errors)
    chosen = free.copy()
    # the largest entry is 1 by the choice of the factor
    chosen[np.arange(len(relative)), np.abs(relative).argmax(axis=1)] = True
    fits = _trusted(chances, chosen)
    ratios = tops / bottoms
    if size_errors.any() and fits.any():
        sizes = _closest_sizes(at.values[fits], ratios[fits], sizes)
    factors = _closest_factors(at.values, ratios * sizes)
    return _Fit(at, tops, bottoms, fits, factors, sizes)


def _trusted(chances: Floats, free: Flags) -> Flags:
    """Rows whose entries all lie so near to fractions that this is hardly chance.

    chances : (m, k) for each entry by itself; free entries prove nothing.
    """
    each = free & np.isfinite(chances) | (chances * chances.size <= _CHANCE_OF_ENTRY)
    together = np.where(free, 1, np.minimum(chances, 1)).prod(axis=1) * len(chances)
    return each.all(axis=1) & (together <= _CHANCE_OF_ROW)


def _directions(values: Floats, errors: Floats) -> tuple[Floats, Floats, Floats]:
    """Largest entries of rows, with signs; rows over these; and the errors of the quotients."""
    each = np.arange(len(values))
    peaks = np.abs(values).argmax(axis=1)
    factors = values[each, peaks]
    factors[factors == 0] = 1.0
    directions = values / factors[:, None]
    quotient_errors = errors + np.abs(directions) * errors[each, peaks][:, None]
    quotient_errors /= np.abs(factors)[:, None]
    quotient_errors[each, peaks] = 0.0
    return factors, directions, quotient_errors


def _column_sizes(at: _Coordinates) -> tuple[Floats, Floats, Flags]:
    """Positive factors of columns that may make rows rational, and their relative errors.

    If the entries are a_i c_j R_ij with R rational, then R may be chosen with |R_ij| = 1 along a
    spanning forest of the non-zero entries. The forest with the smallest relative errors is used;
    its entries are the third value.
    """
    from scipy.sparse import csr_array  # loads slowly
    from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree  # loads slowly

    m, k = at.values.shape
    rows, columns = np.nonzero(np.abs(at.values) > 2 * at.errors)
    if max(m + k, len(rows)) < 2**31:  # SciPy before 1.17.1 takes no others
        rows, columns = rows.astype(np.int32), columns.astype(np.int32)
    # a weight of zero would not count as an edge
    doubts = at.errors / np.where(at.values == 0, 1, np.abs(at.values)) + np.finfo(float).tiny
    graph = csr_array((doubts[rows, columns], (rows, m + columns)), shape=(m + k, m + k))
    forest = minimum_spanning_tree(graph)
    sizes, size_errors = np.ones(m + k), np.zeros(m + k)
    edges = np.zeros((m, k), np.bool_)
    seen = np.zeros(m + k, np.bool_)
    for root in range(m, m + k):
        if seen[root]:
            continue
        order, before = breadth_first_order(forest, root, directed=False)
        seen[order] = True
        for node in order[1:].tolist():
            last = int(before[node])
            i, j = (node, last - m) if node < m else (last, node - m)
            sizes[node] = abs(at.values[i, j]) / sizes[last]
            size_errors[node] = size_errors[last] + doubts[i, j]
            edges[i, j] = True
    return sizes[m:], size_errors[m:], edges


def _closest_factors(values: Floats, ratios: Floats) -> Floats:
    """Factors of rows of `ratios` that bring them closest to those of `values`."""
    squares = (ratios * ratios).sum(axis=1)
    return (ratios * values).sum(axis=1) / np.where(squares == 0, 1, squares)


def _closest_sizes(values: Floats, ratios: Floats, sizes: Floats) -> Floats:
    """Sizes of columns that bring ``a_i ratios[i, j] sizes[j]`` closer to `values`.

    The forest that proposed them adds up errors along its paths; least squares average them.
    """
    peaks = np.abs(values).max(axis=1, keepdims=True)
    values = values / np.where(peaks == 0, 1, peaks)
    for _ in range(_ROUNDS):
        rows = ratios * _closest_factors(values, ratios * sizes)[:, None]
        better = _closest_factors(values.T, rows.T)
        sizes = np.where(better > 0, better, sizes)
    return sizes


# ------------------------------------------------------------------ exact rows


def _exact_rows(rows: _Rows, fit: _Fit) -> tuple[ExactArray, bool]:
    """Rows outside the basis in terms of the basis rows; whether all are floats as computed.

    Rows that do not fit keep their floats, except for entries near zero, for zeros of the matrix,
    and for rows that are proportional to each other. Barycentric coordinates add up to one.
    """
    values, errors, sizes = fit.at.values, fit.at.errors, numbers.as_objects(fit.sizes)
    exact = fraction_array(fit.tops, fit.bottoms) * numbers.as_objects(fit.factors)[:, None]
    if rows.centered:
        fit.fits &= np.array([total == 1 for total in exact.sum(axis=1)], np.bool_)
    zero = (np.abs(values) <= errors) & (2 * errors * errors.size <= _CHANCE_OF_ROW)
    floats, n_zeros = numbers.as_objects(np.where(zero, 0.0, values)), int(zero.sum())
    exact[~fit.fits] = (floats / sizes)[~fit.fits]
    if rows.centered:
        exact[:, 0] = 1 - exact[:, 1:].sum(axis=1)
    changes = _keep_zeros(rows, fit, exact, sizes)
    if not rows.centered:
        loose = np.flatnonzero(~fit.fits)
        # the first row of a class gives its direction to all: one with as many zeros as possible
        zeros = (rows.matrix[fit.at.others[loose]] == 0).sum(axis=1)
        loose = loose[np.argsort(-zeros, kind="stable")]
        changes += _make_proportional(exact, values, errors, loose)
    return exact, not (fit.count or n_zeros or changes)


def _keep_zeros(rows: _Rows, fit: _Fit, exact: ExactArray, sizes: ExactArray) -> int:
    """`keep_zeros` for the rows that do not fit."""
    at = fit.at
    if fit.fits.all() or rows.fixed:
        return 0
    n, k = len(rows.matrix), len(at.basis)
    coordinates = np.full((n, k), Fraction(0), dtype=object)
    coordinates[at.basis, np.arange(k)] = Fraction(1)
    coordinates[at.others] = exact * sizes
    errors, loose = np.zeros((n, k)), np.zeros(n, np.bool_)
    errors[at.others], loose[at.others] = at.errors, ~fit.fits
    size = float(np.median(np.abs(rows.matrix).max(axis=1)))
    unit = float(np.ldexp(2.0, -rows.bits) + 4 * rows.halves.max() / size)
    changes = keep_zeros(rows.matrix, at.basis, coordinates, loose, errors, rows.centered, unit)
    if changes:
        exact[~fit.fits] = (coordinates[at.others] / sizes)[~fit.fits]
    return changes


def _make_proportional(exact: ExactArray, values: Floats, errors: Floats, rows: Indices) -> int:
    """Replace rows that are proportional within their errors by multiples of the first such."""
    from scipy.spatial import KDTree  # loads slowly

    if len(rows) < 2:
        return 0
    factors, directions, quotient_errors = _directions(values[rows], errors[rows])
    reach = 2 * quotient_errors.max(axis=0)
    pairs = len(rows) ** 2 / 2
    if pairs * np.prod(np.sort(2 * reach)[1:]) > _CHANCE_OF_ROW:  # one entry is 1 in both
        return 0
    first = np.arange(len(rows))
    for i, j in sorted(KDTree(directions).query_pairs(reach.max(), np.inf)):
        apart = np.abs(directions[i] - directions[j])
        if first[j] == j and (apart <= quotient_errors[i] + quotient_errors[j]).all():
            first[j] = first[i]
            exact[rows[j]] = exact[rows[first[j]]] * Fraction(factors[j] / factors[first[j]])
    return int((first != np.arange(len(rows))).sum())
