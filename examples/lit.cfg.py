# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The examples are tests: the same kinds, the same substitutions.

import os

here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(os.path.dirname(here), "test", "lit.cfg.py"))
config.name = "Retrograd examples"
config.test_source_root = here
config.test_exec_root = os.path.join(os.path.dirname(config.test_exec_root), "examples")
