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

# Public name -> module that defines it; the submodule `generators` stands for itself.
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
    "WitnessWarning": "errors",
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
    from arrangements.structure.faces import (
        covectors,
        f_vector,
        face_lattice,
        iter_faces,
    )
    from arrangements.structure.intersections import (
        Flats,
        flats,
        intersection_poset,
    )
    from arrangements.structure.points import (
        rays,
        region_containing,
        vertices,
    )

__all__ = [
    "Arrangement",
    "ArrangementError",
    "Certificate",
    "DegenerateArrangementError",
    "Flats",
    "IncompleteError",
    "InputError",
    "InputTypeError",
    "LowRankWarning",
    "NotGenericFlagError",
    "Rankings",
    "ScoreModel",
    "SignVectors",
    "TiedLabelsError",
    "TooLargeError",
    "UnknownMethodError",
    "WitnessWarning",
    "__version__",
    "argmax_labels",
    "bounded_chambers",
    "chamber_distance",
    "chamber_distances",
    "chamber_edges",
    "chamber_graph",
    "chambers",
    "count_chambers",
    "count_rankings",
    "covectors",
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
    "neighbours",
    "poset_of_chambers",
    "ranking_graph",
    "rankings",
    "rays",
    "region_containing",
    "simplicial_chambers",
    "top_k_rankings",
    "top_k_sets",
    "vertices",
    "walls",
]


def __getattr__(name: str) -> object:
    if name == "generators":
        return import_module("arrangements.generators")
    if name not in _HOME:
        raise AttributeError(f"module 'arrangements' has no attribute {name!r}")
    value = getattr(import_module(f"arrangements.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
