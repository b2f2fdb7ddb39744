"""Derivations of a central arrangement of given degrees, and Saito's criterion.

A derivation is a vector of polynomials, theta = (f_1, .., f_d), one for each coordinate, such that
``sum a_j f_j`` is divisible by ``a . x`` for each hyperplane ``a . x = 0``; of a multiarrangement,
by the power of ``a . x`` that the multiplicity says. Those of one degree are the solutions of
linear equations. Coordinates y are chosen so that r of the hyperplanes are ``y_i = 0``; then
``f_i = y_i^m_i g_i``, and only the other hyperplanes give equations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from itertools import combinations_with_replacement, count
from math import comb, prod
from typing import TYPE_CHECKING, Any, Literal

from arrangements.exact import linear
from arrangements.exact.field_entries import coefficients_of, field_of_rows
from arrangements.exact.number_field import NumberField
from arrangements.structure.points import point_off

if TYPE_CHECKING:
    from sympy import Poly

Monomial = tuple[int, ...]
# Coefficients by the number of the component and the monomial of g.
Derivation = dict[tuple[int, Monomial], Any]


@cache
def monomials(variables: int, degree: int) -> list[Monomial]:
    """Exponents of the monomials of a degree.

    Examples
    --------
    >>> monomials(2, 2)
    [(2, 0), (1, 1), (0, 2)]
    """
    chosen = combinations_with_replacement(range(variables), degree)
    return [tuple(map(factors.count, range(variables))) for factors in chosen]


def unknowns(r: int, degree: int) -> int:
    """Number of coefficients of a derivation of a degree, without multiplicities.

    Examples
    --------
    >>> unknowns(3, 2)
    9
    """
    return r * comb(degree + r - 2, r - 1) if degree else 0


@dataclass(frozen=True)
class Module:
    """Derivations of a multiarrangement, in coordinates in which its first rows are unit vectors.

    Attributes
    ----------
    rows : n whole rows of length r, none proportional, of which the first r are unit vectors
        Scaled: row i is any non-zero multiple of a unit vector.
    multiplicities : n positive integers

    Examples
    --------
    >>> plane = Module([[1, 0], [0, 1], [1, 1]], [1, 1, 1])
    >>> len(plane.basis_of_degrees((1, 2))), plane.basis_of_degrees((1, 1)) is None
    (2, True)
    >>> [degree for degree, _ in Module([[1, 0], [0, 1], [1, 1]], [3, 3, 3]).basis(99)]
    [4, 5]
    """

    rows: Sequence[Sequence[int]]
    multiplicities: Sequence[int]

    def basis_of_degrees(self, degrees: Sequence[int]) -> list[Derivation] | None:
        """Derivations of r given degrees that are a basis, if there is a basis of these degrees."""
        found: list[tuple[int, Derivation]] = []
        for degree in sorted(set(degrees)):
            new = self._new_generators(degree, found)
            if new is None or len(new) != list(degrees).count(degree):
                return None
            found += ((degree, theta) for theta in new)
        return [theta for _, theta in found] if self._is_basis(found) else None

    def basis(self, most: int) -> list[tuple[int, Derivation]] | None | Literal[False]:
        """Derivations of any degrees that are a basis; None if there is none.

        False if equations with more than `most` coefficients would tell.
        """
        r, total = len(self.rows[0]), sum(self.multiplicities)
        found: list[tuple[int, Derivation]] = []
        for degree in count(min(self.multiplicities)):
            spent = sum(lower for lower, _ in found)
            if spent + (r - len(found)) * degree > total:
                return None
            if len(self._names(degree)) > most:
                return False
            new = self._new_generators(degree, found)
            if new is None or len(found) + len(new) > r:
                return None
            found += ((degree, theta) for theta in new)
            if len(found) == r:
                return found if self._is_basis(found) else None
        return None

    def _names(self, degree: int) -> list[tuple[int, Monomial]]:
        """The coefficients of a derivation of a degree."""
        r = len(self.rows[0])
        return [
            (i, m)
            for i in range(r)
            if degree >= self.multiplicities[i]
            for m in monomials(r, degree - self.multiplicities[i])
        ]

    def _new_generators(
        self, degree: int, found: list[tuple[int, Derivation]]
    ) -> list[Derivation] | None:
        """What generates, with multiples of those of lower degrees, all of a degree.

        None if the multiples are dependent: the generators are those of no free module.
        """
        names = self._names(degree)
        places = {name: k for k, name in enumerate(names)}
        if not names:
            return []
        solutions = linear.nullspace(self._equations(degree, places), len(places))
        known = [
            _as_row(theta, factor, places)
            for lower, theta in found
            for factor in monomials(len(self.rows[0]), degree - lower)
        ]
        if len(known) > len(solutions):
            return None
        chosen = linear.completion(known, solutions)
        if chosen is None:
            return None
        return [{names[k]: c for k, c in enumerate(solutions[j]) if c} for j in chosen]

    def _equations(self, degree: int, places: dict[Any, int]) -> list[list[int]]:
        """Equations for the coefficients of g: powers of a form divide ``sum a_i y_i^m_i g_i``."""
        r = len(self.rows[0])
        equations: list[list[int]] = []
        for row, multiplicity in zip(self.rows[r:], self.multiplicities[r:], strict=True):
            pivot = max(i for i, a in enumerate(row) if a)
            powers = list(_powers(row, pivot, degree))
            table: dict[Any, list[int]] = {}
            for (i, m), place in places.items():
                if not row[i]:
                    continue
                raised = [e + (j == i) * self.multiplicities[i] for j, e in enumerate(m)]
                exponent, raised[pivot] = raised[pivot], 0
                # a_p y_p = L - R, where L is the form and R that of the others: the coefficients of
                # small powers of L vanish. Times a_p^degree they are integer.
                scale = row[i] * row[pivot] ** (degree - exponent)
                for k in range(min(multiplicity, exponent + 1)):
                    factor = scale * comb(exponent, k)
                    for other, c in powers[exponent - k].items():
                        key = k, tuple(a + b for a, b in zip(raised, other, strict=True))
                        table.setdefault(key, [0] * len(places))[place] += factor * c
            equations += table.values()
        return [equation for equation in equations if any(equation)]

    def _is_basis(self, found: list[tuple[int, Derivation]]) -> bool:
        """Saito's criterion for derivations: degrees add up, and they are independent."""
        if sum(degree for degree, _ in found) != sum(self.multiplicities):
            return False
        r = len(self.rows[0])
        point = point_off(self.rows, r)
        values = [[0] * r for _ in found]
        for value, (_, theta) in zip(values, found, strict=True):
            for (i, m), c in theta.items():
                value[i] += c * prod(x**e for x, e in zip(point, m, strict=True) if e)
        return linear.rank(values) == r


def _as_row(theta: Derivation, factor: Monomial, places: dict[Any, int]) -> list[int]:
    """Coefficients of a derivation times a monomial."""
    row = [0] * len(places)
    for (i, m), c in theta.items():
        row[places[i, tuple(a + b for a, b in zip(m, factor, strict=True))]] = c
    return row


def _powers(row: Sequence[int], pivot: int, most: int) -> Iterator[dict[Monomial, int]]:
    """Powers of minus the sum of the other terms of a row."""
    r = len(row)
    power = {(0,) * r: 1}
    for _ in range(most + 1):
        yield power
        terms: dict[Monomial, int] = {}
        for m, c in power.items():
            for i, a in enumerate(row):
                if a and i != pivot:
                    key = (*m[:i], m[i] + 1, *m[i + 1 :])
                    terms[key] = terms.get(key, 0) - a * c
        power = terms


def in_coordinates(
    theta: Derivation,
    forms: Sequence[Sequence[Any]],
    inverse: Sequence[Sequence[Any]],
    multiplicities: Sequence[int],
    known: Coefficients,
) -> tuple[Poly, ...]:
    """A derivation in the coordinates x, where y = forms @ x and x = inverse @ y."""
    from sympy import Poly, symbols  # loads slowly
    from sympy.polys.rings import ring  # loads slowly

    d = len(forms[0])
    names = symbols(f"x:{d}")
    R, *x = ring(names, known.domain)
    # only what occurs: most of it is zero in many dimensions
    used = {i for i, _ in theta} | {j for _, m in theta for j, e in enumerate(m) if e}
    y = {i: sum((v * known(a) for a, v in zip(forms[i], x, strict=True) if a), R(0)) for i in used}
    parts = {i: R(0) for i, _ in theta}
    for (i, m), c in theta.items():
        term = y[i] ** multiplicities[i] * known(c)
        for j, e in enumerate(m):
            if e:
                term *= y[j] ** e
        parts[i] += term
    found = [
        sum((part * known(row[i]) for i, part in parts.items() if row[i]), R(0)) for row in inverse
    ]
    factor = _normalizing(found, known)
    return tuple(Poly.from_dict(dict(f * factor), *names, domain=known.domain) for f in found)


def _normalizing(polynomials: Sequence[Any], known: Coefficients) -> Any:
    """What makes the first coefficient positive, and all coprime integers; or, irrational, it 1."""
    leading = next(f.LC for f in polynomials if f)
    if known.field is not None:
        return known.domain.one / leading
    common = reduce(known.domain.gcd, (f.content() for f in polynomials if f))
    return 1 / (common if leading > 0 else -common)


def satisfies_saito(
    basis: Sequence[Sequence[Poly]], rows: Sequence[Sequence[Any]], multiplicities: Sequence[int]
) -> bool:
    """Whether vectors of homogeneous polynomials are a basis of the derivations: Saito's criterion.

    They are derivations, so the determinant of the matrix of their components is divisible by the
    product of the forms, each as often as its multiplicity; if their degrees add up to the degree
    of this product, it is the product times a constant, which one point shows not to be zero.

    Parameters
    ----------
    basis : d vectors of d polynomials in d variables
    rows : n rows of length d, none proportional
    multiplicities : n positive integers
    """
    from sympy.polys.rings import ring  # loads slowly

    if not basis:
        return not rows
    known = Coefficients.of(rows)
    R, *x = ring(basis[0][0].gens, known.domain)
    point = point_off(rows, len(x))
    degrees, values = 0, []
    for theta in basis:
        parts = [R.from_dict(f.as_dict(native=True)) for f in theta]
        (degree,) = {sum(m) for f in parts for m in f}
        degrees += degree
        values.append([_value(f, point, known) for f in parts])
        for row, multiplicity in zip(rows, multiplicities, strict=True):
            # one by one: most entries of most rows are zero
            total, form = R(0), R(0)
            for a, f, v in zip(row, parts, x, strict=True):
                if a:
                    total, form = total + f * known(a), form + v * known(a)
            if total and total.rem(form**multiplicity):
                return False
    return degrees == sum(multiplicities) and linear.inverse(values) is not None


def _value(f: Any, point: Sequence[int], known: Coefficients) -> Any:
    """Value of a polynomial at a point."""
    total = Fraction(0)
    for m, c in f.items():
        powers = (x**e for x, e in zip(point, m, strict=True) if e)
        total += known.number(c) * prod(powers)
    return total


class Coefficients:
    """The domain of polynomials with coefficients in a field.

    Attributes
    ----------
    field : NumberField or None
        None for the rational numbers.
    domain : sympy.polys.domains.Domain

    Examples
    --------
    >>> known = Coefficients.of([[1, 2]])
    >>> known.domain, known(Fraction(1, 2)) * 2 == 1
    (QQ, True)
    """

    def __init__(self, field: NumberField | None) -> None:
        from sympy import QQ, sympify  # loads slowly

        self.field = field
        self.domain: Any = QQ
        if field is not None:
            self.domain = QQ.algebraic_field(sympify(field.generator))

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]]) -> Coefficients:
        """Those of the entries of rows."""
        return cls(field_of_rows(rows))

    def __call__(self, number: Any) -> Any:
        """A number as an element of the domain."""
        from sympy import QQ  # loads slowly

        if self.field is None:
            return QQ(number.numerator, number.denominator)
        parts = coefficients_of(number, self.field.degree)
        return self.domain([QQ(c.numerator, c.denominator) for c in reversed(parts)])

    def number(self, element: Any) -> Any:
        """An element of the domain as a number.

        Examples
        --------
        >>> phi = NumberField([-1, -1, 1], (1, 2), "phi").generator
        >>> known = Coefficients(phi.field)
        >>> known.number(known(1 - phi / 2)), known.number(known(3))
        (1 - 1/2*phi, Fraction(3, 1))
        """
        if self.field is None:
            return Fraction(int(element.numerator), int(element.denominator))
        parts = [Fraction(int(c.numerator), int(c.denominator)) for c in element.to_list()]
        return self.field(parts[::-1] or 0)
