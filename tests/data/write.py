"""Write the files of a format into tests/data: ``python tests/data/write.py FOLDER``.

Run it once for each release that changes a format, and keep what earlier ones wrote: files of a
released format are never written again. `tests/test_formats.py` reads all of them.
"""

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import sympy

from arrangements import (
    Arrangement,
    Polyhedron,
    audit,
    can_be_top,
    chambers,
    count_chambers,
    feasible,
    feasible_many,
    rankings,
    write_certificate,
    write_chambers,
    write_rankings,
)
from arrangements.models import SigmoidClassifier, SoftmaxClassifier

LINES = Arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, -1])
ROOTS = Arrangement([[1, sympy.sqrt(2)], [0, 1], [Fraction(1, 3), 0.1], [2, -1]])
WEIGHTS, OFFSETS = [[1, 0], [0, 1], [-1, 0.1], [0.25, 0]], [0, 0, 1, 0]
LABELS = ["a", "b", "ü", "-"]
MODEL: dict[str, Any] = {"offsets": OFFSETS, "labels": LABELS}
FACES = ["+0*", "*00", "-++", "***"]
INSIDE: dict[str, Any] = {
    "within": Polyhedron([[1, 0], [-1, 0], [0, -1]], [0.5, -0.5, 0]),  # a ray
    "equations": ([[1, -1]], [0]),
}
AUDITED: dict[str, Any] = {
    **{"W": [*WEIGHTS, [0.25, 0]], "offsets": [*OFFSETS, -1], "labels": [*LABELS, "e"]},
    **{"sets": [["a", "b"], ["a", "b", "ü", "-"], []], "inputs": [[1, 2], [0, 0.5], [3, -1]]},
    **{"sigmoid": True, "pairs": True, "repairs": True, "leads": "exact", "radius": 2.0},
}
BOX = Polyhedron.box(Fraction(1, 3), 0.75, dimension=2)
QUESTIONS = ["+++", "---", "+*-", "--+"]


def write(folder: Path) -> None:
    """Write one file of each kind."""
    chambers(LINES).save(folder / "sign-vectors.npz")
    chambers(ROOTS).save(folder / "sign-vectors-roots.npz")
    rankings(WEIGHTS, **MODEL).save(folder / "rankings.npz")
    chambers(LINES, within=BOX).save(folder / "sign-vectors-within.npz")
    rankings(WEIGHTS, within=BOX, **MODEL).save(folder / "rankings-within.npz")
    feasible_many(LINES, QUESTIONS).save(folder / "certificates.npz")
    feasible_many(LINES, FACES, **INSIDE).save(folder / "certificates-within.npz")
    can_be_top(WEIGHTS, [["a"], ["-"], ["b", "ü"]], **MODEL).save(folder / "top-certificates.npz")
    for classifier in (SigmoidClassifier, SoftmaxClassifier):
        made = classifier(WEIGHTS, OFFSETS, LABELS)
        made.save(folder / f"{classifier.__name__}.npz")
    audit(**AUDITED).save(folder / "audit.json")
    write_chambers(LINES, folder / "run-chambers", rows_per_part=2)
    write_rankings(WEIGHTS, folder / "run-rankings", **MODEL)
    write_certificate(chambers(LINES), folder / "complete.jsonl")
    write_certificate(rankings(WEIGHTS, **MODEL), folder / "complete-rankings.jsonl.gz")
    write_certificate(feasible(LINES, "--+"), folder / "answer.jsonl")
    write_certificate(feasible_many(LINES, FACES, **INSIDE), folder / "within.jsonl")
    write_certificate(chambers(LINES, within=BOX), folder / "complete-within.jsonl")
    write_certificate(can_be_top(WEIGHTS, [["a"], ["-"]], **MODEL), folder / "tops.jsonl")
    write_certificate(count_chambers(LINES), folder / "count.jsonl", W=LINES)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
