"""All public names: the module in which users find each, and the file that defines it.

A public module is `arrangements` itself or one of its submodules listed here. Names are imported
when they are first used, so ``import arrangements`` takes milliseconds. The stubs ``__init__.pyi``
tell type checkers the same; ``python tests/stubs.py`` writes them.
"""

import sys
from importlib import import_module

from arrangements.keywords import answer_other_names

# Type checkers take it for True. Loading typing takes longer than all of this file.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Public module ("" is the package itself): file below the package: names it defines.
MODULES: dict[str, dict[str, str]] = {
    "": {
        "version": "__version__",
        "core.arrangement": "Arrangement",
        "core.hyperplane": "Hyperplane",
        "core.score_model": "ScoreModel",
        "exact.number_field": "NumberField",
        "oriented_matroids.oriented_matroid": "OrientedMatroid",
        "sets.sign_vectors": "SignVectors",
        "sets.rankings": "Rankings",
        "errors": "ArrangementError",
        "certificates.certificate": "Certificate",
        "certificates.certificate_table": "Certificates",
        "certificates.top_certificate": "TopCertificate",
        "certificates.one_sign_vector": "feasible",
        "certificates.many": "feasible_many can_be_top",
        "polyhedra.polyhedron": "Polyhedron",
        "enumeration.chambers": "chambers iter_chambers count_chambers",
        "enumeration.many_matrices": "chambers_many count_chambers_many",
        "enumeration.rankings": "rankings iter_rankings count_rankings",
        "models.tops": "argmax_labels top_k_rankings top_k_sets",
        "counting.polynomials": "characteristic_polynomial betti_numbers",
        "structure.intersections": "flats",
        "structure.face_numbers": "f_vector",
        "structure.points": "sign_vector_at",
        "structure.derived": "deletion restriction",
        "structure.coordinates": "cone",
        "optimize.chamber_search": "best_chamber",
        "models.audits": "audit",
        "models.comparison": "compare",
        "explorer.explore": "explore",
        "files.matrices": "load_matrix load_vector",
        "files.names": "load_names",
        "runs.writing": "write_chambers write_rankings",
        "runs.folding": "fold_chambers fold_rankings",
        "runs.reading": "open_run",
        "runs.checking": "check_run",
        "proofs.writing": "write_certificate",
        "plot.hyperplanes": "plot_arrangement",
        "plot.rankings": "plot_rankings",
    },
    "algebra": {
        "counting.polynomials": "whitney_numbers count_bounded",
        "counting.transcripts": "CountReport check_count",
        "counting.ranking_counts": "generic_ranking_count",
        "algebra.tutte": "tutte_polynomial coboundary_polynomial",
        "algebra.flat_numbers": "mobius exponents doubly_indexed_whitney_numbers "
        "cocharacteristic_polynomial primitive_eulerian_polynomial",
        "algebra.broken_circuits": "nbc_bases nbc_sets",
        "algebra.chains": "modular_chain is_supersolvable inductive_chain is_inductively_free",
        "algebra.free_arrangements": "freeness is_free Freeness",
        "algebra.multiarrangements": "Multiarrangement ziegler_restriction log_canonical_threshold",
        "algebra.formality": "minimal_generated_number is_formal",
        "algebra.orbit_counts": "count_orbits mirrors",
        "algebra.reflections": "is_reflection",
        "algebra.equations": "defining_polynomial reduction_modulo is_good_reduction "
        "count_points_modulo",
        "algebra.varchenko": "varchenko_matrix varchenko_determinant VarchenkoMatrix",
        "oriented_matroids.symmetry": "automorphisms Automorphisms chamber_orbits "
        "arrangement_isomorphism",
        "oriented_matroids.comparison": "same_oriented_matroid OrientedMatroidComparison",
        "oriented_matroids.chirotopes": "check_chirotope ChirotopeCheck",
        "oriented_matroids.isomorphism": "Isomorphism",
        "oriented_matroids.extensions": "iter_oriented_matroids one_element_extensions mutations "
        "canonical_form",
        "oriented_matroids.realizability": "is_realizable realizability Realizability",
        "oriented_matroids.final_polynomials": "BiquadraticInequality",
        "structure.sampling": "sample_chambers ChamberSample",
        "structure.implicit": "implicit_chambers implicit_rankings "
        "ImplicitChambers ImplicitRankings",
        "structure.walks": "chamber_walk ChamberWalk",
    },
    "structure": {
        "structure.intersections": "intersection_poset Flats",
        "structure.faces": "covectors iter_faces",
        "structure.face_orders": "face_lattice",
        "structure.points": "vertices rays chamber_polyhedron",
        "structure.zonotopes": "zonotope Zonotope Mesh",
        "structure.chamber_properties": "walls neighbors is_simplicial simplicial_chambers "
        "bounded_chambers chamber_distance chamber_distances",
        "structure.chamber_graphs": "chamber_edges iter_chamber_edges chamber_graph "
        "poset_of_chambers ranking_graph",
        "structure.graph_numbers": "chamber_degrees chamber_diameter distance_enumerator "
        "count_monotone_paths",
        "structure.derived": "localization product simplify union",
        "structure.coordinates": "change_of_basis decone essentialization center has_common_point",
        "structure.result": "Derived AffineMap",
        "models.ties": "tie_set tie_sets top_ties TieSet",
    },
    "optimize": {
        "optimize.optimum": "Optimum",
        "optimize.ranking_search": "best_ranking BestRanking place_range",
        "optimize.subsystems": "max_feasible Subsystem",
        "optimize.depth": "halfspace_depth",
        "optimize.depth_regions": "halfspace_median depth_region depth_contours DepthRegion",
        "optimize.simplicial": "simplicial_depth",
        "optimize.regression": "regression_depth deepest_regression DeepestRegression",
        "optimize.kemeny": "kemeny_ranking KemenyRanking",
        "optimize.quadratic": "binary_quadratic BinaryOptimum l1_pca L1Component",
        "optimize.trees": "best_tree HyperplaneTree",
        "optimize.zero_one": "ZeroOneClassifier",
    },
    "models": {
        "models.classifiers": "SigmoidClassifier SoftmaxClassifier",
        "models.audit_report": "Audit AuditComparison",
        "models.repairs": "Repair",
        "models.lead_search": "leads",
        "models.comparison": "ModelComparison ModelDifference",
        "core.low_rank": "low_rank_structure LowRankStructure",
    },
    "exchange": {
        "exchange.equations": "from_equations",
        "exchange.sage": "to_sage from_sage",
        "exchange.macaulay2": "to_macaulay2 from_macaulay2",
        "exchange.polymake": "to_polymake from_polymake",
        "exchange.oscar": "to_oscar from_oscar",
        "exchange.vnnlib": "from_vnnlib NetworkProperty PropertyCase",
    },
    "runs": {
        "runs.reading": "Run",
        "runs.checking": "RunReport",
    },
    "networks": {
        "networks.layer": "Layer",
        "networks.network": "Network",
        "networks.listing": "regions iter_regions count_regions region_at",
        "networks.region_set": "Regions",
        "networks.region": "Region Wall",
        "networks.segments": "path Path",
        "networks.slices": "slice_network Slice",
        "networks.graphs": "dual_graph",
        "networks.units": "unit_states UnitStates",
        "networks.bounds": "region_bounds RegionBounds",
        "networks.folding": "fold_regions",
        "networks.planning": "plan_regions RegionPlan",
        "networks.complexes": "region_f_vector",
        "networks.decisions": "decision_regions iter_decision_regions",
        "networks.decision_set": "DecisionRegion DecisionRegions",
        "networks.outputs": "can_output maximum minimum",
        "networks.properties": "counterexamples",
        "networks.robustness": "other_class robust_radius robust_radii",
        "networks.comparing": "differing_input difference_network",
        "networks.gradients": "lipschitz_constant is_monotone LipschitzConstant Monotonicity",
        "networks.output_answers": "OutputCertificate OutputOptimum RobustRadius",
        "runs.region_writing": "write_regions",
    },
    "plot": {
        "plot.depths": "plot_depth",
        "plot.gaps": "plot_gap",
        "plot.polyhedra": "plot_polyhedron",
        "plot.zonotopes": "plot_zonotope",
        "plot.networks": "plot_network",
        "plot.lattices": "plot_intersection_lattice",
        "explorer.explore": "Explorer",
    },
    "paper": {
        "paper.verification": "verify Result",
        "paper.cosines": "cosine_matrix difference_cosine_matrix rounded_cosine_matrix "
        "rounded_difference_cosine_matrix same_cosines",
        "paper.definitions": "braid_matrix sign_pattern ranking_pattern",
        "paper.reconstruction": "sign_pattern_from_cosines ranking_pattern_from_difference_cosines "
        "RescaledGram",
        "paper.softmax": "equivalent_softmax same_softmax SameSoftmax",
        "paper.translations": "equivalent_models EquivalentModels translation_for_cosine "
        "SimilarityWitness",
        "paper.figures": "plot_bjorner",
    },
    "errors": {
        "errors": "InputError InputTypeError DegenerateArrangementError TiedLabelsError "
        "TooLargeError IncompleteError UnknownMethodError NotGenericFlagError "
        "MissingDependencyError LowRankWarning RoundingWarning SlowCountWarning WitnessWarning "
        "MissingGlyphWarning",
    },
}
# The same for named families, which ask nothing of an arrangement.
OWN: dict[str, dict[str, str]] = {
    "generators": {
        "generators.configurations": "named",
        "generators.deformations": "G_semiorder G_Shi IshB bigraphical catalan deformation ish "
        "linial semiorder shi",
        "generators.facets": "facet_arrangement",
        "generators.graphs": "graphical",
        "generators.polytopes": "cell24 crosspolytope demicube permutohedron threshold",
        "generators.positions": "cyclic discriminantal generic low_rank_braid "
        "schechtman_varchenko spanned_by",
        "generators.reflections": "boolean braid coxeter inversion positive_roots type_b type_d",
        "generators.regular": "cell120 cell600 dodecahedron icosahedron near_pencil polygon "
        "simplicial",
        "generators.sums": "comparative_probability golomb mid_hyperplane resonance",
    },
}
# Name -> public module, and name -> file that defines it.
MODULE = {n: m for m, files in MODULES.items() for names in files.values() for n in names.split()}
HOME = {n: f for files in MODULES.values() for f, names in files.items() for n in names.split()}


def address(name: str) -> str:
    """The public module of a name, with the package: ``"arrangements.optimize"``."""
    return f"arrangements.{MODULE[name]}".rstrip(".")


def find(name: str) -> object:
    """What a public name stands for.

    Examples
    --------
    >>> find("count_chambers")([[1, 0], [0, 1]])
    4
    """
    return getattr(import_module(f"arrangements.{HOME[name]}"), name)


def attribute_error(attribute: str, owner: object = None) -> AttributeError:
    """The error for an attribute that does not exist: names known from other systems get advice.

    `owner` is the object that lacks it, or None for the package.

    Examples
    --------
    >>> print(attribute_error("n_regions"))
    module 'arrangements' has no attribute 'n_regions'; use arrangements.count_chambers
    """
    from arrangements.other_systems import names_of  # only for errors

    kind = type(owner)
    title = "module 'arrangements'" if owner is None else f"{kind.__name__!r} object"
    variable = "M" if kind.__name__ == "OrientedMatroid" else "A"
    answers = names_of(attribute, kind.__name__)
    if owner is None and attribute in MODULE:
        answers = [*answers, ("", [attribute])]
    own, functions, members = [], [], []
    for place, names in answers:
        for name in names:
            if owner is not None and (hasattr(kind, name) or name in vars(owner)):
                own.append(f"{variable}.{name}" + "()" * callable(getattr(kind, name, None)))
            elif variable == "M" and "." not in name:
                continue  # functions that take an oriented matroid are methods of it, too
            elif name in MODULE or "." in name:
                functions.append(f"{address(name) if name in MODULE else 'arrangements'}.{name}")
            else:
                members.append(f"arrangements.{place}.{name}")
    advice = " or ".join(dict.fromkeys(own or functions or members))
    message = f"{title} has no attribute {attribute!r}" + (f"; use {advice}" if advice else "")
    return AttributeError(message, name=attribute, obj=owner or sys.modules["arrangements"])


def attach(module: str) -> "tuple[list[str], Callable[[str], object], Callable[[], list[str]]]":
    """``__all__``, ``__getattr__`` and ``__dir__`` of a public module.

    Examples
    --------
    >>> from arrangements import optimize
    >>> "halfspace_depth" in dir(optimize)
    True
    """
    package = f"arrangements.{module}".rstrip(".")
    files = {**MODULES, **OWN}[module]
    homes = {name: file for file, names in files.items() for name in names.split()}
    modules = [] if module else [name for name in (*MODULES, *OWN) if name]
    names = [*homes, *modules]

    def get(name: str) -> object:
        if name not in names and not module:
            raise attribute_error(name)
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if name in modules:
            value = import_module(f"{package}.{name}")
        else:
            found = getattr(import_module(f"arrangements.{homes[name]}"), name)
            value = answer_other_names(found)
            if value is not found:
                value.__module__ = package  # where pickle finds it
        setattr(sys.modules[package], name, value)
        return value

    return names, get, lambda: sorted(names)
