"""Input becomes exact numbers, or an error that says where and what to do."""

import math
from collections import deque
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sympy
from examples import frames
from hypothesis import given
from hypothesis import strategies as st
from strategies import matrices

from arrangements import feasible, top_k_sets
from arrangements.errors import InputError, InputTypeError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector
from arrangements.exact.numbers import (
    as_objects,
    exactly_equal,
    floats_times_common_denominator,
    fractions,
    integer_rows,
    times_common_denominator,
)


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        ([[1, 2]], np.int64),
        ([[True, False]], np.int64),
        (np.array([[1, 200]], np.uint8), np.int64),
        (np.array([[2**64 - 1]], np.uint64), object),
        ([[2**63]], object),
        ([[1.5, 2]], np.float64),
        (np.array([[0.1]], np.float32), np.float64),
        (np.array([[0.1]], np.float16), np.float64),
        (np.array([[0.1]], ">f8"), np.float64),
        (np.array([[0.5]], np.longdouble), np.float64),
        (np.array([[1]], np.longdouble) / 3, object),
        (np.array([["a"]], object)[:0].reshape(0, 1), np.int64),
        ([[Fraction(1, 3), 2]], object),
        ([[Fraction(4, 2), 2]], np.int64),
        ([[Decimal("0.1")]], object),
        ([[2**53 + 1, 0.5]], object),
        ([[2**70, 0.5]], np.float64),
        ([[10**400, 0.5]], object),
        (sympy.Matrix([[1, sympy.Rational(1, 3)]]), object),
        (scipy.sparse.csr_array(np.eye(2)), np.float64),
        (np.asfortranarray(np.eye(3)), np.float64),
    ],
)
def test_accepted_types(given, dtype):
    matrix = as_exact_matrix(given, allow_no_rows=True)
    assert matrix.dtype == dtype
    assert matrix.flags.c_contiguous and matrix.dtype.isnative


def test_values_are_exact():
    given = [[2**53 + 1, 0.1, Fraction(1, 3), sympy.Rational(-2, 7), Decimal("1e-30"), True]]
    expected = [2**53 + 1, Fraction(0.1), Fraction(1, 3), Fraction(-2, 7), Fraction(1, 10**30), 1]
    assert as_exact_matrix(given).tolist() == [expected]
    wide = np.array([[1]], np.longdouble) / 3
    assert as_exact_matrix(wide)[0, 0] == Fraction(*wide[0, 0].as_integer_ratio())


def test_values_beyond_the_range_of_float64():
    assert as_exact_matrix([[Decimal("1e400")]])[0, 0] == 10**400
    wide = np.ldexp(np.longdouble(3), 5000)
    if np.isfinite(wide):  # longdouble is no wider than float64 on some machines
        assert as_exact_matrix(np.array([[wide]]))[0, 0] == 3 * 2**5000


def test_int_beside_float_in_an_array_list_is_not_rounded():
    row = [np.int64(2**53 + 1), np.float64(1.0)]
    assert as_exact_matrix([row])[0, 0] == 2**53 + 1


def test_extension_floats():
    class Bfloat16Like:
        """What ml_dtypes offers: kind V, a name with float, and astype."""

        kind, names, name = "V", None, "bfloat16"

    from arrangements.exact.coercion import _is_extension_float

    assert _is_extension_float(Bfloat16Like())  # type: ignore[arg-type]
    assert not _is_extension_float(np.dtype([("float", "f8")]))


def test_the_result_is_a_copy():
    W = np.eye(2)
    as_exact_matrix(W)[0, 0] = 5
    assert W[0, 0] == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[1, math.nan]], "row 0, column 1, is nan"),
        (np.array([[1, 2], [np.inf, 1]]), "row 1, column 0, is inf"),
        ([[Fraction(1, 2), -math.inf]], "column 1, is -inf"),
        (np.array([[np.nan]], np.float16), "is nan"),
        ([[Decimal("NaN")]], "is NaN"),
        ([[sympy.oo]], "is oo"),
        ([[1], [2, 3]], r"ragged: row 0 has shape \(1,\), row 1 has shape \(2,\)"),
        ([[Fraction(1, 2)], [3, 4]], "ragged"),
        ([[1, 2], [3, [4]]], "ragged"),
        ([1, 2], r"shape \(2,\); expected \(n, d\).*reshape\(1, -1\)"),
        (np.zeros((2, 2, 2)), r"expected \(n, d\)"),
        (3, r"normals is 3; expected numbers of shape \(n, d\)"),
        (np.empty((0, 3)), "no rows; expected at least one"),
        (np.empty((3, 0)), "no columns"),
        (np.ma.masked_array([[1, 2]], [[True, False]]), "masked"),
        ([np.ma.array([1, 2], mask=[False, True])], "masked"),
        (([np.ma.array([1, 2], mask=[False, True]).tolist()], [np.ma.masked, 1]), "masked"),
        ([[1, np.ma.masked]], "masked"),
    ],
)
def test_bad_values(given, message):
    with pytest.raises(InputError, match=message):
        as_exact_matrix(given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[1, 1j]], "column 1, is complex"),
        ([[1 + 0j]], "complex"),
        ([[Fraction(1), 1j]], "complex"),
        ([["1", "2"]], "dtype <U1"),
        ([[None, 1]], "None of type NoneType"),
        ([[sympy.pi, 1]], "column 0, has pi, which is not known to be algebraic"),
        (np.array([["2020-01-01"]], "M8[D]"), "dtype datetime64"),
    ],
)
def test_bad_types(given, message):
    with pytest.raises(InputTypeError, match=message) as caught:
        as_exact_matrix(given)
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, ValueError)


def test_vectors():
    assert as_exact_vector([1, 2], 2).dtype == np.int64
    assert as_exact_vector(np.zeros(0), 0).shape == (0,)
    with pytest.raises(InputError, match=r"offsets has shape \(2,\); expected \(3,\)"):
        as_exact_vector([1, 2], 3)
    with pytest.raises(InputError, match="flattened"):
        as_exact_vector([[1], [2]], 2)
    with pytest.raises(InputError, match="bias, entry 1, is nan"):
        as_exact_vector([1, math.nan], 2, "bias")


@given(matrices())
def test_integer_rows_are_positive_primitive_multiples(rows):
    matrix = as_exact_matrix(rows)
    for original, row in zip(matrix, integer_rows(matrix), strict=True):
        exact = fractions(original)
        assert all(type(entry) is int for entry in row)
        assert math.gcd(*row) == 1
        k = next(i for i, entry in enumerate(row) if entry)
        scale = row[k] / exact[k]
        assert scale > 0
        assert [scale * entry for entry in exact] == row


def test_integer_rows_at_the_ends_of_the_ranges():
    floats = np.array([[5e-324, 1.7976931348623157e308], [0.0, -0.0], [-3.0, 1.5]])
    small, zero, plain = integer_rows(floats)
    assert Fraction(*small) == Fraction(5e-324) / Fraction(1.7976931348623157e308)
    assert zero == [0, 0] and plain == [-2, 1]
    assert integer_rows(np.array([[-(2**63), 2**62]])) == [[-2, 1]]
    assert integer_rows(np.empty((0, 3))) == []


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_exact_equality_across_dtypes(values):
    integers = np.array(values, np.int64)
    floats = integers.astype(np.float64)
    assert exactly_equal(integers, floats) == (values == floats.tolist())
    assert exactly_equal(as_objects(floats), floats)
    assert not exactly_equal(integers, integers[:-1])


def test_masked_arrays_without_masked_entries_are_arrays():
    row = np.ma.array([1, 2], mask=[False, False])
    assert as_exact_matrix([row, [3, 4]]).tolist() == [[1, 2], [3, 4]]
    with pytest.raises(InputError, match="offsets has masked entries"):
        as_exact_vector([1, np.ma.masked], 2)


@pytest.mark.parametrize("frame", frames(), ids=lambda f: f.__module__)
def test_columns_of_a_frame_are_not_rounded(frame):
    large = np.array([2**53 + 1, 3, -(2**62) - 1])
    mixed = frame({"a": large, "b": np.array([0.5, 0.1, 1e300])})
    assert as_exact_matrix(mixed).tolist() == [
        [2**53 + 1, Fraction(1, 2)],
        [3, Fraction(0.1)],
        [-(2**62) - 1, int(1e300)],
    ]
    same = frame({"a": large, "b": large[::-1]})
    assert as_exact_matrix(same).dtype == np.int64
    assert as_exact_matrix(same).tolist() == np.column_stack([large, large[::-1]]).tolist()
    small = frame({"a": np.array([1, 2], np.int8), "b": np.array([0.5, 2**60])})
    assert as_exact_matrix(small).dtype == np.float64
    assert as_exact_matrix(small).tolist() == [[1, 0.5], [2, 2.0**60]]
    third = frame({"a": [Fraction(1, 3)], "b": np.array([True])})
    assert as_exact_matrix(third).tolist() == [[Fraction(1, 3), 1]]
    with pytest.raises(InputError, match="row 1, column 0, is nan"):
        as_exact_matrix(frame({"a": np.array([1, np.nan]), "b": np.array([1, 2])}))


def test_large_floats_of_a_sparse_matrix():
    assert as_exact_matrix(scipy.sparse.csr_array([[1e300, 0], [0, 1]])).tolist() == [
        [1e300, 0],
        [0, 1],
    ]


@pytest.mark.parametrize("text", ["1E+999999999", "-1E-999999999", "1E+100001"])
def test_a_decimal_of_too_many_digits_is_not_expanded(text):
    with pytest.raises(InputError, match=r"row 0, column 1, is a Decimal with \d+ digits"):
        as_exact_matrix([[1, Decimal(text)]])
    assert as_exact_matrix([[1, Decimal("1E+100000")]])[0, 1] == 10**100000


class Tensor:
    """What a tensor of PyTorch does when NumPy asks for its numbers."""

    def __init__(self, values: object, dtype: str, attached: bool = False) -> None:
        self.values, self.dtype, self.attached = np.asarray(values), f"torch.{dtype}", attached

    def detach(self) -> "Tensor":
        return Tensor(self.values, self.dtype.removeprefix("torch."))

    def cpu(self) -> "Tensor":
        return self

    def float(self) -> "Tensor":
        return Tensor(self.values.astype(np.float32), "float32")

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        if self.attached:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if "bfloat16" in self.dtype:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.values


def test_tensors():
    for dtype, values in (("bfloat16", np.float32), ("float16", np.float16), ("int64", np.int64)):
        weights = Tensor(np.array([[1, 2], [3, -4]], values), dtype, attached=True)
        assert as_exact_matrix(weights).tolist() == [[1, 2], [3, -4]]
    assert as_exact_vector(Tensor([0.5], "bfloat16", attached=True), 1).tolist() == [0.5]
    with pytest.raises(InputTypeError, match="no array: Can't call numpy"):
        as_exact_matrix([Tensor([1.0, 2.0], "float32", attached=True)])


def test_half_precision_is_read_without_a_warning():
    for row in ([np.float16(60000), np.float16(1e-7)], [np.float32(1), np.int8(2)]):
        assert as_exact_matrix([row]).tolist() == [[float(entry) for entry in row]]


def test_the_order_of_arguments_is_named():
    with pytest.raises(InputError, match=r"The order is: W, .*\(k, signs, \.\.\), offsets"):
        top_k_sets([[1, 0], [0, 1]], [0, 1], offsets=2)
    with pytest.raises(InputError, match="The order is: W"):
        feasible([[1, 0], [0, 1]], [0, 1], offsets="++")


def test_masked_entries_are_seen_in_any_list() -> None:
    masked = np.ma.array([1, 2], mask=[False, True])
    for rows in ([masked], (masked,), deque([masked]), [deque([masked])]):
        with pytest.raises(InputError, match="masked"):
            as_exact_matrix(rows)


def test_a_list_that_holds_itself_is_refused() -> None:
    rows: list[Any] = [[1, 2]]
    rows.append(rows)
    with pytest.raises(InputError, match="normals has lists within lists without end"):
        as_exact_matrix(rows)


def test_what_an_entry_raises_is_told_in_one_line() -> None:
    class Entry:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise NotImplementedError("first line\nsecond line")

    with pytest.raises(InputError, match=r"^normals is [^\n]*, which is no array: first line\.$"):
        as_exact_matrix([[Entry()]])


def test_floats_times_a_denominator_are_those_of_fractions() -> None:
    rng = np.random.default_rng(0)
    sizes = 2.0 ** rng.integers(-1074, 1000, (20, 30))
    for table in (
        rng.normal(size=(20, 30)) * sizes,
        rng.normal(size=(3, 2)),
        np.array([[5e-324, 1.7976931348623157e308, -0.0]]),
        np.array([[4.0, -6.0]]),
        np.zeros((2, 0)),
    ):
        exact = [[Fraction(entry) for entry in row] for row in table.tolist()]
        assert floats_times_common_denominator(table) == times_common_denominator(exact)
