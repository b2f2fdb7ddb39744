"""Signs of determinants of integer rows, from their residues modulo enough primes.

The cofactors of one row serve every row that is put in its place: a single elimination per
prime, then one product of vectors for each determinant sign.
"""

import numpy as np

from arrangements.kernels.compilation import kernel
from arrangements.kernels.modular.montgomery import crt_sign, mont_inverse, mont_mul, mont_one

_ZERO = np.uint64(0)


@kernel
def _eliminate(matrix, count, r, pivots, p, negative_inverse, square):
    """Reduce `count` < r rows modulo p to unit pivot columns; their determinant, 0 if dependent.

    matrix : (>= count, >= r) uint64 Montgomery residues, overwritten
    pivots : (>= count,) int64, out: the pivot column of each row
    """
    product = mont_one(p, negative_inverse, square)
    for t in range(count):
        column = 0
        while column < r and matrix[t, column] == _ZERO:
            column += 1
        if column == r:
            return _ZERO
        pivots[t] = column
        product = mont_mul(product, matrix[t, column], p, negative_inverse)
        inverse = mont_inverse(matrix[t, column], p, negative_inverse, square)
        for c in range(r):
            matrix[t, c] = mont_mul(matrix[t, c], inverse, p, negative_inverse)
        for s in range(count):
            factor = matrix[s, column]
            if s != t and factor != _ZERO:
                for c in range(r):
                    change = mont_mul(factor, matrix[t, c], p, negative_inverse)
                    matrix[s, c] = (matrix[s, c] + p - change) % p
    return product


@kernel
def _expand(matrix, count, pivots, product, p, out):
    """Cofactors of a missing last row, from the reduced rows: out[c] = det with e_c below them."""
    r = count + 1
    free = 0
    for c in range(r):  # the only column without a pivot
        used = False
        for t in range(count):
            used = used or pivots[t] == c
        if not used:
            free = c
    odd = (count - free) & 1
    for t in range(count):
        for s in range(t):
            if pivots[s] > pivots[t]:
                odd ^= 1
    scale = p - product if odd else product
    out[free] = scale
    return free


@kernel
def find_cofactors(residues, fields, rows, r, skip, matrix, pivots, out):
    """Cofactors of row `skip`: sum_c out[c] a_c is the determinant with a in place of that row.

    residues : (P, N, D) uint64; the first r columns are used
    rows : (>= r,) int64, the rows of the determinant
    matrix, pivots : scratch, (>= r, >= r) uint64 and (>= r,) int64
    out : (P, >= r) uint64, overwritten with Montgomery residues
    """
    for k in range(fields.shape[0]):
        p, negative_inverse, square = fields[k, 0], fields[k, 1], fields[k, 2]
        t = 0
        for b in range(r):
            out[k, b] = _ZERO
            if b != skip:
                for c in range(r):
                    matrix[t, c] = residues[k, rows[b], c]
                t += 1
        product = _eliminate(matrix, r - 1, r, pivots, p, negative_inverse, square)
        if product == _ZERO:
            continue  # dependent modulo p: every cofactor is divisible by p
        if (r - 1 - skip) & 1:
            product = p - product
        free = _expand(matrix, r - 1, pivots, product, p, out[k])
        scale = out[k, free]
        for t in range(r - 1):
            value = mont_mul(matrix[t, free], scale, p, negative_inverse)
            out[k, pivots[t]] = (p - value) % p


@kernel
def product_sign(residues, fields, row, r, cofactors, residue):
    """Sign of the integer product of a row with a vector of cofactors.

    residues : (P, N, D) uint64; cofactors : (P, >= r) uint64, Montgomery residues
    residue : (P,) uint64 scratch
    """
    for k in range(fields.shape[0]):
        p, negative_inverse = fields[k, 0], fields[k, 1]
        total = _ZERO
        for c in range(r):
            total += mont_mul(residues[k, row, c], cofactors[k, c], p, negative_inverse)
        residue[k] = total % p
    return crt_sign(residue, fields)


@kernel
def determinant_sign(residues, rows, r, fields, matrix, pivots, cofactors, residue):
    """Sign of the determinant of the first r columns of the given r rows.

    The product of the primes must exceed twice the determinant (Hadamard).

    residues : (P, N, D) uint64 Montgomery residues
    rows : (>= r,) int64
    fields : (P, 4 + P) uint64
    matrix, pivots, cofactors, residue : scratch as in `Work`
    """
    find_cofactors(residues, fields, rows, r, 0, matrix, pivots, cofactors)
    return product_sign(residues, fields, rows[0], r, cofactors, residue)
