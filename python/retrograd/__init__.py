# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Native functions and their derivatives as NumPy functions.

    import retrograd as rg

    f = rg.compile("model.cpp", "energy")   # double energy(const double *x, int n)
    f(x, n)                                 # the number
    f.gradient(x, n)                        # an array like x

The compiler plugin of Retrograd differentiates the function; this package only
passes memory. See docs/user/Python.md.
"""

import importlib

from ._build import CompileError, compile, tool
from ._function import Function, NativeError, load
from ._kernel import Kernel

__all__ = ["compile", "load", "tool", "Function", "Kernel", "CompileError", "NativeError"]


def __getattr__(name):
    # PyTorch is loaded when it is asked for.
    if name == "torch":
        return importlib.import_module(".torch", __name__)
    raise AttributeError(f"module 'retrograd' has no attribute '{name}'")
