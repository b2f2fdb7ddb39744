"""Properties in the sense of VNN-LIB: inputs with forbidden outputs."""

from __future__ import annotations

from fractions import Fraction

from arrangements.checks import check_instance
from arrangements.errors import InputError
from arrangements.exact.numbers import as_objects
from arrangements.exchange.vnnlib import NetworkProperty
from arrangements.networks.input_bounds import bounded_inputs
from arrangements.networks.network import Network
from arrangements.networks.output_answers import OutputCertificate
from arrangements.networks.output_system import Condition
from arrangements.networks.output_trees import decide
from arrangements.networks.search_tree import Budget
from arrangements.polyhedra.polyhedron import Polyhedron


def counterexamples(
    network: Network,
    property: NetworkProperty,
    *,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    time_limit: float | None = None,
) -> tuple[OutputCertificate, ...]:
    """Decide whether some input is a counterexample to a property, with exact proofs.

    Parameters
    ----------
    network : Network
    property : NetworkProperty
        As `from_vnnlib` reads it; its inputs are bounded.
    workers, progress, limit, time_limit
        As in `can_output`.

    Returns
    -------
    tuple of OutputCertificate
        One for each polyhedron of inputs. The property holds if all are infeasible; if one is
        feasible, its `point` is a counterexample.

    Raises
    ------
    InputError
        If an argument is malformed, or does not fit the network.

    See Also
    --------
    can_output : classes, label sets, rankings and signs.
    arrangements.exchange.from_vnnlib : reads a property.

    Examples
    --------
    >>> from arrangements.exchange import from_vnnlib
    >>> net = Network([([[1], [-1]], None), ([[1, 1], [0, 0]], [0, 1])])
    >>> text = "(declare-const X_0 Real) (declare-const Y_0 Real) (declare-const Y_1 Real)"
    >>> text += "(assert (<= X_0 {})) (assert (>= X_0 -0.5)) (assert (>= Y_0 Y_1))"
    >>> counterexamples(net, from_vnnlib(text.format(0.75)))
    (OutputCertificate('in case 0', infeasible, 1 cell opened),)
    >>> [found] = counterexamples(net, from_vnnlib(text.format(1)))
    >>> found.feasible, found.point, found.verify()
    (True, (Fraction(1, 1),), True)
    """
    check_instance("network", network, Network)
    check_instance("property", property, NetworkProperty)
    groups: dict[int, tuple[Polyhedron, list[int]]] = {}
    for number, case in enumerate(property.cases):
        sizes = case.inputs.ambient_dimension, case.outputs.ambient_dimension
        if sizes != (network.dimension, network.n_outputs):
            raise InputError(
                f"property is about {sizes[0]} inputs and {sizes[1]} outputs; expected "
                f"{network.dimension} and {network.n_outputs}, those of the network."
            )
        groups.setdefault(id(case.inputs), (case.inputs, []))[1].append(number)
    found = []
    with Budget(time_limit, limit, progress, workers) as budget:
        for P, numbers in groups.values():
            before = budget.opened
            cases = [_conditions(property.cases[k].outputs) for k in numbers]
            decision = decide(network, bounded_inputs(P), cases, budget)
            listed = ", ".join(map(str, numbers[:4])) + (", .." if len(numbers) > 4 else "")
            question = f"in case {listed}"
            opened = budget.opened - before
            found.append(
                OutputCertificate(
                    network, P, question, decision.feasible, decision.point, opened, decision
                )
            )
    return tuple(found)


def _conditions(outputs: Polyhedron) -> tuple[Condition, ...]:
    """``A @ y <= c`` as conditions that ``c - A @ y`` is not negative; equations are two each."""
    found = []
    for (A, c), signs in (outputs.inequalities, (1,)), (outputs.equations, (1, -1)):
        for row, end in zip(as_objects(A).tolist(), as_objects(c).tolist(), strict=True):
            for sign in signs:
                form = (*(-sign * Fraction(entry) for entry in row), sign * Fraction(end))
                found.append(Condition(form, strict=False))
    return tuple(found)
