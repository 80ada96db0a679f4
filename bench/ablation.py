#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""What each optimisation is worth on each program.

  bench/ablation.py BUILD [--programs "Gmm Ode"] [--min-time SECONDS] [--minutes N]

Builds the derivatives once with everything on and once with each switch off, and prints
time without the optimisation / time with it: 1.30 means that the program is 30 % slower
without. Each run measures its own primal, and ratios to that are what is compared. The
programs' derivatives are checked in every run. A program whose object file is the same
to the bit is not run again ("="). No switch is begun after --minutes; the table says
"-" for those that were left out.
"""

import argparse
import filecmp
import glob
import json
import os
import subprocess
import sys
import time

# Names of steps and decisions (docs/Steps.md).
NAMES = [
    "defer-loops", "chosen-iterations", "peel-first", "args-again", "non-null",
    "reorder-sums", "strip-additions", "outer-counts", "nest-arrays", "tape-arrays",
    "recompute-phis", "skip-idle-loops", "pack-lanes", "contract", "alias-scopes",
    "inline-arena", "disjoint-arguments", "access-order", "vector-columns", "late-frames",
    "scalar-chains", "short-loops", "late-zeros", "spare-clears", "zero-tangents", "peel-last",
    "snapshots", "join-loops",
]
SWITCHES = [("min-cut", "-rg-plan=naive")] + [(name, f"-rg-disable={name}") for name in NAMES]


# Names of rows, by program.
ROWS = {"Gmm": "GMM", "Ba": "BA (Jacobian|cost)", "Hand": "HAND Jacobian", "Lstm": "LSTM",
        "Lorenz": "Odeint (euler|rk4)/Lorenz", "LotkaVolterra": "Odeint (euler|rk4)/Lotka-Volterra",
        "Fft": "FFT", "Brusselator": "Brusselator", "Lse": "LSE", "Llsq": "LLSQ", "Det": "DET",
        "KMeans": "KMEANS", "Ode": "ODE"}


def build(here, base, out, flag, programs):
    os.makedirs(os.path.join(out, "Hand"), exist_ok=True)
    # What the switches do not concern is there once.
    main = os.path.join(base, "bench")
    for made in glob.glob(main + "/*.o") + glob.glob(main + "/Hand/*.o"):
        target = os.path.join(out, os.path.relpath(made, main))
        if not made.endswith("Gradient.o") and not os.path.exists(target):
            os.link(made, target)
    make = ["make", "-s", "-k", "-j2", "-f", os.path.join(here, "Makefile"), f"BUILD={base}", f"OUT={out}",
            f"GRADIENTFLAGS=-mllvm {flag}" if flag else "GRADIENTFLAGS=", f"PROGRAMS={' '.join(programs)}"]
    subprocess.run(make + ["objects"], stdout=subprocess.DEVNULL, check=False)
    subprocess.run(make + ["link"], stdout=subprocess.DEVNULL, check=True)


def measure(out, min_time, programs):
    result = os.path.join(out, "times.json")
    rows = "|".join(ROWS[program] for program in programs)
    done = subprocess.run([os.path.join(out, "bench"), f"--benchmark_filter=^({rows})/.*(primal|gradient)",
                           f"--benchmark_min_time={min_time}",
                           f"--benchmark_out={result}", "--benchmark_out_format=json"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if done.returncode:
        sys.exit(f"ablation: derivatives disagree in {out}:\n{done.stdout[-2000:]}")
    best = {}
    for row in json.load(open(result))["benchmarks"]:
        if row.get("run_type") == "iteration":
            program, size, what = row["name"].split("/")[:3]
            key = (program, size, what)
            best[key] = min(best.get(key, float("inf")), row["cpu_time"])
    return {key[:2]: best[key] / best[key[:2] + ("primal",)] for key in best if key[2] == "gradient"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--programs", default="")
    parser.add_argument("--min-time", default="0.1")
    parser.add_argument("--minutes", type=float, default=45)
    arguments = parser.parse_args()
    here, base = os.path.dirname(os.path.abspath(__file__)), os.path.abspath(arguments.build)
    programs = arguments.programs.split() or list(ROWS)
    start = time.monotonic()
    columns, reference = {}, os.path.join(base, "ablation", "all-on")
    for name, flag in [("all on", "")] + SWITCHES:
        if columns and time.monotonic() - start > 60 * arguments.minutes:
            columns[name] = None
            continue
        out = os.path.join(base, "ablation", name.replace(" ", "-"))
        print(f"  {name}", file=sys.stderr, flush=True)
        build(here, base, out, flag, programs)
        changed = [p for p in programs if not flag or not filecmp.cmp(
            os.path.join(out, p + "Gradient.o"), os.path.join(reference, p + "Gradient.o"), shallow=False)]
        columns[name] = measure(out, arguments.min_time, changed) if changed else {}
    # What everything is compared with is measured before and after: the lesser counts.
    full = columns.pop("all on")
    for key, ratio in measure(reference, arguments.min_time, programs).items():
        full[key] = min(full[key], ratio)
    print("| program | size | gradient/primal | " + " | ".join(columns) + " |")
    print("|---|---|---|" + "---|" * len(columns))
    for key, ratio in full.items():
        cells = ["-" if column is None else f"{column[key] / ratio:.2f}" if key in column else "="
                 for column in columns.values()]
        print(f"| {key[0]} | {key[1]} | {ratio:.2f} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
