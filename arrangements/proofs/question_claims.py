"""Single questions as claims: whether a sign vector occurs, or labels can be on top."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from arrangements.core.score_model import ScoreModel, of_pairs
from arrangements.errors import InputError
from arrangements.exact.numbers import ExactArray, exactly_equal
from arrangements.feasibility.certificate_table import Certificates
from arrangements.feasibility.certificates import Certificate
from arrangements.feasibility.one_sign_vector import feasible
from arrangements.feasibility.top_certificate import TopCertificate
from arrangements.proofs.certificate_file import CertificateFile, Of, Proof
from arrangements.proofs.points import homogeneous
from arrangements.proofs.set_claims import write_input

# Labels, or sets of them, each above the next one, and all of them above all others.
Top = Sequence[int | Sequence[int]]
Single = Certificate | TopCertificate


def write_certificates(file: CertificateFile, proofs: Iterable[Single | Certificates]) -> None:
    """Claim the answers to questions about one matrix; those that are undecided are left out."""
    certificates = [certificate for proof in proofs for certificate in _decided(proof)]
    if not certificates:
        raise InputError("none of the questions is decided, so there is no answer to write.")
    numbers = [_numbers(certificate) for certificate in certificates]
    if not all(_same_numbers(numbers[0], other) for other in numbers):
        raise InputError("the certificates are about different numbers; write a file for each.")
    rows: dict[Of, dict[str, tuple[Any, Proof]]] = {"sign vectors": {}, "rankings": {}}
    for certificate in certificates:
        if not certificate.verify():
            raise InputError(f"{certificate!r} proves nothing: its verify() is False.")
        if isinstance(certificate, Certificate):
            signs = "".join("-0+"[(s or 0) + 1] for s in certificate.signs)  # 0 is either in files
            keys = [[i] for i in range(len(signs))]
            rows["sign vectors"][signs] = signs, _proof(certificate, keys)
        else:
            top = _sets(certificate.top if certificate.ordered else [certificate.top])
            rows["rankings"][str(top)] = top, _top_proof(certificate)
    file.input("W", *numbers[0])
    for of, found in rows.items():
        if found:
            file.claim("answers", ["W"], of=of, rows=len(found))
        for question, proof in sorted(found.values(), key=lambda row: row[0]):
            file.row(question, proof)


def _decided(proof: Single | Certificates) -> Iterator[Single]:
    if isinstance(proof, Certificates):
        yield from proof[proof.decided]
    else:
        yield proof


def _numbers(certificate: Single) -> tuple[ExactArray, ExactArray | None]:
    """The matrix and the offsets that a certificate is about."""
    if isinstance(certificate, Certificate):
        return certificate.arrangement.normals, certificate.arrangement.offsets
    return certificate.rows.weights, certificate.rows.offsets


def _same_numbers(one: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
    if one[0] is not other[0] and not exactly_equal(one[0], other[0]):
        return False
    constants = [np.zeros(len(W), int) if b is None else b for W, b in (one, other)]
    return one[1] is other[1] or exactly_equal(*constants)


def _top_proof(certificate: TopCertificate) -> Proof:
    """The point, or weights of differences of labels.

    The weights y of the labels add up to 0. In an order the sum of the first ones is the weight of
    a label above the next; what is left at the last label, or at the labels of a set, goes to those
    below.
    """
    if certificate.point is not None:
        return homogeneous(certificate.point)
    y = dict(certificate.weights or {})
    pairs: list[tuple[list[int], Fraction]] = []
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


def write_tops(file: CertificateFile, model: ScoreModel, tops: Iterable[Top]) -> None:
    """Claim for each top that it can be, or that it cannot, whichever is right."""
    rows = sorted(_sets(top) for top in tops)
    write_input(file, "W", model)
    file.claim("answers", ["W"], of="rankings", rows=len(rows))
    for top in rows:
        file.row(top, top_proof(model, top))


def top_proof(model: ScoreModel, top: Top) -> Proof:
    """A point where labels are on top, or weights of score differences.

    Examples
    --------
    >>> model = ScoreModel([[0], [1], [2]])
    >>> top_proof(model, [2]), top_proof(model, [1])
    ([1, 1], [[1, 0, 1], [1, 2, 1]])
    """
    sets = _sets(top)
    named = {label for labels in sets for label in labels}
    sets.append([label for label in range(model.n_labels) if label not in named])
    neighbors = zip(sets, sets[1:], strict=False)
    pairs = [[i, j] for high, low in neighbors for i in high for j in low]
    if not pairs:
        return [0] * model.dimension + [1]
    first, second = ([pair[k] for pair in pairs] for k in (0, 1))
    # differences times one positive number, so that their weights are those of the scores
    return _proof(feasible(of_pairs(model, first, second), [1] * len(pairs)), pairs)


def _sets(top: Top) -> list[list[int]]:
    return [[labels] if isinstance(labels, int) else sorted(labels) for labels in top]


def _proof(certificate: Certificate, keys: Sequence[list[int]]) -> Proof:
    """The point, or the positive weights with their keys, in whole numbers."""
    if certificate.point is not None:
        return homogeneous(certificate.point)
    return _weights(keys, certificate.weights or ())


def _weights(keys: Sequence[list[int]], weights: Sequence[Fraction]) -> list[list[int]]:
    *whole, _ = homogeneous(weights)
    return [[*key, weight] for key, weight in zip(keys, whole, strict=True) if weight]
