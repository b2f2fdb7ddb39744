"""Exact signs from residues: Montgomery products and the Chinese remainder theorem.

An integer v with ``2 |v| < p_1 p_2 .. p_m`` is determined by its residues; it is
zero iff all of them are, and its sign is read off its mixed-radix digits. The
primes lie between 2**30 and 2**31, so a product of two residues fits in uint64.

Residues that take part in products are kept in Montgomery form (v 2**32 mod p):
the product then needs no division and the loops over rows vectorize.

Layout shared by the kernels here (`fields`, built by ``exact.residues``)::

    fields[k, 0]   p_k
    fields[k, 1]   -1 / p_k  mod 2**32
    fields[k, 2]   2**64 mod p_k              (turns a residue into Montgomery form)
    fields[k, 3]   digit k of (p_1 .. p_m - 1) / 2 in the mixed radix p_1, p_2, ..
    fields[k, 4 + j]  1 / p_j mod p_k for j < k
    fields[0, 4]   how many of the primes decide whether v stands for zero: all, or the first ones
                   if v is a minor of an integer image (``exact.integer_image``)
"""

import numpy as np

from arrangements.kernels.compilation import entry, inlined, kernel

_LOW = np.uint64(0xFFFFFFFF)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_32 = np.uint64(32)


@inlined
def mont_mul(a, b, p, negative_inverse):
    """a b 2**-32 mod p for residues a, b < p < 2**31 (all uint64)."""
    product = a * b
    quotient = (product * negative_inverse) & _LOW
    result = (product + quotient * p) >> _32
    return result - p if result >= p else result


@inlined
def mont_product(a, b, p, negative_inverse):
    """`mont_mul` without branches, of numbers that LLVM can see to have 32 bits."""
    product = (a & _LOW) * (b & _LOW)
    quotient = ((product & _LOW) * (negative_inverse & _LOW)) & _LOW
    result = (product + quotient * (p & _LOW)) >> _32
    return min(result, result - p)


@inlined
def mont_one(p, negative_inverse, square):
    """Montgomery form of 1; square = 2**64 mod p."""
    return mont_mul(_ONE, square, p, negative_inverse)


@kernel
def mont_inverse(a, p, negative_inverse, square):
    """Montgomery form of 1/a, a a non-zero Montgomery residue (Fermat); square = 2**64 mod p."""
    result = mont_one(p, negative_inverse, square)
    if a == result or a == p - result:  # 1 and -1 are frequent
        return a
    exponent = p - np.uint64(2)
    while exponent > _ZERO:
        if exponent & _ONE:
            result = mont_mul(result, a, p, negative_inverse)
        a = mont_mul(a, a, p, negative_inverse)
        exponent >>= _ONE
    return result


@kernel
def mont_inverses(a, count, p, negative_inverse, square, out):
    """Montgomery forms of 1/a[i] for i < count, by one inversion, that of the product; 0 for 0.

    a : (>= count,) uint64, Montgomery residues
    out : (>= count,) uint64, overwritten; not `a` itself
    """
    product = mont_one(p, negative_inverse, square)
    for i in range(count):
        out[i] = product
        if a[i] != _ZERO:
            product = mont_mul(product, a[i], p, negative_inverse)
    inverse = mont_inverse(product, p, negative_inverse, square)
    for i in range(count - 1, -1, -1):
        if a[i] == _ZERO:
            out[i] = _ZERO
            continue
        out[i] = mont_mul(inverse, out[i], p, negative_inverse)
        inverse = mont_mul(inverse, a[i], p, negative_inverse)


@entry
def mont_determinant(a, k, p, negative_inverse, square):
    """Montgomery form of the determinant of a[:k, :k], uint64 Montgomery residues; destroys a."""
    # rows are cross-multiplied, not divided: one inverse at the end undoes it
    result = scale = mont_one(p, negative_inverse, square)
    for c in range(k):
        r = c
        while r < k and a[r, c] == _ZERO:
            r += 1
        if r == k:
            return _ZERO
        if r != c:
            result = p - result
            for t in range(c, k):
                a[r, t], a[c, t] = a[c, t], a[r, t]
        pivot = a[c, c]
        result = mont_mul(result, pivot, p, negative_inverse)
        for r in range(c + 1, k):
            scale = mont_mul(scale, pivot, p, negative_inverse)
            factor = p - a[r, c]
            for t in range(c + 1, k):
                x = mont_mul(a[r, t], pivot, p, negative_inverse)
                x += mont_mul(a[c, t], factor, p, negative_inverse)
                a[r, t] = x - p if x >= p else x
    return mont_mul(result, mont_inverse(scale, p, negative_inverse, square), p, negative_inverse)


@kernel
def crt_sign(residues, fields):
    """Sign (-1, 0, 1) of the integer v with 2 |v| < product of the primes.

    It is 0 if v vanishes modulo the primes that decide this: fields[0, 4].

    residues : (m,) uint64, Montgomery residues of v; overwritten by its mixed-radix digits
    fields : (m, 4 + m) uint64, see the module docstring
    """
    m = residues.shape[0]
    zero = True
    for k in range(np.int64(fields[0, 4])):
        if residues[k] != _ZERO:
            zero = False
    if zero:
        return 0
    for k in range(m):
        p = fields[k, 0]
        digit = mont_mul(residues[k], _ONE, p, fields[k, 1])
        for j in range(k):
            digit = ((digit + p - residues[j] % p) * fields[k, 4 + j]) % p
        residues[k] = digit
    for k in range(m - 1, -1, -1):
        if residues[k] != fields[k, 3]:
            return -1 if residues[k] > fields[k, 3] else 1
    return 1
