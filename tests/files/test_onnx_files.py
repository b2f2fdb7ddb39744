"""ONNX: which layer is last, where its labels are, and its bias, all from the graph."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_files import BIAS, MATRIX

from arrangements.errors import InputError
from arrangements.files.matrices import load_matrix, load_source, load_vector

onnx = pytest.importorskip("onnx")
reference = pytest.importorskip("onnx.reference")
W32, B32 = MATRIX.astype(np.float32), BIAS.astype(np.float32)
FIRST = np.array([[1, 2], [3, 4]], np.float32)


def node(kind: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    return onnx.helper.make_node(kind, inputs.split(), outputs.split(), **attributes)


def save(path: Path, nodes: list[Any], arrays: dict[str, Any], outputs: str = "y") -> Path:
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes,
        "graph",
        [value("x", onnx.TensorProto.FLOAT, [None, 2])],
        [value(name, onnx.TensorProto.FLOAT, None) for name in outputs.split()],
        [onnx.numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    onnx.save(onnx.helper.make_model(graph), path)
    return path


HIDDEN = [node("Gemm", "x V c", "h", transB=1), node("Relu", "h", "r")]
LAYERS: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("W", [node("Gemm", "r W b", "y", transB=1)], {"W": W32}),
    ("W", [node("Gemm", "r W b", "s"), node("Softmax", "s", "y")], {"W": W32.T.copy()}),
    ("W", [node("MatMul", "r W", "m"), node("Add", "m b", "y")], {"W": W32.T.copy()}),
    ("W", [node("MatMul", "r W", "m"), node("Add", "b m", "y")], {"W": W32.T.copy()}),
    (
        "W",
        [
            node("Transpose", "W", "t", perm=[1, 0]),
            node("Identity", "t", "u"),
            node("MatMul", "r u", "m"),
            node("Add", "m b", "y"),
        ],
        {"W": W32},
    ),
    (
        "W",
        [
            node("Constant", "", "W", value=onnx.numpy_helper.from_array(W32)),
            node("Gemm", "r W b", "y", transB=1),
        ],
        {},
    ),
]


@pytest.mark.parametrize(("key", "nodes", "arrays"), LAYERS)
def test_the_last_layer_has_a_row_for_each_label(
    tmp_path: Path, key: str, nodes: list[Any], arrays: dict[str, Any]
) -> None:
    others = {"V": FIRST, "c": FIRST[0], "b": B32}
    path = save(tmp_path / "m.onnx", HIDDEN + nodes, others | arrays)
    found = load_source(path)
    assert (found.key, found.bias) == (key, "b")
    assert np.array_equal(found.matrix, W32) and np.array_equal(load_vector(path), B32)
    assert np.array_equal(load_matrix(path, "V"), FIRST)
    scores = reference.ReferenceEvaluator(onnx.load(path))
    x = np.array([[0.5, -1.0], [2.0, 0.25]], np.float32)
    last = scores.run(None, {"x": x})[0]
    hidden = np.maximum(x @ FIRST.T + FIRST[0], 0)
    own = hidden @ found.matrix.T + B32
    assert np.array_equal(np.argsort(own), np.argsort(last))


def test_a_square_layer_is_turned_by_its_graph(tmp_path: Path) -> None:
    for nodes, expected in [
        ([node("MatMul", "x V", "y")], FIRST.T),
        ([node("Gemm", "x V", "y", transB=1)], FIRST),
        ([node("Gemm", "x V", "y")], FIRST.T),
    ]:
        path = save(tmp_path / "m.onnx", nodes, {"V": FIRST})
        assert np.array_equal(load_matrix(path), expected)


def test_states_are_no_scores(tmp_path: Path) -> None:
    nodes = [
        node("MatMul", "x K", "present.0.key"),
        node("Add", "present.0.key x", "h"),
        node("MatMul", "h H", "logits"),
    ]
    arrays = {"K": FIRST, "H": W32.T.copy()}
    path = save(tmp_path / "m.onnx", nodes, arrays, "present.0.key logits")
    assert load_source(path).key == "H"
    path = save(tmp_path / "m.onnx", nodes, arrays, "logits present.0.key")
    assert load_source(path).key == "H"


def test_two_last_layers_are_not_chosen_from(tmp_path: Path) -> None:
    nodes = [node("MatMul", "x A", "a"), node("MatMul", "x B", "b"), node("Add", "a b", "y")]
    path = save(tmp_path / "m.onnx", nodes, {"A": W32.T.copy(), "B": W32.T.copy()})
    with pytest.raises(InputError, match=r"holds 2 arrays.* choose a key from: A \(2 x 3\), B \("):
        load_matrix(path)
    assert np.array_equal(load_matrix(path, "A"), W32)


Q = np.array([[1, -128, 7], [0, 127, 3]], np.int8)
SCALE, SCALES = np.float32([0.1])[0], np.float32([0.1, 0.3, 7])


@pytest.mark.parametrize(
    ("arrays", "axis"),
    [
        ({"Q": Q, "s": SCALE}, 1),
        ({"Q": Q, "s": SCALES}, -1),
        ({"Q": Q, "s": SCALES, "z": np.int8([3, -5, 0])}, 1),
        ({"Q": Q, "s": SCALES[:2], "z": np.int8([3, -5])}, 0),
    ],
)
def test_integers_with_scales(tmp_path: Path, arrays: dict[str, Any], axis: int) -> None:
    """They are what ONNX itself makes of them, to the last bit."""
    inputs = " ".join(arrays)
    nodes = [node("DequantizeLinear", inputs, "w", axis=axis), node("MatMul", "x w", "y")]
    path = save(tmp_path / "m.onnx", nodes, arrays)
    found = load_source(path)
    scores = reference.ReferenceEvaluator(onnx.load(path)).run(None, {"x": np.eye(2, dtype="f4")})
    assert np.array_equal(found.matrix.T, scores[0]) and found.matrix.dtype == np.float32


@pytest.mark.parametrize("zero", [None, np.uint8(130)])
def test_products_of_integers(tmp_path: Path, zero: Any) -> None:
    """Dynamic quantisation: the input is rounded to integers, the weights are integers."""
    stored = (Q.astype(int) + (0 if zero is None else zero)).clip(0, 255).astype(np.uint8)
    arrays = {"Q": stored, "s": SCALE, "b": B32} | ({} if zero is None else {"z": zero})
    nodes = [
        *(node("MatMul", "x V", "h"), node("DynamicQuantizeLinear", "h", "q qs qz")),
        node("MatMulInteger", "q Q qz" + (" z" if zero is not None else ""), "i"),
        *(node("Cast", "i", "f", to=onnx.TensorProto.FLOAT), node("Mul", "qs s", "both")),
        *(node("Mul", "f both", "m"), node("Add", "m b", "y")),
    ]
    path = save(tmp_path / "m.onnx", nodes, arrays | {"V": FIRST})
    found = load_source(path)
    exact = (stored.astype(float) - (0 if zero is None else float(zero))) * float(SCALE)
    assert np.array_equal(found.matrix, exact.T) and found.bias == "b"
    assert np.array_equal(load_vector(path), B32)


def test_integers_whose_scales_are_computed(tmp_path: Path) -> None:
    nodes = [
        *(node("Abs", "s", "t"), node("DequantizeLinear", "Q t", "w"), node("MatMul", "x w", "y")),
    ]
    with pytest.raises(InputError, match="which is the last layer is not clear"):
        load_matrix(save(tmp_path / "m.onnx", nodes, {"Q": Q, "s": SCALE}))


@pytest.mark.parametrize("names", [["a"], ["a", "b"], []])
def test_characters_of_a_text_reader(tmp_path: Path, names: list[str]) -> None:
    path = save(tmp_path / "m.onnx", [node("Gemm", "x W", "y", transB=1)], {"W": W32})
    model = onnx.load(path)
    model.metadata_props.add(key="character", value="\n".join(names))
    onnx.save(model, path)
    expected = (["blank", names[0] if names else '""', '" "'], str(path))
    assert load_source(path).names() == (None if len(names) > 1 else expected)


def test_a_linear_classifier_with_its_classes(tmp_path: Path) -> None:
    last = onnx.helper.make_node(
        "LinearClassifier",
        ["x"],
        ["label", "probabilities"],
        domain="ai.onnx.ml",
        coefficients=MATRIX.ravel().tolist(),
        intercepts=BIAS.tolist(),
        classlabels_strings=["cat", "dog", "cow"],
    )
    path = save(tmp_path / "m.onnx", [last], {}, "label probabilities")
    found = load_source(path)
    assert np.array_equal(found.matrix, W32) and np.array_equal(load_vector(path), B32)
    assert found.names() == (["cat", "dog", "cow"], str(path))


@pytest.mark.parametrize("kind", ["BFLOAT16", "FLOAT16", "FLOAT", "DOUBLE"])
def test_external_data_stays_in_its_folder(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("ml_dtypes")
    dtype = onnx.helper.tensor_dtype_to_np_dtype(getattr(onnx.TensorProto, kind))
    W = (MATRIX * 4).astype(dtype)
    path = save(tmp_path / "m.onnx", [node("Gemm", "x W", "y", transB=1)], {"W": W32})
    model = onnx.load(path)
    tensor = model.graph.initializer[0]
    tensor.data_type = getattr(onnx.TensorProto, kind)
    tensor.raw_data = W.tobytes()
    onnx.save(model, path, save_as_external_data=True, location="m.data", size_threshold=0)
    assert np.array_equal(load_matrix(path), W)
    assert isinstance(load_matrix(path), np.memmap)
    model = onnx.load(path, load_external_data=False)
    for location in ("../m.data", "/etc/passwd", "gone.data"):
        entries = model.graph.initializer[0].external_data
        next(e for e in entries if e.key == "location").value = location
        onnx.save(model, path)
        with pytest.raises(InputError, match=r"in its own folder|cannot read .*gone.data"):
            load_matrix(path)


@pytest.mark.parametrize("content", [b"", b"PK\3\4", b"\xff" * 50, b"\x08\x07", None])
def test_damaged_files(tmp_path: Path, content: bytes | None) -> None:
    path = save(tmp_path / "m.onnx", [node("Gemm", "x W", "y", transB=1)], {"W": W32})
    path.write_bytes(path.read_bytes()[:-10] if content is None else content)
    with pytest.raises(InputError, match=r"m\.onnx") as caught:
        load_matrix(path)
    assert "\n" not in str(caught.value)


def test_claims_about_shapes_are_checked(tmp_path: Path) -> None:
    path = save(tmp_path / "m.onnx", [node("Gemm", "x W", "y", transB=1)], {"W": W32})
    model = onnx.load(path)
    model.graph.initializer[0].dims[:] = [10**9, 10**9]
    onnx.save(model, path)
    with pytest.raises(InputError, match="cannot read .*m.onnx"):
        load_matrix(path)


ONE = {"V": FIRST, "b": FIRST[0]}
CHANGED = [
    ("Sub", [node("MatMul", "x V", "h"), node("Sub", "b h", "y")]),
    ("Neg", [node("Gemm", "x V b", "h"), node("Neg", "h", "y")]),
    ("Add", [node("MatMul", "x V", "h"), node("Div", "h two", "s"), node("Add", "s b", "y")]),
    ("Mul", [node("Gemm", "x V b", "h"), node("Mul", "h scales", "y")]),
    ("Mul", [node("Gemm", "x V b", "h"), node("Mul", "h minus", "y")]),
    ("Relu", [node("Gemm", "x V b", "h"), node("Relu", "h", "y")]),
    ("Gemm", [node("Gemm", "x V b", "h"), node("Gemm", "h V b", "y", alpha=2.0, beta=0.5)]),
    ("Add", [node("MatMul", "x V", "h"), node("Add", "h x", "y")]),
    ("Add", [node("Gemm", "x V b", "h"), node("Add", "h b", "y")]),
    ("Conv", [node("Gemm", "x V b", "h"), node("Conv", "h K", "y")]),
]


@pytest.mark.parametrize(("kind", "nodes"), CHANGED)
def test_scores_that_are_more_than_products_and_a_bias(
    tmp_path: Path, kind: str, nodes: list[Any]
) -> None:
    numbers = {"two": np.float32([2]), "scales": FIRST[1], "minus": np.float32([-1]), "K": FIRST}
    path = save(tmp_path / "m.onnx", nodes, ONE | numbers)
    with pytest.raises(InputError, match=f"'V', is followed by {kind}, so scores are not its"):
        load_source(path)
    assert np.array_equal(load_matrix(path, "V"), FIRST.T)


def test_scores_times_a_positive_number(tmp_path: Path) -> None:
    nodes = [
        node("Gemm", "x V b", "h"),
        node("Div", "h two", "s"),
        node("Tanh", "s", "t"),
        node("Mul", "t two", "u"),
        node("Reshape", "u shape", "v"),
        node("Softmax", "v", "y"),
    ]
    numbers = {"two": np.float32(2), "shape": np.array([-1, 2])}
    found = load_source(save(tmp_path / "m.onnx", nodes, ONE | numbers))
    assert (found.key, found.bias) == ("V", "b")


def test_outputs_of_different_layers(tmp_path: Path) -> None:
    nodes = [node("Gemm", "x V b", "y"), node("MatMul", "x U", "z")]
    path = save(tmp_path / "m.onnx", nodes, ONE | {"U": FIRST}, "y z")
    with pytest.raises(InputError, match=r"outputs \['y', 'z'\] are those of different layers"):
        load_source(path)
    path = save(
        tmp_path / "one.onnx", [node("MatMul", "x V", "h"), node("Neg", "h", "y")], {"V": FIRST}
    )
    with pytest.raises(InputError, match="is followed by Neg"):
        load_matrix(path)
