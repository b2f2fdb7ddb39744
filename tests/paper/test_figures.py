"""Figures of the paper and the table of the counter-example: what they say is the exact result."""

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

import matplotlib.pyplot as plt
import naive
import numpy as np
import pytest
from texts import check_texts_apart

from arrangements.core.score_model import ScoreModel
from arrangements.errors import InputError
from arrangements.paper import examples
from arrangements.paper.figures import figures, planar
from arrangements.paper.report import bjorner_record, bjorner_table, rankings_around
from arrangements.plot.plane_regions import ranking_regions
from arrangements.structure import top_ties

# Bjorner et al. 1999, section 1.10, in the coordinates of the example.
W1 = [[0, 0], [10, 1], [9, 5], [1, 3], [2, 2]]
W2 = [[0, 0], [10, 1], [9, 3], [1, 3], [2, 2]]


@pytest.fixture(scope="module")
def drawn() -> Iterator[dict[str, Any]]:
    """Every figure, drawn once."""
    yield {name: draw() for name, draw in figures().items()}
    plt.close("all")


def texts(ax: Any) -> set[str]:
    return {text.get_text() for text in ax.texts if text.get_text()}


def bold(ax: Any) -> set[str]:
    return {text.get_text() for text in ax.texts if text.get_fontweight() == "bold"}


def joined(orders: Any) -> set[str]:
    return {"".join(map(str, order)) for order in orders}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(figures()))
def test_every_figure_is_readable(drawn: Any, name: str) -> None:
    check_texts_apart(drawn[name])
    assert all(ax.get_title() for ax in drawn[name].axes)


@pytest.mark.slow
def test_bjorner(drawn: Any) -> None:
    figure = drawn["bjorner"]
    R1, R2 = naive.rankings(W1), naive.rankings(W2)
    for ax, mine, other in zip(figure.axes[2:], (R1, R2), (R2, R1), strict=True):
        assert texts(ax) == joined(mine) and bold(ax) == joined(mine - other)
        everything, hatched = (collection.get_paths() for collection in ax.collections)
        assert len(everything) == len(mine) and len(hatched) == len(mine - other) == 2
        assert ax.get_title() == "20 rankings, 2 only here"
    for ax, rows, side in zip(figure.axes[:2], (W1, W2), ("left", "right"), strict=True):
        assert ax.get_title().endswith(side)
        quadrilateral, points = ax.lines[0], ax.lines[-1]
        assert np.column_stack(points.get_data()).tolist() == rows
        assert np.column_stack(quadrilateral.get_data()).tolist() == [*rows[:4], rows[0]]


@pytest.mark.slow
def test_shortened_row(drawn: Any) -> None:
    figure = drawn["shortened-row"]
    pair = examples.shortened_row()
    found = [naive.rankings(W.tolist()) for W in (pair.W1, pair.W2)]
    for k, ax in enumerate((figure.axes[2], figure.axes[5])):
        assert texts(ax) == joined(found[k]) and bold(ax) == joined(found[k] - found[1 - k])
    signs = [
        {text for text in texts(ax) if set(text) <= set("+\N{MINUS SIGN}")}
        for ax in figure.axes[1::3]
    ]
    assert (
        signs[0]
        == signs[1]
        == {"".join("\N{MINUS SIGN}+"[s > 0] for s in row) for row in naive.chambers(pair.W1)}
    )
    assert figure.axes[3].get_title() == "W2: label 4 cannot be first"


@pytest.mark.slow
def test_ties(drawn: Any) -> None:
    figure = drawn["ties"]
    for ax, example in zip(
        figure.axes,
        (examples.unrestricted(), examples.centered(), examples.centered_unit_length()),
        strict=True,
    ):
        points = np.array(example.W.evalf().tolist(), float)
        edges = set()
        for line in ax.lines:
            ends = np.column_stack(line.get_data())
            if len(ends) == 2 and line.get_color() == "#222222":
                edges.add(
                    tuple(int(np.abs(points - end).sum(axis=1).argmin()) for end in ends.tolist())
                )
        assert sorted(edges) == [tuple(p) for p in top_ties(example.coordinates).tolist()]
        orders = naive.rankings(example.coordinates.tolist())
        firsts = {order[:2] for order in orders}
        can = {(i, j) for i, j in combinations(range(5), 2) if {(i, j), (j, i)} <= firsts}
        assert edges == can
        tie, never = ax.get_title().split("\n")[1:]
        pairs = [tuple(int(c) for c in line.split(":")[0] if c.isdigit()) for line in (tie, never)]
        assert pairs[0] in can and pairs[1] not in can


@pytest.mark.slow
def test_translations(drawn: Any) -> None:
    figure = drawn["translations"]
    titles = [ax.get_title() for ax in figure.axes[:3]]
    assert titles[1].endswith(r"$\cos = -1$") and titles[2].endswith(r"$\cos = 1$")
    shapes = [
        [path.vertices.tolist() for path in ax.collections[0].get_paths()] for ax in figure.axes[3:]
    ]
    assert shapes[0] == shapes[1] == shapes[2] and len(shapes[0]) == 5


def test_table() -> None:
    lines = list(bjorner_table())
    assert [line.split() for line in lines if "*" in line][1:] == [["10432*", "01423*"]]
    proofs = [line.split() for line in lines if " x = (" in line]
    assert [(words[0], words[1]) for words in proofs] == [
        ("10432", "W1:"),
        ("23401", "W1:"),
        ("01423", "W2:"),
        ("32410", "W2:"),
    ]
    for k, line in enumerate(line for line in lines if "= 0 at every x" in line):
        rows = (W2, W2, W1, W1)[k]
        total = np.zeros(2, int)
        for term in line.split(": ")[1].split(" = 0")[0].split(" + "):
            weight, difference = term.split("(") if term[0] != "(" else ("1", term[1:])
            above, below = (int(s[1:]) for s in difference.rstrip(")").split(" - "))
            order = proofs[k][0]
            assert order.index(str(above)) < order.index(str(below)) and int(weight) > 0
            total += int(weight) * (np.array(rows[above]) - rows[below])
        assert not total.any()


def test_record() -> None:
    record = bjorner_record()
    assert record["proofs_hold"] and len(record["sign_vectors"]) == 22
    assert record["only_in_1"] == [[1, 0, 4, 3, 2], [2, 3, 4, 0, 1]]
    assert record["only_in_2"] == [[0, 1, 4, 2, 3], [3, 2, 4, 1, 0]]
    assert {tuple(order) for order in record["rankings_1"]} == naive.rankings(W1)
    assert {tuple(order) for order in record["rankings_2"]} == naive.rankings(W2)


def test_circular_order() -> None:
    for orders in rankings_around(examples.bjorner()):
        assert len(orders) == 20
        for first, second in pairwise([*orders, orders[0]]):
            changed = [i for i in range(5) if first[i] != second[i]]
            assert len(changed) == 2 and changed[1] == changed[0] + 1


def test_planar() -> None:
    assert planar(np.array([[1, 2], [1, 3]])).tolist() == [[1, 2], [1, 3]]
    with pytest.raises(InputError, match=r"W has shape \(2, 3\); expected two columns"):
        planar(np.array([[1, 2, 3], [2, 3, 4]]))


@pytest.mark.parametrize(
    ("name", "panels"), [("shortened-row", (0, 3)), ("translations", (0, 1, 2))]
)
def test_axes_of_panels_that_are_compared_are_equal(drawn: Any, name: str, panels: Any) -> None:
    axes = [drawn[name].axes[k] for k in panels]
    assert len({(ax.get_xlim(), ax.get_ylim()) for ax in axes}) == 1


def test_hatched_sectors_lie_between_the_ties_of_the_sides(drawn: Any) -> None:
    assert "0 and 1 tie first if the lines meet on the left, 2 and 3 if" in (
        drawn["bjorner"].get_supxlabel()
    )
    for W, other, first, last in ((W1, W2, {0, 1}, {2, 3}), (W2, W1, {2, 3}, {0, 1})):
        around = [tuple(region.order) for region in ranking_regions(ScoreModel(np.array(W)))]
        for order in naive.rankings(W) - naive.rankings(other):
            k = around.index(order)
            for beside, pair in ((around[k - 1], first), (around[(k + 1) % len(around)], last)):
                assert {i for i, j in zip(order, beside, strict=True) if i != j} == pair
