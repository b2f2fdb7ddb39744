"""Every public function with irrational entries: the answers are those of the same arrangement
in other coordinates, where it is rational. `test_algebraic_entries` asks the central questions of
larger ones.
"""

import inspect
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from everything import PUBLIC
from sympy import sqrt

import arrangements as package
from arrangements import Arrangement, NumberField, generators
from arrangements.errors import InputError, InputTypeError
from arrangements.exact import linear
from arrangements.paper import checks

THETA = NumberField([-1, -2, 1, 1], (1, 2), "c").generator  # 2 cos(2 pi / 7)
LESS = NumberField([-3, 1, 0, 7], (0, 1), "h").generator  # no algebraic integer
W = [[1, 0], [0, 1], [1, 1], [1, -1], [2, 1]]
B = [0, 0, -1, 0, 1]
BASIS = [[1, THETA], [THETA**2 - 1, 3]]
SCALES = [THETA, 1, THETA + 1, 2 * THETA, 3]


def product(*matrices: Any) -> Any:
    found = matrices[0]
    for matrix in matrices[1:]:
        found = linear.matrix_product(found, matrix)
    return found


class Side:
    """An arrangement and labels, in coordinates x with ``basis @ x + shift`` rational."""

    def __init__(
        self, basis: Any, scales: Any, theta: Any, folder: Path, shift: Any = (0, 0)
    ) -> None:
        rows = product(W, basis)
        scaled = [[s * e for e in row] for s, row in zip(scales, rows, strict=True)]
        self.basis, self.theta, self.folder, self.shift = basis, theta, folder, shift
        added = [row[0] for row in product(W, [[e] for e in shift])]
        offsets = [b + a for b, a in zip(B, added, strict=True)]
        self.affine = Arrangement(scaled, [s * b for s, b in zip(scales, offsets, strict=True)])
        self.central = Arrangement(scaled)
        # labels have one scale, and may have one more offset
        self.rows = [[theta * e for e in row] for row in rows]
        self.offsets = [theta * b - (theta - 1) for b in offsets]
        self.labels = Arrangement(self.rows, self.offsets)
        self.points = rows
        # rows whose cosines are rational
        self.scaled = [[theta * e for e in row] for row in W]
        self.path = str(folder / "file")

    def at(self, *point: int) -> list[Any]:
        """Coordinates of a rational point."""
        moved = [[e - s] for e, s in zip(point, self.shift, strict=True)]
        return [row[0] for row in product(linear.inverse(self.basis), moved)]

    def half_plane(self) -> Any:
        """The points with ``x + 2 y <= 1`` in the rational coordinates."""
        return product([[1, 2]], self.basis), [1 - self.shift[0] - 2 * self.shift[1]]

    def standard(self, points: Any) -> list[Any]:
        """Points in the rational coordinates."""
        found = (product(self.basis, [[e] for e in x]) for x in points)
        return sorted([e + s for (e,), s in zip(x, self.shift, strict=True)] for x in found)


UNIT = [[1, 0], [0, 1]]
# all numbers irrational, in two fields; differences of rows rational; offsets only
DISGUISES = {
    "basis": (BASIS, SCALES, THETA),
    "fraction": ([[1, LESS], [LESS**2 - 1, 3]], [LESS, 1, 1 / LESS, 2 * LESS, 3], LESS),
    "shear": ([[1, THETA], [0, 1]], [1, 1, 1, 1, 1], 1),
    "shift": (UNIT, [1, 1, 1, 1, 1], 1),
}
SHIFTS = {"shift": (THETA, THETA**2)}


@pytest.fixture(scope="module", params=DISGUISES)
def sides(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Side, Side]:
    """The rational arrangement, and a disguised one."""
    name, folder = request.param, tmp_path_factory.mktemp
    disguised = Side(*DISGUISES[name], folder(name), SHIFTS.get(name, (0, 0)))
    return Side(UNIT, [1] * 5, 1, folder("rational")), disguised


@pytest.fixture(scope="module")
def irrational(tmp_path_factory: pytest.TempPathFactory) -> Side:
    return Side(*DISGUISES["basis"], tmp_path_factory.mktemp("irrational"))


def plain(answer: Any) -> Any:
    """An answer as something that == compares."""
    if isinstance(answer, np.ndarray):
        return answer.tolist()
    return answer


def listed(patterns: Any) -> Any:
    return sorted(patterns.to_array().tolist())


def graph(found: Any) -> Any:
    return found.number_of_nodes(), found.number_of_edges()


def rounded(matrix: Any) -> Any:
    return (np.array(matrix).astype(float).round(9) + 0.0).tolist()


def title(ax: Any) -> str:
    import matplotlib.pyplot as plt

    plt.close(ax.figure)
    return str(ax.get_title())


def proved(certificates: Any) -> Any:
    return [(bool(c), c.verify()) for c in certificates]


def stored(side: Side, write: Any, given: Any) -> Any:
    path = str(side.folder / write.__name__)
    write(given, path)
    assert package.check_run(path)
    return len(package.open_run(path))


def moved(derived: Any) -> Any:
    return derived.arrangement.count_chambers(), derived.arrangement.f_vector()


SIGNS = ["+++++", "--+-+", "+-+++"]
# name of the function: what is asked of each side
QUESTIONS: dict[str, Callable[[Side], Any]] = {
    "argmax_labels": lambda s: (
        package.argmax_labels(s.labels),
        proved(package.can_be_top(s.labels)),
    ),
    "arrangement_isomorphism": lambda s: (
        package.algebra.arrangement_isomorphism(s.affine, Arrangement(W, B)) is not None
    ),
    "audit": lambda s: package.audit(s.rows, s.offsets, sets=[[0, 1], [3]], pairs=True).can_win,
    "automorphisms": lambda s: package.algebra.automorphisms(s.affine).order,
    "best_chamber": lambda s: (
        package.best_chamber(s.affine, [1, -2, 3, 1, 1]).value,
        package.best_chamber(s.central, [-1, 2, -3, 1, -1], method="bounds").value,
    ),
    "best_ranking": lambda s: package.optimize.best_ranking(s.labels, [4, 0, 1, 3, 2]).value,
    "betti_numbers": lambda s: package.betti_numbers(s.affine),
    "bounded_chambers": lambda s: int(package.structure.bounded_chambers(s.affine).sum()),
    "can_be_top": lambda s: proved(package.can_be_top(s.labels, [[0], [1, 2], [3, 4]])),
    "center": lambda s: (
        package.structure.center(s.affine) is None,
        s.standard([package.structure.center(s.affine[[0, 2]])([])]),
    ),
    "chamber_degrees": lambda s: sorted(package.structure.chamber_degrees(s.affine).tolist()),
    "chamber_diameter": lambda s: package.structure.chamber_diameter(s.affine),
    "chamber_distance": lambda s: package.structure.chamber_distance(
        s.affine, *listed(package.chambers(s.affine))[1:3]
    ),
    "chamber_distances": lambda s: sorted(
        package.structure.chamber_distances(s.affine, SIGNS[0]).tolist()
    ),
    "chamber_edges": lambda s: len(package.structure.chamber_edges(s.affine).edges),
    "chamber_graph": lambda s: graph(package.structure.chamber_graph(s.affine)),
    "chamber_orbits": lambda s: int(package.algebra.chamber_orbits(s.affine).max()),
    "chamber_polyhedron": lambda s: (
        (P := package.structure.chamber_polyhedron(s.affine, SIGNS[0])).facets,
        s.standard(P.vertices),
        len(P.rays),
        P.is_bounded,
    ),
    "chamber_walk": lambda s: package.algebra.chamber_walk(
        s.central,
        sorted(r for r in package.structure.covectors(s.central).tolist() if r.count(0) == 1)[:3],
    ).eigenvalues(),
    "chambers": lambda s: (
        [
            listed(package.chambers(s.affine, method=m))
            for m in ("sweep", "incremental", "reverse_search")
        ]
        + [listed(package.chambers(s.affine, within=s.half_plane()))]
    ),
    "chambers_many": lambda s: [
        listed(found) for found in package.chambers_many([s.affine, s.central])
    ],
    "change_of_basis": lambda s: moved(
        package.structure.change_of_basis(s.affine, [[s.theta, 1], [0, s.theta]])
    ),
    "characteristic_polynomial": lambda s: package.characteristic_polynomial(s.affine),
    "coboundary_polynomial": lambda s: package.algebra.coboundary_polynomial(s.affine),
    "cocharacteristic_polynomial": lambda s: package.algebra.cocharacteristic_polynomial(s.central),
    "compare": lambda s: [
        repr(package.compare(s.rows, Arrangement(W, B), outputs=kind, inputs=50))[:80]
        for kind in ("rankings", "label sets", "top labels")
    ],
    "cone": lambda s: moved(package.cone(s.affine)),
    "cosine_matrix": lambda s: rounded(package.paper.cosine_matrix(s.scaled)),
    "count_bounded": lambda s: package.algebra.count_bounded(s.affine),
    "count_chambers": lambda s: package.count_chambers(s.affine),
    "count_chambers_many": lambda s: package.count_chambers_many([s.affine, s.central]),
    "count_monotone_paths": lambda s: package.structure.count_monotone_paths(s.central),
    "count_rankings": lambda s: package.count_rankings(s.labels),
    "covectors": lambda s: sorted(package.structure.covectors(s.affine).tolist()),
    "decone": lambda s: moved(package.structure.decone(s.central, 0)),
    "defining_polynomial": lambda s: package.algebra.defining_polynomial(s.affine).total_degree(),
    "deletion": lambda s: moved(package.deletion(s.affine, 0)),
    "difference_cosine_matrix": lambda s: rounded(package.paper.difference_cosine_matrix(s.scaled)),
    "distance_enumerator": lambda s: package.structure.distance_enumerator(s.central, SIGNS[0]),
    "doubly_indexed_whitney_numbers": lambda s: package.algebra.doubly_indexed_whitney_numbers(
        s.affine
    ),
    "equivalent_models": lambda s: checks.check_equivalent_models(
        package.paper.equivalent_models(s.rows, 0, 1)
    ),
    "equivalent_softmax": lambda s: checks.check_equivalent_softmax(
        s.rows, package.paper.equivalent_softmax(s.rows, [s.theta, 1]), [s.at(1, 2)]
    ),
    "essentialization": lambda s: moved(
        package.structure.essentialization(Arrangement([[*row, row[0]] for row in s.rows]))
    ),
    "explore": lambda s: (
        repr(package.explore(s.affine)),
        repr(package.explore(s.labels, show="rankings")),
        repr(package.explore(s.labels, show="top-2")),
    ),
    "exponents": lambda s: package.algebra.exponents(s.central),
    "f_vector": lambda s: package.f_vector(s.affine),
    "face_lattice": lambda s: graph(package.structure.face_lattice(s.affine)),
    "feasible": lambda s: proved(package.feasible(s.affine, signs) for signs in SIGNS),
    "feasible_many": lambda s: (
        proved(package.feasible_many(s.affine, SIGNS)),
        proved(package.feasible_many(s.affine, on=[[0, 1], [2]])),
    ),
    "flats": lambda s: package.flats(s.affine),
    "fold_chambers": lambda s: [
        package.fold_chambers(s.affine, step).tolist() for step in ("positives", "on", "pairs")
    ],
    "fold_rankings": lambda s: package.fold_rankings(s.labels, "places"),
    "freeness": lambda s: (
        (F := package.algebra.freeness(s.central)).exponents + (F.verify(), F.reason)
    ),
    "halfspace_depth": lambda s: package.optimize.halfspace_depth(
        [s.at(*p) for p in ((0, 0), (1, 0), (1, 1))],
        [s.at(*p) for p in ((0, 0), (2, 0), (0, 2), (2, 2), (1, 0), (3, -1))],
    ),
    "regression_depth": lambda s: package.optimize.regression_depth(
        [[0, 0, 1], [0, 0, 2]],
        [s.at(*p) for p in ((0, 0), (1, 0), (3, 1), (2, 2), (2, -1))],
        [0, 1, 3, 1, 5],
    ),
    "best_tree": lambda s: (
        package.optimize.best_tree(
            [s.at(*p) for p in ((0, 0), (3, 3), (0, 3), (3, 0), (2, 1))], [0, 0, 1, 1, 1]
        ).loss
    ),
    "has_common_point": lambda s: package.structure.has_common_point(s.affine),
    "implicit_chambers": lambda s: sorted(package.algebra.implicit_chambers(s.affine)[:].tolist()),
    "implicit_rankings": lambda s: sorted(package.algebra.implicit_rankings(s.labels)[:].tolist()),
    "inductive_chain": lambda s: package.algebra.inductive_chain(s.central),
    "intersection_poset": lambda s: graph(package.structure.intersection_poset(s.affine)),
    "count_orbits": lambda s: package.algebra.count_orbits(s.affine),
    "is_formal": lambda s: package.algebra.is_formal(s.central),
    "is_free": lambda s: package.algebra.is_free(s.central),
    "is_inductively_free": lambda s: package.algebra.is_inductively_free(s.central),
    "is_reflection": lambda s: package.algebra.is_reflection(s.central),
    "is_simplicial": lambda s: package.structure.is_simplicial(s.affine),
    "mirrors": lambda s: package.algebra.mirrors(s.central).n_hyperplanes,
    "is_supersolvable": lambda s: package.algebra.is_supersolvable(s.central),
    "iter_chamber_edges": lambda s: sum(
        len(block.edges) for block in package.structure.iter_chamber_edges(s.affine)
    ),
    "iter_chambers": lambda s: sum(map(len, package.iter_chambers(s.affine))),
    "iter_faces": lambda s: sorted(
        row for block in package.structure.iter_faces(s.affine, 1) for row in block.tolist()
    ),
    "iter_rankings": lambda s: sum(map(len, package.iter_rankings(s.labels))),
    "localization": lambda s: moved(package.structure.localization(s.affine, [0, 1])),
    "max_feasible": lambda s: package.optimize.max_feasible(s.affine).value,
    "minimal_generated_number": lambda s: package.algebra.minimal_generated_number(s.central),
    "mobius": lambda s: package.algebra.mobius(s.central, [], range(5)),
    "modular_chain": lambda s: package.algebra.modular_chain(s.central),
    "nbc_bases": lambda s: list(package.algebra.nbc_bases(s.affine)),
    "nbc_sets": lambda s: sorted(package.algebra.nbc_sets(s.affine, 1)),
    # numbers of chambers depend on the order of their list
    "neighbors": lambda s: package.structure.neighbors(s.affine, SIGNS[0]).hyperplanes.tolist(),
    "place_range": lambda s: package.optimize.place_range(s.labels),
    "plot_arrangement": lambda s: title(package.plot_arrangement(s.affine)),
    "plot_gap": lambda s: [
        line.get_ydata()[-1]
        for line in package.plot.plot_gap(
            package.best_chamber(s.central, [-1, 2, -3, 1, -1])
        ).get_lines()
    ],
    "plot_intersection_lattice": lambda s: title(package.plot.plot_intersection_lattice(s.affine)),
    "plot_rankings": lambda s: title(package.plot_rankings(s.labels)),
    "plot_zonotope": lambda s: title(package.plot.plot_zonotope(s.central)),
    "poset_of_chambers": lambda s: graph(package.structure.poset_of_chambers(s.affine)),
    "primitive_eulerian_polynomial": lambda s: package.algebra.primitive_eulerian_polynomial(
        s.central
    ),
    "product": lambda s: moved(package.structure.product(s.affine, s.central)),
    "ranking_graph": lambda s: graph(package.structure.ranking_graph(s.labels)),
    "ranking_pattern": lambda s: listed(package.paper.ranking_pattern(s.labels)),
    "ranking_pattern_from_difference_cosines": lambda s: listed(
        package.paper.ranking_pattern_from_difference_cosines(
            package.paper.difference_cosine_matrix(s.scaled)
        )
    ),
    "rankings": lambda s: [
        listed(package.rankings(s.labels, method=m)) for m in ("sweep", "pairs", "incremental")
    ],
    "rays": lambda s: len(package.structure.rays(s.central)),
    "sign_vector_at": lambda s: package.sign_vector_at(s.affine, s.at(3, 1)),
    "restriction": lambda s: moved(package.restriction(s.affine, 2)),
    "rounded_cosine_matrix": lambda s: rounded(package.paper.rounded_cosine_matrix(s.scaled)),
    "rounded_difference_cosine_matrix": lambda s: rounded(
        package.paper.rounded_difference_cosine_matrix(s.scaled)
    ),
    "same_cosines": lambda s: package.paper.same_cosines(s.scaled, W),
    "same_oriented_matroid": lambda s: bool(package.algebra.same_oriented_matroid(s.central, W)),
    "same_softmax": lambda s: bool(
        package.paper.same_softmax(s.rows, package.paper.equivalent_softmax(s.rows, [1, s.theta]))
    ),
    "sample_chambers": lambda s: (
        package.algebra.sample_chambers(s.affine, 9, rng=1).to_array().shape
    ),
    "sign_pattern": lambda s: listed(package.paper.sign_pattern(s.central)),
    "sign_pattern_from_cosines": lambda s: listed(
        package.paper.sign_pattern_from_cosines(package.paper.cosine_matrix(s.scaled))
    ),
    "simplicial_chambers": lambda s: int(package.structure.simplicial_chambers(s.affine).sum()),
    "simplify": lambda s: package.structure.simplify(s.affine).rows,
    "tie_set": lambda s: package.structure.tie_set(s.labels, [0, 1]) is not None,
    "tie_sets": lambda s: len(package.structure.tie_sets(s.labels)),
    "top_k_rankings": lambda s: package.top_k_rankings(s.labels, 2),
    "top_k_sets": lambda s: (
        package.top_k_sets(s.labels, 2).tolist(),
        proved(package.can_be_top(s.labels, package.top_k_sets(s.labels, 2))),
    ),
    "top_ties": lambda s: package.structure.top_ties(s.labels),
    "translation_for_cosine": lambda s: checks.check_translation(
        *s.rows[:2], package.paper.translation_for_cosine(*s.rows[:2], -1), -1
    ),
    "tutte_polynomial": lambda s: package.algebra.tutte_polynomial(s.affine),
    "union": lambda s: moved(package.structure.union(s.affine, s.affine)),
    "varchenko_determinant": lambda s: package.algebra.varchenko_determinant(s.affine),
    "varchenko_matrix": lambda s: package.algebra.varchenko_matrix(s.affine).to_array().shape,
    "vertices": lambda s: s.standard(package.structure.vertices(s.affine)),
    "walls": lambda s: int(package.structure.walls(s.affine).sum()),
    "whitney_numbers": lambda s: package.algebra.whitney_numbers(s.affine, kind=2),
    "write_chambers": lambda s: stored(s, package.write_chambers, s.affine),
    "write_rankings": lambda s: stored(s, package.write_rankings, s.labels),
    "zonotope": lambda s: (
        (Z := package.structure.zonotope(s.points)).f_vector(),
        Z.volume / abs(linear.determinant(s.basis)),
        sorted(map(len, Z.facets)),
    ),
}

# name, what is asked with irrational entries, what the refusal says
REFUSED: list[tuple[str, Callable[[Side], Any], str]] = [
    ("best_chamber", lambda s: package.best_chamber(s.affine, [s.theta, 1, 1, 1, 1]), "rational"),
    (
        "binary_quadratic",
        lambda s: package.optimize.binary_quadratic(s.points),
        "V has irrational numbers; expected rational ones",
    ),
    (
        "kemeny_ranking",
        lambda s: package.optimize.kemeny_ranking([[0, 1]], [s.theta]),
        "weights has irrational numbers",
    ),
    ("l1_pca", lambda s: package.optimize.l1_pca(s.points), "X has irrational numbers"),
    (
        "binary_quadratic",
        lambda s: package.optimize.binary_quadratic([[1], [2]], linear=[s.theta, 1]),
        "linear has irrational numbers",
    ),
    (
        "best_tree",
        lambda s: package.optimize.best_tree([[0], [1]], [0, 1], weights=[s.theta, 1]),
        "weights has irrational numbers",
    ),
    (
        "depth_contours",
        lambda s: package.optimize.depth_contours(s.points),
        "rational entries only",
    ),
    (
        "simplicial_depth",
        lambda s: package.optimize.simplicial_depth(s.points, s.points),
        "data or points has irrational numbers",
    ),
    ("depth_region", lambda s: package.optimize.depth_region(s.points, 1), "rational entries only"),
    (
        "halfspace_median",
        lambda s: package.optimize.halfspace_median(s.points),
        "rational entries only",
    ),
    (
        "deepest_regression",
        lambda s: package.optimize.deepest_regression(s.points, range(len(s.points))),
        "X has irrational numbers",
    ),
    ("plot_depth", lambda s: package.plot.plot_depth(s.points), "rational entries only"),
    (
        "low_rank_structure",
        lambda s: package.models.low_rank_structure(s.points, 1),
        "rank=None",
    ),
    ("chambers", lambda s: package.chambers(s.central, rank=1), "inferred from rounded numbers"),
    (
        "zonotope",
        lambda s: package.structure.zonotope(s.points).n_lattice_points,
        "expected integer ends",
    ),
    (
        "sign_pattern_from_cosines",
        lambda s: package.paper.sign_pattern_from_cosines(package.paper.cosine_matrix(s.points)),
        "square is irrational: not a cosine of rows with rational products",
    ),
    (
        "write_certificate",
        lambda s: package.write_certificate(package.feasible(s.affine, SIGNS[1]), s.path),
        "holds rational entries only. Certificates have verify",
    ),
    (
        "write_certificate",
        lambda s: package.write_certificate(package.chambers(s.affine), s.path),
        "holds rational entries only",
    ),
    (
        "write_certificate",
        lambda s: package.write_certificate(package.rankings(s.labels), s.path),
        "holds rational entries only",
    ),
    (
        "write_certificate",
        lambda s: package.write_certificate(package.can_be_top(s.labels), s.path),
        "holds rational entries only",
    ),
    (
        "write_certificate",
        lambda s: package.write_certificate(15, s.path, W=s.affine),
        "holds rational entries only",
    ),
]
# Functions that are asked with other entries elsewhere, and why.
ELSEWHERE = {
    "braid_matrix": "takes a number",
    "canonical_form": "takes an oriented matroid",
    "iter_oriented_matroids": "takes numbers",
    "log_canonical_threshold": "tests/algebra/test_multiarrangements.py",
    "is_realizable": "takes an oriented matroid",
    "realizability": "takes an oriented matroid",
    "mutations": "takes an oriented matroid",
    "one_element_extensions": "takes an oriented matroid",
    "ziegler_restriction": "tests/algebra/test_multiarrangements.py",
    "check_chirotope": "takes signs",
    "check_count": "tests/counting/test_transcripts.py",
    "check_run": "with write_chambers",
    "count_points_modulo": "below: depends on coordinates",
    "from_equations": "tests/exchange",
    "from_macaulay2": "tests/exchange",
    "from_oscar": "tests/exchange",
    "from_polymake": "tests/exchange",
    "from_sage": "tests/exchange",
    "from_vnnlib": "tests/exchange: decimals only",
    "generic_ranking_count": "takes numbers",
    "is_good_reduction": "below: depends on coordinates",
    "leads": "tests/models: depends on coordinates",
    "plot_network": "takes rational numbers only",
    "plot_polyhedron": "draws floats",
    "load_matrix": "test_expressions: sqrt(2) in text",
    "load_names": "reads names",
    "load_vector": "test_expressions",
    "open_run": "with write_chambers",
    "plot_bjorner": "a picture of one example",
    "reduction_modulo": "below: depends on coordinates",
    "to_macaulay2": "tests/exchange",
    "to_oscar": "tests/exchange",
    "to_polymake": "tests/exchange",
    "to_sage": "tests/exchange",
    "verify": "takes no matrix; below: what it calls",
}


def test_all_functions_are_asked() -> None:
    functions = {
        name
        for name, found in PUBLIC.items()
        # networks take rational numbers only
        if inspect.isfunction(found)
        and not found.__module__.startswith("arrangements.networks")
        and name != "write_regions"
    }
    refused = {name for name, _, _ in REFUSED}
    assert functions == set(QUESTIONS) | refused | set(ELSEWHERE)


@pytest.mark.parametrize(
    "ask",
    [
        lambda c: c.fit(np.array([[0, THETA], [1, 0]], object), [0, 1]),
        lambda c: c.fit([[0], [1]], [0, 1], sample_weight=np.array([THETA, 1], object)),
        lambda c: c.fit([[0], [1]], [0, 1]).predict([[THETA]]),
        lambda c: c.fit([[0], [1]], [0, 1]).decision_function([[THETA]]),
    ],
)
def test_scikit_learn_is_passed_no_irrational_numbers(ask: Any) -> None:
    pytest.importorskip("sklearn")
    with pytest.raises(InputError, match="(X|sample_weight) has irrational numbers"):
        ask(package.optimize.ZeroOneClassifier())


def test_scores_and_probabilities_are_rounded() -> None:
    rows = np.array([[1.0, 2**0.5], [0, 1]])
    given, rounded = (package.models.SoftmaxClassifier(W) for W in ([[1, sqrt(2)], [0, 1]], rows))
    assert np.allclose(given.scores([1, sqrt(3)]), rounded.scores([1, 3**0.5]), rtol=1e-15)
    assert np.allclose(given.probabilities([[1, 2]]), rounded.probabilities([[1, 2]]), rtol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_change_of_coordinates_changes_no_answer(name: str, sides: tuple[Side, Side]) -> None:
    expected, found = (plain(QUESTIONS[name](side)) for side in sides)
    assert repr(found) == repr(expected) if isinstance(found, tuple) else found == expected


@pytest.mark.slow
@pytest.mark.parametrize(("name", "ask", "message"), REFUSED)
def test_refusals_say_what_to_do(name: str, ask: Any, message: str, irrational: Side) -> None:
    with pytest.raises((InputTypeError, InputError), match=message):
        ask(irrational)


# ------------------------------------------------------------------ modulo primes


def test_reductions_modulo_primes_that_split() -> None:
    H3 = generators.coxeter("H3")  # over the field of sqrt(5), a square modulo 11, 19 and 29
    polynomial = package.characteristic_polynomial(H3)
    for p in (11, 19, 29):
        assert package.algebra.is_good_reduction(H3, p)
        assert package.algebra.count_points_modulo(H3, p) == polynomial.eval(p)
    assert not package.algebra.is_good_reduction(H3, 2)
    for p in (3, 7):
        with pytest.raises(InputError, match=r"polynomial of sqrt\(5\) has no root"):
            package.algebra.reduction_modulo(H3, p)
    row = package.algebra.reduction_modulo([[1, sqrt(2)]], 7).tolist()
    assert row == [[1, 3, 0]]  # 3 is the least square root of 2


def test_defining_polynomial() -> None:
    found = package.algebra.defining_polynomial([[1, sqrt(2)], [1, -sqrt(2)]], [0, 1])
    x, y = found.gens
    expected = (x + sqrt(2) * y) * (x - sqrt(2) * y + 1)
    assert sympy.expand(found.as_expr() - expected) == 0
    assert str(found.domain) == "QQ<sqrt(2)>"


@pytest.mark.slow
def test_freeness() -> None:
    H3 = generators.coxeter("H3")
    for A, exponents in (
        (H3, (1, 5, 9)),
        (generators.coxeter("I2(7)"), (1, 6)),
        (Arrangement([[1, sqrt(2), 0], [1, 1, 0], [0, 1, 0]]), (0, 1, 2)),
    ):
        found = package.algebra.freeness(A)
        assert found.exponents == exponents and found.verify()
    basis = package.algebra.freeness(H3).basis
    assert [max(f.total_degree() for f in theta) for theta in basis] == [1, 5, 9]
    # a wrong basis is seen
    wrong = package.algebra.freeness(H3)
    vars(wrong)["basis"] = basis[0], basis[1], basis[1]
    assert not wrong.verify()
    generic = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, sqrt(2), sqrt(3)]]
    assert package.algebra.is_free(generic) is False


# ------------------------------------------------------------------ the paper


def test_statements_of_the_paper() -> None:
    root = sqrt(2)
    V = [[1, root], [root, -1], [1 - root, 2], [0, root]]
    checks.check_sign_pattern(V, package.chambers(V))
    checks.check_ranking_pattern(V, package.rankings(V))
    checks.check_braid_matrix(package.paper.braid_matrix(4), V)
    scaled = np.array(V) * np.array([[2], [root], [1], [3 - root]])
    checks.check_row_scaling(V, [2, root, 1, 3 - root], package.chambers(scaled))
    other = (np.array(V) @ np.array([[1, root], [0, 1]])).tolist()
    checks.check_column_span(V, other, package.chambers(V))
    checks.check_equivalent_softmax(V, package.paper.equivalent_softmax(V, [root, 1]), [[1, root]])
    checks.check_equivalent_models(package.paper.equivalent_models(V, 0, 2))
    for target in (1, -1):
        v = package.paper.translation_for_cosine(V[0], V[1], target)
        checks.check_translation(V[0], V[1], v, target)
    less = package.chambers(V)[1:]
    for false_claim in (
        lambda: checks.check_sign_pattern(V, less),
        lambda: checks.check_ranking_pattern(V, package.rankings(other)[1:]),
        lambda: checks.check_translation(V[0], V[1], [root, root], 1),
    ):
        with pytest.raises(checks.FalseClaim):
            false_claim()


def test_example_c_3_as_it_stands() -> None:
    example = package.paper.examples.centered_unit_length()
    V, rows = example.W, example.coordinates
    assert Arrangement(V).field is not None
    assert (
        package.structure.top_ties(V).tolist()
        == package.structure.top_ties(rows).tolist()
        == example.ties.tolist()
    )
    assert package.rankings(V) == package.rankings(rows)
    assert package.argmax_labels(V).tolist() == list(range(5))
    assert [tuple(pair) for pair in example.ties.tolist()].count(example.together) == 1
    checks.check_tie_example(example, centered=True, unit_length=True)
    assert repr(package.explore(V, show="top-1")) == "Explorer('5 of 5 labels can be first')"


# ------------------------------------------------------------------ several arguments, texts


def test_arguments_of_different_fields() -> None:
    A = Arrangement([[1, sqrt(2)], [1, 1], [0, 1]], [0, 1, -sqrt(2)])
    assert package.sign_vector_at(A, [sqrt(3), sqrt(2)]).tolist() == [1, 1, 0]
    moved_by = package.structure.change_of_basis(A, [[1, sqrt(3)], [sqrt(5), 1]], [0, sqrt(2)])
    assert moved_by.arrangement.count_chambers() == A.count_chambers()
    point = moved_by.to_original([sqrt(7), 1])
    assert moved_by.from_original(point)[1] == 1
    inside = ([[1, sqrt(3)]], [sqrt(5)])
    assert len(package.chambers(A, within=inside)) == len(
        package.chambers(A, within=([[1, 1.7320508]], [2.2360679]))
    )
    V, U = [[1, sqrt(2)], [1, 1]], [[sqrt(3), sqrt(6)], [1, 1]]
    assert package.paper.same_cosines(V, U) and not package.paper.same_cosines(V, [[1, 1], [1, 2]])
    moved_rows = package.paper.equivalent_softmax(V, [sqrt(3), 1])
    assert package.paper.same_softmax(V, moved_rows) and not package.paper.same_softmax(V, U)
    assert repr(package.paper.same_softmax(V, moved_rows)).startswith(
        "SameSoftmax(True, (1.73205, 1)"
    )
    minus = NumberField([-2, 0, 1], (-2, -1)).generator
    same = Arrangement([[1, -minus], [1, 1], [0, 1]], [0, 1, minus])
    assert same == A and hash(same) == hash(A)


def test_pages_of_notebooks(irrational: Side) -> None:
    side = irrational
    for shown in (
        side.affine,
        package.chambers(side.affine),
        package.rankings(side.labels),
        package.feasible(side.affine, SIGNS[1]),
        package.flats(side.affine),
        package.ScoreModel(side.rows, side.offsets),
        package.best_chamber(side.affine, [1, -2, 3, 1, 1]),
        package.audit(side.rows),
    ):
        assert "<" in shown._repr_html_()
    assert "c" in side.affine._repr_html_()


def test_space(tmp_path: Path) -> None:
    Z = package.structure.zonotope(
        generators.coxeter("H3")
    )  # the truncated icosidodecahedron, in a basis
    assert Z.f_vector() == (120, 180, 62, 1)
    assert sorted(map(len, Z.facets)) == [4] * 30 + [6] * 20 + [10] * 12
    assert Z.mesh().vertices.shape == (120, 3) and Z.volume == 345 + 145 * sqrt_of_5()
    assert (Z.mesh().vertices @ Z.halfspaces()[:, :3].T + Z.halfspaces()[:, 3]).max() < 1e-9
    Z.write_off(tmp_path / "z.off")
    assert (tmp_path / "z.off").read_text().startswith("OFF\n120 62 180\n")
    P = package.structure.chamber_polyhedron(
        Arrangement([[1, 0], [0, 1], [-1, -1]], [0, 0, sqrt(2)]), "+++"
    )
    assert len(P.vertices) == 3 and P.is_bounded and Fraction(0) in P.vertices[0]


def sqrt_of_5() -> Any:
    return NumberField([-5, 0, 1], (2, 3)).generator
