"""A notebook as a page of Markdown: its cells are executed, and show what a notebook would show.

Jupyter asks the value of the last line of a cell for ``_repr_html_`` or ``_repr_latex_``, else for
its ``repr``, and so does this: nothing of Jupyter is needed. Cells run in order, in this process;
one that fails ends the build.
"""

import ast
import io
import json
from contextlib import redirect_stdout
from typing import Any


def run(code: str, names: dict[str, Any]) -> Any:
    """Run code, and give the value of its last line if that is an expression."""
    *statements, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        statements, last = [*statements, last], ast.Expr(ast.Constant(None))
    ast.fix_missing_locations(last)
    exec(compile(ast.Module(statements, []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def markdown(notebook: str) -> str:
    """The page of a notebook, from the text of its file."""
    names: dict[str, Any] = {}
    parts = []
    for cell in json.loads(notebook)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        printed = io.StringIO()
        with redirect_stdout(printed):
            value = run(source, names)
        parts += [_fenced("python", source), *_shown(printed.getvalue(), value)]
    return "\n\n".join(parts) + "\n"


def _shown(printed: str, value: Any) -> list[str]:
    """What a cell printed, and its value."""
    found = [_fenced("none", printed.rstrip())] if printed else []
    if value is None:
        return found
    if hasattr(value, "_repr_html_"):
        return [*found, _fenced("{raw} html", value._repr_html_())]
    if hasattr(value, "_repr_latex_"):
        return [*found, value._repr_latex_()]
    return [*found, _fenced("none", repr(value))]


def _fenced(language: str, text: str) -> str:
    return f"~~~~~{language}\n{text}\n~~~~~"
