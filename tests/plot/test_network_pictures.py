"""Pictures of networks: polygons, edges and colors against points evaluated in fractions."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from arrangements import ArrangementError, Polyhedron
from arrangements.networks import Layer, Network, decision_regions, regions
from arrangements.networks.shapes import region_shapes, view_of
from arrangements.networks.tournaments import tournament_of
from arrangements.plot import plot_network
from arrangements.plot.network_polygons import pieces, polygon_of

plt = pytest.importorskip("matplotlib.pyplot")
RNG = np.random.default_rng(0)
BOX = Polyhedron.box(-3, 3, dimension=2)
NET = Network(
    [
        (RNG.normal(size=(6, 2)), RNG.normal(size=6)),
        (RNG.normal(size=(5, 6)), RNG.normal(size=5)),
        (RNG.normal(size=(3, 5)), RNG.normal(size=3)),
    ]
)
FOLDED = Network(
    [([[1, 0], [-1, 0], [0, 1], [0, -1]], None), ([[1, 1, 1, 1]], [-1]), ([[1]], None)]
)
NETWORKS = {
    "deep": NET,
    "coincidences": FOLDED,
    "units at the end": Network([([[1, 1], [1, -1]], [0, 0]), Layer([[1, 2]], slope=0)]),
    "the inputs again": Network(
        [
            ([[1, 1], [1, -1]], [0, 1]),
            Layer([[1, 2, 3, 1]], slope=0.5, inputs=["x", 0]),
            ([[1]], None),
        ]
    ),
    "no units": Network([([[1, 2], [0, 1]], None)]),
}


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    plt.close("all")


def area(corners: Any) -> float:
    x, y = np.asarray(corners).T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NETWORKS)
def test_polygons_are_the_regions(name: str) -> None:
    net, total = NETWORKS[name], 0.0
    shapes = list(region_shapes(net, BOX))
    found = {shape.pattern.tobytes() for shape in shapes}
    assert found == {row.tobytes() for row in regions(net, within=BOX).to_array()}
    assert len(found) == len(shapes)
    for shape in shapes:
        corners, edges = polygon_of(shape)
        size = area(corners)
        total += abs(size)
        assert len(corners) == len(shape.vertices) == len(edges)
        middle = [Fraction(float(x)) for x in corners.mean(axis=0)]
        assert np.array_equal(net.pattern_at(middle), shape.pattern)
        values = shape.outputs @ [*map(float, middle), 1]
        assert np.allclose(values, [float(y) for y in net.forward(middle)])
        turns = [area(corners[[k - 2, k - 1, k]]) for k in range(len(corners))]
        assert min(t * np.sign(size) for t in turns) > 0  # convex, in circular order
        for k, (layer, row) in enumerate(edges):
            if layer >= 0:  # beyond the edge the unit has the other sign
                p, q = corners[k], corners[(k + 1) % len(corners)]
                at = (p + q) / 2 + 1e-6 * ((p + q) / 2 - corners.mean(axis=0))
                beyond = net.pattern_at([Fraction(float(x)) for x in at])
                unit = net.starts[layer] + row
                assert beyond[unit] != shape.pattern[unit] or (abs(at) > 3).any()
    assert abs(total - 36) < 1e-9


@pytest.mark.parametrize("name", NETWORKS)
def test_pieces_are_the_classes(name: str) -> None:
    net = NETWORKS[name]
    tournament = tournament_of(net, BOX)
    shapes = list(region_shapes(tournament.network, BOX))
    found, borders = pieces(shapes, tournament, net.n_units)
    areas: dict[Any, float] = {}
    for labels, polygon in found:
        label = labels[0] if len(labels) == 1 else labels
        areas[label] = areas.get(label, 0) + abs(area(polygon.corners)) / 36
        middle = [Fraction(float(x)) for x in polygon.corners.mean(axis=0)]
        y = net.forward(middle)
        y = y if len(y) > 1 else (0, y[0])
        assert labels == tuple(k for k, value in enumerate(y) if value == max(y))
    shares = decision_regions(net, within=BOX).shares
    assert areas == pytest.approx({label: float(share) for label, share in shares.items()})
    assert (len(areas) > 1) == bool(borders)
    for line in borders:
        y = sorted([*net.float_forward(line.mean(axis=0)), *[0.0] * (net.n_outputs == 1)])
        assert abs(y[-1] - y[-2]) < 1e-9


@pytest.mark.slow
def test_the_legend_of_decision_regions_has_shares() -> None:
    found = decision_regions(NET, within=BOX)
    ax = plot_network(found, labels=["a", "b", "c"])
    texts = [t.get_text() for t in ax.get_legend().get_texts()]
    wanted = [f"{'abc'[k]} ({float(x):.1%})" for k, x in found.shares.items()]
    assert texts[: len(wanted)] == wanted
    assert ax.get_title() == f"{NET.count_regions(within=BOX)} regions of 11 units"
    everywhere = plot_network(decision_regions(NET))
    assert everywhere.get_legend().get_texts()[0].get_text() in ("class 0", "class 1", "class 2")


def test_equal_classes_are_named() -> None:
    net = Network([([[1, 0], [0, 1]], None), ([[1, 0], [0, 1], [-1, 0]], None)])
    found = decision_regions(net, within=BOX)
    ax = plot_network(found, colors=["#ff0000", "#0000ff", "#00ff00"])
    texts = [t.get_text() for t in ax.get_legend().get_texts()]
    assert texts == ["class 0 (37.5%)", "class 1 (37.5%)", "class 0 = 1 = 2 (25.0%)"]
    colors = [p.get_facecolor() for p in ax.get_legend().get_patches()]
    mean = np.array([85, 85, 85]) / 255  # of red, green and blue, then nearly half white
    assert np.allclose(colors[2][:3], 0.45 + 0.55 * mean, atol=1 / 255)
    of_one = plot_network(Network([([[1, 0]], None), ([[1]], [0])]), within=BOX)
    assert [t.get_text() for t in of_one.get_legend().get_texts()] == ["positive", "zero"]
    named = plot_network(net, within=BOX, labels=["a", "b", "c"]).get_legend().get_texts()
    assert [t.get_text() for t in named] == ["a", "b", "a = b = c"]


def test_a_class_has_one_color() -> None:
    shades = []
    for P in (BOX, Polyhedron.box(-2, 1, dimension=2)):
        legend = plot_network(NET, within=P).get_legend()
        texts = [t.get_text() for t in legend.get_texts() if t.get_text().startswith("class")]
        colors = [p.get_facecolor() for p in legend.get_patches()]
        shades.append(dict(zip(texts, colors, strict=True)))
    common = shades[0].keys() & shades[1].keys()
    assert len(common) >= 2 and all(shades[0][text] == shades[1][text] for text in common)


def test_one_output_has_a_sign() -> None:
    ax = plot_network(FOLDED, within=BOX)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [
        "positive",
        "zero",
        *LAYERS,
    ]
    assert ax.get_title() == "8 regions of 5 units"
    inner = [p for p in ax.collections[0].get_paths() if np.abs(p.vertices).max() <= 1]
    assert len(inner) == 4


LAYERS = ["edges of layer 0", "edges of layer 1"]


def test_colors_by_maps_are_equal_where_maps_are() -> None:
    twice = Network([([[1, 0], [-1, 0]], None), ([[1, -1]], None)])  # the identity
    ax = plot_network(twice, within=BOX, color_by="map")
    assert len(np.unique(ax.collections[0].get_facecolor(), axis=0)) == 1
    nearly = Network([([[1, 0], [-1, 0]], None), ([[1, -1 + 2**-40]], None)])
    ax = plot_network(nearly, within=BOX, color_by="map")
    assert len(np.unique(ax.collections[0].get_facecolor(), axis=0)) == 2


def test_colors_by_patterns_count_units() -> None:
    ax = plot_network(NET, within=BOX, color_by="pattern")
    shades = {tuple(c) for c in ax.collections[0].get_facecolor().tolist()}
    counts = (regions(NET, within=BOX).to_array() > 0).sum(axis=1)
    assert len(shades) == len(set(counts.tolist()))
    texts = [t.get_text() for t in ax.get_legend().get_texts()]
    assert texts == [f"{counts.min()} positive units", f"{counts.max()} positive units", *LAYERS]
    ends = {p.get_facecolor() for p in ax.get_legend().get_patches()}
    assert ends <= shades and len(ends) == 2


def test_a_view_holds_most_corners() -> None:
    for within in None, Polyhedron([[-1, 0]], [0]):
        P = view_of(NET, within)
        assert P.is_bounded and P.dimension == 2
        assert len(list(region_shapes(NET, P))) > 10
    assert view_of(NET, BOX) is BOX
    parallel = Network([([[1, 0], [1, 0]], [0, -1]), ([[1, 1]], None)])
    assert view_of(parallel, None).contains([0, 0])
    assert plot_network(parallel).get_title() == "3 regions of 2 units"


def test_a_slice_shows_its_points() -> None:
    net = Network([(RNG.normal(size=(5, 4)), None), (RNG.normal(size=(3, 5)), None)])
    ax = plot_network(net.slice([[0, 0, 0, 0], [1, 0, 0, 2], [0, 1, 0, 1]]))
    assert ax.get_xlabel() == "towards point 1" and ax.get_xlim() == (-0.5, 1.5)
    assert [t.get_text() for t in ax.texts] == ["0", "1", "2"]


def test_walls_in_space() -> None:
    net = Network([(np.eye(3), None), (np.ones((1, 3)), [-1]), ([[1]], None)])
    ax = plot_network(net, within=Polyhedron.box(-1, 1, dimension=3))
    assert ax.get_title() == "12 regions of 4 units" and len(ax.collections) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plot_network(Network([([[1]], None)])), "has 1 input; a picture shows two or"),
        (lambda: plot_network(NET, color_by="color"), "color_by is 'color'; expected 'class'"),
        (lambda: plot_network(NET, within=([[1, 0], [-1, 0]], [0, 0])), "of dimension 2"),
        (
            lambda: plot_network(NET, labels="ab"),
            "2 labels|expected.* 3",
        ),
        (lambda: plot_network(NET, colors=["red"]), "colors holds 1 colors"),
        (lambda: plot_network([[1, 2]]), "network is"),
    ],
)
def test_what_is_not_drawn(call: Any, message: str) -> None:
    with pytest.raises(ArrangementError, match=message):
        call()
