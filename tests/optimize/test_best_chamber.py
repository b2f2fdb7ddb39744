"""The best chamber: against listing all, by both searches, with costs that floats confuse."""

from fractions import Fraction

import numpy as np
import pytest
from numba import njit

from arrangements import Arrangement, best_chamber, chambers, fold_chambers
from arrangements.errors import InputError
from arrangements.generators import braid, generic
from arrangements.optimize import l1_pca, max_feasible
from arrangements.optimize.by_bounds import Bounding
from arrangements.optimize.objectives import Costs
from arrangements.runs import folding
from arrangements.sets.packed import pack_signs


def values(W, costs, offsets=None):
    """The exact value of every chamber, one cost at a time."""
    costs = np.array(costs, object)
    off, on = costs if costs.ndim == 2 else (0 * costs, costs)
    signs = chambers(W, offsets=offsets).to_array()
    return [
        sum(Fraction(b if s > 0 else a) for s, a, b in zip(row, off, on, strict=True))
        for row in signs
    ]


def some_question(seed):
    """A small arrangement with coincidences, perhaps affine, and costs of several kinds."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    W = rng.integers(-2, 3, (n, d))
    W[~W.any(axis=1), 0] = 1
    offsets = rng.integers(-2, 3, n) if seed % 2 else None
    costs = [
        rng.integers(-3, 4, n),
        rng.standard_normal(n),
        rng.integers(-3, 4, (2, n)) * 10.0**20 + rng.integers(0, 2, (2, n)),
        1.0 + np.spacing(1.0) * rng.integers(-1, 2, n),
    ][seed % 4]
    return W, costs.tolist(), offsets


@pytest.mark.sampled(9)
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("method", ["sweep", "bounds"])
def test_no_chamber_is_better(seed, method):
    W, costs, offsets = some_question(seed)
    all_values = values(W, costs, offsets)
    for sense, best in (("min", min(all_values)), ("max", max(all_values))):
        found = best_chamber(W, costs, offsets=offsets, sense=sense, method=method)
        assert (found.value, found.bound, found.gap) == (best, best, 0)
        assert found.verify()


@pytest.mark.parametrize("seed", range(0, 60, 5))
def test_best_chambers_are_counted(seed):
    W, costs, offsets = some_question(seed)
    all_values = values(W, costs, offsets)
    found = best_chamber(W, costs, offsets=offsets, count_best=True)
    assert found.n_best == all_values.count(min(all_values))


@pytest.mark.parametrize("method", ["sweep", "bounds"])
def test_equal_opposite_and_scaled_rows(method):
    W = [[1, 2], [2, 4], [-1, -2], [3, 1], [0.5, 1]]
    found = best_chamber(W, [3, -1, 4, 1, 1], method=method)
    assert found.value == min(values(W, [3, -1, 4, 1, 1])) == 3
    constant = Arrangement([[0, 0], [1, 0]], offsets=[-1, 0])
    assert best_chamber(constant, [[7, 0], [0, 1]], method=method).value == 7


def test_more_than_one_word_and_threads():
    W = generic(80, 3, 4).normals
    costs = np.random.default_rng(5).standard_normal(80)
    alone = best_chamber(W, costs, method="sweep")
    both = best_chamber(W, costs, method="sweep", workers=2)
    bounds = best_chamber(W, costs, method="bounds")
    assert alone.value == both.value == bounds.value
    assert alone.signs.tolist() == both.signs.tolist()
    assert bounds.verify() and bounds.method == "bounds"


def test_costs_that_64_bits_do_not_hold():
    W, rng = generic(12, 3, 1).normals, np.random.default_rng(2)
    costs = [int(x) * 10**30 + int(y) for x, y in rng.integers(-9, 10, (12, 2))]
    exact = min(values(W, costs))
    for method in ("sweep", "bounds"):
        assert best_chamber(W, costs, method=method).value == exact
    equal = best_chamber(W, [0] * 11 + [10**40], count_best=True)
    assert equal.value == 0 and equal.n_best == len(chambers(W)) // 2


def noisy(n, d, flipped, seed=0):
    """The 0-1 loss of a line, with some labels flipped: rows and costs."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.standard_normal((n, d)), np.ones(n)])
    on = (X @ rng.standard_normal(d + 1) > 0) ^ (rng.random(n) < flipped)
    return X, np.array([on, ~on]).astype(int)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("n", "d", "flipped"), [(60, 2, 0.2), (40, 3, 0.1), (150, 3, 0.02)])
def test_few_errors(n, d, flipped):
    X, costs = noisy(n, d, flipped)
    by_bounds = best_chamber(X, costs, method="bounds")
    assert by_bounds.value == best_chamber(X, costs, method="sweep").value
    assert by_bounds.gap == 0


@pytest.mark.slow
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize(("n", "largest"), [(20, 1), (70, 3), (240, 1), (90, 10**9)])
def test_sweeps_of_sums_and_of_rows_agree(n, largest, affine):
    rng = np.random.default_rng(n)
    W = rng.integers(-4, 5, (n, 3))
    W[:, 0] += 9 * ~W.any(axis=1)
    offsets = rng.integers(-4, 5, n) if affine else None
    costs = rng.integers(-largest, largest + 1, (2, n))
    listed = chambers(W, offsets=offsets).to_array() > 0
    all_values = np.where(listed, costs[1], costs[0]).sum(axis=1)
    found = best_chamber(W, costs, offsets=offsets, method="sweep", count_best=True)
    assert found.value == all_values.min() and found.verify()
    assert found.n_best == (all_values == all_values.min()).sum()
    histogram = fold_chambers(W, "positives", offsets=offsets)
    assert np.array_equal(histogram, np.bincount(listed.sum(axis=1), minlength=n + 1))


def test_what_a_time_limit_leaves():
    X, costs = noisy(300, 4, 0.3)
    found = best_chamber(X, costs, time_limit=0.3)
    assert found.gap > 0 and found.verify()
    assert found.bound < found.value
    assert "within" in repr(found)


def test_pairs_of_labels():
    # every pair of labels is one row, so that costs are those of a ranking
    assert best_chamber(braid(4), [1] * 6, sense="max").value == 6
    costs = [1, -1, 1, -1, 1, -1]
    assert best_chamber(braid(4), costs, sense="max").value == max(values(braid(4), costs))


def test_max_feasible():
    assert max_feasible([[1, 0], [0, 1], [-1, -1]]).value == 2
    assert max_feasible([[1], [1], [-1]], weights=[1, 1, 5]).value == 5
    interval = max_feasible([[1], [-1], [1]], offsets=[0, 1, -2])
    assert interval.value == 2 and interval.verify()


def test_what_is_left_out_conflicts():
    rng = np.random.default_rng(5)
    for _ in range(20):
        W, offsets = rng.integers(-3, 4, (12, 3)), rng.integers(-3, 4, 12)
        W[(W == 0).all(axis=1)] = 1
        most = max_feasible(W, offsets)
        kept = np.flatnonzero(most.signs > 0)
        conflicts = most.conflicts()
        assert len(conflicts) == len(most.left_out) == 12 - most.value
        assert not conflicts.feasible.any() and conflicts.verify()
        for row, conflict in zip(most.left_out, conflicts, strict=True):
            assert row in conflict.support and set(conflict.support) <= {row, *kept}
    everything = max_feasible([[1, 0], [0, 1]])
    assert len(everything.left_out) == len(everything.conflicts()) == 0
    # A row without weight may be left out though it could be added.
    assert max_feasible([[1]], weights=[0]).conflicts().feasible.all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"costs": [1, 2, 3]}, r"costs has shape \(3,\); expected \(2,\)"),
        ({"costs": [1, np.nan]}, "costs"),
        ({"costs": [1, 2], "sense": "least"}, "sense is 'least'; expected"),
        ({"costs": [1, 2], "method": "guess"}, "method is 'guess'; expected"),
        ({"costs": [1, 2], "method": "bounds", "count_best": True}, "count_best needs a sweep"),
        ({"costs": [1, 2], "time_limit": -1}, "time_limit is -1; expected a number of seconds"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(InputError, match=message):
        best_chamber([[1, 0], [0, 1]], **arguments)


def test_rounded_costs_are_in_order():
    costs = Costs.of([2**70 + 1, -(2**70), 3], 3)
    gains, slack = costs.rounded
    assert slack == 4
    assert abs(gains.astype(object)).sum() < 2**61
    shift = (2**70 // int(gains[0])).bit_length() - 1
    for g, exact in zip(gains.tolist(), costs.gains, strict=True):
        assert 2 * abs(g * 2**shift - exact) <= 2**shift


def test_on_a_cluster():
    distributed = pytest.importorskip("distributed")
    X, costs = noisy(30, 2, 0.2)
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=":0"
    ) as client:
        found = best_chamber(X, costs, method="sweep", client=client)
        component = l1_pca(X, client=client)
    here = best_chamber(X, costs, method="sweep")
    assert (found.value, found.signs.tolist()) == (here.value, here.signs.tolist())
    assert component.square == l1_pca(X).square


@njit
def positives_of_row(row):
    return (row[0] & np.uint64(7)) * np.uint64(3) + (row[0] >> np.uint64(3))


STEPS = {
    "compiled": positives_of_row,
    "floats": lambda block: (block.to_array() @ np.arange(block.n)) ** 2 / 4 - 1.5,
    "objects": lambda block: [Fraction(int(k), 3) for k in (block.to_array() > 0).sum(axis=1)],
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("name", STEPS)
def test_steps(name, sense):
    W, step = generic(7, 3, 0).normals, STEPS[name]
    every = chambers(W)
    if name == "compiled":
        numbers = [int(step(row)) for row in pack_signs(every.to_array())]
    else:
        numbers = list(map(Fraction, np.asarray(step(every)).tolist()))
    best = min(numbers) if sense == "min" else max(numbers)
    for workers in (1, 2):
        found = best_chamber(W, step=step, sense=sense, count_best=True, workers=workers)
        assert found.value == found.bound == best and found.verify()
        assert found.n_best == numbers.count(best)


@pytest.mark.parametrize("V", [np.arange(14).reshape(7, 2) - 5, np.arange(14).reshape(7, 2) / 8])
def test_functions_of_a_statistic(V):
    W = generic(7, 3, 1).normals
    sums = [
        [sum(Fraction(v) * int(s) for v, s in zip(column, row, strict=True)) for column in V.T]
        for row in chambers(W).to_array()
    ]
    values = [x * x - 3 * y for x, y in sums]
    found = best_chamber(W, statistic=V, objective=lambda z: z[:, 0] ** 2 - 3 * z[:, 1])
    assert found.value == min(values) and found.gap == 0 and found.verify()


def interrupting(function, call):
    """The function, which Ctrl-C interrupts at one of its calls."""
    calls = iter(range(10**9))

    def interrupted(*arguments, **named):
        if next(calls) == call:
            raise KeyboardInterrupt
        return function(*arguments, **named)

    return interrupted


def test_ctrl_c_keeps_the_best_of_bounds(monkeypatch):
    X, costs = noisy(60, 3, 0.25)
    exact = best_chamber(X, costs, method="sweep").value
    for call in (0, 3, 30):
        with monkeypatch.context() as patch:
            patch.setattr(Bounding, "_values", interrupting(Bounding._values, call))
            found = best_chamber(X, costs, method="bounds")
        assert found.verify() and found.bound <= exact <= found.value
        assert found.gap > 0


def test_ctrl_c_keeps_the_best_of_a_sweep(monkeypatch):
    X, costs = noisy(250, 3, 0.25)  # several parts
    exact = best_chamber(X, costs, method="sweep").value
    with monkeypatch.context() as patch:
        patch.setattr(folding.PartFold, "fold", interrupting(folding.PartFold.fold, 1))
        found = best_chamber(X, costs, method="sweep")
        assert found.verify() and found.bound <= exact <= found.value and found.gap > 0
        patch.setattr(folding.PartFold, "fold", interrupting(folding.PartFold.fold, 1))
        found = best_chamber(X, step=lambda block: block.packed[:, 0] % 1000)
        assert found.verify() and found.bound is None and found.gap is None
        assert "best so far" in repr(found)
        patch.setattr(folding.PartFold, "fold", interrupting(folding.PartFold.fold, 0))
        with pytest.raises(KeyboardInterrupt):
            best_chamber(X, costs, method="sweep")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "exactly one of costs, step and statistic"),
        ({"costs": [1, 2], "step": len}, "exactly one of costs, step and statistic"),
        ({"statistic": [[1], [2]]}, "statistic and objective belong together"),
        ({"statistic": [[1]], "objective": len}, "statistic has 1 rows; expected 2"),
        ({"statistic": [[1], [2]], "objective": 3}, "objective is 3; expected a function"),
        ({"step": "positives"}, "step is 'positives'; expected a function"),
        ({"step": len}, r"step returned an array of shape \(\) for 4 chambers"),
        ({"step": lambda block: [1j] * len(block)}, "complex"),
        ({"step": lambda block: [np.nan] * len(block)}, "not finite"),
        ({"step": len, "method": "bounds"}, "bounds are about costs"),
    ],
)
def test_bad_objectives(arguments, message):
    with pytest.raises(InputError, match=message):
        best_chamber([[1, 0], [0, 1]], **arguments)


def test_no_rows_cost_nothing():
    for costs in ([], np.zeros((2, 0))):
        for method in ("auto", "sweep", "bounds"):
            assert best_chamber(np.zeros((0, 2)), costs, method=method).value == 0
