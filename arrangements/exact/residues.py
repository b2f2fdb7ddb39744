"""Residues of exact numbers modulo 31-bit primes, in the layout of ``kernels.modular``."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# Every prime lies above 2**30, so m of them multiply to more than 2**(30 m).
PRIME_BITS = 30


def _is_prime(q: int) -> bool:
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
def primes(count: int, skip: int = 0) -> tuple[int, ...]:
    """The `count` largest primes below 2**31 after the first `skip` of them."""
    found: list[int] = []
    candidate = 2**31 - 1
    while len(found) < skip + count:
        if _is_prime(candidate):
            found.append(candidate)
        candidate -= 2
    return tuple(found[skip:])


@lru_cache(maxsize=16)
def fields(count: int, skip: int = 0) -> NDArray[np.uint64]:
    """Constants of `count` prime fields, (count, 4 + count) uint64: see ``kernels.modular``."""
    moduli = primes(count, skip)
    table = np.zeros((count, 4 + count), np.uint64)
    product = 1
    for p in moduli:
        product *= p
    half = (product - 1) // 2
    for k, p in enumerate(moduli):
        half, digit = divmod(half, p)
        table[k, :4] = p, -pow(p, -1, 2**32) % 2**32, 2**64 % p, digit
        for j in range(k):
            table[k, 4 + j] = pow(moduli[j], -1, p)
    table.flags.writeable = False
    return table
