"""Arrays from .npy, .npz and .safetensors files: mapped into memory where that is possible.

A mapped array is read as it is used, so a large one is in memory once and not three times. Nothing
is ever unpickled, and what an .npz file holds is checked against its checksum.
"""

import difflib
import json
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError, MissingDependencyError
from arrangements.messages import first_line, missing_library, quote, quote_path

NPY, NPZ = b"\x93NUMPY", b"PK"
SAFETENSORS = ".safetensors"
# Of a model that is stored in several files: a JSON object that says which file has which array.
_INDEX = f"{SAFETENSORS}.index.json"
# Keys that a message lists.
_MOST_KEYS = 8


def is_stored(path: str) -> bool:
    """Whether the name is that of a file that `stored_array` reads.

    Examples
    --------
    >>> is_stored("w.npy"), is_stored("model.safetensors.index.json"), is_stored("w.csv")
    (True, True, False)
    """
    return path.lower().endswith((".npy", ".npz", SAFETENSORS, _INDEX))


def stored_array(path: str, key: str | None) -> NDArray[Any]:
    """The array of a file, which is mapped into memory if the format allows it.

    Parameters
    ----------
    path : str
        An ordinary file for which `is_stored` is true.
    key : str or None
        The array to take where the file holds several.

    Raises
    ------
    InputError
        If the file is damaged, or there is no such array; the message lists those there are.
    MissingDependencyError
        If the library that reads the format is not installed.
    """
    low = path.lower()
    if low.endswith(_INDEX):
        return _read_shard(path, key)
    if low.endswith(SAFETENSORS):
        return _read_safetensors(path, key)
    with _open(path) as stream:
        return read_array(stream, path, key, path)


def refuse_key(name: str, key: str | None) -> None:
    """Refuse a key for a file that holds one array."""
    if key is not None:
        raise InputError(
            f"{name} holds a single array; a key is for .npz and .safetensors files only."
        )


def read_array(
    stream: IO[bytes], name: str, key: str | None, path: str | None = None
) -> NDArray[Any]:
    """The array of an open .npy or .npz file.

    Parameters
    ----------
    stream : binary file
    name : str
        For messages. Without an extension the first bytes tell the format.
    key : str or None
        As in `stored_array`.
    path : str, optional
        Of a file on a disk, which is mapped into memory if possible.
    """
    begin = stream.read(len(NPY))
    stream.seek(0)
    suffix = Path(name).suffix.lower()
    if suffix == ".npz" or (not suffix and begin.startswith(NPZ)):
        if not begin.startswith(NPZ):
            raise InputError(f"{name} is not an .npz file; write it with numpy.savez.")
        with _name_damage(name), np.load(stream, allow_pickle=False) as archive:
            chosen = _choose(archive.files, name, key)
            array = None if path is None else _map_member(path, archive.zip, chosen)
            array = archive[chosen] if array is None else array
        if not isinstance(array, np.ndarray):
            raise InputError(
                f"{name} holds something that is not an array; write it with numpy.savez."
            )
        return array
    refuse_key(name, key)
    if begin != NPY:
        raise InputError(f"{name} is not a .npy file; write it with numpy.save.")
    with _name_damage(name):
        array = None if path is None else _map(path, stream, 0)
        if array is None:
            stream.seek(0)
            array = np.load(stream, allow_pickle=False)
    return array


def _map_member(path: str, archive: zipfile.ZipFile, key: str) -> NDArray[Any] | None:
    """A member that is stored as it is, as in files of numpy.savez; None if it is compressed."""
    name = key if key in archive.namelist() else f"{key}.npy"
    member = archive.getinfo(name)
    if member.compress_type != zipfile.ZIP_STORED or not name.endswith(".npy"):
        return None
    with open(path, "rb") as stream:
        # 30 bytes, of which the last four tell the lengths of two more parts of the local header
        stream.seek(member.header_offset + 26)
        start = member.header_offset + 30 + sum(struct.unpack("<HH", stream.read(4)))
        octets = np.memmap(path, np.uint8, "r", start, (member.file_size,))
        if zlib.crc32(octets.data) != member.CRC:
            raise InputError(f"cannot read {path}: the checksum of {quote(name)} is wrong.")
        stream.seek(start)
        return _map(path, stream, start)


def _map(path: str, stream: Any, start: int) -> NDArray[Any] | None:
    """The array whose .npy file begins at `start`; None if it is of a kind that is not mapped."""
    if np.lib.format.read_magic(stream) != (1, 0):
        return None
    shape, by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
    if dtype.hasobject or 0 in shape or not shape:
        return None
    order: Any = "F" if by_columns else "C"
    return np.memmap(path, dtype, "r", stream.tell(), shape, order)


def _read_safetensors(path: str, key: str | None) -> NDArray[Any]:
    library: Any = _import_extra("safetensors", path)
    with _name_damage(path), library.safe_open(path, framework="numpy") as archive:
        shapes = {name: archive.get_slice(name).get_shape() for name in archive.keys()}
        # matrices first, the largest before others
        by_size = sorted(shapes, key=lambda k: (len(shapes[k]) != 2, [-m for m in shapes[k][:1]]))
        chosen = _choose(by_size, path, key, shapes)
        kind = archive.get_slice(chosen).get_dtype()
        if kind == "BF16":
            _import_extra("ml_dtypes", path)  # from now on NumPy has the type
        elif kind[:1] == "F" and kind not in ("F16", "F32", "F64"):
            raise InputError(
                f"array {quote(chosen)} of {path} has the type {kind}, which NumPy lacks; expected "
                "float16, bfloat16, float32, float64 or integers."
            )
        array: NDArray[Any] = archive.get_tensor(chosen)
    return array


def _read_shard(path: str, key: str | None) -> NDArray[Any]:
    """An array of a model in several files; `path` is that of the index."""
    with _open(path) as stream:
        files = json.load(stream)["weight_map"]
        chosen = _choose(list(files), path, key)
        shard = str(Path(path).parent / Path(files[chosen]).name)
    return _read_safetensors(shard, chosen)


def _import_extra(library: str, path: str) -> Any:
    try:
        return import_module(library)
    except ImportError as error:
        raise missing_library(library, f"to read {quote_path(path)}", "models") from error


@contextmanager
def _open(path: str) -> Iterator[Any]:
    """The open file; errors about its content become InputErrors."""
    try:
        stream = open(path, "rb")
    except OSError as error:
        raise InputError(f"cannot read {quote_path(path)}: {error.strerror}.") from error
    with stream, _name_damage(path):
        yield stream


@contextmanager
def _name_damage(name: str) -> Iterator[None]:
    """Turn exceptions about damaged or pickled content into an InputError.

    NumPy evaluates the header of an array and trusts that of an archive, so a damaged header may
    raise almost any exception.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as that a header is one of Python 2
            yield
    except (InputError, MissingDependencyError, MemoryError):
        raise
    except Exception as error:
        raise InputError(f"cannot read {name}: {first_line(error)}.") from error


def _choose(
    keys: list[str], name: str, key: str | None, shapes: Mapping[str, Sequence[int]] | None = None
) -> str:
    """The key asked for, or the only one; the first keys are the first to be listed."""
    if key is None and len(keys) != 1:
        raise InputError(
            f"{name} holds {len(keys)} arrays; choose a key from: {_describe_keys(keys, shapes)}."
        )
    if key is not None and key not in keys:
        near = difflib.get_close_matches(key, keys)
        keys = near + [k for k in keys if k not in near]
        raise InputError(
            f"{name} has no array {quote(key)}; its keys are: {_describe_keys(keys, shapes)}."
        )
    return keys[0] if key is None else key


def _describe_keys(keys: list[str], shapes: Mapping[str, Sequence[int]] | None) -> str:
    more = f", .. and {len(keys) - _MOST_KEYS} more" if len(keys) > _MOST_KEYS else ""
    entries = keys[:_MOST_KEYS]
    if shapes is not None:
        entries = [f"{key} ({' x '.join(map(str, shapes[key])) or 'a number'})" for key in entries]
    return (", ".join(entries) or "none") + more
