"""Planes in space, and arrangements that are not essential."""

from typing import Any

import numpy as np
import pytest

from arrangements import Arrangement, NumberField, generators, plot_arrangement
from arrangements.errors import InputError, TooLargeError

pytest.importorskip("matplotlib")


def polygons(ax: Any) -> list[np.ndarray]:
    """Corners of the planes, as far as they are drawn."""
    return [np.array(line.get_data_3d()).T[:-1] for line in ax.lines]


def test_planes_in_a_cube() -> None:
    root = NumberField([-2, 0, 1], (1, 2)).generator
    A = Arrangement([[1, 0, 0], [0, 1, 1], [1, 1, root], [-2, 0, 0]], [-1, 0, 2, 2], labels="abcd")
    assert A.offsets is not None
    ax: Any = plot_arrangement(A)
    assert ax.get_title() == "8 chambers"
    assert [text.get_text() for text in ax.texts] == ["a, \N{MINUS SIGN}d", "b", "c"]
    limits = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()])
    assert len(polygons(ax)) == 3
    for corners, i in zip(polygons(ax), (0, 1, 2), strict=True):
        assert len(corners) >= 3
        row, b = [float(str(x)) if i != 2 else x for x in A.normals[i]], int(A.offsets[i])
        normal = np.array([2**0.5 if x == root else float(x) for x in row])
        assert np.allclose(corners @ normal + b, 0)
        assert (corners >= limits[:, 0] - 1e-9).all() and (corners <= limits[:, 1] + 1e-9).all()
    # the vertex, where all meet, is in the middle of the cube
    assert np.allclose(limits.mean(axis=1)[0], 1)


def test_parallel_planes() -> None:
    ax: Any = plot_arrangement([[0, 0, 1], [0, 0, 2]], [0, -2])
    assert ax.get_title() == "3 chambers" and [len(p) for p in polygons(ax)] == [4, 4]


def test_not_essential() -> None:
    ax = plot_arrangement(generators.braid(4))
    assert ax.get_title().startswith("24 chambers, ")
    same = plot_arrangement(Arrangement(generators.braid(4).normals[:, :3]))
    assert ax.get_title() == same.get_title() and len(ax.lines) == len(same.lines)
    # Shi's arrangement of rank 2 in the plane, of rank 3 in space
    assert plot_arrangement(generators.shi(3)).get_title() == "16 chambers"
    assert plot_arrangement(generators.shi(4)).get_title() == "125 chambers"
    assert hasattr(plot_arrangement(generators.shi(4)), "get_zlim")


def test_refused() -> None:
    with pytest.raises(InputError, match="it has 4 columns"):
        plot_arrangement(generators.braid(4), within=([[1, 0, 0, 0]], [1]))
    with pytest.raises(InputError, match=r"draws W of rank 2 or 3; it has rank 4 and 5 columns\.$"):
        plot_arrangement(generators.braid(5))
    with pytest.raises(TooLargeError, match="31 planes: too many for a picture in space"):
        plot_arrangement(generators.generic(31, 3, 0), np.ones(31))
    import matplotlib.pyplot as plt

    with pytest.raises(InputError, match="expected axes with projection='3d'"):
        plot_arrangement([[1, 0, 0]], [1], ax=plt.figure().subplots())
