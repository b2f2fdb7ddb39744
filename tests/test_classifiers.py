"""Classifiers: probabilities against exact series, and the sets against the functions they call."""

import math
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrangements import (
    Arrangement,
    argmax_labels,
    audit,
    chambers,
    demo,
    feasible,
    generators,
    rankings,
)
from arrangements.core.labels import as_labels
from arrangements.errors import InputError, TiedLabelsError
from arrangements.models import SigmoidClassifier, SoftmaxClassifier
from arrangements.paper import same_softmax

W = [[2, 0], [0, 1], [-1, -1], [1, 3]]
B = [0, 1, Fraction(1, 2), -2]
NAMES = ("cat", "dog", "bird", "fish")
SOFTMAX, SIGMOID = SoftmaxClassifier(W, B, NAMES), SigmoidClassifier(W, B, NAMES)


def powers(scores: Any) -> list[Fraction]:
    """Exp of each score, to 30 digits: a series in fractions."""
    return [
        sum((Fraction(s) ** k / math.factorial(k) for k in range(80)), Fraction(0)) for s in scores
    ]


@given(st.lists(st.integers(-8, 8), min_size=2, max_size=2))
def test_probabilities(x: list[int]) -> None:
    scores = [r[0] * x[0] + r[1] * x[1] + b for r, b in zip(W, B, strict=True)]
    assert SOFTMAX.scores(x).tolist() == scores
    small = [s / 8 for s in scores]  # the series is short
    soft = SoftmaxClassifier(np.array(W) / 8, np.array(B, float) / 8)
    exact = powers(small)
    assert np.allclose(soft.probabilities(x), [float(e / sum(exact)) for e in exact], rtol=1e-14)
    sigmoid = SigmoidClassifier(soft.weights, soft.offsets)
    assert np.allclose(
        sigmoid.probabilities(x), [float(e / (1 + e)) for e in exact], rtol=1e-14, atol=0
    )


def test_probabilities_far_out() -> None:
    x = [[1e6], [-1e6], [700.0]]
    soft, sigmoid = SoftmaxClassifier([[1], [0]]), SigmoidClassifier([[1], [0]])
    assert soft.probabilities(x).shape == (3, 2)
    assert soft.probabilities(x)[:2].tolist() == [[1, 0], [0, 1]]
    assert sigmoid.probabilities(x)[:2].tolist() == [[1, 0.5], [0, 0.5]]
    assert np.allclose(sigmoid.probabilities([-700.0])[0], math.exp(-700), rtol=1e-12, atol=0)
    assert np.allclose(soft.probabilities([-700.0])[0], math.exp(-700), rtol=1e-12, atol=0)


def test_translation_changes_no_softmax_probability() -> None:
    moved = SoftmaxClassifier(np.array(W) + [3, -5], np.array(B, float) + 7)
    x = np.random.default_rng(0).standard_normal((50, 2))
    assert np.allclose(moved.probabilities(x), SOFTMAX.probabilities(x), rtol=1e-12)
    assert moved.rankings() == SOFTMAX.rankings()


def test_label_sets() -> None:
    found = SIGMOID.label_sets()
    assert {tuple(s) for s in found.to_array().tolist()} == naive.chambers(W, B)
    assert {SIGMOID.active(s) for s in found} == {
        tuple(n for n, s in zip(NAMES, signs, strict=True) if s > 0)
        for signs in naive.chambers(W, B)
    }


def test_decision_regions_of_label_sets() -> None:
    occurring = naive.chambers(W, B)
    for size in range(5):
        for labels in combinations(range(4), size):
            region = SIGMOID.decision_region([NAMES[i] for i in labels])
            signs = tuple(1 if i in labels else -1 for i in range(4))
            assert region.verify() and region.feasible == (signs in occurring)
            if region.point is not None:
                assert naive.signs_at(W, B, region.point) == signs


@pytest.mark.parametrize("model", [SOFTMAX, SIGMOID], ids=repr)
def test_orders(model: Any) -> None:
    orders = naive.rankings(W, B)
    found = model.rankings()
    assert {tuple(order) for order in found.to_array().tolist()} == orders
    assert found.label_names == NAMES
    assert model.argmax_labels().tolist() == sorted({order[0] for order in orders})
    assert set(map(tuple, model.top_k_rankings(2).tolist())) == {order[:2] for order in orders}
    assert set(map(tuple, model.top_k_sets(2).tolist())) == {
        tuple(sorted(order[:2])) for order in orders
    }
    for top in [*{order[:2] for order in orders}, *orders]:
        region = model.order_region([NAMES[i] for i in top])
        assert region.verify() and naive.order_at(W, B, region.point)[: len(top)] == top
    possible = {order[:2] for order in orders}
    for pair in combinations(range(4), 2):
        assert model.order_region(pair).feasible == (pair in possible)


def test_decision_regions_of_labels() -> None:
    winners = {order[0] for order in naive.rankings(W, B)}
    for i, name in enumerate(NAMES):
        region = SOFTMAX.decision_region(name)
        assert region.verify() and region.feasible == (i in winners)
        assert region.arrangement.n_hyperplanes == 3


def test_ties() -> None:
    assert [t.labels for t in SOFTMAX.tie_sets(size=1)] == [
        (i,) for i in SOFTMAX.argmax_labels().tolist()
    ]
    tie = SOFTMAX.tie_set(["dog", "bird"])
    chances = SOFTMAX.probabilities([float(x) for x in tie.point])
    assert tie.labels == (1, 2) and np.isclose(chances[1], chances[2])
    assert chances.argmax() in tie.labels


def test_digits() -> None:
    trained = demo.digits()
    model = SoftmaxClassifier(trained.weights, trained.biases, trained.labels)
    assert len(model.argmax_labels()) == 10
    x = [float(v) for v in model.decision_region("7").point]
    assert model.names([int(model.probabilities(x).argmax())]) == ("7",)
    assert model.decision_region("7").verify()


def test_rows_that_are_equal() -> None:
    twice = SoftmaxClassifier([[1, 0], [1, 0], [0, 1]])
    assert twice.probabilities([0, 0]).sum() == pytest.approx(1)
    with pytest.raises(TiedLabelsError, match="labels 0 and 1"):
        twice.rankings()
    assert len(twice.rankings(ties="drop")) == 2
    assert len(SigmoidClassifier(twice.weights).label_sets()) == 4


def test_immutable() -> None:
    with pytest.raises(AttributeError, match="SoftmaxClassifier is immutable"):
        SOFTMAX.weights = np.eye(2)
    with pytest.raises(ValueError, match="read-only"):
        SOFTMAX.weights[0, 0] = 1
    rows = generators.generic(3, 2, 0).normals.copy()
    assert SoftmaxClassifier(rows).weights is not rows and rows.flags.writeable


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: SOFTMAX.scores([1, 2, 3]), r"x has shape \(3,\); expected \(..., 2\)"),
        (lambda: SOFTMAX.scores(1), r"x has shape \(\)"),
        (lambda: SOFTMAX.probabilities([np.nan, 0]), "not a finite"),
        (lambda: SoftmaxClassifier([[1e300]]).probabilities([1e300]), "not a finite"),
        (lambda: SoftmaxClassifier([[10**400], [1]]).probabilities([0]), "exceed the range"),
        (lambda: SOFTMAX.decision_region("cow"), "'cow' is not the name"),
        (lambda: SOFTMAX.decision_region(4), "there is no label 4:"),
        (lambda: SOFTMAX.order_region([]), "top is empty"),
        (lambda: SOFTMAX.order_region([0, "cat"]), "not distinct"),
        (lambda: SOFTMAX.order_region([1.5]), "neither a name nor a row"),
        (lambda: SIGMOID.decision_region("cat"), "on is 'cat'"),
        (lambda: SoftmaxClassifier([1, 2]), r"weights has shape \(2,\)"),
        (lambda: SoftmaxClassifier([[1], [2]], [1]), r"offsets has shape \(1,\)"),
    ],
)
def test_bad_input(ask: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask()


def test_names_that_occur_again_get_numbers() -> None:
    message = r"labels: 1 name occurs more than once, such as 'a'; the later ones .* 'a \(2\)'"
    with pytest.warns(UserWarning, match=message) as warned:
        model = SoftmaxClassifier([[1], [2], [3], [-1]], labels=["a", "b", "a", "a (2)"])
    assert model.labels == ("a", "b", "a (3)", "a (2)") and len(warned) == 1
    assert model.predict([1.0]) == "a (3)" and model.index("a (3)") == 2


@pytest.mark.parametrize("kind", [SoftmaxClassifier, SigmoidClassifier])
def test_models_of_files(tmp_path: Path, kind: Any) -> None:
    W, b, names = [[2.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], [0.0, 0.5, 0.25], ["cat", "dog", "cow"]
    model = kind(W, b, names)
    model.save(tmp_path / "m.npz")
    assert kind.from_file(tmp_path / "m.npz") == model
    layers = {"0.weight": np.eye(2), "0.bias": [1, 1], "2.weight": W, "2.bias": b}
    np.savez(tmp_path / "net.npz", **layers)
    assert kind.from_file(tmp_path / "net.npz", "2.w*") == kind(W, b)
    assert kind.from_file(tmp_path / "net.npz") == kind(W, b)  # the last of layers that fit
    np.savez(tmp_path / "two.npz", **{"a": np.eye(3), "b": W})
    with pytest.raises(InputError, match=r"not clear; choose a key"):
        kind.from_file(tmp_path / "two.npz")
    (tmp_path / "w.csv").write_text("name,x,y\ncat,2,0\ndog,0,1\ncat,-1,-1\n")
    with pytest.warns(UserWarning, match="w.csv: 1 name occurs more than once"):
        found = kind.from_file(tmp_path / "w.csv")
    assert found == kind([[2, 0], [0, 1], [-1, -1]], labels=["cat", "dog", "cat (2)"])
    with pytest.raises(InputError, match=r"expected numbers of shape \(n, d\)\. load_matrix reads"):
        kind(str(tmp_path / "m.npz"))


def test_an_arrangement_brings_offsets_and_labels() -> None:
    given = Arrangement([[1, 0], [0, 1]], [3, 4], labels=["cat", "dog"])
    model = SoftmaxClassifier(given)
    assert model.labels == ("cat", "dog") and model.offsets.tolist() == [3, 4]
    with pytest.raises(InputError, match="has its own"):
        SoftmaxClassifier(given, [1, 2])


@pytest.mark.parametrize("labels", [None, 0, "cat"])
def test_a_region_of_no_collection(labels: Any) -> None:
    with pytest.raises(InputError, match="expected a collection"):
        SigmoidClassifier([[1, 0], [0, 1]]).decision_region(labels)


def test_predictions_are_exact() -> None:
    rows = [[0.1, 0.2], [0.3, 0.0], [0.1 + 0.2, 0.0]]
    model = SoftmaxClassifier(rows, labels=[7, 3, 5])
    assert model.classes_.tolist() == [7, 3, 5] and model.classes_.dtype == np.int64
    assert model.predict([1, 0]) == 5  # 0.1 + 0.2 is larger than 0.3
    assert model.predict([0, 0]) == 7  # of all three the first
    assert model.predict([Fraction(1, 10**400), 0]) == 5
    assert model.predict(np.zeros((4, 5, 2))).shape == (4, 5)
    assert model.predict(np.zeros((0, 2))).shape == (0,)
    for order in SOFTMAX.rankings():
        x = SOFTMAX.order_region([int(i) for i in order]).point
        assert SOFTMAX.predict(x) == NAMES[order[0]]
    near = SigmoidClassifier([[1, 1], [1, 1.5]], [Fraction(-1, 10**30), 0])
    assert near.predict([[0.5, -0.5], [2.0**-110, 0], [1, 1]]).tolist() == [[0, 0], [0, 1], [1, 1]]
    assert near.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("labels", [None, NAMES, [5, "5.5", "x y", 2**70]])
@pytest.mark.parametrize("kind", [SoftmaxClassifier, SigmoidClassifier])
def test_models_are_saved_exactly(tmp_path: Path, kind: Any, labels: Any) -> None:
    for weights, offsets in ((W, B), (np.array(W) / 3, None), ([[10**30, 1]] * 4, [0, 1, 2, 3])):
        model = kind(weights, offsets, labels)
        model.save(tmp_path / "model.npz")
        found = kind.load(tmp_path / "model.npz")
        assert found == model and found.classes_.tolist() == model.classes_.tolist()
        assert found.weights.dtype == model.weights.dtype


def test_files_of_other_models(tmp_path: Path) -> None:
    SOFTMAX.save(tmp_path / "model.npz")
    with pytest.raises(InputError, match="SigmoidClassifier.save: it holds a SoftmaxClassifier"):
        SigmoidClassifier.load(tmp_path / "model.npz")
    SOFTMAX.rankings().save(tmp_path / "set.npz")
    with pytest.raises(InputError, match="SoftmaxClassifier.save: no member 'kind"):
        SoftmaxClassifier.load(tmp_path / "set.npz")
    with pytest.raises(InputError, match="does not end in .npz"):
        SOFTMAX.save(tmp_path / "model.pt")


def test_estimators_of_scikit_learn() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.multioutput import MultiOutputClassifier
    from sklearn.svm import LinearSVC

    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 3))
    three = np.array(["cat", "dog", "bird"])[(X @ rng.standard_normal((3, 3))).argmax(axis=1)]
    for estimator in (
        linear_model.LogisticRegression(),
        linear_model.SGDClassifier(random_state=0),
        linear_model.RidgeClassifier(fit_intercept=False),
        LinearSVC(fit_intercept=False),
        LinearDiscriminantAnalysis(),
        OneVsRestClassifier(LinearSVC()),
    ):
        for y in (three, three == "cat", np.where(three == "dog", 7, 5)):
            fitted = estimator.fit(X, y)
            model = SoftmaxClassifier.from_estimator(fitted)
            assert model.labels == as_labels(fitted.classes_, len(fitted.classes_))
            assert model.predict(X).astype(str).tolist() == fitted.predict(X).astype(str).tolist()
    on = np.column_stack([three == "cat", three == "dog", X[:, 0] > 0, X[:, 1] > 0]).astype(int)
    for several in (OneVsRestClassifier(LinearSVC()), MultiOutputClassifier(LinearSVC())):
        fitted = several.fit(X, on)
        assert (SigmoidClassifier.from_estimator(fitted).predict(X) == fitted.predict(X)).all()
    fitted = LinearSVC().fit(X, three == "cat")
    binary = SigmoidClassifier.from_estimator(fitted)
    assert binary.labels == ("True",)
    assert (binary.predict(X)[:, 0] == fitted.predict(X)).all()


def test_estimators_of_the_other_kind() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.multioutput import MultiOutputClassifier
    from sklearn.svm import LinearSVC

    X = np.random.default_rng(0).standard_normal((60, 2))
    on = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, X.sum(axis=1) > 0]).astype(int)
    one = np.where(on[:, 0], "cat", np.where(on[:, 1], "dog", "cow"))
    ridge = linear_model.RidgeClassifier()
    for several in (OneVsRestClassifier(LinearSVC()), MultiOutputClassifier(LinearSVC()), ridge):
        fitted = several.fit(X, on)
        assert (SigmoidClassifier.from_estimator(fitted).predict(X) == fitted.predict(X)).all()
        with pytest.raises(InputError, match=r"any number of labels; use SigmoidClassifier\.from"):
            SoftmaxClassifier.from_estimator(fitted)
    plain = (linear_model.LogisticRegression(), linear_model.SGDClassifier(random_state=0))
    for single in (*plain, LinearSVC(), ridge, OneVsRestClassifier(LinearSVC())):
        fitted = single.fit(X, one)
        assert (SoftmaxClassifier.from_estimator(fitted).predict(X) == fitted.predict(X)).all()
        with pytest.raises(InputError, match=r"one of 3 classes; use SoftmaxClassifier\.from"):
            SigmoidClassifier.from_estimator(fitted)


def test_features_of_estimators_have_names() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    import pandas as pd

    X = pd.DataFrame(np.random.default_rng(0).standard_normal((30, 2)), columns=["x", "y"])
    fitted = linear_model.LogisticRegression().fit(X, np.where(X["x"] > X["y"], "cat", "dog"))
    model = SoftmaxClassifier.from_estimator(fitted)
    assert (model.predict(X[["y", "x"]]) == fitted.predict(X)).all()
    with pytest.raises(InputError, match="'x', a label of the columns"):
        model.predict(X.rename(columns={"x": "z"}))


def test_modules_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    layer = torch.nn.Linear(4, 6)
    for kind in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
        head = layer.to(kind)
        model = SoftmaxClassifier.from_module(head, labels="abcdef")
        exact = head.weight.detach().to(torch.float64).numpy()
        assert model.weights.tolist() == exact.tolist()
        assert model.offsets is not None and model.labels == tuple("abcdef")
        assert SoftmaxClassifier(head.weight, head.bias).offsets.tolist() == model.offsets.tolist()
    embedding = torch.nn.Embedding(5, 3)
    assert SigmoidClassifier.from_module(embedding).offsets is None
    model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), layer, torch.nn.Sigmoid())
    assert SigmoidClassifier.from_module(model).weights.tolist() == exact.tolist()
    assert audit(model).facts["inputs"].startswith("the outputs of ReLU, which are >= 0")
    assert model[2].weight.requires_grad
    with pytest.raises(InputError, match="a TransformerDecoderLayer .*such as module.linear2"):
        SoftmaxClassifier.from_module(torch.nn.TransformerDecoderLayer(4, 1, 8))
    with pytest.raises(InputError, match="is a LazyLinear without a matrix `weight`"):
        SoftmaxClassifier.from_module(torch.nn.LazyLinear(3))


class OnlyDLPack:
    """What has numbers for other libraries, and no word of NumPy."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


def test_objects_with_dlpack() -> None:
    rows = np.array([[1.5, 2], [0, 3]], np.float32)
    model = SoftmaxClassifier(OnlyDLPack(rows), OnlyDLPack(rows[0]), ["a", "b"])
    assert model.weights.tolist() == rows.tolist() and model.offsets.tolist() == [1.5, 2]
    assert model.predict(OnlyDLPack(rows)).tolist() == ["b", "b"]
    with pytest.raises(InputError, match="OnlyDLPack cannot be read by DLPack"):
        SoftmaxClassifier(OnlyDLPack([1]))


def test_a_classifier_is_taken_wherever_a_matrix_is() -> None:
    model = SoftmaxClassifier([[1, 0], [0, 1], [1, 1]], [0, 1, 2], ["a", "b", "c"])
    W, b = model.weights, model.offsets
    assert Arrangement(model) == Arrangement(W, b, model.labels)
    assert chambers(model) == chambers(W, b) and rankings(model) == rankings(W, b)
    assert feasible(model, {"a": 1, "b": -1}).arrangement.labels == model.labels
    assert argmax_labels(model, named=True).tolist() == ["a", "b", "c"]
    assert same_softmax(model, W, offsets2=b).same and not same_softmax(model, W).same
    with pytest.raises(InputError, match="with a SoftmaxClassifier, which has its own"):
        same_softmax(model, W, b)
