"""Steps of pipelines of scikit-learn as exact affine maps, composed with the rows after them.

A row of scores ``w . z + b`` of ``z = A x + c`` is the row ``A.T w`` with the offset ``b + w . c``,
in rational numbers: the exact composition of the numbers stored, not the rounded one that
scikit-learn computes.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.exact import coercion, linear
from arrangements.exact.numbers import ExactArray, as_objects

Affine = tuple[ExactArray, ExactArray | None]
# What a step does to the rows after it.
Map = Callable[[ExactArray, ExactArray | None], Affine]

# Steps that make numbers of something else, and the range of these numbers.
ENCODERS = {
    "CountVectorizer": "count",
    "TfidfVectorizer": "weight",
    "TfidfTransformer": "weight",
    "HashingVectorizer": "",
    "FeatureHasher": "",
    "DictVectorizer": "",
    "OneHotEncoder": "binary",
    "OrdinalEncoder": "",
    "TargetEncoder": "",
}
# Bytes of exact rows that a division by scales may make.
_MOST_BYTES = 2**28


class NotLinearError(Exception):
    """A step that is not a linear map: what it does, for a message."""


def names_of_kinds(value: Any) -> set[str]:
    """Names of the class of an object and of its bases: other libraries need not be imported."""
    return {kind.__name__ for kind in type(value).__mro__}


def flat_steps(pipeline: Any) -> list[tuple[int, str, Any]]:
    """Numbers, names and steps; of pipelines in the pipeline one by one, with its number."""
    found = []
    for number, (name, step) in enumerate(pipeline.steps):
        inner = flat_steps(step) if hasattr(step, "steps") else [(0, name, step)]
        found += [(number, title, part) for _, title, part in inner]
    return found


def is_passed_on(step: Any) -> bool:
    """Tell if a step hands its inputs on."""
    return step is None or (isinstance(step, str) and step == "passthrough")


def map_of_step(step: Any) -> Map:
    """What a step without parts does to the rows after it.

    Raises
    ------
    NotLinearError
        If the step is not a linear map. The map raises it, too, of rows for which it is none.
    """
    if is_passed_on(step):
        return _same
    kinds = names_of_kinds(step)
    for kind in kinds & _MAPS.keys():
        return _MAPS[kind](step)
    if not hasattr(step, "get_support"):
        raise NotLinearError("is not a linear map")
    return _selection(np.asarray(step.get_support()))


def scale(divisor: Any, shift: Any) -> Map:
    """The map ``(x - shift) / divisor``; None divides by 1, and subtracts nothing."""

    def apply(W: ExactArray, b: ExactArray | None) -> Affine:
        if divisor is not None:
            exact = list(map(Fraction, as_objects(_vector(divisor)).tolist()))
            bits = sum(entry.numerator.bit_length() - 1 for entry in exact)
            odd = any(entry.numerator & (entry.numerator - 1) for entry in exact)
            if odd and W.size * bits > 8 * _MOST_BYTES:
                raise NotLinearError(
                    f"divides {len(exact)} features by scales: the exact rows would have about "
                    f"{W.size * bits / 8e9:.2g} GB"
                )
            factor = np.empty(len(exact), dtype=object)
            factor[:] = [1 / entry for entry in exact]
            W = as_objects(W) * factor
        return W, b if shift is None else _plus(b, W, -as_objects(_vector(shift)))

    return apply


def _same(W: ExactArray, b: ExactArray | None) -> Affine:
    return W, b


def _vector(values: Any) -> ExactArray:
    return coercion.as_exact_vector(values, np.size(values), "an attribute of a step")


def _plus(b: ExactArray | None, W: ExactArray, c: ExactArray) -> ExactArray:
    """The offsets ``b + W @ c``."""
    found = linear.matrix_product(as_objects(W).tolist(), [[entry] for entry in c.tolist()])
    old = [0] * len(W) if b is None else as_objects(b).tolist()
    added = np.empty(len(W), dtype=object)
    added[:] = [Fraction(before) + row[0] for before, row in zip(old, found, strict=True)]
    return added


def _product(matrix: Any, shift: Any = None) -> Map:
    """The map ``matrix @ (x - shift)``."""
    exact = as_objects(coercion.as_exact_matrix(matrix, "components_")).tolist()

    def apply(W: ExactArray, b: ExactArray | None) -> Affine:
        turned = np.array(linear.matrix_product(as_objects(W).tolist(), exact), dtype=object)
        return turned, b if shift is None else _plus(b, turned, -as_objects(_vector(shift)))

    return apply


def _standard(step: Any) -> Map:
    return scale(step.scale_, step.mean_ if step.with_mean else None)


def _min_max(step: Any) -> Map:
    """The map ``scale_ * x + min_``."""
    if getattr(step, "clip", False):
        raise NotLinearError("clips")
    factor, least = as_objects(_vector(step.scale_)), as_objects(_vector(step.min_))

    def apply(W: ExactArray, b: ExactArray | None) -> Affine:
        return as_objects(W) * factor, _plus(b, W, least)

    return apply


def _principal(step: Any) -> Map:
    """PCA, which divides by standard deviations if it whitens."""
    turn = _product(step.components_, step.mean_)
    if not step.whiten:
        return turn
    deviations = np.sqrt(step.explained_variance_)
    divide = scale(np.maximum(deviations, np.finfo(deviations.dtype).eps), None)
    return lambda W, b: turn(*divide(W, b))


def _selection(chosen: NDArray[np.bool_]) -> Map:
    """Columns that are chosen: all others get the weight 0."""

    def apply(W: ExactArray, b: ExactArray | None) -> Affine:
        spread = np.zeros((len(W), len(chosen)), dtype=W.dtype)
        spread[:, chosen] = W
        return spread, b

    return apply


def _normalizer(_: Any) -> Map:
    """Inputs divided by their norms: without offsets no sign and no order changes."""

    def apply(W: ExactArray, b: ExactArray | None) -> Affine:
        if b is not None and b.any():
            raise NotLinearError("divides inputs by their norms, which matters beside offsets")
        return W, b

    return apply


def _imputer(step: Any) -> Map:
    """Numbers stay as they are; missing ones are no inputs here."""
    if step.add_indicator or not np.isfinite(np.asarray(step.statistics_, float)).all():
        raise NotLinearError("adds or leaves out columns")
    return _same


def _function(step: Any) -> Map:
    if step.func is not None:
        raise NotLinearError("is any function")
    return _same


_MAPS: dict[str, Callable[[Any], Map]] = {
    "StandardScaler": _standard,
    "RobustScaler": lambda step: scale(step.scale_, step.center_),
    "MaxAbsScaler": lambda step: scale(step.scale_, None),
    "MinMaxScaler": _min_max,
    "_BasePCA": _principal,
    "TruncatedSVD": lambda step: _product(step.components_),
    "FastICA": lambda step: _product(step.components_, getattr(step, "mean_", None)),
    "BaseRandomProjection": lambda step: _product(step.components_),
    "Normalizer": _normalizer,
    "SimpleImputer": _imputer,
    "FunctionTransformer": _function,
}
