"""Chains of modular flats against the definition, and the arrangements known to have them."""

from itertools import combinations

import numpy as np
import pytest

from arrangements import (
    InputError,
    exponents,
    flats,
    generators,
    is_supersolvable,
    modular_chain,
)


def has_chain(W):
    """By trying all chains of flats that are modular by definition."""
    found = flats(W)
    sets, ranks = [frozenset(flat) for flat in found], found.ranks.tolist()
    rank_of = dict(zip(sets, ranks, strict=True))

    def joined(X, Y):
        return min((G for G in sets if X | Y <= G), key=len)

    modular = [
        X
        for X in sets
        if all(rank_of[X] + rank_of[Y] == rank_of[joined(X, Y)] + rank_of[X & Y] for Y in sets)
    ]
    reached = {sets[0]}
    for k in range(1, ranks[-1] + 1):
        reached = {X for X in modular if rank_of[X] == k and any(Y < X for Y in reached)}
    return bool(reached)


def check_chain(W, chain):
    found = flats(W)
    known = dict(zip(found, found.ranks.tolist(), strict=True))
    assert [known[flat] for flat in chain] == list(range(len(chain)))
    assert all(set(a) < set(b) for a, b in zip(chain, chain[1:], strict=False))
    added = sorted(len(b) - len(a) for a, b in zip(chain, chain[1:], strict=False))
    zeros = (np.shape(W)[1] - found.ranks.max()) * (0,)
    assert exponents(W) == zeros + tuple(added)


def test_small_ones():
    rng = np.random.default_rng(7)
    answers = set()
    for _ in range(40):
        W = rng.integers(-1, 2, (int(rng.integers(3, 8)), 3))
        lines = {max(row, tuple(-e for e in row)) for row in map(tuple, W.tolist()) if any(row)}
        W = np.array(sorted(lines))
        chain = modular_chain(W)
        assert (chain is not None) == has_chain(W) == is_supersolvable(W)
        if chain is not None:
            check_chain(W, chain)
        answers.add(chain is None)
    assert answers == {False, True}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(("A", 5), True), (("B", 4), True), (("D", 4), False), (("F", 4), False), (("G", 2), True)],
)
def test_reflections(kind, expected):
    # A. Bjorner, P. Edelman, G. Ziegler, Discrete Comput. Geom. 5 (1990) 263-288
    A = generators.coxeter(*kind)
    assert is_supersolvable(A) == expected
    if expected:
        check_chain(A.normals, modular_chain(A))


def test_graphs():
    # R. Stanley, Supersolvable lattices, 1972: graphical arrangements of chordal graphs
    edges = [*combinations(range(4), 2)]
    for skipped, chordal in [([], True), ([(0, 1)], True), ([(0, 1), (2, 3)], False)]:
        graph = [edge for edge in edges if edge not in skipped]
        assert is_supersolvable(generators.graphical(graph)) == chordal


def test_offsets_are_refused():
    with pytest.raises(InputError, match="expected a central one"):
        modular_chain(generators.shi(3))
