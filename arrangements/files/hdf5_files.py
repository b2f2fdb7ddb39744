"""Datasets of HDF5 files, and weights of Keras: ``.h5``, ``.hdf5``, ``.weights.h5``, ``.keras``."""

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.files.archives import (
    Archive,
    Stored,
    import_extra,
    map_array,
    name_damage,
    open_file,
)
from arrangements.messages import quote, quote_path

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
# The member of a .keras file with the weights.
_WEIGHTS = "model.weights.h5"
# No filter of HDF5 makes numbers so many times shorter.
_MOST_COMPRESSED = 1100
# Keras 3 calls the weights of a layer vars/0; those of a dense layer have a column for each output.
_DENSE = re.compile(r"(^|/)dense[^/]*/vars/0$")


def read_hdf5(path: str) -> Archive:
    """The datasets of a file, by their paths within it.

    Raises
    ------
    InputError
        If the file is damaged.
    MissingDependencyError
        If `h5py` is not installed (extra ``hdf5``).
    """
    library = import_extra("h5py", path, "hdf5")
    arrays: dict[str, Stored] = {}

    def add(key: str, item: Any) -> None:
        if isinstance(item, library.Dataset) and item.shape is not None:
            load = partial(_load, library, path, key)
            by_columns = len(item.shape) == 2 and bool(_DENSE.search(key))
            arrays[key] = Stored(tuple(map(int, item.shape)), load, by_columns)

    with name_damage(path), _open(library, path) as file:
        file.visititems(add)
    return Archive(path, arrays)


@contextmanager
def _open(library: Any, path: str) -> Iterator[Any]:
    """The open file, or the one within a .keras file."""
    with open_file(path) as stream:
        if not path.lower().endswith(".keras"):
            if stream.read(len(_SIGNATURE)) != _SIGNATURE:
                raise InputError(f"{quote_path(path)} is not an HDF5 file.")
            with library.File(path, "r") as file:
                yield file
            return
        with zipfile.ZipFile(stream) as archive, archive.open(_WEIGHTS) as member:
            with library.File(member, "r") as file:
                yield file


def _load(library: Any, path: str, key: str) -> NDArray[Any]:
    place = f"array {quote(key)} of {quote_path(path)}"
    with name_damage(path), _open(library, path) as file:
        item = file[key]
        if item.external or item.is_virtual:
            raise InputError(f"{place} lies in other files; expected numbers in this one.")
        size = prod(item.shape) * item.dtype.itemsize
        if size > _MOST_COMPRESSED * item.id.get_storage_size() + 2**20:
            raise InputError(f"{place} has more entries than the file has numbers.")
        start = item.id.get_offset()
        plain = item.chunks is None and start is not None and not item.dtype.hasobject
        if plain and not path.lower().endswith(".keras"):
            return map_array(path, item.dtype, start + file.userblock_size, item.shape)
        return np.asarray(item[()])
