"""Files of a computation of restrictions: their names, states, classes and tasks that are done."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.exact.field_entries import field_of_rows, integers_of, whole_number
from arrangements.exact.number_field import field_of_root
from arrangements.files.folder import Folder
from arrangements.kernels.structure.states import Classes, States
from arrangements.messages import first_line
from arrangements.version import __version__

RECORD, INPUT = "restrictions.json", "rows.json"
FORMAT = 2
_ARRAYS = ("rows", "multiplicity", "start", "digest", "weight", "used")


@dataclass(frozen=True)
class Level:
    """A level that is complete.

    Attributes
    ----------
    k : int
        Coordinates of its states.
    states, rows : int
    pieces : tuple of int
        Tasks of each of its files.
    shares : int
        Files of the next level.
    merging : bool
        As in `Progress`, while it was made.
    restricted : int
        Restrictions to rows.
    seconds : float
        Of all tasks, by the clock.
    written : int
        Bytes of what the tasks found.
    """

    k: int
    states: int
    rows: int
    pieces: tuple[int, ...]
    shares: int
    merging: bool
    restricted: int
    seconds: float
    written: int


@dataclass(frozen=True)
class Progress:
    """How far a computation is: what ``restrictions.json`` holds.

    Attributes
    ----------
    question : str
        Digest of the rows and of what is counted.
    attempt : int
        Which primes.
    k : int
        Coordinates of the states of the level under way.
    parts : int
        Files of it.
    pieces : tuple of int
        Tasks of each file.
    shares : int
        Files of the next level.
    totals : tuple of (float, float, float)
        States of the level, their rows, and the squares of these.
    sums : tuple of tuple of int
        What the flats count that levels before this one met.
    primes : tuple of int
        Those of the rows.
    seed : int
        Which primes these are, and those of the weights.
    transcript : bool
        Whether the states of all levels stay.
    levels : tuple of Level
        Those that are complete.
    merging : bool
        Whether images were found on the level before. A task sees little of its level, so it does
        not decide alone that there are none.
    version : str
        Of the library that wrote this.
    """

    question: str
    attempt: int
    k: int
    parts: int
    pieces: tuple[int, ...]
    shares: int
    totals: tuple[float, float, float]
    sums: tuple[tuple[int, ...], ...]
    primes: tuple[int, ...]
    seed: int = 0
    transcript: bool = False
    levels: tuple[Level, ...] = ()
    merging: bool = True
    version: str = __version__


class TaskReport(NamedTuple):
    """What there is to say of a task that was done."""

    restricted: int
    operations: float
    found: int
    rows: int
    sums: tuple[tuple[int, ...], ...]
    recognized: int
    # of the states that it passed on: see `restriction_tasks`
    fingerprint: tuple[int, ...]
    seconds: float
    spills: int = 0
    written: int = 0
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
    return f"level-{k:02}.from-{part:03}-{piece:05}.share-{share:03}.{spill}-{token}.npz"


def level_of(name: str) -> int | None:
    """Coordinates of the states of a file's level; None for another file."""
    found = re.match(r"level-(\d+)\.", name)
    return int(found[1]) if found else None


def read_report(folder: Folder, k: int, part: int, piece: int) -> TaskReport:
    """What a task that was done said."""
    name = report_name(k, part, piece)
    try:
        found = TaskReport(*json.loads(folder.read(name)))
        return found._replace(sums=as_tuples(found.sums), fingerprint=tuple(found.fingerprint))
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


def question_of(plain: dict[str, Any]) -> str:
    """What tells one computation from another, by its input as JSON holds it."""
    return hashlib.sha256(f"{FORMAT} {json.dumps(plain)}".encode()).hexdigest()


def read_progress(folder: Folder) -> Progress:
    """How far the computation in a folder is."""
    try:
        found = json.loads(folder.read(RECORD))
        found["sums"], found["totals"] = as_tuples(found["sums"]), tuple(found["totals"])
        if len({len(row) for row in found["sums"]}) != 1:
            raise ValueError("its sums are not those of the same primes")
        found["pieces"], found["primes"] = tuple(found["pieces"]), tuple(found["primes"])
        levels = [Level(**{**one, "pieces": tuple(one["pieces"])}) for one in found["levels"]]
        return Progress(**{**found, "levels": tuple(levels)})
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"{folder.url(RECORD)} is damaged: {first_line(error)}. Remove the folder and begin "
            "anew."
        ) from error
