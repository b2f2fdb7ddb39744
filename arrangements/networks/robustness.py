"""How far an input may move before its class changes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from arrangements.checks import check_flag, check_instance, check_integer, check_option
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_fractions
from arrangements.exact.number_field import FieldElement
from arrangements.exact.numbers import check_rational
from arrangements.execution.processes import Processes
from arrangements.execution.progress import with_progress
from arrangements.messages import quote
from arrangements.networks.exact_programs import decide_region
from arrangements.networks.input_bounds import bounded_inputs
from arrangements.networks.network import Network, Point
from arrangements.networks.output_answers import OutputCertificate, RobustRadius
from arrangements.networks.output_programs import nearest_program
from arrangements.networks.output_search import Search
from arrangements.networks.output_solutions import exact_solution
from arrangements.networks.output_system import (
    Ball,
    Inputs,
    OutputSystem,
    exact_bound,
    margin,
    read_inputs,
)
from arrangements.networks.output_trees import Case, Decision, decide
from arrangements.networks.search_tree import ALONE, Budget
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron

# How often a radius is doubled before it counts as infinite.
_DOUBLINGS = 60
# How often before the ends of a polyhedron that is no box are computed, which takes longer.
_FIRST = 10


def other_class(
    network: Network,
    x: ArrayLike,
    radius: Any,
    *,
    norm: str = "max",
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    time_limit: float | None = None,
) -> OutputCertificate:
    """Find an input near x where another output is at least as large, or prove that there is none.

    If ``feasible`` is False, the network is robust at x: the class of x wins at all inputs up to
    the radius.

    Parameters
    ----------
    network : Network
    x : (d,) array_like
        An input where one output is larger than all others. A single output has the classes 1,
        where it is positive, and 0, where it is negative.
    radius : number
    norm : {"max", "l1"}
        Of differences of inputs: the largest entry, or the sum of all sizes.
    within : Polyhedron, or (A, c), optional
        Only the inputs in this polyhedron count, such as pixels from 0 to 1.
    workers, progress, limit, time_limit
        As in `can_output`.

    Returns
    -------
    OutputCertificate

    Raises
    ------
    InputError
        If an argument is malformed, or no output is the largest at x, or x is not in `within`.

    See Also
    --------
    robust_radius : the largest such radius.

    Examples
    --------
    >>> net = Network([([[1], [-1]], None), ([[1, 1], [0, 0]], [0, 1])])
    >>> other_class(net, [2.5], 1).feasible, other_class(net, [2.5], 2).point is not None
    (False, True)
    """
    start = _read_start(network, x, norm, within)
    (size,) = as_fractions([radius], "radius")
    if isinstance(size, FieldElement) or size < 0:
        raise InputError(f"radius is {quote(radius)}; expected a rational number, at least 0.")
    inputs = start.inputs.within(Ball(start.point, Fraction(size), norm, False))
    with Budget(time_limit, limit, progress, workers) as budget:
        found = decide(network, inputs, start.cases, budget)
    question = f"another class than {start.label} up to {float(size):g} in the {norm}-norm"
    P = inputs.polyhedron
    return OutputCertificate(
        network, P, question, found.feasible, found.point, budget.opened, found
    )


def robust_radius(
    network: Network,
    x: ArrayLike,
    *,
    norm: str = "max",
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    time_limit: float | None = None,
) -> RobustRadius:
    """The distance of x to the next input where another output is at least as large, exact.

    Parameters
    ----------
    network, x, norm, within, workers, progress, limit, time_limit
        As in `other_class`.

    Returns
    -------
    RobustRadius
        Its ``value`` is the radius; if time was up, ``lower`` and ``upper`` contain it.

    Raises
    ------
    InputError
        If an argument is malformed, or no output is the largest at x, or x is not in `within`.

    See Also
    --------
    robust_radii : of many inputs.
    other_class : the question about one radius, which takes less time.

    Notes
    -----
    Exact: the radius is the solution of a linear program in a region, solved in fractions, and a
    tree of proofs says that no input is nearer. Radii are doubled until there is another class;
    then each point that is found is moved towards x within its region, and the next search looks
    for a nearer one. Without bounds of the inputs, an answer above 2^53 times the size of x is
    left open, from there to infinity.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1]], None), ([[1, 0], [0, 1]], None)])
    >>> robust_radius(net, [3, 1]), robust_radius(net, [3, 1], norm="l1").value
    (RobustRadius(1, label 0, max-norm), Fraction(2, 1))
    """
    start = _read_start(network, x, norm, within)
    with Budget(time_limit, limit, progress, workers) as budget:
        search = _RadiusSearch(network, start, norm, budget)
        search.run()
    return RobustRadius(
        network,
        start.inputs.polyhedron,
        start.point,
        start.label,
        norm,
        search.lower,
        search.upper,
        search.point,
        search.other,
        search.budget.opened,
        search.proof,
    )


def robust_radii(
    network: Network,
    X: ArrayLike,
    *,
    norm: str = "max",
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    time_limit: float | None = None,
) -> tuple[RobustRadius, ...]:
    """The robust radii of many inputs, each as `robust_radius` has it.

    Parameters
    ----------
    network : Network
    X : (m, d) array_like
        Inputs, a row for each.
    norm, within
        As in `other_class`.
    workers : int
        Processes that share out the inputs. The answers are the same for any number.
    progress : bool
        Show a bar on standard error that counts inputs.
    limit, time_limit
        As in `can_output`, for each input.

    Returns
    -------
    tuple of RobustRadius

    Raises
    ------
    InputError
        As in `robust_radius`; all rows are checked before the first search.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1]], None), ([[1, 0], [0, 1]], None)])
    >>> [str(found.value) for found in robust_radii(net, [[3, 1], [0, 5]])]
    ['1', '5/2']
    """
    check_instance("network", network, Network)
    rows = as_exact_matrix(X, "X")
    P = None if within is None else read_polyhedron(within, network)
    for i, x in enumerate(rows):
        _read_start(network, x, norm, P, f"row {i} of X")
    workers, counted = check_integer("workers", workers, 1), check_flag("progress", progress)
    options: Any = {"norm": norm, "within": P, "limit": limit, "time_limit": time_limit}
    ask = partial(robust_radius, **options)
    with closing(_radii(network, list(rows), ask, workers)) as found:
        return tuple(with_progress(found, counted, len(rows), lambda one: 1, "inputs"))


def _radii(
    network: Network, rows: list[Any], ask: Callable[..., RobustRadius], workers: int
) -> Generator[RobustRadius, None, None]:
    """The answers in their order; after some cells, by processes."""
    opened, first = 0, 0
    while first < len(rows) and (workers == 1 or opened <= ALONE):
        found = ask(network, rows[first])
        opened, first = opened + found.opened, first + 1
        yield found
    with Processes(workers, network) as processes:
        for future in [processes.submit(ask, network, x) for x in rows[first:]]:
            yield future.result()


class _Start(NamedTuple):
    """The input, its class, the inputs that count, and the cases of other classes."""

    point: Point
    label: int
    inputs: Inputs
    others: list[int]
    cases: list[Case]


def _read_start(
    network: Network, x: ArrayLike, norm: str, within: Within | None, name: str = "x"
) -> _Start:
    check_instance("network", network, Network)
    check_option("norm", norm, ("max", "l1"))
    point = as_fractions(x, name)
    if len(point) != network.dimension:
        raise InputError(
            f"{name} has {len(point)} entries; expected {network.dimension}, the inputs."
        )
    check_rational(name, point)
    d = network.dimension
    everything = Polyhedron(np.zeros((0, d), np.int64), np.zeros(0, np.int64))
    P = everything if within is None else read_polyhedron(within, network)
    if not P.contains(np.array(point, object)):
        raise InputError(f"{name} does not lie in within; expected a point of it.")
    label, others = _classes(network.forward(np.array(point, object)), name)
    n = network.n_outputs
    cases: list[Case] = [(margin(n, j, label, False),) for j in others]
    return _Start(tuple(map(Fraction, point)), label, read_inputs(P), others, cases)


def _classes(outputs: Point, name: str) -> tuple[int, list[int]]:
    """The class of the largest output, and the others from the nearest on."""
    if len(outputs) == 1:
        outputs = (Fraction(0), *outputs)
        if not outputs[1]:
            raise InputError(
                f"the output is 0 at {name}; expected a point of class 1, above 0, or 0, below."
            )
    order = sorted(range(len(outputs)), key=lambda j: -outputs[j])
    if outputs[order[0]] == outputs[order[1]]:
        raise InputError(
            f"outputs {order[0]} and {order[1]} are equal at {name}; expected one that is the "
            "largest."
        )
    return order[0], order[1:]


class _RadiusSearch:
    """The search for the nearest input with another class."""

    def __init__(self, network: Network, start: _Start, norm: str, budget: Budget) -> None:
        self.network, self.start, self.norm, self.budget = network, start, norm, budget
        self.lower: Fraction | float = Fraction(0)
        self.upper: Fraction | float = inf
        self.point: Point | None = None
        self.other: int | None = None
        self.proof: Decision | None = None

    def run(self) -> None:
        """Double a radius until there is another class, then look for nearer ones."""
        farthest: Fraction | float = self._farthest(self.start.inputs)
        radius = Fraction(1, 2**6) * max(1, round(max(map(abs, self.start.point))))
        for k in range(_DOUBLINGS):
            found = self._decide(radius, is_open=True)
            if found.feasible is None:
                return
            if found.feasible:
                break
            self.lower, self.proof = radius, found
            if k == _FIRST and farthest == inf and self.start.inputs.polyhedron.is_bounded:
                farthest = self._farthest(bounded_inputs(self.start.inputs.polyhedron))
            if radius > farthest:
                self.lower = inf
                return
            radius *= 2
        else:
            return
        assert found.point is not None and found.case is not None
        while True:
            self._take(found.point, found.case)
            found = self._decide(Fraction(self.upper), is_open=True)
            if found.feasible is None:
                return
            if not found.feasible:
                self.lower, self.proof = self.upper, found
                return
            assert found.point is not None and found.case is not None

    def _farthest(self, inputs: Inputs) -> Fraction | float:
        """The distance of the farthest corner of a box around the inputs."""
        if not inputs.is_bounded:
            return inf
        sizes = [
            max(Fraction(b) - x, x - Fraction(a))
            for x, a, b in zip(self.start.point, inputs.low, inputs.high, strict=True)
        ]
        return max(sizes) if self.norm == "max" else sum(sizes, Fraction(0))

    def _decide(self, radius: Fraction, is_open: bool) -> Decision:
        ball = Ball(self.start.point, radius, self.norm, is_open)
        inputs = self.start.inputs.within(ball)
        return decide(self.network, inputs, self.start.cases, self.budget)

    def _take(self, x: Point, case: int) -> None:
        """Keep a point, and go to nearer ones in its region, and in the next regions."""
        while True:
            distance = Ball(self.start.point, Fraction(0), self.norm, False).distance(x)
            if distance >= self.upper:
                return
            self.upper, self.point, self.other = distance, x, self.start.others[case]
            nearer = None if self.budget.is_over else self._nearer(x, case, distance)
            if nearer is None:
                return
            x = nearer

    def _nearer(self, x: Point, case: int, distance: Fraction) -> Point | None:
        """The nearest point of the region of x where the other output is as large."""
        ball = Ball(self.start.point, distance, self.norm, False)
        inputs = self.start.inputs.within(ball)
        system = OutputSystem(self.network, inputs, self.start.cases[case])
        search = Search(system)
        search.whole.refine(search.root)
        cell = search.region(x)
        program = nearest_program(system, search.whole.floats, cell)
        if program is not None:
            radius = self._radius(system, cell, program, distance)
            if radius is not None and 0 < radius <= distance:
                small = system._replace(
                    inputs=self.start.inputs.within(ball._replace(radius=radius))
                )
                _, point = exact_solution(small, cell, program)
                if point is not None and small.holds_at(point):
                    return point
        inputs = self.start.inputs.within(ball._replace(is_open=True))
        _, point = decide_region(system._replace(inputs=inputs), cell)
        return point

    def _radius(
        self, system: OutputSystem, cell: Any, program: Any, distance: Fraction
    ) -> Fraction | None:
        """The exact radius at which the multipliers of a program prove that nothing is nearer."""
        proof, _ = exact_solution(system, cell, program)
        if proof is None:
            return None
        bounds = []
        for radius in (distance, distance * (1 - Fraction(1, 2**30))):
            ball = Ball(self.start.point, radius, self.norm, False)
            small = system._replace(inputs=self.start.inputs.within(ball))
            bounds.append(exact_bound(small, cell, proof)[0])
        a, b = bounds
        if not isinstance(a, Fraction) or not isinstance(b, Fraction) or a <= b:
            return None
        return distance - a * distance / 2**30 / (a - b)
