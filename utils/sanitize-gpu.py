#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Runs the CUDA tests on a GPU under compute-sanitizer and prints a table.

    utils/sanitize-gpu.py all [TEST...]          # builds and runs, on one machine
    utils/sanitize-gpu.py build FOLDER [TEST...] # programs for a GPU, into FOLDER; needs the CUDA toolkit's ptxas
    utils/sanitize-gpu.py run FOLDER             # runs what lies there; needs Python, a GPU and compute-sanitizer

The machine that runs needs neither this compiler nor this repository, but this file.
Exit code 0: all programs are right, and no tool complains.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOOLS = ["memcheck", "racecheck", "synccheck", "initcheck"]
# Programs of the processor's own route: its sizes, its headers, its threads.
NOT_FOR_A_GPU = re.compile(r"-rg-offload-|-fopenmp|-march=|-fsanitize")
SUMMARY = {
    "racecheck": re.compile(r"RACECHECK SUMMARY: \d+ hazards? displayed \((\d+) errors?, (\d+) warnings?\)"),
    None: re.compile(r"ERROR SUMMARY: (\d+) errors?"),
}
HAZARD = re.compile(r"Race reported between (\w+) access at (\S+?)\+0x\w+(?: in (\S+))?\s*\n=+\s+and (\w+) access at "
                    r"(\S+?)\+0x\w+(?: in (\S+))?")


def build(folder, options):
    import cuda_programs
    os.makedirs(folder, exist_ok=True)
    compiler = os.path.join(os.path.abspath(options.build), "bin", "rg-clang++")
    cuda = options.cuda
    failed = []

    def one(program):
        binary = os.path.join(folder, program.name.replace("/", "."))
        flags = [f for f in program.flags if f != "-rg-verify-each"]
        flags = [f for k, f in enumerate(flags) if not (f == "-mllvm" and (k + 1 == len(flags) or
                                                                           not flags[k + 1].startswith("-rg-")))]
        command = [compiler, *flags, "-gline-tables-only", "--cuda-noopt-device-debug", f"--offload-arch={options.arch}",
                   f"--cuda-path={cuda}", program.path, "-o", binary, f"-L{cuda}/lib64", "-lcudart_static", "-ldl", "-lrt", "-lpthread", "-lm"]
        code, said = cuda_programs.run(command)
        return program, code, said

    folders = cuda_programs.FOLDERS + cuda_programs.HOST_FOLDERS
    chosen = [p for p in cuda_programs.programs(options.names, folders) if not NOT_FOR_A_GPU.search(" ".join(p.flags))]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for program, code, said in pool.map(one, chosen):
            print(f"{'built' if code == 0 else 'NOT BUILT'} {program.name}" + (f"\n{said[-1500:]}" if code else ""),
                  flush=True)
            failed += [program.name] if code else []
    return len(failed)


def sanitize(binary, tool, options):
    """(program's name, tool, what the table says, whether that is fine, the log)."""
    name = os.path.basename(binary)
    command = [binary] if not tool else [options.sanitizer, "--tool", tool, "--error-exitcode", "99", binary]
    # That a variable is not in a module is no fault of the program that asks (runtime/launch.c).
    if tool == "memcheck":
        command[1:1] = ["--report-api-errors", "no"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=options.seconds)
    except subprocess.TimeoutExpired:
        return name, tool, f"no end in {options.seconds} s", False, ""
    log = done.stdout
    if not tool:
        return name, tool, "right" if done.returncode == 0 else f"exit code {done.returncode}", done.returncode == 0, log
    found = SUMMARY.get(tool, SUMMARY[None]).search(log)
    if not found:
        return name, tool, "no answer", False, log
    if tool == "racecheck":
        errors, warnings = map(int, found.groups())
        text = "0" if not errors + warnings else f"{errors} errors, {warnings} warnings"
        return name, tool, text, errors + warnings == 0, log
    return name, tool, found[1], found[1] == "0", log


def run(folder, options):
    if not shutil.which(options.sanitizer):
        sys.exit(f"there is no {options.sanitizer}")
    programs = sorted(os.path.join(folder, n) for n in os.listdir(folder) if os.access(os.path.join(folder, n), os.X_OK))
    table, fine, logs = collections.defaultdict(dict), True, []
    tools = [None, *options.tools.split(",")] if options.tools else [None, *TOOLS]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        todo = [pool.submit(sanitize, p, t, options) for t in tools for p in programs]
        for done in concurrent.futures.as_completed(todo):
            name, tool, text, ok, log = done.result()
            table[name][tool] = text
            fine &= ok
            if text not in ("0", "right"):
                logs.append(f"==== {name} {tool or 'alone'}: {text}\n{log}")
    print("| test | alone | " + " | ".join(tools[1:]) + " |\n|---|" + "---|" * len(tools))
    for name in sorted(table):
        print(f"| {name} | " + " | ".join(table[name].get(t, "") for t in tools) + " |")
    if options.logs:
        with open(options.logs, "w") as file:
            file.write("\n".join(logs))
    for log in logs:
        print(log.splitlines()[0].strip("= "))
        for hazard, times in collections.Counter(HAZARD.findall(log)).most_common(8):
            print(f"  {times} times: {' '.join(filter(None, hazard[:3]))} and {' '.join(filter(None, hazard[3:]))}")
    return 0 if fine else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["build", "run", "all"])
    parser.add_argument("folder", nargs="?")
    parser.add_argument("names", nargs="*", help="tests; none: all")
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--build", default=os.path.join(here, "build"))
    parser.add_argument("--cuda", default="/usr/local/cuda")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=300, help="for one run")
    parser.add_argument("--sanitizer", default="compute-sanitizer")
    parser.add_argument("--tools", help="these alone, with commas between: " + ",".join(TOOLS))
    parser.add_argument("--logs", help="file for what the tools said")
    options = parser.parse_intermixed_args()
    if options.what in ("build", "run") and not options.folder:
        parser.error(f"{options.what} needs a folder")
    if options.what == "build":
        return build(options.folder, options)
    if options.what == "run":
        return run(options.folder, options)
    options.names = [n for n in [options.folder, *options.names] if n]
    with tempfile.TemporaryDirectory() as folder:
        return build(folder, options) + run(folder, options)


if __name__ == "__main__":
    sys.exit(main())
