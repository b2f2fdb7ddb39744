"""What an operation returns in place of an arrangement: questions are about the one it holds."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from arrangements import (
    Arrangement,
    OrientedMatroid,
    chambers,
    cone,
    count_chambers,
    deletion,
    f_vector,
    restriction,
)
from arrangements.algebra import freeness, is_free, tutte_polynomial
from arrangements.errors import InputError
from arrangements.generators import catalan
from arrangements.structure import (
    decone,
    intersection_poset,
    is_simplicial,
    product,
    zonotope,
)

# x = 0, y = 0, x + y = 1
D = cone([[1, 0], [0, 1], [1, 1]], [0, 0, 1])


def test_cone_over_the_catalan_arrangement_is_free() -> None:
    # exponents 1 and those of Catalan arrangements: C. A. Athanasiadis, Linear Algebra Appl. 2005
    F = freeness(cone(catalan(3, 1)))
    assert F.free and sorted(F.exponents or ()) == [0, 1, 4, 5]
    assert F.arrangement == cone(catalan(3, 1)).arrangement
    assert is_free(D) is False  # four generic planes


@pytest.mark.parametrize(
    "ask",
    [count_chambers, f_vector, is_simplicial, tutte_polynomial, freeness, intersection_poset],
)
def test_questions(ask: Any) -> None:
    found, expected = ask(D), ask(D.arrangement)
    if ask is intersection_poset:
        found, expected = dict(found.nodes(data=True)), dict(expected.nodes(data=True))
    assert str(found) == str(expected)


def test_numbers_of_a_cone() -> None:
    # a triangle has 7 regions, of which the cone makes 14 chambers
    assert count_chambers(D) == 14 and len(chambers(D)) == 14
    faces = f_vector(D)
    assert faces[0] == 1 and faces[1] == 2 * 6 and faces[1] - faces[2] + faces[3] == 2


def test_operations_and_other_objects() -> None:
    assert decone(D).arrangement == Arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, 1])
    assert product(D, D).arrangement.n_hyperplanes == 8
    twice = restriction(deletion(D, 0), 0)
    assert twice.arrangement == restriction(deletion(D, 0).arrangement, 0).arrangement
    assert OrientedMatroid.from_matrix(D) == OrientedMatroid.from_matrix(D.arrangement)
    assert zonotope(D).volume == Fraction(_volume(D.arrangement.normals.tolist()))
    assert Arrangement(D) == D.arrangement is Arrangement.coerce(D)


def _volume(rows: list[list[int]]) -> int:
    """Sum of the absolute values of all minors."""
    n = range(len(rows))
    minors = [[rows[i], rows[j], rows[k]] for i in n for j in n for k in n if i < j < k]
    return sum(abs(round(np.linalg.det(minor))) for minor in minors)


def test_labels_come_along() -> None:
    A = Arrangement([[1, 0], [0, 1], [1, 1]], labels="abc")
    assert OrientedMatroid.from_matrix(deletion(A, "a")).labels == ("b", "c")
    assert deletion(deletion(A, "a"), "b").arrangement.labels == ("c",)


def test_offsets_of_its_own() -> None:
    with pytest.raises(InputError, match="offsets were given with an Arrangement"):
        count_chambers(decone(D), [1, 2, 3])
