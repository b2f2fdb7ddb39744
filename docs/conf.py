"""The documentation site: ``sphinx-build -nW docs docs/_build`` writes it, without a network."""

from docutils import nodes
from docutils.parsers.rst import Directive

import arrangements

project = "arrangements"
version = release = arrangements.__version__
copyright = "The arrangements authors, BSD-3-Clause"

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
exclude_patterns = ["_build"]
nitpicky = True
# Formulas and output are plain text; a block of code names its language.
highlight_language = "none"
default_role = "autolink"
myst_heading_anchors = 3

# A signature shows names and defaults, the docstring says what they may be.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "inherited-members": "tuple"}
autosummary_generate = False
numpydoc_show_class_members = False

html_theme = "furo"
html_title = f"arrangements {version}"
html_show_sourcelink = False
html_copy_source = False
