"""Input that all primes of a first attempt, or of many, are bad for."""

from math import prod

import naive
import numpy as np
import pytest

from arrangements import (
    Arrangement,
    OrientedMatroid,
    argmax_labels,
    betti_numbers,
    chambers,
    characteristic_polynomial,
    count_chambers,
    count_rankings,
    f_vector,
    feasible,
    flats,
    rankings,
    top_k_sets,
)
from arrangements.algebra import same_oriented_matroid, whitney_numbers
from arrangements.exact import linear
from arrangements.exact.residues import (
    inverses,
    moduli_of,
    primes,
    random_primes,
    residues_of,
)
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.structure import intersection_poset

# Nine primes were needed, and nine others taken in each of eight attempts.
BAD = prod(primes(72)[::9])
EVERY = prod(primes(72))


def rows(N):
    return [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, N], [1, 2, 3], [2, 1, 5]]


def answers(N):
    """Answers that depend on N only by whether it is 0: the same for all large N."""
    W = rows(N)
    M = OrientedMatroid.from_matrix(W)
    return {
        "characteristic": characteristic_polynomial(W).all_coeffs(),
        "betti": betti_numbers(W),
        "whitney": whitney_numbers(W, kind=2),
        "flats": list(flats(W)),
        "affine flats": list(flats(W, [0, 0, 0, 1, 1, 2, 3])),
        "poset": sorted(intersection_poset(W).edges),
        "f": f_vector(W),
        "chambers": {tuple(row) for row in chambers(W).to_array().tolist()},
        "incremental": len(chambers(W, method="incremental")),
        "reverse": len(chambers(W, method="reverse_search")),
        "affine": len(chambers(W, [0, 0, 0, 1, 1, 2, 3])),
        "count": count_chambers(W),
        "polynomial": count_chambers(W, method="characteristic"),
        "rankings": count_rankings(W),
        "listed": len(rankings(W)),
        "pairs": len(rankings(W, method="pairs")),
        "inserted": len(rankings(W, method="incremental")),
        "argmax": argmax_labels(W).tolist(),
        "tops": top_k_sets(W, 2).tolist(),
        "chirotope": M.chirotope.tolist(),
        "circuits": len(M.circuits()),
        "same": same_oriented_matroid(W, W).verify(),
        "generic": Arrangement(W).is_generic,
        "rank": linear.rank(W),
        "feasible": [bool(feasible(W, s)) for s in ("+++++++", "---+-+-", "++-+-+-")],
        "basis": HomogeneousRows(W).columns,
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")
@pytest.mark.parametrize("N", [BAD, EVERY, primes(1)[0], -BAD])
def test_no_input_is_refused_for_the_primes(N):
    # large numbers that no prime is bad for
    assert answers(N) == answers((1 if N > 0 else -1) * 2 ** abs(N).bit_length())


def test_the_chambers_are_right():
    found = chambers(rows(BAD)).to_array().tolist()
    assert {tuple(signs) for signs in found} == naive.chambers(rows(BAD), None)


def test_attempts():
    assert moduli_of(0, 5) == primes(5) == tuple(sorted(primes(5), reverse=True))
    drawn = [moduli_of(1, 4), moduli_of(1, 4), random_primes(4)]
    assert len({p for some in drawn for p in some}) == 12
    for p in drawn[0]:
        assert 2**30 < p < 2**31 and not np.any(p % np.arange(2, 46341) == 0)


def test_inverses_one_by_one_and_all_at_once():
    p = primes(400)[0]
    for numbers in (primes(400)[1:], tuple(range(1, 300)), (p - 1, 1)):
        found = inverses(np.array(numbers, np.uint64), p)
        assert found.tolist() == [pow(number, -1, p) for number in numbers]


@pytest.mark.parametrize("bits", [1, 31, 62, 63, 64, 80, 1000])
def test_residues_of_integers_of_any_size(bits):
    rng = np.random.default_rng(bits)
    sizes = [0, 1, bits // 2, bits - 1, bits]
    rows = [
        [sign * int.from_bytes(rng.bytes(bits // 8 + 1), "big") % 2**size for size in sizes]
        for sign in (1, -1, 1)
    ]
    rows.append([-(2**bits) + 1, 2**bits - 1, 0, -1, 1])
    moduli = [2, 3, 2**31 - 1, *primes(3)]
    rows.append([p * 2 ** (bits - 1) * (-1) ** k for k, p in enumerate(moduli[:5])])
    expected = [[[entry % p for entry in row] for row in rows] for p in moduli]
    assert residues_of(rows, moduli).tolist() == expected
