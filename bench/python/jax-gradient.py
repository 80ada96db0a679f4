#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""The gradient of a C++ function of 10^5 inputs by JAX, against the same derivative called natively.

    python3 bench/python/jax-gradient.py [--inputs N] [--most RATIO]

The native call has its memory ready and clears its gradient; JAX takes new memory for each result. Blocks of ten calls
are made by turns, so that other programs on the machine slow down both alike. The bound of --most is for the quickest
block's time of the processor, in which all threads of the process count. Medians and the elapsed time are shown
beside it.
"""
import argparse
import ctypes
import statistics
import time

import jax
import numpy as np

import retrograd as rg

BLOCK = 10  # calls
jax.config.update("jax_enable_x64", True)
SOURCE = """
#include <cmath>
double rosenbrock(const double *x, int n) {
  double s = 0;
  for (int i = 0; i + 1 < n; ++i)
    s += 100 * std::pow(x[i + 1] - x[i] * x[i], 2) + std::pow(1 - x[i], 2) + std::exp(-x[i] * x[i]);
  return s;
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=100000)
    parser.add_argument("--most", type=float, help="fail if the ratio is larger, in each of three attempts")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    n = options.inputs
    f = rg.compile(SOURCE, "rosenbrock", language="c++")
    x = np.random.default_rng(1).random(n)
    result, seed, length, shadow = ctypes.c_double(), ctypes.c_double(), ctypes.c_int(n), np.zeros(n)
    slots = (ctypes.c_void_p * 5)(ctypes.addressof(result), x.ctypes.data, ctypes.addressof(length),
                                  ctypes.addressof(seed), shadow.ctypes.data)
    lengths, message, entry = (ctypes.c_longlong * 3)(1, n, 1), ctypes.create_string_buffer(256), f.entry("rev")

    def native():
        seed.value = 1
        ctypes.memset(shadow.ctypes.data, 0, shadow.nbytes)
        entry(slots, lengths, message)

    gradient = jax.jit(jax.grad(lambda x: f.jax(x, n)))
    given = jax.device_put(x)
    native()
    assert np.allclose(gradient(given), shadow)
    calls = {"native": native, "JAX": lambda: gradient(given).block_until_ready(), "NumPy": lambda: f.gradient(x, n)}

    def attempt():
        """By name: seconds of a call in each block, of the processor and elapsed."""
        times = {name: ([], []) for name in calls}
        for _ in range(options.rounds):
            for name, run in calls.items():
                processor, start = time.process_time(), time.perf_counter()
                for _ in range(BLOCK):
                    run()
                elapsed = time.perf_counter() - start
                times[name][0].append((time.process_time() - processor) / BLOCK)
                times[name][1].append(elapsed / BLOCK)
        return times

    attempt()  # memory and caches as in a loop
    for _ in range(3 if options.most else 1):
        found = attempt()
        columns = [[how(times[k]) for times in found.values()] for k in (0, 1) for how in (min, statistics.median)]
        print("microseconds for a call, and times the native one")
        print(f"{'':8}" + "".join(f"{title:>20}" for title in ("processor, least", "median", "elapsed, least", "median")))
        for i, name in enumerate(found):
            print(f"{name:8}" + "".join(f"{c[i] * 1e6:13.1f} {c[i] / c[0]:6.3f}" for c in columns))
        if not options.most or columns[0][1] / columns[0][0] <= options.most:
            return 0
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
