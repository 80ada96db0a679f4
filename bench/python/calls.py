#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""What a call from Python costs, against the same native function called by ctypes with ready
addresses. Run after `pip install ./python` (or with PYTHONPATH=python, which measures the way
through ctypes), with RETROGRAD=build/bin/retrograd:

    python3 bench/python/calls.py [--json FILE]

Each figure is the smallest of 25 runs of 4000 calls, in microseconds; the runs go by turns.
"""
import argparse
import ctypes
import json
import timeit

import numpy as np

import retrograd as rg
from retrograd import _function

SOURCE = """
double energy(const double *at, int n, double stiffness) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double stretch = at[i + 1] - at[i] - 1;
    sum += 0.5 * stiffness * stretch * stretch;
  }
  return sum;
}
float energyf(const float *at, int n, float stiffness) {
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    float stretch = at[i + 1] - at[i] - 1;
    sum += 0.5f * stiffness * stretch * stretch;
  }
  return sum;
}
"""


def costs(calls):
    """Microseconds for one of each. They run by turns, so that other work on the machine meets all of them."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(25):
        for name, call in calls.items():
            best[name] = min(best[name], timeit.timeit(call, number=4000) / 4000 * 1e6)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument("--most", type=float, help="fail if a call or a gradient costs more than this over ctypes")
    options = parser.parse_args()
    figures, worst = {"way": "extension" if _function._native else "ctypes"}, 0
    functions = rg.compile(SOURCE, ["energy", "energyf"], language="c", constants=["stiffness"])
    for f, real, number in zip(functions, (np.float64, np.float32), (ctypes.c_double, ctypes.c_float)):
        x = np.arange(4, dtype=real) ** 2
        # The native function and its gradient, by ctypes with addresses that are ready.
        value, gradient = f.entry("value"), f.entry("rev")
        result, seed, shadow = number(), number(1), np.zeros(4, real)
        n, k = ctypes.c_int(3), number(2)
        slots = [ctypes.addressof(result), x.ctypes.data, ctypes.addressof(n), ctypes.addressof(k)]
        base = (ctypes.c_void_p * 4)(*slots)
        both = (ctypes.c_void_p * 6)(*slots, ctypes.addressof(seed), shadow.ctypes.data)
        lengths, message = (ctypes.c_longlong * 4)(1, 4, 1, 1), ctypes.create_string_buffer(256)
        kind = np.dtype(real).name
        row = costs({"value, ctypes": lambda: value(base, lengths, message),
                     "value": lambda: f(x, 3, 2.0),
                     "gradient, ctypes": lambda: gradient(both, lengths, message),
                     "gradient": lambda: f.gradient(x, 3, 2.0),
                     "value_and_gradient": lambda: f.value_and_gradient(x, 3, 2.0)})
        worst = max(worst, row["value"] - row["value, ctypes"], row["gradient"] - row["gradient, ctypes"])
        figures[kind] = row
        for name, time in row.items():
            print(f"{kind:8} {name:20} {time:7.2f}")
    print(f"through the {figures['way']}: at most {worst:.2f} microseconds over ctypes")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(figures, file, indent=1)
    return options.most is not None and worst > options.most


if __name__ == "__main__":
    raise SystemExit(main())
