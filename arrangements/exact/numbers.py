"""Exact numbers in rows and arrays: multiples, differences, sizes, fields, nearest floats."""

import math
from collections.abc import Sequence
from fractions import Fraction
from operator import sub
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.exact.field_entries import field_of, numerators_of, whole_number
from arrangements.exact.number_field import FieldElement, NumberField
from arrangements.exact.symbolic import in_common_field

ExactArray = NDArray[Any]
Entry = TypeVar("Entry", bound=np.generic)

# Of zero: below the exponents of all other numbers, and far from overflow.
NO_EXPONENT = -(2**24)


def integer_rows(matrix: ExactArray) -> list[list[int]]:
    """Each row times a positive rational, so that it is integer and primitive (gcd 1).

    Parameters
    ----------
    matrix : (n, d) ndarray
        As returned by `as_exact_matrix`.

    Returns
    -------
    list of list of int
        A zero row stays zero.

    Examples
    --------
    >>> integer_rows(np.array([[0.5, -0.25], [4, 6]]))
    [[2, -1], [2, 3]]
    """
    if matrix.dtype == np.float64:
        return _integer_rows_of_floats(matrix)
    return [primitive(row) for row in matrix.tolist()]


def fractions(row: ExactArray) -> tuple[Any, ...]:
    """Entries of an exact 1-D array as Fractions; irrational numbers stay.

    Examples
    --------
    >>> fractions(np.array([0.5, 3.0]))
    (Fraction(1, 2), Fraction(3, 1))
    """
    return tuple(
        entry if type(entry) is FieldElement else Fraction(entry) for entry in row.tolist()
    )


def nearest_float(value: int | Fraction | FieldElement) -> float:
    """The nearest float, infinite beyond their range.

    Examples
    --------
    >>> nearest_float(Fraction(1, 2)), nearest_float(Fraction(-(10**400)))
    (0.5, -inf)
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def nearest_floats(values: ExactArray) -> NDArray[np.float64]:
    """`nearest_float` of each number of an exact array.

    Examples
    --------
    >>> nearest_floats(np.array([Fraction(1, 2), 3, 10**400], dtype=object))
    array([0.5, 3. , inf])
    """
    try:
        return values.astype(np.float64, copy=False)
    except OverflowError:  # an entry is beyond their range
        pass
    found = [nearest_float(entry) for entry in values.flat]
    return np.array(found, np.float64).reshape(values.shape)


def read_only(array: NDArray[Entry]) -> NDArray[Entry]:
    """View of an array that cannot be made writeable again; for attributes that caches rely on.

    Parameters
    ----------
    array : ndarray
        Nobody writes to it any more. Only objects are copied.

    Returns
    -------
    ndarray
        Of the same shape, type and order. Setting its flag ``writeable`` raises ValueError, as the
        memory behind it is read-only. To numba it is of the same type as any array whose flag is
        not set.

    Examples
    --------
    >>> read_only(np.array([1.5, 2.0])).flags.writeable = True
    Traceback (most recent call last):
        ...
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    if array.dtype.hasobject:
        # no buffer exports objects; but what is a view of a read-only array stays read-only, too
        owner = array.copy()
        owner.flags.writeable = False
        return owner.view()
    return np.asarray(array.data.toreadonly())


def as_objects(values: ExactArray) -> ExactArray:
    """Copy with int and Fraction entries.

    Examples
    --------
    >>> as_objects(np.array([0.5, 2.0]))
    array([Fraction(1, 2), Fraction(2, 1)], dtype=object)
    """
    if values.dtype != np.float64:
        return values.astype(object)
    exact = np.empty(values.size, dtype=object)
    exact[:] = [Fraction(entry) for entry in values.ravel().tolist()]
    return exact.reshape(values.shape)


def same_functions(
    W1: ExactArray, b1: ExactArray | None, W2: ExactArray, b2: ExactArray | None
) -> bool:
    """Whether rows and offsets are exactly the same numbers; offsets None are zeros.

    Examples
    --------
    >>> same_functions(np.array([[1, 2]]), None, np.array([[1.0, 2.0]]), np.array([0.0]))
    True
    """
    if not exactly_equal(W1, W2):
        return False
    if b1 is None or b2 is None:
        offsets = b1 if b2 is None else b2
        return offsets is None or not offsets.any()
    return exactly_equal(b1, b2)


def mantissas(matrix: ExactArray) -> tuple[NDArray[np.float64], NDArray[np.intc]]:
    """Floats of size 1/2 to 2 and exponents of two that nearly make the entries, of any size.

    The exponent of zero is `NO_EXPONENT`.

    Examples
    --------
    >>> found, exponents = mantissas(np.array([10**400, 3], dtype=object))
    >>> found.round(3).tolist(), exponents.tolist()
    ([1.707, 1.5], [1328, 1])
    """
    if matrix.dtype != object:
        floats, exponents = np.frexp(matrix.astype(np.float64))
    else:
        floats, exponents = np.zeros(matrix.shape), np.zeros(matrix.shape, np.intc)
        for place in zip(*np.nonzero(matrix), strict=True):
            exponent = size_in_bits(matrix[place])
            floats[place] = nearest_float(matrix[place] / Fraction(2) ** exponent)
            exponents[place] = exponent
    return floats, np.where(floats == 0, NO_EXPONENT, exponents).astype(np.intc)


def exactly_equal(a: ExactArray, b: ExactArray) -> bool:
    """Whether two exact arrays hold the same numbers, whatever their dtypes.

    Examples
    --------
    >>> exactly_equal(np.array([2**53 + 1]), np.array([2.0**53]))
    False
    """
    if a.shape != b.shape:
        return False
    a, b = unify_fields(a, b)
    if a.dtype == b.dtype:
        return bool(np.array_equal(a, b))
    # NumPy compares int64 with float64 after rounding; Python numbers compare exactly.
    return all(x == y for x, y in zip(a.ravel().tolist(), b.ravel().tolist(), strict=True))


def _integer_rows_of_floats(matrix: NDArray[np.float64]) -> list[list[int]]:
    """Mantissas shifted by the distance of their exponents to the smallest in the row."""
    mantissas, exponents = np.frexp(matrix)
    integers = (mantissas * 2.0**53).astype(np.int64)
    lowest = np.where(integers != 0, exponents, 2000).min(axis=1, initial=2000)
    shifts = np.maximum(exponents - lowest[:, None], 0)
    return [
        primitive([m << s for m, s in zip(row, by, strict=True)])
        for row, by in zip(integers.tolist(), shifts.tolist(), strict=True)
    ]


def primitive(row: list[Any]) -> list[Any]:
    """The positive multiple of a row that stands for all of them.

    A row of rational numbers becomes integer, with greatest common divisor 1. In any other the
    first number that is not zero becomes rational, then all coefficients integer and coprime.

    Examples
    --------
    >>> primitive([4, Fraction(2, 3)]), primitive([0, 0])
    ([6, 1], [0, 0])
    """
    if all(type(entry) is int for entry in row):
        common = math.gcd(*row)
        return row if common <= 1 else [entry // common for entry in row]
    if (field := field_of(row)) is None:
        common = math.lcm(*(entry.denominator for entry in row))
        return primitive([e.numerator * (common // e.denominator) for e in row])
    first = next(entry for entry in row if entry)
    if isinstance(first, FieldElement):
        inverse = 1 / abs(first)
        row = [entry * inverse for entry in row]
    return _coprime(row, field)


def _coprime(row: list[Any], field: NumberField) -> list[Any]:
    """The positive rational multiple of a row of which all coefficients are integer and coprime."""
    parts = [numerators_of(entry) for entry in row]
    common = math.lcm(*{denominator for _, denominator in parts})
    scaled = parts
    if common != 1:
        scaled = [(tuple(c * (common // k) for c in numbers), 1) for numbers, k in parts]
    divisor = math.gcd(*(c for numbers, _ in scaled for c in numbers))
    if common == divisor == 1:
        return [entry if type(entry) is FieldElement else int(entry) for entry in row]
    return [whole_number(field, [c // divisor for c in numbers]) for numbers, _ in scaled]


def whole_rows(matrix: ExactArray) -> list[list[Any]]:
    """All rows times one positive rational number, so that differences of them stay differences.

    Their coefficients are integer and coprime.

    Examples
    --------
    >>> whole_rows(np.array([[0.5, -0.25], [4, 6]]))
    [[2, -1], [16, 24]]
    """
    n, width = matrix.shape
    if (field := field_of_array(matrix)) is None:
        (flat,) = integer_rows(matrix.reshape(1, -1))
    else:
        flat = _coprime(matrix.ravel().tolist(), field)
    return [flat[i * width : (i + 1) * width] for i in range(n)]


def difference(row: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    """The difference of two rows; an integer is an int, as in rows of whole numbers.

    Examples
    --------
    >>> a = NumberField([-2, 0, 1], (1, 2), "a").generator
    >>> difference([a + 1, a, 1], [a, 0, 1])
    [1, a, 0]
    """
    found = map(sub, row, other)
    return [int(e) if type(e) is Fraction and e.denominator == 1 else e for e in found]


def floats_times_common_denominator(
    matrix: NDArray[np.float64],
) -> tuple[list[list[int]], int]:
    """Rows of floats as `times_common_denominator` has them, without Fractions.

    Examples
    --------
    >>> floats_times_common_denominator(np.array([[0.5, 3], [0.25, -0.0]]))
    ([[2, 12], [1, 0]], 4)
    """
    rows = [[entry.as_integer_ratio() for entry in row] for row in matrix.tolist()]
    common = max((q for row in rows for _, q in row), default=1)  # all are powers of two
    return [[p * (common // q) for p, q in row] for row in rows], common


def times_common_denominator(rows: Sequence[Sequence[Any]]) -> tuple[list[list[Any]], int]:
    """Rows times the least positive integer that makes all entries whole, and this integer.

    An irrational number is whole if its coefficients are.

    Examples
    --------
    >>> times_common_denominator([[Fraction(1, 2), 1], [Fraction(2, 3), 0]])
    ([[3, 6], [4, 0]], 6)
    """
    common = math.lcm(
        *{
            e.common_denominator if type(e) is FieldElement else e.denominator
            for row in rows
            for e in row
        }
    )
    if common == 1:
        scaled = [[e if type(e) is FieldElement else int(e) for e in row] for row in rows]
    else:
        scaled = [
            [
                e * common
                if type(e) is FieldElement
                else int(e.numerator) * (common // int(e.denominator))
                for e in row
            ]
            for row in rows
        ]
    return scaled, common


def quotient(a: Any, b: Any) -> Any:
    """The exact quotient of two integers, Fractions or numbers of a field.

    Examples
    --------
    >>> quotient(1, 3)
    Fraction(1, 3)
    """
    return Fraction(a, b) if type(a) is type(b) is int else a / (Fraction(1) * b)


def size_in_bits(value: int | Fraction | FieldElement) -> int:
    """About the binary logarithm of the absolute value of a number other than zero.

    Examples
    --------
    >>> size_in_bits(Fraction(1, 4)), size_in_bits(100)
    (-2, 6)
    """
    if isinstance(value, FieldElement):
        return value.exponent
    return value.numerator.bit_length() - value.denominator.bit_length()


def unify_fields(*arrays: ExactArray | None) -> list[Any]:
    """Exact arrays whose irrational entries, if any, belong to one field.

    Examples
    --------
    >>> unify_fields(np.array([1, 2]), None)
    [array([1, 2]), None]
    """
    irrational = [a for a in arrays if a is not None and a.dtype == object]
    fields = {field for a in irrational if (field := field_of(a.flat)) is not None}
    if len(fields) <= 1:
        return list(arrays)
    entries = in_common_field([entry for a in irrational for entry in a.flat], str)
    found: list[Any] = []
    for a in arrays:
        if a is not None and a.dtype == object:
            same = np.empty(a.size, dtype=object)
            same[:], entries = entries[: a.size], entries[a.size :]
            a = same.reshape(a.shape)
        found.append(a)
    return found


def field_of_array(array: ExactArray | None) -> NumberField | None:
    """The field of the irrational entries of an exact array; None if all are rational.

    Examples
    --------
    >>> field_of_array(np.array([1.5, 2.0])) is None
    True
    """
    return None if array is None or array.dtype != object else field_of(array.flat)


def check_rational(name: str, *arrays: ExactArray | Sequence[Any] | None) -> None:
    """Refuse irrational numbers in exact arrays or sequences.

    Examples
    --------
    >>> check_rational("x", [1, Fraction(1, 2)], None)
    """
    parts = [a if a is None else np.asarray(a, object) for a in arrays]
    if any(field_of_array(part) is not None for part in parts):
        raise InputError(f"{name} has irrational numbers; expected rational ones.")


def append_column(W: ExactArray, b: ExactArray | None) -> ExactArray:
    """W with b (or zeros) as last column, exactly."""
    if b is None:
        b = np.zeros(len(W), dtype=W.dtype)
    if W.dtype != b.dtype:
        # int64 and float64 together would be rounded
        W, b = as_objects(W), as_objects(b)
    return np.column_stack([W, b])


def stack_rows(*parts: ExactArray) -> ExactArray:
    """Rows of several exact arrays in one.

    Examples
    --------
    >>> stack_rows(np.array([[0.5]]), np.array([[1]]))
    array([[0.5],
           [1. ]])
    """
    kinds = {part.dtype for part in parts}
    if len(kinds) > 1:
        floats = [_as_floats(part) for part in parts] if np.dtype(np.float64) in kinds else [None]
        exact = [part for part in floats if part is not None]
        whole = len(exact) == len(parts)
        parts = tuple(exact) if whole else tuple(as_objects(part) for part in parts)
    return np.ascontiguousarray(np.concatenate(parts))


def _as_floats(part: ExactArray) -> NDArray[np.float64] | None:
    """The same numbers as floats; None if that is not known to be exact."""
    if part.dtype != object:
        small = part.dtype == np.float64 or (abs(part) < 2**53).all()
        return part.astype(np.float64, copy=False) if small else None
    floats = nearest_floats(part)
    return floats if exactly_equal(part, floats) else None


def negative(values: ExactArray) -> ExactArray:
    """Minus the numbers, exactly: the least number of 64 bits has no opposite of 64 bits.

    Examples
    --------
    >>> negative(np.array([-(2**63), 1])).tolist()
    [9223372036854775808, -1]
    """
    if values.dtype == np.int64 and (values == np.iinfo(np.int64).min).any():
        values = as_objects(values)
    return -values
