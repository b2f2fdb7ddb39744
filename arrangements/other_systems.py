"""Names that Sage, polymake, Macaulay2 and OSCAR use, and the names here.

An AttributeError for one of them says what to call instead, and docs/comparison.md shows the table
(``python tests/test_other_systems.py`` writes it).
"""

from functools import cache

SYSTEMS = ("here", "Sage", "polymake", "Macaulay2", "OSCAR")
# A line without bars is a heading. The first column has functions, methods or attributes;
# "=" is the name in the first column.
TABLE = """
The arrangement
Arrangement | HyperplaneArrangements | HyperplaneArrangement | arrangement, CentralArrangement |
normals, offsets | hyperplanes | HYPERPLANES | hyperplanes, coefficients |
labels | | HYPERPLANE_LABELS | |
n_hyperplanes | = | N_HYPERPLANES | |
dimension | = | HYPERPLANE_AMBIENT_DIM | |
rank | = | | = |
is_central | is_linear | | isCentral |
has_common_point, center | is_central, center | LINEALITY_SPACE | |
is_essential | = | | |
field | base_ring | | |
oriented_matroid, OrientedMatroid | matroid | Matroid | matroid | matroid_from_matrix_rows
defining_polynomial | = | | |
is_good_reduction, reduction_modulo | has_good_reduction, change_ring | | |
plot_arrangement | plot | VISUAL | |

New arrangements from old
deletion | = | = | = | =
restriction | = | contraction | restriction, eulerRestriction | contraction
localization | | | subArrangement |
union | union, add_hyperplane | | |
product | | | arrangementSum |
simplify | | make_hyperplanes_unique_in_support | trim, compress |
cone | = | | = |
decone | | | deCone |
essentialization | = | project_full | makeEssential |

Chambers
chambers, iter_chambers | regions | CHAMBER_DECOMPOSITION, CHAMBER_SIGNATURES | |
count_chambers | n_regions | N_MAXIMAL_CONES | |
count_bounded | n_bounded_regions | | |
bounded_chambers | bounded_regions, unbounded_regions | | |
sign_vector_at | sign_vector, region_containing_point | | |
feasible | | signature_to_chamber, chamber_to_signature | |
chamber_polyhedron | | MAXIMAL_CONES | |
walls, neighbors | | FACETS | |
chamber_distance | distance_between_regions, is_separating_hyperplane | | |
distance_enumerator | = | | |
poset_of_chambers | poset_of_regions, tope_poset | | |
chamber_graph | | DUAL_GRAPH | |
is_simplicial, simplicial_chambers | is_simplicial | SIMPLICIAL | |
varchenko_matrix, varchenko_determinant | varchenko_matrix | | |

Counting
characteristic_polynomial | = | | characteristicPolynomial | =
betti_numbers | poincare_polynomial | | poincare |
whitney_numbers | whitney_number | | |
doubly_indexed_whitney_numbers | doubly_indexed_whitney_number, whitney_data | | |
cocharacteristic_polynomial | = | | |
primitive_eulerian_polynomial | = | | |
tutte_polynomial | = | TUTTE_POLYNOMIAL | tuttePolynomial | =
mobius | moebius_function | | |

Flats and faces
flats | = | MATROID_HYPERPLANES | = | =
intersection_poset | intersection_poset, lattice_of_flats | LATTICE_OF_FLATS | latticeOfFlats |
f_vector | face_vector | F_VECTOR | fVector |
covectors, iter_faces | closed_faces | CONES | |
face_lattice | face_poset, face_lattice | HASSE_DIAGRAM | |
vertices, rays | vertices | RAYS, RAYS_IN_HYPERPLANES | |
zonotope | = | = | |

Oriented matroids
circuits | = | CIRCUITS | = | =
cocircuits | = | COCIRCUITS | | =
vectors | = | VECTORS | |
topes | topes, elements | | |
chirotope | = | CHIROTOPE | |
n, labels | groundset, ground_set | N_ELEMENTS | groundSet | matroid_groundset
rank | rank, full_rank | RANK | = | =
bases | = | BASES, N_BASES | = | =
rank_of | rank | | rank | rank
closure | = | | = | =
loops | = | LOOPS | = | =
coloops | = | | = | =
components | = | CONNECTED_COMPONENTS | = | connected_components
dual | = | DUAL | = | dual_matroid
contraction | contract | = | = | =
deletion | delete | = | = | =
minor | = | | = | =
isomorphism, is_isomorphic | = | | areIsomorphic | is_isomorphic
automorphisms | automorphism_group | | | automorphism_group
bases, rank_of, closure, components | matroid | | matroid |

Algebra
betti_numbers, nbc_bases | orlik_solomon_algebra, no_broken_circuits_sets | | orlikSolomon |
freeness | derivation_module_basis | | der |
is_free | = | | |
inductive_chain | derivation_module_free_chain | | |
is_formal | = | | |
minimal_generated_number | = | | |

Families
generators.braid | braid | | typeA |
generators.boolean | coordinate | | |
generators.graphical | graphical | | graphic |
generators.shi | Shi | | |
generators.catalan | Catalan | | |
generators.linial | linial | | |
generators.semiorder | semiorder | | |
generators.ish | Ish | | |
generators.coxeter | Coxeter | | |
generators.type_b | | | typeB |
generators.type_d | | | typeD |
generators.generic | | | genericArrangement, randomArrangement |
generators.bigraphical | bigraphical | | |
generators.facet_arrangement | hyperplane_arrangement | facet_arrangement | |
"""


def rows() -> "list[list[list[str]]]":
    """The table: for each line the names of each column; a heading is a row of one name.

    Examples
    --------
    >>> rows()[1]
    [['Arrangement'], ['HyperplaneArrangements'], ['HyperplaneArrangement'], ['arrangement', \
'CentralArrangement'], []]
    """
    found = []
    for line in filter(None, TABLE.splitlines()):
        here, *others = (cell.strip() for cell in line.split("|"))
        cells = (here, *(here if cell == "=" else cell for cell in others))
        found.append([cell.split(", ") if cell else [] for cell in cells])
    return found


@cache
def names_here() -> "dict[str, list[tuple[str, list[str]]]]":
    """For each name in another system the class and the names here, best answer first.

    Examples
    --------
    >>> names_here()["n_regions"]
    [('Arrangement', ['count_chambers'])]
    """
    found: dict[str, list[tuple[str, list[str]]]] = {}
    kind = ""
    for here, *others in rows():
        if not others:
            kind = "OrientedMatroid" if here == ["Oriented matroids"] else "Arrangement"
        for name in {name for cell in others for name in cell}:
            found.setdefault(name, []).append((kind, here))
    return found
