"""What the tasks of a computation of restrictions in a folder do.

What a task is depends on its level alone. Each leaves a *fingerprint* of the states that it found:
the sum of their weights, each times a hash of the multiplicities of the state. Linear images have
the same multiplicities, so the fingerprints of the tasks of a level add up to that of the level
that is gathered from them, however states were merged.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from arrangements.counting.descents import Descent
from arrangements.counting.restriction_files import (
    INPUT,
    RECORD,
    TaskReport,
    as_tuples,
    fragment_name,
    pack,
    part_name,
    read_classes,
    read_states,
    report_name,
    rows_of_plain,
)
from arrangements.counting.states import Setting, cut_into_chunks, gather_classes, sizes_of
from arrangements.errors import InputError
from arrangements.execution import limits
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.files.folder import folder_at
from arrangements.kernels.modular.hashing import hash_words
from arrangements.kernels.structure.states import COUNT, ROWS, Classes, States

# Bits of a hash that a weight is multiplied by, below 2**64 with those of a residue.
_HASH_BITS = np.uint64(31)


class Key(NamedTuple):
    """Of the tasks of a level.

    Attributes
    ----------
    path, question : str
        The folder, and what tells its computation from another.
    primes : tuple of int
        Those of the rows.
    seed : int
        Which primes the weights have.
    k : int
        Coordinates of the states.
    """

    path: str
    question: str
    primes: tuple[int, ...]
    seed: int
    k: int


class Sizes(NamedTuple):
    """What there is to say of a file of states.

    Attributes
    ----------
    states, rows, squares : int
        How many, their rows, and the squares of the numbers of these.
    different : int
        How many different ones were put into these classes; 0 if that was not seen.
    fingerprint : tuple of int
    """

    states: int
    rows: int
    squares: int
    different: int
    fingerprint: tuple[int, ...] = ()


@dataclass(frozen=True)
class Piece:
    """What a task is to restrict.

    Attributes
    ----------
    k : int
        Coordinates of the states.
    piece, pieces : int
        Which piece of the file of states, of how many.
    merging : bool
        Look for images to the end.
    """

    k: int
    piece: int
    pieces: int
    merging: bool

    def restrict(
        self,
        setting: Setting,
        states: States,
        most_bytes: int,
        found: Callable[[Classes], None],
        stop: threading.Event | None = None,
    ) -> TaskReport:
        """Restrict it; `found` is given the classes, each time that memory is full and at the end.

        What the report says of files is left open.
        """
        k, began = self.k, time.monotonic()
        chunks = cut_into_chunks(states, self.pieces)
        chosen = deque([chunks[self.piece]] if self.piece < len(chunks) else [])
        expected = sum(chunk.stop - chunk.first for chunk in chosen)
        descent = Descent(setting, k, most_bytes, expected, self.merging)
        moduli = setting.moduli[:, 0]
        counts, passed = np.zeros(2, np.int64), [(0,) * len(moduli)]

        def give() -> None:
            nonlocal counts
            counts = counts + descent.classes.keys.used
            passed.append(fingerprint(descent.classes.states, moduli))
            found(descent.classes)
            descent.clear()

        for _, full in descent.steps(chosen):
            if stop is not None and stop.is_set():
                raise InterruptedError
            if full:
                give()
        if k > 4:
            give()
        return TaskReport(
            restricted=descent.restricted,
            operations=descent.operations,
            found=int(counts[COUNT]),
            rows=int(counts[ROWS]),
            sums=as_tuples(descent.sums),
            recognized=descent.recognized,
            fingerprint=sum_of(passed, moduli),
            seconds=round(time.monotonic() - began, 4),
        )


def do_task(
    key: Key,
    most_bytes: int | None,
    part: int,
    piece: int,
    stop: threading.Event | None = None,
) -> TaskReport:
    """Restrict a piece of a file of states, and write the classes of the next level."""
    folder, setting, k = folder_at(key.path), setting_of(key), key.k
    progress = json.loads(folder.read(RECORD))
    if progress["question"] != key.question or progress["k"] != k:
        raise InputError(f"{folder.url('')} holds the level no more that this task belongs to.")
    shares = progress["shares"]
    spills = written = 0
    token = uuid4().hex[:8]

    def spill(classes: Classes) -> None:
        nonlocal spills, written
        for share in range(shares):
            some = gather_classes(setting, k - 1, [classes], share, shares)
            content = pack(keys=some.keys, states=some.states)
            folder.write(fragment_name(k - 1, part, piece, share, spills, token), content)
            written += len(content)
        spills += 1

    memory = most_bytes or limits.available_bytes() // 4
    states = read_states(folder, part_name(k, part))
    task = Piece(k, piece, progress["pieces"][part], progress["merging"])
    report = task.restrict(setting, states, memory, spill, stop)
    report = report._replace(spills=spills, written=written, token=token)
    folder.write(report_name(k, part, piece), json.dumps(report).encode())
    return report


def gather_share(
    key: Key,
    most_bytes: int | None,
    share: int,
    reports: tuple[tuple[int, int, int, str], ...],
    stop: threading.Event | None = None,
) -> Sizes:
    """Gather the classes of one share of the next level."""
    folder, setting, k = folder_at(key.path), setting_of(key), key.k
    name, different = part_name(k - 1, share), 0
    if name in folder.names():
        states = read_states(folder, name)
    else:
        sources = []
        for part, piece, spills, token in reports:
            for spill in range(spills):
                if stop is not None and stop.is_set():
                    raise InterruptedError
                fragment = fragment_name(k - 1, part, piece, share, spill, token)
                sources.append(read_classes(folder, fragment))
        states = gather_classes(setting, k - 1, sources).states
        # those by which the classes of each task are known
        different = len(np.unique(np.concatenate([one.states.digest for one in sources])))
        folder.write(name, pack(states=states))
    return sizes_with(states, setting)._replace(different=different)


def sizes_with(states: States, setting: Setting) -> Sizes:
    """What there is to say of states."""
    sizes = sizes_of(states)
    mark = fingerprint(states, setting.moduli[:, 0])
    return Sizes(len(sizes), int(sizes.sum()), int((sizes * sizes).sum()), 0, mark)


def fingerprint(states: States, moduli: NDArray[np.uint64]) -> tuple[int, ...]:
    """The sum of all weights, times a hash of the multiplicities, modulo each prime of weights."""
    hashes = multiplicity_hashes(states)
    lengths = states.weight.shape[1]
    total = np.zeros(len(moduli), np.uint64)
    for length in range(lengths):
        factors = hash_words(hashes + np.uint64(length)) >> (np.uint64(64) - _HASH_BITS)
        weights = states.weight[: len(hashes), length]
        total += (factors[:, None] % moduli * weights % moduli).sum(axis=0)
        total %= moduli
    return tuple(total.tolist())


def multiplicity_hashes(states: States) -> NDArray[np.uint64]:
    """A hash of the multiplicities of each state, in any order."""
    count, rows = states.used.tolist()
    if not count:
        return np.zeros(0, np.uint64)
    words = hash_words(states.multiplicity[:rows].astype(np.uint64))
    return np.add.reduceat(words, states.start[:count])


def sum_of(marks: Iterable[tuple[int, ...]], moduli: NDArray[np.uint64]) -> tuple[int, ...]:
    """The sum of fingerprints."""
    columns = zip(*marks, strict=True)
    return tuple(sum(column) % p for column, p in zip(columns, moduli.tolist(), strict=True))


def setting_of(key: Key) -> Setting:
    """The setting of the computation in a folder, kept from task to task."""
    return _setting(*key[:-1])


@lru_cache(maxsize=4)
def _setting(path: str, question: str, primes: tuple[int, ...], seed: int) -> Setting:
    del question  # of one folder, but it might be another one now
    try:
        found = json.loads(folder_at(path).read(INPUT))
    except FileNotFoundError as error:
        raise InputError(
            f"{path} has no {INPUT}, seen from where a task is done: the workers of a cluster must "
            "reach the folder of the restrictions."
        ) from error
    rows = HomogeneousRows(rows_of_plain(found))
    return Setting.of(rows, found["second"], primes=primes, seed=seed)
