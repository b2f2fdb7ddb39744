"""Listings inside a polyhedron: what those of chambers and of rankings share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.exact.integer_image import IntegerImage
from arrangements.forecast.sizes import generic_half
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron
from arrangements.search.flag import Flag

if TYPE_CHECKING:
    from arrangements.forecast.random_chains import Chains
    from arrangements.search.sweep import Sweep, Sweeps
    from arrangements.search.within_sweep import Inside


class HyperplanesInside:
    """Hyperplanes and the polyhedron of the argument ``within``."""

    def __init__(self, arrangement: Arrangement, within: Within) -> None:
        self._arrangement = arrangement
        self.polyhedron: Polyhedron = read_polyhedron(within, arrangement)
        self._images: dict[int, IntegerImage] = {}

    @cached_property
    def rows(self) -> Inside | None:
        """Rows of both; None if no chamber meets the polyhedron."""
        from arrangements.search.within_sweep import rows_inside  # loads numba

        return rows_inside(self._arrangement, self.polyhedron)

    @property
    def suits_sweep(self) -> bool:
        """Whether a sweep is expected to be faster than linear programs."""
        found = self.rows
        return found is None or (found.is_known and not found.is_crowded)

    def bound(self) -> int:
        """Upper bound for the chambers: the number in general position in the affine hull."""
        n = self._arrangement.n_hyperplanes
        return 0 if self.rows is None else generic_half(n, self.rows.rows.shape[1])

    @cached_property
    def chains(self) -> Chains | None:
        """Random chains of flats that meet the polyhedron; None if little is known of it."""
        from arrangements.enumeration.random_sections import chains_inside  # loads numba

        return None if self.rows is None else chains_inside(self.rows)

    def expected(self) -> int | None:
        """Estimate of the number of chambers; None if nothing is known."""
        if self.rows is None:
            return 0
        return None if self.chains is None else sum(self.chains.betti_numbers())

    def flag(self, seed: int) -> Flag | None:
        """Random coordinates number `seed` of the rows; None if there are fewer than two chambers.

        Examples
        --------
        >>> inside = HyperplanesInside(Arrangement([[1, 0], [0, 1]]), ([[1, 1]], [-1]))
        >>> inside.flag(0).d, inside.bound()
        (2, 3)
        """
        found = self.rows
        if found is None or found.rows.shape[1] < 2 or len(found.rows) == found.k:
            return None
        return Flag(found.rows, True, seed, self._images)

    def sweeps(
        self, make: Callable[[Flag, Inside], Sweep], seed: int, workers: int
    ) -> Sweeps | None:
        """A sweep, made of a flag and the rows; None if there are fewer than two chambers."""
        flag, found = self.flag(seed), self.rows
        if flag is None or found is None:
            return None
        from arrangements.search.sweep import Sweeps  # loads numba

        return Sweeps(lambda flag, *part: make(flag, found, *part), flag, workers)

    def single_chamber(self) -> NDArray[np.uint64] | None:
        """The only chamber, as a packed row, where there is no sweep; None if there is none."""
        from arrangements.search.within_sweep import single_chamber  # loads numba

        return None if self.rows is None else single_chamber(self.rows)
