"""Places of labels against NumPy."""

import numpy as np
import pytest

from arrangements.kernels.statistics.places import add_places


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("n", "dtype"), [(1, np.uint8), (9, np.uint8), (300, np.uint16)])
def test_labels_are_counted_by_place(n, dtype):
    rng = np.random.default_rng(n)
    orders = np.array([rng.permutation(n) for _ in range(50)]).astype(dtype)
    table = np.full((n, n), 2)
    add_places(orders, table)
    add_places(orders[:0], table)
    expected = [[(orders[:, r] == i).sum() for i in range(n)] for r in range(n)]
    assert (table == 2 + np.array(expected)).all()
