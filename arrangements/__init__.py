"""Exact sign patterns, chambers and orders of real hyperplane arrangements.

Names are imported on first use, so ``import arrangements`` stays cheap.

Examples
--------
>>> import arrangements
>>> arrangements.count_chambers([[1, 0], [0, 1], [1, 1]])
6
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_SUBMODULES = ("examples", "generators")
# Public name -> module that defines it.
_HOME = {
    "Arrangement": "hyperplanes",
    "SignVectors": "sign_vectors",
    "Rankings": "ranking.sets",
    "ScoreModel": "ranking.scores",
    "LowRankStructure": "low_rank",
    "low_rank_structure": "low_rank",
    "Certificate": "certificates",
    "feasible": "certificates",
    "chambers": "enumeration",
    "iter_chambers": "enumeration",
    "count_chambers": "enumeration",
    "characteristic_polynomial": "structure.polynomials",
    "betti_numbers": "structure.polynomials",
    "whitney_numbers": "structure.polynomials",
    "count_bounded": "structure.polynomials",
    "rankings": "ranking.enumeration",
    "iter_rankings": "ranking.enumeration",
    "count_rankings": "ranking.enumeration",
    "generic_ranking_count": "ranking.counts",
    "argmax_labels": "ranking.prefixes",
    "top_k_rankings": "ranking.prefixes",
    "top_k_sets": "ranking.prefixes",
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
    "SlowCountWarning": "errors",
    "WitnessWarning": "errors",
    "change_of_basis": "structure.coordinates",
    "cone": "structure.coordinates",
    "decone": "structure.coordinates",
    "essentialization": "structure.coordinates",
    "deletion": "structure.derived",
    "localization": "structure.derived",
    "product": "structure.derived",
    "restriction": "structure.derived",
    "simplify": "structure.derived",
    "union": "structure.derived",
    "OrientedMatroid": "structure.oriented_matroids",
    "check_chirotope": "structure.chirotopes",
    "same_oriented_matroid": "structure.comparison",
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
    "same_softmax": "paper.translations",
    "translation_for_cosine": "paper.translations",
    "verify": "paper.verification",
    "TieSet": "ties",
    "tie_set": "ties",
    "tie_sets": "ties",
    "top_ties": "ties",
    "plot_arrangement": "pictures.plots",
    "plot_bjorner": "paper.figures",
    "plot_rankings": "pictures.plots",
    "SigmoidClassifier": "classifiers",
    "SoftmaxClassifier": "classifiers",
    "MissingDependencyError": "errors",
    "MissingGlyphWarning": "errors",
    "flats": "structure.intersections",
    "Flats": "structure.intersections",
    "intersection_poset": "structure.intersections",
    "covectors": "structure.faces",
    "iter_faces": "structure.faces",
    "f_vector": "structure.faces",
    "face_lattice": "structure.faces",
    "vertices": "structure.points",
    "rays": "structure.points",
    "region_containing": "structure.points",
    "walls": "structure.chamber_properties",
    "neighbours": "structure.chamber_properties",
    "bounded_chambers": "structure.chamber_properties",
    "simplicial_chambers": "structure.chamber_properties",
    "chamber_distance": "structure.chamber_properties",
    "chamber_distances": "structure.chamber_properties",
    "chamber_edges": "structure.chamber_graphs",
    "iter_chamber_edges": "structure.chamber_graphs",
    "chamber_graph": "structure.chamber_graphs",
    "poset_of_chambers": "structure.chamber_graphs",
    "ranking_graph": "structure.chamber_graphs",
}

if TYPE_CHECKING:
    from arrangements import examples as examples
    from arrangements import generators as generators
    from arrangements.certificates import Certificate, feasible
    from arrangements.classifiers import SigmoidClassifier, SoftmaxClassifier
    from arrangements.enumeration import chambers, count_chambers, iter_chambers
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
        SlowCountWarning,
        TiedLabelsError,
        TooLargeError,
        UnknownMethodError,
        WitnessWarning,
    )
    from arrangements.hyperplanes import Arrangement
    from arrangements.low_rank import LowRankStructure, low_rank_structure
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
        equivalent_models,
        equivalent_softmax,
        same_softmax,
        translation_for_cosine,
    )
    from arrangements.paper.verification import verify
    from arrangements.pictures.plots import plot_arrangement, plot_rankings
    from arrangements.ranking.counts import generic_ranking_count
    from arrangements.ranking.enumeration import count_rankings, iter_rankings, rankings
    from arrangements.ranking.prefixes import argmax_labels, top_k_rankings, top_k_sets
    from arrangements.ranking.scores import ScoreModel
    from arrangements.ranking.sets import Rankings
    from arrangements.sign_vectors import SignVectors
    from arrangements.structure.chamber_graphs import (
        chamber_edges,
        chamber_graph,
        iter_chamber_edges,
        poset_of_chambers,
        ranking_graph,
    )
    from arrangements.structure.chamber_properties import (
        bounded_chambers,
        chamber_distance,
        chamber_distances,
        neighbours,
        simplicial_chambers,
        walls,
    )
    from arrangements.structure.chirotopes import check_chirotope
    from arrangements.structure.comparison import same_oriented_matroid
    from arrangements.structure.coordinates import change_of_basis, cone, decone, essentialization
    from arrangements.structure.derived import (
        deletion,
        localization,
        product,
        restriction,
        simplify,
        union,
    )
    from arrangements.structure.faces import covectors, f_vector, face_lattice, iter_faces
    from arrangements.structure.intersections import Flats, flats, intersection_poset
    from arrangements.structure.oriented_matroids import OrientedMatroid
    from arrangements.structure.points import rays, region_containing, vertices
    from arrangements.structure.polynomials import (
        betti_numbers,
        characteristic_polynomial,
        count_bounded,
        whitney_numbers,
    )
    from arrangements.ties import TieSet, tie_set, tie_sets, top_ties

__all__ = [
    "Arrangement",
    "ArrangementError",
    "Certificate",
    "DegenerateArrangementError",
    "Flats",
    "IncompleteError",
    "InputError",
    "InputTypeError",
    "LowRankStructure",
    "LowRankWarning",
    "MissingDependencyError",
    "MissingGlyphWarning",
    "NotGenericFlagError",
    "OrientedMatroid",
    "Rankings",
    "ScoreModel",
    "SigmoidClassifier",
    "SignVectors",
    "SlowCountWarning",
    "SoftmaxClassifier",
    "TieSet",
    "TiedLabelsError",
    "TooLargeError",
    "UnknownMethodError",
    "WitnessWarning",
    "__version__",
    "argmax_labels",
    "betti_numbers",
    "bounded_chambers",
    "braid_matrix",
    "chamber_distance",
    "chamber_distances",
    "chamber_edges",
    "chamber_graph",
    "chambers",
    "change_of_basis",
    "characteristic_polynomial",
    "check_chirotope",
    "cone",
    "cosine_matrix",
    "count_bounded",
    "count_chambers",
    "count_rankings",
    "covectors",
    "decone",
    "deletion",
    "difference_cosine_matrix",
    "equivalent_models",
    "equivalent_softmax",
    "essentialization",
    "examples",
    "f_vector",
    "face_lattice",
    "feasible",
    "flats",
    "generators",
    "generic_ranking_count",
    "intersection_poset",
    "iter_chamber_edges",
    "iter_chambers",
    "iter_faces",
    "iter_rankings",
    "localization",
    "low_rank_structure",
    "neighbours",
    "plot_arrangement",
    "plot_bjorner",
    "plot_rankings",
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
