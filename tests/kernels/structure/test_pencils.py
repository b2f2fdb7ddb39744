"""Arrays for the flats of the last ranks: fields small enough for tables, groups of lines."""

import pytest

from arrangements.counting.states import small_field
from arrangements.kernels.structure.pencils import empty_pencils


def test_lines_that_32_bits_hold():
    assert empty_pencils(5, 1, small_field(2, 5)).groups[2] * 5 < 2**32


@pytest.mark.parametrize("bound", [0, 1, 2, 3, 521, 2**14])
def test_small_fields(bound):
    small = small_field(bound, 9)
    q, inverse, square = small.constants.tolist()
    assert bound < q < 2**15 and q % 2 == 1 and all(q % f for f in range(2, int(q**0.5) + 1))
    assert (inverse * q + 1) % 2**16 == 0 and square == 2**32 % q
    assert all(a * b % q == 2**16 % q for a, b in enumerate(small.inverse.tolist()) if a)


def test_large_minors_have_no_small_field():
    assert small_field(2**14 + 1, 9) is None
