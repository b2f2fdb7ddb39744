"""GGUF: tensors of all plain types, quantised blocks, tokens, and headers that claim too much."""

import struct
from pathlib import Path

import numpy as np
import pytest
from model_files import MATRIX, bfloat16_bits, gguf_file, gguf_text

from arrangements import load_names
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix
from arrangements.files.matrices import load_matrix, load_source

W32 = MATRIX.astype(np.float32)
NORM = (0, (2,), np.ones(2, np.float32).tobytes())


def test_the_head_is_output_or_tied(tmp_path: Path) -> None:
    embedding = (0, (3, 2), (2 * W32).tobytes())
    tensors = {"token_embd.weight": embedding, "output_norm.weight": NORM}
    names = ("<s>", "cat", "dög")
    path = gguf_file(tmp_path / "m.gguf", tensors, names)
    found = load_source(path)
    assert found.key == "token_embd.weight" and np.array_equal(found.matrix, 2 * W32)
    assert found.names() == ([*names], str(path)) and load_names(path) == [*names]
    path = gguf_file(path, tensors | {"output.weight": (0, (3, 2), W32.tobytes())}, names[:2])
    found = load_source(path)
    assert found.key == "output.weight" and np.array_equal(found.matrix, W32)
    assert isinstance(found.matrix, np.memmap) and found.names() is None


@pytest.mark.parametrize(
    ("kind", "dtype"), [(0, "f4"), (1, "f2"), (28, "f8"), (24, "i1"), (25, "i2"), (26, "i4")]
)
def test_plain_types(tmp_path: Path, kind: int, dtype: str) -> None:
    W = (4 * MATRIX).astype(dtype)
    path = gguf_file(tmp_path / "m.gguf", {"norm": NORM, "w": (kind, W.shape, W.tobytes())})
    assert np.array_equal(load_matrix(path, "w"), W) and load_matrix(path, "w").dtype == W.dtype


def test_bfloat16(tmp_path: Path) -> None:
    pytest.importorskip("ml_dtypes")
    bits = bfloat16_bits(MATRIX)
    path = gguf_file(tmp_path / "m.gguf", {"w": (30, (3, 2), bits.tobytes())})
    exact = (bits.astype(np.uint32) << 16).view(np.float32)
    assert np.array_equal(as_exact_matrix(load_matrix(path)), exact.astype(float))


def test_blocks_of_8_bits_are_products(tmp_path: Path) -> None:
    """Q8_0: a block of 32 numbers is a float16 and 32 integers to multiply it with."""
    pytest.importorskip("gguf")
    rng = np.random.default_rng(0)
    scales = rng.standard_normal((3, 2)).astype(np.float16)
    whole = rng.integers(-128, 128, (3, 2, 32)).astype(np.int8)
    octets = b"".join(
        scales[i, k].tobytes() + whole[i, k].tobytes() for i in range(3) for k in range(2)
    )
    path = gguf_file(tmp_path / "m.gguf", {"output.weight": (8, (3, 64), octets)})
    found = load_source(path)
    products = scales.astype(float)[:, :, None] * whole
    assert np.array_equal(as_exact_matrix(found.matrix), products.reshape(3, 64))
    assert "quantised" in found.taken()
    path = gguf_file(tmp_path / "m.gguf", {"output.weight": (8, (3, 48), octets)})
    with pytest.raises(InputError, match="its rows have 48 entries, which are no blocks of 32"):
        load_matrix(path)
    path = gguf_file(tmp_path / "m.gguf", {"output.weight": (8, (4, 64), octets[:-1])})
    with pytest.raises(InputError, match="ends before the array does"):
        load_matrix(path)


@pytest.mark.parametrize("kind", ["Q4_0", "Q5_1", "Q4_K", "Q6_K"])
def test_other_blocks_are_those_of_the_library(tmp_path: Path, kind: str) -> None:
    library = pytest.importorskip("gguf")
    number = library.GGMLQuantizationType[kind]
    entries, octets = library.GGML_QUANT_SIZES[number]
    blocks = np.random.default_rng(1).integers(0, 64, (5, 2 * octets)).astype(np.uint8)
    path = gguf_file(tmp_path / "m.gguf", {"w": (int(number), (5, 2 * entries), blocks.tobytes())})
    expected = library.quants.dequantize(blocks, number)
    assert np.array_equal(load_matrix(path), expected)
    reader = library.GGUFReader(path)
    assert np.array_equal(library.quants.dequantize(reader.tensors[0].data, number), expected)


def head(tensors: int, values: int, rest: bytes = b"", version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, values) + rest


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GGUF",
        b"GGML" + bytes(40),
        head(0, 0),
        head(0, 0, version=1),
        head(0, 0, version=3 << 24),
        head(2**60, 0),
        head(0, 2**60),
        head(0, 1, struct.pack("<Q", 2**60) + b"key"),
        head(0, 1, gguf_text("key") + struct.pack("<IIQ", 9, 8, 2**60)),
        head(0, 1, gguf_text("key") + struct.pack("<IIQ", 9, 0, 2**60)),
        head(0, 1, gguf_text("key") + struct.pack("<I", 77)),
        head(0, 1, gguf_text("key") + 5 * struct.pack("<IIQ", 9, 9, 1)),
        head(1, 0, gguf_text("w") + struct.pack("<IQQIQ", 2, 2**40, 2**40, 0, 0)),
        head(1, 0, gguf_text("w") + struct.pack("<IQQIQ", 2, 2, 2**20, 0, 0) + bytes(64)),
        head(1, 0, gguf_text("w") + struct.pack("<IQQIQ", 2, 2, 2, 0, 2**63) + bytes(64)),
        head(1, 0, gguf_text("w") + struct.pack("<IQQIQ", 2, 2, 2, 999, 0) + bytes(64)),
        head(1, 0, gguf_text("w") + struct.pack("<I", 2**31)),
    ],
)
def test_damaged_files(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.gguf").write_bytes(content)
    with pytest.raises(InputError, match=r"m\.gguf") as caught:
        load_matrix(tmp_path / "m.gguf")
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match=r"m\.gguf"):
        load_names(tmp_path / "m.gguf")
