"""Programs without one statement or one operand of a condition, to see that each line matters."""

import ast
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, NamedTuple


class Source(NamedTuple):
    """A program, the functions that are not its logic, and words of statements that are not."""

    text: str
    program: frozenset[str]
    outside: tuple[str, ...]

    def nodes(self, tree: ast.AST) -> Iterator[ast.AST]:
        """All nodes of the logic."""
        yield tree
        for node in ast.iter_child_nodes(tree):
            if not (isinstance(node, ast.FunctionDef) and node.name in self.program):
                yield from self.nodes(node)

    def bodies(self, tree: ast.AST) -> list[list[ast.stmt]]:
        """All lists of statements within functions, and that of the module."""
        return [
            body
            for node in self.nodes(tree)
            for body in (getattr(node, "body", None), getattr(node, "orelse", None))
            if isinstance(body, list)
        ]

    def decides(self, statement: ast.stmt) -> bool:
        """Whether a statement decides anything: no documentation, annotation or import."""
        kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
        text = ast.unparse(statement)
        if isinstance(statement, kinds) or any(word in text for word in self.outside):
            return False
        annotation = isinstance(statement, ast.AnnAssign) and statement.value is None
        again = isinstance(statement, ast.Raise) and statement.exc is None  # more memory is needed
        said = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        return not (annotation or again or said)

    def mutants(self) -> Iterator[tuple[str, ast.Module]]:
        """The program without one statement, or without one operand of a condition."""
        places = [
            (b, k)
            for b, body in enumerate(self.bodies(ast.parse(self.text)))
            for k, statement in enumerate(body)
            if self.decides(statement)
        ]
        for b, k in places:
            changed = ast.parse(self.text)
            body = self.bodies(changed)[b]
            name = f"line {body[k].lineno}: {ast.unparse(body[k])[:80]}"
            body[k] = ast.copy_location(ast.Pass(), body[k])
            yield name, changed
        operands = _Operands(-1, self.program)
        operands.visit(ast.parse(self.text))
        for chosen in range(operands.seen):
            without = _Operands(chosen, self.program)
            changed = without.visit(ast.parse(self.text))
            yield without.name, ast.fix_missing_locations(changed)

    def idle(self, agrees: Callable[[Any], bool], seconds: float = 2) -> list[str]:
        """What can be left out with no difference to a test of the module."""
        found = []
        for name, tree in self.mutants():
            names: dict[str, Any] = {"__name__": "changed"}
            try:
                exec(compile(tree, "changed", "exec"), names)
                with at_most(seconds):
                    if agrees(SimpleNamespace(**names)):
                        found.append(name)
            except Exception:  # it cannot even read
                continue
        return found


class _Operands(ast.NodeTransformer):
    """Leave out one operand of one `and` or `or`."""

    def __init__(self, chosen: int, program: frozenset[str]) -> None:
        self.chosen, self.program, self.seen, self.name = chosen, program, 0, ""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node if node.name in self.program else self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        for k in range(len(node.values)):
            self.seen += 1
            if self.seen - 1 == self.chosen:
                rest = node.values[:k] + node.values[k + 1 :]
                self.name = f"line {node.lineno}: without {ast.unparse(node.values[k])}"
                return rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
        return node


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Interrupt a loop without an end, by the time of the processor."""

    def interrupt(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
