"""Signs of determinants of integer rows, from their residues modulo enough primes.

The cofactors of one row serve every row that is put in its place: a single elimination per
prime, then one product of vectors for each determinant sign. The other way round, one elimination
gives the determinants with one new row in place of each of the others (`find_weights`).
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
def _odd(pivots, count):
    """Whether the permutation t -> pivots[t] is odd."""
    odd = 0
    for t in range(count):
        for s in range(t):
            if pivots[s] > pivots[t]:
                odd ^= 1
    return odd == 1


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
    odd = _odd(pivots, count) != (((count - free) & 1) == 1)
    scale = p - product if odd else product
    out[free] = scale
    return free


@kernel
def _cofactors_modulo(residues, fields, k, rows, r, skip, matrix, pivots, out):
    """`find_cofactors` modulo one prime, into (>= r,) `out`."""
    p, negative_inverse, square = fields[k, 0], fields[k, 1], fields[k, 2]
    t = 0
    for b in range(r):
        out[b] = _ZERO
        if b != skip:
            for c in range(r):
                matrix[t, c] = residues[k, rows[b], c]
            t += 1
    product = _eliminate(matrix, r - 1, r, pivots, p, negative_inverse, square)
    if product == _ZERO:
        return  # dependent modulo p: every cofactor is divisible by p
    if (r - 1 - skip) & 1:
        product = p - product
    free = _expand(matrix, r - 1, pivots, product, p, out)
    scale = out[free]
    for t in range(r - 1):
        value = mont_mul(matrix[t, free], scale, p, negative_inverse)
        out[pivots[t]] = (p - value) % p


@kernel
def find_cofactors(residues, fields, rows, r, skip, matrix, pivots, out):
    """Cofactors of row `skip`: sum_c out[c] a_c is the determinant with a in place of that row.

    residues : (P, N, D) uint64; the first r columns are used
    rows : (>= r,) int64, the rows of the determinant
    matrix, pivots : scratch, (>= r, >= r) uint64 and (>= r,) int64
    out : (P, >= r) uint64, overwritten with Montgomery residues
    """
    for k in range(fields.shape[0]):
        _cofactors_modulo(residues, fields, k, rows, r, skip, matrix, pivots, out[k])


@kernel
def _residue_of_product(residues, fields, k, row, r, cofactors):
    """Residue modulo one prime of the product of a row with (>= r,) cofactors."""
    p, negative_inverse = fields[k, 0], fields[k, 1]
    total = _ZERO
    for c in range(r):
        total += mont_mul(residues[k, row, c], cofactors[c], p, negative_inverse)
    return total % p


@kernel
def product_sign(residues, fields, row, r, cofactors, residue):
    """Sign of the integer product of a row with a vector of cofactors.

    residues : (P, N, D) uint64; cofactors : (P, >= r) uint64, Montgomery residues
    residue : (P,) uint64 scratch
    """
    for k in range(fields.shape[0]):
        residue[k] = _residue_of_product(residues, fields, k, row, r, cofactors[k])
    return crt_sign(residue, fields)


@kernel
def find_weights(residues, fields, rows, r, row, matrix, pivots, out):
    """Determinants with `row` in place of each of the rows, and that of the rows themselves.

    By Cramer's rule they are the weights of the row as a combination of the rows, times det.

    matrix, pivots : scratch, (>= r, >= r + 1) uint64 and (>= r,) int64
    out : (P, >= r + 1) uint64, overwritten: out[:, b] belongs to rows[b], out[:, r] to the rows
    """
    for k in range(fields.shape[0]):
        p, negative_inverse, square = fields[k, 0], fields[k, 1], fields[k, 2]
        for c in range(r):
            for b in range(r):
                matrix[c, b] = residues[k, rows[b], c]
            matrix[c, r] = residues[k, row, c]
        product = _eliminate(matrix, r, r + 1, pivots, p, negative_inverse, square)
        regular = product != _ZERO
        for t in range(r):
            regular = regular and pivots[t] < r
        out[k, r] = _ZERO
        if regular:
            determinant = p - product if _odd(pivots, r) else product
            for t in range(r):
                out[k, pivots[t]] = mont_mul(matrix[t, r], determinant, p, negative_inverse)
            out[k, r] = determinant
            continue
        for b in range(r):  # p divides the determinant: one by one
            _cofactors_modulo(residues, fields, k, rows, r, b, matrix, pivots, matrix[r - 1])
            out[k, b] = _residue_of_product(residues, fields, k, row, r, matrix[r - 1])


@kernel
def column_sign(residues, c, fields, residue):
    """Sign of the integer whose residues are a column of (P, >= c + 1) `residues`.

    residue : (P,) uint64 scratch
    """
    for k in range(fields.shape[0]):
        residue[k] = residues[k, c]
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
