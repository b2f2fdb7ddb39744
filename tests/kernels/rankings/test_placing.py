"""Entries that find rankings in registers: each number of labels has the right one."""

import numpy as np
import pytest

from arrangements import rankings
from arrangements.kernels.rankings import placing


@pytest.mark.parametrize("n", [2, 15, 16, 17, 32, 33, 48, 49, 64])
def test_rankings_in_the_plane(n):
    """Between each two neighbors of the n (n - 1) directions in which labels meet there is one."""
    W = np.random.default_rng(n).standard_normal((n, 2))
    first, second = np.triu_indices(n, 1)
    across = (W[first] - W[second]) @ [[0, 1], [-1, 0]]
    angles = np.sort(np.arctan2(*np.concatenate([across, -across]).T[::-1]))
    middle = (angles + np.append(angles[1:], angles[0] + 2 * np.pi)) / 2
    scores = np.stack([np.cos(middle), np.sin(middle)], axis=1) @ W.T
    expected = set(map(tuple, np.argsort(-scores, axis=1).tolist()))
    found = rankings(W).to_array()
    assert len(found) == n * (n - 1) and set(map(tuple, found.tolist())) == expected


def test_entries_by_number_of_labels():
    entries = [placing.finder(n).entry.__name__ for n in (2, 16, 17, 32, 33, 48, 49, 64)]
    assert entries == [f"find_in_{k}" for k in (1, 1, 2, 2, 3, 3, 4, 4)]
