"""The ranking sweep against chambers of the exact pair differences, and known counts."""

import os
import subprocess
import sys
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product

import numpy as np
import pytest
from naive import chambers as naive_chambers

import arrangements.search.flag as flag_module
from arrangements import chambers, count_rankings, feasible, generators, rankings
from arrangements.errors import NotGenericFlagError
from arrangements.kernels.numba_internals import cpu_target
from arrangements.kernels.rankings import workspace as ranking_workspace
from arrangements.search.label_flag import LabelFlag
from arrangements.search.parts import Part, most_rows
from arrangements.search.ranking_sweep import RankingSweep
from arrangements.search.sweep import Sweeps

# Least number of labels of lines that are sorted and walked along: all lines, or none.
WALK, PLACE = 0, 10**6


def reduced(W, b=None):
    """The rows without the columns that their differences do not need, as an object array."""
    rows = [[Fraction(x) for x in row] for row in W]
    work, kept = [[x - y for x, y in zip(row, rows[0], strict=True)] for row in rows[1:]], []
    for k in range(len(rows[0])):
        pivot = next((row for row in work if row[k]), None)
        if pivot is not None:
            kept.append(k)
            work = [
                [x - row[k] / pivot[k] * y for x, y in zip(row, pivot, strict=True)]
                for row in work
                if row is not pivot
            ]
    matrix = [[row[k] for k in kept] for row in rows]
    if b is not None:
        matrix = [[*row, Fraction(x)] for row, x in zip(matrix, b, strict=True)]
    return np.array(matrix, object)


def flag(W, b=None, seed=0):
    return LabelFlag(reduced(W, b), b is None, seed)


def listed(labels, rows=100):
    """All rankings as a set, the same by both methods for lines."""
    answer = listed_by(PLACE, labels, rows)
    assert listed_by(WALK, labels, rows) == answer
    return answer


def sweep_by(method, labels):
    part = RankingSweep(labels)
    part.space.state[ranking_workspace.LEAST] = method
    return part


def listed_by(method, labels, rows=100):
    """All rankings as a set, after checking that each is one and none is listed twice."""
    blocks = list(sweep_by(method, labels).blocks(rows))
    assert all(len(block) <= rows for block in blocks)
    found = np.concatenate(blocks)
    assert (np.sort(found, axis=1) == np.arange(labels.n)).all()
    if labels.central:
        places = np.argsort(found, axis=1)
        assert (places[:, 0] < places[:, 1]).all()
    answer = {tuple(row) for row in found.tolist()}
    assert len(answer) == len(found)
    return answer


def expected(W, b=None, oracle=chambers):
    """The same from the chambers of the arrangement of all pair differences, exactly formed."""
    n = len(W)
    pairs = list(combinations(range(n), 2))
    rows = [[Fraction(x) - Fraction(y) for x, y in zip(W[i], W[j], strict=True)] for i, j in pairs]
    offsets = None if b is None else [Fraction(b[i]) - Fraction(b[j]) for i, j in pairs]
    answer = set()
    for signs in oracle(rows, offsets):
        wins = np.zeros(n, int)
        for sign, (i, j) in zip(signs, pairs, strict=True):
            wins[i if sign > 0 else j] += 1
        ranking = tuple(np.argsort(-wins).tolist())
        if b is not None or ranking.index(0) < ranking.index(1):
            answer.add(ranking)
    return answer


@cache
def cover(n, d):
    if n == 2 or d == 1:
        return 2
    return cover(n - 1, d) + (n - 1) * cover(n - 1, d - 1)


def cube(d):
    return [list(point) for point in product((0, 1), repeat=d)]


def cross(d):
    return [[s * (i == k) for i in range(d)] for k in range(d) for s in (1, -1)]


def grid(k):
    return [[i, j] for i in range(k) for j in range(k)]


def one_hot(d):
    return np.eye(d, dtype=int).tolist()


DEGENERATE = {
    "cube": (cube(3), None),
    "cube with biases": (cube(3), [0, 0, 1, 0, 2, 0, 0, 1]),
    "cross": (cross(3), None),
    "cross with biases": (cross(2), [0, 0, 1, 1]),
    "grid": (grid(4), None),
    "grid with biases": (grid(3), [i % 2 for i in range(9)]),
    "grid with equal biases": (grid(3), [0] * 9),
    "one-hot": (one_hot(5), None),
    "one-hot with biases": (one_hot(4), [0, 1, 2, 3]),
    "line": ([[k, 2 * k + 1] for k in range(5)], [0, 1, 4, 9, 16]),
    "lines": ([[0, 0], [1, 1], [2, 2], [3, 3], [0, 1], [1, 2], [2, 3]], None),
    "equal rows": ([[1, 2], [1, 2], [1, 2], [0, 1], [0, 1], [3, 0]], [0, 1, 2, 0, 1, 5]),
    "parallelogram": ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 3, 5]], [0, 1, 1, 3, 0]),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_families(name):
    assert listed(flag(*DEGENERATE[name])) == expected(*DEGENERATE[name])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(25))
def test_small_integers(seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(3, 8), rng.integers(2, 5)
    W = rng.integers(-2, 3, (n, d))
    W = W[np.unique(W, axis=0, return_index=True)[1]].tolist()
    b = rng.integers(-2, 3, len(W)).tolist()
    assert listed(flag(W, b, seed), rows=7) == expected(W, b)
    if reduced(W).shape[1] > 1:
        assert listed(flag(W, seed=seed), rows=7) == expected(W)


@pytest.mark.parametrize("seed", range(3))
def test_against_an_oracle_that_shares_nothing(seed):
    rng = np.random.default_rng([9, seed])
    W, b = rng.integers(-1, 2, (5, 2)).tolist(), rng.permutation(5).tolist()
    assert listed(flag(W, b)) == expected(W, b, oracle=naive_chambers)


def _near_ties(rng):
    W = rng.standard_normal((6, 3))
    W[3] = W[2]
    W[3, 0] = np.nextafter(W[2, 0], 9)
    W[5] = W[4]
    W[5, 1] = np.nextafter(W[4, 1], -9)
    return W


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "family",
    [
        _near_ties,
        lambda rng: rng.standard_normal((6, 3)),
        lambda rng: rng.standard_normal((5, 3)) * 10.0 ** rng.integers(-300, 300, (5, 3)),
        lambda rng: rng.standard_normal((6, 3)).astype(np.float16).astype(float),
        lambda rng: rng.integers(-(2**53), 2**53, (6, 3)),
        lambda rng: np.array([[2.0**k, 3.0**k] for k in range(7)]) * 1e-300,
    ],
    ids=["near ties", "generic", "1e-300..1e300", "float16", "2**53", "tiny"],
)
def test_numbers(family):
    W = family(np.random.default_rng(3)).tolist()
    b = [row[0] for row in W[::-1]]
    assert listed(flag(W)) == expected(W)
    assert listed(flag(W, b)) == expected(W, b)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(12))
def test_a_label_that_is_far_from_all_others(seed):
    """The pair (0, 1), the row at infinity, is as large as a row of a minor with label 0."""
    rng = np.random.default_rng([11, seed])
    W = rng.integers(-20, 21, (5 + seed % 2, 2 + seed % 3)).tolist()
    far, near = 2 ** int(rng.integers(50, 400)), rng.integers(-3, 4, len(W[0])).tolist()
    W[0] = [x * far + y for x, y in zip(W[0], near, strict=True)]
    assert listed(flag(W)) == expected(W)
    b = rng.integers(-5, 6, len(W)).tolist()
    assert listed(flag(W, b)) == expected(W, b)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "d", "count"),
    [(4, 2, 12), (5, 2, 20), (5, 3, 72), (6, 3, 172), (6, 4, 480), (7, 4, 1512), (8, 3, 646),
     (10, 3, 1742), (17, 3, None), (18, 4, None), (33, 3, None), (40, 2, None), (70, 2, None)],
)  # fmt: skip
def test_generic_linear_counts(n, d, count):
    labels = LabelFlag(np.random.default_rng(n).standard_normal((n, d)), True)
    assert count in (None, cover(n, d))
    assert 2 * sum(RankingSweep(labels).counts()) == cover(n, d)
    assert 2 * len(listed(labels)) == cover(n, d)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("d", "count"), list(enumerate([46, 916, 10366, 73639, 342964], 1)))
def test_generic_counts_with_biases(d, count):
    labels = LabelFlag(np.random.default_rng(d).standard_normal((10, d + 1)), False)
    assert sum(RankingSweep(labels).counts()) == count
    if d < 5:
        assert len(listed(labels, 1000)) == count


@pytest.mark.parametrize(
    ("W", "count"),
    [(cube(2), 8), (cube(3), 96), (cube(4), 5376),
     (cross(2), 8), (cross(3), 48), (cross(4), 384), (cross(5), 3840),
     (grid(2), 8), (grid(3), 16), (grid(4), 32), (grid(5), 48)],
)  # fmt: skip
def test_symmetric_counts(W, count):
    labels = flag(W)
    assert 2 * len(listed(labels)) == count
    assert 2 * sum(RankingSweep(labels).counts()) == count


def test_all_rankings():
    """n labels in general position in n - 1 dimensions have all n! rankings."""
    W = np.random.default_rng(4).standard_normal((6, 5))
    assert listed(LabelFlag(np.column_stack([W, np.ones(6)])[:, :5], True)) == {
        r for r in permutations(range(6)) if r.index(0) < r.index(1)
    }


@pytest.mark.sampled(1)
@pytest.mark.parametrize("bits", [1, 2, 3, 5, 12])
def test_flag_that_is_not_generic_is_noticed(monkeypatch, bits):
    families = (cube(3), cross(3), [[k, k * k, k**3] for k in range(6)], cube(4)[:12])
    answers = [expected(W) for W in families]
    monkeypatch.setattr(flag_module, "_MIX_BITS", bits)
    refused = 0
    for W, answer in zip(families, answers, strict=True):
        for seed in range(3):
            try:
                found = listed(flag(W, seed=seed))
            except NotGenericFlagError:
                refused += 1
            else:
                assert found == answer
    assert bits > 1 or refused > 0
    assert bits < 12 or refused < 12


@pytest.mark.parametrize("factor", [1e3, 1e8, 1e13, 1e18])
def test_wider_error_bounds_change_nothing(monkeypatch, factor):
    """Decisions pass to the exact side one by one; at the end it takes them all."""
    rng = np.random.default_rng(5)
    families = [(rng.standard_normal((7, 3)), None), DEGENERATE["parallelogram"]]
    families += [(rng.standard_normal((6, 2)), rng.standard_normal(6)), DEGENERATE["grid"]]
    for W, b in families:
        labels = flag(W, b)
        answer = listed(labels)
        labels.errors = labels.errors * factor
        assert listed(labels) == answer
        assert sum(RankingSweep(labels).counts()) == len(answer)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("name", ["generic", "cube", "grid with biases"])
def test_threads_agree_with_one(name, workers):
    if name == "generic":
        labels = LabelFlag(np.random.default_rng(6).standard_normal((12, 4)), True)
    else:
        labels = flag(*DEGENERATE[name])
    answer = listed(labels)
    sweeps = Sweeps(RankingSweep, labels, workers)
    together = sweeps.rows(labels.most_in_line() + int(labels.most_below(0).sum()))
    assert len(together) == len(answer)
    assert {tuple(row) for row in together.tolist()} == answer
    blocks = sweeps.blocks(50, growing=False)
    assert {tuple(row) for block in blocks for row in block.tolist()} == answer
    assert sum(sweeps.counts()) == len(answer)


@pytest.mark.parametrize(("n", "d"), [(5, 2), (9, 3), (12, 4), (9, 7)])
def test_parts_cover_every_subtree_once(n, d):
    labels = LabelFlag(np.random.default_rng(7).standard_normal((n, d)), True)
    pieces = Sweeps(RankingSweep, labels, 3).tasks()
    if d > 2:
        assert pieces[0] == Part((), 0, 0, own=True)
        pairs = sorted(j for part in pieces[1:] for j in range(part.first, part.stop))
        assert pairs == list(range(n * (n - 1) // 2))
    most = most_rows(pieces, labels.most_in_line(), labels.most_below(0))
    counts = [sum(RankingSweep(labels, piece).counts()) for piece in pieces]
    assert counts == most  # a generic flag attains the bound


def test_more_than_256_labels():
    labels = LabelFlag(np.random.default_rng(8).standard_normal((260, 2)), True)
    block = next(RankingSweep(labels).blocks(50))
    assert block.dtype == np.uint16 and block.shape == (50, 260)
    assert (np.sort(block, axis=1) == np.arange(260)).all()


def _many_labels(name):
    """Up to 300 labels as arguments of `flag`: degenerate, tied, nearly tied."""
    rng = np.random.default_rng(10)
    if name == "grid":
        return grid(6), None
    if name == "grid with biases":
        return grid(6), rng.integers(0, 3, 36).tolist()
    if name == "large grid":
        return grid(11), None
    if name == "small integers":
        return rng.permutation(list(product(range(-2, 3), repeat=3)))[:36].tolist(), None
    if name == "line":
        return [[k] for k in rng.permutation(40).tolist()], rng.integers(-9, 9, 40).tolist()
    if name == "parabola":
        return [[k, k * k] for k in range(-20, 20)], None
    if name == "long parabola":
        return [[k, k * k] for k in range(300)], None
    if name == "circle":
        # chords of a polygon: many are parallel, but for the rounding
        return [[np.cos(t), np.sin(t)] for t in np.arange(34) * (np.pi / 17)], None
    if name == "one ulp":
        W = rng.standard_normal((35, 2))
        W[1::2] = W[:-1:2]
        W[1::2, 0] = np.nextafter(W[1::2, 0], 9)
        return W.tolist(), None
    if name == "clusters":
        return (rng.integers(-3, 4, (40, 2)) + 1e-9 * rng.standard_normal((40, 2))).tolist(), None
    assert name == "equal rows with biases"
    return rng.integers(0, 3, (35, 1)).tolist(), rng.permutation(35).tolist()


MANY = ["grid", "grid with biases", "large grid", "small integers", "line", "parabola",
        "long parabola", "circle", "one ulp", "clusters", "equal rows with biases"]  # fmt: skip
ORACLE_SOLVES = ["grid", "line", "parabola", "circle", "one ulp", "equal rows with biases"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", MANY)
def test_many_labels_by_both_methods(name):
    W, b = _many_labels(name)
    order = np.random.default_rng(11).permutation(len(W))
    answer = listed(flag(W, b), rows=50)
    if name in ORACLE_SOLVES:
        assert answer == expected(W, b)
    # relabeled: another order of the pairs, another search
    moved = flag([W[i] for i in order], None if b is None else [b[i] for i in order], seed=1)
    found = {tuple(order[list(ranking)].tolist()) for ranking in listed_by(WALK, moved)}
    if b is None:
        found = {r if r.index(0) < r.index(1) else r[::-1] for r in found}
    assert found == answer


@pytest.mark.slow
@pytest.mark.parametrize(("n", "d"), [(34, 2), (65, 2), (70, 2), (130, 2), (260, 2), (34, 3)])
def test_walks_list_all_generic_rankings(n, d):
    labels = LabelFlag(np.random.default_rng([n, d]).standard_normal((n, d)), True)
    assert 2 * len(listed_by(WALK, labels, 999)) == cover(n, d)
    assert 2 * sum(sweep_by(WALK, labels).counts()) == cover(n, d)


@pytest.mark.parametrize("factor", [1e3, 1e6, 1e9, 1e18])
def test_walks_leave_what_they_do_not_prove(factor):
    labels = LabelFlag(np.random.default_rng(12).standard_normal((34, 2)), True)
    answer = listed_by(PLACE, labels)
    labels.errors = labels.errors * factor
    assert listed_by(WALK, labels) == answer
    assert sum(sweep_by(WALK, labels).counts()) == len(answer)


@pytest.mark.slow  # it compiles; .ci/run tests such a processor too
def test_processors_without_registers_of_masks(tmp_path):
    """There places are counted; what is said about the processor is true of all later ones."""
    features = cpu_target.target_context.codegen().magic_tuple()[-1].split(",")
    if "+avx512f" not in features:
        pytest.skip("this is one: all other tests are about it")
    older = [x for x in features if not x.startswith(("+avx512", "+avx10", "+amx", "-"))]
    rng = np.random.default_rng(13)
    cases = [rng.standard_normal(shape) for shape in [(9, 4), (20, 3), (40, 3), (60, 2)]]
    cases += [np.array(list(np.ndindex(2, 2, 2, 2)), float), rng.integers(-2, 3, (18, 2)) * 1.0]
    cases.append(np.array(list(np.ndindex(2, 2, 10)), float))
    np.savez(tmp_path / "cases.npz", *cases)
    script = """
import sys
import numpy as np
from arrangements import rankings
for name, W in np.load(sys.argv[1] + "/cases.npz").items():
    np.save(f"{sys.argv[1]}/{name}.npy", rankings(W, ties="drop").to_array())
"""
    environment = dict(os.environ, NUMBA_CPU_NAME="x86-64", NUMBA_CPU_FEATURES=",".join(older))
    environment["NUMBA_CACHE_DIR"] = str(tmp_path / "cache")
    subprocess.run([sys.executable, "-c", script, tmp_path], env=environment, check=True)
    for k, W in enumerate(cases):
        found, answer = np.load(tmp_path / f"arr_{k}.npy"), rankings(W, ties="drop").to_array()
        assert sorted(map(bytes, found)) == sorted(map(bytes, answer))


def test_rankings_below_more_than_thirty_merges():
    W = np.vstack([np.eye(34), np.zeros((1, 34)), np.ones((1, 34))])
    found = rankings(W, limit=120).to_array()
    assert len(np.unique(found, axis=0)) == 120
    for ranking in found[::8]:
        assert feasible(W[ranking[:-1]] - W[ranking[1:]], np.ones(35, int)).feasible


@pytest.mark.sampled(2)
@pytest.mark.parametrize("shape", [(2, 2, 10), (3, 14), (2, 30), (1, 2, 20)])
def test_large_blocks(shape):
    """Blocks of more than eight labels that cross: more than 16 labels have an equal score."""
    W = np.array(list(np.ndindex(*shape)), float) + np.linspace(0, 1, len(shape))
    W = np.column_stack([W, np.ones(len(W))])
    for b in (None, np.arange(len(W)) % 3.0):
        answer = rankings(W, b, method="pairs")
        assert rankings(W, b) == answer and count_rankings(W, b) == len(answer)


def test_lines_that_are_left_for_exact_numbers_and_resumed():
    """Each part of the sweep on its own arrays, so that each makes exact numbers where it is."""
    rows = [[3, -3, 2, -2, 1], [2, 2, 3, 1, 0], [2, -2, 0, 3, -2], [1, -3, 3, 3, 0]]
    rows += [[2, 0, -2, 0, 2], [-2, -1, 2, 1, -1], [-1, 2, -2, -1, -2]]
    scales = [1e-4, 1e-7, 1e-4, 1e-7, 1e1, 1e-7, 1e-8]
    W = np.array(rows) * np.array(scales)[:, None]
    labels = flag(W, [-2, 1, 0, -1, -2, 0, 0])
    answer = listed(labels)
    assert len(answer) == 4320
    found = []
    for part in Sweeps(RankingSweep, labels, 2).tasks():
        for block in RankingSweep(labels, part).blocks(100):
            found.extend(map(tuple, block.tolist()))
    assert len(found) == 4320 and set(found) == answer


def test_short_answers_do_not_hold_long_arrays():
    W = np.random.default_rng(0).standard_normal((20, 4))
    for rows in (chambers(W).packed, rankings(W[:8]).orders):
        assert held(rows).nbytes <= 2**16
    # 160 kB of answers, for which there was room for 3 MB
    rows = chambers(generators.braid(8)).packed
    assert len(rows) == 20160 and held(rows).nbytes <= 2 * rows.nbytes + 2**22


def held(rows):
    """The array whose memory a view keeps."""
    while (base := rows.base) is not None:
        rows = base.obj if isinstance(base, memoryview) else base
    return rows


def test_stamps_start_again_before_they_run_over():
    labels = flag(np.random.default_rng(5).standard_normal((12, 3)))
    answer = sum(RankingSweep(labels).counts())
    counting = RankingSweep(labels)
    state = counting.space.state
    state[ranking_workspace.STAMP] = 2**31 - 4
    assert sum(counting.counts()) == answer
    assert 0 < state[ranking_workspace.STAMP] < 1000
