#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""The gradient of a C++ function of 10^5 inputs by JAX, against the same derivative called natively.

    python3 bench/python/jax-gradient.py [--inputs N] [--most RATIO]

The native call has its memory ready and clears its gradient. The smallest of 40 runs each, by turns.
"""
import argparse
import ctypes
import time

import jax
import numpy as np

import retrograd as rg

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
    parser.add_argument("--most", type=float, help="fail if the ratio is larger")
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
    times = {"native": [], "JAX": [], "NumPy": []}
    for _ in range(40):
        for name, run in (("native", native), ("JAX", lambda: gradient(given).block_until_ready()),
                          ("NumPy", lambda: f.gradient(x, n))):
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    best = {name: min(all) for name, all in times.items()}
    for name, t in best.items():
        print(f"{name:8} {t * 1e6:9.1f} microseconds   {t / best['native']:.3f}")
    return options.most is not None and best["JAX"] / best["native"] > options.most


if __name__ == "__main__":
    raise SystemExit(main())
