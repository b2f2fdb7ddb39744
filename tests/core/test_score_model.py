"""Labels with equal rows and offsets, in models small and large."""

import numpy as np
import pytest

from arrangements.core.score_model import tied_groups


@pytest.mark.parametrize("n", [8, 5000])
@pytest.mark.parametrize("kind", ["floats", "integers", "objects"])
def test_equal_rows_are_grouped(n: int, kind: str) -> None:
    """By their bytes where there are many rows; equal numbers are equal, whatever their bytes."""
    rng = np.random.default_rng(n)
    W = rng.integers(1, 2**40, (n, 3)).astype({"floats": float, "integers": int}.get(kind, object))
    b = np.arange(n) * (0.5 if kind == "floats" else 1)
    W[[2, 5, 7]], b[[2, 5, 7]] = [0, 1, 2], [3, 3, 4]
    W[[n - 2, 1]], b[[n - 2, 1]] = [5, 0, 0], 0
    if kind == "floats":
        W[5, 0], b[1] = -0.0, -0.0
    assert tied_groups(W, b) == [[1, n - 2], [2, 5]]
    assert tied_groups(W, None) == [[1, n - 2], [2, 5, 7]]
    assert tied_groups(W[:0], None) == []
