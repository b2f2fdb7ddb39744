"""The documentation site: ``python -m sphinx -nW docs docs/_build`` writes it, offline."""

import sys
from pathlib import Path

import arrangements

# extensions here, and the benchmarks of the checkout
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

project = "arrangements"
version = release = arrangements.__version__
copyright = "the arrangements developers"

extensions = [
    "myst_parser",
    "numpydoc",
    "site_extension",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
]
myst_enable_extensions = ["dollarmath"]
exclude_patterns = ["_build"]
nitpicky = True
# Output is plain text; a block of code names its language.
highlight_language = "none"
default_role = "autolink"
myst_heading_anchors = 3

# A signature shows names and defaults, the docstring says what they may be.
autodoc_typehints = "none"
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
autosummary_generate = False
numpydoc_show_class_members = False
# Everything but what is a matter of taste, or of methods that say "see the function".
numpydoc_validation_checks = {
    *("all", "ES01", "EX01", "GL01", "SA01", "SA03", "SA04", "SS05"),
    *("PR01", "PR03", "PR04", "PR07", "PR08", "RT01", "RT03", "RT04", "RT05"),
}

# furo shows the sections of a long page beside it. A page loads nothing from elsewhere but MathJax,
# and that only if it has formulas; without a network they are shown as TeX.
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = f"arrangements {version}"
html_show_sourcelink = False
html_copy_source = False
