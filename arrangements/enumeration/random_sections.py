"""Estimates of what meets a polyhedron, from random chains of flats that meet it.

The sums over chains of ``forecast.random_chains`` are about the chambers, flats and faces that meet
the relative interior of a polyhedron if all flats of the chains do (docs/algorithms.md, section 6).
A chain is kept as the section of the polyhedron with its last flat: the values of the section's
vertices and rays, as floats, on all rows tell which rows cut it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.forecast.random_chains import Chains, draw_chains
from arrangements.polyhedra.double_description import adjacent_rays
from arrangements.search.within_sweep import Inside, generator_values
from arrangements.sets.packed import pack_signs

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Smaller values are taken for zero: the largest on a generator, and on a row, is about 1.
_TINY = 1e-9
# Values of all sections altogether, about: half a second. Chains at least and at most.
_MOST_VALUES, _FEWEST, _MOST = 50_000_000, 8, 300


class _Section:
    """The cone over a section of the polyhedron.

    Parameters
    ----------
    values : (m, k + n) ndarray
        Of lines, then of extreme rays, on k facets and on n hyperplanes.
    k, lines : int
    rank : int
        Of the cone modulo its lines.
    """

    def __init__(self, values: Floats, k: int, lines: int, rank: int) -> None:
        sizes = abs(values).max(axis=1, initial=0)[:, None]
        self.values: Floats = values / np.where(sizes > 0, sizes, 1)
        self.values[abs(self.values) < _TINY] = 0
        self.k, self.lines, self.rank = k, lines, rank

    @cached_property
    def cutting(self) -> Integers:
        """Hyperplanes that cut its relative interior."""
        lines, rays = np.split(self.values[:, self.k :], [self.lines])
        cut = (lines != 0).any(axis=0) | ((rays > 0).any(axis=0) & (rays < 0).any(axis=0))
        return np.flatnonzero(cut)

    def covers(self) -> tuple[Integers, Floats]:
        """One hyperplane for each section below, and how many have this section."""
        rows = self.cutting
        weights = np.random.default_rng(0).uniform(1, 2, (2, len(self.values)))
        keys = np.arctan2(*(weights @ self.values[:, self.k + rows])) % np.pi
        order = np.argsort(keys)
        starts = np.flatnonzero(np.diff(keys[order], prepend=-1.0) > _TINY)
        return rows[order[starts]], np.diff(starts, append=len(rows)).astype(float)

    def cut(self, row: int) -> _Section:
        """Its section with a hyperplane that cuts it."""
        value = self.values[:, self.k + row]
        if value[: self.lines].any():
            line = int(abs(value[: self.lines]).argmax())
            others = np.arange(len(value)) != line
            moved = self.values - np.outer(value / value[line], self.values[line])
            return _Section(moved[others], self.k, self.lines - 1, self.rank)
        rays, heights = self.values[self.lines :], value[self.lines :]
        tight = pack_signs(np.where(rays[:, : self.k] == 0, 1, -1).astype(np.int8))
        plus, minus, zero = (np.flatnonzero(np.sign(heights) == sign) for sign in (1, -1, 0))
        p, q = adjacent_rays(tight, plus, minus, self.rank)
        new = rays[q] * heights[p, None] - rays[p] * heights[q, None]
        found = np.concatenate([self.values[: self.lines], rays[zero], new])
        return _Section(found, self.k, self.lines, self.rank - 1)


class _Sections(NamedTuple):
    """Sections with the last flats of some chains."""

    sections: list[_Section]

    def cutting(self) -> Floats:
        return np.array([len(section.cutting) for section in self.sections], float)

    def covers(self) -> tuple[Integers, Integers, Floats]:
        found: list[Any] = [section.covers() for section in self.sections]
        chain = np.repeat(np.arange(len(found)), [len(rows) for rows, _ in found])
        rows, sizes = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return chain, rows, sizes

    def restrict(self, chain: Integers, row: Integers) -> _Sections:
        pairs = zip(chain.tolist(), row.tolist(), strict=True)
        return self._replace(sections=[self.sections[c].cut(r) for c, r in pairs])


def _balance(values: Floats) -> Floats:
    """Values with generators and rows multiplied so that the mean of their logarithms is 0.

    Examples
    --------
    >>> _balance(np.array([[4.0, 1.0], [1.0, 4.0]]))
    array([[2. , 0.5],
           [0.5, 2. ]])
    """
    known = values != 0
    logs = np.log2(abs(values), where=known, out=np.zeros_like(values))
    for axis in (1, 0, 1, 0, 1, 0):
        means = logs.sum(axis=axis, keepdims=True) / np.maximum(1, known.sum(axis, keepdims=True))
        logs = np.where(known, logs - means, 0)
    return np.where(known, np.sign(values) * np.exp2(logs), 0)


def chains_inside(inside: Inside, seed: int = 0) -> Chains | None:
    """Random chains of flats that meet a polyhedron; None if its generators are not known.

    Examples
    --------
    >>> from arrangements import Arrangement, Polyhedron
    >>> from arrangements.search.within_sweep import rows_inside
    >>> square = Polyhedron.box(0, 1, dimension=2)
    >>> lines = Arrangement([[1, 0], [1, 1], [1, -1], [5, 3]], [-2, -1, 0, -1])
    >>> chains_inside(rows_inside(lines, square)).betti_numbers()
    [1, 3, 2]
    """
    if inside.cone is None or not inside.is_known:
        return None
    found = inside.values or generator_values(inside.cone, inside.rows, inside.k)
    values = _balance(found.numbers)
    d, lines = inside.rows.shape[1], len(inside.cone.lines)
    most = min(_MOST, max(_FEWEST, _MOST_VALUES // (d * values.size)))
    whole = _Section(values, inside.k, lines, d - lines)
    return draw_chains(_Sections([whole]), d - 1, most, np.random.default_rng(seed))
