"""Sets of sign vectors as rows of uint64 words: bit i % 64 of word i // 64 is set iff sign i is +.

Unused bits are zero, so equal sign vectors are equal rows. Rows within one set are distinct. NumPy
sorts by columns of words, which is far faster than by rows of bytes.
"""

from collections.abc import Set
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.exact.coercion import plain_array
from arrangements.messages import quote

Words = NDArray[np.uint64]
Signs = NDArray[np.int8]

# Rows unpacked at a time: enough to hide the overhead, with little memory compared to a set.
BLOCK = 4096


def as_rows(given: Any, name: str) -> NDArray[Any]:
    """Array of the caller's rows, one pattern each; a Python set may come in any order."""
    array = plain_array(list(given) if isinstance(given, Set) else given, name)
    if array.ndim == 0 and not isinstance(given, str):
        raise InputError(f"{name} is {quote(given)}; expected one row for each pattern.")
    return array


def words_for(n: int) -> int:
    """Count the words that hold `n` signs.

    Examples
    --------
    >>> words_for(0), words_for(64), words_for(65)
    (0, 1, 2)
    """
    return -(-n // 64)


def pack_signs(signs: NDArray[np.signedinteger]) -> Words:
    """Pack (m, n) signs, entries -1 and +1, into (m, words) uint64.

    Examples
    --------
    >>> pack_signs(np.array([[1, -1, 1]]))
    array([[5]], dtype=uint64)
    """
    m, n = signs.shape
    octets = np.zeros((m, 8 * words_for(n)), np.uint8)
    octets[:, : -(-n // 8)] = np.packbits(signs > 0, axis=1, bitorder="little")
    return octets.view("<u8").astype(np.uint64, copy=False)


def unpack_signs(packed: Words, n: int) -> Signs:
    """Unpack (m, words) uint64 into (m, n) int8, entries -1 and +1.

    Examples
    --------
    >>> unpack_signs(np.array([[5]], np.uint64), 3)
    array([[ 1, -1,  1]], dtype=int8)
    """
    octets = np.ascontiguousarray(packed, "<u8").view(np.uint8)
    octets = octets.reshape(len(packed), 8 * packed.shape[1])
    signs = np.unpackbits(octets, axis=1, count=n, bitorder="little").view(np.int8)
    signs *= 2
    signs -= 1
    return signs


@lru_cache(maxsize=64)
def used_bits(n: int) -> Words:
    """Words with the bits of `n` signs set: the mask that negates a row; read-only.

    Examples
    --------
    >>> used_bits(3)
    array([7], dtype=uint64)
    """
    words = np.full(words_for(n), ~np.uint64(0))
    words[n // 64 :] = (1 << n % 64) - 1
    words.setflags(write=False)
    return words


def orient(packed: Words, n: int) -> Words:
    """Rows with first sign +: each row or its negation (n >= 1)."""
    minus = (packed[:, 0] & np.uint64(1)) == 0
    return packed ^ (minus[:, None] * used_bits(n))


def sorted_order(packed: Words) -> NDArray[np.intp]:
    """Indices that sort the rows by the first word, then the next, and so on; stable."""
    if packed.shape[1] == 1:
        return np.argsort(packed[:, 0], kind="stable")
    if packed.shape[1] == 0:
        return np.arange(len(packed))
    return np.lexsort(packed.T[::-1])


def distinct(packed: Words) -> Words:
    """Distinct rows, sorted."""
    rows = packed[sorted_order(packed)]
    return rows[~_equals_previous(rows)]


def union(a: Words, b: Words) -> Words:
    """Rows of `a` or `b`, sorted."""
    return distinct(np.concatenate([a, b]))


def intersection(a: Words, b: Words) -> Words:
    """Rows of both, sorted."""
    rows, _ = _merge_sorted(a, b)
    return rows[_equals_previous(rows)]


def difference(a: Words, b: Words) -> Words:
    """Rows of `a` that `b` lacks, sorted."""
    rows, from_a = _merge_sorted(a, b)
    return rows[from_a & ~_equals_next(rows)]


def symmetric_difference(a: Words, b: Words) -> Words:
    """Rows of exactly one of them, sorted."""
    rows, _ = _merge_sorted(a, b)
    return rows[~(_equals_previous(rows) | _equals_next(rows))]


def count_common(a: Words, b: Words) -> int:
    """Count the rows of both."""
    rows, _ = _merge_sorted(a, b)
    return int(_equals_previous(rows).sum())


def positions(rows: Words, among: Words) -> NDArray[np.int64]:
    """Index of each row among distinct rows, -1 if it is missing: one merge, for many rows.

    Examples
    --------
    >>> positions(np.array([[5], [7]], np.uint64), np.array([[4], [7], [2]], np.uint64))
    array([-1,  1])
    """
    both = np.concatenate([among, rows])
    order = sorted_order(both)
    kind = np.empty(len(both), np.int64)
    kind[order] = np.cumsum(~_equals_previous(both[order]))
    index = np.full(len(both) + 1, -1, np.int64)
    index[kind[: len(among)]] = np.arange(len(among))
    return index[kind[len(among) :]]


class SortedRows:
    """Distinct rows, sorted once to find few others among them again and again."""

    def __init__(self, rows: Words) -> None:
        self._order = sorted_order(rows)
        self._bytes = _as_bytes(rows[self._order])

    def positions(self, rows: Words) -> NDArray[np.intp]:
        """Index of each row; -1 if it is missing.

        Examples
        --------
        >>> known = SortedRows(np.array([[4], [7], [2]], np.uint64))
        >>> known.positions(np.array([[5], [7]], np.uint64))
        array([-1,  1])
        """
        if not len(self._bytes):
            return np.full(len(rows), -1)
        targets = _as_bytes(rows)
        at = np.minimum(np.searchsorted(self._bytes, targets), len(self._bytes) - 1)
        return np.where(self._bytes[at] == targets, self._order[at], -1)


def _as_bytes(rows: Words) -> NDArray[np.void]:
    """Each row as bytes that compare as the row does; one zero where there are no words."""
    words = rows.astype(">u8") if rows.shape[1] else np.zeros((len(rows), 1), ">u8")
    return np.ascontiguousarray(words).view(f"V{8 * words.shape[1]}").ravel()


def _merge_sorted(a: Words, b: Words) -> tuple[Words, NDArray[np.bool_]]:
    """All rows, sorted, and whether each comes from `a`, which comes first among equal rows."""
    rows = np.concatenate([a, b])
    order = sorted_order(rows)
    return rows[order], order < len(a)


def _equals_previous(rows: Words) -> NDArray[np.bool_]:
    """Mark the sorted rows that equal the one before."""
    marks = np.zeros(len(rows), np.bool_)
    if len(rows):
        marks[1:] = (rows[1:] == rows[:-1]).all(axis=1)
    return marks


def _equals_next(rows: Words) -> NDArray[np.bool_]:
    """Mark the sorted rows that equal the one after."""
    return np.append(_equals_previous(rows)[1:], False)[: len(rows)]
