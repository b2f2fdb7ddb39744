"""Rows of an arrangement as the cone kernel needs them: homogeneous, of full column rank.

An affine arrangement becomes a central one with the additional coordinate 1: the row of
hyperplane i is ``(w_i, b_i)`` and the row ``(0, .., 0, 1)`` must be positive. Only a column basis
is kept, which changes no sign vector. Its columns are permuted so that, if the rows before some
position have rank r, their first r entries determine them.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.integer_image import IntegerImage, integer_image, residue_rows
from arrangements.exact.linear import independent_rows, minor_bits
from arrangements.exact.number_field import NumberField
from arrangements.exact.residues import (
    PRIME_BITS,
    Attempt,
    fields,
    moduli_above,
    moduli_of,
    moduli_with,
    montgomery,
)
from arrangements.kernels.cone.cone_test import Table, Work, work_for

IntRows = list[list[int]]
_EXPONENT_OF_ZERO = -(10**9)


class HomogeneousRows:
    """Integer rows in processing order, with the float and residue tables of the cone kernel.

    Rows of numbers of a real field have the tables of their integer image.

    Parameters
    ----------
    rows : list of list of int or FieldElement
        Positively scaled homogeneous rows, none of them zero.
    keep_order : bool
        Keep the order of the rows; otherwise rows independent of all earlier ones come first.
    forced : int
        This many leading rows always stay in front (they have the sign + in a listing).

    Attributes
    ----------
    integers : list of list of int or FieldElement
        (N, D) in processing order, in the chosen columns.
    field : NumberField or None
        Of the entries; None if all are integers.
    order : list of int
        Position in `rows` of each processed row.
    columns : list of int
        Columns of `rows` that are kept, in their new order.
    ranks : (N + 1,) int64 ndarray
        Rank of the rows before each position.
    safe : (D,) int64 ndarray
        Positions of rows that are independent of all earlier ones.
    floats : (D, N) float64 ndarray
        Entry (c, j) is row j, column c, times 2**-(column_exponents[c] + an exponent of the
        row), to 2**-53; the largest of each row lies in [1, 2].
    """

    def __init__(self, rows: IntRows, *, keep_order: bool = True, forced: int = 0) -> None:
        order = list(range(len(rows)))
        self.field: NumberField | None = field_of_rows(rows)
        pivots, columns = (
            _independent_rows(rows, order) if self.field is None else _independent_field_rows(rows)
        )
        if not keep_order:
            lead = set(range(forced)) | set(pivots)
            order = sorted(lead) + [i for i in order if i not in lead]
            pivots = [order.index(i) for i in pivots]
        self.order: list[int] = order
        self.columns: list[int] = columns
        self.integers: list[list[int]] = [[rows[i][c] for c in columns] for i in order]
        self.safe: NDArray[np.int64] = np.array(pivots, np.int64)
        is_pivot = np.zeros(len(rows) + 1, np.int64)
        is_pivot[self.safe + 1] = 1
        self.ranks: NDArray[np.int64] = np.cumsum(is_pivot)

    @cached_property
    def _scaled(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        return scaled_floats(self._image.rows)

    @cached_property
    def _image(self) -> IntegerImage:
        """Integers that tell zeros and signs of the determinants; of integers these themselves."""
        return self._image_of_attempt(0)

    def _image_of_attempt(self, attempt: Attempt) -> IntegerImage:
        if self.field is None:
            return IntegerImage(self.integers, ())
        return integer_image(self.integers, self.field, self.dimension, attempt=attempt)

    @property
    def floats(self) -> NDArray[np.float64]:
        """Entries times powers of two."""
        return self._scaled[0]

    @property
    def column_exponents(self) -> NDArray[np.int64]:
        """The exponents of the columns in these powers."""
        return self._scaled[1]

    @property
    def dimension(self) -> int:
        """Number D of columns, the rank of the rows."""
        return len(self.columns)

    @cached_property
    def fields(self) -> NDArray[np.uint64]:
        """Constants of enough prime fields for every determinant of the rows (Hadamard)."""
        bits = self._determinant_bits()
        if self.field is None:
            return enough_fields(bits)
        zero = self._image.zero_primes
        return fields(moduli_with(zero, -(-bits // PRIME_BITS)), len(zero)).copy()

    @cached_property
    def table(self) -> Table:
        """Floats and residues."""
        return Table(self.floats, residues_of(self._image.rows, self.fields), self.fields)

    @cached_property
    def float_table(self) -> Table:
        """Floats only: the kernels answer UNDECIDED where they need an exact sign."""
        return without_residues(self.floats)

    def work_for(self, table: Table) -> Work:
        """Scratch memory whose basis is the safe one."""
        work = work_for(table)
        work.basis[:] = self.safe
        return work

    def residues(self, attempt: Attempt) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Montgomery residues (N, D, P) of the rows modulo primes, and the constants of these.

        Determinants that vanish modulo all of them are zero.
        """
        image = self._image_of_attempt(attempt)
        if self.field is None:
            table = enough_fields(self._determinant_bits(), attempt)
        else:
            table = fields(image.zero_primes).copy()
        return np.ascontiguousarray(residues_of(image.rows, table).transpose(1, 2, 0)), table

    def _determinant_bits(self) -> int:
        """Bits of twice the largest determinant."""
        return minor_bits(self._image.rows) + 1


def homogeneous_rows(arrangement: Arrangement) -> tuple[IntRows, bool]:
    """Integer rows of the arrangement and whether the row at infinity was put before them."""
    rows = arrangement.integer_rows
    d = arrangement.dimension
    if arrangement.is_central:
        return [list(row[:d]) for row in rows], False
    return [[0] * d + [1], *(list(row) for row in rows)], True


def distinct_rows(rows: IntRows) -> tuple[IntRows, NDArray[np.int64], NDArray[np.int8]]:
    """One row per hyperplane; for each given row its representative and relative orientation.

    Primitive rows: proportional ones are then equal or opposite. The first of a class stays.
    """
    places: dict[tuple[int, ...], int] = {}
    distinct: IntRows = []
    member, orientation = [], []
    for row in rows:
        key, opposite = tuple(row), tuple(-entry for entry in row)
        side = -1 if opposite in places else 1
        canonical = opposite if side < 0 else key
        if canonical not in places:
            places[canonical] = len(distinct)
            distinct.append(row)
        member.append(places[canonical])
        orientation.append(side)
    return distinct, np.array(member, np.int64), np.array(orientation, np.int8)


def _independent_rows(rows: IntRows, order: list[int]) -> tuple[list[int], list[int]]:
    """Rows independent of all earlier ones, and columns where their leading minors are regular.

    Elimination modulo a prime proves independence. Dependence is verified exactly; if that fails,
    another prime is taken.
    """
    attempt = 0
    while True:
        (prime,) = moduli_of(attempt, 1)
        pivots, columns = _pivots_modulo(_reduce(rows, [prime])[0].astype(np.int64), prime)
        if _dependences_hold(rows, pivots, columns):
            return pivots, columns
        attempt += 1


def _independent_field_rows(rows: IntRows) -> tuple[list[int], list[int]]:
    """The same for rows of numbers of a field."""
    expected, attempt = list(independent_rows(rows)), 0
    while True:
        prime, residues = residue_rows(rows, attempt)
        pivots, columns = _pivots_modulo(residues.astype(np.int64), prime)
        if pivots == expected:
            return pivots, columns
        attempt += 1


def _pivots_modulo(residues: NDArray[np.int64], prime: int) -> tuple[list[int], list[int]]:
    """Rows and columns of the pivots of elimination modulo `prime`, in the order of the rows."""
    left: Any = residues.copy()
    pivots: list[int] = []
    columns: list[int] = []
    while True:
        nonzero = left.any(axis=1)
        row = int(nonzero.argmax()) if len(nonzero) else 0
        if not len(nonzero) or not nonzero[row]:
            return pivots, columns
        column = int(left[row].nonzero()[0][0])
        pivots.append(row)
        columns.append(column)
        unit = left[row] * pow(int(left[row, column]), -1, prime) % prime
        left -= left[:, column, None] * unit[None, :] % prime
        left %= prime


def _dependences_hold(rows: IntRows, pivots: list[int], columns: list[int]) -> bool:
    """Whether each row is a combination of the pivot rows up to it (exact)."""
    from flint import fmpz_mat  # type: ignore[import-not-found, unused-ignore]

    width = len(rows[0]) if rows else 0
    full = len(pivots) == width
    last = pivots[-1] if pivots else -1
    # with full column rank the rows after the last pivot are combinations in any case
    doubtful = [i for i in range(last if full else len(rows)) if i not in set(pivots)]
    if not doubtful or not pivots:
        return all(not any(rows[i]) for i in doubtful)
    basis = fmpz_mat([rows[i] for i in pivots])
    minor = fmpz_mat([[rows[i][c] for c in columns] for i in pivots])
    inverse, denominator = minor.inv().numer_denom()  # type: ignore[attr-defined, unused-ignore]
    weights = fmpz_mat([[rows[i][c] for c in columns] for i in doubtful]) * inverse
    if weights * basis != fmpz_mat([rows[i] for i in doubtful]) * denominator:
        return False
    earlier = np.searchsorted(pivots, doubtful)
    return all(
        weights[k, j] == 0 for k in range(len(doubtful)) for j in range(earlier[k], len(pivots))
    )


def scaled_floats(rows: IntRows) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Entries times powers of two, largest of each row in [1, 2]; the exponents of the columns."""
    width = len(rows[0]) if rows else 0
    bits = np.array(
        [[e.bit_length() if e else _EXPONENT_OF_ZERO for e in row] for row in rows], np.int64
    ).reshape(len(rows), width)
    column = np.zeros(width, np.int64)
    if len(rows) and width:
        for _ in range(3):
            row = (bits - column).max(axis=1, keepdims=True)
            column = (bits - row).max(axis=0)
    values = np.zeros((width, len(rows)))
    for j, entries in enumerate(rows):
        values[:, j] = _scaled_row(entries, column.tolist())
    return values, column


def _scaled_row(entries: Sequence[int], column: Sequence[int]) -> list[float]:
    shift = max(e.bit_length() - c for e, c in zip(entries, column, strict=True) if e) - 1
    # Division of two integers is correctly rounded, whatever their sizes.
    return [
        e / (1 << s) if (s := shift + c) >= 0 else (e << -s) / 1
        for e, c in zip(entries, column, strict=True)
    ]


def _reduce(rows: IntRows, moduli: Sequence[int]) -> NDArray[np.uint64]:
    """Residues of the entries, (len(moduli), N, D) uint64."""
    entries = np.array(rows, dtype=object)
    return np.array([(entries % p).astype(np.uint64) for p in moduli], np.uint64)


def without_residues(floats: NDArray[np.float64]) -> Table:
    """Table of (D, N) floats alone."""
    return Table(floats, np.zeros((0, *floats.T.shape), np.uint64), np.zeros((0, 4), np.uint64))


def operations_of(table: Table, rows: int) -> float:
    """About how many operations a question about `rows` rows takes, to keep kernel calls short.

    A question takes a few pivots and, with residues, some signs of determinants.
    """
    d = len(table.floats)
    return 10.0 * rows * d**2 + len(table.fields) * (d * rows + 3.0 * d**3)


def enough_fields(bits: int, attempt: Attempt = 0) -> NDArray[np.uint64]:
    """Constants of prime fields, enough for the product of the primes to exceed 2**bits."""
    # a copy, since the shared table is read-only, which is another type to numba
    return fields(moduli_above(bits, attempt)).copy()


def residues_of(rows: IntRows, table: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Montgomery residues (times 2**32) of the entries, C-contiguous."""
    moduli = [int(p) for p in table[:, 0]]
    return np.ascontiguousarray(montgomery(_reduce(rows, moduli), table[:, :1, None]))
