"""Pictures of depth: what is drawn, and what is refused."""

import numpy as np
import pytest

from arrangements.errors import InputError
from arrangements.optimize import depth_region
from arrangements.plot import plot_depth

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_contours_are_the_regions():
    X = np.random.default_rng(0).standard_normal((30, 2))
    ax = plot_depth(X, depths=[1, 5, 9])
    assert len(ax.collections) == 3
    for depth, drawn in zip((1, 5, 9), ax.collections, strict=True):
        corners = np.array(depth_region(X, depth).vertices, float)
        assert np.allclose(drawn.get_paths()[0].vertices[: len(corners)], corners)
    assert ax.get_title() == "depth 1, 5 and 9 of 30 points"
    left, right = ax.get_xlim()
    assert left < X[:, 0].min() and X[:, 0].max() < right


def test_space():
    X = np.random.default_rng(0).standard_normal((12, 3))
    ax = plot_depth(X)
    assert ax.name == "3d" and len(ax.collections) >= 2
    flat = plot_depth([[0, 0, 0], [1, 2, 3], [2, 4, 6]])
    assert not flat.collections and len(flat.lines) > 2


def test_what_is_refused():
    with pytest.raises(InputError, match="data has 1 columns; expected 2 or 3"):
        plot_depth([[1], [2]])
    with pytest.raises(InputError, match="depths has 4; no point is so deep"):
        plot_depth([[0, 0], [1, 2], [3, 1]], depths=[4])
    with pytest.raises(InputError, match="expected axes with projection='3d'"):
        plot_depth([[0, 0, 0], [1, 2, 3]], ax=plt.figure().subplots())
