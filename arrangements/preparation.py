"""Compile all kernels ahead: small questions of every kind, each kind in a process of its own.

Numba compiles a kernel in the process that first needs it, one after the other. Kinds whose kernels
differ are compiled side by side, on all cores, and later processes find the code in the cache. What
kernels have in common is prepared once in each process.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import active_children, get_context
from pathlib import Path
from time import perf_counter

import numpy as np

import arrangements as ar
from arrangements import generators


def _chambers() -> None:
    W = generators.generic(20, 4, 0)
    ar.chambers(W)
    ar.count_chambers(W, method="sweep")
    ar.chambers(generators.resonance(4))  # coincidences, decided exactly
    ar.chambers(generators.generic(300, 3, 0))  # long lines
    ar.chambers(generators.generic(30, 8, 0), limit=1)  # lines of few rows
    ar.rankings(np.array([[0, 0], [2, 0], [0, 2], [2, 2]]), method="pairs")


def _rankings() -> None:
    rng = np.random.default_rng(0)
    ar.rankings(rng.standard_normal((8, 3)))
    ar.rankings(np.array([[0, 0], [2, 0], [0, 2], [2, 2], [1, 1]]))  # coincidences, decided exactly
    ar.rankings(rng.standard_normal((50, 3)))  # long lines
    for n in (20, 40):  # vectors of other lengths
        ar.rankings(rng.standard_normal((n, 2)))
    ar.fold_rankings(rng.standard_normal((6, 3)), "places")


def _sums() -> None:
    from arrangements.runs.sources import ChamberSource  # loads numba
    from arrangements.runs.sweeping import RowOrder  # loads numba

    few, many = generators.generic(20, 3, 0), generators.generic(70, 3, 0)
    for W in (few, many):
        for step in ("positives", "on", "pairs"):
            ar.fold_chambers(W, step)
    ar.fold_chambers(ar.Arrangement(few.normals, np.ones(20)), "on")
    for W in (few, many):  # parts of runs
        source = ChamberSource(ar.Arrangement.coerce(W))
        RowOrder(source, 1).sorted(np.zeros((1, source.words), np.uint64))
    ar.best_chamber(few, np.arange(20) % 3)
    ar.best_chamber(generators.resonance(4), np.arange(15) % 3 - 1)
    ar.best_chamber(generators.generic(300, 3, 0), np.arange(300) % 3)


def _questions() -> None:
    W = generators.generic(9, 3, 0).normals
    for signs in ar.chambers(W).to_array()[:2]:
        ar.feasible(W, signs)
    ar.feasible(W, np.ones(9, int))
    ar.feasible_many(W, np.random.default_rng(0).choice([-1, 1], (400, 9)))  # in bulk
    ar.can_be_top(W, [[0, 1], [2, 3]])
    ar.argmax_labels(W)
    ar.top_k_sets(W, 2)
    ar.top_k_rankings(W, 2)
    ar.chambers(W).witnesses()
    ar.optimize.halfspace_depth(W[:2] / 9, W)


def _searches() -> None:
    W = generators.generic(9, 3, 0)
    for method in ("incremental", "reverse_search"):
        ar.chambers(W, method=method)
    ar.chambers(W, within=(np.eye(3), np.ones(3)))
    box = ar.Polyhedron.box(-1, 1, dimension=3)  # that some do not cross
    ar.chambers(W.normals, np.where(np.arange(9) % 2, 0, 99), within=box)
    ar.count_chambers(W.normals, np.arange(9), within=box)
    ar.rankings(W.normals[:6], method="incremental")


def _counting() -> None:
    ar.count_chambers(generators.generic(9, 3, 0))
    ar.betti_numbers(generators.resonance(7), workers=2)
    ar.algebra.whitney_numbers(generators.resonance(4))


def _structure() -> None:
    W = generators.generic(8, 3, 0)
    ar.flats(W)
    ar.f_vector(W)
    ar.structure.covectors(W)
    ar.structure.chamber_edges(W)
    ar.structure.walls(W, ar.chambers(W)[0])
    ar.structure.chamber_graph(W)
    ar.structure.simplicial_chambers(W)


def _networks() -> None:
    rng, box = np.random.default_rng(0), ar.Polyhedron.box(-1, 1, dimension=2)
    layers = [(rng.standard_normal((n, k)), rng.standard_normal(n)) for n, k in ((6, 2), (1, 6))]
    ar.networks.regions(ar.networks.Network(layers), within=box)
    ar.networks.count_regions(ar.networks.Network(layers), within=box)
    W = rng.integers(-1, 2, (6, 2)) * (2**60 + 1)  # coincidences, decided exactly
    ar.networks.regions(ar.networks.Network([(W, None), (layers[1][0], None)]), within=box)


def _oriented_matroids() -> None:
    M = ar.OrientedMatroid.from_matrix(generators.generic(7, 3, 0))
    M.circuits(), M.cocircuits(), M.covectors(), M.dual(), M.contraction([0]), M.sign((0, 1, 2))
    other = ar.OrientedMatroid.from_chirotope(7, 3, M.chirotope)
    ar.structure.walls(other.topes())
    ar.algebra.check_chirotope(7, 3, M.chirotope)
    ar.OrientedMatroid.from_chambers(ar.chambers(generators.generic(6, 3, 0)))
    ar.OrientedMatroid.from_matrix(generators.resonance(3))
    W = np.random.default_rng(0).integers(-(2**40), 2**40, (6, 3))
    ar.OrientedMatroid.from_matrix([*W, W[0] + W[1]])  # coincidences, decided exactly


def _demo_chambers() -> None:
    from arrangements.demo import digits  # loads numba

    model = digits()
    ar.chambers(model.weights, offsets=model.biases)


def _demo_rankings() -> None:
    from arrangements.demo import digits  # loads numba

    model = digits()
    ar.rankings(model.weights, offsets=model.biases)
    ar.feasible(model.weights, np.ones(10, int), offsets=model.biases)


# Two parts of the demo that take about as long.
DEMO = {"demo: rankings": _demo_rankings, "demo: chambers": _demo_chambers}
# The kinds that take longest first, and those last that also need kernels of others.
KINDS: dict[str, Callable[[], None]] = {
    "searches": _searches,
    "counting": _counting,
    "sums": _sums,
    "chambers": _chambers,
    "rankings": _rankings,
    "networks": _networks,
    "oriented matroids": _oriented_matroids,
    "structure": _structure,
    "questions": _questions,
}
# Kinds whose kernels have most in common: in one process that is prepared once.
_SWEEPS = ("chambers", "sums", "searches", "questions")


def compile_kinds(
    kinds: Sequence[str], processes: int | None = None
) -> Iterator[tuple[str, float]]:
    """Compile the kernels of some kinds of questions in processes of their own.

    Parameters
    ----------
    kinds : sequence of str
        Keys of `KINDS` or `DEMO`.
    processes : int, optional
        At a time; default the number of cores.

    Yields
    ------
    str, float
        Each kind when it is done, and the seconds it took after others of its process. A kind whose
        kernels are in the cache takes little more than loading them.
    """
    most = min(len(kinds), processes or os.cpu_count() or 1)
    others = set(active_children())
    shares = _shares(kinds, most)
    pools = [ProcessPoolExecutor(n, get_context("spawn"), _ignore_ctrl_c) for n, _ in shares]
    try:
        running = {
            pool.submit(_compile, kind): kind
            for pool, (_, share) in zip(pools, shares, strict=True)
            for kind in share
        }
        for future in as_completed(running):
            yield running[future], future.result()
    except BaseException:  # Ctrl-C, which ends what nobody waits for
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        for process in set(active_children()) - others:
            process.terminate()
        raise
    for pool in pools:
        pool.shutdown()


def _shares(kinds: Sequence[str], processes: int) -> list[tuple[int, list[str]]]:
    """Numbers of processes, and the kinds that are compiled in them."""
    first = [kind for kind in _SWEEPS if kind in kinds]
    others = [kind for kind in kinds if kind not in first]
    if processes == 1:
        return [(1, first + others)]
    if processes == 2 and first and others:
        return [(1, first), (1, others)]
    return [(processes, list(kinds))]


def _ignore_ctrl_c() -> None:
    """Leave Ctrl-C to the process that waits for this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _compile(kind: str) -> float:
    began = perf_counter()
    (KINDS | DEMO)[kind]()
    return perf_counter() - began


def is_new() -> bool:
    """Whether no kernel was compiled yet, beside the sources and for any machine.

    It loads nothing: numba, whose files Python compiles at first, takes seconds.
    """
    kernels = Path(__file__).parent / "kernels"
    elsewhere = "NUMBA_CACHE_DIR" in os.environ or not os.access(kernels, os.W_OK)
    return not elsewhere and next(kernels.rglob("*.nbi"), None) is None


def is_compiled() -> bool:
    """Whether first questions about chambers and rankings find their kernels in the cache."""
    from arrangements.kernels.chambers.search import advance  # loads numba
    from arrangements.kernels.numba_internals import keeps_code  # loads numba
    from arrangements.kernels.rankings.search import advance as advance_rankings  # loads numba

    return keeps_code(advance) and keeps_code(advance_rankings)


def cache_folder() -> str:
    """The folder in which numba keeps the kernels of this package; "" if it can write to none.

    Examples
    --------
    >>> bool(cache_folder())
    True
    """
    from arrangements.kernels.chambers.search import advance  # loads numba

    path = advance.stats.cache_path
    if path is None or not os.access(path, os.W_OK):
        return ""
    # beside the sources there is a folder for each of theirs
    beside = os.path.basename(path) == "__pycache__"
    return os.path.dirname(os.path.dirname(path) if beside else path)
