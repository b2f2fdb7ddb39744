"""Rows, offsets and names in the .npz files that classifiers and sets here have saved."""

import json
from dataclasses import replace
from functools import partial
from typing import Any

from numpy.typing import NDArray

from arrangements.files.archives import Archive, Stored, check_dimensions, name_damage
from arrangements.files.numpy_files import read_npz
from arrangements.files.storage import numbers
from arrangements.messages import quote_path


def read_npz_or_saved(path: str) -> Archive:
    """The arrays of an .npz file; of one that an object here has saved, its rows as the last layer.

    Exact fractions, which such a file holds as text, are the numbers again.
    """
    archive = read_npz(path)
    known = {key.removesuffix("_text") for key in archive.arrays}
    name = next((one for one in ("weights", "normals") if one in known), None)
    if name is None or "format" not in known:
        return archive
    arrays, tokens = dict(archive.arrays), list[str]()
    with name_damage(path):
        for key in {name, "offsets"} & known - arrays.keys():
            arrays[key] = _of_text(key, arrays, path)
        if "labels" in arrays:
            tokens = list(map(str, json.loads(arrays["labels"].load().tobytes())))
    bias = "offsets" if "offsets" in arrays else None
    return replace(archive, arrays=arrays, layers=[(name, bias)], tokens=tokens)


def _of_text(key: str, arrays: dict[str, Stored], path: str) -> Stored:
    """Numbers that a file holds as text."""
    names = [f"{key}{end}" for end in ("_text", "_shape", "_field")]
    parts = {name: arrays.pop(name) for name in names if name in arrays}
    place = f"array {key} of {quote_path(path)}"
    shape = check_dimensions(parts[f"{key}_shape"].load().tolist(), place)
    return Stored(shape, partial(_numbers, key, parts, path))


def _numbers(key: str, parts: dict[str, Stored], path: str) -> NDArray[Any]:
    with name_damage(path):
        found = numbers(key, {name: part.load() for name, part in parts.items()})
        assert found is not None
        return found
