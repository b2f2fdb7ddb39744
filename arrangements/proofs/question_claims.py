"""Single questions as claims: whether a sign vector occurs, or labels can be on top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from arrangements.errors import InputError
from arrangements.feasibility.certificates import Certificate, feasible
from arrangements.model.score_model import ScoreModel, of_pairs
from arrangements.proofs.certificate_file import CertificateFile, Proof
from arrangements.proofs.points import homogeneous
from arrangements.proofs.set_claims import write_input

# Labels, or sets of them, each above the next one, and all of them above all others.
Top = Sequence[int | Sequence[int]]


def write_certificates(file: CertificateFile, proofs: Sequence[Certificate]) -> None:
    """Claim the answers to questions about one arrangement."""
    arrangement = proofs[0].arrangement
    rows: dict[str, Proof] = {}
    for proof in proofs:
        if not proof.arrangement.same_numbers(arrangement):
            raise InputError("the certificates are about different numbers; write a file for each.")
        if not proof.verify():
            raise InputError(f"{proof!r} proves nothing: its verify() is False.")
        rows["".join("-0+"[s + 1] for s in proof.signs)] = _proof(
            proof, [[i] for i in range(len(proof.signs))]
        )
    write_input(file, "W", arrangement)
    file.claim("answers", ["W"], of="sign vectors", rows=len(rows))
    for question in sorted(rows):
        file.row(question, rows[question])


def write_tops(file: CertificateFile, model: ScoreModel, tops: Iterable[Top]) -> None:
    """Claim for each top that it can be, or that it cannot, whichever is right."""
    listed = sorted(_sets(top) for top in tops)
    write_input(file, "W", model)
    file.claim("answers", ["W"], of="rankings", rows=len(listed))
    for top in listed:
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
    neighbours = zip(sets, sets[1:], strict=False)
    pairs = [[i, j] for high, low in neighbours for i in high for j in low]
    if not pairs:
        return [0] * model.dimension + [1]
    first, second = ([pair[k] for pair in pairs] for k in (0, 1))
    # differences times one positive number, so that their weights are those of the scores
    return _proof(feasible(of_pairs(model, first, second), [1] * len(pairs), either=0), pairs)


def _sets(top: Top) -> list[list[int]]:
    return [[labels] if isinstance(labels, int) else sorted(labels) for labels in top]


def _proof(certificate: Certificate, keys: Sequence[list[int]]) -> Proof:
    """The point, or the positive weights with their keys, in whole numbers."""
    if certificate.point is not None:
        return homogeneous(certificate.point)
    weights: Sequence[Fraction] = certificate.weights or ()
    *whole, _ = homogeneous(weights)
    return [[*key, weight] for key, weight in zip(keys, whole, strict=True) if weight]
