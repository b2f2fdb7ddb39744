"""Proofs that no chamber costs less: trees of signs whose leaves have lower bounds.

A node of a tree says the signs of some rows. At its other rows a chamber may have the lesser of two
costs, unless that is impossible: a conflict is a set of such signs, and of signs of the node, that
cannot occur together (Farkas). At least one of the other rows of a conflict has its larger cost. So
shares of conflicts, which are at most the difference of both costs at each row together, add up to
a lower bound: the dual of a linear program that covers all conflicts by rows (M. Parker, J. Ryan,
Ann. Math. Artif. Intell. 17 (1996) 107-126). A node is divided at a row if that bound is too small.
The least cost is known before, so the order plays no part.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd
from time import monotonic
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array

from arrangements.certificates.certificate import Certificate
from arrangements.certificates.one_sign_vector import feasible
from arrangements.core.arrangement import Arrangement
from arrangements.errors import TooLargeError
from arrangements.feasibility.cone_system import HomogeneousRows, homogeneous_rows
from arrangements.optimize.objectives import Costs
from arrangements.optimize.region import cone_inside
from arrangements.polyhedra.polyhedron import Polyhedron

# Times that a bound is improved at the root and at other nodes, and conflicts found each time.
_ROUNDS, _LATER_ROUNDS, _CONFLICTS = 60, 2, 8
# Conflicts with fewer rows that may differ come first.
_PREFERENCE = 1e-3
_TOLERANCE = 1e-7
# Denominator of shares, where the costs are small numbers.
_DENOMINATOR = 720
# Nodes of a tree; the checker proves some thousand of them in a minute.
_MOST_NODES = 10_000

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]


class Share(NamedTuple):
    """A part of a lower bound: that one row of a conflict has its larger cost."""

    size: Fraction
    conflict: Certificate


@dataclass(frozen=True)
class OptimalityTree:
    """A proof that no chamber costs less.

    Attributes
    ----------
    nodes : list
        Parents before children, sign + first: the row at which a node is divided, or the shares of
        the conflicts whose bound suffices, as sums of gains.
    """

    nodes: list[int | list[Share]] = field(default_factory=list)

    @property
    def conflicts(self) -> int:
        """How many different conflicts there are."""
        leaves = (node for node in self.nodes if not isinstance(node, int))
        return len({id(share.conflict) for leaf in leaves for share in leaf})

    def proves(self, costs: Costs, least: int) -> bool:
        """Check in exact arithmetic that no chamber has a sum of gains below `least`."""
        extra = [abs(gain) for gain in costs.gains]
        cheap = [1 if gain < 0 else -1 for gain in costs.gains]
        verified: dict[int, bool] = {}
        waiting: list[dict[int, int]] = [{}]
        for node in self.nodes:
            if not waiting:
                return False
            known = waiting.pop()
            if isinstance(node, int):
                if node in known:
                    return False
                waiting += [known | {node: s} for s in (-1, 1)]
                continue
            signs = [known.get(i, c) for i, c in enumerate(cheap)]
            bound = Fraction(sum(g for g, s in zip(costs.gains, signs, strict=True) if s > 0))
            left: list[Fraction | int] = [*extra]
            for size, conflict in node:
                good = verified.setdefault(id(conflict), not conflict and conflict.verify())
                rows = np.flatnonzero(_signs_of(conflict)).tolist()
                free = [i for i in rows if i not in known]
                for i in free:
                    left[i] -= size
                if not good or size < 0 or any(conflict.signs[i] != signs[i] for i in rows):
                    return False
                bound = bound + size if free else Fraction(least)
            if min(left, default=0) < 0 or bound <= least - (gcd(*extra) or 1):
                return False
        return not waiting


def optimality_tree(
    arrangement: Arrangement,
    within: Polyhedron | None,
    costs: Costs,
    least: int,
    *,
    most_nodes: int = _MOST_NODES,
    deadline: float | None = None,
) -> OptimalityTree | None:
    """Prove that no chamber has a sum of gains below `least`; None if some chamber has.

    Parameters
    ----------
    arrangement : Arrangement
    within : Polyhedron or None
        Only chambers count that meet its relative interior.
    costs : Costs
        To be made least.
    least : int
    most_nodes : int, optional
    deadline : float, optional
        Of the clock `monotonic`.

    Raises
    ------
    TooLargeError
        If the proof needs more nodes, or time.

    Examples
    --------
    >>> triangle = Arrangement([[1, 0], [0, 1], [-1, -1]])
    >>> tree = optimality_tree(triangle, None, Costs.of([-1] * 3, 3), -2)
    >>> tree.nodes
    [[Share(size=Fraction(1, 1), conflict=Certificate('+++', infeasible, rows 0, 1, 2 with \
weights 1, 1, 1))]]
    """
    search = _Search(arrangement, within, costs, least)
    tree, waiting = OptimalityTree(), [np.zeros(len(costs.gains), np.int8)]
    while waiting:
        if len(tree.nodes) + len(waiting) > most_nodes:
            raise TooLargeError(
                f"the proof that no chamber is better has more than {most_nodes} nodes. A list of "
                "all chambers proves it, too: write_certificate(chambers(W), path)."
            )
        if deadline is not None and monotonic() > deadline:
            raise TooLargeError(
                f"the proof that no chamber is better has more than {len(tree.nodes)} nodes, and "
                "time is up; pass max_hours for more."
            )
        known = waiting.pop()
        node = search.node(known, first=not tree.nodes)
        if node is None:
            return None
        tree.nodes.append(node)
        if isinstance(node, int):
            waiting += [np.where(np.arange(len(known)) == node, s, known) for s in (-1, 1)]
    return tree


class _Search:
    """Decides what becomes of a node: conflicts that all nodes share, and linear programs."""

    def __init__(
        self, arrangement: Arrangement, within: Polyhedron | None, costs: Costs, least: int
    ) -> None:
        self._arrangement, self._within, self._least = arrangement, within, least
        self._gains = costs.gains
        self._cheap = np.array([1 if g < 0 else -1 for g in costs.gains], np.int8)
        self._extra = [abs(g) for g in costs.gains]
        self._step = gcd(*self._extra) or 1
        self._unit = max(self._extra, default=0) or 1
        self._weights = np.array([e / self._unit for e in self._extra])
        cone, lead = (arrangement, 0) if within is None else cone_inside(arrangement, within)
        rows, affine = homogeneous_rows(cone)
        self._lead = lead + affine
        if rows:
            floats = HomogeneousRows(rows).floats.T
            self._rows = floats / np.sqrt((floats * floats).sum(axis=1, keepdims=True))
        self._proofs: list[Certificate] = []
        self._pool = np.zeros((0, len(self._extra)), np.int8)
        self._names: dict[bytes, int] = {}

    def node(self, known: Signs, *, first: bool) -> int | list[Share] | None:
        """The row that divides the node of these signs, or shares that close it.

        None if a chamber of the node is better.
        """
        signs = np.where(known, known, self._cheap)
        base = sum(g for g, s in zip(self._gains, signs.tolist(), strict=True) if s > 0)
        missing = self._least - self._step - base
        if missing < 0:
            return []
        hits = np.zeros(len(signs))
        for _ in range(_ROUNDS if first else _LATER_ROUNDS):
            active = np.flatnonzero(((self._pool != 0) <= (self._pool == signs)).all(axis=1))
            free = (self._pool[active] != 0) & (known == 0)
            closed = active[~free.any(axis=1)]
            if len(closed):
                return [Share(Fraction(1), self._proofs[closed[0]])]
            hits, shares = self._cover(free)
            if sum(shares) > (1 - _TOLERANCE) * (missing / self._unit):
                exact = self._exact_shares(free, shares)
                if sum(exact) > missing * _DENOMINATOR:
                    pairs = zip(exact, active.tolist(), strict=True)
                    return [
                        Share(Fraction(size, _DENOMINATOR), self._proofs[k])
                        for size, k in pairs
                        if size
                    ]
            if not self._find_conflicts(signs, known, hits):
                break
        if known.all() or not self._divisible(known).any():
            proof = self._ask(signs, np.flatnonzero(known))
            return None if proof is None else [Share(Fraction(1), proof)]
        return self._row(known, hits)

    def _divisible(self, known: Signs) -> NDArray[np.bool_]:
        return np.asarray((known == 0) & (self._weights > 0))

    def _row(self, known: Signs, hits: Floats) -> int:
        """The row at which a node is divided: one that the linear program covers by halves."""
        open_rows = self._divisible(known)
        merit = np.minimum(hits, 1 - hits).clip(0) * self._weights + 1e-6 * hits + 1e-9
        return int(np.where(open_rows, merit, -1.0).argmax())

    def _cover(self, free: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Parts of rows that cover all conflicts and cost least, and shares of the conflicts."""
        hits, shares = np.zeros(free.shape[1]), np.zeros(len(free))
        used = np.flatnonzero(free.any(axis=0))
        if not len(used):
            return hits, shares
        matrix = csr_array(-free[:, used].astype(np.float64))
        found = linprog(self._weights[used], matrix, -np.ones(len(free)), method="highs")
        if found.status == 0:
            hits[used] = found.x
            shares = np.maximum(-found.ineqlin.marginals, 0)
        return hits, shares

    def _exact_shares(self, free: NDArray[np.bool_], shares: Floats) -> list[int]:
        """Shares near these, times a denominator, whose sum at no row exceeds the extra cost."""
        left = [_DENOMINATOR * extra for extra in self._extra]
        found = []
        for rows, share in zip(free, shares.tolist(), strict=True):
            places = np.flatnonzero(rows).tolist()
            size = min(round(share * _DENOMINATOR) * self._unit, *(left[i] for i in places))
            for i in places:
                left[i] -= size
            found.append(size)
        return found

    def _find_conflicts(self, signs: Signs, known: Signs, hits: Floats) -> bool:
        """Look for conflicts that the parts of rows cover by less than 1; True if there are."""
        rows = np.flatnonzero((known != 0) | (self._weights > 0))
        if not len(rows):
            return False
        free = known[rows] == 0
        costs = np.where(free, hits[rows] + _PREFERENCE, 0.0)
        functions = np.vstack([self._rows[: self._lead], self._signed(rows, signs)])
        system = np.vstack([functions.T, np.repeat([0.0, 1.0], [self._lead, len(rows)])])
        right = np.append(np.zeros(functions.shape[1]), 1.0)
        new = False
        for _ in range(_CONFLICTS):
            every = np.append(np.zeros(self._lead), costs)
            found = linprog(every, A_eq=system, b_eq=right, method="highs-ds")
            if found.status != 0:
                break
            support = np.flatnonzero(found.x[self._lead :] > _TOLERANCE)
            if hits[rows[support[free[support]]]].sum() > 1 - _TOLERANCE:
                break
            proof = self._ask(signs, rows[support])
            if proof is None or not self._keep(proof):
                break
            new = True
            if not free[support].any():
                break
            costs[support] += 1.0  # the next one shares few rows with it
        return new

    def _signed(self, rows: NDArray[np.intp], signs: Signs) -> Floats:
        return np.asarray(self._rows[self._lead + rows] * signs[rows, None])

    def _ask(self, signs: Signs, rows: NDArray[np.intp]) -> Certificate | None:
        """An exact proof that these rows cannot have their signs together."""
        question = {i: int(signs[i]) for i in rows.tolist()}
        asked = [question.get(i) for i in range(len(signs))]
        proof = feasible(self._arrangement, asked, within=self._within)
        return None if proof else proof

    def _keep(self, proof: Certificate) -> bool:
        """Add a conflict to those of all nodes, unless it is known."""
        row = _signs_of(proof)
        if row.tobytes() in self._names:
            return False
        self._names[row.tobytes()] = len(self._proofs)
        self._proofs.append(proof)
        self._pool = np.vstack([self._pool, row])
        return True


def _signs_of(conflict: Certificate) -> Signs:
    """The signs that exclude each other, 0 at all other rows."""
    pairs = zip(conflict.signs, conflict.weights or (), strict=False)
    return np.array([s if s and w else 0 for s, w in pairs], np.int8)
