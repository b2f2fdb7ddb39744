"""Files of models for tests, written as the formats describe them and without their libraries."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

MATRIX = np.array([[1.5, -2.0], [0.1, 3.0], [0.0, 7.25]])
BIAS = np.array([0.5, 0.0, -1.0])


def safetensors_file(path: Path, **tensors: tuple[str, Any]) -> Path:
    """Length and text of the header, then the numbers."""
    header, numbers = {}, b""
    for name, (kind, array) in tensors.items():
        start, numbers = len(numbers), numbers + array.tobytes()
        header[name] = {
            "dtype": kind,
            "shape": list(array.shape),
            "data_offsets": [start, len(numbers)],
        }
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + numbers)
    return path


def bfloat16_bits(array: Any) -> Any:
    """The upper halves of float32 numbers."""
    return (np.asarray(array, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def gguf_text(text: str) -> bytes:
    """A text of a .gguf file."""
    return struct.pack("<Q", len(text.encode())) + text.encode()


def gguf_file(
    path: Path, tensors: dict[str, tuple[int, Any, bytes]], tokens: tuple[str, ...] = ()
) -> Path:
    """A header with values of several types, then tensors of a type, shape and bytes each."""
    values = {
        "general.architecture": struct.pack("<I", 8) + gguf_text("llama"),
        "llama.block_count": struct.pack("<II", 4, 2),
        "numbers": struct.pack("<IIQ3f", 9, 6, 3, 1, 2, 3),
        "general.alignment": struct.pack("<II", 4, 64),
        "tokenizer.ggml.tokens": struct.pack("<IIQ", 9, 8, len(tokens))
        + b"".join(map(gguf_text, tokens)),
    }
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values))
    head += b"".join(gguf_text(key) + value for key, value in values.items())
    content = b""
    for name, (kind, shape, octets) in tensors.items():
        head += gguf_text(name) + struct.pack("<I", len(shape))
        head += struct.pack(f"<{len(shape)}QIQ", *shape[::-1], kind, len(content))
        content += octets + bytes(-len(octets) % 64)
    path.write_bytes(head + bytes(-len(head) % 64) + content)
    return path
