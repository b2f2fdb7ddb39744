"""Properties of networks in the format of VNN-LIB, the standard of verifiers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from arrangements.addresses import public_class
from arrangements.errors import InputError
from arrangements.exact.coercion import as_fractions
from arrangements.exchange.forms import check_text
from arrangements.polyhedra.polyhedron import Polyhedron

# Cases of a property, nested parentheses, and digits of a number.
_MOST_CASES, _MOST_LEVELS, _MOST_DIGITS = 10_000, 64, 4000
_TOKEN = re.compile(r"\s*(?:;[^\n]*\s*)*([()]|[^\s();]+)")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?")
_VARIABLE = re.compile(r"([XY])_(\d+)")

# A linear form: coefficients by variable, the constant under ().
Form = dict[Any, Fraction]
# Linear forms that are at most 0, all of them.
Conjunction = list[Form]


@public_class
class PropertyCase(NamedTuple):
    """Inputs and outputs that a property asks for together.

    Attributes
    ----------
    inputs : Polyhedron
        Of the inputs x.
    outputs : Polyhedron
        Of the outputs y.
    """

    inputs: Polyhedron
    outputs: Polyhedron


@public_class
class NetworkProperty(NamedTuple):
    """A property in the sense of VNN-LIB: what a counterexample is.

    Attributes
    ----------
    cases : tuple of PropertyCase
        An input x with output y is a counterexample if x is in the inputs and y in the outputs of
        one of them. No cases: there is none.
    """

    cases: tuple[PropertyCase, ...]

    def is_met(self, x: ArrayLike, y: ArrayLike) -> bool:
        """Tell if an input and its output are a counterexample, exactly.

        Parameters
        ----------
        x : (d,) array_like
        y : (n,) array_like
            Such as ``network.forward(x)``.
        """
        points = [np.array(as_fractions(v, name), object) for v, name in ((x, "x"), (y, "y"))]
        return any(
            case.inputs.contains(points[0]) and case.outputs.contains(points[1])
            for case in self.cases
        )


def from_vnnlib(text: str) -> NetworkProperty:
    """The property that a text in the format of VNN-LIB [1]_ describes, exact.

    Parameters
    ----------
    text : str
        Declarations of real constants ``X_0``, .., ``Y_0``, .., and assertions of linear
        inequalities ``<=`` and ``>=`` with ``and`` and ``or``. Decimals are exact: 0.1 is 1/10.

    Returns
    -------
    NetworkProperty
        In disjunctive form.

    Raises
    ------
    InputError
        If the text is malformed, an inequality is strict or not linear, or has inputs and outputs
        together.

    References
    ----------
    .. [1] C. Brix, M. N. Mueller, S. Bak, T. T. Johnson, C. Liu, First three years of the
       International Verification of Neural Networks Competition (VNN-COMP), STTT 25 (2023)
       329-339.

    Examples
    --------
    >>> found = from_vnnlib('''
    ...     (declare-const X_0 Real) (declare-const Y_0 Real) (declare-const Y_1 Real)
    ...     (assert (>= X_0 -0.5)) (assert (<= X_0 0.1))
    ...     (assert (or (>= Y_0 Y_1) (<= (+ Y_0 (* 2 Y_1)) 3)))
    ... ''')
    >>> [(str(v[0])) for v in found.cases[0].inputs.vertices], len(found.cases)
    (['-1/2', '1/10'], 2)
    >>> found.is_met([0], [1, 2]), found.is_met([0], [2, 1])
    (False, True)
    """
    check_text(text)
    declared: set[tuple[str, int]] = set()
    alternatives: list[list[Conjunction]] = []
    for command in _parse(text):
        name = command[0] if isinstance(command, list) and command else None
        if name in ("declare-const", "declare-fun") and len(command) >= 3:
            declared.add(_variable(command[1]))
        elif name == "assert" and len(command) == 2:
            alternatives.append(_disjunction(command[1], declared))
        elif name not in ("set-logic", "set-info", "set-option", "check-sat", "get-model", "exit"):
            raise InputError(f"text has {_shown(command)}; expected declare-const or assert.")
    sizes = [_size(declared, letter) for letter in "XY"]
    if prod(map(len, alternatives)) > _MOST_CASES:
        raise InputError(f"text has more than {_MOST_CASES} cases; expected fewer.")
    polyhedra: dict[Any, Polyhedron] = {}
    cases = [_case(chosen, sizes, polyhedra) for chosen in product(*alternatives)]
    return NetworkProperty(tuple(cases))


# ------------------------------------------------------------------ text


def _parse(text: str) -> list[Any]:
    """Nested lists of words."""
    stack: list[list[Any]] = [[]]
    at = 0
    while (found := _TOKEN.match(text, at)) is not None:
        at, word = found.end(), found[1]
        if word == "(":
            stack.append([])
            if len(stack) > _MOST_LEVELS:
                raise InputError(f"text has more than {_MOST_LEVELS} nested parentheses.")
        elif word != ")":
            stack[-1].append(word)
        elif len(stack) == 1:
            raise InputError("text closes a parenthesis that is not open.")
        else:
            inner = stack.pop()
            stack[-1].append(inner)
    if len(stack) > 1:
        raise InputError("text ends before its parentheses are closed.")
    return stack[0]


def _shown(expression: Any) -> str:
    text = expression if isinstance(expression, str) else f"({' '.join(map(_shown, expression))})"
    return text if len(text) <= 60 else f"{text[:54]}.."


def _variable(word: Any) -> tuple[str, int]:
    found = _VARIABLE.fullmatch(word) if isinstance(word, str) else None
    if found is None or len(found[2]) > 8:
        raise InputError(f"text has the variable {_shown(word)}; expected X_0, .. and Y_0, ..")
    return found[1], int(found[2])


def _size(declared: set[tuple[str, int]], letter: str) -> int:
    """How many inputs or outputs there are."""
    numbers = {n for name, n in declared if name == letter}
    if numbers != set(range(len(numbers))) or not numbers:
        raise InputError(
            f"text declares {len(numbers)} variables {letter}; expected {letter}_0, {letter}_1, .. "
            "without gaps."
        )
    return len(numbers)


# ------------------------------------------------------------------ logic


def _disjunction(expression: Any, declared: set[tuple[str, int]]) -> list[Conjunction]:
    """A formula as alternatives of conjunctions."""
    if not isinstance(expression, list) or not expression:
        raise InputError(f"text has {_shown(expression)}; expected an inequality, and, or.")
    name, *parts = expression
    if name == "or":
        return [one for part in parts for one in _disjunction(part, declared)]
    if name == "and":
        each = [_disjunction(part, declared) for part in parts]
        if prod(map(len, each)) > _MOST_CASES:
            raise InputError(f"text has more than {_MOST_CASES} cases; expected fewer.")
        return [[form for part in chosen for form in part] for chosen in product(*each)]
    if name not in ("<=", ">=") or len(parts) != 2:
        raise InputError(
            f"text has {_shown(expression)}; expected <= or >= of two expressions, and, or."
        )
    left, right = (_form(part, declared) for part in parts)
    return [[_sum(left, right, -1) if name == "<=" else _sum(right, left, -1)]]


def _form(expression: Any, declared: set[tuple[str, int]]) -> Form:
    """A linear form."""
    if isinstance(expression, str):
        if _NUMBER.fullmatch(expression) and len(expression) <= _MOST_DIGITS:
            return {(): Fraction(expression)}
        variable = _variable(expression)
        if variable not in declared:
            raise InputError(f"text has {expression}, which it does not declare.")
        return {variable: Fraction(1)}
    name, *parts = expression or [""]
    forms = [_form(part, declared) for part in parts]
    if name == "+" and forms:
        found: Form = {}
        for form in forms:
            found = _sum(found, form, 1)
        return found
    if name == "-" and forms:
        if len(forms) == 1:
            return _sum({}, forms[0], -1)
        found = forms[0]
        for form in forms[1:]:
            found = _sum(found, form, -1)
        return found
    constants = [form for form in forms if not form.keys() - {()}]
    if name == "*" and len(forms) == 2 and constants:
        other = forms[0] if constants[0] is forms[1] else forms[1]
        return _sum({}, other, constants[0].get((), Fraction(0)))
    if name == "/" and len(forms) == 2 and forms[1].get(()) and not forms[1].keys() - {()}:
        return _sum({}, forms[0], 1 / forms[1][()])
    raise InputError(f"text has {_shown(expression)}; expected a linear expression.")


def _sum(first: Form, second: Form, factor: Fraction | int) -> Form:
    """``first + factor * second``."""
    found = dict(first)
    for key, value in second.items():
        found[key] = found.get(key, Fraction(0)) + factor * value
    return found


def _letters(form: Form) -> set[str]:
    return {key[0] for key, value in form.items() if key and value}


def _case(
    chosen: Iterable[Conjunction], sizes: list[int], polyhedra: dict[Any, Polyhedron]
) -> PropertyCase:
    """The inequalities of several conjunctions, those of inputs and those of outputs."""
    forms = [form for conjunction in chosen for form in conjunction]
    if any(len(_letters(form)) > 1 for form in forms):
        raise InputError(
            "text has an inequality of inputs and outputs together; expected one of X or of Y."
        )
    found = []
    for letter, n in zip("XY", sizes, strict=True):
        own = [form for form in forms if _letters(form) <= {letter}]
        found.append(_polyhedron(own, n, letter, polyhedra))
    return PropertyCase(*found)


def _polyhedron(
    forms: Conjunction, n: int, letter: str, known: dict[Any, Polyhedron]
) -> Polyhedron:
    """The points where all forms are at most 0; equal ones are made once."""
    key = letter, tuple(tuple(sorted(form.items(), key=str)) for form in forms)
    if key not in known:
        A, c = np.zeros((len(forms), n), object), np.zeros(len(forms), object)
        for k, form in enumerate(forms):
            c[k] = -form.get((), Fraction(0))
            for variable, value in form.items():
                if variable:
                    A[k, variable[1]] = value
        known[key] = Polyhedron(A, c)
    return known[key]
