"""Exact sign vectors, chambers and rankings of real hyperplane arrangements.

Names are imported on first use, so ``import arrangements`` stays cheap.

Examples
--------
>>> import arrangements
>>> arrangements.count_chambers([[1, 0], [0, 1], [1, 1]])
6
"""

from importlib import import_module

from arrangements.version import __version__

# Type checkers take it for True; typing itself would take longer to load than all of this.
TYPE_CHECKING = False

_SUBMODULES = ("examples", "generators")
# Public name -> module that defines it.
_HOME = {
    "Arrangement": "model.arrangement",
    "Hyperplane": "model.hyperplane",
    "NumberField": "exact.number_field",
    "SignVectors": "sets.sign_vectors",
    "Rankings": "sets.rankings",
    "ScoreModel": "model.score_model",
    "LowRankStructure": "model.low_rank",
    "low_rank_structure": "model.low_rank",
    "Certificate": "feasibility.certificates",
    "feasible": "batches.one_question",
    "Certificates": "batches.certificates",
    "TopCertificate": "batches.top_certificate",
    "can_be_top": "questions.many",
    "feasible_many": "questions.many",
    "chambers": "enumeration.chambers",
    "iter_chambers": "enumeration.chambers",
    "count_chambers": "enumeration.chambers",
    "count_chambers_many": "enumeration.many_matrices",
    "chambers_many": "enumeration.many_matrices",
    "characteristic_polynomial": "counting.polynomials",
    "betti_numbers": "counting.polynomials",
    "whitney_numbers": "counting.polynomials",
    "count_bounded": "counting.polynomials",
    "rankings": "enumeration.rankings",
    "iter_rankings": "enumeration.rankings",
    "count_rankings": "enumeration.rankings",
    "generic_ranking_count": "counting.ranking_counts",
    "argmax_labels": "enumeration.tops",
    "top_k_rankings": "enumeration.tops",
    "top_k_sets": "enumeration.tops",
    "write_chambers": "runs.writing",
    "write_rankings": "runs.writing",
    "best_chamber": "optimize.best_chamber",
    "Optimum": "optimize.optimum",
    "best_ranking": "optimize.best_ranking",
    "BestRanking": "optimize.best_ranking",
    "Subsystem": "optimize.subsystems",
    "max_feasible": "optimize.subsystems",
    "ZeroOneClassifier": "optimize.zero_one",
    "halfspace_depth": "optimize.depth",
    "halfspace_median": "optimize.depth_regions",
    "depth_region": "optimize.depth_regions",
    "DepthRegion": "optimize.depth_regions",
    "place_range": "optimize.places",
    "binary_quadratic": "optimize.quadratic",
    "BinaryOptimum": "optimize.quadratic",
    "l1_pca": "optimize.quadratic",
    "L1Component": "optimize.quadratic",
    "fold_chambers": "runs.folding",
    "fold_rankings": "runs.folding",
    "open_run": "runs.reading",
    "Run": "runs.reading",
    "RunReport": "runs.checking",
    "check_run": "runs.checking",
    "write_certificate": "proofs.writing",
    "load_matrix": "files.matrices",
    "load_vector": "files.matrices",
    "load_names": "files.matrices",
    "ArrangementError": "errors",
    "InputError": "errors",
    "InputTypeError": "errors",
    "DegenerateArrangementError": "errors",
    "TiedLabelsError": "errors",
    "TooLargeError": "errors",
    "IncompleteError": "errors",
    "UnknownMethodError": "errors",
    "LowRankWarning": "errors",
    "NotGenericFlagError": "errors",
    "RoundingWarning": "errors",
    "SlowCountWarning": "errors",
    "WitnessWarning": "errors",
    "Derived": "faces.result",
    "change_of_basis": "faces.coordinates",
    "cone": "faces.coordinates",
    "decone": "faces.coordinates",
    "essentialization": "faces.coordinates",
    "deletion": "faces.derived",
    "localization": "faces.derived",
    "product": "faces.derived",
    "restriction": "faces.derived",
    "simplify": "faces.derived",
    "union": "faces.derived",
    "OrientedMatroid": "oriented_matroids.oriented_matroid",
    "check_chirotope": "oriented_matroids.chirotopes",
    "same_oriented_matroid": "oriented_matroids.comparison",
    "braid_matrix": "paper.definitions",
    "cosine_matrix": "paper.definitions",
    "difference_cosine_matrix": "paper.definitions",
    "ranking_pattern": "paper.definitions",
    "ranking_pattern_from_difference_cosines": "paper.reconstruction",
    "same_cosines": "paper.definitions",
    "sign_pattern": "paper.definitions",
    "sign_pattern_from_cosines": "paper.reconstruction",
    "equivalent_models": "paper.translations",
    "equivalent_softmax": "paper.translations",
    "SameSoftmax": "paper.translations",
    "same_softmax": "paper.translations",
    "translation_for_cosine": "paper.translations",
    "verify": "paper.verification",
    "TieSet": "enumeration.ties",
    "tie_set": "enumeration.ties",
    "tie_sets": "enumeration.ties",
    "top_ties": "enumeration.ties",
    "plot_arrangement": "pictures.plots",
    "plot_bjorner": "paper.figures",
    "plot_depth": "pictures.depths",
    "plot_rankings": "pictures.plots",
    "explore": "explorer.explore",
    "Explorer": "explorer.explore",
    "audit": "questions.audit",
    "Audit": "questions.audit",
    "compare": "questions.comparison",
    "ModelComparison": "questions.comparison",
    "ModelDifference": "questions.comparison",
    "SigmoidClassifier": "classifiers",
    "SoftmaxClassifier": "classifiers",
    "MissingDependencyError": "errors",
    "MissingGlyphWarning": "errors",
    "tutte_polynomial": "algebra.tutte",
    "coboundary_polynomial": "algebra.tutte",
    "doubly_indexed_whitney_numbers": "algebra.flat_numbers",
    "mobius": "algebra.flat_numbers",
    "exponents": "algebra.flat_numbers",
    "cocharacteristic_polynomial": "algebra.flat_numbers",
    "primitive_eulerian_polynomial": "algebra.flat_numbers",
    "nbc_bases": "algebra.broken_circuits",
    "nbc_sets": "algebra.broken_circuits",
    "modular_chain": "algebra.supersolvable",
    "is_supersolvable": "algebra.supersolvable",
    "inductive_chain": "algebra.inductive",
    "is_inductively_free": "algebra.inductive",
    "freeness": "algebra.freeness",
    "is_free": "algebra.freeness",
    "Freeness": "algebra.freeness",
    "is_simplicial": "faces.chamber_properties",
    "minimal_generated_number": "algebra.formality",
    "is_formal": "algebra.formality",
    "is_reflection": "algebra.reflections",
    "sample_chambers": "faces.sampling",
    "ChamberSample": "faces.sampling",
    "chamber_walk": "faces.walks",
    "ChamberWalk": "faces.walks",
    "automorphisms": "oriented_matroids.symmetry",
    "chamber_orbits": "oriented_matroids.symmetry",
    "arrangement_isomorphism": "oriented_matroids.symmetry",
    "varchenko_matrix": "algebra.varchenko",
    "varchenko_determinant": "algebra.varchenko",
    "VarchenkoMatrix": "algebra.varchenko",
    "defining_polynomial": "algebra.equations",
    "reduction_modulo": "algebra.equations",
    "is_good_reduction": "algebra.equations",
    "count_points_modulo": "algebra.equations",
    "chamber_degrees": "faces.graph_numbers",
    "chamber_diameter": "faces.graph_numbers",
    "distance_enumerator": "faces.graph_numbers",
    "count_monotone_paths": "faces.graph_numbers",
    "centre": "faces.centre",
    "has_common_point": "faces.centre",
    "chamber_polyhedron": "faces.polyhedra",
    "ChamberPolyhedron": "faces.polyhedra",
    "flats": "faces.intersections",
    "Flats": "faces.intersections",
    "intersection_poset": "faces.intersections",
    "covectors": "faces.faces",
    "iter_faces": "faces.faces",
    "f_vector": "faces.faces",
    "face_lattice": "faces.faces",
    "vertices": "faces.points",
    "rays": "faces.points",
    "zonotope": "faces.zonotopes",
    "Zonotope": "faces.zonotopes",
    "plot_zonotope": "pictures.zonotopes",
    "region_containing": "faces.points",
    "walls": "faces.chamber_properties",
    "neighbours": "faces.chamber_properties",
    "bounded_chambers": "faces.chamber_properties",
    "simplicial_chambers": "faces.chamber_properties",
    "chamber_distance": "faces.chamber_properties",
    "chamber_distances": "faces.chamber_properties",
    "chamber_edges": "faces.chamber_graphs",
    "iter_chamber_edges": "faces.chamber_graphs",
    "chamber_graph": "faces.chamber_graphs",
    "poset_of_chambers": "faces.chamber_graphs",
    "ranking_graph": "faces.chamber_graphs",
}

if TYPE_CHECKING:
    from arrangements import examples as examples
    from arrangements import generators as generators
    from arrangements.algebra.broken_circuits import nbc_bases, nbc_sets
    from arrangements.algebra.equations import (
        count_points_modulo,
        defining_polynomial,
        is_good_reduction,
        reduction_modulo,
    )
    from arrangements.algebra.flat_numbers import (
        cocharacteristic_polynomial,
        doubly_indexed_whitney_numbers,
        exponents,
        mobius,
        primitive_eulerian_polynomial,
    )
    from arrangements.algebra.formality import is_formal, minimal_generated_number
    from arrangements.algebra.freeness import Freeness, freeness, is_free
    from arrangements.algebra.inductive import inductive_chain, is_inductively_free
    from arrangements.algebra.reflections import is_reflection
    from arrangements.algebra.supersolvable import is_supersolvable, modular_chain
    from arrangements.algebra.tutte import coboundary_polynomial, tutte_polynomial
    from arrangements.algebra.varchenko import (
        VarchenkoMatrix,
        varchenko_determinant,
        varchenko_matrix,
    )
    from arrangements.batches.certificates import Certificates
    from arrangements.batches.one_question import feasible
    from arrangements.batches.top_certificate import TopCertificate
    from arrangements.classifiers import SigmoidClassifier, SoftmaxClassifier
    from arrangements.counting.polynomials import (
        betti_numbers,
        characteristic_polynomial,
        count_bounded,
        whitney_numbers,
    )
    from arrangements.counting.ranking_counts import generic_ranking_count
    from arrangements.enumeration.chambers import chambers, count_chambers, iter_chambers
    from arrangements.enumeration.many_matrices import chambers_many, count_chambers_many
    from arrangements.enumeration.rankings import count_rankings, iter_rankings, rankings
    from arrangements.enumeration.ties import TieSet, tie_set, tie_sets, top_ties
    from arrangements.enumeration.tops import argmax_labels, top_k_rankings, top_k_sets
    from arrangements.errors import (
        ArrangementError,
        DegenerateArrangementError,
        IncompleteError,
        InputError,
        InputTypeError,
        LowRankWarning,
        MissingDependencyError,
        MissingGlyphWarning,
        NotGenericFlagError,
        RoundingWarning,
        SlowCountWarning,
        TiedLabelsError,
        TooLargeError,
        UnknownMethodError,
        WitnessWarning,
    )
    from arrangements.exact.number_field import NumberField
    from arrangements.explorer.explore import Explorer, explore
    from arrangements.faces.centre import centre, has_common_point
    from arrangements.faces.chamber_graphs import (
        chamber_edges,
        chamber_graph,
        iter_chamber_edges,
        poset_of_chambers,
        ranking_graph,
    )
    from arrangements.faces.chamber_properties import (
        bounded_chambers,
        chamber_distance,
        chamber_distances,
        is_simplicial,
        neighbours,
        simplicial_chambers,
        walls,
    )
    from arrangements.faces.coordinates import change_of_basis, cone, decone, essentialization
    from arrangements.faces.derived import (
        deletion,
        localization,
        product,
        restriction,
        simplify,
        union,
    )
    from arrangements.faces.faces import covectors, f_vector, face_lattice, iter_faces
    from arrangements.faces.graph_numbers import (
        chamber_degrees,
        chamber_diameter,
        count_monotone_paths,
        distance_enumerator,
    )
    from arrangements.faces.intersections import Flats, flats, intersection_poset
    from arrangements.faces.points import rays, region_containing, vertices
    from arrangements.faces.polyhedra import ChamberPolyhedron, chamber_polyhedron
    from arrangements.faces.result import Derived
    from arrangements.faces.sampling import ChamberSample, sample_chambers
    from arrangements.faces.walks import ChamberWalk, chamber_walk
    from arrangements.faces.zonotopes import Zonotope, zonotope
    from arrangements.feasibility.certificates import Certificate
    from arrangements.files.matrices import load_matrix, load_names, load_vector
    from arrangements.model.arrangement import Arrangement
    from arrangements.model.hyperplane import Hyperplane
    from arrangements.model.low_rank import LowRankStructure, low_rank_structure
    from arrangements.model.score_model import ScoreModel
    from arrangements.optimize.best_chamber import best_chamber
    from arrangements.optimize.best_ranking import BestRanking, best_ranking
    from arrangements.optimize.depth import halfspace_depth
    from arrangements.optimize.depth_regions import DepthRegion, depth_region, halfspace_median
    from arrangements.optimize.optimum import Optimum
    from arrangements.optimize.places import place_range
    from arrangements.optimize.quadratic import (
        BinaryOptimum,
        L1Component,
        binary_quadratic,
        l1_pca,
    )
    from arrangements.optimize.subsystems import Subsystem, max_feasible
    from arrangements.optimize.zero_one import ZeroOneClassifier
    from arrangements.oriented_matroids.chirotopes import check_chirotope
    from arrangements.oriented_matroids.comparison import same_oriented_matroid
    from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid
    from arrangements.oriented_matroids.symmetry import (
        arrangement_isomorphism,
        automorphisms,
        chamber_orbits,
    )
    from arrangements.paper.definitions import (
        braid_matrix,
        cosine_matrix,
        difference_cosine_matrix,
        ranking_pattern,
        same_cosines,
        sign_pattern,
    )
    from arrangements.paper.figures import plot_bjorner
    from arrangements.paper.reconstruction import (
        ranking_pattern_from_difference_cosines,
        sign_pattern_from_cosines,
    )
    from arrangements.paper.translations import (
        SameSoftmax,
        equivalent_models,
        equivalent_softmax,
        same_softmax,
        translation_for_cosine,
    )
    from arrangements.paper.verification import verify
    from arrangements.pictures.depths import plot_depth
    from arrangements.pictures.plots import plot_arrangement, plot_rankings
    from arrangements.pictures.zonotopes import plot_zonotope
    from arrangements.proofs.writing import write_certificate
    from arrangements.questions.audit import Audit, audit
    from arrangements.questions.comparison import ModelComparison, ModelDifference, compare
    from arrangements.questions.many import can_be_top, feasible_many
    from arrangements.runs.checking import RunReport, check_run
    from arrangements.runs.folding import fold_chambers, fold_rankings
    from arrangements.runs.reading import Run, open_run
    from arrangements.runs.writing import write_chambers, write_rankings
    from arrangements.sets.rankings import Rankings
    from arrangements.sets.sign_vectors import SignVectors

__all__ = [
    "Arrangement",
    "ArrangementError",
    "Audit",
    "Certificate",
    "Certificates",
    "DegenerateArrangementError",
    "Derived",
    "Explorer",
    "Flats",
    "Hyperplane",
    "NumberField",
    "IncompleteError",
    "InputError",
    "InputTypeError",
    "LowRankStructure",
    "LowRankWarning",
    "MissingDependencyError",
    "MissingGlyphWarning",
    "ModelComparison",
    "ModelDifference",
    "NotGenericFlagError",
    "OrientedMatroid",
    "Rankings",
    "RoundingWarning",
    "Run",
    "RunReport",
    "SameSoftmax",
    "ScoreModel",
    "SigmoidClassifier",
    "SignVectors",
    "SlowCountWarning",
    "SoftmaxClassifier",
    "TieSet",
    "TiedLabelsError",
    "TooLargeError",
    "TopCertificate",
    "UnknownMethodError",
    "WitnessWarning",
    "ZeroOneClassifier",
    "Zonotope",
    "__version__",
    "argmax_labels",
    "audit",
    "betti_numbers",
    "bounded_chambers",
    "braid_matrix",
    "can_be_top",
    "chamber_distance",
    "chamber_distances",
    "chamber_edges",
    "chamber_graph",
    "chambers",
    "change_of_basis",
    "characteristic_polynomial",
    "check_chirotope",
    "check_run",
    "compare",
    "cone",
    "cosine_matrix",
    "count_bounded",
    "count_chambers",
    "count_chambers_many",
    "chambers_many",
    "count_rankings",
    "covectors",
    "decone",
    "deletion",
    "difference_cosine_matrix",
    "equivalent_models",
    "equivalent_softmax",
    "essentialization",
    "examples",
    "explore",
    "f_vector",
    "face_lattice",
    "feasible",
    "feasible_many",
    "tutte_polynomial",
    "coboundary_polynomial",
    "doubly_indexed_whitney_numbers",
    "mobius",
    "exponents",
    "cocharacteristic_polynomial",
    "primitive_eulerian_polynomial",
    "nbc_bases",
    "nbc_sets",
    "modular_chain",
    "is_supersolvable",
    "inductive_chain",
    "is_inductively_free",
    "freeness",
    "is_free",
    "Freeness",
    "is_simplicial",
    "minimal_generated_number",
    "is_formal",
    "is_reflection",
    "sample_chambers",
    "ChamberSample",
    "chamber_walk",
    "ChamberWalk",
    "automorphisms",
    "chamber_orbits",
    "arrangement_isomorphism",
    "varchenko_matrix",
    "varchenko_determinant",
    "VarchenkoMatrix",
    "defining_polynomial",
    "reduction_modulo",
    "is_good_reduction",
    "count_points_modulo",
    "chamber_degrees",
    "chamber_diameter",
    "distance_enumerator",
    "count_monotone_paths",
    "centre",
    "has_common_point",
    "chamber_polyhedron",
    "ChamberPolyhedron",
    "flats",
    "best_chamber",
    "Optimum",
    "best_ranking",
    "BestRanking",
    "Subsystem",
    "max_feasible",
    "halfspace_depth",
    "halfspace_median",
    "depth_region",
    "DepthRegion",
    "place_range",
    "binary_quadratic",
    "BinaryOptimum",
    "l1_pca",
    "L1Component",
    "fold_chambers",
    "fold_rankings",
    "generators",
    "generic_ranking_count",
    "intersection_poset",
    "iter_chamber_edges",
    "iter_chambers",
    "iter_faces",
    "iter_rankings",
    "load_matrix",
    "load_names",
    "load_vector",
    "localization",
    "low_rank_structure",
    "neighbours",
    "open_run",
    "plot_arrangement",
    "plot_bjorner",
    "plot_depth",
    "plot_rankings",
    "plot_zonotope",
    "poset_of_chambers",
    "product",
    "ranking_graph",
    "ranking_pattern",
    "ranking_pattern_from_difference_cosines",
    "rankings",
    "rays",
    "region_containing",
    "restriction",
    "same_cosines",
    "same_oriented_matroid",
    "same_softmax",
    "sign_pattern",
    "sign_pattern_from_cosines",
    "simplicial_chambers",
    "simplify",
    "tie_set",
    "tie_sets",
    "top_k_rankings",
    "top_k_sets",
    "top_ties",
    "translation_for_cosine",
    "union",
    "verify",
    "vertices",
    "walls",
    "whitney_numbers",
    "write_certificate",
    "write_chambers",
    "write_rankings",
    "zonotope",
]


def __getattr__(name: str) -> object:
    if name in _SUBMODULES:
        return import_module(f"arrangements.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'arrangements' has no attribute {name!r}")
    value = getattr(import_module(f"arrangements.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
