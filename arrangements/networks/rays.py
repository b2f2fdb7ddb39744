"""Networks without biases: what holds at an input holds along its ray, to the end of the inputs.

So it is enough to look at the facets of a polyhedron that do not contain 0. At 0, where all units
are 0, no bound would tell anything.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

from arrangements.networks.output_system import Inputs, OutputSystem, read_inputs


def ends_of_rays(system: OutputSystem) -> list[Inputs]:
    """The facets of inputs with 0; none if multiples of a point may not meet its conditions.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> from arrangements.networks.network import Network
    >>> net = Network([([[1], [-1]], None), ([[1, 1]], None)])
    >>> inputs = read_inputs(Polyhedron.box(-1, 2, dimension=1))
    >>> [facet.low for facet in ends_of_rays(OutputSystem(net, inputs, ()))]
    [[Fraction(-1, 1)], [Fraction(2, 1)]]
    """
    return facets(system.inputs) if _has_rays(system) else []


def _has_rays(system: OutputSystem) -> bool:
    network, inputs, conditions = system
    equations = inputs.rows[len(inputs.rows) - inputs.n_equations :]
    return (
        inputs.ball is None
        and not any(layer.offsets.any() for layer in network.layers)
        and all(condition.row[-1] <= 0 for condition in conditions)
        and (not conditions or any(condition.strict for condition in conditions))
        and not any(row[-1] for row in equations)
        and inputs.contains([Fraction(0)] * network.dimension)
    )


def facets(inputs: Inputs) -> list[Inputs]:
    """The inputs on each side of a polyhedron that rays from 0 may meet."""
    given, found = read_inputs(inputs.polyhedron), []
    for i, ends in enumerate(zip(given.low, given.high, strict=True)):
        for end, side in zip(ends, (-1, 1), strict=True):
            if 0 < side * end < inf:
                low, high = inputs.low.copy(), inputs.high.copy()
                low[i] = high[i] = end
                found.append(inputs._replace(low=low, high=high))
    for j, row in enumerate(inputs.rows):
        if row[-1] > 0:  # not an equation: these go through 0
            found.append(inputs._replace(tight=j))
    return found
