"""What a run is: ``run.json``, which fixes every row of every part, and ``input.npz``."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from arrangements.errors import InputError
from arrangements.exact.field_entries import coefficients_of
from arrangements.exact.numbers import ExactArray, field_of_array
from arrangements.files import storage
from arrangements.files.folder import Folder
from arrangements.messages import first_line, quote
from arrangements.runs.source_files import source_of
from arrangements.runs.sources import Source
from arrangements.search.flag import Flag
from arrangements.search.parts import Part
from arrangements.version import __version__

# What is swept; the question and its parts.
INPUT, RECORD = "input.npz", "run.json"
FORMAT = 2

# What tells one question from another, and how to name the difference.
_QUESTION = {
    "noun": "what is listed",
    "n": "the number of rows",
    "input": "the numbers of W and the offsets, or of the network",
    "names": "the labels, or those dropped, or the graph of layers",
    "within": "the inequalities of within",
    "rows_per_part": "rows_per_part",
}


@dataclass(frozen=True)
class Record:
    """A run, apart from its rows.

    Attributes
    ----------
    noun : str
        "chambers", "rankings" or "regions".
    n : int
    half : bool
        Whether a row stands for a pattern and its opposite.
    input, names, within : str
        Digests of the exact numbers, of the labels, and of the polyhedron, empty if there is none.
    rows_per_part : int
        A part that has more rows is split.
    expected_rows : int
    seed : int
        Of the coordinates of the sweep.
    coordinates : str
        Digest of these coordinates.
    parts : tuple of Part
    version : str
        Of the library that began the run.
    """

    noun: str
    n: int
    half: bool
    input: str
    names: str
    rows_per_part: int
    expected_rows: int
    seed: int
    coordinates: str
    parts: tuple[Part, ...] = field(repr=False)
    version: str = __version__
    within: str = ""

    @cached_property
    def digest(self) -> str:
        """Of everything that the rows of a part depend on."""
        settled = [self.noun, self.n, self.half, self.input, self.names]
        settled += [self.within] if self.within else []
        settled += [self.rows_per_part, self.expected_rows, self.seed]
        parts = [[*part.prefix, part.first, part.stop, part.own] for part in self.parts]
        return digest_of(json.dumps([FORMAT, *settled, self.coordinates, parts]).encode())

    @classmethod
    def _entries(cls) -> list[str]:
        return [name for name in cls.__dataclass_fields__ if name != "parts"]

    def to_json(self) -> bytes:
        """The bytes of ``run.json``."""
        plain = {
            "format": FORMAT,
            "version": self.version,
            "row": "a pattern and its opposite" if self.half else "a pattern",
            **{name: getattr(self, name) for name in self._entries() if name != "within"},
            **({"within": self.within} if self.within else {}),
            "digest": self.digest,
            "parts": [
                {"prefix": part.prefix, "first": part.first, "stop": part.stop, "own": part.own}
                for part in self.parts
            ],
        }
        lines = json.dumps(plain, indent=1)
        return (lines + "\n").encode()

    @classmethod
    def from_json(cls, content: bytes, name: str) -> Record:
        """Read ``run.json``; what is wrong with it is an InputError."""
        try:
            plain = json.loads(content)
            if plain["format"] != FORMAT:
                raise InputError(f"its format is {plain['format']}; this version reads {FORMAT}")
            parts = tuple(
                Part(tuple(map(int, part["prefix"])), part["first"], part["stop"], part["own"])
                for part in plain["parts"]
            )
            entries = {"within": "", **plain}
            record = cls(**{name: entries[name] for name in cls._entries()}, parts=parts)
            if record.digest != plain["digest"]:
                raise InputError("its digest is another; the file was changed")
        except Exception as error:  # almost any exception may come of damaged content
            what = f"no entry {error}" if isinstance(error, KeyError) else first_line(error)
            raise InputError(f"{name} is not the record of a run: {what}.") from error
        return record

    def difference(self, other: Record) -> str | None:
        """In what the question of another record differs, in words; None if it is the same."""
        for entry, name in _QUESTION.items():
            mine, theirs = getattr(self, entry), getattr(other, entry)
            if mine != theirs:
                digests = 64 in (len(str(mine)), len(str(theirs)))
                return name if digests else f"{name} ({quote(mine)}, and now {quote(theirs)})"
        return None

    def check_same_question(self, other: Record, where: str) -> None:
        """Refuse to go on with a run of another question."""
        difference = self.difference(other)
        if difference is not None:
            raise InputError(
                f"{where} holds a run of another question; not the same: {difference}. "
                "Choose another folder, or remove this one."
            )


def record_of(source: Source, flag: Flag | None, seed: int, expected: int, rows: int) -> Record:
    """The record of a run that begins; `parts` are still to be chosen."""
    return Record(
        noun=source.noun,
        n=source.n,
        half=source.half,
        input=_input_digest(source),
        names=_names_digest(source),
        within=_within_digest(source),
        rows_per_part=rows,
        expected_rows=expected,
        seed=seed,
        coordinates=_coordinates_digest(source, flag),
        parts=(),
    )


def write_record(folder: Folder, record: Record, source: Source) -> None:
    """Begin a run: the input first, since a folder with a record is a run."""
    write_input(folder, source)
    folder.write(RECORD, record.to_json())


def write_input(folder: Folder, source: Source) -> None:
    """Write what is swept: a file of NumPy, always with the same date, and so the same bytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, array in {"format": np.array(storage.FORMAT), **source.members()}.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)
    folder.write(INPUT, stream.getvalue())


def read_record(folder: Folder) -> Record | None:
    """The record of the run in a folder; None if there is no run."""
    try:
        content = folder.read(RECORD)
    except FileNotFoundError:
        return None
    return Record.from_json(content, folder.url(RECORD))


def read_source(folder: Folder, record: Record) -> Source:
    """What a run sweeps, from its input, which must be the one that the record names."""
    where = folder.url(INPUT)
    try:
        with np.load(io.BytesIO(folder.read(INPUT)), allow_pickle=False) as archive:
            source = source_of(record.noun, {name: archive[name] for name in archive.files})
    except Exception as error:  # almost any exception may come of damaged content
        raise InputError(
            f"{where} is missing or damaged; the call that began the run writes it again."
        ) from error
    found = source.n, _input_digest(source), _names_digest(source), _within_digest(source)
    if found != (record.n, record.input, record.names, record.within):
        raise InputError(f"{where} is not the input of this run: its numbers or labels differ.")
    return source


def flag_of(record: Record, source: Source) -> Flag | None:
    """The coordinates of a run; all its parts, wherever they are made, must have the same."""
    for flag in source.flags(record.seed):
        if _coordinates_digest(source, flag) == record.coordinates:
            return flag
    raise InputError(
        "the coordinates of this run come out differently here, perhaps because NumPy has "
        "another version than where it was begun; go on there, or begin it again."
    )


def digest_of(content: bytes | memoryview) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _input_digest(source: Source) -> str:
    """Of all exact numbers."""
    return _numbers_digest(*source.numbers)


def _within_digest(source: Source) -> str:
    """Of the polyhedron; empty if there is none."""
    return _numbers_digest(*source.inequalities) if source.inequalities else ""


def _numbers_digest(*arrays: ExactArray) -> str:
    """Of exact numbers, whatever type holds them."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(repr(array.shape).encode())
        K = field_of_array(array)
        if K is not None:
            digest.update(repr((K.polynomial, K.root_number)).encode())
        for value in array.ravel().tolist():
            parts = (value,) if K is None else coefficients_of(value, K.degree)
            for p, q in (part.as_integer_ratio() for part in parts):
                digest.update(f"{p:x}/{q:x} ".encode())
    return digest.hexdigest()


def _names_digest(source: Source) -> str:
    return digest_of(json.dumps(source.names).encode())


def _coordinates_digest(source: Source, flag: Flag | None) -> str:
    return "" if flag is None else digest_of(source.coordinates(flag).encode())
