"""The counter-example of Bjorner et al. as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from arrangements.core.score_model import ScoreModel
from arrangements.core.signs import sign_text
from arrangements.feasibility.certificates import Certificate
from arrangements.paper.examples import ModelPair, RankingProof, bjorner
from arrangements.paper.figures import planar
from arrangements.plot.plane_regions import ranking_regions

Orders = list[tuple[int, ...]]


def bjorner_table() -> Iterator[str]:
    """Explain the counter-example of `arrangements.paper.examples.bjorner`.

    Yields
    ------
    str
        Lines of text, without line ends.

    Examples
    --------
    >>> [line.split() for line in bjorner_table() if line.endswith("*")]
    [['10432*', '01423*']]
    """
    pair = bjorner()
    yield "Two models of five labels, the first column constant, with the same sign vectors and"
    yield "different rankings (Bjorner et al., Oriented Matroids, 1.10). All of it is exact."
    yield ""
    yield from _aligned(
        [
            ["label", *map(str, range(len(pair.W1)))],
            ["W1", *(str(tuple(row)) for row in pair.W1.tolist())],
            ["W2", *(str(tuple(row)) for row in pair.W2.tolist())],
        ]
    )
    yield ""
    signs = sorted(map(sign_text, pair.sign_vectors.to_array().tolist()))
    yield f"{len(signs)} sign vectors of both; one of each pair +/-:"
    yield f"  {' '.join(text for text in signs if text[0] == '+')}"
    yield ""
    first, second = rankings_around(pair)
    yield f"{len(first)} rankings of each, around the circle of the directions (x2, x3);"
    yield "half of them, the others are their reversals; * in one model only:"
    yield from _aligned(
        [["W1", "W2"]]
        + [
            [_marked(a, pair.only_in_1), _marked(b, pair.only_in_2)]
            for a, b in zip(first[: len(first) // 2], second, strict=False)
        ]
    )
    yield ""
    yield "Why, with s_i the score of label i:"
    for proof in pair.certificates:
        assert proof.verify(pair.W1, pair.W2)
        yield from _argument(proof)


def bjorner_record() -> dict[str, Any]:
    """The counter-example in lists and numbers, for JSON.

    Examples
    --------
    >>> bjorner_record()["only_in_1"]
    [[1, 0, 4, 3, 2], [2, 3, 4, 0, 1]]
    """
    pair = bjorner()
    first, second = rankings_around(pair)
    return {
        "W1": pair.W1.tolist(),
        "W2": pair.W2.tolist(),
        "sign_vectors": sorted(map(sign_text, pair.sign_vectors.to_array().tolist())),
        "rankings_1": first,
        "rankings_2": second,
        "only_in_1": sorted(pair.only_in_1.to_array().tolist()),
        "only_in_2": sorted(pair.only_in_2.to_array().tolist()),
        "proofs_hold": all(proof.verify(pair.W1, pair.W2) for proof in pair.certificates),
    }


def rankings_around(pair: ModelPair) -> tuple[Orders, Orders]:
    """Rankings of both models counterclockwise by direction, from the same one.

    Examples
    --------
    >>> first, second = rankings_around(bjorner())
    >>> first[0] == second[0], [i for i in range(20) if first[i] != second[i]]
    (True, [1, 11])
    """
    found = []
    for W in (pair.W1, pair.W2):
        regions = ranking_regions(ScoreModel(planar(W)))
        found.append([tuple(region.order) for region in regions])
    start = min(set(found[0]) & set(found[1]))
    first, second = (orders[(k := orders.index(start)) :] + orders[:k] for orders in found)
    return first, second


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {'   '.join(cells)}".rstrip()


def _marked(order: Sequence[int], only: Any) -> str:
    return "".join(map(str, order)) + ("*" if order in only else "")


def _argument(proof: RankingProof) -> Iterator[str]:
    """A point of the model that has the ranking, and why the other does not have it."""
    has, lacks = (1, 2) if proof.in_1.feasible else (2, 1)
    certificates = {1: proof.in_1, 2: proof.in_2}
    point = certificates[has].point
    assert point is not None
    order = "".join(map(str, proof.order))
    yield f"  {order}   W{has}: x = ({', '.join(map(str, point))})"
    total = _combination(certificates[lacks], len(proof.order))
    yield f"  {' ' * len(order)}   W{lacks}: {total} = 0 at every x, a sum of positive terms"


def _combination(certificate: Certificate, n: int) -> str:
    """The positive combination of score differences that vanishes."""
    assert certificate.weights is not None
    pairs = list(combinations(range(n), 2))
    terms = []
    for k in certificate.support:
        above, below = pairs[k] if certificate.signs[k] == 1 else reversed(pairs[k])
        weight = certificate.weights[k]
        terms.append(f"{'' if weight == 1 else f'{weight} '}(s{above} - s{below})")
    return " + ".join(terms)
