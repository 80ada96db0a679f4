#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long the compiler takes for the gradients of bench/gpu's kernels.

    bench/gpu/compile-time.py [build folder] [programs ...]

Compiles the device side of each program three times: as it would be without
derivatives (their calls renamed, so that they are calls of unknown functions),
with the gradients alone, and with gradients and tangents. Prints seconds of processor time,
to PTX at -O3 and, where ptxas is installed (CUDA, default /usr/local/cuda), on to machine code,
and the ratios. Most of the time goes into CUDA's headers. The least of three runs each.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = {"Lbm": ["-ffast-math"], "RsBench": ["-maxrregcount=128"], "Lulesh": ["-maxrregcount=80"]}
REVERSE = ["__enzyme_autodiff", "__enzyme_augmentfwd", "__enzyme_reverse"]
FORWARD = ["__enzyme_fwddiff"]


def seconds(command):
    """Processor time of the least of three runs; ends the program if it fails."""
    least = None
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"compile-time: {' '.join(command)}\n{done.stderr}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        least = took if least is None else min(least, took)
    return least


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..", "build")
    programs = sys.argv[2:] or ["XsBench", "RsBench", "Lbm", "Lulesh", "Dg"]
    cuda = os.environ.get("CUDA", "/usr/local/cuda")
    ptxas = shutil.which("ptxas") or shutil.which("ptxas", path=os.path.join(cuda, "bin"))
    if not os.path.exists(os.path.join(cuda, "include")):
        sys.exit("compile-time: needs CUDA's headers; set CUDA to where it is installed")
    print("| program | primal s | gradient s | both modes s | gradient/primal | both/primal |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        ptx = os.path.join(folder, "out.ptx")
        for program in programs:
            flags = FLAGS.get(program, [])
            times = []
            for unknown in (REVERSE + FORWARD, FORWARD, []):
                command = [os.path.join(build, "bin", "rg-clang++"), "-x", "cuda", f"--cuda-path={cuda}",
                           "--cuda-gpu-arch=sm_90", "--cuda-device-only", "-O3", "-std=c++17", "-w", "-S",
                           os.path.join(HERE, program + ".cu"), "-o", ptx]
                command += [f for f in flags if f.startswith("-f")] + [f"-D{name}=unknown_{name}" for name in unknown]
                took = seconds(command)
                if ptxas:
                    # Calls of unknown functions are for a linker.
                    took += seconds([ptxas, "-c", "-arch=sm_90", "-O3", ptx, "-o", os.path.join(folder, "out.o")]
                                    + [f for f in flags if f.startswith("-max")])
                times.append(took)
            primal, gradient, both = times
            print(f"| {program} | {primal:.2f} | {gradient:.2f} | {both:.2f} | **{gradient / primal:.2f}** | {both / primal:.2f} |",
                  flush=True)
    if not ptxas:
        print("compile-time: no ptxas, so these are times to PTX")


if __name__ == "__main__":
    main()
