"""Masks of 0 and 1 are label sets, wherever these are taken and in the forms of every library."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from arrangements import (
    Arrangement,
    Certificates,
    argmax_labels,
    audit,
    can_be_top,
    feasible_many,
    write_certificate,
)
from arrangements.checker import check
from arrangements.errors import InputError
from arrangements.files.label_sets import load_label_sets
from arrangements.models import SigmoidClassifier
from arrangements.structure import tie_set

NAMES = ["cat", "dog", "cow", "pig"]
W = np.array([[1, 0], [0, 1], [-1, -1], [2, -1]])
MASK = np.array(list(itertools.product([0, 1], repeat=4))[1:])
SETS = [np.flatnonzero(row).tolist() for row in MASK]


class Tensor:
    """What this package asks of a tensor of PyTorch."""

    def __init__(self, array: Any) -> None:
        self.array, self.dtype = np.asarray(array), "torch.something"

    def detach(self) -> "Tensor":
        return self

    cpu = detach

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.array

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Any:
        return map(Tensor, self.array)


class PolarsFrame:
    """What this package asks of a DataFrame of polars, which iterates columns."""

    def __init__(self, array: Any) -> None:
        self.array, self.columns = array, NAMES

    def to_numpy(self) -> Any:
        return self.array

    def __iter__(self) -> Any:
        return iter(self.array.T)


def torch_tensor(mask: Any) -> Any:
    return pytest.importorskip("torch").tensor(mask)


def polars_frame(mask: Any) -> Any:
    return pytest.importorskip("polars").DataFrame(mask, schema=NAMES, orient="row")


FRAME = pd.DataFrame(MASK, columns=NAMES)
SPARSE = scipy.sparse.csr_array(MASK)
FORMS: dict[str, Callable[[], Any]] = {
    "int": lambda: MASK,
    "uint8": lambda: MASK.astype(np.uint8),
    "bool": lambda: MASK.astype(bool),
    "float": lambda: MASK.astype(np.float32),
    "objects": lambda: MASK.astype(object),
    "fortran": lambda: np.asfortranarray(MASK),
    "lists": lambda: MASK.tolist(),
    "lists of bools": lambda: MASK.astype(bool).tolist(),
    "tuples": lambda: tuple(map(tuple, MASK.tolist())),
    "iterator": lambda: iter(MASK.tolist()),
    "list of arrays": lambda: [*MASK.astype(bool)],
    "list of Series": lambda: [row for _, row in FRAME.iterrows()],
    "list of sparse rows": lambda: [SPARSE[[i]] for i in range(len(MASK))],
    "csr": lambda: SPARSE,
    "csc of floats": lambda: scipy.sparse.csc_matrix(MASK.astype(float)),
    "coo": lambda: scipy.sparse.coo_array(MASK.astype(bool)),
    "lil": lambda: scipy.sparse.lil_matrix(MASK),
    "frame": lambda: FRAME,
    "frame, other order": lambda: FRAME[NAMES[::-1]],
    "frame of bools": lambda: FRAME.astype(bool)[["pig", "cat", "cow", "dog"]],
    "frame of nullable": lambda: FRAME.astype("boolean")[["pig", "cat", "cow", "dog"]],
    "frame of Int64": lambda: FRAME.astype("Int64"),
    "frame of two types": lambda: FRAME.astype({"cat": bool, "dog": "Int64", "cow": float}),
    "sparse frame": lambda: pd.DataFrame.sparse.from_spmatrix(SPARSE, columns=NAMES),
    "frame without names": lambda: pd.DataFrame(MASK),
    "tensor": lambda: Tensor(MASK),
    "tensors in a list": lambda: [*Tensor(MASK.astype(bool))],
    "like polars": lambda: PolarsFrame(MASK),
    "torch bool": lambda: torch_tensor(MASK.astype(bool)),
    "torch int": lambda: torch_tensor(MASK),
    "torch float": lambda: torch_tensor(MASK.astype(np.float32)),
    "polars": lambda: polars_frame(MASK.astype(bool)),
    "polars of ints": lambda: polars_frame(MASK),
}


@pytest.mark.sampled(14)
@pytest.mark.parametrize("form", FORMS)
def test_a_mask_means_its_columns(form: str) -> None:
    A, made = Arrangement(W, labels=NAMES), FORMS[form]
    expected = feasible_many(W, np.where(MASK, 1, -1)).feasible.tolist()
    assert feasible_many(A, on=made()).feasible.tolist() == expected
    assert audit(A, sets=made()).possible.tolist() == expected
    assert can_be_top(A, made()).tops == can_be_top(W, SETS).tops


def test_without_names_columns_count_by_position() -> None:
    expected = feasible_many(W, on=SETS).feasible.tolist()
    for frame in (FRAME, pd.DataFrame(MASK)):
        assert feasible_many(W, on=frame).feasible.tolist() == expected


def test_other_integers_are_row_numbers() -> None:
    numbers = np.array([[0, 1], [1, 2], [3, 0]])
    expected = feasible_many(W, on=numbers.tolist()).feasible.tolist()
    frame = pd.DataFrame(numbers, columns=["first", "second"])
    for given in (
        numbers,
        Tensor(numbers),
        frame,
        numbers.astype(np.uint8),
        numbers.astype(object),
    ):
        assert feasible_many(W, on=given).feasible.tolist() == expected
        assert can_be_top(W, given, ordered=True).tops == [tuple(row) for row in numbers.tolist()]
    named = pd.DataFrame([["cat", "dog"], ["pig", "cow"]])
    assert can_be_top(Arrangement(W, labels=NAMES), named).tops == [(0, 1), (3, 2)]


def test_two_labels() -> None:
    """As row numbers, 0 and 1 may be distinct: only booleans, and named columns, are a mask."""
    two = W[:2]
    for numbers in ([[0, 1], [1, 0]], np.array([[0, 1], [1, 0]])):
        assert all(one.signs == (1, 1) for one in feasible_many(two, on=numbers))
        assert can_be_top(two, numbers).tops == [(0, 1), (1, 0)]
    mask = np.array([[False, True], [True, True]])
    A = Arrangement(two, labels=["cat", "dog"])
    frame = pd.DataFrame({"dog": [1, 1], "cat": [0, 1]})
    forms = (mask, mask.tolist(), mask.astype(float), scipy.sparse.csr_array(mask), frame)
    for given in (*forms, [row for _, row in frame.iterrows()]):
        assert can_be_top(A, given).tops == [(1,), (0, 1)]
    assert can_be_top([[1]], [[True]]).tops == [(0,)]
    with pytest.raises(InputError, match="expected distinct labels"):
        can_be_top(two, [[1, 1]])


def test_one_set() -> None:
    model = SigmoidClassifier(W, labels=NAMES)
    expected = model.decision_region(["cat", "pig"])
    row = pd.Series({"pig": True, "cow": False, "dog": False, "cat": True})
    for mask in ([1, 0, 0, 1], np.array([True, False, False, True]), row, row.astype(int)):
        assert repr(model.decision_region(mask)) == repr(expected)
        assert tie_set(W, mask, labels=NAMES) == tie_set(W, ["cat", "pig"], labels=NAMES)
        assert argmax_labels(W, labels=NAMES, candidates=mask).tolist() == [3]
    assert repr(model.decision_region([0, 0, 0, 0])) == repr(model.decision_region([]))
    assert repr(model.decision_region(model.predict([1, 0]))) == repr(expected)


def test_ordered_tops_are_no_masks() -> None:
    for mask in (MASK, MASK.astype(bool), FRAME, SPARSE):
        with pytest.raises(InputError, match="has no order"):
            can_be_top(W, mask, ordered=True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (MASK[:, :3].astype(bool), r"mask of shape \(15, 3\); expected \(m, 4\)"),
        (MASK[:, :3], r"\[0\] is \[0, 0, 0\]; .* A mask has an entry for each of 4 labels"),
        (MASK[:, :3].tolist(), r"\[0\] is \[0, 0, 0\]; .* A mask has an entry for each of 4"),
        (scipy.sparse.csr_array(MASK[:, :3]), r"mask of shape \(15, 3\)"),
        (scipy.sparse.csr_array(3 * MASK), "has an entry 3; expected a mask"),
        ([[True, False]], "has 2 entries, and booleans among them; expected a mask of 4"),
        ([[1, 0, 0, 0], [0, 2]], "and all sets are masks or none"),
        ([True, False, False, True], "booleans among them"),
        (np.array([True, False, False, True]), "expected several sets"),
        (MASK / 2, "has an entry 0.5; expected integers"),
        (MASK[None], "expected several sets"),
        ([{"cat": 1, "dog": 0, "cow": 1, "pig": 1}], "is a dict; expected labels, or a mask"),
        (FRAME.rename(columns={"cow": "hen"}), "'cow', a label of the rows, .* and 'hen' is"),
        (FRAME[["cat", "dog", "cow"]].astype(bool), "'pig', a label of the rows, is not in"),
        (FRAME[["cat", "dog"]].astype(int), "is not in the columns of"),
        (FRAME.set_axis([1, 0, 2, 3], axis=1), "'cat', a label of the rows"),
        (FRAME.astype("boolean").mask(FRAME == 0), "under 'cat' of the columns of .* is missing"),
        (FRAME.astype(float).mask(FRAME == 0), "under 'cat' of the columns of .* is missing"),
    ],
)
def test_what_cannot_be_a_mask_is_refused(given: Any, message: str) -> None:
    A = Arrangement(W, labels=NAMES)
    for ask in (
        lambda: feasible_many(A, on=given),
        lambda: audit(A, sets=given),
        lambda: can_be_top(A, given),
    ):
        with pytest.raises(InputError, match=message):
            ask()


def test_columns_that_are_numbers_in_another_order_are_not_clear() -> None:
    with pytest.raises(InputError, match="by label or by position"):
        feasible_many(W, on=pd.DataFrame(MASK, columns=[1, 0, 2, 3]))
    A = Arrangement(W, labels=[1, 0, 2, 3])
    with pytest.raises(InputError, match="by label or by position"):
        feasible_many(A, on=pd.DataFrame(MASK))
    same = feasible_many(A, on=pd.DataFrame(MASK[:, [1, 0, 2, 3]], columns=[1, 0, 2, 3]))
    assert len(same) == len(MASK)


def test_certificates_of_masks(tmp_path: Path) -> None:
    proofs: list[Certificates] = [feasible_many(W, on=FRAME), can_be_top(W, SPARSE)]
    write_certificate(proofs, tmp_path / "proof.jsonl")
    assert check(tmp_path / "proof.jsonl")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_files_of_zeros_and_ones(tmp_path: Path, n: int) -> None:
    """Lines that are both names and a mask are refused; matrices are masks for every n."""
    mask = np.array(list(itertools.product([0, 1], repeat=n)))
    sets, text = [np.flatnonzero(row).tolist() for row in mask], tmp_path / "sets.txt"
    np.save(tmp_path / "sets.npy", mask)
    assert load_label_sets(tmp_path / "sets.npy", n) == sets
    np.savetxt(text, mask, fmt="%d", delimiter=",")
    assert load_label_sets(text, n) == sets
    np.savetxt(text, mask[1:], fmt="%d", delimiter=",")  # the first row is no header
    assert load_label_sets(text, n) == sets[1:]
    np.savetxt(text, np.arange(n)[None], fmt="%d", delimiter=",")
    if n < 3:
        with pytest.raises(InputError, match="may be names of labels or a mask"):
            load_label_sets(text, n)
        assert load_label_sets(text, n, tuple("abc"[:n])) == [list(range(1, n))]
    lines = tmp_path / "sets.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in mask.astype(bool).tolist()))
    assert load_label_sets(lines, n) == sets
    lines.write_text("".join(json.dumps(row) + "\n" for row in mask.tolist()))
    if n == 3:
        assert load_label_sets(lines, n) == sets
    lines.write_text("[0, 0]\n")
    with pytest.raises(InputError, match="line 1 is .* expected distinct labels"):
        load_label_sets(lines, n)
