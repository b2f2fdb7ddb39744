"""Time of a region of a network in a box, listed and counted, beside its aim and `relucent`.

    python -m benchmarks.networks

Regions have pattern, point and map of the outputs. Weights are those of He, offsets normal with
standard deviation 0.1; the box is ``-1 <= x <= 1``. Times are those of one processor. Counts and
lists must agree, those of one layer with the chambers of an arrangement, and random inputs must lie
in listed regions. ``--only WORD`` takes some cases.
"""

import argparse
import os
import resource
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from itertools import product
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements import Polyhedron, count_chambers
from arrangements.networks import Network, iter_regions
from arrangements.search.network_path import Polytope
from arrangements.search.network_sweep import NetworkSweep
from arrangements.search.network_tables import SweepLayer

_BLOCK, _INPUTS, _FAR = 4096, 200, 2**20
# Repetitions of what takes milliseconds.
_TIMES = 20
Matrices = list[tuple[NDArray[Any], NDArray[Any]]]


class Case(NamedTuple):
    """Widths, kind of the weights, and microseconds that a region may take."""

    widths: tuple[int, ...]
    kind: str
    aim: float

    @property
    def name(self) -> str:
        return f"{'-'.join(map(str, self.widths))} {self.kind}"


def cases() -> Iterator[Case]:
    aims = {
        (2, 64): 4.0,
        (2, 64, 64, 64): 4.0,
        (3, 64, 64): 4.0,
        (4, 32, 32): 5.0,
        (5, 16, 16): 8.0,
        (6, 12, 12): 25.0,
    }
    for widths, aim in aims.items():
        yield Case(widths, "normal", aim)
        for kind in ("integer", "ternary", "no offsets"):
            yield Case(widths, kind, 6 * aim)
    yield Case((2, 500, 500), "normal", 12.0)


def matrices(case: Case, seed: int = 0) -> Matrices:
    """Weights and offsets of the layers, one output last."""
    rng = np.random.default_rng(seed)
    found: Matrices = []
    for k, n in zip(case.widths, (*case.widths[1:], 1), strict=True):
        W: NDArray[Any] = np.sqrt(2 / k) * rng.standard_normal((n, k))
        b: NDArray[Any] = 0.1 * rng.standard_normal(n)
        if case.kind == "integer":
            W, b = rng.integers(-3, 4, (n, k)), rng.integers(-2, 3, n)
        if case.kind == "ternary":
            W, b = rng.integers(-1, 2, (n, k)), rng.integers(-1, 2, n)
        found.append((W, np.zeros(n) if case.kind == "no offsets" else b))
    return found


def sweep_of(layers: Matrices, radius: int) -> NetworkSweep:
    """The search in the box of that radius."""
    network = Network(layers)
    d = network.dimension
    rows = [
        SweepLayer(*layer.integer_rows, (k - 1,), [0] * layer.n_units or None)
        for k, layer in enumerate(network.layers)
    ]
    facets = [[s * int(i == j) for j in range(d)] + [radius] for i in range(d) for s in (1, -1)]
    corners = list(product((Fraction(-radius), Fraction(radius)), repeat=d))
    return NetworkSweep(rows, Polytope(corners, facets))


def check(layers: Matrices, sweep: NetworkSweep, number: int) -> None:
    """Compare with chambers, for one layer, and with the patterns of random inputs."""
    W, b = layers[0]
    d = W.shape[1]
    if len(layers) == 2:
        used = W.any(axis=1) | (b != 0)  # others have the sign 0 everywhere
        wanted = count_chambers(W[used], b[used], within=Polyhedron.box(-1, 1, dimension=d))
        assert number == wanted, (number, wanted)
    network = Network(layers)
    inputs = np.random.default_rng(1).uniform(-1, 1, (_INPUTS, d))
    left = {network.pattern_at(x).tobytes() for x in inputs}
    for block in sweep.blocks(_BLOCK):
        left.difference_update(row.tobytes() for row in block.patterns)
    assert all(0 in np.frombuffer(row, np.int8) for row in left)


def run(case: Case) -> None:
    layers = matrices(case)
    sweep = sweep_of(layers, 1)
    sum(sweep.counts())  # compiles
    start = time.process_time()
    number = sum(sweep.counts())
    counted = time.process_time() - start
    start = time.process_time()
    listed = sum(len(block.patterns) for block in sweep.blocks(_BLOCK, outputs=True))
    listing = time.process_time() - start
    assert number == listed
    check(layers, sweep, number)
    us = [1e6 * seconds / number for seconds in (listing, counted)]
    print(
        f"{case.name:24} {number:9,} regions  listed {us[0]:6.2f} us (aim {case.aim:g})  "
        f"counted {us[1]:6.2f} us  exact signs {sweep.exact_signs / number:.2f}",
        flush=True,
    )


def run_relucent() -> None:
    """The same networks in all of the space, by another package if that is installed."""
    try:
        import relucent
        import torch
    except ImportError:
        print("relucent is not installed")
        return
    for widths in ((2, 10, 5), (2, 20, 20), (3, 16, 16)):
        layers = matrices(Case(widths, "normal", 0))
        modules: list[Any] = []
        for W, b in layers:
            linear = torch.nn.Linear(W.shape[1], W.shape[0], dtype=torch.float64)
            linear.weight.data, linear.bias.data = torch.tensor(W), torch.tensor(b)
            modules += [linear, torch.nn.ReLU()]
        list(sweep_of(layers, _FAR).blocks(_BLOCK, outputs=True))  # compiles
        start = _processor_time()
        for _ in range(_TIMES):
            sweep = sweep_of(layers, _FAR)
            number = sum(len(block.patterns) for block in sweep.blocks(_BLOCK, outputs=True))
        ours = (_processor_time() - start) / _TIMES
        start = _processor_time()
        complex = relucent.Complex(relucent.convert(torch.nn.Sequential(*modules[:-1])))
        complex.bfs(nworkers=1)
        theirs = _processor_time() - start
        each = [1e6 * seconds / number for seconds in (ours, theirs)]
        print(
            f"relucent {'-'.join(map(str, widths)):10} {len(complex):,} regions, "
            f"{each[1]:,.0f} us each; here {number:,}, {each[0]:.1f} us; "
            f"{theirs / ours:,.0f} times as long",
            flush=True,
        )


def _processor_time() -> float:
    """Seconds of processors in this process and in those that it began and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _peak() -> float:
    """The most memory that this process held so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _stream(case: Case) -> tuple[int, float, float, float]:
    """Regions of a stream, its seconds, and MB after a first small one and at the end."""
    box = Polyhedron.box(-1, 1, dimension=case.widths[0])
    small = case._replace(widths=(case.widths[0], 16, 16))
    sum(map(len, iter_regions(Network(matrices(small)), within=box)))
    before, start = _peak(), time.process_time()
    number = sum(map(len, iter_regions(Network(matrices(case)), within=box)))
    return number, time.process_time() - start, before, _peak()


def run_stream(case: Case) -> None:
    """Time and memory of `iter_regions`."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        number, seconds, before, after = pool.submit(_stream, case).result()
    print(
        f"stream {case.name:17} {number:9,} regions  {1e6 * seconds / number:6.2f} us, "
        f"{after - before:.0f} MB more than the {before:.0f} MB of a stream of few"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a part of the names of cases")
    chosen = parser.parse_args().only
    for case in cases():
        if chosen in case.name:
            run(case)
    if chosen in "stream":
        run_stream(Case((3, 220, 220), "normal", 0.0))
    if chosen in "relucent":
        run_relucent()
