"""Sets as claims: each sign vector or ranking with a point, and whether these are all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.score_model import ScoreModel
from arrangements.enumeration.chambers import count_chambers
from arrangements.enumeration.rankings import count_rankings
from arrangements.files.lines import sign_lines
from arrangements.proofs.certificate_file import CertificateFile
from arrangements.proofs.points import chamber_points, ranking_points
from arrangements.sets import packed
from arrangements.sets.packed import Words
from arrangements.sets.rankings import Rankings
from arrangements.sets.sign_vectors import SignVectors

# Rows that are written at a time.
_BLOCK = 4096


def write_input(file: CertificateFile, name: str, given: Arrangement | ScoreModel) -> None:
    """State an input, and what took the place of the caller's matrix."""
    W = given.normals if isinstance(given, Arrangement) else given.weights
    notes = []
    if given.low_rank is not None:
        notes.append(
            f"the exact matrix of rank {given.low_rank.rank} that the numbers given were meant to "
            f"be ({given.low_rank.source}), in coordinates of its own"
        )
    if isinstance(given, ScoreModel) and given.dropped:
        pairs = ", ".join(f"{i} (ties with {j})" for i, j in sorted(given.dropped.items()))
        notes.append(f"without the labels {pairs} of the numbers given")
    file.input(name, W, given.offsets, note="; ".join(notes) or None)


def write_sign_vectors(
    file: CertificateFile, names: list[str], arrangements: list[Arrangement], signs: SignVectors
) -> None:
    """Claim sign vectors of some inputs, and that these are all if they are as many as all.

    A set that was cut short or combined is thus never called complete.
    """
    every = signs.complete and all(len(signs) == count_chambers(A) for A in arrangements)
    half = signs.half and all(A.is_central for A in arrangements)
    stored = packed.orient(signs.packed, signs.n) if half else signs.packed
    says = "complete" if every else "answers"
    file.claim(says, names, of="sign vectors", rows=len(stored), opposites=half)
    order = _sign_order(stored, signs.n)
    for start in range(0, len(order), _BLOCK):
        block = packed.unpack_signs(stored[order[start : start + _BLOCK]], signs.n)
        lines = sign_lines(block).decode("ascii").split("\n")[:-1]
        points = [chamber_points(A, block) for A in arrangements]
        file.text_rows([f'"{line}"' for line in lines], *points)


def write_rankings(file: CertificateFile, name: str, model: ScoreModel, orders: Rankings) -> None:
    """Claim rankings of an input, as `write_sign_vectors` does sign vectors."""
    every = orders.complete and len(orders) == count_rankings(model.weights, model.offsets)
    half = orders.half and model.is_central
    stored = orders.orders
    if half:  # of each two reversals the first one
        stored = np.where((stored[:, 0] < stored[:, -1])[:, None], stored, stored[:, ::-1])
    stored = stored[np.lexsort(stored.T[::-1])]
    says = "complete" if every else "answers"
    file.claim(says, [name], of="rankings", rows=len(stored), opposites=half)
    for start in range(0, len(stored), _BLOCK):
        block = stored[start : start + _BLOCK]
        file.text_rows(map(str, block.tolist()), ranking_points(model, block))


def _sign_order(words: Words, n: int) -> NDArray[np.intp]:
    """The order of the sign vectors as text, in which + comes before -."""
    minus = np.empty_like(words)
    for start in range(0, len(words), _BLOCK):
        signs = packed.unpack_signs(words[start : start + _BLOCK], n)
        octets = np.zeros((len(signs), 8 * words.shape[1]), np.uint8)
        octets[:, : -(-n // 8)] = np.packbits(signs < 0, axis=1)
        minus[start : start + _BLOCK] = octets.view(">u8")
    return packed.sorted_order(minus)
