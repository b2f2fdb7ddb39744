"""Steps of pipelines of scikit-learn as exact affine maps, also those that work side by side."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from arrangements.exact.coercion import as_exact_vector
from arrangements.exact.numbers import ExactArray, as_objects
from arrangements.heads.pipelines import (
    Affine,
    Map,
    NotLinearError,
    flat_steps,
    is_passed_on,
    map_of_step,
    names_of_kinds,
)


def linear_map(step: Any) -> Map:
    """What a step does to the rows after it.

    Raises
    ------
    NotLinearError
        If the step is not a linear map. The map raises it, too, of rows for which it is none.
    """
    kinds = names_of_kinds(step)
    if "ColumnTransformer" in kinds:
        return _column_transformer(step)
    return _feature_union(step) if "FeatureUnion" in kinds else map_of_step(step)


class _Part(NamedTuple):
    """A step, the columns that it takes, those that it makes, and their weight."""

    name: str
    step: Any
    inputs: Any
    outputs: slice
    weight: Any


def _column_transformer(step: Any) -> Map:
    weights = step.transformer_weights or {}
    parts = [
        _Part(name, part, step._transformer_to_input_indices[name], outputs, weights.get(name))
        for name, part, _ in step.transformers_
        if (outputs := step.output_indices_[name]).stop > outputs.start
    ]
    return _side_by_side(parts, step.n_features_in_)


def _feature_union(step: Any) -> Map:
    weights = step.transformer_weights or {}
    known = (getattr(part, "n_features_in_", None) for _, part in step.transformer_list)
    d = next((m for m in known if m is not None), None)
    if d is None:
        raise NotLinearError("has parts that do not say how many features they take")
    parts, start = [], 0
    for name, part in step.transformer_list:
        stop = start + _width(name, part, d)
        if stop > start:
            parts.append(_Part(name, part, slice(None), slice(start, stop), weights.get(name)))
        start = stop
    return _side_by_side(parts, d)


def _width(name: str, part: Any, d: int) -> int:
    """How many features a part makes of d."""
    if isinstance(part, str) and part == "drop":
        return 0
    if is_passed_on(part):
        return d
    try:
        return len(part.get_feature_names_out())
    except Exception as error:  # of a foreign class
        text = f"has the part {name!r}, which does not say how many features it makes"
        raise NotLinearError(text) from error


def _side_by_side(parts: list[_Part], d: int) -> Map:
    """The sum of what the parts do, each to its own columns of the rows."""
    maps = []
    for part in parts:
        with _name(part):
            maps.append(_chain(part.step))

    def apply(W: ExactArray, b: ExactArray | None) -> Affine:
        found = np.zeros((len(W), d), dtype=object)
        for part, apply_part in zip(parts, maps, strict=True):
            rows = as_objects(W[:, part.outputs])
            if part.weight is not None:
                rows = rows * as_objects(as_exact_vector([part.weight], 1))
            with _name(part):
                rows, shift = apply_part(rows, None)
            found[:, part.inputs] += as_objects(rows)
            if shift is not None:
                b = as_objects(shift) + (0 if b is None else as_objects(b))
        return found, b

    return apply


def _chain(step: Any) -> Map:
    """The map of a part, which may be a pipeline."""
    steps = [one for _, _, one in flat_steps(step)] if hasattr(step, "steps") else [step]
    if any("Normalizer" in names_of_kinds(one) for one in steps):
        raise NotLinearError("divides inputs by their norms")
    maps = [linear_map(one) for one in reversed(steps)]

    def apply(W: ExactArray, b: ExactArray | None) -> Affine:
        for one in maps:
            W, b = one(W, b)
        return W, b

    return apply


@contextmanager
def _name(part: _Part) -> Iterator[None]:
    """Name the part in an error about it."""
    try:
        yield
    except NotLinearError as error:
        kind = type(part.step).__name__
        raise NotLinearError(f"has the part {part.name!r} ({kind}), which {error}") from None
