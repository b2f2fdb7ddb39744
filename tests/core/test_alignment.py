"""Series and DataFrames go by their labels: aligned, or refused, never by position in silence."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arrangements import (
    Arrangement,
    ScoreModel,
    argmax_labels,
    audit,
    best_chamber,
    can_be_top,
    chambers,
    compare,
    count_chambers,
    feasible,
    feasible_many,
    rankings,
    sign_vector_at,
)
from arrangements.algebra import same_oriented_matroid, varchenko_determinant
from arrangements.errors import InputError
from arrangements.models import SigmoidClassifier, SoftmaxClassifier
from arrangements.optimize import (
    best_ranking,
    binary_quadratic,
    halfspace_depth,
    max_feasible,
    place_range,
)
from arrangements.paper import same_softmax
from arrangements.structure import chamber_distance, localization, simplify, tie_set, union

NAMES, AXES = ["cat", "dog", "cow", "pig"], ["x", "y"]
ROWS = np.array([[2, 1], [0, 1], [-1, -1], [2, -1]])
OFFSETS, SIGNS, COSTS = np.array([1, 0, 3, 7]), np.array([1, -1, 1, 1]), np.array([3, -5, 2, -1])
POINTS = np.array([[1, 5], [-4, 0.5], [3, -2]])
W = pd.DataFrame(ROWS, index=NAMES, columns=AXES)
# another order of the rows, and of the coordinates
MIXED, SWAPPED = ["pig", "cow", "cat", "dog"], ["y", "x"]


def series(values: Any) -> Any:
    return pd.Series(values, index=NAMES)[MIXED]


def by_columns(values: Any) -> Any:
    return pd.DataFrame(values, columns=NAMES)[MIXED]


def points(values: Any = POINTS) -> Any:
    return pd.DataFrame(values, columns=AXES)[SWAPPED]


def text(answer: Any) -> str:
    """Answers that are equal in all that matters here."""
    if hasattr(answer, "to_array"):
        return str(answer.to_array().tolist())
    if hasattr(answer, "tolist"):
        return str(answer.tolist())
    return str(answer)


MODEL = SigmoidClassifier(W, series(OFFSETS))
# pairs of questions with arrays and with pandas, which have the same answer
ASKED: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "Arrangement": (
        lambda: Arrangement(ROWS, OFFSETS).offsets,
        lambda: Arrangement(W, series(OFFSETS)).offsets,
    ),
    "offsets of an Arrangement": (
        lambda: count_chambers(ROWS, OFFSETS),
        lambda: count_chambers(Arrangement(W), series(OFFSETS)),
    ),
    "labels=": (
        lambda: ScoreModel(ROWS, OFFSETS).offsets,
        lambda: ScoreModel(ROWS, series(OFFSETS), labels=iter(NAMES)).offsets,
    ),
    "labels= in a Series": (
        lambda: ScoreModel(ROWS, labels=["a", "b", "c", "d"]).labels,
        lambda: ScoreModel(W, labels=series(["a", "b", "c", "d"])).labels,
    ),
    "chambers": (lambda: chambers(ROWS, OFFSETS), lambda: chambers(W, series(OFFSETS))),
    "rankings": (lambda: rankings(ROWS, OFFSETS), lambda: rankings(W, series(OFFSETS))),
    "argmax_labels": (
        lambda: argmax_labels(ROWS, OFFSETS, candidates=["dog", "pig"], labels=NAMES),
        lambda: argmax_labels(W, series(OFFSETS), candidates=series([False, True, False, True])),
    ),
    "candidates by labels= of an iterator": (
        lambda: argmax_labels(ROWS, OFFSETS, candidates=["dog"], labels=NAMES),
        lambda: argmax_labels(ROWS, OFFSETS, candidates=["dog"], labels=iter(NAMES)),
    ),
    "tie_set": (
        lambda: tie_set(ROWS, [0, 1], offsets=OFFSETS, labels=NAMES),
        lambda: tie_set(W, ["cat", "dog"], offsets=series(OFFSETS)),
    ),
    "can_be_top": (
        lambda: can_be_top(ROWS, [[0], [1], [2, 3]], offsets=OFFSETS).feasible,
        lambda: can_be_top(W, [[0], [1], [2, 3]], offsets=series(OFFSETS)).feasible,
    ),
    "audit": (
        lambda: audit(ROWS, OFFSETS).can_win,
        lambda: audit(W, series(OFFSETS)).can_win,
    ),
    "SoftmaxClassifier": (
        lambda: SoftmaxClassifier(ROWS, OFFSETS).offsets,
        lambda: SoftmaxClassifier(W, series(OFFSETS)).offsets,
    ),
    "feasible": (lambda: feasible(ROWS, SIGNS), lambda: feasible(W, series(SIGNS))),
    "feasible_many": (
        lambda: feasible_many(ROWS, [SIGNS, -SIGNS]).feasible,
        lambda: feasible_many(W, by_columns([SIGNS, -SIGNS])).feasible,
    ),
    "feasible_many, rows": (
        lambda: feasible_many(ROWS, [SIGNS, -SIGNS]).feasible,
        lambda: feasible_many(W, [series(SIGNS), series(-SIGNS)]).feasible,
    ),
    "in": (lambda: SIGNS in chambers(ROWS), lambda: series(SIGNS) in chambers(W)),
    "contains": (
        lambda: chambers(ROWS).contains([SIGNS, -SIGNS]),
        lambda: chambers(W).contains(by_columns([SIGNS, -SIGNS])),
    ),
    "active": (lambda: MODEL.active(SIGNS), lambda: MODEL.active(series(SIGNS))),
    "chamber_distance": (
        lambda: chamber_distance(ROWS, SIGNS, [1, 1, -1, 1]),
        lambda: chamber_distance(W, series(SIGNS), series([1, 1, -1, 1])),
    ),
    "restore": (
        lambda: simplify(ROWS).restore([SIGNS]),
        lambda: simplify(W).restore(by_columns([SIGNS])),
    ),
    "mask of rows": (
        lambda: Arrangement(ROWS)[np.array([True, True, False, False])].normals,
        lambda: Arrangement(W)[series([True, True, False, False])].normals,
    ),
    "costs": (
        lambda: best_chamber(ROWS, COSTS).signs,
        lambda: best_chamber(W, series(COSTS)).signs,
    ),
    "costs of both sides": (
        lambda: best_chamber(ROWS, [COSTS, COSTS[::-1]]).signs,
        lambda: best_chamber(W, by_columns([COSTS, COSTS[::-1]])).signs,
    ),
    "statistic": (
        lambda: best_chamber(ROWS, statistic=COSTS[:, None], objective=lambda s: s[:, 0]).signs,
        lambda: (
            best_chamber(
                W, statistic=pd.DataFrame({"s": series(COSTS)}), objective=lambda s: s[:, 0]
            ).signs
        ),
    ),
    "within": (
        lambda: best_chamber(ROWS, COSTS, within=([[1, 0]], [-1])).signs,
        lambda: best_chamber(W, COSTS, within=(points([[1, 0]]), [-1])).signs,
    ),
    "within a polyhedron": (
        lambda: chambers(ROWS, method="incremental", within=([[1, 0], [0, 1]], [3, -1])),
        lambda: chambers(
            W,
            method="incremental",
            within=(
                pd.DataFrame({"y": [0, 1], "x": [1, 0]}, index=["p", "q"]),
                pd.Series({"q": -1, "p": 3}),
            ),
        ),
    ),
    "place_range": (
        lambda: place_range(ROWS, within=([[1, 0]], [-1])),
        lambda: place_range(W, within=(points([[1, 0]]), [-1])),
    ),
    "max_feasible": (
        lambda: max_feasible(ROWS, weights=abs(COSTS)).signs,
        lambda: max_feasible(W, weights=series(abs(COSTS))).signs,
    ),
    "best_ranking": (
        lambda: best_ranking(ROWS, gains=COSTS).order,
        lambda: best_ranking(W, gains=series(COSTS)).order,
    ),
    "binary_quadratic": (
        lambda: binary_quadratic(ROWS, COSTS).x,
        lambda: binary_quadratic(W, series(COSTS)).x,
    ),
    "varchenko_determinant": (
        lambda: varchenko_determinant(ROWS, weights=COSTS),
        lambda: varchenko_determinant(W, weights=series(COSTS)),
    ),
    "sign_vector_at": (
        lambda: sign_vector_at(ROWS, POINTS),
        lambda: sign_vector_at(W, points()),
    ),
    "region of one point": (
        lambda: sign_vector_at(ROWS, POINTS[0]),
        lambda: sign_vector_at(pickle.loads(pickle.dumps(Arrangement(W))), points().loc[0]),
    ),
    "localization": (
        lambda: localization(ROWS, point=[0, 3]).rows,
        lambda: localization(W, point=pd.Series({"y": 3, "x": 0})).rows,
    ),
    "scores": (lambda: MODEL.scores(POINTS), lambda: MODEL.scores(points())),
    "predict": (lambda: MODEL.predict(POINTS), lambda: MODEL.predict(points())),
    "predict one": (lambda: MODEL.predict(POINTS[0]), lambda: MODEL.predict(points().loc[0])),
    "compare": (
        lambda: compare(ROWS, ROWS[:, ::-1], "rankings", inputs=POINTS).summary(),
        lambda: compare(W, W.to_numpy()[:, ::-1], "rankings", inputs=points()).summary(),
    ),
    "halfspace_depth": (
        lambda: halfspace_depth(POINTS, ROWS),
        lambda: halfspace_depth(points(), W),
    ),
    "union": (
        lambda: union(ROWS, POINTS).arrangement.normals,
        lambda: union(W, points()).arrangement.normals,
    ),
    "same_oriented_matroid": (
        lambda: bool(same_oriented_matroid(ROWS, 2 * ROWS)),
        lambda: bool(same_oriented_matroid(W, 2 * W.loc[MIXED])),
    ),
    "same_softmax": (
        lambda: same_softmax(ROWS, ROWS + [3, 5], offsets1=OFFSETS, offsets2=OFFSETS + 1),
        lambda: same_softmax(
            W, (W + [3, 5]).loc[MIXED, SWAPPED], offsets1=OFFSETS, offsets2=series(OFFSETS + 1)
        ),
    ),
}


@pytest.mark.sampled(21)
@pytest.mark.parametrize("name", ASKED)
def test_labels_decide(name: str) -> None:
    plain, labeled = ASKED[name]
    assert text(labeled()) == text(plain())


RENAMED = {"pig": "hen"}
REFUSED: dict[str, Callable[[], Any]] = {
    "offsets": lambda: count_chambers(W, series(OFFSETS).rename(RENAMED)),
    "labels=": lambda: rankings(ROWS, series(OFFSETS).rename(RENAMED), labels=NAMES),
    "Series of labels": lambda: rankings(W, labels=series(NAMES).rename(RENAMED)),
    "signs": lambda: feasible(W, series(SIGNS).rename(RENAMED)),
    "many signs": lambda: feasible_many(W, by_columns([SIGNS]).rename(columns=RENAMED)),
    "contains": lambda: chambers(W).contains(by_columns([SIGNS]).rename(columns=RENAMED)),
    "costs": lambda: best_chamber(W, series(COSTS).rename(RENAMED)),
    "weights": lambda: max_feasible(W, weights=series(COSTS).rename(RENAMED)),
    "gains": lambda: best_ranking(W, gains=series(COSTS).rename(RENAMED)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_labels_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="'pig', a label of the rows, is not in .* and 'hen' is"):
        REFUSED[name]()


def test_other_columns_are_refused() -> None:
    other = points().rename(columns={"y": "z"})
    for ask in (MODEL.predict, MODEL.scores, lambda x: sign_vector_at(W, x)):
        with pytest.raises(InputError, match="'y', a label of the columns .* and 'z' is"):
            ask(other)
    with pytest.raises(InputError, match="labels is a DataFrame"):
        rankings(ROWS, labels=W)


def test_fewer_or_more_labels_are_named() -> None:
    rows = pd.DataFrame([[1, 0], [0, 1], [1, 1]], index=list("abc"))
    for values, message in [
        (pd.Series([1, 2], index=list("ca")), "'b', a label of the rows, is not in the index of"),
        (pd.Series([1, 2, 3, 4], index=list("caxb")), "'x', in the index of offsets, is no label"),
    ]:
        with pytest.raises(InputError, match=message):
            chambers(rows, values)
    with pytest.raises(InputError, match=r"offsets has shape \(2,\); expected \(3,\)"):
        chambers(rows, pd.Series([1, 2]))


def test_labels_twice() -> None:
    with pytest.raises(InputError, match="'pig', a label of the rows, is not in the index"):
        count_chambers(W, pd.Series(OFFSETS, index=["cat", "dog", "cow", "cow"]))
    twice = pd.DataFrame(ROWS, index=["a", "a", "b", "c"])
    same = pd.Series(OFFSETS, index=twice.index)
    assert count_chambers(twice, same) == count_chambers(ROWS, OFFSETS)
    with pytest.raises(InputError, match="a label occurs twice in the index of offsets"):
        count_chambers(twice, same[::-1])


@pytest.mark.parametrize(
    ("rows", "offsets"),
    [
        (W, pd.Series(OFFSETS)),  # its index says nothing
        (pd.DataFrame(ROWS), pd.Series(OFFSETS, index=NAMES)),
        (ROWS, pd.Series(OFFSETS, index=NAMES)),
        (W, pd.Series(OFFSETS, index=NAMES)),
        (pd.DataFrame(ROWS, index=[7, 8, 9, 4]), pd.Series(OFFSETS)),
        (pd.DataFrame(ROWS, index=[7, 8, 9, 4]), pd.Series(OFFSETS, index=list("7894"))),
    ],
)
def test_without_labels_positions_count(rows: Any, offsets: Any) -> None:
    assert Arrangement(rows, offsets).offsets.tolist() == OFFSETS.tolist()


@pytest.mark.parametrize(
    ("rows", "offsets"),
    [
        (ROWS, pd.Series(OFFSETS, index=[1, 0, 2, 3])),
        (pd.DataFrame(ROWS), pd.Series(OFFSETS, index=[1, 0, 2, 3])),
        (pd.DataFrame(ROWS, index=[1, 0, 2, 3]), pd.Series(OFFSETS)),
    ],
)
def test_two_readings_are_refused(rows: Any, offsets: Any) -> None:
    with pytest.raises(InputError, match="by label or by position"):
        count_chambers(rows, offsets)


def test_integer_labels_are_aligned() -> None:
    shuffled = pd.DataFrame(ROWS, index=[2, 0, 3, 1])
    found = Arrangement(shuffled, pd.Series(OFFSETS, index=[2, 0, 3, 1])[[3, 1, 2, 0]])
    assert found.offsets.tolist() == OFFSETS.tolist()


def test_names_of_columns_are_kept(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "model.npz")
    loaded = SigmoidClassifier.load(tmp_path / "model.npz")
    for model in (loaded, SoftmaxClassifier(Arrangement(W)), SoftmaxClassifier(W)):
        assert (model.scores(points()) == model.scores(POINTS)).all()
    assert (sign_vector_at(Arrangement(W)[1:], points()) == sign_vector_at(ROWS[1:], POINTS)).all()


def test_targets_of_a_classifier() -> None:
    pytest.importorskip("sklearn")
    from arrangements.optimize import ZeroOneClassifier

    X = pd.DataFrame(POINTS, index=["a", "b", "c"], columns=AXES)
    y, weight = pd.Series([0, 1, 1], index=X.index), pd.Series([5, 1, 2], index=X.index)
    expected = ZeroOneClassifier().fit(X, y, weight)
    found = ZeroOneClassifier().fit(X, y[::-1], weight[["b", "a", "c"]])
    assert (found.coef_ == expected.coef_).all() and found.predict(X).tolist() == [0, 1, 1]
    with pytest.raises(InputError, match="'c', a label of the rows of X"):
        ZeroOneClassifier().fit(X, y.rename({"c": "d"}))
    found = ZeroOneClassifier().fit(X, y.reset_index(drop=True))
    assert (found.coef_ == ZeroOneClassifier().fit(X, y).coef_).all()
