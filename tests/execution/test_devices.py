"""Products elsewhere: the probe refuses reduced precision; answers do not depend on rounding."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arrangements import argmax_labels, can_be_top
from arrangements.errors import InputError, MissingDependencyError
from arrangements.execution import devices
from arrangements.execution.devices import Device
from arrangements.feasibility.batch import FeasibilityBatch
from arrangements.feasibility.judging import judge
from arrangements.feasibility.score_rows import ScoreRows


def truncated(values: np.ndarray, bits: int = 24) -> np.ndarray:
    """float64 cut to so many digits."""
    mantissas, exponents = np.frexp(values)
    return np.ldexp(np.trunc(np.ldexp(mantissas, bits)), exponents - bits)


def worst_allowed(points: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Each product and each sum is truncated, one after another."""
    total = np.zeros((len(points), columns.shape[1]))
    for k in range(points.shape[1]):
        term = points[:, k, None].astype(float) * columns[k].astype(float)
        total = truncated(total + truncated(term))
    return total.astype(np.float32)


def rounded_factors(points: np.ndarray, columns: np.ndarray) -> np.ndarray:
    return (truncated(points.astype(float), 11) @ truncated(columns.astype(float), 11)).astype("f")


def one_factor(points: np.ndarray, columns: np.ndarray) -> np.ndarray:
    return (points @ truncated(columns.astype(float), 23)).astype("f")


def short_sums(points: np.ndarray, columns: np.ndarray) -> np.ndarray:
    return truncated(points.astype(float) @ columns, 22).astype("f")


def strassen(points: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """One step, where both numbers of rows and that of columns are even."""
    if points.shape[0] % 2 or points.shape[1] % 2 or columns.shape[1] % 2:
        return points @ columns
    (a, b), (c, d) = (np.split(half, 2, 1) for half in np.split(points, 2))
    (e, f), (g, h) = (np.split(half, 2, 1) for half in np.split(columns, 2))
    p, q, r, s = a @ (f - h), (a + b) @ h, (c + d) @ e, d @ (g - e)
    t, u, v = (a + d) @ (e + h), (b - d) @ (g + h), (a - c) @ (e + f)
    return np.block([[t + s - q + u, p + q], [r + s, p + t - r - v]])


def namespace(matmul: Any) -> Any:
    used = ("asarray", "where", "argmax", "arange", "reshape", "float32")
    return SimpleNamespace(
        matmul=matmul, __name__="mock", **{name: getattr(np, name) for name in used}
    )


@pytest.mark.sampled(2)
@pytest.mark.parametrize("dimension", [1, 2, 12, 96])
def test_the_probe_lets_the_worst_allowed_pass(dimension: int) -> None:
    Device(namespace(worst_allowed)).check(dimension)
    Device(np).check(dimension)


@pytest.mark.parametrize("matmul", [rounded_factors, one_factor, short_sums, strassen])
@pytest.mark.parametrize("dimension", [2, 12, 96])
def test_the_probe_refuses_less(matmul: Any, dimension: int) -> None:
    with pytest.raises(InputError, match="device 'mock' are not those of float32"):
        Device(namespace(matmul)).check(dimension)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("kind", ["orders", "sets", "signs"])
def test_judgements_are_those_of_here(kind: Any, affine: bool) -> None:
    rng = np.random.default_rng(7)
    W, b = rng.normal(size=(60, 8)), rng.normal(size=60) if affine else None
    W[1::2] = W[::2] * (1 + 2.0 ** -rng.integers(15, 40, size=(30, 1)))
    points = np.repeat(W, 2, axis=0)
    chosen = rng.permutation(120)
    if kind == "signs":
        signs = np.sign(W @ W.T + (0 if b is None else b)).astype(np.int8)
        signs[::3] *= rng.choice([0, 1, 1, -1], size=signs[::3].shape)
        asked = np.repeat(signs, 2, axis=0)
    else:
        asked = np.argsort(-(points @ W.T + (0 if b is None else b)))[:, : 1 + (kind == "sets")]

    def judged(device: Device | None) -> list[Any]:
        rows = ScoreRows(W, b, compared=kind != "signs", device=device)
        if kind == "signs":
            batch = FeasibilityBatch.of_signs(rows, asked)
        else:
            batch = FeasibilityBatch.of_array(rows, kind, asked)
        proved, worst = judge(batch, chosen, points[chosen].astype(np.float32))
        assert 10 < proved.sum() < 120 or kind != "signs"
        return [proved.tolist(), worst[~proved].tolist()]

    for xp in (np, namespace(worst_allowed)):
        assert judged(Device(xp))[0] == judged(None)[0]
    assert judged(Device(np)) == judged(None)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("bias", [None, 0.3])
def test_answers_do_not_depend_on_the_device(
    bias: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(8)
    W = rng.normal(size=(200, 10)) * np.where(rng.random(200) < 0.4, 0.3, 1)[:, None]
    b = None if bias is None else bias * rng.normal(size=200)
    expected = can_be_top(W, offsets=b)
    assert 20 < expected.feasible.sum() < 190
    mock = namespace(worst_allowed)
    monkeypatch.setattr(devices, "_device", Device)
    found = can_be_top(W, offsets=b, device=mock)
    assert found.feasible.tolist() == expected.feasible.tolist() and found.verify()
    with pytest.raises(InputError, match="not those of float32"):
        can_be_top(W, offsets=b, device=namespace(rounded_factors))


def test_a_device_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(9)
    W = rng.normal(size=(300, 12)) * np.where(rng.random(300) < 0.4, 0.3, 1)[:, None]
    allowed = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        found = can_be_top(W, device="cpu")
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(allowed)
    assert found.feasible.tolist() == can_be_top(W).feasible.tolist()
    assert found[:20].verify()
    assert argmax_labels(W, device="cpu").tolist() == np.flatnonzero(found.feasible).tolist()
    for place in ("nowhere", "", "cuda:99", "meta", "meta:1"):
        with pytest.raises(InputError, match=f"PyTorch cannot use device='{place}'"):
            can_be_top(W, device=place)


def test_what_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="device is 5; expected a device of PyTorch"):
        can_be_top([[1], [2]], device=5)
    with pytest.raises(InputError, match="device and within were given"):
        argmax_labels([[1], [2]], device=np, within=([[1]], [1]))
    with pytest.raises(InputError, match="device and within were given"):
        can_be_top([[1], [2]], device="cpu", within=([[1]], [1]))
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    devices._device.cache_clear()
    with pytest.raises(MissingDependencyError, match="Install torch"):
        can_be_top([[1], [2]], device="cpu")


def test_switches_of_pytorch_are_restored() -> None:
    torch = pytest.importorskip("torch", minversion="2.9")
    place, W = torch.backends.cuda.matmul, np.random.default_rng(9).normal(size=(300, 12))
    allowed = place.fp32_precision
    try:
        place.fp32_precision = "tf32"  # now PyTorch refuses questions about its older switch
        assert can_be_top(W, device="cpu").decided.all()
        assert place.fp32_precision == "tf32"
    finally:
        place.fp32_precision = allowed


def test_regressions_are_computed_there() -> None:
    W = np.random.default_rng(3).normal(size=(300, 12))
    factors: list[Any] = []

    def multiply(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        factors.append(left.dtype)
        return np.matmul(left, right)

    rows = ScoreRows(W, compared=True, device=Device(namespace(multiply)))
    here, there = ScoreRows(W, compared=True).regression(True), rows.regression(True)
    assert here is not None and there is not None and factors == [np.dtype(float)]
    assert np.array_equal(here.solve(W), there.solve(W)) and len(factors) == 2
