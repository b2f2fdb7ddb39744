"""One rule for the rows that labels address, wherever they do; labels keep their type."""

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples import frames
from hypothesis import given
from hypothesis import strategies as st

from arrangements import (
    Arrangement,
    OrientedMatroid,
    Rankings,
    ScoreModel,
    SignVectors,
    argmax_labels,
    chambers,
    deletion,
    feasible,
    flats,
    plot_arrangement,
    rankings,
    restriction,
    top_k_rankings,
    top_k_sets,
)
from arrangements.core.labels import as_labels, find_rows, labels_of
from arrangements.errors import InputError, InputTypeError
from arrangements.models import SigmoidClassifier, SoftmaxClassifier
from arrangements.paper import equivalent_models
from arrangements.structure import (
    chamber_distance,
    chamber_edges,
    chamber_graph,
    face_lattice,
    intersection_poset,
    iter_chamber_edges,
    localization,
    neighbors,
    poset_of_chambers,
    ranking_graph,
    tie_set,
    tie_sets,
    top_ties,
)

W = np.array([[2, 0], [0, 1], [-1, -1], [1, 3]])
SHUFFLED = [3, 1, 2, 0]  # such as the classes of a model that was put together by hand
TENS = [10, 20, 30, 40]

# How each function is asked about one row, and what it answers.
ASK: dict[str, Callable[[Any, Any], Any]] = {
    "index": lambda labels, a: SoftmaxClassifier(W, labels=labels).index(a),
    "order_region": lambda labels, a: (
        SoftmaxClassifier(W, labels=labels).order_region(a).arrangement.normals.tolist()
    ),
    "softmax region": lambda labels, a: (
        SoftmaxClassifier(W, labels=labels).decision_region(a).arrangement.normals.tolist()
    ),
    "sigmoid region": lambda labels, a: (
        SigmoidClassifier(W, labels=labels).decision_region([a]).signs
    ),
    "tie_set of a model": lambda labels, a: SoftmaxClassifier(W, labels=labels).tie_set([a]),
    "candidates of a model": lambda labels, a: (
        SoftmaxClassifier(W, labels=labels).argmax_labels(candidates=[a]).tolist()
    ),
    "tie_set": lambda labels, a: tie_set(Arrangement(W, labels=labels), [a]),
    "candidates": lambda labels, a: argmax_labels(
        Arrangement(W, labels=labels), candidates=[a]
    ).tolist(),
    "deletion": lambda labels, a: deletion(Arrangement(W, labels=labels), a).rows,
    "deletion of a list": lambda labels, a: deletion(Arrangement(W, labels=labels), [a]).rows,
    "restriction": lambda labels, a: restriction(Arrangement(W, labels=labels), a).rows,
    "localization": lambda labels, a: localization(Arrangement(W, labels=labels), [a]).rows,
    "decone": lambda labels, a: Arrangement(W, labels=labels).decone(a).rows,
    "tie_set with labels": lambda labels, a: tie_set(W, [a], labels=labels),
    "candidates with labels": lambda labels, a: argmax_labels(
        W, labels=labels, candidates=[a]
    ).tolist(),
    "index of scores": lambda labels, a: ScoreModel(W, labels=labels).index(a),
    "one sign": lambda labels, a: feasible(Arrangement(W, labels=labels), {a: 1}).signs,
    "matroid": lambda labels, a: (
        OrientedMatroid.from_matrix(Arrangement(W, labels=labels)).deletion(a).chirotope.tolist()
    ),
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize("ask", ASK.values(), ids=list(ASK))
def test_no_integer_label_is_taken_for_a_row(ask: Callable[[Any, Any], Any]) -> None:
    expected = [ask(None, row) for row in range(4)]
    for row, label in enumerate(SHUFFLED):
        assert ask(SHUFFLED, str(label)) == expected[row]  # text is the name of a label
        if label == row:
            assert ask(SHUFFLED, label) == expected[row]
            continue
        with pytest.raises(
            InputError, match=rf"{label} is the label of row {row}, and row {label}"
        ):
            ask(SHUFFLED, label)
        with pytest.raises(InputError, match="Pass the label as text, '0' or '3'"):
            ask(np.array(SHUFFLED), np.int8(0))
    for row, label in enumerate(TENS):  # one reading only
        assert ask(TENS, label) == ask(np.array(TENS), np.int64(label)) == expected[row]
        assert ask(TENS, str(label)) == ask(TENS, row) == expected[row]
        assert ask(range(4), row) == ask(range(4), str(row)) == expected[row]
        # labels that are text are no integers
        assert ask(["3", "1", "2", "0"], row) == expected[row]
    with pytest.raises(
        InputError, match="no label 7: rows are numbered from 0 to 3, and 7 is the name of none"
    ):
        ask(TENS, 7)
    with pytest.raises(InputError, match="'11' is not the name of a label"):
        ask(TENS, "11")
    for bad in (1.0, True):
        with pytest.raises(InputError):
            ask(TENS, bad)


def test_pairs_of_labels() -> None:
    A = Arrangement(W, labels=SHUFFLED)
    assert equivalent_models(A, "3", "0").labels == (0, 3)
    assert equivalent_models(Arrangement(W, labels=TENS), 20, 40).labels == (1, 3)
    for i, j in ((3, 0), ("3", 0), (1, 3)):
        with pytest.raises(InputError, match="which one is meant"):
            equivalent_models(A, i, j)


@pytest.mark.parametrize("labels", [SHUFFLED, [1, 2, 3, 4], TENS, range(4), ["3", "1", "2", "0"]])
def test_rankings_are_rows_or_labels_as_a_whole(labels: Any) -> None:
    R, plain = rankings(W, labels=labels), rankings(W)
    assert R.to_array().tolist() == plain.to_array().tolist()  # results are rows
    for i, order in enumerate(plain.to_array().tolist()):
        named = [labels[row] for row in order]
        assert R.index(R.names(i)) == R.index([str(label) for label in named]) == i
        if labels is SHUFFLED and order != named:
            for ask in (R.index, R.__contains__):
                for pattern in (order, named, np.array(order, np.uint8)):
                    with pytest.raises(InputError, match="which one is meant"):
                        ask(pattern)
        else:
            assert R.index(named) == R.index(order) == R.index(R[i]) == i
    assert R.label_names == tuple(map(str, labels))


def test_lists_are_read_as_a_whole() -> None:
    model = SigmoidClassifier(W, labels=[1, 2, 4, "x"])
    assert model.decision_region([4, 1]).signs == (1, -1, 1, -1)  # 4 is no row: labels 4 and 1
    assert model.decision_region([0, 1]).signs == (1, 1, -1, -1)  # 0 is no label: rows 0 and 1
    assert model.decision_region(["x", "1"]).signs == (1, -1, -1, 1)
    assert model.decision_region(["x", 0]).signs == (1, -1, -1, 1)
    with pytest.raises(InputError, match="1 is the label of row 0, and row 1 has the label 2"):
        model.decision_region([1, 2])
    with pytest.raises(InputError, match="no label 4: rows .* and 0 is the name"):
        model.decision_region([4, 0])
    with pytest.raises(InputError, match="masked"):
        model.decision_region(np.ma.array([0, 1], mask=[True, False]))


LABELS = st.permutations([0, 1, 2, 3, 5, -1, "0", "a"]).map(lambda found: found[:4])


@given(labels=LABELS, asked=st.lists(st.integers(-5, 6), max_size=3), from_end=st.booleans())
def test_integers_have_one_reading(labels: Any, asked: Any, from_end: bool) -> None:
    numbers = {**{i: i for i in range(4)}, **({i - 4: i for i in range(4)} if from_end else {})}
    places = {label: i for i, label in enumerate(labels) if isinstance(label, int)}
    readings = {tuple(r.get(a) for a in asked) for r in (numbers, places)}
    readings = {reading for reading in readings if None not in reading}
    try:
        found = find_rows(asked, tuple(labels), 4, from_end=from_end)
    except InputError:
        assert len(readings) != 1
    else:
        assert readings == {tuple(found)}


def test_labels_of_an_arrangement_may_be_equal() -> None:
    A = Arrangement(W, labels=[7, "7", 9, 9])
    for twice in ("7", 9, "9"):
        with pytest.raises(InputError, match="are both named"):
            A.deletion(twice)
    assert A.deletion(7).rows == (1, 2, 3)  # the integer
    assert A.deletion([True, False, True, False]).rows == (1, 3)
    assert Arrangement(W, labels=["ab", "a", "b", "c"]).deletion("ab").rows == (1, 2, 3)


def test_negative_labels_and_rows_from_the_end() -> None:
    signs = Arrangement(W, labels=[-1, 1, -2, 2])
    with pytest.raises(InputError, match="-1 is the label of row 0, and row 3 has the label 2"):
        signs.deletion(-1)
    assert signs.deletion("-1").rows == (1, 2, 3) and signs.deletion(-4).rows == (1, 2, 3)
    assert signs.decone().rows == (0, 1, 2)  # the last one
    assert SoftmaxClassifier(W, labels=[-1, 1, -2, 2]).index(-1) == 0


def test_results_are_rows() -> None:
    model = SoftmaxClassifier(W, labels=SHUFFLED)
    assert model.argmax_labels().tolist() == argmax_labels(W).tolist()
    assert model.top_k_sets(2).tolist() == top_k_sets(W, 2).tolist()
    assert model.tie_sets() == tie_sets(W)
    assert model.names([0, 3]) == ("3", "0") and model.labels == tuple(SHUFFLED)


def test_labels_keep_their_type() -> None:
    for labels in (np.array(SHUFFLED, np.uint8), np.array(SHUFFLED, object), iter(SHUFFLED)):
        assert as_labels(labels, 4) == (3, 1, 2, 0)
    mixed = as_labels([np.int64(1), "1", 2.0, True, None, np.str_("b")], 6, distinct=False)
    assert mixed == (1, "1", "2.0", "True", "None", "b")
    assert [type(label) for label in mixed] == [int, str, str, str, str, str]
    with pytest.warns(UserWarning, match="labels: 1 name occurs more than once, such as '1'"):
        assert as_labels([1, "1", "2"], 3) == (1, "1 (2)", "2")
    with pytest.raises(InputTypeError, match="labels is a set"):
        Arrangement(W, labels={1, 2, 3, 4})
    with pytest.raises(InputError, match="labels has masked entries"):
        as_labels(np.ma.array([1, 2], mask=[True, False]), 2)
    assert Arrangement(W, labels=SHUFFLED) != Arrangement(W, labels=list(map(str, SHUFFLED)))


@pytest.mark.parametrize("labels", [SHUFFLED, ["3", "1", "2", "0"], ["a", 5, "5.0", 2**80], None])
def test_labels_keep_their_type_in_files(labels: Any, tmp_path: Path) -> None:
    path = tmp_path / "set.npz"
    expected = None if labels is None else tuple(labels)
    rankings(W, labels=labels).save(path)
    model = Rankings.load(path).model
    assert model is not None and model.labels == expected
    chambers(Arrangement(W, labels=labels)).save(path)
    loaded = SignVectors.load(path).arrangement
    assert loaded is not None and loaded.labels == expected
    assert [type(a) for a in loaded.labels or ()] == [type(a) for a in labels or ()]


@pytest.mark.parametrize("frame", frames(), ids=lambda f: f.__module__)
def test_the_index_of_a_frame_is_its_labels(frame: Any) -> None:
    def made(index: Any = None) -> Any:
        return frame({"x": W[:, 0], "y": W[:, 1] * 1.0}, index=index)

    names = ["cat", "dog", "bird", "fish"]
    for make in (Arrangement, ScoreModel, SoftmaxClassifier, SigmoidClassifier):
        assert make(made(names)).labels == tuple(names)
        assert make(made(SHUFFLED)).labels == tuple(SHUFFLED)
        assert make(made(names), labels="abcd").labels == tuple("abcd")
        assert make(made()).labels is None and make(made([0, 1, 2, 3])).labels is None
    assert rankings(made(names)).label_names == tuple(names)
    assert chambers(made(names)).arrangement.labels == tuple(names)  # type: ignore[union-attr]
    assert (
        argmax_labels(made(names), candidates=["dog"]).tolist()
        == argmax_labels(W, candidates=[1]).tolist()
    )
    assert deletion(made(names), "dog").rows == (0, 2, 3)
    assert tie_set(made(names), ["cat", "fish"]) == tie_set(W, [0, 3])
    with pytest.raises(InputError, match="which one is meant"):
        deletion(made(SHUFFLED), 0)
    assert labels_of(W) is None


def test_names_in_a_picture() -> None:
    pytest.importorskip("matplotlib")
    ax = plot_arrangement(W, labels=TENS)
    assert {text.get_text() for text in ax.texts} >= set(map(str, TENS))


def test_two_classes_in_one_row() -> None:
    coef, intercept, classes = np.array([[1.5, -2.0]]), np.array([0.25]), np.array([0, 1])
    for make in (SoftmaxClassifier, SigmoidClassifier, ScoreModel, Arrangement):
        with pytest.raises(InputError, match=r"2 labels.*binary coef_.*np.vstack.*classes_\[1:\]"):
            make(coef, intercept, classes)
    softmax = SoftmaxClassifier(np.vstack([0 * coef, coef]), [0, *intercept], classes)
    sigmoid = SigmoidClassifier(coef, intercept, classes[1:])
    x = np.random.default_rng(0).standard_normal((20, 2))
    assert np.allclose(softmax.probabilities(x)[:, 1:], sigmoid.probabilities(x), rtol=1e-13)
    assert softmax.labels == (0, 1) and sigmoid.index(1) == 0
    with pytest.raises(InputError, match=r"3 labels were given for 1 rows; expected 1\.$"):
        SoftmaxClassifier(coef, labels="abc")


@pytest.mark.parametrize("classes", [[0, 1], [3, 1, 2, 0]])
def test_what_scikit_learn_fits(classes: list[int]) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((80, 2)), rng.choice(classes, 80)
    fitted = linear_model.LogisticRegression().fit(X, y)
    rows, offsets = fitted.coef_, fitted.intercept_
    if len(classes) == 2:
        rows, offsets = np.vstack([0 * rows, rows]), [0, *offsets]
    model = SoftmaxClassifier(rows, offsets, fitted.classes_)
    assert model.labels == tuple(sorted(classes))
    assert np.allclose(model.probabilities(X), fitted.predict_proba(X), rtol=1e-10)
    for label in classes:
        point = model.decision_region(label).point
        if point is not None:
            assert fitted.predict([[float(c) for c in point]]) == [label]


def test_every_order_of_four_integer_labels() -> None:
    """An integer either means one row under both readings or is refused."""
    for labels in permutations(range(4)):
        model = SoftmaxClassifier(W, labels=labels)
        for a in range(4):
            if labels[a] == a:
                assert model.index(a) == a
            else:
                with pytest.raises(InputError, match="which one is meant"):
                    model.index(a)
            assert model.index(str(a)) == labels.index(a)


# ------------------------------------------------------------------ names in, names out

PETS = ["cat", "dog", "bird", "fish"]


def test_arrays_of_rows_become_arrays_of_names() -> None:
    """``named=True`` gives the names of the rows that are given without it."""
    model = SoftmaxClassifier(W, labels=PETS)
    A = Arrangement(W, labels=PETS)
    asked: list[Callable[..., Any]] = [
        lambda **o: argmax_labels(A, **o),
        lambda **o: top_k_sets(W, 2, labels=PETS, **o),
        lambda **o: top_k_rankings(A, 2, **o),
        lambda **o: top_ties(W, labels=PETS, **o),
        lambda **o: model.argmax_labels(candidates=["cat", "fish"], **o),
        lambda **o: model.top_k_sets(3, **o),
        lambda **o: model.top_k_rankings(1, **o),
        lambda **o: model.top_ties(**o),
        lambda **o: rankings(A).to_array(**o),
        lambda **o: chamber_edges(A, **o)[1],
        lambda **o: neighbors(A, 0, **o)[1],
        lambda **o: np.concatenate([h for _, h in iter_chamber_edges(A, block_size=2, **o)]),
    ]
    for ask in asked:
        rows, names = ask(), ask(named=True)
        assert rows.dtype.kind in "iu" and names.shape == rows.shape and rows.size
        assert names.tolist() == np.array(PETS)[rows].tolist()
        with pytest.raises(InputTypeError, match="named is 'yes'; expected True or False"):
            ask(named="yes")
    assert top_k_sets(W, 1, named=True).tolist() == [[str(i)] for i in top_k_sets(W, 1)[:, 0]]
    # labels that NumPy's own text would cut, and those of rows that tie
    assert argmax_labels([[1], [2]], labels=["a\0", "b\0"], named=True).tolist() == ["a\0", "b\0"]
    found = argmax_labels([[1], [1], [2]], labels="abc", ties="drop", named=True)
    assert found.tolist() == ["a", "c"]
    with pytest.raises(InputTypeError, match="dtype was given with named=True"):
        rankings(A).to_array(int, named=True)


def test_objects_have_names() -> None:
    A = Arrangement(W, labels=PETS)
    S, R = chambers(A), rankings(A)
    for i in range(len(S)):
        assert S.names(i) == tuple(PETS[row] for row in np.flatnonzero(S[i] > 0))
        assert S.names(i) == SigmoidClassifier(W, labels=PETS).active(S[i])
    assert S.label_names == R.label_names == tuple(PETS) and S.is_named and R.is_named
    plain = chambers(W)
    assert not plain.is_named and plain.label_names == ("0", "1", "2", "3")
    assert {plain.names(i) for i in range(len(plain))} >= {("0", "1", "3"), ("2",)}
    assert SignVectors.from_array(["+-"]).names(0) == ("0",)
    F = flats(A)
    assert [F.names(k) for k in range(len(F))] == [tuple(PETS[i] for i in flat) for flat in F]
    assert flats(W).names(1) == ("0",) and flats(W) == F
    for tie in tie_sets(A):
        assert tie.names == tuple(PETS[i] for i in tie.labels)
        again = tie_set(W, tie.names, labels=PETS)
        assert again == tie == tie_set(W, tie.labels) and again is not None
        assert again.names == tie.names and f"names={tie.names}" in repr(tie)
    assert "names" not in repr(tie_set(W, 0))
    assert repr(feasible(A, "+++*")).endswith("rows 'cat', 'dog', 'bird' with weights 1, 2, 2)")


@pytest.mark.slow
def test_graphs_have_names() -> None:
    A = Arrangement(W, labels=PETS)
    for graph in (chamber_graph, face_lattice, lambda W: poset_of_chambers(W, 0)):
        assert graph(A).graph["names"] == tuple(PETS) and not graph(W).graph
    for graph in (chamber_graph, lambda W: poset_of_chambers(W, 0)):
        for _, _, edge in graph(A).edges(data=True):
            assert edge["name"] == PETS[edge["hyperplane"]]
        assert all("name" not in edge for _, _, edge in graph(W).edges(data=True))
    for _, node in intersection_poset(A).nodes(data=True):
        assert node["names"] == tuple(PETS[i] for i in node["hyperplanes"])
    assert all("names" not in node for _, node in intersection_poset(W).nodes(data=True))
    G = ranking_graph(A)
    for _, node in G.nodes(data=True):
        assert node["names"] == tuple(PETS[i] for i in node["order"])
    for _, _, edge in G.edges(data=True):
        assert edge["names"] == tuple((PETS[i], PETS[j]) for i, j in edge["pairs"])
    assert all("names" not in node for _, node in ranking_graph(W).nodes(data=True))


def test_signs_by_label() -> None:
    A = Arrangement(W, labels=PETS)
    S = chambers(A)
    signs = dict(zip(PETS, S[0].tolist(), strict=True))
    assert signs in S and S.index(signs) == 0 and feasible(A, signs).signs == tuple(S[0])
    assert feasible(A, {"dog": -1, 0: 1}).signs == (1, -1, None, None)
    assert feasible(A, {"dog": 1}).signs == (None, 1, None, None) and feasible(A, {}).feasible
    assert A.feasible({3: -1}).signs == feasible(W, {3: -1}).signs == (None, None, None, -1)
    assert neighbors(A, signs)[0].tolist() == neighbors(A, 0)[0].tolist()
    assert chamber_distance(A, signs, {name: -sign for name, sign in signs.items()}) == 4
    with pytest.raises(InputError, match="gives the signs of 1 rows; expected those of all 4"):
        {"cat": 1} in S  # noqa: B015
    with pytest.raises(InputError, match="expected each row once"):
        feasible(A, {"cat": 1, 0: 1})
    with pytest.raises(InputError, match=r"signs\['cat'\] is 2; expected -1, 0 or 1"):
        feasible(A, {"cat": 2})
    with pytest.raises(InputError, match="'cow' is not the name of a label"):
        feasible(A, {"cow": 1})


def test_oriented_matroids_have_labels() -> None:
    M = OrientedMatroid.from_matrix(Arrangement(W, labels=PETS))
    assert M.labels == tuple(PETS) and M.names([2, 0]) == ("bird", "cat")
    assert M.sign(["cat", "dog"]) == M.sign([0, 1])
    assert M.deletion("dog") == M.deletion(1) == M.deletion(["dog"])
    assert M.deletion("dog").labels == M.contraction([1]).labels == ("cat", "bird", "fish")
    assert M.reorientation(["fish"]).labels == M.dual().labels == tuple(PETS)
    assert M.relabeling(PETS[::-1]) == M.relabeling([3, 2, 1, 0])
    assert M.relabeling([3, 2, 1, 0]).labels == tuple(PETS[::-1])
    assert M.topes().label_names == tuple(PETS)
    assert OrientedMatroid.from_chambers(chambers(Arrangement(W, labels=PETS))).labels == M.labels
    assert M == OrientedMatroid.from_matrix(W) and M.unlabeled.labels is None
    shuffled = OrientedMatroid.from_matrix(Arrangement(W, labels=SHUFFLED))
    with pytest.raises(InputError, match="which one is meant"):
        shuffled.deletion(0)
    assert shuffled.is_isomorphic(M) and shuffled.deletion("3") == M.deletion(0)
