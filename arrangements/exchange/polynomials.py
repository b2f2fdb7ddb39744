"""Polynomials in text, read without running it as code, and their linear factors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from arrangements.errors import InputError
from arrangements.exact.number_field import FieldElement
from arrangements.exact.symbolic import in_common_field
from arrangements.files.expressions import expression
from arrangements.messages import quote

# Coefficients by monomial, the sorted names of its variables: ("x", "x", "y").
Polynomial = dict[tuple[str, ...], Any]

_TOKEN = re.compile(r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|[^\W\d][\w']*|\*\*|//|\S")
_FUNCTIONS = ("sqrt", "cos", "sin")
RESERVED = {*_FUNCTIONS, "pi", "GoldenRatio"}  # no names of variables
_MOST_CHARACTERS = 100_000
_MOST_LEVELS = 100  # of parentheses
MOST_EXPONENT = 1000
_MOST_WORK = 10**6  # products of coefficients; longer ones count more


def read_equation(
    text: str, constants: Mapping[str, Any], names: set[str] | None = None
) -> list[Polynomial]:
    """Factors whose product vanishes on the hyperplanes of an equation.

    `constants` has the names that stand for numbers; variables in the text are added to `names`.

    Examples
    --------
    >>> read_equation("2*x = y/3", {})
    [{('x',): Fraction(2, 1), ('y',): Fraction(-1, 3)}]
    """
    if len(text) > _MOST_CHARACTERS:
        raise InputError(
            f"an equation has {len(text)} characters; expected at most {_MOST_CHARACTERS}."
        )
    left, *others = re.split("==?", text)
    if len(others) > 1:
        raise InputError(f"{quote(text)} has several signs =; expected one equation.")
    reader = _Reader(text, constants, names)
    factors = reader.read(left)
    right = reader.expand(reader.read(others[0])) if others else {}
    return [reader.add(reader.expand(factors), right, -1)] if right else factors


def read_number(text: str, constants: Mapping[str, Any]) -> Any:
    """A number in text, as a Fraction or a number of a field.

    Examples
    --------
    >>> read_number("-1/2", {}), read_number("2*sqrt(2)", {})
    (Fraction(-1, 2), 2*sqrt(2))
    """
    reader = _Reader(text, constants)
    return reader.constant(reader.read(text), "it")


def parse_integer(text: str) -> int:
    """An integer of any number of digits."""
    return int(text) if len(text) < 4300 else int(Decimal(text))


class _Reader:
    """Reads polynomials by recursive descent; each is a list of factors, as written."""

    def __init__(
        self, text: str, constants: Mapping[str, Any], names: set[str] | None = None
    ) -> None:
        self.text, self.constants = text, constants
        self.names = set() if names is None else names
        self.work = self.level = 0

    def read(self, side: str) -> list[Polynomial]:
        self.tokens, self.place = [*_TOKEN.findall(side), ""], 0
        found = self.sum()
        if self.token:
            raise self.unexpected(self.token)
        return found

    @property
    def token(self) -> str:
        """The next token; empty at the end."""
        return self.tokens[self.place]

    def next(self) -> str:
        token = self.token
        self.place += bool(token)
        return token

    def error(self, problem: str) -> InputError:
        return InputError(
            f"{quote(self.text)} cannot be read: {problem}. Expected an equation such as "
            "'2*x - y/3 = 1', with + - * / ^, integer powers, parentheses and sqrt."
        )

    def unexpected(self, token: str) -> InputError:
        return self.error(f"{token!r} is not expected there" if token else "it ends too early")

    # ------------------------------------------------------------------ the grammar

    def sum(self) -> list[Polynomial]:
        first = self.product()
        if self.token not in ("+", "-"):
            return first
        total = dict(self.expand(first))
        while self.token in ("+", "-"):
            self.add(total, self.expand(self.product()))
        return [total]

    def product(self) -> list[Polynomial]:
        found: list[Polynomial] = []
        operation, sign = "*", self.sign()
        while True:
            number = self.token[:1].isdecimal()
            factors = self.power()
            if operation != "*":
                factors = self.inverse(factors)
            found += factors
            if self.token in ("*", "/", "//"):
                operation = self.next()
                sign *= self.sign()
            elif number and (self.token == "(" or self.token[:1].isalpha()):  # 2x
                operation = "*"
            else:
                return [{(): Fraction(-1)}, *found] if sign < 0 else found

    def sign(self) -> int:
        sign = 1
        while self.token in ("+", "-"):
            sign *= 1 if self.next() == "+" else -1
        return sign

    def power(self) -> list[Polynomial]:
        base = self.atom()
        if self.token not in ("^", "**"):
            return base
        self.next()
        exponent = self.sign() * self.constant(self.atom(), "an exponent")
        if isinstance(exponent, FieldElement):
            raise self.error("an exponent is irrational")
        if abs(exponent) > MOST_EXPONENT or len(base) > MOST_EXPONENT:
            raise self.error(f"an exponent is above {MOST_EXPONENT}")
        if exponent.denominator != 1:
            return self.number(f"({self.constant(base, 'the base of a root')})**({exponent})")
        if exponent < 0:
            base = self.inverse(base)
        self.spend(len(base) * abs(int(exponent)))
        return base * abs(int(exponent))

    def atom(self) -> list[Polynomial]:
        start, token = self.place, self.next()
        if token == "(":
            self.level += 1
            if self.level > _MOST_LEVELS:
                raise self.error(f"it has more than {_MOST_LEVELS} levels of parentheses")
            found = self.sum()
            if self.next() != ")":
                raise self.error("a parenthesis is not closed")
            self.level -= 1
            return found
        if token[:1].isdecimal():
            exponent = token.lower().partition("e")[2] or "0"
            if abs(parse_integer(exponent)) > MOST_EXPONENT:
                raise self.error(f"an exponent is above {MOST_EXPONENT}")
            return [{(): Fraction(Decimal(token))}]
        if token in self.constants:
            return [{(): self.constants[token]}]
        if token in (*_FUNCTIONS, "GoldenRatio"):
            if token in _FUNCTIONS:
                self.skip_parentheses()
            return self.number(" ".join(self.tokens[start : self.place]).replace("^", "**"))
        if not token.replace("'", "").isidentifier():
            raise self.unexpected(token)
        if token == "pi" or self.token == "(":
            raise self.error(f"{token!r} is not a variable")
        self.names.add(token)
        return [{(token,): Fraction(1)}]

    def skip_parentheses(self) -> None:
        level = 0
        while True:
            token = self.next()
            if not token:
                raise self.error("a parenthesis is not closed")
            level += (token == "(") - (token == ")")
            if level <= 0:
                return

    # ------------------------------------------------------------------ values

    def number(self, text: str) -> list[Polynomial]:
        """An irrational number."""
        try:
            (found,) = in_common_field([expression(text)], str)
        except ValueError as error:
            raise self.error(f"{quote(text)} is not a real algebraic number") from error
        return [{(): found if isinstance(found, FieldElement) else Fraction(found)}]

    def constant(self, factors: list[Polynomial], what: str) -> Any:
        """The number that a product is."""
        found = self.expand(factors)
        if any(found):
            raise self.error(f"{what} is not a number")
        return found.get((), Fraction(0))

    def inverse(self, factors: list[Polynomial]) -> list[Polynomial]:
        divisor = self.constant(factors, "a divisor")
        if not divisor:
            raise self.error("a divisor is zero")
        return [{(): 1 / divisor}]

    def expand(self, factors: list[Polynomial]) -> Polynomial:
        """The product of factors, multiplied out."""
        found = factors[0] if factors else {(): Fraction(1)}
        for factor in factors[1:]:
            length = sum(map(len, found)) + max(map(_bits, found.values()), default=0)
            self.spend(len(found) * len(factor) * (1 + length // 256))
            product: Polynomial = {}
            for m, c in found.items():
                scaled = {tuple(sorted(m + n)): c * e for n, e in factor.items()}
                self.add(product, scaled)
            found = product
        return {m: c for m, c in found.items() if c}

    def add(self, total: Polynomial, other: Polynomial, sign: int = 1) -> Polynomial:
        """Add a polynomial, or subtract it."""
        for m, c in other.items():
            value = total.pop(m, Fraction(0)) + sign * c
            if value:
                total[m] = value
        return total

    def spend(self, work: int) -> None:
        self.work += work
        if self.work > _MOST_WORK:
            raise self.error("multiplying it out takes too long; write the factors by themselves")


def _bits(number: Any) -> int:
    if isinstance(number, FieldElement):
        return max(c.bit_length() for c in number.numerators)
    return int(number.numerator.bit_length() + number.denominator.bit_length())


def natural_order(name: str) -> tuple[list[Any], str]:
    """Sorts x2 before x10, and x01 before x1.

    Examples
    --------
    >>> sorted(["x10", "x2", "a"], key=natural_order)
    ['a', 'x2', 'x10']
    """
    parts: list[Any] = re.split("([0-9]{1,9})", name)
    parts[1::2] = map(int, parts[1::2])
    return parts, name
