# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The rest is in pyproject.toml. Two things are added to the Python files:
#
# - the extension `_native`. It is optional: without a C compiler or Python.h the package
#   calls through ctypes.
# - the compiler (plugin, drivers, tools, headers, runtime), where it has been built: it is
#   installed by CMake into the package's folder `compiler`. RETROGRAD_BUILD names the build
#   folder; otherwise it is the repository's `build`. RETROGRAD_BUILD=none leaves the compiler
#   out, and the package uses one that is on the PATH.
import os
import shutil
import subprocess
import sys

from setuptools import Distribution, Extension, setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))


def build_folder():
    """The CMake build folder whose compiler is packaged, or None."""
    given = os.environ.get("RETROGRAD_BUILD")
    if given == "none":
        return None
    folder = os.path.abspath(given or os.path.join(HERE, "..", "build"))
    if os.path.exists(os.path.join(folder, "lib", "Retrograd.so")):
        return folder
    if given:
        sys.exit(f"RETROGRAD_BUILD={given} is no build folder of the project: it has no lib/Retrograd.so")
    print("retrograd: no compiler is packaged, since the repository has no build folder with one "
          "(make builds it); the package will look for 'retrograd' on the PATH", file=sys.stderr)
    return None


class WithCompiler(build_py):
    """Copies the Python files, then installs the compiler beside them."""

    def run(self):
        self.force = True  # of an earlier build nothing stays
        super().run()
        folder = build_folder()
        prefix = os.path.abspath(os.path.join(self.build_lib, "retrograd", "compiler"))
        shutil.rmtree(prefix, ignore_errors=True)  # of an earlier build
        if folder and not self.editable_mode:
            subprocess.run(["cmake", "--install", folder, "--prefix", prefix, "--strip"], check=True,
                           stdout=subprocess.DEVNULL)


class Native(Distribution):
    """The wheel is for one platform, also where the extension could not be built."""

    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": WithCompiler}, distclass=Native,
      ext_modules=[Extension("retrograd._native", ["retrograd/_native.c"], optional=True)])
