"""Answers about the outputs of a network as lines of a file that `network_checker` proves."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from fractions import Fraction
from math import inf
from typing import Any

from arrangements.errors import InputError
from arrangements.exact.numbers import append_column, fractions
from arrangements.files.atomic import atomic_write
from arrangements.networks.network import Network
from arrangements.networks.output_answers import OutputCertificate, OutputOptimum, RobustRadius
from arrangements.networks.output_search import Lemma, Node
from arrangements.networks.output_system import Inputs, Proof, read_inputs
from arrangements.networks.output_trees import Case, Decision

NetworkAnswer = OutputCertificate | OutputOptimum | RobustRadius


def write_network_certificate(answer: NetworkAnswer, path: str | os.PathLike[str]) -> None:
    """Write an answer with its proof.

    Raises
    ------
    InputError
        If time was up before it was decided.
    """
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in _lines(answer))
    with atomic_write(path) as stream:
        stream.write(text.encode("ascii"))


def _lines(answer: NetworkAnswer) -> Iterator[Any]:
    decision = answer._decision
    if decision is None or (decision.feasible is None):
        raise InputError(f"{answer!r} is not decided; ask again with more time.")
    yield {"certificate": "arrangements network", "version": 1}
    yield from _network(answer.network)
    yield _inputs(decision.inputs)
    if isinstance(answer, OutputOptimum):
        (row, _), *_ = decision.cases[0]
        row = (*row[:-1], row[-1] + (answer.value if answer.largest else -answer.value))
        value = answer.value if answer.largest else -answer.value
        claim = {"claim": "largest", "row": _numbers(row), "value": _number(value)}
        yield {**claim, "point": _numbers(answer.point)}
    elif isinstance(answer, RobustRadius):
        decided = answer.lower == answer.upper and answer.point is not None
        point = _numbers(answer.point) if decided and answer.point is not None else None
        yield {"claim": "radius", "label": answer.label, "point": point}
    elif answer.feasible:
        assert answer.point is not None and decision.case is not None
        case = _case(decision.cases[decision.case])
        yield {"claim": "point", "cases": [case], "point": _numbers(answer.point)}
    else:
        yield {"claim": "none", "cases": [_case(case) for case in decision.cases]}
    if not decision.feasible:
        yield from _trees(decision, answer)
    yield {"end": 1}


def _trees(decision: Decision, answer: NetworkAnswer) -> Iterator[Any]:
    """The base, then the nodes of the trees of all cases, in the order of the claim."""
    yield {"lemmas": [_lemma(lemma) for lemma in decision.base.lemmas]}
    trees = list(zip(decision.cases, decision.trees, strict=True))
    if isinstance(answer, RobustRadius):  # the checker takes the other outputs in ascending order
        trees.sort(key=lambda item: item[0][0].row.index(1))
    for _, tree in trees:
        for node in tree.nodes():
            yield _node(node)


def _node(node: Node) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if node.lemmas:
        fields["lemmas"] = [_lemma(lemma) for lemma in node.lemmas]
    if node.children is not None:
        fields["split"] = node.unit
    elif node.proof is not None:
        fields["proof"] = _proof(node.proof)
    return fields


def _lemma(lemma: Lemma) -> list[Any]:
    units = _pairs(lemma.multiples)
    return [lemma.unit, lemma.side, _number(lemma.value), units, _number(lemma.ball)]


def _proof(proof: Proof) -> dict[str, Any]:
    return {
        "units": _pairs(proof.units),
        "conditions": _pairs(proof.conditions),
        "rows": _pairs(proof.rows),
        "ball": _number(proof.ball),
    }


def _network(network: Network) -> Iterator[Any]:
    yield {"inputs": network.dimension, "layers": len(network.layers)}
    for k, layer in enumerate(network.layers):
        first = network.starts[k]
        slopes = [_number(s) for s in network.unit_slopes[first : first + layer.n_units]]
        rows = [_numbers(fractions(row)) for row in append_column(layer.weights, layer.offsets)]
        yield {"sources": list(layer.inputs or ()), "slopes": slopes or None, "rows": rows}


def _inputs(inputs: Inputs) -> dict[str, Any]:
    given = read_inputs(inputs.polyhedron)
    m = len(inputs.rows) - inputs.n_equations
    ball: dict[str, Any] | None = None
    if (b := inputs.ball) is not None:
        ball = {"center": _numbers(b.center), "radius": _number(b.radius)}
        ball |= {"norm": b.norm, "open": b.is_open}
    return {
        "low": [None if x == -inf else _number(x) for x in given.low],
        "high": [None if x == inf else _number(x) for x in given.high],
        "rows": [_numbers(row) for row in inputs.rows[:m]],
        "equations": [_numbers(row) for row in inputs.rows[m:]],
        "sides": [[i, side, _number(v), _pairs(w)] for i, side, v, w in inputs.lemmas],
        "ball": ball,
    }


def _case(case: Case) -> list[Any]:
    return [[_numbers(condition.row), condition.strict] for condition in case]


def _pairs(values: Any) -> list[Any]:
    return [[int(i), _number(x)] for i, x in sorted(values.items())]


def _numbers(values: Any) -> list[Any]:
    return [_number(x) for x in values]


def _number(value: Any) -> int | str:
    """Whole, a float in hexadecimal, or p/q; in hexadecimal if it is long."""
    exact = Fraction(value)
    if exact.denominator == 1 and abs(exact.numerator) < 2**14_000:
        return exact.numerator
    p, q = exact.numerator, exact.denominator
    if q & (q - 1) == 0 and abs(p) < 2**53 and q < 2**1000:
        return float(exact).hex()
    if max(abs(p), q) < 2**14_000:
        return f"{p}/{q}"
    return f"{hex(p)}/{hex(q)}"
