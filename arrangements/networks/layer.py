"""Layers of networks as exact numbers; immutable."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import Immutable, public_class
from arrangements.checks import as_list
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector, axes_of
from arrangements.exact.linear import IntegerMatrix
from arrangements.exact.numbers import (
    ExactArray,
    append_column,
    as_objects,
    exactly_equal,
    field_of_array,
    floats_times_common_denominator,
    nearest_floats,
    read_only,
    times_common_denominator,
)
from arrangements.messages import quote

# The name of the inputs of a network among the sources of a layer.
INPUT = "x"

Source = int | str


@public_class
class Layer(Immutable):
    """One layer ``z = W @ a + b``, then ``max(z, 0)`` or ``z if z > 0 else slope * z``; immutable.

    Parameters
    ----------
    W : (n, k) array_like of int, float or Fraction
        A float counts as the exact dyadic number it is.
    b : (n,) array_like, optional
        Default zeros.
    slope : number or (n,) array_like, optional
        Of the function where z < 0: 0 is ReLU, 0.01 a leaky ReLU, -1 the absolute value. 1 makes
        the layer linear: it has no units. Default 0, and 1 in the last layer of a network.
    inputs : sequence of int or "x", optional
        The layers whose outputs, one after the other, are a: numbers of earlier layers of the
        network, from 0, and "x", the inputs of the network. Default the layer before.
    add : sequence of int or "x"
        Layers with n outputs that are added to z.

    Attributes
    ----------
    weights : (n, k) ndarray, read-only
        float64, int64, or object (int and Fraction): exactly the numbers given.
    offsets : (n,) ndarray, read-only
    slopes : (n,) ndarray, read-only, or None
        None where a network chooses.
    inputs, add : tuple, or None
        As given.

    Raises
    ------
    InputError
        Wrong shape, NaN, infinite, irrational or complex input; slopes of which some are 1.

    Examples
    --------
    >>> Layer([[1, 2], [0, 1]], slope=0.01)
    Layer(2 from 2, slope 0.01)
    >>> Layer([[1, 0, 0], [0, 1, 1]], [0, 1], inputs=["x", 0])
    Layer(2 from 3, inputs 'x', 0)
    """

    weights: ExactArray
    offsets: ExactArray
    slopes: ExactArray | None
    inputs: tuple[Source, ...] | None
    add: tuple[Source, ...]

    def __init__(
        self,
        W: ArrayLike,
        b: ArrayLike | None = None,
        *,
        slope: ArrayLike | None = None,
        inputs: Iterable[Source] | None = None,
        add: Iterable[Source] = (),
    ) -> None:
        given = None if inputs is None else _read_sources("inputs", inputs)
        if given == ():
            raise InputError("inputs is empty; expected numbers of earlier layers, or 'x'.")
        self._set(*_read_numbers(W, b, slope, ""), given, _read_sources("add", add))

    def _set(
        self,
        weights: ExactArray,
        offsets: ExactArray,
        slopes: ExactArray | None,
        inputs: tuple[Source, ...] | None,
        add: tuple[Source, ...],
    ) -> None:
        # past the __setattr__ that makes the object immutable
        self.__dict__.update(
            weights=read_only(weights),
            offsets=read_only(offsets),
            slopes=None if slopes is None else read_only(slopes),
            inputs=inputs,
            add=add,
        )

    @classmethod
    def _of(
        cls,
        weights: ExactArray,
        offsets: ExactArray,
        slopes: ExactArray | None,
        inputs: tuple[Source, ...] | None = None,
    ) -> Layer:
        """A layer of exact numbers; nothing is checked."""
        found = cls.__new__(cls)
        found._set(weights, offsets, slopes, inputs, ())
        return found

    @property
    def is_linear(self) -> bool:
        """Whether the layer has no units: all slopes are 1."""
        return self.slopes is not None and bool((self.slopes == 1).all())

    @property
    def n_outputs(self) -> int:
        """Number n of outputs."""
        return len(self.weights)

    @property
    def n_units(self) -> int:
        """Number of units: n, or 0 if the layer is linear."""
        return 0 if self.is_linear else len(self.weights)

    @cached_property
    def integer_rows(self) -> tuple[list[list[int]], int]:
        """Rows (w, b) times one positive integer, and this integer. Treat as read-only.

        Examples
        --------
        >>> Layer([[0.5, 1]], [0.25]).integer_rows
        ([[2, 4, 1]], 4)
        """
        table = append_column(self.weights, self.offsets)
        if table.dtype == np.float64:
            return floats_times_common_denominator(table)
        return times_common_denominator(as_objects(table).tolist())

    @cached_property
    def integer_matrix(self) -> tuple[IntegerMatrix, int]:
        """The same, for products."""
        rows, common = self.integer_rows
        return IntegerMatrix(rows), common

    @cached_property
    def integer_slopes(self) -> tuple[list[int], int]:
        """Slopes times one positive integer, and this integer.

        Examples
        --------
        >>> Layer([[1], [2]], slope=[0, 0.25]).integer_slopes
        ([0, 1], 4)
        """
        assert self.slopes is not None  # of a network
        (found,), common = times_common_denominator([as_objects(self.slopes).tolist()])
        return found, common

    @cached_property
    def float_weights(self) -> NDArray[np.float64]:
        """The weights in float64, each the nearest."""
        return read_only(nearest_floats(self.weights))

    @cached_property
    def float_offsets(self) -> NDArray[np.float64]:
        """The offsets in float64, each the nearest."""
        return read_only(nearest_floats(self.offsets))

    @cached_property
    def float_slopes(self) -> NDArray[np.float64]:
        """The slopes in float64, each the nearest."""
        assert self.slopes is not None  # of a network
        return read_only(nearest_floats(self.slopes))

    @cached_property
    def is_float(self) -> bool:
        """Whether float64 holds weights, offsets and slopes exactly."""
        exact = [(self.weights, self.float_weights), (self.offsets, self.float_offsets)]
        if self.slopes is not None:
            exact.append((self.slopes, self.float_slopes))
        return all(exactly_equal(a, b) for a, b in exact)

    def __eq__(self, other: object) -> bool:
        """Whether all numbers are the same, and the layers that it takes."""
        if not isinstance(other, Layer):
            return NotImplemented
        if (self.slopes is None) != (other.slopes is None):
            return False
        mine, theirs = (
            [layer.weights, layer.offsets] + ([] if layer.slopes is None else [layer.slopes])
            for layer in (self, other)
        )
        same = all(exactly_equal(a, b) for a, b in zip(mine, theirs, strict=True))
        return same and (self.inputs, self.add) == (other.inputs, other.add)

    def __hash__(self) -> int:
        return hash((self.weights.shape, self.inputs, self.add, float(self.weights[0, 0])))

    def __repr__(self) -> str:
        n, k = self.weights.shape
        parts = [f"{n} from {k}"]
        if self.is_linear:
            parts.append("linear")
        elif self.slopes is not None:
            slopes = {nearest for nearest in self.float_slopes.tolist()}
            if slopes != {0.0}:
                parts.append(f"slope {slopes.pop():g}" if len(slopes) == 1 else "several slopes")
        if self.inputs is not None:
            parts.append(f"inputs {', '.join(map(repr, self.inputs))}")
        if self.add:
            parts.append(f"add {', '.join(map(repr, self.add))}")
        return f"Layer({', '.join(parts)})"


def _read_sources(name: str, sources: Any) -> tuple[Source, ...]:
    """Numbers of layers, and INPUT, each at most once."""
    single = isinstance(sources, (str, int, np.integer))
    items = [sources] if single else as_list(name, sources, "numbers of layers, or 'x'")
    found: list[Source] = []
    for item in items:
        is_number = isinstance(item, (int, np.integer)) and not isinstance(item, bool)
        if not (is_number and item >= 0) and not (isinstance(item, str) and item == INPUT):
            raise InputError(
                f"{name} has {quote(item)}; expected numbers of earlier layers, from 0, or 'x', "
                "the inputs of the network."
            )
        found.append(int(item) if is_number else INPUT)
    if len(set(found)) < len(found):
        raise InputError(f"{name} is {quote(sources)}; expected each layer at most once.")
    return tuple(found)


def read_pair(k: int, item: Any) -> Layer:
    """The layer that item k of the layers of a network means: a pair (W, b).

    Examples
    --------
    >>> read_pair(0, ([[1, 2]], None))
    Layer(1 from 2)
    """
    if not isinstance(item, (tuple, list)) or len(item) != 2:
        raise InputError(f"layers[{k}] is {quote(item)}; expected a pair (W, b), or a Layer.")
    W, b = item
    return Layer._of(*_read_numbers(W, b, None, f" of layers[{k}]"))


def _read_numbers(
    W: Any, b: Any, slope: Any, of: str
) -> tuple[ExactArray, ExactArray, ExactArray | None]:
    """Exact weights, offsets and slopes; `of` says in messages which layer they belong to."""
    weights = as_exact_matrix(W, f"W{of}")
    n = len(weights)
    offsets = np.zeros(n, np.int64) if b is None else as_exact_vector(b, n, f"b{of}")
    slopes = None
    if slope is not None:
        slope = np.full(n, slope, object) if axes_of(slope) == 0 else slope
        slopes = as_exact_vector(slope, n, f"slope{of}")
    for name, numbers in ("W", weights), ("b", offsets), ("slope", slopes):
        if field_of_array(numbers) is not None:
            raise InputError(
                f"{name}{of} has irrational numbers; expected floats, integers or Fractions."
            )
    if slopes is not None and 0 < (linear := int((slopes == 1).sum())) < n:
        raise InputError(
            f"slope{of} is 1 for {linear} of {n} units; expected 1 for all or none. Put linear "
            "units into a layer of their own."
        )
    return weights, offsets, slopes
