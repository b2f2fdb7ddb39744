"""No kernel is long, or has many arguments: a reader holds it in view."""

import ast
from functools import cache
from pathlib import Path

import arrangements.kernels

FOLDER = Path(arrangements.kernels.__file__).parent
MOST_LINES, MOST_ARGUMENTS = 60, 9
# At most three; a comment at the function says what a split would cost, measured.
EXCEPTIONS: set[str] = set()


@cache
def functions() -> dict[str, ast.FunctionDef]:
    """All functions of kernels, also those within others, by file and name."""
    return {
        f"{path.relative_to(FOLDER).as_posix()}: {node.name}, line {node.lineno}": node
        for path in sorted(FOLDER.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }


def too_large(node: ast.FunctionDef) -> bool:
    assert node.end_lineno is not None
    arguments = node.args
    number = len(arguments.posonlyargs) + len(arguments.args) + len(arguments.kwonlyargs)
    return node.end_lineno - node.lineno + 1 > MOST_LINES or number > MOST_ARGUMENTS


def test_no_kernel_is_large() -> None:
    large = [name for name, node in functions().items() if too_large(node)]
    assert {name.rsplit(",", 1)[0] for name in large} <= EXCEPTIONS, large


def test_exceptions_are_few_and_there() -> None:
    assert len(EXCEPTIONS) <= 3
    assert EXCEPTIONS <= {name.rsplit(",", 1)[0] for name in functions()}


def test_every_file_has_its_test() -> None:
    tests = Path(__file__).parent
    for path in FOLDER.rglob("*.py"):
        folder = path.relative_to(FOLDER).parent
        if path.name != "__init__.py" and folder.name:
            assert (tests / folder / f"test_{path.name}").is_file(), path
