"""The Varchenko matrix and its determinant."""

import pytest
from sympy import Matrix, Symbol, expand
from sympy.polys.matrices import DomainMatrix

from arrangements import Arrangement, SignVectors, chambers, generators
from arrangements.algebra import varchenko_determinant, varchenko_matrix
from arrangements.errors import InputError
from arrangements.structure import chamber_distance

SMALL = {
    "a point": Arrangement([[1]]),
    "two points": Arrangement([[1], [1]], [0, 1]),
    "triangle": Arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, -1]),
    "coinciding": Arrangement([[1, 0], [0, 1], [-2, 0], [0, 0]], [1, 0, -2, 5]),
    "braid(4)": generators.braid(4),
    "shi(3)": generators.shi(3),
    "resonance(3)": generators.resonance(3),
    "no rows": Arrangement([[1, 2]])[:0],
}


@pytest.mark.parametrize("name", SMALL)
def test_the_product_formula_gives_the_determinant(name: str) -> None:
    A = SMALL[name]
    weights = [2, 3, 5, 7, 11, 13, 17, 19, 23][: A.n_hyperplanes]
    entries = varchenko_matrix(A, weights=weights).to_array()
    exact = DomainMatrix.from_Matrix(Matrix(entries)).det()
    assert varchenko_determinant(A, weights=weights) == exact


@pytest.mark.slow
def test_with_symbols() -> None:
    A = SMALL["triangle"]
    symbolic = varchenko_determinant(A)
    assert expand(symbolic - Matrix(varchenko_matrix(A).to_array()).det()) == 0
    # Zagier's matrix of inversions, det (1 - q^2)^18 .. for three letters: (1-q^2)^6 (1-q^6)
    q = Symbol("q")
    ours = varchenko_determinant(generators.braid(3)).subs({f"a{i}": q for i in range(3)})
    assert expand(ours - (1 - q**2) ** 6 * (1 - q**6)) == 0


def test_entries() -> None:
    S = chambers(generators.shi(3))
    M = varchenko_matrix(S, weights=[2] * 6)
    all_entries = M.to_array()
    assert M.shape == all_entries.shape == (16, 16) and M.chambers is S
    for i in (0, 3, -1):
        for j in range(16):
            apart = chamber_distance(S.arrangement, S[i], S[j])
            assert M[i, j] == all_entries[i, j] == 2**apart and len(M.separating(i, j)) == apart


def test_what_is_refused() -> None:
    M = varchenko_matrix([[1]])
    for entry in (0, (0, 0, 0), (0, 2)):
        with pytest.raises(InputError):
            M[entry]
    with pytest.raises(InputError, match="no arrangement"):
        varchenko_matrix(SignVectors.from_array(["+"]))
    with pytest.raises(InputError, match="weights has shape"):
        varchenko_determinant([[1]], weights=[1, 2])
