#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long the compiler takes for derivatives.

    bench/compile-time.py [build folder] [statements ...]
    bench/compile-time.py [build folder] --programs
    bench/compile-time.py [build folder] --steps

Generates families of functions with that many statements (default: 250 500 1000
2000) and prints seconds of processor time at -O2 without and with a gradient call,
their ratio, and the exponent by which the time of the last grew: 1 is linear. The
family `templates` has as many small functions of a C++ template library, at -O0. With
--programs the same times for the programs of `make bench`: the file that calls the primal,
and the file that calls its derivative. With --steps, where the time of three of these files goes, from
the best of three runs with -ftime-trace: what each of our steps takes without the steps within it.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import random
import re
import resource
import subprocess
import tempfile


def line(n, pick):
    """One block: sums, products, quotients and sines of four variables."""
    yield "  double t0 = x[0], t1 = x[1], t2 = x[2], t3 = x[3];"
    for i in range(n):
        a, b, c = pick(4), pick(4), pick(4)
        yield "  " + (
            f"t{a} = t{b} * t{c} + x[{i % 64}];",
            f"t{a} = t{b} - 0.5 * t{c} * x[{i % 64}];",
            f"t{a} = t{b} / (1.5 + t{c} * t{c});",
            f"t{a} = sin(t{b}) * t{c};",
        )[pick(4)]
    yield "  return t0 + t1 + t2 + t3;"


def branches(n, pick):
    """A decision every ten statements."""
    yield "  double t0 = x[0], t1 = x[1], t2 = x[2], t3 = x[3];"
    for i in range(n):
        a, b, c = pick(4), pick(4), pick(4)
        if i % 10 == 0:
            yield f"  if (t{a} > {i * 0.001}) t{b} = t{c} * x[{i % 64}]; else t{b} = t{a} * 0.5;"
        yield f"  t{a} = t{b} * t{c} + x[{i % 64}];"
    yield "  return t0 + t1 + t2 + t3;"


def loops(n, pick):
    """A loop of three statements after the other."""
    yield "  double s = x[0];"
    for i in range(n // 3):
        yield f"  for (int i = 0; i < 64; ++i) {{ double u = x[i] * s; y[i] = y[i] * u + {i}; s += sin(y[i]) * u; }}"
    yield "  return s;"


TEMPLATES = r"""
template <typename R, typename... T> R __enzyme_autodiff(void *, T...);
extern int enzyme_dup, enzyme_const;
template <int I> struct View {
  double *at; int n;
  View(double *at, int n) : at(at), n(n) {}
  int size() const { return n; }
  double *address(int i) const { return at + i; }
  double &operator[](int i) const { return *address(i); }
};
template <int I> double scale(double a, double b) { return a * b + I; }
template <int I> double mix(double a, double b) { return scale<I>(a, b) - 0.5 * a; }
template <int I> double apply(double a, double b) {
  return I % 3 ? mix<I>(a, b) : sin(a) * scale<I>(b, a);
}
template <int I> struct Layer {
  View<I> in, out;
  double weight;
  Layer(double *a, double *b, int n, double w) : in(a, n), out(b, n), weight(w) {}
  double dot() const {
    double r = 0;
    for (int i = 0; i < in.size(); ++i) r += in[i] * out[i];
    return r;
  }
  void step() const {
    for (int i = 0; i < in.size(); ++i) out[i] = apply<I>(in[i], weight) * 1e-3 + out[i] * 0.5;
  }
  double run() const { step(); return dot() + weight; }
};
template <int I> double layer(double *a, double *b, int n) {
  return Layer<I>(a, b, n, a[I % n]).run();
}
"""


def templates(n):
    """Instantiations of twelve functions each, called fifty at a time."""
    yield TEMPLATES
    layers = range(n // 12)
    for first in layers[::50]:
        yield f"double part{first}(double *a, double *b, int n) {{ double r = 0;"
        for i in layers[first : first + 50]:
            yield f"  r += layer<{i}>(a, b, n);"
        yield "  return r; }"
    yield "double f(double *a, double *b, int n) { double r = 0;"
    for first in layers[::50]:
        yield f"  r += part{first}(a, b, n);"
    yield "  return r; }"
    yield "#ifdef GRADIENT\nvoid g(double *x, double *dx, double *y, double *dy, int n) {"
    yield "  __enzyme_autodiff<void>((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);"
    yield "}\n#endif"


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def programs(build):
    bench = pathlib.Path(__file__).resolve().parent
    names = re.search(r"^PROGRAMS := (.*)$", (bench / "Makefile").read_text(), re.MULTILINE)[1].split()
    clang = [os.path.join(build, "bin", "rg-clang++"), "-O2", "-std=c++20", "-c", "-o", os.devnull]
    logs = 0.0
    print(f"{'program':14} {'primal s':>9} {'gradient s':>10} {'ratio':>7}   (compile time, -O2)")
    for name in names:
        folder = next(f for f in (bench / "programs", bench.parent / "demo" / "programs") if (f / f"{name}Primal.cpp").exists())
        primal, gradient = (
            min(seconds([*clang, str(folder / f"{name}{part}.cpp")]) for _ in range(2)) for part in ("Primal", "Gradient")
        )
        logs += math.log(gradient / primal)
        print(f"{name:14} {primal:9.2f} {gradient:10.2f} {gradient / primal:7.2f}", flush=True)
    mean = math.exp(logs / len(names))
    print(f"{'geometric mean':14} {'':9} {'':10} {mean:7.2f}   (aim: 2.5) {'met' if mean <= 2.5 else 'NOT MET'}")


def shares(trace):
    """From the name of a part of the compilation to its seconds, without those of the parts within."""
    events = [e for e in json.loads(trace.read_text())["traceEvents"]
              if e["ph"] == "X" and (e["name"].startswith("rg-") or e["name"] in ("ExecuteCompiler", "Frontend"))]
    events.sort(key=lambda e: (e["tid"], e["ts"], -e["dur"]))
    own, around = collections.Counter(), []
    for e in events:
        while around and (around[-1]["tid"] != e["tid"] or around[-1]["ts"] + around[-1]["dur"] <= e["ts"]):
            around.pop()
        own[e["name"]] += e["dur"] / 1e6
        if around:
            own[around[-1]["name"]] -= e["dur"] / 1e6
        around.append(e)
    return own


def steps(build):
    folder = pathlib.Path(__file__).resolve().parent.parent / "demo" / "programs"
    clang = [os.path.join(build, "bin", "rg-clang++"), "-O2", "-std=c++20", "-c"]
    found = {}
    with tempfile.TemporaryDirectory() as place:
        for name in ("Brusselator", "Gmm", "Hand"):
            runs = []
            for _ in range(3):
                trace = pathlib.Path(place) / "trace.json"
                subprocess.run([*clang, str(folder / f"{name}Gradient.cpp"), "-o", os.path.join(place, "x.o"),
                                f"-ftime-trace={trace}", "-ftime-trace-granularity=0"], check=True)
                runs.append(shares(trace))
            found[name] = min(runs, key=lambda run: sum(run.values()))
    names = list(found)
    print("| part | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    totals = {name: sum(run.values()) for name, run in found.items()}
    print("| seconds | " + " | ".join(f"{totals[n]:.2f}" for n in names) + " |")
    rows = {"clang's front end": ["Frontend"], "LLVM: passes and code generation": ["ExecuteCompiler"]}
    ours = {part for run in found.values() for part in run if part.startswith("rg-")}
    rows["ours, together"] = sorted(ours)
    for part in sorted(ours, key=lambda part: -sum(found[n][part] / totals[n] for n in names)):
        rows[f"`{part}`"] = [part]
    for row, parts in rows.items():
        percent = [100 * sum(found[n][p] for p in parts) / totals[n] for n in names]
        if max(percent) >= 0.05:
            print(f"| {row} | " + " | ".join(f"{p:.1f} %" for p in percent) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=str(pathlib.Path(__file__).resolve().parent.parent / "build"))
    parser.add_argument("statements", nargs="*", type=int)
    parser.add_argument("--programs", action="store_true", help="the programs of `make bench`")
    parser.add_argument("--steps", action="store_true", help="where the time of three programs goes")
    options = parser.parse_args()
    if options.build.isdigit():
        options.statements.insert(0, int(options.build))
        options.build = parser.get_default("build")
    if options.steps:
        steps(options.build)
    elif options.programs:
        programs(options.build)
    else:
        families(options.build, options.statements or [250, 500, 1000, 2000])


def families(build, sizes):
    clang = [os.path.join(build, "bin", "rg-clang"), "-O2", "-c", "-o", os.devnull]
    print(f"{'family':10} {'statements':>10} {'primal s':>9} {'gradient s':>10} {'ratio':>7} {'growth':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for family in (line, branches, loops):
            last = None
            for n in sizes:
                source = os.path.join(folder, f"{family.__name__}{n}.c")
                chance = random.Random(1)
                with open(source, "w") as out:
                    print("#include <math.h>\nvoid __enzyme_autodiff(void *, ...);", file=out)
                    print("double f(const double *x, double *y) {", file=out)
                    print(*family(n, chance.randrange), "}", "#ifdef GRADIENT", sep="\n", file=out)
                    print("void g(const double *x, double *dx, double *y, double *dy) {", file=out)
                    print("  __enzyme_autodiff((void *)f, x, dx, y, dy);\n}\n#endif", file=out)
                last = measured(clang, source, family.__name__, n, last)
        clang = [os.path.join(build, "bin", "rg-clang++"), "-O0", "-c", "-o", os.devnull]
        last = None
        for n in sizes:
            source = os.path.join(folder, f"templates{n}.cpp")
            with open(source, "w") as out:
                print("#include <math.h>", *templates(n), sep="\n", file=out)
            last = measured(clang, source, "templates", n, last)


def measured(clang, source, family, n, last):
    """One row of the table; what the next row compares itself with."""
    primal = seconds([*clang, source])
    both = seconds([*clang, "-DGRADIENT", source])
    growth = f"{math.log(both / last[1]) / math.log(n / last[0]):.2f}" if last else ""
    print(f"{family:10} {n:10} {primal:9.2f} {both:10.2f} {both / primal:7.1f} {growth:>7}", flush=True)
    return n, both


if __name__ == "__main__":
    main()
