"""Chambers by number: a descent by deletion and restriction, with exact counts of what is below."""

from __future__ import annotations

from bisect import bisect
from collections import OrderedDict
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from operator import mul
from typing import Any

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.enumeration.chambers import chambers, count_chambers
from arrangements.errors import InputError
from arrangements.feasibility.one_sign_vector import solve
from arrangements.polyhedra.inner_points import point_inside, preimage
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.sets.packed import Words, pack_signs, words_for
from arrangements.sets.sign_vectors import SignVectors
from arrangements.structure.derived import restriction
from arrangements.structure.mirrors import mirrors_of
from arrangements.structure.result import Derived

Point = list[Fraction]
# Chambers of the first n hyperplanes if they have rank r.
ClosedForm = Callable[[int, int], int]
# Rows of all lists that are kept, and restrictions of an arrangement whose counts cost nothing.
_MOST_LISTED, _MOST_KEPT = 4_000_000, 256


class Descent:
    """The chambers of an arrangement by number.

    The number of chambers of the first k hyperplanes is that of the first k - 1 plus that of the
    restriction of these to hyperplane k. So a number below that of all chambers tells a hyperplane
    k and a chamber of the restriction: the chamber is the one on its + side, and - at every later
    hyperplane that cuts it. Number 0 is that with - at each. Up to `few` chambers are numbered as
    they are listed instead.

    Parameters
    ----------
    A : Arrangement
    few : int
        Chambers up to which they are listed.
    within : Polyhedron, optional
        Only the chambers that meet it; the restrictions are to its sections.
    closed_form : callable, optional
        Numbers of chambers if the hyperplanes are in general position, which is not proved. Where
        a descent meets a coincidence, it says so.
    pairs : sequence of pairs, optional
        The labels whose scores each row of A compares: what follows from other pairs is not asked.
    lists : OrderedDict, optional
        Lists of other descents.
    """

    def __init__(
        self,
        A: Arrangement,
        few: int,
        within: Polyhedron | None = None,
        closed_form: ClosedForm | None = None,
        pairs: Sequence[tuple[int, int]] | None = None,
        lists: OrderedDict[Descent, SignVectors] | None = None,
    ) -> None:
        # each distinct hyperplane once; the signs of the others follow from a point
        self.whole, self.few, self.within, self._closed_form = A, few, within, closed_form
        self.rows = [members[0] for members in A.coincident_classes]
        self.equations = [A.integer_rows[i] for i in self.rows]
        self.arrangement = A[self.rows]
        self._pairs = None if pairs is None else [pairs[i] for i in self.rows]
        self._restrictions: dict[int, tuple[Derived, Descent]] = {}
        self._lists: OrderedDict[Descent, SignVectors] = OrderedDict() if lists is None else lists

    @cached_property
    def count(self) -> int:
        """The number of chambers."""
        if self._closed_form is None:
            return count_chambers(self.arrangement, within=self.within)
        return self._closed_form(len(self.rows), self.arrangement.rank)

    @property
    def listing(self) -> SignVectors:
        """Signs of the distinct hyperplanes, listed; the lists used last are kept."""
        lists = self._lists
        if self in lists:
            lists.move_to_end(self)
            return lists[self]
        found = chambers(self.arrangement, within=self.within)
        if len(found) != self.count:
            raise InputError(_SPECIAL)
        lists[self] = found
        while len(lists) > 1 and sum(map(len, lists.values())) > _MOST_LISTED:
            lists.popitem(last=False)
        return found

    @cached_property
    def choices(self) -> list[int]:
        """Chambers of the first k hyperplanes, k = 0, 1, .."""
        sums = [1]
        for k in range(len(self.rows)):
            sums.append(sums[-1] + (self._below(k) if self._is_met(k) else 0))
        return sums

    def _below(self, k: int) -> int:
        if self._closed_form is None:
            return self.restricted(k)[1].count
        r = self.arrangement.rank
        return self._closed_form(k + 1, r) - self._closed_form(k, r)

    def _is_met(self, k: int) -> bool:
        """Whether hyperplane k meets the relative interior."""
        if self.within is None:
            return True
        return point_inside(self.arrangement[k : k + 1], self.within, [0]) is not None

    def restricted(self, k: int) -> tuple[Derived, Descent]:
        """The first k hyperplanes on hyperplane k; counted from the first."""
        if k not in self._restrictions:
            derived, P = restriction(self.arrangement[: k + 1], k), self.within
            matrix, shift = derived.to_original.matrix, derived.to_original.shift
            P = None if P is None or not matrix.shape[1] else preimage(P, matrix, shift)
            pairs = None if self._pairs is None else [self._pairs[i] for i in derived.rows]
            form, lists = self._closed_form, self._lists
            descent = Descent(derived.arrangement, self.few, P, form, pairs, lists)
            if self._closed_form is not None:
                if descent.count != self._below(k):
                    raise InputError(_SPECIAL)
                if len(self._restrictions) >= _MOST_KEPT:
                    del self._restrictions[next(iter(self._restrictions))]
            self._restrictions[k] = derived, descent
        return self._restrictions[k]

    def draw(self, size: int, rng: np.random.Generator) -> Words:
        """Sign vectors of random chambers on all rows, packed."""
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
        if group is None:
            points = [self.point(integer_below(self.count, rng)) for _ in range(size)]
        else:
            points = [list(group.random_point(rng)) for _ in range(size)]
        rows = [self.signs(x) for x in points]
        return pack_signs(np.array(rows, np.int8).reshape(size, self.whole.n_hyperplanes))

    @property
    def _may_be_mirrors(self) -> bool:
        return self.within is None and self._closed_form is None and self.arrangement.is_central

    def signs(self, x: Sequence[Any]) -> list[int]:
        """Signs at a point, on all rows."""
        return self._signs(self.whole.integer_rows, x)

    def _signs(self, rows: Sequence[Sequence[int]], x: Sequence[Any]) -> list[int]:
        homogeneous = _integers(x)
        return [1 if _product(row, homogeneous) > 0 else -1 for row in rows]

    def point(self, number: int) -> Point:
        """A point of the chamber of this number."""
        if self.count <= self.few:
            return self._point_of(self.listing[number].tolist()) or []
        k = bisect(self.choices, number) - 1
        if k < 0:  # on the - side of whatever cuts it
            x, first = self._point_of([]) or [], 0
        else:
            derived, descent = self.restricted(k)
            below = descent.point(number - self.choices[k])
            x, first = self._beside(k, list(derived.to_original(below))), k + 1
        signs = self._signs(self.equations[:first], x)
        known, homogeneous = _Order(self._pairs, signs), _integers(x)
        for row in self.equations[first:]:
            # if no point has -, x is not on the hyperplane, which would cut the open chamber then
            if _product(row, homogeneous) >= 0 and not known.implies_plus():
                other = self._point_of([*signs, -1])
                if other is not None:
                    x, homogeneous = other, _integers(other)
            signs.append(-1 if _product(row, homogeneous) < 0 else 1)
            known.append(signs[-1])
        return x

    def number(self, x: Sequence[Fraction]) -> int:
        """The number of the chamber around a point, which no hyperplane contains."""
        signs = self._signs(self.equations, x)
        if self.count <= self.few:
            return self.listing.index(signs)
        known, open_rows = _Order(self._pairs, []), []
        for k, sign in enumerate(signs):
            if sign > 0 and not known.implies_plus():
                open_rows.append(k)
            known.append(sign)
        for k in reversed(open_rows):
            other = self._point_of([*signs[:k], -1])
            if other is not None:
                derived, descent = self.restricted(k)
                (value,), (less,) = (_values(self.equations[k : k + 1], y) for y in (x, other))
                share = value / (value - less)
                on = [c + share * (e - c) for c, e in zip(x, other, strict=True)]
                return self.choices[k] + descent.number(derived.from_original(on))
        return 0

    def point_of(self, signs: Sequence[int]) -> Point | None:
        """A point with these signs on all rows; None if no chamber has them."""
        if self.within is None:
            point = solve(self.whole, tuple(signs)).point
        else:
            point = point_inside(self.whole, self.within, list(signs))
        return None if point is None else list(point)

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
            return self._point_of([*self._signs(self.equations[:k], x), 1]) or []
        normal = self.equations[k][:-1]
        step, others = Fraction(1), self.equations[:k]
        for row, value in zip(others, _values(others, x), strict=True):
            slope = sum(map(mul, row, normal))
            if slope:
                step = min(step, abs(value / slope) / 2)
        return [c + step * a for c, a in zip(x, normal, strict=True)]


_SPECIAL = (
    "W is not in general position, as assume_generic=True says: rows coincide on a flat. Leave it "
    "out, and restrictions are counted."
)


class _Order:
    """What signs say about the order of labels, if they compare these.

    beats[i] and loses[i] are sets of labels, as bits: those known to be below and above label i.
    """

    def __init__(self, pairs: Sequence[tuple[int, int]] | None, signs: Sequence[int]) -> None:
        n = 1 + max((j for pair in pairs or () for j in pair), default=-1)
        self._pairs, self._next = pairs, 0
        self._beats, self._loses = [0] * n, [0] * n
        for sign in signs:
            self.append(sign)

    def append(self, sign: int) -> None:
        """The sign of the next row."""
        if self._pairs is not None:
            i, j = self._pairs[self._next][::sign]
            self._beats[i] |= 1 << j
            self._loses[j] |= 1 << i
            self._next += 1

    def implies_plus(self) -> bool:
        """Whether the next row has + by what is known: a label is between its two."""
        if self._pairs is None:
            return False
        i, j = self._pairs[self._next]
        return bool(self._beats[i] & self._loses[j])


def _values(rows: Sequence[Sequence[int]], x: Sequence[Any]) -> list[Any]:
    """Values at a point."""
    homogeneous = _integers(x)
    share = Fraction(1, homogeneous[-1])
    return [_product(row, homogeneous) * share for row in rows]


def _integers(x: Sequence[Any]) -> list[Any]:
    """Coordinates of a point times their common denominator, and this."""
    if not all(isinstance(c, int | Fraction) for c in x):  # numbers of a field
        return [*x, 1]
    common = lcm(*(c.denominator for c in x))
    return [*(c.numerator * (common // c.denominator) for c in x), common]


def _product(row: Sequence[int], homogeneous: Sequence[Any]) -> Any:
    return sum(map(mul, row, homogeneous))


def integer_below(bound: int, rng: np.random.Generator) -> int:
    """A random integer in range(bound), of any size."""
    bits = bound.bit_length()
    while True:
        found = int.from_bytes(rng.bytes((bits + 7) // 8), "little") >> (-bits % 8)
        if found < bound:
            return found
