"""Damaged files and folders of models: an error of one line, or numbers of a size that fits."""

import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from damage import damaged
from model_files import BIAS, MATRIX, bfloat16_bits, gguf_file, safetensors_file
from oracle import judged, report

from arrangements import load_matrix, load_names, load_vector

pytestmark = pytest.mark.slow


def of_safetensors() -> dict[str, bytes]:
    tensors = {"lm_head.weight": ("F8_E4M3", np.arange(6, dtype=np.uint8).reshape(3, 2))}
    tensors |= {"lm_head.bias": ("F64", BIAS), "w": ("BF16", bfloat16_bits(MATRIX))}
    return {"m.safetensors": safetensors_file(Path("m.safetensors"), **tensors).read_bytes()}


def of_folder() -> dict[str, bytes]:
    index = {"weight_map": {"lm_head.weight": "m.safetensors", "w": "m.safetensors"}}
    config = {
        "tie_word_embeddings": True,
        "architectures": ["XForCausalLM"],
        "id2label": {"0": "a"},
    }
    tokens = {"model": {"vocab": {"a": 0, "b": 1, "c": 2}}, "added_tokens": []}
    texts = {
        "model.safetensors.index.json": index,
        "config.json": config,
        "tokenizer.json": tokens,
    }
    return of_safetensors() | {key: json.dumps(text).encode() for key, text in texts.items()}


def of_gguf() -> dict[str, bytes]:
    tensors = {
        "token_embd.weight": (0, (3, 2), MATRIX.astype(np.float32).tobytes()),
        "blocks": (8, (2, 32), bytes(68)),
    }
    return {"m.gguf": gguf_file(Path("m.gguf"), tensors, ("a", "b", "c")).read_bytes()}


def of_numpy() -> dict[str, bytes]:
    stream, packed = io.BytesIO(), io.BytesIO()
    np.savez(stream, **{"head/kernel": MATRIX.T, "head/bias": BIAS})
    np.savez_compressed(packed, W=MATRIX, b=BIAS)
    return {"m.npz": stream.getvalue(), "n.npz": packed.getvalue()}


def of_onnx() -> dict[str, bytes]:
    onnx = pytest.importorskip("onnx")
    node = onnx.helper.make_node("Gemm", ["x", "W", "b"], ["y"])
    ends = [onnx.helper.make_tensor_value_info(k, onnx.TensorProto.DOUBLE, None) for k in "xy"]
    weights = [onnx.numpy_helper.from_array(a, k) for a, k in ((MATRIX.T.copy(), "W"), (BIAS, "b"))]
    graph = onnx.helper.make_graph([node], "g", ends[:1], ends[1:], weights)
    return {"m.onnx": onnx.helper.make_model(graph).SerializeToString()}


def of_hdf5() -> dict[str, bytes]:
    h5py = pytest.importorskip("h5py")
    stream, packed = io.BytesIO(), io.BytesIO()
    with h5py.File(stream, "w") as file:
        file["layers/dense/vars/0"], file["layers/dense/vars/1"] = MATRIX.T, BIAS
        file.create_dataset("packed", data=MATRIX, compression="gzip")
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("model.weights.h5", stream.getvalue())
    return {"m.h5": stream.getvalue(), "m.keras": packed.getvalue()}


def of_parquet() -> dict[str, bytes]:
    parquet = pytest.importorskip("pyarrow.parquet")
    pyarrow = pytest.importorskip("pyarrow")
    stream = io.BytesIO()
    parquet.write_table(pyarrow.table({"x": BIAS, "name": ["a", "b", "c"]}), stream)
    return {"m.parquet": stream.getvalue()}


def of_torch() -> dict[str, bytes]:
    torch = pytest.importorskip("torch", minversion="2.10")
    stream, old = io.BytesIO(), io.BytesIO()
    content = {"fc.weight": torch.tensor(MATRIX), "fc.bias": torch.tensor(BIAS)}
    torch.save(content, stream)
    torch.save(content, old, _use_new_zipfile_serialization=False)
    return {"m.pt": stream.getvalue(), "m.bin": old.getvalue()}


FORMATS: list[Callable[[], dict[str, bytes]]] = [
    *(of_safetensors, of_folder, of_gguf, of_numpy, of_onnx, of_hdf5, of_parquet, of_torch)
]


@pytest.mark.parametrize("make", FORMATS, ids=lambda make: make.__name__)
def test_damaged_models(
    make: Callable[[], dict[str, bytes]], in_empty_folder: Path, rough: int, rough_seed: int
) -> None:
    random, problems = Random(f"{rough_seed} {make.__name__}"), []
    files = make()
    for name, content in files.items():
        Path(name).write_bytes(content)
    for _ in range(80 * rough):
        name = random.choice(sorted(files))
        changed = damaged(files[name], random)
        Path(name).write_bytes(changed)
        key = random.choice([None, None, "*", "w", "b*", "", "[", "fc.weight"])
        for target in (name, "."):
            for call in (
                lambda: np.array(load_matrix(target, key)),  # noqa: B023
                lambda: np.array(load_vector(target, key)),  # noqa: B023
                lambda: load_names(target),  # noqa: B023
            ):
                found, _, problem = judged(call)
                if problem is None and isinstance(found, np.ndarray):
                    problem = too_large(found, changed)
                if problem:
                    problems.append(f"{target}, {key!r} with {changed!r}  # {problem}")
        Path(name).write_bytes(files[name])
    assert set(os.listdir()) == set(files)
    report(problems)


def too_large(found: Any, content: bytes) -> str | None:
    """Whether there are more numbers than a file of this size can hold."""
    return f"has {found.nbytes} bytes" if found.nbytes > 2000 * len(content) + 2**21 else None
