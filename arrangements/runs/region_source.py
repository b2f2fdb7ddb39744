"""What a run about a network sweeps: its regions, kept as vertices on the way.

A row has the words of a pattern in balanced ternary (`sets.ternary`), then the bits of a point, if
searches have one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.files import storage
from arrangements.networks.bounds import region_bounds
from arrangements.networks.charts import Sweeps, no_searches, sweeps_of
from arrangements.networks.domain import read_domain
from arrangements.networks.layer import Layer
from arrangements.networks.network import Network
from arrangements.networks.region_set import Regions
from arrangements.networks.sampling import estimate_regions
from arrangements.polyhedra.inequalities import Point
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within
from arrangements.polyhedra.storing import polyhedron_members, read_polyhedron_members
from arrangements.runs.sources import Rows, Source
from arrangements.search.network_sweep import NetworkSweep
from arrangements.search.parts import ALL, WHOLE, Part
from arrangements.sets import ternary

# Regions that a call of `RegionSweep.advance` finds at most.
_AT_A_TIME = 4096
# Seconds of an estimate.
_SECONDS = 1.0
_NUMBERS = ("weights", "offsets", "slopes")


class RegionSweep:
    """Sweeps parts of the regions of a network, with the same rows in any thread.

    ``stop`` of a part is the number of the polytope, see `networks.charts`.
    """

    line_rows = 0

    def __init__(self, sweeps: Sequence[NetworkSweep], width: int) -> None:
        self._sweeps, self._number = sweeps, -1
        self.row: tuple[int, np.dtype[Any]] = width, np.dtype(np.uint64)

    def restart(self, part: Part, enough: int = ALL) -> None:
        """Go to the beginning of a part, which ends once there are `enough` rows."""
        if self._number != part.stop:
            self._number, self._sweep = part.stop, self._sweeps[part.stop].another()
        self._enough = enough
        self._sweep.restart(True, part=part)

    def advance(self, out: Rows, count: int, store: bool) -> tuple[bool, bool, int]:
        """Find some regions: (finished, `out` is full, rows of `out` in use)."""
        room = min(_AT_A_TIME, len(out) - count, self._enough)
        finished, block = self._sweep.fill(room)
        rows = out[count : count + len(block.patterns)]
        words = ternary.words_for(block.patterns.shape[1])
        rows[:, :words] = ternary.encode(block.patterns).view(np.uint64)
        if rows.shape[1] > words:
            rows[:, words:] = block.points.view(np.uint64)
        count, self._enough = count + len(rows), self._enough - len(rows)
        return finished, count == len(out) or not self._enough, count

    def has_enough(self, count: int) -> bool:
        """Whether the part has enough rows."""
        return self._enough <= 0

    def rest(self) -> list[Part]:
        """What is left of the part."""
        return [part._replace(stop=self._number) for part in self._sweep.rest()]

    def release(self) -> None:
        """Nothing is kept for later sweeps."""


class RegionQuestion:
    """How many rows there may be, and how large they are."""

    sides, inside = 1, None

    def __init__(self, network: Network, sweeps: Sequence[NetworkSweep], row_bytes: int) -> None:
        self._network, self._sweeps, self.row_bytes = network, sweeps, row_bytes

    def bound(self) -> int:
        """At most so many regions."""
        return max(region_bounds(self._network).montufar, default=1)

    def expected(self, harmless: int) -> int:
        """About so many regions."""
        return self._estimate

    @cached_property
    def _estimate(self) -> int:
        return estimate_regions(self._sweeps, _SECONDS).number if self._sweeps else 0


class RegionSource(Source):
    """The regions of a network."""

    noun = "regions"

    def __init__(self, network: Network, within: Within | None = None) -> None:
        self.subject, self.n, self.half = network, network.n_units, False
        self._domain = domain = read_domain(within, network)
        self.polyhedron: Polyhedron | None = None
        if within is not None:
            self.polyhedron = within if isinstance(within, Polyhedron) else Polyhedron(*within)
        found = Sweeps(network, []) if domain is None else sweeps_of(network, domain)
        if found is None:
            assert domain is not None  # it is not empty
            instead = "iter_regions has no such limit."
            raise no_searches(network, domain, "a run", instead)
        self._sweeps = found
        has_points = all(chart.inputs is None for chart in found.charts)
        self._words = ternary.words_for(self.n)
        self.width = self.words = self._words + network.dimension * has_points
        self.dtype = np.dtype(np.uint64)
        self.no_rows = np.zeros((0, self.width), np.uint64)
        self.question = RegionQuestion(network, self._sweeps, 8 * self.width)
        self.line_rows, self._rows_inside = 1, None
        self.numbers = [
            values
            for layer in network.layers
            for values in (layer.weights, layer.offsets, layer.slopes)
            if values is not None
        ]
        self.names = [layer.inputs for layer in network.layers]

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Names and types of the columns of a row."""
        points = range(self.width - self._words)
        return [(f"code{k}", "int64") for k in range(self._words)] + [
            (f"x{k}", "float64") for k in points
        ]

    def members(self) -> storage.Members:
        """Arrays that hold the network and the polyhedron, exactly."""
        members: storage.Members = (
            {} if self.polyhedron is None else polyhedron_members(self.polyhedron)
        )
        text = json.dumps(self.names).encode()
        members["inputs"] = np.frombuffer(text, np.uint8)
        for k, layer in enumerate(self.subject.layers):
            for name in _NUMBERS:
                members |= storage.number_members(f"{name}{k}", getattr(layer, name))
        return members

    @classmethod
    def read(cls, members: storage.Members) -> RegionSource:
        """The source that such arrays hold."""
        layers = []
        for k, inputs in enumerate(json.loads(members["inputs"].tobytes())):
            weights, offsets, slopes = (storage.numbers(f"{name}{k}", members) for name in _NUMBERS)
            assert weights is not None
            layers.append(Layer(weights, offsets, slope=slopes, inputs=inputs))
        return cls(Network(layers), read_polyhedron_members(members))

    def flags(self, seed: int) -> Iterator[Any]:
        """The searches, which have no random coordinates."""
        yield self._sweeps

    def _flags(self, seed: int) -> Iterator[Any]:
        return self.flags(seed)

    def coordinates(self, flag: Any) -> str:
        """Text that differs for searches that differ."""
        return f"{len(flag)} polytopes"

    def first_parts(self, flag: Any) -> list[Part]:
        """The whole of each search; what is too large is split when it is swept."""
        return [WHOLE._replace(stop=k) for k in range(len(flag))]

    def sweep(self, flag: Any) -> Any:
        """A sweep of its own for a thread."""
        return RegionSweep(flag, self.width)

    def bound(self, flag: Any) -> int:
        """Most rows."""
        return self.question.bound()

    def children(self, flag: Any, child: int) -> int:
        """Parts are not planned."""
        return child

    def to_words(self, rows: Rows) -> NDArray[np.uint64]:
        """Rows are words."""
        return rows

    def from_words(self, words: NDArray[np.uint64]) -> Rows:
        """Rows are words."""
        return words

    def opposite(self, rows: Rows) -> Rows:
        """No row stands for two patterns."""
        return rows

    def trim(self, rows: Rows) -> Rows:
        """Rows of a sweep are those of a run."""
        return rows

    def wrap(self, rows: Rows, half: bool = False) -> Any:
        """The regions of some rows."""
        codes = np.ascontiguousarray(rows[:, : self._words]).view(np.int64)
        points = np.ascontiguousarray(rows[:, self._words :]).view(np.float64)
        known = points if points.shape[1] else None
        return Regions(self.subject, self._domain, codes, known, True)

    def point_of(self, row: Rows) -> Point | None:
        """An exact point of the region with the pattern of a row; None if there is no such one."""
        return self.wrap(row)[0].proved_point()

    def row_of(self, pattern: Any) -> Rows | None:
        """The row of a pattern as the caller writes it, without a point."""
        row = np.full((1, self.width), np.nan).view(np.uint64)
        row[:, : self._words] = self.wrap(self.no_rows)._parse(pattern).view(np.uint64)
        return row

    def _signs_of(self, row: Rows) -> Any:
        raise NotImplementedError

    def known_number(self) -> tuple[int, str] | None:
        """No other count is cheap."""
        return None
