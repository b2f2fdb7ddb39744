"""Text for the command line: results of `verify`, and the counter-example of Bjorner et al."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

from arrangements.certificates.certificate import Certificate
from arrangements.core.score_model import ScoreModel
from arrangements.core.signs import sign_text
from arrangements.paper.examples import ModelPair, RankingProof, bjorner
from arrangements.paper.figures import planar
from arrangements.paper.verification import STATEMENTS, Result
from arrangements.plot.plane_regions import ranking_regions
from arrangements.version import __version__

# A module with ``figures()``: functions by name, each of which returns a matplotlib figure.
FIGURES = "arrangements.paper.figures"


def result_line(result: Result) -> str:
    """One line: result, statement, number of cases, exactness, time, what was checked.

    Examples
    --------
    >>> print(result_line(Result("Lemma 3.2", True, 600, True, 0.3, "a cosine is -1")))
    ok      Lemma 3.2            600 cases  exact    0.3 s  a cosine is -1
    """
    verdict = "ok" if result.ok else "FAILED"
    noun = "case " if result.cases == 1 else "cases"
    kind = "exact" if result.exact else "float"
    return (
        f"{verdict:<7} {result.result:<18} {result.cases:>5} {noun}  {kind} {result.seconds:6.1f} s"
        f"  {result.detail}"
    )


def write_report(
    directory: str | os.PathLike[str], results: Sequence[Result], settings: str
) -> Path:
    """Write ``report.md``, and figures if they can be drawn, into a directory.

    Parameters
    ----------
    directory : str or path-like
        Created if it does not exist.
    results : sequence of Result
    settings : str
        How to repeat the run.

    Returns
    -------
    pathlib.Path
        Of the report.
    """
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    failed = sum(not result.ok for result in results)
    verdict = f"{failed} failed" if failed else "all hold"
    exact = ""
    if all(result.exact for result in results):
        exact = " All results are exact: floating point decides nothing."
    lines = [
        "# What cosine similarity of label representations can and cannot tell us, checked",
        "",
        f"Statements of arXiv:2603.29488, checked by arrangements {__version__} with `{settings}`:",
        f"{len(results)} statements, {verdict}.{exact}",
        "",
        "| statement | says | verdict | cases | seconds | checked |",
        "|---|---|---|---|---|---|",
    ]
    for result in results:
        known = STATEMENTS.get(result.result)
        detail = result.detail.replace("|", "\\|").replace("\n", " ")
        cells = (
            result.result,
            known.says if known else "",
            "holds" if result.ok else "**FAILED**",
            f"{result.cases:,}",
            f"{result.seconds:.1f}",
            detail.removeprefix(f"{known.says}: ") if known else detail,
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *_figures(folder)]
    path = folder / "report.md"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _figures(folder: Path) -> list[str]:
    """Draw the figures into the folder; Markdown that shows them, or says why there are none."""
    if find_spec("matplotlib") is None or find_spec(FIGURES) is None:
        return ["No figures: they need matplotlib, the extra `plot`."]
    lines = []
    close = import_module("matplotlib.pyplot").close
    for name, draw in import_module(FIGURES).figures().items():
        figure = draw()
        figure.savefig(folder / f"{name}.png", dpi=150, bbox_inches="tight")
        close(figure)
        caption = (draw.__doc__ or name).partition("\n")[0]
        lines += [f"![{caption}]({name}.png)", "", caption, ""]
    return lines


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
