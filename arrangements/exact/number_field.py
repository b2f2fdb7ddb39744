"""Real number fields: Q(theta), theta a real root of an irreducible integer polynomial.

A number of the field is a polynomial in theta with rational coefficients, of lower degree than the
minimal polynomial. So equality is that of coefficients, and the sign of a number that is not zero
shows in an enclosure of it by intervals, once these are narrow enough. FLINT does the arithmetic
through python-flint, imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache, total_ordering
from math import ceil, gcd, lcm
from numbers import Rational
from threading import Lock
from typing import Any, NoReturn

from arrangements.addresses import public_class
from arrangements.errors import InputError, InputTypeError
from arrangements.execution.limits import check_bytes, free_bytes
from arrangements.messages import quote

_PRECISION = Lock()
# Larger fields are refused: signs would need very long integers.
MOST_DEGREE = 24
# Of 2 cos(2 pi / n) the roots of the polynomial are known, and primes modulo which it splits. First
# answers about dihedral arrangements take 0.2 s for degree 105, 2 s for 200, 20 s for 504, and so
# many bytes times the third power of the degree.
_BYTES_OF_COSINES = 7
# Bits of the first enclosure of a number, and those of the last that finds its sign.
_FIRST_BITS = 64
# Precisions at which a number is looked for in a field.
_LLL_BITS = (24, 96, 384)


@public_class
class NumberField:
    """A field Q(theta) of real numbers, theta a root of an irreducible polynomial; immutable.

    Calling it makes its numbers, which calculate with each other, with integers and fractions, and
    which every matrix may hold. Two fields are equal if they have the same theta.

    Parameters
    ----------
    polynomial : sequence of int
        Coefficients of the minimal polynomial of theta, constant first; monic and irreducible.
    interval : (low, high), pair of rational numbers
        Exactly one real root lies between them.
    name : str
        What to call theta in texts.

    Attributes
    ----------
    polynomial : tuple of int
    degree : int
        2 to 24.
    name : str

    Raises
    ------
    InputError
        If the polynomial is not monic, not irreducible or of another degree, or if the interval
        holds no root or several.

    See Also
    --------
    Arrangement : also takes SymPy numbers such as ``sqrt(2)`` and finds their field itself.

    Notes
    -----
    SymPy reads the numbers: ``sympify(number)`` is an expression with the same value.

    Examples
    --------
    >>> K = NumberField([-1, -1, 1], (1, 2), "phi")
    >>> phi = K.generator
    >>> phi**2, 1 / phi, K([Fraction(1, 2), 3]), phi > Fraction(8, 5)
    (1 + phi, -1 + phi, 1/2 + 3*phi, True)
    """

    polynomial: tuple[int, ...]
    degree: int
    name: str

    def __init__(
        self,
        polynomial: Sequence[int],
        interval: tuple[Any, Any],
        name: str = "theta",
    ) -> None:
        coefficients = _checked_polynomial(polynomial)
        try:
            low, high = (_fraction(end) for end in interval)
        except Exception as error:  # whatever the entries raise
            raise InputError(
                f"interval is {quote(interval)}; expected two rational numbers (low, high)."
            ) from error
        below, inside = roots_between(coefficients, low, high)
        if inside != 1:
            raise InputError(
                f"{inside} real roots of the polynomial lie between {low} and {high}; expected "
                "exactly one: choose another interval."
            )
        self._set(coefficients, below, name)

    def _set(self, coefficients: tuple[int, ...], index: int, name: str) -> None:
        # attributes are set once, past the __setattr__ that makes the object immutable
        degree = len(coefficients) - 1
        self.__dict__.update(polynomial=coefficients, degree=degree, name=name, _index=index)

    @classmethod
    def _of_root(cls, coefficients: tuple[int, ...], index: int, name: str) -> NumberField:
        """The field of a real root, by its number in ascending order."""
        field = cls.__new__(cls)
        field._set(coefficients, index, name)
        return field

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a NumberField is immutable; make a new one to change {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a NumberField is immutable; {name!r} cannot be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        return field_of_root, (self.polynomial, self.root_number, self.name)

    @property
    def _key(self) -> tuple[tuple[int, ...], int]:
        return self.polynomial, self.__dict__["_index"]

    @property
    def root_number(self) -> int:
        """How many real roots of the polynomial are smaller than theta."""
        return int(self.__dict__["_index"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NumberField) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        low = rounded(theta_approximation(self, 40), 40)
        return f"NumberField({list(self.polynomial)}, {self.name} = {low}..)"

    @property
    def generator(self) -> FieldElement:
        """The number theta."""
        element = self([0, 1])
        assert isinstance(element, FieldElement)
        return element

    def __call__(self, value: Any) -> Fraction | FieldElement:
        """A number of the field, by its coefficients (constant first) or a rational number.

        A rational number comes out as a Fraction, as does every rational result.
        """
        if isinstance(value, FieldElement):
            if value.field == self:
                return value
            common, _, image = _join(self, value.field)
            if common != self:
                raise InputError(f"{value!r} belongs to {value.field}; expected one of {self}.")
            return _substituted(value, image)
        given = value if isinstance(value, (list, tuple)) else [value]
        try:
            coefficients = [_fraction(part) for part in given]
        except Exception as error:  # whatever the entries raise
            raise InputTypeError(
                f"{quote(value)} is no number of {self}; expected a rational number, or "
                "coefficients of powers of theta, constant first."
            ) from error
        return self._element(_fmpq_poly(coefficients))

    def _element(self, polynomial: Any) -> Fraction | FieldElement:
        if polynomial.degree() >= self.degree:
            polynomial = polynomial % _modulus(self.polynomial)
        if polynomial.degree() < 1:
            return Fraction(int(polynomial[0].p), int(polynomial[0].q))
        return FieldElement(self, polynomial)


@total_ordering
class FieldElement:
    """An irrational number of a `NumberField`; rational ones are Fractions.

    Attributes
    ----------
    field : NumberField

    Examples
    --------
    >>> phi = NumberField([-1, -1, 1], (1, 2), "phi").generator
    >>> (2 * phi - 1) ** 2, hash(phi) == hash(phi + 0), abs(1 - phi)
    (Fraction(5, 1), True, -1 + phi)
    """

    __slots__ = ("_integers", "_polynomial", "field")

    def __init__(self, field: NumberField, polynomial: Any) -> None:
        self.field, self._polynomial = field, polynomial
        self._integers: tuple[tuple[int, ...], int] | None = None

    @property
    def coefficients(self) -> tuple[Fraction, ...]:
        """Coefficients of the powers of theta, constant first: one for each, `field.degree`."""
        found = [Fraction(int(c.p), int(c.q)) for c in self._polynomial.coeffs()]
        return (*found, *[Fraction(0)] * (self.field.degree - len(found)))

    @property
    def numerators(self) -> tuple[int, ...]:
        """The coefficients times `common_denominator`."""
        return self._integral[0]

    @property
    def common_denominator(self) -> int:
        """The least positive integer whose product with the number has integer coefficients."""
        return self._integral[1]

    @property
    def _integral(self) -> tuple[tuple[int, ...], int]:
        """Numerators and denominator, which take a microsecond to get: only once."""
        if self._integers is None:
            found = tuple(map(int, self._polynomial.numer().coeffs()))
            found += (0,) * (self.field.degree - len(found))
            self._integers = found, int(self._polynomial.denom())
        return self._integers

    def approximation(self, bits: int) -> int:
        """An integer that differs from the number times ``2**bits`` by less than 1."""
        coefficients = self._polynomial.numer().coeffs()
        longest = max(int(c).bit_length() for c in coefficients)
        bound = max(size_bounds(self.field)) + 1
        guard = longest + self.field.degree * (ceil(bound).bit_length() + 2) + 4
        theta, scale = theta_approximation(self.field, bits + guard), bits + guard
        # Horner's rule with theta rounded: the error, in units of 2**-scale, is multiplied by
        # |theta| + 1 in each step and grows by the size of what was computed so far
        value = 0
        for c in reversed(coefficients):
            value = (value * theta >> scale) + (int(c) << scale)
        denominator = self.common_denominator << guard
        return (2 * value + denominator) // (2 * denominator)

    def _sign(self) -> int:
        bits = _FIRST_BITS
        while True:
            value = self.approximation(bits)
            if abs(value) > 1:
                return 1 if value > 0 else -1
            bits *= 2

    # ------------------------------------------------------------------ arithmetic

    def _with(self, other: Any, operation: Callable[[Any, Any], Any]) -> Fraction | FieldElement:
        if isinstance(other, FieldElement):
            if other.field != self.field:
                first, second = _joined(self, other)
                return first._with(second, operation)
            value = other._polynomial
        else:
            value = _rational(other)
            if value is None:
                return NotImplemented
            value = _fmpq_poly([value])
        return self.field._element(operation(self._polynomial, value))

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, FieldElement):
            return self * other._inverse()
        value = _rational(other)
        return NotImplemented if value is None else self * (1 / value)

    def __rtruediv__(self, other: Any) -> Any:
        return self._inverse() * other

    def _inverse(self) -> FieldElement:
        common, weight, _ = self._polynomial.xgcd(_modulus(self.field.polynomial))
        assert common == 1  # the minimal polynomial is irreducible
        inverse = self.field._element(weight)
        assert isinstance(inverse, FieldElement)
        return inverse

    def __pow__(self, exponent: int) -> Any:
        if not isinstance(exponent, int):
            return NotImplemented
        base, result = self if exponent >= 0 else self._inverse(), 1
        for _ in range(abs(exponent)):
            result = base * result
        return result

    def __neg__(self) -> FieldElement:
        return FieldElement(self.field, -self._polynomial)

    def __pos__(self) -> FieldElement:
        return self

    def __abs__(self) -> FieldElement:
        return self if self._sign() > 0 else -self

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FieldElement):
            if self.field == other.field:
                return bool(self._polynomial == other._polynomial)
            if abs(self.approximation(_FIRST_BITS) - other.approximation(_FIRST_BITS)) > 1:
                return False  # most numbers differ, and a common field takes long to find
            first, second = _joined(self, other)
            return bool(first._polynomial == second._polynomial)
        return False if _rational(other) is not None else NotImplemented

    def __lt__(self, other: Any) -> bool:
        difference = self - other
        if difference is NotImplemented:
            return NotImplemented
        return bool(
            difference._sign() < 0 if isinstance(difference, FieldElement) else difference < 0
        )

    def __hash__(self) -> int:
        # the floor of a multiple is the same in every field that holds the number
        guard = 8
        while True:
            value = self.approximation(_FIRST_BITS + guard)
            if (floor := (value - 1) >> guard) == (value + 1) >> guard:
                return hash(floor)
            guard *= 2

    def __reduce__(self) -> tuple[Any, ...]:
        return NumberField.__call__, (self.field, list(self.coefficients))

    # ------------------------------------------------------------------ texts and refusals

    def __repr__(self) -> str:
        powers = ["", self.field.name, *(f"{self.field.name}**{k}" for k in range(2, 99))]
        terms = []
        for c, power in zip(self.coefficients, powers, strict=False):
            if c:
                size = str(abs(c)) if abs(c) != 1 or not power else ""
                term = f"{size}*{power}" if size and power else size or power
                terms.append(("- " if c < 0 else "+ ") + term)
        first, *rest = terms
        return " ".join([first[2:] if first[0] == "+" else "-" + first[2:], *rest])

    def rounded_text(self, digits: int = 6) -> str:
        """The number rounded to some digits.

        Examples
        --------
        >>> NumberField([-2, 0, 1], (1, 2)).generator.rounded_text()
        '1.41421'
        """
        return f"{self.to_float():.{digits}g}"

    def to_float(self) -> float:
        """A float within two units in the last place, infinite beyond their range."""
        bits = 64 - min(0, self.exponent)
        try:
            return self.approximation(bits) / (1 << bits)
        except OverflowError:
            return float("inf") if self._sign() > 0 else float("-inf")

    @property
    def exponent(self) -> int:
        """About the binary logarithm of the size of the number."""
        bits = _FIRST_BITS
        while abs(value := self.approximation(bits)) <= 1:
            bits *= 2
        return value.bit_length() - bits

    def _sympy_(self) -> Any:
        from sympy import CRootOf, Poly, Rational, Symbol  # loads slowly

        minimal = Poly(list(reversed(self.field.polynomial)), Symbol("x"))
        # by a square root if that is enough
        theta = CRootOf(minimal, self.field.root_number, radicals=self.field.degree == 2)
        parts = (Rational(*c.as_integer_ratio()) for c in self.coefficients)
        return sum((c * theta**k for k, c in enumerate(parts)), Rational(0))

    def _refuse(self, *_: Any) -> NoReturn:
        raise InputTypeError(
            f"the entries are not all rational, {self!r} for example, and this computation is "
            "available for rational entries only; round them first (numbers have to_float())."
        )

    # Whatever takes a number for an integer, a fraction or a float says so instead of rounding it.
    __float__ = __int__ = __index__ = __complex__ = __round__ = __trunc__ = _refuse
    __mod__ = __floordiv__ = __rmod__ = __rfloordiv__ = __lshift__ = __rshift__ = __divmod__ = (
        _refuse
    )
    bit_length = as_integer_ratio = _refuse
    numerator = denominator = property(_refuse)


def theta_approximation(field: NumberField, bits: int) -> int:
    """An integer that differs from ``theta * 2**bits`` by less than 1.

    Examples
    --------
    >>> theta_approximation(NumberField([-2, 0, 1], (1, 2)), 3)
    11
    """
    finer = _FIRST_BITS
    while finer <= bits:
        finer *= 2
    value = _approximation(field.polynomial, field.root_number, finer)
    return ((value >> (finer - bits - 1)) + 1) >> 1


def powers_of_theta(field: NumberField, bits: int) -> tuple[list[int], int]:
    """Integers near ``theta**k * 2**scale``, k below the degree, and the scale.

    A sum of products of these with integers of at most 2**b differs from that of the powers, times
    2**scale, by less than ``2**(b + scale - bits)``.
    """
    m = field.degree
    # Rounded powers are off by less than (|theta| + 2)**k units: a step multiplies the error by
    # |theta| + 2**-scale, and adds |theta|**(k - 1) and a rounding.
    guard = m * (ceil(max(size_bounds(field)) + 2).bit_length() + 1) + m.bit_length()
    scale = bits + guard
    theta, powers = theta_approximation(field, scale), [1 << scale]
    for _ in range(m - 1):
        powers.append(powers[-1] * theta >> scale)
    return powers, scale


def size_bounds(field: NumberField) -> tuple[Fraction, ...]:
    """Upper bounds for the absolute values of all roots of the polynomial of a field."""
    return _size_bounds(field.polynomial)


def powers_of_conjugates(field: NumberField, bits: int) -> list[list[list[int]]]:
    """Integers within 2 of ``2**bits`` times the powers of all roots of the polynomial.

    Returns
    -------
    list of lists of lists of int
        Real parts, and imaginary parts unless all roots are real: of each power, below the degree,
        those of all roots.

    Examples
    --------
    >>> powers_of_conjugates(NumberField([-2, 0, 1], (1, 2)), 2)
    [[[4, 4], [-5, 6]]]
    """
    size = max(size_bounds(field)).__ceil__().bit_length()
    precision = bits + field.degree * size + _FIRST_BITS
    while True:
        found = _powers_within(field, bits, precision)
        if found is not None:
            return found
        precision *= 2


def _powers_within(field: NumberField, bits: int, precision: int) -> list[list[list[int]]] | None:
    from flint import acb  # loads slowly

    with at_precision(precision):
        roots = _roots(field.polynomial)
        powers = [[acb(1)] * len(roots)]
        for _ in range(field.degree - 1):
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


def twice_cosine(n: int) -> Fraction | FieldElement:
    """The number ``2 cos(2 pi / n)``.

    Examples
    --------
    >>> twice_cosine(6), twice_cosine(8) ** 2, twice_cosine(5).field
    (Fraction(1, 1), Fraction(2, 1), NumberField([-1, 1, 1], (2*cos(2*pi/5)) = 0.618034..))
    """
    from flint import fmpz_poly  # loads slowly
    from sympy import totient  # loads slowly

    degree = int(totient(n)) // 2
    if degree > MOST_DEGREE:
        what = f"answers over Q(2 cos(2 pi / {n})), of degree {degree}"
        check_bytes(what, _BYTES_OF_COSINES * degree**3, allowed=free_bytes())
    polynomial = tuple(int(c) for c in fmpz_poly.cos_minpoly(n).coeffs())
    if degree <= 1:
        return Fraction(-polynomial[0])
    # the largest of the conjugates, which all are real
    return NumberField._of_root(polynomial, degree - 1, f"(2*cos(2*pi/{n}))").generator


@lru_cache(maxsize=64)
def cosine_of(coefficients: tuple[int, ...]) -> int | None:
    """The n of which this is the minimal polynomial of ``2 cos(2 pi / n)``, if there is one.

    Only polynomials above the degree of all other fields are looked at.

    Examples
    --------
    >>> cosine_of(twice_cosine(61).field.polynomial), cosine_of((-2, 0, 1))
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


def field_of(entries: Any) -> NumberField | None:
    """The one field of the irrational numbers among some entries; None if all are rational.

    Examples
    --------
    >>> field_of([1, Fraction(1, 2)]) is None
    True
    """
    found = None
    for entry in entries:
        if type(entry) is FieldElement and entry.field is not found:
            # coefficients of another field would be taken for coefficients of this one
            assert found is None or entry.field == found, f"{entry} is not of {found}"
            found = entry.field
    return found


def field_of_rows(rows: Any) -> NumberField | None:
    """The same for rows of entries."""
    return field_of(entry for row in rows for entry in row)


def integers_of(entry: Any, degree: int) -> tuple[int, ...]:
    """Coefficients of a number of a field of this degree, all of which are integers.

    Examples
    --------
    >>> a = NumberField([-2, 0, 1], (1, 2), "a").generator
    >>> integers_of(3 - 2 * a, 2), integers_of(5, 2)
    ((3, -2), (5, 0))
    """
    if type(entry) is FieldElement:
        numerators, denominator = entry._integral
        assert denominator == 1  # other rows have to be made integral first
        return numerators
    assert entry.denominator == 1
    return (int(entry), *(0,) * (degree - 1))


def coefficients_of(entry: Any, degree: int) -> tuple[Fraction, ...]:
    """Coefficients of a number of a field of this degree, which may be rational."""
    if type(entry) is FieldElement:
        return entry.coefficients
    return (Fraction(entry), *[Fraction(0)] * (degree - 1))


def numerators_of(entry: Any) -> tuple[tuple[int, ...], int]:
    """Numerators of the coefficients of a number, which may be rational, and their denominator.

    Examples
    --------
    >>> a = NumberField([-2, 0, 1], (1, 2), "a").generator
    >>> numerators_of(a / 2 + 1), numerators_of(Fraction(2, 3))
    (((2, 1), 2), ((2,), 3))
    """
    if type(entry) is FieldElement:
        return entry._integral
    return (int(entry.numerator),), int(entry.denominator)


def whole_number(field: NumberField, coefficients: Sequence[int]) -> int | FieldElement:
    """The number with these coefficients: an int if it is rational.

    Examples
    --------
    >>> K = NumberField([-2, 0, 1], (1, 2), "a")
    >>> whole_number(K, [3, 1]), whole_number(K, [3])
    (3 + a, 3)
    """
    from flint import fmpq_poly  # loads slowly

    if not any(coefficients[1:]):
        return coefficients[0]
    element = FieldElement(field, fmpq_poly(list(coefficients)))
    element._integers = tuple(coefficients), 1
    return element


def images_in_common_field(fields: Sequence[NumberField]) -> tuple[NumberField, list[Any]]:
    """A field that contains all the fields, and their generators as its numbers.

    Examples
    --------
    >>> a, b = NumberField([-2, 0, 1], (1, 2), "a"), NumberField([-3, 0, 1], (1, 2), "b")
    >>> K, (x, y) = images_in_common_field([a, b])
    >>> K.degree, x * x, y * y, x > 0, y > 0
    (4, Fraction(2, 1), Fraction(3, 1), True, True)
    """
    common, images = fields[0], [fields[0].generator]
    for field in fields[1:]:
        joined, first, second = _join(common, field)
        if joined != common:
            images = [_substituted(image, first) for image in images]
        common = joined
        images.append(second)
    return common, images


def _joined(a: FieldElement, b: FieldElement) -> tuple[FieldElement, FieldElement]:
    """Two numbers in a field that contains both."""
    _, first, second = _join(a.field, b.field)
    return _substituted(a, first), _substituted(b, second)


def _substituted(element: Any, image: Any) -> Any:
    """A number of a field in another one that has `image` for theta."""
    if not isinstance(element, FieldElement) or image.field == element.field:
        return element
    value: Any = 0
    for c in reversed(element.coefficients):
        value = value * image + c
    return value


def in_field(element: Any, image: Any) -> Any:
    """A number in the larger field in which theta is `image`; rational ones stay."""
    return _substituted(element, image)


@lru_cache(maxsize=256)
def _join(a: NumberField, b: NumberField) -> tuple[NumberField, Any, Any]:
    """A field that contains both, and both generators in it."""
    if a == b:
        return a, a.generator, b.generator
    if (image := _contained(b, a, _LLL_BITS[:2])) is not None:
        return a, a.generator, image
    if (image := _contained(a, b, _LLL_BITS[:2])) is not None:
        return b, image, b.generator
    for multiple in range(1, 100):
        joined = _sum_field(a, b, multiple)
        if joined is not None:
            first = _contained(a, joined, _LLL_BITS)
            second = _contained(b, joined, _LLL_BITS) if first is not None else None
            if second is not None:
                return joined, first, second
    raise InputError(f"no common field of {a} and {b} was found; give the numbers by one field.")


def _sum_field(a: NumberField, b: NumberField, multiple: int) -> NumberField | None:
    """The field of theta_a + multiple theta_b; None if sums of conjugates coincide."""
    from flint import fmpz_mat  # loads slowly

    m, n = a.degree, b.degree
    matrix = [[0] * (m * n) for _ in range(m * n)]
    first, second = _companion(a.polynomial), _companion(b.polynomial)
    for i in range(m):
        for j in range(n):
            for k in range(m):
                matrix[i * n + j][k * n + j] += first[i][k]
            for k in range(n):
                matrix[i * n + j][i * n + k] += multiple * second[j][k]
    _, factors = fmpz_mat(matrix).charpoly().factor()
    if any(power > 1 for _, power in factors):
        return None
    bits = _FIRST_BITS
    while True:
        value = theta_approximation(a, bits) + multiple * theta_approximation(b, bits)
        ends = (Fraction(value - multiple - 2, 2**bits), Fraction(value + multiple + 2, 2**bits))
        found = []
        for factor, _ in factors:
            coefficients = tuple(int(c) for c in factor.coeffs())
            below, inside = roots_between(coefficients, *ends)
            found += [(coefficients, below + k) for k in range(inside)]
        if len(found) == 1:
            coefficients, index = found[0]
            _check_degree(len(coefficients) - 1)
            return NumberField._of_root(coefficients, index, "theta")
        bits *= 2


def _companion(polynomial: Sequence[int]) -> list[list[int]]:
    degree = len(polynomial) - 1
    return [
        [int(i == j + 1) - (polynomial[i] if j == degree - 1 else 0) for j in range(degree)]
        for i in range(degree)
    ]


def _contained(part: NumberField, field: NumberField, trials: Sequence[int]) -> Any:
    """The generator of `part` as a number of `field`, proved; None if none was found."""
    from flint import fmpz_mat  # loads slowly

    m = field.degree
    if m % part.degree:
        return None
    powers: list[Any] = [1]
    for _ in range(m - 1):
        powers.append(powers[-1] * field.generator)
    for each in trials:
        bits = each * (m + 1)
        values = [
            p.approximation(bits) if isinstance(p, FieldElement) else p << bits for p in powers
        ]
        values.append(theta_approximation(part, bits))
        lattice = [[int(i == j) for j in range(m + 1)] + [v] for i, v in enumerate(values)]
        shortest = [int(e) for e in fmpz_mat(lattice).lll().tolist()[0]]
        if not shortest[m]:
            continue
        found = field([Fraction(-c, shortest[m]) for c in shortest[:m]])
        if isinstance(found, FieldElement) and _is_root(part, found):
            return found
    return None


def _is_root(part: NumberField, found: FieldElement) -> bool:
    """Whether a number is the generator of a field: that root of its polynomial, and no other."""
    value: Any = 0
    for c in reversed(part.polynomial):
        value = value * found + c
    if value != 0:
        return False
    bits = _FIRST_BITS
    while True:
        middle = found.approximation(bits)
        ends = Fraction(middle - 1, 2**bits), Fraction(middle + 1, 2**bits)
        below, inside = roots_between(part.polynomial, *ends)
        if inside == 1:
            return below == part.root_number
        bits *= 2


def field_of_root(polynomial: tuple[int, ...], place: int, name: str) -> NumberField:
    """The field of the real root at a place, in ascending order, of a stored polynomial.

    Examples
    --------
    >>> field_of_root((-2, 0, 1), 1, "a")
    NumberField([-2, 0, 1], a = 1.41421..)
    """
    coefficients = _checked_polynomial(polynomial)
    number = len(_real_roots(coefficients, _FIRST_BITS))
    if not 0 <= place < number:
        raise InputError(f"the polynomial has {number} real roots; number {place} was stored.")
    return NumberField._of_root(coefficients, place, name)


def _rational(value: Any) -> Fraction | None:
    """An int or Fraction, of NumPy too, as a Fraction; None for anything else."""
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    return None


def _fraction(value: Any) -> Fraction:
    """A rational number of Python, NumPy, SymPy or another library; an exception for others."""
    if getattr(getattr(value, "dtype", None), "kind", None) in ("m", "M"):  # dates become integers
        raise TypeError
    value = value.item() if hasattr(value, "item") else value
    if (found := _rational(value)) is not None:
        return found
    if hasattr(value, "as_integer_ratio"):  # floats and decimals
        return Fraction(*map(int, value.as_integer_ratio()))
    if isinstance(value, str):
        return Fraction(value)
    if int(value) != value:
        raise ValueError
    return Fraction(int(value))


def _fmpq_poly(coefficients: Sequence[Fraction]) -> Any:
    from flint import fmpq_poly, fmpz_poly  # loads slowly

    common = lcm(*(c.denominator for c in coefficients))
    return fmpq_poly(
        fmpz_poly([c.numerator * (common // c.denominator) for c in coefficients]), common
    )


@lru_cache(maxsize=64)
def _modulus(coefficients: tuple[int, ...]) -> Any:
    return _fmpq_poly([Fraction(c) for c in coefficients])


def _check_degree(degree: int) -> None:
    if degree > MOST_DEGREE:
        raise InputError(
            f"the entries lie in a field of degree {degree}; expected at most {MOST_DEGREE}. "
            "Use fewer different irrational numbers, or round them."
        )


def _checked_polynomial(given: Sequence[int]) -> tuple[int, ...]:
    from flint import fmpz_poly  # loads slowly

    try:
        if any(isinstance(c, str) for c in given):
            raise TypeError
        rational = [_fraction(c) for c in given]
        coefficients = tuple(int(c) for c in rational if c.denominator == 1)
        whole = len(coefficients) == len(rational)
    except Exception as error:  # whatever the entries raise
        raise InputError(
            f"polynomial is {quote(given)}; expected integers, the constant first."
        ) from error
    if not whole or len(coefficients) < 3 or coefficients[-1] != 1:
        raise InputError(
            f"polynomial is {quote(given)}; expected integer coefficients, the constant first and "
            "1 last, of degree at least 2."
        )
    _check_degree(len(coefficients) - 1)
    _, factors = fmpz_poly(list(coefficients)).factor()
    if len(factors) != 1 or factors[0][1] != 1:
        raise InputError(f"polynomial is {quote(given)}, which is not irreducible.")
    return coefficients


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
def _real_roots(coefficients: tuple[int, ...], bits: int) -> tuple[tuple[int, int], ...]:
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
    bits = _FIRST_BITS
    while True:
        roots = _real_roots(coefficients, bits)
        bounds = [(Fraction(a, 2**bits), Fraction(b, 2**bits)) for a, b in roots]
        if not any(a <= end <= b for a, b in bounds for end in (low, high)):
            return sum(b < low for _, b in bounds), sum(low < a and b < high for a, b in bounds)
        bits *= 2


@lru_cache(maxsize=256)
def _approximation(coefficients: tuple[int, ...], index: int, bits: int) -> int:
    """An integer that differs from ``root * 2**bits`` by less than 1."""
    low, high = _real_roots(coefficients, bits + 4)[index]
    assert high - low <= 4  # computed with more bits than asked for
    return (low + high + 16) >> 5


@lru_cache(maxsize=64)
def _size_bounds(coefficients: tuple[int, ...]) -> tuple[Fraction, ...]:
    with at_precision(_FIRST_BITS):
        sizes = [fraction_of(abs(root).upper()) for root in _roots(coefficients)]
    return tuple(Fraction(ceil(size * 2**20), 2**20) for size in sizes)


def rounded(value: int, bits: int) -> str:
    """``value / 2**bits`` as a short decimal.

    Examples
    --------
    >>> rounded(3, 1)
    '1.5'
    """
    return f"{value / 2**bits:.6g}"
