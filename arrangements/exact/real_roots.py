"""Integer polynomials and enclosures of their roots; FLINT computes these through python-flint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil, gcd, lcm
from numbers import Rational
from threading import Lock
from typing import Any

from arrangements.errors import InputError
from arrangements.messages import quote

# A real root: its polynomial, and how many real roots are smaller.
Root = tuple[tuple[int, ...], int]

_PRECISION = Lock()


# Larger fields are refused: signs would need very long integers.
MOST_DEGREE = 24


# Bits of the first enclosure of a number, and those of the last that finds its sign.
FIRST_BITS = 64


def powers_of_conjugates(coefficients: tuple[int, ...], bits: int) -> list[list[list[int]]]:
    """Integers within 2 of ``2**bits`` times the powers of all roots of a polynomial.

    Returns
    -------
    list of lists of lists of int
        Real parts, and imaginary parts unless all roots are real: of each power, below the degree,
        those of all roots.

    Examples
    --------
    >>> powers_of_conjugates((-2, 0, 1), 2)
    [[[4, 4], [-5, 6]]]
    """
    size = ceil(max(size_bounds(coefficients))).bit_length()
    precision = bits + (len(coefficients) - 1) * size + FIRST_BITS
    while True:
        found = _powers_within(coefficients, bits, precision)
        if found is not None:
            return found
        precision *= 2


def _powers_within(
    coefficients: tuple[int, ...], bits: int, precision: int
) -> list[list[list[int]]] | None:
    from flint import acb  # loads slowly

    with at_precision(precision):
        roots = _roots(coefficients)
        powers = [[acb(1)] * len(roots)]
        for _ in range(len(coefficients) - 2):
            powers.append([power * root for power, root in zip(powers[-1], roots, strict=True)])
        parts = [[[power.real for power in row] for row in powers]]
        if not all(root.imag == 0 for root in roots):
            parts.append([[power.imag for power in row] for row in powers])
        least = [[[-_above(-x.lower(), bits) for x in row] for row in part] for part in parts]
        found = [[[_above(x.upper(), bits) for x in row] for row in part] for part in parts]
    close = all(
        high - low <= 2
        for highs, lows in zip(found, least, strict=True)
        for row, other in zip(highs, lows, strict=True)
        for high, low in zip(row, other, strict=True)
    )
    return found if close else None


@lru_cache(maxsize=64)
def cosine_of(coefficients: tuple[int, ...]) -> int | None:
    """The n of which this is the minimal polynomial of ``2 cos(2 pi / n)``, if there is one.

    Only polynomials above the degree of all other fields are looked at.

    Examples
    --------
    >>> from flint import fmpz_poly
    >>> cosine_of(tuple(map(int, fmpz_poly.cos_minpoly(61)))), cosine_of((-2, 0, 1))
    (61, None)
    """
    from flint import fmpz_poly  # loads slowly
    from sympy import totient  # loads slowly

    degree = len(coefficients) - 1
    if degree <= MOST_DEGREE:
        return None
    # n is at most 6 times its totient for all n below 10^9
    for n in range(2 * degree + 1, 12 * degree + 1):
        if totient(n) == 2 * degree and [*fmpz_poly.cos_minpoly(n)] == [*coefficients]:
            return n
    return None


def as_rational(value: Any) -> Fraction | None:
    """An int or Fraction, of NumPy too, as a Fraction; None for anything else."""
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    return None


def as_fraction(value: Any) -> Fraction:
    """A rational number of Python, NumPy, SymPy or another library; an exception for others."""
    if getattr(getattr(value, "dtype", None), "kind", None) in ("m", "M"):  # dates become integers
        raise TypeError
    value = value.item() if hasattr(value, "item") else value
    if (found := as_rational(value)) is not None:
        return found
    if hasattr(value, "as_integer_ratio"):  # floats and decimals
        return Fraction(*map(int, value.as_integer_ratio()))
    if isinstance(value, str):
        return Fraction(value)
    if int(value) != value:
        raise ValueError
    return Fraction(int(value))


def check_degree(degree: int) -> None:
    """Refuse a field of too large a degree."""
    if degree > MOST_DEGREE:
        raise InputError(
            f"the entries lie in a field of degree {degree}; expected at most {MOST_DEGREE}. "
            "Use fewer different irrational numbers, or round them."
        )


def check_polynomial(terms: Any) -> tuple[int, ...]:
    """Coprime integer coefficients of a multiple of an irreducible polynomial, the last positive.

    Examples
    --------
    >>> check_polynomial([-1, 0, 0.5]), check_polynomial([2, 0, -3])
    ((-2, 0, 1), (-2, 0, 3))
    """
    from flint import fmpz_poly  # loads slowly

    try:
        if hasattr(terms, "as_poly"):  # of SymPy, highest power first
            (variable,) = terms.as_poly().gens
            if not variable.is_Symbol:
                raise TypeError
            terms = terms.as_poly().all_coeffs()[::-1]
        if any(isinstance(c, str) for c in terms):
            raise TypeError
        rational = [as_fraction(c) for c in terms]
    except Exception as error:  # whatever the entries raise
        raise InputError(
            f"polynomial is {quote(terms)}; expected rational numbers, the constant first, or a "
            "SymPy polynomial in one variable."
        ) from error
    if len(rational) < 3 or not rational[-1]:
        raise InputError(
            f"polynomial is {quote(terms)}; expected coefficients, the constant first, of degree "
            "at least 2, and the last one not 0."
        )
    check_degree(len(rational) - 1)
    coefficients = _primitive(rational)
    _, factors = fmpz_poly(list(coefficients)).factor()
    if len(factors) != 1 or factors[0][1] != 1:
        raise InputError(f"polynomial is {quote(terms)}, which is not irreducible.")
    return coefficients


def monic_multiple(coefficients: tuple[int, ...]) -> tuple[int, ...]:
    """The monic polynomial with integer coefficients of the last one times the roots.

    Examples
    --------
    >>> monic_multiple((-1, 0, 2))
    (-2, 0, 1)
    """
    *others, a = coefficients
    last = len(others) - 1
    return (*(c * a ** (last - k) for k, c in enumerate(others)), 1)


def _primitive(rational: Sequence[Fraction]) -> tuple[int, ...]:
    """The multiple with coprime integers, the last one positive."""
    common = lcm(*(c.denominator for c in rational))
    whole = [int(c * common) for c in rational]
    factor = gcd(*whole) if whole[-1] > 0 else -gcd(*whole)
    return tuple(c // factor for c in whole)


@contextmanager
def at_precision(bits: int) -> Iterator[None]:
    """Set the precision of FLINT, which all threads share."""
    from flint import ctx  # loads slowly

    with _PRECISION, ctx.workprec(bits):
        yield


def _roots(coefficients: tuple[int, ...]) -> list[Any]:
    """Disjoint enclosures of the complex roots, acb of about as many correct bits as are set."""
    from flint import acb, arb, fmpq, fmpz_poly  # loads slowly

    if (n := cosine_of(coefficients)) is not None:
        angles = [fmpq(2 * k, n) for k in range(1, n // 2 + 1) if gcd(k, n) == 1]
        return [acb(2 * arb.cos_pi_fmpq(angle)) for angle in angles]
    polynomial: Any = fmpz_poly(list(coefficients))
    return [root for root, _ in polynomial.complex_roots()]


@lru_cache(maxsize=256)
def enclose_real_roots(coefficients: tuple[int, ...], bits: int) -> tuple[tuple[int, int], ...]:
    """Integers around ``root * 2**bits`` for each real root, ascending."""
    size = max(abs(c) for c in coefficients).bit_length()
    found = []
    precision = bits + size + 32
    with at_precision(precision):
        for root in _roots(coefficients):
            if root.imag == 0:  # FLINT tells real roots from others
                low, high = -root.real.lower(), root.real.upper()
                found.append((-_above(low, bits), _above(high, bits)))
    return tuple(sorted(found))


def _above(ball: Any, bits: int) -> int:
    """The least integer that is not below an exact ball times ``2**bits``."""
    mantissa, exponent = ball.man_exp()
    shift = int(exponent) + bits
    return int(mantissa) << shift if shift >= 0 else -(-int(mantissa) >> -shift)


def fraction_of(ball: Any) -> Fraction:
    """The value of an exact ball."""
    mantissa, exponent = ball.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def roots_between(coefficients: tuple[int, ...], low: Fraction, high: Fraction) -> tuple[int, int]:
    """Numbers of real roots below `low`, and between `low` and `high`, which are no roots."""
    bits = FIRST_BITS
    while True:
        roots = enclose_real_roots(coefficients, bits)
        bounds = [(Fraction(a, 2**bits), Fraction(b, 2**bits)) for a, b in roots]
        if not any(a <= end <= b for a, b in bounds for end in (low, high)):
            return sum(b < low for _, b in bounds), sum(low < a and b < high for a, b in bounds)
        bits *= 2


def approximate_root(coefficients: tuple[int, ...], index: int, bits: int) -> int:
    """An integer that differs from ``root * 2**bits`` by less than 1.

    Examples
    --------
    >>> approximate_root((-2, 0, 1), 1, 3)
    11
    """
    finer = FIRST_BITS
    while finer <= bits:
        finer *= 2
    value = _approximate_root(coefficients, index, finer)
    return ((value >> (finer - bits - 1)) + 1) >> 1


@lru_cache(maxsize=256)
def _approximate_root(coefficients: tuple[int, ...], index: int, bits: int) -> int:
    low, high = enclose_real_roots(coefficients, bits + 4)[index]
    assert high - low <= 4  # computed with more bits than asked for
    return (low + high + 16) >> 5


@lru_cache(maxsize=64)
def size_bounds(coefficients: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Upper bounds for the absolute values of all roots."""
    with at_precision(FIRST_BITS):
        sizes = [fraction_of(abs(root).upper()) for root in _roots(coefficients)]
    return tuple(Fraction(ceil(size * 2**20), 2**20) for size in sizes)


def rounded(value: Fraction, digits: int = 6) -> str:
    """A fraction as a decimal number of so many digits, also beyond the range of floats.

    Examples
    --------
    >>> rounded(Fraction(3, 2)), rounded(Fraction(10**400, 3), 4)
    ('1.5', '3.333e+399')
    """
    try:
        if (number := float(value)) or not value:
            return f"{number:.{digits}g}"
    except OverflowError:
        pass
    context = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{quotient:.{digits}g}"


def root_of_sum(a: Root, b: Root, multiple: int) -> Root | None:
    """The sum of a root and a multiple of another one; None if conjugates have the same sum.

    Examples
    --------
    >>> root_of_sum(((-2, 0, 1), 1), ((-3, 0, 1), 1), 1)
    ((1, 0, -10, 0, 1), 3)
    """
    from flint import fmpz_mat  # loads slowly

    m, n = len(a[0]) - 1, len(b[0]) - 1
    matrix = [[0] * (m * n) for _ in range(m * n)]
    first, second = _companion(a[0]), _companion(b[0])
    for i in range(m):
        for j in range(n):
            for k in range(m):
                matrix[i * n + j][k * n + j] += first[i][k]
            for k in range(n):
                matrix[i * n + j][i * n + k] += multiple * second[j][k]
    _, factors = fmpz_mat(matrix).charpoly().factor()
    if any(power > 1 for _, power in factors):
        return None
    bits = FIRST_BITS
    while True:
        value = approximate_root(*a, bits) + multiple * approximate_root(*b, bits)
        ends = (Fraction(value - multiple - 2, 2**bits), Fraction(value + multiple + 2, 2**bits))
        found = []
        for factor, _ in factors:
            coefficients = tuple(int(c) for c in factor.coeffs())
            below, inside = roots_between(coefficients, *ends)
            found += [(coefficients, below + k) for k in range(inside)]
        if len(found) == 1:
            check_degree(len(found[0][0]) - 1)
            return found[0]
        bits *= 2


def _companion(polynomial: Sequence[int]) -> list[list[int]]:
    degree = len(polynomial) - 1
    return [
        [int(i == j + 1) - (polynomial[i] if j == degree - 1 else 0) for j in range(degree)]
        for i in range(degree)
    ]


def fmpq_polynomial(coefficients: Sequence[Fraction]) -> Any:
    """The polynomial as FLINT has it, the constant first."""
    from flint import fmpq_poly, fmpz_poly  # loads slowly

    common = lcm(*(c.denominator for c in coefficients))
    return fmpq_poly(
        fmpz_poly([c.numerator * (common // c.denominator) for c in coefficients]), common
    )


@lru_cache(maxsize=64)
def flint_modulus(coefficients: tuple[int, ...]) -> Any:
    """The same of integers, kept."""
    return fmpq_polynomial([Fraction(c) for c in coefficients])
