"""Rankings nearest to many given ones, against all permutations."""

from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from arrangements import rankings
from arrangements.errors import InputError, TooLargeError
from arrangements.optimize import best_ranking, kemeny_ranking
from arrangements.optimize.linear_ordering import BranchAndBound, SubsetTable, _Node, cost_of


def some_votes(seed):
    """Levels of labels; some rankings are partial, some have ties."""
    rng = np.random.default_rng(seed)
    n, votes = int(rng.integers(1, 7)), []
    for _ in range(rng.integers(1, 7)):
        order = rng.permutation(n)[: rng.integers(1, n + 1)]
        ends = np.flatnonzero(rng.random(len(order)) < 0.3)
        votes.append([part.tolist() for part in np.split(order, ends) if len(part)])
        if rng.random() < 0.6:
            votes[-1] = [[i] for part in votes[-1] for i in part]
    kinds = (
        [1] * len(votes),
        rng.integers(0, 4, len(votes)).tolist(),
        rng.choice([0.1, 0.2, 0.3], len(votes)).tolist(),
        [Fraction(int(k), 7) + 10**25 for k in rng.integers(0, 9, len(votes))],
    )
    return n, votes, kinds[seed % 4]


def distance(order, votes, weights):
    place = {label: k for k, label in enumerate(order)}
    return sum(
        Fraction(weight) * sum(place[i] > place[j] for i, j in product(one, other))
        for vote, weight in zip(votes, weights, strict=True)
        for one, other in combinations(vote, 2)
    )


def as_given(vote):
    return [tuple(part) if len(part) > 1 else part[0] for part in vote]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("seed", range(60))
def test_against_all_permutations(seed):
    n, votes, weights = some_votes(seed)
    given = list(map(as_given, votes))
    values = {order: distance(order, votes, weights) for order in permutations(range(n))}
    least = min(values.values())
    best = sorted(list(order) for order, value in values.items() if value == least)
    labels = [f"label {i}" for i in range(n)]
    found = kemeny_ranking(given, weights, labels=labels)
    assert found.value == found.bound == least and found.gap == 0
    assert found.order.tolist() in best and found.verify()
    assert found.names == tuple(labels[i] for i in found.order)
    every = kemeny_ranking(given, weights, labels=labels, all_optimal=True)
    assert sorted(every.orders.tolist()) == best
    assert every.n_best == len(best) and every.verify() and every.value == least
    two = kemeny_ranking(given, weights, labels=labels, all_optimal=True, limit=2)
    assert len(two.orders) == min(2, len(best)) and two.n_best == len(best)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("big", [1, 10**30])
@pytest.mark.parametrize("seed", range(8))
def test_branch_and_bound_against_subsets(seed, big):
    """Costs without any structure, of which relaxations need not be tight."""
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, 2 + seed, (9, 9)).astype(object if big > 1 else np.int64) * big
    np.fill_diagonal(costs, 0)
    search, table = BranchAndBound(costs), SubsetTable(costs)
    first = search.bound
    assert first <= table.least <= search.value
    search.run(deadline=None)
    assert search.value == search.bound == table.least == cost_of(costs, search.order)
    assert cost_of(costs, next(table.orders())) == table.least


def test_relaxation_with_a_gap():
    """A fence of 3 + 3 labels: triangles allow half of a pair more than any order does."""
    costs = np.zeros((6, 6), np.int64)
    for i, j in product(range(3), range(3, 6)):
        costs[(j, i) if j == i + 3 else (i, j)] = 4  # 9 wishes, of which an order grants 7
    search = BranchAndBound(costs)
    search.value += 1  # as if no best order were known
    bound, parts = search._branches(_Node(0, 0, np.zeros((6, 6), bool)))
    assert (bound, len(parts)) == (6, 2)
    search = BranchAndBound(costs)
    search.run(None)
    assert search.value == search.bound == SubsetTable(costs).least == 8


def test_thirty_labels():
    rng = np.random.default_rng(0)
    votes = [rng.permutation(30) for _ in range(7)]
    found = kemeny_ranking(votes)
    assert found.gap == 0 and found.verify()
    early = kemeny_ranking(votes, time_limit=0)
    assert early.bound <= found.value <= early.value and early.verify()
    with pytest.raises(TooLargeError, match=r"a group of 28 labels .*; expected 18 at most"):
        kemeny_ranking(votes, all_optimal=True)


@pytest.mark.slow
def test_large_groups():
    """Votes that cycles join: an interval from moves alone."""
    rng = np.random.default_rng(0)
    votes = [rng.permutation(210) for _ in range(3)]
    found = kemeny_ranking(votes)
    levels = [[[i] for i in vote.tolist()] for vote in votes]
    assert found.gap > 0 and found.value == distance(found.order.tolist(), levels, [1, 1, 1])
    assert found.value <= min(distance(vote.tolist(), levels, [1, 1, 1]) for vote in votes)
    line = kemeny_ranking([range(300), range(300)], time_limit=Fraction(10**400, 3))
    assert line.value == line.gap == 0 and line.order.tolist() == list(range(300))
    with pytest.raises(TooLargeError, match="5001 labels were given; expected 5000 at most"):
        kemeny_ranking([range(5001)])


def by_highs(costs):
    """The least cost of an order by a mixed-integer program with all triangles."""
    n = len(costs)
    pairs = list(combinations(range(n), 2))
    place = {pair: k for k, pair in enumerate(pairs)}
    triples = list(combinations(range(n), 3))
    rows = np.zeros((len(triples), len(pairs)))
    for row, (i, j, k) in zip(rows, triples, strict=True):
        row[[place[i, j], place[j, k], place[i, k]]] = 1, 1, -1
    i, j = np.array(pairs).T
    found = milp(
        (costs[i, j] - costs[j, i]).astype(float),
        constraints=LinearConstraint(rows, 0, 1),
        integrality=np.ones(len(pairs)),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0},
    )
    return round(found.fun + costs[j, i].sum())


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(6))
def test_as_near_as_a_mixed_integer_program_finds(seed):
    rng = np.random.default_rng(seed)
    n = (20, 22, 25)[seed % 3]
    votes = [rng.permutation(n).tolist()[: n - 3 * (seed % 2)] for _ in range(5)]
    costs = np.zeros((n, n), np.int64)
    for vote in votes:
        for one, other in combinations(vote, 2):
            costs[other, one] += 1
    found = kemeny_ranking(votes)
    assert found.gap == 0 and found.value == by_highs(costs) and found.verify()


def test_an_interruption_leaves_a_bound(monkeypatch):
    def interrupt(self, node):
        raise KeyboardInterrupt

    monkeypatch.setattr(BranchAndBound, "_branches", interrupt)
    rng = np.random.default_rng(0)
    votes = [rng.permutation(30) for _ in range(7)]
    found = kemeny_ranking(votes)
    assert found.gap > 0 and found.verify()
    monkeypatch.undo()
    assert found.bound <= kemeny_ranking(votes).value <= found.value


def test_tables_have_a_ranking_in_each_row():
    pd = pytest.importorskip("pandas")
    votes = pd.DataFrame([["a", "b", "c"], ["c", "a", None], ["c", "b", "a"]], index=[*"xyz"])
    found = kemeny_ranking(votes, pd.Series([1, 1, 5], index=[*"zyx"]))
    lists = [["a", "b", "c"], ["c", "a"], ["c", "b", "a"]]
    listed = kemeny_ranking(lists, [5, 1, 1])
    assert (found.value, found.names) == (listed.value, listed.names) == (4, ("a", "b", "c"))
    scores, named = [[1, 0], [0, 1], [1, 1]], {"labels": [*"abc"]}
    near, same = (best_ranking(scores, references=x, **named) for x in (votes, lists))
    assert (near.value, near.names) == (same.value, same.names)


def test_condorcet_winner_and_cycle():
    """Three voters in a cycle: each rotation is best, at distance 4."""
    cycle = kemeny_ranking(np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1]]), all_optimal=True)
    assert cycle.value == 4
    assert sorted(cycle.orders.tolist()) == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    many = kemeny_ranking([[], [tuple(range(60))]], labels=range(60))
    assert many.value == 0 and many.verify()


def test_labels():
    assert kemeny_ranking([[7, 3], [3, 7], [3, 5], [7, 5]], [1, 2, 1, 1]).names == ("3", "7", "5")
    assert kemeny_ranking([list("ba")]).names == ("b", "a")
    W = [[0, 0], [4, 0], [0, 4], [1, 1]]
    found = kemeny_ranking(rankings(W, labels=list("wxyz")))
    assert set(found.names) == set("wxyz") and found.verify()
    assert repr(found).startswith("KemenyRanking(value ")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ([[[0, 1, 0]]], {}, r"rankings\[0\] has label 0 twice; expected each label once"),
        ([[[0, (1, 0)]]], {}, r"rankings\[0\] has label 0 twice"),
        ([[[0], ["a"]]], {}, "mix names and integers"),
        ([["ab"]], {}, r"rankings\[0\] is the text 'ab'; expected a sequence of labels"),
        ([[[0], 3]], {}, r"rankings\[1\] is 3; expected"),
        ([[[0.5]]], {}, "label 0.5 is neither a name nor a row number"),
        ([[]], {}, "no label; expected one"),
        ([[["c"]]], {"labels": ["a"]}, "'c' is not the name of a label"),
        ([[[0], [0]], [1, -1]], {}, r"weights\[1\] is -1; expected 0 or more"),
        ([[[0], [0]], [1]], {}, "weights has"),
        ([[[0]]], {"limit": 0}, "limit is 0"),
    ],
)
def test_errors(arguments, options, message):
    with pytest.raises(InputError, match=message):
        kemeny_ranking(*arguments, **options)
