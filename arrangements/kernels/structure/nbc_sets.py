"""The number of no-broken-circuit sets of many small central arrangements.

They are as many as the chambers (Whitney 1932, Zaslavsky 1975). A set is built from its largest
row down. A row is added if it is the least of those in the span of the set; then the rows below it
are reduced by it, and those that vanish are in the span.

Integers are reduced without fractions (Bareiss 1968): what is left of a row are minors, exact while
they stay below 2**31. Floats are reduced as they are, with a bound e on the errors of each row, so
that an entry above e is proved not to vanish. With V the largest entry of the row that is added, w
the bound on its errors, f = a / V the computed factor of another row with bound e, and R the
largest entry of that row: f is wrong by at most ``g = (e + |f| w) / (V - w) + u |f|``, and the new
entries by at most ``e + |f| w + g (V + w) + 3 u (|f| V + R)``, u = 2**-53. The bound that is kept
has room for its own rounding and for underflow.
"""

from arrangements.kernels.compilation import entry, kernel

# The answer where a row of zeros, or a row of floats that seems to vanish, leaves the number open.
OPEN = -1

_ROUNDING = 2.0**-53
# Above all that underflow loses: entries are about 1, and errors of 1e-280 leave nothing open.
_TINY = 1e-280


@kernel
def _reduce_integers(rows, pivots, e, i):
    """Rows below i at level e + 1, reduced by row i; whether none of them vanishes.

    ``pivots[e]`` was the pivot for level e; entries of level e + 1 are divisible by it.
    """
    d = rows.shape[2]
    column = 0
    while rows[e, i, column] == 0:
        column += 1
    pivot, before = rows[e, i, column], pivots[e]
    for j in range(i):
        factor, vanishes = rows[e, j, column], True
        for c in range(d):
            entry = (pivot * rows[e, j, c] - factor * rows[e, i, c]) // before
            rows[e + 1, j, c] = entry
            vanishes = vanishes and entry == 0
        if vanishes:
            return 0
    pivots[e + 1] = pivot
    return 1


@kernel
def _reduce_floats(rows, errors, e, i):
    """As `_reduce_integers`, but OPEN if a row may vanish; ``errors[e, j]`` bounds row j's."""
    d, column, largest = rows.shape[2], 0, 0.0
    for c in range(d):
        if abs(rows[e, i, c]) > largest:
            column, largest = c, abs(rows[e, i, c])
    pivot, wrong = rows[e, i, column], errors[e, i]
    for j in range(i):
        factor, size, left = rows[e, j, column] / pivot, 0.0, 0.0
        for c in range(d):
            size = max(size, abs(rows[e, j, c]))
            entry = 0.0 if c == column else rows[e, j, c] - factor * rows[e, i, c]
            rows[e + 1, j, c] = entry
            left = max(left, abs(entry))
        own, factor = errors[e, j], abs(factor)
        off = (own + factor * wrong) / (largest - wrong) + _ROUNDING * factor + _TINY
        off = own + factor * wrong + off * (largest + wrong)
        off += 3.0 * _ROUNDING * (factor * largest + size)
        errors[e + 1, j] = off * 1.000001 + _TINY
        if not left > errors[e + 1, j]:
            return OPEN
    return 1


@kernel
def _count(rows, errors, minors, pivots, whole, chain):
    """Number of sets, or OPEN. If `whole` the matrix is in ``minors[0]``, else in ``rows[0]``."""
    d, n = rows.shape[0], rows.shape[1]
    count, e = 1, 0
    chain[0, 0], chain[0, 1] = n, 0
    while e >= 0:
        least, i = chain[e, 0], chain[e, 1]
        if e == d - 1:  # one row more spans everything: it must be the first of all
            count += least > 0
            e -= 1
        elif i == least:
            e -= 1
        else:
            chain[e, 1] = i + 1
            if whole:
                kept = _reduce_integers(minors, pivots, e, i)
            else:
                kept = _reduce_floats(rows, errors, e, i)
            if kept == OPEN:
                return OPEN
            if kept == 1:
                count += 1
                e += 1
                chain[e, 0], chain[e, 1] = i, 0
    return count


@entry
def count_nbc_sets(floats, integers, whole, rows, errors, minors, pivots, chain, counts):
    """Numbers of no-broken-circuit sets of m matrices.

    OPEN for a matrix with a row of zeros, and where a row of floats may be spanned by others.

    floats : (m, n, d) float64, entries up to 2
    integers : (m, n, d) int64, used instead where `whole`; their minors are below 2**31
    whole : (m,) bool
    rows, errors, minors, pivots, chain : scratch, (d, n, d) float64, (d, n) float64,
        (d, n, d) int64, (d,) int64 and (d, 2) int64
    counts : (m,) int64, out
    """
    for k in range(floats.shape[0]):
        pivots[0] = 1
        loops = False
        for i in range(floats.shape[1]):
            largest = 0.0
            for c in range(floats.shape[2]):
                rows[0, i, c] = floats[k, i, c]
                minors[0, i, c] = integers[k, i, c]
                largest = max(largest, abs(floats[k, i, c]))
            errors[0, i] = _TINY
            loops = loops or not largest > _TINY
        counts[k] = OPEN if loops else _count(rows, errors, minors, pivots, whole[k], chain)
