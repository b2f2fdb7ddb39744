"""What is decided so far, in a file to which each block of answers is added."""

from __future__ import annotations

import json
import os
from typing import Any

from arrangements.errors import InputError
from arrangements.files.atomic import atomic_write, name_errors
from arrangements.files.paths import check_name
from arrangements.messages import quote_path

_FORMAT = "arrangements audit 1"


class ProgressLog:
    """Lines of JSON: first what is asked, then entries in the order in which they were decided.

    A line that an interruption cut is forgotten.

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

    def __init__(self, path: str | os.PathLike[str], digest: str) -> None:
        check_name(path)
        self._path = os.fspath(path)
        self.entries: list[dict[str, Any]] = []
        header = json.dumps([_FORMAT, digest])
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
        if lines and not lines[0].startswith(f'["{_FORMAT}"'):
            raise InputError(
                f"{quote_path(self._path)} does not keep an audit; choose another name."
            )
        if lines and lines[0] != header:
            raise InputError(
                f"{quote_path(self._path)} keeps an audit of other numbers or sets; remove it to "
                "begin again."
            )
        kept = []
        for line in lines[1:]:
            try:
                self.entries.append(json.loads(line))
            except ValueError:
                break
            kept.append(line)
        return kept
