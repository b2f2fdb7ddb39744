"""Answers about the outputs of a network, with their proofs."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.exact.text import brief_text
from arrangements.networks.domain import read_domain
from arrangements.networks.network import Network, Point
from arrangements.networks.output_system import OutputSystem, margin
from arrangements.networks.output_trees import Decision
from arrangements.networks.region import Region
from arrangements.networks.segments import path
from arrangements.polyhedra.polyhedron import Polyhedron

# Random directions in which a region next to a point is looked for.
_TRIES = 20


class _Answer:
    """What all answers have."""

    network: Network
    within: Polyhedron
    point: Point | None

    @cached_property
    def outputs(self) -> Point | None:
        """The outputs at the point, exact."""
        return None if self.point is None else self.network.forward(np.array(self.point, object))

    @cached_property
    def pattern(self) -> NDArray[np.int8] | None:
        """The signs of all units at the point; 0 where it lies between regions."""
        return None if self.point is None else self.network.pattern_at(np.array(self.point, object))

    @cached_property
    def region(self) -> Region | None:
        """A region with the point in it, or on its boundary; None if there is no point."""
        if self.point is None or self.pattern is None:
            return None
        domain = read_domain(self.within, self.network)
        assert domain is not None
        rng = np.random.default_rng(0)
        for _ in range(_TRIES):
            inner = _inner_point(self.within, domain.basis, rng)
            if inner == self.point:
                if len(domain.basis) > 1:
                    continue
                return Region(self.network, self.pattern.copy(), domain, inner)
            found = path(self.network, np.array(self.point, object), np.array(inner, object))
            pattern = found.patterns[0]
            middle = tuple((a + b) / 2 for a, b in zip(*found.points[:2], strict=True))
            region = Region(self.network, pattern.copy(), domain, middle)
            if region.proved_point() is not None:
                return region
        return None


def _inner_point(P: Polyhedron, basis: list[list[int]], rng: np.random.Generator) -> Point:
    """A random point of the relative interior."""
    middle = P.interior_point
    assert middle is not None
    step = Fraction(1)
    directions = [row for row in basis if not row[-1]]
    pairs = [row for row in basis if row[-1]]
    for row in pairs[1:]:
        directions.append(
            [a * pairs[0][-1] - b * row[-1] for a, b in zip(row, pairs[0], strict=True)]
        )
    weights = [Fraction(int(x), 1024) for x in rng.integers(-1024, 1025, len(directions))]
    move = [
        sum((w * row[i] for w, row in zip(weights, directions, strict=True)), Fraction(0))
        for i in range(len(middle))
    ]
    while True:
        found = tuple(a + step * b for a, b in zip(middle, move, strict=True))
        if P.contains(np.array(found, object), interior=True):
            return found
        step /= 2


@public_class
@dataclass(frozen=True, repr=False)
class OutputCertificate(_Answer):
    """Whether some input has given outputs, with its proof.

    Attributes
    ----------
    network : Network
        Of a comparison, the differences of the outputs of both.
    within : Polyhedron
    question : str
        What was asked for.
    feasible : bool or None
        The answer, also ``bool(certificate)``; None if time was up.
    point : tuple of Fraction or None
        If feasible: an input, exact.
    opened : int
        How many cells, parts of the inputs in which units have given signs, were opened.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> from arrangements.networks import Network, can_output
    >>> net = Network([([[1, 0], [0, 1]], None), ([[1, 0], [0, 1], [-1, -1]], [0, 0, -1])])
    >>> found = can_output(net, 2, within=Polyhedron.box(-1, 1, dimension=2))
    >>> found, bool(found), found.verify()
    (OutputCertificate('2', infeasible, 1 cell opened), False, True)
    """

    network: Network
    within: Polyhedron
    question: str
    feasible: bool | None
    point: Point | None
    opened: int
    _decision: Decision = field(compare=False)

    def __bool__(self) -> bool:
        return bool(self.feasible)

    def verify(self) -> bool:
        """Check the point, or the whole proof, in exact arithmetic; False if time was up."""
        return self._decision.verify()

    def __repr__(self) -> str:
        word = {True: "feasible", False: "infeasible", None: "open"}[self.feasible]
        cells = f"{self.opened} cell{'s' * (self.opened != 1)} opened"
        return f"{type(self).__name__}({self.question!r}, {word}, {cells})"

    def _repr_html_(self) -> str:
        facts: list[tuple[str, Any]] = [
            ("answer", repr(self.feasible)),
            ("cells opened", self.opened),
        ]
        if self.point is not None:
            facts.append(("an exact input", notebook.point(self.point)))
        return notebook.card(f"Can the outputs be {self.question}?", facts, "")


@public_class
@dataclass(frozen=True, repr=False)
class OutputOptimum(_Answer):
    """The largest or the least value of an affine function of the outputs, with its proof.

    Attributes
    ----------
    network : Network
    within : Polyhedron
    value : Fraction
        At the point, exact.
    bound : Fraction
        No input has a better value; equal to `value` unless time was up.
    point : tuple of Fraction
        An input with this value.
    opened : int
        How many cells, parts of the inputs in which units have given signs, were opened.
    largest : bool
        Whether the value is the largest, not the least.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> from arrangements.networks import Network, maximum
    >>> tent = Network([([[2], [4]], [0, -2]), ([[1, -1]], None)])
    >>> best = maximum(tent, 0, within=Polyhedron.box(0, 1, dimension=1))
    >>> best.value, best.point, best.verify()
    (Fraction(1, 1), (Fraction(1, 2),), True)
    """

    network: Network
    within: Polyhedron
    value: Fraction
    bound: Fraction
    point: Point
    opened: int
    largest: bool
    _decision: Decision = field(compare=False)

    @property
    def gap(self) -> Fraction:
        """How far the value is from the bound: 0 if it is proved to be the best."""
        return abs(self.value - self.bound)

    def verify(self) -> bool:
        """Check in exact arithmetic that the point has the value, and no input a better one.

        If time was up, only the point is checked.
        """
        (case,) = self._decision.cases
        system = OutputSystem(
            self.network, self._decision.inputs, (case[0]._replace(strict=False),)
        )
        tight = case[0].value(self.network.forward(np.array(self.point, object))) == 0
        holds = tight and system.holds_at(self.point)
        return holds and (self.gap != 0 or self._decision.verify())

    def __repr__(self) -> str:
        word = "largest" if self.largest else "least"
        word = word if not self.gap else f"within {brief_text(self.gap)} of the {word}"
        cells = f"{self.opened} cell{'s' * (self.opened != 1)} opened"
        return f"{type(self).__name__}(value {brief_text(self.value)}, {word}, {cells})"

    def _repr_html_(self) -> str:
        facts: list[tuple[str, Any]] = [
            ("value", notebook.number(self.value)),
            ("bound of all others", notebook.number(self.bound)),
            ("cells opened", self.opened),
            ("an exact input", notebook.point(self.point)),
        ]
        return notebook.card(f"{'Largest' if self.largest else 'Least'} value", facts, "")


@public_class
@dataclass(frozen=True, repr=False)
class RobustRadius(_Answer):
    """How far an input may move before another output is as large as that of its class.

    Attributes
    ----------
    network : Network
    within : Polyhedron
        The inputs that count.
    center : tuple of Fraction
        The input.
    label : int
        Its class, the output that is the largest there. Of a single output, 1 if it is positive,
        and 0 if it is negative.
    norm : {"max", "l1"}
    lower, upper : Fraction or inf
        At inputs nearer than `lower` the class is the same, proved; at distance `upper` is an input
        where it is not. Both are equal unless time was up; infinite if there is no such input.
    point : tuple of Fraction or None
        An input at distance `upper` where another output is at least as large.
    other : int or None
        This output, or class.
    opened : int
        How many cells, parts of the inputs in which units have given signs, were opened.

    Examples
    --------
    >>> from arrangements.networks import Network, robust_radius
    >>> net = Network([([[1], [-1]], None), ([[1, 1], [0, 0]], [0, 1])])
    >>> found = robust_radius(net, [2.5])
    >>> found, found.value, found.point, found.verify()
    (RobustRadius(3/2, label 0, max-norm), Fraction(3, 2), (Fraction(1, 1),), True)
    """

    network: Network
    within: Polyhedron
    center: Point
    label: int
    norm: str
    lower: Fraction | float
    upper: Fraction | float
    point: Point | None
    other: int | None
    opened: int
    _decision: Decision | None = field(compare=False)

    @property
    def value(self) -> Fraction | float | None:
        """The radius; None if only an interval is known."""
        return self.lower if self.lower == self.upper else None

    def verify(self) -> bool:
        """Check in exact arithmetic that the point is as said, and that none is nearer."""
        if self.point is not None and self.other is not None:
            y = self.network.forward(np.array(self.point, object))
            sizes = [abs(a - b) for a, b in zip(self.point, self.center, strict=True)]
            distance = max(sizes) if self.norm == "max" else sum(sizes, Fraction(0))
            inside = self.within.contains(np.array(self.point, object))
            wins = margin(len(y), self.other, self.label, strict=False).holds(y)
            if not (inside and distance == self.upper and wins):
                return False
        if self._decision is None:
            return self.lower == 0
        return self._decision.feasible is False and self._decision.verify()

    def __repr__(self) -> str:
        ends = [
            brief_text(x) if isinstance(x, Fraction) else str(x) for x in (self.lower, self.upper)
        ]
        text = ends[0] if self.lower == self.upper else f"from {ends[0]} to {ends[1]}"
        return f"{type(self).__name__}({text}, label {self.label}, {self.norm}-norm)"

    def _repr_html_(self) -> str:
        facts: list[tuple[str, Any]] = [
            ("radius", repr(self)[len(type(self).__name__) + 1 : -1]),
            ("cells opened", self.opened),
        ]
        if self.point is not None:
            facts.append(("another class", notebook.point(self.point)))
        return notebook.card("Robust radius", facts, "")
