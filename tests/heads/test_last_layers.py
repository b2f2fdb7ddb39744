"""Layers and models of PyTorch and Keras, played by classes of the same attributes."""

import inspect
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest

import arrangements
from arrangements import Polyhedron, argmax_labels, audit, can_be_top, chambers, rankings
from arrangements.core.rows import read_rows
from arrangements.errors import InputError
from arrangements.heads.reading import read_head
from arrangements.models import SigmoidClassifier, SoftmaxClassifier
from arrangements.public import HOME, find

W = np.array([[2.0, 1.0], [0.0, 1.0], [-1.0, -1.0], [2.0, -1.0]], np.float32)
B = np.array([1.0, 0.0, 0.5, -2.0], np.float32)


class Module:
    """What torch.nn.Module has."""

    def forward(self, x: Any) -> Any: ...

    def named_modules(self) -> Any:
        yield "", self
        for name, part in vars(self).items():
            if isinstance(part, Module):
                yield name, part


class Linear(Module):
    def __init__(self, weight: Any = W, bias: Any = B) -> None:
        self.weight, self.bias = weight, bias


class Sequential(Module):
    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, i: int) -> Any:
        return self.parts[i]


class ReLU(Module): ...


class GELU(Module): ...


class Dropout(Module): ...


class LogSoftmax(Module): ...


class Net(Module):
    def __init__(self) -> None:
        self.first, self.act, self.fc = Linear(np.eye(2), None), ReLU(), Linear()


class Layer:
    """What keras.layers.Layer has."""

    def call(self, x: Any) -> Any: ...

    def get_config(self) -> Any: ...


def relu() -> None: ...


def linear() -> None: ...


def softmax() -> None: ...


class Dense(Layer):
    def __init__(self, kernel: Any = W.T, bias: Any = B, activation: Any = linear) -> None:
        self.kernel, self.bias, self.activation = kernel, bias, activation


class Model(Layer):
    def __init__(self, *layers: Any) -> None:
        self.layers = list(layers)

    def fit(self) -> None: ...

    def predict(self) -> None: ...


class InputLayer(Layer): ...


LAST = (
    Linear(),
    Sequential(Linear(np.eye(2), None), ReLU(), Linear()),
    Sequential(Sequential(ReLU(), Dropout(), Linear()), LogSoftmax()),
    Dense(),
    Model(InputLayer(), Dense(np.eye(2), None, relu), Dense(activation=softmax)),
    Model(Model(Dense(np.eye(2), None, relu)), Dropout(), Dense()),
    SimpleNamespace(weight=W, bias=B),
)


@pytest.mark.parametrize("model", LAST, ids=lambda model: type(model).__name__)
def test_the_last_layer(model: Any) -> None:
    rows = read_rows(model, labels="abcd")
    assert (rows.weights == W).all() and (rows.offsets == B).all() and rows.labels == tuple("abcd")
    assert chambers(model) == chambers(W, B)
    assert rankings(model) == rankings(W, B)
    assert argmax_labels(model).tolist() == argmax_labels(W, B).tolist()
    assert can_be_top(model).feasible.tolist() == can_be_top(W, offsets=B).feasible.tolist()
    for kind in (SoftmaxClassifier, SigmoidClassifier):
        assert kind.from_module(model) == kind(model) == kind(W, B)


def test_what_enters_the_last_layer() -> None:
    expected = (
        "the outputs of {} (any x counts here; within=Polyhedron.box(0, None, dimension=2) "
        "confines x)"
    )
    for model, name in ((LAST[1], "ReLU"), (LAST[2], "ReLU"), (LAST[4], "relu"), (LAST[5], "relu")):
        found = audit(model)
        assert found.facts["inputs"] == expected.format(f"{name}, which are >= 0")
        assert expected.format(f"{name}, which are >= 0") in found.summary()
        inside = audit(model, within=Polyhedron.box(0, None, dimension=2))
        assert "inputs" not in inside.facts and inside.can_win.sum() < found.can_win.sum()
    assert audit(Sequential(GELU(), Linear())).facts["inputs"] == "the outputs of GELU"
    assert "inputs" not in audit(Linear()).facts


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Net(), r"a Net without a matrix `weight`.*pass the last layer, such as \w+\.fc\."),
        (Sequential(Linear(), ReLU()), "a Sequential that ends in ReLU, so that scores are lost"),
        (Dense(activation=relu), "a Dense that ends in relu"),
        (Model(Dense(kernel=None)), "whole model pass the last layer, such as model.lm_head"),
        (Linear(np.zeros((2, 3, 1))), "without a matrix `weight`"),
    ],
    ids=["net", "sequential", "dense", "unbuilt", "bilinear"],
)
def test_models_without_a_last_linear_layer(model: Any, reason: str) -> None:
    for question in (audit, chambers, argmax_labels, SoftmaxClassifier.from_module):
        with pytest.raises(InputError, match=reason) as caught:
            question(model)
        assert "\n" not in str(caught.value)
    dense = Dense(kernel=None)
    dense.units = 3  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="no weights yet; build the model first"):
        audit(Model(dense))


def test_what_is_no_model() -> None:
    for value in (W, W.tolist(), SoftmaxClassifier(W), arrangements.Arrangement(W), 3, "W", Linear):
        assert read_head(value) is None


# Questions whose first parameter is a matrix, and what else they need for four rows in the plane.
MORE: dict[str, tuple[Any, ...]] = {
    "ziegler_restriction": (0,),
    "feasible": ("++--",),
    "feasible_many": (["++--"],),
    "sign_vector_at": ([1, 2],),
    "top_k_sets": (2,),
    "top_k_rankings": (2,),
    "best_chamber": ([1, 1, 1, 1],),
    "best_ranking": ([0, 1, 2, 3],),
    "low_rank_structure": (2,),
    "deletion": ([0],),
    "restriction": ([0],),
    "localization": ([0],),
    "mobius": ([], [0]),
    "nbc_sets": (1,),
    "reduction_modulo": (7,),
    "is_good_reduction": (7,),
    "count_points_modulo": (7,),
    "iter_faces": (1,),
    "chamber_polyhedron": ("++-+",),
    "neighbors": ("++-+",),
    "chamber_distance": ("++-+", "++--"),
    "chamber_distances": ("++-+",),
    "change_of_basis": ([[1, 1], [0, 1]],),
    "tie_set": ([0, 1],),
    "equivalent_softmax": ([1, 2],),
    "equivalent_models": (0, 1),
}
# Random answers and pictures; audits and files have tests of their own; these rows have no mirrors.
ELSEWHERE = (
    "plot",
    "write",
    "explore",
    "fold",
    "audit",
    "sample_chambers",
    "chamber_walk",
    "mirrors",
)
QUESTIONS = [
    name
    for name in HOME
    if callable(find(name))
    and not inspect.isclass(find(name))
    and list(inspect.signature(find(name)).parameters)[:1] == ["W"]  # type: ignore[arg-type]
]


def text(answer: Any) -> str:
    for method in ("to_array", "tolist", "to_dict"):
        if hasattr(answer, method):
            found = getattr(answer, method)()
            return str(found.tolist() if hasattr(found, "tolist") else found)
    if isinstance(answer, nx.Graph):
        return f"{sorted(map(str, answer.nodes))} {sorted(map(str, answer.edges))}"
    return str(getattr(answer, "poset", repr(answer)))


@pytest.mark.sampled(64)
@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_about_rows_takes_models(name: str) -> None:
    if name.startswith(ELSEWHERE):
        return
    question: Any = find(name)
    model = Linear(W.astype(int), None)
    found, expected = (question(rows, *MORE.get(name, ())) for rows in (model, model.weight))
    if hasattr(found, "__next__"):
        found, expected = list(found), list(expected)
    assert text(found) == text(expected)
