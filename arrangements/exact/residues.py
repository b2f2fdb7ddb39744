"""Residues of exact numbers modulo 31-bit primes, in the layout of ``kernels.modular.montgomery``.

Primes only say how an answer is found: every use either proves its answer or notices that a prime
was bad, and tries again with others. The first attempt takes fixed primes, so that runs can be
compared; the later ones take fresh random ones, since for every fixed list there is an input that
all of its primes are bad for. An estimate, which proves nothing, takes primes that a generator
draws whose seed is the input: the same for the same input, and hardly ever bad.
"""

import secrets
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import prod
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.numbers import read_only

# 0 takes the fixed primes, any other number fresh random ones, a generator those that it draws.
Attempt = int | Random

# Every prime lies above 2**30, so m of them multiply to more than 2**(30 m).
PRIME_BITS = 30
# A set of random primes is bad with a chance of about the number of coincidences that it must tell
# apart, over 2**30. So this many of them are bad only if these are too many for 31 bits.
ATTEMPTS = 32
# So few inverses are faster one by one.
_FEW = 128


def is_prime(q: int) -> bool:
    """Miller-Rabin with bases 2, 3, 5, 7: deterministic below 3,215,031,751 (Jaeschke 1993)."""
    d, s = q - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for base in (2, 3, 5, 7):
        x = pow(base, d, q)
        if x in (1, q - 1):
            continue
        for _ in range(s - 1):
            x = x * x % q
            if x == q - 1:
                break
        else:
            return False
    return True


@lru_cache(maxsize=64)
def primes(count: int) -> tuple[int, ...]:
    """The `count` largest primes below 2**31."""
    found: list[int] = []
    candidate = 2**31 - 1
    while len(found) < count:
        if is_prime(candidate):
            found.append(candidate)
        candidate -= 2
    return tuple(found)


def _below(attempt: Attempt, limit: int) -> int:
    """A random number from 0 to limit - 1."""
    return attempt.randrange(limit) if isinstance(attempt, Random) else secrets.randbelow(limit)


def random_primes(count: int, attempt: Attempt = 1) -> tuple[int, ...]:
    """Distinct random primes between 2**30 and 2**31.

    Examples
    --------
    >>> random_primes(1, Random(5)) == random_primes(1, Random(5)) != random_primes(1)
    True
    """
    found: dict[int, None] = {}
    while len(found) < count:
        candidate = 2**PRIME_BITS + 1 + 2 * _below(attempt, 2 ** (PRIME_BITS - 1))
        if is_prime(candidate):
            found[candidate] = None
    return tuple(found)


def primes_with_roots_of_unity(n: int, count: int, attempt: Attempt) -> tuple[int, ...]:
    """Distinct primes p between 2**30 and 2**31, n a divisor of p - 1: the largest, or random ones.

    Examples
    --------
    >>> primes_with_roots_of_unity(7, 2, 0)
    (2147483647, 2147483563)
    """
    found: dict[int, None] = {}
    most, least = (2**31 - 2) // n, 2**PRIME_BITS // n + 1
    k = most
    while len(found) < count:
        if attempt:
            k = least + _below(attempt, most - least + 1)
        if is_prime(k * n + 1):
            found[k * n + 1] = None
        k -= 1
    return tuple(found)


def root_of_unity(n: int, p: int) -> int:
    """A number of order n modulo a prime p, n a divisor of p - 1.

    Examples
    --------
    >>> root_of_unity(4, 13), root_of_unity(3, 7)
    (8, 4)
    """
    for base in range(2, p):
        found = pow(base, (p - 1) // n, p)
        if all(pow(found, k, p) != 1 for k in range(1, n) if n % k == 0):
            return found
    raise AssertionError("p is no prime")


def primes_from(attempt: Attempt) -> Iterator[int]:
    """Primes of an attempt without end, as `moduli_of` takes them; random ones may be repeated."""
    count = 16
    if attempt:
        while True:
            yield from random_primes(count, attempt)
    yield from primes(count)
    while True:
        yield from primes(2 * count)[count:]
        count *= 2


def moduli_of(attempt: Attempt, count: int) -> tuple[int, ...]:
    """Primes of an attempt: the fixed ones for attempt 0, then random ones, others each time."""
    return random_primes(count, attempt) if attempt else primes(count)


def moduli_above(bits: int, attempt: Attempt = 0) -> tuple[int, ...]:
    """Primes of an attempt whose product is at least ``2**bits``.

    Examples
    --------
    >>> moduli_above(61)
    (2147483647, 2147483629)
    """
    count = max(1, bits // (PRIME_BITS + 1))
    while prod(moduli := moduli_of(attempt, count)) >> bits == 0:
        count += 1
    return moduli


def moduli_with(first: tuple[int, ...], count: int) -> tuple[int, ...]:
    """At least `count` distinct primes, first the given ones."""
    more = primes(count + len(first))
    return (*first, *[p for p in more if p not in first][: max(0, count - len(first))])


@lru_cache(maxsize=16)
def fields(moduli: tuple[int, ...], deciding: int | None = None) -> NDArray[np.uint64]:
    """Constants of m prime fields, (m, 4 + m) uint64: see ``kernels.modular.montgomery``.

    An integer counts as zero if it is so modulo the first `deciding` primes, by default all.
    """
    count = len(moduli)
    table = np.zeros((count, 4 + count), np.uint64)
    product = 1
    for p in moduli:
        product *= p
    half = (product - 1) // 2
    for k, p in enumerate(moduli):
        half, digit = divmod(half, p)
        table[k, :4] = p, -pow(p, -1, 2**32) % 2**32, 2**64 % p, digit
        table[k, 4 : 4 + k] = inverses(table[:k, 0], p)
    if count:
        table[0, 4] = count if deciding is None else deciding
    return read_only(table)


def residues_of(rows: Sequence[Sequence[int]], moduli: Sequence[int]) -> NDArray[np.uint64]:
    """Integers of any size modulo each prime below 2**31, (m, n, d); there is one at least.

    Examples
    --------
    >>> residues_of([[-1, 10**30]], [7, 11]).tolist()
    [[[6, 1]], [[10, 1]]]
    """
    p = np.array(moduli, np.int64)[:, None, None]
    longest = max(entry.bit_length() for row in rows for entry in row)
    if longest < 63:
        return (np.array(rows, np.int64) % p).astype(np.uint64)
    # sums of digits of 16 bits times residues of their weights, far below 2**64
    count = -(-longest // 16)
    octets = b"".join(abs(entry).to_bytes(2 * count, "little") for row in rows for entry in row)
    digits = np.frombuffer(octets, "<u2").astype(np.uint64).reshape(-1, count)
    modulus = np.array(moduli, np.uint64)
    weights = np.ones((count, len(moduli)), np.uint64)
    for k in range(1, count):
        weights[k] = (weights[k - 1] << np.uint64(16)) % modulus
    found = (digits @ weights % modulus).T.reshape(len(moduli), len(rows), -1)
    negative = np.array([[entry < 0 for entry in row] for row in rows])
    return np.where(negative & (found != 0), p.astype(np.uint64) - found, found)


def montgomery(numbers: Any, modulus: Any) -> Any:
    """Montgomery residues, ``numbers * 2**32 % modulus``.

    Parameters
    ----------
    numbers : int, or ndarray of uint64 below 2**32 or of int
    modulus : int or np.uint64, or array that fits the numbers

    Examples
    --------
    >>> montgomery(1, 7), montgomery(np.array([1, 2], np.uint64), np.uint64(7)).tolist()
    (4, [4, 1])
    """
    return (numbers << 32) % modulus


def inverses(numbers: NDArray[np.uint64], p: int) -> NDArray[np.uint64]:
    """Inverses modulo a prime below 2**31 of numbers below 2**31 that it does not divide.

    Examples
    --------
    >>> inverses(np.array([2, 3], np.uint64), 7).tolist()
    [4, 5]
    """
    if len(numbers) < _FEW:
        return np.array([pow(number, -1, p) for number in numbers.tolist()], np.uint64)
    # Fermat: the power p - 2, of all of them at once; products stay below 2**62
    modulus, exponent = np.uint64(p), p - 2
    power, found = numbers % modulus, np.ones_like(numbers)
    while exponent:
        if exponent & 1:
            found = found * power % modulus
        power = power * power % modulus
        exponent >>= 1
    return found
