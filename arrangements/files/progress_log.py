"""What is decided so far, in a file to which each block of answers is added."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from arrangements.errors import InputError
from arrangements.exact.numbers import ExactArray
from arrangements.files.atomic import atomic_write, name_errors
from arrangements.files.paths import check_name
from arrangements.messages import quote_path


def digest(arrays: Iterable[ExactArray | None], *options: Any) -> str:
    """What tells a question about these numbers, with options that JSON can write, from others.

    Examples
    --------
    >>> digest([np.array([1.0, 2.0]), None], "sets")[:8]
    '31b428d2'
    """
    found = hashlib.sha256()
    for array in arrays:
        if array is None or array.dtype == object:
            found.update(repr(None if array is None else array.tolist()).encode())
        else:
            found.update(f"{array.dtype} {array.shape}".encode())
            found.update(np.ascontiguousarray(array).data)
    found.update(json.dumps(options).encode())
    return found.hexdigest()


class ProgressLog:
    """Lines of JSON: first what is asked, then entries in the order in which they were decided.

    A line that an interruption cut is forgotten.

    Parameters
    ----------
    path : str or path-like
        If the file is there, its entries are kept.
    digest : str
        Tells one question from another: see `digest`.
    what : str
        What the entries are, for messages.

    Attributes
    ----------
    entries : list of dict
        Those that were there when the file was opened.

    Raises
    ------
    InputError
        If the file is something else, is of another question, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "report.part")
    >>> ProgressLog(path, "digest").append({"rows": [0]})
    >>> ProgressLog(path, "digest").entries
    [{'rows': [0]}]
    """

    def __init__(self, path: str | os.PathLike[str], digest: str, what: str = "an audit") -> None:
        check_name(path)
        self._path, self._what = os.fspath(path), what
        self.entries: list[dict[str, Any]] = []
        self._format = f"arrangements {what.split()[-1]} 1"
        header = json.dumps([self._format, digest])
        kept = self._read(header) if os.path.exists(self._path) else []
        with atomic_write(self._path) as stream:
            stream.write("".join(f"{line}\n" for line in (header, *kept)).encode())

    def append(self, entry: dict[str, Any]) -> None:
        """Add an entry, which is in the file when this returns."""
        with name_errors(self._path), open(self._path, "ab") as stream:
            stream.write(json.dumps(entry).encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())

    def remove(self) -> None:
        """Forget all."""
        os.unlink(self._path)

    def _read(self, header: str) -> list[str]:
        """Whole lines of the file, after a check of the first."""
        with open(self._path, "rb") as stream:
            lines = stream.read().decode(errors="replace").split("\n")[:-1]
        if lines and not lines[0].startswith(f'["{self._format}"'):
            raise InputError(
                f"{quote_path(self._path)} does not keep {self._what}; choose another name."
            )
        if lines and lines[0] != header:
            raise InputError(
                f"{quote_path(self._path)} keeps {self._what} of other numbers or questions; "
                "remove it to begin again."
            )
        kept = []
        for line in lines[1:]:
            try:
                self.entries.append(json.loads(line))
            except ValueError:
                break
            kept.append(line)
        return kept
