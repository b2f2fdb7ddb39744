"""Tensors of .safetensors files, and of models in several files."""

import json
import struct
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.files.archives import (
    Archive,
    Stored,
    check_dimensions,
    map_array,
    name_damage,
    open_file,
    short_float,
)
from arrangements.messages import quote, quote_path

# The format allows no longer header.
_MOST_HEADER = 100_000_000
_KINDS = {
    **{"BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "F16": "<f2"},
    **{"U32": "<u4", "I32": "<i4", "F32": "<f4", "U64": "<u8", "I64": "<i8", "F64": "<f8"},
}
_SHORT = {"BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2"}


def read_safetensors(path: str) -> Archive:
    """The arrays of a file: a JSON object that says where each one begins, then the numbers.

    Raises
    ------
    InputError
        If the header is damaged, or no file of this format begins so.
    """
    with open_file(path) as stream, name_damage(path):
        size = Path(path).stat().st_size - 8
        length = struct.unpack("<Q", stream.read(8))[0] if size >= 0 else 0
        if not 2 <= length <= min(size, _MOST_HEADER):
            raise InputError(
                f"{quote_path(path)} is not a .safetensors file, or is cut off in its header."
            )
        header = json.loads(stream.read(length))
        header.pop("__metadata__", None)
        found = {key: _stored(path, key, entry, 8 + length) for key, entry in header.items()}
    return Archive(path, found)


def _stored(path: str, key: str, entry: Any, start: int) -> Stored:
    place = f"array {quote(key)} of {quote_path(path)}"
    shape = check_dimensions(entry["shape"], place)
    begin, _ = check_dimensions(entry["data_offsets"], place)
    kind = entry["dtype"]
    if kind in _KINDS or kind in _SHORT:
        note = _scaled(kind)
        return Stored(shape, partial(_load, path, kind, start + begin, shape), note=note)
    return Stored(shape, partial(_refuse, place, kind))


def _scaled(kind: str) -> str:
    """What is said of float8: the scale of such weights, if there is one, is another array."""
    return "values of float8, without a scale" if kind.startswith("F8") else ""


def _load(path: str, kind: str, start: int, shape: tuple[int, ...]) -> NDArray[Any]:
    dtype = np.dtype(_KINDS[kind]) if kind in _KINDS else short_float(_SHORT[kind], path)
    return map_array(path, dtype, start, shape)


def _refuse(place: str, kind: Any) -> NoReturn:
    raise InputError(
        f"{place} has the type {quote(kind)}, which NumPy lacks; expected float16, bfloat16, "
        "float32, float64, float8 (E4M3, E5M2) or integers."
    )
