#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""What random programs reach of the tables in the code, and what they never reach.

    fuzz/coverage.py --seed 1 --count 60

Compiles programs of every generator (programs, kernels, shapes, LLVM IR) and prints which of

    instructions     of LLVM, those that may stand in a primal
    operations       of the catalogue (lib/Catalogue/*.td): library functions and intrinsics
    entry points     of lib/Request/EntryPoints.def
    markers          of the same file
    messages         of lib/Diagnostics/Diagnostics.def

a primal, a source text or the compiler's output named, how often, and the rest by name."""

import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)

INSTRUCTIONS = """ret br switch indirectbr unreachable fneg add fadd sub fsub mul fmul udiv sdiv fdiv urem srem frem shl lshr
ashr and or xor extractelement insertelement shufflevector extractvalue insertvalue alloca load store fence cmpxchg atomicrmw
getelementptr trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast addrspacecast icmp fcmp phi
select freeze call va_arg""".split()


def tables():
    """{what: [names]}, read from the code."""
    def text(*parts):
        with open(os.path.join(ROOT, *parts)) as file:
            return re.sub(r"//[^\n]*", "", file.read())

    operations = set()
    folder = os.path.join(ROOT, "lib", "Catalogue")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".td"):
            continue
        td = text("lib", "Catalogue", name)
        for found in re.findall(r"(?:Names|Intrinsics|Lowers)\s*(?:=|<)\s*\[([^]]*)\]", td) + \
                re.findall(r"(?:Inactive\w*|Allocation|Deallocation|Handler|Ignored)<\s*\[([^]]*)\]", td):
            operations.update(re.findall(r'"([^"]+)"', found))
        operations.update(re.findall(r'IntrinsicFormula<\s*"([^"]+)"', td))
        if "[NAME]" in td:
            operations.update(re.findall(r"^def (\w+) : (?:Unary|Binary|Math|Libm)\w*<", td, re.M))
    entries = text("lib", "Request", "EntryPoints.def")
    return {
        "instructions": INSTRUCTIONS,
        "operations": sorted(operations),
        "entry points": re.findall(r'^ENTRY_POINT\("(\w+)"', entries, re.M),
        "markers": re.findall(r'^MARKER\("(\w+)"', entries, re.M),
        "messages": sorted(set(re.findall(r'DIAGNOSTIC\(\w+, "(RG\d+)"', text("lib", "Diagnostics", "Diagnostics.def")))),
    }


class Count:
    def __init__(self, names):
        self.names = names
        self.seen = {what: collections.Counter() for what in names}
        # Names of families end in *.
        self.exact = {n: n for n in names["operations"] if not n.endswith("*")}
        self.families = [n for n in names["operations"] if n.endswith("*")]

    def operation(self, called):
        if called in self.exact:
            return called
        # llvm.sin.f64 is an overload of llvm.sin.
        while called.startswith("llvm.") and called.count(".") > 1:
            called = called.rsplit(".", 1)[0]
            if called in self.exact:
                return called
        return next((f for f in self.families if called.startswith(f[:-1])), None)

    def note(self, source, said):
        for line in said.splitlines():
            found = re.match(r"\s+(?:%\S+ = )?(?:tail |musttail |notail )?([a-z_]+)\b", line)
            if found and found.group(1) in INSTRUCTIONS:
                self.seen["instructions"][found.group(1)] += 1
            called = re.search(r"\bcall [^@]*@\"?([\w.$]+)", line)
            if called and (name := self.operation(called.group(1))):
                self.seen["operations"][name] += 1
            self.seen["messages"].update(re.findall(r"\[(RG\d+)\]", line))
        for what in ("entry points", "markers"):
            for name in re.findall(r"\w*(?:enzyme|diffe)_\w+", source):
                self.seen[what].update(n for n in self.names[what] if n == name)

    def report(self, listed):
        for what, names in self.names.items():
            hit = [n for n in names if self.seen[what][n]]
            print(f"{what}: {len(hit)} of {len(names)} reached")
            for n, times in self.seen[what].most_common(None if listed else 8):
                print(f"  {times:8} {n}")
            print("  never: " + (" ".join(n for n in names if not self.seen[what][n]) or "none"))


def sources(options, folder):
    """(path, driver, flags, text) of each file."""
    import emit
    import generate
    import kernel_emit  # noqa: F401  (kernels are a language of programs once these are there)
    import kernel_generate  # noqa: F401
    import kernel_oracle  # noqa: F401
    import shapes
    made = []

    def file(name, text, driver, flags=()):
        path = os.path.join(folder, name)
        with open(path, "w") as out:
            out.write(text)
        made.append((path, driver, list(flags), text))

    for lang, driver, flags in (("", None, ()), ("cu", "rg-clang++", ("--offload=cpu",))):
        by = collections.defaultdict(list)
        for n in range(options.count if not lang else options.count // 6):
            program, _ = generate.make(options.seed, n, None, lang)
            by[program["lang"]].append((n, program, emit.MODES))
        for ending, programs in by.items():
            for k in range(0, len(programs), 6):
                file(f"run{k}.{ending}", emit.batch(programs[k:k + 6]), driver or ("rg-clang" if ending == "c" else "rg-clang++"), flags)
    parts = collections.defaultdict(list)
    for n in range(options.count):
        q = shapes.Program(options.seed, n)
        parts[q.lang, q.openmp].append(q)
    for (lang, parallel), part in parts.items():
        for k in range(0, len(part), 6):
            some = part[k:k + 6]
            text, _, ending = shapes.texts(some, False, {q.number: {"r", "f"} for q in some})
            text = text.replace('# 1 "main.c"', shapes.other_part(some) + '# 1 "main.c"', 1)
            file(f"shapes{k}{parallel}.{ending}", text, "rg-clang" if lang == "c" else "rg-clang++",
                 ["-w"] + (["-fopenmp"] if parallel else []))
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--listed", action="store_true", help="everything that was reached, with its number")
    parser.add_argument("--with-tests", action="store_true", help="count test/Execute and test/Diagnostics, too")
    options = parser.parse_args()
    count = Count(tables())
    with tempfile.TemporaryDirectory(prefix="rg-coverage-") as folder:
        files = sources(options, folder)
        if options.with_tests:
            for under in ("Execute/C", "Execute/Cxx", "Execute/Split", "Execute/OpenMP", "Diagnostics"):
                at = os.path.join(ROOT, "test", under)
                for name in sorted(os.listdir(at)):
                    if name.endswith((".c", ".cpp")):
                        with open(os.path.join(at, name)) as text:
                            files.append((os.path.join(at, name), "rg-clang" if name.endswith(".c") else "rg-clang++",
                                          ["-I" + os.path.join(ROOT, "test", "include"), "-fopenmp"], text.read()))
        rng = random.Random(options.seed)
        for path, driver, flags, text in files:
            command = [os.path.join(os.path.abspath(options.build), "bin", driver), *flags, "-" + rng.choice(["O0", "O1", "O2", "O3"]),
                       "-w", "-ferror-limit=0", "-mllvm", "-rg-print-primal", "-c", path, "-o", os.path.join(folder, "out.o")]
            try:
                done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=600)
                count.note(text, done.stdout + done.stderr)
            except subprocess.TimeoutExpired:
                pass
    print(f"{len(files)} files")
    count.report(options.listed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
