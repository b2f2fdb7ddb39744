"""The argument ``within`` means one thing in all functions that have it."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arrangements import Arrangement, Polyhedron, chambers, feasible, feasible_many, rankings
from arrangements.errors import InputError
from arrangements.optimize import best_ranking
from arrangements.public import MODULE, find

W = np.array([[3, 1, 0], [1, 2, 1], [0, 1, 4], [2, 2, 0]])
A, C = np.array([[1, -2, 0], [0, 1, -1], [0, 0, 1]]), np.array([-1, 1, 3])

# What functions need but W.
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "feasible": ("++*-",),
    "feasible_many": ([[1, 1, None, -1], [1, 1, 1, 1]],),
    "iter_faces": (2,),
    "neighbors": ("++++",),
    "chamber_distance": ("++++", "++++"),
    "chamber_distances": ("++++",),
    "top_k_sets": (2,),
    "top_k_rankings": (2,),
    "can_be_top": ([[0], [1, 2]],),
    "tie_set": ([0, 1],),
    "best_chamber": ([1, -2, 3, -1],),
    "best_ranking": ([3, 1, 0, 2],),
    "sample_chambers": (5,),
    "compare": (W[::-1],),
    "fold_chambers": (lambda block: len(block), lambda a, b: a + b),
    "fold_rankings": (lambda block: len(block), lambda a, b: a + b),
}
QUESTIONS = [
    name
    for name in MODULE
    if inspect.isfunction(find(name))
    and "within" in inspect.signature(find(name)).parameters
    and "network" not in inspect.signature(find(name)).parameters
    and not name.startswith(("plot_", "write_", "explore"))
    and name != "binary_quadratic"  # whose polyhedron is one of sign vectors
]


def ask(name: str, rows: Any, within: Any, **options: Any) -> Any:
    """An answer that can be compared."""
    arguments = ARGUMENTS.get(name, ())
    options |= {"sample_chambers": {"rng": 0}, "compare": {"outputs": "rankings"}}.get(name, {})
    found = find(name)(rows, *arguments, within=within, **options)
    if inspect.isgenerator(found) or name.startswith("iter_"):
        found = list(found)
    if hasattr(found, "edges") and hasattr(found, "nodes"):
        return sorted(map(str, found.nodes(data=True))), sorted(map(str, found.edges(data=True)))
    if hasattr(found, "to_array"):
        return found.to_array().tolist()
    if hasattr(found, "to_dict"):
        return found.to_dict()
    return [str(part) for part in found] if isinstance(found, (list, tuple)) else str(found)


@pytest.mark.sampled(11)
@pytest.mark.parametrize("name", QUESTIONS)
def test_simplex_is_a_polyhedron(name: str) -> None:
    answers = [ask(name, W, within) for within in ("simplex", Polyhedron.simplex(3))]
    assert answers[0] == answers[1]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", QUESTIONS)
def test_columns_go_by_names(name: str) -> None:
    pandas = pytest.importorskip("pandas")
    columns, order = ["x", "y", "z"], ["z", "x", "y"]
    rows, left = pandas.DataFrame(W, columns=columns), pandas.DataFrame(A, columns=columns)
    if name == "compare":  # of two models
        pytest.skip("columns of both models are compared elsewhere")
    assert ask(name, rows, (left[order], C)) == ask(name, rows, (A, C))
    with pytest.raises(InputError, match=r"'y', a label of the columns of W, is not in"):
        ask(name, rows, (left.rename(columns={"y": "v"}), C))


@pytest.mark.parametrize("name", QUESTIONS)
def test_other_values_are_refused(name: str) -> None:
    for within, message in (
        ("cube", "within is 'cube'; expected a Polyhedron.*'simplex' for Polyhedron.simplex"),
        ((A, C, (A, C)), r"for equations too, Polyhedron\(A, c, equations=\(E, f\)\)"),
        ((A, None), r"within\[1\] is None; expected a matrix and a vector"),
        ((None, C), r"within\[0\] is None"),
        (Polyhedron.simplex(4), "expected one in dimension 3"),
    ):
        with pytest.raises(InputError, match=message):
            ask(name, W, within)


# ------------------------------------------------------------------ with a rank

FACTOR = np.array([[1, 0], [0, 1], [1, 1], [1, -1], [2, 1]])
ROUNDED = FACTOR @ np.random.default_rng(0).normal(size=(2, 4))
LOW: list[Callable[..., Any]] = [
    lambda W, **options: chambers(W, **options).to_array().tolist(),
    lambda W, **options: rankings(W, **options).to_array().tolist(),
    lambda W, **options: feasible(W, "++*+-", **options).feasible,
    lambda W, **options: feasible_many(W, on=[[0], [1, 2]], **options).feasible.tolist(),
    lambda W, **options: best_ranking(W, [0, 1, 2, 3, 4], **options).value,
]


@pytest.mark.parametrize("question", LOW)
def test_rows_of_low_rank_have_their_own_coordinates(question: Callable[..., Any]) -> None:
    whole = FACTOR @ np.array([[1, 2, 0, 1], [0, 1, 3, -1]])
    P = Polyhedron.simplex(4)
    assert question(whole, rank=2, within=P) == question(whole, within=P)
    with pytest.raises(InputError, match="within was given with rank=2.*in other coordinates"):
        question(ROUNDED, rank=2, within=P)


def test_equations_of_low_rank() -> None:
    with pytest.raises(InputError, match="equations was given with rank=2"):
        feasible(ROUNDED, "++*+-", rank=2, equations=([[1, 1, 1, 1]], [1]))
    whole = FACTOR @ np.array([[1, 2, 0, 1], [0, 1, 3, -1]])
    found = feasible(whole, "++*+*", rank=2, equations=([[1, 1, 1, 1]], [1]))
    assert found.feasible and found.verify()


def test_a_model_of_few_columns_remembers_its_names() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(W, columns=["x", "y", "z"])
    left = pandas.DataFrame(A, columns=["x", "y", "z"])[["y", "z", "x"]]
    right = rankings(W, within=(A, C), rank=3)
    assert rankings(table, within=(left, C), rank=3) == right
    assert rankings(Arrangement(table), within=(left, C)) == right
