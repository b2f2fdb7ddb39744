"""Questions about tops inside a polyhedron, against listings of rankings there."""

from itertools import combinations

import numpy as np
import pytest

from arrangements import (
    Polyhedron,
    argmax_labels,
    audit,
    rankings,
    top_k_rankings,
    top_k_sets,
)
from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError
from arrangements.polyhedra.inner_points import point_inside
from arrangements.structure import tie_set, tie_sets, top_ties

SHAPES = ["box", "simplex", "cone", "flat", "empty", "unbounded", "segment", "point", "random"]


def region(rng, shape, d):
    """A random polyhedron in d dimensions."""
    if shape == "box":
        low = rng.integers(-2, 2, d)
        return Polyhedron.box(low, low + rng.integers(1, 3, d))
    if shape == "simplex":
        return Polyhedron.simplex(d)
    if shape == "cone":
        return Polyhedron.cone(rng.integers(-2, 3, (int(rng.integers(1, d + 1)), d)))
    if shape == "flat":  # by two inequalities, or by an equation
        row, c = rng.integers(-1, 2, d), int(rng.integers(-1, 2))
        if rng.integers(2):
            return Polyhedron(np.array([row, -row]), [c, -c])
        return Polyhedron(-np.eye(d, dtype=int), np.full(d, 3), equations=([row], [c]))
    if shape == "empty":
        return Polyhedron([[1] + [0] * (d - 1), [-1] + [0] * (d - 1)], [0, -1])
    if shape == "unbounded":
        return Polyhedron(rng.integers(-1, 2, (1, d)), rng.integers(-1, 2, 1))
    if shape == "segment":
        return Polyhedron.hull(rng.integers(-2, 3, (2, d)))
    if shape == "point":
        return Polyhedron.hull(rng.integers(-2, 3, (1, d)))
    return Polyhedron(rng.integers(-2, 3, (d + 2, d)), rng.integers(-1, 4, d + 2))


def model(rng, affine):
    """Weights and offsets of a few labels, no two of them equal."""
    n, d = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    rows = np.unique(rng.integers(-2, 3, (n, d + affine)), axis=0)
    rng.shuffle(rows)
    return rows[:, :d], rows[:, d] if affine else None


def tops_of(W, b, P, k, ordered):
    """Top labels of size k from a listing of rankings; labels that tie in P count as one place."""
    scores = W if b is None else np.column_stack([W, b])
    span = points_of(P)
    values = scores @ span.T if b is not None else W @ span[:, : W.shape[1]].T
    classes = {}
    for i, value in enumerate(values.tolist()):
        classes.setdefault(tuple(value), []).append(i)
    groups = list(classes.values())
    first = [group[0] for group in groups]
    found = set()
    for order in rankings(W[first], None if b is None else b[first], within=P).to_array().tolist():
        places = [groups[j] for j in order]
        if ordered:
            single = [place[0] for place in places[:k] if len(place) == 1]
            last = len(places) >= k and len(single) == k
            if last:
                found.add(tuple(single))
        else:
            top = []
            while len(top) < k:
                top += places.pop(0)
            if len(top) == k:
                found.add(tuple(sorted(top)))
    return sorted(found)


def points_of(P):
    """Affinely independent points (x, 1) that span the affine hull."""
    _, basis = P.strict_rows()
    return np.array(basis, object)


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_tops(shape, affine):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        W, b = model(rng, affine)
        P = region(rng, shape, W.shape[1])
        for k in range(1, len(W) + 1):
            sets, orders = (
                [] if P.is_empty else tops_of(W, b, P, k, ordered) for ordered in (False, True)
            )
            found = top_k_sets(W, k, offsets=b, within=P)
            assert list(map(tuple, found.tolist())) == sets, (seed, k)
            found = top_k_rankings(W, k, offsets=b, within=P)
            assert list(map(tuple, found.tolist())) == orders, (seed, k)
            if k == 1:
                assert argmax_labels(W, b, within=P).tolist() == [i for (i,) in orders], seed


def ties_of(W, b, P):
    """All tie sets, each by a question of its own."""
    n = len(W)
    b = np.zeros(n, int) if b is None else b
    found = []
    for size in range(1, n + 1):
        for top in combinations(range(n), size):
            others = [i for i in range(n) if i != top[0]]
            signs = np.array([0 if i in top else 1 for i in others], int)
            rows = np.column_stack([W[top[0]] - W[others], b[top[0]] - b[others]])
            kept = rows[:, :-1].any(axis=1)
            if (np.sign(rows[~kept, -1]) != signs[~kept]).any():
                continue
            lines = Arrangement(rows[kept, :-1], rows[kept, -1]) if kept.any() else None
            if lines is None or point_inside(lines, P, signs[kept].tolist()) is not None:
                found.append(top)
    return found


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_ties(shape, affine):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        W, b = model(rng, affine)
        P = region(rng, shape, W.shape[1])
        expected = [] if P.is_empty else ties_of(W, b, P)
        found = tie_sets(W, b, within=P)
        assert [tie.labels for tie in found] == expected, seed
        for tie in found:
            assert P.contains(tie.point, interior=True)
            scores = W @ np.array(tie.point) + (0 if b is None else b)
            assert tuple(np.flatnonzero(scores == scores.max())) == tie.labels
            assert tie.dimension <= P.dimension
        pairs = [list(top) for top in expected if len(top) == 2]
        assert top_ties(W, b, within=P).tolist() == pairs, seed
        for tied in ([0], [0, len(W) - 1]):
            above = [set(top) for top in expected if set(tied) <= set(top)]
            one = tie_set(W, tied, offsets=b, within=P)
            assert (one and set(one.labels)) == (set.intersection(*above) if above else None), seed


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_audit(shape, affine):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        W, b = model(rng, affine)
        P = region(rng, shape, W.shape[1])
        n = len(W)
        sets = [list(top) for size in range(n + 1) for top in combinations(range(n), size)]
        found = audit(W, b, sets=sets, pairs=True, within=P)
        alone = [i for (i,) in tops_of(W, b, P, 1, True)] if not P.is_empty else []
        assert np.flatnonzero(found.can_win).tolist() == alone
        for i, proof in found.held_down_by.items():
            assert sum(share for _, share in proof) == pytest.approx(1)
            assert i not in dict(proof)
        for on, possible in zip(sets, found.possible.tolist(), strict=True):
            signs = np.where(np.isin(np.arange(n), on), 1, -1)
            constant = np.zeros(n, int) if b is None else b
            occurs = not P.is_empty
            if occurs:  # a label whose score is 0 everywhere is never on
                zero = ~(np.column_stack([W, constant]) @ points_of(P).T).any(axis=1)
                kept = ~zero & W.any(axis=1)
                flat = ~zero & ~W.any(axis=1)
                occurs = not zero[on].any() and (np.sign(constant[flat]) == signs[flat]).all()
            if occurs and kept.any():
                lines = Arrangement(W[kept], constant[kept])
                occurs = point_inside(lines, P, signs[kept].tolist()) is not None
            assert possible == occurs, (seed, on)
        copies = [i for group in found.duplicates for i in group[1:]]
        rest = np.delete(np.arange(n), copies)
        both = []
        if not P.is_empty and len(rest) > 1:
            both = tops_of(W[rest], None if b is None else b[rest], P, 2, False)
        counts = np.zeros(n, int)
        counts[rest] = np.bincount(np.ravel(both).astype(int), minlength=len(rest))
        assert found.pairs.tolist() == counts.tolist(), seed


def test_an_audit_says_within_what():
    found = audit([[1, 0], [0, 1]], within=Polyhedron.box(0, 1, dimension=2))
    assert "within: the interior of Polyhedron(4 inequalities in dimension 2)" in found.summary()
    assert found.to_dict()["facts"]["within"] == "Polyhedron(4 inequalities in dimension 2)"
    assert "the interior of" in found.to_html()


@pytest.mark.parametrize("ask", [argmax_labels, tie_sets, top_ties, audit])
def test_within_is_refused(ask):
    W = [[1.0, 0.5], [0.5, 1.0], [0.25, 2.0]]
    with pytest.raises(InputError, match="within is"):
        ask(W, within=np.eye(2))
    with pytest.raises(InputError, match="within is"):
        ask(W, within=Arrangement(np.eye(2)))
    with pytest.raises(InputError, match="dimension"):
        ask(W, within=Polyhedron.box(0, 1, dimension=3))
    with pytest.raises(InputError, match="within and rank"):
        ask(W, within=Polyhedron.box(0, 1, dimension=2), rank=1)
