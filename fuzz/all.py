#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""What `make fuzz` runs: programs, also with MPI where there is one, LLVM IR, and input without sense, each for its
share of the time.

    fuzz/all.py --build build --seed 1 --seconds 60 --jobs 2

One line for each while it runs, what failed with the command that repeats it, and a summary.
Exit code 0: nothing failed."""

import argparse
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import messages

# What it is called, the script, its share of the time, whether it runs side by side with itself.
PARTS = [("programs", "run.py", 0.4, True), ("shapes of memory", "shapes.py", 0.2, True), ("LLVM IR", "ir.py", 0.15, False),
         ("input without sense", "bad_input.py", 0.25, False)]
if messages.all_mpis():
    PARTS.append(("messages", "messages.py", 0.1, False))


def run(name, words, seconds):
    """(failed, last summary line): shows failures as they come, and how far it is on a terminal."""
    print(f"{name}: {os.path.basename(words[1])} for {seconds:.0f} s", flush=True)
    # Programs that a fuzzer makes may not end: each of them has its own limits, this is the last one.
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    last, failures, trace = [], 0, []
    for line in child.stdout:
        line = line.rstrip("\n")
        if line.startswith("seed "):
            failures += 1
        if line.startswith(("seed ", "  ")):
            if failures <= 10:
                print(line, flush=True)
        elif line:
            last.append(line)
            trace.append(line)
    code = child.wait()
    # Several processes say each what they did.
    said = [l for l in last if " programs, " in l or " programs: " in l or " functions: " in l or " inputs: " in l or l == "0 inputs: "]
    if code and not failures:
        print("\n".join(trace[-15:]), flush=True)
        return True, f"ended with {code} and no result; repeat: {' '.join(words)}"
    return code != 0, (" + ".join(said[-int(words[words.index("--jobs") + 1]):] if "--jobs" in words else said[-1:])
                       or "nothing") + (f"; {failures} FAILED" if failures else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", help="folder for what fails")
    options = parser.parse_args()
    started, results, shares = time.time(), [], sum(part[2] for part in PARTS)
    for name, script, share, several in PARTS:
        # What one takes beyond its share, for batches are whole, the others lack.
        seconds = max(options.seconds * share / 4, (started + options.seconds - time.time()) * share / shares)
        shares -= share
        words = [sys.executable, os.path.join(HERE, script), "--build", options.build, "--seed", options.seed,
                 "--seconds", f"{seconds:g}"]
        if script in ("run.py", "shapes.py", "messages.py") and seconds < 120:
            words += ["--batch", "4"]
        if several:
            words += ["--kernels", "0.2"] if script == "run.py" else []
            if options.jobs > 1:
                words += ["--jobs", str(options.jobs)]
        if options.keep:
            words += ["--keep", options.keep]
        results.append((name, *run(name, words, seconds)))
    print(f"\nmake fuzz SEED={options.seed} SECONDS={options.seconds:g}: {time.time() - started:.0f} s")
    for name, failed, text in results:
        print(f"  {name}: {'FAILED' if failed else 'ok'}: {text}")
    return 1 if any(failed for _, failed, _ in results) else 0


if __name__ == "__main__":
    sys.exit(main())
