# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Compiles a batch of programs with Retrograd, runs it, and compares with the oracle.

What may come of a program in one configuration (an -O level and a plan):

    ok        every number agrees
    refused   the compiler said RGnnnn at the program's lines; told apart by id and mode
    wrong     a number differs (mode, name, index, got, wanted, allowed)
    crash     the compiler ended otherwise than by its own messages, or ran too long
    died      the derivative ended by a signal
    invalid   the text is no C (a fault of the generator, or of a cut by the shrinker)

All programs of a batch are compiled together. Refused ones are taken out and the rest is compiled
again; only a crash of the compiler makes the batch be tried in halves.
"""

import math
import os
import re
import subprocess

import emit

MESSAGE = re.compile(r"^p(\d+)\.c:(\d+):\d+: (?:fatal )?error: (.*)$", re.M)
RG = re.compile(r"\[(RG\d+)\]")


# By language: driver, ending of the file, flags.
DRIVERS = {"c": ("rg-clang", "c", []), "cpp": ("rg-clang++", "cpp", []),
           "cu": ("rg-clang++", "cu", ["--offload=cpu"])}
# Instead of the last: this machine's GPU, by the toolkit in its usual place.
ON_GPU = ["-L/usr/local/cuda/lib64", "-Wl,--whole-archive", "-lcudart_static", "-Wl,--no-whole-archive",
          "-ldl", "-lrt", "-lpthread"]


# Ways in which the processor runs the threads of a kernel, for one compilation.
ORDERS = ["steps", "steps,random:1", "threads,reverse", "mixed,random:3"]


class Config:
    def __init__(self, level, plan, extra=()):
        self.level, self.plan, self.extra = level, plan, tuple(extra)

    def __str__(self):
        return " ".join([f"-{self.level}", self.plan, *self.extra])


def filled_heap(folder):
    """A library for LD_PRELOAD: a heap whose blocks begin with rubbish. What a derivative allocates and
    takes to be zero without clearing it shows as a wrong number."""
    library = os.path.join(folder, "filled-heap.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "Instrumented", "Inputs",
                          "filled-heap.c")
    if not os.path.exists(library):
        subprocess.run(["/usr/lib/llvm-22/bin/clang", "-O1", "-fno-builtin", "-shared", "-fPIC", source, "-o", library],
                       check=True)
    return library


class Harness:
    def __init__(self, build, folder, modes=emit.MODES, timeout=120, gpu=False, orders=False):
        # CUDA's own libraries allocate before the preloaded one is ready.
        self.heap = None if gpu else filled_heap(folder)
        self.build, self.folder, self.modes, self.timeout, self.gpu = build, folder, modes, timeout, gpu
        self.orders = ORDERS if orders else [None]
        self.compilations = 0
        self.text = None  # stands for the programs' own, if given

    def compile(self, programs, config, modes_of):
        """(exit code, messages, path of the program)."""
        driver, ending, flags = DRIVERS[programs[0][1]["lang"]]
        if ending == "cu" and self.gpu:
            flags = ON_GPU
        elif ending == "cu" and self.orders[0]:
            flags = [*flags, "-mllvm", "-rg-gpu-interleave"]
        base = os.path.join(self.folder, f"batch{os.getpid()}")
        source = f"{base}.{ending}"
        with open(source, "w") as file:
            file.write(self.text or emit.batch([(n, p, modes_of[n]) for n, p in programs]))
        driver = os.path.join(self.build, "bin", driver)
        command = [driver, *flags, *("-" + config.level).split(), "-w", "-ffp-contract=off", "-ferror-limit=0",
                   "-mllvm", f"-rg-plan={config.plan}", *config.extra, source, "-o", base, "-lm"]
        self.compilations += 1
        env = dict(os.environ, LC_ALL="C", LLVM_DISABLE_CRASH_REPORT="1")
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                  timeout=self.timeout * (5 if ending == "cu" else 1), env=env)
        except subprocess.TimeoutExpired:
            return -1, "no end of compilation", base
        return done.returncode, done.stderr, base

    def run(self, programs, config, wants, modes_of=None):
        """{number: (verdict, detail)} for [(number, program)]."""
        results = {}
        modes_of = dict(modes_of or {n: self.modes for n, _ in programs})
        refused = {}
        left = list(programs)
        while left:
            code, text, program = self.compile(left, config, modes_of)
            if code == 0:
                break
            if code in (1,) and "PLEASE submit a bug report" not in text and \
                    "error: " in text and not re.search(r"RG3\d\d\d", text):
                hit = self.refusals(text, left, modes_of, refused, results)
                if hit:
                    left = [(n, p) for n, p in left if n not in results]
                    continue
            if len(left) > 1:
                half = len(left) // 2
                for part in (left[:half], left[half:]):
                    results.update(self.run(part, config, wants, modes_of))
                left = []
                break
            results[left[0][0]] = ("crash", crash_line(text, code))
            left = []
        if left:
            self.judge(program, left, wants, modes_of, results)
        for number, ids in refused.items():
            if results.get(number, ("ok",))[0] == "ok":
                results[number] = ("refused", "; ".join(sorted(ids)))
        return results

    def refusals(self, text, left, modes_of, refused, results):
        """Takes what the compiler refused out of modes_of; is there anything?"""
        found = False
        numbers, lost = dict(left), {}
        for number, line, message in MESSAGE.findall(text):
            number = int(number)
            if number not in numbers:
                continue
            found = True
            rg = RG.search(message)
            if not rg:
                results[number] = ("invalid", message)
                continue
            mode = emit.mode_at(numbers[number], modes_of[number], int(line)) if int(line) > 1000 \
                else None
            refused.setdefault(number, set()).add(f"{rg.group(1)} {mode or '?'}")
            lost.setdefault(number, set()).update(mode or "rfh")
        if not found:
            return False
        for number, gone in lost.items():
            if number in results:
                continue
            # Forward over reverse needs reverse.
            gone |= {"h"} if "r" in gone else set()
            modes_of[number] = "".join(m for m in modes_of[number] if m not in gone)
            if modes_of[number] in ("", "p"):
                results[number] = ("refused", "; ".join(sorted(refused[number])))
        return True

    def judge(self, program, left, wants, modes_of, results):
        for order in self.orders:
            seen = {}
            self.judge_run(program, left, wants, modes_of, seen, order)
            for number, (verdict, detail) in seen.items():
                if results.get(number, ("ok",))[0] == "ok":
                    where = f" (RG_GPU_ORDER={order})" if order and verdict != "ok" else ""
                    results[number] = (verdict, detail + where)
        os.remove(program)

    def judge_run(self, program, left, wants, modes_of, results, order):
        env = dict(os.environ, **({"RG_GPU_ORDER": order} if order else {}), **({"LD_PRELOAD": self.heap} if self.heap else {}))
        try:
            done = subprocess.run([program], capture_output=True, text=True, errors="replace",
                                  timeout=600, env=env)
        except subprocess.TimeoutExpired:
            for number, _ in left:
                results[number] = ("died", "no end")
            return
        got, died = {}, {}
        for line in done.stdout.splitlines():
            number, mode, name, index, value = line.split()
            if name == "!":
                died.setdefault(int(number), (mode, int(index)))
            else:
                got[int(number), mode, name, int(index)] = float.fromhex(value) \
                    if "n" not in value else math.nan
        said = {}
        for line in done.stderr.splitlines():
            said.setdefault("all", line)
        for number, _ in left:
            if number in died:
                mode, status = died[number]
                results[number] = ("died", f"{mode} status {status} {said.get('all', '')[:200]}")
                continue
            results[number] = compare(got, wants[number], number, modes_of[number])


def compare(got, want, number, modes):
    worst = None
    for (mode, name, index), (value, allowed) in want.items():
        if mode not in modes:
            continue
        have = got.get((number, mode, name, index))
        if have is None:
            return ("wrong", f"{mode} {name}[{index}] missing")
        error = abs(have - value)
        if not error <= allowed:
            ratio = error / allowed if error == error else math.inf
            # The primal's own disagreement is the fuzzer's fault: first.
            rank = (mode == "p", ratio)
            if worst is None or rank > worst[0]:
                worst = (rank, f"{mode} {name}[{index}] got {have!r} want {value!r}"
                               f" allowed {allowed:.1e}")
    return ("wrong", worst[1]) if worst else ("ok", "")


def crash_line(text, code):
    """The text that tells one crash from another, without the place in the program."""
    for pattern in (r"(?<=error: )[^\n]*\[RG3\d\d\d\]", r"[^\n]*Assertion[^\n]*", r"LLVM ERROR[^\n]*",
                    r"no end of compilation"):
        found = re.search(pattern, text)
        if found:
            return found.group(0)[:300]
    frames = re.findall(r"#\d+ 0x[0-9a-f]+ ((?:retrograd|rg)\S*)", text)
    if frames:
        return "signal in " + frames[0]
    lines = [l for l in text.splitlines() if "error" in l]
    return (lines[0] if lines else text[-200:]) + f" (exit code {code})"
