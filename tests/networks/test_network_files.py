"""Files and estimators as networks, against the evaluators of their own libraries."""

import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import ArrangementError
from arrangements.networks import Layer, Network

RNG = np.random.default_rng(0)
W1, B1 = RNG.integers(-3, 4, (4, 3)).astype(np.float32), np.float32([1, -1, 0, 2])
W2, B2 = RNG.integers(-3, 4, (2, 4)).astype(np.float32), np.float32([0.5, -0.25])
PLAIN = Network([(W1, B1), (W2, B2)])


# ------------------------------------------------------------------ weights


def test_weights_in_a_dictionary_follow_each_other() -> None:
    state = {"a.weight": W1, "a.bias": B1, "b.weight": W2, "b.bias": B2}
    assert Network.from_state_dict(state) == PLAIN
    leaky = Network.from_state_dict(state, slope=0.5)
    assert leaky == Network([(W1, B1), (W2, B2)], slope=0.5)
    kernels = {"a/kernel": W1.T, "a/bias": B1, "b/kernel": W2.T, "b/bias": B2}
    assert Network.from_state_dict(kernels) == PLAIN


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"w": np.zeros((2, 3, 3, 3))}, "weights alone do not say"),
        ({"w": W1, "n.running_mean": B1}, "running_mean' of a normalization"),
        ({"a.weight": W1, "gain": B1, "b.weight": W2}, "no layer takes 'gain'"),
        ({}, "it has no matrix"),
        ([W1], "expected a dictionary"),
        ({0: W1}, "expected a dictionary"),
        ({"a.weight": W1, "b.weight": W1}, "W of layers.1. has 3 columns; expected 4"),
    ],
)
def test_dictionaries_that_are_no_chain(state: Any, message: str) -> None:
    with pytest.raises(ArrangementError, match=message):
        Network.from_state_dict(state)


def test_files_of_weights(tmp_path: Path) -> None:
    state = {"a.weight": W1, "a.bias": B1, "b.weight": W2, "b.bias": B2}
    np.savez(tmp_path / "net.npz", **state)
    assert Network.from_file(tmp_path / "net.npz") == PLAIN
    with pytest.raises(ArrangementError, match=r"only the graph of an \.onnx file"):
        Network.from_file(tmp_path / "net.npz", "a")
    for name in "net.txt", ".":
        with pytest.raises(ArrangementError, match="is no file of a network"):
            Network.from_file(tmp_path / name)


def test_files_without_an_order_go_by_numbers(tmp_path: Path) -> None:
    numpy_files = pytest.importorskip("safetensors.numpy")
    square = np.eye(4, dtype=np.float32)
    state = {"0.weight": W1, "0.bias": B1, "10.weight": W2, "10.bias": B2, "2.weight": square}
    numpy_files.save_file(state, tmp_path / "net.safetensors")
    expected = Network([(W1, B1), (square, None), (W2, B2)])
    assert Network.from_file(tmp_path / "net.safetensors") == expected


def test_files_of_pytorch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    torch.save(module.state_dict(), tmp_path / "net.pt")
    assert Network.from_file(tmp_path / "net.pt") == Network.from_module(module)
    assert Network.from_state_dict(module.state_dict()) == Network.from_module(module)


# ------------------------------------------------------------------ scikit-learn


def test_networks_of_scikit_learn() -> None:
    networks = pytest.importorskip("sklearn.neural_network")
    pipeline = pytest.importorskip("sklearn.pipeline")
    scaler = pytest.importorskip("sklearn.preprocessing").StandardScaler()
    X = RNG.normal(size=(60, 3))
    options: dict[str, Any] = {"hidden_layer_sizes": (5, 4), "solver": "lbfgs", "max_iter": 50}
    with warnings.catch_warnings(action="ignore"):
        several = networks.MLPClassifier(random_state=0, **options).fit(X, RNG.integers(0, 3, 60))
        two = networks.MLPClassifier(random_state=0, **options).fit(X, RNG.integers(0, 2, 60))
        number = networks.MLPRegressor(random_state=0, **options).fit(X, X @ [1, 2, -1])
        scaled = pipeline.make_pipeline(scaler, networks.MLPRegressor(random_state=0, **options))
        scaled.fit(X, X[:, :2])
        plain = networks.MLPRegressor(activation="identity", **options).fit(X, X[:, 0])
    net = Network.from_estimator(several)
    assert net.widths == (5, 4, 0)
    assert np.array_equal(net.float_forward(X).argmax(axis=1), several.predict(X))
    binary = Network.from_estimator(two).float_forward(X)[:, 0]
    assert np.array_equal(binary > 0, two.predict(X) == 1)
    assert np.allclose(Network.from_estimator(number).float_forward(X)[:, 0], number.predict(X))
    assert np.allclose(Network.from_estimator(scaled).float_forward(X), scaled.predict(X))
    exact = Network.from_estimator(scaled).layers[0]
    scale = Fraction(float(scaler.scale_[1]))
    weight = Fraction(float(scaled[-1].coefs_[0][1, 2]))
    assert Fraction(exact.weights[2, 1]) == weight / scale
    affine = Network.from_estimator(plain)
    assert affine.n_units == 0
    assert np.allclose(affine.float_forward(X)[:, 0], plain.predict(X))
    with pytest.raises(ArrangementError, match="activation 'tanh', which is not piecewise linear"):
        Network.from_estimator(plain.set_params(activation="tanh"))
    with pytest.raises(ArrangementError, match="a MLPRegressor that is not fitted"):
        Network.from_estimator(networks.MLPRegressor())
    with pytest.raises(ArrangementError, match="a StandardScaler; expected an MLPClassifier"):
        Network.from_estimator(scaler)
    angles = pipeline.make_pipeline(
        pytest.importorskip("sklearn.preprocessing").Normalizer(), number
    )
    with pytest.raises(ArrangementError, match="step 'normalizer'"):
        Network.from_estimator(angles)


# ------------------------------------------------------------------ ONNX


def node(kind: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    onnx = pytest.importorskip("onnx")
    return onnx.helper.make_node(kind, inputs.split(), outputs.split(), **attributes)


def save(path: Path, nodes: list[Any], arrays: dict[str, Any], shape: Any, opset: int = 18) -> Path:
    onnx = pytest.importorskip("onnx")
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes,
        "graph",
        [value("x", onnx.TensorProto.FLOAT, shape)],
        [value("y", onnx.TensorProto.FLOAT, None)],
        [onnx.numpy_helper.from_array(np.asarray(a), name) for name, a in arrays.items()],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])
    onnx.save(model, path)
    return path


def ints(*shape: int) -> Any:
    return RNG.integers(-3, 4, shape).astype(np.float32)


DENSE = {"W": W1, "b": B1, "V": W2.T.copy(), "c": B2}
HIDDEN = [("Gemm", "x W b", "h", {"transB": 1}), ("Relu", "h", "r", {})]
PAIRS = np.array([[0, 0, 1, 1], [0, 0, 1, 1]])
CASES: dict[str, tuple[list[Any], dict[str, Any], tuple[Any, ...]]] = {
    "gemm": ([*HIDDEN, ("Gemm", "r V c", "y", {"alpha": 2.0, "beta": 0.5})], DENSE, (None, 3)),
    "matmul": (
        [*HIDDEN, ("MatMul", "r V", "m", {}), ("Add", "c m", "y", {})],
        DENSE,
        ("batch", 3),
    ),
    "columns": (
        [
            *(("Transpose", "x", "t", {"perm": [1, 0]}), ("MatMul", "W t", "m", {})),
            *(("Transpose", "m", "u", {}), ("LeakyRelu", "u", "y", {"alpha": 0.25})),
        ],
        DENSE,
        (1, 3),
    ),
    "branches": (
        [
            *HIDDEN,
            ("Add", "r h", "s", {}),
            ("Sub", "s b", "d", {}),
            ("Concat", "r d x", "j", {"axis": 1}),
            ("Neg", "j", "n", {}),
            ("Abs", "n", "a", {}),
            ("Gather", "a at", "y", {"axis": 1}),
        ],
        {**DENSE, "at": np.array([10, 0, 4])},
        (None, 3),
    ),
    "units": (
        [
            *(("Gemm", "x W b", "h", {"transB": 1}), ("Clip", "h low high", "k", {})),
            *(("PRelu", "h slope", "p", {}), ("HardSigmoid", "h", "q", {"alpha": 0.25})),
            *(("Max", "k p b", "m", {}), ("Min", "m q", "l", {}), ("Clip", "l low", "y", {})),
        ],
        {**DENSE, "low": np.float32(-2), "high": np.float32(4), "slope": np.float32([0.5] * 4)},
        (None, 3),
    ),
    "convolution": (
        [
            ("Conv", "x K k", "h", {"pads": [1, 0, 1, 1], "strides": [1, 2]}),
            ("Relu", "h", "r", {}),
            ("AveragePool", "r", "a", {"kernel_shape": [2, 2], "strides": [2, 1]}),
            ("MaxPool", "a", "m", {"kernel_shape": [1, 2]}),
            ("Flatten", "m", "f", {}),
            ("Gemm", "f V", "y", {}),
        ],
        {"K": ints(2, 1, 3, 2), "k": ints(2), "V": ints(4, 2)},
        (None, 1, 4, 5),
    ),
    "same": (
        [
            ("Conv", "x K", "h", {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
            ("GlobalAveragePool", "h", "g", {}),
            ("GlobalMaxPool", "x", "e", {}),
            ("Concat", "g e", "y", {"axis": 1}),
        ],
        {"K": ints(2, 2, 2, 3)},
        (None, 2, 4, 4),
    ),
    "shapes": (
        [
            ("Shape", "x", "s", {}),
            ("Gather", "s zero", "n", {}),
            ("Unsqueeze", "n axis", "u", {}),
            ("Concat", "u rest", "shape", {"axis": 0}),
            ("Reshape", "x shape", "a", {}),
            ("Split", "a sizes", "p q", {"axis": 1}),
            ("Slice", "a starts ends axes steps", "r", {}),
            ("Pad", "q pads", "w", {}),
            ("Concat", "w p r", "c", {"axis": 1}),
            ("Squeeze", "c axis", "d", {}),
            ("ReduceMean", "a one", "e", {"keepdims": 0}),
            ("Add", "d e", "f", {}),
            ("Mul", "f two", "g", {}),
            ("Div", "g two", "y", {}),
        ],
        {
            **{"zero": np.array(0), "axis": np.array([0]), "rest": np.array([-1])},
            **{"sizes": np.array([4, 4]), "starts": np.array([-1]), "ends": np.array([-9])},
            **{"axes": np.array([1]), "steps": np.array([-2]), "pads": np.array([0, 1, 0, 2])},
            **{"two": np.float32(2), "one": np.array([1])},
        },
        (None, 2, 4),
    ),
    "constants": (
        [
            *(("Mul", "W W", "A", {}), ("Transpose", "A", "B", {}), ("MatMul", "x B", "m", {})),
            ("ReduceSum", "m", "y", {"keepdims": 1}),
        ],
        {"W": W1},
        (None, 3),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_graph_has_the_values_of_its_file(tmp_path: Path, name: str) -> None:
    pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    nodes, arrays, shape = CASES[name]
    path = save(tmp_path / "m.onnx", [node(*n[:3], **n[3]) for n in nodes], arrays, shape)
    net = Network.from_file(path)
    size = tuple(n if isinstance(n, int) else 1 for n in shape)
    evaluator = ReferenceEvaluator(str(path))
    for _ in range(4):
        x = RNG.integers(-4, 5, size).astype(np.float32)
        expected = evaluator.run(None, {"x": x})[0].ravel().tolist()
        assert list(net.forward(x.ravel())) == [Fraction(y) for y in expected]


def test_a_graph_ends_before_probabilities_or_at_a_key(tmp_path: Path) -> None:
    nodes = [*(node(*n[:3], **n[3]) for n in HIDDEN), node("MatMul", "r V", "s")]
    path = save(tmp_path / "m.onnx", [*nodes, node("Softmax", "s", "y")], DENSE, (None, 3))
    assert Network.from_file(path) == Network([(W1, B1), Layer(W2, slope=1)])
    assert Network.from_file(path, "h") == Network([(W1, B1)])
    with pytest.raises(ArrangementError, match="has no value 'z'; the last are 'h', 'r', 's', 'y'"):
        Network.from_file(path, "z")


def test_normalization_and_padded_means_of_a_graph(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    numbers = {
        **{"g": np.float32([0.5, -2]), "n": np.float32([1, 3]), "m": np.float32([0.25, -1])},
        "v": np.float32([0.7, 2.2]),
    }
    nodes = [
        node("BatchNormalization", "x g n m v", "h", epsilon=0.01),
        node("AveragePool", "h", "y", kernel_shape=[3], pads=[1, 1]),
    ]
    path = save(tmp_path / "m.onnx", nodes, numbers, (None, 2, 4))
    net = Network.from_file(path)
    assert len(net.layers) == 1 and net.n_units == 0
    x = RNG.normal(size=(1, 2, 4)).astype(np.float32)
    (expected,) = ReferenceEvaluator(str(path)).run(None, {"x": x})
    assert np.allclose(net.float_forward(x.ravel()), expected.ravel(), atol=1e-5)


def test_exports_of_pytorch_and_acas_like_graphs(tmp_path: Path) -> None:
    """Sub, Flatten, MatMul with weights on the right, Add and Relu, input (1, 1, 1, 5)."""
    A, B = ints(5, 6), ints(6, 5)
    nodes = [
        *(node("Sub", "x mean", "d"), node("Flatten", "d", "f"), node("MatMul", "f A", "g")),
        *(node("Add", "g a", "h"), node("Relu", "h", "r"), node("MatMul", "r B", "y")),
    ]
    arrays = {"A": A, "B": B, "a": ints(6), "mean": ints(1, 1, 1, 5)}
    net = Network.from_file(save(tmp_path / "m.onnx", nodes, arrays, (1, 1, 1, 5)))
    x = [1, 2, 3, 4, 5]
    hidden = np.maximum((x - arrays["mean"].ravel()) @ A + arrays["a"], 0)
    assert list(net.forward(x)) == [Fraction(y) for y in (hidden @ B).tolist()]


@pytest.mark.parametrize(
    ("nodes", "shape", "message"),
    [
        ([("Softplus", "x", "h"), ("Relu", "h", "y")], (None, 3), r"\(Softplus\) is not piecewise"),
        ([("Re\nlu", "x", "y")], (None, 3), r"\(Re\\nlu\) is not piecewise"),
        ([("Mul", "x x", "y")], (None, 3), r"the node of 'y' \(Mul\) multiplies two tensors"),
        ([("Div", "W x", "y")], (None, 3), "divides by numbers"),
        ([("Relu", "x", "y")], (None, None), "does not say the shape of 'x'"),
        ([("Relu", "W", "y")], (None, 3), "'y' does not depend on the inputs"),
        ([("Relu", "z", "y")], (None, 3), "no node makes 'z'"),
        ([("MatMul", "x W", "y")], (None, 3), "takes 4 values|takes"),
    ],
)
def test_nodes_that_are_not_read_are_named(
    tmp_path: Path, nodes: list[Any], shape: Any, message: str
) -> None:
    path = save(tmp_path / "m.onnx", [node(*n) for n in nodes], {"W": W1}, shape)
    with pytest.raises(ArrangementError, match=message) as error:
        Network.from_file(path)
    assert "\n" not in str(error.value)


def test_the_shape_of_an_input_may_be_given(tmp_path: Path) -> None:
    path = save(tmp_path / "m.onnx", [node("Relu", "x", "y")], {}, (None, None))
    assert Network.from_file(path, input_shape=(3,)).dimension == 3
