#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""What each step is worth on each kernel of a GPU.

  bench/gpu/ablation.py build BUILD [--programs "Layers Splat"] [--switches "loads-first ..."]
  bench/gpu/ablation.py measure FOLDER [--reps N]

The first builds the programs once with everything on and once with each switch off, where
the device code differs, into BUILD/bench/gpu-ablation. It needs no GPU. The second needs
nothing but that folder (build on one machine, run on another): it prints the gradient's
time without the step / its time with it, so 1.30 means 30 % slower without. "=": the device
code is the same. What all are compared with is measured before and after: the lesser counts.
"-": nothing is begun after --seconds. "no tape": the kernel has no memory for what it keeps
and stops; "failed": it stops with another error. The rows behind it in the same program say
the same, since the program ends there.
Derivatives are not checked here; bench/gpu/run.sh does. `names` prints the switches.
"""

import argparse
import os
import subprocess
import sys
import time

# Names of steps and decisions (docs/Steps.md) that concern kernels. Not gpu-exchange, without which
# kernels may be wrong.
NAMES = [
    "gpu-recompute", "gpu-keep", "defer-nests", "pair-sines", "gpu-red", "leave-sums",
    "gpu-vector-red", "parameters-in-place", "loads-first", "gpu-select", "ask-again",
    "frame-arrays", "gpu-replay", "gpu-replay-shared", "gpu-again", "waits-that-end",
    "count-strides", "several-at-once", "unroll-recurrences", "segment-recurrences", "gpu-counts", "gpu-plain",
    "gpu-zeros", "gpu-phases", "gpu-merge", "gpu-sums-at-end", "block-sums", "gather-tiles",
    "warp-products", "group-additions", "merge-places", "invariant-shifts", "last-extremum", "neighbour-lanes",
    "join-additions", "loops-in-step", "step-sums", "gather-neighbours", "merge-in-line", "gather-loops", "additions-on-ways", "spell-struct-moves",
    "swap-blocks", "zero-ways", "one-addition", "block-copies", "blocks-in-turn", "skipped-sums",
    "stack-tape", "launch-tape",
]
PROGRAMS = "XsBench RsBench Lbm Lulesh Dg Matmul Attention Splat Layers Gather Particles"
ALL_ON = "all-on"


def build(options):
    here, base = os.path.dirname(os.path.abspath(__file__)), os.path.abspath(options.folder)
    top = os.path.join(base, "bench", "gpu-ablation")

    def make(out, program, name, what):
        flag = f"-mllvm -rg-disable={name}" if name else ""
        command = ["make", "-s", "-f", os.path.join(here, "Makefile"), f"BUILD={base}", f"OUT={out}",
                   f"GPUFLAGS=-O3 {flag}", os.path.join(out, program + what)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return None if done.returncode else os.path.join(out, program + what)

    for program in options.programs.split():
        reference = make(os.path.join(top, ALL_ON), program, "", ".ptx")
        if not reference or not make(os.path.join(top, ALL_ON), program, "", ""):
            sys.exit(f"ablation: {program} cannot be built")
        with open(reference) as file:
            full = file.read()
        for name in options.switches.split() or NAMES:
            out = os.path.join(top, name)
            code = make(out, program, name, ".ptx")
            if not code:
                print(f"{program} without {name}: refused", file=sys.stderr)
                continue
            with open(code) as file:
                same = file.read() == full
            os.remove(code)
            binary = os.path.join(out, program)
            if same:
                if os.path.exists(binary):
                    os.remove(binary)
            else:
                make(out, program, name, "")
            print(f"{program} without {name}: {'the same' if same else 'differs'}", file=sys.stderr, flush=True)


class Times(dict):
    """The gradients' times by (program, size), and a word for those that the program did not come to."""

    word = "failed"


def times(program, reps):
    found = Times()
    try:
        done = subprocess.run([program, "--large", "--time-only", f"--reps={reps}"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=200)
    except subprocess.TimeoutExpired:
        print(f"{program}: no end in 200 s", file=sys.stderr)
        return found
    if done.returncode:
        # What kernels print comes by the other stream, and there is the cause: to the host any
        # kernel that stops itself is an unspecified launch failure.
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("retrograd:")]
        print(f"{program}: {done.stderr[-500:].strip()}", *said[:1], sep="\n", file=sys.stderr)
        if any("no memory for the tape" in line or "has no room" in line for line in said):
            found.word = "no tape"
    for line in done.stdout.splitlines():
        if line.startswith("BENCH"):
            cells = line.split("\t")
            found[cells[1], cells[2]] = float(cells[5])
    return found


def measure(options):
    start = time.monotonic()
    top = options.folder
    programs = sorted(os.listdir(os.path.join(top, ALL_ON)))
    programs = [program for program in programs if "." not in program]
    full = {}

    def reference():
        for program in programs:
            for key, least in times(os.path.join(top, ALL_ON, program), options.reps).items():
                full[key] = min(full.get(key, (least, program))[0], least), program

    reference()
    columns = {}
    # The program that takes longest last, for what --seconds leaves out.
    for program in sorted(programs, key=lambda program: program == "Layers"):
        for name in NAMES:
            path = os.path.join(top, name, program)
            if not os.path.exists(path):
                continue
            late = time.monotonic() - start > options.seconds
            columns.setdefault(name, {})[program] = "-" if late else times(path, options.reps)
    reference()

    def cell(column, key, least, program):
        if program not in column:
            return "="
        without = column[program]
        if without == "-":
            return without
        return f"{without[key] / least:.2f}" if key in without else without.word

    # A row for each step, since there are more steps than kernels.
    print("| without | " + " | ".join(key[0] for key in full) + " |")
    print("|---|" + "---|" * len(full))
    print("| nothing: ms | " + " | ".join(f"{least:.4f}" for least, _ in full.values()) + " |")
    for name in [name for name in NAMES if name in columns]:
        column = columns[name]
        print(f"| `{name}` | " + " | ".join(cell(column, key, *full[key]) for key in full) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("action", choices=["build", "measure", "names"])
    parser.add_argument("folder", nargs="?", default="")
    parser.add_argument("--programs", default=PROGRAMS)
    parser.add_argument("--switches", default="")
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1800)
    options = parser.parse_args()
    if options.action == "names":
        print(",".join(NAMES))
        return
    if not os.path.isdir(options.folder):
        sys.exit(f"ablation: no folder '{options.folder}'")
    (build if options.action == "build" else measure)(options)


if __name__ == "__main__":
    main()
