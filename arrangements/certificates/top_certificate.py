"""Proof that some labels can be best, or that they cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.core.short_rows import widened
from arrangements.exact.numbers import (
    append_column,
    nearest_float,
    negative,
    stack_rows,
    unify_fields,
)
from arrangements.exact.products import product
from arrangements.exact.text import rounded_text
from arrangements.feasibility.batch import INFINITY, FeasibilityBatch
from arrangements.feasibility.interior import Point
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.solving import solve_inside


@public_class
@dataclass(frozen=True, repr=False)
class TopCertificate:
    """Proof that some labels can score higher than all others, or that they cannot.

    Attributes
    ----------
    rows : ScoreRows
        Weights, offsets and labels.
    top : tuple of int
        The question: rows of the labels that shall be on top, the best first if `ordered`.
    ordered : bool
        Whether their order matters.
    feasible : bool
        The answer, also ``bool(certificate)``.
    point : tuple of Fraction or None
        If feasible: x at which these labels score highest (in this order).
    weights : dict of int to Fraction, or None
        If infeasible: y for some labels, not all 0, of sum 0, with ``sum_i y_i w_i = 0`` and
        ``sum_i y_i b_i <= 0``; y <= 0 for labels that are not in `top`, and y >= 0 for those in
        it. If `ordered`, the sums of the first entries of y along `top` are not negative instead.
        The positive entries sum to 1.
    within : Polyhedron or None
        ``A @ x <= c`` and ``E @ x == f``: x shall lie in its relative interior.
    within_weights : tuple of Fraction, or None
        If infeasible inside a polyhedron: z for each inequality, then for each equation. See Notes.

    Notes
    -----
    At any x with these labels on top, ``sum_i y_i (w_i . x + b_i)`` would be positive, since it is
    a sum of differences of a label and one that scores lower, but it is at most 0.

    Inside a polyhedron, only the sum of these functions and of ``z_j (c_j - A_j . x)`` and ``z_j
    (f_j - E_j . x)`` has no x in it and a constant of at most 0. Weights z of inequalities are not
    negative, except of those that are equations everywhere in `within`, which `Polyhedron.verify`
    proves. If `within` is empty, there are no labels in the sum, and the constant is negative.

    Examples
    --------
    >>> from arrangements import can_be_top
    >>> no = can_be_top([[0, 0], [4, 0], [0, 4], [1, 1]], [[3]])[0]
    >>> no
    TopCertificate({3}, infeasible, held down by 0 0.5, 1 0.25, 2 0.25)
    >>> no.blockers["1"], no.verify()
    (Fraction(1, 4), True)
    >>> from arrangements import Polyhedron
    >>> can_be_top([[1], [2]], [[0]], within=Polyhedron.box([0], [1]))[0].within_weights
    (Fraction(1, 1), Fraction(0, 1))
    """

    rows: ScoreRows
    top: tuple[int, ...]
    ordered: bool
    feasible: bool
    point: Point | None = None
    weights: Mapping[int, Fraction] | None = None
    within: Polyhedron | None = None
    within_weights: tuple[Fraction, ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the labels that shall be on top."""
        return self._named(self.top)

    @property
    def support(self) -> tuple[int, ...]:
        """Rows of the labels in the proof of a refusal; () if feasible."""
        return tuple(self.weights or ())

    @property
    def blockers(self) -> dict[str, Fraction]:
        """The labels that hold the others down, by name, with weights that sum to 1.

        At every x, or every x in `within`, the mean of their scores with these weights is at least
        that of the labels in question (of one label: at least its score). {} if feasible.
        """
        held = {i: -y for i, y in (self.weights or {}).items() if y < 0}
        return dict(zip(self._named(held), held.values(), strict=True))

    @property
    def shares(self) -> dict[str, float]:
        """`blockers` as floats, the largest first."""
        largest_first = sorted(self.blockers.items(), key=lambda item: -item[1])
        return {name: nearest_float(weight) for name, weight in largest_first}

    def verify(self) -> bool:
        """Check the proof in exact arithmetic, using only the numbers of the question."""
        if self.within is not None and not self.within.verify():
            return False
        if self.feasible:
            return self.point is not None and self._point_holds(self.point)
        return self.weights is not None and self._weights_hold(self.weights)

    def _point_holds(self, point: Point) -> bool:
        if len(point) != self.rows.dimension:
            return False
        if self.within is not None and not self.within.contains(
            np.array(point, object), interior=True
        ):
            return False
        scores = self.rows.exact_scores(point)
        top = scores[list(self.top)].tolist()
        rest = np.delete(scores, list(self.top)).tolist()
        falling = all(a > b for a, b in zip(top, top[1:], strict=False))
        return (falling or not self.ordered) and (not rest or min(top) > max(rest))

    def _weights_hold(self, weights: Mapping[int, Fraction]) -> bool:
        if sum(weights.values()) != 0:
            return False
        chosen = set(self.top)
        if any(y > 0 for i, y in weights.items() if i not in chosen):
            return False
        total = Fraction(0)
        for i in self.top:
            total = weights.get(i, Fraction(0)) + (total if self.ordered else 0)
            if total < 0:
                return False
        numbers, y = list(weights), list(weights.values())
        b = self.rows.offsets
        rows = append_column(widened(self.rows.weights[numbers]), None if b is None else b[numbers])
        if (P := self.within) is not None:
            z, equations = list(self.within_weights or ()), P.implicit_equations
            (A, c), (E, f) = P.inequalities, P.equations
            if len(z) != len(A) + len(E) or any(
                weight < 0 and j not in equations for j, weight in enumerate(z[: len(A)])
            ):
                return False
            used = np.array([bool(weight) for weight in z], np.bool_)
            y += [weight for weight in z if weight]
            for left, right, kept in ((A, c, used[: len(A)]), (E, f, used[len(A) :])):
                rows = stack_rows(
                    *unify_fields(rows, append_column(negative(left[kept]), right[kept]))
                )
        *linear, constant = product(rows.T, y).tolist()
        return not any(linear) and (constant < 0 or (constant == 0 and any(weights.values())))

    def _named(self, rows: Mapping[int, Fraction] | tuple[int, ...]) -> tuple[str, ...]:
        labels = self.rows.labels
        return tuple(str(i if labels is None else labels[i]) for i in rows)

    def __bool__(self) -> bool:
        return self.feasible

    def __repr__(self) -> str:
        kind = " > ".join(self.names) if self.ordered else "{" + ", ".join(self.names) + "}"
        return f"TopCertificate({kind}, {', '.join(self._parts())})"

    def _repr_html_(self) -> str:
        top = notebook.listing(self.names, " > " if self.ordered else ", ", len(self.top))
        facts: list[tuple[str, Any]] = [("labels", top)]
        if self.within is not None:
            facts.append(("within", notebook.text(repr(self.within))))
        if self.point is not None:
            facts.append(("an exact point", notebook.point(self.point)))
            return notebook.card("These labels can be on top", facts)
        held = self.blockers.items()
        rows = ([notebook.text(name), notebook.number(share)] for name, share in held)
        proof = notebook.table(["held down by", "weight"], rows, len(held))
        return notebook.card("These labels cannot be on top", facts, proof)

    def _parts(self) -> Iterator[str]:
        if self.point is not None:
            coordinates = [rounded_text(x, 4) for x in self.point[:6]] + [".."] * (
                len(self.point) > 6
            )
            yield f"feasible, point near ({', '.join(coordinates)})"
            return
        yield "infeasible"
        shares = list(self.shares.items())
        text = [f"{name} {share:.3g}" for name, share in shares[:6]] + [".."] * (len(shares) > 6)
        yield f"held down by {', '.join(text)}"
        if used := [str(j) for j, weight in enumerate(self.within_weights or ()) if weight]:
            few = ", ".join(used[:6]) + ", .." * (len(used) > 6)
            yield f"and by inequalit{'y' if len(used) == 1 else 'ies'} {few} of within"


def weigh_top(
    batch: FeasibilityBatch, i: int, support: Sequence[int], P: Polyhedron
) -> tuple[dict[int, Fraction], tuple[Fraction, ...]]:
    """Weights of labels and of a polyhedron that refute question i, from the labels in a proof."""
    support = [j for j in support if j != INFINITY]
    conditions = np.array(batch.exact_conditions(i, support), object)
    conditions = conditions.reshape(len(support), batch.width)
    if not batch.rows.affine:
        conditions = append_column(conditions, None)
    space = P.cylinder if batch.kind == "sets" else P  # t is a coordinate, too
    weights = solve_inside(conditions, (1,) * len(support), space).weights
    assert weights is not None  # these labels refute it
    y = batch.sum_conditions(i, support, weights[: len(support)])
    total = sum((weight for weight in y.values() if weight > 0), Fraction(0)) or Fraction(1)
    return (
        {j: weight / total for j, weight in y.items()},
        tuple(weight / total for weight in weights[len(support) :]),
    )
