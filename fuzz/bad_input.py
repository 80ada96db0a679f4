#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Input that makes no sense must never crash the compiler: it is differentiated, or
refused with a message.

    fuzz/bad_input.py --build build --seed 1 --count 100 [--kind ir,calls,stress]

    ir      IR of random programs (fuzz/generate.py), with instructions changed: other opcodes,
            operands, constants, predicates, branch targets, lines dropped or repeated. What LLVM's
            verifier does not accept is dropped.
    calls   the same programs in C, with the derivative calls' arguments left out, repeated,
            exchanged or replaced
    stress  functions of llvm-stress (integers, vectors, pointers of all kinds) as primals

Exit code 0: no crash, no internal error (RG3nnn), no endless compilation.
"""

import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import emit
import generate
from harness import crash_line

LLVM = "/usr/lib/llvm-22/bin/"
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
              and not re.search(r"@P0_[prfh]\(", l)]
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


def mutate_call(r, text):
    calls = list(re.finditer(r"(__enzyme_\w+)\(\(void \*\)(\w+), ([^;]*)\)(\)*;|\))", text))
    if not calls:
        return text
    call = r.choice(calls)
    args = call.group(3).split(", ")
    name = call.group(2)
    for _ in range(r.choice([1, 1, 2])):
        roll = r.random()
        if roll < 0.3 and args:
            args.pop(r.randrange(len(args)))
        elif roll < 0.5:
            args.insert(r.randrange(len(args) + 1), r.choice(WRONG))
        elif roll < 0.7 and args:
            args[r.randrange(len(args))] = r.choice(WRONG)
        elif roll < 0.8 and len(args) > 1:
            i, j = r.sample(range(len(args)), 2)
            args[i], args[j] = args[j], args[i]
        elif roll < 0.9 and args:
            args.insert(r.randrange(len(args) + 1), r.choice(args))
        else:
            name = r.choice(["0", "say", "malloc", "__builtin_return_address", "strcmp", "name_of"])
    new = f"{call.group(1)}((void *){name}, {', '.join(args)})"
    new = new.replace(", )", ")")
    text = text[:call.start()] + new + call.group(4) + text[call.end():]
    return text.replace("static void say(", "static void *name_of;\nextern int enzyme_dupnoneed,"
                        " enzyme_width;\nint main(void);\nstatic void say(", 1)


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--kind", default="ir,calls,stress")
    parser.add_argument("--keep", help="folder for inputs that crash")
    options = parser.parse_args()
    plugin = os.path.join(os.path.abspath(options.build), "lib", "Retrograd.so")
    driver = os.path.join(os.path.abspath(options.build), "bin", "rg-clang++")
    kinds = options.kind.split(",")
    counts, failures = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        source, bitcode = os.path.join(folder, "in.cpp"), os.path.join(folder, "in.ll")
        base = None
        for n in range(options.first, options.first + options.count):
            kind = kinds[n % len(kinds)]
            r = random.Random(f"{options.seed}/{n}/bad")
            plan = r.choice(["naive", "mincut"])
            if kind == "stress":
                seed = r.randrange(1 << 30)
                code, _ = run([LLVM + "llvm-stress", f"-seed={seed}", f"-size={r.choice([30, 100, 250])}",
                               "-o", bitcode])
                with open(bitcode) as file:
                    text = file.read()
                name = re.search(r"@(autogen_SD\w*)", text).group(1)
                mode = r.choice(["autodiff", "fwddiff"])
                with open(bitcode, "a") as file:
                    file.write(STRESS_CALLER.replace("MODE", mode).replace("autogen_SDSEED", name))
                words = [LLVM + "opt", f"-load-pass-plugin={plugin}", f"-rg-plan={plan}",
                         "-passes=retrograd", "-S", bitcode, "-o", os.devnull]
            else:
                # A program serves several mutations.
                if base is None or n % 12 < len(kinds):
                    size = r.choice([4, 8, 12])
                    base, _ = generate.make(options.seed, n, size)
                    base["lang"] = "cpp"
                if kind == "calls":
                    with open(source, "w") as file:
                        file.write(mutate_call(r, emit.batch([(0, base, r.choice(["pr", "pf", "prh"]))])))
                    words = [driver, "-" + r.choice(["O0", "O1", "O2"]), "-w", "-fpermissive", "-c", source, "-o",
                             os.devnull, "-mllvm", f"-rg-plan={plan}"]
                else:
                    with open(source, "w") as file:
                        file.write(emit.batch([(0, base, r.choice(["pr", "pf"]))]))
                    code, _ = run([LLVM + "clang++", "-w", "-O1", "-Xclang", "-disable-llvm-passes",
                                   "-fno-discard-value-names", "-S", "-emit-llvm", source,
                                   "-o", bitcode])
                    if r.random() < 0.7:
                        run([LLVM + "opt", "-S", "-passes=sroa,early-cse,simplifycfg", bitcode, "-o",
                             bitcode])
                    with open(bitcode) as file:
                        text = file.read()
                    with open(bitcode, "w") as file:
                        file.write(mutate_ir(r, text))
                    words = [LLVM + "opt", f"-load-pass-plugin={plugin}", f"-rg-plan={plan}",
                             "-passes=retrograd", "-S", bitcode, "-o", os.devnull]
            code, text = run(words)
            internal = re.search(r"\[RG3\d\d\d\]", text)
            if code == 0:
                counts[kind, "differentiated"] += 1
            elif code == 1 and not internal and "Stack dump" not in text and "Assertion" not in text:
                refused = re.search(r"\[RG\d\d\d\d\]", text)
                counts[kind, "refused" if refused else "no valid input"] += 1
            else:
                failures += 1
                counts[kind, "CRASH"] += 1
                print(f"seed {options.seed} number {n} ({kind}): {crash_line(text, code)}", flush=True)
                if options.keep:
                    os.makedirs(options.keep, exist_ok=True)
                    kept = source if kind == "calls" else bitcode
                    name = os.path.join(options.keep, f"{kind}-{options.seed}-{n}{os.path.splitext(kept)[1]}")
                    with open(kept) as file, open(name, "w") as out:
                        out.write(f"{'//' if kind == 'calls' else ';'} {' '.join(words)}\n")
                        out.write(file.read())
    print("; ".join(f"{kind}: {what} {n}" for (kind, what), n in sorted(counts.items())))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
