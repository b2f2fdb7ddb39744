"""A network and a polytope as the kernels take them: integers, floats near them, and residues.

Preactivations of a layer, and inputs, may be multiplied by a positive number: signs stay. So each
layer has integer rows, and floats that are these times a power of 2, at most 1 in size.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from fractions import Fraction
from math import lcm, ldexp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.numbers import nearest_float
from arrangements.exact.residues import fields, moduli_above, montgomery, residues_of
from arrangements.kernels.networks.workspace import WEIGHTS, Layers
from arrangements.kernels.shared import zeros

# Floats hold all smaller integers.
_WHOLE = 2**53
# Integers below this are floats, about.
_IN_RANGE = 2**1000
# Bounds for errors, computed in floats, are below these times their true values.
_SLACK, _ROUNDING = 1.001, 2.0**-53
# More than all that underflows in a row.
_TINY = 1e-300


class SweepLayer(NamedTuple):
    """One layer of a network, ``z = W @ a + b``, in integers.

    Attributes
    ----------
    rows : list of list of int
        W and b, times the denominator.
    denominator : int
    sources : tuple of int
        Numbers of earlier layers, whose activations one after the other are a; -1 for the inputs.
    slopes : list of int, or None
        Of the activation of each unit where z is negative, times their denominator. None: z is not
        activated, and the layer has no units.
    slope_denominator : int
        Times the activation where z is positive.
    """

    rows: list[list[int]]
    denominator: int
    sources: tuple[int, ...]
    slopes: list[int] | None = None
    slope_denominator: int = 1


class IntegerLayer(NamedTuple):
    """Integer multiples of the rows of a layer.

    Attributes
    ----------
    weights : (k, n) ndarray of int objects
        Of the outputs of all layers from `source` on, one row each.
    base : (n, d + 1) ndarray of int objects
        What they do not enter.
    sizes : (n,) ndarray of int objects
        Bounds for the sums of the absolute entries of the rows.
    denominator : int
        The rows are those of the layer times this.
    factors : (n, 2) ndarray of int objects
        Activation by preactivation, where that is negative and positive.
    units : int
        n, or 0 if there is no activation.
    source : int
        First layer of the sources.
    """

    weights: NDArray[np.object_]
    base: NDArray[np.object_]
    sizes: NDArray[np.object_]
    denominator: int
    factors: NDArray[np.object_]
    units: int
    source: int

    @property
    def bits(self) -> int:
        """The rows are below 2 to the power of this."""
        return int(max(self.sizes)).bit_length()

    @property
    def spread(self) -> NDArray[np.object_]:
        """Bounds for the sums of the entries of any differences of activations."""
        return abs(self.factors).sum(axis=1) * self.sizes


def scaled_floats(integers: NDArray[np.object_], shift: int) -> NDArray[np.float64]:
    """Integers times ``2**shift``; exact if they are below 2**53, else to 2**-52 of their size.

    Too large ones are infinite: then floats prove nothing.
    """
    if not integers.size:
        return np.zeros(integers.shape)
    if max(abs(integers.ravel())) < _IN_RANGE:
        with np.errstate(over="ignore", under="ignore"):
            return np.ldexp(integers.astype(np.float64), shift)
    out = np.zeros(integers.size)
    for k, n in enumerate(integers.ravel().tolist()):
        more = max(0, n.bit_length() - 60)
        try:
            out[k] = ldexp(n >> more, more + shift)
        except OverflowError:
            out[k] = np.inf if n > 0 else -np.inf
    return out.reshape(integers.shape)


def integer_layers(layers: Sequence[SweepLayer], d: int, shift: int) -> list[IntegerLayer]:
    """Integer multiples of all layers, for inputs divided by ``2**shift``."""
    found: list[IntegerLayer] = []
    scales: list[int] = []  # of activations
    for n, layer in enumerate(layers):
        table = np.array(layer.rows, object).reshape(len(layer.rows), -1)
        source = min((k for k in layer.sources if k >= 0), default=n)
        starts = np.cumsum([0, *(len(below.base) for below in found[source:])]).tolist()
        weights = np.zeros((starts[-1], len(table)), object)
        base = np.zeros((len(table), d + 1), object)
        unit = 1 << max(
            -shift, 0
        )  # the inputs are divided by 2**shift: they have this as denominator
        common = lcm(*(unit if k < 0 else scales[k] for k in layer.sources))
        at = 0
        for k in layer.sources:
            width = d if k < 0 else len(found[k].base)
            columns = table[:, at : at + width]
            if k < 0:
                base[:, :d] = columns * (common // unit << max(shift, 0))
            else:
                start = starts[k - source]
                weights[start : start + width] = columns.T * (common // scales[k])
            at += width
        base[:, d] = table[:, -1] * common
        sizes = abs(base).sum(axis=1)
        if len(weights):
            sizes = sizes + abs(weights).T @ np.concatenate([k.spread for k in found[source:]])
        slopes = layer.slopes or [layer.slope_denominator] * len(table)
        factors = np.array([[k, layer.slope_denominator] for k in slopes], object)
        units = 0 if layer.slopes is None else len(table)
        denominator = layer.denominator * common
        scales.append(denominator * layer.slope_denominator)
        found.append(IntegerLayer(weights, base, sizes, denominator, factors, units, source))
    return found


class Tables(NamedTuple):
    """Everything about a network and a polytope.

    Attributes
    ----------
    layers : list of IntegerLayer
        The last one has the outputs.
    facets : (k, d + 1) ndarray of int objects
        Not negative on the polytope, for divided inputs.
    shift : int
        The inputs were divided by 2 to the power of this.
    first : list of int
        First row of each layer, then of the facets, then the number of rows.
    net : Layers
        Without residues.
    """

    layers: list[IntegerLayer]
    facets: NDArray[np.object_]
    shift: int
    first: list[int]
    net: Layers


def tables_of(
    layers: Sequence[SweepLayer], facets: Sequence[Sequence[int]], largest: Fraction
) -> Tables:
    """The tables; `largest` is the largest size of an input, facets are integer rows."""
    d = len(facets[0]) - 1
    shift = largest.numerator.bit_length() - largest.denominator.bit_length() + 1
    divided = np.array(facets, object).reshape(-1, d + 1)
    divided[:, :d] <<= max(shift, 0)
    divided[:, d] <<= max(-shift, 0)
    integers = integer_layers(layers, d, shift)
    first = [0]
    for layer in integers:
        first.append(first[-1] + -(-len(layer.base) // 8) * 8)
    first.append(first[-1] + -(-len(divided) // 8) * 8)
    net = _without_residues(integers, divided, first)
    last = integers[-1]
    scales = [
        nearest_float(Fraction(2) ** (last.bits - power) / last.denominator) for power in (shift, 0)
    ]
    return Tables(integers, divided, shift, first, net._replace(scales=np.array(scales)))


def _without_residues(
    layers: list[IntegerLayer], facets: NDArray[np.object_], first: list[int]
) -> Layers:
    rows, columns = first[-1], facets.shape[1]
    widest = max(b - a for a, b in zip(first, first[1:], strict=False))
    sources = [first[n] - first[layer.source] for n, layer in enumerate(layers)]
    starts = np.cumsum([0, *sources]).tolist()
    net = zeros(
        Layers,
        ((starts[-1], widest), "weights"),
        ((columns, rows), "base"),
        ((rows,), "errors whole central layer_of"),
        ((rows, 2), "factors"),
        ((len(layers), 7), "table"),
        ((2,), "scales"),
        ((0, 4), "fields"),
        ((0, 0, 0), "base_residues weight_residues factor_residues"),
    )
    net.layer_of[:] = -1
    sizes, exact, central = np.zeros(rows), True, True
    for n, layer in enumerate(layers):
        u, end, w0 = first[n], first[n + 1], starts[n]
        own = slice(u, u + len(layer.base))
        net.table[n] = u, layer.units, end, first[layer.source], sources[n], w0, own.stop - u
        net.layer_of[u:end] = n
        most = int(abs(layer.factors).max()).bit_length()
        net.factors[own] = scaled_floats(layer.factors, -most)
        for below in range(layer.source, n):
            found, at = layers[below], w0 + first[below] - first[layer.source]
            m, k = len(found.base), sum(len(k.base) for k in layers[layer.source : below])
            width = found.bits + int(abs(found.factors).max()).bit_length() - layer.bits
            block = layer.weights[k : k + m]
            net.weights[at : at + m, : block.shape[1]] = scaled_floats(block, width)
        net.base[:, own] = scaled_floats(layer.base, -layer.bits).T
        exact = exact and max(layer.sizes) < _WHOLE and max(layer.spread) < _WHOLE
        central = central and not layer.base[:, -1].any()
        net.central[own] = central
        net.whole[own] = 2.0**layer.bits if exact else 0.0
        with np.errstate(all="ignore"):  # where floats prove nothing
            _bound_errors(net, n, own, sizes)
    for k, row in enumerate(facets):
        g, bits = first[-2] + k, int(abs(row).sum()).bit_length()
        net.base[:, g] = scaled_floats(row, -bits)
        net.errors[g] = 0.0 if bits <= 53 else 4 * columns * _ROUNDING
        net.central[g] = row[-1] == 0
    return net


def _bound_errors(net: Layers, n: int, own: slice, sizes: NDArray[np.float64]) -> None:
    """Bound the sizes of the rows of a layer, and their errors."""
    _, _, _, first, sources, w0, _ = net.table[n].tolist()
    below = slice(first, first + sources)
    spread = abs(net.factors[below]).max(axis=1)
    matrix = abs(net.weights[w0 : w0 + sources, : own.stop - own.start]).T
    sizes[own] = (matrix @ (spread * sizes[below]) + abs(net.base[:, own]).sum(axis=0)) * _SLACK
    if not net.whole[own].all():
        roundings = (16 * sources + 4 * len(net.base) + 32) * _ROUNDING
        below_errors = matrix @ (spread * net.errors[below])
        net.errors[own] = (below_errors + roundings * sizes[own]) * _SLACK + _TINY


def with_residues(tables: Tables) -> Layers:
    """The kernels' network with residues modulo enough primes for exact signs at vertices."""
    net, layers, first = tables.net, tables.layers, tables.first
    columns = net.base.shape[0]
    sizes = [layer.bits for layer in layers]
    sizes += [int(sum(map(abs, row))).bit_length() for row in tables.facets.tolist()]
    moduli = moduli_above(columns * max(sizes) + 2)
    whole = [net.whole[first[n]] != 0.0 for n in range(len(layers))]
    base = np.zeros((first[-1], columns), object)
    for n, layer in enumerate(layers):
        base[first[n] : first[n] + len(layer.base)] = layer.base
    base[first[-2] : first[-2] + len(tables.facets)] = tables.facets
    shape = (0, 0) if all(whole) else net.weights.shape
    weights = np.zeros((len(moduli), *shape), np.uint64)
    factors = np.zeros((first[-1], 2), object)
    for n, layer in enumerate(layers):
        factors[first[n] : first[n] + len(layer.base)] = layer.factors
    for n, layer in enumerate(layers):
        if whole[n] or not len(layer.weights):
            continue
        at, found = 0, _residues(layer.weights, moduli)
        for below in range(layer.source, n):
            m, u = len(layers[below].base), first[below] - first[layer.source]
            start = int(net.table[n, WEIGHTS]) + u
            weights[:, start : start + m, : found.shape[2]] = found[:, at : at + m]
            at += m
    return net._replace(
        fields=fields(moduli).copy(),
        base_residues=_residues(base, moduli),
        weight_residues=weights,
        factor_residues=_residues(factors, moduli),
    )


class Residues:
    """The kernels' network with residues, made when they are needed, once for all threads."""

    def __init__(self, tables: Tables) -> None:
        self._tables, self._lock = tables, threading.Lock()
        self._net: Layers | None = None

    def net(self) -> Layers:
        """The network with residues."""
        with self._lock:
            if self._net is None:
                self._net = with_residues(self._tables)
            return self._net


def _residues(integers: NDArray[np.object_], moduli: Sequence[int]) -> NDArray[np.uint64]:
    """Montgomery residues, (P, ..)."""
    p = np.array(moduli, np.uint64)[:, None, None]
    return np.ascontiguousarray(montgomery(residues_of(integers.tolist(), moduli), p), np.uint64)
