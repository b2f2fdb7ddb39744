"""The standard suite: inputs that others can cite, with published counts, and as files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from arrangements.errors import InputError
from arrangements.files.atomic import atomic_write
from benchmarks.suites.cases import Case
from benchmarks.suites.extension import numbers_text
from benchmarks.suites.published import instances, published_version


def standard_cases() -> list[Case]:
    """The instances of the suite, in their order."""
    return [Case(one["topic"], one["family"], one["n"], one["d"]) for one in instances()]


def files_of(case: Case) -> dict[str, bytes]:
    """The files of a case, by their names: W, and the offsets if there are any.

    Examples
    --------
    >>> files_of(Case("chambers", "shi", 6, 3)).keys()
    dict_keys(['chambers-shi-n6-d3.csv', 'chambers-shi-n6-d3-offsets.csv'])
    """
    stem = f"{case.topic}-{case.family}-n{case.n}-d{case.d}".replace(" ", "-")
    files = {f"{stem}.csv": numbers_text(case.W).encode("ascii")}
    if case.offsets is not None:
        files[f"{stem}-offsets.csv"] = numbers_text(case.offsets[:, None]).encode("ascii")
    return files


def digest(case: Case) -> str:
    """SHA-256 of the files of a case, one after the other."""
    return hashlib.sha256(b"".join(files_of(case).values())).hexdigest()


@cache
def _digests() -> dict[Case, str]:
    return dict(zip(standard_cases(), (one["sha256"] for one in instances()), strict=True))


def published_digest(case: Case) -> str | None:
    """What `digest` is for an instance of the standard suite; None for other cases."""
    return _digests().get(case)


def export(cases: Iterable[Case], folder: str) -> list[str]:
    """Write the inputs of cases as text files, and ``suite.json`` that describes them.

    Parameters
    ----------
    cases : iterable of Case
    folder : str
        Made if it is not there.

    Returns
    -------
    list of str
        The names of the files.

    Raises
    ------
    InputError
        If the folder cannot be made.
    """
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror}.") from error
    written: list[str] = []
    described: list[dict[str, Any]] = []
    for case in dict.fromkeys(cases):
        files = files_of(case)
        for name, content in files.items():
            with atomic_write(str(place / name)) as file:
                file.write(content)
        written += files
        described.append(_described(case) | {"files": [*files]})
    known = {"suite": "standard", "version": published_version()}
    whole = described and [one["sha256"] for one in described] == [*_digests().values()]
    table: dict[str, Any] = (known if whole else {}) | {"instances": described}
    with atomic_write(str(place / "suite.json")) as file:
        file.write((json.dumps(table, indent=1) + "\n").encode())
    return [*written, "suite.json"]


def _described(case: Case) -> dict[str, Any]:
    named = {"topic": case.topic, "family": case.family, "n": case.n, "d": case.d}
    return named | {"count": case.known, "sha256": digest(case)}


def standard_table() -> list[list[str]]:
    """The instances as a table, its first row the header."""
    table = [["instance", "asked for", "n", "d", "offsets", "number", "SHA-256 begins"]]
    for case, one in zip(standard_cases(), instances(), strict=True):
        offsets = "" if case.offsets is None else "yes"
        name = [case.family, case.topic, str(case.n), str(case.d), offsets]
        table.append([*name, f"{one['count']:,}", f"`{one['sha256'][:16]}`"])
    return table
