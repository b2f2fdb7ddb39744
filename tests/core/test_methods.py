"""Methods of an Arrangement are the public questions about one arrangement."""

import inspect
import subprocess
import sys

import pytest
from everything import PUBLIC

import arrangements
from arrangements import Arrangement, generators
from arrangements.core.methods import NAMES

METHODS = set(NAMES.split())
# Public functions of one matrix that are no methods, and why.
NO_METHODS = {
    "audit": "a report about a model, its names and its label sets",
    "sign_pattern": "what the paper calls chambers",
    "ranking_pattern": "what the paper calls rankings",
    "cosine_matrix": "about rows as vectors: offsets do not count",
    "difference_cosine_matrix": "about rows as vectors: offsets do not count",
    "rounded_cosine_matrix": "about rows as vectors: offsets do not count",
    "rounded_difference_cosine_matrix": "about rows as vectors: offsets do not count",
    "equivalent_models": "makes other weights of a softmax classifier",
    "equivalent_softmax": "makes other weights of a softmax classifier",
    "has_common_point": "an attribute: A.has_common_point",
    "low_rank_structure": "about numbers that are rounded; what was found is A.low_rank",
}


def test_every_question_about_one_arrangement_is_a_method() -> None:
    asked = {
        name
        for name, function in PUBLIC.items()
        if inspect.isfunction(function)
        and next(iter(inspect.signature(function).parameters), "") in ("W", "arrangements")
    }
    assert asked == METHODS | set(NO_METHODS) and not METHODS & set(NO_METHODS)


def test_methods_show_what_they_take() -> None:
    A = generators.braid(3)
    assert list(inspect.signature(A.f_vector).parameters) == [
        "rank",
        "within",
        "workers",
        "progress",
        "max_hours",
    ]
    assert list(inspect.signature(A.chamber_distance).parameters) == [
        *("first", "second", "rank", "within")
    ]
    assert list(inspect.signature(A.union).parameters) == ["arrangements"]
    assert A.f_vector.__qualname__ == "Arrangement.f_vector"
    first, _, last = A.f_vector.__doc__.strip().split("\n")
    assert first == arrangements.f_vector.__doc__.split("\n")[0]
    assert last == "See `arrangements.f_vector` for the parameters."


def test_methods_answer() -> None:
    A = generators.semiorder(3)
    assert A.f_vector() == arrangements.f_vector(A)
    assert A.count_bounded() == arrangements.algebra.count_bounded(A) == 7
    assert A.whitney_numbers(kind=2) == arrangements.algebra.whitney_numbers(A, kind=2)
    assert A.chamber_distance("+" * 6, "-" * 6) == 6
    assert A.sign_vector_at([0, 0, 0]).tolist() == [1, 1, 1, -1, -1, -1]
    assert A.simplify().rows == arrangements.structure.simplify(A).rows == (0, 1, 2, 3, 4, 5)
    labels = Arrangement([[0, 0], [1, 0], [0, 1], [1, 1]][1:], labels="abc")
    assert labels.rankings().names(0) in labels.rankings()
    assert labels.oriented_matroid() == arrangements.OrientedMatroid.from_matrix(labels)


def test_offsets_are_those_of_the_arrangement() -> None:
    A = generators.braid(3)
    for call in (
        lambda: A.chambers(offsets=[1, 2, 3]),
        lambda: A.tie_set([0, 1], [1, 2, 3]),
        lambda: A.chambers([1, 2, 3]),
        lambda: A.ranking_graph(offsets=[1, 2, 3]),
    ):
        with pytest.raises(TypeError, match="too many positional|unexpected keyword|offsets"):
            call()
    with pytest.raises(TypeError, match="missing a required argument|required positional"):
        A.feasible()


@pytest.mark.slow
def test_methods_need_no_docstrings() -> None:
    code = "from arrangements import Arrangement as A; print(A([[1]]).sign_vector_at([2]))"
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("[1]\n", 0), done.stderr
