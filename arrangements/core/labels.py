"""Labels: the names of rows, and the rows that an address means.

All functions follow one rule (docs/words.md). Text is the name of a label. Integers are the numbers
of rows, or labels that are integers. If both readings are possible and differ, the integers are
refused, so that neither is ever taken for the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from difflib import get_close_matches
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.checks import as_list, check_integer
from arrangements.errors import InputError, InputTypeError
from arrangements.exact.coercion import is_frame, refuse_masked
from arrangements.heads.reading import read_head
from arrangements.messages import quote, warn


def is_series(value: Any) -> bool:
    """Tell if this is a Series of pandas, or works like one."""
    return hasattr(value, "iloc") and hasattr(value, "index") and not hasattr(value, "columns")


def column_names(value: Any) -> tuple[str, ...] | None:
    """Names of the columns of a DataFrame, or those that a model remembers of its matrix.

    The names 0, 1, .., which pandas makes by default, do not count.

    Examples
    --------
    >>> column_names([[1, 2]]) is None
    True
    """
    known: Any = getattr(value, "_columns", False)
    if known is None or isinstance(known, tuple):
        return known
    if (head := read_head(value)) is not None:
        return head.columns
    if not _has_columns(value):
        return None
    names = tuple(map(str, value.columns))
    return None if names == _numbered(len(names)) else names


def _has_columns(value: Any) -> bool:
    return hasattr(value, "columns") and (is_frame(value) or hasattr(value, "to_numpy"))


def align(value: Any, names: Iterable[Any] | None, name: str, what: str = "rows") -> Any:
    """A Series, or the rows of a DataFrame, in the order of the names; anything else as it is.

    Parameters
    ----------
    value : object
    names : iterable of int or str, optional
        What the entries belong to, in order.
    name : str
        Name of the argument in messages.
    what : str
        What has the names, in messages.

    Raises
    ------
    InputError
        If the index has other labels than `names`, or one of both is 0, 1, .. in another order, so
        that it is not clear whether it means positions.
    """
    if not hasattr(value, "iloc") or not hasattr(value, "index"):
        return value
    order = matching_order(value.index, names, f"the index of {name}", what)
    return value if order is None else value.iloc[order]


def align_columns(value: Any, names: Iterable[Any] | None, name: str, what: str) -> Any:
    """A DataFrame with its columns in the order of the names, or a Series in that order.

    Anything else is returned as it is.
    """
    if not _has_columns(value):
        return align(value, names, name, what)
    order = matching_order(value.columns, names, f"the columns of {name}", what)
    if order is None:
        return value
    return value.iloc[:, order] if hasattr(value, "iloc") else np.asarray(value)[:, order]


def matching_order(
    values: Any, names: Iterable[Any] | None, name: str, what: str
) -> list[int] | None:
    """Positions of the names among the labels of an axis; None if positions count, or agree.

    Axes of different lengths without names are left to the check of the shape.

    Examples
    --------
    >>> matching_order(["b", "a"], ["a", "b"], "the index of offsets", "rows")
    [1, 0]
    >>> matching_order(["a", "c"], ["a", "b"], "the index of offsets", "rows")
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: 'b', a label of the rows, is not in the index of offsets, and \
'c' is. Use the labels of the rows there, or pass an array to go by position.
    """
    own = tuple(str(label) for label in values)
    wanted = _numbered(len(own)) if names is None else tuple(map(str, names))
    if own == wanted:
        return None
    places = {label: i for i, label in enumerate(own)}
    same = len(places) == len(own) and places.keys() == set(wanted)
    if own == _numbered(len(own)) or wanted == _numbered(len(wanted)):
        if not same:
            return None
        raise InputError(
            f"{name} is {quote(list(values))}, and the {what} have the "
            f"{_numbers_or_labels(names)}: by label or by position? "
            "Put both into one order, or pass an array to go by position."
        )
    if same:
        return [places[label] for label in wanted]
    missing = next((label for label in wanted if label not in places), None)
    extra = next((label for label in own if label not in set(wanted)), None)
    if missing is None and extra is None:
        raise InputError(f"a label occurs twice in {name}; expected each label of the {what} once.")
    if missing is None:
        wrong = f"{extra!r}, in {name}, is no label of the {what}."
    else:
        instead = "" if extra is None else f", and {extra!r} is"
        wrong = f"{missing!r}, a label of the {what}, is not in {name}{instead}."
    raise InputError(
        f"{wrong} Use the labels of the {what} there, or pass an array to go by position."
    )


def _numbers_or_labels(names: Iterable[Any] | None) -> str:
    return "numbers 0, 1, .." if names is None else f"labels {quote(list(names))}"


def _numbered(n: int) -> tuple[str, ...]:
    return tuple(map(str, range(n)))


Label = int | str

# A name that is none is compared with so many labels, which takes less than a second.
_COMPARED = 10_000

_TWO_CLASSES = (
    " scikit-learn's binary coef_ has one row for two classes, the score of the second against the "
    "first: for a softmax classifier pass np.vstack([0 * coef_, coef_]) and [0, *intercept_], for "
    "a sigmoid classifier labels=classes_[1:]."
)


def as_labels(
    labels: Iterable[Any] | None, n: int, *, distinct: bool = True
) -> tuple[Label, ...] | None:
    """One label for each of n rows: integers stay integers, everything else becomes text.

    `distinct` gives numbers to those that have the name of an earlier one, with a warning.

    Examples
    --------
    >>> import numpy as np
    >>> as_labels(np.array([3, 1]), 2), as_labels(["a", 1.5], 2)
    ((3, 1), ('a', '1.5'))
    """
    if labels is None:
        return None
    if (
        isinstance(labels, Set | Mapping)
        or not isinstance(labels, Iterable)
        or np.ndim(labels if isinstance(labels, np.ndarray) else ()) != 1
    ):
        raise InputTypeError(
            f"labels is a {type(labels).__name__}; expected a sequence of {n} labels in the order "
            "of the rows."
        )
    refuse_masked(labels, "labels")
    found = tuple(map(_label, as_list("labels", labels)))
    if len(found) != n:
        hint = _TWO_CLASSES if (n, len(found)) == (1, 2) else ""
        raise InputError(f"{len(found)} labels were given for {n} rows; expected {n}.{hint}")
    if not distinct:
        return found
    names = list(map(str, found))
    for i, name in enumerate(names):
        if not name.strip():
            raise InputError(f"the name of label {i} is blank; expected a name for each row.")
    numbered = number_names(names, "labels")
    if numbered is names:
        return found
    triples = zip(found, names, numbered, strict=True)
    return tuple(label if name == other else other for label, name, other in triples)


def number_names(names: list[str], origin: str) -> list[str]:
    """Names that are all different: those that occur again get a number, and a warning says so.

    Examples
    --------
    >>> number_names(["cat", "dog"], "names.txt")
    ['cat', 'dog']
    """
    counts = Counter(names)
    repeated = [name for name, count in counts.items() if count > 1 and name.strip()]
    if not repeated:
        return names
    used, seen, found = set(counts), Counter[str](), []
    for name in names:
        seen[name] += 1
        number, other = seen[name], name
        while name.strip() and seen[name] > 1 and other in used:
            other, number = f"{name} ({number})", number + 1
        used.add(other)
        found.append(other)
    warn(
        UserWarning(
            f"{origin}: {len(repeated)} {'name occurs' if len(repeated) == 1 else 'names occur'} "
            f"more than once, such as {quote(repeated[0])}; the later ones have numbers: "
            f"{quote(f'{repeated[0]} (2)')}."
        )
    )
    return found


def _label(value: Any) -> Label:
    """A label that can be written as text."""
    try:
        text = str(value)
    except Exception as error:  # an integer of more than 4300 digits, or a foreign object
        raise InputTypeError(f"a label is {quote(value)}, which Python cannot write.") from error
    return int(value) if _is_integer(value) else text


def arrangement_in(W: Any) -> Any:
    """The arrangement in a `Derived`, whose class is on a floor above; anything else as it is.

    Examples
    --------
    >>> from arrangements import cone
    >>> arrangement_in(cone([[1, 0]], [1])), arrangement_in([[1, 0]])
    (Arrangement(2 hyperplanes in dimension 3, central), [[1, 0]])
    """
    return W.arrangement if hasattr(W, "to_original") else W


def holds_rows(W: Any) -> bool:
    """Tell if W has rows and offsets of its own: an arrangement, a score model, a classifier.

    Examples
    --------
    >>> holds_rows([[1, 2]])
    False
    """
    if is_frame(W):  # whatever its columns are called
        return False
    return hasattr(W, "normals") or (hasattr(W, "weights") and hasattr(W, "offsets"))


def labels_of(W: Any, labels: Any = None, *, compared: bool = True) -> Any:
    """The argument `labels`, or what comes with W: labels of a model, index of a DataFrame.

    The index 0, 1, .., which pandas makes by default, does not count. A Series is put into the
    order of the index of W. `compared` is False where signs of scores count: see `Head`.
    """
    W = arrangement_in(W)
    if is_frame(labels):
        raise InputTypeError(
            "labels is a DataFrame; expected a sequence, such as one column of it."
        )
    if hasattr(labels, "__next__"):
        return as_list("labels", labels)
    if labels is not None:
        return align(labels, labels_of(W), "labels") if is_series(labels) else labels
    if (head := read_head(W)) is not None:
        return head.labels if compared else head.rows(compared).labels
    if not is_frame(W):
        return getattr(W, "labels", None) if holds_rows(W) else None
    index = list(W.index)
    return (
        None if as_labels(index, len(index), distinct=False) == tuple(range(len(index))) else index
    )


def find_rows(
    addresses: Any, labels: tuple[Label, ...] | None, n: int, *, from_end: bool = False
) -> list[int]:
    """The addressed rows, in the order given.

    Parameters
    ----------
    addresses : label, or iterable of labels
        Text is the name of a label. Integers are all numbers of rows, or all labels.
    labels : tuple of int or str, optional
        Those of the n rows.
    n : int
        Number of rows.
    from_end : bool
        Whether negative numbers count rows from the end.

    Raises
    ------
    InputError
        If there is no such row, or integers mean different rows as numbers and as labels.

    Examples
    --------
    >>> find_rows([30, 10], (30, 20, 10), 3), find_rows([1, 2], (30, 20, 10), 3)
    ([0, 2], [1, 2])
    >>> find_rows("0", (3, 0), 2), find_rows(3, (3, 0), 2)
    ([1], [0])
    >>> find_rows(0, (3, 0), 2)
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: 0 is the label of row 1, and row 0 has the label 3: which one \
is meant? Pass the label as text, '0' or '3'.
    """
    refuse_masked(addresses, "the labels")
    if isinstance(addresses, np.ndarray):
        addresses = addresses.tolist()
    single = isinstance(addresses, str) or not isinstance(addresses, Iterable)
    entries = [addresses] if single else as_list("labels", addresses)
    for label in entries:
        if not (isinstance(label, str) or _is_integer(label)):
            raise InputError(f"label {quote(label)} is neither a name nor a row number.")
    integers = [int(label) for label in entries if not isinstance(label, str)]
    rows = iter(_rows_of_integers(integers, labels, n, from_end))
    return [_row_named(a, labels) if isinstance(a, str) else next(rows) for a in entries]


def check_row_numbers(numbers: Iterable[Any], n: int) -> list[int]:
    """Numbers of rows, from 0 to n - 1, where labels are no addresses.

    Examples
    --------
    >>> check_row_numbers([1, 0], 2)
    [1, 0]
    """
    return [check_integer("a row", i, 0, n - 1) for i in as_list("rows", numbers)]


def names_of(labels: tuple[Label, ...] | None, n: int) -> tuple[str, ...]:
    """Names of n rows: the labels as text, or the numbers of the rows if there are no labels.

    Examples
    --------
    >>> names_of((3, "b"), 2), names_of(None, 2)
    (('3', 'b'), ('0', '1'))
    """
    return tuple(map(str, range(n) if labels is None else labels))


def name_rows(rows: NDArray[np.integer[Any]], names: Sequence[str]) -> NDArray[np.object_]:
    """The names of an array of rows: what a question answers with ``named=True``.

    Python text in an array of objects, since NumPy's own type drops trailing zero characters.

    Examples
    --------
    >>> name_rows(np.array([[1, 0]]), ("cat", "dog"))
    array([['dog', 'cat']], dtype=object)
    """
    return np.array(names, dtype=object)[rows]


def _row_named(name: str, labels: tuple[Label, ...] | None) -> int:
    found = [i for i, label in enumerate(labels or ()) if str(label) == name]
    if not found:
        raise InputError(
            f"{quote(name)} is not the name of a label{similar_names(name, labels or ())}."
        )
    _refuse_several(name, found)
    return found[0]


def similar_names(name: str, labels: Sequence[Label]) -> str:
    """A hint at names that may have been meant, if there are such.

    Examples
    --------
    >>> similar_names("cst", ("cat", "dog"))
    " (similar: 'cat')"
    """
    close = get_close_matches(name, [str(label) for label in labels[:_COMPARED]], n=3)
    return f" (similar: {', '.join(map(quote, close))})" if close else ""


def _rows_of_integers(
    integers: list[int], labels: tuple[Label, ...] | None, n: int, from_end: bool
) -> list[int]:
    """Rows of integers, which must all be numbers of rows or all be labels."""
    places: dict[int, list[int]] = {}
    for i, label in enumerate(labels or ()):
        if isinstance(label, int):
            places.setdefault(label, []).append(i)
    numbered = {a: a % n for a in integers if (-n if from_end else 0) <= a < n}
    are_numbers, are_labels = (all(a in known for a in integers) for known in (numbered, places))
    if are_numbers and are_labels:
        _refuse_two_readings(numbered, places, labels or ())
    if are_numbers:
        return [numbered[a] for a in integers]
    if are_labels:
        for a in integers:
            _refuse_several(str(a), places[a])
        return [places[a][0] for a in integers]
    odd = next(a for a in integers if a not in numbered)
    none = next(a for a in integers if a not in places)
    also = f", and {quote(none)} is the name of none" if places else ""
    raise InputError(f"there is no label {quote(odd)}: rows are numbered from 0 to {n - 1}{also}.")


def _refuse_two_readings(
    numbered: dict[int, int], places: dict[int, list[int]], labels: tuple[Label, ...]
) -> None:
    for a, row in numbered.items():
        if places[a] != [row]:
            raise InputError(
                f"{a} is the label of row {places[a][0]}, and row {row} has the label "
                f"{labels[row]!r}: which one is meant? Pass the label as text, {str(a)!r} or "
                f"{str(labels[row])!r}."
            )


def _refuse_several(name: str, rows: list[int]) -> None:
    if len(rows) > 1:
        raise InputError(f"rows {rows[0]} and {rows[1]} are both named {quote(name)}; rename one.")


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
