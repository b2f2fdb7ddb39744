"""What an audit found, as text, JSON and HTML."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements import notebook, palette
from arrangements.addresses import public_class
from arrangements.errors import InputError
from arrangements.files.atomic import atomic_write
from arrangements.files.paths import check_name
from arrangements.messages import quote_path

_PAGE = Path(__file__).with_name("audit.html")
# Of a proof that a set is impossible, or of lists in the text: how much is shown.
SHOWN = 10

Proof = tuple[tuple[int, float], ...]


@public_class
@dataclass(frozen=True, eq=False)
class Audit:
    """What `audit` found about the last layer of a model.

    Attributes
    ----------
    source : str
        What was audited, such as the name of a file.
    facts : dict
        Number of labels and dimension, type of the numbers, ranks, seconds, and the polyhedron
        within which the model was audited, if any.
    names : tuple of str
        Names of the labels.
    can_win : (n,) ndarray of int8
        1 if some input gives the label a larger score than every other, 0 if none does, -1 if that
        was not decided in time. A label that can only tie for the first place, such as each of two
        labels with equal weights and biases, has 0.
    leads : (n,) ndarray of float
        By how much the score of a label exceeds all others at the input that proves that it can
        win, divided by the length of this input, in float arithmetic; NaN if it cannot win. At
        another input it may lead by more.
    held_down_by : dict of int to tuple of (int, float)
        For each label that cannot win, the labels whose scores hold it down, with weights that
        sum to 1, the largest first.
    duplicates : tuple of tuple of int
        Groups of labels with equal weights and biases, or whose scores are equal in all of the
        polyhedron.
    pairs : (n,) ndarray of int, or None
        In how many of the pairs that can be the two best each label is. Of `duplicates` the first
        counts, alone.
    undecided_pairs : int
        Pairs that were not decided in time; they are not among `pairs`.
    sets : tuple of tuple of int, or None
        The label sets that were asked about.
    possible : (m,) ndarray of int8, or None
        1 if some input has exactly these labels on, 0 if none has, -1 if undecided. A label whose
        weights and bias are zero has the score 0 everywhere, and is never on.
    set_proofs : dict of int to tuple of (int, float)
        For each impossible set, some of the labels of its proof, with weights: positive ones of
        labels that are on. All weights of a proof have sizes that sum to 1.
    """

    source: str
    facts: dict[str, Any]
    names: tuple[str, ...]
    can_win: NDArray[np.int8]
    leads: NDArray[np.float64]
    held_down_by: dict[int, Proof]
    duplicates: tuple[tuple[int, ...], ...]
    pairs: NDArray[np.int64] | None
    undecided_pairs: int
    sets: tuple[tuple[int, ...], ...] | None
    possible: NDArray[np.int8] | None
    set_proofs: dict[int, Proof]

    def __repr__(self) -> str:
        won = int((self.can_win == 1).sum())
        return f"Audit({self.source}: {won} of {len(self.names)} labels can be strictly first)"

    def _repr_html_(self) -> str:
        rows = [[name, notebook.text(fact, 300)] for name, fact in self._facts()]
        return notebook.card(repr(self), (), notebook.table(["", ""], rows))

    def summary(self) -> str:
        """The report as lines of text.

        Examples
        --------
        >>> from arrangements import audit
        >>> found = audit([[0, 0], [4, 0], [0, 4], [1, 1]], labels=["cat", "dog", "cow", "pet"])
        >>> found
        Audit(the model: 3 of 4 labels can be strictly first)
        >>> print(found.summary().partition("smallest")[0].strip())
        labels: 4 in dimension 2, int64, without biases
        rank: 2, numerically 2
        duplicates: none
        can win (strictly first): 3 of 4 (75.0%)
        cannot win: pet (held down by cat 0.5, dog 0.25, cow 0.25)
        """
        return "\n".join(f"{name}: {fact}" for name, fact in self._facts())

    def _facts(self) -> list[tuple[str, str]]:
        n, facts = len(self.names), self.facts
        biases = "with" if facts["biases"] else "without"
        low_rank = f"; taken for {facts['low rank']}" if "low rank" in facts else ""
        found = [
            (
                "labels",
                f"{n} in dimension {facts['dimension']}, {facts['numbers']}, {biases} biases",
            ),
            ("rank", f"{facts['rank']}, numerically {facts['numerical rank']}{low_rank}"),
            *([("within", f"the interior of {facts['within']}")] if "within" in facts else []),
            *([("inputs", facts["inputs"])] if "inputs" in facts else []),
            ("duplicates", _join_first(self._groups()) or "none"),
            ("can win (strictly first)", _share((self.can_win == 1).sum(), n)),
        ]
        if (undecided := int((self.can_win < 0).sum())) > 0:
            found.append(("undecided", _share(undecided, n)))
        if self.held_down_by:
            held = [f"{self.names[i]} ({self._blockers(i)})" for i in self.held_down_by]
            found.append(("cannot win", _join_first(held)))
        order = [i for i in np.argsort(self.leads, kind="stable").tolist() if self.can_win[i] == 1]
        if order:
            found.append(("smallest leads found", self._leads(order[:SHOWN])))
        if len(order) > SHOWN:
            found.append(("largest leads found", self._leads(order[: -SHOWN - 1 : -1])))
        if self.pairs is not None:
            found.append(("pairs on top", _share(self.pairs.sum() // 2, comb(n, 2))))
            if self.undecided_pairs:
                found.append(("undecided pairs", _share(self.undecided_pairs, comb(n, 2))))
        if self.sets is not None and self.possible is not None:
            found.append(
                ("possible label sets", _share((self.possible == 1).sum(), len(self.sets)))
            )
            if self.set_proofs:
                found.append(("impossible", _join_first([self._set(i) for i in self.set_proofs])))
        return found

    def to_dict(self) -> dict[str, Any]:
        """All of it as values of JSON, labels by name: what ``save`` writes to a .json file."""
        known = {1: True, 0: False, -1: None}
        labels = [
            {
                "row": i,
                "name": name,
                "can_win": known[won],
                "lead": None if np.isnan(lead) else lead,
            }
            for i, (name, won, lead) in enumerate(
                zip(self.names, self.can_win.tolist(), self.leads.tolist(), strict=True)
            )
        ]
        for i, proof in self.held_down_by.items():
            labels[i]["held_down_by"] = [[self.names[j], share] for j, share in proof]
        found: dict[str, Any] = {
            "source": self.source,
            "facts": self.facts,
            "labels": labels,
            "duplicates": [list(group) for group in self.duplicates],
        }
        if self.pairs is not None:
            n = len(self.names)
            found["pairs"] = {
                "number": comb(n, 2),
                "possible": int(self.pairs.sum()) // 2,
                "undecided": self.undecided_pairs,
                "of_labels": self.pairs.tolist(),
            }
        if self.sets is not None and self.possible is not None:
            found["sets"] = [
                {"labels": [self.names[i] for i in one], "possible": known[answer]}
                for one, answer in zip(self.sets, self.possible.tolist(), strict=True)
            ]
            for i, proof in self.set_proofs.items():
                found["sets"][i]["proof"] = [
                    [self.names[j], "+" if weight > 0 else "-"] for j, weight in proof
                ]
        return found

    def to_html(self) -> str:
        """One page that needs nothing else: tables that sort and search, and plots."""
        # within a script element, only this could end it
        data = json.dumps(self.to_dict()).replace("<", "\\u003c")
        page = _PAGE.read_text(encoding="utf-8").replace("__SUMMARY__", escape(self.summary()))
        return page.replace("__INK__", palette.BLUE).replace("__AUDIT__", data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a .html or .json file, in one step.

        Raises
        ------
        InputError
            If the name ends otherwise, or the file cannot be written.
        """
        check_report(path)
        html = os.fspath(path).lower().endswith(".html")
        text = self.to_html() if html else json.dumps(self.to_dict()) + "\n"
        with atomic_write(path) as stream:
            stream.write(text.encode())

    def _blockers(self, i: int) -> str:
        proof = [f"{self.names[j]} {share:.3g}" for j, share in self.held_down_by[i]]
        return f"held down by {_join_first(proof, 3)}"

    def _groups(self) -> list[str]:
        return [" = ".join(self.names[i] for i in group) for group in self.duplicates]

    def _leads(self, rows: Sequence[int]) -> str:
        return ", ".join(f"{self.names[i]} ({self.leads[i]:.4g})" for i in rows)

    def _set(self, i: int) -> str:
        assert self.sets is not None
        return f"{{{', '.join(self.names[j] for j in self.sets[i][:SHOWN])}}}"


def check_report(path: str | os.PathLike[str]) -> None:
    """Refuse the name of a report that is neither .html nor .json."""
    check_name(path)
    if not os.fspath(path).lower().endswith((".html", ".json")):
        raise InputError(f"{quote_path(path)} has an unknown extension; expected .html or .json.")


def _share(number: Any, total: int) -> str:
    return f"{number} of {total} ({100 * int(number) / max(1, total):.1f}%)"


def _join_first(parts: Sequence[str], most: int = SHOWN) -> str:
    more = f", .. and {len(parts) - most} more" if len(parts) > most else ""
    return ", ".join(parts[:most]) + more
