"""Whitney numbers of a central arrangement, by restricting it and merging what comes out equal.

By Weisner's theorem, averaged over the hyperplanes through a flat X, the Möbius function is
``|X| mu(X) = - sum |X - Y| mu(Y)`` over the flats Y that X covers, where ``|X|`` counts
hyperplanes. The right side needs of Y only its restriction with multiplicities, so all flats with
restrictions that are linear images of each other are one state, level by level. A symmetric
arrangement has few of them: resonance(7) has 3,831,835 sets of 4 hyperplanes without broken
circuit, but 391 states of codimension 4. docs/algorithms.md (section 12) derives both kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import TooLargeError
from arrangements.exact.residues import ATTEMPTS, PRIME_BITS, fields, montgomery, primes
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.kernels.structure import states as kernel
from arrangements.kernels.structure.images import Images, merge_images
from arrangements.kernels.structure.restrictions import Weights, expand
from arrangements.kernels.structure.states import Level, Scratch

# Restrictions per call of the kernel, by rows: a call then takes well below a tenth of a second.
_ROWS_PER_CALL = 100_000
# A level with fewer is not worth merging, nor, above all, the compilation of the kernel for that.
_FEW_ROWS = 1000
# States brought to a common form in one call of the kernel, and the share of a level after
# which it is decided whether to go on.
_FORMS_PER_CALL = 50
_SAMPLE = 0.25


Advance = Callable[[int], Any]


class BadPrimeError(ArithmeticError):
    """A minor vanishes modulo one of the primes but not modulo all."""


def whitney_numbers_of(
    rows: list[list[int]],
    second: bool,
    most_bytes: int,
    orbits: list[list[int]] | None = None,
    advance: Advance | None = None,
) -> list[int]:
    """Whitney numbers, in absolute value, of the matroid of distinct non-zero primitive rows.

    Parameters
    ----------
    rows : list of list of int
        No two of them proportional.
    second : bool
        Count the flats of each rank (second kind) instead of summing their Möbius function.
    most_bytes : int
        Memory for the states. When they need more, they are processed in several portions, which
        takes longer, since less is merged.
    orbits : list of list of int, optional
        Rows that linear symmetries exchange: only the first of each is restricted to.
    advance : callable, optional
        Told how many restrictions were made, now and then. What it raises ends the computation.

    Returns
    -------
    list of int
        Entry k belongs to rank k.
    """
    if not rows:
        return [1]
    prepared = HomogeneousRows(rows)
    rank, n = prepared.dimension, len(rows)
    if rank <= 2:
        return [1, n, 1 if second else n - 1][: rank + 1]
    for attempt in range(ATTEMPTS):
        try:
            return _Search(prepared, second, most_bytes, attempt, orbits, advance).numbers()
        except BadPrimeError:
            continue
    raise TooLargeError(
        f"{ATTEMPTS} sets of random primes met a coincidence that is not the arrangement's: there "
        "are too many restrictions for 31-bit primes."
    )


class _Search:
    """The levels of one computation; all arrays that the kernel needs."""

    def __init__(
        self,
        prepared: HomogeneousRows,
        second: bool,
        most_bytes: int,
        attempt: int,
        orbits: list[list[int]] | None,
        advance: Advance | None,
    ) -> None:
        self.rank, self.n = prepared.dimension, len(prepared.integers)
        self.second, self.orbits, self.advance = second, orbits, advance
        self.most_bytes = most_bytes // self.rank
        self.residues, self.fields = prepared.residues(attempt)
        # no Whitney number exceeds the number of subsets of that size
        bits = max(comb(self.n, k) for k in range(self.rank)).bit_length()
        self.moduli = fields(primes(bits // PRIME_BITS + 1)).copy()
        self.inverses = _inverses(self.n, self.moduli[:, 0])
        lengths = self.n + 1 if second else 1
        self.weights = np.zeros((2, lengths, len(self.moduli)), np.uint64)
        self.sums = np.zeros((self.rank, len(self.moduli)), np.uint64)

    def numbers(self) -> list[int]:
        """The Whitney numbers."""
        root = self._empty(self.rank, 1, self.n)
        root.rows[:] = self.residues
        root.multiplicity[:] = 1
        root.start[1] = self.n
        root.used[:] = 1, self.n
        root.weight[:] = self._residues_of(1)
        self._descend(root, self.rank, self.orbits)
        found = [1, *(_joined(row, self.moduli[:, 0]) for row in self.sums[1:])]
        # The characteristic polynomial vanishes at 1; and there is one flat of full rank.
        last = 1 if self.second else -sum((-1) ** (self.rank - k) * b for k, b in enumerate(found))
        return [*found, last]

    def _descend(self, level: Level, k: int, orbits: list[list[int]] | None = None) -> None:
        """All restrictions of the states in k coordinates, and theirs.

        With orbits the level is the root, and only their first rows are restricted to.
        """
        if k < self.rank and level.used[kernel.ROWS] >= _FEW_ROWS:
            level = self._merged(level, k, thorough=False)
            # In three coordinates recognising an image costs as much as restricting it.
            if k > 3:
                level = self._merged(level, k, thorough=True)
        child, scratch = self._empty(k - 1, 64, 64 * self.n), self._scratch(k)
        position = np.zeros(2, np.int64)
        if orbits is None:
            budget = _ROWS_PER_CALL // int(np.diff(level.start).max()) + 1
            while position[0] < level.used[kernel.STATES]:
                child = self._restrict(level, k, child, scratch, position, budget)
        for orbit in orbits or ():
            level.weight[:] = self._residues_of(len(orbit))
            position[:] = 0, orbit[0]
            while position.tolist() == [0, orbit[0]]:
                child = self._restrict(level, k, child, scratch, position, 1)
        if k > 3:
            self._descend(_trimmed(child), k - 1)

    def _restrict(
        self,
        level: Level,
        k: int,
        child: Level,
        scratch: Scratch,
        position: NDArray[np.int64],
        budget: int,
    ) -> Level:
        """Restrictions from `position` on into `child`, which is returned or another in its place.

        When there is no more memory for them, they are followed down to the end.
        """
        sums = self.sums[self.rank - k + 1 :][:2]
        weights = Weights(self.n, self.moduli, self.inverses, self.weights, sums)
        status = expand(level, k, self.fields, weights, child, scratch, position, budget)
        if status == kernel.BAD_PRIME:
            raise BadPrimeError
        if self.advance is not None:
            self.advance(budget)
        if status != kernel.FULL:
            return child
        if sum(array.nbytes for array in child) <= self.most_bytes // 2:
            return self._grown(child, k - 1)
        self._descend(_trimmed(child), k - 1)
        return self._empty(k - 1, len(child.digest), len(child.rows))

    def _residues_of(self, number: int) -> NDArray[np.uint64]:
        """Montgomery residues of a number modulo the primes of the weights."""
        return np.array([montgomery(number, int(p)) for p in self.moduli[:, 0]], np.uint64)

    def _merged(self, level: Level, k: int, thorough: bool) -> Level:
        """One state of each class of linear images, as far as they are recognised.

        It keeps its own coordinates: in those its restrictions are equal to others more often
        than in the form by which it is recognised.
        """
        states, rows = level.used.tolist()
        merged, scratch = self._empty(k, states, rows), self._scratch(k)
        leader = np.zeros(states, np.int64)
        position = np.zeros(2, np.int64)
        while position[0] < states:
            status = merge_images(
                level,
                k,
                thorough,
                self.fields,
                self.moduli,
                Images(merged, leader),
                scratch,
                position,
                _FORMS_PER_CALL,
            )
            if status == kernel.BAD_PRIME:
                raise BadPrimeError
            if self.advance is not None:
                self.advance(0)
            sampled = position[0] >= max(_FORMS_PER_CALL, _SAMPLE * states)
            if sampled and 8 * merged.used[kernel.STATES] > 7 * position[0]:
                return level  # not worth it
        count = int(merged.used[kernel.STATES])
        return _chosen(level, leader[:count])._replace(weight=merged.weight[:count].copy())

    def _empty(self, k: int, states: int, rows: int) -> Level:
        slots = 1 << (2 * states + 2).bit_length()
        return Level(
            rows=np.zeros((rows, k, len(self.fields)), np.uint32),
            multiplicity=np.zeros(rows, np.int64),
            start=np.zeros(states + 1, np.int64),
            digest=np.zeros(states, np.uint64),
            weight=np.zeros((states, self.weights.shape[1], len(self.moduli)), np.uint64),
            slots=np.full(slots, -1, np.int64),
            used=np.zeros(2, np.int64),
        )

    def _grown(self, level: Level, k: int) -> Level:
        """The same states with twice the room for rows or for states, whichever is short."""
        states, rows = len(level.digest), len(level.rows)
        short_of_rows = level.used[kernel.ROWS] + self.n > rows
        larger = self._empty(
            k, states if short_of_rows else 2 * states, 2 * rows if short_of_rows else rows
        )
        for name in ("rows", "multiplicity", "start", "digest", "weight", "used"):
            old: NDArray[Any] = getattr(level, name)
            getattr(larger, name)[: len(old)] = old
        kernel.enter_slots(larger)
        return larger

    def _scratch(self, k: int) -> Scratch:
        n, moduli = self.n, len(self.fields)
        return Scratch(
            rows=np.zeros((n, k, moduli), np.uint64),
            sorted_rows=np.zeros((n, k, moduli), np.uint64),
            multiplicity=np.zeros(n, np.int64),
            sorted_multiplicity=np.zeros(n, np.int64),
            lead=np.zeros(n, np.int64),
            entry=np.zeros(n, np.uint64),
            inverse=np.zeros(n, np.uint64),
            unit=np.zeros((k, moduli), np.uint64),
            slots=np.zeros(1 << (2 * n).bit_length(), np.int64),
            digest=np.zeros(n, np.uint64),
            columns=np.zeros(k, np.uint64),
            row=np.zeros(k, np.uint64),
            member=np.zeros(n, np.int32),
            line=np.zeros((n, n), np.int32),
            colour=np.zeros(n, np.uint64),
            refined=np.zeros(n, np.uint64),
            pencil=np.zeros(n, np.uint64),
        )


def _trimmed(level: Level) -> Level:
    """The level without its hash table and the room that is left."""
    states, rows = level.used.tolist()
    return Level(
        rows=level.rows[:rows].copy(),
        multiplicity=level.multiplicity[:rows].copy(),
        start=level.start[: states + 1].copy(),
        digest=level.digest[:states].copy(),
        weight=level.weight[:states].copy(),
        slots=level.slots[:1].copy(),
        used=level.used.copy(),
    )


def _chosen(level: Level, states: NDArray[np.int64]) -> Level:
    """The level with only these states, without a hash table."""
    first, stop = level.start[states], level.start[states + 1]
    rows = np.concatenate([np.arange(a, b) for a, b in zip(first, stop, strict=True)])
    return Level(
        rows=level.rows[rows],
        multiplicity=level.multiplicity[rows],
        start=np.concatenate([[0], np.cumsum(stop - first)]),
        digest=level.digest[states],
        weight=level.weight[states],
        slots=level.slots[:1].copy(),
        used=np.array([len(states), len(rows)]),
    )


def _inverses(n: int, moduli: Any) -> Any:
    """Montgomery residues of 0..n, and of their inverses (0 for 0), modulo each prime."""
    table = np.zeros((len(moduli), 2, n + 1), np.uint64)
    for q, p in enumerate(int(p) for p in moduli):
        table[q, 0] = [montgomery(v, p) for v in range(n + 1)]
        table[q, 1, 1:] = [montgomery(pow(v, -1, p), p) for v in range(1, n + 1)]
    return table


def _joined(residues: Any, moduli: Any) -> int:
    """The integer with these Montgomery residues (Chinese remainder theorem)."""
    value, product = 0, 1
    for residue, p in zip(residues.tolist(), moduli.tolist(), strict=True):
        digit = (residue * pow(2**32, -1, p) - value) * pow(product, -1, p) % p
        value, product = value + product * digit, product * p
    return value
