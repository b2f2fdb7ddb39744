"""Conventions that hold for all public names: the address of classes, and signatures."""

import inspect
import pickle
from importlib import import_module
from typing import get_type_hints

import pytest
from everything import PUBLIC

import arrangements
from arrangements import Arrangement, Rankings, SignVectors
from arrangements.errors import InputError
from arrangements.public import HOME, address

CLASSES = {name: found for name, found in PUBLIC.items() if inspect.isclass(found)}


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_is_known_by_its_public_name(name: str) -> None:
    found = CLASSES[name]
    home = import_module(f"arrangements.{HOME[name]}")
    assert (found.__module__, found.__qualname__) == (address(name), name)
    assert getattr(import_module(address(name)), name) is found
    assert getattr(home, name) is found
    assert pickle.loads(pickle.dumps(found)) is found
    # as a pickle by the module where it stands has it
    assert pickle.loads(f"c{home.__name__}\n{name}\n.".encode()) is found


@pytest.mark.parametrize("name", ["Arrangement", "Derived", "Flats", "Rankings", "TieSet"])
def test_hints_of_attributes_are_types(name: str) -> None:
    """Also where they are written as text, in terms of the file where the class stands."""
    assert get_type_hints(CLASSES[name])


def test_pickles_name_no_file() -> None:
    for value in (
        SignVectors.from_array(["+-"]),
        Rankings.from_array([[0, 1]]),
        arrangements.feasible([[1]], "+"),
        arrangements.structure.simplify([[1]]),
        arrangements.flats([[1]]),
        arrangements.structure.tie_set([[1], [2]], 0),
        InputError("k is 0."),
    ):
        assert f"c{address(type(value).__name__)}\n".encode() in pickle.dumps(value, 0)
        copy = pickle.loads(pickle.dumps(value))
        assert type(copy) is type(value) and repr(copy) == repr(value)
    A = Arrangement([[1, 2]], [3], ["a"])
    assert pickle.loads(pickle.dumps(A)) == A


# ------------------------------------------------------------------ signatures

FUNCTIONS = {name: found for name, found in PUBLIC.items() if inspect.isfunction(found)}
SIGNATURES = {name: inspect.signature(found) for name, found in FUNCTIONS.items()}
# Keywords in the order in which functions name them: what is asked, about what, what is answered,
# how, and how much of it.
KEYWORDS = [
    *("W", "offsets"),
    *("step", "statistic", "objective"),
    *("sense", "minimize", "strict", "weights", "fit_intercept", "normalized", "domain", "ones"),
    *("gains", "discounts", "references"),
    *(
        "by",
        "color_by",
        "size",
        "method",
        "ordered",
        "point",
        "show",
        "plane",
        "rank",
        "on",
        "ranking",
        "signs",
        "minus",
        "decreasing",
        "norm",
        "apart",
        "others",
        "oriented",
        "tries",
        "multiplicities",
        "up_to",
        "uniform",
        "exclude_sandwiched",
        "kind",
        "rankings",
        "max_rank",
    ),
    *("variables", "affine", "field"),
    "all_optimal",
    *("centered", "k", "inputs", "ties", "labels", "candidates", "named"),
    *("sets", "pairs", "sigmoid", "repairs", "leads", "radius", "tolerance", "source"),
    *("equations", "within", "assume_generic", "prune", "symmetry", "avoid", "bias"),
    "count_best",
    *(
        "depths",
        "colors",
        "limits",
        "width",
        "ax",
        "fig",
        "sample",
        "rng",
        "n",
        "d",
        "samples",
        "points",
        "most_listed",
    ),
    "examples",
    *(
        "repair",
        "rows_per_part",
        "name",
        "checkpoint",
        "transcript",
        "primes",
        "device",
        "workers",
        "client",
        "progress",
    ),
    *("resume", "statements"),
    *("limit", "block_size", "max_bytes", "max_hours", "time_limit"),
]
# Functions of W that do not ask about its sign vectors or rankings: numbers, and what is made of
# them. Their answers would be in other coordinates.
NO_RANK = {
    *("change_of_basis", "cone", "decone", "deletion", "essentialization", "localization"),
    *("restriction", "simplify", "sign_vector_at"),
    *("zonotope", "plot_polyhedron", "plot_zonotope", "center"),
    *("to_sage", "to_macaulay2", "to_polymake", "to_oscar"),
    *("defining_polynomial", "reduction_modulo", "is_good_reduction", "count_points_modulo"),
    *(
        "cosine_matrix",
        "difference_cosine_matrix",
        "rounded_cosine_matrix",
        "rounded_difference_cosine_matrix",
        "equivalent_models",
        "equivalent_softmax",
    ),
    "leads",
}


def keywords(name: str) -> dict[str, inspect.Parameter]:
    found = SIGNATURES[name].parameters
    return {key: p for key, p in found.items() if p.kind is p.KEYWORD_ONLY}


def positional(name: str) -> list[str]:
    found = SIGNATURES[name].parameters
    return [key for key, p in found.items() if p.kind is p.POSITIONAL_OR_KEYWORD]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_come_in_one_order(name: str) -> None:
    """W, what the question is about, offsets; the rest by name."""
    given = positional(name)
    # an answer that is written may know what it is about
    assert "W" not in given[1:] and ("W" not in keywords(name) or name == "write_certificate")
    if "offsets" in given:
        assert given[0] in ("W", "Ws") and given[-1] == "offsets"
        assert SIGNATURES[name].parameters["offsets"].default is None
    named = list(keywords(name))
    assert sorted(named, key=KEYWORDS.index) == named
    kinds = {p.kind for p in SIGNATURES[name].parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds, "which keywords are taken is to be seen"


def test_a_keyword_has_one_default() -> None:
    for key in KEYWORDS:
        defaults = {
            repr(keywords(name)[key].default) for name in FUNCTIONS if key in keywords(name)
        }
        assert len(defaults) == 1, f"{key}: {defaults}"


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if positional(name)[:1] == ["W"]])
def test_keywords_that_belong_together(name: str) -> None:
    own = set(keywords(name))
    assert ("rank" in own) == (name not in NO_RANK | {"low_rank_structure"})
    if "ties" in own or "candidates" in own:  # the rows are labels
        assert "labels" in own
    if "workers" in own:
        assert "progress" in own
    if "progress" in own:
        assert own & {"limit", "max_bytes", "max_hours", "time_limit"}
    if "limit" in own:
        assert own & {"max_bytes", "block_size"}
    if name.startswith("iter_"):
        assert "block_size" in own
    assert not {"max_bytes", "max_hours"} <= own


@pytest.mark.parametrize("name", ["argmax_labels", "top_k_sets", "top_k_rankings", "top_ties"])
def test_tops_can_be_asked_side_by_side(name: str) -> None:
    """Several threads give the same answer in the same order."""
    W = arrangements.generators.generic(40, 3, 5)
    ask = PUBLIC[name]
    own = [3] if "k" in positional(name) else []
    assert (ask(W, *own, workers=3) == ask(W, *own)).all()
    with pytest.raises(InputError, match="workers is 0; expected a positive integer|at least 1"):
        ask(W, *own, workers=0)
