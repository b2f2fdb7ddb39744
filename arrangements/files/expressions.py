"""Irrational numbers in text, such as ``sqrt(2)/2`` and ``cos(2*pi/7)``; no text runs as code."""

from __future__ import annotations

import ast
import re
from typing import Any

# An entry is read as an expression if it has one of these; other words may be names of columns.
_MARK = re.compile(r"\b(?:sqrt|cos|sin)\(|\bGoldenRatio\b|\*\*")
_TOKENS = re.compile(r"(?:[0-9]+|[-+*/()]|sqrt|cos|sin|pi|GoldenRatio)+")
_MOST_CHARACTERS = 200
# What is longer would take long, or leave the fields that are supported.
_MOST_PARTS = 240
# The degree of the number doubles with each root within a root.
_MOST_ROOTS = 5


def is_expression(text: str) -> bool:
    """Whether an entry is meant to be an irrational number.

    Examples
    --------
    >>> is_expression("-sqrt(5)/2"), is_expression("2**(1/3)"), is_expression("cost")
    (True, True, False)
    """
    return _MARK.search(text) is not None and _TOKENS.fullmatch(text) is not None


def expression(text: str) -> Any:
    """The SymPy number of an expression of integers, ``+ - * / **``, roots, sines and cosines.

    Raises
    ------
    ValueError
        If it is none, or too long.

    Examples
    --------
    >>> expression("1/2+sqrt(8)"), expression("2*cos(pi/5)-GoldenRatio+2**(1/3)")
    (1/2 + 2*sqrt(2), -GoldenRatio + 1/2 + sqrt(5)/2 + 2**(1/3))
    """
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(text)
    try:
        found = _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError, ZeroDivisionError) as error:
        raise ValueError(text) from error
    if found.is_finite is False or found.is_real is False:
        raise ValueError(text)
    return found


def _value(node: ast.AST) -> Any:
    import sympy  # loads slowly

    match node:
        case ast.Constant(value=int(number)):
            return sympy.Integer(number)
        case ast.Name(id="pi" | "GoldenRatio" as name):
            return getattr(sympy, name)
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return -_value(part)
        case ast.UnaryOp(op=ast.UAdd(), operand=part):
            return _value(part)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _value(left) + _value(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _value(left) - _value(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _value(left) * _value(right)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _quotient(_value(left), _value(right))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            if any(isinstance(part, ast.Pow) for part in ast.walk(left)):
                raise ValueError("a power of a power")
            return _value(left) ** _short(_value(right))
        case ast.Call(func=ast.Name(id="sqrt"), args=[part]):
            if sum(isinstance(inner, ast.Call) for inner in ast.walk(part)) > _MOST_ROOTS:
                raise ValueError("roots of roots")
            return sympy.sqrt(_value(part))
        case ast.Call(func=ast.Name(id="cos" | "sin" as name), args=[part]):
            angle = _value(part)
            _short(angle / sympy.pi)
            return getattr(sympy, name)(angle)
    raise ValueError(ast.dump(node))


def _quotient(a: Any, b: Any) -> Any:
    if b.is_zero:
        raise ZeroDivisionError
    return a / b


def _short(number: Any) -> Any:
    """A rational number of small numerator and denominator."""
    if not number.is_Rational or max(abs(number.p), number.q) > _MOST_PARTS:
        raise ValueError(str(number))
    return number
