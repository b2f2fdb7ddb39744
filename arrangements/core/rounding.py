"""How the entries of a matrix were rounded: to a float type, or to the digits that were printed.

Heuristic throughout: it serves to warn of a low rank and to infer a product, and proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.numbers import ExactArray

Floats = NDArray[np.float64]

# Mantissas of the types that numbers are stored in: bfloat16, float16, float32, float64.
PRECISIONS = (8, 11, 24, 53)
# Trailing zero bits that mantissas of rounded numbers may have, in the median: one in two ends in a
# zero by chance, and differences of such numbers end in more.
_SPARE_BITS = 3
# Entries that are examined as decimal numbers, from all over the matrix.
_SAMPLE = 2000
# Digits of most numbers of a type, written as short as possible.
_SHORTEST: dict[int, tuple[Any, int]] = {24: (np.float32, 7), 11: (np.float16, 4)}
# From this many digits, and bits of a mantissa, on decimals look printed: those with fewer may
# have been typed, or be dyadic.
_FEWEST_DIGITS, _FEWEST_BITS = 5, 20
# From this many numbers of float64 on, it is no chance that all need 16 digits only.
_MANY = 20
# Digits that float32 and float64 numbers need: a printed number has fewer.
_FULL_DIGITS = {24: 9, 53: 17}


@dataclass(frozen=True)
class Printed:
    """Decimal numbers of so many significant digits, or so many decimals after the point.

    Attributes
    ----------
    digits, decimals : int or None
        One of them is None.
    """

    digits: int | None = None
    decimals: int | None = None

    def halves(self, matrix: Floats) -> Floats:
        """Half a unit of the last digit of each entry: the largest rounding error.

        Examples
        --------
        >>> Printed(digits=3).halves(np.array([[123.0, 0.0123]])).tolist()
        [[0.5, 5e-05]]
        >>> Printed(decimals=2).halves(np.array([[123.0, 0.0123]])).tolist()
        [[0.005, 0.005]]
        """
        if self.digits is None:
            assert self.decimals is not None
            return np.full(matrix.shape, 0.5 * 10.0**-self.decimals)
        with np.errstate(divide="ignore"):
            places = np.floor(np.log10(np.abs(matrix))) + 1 - self.digits
        return np.asarray(0.5 * 10.0**places, np.float64)


class PrintedArray(np.ndarray[Any, Any]):
    """An array that was read from text, and how its numbers were printed.

    Only the array itself knows this: slices, copies and results of arithmetic do not.
    """

    _printed: Printed | None = None

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))


def with_print_format(matrix: NDArray[Any], printed: Printed) -> PrintedArray:
    """The array that knows how its numbers were printed."""
    found = matrix.view(PrintedArray)
    found._printed = printed
    return found


def print_format_of(W: Any) -> Printed | None:
    """How the numbers of a matrix, or of the rows of an arrangement, were printed, if known."""
    found = getattr(W, "_printed", None)
    return found if isinstance(found, Printed) else None


@dataclass(frozen=True, eq=False)
class Rounding:
    """Errors of entries: of arithmetic with so many bits, and of printing.

    Attributes
    ----------
    bits : int
        Mantissa of the float type in which entries were computed.
    halves : (n, d) ndarray or None
        Largest error of each entry that was printed.
    fixed : bool
        Whether entries were printed with equally many decimals. Then 0 is any small number.
    """

    bits: int
    halves: Floats | None = None
    fixed: bool = False

    def __str__(self) -> str:
        return "stored in floats" if self.halves is None else "printed in decimals"


def rounding_of(matrix: ExactArray, printed: Printed | None = None) -> Rounding:
    """The rounding that the digits of an exact array show.

    Parameters
    ----------
    matrix : (n, d) ndarray
    printed : Printed, optional
        As known from the text. Else the entries tell.

    Examples
    --------
    >>> W = np.random.default_rng(0).normal(size=(5, 3))
    >>> found = rounding_of(W.round(6))
    >>> found.bits, found.fixed, found.halves.max()
    (53, True, np.float64(5e-07))
    >>> rounding_of(W).halves is None
    True
    """
    bits = stored_bits(matrix)
    if matrix.dtype != np.float64:
        return Rounding(bits)
    if printed is None and bits > 11:
        printed = _printed_entries(matrix, bits)
    if printed is None:
        return Rounding(bits)
    halves, fixed = printed.halves(matrix), printed.decimals is not None
    if fixed and np.abs(matrix).max(initial=0) > 2.0**54 * halves.min(initial=1):
        return Rounding(bits)  # float64 holds no such digits
    return Rounding(bits, halves, fixed)


def stored_bits(matrix: ExactArray) -> int:
    """Mantissa of the float type that the entries of an exact array were rounded to, in bits.

    24, 11 or 8 if all entries fit into float32, float16 or bfloat16 and look rounded to it: most
    use their whole mantissa and, except for float32, they are not all multiples of one number with
    so few bits, as small integers are. 24 or 11 also if they are the shortest decimals of such
    numbers. Else 53.

    Examples
    --------
    >>> W = np.random.default_rng(0).normal(size=(9, 2))
    >>> [stored_bits(W.astype(kind).astype(float)) for kind in ("f8", "f4", "f2")]
    [53, 24, 11]
    >>> stored_bits(np.array([[1.0, 2.0], [3.0, 0.5]]))
    53
    """
    if matrix.dtype != np.float64 or not matrix.any():
        return 53
    lengths, tops = _mantissas(matrix)
    bits = next(bits for bits in PRECISIONS if lengths.max() <= bits)
    if bits == 53:
        entries = _sample(matrix)
        return next((short for short in _SHORTEST if _are_shortest(entries, short)), 53)
    width = tops.max() - (tops - lengths).min()
    # integers of 24 bits, other than small ones, are rare
    rounded = (width > bits or bits == 24) and np.median(lengths) >= bits - _SPARE_BITS
    return bits if rounded else PRECISIONS[-1]


def mantissa_bits(matrix: ExactArray) -> float:
    """Length of the mantissas of the entries that are not zero, in the median.

    Examples
    --------
    >>> mantissa_bits(np.array([[1.0, 0.375, 5.0]]))
    2.0
    """
    return float(np.median(_mantissas(matrix)[0]))


def _mantissas(matrix: ExactArray) -> tuple[NDArray[np.intc], NDArray[np.intc]]:
    """Lengths of mantissas in bits and exponents of the entries that are not zero."""
    mantissas, tops = np.frexp(matrix[matrix != 0])
    integers = (mantissas * 2.0**53).astype(np.int64)
    return 54 - np.frexp((integers & -integers).astype(np.float64))[1], tops


def _sample(matrix: ExactArray) -> Floats:
    entries = matrix[matrix != 0]
    return np.asarray(entries[:: 1 + (len(entries) - 1) // _SAMPLE])


def _are_shortest(entries: Floats, bits: int) -> bool:
    """Whether the entries are the shortest decimals of numbers of a shorter type."""
    kind, least = _SHORTEST[bits]
    digits = []
    with np.errstate(over="ignore"):
        for entry in entries:
            text = str(kind(entry))
            if float(text) != entry:
                return False
            digits.append(_places(text)[0])
    return bool(np.median(digits) >= least)


def _printed_entries(matrix: Floats, bits: int) -> Printed | None:
    if not matrix.any() or mantissa_bits(matrix) < _FEWEST_BITS:
        return None
    entries = _sample(matrix)
    texts = map(str, entries.astype(np.float32)) if bits == 24 else map(repr, entries.tolist())
    if bits == 24 and not (entries == entries.astype(np.float32)).all():
        texts = map(repr, entries.tolist())  # shortest decimals
    found = infer_print_format((text.removesuffix(".0") for text in texts), _FULL_DIGITS[bits])
    # every second number of float64 needs only 16 digits
    doubtful = found is not None and found.digits == _FULL_DIGITS[53] - 1
    return None if doubtful and len(entries) < _MANY else found


def infer_print_format(texts: Iterable[str], full: int = _FULL_DIGITS[53]) -> Printed | None:
    """How decimal numbers were printed: what most of them that are not whole have in common.

    Parameters
    ----------
    texts : iterable of str
        Numbers, with or without exponents.
    full : int
        Digits of numbers that were not shortened.

    Examples
    --------
    >>> infer_print_format(["0.123457", "12.000000", "3.141593"])
    Printed(digits=None, decimals=6)
    >>> infer_print_format(["0.0123456789", "12.3456789", "3.14159265", "7"])
    Printed(digits=9, decimals=None)
    >>> infer_print_format(["0.5", "0.25", "1"])
    """
    places = []
    for text in texts:
        place = _places(text)
        if place[0] >= full:
            return None
        places.append(place)
    digits, decimals = np.array(places, np.int64).reshape(-1, 2).T
    most, parts = digits.max(initial=0), decimals > 0
    if most < _FEWEST_DIGITS or not parts.any():
        return None
    same_digits = float((digits[parts] == most).mean())
    same_decimals = float((decimals[parts] == decimals.max()).mean())
    if max(same_digits, same_decimals) < 0.5:
        return None
    if same_decimals >= same_digits:
        return Printed(decimals=int(decimals.max()))
    return Printed(digits=int(most))


def _places(text: str) -> tuple[int, int]:
    """Significant digits of a decimal number, and digits after the point."""
    number, _, exponent = text.lower().partition("e")
    whole, _, part = number.lstrip("+-").partition(".")
    return len((whole + part).lstrip("0")), len(part) - int(exponent or 0)
