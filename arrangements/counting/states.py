"""States of an arrangement: what all have in common, what steps cost, and chunks of equal work."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import comb
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.linear import minor_bound
from arrangements.exact.residues import fields, is_prime, moduli_above, montgomery
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.kernels.structure import images
from arrangements.kernels.structure.pencils import MOST_HYPERPLANES, MOST_MINOR, SmallField
from arrangements.kernels.structure.states import COUNT, Classes, Scratch, States, empty_scratch

# What steps take in operations: a restriction, modulo each prime; a row of it, and each residue.
_RESTRICTION, _ROW, _RESIDUE = 130.0, 2.7, 0.75
# The lines of a state: each of its rows, modulo each prime, and each pair of them.
_LINE_ROW, _LINE_PAIR = 15.0, 0.35
# Recognizing a state: a change of basis by a coordinate, modulo each prime, and each pair of rows.
_PIVOT, _IMAGE_PAIR = 60.0, 1.6
# Forms that are compared to find the symmetries of a state.
_FORMS = 3.5
# Flats above a state in four coordinates, seen from one of its rows: each row, and each pair.
_LOOK, _SEEN, _PENCIL = 20.0, 0.7, 0.012


class BadPrimeError(ArithmeticError):
    """A minor vanishes modulo one of the primes but not modulo all."""


@dataclass(frozen=True)
class Setting:
    """What all states of an arrangement have in common.

    Attributes
    ----------
    rank, n : int
        Of the arrangement.
    second : bool
        Count flats instead of summing their Möbius function.
    residues : (n, rank, P) ndarray
        The rows.
    fields, moduli : (P, 4 + P) and (Q, 4 + Q) ndarray of uint64
        Primes of the rows and of the weights.
    inverses : (Q, 2, n + 1) ndarray of uint64
    small : SmallField or None
        Where the flats above states in four coordinates are counted, if that is possible.
    """

    rank: int
    n: int
    second: bool
    residues: NDArray[np.uint64]
    fields: NDArray[np.uint64]
    moduli: NDArray[np.uint64]
    inverses: NDArray[np.uint64]
    small: SmallField | None

    @classmethod
    def of(
        cls,
        rows: HomogeneousRows,
        second: bool,
        attempt: int = 0,
        primes: tuple[int, ...] = (),
        seed: int = 0,
    ) -> Setting:
        """The setting of distinct rows, with the primes of an attempt or, if given, these.

        Primes of later attempts are random. An attempt that goes on is given its own, and no
        residues of the rows: it has states. A seed other than 0 draws the primes of the weights,
        and those of the rows in the first attempt, instead of taking the largest.
        """
        rank, n = rows.dimension, len(rows.integers)
        if primes:
            row_fields = fields(primes).copy()
            residues = np.zeros((n, rank, len(primes)), np.uint64)
        else:
            drawn = Random(seed) if seed and not attempt else attempt
            residues, row_fields = rows.residues(drawn)
        # no Whitney number exceeds the number of subsets of that size
        bits = max(comb(n, k) for k in range(rank)).bit_length()
        moduli = fields(moduli_above(bits, Random(seed) if seed else 0)).copy()
        inverses = _inverses(n, moduli[:, 0])
        small = None
        # a symmetric root is not looked at from all of its rows
        if not second and rank > 4 and rows.field is None and len(row_fields) == 1:
            small = small_field(minor_bound(rows.integers), n)
        return cls(rank, n, second, residues, row_fields, moduli, inverses, small)

    @property
    def primes(self) -> tuple[int, ...]:
        """Those of the rows."""
        return tuple(self.fields[:, 0].tolist())

    @property
    def lengths(self) -> int:
        """Weights of a state."""
        return self.n + 1 if self.second else 1

    def root(self) -> States:
        """The arrangement itself as the only state."""
        root = self.empty(self.rank, 1, self.n)
        root.rows[:] = self.residues
        root.multiplicity[:] = 1
        root.start[1] = self.n
        root.used[:] = 1, self.n
        root.weight[:] = self.residues_of(1)
        return root

    def empty(self, k: int, states: int, rows: int, lengths: int | None = None) -> States:
        """Room for this many states and rows in k coordinates."""
        lengths = self.lengths if lengths is None else lengths
        return States(
            rows=np.zeros((rows, k, len(self.fields)), np.uint32),
            multiplicity=np.zeros(rows, np.int64),
            start=np.zeros(states + 1, np.int64),
            digest=np.zeros(states, np.uint64),
            weight=np.zeros((states, lengths, len(self.moduli)), np.uint64),
            slots=np.full(1 << (2 * states + 2).bit_length(), -1, np.int64),
            used=np.zeros(2, np.int64),
        )

    def empty_classes(self, k: int, states: int, rows: int) -> Classes:
        """Room for this many classes of states in k coordinates."""
        return Classes(self.empty(k, states, rows, 0), self.empty(k, states, rows))

    def scratch(self, k: int) -> Scratch:
        """Work space of the kernels for states in k coordinates."""
        return empty_scratch(self.n, k, len(self.fields))

    def residues_of(self, number: int) -> NDArray[np.uint64]:
        """Montgomery residues of a number modulo the primes of the weights."""
        return np.array([montgomery(number, int(p)) for p in self.moduli[:, 0]], np.uint64)

    def numbers(self, sums: NDArray[np.uint64]) -> list[int]:
        """The Whitney numbers, from the sums of the ranks."""
        found = [1, *(_join_residues(row, self.moduli[:, 0]) for row in sums[1:])]
        # The characteristic polynomial vanishes at 1; and there is one flat of full rank.
        signed = ((-1) ** (self.rank - k) * b for k, b in enumerate(found))
        return [*found, 1 if self.second else -sum(signed)]

    def restricting(self, k: int, rows: Any) -> Any:
        """Operations to restrict a state of this many rows in k coordinates to one of them.

        In four, if minors are small, to count the flats seen from it.
        """
        if k == 4 and self.small is not None:
            return _LOOK + rows * (_SEEN + _PENCIL * rows)
        primes = len(self.fields)
        return _RESTRICTION * primes + rows * (_ROW + _RESIDUE * k * primes)

    def finding_orbits(self, k: int, rows: Any) -> Any:
        """Operations to find the symmetries of a state of this many rows, where it has many."""
        return _FORMS * self._recognizing(k, rows)

    def settling(self, k: int, rows: Any) -> Any:
        """Operations to recognize a state of this many rows; to count on in three coordinates.

        None in these if minors are small.
        """
        if k == 3 and self.small is not None:
            return 0.0
        if k == 3:
            return rows * (_LINE_ROW * len(self.fields) + _LINE_PAIR * rows)
        return self._recognizing(k, rows)

    def _recognizing(self, k: int, rows: Any) -> Any:
        return _PIVOT * len(self.fields) * k * k + _IMAGE_PAIR * rows * rows


def small_field(bound: int, n: int) -> SmallField | None:
    """The least odd prime above a bound of minors, if that is small, and so is n."""
    if bound > MOST_MINOR or n > MOST_HYPERPLANES:
        return None
    q = max(3, bound + 1)
    while not is_prime(q):
        q += 1
    inverses = [0, *(pow(a, -1, q) * 2**16 % q for a in range(1, q))]
    constants = [q, -pow(q, -1, 2**16) % 2**16, 2**32 % q]
    return SmallField(np.array(constants, np.uint32), np.array(inverses, np.uint32), bound)


def _inverses(n: int, moduli: Any) -> Any:
    """Montgomery residues of 0..n, and of their inverses (0 for 0), modulo each prime."""
    table = np.zeros((len(moduli), 2, n + 1), np.uint64)
    for q, p in enumerate(int(p) for p in moduli):
        table[q, 0] = [montgomery(v, p) for v in range(n + 1)]
        table[q, 1, 1:] = [montgomery(pow(v, -1, p), p) for v in range(1, n + 1)]
    return table


def _join_residues(residues: Any, moduli: Any) -> int:
    """The integer with these Montgomery residues (Chinese remainder theorem)."""
    value, product = 0, 1
    for residue, p in zip(residues.tolist(), moduli.tolist(), strict=True):
        digit = (residue * pow(2**32, -1, p) - value) * pow(product, -1, p) % p
        value, product = value + product * digit, product * p
    return value


class Chunk(NamedTuple):
    """States to be restricted to some of their rows: first..stop-1 of all that they have."""

    states: States
    first: int
    stop: int


def sizes_of(states: States) -> NDArray[np.int64]:
    """Rows of each state."""
    return np.diff(states.start[: states.used[COUNT] + 1])


def gather_classes(
    setting: Setting, k: int, sources: list[Classes], share: int = 0, shares: int = 1
) -> Classes:
    """The classes whose digests belong to one of this many shares, each once, from all sources."""
    chosen = [(c.keys.digest[: c.keys.used[0]] >> np.uint64(32)) % shares == share for c in sources]
    states = sum(int(mask.sum()) for mask in chosen)
    rows = sum(
        int(np.diff(c.keys.start[: len(mask) + 1])[mask].sum())
        for c, mask in zip(sources, chosen, strict=True)
    )
    classes, scratch = setting.empty_classes(k, states + 1, rows), setting.scratch(k)
    for source in sources:
        position = np.zeros(1, np.int64)
        images.gather(
            source, k, share, shares, setting.moduli, classes, scratch, position, states + 1
        )
    return classes


def join_states(parts: list[States]) -> States:
    """The states of all parts, without a hash table and spare room."""
    used = np.array([part.used for part in parts])
    counts, rows = used.T.tolist()
    offsets = np.cumsum([0, *rows[:-1]])
    shifted = [
        part.start[1 : count + 1] + offset
        for part, count, offset in zip(parts, counts, offsets, strict=True)
    ]

    def join(name: str, lengths: list[int]) -> NDArray[Any]:
        pieces = zip(parts, lengths, strict=True)
        return np.concatenate([getattr(part, name)[:length] for part, length in pieces])

    return States(
        rows=join("rows", rows),
        multiplicity=join("multiplicity", rows),
        start=np.concatenate([[0], *shifted]),
        digest=join("digest", counts),
        weight=join("weight", counts),
        slots=np.full(1, -1),
        used=used.sum(axis=0),
    )


def choose_states(states: States, numbers: NDArray[np.int64]) -> States:
    """Some of the states, without a hash table."""
    sizes = sizes_of(states)[numbers]
    start = np.concatenate([[0], np.cumsum(sizes)])
    rows = np.repeat(states.start[numbers] - start[:-1], sizes) + np.arange(start[-1])
    return States(
        rows=states.rows[rows],
        multiplicity=states.multiplicity[rows],
        start=start,
        digest=states.digest[numbers],
        weight=states.weight[numbers],
        slots=np.full(1, -1),
        used=np.array([len(numbers), len(rows)]),
    )


def cut_into_chunks(states: States, pieces: int, whole: bool = False) -> deque[Chunk]:
    """The states' rows in about this many chunks of equal work.

    Orbits are not looked for in a state of which two chunks have rows. With `whole`, there is none.
    """
    sizes = sizes_of(states)
    work = np.cumsum(np.repeat(sizes, sizes))  # a row of a state of m rows takes m steps
    goals = work[-1] * np.arange(1, pieces) / pieces
    cuts = np.searchsorted(work, goals) + 1
    if whole:
        start = states.start[: len(sizes) + 1]
        cuts = start[np.searchsorted(start, cuts)]
    edges = np.unique([0, *cuts, len(work)]).tolist()
    return deque(Chunk(states, a, b) for a, b in zip(edges, edges[1:], strict=False))
