"""Tensors and tokens of .gguf files, the format of llama.cpp.

The header is read here, since it is short to describe and its counts cannot be trusted; the library
``gguf`` turns blocks of quantised types into numbers.
"""

import mmap
import struct
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.execution.progress import while_reading
from arrangements.files.archives import (
    Archive,
    Stored,
    check_dimensions,
    import_extra,
    map_array,
    name_damage,
    open_file,
    short_float,
)
from arrangements.messages import quote, quote_path

_TOKENS = "tokenizer.ggml.tokens"
_ALIGNMENT = "general.alignment"
# Types of values in the header: the letter of `struct` for each number, then text and lists.
_NUMBERS = {
    **{0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B"},
    **{10: "Q", 11: "q", 12: "d"},
}
_TEXT, _LIST = 8, 9
# Types of tensors that are not quantised.
_PLAIN = {0: "<f4", 1: "<f2", 24: "i1", 25: "<i2", 26: "<i4", 27: "<i8", 28: "<f8"}
_BFLOAT16 = 30
# Rows that are made numbers at a time.
_ROWS = 4096


def read_gguf(path: str) -> Archive:
    """The tensors of a model; ``token_embd.weight`` is its head if ``output.weight`` is missing.

    Raises
    ------
    InputError
        If the header is damaged.
    """
    with open_file(path) as stream, name_damage(path):
        if stream.read(4) != b"GGUF":
            raise InputError(f"{quote_path(path)} is not a .gguf file.")
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
            header = _Header(content)
            arrays = header.tensors(path)
    return Archive(path, arrays, tied=True, tokens=header.tokens)


class _Header:
    """What stands before the tensors: counts, then keys with values, then names of tensors."""

    def __init__(self, content: Any) -> None:
        self._content, self._at = content, 4
        self.tokens: list[str] = []
        version, self._count, keys = self._next("IQQ")
        if version not in (2, 3):
            raise ValueError(f"its version of the format is {version}; expected 2 or 3")
        alignment = 32
        for _ in range(keys):
            name, kind = self._text(), self._next("I")[0]
            value = self._value(kind, name == _TOKENS)
            if name == _TOKENS and isinstance(value, list):
                self.tokens = [part.decode("utf-8", "replace") for part in value]
            if name == _ALIGNMENT and isinstance(value, int):
                alignment = max(1, value)
        self._alignment = alignment

    def _next(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{form}", self._content, self._at)
        self._at += struct.calcsize(f"<{form}")
        return found

    def _bytes(self) -> bytes:
        length = self._next("Q")[0]
        if length > len(self._content) - self._at:
            raise ValueError("a text in it is longer than the file")
        self._at += length
        return bytes(self._content[self._at - length : self._at])

    def _text(self) -> str:
        return self._bytes().decode("utf-8", "replace")

    def _value(self, kind: int, wanted: bool, level: int = 0) -> Any:
        """A value, or a list of texts if they are wanted; other lists are passed over."""
        if kind in _NUMBERS:
            return self._next(_NUMBERS[kind])[0]
        if kind == _TEXT:
            return self._bytes()
        if kind != _LIST or level > 2:
            raise ValueError(f"a value in it has the unknown type {kind}")
        inner, count = self._next("IQ")
        if inner in _NUMBERS:
            self._at += count * struct.calcsize(f"<{_NUMBERS[inner]}")
            return None
        if count > len(self._content) - self._at:  # each takes a byte at least
            raise ValueError("a list in it is longer than the file")
        found = []
        for _ in range(count):
            value = self._value(inner, wanted, level + 1)
            if wanted and inner == _TEXT:
                found.append(value)
        return found

    def tensors(self, path: str) -> dict[str, Stored]:
        places = []
        for _ in range(self._count):
            name, axes = self._text(), self._next("I")[0]
            if axes > 4:
                raise ValueError(f"tensor {quote(name)} has {axes} axes")
            sizes, (kind, offset) = self._next(f"{axes}Q"), self._next("IQ")
            # the fastest axis comes first
            shape = check_dimensions(sizes[::-1], f"array {quote(name)} of {quote_path(path)}")
            places.append((name, shape, kind, offset))
        start = -(-self._at // self._alignment) * self._alignment
        return {
            name: Stored(
                shape, partial(_load, path, name, kind, start + offset, shape), note=_note(kind)
            )
            for name, shape, kind, offset in places
        }


def _note(kind: int) -> str:
    if kind in _PLAIN or kind == _BFLOAT16:
        return ""
    return "quantised: the float32 numbers that its blocks stand for"


def _load(path: str, name: str, kind: int, start: int, shape: tuple[int, ...]) -> NDArray[Any]:
    if kind in _PLAIN:
        return map_array(path, _PLAIN[kind], start, shape)
    if kind == _BFLOAT16:
        return map_array(path, short_float("bfloat16", path), start, shape)
    library = import_extra("gguf", path, "gguf")
    place = f"array {quote(name)} of {quote_path(path)}"
    with name_damage(place):
        kind = library.GGMLQuantizationType(kind)
        entries, octets = library.GGML_QUANT_SIZES[kind]
        d = shape[-1] if shape else 1
        if d % entries:
            raise ValueError(f"its rows have {d} entries, which are no blocks of {entries}")
        stored = map_array(path, np.uint8, start, (prod(shape[:-1]), d // entries * octets))
        numbers = np.empty((len(stored), d), np.float32)
        starts = range(0, len(stored), _ROWS)
        for i in while_reading(starts, len(starts), "blocks of rows"):
            numbers[i : i + _ROWS] = library.quants.dequantize(stored[i : i + _ROWS], kind)
    return numbers.reshape(shape)
