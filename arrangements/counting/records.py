"""What is known of a long count once it is complete: its record, and theorems that it must obey."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from math import comb
from typing import Any

import numpy as np

from arrangements.counting.restriction_files import Progress

RECORD_FILE = "record.json"
# Entries whose products of two add up below 2**62.
_SMALL = 2**30


def record_of(
    rows: list[list[Any]], numbers: list[int], second: bool, affine: bool, progress: Progress
) -> dict[str, Any]:
    """The record of a complete computation, as JSON holds it.

    affine : bool
        Whether the rows are those of a cone, the hyperplane at infinity first.
    """
    proofs, problems = check_numbers(rows, numbers, second)
    assert not problems, problems
    found: dict[str, Any] = {
        "input": {
            "sha256": hashlib.sha256(
                json.dumps([list(map(str, row)) for row in rows]).encode()
            ).hexdigest(),
            "hyperplanes": len(rows) - affine,
            "rank": len(numbers) - 1 - affine,
        },
        "version": progress.version,
        "primes": progress.seed,
        "primes_of_rows": list(progress.primes),
        "hours": round(sum(one.seconds for one in progress.levels) / 3600, 4),
        "levels": [
            {
                "codimension": progress.levels[0].k - one.k,
                "states": one.states,
                "restrictions": one.restricted,
                "tasks": sum(one.pieces),
                "seconds": one.seconds,
                "bytes": one.written,
            }
            for one in progress.levels
        ],
        "checks": proofs,
        "whitney_numbers": numbers,
    }
    if second:
        return found
    betti = without_infinity(numbers) if affine else numbers
    return found | {"betti_numbers": betti, "chambers": sum(betti)}


def without_infinity(numbers: list[int]) -> list[int]:
    """Numbers of an arrangement from its cone, whose polynomial has the additional factor t - 1.

    Examples
    --------
    >>> without_infinity([1, 3, 2])
    [1, 2]
    """
    numbers = list(numbers)
    for k in range(1, len(numbers)):
        numbers[k] -= numbers[k - 1]
    assert numbers.pop() == 0
    return numbers


def check_numbers(
    rows: list[list[Any]], numbers: list[int], second: bool
) -> tuple[list[str], list[str]]:
    """Compare Whitney numbers, in absolute value, with what theorems say of them.

    Returns
    -------
    proofs, problems : list of str
        What holds, and what does not, one sentence each.
    """
    n, rank = len(rows), len(numbers) - 1
    claims = [
        (f"Whitney number 1 is {n}, the number of hyperplanes", rank < 1 or numbers[1] == n),
        (
            "Whitney number k is at most C(n, k)",
            all(0 < number <= comb(n, k) for k, number in enumerate(numbers)),
        ),
    ]
    if not second:
        squares = zip(numbers, numbers[1:], numbers[2:], strict=False)
        claims.append(
            (
                "The Whitney numbers are log-concave (Adiprasito, Huh and Katz 2018)",
                all(a * c <= b * b for a, b, c in squares),
            )
        )
    sizes = pencil_sizes(rows) if rank >= 2 else None
    if sizes is not None:
        pencils = sum(number * (1 if second else m - 1) for m, number in sizes.items())
        claims.append(
            (
                f"Whitney number 2 is {pencils}, from the lines through pairs of rows",
                numbers[2] == pencils,
            )
        )
    proofs = [f"{claim}." for claim, holds in claims if holds]
    return proofs, [f"Not so: {claim}." for claim, holds in claims if not holds]


def pencil_sizes(rows: list[list[Any]]) -> Counter[int] | None:
    """How many flats of rank 2 have m hyperplanes, for each m; None if the rows are not small.

    Examples
    --------
    >>> sorted(pencil_sizes([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]]).items())
    [(2, 3), (3, 1)]
    """
    if any(type(entry) is not int or abs(entry) >= _SMALL for row in rows for entry in row):
        return None
    table, seen = np.array(rows, np.int64), Counter[int]()
    for i, row in enumerate(table):
        column = int(np.flatnonzero(row)[0])
        others = np.delete(table, i, axis=0)
        # multiples of the rows modulo this one, each made primitive, its first entry positive
        lines = others * row[column] - others[:, column, None] * row
        lines //= np.gcd.reduce(lines, axis=1, keepdims=True)
        lead = np.take_along_axis(lines, (lines != 0).argmax(axis=1)[:, None], axis=1)
        _, alike = np.unique(lines * np.sign(lead), axis=0, return_counts=True)
        seen.update((alike + 1).tolist())
    assert all(number % m == 0 for m, number in seen.items())
    return Counter({m: number // m for m, number in seen.items()})
