"""Pictures: regions against exact points of them, texts that are there and apart, clear errors."""

import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import matplotlib.pyplot as plt
import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgba
from texts import check_texts_apart

from arrangements import Arrangement, argmax_labels, generators, plot_arrangement, plot_rankings
from arrangements.errors import (
    InputError,
    LowRankWarning,
    MissingDependencyError,
    MissingGlyphWarning,
    TiedLabelsError,
    TooLargeError,
)
from arrangements.paper import plot_bjorner
from arrangements.plot.colors import label_colors, shade
from arrangements.plot.drawing import picture
from arrangements.plot.sphere import polygon_above

FIVE = [[0, 0], [10, 1], [9, 5], [1, 3], [2, 2]]
PLANE = [
    (FIVE, None),
    ([[1, 2], [2, 2]], None),
    ([[0, 0], [1, 0], [2, 0], [3, 1]], None),
    ([[Fraction(1, 3), 1], [2, -1], [0, Fraction(-1, 7)]], None),
    ([[1, 0], [0, 1], [-1, -1], [0, 0]], [0, 0, 0, 1]),
    ([[1, 0], [0, 1], [1, 1], [2, -1]], [0, 1, 0, -1]),
    ([[1, 2], [2, 4], [3, 6]], [0, 1, -5]),
    ([[1, 2], [1, 2]], [0, 1]),
    ([[1, 2], [1, 2], [0, 1]], [0, 1, 0]),
]
LINES = [
    ([[1, 0], [0, 1], [1, 1]], None),
    ([[1, 0], [-2, 0], [0, 1], [1, 1]], None),
    ([[1, 0], [0, 1], [1, 1], [-2, -2], [1, -1]], [0, 0, -1, 2, 0]),
    ([[1, 0], [1, 0], [1, 0], [0, 0]], [0, 1, -2, 5]),
    ([[1, 0], [0, 1], [0, 0]], [0, 0, -1]),
]


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


def middles(ax: Any) -> list[list[Fraction]]:
    """A point inside each region drawn, as exact numbers."""
    found = []
    for path in ax.collections[0].get_paths():
        corners = np.unique(path.vertices, axis=0)
        found.append([Fraction(x) for x in corners.mean(axis=0).tolist()])
    return found


def texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts if text.get_text()]


def scores_at(W: Any, b: Any, point: list[Fraction]) -> list[Fraction]:
    """Exact scores."""
    return [
        naive.fraction(u) * point[0] + naive.fraction(v) * point[1] + naive.fraction(c)
        for (u, v), c in zip(W, [0] * len(W) if b is None else b, strict=True)
    ]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("W", "b"), PLANE)
def test_regions_of_rankings(W: Any, b: Any) -> None:
    ax = plot_rankings(W, b)
    drawn = [naive.order_at(W, b, point) for point in middles(ax)]
    assert len(drawn) == len(set(drawn)) and set(drawn) == naive.rankings(W, b)
    assert ax.get_title() == f"{len(drawn)} ranking" + "s" * (len(drawn) > 1)
    check_texts_apart(ax.figure)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("W", "b"), PLANE)
def test_regions_of_best_labels(W: Any, b: Any) -> None:
    ax = plot_rankings(W, b, by="argmax", labels=[f"label {i}" for i in range(len(W))])
    winners = {order[0] for order in naive.rankings(W, b)}
    offsets = [0] * len(W) if b is None else b
    drawn = []
    for x, y in middles(ax):
        scores = [
            naive.fraction(u) * x + naive.fraction(v) * y + c
            for (u, v), c in zip(W, offsets, strict=True)
        ]
        drawn += [i for i, score in enumerate(scores) if score == max(scores)]
    assert sorted(drawn) == sorted(winners)
    assert set(texts(ax)) == {f"label {i}" for i in winners}
    check_texts_apart(ax.figure)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("W", "b"), LINES)
def test_chambers(W: Any, b: Any) -> None:
    ax = plot_arrangement(W, b)
    drawn = [naive.signs_at(W, b, point) for point in middles(ax)]
    assert len(drawn) == len(set(drawn)) and set(drawn) == naive.chambers(W, b)
    assert ax.get_title() == f"{len(drawn)} chambers"
    written = {"".join("\N{MINUS SIGN}+"[s > 0] for s in signs) for signs in drawn}
    assert {text for text in texts(ax) if set(text) <= set("+\N{MINUS SIGN}-")} <= written
    assert len(ax.lines) == len(Arrangement(W, b).coincident_classes)
    check_texts_apart(ax.figure)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("W", "b"), LINES)
def test_arrows_point_to_the_plus_side(W: Any, b: Any) -> None:
    ax = plot_arrangement(W, b)
    arrows = [text for text in ax.texts if getattr(text, "arrow_patch", None)]
    names = [text.get_text() for text in ax.texts if text.get_bbox_patch()]
    rows = naive.integer_rows(W, b)
    assert len(arrows) == len(names) == len(ax.lines)
    for arrow, name in zip(arrows, names, strict=True):
        for part in name.split(", "):
            row = rows[int(part.lstrip("\N{MINUS SIGN}"))]
            step = row[0] * (arrow.xy[0] - arrow.xyann[0]) + row[1] * (arrow.xy[1] - arrow.xyann[1])
            assert (step > 0) == (not part.startswith("\N{MINUS SIGN}"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "W", [generators.resonance(3).normals, generators.generic(7, 3, 1).normals, [[0, 0, 2]]]
)
def test_great_circles(W: Any) -> None:
    ax = plot_arrangement(W)
    above = naive.count([row[:2] for row in W], [row[2] for row in W])
    assert ax.get_title() == f"{naive.count(W)} chambers, {above} in view"
    assert len(ax.lines) == len(W)
    for row, line in zip(np.array(W, float), ax.lines, strict=True):
        x, y = line.get_data()
        square = x * x + y * y
        assert square.max() <= 1 + 1e-12
        lifted = np.array([2 * x, 2 * y, 1 - square]) / (1 + square)
        assert np.abs(row @ lifted).max() < 1e-12 * np.abs(row).max()
    arrows = [text for text in ax.texts if getattr(text, "arrow_patch", None)]
    for row, arrow in zip(np.array(W, float), arrows, strict=True):
        x, y = arrow.xy
        assert row @ [2 * x, 2 * y, 1 - x * x - y * y] > 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_counts_of_generic_labels(n: int) -> None:
    W = generators.generic(n, 2, n).normals
    ax = plot_rankings(W)
    assert len(ax.collections[0].get_paths()) == naive.cover(n, 2)
    assert len(texts(ax)) == naive.cover(n, 2)
    check_texts_apart(ax.figure)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("by", ["ranking", "argmax"])
@pytest.mark.parametrize("n", [3, 5, 9, 17])
def test_neighboring_sectors_have_different_colors(n: int, by: Any) -> None:
    # all labels are corners of a convex polygon: first, by their turn around it
    angles = np.arange(n) * 2 * np.pi / n + 0.01 * np.arange(n)
    ax = plot_rankings(np.column_stack([np.cos(angles), np.sin(angles)]), by=by)
    faces = ax.collections[0].get_facecolors().tolist()
    assert len(faces) == (n if by == "argmax" else naive.cover(n, 2))
    assert all(a != b for a, b in zip(faces, [*faces[1:], faces[0]], strict=True))


def test_many_regions_have_no_texts() -> None:
    ax = plot_rankings(generators.generic(20, 2, 1))
    assert len(ax.collections[0].get_paths()) == naive.cover(20, 2) and texts(ax) == []
    assert ax.get_title() == "380 rankings, too many to name"
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    tops = argmax_labels(generators.generic(20, 2, 1)).tolist()
    never = "  (never first)"
    assert legend == [f"label {i}" + ("" if i in tops else never) for i in range(20)]
    assert texts(plot_arrangement(generators.generic(40, 2, 1))) == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("by", ["ranking", "argmax"])
def test_long_names_get_a_legend(by: Any) -> None:
    names = ["$caterpillar$ with a name that goes on", "dog\nhouse", "bird"]
    ax = plot_rankings([[3, 4], [-4, 3], [-3, -4]], by=by, labels=names)
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend[1:] == ["1 dog house", "2 bird"] and legend[0].startswith(r"0 \$caterpillar\$")
    assert set(texts(ax)) <= {
        "".join(p) for p in ("012", "021", "102", "120", "201", "210", *"012")
    }
    check_texts_apart(ax.figure)


def test_short_names() -> None:
    ax = plot_rankings([[1, 0], [0, 1], [-1, -1]], labels=["cat", "dog", "bird"])
    assert "cat > dog > bird" in texts(ax) and ax.get_legend() is None
    A = Arrangement([[1, 0], [0, 1]], labels=["up", "down"])
    assert {"up", "down"} <= set(texts(plot_arrangement(A)))
    assert {"a", "b"} <= set(texts(plot_arrangement(A, labels="ab")))


def test_limits_and_axes_of_the_caller() -> None:
    figure, axes = plt.subplots(1, 2)
    W, b = PLANE[4]
    ax = plot_rankings(W, b, limits=(2, 3, 2, 3), ax=axes[0])
    assert ax is axes[0] and ax.get_xlim() == (2, 3)
    assert ax.get_title() == "18 rankings, 2 in view"
    assert {naive.order_at(W, b, point) for point in middles(ax)} == {
        naive.order_at(W, b, point) for point in ((Fraction(5, 2), 2), (2, Fraction(5, 2)))
    }
    ax = plot_arrangement([[1, 0], [0, 1]], [0, 1], limits=(1, 2, 0, 3), ax=axes[1])
    assert ax.get_title() == "4 chambers, 1 in view" and not ax.lines
    assert figure.axes == list(axes)
    part = plt.figure().subfigures(1, 2)[1]
    assert plot_rankings(FIVE, ax=part.subplots()).get_title() == "20 rankings"


def test_far_and_thin() -> None:
    ax = plot_rankings([[1e300, 0], [0, 1e300], [1e-300, 1]], [0, 1e-300, 1])
    assert len(ax.collections[0].get_paths()) == 6
    ax = plot_arrangement([[1e300, 0], [0, 1e-300], [1, 1]], [0, 1e300, 1])
    assert ax.get_title() == "7 chambers, 4 in view" and len(ax.lines) == 2
    ax = plot_rankings([[1, 0], [0, 100], [-1, -100]], [0, 0.1, 0])
    assert len(ax.collections[0].get_paths()) == 6


def test_lines_and_regions_far_away() -> None:
    ax = plot_arrangement([[-(2.0**-520), 0]], [7])
    left, right = ax.get_xlim()
    assert left < 7 * 2.0**520 < right and len(ax.lines) == 1
    ax = plot_arrangement([[1, 10**310], [1, 0], [0, 1]], [1, 0, 5])
    assert len(ax.lines) == 3
    ax = plot_rankings([[1, 0], [0, 1], [-1, -1]], [2**700, 0, -(2**699)])
    assert all(np.isfinite([text.get_position() for text in ax.texts]).ravel())


def test_corners_that_are_nearly_opposite() -> None:
    W = [[-(2**162), -1, -(2**1182)], [3, 0, -(2**1021)], [2**199, -(2**36), -(2**1020)]]
    paths = plot_rankings(W).collections[0].get_paths()
    assert len(paths) == 6 and all(np.isfinite(path.vertices).all() for path in paths)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plot_rankings([[1, 2, 3], [1, 3, 4]], [0, 1]), "Column 0 is constant .*: leave"),
        (lambda: plot_rankings([[1, 2, 3], [0, 3, 4]], [0, 1]), "Without offsets three columns"),
        (lambda: plot_rankings(np.eye(4)), r"\(n, 2\) or \(n, 3\); it has 4 columns.$"),
        (lambda: plot_rankings(FIVE, ax=3), "ax is 3; expected matplotlib.axes.Axes"),
        (lambda: plot_arrangement(FIVE[1:], ax="x"), "ax is 'x'; expected matplotlib.axes.Axes"),
        (lambda: plot_bjorner(fig=3), "fig is 3; expected matplotlib.figure.Figure"),
        (lambda: plot_rankings(FIVE, limits=(float("nan"), 1, 0, 1)), "limits is .*finite"),
        (lambda: plot_rankings(FIVE, limits=(0, 0, 0, 1)), "limits is .*left < right"),
        (lambda: plot_arrangement(FIVE[1:], limits=(0, 1, 0, float("inf"))), "limits is .*finite"),
        (lambda: plot_rankings([[1], [2]]), "it has 1 columns"),
        (
            lambda: plot_rankings(FIVE, colors="rgbcm"),
            "colors is 'rgbcm'; expected a sequence of 5",
        ),
        (lambda: plot_rankings(FIVE, colors=["red"]), "colors holds 1 colors; expected .* 5"),
        (lambda: plot_rankings(FIVE, colors=["no"] * 5), r"colors\[0\] is 'no'; expected"),
        (lambda: plot_rankings(FIVE, by="best"), "by is 'best'; expected 'ranking' or 'argmax'"),
        (
            lambda: plot_rankings(*PLANE[4], limits=(1, 0, 0, 1)),
            "limits is .*expected finite .left, ri",
        ),
        (lambda: plot_rankings(*PLANE[4], limits=(1, 2)), "limits is"),
        (lambda: plot_rankings(*PLANE[4], limits="abcd"), "limits is 'abcd'"),
        (lambda: plot_rankings(FIVE, labels=["a"]), "1 labels were given"),
        (
            lambda: plot_arrangement([[1, 2, 3]], [1], within=([[1, 0, 0]], [1])),
            "Without offsets three columns",
        ),
        (lambda: plot_arrangement([[1, 2, 3, 4]]), "of rank 2 or 3; it has rank 1 and 4 columns"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_too_much_for_a_picture() -> None:
    with pytest.raises(TooLargeError, match="by='argmax'"):
        plot_rankings(generators.generic(80, 2, 0))
    with pytest.raises(TooLargeError, match="chambers of 120 hyperplanes"):
        plot_arrangement(generators.generic(120, 2, 0), np.arange(120))
    with pytest.raises(TiedLabelsError, match="labels 0 and 1"):
        plot_rankings([[1, 2], [1, 2]])


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for module in ("matplotlib.pyplot", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, module, None)
    message = r"matplotlib is needed for pictures; .* pip install .*\[plot\]"
    with pytest.raises(MissingDependencyError, match=message):
        plot_rankings(FIVE)
    with pytest.raises(MissingDependencyError, match=message):
        plot_arrangement(FIVE[1:])
    with pytest.raises(ImportError, match=message), picture(tmp_path / "x.png", (2, 2)):
        pass


def colors_of_tops(ax: Any, W: Any, b: Any) -> dict[int, set[Any]]:
    """The colors of the regions in which each label is first."""
    found: dict[int, set[Any]] = {}
    faces = ax.collections[0].get_facecolors()
    for point, face in zip(middles(ax), faces.tolist(), strict=True):
        scores = scores_at(W, b, point)
        found.setdefault(scores.index(max(scores)), set()).add(tuple(face))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("by", ["ranking", "argmax"])
@pytest.mark.parametrize("b", [None, [0, 1, 0], [0, 0, -1]])
def test_a_label_has_one_color(b: Any, by: Any) -> None:
    W = [[1, 0], [0, 1], [-1, -1]]
    for chosen in (None, ["red", "#00ff00", "0.2"]):
        ax = plot_rankings(W, b, by=by, colors=chosen)
        for label, colors in colors_of_tops(ax, W, b).items():
            color = label_colors(3, chosen)[label]
            assert colors <= {to_rgba(shade(color, odd)) for odd in (False, True)}


def legend_of(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.slow
def test_small_regions_have_marks_and_a_key() -> None:
    W, b = PLANE[4]
    ax = plot_rankings(W, b, labels=["cat", "dog", "bird", "none"])
    key = dict(line.split("  ", 1) for line in legend_of(ax))
    names = {
        " > ".join(["cat", "dog", "bird", "none"][i] for i in order)
        for order in naive.rankings(W, b)
    }
    written = set(texts(ax))
    assert {key.get(text, text) for text in written} == names and len(written) == 18
    assert set(key) <= written and set(key) == {str(k + 1) for k in range(len(key))}
    check_texts_apart(ax.figure)


@pytest.mark.slow
def test_marks_are_letters_where_texts_are_digits() -> None:
    W = generators.generic(5, 3, 1).normals
    ax = plot_rankings(W)
    key = dict(line.split("  ") for line in legend_of(ax))
    above = naive.rankings(W[:, :2].tolist(), W[:, 2].tolist())
    assert all(mark.isalpha() for mark in key) and len(key) > 20
    assert {key.get(text, text) for text in texts(ax)} == {"".join(map(str, o)) for o in above}


def test_a_small_region_has_its_name_beside_it() -> None:
    W, b = [[0, 0], [100, 0], [-100, 0], [0, 100], [0, -100]], [1, 0, 0, 0, 0]
    ax = plot_rankings(W, b, by="argmax", limits=(-1, 1, -1, 1))
    assert set(texts(ax)) == set("01234") and ax.get_title() == "5 labels can be first"
    (beside,) = (text for text in ax.texts if text.get_bbox_patch())
    (leader,) = ax.lines
    ends = np.column_stack(leader.get_data())
    assert beside.get_text() == "0" and tuple(ends[0]) == beside.get_position()
    assert np.abs(ends[1]).max() < 0.01
    check_texts_apart(ax.figure)


def test_many_rankings_are_written_like_rays() -> None:
    ax = plot_rankings(generators.generic(9, 2, 1))
    assert len(set(texts(ax))) == naive.cover(9, 2) == 72
    turns = np.array([text.get_rotation() for text in ax.texts])
    places = np.array([text.get_position() for text in ax.texts])
    assert np.allclose(np.hypot(*places.T), np.hypot(*places[0]))
    angles = np.sort(np.degrees(np.arctan2(*places.T[::-1])) % 360)
    assert np.allclose(np.sin(np.radians(turns - np.degrees(np.arctan2(*places.T[::-1])))), 0)
    line = 0.8 * ax.texts[0].get_fontsize() / 72 / (ax.bbox.width / 100 / np.ptp(ax.get_xlim()))
    assert np.diff([*angles, angles[0] + 360]).min() > np.degrees(line / np.hypot(*places[0]))


def lifted(point: Any, side: int = 1) -> Any:
    """The point of the sphere that is drawn at a place."""
    x, y = point
    return np.array([2 * x, 2 * y, side * (1 - x * x - y * y)])


SPACE = [
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -1, -1]],
    [[1, 0, 0], [1, 2, 1], [1, 3, 4]],
    [[1, 0, 0], [2, 0, 0], [4, 0, 0]],
    [[0, 0, 1], [0, 0, 2]],
    generators.generic(5, 3, 1).normals.tolist(),
]


@pytest.mark.slow
@pytest.mark.parametrize("W", SPACE)
def test_rankings_on_the_sphere(W: Any) -> None:
    ax = plot_rankings(W)
    drawn = set()
    for path, text in zip(ax.collections[0].get_paths(), ax.texts, strict=False):
        points = np.array([lifted(point) for point in path.vertices])
        scores = np.round(points @ np.transpose(W), 9)
        inside = scores.sum(axis=0) + 1e-7 * np.array(W)[:, 2]  # for the whole half: its pole
        order = np.argsort(-inside, kind="stable")
        assert (np.diff(scores[:, order], axis=1) <= 1e-6).all() and text
        drawn.add(tuple(order.tolist()))
    everything = naive.rankings(W)
    above = naive.rankings([row[:2] for row in W], [row[2] for row in W])  # third coordinate 1
    assert drawn == above <= everything
    shown = f", {len(above)} in view" if above != everything else ""
    noun = "ranking" + "s" * (len(everything) > 1)
    assert ax.get_title() == f"{len(everything)} {noun}{shown}"
    check_texts_apart(ax.figure)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("W", SPACE)
def test_best_labels_on_both_halves_of_the_sphere(W: Any) -> None:
    ax = plot_rankings(W, by="argmax")
    found = set()
    for path in ax.collections[0].get_paths():
        side = 1 if path.vertices[:, 0].mean() < 0 else -1
        middle = path.vertices.mean(axis=0) + [side * 1.08, 0]
        found.add(int(np.argmax(np.array(W) @ lifted(middle, side))))
    assert found == set(argmax_labels(W).tolist())
    assert {text for text in texts(ax) if text.isdigit()} == {str(i) for i in found}


def test_corners_on_the_sphere_are_exact() -> None:
    big = 10**40
    rows = [(1, 0, 0), (-1, 1, 0), (0, -big, big + 1)]
    corners = polygon_above(rows)
    assert (1, 1, 0) not in corners and (big + 1, big + 1, big) in corners
    assert all(
        sum(a * x for a, x in zip(row, v, strict=True)) >= 0 for row in rows for v in corners
    )
    assert polygon_above([(1, 0, 0), (-1, 0, -1)]) == ()
    assert len(polygon_above([])) == 4 and len(polygon_above([(0, 1, 0)])) == 4


@pytest.mark.slow
def test_characters_that_the_font_lacks_are_reported_once() -> None:
    with pytest.warns(MissingGlyphWarning) as caught:
        ax = plot_rankings([[1, 0], [0, 1], [-1, -1]], labels=["\u732b", "\u72ac", "bird"])
        ax.figure.draw_without_rendering()
    (warning,) = caught
    said = str(warning.message)
    assert "CJK UNIFIED IDEOGRAPH-732B" in said and "CJK UNIFIED IDEOGRAPH-72AC" in said
    assert "?0 > ?1 > bird" in texts(ax)
    with pytest.warns(MissingGlyphWarning, match="732B") as caught:
        plot_arrangement([[1, 0], [0, 1]], labels=["\u732b", "b"]).figure.draw_without_rendering()
    assert len(caught) == 1


def test_colors_of_labels_differ_in_both_shades() -> None:
    colors = label_colors(24)
    shades = {shade(color, odd) for color in colors for odd in (False, True)}
    assert colors[:9] == label_colors(9) and len(shades) == 48
    for one, other in combinations([shade(c, odd) for c in colors[:4] for odd in (0, 1)], 2):
        assert np.abs(np.subtract(one, other)).max() > 0.15
    for color in colors[:16]:  # black text can be read on them
        linear = np.array(shade(color, False)) ** 2.2
        assert (linear @ [0.2126, 0.7152, 0.0722] + 0.05) / 0.05 > 4


@given(st.lists(st.tuples(*[st.integers(-2, 2)] * 3).filter(any), min_size=1, max_size=5))
def test_polygons_on_the_sphere_are_the_regions_above(rows: list[tuple[int, int, int]]) -> None:
    corners = polygon_above(rows)
    assert bool(corners) == naive.positive_somewhere([*rows, (0, 0, 1)])
    assert all(
        sum(a * x for a, x in zip(row, v, strict=True)) >= 0 for row in rows for v in corners
    )


@pytest.mark.slow
def test_pictures_of_a_low_rank() -> None:
    plane = np.array([[1, 0], [0, 1], [-1, -1], [2, 1]])
    wide = plane @ np.random.default_rng(0).normal(size=(2, 5))
    exact = plane @ np.array([[1, 0, 2], [0, 1, 3]])
    for W in (wide, exact):
        assert plot_rankings(W, rank=2).get_title() == plot_rankings(plane).get_title()
        assert plot_arrangement(W, rank=2).get_title() == plot_arrangement(plane).get_title()
        lines = plot_arrangement(W, [0, 0, 0, 1], rank=2).get_title()
        assert lines == plot_arrangement(plane, [0, 0, 0, 1]).get_title()
    with pytest.warns(LowRankWarning), pytest.raises(InputError, match="it has 5 columns"):
        plot_rankings(wide)


def test_regions_know_their_walls_only() -> None:
    """A picture of many lines took minutes when every region had them all."""
    from arrangements.plot.plane_regions import chamber_regions

    regions = chamber_regions(Arrangement(generators.generic(300, 2, 0)))
    assert len(regions) == 600 and {len(region.rows) for region in regions} == {2}
    regions = chamber_regions(Arrangement([[1, 0], [2, 0], [1, 1], [0, 0]], [0, 0, 1, 5]))
    assert [len(region.rows) for region in regions] == [2] * 4


def test_tied_labels_are_left_out_and_the_others_keep_number_and_color() -> None:
    W = [[1, 0], [1, 0], [0, 1], [-1, -1]]
    colors = ["red", "green", "blue", "orange"]
    with pytest.raises(TiedLabelsError, match="pass ties='drop'"):
        plot_rankings(W)
    tied = plot_rankings(W, by="argmax", ties="drop", colors=colors)
    alone = plot_rankings([W[0], *W[2:]], by="argmax", colors=[colors[0], *colors[2:]])
    drawn = [ax.collections[0].get_facecolor().tolist() for ax in (tied, alone)]
    assert drawn[0] == drawn[1] and len(drawn[0]) == 3
    assert {"0", "2", "3"} <= {text.get_text() for text in tied.texts}
    named = plot_rankings(W, ties="drop", labels=["a", "b", "c", "d"])
    assert {"a", "c", "d"} <= set("".join(text.get_text() for text in named.texts))
