#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Runs CUDA tests on the processor with threads in other orders (docs/CudaOnCpu.md).

Each program is compiled once with -rg-gpu-interleave and run once per order. A derivative that is right
in one order only fails in another. Exit code 0: all are right in all orders.

    utils/test-orders.py                       # all
    utils/test-orders.py one-value split       # these
"""

import argparse
import concurrent.futures
import os
import sys
import tempfile

import cuda_programs

ORDERS = ["steps", "steps,reverse", "steps,random:1", "threads,reverse", "threads,random:2", "mixed,random:3"]
# What the rules of the orders exclude, by program.
LEFT_OUT = {
    "Offload/Styles/waiting-blocks": ("", "blocks that wait for each other by a flag need several threads of the machine"),
    "Execute/CUDA/kept-numbers": ("mixed", "its primal races, and the gradient kernel has to race alike"),
}


def judge(program, options, folder):
    """(program, None or what went wrong)."""
    binary = os.path.join(folder, program.name.replace("/", "."))
    compiler = os.path.join(options.build, "bin", "rg-clang++")
    code, said = cuda_programs.run(
        [compiler, "--offload=cpu", *program.flags, "-mllvm", "-rg-gpu-interleave", *options.flag,
         program.path, "-o", binary])
    if code:
        return program, f"does not compile:\n{said}"
    wrong = ""
    left_out, _ = LEFT_OUT.get(program.name, (None, ""))
    for order in options.orders.split(";"):
        if left_out and order.startswith(left_out):
            continue
        code, said = cuda_programs.run([binary], {"RG_GPU_ORDER": order}, options.seconds)
        if code:
            wrong += f"RG_GPU_ORDER={order}: exit code {code}\n{said[-2000:]}"
    os.remove(binary)
    return program, wrong or None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="tests; none: all")
    parser.add_argument("--build", default=os.path.join(cuda_programs.ROOT, "build"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--orders", default=";".join(ORDERS), help="values of RG_GPU_ORDER, with ; between")
    parser.add_argument("--flag", action="append", default=[], help="one more for the compiler")
    parser.add_argument("--seconds", type=int, default=600, help="for one run of a program")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)

    chosen = cuda_programs.programs(options.names)
    if not chosen:
        sys.exit(f"no CUDA test is named {' or '.join(options.names)}")
    failed = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        todo = []
        for program in chosen:
            orders, why = LEFT_OUT.get(program.name, (None, ""))
            if orders is not None:
                print(f"left out {program.name}{' in order ' + orders if orders else ''}: {why}")
            if orders != "":
                todo.append(pool.submit(judge, program, options, folder))
        for done in concurrent.futures.as_completed(todo):
            program, wrong = done.result()
            failed += bool(wrong)
            print(f"{'WRONG' if wrong else 'right'} {program.name}" + (f"\n{wrong}" if wrong else ""), flush=True)
    orders = len(options.orders.split(";"))
    print(f"{len(todo)} programs in {orders} orders: {len(todo) - failed} right, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
