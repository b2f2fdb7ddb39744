"""Values of rows that are sums of numbers, one for each bit that is set."""

import numpy as np

from arrangements.kernels.compilation import entry, inlined

_BYTE = np.uint64(255)
_8 = np.uint64(8)


@inlined
def _value(rows, k, tables):
    """The value of row k."""
    value = np.int64(0)
    for w in range(rows.shape[1]):
        word = rows[k, w]
        for b in range(8):
            value += tables[w, b, word & _BYTE]
            word >>= _8
    return value


@entry
def fill_tables(gains, tables):
    """Fill the sums that bytes of a row stand for.

    gains : (words, 8, 8) int64, what each bit adds
    tables : (words, 8, 256) int64, overwritten
    """
    for w in range(tables.shape[0]):
        for b in range(8):
            tables[w, b, 0] = 0
            for byte in range(1, 256):
                low = 0
                while (byte >> low) & 1 == 0:
                    low += 1
                tables[w, b, byte] = tables[w, b, byte & (byte - 1)] + gains[w, b, low]


@entry
def least_values(rows, tables, both, total, slack, best, chosen):
    """Find the rows of the least value, and of values that exceed it by at most `slack`.

    rows : (m, words) uint64
    tables : (words, 8, 256) int64 of `fill_tables`
    both : bool, whether the opposites of the rows count too: their values are ``total - value``
    best : (2,) int64: the least value so far, lowered; and how many rows have that value
    chosen : (2 m,) int64, overwritten by numbers of rows: k of row k itself, m + k of its opposite

    Returns how many of `chosen` are set: the rows of a new least value, the last of them least; or
    with a slack, all rows near it.
    """
    m, count = rows.shape[0], 0
    for k in range(m):
        value = _value(rows, k, tables)
        for side in range(2 if both else 1):
            if side == 1:
                value = total - value
            if value > best[0] + slack:
                continue
            if value < best[0]:
                best[0], best[1] = value, 1
            elif value == best[0]:
                best[1] += 1
                if slack == 0:
                    continue
            chosen[count] = side * m + k
            count += 1
    return count


@entry
def least_sums(sums, both, total, best):
    """Find the least of values that a sweep has added up.

    sums : (m, 2) uint64, values modulo 2**64, and names
    both : bool, whether the opposites count too: their values are ``total - value``
    best : (2,) int64: the least value so far, lowered; and how many chambers have that value

    Returns the number of the first row with a new least value, its own or that of its opposite;
    -1 if there is none.
    """
    found, least, number = -1, best[0], best[1]
    for k in range(sums.shape[0]):
        value = np.int64(sums[k, 0])
        other = total - value if both else value
        lower = min(value, other)
        if lower > least:
            continue
        if lower < least:
            least, number, found = lower, 0, k
        number += (value == least) + (both and other == least)
    best[0], best[1] = least, number
    return found
