"""Families of arrangements by name where a file is read: text such as ``resonance(9)``.

The text is parsed and never evaluated: a call of a family, whose arguments are numbers, text,
True, False, None, lists and tuples of these, or families.
"""

import ast
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from arrangements.errors import InputError
from arrangements.messages import quote
from arrangements.public import OWN

if TYPE_CHECKING:
    from arrangements.core.arrangement import Arrangement

FAMILIES = sorted(
    name
    for names in OWN["generators"].values()
    for name in names.split()
    if name != "positive_roots"  # a table of vectors, not an arrangement
)
_CALL = re.compile(r"\s*[^\W\d]\w*\s*\(.*\)\s*", re.DOTALL)


def is_family(text: str) -> bool:
    """Whether a text is a call. No file that can be read has such a name: it has an extension."""
    return _CALL.fullmatch(text) is not None


def parse_family(text: str) -> "Arrangement":
    """The arrangement that a call of a family describes.

    Raises
    ------
    InputError
        If there is no such family, or its arguments are others.

    Examples
    --------
    >>> parse_family('coxeter("B", n=3)')
    Arrangement(9 hyperplanes in dimension 3, central)
    """
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call = None
    return _build(call, text)


def refuse_bare_name(text: str) -> None:
    """Refuse the name of a family without its arguments."""
    if text in FAMILIES:
        raise InputError(f"{text} is a family of arrangements; expected {_signature(text)}.")


def _build(node: ast.expr | None, text: str) -> "Arrangement":
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise InputError(
            f"{quote(text)} is no call of a family; expected one such as resonance(9) or "
            "coxeter('E7')."
        )
    name = node.func.id
    if name not in FAMILIES:
        near = get_close_matches(name, FAMILIES, 3)
        advice = f"did you mean {', '.join(near)}?" if near else f"expected {', '.join(FAMILIES)}."
        raise InputError(f"there is no family {quote(name)}; {advice}")
    arguments = [_argument(argument, name) for argument in node.args]
    if any(option.arg is None for option in node.keywords):
        raise InputError(f"** cannot be used in {name}; expected {_signature(name)}.")
    names = [option.arg for option in node.keywords]
    if len(set(names)) < len(names):
        raise InputError(f"{name} has an argument twice; expected {_signature(name)}.")
    options = {str(option.arg): _argument(option.value, name) for option in node.keywords}
    from inspect import signature  # loads slowly

    from arrangements import generators

    family = getattr(generators, name)
    try:
        signature(family).bind(*arguments, **options)
    except TypeError as error:
        raise InputError(f"{name}: {error}; expected {_signature(name)}.") from error
    found: Arrangement = family(*arguments, **options)
    return found


def _argument(node: ast.expr, name: str) -> Any:
    if isinstance(node, ast.Call):
        return _build(node, ast.unparse(node))
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError) as error:
        raise InputError(
            f"{quote(ast.unparse(node))} in {name} is no number, text or list of these; expected "
            f"{_signature(name)}."
        ) from error


def _signature(name: str) -> str:
    """A family with the names of its arguments, such as ``generic(n, d, rng=None)``."""
    from inspect import signature  # loads slowly

    from arrangements import generators

    parameters = signature(getattr(generators, name)).parameters.values()
    return f"{name}({', '.join(str(each.replace(annotation=each.empty)) for each in parameters)})"
