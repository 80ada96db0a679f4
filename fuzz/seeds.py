#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Random kernels that write at random places, with their seeds left as they are (docs/Seeds.md).

    fuzz/seeds.py --build build --seed 1 --count 100 [--config=-O0]

Most are refused, and rightly: two threads or two iterations go to one place. Of those that the compiler takes, the
gradient by enzyme_seed has to be that by enzyme_dup in every launch that it does not stop. The second clears what it
takes, so each place counts once; the first would count it as often as it is written. A kernel and a launch are run in
a process of their own.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

GRID = "int(blockIdx.x * blockDim.x + threadIdx.x)"
WHO = ["int(threadIdx.x)", "int(threadIdx.y)", "int(blockIdx.x)", "int(blockIdx.y)", "int(blockDim.x)", GRID,
       "int((blockIdx.x * blockDim.x + threadIdx.x) / 8)", "int(threadIdx.x % 8)", "int(threadIdx.x / 8)", "a", "b"]
STARTS = {"0": "1", "int(threadIdx.x)": "blockDim.x", "int(threadIdx.x % 8)": "8", GRID: "gridDim.x * blockDim.x"}
# Grid, block, a and b.
LAUNCHES = ["{dim3(2), dim3(16), 5, 9}", "{dim3(3), dim3(8), 24, 3}", "{dim3(2, 2), dim3(8, 2), 16, 8}",
            "{dim3(2), dim3(12), 30, 40}", "{dim3(1), dim3(1), 3, 2}", "{dim3(4), dim3(16), 1, 64}",
            "{dim3(3, 2), dim3(5), 0, 7}", "{dim3(2), dim3(16), -3, 6}"]

HEAD = """
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>
template <typename T, typename... A> __device__ T __enzyme_autodiff(void *, A...);
extern __device__ int enzyme_dup, enzyme_const, enzyme_seed;
constexpr int Reach = 1 << 16;
__device__ int lowest, highest;
template <class I> __device__ void note(I i) {
  long long at = (long long)i < -Reach ? -Reach - 1 : (long long)i > Reach ? Reach : (long long)i;
  atomicMin(&lowest, int(at));
  atomicMax(&highest, int(at));
}
struct Launch {
  dim3 grid, block;
  int a, b;
};
using Gradient = void (*)(const float *, float *, float *, float *, int, int);
enum Answer { Right, Stopped, Wrong, Outside };
int judge(const Launch &at, void (*places)(int, int), Gradient seeded, Gradient cleared) {
  alarm(10);
  int none = 0;
  float *x, *dx, *y, *dy, by[2], one = 1;
  std::vector<float> ones(2 * Reach, 1.0f);
  cudaMalloc((void **)&x, 4), cudaMalloc((void **)&dx, 4);
  cudaMalloc((void **)&y, 8 * Reach), cudaMalloc((void **)&dy, 8 * Reach);
  cudaMemcpy(x, &one, 4, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(lowest, &none, 4), cudaMemcpyToSymbol(highest, &none, 4);
  places<<<at.grid, at.block>>>(at.a, at.b);
  int low, high;
  cudaMemcpyFromSymbol(&low, lowest, 4), cudaMemcpyFromSymbol(&high, highest, 4);
  if (low < -Reach || high >= Reach)
    return Outside;
  for (int k : {0, 1}) {
    cudaMemset(dx, 0, 4);
    cudaMemcpy(dy, ones.data(), 8 * Reach, cudaMemcpyHostToDevice);
    (k ? cleared : seeded)<<<at.grid, at.block>>>(x, dx, y + Reach, dy + Reach, at.a, at.b);
    if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
      return k ? Wrong : Stopped;
    cudaMemcpy(&by[k], dx, 4, cudaMemcpyDeviceToHost);
  }
  return by[0] == by[1] ? Right : Wrong;
}
"""


class Kernels:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def index(self, depth, loops):
        """An expression of who the thread is, arguments and counters."""
        r = self.random.random()
        if not depth or r < 0.15:
            return self.random.choice(WHO + 2 * loops)
        x = self.index(depth - 1, loops)
        if r < 0.55:
            stride = self.pick("a", "b", "int(blockDim.x)", "int(gridDim.x)", "8", "3", "16", "(a - 1)", "a * b")
            return f"({x} * {stride} + {self.index(depth - 1, loops)})"
        if r < 0.7:
            return f"({x} + {self.pick('1', 'a', 'b', '7')})"
        if r < 0.8:
            return f"({x} / {self.pick('2', '8', '3')})"
        if r < 0.9:
            return f"({x} % {self.pick('2', '8', '16')})"
        return f"({x} * {self.pick('2', '3', '5')})"

    def rows(self, loops):
        """A place in a row, and the condition that it is in the row, which may be off by one or missing."""
        length = self.pick("a", "b", "8", "16", "int(blockDim.x)")
        row = self.pick("int(blockIdx.x)", "int((blockIdx.x * blockDim.x + threadIdx.x) / 8)", GRID,
                        "(int(blockIdx.y) * int(gridDim.x) + int(blockIdx.x))", *loops)
        column = self.pick("int(threadIdx.x)", "int(threadIdx.x % 8)", GRID, *loops, *loops)
        condition = self.pick(f"{column} < {length}", f"{column} < {length}", f"{column} < {length}",
                              f"{column} <= {length}", f"{column} < {length} + 1", f"{column} < a", "")
        place = f"{self.pick('size_t(%s)', '%s') % row} * {length} + {column}"
        return place, [condition] if condition else []

    def body(self):
        """A kernel's text; a store at place P is «P»."""
        loops, text, ends = [], "", ""
        for counter in "ij"[:self.pick(0, 0, 1, 1, 2)]:
            start = self.pick(*STARTS)
            step = STARTS[start] if self.random.random() < 0.9 else self.pick("1", "3", "8")
            text += f"for (int {counter} = {start}; {counter} < {self.pick('a', 'b', '8', '16')}; {counter} += {step}) {{ "
            ends += "}"
            loops.append(counter)
        if self.random.random() < 0.6:
            place, conditions = self.rows(loops)
            return text + self.stores(place, conditions) + ends
        place = self.index(self.pick(1, 2, 2, 3), loops)
        conditions = [f"{self.index(1, loops)} {self.pick('<', '<', '==', '<=', '!=', '>=')} "
                      f"{self.pick('a', 'b', '8', '0', '3', '16')}" for _ in range(self.pick(0, 0, 1, 1, 2))]
        if self.random.random() < 0.3:
            conditions.append(f"{place} < a * b")
        return text + self.stores(self.pick("size_t(%s)", "%s", "%s") % place, conditions) + ends

    def stores(self, place, conditions):
        stores = f"«{place}»"
        if self.random.random() < 0.15:
            stores += f"«{place} + {self.pick(1, 2, 8)}»"
        if not conditions:
            return stores
        return f"if ({' && '.join(conditions)}) {{ {stores} }}"


def source(bodies, seeded_only):
    text = HEAD
    for n, body in bodies.items():
        stores = body.replace("«", "y[").replace("»", "] = x[0] * 2; ")
        text += f"__device__ void f{n}(const float *__restrict__ x, float *__restrict__ y, int a, int b) {{ {stores} }}\n"
        for name, marker in (("seeded", "enzyme_seed"), ("cleared", "enzyme_dup"))[:1 if seeded_only else 2]:
            text += (f"__global__ void {name}{n}(const float *x, float *dx, float *y, float *dy, int a, int b) {{ "
                     f"__enzyme_autodiff<void>((void *)f{n}, enzyme_dup, x, dx, {marker}, y, dy, enzyme_const, a, "
                     f"enzyme_const, b); }}\n")
        if not seeded_only:
            places = body.replace("«", "note(").replace("»", "); ")
            text += f"__global__ void places{n}(int a, int b) {{ {places} }}\n"
    if seeded_only:
        return text + "int main() {}\n"
    text += "int main() {\n  int count[5] = {};\n  for (const Launch &at : {" + ", ".join(f"Launch{x}" for x in LAUNCHES)
    text += "}) {\n    auto ask = [&](int n, void (*places)(int, int), Gradient seeded, Gradient cleared) {\n"
    text += "      pid_t child = fork();\n      if (!child)\n        _exit(judge(at, places, seeded, cleared));\n"
    text += "      int status;\n      waitpid(child, &status, 0);\n"
    text += "      int answer = WIFEXITED(status) ? WEXITSTATUS(status) : 4;\n      ++count[answer];\n"
    text += "      if (answer == Wrong || answer == 4)\n        printf(\"wrong: f%d, grid %u x %u, block %u x %u, a %d, b %d\\n\", n, "
    text += "at.grid.x, at.grid.y, at.block.x, at.block.y, at.a, at.b);\n    };\n"
    for n in bodies:
        text += f"    ask({n}, places{n}, seeded{n}, cleared{n});\n"
    return text + ("  }\n  printf(\"launches: %d right, %d stopped, %d outside, %d wrong\\n\", count[Right], count[Stopped], "
                   "count[Outside], count[Wrong] + count[4]);\n  return count[Wrong] + count[4] != 0;\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--config", default="-O2")
    options = parser.parse_args()
    compiler = os.path.join(os.path.abspath(options.build), "bin", "rg-clang++")
    kernels = Kernels(options.seed)
    bodies = {n: kernels.body() for n in range(options.count)}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "seeds.cu")

        def compile(text):
            with open(path, "w") as file:
                file.write(text)
            return subprocess.run([compiler, "--offload=cpu", *options.config.split(), "-w", "-ferror-limit=0", path, "-o",
                                   path + ".x"], capture_output=True, text=True, timeout=600)
        said = compile(source(bodies, True)).stderr
        refused = {int(n) for n in re.findall(r"it is here, in 'f(\d+)'", said)}
        others = [line for line in said.splitlines() if " error: " in line and "[RG2114]" not in line]
        if others:
            print("\n".join(others[:10]))
            return 1
        taken = {n: body for n, body in bodies.items() if n not in refused}
        print(f"{len(bodies)} kernels: {len(refused)} refused, {len(taken)} taken")
        built = compile(source(taken, False))
        if built.returncode:
            print(built.stderr[:3000])
            return 1
        ran = subprocess.run([path + ".x"], capture_output=True, text=True, timeout=600)
    print(ran.stdout, end="")
    for n in sorted({int(n) for n in re.findall(r"wrong: f(\d+)", ran.stdout)}):
        print(f"f{n}: {bodies[n]}")
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
