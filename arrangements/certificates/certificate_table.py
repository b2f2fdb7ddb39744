"""The answers to many questions, each with its proof, in the memory that the proofs take."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.certificates.certificate import Certificate
from arrangements.certificates.one_sign_vector import certify_one
from arrangements.certificates.top_certificate import TopCertificate, weigh_top
from arrangements.checks import check_flag, check_integer
from arrangements.core.arrangement import Arrangement
from arrangements.core.questions import coerce_with_zero_rows
from arrangements.core.signs import ON, open_signs
from arrangements.errors import IncompleteError, InputError
from arrangements.exact.numbers import ExactArray, append_column
from arrangements.execution.progress import with_progress
from arrangements.feasibility.batch import INFINITY, FeasibilityBatch, Numbers
from arrangements.feasibility.deciding import decide
from arrangements.feasibility.proof_arrays import NO, UNDECIDED, YES, Proofs
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.files import storage
from arrangements.messages import quote
from arrangements.polyhedra.polyhedron import Polyhedron


@public_class
class Certificates:
    """Proofs that some sign vectors occur, or some labels can be best, and that others cannot.

    The answer of `feasible_many` and `can_be_top`. ``len(C)`` is the number of questions, ``C[i]``
    the `Certificate` of question i, a `TopCertificate` for labels on top, and iteration yields
    them all. ``C[mask]`` and ``C[rows]`` are the certificates of some questions.

    Attributes
    ----------
    feasible : (m,) ndarray of bool
        The answers.
    decided : (m,) ndarray of bool
        False where a `time_limit` ended the work before an answer; `feasible` is False there.

    Notes
    -----
    Exact: points are floats, or rational numbers where no float was found, and every proof holds
    for the exact numbers given. Memory is that of the proofs: a point of d float32 or float64
    numbers, or the numbers of at most d + 2 rows, for each question. The weights of a refusal
    follow from its rows, and are computed when it is looked at. So are the rows, if in hundreds of
    dimensions a label was proved to lie inside the hull of the others.

    Examples
    --------
    >>> from arrangements import feasible_many
    >>> C = feasible_many([[1, 0], [0, 1], [1, 1]], ["++-", "+++"])
    >>> C
    Certificates(2 questions: 1 feasible, 1 infeasible)
    >>> C[0]
    Certificate('++-', infeasible, rows 0, 1, 2 with weights 1, 1, 1)
    >>> C.feasible.tolist(), C.verify()
    ([False, True], True)
    """

    def __init__(
        self,
        questions: FeasibilityBatch,
        proofs: Proofs,
        equations: Arrangement | None = None,
        within: Polyhedron | None = None,
    ) -> None:
        self._questions, self._proofs = questions, proofs
        self._equations, self._within = equations, within

    @property
    def feasible(self) -> NDArray[np.bool_]:
        """The answers, False where there is none."""
        return self._proofs.feasible

    @property
    def decided(self) -> NDArray[np.bool_]:
        """Whether there is an answer."""
        return np.asarray(self._proofs.status != UNDECIDED)

    @property
    def tops(self) -> list[tuple[int, ...]] | None:
        """The labels in question, as rows; None if the questions are sign vectors."""
        if self._questions.kind == "signs":
            return None
        return [tuple(self._questions.of(i)) for i in range(len(self))]

    @property
    def labels(self) -> tuple[int | str, ...] | None:
        """Names of the rows."""
        return self._questions.rows.labels

    @cached_property
    def arrangement(self) -> Arrangement:
        """The rows as hyperplanes, which questions about sign vectors are about."""
        rows = self._questions.rows
        return coerce_with_zero_rows(rows.wide_weights, rows.offsets, rows.labels)

    def names(self, i: int) -> tuple[str, ...]:
        """Names of the labels of question i: those on top, or those with the sign +."""
        batch = self._questions
        i = self._index(i)
        top = np.flatnonzero(batch.all_signs(i) == 1) if batch.kind == "signs" else batch.of(i)
        called = self.labels
        return tuple(str(j if called is None else called[j]) for j in map(int, top))

    def signs(self, i: int) -> tuple[int | None, ...]:
        """The signs of question i, None for either; for labels on top, + for these, - for others.

        Examples
        --------
        >>> from arrangements import feasible_many
        >>> feasible_many([[1], [2]], ["+*"]).signs(0)
        (1, None)
        """
        return open_signs(self._questions.all_signs(self._index(i)))

    def __len__(self) -> int:
        return len(self._proofs.status)

    @overload
    def __getitem__(self, key: int) -> Certificate | TopCertificate: ...
    @overload
    def __getitem__(self, key: Any) -> Certificates: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
            return self._one(self._index(key))
        try:
            chosen = np.arange(len(self))[key]
        except (IndexError, TypeError, ValueError) as error:
            raise InputError(
                f"the index is {quote(key)}; expected a number below {len(self)}, a slice, or an "
                "array of numbers or booleans."
            ) from error
        return self._part(chosen)

    def __iter__(self) -> Iterator[Certificate | TopCertificate]:
        return (self._one(i) for i in range(len(self)))

    def summary(self) -> str:
        """One line a fact: questions, answers, and what the proofs are made of.

        Examples
        --------
        >>> from arrangements import feasible_many
        >>> print(feasible_many([[1, 0], [0, 1]], ["++", "-+"]).summary())
        2 questions about 2 rows in dimension 2
        2 feasible (100%): 2 float points
        0 infeasible (0%)
        """
        m, rows = len(self), self._questions.rows
        yes, no = (int((self._proofs.status == s).sum()) for s in (YES, NO))
        floats = yes - len(self._proofs.exact)
        points = [(floats, "float points"), (len(self._proofs.exact), "rational points")]
        proofs = ", ".join(f"{number} {kind}" for number, kind in points if number)
        supports = self._proofs.supports
        circuits = [i for i in supports if self._proofs.has_circuit(i)]
        sizes = [int((supports[i] != INFINITY).sum()) for i in circuits]
        inside = len(supports) - len(sizes)
        kinds = [f"circuits of {min(sizes)} to {max(sizes)} rows"] if sizes else []
        kinds += [f"{inside} inside the hull of the others"] if inside else []
        held = f": {', '.join(kinds)}" if kinds else ""
        share = 100 / max(1, m)
        lines = [
            f"{m} questions about {rows.n} rows in dimension {rows.dimension}",
            f"{yes} feasible ({share * yes:.3g}%)" + (f": {proofs}" if proofs else ""),
            f"{no} infeasible ({share * no:.3g}%){held}",
        ]
        if yes + no < m:
            lines.append(f"{m - yes - no} undecided ({share * (m - yes - no):.3g}%)")
        return "\n".join(lines)

    def float_points(self) -> NDArray[np.float64]:
        """Points of all questions as floats: NaN where there is none, rounded where it is rational.

        Infinite beyond the range of floats.

        Examples
        --------
        >>> from arrangements import can_be_top
        >>> can_be_top([[0], [1], [2]], [[0], [1]]).float_points().tolist()
        [[-1.0], [nan]]
        """
        return self._proofs.float_points()

    def verify(self, *, progress: bool = False) -> bool:
        """Check every proof in exact arithmetic; undecided questions claim nothing.

        Parameters
        ----------
        progress : bool
            Show a bar on stderr.

        Notes
        -----
        O(n d) exact operations for each feasible question, O(d) rows for the others. Of many
        questions check some: ``C[rng.choice(len(C), 100)].verify()``.
        """
        decided = np.flatnonzero(self.decided).tolist()
        shown = check_flag("progress", progress)
        proofs = with_progress(decided, shown, len(decided), lambda _: 1, "proofs")
        return all(self._holds(i) for i in proofs)

    def _holds(self, i: int) -> bool:
        signs = self._questions.all_signs(i)
        plain = self._questions.kind == "signs" and self._is_strict(signs)
        if not plain or self._proofs.status[i] != YES:
            return self._one(i).verify()
        scores = self._questions.rows.exact_scores(self._proofs.point(i))
        return bool((scores[signs > 0] > 0).all() and (scores[signs < 0] < 0).all())

    def _is_strict(self, signs: NDArray[np.int8]) -> bool:
        """Whether a question about signs has no conditions but those of rows with + or -."""
        return self._equations is None and self._within is None and not (signs == ON).any()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to an .npz file, exactly; `load` reads it.

        Examples
        --------
        >>> import os, tempfile
        >>> from arrangements import can_be_top
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "proofs.npz")
        ...     can_be_top([[0], [1], [2]], [[0], [1]]).save(path)
        ...     Certificates.load(path)
        Certificates(2 questions: 1 feasible, 1 infeasible)
        """
        batch, rows = self._questions, self._questions.rows
        members = storage.row_members("weights", rows.wide_weights, rows.offsets, rows.labels)
        members |= self._proofs.members() | {
            "kind": np.array(batch.kind),
            "starts": batch.starts,
            "listed": batch.listed,
            "signs": batch.signs,
            "default": batch.default,
        }
        for name, array in self._others():
            members |= storage.number_members(name, array)
        storage.save(path, members)

    def _others(self) -> Iterator[tuple[str, ExactArray]]:
        """Names and arrays of a file that say what holds for all questions."""
        if self._equations is not None:
            yield "equal", append_column(self._equations.normals, self._equations.offsets)
        if self._within is not None:
            yield "within", append_column(*self._within.inequalities)
            yield "within_equal", append_column(*self._within.equations)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Certificates:
        """Read what `save` wrote; the proofs are not checked, `verify` does that."""
        return storage.load(path, cls.__name__, _of_members)

    def _index(self, i: Any) -> int:
        try:
            return check_integer("the number of a question", i, -len(self), len(self) - 1) % len(
                self
            )
        except InputError as error:
            raise IndexError(str(error)) from error

    def _one(self, i: int) -> Certificate | TopCertificate:
        if self._proofs.status[i] == UNDECIDED:
            raise IncompleteError(
                f"question {i} is undecided: the time limit came first. Ask it again without one."
            )
        batch = self._questions
        if batch.kind != "signs":
            top, ordered = tuple(batch.of(i)), batch.kind == "orders" and batch.sizes[i] > 1
            question = batch.rows, top, bool(ordered)
            if self._proofs.status[i] == YES:
                return TopCertificate(*question, True, self._proofs.point(i), within=self._within)
            support = self._circuit(i)
            if self._within is None:
                y = batch.label_weights(i, support)
                return TopCertificate(*question, False, weights=y)
            y, z = weigh_top(batch, i, support, self._within)
            return TopCertificate(*question, False, None, y, self._within, z)
        numbers = batch.all_signs(i)
        signs = open_signs(numbers)
        A, others = self.arrangement, (self._equations, self._within)
        if self._proofs.status[i] == YES:
            return Certificate(A, signs, True, self._proofs.point(i), None, *others)
        support = self._proofs.supports[i].tolist()
        if self._is_strict(numbers):
            return Certificate(A, signs, False, weights=batch.sign_weights(i, support))
        few = tuple(sign if j in support else None for j, sign in enumerate(signs))
        weights = certify_one(A, few, *others).weights
        return Certificate(A, signs, False, None, weights, *others)

    def _circuit(self, i: int) -> list[int]:
        """Rows of a circuit that refutes question i, looked for when somebody asks."""
        if not self._proofs.has_circuit(i):
            part = self._questions.part(np.array([i]))
            self._proofs.supports[i] = decide(part, circuits=True).supports[0]
        return [int(j) for j in self._proofs.supports[i]]

    def _part(self, chosen: Numbers) -> Certificates:
        if len(set(chosen.tolist())) < len(chosen):
            raise InputError("the index has a question twice; expected distinct ones.")
        others = self._equations, self._within
        return Certificates(self._questions.part(chosen), self._proofs.part(chosen), *others)

    def __repr__(self) -> str:
        yes, no, open_ = (int((self._proofs.status == s).sum()) for s in (YES, NO, UNDECIDED))
        more = f", {open_} undecided" if open_ else ""
        noun = "question" if len(self) == 1 else "questions"
        return f"Certificates({len(self)} {noun}: {yes} feasible, {no} infeasible{more})"

    def _repr_html_(self) -> str:
        rows = map(self._html_row, range(len(self)))
        signed = self._questions.kind == "signs"
        columns = ["signs", "rows that are +"] if signed else ["labels on top"]
        head = ["", *columns, "occurs", "proof"]
        return notebook.card(repr(self), (), notebook.table(head, rows, len(self)))

    def _html_row(self, i: int) -> list[Any]:
        """Number, question, answer, and kind of proof, which is not computed."""
        batch, status, what = self._questions, self._proofs.status[i], []
        if batch.kind == "signs":
            signs = batch.all_signs(i)
            what = [notebook.signs(open_signs(signs))]
            listed = np.flatnonzero(signs == 1)
        else:
            listed = np.array(batch.of(i))
        first = listed[: notebook.NAMES].tolist()
        names = [str(j if self.labels is None else self.labels[j]) for j in first]
        between = " > " if batch.kind == "orders" else ", "
        what.append(notebook.listing(names, between, len(listed)))
        if status == UNDECIDED:
            return [i, *what, "undecided", ""]
        if status == NO:
            number = (self._proofs.supports[i] != INFINITY).sum()
            proof = f"{number} rows" if self._proofs.has_circuit(i) else "inside the hull"
            return [i, *what, "no", proof]
        return [i, *what, "yes", "rational point" if i in self._proofs.exact else "float point"]


def _of_members(members: storage.Members) -> Certificates:
    weights, offsets, labels = storage.rows("weights", members)
    assert weights is not None
    kind: Any = str(members["kind"])
    names = None if labels is None else tuple(labels)
    rows = ScoreRows(weights, offsets, names, compared=kind != "signs")
    batch = FeasibilityBatch(
        rows,
        kind,
        members["starts"],
        members["listed"],
        members["signs"].astype(np.int8),
        members["default"].astype(np.int8),
    )
    equal, low, hull = (storage.numbers(f, members) for f in ("equal", "within", "within_equal"))
    equations = within = None
    if equal is not None:
        equations = coerce_with_zero_rows(equal[:, :-1], equal[:, -1])
    if low is not None and hull is not None:
        within = Polyhedron(low[:, :-1], low[:, -1], equations=(hull[:, :-1], hull[:, -1]))
    return Certificates(batch, Proofs.of_members(members), equations, within)
