"""A differential fuzzer: random inputs of unpleasant kinds to every public question.

``pytest tests/attack --slow`` takes about a minute; ``--attack 60`` tries sixty times as many
cases, and ``--attack-seed 1`` others.
"""

import re
from pathlib import Path

import about_chambers
import about_claims
import about_models
import about_networks
import about_optima
import about_rankings
import about_structure
import pytest
from cases import QUESTIONS, attack
from everything import PUBLIC

pytestmark = pytest.mark.slow

ABOUT = (
    *(about_chambers, about_claims, about_models, about_networks, about_optima, about_rankings),
    about_structure,
)
# Public functions that no question here asks, by why not.
ELSEWHERE = {
    "files, pictures and pages": """
        check_run explore load_matrix load_names load_vector open_run plot_arrangement plot_bjorner
        plot_depth plot_gap plot_intersection_lattice plot_network plot_polyhedron
        plot_rankings plot_zonotope write_certificate
    """.split(),
    "texts, which tests/exchange writes and reads": """
        from_equations from_macaulay2 from_oscar from_polymake from_sage from_vnnlib to_macaulay2
        to_oscar to_polymake to_sage
    """.split(),
    "compared with enumerations and published values in tests of their own": """
        automorphisms canonical_form chamber_orbits chamber_walk check_chirotope
        coboundary_polynomial iter_oriented_matroids mutations one_element_extensions
        cocharacteristic_polynomial count_monotone_paths count_orbits defining_polynomial
        check_count freeness generic_ranking_count inductive_chain is_formal is_free
        is_inductively_free is_reflection is_supersolvable iter_chamber_edges low_rank_structure
        is_realizable log_canonical_threshold minimal_generated_number mirrors modular_chain
        primitive_eulerian_polynomial realizability
        reduction_modulo translation_for_cosine varchenko_determinant varchenko_matrix verify
        ziegler_restriction
    """.split(),
    "names of chambers, rankings and differences in the language of the paper": """
        braid_matrix equivalent_softmax ranking_pattern sign_pattern
    """.split(),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_right_for_odd_numbers(name: str, request: pytest.FixtureRequest) -> None:
    times, seed = request.config.getoption("attack"), request.config.getoption("attack_seed")
    problems = attack(name, seed, times)
    assert not problems, "\n".join(["", *problems])


def test_every_question_is_asked_somewhere() -> None:
    texts = "".join(Path(module.__file__).read_text(encoding="utf-8") for module in ABOUT)
    public = {name for name, found in PUBLIC.items() if name[0].islower() and callable(found)}
    asked = {name for name in public if re.search(rf"(?<![.\w]){name}\(|\"{name}\"", texts)}
    elsewhere = {name for names in ELSEWHERE.values() for name in names}
    assert public - asked == elsewhere
