"""Outlines of regions: they cover the square and the sphere once, each where the engine says."""

import numpy as np
import pytest
from numpy.typing import NDArray

from arrangements import Polyhedron, generators
from arrangements.explorer.outlines import plane_outlines
from arrangements.explorer.state import state_of
from arrangements.explorer.views import View
from arrangements.notebook import Square, square_of

Floats = NDArray[np.float64]

CASES = {
    "generic": (np.random.default_rng(0).integers(-9, 10, (7, 2)), range(7), "chambers"),
    "three in a point": ([[1, 0], [0, 1], [1, 1]], [0, 0, 0], "chambers"),
    "parallel": ([[1, 0], [2, 0], [-1, 0]], [0, 3, 5], "chambers"),
    "coincident": ([[1, 0], [-2, 0], [0, 1]], None, "chambers"),
    "one line": ([[1, 2]], [3], "chambers"),
    "rankings": ([[0, 0], [10, 1], [9, 5], [1, 3], [2, 2]], None, "rankings"),
    "with offsets": ([[1, 0], [0, 1], [-1, -1], [0, 0]], [0, 0, 0, 1], "rankings"),
    "collinear labels": ([[0, 0], [1, 1], [2, 2], [0, 1]], None, "rankings"),
    "on a line": ([[0], [1], [3]], [0, 1, 0], "rankings"),
    "tops": (np.random.default_rng(1).integers(-9, 10, (8, 2)), range(8), "top-2"),
    "best": (np.random.default_rng(1).integers(-9, 10, (8, 2)), None, "top-1"),
    "section": (np.random.default_rng(2).integers(-9, 10, (6, 3)), None, "chambers"),
    "far apart": ([[1, 0], [0, 1], [1e5, 1]], [0, 0, 1], "chambers"),
}


def area(outline: Floats) -> float:
    x, y = outline.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def holds(outline: Floats, point: Floats, r: float) -> bool:
    """Whether a point is to the left of all sides: outlines are convex and counterclockwise."""
    sides, to = np.roll(outline, -1, axis=0) - outline, point - outline
    return bool((sides[:, 0] * to[:, 1] - sides[:, 1] * to[:, 0] >= -1e-9 * r * r).all())


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", CASES)
def test_plane(name: str) -> None:
    W, b, show = CASES[name]
    view = View(state_of(W, b, show=show))
    x, y, r = view.square
    drawn = plane_outlines(view.lines, view.keys_in_plane, view.square, view.region_keys)
    assert sum(area(outline) for outline in drawn if len(outline)) == pytest.approx(4 * r * r)
    points = np.random.default_rng(0).uniform(-r, r, (50, 2)) + [x, y]
    for point, key in zip(points, view.keys_in_plane(points), strict=True):
        (found,) = [i for i, o in enumerate(drawn) if len(o) and holds(o, point, r)]
        assert view.region_keys[found] == key


def test_regions_that_are_not_wanted_change_no_outline() -> None:
    rows = np.random.default_rng(3).integers(-9, 10, (9, 3))
    view = View(state_of(rows))
    (flat, round_) = (view.json(name)["pictures"][name] for name in ("plane", "sphere"))
    # an unknown region in front, and every other one left out
    view.__dict__["region_keys"] = [b"?", *view.region_keys[::2]]
    some = view.json("plane", "sphere")["pictures"]
    assert some["plane"]["xs"] == [[], *flat["xs"][::2]]
    assert some["plane"]["ys"] == [[], *flat["ys"][::2]]
    assert some["sphere"]["outlines"] == [[], *round_["outlines"][::2]]


def test_regions_out_of_view_have_no_outline() -> None:
    view = View(state_of([[1, 0], [1, 0]], [0, -100], show="chambers"))
    drawn = plane_outlines(view.lines, view.keys_in_plane, Square(0, 0, 1), view.region_keys)
    assert sorted(map(len, drawn)) == [0, 4, 4]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("rows", "show"),
    [
        (generators.braid(4).normals[:, :3], "chambers"),
        (generators.resonance(3).normals, "chambers"),
        ([[1, 0, 0], [0, 1, 0]], "chambers"),  # four lunes
        ([[1, 2, 3]], "chambers"),  # two halves
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -1, -1]], "rankings"),
        (np.random.default_rng(0).integers(-9, 10, (9, 3)), "top-1"),
        (np.random.default_rng(0).integers(-9, 10, (16, 3)), "chambers"),
    ],
)
def test_sphere(rows: object, show: str) -> None:
    view = View(state_of(rows, show=show))  # type: ignore[arg-type]
    outlines = view.json("sphere")["pictures"]["sphere"]["outlines"]
    drawn = [np.array(outline).reshape(-1, 3) for outline in outlines]
    assert all(len(outline) for outline in drawn)
    solid = [sum(_solid_angle(outline)) for outline in drawn]
    # arcs are drawn as a few chords, which loses nothing in sum
    assert sum(solid) == pytest.approx(4 * np.pi, rel=0.02)
    for outline, key in zip(drawn, view.region_keys, strict=True):
        middle = outline.mean(axis=0)
        if np.linalg.norm(middle) > 0.1:
            W = np.array(rows, float)
            assert view.keys_of_scores(middle[None] @ W.T) == [key]


def _solid_angle(outline: Floats) -> list[float]:
    """Of the triangles from the middle to each side (van Oosterom and Strackee)."""
    center = outline.mean(axis=0)
    if np.linalg.norm(center) < 1e-6:
        return [2 * np.pi]  # a half
    a = center / np.linalg.norm(center)
    found = []
    for b, c in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        b, c = b / np.linalg.norm(b), c / np.linalg.norm(c)
        found.append(2 * float(np.arctan2(abs(a @ np.cross(b, c)), 1 + a @ b + b @ c + c @ a)))
    return found


def test_a_window_holds_where_most_lines_meet() -> None:
    lines = np.array([[1.0, 0, 0], [0, 1, 0], [1, 1, -1], [1, 1e-6, 5]])
    x, y, r = square_of(lines)
    assert max(abs(x), abs(y), r) < 100
    assert square_of(np.array([[1.0, 0, 0], [1, 0, -4]])) == Square(2.0, 0.0, 4.0)
    assert square_of(np.zeros((1, 3))) == Square(0, 0, 1)


@pytest.mark.parametrize("show", ["chambers", "rankings", "top-2"])
def test_regions_inside_a_polygon(show: str) -> None:
    W = np.random.default_rng(0).integers(-9, 10, (7, 2))
    P = Polyhedron([[-1, 0], [0, -1], [3, 4], [0, 1]], [1, 2, 7, 2])
    picture = View(state_of(W, range(7), show=show, within=P)).json("plane")["pictures"]["plane"]
    drawn = [np.array([x, y]).T for x, y in zip(picture["xs"], picture["ys"], strict=True)]
    assert all(map(len, drawn))
    assert sum(map(area, drawn)) == pytest.approx(float(P.volume), rel=1e-4)
    border = picture["border"]
    ends = np.array([border["xs"], border["ys"]]).transpose(1, 2, 0).reshape(-1, 2)
    corners = np.array(P.vertices, float)
    assert len(ends) == 2 * len(corners) == 8
    assert np.abs(ends[:, None] - corners).max(axis=2).min(axis=1).max() < 1e-12
    walls = np.array([picture["walls"]["xs"], picture["walls"]["ys"]]).transpose(1, 2, 0)
    assert P.contains(0.999 * walls.reshape(-1, 2) + 0.001 * corners.mean(axis=0)).all()


def test_the_border_of_an_unbounded_polygon_ends_with_the_picture() -> None:
    view = View(
        state_of([[1, 0], [0, 1]], [0, 0], show="chambers", within=Polyhedron([[1, 1]], [1]))
    )
    border = view.json("plane")["pictures"]["plane"]["border"]
    ((x0, x1),), ((y0, y1),) = border["xs"], border["ys"]
    assert x0 + y0 == pytest.approx(1) == x1 + y1 and abs(x0 - x1) > view.square.radius
    apart = Polyhedron([[1, 0], [1, 0]], [0, 10**9])
    view = View(state_of([[1, 0], [0, 1]], [0, 0], show="chambers", within=apart))
    assert len(view.json("plane")["pictures"]["plane"]["border"]["xs"]) == 1


def test_a_cone_on_the_sphere() -> None:
    W = np.random.default_rng(0).integers(-9, 10, (9, 3))
    octant = Polyhedron.cone(np.eye(3, dtype=int))
    for P in (octant, Polyhedron.simplex(3), Polyhedron.box(0, 1, dimension=3)):
        view = View(state_of(W, show="chambers", within=P))
        outlines = view.json("sphere")["pictures"]["sphere"]["outlines"]
        drawn = [np.array(outline).reshape(-1, 3) for outline in outlines]
        assert len(drawn) == len(view.names) and all(map(len, drawn))
        assert sum(sum(_solid_angle(o)) for o in drawn) == pytest.approx(np.pi / 2, rel=0.02)
        assert min(o.min() for o in drawn) > -1e-3
    flat = View(state_of(W, show="chambers", within=Polyhedron.cone([[1, 0, 0], [0, 1, 0]])))
    assert "refused" in flat.json("sphere")["pictures"]["sphere"]
