"""Faces, flats and graphs of chambers beside their references: ``pytest benchmarks``.

The answers are asserted inside. ``python -m benchmarks.bench_structure`` prints the table of ratios
with their limits (extra ``bench``).
"""

import gc
from collections.abc import Callable
from functools import partial
from itertools import combinations
from math import comb, inf
from typing import Any

import networkx as nx
import numpy as np
import pytest

from arrangements import SignVectors, chambers, flats
from arrangements.algebra import implicit_chambers
from arrangements.structure import (
    chamber_edges,
    chamber_graph,
    covectors,
    intersection_poset,
    ranking_graph,
)
from benchmarks.beside import ratios, spread, verdict
from benchmarks.reports.formats import Table, markdown
from benchmarks.runs.machine import describe_machine
from benchmarks.suites.cases import CHAMBERS, Case, generic_count
from benchmarks.suites.references import seconds

CASE = Case(CHAMBERS, "gaussian", 30, 5)
FACES = Case(CHAMBERS, "gaussian", 20, 4)
MANY = Case(CHAMBERS, "gaussian", 60, 6)


# ------------------------------------------------------------------ references


def facets(case: Case) -> int:
    """Walls of n generic hyperplanes: the chambers of n restrictions."""
    n, d = case.W.shape
    return n * generic_count(n - 1, d - 1)


def faces(case: Case) -> int:
    """Faces of n generic hyperplanes through the origin."""
    n, d = case.W.shape
    return 1 + sum(comb(n, d - k) * generic_count(n - d + k, k) for k in range(1, d + 1))


def flipping(S: SignVectors) -> set[tuple[int, int, int]]:
    """Edges as one finds them in Python: flip every sign, look the result up in a dictionary."""
    words = np.concatenate([S.packed, S.packed ^ np.uint64(2**S.n - 1)])[:, 0].tolist()
    number = {word: k for k, word in enumerate(words)}
    return {
        (k, number[word ^ 1 << i], i)
        for k, word in enumerate(words)
        for i in range(S.n)
        if word >> i & 1 and word ^ 1 << i in number
    }


def networkx_alone(G: nx.Graph) -> Callable[[], nx.Graph]:
    """Adding the nodes and edges of a graph to an empty one, when they lie ready."""
    nodes, edges = list(G.nodes(data=True)), list(G.edges(data=True))

    def add() -> nx.Graph:
        H = nx.Graph()
        H.add_nodes_from(nodes)
        H.add_edges_from(edges)
        return H

    return add


def restrictions(W: Any) -> int:
    """Faces, one listing of chambers for each flat: their number."""
    total = 1
    for members in flats(W):
        _, singular, basis = np.linalg.svd(W[list(members)])
        kernel = basis[int((singular > 1e-9).sum()) :]
        rest = np.delete(W, members, axis=0)
        total += len(chambers(rest @ kernel.T)) if len(rest) else 0
    return total


def ranks_of_subsets(W: Any) -> int:
    """Flats of a generic arrangement by the float ranks of all small subsets: their number."""
    n, d = W.shape
    total = 2
    for k in range(1, d):
        subsets = np.array(list(combinations(range(n), k)))
        total += int((np.linalg.matrix_rank(W[subsets]) == k).sum())
    return total


# ------------------------------------------------------------------ benchmarks


def label(benchmark: Any, title: str, case: Case, **counts: int | None) -> None:
    benchmark.group = f"{title} of {case.name}"
    benchmark.extra_info.update(n=case.n, d=case.d, **counts)


@pytest.mark.parametrize("what", ["listing", "chamber_edges", "dictionary"])
def test_chamber_edges(benchmark: Any, what: str) -> None:
    label(benchmark, "chamber edges", CASE, chambers=CASE.known, edges=facets(CASE))
    S = chambers(CASE.W)
    action = {
        "listing": lambda: chambers(CASE.W),
        "chamber_edges": lambda: chamber_edges(CASE.W),
        "dictionary": lambda: flipping(S),
    }[what]
    rounds = 1 if what == "dictionary" else 5
    found = benchmark.pedantic(action, rounds=rounds, warmup_rounds=rounds > 1)
    if what == "listing":
        assert len(found) == CASE.known
    elif what == "dictionary":
        edges, hyperplanes = chamber_edges(S)
        assert found == set(zip(*edges.T.tolist(), hyperplanes.tolist(), strict=True))
        assert len(found) == facets(CASE)
    else:
        assert len(found[0]) == len(found[1]) == facets(CASE)


@pytest.mark.parametrize("what", ["chamber_graph", "networkx alone"])
def test_chamber_graph(benchmark: Any, what: str) -> None:
    label(benchmark, "chamber graph", CASE, chambers=CASE.known, edges=facets(CASE))
    action: Callable[[], Any] = partial(chamber_graph, CASE.W)
    if what != "chamber_graph":
        action = networkx_alone(chamber_graph(CASE.W))
    G = benchmark.pedantic(action, rounds=3, warmup_rounds=1)
    assert (G.number_of_nodes(), G.number_of_edges()) == (CASE.known, facets(CASE))


@pytest.mark.parametrize("what", ["covectors", "a listing for each flat"])
def test_covectors(benchmark: Any, what: str) -> None:
    label(benchmark, "covectors", FACES, faces=faces(FACES))
    if what == "covectors":
        found = benchmark.pedantic(covectors, (FACES.W,), rounds=5, warmup_rounds=1)
        assert found.shape == (faces(FACES), 20)
    else:
        assert benchmark.pedantic(restrictions, (FACES.W,), rounds=1) == faces(FACES)


@pytest.mark.parametrize("what", ["flats", "ranks of subsets"])
def test_flats(benchmark: Any, what: str) -> None:
    number = sum(comb(20, k) for k in range(4)) + 1
    label(benchmark, "flats", FACES, flats=number)
    if what == "flats":
        assert len(benchmark.pedantic(flats, (FACES.W,), rounds=5, warmup_rounds=1)) == number
    else:
        assert benchmark.pedantic(ranks_of_subsets, (FACES.W,), rounds=3) == number


def test_flats_of_resonance(benchmark: Any) -> None:
    case = Case(CHAMBERS, "resonance", 63, 6)
    label(benchmark, "flats", case)
    found = benchmark.pedantic(flats, (case.W,), rounds=3, warmup_rounds=1)
    assert found.counts[:2] == (1, 63)


def test_intersection_poset(benchmark: Any) -> None:
    case = Case(CHAMBERS, "resonance", 31, 5)
    label(benchmark, "intersection poset", case, chambers=case.known)
    poset = benchmark.pedantic(intersection_poset, (case.W,), rounds=3, warmup_rounds=1)
    assert sum(abs(value) for _, value in poset.nodes(data="mobius")) == case.known


@pytest.mark.parametrize("what", ["item", "index", "sample", "listing"])
def test_implicit_chambers(benchmark: Any, what: str) -> None:
    """One of many chambers by its number, beside a listing of them all."""
    count = generic_count(*MANY.W.shape)
    label(benchmark, "implicit chambers", MANY, chambers=count)
    S, number = implicit_chambers(MANY.W, assume_generic=True), count // 3
    row = S[number]
    action: Callable[[], Any] = {
        "item": lambda: S[number],
        "index": lambda: S.index(row),
        "sample": lambda: S.sample(1, rng=0),
        "listing": lambda: chambers(MANY.W),
    }[what]
    found = benchmark.pedantic(action, rounds=5, warmup_rounds=1)
    assert S.count == count
    if what == "listing":
        assert len(found) == count and row in found
    elif what == "index":
        assert found == number
    elif what == "item":
        assert np.array_equal(found, row)
    else:
        assert found.shape == (1, MANY.n) and S.index(found[0]) >= 0


def test_ranking_graph(benchmark: Any) -> None:
    benchmark.group, count = "ranking graph, all permutations of 8", 40_320
    G = benchmark.pedantic(ranking_graph, (np.eye(8),), rounds=1, warmup_rounds=1)
    assert G.number_of_nodes() == count and G.number_of_edges() == count * 7 // 2


# ------------------------------------------------------------------ table


def in_turns(actions: list[Callable[[], object]], repeats: int) -> list[list[float]]:
    """Times of each action, garbage collected before: graphs of other rounds cost no round time."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(repeats):
        for taken, action in zip(times, actions, strict=True):
            gc.collect()
            taken += seconds(action, 1)
    return times


def table(repeats: int = 5) -> Table:
    """Ratios to the references, in turns, and the limits."""
    rows: Table = []
    edges = partial(chamber_edges, CASE.W)
    assert len(edges()[0]) == facets(CASE)
    taken, listing = in_turns([edges, lambda: chambers(CASE.W)], 3 * repeats)
    rows.append(_row("chamber_edges / listing", CASE, taken, listing, 20))
    graph = partial(chamber_graph, CASE.W)
    taken, alone = in_turns([graph, networkx_alone(graph())], repeats)
    rows.append(_row("chamber_graph / networkx alone", CASE, taken, alone, 1.5))
    assert len(covectors(FACES.W)) == restrictions(FACES.W) == faces(FACES)
    taken, single = in_turns([lambda: covectors(FACES.W), lambda: restrictions(FACES.W)], repeats)
    rows.append(_row("covectors / a listing for each flat", FACES, taken, single, inf))
    rows[-1][-1] = f"{verdict(max(taken), 1.0)} (seconds)"
    taken, ranks = in_turns([lambda: flats(FACES.W), lambda: ranks_of_subsets(FACES.W)], repeats)
    rows.append(_row("flats / float ranks of subsets", FACES, taken, ranks, inf))
    header = ["what", "input", "ms", "reference ms", "ratio", "limit"]
    return [header, *rows]


def _row(
    name: str, case: Case, taken: list[float], reference: list[float], limit: float
) -> list[str]:
    ratio = ratios(taken, reference)
    shown = f"{ratio[0]:.3g} ({ratio[1]:.3g})"
    compared = verdict(max(ratio), limit) if limit < inf else ""
    return [name, f"n={case.n} d={case.d}", spread(taken), spread(reference), shown, compared]


if __name__ == "__main__":
    print(describe_machine(), "one thread; median (least)", sep="\n", end="\n\n")
    print(markdown(table()))
