"""The counter-examples of the paper as claims."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.core.score_model import ScoreModel
from arrangements.errors import InputError
from arrangements.exact.numbers import as_objects
from arrangements.messages import quote
from arrangements.paper import examples
from arrangements.paper.cosines import same_cosines
from arrangements.paper.examples import ModelPair, TieExample
from arrangements.paper.verification import Result
from arrangements.proofs.certificate_file import CertificateFile
from arrangements.proofs.question_claims import top_proof
from arrangements.proofs.set_claims import write_input, write_sign_vectors

if TYPE_CHECKING:
    from sympy import ImmutableMatrix

# The statements about fixed numbers; the others are checked on random matrices.
_EXAMPLES: dict[str, Callable[[], ModelPair | TieExample]] = {
    "Appendix C.1": examples.unrestricted,
    "Appendix C.2": examples.centered,
    "Appendix C.3": examples.centered_unit_length,
    "Theorem 5.5": examples.shortened_row,
    "Theorem H.1": examples.bjorner,
}


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
        file.row(list(order), *(top_proof(model, order) for model in models))


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
    proofs = {
        order: top_proof(model, order)
        for pair in (example.apart, example.together)
        for order in (pair, pair[::-1])
    }
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
