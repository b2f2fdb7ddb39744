"""Odd values in every argument of every public function and method.

Functions and parameters are found by their signatures. A parameter of a new name fails the test
until `PLAIN` has a value for it.
"""

import dataclasses
import inspect
import os
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
from everything import PUBLIC
from oracle import judged, report
from values import ODD, disguises, value

from arrangements import Arrangement, Certificate, Certificates, OrientedMatroid, generators
from arrangements.core.shortcuts import Shortcut
from arrangements.models import Audit
from arrangements.networks import Regions
from arrangements.paper import examples
from arrangements.runs import Run
from arrangements.sets.pattern_set import PatternSet

pytestmark = pytest.mark.slow

W, B = "[[1, 0], [0, 1], [1, 1], [2, -1]]", "[0, 1, -1, 2]"
# A folder that no other call has.
FRESH = "'memory://rough/' + str(np.random.default_rng().integers(2**62))"

NETWORK = f"arrangements.networks.Network([({W}, {B}), ([[1, -1, 1, -1]], [0])])"

# Plain values by parameter, or by function and parameter; together they give an answer.
PLAIN = {
    "answer": f"arrangements.chambers({W}, {B})",
    "W": W,
    "M": "OrientedMatroid.from_chirotope(3, 2, '+++')",
    "W1": W,
    "W2": W,
    "Ws": f"[{W}, {W}]",
    "a": "[1, 2]",
    "affine": "True",
    "equations": "'x - y'",
    "field": "None",
    "text": "'[[1, 2], [3, 4]]'",
    "variables": "['x', 'y']",
    "above": "[0, 1]",
    "arrangements": W,
    "avoid": "[[1, 1]]",
    "ax": "None",
    "width": "'column'",
    "examples": "2",
    "inputs": "3",
    "model1": W,
    "model2": "[[1, 0], [0, 1], [1, -1], [2, -1]]",
    "most_listed": "100",
    "outputs": "'label sets'",
    "b": "[3, 1]",
    "costs": "[1, 2, 3, -1]",
    "count_best": "False",
    "data": "[[0, 1], [1, 0], [2, 2]]",
    "domain": "(0, 1)",
    "linear": "[1, 2, 3, 4]",
    "discounts": "None",
    "gains": "None",
    "reference": "[3, 1, 0, 2]",
    "references": "None",
    "normalized": "False",
    "sense": "'max'",
    "minimize": "True",
    "ones": "None",
    "V": W,
    "X": W,
    "base": "0",
    "below": "[1, 2]",
    "bias": "True",
    "block_size": "2",
    "by": "'argmax'",
    "class_weight": "None",
    "C": "[[1, 0], [0, 1]]",
    "candidates": "[0, 1]",
    "centered": "True",
    "chamber": "0",
    "colors": "['red', 'green', 'blue', 'black']",
    "D": "[[0, 1], [1, 0]]",
    "d": "2",
    "degree": "2",
    "depth": "1",
    "depths": "[1]",
    "dimension": "1",
    "dropped": "{4: 0}",
    "dtype": "int",
    "elements": "[0, 1]",
    "exact": "True",
    "fig": "None",
    "faces": "['++++', '0++-']",
    "first": "'++++'",
    "fit_intercept": "True",
    "widest": "True",
    "optimum": "best_chamber([[1, 0], [0, 1], [1, 1]], [2, 1, -4])",
    "fitted": f"types.SimpleNamespace(coef_={W}, intercept_={B}, classes_=['a', 'b', 'c', 'd'])",
    "graph": "[(0, 1), (1, 2)]",
    "half": "False",
    "complete": "True",
    "hyperplane": "Hyperplane((1, 0))",
    "i": "0",
    "index": "1",
    "j": "1",
    "k": "2",
    "key": "None",
    "kind": "'gaussian'",
    "label": "1",
    "labels": "['a', 'b', 'c', 'd']",
    "limit": "3",
    "limits": "(-1, 1, -2, 2)",
    "low_rank": "None",
    "lower": "[]",
    "upper": "[0, 1]",
    "matrix": "[[1, 1], [0, 1]]",
    "max_bytes": "10**6",
    "max_hours": "1",
    "measure": "'inner product'",
    "method": "'auto'",
    "module": f"types.SimpleNamespace(weight=np.array({W}), bias=None)",
    "n": "4",
    "named": "True",
    "network": NETWORK,
    "layers": f"[({W}, {B}), ([[1, -1, 1, -1]], [0])]",
    "slope": "0.25",
    "plane": "None",
    "show": "'chambers'",
    "normal": "(1, 2)",
    "normals": W,
    "offset": "1",
    "offsets": B,
    "on": "[0, 1]",
    "offsets1": B,
    "offsets2": B,
    "only": "'5.3'",
    "ordered": "True",
    "order": "[3, 2, 1, 0]",
    "orders": "[[0, 1], [1, 0]]",
    "others": W,
    "p": "5",
    "path": "'set.npz'",
    "radius": "2",
    "repairs": "True",
    "sigmoid": "True",
    "tolerance": "0.1",
    "leads": "'exact'",
    "checkpoint": FRESH,
    "client": "None",
    "device": "None",
    "combine": "np.add",
    "name": "'mine'",
    "points": "2",
    "repair": "False",
    "resume": "True",
    "rows_per_part": "3",
    "pattern": "'++++'",
    "point": "[0, 0]",
    "progress": "False",
    "prune": "lambda signs: False",
    "rank": "2",
    "max_rank": "1",
    "rng": "0",
    "strict": "True",
    "row": "0",
    "rows": "[0]",
    "samples": "1",
    "sample": "1",
    "transcript": "False",
    "primes": "1",
    "sets": "[[0, 1], [2, 3]]",
    "second": "'+-+-'",
    "pairs": "True",
    "source": "'w.npy'",
    "shifts": "[0, 1]",
    "signs": "'++++'",
    "size": "2",
    "start": "0",
    "statements": "None",
    "stop": "None",
    "symmetry": "None",
    "target": "1",
    "tied": "[0, 1]",
    "ties": "'error'",
    "time_limit": "100",
    "top": "[0, 1]",
    "topes": "chambers([[1, 0], [0, 1], [1, 1]])",
    "translation": "[1, 2]",
    "v": "[1, 2]",
    "value": "(0,)",
    "values": "'+++'",
    "vertices": W,
    "w": "[3, 1, 2]",
    "inequalities": "None",
    "weights": W,
    "within": "None",
    "assume_generic": "False",
    "workers": "2",
    "apart": "0",
    "decreasing": "False",
    "input": "0",
    "minus": "None",
    "norm": "'max'",
    "output": "0",
    "ranking": "[0]",
    "x": "[1, 2]",
}
_SIGNS, _ORDERS = "chambers([[1, 0], [0, 1]])", "rankings([[1, 0], [0, 1]])"
_SQUARE = "Polyhedron.box(0, 1, dimension=2)"
# Questions about what outputs can be.
QUESTIONS = ("can_output", "maximum", "minimum", "differing_input", "lipschitz_constant")
QUESTIONS += ("is_monotone",)
OWN = {
    "Polyhedron.A": "[[-1, 0], [0, -1], [1, 1]]",
    "Polyhedron.c": "[0, 0, 1]",
    "Polyhedron.equations": "([[1, -1]], [0])",
    "Polyhedron.high": "[1, 2]",
    "Polyhedron.interior": "True",
    "Polyhedron.lines": "[[0, 1]]",
    "Polyhedron.low": "[0, -1]",
    "Polyhedron.other": _SQUARE,
    "Polyhedron.points": "[[0, 0], [1, 0], [0, 1]]",
    "Polyhedron.rays": "[[1, 1]]",
    "Polyhedron.box.dimension": "2",
    "Polyhedron.simplex.dimension": "2",
    "generators.polygon.m": "5",
    "generators.simplicial.n": "8",
    "generators.near_pencil.n": "5",
    "generators.schechtman_varchenko.points": "[0, 1]",
    "generators.schechtman_varchenko.k": "2",
    "counterexamples.property": "arrangements.exchange.from_vnnlib('(declare-const X_0 Real)"
    "(declare-const X_1 Real)(declare-const Y_0 Real)(assert (<= X_0 1))(assert (>= X_0 0))"
    "(assert (<= X_1 1))(assert (>= X_1 0))(assert (>= Y_0 1))')",
    "from_vnnlib.text": "'(declare-const X_0 Real)(declare-const Y_0 Real)(assert (<= X_0 1))'",
    "from_macaulay2.text": "'{x, x - y}'",
    "from_oscar.text": f"arrangements.exchange.to_oscar({W})",
    "from_polymake.text": f"arrangements.exchange.to_polymake({W})",
    "NumberField.polynomial": "[-2, 0, 1]",
    "NumberField.interval": "(1, 2)",
    "NumberField.name": "'a'",
    "NumberField.value": "[1, 2]",
    "NumberField.other": "NumberField([-2, 0, 1], (1, 2))",
    "Layer.inputs": "None",
    "Layer.add": "[]",
    "Layer.b": B,
    "Layer.other": f"Layer({W}, {B})",
    "Network.other": NETWORK,
    "Network.from_module.module": "__import__('torch').nn.Linear(2, 3)",
    "Network.from_module.input_shape": "(2,)",
    "Network.from_estimator.fitted": "types.SimpleNamespace(coefs_=[[[1, 2]]], "
    "intercepts_=[[0, 1]], activation='relu')",
    "Network.from_state_dict.state": f"{{'weight': {W}}}",
    "Network.from_file.input_shape": "None",
    **{f"{name}.within": _SQUARE for name in QUESTIONS},
    **{f"Network.{name}.within": _SQUARE for name in QUESTIONS},
    **{f"{name}.ranking": "None" for name in ("can_output", "Network.can_output")},
    **{f"{name}.signs": "None" for name in ("can_output", "Network.can_output")},
    **{f"{name}.on": "None" for name in ("can_output", "Network.can_output")},
    **{f"{name}.label": "0" for name in ("can_output", "Network.can_output")},
    "difference_network.other": NETWORK,
    "differing_input.other": NETWORK,
    "Network.X": "[[1, 2], [0, 1]]",
    "Region.other": f"region_at({NETWORK}, [1, 1])",
    "Regions.other": f"regions({NETWORK})",
    "Arrangement.low_rank": "None",
    "Arrangement.other": f"Arrangement({W}, {B})",
    "Certificate.other": "feasible([[1]], '+')",
    "Certificate.arrangement": "Arrangement([[1]])",
    "Certificate.feasible": "True",
    "Certificate.point": "[1]",
    "Certificate.signs": "[1]",
    "Certificate.weights": "None",
    "Flats.other": "flats([[1, 0], [0, 1]])",
    "Flats.of_rank.rank": "1",
    "OrientedMatroid.whitney_numbers.kind": "1",
    "OrientedMatroid.flats.max_rank": "1",
    "count_orbits.group": "('S', [0, 1])",
    "automorphisms.oriented": "True",
    "vertices.exclude_sandwiched": "True",
    "one_element_extensions.uniform": "False",
    "is_realizable.tries": "1",
    "realizability.tries": "1",
    "iter_oriented_matroids.n": "4",
    "iter_oriented_matroids.rank": "2",
    "iter_oriented_matroids.up_to": "'matroid'",
    "iter_oriented_matroids.uniform": "True",
    "freeness.multiplicities": "[1, 2, 1, 3]",
    "is_free.multiplicities": "[1, 2, 1, 3]",
    "log_canonical_threshold.multiplicities": "[1, 2, 1, 3]",
    "ziegler_restriction.row": "0",
    "count_orbits.rankings": "False",
    "mirrors.rankings": "False",
    "spanned_by.points": "[[0, 0], [1, 0], [0, 1]]",
    "spanned_by.central": "False",
    "named.name": "'Pappus'",
    "AffineMap.first": "AffineMap(np.eye(2, dtype=int), np.zeros(2, int))",
    "plot_network.color_by": "'map'",
    "plot_network.labels": "['no', 'yes']",
    "plot_network.colors": "['red', 'blue']",
    "plot_polyhedron.polyhedron": "Polyhedron.box(0, 1, dimension=2)",
    "Polyhedron.implicit_weights.positive": "[1]",
    "OrientedMatroid.from_chirotope.n": "3",
    "OrientedMatroid.other": "OrientedMatroid.from_matrix([[1], [1]])",
    "OrientedMatroid.circuits": "['++-', '--+']",
    "OrientedMatroid.cocircuits": "['+', '-']",
    "OrientedMatroid.vectors": "['0', '+', '-']",
    "OrientedMatroid.covectors": "['0', '+', '-']",
    "OrientedMatroid.find_minor.oriented": "True",
    "OrientedMatroid.has_minor.oriented": "True",
    "OrientedMatroid.contraction.elements": "[0]",
    "OrientedMatroid.minor.contracted": "[0]",
    "OrientedMatroid.minor.deleted": "[1]",
    "OrientedMatroid.isomorphism.oriented": "True",
    "OrientedMatroid.is_isomorphic.oriented": "True",
    "OrientedMatroid.order": "[2, 1, 0]",
    "Rankings.i": "0",
    "ranking_pattern_from_difference_cosines.D": "[[1]]",
    "Derived.other": "simplify([[1, 0], [3, 0]])",
    "Derived.restore.signs": "[1]",
    "Rankings.half": "False",
    "Rankings.model": "None",
    "Rankings.orders": "np.array([[0, 1]], np.uint8)",
    "Rankings.from_sign_vectors.signs": "chambers([[1, -1]])",
    "Rankings.contains.patterns": "[[0, 1]]",
    "Rankings.pattern": "[0, 1]",
    "ImplicitRankings.pattern": "[3, 1, 0, 2]",
    "Rankings.other": _ORDERS,
    "ScoreModel.above": "[0, 1]",
    "ScoreModel.other": f"ScoreModel({W}, {B})",
    "SignVectors.arrangement": "None",
    "SignVectors.from_array.signs": "[[1, -1], [1, 1]]",
    "SignVectors.n": "2",
    "SignVectors.packed": "np.array([[3]], np.uint64)",
    "SignVectors.pattern": "'++'",
    "SignVectors.contains.patterns": "['++', '+-']",
    "SignVectors.other": _SIGNS,
    "SigmoidClassifier.other": f"SigmoidClassifier({W}, {B})",
    "SigmoidClassifier.from_estimator.fitted": "types.SimpleNamespace(coef_=[[1]], classes_='ab')",
    "SigmoidClassifier.active.signs": "[1, 1, -1, 1]",
    "SoftmaxClassifier.other": f"SoftmaxClassifier({W}, {B})",
    "change_of_basis.matrix": "[[1, 1], [0, 1]]",
    "Zonotope.path": "'zonotope.off'",
    "coxeter.kind": "'B'",
    "shi.kind": "'B'",
    "catalan.kind": "'B'",
    "linial.kind": "'B'",
    "deformation.kind": "'B'",
    "inversion.kind": "'A3'",
    "bigraphical.shifts": "[[0, 1, 2], [1, 0, 2], [1, 1, 0]]",
    "facet_arrangement.vertices": "[[0, 0], [1, 0], [0, 1]]",
    "facet_arrangement.inequalities": "None",
    "positive_roots.kind": "'B'",
    "check_chirotope.n": "3",
    "Slice.other": f"slice_network({NETWORK}, [[0, 0], [1, 2]])",
    "slice_network.points": "[[0, 0], [1, 2]]",
    "Slice.box.margin": "1",
    "Slice.u": "[2]",
    "Slice.x": "[2, 4]",
    "path.y": "[3, -1]",
    "fold_regions.step": "len",
    "write_chambers.path": FRESH,
    "write_rankings.path": FRESH,
    "write_regions.path": FRESH,
    "halfspace_depth.points": "[[0, 0], [1, 1]]",
    "simplicial_depth.points": "[[0, 0], [1, 1]]",
    "regression_depth.fits": "[[1, 2, 3]]",
    "regression_depth.y": "[1, 2, 3, 4]",
    "deepest_regression.y": "[1, 2, 3, 4]",
    "best_tree.y": "['a', 'b', 'b', 'a']",
    "best_tree.weights": "[1, 2, 3, 4]",
    "l1_pca.k": "1",
    "ChamberWalk.start": "'++++'",
    "VarchenkoMatrix.entry": "(0, 1)",
    "max_feasible.weights": "[1, 2, 3, 4]",
    "binary_quadratic.weights": "[1, -1]",
    "binary_quadratic.ones": "(1, 2)",
    "binary_quadratic.equations": "([[1, 1, 0, 0]], [1])",
    "binary_quadratic.within": "([[0, 0, 1, 1]], [1])",
    "best_ranking.weights": "None",
    "best_ranking.all_optimal": "True",
    "kemeny_ranking.rankings": "[[0, 1, 2], [2, 0, 1]]",
    "kemeny_ranking.weights": "[1, 2]",
    "kemeny_ranking.all_optimal": "True",
    "kemeny_ranking.labels": "['a', 'b', 'c']",
    "chamber_walk.weights": "[1, 2]",
    "varchenko_matrix.weights": "[1, 2, 3, 4]",
    "varchenko_determinant.weights": "[1, 2, 3, 4]",
    "count_monotone_paths.base": "None",
    "chamber_orbits.symmetry": "[[0, 1, 2, 3]]",
    "feasible_many.on": "[[0, 1], [2, 3]]",
    "feasible_many.others": "'off'",
    "feasible_many.signs": "['++++', '+-+-']",
    "best_chamber.step": "None",
    "best_chamber.statistic": "None",
    "best_chamber.objective": "None",
    "fold_chambers.step": "'on'",
    "fold_rankings.step": "'places'",
    "fold_chambers.checkpoint": f"{FRESH} + '.npz'",
    "fold_rankings.checkpoint": f"{FRESH} + '.npz'",
    "audit.checkpoint": "None",
    "load_names.path": "'/dev/null'",
    "open_run.path": "write_chambers([[1, 2], [0, 1]], 'memory://rough/run').path",
    "check_count.path": "betti_numbers([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], "
    "checkpoint='memory://rough/count') and 'memory://rough/count'",
    "check_run.path": "write_chambers([[1, 2], [0, 1]], 'memory://rough/run').path",
    "names.rows": "[0, 1]",
    "verify.n": "4",
    "chamber_polyhedron.chamber": "'++++'",
    "whitney_numbers.kind": "1",
    "doubly_indexed_whitney_numbers.kind": "1",
    "localization.point": "None",
    "localization.rows": "[0]",
}
# What methods are called on.
INSTANCES = {
    "Arrangement": f"Arrangement({W})",
    "Certificate": "feasible([[1]], '+')",
    "DecisionRegions": f"decision_regions({NETWORK})",
    "Derived": "simplify([[1, 0], [2, 0]])",
    "Flats": "flats([[1, 0], [0, 1]])",
    "Layer": f"Layer({W}, {B})",
    "Network": NETWORK,
    "NumberField": "NumberField([-2, 0, 1], (1, 2))",
    "OrientedMatroid": "OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])",
    "Polyhedron": _SQUARE,
    "Rankings": _ORDERS,
    "Region": f"region_at({NETWORK}, [1, 1])",
    "Regions": f"regions({NETWORK})",
    "ScoreModel": f"ScoreModel({W}, {B})",
    "SigmoidClassifier": f"SigmoidClassifier({W}, {B})",
    "SignVectors": _SIGNS,
    "Slice": f"slice_network({NETWORK}, [[0, 0], [1, 2]])",
    "SoftmaxClassifier": f"SoftmaxClassifier({W}, {B})",
    "Zonotope": "zonotope([[1, 0, 0], [0, 1, 0], [0, 0, 1]])",
    "ImplicitChambers": f"implicit_chambers({W})",
    "ImplicitRankings": f"implicit_rankings({W}, {B})",
    "ChamberSample": "sample_chambers([[1, 0], [0, 1]], 3, rng=0)",
    "ChamberWalk": f"chamber_walk({W}, ['++++', '0++-'])",
    "VarchenkoMatrix": "varchenko_matrix([[1, 0], [0, 1]])",
}
# Made by functions only, of what they have checked.
RESULTS = {
    *(
        "Audit",
        "AuditComparison",
        "BestRanking",
        "BinaryOptimum",
        "Certificates",
        "DeepestRegression",
        "DepthRegion",
        "Derived",
        "Flats",
        "Freeness",
        "Realizability",
        "BiquadraticInequality",
        "HyperplaneTree",
        "KemenyRanking",
        "L1Component",
    ),
    *("LowRankStructure", "ModelComparison", "Optimum", "Repair", "Subsystem"),
    *(
        "ModelDifference",
        "OrientedMatroid",
        "Run",
        "RunReport",
        "CountReport",
        "SameSoftmax",
        "TieSet",
    ),
    *(
        "TopCertificate",
        "Zonotope",
        "ChamberSample",
        "ImplicitChambers",
        "ImplicitRankings",
        "ChamberWalk",
        "VarchenkoMatrix",
    ),
    *("AffineMap", "Automorphisms", "ChirotopeCheck", "EquivalentModels", "Isomorphism"),
    *("OrientedMatroidComparison", "RescaledGram", "Result", "SimilarityWitness"),
    *("Explorer", "Path", "Region", "RegionBounds", "RegionPlan", "Regions", "UnitStates", "Wall"),
    *("Slice", "NetworkProperty", "PropertyCase", "DecisionRegion", "DecisionRegions"),
    *("OutputCertificate", "OutputOptimum", "RobustRadius", "LipschitzConstant", "Monotonicity"),
}
# Parameters that have a default and cannot do without a value.
NEEDED = {
    "best_chamber": ["costs"],
    "best_ranking": ["reference"],
    "compare": ["outputs"],
    "localization": ["rows"],
    "feasible_many": ["signs"],
    **{name: ["within"] for name in QUESTIONS[1:]},
    "can_output": ["label", "within"],
    **{f"Network.{name}": ["within"] for name in QUESTIONS[1:]},
    "Network.can_output": ["label", "within"],
    "coxeter": ["n"],
    "facet_arrangement": ["vertices"],
    "positive_roots": ["n"],
    "decone": ["row"],
}
SPECIAL = ("__contains__", "__getitem__", "__eq__")


def public() -> Iterator[tuple[str, Any]]:
    """How to write each public function and method, and the function itself."""
    for name, found in PUBLIC.items():
        if inspect.isclass(found) and not issubclass(found, BaseException):
            if name not in RESULTS:
                yield name, found
            for method in dir(found) if name in INSTANCES else ():
                own = method in SPECIAL or method[0] != "_"
                # the function itself is here, too
                own = own and not isinstance(vars(found).get(method), Shortcut)
                called = getattr(found, method)
                own = own and (inspect.isfunction(called) or inspect.ismethod(called))
                if own and called.__module__.startswith("arrangements."):
                    yield f"{name}.{method}", called
        elif inspect.isfunction(found):
            yield name, found
    for module in (generators, examples):
        # families are imported when they are asked for
        for name in getattr(module, "__all__", vars(module)):
            found = getattr(module, name)
            if inspect.isfunction(found) and f"{found.__module__}.".startswith(module.__name__):
                if name[0] != "_":
                    yield f"{module.__name__.rpartition('.')[2]}.{name}", found


FUNCTIONS = dict(public())


def parameters(name: str) -> list[inspect.Parameter]:
    """Parameters that a caller gives; `options` are those of another public function."""
    found = list(inspect.signature(FUNCTIONS[name]).parameters.values())
    found = [p for p in found if p.kind is not p.VAR_KEYWORD]
    return found[1:] if found and found[0].name == "self" else found


def plain(name: str, parameter: str) -> str:
    """A plain value of a parameter, as text."""
    owner, _, function = name.rpartition(".")
    for key in (f"{name}.{parameter}", f"{owner}.{parameter}", f"{function}.{parameter}"):
        if key in OWN:
            return OWN[key]
    assert parameter in PLAIN, f"{name}: a plain value of {parameter} is to be written into PLAIN"
    return PLAIN[parameter]


def written(name: str, given: dict[str, str]) -> str:
    """A call as text."""
    owner, _, method = name.rpartition(".")
    if owner in INSTANCES and "self" in inspect.signature(FUNCTIONS[name]).parameters:
        name = f"{INSTANCES[owner]}.{method}"
    arguments = []
    for parameter in parameters(name if name in FUNCTIONS else f"{owner}.{method}"):
        if parameter.name in given:
            text = given[parameter.name]
            named = parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)
            arguments.append(f"{parameter.name}={text}" if named else text)
    return f"{name}({', '.join(arguments)})"


def required(name: str) -> dict[str, str]:
    """Plain values of the parameters that have no default, or one that does not do."""
    given = [p.name for p in parameters(name) if p.default is p.empty or p.name == "rng"]
    given += NEEDED.get(name.rpartition(".")[2], [])
    return {parameter: plain(name, parameter) for parameter in given}


def answer(call: str) -> Any:
    """What a call returns; of a stream, the beginning."""
    found = value(call)
    return list(islice(found, 3)) if isinstance(found, Iterator) else found


def comparable(found: Any) -> Any:
    """The same for answers that are the same."""
    if isinstance(found, (PatternSet, Regions)):
        return sorted(map(tuple, found.to_array().tolist()))
    if isinstance(found, Run):
        return sorted(row for block in found for row in comparable(block))
    if isinstance(found, Arrangement):
        return found.normals.tolist(), found.is_central or np.asarray(found.offsets).tolist()
    if isinstance(found, Certificates):
        return found.feasible.tolist(), found.verify()
    if isinstance(found, Certificate):
        return found.feasible, found.verify()
    if isinstance(found, Audit):
        return found.can_win.tolist(), found.held_down_by, found.possible is not None
    if isinstance(found, OrientedMatroid):
        return found.n, found.rank, found.chirotope.tolist()
    if isinstance(found, np.ndarray):
        return found.tolist()
    if isinstance(found, nx.Graph):
        return comparable(list(found.nodes)), len(found.edges)
    if dataclasses.is_dataclass(found) and not isinstance(found, type):
        fields = [field.name for field in dataclasses.fields(found) if field.compare]
        return [comparable(getattr(found, name)) for name in fields]
    if isinstance(found, (list, tuple)):
        return [comparable(item) for item in found]
    return found if isinstance(found, (int, str, Fraction, type(None))) else str(type(found))


def problem_of(call: str, expected: Any = ...) -> str | None:
    """What is wrong with a call, which may be refused or have one answer, if that is known."""
    found, refusal, problem = judged(lambda: answer(call))
    plt.close("all")
    if problem is not None and problem.startswith("IndexError: row"):
        problem = None  # as everywhere in Python
    proof = isinstance(found, Certificate) and not call.startswith("Certificate(")
    if problem is None and proof and not found.verify():
        problem = "has a proof that does not hold"
    if problem is None and refusal is None and expected is not ...:
        known, _, problem = judged(lambda: comparable(found))
        if known != expected:
            problem = f"answers {str(known)[:200]}; expected {str(expected)[:200]}"
    return None if problem is None else f"{call}  # {problem}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments(name: str, rough: int, rough_seed: int, in_empty_folder: Path) -> None:
    if name == "Network.from_file":
        np.savez("set.npz", weight=value(W))
    elif name.endswith((".load", ".from_file")):
        value(INSTANCES[name.partition(".")[0]]).save("set.npz")
    elif name.startswith("load_"):
        np.savez("set.npz", value(B if name == "load_vector" else W))
    base = required(name)
    expected = comparable(answer(written(name, base)))
    problems = []
    for parameter in parameters(name):
        alone = base | {parameter.name: plain(name, parameter.name)}
        problems.append(problem_of(written(name, alone)))
    random = Random(f"{rough_seed} {name}")
    for case in range(2 * rough * len(parameters(name))):
        given = dict(base)
        for parameter in random.sample(parameters(name), 1 if case % 4 else min(2, len(base) or 1)):
            given[parameter.name] = random.choice(ODD)
        problems.append(problem_of(written(name, given)))
    for parameter, text in base.items():
        others = disguises(text)
        for other in random.sample(others, min(len(others), rough)):
            problems.append(problem_of(written(name, base | {parameter: other}), expected))
    left = set(os.listdir(in_empty_folder)) - {"set.npz"}
    if name in ("write_certificate", "Zonotope.write_off"):  # into a file of any name
        left -= {"zonotope.off", *(text.strip("'") for text in ODD)}
    report([*filter(None, problems), *(f"leaves {file}" for file in sorted(left))])


@pytest.mark.parametrize("name", INSTANCES)
def test_what_cannot_be_changed_stays(name: str) -> None:
    found = value(INSTANCES[name])
    for attribute in [*vars(found), "unheard_of"]:
        with pytest.raises(AttributeError):
            setattr(found, attribute, 1)
        with pytest.raises(AttributeError):
            delattr(found, attribute)


MATRICES = ("W", "W1", "W2", "weights", "normals", "arrangements", "other")


@pytest.mark.parametrize(
    "name", [name for name in FUNCTIONS if {p.name for p in parameters(name)} & {*MATRICES}]
)
def test_an_arrangement_in_place_of_rows(name: str, in_empty_folder: Path) -> None:
    base, known = required(name), {p.name for p in parameters(name)}
    offsets = {key: plain(name, key) for key in ("offsets", "offsets1", "offsets2") if key in known}
    for matrix in [key for key in base if key in MATRICES and base[key] == W]:
        beside = f"offsets{matrix[1:]}" if matrix[0] == "W" else "offsets"
        central = {matrix: f"Arrangement({W})"}
        cases = [(base, base | central), (base | offsets, base | offsets | central)]
        if beside in offsets:
            others = {key: text for key, text in offsets.items() if key != beside}
            own = {matrix: f"Arrangement({W}, {offsets[beside]})"}
            cases.append((base | offsets, base | others | own))
        for rows, arrangement in cases:
            calls = written(name, rows), written(name, arrangement)
            expected, found = (judged(lambda call=call: comparable(answer(call))) for call in calls)
            assert found == expected, calls
            assert expected[1] is None or rows != base, calls  # an answer, not a refusal
    plt.close("all")


SHORTCUTS = [name for name, value in vars(Arrangement).items() if isinstance(value, Shortcut)]


CENTRAL = (
    *("decone", "zonotope", "plot_zonotope"),
    *("cocharacteristic_polynomial", "primitive_eulerian_polynomial", "count_monotone_paths"),
    *("is_supersolvable", "modular_chain", "is_inductively_free", "inductive_chain"),
    *("is_free", "freeness", "is_reflection", "is_formal", "minimal_generated_number"),
)


@pytest.mark.parametrize("name", SHORTCUTS)
def test_methods_answer_as_functions_do(name: str) -> None:
    given = required(name)
    A = given.pop("W", None) or given.pop("arrangements")
    call = written(name, {"W": f"Arrangement({A}, {B})"} | given)
    if "arrangements" in {p.name for p in parameters(name)}:
        call = f"{name}(Arrangement({A}, {B}))"
    arguments = ", ".join(f"{key}={text}" for key, text in given.items())
    method = f"Arrangement({A}, {B}).{name}({arguments})"
    calls = call, method
    expected, found = (judged(lambda text=text: comparable(answer(text))) for text in calls)
    # these have no offsets
    assert found == expected and (expected[1] is None or name in CENTRAL)
    plt.close("all")
