"""Gradients of networks over all regions: Lipschitz constants, and monotonicity in an input."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import check_flag, check_integer, check_option
from arrangements.errors import InputError
from arrangements.exact.text import brief_text
from arrangements.networks.gradient_search import GradientSearch, Steepness
from arrangements.networks.network import Network, Point
from arrangements.networks.output_system import Inputs
from arrangements.networks.outputs import read_function, read_within
from arrangements.networks.region import Region
from arrangements.networks.search_tree import Budget
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within


@public_class
@dataclass(frozen=True, repr=False)
class LipschitzConstant:
    """The largest ratio of a change of outputs and a change of inputs, with its proof.

    Attributes
    ----------
    network : Network
    within : Polyhedron
    norm : {"max", "l1"}
        Of inputs; outputs have the max-norm.
    value : Fraction
        The largest one that was found, exact.
    bound : Fraction
        No ratio is larger; equal to `value` unless time was up.
    point : tuple of Fraction
        Inside a region where the gradient has this norm.
    opened : int
        How many cells, parts of the inputs in which units have given signs, were opened.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> from arrangements.networks import Network, lipschitz_constant
    >>> net = Network([([[1, 0], [1, 1]], [0, -1]), ([[1, -3]], None)])
    >>> found = lipschitz_constant(net, within=Polyhedron.box(-2, 2, dimension=2))
    >>> found.value, found.bound, found.verify()
    (Fraction(6, 1), Fraction(6, 1), True)
    """

    network: Network
    within: Polyhedron
    norm: str
    value: Fraction
    bound: Fraction
    point: Point
    opened: int
    _search: GradientSearch = field(compare=False)

    @property
    def region(self) -> Region:
        """The region of the point."""
        return _region(self._search, self.point)

    def verify(self) -> bool:
        """Check the gradient at the point, and the proof of the bound, in exact arithmetic."""
        return self._search.verify(self.point, self.value, self.bound)

    def __repr__(self) -> str:
        text = brief_text(self.value)
        if self.bound != self.value:
            text = f"from {text} to {brief_text(self.bound)}"
        return f"{type(self).__name__}({text}, {self.norm}-norm)"

    def _repr_html_(self) -> str:
        text = notebook.number(self.value)
        if self.bound != self.value:
            text = notebook.Markup(f"from {text} to {notebook.number(self.bound)}")
        facts: list[tuple[str, Any]] = [
            ("value", text),
            ("norm of inputs", self.norm),
            ("at", notebook.point(self.point)),
        ]
        return notebook.card("Lipschitz constant", [*facts, ("cells opened", self.opened)])


@public_class
@dataclass(frozen=True, repr=False)
class Monotonicity:
    """Whether an output never falls, or never rises, when an input grows, with its proof.

    Attributes
    ----------
    network : Network
    within : Polyhedron
    monotone : bool or None
        The answer, also ``bool(...)``; None if time was up.
    slope : Fraction
        The worst partial derivative that was found.
    point : tuple of Fraction
        Inside a region with this derivative.
    opened : int
        How many cells were opened.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> from arrangements.networks import Network, is_monotone
    >>> net = Network([([[1, 1], [1, -1]], [0, 0]), ([[2, 1]], None)])
    >>> box = Polyhedron.box(-1, 1, dimension=2)
    >>> is_monotone(net, 0, 0, within=box), is_monotone(net, 1, 0, within=box).slope
    (Monotonicity(monotone, slope 0), Fraction(-1, 1))
    """

    network: Network
    within: Polyhedron
    monotone: bool | None
    slope: Fraction
    point: Point
    opened: int
    _search: GradientSearch = field(compare=False)

    def __bool__(self) -> bool:
        return bool(self.monotone)

    @property
    def region(self) -> Region:
        """The region of the point."""
        return _region(self._search, self.point)

    def verify(self) -> bool:
        """Check the derivative at the point, and if monotone the whole proof, exactly."""
        value = self._search.kind.sign * self.slope
        bound = Fraction(0) if self.monotone else None
        return self.monotone is not None and self._search.verify(self.point, value, bound)

    def __repr__(self) -> str:
        word = {True: "monotone", False: "not monotone", None: "open"}[self.monotone]
        return f"{type(self).__name__}({word}, slope {brief_text(self.slope)})"

    def _repr_html_(self) -> str:
        word = {True: "yes", False: "no", None: "open"}[self.monotone]
        facts: list[tuple[str, Any]] = [
            ("monotone", word),
            ("worst slope", notebook.number(self.slope)),
        ]
        facts += [("at", notebook.point(self.point)), ("cells opened", self.opened)]
        return notebook.card("Monotonicity", facts)


def lipschitz_constant(
    network: Network,
    output: Any = None,
    *,
    minus: int | None = None,
    norm: str = "max",
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    time_limit: float | None = None,
) -> LipschitzConstant:
    """The Lipschitz constant of a network in a polyhedron, exact.

    Parameters
    ----------
    network : Network
    output, minus
        As in `maximum`: the function; None for all outputs, with the max-norm.
    norm : {"max", "l1"}
        Of differences of inputs.
    within : Polyhedron, or (A, c)
        The inputs that count, bounded and of full dimension.
    workers, progress, limit, time_limit
        As in `can_output`.

    Returns
    -------
    LipschitzConstant
        If time was up, its ``value`` and ``bound`` contain it.

    Raises
    ------
    InputError
        If an argument is malformed, or the polyhedron is not bounded or flat.

    See Also
    --------
    is_monotone : the sign of a partial derivative.

    Notes
    -----
    The largest dual norm of a gradient in a region that meets the interior of the polyhedron [1]_.
    Branch and bound: a cell is closed by an interval of its gradients, or because it is empty or
    flat.

    References
    ----------
    .. [1] M. Jordan, A. G. Dimakis, Exactly computing the local Lipschitz constant of ReLU
       networks, NeurIPS 2020.

    Examples
    --------
    >>> tent = Network([([[2], [4]], [0, -2]), ([[1, -1]], None)])
    >>> lipschitz_constant(tent, within=Polyhedron.box(0, 1, dimension=1)).value
    Fraction(2, 1)
    """
    check_option("norm", norm, ("max", "l1"))
    inputs = _read_full(network, within)
    n = network.n_outputs
    if output is None:
        rows = [read_function(n, k) for k in range(n)]
    else:
        rows = [read_function(n, output, minus)]
    kind = Steepness(tuple(map(tuple, rows)), norm)
    search = GradientSearch(network, inputs, kind)
    with Budget(time_limit, limit, progress, workers) as budget:
        bound = search.run(budget)
    assert search.value is not None and search.point is not None
    return LipschitzConstant(
        network, inputs.polyhedron, norm, search.value, bound, search.point, budget.opened, search
    )


def is_monotone(
    network: Network,
    input: int,
    output: Any,
    *,
    minus: int | None = None,
    decreasing: bool = False,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    time_limit: float | None = None,
) -> Monotonicity:
    """Decide whether an output never falls when an input grows, in a convex set of inputs.

    Parameters
    ----------
    network : Network
    input : int
        The number of the input that grows, from 0. It comes first, as in "from input to output":
        ``is_monotone(network, 3, 0)`` is about output 0 when input 3 grows.
    output, minus
        As in `maximum`: the number of an output, or a function of outputs.
    decreasing : bool
        Whether it shall never rise instead.
    within, workers, progress, limit, time_limit
        As in `lipschitz_constant`.

    Returns
    -------
    Monotonicity

    Raises
    ------
    InputError
        If an argument is malformed, or the polyhedron is not bounded or flat.

    Examples
    --------
    >>> net = Network([([[1], [-1]], None), ([[1, 1]], None)])
    >>> bool(is_monotone(net, 0, 0, within=Polyhedron.box(0, 1, dimension=1)))
    True
    >>> is_monotone(net, 0, 0, within=Polyhedron.box(-1, 1, dimension=1))
    Monotonicity(not monotone, slope -1)
    """
    inputs = _read_full(network, within)
    entry = check_integer("input", input)
    if not 0 <= entry < network.dimension:
        raise InputError(
            f"input is {entry}; expected the number of one of {network.dimension} inputs, from 0."
        )
    sign = 1 if check_flag("decreasing", decreasing) else -1
    kind = Steepness((tuple(read_function(network.n_outputs, output, minus)),), "", entry, sign)
    search = GradientSearch(network, inputs, kind, goal=Fraction(0))
    with Budget(time_limit, limit, progress, workers) as budget:
        bound = search.run(budget)
    assert search.value is not None and search.point is not None
    answer = False if search.value > 0 else True if bound <= 0 else None
    return Monotonicity(
        network, inputs.polyhedron, answer, sign * search.value, search.point, budget.opened, search
    )


def _read_full(network: Network, within: Any) -> Inputs:
    inputs = read_within(network, within)
    P = inputs.polyhedron
    if P.dimension < P.ambient_dimension:
        raise InputError(
            f"within is {P}; expected one of full dimension, in which regions have gradients."
        )
    return inputs


def _region(search: GradientSearch, point: Point) -> Region:
    pattern = search.network.pattern_at(np.array(point, object))
    return Region(search.network, pattern, search.domain, point)
