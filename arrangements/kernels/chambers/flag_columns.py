"""Columns of rows along a flag, and the powers of two that bring their entries near 1."""

import math

import numpy as np

from arrangements.kernels.compilation import entry

# Of zero: less than all others, whatever is added.
_NO_EXPONENT = -(10**6)


@entry
def scale_floats(matrix, exponents, column_shift, scaled):
    """Every row and column of ``matrix`` times a power of two near its size, in ``scaled``.

    The largest entry of a row gets a size of at least 1/2 and below 1.

    matrix : (n, d) float64, read-only; exponents : (n, d) int32, work space
    column_shift : (d,) int64, filled with the exponents of the powers of columns
    """
    n, d = matrix.shape
    column_shift[:] = -_NO_EXPONENT
    for i in range(n):
        for j in range(d):
            exponent = _NO_EXPONENT
            if matrix[i, j] != 0.0:
                exponent = math.frexp(matrix[i, j])[1]
            exponents[i, j] = exponent
            column_shift[j] = min(column_shift[j], -exponent)
    for i in range(n):
        largest = np.int64(2 * _NO_EXPONENT)
        for j in range(d):
            largest = max(largest, exponents[i, j] + column_shift[j])
        for j in range(d):
            scaled[i, j] = math.ldexp(matrix[i, j], np.int32(column_shift[j] - largest))


@entry
def fill_columns(rows, pivot, sign, ratio, central, mix, columns, largest):
    """Columns of rows along a flag: column `pivot` is taken from the others, and these are mixed.

    Each product and each addition is rounded on its own, in this order: the error bound of a flag
    is about these operations.

    rows : (n, d) float64; the first is at infinity if `central`, and zero in all columns but one
    ratio : (d - 1,) float64, multiples of column `pivot` that are taken from the others
    mix : (d - 1, d - 1, 1) float64, read-only; what each of the others adds to each column
    columns : (d, n) float64, zeros, filled; last, column `pivot` times `sign`
    largest : (d,) float64, zeros, filled with the largest size in each column
    """
    n, d = rows.shape
    for k in range(d - 1):
        j = k + 1 if k >= pivot else k
        for i in range(n):
            columns[d - 1, i] = rows[i, j] - rows[i, pivot] * ratio[k]
        if central:
            columns[d - 1, 0] = 0.0
        for c in range(d - 1):
            for i in range(n):
                columns[c, i] += mix[k, c, 0] * columns[d - 1, i]
    for i in range(n):
        columns[d - 1, i] = rows[i, pivot] * sign
    for c in range(d):
        for i in range(n):
            largest[c] = max(largest[c], abs(columns[c, i]))
