"""Rankings as rows of labels, the best first, in the smallest unsigned type, and as words."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.sets.packed import BLOCK, Words

Orders = NDArray[np.unsignedinteger[Any]]


@lru_cache(maxsize=64)
def order_dtype(n: int) -> np.dtype[Any]:
    """Smallest unsigned type that holds the labels 0..n-1."""
    return np.min_scalar_type(max(n - 1, 0))


def orient(orders: Orders) -> Orders:
    """Rankings with label 0 above label 1: each row or its reversal (n >= 2)."""
    first, second = (orders == 0).argmax(axis=1), (orders == 1).argmax(axis=1)
    return np.where((first < second)[:, None], orders, orders[:, ::-1])


def check_permutations(orders: NDArray[Any], n: int) -> None:
    """Refuse rows that are not the integers 0..n-1 in some order."""
    if orders.dtype.kind not in "iu" and orders.size:
        raise InputError(f"a ranking holds {orders.dtype} entries; expected labels 0..{n - 1}.")
    labels = np.arange(n)
    for start in range(0, len(orders), BLOCK):
        part = orders[start : start + BLOCK]
        wrong = (np.sort(part, axis=1) != labels).any(axis=1)
        if wrong.any():
            row = part[int(wrong.argmax())].tolist()
            raise InputError(
                f"{row} is not a ranking; expected each label 0..{n - 1} once, the best first."
            )


def orders_of_signs(signs: NDArray[np.int8], n: int) -> Orders:
    """Rankings with the given (m, n (n - 1) / 2) signs of the pairs i < j, lexicographic."""
    first, second = np.triu_indices(n, 1)
    wins = np.zeros((len(signs), n), np.int64)
    for i in range(n):
        # the wins of i among the pairs (i, j), and among the pairs (j, i)
        wins[:, i] = (signs[:, first == i] > 0).sum(axis=1)
        wins[:, i] += (signs[:, second == i] < 0).sum(axis=1)
    ends = np.sort(wins, axis=1) != np.arange(n)
    if ends.any():
        row = int(ends.any(axis=1).argmax())
        raise InputError(
            f"sign vector {signs[row].tolist()[:40]} is not that of a ranking: its pairs are not "
            "transitive."
        )
    return inverse_orders((n - 1 - wins).astype(order_dtype(n)))


def inverse_orders(orders: Orders) -> Orders:
    """Inverse permutations of the rows."""
    inverse = np.empty_like(orders)
    places = np.broadcast_to(np.arange(orders.shape[1], dtype=orders.dtype), orders.shape)
    np.put_along_axis(inverse, orders.astype(np.intp), places, axis=1)
    return inverse


def order_words(orders: Orders) -> Words:
    """Rows as words, equal iff the rows are."""
    m, width = len(orders), orders.shape[1] * orders.dtype.itemsize
    octets = np.zeros((m, 8 * -(-width // 8)), np.uint8)
    octets[:, :width] = np.ascontiguousarray(orders).view(np.uint8).reshape(m, width)
    return octets.view(">u8").astype(np.uint64)


def orders_of_words(words: Words, n: int) -> Orders:
    """Rows of n labels from their `order_words`."""
    dtype = order_dtype(n)
    octets = words.astype(">u8").view(np.uint8).reshape(len(words), 8 * words.shape[1])
    return np.ascontiguousarray(octets[:, : n * dtype.itemsize]).view(dtype)
