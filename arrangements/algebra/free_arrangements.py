"""Is an arrangement free? A basis of derivations decides it, or the characteristic polynomial."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, Any

from arrangements.addresses import public_class
from arrangements.algebra import derivations
from arrangements.algebra.chains import inductive_chain, modular_chain
from arrangements.algebra.flat_numbers import roots_of
from arrangements.algebra.reflections import is_reflection
from arrangements.algebra.subjects import as_central
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.counting.polynomials import betti_numbers
from arrangements.errors import TooLargeError
from arrangements.exact import linear
from arrangements.exact.numbers import primitive
from arrangements.forecast.sizes import expected_flats
from arrangements.messages import short_number
from arrangements.structure.intersections import flats

if TYPE_CHECKING:
    from sympy import Poly

# Coefficients of a derivation up to which equations are solved: a few seconds.
_MOST_UNKNOWNS = 1200
# Flats among which chains are looked for: some seconds.
_MOST_FLATS = 200_000


@public_class
@dataclass(frozen=True, eq=False)
class Freeness:
    """Whether an arrangement is free, and why; true if it is.

    Attributes
    ----------
    free : bool or None
        None if it is undecided.
    reason : str
    exponents : tuple of int or None
        Degrees of a basis of derivations, if the arrangement is free.
    basis : tuple of tuple of sympy.Poly, or None
        d derivations, each with d components, polynomials in x0, x1, ..; None if the reason is
        another one, such as a modular chain.
    arrangement : Arrangement

    Examples
    --------
    >>> F = freeness([[1, 0], [0, 1], [1, 1]])
    >>> bool(F), F.exponents, F.reason
    (True, (1, 2), 'a basis of derivations')
    >>> [[str(f.as_expr()) for f in theta] for theta in F.basis]
    [['x0', 'x1'], ['x0**2 + x0*x1', '0']]
    >>> F.verify()
    True
    """

    free: bool | None
    reason: str
    exponents: tuple[int, ...] | None
    basis: tuple[tuple[Poly, ...], ...] | None
    arrangement: Arrangement

    def __bool__(self) -> bool:
        return self.free is True

    def verify(self) -> bool:
        """Check the basis by Saito's criterion, or the reason again if there is none.

        Every component of each derivation is exact. True if the basis proves that the arrangement
        is free; without a basis, True if the same question has the same answer.
        """
        if self.basis is None:
            again = freeness(self.arrangement)
            return (again.free, again.reason) == (self.free, self.reason)
        return derivations.satisfies_saito(self.basis, _rows(self.arrangement))

    def __repr__(self) -> str:
        verdict = {True: "free", False: "not free", None: "undecided"}[self.free]
        return f"Freeness({verdict}: {self.reason})"


def is_free(W: ArrangementLike, *, rank: int | None = None) -> bool | None:
    """Whether an arrangement is free: its derivations have a basis over the polynomials.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
        A central arrangement.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    bool or None
        None if it is undecided, which happens to large arrangements only.

    Raises
    ------
    InputError
        If the arrangement is not central.

    See Also
    --------
    freeness : the reason, with a basis of derivations.
    is_supersolvable, is_inductively_free : stronger properties.

    Notes
    -----
    This is about the set of hyperplanes: a repeated row counts once. So the answer for a
    `restriction`, which keeps repeated rows, is about the restricted arrangement, not about the
    multiarrangement in which a hyperplane counts as often as it is a trace (Ziegler's restriction).

    Examples
    --------
    >>> from arrangements.generators import braid, generic
    >>> is_free(braid(4)), is_free(generic(4, 3, 0))
    (True, False)
    """
    return freeness(W, rank=rank).free


def freeness(W: ArrangementLike, *, rank: int | None = None) -> Freeness:
    """Whether an arrangement is free, and why.

    A derivation is a vector of d polynomials f_j such that ``sum w_ij f_j`` is divisible by
    ``w_i . x`` for each hyperplane. The arrangement is free if the module of derivations is.

    Parameters
    ----------
    W, rank
        As in `is_free`.

    Returns
    -------
    Freeness
        ``free`` (True, False or None), ``reason``, ``exponents`` and, for small arrangements that
        are free, a ``basis`` of derivations; ``verify()`` checks it.

    Notes
    -----
    Exact. In this order:

    - If the characteristic polynomial has a root that is not an integer, the arrangement is not
      free [1]_; nor if this holds for a localization at a flat of rank 3.
    - Otherwise its roots are the degrees of any basis. Derivations of these degrees are found by
      linear equations. If there are as many generators of each degree as there should be, and they
      satisfy Saito's criterion [2]_, they are a basis; otherwise there is none. This is
      done up to 1200 coefficients of a derivation.
    - Larger arrangements are free if they are reflection arrangements [3]_ (`is_reflection`, in any
      coordinates), supersolvable or inductively free.

    References
    ----------
    .. [1] H. Terao, Invent. Math. 63 (1981) 159-179.
    .. [2] K. Saito, J. Fac. Sci. Univ. Tokyo 27 (1980) 265-291.
    .. [3] H. Terao, Proc. Japan Acad. Ser. A 56 (1980) 389-392.

    Examples
    --------
    >>> from arrangements.generators import coxeter, generic, type_d
    >>> freeness(type_d(4))
    Freeness(free: a basis of derivations)
    >>> freeness(generic(4, 3, 0))
    Freeness(not free: the characteristic polynomial has a root that is not an integer)
    >>> freeness(coxeter("E8")).exponents
    (1, 7, 11, 13, 17, 19, 23, 29)
    """
    A = as_central(W, rank)
    roots = roots_of(betti_numbers(A))
    if roots is None:
        reason = "the characteristic polynomial has a root that is not an integer"
        return Freeness(False, reason, None, None, A)
    exponents = (*(0,) * (A.dimension - A.rank), *roots)
    small = all(derivations.unknowns(A.rank, degree) <= _MOST_UNKNOWNS for degree in roots)
    if not small and is_reflection(A):
        return Freeness(True, "a reflection arrangement", exponents, None, A)
    bad = _bad_flat(A)
    if bad is not None:
        rows = ", ".join(map(str, bad[:8])) + (", .." if len(bad) > 8 else "")
        return Freeness(False, f"the localization at rows {rows} is not free", None, None, A)
    if small:
        basis = _basis(A, roots)
        if basis is None:
            reason = "the generators of the derivations have other degrees than a basis would"
            return Freeness(False, reason, None, None, A)
        return Freeness(True, "a basis of derivations", exponents, basis, A)
    number = expected_flats(A, A.rank)
    if number > _MOST_FLATS:
        reason = f"about {short_number(number)} flats are too many to look for a chain"
        return Freeness(None, reason, None, None, A)
    try:
        if modular_chain(A) is not None:
            return Freeness(True, "a chain of modular flats", exponents, None, A)
        if inductive_chain(A) is not None:
            return Freeness(True, "inductively free", exponents, None, A)
    except TooLargeError as error:
        return Freeness(None, str(error), None, None, A)
    return Freeness(None, "the equations for derivations are too large", None, None, A)


def _rows(A: Arrangement) -> list[list[int]]:
    """Integer rows of the distinct hyperplanes."""
    return [list(A.integer_rows[group[0]][:-1]) for group in A.parallel_classes]


def _basis(A: Arrangement, roots: tuple[int, ...]) -> tuple[tuple[Poly, ...], ...] | None:
    """A basis of derivations, proved by Saito's criterion; None if there is none."""
    rows, d = _rows(A), A.dimension
    chosen = list(linear.row_basis(rows))
    first = [rows[i] for i in chosen]
    r = len(first)
    # further coordinates, on which no hyperplane depends
    units = [[int(i == j) for j in range(d)] for i in range(d)]
    forms = [*first, *(units[k] for k in linear.completion(first, units) or ())]
    inverse = linear.inverse(forms) or []
    others = [row for i, row in enumerate(rows) if i not in chosen]
    scaled = [primitive(linear.matrix_product([row], inverse)[0]) for row in [*first, *others]]
    found = derivations.basis_of_degrees([row[:r] for row in scaled], roots)
    if found is None:
        return None
    # derivatives along the lines that all hyperplanes contain
    known = derivations.Coefficients.of(rows)
    constant = [_constant([inverse[j][i] for j in range(d)], known) for i in range(r, d)]
    basis = (
        *constant,
        *(derivations.in_coordinates(theta, forms, inverse, known) for theta in found),
    )
    # generators of these degrees that are dependent are those of no free module
    return basis if derivations.satisfies_saito(basis, rows) else None


def _constant(direction: list[Any], known: derivations.Coefficients) -> tuple[Poly, ...]:
    """A derivative in a direction, as a derivation."""
    from sympy import Poly, symbols  # loads slowly

    names = symbols(f"x:{len(direction)}")
    nothing = (0,) * len(direction)
    return tuple(
        Poly.from_dict({nothing: known(e)}, *names, domain=known.domain) for e in direction
    )


def _bad_flat(A: Arrangement) -> tuple[int, ...] | None:
    """A flat of rank 3 whose characteristic polynomial has other roots than integers, if any.

    The polynomial of n hyperplanes through it is ``(t - 1) (t^2 - (n - 1) t + c)``.
    """
    if A.rank <= 3:
        return None
    lead = {group[0] for group in A.parallel_classes}
    found = flats(A, max_rank=3)
    lines: dict[int, list[set[int]]] = {}
    for line in found.of_rank(2):
        members = lead.intersection(line)
        lines.setdefault(min(members), []).append(members)
    for flat in found.of_rank(3):
        members = lead.intersection(flat)
        second = sum(len(line) - 1 for i in members for line in lines.get(i, ()) if line <= members)
        n = len(members)
        rest = (n - 1) ** 2 - 4 * (second - (n - 1))
        if rest < 0 or isqrt(rest) ** 2 != rest:
            return flat
    return None
