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

_SUBMODULES = ("generators",)
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
}

if TYPE_CHECKING:
    from arrangements import generators as generators
    from arrangements.certificates import Certificate, feasible
    from arrangements.enumeration import chambers, count_chambers, iter_chambers
    from arrangements.errors import (
        ArrangementError,
        DegenerateArrangementError,
        IncompleteError,
        InputError,
        InputTypeError,
        LowRankWarning,
        NotGenericFlagError,
        SlowCountWarning,
        TiedLabelsError,
        TooLargeError,
        UnknownMethodError,
        WitnessWarning,
    )
    from arrangements.hyperplanes import Arrangement
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

__all__ = [
    "Arrangement",
    "ArrangementError",
    "Certificate",
    "DegenerateArrangementError",
    "IncompleteError",
    "InputError",
    "InputTypeError",
    "LowRankWarning",
    "NotGenericFlagError",
    "OrientedMatroid",
    "Rankings",
    "ScoreModel",
    "SignVectors",
    "SlowCountWarning",
    "TiedLabelsError",
    "TooLargeError",
    "UnknownMethodError",
    "WitnessWarning",
    "__version__",
    "argmax_labels",
    "betti_numbers",
    "chambers",
    "change_of_basis",
    "characteristic_polynomial",
    "check_chirotope",
    "cone",
    "count_bounded",
    "count_chambers",
    "count_rankings",
    "decone",
    "deletion",
    "essentialization",
    "feasible",
    "generators",
    "generic_ranking_count",
    "iter_chambers",
    "iter_rankings",
    "localization",
    "product",
    "rankings",
    "restriction",
    "same_oriented_matroid",
    "simplify",
    "top_k_rankings",
    "top_k_sets",
    "union",
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
