"""Modules of PyTorch as layers: the graph that torch.fx traces, operation by operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, from_tensor
from arrangements.messages import first_line
from arrangements.networks import convolutions
from arrangements.networks.assembly import Assembly, Tensor, UnreadError, constant_tensor
from arrangements.networks.convolutions import Window
from arrangements.networks.layer import Layer

# What the last of them makes keeps the order of the scores, so it is left out at the end.
_MONOTONE = {"Softmax", "LogSoftmax", "Sigmoid", "LogSigmoid", "softmax", "log_softmax", "sigmoid"}
_IDLE = {"Identity", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout"}
_IDLE |= {"contiguous", "clone", "detach", "float", "double"}
_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")


def is_module(value: Any) -> bool:
    """Tell if this is a module of PyTorch."""
    return hasattr(value, "forward") and hasattr(value, "named_modules")


def read_module(module: Any, input_shape: Sequence[int] | None) -> list[Layer]:
    """The layers of a module, for inputs of a shape without batch."""
    if not is_module(module):
        raise InputError(
            f"module is a {type(module).__name__}; expected a module of PyTorch, such as "
            "torch.nn.Sequential. from_estimator takes networks of scikit-learn, from_file files."
        )
    _check_evaluation(module)
    shape = _shape(module, input_shape)
    graph = _trace(module)
    return _Reading(graph, module).layers(shape)


def _check_evaluation(module: Any) -> None:
    for name, part in module.named_modules():
        kind = type(part).__name__
        if part.training and (kind in _NORMS or "Dropout" in kind):
            raise InputError(
                f"module is in training mode, and {_place(name, kind)} works otherwise in "
                "evaluation; call module.eval() first."
            )


def _place(name: str, kind: str) -> str:
    return f"{name!r} ({kind})" if name else f"a {kind}"


def _shape(module: Any, given: Sequence[int] | None) -> tuple[int, ...]:
    """The shape of an input, by default that of the first linear layer, if this comes first."""
    if given is not None:
        return tuple(given)
    for _, part in module.named_modules():
        kind = type(part).__name__
        if hasattr(part, "in_features") and hasattr(part, "weight"):
            return (int(part.in_features),)
        if not any(True for _ in part.children()) and kind not in (*_IDLE, "Flatten"):
            break
    raise InputError(
        "input_shape is missing, and the module does not begin with a linear layer; expected the "
        "shape of one input, such as input_shape=(1, 28, 28)."
    )


def _trace(module: Any) -> Any:
    import torch.fx  # whoever has a module has it

    if isinstance(module, torch.jit.ScriptModule):
        raise InputError(
            "module is a script of torch.jit; pass the module that it was made of, or export it "
            "with torch.onnx.export and read the file with Network.from_file."
        )
    try:
        return torch.fx.symbolic_trace(torch.nn.Sequential(module))
    except Exception as error:  # a forward that depends on values raises anything
        raise InputError(
            f"module cannot be traced ({first_line(error)}); export it with torch.onnx.export and "
            "read the file with Network.from_file."
        ) from error


class _Reading:
    """One pass over the nodes of a traced module."""

    def __init__(self, traced: Any, module: Any) -> None:
        self.traced, self.net = traced, Assembly()
        self.values: dict[Any, Any] = {}
        kinds = {str(p.dtype).rpartition(".")[2] for p in module.parameters()}
        # scalars of a module count in the type of its weights
        self.short = np.float32 if kinds <= {"float32", "float16", "bfloat16"} else np.float64

    def layers(self, shape: tuple[int, ...]) -> list[Layer]:
        nodes = list(self.traced.graph.nodes)
        (last,) = (node for node in nodes if node.op == "output")
        skipped = self._monotone_end(last)
        began = False
        for node in nodes:
            if node.op == "placeholder":
                if began:
                    raise InputError("module takes several inputs; expected one tensor.")
                began = True
                self.values[node] = self.net.inputs((1, *shape))
            elif node.op != "output":
                self.values[node] = self._value(node, node in skipped)
        found = self._resolve(last.args[0])
        if not isinstance(found, Tensor):
            raise InputError(f"module returns a {type(found).__name__}; expected one tensor.")
        return self.net.finish(found)

    def _monotone_end(self, last: Any) -> set[Any]:
        """Nodes before the output that keep the order of scores."""
        found: set[Any] = set()
        node = last.args[0]
        while hasattr(node, "op") and self._kind(node) in _MONOTONE:
            found.add(node)
            node = node.args[0]
        return found

    def _kind(self, node: Any) -> str:
        if node.op == "call_module":
            return type(self.traced.get_submodule(node.target)).__name__
        return getattr(node.target, "__name__", str(node.target))

    def _resolve(self, value: Any) -> Any:
        """Arguments of a node, with what earlier nodes made."""
        if isinstance(value, (list, tuple)):
            return type(value)(map(self._resolve, value))
        return self.values[value] if hasattr(value, "op") and hasattr(value, "target") else value

    def _value(self, node: Any, skipped: bool) -> Any:
        args = self._resolve(tuple(node.args))
        options = {name: self._resolve(value) for name, value in node.kwargs.items()}
        kind = self._kind(node)
        if skipped or kind in _IDLE:
            return args[0]
        if node.op == "get_attr":
            part, _, name = node.target.rpartition(".")
            return from_tensor(getattr(self.traced.get_submodule(part), name))
        module = node.op == "call_module"
        place = node.target.removeprefix("0").removeprefix(".") if module else node.name
        try:
            if module:
                if kind not in _MODULES:
                    raise UnreadError("is not piecewise linear, or not known here")
                part = self.traced.get_submodule(node.target)
                if callable(getattr(part, "weight", None)):
                    raise UnreadError("is quantized, which rounds its inputs")
                return _MODULES[kind](self, part, *args)
            if kind not in _FUNCTIONS:
                raise UnreadError("is not piecewise linear, or not known here")
            return _FUNCTIONS[kind](self, *args, **options)
        except (UnreadError, TypeError) as error:
            reason = first_line(error)
            raise InputError(
                f"module is not read: {_place(place, kind)} {reason}; expected "
                "linear layers, convolutions, means, maxima, ReLU and other piecewise linear units."
            ) from error

    def number(self, value: Any) -> float:
        """A scalar as the module computes with it."""
        return float(self.short(value))

    def tensor(self, value: Any) -> Tensor:
        """A tensor, also of a number or of an array of the module."""
        if isinstance(value, Tensor):
            return value
        return constant_tensor(self.number(value) if np.ndim(value) == 0 else value)


# ------------------------------------------------------------------ operations


def _linear(r: _Reading, x: Any, W: Any, b: Any = None) -> Tensor:
    return r.net.linear(r.tensor(x), as_exact_matrix(W, "weight"), b)


def _convolution(r: _Reading, part: Any, x: Tensor) -> Tensor:
    if part.padding_mode != "zeros":
        raise UnreadError(f"pads by {part.padding_mode!r}")
    axes, pads = len(part.kernel_size), part.padding
    window = Window.of(part.kernel_size, part.stride, 0, part.dilation)
    if pads == "same":
        reach = [d * (k - 1) for k, d in zip(part.kernel_size, part.dilation, strict=True)]
        window = window._replace(
            before=tuple(n // 2 for n in reach), after=tuple(n - n // 2 for n in reach)
        )
    elif pads != "valid":
        window = Window.of(part.kernel_size, part.stride, pads, part.dilation, axes)
    return convolutions.convolve(r.net, x, part.weight, part.bias, window, part.groups)


def _norm(r: _Reading, part: Any, x: Tensor) -> Tensor:
    if part.running_var is None:
        raise UnreadError("has no running statistics")
    numbers = part.running_mean, part.running_var, part.weight, part.bias, part.eps
    return convolutions.normalize(r.net, x, *numbers)


def _average(
    r: _Reading,
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Tensor:
    window = _window(x, kernel_size, stride, padding, 1, ceil_mode)
    return convolutions.average(
        r.net, x, window, count_padding=count_include_pad, divisor=divisor_override
    )


def _maximum(
    r: _Reading,
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor:
    if return_indices:
        raise UnreadError("returns places")
    window = _window(x, kernel_size, stride, padding, dilation, ceil_mode)
    return convolutions.largest(r.net, x, window)


def _window(
    x: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> Window:
    if ceil_mode:
        raise UnreadError("has ceil_mode")
    strides = kernel if stride is None or stride == () else stride
    return Window.of(kernel, strides, padding, dilation, len(x.shape) - 2)


def _adaptive(x: Tensor, size: Any) -> Window:
    """The window of an adaptive pool, if it has the same size everywhere."""
    spatial = x.shape[2:]
    sizes = [
        n if m is None else m for n, m in zip(spatial, _repeated(size, len(spatial)), strict=True)
    ]
    if any(n % m for n, m in zip(spatial, sizes, strict=True)):
        raise UnreadError(f"pools {spatial} to {tuple(sizes)}, which does not divide it")
    kernel = tuple(n // m for n, m in zip(spatial, sizes, strict=True))
    return Window.of(kernel, kernel)


def _repeated(size: Any, axes: int) -> tuple[Any, ...]:
    return tuple(size) if isinstance(size, Sequence) else (size,) * axes


def _adaptive_average(r: _Reading, x: Tensor, output_size: Any) -> Tensor:
    return convolutions.average(r.net, x, _adaptive(x, output_size))


def _adaptive_maximum(r: _Reading, x: Tensor, output_size: Any) -> Tensor:
    return convolutions.largest(r.net, x, _adaptive(x, output_size))


def _prelu(r: _Reading, x: Tensor, weight: Any) -> Tensor:
    slopes = np.asarray(from_tensor(weight)).ravel()
    if len(slopes) > 1:
        slopes = slopes.reshape(-1, *(1 for _ in x.shape[2:]))
    return r.net.relu(x, np.broadcast_to(slopes, x.shape))


def _leaky(r: _Reading, x: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    return r.net.relu(x, r.number(negative_slope))


def _clamp(r: _Reading, x: Tensor, min: Any = None, max: Any = None, **_: Any) -> Tensor:
    bounds = (None if bound is None else r.number(bound) for bound in (min, max))
    return r.net.clip(x, *bounds)


def _hard_sigmoid(r: _Reading, x: Tensor, inplace: bool = False) -> Tensor:
    moved = r.net.clip(r.net.add(x, constant_tensor(3)), 0, 6)
    return r.net.scale(moved, np.array(Fraction(1, 6), object))


def _flatten(r: _Reading, x: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    axes = len(x.shape)
    start, end = start_dim % axes, end_dim % axes
    return _reshape(r, x, (*x.shape[:start], -1, *x.shape[end + 1 :]))


def _reshape(r: _Reading, x: Tensor, *shape: Any) -> Tensor:
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape
    try:
        return x.arranged(lambda places: places.reshape(tuple(sizes)))
    except ValueError:
        raise UnreadError(f"makes {tuple(sizes)} of {x.shape}") from None


def _unflatten(r: _Reading, x: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    at = dim % len(x.shape)
    return _reshape(r, x, (*x.shape[:at], *sizes, *x.shape[at + 1 :]))


def _transpose(r: _Reading, x: Tensor, first: int, second: int) -> Tensor:
    return x.arranged(lambda places: np.swapaxes(places, first, second))


def _permute(r: _Reading, x: Tensor, *axes: Any) -> Tensor:
    order = axes[0] if len(axes) == 1 and isinstance(axes[0], Sequence) else axes
    return x.arranged(lambda places: places.transpose(order))


def _squeeze(r: _Reading, x: Tensor, dim: int | None = None) -> Tensor:
    if dim is not None and x.shape[dim] != 1:
        return x
    return x.arranged(lambda places: np.squeeze(places, dim))


def _join(r: _Reading, tensors: Sequence[Any], dim: int = 0) -> Tensor:
    return r.net.concatenate([r.tensor(part) for part in tensors], dim)


def _mean(r: _Reading, x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    axes = tuple(range(len(x.shape))) if dim is None else _repeated(dim, 1)
    return r.net.mean(x, axes, keepdim)


def _sum(r: _Reading, x: Any, y: Any) -> Any:
    if not isinstance(x, Tensor) and not isinstance(y, Tensor):
        return x + y
    return r.net.add(r.tensor(x), r.tensor(y))


def _difference(r: _Reading, x: Any, y: Any) -> Any:
    if not isinstance(x, Tensor) and not isinstance(y, Tensor):
        return x - y
    return r.net.subtract(r.tensor(x), r.tensor(y))


def _product(r: _Reading, x: Any, y: Any) -> Any:
    if not isinstance(x, Tensor) and not isinstance(y, Tensor):
        return x * y
    return r.net.multiply(r.tensor(x), r.tensor(y))


def _quotient(r: _Reading, x: Tensor, y: Any) -> Tensor:
    return r.net.divide(x, r.tensor(y))


def _size(r: _Reading, x: Tensor, dim: int | None = None) -> Any:
    return x.shape if dim is None else x.shape[dim]


def _attribute(r: _Reading, x: Any, name: str) -> Any:
    if name == "shape" and isinstance(x, Tensor):
        return x.shape
    raise UnreadError(f"asks for {name!r}")


def _item(r: _Reading, x: Any, index: Any) -> Any:
    return x.arranged(lambda places: places[index]) if isinstance(x, Tensor) else x[index]


def _dropout(r: _Reading, x: Tensor, p: float = 0.5, training: bool = True, **_: Any) -> Tensor:
    if training:
        raise UnreadError("drops values at random; pass training=self.training")
    return x


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("add", "iadd"), _sum),
    **dict.fromkeys(("sub", "isub"), _difference),
    **dict.fromkeys(("mul", "imul"), _product),
    **dict.fromkeys(("truediv", "div"), _quotient),
    **dict.fromkeys(("cat", "concat"), _join),
    **dict.fromkeys(("reshape", "view"), _reshape),
    **dict.fromkeys(("relu", "relu_"), lambda r, x, inplace=False: r.net.relu(x)),
    **dict.fromkeys(("clamp", "clip"), _clamp),
    **dict.fromkeys(("max_pool1d", "max_pool2d", "max_pool3d"), _maximum),
    **dict.fromkeys(("avg_pool1d", "avg_pool2d", "avg_pool3d"), _average),
    **{f"adaptive_avg_pool{k}d": _adaptive_average for k in (1, 2, 3)},
    **{f"adaptive_max_pool{k}d": _adaptive_maximum for k in (1, 2, 3)},
    "abs": lambda r, x: r.net.relu(x, -1),
    "dropout": _dropout,
    "flatten": _flatten,
    "getattr": _attribute,
    "getitem": _item,
    "hardsigmoid": _hard_sigmoid,
    "hardtanh": lambda r, x, low=-1.0, high=1.0, inplace=False: _clamp(r, x, low, high),
    "leaky_relu": _leaky,
    "linear": _linear,
    "maximum": lambda r, x, y: r.net.maximum(r.tensor(x), r.tensor(y)),
    "minimum": lambda r, x, y: r.net.minimum(r.tensor(x), r.tensor(y)),
    "mean": _mean,
    "neg": lambda r, x: r.net.scale(x, -1),
    "permute": _permute,
    "prelu": _prelu,
    "relu6": lambda r, x, inplace=False: r.net.clip(x, 0, 6),
    "size": _size,
    "squeeze": _squeeze,
    "transpose": _transpose,
    "unsqueeze": lambda r, x, dim: x.arranged(lambda places: np.expand_dims(places, dim)),
}


def _pool(make: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A pool with the options of a module."""

    def read(r: _Reading, part: Any, x: Tensor) -> Tensor:
        names = ("dilation", "return_indices", "count_include_pad", "divisor_override")
        options = {name: getattr(part, name) for name in names if hasattr(part, name)}
        return make(
            *(r, x, part.kernel_size, part.stride, part.padding),
            ceil_mode=part.ceil_mode,
            **options,
        )

    return read


_MODULES: dict[str, Callable[..., Tensor]] = {
    **dict.fromkeys(("Conv1d", "Conv2d", "Conv3d"), _convolution),
    **dict.fromkeys(_NORMS, _norm),
    **{f"AvgPool{k}d": _pool(_average) for k in (1, 2, 3)},
    **{f"MaxPool{k}d": _pool(_maximum) for k in (1, 2, 3)},
    **{
        f"AdaptiveAvgPool{k}d": lambda r, m, x: _adaptive_average(r, x, m.output_size)
        for k in (1, 2, 3)
    },
    **{
        f"AdaptiveMaxPool{k}d": lambda r, m, x: _adaptive_maximum(r, x, m.output_size)
        for k in (1, 2, 3)
    },
    "Flatten": lambda r, m, x: _flatten(r, x, m.start_dim, m.end_dim),
    "Hardsigmoid": lambda r, m, x: _hard_sigmoid(r, x),
    "Hardtanh": lambda r, m, x: _clamp(r, x, m.min_val, m.max_val),
    "LeakyReLU": lambda r, m, x: _leaky(r, x, m.negative_slope),
    "Linear": lambda r, m, x: _linear(r, x, m.weight, m.bias),
    "PReLU": lambda r, m, x: _prelu(r, x, m.weight),
    "ReLU": lambda r, m, x: r.net.relu(x),
    "ReLU6": lambda r, m, x: r.net.clip(x, 0, 6),
    "Unflatten": lambda r, m, x: _unflatten(r, x, m.dim, m.unflattened_size),
}
