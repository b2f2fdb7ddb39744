"""SignVectors against Python sets of tuples; files; witnesses."""

import copy
import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrangements import chambers, generators, rankings
from arrangements.certificates.one_sign_vector import feasible
from arrangements.core.arrangement import Arrangement
from arrangements.core.low_rank import low_rank_structure
from arrangements.errors import IncompleteError, InputError, InputTypeError, WitnessWarning
from arrangements.sets import packed
from arrangements.sets.sign_vectors import SignVectors
from arrangements.structure import bounded_chambers

SIZES = (1, 2, 3, 63, 64, 65, 130)


def tuples(S):
    return {tuple(row) for row in S.to_array().tolist()}


def make(rows, n, half):
    """The set of these rows; if half, closed under negation and stored by halves."""
    array = np.array(rows, np.int8).reshape(-1, n)
    if not half:
        return SignVectors(packed.distinct(packed.pack_signs(array)), n, half=False)
    # Store either of each pair: the sign of a column other than the first decides.
    kept = np.unique(array * array[:, -1:], axis=0)
    return SignVectors(packed.pack_signs(kept), n, half=True)


@st.composite
def pairs_of_sets(draw):
    """Two sets of the same n with many rows in common, each stored in full or by halves."""
    n = draw(st.sampled_from(SIZES))
    row = st.integers(0, 2**n - 1).map(lambda v: [1 if v >> i & 1 else -1 for i in range(n)])
    pool = draw(st.lists(row, min_size=1, max_size=8))
    part = st.lists(st.sampled_from(pool), max_size=8)
    return make(draw(part), n, draw(st.booleans())), make(draw(part), n, draw(st.booleans()))


@given(pairs_of_sets())
def test_algebra(pair):
    S, T = pair
    s, t = tuples(S), tuples(T)
    assert len(S) == len(s)
    for result, expected in (
        (S | T, s | t),
        (S & T, s & t),
        (S - T, s - t),
        (S ^ T, s ^ t),
    ):
        assert tuples(result) == expected and len(result) == len(expected)
        assert result.half == (S.half and T.half)
    assert (S == T) == (s == t) and (S != T) == (s != t)
    assert (S <= T, S < T, S >= T, S > T) == (s <= t, s < t, s >= t, s > t)
    assert S.isdisjoint(T) == s.isdisjoint(t) and S.issuperset(T) == s.issuperset(t)
    assert S == S[:] and S <= S and not S < S


@given(pairs_of_sets())
def test_sequence_and_membership(pair):
    S, T = pair
    array = S.to_array()
    assert array.dtype == np.int8 and array.shape == (len(S), S.n)
    assert [tuple(row) for row in S] == [tuple(row) for row in array]
    assert np.array_equal(np.asarray(S, float), array)
    for i in range(len(S)):
        assert np.array_equal(S[i], array[i]) and np.array_equal(S[i - len(S)], array[i])
        assert S.index(array[i]) == i
    for row in T:
        text = "".join("+" if sign > 0 else "-" for sign in row)
        assert (row in S) == (tuple(row) in tuples(S)) == (text in S) == (row.tolist() in S)


@given(pairs_of_sets(), st.slices(20))
def test_slices_are_plain_sets(pair, part):
    S, _ = pair
    piece = S[part]
    assert isinstance(piece, SignVectors) and not piece.half and piece.complete
    assert np.array_equal(piece.to_array(), S.to_array()[part])


def test_half_order_and_repr():
    S = make([[1, -1, 1], [1, 1, 1]], 3, half=True)
    array = S.to_array()
    assert len(S) == 4 and np.array_equal(array[2:], -array[:2])
    assert repr(S) == "SignVectors(4 of 3 signs, central, complete)"
    assert S.packed.shape == (2, 1) and S.packed.dtype == np.uint64
    with pytest.raises(ValueError, match="read-only"):
        S.packed[0] = 0
    affine = SignVectors(S[:].packed, 3, half=False, arrangement=Arrangement(np.eye(3), [1, 1, 1]))
    assert repr(affine) == "SignVectors(4 of 3 signs, affine, complete)"


def test_packing_layout():
    signs = -np.ones((1, 70), np.int8)
    signs[0, [0, 63, 64, 69]] = 1
    assert packed.pack_signs(signs).tolist() == [[1 | 1 << 63, 1 | 1 << 5]]


def test_the_empty_sign_vector():
    S = SignVectors(
        np.zeros((1, 0), np.uint64), 0, half=False, arrangement=Arrangement(np.empty((0, 2)))
    )
    assert len(S) == 1 and S.to_array().shape == (1, 0) and "" in S and [] in S
    assert S == S[:] and len(S - S) == 0 and S & S == S and [row.shape for row in S] == [(0,)]
    with pytest.raises(InputError, match="no negation"):
        SignVectors(np.zeros((1, 0), np.uint64), 0, half=True)


def test_no_sign_vectors():
    S = SignVectors(np.zeros((0, 1), np.uint64), 3, half=True)
    assert len(S) == 0 and list(S) == [] and "+++" not in S and S.to_array().shape == (0, 3)
    assert S == make([], 3, half=False) and not S
    with pytest.raises(IndexError):
        S[0]


def test_truncated_sets_refuse_what_needs_all():
    whole = make([[1, 1], [1, -1]], 2, half=False)
    S = SignVectors(whole.packed, 2, half=False, complete=False)
    assert len(S) == 2 and len(list(S)) == 2 and "++" in S and "truncated" in repr(S)
    assert not S[:1].complete
    for refused in (
        lambda: S == whole,
        lambda: whole == S,
        lambda: S | whole,
        lambda: whole <= S,
        lambda: whole.isdisjoint(S),
    ):
        with pytest.raises(IncompleteError, match="cut short"):
            refused()
    with pytest.raises(IncompleteError, match="cut short; ask feasible"):
        assert "--" in S


def test_errors():
    S = make([[1, 1]], 2, half=False)
    with pytest.raises(TypeError, match="unhashable"):
        hash(S)
    with pytest.raises(IndexError, match="row 1 of 1"):
        S[1]
    with pytest.raises(TypeError):
        S["+"]
    with pytest.raises(InputError, match=r"shape \(3,\); expected \(2,\)"):
        assert "+++" in S
    with pytest.raises(InputError, match="'x' at position 1"):
        assert "+x" in S
    with pytest.raises(InputError, match=r"signs\[0\] is 2"):
        assert [2, 1] in S
    with pytest.raises(InputTypeError, match="booleans"):
        assert [True, False] in S
    assert [0, -1] not in S and "+0" not in S  # no sign vector of a chamber has a zero
    for ask in (S.__contains__, S.index):
        with pytest.raises(InputError, match="holds 0 and 1 but no -1"):
            ask([0, 1])
        with pytest.raises(InputError, match="masked"):
            ask(np.ma.array([1, 1], mask=[True, False]))
        with pytest.raises(InputError, match=r"'\*' at position 1"):
            ask("+*")
    with pytest.raises(InputError, match="not in"):
        S.index("--")
    with pytest.raises(InputError, match="of 2 and 3 signs"):
        _ = S | make([[1, 1, 1]], 3, half=False)
    assert S != make([[1, 1, 1]], 3, half=False) and S != {(1, 1)}
    with pytest.raises(TypeError):
        _ = S | {(1, 1)}
    with pytest.raises(InputTypeError, match="expected SignVectors, not set"):
        S.union({(1, 1)})
    with pytest.raises(InputError, match=r"expected uint64 of shape \(stored, 2\)"):
        SignVectors(np.zeros((1, 1), np.uint64), 65, half=False)
    with pytest.raises(InputError, match="half=True needs a central"):
        SignVectors(S.packed, 2, half=True, arrangement=Arrangement(np.eye(2), [0, 1]))
    with pytest.raises(InputError, match="arrangement of 3 hyperplanes"):
        SignVectors(S.packed, 2, half=False, arrangement=Arrangement(np.eye(3)))


def test_from_array():
    assert tuples(SignVectors.from_array(["+-", "-+", "+-"])) == {(1, -1), (-1, 1)}
    assert SignVectors.from_array(np.ones((2, 3))).n == 3
    assert tuples(SignVectors.from_array("++-")) == {(1, 1, -1)}  # one string, one vector
    assert tuples(SignVectors.from_array("")) == {()}
    for bad, message in (
        ([1, -1], r"shape \(2,\)"),
        ([[1, 0], [1, 1]], "holds 0 and 1 but no -1; expected -1 and \\+1: pass np.where"),
        ([[-1, 0], [1, 1]], "signs holds 0"),
        ([[True, True]], "booleans"),
        ([[1, 1], np.ma.array([1, -1], mask=[False, True])], "masked"),
        (["+-", "+0"], "signs holds 0"),
        (["+-", "+"], r"shape \(1,\); expected \(2,\)"),
        ("+x", "'x' at position 1"),
    ):
        with pytest.raises(InputError, match=message):
            SignVectors.from_array(bad)


def boolean(W, b=None):
    """Full set of a boolean arrangement (independent rows), in the arrangement's form."""
    A = Arrangement(W, b)
    n = A.n_hyperplanes
    words = np.arange(2**n, dtype=np.uint64)[:, None]
    half = A.is_central
    return SignVectors(words[: 2 ** (n - 1)] if half else words, n, half=half, arrangement=A)


@pytest.mark.parametrize(
    "arguments",
    [
        ([[1, 2], [3, -1]], None),
        ([[1, 2, 3], [3, -1, 0], [0, 0, 1]], [1, -2, 0]),
        ([[Fraction(1, 3), 2], [10**30, 1]], [Fraction(1, 7), 0]),
        ([[1e-300, 0], [0, 1e300]], None),
    ],
)
def test_witnesses(arguments):
    S = boolean(*arguments)
    A = S.arrangement
    points = S.witnesses()
    assert points.shape == (len(S), A.dimension)
    offsets = [0] * A.n_hyperplanes if A.offsets is None else A.offsets.tolist()
    for i, signs in enumerate(S):
        for point in (S.witness(i), S.witness(i - len(S)), points[i].tolist()):
            for w, b, sign in zip(A.normals.tolist(), offsets, signs, strict=True):
                value = sum(Fraction(a) * Fraction(x) for a, x in zip(w, point, strict=True))
                assert (value + Fraction(b)) * int(sign) > 0
        assert all(isinstance(x, Fraction) for x in S.witness(i))


def test_a_slice_keeps_witnesses_and_algebra_asks_for_agreement():
    S, same, other = boolean(np.eye(2)), boolean(np.eye(2, dtype=int)), boolean(2 * np.eye(2))
    part = S[1:3]
    assert np.array_equal(part.witnesses(), S.witnesses()[1:3])
    assert (S & same).arrangement is S.arrangement
    result = S & other
    assert result == S and result.arrangement is None
    with pytest.raises(InputError, match="belong to no arrangement"):
        result.witness(0)
    with pytest.raises(InputError, match="belong to no arrangement"):
        result.witnesses()


def test_a_chamber_without_float_points_is_said_so():
    # 2**53 + 1 lies strictly between the two zeros, and nothing else that is a float does.
    A = Arrangement([[1], [1]], [-(2**53), -(2**53) - 2])
    S = SignVectors(packed.pack_signs(np.array([[1, -1], [1, 1]])), 2, half=False, arrangement=A)
    assert feasible(A, S[0])
    with pytest.warns(WitnessWarning, match="1 of the sign vectors, left NaN: rows 0;"):
        points = S.witnesses()
    assert np.isnan(points[0]).all() and points[1, 0] > 2**53 + 2
    assert 2**53 < S.witness(0)[0] < 2**53 + 2


CASES = {
    "central": lambda: boolean([[1, 2], [3, -1]]),
    "affine": lambda: boolean(np.eye(3), [1e-300, 1e300, 0.1]),
    "fractions": lambda: boolean([[Fraction(-1, 3), 0], [0, 10**5000]], [Fraction(2, 7), 1]),
    "big": lambda: boolean([[2**62 + 1, 0], [0, 1]]),
    "hand": lambda: SignVectors.from_array(["+-", "--"]),
    "none": lambda: SignVectors(np.zeros((0, 2), np.uint64), 65, half=True),
    "empty": lambda: SignVectors(
        np.zeros((1, 0), np.uint64), 0, half=False, arrangement=Arrangement(np.empty((0, 2)))
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_files_keep_everything(name, tmp_path):
    S = CASES[name]()
    S.save(tmp_path / "signs.npz")
    T = SignVectors.load(tmp_path / "signs.npz")
    assert T == S and (T.n, T.half, T.complete) == (S.n, S.half, S.complete)
    assert np.array_equal(T.packed, S.packed) and T.arrangement == S.arrangement
    if S.arrangement is not None:
        assert T.arrangement.normals.dtype == S.arrangement.normals.dtype
        assert (T.arrangement.offsets is None) == (S.arrangement.offsets is None)
    assert [path.name for path in tmp_path.iterdir()] == ["signs.npz"]


def test_files_keep_labels_factor_and_truncation(tmp_path):
    A = Arrangement(np.eye(2), labels=["größer", "a\0"], low_rank=low_rank_structure(np.eye(2), 2))
    S = SignVectors(np.array([[3]], np.uint64), 2, half=True, arrangement=A, complete=False)
    S.save(tmp_path / "signs.npz")
    T = SignVectors.load(tmp_path / "signs.npz")
    assert T.arrangement.labels == A.labels and not T.complete
    assert np.array_equal(T.factor, np.eye(2)) and repr(T) == repr(S)
    assert repr(S) == "SignVectors(2 of 2 signs, central, rank 2, truncated)"


class Unpickled(Exception):
    """Raised by a pickle that is executed."""


class Trap:
    def __reduce__(self):
        return exec, ("raise Unpickled",)


def damaged(tmp_path, change):
    """Path of a saved file whose members went through `change`."""
    path = tmp_path / "damaged.npz"
    boolean([[1, 2], [3, -1]], [Fraction(1, 3), 0]).save(path)
    with np.load(path) as archive:
        members = dict(archive)
    change(members)
    np.savez(path, **members)
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(format=np.array(2)), "format 2"),
        (lambda m: m.pop("format"), "its members are packed"),
        (lambda m: m.pop("half"), "no member 'half'"),
        (lambda m: m.update(n=np.array(65)), "expected uint64 of shape"),
        (lambda m: m.update(n=np.array(1)), "arrangement of 2 hyperplanes"),
        (lambda m: m.update(packed=np.array([[4]], np.uint64)), "bits beyond the 2 signs"),
        (lambda m: m.update(packed=np.array([[1]])), "packed is int64"),
        (lambda m: m.update(half=np.array(True)), "needs a central arrangement"),
        (lambda m: m.update(normals=np.zeros((2, 2)), offsets=np.zeros(2)), "cut|zero"),
        (lambda m: m.update(offsets_text=np.frombuffer(b"1/0 1", np.uint8)), "denominator zero"),
        (lambda m: m.update(offsets_text=np.frombuffer(b"1 zz", np.uint8)), "zz"),
        (lambda m: m.update(offsets_shape=np.array([3])), "reshape"),
        (lambda m: m.update(labels=np.frombuffer(b"{", np.uint8)), "not a file written by"),
        (lambda m: m.update(packed=np.array([Trap()], object)), "allow_pickle=False"),
    ],
)
def test_malformed_files_are_refused(change, message, tmp_path):
    path = damaged(tmp_path, change)
    if message == "cut|zero":
        path = damaged(tmp_path, lambda m: [m.pop("offsets_text"), change(m)])
    with pytest.raises(InputError, match=message):
        SignVectors.load(path)


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"PK\x03\x04broken", pickle.dumps(Trap()), b"\x93NUMPY\x01"]
)
def test_other_files_are_refused(content, tmp_path):
    path = tmp_path / "other.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is not a file written by SignVectors.save"):
        SignVectors.load(path)


def test_npy_and_missing_files(tmp_path):
    np.save(tmp_path / "one.npy", np.eye(2))
    with pytest.raises(InputError, match=r"holds one array of shape \(2, 2\)"):
        SignVectors.load(tmp_path / "one.npy")
    with pytest.raises(InputError, match="cannot read .*none.npz: No such file"):
        SignVectors.load(tmp_path / "none.npz")


def test_an_interrupted_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "signs.npz"
    S = SignVectors.from_array(["++"])
    S.save(path)

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", interrupt)
    with pytest.raises(KeyboardInterrupt):
        SignVectors.from_array(["--"]).save(path)
    assert SignVectors.load(path) == S and len(list(tmp_path.iterdir())) == 1


def test_no_attribute_can_be_set_or_deleted():
    S = boolean(np.eye(2))
    assert "++" in S  # what is kept for later is kept
    for name in ("n", "packed", "arrangement", "half", "complete", "factor", "other"):
        with pytest.raises(AttributeError, match=f"SignVectors is immutable.*'{name}'"):
            setattr(S, name, 5)
    with pytest.raises(AttributeError, match="SignVectors is immutable"):
        del S.n
    for twin in (pickle.loads(pickle.dumps(S)), copy.deepcopy(S), copy.copy(S)):
        assert twin == S and twin.arrangement == S.arrangement
        with pytest.raises(ValueError, match="read-only"):
            twin.packed[0] = 0


@pytest.mark.parametrize("half", [False, True])
def test_arrays_of_a_wider_type(half):
    S = make([[1, -1, 1], [1, 1, 1]], 3, half=half)
    for dtype in (int, np.int16, float, np.float16):
        assert S.to_array(dtype).dtype == dtype and np.array_equal(S.to_array(dtype), S.to_array())
    assert S.to_array().dtype == np.asarray(S).dtype == np.int8
    for dtype in (bool, np.uint8):  # -1 would be True, or 255
        with pytest.raises(InputTypeError, match="does not hold every int8"):
            S.to_array(dtype)
        with pytest.raises(InputTypeError, match="does not hold every int8"):
            np.asarray(S, dtype)


def test_damaged_sets_are_refused_in_one_line(tmp_path: Path) -> None:
    S = chambers([[1, 0], [0, 1], [1, 1]], [0, 0, 1])
    S.save(tmp_path / "signs.npz")
    content, random = (tmp_path / "signs.npz").read_bytes(), np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(content)
        for place in random.integers(-300, 300, 3):
            damaged[place] = random.integers(256)
        (tmp_path / "signs.npz").write_bytes(damaged)
        try:
            assert SignVectors.load(tmp_path / "signs.npz") == S
        except InputError as error:
            assert "\n" not in str(error)


def test_rows_chosen_by_booleans_or_numbers():
    S = chambers(generators.shi(3))
    bounded = bounded_chambers(S)
    chosen = S[bounded]
    assert np.array_equal(chosen.to_array(), S.to_array()[bounded]) and len(chosen) == 4
    assert all(chosen.witness(i) for i in range(4)) and chosen <= S
    assert S[[3, -1]].to_array().tolist() == S.to_array()[[3, -1]].tolist()
    assert len(S[[]]) == 0 and S[np.int64(2)].tolist() == S[2].tolist()
    R = rankings([[1, 0], [0, 1], [1, 1]])
    assert R[[0, 2]].to_array().tolist() == R.to_array()[[0, 2]].tolist()
    for bad in ([0, 0], [0, -16], [True], [0.5], ["a"], [[0, 1]], bounded[1:]):
        with pytest.raises(InputError, match="expected 16 booleans, such as"):
            S[bad]
    with pytest.raises(IndexError, match="row 99 of 16 sign vectors"):
        S[[99]]
