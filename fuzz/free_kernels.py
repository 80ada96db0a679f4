#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Random GPU kernels without barriers.

kernel_generate.py grows kernels in which threads meet. Here threads never wait for each other: they add to places that they
share by atomic operations (also by loops of compare and exchange), count, keep integers, take work from queues, do a thing that
whoever comes first does, and follow indices; with structs, local arrays, loops whose bounds come from data, functions that are inlined or not,
recursion, early ends. No result depends on the order of threads, so a loop over them is the same program.

A kernel is text over the type `real`. Plain clang compiles it with dual numbers, as that loop: this is the oracle, for each
number of the input. rg-clang++ --offload=cpu compiles it with double; the kernel's own derivatives (__enzyme_autodiff
in a kernel), those of a host function that launches it, and forward mode of both are compared with the oracle.

    python3 fuzz/free_kernels.py --seed 1 --count 60 [--orders] [--only 17 --show]
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
N, M, Q, BINS = 24, 10, 12, 6  # elements, places that are shared, records, counters

COMMON = """
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#ifdef ORACLE
struct real {
  double v, d;
  real(double v = 0, double d = 0) : v(v), d(d) {}
  explicit operator int() const { return (int)v; }
  explicit operator double() const { return v; }
};
inline real operator+(real a, real b) { return {a.v + b.v, a.d + b.d}; }
inline real operator-(real a, real b) { return {a.v - b.v, a.d - b.d}; }
inline real operator-(real a) { return {-a.v, -a.d}; }
inline real operator*(real a, real b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
inline real operator/(real a, real b) { return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
inline real &operator+=(real &a, real b) { return a = a + b; }
inline real &operator-=(real &a, real b) { return a = a - b; }
inline real &operator*=(real &a, real b) { return a = a * b; }
inline bool operator<(real a, real b) { return a.v < b.v; }
inline bool operator>(real a, real b) { return a.v > b.v; }
inline real sin(real a) { return {std::sin(a.v), std::cos(a.v) * a.d}; }
inline real cos(real a) { return {std::cos(a.v), -std::sin(a.v) * a.d}; }
inline real exp(real a) { return {std::exp(a.v), std::exp(a.v) * a.d}; }
inline real sqrt(real a) { return {std::sqrt(a.v), a.d / (2 * std::sqrt(a.v))}; }
inline real fmax(real a, real b) { return a.v > b.v ? a : b; }
inline real fmin(real a, real b) { return a.v < b.v ? a : b; }
struct Place { int x; };
static Place threadIdx, blockIdx, blockDim, gridDim;
inline real atomicAdd(real *p, real v) { real old = *p; *p = old + v; return old; }
template <class T> T atomicAdd(T *p, T v) { T old = *p; *p = old + v; return old; }
template <class T> T atomicMax(T *p, T v) { T old = *p; if (v > old) *p = v; return old; }
template <class T> T atomicExch(T *p, T v) { T old = *p; *p = v; return old; }
template <class T> T atomicCAS(T *p, T was, T v) { T old = *p; if (old == was) *p = v; return old; }
template <class T> T atomicOr(T *p, T v) { T old = *p; *p = old | v; return old; }
inline void casAdd(real *p, real v) { *p += v; }
#define __device__
#define __global__
#define __noinline__
#else
#include <cuda_runtime.h>
typedef double real;
template <class R, class... T> __device__ R __enzyme_autodiff(void *, T...);
template <class R, class... T> __device__ R __enzyme_fwddiff(void *, T...);
template <class R, class... T> R __enzyme_autodiffHost(void *, T...);
template <class R, class... T> R __enzyme_fwddiffHost(void *, T...);
extern __device__ int enzyme_dup, enzyme_const;
__device__ void casAdd(double *a, double v) {
  unsigned long long *p = (unsigned long long *)a, old = *p, was;
  do {
    was = old;
    old = atomicCAS(p, was, (unsigned long long)__double_as_longlong(v + __longlong_as_double(was)));
  } while (was != old);
}
#endif
struct Record { real a; int kind; real b; real w[3]; };
struct Out { real p; int seen; real q[2]; };
"""

SIGNATURE = ("const real *x, const Record *rec, real *z, Out *out, real *y, "
             "real *once, int *counts, const int *index, real s, int n")
NAMES = "x, rec, z, out, y, once, counts, index, s, n"


class Kernel:
    def __init__(self, number, rng):
        self.k, self.rng = f"k{number}_", rng
        self.lines, self.depth, self.temp = [], 1, 0
        self.helpers = []
        self.on = {f for f in ("queue", "first", "local", "helper", "recursion", "cas", "struct", "own", "scalar",
                               "bits", "early", "stride", "switch", "pointer", "lambda", "counts")
                   if rng.random() < 0.5}
        self.blocks, self.threads = rng.choice([(1, 32), (2, 12), (3, 8), (1, 24), (2, 16), (4, 8), (1, 40)])

    # Text.
    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def fresh(self, what):
        self.temp += 1
        return f"{what}{self.temp}"

    def integer(self, scope):
        r = self.rng
        c = r.choice(scope["ints"])
        return r.choice([c, c, f"index[{c} % n]", f"({c} + {r.randint(1, 5)})", f"({c} * {r.randint(2, 3)})"])

    def at(self, scope, size):
        return f"{self.integer(scope)} % {size}"

    def leaf(self, scope):
        r = self.rng
        choices = [lambda: r.choice(scope["reals"])] * 3 + [
            lambda: f"x[{self.at(scope, 'n')}]", lambda: f"real({r.uniform(-1, 1):.3f})"]
        if "struct" in self.on:
            choices += [lambda: f"rec[{self.at(scope, Q)}].{r.choice(['a', 'b'])}",
                        lambda: f"rec[{self.at(scope, Q)}].w[{self.at(scope, 3)}]"]
        if "scalar" in self.on:
            choices.append(lambda: "s")
        for array, size in scope["arrays"]:
            choices.append(lambda a=array, m=size: f"{a}[{self.at(scope, m)}]")
        return r.choice(choices)()

    def real(self, scope, depth=2):
        r = self.rng
        if depth == 0 or r.random() < 0.2:
            return self.leaf(scope)
        a = lambda: self.real(scope, depth - 1)
        forms = ["({} + {})", "({} - {})", "real(0.6) * {} * {}", "sin({})", "cos({})", "exp(-({}) * ({}))",
                 "({}) / (real(1.5) + ({}) * ({}))", "sqrt(real(1.2) + ({}) * ({}))", "fmax({}, {})", "fmin({}, {})"]
        if self.helpers and not scope.get("helper"):
            forms += [f"{name}({{}}, {{}}, x, {self.at(scope, 'n')}, n)" for name in self.helpers]
        form = r.choice(forms)
        if form.startswith(("exp", "sqrt")):
            e = a()
            return form.format(e, e)
        if "real(1.5)" in form:
            e = a()
            return form.format(a(), e, e)
        return form.format(*(a() for _ in range(form.count("{}"))))

    def condition(self, scope):
        r = self.rng
        return r.choice([f"{r.choice(scope['reals'])} > real({r.uniform(-0.8, 1.2):.3f})",
                         f"{self.integer(scope)} % {r.randint(2, 4)} == {r.randint(0, 1)}",
                         f"{self.real(scope, 1)} < {self.real(scope, 1)}"])

    def body(self, scope, count, level):
        inner = {**scope, "ints": list(scope["ints"]), "reals": list(scope["reals"]), "arrays": list(scope["arrays"])}
        self.depth += 1
        for _ in range(count):
            self.statement(inner, level)
        self.depth -= 1
        return inner

    def block(self, head, scope, count, level, tail="}"):
        self.line(head + " {")
        self.body(scope, count, level)
        self.line(tail)

    def statement(self, scope, level):
        r = self.rng
        kinds = ["new", "assign", "assign", "add", "add", "if"]
        if level > 0:
            kinds += ["for", "while", "loop"]
        for kind in ("cas", "local", "own", "bits", "switch", "pointer", "counts", "struct", "lambda"):
            if kind in self.on:
                kinds.append(kind)
        if "first" in self.on and not scope.get("loop"):
            kinds.append("first")
        getattr(self, "s_" + r.choice(kinds))(scope, level)

    # Statements.
    def s_new(self, scope, level):
        name = self.fresh("r")
        self.line(f"real {name} = {self.real(scope)};")
        scope["reals"].append(name)

    def s_assign(self, scope, level):
        name = self.rng.choice(scope["reals"])
        self.line(f"{name} = {name} * real(0.5) + {self.real(scope)};" if self.rng.random() < 0.6
                  else f"{name} = {self.real(scope)};")

    def s_add(self, scope, level):
        self.line(f"atomicAdd(&y[{self.at(scope, M)}], {self.real(scope)});")

    def s_cas(self, scope, level):
        self.line(f"casAdd(&y[{self.at(scope, M)}], {self.real(scope)});")

    def s_if(self, scope, level):
        self.block(f"if ({self.condition(scope)})", scope, self.rng.randint(1, 2), level - 1)
        if self.rng.random() < 0.4:
            self.block("else", scope, self.rng.randint(1, 2), level - 1)

    def s_for(self, scope, level):
        j = self.fresh("j")
        bound = self.rng.choice([f"index[{self.at(scope, 'n')}] % 5", str(self.rng.randint(2, 5)),
                                 f"(int)({self.rng.choice(scope['reals'])}) % 4 + 2",
                                 f"rec[{self.at(scope, Q)}].kind"])
        self.loop(f"for (int {j} = 0; {j} < {bound}; {j}++)", scope, level, j)

    def loop(self, head, scope, level, counter):
        self.line(head + " {")
        inner = {**scope, "ints": scope["ints"] + [counter], "loop": True}
        self.depth += 1
        if self.rng.random() < 0.25:
            self.line(f"if ({self.condition(inner)}) {self.rng.choice(['break', 'continue'])};")
        self.depth -= 1
        self.body(inner, self.rng.randint(1, 3), level - 1)
        self.line("}")

    def s_loop(self, scope, level):
        j = self.fresh("j")
        self.loop(f"for (int {j} = {self.rng.randint(3, 5)}; {j} > 0; {j} -= {self.rng.randint(1, 2)})", scope, level, j)

    def s_while(self, scope, level):
        w, j = self.rng.choice(scope["reals"]), self.fresh("j")
        self.line(f"for (int {j} = 0; {j} < 6 && {w} > real({self.rng.uniform(0, 0.6):.3f}); {j}++) {{")
        self.body({**scope, "ints": scope["ints"] + [j], "loop": True}, self.rng.randint(1, 2), level - 1)
        self.line(f"  {w} = {w} * real(0.7) - real(0.05);")
        self.line("}")

    def s_local(self, scope, level):
        name, j = self.fresh("a"), self.fresh("j")
        self.line(f"real {name}[4];")
        self.line(f"for (int {j} = 0; {j} < 4; {j}++) {name}[{j}] = "
                  f"{self.real({**scope, 'ints': scope['ints'] + [j]}, 1)};")
        self.line(f"{name}[{self.at(scope, 4)}] += {self.real(scope, 1)};")
        scope["arrays"].append((name, 4))

    def s_struct(self, scope, level):
        name = self.fresh("c")
        self.line(f"Record {name} = rec[{self.at(scope, Q)}];")
        self.line(f"{name}.w[{self.at(scope, 3)}] *= {self.real(scope, 1)};")
        if self.rng.random() < 0.5:
            self.line(f"if ({name}.kind > 1) {name} = rec[{self.at(scope, Q)}];")
        scope["reals"] += [f"{name}.a", f"{name}.w[{self.rng.randint(0, 2)}]"]
        scope["ints"].append(f"{name}.kind")

    def s_own(self, scope, level):
        r = self.rng
        if scope.get("own"):
            place = r.choice([f"z[{scope['own']}]", f"out[{scope['own']}].p",
                              f"out[{scope['own']}].q[{self.at(scope, 2)}]"])
            self.line(f"{place} {r.choice(['=', '=', '+='])} real(0.5) * {place} + {self.real(scope)};")
            if r.random() < 0.3:
                self.line(f"out[{scope['own']}].seen += {self.integer(scope)};")
            if r.random() < 0.5:
                name = self.fresh("r")
                self.line(f"real {name} = {place};")
                scope["reals"].append(name)

    def s_bits(self, scope, level):
        name = self.fresh("i")
        self.line(f"int {name} = ((int)({self.real(scope, 1)} * real(3)) & 3) + {self.integer(scope)} % 3;")
        scope["ints"].append(name)

    def s_switch(self, scope, level):
        self.line(f"switch ({self.at(scope, 4)}) {{")
        for case in range(3):
            self.line(f"case {case}: {{")
            self.body(scope, 1, 0)
            if self.rng.random() < 0.7:
                self.line("  break;")
            self.line("}")
        self.line("default: {")
        self.body(scope, 1, 0)
        self.line("}")
        self.line("}")

    def s_pointer(self, scope, level):
        name = self.fresh("p")
        self.line(f"const real *{name} = {self.condition(scope)} ? x : &rec[{self.at(scope, Q)}].w[0];")
        scope["arrays"].append((name, 3))

    def s_counts(self, scope, level):
        r = self.rng
        self.line(r.choice([f"atomicAdd(&counts[{self.at(scope, BINS)}], {r.randint(1, 3)});",
                            f"atomicMax(&counts[{BINS} + {self.at(scope, BINS)}], {self.integer(scope)});",
                            f"atomicOr(&counts[{2 * BINS} + {self.at(scope, BINS)}], 1 << {self.at(scope, 5)});"]))

    def s_first(self, scope, level):
        # Whoever comes first does it, and it is the same for all.
        k = self.fresh("k")
        self.line(f"int {k} = {self.at(scope, N)};")
        how = self.rng.choice(["!atomicExch(&counts[{}], 1)", "atomicAdd(&counts[{}], 1) == 0",
                               "atomicCAS(&counts[{}], 0, 1) == 0"]).format(f"40 + {k}")
        to = self.rng.choice([f"once[{k}] =", f"once[{k}] +="])
        self.line(f"if ({how}) {to} x[{k}] * sin(x[({k} * 3 + 1) % n]) * s;")

    def s_lambda(self, scope, level):
        name, r = self.fresh("f"), self.rng.choice(scope["reals"])
        how = self.rng.choice(["[=]", "[&]"])
        self.line(f"auto {name} = {how}(real t) {{ return t * {r} + x[{self.at(scope, 'n')}]; }};")
        self.line(f"{self.rng.choice([v for v in scope['reals']])} += {name}({self.real(scope, 1)});")

    def helper(self, n):
        name = f"{self.k}h{n}"
        attribute = self.rng.choice(["", "__noinline__ "])
        scope = {"ints": ["i"], "reals": ["a", "b"], "arrays": [], "helper": True}
        keep, self.on = self.on, self.on - {"struct", "scalar"}
        e, c = self.real(scope), self.condition(scope)
        text = f"__device__ {attribute}real {name}(real a, real b, const real *x, int i, int n) {{\n"
        if "recursion" in keep and self.rng.random() < 0.6:
            text += f"  if (i > 2) return real(0.5) * {name}(b, a * real(0.8), x, i / 2, n) + {e};\n"
        if self.rng.random() < 0.5:
            text += f"  if ({c}) return {self.real(scope, 1)};\n"
        text += f"  return {e};\n}}\n"
        self.on = keep
        return name, text.replace("index[", "(").replace("(i % n]", "(i % n)")

    def grow(self):
        r = self.rng
        texts = []
        if "helper" in self.on:
            for n in range(r.randint(1, 2)):
                name, text = self.helper(n)
                texts.append(text)
                self.helpers.append(name)
        self.line("int t = blockIdx.x * blockDim.x + threadIdx.x;")
        scope = {"ints": ["t"], "reals": ["r0"], "arrays": []}
        stride = "stride" in self.on
        if stride:
            self.line("for (int i = t; i < n; i += blockDim.x * gridDim.x) {")
            self.depth += 1
        else:
            self.line("int i = t;")
            self.line("if (i >= n) return;")
        scope["ints"] = ["i"]
        if "own" in self.on:
            scope["own"] = "i"
        self.line("real r0 = x[i];")
        if "early" in self.on:
            self.line(f"if ({self.condition(scope)}) {'continue' if stride else 'return'};")
        for _ in range(r.randint(4, 8)):
            self.statement(scope, 2)
        self.line(f"atomicAdd(&y[{self.at(scope, M)}], {scope['reals'][-1]} * r0);")
        if stride:
            self.depth -= 1
            self.line("}")
        if "queue" in self.on:
            self.line("for (int k = atomicAdd(&counts[39], 1); k < n; k = atomicAdd(&counts[39], 1)) {")
            inner = {"ints": ["k"], "reals": ["q0"], "arrays": [], "loop": True}
            self.line("  real q0 = x[k] * s;")
            keep, self.on = self.on, self.on - {"own", "first"}
            self.body(inner, r.randint(1, 3), 1)
            self.on = keep
            self.line("  once[n + k] = q0 * q0;")
            self.line("}")
        return "".join(texts) + f"__global__ void {self.k}({SIGNATURE}) {{\n" + "\n".join(self.lines) + "\n}\n"


HARNESS = r"""
static const int N = %(N)d, M = %(M)d, Q = %(Q)d, COUNTS = 80;
// Numbers: x, rec (5 each), z, out (3 each), y, once (2 N), s.
static const int ALL = N + 5 * Q + N + 3 * N + M + 2 * N + 1;
struct State {
  std::vector<real> x, z, y, once;
  std::vector<Record> rec;
  std::vector<Out> out;
  std::vector<int> counts, index;
  real s;
  State() : x(N), z(N), y(M), once(2 * N), rec(Q), out(N), counts(COUNTS), index(N), s(0) {
    memset((void *)rec.data(), 0, Q * sizeof(Record));
    memset((void *)out.data(), 0, N * sizeof(Out));
  }
  std::vector<real *> all() {
    std::vector<real *> a;
    for (auto &v : x) a.push_back(&v);
    for (auto &r : rec) { a.push_back(&r.a), a.push_back(&r.b); for (auto &w : r.w) a.push_back(&w); }
    for (auto &v : z) a.push_back(&v);
    for (auto &o : out) { a.push_back(&o.p); for (auto &q : o.q) a.push_back(&q); }
    for (auto &v : y) a.push_back(&v);
    for (auto &v : once) a.push_back(&v);
    a.push_back(&s);
    return a;
  }
  void begin(unsigned seed) {
    auto next = [&] { return seed = seed * 1664525u + 1013904223u, seed >> 8; };
    for (real *v : all()) *v = real(0.2 + 1.1 * next() / double(1 << 24));
    for (auto &r : rec) r.kind = next() %% 4;
    for (auto &i : index) i = next() %% N;
  }
};
static double direction(int k) { return 0.3 + 0.1 * (k * 7 %% 13) - 0.05 * (k * 3 %% 5); }
static double seedOf(int k) { return k < N + 5 * Q ? 0 : 0.2 + 0.1 * (k * 5 %% 11) - 0.07 * (k %% 6); }
"""

ORACLE_RUN = r"""
static void run_%(k)s(State &st) {
  gridDim.x = %(blocks)d, blockDim.x = %(threads)d;
  for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
    for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
      %(k)s(st.x.data(), st.rec.data(), st.z.data(), st.out.data(), st.y.data(), st.once.data(), st.counts.data(),
            st.index.data(), st.s, N);
}
"""
ORACLE_MAIN = r"""
static void judge(const char *name, void (*run)(State &)) {
  for (int k = -1; k < ALL; k++) {
    State st;
    st.begin(77);
    auto a = st.all();
    for (int j = 0; j < ALL; j++) a[j]->d = k < 0 ? direction(j) : j == k;
    run(st);
    if (k < 0)
      for (int j = 0; j < ALL; j++) printf("%s v%d %.17g\n%s t%d %.17g\n", name, j, a[j]->v, name, j, a[j]->d);
    else {
      double g = 0, size = 0;
      for (int j = N + 5 * Q; j < ALL - 1; j++) g += seedOf(j) * a[j]->d, size += fabs(seedOf(j) * a[j]->d);
      printf("%s g%d %.17g %.17g\n", name, k, g, size);
    }
  }
}
"""

CUDA_RUN = r"""
__global__ void %(k)sr(const real *x, real *dx, const Record *rec, Record *drec, real *z, real *dz, Out *out, Out *dout, real *y, real *dy,
                       real *once, real *donce, int *counts, const int *index, const real *s, real *ds, int n) {
  double g = __enzyme_autodiff<double>((void *)%(k)s, enzyme_dup, x, dx, enzyme_dup, rec, drec, enzyme_dup, z, dz, enzyme_dup, out, dout,
                            enzyme_dup, y, dy, enzyme_dup, once, donce, enzyme_const, counts, enzyme_const, index, *s, enzyme_const, n);
  atomicAdd(ds, g);
}
__global__ void %(k)sf(const real *x, real *dx, const Record *rec, Record *drec, real *z, real *dz, Out *out, Out *dout, real *y, real *dy,
                       real *once, real *donce, int *counts, const int *index, const real *s, real *ds, int n) {
  __enzyme_fwddiff<void>((void *)%(k)s, enzyme_dup, x, dx, enzyme_dup, rec, drec, enzyme_dup, z, dz, enzyme_dup, out, dout,
                         enzyme_dup, y, dy, enzyme_dup, once, donce, enzyme_const, counts, enzyme_const, index, enzyme_dup, *s, *ds, enzyme_const, n);
}
static double %(k)shost(real *x, Record *rec, real *z, Out *out, real *y, real *once, int *counts, const int *index, real s, int n) {
  real *gx = up(x, N), *gz = up(z, N), *gy = up(y, M), *go = up(once, 2 * N);
  Record *gr = up(rec, Q);
  Out *gt = up(out, N);
  int *gc = up(counts, COUNTS), *gi = up(index, N);
  %(k)s<<<%(blocks)d, %(threads)d>>>(gx, gr, gz, gt, gy, go, gc, gi, s, n);
  down(z, gz, N), down(y, gy, M), down(once, go, 2 * N), down(out, gt, N);
  cudaFree(gx), cudaFree(gz), cudaFree(gy), cudaFree(go), cudaFree(gr), cudaFree(gt), cudaFree(gc), cudaFree(gi);
  double sum = 0;
  int k = N + 5 * Q;
  for (int i = 0; i < N; i++) sum += seedOf(k++) * z[i];
  for (int i = 0; i < N; i++) { sum += seedOf(k++) * out[i].p; for (int j = 0; j < 2; j++) sum += seedOf(k++) * out[i].q[j]; }
  for (int i = 0; i < M; i++) sum += seedOf(k++) * y[i];
  for (int i = 0; i < 2 * N; i++) sum += seedOf(k++) * once[i];
  return sum;
}
static void run_%(k)s(State &st, State &d, int how) {
  if (how == 1) {
    st.s = __enzyme_autodiffHost<double>((void *)%(k)shost, enzyme_dup, st.x.data(), d.x.data(), enzyme_dup, st.rec.data(), d.rec.data(),
        enzyme_dup, st.z.data(), d.z.data(), enzyme_dup, st.out.data(), d.out.data(), enzyme_dup, st.y.data(), d.y.data(), enzyme_dup, st.once.data(),
        d.once.data(), enzyme_const, st.counts.data(), enzyme_const, st.index.data(), st.s, enzyme_const, N);
    return;
  }
  if (how == 3) {
    d.s = __enzyme_fwddiffHost<double>((void *)%(k)shost, enzyme_dup, st.x.data(), d.x.data(), enzyme_dup, st.rec.data(), d.rec.data(),
        enzyme_dup, st.z.data(), d.z.data(), enzyme_dup, st.out.data(), d.out.data(), enzyme_dup, st.y.data(), d.y.data(), enzyme_dup, st.once.data(),
        d.once.data(), enzyme_const, st.counts.data(), enzyme_const, st.index.data(), enzyme_dup, st.s, d.s, enzyme_const, N);
    return;
  }
  real *gx = up(st.x.data(), N), *gz = up(st.z.data(), N), *gy = up(st.y.data(), M), *go = up(st.once.data(), 2 * N), *gs = up(&st.s, 1);
  real *hx = up(d.x.data(), N), *hz = up(d.z.data(), N), *hy = up(d.y.data(), M), *ho = up(d.once.data(), 2 * N), *hs = up(&d.s, 1);
  Record *gr = up(st.rec.data(), Q), *hr = up(d.rec.data(), Q);
  Out *gt = up(st.out.data(), N), *ht = up(d.out.data(), N);
  int *gc = up(st.counts.data(), COUNTS), *gi = up(st.index.data(), N);
  if (how == 0)
    %(k)sr<<<%(blocks)d, %(threads)d>>>(gx, hx, gr, hr, gz, hz, gt, ht, gy, hy, go, ho, gc, gi, gs, hs, N);
  else
    %(k)sf<<<%(blocks)d, %(threads)d>>>(gx, hx, gr, hr, gz, hz, gt, ht, gy, hy, go, ho, gc, gi, gs, hs, N);
  if (cudaDeviceSynchronize() != cudaSuccess) printf("the kernel failed\n"), exit(1);
  down(st.z.data(), gz, N), down(st.y.data(), gy, M), down(st.once.data(), go, 2 * N), down(st.out.data(), gt, N);
  down(d.x.data(), hx, N), down(d.rec.data(), hr, Q), down(d.z.data(), hz, N), down(d.y.data(), hy, M), down(d.once.data(), ho, 2 * N), down(d.out.data(), ht, N);
  down(&d.s, hs, 1);
}
"""
CUDA_HEAD = r"""
template <class T> static T *up(const T *v, int n) { T *p; cudaMalloc((void **)&p, n * sizeof(T)); cudaMemcpy(p, v, n * sizeof(T), cudaMemcpyHostToDevice); return p; }
template <class T> static void down(T *v, const T *p, int n) { cudaMemcpy(v, p, n * sizeof(T), cudaMemcpyDeviceToHost); }
"""
CUDA_MAIN = r"""
static void judge(const char *name, void (*run)(State &, State &, int)) {
  for (int how = 0; how < 4; how++) {
    State st, d;
    st.begin(77);
    auto a = st.all(), b = d.all();
    for (int k = 0; k < ALL; k++) *b[k] = how == 0 ? (k == ALL - 1 ? 0 : seedOf(k)) : how == 1 ? 0 : direction(k);
    run(st, d, how);
    if (how == 1) *b[ALL - 1] = st.s;
    if (how == 3) { printf("%s%d T %.17g\n", name, how, d.s); continue; }
    for (int k = 0; k < ALL; k++) {
      if (how != 1 && k >= N + 5 * Q && k < ALL - 1) printf("%s%d v%d %.17g\n", name, how, k, *a[k]);
      printf("%s%d %s%d %.17g\n", name, how, how < 2 ? "g" : "t", k, *b[k]);
    }
    fflush(stdout);
  }
}
"""


def unit(kernels, texts, oracle):
    text = COMMON + "\n".join(texts) + HARNESS % {"N": N, "M": M, "Q": Q} + ("" if oracle else CUDA_HEAD)
    for k in kernels:
        text += (ORACLE_RUN if oracle else CUDA_RUN) % {"k": k.k, "blocks": k.blocks, "threads": k.threads}
    text += ORACLE_MAIN if oracle else CUDA_MAIN
    text += "int main(int argc, char **argv) {\n"
    for n, k in enumerate(kernels):
        text += f'  if (argc < 2 || atoi(argv[1]) == {n}) judge("{k.k}", run_{k.k});\n'
    return text + "}\n"


def numbers(text):
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 3:
            found[words[0], words[1]] = [float(w) for w in words[2:]]
    return found


def compare(kernel, oracle, found):
    """What differs, in words."""
    tag, wrong = kernel.k, []
    want = {key[1]: value for key, value in oracle.items() if key[0] == tag}
    if any(not abs(v[0]) < 1e6 for v in want.values()):
        return None  # no fair question
    outputs = range(N + 5 * Q, N + 5 * Q + 4 * N + M + 2 * N)
    seed = lambda k: 0.2 + 0.1 * (k * 5 % 11) - 0.07 * (k % 6)
    slope = sum(seed(k) * want[f"t{k}"][0] for k in outputs)
    scale = 1 + sum(abs(seed(k) * want[f"t{k}"][0]) for k in outputs)
    for how, name in enumerate(["reverse", "reverse of host", "forward", "forward of host"]):
        got = {key[1]: value[0] for key, value in found.items() if key[0] == f"{tag}{how}"}
        if not got:
            wrong.append(f"{name}: nothing")
        for what, value in sorted(got.items()):
            if what == "T":
                right, size = slope, scale
            else:
                k = int(what[1:])
                if how == 2 and what[0] == "t" and (k < N + 5 * Q or k == outputs.stop):
                    continue
                right = want[what][0]
                size = 1 + abs(right) + (want[what][1] if what[0] == "g" else 0)
            if not abs(value - right) <= 1e-9 * size:
                wrong.append(f"{name}: {what} is {value:.12g}, not {right:.12g}")
    return wrong


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build", nargs="?", default=os.path.join(ROOT, "build"))
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=24)
    p.add_argument("--batch", type=int, default=6)
    p.add_argument("--only", type=int)
    p.add_argument("--show", action="store_true")
    p.add_argument("--orders", action="store_true")
    p.add_argument("--config", default="-O2")
    p.add_argument("--keep")
    args = p.parse_args()
    todo = [args.only] if args.only is not None else list(range(args.count))
    driver = os.path.join(args.build, "bin", "rg-clang++")
    count = {"ok": 0, "refused": 0, "wrong": 0, "unfair": 0, "failed": 0}
    for first in range(0, len(todo), args.batch):
        kernels, texts = [], []
        for n in todo[first:first + args.batch]:
            k = Kernel(n, random.Random(args.seed * 1000003 + n))
            texts.append(k.grow())
            kernels.append(k)
        if args.show:
            print("\n".join(texts))
        judge(args, driver, kernels, texts, count)
    print(", ".join(f"{v} {k}" for k, v in count.items()))
    sys.exit(bool(count["wrong"] or count["failed"]))


def judge(args, driver, kernels, texts, count):
    with tempfile.TemporaryDirectory() as work:
        def compile(name, command, oracle):
            source = os.path.join(work, name + (".cpp" if oracle else ".cu"))
            with open(source, "w") as f:
                f.write(unit(kernels, texts, oracle))
            return subprocess.run(command + ["-w", "-std=c++17", source, "-o", os.path.join(work, name)],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
        r = compile("oracle", ["clang++-22", "-O1", "-DORACLE"], True)
        if r.returncode:
            print("the oracle does not compile:", r.stderr[:2000])
            count["failed"] += len(kernels)
            return
        order = ["-mllvm", "-rg-gpu-interleave"] if args.orders else []
        r = compile("program", [driver, "--offload=cpu", *args.config.split(), *order], False)
        names = ", ".join(k.k for k in kernels)
        if r.returncode:
            if len(kernels) > 1:
                for k, t in zip(kernels, texts):
                    judge(args, driver, [k], [t], count)
                return
            crashed = "Stack dump" in r.stderr or "[RG" not in r.stderr
            count["failed" if crashed else "refused"] += 1
            if args.keep:
                with open(os.path.join(args.keep, names + ".cu"), "w") as f:
                    f.write(unit(kernels, texts, False))
            print(f"seed {args.seed} {names} {'CRASH' if crashed else 'refused'}:",
                  next((line for line in r.stderr.splitlines() if "error" in line), r.stderr[:300])[:300])
            return
        oracle = numbers(subprocess.run([os.path.join(work, "oracle")], capture_output=True, text=True).stdout)
        orders = ["steps", "steps,reverse", "mixed,random:7", "threads,reverse"] if args.orders else [""]
        for n, k in enumerate(kernels):
            bad = []
            for o in orders:
                env = {**os.environ, **({"RG_GPU_ORDER": o} if o else {})}
                r = subprocess.run([os.path.join(work, "program"), str(n)], capture_output=True, text=True, env=env, timeout=300)
                wrong = compare(k, oracle, numbers(r.stdout))
                if wrong is None:
                    break
                if r.returncode:
                    wrong.append(f"ended with {r.returncode}: {r.stderr[:200]}")
                bad += [f"{o} {w}" for w in wrong]
            if wrong is None:
                count["unfair"] += 1
            elif bad:
                count["wrong"] += 1
                print(f"seed {args.seed} {k.k} WRONG ({len(bad)}): " + "; ".join(bad[:3]))
            else:
                count["ok"] += 1


if __name__ == "__main__":
    main()
