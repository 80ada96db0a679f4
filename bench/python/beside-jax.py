#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Value and gradient by JAX and by Retrograd, of the same functions, on one core.

    RETROGRAD=build/bin/retrograd PYTHONPATH=python taskset -c 0 python3 bench/python/beside-jax.py

Each function is written twice, as one would in either language: in C++ with loops (the programs of
demo/ and bench/, and a network), in JAX with operations on whole arrays, lax.scan for the steps of
a simulation, and jax.jit around jax.value_and_grad. Numbers are of 64 bits. Both are called from
Python, by turns; a time is the least processor time of all calls. Both gradients are compared first:
they agree to rounding, of which the largest element of LSE has more than the others, since its gradient
in C++ is one less a sum of a million numbers.
Columns: value and gradient by either tool, and JAX's value, each divided by the value in C++.
"""
import argparse
import os
import sys
import time

# One thread for XLA, as for the C++ code.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import gammaln, logsumexp

import retrograd as rg

jax.config.update("jax_enable_x64", True)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLAGS = ["-O3", "-march=native", "-fno-math-errno", "-std=c++20", f"-I{ROOT}/demo/programs", f"-I{ROOT}/bench/programs"]

SOURCES = {
    "gmm": """
#include "Gmm.h"
double gmm(const double *p, int parameters, const double *x, int numbers, int d, int k) {
  return programs::gmmObjective<double>(d, k, numbers / d, p, p + k, p + k + k * d, x, 1.3, 2);
}""",
    "lse": """
#include "Lse.h"
double lse(const double *x, int n) { return programs::lseObjective<double>(n, x); }""",
    "ode": """
#include "Ode.h"
double ode(const double *x, int n, int steps) { return programs::odeObjective<double>(n, steps, x); }""",
    # Two hidden layers of tanh; half the mean square of the distance from the wanted outputs.
    "network": """
#include <cmath>
#include <vector>
static void layer(const double *w, const double *bias, const double *in, double *out, int from, int to, bool last) {
  for (int j = 0; j < to; ++j)
    out[j] = bias[j];
  for (int i = 0; i < from; ++i)
    for (int j = 0; j < to; ++j)
      out[j] += in[i] * w[i * to + j];
  if (!last)
    for (int j = 0; j < to; ++j)
      out[j] = std::tanh(out[j]);
}
double network(const double *p, int parameters, const double *x, int numbers, const double *y, int wanted, int in, int hidden, int out) {
  std::vector<double> a(hidden), b(hidden), c(out);
  const double *w1 = p, *b1 = w1 + in * hidden, *w2 = b1 + hidden, *b2 = w2 + hidden * hidden, *w3 = b2 + hidden,
               *b3 = w3 + hidden * out;
  double sum = 0;
  for (int e = 0; e < numbers / in; ++e) {
    layer(w1, b1, x + e * in, a.data(), in, hidden, false);
    layer(w2, b2, a.data(), b.data(), hidden, hidden, false);
    layer(w3, b3, b.data(), c.data(), hidden, out, true);
    for (int j = 0; j < out; ++j)
      sum += 0.5 * (c[j] - y[e * out + j]) * (c[j] - y[e * out + j]);
  }
  return sum / (numbers / in);
}""",
}


def gmm(p, x, d, k):
    n, size = x.shape[0], d * (d + 1) // 2
    alphas, means, icf = p[:k], p[k:k + k * d].reshape(k, d), p[k + k * d:].reshape(k, size)
    logs, lower = icf[:, :d], icf[:, d:]
    columns, rows = np.triu_indices(d, 1)  # the strictly lower part, column by column
    factor = jnp.zeros((k, d, d)).at[:, rows, columns].set(lower) + jax.vmap(jnp.diag)(jnp.exp(logs))
    projected = jnp.einsum("kij,nkj->nki", factor, x[:, None, :] - means[None])
    terms = alphas + logs.sum(1) - 0.5 * (projected ** 2).sum(2)
    gamma, m = 1.3, 2
    wishart = (0.5 * gamma ** 2 * ((jnp.exp(logs) ** 2).sum(1) + (lower ** 2).sum(1)) - m * logs.sum(1)).sum()
    freedom = d + m + 1
    log_gamma = d * (d - 1) / 4 * np.log(np.pi) + gammaln(0.5 * freedom + 0.5 * (1 - np.arange(1, d + 1))).sum()
    normaliser = freedom * d * (np.log(gamma) - 0.5 * np.log(2)) - log_gamma
    return -0.5 * n * d * np.log(2 * np.pi) + logsumexp(terms, 1).sum() - n * logsumexp(alphas) + wishart - k * normaliser


def ode(x, steps):
    h = 2.0 / steps

    def rate(y):
        return x * jnp.concatenate([jnp.ones(1), y[:-1]])

    def step(y, _):
        k1 = rate(y)
        k2 = rate(y + 0.5 * h * k1)
        k3 = rate(y + 0.5 * h * k2)
        k4 = rate(y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    return jax.lax.scan(step, jnp.zeros_like(x), None, length=steps)[0][-1]


def network(p, x, y, hidden):
    def take(shape):
        nonlocal p
        size = int(np.prod(shape))
        part, p = p[:size].reshape(shape), p[size:]
        return part

    for to in (hidden, hidden):
        w, bias = take((x.shape[1], to)), take((to,))
        x = jnp.tanh(x @ w + bias)
    w, bias = take((hidden, y.shape[1])), take((y.shape[1],))
    return 0.5 * ((x @ w + bias - y) ** 2).sum() / x.shape[0]


def cases():
    """Program, size, Retrograd's function and arguments, JAX's function of the first one alone."""
    random = np.random.default_rng(1)
    native = {name: rg.compile(source, name, language="c++", flags=FLAGS,
                               constants={"gmm": ["x"], "network": ["x", "y"]}.get(name, []))
              for name, source in SOURCES.items()}
    for d, k, n in ((2, 5, 1000), (10, 25, 1000), (20, 50, 200)):
        count = k + k * d + k * d * (d + 1) // 2
        p, x = random.uniform(-0.5, 0.5, count), random.uniform(-1, 1, (n, d))
        yield ("GMM", f"d{d} K{k} n{n}", native["gmm"], (p, count, x.ravel(), x.size, d, k),
               lambda p, x=x, d=d, k=k: gmm(p, x, d, k))
    x = random.uniform(-1, 1, 1000000)
    yield "LSE", "n1000000", native["lse"], (x, x.size), logsumexp
    x = random.uniform(0.5, 1.5, 10)
    yield "ODE", "n10 s100000", native["ode"], (x, 10, 100000), lambda x: ode(x, 100000)
    for inputs, hidden, outputs, examples in ((4, 16, 2, 32), (64, 256, 10, 64)):
        count = inputs * hidden + hidden * hidden + hidden * outputs + 2 * hidden + outputs
        p, x, y = random.normal(0, 0.1, count), random.normal(size=(examples, inputs)), random.normal(size=(examples, outputs))
        yield ("network", f"{inputs}-{hidden}-{hidden}-{outputs} n{examples}", native["network"],
               (p, count, x.ravel(), x.size, y.ravel(), y.size, inputs, hidden, outputs),
               lambda p, x=x, y=y, hidden=hidden: network(p, x, y, hidden))


def least(calls, seconds):
    """By name: the least time of a call, each called in turn for about that long."""
    found = {name: [] for name in calls}
    end = time.perf_counter() + seconds * len(calls)
    while time.perf_counter() < end or min(map(len, found.values())) < 5:
        for name, call in calls.items():
            start = time.process_time()
            call()
            found[name].append(time.process_time() - start)
    return {name: min(times) for name, times in found.items()}


def shown(seconds):
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2, help="for each of the four calls of a program")
    options = parser.parse_args()
    print("| program | size | inputs | value in C++ | Retrograd | JAX | JAX, value alone |")
    print("|---|---|---|---|---|---|---|")
    worst = 0
    for program, size, f, arguments, function in cases():
        alone, both, given = jax.jit(function), jax.jit(jax.value_and_grad(function)), jax.device_put(arguments[0])
        ours, theirs = f.value_and_gradient(*arguments), both(given)
        gradient = ours[1][0] if isinstance(ours[1], tuple) else ours[1]
        difference = max(abs(float(theirs[0]) - ours[0]) / abs(ours[0]),
                         np.abs(np.asarray(theirs[1]) - gradient).max() / np.abs(gradient).max())
        if not difference < 1e-7:
            sys.exit(f"{program} {size}: the gradients differ by {difference:.2g}")
        worst = max(worst, difference)
        times = least({"jax": lambda: alone(given).block_until_ready(), "jax both": lambda: jax.block_until_ready(both(given)),
                       "ours": lambda: f.value(*arguments), "ours both": lambda: f.value_and_gradient(*arguments)}, options.seconds)
        value = times.pop("ours")
        print(f"| {program} | {size} | {arguments[0].size} | {shown(value)} | " +
              " | ".join(f"{times[name] / value:.2f}" for name in ("ours both", "jax both", "jax")) + " |", flush=True)
    print(f"\nJAX {jax.__version__}; largest relative difference of the gradients: {worst:.1g}")


if __name__ == "__main__":
    main()
