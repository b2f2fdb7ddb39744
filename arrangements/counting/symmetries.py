"""Symmetries of an arrangement, linear or of its matroid, as permutations of its hyperplanes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import comb
from operator import mul
from typing import Any

import networkx as nx

from arrangements.checks import as_list, check_integer
from arrangements.errors import InputError, TooLargeError
from arrangements.exact import linear
from arrangements.messages import Remedy, quote, short_number

IntRows = list[list[int]]

# Sets of rows among which the hyperplanes of a matroid are found: half a minute.
_MOST_SETS = 1_000_000
_LINEAR = Remedy("linear symmetries", "Pass linear symmetries only, or leave symmetry= out.")


def as_permutation(values: Any, n: int, name: str) -> list[int]:
    """The permutation as a list of ints; InputError if it does not permute range(n)."""
    try:
        images = [check_integer(name, i) for i in as_list(name, values)]
    except InputError as error:
        raise InputError(
            f"{name} is {quote(values)}; expected a sequence of {n} indices."
        ) from error
    if sorted(images) != list(range(n)):
        raise InputError(
            f"{name} is {quote(images)}; expected a permutation of 0, .., {n - 1}, one for each "
            f"hyperplane."
        )
    return images


def orbits(rows: IntRows, permutations: Iterable[list[int]]) -> list[list[int]]:
    """Orbits of the rows under permutations that come from linear maps, or keep the matroid.

    Parameters
    ----------
    rows : list of list of int
        No two of them proportional, none zero.
    permutations : iterable of permutations of range(len(rows))

    Raises
    ------
    InputError
        If a permutation takes independent rows to dependent ones.
    TooLargeError
        If there are too many sets of rows to see this, and no linear map takes the line of each row
        to that of its image.

    Examples
    --------
    >>> orbits([[1, 0], [0, 1], [1, 1]], [[1, 0, 2]])
    [[0, 1], [2]]
    """
    graph = nx.empty_graph(len(rows))
    hyperplanes: set[int] | None = None
    for number, images in enumerate(permutations):
        if not _is_linear(rows, images):
            hyperplanes = hyperplanes or _hyperplanes(rows, f"symmetry[{number}]")
            if any(_image(mask, images) not in hyperplanes for mask in hyperplanes):
                raise InputError(
                    f"symmetry[{number}] is not a symmetry of the arrangement: if every hyperplane "
                    f"i goes to hyperplane symmetry[{number}][i], some flats do not go to flats."
                )
        graph.add_edges_from(enumerate(images))
    return sorted(sorted(orbit) for orbit in nx.connected_components(graph))


def _image(mask: int, images: list[int]) -> int:
    """The set of the images of a set, as bits."""
    return sum(1 << image for i, image in enumerate(images) if mask >> i & 1)


def _hyperplanes(rows: IntRows, name: str) -> set[int]:
    """Flats whose rank is less by one than that of all rows, as bits; they determine the matroid.

    Examples
    --------
    >>> sorted(_hyperplanes([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]], "symmetry[0]"))
    [5, 6, 11, 12]
    """
    columns = linear.column_basis([rows[i] for i in linear.row_basis(rows)])
    narrow, r = [[row[c] for c in columns] for row in rows], len(columns)
    number = comb(len(rows), max(r - 1, 0))
    if number > _MOST_SETS:
        raise TooLargeError(
            f"{name} is not linear, and too many sets of rows, {short_number(number)}, would tell "
            "whether it keeps the flats.",
            _LINEAR,
        )
    found: set[int] = set()
    seen: set[tuple[int, ...]] = set()
    for chosen in combinations(range(len(rows)), max(r - 1, 0)):
        if chosen in seen:
            continue
        normals = linear.nullspace([narrow[i] for i in chosen], r)
        if len(normals) == 1:
            values = (sum(map(mul, row, normals[0])) for row in narrow)
            members = [i for i, value in enumerate(values) if not value]
            found.add(sum(1 << i for i in members))
            seen.update(combinations(members, r - 1))
    return found


def _is_linear(rows: IntRows, images: list[int]) -> bool:
    """Whether an invertible linear map takes the line of each row to that of its image.

    Let a be the coefficients of the rows in a basis of rows, and a' those of their images in the
    images of the basis. They must satisfy ``a'_ij = r_i a_ij s_j`` with numbers r, s. A spanning
    forest of the non-zero entries determines r and s, and the other entries are compared.
    """
    basis = linear.row_basis(rows)
    ours = _coefficients(rows, [rows[i] for i in basis])
    theirs = _coefficients([rows[i] for i in images], [rows[images[i]] for i in basis])
    if ours is None or theirs is None:
        return False
    n, k = len(rows), len(basis)
    entries: nx.Graph = nx.empty_graph(n + k)
    for i in range(n):
        for j in range(k):
            if (ours[i][j] == 0) != (theirs[i][j] == 0):
                return False
            if ours[i][j] != 0:
                entries.add_edge(i, n + j, ratio=theirs[i][j] / ours[i][j])
    scale: dict[int, Any] = {}
    for component in nx.connected_components(entries):
        start = next(iter(component))
        scale[start] = 1
        for a, b in nx.bfs_edges(entries, start):
            scale[b] = entries.edges[a, b]["ratio"] / scale[a]
    return all(scale[a] * scale[b] == ratio for a, b, ratio in entries.edges(data="ratio"))


def _coefficients(rows: IntRows, basis: IntRows) -> list[list[Any]] | None:
    """The rows as combinations of the basis (exact rationals); None if it does not span them."""
    if linear.rank(basis) < len(basis):
        return None
    columns = linear.column_basis(basis)
    inverse = linear.inverse([[row[c] for c in columns] for row in basis])
    assert inverse is not None  # the columns are independent
    weights = linear.matrix_product([[row[c] for c in columns] for row in rows], inverse)
    return weights if linear.matrix_product(weights, basis) == rows else None
