"""Rows of the last linear layers of PyTorch and Keras, and what enters them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from arrangements.errors import InputError
from arrangements.exact import coercion
from arrangements.heads.head import Head, exact_rows

# Layers after the last linear one that keep the order of the scores, and where these are 0.
_MONOTONE = ("softmax", "logsoftmax", "log_softmax", "sigmoid", "tanh", "logsigmoid", "linear")
# Layers that let their inputs pass while a model predicts.
_IDLE = (
    *("Identity", "Dropout", "Flatten", "InputLayer", "SpatialDropout1D", "GaussianDropout"),
    *("GaussianNoise", "ActivityRegularization", "Reshape", "Unflatten"),
)
_ACTIVATIONS = ("relu", "relu6", "softplus", "sigmoid", "tanh", "softmax")


def is_layer(value: Any) -> bool:
    """Tell if this is a layer or a model of PyTorch or Keras, or has the weights of a layer."""
    if isinstance(value, type):
        return False
    pytorch = hasattr(value, "forward") and hasattr(value, "named_modules")
    keras = hasattr(value, "call") and hasattr(value, "get_config")
    return pytorch or keras or _matrix(value) is not None


def read_layer(model: Any, name: str) -> Head:
    """The rows of the last linear layer of a model; `name` is that of the argument in messages."""
    layers = _leaves(model)
    while layers and _passes(layers[-1]):
        layers.pop()
    last = layers.pop() if layers else model
    activation = _activation(last)
    if activation not in ("", *_MONOTONE) and (last is not model or _matrix(last) is not None):
        raise InputError(
            f"{name} is a {type(model).__name__} that ends in {activation}, so that scores are "
            "lost; pass its last linear layer."
        )
    if _matrix(last) is None:
        raise InputError(_no_matrix(model, last, name))
    while layers and type(layers[-1]).__name__ in _IDLE:
        layers.pop()
    title, make = type(model).__name__, partial(_rows, last)
    if not layers:
        return Head(title, make)
    kind = _activation(layers[-1]) or type(layers[-1]).__name__
    lower = kind.lower()
    return Head(
        title,
        make,
        inputs=f"the outputs of {kind}",
        range=lower if lower in _ACTIVATIONS else "",
        is_inner=True,
    )


def _leaves(model: Any) -> list[Any]:
    """Layers in their order, if a model is a sequence of them; else the model itself."""
    parts = getattr(model, "layers", None)  # of Keras
    if not isinstance(parts, list):
        sequence = hasattr(model, "forward") and hasattr(model, "__len__")
        parts = list(model) if sequence and hasattr(model, "__getitem__") else None
    if parts is None:
        return [model]
    return [leaf for part in parts for leaf in _leaves(part)]


def _passes(layer: Any) -> bool:
    """Tell if a layer at the end changes no order of the scores."""
    kind = type(layer).__name__
    if kind in _IDLE or (kind.lower() in _MONOTONE and _matrix(layer) is None):
        return True
    return kind == "Activation" and _activation(layer) in _MONOTONE


def _activation(layer: Any) -> str:
    """Name of the function that a layer of Keras applies, or that a layer of PyTorch is."""
    function = getattr(layer, "activation", None)
    if function is not None:
        return str(getattr(function, "__name__", type(function).__name__))
    return "" if _matrix(layer) is not None else type(layer).__name__


def _matrix(layer: Any) -> Callable[[], Any] | None:
    """What makes the matrix of a layer, a row for each score; None if it has none."""
    for attribute, turned in (("weight", False), ("kernel", True)):
        found = getattr(layer, attribute, None)
        if coercion.axes_of(found) == 2:
            return partial(_array, found, turned)
    return None


def _array(weights: Any, turned: bool) -> Any:
    found = np.asarray(coercion.from_tensor(weights))
    return found.T if turned else found


def _rows(layer: Any) -> Any:
    make, bias = _matrix(layer), getattr(layer, "bias", None)
    assert make is not None
    return exact_rows(make(), None if bias is None or bias is False else bias, "weight")


def _no_matrix(model: Any, last: Any, name: str) -> str:
    """Why a model has no rows, with the names of layers that have."""
    text = f"{name} is a {type(model).__name__}"
    if hasattr(last, "units"):
        return f"{text} whose last layer has no weights yet; build the model first."
    modules = model.named_modules() if hasattr(model, "named_modules") else ()
    linear = [title for title, module in modules if title and _matrix(module) is not None]
    advice = f", such as {name}.{linear[-1]}" if linear else ", such as model.lm_head"
    return (
        f"{text} without a matrix `weight`; expected a layer like torch.nn.Linear. Of a whole "
        f"model pass the last layer{advice}."
    )
