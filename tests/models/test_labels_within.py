"""Questions about tops inside a polyhedron, against listings of rankings there."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest

from arrangements import (
    Polyhedron,
    argmax_labels,
    audit,
    can_be_top,
    chambers,
    checker,
    compare,
    rankings,
    top_k_rankings,
    top_k_sets,
    write_certificate,
)
from arrangements.certificates.certificate_table import Certificates
from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError
from arrangements.polyhedra.inner_points import point_inside
from arrangements.structure import tie_set, tie_sets, top_ties

SHAPES = ["box", "simplex", "cone", "flat", "empty", "unbounded", "segment", "point", "random"]


@pytest.fixture(params=[range(2), pytest.param(range(2, 12), marks=pytest.mark.slow)])
def seeds(request: pytest.FixtureRequest) -> range:
    return request.param


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


@pytest.mark.sampled(3)
@pytest.mark.parametrize("affine", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize("shape", SHAPES)
def test_tops(shape, affine, seeds):
    for seed in seeds:
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


@pytest.mark.sampled(4)
@pytest.mark.parametrize("affine", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize("shape", SHAPES)
def test_ties(shape, affine, seeds):
    for seed in seeds:
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


@pytest.mark.sampled(6)
@pytest.mark.parametrize("affine", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize("shape", SHAPES)
def test_audit(shape, affine, seeds):
    for seed in seeds:
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
    with pytest.raises(InputError, match="within was given with rank=1"):
        ask(W, within=Polyhedron.box(0, 1, dimension=2), rank=1)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("shape", SHAPES)
def test_compare(shape, seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        d = int(rng.integers(1, 4))
        P = region(rng, shape, d)
        one, two = (
            rng.permutation(np.unique(rng.integers(-3, 4, (9, d + 1)), axis=0))[:3] for _ in "ab"
        )
        n = min(len(one), len(two))
        models = [
            Arrangement(W[:n, :d], W[:n, d])
            for W in (one + [*[0] * d, 1], two)
            if W[:n, :d].any(axis=1).all()
        ]
        if len(models) < 2:
            continue
        for kind in ("label sets", "rankings", "top labels"):
            found = compare(*models, kind, within=P, examples=100)
            listed = [outputs(model, kind, P) for model in models]
            assert found.numbers == (len(listed[0]), len(listed[1]))
            assert found.only == (len(listed[0] - listed[1]), len(listed[1] - listed[0]))
            assert found.verify() and found.within == P
            assert all(P.contains(e.input, interior=True) for side in found.examples for e in side)
            sampled = compare(*models, kind, within=P, inputs=50, most_listed=0, rng=seed)
            assert sampled.verify() and sampled.method == "sampled"
            for only, some in zip(found.only, sampled.only, strict=True):
                assert only or not some


def outputs(model, kind, P):
    """All outputs of a kind, as tuples."""
    W, b = model.normals, model.offsets
    if kind == "label sets":
        return {tuple(row) for row in chambers(model, within=P).to_array().tolist()}
    if kind == "rankings":
        return {tuple(row) for row in rankings(W, b, within=P).to_array().tolist()}
    return set(argmax_labels(W, b, within=P).tolist())


def mutations(certificate):
    """Wrong variants of a proof of refusal."""
    y, z = certificate.weights, certificate.within_weights
    for j in y:
        yield replace(certificate, weights=y | {j: y[j] + 1})
    yield replace(certificate, weights={})
    for j in range(len(z)):
        for change in (1, -1):
            wrong = tuple(weight + change * (k == j) for k, weight in enumerate(z))
            yield replace(certificate, within_weights=wrong)
    yield replace(certificate, within_weights=z[:-1])
    yield replace(certificate, within=None)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("affine", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize("shape", SHAPES)
def test_can_be_top(shape, affine, seeds, tmp_path):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        W, b = model(rng, affine)
        P = region(rng, shape, W.shape[1])
        n = len(W)
        sets = [top for k in range(1, n + 1) for top in combinations(range(n), k)]
        orders = [top for k in range(1, min(n, 3) + 1) for top in permutations(range(n), k)]
        for ordered, asked in ((False, sets), (True, orders)):
            found = can_be_top(W, asked, offsets=b, ordered=ordered, within=P)
            sizes = sorted({len(top) for top in asked}) if not P.is_empty else ()
            expected = [top for k in sizes for top in tops_of(W, b, P, k, ordered)]
            assert [top for top, yes in zip(asked, found.feasible, strict=True) if yes] == expected
            assert found.verify()
            later = can_be_top(W, asked, offsets=b, ordered=ordered, within=P, time_limit=1e9)
            assert (later.feasible == found.feasible).all() and later.verify()
            for certificate in found:
                if certificate.feasible:
                    assert P.contains(certificate.point, interior=True)
                elif certificate.top != tuple(range(n)):
                    wrong = [one for one in mutations(certificate) if one.verify()]
                    assert all(holds(one) for one in wrong), (seed, wrong)
        found.save(tmp_path / "proofs.npz")
        same = Certificates.load(tmp_path / "proofs.npz")
        assert same.verify() and (same.feasible == found.feasible).all()


def holds(certificate):
    """Whether a proof of refusal is right, by its definition."""
    P, rows = certificate.within, certificate.rows
    y, z = certificate.weights, certificate.within_weights
    full = np.column_stack(
        [rows.weights, np.zeros(rows.n, int) if rows.offsets is None else rows.offsets]
    ).astype(object)
    total = sum((weight * full[i] for i, weight in y.items()), 0 * full[0])
    if P is not None:
        (A, c), (E, f) = P.inequalities, P.equations
        low = np.vstack([np.column_stack([-A, c]), np.column_stack([-E, f])]).astype(object)
        total = total + sum((weight * row for weight, row in zip(z, low, strict=True)), 0 * total)
        if any(
            weight < 0 and j not in P.implicit_equations for j, weight in enumerate(z[: len(A)])
        ):
            return False
    return not total[:-1].any() and (total[-1] < 0 or (total[-1] == 0 and any(y.values())))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("shape", SHAPES)
def test_certificate_files(shape, tmp_path):
    rng = np.random.default_rng(1)
    W, b = model(rng, True)
    P = region(rng, shape, W.shape[1])
    for ordered, choose in ((False, combinations), (True, permutations)):
        asked = [top for k in (1, 2) for top in choose(range(len(W)), k)]
        found = can_be_top(W, asked, offsets=b, ordered=ordered, within=P)
        path = str(tmp_path / f"{ordered}.cert")
        write_certificate(found, path)
        said = []
        assert checker.main(path, said.append) == 0
        assert f"({found.feasible.sum()} occur)" in said[-1]


def test_sets_of_labels_that_are_equal_in_the_polyhedron() -> None:
    for W, b in ([[0], [1]], [1, 0]), ([[1], [1]], [0, 0]), ([[1], [1]], None):
        found = audit(W, b, sets=[[0, 1], [0], [1], []], within=([[1], [-1]], [1, -1]))
        assert found.possible.tolist() == [1, 0, 0, 0]
