"""Arrays and registers against what is said about them."""

from arrangements.kernels.chambers import workspace as registers
from arrangements.kernels.rankings import workspace
from arrangements.search import ranking_sweep
from kernels import dtypes
from kernels.rankings.exact_pairs import label_flag, small_labels


def test_arrays_have_the_types_that_are_promised():
    space = ranking_sweep.workspace(label_flag(*small_labels(0, 7, 2)))
    found = list(dtypes(space))
    assert len(found) == 58
    for name, dtype, promised in found:
        assert dtype == promised, name
    assert space.state is space.exact.state


def test_registers_are_different():
    names = ["NEXT_A", "NEXT_C", "BLOCKS", "CENTRAL", "ORDERED", "HAS_RESIDUES", "STAMP", "WALK"]
    names += ["EVENTS", "EVENT", "PENDING", "LEAST", "AIMED", "GROUPS"]
    own = [getattr(workspace, name) for name in names]
    space = ranking_sweep.workspace(label_flag(*small_labels(0, 7, 2)))
    assert len(set(own)) == len(names) and min(own) > registers.WORK
    assert max(own) < len(space.state)
