"""Rankings as chambers of hyperplanes of pairs, against the naive oracle and the other sweep."""

from fractions import Fraction
from itertools import product
from math import factorial
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from ranking_examples import SMALL, Example, cube, ranked
from strategies import labels_with_offsets

from arrangements import ScoreModel, count_rankings, iter_rankings, rankings
from arrangements.core.hyperplane import proportional_rows
from arrangements.core.score_model import reduced_differences
from arrangements.enumeration import rankings as questions
from arrangements.enumeration.planning import plan
from arrangements.enumeration.rankings import request_of_model
from arrangements.errors import TooLargeError
from arrangements.search import pair_sweep
from arrangements.search.label_flag import model_flag
from arrangements.search.pair_sweep import PairSweep, often_tied, pair_flag, pair_hyperplanes
from arrangements.search.parts import Part
from arrangements.sets.packed import pack_signs

RNG = np.random.default_rng(2)
# Rounding noise is what some examples are about.
pytestmark = pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")


@pytest.fixture
def _by_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweep over pairs whenever there is something to sweep."""
    monkeypatch.setattr(questions, "_WORTH_A_LOOK", 0)
    monkeypatch.setattr(pair_sweep, "often_tied", lambda flag: True)
    monkeypatch.setattr(pair_sweep, "has_small_minors", lambda hyperplanes: True)


def swept(sweep: PairSweep, part: Part, rows: int = 10**5, enough: int = 2**62) -> Any:
    """The rankings of a part, and what is left of it after `enough` of them."""
    sweep.restart(part, enough)
    out = np.empty((rows, sweep.row[0]), sweep.row[1])
    found, finished, rest = [], False, []
    while not finished:
        count, full = 0, False
        while not (finished or full):
            finished, full, count = sweep.advance(out, count, True)
        found += list(map(tuple, out[:count].tolist()))
        if sweep.has_enough(count) and not finished:
            rest, finished = sweep.rest(), True
    return found, rest


@pytest.mark.parametrize(
    ("W", "b"),
    [
        (cube(4), None),
        (cube(3), np.arange(8) % 3),
        (np.arange(7)[:, None], None),  # one hyperplane
        ([[1, 2]] * 3 + [[0, 0]], [3, 1, 2, 0]),  # labels that never tie
        (RNG.integers(-2, 3, (12, 2)), np.arange(12)),
        (RNG.normal(size=(13, 3)), None),
        (10**40 * np.array(cube(3), object) + 1, None),
        (np.array(cube(2)) @ [[1, 2, 3, 0], [0, 2, 1, 0]], None),  # of rank 2
    ],
)
def test_hyperplanes_are_different_and_say_who_is_above(W: Any, b: Any) -> None:
    model = ScoreModel(W, b)
    found = pair_hyperplanes(model)
    rows = found.arrangement.integer_rows
    assert len(proportional_rows(rows)) == len(rows)
    assert found.arrangement.dimension == model.rank
    width = len(rows[0])
    for row in reduced_differences(model, *np.triu_indices(model.n_labels, 1)).tolist():
        assert len(proportional_rows([*rows, row[:width]])) == len(rows)
    # at a point, each label counts those above it
    point = np.array([*range(10**6 + 1, 10**6 + 1 + model.rank), 1], object) ** 2
    labels = reduced_differences(model, np.arange(model.n_labels), [0] * model.n_labels)
    scores = labels.astype(object) @ point
    signs = np.where(np.array(rows, object) @ point[:width] > 0, 1, -1)
    assert len(set(scores.tolist())) == model.n_labels
    words = pack_signs(signs[None].astype(np.int8))[0]
    bits = np.bitwise_count((words[found.word][:, None] ^ found.flip) & found.mask)
    places = bits.sum(axis=0)[: model.n_labels]
    assert places.tolist() == [int((scores > s).sum()) for s in scores.tolist()]


@pytest.mark.sampled(16)
@pytest.mark.usefixtures("_by_pairs")
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_equals_naive(example: Example) -> None:
    answer = ranked(example)
    found = rankings(*example.arguments)
    assert set(map(tuple, found.to_array().tolist())) == answer and len(found) == len(answer)
    assert count_rankings(*example.arguments) == len(answer)
    blocks = [
        tuple(row) for b in iter_rankings(*example.arguments, block_size=3) for row in b.to_array()
    ]
    assert set(blocks) == answer and len(blocks) == len(answer)
    few = rankings(*example.arguments, limit=3)
    assert len(few) == min(3, len(answer)) and set(map(tuple, few.to_array())) <= answer
    two = rankings(*example.arguments, workers=2, progress=True)
    assert set(map(tuple, two.to_array().tolist())) == answer


@given(rows=labels_with_offsets)
def test_equals_naive_at_random(rows: Any) -> None:
    W, b = [row[:-1] for row in rows], [row[-1] for row in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(questions, "_WORTH_A_LOOK", 0)
        patch.setattr(pair_sweep, "often_tied", lambda flag: True)
        patch.setattr(pair_sweep, "has_small_minors", lambda hyperplanes: True)
        found = rankings(W, b)
    assert set(map(tuple, found.to_array().tolist())) == naive.rankings(W, b)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("W", "b"),
    [
        (cube(4), None),
        (cube(3), np.arange(8) % 3),
        (np.array(list(product((-1, 0, 1), repeat=3))), None),  # many labels on lines
        (np.unique(RNG.integers(-2, 3, (30, 4)), axis=0)[:20], None),
    ],
)
def test_parts_are_the_whole(W: Any, b: Any) -> None:
    model = ScoreModel(W, b)
    found = pair_hyperplanes(model)
    flag = pair_flag(found, 0)
    right = rankings(W, b, method="sweep")
    stored = set(map(tuple, right.orders.tolist()))
    sweep = PairSweep(flag, found)
    # room for a little more than a line; and for more than is made in one piece
    for rows in (sweep.line_rows + 5, sweep.line_rows + pair_sweep._ROWS + 5, 10**5):
        whole, rest = swept(sweep, Part((), 0, flag.n, own=True), rows)
        assert not rest and set(whole) == stored and len(whole) == len(stored)
    cuts = [0, flag.n // 2, flag.n]
    parts = [
        Part((), 0, 0, own=True),
        *(Part((), a, z) for a, z in zip(cuts, cuts[1:], strict=False)),
    ]
    pieces = [row for part in parts for row in swept(sweep, part)[0]]
    assert set(pieces) == stored and len(pieces) == len(stored)
    # a part that is left when it has enough goes on with the rest
    waiting, pieces, times = [Part((), 0, flag.n, own=True)], [], 0
    while waiting:
        rows, rest = swept(sweep, waiting.pop(), rows=sweep.line_rows + 2500, enough=3000)
        assert len(rows) < 3000 + sweep.line_rows
        pieces, waiting, times = pieces + rows, waiting + rest, times + 1
    assert set(pieces) == stored and len(pieces) == len(stored)
    assert times > 1 or len(stored) < 3000


def test_blocks_are_full() -> None:
    found = pair_hyperplanes(ScoreModel(cube(4)))
    rows = pair_sweep._ROWS + 400
    first, second = map(len, PairSweep(pair_flag(found, 0), found).blocks(rows))
    assert first + second == 2688 and rows - 42 < first <= rows
    small = list(map(len, PairSweep(pair_flag(found, 0), found).blocks(5)))
    assert sum(small) == 2688 and max(small) == 5


@pytest.mark.parametrize(
    ("W", "b", "often"),
    [
        (np.array(cube(5)), None, True),
        (cube(4), np.arange(16) % 2, True),
        (np.array(list(product((-1, 0, 1), repeat=3))), None, True),
        (RNG.normal(size=(20, 4)), None, False),
        (RNG.normal(size=(20, 4)), RNG.normal(size=20), False),
        (RNG.normal(size=(20, 4)).astype(np.float16), None, False),
        (RNG.integers(-1000, 1001, (20, 4)), None, False),
        (RNG.normal(size=(5, 3)), None, False),
        ([[Fraction(x, 3) * 10**200 for x in row] for row in cube(4)], None, True),
    ],
)
def test_when_ties_are_frequent(W: Any, b: Any, often: bool) -> None:
    assert often_tied(model_flag(ScoreModel(W, b), 0)) == often


def test_auto_is_the_sweep_over_pairs_where_ties_are_frequent() -> None:
    assert request_of_model(ScoreModel(cube(4))).by_pairs
    assert not request_of_model(ScoreModel(cube(4)), "sweep").by_pairs
    assert not request_of_model(ScoreModel(cube(3))).by_pairs  # not worth a look
    assert not request_of_model(ScoreModel(RNG.normal(size=(20, 4)))).by_pairs
    many = np.unique(RNG.integers(-6, 7, (100, 3)), axis=0)
    question = request_of_model(ScoreModel(many))
    assert often_tied(question.flag(0)) and question.hyperplanes.arrangement.n_hyperplanes > 2048
    assert not question.by_pairs
    # multiples of 0.1, as floats, nearly tie
    tenths = [0.1 * k for k in range(4)]
    sums = [(x, y, x + y) for x in tenths for y in tenths]
    for W, b in ((cube(4), np.arange(16) * 0.1), (sums, np.arange(16) % 2)):
        question = request_of_model(ScoreModel(W, b))
        assert often_tied(question.flag(0)) and not question.by_pairs
    assert request_of_model(ScoreModel(0.1 * np.array(cube(4)))).by_pairs  # exact multiples
    found = rankings(cube(4))
    assert len(found) == 5376 == count_rankings(cube(4)) and found == rankings(
        cube(4), method="sweep"
    )


@pytest.mark.slow
@pytest.mark.usefixtures("_by_pairs")
def test_one_ulp_apart() -> None:
    near = np.array(cube(3), float)
    near[5, 1] = np.nextafter(1.0, 2.0)
    near[2, 2] = np.nextafter(0.0, 1.0)  # the least number there is
    for b in (None, np.arange(8) % 2):
        assert rankings(near, b) == rankings(near, b, method="incremental")
        assert len(rankings(near, b)) != len(rankings(cube(3), b))


def test_more_than_256_labels() -> None:
    W = np.array(list(product(range(17), range(16))))
    found = rankings(W, method="pairs")
    assert found.orders.dtype == np.uint16 and len(found) == count_rankings(W)
    for i in (0, len(found) // 3):
        x = np.array([Fraction(v) for v in found.witness(i)])
        scores = W @ x
        assert sorted(range(272), key=lambda k: -scores[k]) == found[i].tolist()


@pytest.mark.slow
def test_many_columns_cost_nothing() -> None:
    wide = np.zeros((64, 3_000), np.int64)
    wide[:, [5, 700, 2_900]] = list(product(range(4), repeat=3))
    question = request_of_model(ScoreModel(wide))
    assert question.by_pairs and question.hyperplanes.arrangement.dimension == 3
    assert len(rankings(wide, limit=4)) == 4


@pytest.mark.slow
def test_messages_are_about_rankings(capfd: pytest.CaptureFixture[str]) -> None:
    W = np.unique(np.random.default_rng(1).integers(-3, 4, (24, 4)), axis=0)
    number = count_rankings(W, workers=2, progress=True)
    assert number == count_rankings(W, method="sweep")
    shown = capfd.readouterr().err
    assert "rankings" in shown and "chambers" not in shown
    with pytest.raises(TooLargeError, match="rankings are expected; counting them"):
        count_rankings(cube(6), max_hours=1e-6)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("d", "orders"), [(4, 14), (5, 516), (6, 124187)])
def test_comparative_probabilities(d: int, orders: int) -> None:
    # OEIS A009997: orders of all subsets of d elements by a probability, up to permutations
    assert count_rankings(cube(d)) == orders * 2**d * factorial(d)


@pytest.mark.slow
def test_a_plan_counts_as_count_rankings_does() -> None:
    found = plan(cube(6), rankings=True, seconds=6)
    assert (found.expected, found.exact) == (124187 * 2**6 * factorial(6), True)
    assert found.counted and found.counting_method == "characteristic"
    assert found.counting_seconds < 3 < found.streaming_seconds


@pytest.mark.slow
def test_too_many_pairs_are_refused_at_once() -> None:
    W = np.arange(40_000)[:, None] ** 2 + RNG.random((40_000, 3))
    with pytest.raises(TooLargeError, match="the differences of 799980000 pairs of labels"):
        rankings(W, method="pairs", limit=1)
