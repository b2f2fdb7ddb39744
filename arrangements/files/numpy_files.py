"""Arrays from .npy and .npz files, mapped into memory where that is possible.

A mapped array is read as it is used, so a large one is in memory once and not three times. Nothing
is ever unpickled, and what an .npz file holds is checked against its checksum.
"""

import struct
import zipfile
import zlib
from functools import partial
from math import prod
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.files.archives import Archive, Stored, map_array, name_damage, open_file
from arrangements.messages import quote, quote_path

NPY, NPZ = b"\x93NUMPY", b"PK"
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_npy(path: str) -> NDArray[Any]:
    """The array of a .npy file, mapped into memory unless it is empty."""
    with open_file(path) as stream:
        return array_of_stream(stream, path, path)


def array_of_stream(stream: IO[bytes], name: str, path: str | None = None) -> NDArray[Any]:
    """The array of an open .npy file; `path` is that of a file that can be mapped."""
    if stream.read(len(NPY)) != NPY:
        raise InputError(f"{name} is not a .npy file; write it with numpy.save.")
    stream.seek(0)
    with name_damage(name):
        shape, by_columns, dtype = _header(stream)
        if path is not None and not dtype.hasobject and shape:
            return map_array(path, dtype, stream.tell(), shape, "F" if by_columns else "C")
        stream.seek(0)
        array: NDArray[Any] = np.load(stream, allow_pickle=False)
        return array


def read_npz(path: str) -> Archive:
    """The arrays of an .npz file."""
    with open_file(path) as stream:
        return archive_of_stream(stream, path, path)


def archive_of_stream(stream: IO[bytes], name: str, path: str | None = None) -> Archive:
    """The arrays of an open .npz file; without a path it must stay open."""
    if stream.read(len(NPZ)) != NPZ:
        raise InputError(f"{name} is not an .npz file; write it with numpy.savez.")
    source = stream if path is None else path
    found = {}
    with name_damage(name), zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            if not member.filename.endswith(".npy"):
                continue
            with archive.open(member) as part:
                shape, _, dtype = _header(part)
            if dtype.itemsize * prod(shape) > member.file_size and not dtype.hasobject:
                raise InputError(f"{quote(member.filename)} in {name} ends before its array does.")
            load = partial(_load, source, name, member.filename)
            found[member.filename.removesuffix(".npy")] = Stored(shape, load)
    return Archive(name, found)


def _header(stream: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether columns follow each other, and type of an array whose file is open here."""
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise ValueError(f"its .npy format has version {version}, which is for records")
    return _HEADERS[version](stream)


def _load(source: Any, name: str, member: str) -> NDArray[Any]:
    with name_damage(name), zipfile.ZipFile(source) as archive:
        info = archive.getinfo(member)
        if isinstance(source, str) and info.compress_type == zipfile.ZIP_STORED:
            return _map_member(source, info)
        with archive.open(info) as part:
            array: NDArray[Any] = np.lib.format.read_array(part, allow_pickle=False)
            return array


def _map_member(path: str, member: zipfile.ZipInfo) -> NDArray[Any]:
    """A member that is stored as it is, as in files of numpy.savez."""
    with open(path, "rb") as stream:
        # 30 bytes, of which the last four tell the lengths of two more parts of the local header
        stream.seek(member.header_offset + 26)
        start = member.header_offset + 30 + sum(struct.unpack("<HH", stream.read(4)))
        octets = map_array(path, np.uint8, start, (member.file_size,))
        if zlib.crc32(octets.data) != member.CRC:
            place = quote(member.filename)
            raise InputError(f"cannot read {quote_path(path)}: the checksum of {place} is wrong.")
        stream.seek(start)
        shape, by_columns, dtype = _header(stream)
        if dtype.hasobject or not shape:
            stream.seek(start)
            array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
            return array
        return map_array(path, dtype, stream.tell(), shape, "F" if by_columns else "C")
