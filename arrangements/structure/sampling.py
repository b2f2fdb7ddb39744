"""Chambers drawn at random, all with the same probability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements.addresses import public_class
from arrangements.checks import check_integer, random_generator
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.questions import as_arrangement
from arrangements.enumeration.chambers import chambers, count_chambers
from arrangements.errors import InputError
from arrangements.exact.numbers import read_only
from arrangements.execution import limits
from arrangements.feasibility.one_sign_vector import solve
from arrangements.polyhedra.inner_points import point_inside, preimage
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron
from arrangements.sets.packed import Signs, Words, pack_signs, unpack_signs, words_for
from arrangements.sets.sign_vectors import SignVectors
from arrangements.structure.derived import restriction
from arrangements.structure.mirrors import mirrors_of
from arrangements.structure.result import AffineMap

Point = list[Fraction]
# Chambers up to which an arrangement is listed: 8 bytes and some microseconds for each.
_FEW = 1_000_000


@public_class
@dataclass(frozen=True, eq=False, repr=False)
class ChamberSample:
    """Sign vectors of chambers in the order in which they were drawn, with repetition.

    `sample_chambers` returns this class.

    Attributes
    ----------
    packed : (size, words) ndarray of uint64, read-only
        As in `SignVectors`, but a row may come several times.
    arrangement : Arrangement
    n : int

    Examples
    --------
    >>> from arrangements.algebra import sample_chambers
    >>> sample = sample_chambers([[1, 0], [0, 1]], 5, rng=0)
    >>> sample, len(sample), sample.to_array().shape
    (ChamberSample(5 of 2 signs), 5, (5, 2))
    """

    packed: Words
    arrangement: Arrangement

    @property
    def n(self) -> int:
        """Number of signs in a sign vector."""
        return self.arrangement.n_hyperplanes

    def to_array(self) -> Signs:
        """Sign vectors as rows.

        Returns
        -------
        (size, n) ndarray of int8
            Entries -1 and +1.
        """
        return unpack_signs(self.packed, self.n)

    def __len__(self) -> int:
        return len(self.packed)

    def __getitem__(self, i: int) -> Signs:
        i = check_integer("i", i, -len(self), len(self) - 1)
        return np.asarray(unpack_signs(self.packed[i : i + 1 or None], self.n)[0])

    def __iter__(self) -> Iterator[Signs]:
        return iter(self.to_array())

    def __repr__(self) -> str:
        return f"ChamberSample({len(self)} of {self.n} signs)"


def sample_chambers(
    W: ArrangementLike,
    size: int,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    within: Within | None = None,
    rng: int | np.random.Generator | None = None,
) -> ChamberSample:
    """Draw chambers at random, independently and all with the same probability.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    size : int
        Number of draws.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank, within : optional
        As in `chambers`.
    rng : int or numpy.random.Generator, optional
        Seed or generator; default fresh entropy.

    Returns
    -------
    ChamberSample
        The sign vectors in the order of drawing; ``to_array()`` is (size, n).

    Raises
    ------
    InputError
        If no chamber meets `within`.

    See Also
    --------
    ChamberWalk : a random walk on the chambers, with other distributions.

    Notes
    -----
    The probabilities are exact: integers are drawn below exact counts. Up to a million chambers are
    listed. More are drawn by a random descent, by deletion and restriction: the number of chambers
    of the first k hyperplanes is that of the first k - 1 plus that of the restriction of these to
    hyperplane k. So k is drawn in proportion to the latter, a chamber of the restriction is drawn
    in the same way, and the chamber on its + side is taken; each further hyperplane that cuts it
    leaves the - side. The first draw counts the chambers of n restrictions, and every draw may
    count those of others (`count_chambers`); besides, a draw takes up to n questions `feasible`
    for each rank until few chambers are left. Mirrors of a reflection group need none of this: a
    chamber is drawn as the image of one under a random element, a product of representatives of
    cosets. Inside a polyhedron the restrictions are to its
    sections, and the chambers those that meet it.

    Examples
    --------
    >>> from arrangements.generators import braid, generic
    >>> sample = sample_chambers(braid(3), 600, rng=1)
    >>> rows, counts = np.unique(sample.to_array(), axis=0, return_counts=True)
    >>> len(rows), int(counts.min()) > 60
    (6, True)
    """
    A = as_arrangement(W, offsets, rank)
    size = check_integer("size", size, 0)
    generator = random_generator(rng)
    words = words_for(A.n_hyperplanes)
    limits.check_bytes(f"{size} sign vectors", 8 * (words + 2) * size)
    P = None if within is None else read_polyhedron(within, A)
    descent = _Descent(A, _FEW, P)
    if size and not descent.count:
        raise InputError(f"within is {P}, which meets no chamber; expected one that meets some.")
    found = descent.draw(size, generator)
    return ChamberSample(read_only(found), A)


class _Descent:
    """Uniform draws from the chambers of an arrangement: from a list, or by restrictions."""

    def __init__(self, A: Arrangement, few: int, within: Polyhedron | None = None) -> None:
        # each distinct hyperplane once; the signs of the others follow from a point
        self.whole, self.few, self.within = A, few, within
        self.rows = [members[0] for members in A.coincident_classes]
        self.equations = [A.integer_rows[i] for i in self.rows]
        self.arrangement = A[self.rows]
        self.restrictions: dict[int, tuple[AffineMap, _Descent]] = {}

    @cached_property
    def count(self) -> int:
        return count_chambers(self.arrangement, within=self.within)

    @cached_property
    def listing(self) -> SignVectors:
        return chambers(self.arrangement, within=self.within)

    @cached_property
    def choices(self) -> list[int]:
        """Chambers of the first k hyperplanes restricted to hyperplane k, summed up."""
        total, sums = 1, [1]
        for k in range(len(self.rows)):
            if self._is_met(k):
                total += self.restricted(k)[1].count
            sums.append(total)
        return sums

    def _is_met(self, k: int) -> bool:
        """Whether hyperplane k meets the relative interior."""
        if self.within is None:
            return True
        return point_inside(self.arrangement[k : k + 1], self.within, [0]) is not None

    def restricted(self, k: int) -> tuple[AffineMap, _Descent]:
        """The first k hyperplanes on hyperplane k; counted from the first."""
        if k not in self.restrictions:
            derived, P = restriction(self.arrangement[: k + 1], k), self.within
            matrix, shift = derived.to_original.matrix, derived.to_original.shift
            P = None if P is None or not matrix.shape[1] else preimage(P, matrix, shift)
            descent = _Descent(derived.arrangement, self.few, P)
            self.restrictions[k] = derived.to_original, descent
        return self.restrictions[k]

    def draw(self, size: int, rng: np.random.Generator) -> Words:
        """Sign vectors on all rows, packed."""
        if not size:
            return np.zeros((0, words_for(self.whole.n_hyperplanes)), np.uint64)
        if self.count <= self.few:
            listed = chambers(self.whole, within=self.within)
            numbers = rng.integers(len(listed), size=size)
            stored = listed.packed[numbers % len(listed.packed)]
            opposite = numbers >= len(listed.packed)
            stored[opposite] = listed._opposite(stored[opposite])
            return stored
        group = mirrors_of(self.arrangement) if self._may_be_mirrors else None
        draw = self.point if group is None else group.random_point
        points = [draw(rng) for _ in range(size)]
        rows = [[_sign(row, x) for row in self.whole.integer_rows] for x in points]
        return pack_signs(np.array(rows, np.int8).reshape(size, self.whole.n_hyperplanes))

    @property
    def _may_be_mirrors(self) -> bool:
        return self.within is None and self.arrangement.is_central

    def point(self, rng: np.random.Generator) -> Sequence[Any]:
        """A point of a chamber drawn uniformly."""
        if self.count <= self.few:
            number = int(rng.integers(len(self.listing)))
            return self._point_of(self.listing[number].tolist()) or []
        drawn = integer_below(self.choices[-1], rng)
        k = next(k for k, total in enumerate(self.choices) if drawn < total) - 1
        if k < 0:  # on the - side of whatever cuts it
            x, first = self._point_of([]) or [], 0
        else:
            to_original, descent = self.restricted(k)
            x, first = self._beside(k, list(to_original(descent.point(rng)))), k + 1
        for j in range(first, len(self.rows)):
            x = self._minus(j, x)
        return x

    def _point_of(self, signs: list[int]) -> Point | None:
        """A point where the first hyperplanes have these signs; None if there is none."""
        A = self.arrangement[: len(signs)]
        if self.within is None:
            point = solve(A, tuple(signs)).point
        else:
            point = point_inside(A, self.within, signs)
        return None if point is None else list(point)

    def _beside(self, k: int, x: Point) -> Point:
        """A point next to x, which is on hyperplane k, on its + side; no other is crossed."""
        if self.within is not None:
            return self._point_of([*(_sign(row, x) for row in self.equations[:k]), 1]) or []
        normal = self.equations[k][:-1]
        step = Fraction(1)
        for row in self.equations[:k]:
            slope = sum(a * b for a, b in zip(row, normal, strict=False))
            if slope:
                step = min(step, abs(_value(row, x) / slope) / 2)
        return [c + step * a for c, a in zip(x, normal, strict=True)]

    def _minus(self, j: int, x: Point) -> Point:
        """A point of the same chamber of the first j hyperplanes, if possible with - at the next.

        Points get shorter as questions are answered; x itself stays if it is on the - side.
        """
        value = _value(self.equations[j], x)
        if value < 0:
            return x
        signs = [_sign(row, x) for row in self.equations[:j]]
        # if there is none, x is not on the hyperplane, which would cut the open chamber then
        return self._point_of([*signs, -1]) or x


def _value(row: Sequence[int], x: Sequence[Any]) -> Any:
    return sum((a * c for a, c in zip(row, x, strict=False) if a), start=Fraction(row[-1]))


def _sign(row: Sequence[int], x: Sequence[Any]) -> int:
    return 1 if _value(row, x) > 0 else -1


def integer_below(bound: int, rng: np.random.Generator) -> int:
    """A random integer in range(bound), of any size."""
    bits = bound.bit_length()
    while True:
        found = int.from_bytes(rng.bytes((bits + 7) // 8), "little") >> (-bits % 8)
        if found < bound:
            return found
