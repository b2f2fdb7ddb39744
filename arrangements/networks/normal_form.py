"""Layers that add outputs of earlier ones, as layers that take these as further inputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix
from arrangements.exact.numbers import ExactArray, as_objects
from arrangements.networks.layer import INPUT, Layer, Source


def normal_form(
    k: int, layer: Layer, before: Sequence[Layer]
) -> tuple[ExactArray, tuple[Source, ...]]:
    """Weights and inputs of layer k such that it adds nothing; check that it fits.

    Examples
    --------
    >>> weights, inputs = normal_form(1, Layer([[2]], add=["x"]), [Layer([[3]])])
    >>> weights.tolist(), inputs
    ([[2, 1]], (0, 'x'))
    """
    columns = layer.weights.shape[1]
    inputs = layer.inputs if layer.inputs is not None else ((k - 1) if k else INPUT,)
    for source in (*inputs, *layer.add):
        if source != INPUT and int(source) >= k:
            raise InputError(f"layers[{k}] takes layer {source}; expected an earlier one, or 'x'.")
    if k:
        d = before[0].weights.shape[1]
    else:
        d = columns
    sizes = [d if source == INPUT else before[int(source)].n_outputs for source in inputs]
    if sum(sizes) != columns:
        named = [_name(source) for source in inputs]
        expected = f"{sum(sizes)}, the number of {' and '.join(named)}"
        raise InputError(f"W of layers[{k}] has {columns} columns; expected {expected}.")
    weights = layer.weights
    for source in layer.add:
        n = d if source == INPUT else before[int(source)].n_outputs
        if n != layer.n_outputs:
            given = f"{layer.n_outputs} output{'s' * (layer.n_outputs != 1)}"
            raise InputError(
                f"layers[{k}] has {given} and adds the {n} {_name(source)}; expected the same "
                "number."
            )
        weights, inputs, sizes = _added(weights, inputs, sizes, source)
    return weights, inputs


def _name(source: Source) -> str:
    return "inputs of the network" if source == INPUT else f"outputs of layers[{source}]"


def _added(
    weights: ExactArray, inputs: tuple[Source, ...], sizes: list[int], source: Source
) -> tuple[ExactArray, tuple[Source, ...], list[int]]:
    """Weights and inputs with one more source, of as many outputs as there are rows, added."""
    n = len(weights)
    if source not in inputs:
        unit = np.eye(n, dtype=np.int64).astype(weights.dtype)
        return np.hstack([weights, unit]), (*inputs, source), [*sizes, n]
    start = sum(sizes[: inputs.index(source)])
    total = as_objects(weights)
    for i in range(n):
        total[i, start + i] += 1
    return as_exact_matrix(total, "W"), inputs, sizes
