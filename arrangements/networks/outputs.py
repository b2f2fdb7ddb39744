"""Questions about the outputs of a network in a polyhedron: can they be so, how large are they."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements.checks import as_list, check_instance, check_integer
from arrangements.core.signs import as_signs, open_signs, sign_text
from arrangements.errors import InputError
from arrangements.exact.coercion import as_fractions, axes_of
from arrangements.exact.numbers import check_rational
from arrangements.messages import quote
from arrangements.networks.cell_bounds import CellBounds
from arrangements.networks.input_bounds import bounded_inputs
from arrangements.networks.network import Network
from arrangements.networks.output_answers import OutputCertificate, OutputOptimum
from arrangements.networks.output_bounds import check_weights
from arrangements.networks.output_search import Search
from arrangements.networks.output_system import (
    Condition,
    Inputs,
    OutputSystem,
    margin,
)
from arrangements.networks.output_trees import Decision, base_of, decide
from arrangements.networks.search_tree import Budget
from arrangements.polyhedra.reading import Within, read_polyhedron

_STARTS = 32


def can_output(
    network: Network,
    label: int | None = None,
    *,
    on: Iterable[int] | None = None,
    ranking: Iterable[int] | None = None,
    signs: Any = None,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    time_limit: float | None = None,
) -> OutputCertificate:
    """Decide whether some input has a class, label set, ranking or signs, with an exact proof.

    Parameters
    ----------
    network : Network
    label : int
        The class: this output shall be larger than all others. Of a single output, 1 is where it is
        positive, and 0 where it is negative.
    on : iterable of int
        A label set: these outputs shall be positive, all others negative.
    ranking : iterable of int
        The first labels in their order: each of these outputs larger than the next, and the last of
        them larger than all that are not named.
    signs : (n,) sequence of -1, 0, 1 and None, or str of "-", "0", "+" and "*"
        Signs of the outputs; None and "*" stand for any. One of the four is given.
    within : Polyhedron, or (A, c)
        The inputs that count, bounded; its boundary belongs to them.
    workers : int
        Processes that open cells, if there are more than a few. The answer is the same for any
        number.
    progress : bool
        Show a bar on standard error that counts cells.
    limit : int, optional
        Stop after this many cells; then ``feasible`` is None if nothing is known.
    time_limit : float, optional
        Stop after this many seconds, about.

    Returns
    -------
    OutputCertificate
        With ``feasible``, a point or a proof, and ``verify()``.

    Raises
    ------
    InputError
        If an argument is malformed, or the polyhedron is not bounded.

    See Also
    --------
    maximum : by how much an output can exceed another one.

    Notes
    -----
    Exact. Branch and bound over the signs of units: a cell is closed where a weighted sum of the
    conditions, with each unit replaced by a multiple of its input, is negative everywhere [1]_
    [2]_.
    The multiples come from interval bounds and linear programs in floating point; any multiples
    prove something, so nothing depends on rounding. A cell takes a millisecond or ten; how many
    there are can grow like 2^units.

    References
    ----------
    .. [1] E. Wong, J. Z. Kolter, Provable defenses against adversarial examples via the convex
       outer adversarial polytope, ICML 2018.
    .. [2] S. Wang et al., Beta-CROWN: Efficient bound propagation with per-neuron split
       constraints for neural network robustness verification, NeurIPS 2021.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> net = Network([([[1, 0], [0, 1]], None), ([[1, 0], [0, 1], [-1, -1]], [0, 0, 0.5])])
    >>> box = Polyhedron.box(-1, 1, dimension=2)
    >>> [can_output(net, k, within=box).feasible for k in range(3)]
    [True, True, True]
    >>> can_output(net, on=[0, 1, 2], within=box).point is not None
    True
    >>> can_output(net, signs="++-", within=box).point is not None
    True
    """
    inputs = read_within(network, within)
    case, question = _read_question(network.n_outputs, label, on, ranking, signs)
    with Budget(time_limit, limit, progress, workers) as budget:
        found = decide(network, inputs, [case], budget)
    P = inputs.polyhedron
    return OutputCertificate(
        network, P, question, found.feasible, found.point, budget.opened, found
    )


def maximum(
    network: Network,
    output: int | ArrayLike,
    *,
    minus: int | None = None,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    time_limit: float | None = None,
) -> OutputOptimum:
    """The largest value of an output, a margin or any affine function of outputs, exact.

    Parameters
    ----------
    network : Network
    output : int, or (n_outputs,) or (n_outputs + 1,) array_like
        An output, or weights of all outputs, perhaps with a constant after them.
    minus : int, optional
        The margin of the output before this one.
    within, workers, progress, limit, time_limit
        As in `can_output`.

    Returns
    -------
    OutputOptimum
        With an exact ``value``, ``point``, ``region`` and ``verify()``. If time was up, ``bound``
        is what no input exceeds.

    Raises
    ------
    InputError
        If an argument is malformed, or the polyhedron is empty or not bounded.

    See Also
    --------
    minimum : the least value.

    Notes
    -----
    As `can_output`, with the best value so far in place of 0; the last region is an exact linear
    program.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> net = Network([([[1, 1], [1, -1]], [0, -1]), ([[1, -3], [0, 1]], None)])
    >>> box = Polyhedron.box(-1, 1, dimension=2)
    >>> best = maximum(net, 0, minus=1, within=box)
    >>> str(best.value), [str(x) for x in best.point], best.region.pattern.tolist()
    ('2', ['1', '1'], [1, -1])
    """
    return _optimum(network, output, minus, within, 1, Budget(time_limit, limit, progress, workers))


def minimum(
    network: Network,
    output: int | ArrayLike,
    *,
    minus: int | None = None,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    time_limit: float | None = None,
) -> OutputOptimum:
    """The least value of an output, a margin or any affine function of outputs, exact.

    Parameters
    ----------
    network, output, minus, within, workers, progress, limit, time_limit
        As in `maximum`.

    Returns
    -------
    OutputOptimum

    See Also
    --------
    maximum : the largest value.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> net = Network([([[1, 1], [1, -1]], [0, -1]), ([[1, -3], [0, 1]], None)])
    >>> minimum(net, 0, within=Polyhedron.box(-1, 1, dimension=2)).value
    Fraction(-3, 1)
    """
    return _optimum(
        network, output, minus, within, -1, Budget(time_limit, limit, progress, workers)
    )


def _optimum(
    network: Network,
    output: Any,
    minus: int | None,
    within: Within | None,
    sign: int,
    budget: Budget,
) -> OutputOptimum:
    inputs = read_within(network, within)
    row = [sign * x for x in read_function(network.n_outputs, output, minus)]
    if inputs.polyhedron.is_empty:
        raise InputError(f"within is {inputs.polyhedron}; expected one with points.")
    with budget:
        value, bound, decision = maximize(network, inputs, row, budget)
    assert decision.point is not None
    P, largest = inputs.polyhedron, sign > 0
    return OutputOptimum(
        network, P, sign * value, sign * bound, decision.point, budget.opened, largest, decision
    )


def maximize(
    network: Network, inputs: Inputs, row: Sequence[Fraction], budget: Budget
) -> tuple[Fraction, Fraction, Decision]:
    """The largest value of an affine function of outputs, a bound, and their proof.

    The proof is about the condition that a value is larger.
    """
    whole = CellBounds(OutputSystem(network, inputs, (Condition(tuple(row)),)))
    base = base_of(whole)
    search = Search(whole.system, improve=True, base=base.cell, floats=whole.floats)
    for x in _starts(inputs, search):
        search.climb(x, budget)
    ended = budget.run(search)
    assert search.value is not None and search.point is not None
    start = float(whole.floats.of_outputs(search.rows, *base.cell.ends()).values[0])
    bound = search.value if ended else max(search.value, Fraction(min(start, search.upper)))
    more = Condition((*row[:-1], row[-1] - search.value))
    decision = Decision(
        network,
        inputs,
        ((more,),),
        False if ended else None,
        None,
        search.point,
        base,
        [search.root],
    )
    return search.value, bound, decision


def _starts(inputs: Inputs, search: Search) -> list[Any]:
    """Two points to begin with: one inside, and the best of some random ones in the box."""
    middle = inputs.polyhedron.interior_point
    assert middle is not None
    rng = np.random.default_rng(0)
    low, high = search.whole.floats.low, search.whole.floats.high
    X = low + (high - low) * rng.uniform(size=(_STARTS, len(low)))
    values = search.system.network.float_forward(X) @ search.rows[0, :-1]
    best = X[values.argmax()]
    point: list[Any] = [
        min(max(Fraction(x), a), b)
        for x, a, b in zip(best.tolist(), inputs.low, inputs.high, strict=True)
    ]
    return [middle, tuple(map(Fraction, point))] if inputs.contains(point) else [middle]


# ------------------------------------------------------------------ arguments


def read_within(network: Network, within: Any) -> Inputs:
    """The inputs in a bounded polyhedron."""
    check_instance("network", network, Network)
    if within is None:
        raise InputError(
            "within is None; expected a bounded polyhedron, such as Polyhedron.box(low, high)."
        )
    return bounded_inputs(read_polyhedron(within, network))


def read_function(n: int, output: Any, minus: int | None = None) -> list[Fraction]:
    """Weights of n outputs and a constant.

    Examples
    --------
    >>> list(map(str, read_function(3, 0, 2)))
    ['1', '0', '-1', '0']
    """
    if axes_of(output) == 0 and not isinstance(output, (str, bytes)):
        row = [Fraction(0)] * (n + 1)
        row[check_label("output", output, n)] = Fraction(1)
    else:
        given = as_fractions(output, "output")
        check_rational("output", given)
        row = list(map(Fraction, given))
        if len(row) not in (n, n + 1):
            raise InputError(
                f"output has {len(row)} entries; expected the number of an output, or {n} "
                f"weights, or {n + 1} with a constant last."
            )
        row += [Fraction(0)] * (n + 1 - len(row))
    if minus is not None:
        row[check_label("minus", minus, n)] -= 1
    check_weights(row)
    return row


def check_label(name: str, label: Any, n: int, of: str = "outputs") -> int:
    """The number of an output, or of a class.

    Examples
    --------
    >>> check_label("label", 3, 2)
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: label is 3; expected the number of one of 2 outputs, from 0.
    """
    found = check_integer(name, label)
    if not 0 <= found < n:
        raise InputError(
            f"{name} is {quote(label)}; expected the number of one of {n} {of}, from 0."
        )
    return found


def _read_question(
    n: int, label: Any, on: Any, ranking: Any, signs: Any
) -> tuple[tuple[Condition, ...], str]:
    """Conditions, and the question as text."""
    given = [x is not None for x in (label, on, ranking, signs)]
    if sum(given) != 1:
        raise InputError(f"{sum(given)} of label, on, ranking and signs were given; expected one.")
    if label is not None:
        k = check_label("label", label, max(n, 2), "classes")
        return tuple(margin(n, k, j) for j in range(max(n, 2)) if j != k), str(k)
    if ranking is not None:
        order = [
            check_label("ranking", x, n) for x in as_list("ranking", ranking, "labels in order")
        ]
        if not order or len(set(order)) < len(order):
            raise InputError(f"ranking is {quote(ranking)}; expected labels, each at most once.")
        rest = [j for j in range(n) if j not in order]
        pairs = [*zip(order, order[1:], strict=False), *((order[-1], j) for j in rest)]
        return tuple(margin(n, i, j) for i, j in pairs), f"ranking {', '.join(map(str, order))}"
    if on is not None:
        labels = {check_label("on", x, n) for x in as_list("on", on, "labels")}
        wanted: list[int | None] = [1 if j in labels else -1 for j in range(n)]
        question = f"on {', '.join(map(str, sorted(labels)))}" if labels else "on nothing"
    else:
        wanted = list(open_signs(as_signs(signs, n, partial=True)))
        question = sign_text(wanted)
    conditions: list[Condition] = []
    for j, sign in enumerate(wanted):
        for factor in () if sign is None else (sign,) if sign else (1, -1):
            row = [Fraction(0)] * (n + 1)
            row[j] = Fraction(factor)
            conditions.append(Condition(tuple(row), bool(sign)))
    return tuple(conditions), question
