"""Graphs of .onnx files as layers, node by node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix
from arrangements.files.archives import name_damage
from arrangements.files.onnx_files import OnnxGraph, read_graph
from arrangements.messages import first_line, quote, quote_path
from arrangements.networks import convolutions
from arrangements.networks.assembly import Assembly, Tensor, UnreadError, constant_tensor
from arrangements.networks.convolutions import Window
from arrangements.networks.layer import Layer

# Left out at the end, for they keep the order of scores; and everywhere.
_MONOTONE = ("Softmax", "LogSoftmax", "Sigmoid", "Identity", "Cast")
_IDLE = ("Identity", "Cast", "Dropout")

Value = Any  # a Tensor, or an array of constants


def read_onnx_layers(path: str, key: str | None, input_shape: Sequence[int] | None) -> list[Layer]:
    """The layers of a graph from its input to an output, or to the value called `key`."""
    graph = read_graph(path)
    with name_damage(path):
        return _Reading(graph, input_shape).layers(key)


class _Reading:
    """One pass over the nodes that a value needs."""

    def __init__(self, graph: OnnxGraph, input_shape: Sequence[int] | None) -> None:
        self.graph, self.given, self.net = graph, input_shape, Assembly()
        self.name = quote_path(graph.path)
        self.values: dict[str, Value] = {"": None}

    def layers(self, key: str | None) -> list[Layer]:
        end = key if key is not None else self._end()
        known = {**self.graph.makers, **self.graph.arrays}
        if end not in known:
            names = [name for name in self.graph.makers if name]
            listed = ", ".join(map(quote, names[-8:]))
            raise InputError(f"{self.name} has no value {quote(key)}; the last are {listed}.")
        self.values[self._input()] = self.net.inputs(self._shape())
        for node in self._needed(end):
            self._read(node)
        found = self.values[end]
        if not isinstance(found, Tensor):
            raise InputError(f"{self.name}: {quote(end)} does not depend on the inputs.")
        return self.net.finish(found)

    def _end(self) -> str:
        """The value before what only makes probabilities of scores."""
        name = self.graph.scores[0]
        while name in self.graph.makers and self.graph.makers[name].op_type in _MONOTONE:
            name = self.graph.makers[name].input[0]
        return name

    def _input(self) -> str:
        names = [entry.name for entry in self.graph.graph.input]
        names = [name for name in names if name not in self.graph.arrays]
        if len(names) != 1:
            listed = ", ".join(map(quote, names)) or "none"
            raise InputError(f"{self.name} has {len(names)} inputs, {listed}; expected one.")
        return names[0]

    def _shape(self) -> tuple[int, ...]:
        """The shape of the input; an axis in front without a size counts as a batch of 1."""
        if self.given is not None:
            return (1, *map(int, self.given))
        (entry,) = (e for e in self.graph.graph.input if e.name not in self.graph.arrays)
        sizes = [dim.dim_value for dim in entry.type.tensor_type.shape.dim]
        if sizes and sizes[0] <= 0:
            sizes[0] = 1
        if not sizes or min(sizes) < 1:
            raise InputError(
                f"{self.name} does not say the shape of {quote(entry.name)}; pass the shape of one "
                "input, such as input_shape=(1, 28, 28)."
            )
        return tuple(sizes)

    def _needed(self, end: str) -> list[Any]:
        """Nodes on which a value depends, in the order of the graph."""
        wanted, found = {end}, []
        for node in reversed(self.graph.graph.node):
            if wanted & set(node.output) and not all(o in self.graph.arrays for o in node.output):
                found.append(node)
                wanted |= set(node.input)
        return found[::-1]

    def _value(self, name: str) -> Value:
        if name not in self.values and name in self.graph.arrays:
            self.values[name] = np.asarray(self.graph.arrays[name].load())
        if name not in self.values:
            raise InputError(f"{self.name}: no node makes {quote(name)}.")
        return self.values[name]

    def _read(self, node: Any) -> None:
        inputs = [self._value(name) for name in node.input]
        given = {a.name: self.graph.onnx.helper.get_attribute_value(a) for a in node.attribute}
        kind = node.op_type
        if kind == "Shape" and isinstance(inputs[0], Tensor):
            made: Value = np.array(inputs[0].shape, np.int64)
        elif not any(isinstance(value, Tensor) for value in inputs):
            made = self._constants(node, inputs)
        elif kind in _IDLE:
            made = inputs[0]
        else:
            made = self._operation(node, inputs, given)
        outputs = made if isinstance(made, list) else [made]
        self.values.update(zip(node.output, outputs, strict=False))

    def _operation(self, node: Any, inputs: list[Value], given: dict[str, Any]) -> Value:
        kind = node.op_type
        try:
            if kind not in _OPERATIONS:
                raise UnreadError("is not piecewise linear, or not known here")
            return _OPERATIONS[kind](self.net, given, *inputs)
        except (UnreadError, TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            title = f"node {quote(node.name)}" if node.name else f"the node of {node.output[0]!r}"
            raise InputError(
                f"{self.name} is not read: {title} ({quote(kind)[1:-1]}) {first_line(error)}. key= "
                "names an earlier value, at which the network ends."
            ) from error

    def _constants(self, node: Any, inputs: list[Value]) -> list[Value]:
        """What a node makes of arrays, as the library onnx computes it."""
        from onnx.reference import ReferenceEvaluator  # loads slowly

        helper = self.graph.onnx.helper
        names = [name for name in node.input if name]
        graph = helper.make_graph(
            [node],
            "constants",
            [helper.make_empty_tensor_value_info(name) for name in names],
            [helper.make_empty_tensor_value_info(name) for name in node.output if name],
        )
        model = helper.make_model(graph, opset_imports=self.graph.model.opset_import)
        feeds = {n: v for n, v in zip(node.input, inputs, strict=True) if n}
        found: list[Value] = list(ReferenceEvaluator(model).run(None, feeds))
        return found


# ------------------------------------------------------------------ operations


def _tensor(value: Value) -> Tensor:
    return value if isinstance(value, Tensor) else constant_tensor(value)


def _gemm(net: Assembly, given: dict[str, Any], a: Value, b: Value, c: Value = None) -> Tensor:
    if not isinstance(a, Tensor) or isinstance(b, Tensor):
        raise UnreadError("multiplies with a matrix on the left, or two tensors")
    x = _transposed(a) if given.get("transA") else a
    W = as_exact_matrix(b if given.get("transB") else b.T, "weights")
    alpha, beta = given.get("alpha", 1.0), given.get("beta", 1.0)
    found = net.linear(x, W, None)
    found = found if alpha == 1 else net.scale(found, alpha)
    if c is None:
        return found
    added = _tensor(c)
    return net.add(found, added if beta == 1 else net.scale(added, beta))


def _transposed(x: Tensor) -> Tensor:
    return x.arranged(np.transpose)


def _matmul(net: Assembly, given: dict[str, Any], a: Value, b: Value) -> Tensor:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        raise UnreadError("multiplies two tensors that depend on the inputs")
    if isinstance(a, Tensor):
        if np.ndim(b) != 2:
            raise UnreadError(f"multiplies with an array of shape {np.shape(b)}")
        return net.linear(a, as_exact_matrix(b.T, "weights"), None)
    if np.ndim(a) != 2 or len(b.shape) > 2:
        raise UnreadError(f"multiplies an array of shape {np.shape(a)}")
    found = net.linear(_transposed(b), as_exact_matrix(a, "weights"), None)
    return _transposed(found)


def _convolution(
    net: Assembly, given: dict[str, Any], x: Tensor, W: Value, b: Value = None
) -> Tensor:
    if isinstance(W, Tensor):
        raise UnreadError("has weights that depend on the inputs")
    window = _window({**given, "kernel_shape": W.shape[2:]}, x)
    return convolutions.convolve(net, x, W, b, window, given.get("group", 1))


def _window(given: dict[str, Any], x: Tensor) -> Window:
    kernel = tuple(given["kernel_shape"])
    if given.get("ceil_mode"):
        raise UnreadError("has ceil_mode")
    axes = len(kernel)
    ones, zeros = (1,) * axes, (0,) * axes
    window = Window(
        kernel,
        tuple(given.get("strides", ones)),
        tuple(given.get("dilations", ones)),
        tuple(given.get("pads", zeros + zeros)[:axes]),
        tuple(given.get("pads", zeros + zeros)[axes:]),
    )
    auto = given.get("auto_pad", b"NOTSET").decode()
    if auto not in ("SAME_UPPER", "SAME_LOWER"):
        return window
    total = [
        max((-(-n // s) - 1) * s + d * (k - 1) + 1 - n, 0)
        for n, k, s, d in zip(x.shape[2:], *window[:3], strict=True)
    ]
    less, more = tuple(n // 2 for n in total), tuple(n - n // 2 for n in total)
    first = auto == "SAME_UPPER"
    return window._replace(before=less if first else more, after=more if first else less)


def _norm(net: Assembly, given: dict[str, Any], x: Tensor, *numbers: Value) -> Tensor:
    if given.get("training_mode"):
        raise UnreadError("is in training mode")
    scale, bias, mean, variance = numbers
    epsilon = given.get("epsilon", 1e-5)
    return convolutions.normalize(net, x, mean, variance, scale, bias, epsilon)


def _average(net: Assembly, given: dict[str, Any], x: Tensor) -> Tensor:
    counted = bool(given.get("count_include_pad", 0))
    return convolutions.average(net, x, _window(given, x), count_padding=counted)


def _everywhere(net: Assembly, x: Tensor, make: Callable[..., Tensor]) -> Tensor:
    return make(net, x, Window.of(x.shape[2:]))


def _leaky(net: Assembly, given: dict[str, Any], x: Tensor) -> Tensor:
    return net.relu(x, given.get("alpha", float(np.float32(0.01))))


def _prelu(net: Assembly, given: dict[str, Any], x: Tensor, slope: Value) -> Tensor:
    return net.relu(x, np.broadcast_to(slope, x.shape))


def _clip(
    net: Assembly, given: dict[str, Any], x: Tensor, low: Value = None, high: Value = None
) -> Tensor:
    return net.clip(x, given.get("min", low), given.get("max", high))


def _hard_sigmoid(net: Assembly, given: dict[str, Any], x: Tensor) -> Tensor:
    alpha, beta = given.get("alpha", float(np.float32(0.2))), given.get("beta", 0.5)
    return net.clip(net.add(net.scale(x, alpha), constant_tensor(beta)), 0, 1)


def _many(make: str) -> Callable[..., Tensor]:
    def fold(net: Assembly, given: dict[str, Any], first: Value, *others: Value) -> Tensor:
        found = _tensor(first)
        for other in others:
            found = getattr(net, make)(found, _tensor(other))
        return found

    return fold


def _concatenate(net: Assembly, given: dict[str, Any], *parts: Value) -> Tensor:
    return net.concatenate([_tensor(part) for part in parts], given["axis"])


def _flatten(net: Assembly, given: dict[str, Any], x: Tensor) -> Tensor:
    axis = given.get("axis", 1)
    rows = int(np.prod(x.shape[: axis if axis >= 0 else len(x.shape) + axis]))
    return x.arranged(lambda places: places.reshape(rows, -1))


def _reshape(net: Assembly, given: dict[str, Any], x: Tensor, shape: Value = None) -> Tensor:
    sizes = [int(n) for n in (given["shape"] if shape is None else shape)]
    if not given.get("allowzero"):
        sizes = [x.shape[k] if n == 0 else n for k, n in enumerate(sizes)]
    return x.arranged(lambda places: places.reshape(sizes))


def _transpose(net: Assembly, given: dict[str, Any], x: Tensor) -> Tensor:
    return x.arranged(lambda places: places.transpose(given.get("perm")))


def _axes(given: dict[str, Any], axes: Value) -> tuple[int, ...] | None:
    found = given.get("axes", axes)
    return None if found is None else tuple(int(axis) for axis in found)


def _squeeze(net: Assembly, given: dict[str, Any], x: Tensor, axes: Value = None) -> Tensor:
    return x.arranged(lambda places: np.squeeze(places, _axes(given, axes)))


def _unsqueeze(net: Assembly, given: dict[str, Any], x: Tensor, axes: Value = None) -> Tensor:
    return x.arranged(lambda places: np.expand_dims(places, _axes(given, axes) or ()))


def _mean(net: Assembly, given: dict[str, Any], x: Tensor, axes: Value = None) -> Tensor:
    over = _axes(given, axes)
    chosen = tuple(range(len(x.shape))) if over is None else over
    return net.mean(x, chosen, bool(given.get("keepdims", 1)))


def _total(net: Assembly, given: dict[str, Any], x: Tensor, axes: Value = None) -> Tensor:
    found = _mean(net, given, x, axes)
    return net.scale(found, x.size // max(1, found.size))


def _gather(net: Assembly, given: dict[str, Any], x: Value, indices: Value) -> Tensor:
    if not isinstance(x, Tensor) or isinstance(indices, Tensor):
        raise UnreadError("looks places up that depend on the inputs")
    return x.arranged(lambda places: np.take(places, indices, given.get("axis", 0)))


def _slice(net: Assembly, given: dict[str, Any], x: Tensor, *numbers: Value) -> Tensor:
    names = ("starts", "ends", "axes", "steps")
    options = {**given, **dict(zip(names, numbers, strict=False))}
    starts, ends = options["starts"], options["ends"]
    axes, steps = options.get("axes"), options.get("steps")
    axes = range(len(starts)) if axes is None else axes
    steps = np.ones(len(starts), int) if steps is None else steps
    index = [slice(None)] * len(x.shape)
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        last = None if step < 0 and end < -x.shape[axis] else int(end)
        index[int(axis)] = slice(int(start), last, int(step))
    return x.arranged(lambda places: places[tuple(index)])


def _split(net: Assembly, given: dict[str, Any], x: Tensor, sizes: Value = None) -> list[Tensor]:
    axis, sizes = given.get("axis", 0), given.get("split", sizes)
    count, whole = given.get("num_outputs"), x.shape[axis]
    if sizes is None:
        if count is None:
            raise UnreadError("does not say the sizes of its parts")
        ends = list(range(-(-whole // count), whole, -(-whole // count)))
    else:
        ends = np.cumsum(sizes)[:-1].tolist()
    numbers = np.arange(x.size).reshape(x.shape)
    return [x.take(places) for places in np.split(numbers, ends, axis)]


def _pad(
    net: Assembly, given: dict[str, Any], x: Tensor, pads: Value = None, value: Value = None
) -> Tensor:
    amounts = np.asarray(given.get("pads", pads)).reshape(2, -1).T
    filled = given.get("value", 0 if value is None else np.ravel(value)[0])
    if given.get("mode", b"constant") != b"constant" or filled or amounts.min() < 0:
        raise UnreadError("pads with something else than zeros")

    def padded(places: NDArray[np.intp]) -> NDArray[np.intp]:
        found: NDArray[np.intp] = np.pad(places, amounts, constant_values=-1)
        return found

    return x.arranged(padded)


_OPERATIONS: dict[str, Callable[..., Value]] = {
    "Abs": lambda net, given, x: net.relu(x, -1),
    "Add": _many("add"),
    "AveragePool": _average,
    "BatchNormalization": _norm,
    "Clip": _clip,
    "Concat": _concatenate,
    "Conv": _convolution,
    "Div": lambda net, given, x, y: net.divide(_tensor(x), _tensor(y)),
    "Flatten": _flatten,
    "Gather": _gather,
    "Gemm": _gemm,
    "GlobalAveragePool": lambda net, given, x: _everywhere(net, x, convolutions.average),
    "GlobalMaxPool": lambda net, given, x: _everywhere(net, x, convolutions.largest),
    "HardSigmoid": _hard_sigmoid,
    "LeakyRelu": _leaky,
    "MatMul": _matmul,
    "Max": _many("maximum"),
    "MaxPool": lambda net, given, x: convolutions.largest(net, x, _window(given, x)),
    "Min": _many("minimum"),
    "Mul": lambda net, given, x, y: net.multiply(_tensor(x), _tensor(y)),
    "Neg": lambda net, given, x: net.scale(x, -1),
    "PRelu": _prelu,
    "Pad": _pad,
    "ReduceMean": _mean,
    "ReduceSum": _total,
    "Relu": lambda net, given, x: net.relu(x),
    "Reshape": _reshape,
    "Slice": _slice,
    "Split": _split,
    "Squeeze": _squeeze,
    "Sub": lambda net, given, x, y: net.subtract(_tensor(x), _tensor(y)),
    "Sum": _many("add"),
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}
