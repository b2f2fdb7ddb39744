"""Files of a computation of restrictions: their names, states, classes and tasks that are done."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.exact.field_entries import field_of_rows, integers_of, whole_number
from arrangements.exact.number_field import field_of_root
from arrangements.files.folder import Folder
from arrangements.kernels.structure.states import Classes, States
from arrangements.messages import first_line

_ARRAYS = ("rows", "multiplicity", "start", "digest", "weight", "used")


class TaskReport(NamedTuple):
    """What there is to say of a task that was done."""

    restricted: int
    operations: float
    found: int
    rows: int
    spills: int
    sums: tuple[tuple[int, ...], ...]
    recognized: int = 0
    # in the names of its files: if two processes do one task, with other memory, their files differ
    token: str = ""


def part_name(k: int, part: int) -> str:
    """The file of some states in k coordinates."""
    return f"level-{k:02}.part-{part:03}.npz"


def report_name(k: int, part: int, piece: int) -> str:
    """What says that a piece of a file of states was restricted."""
    return f"level-{k:02}.part-{part:03}.piece-{piece:05}.json"


def fragment_name(k: int, part: int, piece: int, share: int, spill: int, token: str) -> str:
    """The file of classes that a task found for one share of the level in k coordinates."""
    number = f"{spill}-{token}" if token else str(spill)  # without: of an earlier version
    return f"level-{k:02}.from-{part:03}-{piece:05}.share-{share:03}.{number}.npz"


def level_of(name: str) -> int | None:
    """Coordinates of the states of a file's level; None for another file."""
    found = re.match(r"level-(\d+)\.", name)
    return int(found[1]) if found else None


def read_report(folder: Folder, k: int, part: int, piece: int) -> TaskReport:
    """What a task that was done said."""
    name = report_name(k, part, piece)
    try:
        found = TaskReport(*json.loads(folder.read(name)))
        return found._replace(sums=as_tuples(found.sums))
    except (ValueError, TypeError) as error:
        raise InputError(
            f"{folder.url(name)} is damaged: {first_line(error)}. Remove this file, so that its "
            "task is done again."
        ) from error


def read_states(folder: Folder, name: str) -> States:
    """The states of a file."""
    return _unpack(folder, name, "states")[0]


def read_classes(folder: Folder, name: str) -> Classes:
    """The classes of a file."""
    return Classes(*_unpack(folder, name, "keys", "states"))


def pack(**groups: States) -> bytes:
    """The bytes of a file of states, without room to spare and without a hash table.

    Compressed as fast as zlib does: a seventh of the bytes in about a hundredth of the time that
    the states took.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in _members(groups):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return stream.getvalue()


def _members(groups: dict[str, States]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Names and arrays of a file."""
    for group, states in groups.items():
        count, rows = states.used.tolist()
        length = {"rows": rows, "multiplicity": rows, "start": count + 1, "used": 2}
        for name in _ARRAYS:
            yield f"{group}.{name}", getattr(states, name)[: length.get(name, count)]


def _unpack(folder: Folder, name: str, *groups: str) -> list[States]:
    try:
        content = folder.read(name)
    except FileNotFoundError as error:
        raise InputError(
            f"{folder.url(name)} is missing. Remove the folder and begin anew."
        ) from error
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as found:
            return [
                States(
                    **{array: found[f"{group}.{array}"] for array in _ARRAYS},
                    slots=np.full(1, -1),
                )
                for group in groups
            ]
    except MemoryError:
        raise
    except Exception as error:  # almost any exception may come of damaged content
        raise InputError(
            f"{folder.url(name)} is damaged: {first_line(error)}. Remove the folder and begin anew."
        ) from error


def as_plain(rows: list[list[Any]], second: bool) -> dict[str, Any]:
    """What is computed, as JSON holds it: numbers of a field by their coefficients."""
    field = field_of_rows(rows)
    if field is None:
        return {"rows": rows, "second": second}
    entries = [[integers_of(entry, field.degree) for entry in row] for row in rows]
    return {"field": [field.polynomial, field.root_number], "rows": entries, "second": second}


def rows_of_plain(plain: dict[str, Any]) -> list[list[Any]]:
    """The rows of a stored question."""
    if "field" not in plain:
        return plain["rows"]
    polynomial, place = plain["field"]
    field = field_of_root(tuple(polynomial), place, "a")
    return [[whole_number(field, entry) for entry in row] for row in plain["rows"]]


def as_tuples(numbers: Iterable[Iterable[Any]]) -> tuple[tuple[int, ...], ...]:
    """Rows of numbers as tuples of integers."""
    return tuple(tuple(int(number) for number in row) for row in numbers)
