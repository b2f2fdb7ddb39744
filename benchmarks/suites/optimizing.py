"""Optimal chambers, depths and quadratic forms, beside software that answers the same questions.

A reference that would take hours answers a part, and its time is scaled up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements import best_chamber, count_chambers, fold_chambers
from arrangements.optimize import binary_quadratic, halfspace_depth, simplicial_depth
from benchmarks.suites.cases import Case
from benchmarks.suites.matrices import classes
from benchmarks.suites.methods import WrongAnswerError
from benchmarks.suites.promises import (
    Action,
    Limit,
    Trial,
    limit_of_seconds,
    time_answer,
)

Floats = NDArray[np.float64]

# Seconds for a mixed-integer program, and for the part of another reference that is scaled up.
_PROGRAM_SECONDS, _PART_SECONDS = 60.0, 3.0
# Least sums of weights of errors that others published.
_PUBLISHED = {"haberman": 66}


# ------------------------------------------------------------------ fewest errors


@contextmanager
def _errors(case: Case, workers: int) -> Iterator[Trial]:
    """The fewest errors of a hyperplane, proved."""
    costs = classes(case.family, case.W)
    least: list[float] = []

    def is_least(found: Any) -> bool:
        least[:] = [float(found.value)]
        known = _PUBLISHED.get(case.family, found.value)
        return not found.gap and found.verify() and found.value == known

    fewest = partial(best_chamber, case.W, costs, workers=workers)
    references: dict[str, Action] = {
        "HiGHS, big M": partial(_program_seconds, case, costs, least),
        "all hyperplanes through points": partial(_through_points, case, costs, least),
    }
    own = partial(time_answer, fewest, is_least, f"{case.name}, errors")
    yield Trial(own, references, limit_of_seconds(case), inverse=True)


def _errors_of(W: Floats, costs: NDArray[Any], normal: Floats) -> float:
    """What the sides of a hyperplane cost."""
    return float(np.where(W @ normal > 0, costs[1], costs[0]).sum())


def _program_seconds(case: Case, costs: NDArray[Any], least: list[float]) -> float:
    """Seconds of a mixed-integer program, at most `_PROGRAM_SECONDS`; its plane is not better."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # loads slowly

    W = np.asarray(case.W, np.float64)
    n, d = W.shape
    Z = W / np.abs(W).max(axis=0)
    # an error at a row costs what its other sign saves
    sides, weights = np.where(costs[1] < costs[0], 1.0, -1.0), np.abs(costs[1] - costs[0])
    ends = np.append(np.full(d, 100.0), np.ones(n))
    rows = np.hstack([sides[:, None] * Z, 1000.0 * np.eye(n)])
    began = time.perf_counter()
    found = milp(
        np.append(np.zeros(d), weights.astype(float)),
        constraints=LinearConstraint(rows, 1, np.inf),
        integrality=np.append(np.zeros(d), np.ones(n)),
        bounds=Bounds(np.append(-ends[:d], np.zeros(n)), ends),
        options={"time_limit": _PROGRAM_SECONDS},
    )
    taken = time.perf_counter() - began
    if found.x is not None and _errors_of(Z, costs, found.x[:d]) < least[0]:
        raise WrongAnswerError(f"{case.name}: HiGHS found a better hyperplane.")
    return taken


def _through_points(case: Case, costs: NDArray[Any], least: list[float]) -> float:
    """Seconds for the errors of all hyperplanes through d - 1 points, scaled up from some.

    This is what exact programs for the 0-1 loss do that assume general position.
    """
    W = np.asarray(case.W, np.float64)
    n, d = W.shape
    number = comb(n, d - 1)
    rng, gains = np.random.default_rng(0), (costs[1] - costs[0]).astype(np.float64)
    fixed = float(costs[0].sum())
    began, seen = time.perf_counter(), 0
    while seen < number and time.perf_counter() - began < _PART_SECONDS:
        chosen = np.array([rng.choice(n, d - 1, replace=False) for _ in range(64)])
        normals = np.array([np.linalg.svd(W[rows])[2][-1] for rows in chosen])
        on = W @ normals.T > 0
        np.put_along_axis(on, chosen.T, False, axis=0)
        # the points of the hyperplane themselves may have any signs
        bonus = np.minimum(gains[chosen], 0).sum(axis=1)
        for side in (on, ~on):
            np.put_along_axis(side, chosen.T, False, axis=0)
            if (gains @ side + bonus).min() + fixed < least[0] - 1e-6:
                raise WrongAnswerError(f"{case.name}: a hyperplane through points is better.")
        seen += len(chosen)
    return (time.perf_counter() - began) * max(1.0, number / seen)


# ------------------------------------------------------------------ a sweep, depth, forms


@contextmanager
def _swept(case: Case, workers: int) -> Iterator[Trial]:
    """A sweep for the best chamber, against one that only counts."""
    costs = np.random.default_rng(7).integers(-9, 10, case.n)

    best = partial(best_chamber, case.W, costs, method="sweep", workers=workers)
    count = partial(count_chambers, case.W, method="sweep", workers=workers)
    own = partial(time_answer, best, lambda found: found.verify(), f"{case.name}, sweep")
    counting = partial(
        time_answer, count, lambda number: number == case.known, f"{case.name}, count"
    )
    yield Trial(own, {"count_chambers": counting}, Limit(1.2))


@contextmanager
def _depths(case: Case, workers: int) -> Iterator[Trial]:
    """The depths of all points of a cloud in it."""
    limit = Limit(10.0, "ratio", least=True) if (case.n, case.d) == (1000, 3) else None
    name, ask = "all planes through points", _by_planes
    if find_spec("depth"):
        name, ask = "data-depth", _by_data_depth
    yield _all_depths(case, case.W, halfspace_depth, name, ask, limit, workers)


@contextmanager
def _simplices(case: Case, workers: int) -> Iterator[Trial]:
    """How many simplices of a cloud contain each of some points near its middle.

    Programs with floats miscount where a point is a corner.
    """
    name, ask = ("data-depth", _by_simplicial) if find_spec("depth") else ("each one", _by_all)
    yield _all_depths(case, case.W / 2, simplicial_depth, name, ask, None, workers)


def _all_depths(
    case: Case,
    points: Floats,
    depth: Callable[..., NDArray[np.int64]],
    name: str,
    ask: Callable[[Floats, int], int],
    limit: Limit | None,
    workers: int,
) -> Trial:
    """A kind of depth of points, beside a program that is asked for one after the other."""
    found: list[NDArray[np.int64]] = []

    def own() -> float:
        began = time.perf_counter()
        found[:] = [depth(points, case.W, workers=workers)]
        return time.perf_counter() - began

    return Trial(own, {name: partial(_depth_seconds, case, found, ask)}, limit, inverse=True)


def _depth_seconds(
    case: Case, found: list[NDArray[np.int64]], ask: Callable[[Floats, int], int]
) -> float:
    """Seconds for all depths, from those of some points; they are the same."""
    began, done = time.perf_counter(), 0
    while done < case.n and time.perf_counter() - began < _PART_SECONDS:
        if ask(case.W, done) != found[0][done]:
            raise WrongAnswerError(f"{case.name}: the depth of point {done} differs.")
        done += 1
    return (time.perf_counter() - began) * case.n / done


def _by_data_depth(X: Floats, i: int) -> int:
    from depth.model.multivariate import halfspace  # an extra

    return round(float(halfspace(X[i : i + 1], X, exact=True)[0]) * len(X))


def _by_planes(X: Floats, i: int) -> int:
    """The depth of a point among others in general position: planes through it and d - 1 more."""
    others = np.delete(X, i, axis=0) - X[i]
    n, d = others.shape
    least = n
    for first in combinations(range(n), d - 2):  # in the plane (), in space one other
        basis = np.linalg.qr(others[list(first)].T, mode="complete")[0][:, d - 2 :]
        flat = others @ basis
        turned = np.delete(flat, list(first), axis=0)
        cross = turned[:, :1] * flat[:, 1] - turned[:, 1:] * flat[:, 0]
        on = np.abs(cross) < 1e-12
        above, below = ((cross > 0) & ~on).sum(axis=1), ((cross < 0) & ~on).sum(axis=1)
        least = min(least, int(above.min()), int(below.min()))
    return least + 1


def _by_simplicial(X: Floats, i: int) -> int:
    from depth.model.multivariate import simplicial  # an extra

    share = float(np.ravel(simplicial(X[i : i + 1] / 2, X, exact=True))[0])
    return round(share * comb(len(X), X.shape[1] + 1))


def _by_all(X: Floats, i: int) -> int:
    """The simplices around a point, by systems of linear equations."""
    n, d = X.shape
    corners = (X - X[i] / 2)[np.array(list(combinations(range(n), d + 1)))]
    system = np.concatenate([corners.transpose(0, 2, 1), np.ones((len(corners), 1, d + 1))], axis=1)
    right = np.append(np.zeros(d), 1.0)[:, None]
    weights = np.linalg.solve(system, np.broadcast_to(right, (len(corners), d + 1, 1)))
    return int((weights > 0).all(axis=(1, 2)).sum())


@contextmanager
def _quadratic(case: Case, workers: int) -> Iterator[Trial]:
    """The largest value of a convex quadratic form over vectors of signs."""
    best: list[Any] = []

    def is_proved(found: Any) -> bool:
        best[:] = [float(found.value)]
        return bool(found.certificate.verify())

    def largest(block: Any) -> float:
        sums = block.to_array().astype(np.float64) @ case.W
        return float((sums * sums).sum(axis=1).max())

    own = partial(
        time_answer, partial(binary_quadratic, case.W, workers=workers), is_proved, case.name
    )
    folding = partial(
        time_answer,
        partial(fold_chambers, case.W, largest, np.maximum, workers=workers),
        lambda found: abs(float(found) - best[0]) <= 1e-9 * float(found),
        f"{case.name}, fold",
    )
    yield Trial(own, {"fold_chambers, NumPy": folding}, limit_of_seconds(case), inverse=True)


TRIALS: Mapping[str, Callable[[Case, int], Any]] = {
    "errors": _errors,
    "best by sweep": _swept,
    "depths": _depths,
    "simplices": _simplices,
    "quadratic": _quadratic,
}
