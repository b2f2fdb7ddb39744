"""Column transformers and feature unions of scikit-learn: exact where their parts are linear."""

from typing import Any

import numpy as np
import pytest

from arrangements.core.rows import read_rows
from arrangements.errors import InputError

pytest.importorskip("sklearn")
from sklearn import decomposition, feature_selection, preprocessing
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, make_pipeline, make_union
from test_estimators import LOGISTIC, THREE, X, close

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SCALER, PCA = preprocessing.StandardScaler(), decomposition.PCA(2)
UNIONS = [
    ColumnTransformer([("scaled", SCALER, [2, 0]), ("rest", "passthrough", [1])]),
    ColumnTransformer([("pca", PCA, slice(0, 3)), ("none", "drop", [3])], remainder="passthrough"),
    ColumnTransformer(
        [("a", SCALER, [True, False, True, False]), ("b", make_pipeline(SCALER, PCA), [0, 1, 2])],
        transformer_weights={"a": 0.3},
    ),
    ColumnTransformer([("none", SCALER, [])], remainder=preprocessing.MinMaxScaler()),
    FeatureUnion([("scaled", SCALER), ("pca", PCA)], transformer_weights={"pca": 3}),
    FeatureUnion([("none", "drop"), ("same", "passthrough"), ("best", make_pipeline(SCALER, PCA))]),
    make_union(
        feature_selection.SelectKBest(k=2),
        ColumnTransformer([("a", SCALER, [1]), ("b", PCA, [0, 1, 3])]),
    ),
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("union", UNIONS, ids=range(len(UNIONS)))
def test_unions_are_composed(union: Any) -> None:
    for steps in ([union], [union, decomposition.PCA(2)], [preprocessing.MinMaxScaler(), union]):
        fitted = make_pipeline(*steps, LogisticRegression()).fit(X, THREE)
        close(fitted, fitted.decision_function(X))
        assert read_rows(fitted).weights.shape == (3, 4)


def test_columns_by_name() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    union = ColumnTransformer([("x", SCALER, ["d", "b"])], remainder="passthrough")
    fitted = make_pipeline(union, LOGISTIC).fit(frame, THREE)
    rows = read_rows(fitted)
    assert rows.columns == ("a", "b", "c", "d")
    exact = np.asarray(rows.weights, float) @ X.T + np.asarray(rows.offsets, float)[:, None]
    assert np.allclose(exact.T, fitted.decision_function(frame))


@pytest.mark.parametrize(
    ("union", "reason"),
    [
        (
            ColumnTransformer([("cat", preprocessing.OneHotEncoder(), [0])]),
            r"step 'columntransformer' \(ColumnTransformer\) has the part 'cat' \(OneHotEncoder\), "
            "which is not a linear map",
        ),
        (make_union(preprocessing.PolynomialFeatures()), "'polynomialfeatures'.*not a linear map"),
        (make_union(preprocessing.Normalizer()), "which divides inputs by their norms"),
        (make_union(make_pipeline(preprocessing.Normalizer(), PCA)), "which divides inputs by"),
        (make_union(preprocessing.MinMaxScaler(clip=True)), "which clips"),
        (make_union(preprocessing.FunctionTransformer(np.log1p)), "does not say how many features"),
    ],
)
def test_parts_that_are_not_linear_are_named(union: Any, reason: str) -> None:
    fitted = make_pipeline(union, LOGISTIC).fit(X, THREE)
    with pytest.raises(InputError, match=rf"{reason}.*; pass \w+\[1:\]"):
        read_rows(fitted)
    assert read_rows(fitted[1:]).weights.shape[0] == 3
