"""Published numbers, one table: what, for which sizes, the numbers, and where they are published.

Further published numbers are in the tests of `algebra`, `faces`, `generators` and
`oriented_matroids`, beside the functions that they are about.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from sympy import Symbol, factor_list

from arrangements import Arrangement, betti_numbers, count_chambers, f_vector, generators
from arrangements.algebra import (
    automorphisms,
    chamber_orbits,
    count_bounded,
    mobius,
    varchenko_determinant,
    whitney_numbers,
)
from arrangements.structure import count_monotone_paths, distance_enumerator


def moment_planes(n: int, d: int) -> Arrangement:
    """Hyperplanes in general position, affinely."""
    t = np.arange(1, n + 1)
    return Arrangement(np.array([t**k for k in range(d)]).T, t**d)


def sums_of_two(n: int) -> Arrangement:
    rows = np.zeros((n * (n - 1) // 2, n), int)
    for row, pair in zip(rows, combinations(range(n), 2), strict=True):
        row[list(pair)] = 1
    return Arrangement(rows)


def graphical(graph: nx.Graph) -> int:
    return count_chambers(generators.graphical(graph))


def total_at_q(A: Arrangement) -> list[int]:
    return distance_enumerator(A).all_coeffs()


def zagier(n: int) -> int:
    """Exponent of 1 + q + q^2 in the determinant for n letters, at equal weights."""
    q = Symbol("q")
    found = varchenko_determinant(generators.braid(n))
    names = {Symbol(f"a{i}"): q for i in range(n * (n - 1) // 2)}
    return dict(factor_list(found.subs(names))[1])[q**2 + q + 1]


G = generators
COUNT = count_chambers
# what, arguments with values, source
TABLE: list[tuple[str, Callable[..., Any], dict[Any, Any], str]] = [
    (
        "regions of Shi arrangements",
        lambda n: COUNT(G.shi(n)),
        {2: 3, 3: 16, 4: 125, 5: 1296},
        "J.-Y. Shi, Lecture Notes in Math. 1179 (1986): (n + 1)^(n - 1)",
    ),
    (
        "bounded regions of Shi arrangements",
        lambda n: count_bounded(G.shi(n)),
        {2: 1, 3: 4, 4: 27, 5: 256},
        "R. P. Stanley, Proc. Nat. Acad. Sci. 93 (1996): (n - 1)^(n - 1)",
    ),
    (
        "regions of extended Shi arrangements",
        lambda n, k: COUNT(G.shi(n, k)),
        {(3, 2): 49, (3, 3): 100, (4, 2): 729},
        "R. P. Stanley (1996): (k n + 1)^(n - 1)",
    ),
    (
        "regions of Shi arrangements of other types",
        lambda kind: COUNT(G.shi(kind)),
        {"B2": 25, "G2": 49, "B3": 343, "D4": 2401},
        "J.-Y. Shi, J. London Math. Soc. 35 (1987): (h + 1)^r",
    ),
    (
        "bounded regions of Shi arrangements of other types",
        lambda kind: count_bounded(G.shi(kind)),
        {"B2": 9, "G2": 25, "B3": 125, "D4": 625},
        "C. A. Athanasiadis, Adv. Math. 122 (1996): (h - 1)^r",
    ),
    (
        "regions of Ish arrangements",
        lambda n: COUNT(G.ish(n)),
        {3: 16, 4: 125},
        "D. Armstrong, B. Rhoades, Trans. Amer. Math. Soc. 364 (2012)",
    ),
    (
        "regions of Catalan arrangements",
        lambda n: COUNT(G.catalan(n)),
        {2: 4, 3: 30, 4: 336, 5: 5040},
        "R. P. Stanley (1996): n! times the Catalan number",
    ),
    (
        "regions of extended Catalan arrangements",
        lambda n, k: COUNT(G.catalan(n, k)),
        {(3, 2): 72, (4, 2): 1320},
        "A. Postnikov, R. P. Stanley, J. Combin. Theory A 91 (2000): Fuss-Catalan numbers",
    ),
    (
        "regions of Catalan arrangements of other types",
        lambda kind: COUNT(G.catalan(kind)),
        {"B2": 48, "G2": 96, "B3": 960, "D4": 9600},
        "C. A. Athanasiadis, Bull. London Math. Soc. 36 (2004): |W| Cat(W)",
    ),
    (
        "regions of semiorder arrangements",
        lambda n: COUNT(G.semiorder(n)),
        {2: 3, 3: 19, 4: 183, 5: 2371},
        "OEIS A006531",
    ),
    (
        "regions of Linial arrangements",
        lambda n: COUNT(G.linial(n)),
        {2: 2, 3: 7, 4: 36, 5: 246},
        "OEIS A007889",
    ),
    (
        "regions of resonance arrangements",
        lambda n: COUNT(G.resonance(n)),
        {1: 2, 2: 6, 3: 32, 4: 370, 5: 11292, 6: 1066044},
        "OEIS A034997",
    ),
    (
        "Betti numbers of resonance arrangements",
        lambda n: betti_numbers(G.resonance(n)),
        {3: (1, 7, 15, 9), 4: (1, 15, 80, 170, 104), 5: (1, 31, 375, 2130, 5270, 3485)},
        "H. Kamiya, A. Takemura, H. Terao, Adv. in Appl. Math. 47 (2011)",
    ),
    (
        "threshold functions",
        lambda n: COUNT(G.threshold(n)),
        {1: 4, 2: 14, 3: 104, 4: 1882, 5: 94572},
        "OEIS A000609",
    ),
    (
        "labeled threshold graphs, as regions of x_i + x_j = 0",
        lambda n: COUNT(sums_of_two(n)),
        {2: 2, 3: 8, 4: 46, 5: 332},
        "R. P. Stanley, Enumerative Combinatorics 2, exercise 5.4; OEIS A005840",
    ),
    (
        "orders of reflection groups",
        lambda kind: COUNT(G.coxeter(kind)),
        {
            "B3": 48,
            "D4": 192,
            "F4": 1152,
            "E6": 51840,
            "E7": 2903040,
            "G2": 12,
            "H3": 120,
            "H4": 14400,
        },
        "J. E. Humphreys, Reflection groups and Coxeter groups, section 2.11",
    ),
    (
        "reduced words of the longest permutation",
        lambda n: count_monotone_paths(G.braid(n)),
        {3: 2, 4: 16, 5: 768, 6: 292864},
        "R. P. Stanley, European J. Combin. 5 (1984); OEIS A005118",
    ),
    (
        "reduced words of the longest signed permutation",
        lambda n: count_monotone_paths(G.type_b(n)),
        {2: 2, 3: 42, 4: 24024},
        "M. D. Haiman, Discrete Math. 99 (1992)",
    ),
    (
        "permutations by inversions",
        lambda n: total_at_q(G.braid(n)),
        {4: [1, 3, 5, 6, 5, 3, 1], 5: [1, 4, 9, 15, 20, 22, 20, 15, 9, 4, 1]},
        "OEIS A008302",
    ),
    (
        "acyclic orientations",
        lambda name: graphical(GRAPHS[name]),
        {"C5": 30, "K33": 230, "octahedron": 426, "cube": 1862, "Petersen": 16680},
        "R. P. Stanley, Discrete Math. 5 (1973); N. Biggs, Algebraic Graph Theory",
    ),
    (
        "cake numbers, planes in general position",
        lambda n: COUNT(moment_planes(n, 3)),
        {3: 8, 4: 15, 5: 26, 6: 42},
        "OEIS A000125",
    ),
    (
        "bounded regions of planes in general position",
        lambda n: count_bounded(moment_planes(n, 3)),
        {4: 1, 5: 4, 6: 10},
        "R. C. Buck, Amer. Math. Monthly 50 (1943): C(n - 1, 3)",
    ),
    (
        "flats of braid arrangements",
        lambda n: whitney_numbers(G.braid(n), kind=2),
        {4: (1, 6, 7, 1), 5: (1, 10, 25, 15, 1)},
        "Stirling numbers of the second kind; OEIS A008277",
    ),
    (
        "flats of type B",
        lambda n: whitney_numbers(G.type_b(n), kind=2),
        {2: (1, 4, 1), 3: (1, 9, 13, 1), 4: (1, 16, 58, 40, 1)},
        "T. A. Dowling, J. Combin. Theory B 14 (1973); OEIS A039755",
    ),
    (
        "Möbius function of partitions of a set",
        lambda n: mobius(G.braid(n), [], range(n * (n - 1) // 2)),
        {3: 2, 4: -6, 5: 24},
        "G.-C. Rota, Z. Wahrscheinlichkeitstheorie 2 (1964)",
    ),
    (
        "faces of braid arrangements: ordered partitions of a set",
        lambda n: f_vector(G.braid(n)),
        {3: (0, 1, 6, 6), 4: (0, 1, 14, 36, 24)},
        "OEIS A019538",
    ),
    (
        "faces of the Coxeter complex of type B3",
        lambda n: f_vector(G.type_b(n)),
        {3: (1, 26, 72, 48)},
        "H. S. M. Coxeter, Regular Polytopes: the truncated cuboctahedron",
    ),
    (
        "exponent of 1 + q + q^2 in Zagier's determinant for three letters",
        zagier,
        {3: 1},
        "D. Zagier, Comm. Math. Phys. 147 (1992): (1 - q^2)^6 (1 - q^6)",
    ),
    (
        "automorphisms of the boolean arrangement",
        lambda n: automorphisms(G.boolean(n)).order,
        {3: 48, 4: 384},
        "the hyperoctahedral group; Humphreys, section 2.10",
    ),
    (
        "orbits of the chambers of a reflection group",
        lambda kind: int(chamber_orbits(G.coxeter(kind)).max()) + 1,
        {"A3": 1, "D4": 1},
        "Humphreys, theorem 1.12: simply transitive",
    ),
]
GRAPHS = {
    "C5": nx.cycle_graph(5),
    "K33": nx.complete_bipartite_graph(3, 3),
    "octahedron": nx.octahedral_graph(),
    "cube": nx.cubical_graph(),
    "Petersen": nx.petersen_graph(),
}


@pytest.mark.parametrize(("what", "compute", "known", "source"), TABLE, ids=[r[0] for r in TABLE])
def test_published(what: str, compute: Any, known: dict[Any, Any], source: str) -> None:
    found = {key: compute(*key) if isinstance(key, tuple) else compute(key) for key in known}
    assert found == known, f"{what}: {source}"
