"""Methods of `Arrangement` that ask the public function of the same name.

This is the only look upwards: a folder imports only from those below it, but these methods find the
functions of all floors by their names. ``methods.pyi``, which ``python tests/stubs.py`` writes,
has their signatures for type checkers.
"""

from typing import Any

from arrangements.core.shortcuts import Shortcut
from arrangements.public import find

# Questions about one arrangement, then questions about its rows as labels.
NAMES = """
chambers iter_chambers count_chambers write_chambers fold_chambers feasible feasible_many
sign_vector_at best_chamber max_feasible place_range best_ranking characteristic_polynomial
betti_numbers whitney_numbers count_bounded flats intersection_poset f_vector covectors
iter_faces face_lattice vertices rays zonotope walls neighbors bounded_chambers
simplicial_chambers chamber_distance chamber_distances chamber_edges iter_chamber_edges
chamber_graph poset_of_chambers tutte_polynomial coboundary_polynomial
doubly_indexed_whitney_numbers mobius exponents cocharacteristic_polynomial
primitive_eulerian_polynomial nbc_bases nbc_sets modular_chain is_supersolvable
inductive_chain is_inductively_free freeness is_free is_simplicial minimal_generated_number
is_formal is_reflection ziegler_restriction log_canonical_threshold mirrors sample_chambers
implicit_chambers implicit_rankings chamber_walk automorphisms chamber_orbits
count_orbits
varchenko_matrix varchenko_determinant defining_polynomial reduction_modulo
is_good_reduction count_points_modulo chamber_degrees chamber_diameter distance_enumerator
count_monotone_paths center chamber_polyhedron deletion restriction
localization simplify product union cone decone essentialization change_of_basis rankings
iter_rankings count_rankings write_rankings fold_rankings argmax_labels top_k_sets
top_k_rankings can_be_top tie_set tie_sets top_ties leads ranking_graph explore plot_arrangement
plot_rankings plot_intersection_lattice plot_zonotope to_sage to_macaulay2 to_polymake to_oscar
"""


class Methods:
    """The questions about an arrangement as its methods."""

    def oriented_matroid(self, *, rank: int | None = None) -> Any:
        """Oriented matroid of the rows: see `arrangements.OrientedMatroid.from_matrix`."""
        matroid: Any = find("OrientedMatroid")
        return matroid.from_matrix(self, rank=rank)

    @classmethod
    def from_equations(cls, *equations: Any, variables: Any = None, field: Any = None) -> Any:
        """Arrangement of equations such as "x - y": see `arrangements.exchange.from_equations`."""
        function: Any = find("from_equations")
        return function(*equations, variables=variables, field=field)


for _name in NAMES.split():
    setattr(Methods, _name, Shortcut(_name))
