"""Optima inside a polyhedron, compared with all that lie in it, which linear programs list."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from arrangements import (
    Arrangement,
    NumberField,
    Polyhedron,
    best_chamber,
    chambers,
    count_chambers,
    rankings,
)
from arrangements.errors import InputError, TiedLabelsError
from arrangements.optimize import best_ranking, max_feasible, place_range
from arrangements.optimize.objectives import Costs

W = [[1, 0], [0, 1], [1, 1], [1, -2]]
A, C = np.array([[-1, 0], [1, 1], [0, -1]]), np.array([0, 3, 1])


def some_polyhedron(rng: np.random.Generator, d: int, kind: int) -> Polyhedron:
    """Bounded, unbounded, flat, with lines, or with redundant rows; perhaps empty."""
    q = int(rng.integers(1, 6))
    rows, right = rng.integers(-3, 4, (q, d)), rng.integers(-1, 5, q)
    if kind == 0:
        return Polyhedron(rows, right)
    if kind == 1:
        equation = rng.integers(-2, 3, (1, d)), rng.integers(-1, 2, 1)
        return Polyhedron(rows, right, equations=equation)
    if kind == 2:
        return Polyhedron.box(0, 1, dimension=d)
    if kind == 3:
        return Polyhedron.hull(rng.integers(-3, 4, (int(rng.integers(1, d + 3)), d)))
    return Polyhedron.cone(rng.integers(-2, 3, (2, d)))


def some_question(seed: int) -> tuple[Any, Any, Polyhedron, np.random.Generator]:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 9)), int(rng.integers(1, 5))
    rows = rng.integers(-3, 4, (n, d))
    rows = rows[rows.any(axis=1)]
    offsets = rng.integers(-3, 4, len(rows)) if seed % 2 else None
    return rows, offsets, some_polyhedron(rng, d, seed % 5), rng


def inside(rows: Any, offsets: Any, P: Polyhedron) -> Any:
    return chambers(rows, offsets, within=P, method="incremental").to_array()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(60))
def test_costs(seed: int) -> None:
    rows, offsets, P, rng = some_question(seed)
    n = len(rows)
    costs = rng.integers(-5, 6, (2, n)) if seed % 3 else rng.standard_normal(n)
    options: dict[str, Any] = {"offsets": offsets, "within": P}
    found = inside(rows, offsets, P)
    if not len(found):
        for method in ("auto", "sweep", "bounds"):
            with pytest.raises(InputError, match="in dimension ., empty|is 0 everywhere"):
                best_chamber(rows, costs, method=method, **options)
        return
    values = [Costs.of(costs, n).value(row) for row in found]
    for sense, best in (("min", min(values)), ("max", max(values))):
        for method in ("auto", "sweep", "bounds"):
            answer = best_chamber(rows, costs, method=method, sense=sense, **options)
            assert answer.value == answer.bound == best
            assert P.contains(np.array(answer.point, object), interior=True)
            assert answer.verify(optimal=True, max_hours=1)
        answer = best_chamber(rows, costs, sense=sense, count_best=True, workers=2, **options)
        assert answer.n_best == values.count(best) and answer.verify(optimal=True, max_hours=1)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(30))
def test_functions_of_chambers(seed: int) -> None:
    rows, offsets, P, rng = some_question(seed)
    found = inside(rows, offsets, P)
    if not len(found):
        return
    V = rng.integers(-3, 4, (len(rows), 2))

    def of_sums(sums: Any) -> Any:
        return sums[:, 0] ** 2 - sums[:, 1]

    def of_block(block: Any) -> Any:
        return of_sums(block.to_array().astype(int) @ V)

    values = of_sums(found.astype(int) @ V).tolist()
    options: dict[str, Any] = {"offsets": offsets, "within": P}
    for sense, best in (("min", min(values)), ("max", max(values))):
        of_statistic = best_chamber(
            rows, statistic=V, objective=of_sums, sense=sense, count_best=True, **options
        )
        of_step = best_chamber(rows, step=of_block, sense=sense, count_best=True, **options)
        for answer in (of_statistic, of_step):
            assert answer.value == best and answer.n_best == values.count(best)
            assert answer.verify(optimal=True, max_hours=1)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(30))
def test_most_rows_that_are_positive(seed: int) -> None:
    rows, offsets, P, rng = some_question(seed)
    found = inside(rows, offsets, P)
    weights = rng.integers(1, 5, len(rows))
    if not len(found):
        with pytest.raises(InputError, match="in dimension ., empty|is 0 everywhere"):
            max_feasible(rows, offsets, within=P)
        return
    best = max_feasible(rows, offsets, weights=weights, within=P)
    assert best.value == max((found > 0) @ weights) and best.verify(optimal=True, max_hours=1)
    assert P.contains(np.array(best.point, object), interior=True)
    conflicts = best.conflicts()
    assert conflicts.verify() and not conflicts.feasible.any()
    part = best.signs > 0
    for k, i in enumerate(best.left_out.tolist()):
        assert not ((found[:, part] > 0).all(axis=1) & (found[:, i] > 0)).any()
        assert conflicts[k].within == P


@pytest.mark.parametrize("method", ["sweep", "bounds"])
def test_many_rows(method: str) -> None:
    rng = np.random.default_rng(0)
    rows, offsets = rng.integers(-9, 10, (70, 3)), rng.integers(-9, 10, 70)
    costs, P = rng.integers(-5, 6, 70), Polyhedron.box(0, Fraction(1, 3), dimension=3)
    expected = min((inside(rows, offsets, P) > 0) @ costs)
    found = best_chamber(rows, costs, offsets=offsets, within=P, method=method, workers=2)
    assert found.value == expected and found.verify()


def test_a_proof_that_is_no_proof() -> None:
    P = Polyhedron.box(-1, 0, dimension=2)
    inner, outer = (best_chamber(W, [1, 1, 1, 1], within=Q) for Q in (P, None))
    object.__setattr__(inner, "certificate", outer.certificate)
    assert inner.verify() == P.contains(np.array(outer.point, object), interior=True)
    moved = best_chamber(W, [1, 1, 1, 1], within=([[1, 0]], [-5]))
    object.__setattr__(inner, "certificate", moved.certificate)
    assert not inner.verify()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(40))
def test_rankings_and_places(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    rows = np.unique(rng.integers(-3, 4, (n, d)), axis=0)
    offsets = rng.integers(-2, 3, len(rows)) if seed % 2 else None
    n, P = len(rows), some_polyhedron(rng, d, seed % 5)
    options: dict[str, Any] = {"offsets": offsets, "within": P}
    orders = rankings(rows, **options).to_array().tolist()
    reference, gains = rng.permutation(n).tolist(), rng.integers(0, 4, n).tolist()
    discounts = rng.integers(-2, 4, n).tolist()
    if not orders:
        for question in (
            lambda: place_range(rows, **options),
            lambda: best_ranking(rows, reference, **options),
            lambda: best_ranking(rows, gains=gains, discounts=discounts, **options),
        ):
            with pytest.raises((InputError, TiedLabelsError), match="empty|the same score"):
                question()
        return
    places = np.argsort(orders, axis=1)
    assert place_range(rows, **options).tolist() == [
        [min(column), max(column)] for column in places.T.tolist()
    ]

    def distance(order: list[int]) -> int:
        return sum(
            (order.index(i) < order.index(j)) != (reference.index(i) < reference.index(j))
            for i in range(n)
            for j in range(i)
        )

    nearest = best_ranking(rows, reference, **options)
    assert nearest.value == min(map(distance, orders)) == distance(nearest.order.tolist())
    values = [sum(gains[i] * c for i, c in zip(order, discounts, strict=True)) for order in orders]
    largest = best_ranking(rows, gains=gains, discounts=discounts, workers=2, **options)
    assert largest.value == max(values)
    for found in (nearest, largest):
        assert found.order.tolist() in orders and found.certificate.verify()
        assert P.contains(np.array(found.point, object), interior=True)


def test_irrational_polyhedra() -> None:
    root = NumberField([-2, 0, 1], (1, 2)).generator
    P = Polyhedron(np.array([[root, 1], [-1, 0]], object), [1, root])
    rows, costs = [[1, 2], [1, -1], [2, 1]], [1, -2, 3]
    expected = min((inside(rows, [1, 0, 2], P) > 0) @ costs)
    for method in ("sweep", "bounds"):
        found = best_chamber(rows, costs, offsets=[1, 0, 2], within=P, method=method)
        assert found.value == expected and found.verify(optimal=True)
    line = Polyhedron(np.zeros((0, 2), int), [], equations=([[1, 0]], np.array([root], object)))
    found = best_chamber(rows, costs, within=line)
    assert found.value == min((inside(rows, None, line) > 0) @ costs)
    assert found.point[0] == root and found.verify() and "point (theta, " in str(found.certificate)


FORMS = (
    [[1, 0], [0, 1]],
    ([1, 0], [0, 1]),
    ([1], [3]),
    np.eye(2),
    np.eye(3, 2),
    Arrangement([[1, 0], [0, 1]]),
    Arrangement([[1, 0], [0, 1]], [1, 1]),
)


@pytest.mark.parametrize("within", FORMS)
@pytest.mark.parametrize(
    "question",
    [
        lambda within: chambers(W, within=within),
        lambda within: best_chamber(W, [1, 2, 3, 4], within=within),
        lambda within: place_range(W, within=within),
        lambda within: best_ranking(W, [0, 1, 2, 3], within=within),
    ],
)
def test_rows_that_shall_be_positive(question: Callable[[Any], Any], within: Any) -> None:
    with pytest.raises(InputError, match=r"a pair \(A, c\).*pass \(-A, b\)"):
        question(within)


@pytest.mark.parametrize("within", [(A, C), [A, C], (A.tolist(), C.tolist()), Polyhedron(A, C)])
def test_one_meaning(within: Any) -> None:
    costs = np.array([5, -2, 1, 3])
    listed = chambers(W, within=within).to_array()
    assert best_chamber(W, costs, within=within).value == min((listed > 0) @ costs)
    R = Arrangement([[1, 1], [1, -1]], [-1, 2])
    assert R.offsets is not None
    positive = (-R.normals, R.offsets)  # as the message says
    listed = chambers(W, within=positive).to_array()
    assert best_chamber(W, costs, within=positive).value == min((listed > 0) @ costs)


def test_no_chamber() -> None:
    with pytest.raises(InputError, match=r"in dimension 2, empty\); expected one that has a point"):
        best_chamber(W, [1, 1, 1, 1], within=([[1, 0], [-1, 0]], [0, -1]))
    with pytest.raises(InputError, match=r"within\[0\] has shape \(1, 1\); expected \(q, 2\)"):
        best_chamber(W, [1, 1, 1, 1], within=([[1]], [1]))
    flat = Polyhedron([[0, 1], [0, -1]], [0, 0])
    with pytest.raises(InputError, match="on which row 1 is 0 everywhere.*Leave out the row"):
        best_chamber(W, [1, 1, 1, 1], within=flat)
    with pytest.raises(TiedLabelsError, match="labels a and b have the same score at every point"):
        place_range([[1, 0], [1, 1], [2, 3]], labels=list("abc"), within=flat)
    with pytest.raises(InputError, match="within was given with rank=1"):
        best_ranking([[1.0, 0.5], [0.5, 1.0], [0.25, 2.0]], [0, 1, 2], rank=1, within="simplex")


def test_without_rows() -> None:
    nothing = np.zeros((0, 2), int)
    assert best_chamber(nothing, [], within=(A, C)).value == 0
    assert place_range([[1, 2]], within="simplex").tolist() == [[0, 0]]
    assert best_ranking([[1, 2]], [0], within=(A, C)).value == 0


def test_a_small_part_of_many_chambers() -> None:
    rows = np.random.default_rng(0).integers(-99, 100, (150, 6))
    P = Polyhedron.box(Fraction(1, 2), Fraction(501, 1000), dimension=6)
    found = best_chamber(rows, np.ones(150, int), offsets=np.full(150, 3), within=P)
    assert found.method == "sweep" and found.verify()
    assert count_chambers(rows, np.full(150, 3), within=P) < 2**20
