"""Hasse diagrams of intersection lattices."""

from itertools import combinations

import pytest

from arrangements import Arrangement, OrientedMatroid, generators
from arrangements.errors import InputError
from arrangements.plot import plot_intersection_lattice

pytest.importorskip("matplotlib")


def test_lattice_of_set_partitions() -> None:
    # flats of braid(4) are the partitions of four elements: 1, 6, 7, 1
    ax = plot_intersection_lattice(generators.braid(4))
    assert ax.get_title() == "15 flats, by rank 1, 6, 7, 1"
    texts = {text.get_text(): text.get_position() for text in ax.texts}
    assert len(texts) == 15 and len(set(texts.values())) == 15
    pairs = list(combinations(range(4), 2))
    triples = [[k for k, pair in enumerate(pairs) if e not in pair] for e in range(4)]
    assert all(texts[" ".join(map(str, triple))][1] == 2 for triple in triples)
    at = {place: set(text.split()) for text, place in texts.items()}
    lines = [tuple(zip(*line.get_data(), strict=True)) for line in ax.lines]
    found = {(frozenset(at[a]), frozenset(at[b])) for a, b in lines}
    flats = {(frozenset(flat), place[1]) for place, flat in at.items()}
    assert found == {(F, G) for F, r in flats for G, s in flats if s == r + 1 and F < G}


def test_labels_offsets_and_matroids() -> None:
    A = Arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, 1], labels="abc")
    texts = [text.get_text() for text in plot_intersection_lattice(A).texts]
    assert sorted(texts) == ["", "a", "a b", "a c", "b", "b c", "c"]
    M = OrientedMatroid.from_chirotope(4, 2, "++++++")
    assert plot_intersection_lattice(M).get_title() == "6 flats, by rank 1, 4, 1"


def test_too_many() -> None:
    with pytest.raises(InputError, match="210 flats have the same rank; expected at most 200"):
        plot_intersection_lattice(generators.generic(21, 3, 0))
