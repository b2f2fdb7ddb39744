"""Möbius inversion over all flats, against the sums that it inverts."""

import numpy as np
import pytest

from arrangements import Arrangement, generators
from arrangements.structure.flat_orders import order_of_flats


@pytest.mark.parametrize("A", [generators.braid(4), generators.shi(3), generators.coxeter("D", 4)])
@pytest.mark.parametrize("largest", [3, 2**60])
@pytest.mark.parametrize("upwards", [True, False])
def test_inversion(A: Arrangement, largest: int, upwards: bool) -> None:
    order = order_of_flats(A)
    values = np.random.default_rng(1).integers(-largest, largest + 1, (len(order.members), 2))
    found = order.inverted(values, upwards=upwards)
    # beyond 2**62 in integers without a size
    assert found.dtype == (np.int64 if largest == 3 else object)
    for flat, expected in zip(order.members, values.tolist(), strict=True):
        total = [0, 0]
        for other, parts in zip(order.members, found.tolist(), strict=True):
            if other & flat == (other if upwards else flat):
                total = [a + b for a, b in zip(total, parts, strict=True)]
        assert total == expected
