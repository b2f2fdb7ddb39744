"""What the explorer says of one region, or of one that somebody asks for, as HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, factorial
from typing import Any, NamedTuple

import numpy as np

from arrangements import notebook
from arrangements.certificates.certificate import Certificate
from arrangements.certificates.one_sign_vector import feasible
from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import similar_names
from arrangements.core.score_model import ScoreModel, of_pairs
from arrangements.core.signs import open_signs, sign_text
from arrangements.errors import InputError
from arrangements.exact.numbers import fractions, quotient
from arrangements.exact.text import brief_text, exact_text
from arrangements.explorer.regions import Key, Regions, name_region, row_names
from arrangements.explorer.state import Model
from arrangements.explorer.views import View
from arrangements.messages import quote
from arrangements.proofs.points import chamber_points, ranking_points

# Coordinates and scores that are listed.
_MOST = 24
# Digits of a number in a list; a longer one is rounded and says so.
_DIGITS = 30
_MINUS = "\N{MINUS SIGN}"
_EITHER = "*?"


class Query(NamedTuple):
    """A question about rows or labels: as text, and as pairs or signs.

    Attributes
    ----------
    text : str
        What was asked for, in the words of the page.
    arrangement : Arrangement or None
        What the signs are about; None if nothing is asked, as of one label.
    signs : tuple of int or None
    parts : list of str
        What each sign speaks of.
    """

    text: str
    arrangement: Arrangement | None
    signs: tuple[int | None, ...]
    parts: list[str]


class Answer(NamedTuple):
    """HTML, and the regions on the list that fit."""

    html: str
    regions: list[int]


class Details(NamedTuple):
    """An exact point of a region, and the scores there, as text."""

    point: str
    scores: list[str]


def search(view: View, text: str) -> Answer:
    """Find a sign vector, a ranking or a set of labels, or prove that it is impossible.

    Parameters
    ----------
    view : View
    text : str
        Such as ``++-``, ``cat > dog``, ``cat dog bird``, or ``{cat, dog}`` for tops.

    Raises
    ------
    InputError
        If the text cannot be read.

    Examples
    --------
    >>> from arrangements.explorer.state import state_of
    >>> answer = search(View(state_of([[0], [1], [2]])), "0 > 2 > 1")
    >>> answer.regions, answer.html.startswith("<p><b>021 is impossible.</b>")
    ([], True)
    """
    model, k = view.state.whole, view.state.k
    key = _read(model, k, text)
    query = _query(model, k, key)
    name = notebook.html(query.text)
    fitting = [i for i, one in enumerate(view.regions.keys) if _fits(model, k, key, one)]
    point: Sequence[Fraction] = ()
    if query.arrangement is not None:
        certificate = feasible(query.arrangement, query.signs, within=view.state.inside)
        if not certificate.feasible:
            return Answer(refutation(name, certificate, query.parts), [])
        point = certificate.point or ()
    if len(fitting) == 1:
        return Answer(f"<p><b>{name} is possible.</b></p>", fitting)
    at = f" x = {_point(point)}" if point else ""
    where = f", but not in this plane:{at}"
    if fitting:
        where = f" in {len(fitting):,} of {len(view.names):,} regions" + (
            at and f", such as at{at}"
        )
    return Answer(f"<p><b>{name} is possible</b>{where}.</p>", fitting)


def details(view: View, i: int) -> Details:
    """What is known of one region.

    Examples
    --------
    >>> from arrangements.explorer.state import state_of
    >>> view = View(state_of([[1], [2]]))
    >>> details(view, view.number["10"])
    Details(point='(1)', scores=['1', '2'])
    """
    return _details(view, region_point(view.regions, i))


def all_details(view: View) -> list[Details]:
    """`details` of all regions, whose points are sought together.

    Examples
    --------
    >>> from arrangements.explorer.state import state_of
    >>> len(all_details(View(state_of([[1], [2]]))))
    2
    """
    regions = view.regions
    if regions.k:
        return [details(view, i) for i in range(len(view.names))]
    if isinstance(regions.model, Arrangement):
        signs = regions.array.astype(np.int8)
        whole = chamber_points(regions.model, signs, regions.within)
    else:
        orders = regions.array.astype(np.uint16)
        whole = ranking_points(regions.model, orders, regions.within)
    return [_details(view, tuple(quotient(x, point[-1]) for x in point[:-1])) for point in whole]


def _details(view: View, point: tuple[Fraction, ...]) -> Details:
    scores = [
        sum((w * x for w, x in zip(row, point, strict=True)), b)
        for row, b in zip(*_rows(view.regions.model), strict=True)
    ]
    return Details(_point(point), [_number(score) for score in scores[:_MOST]])


def region_point(regions: Regions, i: int) -> tuple[Fraction, ...]:
    """An exact point of a region.

    Examples
    --------
    >>> from arrangements.explorer.regions import regions_of
    >>> from arrangements.explorer.state import state_of
    >>> regions, _ = regions_of(state_of([[1], [2]]))
    >>> region_point(regions, regions.keys.index((1, 0)))
    (Fraction(1, 1),)
    """
    query, P = _query(regions.model, regions.k, regions.keys[i]), regions.within
    if query.arrangement is not None:
        point = feasible(query.arrangement, query.signs, within=P).point
    elif P is None:
        return (Fraction(0),) * regions.model.dimension
    else:
        point = P.interior_point
    assert point is not None  # the engine listed it
    return point


def find_impossible(view: View, most: int) -> dict[str, str]:
    """Proofs for all that is impossible, by name; none if there is more than that.

    Parameters
    ----------
    view : View
    most : int
        How many sign vectors, rankings or sets there may be in all.

    Examples
    --------
    >>> from arrangements.explorer.state import state_of
    >>> sorted(find_impossible(View(state_of([[0], [1], [2]])), 6))
    ['021', '102', '120', '201']
    """
    model, k = view.state.whole, view.state.k
    n = len(view.state.rows)
    every: Any
    if isinstance(model, Arrangement):
        number, every = 2 ** min(n, 40), product((1, -1), repeat=n)
    elif k:
        number, every = comb(n, k), combinations(range(n), k)
    else:
        number, every = factorial(min(n, 20)), permutations(range(n))
    if number > most:
        return {}
    found = {}
    for key in every:
        name = name_region(model, k, key)
        if name not in view.number:
            query = _query(model, k, key)
            assert query.arrangement is not None  # what is asked nothing is possible
            certificate = feasible(query.arrangement, query.signs, within=view.state.inside)
            if not certificate.feasible:
                found[name] = refutation(notebook.html(name), certificate, query.parts)
    return found


# ------------------------------------------------------------------ what is asked


def _read(model: Model, k: int, text: str) -> Key:
    """The signs or labels that a text names."""
    if isinstance(model, Arrangement):
        marks = "".join(text.replace(_MINUS, "-").replace(",", " ").split())
        if len(marks) != len(model) or set(marks) - set("+-" + _EITHER):
            raise InputError(
                f"{quote(text)} is no sign vector; expected {len(model)} signs, each + or -, "
                "or * for either."
            )
        return tuple({"+": 1, "-": -1}.get(mark, 0) for mark in marks)
    names = row_names(model)
    found = tuple(_label(part, names) for part in _split(text, names))
    if len(set(found)) < len(found):
        raise InputError(f"{quote(text)} names a label twice; expected each at most once.")
    if k and len(found) != k:
        raise InputError(f"{quote(text)} names {len(found)} labels; expected a set of {k}.")
    if not found:
        raise InputError("nothing to look for; expected labels, such as a > b.")
    return tuple(sorted(found)) if k else found


def _split(text: str, names: Sequence[str]) -> list[str]:
    longest_first = "|".join(map(re.escape, sorted(filter(None, names), key=len, reverse=True)))
    if not re.sub(longest_first, "", text).strip(" >,{}"):  # names may hold such marks themselves
        return re.findall(longest_first, text)
    stripped = text.strip().strip("{}")
    for mark in ">", ",":
        if mark in stripped:
            return [part.strip() for part in stripped.split(mark)]
    return stripped.split()


def _label(name: str, names: Sequence[str]) -> int:
    if name not in names:
        raise InputError(f"no label is called {quote(name)}{similar_names(name, names)}.")
    return list(names).index(name)


def _query(model: Model, k: int, key: Key) -> Query:
    if isinstance(model, Arrangement):
        names = row_names(model)
        signs = open_signs(np.array(key, np.int8))  # 0 is either in a key
        text = sign_text(signs).replace("-", _MINUS)
        parts = [
            f"({'' if s > 0 else _MINUS}{_word(name, 'row ')})"
            for s, name in zip(key, names, strict=True)
        ]
        return Query(text, model, signs, parts)
    if k:
        others = [j for j in range(model.n_labels) if j not in key]
        pairs = list(product(key, others))
    else:
        pairs = list(zip(key, key[1:], strict=False))
    first, second = [i for i, _ in pairs], [j for _, j in pairs]
    names = row_names(model)
    scores = [_word(name, "s") for name in names]
    parts = [f"({scores[i]} {_MINUS} {scores[j]})" for i, j in pairs]
    if not pairs:
        return Query(name_region(model, k, key), None, (), [])
    whole = k or len(key) == model.n_labels
    text = name_region(model, k, key) if whole else " > ".join(names[i] for i in key)
    return Query(text, of_pairs(model, first, second), (1,) * len(pairs), parts)


def _word(name: str, before: str) -> str:
    """A name in a sum: a number alone would be read as one."""
    return f"{before}{name}" if name.isdecimal() else name


def _fits(model: Model, k: int, key: Key, one: Key) -> bool:
    if isinstance(model, ScoreModel) and not k:
        chosen = set(key)
        return tuple(i for i in one if i in chosen) == key
    return all(a in (0, b) for a, b in zip(key, one, strict=True)) if not k else key == one


# ------------------------------------------------------------------ words


def refutation(name: str, certificate: Certificate, parts: Sequence[str]) -> str:
    """The proof by Farkas weights in words, checked.

    Parameters
    ----------
    name : str
        HTML.
    certificate : Certificate
    parts : sequence of str
        What each sign of the certificate speaks of.
    """
    assert certificate.weights is not None
    if not certificate.verify():  # pragma: no cover (it proves what was just proved)
        raise AssertionError("a proof does not hold")
    functions = _functions(certificate, parts)
    chosen = [(f, y) for f, y in zip(functions, certificate.weights, strict=True) if y]
    constant = sum((y * f.constant for f, y in chosen), Fraction(0))
    terms = " + ".join((f"{_factor(y)} " if y != 1 else "") + f.html for f, y in chosen)
    always = f"{_number(constant)} at every x"
    positive = ", ".join(f.html for f, _ in chosen if f.is_positive)
    zero = ", ".join(f.html for f, _ in chosen if not f.is_positive)
    several = sum(f.is_positive for f, _ in chosen) > 1
    facts = [f"{'each of these' if several else 'this'} is positive: {positive}"] * bool(positive)
    facts += [f"this is 0: {zero}"] * bool(zero)
    where = " inside the polyhedron" * (certificate.within is not None)
    contradiction = "not positive" if positive else "negative"
    return (
        f"<p><b>{name} is impossible{where}.</b> Where it occurs{where}, {', and '.join(facts)}. "
        f"But {terms} = {always}, which is {contradiction}. "
        f"{_explain_names(certificate, positive + zero)}"
        "The identity was checked in exact arithmetic.</p>"
    )


class _Function(NamedTuple):
    """A function in a proof: as HTML, its constant, and whether it is positive (else 0)."""

    html: str
    constant: Fraction
    is_positive: bool


def _functions(certificate: Certificate, parts: Sequence[str]) -> list[_Function]:
    """Functions of the rows, and of the polyhedron: in the order of the weights."""
    b, signs = certificate.arrangement.offsets, certificate.signs
    offsets = [Fraction(0)] * len(signs) if b is None else fractions(b)
    found = [
        _Function(str(notebook.html(part)), (sign or 0) * c, True)
        for part, sign, c in zip(parts, signs, offsets, strict=True)
    ]
    if (P := certificate.within) is not None:
        equal = set(P.implicit_equations)
        for j, c in enumerate(fractions(P.inequalities[1])):
            found.append(_Function(f"(slack of inequality {j})", c, j not in equal))
        for j, c in enumerate(fractions(P.equations[1])):
            found.append(_Function(f"(gap of equation {j})", c, False))
    return found


def _explain_names(certificate: Certificate, functions: str) -> str:
    """What the names in a proof stand for."""
    found = []
    if f" {_MINUS} " in functions:
        label = re.search(r"\bs(\d+)\b", functions)
        found.append(
            f"s{label[1]} is the score of label {label[1]}" if label else "a name is a score"
        )
    elif certificate.support:
        offset = "" if certificate.arrangement.offsets is None else ", plus its offset"
        row = re.search(r"\brow \d+\b", functions)
        name = row[0] if row else "a name"
        found.append(f"{name} is the product of that row with x{offset}")
    if side := re.search(r"\(((?:slack|gap) of \w+ \d+)\)", functions):
        found.append(f"the {side[1]} of the polyhedron is its right side minus its left side")
    return f"Here {', and '.join(found)}. " if found else ""


def _rows(model: Model) -> tuple[list[tuple[Fraction, ...]], list[Fraction]]:
    weights = model.normals if isinstance(model, Arrangement) else model.weights
    b = model.offsets
    rows = [fractions(row) for row in weights]
    return rows, [Fraction(0)] * len(rows) if b is None else list(fractions(b))


def _point(point: Sequence[Fraction]) -> str:
    return f"({', '.join(_number(x) for x in point[:_MOST])}" + (
        ", \N{HORIZONTAL ELLIPSIS})" if len(point) > _MOST else ")"
    )


def _factor(value: Any) -> str:
    """A number in front of another one: a sum, such as 1 + sqrt(2), in parentheses."""
    text = _number(value)
    return f"({text})" if " + " in text or f" {_MINUS} " in text else text


def _number(value: Fraction) -> str:
    whole = exact_text(value)
    text = whole if len(whole) <= _DIGITS else brief_text(value, _DIGITS)
    return text.replace("-", _MINUS)
