"""What a user writes, for mypy: methods have the types of their functions.

It is checked with the package, and an error that mypy does not find is an unused ``ignore``.
"""

from __future__ import annotations

from typing import Any, assert_type

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from arrangements import (
    Arrangement,
    Certificate,
    Certificates,
    OrientedMatroid,
    Rankings,
    SignVectors,
    count_chambers,
    generators,
)
from arrangements.optimize import Optimum
from arrangements.runs import Run
from arrangements.structure import Derived, Flats, Zonotope

A = assert_type(generators.braid(3), Arrangement)
assert_type(A.chambers(), SignVectors)
assert_type(A.count_chambers() + count_chambers([[1, 0]]), int)
assert_type(A.count_bounded(), int)
assert_type(A.rankings(), Rankings)
assert_type(A.feasible("+++"), Certificate)
assert_type(A.feasible_many(["+++"]), Certificates)
assert_type(A.can_be_top([0]), Certificates)
assert_type(A.oriented_matroid(), OrientedMatroid)
assert_type(A.flats(), Flats)
assert_type(A.f_vector(), tuple[int, ...])
assert_type(A.betti_numbers(), tuple[int, ...])
assert_type(A.deletion([0]), Derived)
assert_type(A.restriction(0), Derived)
assert_type(A.cone(), Derived)
assert_type(A.zonotope(), Zonotope)
assert_type(A.best_chamber([1, 2, 3]), Optimum)
graph: nx.Graph[str] = A.chamber_graph()
assert_type(A.walls(), NDArray[np.bool_])
assert_type(A.write_chambers("folder"), Run)
assert_type(A.argmax_labels(), NDArray[Any])
for block in A.iter_chambers():
    assert_type(block, SignVectors)
assert_type(A.chambers().to_array(), NDArray[Any])

A.count_chambers(method="swoop")  # type: ignore[arg-type]
A.chambers() + 1  # type: ignore[operator]
A.walls(1)  # type: ignore[call-arg]
