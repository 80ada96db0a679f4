# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's commands (retrograd, rg-clang, ...) as commands of the Python environment.

pip puts a script for each into the environment's bin folder (pyproject.toml, [project.scripts]).
It runs the program of the same name in the compiler that the package uses.
"""

import os
import sys

from ._build import tool


def run():
    """Replaces this process by the program whose name was called."""
    name = os.path.basename(sys.argv[0])
    try:
        program = os.path.join(os.path.dirname(os.path.realpath(tool())), name)
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: {error}")
