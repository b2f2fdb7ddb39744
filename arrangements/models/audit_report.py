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
from arrangements.checks import check_instance
from arrangements.errors import InputError
from arrangements.files.atomic import atomic_write
from arrangements.files.paths import check_name
from arrangements.messages import quote_path
from arrangements.models import audit_text
from arrangements.models.repairs import Repair

_PAGE = Path(__file__).with_name("audit.html")
_KNOWN = {1: True, 0: False, -1: None}
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
    leads : (n, 2) ndarray of float, or None
        Proved bounds of the largest number by which the score of a label can exceed all others, at
        inputs whose length is at most ``facts["radius"]``; NaN if it cannot win. None unless asked
        for.
    held_down_by : dict of int to tuple of (int, float)
        For each label that cannot win, the labels whose scores hold it down, with weights that
        sum to 1, the largest first. Empty where, in hundreds of dimensions, a positive combination
        of thousands of labels was found first.
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
        For each impossible set, a part of it that is impossible, and of which nothing can be left
        out: labels with weights, positive ones of labels that are on. Their sizes sum to 1.
    wins : (n,) ndarray of int, or None
        At how many of the inputs given each label is strictly first.
    margins : (n,) ndarray of float, or None
        By how much at most; NaN if it wins at none.
    can_be_on, can_be_off, can_be_alone : (n,) ndarray of int8, or None
        Of a sigmoid classifier: 1, 0 or -1 as in `can_win`. Alone means that no other label is on.
    excluding : tuple of (int, int), or None
        Pairs of labels that cannot be on together, though each of them can be on.
    repairs : dict of int to Repair, or None
        For each label that cannot win, how little would let it win.
    """

    source: str
    facts: dict[str, Any]
    names: tuple[str, ...]
    can_win: NDArray[np.int8]
    leads: NDArray[np.float64] | None
    held_down_by: dict[int, Proof]
    duplicates: tuple[tuple[int, ...], ...]
    pairs: NDArray[np.int64] | None
    undecided_pairs: int
    sets: tuple[tuple[int, ...], ...] | None
    possible: NDArray[np.int8] | None
    set_proofs: dict[int, Proof]
    wins: NDArray[np.int64] | None = None
    margins: NDArray[np.float64] | None = None
    can_be_on: NDArray[np.int8] | None = None
    can_be_off: NDArray[np.int8] | None = None
    can_be_alone: NDArray[np.int8] | None = None
    excluding: tuple[tuple[int, int], ...] | None = None
    repairs: dict[int, Repair] | None = None

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
        >>> print(found.summary())
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
        if self.leads is not None:
            order = np.argsort(self.leads[:, 0], kind="stable").tolist()
            order = [i for i in order if self.can_win[i] == 1 and self.leads[i, 1] < np.inf]
            if order:
                found.append(("smallest leads", self._leads(order[:SHOWN])))
            if len(order) > SHOWN:
                found.append(("largest leads", self._leads(order[: -SHOWN - 1 : -1])))
        if self.repairs:
            found.append(("to let them win", _join_first(list(map(self._repair, self.repairs)))))
        for key, name in (("on", "can be on"), ("off", "can be off"), ("alone", "can be on alone")):
            if (answers := getattr(self, f"can_be_{key}")) is not None:
                left_out = [self.names[i] for i in np.flatnonzero(answers == 0).tolist()]
                without = f", not {_join_first(left_out)}" if left_out else ""
                found.append((name, _share((answers == 1).sum(), n) + without))
        if self.excluding is not None:
            pairs = [" and ".join(self.names[i] for i in pair) for pair in self.excluding]
            found.append(("exclude each other", _join_first(pairs) or "none"))
        if self.wins is not None:
            won, number = int((self.wins > 0).sum()), self.facts["inputs given"]
            found.append((f"win at one of {number} inputs", _share(won, n)))
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
        found: dict[str, Any] = {
            "source": self.source,
            "facts": self.facts,
            "labels": self._label_records(),
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
            found["sets"] = self._set_records()
            found["sets_by_size"] = self._sets_by_size()
        if self.excluding is not None:
            found["excluding"] = [[self.names[i] for i in pair] for pair in self.excluding]
        return found | {"findings": audit_text.findings(found)}

    def _label_records(self) -> list[dict[str, Any]]:
        labels: list[dict[str, Any]] = [
            {"row": i, "name": name, "can_win": _KNOWN[won]}
            for i, (name, won) in enumerate(zip(self.names, self.can_win.tolist(), strict=True))
        ]
        if self.leads is not None:
            for label, bounds in zip(labels, self.leads.tolist(), strict=True):
                label["lead"] = [_finite(x) for x in bounds] if bounds[0] < np.inf else None
        for key in ("can_be_on", "can_be_off", "can_be_alone"):
            if (answers := getattr(self, key)) is not None:
                for label, answer in zip(labels, answers.tolist(), strict=True):
                    label[key] = _KNOWN[answer]
        if self.wins is not None and self.margins is not None:
            numbers = zip(labels, self.wins.tolist(), self.margins.tolist(), strict=True)
            for label, number, margin in numbers:
                label["wins"], label["margin"] = number, _finite(margin)
        for i, proof in self.held_down_by.items():
            labels[i]["held_down_by"] = [[self.names[j], share] for j, share in proof]
        for group in self.duplicates:
            for i in group[1:]:
                labels[i]["duplicate_of"] = self.names[group[0]]
        for i, repair in (self.repairs or {}).items():
            labels[i] |= repair.to_dict()
        return labels

    def _set_records(self) -> list[dict[str, Any]]:
        assert self.sets is not None and self.possible is not None
        found: list[dict[str, Any]] = [
            {"labels": [self.names[i] for i in one], "possible": _KNOWN[answer]}
            for one, answer in zip(self.sets, self.possible.tolist(), strict=True)
        ]
        for i, proof in self.set_proofs.items():
            found[i]["proof"] = [[self.names[j], "+" if y > 0 else "-"] for j, y in proof]
        return found

    def _sets_by_size(self) -> list[list[int]]:
        """For each size of a set: the size, how many sets, and how many impossible ones."""
        assert self.sets is not None and self.possible is not None
        sizes = np.array([len(one) for one in self.sets], np.intp)
        return [
            [size, int((sizes == size).sum()), int((self.possible[sizes == size] == 0).sum())]
            for size in np.unique(sizes).tolist()
        ]

    def findings(self) -> list[str]:
        """What a reader should know first, in sentences.

        Examples
        --------
        >>> from arrangements import audit
        >>> audit([[4, 0], [0, 4], [1, 1], [0, 0]], labels=["dog", "cow", "pet", "cat"]).findings()
        ['3 of 4 labels can win. 1 never can, at any input: pet.']
        """
        found: list[str] = self.to_dict()["findings"]
        return found

    def to_markdown(self) -> str:
        """The report for a model card: sentences and short tables."""
        return audit_text.markdown(self.to_dict())

    def compare(self, other: Audit) -> AuditComparison:
        """What differs in the report of another model for the same labels.

        Examples
        --------
        >>> from arrangements import audit
        >>> before = audit([[4, 0], [0, 4], [1, 1], [0, 0]], source="before")
        >>> after = audit([[4, 0], [0, 4], [3, 3], [0, 0]], source="after")
        >>> print(before.compare(after).summary())
        before: 3 of 4 labels can win. after: 4 of 4.
        1 label can win now and could not before: 2.
        """
        check_instance("other", other, Audit)
        return other.changes_since(self.to_dict())

    def changes_since(self, before: dict[str, Any]) -> AuditComparison:
        """What differs from an earlier report, given as `to_dict` returns it or JSON holds it."""
        return AuditComparison(audit_text.changes(before, self.to_dict()))

    def to_html(self) -> str:
        """One page that needs nothing else: tables that sort and search, and plots."""
        found = self.to_dict()
        # within a script element, only this could end it
        data = json.dumps(found).replace("<", "\\u003c")
        sentences = "".join(f"<li>{escape(line)}</li>" for line in found["findings"])
        page = _read_page().replace("__SUMMARY__", escape(self.summary()))
        return page.replace("__FINDINGS__", sentences).replace("__AUDIT__", data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a .html, .md or .json file, in one step.

        Raises
        ------
        InputError
            If the name ends otherwise, or the file cannot be written.
        """
        _save(self, path)

    def _to_json(self) -> str:
        return json.dumps(self.to_dict()) + "\n"

    def _blockers(self, i: int) -> str:
        proof = [f"{self.names[j]} {share:.3g}" for j, share in self.held_down_by[i]]
        return f"held down by {_join_first(proof, 3) if proof else audit_text.MANY}"

    def _groups(self) -> list[str]:
        return [" = ".join(self.names[i] for i in group) for group in self.duplicates]

    def _leads(self, rows: Sequence[int]) -> str:
        assert self.leads is not None
        return ", ".join(f"{self.names[i]} ({self.leads[i, 0]:.3g})" for i in rows)

    def _set(self, i: int) -> str:
        assert self.sets is not None
        part = {"proof": [(self.names[j], "+" if y > 0 else "-") for j, y in self.set_proofs[i]]}
        names = ", ".join(self.names[j] for j in self.sets[i][:SHOWN])
        return f"{{{names}}} (by {audit_text.impossible_part(part)})"

    def _repair(self, i: int) -> str:
        assert self.repairs is not None
        found = self.repairs[i]
        rise = "" if found.bias_rise is None else f"bias +{float(found.bias_rise[1]):.3g} or "
        return f"{self.names[i]} ({rise}row moved by {found.distance:.3g})"


@public_class
@dataclass(frozen=True, eq=False)
class AuditComparison:
    """What differs between the reports of two models for the same labels, such as before and after.

    Attributes
    ----------
    changes : dict
        Names of labels that only one model has (``"only_before"``, ``"only_after"``), that can win
        now, that cannot win now, and under ``"leads"`` those whose intervals have no number in
        common, with both, the largest loss first.
    """

    changes: dict[str, Any]

    def summary(self) -> str:
        """The changes in sentences, a line each."""
        return "\n".join(audit_text.change_sentences(self.changes))

    def to_markdown(self) -> str:
        """The changes for a model card."""
        return audit_text.change_markdown(self.changes)

    def to_html(self) -> str:
        """The changes as a page that needs nothing else."""
        title = f"{self.changes['before']} and {self.changes['after']}"
        lines = "".join(f"<li>{escape(line)}</li>" for line in self.summary().split("\n"))
        parts = [f'<h1>{escape(title)}</h1>\n<ul id="findings">{lines}</ul>']
        for name, columns, rows in audit_text.change_tables(self.changes):
            lines = "\n".join(map(_table_row, rows))
            parts.append(f"<h2>{name}</h2>\n<table>{_table_row(columns, 'th')}\n{lines}</table>")
        head, _, _ = _read_page().partition("<body>")
        head = head.replace("<title>Audit</title>", "<title>Two audits</title>")
        return f"{head}<body>\n{chr(10).join(parts)}\n</body>\n</html>\n"

    def to_dict(self) -> dict[str, Any]:
        """The changes as values of JSON, with sentences."""
        return {**self.changes, "findings": audit_text.change_sentences(self.changes)}

    def _repr_html_(self) -> str:
        rows = [[notebook.text(line, 300)] for line in self.summary().split("\n")]
        return notebook.card("Two audits", (), notebook.table([""], rows))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the changes to a .html, .md or .json file, in one step."""
        _save(self, path)

    def _to_json(self) -> str:
        return json.dumps(self.to_dict()) + "\n"


def check_report(path: str | os.PathLike[str]) -> None:
    """Refuse the name of a report that ends otherwise."""
    check_name(path)
    if not os.fspath(path).lower().endswith((".html", ".md", ".json")):
        raise InputError(
            f"{quote_path(path)} has an unknown extension; expected .html, .md or .json."
        )


def _save(report: Audit | AuditComparison, path: str | os.PathLike[str]) -> None:
    check_report(path)
    forms = {".html": report.to_html, ".md": report.to_markdown, ".json": report._to_json}
    text = forms[os.path.splitext(os.fspath(path))[1].lower()]()
    with atomic_write(path) as stream:
        stream.write(text.encode())


def _table_row(cells: Sequence[str], tag: str = "td") -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _read_page() -> str:
    """The page of an audit, with its colors."""
    page = _PAGE.read_text(encoding="utf-8").replace("__INK__", palette.BLUE)
    return page.replace("__DARK_INK__", palette.LABELS[0]).replace("__DARK__", palette.DARK)


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _share(number: Any, total: int) -> str:
    return f"{number} of {total} ({100 * int(number) / max(1, total):.1f}%)"


def _join_first(parts: Sequence[str], most: int = SHOWN) -> str:
    more = f", .. and {len(parts) - most} more" if len(parts) > most else ""
    return ", ".join(parts[:most]) + more
