"""A sweep that passes over values that do not matter, against one that writes all."""

import numpy as np
import pytest

from arrangements.core.arrangement import Arrangement
from arrangements.kernels.chambers import line_sums
from arrangements.search.flag import arrangement_flag
from arrangements.search.gains import gains_of
from kernels.chambers.summed import CASES, arrangement_of, summed


def swept(flag, gains, between=(0, 0)):
    """Rows (value, name), and the number of chambers passed over."""
    sweep, found = summed(flag, gains, between)
    return found.astype(object), sweep.passed()


def signed(number):
    return number - 2**64 if number >= 2**63 else number


@pytest.mark.sampled(2)
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_all_that_matter_are_written(name, affine):
    check_all_that_matter(*arrangement_of(name, affine))


@pytest.mark.slow
@pytest.mark.parametrize("distance", [10**6, 10**9, 10**12])
def test_points_that_are_close(distance):
    """Their keys agree, or their single precision says nothing."""
    rng = np.random.default_rng(distance % 97)
    rows = np.repeat(rng.integers(-9, 10, (8, 4)) + np.eye(8, 4, dtype=int) * 20, 3, axis=0)
    rows = rows * distance + rng.integers(-1, 2, rows.shape)
    check_all_that_matter(Arrangement(rows.tolist()), rng)


def check_all_that_matter(arrangement, rng):
    flag = arrangement_flag(arrangement, 0)
    for gains in (rng.choice([-1, 1], flag.n), rng.integers(-9, 10, flag.n), np.ones(flag.n, int)):
        form = gains_of(gains, flag)
        everything, none = swept(flag, form)
        assert none == 0
        values = sorted(map(signed, everything[:, 0]))
        names = {name: signed(value) for value, name in everything.tolist()}
        low, high = values[0], values[-1]
        thirds = values[len(values) // 3], values[-(len(values) // 3)]
        beyond = low - 5, high + 5
        for between in ((low, high), (low, 2**62), thirds, beyond, (high, low), (-(2**61), 2**62)):
            found, passed = swept(flag, form, between)
            written = {name: signed(value) for value, name in found.tolist()}
            assert len(written) == len(found)
            assert all(names[name] == value for name, value in written.items())
            wanted = {n for n, value in names.items() if not between[0] < value < between[1]}
            assert wanted <= set(written)
            # a row that is tied with another one counts as a chamber too
            assert len(found) + passed >= len(everything)
            if between == (high, low):
                assert passed == 0


def test_most_lines_are_passed_over():
    rng = np.random.default_rng(0)
    rows = rng.integers(-(10**6), 10**6, (100, 4))
    wanted = np.where(rows @ [3, 1, 4, 1] > 0, -1, 1)
    flag = arrangement_flag(Arrangement(rows), 0)
    form = gains_of(wanted, flag)
    everything, _ = swept(flag, form)
    least = min(map(signed, everything[:, 0]))
    found, passed = swept(flag, form, (least, int(wanted.sum()) - least))
    assert len(found) + passed == len(everything)  # in general position no two rows are tied
    assert len(found) < len(everything) / 10


def test_there_is_room_for_all_pieces():
    for n in range(1, 70):
        assert line_sums.most_pieces(n) >= 1 + 2 * (n // line_sums._CHILDREN_PER_CUT)
