"""Integer matrices whose minors tell zeros and signs of the minors of an algebraic matrix.

The entries a of a matrix are polynomials in an algebraic integer theta (the alpha of their field)
with integer coefficients. Modulo a prime p at which the minimal polynomial f has a root r, theta ->
r is a homomorphism: if a minor vanishes, so does its image. The other way round, if the image
vanishes, p divides the norm of the minor, an integer; so a minor that vanishes modulo primes whose
product exceeds its norm is zero. And a minor that is not zero has a norm of at least 1, its other
conjugates are bounded, so it is not small, and its sign is that of the minor of approximations that
are close enough.

An *integer image* has, for each entry a, the integer nearest to ``2**e a`` among those that have
its residue modulo all these primes (docs/exactness.md). So its minors are close to multiples of the
minors of the matrix, and have their residues.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.field_entries import field_of_rows, integers_of, powers_of_alpha
from arrangements.exact.number_field import NumberField
from arrangements.exact.real_roots import cosine_of, powers_of_conjugates, size_bounds
from arrangements.exact.residues import (
    PRIME_BITS,
    Attempt,
    moduli_of,
    primes_from,
    primes_with_roots_of_unity,
    root_of_unity,
)

IntRows = list[list[int]]
# (n, d, degree) integers: of the powers of theta, constant first.
Coefficients = NDArray[np.object_]

_BOUND_BITS = 16
# Bits by which an image is close to its entry: far below a rounding of 53 (docs/exactness.md, 7).
_CLOSE = 72
# Of so few powers, the sum of the absolute values bounds a number well. That of many is far above
# it, where they cancel: coordinates of a polygon of m sides have coefficients of m bits.
_FEW_POWERS = 8


class IntegerImage(NamedTuple):
    """An integer matrix, and the primes modulo all of which a minor vanishes iff it is zero."""

    rows: IntRows
    zero_primes: tuple[int, ...]


def integer_image(
    rows: Sequence[Sequence[Any]],
    field: NumberField,
    order: int,
    mixed_bits: int = 0,
    attempt: Attempt = 0,
    terms: int = 1,
) -> IntegerImage:
    """The integer image of rows with integral coefficients.

    Parameters
    ----------
    rows : lists of int and FieldElement
        As ``exact.numbers.integer_rows`` returns them.
    field : NumberField
    order : int
        Minors of at most so many rows are asked for, unit rows not counted.
    mixed_bits : int
        Columns may be replaced by combinations of them with integer coefficients; all these
        enlarge a minor by at most this many bits. Only signs are asked of such minors.
    attempt : int
        Of finding primes, as in ``exact.residues.moduli_of``.
    terms : int
        1, or 2 if the rows of the minors are differences of two rows.

    Examples
    --------
    >>> a = NumberField([-2, 0, 1], (1, 2), "a").generator
    >>> image = integer_image([[1, a], [a, 2]], a.field, 2)
    >>> (w, x), (y, z) = image.rows
    >>> all((w * z - x * y) % p == 0 for p in image.zero_primes)
    True
    """
    coefficients = _coefficients(rows, field)
    table = _row_squares(coefficients, field)
    squares = _bits_of_minors(table, order, terms)
    roots = _primes_above(_half(sum(squares)), field, attempt)
    largest = [_half(bits) for bits in squares]
    modulus = prod(roots)
    # Row by row, a minor of the image, divided by 2**(e order), differs from that of the matrix by
    # at most order * width * 2**(real + mixed_bits) * modulus / 2**e, and this has at least
    # 2**-least unless it is zero: the inverse of what its other conjugates are at most. The rows of
    # the image, divided by 2**e, are less than twice as large where that counts.
    real = max(largest, default=0) + order
    least = sum(largest) - min(largest, default=0) + 1 + (field.degree - 1) * (mixed_bits + order)
    width = len(rows[0]).bit_length() if rows else 0
    signs = least + real + mixed_bits + 2 * order + width + 8
    # An entry that is not zero has at least 2**-entry, and its image differs from it by the half of
    # modulus / 2**e. So floats of the image are those of the entries but for 2**-_CLOSE of them.
    sizes = [_half(bits) for bits in _bits_of_minors(table, 1, terms)]
    entry = sum(sizes) - min(sizes, default=0)
    e = max(signs, entry + _CLOSE) + modulus.bit_length()
    image = _Image(field, e, roots, modulus, _longest(coefficients))
    return IntegerImage(image.of(coefficients).tolist(), tuple(roots))


def _coefficients(rows: Sequence[Sequence[Any]], field: NumberField) -> Coefficients:
    m = field.degree
    entries = [integers_of(entry, m) for row in rows for entry in row]
    found = np.empty((len(entries), m), object)  # filled so: NumPy need not look for the shape
    for k, column in enumerate(zip(*entries, strict=True)):
        found[:, k] = column
    return found.reshape(len(rows), -1, m) if len(entries) else found.reshape(len(rows), 0, m)


def _longest(coefficients: Coefficients) -> int:
    """Bits of the largest coefficient."""
    return int(np.abs(coefficients).max(initial=0)).bit_length()


class _Image:
    """Maps a number to the integer nearest to 2**e times it that has its residues.

    Numbers are given by coefficients of up to so many bits.
    """

    def __init__(
        self, field: NumberField, e: int, roots: dict[int, int], modulus: int, longest: int
    ) -> None:
        self._modulus = modulus
        powers, scale = powers_of_alpha(field, e + longest + 2)
        self._powers = np.array(powers, object)
        self._shift, self._half = scale - e, 1 << (scale - e - 1)
        # the residues of powers of theta modulo all primes at once
        weights = {p: (modulus // p) * pow(modulus // p, -1, p) for p in roots}
        residues = [
            sum(pow(r, k, p) * weights[p] for p, r in roots.items()) % modulus
            for k in range(field.degree)
        ]
        self._residues = np.array(residues, object)
        # residues are those of entry 2**e, so that all minors of one order have a common factor
        self._factor = pow(2, e, modulus)

    def of(self, coefficients: Coefficients) -> NDArray[np.object_]:
        """The integers nearest to ``entry * 2**e`` with the residues of the entries."""
        near = (coefficients.dot(self._powers) + self._half) >> self._shift
        residue = coefficients.dot(self._residues) * self._factor
        shift = (residue - near) % self._modulus
        shift[2 * shift > self._modulus] -= self._modulus
        return near + shift


def residue_rows(rows: Sequence[Sequence[Any]], attempt: Attempt) -> tuple[int, NDArray[np.uint64]]:
    """A prime, and residues of integer rows or of rows of numbers of a field modulo it.

    A minor of the residues that is not zero proves that of the rows to be so.

    Examples
    --------
    >>> residue_rows([[1, -1]], 0)
    (2147483647, array([[         1, 2147483646]], dtype=uint64))
    """
    field = field_of_rows(rows)
    if field is None:
        (p,) = moduli_of(attempt, 1)
        residues = [[entry % p for entry in row] for row in rows]
    else:
        ((p, r),) = split_primes(field, 1, attempt).items()
        return p, _residues_at(_coefficients(rows, field), p, r)
    return p, np.array(residues, np.uint64)


def _residues_at(coefficients: Coefficients, p: int, r: int) -> NDArray[np.uint64]:
    """The images of integral numbers, (n, d), for theta -> r modulo p."""
    residues = (coefficients % p).astype(np.uint64)
    found, modulus = np.zeros(residues.shape[:2], np.uint64), np.uint64(p)
    for k in reversed(range(residues.shape[2])):
        found = (found * np.uint64(r) + residues[:, :, k]) % modulus
    return found


def deciding_residues(
    rows: Sequence[Sequence[Any]], field: NumberField, order: int, attempt: int, terms: int = 1
) -> tuple[tuple[int, ...], list[NDArray[np.uint64]]]:
    """Primes modulo all of which a minor of at most `order` rows vanishes iff it is zero.

    With 2 `terms`, a minor of differences of rows.

    Returns
    -------
    moduli : tuple of int
    residues : list of (N, D) uint64 ndarray
        Of the rows, for each of the primes.
    """
    roots = _primes_above(norm_bits(rows, field, order, terms), field, attempt)
    coefficients = _coefficients(rows, field)
    return tuple(roots), [_residues_at(coefficients, p, r) for p, r in roots.items()]


def residues_above_minors(
    rows: Sequence[Sequence[Any]], field: NumberField, order: int
) -> tuple[int, list[list[int]]]:
    """A prime above the norm of every minor of at most `order` rows, and residues modulo it.

    Examples
    --------
    >>> a = NumberField([-2, 0, 1], (1, 2), "a").generator
    >>> p, residues = residues_above_minors([[1, a], [a, 2]], a.field, 2)
    >>> residues[0][0], residues[0][1] ** 2 % p
    (1, 2)
    """
    from flint import fmpz, fmpz_mod_ctx, fmpz_mod_poly_ctx  # loads slowly

    candidate = fmpz(2 ** max(31, norm_bits(rows, field, order))) | 1
    while True:
        candidate += 2
        if candidate.is_prime():
            polynomials = fmpz_mod_poly_ctx(fmpz_mod_ctx(candidate))
            roots = polynomials(list(field.monic)).roots()
            if roots:
                p, r = int(candidate), min(int(root) for root, _ in roots)
                return p, [[residue_of(entry, field, p, r) for entry in row] for row in rows]


def norm_bits(rows: Sequence[Sequence[Any]], field: NumberField, order: int, terms: int = 1) -> int:
    """Bits of the norm of every minor of at most `order` rows, or differences of rows.

    So are those of a quotient of two of them: a minor other than zero has a norm of at least 1, so
    its inverse is at most the product of the bounds of its other conjugates.

    Examples
    --------
    >>> a = NumberField([-2, 0, 1], (1, 2), "a").generator
    >>> norm_bits([[1, a], [a, 2]], a.field, 2)
    5
    """
    return _half(sum(_minor_bits(_coefficients(rows, field), field, order, terms)))


def _half(bits: int) -> int:
    return -(-bits // 2)


def _minor_bits(
    coefficients: Coefficients, field: NumberField, order: int, terms: int = 1
) -> list[int]:
    """Bits of the square of each conjugate of every minor of at most `order` rows (Hadamard)."""
    return _bits_of_minors(_row_squares(coefficients, field), order, terms)


def _bits_of_minors(table: tuple[NDArray[np.object_], int], order: int, terms: int) -> list[int]:
    """The same from `_row_squares`."""
    squares, shift = table
    one = 1 << shift  # rows that are shorter may be left out
    found = []
    for sizes in squares.T.tolist():
        largest = [max(size, one) for size in sorted(sizes, reverse=True)[:order]]
        bits = prod(largest).bit_length() - shift * len(largest)
        found.append(bits + 2 * len(largest) * (terms - 1))
    return found


def residue_of(entry: Any, field: NumberField, p: int, r: int) -> int:
    """The image of an integral number for theta -> r modulo p."""
    value = 0
    for c in reversed(integers_of(entry, field.degree)):
        value = (value * r + c) % p
    return value


def _primes_above(bits: int, field: NumberField, attempt: Attempt) -> dict[int, int]:
    """At least one of `split_primes`, and enough for a product of at least ``2**bits``."""
    count = max(1, bits // (PRIME_BITS + 1))
    while prod(roots := split_primes(field, count, attempt)) >> bits == 0:
        count += 1
    return roots


def split_primes(field: NumberField, count: int, attempt: Attempt = 0) -> dict[int, int]:
    """Primes modulo which the minimal polynomial has a root, and such a root of each.

    Examples
    --------
    >>> field = NumberField([-2, 0, 1], (1, 2))
    >>> all((r * r - 2) % p == 0 for p, r in split_primes(field, 3).items())
    True
    """
    found: dict[int, int] = {}
    if (n := cosine_of(field.monic)) is not None:
        for p in primes_with_roots_of_unity(n, count, attempt):
            zeta = root_of_unity(n, p)
            found[p] = (zeta + pow(zeta, -1, p)) % p
        return found
    for p in primes_from(attempt):
        if len(found) == count:
            break
        if p not in found and (r := root_modulo(field, p)) is not None:
            found[p] = r
    return found


@lru_cache(maxsize=2**16)
def root_modulo(field: NumberField, p: int) -> int | None:
    """The least root of the minimal polynomial modulo a prime, if any.

    Examples
    --------
    >>> field = NumberField([-2, 0, 1], (1, 2))
    >>> root_modulo(field, 7), root_modulo(field, 5)
    (3, None)
    """
    from flint import nmod_poly  # loads slowly

    polynomial, x = nmod_poly([c % p for c in field.monic], p), nmod_poly([0, 1], p)
    # x^p - x is the product of x - r for all r: most primes have no root, which is known at once
    split = polynomial.gcd(pow(x, p, polynomial) - x)
    if split.degree() < 1:
        return None
    return min(int(-factor[0]) % p for factor, _ in split.factor()[1])


def _row_squares(coefficients: Coefficients, field: NumberField) -> tuple[NDArray[np.object_], int]:
    """For each row and conjugate, a bound of the sum of the squares of its entries.

    In units of ``2**-k``; returns k as well.
    """
    if field.degree > _FEW_POWERS:
        return _close_row_squares(coefficients, field)
    # bounds of the powers of each conjugate, in units of 2**-_BOUND_BITS
    bounds = [
        [ceil(bound**k * 2**_BOUND_BITS) for bound in size_bounds(field.monic)]
        for k in range(field.degree)
    ]
    totals = np.abs(coefficients).dot(np.array(bounds, object))
    return (totals**2).sum(axis=1), 2 * _BOUND_BITS


def _close_row_squares(
    coefficients: Coefficients, field: NumberField
) -> tuple[NDArray[np.object_], int]:
    """The same from approximations of the conjugates of each entry."""
    n, d, m = coefficients.shape
    longest = _longest(coefficients)
    bits = -(-(longest + m.bit_length() + _BOUND_BITS) // 64) * 64
    entries = coefficients.reshape(-1, m)
    totals = 4 * np.abs(entries).sum(axis=1)[:, None]  # errors of both parts
    for powers in powers_of_conjugates(field.monic, bits):
        totals = totals + np.abs(_product(entries, powers))
    return (totals.reshape(n, d, m) ** 2).sum(axis=1), 2 * bits


def _product(entries: NDArray[np.object_], factors: list[list[int]]) -> NDArray[np.object_]:
    from flint import fmpz_mat  # loads slowly

    found = fmpz_mat(entries.tolist()) * fmpz_mat(factors)
    table = np.empty((found.nrows(), found.ncols()), object)
    table[:] = [[int(x) for x in row] for row in found.tolist()]
    return table
