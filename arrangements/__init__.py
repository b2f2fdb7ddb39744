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
    "Rankings": "ranking_sets",
    "ScoreModel": "scores",
    "Certificate": "certificates",
    "feasible": "certificates",
    "chambers": "enumeration",
    "iter_chambers": "enumeration",
    "count_chambers": "enumeration",
    "characteristic_polynomial": "structure.polynomials",
    "betti_numbers": "structure.polynomials",
    "whitney_numbers": "structure.polynomials",
    "count_bounded": "structure.polynomials",
    "rankings": "ranking_enumeration",
    "iter_rankings": "ranking_enumeration",
    "count_rankings": "ranking_enumeration",
    "generic_ranking_count": "ranking_counts",
    "argmax_labels": "ranking_prefixes",
    "top_k_rankings": "ranking_prefixes",
    "top_k_sets": "ranking_prefixes",
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
    "top_ties": "paper.ties",
    "translation_for_cosine": "paper.translations",
    "verify": "paper.verification",
    "TieSet": "ties",
    "tie_set": "ties",
    "tie_sets": "ties",
    "plot_arrangement": "plots",
    "plot_bjorner": "paper.figures",
    "plot_rankings": "plots",
    "SigmoidClassifier": "classifiers",
    "SoftmaxClassifier": "classifiers",
    "MissingDependencyError": "errors",
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
        NotGenericFlagError,
        SlowCountWarning,
        TiedLabelsError,
        TooLargeError,
        UnknownMethodError,
        WitnessWarning,
    )
    from arrangements.hyperplanes import Arrangement
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
    from arrangements.paper.ties import top_ties
    from arrangements.paper.translations import (
        equivalent_models,
        equivalent_softmax,
        same_softmax,
        translation_for_cosine,
    )
    from arrangements.paper.verification import verify
    from arrangements.plots import plot_arrangement, plot_rankings
    from arrangements.ranking_counts import generic_ranking_count
    from arrangements.ranking_enumeration import count_rankings, iter_rankings, rankings
    from arrangements.ranking_prefixes import argmax_labels, top_k_rankings, top_k_sets
    from arrangements.ranking_sets import Rankings
    from arrangements.scores import ScoreModel
    from arrangements.sign_vectors import SignVectors
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
    from arrangements.structure.oriented_matroids import OrientedMatroid
    from arrangements.structure.polynomials import (
        betti_numbers,
        characteristic_polynomial,
        count_bounded,
        whitney_numbers,
    )
    from arrangements.ties import TieSet, tie_set, tie_sets

__all__ = [
    "Arrangement",
    "ArrangementError",
    "Certificate",
    "DegenerateArrangementError",
    "IncompleteError",
    "InputError",
    "InputTypeError",
    "LowRankWarning",
    "MissingDependencyError",
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
    "braid_matrix",
    "chambers",
    "change_of_basis",
    "characteristic_polynomial",
    "check_chirotope",
    "cone",
    "cosine_matrix",
    "count_bounded",
    "count_chambers",
    "count_rankings",
    "decone",
    "deletion",
    "difference_cosine_matrix",
    "equivalent_models",
    "equivalent_softmax",
    "essentialization",
    "examples",
    "feasible",
    "generators",
    "generic_ranking_count",
    "iter_chambers",
    "iter_rankings",
    "localization",
    "plot_arrangement",
    "plot_bjorner",
    "plot_rankings",
    "product",
    "ranking_pattern",
    "ranking_pattern_from_difference_cosines",
    "rankings",
    "restriction",
    "same_cosines",
    "same_oriented_matroid",
    "same_softmax",
    "sign_pattern",
    "sign_pattern_from_cosines",
    "simplify",
    "tie_set",
    "tie_sets",
    "top_k_rankings",
    "top_k_sets",
    "top_ties",
    "translation_for_cosine",
    "union",
    "verify",
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
