"""Tensors of files of ``torch.save``: weights only, by versions of PyTorch that keep to that."""

import re
import zipfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from arrangements.errors import InputError, MissingDependencyError
from arrangements.exact.coercion import from_tensor
from arrangements.files.archives import Archive, Stored, import_extra, name_damage, open_file
from arrangements.messages import missing_library, quote, quote_path

# Older ones ran code from prepared files that were loaded with weights_only=True.
_SAFE = (2, 10)
# Protocol 2 of pickle, in which torch.save wrote before it wrote archives.
_PICKLE = b"\x80\x02"
# Dictionaries within each other, such as {"state_dict": {..}}.
_MOST_LEVELS = 8


def read_torch(path: str) -> Archive:
    """The tensors of a file of ``torch.save``; nothing else in it is taken, and no code is run.

    Raises
    ------
    InputError
        If it is no such file, or holds more than tensors.
    MissingDependencyError
        If PyTorch 2.10 or later is not installed (extra ``torch``).
    """
    with open_file(path) as stream:
        begin = stream.read(2)
    if begin not in (b"PK", _PICKLE):
        raise InputError(f"{quote_path(path)} is not a file of torch.save.")
    torch = import_extra("torch", path, "torch")
    _check_version(str(torch.__version__), path)
    try:
        with name_damage(path):
            if begin == b"PK" and any("code/" in name for name in zipfile.ZipFile(path).namelist()):
                raise InputError(
                    f"{quote_path(path)} is a program of TorchScript, which is not run; save "
                    "torch.jit.load(..).state_dict() with torch.save."
                )
            content = torch.load(
                path, map_location="cpu", weights_only=True, mmap=begin == b"PK" or None
            )
    except InputError as error:
        if "weights_only" not in str(error.__cause__).lower():
            raise
        raise InputError(
            f"{quote_path(path)} holds more than tensors, such as a whole module, which only "
            "running code could read; save model.state_dict() with torch.save."
        ) from error
    size = Path(path).stat().st_size
    return Archive(path, dict(_tensors(content, path, size, "", 0)))


def _check_version(version: str, path: str) -> None:
    """Refuse versions that may run code from a file."""
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < _SAFE:
        reason = missing_library("torch 2.10 or later", f"to read {quote_path(path)}", "torch")
        raise MissingDependencyError(
            f"{reason} Here is {version}; those before 2.10 could be made to run code from a file, "
            "even where only its weights are loaded."
        )


def _tensors(
    value: Any, path: str, size: int, key: str, level: int
) -> Iterator[tuple[str, Stored]]:
    """Tensors within dictionaries and lists, with keys such as ``state_dict.fc.weight``."""
    if hasattr(value, "detach"):
        place = f"array {quote(key or 'tensor')} of {quote_path(path)}"
        yield key or "tensor", Stored(tuple(value.shape), partial(_load, value, size, place))
    elif isinstance(value, Mapping | list | tuple) and level < _MOST_LEVELS:
        pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
        for name, part in pairs:
            yield from _tensors(part, path, size, f"{key}.{name}" if key else str(name), level + 1)


def _load(tensor: Any, size: int, place: str) -> NDArray[Any]:
    if not tensor.is_sparse and tensor.numel() * tensor.element_size() > size:
        raise InputError(f"{place} has more entries than the file has numbers.")
    with name_damage(place):
        array: NDArray[Any] = from_tensor(tensor)
        return array
