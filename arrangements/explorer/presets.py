"""The statements of the paper as pages: the numbers here, the text in the folder ``statements``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from arrangements.enumeration.rankings import rankings
from arrangements.errors import InputError
from arrangements.exact.text import brief_text
from arrangements.explorer.answers import refutation
from arrangements.explorer.page import FOLDER, Panel
from arrangements.explorer.state import state_of
from arrangements.messages import quote
from arrangements.paper import examples
from arrangements.paper.cosines import cosine_matrix, difference_cosine_matrix, same_cosines
from arrangements.paper.examples import ModelPair, RankingProof, TieExample
from arrangements.paper.softmax import same_softmax
from arrangements.paper.translations import equivalent_models
from arrangements.paper.verification import STATEMENTS
from arrangements.sets.rankings import Rankings

_MINUS = "\N{MINUS SIGN}"


class Preset(NamedTuple):
    """A page about a statement.

    Attributes
    ----------
    title : str
    about : str
        HTML: the statement, the numbers, and the proof.
    panels : tuple of Panel
    """

    title: str
    about: str
    panels: tuple[Panel, ...]


def preset(name: str) -> Preset:
    """The page about a statement of the paper.

    Parameters
    ----------
    name : str
        One of `PRESETS`.

    Examples
    --------
    >>> preset("shortened-row").title
    'Theorem 5.5: cosines do not determine the ranking pattern'
    """
    if not isinstance(name, str) or name not in PRESETS:
        raise InputError(f"preset is {quote(name)}; expected one of {', '.join(PRESETS)}.")
    return PRESETS[name]()


def _page(title: str, text: str, *panels: Panel, **numbers: Any) -> Preset:
    """A page with the text of a file in ``statements``, filled with numbers."""
    from jinja2 import Environment, FileSystemLoader  # with Bokeh

    texts = Environment(
        loader=FileSystemLoader(FOLDER / "statements"), trim_blocks=True, lstrip_blocks=True
    )
    title = f"{title}: {STATEMENTS[title].says}" if title in STATEMENTS else title
    return Preset(title, texts.get_template(f"{text}.html").render(numbers), panels)


def _translation() -> Preset:
    W = np.array([[1, 2], [3, 1], [0, 2], [-1, -1]])
    models = equivalent_models(W, 0, 1)
    first, second = (M.tolist() for M in (models.parallel, models.opposite))
    same = same_softmax(first, second)
    found = rankings(first)
    assert same.same and found == rankings(second)
    return _page(
        f"Theorem 3.4: the same probabilities, with cosine +1 and {_MINUS}1 of two labels",
        "translation",
        Panel(state_of(first), "cosine of 0 and 1: +1"),
        Panel(state_of(second), f"cosine of 0 and 1: {_MINUS}1"),
        vector=", ".join(_text(b - a) for a, b in zip(first[0], second[0], strict=True)),
        before=_algebraic(_cosine(first, (0, 1))),
        after=_algebraic(_cosine(second, (0, 1))),
        changed=_count_changes(first, second),
        count=len(found),
        check=repr(same),
    )


def _shortened_row() -> Preset:
    pair = examples.shortened_row()
    assert same_cosines(pair.W1, pair.W2)
    return _page(
        "Theorem 5.5",
        "shortened-row",
        Panel(state_of(pair.W1), "W1: row 4 is (5, 0)"),
        Panel(state_of(pair.W2), "W2: row 4 is (1, 0)"),
        counts=[len(rankings(W)) for W in (pair.W1, pair.W2)],
        **_compare(pair),
    )


def _differences() -> Preset:
    W1 = np.array([[3, 4], [-4, 3], [-3, -4], [4, -3], [1, 0]])
    turn, v = np.array([[3, 4], [-4, 3]]), np.array([10, 5])
    W2 = W1 @ turn + v
    found = rankings(W1)
    # the regions turn with the model: the set of rankings is the same
    assert difference_cosine_matrix(W1) == difference_cosine_matrix(W2) and found == rankings(W2)
    return _page(
        "Theorem 5.6",
        "differences",
        Panel(state_of(W1), "W1"),
        Panel(state_of(W2), "W2 = 5 W1 turned, plus (10, 5)"),
        changed=_count_changes(W1, W2),
        count=len(found),
    )


def _bjorner() -> Preset:
    pair = examples.bjorner()
    plane = [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
    order = _orders(pair.only_in_1)[0]
    pairs = combinations(sorted(order), 2)
    return _page(
        "Theorem H.1",
        "bjorner",
        Panel(state_of(pair.W1, plane=plane), "W1: row 2 is (1, 9, 5)"),
        Panel(state_of(pair.W2, plane=plane), "W2: row 2 is (1, 9, 3)"),
        count=len(pair.sign_vectors),
        order=order,
        signs="".join("+" if order.index(i) < order.index(j) else _MINUS for i, j in pairs),
        **_compare(pair),
    )


def _orders(found: Rankings) -> list[str]:
    return sorted("".join(map(str, order)) for order in found.to_array().tolist())


def _compare(pair: ModelPair) -> dict[str, Any]:
    """The rankings of one model only, each on a button that searches for it, and the proofs."""
    button = '<button type="button" class="ask" data-ask="{0}">{0}</button>'
    return {
        f"only_{k}": {"count": len(found), "buttons": " ".join(map(button.format, _orders(found)))}
        for k, found in ((1, pair.only_in_1), (2, pair.only_in_2))
    } | {"proofs": [_ranking_proof(proof, pair) for proof in pair.certificates]}


def _ranking_proof(proof: RankingProof, pair: ModelPair) -> str:
    assert proof.verify(pair.W1, pair.W2)
    pairs = combinations(range(len(proof.order)), 2)
    parts = [
        f"(s{i} {_MINUS} s{j})" if sign == 1 else f"(s{j} {_MINUS} s{i})"
        for sign, (i, j) in zip(proof.in_1.signs, pairs, strict=True)
    ]
    has, lacks, possible, refuted = "W1", "W2", proof.in_1, proof.in_2
    if not possible.feasible:
        has, lacks, possible, refuted = lacks, has, refuted, possible
    name = "".join(map(str, proof.order))
    point = ", ".join(map(_text, possible.point or ()))
    return f"{has} ranks {name} at x = ({point}). In {lacks}: {refutation(name, refuted, parts)}"


# ------------------------------------------------------------------ appendix C


def _ties(title: str, example: TieExample, note: str, metric: Any = None) -> Preset:
    """A page about labels that cannot tie, with a larger cosine than labels that can."""
    state = replace(state_of(example.coordinates, show="top-1"), metric=metric)
    C = cosine_matrix(example.W)
    apart, together = example.apart, example.together
    can = {tuple(pair) for pair in example.ties.tolist()}
    assert apart not in can and together in can and C[apart] > C[together]
    return _page(
        title,
        "ties",
        Panel(state),
        note=note,
        apart=apart,
        together=together,
        apart_cosine=_algebraic(C[apart]),
        together_cosine=_algebraic(C[together]),
        pairs=", ".join(f"{i} and {j}" for i, j in sorted(can)),
    )


def _algebraic(value: Any) -> str:
    """An algebraic number, exact, and rounded where it is not rational.

    Examples
    --------
    >>> from sympy import sqrt
    >>> _algebraic(sqrt(5) / 5), _algebraic(sqrt(4))
    ('√(5)/5 ≈ 0.447', '2')
    """
    text = str(value).replace("sqrt", "√").replace("*", " ")
    return (text if value.is_Integer else f"{text} ≈ {float(value):.3f}").replace("-", _MINUS)


def _unrestricted() -> Preset:
    return _ties(
        "Appendix C.1: cosines do not tell which labels can tie",
        examples.unrestricted(),
        "Rows are five corners of a pentagon that does not surround the origin.",
    )


def _centered() -> Preset:
    return _ties(
        "Appendix C.2: cosines do not tell which labels can tie, even if the rows sum to zero",
        examples.centered(),
        "The sum of the rows is zero.",
    )


def _centered_unit_length() -> Preset:
    return _ties(
        "Appendix C.3: cosines do not tell which labels can tie, even if the rows sum to zero and "
        "have length 1",
        examples.centered_unit_length(),
        "The sum of the rows is zero, and each has length 1. The rows are (a, b √3) / 3458 with "
        "the integers a, b in the picture: factors of columns do not change regions, and the "
        "cosines are those of the true rows.",
        (Fraction(1), Fraction(3)),
    )


def _count_changes(first: Any, second: Any) -> int:
    """The number of pairs of rows whose cosine differs."""
    pairs = combinations(range(len(first)), 2)
    return sum(_cosine(first, pair) != _cosine(second, pair) for pair in pairs)


def _cosine(rows: Any, pair: tuple[int, int]) -> Any:
    return cosine_matrix([rows[pair[0]], rows[pair[1]]])[0, 1]


def _text(value: Fraction) -> str:
    return brief_text(Fraction(value)).replace("-", _MINUS)


PRESETS: dict[str, Callable[[], Preset]] = {
    "translation": _translation,
    "shortened-row": _shortened_row,
    "differences": _differences,
    "bjorner": _bjorner,
    "unrestricted": _unrestricted,
    "centered": _centered,
    "centered-unit-length": _centered_unit_length,
}
