"""Low rank behind printed digits: warned of, inferred, no false alarm."""

import warnings

import numpy as np
import pytest

from arrangements import (
    OrientedMatroid,
    argmax_labels,
    count_chambers,
    count_rankings,
    generators,
    load_matrix,
)
from arrangements.core.low_rank import exact_rank, warn_if_low_rank
from arrangements.core.rounding import infer_print_format, print_format_of, rounding_of
from arrangements.errors import InputError, LowRankWarning
from arrangements.exact.coercion import as_exact_matrix
from arrangements.models import low_rank_structure

BRAID = generators.braid(4).normals
DIGITS = [f"%.{p}g" for p in range(8, 17)]
DECIMALS = ["%.6f", "%.8f", "%.12f"]


def printed(W, form):
    return np.array([[float(form % entry) for entry in row] for row in W])


def warned(W, centered=False):
    """The rank that a warning names, if there is one."""
    W = as_exact_matrix(W)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_if_low_rank(W, lambda: exact_rank(W, centered), centered)
    return caught[0].message.args[1].value if caught else None


def test_a_product_with_the_digits_that_others_export() -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(8, 2))
    W = printed(A @ rng.normal(size=(2, 4)), "%.15g")
    with pytest.warns(LowRankWarning, match=r"exact rank 4 .* 2, .*printed in decimals.* rank=2"):
        assert count_chambers(W) > 16
    assert count_chambers(W, rank=2) == 16 == count_chambers(A)
    with pytest.raises(InputError, match=r"rank is 3, but W has rank 2 .* Pass rank=2"):
        count_chambers(W, rank=3)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", [*DIGITS, *DECIMALS])
def test_printed_products_are_recognized_with_their_rank(form: str) -> None:
    rng = np.random.default_rng(1)
    for centered in (False, True):
        for _ in range(40):
            r = int(rng.integers(1, 4))
            n, d = int(rng.integers(r + 3, 12)), int(rng.integers(r + 2, 9))
            A = rng.normal(size=(n, r))
            W = printed(A @ rng.normal(size=(r, d)) + centered * rng.normal(size=d), form)
            assert warned(W, centered) == r


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", [*(f"%.{p}g" for p in range(2, 18)), *DECIMALS, "%.2f", "%.4f"])
def test_printed_matrices_in_general_position_are_not_warned_of(form: str) -> None:
    rng = np.random.default_rng(2)
    for _ in range(120):
        n, d = int(rng.integers(2, 12)), int(rng.integers(2, 9))
        W = printed(rng.normal(size=(n, d)) * 10.0 ** rng.integers(-2, 3), form)
        assert warned(W) is None and warned(W, True) is None


@pytest.mark.slow
def test_whole_numbers_and_short_decimals_are_not_warned_of() -> None:
    rng = np.random.default_rng(3)
    for _ in range(700):
        n, d = int(rng.integers(2, 9)), int(rng.integers(2, 7))
        size = int(rng.choice([1, 3, 50, 1000]))
        whole = rng.integers(-size, size + 1, (n, d)).astype(float)
        if rng.random() < 0.3:
            whole[:, 0] = 1
        W = whole * rng.choice([1.0, 0.5, 0.25, 2.0**-6, 0.1, 0.01, 1e6, 1 / 3])
        for centered in (False, True):
            # after a scaling that rounds, dependent columns are a product behind rounding
            if exact_rank(W, centered) == exact_rank(whole, centered):
                assert warned(W, centered) is None


@pytest.mark.parametrize("form", ["%.15g", "%.12g", "%.9f", "%.8g"])
def test_a_printed_product_is_recovered(form: str) -> None:
    rng = np.random.default_rng(4)
    cube = np.array(np.meshgrid(*[(0, 1)] * 3)).reshape(3, -1).T
    for _ in range(4):
        W = printed(BRAID @ rng.normal(size=(4, 6)), form)
        assert count_chambers(W, rank=3) == 24
        assert low_rank_structure(W, 3).source == "recovered"
        labels = printed(cube @ rng.normal(size=(3, 5)) + rng.normal(size=5), form)
        assert count_rankings(labels, rank=3) == 96


def test_float32_numbers_that_were_printed_with_few_digits() -> None:
    rng = np.random.default_rng(5)
    A = rng.normal(size=(9, 2))
    for form in ("%.6g", "%.5f"):
        W = printed(A @ rng.normal(size=(2, 5)), form).astype("f4")
        assert warned(W) == 2 and count_chambers(W, rank=2) == 18


@pytest.mark.slow
def test_a_gap_tells_of_numbers_that_went_through_more() -> None:
    """One unit in the last place beside a number of 15 digits: no digits show that it was one."""
    rng = np.random.default_rng(6)
    for _ in range(30):
        W = printed(rng.normal(size=(8, 2)) @ rng.normal(size=(2, 6)), "%.15g")
        W = np.nextafter(W, rng.choice([-9.0, 9.0], W.shape))
        assert warned(W) == 2 and count_chambers(W, rank=2) == 16
    near = np.array([[1.0, 1.0, 0.5], [1.0, 1 + 2.0**-50, 0.5], [1.0, 0.25, 3.0], [0.5, 1.0, 1.0]])
    assert warned(near) is None


def test_rounding_of_printed_numbers() -> None:
    W = np.random.default_rng(7).normal(size=(6, 4)) * [1, 100, 0.01, 1]
    digits, decimals = rounding_of(printed(W, "%.9g")), rounding_of(printed(W, "%.7f"))
    assert not digits.fixed and decimals.fixed and rounding_of(W).halves is None
    assert digits.halves is not None and decimals.halves is not None
    assert (np.abs(printed(W, "%.9g") - W) <= digits.halves).all()
    assert (decimals.halves == 0.5e-7).all()
    assert infer_print_format(["1", "-20", "3e2"]) is infer_print_format(["0.1", "2.5"]) is None
    ones = np.column_stack([np.ones(6), printed(W, "%.7f")])
    assert rounding_of(ones).fixed  # whole numbers tell nothing


# ------------------------------------------------------------------ text


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "form", ["%.15g", "%.16g", "%.6f", "%.8e", "%.18e"], ids=["15g", "16g", "6f", "8e", "18e"]
)
def test_text_tells_its_digits(tmp_path, form: str) -> None:
    rng = np.random.default_rng(8)
    A = rng.normal(size=(8, 2))
    np.savetxt(tmp_path / "w.csv", A @ rng.normal(size=(2, 4)), fmt=form, delimiter=",")
    W = load_matrix(tmp_path / "w.csv")
    for question in (count_chambers, count_rankings, argmax_labels, OrientedMatroid.from_matrix):
        with pytest.warns(LowRankWarning, match="but numerical rank 2"):
            question(W)
    assert count_chambers(W, rank=2) == 16


def test_text_knows_more_than_its_numbers(tmp_path) -> None:
    """Every second number of float64 has 16 digits: twelve of them tell nothing."""
    A = np.random.default_rng(9).normal(size=(4, 1)) * [[1.5, -0.7, 2.2]]
    np.savetxt(tmp_path / "w.txt", A, fmt="%.16g")
    W = load_matrix(tmp_path / "w.txt")
    plain = np.asarray(W)
    assert repr(W) == repr(plain) and repr(W[:1]) == repr(plain[:1])
    known = rounding_of(plain, print_format_of(W))
    assert known.halves is not None and (known.halves <= 5e-15).all()
    assert rounding_of(plain).halves is None is print_format_of(W[:1])
    (tmp_path / "w.txt").write_text("1 2\n3 4\n")
    assert type(load_matrix(tmp_path / "w.txt")) is np.ndarray
