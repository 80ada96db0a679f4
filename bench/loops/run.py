#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Thirty dense loop nests: the gradient's time over the primal's.

    bench/loops/run.py BUILD [NAME...]
    bench/loops/run.py BUILD --orders [NAME...]
    bench/loops/run.py BUILD --primal [--threads] [NAME...]
    bench/loops/run.py BUILD --primal [--threads] --make FOLDER
    bench/loops/run.py FOLDER --primal --made [NAME...]

"by hand": the gradient of hand.c over the primal; "ours/by hand": ours over it. "one derivative": without a derivative of its own for arguments that do not overlap
(docs/DisjointArguments.md). Smallest of seven runs each, in one process, in time of the processor.

--orders: what -rg-loops changes (docs/Loops.md), of primals and of gradients: the time without over the time with it.

--primal: the nests themselves, at sizes beyond the caches, by clang, by Polly of the same LLVM (in front of LLVM's scalar optimisations, where it finds most), and by -rg-loops, all in one process. A number is how many times as fast as clang. Every way has to leave
the bits that clang's code leaves.

--threads: the same with -rg-loops=parallel and with Polly's parallel loops, both by libomp, in time of the clock; clang's code runs on one core. OMP_NUM_THREADS says how many threads.

--make, --made: compile on one machine and measure on another, which needs neither a compiler nor a build: FOLDER holds the program and libomp. RG_MARCH is the processor to compile for
(native).
"""

import math
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def measure(build, names, flags):
    """Rows [name, size, primal ms, gradient ms, ratio, by hand / primal, ratio / by hand] of one compilation."""
    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, "nests")
        subprocess.run([os.path.join(build, "bin", "rg-clang"), "-O3", "-march=native", *flags,
                        os.path.join(HERE, "nests.c"), os.path.join(HERE, "hand.c"), "-lm", "-o", program], check=True)
        lines = subprocess.run([program, *names], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    rows = [line.replace(" ms", "").split() for line in lines if " ms " in line]
    return [row + [""] * (7 - len(row)) for row in rows]


def mean(ratios):
    return math.exp(sum(math.log(float(r)) for r in ratios) / len(ratios))


def orders(build, names):
    plain = measure(build, names, [])
    with_loops = measure(build, names, ["-mllvm", "-rg-loops"])
    print("| nest | n | primal ms | -rg-loops | faster | gradient ms | -rg-loops | faster |")
    print("|---|---|---|---|---|---|---|---|")
    primals, gradients = [], []
    for a, b in zip(plain, with_loops):
        primals.append(float(a[2]) / float(b[2]))
        gradients.append(float(a[3]) / float(b[3]))
        print(f"| {a[0]} | {a[1]} | {a[2]} | {b[2]} | {primals[-1]:.2f} | {a[3]} | {b[3]} | {gradients[-1]:.2f} |")
    print(f"| geometric mean | | | | {mean(primals):.2f} | | | {mean(gradients):.2f} |")


EARLY_POLLY = ["-mllvm", "-polly", "-mllvm", "-polly-position=early"]
WAYS = {"plain": [], "polly": EARLY_POLLY, "ours": ["-mllvm", "-rg-loops"]}
THREAD_WAYS = {"plain": [], "polly": [*EARLY_POLLY, "-mllvm", "-polly-parallel", "-mllvm", "-polly-omp-backend=LLVM"], "ours": ["-mllvm", "-rg-loops=parallel"]}


def make(build, folder, threads):
    """Writes the program FOLDER/primal, and beside it the names of the ways that are in it."""
    clang = os.environ.get("RG_CLANG", "/usr/lib/llvm-22/bin/clang")
    flags = ["-O3", "-march=" + os.environ.get("RG_MARCH", "native"), "-w"]
    link = []
    if threads:
        flags.append("-DWALL_CLOCK")
        library = subprocess.run([clang, "-print-file-name=libomp.so"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        shutil.copy(os.path.realpath(library), os.path.join(folder, "libomp.so.5"))
        link = ["-fopenmp", "-Wl,-rpath,$ORIGIN"]
    source = os.path.join(HERE, "primal.c")
    objects = {}
    for way, more in (THREAD_WAYS if threads else WAYS).items():
        compiler = os.path.join(build, "bin", "rg-clang") if way == "ours" else clang
        objects[way] = os.path.join(folder, way + ".o")
        done = subprocess.run([compiler, *flags, *more, f"-DWAY={way}", "-c", source, "-o", objects[way]], stderr=subprocess.PIPE, text=True)
        if done.returncode and way == "polly":
            del objects[way]  # an LLVM without it
        elif done.returncode:
            sys.exit(done.stderr)
    subprocess.run([clang, *flags, "-DWAYS=" + " ".join(f"X({way})" for way in objects), source, *objects.values(), "-lm", *link,
                    "-o", os.path.join(folder, "primal")], check=True)
    with open(os.path.join(folder, "ways"), "w") as file:
        file.write(" ".join(objects))


def measure_primals(folder, names):
    with open(os.path.join(folder, "ways")) as file:
        ways = file.read().split()
    done = subprocess.run([os.path.join(folder, "primal"), *names], stdout=subprocess.PIPE, text=True)
    print("| nest | n | clang ms | Polly ms | -rg-loops ms | Polly | -rg-loops |")
    print("|---|---|---|---|---|---|---|")
    times = {way: [] for way in ways}
    for name, size, *row in map(str.split, done.stdout.splitlines()):
        of = dict(zip(ways, row))
        for way in ways:
            times[way].append(float(of[way].split("!")[0]))
        ratios = {way: f"{times['plain'][-1] / times[way][-1]:.2f}" for way in ways}
        print(f"| {name} | {size} | {of['plain']} | {of.get('polly', 'not available')} | {of['ours']} | {ratios.get('polly', '')} | {ratios['ours']} |".replace("!", " "))
    means = {way: f"{mean([a / b for a, b in zip(times['plain'], times[way])]):.2f}" for way in ways}
    print(f"| geometric mean | | | | | {means.get('polly', '')} | {means['ours']} |")
    return done.returncode


def primal(build, names):
    threads, made = "--threads" in names, "--made" in names
    names = [name for name in names if name not in ("--threads", "--made")]
    if made:
        return measure_primals(build, names)
    if names[:1] == ["--make"]:
        os.makedirs(names[1], exist_ok=True)
        return make(build, names[1], threads)
    with tempfile.TemporaryDirectory() as work:
        make(build, work, threads)
        return measure_primals(work, names)


def main(build, *names):
    for word, what in (("--orders", orders), ("--primal", primal)):
        if word in names:
            return what(build, [name for name in names if name != word])
    disjoint = measure(build, names, [])
    general = measure(build, names, ["-mllvm", "-rg-disable=disjoint-arguments"])
    print("| nest | n | primal ms | gradient ms | gradient/primal | by hand | ours/by hand | one derivative |")
    print("|---|---|---|---|---|---|---|---|")
    for a, b in zip(disjoint, general):
        print("| " + " | ".join([*a, b[4]]) + " |")
    means = [mean([row[k] for row in rows if row[k]] or [1]) for rows, k in
             ((disjoint, 4), (disjoint, 5), (disjoint, 6), (general, 4))]
    print("| geometric mean | | | | " + " | ".join(f"{m:.2f}" for m in means) + " |")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
