"""Two networks on the same inputs: where their outputs differ."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from arrangements.checks import check_instance
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_vector, as_fractions
from arrangements.exact.number_field import FieldElement
from arrangements.messages import quote
from arrangements.networks.layer import INPUT, Layer
from arrangements.networks.network import Network
from arrangements.networks.output_answers import OutputCertificate
from arrangements.networks.output_system import Condition
from arrangements.networks.output_trees import decide
from arrangements.networks.outputs import read_within
from arrangements.networks.search_tree import Budget
from arrangements.polyhedra.reading import Within


def difference_network(network: Network, other: Network) -> Network:
    """The network whose outputs are those of one network minus those of another.

    Parameters
    ----------
    network, other : Network
        Of as many inputs and outputs.

    Returns
    -------
    Network
        Its units are those of the first, then those of the second.

    Raises
    ------
    InputError
        If the numbers of inputs or outputs differ.

    See Also
    --------
    differing_input : where they differ, or the proof that they do not.

    Examples
    --------
    >>> one = Network([([[1], [-1]], None), ([[1, 1]], None)])
    >>> two = Network([([[1]], None), ([[1]], None)])
    >>> both = difference_network(one, two)
    >>> both, [str(y) for y in both.forward([-3])]
    (Network(1 input, 3 units, 1 output), ['3'])
    """
    check_instance("network", network, Network)
    check_instance("other", other, Network)
    for name, a, b in (
        ("inputs", network.dimension, other.dimension),
        ("outputs", network.n_outputs, other.n_outputs),
    ):
        if a != b:
            raise InputError(f"network has {a} {name} and other has {b}; expected the same number.")
    first = len(network.layers)
    layers = list(network.layers)
    for layer in other.layers:
        sources = tuple(s if s == INPUT else int(s) + first for s in layer.inputs or ())
        layers.append(Layer._of(layer.weights, layer.offsets, layer.slopes, sources))
    n = network.n_outputs
    W = np.hstack([np.eye(n, dtype=np.int64), -np.eye(n, dtype=np.int64)])
    ones = as_exact_vector(np.ones(n, np.int64), n)
    ends = (first - 1, first + len(other.layers) - 1)
    layers.append(Layer._of(W, np.zeros(n, np.int64), ones, ends))
    return Network(layers)


def differing_input(
    network: Network,
    other: Network,
    *,
    apart: Any = 0,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    time_limit: float | None = None,
) -> OutputCertificate:
    """Find an input where two networks differ, or prove that they are equal in a polyhedron.

    Parameters
    ----------
    network, other : Network
        Of as many inputs and outputs.
    apart : number
        How far an output may differ.
    within : Polyhedron, or (A, c)
        The inputs that count, bounded.
    workers, progress, limit, time_limit
        As in `can_output`.

    Returns
    -------
    OutputCertificate
        Its ``feasible`` is False if no output differs by more.

    Raises
    ------
    InputError
        If an argument is malformed, or the numbers of inputs or outputs differ.

    See Also
    --------
    difference_network : whose `maximum` is the largest difference.

    Notes
    -----
    Where networks are nearly equal, as after rounding, their units make many thin cells, and the
    search may take long. With two or three inputs all regions of `difference_network` are soon
    listed: its outputs have their extremes at vertices of regions.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> one = Network([([[1], [-1]], None), ([[1, 1]], None)])
    >>> two = Network([([[2]], None), ([[1]], None), Layer([[1, -1]], inputs=[1, "x"])])
    >>> box = Polyhedron.box(-1, 1, dimension=1)
    >>> differing_input(one, two, within=box).feasible
    False
    >>> differing_input(one, Network([([[1]], None), ([[1]], None)]), within=box).point
    (Fraction(-1, 1),)
    """
    both = difference_network(network, other)
    (most,) = as_fractions([apart], "apart")
    if isinstance(most, FieldElement) or most < 0:
        raise InputError(f"apart is {quote(apart)}; expected a rational number, at least 0.")
    inputs = read_within(both, within)
    cases = []
    for k in range(both.n_outputs):
        for sign in (1, -1):
            row = [Fraction(0)] * both.n_outputs + [-Fraction(most)]
            row[k] = Fraction(sign)
            cases.append((Condition(tuple(row)),))
    with Budget(time_limit, limit, progress, workers) as budget:
        found = decide(both, inputs, cases, budget)
    question = "different" if not most else f"more than {float(most):g} apart"
    P = inputs.polyhedron
    return OutputCertificate(both, P, question, found.feasible, found.point, budget.opened, found)
