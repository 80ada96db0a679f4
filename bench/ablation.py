#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""What each optimisation is worth on each program.

  bench/ablation.py BUILD [--programs "Gmm Ode"] [--min-time SECONDS]

Builds the derivatives once with everything on and once with each switch off, runs
all of them, and prints time without the optimisation / time with it: 1.30 means that
the program is 30 % slower without. Each run measures its own primal, and ratios to that
are what is compared. The programs' derivatives are checked in every run.
"""

import argparse
import glob
import json
import os
import subprocess
import sys

SWITCHES = [
    ("min-cut", "-rg-plan=naive"),
    ("outer-counts", "-rg-outer-counts=false"),
    ("nest-arrays", "-rg-nest-arrays=false"),
    ("tape-arrays", "-rg-tape-arrays=false"),
    ("recompute-phis", "-rg-recompute-phis=false"),
    ("skip-idle-loops", "-rg-skip-idle-loops=false"),
    ("pack-lanes", "-rg-pack-lanes=false"),
    ("contract", "-rg-contract=false"),
    ("alias-scopes", "-rg-alias-scopes=false"),
    ("inline-arena", "-rg-inline-arena=false"),
]


def build(here, base, out, flag, programs):
    os.makedirs(os.path.join(out, "Hand"), exist_ok=True)
    # What the switches do not concern is there once.
    main = os.path.join(base, "bench")
    for made in glob.glob(main + "/*.o") + glob.glob(main + "/Hand/*.o"):
        target = os.path.join(out, os.path.relpath(made, main))
        if not made.endswith("Gradient.o") and not os.path.exists(target):
            os.link(made, target)
    make = ["make", "-s", "-k", "-j2", "-f", os.path.join(here, "Makefile"), f"BUILD={base}", f"OUT={out}",
            f"GRADIENTFLAGS=-mllvm {flag}" if flag else "GRADIENTFLAGS="]
    if programs:
        make.append(f"PROGRAMS={programs}")
    subprocess.run(make + ["objects"], stdout=subprocess.DEVNULL, check=False)
    subprocess.run(make + ["link"], stdout=subprocess.DEVNULL, check=True)


def measure(out, min_time):
    result = os.path.join(out, "times.json")
    done = subprocess.run([os.path.join(out, "bench"), "--benchmark_filter=/(primal|gradient)",
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
    parser.add_argument("--min-time", default="0.2")
    arguments = parser.parse_args()
    here, base = os.path.dirname(os.path.abspath(__file__)), os.path.abspath(arguments.build)
    columns = {}
    for name, flag in [("all on", "")] + SWITCHES:
        out = os.path.join(base, "ablation", name.replace(" ", "-"))
        print(f"  {name}", file=sys.stderr, flush=True)
        build(here, base, out, flag, arguments.programs)
        columns[name] = measure(out, arguments.min_time)
    full = columns.pop("all on")
    print("| program | size | gradient/primal | " + " | ".join(columns) + " |")
    print("|---|---|---|" + "---|" * len(columns))
    for key, ratio in full.items():
        print(f"| {key[0]} | {key[1]} | {ratio:.2f} | "
              + " | ".join(f"{column[key] / ratio:.2f}" for column in columns.values()) + " |")


if __name__ == "__main__":
    main()
