"""Checkpoints of folds: how far one is, in a file that is written in one step."""

from __future__ import annotations

import io
import json
import os
import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.files import storage
from arrangements.files.folder import folder_at
from arrangements.files.paths import check_name
from arrangements.messages import first_line, quote_path
from arrangements.runs.partition import PartId, Task
from arrangements.runs.record import Record, record_of
from arrangements.runs.sources import Source
from arrangements.search.parts import Part

_FORMAT = 1
# Seconds from one to the next.
_EVERY = 60


class Standing(NamedTuple):
    """How far a fold is: everything before some part is combined, nothing behind it.

    Attributes
    ----------
    begun : int
        Parts of the partition that are combined, or were split.
    pieces : tuple of Task
        What the last of them left, and is still to be folded, in order.
    total : ndarray or None
        The results so far, combined.
    rows : int
        Rows that they are about.
    """

    begun: int = 0
    pieces: tuple[Task, ...] = ()
    total: NDArray[Any] | None = None
    rows: int = 0

    @property
    def next_part(self) -> PartId:
        """The part whose result is needed next."""
        return self.pieces[0][0] if self.pieces else (self.begun,)

    def after(self, left: list[Task], total: NDArray[Any] | None, rows: int) -> Standing:
        """The standing once the next part, which left these pieces, is combined."""
        if self.pieces:
            return Standing(self.begun, (*left, *self.pieces[1:]), total, self.rows + rows)
        return Standing(self.begun + 1, tuple(left), total, self.rows + rows)


class Checkpoint:
    """A file with the standing of a fold.

    Attributes
    ----------
    record : Record or None
        What is folded, without its parts; None if the file is not there yet.
    """

    def __init__(self, path: str | os.PathLike[str], source: Source, step: str) -> None:
        check_name(path)
        self._path = os.fspath(path)
        if not self._path.lower().endswith(".npz"):
            raise InputError(f"checkpoint is {quote_path(self._path)}; expected a name in .npz.")
        parent, self._name = os.path.split(self._path)
        self._folder = folder_at(parent or os.curdir)
        self._step, self._saved_at = step, time.monotonic()
        self.record: Record | None = None
        self._parts, self._standing = "", Standing()
        self._read(source)

    def standing(self, record: Record) -> Standing:
        """Where the fold of this record stands."""
        if self.record is None:
            return Standing()
        if record.digest != self._parts:
            raise InputError(
                f"{quote_path(self._path)} is a checkpoint of another version of this package, "
                "which cuts the sweep into other parts; go on with that one, or remove the file."
            )
        return self._standing

    def save_sometimes(self, record: Record, standing: Standing) -> None:
        """Write the standing, if that is long ago."""
        if time.monotonic() - self._saved_at >= _EVERY:
            self.save(record, standing)

    def save(self, record: Record, standing: Standing) -> None:
        """Write the standing."""
        plain = {
            "format": _FORMAT,
            "step": self._step,
            "record": replace(record, parts=()).to_json().decode(),
            "parts": record.digest,
            "begun": standing.begun,
            "pieces": standing.pieces,
            "rows": standing.rows,
        }
        members = {"about": np.frombuffer(json.dumps(plain).encode(), np.uint8)}
        if standing.total is not None:
            members |= storage.number_members("total", standing.total)
        stream = io.BytesIO()
        # mypy takes the members for the keyword allow_pickle; none of them has objects.
        np.savez(stream, **members)  # type: ignore[arg-type]
        self._folder.write(self._name, stream.getvalue())
        self._saved_at = time.monotonic()

    def remove(self) -> None:
        """Forget all."""
        self._folder.remove(self._name)
        self.record = None

    def _read(self, source: Source) -> None:
        """Read the file, if it is there, and refuse one of another question or step."""
        where = quote_path(self._path)
        try:
            content = self._folder.read(self._name)
        except FileNotFoundError:
            return
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as archive:
                members = {name: archive[name] for name in archive.files}
            plain = json.loads(members["about"].tobytes())
            if plain["format"] != _FORMAT:
                raise InputError(f"its format is {plain['format']}; this version reads {_FORMAT}")
            there = Record.from_json(plain["record"].encode(), where)
            total = storage.numbers("total", members)
            pieces = tuple((tuple(part), Part.read(what)) for part, what in plain["pieces"])
            self._standing = Standing(plain["begun"], pieces, total, plain["rows"])
            self._parts, step = plain["parts"], plain["step"]
        except Exception as error:  # almost any exception may come of damaged content
            what = f"no entry {error}" if isinstance(error, KeyError) else first_line(error)
            raise InputError(
                f"{where} is no checkpoint, or damaged: {what}. Remove it to begin again."
            ) from error
        record = record_of(source, None, there.seed, there.expected_rows, there.rows_per_part)
        difference = there.difference(record)
        if difference is None and step != self._step:
            difference = f"the step ({step}, and now {self._step})"
        if difference is not None:
            raise InputError(
                f"{where} is the checkpoint of another fold; not the same: {difference}. Choose "
                "another name, or remove it."
            )
        self.record = there
