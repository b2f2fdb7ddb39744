"""Runs on disk: every chamber or ranking in a folder of Parquet files, in parts that resume."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from arrangements.checks import check_flag, check_integer
from arrangements.core.arrangement import ArrangementLike
from arrangements.core.labels import Label
from arrangements.core.questions import as_arrangement
from arrangements.core.score_model import as_score_model
from arrangements.errors import InputError, NotGenericFlagError
from arrangements.execution import limits
from arrangements.execution.clusters import check_client
from arrangements.files.folder import Folder, folder_at
from arrangements.messages import Remedy, short_number
from arrangements.polyhedra.reading import Within
from arrangements.runs.making import finish
from arrangements.runs.manifest import TOTALS, xxhash
from arrangements.runs.part_files import parquet, parse_name
from arrangements.runs.partition import default_rows, partition
from arrangements.runs.reading import Run, open_run
from arrangements.runs.record import (
    INPUT,
    RECORD,
    Record,
    read_record,
    read_source,
    record_of,
    write_input,
    write_record,
)
from arrangements.runs.sources import ChamberSource, RankingSource, Source

_ATTEMPTS = 6
# Bytes that a run may take where nobody knows how many are free: no store has more.
_UNKNOWN_ROOM = 2**60


def write_chambers(
    W: ArrangementLike,
    path: str | os.PathLike[str],
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    within: Within | None = None,
    rows_per_part: int | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    resume: bool = True,
    max_bytes: int | None = None,
) -> Run:
    """Write all chambers into a folder of Parquet files; what is there already is kept.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    path : str or path-like
        A folder, which is made, or a URL that fsspec knows, such as ``s3://bucket/run``.
    offsets : (n,) array_like, optional
        Default zeros.
    rank, within : optional
        As in `chambers`.
    rows_per_part : int, optional
        A part with more rows is split. The default depends on the question only: at most a
        hundredth of the rows that are expected, or 65,536 if that is more, and 32 MiB.
    workers : int
        Threads of this process.
    client : distributed.Client, optional
        Make the parts as tasks of this Dask cluster instead; its workers reach `path`.
    progress : bool
        Show a bar on standard error.
    resume : bool
        Go on with a run of the same question in the folder. If False, one is refused.
    max_bytes : int, optional
        Refuse a run that is expected to take more. The default is what is free on the disk, where
        that is known.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        If the folder holds a run of another question, or of this one and `resume` is False.
    TooLargeError
        If the run is expected to exceed `max_bytes`; its rows are counted before compression.
    MissingDependencyError
        If pyarrow or xxhash, or what `path` or `client` needs, is not installed.

    See Also
    --------
    open_run : read what was written.
    iter_chambers : the same chambers without a disk.

    Notes
    -----
    The run may be interrupted at any time, by anything: the same call goes on with the missing
    parts and ends with the same files. Each part is a function of the question and of its number,
    so it does no harm if two processes make it. A central run stores one of each pair of opposite
    chambers.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = write_chambers([[1, 0], [0, 1], [1, 1]], folder)
    ...     len(run), "+++" in run
    (6, True)
    """
    source = ChamberSource(as_arrangement(W, offsets, rank), within)
    return write(source, path, rows_per_part, workers, client, progress, resume, max_bytes)


def write_rankings(
    W: ArrangementLike,
    path: str | os.PathLike[str],
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    ties: str = "error",
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
    rows_per_part: int | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    resume: bool = True,
    max_bytes: int | None = None,
) -> Run:
    """Write all rankings into a folder of Parquet files; what is there already is kept.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number
    path : str or path-like
        As in `write_chambers`.
    offsets : (n,) array_like, optional
        Default zeros.
    rank, ties, labels, within
        As in `rankings`.
    rows_per_part, workers, client, progress, resume, max_bytes
        As in `write_chambers`.

    Returns
    -------
    Run

    Raises
    ------
    InputError, TooLargeError, MissingDependencyError
        As `write_chambers`.
    TiedLabelsError
        As `rankings`.

    See Also
    --------
    open_run, iter_rankings

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = write_rankings([[1, 0], [0, 1], [1, 1]], folder, labels=["cat", "dog", "bird"])
    ...     len(run), ["bird", "cat", "dog"] in run
    (6, True)
    """
    source = RankingSource(as_score_model(W, offsets, labels, ties, rank), within)
    return write(source, path, rows_per_part, workers, client, progress, resume, max_bytes)


def write(
    source: Source,
    path: str | os.PathLike[str],
    rows_per_part: int | None,
    workers: int,
    client: Any,
    progress: bool,
    resume: bool,
    max_bytes: int | None,
) -> Run:
    """Begin or go on with a run until it is complete."""
    parquet(), xxhash()  # they are there, or it is said before any work
    check_client(client)
    workers = check_integer("workers", workers, 1)
    progress, resume = check_flag("progress", progress), check_flag("resume", resume)
    if rows_per_part is not None:
        rows_per_part = check_integer("rows_per_part", rows_per_part, 1, 2**62)
    if max_bytes is not None:
        max_bytes = check_integer("max_bytes", max_bytes, 1)
    folder = folder_at(path)
    for seed in range(_ATTEMPTS):
        record = _begun(folder, source, rows_per_part, resume, max_bytes, seed)
        try:
            finish(folder, record, source, workers=workers, client=client, progress=progress)
            break
        except NotGenericFlagError:
            if seed + 1 == _ATTEMPTS:
                raise
            _forget(folder)  # other coordinates, and so other parts
    return open_run(path)


def _begun(
    folder: Folder,
    source: Source,
    rows_per_part: int | None,
    resume: bool,
    max_bytes: int | None,
    seed: int,
) -> Record:
    """The record of the run in the folder, which is begun if there is none."""
    there = read_record(folder)
    if there is not None and not resume:
        raise InputError(
            f"{folder.url('')} holds a run already; pass resume=True to go on with it, or choose "
            "another folder."
        )
    if there is not None:
        question = record_of(
            source, None, there.seed, there.expected_rows, rows_per_part or there.rows_per_part
        )
        there.check_same_question(question, folder.url(""))
        _mend_input(folder, there, source)
        return there
    _check_empty(folder)
    flag = source.flag(seed)
    expected = source.question.expected(0) or source.question.bound()
    _check_size(folder, source, expected, max_bytes)
    rows = rows_per_part or default_rows(source, expected)
    _check_part(source, min(rows, source.question.bound()))
    record = record_of(source, flag, seed, expected, rows)
    record = replace(record, parts=tuple(partition(source, flag, expected, rows)))
    write_record(folder, record, source)
    return record


def _mend_input(folder: Folder, record: Record, source: Source) -> None:
    """Write the input again if it is missing or damaged: the caller gives the same numbers."""
    try:
        read_source(folder, record)
    except InputError:
        write_input(folder, source)


def _check_empty(folder: Folder) -> None:
    """Refuse a folder that holds other things: they could be taken for parts, or lost."""
    other = [name for name in folder.names() if name not in (INPUT, TOTALS)]  # begun, or forgotten
    if other:
        raise InputError(
            f"{folder.url('')} is no run, and holds {other[0]}; expected an empty folder or a new "
            "name."
        )


def _check_size(folder: Folder, source: Source, expected: int, max_bytes: int | None) -> None:
    allowed = folder.free_bytes() if max_bytes is None else max_bytes
    if allowed is None:
        allowed = _UNKNOWN_ROOM
    needed = expected * source.question.row_bytes
    limits.check_bytes(
        f"about {short_number(expected * source.question.sides)} {source.noun} are expected",
        needed,
        Remedy(
            "smaller than free",
            f"Write to a larger disk, stream them with iter_{source.noun}, or pass max_bytes to "
            "begin all the same: compressed, they often take a quarter.",
        ),
        allowed=allowed,
    )


def _check_part(source: Source, rows: int) -> None:
    """Refuse parts that are too long for memory, in which each of them is sorted."""
    limits.check_bytes(
        f"a part of {short_number(rows)} rows",
        rows * (source.question.row_bytes + 8 * source.words),
        Remedy("shorter parts", "Pass fewer rows_per_part, or leave it out."),
        allowed=limits.free_bytes(),
    )


def _forget(folder: Folder) -> None:
    """Remove the record and all parts."""
    folder.remove(RECORD)
    for name in folder.names():
        if parse_name(name) is not None:
            folder.remove(name)
