"""Coordinates along a random flag: what the sweep starts from, in floats and in residues."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import cached_property, lru_cache
from itertools import chain
from math import comb
from operator import mul
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.exact import residues as _residues
from arrangements.exact.integer_image import IntegerImage, integer_image
from arrangements.exact.linear import column_basis
from arrangements.exact.numbers import (
    append_column,
    field_of_array,
    integer_rows,
    read_only,
    times_common_denominator,
)
from arrangements.execution import limits
from arrangements.kernels.chambers.flag_columns import fill_columns, scale_floats

Packed = NDArray[np.uint64]

# Random bits of each entry of the flag; a flag that is not generic is noticed and replaced.
_MIX_BITS = 30
# Residues modulo several primes are found together, so many that their arrays stay small.
_RESIDUES_AT_ONCE = 2**20


@lru_cache(maxsize=64)
def _mixing(seed: int, d: int, bits: int) -> NDArray[np.int64]:
    """(d - 1, d - 1) random integers of this many bits above the diagonal; read-only."""
    limit = 2**bits
    below = np.random.default_rng([seed, d]).integers(-limit, limit + 1, (d - 1, d - 1))
    mix = np.tril(below, -1).T
    return read_only(mix)


@lru_cache(maxsize=64)
def _float_mixing(seed: int, d: int, bits: int) -> NDArray[np.float64]:
    """The same as factors near 1 and below, with 1 on the diagonal; column j is ``[j]``."""
    mix = np.eye(d - 1) + _mixing(seed, d, bits) * 2.0**-bits
    return read_only(np.ascontiguousarray(mix.T)[:, :, None])


class Flag:
    """Coordinates of an arrangement along a random flag of slices.

    Parameters
    ----------
    matrix : (n, d) ndarray of float64, int64, or object (int, Fraction, FieldElement)
        Rows ``(w_i, b_i)`` of an affine or ``w_i`` of a central arrangement, of column rank d
        together with the row at infinity: ``e_d`` if affine, else the first row.
    central : bool
    seed : int
        Of the flag.
    images : dict, optional
        Keeps the integer images of a matrix with irrational entries for its next flags.
    """

    # rows whose sum or difference is a row of a minor
    _terms = 1

    def __init__(
        self,
        matrix: NDArray[Any],
        central: bool,
        seed: int = 0,
        images: dict[int, IntegerImage] | None = None,
    ) -> None:
        self.n: int = matrix.shape[0]
        self.d: int = matrix.shape[1]
        self.central: bool = central
        self.seed: int = seed
        self._matrix = matrix
        self._zero_primes: tuple[int, ...] = ()
        self._field = field_of_array(matrix)
        if self._field is not None:
            self._given, self._images = matrix, {} if images is None else images
            self._take_image(0)
        self.mix: NDArray[np.int64] = _mixing(seed, self.d, _MIX_BITS)
        self._scale()
        self._mix()

    def _take_image(self, attempt: int) -> None:
        """Put the integer image of an attempt in the place of rows of numbers of a field."""
        assert self._field is not None
        d, self._image_attempt = self.d, attempt
        if attempt not in self._images:
            given = self._integral_rows(self._given)
            self._images[attempt] = integer_image(
                given, self._field, d, self._mixed_bits(d), attempt, self._terms
            )
        image = self._images[attempt]
        self._matrix = np.array(image.rows, dtype=object)
        self._zero_primes = image.zero_primes

    def _scale(self) -> None:
        """Floats of the rows, every row and column times a power of two near its size.

        They are correctly rounded, except for underflow, which the error bound covers.
        """
        matrix = self._matrix
        if matrix.dtype == np.float64:
            self._integers = None
            self.scaled: NDArray[np.float64] = np.empty(matrix.shape)
            self.column_shift: NDArray[np.int64] = np.empty(self.d, np.int64)
            # one version of the kernel, whoever may write to the matrix
            if not matrix.flags.c_contiguous or matrix.flags.writeable:
                matrix = read_only(np.ascontiguousarray(matrix))
            scale_floats(matrix, np.empty(matrix.shape, np.int32), self.column_shift, self.scaled)
            return
        self._integers = self._integers_of(matrix)
        exponents = self._bits.copy()
        exponents[matrix == 0] = -(10**6)
        columns = -exponents.max(axis=0)
        rows = -(exponents + columns).max(axis=1)
        self.column_shift = columns
        shift = rows[:, None] + columns[None, :]
        pairs = zip(self._integers, shift.tolist(), strict=True)
        self.scaled = np.array([list(map(scaled_float, row, shifts)) for row, shifts in pairs])

    def _integers_of(self, matrix: NDArray[Any]) -> list[list[int]]:
        """Integer multiples of the rows; the rows themselves of an integer image."""
        return integer_rows(matrix) if self._field is None else matrix.tolist()

    def _integral_rows(self, matrix: NDArray[Any]) -> list[list[Any]]:
        """Multiples of rows of numbers of a field, with integer coefficients."""
        return [times_common_denominator([row])[0][0] for row in matrix.tolist()]

    def _mix(self) -> None:
        """Columns along the flag, their error bounds and magnitudes."""
        d = self.d
        s, sign, ratio = d - 1, 1, [0.0] * (d - 1)
        if self.central:
            first = self._row_at_infinity()
            s = max(range(d), key=[abs(entry) for entry in first].__getitem__)
            sign = 1 if first[s] > 0 else -1
            ratio = [first[k] / first[s] for k in range(d) if k != s]
        self.pivot_column: int = s
        self.root_sign: int = sign
        self.columns: NDArray[np.float64] = np.zeros((d, self.n))
        largest = np.zeros(d)
        mix = _float_mixing(self.seed, d, _MIX_BITS)
        ratios, columns = np.array(ratio), self.columns
        fill_columns(self.scaled, s, float(sign), ratios, self.central, mix, columns, largest)
        # entries are below 1 in size and exact up to a rounding; the elimination gives below 2 and
        # 4 roundings, the product d terms of that size, 2 more roundings each, and d additions
        self.error: float = 2.0 * (d + 2) ** 2 * 2.0**-53
        self.magnitude: NDArray[np.float64] = largest + self.error

    def height(self) -> list[int]:
        """The coordinate ``y_(d-2)`` along the flag as a row of integers, up to a factor > 0."""
        last, mix = self.d - 2, self.mix.tolist()
        found = [0] * last + [1 << _MIX_BITS * last]
        for k in reversed(range(last)):  # multiples of 2 ** (k * _MIX_BITS)
            found[k] = -sum(map(mul, found[k + 1 :], mix[k][k + 1 : last + 1])) >> _MIX_BITS
        found.insert(self.pivot_column, 0)
        shifts = (self.column_shift.max() - self.column_shift).tolist()
        return [x << s for x, s in zip(found, shifts, strict=True)]

    def _row_at_infinity(self) -> list[Any]:
        """Row 0 of a central arrangement, up to a positive factor."""
        row: list[float] = self.scaled[0].tolist()
        return row

    def constant_rows(self) -> tuple[list[int], list[int]]:
        """Rows whose sign is the same everywhere, and which of them are positive."""
        if self.central:  # the first row
            return [0], [0]
        zero = ~(self._matrix[:, :-1] != 0).any(axis=1)
        positive = zero & (self.scaled[:, -1] > 0)
        return np.flatnonzero(zero).tolist(), np.flatnonzero(positive).tolist()

    def check_workspace(self, workers: int = 1) -> None:
        """Refuse a sweep if `ties` and `flip`, which hold a set for each row, do not fit."""
        needed = workers * self.n**2 * max(self.d - 1, 2) // 8
        limits.check_workspace(f"a sweep of {self.n} hyperplanes in rank {self.d}", needed)

    def most_in_line(self) -> int:
        """Most rows that the root's line gives, reached in general position."""
        return 1 + self.n - len(self.constant_rows()[0])

    def most_below(self, depth: int) -> NDArray[np.float64]:
        """Most rows below each child of a node of this depth, its own line included."""
        varies = np.ones(self.n, np.int64)
        varies[self.constant_rows()[0]] = 0  # without points on any line, so no children
        smaller = (np.cumsum(varies) - varies).tolist()
        levels = range(1, self.d - 1 - depth)
        return varies * finite_floats([sum(comb(m, k) for k in levels) for m in smaller])

    def _minor_bits(self) -> int:
        """Bits of every minor of the rows (Hadamard)."""
        largest = np.sort(self._shifted_bits())[::-1][: self.d]
        norms = -(-(self.d**self.d).bit_length() // 2)  # in units of the largest entries
        return int(largest.sum()) + norms

    def _sign_bits(self) -> int:
        """Bits of twice every minor of mixed columns times the pivot, an entry of row 0."""
        pivot = int(self._shifted_bits()[0]) if self.central else 0
        return self._minor_bits() + self._mixed_bits(self.d) + pivot + 1

    def small_integers(self, most: float) -> NDArray[np.float64] | None:
        """Integer multiples of the rows, (n, d), if no d - 1 of them have a minor above `most`.

        Else None, and also if Hadamard's inequality does not prove it.
        """
        bits = int(most).bit_length()
        if self._field is not None:
            return None
        if self._integers is None:
            digits = np.ldexp(np.frexp(self._matrix)[0], bits)
            if (digits != np.rint(digits)).any():  # most floats: they need no closer look
                return None
        elif self._bits.max() > bits:
            return None
        integers = self._integers or integer_rows(self._matrix)
        if max(map(abs, chain.from_iterable(integers))) > most:
            return None
        rows = np.array(integers, np.float64)
        norms = np.sort((rows**2).sum(axis=1))[::-1][: self.d - 1]
        with np.errstate(over="ignore"):
            bound = np.prod(norms)  # of the squares; roundings add up to far less than a half
        return rows if bound <= most**2 / 2 else None

    def _mixed_bits(self, mixed: int) -> int:
        """Bits by which this many mixed columns enlarge a minor."""
        return mixed * (_MIX_BITS + 1 + self.d.bit_length())

    @cached_property
    def _bits(self) -> NDArray[np.int64]:
        """Sizes of the integers."""
        assert self._integers is not None
        return np.array([[v.bit_length() for v in row] for row in self._integers], np.int64)

    def _shifted_bits(self) -> NDArray[np.int64]:
        """Bits of the largest entry of each integer row, columns shifted."""
        if self._integers is None:
            mantissa, exponent = self._mantissas
            size = np.frexp(mantissa)[1]  # of up to 53 bits, so exact
            return np.where(mantissa != 0, exponent + size, 0).max(axis=1)
        shift = self.column_shift - self.column_shift.min()
        return (self._bits + shift).max(axis=1)

    @cached_property
    def _mantissas(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The scaled float rows as odd integers times powers of two >= 0."""
        fraction, exponent = np.frexp(self._matrix)
        mantissa = np.ldexp(fraction, 53).astype(np.int64)
        zeros = np.maximum(np.frexp(mantissa & -mantissa)[1] - 1, 0)
        mantissa >>= zeros
        total = exponent + zeros + self.column_shift
        total[mantissa == 0] = 2**40
        total -= total.min(axis=1, keepdims=True)
        total[mantissa == 0] = 0
        return mantissa, total

    def _residue_rows(self, moduli: tuple[int, ...]) -> Packed:
        """The integer rows modulo each prime, (m, n, d)."""
        p, modulus = (np.array(moduli, kind)[:, None, None] for kind in (np.int64, np.uint64))
        if self._integers is None:
            mantissa, exponent = self._mantissas
            residues = (mantissa % p).astype(np.uint64)
            table = np.ones((len(moduli), int(exponent.max()) + 1), np.uint64)
            for k in range(1, table.shape[1]):
                table[:, k] = table[:, k - 1] * np.uint64(2) % modulus[:, 0, 0]
            powers = table[:, exponent]
        else:
            residues = _residues.residues_of(self._integers, moduli)
            shift = self.column_shift - self.column_shift.min()
            if shift.max() < 64:
                powers = (np.uint64(1) << shift.astype(np.uint64)) % modulus
            else:
                twos = [[[pow(2, k, q) for k in shift.tolist()]] for q in moduli]
                powers = np.array(twos, np.uint64)
        return np.asarray(residues * powers % modulus, np.uint64)

    def zero_residues(self, pad: int, attempt: int) -> tuple[Packed, Packed]:
        """`matroid` and `matroid_fields` of the kernel: they decide which minors are zero."""
        flag, d, n = self._of_attempt(attempt), self.d, self.n
        moduli = flag._zero_primes or _residues.moduli_above(flag._minor_bits(), attempt)
        matroid = np.zeros((len(moduli), d, d, pad + 16), np.uint64)
        for part in self._portions(len(moduli)):
            p = np.array(moduli[part], np.uint64)[:, None, None]
            rows, first = flag._residue_rows(moduli[part]), matroid[part, 0]
            first[:, :, :n] = _residues.montgomery(rows.transpose(0, 2, 1), p)
            first[:, -1, n] = _residues.montgomery(np.uint64(1), p[:, 0, 0])
            if self.central:
                first[:, :, n] = first[:, :, 0]
        return matroid, _fields_with(moduli, None)

    def sign_residues(self, pad: int, attempt: int) -> tuple[Packed, Packed]:
        """`flag` and `flag_fields` of the kernel: they decide the signs of minors.

        The last column of the fields has a zero if a prime is bad. There are several times as many
        primes as for zeros, and most arrangements in special position never ask for a sign.
        """
        flag, d, n = self._of_attempt(attempt), self.d, self.n
        moduli = _residues.moduli_above(flag._sign_bits(), attempt)
        residues, factors = np.zeros((len(moduli), d, pad), np.uint64), []
        for part in self._portions(len(moduli)):
            p = np.array(moduli[part], np.uint64)[:, None, None]
            columns, pivots = self._flag_residues(flag._residue_rows(moduli[part]), moduli[part])
            factors.append(_residues.montgomery(pivots, p[:, 0, 0]))
            residues[part, :, :n] = _residues.montgomery(columns, p)
        return residues, _fields_with(moduli, np.concatenate(factors))

    def _portions(self, primes: int) -> Iterator[slice]:
        step = max(1, _RESIDUES_AT_ONCE // (self.n * self.d))
        return (slice(k, k + step) for k in range(0, primes, step))

    def _of_attempt(self, attempt: int) -> Self:
        """The flag with the integer image of an attempt, if there are images.

        Its columns are scaled in the same way. Another thread may need this one as it is.
        """
        if self._field is None or attempt == self._image_attempt:
            return self
        other = copy(self)
        other._take_image(attempt)
        other._integers = other._integers_of(other._matrix)
        other.__dict__.pop("_bits", None)
        return other

    def _flag_residues(self, x: Packed, moduli: tuple[int, ...]) -> tuple[Packed, Packed]:
        """Flag coordinates modulo each prime, (m, d, n), and the residues of the first pivot.

        They are zero modulo a prime that divides it.
        """
        m, p = len(moduli), np.array(moduli, np.uint64)[:, None, None]
        s, d = self.pivot_column, self.d
        rest: Packed = np.delete(x, s, axis=2)
        last, factors = x[:, :, s], np.ones(m, np.uint64)
        if self.central:
            factors = x[:, 0, s]
            pairs = zip(factors.tolist(), moduli, strict=True)
            inverses = [q - pow(f, -1, q) if f else 0 for f, q in pairs]
            ratio: Packed = rest[:, :1] * np.array(inverses, np.uint64)[:, None, None] % p
            rest = (rest + last[:, :, None] * ratio % p) % p
            if self.root_sign < 0:
                last = (p[:, 0] - last) % p[:, 0]
        mixing = self.mix + np.eye(d - 1, dtype=np.int64) * 2**_MIX_BITS
        mix = (mixing % p.astype(np.int64)).astype(np.uint64)
        columns = np.empty((m, d, self.n), np.uint64)
        # products and sums stay below 2**64: primes have 30 bits
        for j in range(d - 1):
            columns[:, j] = (rest * mix[:, j, None] % p).sum(axis=2) % p[:, 0]
        columns[:, -1] = last
        columns[factors == 0] = 0
        return columns, factors


def _fields_with(moduli: tuple[int, ...], factors: Packed | None) -> Packed:
    """The fields of these primes and one more column, zero if not given."""
    fields = np.zeros((len(moduli), 5 + len(moduli)), np.uint64)
    fields[:, :-1] = _residues.fields(moduli)
    if factors is not None:
        fields[:, -1] = factors
    return fields


def scaled_float(value: int, shift: int) -> float:
    """``value * 2**shift``, correctly rounded because it is a quotient of two integers."""
    if value == 0:
        return 0.0
    return value / (1 << -shift) if shift < 0 else float(value << shift)


def finite_floats(numbers: list[int]) -> NDArray[np.float64]:
    """Floats of integers of any size, at most 2**1000: sums of them are finite."""
    return np.array([float(min(number, 1 << 1000)) for number in numbers])


def arrangement_flag(arrangement: Arrangement, seed: int) -> Flag | None:
    """Flag coordinates of the arrangement in a column basis; None for one chamber or pair."""
    rank = arrangement.rank
    if rank + (not arrangement.is_central) < 2:
        return None
    normals = arrangement.normals
    images = arrangement.__dict__.setdefault("_images", {})
    if rank < arrangement.dimension:
        normals = normals[:, list(column_basis([row[:-1] for row in arrangement.integer_rows]))]
    if arrangement.is_central:
        return Flag(np.ascontiguousarray(normals), True, seed, images)
    assert arrangement.offsets is not None
    return Flag(append_column(normals, arrangement.offsets), False, seed, images)
