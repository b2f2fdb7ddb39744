"""Betti numbers of resonance arrangements as combinations of Stirling numbers, found another way.

By Kühne (Combinatorica 43, 2023), b_i of resonance(n) is the sum of c(i, k) S(n + 1, k) for k from
i + 1 to 2^i. A flat of rank i is the space U of linear forms that vanish on it, spanned by 0/1
vectors. Those whose coordinates differ from each other and from 0 make up c(i, k), for n = k - 1.
U is the row space of a matrix of i rows with different columns C, zeros and ones. So c(i, k) is a
sum over sets C of n columns that span: n! |mu| / (i! B), where mu belongs to the 0/1 vectors in U,
and B is the number of bases among them, each of which gives the same U.
"""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial

import numpy as np
import pytest
from sympy.functions.combinatorial.numbers import stirling

from arrangements import betti_numbers
from arrangements.counting import states
from arrangements.exact import integer_image, residues
from arrangements.exact.linear import rank
from arrangements.feasibility import cone_system
from arrangements.generators import resonance

# The numbers of resonance(10) took two hours of two cores, with these primes and with others
# (docs/algorithms.md, section 12).
KNOWN = {
    4: [1, 15, 80, 170, 104],
    5: [1, 31, 375, 2130, 5270, 3485],
    8: [1, 255, 29360, 1957200, 81029004],
    9: [1, 511, 120975, 17153460, 1582492380],
    10: [
        1,
        1023,
        494252,
        146701445,
        29305672220,
        4069629234363,
        391868440890003,
        25202701439855555,
        983892214656859310,
        18003756220072099510,
        17044678878883976110,
    ],
}


def column_sets(i, n):
    """Sets of n different non-zero 0/1 vectors up to the order of coordinates, and how many."""
    vectors = [v for v in product((0, 1), repeat=i) if any(v)]
    orders = list(permutations(range(i)))
    for C in combinations(vectors, n):
        images = [tuple(sorted(tuple(c[j] for j in order) for c in C)) for order in orders]
        if C == min(images):
            yield C, len(set(images))


def zero_one_vectors(C, i):
    """The non-zero vectors a with a c = 0 or 1 for all columns c, times a number; None if many."""
    basis = next((B for B in combinations(C, i) if rank([list(c) for c in B]) == i), None)
    if basis is None:
        return None
    scale = round(abs(np.linalg.det(np.array(basis, float))))
    inverse = np.rint(np.linalg.inv(np.array(basis, float)) * scale).astype(int)
    forms = np.array(list(product((0, 1), repeat=i))[1:]) @ inverse.T
    values = forms @ np.array(C).T
    return forms[((values == 0) | (values == scale)).all(axis=1)]


def coefficient(i, k):
    total = Fraction(0)
    for C, alike in column_sets(i, k - 1):
        forms = zero_one_vectors(C, i)
        if forms is None:
            continue
        bases = sum(rank(list(B)) == i for B in combinations(forms.tolist(), i))
        mu = betti_numbers(forms)[i]
        total += Fraction(alike * factorial(k - 1) * mu, factorial(i) * bases)
    return total


@pytest.mark.slow
@pytest.mark.parametrize("i", [1, 2, 3, 4])
def test_betti_numbers_from_stirling_numbers(i):
    coefficients = {k: coefficient(i, k) for k in range(i + 1, min(2**i, 11) + 1)}
    if i == 3:  # as in the paper
        assert coefficients == {4: 9, 5: 80, 6: 345, 7: 840, 8: 840}
    numbers = {n: betti_numbers(resonance(n)) for n in range(i, 8)} | KNOWN
    for n, known in numbers.items():
        if n >= i:
            assert known[i] == sum(c * int(stirling(n + 1, k)) for k, c in coefficients.items())


def use_other_primes(patch):
    """For rows, weights and small minors: what is exact does not depend on them."""
    small_field = states.small_field

    def next_field(bound, n):
        usual = small_field(bound, n)
        return usual and small_field(int(usual.constants[0]), n)._replace(bound=bound)

    for module in (residues, integer_image, cone_system):
        patch.setattr(module, "moduli_of", lambda attempt, count: residues.primes(count + 7)[7:])
    patch.setattr(states, "small_field", next_field)


def test_other_primes(monkeypatch):
    prepared = cone_system.HomogeneousRows(resonance(6).normals.tolist())
    settings = [states.Setting.of(prepared, second=False)]
    numbers = [betti_numbers(resonance(n)) for n in range(4, 8)]
    use_other_primes(monkeypatch)
    prepared = cone_system.HomogeneousRows(resonance(6).normals.tolist())
    settings.append(states.Setting.of(prepared, second=False))
    one, other = settings
    assert not {*one.primes, *one.moduli[:, 0]} & {*other.primes, *other.moduli[:, 0]}
    assert (
        one.small.constants[0] < other.small.constants[0] and one.small.bound == other.small.bound
    )
    assert [betti_numbers(resonance(n)) for n in range(4, 8)] == numbers
