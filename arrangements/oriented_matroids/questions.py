"""Questions about an oriented matroid: public functions that take one in place of W, as methods."""

from arrangements.core.shortcuts import Shortcut


class Questions:
    """The questions that need only the matroid, or its covectors."""

    _methods_of = "OrientedMatroid"

    automorphisms: Shortcut = Shortcut("automorphisms")
    bounded_chambers: Shortcut = Shortcut("bounded_chambers")
    chamber_degrees: Shortcut = Shortcut("chamber_degrees")
    chamber_diameter: Shortcut = Shortcut("chamber_diameter")
    chamber_distance: Shortcut = Shortcut("chamber_distance")
    chamber_distances: Shortcut = Shortcut("chamber_distances")
    chamber_edges: Shortcut = Shortcut("chamber_edges")
    chamber_graph: Shortcut = Shortcut("chamber_graph")
    chamber_orbits: Shortcut = Shortcut("chamber_orbits")
    chamber_walk: Shortcut = Shortcut("chamber_walk")
    coboundary_polynomial: Shortcut = Shortcut("coboundary_polynomial")
    cocharacteristic_polynomial: Shortcut = Shortcut("cocharacteristic_polynomial")
    count_bounded: Shortcut = Shortcut("count_bounded")
    count_chambers: Shortcut = Shortcut("count_chambers")
    count_monotone_paths: Shortcut = Shortcut("count_monotone_paths")
    distance_enumerator: Shortcut = Shortcut("distance_enumerator")
    doubly_indexed_whitney_numbers: Shortcut = Shortcut("doubly_indexed_whitney_numbers")
    exponents: Shortcut = Shortcut("exponents")
    f_vector: Shortcut = Shortcut("f_vector")
    face_lattice: Shortcut = Shortcut("face_lattice")
    inductive_chain: Shortcut = Shortcut("inductive_chain")
    is_inductively_free: Shortcut = Shortcut("is_inductively_free")
    is_realizable: Shortcut = Shortcut("is_realizable")
    is_simplicial: Shortcut = Shortcut("is_simplicial")
    is_supersolvable: Shortcut = Shortcut("is_supersolvable")
    iter_chamber_edges: Shortcut = Shortcut("iter_chamber_edges")
    iter_faces: Shortcut = Shortcut("iter_faces")
    log_canonical_threshold: Shortcut = Shortcut("log_canonical_threshold")
    mobius: Shortcut = Shortcut("mobius")
    modular_chain: Shortcut = Shortcut("modular_chain")
    nbc_bases: Shortcut = Shortcut("nbc_bases")
    nbc_sets: Shortcut = Shortcut("nbc_sets")
    neighbors: Shortcut = Shortcut("neighbors")
    plot_intersection_lattice: Shortcut = Shortcut("plot_intersection_lattice")
    poset_of_chambers: Shortcut = Shortcut("poset_of_chambers")
    primitive_eulerian_polynomial: Shortcut = Shortcut("primitive_eulerian_polynomial")
    realizability: Shortcut = Shortcut("realizability")
    sample_chambers: Shortcut = Shortcut("sample_chambers")
    simplicial_chambers: Shortcut = Shortcut("simplicial_chambers")
    tutte_polynomial: Shortcut = Shortcut("tutte_polynomial")
    varchenko_determinant: Shortcut = Shortcut("varchenko_determinant")
    varchenko_matrix: Shortcut = Shortcut("varchenko_matrix")
    walls: Shortcut = Shortcut("walls")
