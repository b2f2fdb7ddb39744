"""The report of an audit in words: sentences, Markdown, and what changed since another report.

All functions take the values that `Audit.to_dict` returns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

Report = dict[str, Any]

# Labels of a proof, names in a sentence, and rows of a table that are shown.
BLOCKERS, NAMES, ROWS = 3, 5, 100
# What holds a label down that is inside the hull of the others, in hundreds of dimensions.
MANY = "many labels together"


def findings(report: Report) -> list[str]:
    """What a reader should know first, in sentences.

    Examples
    --------
    >>> won = {"name": "cat", "can_win": True}
    >>> lost = {"name": "pet", "can_win": False, "held_down_by": [["cat", 1.0]]}
    >>> findings({"facts": {}, "labels": [won, lost], "duplicates": []})
    ['1 of 2 labels can win. 1 never can, at any input: pet.']
    """
    found = [_winning(report["labels"], "within" in report["facts"])]
    for part in (_undecided, _duplicates, _leads, _inputs, _sets, _sigmoid):
        found += part(report)
    return found


def _winning(labels: Sequence[Report], within: bool) -> str:
    n, won = len(labels), sum(label["can_win"] is True for label in labels)
    lost = [label["name"] for label in labels if label["can_win"] is False]
    where = "at any input in the polyhedron" if within else "at any input"
    if not lost:
        return f"All {n:,} labels can win." if won == n else f"{won:,} of {n:,} labels can win."
    return f"{won:,} of {n:,} labels can win. {len(lost):,} never can, {where}: {_some(lost)}."


def _undecided(report: Report) -> list[str]:
    number = sum(label["can_win"] is None for label in report["labels"])
    return [f"The time did not suffice for {number:,} labels."] if number else []


def _duplicates(report: Report) -> list[str]:
    groups = report["duplicates"]
    if not groups:
        return []
    names = [label["name"] for label in report["labels"]]
    named = [" = ".join(names[i] for i in group[:NAMES]) for group in groups]
    return [f"{_count(len(groups), 'group')} of labels always tie: {_some(named)}."]


def _leads(report: Report) -> list[str]:
    known = [label for label in report["labels"] if (label.get("lead") or [None, None])[1]]
    if not known:
        return []
    least = min(known, key=lambda label: label["lead"][0])
    low, high = (f"{bound:.3g}" for bound in least["lead"])
    by = low if low == high else f"{low} to {high}"
    radius = report["facts"].get("radius", 1)
    inputs = f"inputs of length up to {radius:.4g}"
    if least["lead"][1] <= 0:  # with biases, a label may need longer inputs to win
        return [f"At {inputs}, {least['name']} stays behind by {by[1:].replace('to -', 'to ')}."]
    return [
        f"Of the labels that can win, {least['name']} leads least: by {by} at the best of {inputs}."
    ]


def _inputs(report: Report) -> list[str]:
    labels, number = report["labels"], report["facts"].get("inputs given")
    if number is None:
        return []
    never = [one["name"] for one in labels if not one["wins"] and one["can_win"] is not False]
    text = (
        f"At the {number:,} inputs given, {sum(bool(one['wins']) for one in labels):,} labels win"
    )
    return (
        [f"{text}; {len(never):,} could win but never do there: {_some(never)}."]
        if never
        else [f"{text}."]
    )


def _sets(report: Report) -> list[str]:
    sizes = report.get("sets_by_size")
    if not sizes:
        return []
    total, bad = (sum(row[k] for row in sizes) for k in (1, 2))
    return [f"{bad:,} of {total:,} label sets are impossible."]


def _sigmoid(report: Report) -> list[str]:
    if "excluding" not in report:
        return []
    labels, found = report["labels"], []
    for key, text in (
        ("can_be_on", "can never be on"),
        ("can_be_off", "[is|are] always on"),
        ("can_be_alone", "can never be on alone"),
    ):
        names = [label["name"] for label in labels if label[key] is False]
        if names:
            found.append(f"{_labels(names, text)}: {_some(names)}.")
    if pairs := report["excluding"]:
        named = [" and ".join(pair) for pair in pairs]
        found.append(f"{_count(len(pairs), 'pair')} of labels exclude each other: {_some(named)}.")
    return found or ["Every label can be on, off, and on alone."]


def blockers(label: Report, most: int = BLOCKERS) -> str:
    """The labels that hold a label down, with weights; the smallest ones are counted.

    Examples
    --------
    >>> blockers({"held_down_by": [["a", 0.5], ["b", 0.25], ["c", 0.15], ["d", 0.1]]})
    'a 0.5, b 0.25, c 0.15 and 1 more'
    """
    held = label.get("held_down_by", [])
    if not held and "held_down_by" in label:
        return MANY
    text = ", ".join(f"{name} {share:.3g}" for name, share in held[:most])
    return text + (f" and {len(held) - most:,} more" if len(held) > most else "")


def impossible_part(one: Report) -> str:
    """The part of a set of labels that is impossible, and of which nothing can be left out.

    Examples
    --------
    >>> impossible_part({"labels": ["a", "b"], "proof": [["a", "+"], ["c", "-"]]})
    'a on, c off'
    """
    words = {"+": "on", "-": "off"}
    return ", ".join(f"{name} {words[sign]}" for name, sign in one.get("proof", ()))


def held_counts(report: Report) -> list[tuple[str, int]]:
    """Labels and how many others they hold down, the most first."""
    counts = Counter(
        name for label in report["labels"] for name, _ in label.get("held_down_by", [])
    )
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def markdown(report: Report) -> str:
    """The report for a model card."""
    facts = report["facts"]
    parts = [f"## Audit of {_cell(report['source'])}", _list(report["findings"])]
    parts += ["### Facts", _table(["", ""], facts.items(), len(facts))]
    labels = report["labels"]
    held = [label for label in labels if label["can_win"] is False]
    if held:
        columns = ["label", "held down by"]
        names = {
            "bias_rise": "bias to add",
            "least_distance": "no row wins within",
            "distance": "distance of a row that wins",
        }
        keys = [key for key in names if key in held[0]]
        rows = [
            [one["name"], blockers(one) or "a duplicate", *(_number(one.get(k)) for k in keys)]
            for one in held
        ]
        parts += ["### Labels that cannot win", _table([*columns, *(names[k] for k in keys)], rows)]
    if counts := held_counts(report):
        parts += ["### Labels that hold down most others", _table(["label", "others"], counts, 20)]
    leads = [one for one in labels if (one.get("lead") or [None, None])[1]]
    if leads:
        leads.sort(key=lambda one: one["lead"][0])
        rows = [[one["name"], *map(_number, one["lead"])] for one in leads]
        parts += ["### Smallest leads", _table(["label", "at least", "at most"], rows, 20)]
    if sizes := report.get("sets_by_size"):
        parts += ["### Label sets", _table(["labels in the set", "sets", "impossible"], sizes)]
    if bad := [one for one in report.get("sets", ()) if one["possible"] is False]:
        rows = [[", ".join(one["labels"]), impossible_part(one)] for one in bad]
        parts += ["### Impossible sets", _table(["set", "impossible part"], rows, 20)]
    return "\n\n".join(parts) + "\n"


def changes(before: Report, after: Report) -> Report:
    """What differs between the reports of two models, label by label, by name."""
    old = {label["name"]: label for label in before["labels"]}
    new = {label["name"]: label for label in after["labels"]}
    both = [name for name in old if name in new]
    found: Report = {
        "before": before["source"],
        "after": after["source"],
        "only_before": [name for name in old if name not in new],
        "only_after": [name for name in new if name not in old],
        "can_win_now": [n for n in both if old[n]["can_win"] is False and new[n]["can_win"]],
        "cannot_win_now": [n for n in both if old[n]["can_win"] and new[n]["can_win"] is False],
        "numbers": [
            [sum(one["can_win"] is True for one in report["labels"]), len(report["labels"])]
            for report in (before, after)
        ],
    }
    pairs = [(n, old[n].get("lead"), new[n].get("lead")) for n in both]
    moved = [[n, a, b] for n, a, b in pairs if _apart(a, b)]
    found["leads"] = sorted(moved, key=lambda row: _ratio(row[1], row[2]))
    return found


def _apart(a: Any, b: Any) -> bool:
    """Whether both are known intervals that have no number in common."""
    if not all(isinstance(one, list) and len(one) == 2 and None not in one for one in (a, b)):
        return False
    return bool(a[1] < b[0] or b[1] < a[0])


def _ratio(a: Sequence[float], b: Sequence[float]) -> float:
    return b[0] / a[0] if a[0] > 0 else float("inf")


def change_sentences(found: Report) -> list[str]:
    """The changes in sentences."""
    (won1, n1), (won2, n2) = found["numbers"]
    lines = [
        f"{found['before']}: {won1:,} of {n1:,} labels can win. "
        f"{found['after']}: {won2:,} of {n2:,}."
    ]
    for key, text in (
        ("can_win_now", "can win now and could not before"),
        ("cannot_win_now", "cannot win any more"),
        ("only_before", "[is|are] gone"),
        ("only_after", "[is|are] new"),
    ):
        if names := found[key]:
            lines.append(f"{_labels(names, text)}: {_some(names)}.")
    if moved := found["leads"]:
        less = [row[0] for row in moved if row[2][1] < row[1][0]]
        more = [row[0] for row in moved[::-1] if row[2][0] > row[1][1]]
        for names, text in ((less, "smaller"), (more, "larger")):
            if names:
                leads = f"leads of {len(names):,} labels are" if names[1:] else "lead of 1 label is"
                lines.append(f"The {leads} {text}: {_some(names)}.")
    return lines if len(lines) > 1 else [*lines, "The same labels can win."]


def change_markdown(found: Report) -> str:
    """The changes for a model card."""
    parts = [
        f"## {_cell(found['before'])} and {_cell(found['after'])}",
        _list(change_sentences(found)),
    ]
    for title, columns, rows in change_tables(found):
        parts += [f"### {title}", _table(columns, rows)]
    return "\n\n".join(parts) + "\n"


def change_tables(found: Report) -> list[tuple[str, list[str], list[list[str]]]]:
    """Titles, columns and rows of tables of the changes."""
    tables = [
        (title, ["label"], [[name] for name in found[key]])
        for key, title in (
            ("cannot_win_now", "Labels that cannot win any more"),
            ("can_win_now", "Labels that can win now"),
            ("only_before", "Labels that are gone"),
            ("only_after", "Labels that are new"),
        )
        if found[key]
    ]
    if found["leads"]:
        columns = ["label", "before at least", "at most", "now at least", "at most"]
        rows = [[name, *map(_number, (*a, *b))] for name, a, b in found["leads"]]
        tables.append(("Leads that changed", columns, rows))
    return tables


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _labels(names: Sequence[str], text: str) -> str:
    """How many labels do something; of ``[is|are]`` stays what fits their number."""
    form = re.sub(r"\[(\w+)\|(\w+)\]", r"\2" if names[1:] else r"\1", text)
    return f"{_count(len(names), 'label')} {form}"


def _some(names: Sequence[str], most: int = NAMES) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _number(value: Any) -> str:
    if isinstance(value, list):  # bounds, which are mostly equal
        return _number(value[1])
    return "" if value is None else f"{value:.4g}"


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_cell(line)}" for line in lines)


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]], most: int = ROWS) -> str:
    cells = [[_cell(str(entry)) for entry in row] for row in rows]
    lines = [columns, ["---"] * len(columns), *cells[:most]]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return text + (f"\n\n{len(cells) - most:,} more." if len(cells) > most else "")


def _cell(text: str) -> str:
    """Text that is not Markdown."""
    text = " ".join(text.split()) if text.strip() else repr(text)
    for mark in "\\`*_[]<>|#":
        text = text.replace(mark, f"\\{mark}")
    return text
