"""Layers one after the other: weights in files and dictionaries, and networks of scikit-learn."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.exact.coercion import axes_of, from_tensor
from arrangements.files.archives import Archive, Stored
from arrangements.files.formats import is_archive, read_archive
from arrangements.files.heads import find_bias, has_columns
from arrangements.heads.head import exact_rows, simplest
from arrangements.heads.pipelines import NotLinearError, flat_steps, names_of_kinds
from arrangements.heads.unions import linear_map
from arrangements.messages import quote, quote_path
from arrangements.networks.layer import Layer

# Arrays that are no weights of a chain of layers: statistics of normalization.
_STATISTICS = re.compile(r"(running_(mean|var)|num_batches_tracked|moving_(mean|variance))$")
# Files in which arrays are not in the order of layers.
_UNORDERED = (".safetensors", ".h5", ".hdf5", ".keras")
# Whose features enter a network of scikit-learn.
_NETWORKS = "expected an MLPClassifier or an MLPRegressor, or a pipeline that ends in one"


def read_weights(state: Any) -> list[Layer]:
    """The layers of a state dict, in its order."""
    if not isinstance(state, Mapping) or not all(isinstance(key, str) for key in state):
        raise InputError(
            f"state is {quote(state)}; expected a dictionary of names and arrays, such as "
            "module.state_dict()."
        )
    arrays = {}
    for key, value in state.items():
        array = np.asarray(from_tensor(value))
        arrays[key] = Stored(array.shape, partial(_itself, array))
    return _chain(Archive("state", arrays))


def _itself(array: NDArray[Any]) -> NDArray[Any]:
    return array


def read_weight_file(path: str) -> list[Layer]:
    """The layers of a file of arrays, in its order, or in that of their names."""
    if not is_archive(path) or os.path.isdir(path):
        raise InputError(
            f"{quote_path(path)} is no file of a network; expected an .onnx file, or weights in "
            ".pt, .safetensors, .npz, .h5 or .keras. In Python Network.from_module takes a module."
        )
    archive = read_archive(path)
    if Path(path).suffix.lower() in _UNORDERED:
        ordered = sorted(archive.arrays.items(), key=lambda item: _natural(item[0]))
        archive = Archive(archive.name, dict(ordered))
    return _chain(archive)


def _natural(key: str) -> list[tuple[int, str]]:
    """A name for sorting, by the numbers in it."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", key)]


def _chain(archive: Archive) -> list[Layer]:
    """All matrices, in their order, with their biases."""
    name, found, used = quote_path(archive.name), [], set[str]()
    for key, stored in archive.arrays.items():
        if _STATISTICS.search(key) or len(stored.shape) > 2:
            what = "of a normalization" if _STATISTICS.search(key) else f"of {stored.shape}"
            raise InputError(
                f"{name} has the array {quote(key)} {what}, and weights alone do not say what a "
                "network does with it; pass the module to Network.from_module, or export it with "
                "torch.onnx.export."
            )
        if len(stored.shape) != 2:
            continue
        bias = find_bias(archive, key)
        W = stored.load().T if has_columns(archive, key) else stored.load()
        b = None if bias is None else np.ravel(archive.arrays[bias].load())
        used |= {key} if bias is None else {key, bias}
        found.append(Layer(W, b))
    left = [key for key in archive.arrays if key not in used]
    if not found or left:
        problem = f"no layer takes {quote(left[0])}" if left else "it has no matrix"
        raise InputError(f"{name} is no chain of layers: {problem}; expected weights and biases.")
    return found


# ------------------------------------------------------------------ scikit-learn


def read_estimator_layers(fitted: Any) -> list[Layer]:
    """The layers of an MLP of scikit-learn, also of a pipeline that ends in one."""
    steps: list[tuple[int, str, Any]] = []
    if hasattr(fitted, "best_estimator_"):
        return read_estimator_layers(fitted.best_estimator_)
    if hasattr(fitted, "steps"):
        *steps, (_, _, fitted) = flat_steps(fitted)
    if not hasattr(fitted, "coefs_"):
        is_network = any(kind.startswith("MLP") for kind in names_of_kinds(fitted))
        text = "that is not fitted; call its fit first" if is_network else ""
        raise InputError(
            f"fitted is a {type(fitted).__name__}{text and ' '}{text or '; ' + _NETWORKS}."
        )
    if fitted.activation not in ("relu", "identity"):
        raise InputError(
            f"fitted has the activation {quote(fitted.activation)}, which is not piecewise "
            "linear; expected 'relu' or 'identity'."
        )
    pairs = zip(fitted.coefs_, fitted.intercepts_, strict=True)
    rows = [exact_rows(np.transpose(W), b, "coefs_") for W, b in pairs]
    W, b = rows[0]
    for number, title, step in reversed(steps):
        try:
            W, b = linear_map(step)(W, b)
        except NotLinearError as error:
            raise InputError(
                f"fitted is a Pipeline, whose step {title!r} ({type(step).__name__}) {error}; pass "
                f"fitted[{number + 1}:] for the network of what this step makes of the inputs."
            ) from None
    rows[0] = simplest(W), None if b is None else simplest(b)
    slope = 0 if fitted.activation == "relu" else 1
    return [Layer(W, b, slope=slope) for W, b in rows[:-1]] + [Layer(*rows[-1], slope=1)]


def check_input_shape(given: Sequence[int] | None) -> tuple[int, ...] | None:
    """The argument ``input_shape``: sizes of axes, without that of the batch."""
    if given is None:
        return None
    sizes: list[Any] = list(given) if axes_of(given) == 1 else [given]
    whole = all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in sizes)
    if not sizes or not whole or min(sizes) < 1 or prod(map(int, sizes)) >= 2**31:
        raise InputError(f"input_shape is {quote(given)}; expected sizes, such as (1, 28, 28).")
    return tuple(map(int, sizes))
