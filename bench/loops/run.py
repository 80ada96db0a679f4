#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Thirty dense loop nests: the gradient's time over the primal's.

    bench/loops/run.py BUILD [NAME...]

"one derivative": without a derivative of its own for arguments that do not overlap
(docs/DisjointArguments.md). Smallest of seven runs each, in one process.
"""

import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def measure(build, names, flags):
    """Rows [name, size, primal ms, gradient ms, ratio] of one compilation."""
    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, "nests")
        subprocess.run([os.path.join(build, "bin", "rg-clang"), "-O3", "-march=native", *flags,
                        os.path.join(HERE, "nests.c"), "-lm", "-o", program], check=True)
        lines = subprocess.run([program, *names], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return [line.replace(" ms", "").split() for line in lines if " ms " in line]


def mean(ratios):
    return math.exp(sum(math.log(float(r)) for r in ratios) / len(ratios))


def main(build, *names):
    disjoint = measure(build, names, [])
    general = measure(build, names, ["-mllvm", "-rg-disable=disjoint-arguments"])
    print("| nest | n | primal ms | gradient ms | gradient/primal | one derivative |")
    print("|---|---|---|---|---|---|")
    for a, b in zip(disjoint, general):
        print("| " + " | ".join([*a, b[4]]) + " |")
    means = [f"{mean([row[4] for row in rows]):.2f}" for rows in (disjoint, general)]
    print("| geometric mean | | | | " + " | ".join(means) + " |")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
