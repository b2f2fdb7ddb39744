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

# Public name -> module that defines it; a submodule in `_SUBMODULES` stands for itself.
_SUBMODULES = ("examples", "generators")
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
    "rankings": "ranking_enumeration",
    "iter_rankings": "ranking_enumeration",
    "count_rankings": "ranking_enumeration",
    "generic_ranking_count": "ranking_counts",
    "argmax_labels": "ranking_prefixes",
    "top_k_rankings": "ranking_prefixes",
    "top_k_sets": "ranking_prefixes",
    "TieSet": "ties",
    "tie_set": "ties",
    "tie_sets": "ties",
    "plot_arrangement": "plots",
    "plot_bjorner": "paper.figures",
    "plot_rankings": "plots",
    "SigmoidClassifier": "classifiers",
    "SoftmaxClassifier": "classifiers",
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
    "ArrangementError": "errors",
    "InputError": "errors",
    "InputTypeError": "errors",
    "DegenerateArrangementError": "errors",
    "TiedLabelsError": "errors",
    "TooLargeError": "errors",
    "IncompleteError": "errors",
    "MissingDependencyError": "errors",
    "UnknownMethodError": "errors",
    "LowRankWarning": "errors",
    "NotGenericFlagError": "errors",
    "WitnessWarning": "errors",
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
    "Rankings",
    "ScoreModel",
    "SigmoidClassifier",
    "SignVectors",
    "SoftmaxClassifier",
    "TieSet",
    "TiedLabelsError",
    "TooLargeError",
    "UnknownMethodError",
    "WitnessWarning",
    "__version__",
    "argmax_labels",
    "braid_matrix",
    "chambers",
    "cosine_matrix",
    "count_chambers",
    "count_rankings",
    "difference_cosine_matrix",
    "equivalent_models",
    "equivalent_softmax",
    "examples",
    "feasible",
    "generators",
    "generic_ranking_count",
    "iter_chambers",
    "iter_rankings",
    "plot_arrangement",
    "plot_bjorner",
    "plot_rankings",
    "ranking_pattern",
    "ranking_pattern_from_difference_cosines",
    "rankings",
    "same_cosines",
    "same_softmax",
    "sign_pattern",
    "sign_pattern_from_cosines",
    "tie_set",
    "tie_sets",
    "top_k_rankings",
    "top_k_sets",
    "top_ties",
    "translation_for_cosine",
    "verify",
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
