"""Stubs for type checkers: what is found by its name at run time, ``__init__.pyi`` and the methods.

    python tests/stubs.py

writes them anew; a test compares them with what this would write.
"""

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

from arrangements.core.methods import NAMES
from arrangements.public import HOME, MODULES, OWN

PACKAGE = Path(__file__).resolve().parent.parent / "arrangements"
NOTE = "# Written by tests/stubs.py."


def stubs() -> dict[Path, str]:
    """Files and what they should hold."""
    found = {PACKAGE / "core" / "methods.pyi": methods_stub()}
    for module, files in {**MODULES, **OWN}.items():
        if (PACKAGE / module).is_dir():
            found[PACKAGE / module / "__init__.pyi"] = module_stub(module, files)
    return found


def module_stub(module: str, files: dict[str, str]) -> str:
    lines = [NOTE, ""]
    if not module:
        lines += [f"from arrangements import {m} as {m}" for m in sorted({*MODULES, *OWN} - {""})]
    for file, names in sorted(files.items()):
        lines += [f"from arrangements.{file} import {n} as {n}" for n in sorted(names.split())]
    return "\n".join(lines) + "\n"


def methods_stub() -> str:
    """The class `Methods` with the signatures of the functions, without W and offsets."""
    modules = {"arrangements.oriented_matroids.oriented_matroid"}
    methods = [line for name in NAMES.split() for line in method_lines(name, modules)]
    imports = [f"import {module}" for module in sorted(modules)]
    return "\n".join([NOTE, "", *imports, "", "NAMES: str", "", CLASS, *methods]) + "\n"


CLASS = """
class Methods:
    def oriented_matroid(
        self, *, rank: int | None = ...
    ) -> arrangements.oriented_matroids.oriented_matroid.OrientedMatroid: ...
    @classmethod
    def from_equations(
        cls,
        *equations: str | typing.Any,
        variables: collections.abc.Iterable[typing.Any] | None = ...,
        field: arrangements.exact.number_field.NumberField | None = ...,
    ) -> arrangements.core.arrangement.Arrangement: ..."""


def method_lines(name: str, modules: set[str]) -> Iterator[str]:
    """A method of a stub, once for each overload, and the modules that its types come from."""
    module = f"arrangements.{HOME[name]}"
    tree = ast.parse((PACKAGE.parent / f"{module.replace('.', '/')}.py").read_text("utf-8"))
    definitions = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name]
    overloads = definitions[:-1] or definitions
    dotted = Dotted(module, tree, modules)
    for node in overloads:
        if len(overloads) > 1:
            modules.add("typing")
            yield "    @typing.overload"
        arguments = ", ".join(parameters(node.args, dotted))
        yield f"    def {name}({arguments}) -> {dotted.text(node.returns)}: ..."


def parameters(arguments: ast.arguments, dotted: "Dotted") -> list[str]:
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + arguments.defaults
    written = ["self"]
    for argument, default in zip(arguments.args, defaults, strict=True):
        if argument.arg not in ("W", "offsets"):
            written.append(parameter(argument, default, dotted))
    keywords = [
        parameter(argument, default, dotted)
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if argument.arg != "offsets"
    ]
    if arguments.vararg is not None:
        written.append(f"*{parameter(arguments.vararg, None, dotted)}")
    elif keywords:
        written.append("*")
    return written + keywords


def parameter(argument: ast.arg, default: ast.expr | None, dotted: "Dotted") -> str:
    text = f"{argument.arg}: {dotted.text(argument.annotation)}"
    return text if default is None else f"{text} = ..."


class Dotted(ast.NodeTransformer):
    """Writes types of one file in full: ``arrangements.sets.rankings.Rankings``."""

    def __init__(self, module: str, tree: ast.Module, modules: set[str]) -> None:
        self.module, self.modules = module, modules
        self.origin: dict[str, str] = {}
        self.imported: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module != "__future__":
                for alias in node.names:
                    self.origin[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    self.origin[alias.asname or alias.name] = alias.name
                    self.imported.add(alias.name)

    def text(self, annotation: ast.expr | None) -> str:
        assert annotation is not None, "public functions have types"
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            annotation = ast.parse(annotation.value, mode="eval").body
        return ast.unparse(self.visit(annotation))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if hasattr(builtins, node.id):
            return node
        full = self.origin.get(node.id, f"{self.module}.{node.id}")
        self.modules.add(full if full in self.imported else full.rpartition(".")[0])
        return ast.parse(full, mode="eval").body


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, "utf-8")
