"""Claims of a certificate file: single questions, whole sets, and the examples of the paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arrangements.certificates.certificate import Certificate
from arrangements.certificates.certificate_table import Certificates
from arrangements.certificates.many import certify
from arrangements.certificates.top_certificate import TopCertificate
from arrangements.core.arrangement import Arrangement
from arrangements.core.score_model import ScoreModel
from arrangements.core.signs import sign_text
from arrangements.enumeration.chambers import count_chambers
from arrangements.enumeration.rankings import count_rankings
from arrangements.errors import InputError, TooLargeError
from arrangements.exact.numbers import (
    ExactArray,
    append_column,
    as_objects,
    exactly_equal,
    integer_rows,
    negative,
    stack_rows,
)
from arrangements.feasibility.batch import FeasibilityBatch
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.files.lines import sign_lines
from arrangements.messages import quote
from arrangements.optimize.objectives import Costs
from arrangements.optimize.optimum import Optimum
from arrangements.optimize.subsystems import Subsystem
from arrangements.paper import examples
from arrangements.paper.cosines import same_cosines
from arrangements.paper.examples import ModelPair, TieExample
from arrangements.paper.verification import Result
from arrangements.polyhedra.double_description import cone_of
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.proofs.certificate_file import CertificateFile, Of, Proof
from arrangements.proofs.points import chamber_points, homogeneous, ranking_points
from arrangements.sets import packed
from arrangements.sets.packed import Words
from arrangements.sets.rankings import Rankings
from arrangements.sets.sign_vectors import SignVectors

if TYPE_CHECKING:
    from sympy import ImmutableMatrix

Single = Certificate | TopCertificate
System = tuple[ExactArray, ExactArray | None]

# Rows that are written at a time.
_BLOCK = 4096
# More vertices and rays of a polyhedron keep the checker busy for minutes.
_MOST_GENERATORS = 1024

# The statements about fixed numbers; the others are checked on random matrices.
_EXAMPLES: dict[str, Callable[[], ModelPair | TieExample]] = {
    "Appendix C.1": examples.unrestricted,
    "Appendix C.2": examples.centered,
    "Appendix C.3": examples.centered_unit_length,
    "Theorem 5.5": examples.shortened_row,
    "Theorem H.1": examples.bjorner,
}


def write_certificates(file: CertificateFile, proofs: Iterable[Single | Certificates]) -> None:
    """Claim the answers to questions about one matrix; those that are undecided are left out."""
    certificates: list[Any] = []
    for answer in proofs:
        certificates += answer[answer.decided] if isinstance(answer, Certificates) else [answer]
    if not certificates:
        raise InputError("none of the questions is decided, so there is no answer to write.")
    systems = [_systems(certificate) for certificate in certificates]
    if not all(_same_systems(systems[0], other) for other in systems):
        raise InputError("the certificates are about different numbers; write a file for each.")
    rows: dict[Of, dict[str, tuple[Any, Proof]]] = {"sign vectors": {}, "rankings": {}}
    for certificate in certificates:
        if not certificate.verify():
            raise InputError(f"{certificate!r} proves nothing: its verify() is False.")
        if isinstance(certificate, Certificate):
            signs = sign_text(certificate.signs)
            rows["sign vectors"][signs] = signs, _sign_proof(certificate)
        else:
            top = _levels(certificate.top, certificate.ordered)
            rows["rankings"][str(top)] = top, _top_proof(certificate)
    file.input("W", *systems[0]["W"])
    others = _write_others(file, certificates[0], systems[0])
    for of, found in rows.items():
        if found:
            file.claim("answers", ["W"], of=of, rows=len(found), others=others)
        for question, proof in sorted(found.values(), key=lambda row: row[0]):
            file.row(question, proof)


def write_optimum(file: CertificateFile, optimum: Optimum) -> None:
    """Claim the best value of all chambers, with a tree that proves it."""
    if isinstance(optimum, Subsystem) and optimum._strict is not None:
        optimum = optimum._strict  # the chambers of rows that are at least 0
    costs, arrangement = optimum._objective, optimum.certificate.arrangement
    if not isinstance(costs, Costs):
        raise InputError(
            f"{optimum!r} has a value by a function; expected costs, of which a file has a proof."
        )
    tree = optimum._tree()
    if tree is None:
        raise InputError(f"{optimum!r} is not the best; search again, with more time.")
    write_input(file, "W", arrangement)
    others = write_polyhedron(file, optimum.within)
    note = "the costs of + and of - at each row of W"
    file.input("C", *_prices(costs), note=note)
    says = "least value" if optimum._factor == 1 else "largest value"
    file.claim(says, ["W"], others=others, costs="C", value=optimum.value)
    file.row(sign_text(optimum.certificate.signs), homogeneous(optimum.point))
    for node in tree.nodes:
        if isinstance(node, int):
            file.division(node)
        else:
            file.leaf((size / costs.denominator, _sign_proof(proof)) for size, proof in node)


def _prices(costs: Costs) -> System:
    """Costs of + and of - as the columns of an input."""
    on = [Fraction(a + b, costs.denominator) for a, b in zip(costs.lows, costs.gains, strict=True)]
    off = [Fraction(a, costs.denominator) for a in costs.lows]
    return np.array(on, object).reshape(-1, 1), np.array(off, object)


def _systems(certificate: Single) -> dict[str, System]:
    """The functions w @ x + b that a certificate is about: rows, equations and a polyhedron."""
    if isinstance(certificate, TopCertificate):
        found = {"W": (certificate.rows.wide_weights, certificate.rows.offsets)}
    else:
        found = {"W": (certificate.arrangement.normals, certificate.arrangement.offsets)}
        if (flats := certificate.equations) is not None:
            found["equations"] = flats.normals, flats.offsets
    if certificate.within is not None:
        found["within"] = _functions(certificate.within)
    return found


def _functions(P: Polyhedron) -> System:
    """What is not negative in a polyhedron, and last what is 0."""
    (A, c), (E, f) = P.inequalities, P.equations
    rows = stack_rows(append_column(negative(A), c), append_column(negative(E), f))
    return rows[:, :-1], rows[:, -1]


def _same_systems(one: dict[str, System], other: dict[str, System]) -> bool:
    return one.keys() == other.keys() and all(_same_numbers(one[k], other[k]) for k in one)


def _write_others(
    file: CertificateFile, certificate: Single, systems: dict[str, System]
) -> dict[str, str]:
    """State equations and a polyhedron, if there are any; their names."""
    names = {}
    if "equations" in systems:
        file.input("E", *systems["equations"])
        names["equations"] = "E"
    return names | write_polyhedron(file, certificate.within)


def write_polyhedron(file: CertificateFile, P: Polyhedron | None) -> dict[str, str]:
    """State a polyhedron, if there is one, and what proves its relative interior; its name."""
    if P is None:
        return {}
    proof: dict[str, Any] = {}
    if P.interior_point is not None:
        weights = P.implicit_weights(positive=True)
        proof["interior"] = homogeneous(P.interior_point)
        proof["implicit"] = _weights([[j] for j in range(len(weights))], weights)
    file.input("P", *_functions(P), equations=len(P.equations[0]), **proof)
    return {"within": "P"}


def _same_numbers(one: System, other: System) -> bool:
    if one[0] is not other[0] and not exactly_equal(one[0], other[0]):
        return False
    constants = [np.zeros(len(W), int) if b is None else b for W, b in (one, other)]
    return one[1] is other[1] or exactly_equal(*constants)


def _sign_proof(certificate: Certificate) -> Proof:
    """The point, or the positive weights of rows."""
    if certificate.point is not None:
        return homogeneous(certificate.point)
    weights = certificate.weights or ()
    return _weights([[i] for i in range(len(weights))], weights)


def _top_proof(certificate: Any) -> Proof:
    """The point, or weights of differences of labels.

    The weights y of the labels add up to 0. In an order the sum of the first ones is the weight of
    a label above the next; what is left at the last label, or at the labels of a set, goes to those
    below.
    """
    if certificate.point is not None:
        return homogeneous(certificate.point)
    y = dict(certificate.weights or {})
    pairs: list[tuple[list[int], Fraction]] = []
    for j, weight in enumerate(certificate.within_weights or (), certificate.rows.n):
        pairs.append(([j], weight))
    above, top = {i: y.pop(i, Fraction(0)) for i in certificate.top}, certificate.top
    if certificate.ordered:
        for i, j in zip(top, top[1:], strict=False):
            pairs.append(([i, j], above[i]))
            above[j] += above.pop(i)
    below = {j: -weight for j, weight in y.items() if weight}
    while above and below:
        (i, have), (j, need) = next(iter(above.items())), next(iter(below.items()))
        weight = min(have, need)
        pairs.append(([i, j], weight))
        for side, label, rest in ((above, i, have - weight), (below, j, need - weight)):
            side[label] = rest
            if not rest:
                del side[label]
    keys, weights = zip(*sorted(pairs), strict=True)
    return _weights(keys, weights)


def write_tops(
    file: CertificateFile,
    model: ScoreModel,
    tops: Iterable[Sequence[int]],
    ordered: bool,
    within: Polyhedron | None = None,
) -> None:
    """Claim for each top that it can be, or that it cannot, whichever is right."""
    rows = sorted(list(top) if ordered else sorted(top) for top in tops)
    write_input(file, "W", model)
    others = write_polyhedron(file, within)
    file.claim("answers", ["W"], of="rankings", rows=len(rows), others=others)
    for top, proof in zip(rows, prove_tops(model, rows, ordered, within), strict=True):
        file.row(_levels(top, ordered), proof)


def prove_tops(
    model: ScoreModel,
    tops: Sequence[Sequence[int]],
    ordered: bool = True,
    within: Polyhedron | None = None,
) -> list[Proof]:
    """For each top a point where its labels score highest, or weights of score differences.

    Examples
    --------
    >>> prove_tops(ScoreModel([[0], [1], [2]]), [[2], [1]])[1]
    [[1, 0, 1], [1, 2, 1]]
    """
    rows = ScoreRows(model.weights, model.offsets, compared=True)
    questions = FeasibilityBatch.of_sets(rows, "orders" if ordered else "sets", tops)
    return [_top_proof(certificate) for certificate in certify(questions, within=within)]


def _levels(top: Sequence[int], ordered: bool) -> list[list[int]]:
    """Sets of labels, each above the next one, and all of them above all others."""
    return [[label] for label in top] if ordered else [sorted(top)]


def _weights(keys: Sequence[list[int]], weights: Sequence[Fraction]) -> list[list[int]]:
    *whole, _ = homogeneous(weights)
    return [[*key, weight] for key, weight in zip(keys, whole, strict=True) if weight]


def write_input(file: CertificateFile, name: str, subject: Arrangement | ScoreModel) -> None:
    """State an input, and what took the place of the caller's matrix."""
    W = subject.normals if isinstance(subject, Arrangement) else subject.weights
    notes = []
    if subject.low_rank is not None:
        notes.append(
            f"the exact matrix of rank {subject.low_rank.rank} that the numbers given were meant "
            f"to be ({subject.low_rank.source}), in coordinates of its own"
        )
    if isinstance(subject, ScoreModel) and subject.dropped:
        pairs = ", ".join(f"{i} (ties with {j})" for i, j in sorted(subject.dropped.items()))
        notes.append(f"without the labels {pairs} of the numbers given")
    file.input(name, W, subject.offsets, note="; ".join(notes) or None)


def write_sign_vectors(
    file: CertificateFile,
    names: list[str],
    arrangements: list[Arrangement],
    signs: SignVectors,
    within: Polyhedron | None = None,
) -> None:
    """Claim sign vectors of some inputs, and that these are all if they are as many as all.

    A set that was cut short or combined is thus never called complete, nor one in a polyhedron
    whose chambers the checker does not count.
    """
    others = write_polyhedron(file, within)
    every = signs.complete and all(
        is_countable(within) and len(signs) == count_chambers(A, within=within)
        for A in arrangements
    )
    half = signs.half and within is None and all(A.is_central for A in arrangements)
    stored = packed.orient(signs.packed, signs.n) if half else signs._full()
    says = "complete" if every else "answers"
    file.claim(says, names, of="sign vectors", rows=len(stored), opposites=half, others=others)
    order = _sign_order(stored, signs.n)
    for start in range(0, len(order), _BLOCK):
        block = packed.unpack_signs(stored[order[start : start + _BLOCK]], signs.n)
        lines = sign_lines(block).decode("ascii").split("\n")[:-1]
        points = [chamber_points(A, block, within) for A in arrangements]
        file.text_rows([f'"{line}"' for line in lines], *points)


def write_rankings(
    file: CertificateFile,
    name: str,
    model: ScoreModel,
    orders: Rankings,
    within: Polyhedron | None = None,
) -> None:
    """Claim rankings of an input, as `write_sign_vectors` does sign vectors."""
    others = write_polyhedron(file, within)
    every = orders.complete and is_countable(within)
    if every:
        every = len(orders) == count_rankings(model.weights, model.offsets, within=within)
    half = orders.half and within is None and model.is_central
    stored = orders.orders if half else orders._full()
    if half:  # of each two reversals the first one
        stored = np.where((stored[:, 0] < stored[:, -1])[:, None], stored, stored[:, ::-1])
    stored = stored[np.lexsort(stored.T[::-1])]
    says = "complete" if every else "answers"
    file.claim(says, [name], of="rankings", rows=len(stored), opposites=half, others=others)
    for start in range(0, len(stored), _BLOCK):
        block = stored[start : start + _BLOCK]
        file.text_rows(map(str, block.tolist()), ranking_points(model, block, within))


def is_countable(P: Polyhedron | None) -> bool:
    """Whether the checker can count what occurs in a polyhedron: it has few vertices and rays.

    Examples
    --------
    >>> [is_countable(Polyhedron.box(0, 1, dimension=d)) for d in (10, 11)]
    [True, False]
    """
    found = None if P is None else P.strict_rows()
    if found is None:
        return True
    rows, basis = found
    try:
        cone = cone_of(integer_rows(rows), len(basis), _MOST_GENERATORS)
    except TooLargeError:
        return False
    return len(cone.lines) + len(cone.rays) <= _MOST_GENERATORS


def _sign_order(words: Words, n: int) -> NDArray[np.intp]:
    """The order of the sign vectors as text, in which + comes before -."""
    minus = np.empty_like(words)
    for start in range(0, len(words), _BLOCK):
        signs = packed.unpack_signs(words[start : start + _BLOCK], n)
        octets = np.zeros((len(signs), 8 * words.shape[1]), np.uint8)
        octets[:, : -(-n // 8)] = np.packbits(signs < 0, axis=1)
        minus[start : start + _BLOCK] = octets.view(">u8")
    return packed.sorted_order(minus)


def write_results(file: CertificateFile, results: list[Result]) -> None:
    """Claim the counter-examples of those statements that have one."""
    for result in results:
        if not result.ok:
            raise InputError(f"{result.result} did not hold: {quote(result.detail)}.")
    found = [result.result for result in results if result.result in _EXAMPLES]
    if not found:
        raise InputError(
            "none of these statements is about fixed numbers, which a certificate could hold; "
            f"expected one of: {', '.join(_EXAMPLES)}."
        )
    for name in found:
        write_example(file, _EXAMPLES[name](), f"{name}: ")


def write_example(file: CertificateFile, example: ModelPair | TieExample, prefix: str = "") -> None:
    """Claim what an example shows."""
    if isinstance(example, ModelPair):
        _write_pair(file, example, [f"{prefix}W1", f"{prefix}W2"])
    else:
        _write_tie_example(file, example, f"{prefix}W")


def _write_pair(file: CertificateFile, pair: ModelPair, names: list[str]) -> None:
    """The same sign vectors, and rankings that only one has."""
    arrangements = [Arrangement(W) for W in (pair.W1, pair.W2)]
    for name, arrangement in zip(names, arrangements, strict=True):
        write_input(file, name, arrangement)
    if same_cosines(pair.W1, pair.W2):
        file.claim("same cosines", names)
    if all((W[:, 0] == W[0, 0]).all() and W[0, 0] for W in (pair.W1, pair.W2)):
        file.claim("constant column", names)
    write_sign_vectors(file, names, arrangements, pair.sign_vectors)
    models = [ScoreModel(W) for W in (pair.W1, pair.W2)]
    orders = sorted(proof.order for proof in pair.certificates)
    if orders:
        file.claim("different", names, of="rankings", rows=len(orders))
    for order in orders:
        file.row(list(order), *(prove_tops(model, [order])[0] for model in models))


def _write_tie_example(file: CertificateFile, example: TieExample, name: str) -> None:
    """Labels with the larger cosine that cannot tie for the first place, and others that can."""
    rows, roots = _rooted(example.W, example.coordinates)
    file.input(name, rows, None, roots=None if set(roots) == {1} else roots)
    if not rows.sum(axis=0).any():
        file.claim("centered", [name])
    if ((rows**2) @ np.array(roots, object) == 1).all():
        file.claim("unit rows", [name])
    # a scale of columns changes no ranking
    model = ScoreModel(rows)
    orders = [order for pair in (example.apart, example.together) for order in (pair, pair[::-1])]
    proofs = dict(zip(orders, prove_tops(model, orders), strict=True))
    refused = next(
        o for o in (example.apart, example.apart[::-1]) if isinstance(proofs[o][0], list)
    )
    file.claim("misleading cosines", [name], of="rankings", rows=3)
    for order in sorted([refused, example.together, example.together[::-1]]):
        file.row(list(order), proofs[order])


def _rooted(W: ImmutableMatrix, coordinates: Any) -> tuple[Any, list[int]]:
    """Rational rows and the integers whose roots, times the columns of these, give W.

    Column k of W is a number times column k of `coordinates`; its square is rational.
    """
    from sympy import Rational  # loads slowly
    from sympy.ntheory.factor_ import core  # loads slowly

    rows, roots = as_objects(coordinates), []
    for k in range(W.cols):
        i = int(np.flatnonzero(coordinates[:, k])[0])
        scale = W[i, k] / int(coordinates[i, k])
        square = Rational(scale**2)
        root = int(core(square.p * square.q))
        factor = Rational(scale / Rational(root) ** Rational(1, 2))
        rows[:, k] *= Fraction(int(factor.p), int(factor.q))
        roots.append(root)
    return rows, roots
