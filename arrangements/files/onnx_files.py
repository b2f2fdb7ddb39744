"""Weights of .onnx files. The graph tells which layer is last, and which side its labels are on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.files.archives import (
    Archive,
    Stored,
    check_dimensions,
    file_beside,
    import_extra,
    map_array,
    name_damage,
    open_file,
    short_float,
)
from arrangements.files.onnx_quantised import dequantised, multiplied_integers
from arrangements.messages import quote, quote_path

# Nodes that pass a matrix on; a cast to a longer type keeps its numbers.
_PASSED_ON = ("Identity", "Cast", "Transpose")
# Nodes that take scores and keep their order, or their shape only; the first input is theirs.
_KEPT = frozenset(
    "Identity Cast Dropout Softmax LogSoftmax Sigmoid Tanh Squeeze Unsqueeze Reshape Flatten "
    "Transpose ArgMax TopK ZipMap Normalizer".split()
)
# The output of scores, in models that have several: others are states, such as keys and values.
_SCORES = ("logits", "scores", "output", "probabilities")
# Types of TensorProto that NumPy lacks.
_SHORT = {16: "bfloat16", 17: "float8_e4m3fn", 19: "float8_e5m2"}


class _Layer(NamedTuple):
    weights: str
    by_columns: bool
    bias: str | None


def read_onnx(path: str) -> Archive:
    """Initializers and constants of a model, and the weights of linear classifiers.

    Raises
    ------
    InputError
        If the file is damaged.
    MissingDependencyError
        If `onnx` is not installed (extra ``onnx``).
    """
    graph = read_graph(path)
    with name_damage(path):
        archive = graph.archive()
    characters = [entry.value for entry in graph.model.metadata_props if entry.key == "character"]
    return replace(archive, tokens=_with_blank(characters[0])) if characters else archive


def read_graph(path: str) -> OnnxGraph:
    """The graph of a file; arrays are read when they are asked for. Errors as above."""
    onnx = import_extra("onnx", path, "onnx")
    open_file(path).close()
    with name_damage(path):
        model = onnx.load_model(path, load_external_data=False)
        if not model.graph.node and not model.graph.initializer:
            raise InputError(f"{quote_path(path)} is not an .onnx file, or its graph is empty.")
        return OnnxGraph(onnx, model, path)


def _with_blank(characters: str) -> list[str]:
    """Names of the scores of a text reader: no character, those it knows, and the space."""
    names = [name if name.strip() else json.dumps(name) for name in characters.split("\n")]
    return ["blank", *names, json.dumps(" ")]


class OnnxGraph:
    """A graph, its arrays, and who makes and takes each of its values."""

    def __init__(self, onnx: Any, model: Any, path: str) -> None:
        self.onnx, self.model, self.path = onnx, model, path
        self.graph = graph = model.graph
        self.classes: list[str] = []
        self.arrays = dict(self._arrays())
        self.makers = {output: node for node in graph.node for output in node.output}
        for node in graph.node:
            if node.op_type == "DequantizeLinear" and (made := dequantised(self.arrays, node)):
                self.arrays[node.output[0]] = made

    def archive(self) -> Archive:
        """All arrays, and which of them are the last layer."""
        linear: dict[str, _Layer] = {}
        for node in self.graph.node:
            layer = self._layer(node) if node.output else None
            linear |= {output: layer for output in node.output if layer is not None}
        ends = [self._last(output, set(linear)) for output in self.scores]
        outputs = ends[0] if ends else []
        last = [linear[output] for output in outputs]
        doubt = self._doubt(outputs, last) if len(last) == 1 else ""
        if any(end and set(end) != set(outputs) for end in ends[1:]):
            doubt = f"its outputs {quote(self.scores)} are those of different layers"
        for layer in (*linear.values(), *last):
            stored = self.arrays[layer.weights]
            self.arrays[layer.weights] = replace(stored, by_columns=layer.by_columns)
        pairs = [(layer.weights, layer.bias) for layer in last if not doubt]
        return Archive(self.path, self.arrays, pairs, tokens=self.classes, doubt=doubt)

    def _arrays(self) -> Iterator[tuple[str, Stored]]:
        for tensor in self.graph.initializer:
            yield tensor.name, self._stored(tensor)
        for node in self.graph.node:
            if node.op_type == "Constant":
                for attribute in node.attribute:
                    if attribute.name == "value":
                        yield node.output[0], self._stored(attribute.t)
            elif node.op_type in ("LinearClassifier", "LinearRegressor"):
                yield from self._classifier(node)

    def _stored(self, tensor: Any) -> Stored:
        shape = check_dimensions([*tensor.dims], f"array {quote(tensor.name)} of {self.path}")
        return Stored(shape, partial(self._load, tensor, shape))

    def _load(self, tensor: Any, shape: tuple[int, ...]) -> NDArray[Any]:
        with name_damage(self.path):
            if tensor.data_location != self.onnx.TensorProto.EXTERNAL:
                array: NDArray[Any] = self.onnx.numpy_helper.to_array(tensor)
                return array
            where = {entry.key: entry.value for entry in tensor.external_data}
            kind = tensor.data_type
            if kind in _SHORT:
                dtype = short_float(_SHORT[kind], self.path)
            else:
                dtype = self.onnx.helper.tensor_dtype_to_np_dtype(kind)
            file = file_beside(self.path, where.get("location"))
            open_file(file).close()
            return map_array(file, dtype, int(where.get("offset", 0)), shape)

    def _classifier(self, node: Any) -> Iterator[tuple[str, Stored]]:
        """Coefficients and intercepts of a linear model, such as one of scikit-learn."""
        given = {attribute.name: attribute for attribute in node.attribute}
        biases = np.array(given["intercepts"].floats, np.float32)
        weights = np.array(given["coefficients"].floats, np.float32)
        n = max(1, len(biases))
        matrix = weights.reshape(n, -1)
        yield f"{node.output[0]}.coefficients", Stored(matrix.shape, lambda: matrix)
        yield f"{node.output[0]}.intercepts", Stored(biases.shape, lambda: biases)
        if "classlabels_strings" in given:
            found = [name.decode() for name in given["classlabels_strings"].strings]
            self.classes = found or [str(k) for k in given["classlabels_ints"].ints]

    def _layer(self, node: Any) -> _Layer | None:
        """The weights that a node multiplies its input with; None if it does something else."""
        if f"{node.output[0]}.coefficients" in self.arrays:
            return _Layer(f"{node.output[0]}.coefficients", False, f"{node.output[0]}.intercepts")
        if node.op_type == "Mul":
            return self._integer_layer(node)
        if node.op_type not in ("MatMul", "Gemm") or len(node.input) < 2:
            return None
        key, turned = self._array(node.input[1])
        if key is None or len(self.arrays[key].shape) != 2:
            return None
        given = {attribute.name: attribute for attribute in node.attribute}
        if any(given[name].f != 1 for name in ("alpha", "beta") if name in given):
            return None  # `_doubt` names it, if it is the last one
        by_columns = not turned
        if "transB" in given and given["transB"].i:
            by_columns = turned
        n = self.arrays[key].shape[by_columns]
        return _Layer(key, by_columns, self._bias(node, n))

    def _integer_layer(self, node: Any) -> _Layer | None:
        """The layer of a product of integers, after it is multiplied with its scales."""
        makers = [self.makers.get(name) for name in node.input]
        casts = [maker for maker in makers if maker is not None and maker.op_type == "Cast"]
        products = [self.makers.get(cast.input[0]) for cast in casts]
        scales = [name for maker in makers if maker is not None for name in maker.input]
        scales = [name for name in scales if name in self.arrays]
        if len(products) != 1 or products[0] is None or len(scales) != 1:
            return None
        _, key, *zeros = products[0].input
        if products[0].op_type != "MatMulInteger":
            return None
        made = multiplied_integers(self.arrays, [key, *scales, *zeros[1:]])
        if made is None or len(made.shape) != 2:
            return None
        name = f"{key}_times_scale"
        self.arrays[name] = made
        return _Layer(name, True, self._bias(node, made.shape[1]))

    def _bias(self, node: Any, n: int) -> str | None:
        """The n numbers that are added to the output of a node, by itself or by the next one."""
        added = list(node.input[2:])
        for taker in self.graph.node:
            if taker.op_type == "Add" and node.output[0] in taker.input:
                added += taker.input
        keys = [self._array(name)[0] for name in added]
        fitting = [key for key in keys if key is not None and self.arrays[key].shape == (n,)]
        return fitting[0] if fitting else None

    def _array(self, name: str) -> tuple[str | None, bool]:
        """The array that a value is, and whether its rows and columns are exchanged."""
        turned = False
        for _ in self.graph.node:
            if name in self.arrays or name not in self.makers:
                break
            node = self.makers[name]
            if node.op_type not in _PASSED_ON:
                break
            turned ^= node.op_type == "Transpose"
            name = node.input[0]
        return (name if name in self.arrays else None), turned

    @property
    def scores(self) -> list[str]:
        """The outputs, or those among them that are called scores."""
        outputs = [output.name for output in self.graph.output]
        return [name for name in outputs if name in _SCORES] or outputs

    def _last(self, output: str, linear: set[str]) -> list[str]:
        """Outputs of the layers whose results reach an output of the graph through no other."""
        pending, seen, found = [output], set[str](), []
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            if name in linear:
                found.append(name)
            elif name in self.makers:
                pending += self.makers[name].input
        return found

    def _doubt(self, outputs: Sequence[str], last: Sequence[_Layer]) -> str:
        """Why scores are not what the last layer gives; "" if they are, but for order and shape."""
        name, (layer,) = self.scores[0], last
        own = map(self._key, self.makers[outputs[0]].input)
        added = "" if layer.bias is None or layer.bias in own else layer.bias
        while name != outputs[0]:
            node = self.makers[name]
            if node.op_type in _KEPT:
                name = node.input[0]
            elif node.op_type == "Add" and added in map(self._key, node.input):
                name = next(one for one in node.input if self._key(one) != added)
            elif node.op_type in ("Mul", "Div") and self._is_positive(node.input[1]):
                name = node.input[0]
            else:
                return (
                    f"its last matrix, {quote(layer.weights)}, is followed by {node.op_type}, so "
                    "scores are not its products and a bias"
                )
            if name not in self.makers:
                return f"its last matrix, {quote(layer.weights)}, is not on the way to its scores"
        return ""

    def _key(self, name: str) -> str | None:
        return self._array(name)[0]

    def _is_positive(self, name: str) -> bool:
        """Whether a value is one positive number that the file has."""
        key = self._key(name)
        if key is None or prod(self.arrays[key].shape) != 1:
            return False
        return bool(self.arrays[key].load() > 0)
