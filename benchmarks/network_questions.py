"""Questions about outputs of networks beside HiGHS with a binary variable for each unit.

    python -m benchmarks.network_questions

A network 64-16-16-10 is trained on the digits of scikit-learn, with pixels from 0 to 1. Of a
hundred digits that it did not see, one line asks whether another class can win within a radius in
the max-norm; each answer is proved again in exact arithmetic. The mixed-integer programs (big-M,
with interval bounds) are those of `scipy.optimize.milp`; both must agree, but for ties within its
tolerance. Then robust radii and the largest margins are asked for with one process and with two
(``workers=2``), two networks are compared, and the breakpoints of a sine fitted by 1-64-64-1 found.
``--radius``, ``--digits``, ``--no-programs`` change that; ``--only`` asks one part. Times are those
of one processor, but with workers those of the clock: they need a quiet machine.
"""

import argparse
import time
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements import Polyhedron
from arrangements.networks import (
    Network,
    difference_network,
    differing_input,
    maximum,
    other_class,
    path,
    robust_radii,
    robust_radius,
)

Matrices = list[tuple[NDArray[Any], NDArray[Any]]]


def trained_digits() -> tuple[Matrices, NDArray[np.float64]]:
    """Weights, and digits that were not used."""
    from sklearn.datasets import load_digits
    from sklearn.neural_network import MLPClassifier

    X, y = load_digits(return_X_y=True)
    X = X / 16
    model = MLPClassifier((16, 16), random_state=0, max_iter=400, alpha=1e-3)
    model.fit(X[:1200], y[:1200])
    return _matrices(model), X[1200:]


def fitted_sine() -> Network:
    """A network 1-64-64-1 that fits a sine between -3 and 3."""
    from sklearn.neural_network import MLPRegressor

    x = np.linspace(-3, 3, 2000)[:, None]
    model = MLPRegressor(hidden_layer_sizes=(64, 64), random_state=0, max_iter=300).fit(
        x, np.sin(2 * x[:, 0])
    )
    return Network(_matrices(model))


def _matrices(model: Any) -> Matrices:
    return [(W.T.copy(), b) for W, b in zip(model.coefs_, model.intercepts_, strict=True)]


def class_by_program(
    layers: Matrices, x: NDArray[np.float64], radius: float, label: int, other: int
) -> float:
    """The largest margin of another class, by HiGHS with big-M."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    low, high = np.maximum(x - radius, 0), np.minimum(x + radius, 1)
    integral, rows, least, most = [0] * len(x), [], [], []
    lower, upper = [*low], [*high]
    below = list(range(len(x)))

    def row(entries: dict[int, float], a: float, b: float) -> None:
        rows.append(entries)
        least.append(a)
        most.append(b)

    for W, b in layers[:-1]:
        z_low = np.maximum(W, 0) @ low + np.minimum(W, 0) @ high + b
        z_high = np.maximum(W, 0) @ high + np.minimum(W, 0) @ low + b
        above = []
        for i in range(len(W)):
            a, on = len(lower), len(lower) + 1
            lower += [0, 0]
            upper += [max(z_high[i], 0), 1]
            integral += [0, 1]
            weights = dict(zip(below, W[i].tolist(), strict=True))
            minus = {k: -w for k, w in weights.items()}
            row({a: 1, **minus}, b[i], np.inf)
            row({a: 1, on: -min(z_low[i], 0), **minus}, -np.inf, b[i] - min(z_low[i], 0))
            row({a: 1, on: -max(z_high[i], 0)}, -np.inf, 0)
            above.append(a)
        below, low, high = above, np.maximum(z_low, 0), np.maximum(z_high, 0)
    W, b = layers[-1]
    cost = np.zeros(len(lower))
    cost[below] = W[label] - W[other]
    A = np.zeros((len(rows), len(lower)))
    for i, entries in enumerate(rows):
        A[i, list(entries)] = list(entries.values())
    found = milp(
        cost,
        constraints=LinearConstraint(A, least, most),
        integrality=integral,
        bounds=Bounds(lower, upper),
    )
    return float(-found.fun + b[other] - b[label])


def robustness(digits: int, radius: float, programs: bool) -> None:
    """Whether other classes win near digits."""
    layers, X = trained_digits()
    network, box = Network(layers), Polyhedron.box(0, 1, dimension=64)
    other_class(network, X[0], radius, within=box)  # loads SciPy
    mine = proved = theirs = 0.0
    robust = opened = wrong = 0
    for x in X[:digits]:
        start = time.process_time()
        found = other_class(network, x, Fraction(radius), within=box)
        mine += time.process_time() - start
        opened += found.opened
        robust += not found.feasible
        start = time.process_time()
        assert found.feasible is not None and found.verify()
        proved += time.process_time() - start
        if not programs:
            continue
        label = int(network.float_forward(x).argmax())
        start = time.process_time()
        others = [k for k in range(10) if k != label]
        margins = []
        for k in others:
            margins.append(class_by_program(layers, x, radius, label, k))
            if margins[-1] > 0:
                break
        theirs += time.process_time() - start
        wrong += (max(margins) >= 0) != found.feasible and abs(max(margins)) > 1e-6
    print(f"{digits} digits, radius {radius:g}: {robust} robust, {opened} cells opened")
    print(f"  answers {mine:.2f} s, proved again in {proved:.2f} s", end="")
    if programs:
        print(
            f"; HiGHS {theirs:.2f} s, {theirs / mine:.1f} times as long; {wrong} disagree", end=""
        )
    print(flush=True)
    assert not wrong
    start = time.process_time()
    radii = [
        robust_radius(network, x, within=box, time_limit=60) for x in X[: max(1, digits // 10)]
    ]
    seconds = (time.process_time() - start) / len(radii)
    exact = sum(r.value is not None for r in radii)
    print(f"robust radius: {exact} of {len(radii)} exact, {seconds:.2f} s each", flush=True)


def two_processes(digits: int, radius: float) -> None:
    """The same questions to one process and to two: the same answers, in which time."""
    layers, X = trained_digits()
    network, X = Network(layers), X[: max(4, digits // 5)]

    def margins(workers: int) -> list[Fraction]:
        found = []
        for x in X[:4]:
            order = network.float_forward(x).argsort()
            near = Polyhedron.box(np.maximum(x - 3 * radius, 0), np.minimum(x + 3 * radius, 1))
            best = maximum(
                network, int(order[-2]), minus=int(order[-1]), within=near, workers=workers
            )
            assert best.value == best.bound and best.verify()
            found.append(best.value)
        return found

    def radii(workers: int) -> list[Any]:
        box = Polyhedron.box(0, 1, dimension=64)
        return [found.value for found in robust_radii(network, X, within=box, workers=workers)]

    for name, ask in ((f"{len(X)} robust radii", radii), ("4 largest margins", margins)):
        times, answers = [], []
        for workers in 1, 2:
            start = time.perf_counter()
            answers.append(ask(workers))
            times.append(time.perf_counter() - start)
        assert answers[0] == answers[1]
        print(
            f"{name}: {times[0]:.2f} s, with workers=2 {times[1]:.2f} s, "
            f"{times[0] / times[1]:.2f} times as fast",
            flush=True,
        )


def two_networks() -> None:
    """A network and its rounded weights: how far outputs differ; the same with units exchanged."""
    rng = np.random.default_rng(0)
    sizes = ((2, 8), (8, 8), (8, 1))
    layers = [(rng.standard_normal((n, m)) / m**0.5, rng.standard_normal(n) / 4) for m, n in sizes]
    rounded = [(np.float64(np.float16(W)), np.float64(np.float16(b))) for W, b in layers]
    one, two = Network(layers), Network(rounded)
    box = Polyhedron.box(-1, 1, dimension=2)
    start = time.process_time()
    apart = differing_input(one, two, within=box)
    assert apart.feasible and apart.verify()
    close = differing_input(one, two, apart=Fraction(1, 100), within=box, time_limit=30)
    seconds = time.process_time() - start
    print(f"weights in float16: different, by more than 1/100: {close.feasible}; {seconds:.2f} s")
    start = time.process_time()
    most = maximum(difference_network(one, two), 0, within=box, time_limit=30)
    seconds = time.process_time() - start
    ends = float(most.value), float(most.bound)
    print(f"largest difference {ends[0]:.3g} to {ends[1]:.3g} in {seconds:.2f} s", flush=True)
    start = time.process_time()
    found = difference_network(one, two).regions(within=box)
    corners = {v for region in found for v in region.polyhedron.vertices}
    exact = max(one.forward(v)[0] - two.forward(v)[0] for v in corners)
    seconds = time.process_time() - start
    assert most.value <= exact <= most.bound
    print(f"exactly {float(exact):.3g}, by {len(found)} regions in {seconds:.2f} s", flush=True)


def sine() -> None:
    """All breakpoints of a fitted sine."""
    network = fitted_sine()
    path(network, [-3], [3])
    start = time.process_time()
    found = path(network, [-3], [3])
    seconds = time.process_time() - start
    print(f"sine by 1-64-64-1: {len(found.times) - 2} breakpoints, exact, in {seconds:.3f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description="Questions about outputs of networks.")
    parser.add_argument("--digits", type=int, default=100)
    parser.add_argument("--radius", type=float, default=0.05)
    parser.add_argument("--no-programs", action="store_true")
    parser.add_argument("--only", choices=("robustness", "workers", "networks", "sine"))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # of training that might go on
    digits, radius = arguments.digits, arguments.radius
    parts = {
        "robustness": lambda: robustness(digits, radius, not arguments.no_programs),
        "workers": lambda: two_processes(digits, radius),
        "networks": two_networks,
        "sine": sine,
    }
    for name, part in parts.items():
        if arguments.only in (None, name):
            part()


if __name__ == "__main__":
    main()
