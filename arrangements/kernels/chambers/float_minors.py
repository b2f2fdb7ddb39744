"""Signs of minors in float64, as far as its error bound proves them.

A tableau eliminates in the order of its flag and of its rows, and a level multiplies its errors by
about 10. Gaussian elimination of one minor, which chooses its pivots, multiplies them by about 3:
it answers nearly all that a deep tableau leaves open, at a hundredth of the price of residues.
"""

from arrangements.kernels.compilation import inlined, kernel

_U64 = 2.0**-53


@inlined
def _largest_in_column(a, k, size):
    """Row k or below with the entry of column k that is largest in size."""
    best = k
    for r in range(k + 1, size):
        if abs(a[r, k]) > abs(a[best, k]):
            best = r
    return best


@inlined
def _eliminate(a, errors, k, size):
    """Subtract multiples of row k from the rows below, and bound the errors of these.

    The multipliers are at most 1 in size, since the pivot is the largest entry.
    """
    inverse = 1.0 / a[k, k]
    # of a multiplier: of its two entries, and three roundings
    error = 2.14 * errors[k] * abs(inverse) + 3.0 * _U64
    for c in range(k + 1, size):
        above, top = a[k, c], 0.0
        for r in range(k + 1, size):
            a[r, c] -= a[r, k] * inverse * above
            top = max(top, abs(a[r, c]))
        size_of_row = abs(above) + errors[c]
        errors[c] = 1.001 * (2.0 * errors[c] + (error + _U64) * size_of_row + _U64 * top)


@kernel
def float_determinant_sign(a, errors, size):
    """Sign of the determinant of ``a[:size, :size]``, or 0 if float64 does not prove one.

    a : (>= size, >= size) float64, each entry off by at most ``errors[column]``; both are
    overwritten. ``docs/exactness.md``, section 3, derives the bound.
    """
    sign = 1
    for k in range(size):
        r = _largest_in_column(a, k, size)
        if not abs(a[r, k]) > 16.0 * errors[k]:
            return 0
        if r != k:
            sign = -sign
            for c in range(k, size):
                a[r, c], a[k, c] = a[k, c], a[r, c]
        if a[k, k] < 0.0:
            sign = -sign
        _eliminate(a, errors, k, size)
    return sign


@kernel
def float_minor_sign(lanes, bound, square, chain, size, last_column, i, j):
    """`exact_signs.minor_sign` by float64: the sign of the minor, or 0 if it is not proved.

    lanes : (d, .) float64, the columns of the root by lane; bound : (2, d), their errors and
    magnitudes; square : (d + 1, d) float64, work space
    """
    extra = 1 if j < 0 else 2
    for c in range(size):
        column = c if c < size - 1 else last_column
        for t in range(size):
            row = chain[t] if t < size - extra else (i if t == size - extra else j)
            square[t, c] = lanes[column, row]
        # a lane may be a difference, which is rounded
        square[size, c] = 1.01 * bound[0, column] + _U64 * bound[1, column]
    return float_determinant_sign(square, square[size], size)
