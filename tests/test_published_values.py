"""Published numbers, one table: what, for which sizes, the numbers, and where they are published.

Further published numbers are in the tests of `algebra`, `faces`, `generators` and
`oriented_matroids`, beside the functions that they are about.
"""

from collections.abc import Callable
from itertools import combinations
from math import factorial
from typing import Any

import networkx as nx
import numpy as np
import pytest
from sympy import Symbol, factor_list

from arrangements import (
    Arrangement,
    betti_numbers,
    count_chambers,
    count_rankings,
    f_vector,
    flats,
    generators,
)
from arrangements.algebra import (
    automorphisms,
    chamber_orbits,
    count_bounded,
    exponents,
    mobius,
    tutte_polynomial,
    varchenko_determinant,
    whitney_numbers,
)
from arrangements.structure import (
    chamber_diameter,
    count_monotone_paths,
    distance_enumerator,
    zonotope,
)


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


def points_by_lines(A: Arrangement) -> tuple[int, ...]:
    """How many points are on 2, 3, .. lines of the projective plane."""
    sizes = [len(flat) for flat in flats(A).of_rank(2)]
    return tuple(sizes.count(k) for k in range(2, max(sizes) + 1))


def tutte_at(n: int, x: int, y: int) -> int:
    return int(tutte_polynomial(G.braid(n)).eval((x, y)))


def zagier(n: int) -> int:
    """Exponent of 1 + q + q^2 in the determinant for n letters, at equal weights."""
    q = Symbol("q")
    found = varchenko_determinant(generators.braid(n))
    names = {Symbol(f"a{i}"): q for i in range(n * (n - 1) // 2)}
    return dict(factor_list(found.subs(names))[1])[q**2 + q + 1]


G = generators
COUNT = count_chambers
# Scores 2 p . x - |p|^2 order points p by their distance from x.
PLACES = np.array([[0, 0], [9, 1], [2, 8], [17, 13], [5, 21]])
GRAPHS = {
    "C5": nx.cycle_graph(5),
    "K33": nx.complete_bipartite_graph(3, 3),
    "octahedron": nx.octahedral_graph(),
    "cube": nx.cubical_graph(),
    "Petersen": nx.petersen_graph(),
}
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
    (
        "exponents of reflection arrangements",
        lambda kind: exponents(G.coxeter(kind)),
        {
            "A4": (1, 2, 3, 4),
            "B4": (1, 3, 5, 7),
            "D4": (1, 3, 3, 5),
            "D5": (1, 3, 4, 5, 7),
            "E6": (1, 4, 5, 7, 8, 11),
            "E7": (1, 5, 7, 9, 11, 13, 17),
            "E8": (1, 7, 11, 13, 17, 19, 23, 29),
            "F4": (1, 5, 7, 11),
            "G2": (1, 5),
            "H3": (1, 5, 9),
            "H4": (1, 11, 19, 29),
        },
        "J. E. Humphreys, Reflection groups and Coxeter groups, section 3.20",
    ),
    (
        "orders of the groups of type D",
        lambda n: COUNT(G.type_d(n)),
        {3: 24, 5: 1920},
        "Humphreys, section 2.11: 2^(n - 1) n!",
    ),
    (
        "signed permutations by length",
        lambda n: total_at_q(G.type_b(n)),
        {2: [1, 2, 2, 2, 1], 3: [1, 3, 5, 7, 8, 8, 7, 5, 3, 1]},
        "Humphreys, section 3.15: [2] [4] [6] in q-integers",
    ),
    (
        "lengths of longest elements, as diameters",
        lambda kind: chamber_diameter(G.coxeter(kind)),
        {"A3": 6, "B3": 9, "D4": 12},
        "Humphreys, section 1.8: the number of reflections",
    ),
    (
        "bounded regions of Catalan arrangements",
        lambda n: count_bounded(G.catalan(n)),
        {2: 2, 3: 12, 4: 120},
        "A. Postnikov, R. P. Stanley (2000): (2 n - 2)! / (n - 1)!; OEIS A001813",
    ),
    (
        "regions of further extended Catalan arrangements",
        lambda n, k: COUNT(G.catalan(n, k)),
        {(2, 2): 6, (2, 3): 8, (3, 3): 132},
        "A. Postnikov, R. P. Stanley (2000): n! C((k + 1) n, n) / (k n + 1)",
    ),
    (
        "regions of Ish arrangements",
        lambda n: COUNT(G.ish(n)),
        {2: 3, 3: 16, 4: 125, 5: 1296},
        "D. Armstrong, B. Rhoades, Trans. Amer. Math. Soc. 364 (2012): as Shi's",
    ),
    (
        "bounded regions of Ish arrangements",
        lambda n: count_bounded(G.ish(n)),
        {2: 1, 3: 4, 4: 27, 5: 256},
        "D. Armstrong, B. Rhoades (2012): as Shi's",
    ),
    (
        "bounded regions of Shi arrangements of other types",
        lambda kind: count_bounded(G.shi(kind)),
        {"B2": 9, "G2": 25, "B3": 125, "D4": 625},
        "C. A. Athanasiadis, Bull. London Math. Soc. 36 (2004): (h - 1)^n",
    ),
    (
        "acyclic orientations of cycles",
        lambda n: graphical(nx.cycle_graph(n)),
        {3: 6, 4: 14, 5: 30, 6: 62, 7: 126, 8: 254},
        "R. P. Stanley, Discrete Math. 5 (1973): 2^n - 2; OEIS A000918",
    ),
    (
        "acyclic orientations of wheels",
        lambda n: graphical(nx.wheel_graph(n)),
        {4: 24, 5: 78, 6: 240, 7: 726},
        "N. Biggs, Algebraic Graph Theory: 3^(n - 1) - 3; OEIS A029858",
    ),
    (
        "acyclic orientations of trees",
        lambda n: graphical(nx.path_graph(n)),
        {2: 2, 3: 4, 4: 8, 5: 16},
        "R. P. Stanley (1973): 2^(n - 1)",
    ),
    (
        "acyclic orientations of complete bipartite graphs",
        lambda m, n: graphical(nx.complete_bipartite_graph(m, n)),
        {
            **{(2, n): k for n, k in enumerate((4, 14, 46, 146, 454), 1)},
            **{(3, n): k for n, k in enumerate((8, 46, 230, 1066), 1)},
        },
        "poly-Bernoulli numbers; OEIS A027649 and A027650",
    ),
    (
        "points of simplicial arrangements by the number of their lines, from 2 on",
        lambda n: points_by_lines(G.simplicial(n)),
        {
            6: (3, 4),
            8: (4, 6, 1),
            9: (6, 4, 3),
            10: (5, 10, 0, 1),
            12: (6, 15, 0, 0, 1),
            13: (9, 12, 3, 0, 1),
            14: (7, 21, 0, 0, 0, 1),
        },
        "B. Grünbaum, Ars Math. Contemp. 2 (2009): A(n, 1)",
    ),
    (
        "points of near-pencils by the number of their lines, from 2 on",
        lambda n: points_by_lines(G.near_pencil(n)),
        {4: (3, 1), 6: (5, 0, 0, 1)},
        "B. Grünbaum (2009): the family R(0)",
    ),
    (
        "faces of Coxeter complexes of rank 3 and 4",
        lambda kind: f_vector(G.coxeter(kind)),
        {
            "H3": (1, 62, 180, 120),
            "B4": (1, 80, 464, 768, 384),
            "D4": (1, 48, 240, 384, 192),
            "F4": (1, 240, 1392, 2304, 1152),
        },
        "H. S. M. Coxeter, Math. Z. 188 (1985): faces of the dual omnitruncated polytopes",
    ),
    (
        "spanning trees of complete graphs",
        lambda n: tutte_at(n, 1, 1),
        {3: 3, 4: 16, 5: 125, 6: 1296},
        "A. Cayley, Quart. J. Pure Appl. Math. 23 (1889): n^(n - 2)",
    ),
    (
        "labeled forests",
        lambda n: tutte_at(n, 2, 1),
        {3: 7, 4: 38, 5: 291},
        "OEIS A001858",
    ),
    (
        "labeled connected graphs",
        lambda n: tutte_at(n, 1, 2),
        {3: 4, 4: 38, 5: 728},
        "OEIS A001187",
    ),
    (
        "acyclic orientations of complete graphs with one given source",
        lambda n: tutte_at(n, 1, 0),
        {3: 2, 4: 6, 5: 24},
        "C. Greene, T. Zaslavsky, Trans. Amer. Math. Soc. 280 (1983): (n - 1)!",
    ),
    (
        "strongly connected tournaments",
        lambda n: tutte_at(n, 0, 2),
        {3: 2, 4: 24, 5: 544},
        "OEIS A054946",
    ),
    (
        "planes through a point in general position",
        lambda n: COUNT(G.generic(n, 3, 0)),
        {3: 8, 4: 14, 5: 22, 6: 32},
        "L. Schläfli, Theorie der vielfachen Kontinuität: n^2 - n + 2; OEIS A014206",
    ),
    (
        "lattice points of permutohedra",
        lambda n: zonotope(G.braid(n)).n_lattice_points,
        {2: 2, 3: 7, 4: 38, 5: 291},
        "R. P. Stanley, Ann. Discrete Math. 6 (1980): labeled forests",
    ),
    (
        "ranking patterns of unfolding models: regions of mid-hyperplane arrangements over n!",
        lambda n: COUNT(G.mid_hyperplane(n)) // factorial(n),
        {3: 1, 4: 2, 5: 12},
        "H. Kamiya, P. Orlik, A. Takemura, H. Terao, Ann. Comb. 10 (2006)",
    ),
    (
        "types of Golomb rulers: regions of Golomb ruler arrangements over n!",
        lambda n: COUNT(G.golomb(n)) // factorial(n),
        {2: 1, 3: 2, 4: 10, 5: 114, 6: 2608, 7: 107498, 8: 7325650},
        "OEIS A237749",
    ),
    (
        "comparative probability orderings, or boolean term orders",
        lambda n: COUNT(G.comparative_probability(n)) // (2**n * factorial(n)),
        {1: 1, 2: 1, 3: 2, 4: 14, 5: 516, 6: 124187},
        "D. Maclagan, Order 15 (1999); OEIS A009997",
    ),
    (
        "flats of type D",
        lambda n: whitney_numbers(G.type_d(n), kind=2),
        {3: (1, 6, 7, 1), 4: (1, 12, 34, 24, 1)},
        "OEIS A039760",
    ),
    (
        "all flats of braid arrangements",
        lambda n: len(flats(G.braid(n))),
        {3: 5, 4: 15, 5: 52, 6: 203},
        "Bell numbers; OEIS A000110",
    ),
    (
        "all flats of type B",
        lambda n: len(flats(G.type_b(n))),
        {1: 2, 2: 6, 3: 24, 4: 116},
        "Dowling numbers; OEIS A007405",
    ),
    (
        "Betti numbers of pure braid groups",
        lambda n: betti_numbers(G.braid(n)),
        {
            3: (1, 3, 2),
            4: (1, 6, 11, 6),
            5: (1, 10, 35, 50, 24),
            6: (1, 15, 85, 225, 274, 120),
        },
        "V. I. Arnold, Math. Notes 5 (1969): Stirling numbers of the first kind",
    ),
    (
        "Betti numbers of type B",
        lambda n: betti_numbers(G.type_b(n)),
        {2: (1, 4, 3), 3: (1, 9, 23, 15), 4: (1, 16, 86, 176, 105)},
        "E. Brieskorn, Lecture Notes in Math. 317 (1973): (1 + t) (1 + 3 t) ..",
    ),
    (
        "faces of crosspolytopes, as signs of coordinates",
        lambda n: f_vector(G.boolean(n)),
        {2: (1, 4, 4), 3: (1, 6, 12, 8), 4: (1, 8, 24, 32, 16)},
        "H. S. M. Coxeter, Regular Polytopes; OEIS A013609",
    ),
    (
        "regions of discriminantal arrangements of Schechtman and Varchenko",
        lambda n, k: COUNT(G.schechtman_varchenko(range(n), k)),
        {(2, 1): 3, (2, 2): 12, (3, 2): 20, (2, 3): 60},
        "V. V. Schechtman, A. N. Varchenko, Invent. Math. 106 (1991): (n + k)! / n!",
    ),
    (
        "rankings of points of the plane along its directions",
        lambda n: count_rankings(G.generic(n, 2, 0)),
        {3: 6, 4: 12, 5: 20},
        "J. E. Goodman, R. Pollack, J. Combin. Theory A 29 (1980): n (n - 1)",
    ),
    (
        "rankings of points of the plane by distance",
        lambda n: count_rankings(2 * PLACES[:n], -(PLACES[:n] ** 2).sum(axis=1)),
        {3: 6, 4: 18, 5: 46},
        "I. J. Good, T. N. Tideman, J. Combin. Theory A 23 (1977)",
    ),
]


@pytest.mark.sampled(17)
@pytest.mark.parametrize(("what", "compute", "known", "source"), TABLE, ids=[r[0] for r in TABLE])
def test_published(what: str, compute: Any, known: dict[Any, Any], source: str) -> None:
    found = {key: compute(*key) if isinstance(key, tuple) else compute(key) for key in known}
    assert found == known, f"{what}: {source}"
