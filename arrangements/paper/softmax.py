"""Models with the same softmax probabilities: one vector added to all rows (lemma 3.1)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import getcontext
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.core.arrangement import ArrangementLike
from arrangements.core.labels import align, align_columns, column_names, labels_of
from arrangements.core.rounding import stored_bits
from arrangements.core.rows import rows_and_offsets
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector, plain_array
from arrangements.exact.numbers import as_objects, fractions, unify_fields
from arrangements.exact.text import rounded_text

Vector = tuple[Fraction, ...]


def softmax_ratio(added: Callable[[Any, Any], Any] | None = None) -> Any:
    """Ratio of a softmax probability after and before v is added to all rows (lemma 3.1).

    The probability of label i at x is ``p_i = exp(w_i . x) / sum_j exp(w_j . x)``, for K labels
    in dimension d, all of them symbols.

    Parameters
    ----------
    added : callable, optional
        ``added(i, k)``, a SymPy expression of two integer symbols, is added to entry k of row
        i. Default ``v[k]``, the same for all rows.

    Returns
    -------
    sympy expression
        ``p_i' / p_i``: 1 for the default, which is the lemma.

    Notes
    -----
    The change of the score of label i is a sum over k. If i does not occur in it, it is one
    number t, and the factor exp(t) is taken out of the sum over the labels and cancels.

    Examples
    --------
    >>> softmax_ratio()
    1
    >>> softmax_ratio(lambda i, k: i)                # not the same vector for all rows
    exp(t[i])*Sum(exp(s[j]), (j, 1, K))/Sum(exp(s[j])*exp(t[j]), (j, 1, K))
    """
    import sympy  # loads slowly

    i, j, k = sympy.symbols("i j k", integer=True)
    labels, dimension = sympy.symbols("K d", integer=True, positive=True)
    w, v, x, score, change = (sympy.IndexedBase(name) for name in "wvxst")
    entry = w[i, k] + (v[k] if added is None else added(i, k))
    before = sympy.Sum(w[i, k] * x[k], (k, 1, dimension))
    after = sympy.Sum(sympy.expand(entry * x[k]), (k, 1, dimension)).expand()
    total = sympy.Sum(sympy.exp(score[j]), (j, 1, labels))
    if (after - before).has(i):
        added_to_i = change[i]
        new_total = sympy.Sum(sympy.exp(score[j] + change[j]).expand(), (j, 1, labels))
    else:
        added_to_i = sympy.Symbol("t")
        new_total = sympy.Sum(sympy.exp(score[j] + added_to_i).expand(), (j, 1, labels)).simplify()
    ratio = sympy.exp(score[i] + added_to_i).expand() / sympy.exp(score[i])
    return ratio * total / new_total


def equivalent_softmax(W: ArrangementLike, v: ArrayLike) -> NDArray[Any]:
    """Weights with v added to every row: the same softmax probabilities at every x.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
        A float counts as the exact dyadic number it is. Biases stay as they are.
    v : (d,) array_like

    Returns
    -------
    (n, d) ndarray of Fraction
        Exact, so that `same_softmax` holds.

    Raises
    ------
    InputError
        If v does not have d entries, or an argument is malformed.

    Examples
    --------
    >>> moved = equivalent_softmax([[1, 2], [0.5, 0]], [0.1, 0])
    >>> bool(same_softmax(moved, [[1, 2], [0.5, 0]]))
    True
    """
    rows = exact_rows(W, "W")
    rows, added = unify_fields(rows, as_exact_vector(v, rows.shape[1], "v"))
    return np.asarray(rows + as_objects(added) + Fraction(0))


@public_class
@dataclass(frozen=True, repr=False)
class SameSoftmax:
    """Whether two models have the same softmax probabilities at every x.

    Attributes
    ----------
    same : bool
        The exact answer, also ``bool(found)``.
    rounding : bool
        Whether they are not the same, but would be if the numbers had not been rounded: some vector
        and some number, added to all rows and all biases of the first model, give those of the
        second up to one unit in the last place of each.
    translation : tuple of Fraction or None
        The vector: exactly, or one of those that explain the rounded numbers.

    Examples
    --------
    >>> same_softmax([[1, 2], [0.5, 0]], np.array([[1, 2], [0.5, 0]]) + [0.1, 0])
    SameSoftmax(False, but the same without rounding: (0.1, 0) was added to all rows)
    """

    same: bool
    rounding: bool
    translation: Vector | None

    def __bool__(self) -> bool:
        return self.same

    def __repr__(self) -> str:
        if self.translation is None:
            return f"SameSoftmax({self.same})"
        added = ", ".join(rounded_text(entry) for entry in self.translation[:4])
        added += ", .." if len(self.translation) > 4 else ""
        remark = "but the same without rounding: " if self.rounding else ""
        return f"SameSoftmax({self.same}, {remark}({added}) was added to all rows)"

    def _repr_html_(self) -> str:
        title = "The same softmax probabilities at every x"
        if not self.same:
            title = "Not the same softmax probabilities"
        if self.rounding:
            title += ", but they would be the same without rounding"
        added = None if self.translation is None else notebook.point(self.translation)
        return notebook.card(title, [("added to all rows", added)])


def same_softmax(
    W1: ArrangementLike,
    W2: ArrangementLike,
    offsets1: ArrayLike | None = None,
    offsets2: ArrayLike | None = None,
) -> SameSoftmax:
    """Whether two models give the same softmax probabilities at every x, decided exactly.

    Parameters
    ----------
    W1, W2 : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or classifier
    offsets1, offsets2 : (n,) array_like, optional
        Biases; default zeros, or those of the Arrangement or classifier.

    Returns
    -------
    SameSoftmax
        True in a boolean context iff the probabilities are the same. If they are not, it says
        whether that is due to rounding only, as for floats to which a vector was added.

    Raises
    ------
    InputError
        If the shapes differ, or an argument is malformed.

    Notes
    -----
    Probabilities are equal iff the differences of scores are: ``log p_i - log p_j`` is the
    difference of the scores of i and j. So the models agree everywhere iff W2 - W1 has equal
    rows and the biases differ by one number. Rounding of floats is allowed for by the unit in the
    last place, in the coarser of the two types of floats, of the largest of an entry of W1, that of
    W2 and their difference. The type is that of the array or of the numbers in it, or a shorter
    one that holds them all, as for float32 numbers in a float64 array. Integers and fractions are
    never taken for rounded ones.

    Examples
    --------
    >>> same_softmax([[1, 0], [0, 1]], [[3, 5], [2, 6]])
    SameSoftmax(True, (2, 5) was added to all rows)
    >>> from arrangements.models import SoftmaxClassifier
    >>> same_softmax(SoftmaxClassifier([[1, 0], [0, 1]]), SoftmaxClassifier([[3, 5], [2, 7]]))
    SameSoftmax(False)
    """
    W2 = align(align_columns(W2, column_names(W1), "W2", "columns of W1"), labels_of(W1), "W2")
    first, second = unify_fields(exact_rows(W1, "W1"), exact_rows(W2, "W2"))
    if first.shape != second.shape:
        raise InputError(f"W1 has shape {first.shape} and W2 {second.shape}; expected the same.")
    rows = second - first
    before, after = unify_fields(_biases(W1, offsets1, len(rows)), _biases(W2, offsets2, len(rows)))
    constants = after - before
    if (rows == rows[0]).all() and (constants == constants[0]).all():
        return SameSoftmax(True, False, fractions(rows[0]))
    models = rows_and_offsets(W1, offsets1), rows_and_offsets(W2, offsets2)
    of_rows, of_biases = (_unit(*pair) for pair in zip(*models, strict=True))
    translation = _common(rows, of_rows.of(_sizes(first, second, rows)))
    constant = _common(constants[:, None], of_biases.of(_sizes(before, after, constants))[:, None])
    explained = translation is not None and constant is not None
    return SameSoftmax(False, explained, translation if explained else None)


def exact_rows(W: ArrangementLike, name: str) -> NDArray[Any]:
    """Exact weights as an array of objects."""
    return as_objects(as_exact_matrix(rows_and_offsets(W, None)[0], name))


def _biases(W: ArrangementLike, offsets: ArrayLike | None, n: int) -> NDArray[Any]:
    _, offsets = rows_and_offsets(W, offsets)
    return np.zeros(n, int) if offsets is None else as_objects(as_exact_vector(offsets, n))


# Bits after the first of a mantissa, and bits of an exponent.
_FORMATS = {
    "bfloat16": (7, 8),
    "float16": (10, 5),
    "float32": (23, 8),
    "float64": (52, 11),
    "float": (52, 11),
    np.dtype(np.longdouble).name: (int(np.finfo(np.longdouble).nmant), 15),
}


# Types of float64 numbers that fit into a shorter one, by the bits of their mantissas.
_SHORTER = {8: "bfloat16", 11: "float16", 24: "float32"}


class _Unit(NamedTuple):
    """Unit in the last place of numbers: of 1, and of the smallest ones."""

    relative: Fraction
    absolute: Fraction

    def of(self, sizes: NDArray[Any]) -> NDArray[Any]:
        return np.maximum(sizes * self.relative, np.array(self.absolute, dtype=object))


def _unit(*arrays: Any) -> _Unit:
    """That of the coarsest floats in arrays as they were given; 0 if there are none."""
    units = [_unit_of(name) for array in arrays for name in _type_names(array)]
    return _Unit(*map(max, zip((Fraction(0),) * 2, *units, strict=True)))


def _unit_of(name: str) -> tuple[Fraction, Fraction]:
    """Unit in the last place of a type of floats, by its name; 0 of others."""
    if name == "Decimal":
        return Fraction(10, 10 ** getcontext().prec), Fraction(0)
    short = re.fullmatch(r"float\d+_e(\d+)m(\d+)\w*", name)  # float8_e4m3fn and its like
    digits, exponent = (int(short[2]), int(short[1])) if short else _FORMATS.get(name, (0, 0))
    if not exponent:
        return Fraction(0), Fraction(0)
    return Fraction(1, 2**digits), Fraction(4, 2 ** (2 ** (exponent - 1) + digits))


def _type_names(numbers: Any) -> set[str]:
    """Names of the types to which the numbers in an array were rounded."""
    name = str(getattr(numbers, "dtype", "object")).rpartition(".")[2]  # torch.float32
    if name not in ("float64", "object"):
        return {name}
    array = plain_array(numbers, "W")
    names = {array.dtype.name}
    if array.dtype == object:
        types = {getattr(entry, "dtype", type(entry)) for entry in array.flat}
        names = {str(getattr(t, "name", None) or t.__name__) for t in types}
    if names <= {"float", "float64"}:
        return {_SHORTER.get(stored_bits(array.astype(np.float64)), "float64")}
    return names


def _sizes(first: NDArray[Any], second: NDArray[Any], change: NDArray[Any]) -> NDArray[Any]:
    return np.maximum(np.maximum(abs(first), abs(second)), abs(change))


def _common(changes: NDArray[Any], slack: NDArray[Any]) -> Vector | None:
    """Numbers that all changes of each column are, up to their slack."""
    low, high = (changes - slack).max(axis=0), (changes + slack).min(axis=0)
    if (low > high).any():
        return None
    return tuple(Fraction(a + b) / 2 for a, b in zip(low, high, strict=True))
