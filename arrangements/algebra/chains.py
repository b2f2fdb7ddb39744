"""Supersolvable and inductively free arrangements: modular chains, orders of hyperplanes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from arrangements.algebra.flat_numbers import roots_of
from arrangements.algebra.subjects import central_subject, flat_order
from arrangements.core.arrangement import MatroidLike
from arrangements.counting.polynomials import betti_numbers
from arrangements.errors import TooLargeError
from arrangements.messages import Remedy
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid
from arrangements.structure.flat_orders import FlatOrder

# Sub-arrangements of restrictions that a search looks at; it takes about a minute.
MOST_STATES = 200_000
_SMALLER = Remedy("fewer rows", "Ask is_free, which has other means, or about fewer rows.")

Exponents = tuple[int, ...]
# A flat, and the flats that cover it and are hyperplanes of an arrangement in it.
State = tuple[int, frozenset[int]]


def inductive_chain(
    W: MatroidLike, *, rank: int | None = None
) -> tuple[tuple[int, Exponents], ...] | None:
    """Order in which hyperplanes can be added, if the arrangement is inductively free.

    The empty arrangement is inductively free. So is A, if for some hyperplane H the deletion A' and
    the restriction A'' to H are, and the exponents of A'' are those of A' but one [1]_. Then that
    one grows by 1.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
        A central arrangement.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    tuple of (int, tuple of int), or None
        Rows in the order of adding, each with the exponents after it, d of them, ascending; of rows
        that coincide only the first. None if the arrangement is not inductively free.

    Raises
    ------
    InputError
        If the arrangement is not central.
    TooLargeError
        If the search does not come to an end, or the flats do not fit.

    See Also
    --------
    is_inductively_free : whether there is one.

    Notes
    -----
    Exact. The property depends on the lattice of flats only. The exponents are the roots of the
    characteristic polynomial, and say by how much each deletion may change the number of
    hyperplanes; the second Betti number must fit, too. Sub-arrangements of restrictions that have
    been looked at are remembered. In the worst case there are exponentially many.

    References
    ----------
    .. [1] H. Terao, J. Fac. Sci. Univ. Tokyo 27 (1980) 293-312.

    Examples
    --------
    >>> inductive_chain([[1, 0], [0, 1], [1, 1]])
    ((0, (0, 1)), (1, (1, 1)), (2, (1, 2)))
    """
    A = central_subject(W, rank)
    exponents = roots_of(betti_numbers(A))
    if exponents is None:
        return None
    search = _Search(flat_order(A))
    first = {1 << group[0]: group[0] for group in A.parallel_classes}
    atoms = frozenset(search.upper[0])
    if not search.is_free((0, atoms), exponents):
        return None
    members = search.order.members
    row_of = {k: next(i for bit, i in first.items() if bit & members[k]) for k in atoms}
    zeros = (0,) * (0 if isinstance(A, OrientedMatroid) else A.dimension - A.rank)
    steps = list(search.steps((0, atoms), exponents))
    return tuple((row_of[k], (*zeros, *found)) for k, found in reversed(steps))


def is_inductively_free(W: MatroidLike, *, rank: int | None = None) -> bool:
    """Whether an arrangement is inductively free; then it is free.

    Parameters
    ----------
    W, rank
        As in `inductive_chain`.

    Returns
    -------
    bool

    See Also
    --------
    inductive_chain : the proof. is_supersolvable : a stronger property. is_free : a weaker one.

    Examples
    --------
    >>> from arrangements.generators import generic, type_d
    >>> is_inductively_free(type_d(4)), is_inductively_free(generic(4, 3, 0))
    (True, False)
    """
    return inductive_chain(W, rank=rank) is not None


class _Search:
    """Which sub-arrangements of restrictions are inductively free with given exponents."""

    def __init__(self, order: FlatOrder) -> None:
        self.order = order
        self.upper: list[list[int]] = [[] for _ in order.members]
        self.lower: list[list[int]] = [[] for _ in order.members]
        for a, b in order.covers.tolist():
            self.upper[a].append(b)
            self.lower[b].append(a)
        # the hyperplane to delete next; None if the arrangement is not inductively free, -1 if any
        # hyperplane will do
        self.known: dict[tuple[State, Exponents], int | None] = {}
        self.joins: dict[int, dict[int, int]] = {}

    def restrict(self, state: State, h: int) -> State:
        """The traces of the hyperplanes of a state on one of them."""
        if h not in self.joins:
            # the flat of the next rank above h and y, for each flat y of its rank that has one
            self.joins[h] = {y: z for z in self.upper[h] for y in self.lower[z]}
        join = self.joins[h]
        return h, frozenset(join[y] for y in state[1] if y != h)

    def is_free(self, state: State, exponents: Exponents) -> bool:
        """Whether a state is inductively free with these exponents, which are ascending."""
        key = state, exponents
        if key in self.known:
            return self.known[key] is not None
        if len(self.known) >= MOST_STATES:
            raise TooLargeError(
                f"no inductive order was found among {MOST_STATES} sub-arrangements.", _SMALLER
            )
        self.known[key] = found = self._last_hyperplane(state, exponents)
        return found is not None

    def _last_hyperplane(self, state: State, exponents: Exponents) -> int | None:
        flat, atoms = state
        n = len(atoms)
        counts = Counter(z for y in atoms for z in self.upper[y])
        second_betti = sum(count - 1 for count in counts.values())
        second_symmetric = (sum(exponents) ** 2 - sum(e * e for e in exponents)) // 2
        if sum(exponents) != n or second_betti != second_symmetric:
            return None
        if [e for e in exponents if e] == [e for e in (1, n - 1) if 0 < e <= n]:
            return -1  # of rank at most 2
        candidates = []
        for h in atoms:
            trace = self.restrict(state, h)
            if n - len(trace[1]) in exponents:
                candidates.append((len(trace[1]), h, trace))
        for size, h, trace in sorted(candidates, key=lambda c: c[:2]):
            fallen = n - size
            rest = list(exponents)
            rest.remove(fallen)
            smaller = tuple(sorted([*rest, fallen - 1]))
            if self.is_free(trace, tuple(rest)) and self.is_free((flat, atoms - {h}), smaller):
                return h
        return None

    def steps(self, state: State, exponents: Exponents) -> Iterator[tuple[int, Exponents]]:
        """Hyperplanes in the order of their deletion, with the exponents before it."""
        flat, atoms = state
        found = list(exponents)
        while atoms:
            h = self.known.get(((flat, atoms), tuple(sorted(found))), -1)
            if h is None or h == -1:
                h = max(atoms)
                fallen = max(found)
            else:
                fallen = len(atoms) - len(self.restrict((flat, atoms), h)[1])
            yield h, tuple(sorted(found))
            found.remove(fallen)
            found.append(fallen - 1)
            atoms = atoms - {h}


def modular_chain(W: MatroidLike, *, rank: int | None = None) -> tuple[tuple[int, ...], ...] | None:
    """Maximal chain of modular flats, if the arrangement is supersolvable.

    A flat X is modular if ``r(X) + r(Y) = r(X v Y) + r(X ^ Y)`` for all flats Y, in the lattice of
    flats with the whole space as its least element. The lattice is supersolvable if it has a
    maximal chain of modular flats [1]_.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
        A central arrangement.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    tuple of tuple of int, or None
        Flats of rank 0, 1, .., r, each with all rows that contain it. How many distinct hyperplanes
        each adds to the last are the exponents. None if there is no such chain.

    Raises
    ------
    InputError
        If the arrangement is not central.
    TooLargeError
        If the flats do not fit.

    See Also
    --------
    is_supersolvable : whether there is one.

    Notes
    -----
    Exact. A flat X of rank k - 1 is modular below Y, of rank k, if each flat of rank 2 below Y
    has a hyperplane in common with X [2]_. Lower intervals of supersolvable lattices are
    supersolvable, so any modular flat will do, and nothing is tried again.

    References
    ----------
    .. [1] R. P. Stanley, Supersolvable lattices, Algebra Universalis 2 (1972) 197-217.
    .. [2] A. Björner, P. Edelman, G. Ziegler, Discrete Comput. Geom. 5 (1990) 263-288.

    Examples
    --------
    >>> from arrangements.generators import braid, type_d
    >>> modular_chain(braid(4))
    ((), (0,), (0, 1, 3), (0, 1, 2, 3, 4, 5))
    >>> modular_chain(type_d(4)) is None
    True
    """
    order = flat_order(central_subject(W, rank))
    chain = _chain(order)
    if chain is None:
        return None
    words = (order.members[k] for k in chain)
    return tuple(tuple(e for e in range(order.n) if word >> e & 1) for word in words)


def is_supersolvable(W: MatroidLike, *, rank: int | None = None) -> bool:
    """Whether an arrangement is supersolvable: its lattice of flats has a modular maximal chain.

    Parameters
    ----------
    W, rank
        As in `modular_chain`.

    Returns
    -------
    bool

    See Also
    --------
    modular_chain : the proof. is_inductively_free, is_free : what follows from it.

    Examples
    --------
    >>> from arrangements.generators import type_b, type_d
    >>> is_supersolvable(type_b(4)), is_supersolvable(type_d(4))
    (True, False)
    """
    return modular_chain(W, rank=rank) is not None


def _chain(order: FlatOrder) -> list[int] | None:
    """Numbers of the flats of a modular chain, by rank."""
    members = order.members
    lower: dict[int, list[int]] = {}
    for a, b in order.covers.tolist():
        lower.setdefault(b, []).append(a)
    pairs = members[order.level(2)] if order.rank >= 2 else []
    chain = [len(members) - 1]
    for _ in range(order.rank):
        top = members[chain[-1]]
        pairs = [pair for pair in pairs if pair & top == pair]
        below = (k for k in lower[chain[-1]] if all(pair & members[k] for pair in pairs))
        modular = next(below, None) if len(chain) < order.rank else 0
        if modular is None:
            return None
        chain.append(modular)
    return chain[::-1]
