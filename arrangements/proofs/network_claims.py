"""Answers about the outputs of a network as lines of a file that `network_checker` proves."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

from arrangements.errors import InputError
from arrangements.exact.numbers import append_column, fractions
from arrangements.files.atomic import atomic_write
from arrangements.messages import quote
from arrangements.networks.decision_set import DecisionRegions
from arrangements.networks.gradient_search import Steepness
from arrangements.networks.gradients import LipschitzConstant, Monotonicity
from arrangements.networks.layer import INPUT
from arrangements.networks.network import Network, Point
from arrangements.networks.output_answers import OutputCertificate, OutputOptimum, RobustRadius
from arrangements.networks.output_system import Inputs, Proof, margin, read_inputs
from arrangements.networks.output_trees import Case
from arrangements.networks.outputs import can_output
from arrangements.networks.search_tree import Lemma, Node

_Single = OutputCertificate | OutputOptimum | RobustRadius | LipschitzConstant | Monotonicity
NetworkAnswer = _Single | DecisionRegions


def write_network_certificate(answer: NetworkAnswer, path: str | os.PathLike[str]) -> None:
    """Write an answer with its proof.

    Raises
    ------
    InputError
        If time was up before it was decided, or the name is that of a compressed file, or of
        decision regions an output is nowhere the largest in a polyhedron that is not bounded.
    """
    if os.fspath(path).endswith(".gz"):
        name = quote(os.fspath(path))
        raise InputError(
            f"{name} ends in .gz; files about networks are not compressed: leave it out."
        )
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in _lines(answer))
    with atomic_write(path) as stream:
        stream.write(text.encode("ascii"))


def _lines(answer: NetworkAnswer) -> Iterator[Any]:
    if isinstance(answer, DecisionRegions):
        claims = _class_claims(answer)
    else:
        proof = _claim_of(answer)
        if proof is None:
            raise InputError(f"{answer!r} is not decided; ask again with more time.")
        claims = [(repr(answer), proof)]
    units = _Units(answer.network, claims[0][1].inputs)
    yield {"certificate": "arrangements network", "version": 1}
    yield from units.lines()
    for text, proof in claims:
        yield from _claim_lines(text, proof, units)
    yield {"end": len(claims)}


def _claim_lines(text: str, proof: _Claim, units: _Units) -> Iterator[Any]:
    """A claim with its proof."""
    gradient = None
    if (kind := proof.steep) is not None:
        rows = [units.outputs([kind.sign * x for x in row[:-1]]) for row in kind.rows]
        norm = kind.norm or kind.entry
        gradient = {"rows": rows, "norm": norm, "value": _number(proof.value)}
    yield {
        "claim": text,
        "point": None if proof.point is None else _numbers(proof.point),
        "conditions": units.case(proof.conditions),
        "cases": [units.case(case) for case in proof.cases],
        "gradient": gradient,
    }
    if proof.cases:
        assert proof.base is not None
        lemmas = [units.lemma(lemma) for lemma in proof.base.lemmas]
        yield {"lemmas": units.sides(proof.inputs) + lemmas}
    for tree in proof.trees:
        for node in tree.nodes():
            yield units.node(node)


class _Claim(NamedTuple):
    """A point that meets conditions, and trees that prove that nothing meets those of any case.

    With `steep`, a point in a region whose gradient has a value, and a tree that proves that no
    region has a larger one.
    """

    inputs: Inputs
    base: Node | None
    point: Point | None
    conditions: Case
    cases: Sequence[Case]
    trees: Sequence[Node]
    steep: Steepness | None = None
    value: Fraction = Fraction(0)


def _claim_of(answer: _Single) -> _Claim | None:
    """The claim of an answer, None if it is not decided."""
    if isinstance(answer, LipschitzConstant | Monotonicity):
        return _gradient_claim(answer)
    decision = answer._decision
    if decision is None or decision.feasible is None:
        return None
    point: Point | None = None
    conditions: Case = ()
    if isinstance(answer, OutputOptimum):
        ((condition,),) = decision.cases
        point, conditions = answer.point, (condition._replace(strict=False),)
    elif isinstance(answer, RobustRadius):
        if answer.lower == answer.upper and answer.point is not None:
            assert answer.other is not None
            point = answer.point
            conditions = (margin(answer.network.n_outputs, answer.other, answer.label, False),)
    elif answer.feasible:
        assert decision.case is not None
        point, conditions = answer.point, decision.cases[decision.case]
    cases = () if decision.feasible else decision.cases
    return _Claim(decision.inputs, decision.base, point, conditions, cases, decision.trees)


def _class_claims(found: DecisionRegions) -> list[tuple[str, _Claim]]:
    """That each class of an output occurs, by a point of a piece, or does not."""
    if not found.complete or found.within is None:
        why = "is not complete; ask again with more time" if found.within else "has no inputs"
        raise InputError(f"{found!r} {why}.")
    inputs, n = read_inputs(found.within), found.network.n_outputs
    claims = []
    for k in range(max(n, 2)):
        case: Case = tuple(margin(n, k, j) for j in range(max(n, 2)) if j != k)
        pieces = (found.labels == k).nonzero()[0]
        if len(pieces):
            claim = _Claim(inputs, None, found[int(pieces[0])].point, case, (), ())
        else:
            answer = can_output(found.network, k, within=found.within)
            decided = _claim_of(answer)
            assert decided is not None
            claim = decided
        word = "occurs" if len(pieces) else "does not occur"
        claims.append((f"class {k} {word}", claim))
    return claims


def _gradient_claim(answer: LipschitzConstant | Monotonicity) -> _Claim | None:
    search = answer._search
    if isinstance(answer, Monotonicity):
        if answer.monotone is None:
            return None
        point = None if answer.monotone else answer.point
        value = Fraction(0) if answer.monotone else search.kind.sign * answer.slope
        closed = answer.monotone
    else:
        point, value, closed = answer.point, answer.value, answer.bound == answer.value
        if not closed:
            return None
    cases: list[Case] = [()] if closed else []
    trees = [search.root] if closed else []
    return _Claim(search.inputs, search.base, point, (), cases, trees, search.kind, value)


class _Units:
    """The units of a file: inputs, linear ones for rows of the polyhedron, then those of layers."""

    def __init__(self, network: Network, inputs: Inputs) -> None:
        self.network, self.inputs = network, inputs
        self.rows = range(network.dimension, network.dimension + len(inputs.rows))
        self.layers: dict[Any, range] = {INPUT: range(network.dimension)}
        self.size = self.rows.stop
        for k, layer in enumerate(network.layers):
            self.layers[k] = range(self.size, self.size + layer.n_outputs)
            self.size += layer.n_outputs
        self.numbers = [self.layers[k][i] for k, i in network.units]

    def lines(self) -> Iterator[Any]:
        """The network, and which inputs count."""
        network, inputs = self.network, self.inputs
        yield {"inputs": network.dimension, "units": self.size}
        for row in inputs.rows:
            yield [_pairs(enumerate(row[:-1])), 0, None]
        for k, layer in enumerate(network.layers):
            sources = [j for source in layer.inputs or () for j in self.layers[source]]
            slopes = [] if layer.is_linear else network.unit_slopes[network.starts[k] :]
            for i, row in enumerate(append_column(layer.weights, layer.offsets)):
                *weights, offset = fractions(row)
                merged: dict[int, Fraction] = {}
                for j, w in zip(sources, weights, strict=True):
                    merged[j] = merged.get(j, Fraction(0)) + w
                slope = None if layer.is_linear else _number(slopes[i])
                yield [_pairs(merged.items()), _number(offset), slope]
        yield {"bounds": self._bounds(), "ball": self._ball()}

    def _bounds(self) -> list[Any]:
        given = read_inputs(self.inputs.polyhedron)
        bounds = [[_end(a), _end(b)] for a, b in zip(given.low, given.high, strict=True)]
        first_equation = len(self.inputs.rows) - self.inputs.n_equations
        for i, row in enumerate(self.inputs.rows):
            bounds.append([None if i < first_equation else _number(row[-1]), _number(row[-1])])
        return bounds

    def _ball(self) -> dict[str, Any] | None:
        if (ball := self.inputs.ball) is None:
            return None
        center, radius = _numbers(ball.center), _number(ball.radius)
        return {"center": center, "radius": radius, "norm": ball.norm, "open": ball.is_open}

    def sides(self, inputs: Inputs) -> list[Any]:
        """Lemmas: sides of the box that follow from rows."""
        return [
            [i, side, _number(value), self.proof(Proof({}, {}, weights))]
            for i, side, value, weights in inputs.lemmas
        ]

    def outputs(self, weights: Sequence[Any]) -> list[Any]:
        """Weights of the outputs."""
        return _pairs(zip(self.layers[len(self.network.layers) - 1], weights, strict=True))

    def case(self, case: Case) -> list[Any]:
        """Conditions."""
        return [[self.outputs(row[:-1]), _number(row[-1]), strict] for row, strict in case]

    def node(self, node: Node) -> dict[str, Any]:
        """A node of a tree."""
        fields: dict[str, Any] = {}
        if node.lemmas:
            fields["lemmas"] = [self.lemma(lemma) for lemma in node.lemmas]
        proof = node.proof
        if node.unit is not None:
            fields["split"] = self.numbers[node.unit]
        elif node.children:
            fields["rays"] = True
        elif proof is not None and not node.is_empty and (any(proof[:3]) or proof.ball):
            fields["proof"] = self.proof(proof)
        return fields

    def lemma(self, lemma: Lemma) -> list[Any]:
        """A bound of a unit."""
        proof = self.proof(Proof(lemma.multiples, ball=lemma.ball))
        return [self.numbers[lemma.unit], lemma.side, _number(lemma.value), proof]

    def proof(self, proof: Proof) -> dict[str, Any]:
        """Multiples of units; those of rows and of conditions are minus and plus their weights."""
        multiples = {self.numbers[u]: g for u, g in proof.units.items()}
        multiples |= {self.rows[i]: -w for i, w in proof.rows.items()}
        multiples |= {self.size + i: w for i, w in proof.conditions.items()}
        return {"units": _pairs(sorted(multiples.items())), "ball": _number(proof.ball)}


def _pairs(values: Iterable[tuple[int, Any]]) -> list[Any]:
    """All that are not 0, with their numbers."""
    return [[int(i), _number(x)] for i, x in values if x]


def _numbers(values: Iterable[Any]) -> list[Any]:
    return [_number(x) for x in values]


def _end(value: Fraction | float) -> int | str | None:
    return None if abs(value) == inf else _number(value)


def _number(value: Any) -> int | str:
    """Whole, or p/q; in hexadecimal if that is shorter to read."""
    exact = Fraction(value)
    p, q = exact.numerator, exact.denominator
    if q == 1 and abs(p) < 2**64:
        return p
    return f"{p}/{q}" if max(abs(p), q) < 2**32 else f"{hex(p)}/{hex(q)}"
