# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The rest is in pyproject.toml. `optional`: without a C compiler or Python.h the
# package is installed without the extension and calls through ctypes.
from setuptools import Extension, setup

setup(ext_modules=[Extension("retrograd._native", ["retrograd/_native.c"], optional=True)])
