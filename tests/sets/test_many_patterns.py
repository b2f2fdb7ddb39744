"""Many patterns are found as each of them is."""

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from arrangements import Rankings, chambers, generators, rankings
from arrangements.errors import IncompleteError, InputError


@pytest.mark.parametrize("offsets", [None, [0, 1, -1, 2, 0.5, 3]])
def test_sign_vectors(offsets: Any) -> None:
    S = chambers(generators.generic(6, 3, 1).normals, offsets)
    every = np.array(list(product([-1, 1], repeat=6)), np.int8)
    assert S.contains(every).tolist() == [row in S for row in every]
    listing = S.to_array()
    assert S.index(listing).tolist() == list(range(len(S)))
    assert S.contains([[-1, 0, 1, 1, 1, 1]]).tolist() == [False]
    assert S.contains(np.zeros((0, 6), int)).shape == (0,)
    with pytest.raises(InputError, match="is not in"):
        S.index(every)
    with pytest.raises(InputError, match="0 and 1 but no -1"):
        S.contains([[0, 1, 1, 1, 1, 1]])
    with pytest.raises(InputError, match=r"shape \(1, 2\); expected \(m, 6\)"):
        S.contains([[1, 1]])


@pytest.mark.parametrize("labels", [None, "abcde"])
def test_rankings(labels: Any) -> None:
    R = rankings(generators.generic(5, 2, 1).normals, labels=labels)
    every = np.array(list(permutations(range(5))))
    assert R.contains(every).tolist() == [row in R for row in every]
    assert R.index(R.to_array()).tolist() == list(range(len(R)))
    with pytest.raises(InputError):
        R.contains([[0, 0, 1, 2, 3]])


def test_long_rows_and_parts_of_sets() -> None:
    S = chambers(generators.generic(130, 2, 1).normals)
    assert S.index(S.to_array()).tolist() == list(range(260))
    part = chambers(generators.generic(130, 2, 1).normals, limit=10)
    assert part.contains(part.to_array()).all()
    with pytest.raises(IncompleteError, match="cut short"):
        part.contains(S.to_array())
    assert not Rankings.from_array([[0, 1]]).contains([[1, 0]]).any()
