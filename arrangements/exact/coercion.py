"""What callers give, as exact numbers: every entry keeps its value, to the last bit.

Three forms leave this module: float64 (finite; the dyadic numbers they are), int64,
and object arrays of Python ``int`` and ``Fraction``, and of numbers of one real field
(``exact.number_field``), for whatever fits neither.
"""

import math
import os
from collections import deque
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.errors import InputError, InputTypeError
from arrangements.exact.number_field import FieldElement
from arrangements.exact.numbers import ExactArray, fractions, nearest_float, nearest_floats
from arrangements.exact.symbolic import in_common_field, is_symbolic
from arrangements.execution.progress import while_reading
from arrangements.messages import first_line, quote

# float64 holds every integer up to here; above it a list that mixes int and float may be rounded.
_FLOAT_INTEGERS = 2.0**53


_INT64 = np.iinfo(np.int64)


# Entries that are looked at together.
_BLOCK = 2**22


# A Decimal may have this many digits when it is written without an exponent.
_MOST_DIGITS = 100_000


def as_exact_matrix(
    W: ArrayLike,
    name: str = "normals",
    *,
    allow_no_rows: bool = False,
    allow_no_columns: bool = False,
    short: bool = False,
) -> ExactArray:
    """Copy of `W` as an exact 2-D array: float64, int64, or object (int and Fraction).

    Parameters
    ----------
    W : (n, d) array_like
        Entries of any NumPy integer, boolean or floating type, int, float, Fraction,
        Decimal, real algebraic numbers of SymPy or numbers of a `NumberField`; scipy sparse, a
        pandas DataFrame and tensors are accepted.
    name : str
        What to call the argument in messages.
    allow_no_rows : bool
        Accept shape (0, d).
    allow_no_columns : bool
        Accept shape (n, 0): a space that is a single point.
    short : bool
        Floats of at most 32 bits become float32, not float64.

    Returns
    -------
    ndarray
        C-contiguous and not shared with `W`.

    Raises
    ------
    InputError
        Wrong shape, ragged, empty, NaN, infinite or complex (also a ValueError).
    InputTypeError
        Entries that are no real algebraic numbers (also a TypeError).

    Examples
    --------
    >>> from fractions import Fraction
    >>> as_exact_matrix([[1, 0], [0, 1]]).dtype
    dtype('int64')
    >>> as_exact_matrix([[1, Fraction(1, 3)]])
    array([[1, Fraction(1, 3)]], dtype=object)
    """
    W = from_tensor(W)
    raw = _as_array(W, name)
    if raw.ndim == 0:
        hint = " load_matrix reads a file." if isinstance(W, str | os.PathLike) else ""
        raise InputError(f"{name} is {quote(W)}; expected numbers of shape (n, d).{hint}")
    _check_shape(raw, name, allow_no_rows, allow_no_columns)
    floats = raw.dtype.kind == "f" or _is_extension_float(raw.dtype)
    if short and floats and raw.dtype.itemsize <= 4:
        return _from_floats(raw, name, np.float32)
    return _exact(raw, W, name)


def copy_plain(array: Any, axes: int) -> ExactArray | None:
    """Read-only copy of an array of finite float64 or int64 numbers; None for anything else.

    Examples
    --------
    >>> copy_plain(np.array([1.5, 2.0]), 1)
    array([1.5, 2. ])
    >>> copy_plain(np.array([np.nan]), 1) is copy_plain([1], 1) is None
    True
    """
    if type(array) is not np.ndarray or array.ndim != axes or not array.size:
        return None
    kind = array.dtype
    if kind != np.float64 and kind != np.int64:
        return None
    plain = np.array(array, kind.type, order="C")
    if kind == np.float64 and np.count_nonzero(np.isfinite(plain)) < plain.size:
        return None
    return np.asarray(plain.data.toreadonly())


def check_numbers(matrix: NDArray[Any], name: str) -> None:
    """Refuse an array that `as_exact_matrix` refuses, but make no copy of one of floats.

    Examples
    --------
    >>> check_numbers(np.array([[1, np.nan]], np.float32), "W")
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: W, row 0, column 1, is nan; expected finite numbers. Drop or \
repair that row.
    """
    _check_shape(matrix, name, allow_no_rows=True, allow_no_columns=False)
    floats = matrix.dtype.kind == "f" or _is_extension_float(matrix.dtype)
    if not floats or matrix.dtype.itemsize > 8:
        as_exact_matrix(matrix, name, allow_no_rows=True)
        return
    step = max(1, _BLOCK // matrix.shape[1])
    starts = range(0, len(matrix), step)
    for start in while_reading(starts, len(starts), "blocks of rows"):  # a file mapped into memory
        odd = np.argwhere(~np.isfinite(matrix[start : start + step]))
        if len(odd):
            place = odd[0] + [start, 0]
            raise _not_finite(place, matrix[tuple(place)], name)


def as_exact_vector(
    b: ArrayLike, n: int, name: str = "offsets", *, columns: int | None = None, each: str = "row"
) -> ExactArray:
    """Copy of `b` as an exact 1-D array of length `n`; see `as_exact_matrix`.

    If it has a number for each of the columns of W instead, the message says how to turn W; `each`
    is what there is one number for.

    Examples
    --------
    >>> as_exact_vector([0.5, 1], 2)
    array([0.5, 1. ])
    """
    b = from_tensor(b)
    raw = _as_array(b, name)
    if raw.shape != (n,):
        hint = " Pass it flattened." if raw.size == n and raw.ndim == 2 else ""
        if raw.shape == (columns,):
            hint = " If the columns of W are the labels, pass W.T."
        if name == "offsets" and raw.ndim == 0:
            hint = " The order is: W, what the question is about (k, signs, ..), offsets."
        raise InputError(f"{name} has shape {raw.shape}; expected ({n},), one per {each}.{hint}")
    return _exact(raw, b, name)


def refuse_masked(value: Any, name: str, levels: int = 64) -> None:
    """Refuse masked entries, also those of masked arrays within lists, which NumPy would use.

    Lists of more levels, or that hold themselves, are refused too.

    Examples
    --------
    >>> refuse_masked([np.ma.array([1, 2], mask=[False, True])], "W")
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: W has masked entries; fill or drop them first.
    """
    if isinstance(value, (list, tuple, deque)):
        if not levels:
            raise InputError(f"{name} has lists within lists without end; expected numbers.")
        for part in value:
            if isinstance(part, (list, tuple, deque, np.ma.MaskedArray)):
                refuse_masked(part, name, levels - 1)
    elif np.ma.is_masked(value):
        raise InputError(f"{name} has masked entries; fill or drop them first.")


def as_fractions(values: ArrayLike, name: str) -> tuple[Fraction, ...]:
    """One-dimensional `values` as Fractions, exactly the numbers given; irrational ones stay.

    Examples
    --------
    >>> as_fractions((0.5, 3), "point")
    (Fraction(1, 2), Fraction(3, 1))
    """
    shape = np.shape(_as_array(values, name))
    return fractions(as_exact_vector(values, math.prod(shape[:1]), name))


def from_tensor(value: Any) -> Any:
    """A tensor as an array: without its gradient, of a type NumPy has.

    Tensors of PyTorch may be on any device; of them, bfloat16 and float8 become float32, which
    holds them exactly. What has DLPack and nothing else that NumPy knows is read by DLPack.
    Anything else is returned as it is.
    """
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        return _of_dlpack(value)
    if not (hasattr(value, "detach") and hasattr(value, "cpu")):
        return value
    try:
        return _of_tensor(value)
    except Exception as error:  # PyTorch raises many kinds
        raise InputTypeError(
            f"a tensor of dtype {value.dtype} cannot be read ({first_line(error)}); expected real "
            "numbers in memory. Pass its .dequantize(), .float() or .to_dense()."
        ) from error


def _of_tensor(tensor: Any) -> NDArray[Any]:
    """Array of a tensor on any device, also of a sparse one."""
    tensor = tensor.detach().cpu()
    kind = str(tensor.dtype)
    if "bfloat16" in kind or "float8" in kind:
        tensor = tensor.float()
    for step in ("to_dense", "resolve_conj", "resolve_neg"):
        if hasattr(tensor, step):
            tensor = getattr(tensor, step)()
    return np.asarray(tensor)


def _of_dlpack(value: Any) -> NDArray[Any]:
    try:
        return np.from_dlpack(value)
    except Exception as error:  # of another device, of a type NumPy lacks, or anything of theirs
        raise InputTypeError(
            f"a {type(value).__name__} cannot be read by DLPack ({first_line(error)}); expected "
            "numbers in the memory of the CPU, of a type that NumPy has, such as float32."
        ) from error


def plain_array(value: Any, name: str) -> NDArray[Any]:
    """What NumPy makes of a value that need not hold numbers; InputError where it fails.

    Examples
    --------
    >>> plain_array([1, -1], "signs")
    array([ 1, -1])
    """
    refuse_masked(value, name)
    try:
        return np.asarray(from_tensor(value))
    except InputError:
        raise
    except Exception as error:  # NumPy asks the entries what they are
        raise InputError(f"{name} is {quote(value)}; expected rows of one length.") from error


def axes_of(value: Any) -> int:
    """Number of axes of an array, a tensor or rows in lists; 0 for everything else.

    Examples
    --------
    >>> axes_of([[1, 2]]), axes_of([[1], [1, 2]]), axes_of("rows")
    (2, 0, 0)
    """
    try:
        return int(np.ndim(value))
    except Exception:  # of ragged rows, or whatever the value raises
        return 0


def as_floats(value: ArrayLike, name: str) -> NDArray[np.float64]:
    """Array of any shape in float64, rounded.

    Examples
    --------
    >>> as_floats([[1, Fraction(1, 2)]], "x")
    array([[1. , 0.5]])
    >>> as_floats([10**400], "x")
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: x has a number beyond the range of float64; scale x down.
    """
    array = plain_array(value, name)
    try:
        if array.dtype.kind not in "biufO" and not _is_extension_float(array.dtype):
            raise TypeError
        with np.errstate(over="ignore"):
            floats = nearest_floats(array).copy()
    except Exception as error:  # what float() raises of an entry
        raise InputTypeError(f"{name} is {quote(value)}; expected real numbers.") from error
    if array.dtype == object and np.isinf(floats).any():
        raise InputError(f"{name} has a number beyond the range of float64; scale {name} down.")
    return floats


def _as_array(value: ArrayLike, name: str) -> NDArray[Any]:
    """NumPy array of `value`; lists are left to NumPy, sparse matrices are made dense."""
    refuse_masked(value, name)
    if is_frame(value):
        return by_columns(value)
    if hasattr(value, "toarray"):
        value = value.toarray()
    if isinstance(value, np.ndarray):
        return np.asarray(value)
    try:
        raw = np.asarray(value)
    except InputError:  # of an Arrangement, whose offsets no array can hold
        raise
    except ValueError as error:
        raise InputError(f"{name} is ragged: {_row_lengths(value)}.") from error
    except OverflowError:
        # int mixed with float beyond the range of float64
        raw = np.array(value, dtype=object)
    except Exception as error:  # what the __array__ of an entry raises
        raise InputTypeError(
            f"{name} is {quote(value)}, which is no array: {first_line(error)}."
        ) from error
    if raw.dtype == object and raw.ndim < 2 and any(isinstance(e, (list, tuple)) for e in raw.flat):
        raise InputError(f"{name} is ragged: {_row_lengths(value)}.")
    return raw


def is_frame(value: Any) -> bool:
    """Whether this is a pandas DataFrame, or works like one."""
    return all(hasattr(value, name) for name in ("columns", "index", "items"))


def by_columns(frame: Any) -> NDArray[Any]:
    """Array of a DataFrame: pandas would round large integers beside a column of floats."""
    columns = [np.asarray(column) for _, column in frame.items()]
    if len({column.dtype for column in columns}) == 1:
        return np.stack(columns, axis=1)
    raw = np.empty((len(frame.index), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        raw[:, j] = column
    return raw


def _row_lengths(value: Any) -> str:
    """Name two rows of different lengths."""
    try:
        lengths = [np.shape(row) for row in value]
    except (TypeError, ValueError):
        return "its rows have different lengths"
    odd = next((i for i, shape in enumerate(lengths) if shape != lengths[0]), None)
    if odd is None:
        return "its rows have different lengths"
    return f"row 0 has shape {lengths[0]}, row {odd} has shape {lengths[odd]}"


def _check_shape(raw: NDArray[Any], name: str, allow_no_rows: bool, allow_no_columns: bool) -> None:
    if raw.ndim != 2:
        hint = f" For one row pass {name}.reshape(1, -1)." if raw.ndim == 1 else ""
        raise InputError(f"{name} has shape {raw.shape}; expected (n, d).{hint}")
    if raw.shape[1] == 0 and not allow_no_columns:
        raise InputError(f"{name} has shape {raw.shape}: no columns; the dimension must be >= 1.")
    if raw.shape[0] == 0 and not allow_no_rows:
        raise InputError(f"{name} has shape {raw.shape}: no rows; expected at least one.")


def _exact(raw: NDArray[Any], value: Any, name: str) -> ExactArray:
    """Exact copy of `raw`, NumPy's array of `value`."""
    kind = raw.dtype.kind
    if kind in "bi":
        return np.array(raw, dtype=np.int64, order="C")
    if kind == "u":
        return _from_unsigned(raw)
    if kind == "f" or _is_extension_float(raw.dtype):
        # What came as an array was not rounded on the way; of integers NumPy makes no short floats.
        typed = hasattr(value, "__array__") or hasattr(value, "toarray")
        wide = raw.dtype.itemsize >= 8
        if not typed and wide and not np.all(np.abs(raw) < _FLOAT_INTEGERS):
            # NumPy turned a list of int and float into floats: take the entries one by one.
            return _from_objects(np.array(value, object).reshape(raw.shape), name)
        return _from_floats(raw, name)
    if kind == "O":
        return _from_objects(raw, name)
    if kind == "c":
        where = _where(np.argwhere(raw.imag != 0), name) if raw.imag.any() else name
        raise InputTypeError(f"{where} is complex; expected real numbers (take the real parts).")
    raise InputTypeError(
        f"{name} has dtype {raw.dtype}; expected integers, floats, Fractions or SymPy numbers."
    )


def _from_unsigned(raw: NDArray[Any]) -> ExactArray:
    if raw.size == 0 or int(raw.max()) <= _INT64.max:
        return np.array(raw, dtype=np.int64, order="C")
    return np.array(raw.tolist(), dtype=object).reshape(raw.shape)


def _from_floats(
    raw: NDArray[Any], name: str, kind: type[np.float32 | np.float64] = np.float64
) -> ExactArray:
    """Copy as floats of a kind, or Fractions when a wider float does not fit."""
    with np.errstate(over="ignore", invalid="ignore"):  # invalid are some bits of long doubles
        values = np.array(raw, dtype=kind, order="C")
    flat = values.reshape(-1)
    if not all(np.isfinite(flat[k : k + _BLOCK]).all() for k in range(0, len(flat), _BLOCK)):
        bad = np.argwhere(~np.isfinite(raw if raw.dtype.itemsize > 8 else values))
        if len(bad):
            raise _not_finite(bad[0], raw[tuple(bad[0])], name)
    if raw.dtype.itemsize > 8 and not (values == raw).all():
        return _from_objects(raw.astype(object), name)
    return values


def _not_finite(place: NDArray[np.intp], entry: Any, name: str) -> InputError:
    return InputError(
        f"{_place(tuple(place), name)} is {entry}; expected finite numbers. Drop or repair that "
        "row."
    )


def _is_extension_float(dtype: np.dtype[Any]) -> bool:
    """bfloat16 and its like: NumPy extension types of kind V that convert to float32."""
    return dtype.kind == "V" and dtype.names is None and "float" in dtype.name


def _from_objects(raw: NDArray[Any], name: str) -> ExactArray:
    """Entries one by one; int64 or float64 again when nothing else occurs and nothing is lost."""
    flat = list(raw.flat)
    if any(type(e) is FieldElement or is_symbolic(e) for e in flat):
        flat = in_common_field(flat, lambda i: _place(np.unravel_index(i, raw.shape), name))
    entries = [_exact_entry(e, i, raw, name) for i, e in enumerate(flat)]
    if all(type(e) is int and _INT64.min <= e <= _INT64.max for e in entries):
        return np.array(entries, dtype=np.int64).reshape(raw.shape)
    if all(isinstance(e, (int, float, np.integer, np.floating)) for e in raw.flat):
        with np.errstate(over="ignore"):
            values = np.array([nearest_float(e) for e in entries])
        if all(x == y for x, y in zip(values.tolist(), entries, strict=True)):
            return values.reshape(raw.shape)
    exact = np.empty(len(entries), dtype=object)
    exact[:] = entries
    return exact.reshape(raw.shape)


def _exact_entry(entry: Any, position: int, raw: NDArray[Any], name: str) -> Any:
    """One number as int (when integral), Fraction or FieldElement; errors name where it stands."""
    if type(entry) is FieldElement or type(entry) is int:
        return entry
    if isinstance(entry, np.generic) and not isinstance(entry, np.number | np.bool_):
        if "float" in entry.dtype.name:  # bfloat16 and its like
            entry = float(entry)
    if isinstance(entry, (bool, np.bool_)):
        return int(entry)
    if isinstance(entry, Rational):
        value = Fraction(int(entry.numerator), int(entry.denominator))
    elif isinstance(entry, (float, np.floating, Decimal)) and _is_finite(entry):
        if isinstance(entry, Decimal):
            _check_digits(entry, _place(np.unravel_index(position, raw.shape), name))
        value = Fraction(*(int(part) for part in entry.as_integer_ratio()))
    elif getattr(entry, "is_Rational", False) and getattr(entry, "is_finite", False):
        value = Fraction(int(entry.p), int(entry.q))
    else:
        _refuse_entry(entry, _place(np.unravel_index(position, raw.shape), name))
    return int(value) if value.denominator == 1 else value


def _check_digits(entry: Decimal, place: str) -> None:
    """Refuse a Decimal that is short to write and endless as a quotient of two integers."""
    digits = max(abs(entry.adjusted()), abs(int(entry.as_tuple().exponent)))
    if digits > _MOST_DIGITS:
        raise InputError(
            f"{place} is a Decimal with {digits} digits before or after the point; expected at "
            f"most {_MOST_DIGITS}. Multiply the row by a power of ten: its signs stay the same."
        )


def _is_finite(entry: Any) -> bool:
    """Whether a float of any width, or a Decimal, is finite (as float64 it may overflow)."""
    return entry.is_finite() if isinstance(entry, Decimal) else bool(np.isfinite(entry))


def _refuse_entry(entry: Any, place: str) -> NoReturn:
    if isinstance(entry, (float, np.floating, Decimal)):
        raise InputError(f"{place} is {entry}; expected finite numbers. Drop or repair that row.")
    if isinstance(entry, (complex, np.complexfloating)):
        raise InputTypeError(f"{place} is complex ({entry}); expected real numbers.")
    if getattr(entry, "is_infinite", False) or type(entry).__name__ == "NaN":
        raise InputError(f"{place} is {entry}; expected finite numbers.")
    kind = type(entry).__name__
    raise InputTypeError(
        f"{place} is {quote(entry)} of type {kind}, which is not known to be rational; "
        "expected int, float, Fraction or a SymPy number (convert it with float or Fraction)."
    )


def _where(bad: NDArray[np.intp], name: str) -> str:
    """Name the first of the places in `bad`."""
    return _place(tuple(bad[0]), name)


def _place(index: tuple[Any, ...], name: str) -> str:
    if len(index) == 2:
        return f"{name}, row {index[0]}, column {index[1]},"
    return f"{name}, entry {index[0]},"
