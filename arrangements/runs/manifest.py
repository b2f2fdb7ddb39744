"""``complete.json``, written last: the totals of a run, and the digests of all other files."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import Any

from arrangements.errors import InputError
from arrangements.files.folder import Folder
from arrangements.messages import Remedy, missing_library
from arrangements.runs.record import INPUT, RECORD, Record, read_record

TOTALS = "complete.json"
# What to do about a file that is damaged or foreign.
REPAIR = Remedy("repair", "check_run(path, repair=True) makes it again.")
# A seal is a member of JSON in the file; zeros stand in its place while the digest is computed.
MEMBER = "seal"
BLANK = 32 * "0"
_MARK = f'"{MEMBER}": "'.encode()
# The seal is near the end of a file: as a rule it is found there.
_TAIL = 2**16


def read_totals(folder: Folder, record: Record) -> int | None:
    """Rows of a complete run; None if it is not said to be complete."""
    try:
        plain = json.loads(folder.read(TOTALS))
        rows, parts = plain["rows"], plain["parts"]
        sound = type(rows) is int and type(parts) is int and rows >= 0
        return rows if sound and plain.items() >= _totals(record, rows, parts).items() else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _totals(record: Record, rows: int, parts: int) -> dict[str, Any]:
    patterns = rows * (2 if record.half else 1)
    return {"digest": record.digest, "rows": rows, "patterns": patterns, "parts": parts}


def write_manifest(folder: Folder, record: Record, rows: int, digests: dict[str, str]) -> None:
    """Say that a run is complete.

    Parameters
    ----------
    digests : dict
        Of the parts, by name.
    """
    begun = {name: folder.read(name) for name in (RECORD, INPUT)}
    plain = {
        **_totals(record, rows, len(digests)),
        "copies": {name: b64encode(text).decode() for name, text in begun.items()},
        "files": {name: file_digest(text) for name, text in begun.items()}
        | dict(sorted(digests.items())),
        MEMBER: BLANK,
    }
    content = memoryview(bytearray(f"{json.dumps(plain, indent=1)}\n".encode()))
    seal(content)
    folder.write(TOTALS, content)


class Manifest:
    """The digests of a complete run.

    Attributes
    ----------
    run : str
        Digest of the record.
    digests : dict
        Of all other files, by name; empty if the run is not complete, or the file is damaged.
    copies : dict
        The bytes of ``run.json`` and ``input.npz``, by name.
    problem : str or None
        What is wrong with the file; then there are no digests.
    """

    def __init__(self, folder: Folder) -> None:
        self.run: str = ""
        self.digests: dict[str, str] = {}
        self.problem: str | None = None
        self.copies: dict[str, bytes] = {}
        try:
            content = folder.read(TOTALS)
        except FileNotFoundError:
            return
        try:
            plain = json.loads(content)
            if is_sealed(content):
                files, copies, self.run = plain["files"], plain["copies"], plain["digest"]
                self.copies = {name: b64decode(copies[name]) for name in (RECORD, INPUT)}
                self.digests = {str(name): str(digest) for name, digest in files.items()}
        except Exception:  # almost any exception may come of damaged content
            pass
        if not self.digests:
            self.problem = f"{TOTALS} does not have the bytes that were written."

    def problem_of(self, name: str, content: bytes) -> str | None:
        """What is wrong with the bytes of a file that should be as it was."""
        if not self.digests or self.digests.get(name) == file_digest(content):
            return None
        return f"{name} does not have the bytes with which the run was completed."

    def restore(self, folder: Folder) -> None:
        """Write ``run.json`` and ``input.npz`` as they were, unless the folder has another run."""
        try:
            there = read_record(folder)
        except InputError:
            there = None
        if there is not None and there.digest != self.run:
            return
        for name, copy in self.copies.items():
            try:
                changed = folder.read(name) != copy
            except FileNotFoundError:
                changed = True
            if changed and self.problem_of(name, copy) is None:
                folder.write(name, copy)

    def refuse_other(self, folder: Folder, digests: dict[str, str]) -> None:
        """Refuse to go on with files that have changed since the run was complete."""
        for name, digest in digests.items():
            if self.digests.get(name, digest) != digest:
                raise InputError(
                    f"{folder.url(name)} does not have the bytes with which the run was completed.",
                    REPAIR,
                )


# ------------------------------------------------------------------ seals of files


def xxhash() -> Any:
    """The module xxhash."""
    try:
        import xxhash as found  # an extra
    except ImportError as error:
        raise missing_library("xxhash", "for the checksums of runs") from error
    return found


def file_digest(content: bytes | memoryview) -> str:
    """XXH3 of a file, of 16 bytes in hexadecimal, as ``xxh128sum`` prints it."""
    found: str = xxhash().xxh3_128_hexdigest(content)
    return found


def seal(content: memoryview) -> None:
    """Write the digest of the content over the zeros of its seal."""
    start = _place(content)
    content[start : start + len(BLANK)] = file_digest(content).encode()


def is_sealed(content: bytes) -> bool:
    """Whether the content has a seal, and no byte has changed since it was written."""
    start = _place(content)
    if start < 0:
        return False
    view, stop = memoryview(content), start + len(BLANK)
    digest = xxhash().xxh3_128()
    for piece in (view[:start], BLANK.encode(), view[stop:]):
        digest.update(piece)
    return bool(view[start:stop] == digest.hexdigest().encode())


def _place(content: bytes | memoryview) -> int:
    """Where the digits of the seal begin; -1 if there is none."""
    for size in (min(_TAIL, len(content)), len(content)):
        found = bytes(content[len(content) - size :]).rfind(_MARK)
        if found >= 0:
            return len(content) - size + found + len(_MARK)
    return -1
