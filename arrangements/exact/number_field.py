"""Real number fields: Q(theta), theta a real root of an irreducible integer polynomial.

A number of the field is a polynomial in theta with rational coefficients, of lower degree than the
minimal polynomial. So equality is that of coefficients, and the sign of a number that is not zero
shows in an enclosure of it by intervals, once these are narrow enough. FLINT does the arithmetic
through python-flint, imported on first use.

With a the last coefficient of the minimal polynomial, alpha = a theta is an algebraic integer. What
is computed is computed in powers of alpha; coefficients that callers pass and get are of theta.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, total_ordering
from typing import Any, NoReturn

from arrangements.addresses import Immutable, public_class
from arrangements.errors import InputError, InputTypeError
from arrangements.exact.enclosures import Enclosed
from arrangements.exact.real_roots import (
    FIRST_BITS,
    Root,
    approximate_root,
    as_fraction,
    as_rational,
    check_polynomial,
    enclose_real_roots,
    flint_modulus,
    fmpq_polynomial,
    monic_multiple,
    root_of_sum,
    roots_between,
    rounded,
)
from arrangements.messages import polynomial_text, quote

# Precisions at which a number is looked for in a field.
_LLL_BITS = (24, 96, 384)


@public_class
class NumberField(Immutable):
    """A field Q(theta) of real numbers, theta a root of an irreducible polynomial; immutable.

    Calling it makes its numbers, which calculate with each other, with integers and fractions, and
    which every matrix may hold. Two fields are equal if they have the same theta.

    Parameters
    ----------
    polynomial : sequence of rational numbers, or SymPy polynomial in one variable
        A multiple of the minimal polynomial of theta; a sequence has the constant first.
    interval : (low, high), pair of rational numbers, optional
        Exactly one real root lies between them. Default: the only real root, if there is one only.
    name : str
        What to call theta in texts.

    Attributes
    ----------
    polynomial : tuple of int
        Coprime, the last one positive.
    degree : int
        2 to 24.
    name : str

    Raises
    ------
    InputError
        If the polynomial is not irreducible or of another degree, or the interval holds no root or
        several.

    See Also
    --------
    Arrangement : also takes SymPy numbers such as ``sqrt(2)`` and finds their field itself.

    Notes
    -----
    SymPy reads the numbers: ``sympify(number)`` is an expression with the same value. ``float``
    makes the nearest float of one.

    Examples
    --------
    >>> K = NumberField([-1, -1, 1], (1, 2), "phi")
    >>> phi = K.generator
    >>> phi**2, 1 / phi, K([Fraction(1, 2), 3]), phi > Fraction(8, 5)
    (1 + phi, -1 + phi, 1/2 + 3*phi, True)
    >>> s = NumberField([-1, 0, 2], (0, 1), "s").generator
    >>> s**2, 1 / s, float(s)
    (Fraction(1, 2), 2*s, 0.7071067811865476)
    """

    polynomial: tuple[int, ...]
    degree: int
    name: str
    # how many real roots of the polynomial are smaller than theta
    root_number: int
    # the minimal polynomial of alpha
    monic: tuple[int, ...]

    def __init__(
        self,
        polynomial: Any,
        interval: tuple[Any, Any] | None = None,
        name: str = "theta",
    ) -> None:
        coefficients = check_polynomial(polynomial)
        if interval is None:
            self._set(coefficients, _only_root(coefficients), name)
            return
        try:
            low, high = (as_fraction(end) for end in interval)
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
        degree, monic = len(coefficients) - 1, monic_multiple(coefficients)
        named = {"degree": degree, "name": name, "root_number": index, "monic": monic}
        self.__dict__.update(polynomial=coefficients, **named)

    @classmethod
    def _of_root(cls, coefficients: tuple[int, ...], index: int, name: str) -> NumberField:
        """The field of a real root, by its number in ascending order."""
        field = cls.__new__(cls)
        field._set(coefficients, index, name)
        return field

    def __reduce__(self) -> tuple[Any, ...]:
        return field_of_root, (self.polynomial, self.root_number, self.name)

    @property
    def _root(self) -> Root:
        """The number alpha."""
        return self.monic, self.root_number

    @property
    def _theta(self) -> Root:
        return self.polynomial, self.root_number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NumberField) and self._theta == other._theta

    def __hash__(self) -> int:
        return hash(self._theta)

    def __repr__(self) -> str:
        value = rounded(self.generator.nearby)
        return f"NumberField({list(self.polynomial)}, {self.name} = {value}..)"

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
            common, _, image = join_fields(self, value.field)
            if common != self:
                raise InputError(f"{value!r} belongs to {value.field}; expected one of {self}.")
            return in_field(value, image)
        parts = value if isinstance(value, (list, tuple)) else [value]
        try:
            a = self.polynomial[-1]
            coefficients = [as_fraction(part) / a**k for k, part in enumerate(parts)]
        except Exception as error:  # whatever the entries raise
            raise InputTypeError(
                f"{quote(value)} is no number of {self}; expected a rational number, or "
                "coefficients of powers of theta, constant first."
            ) from error
        return self._element(fmpq_polynomial(coefficients))

    def _element(self, polynomial: Any) -> Fraction | FieldElement:
        if polynomial.degree() >= self.degree:
            polynomial = polynomial % flint_modulus(self.monic)
        if polynomial.degree() < 1:
            return Fraction(int(polynomial[0].p), int(polynomial[0].q))
        return FieldElement(self, polynomial)


@total_ordering
class FieldElement(Enclosed):
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

    __slots__ = ()

    def __init__(self, field: NumberField, polynomial: Any) -> None:
        self.field: NumberField = field
        self._polynomial = polynomial
        self._integers: tuple[tuple[int, ...], int] | None = None

    @property
    def coefficients(self) -> tuple[Fraction, ...]:
        """Coefficients of the powers of theta, constant first: one for each, `field.degree`."""
        a, parts = self.field.polynomial[-1], enumerate(self._polynomial.coeffs())
        found = [Fraction(int(c.p) * a**k, int(c.q)) for k, c in parts]
        return (*found, *[Fraction(0)] * (self.field.degree - len(found)))

    # ------------------------------------------------------------------ arithmetic

    def _with(self, other: Any, operation: Callable[[Any, Any], Any]) -> Fraction | FieldElement:
        if isinstance(other, FieldElement):
            if other.field != self.field:
                first, second = _joined(self, other)
                return first._with(second, operation)
            value = other._polynomial
        else:
            value = self._exact(other)
            if value is None:
                return NotImplemented
            value = fmpq_polynomial([value])
        return self.field._element(operation(self._polynomial, value))

    def _exact(self, other: Any) -> Fraction | None:
        """A rational number, or None for anything else but a float, which is refused."""
        if isinstance(other, float):
            raise InputTypeError(
                f"{other!r} is a float and {self!r} is exact; pass Fraction({other!r}) for an "
                "exact answer, or round the number: float(number)."
            )
        return as_rational(other)

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
        value = self._exact(other)
        return NotImplemented if value is None else self * (1 / value)

    def __rtruediv__(self, other: Any) -> Any:
        return self._inverse() * other

    def _inverse(self) -> FieldElement:
        common, weight, _ = self._polynomial.xgcd(flint_modulus(self.field.monic))
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
            if abs(self.approximation(FIRST_BITS) - other.approximation(FIRST_BITS)) > 1:
                return False  # most numbers differ, and a common field takes long to find
            first, second = _joined(self, other)
            return bool(first._polynomial == second._polynomial)
        return False if as_rational(other) is not None else NotImplemented

    def __hash__(self) -> int:  # __eq__ hides the inherited one
        return super().__hash__()

    def __lt__(self, other: Any) -> bool:
        difference = self - other
        if difference is NotImplemented:
            return NotImplemented
        return bool(
            difference._sign() < 0 if isinstance(difference, FieldElement) else difference < 0
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return NumberField.__call__, (self.field, list(self.coefficients))

    # ------------------------------------------------------------------ texts and refusals

    def __repr__(self) -> str:
        return polynomial_text(self.coefficients, self.field.name)

    def _sympy_(self) -> Any:
        from sympy import CRootOf, Poly, Rational, Symbol  # loads slowly

        minimal = Poly(list(reversed(self.field.polynomial)), Symbol("x"))
        # by a square root if that is enough
        theta = CRootOf(minimal, self.field.root_number, radicals=self.field.degree == 2)
        parts = (Rational(*c.as_integer_ratio()) for c in self.coefficients)
        return sum((c * theta**k for k, c in enumerate(parts)), Rational(0))


def _refuse(number: FieldElement, *_: Any) -> NoReturn:
    raise InputTypeError(
        f"the entries are not all rational, {number!r} for example, and this computation is "
        "available for rational entries only; round them first, such as by np.array(W, float)."
    )


# Whatever takes a number for an integer or a fraction says so instead of rounding it. The package
# itself rounds numbers by `exact.numbers.nearest_float` only (tests/conftest.py).
_METHODS = """
    __int__ __index__ __round__ __trunc__ __floor__ __ceil__ __mod__ __floordiv__ __rmod__
    __rfloordiv__ __lshift__ __rshift__ __divmod__ bit_length as_integer_ratio
"""
for _name in _METHODS.split():
    setattr(FieldElement, _name, _refuse)
for _name in ("numerator", "denominator"):
    setattr(FieldElement, _name, property(_refuse))


def _joined(a: FieldElement, b: FieldElement) -> tuple[FieldElement, FieldElement]:
    """Two numbers in a field that contains both."""
    _, first, second = join_fields(a.field, b.field)
    return in_field(a, first), in_field(b, second)


def in_field(element: Any, image: Any) -> Any:
    """A number in a larger field in which theta is `image`; rational ones stay."""
    if not isinstance(element, FieldElement) or image.field == element.field:
        return element
    value: Any = 0
    for c in reversed(element.coefficients):
        value = value * image + c
    return value


@lru_cache(maxsize=256)
def join_fields(a: NumberField, b: NumberField) -> tuple[NumberField, Any, Any]:
    """A field that contains both, and both generators in it."""
    if a == b:
        return a, a.generator, b.generator
    if (image := _contained(b, a, _LLL_BITS[:2])) is not None:
        return a, a.generator, image
    if (image := _contained(a, b, _LLL_BITS[:2])) is not None:
        return b, image, b.generator
    for multiple in range(1, 100):
        root = root_of_sum(a._root, b._root, multiple)
        if root is not None:
            joined = NumberField._of_root(*root, "theta")
            first = _contained(a, joined, _LLL_BITS)
            second = _contained(b, joined, _LLL_BITS) if first is not None else None
            if second is not None:
                return joined, first, second
    raise InputError(f"no common field of {a} and {b} was found; give the numbers by one field.")


def _contained(part: NumberField, field: NumberField, trials: Sequence[int]) -> Any:
    """The generator of `part` as a number of `field`, proved; None if none was found."""
    from flint import fmpz_mat  # loads slowly

    m = field.degree
    if m % part.degree:
        return None
    powers: list[Any] = [1]
    for _ in range(m - 1):
        powers.append(powers[-1] * field.polynomial[-1] * field.generator)
    for each in trials:
        bits = each * (m + 1)
        values = [
            p.approximation(bits) if isinstance(p, FieldElement) else p << bits for p in powers
        ]
        values.append(approximate_root(*part._root, bits))
        lattice = [[int(i == j) for j in range(m + 1)] + [v] for i, v in enumerate(values)]
        shortest = [int(e) for e in fmpz_mat(lattice).lll().tolist()[0]]
        if not shortest[m]:
            continue
        alpha = sum(Fraction(-c, shortest[m]) * p for c, p in zip(shortest, powers, strict=False))
        if isinstance(alpha, FieldElement) and _is_root(part, alpha):
            return alpha / part.polynomial[-1]
    return None


def _is_root(part: NumberField, found: FieldElement) -> bool:
    """Whether a number is the alpha of a field: that root of its polynomial, and no other."""
    value: Any = 0
    for c in reversed(part.monic):
        value = value * found + c
    if value != 0:
        return False
    bits = FIRST_BITS
    while True:
        middle = found.approximation(bits)
        ends = Fraction(middle - 1, 2**bits), Fraction(middle + 1, 2**bits)
        below, inside = roots_between(part.monic, *ends)
        if inside == 1:
            return below == part.root_number
        bits *= 2


def _only_root(coefficients: tuple[int, ...]) -> int:
    """Number of the only real root; an error names the roots if there are several, or none."""
    number = len(enclose_real_roots(coefficients, FIRST_BITS))
    if number == 1:
        return 0
    fields = (NumberField._of_root(coefficients, k, "theta") for k in range(number))
    roots = ", ".join(f"{rounded(field.generator.nearby)}.." for field in fields)
    raise InputError(
        f"interval is missing, and the polynomial has {number} real roots{': ' * bool(roots)}"
        f"{roots}; expected "
        + ("(low, high), around one of them." if number else "a polynomial with a real root.")
    )


def field_of_root(polynomial: tuple[int, ...], place: int, name: str) -> NumberField:
    """The field of the real root at a place, in ascending order, of a stored polynomial.

    Examples
    --------
    >>> field_of_root((-2, 0, 1), 1, "a")
    NumberField([-2, 0, 1], a = 1.41421..)
    """
    coefficients = check_polynomial(polynomial)
    if not 0 <= place < (number := len(enclose_real_roots(coefficients, FIRST_BITS))):
        raise InputError(f"the polynomial has {number} real roots; number {place} was stored.")
    return NumberField._of_root(coefficients, place, name)
