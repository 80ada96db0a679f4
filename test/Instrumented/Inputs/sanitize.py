# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""sanitize.py BUILD FLAGS SOURCE...: self-checking programs of test/Execute, compiled with
instrumentation under both plans, run cleanly. `valgrind` as a flag runs them under Valgrind instead.

A program whose primal itself is at fault would fail without derivatives as well: such ones are not in
the lists."""

import os
import subprocess
import sys
import tempfile

build, flags, sources = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
tests = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
run = []
if "valgrind" in flags:
    flags.remove("valgrind")
    run = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full",
           "--errors-for-leak-kinds=definite"]
bad = 0
with tempfile.TemporaryDirectory() as folder:
    # The instrumentation works at all: what is planted is found.
    faults = os.path.join(tests, "Instrumented", "Inputs", "faults.c")
    for plant in os.environ["PLANTS"].split():
        program = os.path.join(folder, "planted")
        subprocess.run([os.path.join(build, "bin", "rg-clang"), "-g", "-w", f"-DPLANT_{plant}",
                        *flags, faults, "-lm", "-o", program], check=True)
        done = subprocess.run([*run, program], capture_output=True, text=True, errors="replace")
        if (done.returncode == 0) != (plant == "NOTHING"):
            bad += 1
            print(f"planted {plant}: exit code {done.returncode}\n{done.stderr[:2000]}")
    for source in sources:
        path = os.path.join(tests, "Execute", source)
        driver = "rg-clang++" if source.endswith(".cpp") else "rg-clang"
        for plan in ("naive", "mincut"):
            program = os.path.join(folder, "program")
            commands = [[os.path.join(build, "bin", driver), "-g", "-w",
                         "-I" + os.path.join(tests, "include"), "-mllvm", f"-rg-plan={plan}",
                         *flags, path, "-lm", "-o", program], [*run, program]]
            for command in commands:
                done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                      timeout=300)
                if done.returncode or "runtime error" in done.stderr:
                    bad += 1
                    print(f"{source}, {plan} plan: {' '.join(command)}\n"
                          f"exit code {done.returncode}\n{done.stdout[-1000:]}"
                          f"{done.stderr[:4000]}")
                    break
print(f"{len(sources)} programs, {bad} at fault")
sys.exit(1 if bad or not sources else 0)
