"""The regions of a picture: exact, from the engine, with what to write in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.score_model import ScoreModel
from arrangements.core.signs import sign_text
from arrangements.enumeration.rankings import rankings
from arrangements.errors import TooLargeError
from arrangements.exact.numbers import difference
from arrangements.plot.inside import facet_rows
from arrangements.plot.plane import Row, circular_order
from arrangements.polyhedra.polyhedron import Polyhedron

# Beyond these a picture shows nothing but lines, or takes minutes.
MOST_REGIONS = 4000
_LONGEST_SIGNS = 8


@dataclass(frozen=True)
class Region:
    """A region of the plane or of the sphere.

    Attributes
    ----------
    rows : sequence of (a, b, c)
        What bounds it: ``a x + b y + c > 0`` inside; on a sphere ``a x + b y + c z > 0``.
    order : sequence of int
        The labels that are known to be best there, the best first; empty for a chamber.
    odd : bool
        Differs between regions on the two sides of a line that is one tie, or one hyperplane.
    text : str
        What to write.
    """

    rows: Sequence[Row]
    order: Sequence[int]
    odd: bool
    text: str

    @property
    def top(self) -> int:
        """The best label."""
        return self.order[0]


def ranking_regions(model: ScoreModel, P: Polyhedron | None = None) -> list[Region]:
    """One region for each ranking inside P; in circular order if they are sectors."""
    found = rankings(model.weights, model.offsets, within=P, limit=MOST_REGIONS + 1)
    if not found.complete or len(found) > MOST_REGIONS:
        raise TooLargeError(
            f"more than {MOST_REGIONS} rankings of {model.n_labels} labels: too many for a "
            "picture. Draw by='argmax', or fewer labels."
        )
    orders, facets = found.to_array(), facet_rows(P)
    regions = [
        Region(
            facets + _gaps(model, order, order[1:]), order, odd, name_ranking(model.names(order))
        )
        for order, odd in zip(orders.tolist(), parities(model, orders), strict=True)
    ]
    return _in_order(regions, model)


def argmax_regions(model: ScoreModel, P: Polyhedron | None = None) -> list[Region]:
    """One region for each label that can be first inside P; in circular order if sectors."""
    from arrangements.models.tops import argmax_labels  # loads numba

    tops = argmax_labels(model.weights, model.offsets, within=P).tolist()
    regions, facets = [], facet_rows(P)
    for i in tops:
        others = [j for j in tops if j != i]  # a label that cannot be first bounds no region
        walls = facets + _gaps(model, [i] * len(others), others)
        regions.append(Region(walls, [i], False, model.names([i])[0]))
    return _in_order(regions, model)


def chamber_regions(arrangement: Arrangement, P: Polyhedron | None = None) -> list[Region]:
    """One region for each chamber, or for each that meets the interior of P."""
    found = arrangement.chambers(within=P, limit=MOST_REGIONS + 1)
    if not found.complete or len(found) > MOST_REGIONS:
        raise TooLargeError(
            f"more than {MOST_REGIONS} chambers of {arrangement.n_hyperplanes} hyperplanes: too "
            "many for a picture. Leave out rows."
        )
    from arrangements.structure.chamber_properties import walls  # loads numba

    rows, signs = arrangement.integer_rows, found.to_array()
    leaders, odd = _leaders(arrangement), parities(arrangement, signs)
    short = arrangement.n_hyperplanes <= _LONGEST_SIGNS
    regions, facets = [], facet_rows(P)
    bounds = np.ones((len(found), len(leaders)), np.bool_)
    if P is None:  # only walls bound a chamber; with all lines a picture of many takes minutes
        bounds = walls(found)[:, leaders]
    for row, bounding, parity in zip(signs, bounds, odd, strict=True):
        sides = [i for i, wall in zip(leaders, bounding.tolist(), strict=True) if wall]
        text = name_chamber(row.tolist()) if short else ""
        inner: list[Row] = [[int(row[i]) * e for e in rows[i][:3]] for i in sides]
        regions.append(Region(facets + inner, (), parity, text))
    return regions


def _in_order(regions: list[Region], model: ScoreModel) -> list[Region]:
    affine = any(row[2] for region in regions for row in region.rows)
    if affine or not model.is_central or model.dimension > 2:
        return regions
    return [regions[i] for i in circular_order([region.rows for region in regions])]


def _gaps(model: ScoreModel, above: Sequence[int], below: Sequence[int]) -> list[Row]:
    """Differences of the scores of labels, without those that are constant."""
    rows = model.integer_rows
    pairs = zip(above, below, strict=False)
    found = [difference(rows[i], rows[j]) for i, j in pairs]
    d = model.dimension
    if model.is_central:  # a difference of equal offsets may be written as zero
        found = [[*row[:d], 0] for row in found]
    return [row[:3] for row in found if any(row[:d])]


def _leaders(arrangement: Arrangement) -> list[int]:
    """The first row of each hyperplane."""
    return [group[0] for group in arrangement.coincident_classes]


def parities(model: Arrangement | ScoreModel, patterns: NDArray[np.integer[Any]]) -> list[bool]:
    """Whether each chamber or ranking is odd: regions on both sides of a line or tie differ.

    Examples
    --------
    >>> parities(ScoreModel([[0], [1], [2]]), np.array([[0, 1, 2], [0, 2, 1]]))
    [False, True]
    """
    if isinstance(model, Arrangement):
        above = patterns[:, _leaders(model)] > 0
    else:
        i, j = np.triu_indices(patterns.shape[1], 1)
        above = patterns[:, i] > patterns[:, j]
    return (above.sum(axis=1) % 2 == 1).tolist()


def name_ranking(names: Sequence[str]) -> str:
    """A ranking as text: run together if all names are single characters."""
    return ("" if max(map(len, names)) == 1 else " > ").join(names)


def name_chamber(signs: Iterable[int]) -> str:
    """A sign vector as text, with a minus as wide as the plus."""
    return sign_text(signs).replace("-", "\N{MINUS SIGN}")
