"""The statements of the paper as pages: a sentence, the numbers, and the exact proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from arrangements import notebook
from arrangements.enumeration.rankings import rankings
from arrangements.errors import InputError
from arrangements.exact.text import brief_text
from arrangements.explorer.answers import refutation
from arrangements.explorer.page import Panel
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
_MODEL = (
    "Each label of a linear classifier has a row of W. Its score at an input x is the product of "
    "its row and x, and a ranking lists the labels from the largest score to the smallest."
)


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


def _page(
    title: str, meaning: str, facts: Sequence[str], proof: Sequence[str], *panels: Panel
) -> Preset:
    """A page with a title, what it means to somebody who knows no paper, numbers, and the proof."""
    numbers = "".join(f"<li>{fact}</li>" for fact in facts)
    steps = "".join(f"<li>{step}</li>" for step in proof)
    about = (
        f"<p>{_MODEL} {meaning}</p><ul>{numbers}</ul>"
        f"<details><summary>The proof, in exact numbers</summary><ul>{steps}</ul></details>"
    )
    return Preset(title, about, panels)


def _says(statement: str) -> str:
    return f"{statement}: {STATEMENTS[statement].says}"


def _ask(name: str) -> str:
    """A button that searches for a ranking in all panels."""
    return f'<button type="button" class="ask" data-ask="{name}">{name}</button>'


# ------------------------------------------------------------------ section 3


def _translation() -> Preset:
    W = np.array([[1, 2], [3, 1], [0, 2], [-1, -1]])
    models = equivalent_models(W, 0, 1)
    first, second = (M.tolist() for M in (models.parallel, models.opposite))
    same = same_softmax(first, second)
    one, other = rankings(first), rankings(second)
    assert same.same and one == other
    moved = ", ".join(_text(b - a) for a, b in zip(first[0], second[0], strict=True))
    changed = sum(
        a != b
        for a, b in (
            (_cosine(first, pair), _cosine(second, pair)) for pair in combinations(range(4), 2)
        )
    )
    return _page(
        f"Theorem 3.4: the same probabilities, with cosine +1 and {_MINUS}1 of two labels",
        "Softmax makes probabilities of the scores. Adding one vector to all rows changes no "
        "probability, and yet it can make the cosine between two rows anything.",
        [
            f"The vector ({moved}) is added to all rows. The cosine of labels 0 and 1 is "
            f"{_cosine(first, (0, 1))} before and {_cosine(second, (0, 1))} after; {changed} of 6 "
            "cosines change.",
            f"No probability changes: both models have the same {len(one)} rankings, and the same "
            "softmax output at every x. Move all rows with the sliders to see it.",
        ],
        [
            "Score i of the second model at x is score i of the first one, plus v x, which is the "
            "same for all labels. The factor exp(v x) cancels in the softmax.",
            f"Checked in exact arithmetic: {notebook.html(repr(same))}.",
        ],
        Panel(state_of(first), "cosine of 0 and 1: +1"),
        Panel(state_of(second), f"cosine of 0 and 1: {_MINUS}1"),
    )


# ------------------------------------------------------------------ section 5


def _shortened_row() -> Preset:
    pair = examples.shortened_row()
    assert same_cosines(pair.W1, pair.W2)
    return _page(
        _says("Theorem 5.5"),
        "The cosines between the rows do not tell which rankings occur.",
        [
            "Row 4 is shortened from (5, 0) to (1, 0). No angle changes: all cosines are equal.",
            f"{len(rankings(pair.W1))} rankings before, {len(rankings(pair.W2))} after; "
            f"{len(pair.only_in_1)} of them vanish and {len(pair.only_in_2)} appear. "
            "Label 4 can no longer be first: its row is a weighted mean of the others.",
            f"Only W1 has the rankings {_asked(pair.only_in_1)}; only W2 has "
            f"{_asked(pair.only_in_2)}. Press one, to see it where it is possible and the proof "
            "where it is not.",
        ],
        _ranking_proofs(pair),
        Panel(state_of(pair.W1), "W1: row 4 is (5, 0)"),
        Panel(state_of(pair.W2), "W2: row 4 is (1, 0)"),
    )


def _differences() -> Preset:
    W1 = np.array([[3, 4], [-4, 3], [-3, -4], [4, -3], [1, 0]])
    turn, v = np.array([[3, 4], [-4, 3]]), np.array([10, 5])
    W2 = W1 @ turn + v
    first, second = rankings(W1), rankings(W2)
    # the regions turn with the model: the set of rankings is the same
    assert difference_cosine_matrix(W1) == difference_cosine_matrix(W2) and first == second
    changed = sum(_cosine(W1, pair) != _cosine(W2, pair) for pair in combinations(range(5), 2))
    return _page(
        _says("Theorem 5.6"),
        "The cosines between differences of rows, unlike those between rows, do tell which "
        "rankings occur.",
        [
            "The second model is the first one, turned, 5 times as large, and moved by (10, 5). "
            f"{changed} of 10 cosines between rows change; the 45 cosines between differences of "
            "rows do not.",
            f"Both have the same {len(first)} rankings.",
        ],
        [
            "A ranking is a sign vector of the 10 differences w_i "
            f"{_MINUS} w_j, and by Lemma 5.3 cosines determine sign vectors.",
            "Both matrices of 10 x 10 cosines are equal, entry by entry, as algebraic numbers; "
            "both sets of rankings were listed exactly and are equal.",
        ],
        Panel(state_of(W1), "W1"),
        Panel(state_of(W2), "W2 = 5 W1 turned, plus (10, 5)"),
    )


def _bjorner() -> Preset:
    pair = examples.bjorner()
    plane = [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
    return _page(
        _says("Theorem H.1"),
        "A sigmoid classifier says of each label whether its score is positive. Two matrices can "
        "agree in all sets of labels that this gives, and not in their rankings.",
        [
            f"Row 2 is (1, 9, 5) in W1 and (1, 9, 3) in W2. Both models have the same "
            f"{len(pair.sign_vectors)} sign vectors: as sigmoid classifiers they say the same.",
            f"Only W1 has the rankings {_asked(pair.only_in_1)}; only W2 has "
            f"{_asked(pair.only_in_2)}. Press one, to see it where it is possible and the proof "
            "where it is not.",
            "A ranking is a sign vector of the 10 differences of rows, whose lines are drawn: "
            f"{_signs(pair.only_in_1)} is one that only W1 has.",
        ],
        _ranking_proofs(pair),
        Panel(state_of(pair.W1, plane=plane), "W1: row 2 is (1, 9, 5)"),
        Panel(state_of(pair.W2, plane=plane), "W2: row 2 is (1, 9, 3)"),
    )


def _orders(found: Rankings) -> list[str]:
    return sorted("".join(map(str, order)) for order in found.to_array().tolist())


def _asked(found: Rankings) -> str:
    return " ".join(map(_ask, _orders(found)))


def _signs(found: Rankings) -> str:
    """The first ranking, with the signs of the differences of rows i < j."""
    order = _orders(found)[0]
    pairs = combinations(sorted(order), 2)
    signs = "".join("+" if order.index(i) < order.index(j) else _MINUS for i, j in pairs)
    return f"{signs} (the ranking {order})"


def _ranking_proofs(pair: ModelPair) -> list[str]:
    return [_ranking_proof(proof, pair) for proof in pair.certificates]


def _ranking_proof(proof: RankingProof, pair: ModelPair) -> str:
    assert proof.verify(pair.W1, pair.W2)
    n = len(proof.order)
    parts = []
    for sign, (i, j) in zip(proof.in_1.signs, combinations(range(n), 2), strict=True):
        above, below = (i, j) if sign == 1 else (j, i)
        parts.append(f"(s{above} {_MINUS} s{below})")
    has, lacks = ("W1", "W2") if proof.in_1.feasible else ("W2", "W1")
    possible, refuted = (
        (proof.in_1, proof.in_2) if proof.in_1.feasible else (proof.in_2, proof.in_1)
    )
    name = "".join(map(str, proof.order))
    point = ", ".join(_text(x) for x in possible.point or ())
    return f"{has} ranks {name} at x = ({point}). In {lacks}: {refutation(name, refuted, parts)}"


# ------------------------------------------------------------------ appendix C


def _ties(
    statement: str, besides: str, example: TieExample, note: str, metric: Any = None
) -> Preset:
    state = state_of(example.coordinates, show="top-1")
    if metric is not None:
        state = replace(state, metric=metric)
    C = cosine_matrix(example.W)
    apart, together = example.apart, example.together
    can = {tuple(pair) for pair in example.ties.tolist()}
    assert apart not in can and together in can and C[apart] > C[together]
    pairs = ", ".join(f"{i} and {j}" for i, j in sorted(can))
    return _page(
        f"{statement}: cosines do not tell which labels can tie{besides}",
        "Two labels tie for the first place where their regions in the picture meet. One would "
        "think that these are the labels with the largest cosines.",
        [
            f"{note} All five labels can be first.",
            f"Labels {apart[0]} and {apart[1]} cannot tie for the first place, although their "
            f"cosine {_algebraic(C[apart])} is larger than {_algebraic(C[together])}, that of "
            f"{together[0]} and {together[1]}, which can.",
        ],
        [
            f"The pairs that can tie for the first place are those of neighbors on the convex "
            f"hull of the rows: {pairs}. Their regions share a wall in the picture.",
            "Found by exact linear programming over the rationals for each pair; the cosines are "
            "exact algebraic numbers.",
        ],
        Panel(state),
    )


def _algebraic(value: Any) -> str:
    """An algebraic number, exact, and rounded where it is not rational.

    Examples
    --------
    >>> from sympy import sqrt
    >>> _algebraic(sqrt(5) / 5), _algebraic(sqrt(4))
    ('√(5)/5 ≈ 0.447', '2')
    """
    text = str(value).replace("-", _MINUS).replace("sqrt", "√").replace("*", " ")
    if value.is_Integer:
        return text
    return f"{text} ≈ " + f"{float(value):.3f}".replace("-", _MINUS)


def _unrestricted() -> Preset:
    return _ties(
        "Appendix C.1",
        "",
        examples.unrestricted(),
        "Rows are five corners of a pentagon that does not surround the origin.",
    )


def _centered() -> Preset:
    return _ties(
        "Appendix C.2",
        ", even if the rows sum to zero",
        examples.centered(),
        "The sum of the rows is zero.",
    )


def _centered_unit_length() -> Preset:
    example = examples.centered_unit_length()
    note = (
        "The sum of the rows is zero, and each has length 1. The rows are (a, b \N{SQUARE ROOT}3) "
        "/ 3458 with the whole numbers a, b in the picture: regions do not depend on factors of "
        "columns, and the cosines are those of the true rows."
    )
    besides = ", even if the rows sum to zero and have length 1"
    return _ties("Appendix C.3", besides, example, note, (Fraction(1), Fraction(3)))


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
