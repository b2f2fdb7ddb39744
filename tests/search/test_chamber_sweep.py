"""The sweep from inside: rare paths forced open must not change an answer."""

import threading
from fractions import Fraction
from itertools import combinations
from math import gcd

import numpy as np
import pytest
from naive import chambers as naive_chambers
from numba import njit

import arrangements.search.flag as flag_module
from arrangements import chambers, count_chambers, generators, iter_chambers
from arrangements.errors import NotGenericFlagError
from arrangements.forecast.sizes import generic_half
from arrangements.kernels import compilation, numba_internals
from arrangements.search.chamber_sweep import ChamberSweep
from arrangements.search.parts import Part, most_rows
from arrangements.search.sweep import Sweeps
from arrangements.sets.packed import pack_signs


def _rows(found):
    return {tuple(row) for row in found.to_array().tolist()}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("bits", "least"), [(1, 0), (2, 0), (3, 0), (5, 1), (12, 3)])
def test_flag_that_is_not_generic_is_noticed(monkeypatch, bits, least):
    """With coefficients of a few bits most flags meet coincidences of their own; with more, at
    least so many of the three listings must succeed.
    """
    monkeypatch.setattr(flag_module, "_MIX_BITS", bits)
    answered = 0
    for W in (
        generators.resonance(4).normals,
        generators.threshold(3).normals,
        generators.braid(5).normals,
    ):
        expected = {tuple(row) for row in naive_chambers(W.tolist())}
        try:
            found = chambers(W, method="sweep")
        except NotGenericFlagError:
            continue
        assert _rows(found) == expected
        answered += 1
    assert answered >= least


def test_some_flag_is_refused(monkeypatch):
    monkeypatch.setattr(flag_module, "_MIX_BITS", 1)
    with pytest.raises(NotGenericFlagError):
        list(iter_chambers(generators.resonance(5), method="sweep"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("factor", [1e3, 1e8, 1e13, 1e18])
def test_wider_error_bounds_change_nothing(monkeypatch, factor):
    """Decisions pass to the exact side one by one; at the end it takes them all."""
    mix = flag_module.Flag._mix

    def inflated(flag):
        mix(flag)
        flag.error *= factor

    monkeypatch.setattr(flag_module.Flag, "_mix", inflated)
    rng = np.random.default_rng(5)
    for W in (rng.standard_normal((9, 4)), rng.integers(-2, 3, (9, 3)) + np.eye(9, 3)):
        b = rng.integers(-2, 3, 9)
        assert _rows(chambers(W)) == {tuple(s) for s in naive_chambers(W.tolist())}
        assert _rows(chambers(W, b)) == {tuple(s) for s in naive_chambers(W.tolist(), b.tolist())}


def test_exact_side_of_a_generic_arrangement(monkeypatch):
    mix = flag_module.Flag._mix

    def inflated(flag):
        mix(flag)
        flag.error = 1.0

    W = np.random.default_rng(6).standard_normal((16, 5))
    expected = _rows(chambers(W))
    monkeypatch.setattr(flag_module.Flag, "_mix", inflated)
    assert _rows(chambers(W)) == expected
    assert count_chambers(W) == 2 * generic_half(15, 5)


def _regions_of_lines(W, b):
    """Regions of different lines in the plane: 1 + n + the sum of (lines - 1) over crossings."""
    through = {}
    for i, j in combinations(range(len(W)), 2):
        (p, q), (r, s) = W[i], W[j]
        if det := p * s - q * r:
            x, y = Fraction(q * b[j] - s * b[i], det), Fraction(r * b[i] - p * b[j], det)
            through.setdefault((x, y), set()).update((i, j))
    return 1 + len(W) + sum(len(lines) - 1 for lines in through.values())


@pytest.mark.slow
@pytest.mark.parametrize("bound", [4, 40, 10**6])
def test_long_lines_with_ties(bound):
    """More than 448 rows: lines are walked; small integers cross and are parallel often."""
    rng = np.random.default_rng(bound)
    rows = {}
    for p, q, c in rng.integers(-bound, bound + 1, (1200, 3)).tolist():
        if p or q:
            scale = gcd(p, q, c) * (1 if (p, q) > (0, 0) else -1)
            rows[p // scale, q // scale, c // scale] = None
    rows = list(rows)[:470]
    W, b = [row[:2] for row in rows], [row[2] for row in rows]
    found = chambers(W, b)
    assert len(found) == _regions_of_lines(W, b) == count_chambers(W, b)
    order = rng.permutation(len(rows))
    moved = chambers(np.array(W)[order], np.array(b)[order])
    back = pack_signs(moved.to_array()[:, np.argsort(order)])
    assert np.array_equal(np.unique(found.packed, axis=0), np.unique(back, axis=0))
    for k in rng.integers(len(found), size=10).tolist():
        x = found.witness(k)
        values = [p * x[0] + q * x[1] + c for p, q, c in rows]
        assert [1 if v > 0 else -1 for v in values] == found[k].tolist() and 0 not in values


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")
def test_long_lines_with_near_ties():
    """Slopes one ulp apart; central in R^3, where lines of the last level are walked."""
    x = 1.0 + 2.0**-52 * np.arange(480)
    assert len(chambers(np.stack([x, np.ones(480)], axis=1))) == 960
    W = np.random.default_rng(3).integers(-(2**20), 2**20, (450, 3)) / 2.0**20
    W[440:] = W[:10] * [1 + 2.0**-52, 1, 1]
    found = chambers(W)
    rows = [[Fraction(v) for v in row] for row in W.tolist()]
    a, b, c = rows[0]  # on the plane a x + b y + c z = 1
    lines = [(q - r * b / c, p - r * a / c) for p, q, r in rows[1:]]
    regions = _regions_of_lines(lines, [r / c for _, _, r in rows[1:]])
    assert len(found) == 2 * regions == count_chambers(W)
    values = np.random.default_rng(4).standard_normal((99, 3)) @ W.T
    sure = np.abs(values).min(axis=1) > 1e-12
    assert sure.any() and all(row in found for row in np.where(values > 0, 1, -1)[sure])


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [-6, -12, -30])
def test_long_lines_with_crowded_points(exponent):
    """Most lines pass close to 0, where their points crowd: from -12 on nearly all walks give up.

    (If all did, the columns would be scaled until they do not.)
    """
    rng = np.random.default_rng(5)
    W, b = rng.standard_normal((600, 2)), rng.standard_normal(600)
    b[40:] = np.ldexp(b[40:], exponent)
    found = chambers(W, b)
    assert len(found) == 1 + 600 + 600 * 599 // 2 == len(np.unique(found.packed, axis=0))
    rows = [[Fraction(v) for v in row] for row in np.column_stack([W, b]).tolist()]
    for k in rng.integers(len(found), size=20).tolist():
        x = found.witness(k)
        values = [p * x[0] + q * x[1] + c for p, q, c in rows]
        assert [1 if v > 0 else -1 for v in values] == found[k].tolist() and 0 not in values


def test_parts_cover_every_subtree_once():
    for n, d in ((12, 3), (40, 4), (9, 7)):
        flag = flag_module.Flag(np.random.default_rng(7).standard_normal((n, d)), True)
        pieces = Sweeps(ChamberSweep, flag, 3).tasks()
        assert pieces[0] == Part((), 0, 0, own=True)
        below = sorted(j for part in pieces[1:] for j in range(part.first, part.stop))
        assert below == list(range(n))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("n", "d", "seed"), [(12, 3, 0), (32, 3, 0), (30, 4, 1), (80, 3, 2), (257, 3, 1), (512, 3, 0)]
)
def test_parts_write_no_rows_but_their_own(n, d, seed):
    """What comes after the rows of a part may be another thread's, and be there already."""
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((n, d))
    if n == 12:  # near ties: lines are started again for exact decisions
        W = rng.integers(-(2**50), 2**50, (n, 3))
        W[:, 2] = W[:, 0] + W[:, 1] + rng.integers(-3, 4, n)
    flag = flag_module.Flag(W, True)
    mark, total = np.uint64(0x0123456789ABCDEF), 0
    found = []
    tasks = Sweeps(ChamberSweep, flag, 4).tasks()
    bounds = most_rows(tasks, flag.most_in_line(), flag.most_below(0))
    for task, most in zip(tasks, bounds, strict=True):
        out = np.full((most + n + 2, -(-n // 64)), mark)
        runner = ChamberSweep(flag, task)
        finished, count = False, 0
        while not finished:
            finished, _, count = runner.advance(out, count, True)
        assert (out[count:] == mark).all()
        if d == 3:  # what proves the signs on the last level comes from the root's line
            assert (runner.space.threshold[1, :1] > 0).all()
        found.append(out[:count])
        total += count
    rows = np.unique(np.concatenate(found), axis=0)
    assert len(rows) == total
    assert np.array_equal(rows, np.unique(chambers(W).packed, axis=0))


def test_no_more_threads_than_parts():
    W = np.random.default_rng(1).standard_normal((12, 3))
    before = threading.active_count()
    for workers in (50, 10**7):
        assert chambers(W, workers=workers) == chambers(W)
        blocks = iter_chambers(W, workers=workers, block_size=20)
        assert len(next(blocks)) > 0 and threading.active_count() <= before + 12
        assert count_chambers(W, workers=workers) == len(chambers(W))
        blocks.close()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, 3])
def test_threads_list_the_same_rows(workers):
    rng = np.random.default_rng(0)
    W = rng.integers(-(2**50), 2**50, (32, 3))
    W[:, 2] = W[:, 0] + W[:, 1] + rng.integers(-3, 4, 32)
    expected = np.unique(chambers(W).packed, axis=0)
    for _ in range(20):
        rows = chambers(W, workers=workers).packed
        assert np.array_equal(np.unique(rows, axis=0), expected)


@pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")
@pytest.mark.parametrize("top", [200, 1060, 1084, 1091, 1100, 3000])
def test_integers_far_beyond_floats(top):
    """A row may hold 2**1100 beside 3: neither the floats nor the residues may lose the 3."""
    rng = np.random.default_rng(top)
    for n in (5, 8):
        small = rng.integers(-(2**20), 2**20, (n, 2)).tolist()
        W = [[2**top, *map(int, row)] for row in small]
        expected = chambers(W, method="incremental")
        assert chambers(W, method="sweep") == expected
        assert chambers([row[1:] for row in W], [2**top] * n) == chambers(
            [row[1:] for row in W], [2**top] * n, method="incremental"
        )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", ["sweep", "incremental", "reverse_search"])
def test_limit_of_a_listing_that_could_never_end(method):
    """2**80 chambers: the first few must come without a block of many."""
    found = chambers(np.eye(80, dtype=int), limit=7, method=method)
    assert len(found) == 7 and not found.complete
    assert len(_rows(found)) == 7


def test_limit_counts_against_max_bytes_not_the_whole_listing():
    W = np.random.default_rng(9).standard_normal((30, 4))
    assert len(chambers(W, limit=10, max_bytes=1000)) == 10


def test_parts_of_kernels_are_compiled_within_entries_only():
    @compilation.kernel
    def half(values, i):
        return values[i] / 2

    @njit
    def sum_of_halves(values):
        return half(values, 0) + half(values, 1)

    assert sum_of_halves(np.array([1.0, 4.0])) == 2.5
    (part,) = half.overloads.values()  # not one for each constant
    assert isinstance(part.library, numba_internals._PartLibrary)
    assert part.library.get_pointer_to_function(part.fndesc.llvm_func_name) == 0


def test_parts_of_kernels_are_not_called_from_python():
    """They are compiled without the code for that; a call must not crash."""
    from arrangements.kernels.chambers.search import fill_flips

    with pytest.raises(TypeError, match="fill_flips can only be called from compiled code"):
        fill_flips(None, None, None, 0, 0)
