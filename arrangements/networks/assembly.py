"""Layers of a network, made of the operations of a graph of computation.

A tensor of the graph is an affine function of the outputs of layers. Operations that are affine
change this function, exactly; an activation makes a layer of it. Tensors have the shapes that they
have for one input, a batch of size 1 included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.coercion import as_exact_vector, from_tensor
from arrangements.exact.numbers import ExactArray, as_objects, stack_rows
from arrangements.execution.limits import check_bytes
from arrangements.heads.head import simplest
from arrangements.messages import Remedy
from arrangements.networks.layer import INPUT, Layer, Source
from arrangements.networks.sparse_rows import SparseRows

Shape = tuple[int, ...]

# The source of constants, of one column.
_ONE = "1"
# Of a weight, as an exact integer.
_BYTES = 40
SMALLER = Remedy(
    "fewer weights", "Take a smaller input, a slice of the network, or its last layers."
)


class UnreadError(Exception):
    """An operation that is not read: what it does, for a message that names its place."""


class Tensor(NamedTuple):
    """A tensor whose entries are affine functions of outputs of layers.

    Attributes
    ----------
    shape : tuple of int
    terms : mapping
        The matrix of each layer, of the inputs "x", and of the constant "1"; a row for each entry.
    """

    shape: Shape
    terms: Mapping[Source, SparseRows]

    @property
    def size(self) -> int:
        """Number of entries."""
        return int(np.prod(self.shape, dtype=np.int64))

    def take(self, places: NDArray[np.intp]) -> Tensor:
        """Entries in a new shape, by their numbers; -1 is 0."""
        flat = places.ravel()
        return Tensor(
            places.shape, {source: matrix.take(flat) for source, matrix in self.terms.items()}
        )

    def arranged(self, change: Callable[[NDArray[np.intp]], NDArray[np.intp]]) -> Tensor:
        """Entries as a function of NumPy arranges them, such as a transposition."""
        return self.take(change(np.arange(self.size).reshape(self.shape)))

    def constant(self) -> ExactArray | None:
        """The entries, if no input changes them."""
        if any(len(matrix.values) for source, matrix in self.terms.items() if source != _ONE):
            return None
        if _ONE not in self.terms:
            return np.zeros(self.shape, np.int64)
        return self.terms[_ONE].dense().reshape(self.shape)


def constant_tensor(values: Any, shape: Shape | None = None) -> Tensor:
    """A tensor of numbers, of which float32, float64 and integers count as they are."""
    array = np.asarray(from_tensor(values))
    flat = as_exact_vector(array.ravel(), array.size, "a constant")
    return Tensor(array.shape if shape is None else shape, {_ONE: SparseRows.column(flat)})


class Assembly:
    """The layers so far.

    Examples
    --------
    >>> net = Assembly()
    >>> x = net.inputs((1, 2))
    >>> h = net.relu(net.linear(x, np.array([[1.0, 2], [0, 1], [1, 1]]), np.array([0.0, 0, 1])))
    >>> net.finish(net.add(net.linear(h, np.array([[1.0, 1, -1], [0, 1, 0]]), None), x))
    [Layer(3 from 2, inputs 'x'), Layer(2 from 5, linear, inputs 'x', 0)]
    """

    def __init__(self) -> None:
        self.layers: list[Layer] = []
        self.size = 0

    def inputs(self, shape: Shape) -> Tensor:
        """The inputs of the network, in this shape."""
        self.size = int(np.prod(shape, dtype=np.int64))
        check_bytes(f"a network of {self.size} inputs", _BYTES * self.size, SMALLER)
        return Tensor(shape, {INPUT: SparseRows.identity(self.size)})

    def finish(self, outputs: Tensor) -> list[Layer]:
        """All layers, the last of which has these outputs."""
        last = outputs.terms.get(len(self.layers) - 1)
        if len(outputs.terms) != 1 or last is None or not last.is_identity:
            self.settle(outputs)
        return self.layers

    # ------------------------------------------------------------------ affine functions

    def linear(self, x: Tensor, W: ExactArray, b: ExactArray | None) -> Tensor:
        """``W @ x + b`` for the last axis of x."""
        if x.shape[-1:] != W.shape[1:]:
            raise UnreadError(f"takes {W.shape[1]} values where there are {x.shape}")
        n, copies = W.shape[0], x.size // W.shape[1]
        matrix = SparseRows.of_dense(W)
        at = np.arange(copies)[:, None]
        rows, columns = at * n + matrix.rows, at * W.shape[1] + matrix.columns
        values = np.tile(matrix.values, copies)
        size = (copies * n, x.size)
        applied = SparseRows.of(rows.ravel(), columns.ravel(), values, size)
        found = self.apply(applied, x, (*x.shape[:-1], n))
        return found if b is None else self.add(found, constant_tensor(b))

    def apply(self, matrix: SparseRows, x: Tensor, shape: Shape) -> Tensor:
        """A matrix times the entries of x; those of x become a layer if that is much less work."""
        products = {source: matrix.product(term) for source, term in x.terms.items()}
        found = {source: term for source, term in products.items() if term is not None}
        if len(found) < len(products):
            found = dict.fromkeys(self.settle(x).terms, matrix)
        return Tensor(shape, found)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """The sum of two tensors, broadcast as NumPy does."""
        x, y = broadcast(x, y)
        terms = dict(x.terms)
        for source, matrix in y.terms.items():
            terms[source] = terms[source].plus(matrix) if source in terms else matrix
        return Tensor(x.shape, terms)

    def scale(self, x: Tensor, factors: Any) -> Tensor:
        """Entries times numbers, broadcast as NumPy does."""
        by = np.asarray(from_tensor(factors))
        x, _ = broadcast(x, constant_tensor(np.zeros(by.shape)))
        flat = as_exact_vector(np.broadcast_to(by, x.shape).ravel(), x.size, "a factor")
        return Tensor(x.shape, {source: term.scaled(flat) for source, term in x.terms.items()})

    def subtract(self, x: Tensor, y: Tensor) -> Tensor:
        """The difference."""
        return self.add(x, self.scale(y, -1))

    def multiply(self, x: Tensor, y: Tensor) -> Tensor:
        """The product of two tensors, one of which is constant."""
        first, second = x.constant(), y.constant()
        if first is None and second is None:
            raise UnreadError("multiplies two tensors that depend on the inputs")
        return self.scale(y, first) if second is None else self.scale(x, second)

    def divide(self, x: Tensor, y: Tensor) -> Tensor:
        """The quotient by constants."""
        divisor = y.constant()
        if divisor is None or not divisor.all():
            raise UnreadError("divides by numbers that depend on the inputs, or by 0")
        exact = as_objects(divisor)
        exact[...] = np.reshape([Fraction(1) / entry for entry in exact.flat], exact.shape)
        return self.scale(x, exact)

    def mean(self, x: Tensor, axes: Sequence[int], keep: bool) -> Tensor:
        """Means over axes."""
        places = np.arange(x.size).reshape(x.shape)
        axes = tuple(axis % len(x.shape) for axis in axes)
        shape = tuple(1 if k in axes else n for k, n in enumerate(x.shape))
        kept = [k for k in range(len(x.shape)) if k not in axes]
        windows = places.transpose(*kept, *axes).reshape(int(np.prod(shape)), -1)
        n, count = windows.shape
        rows = np.repeat(np.arange(n), count)
        ones = SparseRows.of(rows, windows.ravel(), np.ones(windows.size, np.int64), (n, x.size))
        share = np.empty(n, object)
        share[:] = Fraction(1, count)
        found = self.apply(ones.scaled(simplest(share)), x, shape)
        return found if keep else found.arranged(lambda a: np.squeeze(a, axes))

    def concatenate(self, parts: Sequence[Tensor], axis: int) -> Tensor:
        """Tensors one after the other along an axis."""
        starts = np.cumsum([0, *(part.size for part in parts)])
        places = np.concatenate(
            [
                np.arange(start, start + part.size).reshape(part.shape)
                for start, part in zip(starts, parts, strict=False)
            ],
            axis=axis,
        )
        sources = dict.fromkeys(source for part in parts for source in part.terms)
        terms = {
            source: _stacked([part.terms.get(source) for part in parts], parts)
            for source in sources
        }
        return Tensor((int(starts[-1]),), terms).take(places)

    # ------------------------------------------------------------------ activations

    def settle(self, x: Tensor, slopes: Any = 1) -> Tensor:
        """The entries of x as outputs of a layer of their own, with these slopes below 0."""
        sources: list[Source] = sorted(
            (source for source in x.terms if source != _ONE), key=lambda s: (s != INPUT, s)
        )
        sources = sources or [INPUT]
        width = sum(self._width(source) for source in sources)
        what = f"a layer of {x.size} values of {width} others, {x.size * width} weights"
        check_bytes(what, _BYTES * x.size * width, SMALLER)
        parts = [
            x.terms[source].dense().T if source in x.terms else np.zeros((self.size, x.size))
            for source in sources
        ]
        W = stack_rows(*parts).T
        b = x.terms[_ONE].dense()[:, 0] if _ONE in x.terms else None
        if np.ndim(slopes):
            slopes = np.broadcast_to(slopes, x.shape).ravel()
        self.layers.append(Layer(W, b, slope=slopes, inputs=sources))
        return Tensor(x.shape, {len(self.layers) - 1: SparseRows.identity(x.size)})

    def _width(self, source: Source) -> int:
        return self.size if source == INPUT else self.layers[int(source)].n_outputs

    def relu(self, x: Tensor, slope: Any = 0) -> Tensor:
        """``max(x, 0)``, or slopes times x where it is negative."""
        return self.settle(x, slope)

    def maximum(self, x: Tensor, y: Tensor) -> Tensor:
        """The larger of two numbers each: ``x + max(y - x, 0)``."""
        return self.add(x, self.relu(self.subtract(y, x)))

    def minimum(self, x: Tensor, y: Tensor) -> Tensor:
        """The smaller of two numbers each."""
        return self.subtract(x, self.relu(self.subtract(x, y)))

    def clip(self, x: Tensor, least: Any, most: Any) -> Tensor:
        """Numbers below `least` or above `most` become these; None is no bound."""
        if least is None or most is None:
            bound = constant_tensor(most if least is None else least)
            return self.minimum(x, bound) if least is None else self.maximum(x, bound)
        low, high = constant_tensor(least), constant_tensor(most)
        both = [self.subtract(x, low), self.subtract(x, high)]
        units = self.relu(self.concatenate([_flat(part) for part in both], 0))
        first, second = (
            units.take(np.arange(k * x.size, (k + 1) * x.size).reshape(x.shape)) for k in (0, 1)
        )
        return self.add(self.subtract(first, second), low)

    def largest(self, x: Tensor, windows: NDArray[np.intp], shape: Shape) -> Tensor:
        """The largest entry of each row of numbers of entries; -1 stands for none.

        A tournament: each round is a layer of units.
        """
        first = windows.max(axis=1, keepdims=True)
        places = np.where(windows < 0, first, windows)
        players = [x.take(column) for column in places.T]
        while len(players) > 1:
            pairs = [players[k : k + 2] for k in range(0, len(players), 2)]
            left = [pair[0] for pair in pairs if len(pair) == 2]
            gains = [self.subtract(pair[1], pair[0]) for pair in pairs if len(pair) == 2]
            units = self.relu(self.concatenate(gains, 0))
            n = len(windows)
            won = [
                self.add(player, units.take(np.arange(k * n, (k + 1) * n)))
                for k, player in enumerate(left)
            ]
            players = won + [pair[0] for pair in pairs if len(pair) == 1]
        return players[0].arranged(lambda places: places.reshape(shape))


def _flat(x: Tensor) -> Tensor:
    return x.arranged(np.ravel)


def _stacked(terms: Sequence[SparseRows | None], parts: Sequence[Tensor]) -> SparseRows:
    """Matrices of one source one below the other; None is a matrix of zeros."""
    known = [term for term in terms if term is not None]
    starts = np.cumsum([0, *(part.size for part in parts)])
    kept = [(start, t) for start, t in zip(starts, terms, strict=False) if t is not None]
    return SparseRows(
        np.concatenate([term.rows + start for start, term in kept]),
        np.concatenate([term.columns for term in known]),
        stack_rows(*(term.values for term in known)),
        (int(starts[-1]), known[0].shape[1]),
    )


def broadcast(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Two tensors in one shape, as NumPy broadcasts."""
    try:
        shape = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise UnreadError(f"combines shapes {x.shape} and {y.shape}") from None
    first, second = (
        part if part.shape == shape else part.arranged(lambda a: np.broadcast_to(a, shape))
        for part in (x, y)
    )
    return first, second
