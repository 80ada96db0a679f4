# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The site that `make docs` builds from the Markdown pages of the repository. The source folder is the
# repository's root, so that links between pages mean the same here and there.

project = "Retrograd"
copyright = "the Retrograd project"
extensions = ["myst_parser"]
myst_enable_extensions = ["html_admonition"]
myst_heading_anchors = 4
root_doc = "docs/site/index"
include_patterns = ["docs/site/index.md", "docs/**.md", "README.md", "CONTRIBUTING.md", "examples/README.md",
                    "lib/*/README.md", "fuzz/README.md", "bench/gpu/README.md", "python/README.md"]
html_theme = "furo"
html_title = "Retrograd"
html_static_path = ["static"]
html_css_files = ["wide.css"]
html_show_sphinx = False
# Links to files that are no pages, as lib/Catalogue/libm.td: utils/check-links.py looks after them.
suppress_warnings = ["myst.xref_missing", "toc.not_included", "toc.not_readable", "misc.highlighting_failure"]
pygments_style = "default"
