"""Settings of the manual: `make docs` builds it offline, and a warning is an error."""

import sys
from pathlib import Path

import mlaudit

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "tools")]

project = "mlaudit"
author = copyright = "The mlaudit authors"  # noqa: A001 - Sphinx's name
release = version = mlaudit.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "generated_pages",
    "glossary_links",
    "plain_docstrings",
]
exclude_patterns = ["_build", "_ext"]

# Pages are Markdown. Headings down to the third level have the anchors that GitHub gives them.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # notebooks are run by tests/docs/test_notebooks.py, and show the output that is committed

# The reference: docstrings are Google style, and `name` in them is code.
default_role = "code"
autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings explain every argument
autodoc_default_options = {
    "members": True,
    "undoc-members": False,
    "special-members": "__call__",  # the one method of an attack
    "exclude-members": "__init__, __new__",
}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
nitpicky = True

html_theme = "furo"
html_title = "mlaudit"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_copy_source = html_show_sourcelink = False
html_show_copyright = False
templates_path = ["_templates"]
