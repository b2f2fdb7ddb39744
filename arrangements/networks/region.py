"""One region of a network: its functions, walls, neighbors and polyhedron, exact."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements import notebook
from arrangements.addresses import Immutable, public_class
from arrangements.core.arrangement import Arrangement
from arrangements.exact.numbers import (
    append_column,
    as_objects,
    integer_rows,
    nearest_floats,
    negative,
    primitive,
    read_only,
)
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.feasibility.interior import find_point, solve_signs
from arrangements.feasibility.one_sign_vector import solve
from arrangements.networks.affine_maps import AffineMap, Composition, compose
from arrangements.networks.domain import Domain
from arrangements.networks.network import Network, Point
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reduction import Reduction, restrict_rows

Signs = NDArray[np.int8]


@public_class
class Wall(NamedTuple):
    """A facet of a region.

    Attributes
    ----------
    normal : tuple of int
    offset : int
        ``normal @ x + offset`` is positive in the region and 0 on the wall.
    units : tuple of int
        The units that vanish on it and not in the region, in the order of the pattern.
    inequalities : tuple of int
        The inequalities of the polyhedron ``within`` that hold with equality on it. If there are
        any, the region ends there and has no neighbor.
    """

    normal: tuple[int, ...]
    offset: int
    units: tuple[int, ...]
    inequalities: tuple[int, ...]


@public_class
class Region(Immutable):
    """A region of a network: the points where all units have given signs.

    Regions come from `regions`, `region_at` and `path`. All properties are exact and found when
    they are first asked for.

    Attributes
    ----------
    network : Network
    pattern : (n_units,) ndarray of int8, read-only
        The sign of each unit, in the order of layers and units: +1 or -1, or 0 if its input is zero
        in all of the region.

    Examples
    --------
    >>> from arrangements.networks import Network, region_at
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, -1, 0.5]], [0.25])])
    >>> region = region_at(net, [1, 2])
    >>> region
    Region('+++', 3 units in dimension 2)
    >>> [(wall.normal, wall.offset, wall.units) for wall in region.walls]
    [((1, 0), 0, (0,)), ((0, 1), 0, (1,)), ((1, 1), -1, (2,))]
    >>> M, v = region.affine_map
    >>> [str(entry) for entry in M[0]], str(v[0])
    (['3/2', '-1/2'], '-1/4')
    >>> [neighbor.pattern.tolist() for neighbor in region.neighbors]
    [[-1, 1, 1], [1, -1, 1], [1, 1, -1]]
    """

    network: Network
    pattern: Signs
    _domain: Domain

    def __init__(
        self, network: Network, pattern: Signs, domain: Domain, point: Point | None = None
    ) -> None:
        self.__dict__.update(network=network, pattern=read_only(pattern), _domain=domain)
        if point is not None:
            self.__dict__["point"] = point

    @property
    def within(self) -> Polyhedron:
        """The polyhedron of which the region is a part."""
        return self._domain.polyhedron

    @cached_property
    def by_layer(self) -> tuple[Signs, ...]:
        """The pattern, layer by layer; empty for linear layers."""
        return tuple(np.split(self.pattern, self.network.starts[1:-1]))

    @cached_property
    def point(self) -> Point:
        """A point of the region, exact, with few digits where these suffice."""
        found = self._find_point()
        assert found is not None  # regions are not empty
        return found

    def _find_point(self) -> Point | None:
        """A point where all rows are positive, if there is one."""
        rows, domain = self._positive, self._domain
        if not rows:
            return (Fraction(0),) * self.network.dimension
        if domain.is_full:
            if any(row[-1] < 0 for row in rows if not any(row[:-1])):
                return None
            table = np.array([row for row in rows if any(row[:-1])], object)
            table = table.reshape(-1, self.network.dimension + 1)
            found = solve(Arrangement(table[:, :-1], table[:, -1]), (1,) * len(table)).point
            return None if found is None else tuple(map(Fraction, found))
        found = solve(Arrangement(np.array(rows, object)), (1,) * len(rows)).point
        return None if found is None else domain.point(found)

    def proved_point(self) -> Point | None:
        """A point of a region whose pattern may not occur; None if it does not."""
        if any(
            any(row) != bool(sign)
            for row, sign in zip(self._own_rows, self.pattern.tolist(), strict=True)
        ):
            return None
        known: Point | None = self.__dict__.get("point")
        if known is not None and self.within.contains(np.array(known, object), interior=True):
            if np.array_equal(self.network.pattern_at(np.array(known, object)), self.pattern):
                return known
        return self._find_point()

    @cached_property
    def affine_map(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The outputs are ``M @ x + v``: (n_outputs, d) and (n_outputs,) arrays of Fractions."""
        rows, scale = self._functions[1]
        table = np.array([[Fraction(entry, scale) for entry in row] for row in rows], object)
        return read_only(table[:, :-1]), read_only(table[:, -1])

    @cached_property
    def float_map(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """`affine_map` in float64, each entry the nearest."""
        M, v = self.affine_map
        return read_only(nearest_floats(M)), read_only(nearest_floats(v))

    @cached_property
    def walls(self) -> tuple[Wall, ...]:
        """The facets of the region, with the units whose signs change there.

        Several units share a wall if they vanish on the same facet. Those of the polyhedron
        ``within`` come first.
        """
        return tuple(wall for wall, _ in self._walls)

    @cached_property
    def neighbors(self) -> tuple[Region, ...]:
        """The regions on the other sides of the walls, in their order.

        A wall on the boundary of the polyhedron ``within`` has none.
        """
        return tuple(
            Region(self.network, self._beyond(form), self._domain)
            for wall, form in self._walls
            if not wall.inequalities
        )

    @cached_property
    def polyhedron(self) -> Polyhedron:
        """The closed region; inequality k belongs to wall k.

        Examples
        --------
        >>> from arrangements import Polyhedron
        >>> from arrangements.networks import Network, region_at
        >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, -1, 0.5]], [0.25])])
        >>> region = region_at(net, [0.25, 0.5], within=Polyhedron.box(0, 1, dimension=2))
        >>> region.polyhedron.vertices == [(0, 0), (0, 1), (1, 0)], str(region.polyhedron.volume)
        (True, '1/2')
        """
        P, d = self.within, self.network.dimension
        rows = np.array([(*wall.normal, wall.offset) for wall in self.walls], object)
        rows = rows.reshape(-1, d + 1)
        (A, c), (E, f), implicit = P.inequalities, P.equations, list(P.implicit_equations)
        left, right = append_column(A[implicit], c[implicit]), append_column(E, f)
        equal = np.concatenate([as_objects(left), as_objects(right)])
        found = Polyhedron(
            negative(rows[:, :-1]), rows[:, -1], equations=(equal[:, :-1], equal[:, -1])
        )
        basis = self._domain.basis
        reduction = Reduction(len(basis) - 1, basis, self.point, ())
        found.__dict__.update(_reduction=reduction, facets=tuple(range(len(rows))))
        return found

    def __eq__(self, other: object) -> bool:
        """Whether both have one pattern in the same network."""
        if not isinstance(other, Region):
            return NotImplemented
        return np.array_equal(self.pattern, other.pattern) and self.network == other.network

    def __hash__(self) -> int:
        return hash(self.pattern.tobytes())

    def __repr__(self) -> str:
        signs = "".join("-0+"[sign + 1] for sign in self.pattern[:40].tolist())
        if len(self.pattern) > 40:
            signs += ".."
        n, d = len(self.pattern), self.network.dimension
        return f"Region({signs!r}, {n} unit{'s' * (n != 1)} in dimension {d})"

    def _repr_html_(self) -> str:
        rows = [[k, notebook.signs(signs)] for k, signs in enumerate(self.by_layer) if len(signs)]
        known = self.__dict__.get("point")
        at = None if known is None else ", ".join(notebook.numbers(known))
        facts = [("point", None if at is None else notebook.Markup(at))]
        return notebook.card(repr(self), facts, notebook.table(["layer", "signs"], rows))

    # ------------------------------------------------------------------ how

    @cached_property
    def _functions(self) -> tuple[list[AffineMap], AffineMap]:
        """Of all layers before activation, and the outputs, of (x, 1)."""
        return compose(self.network.layers, self.pattern.tolist())

    @cached_property
    def _unit_rows(self) -> list[list[int]]:
        """A row for each unit that is positive in the region, or zero."""
        layers = zip(self.network.layers, self._functions[0], strict=True)
        rows = [row for layer, z in layers if not layer.is_linear for row in z.rows]
        signed = zip(rows, self.pattern.tolist(), strict=True)
        return [primitive([sign * entry for entry in row]) for row, sign in signed]

    @cached_property
    def _own_rows(self) -> list[list[int]]:
        """The same in coordinates of the affine hull of the polyhedron."""
        rows = self._unit_rows
        return rows if self._domain.is_full or not rows else restrict_rows(rows, self._domain.basis)

    @cached_property
    def _positive(self) -> list[list[int]]:
        """All rows that are positive in the region, those of the polyhedron first."""
        return [*self._domain.positive, *(row for row in self._own_rows if any(row))]

    @cached_property
    def _walls(self) -> list[tuple[Wall, tuple[int, ...]]]:
        """Walls, and a row in coordinates of the affine hull that vanishes on each."""
        domain = self._domain
        forms = [*map(tuple, map(primitive, domain.positive)), *map(tuple, self._own_rows)]
        k = len(domain.inequalities)
        ordered = [*forms[:k], *forms[k + 1 :], forms[k]]  # the row at infinity is the last
        places: dict[tuple[int, ...], list[int]] = {}
        for place, form in enumerate(ordered[:-1]):
            if any(form) and form != ordered[-1]:
                places.setdefault(form, []).append(place)
        found = []
        for form in _facets([*places, ordered[-1]]):
            same = places[form]
            place = same[0]
            units = tuple(i - k for i in same if i >= k)
            inequalities = tuple(domain.inequalities[i] for i in same if i < k)
            *normal, offset = self._row_of(place, k)
            found.append((Wall(tuple(normal), offset, units, inequalities), form))
        return found

    def _row_of(self, place: int, k: int) -> Sequence[int]:
        """The row of an inequality of the polyhedron or of a unit, of (x, 1)."""
        if place >= k:
            return self._unit_rows[place - k]
        A, c = self.within.inequalities
        j = [self._domain.inequalities[place]]
        return integer_rows(append_column(negative(A[j]), c[j]))[0]

    def _beyond(self, form: tuple[int, ...]) -> Signs:
        """The pattern on the other side of a wall where a form vanishes.

        On the wall a unit is either zero or has its sign here. If it is zero, its function on the
        other side is a multiple of the form.
        """
        other, starts = tuple(-entry for entry in form), self.network.starts
        pattern = self.pattern.copy()
        state = Composition.of(self.network.layers, self._domain.basis)
        for k, layer in enumerate(self.network.layers[: _last(self.network) + 1]):
            z = state.preactivations()
            own = pattern[starts[k] : starts[k + 1]]  # a view
            for i in range(layer.n_units):
                row = tuple(primitive(z.rows[i]))
                if row == form or row == other or not any(row):
                    own[i] = (row == other) - (row == form)
            state = state.then(z, own.tolist())
        return pattern


def _facets(forms: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Forms that carry a facet of the cone where all are positive, but for the last one.

    No two are multiples of each other. One carries a facet if it alone can be negative.
    """
    if len(forms[0]) == 1:  # the cone is a ray
        return []
    system = HomogeneousRows([list(form) for form in forms])
    table = system.float_table
    work, point = system.work_for(table), np.zeros(system.dimension)
    found = []
    for j, form in enumerate(forms[:-1]):
        signs = np.ones(len(forms))
        signs[j] = -1
        status = find_point(system, table, signs, False, point, work)
        if status == 1 or (status and isinstance(solve_signs(system, signs, False), list)):
            found.append(form)
    return found


def _last(network: Network) -> int:
    """The last layer with units, -1 without one."""
    return max((k for k, n in enumerate(network.widths) if n), default=-1)
