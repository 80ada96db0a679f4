#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Input that makes no sense must never crash the compiler: it is differentiated, or
refused with a message.

    fuzz/bad_input.py --build build --seed 1 --count 100 [--kind ir,calls,...]

    ir      IR of random programs (fuzz/generate.py), with instructions changed: other opcodes,
            operands, constants, predicates, branch targets, lines dropped or repeated. What LLVM's
            verifier does not accept is mutated again, some times.
    device  the same with the device code of random kernels
    calls   random programs in C++, with the derivative calls' arguments left out, repeated,
            exchanged or replaced
    kernels the same with random kernels, for the processor (--offload=cpu)
    tests   the same with this repository's own tests, whose calls are of all forms: C, C++, CUDA, Fortran
    stress  functions of llvm-stress (integers, vectors, pointers of all kinds) as primals

Exit code 0: no crash, no internal error (RG3nnn), no endless compilation. An input is named by its
seed and number, for one version of this file, the generator, and the tests.
"""

import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import emit
import generate
import kernel_emit  # Kernels are a language of programs once these three are there.
import kernel_generate
import kernel_oracle
from harness import crash_line

LLVM = "/usr/lib/llvm-22/bin/"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SWAPS = [
    {"fadd", "fsub", "fmul", "fdiv", "frem"},
    {"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "srem"},
    {"fpext", "fptrunc", "bitcast", "sitofp", "uitofp", "fptosi", "zext", "sext", "trunc",
     "ptrtoint", "inttoptr"},
    {"olt", "ogt", "oeq", "une", "uno", "ord", "ult"},
    {"slt", "sgt", "eq", "ne", "sle", "uge"},
    {"double", "float", "x86_fp80", "i64", "i32", "half", "<2 x double>", "<4 x float>", "i8"},
    {"nsw", "nuw", "inbounds", "fast", "nnan", "ninf", "reassoc"},
]


def mutate_line(r, line, values, labels, constants):
    roll = r.random()
    if roll < 0.3:
        for group in r.sample(SWAPS, len(SWAPS)):
            words = [w for w in group if re.search(rf"(?<![\w%@.]){re.escape(w)}(?![\w.])", line)]
            if words:
                word = r.choice(sorted(words))
                return re.sub(rf"(?<![\w%@.]){re.escape(word)}(?![\w.])",
                              r.choice(sorted(group - {word})), line, count=1)
    used = re.findall(r"%[\w.]+", line.split("=", 1)[-1])
    if roll < 0.7 and used and values:
        word = r.choice(used)
        pool = labels if word in labels else values
        head, _, tail = line.rpartition(word)
        return head + r.choice(pool) + tail
    numbers = re.findall(r"(?<![\w%@.!#])-?\d+(?![\w.])", line)
    if roll < 0.85 and numbers:
        word = r.choice(numbers)
        head, _, tail = line.rpartition(word)
        return head + r.choice(["0", "1", "-1", "7", "64", "4096", word + "0"]) + tail
    if roll < 0.93:
        return ""
    return line + "\n" + line if "=" not in line else line


def mutate_ir(r, text):
    lines = text.split("\n")
    starts = [i for i, l in enumerate(lines) if l.startswith("define ") and "P0_" in l
              and not re.search(r"@P0_[prfh]\(", l) and "kernel" not in l]
    if not starts:
        return text
    start = r.choice(starts)
    end = next(i for i in range(start, len(lines)) if lines[i] == "}")
    body = [i for i in range(start + 1, end) if lines[i].startswith("  ")]
    block = "\n".join(lines[start:end])
    values = re.findall(r"^  (%[\w.]+) =", block, re.M) + \
        re.findall(r"(%[\w.]+)[,)]", lines[start])
    labels = ["%" + l for l in re.findall(r"^([\w.]+):", block, re.M)]
    for _ in range(r.choice([1, 1, 1, 2, 3])):
        if body:
            i = r.choice(body)
            lines[i] = mutate_line(r, lines[i], values, labels, [])
    return "\n".join(lines)


WRONG = ["0", "1.0", "(void *)0", "enzyme_const", "enzyme_dup", "enzyme_out", "enzyme_dupnoneed",
         "\"text\"", "enzyme_width", "2", "(float)1", "1.0L", "&enzyme_const", "(char)3", "main"]
FORTRAN_WRONG = ["0", "1.0d0", "enzyme_const", "enzyme_dup", "enzyme_out", "'text'", "2.0", ".true."]


def mutate_arguments(r, args, wrong):
    for _ in range(r.choice([1, 1, 2])):
        roll = r.random()
        if roll < 0.3 and args:
            args.pop(r.randrange(len(args)))
        elif roll < 0.5:
            args.insert(r.randrange(len(args) + 1), r.choice(wrong))
        elif roll < 0.75 and args:
            args[r.randrange(len(args))] = r.choice(wrong)
        elif roll < 0.88 and len(args) > 1:
            i, j = r.sample(range(len(args)), 2)
            args[i], args[j] = args[j], args[i]
        elif args:
            args.insert(r.randrange(len(args) + 1), r.choice(args))
    return args


def mutate_call(r, text):
    calls = list(re.finditer(r"(__enzyme_\w+)\(\(void \*\)(\w+), ([^;]*)\)(\)*;|\))", text))
    if not calls:
        return text
    call = r.choice(calls)
    args, name = call.group(3).split(", "), call.group(2)
    if r.random() < 0.1:
        name = r.choice(["0", "say", "malloc", "__builtin_return_address", "strcmp", "name_of"])
    else:
        args = mutate_arguments(r, args, WRONG)
    new = f"{call.group(1)}({', '.join(['(void *)' + name, *args])})"
    text = text[:call.start()] + new + call.group(4) + text[call.end():]
    return text.replace("static void say(", "static void *name_of;\nextern int enzyme_dupnoneed,"
                        " enzyme_width;\nint main(void);\nstatic void say(", 1)


def calls_in(text, fortran):
    """[(start of the arguments, end, arguments)] of what looks like a derivative call, and is no declaration."""
    found = []
    # In Fortran the names are the program's own.
    form = r"\w\(\s*(?=c_funloc\()" if fortran else r"_enzyme_\w+(?:<[\w:* ,]*>)?\s*\("
    for m in re.finditer(form, text):
        depth, i, cuts = 1, m.end(), [m.end()]
        while i < len(text) and depth:
            if text[i] in "([{":
                depth += 1
            elif text[i] in ")]}":
                depth -= 1
            elif text[i] == "," and depth == 1:
                cuts.append(i + 1)
            i += 1
        cuts.append(i)
        args = [text[x:y - 1].strip() for x, y in zip(cuts, cuts[1:])]
        if depth == 0 and not any("..." in a or a in ("void *", "") for a in args):
            found.append((m.end(), i - 1, args))
    return found


def mutate_test(r, text, fortran):
    calls = calls_in(text, fortran)
    if not calls:
        return None
    own = sorted(set(re.findall(r"\benzyme_\w+", text))) or ["0"]
    wrong = (FORTRAN_WRONG if fortran else WRONG) + own * 2 + [a for _, _, args in calls for a in args][:40]
    for start, end, args in sorted(r.sample(calls, min(len(calls), r.choice([1, 1, 2]))), reverse=True):
        text = text[:start] + ", ".join(mutate_arguments(r, list(args), wrong)) + text[end:]
    return text


def sources():
    """Paths of tests with derivative calls, in order. Libraries take minutes each."""
    found = []
    for folder in ("Execute", "Request", "Diagnostics", "Offload"):
        for base, _, files in os.walk(os.path.join(ROOT, "test", folder)):
            if "Libraries" not in base:
                found += [os.path.join(base, f) for f in files if f.endswith((".c", ".cpp", ".cu", ".f90"))]
    return sorted(found)


STRESS_CALLER = """
declare void @__enzyme_autodiff_s(ptr, ...)
declare void @__enzyme_fwddiff_s(ptr, ...)
define void @caller(ptr %a, ptr %b, ptr %c, ptr %d, ptr %e, ptr %f, i32 %i, i64 %j, i8 %k) {
  call void (ptr, ...) @__enzyme_MODE_s(ptr @autogen_SDSEED, ptr %a, ptr %b, ptr %c, ptr %d, ptr %e, ptr %f, i32 %i, i64 %j, i8 %k)
  ret void
}
"""



def run(words, timeout=60):
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="replace",
                              timeout=timeout, env=dict(os.environ, LLVM_DISABLE_CRASH_REPORT="1"))
        return done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        return -1, "no end of compilation"


class Inputs:
    """Makes the input of a number: the command that compiles it, and its file."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.kinds = options.kind.split(",")
        build = os.path.abspath(options.build)
        self.plugin = os.path.join(build, "lib", "Retrograd.so")
        self.headers = os.path.join(build, "include", "retrograd", "cuda")
        self.driver = lambda name: os.path.join(build, "bin", name)
        self.bases, self.sources = {}, sources()

    def path(self, ending):
        return os.path.join(self.folder, "in." + ending)

    def base(self, n, lang):
        """A program serves several mutations."""
        n -= n % 12
        if (n, lang) not in self.bases:
            self.bases.clear()
            r = random.Random(f"{self.options.seed}/{n}/base")
            self.bases[n, lang], _ = generate.make(self.options.seed, n, r.choice([4, 8, 12]), lang)
            if lang != "cu":
                self.bases[n, lang]["lang"] = "cpp"
        return self.bases[n, lang]

    def write(self, ending, text):
        with open(self.path(ending), "w") as file:
            file.write(text)
        return self.path(ending)

    def opt(self, plan, path):
        return [LLVM + "opt", f"-load-pass-plugin={self.plugin}", f"-rg-plan={plan}", "-passes=retrograd", "-S",
                path, "-o", os.devnull]

    def compile(self, r, plan, name, path, *flags):
        return [self.driver(name), "-" + r.choice(["O0", "O1", "O2"]), "-w", *flags, "-c", path, "-o", os.devnull,
                "-mllvm", f"-rg-plan={plan}"]

    def make(self, n):
        """(kind, command, path), or a kind and two Nones where there is nothing to do."""
        kind = self.kinds[n % len(self.kinds)]
        r = random.Random(f"{self.options.seed}/{n}/bad")
        plan = r.choice(["naive", "mincut"])
        return (kind, *getattr(self, kind)(r, n, plan))

    def calls(self, r, n, plan):
        text = mutate_call(r, emit.batch([(0, self.base(n, ""), r.choice(["pr", "pf", "prh"]))]))
        path = self.write("cpp", text)
        return self.compile(r, plan, "rg-clang++", path, "-fpermissive"), path

    def kernels(self, r, n, plan):
        text = emit.batch([(0, self.base(n, "cu"), r.choice(["pr", "pf"]))])
        path = self.write("cu", mutate_test(r, text, False) or text)
        return self.compile(r, plan, "rg-clang++", path, "--offload=cpu"), path

    def tests(self, r, n, plan):
        source = r.choice(self.sources)
        ending = source.rsplit(".", 1)[1]
        with open(source) as file:
            text = mutate_test(r, file.read(), ending == "f90")
        if text is None:
            return None, None
        path = self.write(ending, f"{'!' if ending == 'f90' else '//'} {os.path.relpath(source, ROOT)}\n{text}")
        driver = {"c": "rg-clang", "f90": "rg-flang"}.get(ending, "rg-clang++")
        flags = ["-I" + os.path.join(ROOT, "test", "include"), "-I" + os.path.dirname(source)]
        if ending == "f90":
            return [self.driver(driver), "-" + r.choice(["O0", "O1", "O2"]), "-w", *flags, "-module-dir", self.folder,
                    "-c", path, "-o", os.devnull, "-mllvm", f"-rg-plan={plan}"], path
        return self.compile(r, plan, driver, path, *(["--offload=cpu"] if ending == "cu" else []), *flags), path

    def stress(self, r, n, plan):
        path = self.path("ll")
        run([LLVM + "llvm-stress", f"-seed={r.randrange(1 << 30)}", f"-size={r.choice([30, 100, 250])}", "-o", path])
        with open(path) as file:
            text = file.read()
        name = re.search(r"@(autogen_SD\w*)", text).group(1)
        mode = r.choice(["autodiff", "fwddiff"])
        self.write("ll", text + STRESS_CALLER.replace("MODE", mode).replace("autogen_SDSEED", name))
        return self.opt(plan, path), path

    def ir(self, r, n, plan):
        source = self.write("cpp", emit.batch([(0, self.base(n, ""), r.choice(["pr", "pf"]))]))
        return self.mutated(r, plan, [LLVM + "clang++", source])

    def device(self, r, n, plan):
        source = self.write("cu", emit.batch([(0, self.base(n, "cu"), r.choice(["pr", "pf"]))]))
        return self.mutated(r, plan, [
            LLVM + "clang++", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent", "-Xclang",
            "-target-sdk-version=12.8", "-isystem", self.headers, "-include",
            os.path.join(self.headers, "retrograd_cuda.h"), "--cuda-device-only", "--offload-arch=sm_90",
            "--cuda-noopt-device-debug", "-Xclang", "-target-feature", "-Xclang", "+ptx88", source])

    def mutated(self, r, plan, command):
        path = self.path("ll")
        run([*command, "-w", "-O1", "-Xclang", "-disable-llvm-passes", "-fno-discard-value-names", "-S",
             "-emit-llvm", "-o", path])
        if r.random() < 0.7:
            run([LLVM + "opt", "-S", "-passes=sroa,early-cse,simplifycfg", path, "-o", path])
        with open(path) as file:
            text = file.read()
        for _ in range(8):
            self.write("ll", mutate_ir(r, text))
            if run([LLVM + "opt", "-disable-output", "-passes=verify", path])[0] == 0:
                break
        return self.opt(plan, path), path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=float, help="run for so long, whatever the count")
    parser.add_argument("--kind", default="calls,ir,tests,kernels,stress,device")
    parser.add_argument("--keep", help="folder for inputs that crash")
    options = parser.parse_args()
    counts, failures = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(options, folder)
        end = time.time() + (options.seconds or 1e9)
        last = 1 << 60 if options.seconds else options.first + options.count
        n = options.first
        while n < last and time.time() < end:
            kind, words, kept = inputs.make(n)
            n += 1
            if not words:
                continue
            code, text = run(words, 180)
            internal = re.search(r"\[RG3\d\d\d\]", text)
            if code == 0:
                counts[kind, "differentiated"] += 1
            elif code == 1 and not internal and "Stack dump" not in text and "Assertion" not in text:
                refused = re.search(r"\[RG\d\d\d\d\]", text)
                counts[kind, "refused" if refused else "no valid input"] += 1
            else:
                failures += 1
                counts[kind, "CRASH"] += 1
                print(f"seed {options.seed} number {n - 1} ({kind}): {crash_line(text, code)}\n"
                      f"  repeat: python3 fuzz/bad_input.py --seed {options.seed} --first {n - 1} --count 1 --kind "
                      f"{options.kind}", flush=True)
                if options.keep:
                    os.makedirs(options.keep, exist_ok=True)
                    name = os.path.join(options.keep, f"{kind}-{options.seed}-{n - 1}{os.path.splitext(kept)[1]}")
                    with open(kept) as file, open(name, "w") as out:
                        out.write(f"{';' if kept.endswith('ll') else '!' if kept.endswith('f90') else '//'}"
                                  f" {' '.join(words)}\n")
                        out.write(file.read())
    print(f"{sum(counts.values())} inputs: " +
          "; ".join(f"{kind}: {what} {n}" for (kind, what), n in sorted(counts.items())))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
