"""The least value of all rows of a sweep, how many rows have it, and one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.runs.folding import folded
from arrangements.runs.sources import Rows, Source
from arrangements.runs.steps import Result, Step, Tally


class LeastTally(Tally):
    """The least value among the rows of a part: (value, how many rows have it, one of them).

    A value is exact; it is None before the first row.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.found: list[Any] = [None, 0, np.zeros(0, np.int64)]
        self._largest = -np.inf

    def take(self, value: Any, row: Rows, number: int = 1) -> None:
        """Take rows of one value into account."""
        least = self.found[0]
        if least is None or value < least:
            self.found = [value, number, row]
        elif value == least:
            self.found[1] += number

    def nearly_largest(self, values: NDArray[np.float64], error: float) -> list[int]:
        """Places of values with this error that may be the largest of all."""
        self._largest = max(self._largest, float(values.max()))
        places: list[int] = np.flatnonzero(values >= self._largest - 2 * error).tolist()
        return places

    def result(self) -> Result:
        """The result so far; a row is filled up with zeros."""
        value, number, row = self.found
        padding = [0] * (self.source.shape[0] - len(row))
        return np.array([value, number, *row.tolist(), *padding], object)


def better(first: Result, second: Result) -> Result:
    """The result of the lesser value; of equal ones the first, and both numbers of rows."""
    if first[0] is None or (second[0] is not None and second[0] < first[0]):
        return second
    if second[0] == first[0]:
        first = first.copy()
        first[1] += second[1]
    return first


def least_row(
    source: Source, tally: Callable[[Source], LeastTally], **options: Any
) -> tuple[Any, int, list[int]]:
    """The least value of all rows, how many rows have it, and one of them; options of `folded`."""
    value, number, *row = folded(source, Step(None, tally, better), None, **options)
    return value, int(number), row
