"""Results of `verify` as lines and as a Markdown report with figures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from arrangements.paper.verification import STATEMENTS, Result
from arrangements.version import __version__

# A module with ``figures()``: functions by name, each of which returns a matplotlib figure.
FIGURES = "arrangements.paper.figures"


def result_line(result: Result) -> str:
    """One line: result, statement, number of cases, exactness, time, what was checked.

    Examples
    --------
    >>> print(result_line(Result("Lemma 3.2", True, 600, True, 0.3, "a cosine is -1")))
    ok      Lemma 3.2            600 cases  exact    0.3 s  a cosine is -1
    """
    verdict = "ok" if result.ok else "FAILED"
    noun = "case " if result.cases == 1 else "cases"
    kind = "exact" if result.exact else "float"
    return (
        f"{verdict:<7} {result.result:<18} {result.cases:>5} {noun}  {kind} {result.seconds:6.1f} s"
        f"  {result.detail}"
    )


def write_report(
    directory: str | os.PathLike[str], results: Sequence[Result], settings: str
) -> Path:
    """Write ``report.md``, and figures if they can be drawn, into a directory.

    Parameters
    ----------
    directory : str or path-like
        Created if it does not exist.
    results : sequence of Result
    settings : str
        How to repeat the run.

    Returns
    -------
    pathlib.Path
        Of the report.
    """
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    failed = sum(not result.ok for result in results)
    verdict = f"{failed} failed" if failed else "all hold"
    exact = ""
    if all(result.exact for result in results):
        exact = " All results are exact: floating point decides nothing."
    lines = [
        "# What cosine similarity of label representations can and cannot tell us, checked",
        "",
        f"Statements of arXiv:2603.29488, checked by arrangements {__version__} with `{settings}`:",
        f"{len(results)} statements, {verdict}.{exact}",
        "",
        "| statement | says | verdict | cases | seconds | checked |",
        "|---|---|---|---|---|---|",
    ]
    for result in results:
        known = STATEMENTS.get(result.result)
        detail = result.detail.replace("|", "\\|").replace("\n", " ")
        cells = (
            result.result,
            known.says if known else "",
            "holds" if result.ok else "**FAILED**",
            f"{result.cases:,}",
            f"{result.seconds:.1f}",
            detail.removeprefix(f"{known.says}: ") if known else detail,
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *_figures(folder)]
    path = folder / "report.md"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _figures(folder: Path) -> list[str]:
    """Draw the figures into the folder; Markdown that shows them, or says why there are none."""
    if find_spec("matplotlib") is None or find_spec(FIGURES) is None:
        return ["No figures: they need matplotlib, the extra `plot`."]
    lines = []
    close = import_module("matplotlib.pyplot").close
    for name, draw in import_module(FIGURES).figures().items():
        figure = draw()
        figure.savefig(folder / f"{name}.png", dpi=150, bbox_inches="tight")
        close(figure)
        caption = (draw.__doc__ or name).partition("\n")[0]
        lines += [f"![{caption}]({name}.png)", "", caption, ""]
    return lines
