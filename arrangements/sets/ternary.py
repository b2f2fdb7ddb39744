"""Sign vectors with zeros as rows of int64 words, 40 signs to a word, in balanced ternary.

The first sign is the most significant, so rows are ordered lexicographically with - < 0 < +. The
negative of a row is the row of the negative sign vector, and the sum of two rows is the composition
of sign vectors with disjoint supports.
"""

import numpy as np
from numpy.typing import NDArray

Signs = NDArray[np.int8]
Codes = NDArray[np.int64]

# 3**40 / 2 is below 2**63.
_DIGITS = 40
_WEIGHTS = 3 ** np.arange(_DIGITS - 1, -1, -1, dtype=np.int64)
_OFFSET = int(_WEIGHTS.sum())


def words_for(n: int) -> int:
    """Count the words that hold `n` signs; at least one.

    Examples
    --------
    >>> words_for(0), words_for(40), words_for(41)
    (1, 1, 2)
    """
    return max(1, -(-n // _DIGITS))


def encode(signs: Signs) -> Codes:
    """Words of (m, n) signs, entries -1, 0 and 1.

    Examples
    --------
    >>> a, b = encode(np.array([[1, 0, -1], [0, 1, 0]], np.int8))
    >>> decode((a + b)[None], 3).tolist()
    [[1, 1, -1]]
    """
    m, n = signs.shape
    codes = np.zeros((m, words_for(n)), np.int64)
    for start in range(0, n, _DIGITS):
        part = signs[:, start : start + _DIGITS].astype(np.int64)
        codes[:, start // _DIGITS] = part @ _WEIGHTS[: part.shape[1]]
    return codes


def decode(codes: Codes, n: int) -> Signs:
    """The (m, n) signs that these words hold; see `encode`."""
    signs = np.empty((len(codes), n), np.int8)
    for start in range(0, n, _DIGITS):
        left = codes[:, start // _DIGITS].astype(np.uint64) + np.uint64(_OFFSET)
        width = min(_DIGITS, n - start)
        left //= np.uint64(3 ** (_DIGITS - width))
        for i in range(start + width - 1, start - 1, -1):
            left, digit = np.divmod(left, np.uint64(3))
            signs[:, i] = digit.astype(np.int8) - 1
    return signs


def positive(codes: Codes) -> Codes:
    """Each row or its negative, the one whose first non-zero sign is +."""
    lead = codes[:, 0]
    for word in codes.T[1:]:
        lead = np.where(lead == 0, word, lead)
    return codes * np.where(lead < 0, -1, 1)[:, None]


def distinct(codes: Codes) -> Codes:
    """Distinct rows in ascending order."""
    if codes.shape[1] == 1:
        return np.unique(codes[:, 0])[:, None]
    codes = codes[sorted_order(codes)]
    new = np.ones(len(codes), bool)
    new[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    return codes[new]


def sorted_order(codes: Codes) -> NDArray[np.intp]:
    """Indices that sort the rows; stable."""
    if codes.shape[1] == 1:
        return np.argsort(codes[:, 0], kind="stable")
    return np.lexsort(codes.T[::-1])


def with_negatives(half: Codes) -> Codes:
    """The distinct `positive` rows after their negatives: ascending if `half` is."""
    return np.concatenate([-half[::-1], half])
