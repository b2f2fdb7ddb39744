"""Questions for the best vector of signs, or of 0 and 1, as programs in integers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.numbers import times_common_denominator
from arrangements.optimize.binary_conditions import Condition
from arrangements.optimize.binary_programs import BinaryProgram


@dataclass(frozen=True)
class Question:
    """A program, and how its signs and values are those of the caller.

    Attributes
    ----------
    program : BinaryProgram
        Of the rows that matter.
    used : tuple of int
        Their numbers.
    n : int
        How many rows there are.
    zero_one : bool
        Whether the signs stand for 0 and 1.
    scale : Fraction
        The value is the constant + the value of the program times this, which is negative for a
        minimum.
    constant : Fraction
    """

    program: BinaryProgram
    used: tuple[int, ...]
    n: int
    zero_one: bool
    scale: Fraction
    constant: Fraction

    def vector(self, signs: NDArray[np.int8]) -> NDArray[np.int8]:
        """The vector of the caller; where a row does not matter, its entry is 1."""
        whole = np.ones(self.n, np.int8)
        whole[list(self.used)] = (signs + 1) // 2 if self.zero_one else signs
        return whole

    def signs(self, x: NDArray[np.int8]) -> list[int]:
        """The signs of the rows that matter."""
        signs: list[int] = (2 * (x > 0).astype(int) - 1)[list(self.used)].tolist()
        return signs

    def value(self, number: int) -> Fraction:
        """The value of the caller."""
        return self.constant + self.scale * number


def ask(
    rows: list[tuple[Any, ...]],
    terms: tuple[Any, ...],
    shares: tuple[Any, ...],
    minimize: bool,
    zero_one: bool,
    conditions: list[Condition],
) -> Question:
    """The program of rows v_i, linear terms and weights.

    Examples
    --------
    >>> question = ask([(Fraction(1, 2),), (1,)], (0, 0), (1,), False, False, [])
    >>> question.program.rows, question.value(question.program.value([1, 1]))
    (((1,), (2,)), Fraction(9, 4))
    """
    kept = [k for k, w in enumerate(shares) if w and any(row[k] for row in rows)]
    whole, p = times_common_denominator([[row[k] for k in kept] for row in rows])
    [ends], q = times_common_denominator([terms])
    [counts], t = times_common_denominator([[shares[k] for k in kept]])
    factor = -1 if minimize else 1
    # s = 2 x - 1 doubles the sums: the squares by 4, and the linear terms, of one factor, too
    scale = factor * q * t * p**2 * (4 if zero_one else 1)
    for i, row in enumerate(whole):
        row += [condition.row[i] for condition in conditions]
    used = [i for i, row in enumerate(whole) if any(row) or ends[i]]
    table = [tuple(whole[i]) for i in used]
    free = (None, None)
    program = BinaryProgram(
        tuple(table) if any(table) else ((0,),) * len(used),
        (*(factor * q * w for w in counts), *(0 for _ in conditions)) or (0,),
        tuple(zero_one * sum(row[k] for row in table) for k in range(len(kept)))
        + (0,) * len(conditions)
        or (0,),
        tuple(factor * t * p**2 * (1 + zero_one) * ends[i] for i in used),
        (*(free for _ in kept), *((c.low, c.high) for c in conditions)) or (free,),
    )
    constant = Fraction(zero_one * sum(ends), 2 * q)
    return Question(program, tuple(used), len(rows), zero_one, Fraction(1, scale), constant)
