"""Networks as exact numbers, and their values at points; immutable."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import Immutable, public_class
from arrangements.checks import as_list
from arrangements.core.shortcuts import Shortcut
from arrangements.errors import InputError
from arrangements.exact.coercion import (
    as_exact_vector,
    as_floats,
    as_fractions,
    axes_of,
)
from arrangements.exact.numbers import fractions
from arrangements.files.paths import check_name
from arrangements.messages import quote
from arrangements.networks.affine_maps import values_at
from arrangements.networks.layer import INPUT, Layer, Source, read_pair
from arrangements.networks.normal_form import normal_form

Point = tuple[Fraction, ...]


@public_class
class Network(Immutable):
    """A network of layers ``z = W @ a + b``, all but the last followed by ReLU; immutable.

    Parameters
    ----------
    layers : sequence of (W, b) or Layer
        W is (n, k) for n outputs and k inputs, b (n,) or None for zeros. A `Layer` may have other
        slopes, and take the outputs of several earlier layers.
    slope : number
        Of units where their input is negative, in layers that do not say: 0 is ReLU, 0.01 a leaky
        ReLU.

    Attributes
    ----------
    layers : tuple of Layer
        In the normal form in which each has its slopes and inputs, and adds none: what was to be
        added has become columns of the weights.

    Raises
    ------
    InputError
        A malformed number or a layer that does not fit, named by its place.

    Notes
    -----
    The *pattern* of x has the sign of every unit at x, in the order of layers and units. Linear
    layers, such as the last one, have no units.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, -1, 0.5]], [0.25])])
    >>> net
    Network(2 inputs, 3 units, 1 output)
    >>> [str(y) for y in net.forward([1, 2])], net.float_forward([[1, 2], [0, 0]]).tolist()
    (['1/4'], [[0.25], [0.25]])

    A residual network: the second layer adds its input to the output of the third.

    >>> residual = Network([
    ...     ([[1, 2], [3, 4]], None),
    ...     ([[1, -1]], [1]),
    ...     Layer([[1], [1]], add=[0]),
    ...     ([[1, 1]], [0]),
    ... ])
    >>> residual, residual.layers[2].inputs
    (Network(2 inputs, 5 units, 1 output), (1, 0))
    """

    layers: tuple[Layer, ...]

    def __init__(
        self, layers: Iterable[tuple[ArrayLike, ArrayLike | None] | Layer], *, slope: Any = 0
    ) -> None:
        given = as_list("layers", layers, "a list of pairs (W, b), or of Layers")
        if not given:
            raise InputError("layers is empty; expected at least the layer of the outputs.")
        if axes_of(slope):
            raise InputError(f"slope is {quote(slope)}; expected a number. Layer takes several.")
        (usual,) = as_fractions([slope], "slope")
        found: list[Layer] = []
        for k, item in enumerate(given):
            layer = item if isinstance(item, Layer) else read_pair(k, item)
            slopes = layer.slopes
            if slopes is None:
                value = 1 if k == len(given) - 1 else usual
                slopes = as_exact_vector(np.full(layer.n_outputs, value, object), layer.n_outputs)
            weights, inputs = normal_form(k, layer, found)
            found.append(Layer._of(weights, layer.offsets, slopes, inputs))
        self.__dict__["layers"] = tuple(found)

    # ------------------------------------------------------------------ other libraries

    @classmethod
    def from_module(cls, module: Any, *, input_shape: Sequence[int] | None = None) -> Self:
        """The network of a module of PyTorch, exactly.

        Parameters
        ----------
        module : torch.nn.Module
            In evaluation (``module.eval()``). Its ``forward`` is traced by torch.fx; see Notes.
        input_shape : sequence of int, optional
            Shape of one input, without batch; needed unless the module begins with a linear
            layer. Inputs of the network are its entries, in C order.

        Raises
        ------
        InputError
            If a part is not piecewise linear, or not known here, named by its place.
        TooLargeError
            If a layer as a dense matrix takes more than half of the free memory.

        See Also
        --------
        from_file, from_estimator, from_state_dict

        Notes
        -----
        Read are linear layers, convolutions, batch normalization, means, also over windows and
        adaptive, sums, products with constants, concatenation, reshaping, and the units ReLU,
        LeakyReLU, PReLU, ReLU6, Hardtanh, Hardsigmoid, absolute values, clamp, maxima, minima and
        pools of maxima. Units that have several bends become several units: ``clip(z, 0, 6)`` is
        ``max(z, 0) - max(z - 6, 0)``, the maximum of two numbers ``a + max(b - a, 0)``, and pools
        are tournaments of these. Softmax, log-softmax and sigmoid at the end are left out: the
        outputs are the scores before, in the same order.

        A weight is the dyadic number that it is in its type, and everything between two layers
        of units is composed exactly. Only the scale ``weight / sqrt(running_var + eps)`` of a
        batch normalization is irrational: it counts as its float64 value, rounded to the type of
        `running_var`. Slopes and bounds of units count in float32, if all weights are at most
        float32, as PyTorch computes with them. Outputs of PyTorch differ from those here by the
        rounding errors of PyTorch only.

        Examples
        --------
        >>> try:
        ...     from torch import nn
        ...     net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
        ...     print(Network.from_module(net.eval(), input_shape=(1, 4, 4)))
        ... except ImportError:                                  # PyTorch is optional
        ...     print("Network(16 inputs, 8 units, 3 outputs)")
        Network(16 inputs, 8 units, 3 outputs)
        """
        from arrangements.networks.module_graphs import read_module  # few need it
        from arrangements.networks.weight_chains import check_input_shape

        return cls(read_module(module, check_input_shape(input_shape)))

    @classmethod
    def from_estimator(cls, fitted: Any) -> Self:
        """The network of a fitted MLPClassifier or MLPRegressor of scikit-learn, exactly.

        Parameters
        ----------
        fitted : estimator
            With the activation ``"relu"`` or ``"identity"``, also at the end of a pipeline whose
            other steps are affine, such as StandardScaler.

        Returns
        -------
        Network
            Its outputs are the scores before softmax or logistic function: one for each class, or
            a single one for two classes, positive for the second. Of a regressor they are the
            predictions, or their logarithms if its loss is ``"poisson"``.

        Raises
        ------
        InputError
            If it is another estimator, is not fitted, or has another activation.

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> W, b = [[[1.0, -1.0]], [[1.0], [1.0]]], [[0, 0], [0.5]]
        >>> fitted = SimpleNamespace(coefs_=W, intercepts_=b, activation="relu")
        >>> Network.from_estimator(fitted).forward([-2])
        (Fraction(5, 2),)
        """
        from arrangements.networks.weight_chains import read_estimator_layers  # few need it

        return cls(read_estimator_layers(fitted))

    @classmethod
    def from_state_dict(cls, state: Mapping[str, Any], *, slope: Any = 0) -> Self:
        """The network whose weights and biases follow each other in a dictionary.

        Parameters
        ----------
        state : mapping of str to array_like
            Matrices ``(n, k)`` and their biases in the order of the layers, such as
            ``module.state_dict()``; names ``kernel`` are ``(k, n)``.
        slope : number
            As in `Network`: names do not say which units stand between the layers.

        Raises
        ------
        InputError
            If layers do not fit, or there are arrays of convolutions or normalizations.

        Examples
        --------
        >>> state = {"0.weight": [[1, 2], [0, 1]], "0.bias": [0, 1], "2.weight": [[1, -1]]}
        >>> Network.from_state_dict(state)
        Network(2 inputs, 2 units, 1 output)
        """
        from arrangements.networks.weight_chains import read_weights  # few need it

        return cls(read_weights(state), slope=slope)

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        key: str | None = None,
        *,
        input_shape: Sequence[int] | None = None,
        slope: Any = 0,
    ) -> Self:
        """The network of a file, exactly.

        Parameters
        ----------
        path : str or path-like
            An ``.onnx`` file, whose graph says everything; or weights and biases of layers that
            follow each other: ``.pt``, ``.pth``, ``.safetensors``, ``.npz``, ``.h5``, ``.keras``.
        key : str, optional
            Of a graph, the value at which the network ends; default the output, before softmax.
        input_shape : sequence of int, optional
            Of a graph that does not say so, the shape of one input, without batch.
        slope : number
            As in `from_state_dict`, for files of weights, which do not say what the units are.

        Raises
        ------
        InputError
            If the file cannot be read, or a node is not piecewise linear, which the message names.
        MissingDependencyError
            If a library that reads the format is not installed.

        Notes
        -----
        Of ONNX are read the operations that `from_module` names, and Gemm, MatMul, Pad, Slice,
        Split, Gather with constants, Squeeze, Transpose, and everything that depends on constants
        only. An axis of the input in front that has no size counts as a batch of one; with a
        size, all of the input counts.

        Examples
        --------
        >>> import tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "net.npz")
        >>> np.savez(path, **{"0.weight": np.eye(2), "0.bias": [0, -1], "2.weight": [[1, 1]]})
        >>> Network.from_file(path).count_regions()
        4
        """
        # formats of files load slowly
        from arrangements.networks.weight_chains import check_input_shape, read_weight_file

        check_name(path)
        name, shape = os.fspath(path), check_input_shape(input_shape)
        if not name.lower().endswith(".onnx"):
            if key is not None:
                raise InputError(
                    f"key is {quote(key)}; only the graph of an .onnx file has values with names."
                )
            return cls(read_weight_file(name), slope=slope)
        from arrangements.networks.onnx_graphs import read_onnx_layers  # few need it

        return cls(read_onnx_layers(name, key, shape))

    # ------------------------------------------------------------------ questions

    regions: Shortcut = Shortcut("regions")
    iter_regions: Shortcut = Shortcut("iter_regions")
    count_regions: Shortcut = Shortcut("count_regions")
    region_at: Shortcut = Shortcut("region_at")
    path: Shortcut = Shortcut("path")
    slice: Shortcut = Shortcut("slice_network")
    fold_regions: Shortcut = Shortcut("fold_regions")
    write_regions: Shortcut = Shortcut("write_regions")
    plan_regions: Shortcut = Shortcut("plan_regions")
    region_f_vector: Shortcut = Shortcut("region_f_vector")
    dual_graph: Shortcut = Shortcut("dual_graph")
    unit_states: Shortcut = Shortcut("unit_states")
    region_bounds: Shortcut = Shortcut("region_bounds")
    decision_regions: Shortcut = Shortcut("decision_regions")
    iter_decision_regions: Shortcut = Shortcut("iter_decision_regions")
    can_output: Shortcut = Shortcut("can_output")
    maximum: Shortcut = Shortcut("maximum")
    counterexamples: Shortcut = Shortcut("counterexamples")
    minimum: Shortcut = Shortcut("minimum")
    other_class: Shortcut = Shortcut("other_class")
    robust_radius: Shortcut = Shortcut("robust_radius")
    robust_radii: Shortcut = Shortcut("robust_radii")
    differing_input: Shortcut = Shortcut("differing_input")
    lipschitz_constant: Shortcut = Shortcut("lipschitz_constant")
    is_monotone: Shortcut = Shortcut("is_monotone")
    explore: Shortcut = Shortcut("explore")

    @property
    def dimension(self) -> int:
        """Number d of inputs."""
        return int(self.layers[0].weights.shape[1])

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return self.layers[-1].n_outputs

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Number of units in each layer; 0 in a linear one."""
        return tuple(layer.n_units for layer in self.layers)

    @property
    def n_units(self) -> int:
        """Number of units of all layers, the length of a pattern."""
        return sum(self.widths)

    @cached_property
    def units(self) -> tuple[tuple[int, int], ...]:
        """Layer and row of each unit, in the order of patterns.

        Examples
        --------
        >>> Network([([[1], [2]], None), ([[1, 1]], None), ([[1]], None)]).units
        ((0, 0), (0, 1), (1, 0))
        """
        return tuple((k, i) for k, n in enumerate(self.widths) for i in range(n))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Number of the first unit of each layer, and last the number of units."""
        return (0, *np.cumsum(self.widths, dtype=int).tolist())

    @cached_property
    def unit_slopes(self) -> tuple[Fraction, ...]:
        """The slope of each unit where its input is negative, in the order of patterns."""
        slopes = [layer.slopes for layer in self.layers if not layer.is_linear]
        return tuple(Fraction(s) for some in slopes if some is not None for s in fractions(some))

    # ------------------------------------------------------------------ values

    def forward(self, x: ArrayLike) -> Point:
        """The outputs at a point, exact.

        Parameters
        ----------
        x : (d,) array_like

        Examples
        --------
        >>> Network([([[1], [-1]], None), ([[1, 1]], None)]).forward([Fraction(-1, 3)])
        (Fraction(1, 3),)
        """
        return tuple(self._values(x)[1])

    def pattern_at(self, x: ArrayLike) -> NDArray[np.int8]:
        """The signs of all units at a point, exact: 0 where the input of a unit is 0 there.

        Parameters
        ----------
        x : (d,) array_like

        Examples
        --------
        >>> Network([([[1], [-1], [0]], [0, 1, 0]), ([[1, 1, 1]], None)]).pattern_at([0.5])
        array([1, 1, 0], dtype=int8)
        """
        return np.array(self._values(x)[0], np.int8)

    def _values(self, x: ArrayLike) -> tuple[list[int], list[Fraction]]:
        point = as_fractions(x, "x")
        if len(point) != self.dimension:
            raise InputError(f"x has {len(point)} entries; expected {self.dimension}, the inputs.")
        return values_at(self.layers, point)

    def float_forward(self, X: ArrayLike) -> NDArray[np.float64]:
        """The outputs at points, in floating point.

        Parameters
        ----------
        X : (m, d) or (d,) array_like

        Returns
        -------
        (m, n) or (n,) ndarray of float64
        """
        points = as_floats(X, "X")
        if points.ndim not in (1, 2) or points.shape[-1] != self.dimension:
            d = self.dimension
            raise InputError(f"X has shape {points.shape}; expected (m, {d}) or ({d},).")
        outputs: dict[Source, NDArray[np.float64]] = {INPUT: points}
        for k, layer in enumerate(self.layers):
            a = np.concatenate([outputs[source] for source in layer.inputs or ()], axis=-1)
            z = a @ layer.float_weights.T + layer.float_offsets
            outputs[k] = z if layer.is_linear else np.where(z > 0, z, layer.float_slopes * z)
        return outputs[len(self.layers) - 1]

    def __eq__(self, other: object) -> bool:
        """Whether all layers are the same, in their normal forms."""
        return self.layers == other.layers if isinstance(other, Network) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.layers)

    def __repr__(self) -> str:
        counted = (self.dimension, "input"), (self.n_units, "unit"), (self.n_outputs, "output")
        parts = [f"{n} {name}{'s' * (n != 1)}" for n, name in counted]
        return f"Network({', '.join(parts)})"

    def _repr_html_(self) -> str:
        return notebook.card(repr(self), (), self._layer_table())

    def _layer_table(self) -> notebook.Markup:
        """The layers as a table of a notebook: what they take and make, and slopes below 0."""
        rows = []
        for k, layer in enumerate(self.layers):
            n = layer.n_outputs
            slopes = sorted(set(layer.float_slopes.tolist()))
            slope = "" if layer.is_linear else "several" if len(slopes) > 1 else f"{slopes[0]:g}"
            noun = "output" if layer.is_linear else "unit"
            made = f"{n} {noun}{'s' * (n != 1)}"
            taken = ", ".join(map(str, layer.inputs or ()))
            rows.append([k, taken, layer.weights.shape[1], made, slope])
        head = ["layer", "takes", "values", "makes", "slope"]
        return notebook.table(head, rows, len(rows))
