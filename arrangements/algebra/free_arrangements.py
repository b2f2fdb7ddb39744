"""Is an arrangement free? A basis of derivations decides it, or the characteristic polynomial."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from arrangements.addresses import public_class
from arrangements.algebra import derivations
from arrangements.algebra.chains import inductive_chain, modular_chain
from arrangements.algebra.flat_numbers import roots_of
from arrangements.algebra.multiarrangements import (
    Multiarrangement,
    row_multiplicities,
    split_multiarrangement,
    ziegler_restriction,
)
from arrangements.algebra.reflections import is_reflection
from arrangements.algebra.subjects import as_central
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.hyperplane import canonical
from arrangements.counting.polynomials import betti_numbers
from arrangements.errors import TooLargeError
from arrangements.exact import linear
from arrangements.exact.numbers import primitive
from arrangements.forecast.sizes import expected_flats
from arrangements.messages import short_number
from arrangements.structure.intersections import flats

if TYPE_CHECKING:
    from sympy import Poly

# Coefficients of a derivation up to which equations are solved: a few seconds; and a basis is found
# at once, before Ziegler's restriction is asked.
_MOST_UNKNOWNS, _FEW_UNKNOWNS = 1200, 150
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
    arrangement : Arrangement
    multiplicities : tuple of int
        One for each of the distinct hyperplanes, ``arrangement.parallel_classes``.
    whole : Arrangement or None
        The free arrangement of which this is Ziegler's restriction, if that is the reason.

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
    arrangement: Arrangement
    multiplicities: tuple[int, ...]
    whole: Arrangement | None = None

    @cached_property
    def basis(self) -> tuple[tuple[Poly, ...], ...] | None:
        """Basis of the derivations: d of them, each with d components, polynomials in x0, x1, ..

        None if there is none, or if it would take equations for more than 1200 coefficients.
        """
        rank = self.arrangement.rank
        if self.exponents is None:
            return None
        degrees = self.exponents[len(self.exponents) - rank :]
        if not all(derivations.unknowns(rank, degree) <= _MOST_UNKNOWNS for degree in degrees):
            return None
        return _basis(self.arrangement, degrees, self.multiplicities)

    def __bool__(self) -> bool:
        return self.free is True

    def verify(self) -> bool:
        """Check the basis by Saito's criterion, or the reason again if there is none.

        Every component of each derivation is exact. True if the basis proves that the arrangement
        is free; without a basis, True if the same question has the same answer.
        """
        if self.basis is None:
            again = _freeness(self.arrangement, self.multiplicities, self.whole)
            found = again.free, again.reason, again.exponents
            return found == (self.free, self.reason, self.exponents)
        return derivations.satisfies_saito(self.basis, _rows(self.arrangement), self.multiplicities)

    def __repr__(self) -> str:
        verdict = {True: "free", False: "not free", None: "undecided"}[self.free]
        return f"Freeness({verdict}: {self.reason})"


def is_free(
    W: ArrangementLike | Multiarrangement,
    *,
    rank: int | None = None,
    multiplicities: ArrayLike | None = None,
) -> bool | None:
    """Whether an arrangement is free: its derivations have a basis over the polynomials.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or Multiarrangement
        A central arrangement.
    rank : int, optional
        As in `chambers`.
    multiplicities : (n,) array_like of int, optional
        Of a multiarrangement, one for each row, at least 1; those of rows that coincide are added.
        Default: each hyperplane counts once, however often it is repeated.

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
    Without `multiplicities` this is about the set of hyperplanes: a repeated row counts once. So
    the answer for a `restriction`, which keeps repeated rows, is about the restricted arrangement;
    `ziegler_restriction` makes the multiarrangement in which a hyperplane counts as often as it is
    a trace.

    Examples
    --------
    >>> from arrangements.generators import braid, generic
    >>> is_free(braid(4)), is_free(generic(4, 3, 0))
    (True, False)
    """
    return freeness(W, rank=rank, multiplicities=multiplicities).free


def freeness(
    W: ArrangementLike | Multiarrangement,
    *,
    rank: int | None = None,
    multiplicities: ArrayLike | None = None,
) -> Freeness:
    """Whether an arrangement is free, and why.

    A derivation is a vector of d polynomials f_j such that ``sum w_ij f_j`` is divisible by
    ``w_i . x`` for each hyperplane; of a multiarrangement, by the power of it that the multiplicity
    says. The arrangement is free if the module of derivations is.

    Parameters
    ----------
    W, rank, multiplicities
        As in `is_free`.

    Returns
    -------
    Freeness
        ``free`` (True, False or None), ``reason``, ``exponents`` and, for small arrangements that
        are free, a ``basis`` of derivations, found when it is asked for; ``verify()`` checks it.

    Notes
    -----
    Exact. In this order:

    - If the characteristic polynomial has a root that is not an integer, the arrangement is not
      free [1]_; nor if this holds for a localization at a flat of rank 3.
    - Otherwise its roots are the degrees of any basis. Derivations of these degrees are found by
      linear equations. If there are as many generators of each degree as there should be, and they
      satisfy Saito's criterion [2]_, they are a basis; otherwise there is none.
    - Above 150 coefficients of a derivation, the same is asked of Ziegler's restriction to the
      hyperplane on which the fewest traces differ: the arrangement is free if and only if this
      multiarrangement has a basis of the same degrees but one 1 [4]_, [5]_. In rank 3 it is one of
      the plane. This is done up to 1200 coefficients.
    - Larger arrangements are free if they are reflection arrangements [3]_ (`is_reflection`, in any
      coordinates), supersolvable or inductively free.

    Of a multiarrangement, generators are found degree by degree, until they are a basis or too
    many. Larger ones that `ziegler_restriction` made of a free arrangement are free, with the same
    exponents but one 1 [4]_.

    References
    ----------
    .. [1] H. Terao, Invent. Math. 63 (1981) 159-179.
    .. [2] K. Saito, J. Fac. Sci. Univ. Tokyo 27 (1980) 265-291.
    .. [3] H. Terao, Proc. Japan Acad. Ser. A 56 (1980) 389-392.
    .. [4] G. M. Ziegler, Multiarrangements of hyperplanes and their freeness, Contemp. Math. 90
       (1989) 345-359.
    .. [5] T. Abe, M. Yoshinaga, Math. Z. 275 (2013) 911-919; in rank 3 M. Yoshinaga, Bull. London
       Math. Soc. 37 (2005) 126-134.

    Examples
    --------
    >>> from arrangements.generators import coxeter, generic, type_d
    >>> freeness(type_d(4))
    Freeness(free: a basis of derivations)
    >>> freeness(generic(4, 3, 0))
    Freeness(not free: the characteristic polynomial has a root that is not an integer)
    >>> freeness(coxeter("E8")).exponents
    (1, 7, 11, 13, 17, 19, 23, 29)
    >>> freeness(coxeter("B3"), multiplicities=[2] * 9).exponents
    (6, 6, 6)
    """
    subject, multiplicities = split_multiarrangement(W, multiplicities)
    A = as_central(subject, rank)
    if multiplicities is None:
        return _freeness(A, (1,) * len(A.parallel_classes))
    each = row_multiplicities(A.n_hyperplanes, multiplicities)
    numbers = tuple(sum(each[i] for i in group) for group in A.parallel_classes)
    return _freeness(A, numbers, W.whole if isinstance(W, Multiarrangement) else None)


def _freeness(
    A: Arrangement, multiplicities: tuple[int, ...], whole: Arrangement | None = None
) -> Freeness:
    """`freeness`, with a multiplicity for each distinct hyperplane."""
    if max(multiplicities, default=1) > 1:
        found = None if whole is None else _of_the_whole(whole, A, multiplicities)
        return found or _multi_freeness(A, multiplicities)

    def answer(free: bool | None, reason: str) -> Freeness:
        return Freeness(free, reason, exponents if free else None, A, multiplicities)

    exponents: tuple[int, ...] | None = None
    roots = roots_of(betti_numbers(A))
    if roots is None:
        return answer(False, "the characteristic polynomial has a root that is not an integer")
    exponents = (*(0,) * (A.dimension - A.rank), *roots)
    largest = derivations.unknowns(A.rank, max(roots, default=0))
    if largest > _MOST_UNKNOWNS and is_reflection(A):
        return answer(True, "a reflection arrangement")
    bad = _bad_flat(A)
    if bad is not None:
        rows = ", ".join(map(str, bad[:8])) + (", .." if len(bad) > 8 else "")
        return answer(False, f"the localization at rows {rows} is not free")
    if largest <= _FEW_UNKNOWNS or A.rank < 3:
        found = answer(True, "a basis of derivations")
        if found.basis is not None:
            return found
        return answer(
            False, "the generators of the derivations have other degrees than a basis would"
        )
    if derivations.unknowns(A.rank - 1, max(roots)) <= _MOST_UNKNOWNS:
        module = derivations.Module(*_ziegler_restriction(_scaled_rows(_rows(A), A.rank)[1]))
        if module.basis_of_degrees(roots[1:]) is not None:
            return answer(True, "Ziegler's restriction is free, with the same exponents")
        return answer(False, "Ziegler's restriction has other exponents, or is not free")
    number = expected_flats(A, A.rank)
    if number > _MOST_FLATS:
        what = f"about {short_number(number)} flats"
        return answer(None, f"{what} are too many to look for a chain")
    try:
        if modular_chain(A) is not None:
            return answer(True, "a chain of modular flats")
        if inductive_chain(A) is not None:
            return answer(True, "inductively free")
    except TooLargeError as error:
        return answer(None, str(error))
    return answer(None, "the equations for derivations are too large")


def _multi_freeness(A: Arrangement, multiplicities: tuple[int, ...]) -> Freeness:
    """`freeness` of a multiarrangement, by generators of its derivations."""
    order, scaled = _scaled_rows(_rows(A), A.rank)
    module = derivations.Module(scaled, [multiplicities[i] for i in order])
    found = module.basis(_MOST_UNKNOWNS)
    if not found:
        undecided = found is False
        reason = "too large" if undecided else "of other degrees, or more, than a basis would have"
        what = "the equations for derivations are" if undecided else "generators of derivations are"
        return Freeness(None if undecided else False, f"{what} {reason}", None, A, multiplicities)
    exponents = (*(0,) * (A.dimension - A.rank), *(degree for degree, _ in found))
    return Freeness(True, "a basis of derivations", exponents, A, multiplicities)


def _of_the_whole(
    whole: Arrangement, A: Arrangement, multiplicities: tuple[int, ...]
) -> Freeness | None:
    """`freeness` of Ziegler's restriction of a free arrangement, by that; None if it is small.

    Also None if it is none: someone may have put other hyperplanes or multiplicities beside it.
    """
    above = _freeness(whole, (1,) * len(whole.parallel_classes))
    if not above.exponents or derivations.unknowns(A.rank, max(above.exponents)) <= _MOST_UNKNOWNS:
        return None
    restrictions = (ziegler_restriction(whole, group[0]) for group in whole.parallel_classes)
    if not any(Z.multiplicities == multiplicities and Z.arrangement == A for Z in restrictions):
        return None
    exponents = list(above.exponents)
    exponents.remove(1)
    reason = f"Ziegler's restriction of a free arrangement: {above.reason}"
    return Freeness(True, reason, tuple(exponents), A, multiplicities, whole)


def _rows(A: Arrangement) -> list[list[int]]:
    """Integer rows of the distinct hyperplanes."""
    return [list(A.integer_rows[group[0]][:-1]) for group in A.parallel_classes]


def _scaled_rows(rows: list[list[int]], r: int) -> tuple[list[int], list[list[int]]]:
    """An order of the rows, r independent ones first, and the rows in coordinates of these."""
    chosen = list(linear.row_basis(rows))
    order = [*chosen, *(i for i in range(len(rows)) if i not in set(chosen))]
    basis = [rows[i] for i in chosen]
    columns = linear.column_basis(basis)
    inverse = linear.inverse([[row[c] for c in columns] for row in basis]) or []
    narrow = linear.matrix_product([[rows[i][c] for c in columns] for i in order], inverse)
    return order, [primitive(row) for row in narrow]


def _basis(
    A: Arrangement, degrees: tuple[int, ...], multiplicities: tuple[int, ...]
) -> tuple[tuple[Poly, ...], ...] | None:
    """A basis of derivations of these degrees; None if there is none."""
    rows, d, r = _rows(A), A.dimension, A.rank
    order, scaled = _scaled_rows(rows, r)
    weights = [multiplicities[i] for i in order]
    found = derivations.Module(scaled, weights).basis_of_degrees(degrees) if rows else []
    if found is None:
        return None
    first = [rows[i] for i in order[:r]]
    # further coordinates, on which no hyperplane depends
    units = [[int(i == j) for j in range(d)] for i in range(d)]
    forms = [*first, *(units[k] for k in linear.completion(first, units) or ())]
    inverse = linear.inverse(forms) or []
    # derivatives along the lines that all hyperplanes contain
    known = derivations.Coefficients.of(rows)
    constant = [_constant([inverse[j][i] for j in range(d)], known) for i in range(r, d)]
    return (
        *constant,
        *(derivations.in_coordinates(theta, forms, inverse, weights, known) for theta in found),
    )


def _ziegler_restriction(rows: list[list[int]]) -> tuple[list[list[int]], list[int]]:
    """Traces on the hyperplane on which the fewest of them differ, with multiplicities.

    In coordinates of r - 1 of them; rows are in coordinates of r rows, which come first.
    """
    best: Counter[tuple[int, ...]] | None = None
    r = len(rows[0])
    for k in range(r):  # on y_k = 0
        rest = ([*row[:k], *row[k + 1 :]] for row in rows)
        traces = Counter(trace for row in rest if (trace := canonical(row)))
        if best is None or len(traces) < len(best):
            best = traces
    assert best is not None
    order, scaled = _scaled_rows([list(row) for row in best], r - 1)
    numbers = list(best.values())
    return scaled, [numbers[i] for i in order]


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
