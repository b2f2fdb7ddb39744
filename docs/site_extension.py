"""What the site adds to its pages: help of commands, pictures, notebooks, links, subscripts.

The pages stay plain Markdown that can be read in a terminal. There a function is ``chambers`` and a
vector is x_1, .., x_n; the site makes the first a link to the reference and sets the indices low.
"""

import os
import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from notebook_page import markdown, run
from sphinx.addnodes import desc_signature, pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.inspect import safe_getattr

import arrangements
from arrangements.cli.application import cli
from arrangements.public import HOME, MODULE, address, find


def documented() -> dict[str, str]:
    """Full name of what the reference describes, by the name that pages and docstrings use."""
    names = {}
    for page in sorted((Path(__file__).parent / "reference").glob("*.rst")):
        text = page.read_text(encoding="utf-8")
        for directive, name in re.findall(r"^\.\. (\w+):: (\S+)$", text, re.MULTILINE):
            if directive in ("currentmodule", "automodule"):
                module = name
            if directive == "automodule":
                names[name.rpartition(".")[2]] = name
            if directive in ("autofunction", "autoclass", "autoexception"):
                if name.startswith("arrangements."):
                    names[name.rpartition(".")[2]] = name
                else:
                    full = f"{module}.{name}"
                    names[full.removeprefix("arrangements.")] = full
                    if name in MODULE:
                        names[name] = full
    return names


NAMES = documented()
_CLASS = re.compile(rf"\b({'|'.join(name for name in NAMES if name[0].isupper())})\b")
_PAGE = re.compile(r"\bdocs/(?P<page>[\w/-]+)\.md\b")
_BRACES = r"\{(?:[^{}]|\{[^{}]*\})*\}"
_SCRIPT = re.compile(
    # a letter or norm, or one of the words that formulas use, with an index
    r"(?:(?<!\w)(?P<base>[^\W\d_]|constant|multiplier|score|slope)|(?<=\|))"
    rf"_(?P<low>{_BRACES}|\d+|[^\W\d_]{{1,3}})(?!\w)"
    rf"|(?<=[\w)}}])\^(?P<high>{_BRACES}|\([^()]*\)|[-−]?\d+|[^\W\d_]+)"
)
_VERBATIM = (nodes.FixedTextElement, nodes.literal, nodes.math, nodes.reference, desc_signature)


class CommandHelp(SphinxDirective):
    """A section for each command, with the text of its ``--help``."""

    def run(self) -> list[nodes.Node]:
        """Give the sections."""
        return list(_command_sections(cli, None))


def _command_sections(
    command: click.Command, parent: click.Context | None
) -> Iterator[nodes.section]:
    name = "arrangements" if parent is None else command.name
    context = click.Context(command, parent, name, terminal_width=88, max_content_width=88)
    if isinstance(command, click.Group):
        for member in command.list_commands(context):
            yield from _command_sections(command.commands[member], context)
        return
    title = context.command_path
    section = nodes.section(ids=[nodes.make_id(title)], names=[title])
    section += nodes.title(text=title)
    section += nodes.literal_block(text=context.get_help(), language="none")
    yield section


class Picture(SphinxDirective):
    """Code, and the picture that its last line gives; the argument is the text in its place.

    Pictures are drawn when the site is built, so they are never older than the code.
    """

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Draw the picture among the files of the build, and give a node for it."""
        code = "\n".join(self.content)
        folder = Path(self.env.app.doctreedir) / "pictures"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{sha256(code.encode()).hexdigest()[:16]}.svg"
        save_picture(code, path)
        page = Path(self.env.doc2path(self.env.docname)).parent
        image = nodes.image(
            uri=os.path.relpath(path, page), alt=self.arguments[0], classes=["picture"]
        )
        return [nodes.literal_block(code, code, language="python"), image]


class ExplorerPage(SphinxDirective):
    """The explorer of a statement of the paper, as a page beside this one and within it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the page among the files of the build, and give a frame for it."""
        (name,) = self.arguments
        path = Path(self.env.app.outdir) / "explorer" / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        explorer = arrangements.plot.Explorer.of_preset(name)
        explorer.save(path)
        frame = (
            f'<iframe class="explorer" loading="lazy" title="{escape(repr(explorer))}" '
            f'src="explorer/{name}.html"></iframe>'
            f'<p><a href="explorer/{name}.html">As a page of its own</a></p>'
        )
        return [nodes.raw("", frame, format="html")]


def save_picture(code: str, path: Path) -> None:
    """Run code and write the picture of its last line, axes or a figure, as an SVG."""
    from matplotlib import pyplot, rc_context

    with rc_context({"svg.hashsalt": "picture", "backend": "agg"}):
        drawn = run(code, {})
        if drawn is None:
            raise ValueError(f"the last line draws no picture: {code!r}")
        figure = getattr(drawn, "figure", drawn)
        figure.savefig(path, metadata={"Date": None, "Creator": None})
        pyplot.close("all")


class Notebook(MystParser):  # type: ignore[misc]
    """Pages that are notebooks, executed when the site is built."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Execute the cells, and read the page as Markdown."""
        super().parse(markdown(inputstring), document)


def link_public_names(app: Sphinx, doctree: nodes.document) -> None:
    """Link public names to the reference, and files of ``docs/`` to their pages.

    A name is linked where it is code in a sentence, a class also in types and errors.
    """
    for node in list(
        doctree.findall(lambda node: isinstance(node, nodes.literal | nodes.emphasis))
    ):
        name = node.astext()
        target = _target(name)
        named = target and (isinstance(node, nodes.literal) or name[0].isupper())
        if named and not isinstance(node.parent, nodes.title | pending_xref):
            node.replace_self(_link(target, nodes.literal(text=name)))
    for text in list(doctree.findall(nodes.Text)):
        if not isinstance(text.parent, nodes.FixedTextElement | nodes.reference):
            _replace(text, _PAGE, _page_link)
    for text in list(doctree.findall(nodes.Text)):
        if isinstance(text.parent, nodes.term | nodes.classifier):
            _replace(text, _CLASS, lambda match: [_link(NAMES[match[0]], nodes.Text(match[0]))])


def _page_link(match: re.Match[str]) -> list[nodes.Node]:
    shown = nodes.inline(text=match[0])
    options = {"refdomain": "std", "reftype": "doc", "refexplicit": True, "refwarn": True}
    return [pending_xref("", shown, reftarget=f"/{match['page']}", **options)]


def _target(name: str) -> str | None:
    """Full name of a public object or of a method; None for any other text."""
    owner, _, member = name.removesuffix("()").partition(".")
    if member and owner in NAMES and hasattr(find(owner) if owner in HOME else None, member):
        return f"{NAMES[owner]}.{member}"
    return NAMES.get(name)


def _link(target: str, shown: nodes.Node) -> pending_xref:
    return pending_xref("", shown, refdomain="py", reftype="obj", reftarget=target)


def resolve_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contents: nodes.TextElement
) -> nodes.Element | None:
    """Find what a docstring of some module calls by its public name.

    What exists but is not in the reference, such as the field of a named tuple, is not a link.
    """
    name = node.get("reftarget", "")
    target = _target(name)
    if target and node["refdomain"] == "py":
        python = env.get_domain("py")
        return python.resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, contents)
    module = import_module(node.get("py:module") or "arrangements")
    owner = getattr(module, node.get("py:class") or "", None)
    exists = hasattr(owner, name) or hasattr(module, name)
    return nodes.emphasis(text=name) if exists else None


def set_scripts(app: Sphinx, doctree: nodes.document) -> None:
    """Set x_i and R^d with an index and an exponent, outside code."""
    for text in list(doctree.findall(nodes.Text)):
        if not _is_verbatim(text):
            _replace(text, _SCRIPT, _script)


def _is_verbatim(node: nodes.Node) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, _VERBATIM):
            return True
    return False


def _script(match: re.Match[str]) -> list[nodes.Node]:
    script = match["low"] or match["high"]
    kind = nodes.subscript if match["low"] else nodes.superscript
    inner = nodes.Text(script[1:-1] if script[0] in "{(" else script)
    node = kind("", "", inner)
    _replace(inner, _SCRIPT, _script)
    return [nodes.Text(match["base"] or ""), node]


def _replace(
    text: nodes.Text, pattern: re.Pattern[str], made: Callable[[re.Match[str]], list[nodes.Node]]
) -> None:
    """Put nodes in place of the matches in a text."""
    whole, parts, end = text.astext(), [], 0
    for match in pattern.finditer(whole):
        parts += [nodes.Text(whole[end : match.start()]), *made(match)]
        end = match.end()
    if parts:
        text.parent.replace(text, [*parts, nodes.Text(whole[end:])])


def skip_fields(
    app: Sphinx, what: str, name: str, member: object, skip: bool, options: Any
) -> bool | None:
    """Leave out the fields of named tuples: the docstring of the class describes them."""
    return True if type(member).__name__ == "_tuplegetter" else None


def keep_initials(
    app: Sphinx, what: str, name: str, member: object, options: Any, lines: list[str]
) -> None:
    """Keep the initial of an author from starting an enumerated list."""
    lines[:] = [re.sub(r"^(\.\. \[\w+-\d+\] )(?=\w\. )", r"\1\\", line) for line in lines]


def attribute(value: type, name: str, *default: Any) -> Any:
    """Attribute of a class; of a public one the module is where it stands, not its address.

    So autodoc finds the source, and with it the order of the members.
    """
    home = HOME.get(value.__name__)
    if name == "__module__" and home and value.__module__ == address(value.__name__):
        return f"arrangements.{home}"
    return safe_getattr(value, name, *default)


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx about all this."""
    app.add_directive("command-help", CommandHelp)
    app.add_directive("picture", Picture)
    app.add_directive("explorer", ExplorerPage)
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(Notebook)
    app.add_autodoc_attrgetter(type, attribute)
    app.connect("doctree-read", link_public_names)
    app.connect("doctree-read", set_scripts)
    app.connect("autodoc-process-docstring", keep_initials, priority=600)  # after numpydoc
    app.connect("autodoc-skip-member", skip_fields)
    app.connect("missing-reference", resolve_name)
    return {"parallel_read_safe": True}
