"""Numbers of real fields: arithmetic, signs, SymPy numbers, linear algebra, integer images."""

import math
import operator
import pickle
import sys
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from math import prod

import flint
import numpy as np
import pytest
import sympy
from sympy import CRootOf, GoldenRatio, cos, pi, root, sqrt
from sympy.abc import x

from arrangements import Arrangement, NumberField, generators, structure
from arrangements.errors import InputError, InputTypeError
from arrangements.exact import linear
from arrangements.exact.coercion import as_exact_matrix
from arrangements.exact.field_entries import integers_of, powers_of_alpha, twice_cosine
from arrangements.exact.integer_image import (
    deciding_residues,
    integer_image,
    norm_bits,
    residue_of,
    root_modulo,
    split_primes,
)
from arrangements.exact.number_field import FieldElement
from arrangements.exact.numbers import integer_rows, primitive

FIELDS = [
    NumberField([-2, 0, 1], (1, 2), "a"),
    NumberField([-2, 0, 1], (-2, -1), "a"),
    NumberField([-1, -2, 1, 1], (1, 2), "c"),
    NumberField([1, 0, -10, 0, 1], (0, 1), "d"),
    NumberField([-(10**12), 0, 0, 1, 0, 1], (0, 10**4), "e"),
    NumberField([-2, 0, 0, 0, 0, 0, 0, 0, 0, 1], (1, 2), "f"),  # bounds as for many powers
    NumberField([-1, 0, 2], (0, 1), "g"),  # no algebraic integers
    NumberField([3, -5, 0, Fraction(7, 2)], (-2, 0), "h"),
]


def value(number, digits=60):
    """The number by SymPy, rounded."""
    if not isinstance(number, FieldElement):
        return sympy.Rational(number.numerator, number.denominator)
    K = number.field
    roots = sympy.Poly(list(reversed(K.polynomial)), x).real_roots()
    theta = roots[K.root_number].evalf(digits)
    coefficients = [sympy.Rational(c.numerator, c.denominator) for c in number.coefficients]
    return sum(c * theta**k for k, c in enumerate(coefficients))


def integral(K):
    """The multiple of theta that is an algebraic integer: what integer images are computed of."""
    return K.polynomial[-1] * K.generator


def random_numbers(K, count, seed=0):
    rng = np.random.default_rng(seed)
    return [
        K([Fraction(int(p), int(q)) for p, q in rng.integers(1, 9, (K.degree, 2))]) * (-1) ** k
        for k in range(count)
    ]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("K", FIELDS, ids=str)
def test_arithmetic_and_order(K: NumberField) -> None:
    a, b, c = random_numbers(K, 3)
    assert (a + b) * c == a * c + b * c and a - a == 0 and a / a == 1
    assert 1 / a * a == 1 and (a / b) * b == a and a**3 == a * a * a and a**-2 == 1 / (a * a)
    assert 2 * a == a + a and Fraction(1, 2) * a + a / 2 == a and 1 - a == -(a - 1)
    for u, v in combinations([a, b, c, a * b, Fraction(1, 3), 2], 2):
        assert (u < v) == bool(value(u) < value(v)) and (u > v) == (v < u)
    for number in (a, b, a * b - c):
        assert abs(number.approximation(100) - value(number) * 2**100) < 1 + 1e-9
        assert float(number) == pytest.approx(float(value(number)), rel=1e-15)
    assert as_exact_matrix([[sympy.sympify(a)]])[0, 0].approximation(99) == a.approximation(99)
    assert pickle.loads(pickle.dumps(a)) == a and hash(a + b) == hash(b + a)


def test_signs_of_numbers_close_to_zero() -> None:
    a = FIELDS[0].generator
    small = (a - 1) ** 200
    assert small > 0 and -small < 0 and float(small) == pytest.approx(2.8e-77, rel=0.01)
    assert small < Fraction(1, 10**76) and str(a - 1) == "-1 + a"


@pytest.mark.parametrize(
    ("polynomial", "interval", "message"),
    [
        ([-4, 0, 1], (1, 3), "not irreducible"),
        ([-1, 2], (0, 1), "degree at least 2"),
        ([-1, 0, 2], (1, 2), "0 real roots"),
        ([-2, 1, 0], (0, 9), "the last one not 0"),
        ([-8, 0, 4.5], (1, 2), "not irreducible"),
        ([-2, 0, 1], (-2, 2), "2 real roots .* exactly one"),
        ([-2, 0, 1], (2, 3), "0 real roots"),
        ([1, 0, 1], (0, 9), "0 real roots"),
        ([-2, 0, 1], 3, "two rational numbers"),
        ("sqrt", (0, 1), "rational numbers, the constant first"),
        (np.array([-2, 0, 1 + 0j]), (1, 2), "rational numbers, the constant first"),
        (np.array([-2, 0, 1], "m8[ns]"), (1, 2), "rational numbers, the constant first"),
        ([-2, float("inf"), 1], (1, 2), "rational numbers, the constant first"),
        ([-2, 0, 1], np.array([1, 2 + 0j]), "two rational numbers"),
        ([-2, 0, 1], (1, float("inf")), "two rational numbers"),
        ([-2] + [0] * 29 + [1], (0, 9), "field of degree 30; expected at most 24"),
    ],
)
def test_what_is_no_field(polynomial, interval, message: str) -> None:
    with pytest.raises(InputError, match=message):
        NumberField(polynomial, interval)


@pytest.mark.parametrize(
    "polynomial", [[-1, 0, 0.5], [4, 0, -2], [Fraction(-2, 3), 0, Fraction(1, 3)]]
)
def test_multiples_of_a_minimal_polynomial(polynomial) -> None:
    assert NumberField(polynomial, (1, 2)) == FIELDS[0]
    assert NumberField(polynomial, (1, 2)).polynomial == (-2, 0, 1)


@pytest.mark.parametrize("coefficients", [[-1, 1, 1, 3], [1, -4, 0, 6], [-5, 0, 0, 0, 2]])
def test_theta_is_a_root_of_a_polynomial_that_is_not_monic(coefficients) -> None:
    a = coefficients[-1]
    (low, high), *_ = (
        ends for ends, _ in sympy.Poly(coefficients[::-1], x).intervals(eps=Fraction(1, 9))
    )
    K = NumberField(coefficients, (low, high), "t")
    theta = K.generator
    assert K.polynomial == tuple(coefficients) and low < theta < high
    assert sum((c * theta**k for k, c in enumerate(coefficients)), Fraction(0)) == 0
    assert theta.coefficients[:2] == (0, 1) and repr(2 - theta / 3) == "2 - 1/3*t"
    power = theta**4 + theta
    assert K(list(power.coefficients)) == power == K([0, 1, 0, 0, 1])
    # the field of a theta, an algebraic integer, is another one with the same numbers
    monic = [c * a ** (len(coefficients) - 2 - k) for k, c in enumerate(coefficients[:-1])] + [1]
    other = NumberField(monic, (a * low, a * high), "u")
    assert other != K and other.generator == a * theta and hash(other.generator) == hash(a * theta)
    assert K(other.generator) == a * theta and other(theta) * a == other.generator
    for number in (K, theta, 1 / theta, Arrangement([[1, theta], [theta / 5, 1]])):
        assert pickle.loads(pickle.dumps(number)) == number
    assert K(Arrangement([[sympy.sympify(theta), 1]]).normals[0, 0]) == theta


@pytest.mark.parametrize("K", FIELDS, ids=str)
def test_floats_are_the_nearest(K: NumberField) -> None:
    numbers = [K.generator, *random_numbers(K, 4), K.generator / 3**600, K.generator * 5**200]
    for number in [*numbers, *(-n for n in numbers)]:
        # rounded from below and from above
        bits = 2000
        near = number.approximation(bits)
        ends = {float(Fraction(near + e, 2**bits)) for e in (-1, 1)}
        assert {float(number)} == ends and complex(number) == float(number)
        assert abs(number.nearby / float(number) - 1) < 2.0**-51
    # a tie between two floats, but for 2**-300 of it
    tie = 1 + Fraction(1, 2**53)
    for sign in (-1, 1):
        close = tie + sign * K.generator / (Fraction(2) ** 400 * (abs(K.generator) + 1))
        assert float(close) == (1 + 2.0**-52 if (sign > 0) == (K.generator > 0) else 1)
    tiny = K.generator / 2**2000
    assert str(float(tiny)) == ("0.0" if tiny > 0 else "-0.0")
    tiny /= 2**2000
    assert str(float(tiny)) == ("0.0" if tiny > 0 else "-0.0")
    # the largest floats are the nearest of numbers below 2**1024 - 2**970
    small = abs(K.generator) / (Fraction(2) ** 200 * (abs(K.generator) + 1))
    for sign in (-1, 1):
        close = sign * (2**1024 - 2**970 - small)
        assert float(close) == sign * sys.float_info.max
        with pytest.raises(OverflowError):
            float(sign * (2**1024 - 2**970 + small))
    with pytest.raises(OverflowError):
        float(K.generator * 2**2000)


def test_vertices_become_floats() -> None:
    a = FIELDS[6].generator
    found = structure.vertices([[1, 0], [0, 1], [1, 1]], [0, -1, -a])
    floats = np.array(found, dtype=float)
    assert sorted(floats.tolist()) == sorted([[0, 1], [0, 0.5**0.5], [float(a - 1), 1]])
    assert np.asarray(Arrangement([[a, 2]]).normals, float).tolist() == [[0.5**0.5, 2]]
    big = NumberField([-(10**701), 0, 1], (0, 10**351))
    assert repr(big).endswith("theta = 3.16228e+350..)")


def test_a_number_is_never_rounded_in_silence() -> None:
    a = FIELDS[0].generator
    for convert in (int, round, lambda n: n % 2, lambda n: n // 1, operator.index, math.floor):
        with pytest.raises((InputTypeError, TypeError)):
            convert(a)
    with pytest.raises(InputTypeError, match="rational entries only"):
        np.array([a, 1]).astype(int)
    ones = np.ones(2)
    for mix in (
        lambda: a + 0.5,
        lambda: a < 0.5,
        lambda: np.float64(0.5) * a,
        lambda: np.float32(0.5) > a,
        lambda: ones + np.array([a, 1]),
        lambda: ones @ np.array([a, 1]),
        lambda: np.maximum(ones, a),
        lambda: np.isclose(a, 1.4),
    ):
        with pytest.raises(TypeError):
            mix()
    assert not (np.array([2**0.5]) == a).any() and a != 2**0.5


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("number", "polynomial"),
    [
        (sqrt(2), (-2, 0, 1)),
        (sqrt(8) / 3 + 1, (-2, 0, 1)),
        (GoldenRatio, (-5, 0, 1)),
        (2 * cos(2 * pi / 7), (-1, -2, 1, 1)),
        (CRootOf(x**3 + x + 1, 0), (1, 1, 0, 1)),
        (root(2, 3), (-2, 0, 0, 1)),
        (sqrt(2 + sqrt(2)), (2, 0, -4, 0, 1)),
        (sympy.sin(pi / 5), None),
        (1 / (root(3, 3) - 1), None),
        (sqrt(2) + sqrt(3) - CRootOf(x**3 - x - 1, 0), None),
    ],
)
def test_sympy_numbers(number, polynomial) -> None:
    ((entry, one),) = as_exact_matrix([[number, 1]])
    assert one == 1 and isinstance(entry, FieldElement)
    assert polynomial is None or entry.field.polynomial == polynomial
    assert abs(entry.approximation(150) - number.evalf(60) * 2**150) < 1 + 1e-9


@pytest.mark.slow
def test_a_number_is_told_from_its_conjugates() -> None:
    """Where 60 digits, or the decimals that SymPy finds, do not tell them apart."""
    large = 10**60
    product = 2 * large * sqrt(2)
    roots = [sqrt(large**2 + 2 + product), sqrt(large**2 + 2 - product)]
    ((more, less, plus, minus),) = as_exact_matrix([[*roots, large + sqrt(2), large - sqrt(2)]])
    assert more == plus and less == minus and less < more
    tiny = sqrt(sqrt(10**200 + 1) - 10**100)  # 7.07e-51: SymPy's evalf says it is imaginary
    ((entry,),) = as_exact_matrix([[tiny]])
    assert float(entry) == pytest.approx(7.0710678e-51)
    close = sympy.Poly((x - 1) * (x - 2) * (x - 3) * 10**40 + 1, x)
    (row,) = as_exact_matrix([[CRootOf(close, k) for k in range(3)]])
    assert [entry < k for k, entry in enumerate(row, 1)] == [True, False, True]
    ((entry,),) = as_exact_matrix([[sympy.cbrt(2 + sympy.I) + sympy.cbrt(2 - sympy.I)]])
    assert float(entry) == pytest.approx(2.5841514)  # SymPy does not know it to be real


@pytest.mark.slow
def test_long_integers_are_not_factored() -> None:
    p, q = sympy.nextprime(10**60), sympy.nextprime(3 * 10**60)
    entries = [sqrt(p * q), CRootOf(p * q * x**3 - 7 * x - 1, 0), CRootOf(10**30 * x**3 - 2, 0)]
    for given in entries:
        ((entry,),) = as_exact_matrix([[given]])
        assert abs(entry.approximation(300) - given.evalf(200) * 2**300) < 1 + 1e-9
    assert entry.field.polynomial == (-2, 0, 0, 1)


def test_numbers_that_are_rational_after_all() -> None:
    matrix = as_exact_matrix([[sqrt(2) * sqrt(8), (1 + sqrt(5)) / 2 - GoldenRatio]])
    assert matrix.tolist() == [[4, 0]] and matrix.dtype == np.int64


def test_one_field_for_normals_and_offsets() -> None:
    A = Arrangement([[1, sqrt(2)]], [sqrt(3)])
    assert A.field.degree == 4
    assert A.normals[0, 1] ** 2 == 2 and A.offsets[0] ** 2 == 3
    assert Arrangement([[1, sqrt(2)]], [1 + sqrt(8)]).field.degree == 2


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (sympy.cbrt(-2), "complex"),
        (CRootOf(x**3 - 2, 1), "complex"),
        (sympy.exp(sympy.sqrt(2)), "not known to be algebraic"),
        (sympy.Integer(2) ** sqrt(2), "not known to be algebraic"),
        (sympy.Float("1.5") * sqrt(2), "not known to be algebraic"),
        (sympy.zoo, "expected finite"),
        (sympy.I, r"row 0, column 1, is complex \(I\)"),
        (sympy.E, "has E, which is not known to be algebraic"),
        (sqrt(2) + pi, "has pi"),
        (x + 1, "has the unknown x; expected numbers"),
        (root(2, 29), "of degree 29 .* at most 24"),
        (sympy.oo, "expected finite"),
    ],
)
def test_numbers_that_are_refused(entry, message: str) -> None:
    with pytest.raises(
        InputError if "finite" in message or "degree" in message else InputTypeError, match=message
    ):
        Arrangement([[1, entry]])


@pytest.mark.parametrize("K", FIELDS[:4], ids=str)
def test_linear_algebra(K: NumberField) -> None:
    numbers = random_numbers(K, 12, 1)
    rows = [numbers[:4], numbers[4:8], numbers[8:]]
    rows.append([a + K.generator * b for a, b in zip(rows[0], rows[2], strict=True)])
    assert linear.rank(rows) == 3 and linear.row_basis(rows) == (0, 1, 2)
    assert linear.column_basis(rows) == (0, 1, 2)
    (dependency,) = linear.nullspace(list(zip(*rows, strict=True)), 4)
    assert [primitive(dependency), primitive([-y for y in dependency])].count(
        primitive([1, 0, K.generator, -1])
    ) == 1
    assert linear.determinant(rows) == 0
    square = [row[:3] for row in rows[:3]]
    inverse = linear.inverse(square)
    assert linear.matrix_product(square, inverse) == np.eye(3, dtype=int).tolist()
    assert linear.determinant(square) * linear.determinant(inverse) == 1
    found = linear.solve(square, [1, 0, K.generator])
    assert linear.matrix_product(square, [[y] for y in found]) == [[1], [0], [K.generator]]


@pytest.mark.parametrize("K", FIELDS, ids=str)
def test_an_integer_image_is_near_and_has_the_residues(K: NumberField) -> None:
    """Of the numbers times a power of two, which is that of the entry 1."""
    theta, big = integral(K), 2**70 + 3
    entries = [1, theta, 5 - big * theta, big * theta * theta - 7 * theta]
    (row,), primes = integer_image([entries], K, 1)
    modulus = prod(primes)
    e = (row[0] + modulus).bit_length() - 1
    for entry, found in zip(entries, row, strict=True):
        exact = entry.approximation(e) if isinstance(entry, FieldElement) else entry << e
        assert abs(found - exact) <= modulus // 2 + 2
        for p, r in split_primes(K, len(primes)).items():
            assert (found - residue_of(entry, K, p, r) * 2**e) % p == 0


@pytest.mark.parametrize("bits", [0, 20, 300])
@pytest.mark.parametrize("K", FIELDS, ids=str)
def test_sums_of_powers_are_as_near_as_promised(K: NumberField, bits: int) -> None:
    powers, scale = powers_of_alpha(K, bits)
    exact = [integral(K) ** k for k in range(K.degree)]
    for b in (0, 40):
        for signs in product((1, -1), repeat=min(K.degree, 4)):
            c = [s * 2**b for s in signs] + [2**b] * (K.degree - len(signs))
            total = sum(x * y for x, y in zip(c, exact, strict=True))
            finer = total.approximation(scale + 9) if isinstance(total, FieldElement) else None
            near = sum(x * y for x, y in zip(c, powers, strict=True)) << 9
            if finer is not None:
                assert abs(near - finer) < 2 ** (b + scale - bits + 9) + 1


@pytest.mark.parametrize("K", FIELDS, ids=str)
def test_minors_of_an_integer_image(K: NumberField) -> None:
    numbers = random_numbers(K, 6, 2)
    rows = [[numbers[0], 1, 2], [1, numbers[1], 0], [numbers[2], numbers[3], 1]]
    rows.append([a * numbers[4] - b for a, b in zip(rows[0], rows[1], strict=True)])
    rows.append([0, 0, 1])
    given = integer_rows(as_exact_matrix(rows))
    image = integer_image(given, K, 3)
    moduli, residues = deciding_residues(given, K, 3, 0)
    assert len(moduli) == len(residues) and prod(moduli) >= 2 ** norm_bits(given, K, 3)
    seen = set()
    for chosen in combinations(range(5), 3):
        exact = linear.determinant([given[i] for i in chosen])
        integer = linear.determinant([image.rows[i] for i in chosen])
        zero = all(integer % p == 0 for p in image.zero_primes)
        assert zero == (exact == 0)
        if not zero:
            assert (integer > 0) == (exact > 0)
        seen.add(zero)
    assert seen == {True, False}


@pytest.mark.parametrize("K", FIELDS, ids=str)
@pytest.mark.parametrize("size", [1, 40])
def test_floats_of_an_integer_image_are_those_of_the_entries(K: NumberField, size: int) -> None:
    """Also if one prime is enough and signs need few bits."""
    theta = integral(K)
    rows = [[theta + a, size * theta - b, 1] for a in (-1, 0, 2) for b in (-1, 3)]
    rows = [[int(e) if isinstance(e, Fraction) else e for e in row] for row in rows]
    image = integer_image([*rows, [0, 0, 1]], K, 1)
    unit = image.rows[-1][-1]
    for row, integers in zip(rows, image.rows, strict=False):
        for entry, integer in zip(row, integers, strict=True):
            if isinstance(entry, FieldElement):
                value = Fraction(entry.approximation(400), 2**400)
            else:
                value = Fraction(entry)
            assert abs(Fraction(integer, unit) - value) <= abs(value) * Fraction(1, 2**64)


def minors_of(K: NumberField) -> list[list[list[FieldElement]]]:
    x = K.generator
    numbers = random_numbers(K, 4, 7)
    near = x**21 - (x**21).approximation(0)  # cancels, but not in other conjugates
    return [[[numbers[0], x], [numbers[1], 1]], [[near, 1], [x, x]], [numbers[:2], numbers[2:]]]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("K", [*FIELDS, twice_cosine(61).field, twice_cosine(84).field], ids=str)
def test_norms_are_below_their_bounds(K: NumberField) -> None:
    """A norm is a resultant; the bound is close where it is found from all conjugates."""
    f = flint.fmpz_poly(list(K.monic))
    for minor in minors_of(K):
        given = integer_rows(as_exact_matrix(minor))
        coefficients = integers_of(linear.determinant(given), K.degree)
        norm = abs(int(f.resultant(flint.fmpz_poly(list(coefficients)))))
        bits = norm_bits(given, K, 2)
        assert norm < 2**bits
        if K.degree > 8:
            assert bits < 1.1 * norm.bit_length() + 4 * K.degree


def test_bounds_of_many_powers_are_those_of_the_values() -> None:
    """Coordinates of a polygon are small in all conjugates; their coefficients are not."""
    A = generators.coxeter("I2", 53)
    K = next(entry.field for entry in A.normals.ravel() if isinstance(entry, FieldElement))
    rows = integer_rows(A.normals)
    assert max(abs(c) for row in rows for x in row for c in integers_of(x, K.degree)) > 2**15
    assert norm_bits(rows, K, 2) < 2 * 8 * K.degree


def test_primes_of_large_fields_of_cosines() -> None:
    """They split the polynomial, as those that are searched for do."""
    field = twice_cosine(101).field
    assert field.degree == 50
    for attempt in (0, 1):
        found = split_primes(field, 3, attempt)
        assert len(found) == 3
        for p, r in found.items():
            assert 2**30 < p < 2**31 and p % 101 == 1
            assert sum(c * pow(r, k, p) for k, c in enumerate(field.polynomial)) % p == 0
            assert root_modulo(field, p) is not None


@pytest.mark.filterwarnings("error")
def test_coefficients_of_other_types() -> None:
    field = NumberField([-2, 0, 1], (1, 2))
    for dtype in (np.int8, np.float16, np.float32, np.longdouble, object):
        assert NumberField(np.array([-2, 0, 1], dtype), (1, 2)) == field
    assert field(np.float32(0.1)) == Fraction(float(np.float32(0.1)))
    assert field(Decimal("0.1")) == Fraction(1, 10)
    for odd in (1j, np.complex64(1), np.array(1 + 0j), np.datetime64(5, "ns"), float("nan"), None):
        with pytest.raises(InputTypeError, match="is no number of"):
            field(odd)


def test_polynomials_of_sympy() -> None:
    x, y = sympy.symbols("x y")
    K = NumberField([-1, -3, 2], (0, 4))
    for polynomial in (2 * x**2 - 3 * x - 1, sympy.Poly(x**2 - 3 * x / 2 - sympy.Rational(1, 2))):
        assert NumberField(polynomial, (0, 4)) == K
    for bad in (x * y - 2, sympy.Integer(3), x**2 - sympy.sqrt(2), sympy.sin(x)):
        with pytest.raises(InputError, match="or a SymPy polynomial in one variable"):
            NumberField(bad, (0, 4))


def test_floats_are_refused_with_advice() -> None:
    root = NumberField([-2, 0, 1], (1, 2)).generator
    for question in (
        lambda: root < 1.5,
        lambda: root >= np.float64(1.5),
        lambda: 1.5 < root,
        lambda: root + 1.5,
        lambda: 1.5 * root,
        lambda: root / 1.5,
        lambda: 1.5 / root,
    ):
        with pytest.raises(InputTypeError, match=r"1\.5.* is a float .*; pass Fraction\(.*float\("):
            question()
    assert root < Fraction(1.5) and float(root) < 1.5 and root != 1.4142135623730951


def test_no_interval() -> None:
    assert NumberField([-2, 0, 0, 1]) == NumberField([-2, 0, 0, 1], (1, 2))
    assert NumberField([5, 0, 0, 0, 0, 1]).generator < -1
    several = r"interval is missing, and the polynomial has 2 real roots: -1.41421.., 1.41421..; "
    with pytest.raises(InputError, match=several + r"expected \(low, high\), around one of them"):
        NumberField([-2, 0, 1])
    with pytest.raises(
        InputError, match="has 0 real roots; expected a polynomial with a real root"
    ):
        NumberField([1, 0, 1])
