"""Rankings against Python sets of tuples; files."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrangements import Rankings, ScoreModel, SignVectors, rankings
from arrangements.errors import IncompleteError, InputError, InputTypeError

SIZES = (1, 2, 3, 8, 9, 20, 257, 300)


def tuples(S):
    return {tuple(row) for row in S.to_array().tolist()}


def make(rows, n, half):
    """The set of these rows; if half, closed under reversal and stored by halves."""
    dtype = np.uint8 if n <= 256 else np.uint16
    array = np.array(rows, dtype).reshape(-1, n)
    if not half or n == 1:
        return Rankings(np.unique(array, axis=0), half=False)
    # Store either of each pair: the last label decides, not the first.
    up = array.argmax(axis=1) * 2 < n - 1
    kept = np.where(up[:, None], array, array[:, ::-1])
    middle = array.argmax(axis=1) * 2 == n - 1
    kept = np.where((middle & (array[:, 0] > array[:, -1]))[:, None], array[:, ::-1], kept)
    kept = np.where((middle & (array[:, 0] < array[:, -1]))[:, None], array, kept)
    return Rankings(np.unique(kept, axis=0), half=True)


@st.composite
def pairs_of_sets(draw):
    """Two sets of the same n with many rows in common, each stored in full or by halves."""
    n = draw(st.sampled_from(SIZES))
    seeds = draw(st.lists(st.integers(0, 2**32), min_size=1, max_size=6))
    pool = [np.random.default_rng(seed).permutation(n).tolist() for seed in seeds]
    part = st.lists(st.sampled_from(pool), max_size=8)
    return make(draw(part), n, draw(st.booleans())), make(draw(part), n, draw(st.booleans()))


@given(pairs_of_sets())
def test_algebra(pair):
    S, T = pair
    s, t = tuples(S), tuples(T)
    assert len(S) == len(s)
    for result, expected in ((S | T, s | t), (S & T, s & t), (S - T, s - t), (S ^ T, s ^ t)):
        assert tuples(result) == expected and len(result) == len(expected)
        assert result.half == (S.half and T.half)
    assert (S == T) == (s == t) and (S <= T, S < T, S >= T, S > T) == (s <= t, s < t, s >= t, s > t)
    assert S.isdisjoint(T) == s.isdisjoint(t) and S == S[:]


@given(pairs_of_sets(), st.slices(20))
def test_sequence_and_membership(pair, part):
    S, T = pair
    array, ranks = S.to_array(), S.ranks()
    assert array.shape == (len(S), S.n) and array.dtype == ranks.dtype == S.orders.dtype
    assert [tuple(row) for row in S] == [tuple(row) for row in array]
    for i in range(len(S)):
        assert np.array_equal(S[i], array[i]) and S.index(array[i]) == i
        assert (ranks[i, array[i].astype(int)] == np.arange(S.n)).all()
    for row in T:
        assert (row in S) == (tuple(row) in tuples(S)) == (row.tolist() in S)
    piece = S[part]
    assert not piece.half and np.array_equal(piece.to_array(), array[part])
    if S.half:
        assert np.array_equal(array[len(array) // 2 :], array[: len(array) // 2, ::-1])


@given(pairs_of_sets())
def test_sign_vectors_and_back(pair):
    S, _ = pair
    signs = S.to_sign_vectors()
    assert signs.n == S.n * (S.n - 1) // 2 and len(signs) == len(S)
    assert np.array_equal(Rankings.from_sign_vectors(signs).to_array(), S.to_array())
    if len(S) and S.n > 2:
        order = S[0].tolist()
        expected = [1 if order.index(i) < order.index(j) else -1 for i, j in ((0, 1), (0, 2))]
        assert signs[0][:2].tolist() == expected


def test_errors():
    S = Rankings.from_array([[0, 1, 2], [1, 0, 2]])
    with pytest.raises(TypeError, match="unhashable"):
        hash(S)
    with pytest.raises(IndexError, match="row 2 of 2 rankings"):
        S[2]
    with pytest.raises(InputError, match=r"shape \(2,\); expected \(3,\)"):
        assert [0, 1] in S
    with pytest.raises(InputError, match=r"\[0, 0, 1\] is not a ranking; expected each label 0..2"):
        assert [0, 0, 1] in S
    with pytest.raises(InputError, match="entries; expected labels"):
        assert [0.0, 1.0, 2.0] in S
    with pytest.raises(InputError, match="'a' is not the name"):
        assert ["a", "b", "c"] in S
    with pytest.raises(InputTypeError, match="not the text 'a > b > c'; pass a list"):
        assert "a > b > c" in S
    with pytest.raises(InputTypeError, match="'a' is not a row number; index.* gives the row"):
        S["a"]
    with pytest.raises(InputTypeError, match="1.0 is not a row number"):
        S[1.0]
    with pytest.raises(InputError, match="is not in"):
        S.index([2, 1, 0])
    with pytest.raises(InputError, match="rankings of 3 and 2 labels"):
        _ = S | Rankings.from_array([[0, 1]])
    with pytest.raises(InputTypeError, match="expected Rankings, not set"):
        S.union({(0, 1, 2)})
    with pytest.raises(InputError, match="belong to no model"):
        S.witness(0)
    with pytest.raises(InputError, match="half=True needs equal offsets"):
        Rankings(S.orders[:1], half=True, model=ScoreModel(np.eye(3), [0, 1, 2]))
    with pytest.raises(InputError, match="3 labels for the weights of 2"):
        Rankings(S.orders, half=False, model=ScoreModel([[1], [2]]))
    with pytest.raises(InputError, match="own reversal"):
        Rankings(np.zeros((1, 1), np.uint8), half=True)
    with pytest.raises(InputError, match="expected uint8 of shape"):
        Rankings(S.orders.astype(np.int64), half=False)
    with pytest.raises(InputError, match=r"shape \(2,\); expected \(m, n\)"):
        Rankings.from_array([0, 1])
    with pytest.raises(InputError, match="2 signs; expected n"):
        Rankings.from_sign_vectors(SignVectors.from_array(["++"]))
    with pytest.raises(InputError, match="not transitive"):
        Rankings.from_sign_vectors(SignVectors.from_array(["+-+"] + ["+++", "-+-"]))
    with pytest.raises(ValueError, match="read-only"):
        S.orders[0] = 0
    assert S != {(0, 1, 2)} and S != Rankings.from_array([[0, 1]])


def test_truncated_sets_refuse_what_needs_all():
    whole = rankings(np.eye(3))
    S = Rankings(whole.orders, half=True, complete=False)
    assert len(S) == 6 and "truncated" in repr(S) and not S[:2].complete
    for refused in (lambda: S == whole, lambda: whole | S, lambda: whole <= S):
        with pytest.raises(IncompleteError, match="cut short"):
            refused()
    with pytest.raises(IncompleteError, match="ask feasible"):
        assert [0, 1, 2] in S[:0]


def test_algebra_keeps_witnesses_of_equal_models():
    square = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    S, same, other = rankings(square), rankings(square.astype(float)), rankings(2 * square)
    assert (S & same).model is S.model and (S & other).model is None
    assert S == other and S[1:3].witness(0) == S.witness(1)
    assert repr(S) == "Rankings(8 of 4 labels, central, complete)"
    assert "affine" in repr(rankings(square, [0, 0, 0, 1]))


CASES = {
    "central": lambda: rankings([[0, 0], [1, 0], [0, 1], [1, 1]], labels=["ä", "b\0", "c", "d"]),
    "affine": lambda: rankings([[1e-300], [0.1], [1e300]], [1, 2, 3]),
    "fractions": lambda: rankings([[Fraction(1, 3)], [10**40], [0]], [0, Fraction(2, 7), 1]),
    "dropped": lambda: rankings([[1], [2], [1]], ties="drop"),
    "factor": lambda: rankings(np.random.default_rng(0).standard_normal((5, 3)), rank=2),
    "truncated": lambda: rankings(np.eye(4), limit=5),
    "hand": lambda: Rankings.from_array([[0, 2, 1]]),
    "large": lambda: Rankings.from_array([np.random.default_rng(0).permutation(300)]),
    "none": lambda: Rankings(np.zeros((0, 3), np.uint8), half=True),
}


@pytest.mark.parametrize("name", CASES)
def test_files_keep_everything(name, tmp_path):
    S = CASES[name]()
    S.save(tmp_path / "rankings.npz")
    T = Rankings.load(tmp_path / "rankings.npz")
    assert np.array_equal(T.orders, S.orders) and T.orders.dtype == S.orders.dtype
    assert (T.half, T.complete, repr(T)) == (S.half, S.complete, repr(S))
    if S.model is None:
        assert T.model is None
    else:
        assert T.model.same_scores(S.model) and T.model.labels == S.model.labels
        assert T.model.dropped == S.model.dropped and T.witness(0) == S.witness(0)
    with pytest.raises(InputError, match="not a file written by SignVectors.save"):
        SignVectors.load(tmp_path / "rankings.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["rankings.npz"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(format=np.array(2)), "format 2"),
        (lambda m: m.pop("orders"), "no member 'orders'"),
        (lambda m: m.update(n=np.array(4)), r"expected \(stored, 4\)"),
        (lambda m: m.update(orders=np.zeros((1, 3), np.uint8)), "is not a ranking"),
        (lambda m: m.update(orders=m["orders"].astype(int)), "orders is int64"),
        (lambda m: m.update(half=np.array(True)), "half=True needs"),
        (lambda m: m.update(weights=np.zeros((3, 1)), offsets=np.zeros(3)), "tie at every x"),
        (lambda m: m.update(weights=np.zeros((2, 1)), offsets=np.arange(2)), "weights of 2"),
        (lambda m: m.update(orders=np.array([[{}, 1, 2]], object)), "allow_pickle=False"),
    ],
)
def test_malformed_files_are_refused(change, message, tmp_path):
    path = tmp_path / "damaged.npz"
    rankings([[1.0], [3.0], [2.0]], [0, 0, 1]).save(path)
    with np.load(path) as archive:
        members = dict(archive)
    change(members)
    np.savez(path, **members)
    with pytest.raises(InputError, match=message):
        Rankings.load(path)


def test_names():
    S = rankings([[1], [3], [2]], labels=["low", "high", "middle"])
    assert ["high", "middle", "low"] in S and ["middle", "high", "low"] not in S
    assert Rankings.from_array([[1, 0]]).names(0) == ("1", "0")


def test_names_do_not_count_in_comparison_and_algebra():
    W = [[1, 0], [3, 1], [2, 5]]
    S, T = rankings(W, labels="abc"), rankings(W, labels="cba")
    assert S == T == rankings(W) and len(S ^ T) == 0
    assert (S & T).model.labels == ("a", "b", "c")
    assert S != rankings([[1], [3], [2]], labels="abc")


@pytest.mark.parametrize("name", ["rankings.txt", "rankings", "rankings.npz.bak"])
def test_save_demands_npz(name, tmp_path):
    for S in (rankings(np.eye(3)), SignVectors.from_array(["+-"])):
        with pytest.raises(InputError, match=f"{name} does not end in .npz"):
            S.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_score_model_is_immutable():
    model = ScoreModel([[1, 2], [3, 4]], labels="ab")
    with pytest.raises(AttributeError, match="immutable"):
        model.labels = None
    assert model.is_central and ScoreModel([[1], [2]], [4, 4]).is_central
    assert model.differences.normals.tolist() == [[-2, -2]]


def test_no_attribute_can_be_set_or_deleted():
    R = rankings([[1], [3], [2]])
    for name in ("n", "orders", "model", "half", "complete"):
        with pytest.raises(AttributeError, match=f"Rankings is immutable.*'{name}'"):
            setattr(R, name, 5)
    with pytest.raises(AttributeError, match="Rankings is immutable"):
        del R.model
    twin = pickle.loads(pickle.dumps(R))
    assert twin == R and twin.witness(0) == R.witness(0)
    with pytest.raises(ValueError, match="read-only"):
        twin.orders[0] = 0


def test_arrays_of_a_wider_type():
    R = Rankings.from_array([[2, 0, 1], [1, 2, 0]])
    assert R.to_array().dtype == np.uint8 and R.to_array(np.intp).dtype == np.intp
    assert (R.to_array(int) @ [10_000, 100, 1]).tolist() == [10200, 20001]
    with pytest.raises(InputTypeError, match="does not hold every uint8"):
        R.to_array(np.int8)


def test_masked_rankings_are_refused():
    masked = np.ma.array([[1, 0]], mask=[[False, True]])
    R = rankings([[1], [2]])
    for ask in (
        lambda: Rankings.from_array(masked),
        lambda: Rankings.from_array([masked[0]]),
        lambda: masked[0] in R,
        lambda: R.index(masked[0]),
        lambda: R.index([np.ma.masked, 0]),
    ):
        with pytest.raises(InputError, match="masked"):
            ask()
