#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Random programs made of shapes of memory: see README.md.

    fuzz/shapes.py --seed 1 --count 200        a fixed set
    fuzz/shapes.py --seed 1 --seconds 60       as many as there is time for
    fuzz/shapes.py --seed 1 --only 17 --show   one program: its text, every configuration

A program is C or C++ text over the type `real`. Compiled with Retrograd, `real` is double
and derivatives are asked for; compiled by plain clang, `real` is a dual number, and the program
itself computes what the derivatives are: for each direction once. Whatever moves numbers in
bulk moves tangents with them, so that the oracle needs to know nothing of memory."""

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
from harness import crash_line, filled_heap

N = 5  # numbers that a program takes

DUAL = r"""
#include <cmath>
struct real {
  double v, d;
  real() = default;
  real(double x) : v(x), d(0) {}
  real(double x, double t) : v(x), d(t) {}
  real &operator+=(real b) { v += b.v; d += b.d; return *this; }
  real &operator-=(real b) { v -= b.v; d -= b.d; return *this; }
  real &operator*=(real b) { d = d * b.v + v * b.d; v *= b.v; return *this; }
};
static inline real operator+(real a, real b) { return {a.v + b.v, a.d + b.d}; }
static inline real operator-(real a, real b) { return {a.v - b.v, a.d - b.d}; }
static inline real operator-(real a) { return {-a.v, -a.d}; }
static inline real operator*(real a, real b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
static inline real operator/(real a, real b) { return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
static inline bool operator<(real a, real b) { return a.v < b.v; }
static inline bool operator>(real a, real b) { return a.v > b.v; }
static inline real sin(real a) { return {std::sin(a.v), std::cos(a.v) * a.d}; }
static inline real cos(real a) { return {std::cos(a.v), -std::sin(a.v) * a.d}; }
static inline real tanh(real a) { double t = std::tanh(a.v); return {t, (1 - t * t) * a.d}; }
static inline real exp(real a) { double e = std::exp(a.v); return {e, e * a.d}; }
static inline real sqrt(real a) { double s = std::sqrt(a.v); return {s, a.d / (2 * s)}; }
#define VAL(x) ((x).v)
"""
PLAIN = "#include <math.h>\ntypedef double real;\n#define VAL(x) (x)\n"
COMMON = r"""
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <alloca.h>
#define N 5
#define NOINLINE __attribute__((noinline))
"""
CXX = "".join(f"#include <{header}>\n" for header in "algorithm any deque functional list map memory optional queue string variant vector".split())
ENTRIES = r"""
extern int enzyme_dup, enzyme_const, enzyme_out, enzyme_dupnoneed;
#ifdef __cplusplus
extern "C" {
#endif
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
#ifdef __cplusplus
}
#endif
"""


class Program:
    """Grows one program out of shapes: declarations, and statements over w[0..N) and s."""

    def __init__(self, seed, number):
        self.r = random.Random(f"shapes {seed} {number}")
        self.p = f"p{number}_"
        self.number = number
        self.lang = self.r.choice(["c", "cpp"])
        self.openmp = self.r.random() < 0.25
        self.apart = []          # declarations that may live in another file
        self.decls, self.used = [], []
        self.count = 0
        shapes = [name for name in dir(self) if name.startswith("shape_")
                  and (self.lang == "cpp" or not name.startswith("shape_cxx_"))
                  and (self.openmp or not name.startswith("shape_omp_"))]
        body = []
        for _ in range(self.r.randrange(1, 5)):
            shape = self.r.choice(shapes)
            self.used.append(shape[6:])
            text = getattr(self, shape)()
            # Conditions and loops around a shape.
            roll = self.r.random()
            if roll < 0.15:
                text = f"if (VAL(w[{self.i()}]) > {self.r.choice([-0.4, 0.1, 5])}) {{ {text} }}"
            elif roll < 0.3:
                text = f"for (int round{self.count} = 0; round{self.count} < n - 3; ++round{self.count}) {{ {text} }}"
            body.append("{ " + text + " }")
        self.owned = self.lang == "cpp" and self.r.random() < 0.4
        self.entry = self.r.choice(["plain", "marked", "address", "split"])
        self.body = "\n  ".join(body)
        self.text = self.function()

    def i(self):
        return self.r.randrange(N)

    def name(self, word):
        self.count += 1
        return f"{self.p}{word}{self.count}"

    def expr(self, *leaves):
        r, a, b = self.r, self.r.choice(leaves), self.r.choice(leaves)
        return r.choice([f"{a} * {b}", f"sin({a}) + {b}", f"{a} * cos({b})", f"tanh({a} - {b})", f"{a} / (2.0 + {b} * {b})",
                         f"exp(-({a}) * ({a})) * {b}", f"sqrt(1.5 + {a} * {a}) - {b}", f"{a} * {a} * 0.5 + {b}"])

    def back(self, what):
        """`what` goes into the state."""
        return self.r.choice([f"s += {what};", f"w[{self.i()}] = sin({what});", f"w[{self.i()}] += 0.25 * tanh({what});",
                              f"s = s * 0.5 + {what};"])

    # Nests that work in place: what they read is final, will be written again, or lies in another row in one iteration.
    def shape_in_place(self):
        r, flat = self.r, self.r.random() < 0.4

        def row(v, *others):
            k, c = r.randrange(5), r.randrange(5)
            return r.choice([v, v, v, *others, f"({v} == 0 ? 0 : {v} - 1)", f"({v} == {k} ? {c} : {v})", f"({v} == m - 1 ? 0 : {v} + 1)"])

        def at(i, j):
            return f"a[{i} * m + {j}]" if flat else f"a[{i}][{j}]"

        inner = r.choice(["0; j < i", "0; j < m", "i; j < m", "0; j <= i", "1; j < m"])
        text = (f"int m = {r.choice(['6', 'n', 'n + 2'])}; real a[m]{'' if flat else '[m]'}; ".replace("a[m];", "a[m * m];") +
                f"for (int i = 0; i < m; ++i) for (int j = 0; j < m; ++j) {at('i', 'j')} = w[(i + 2 * j) % N] * (0.3 + 0.02 * i); "
                f"for (int i = {r.choice(['0; i < m; ++i', '0; i < m; ++i', 'm - 1; i >= 0; --i'])}) {{ for (int j = {inner}; ++j) {{ ")
        if r.random() < 0.6:
            text += (f"for (int k = 0; k < {r.choice('jim')}; ++k) {at(row('i'), 'j')} -= 0.1 * {at(row('i', 'k'), 'k')} * {at(row('j', 'k'), 'k')}; ")
        else:
            text += f"{at(row('i'), 'j')} += 0.2 * {at(row('j'), 'i')} * {at(row('i'), 'j')}; "
        if r.random() < 0.5:
            text += f"{at('i', 'j')} = {at('i', 'j')} / (1.0 + {at('j', 'j')} * {at('j', 'j')}); "
        text += "} "
        if r.random() < 0.5:
            text += f"{at(row('i'), 'i')} = sqrt(1.0 + {at('i', 'i')} * {at('i', 'i')}); "
        return text + f"}} real sum = 0.0; for (int i = 0; i < m; ++i) for (int j = 0; j < m; ++j) sum += {at('i', 'j')} * (0.05 + 0.01 * j); " + self.back("sum")

    # Memory of run-time length, on the stack.
    def shape_vla(self):
        k, at = self.r.randrange(1, 4), self.i()
        return (f"real v[n + {k}]; for (int i = 0; i < n + {k}; ++i) v[i] = {self.expr(f'w[(i + {at}) % N]', 's')}; "
                f"for (int i = 1; i < n + {k}; ++i) v[i] += 0.5 * v[i - 1]; " + self.back(f"v[n + {k} - 1]"))

    def shape_alloca_in_loop(self):
        t = self.name("Node")
        self.decls.append(f"struct {t} {{ real v; struct {t} *next; int id; }};")
        return (f"struct {t} *list = 0; for (int i = 0; i < n; ++i) {{ struct {t} *q = (struct {t} *)alloca(sizeof *q); "
                f"q->v = {self.expr('w[i]', 's')}; q->id = i; q->next = list; list = q; }} "
                f"for (struct {t} *q = list; q; q = q->next) if (q->id != {self.i()}) {{ {self.back('q->v')} }}")

    def shape_alloca_rows(self):
        return ("real **rows = (real **)malloc(n * sizeof *rows); for (int i = 0; i < n; ++i) { rows[i] = (real *)alloca((i + 1) * sizeof(real)); "
                f"for (int j = 0; j <= i; ++j) rows[i][j] = {self.expr('w[j]', 'w[i]')}; }} "
                "for (int i = 0; i < n; ++i) for (int j = 0; j <= i; ++j) s += 0.125 * rows[i][j] * rows[n - 1][i]; free(rows);")

    # One helper moves bytes for records and for plain numbers.
    def mover(self):
        h = self.name("move")
        how = self.r.choice(["memcpy", "memmove", "recursive", "halves", "fixed", "span", "buffer", "blocks", "duplicate", "exchange"])
        self.used.append("move_" + how)
        head = f"NOINLINE void {h}(void *to, const void *from, size_t n)"
        bodies = {
            "memcpy": "memcpy(to, from, n);", "memmove": "memmove(to, from, n);",
            "recursive": f"if (n <= 16) memcpy(to, from, n); else {{ memcpy(to, from, 16); {h}((char *)to + 16, (const char *)from + 16, n - 16); }}",
            "halves": f"if (n <= 48) memcpy(to, from, n); else {{ size_t half = n / 2 / 16 * 16; {h}(to, from, half); "
                      f"{h}((char *)to + half, (const char *)from + half, n - half); }}",
            "fixed": "for (size_t k = 0; k < n; k += 8) memcpy((char *)to + k, (const char *)from + k, 8);",
            "span": f"struct {h}Span s = {{to, from, n}}; {h}By(&s);",
            "buffer": "char *t = (char *)malloc(n); memcpy(t, from, n); memcpy(to, t, n); free(t);",
            "blocks": f"for (size_t k = 0; k < n / 8; ++k) ((struct {h}Block *)to)[k] = ((const struct {h}Block *)from)[k];",
            "duplicate": f"void *t = {h}Dup(from, n); memcpy(to, t, n); free(t);",
            "exchange": "char t[64]; for (size_t k = 0; k < n; k += 32) { size_t m = n - k < 32 ? n - k : 32; memcpy(t, (const char *)from + k, m); memcpy((char *)to + k, t, m); }",
        }
        before = {
            "span": f"struct {h}Span {{ void *to; const void *from; size_t n; }}; NOINLINE void {h}By(struct {h}Span *s) {{ memcpy(s->to, s->from, s->n); }}",
            "blocks": f"struct {h}Block {{ char bytes[8]; }};",
            "duplicate": f"NOINLINE void *{h}Dup(const void *from, size_t n) {{ void *p = malloc(n); memcpy(p, from, n); return p; }}",
        }
        self.decls.append(f"{head};")
        self.apart.append(before.get(how, "") + f"{head} {{ {bodies[how]} }}")
        return h

    def record(self):
        t = self.name("Rec")
        fields = self.r.choice(["int id, kind; real v;", "real v; long id;", "long id; real v; real u[2];", "int id; real v; float f; int k;",
                                "char tag[8]; long id; real v;"])
        self.decls.append(f"struct {t} {{ {fields} }};")
        return t

    def shape_records_beside_arrays(self):
        t, h = self.record(), self.mover()
        lines = [f"struct {t} *a = (struct {t} *)calloc(n, sizeof *a), *b = (struct {t} *)malloc(n * sizeof *b);",
                 "real *c = (real *)malloc(n * sizeof *c), *d = (real *)malloc(n * sizeof *d);",
                 f"for (int i = 0; i < n; ++i) {{ a[i].id = i; a[i].v = {self.expr('w[i]', 's')}; c[i] = {self.expr('w[i]', 's')}; }}",
                 f"{h}(b, a, n * sizeof *a); {h}(d, c, n * sizeof *c);",
                 f"for (int i = 0; i < n; ++i) {{ w[i] = sin(d[i] + b[i].v * (double)(b[i].id + 1)); }} s += b[n - 1].v * d[0];",
                 "free(a); free(b); free(c); free(d);"]
        return " ".join(lines)

    def shape_sorted_records(self):
        t, h = self.record(), self.mover()
        return (f"struct {t} a[N], one; for (int i = 0; i < n; ++i) {{ memset(&a[i], 0, sizeof a[i]); a[i].id = (i * 3) % N; a[i].v = {self.expr('w[i]', 's')}; }} "
                f"for (int i = 0; i < n; ++i) for (int j = i + 1; j < n; ++j) if (a[j].id < a[i].id) {{ {h}(&one, &a[i], sizeof one); a[i] = a[j]; {h}(&a[j], &one, sizeof one); }} "
                f"for (int i = 0; i < n; ++i) w[i] = 0.5 * w[i] + a[i].v;")

    # A header and its arrays in one block.
    def shape_header_and_arrays(self):
        t = self.name("Block")
        aligned = self.r.random() < 0.5
        self.decls.append(f"struct {t} {{ int n; {'int pad;' if aligned else 'long used;'} real scale; real *first, *second; }};")
        return (f"struct {t} *h = (struct {t} *)malloc(sizeof *h + 2 * n * sizeof(real)); h->n = n; h->scale = {self.expr('w[0]', 'w[1]')}; "
                f"h->first = (real *)(h + 1); h->second = h->first + n; for (int i = 0; i < h->n; ++i) {{ h->first[i] = w[i] * h->scale; h->second[i] = {self.expr('w[i]', 'h->first[i]')}; }} "
                f"for (int i = 0; i < h->n; ++i) w[i] = tanh(h->first[h->n - 1 - i] * h->second[i]); free(h);")

    def shape_flexible(self):
        t = self.name("Flex")
        self.decls.append(f"struct {t} {{ long n; real at[]; }};")
        return (f"struct {t} *h = (struct {t} *)malloc(sizeof *h + n * sizeof(real)); h->n = n; for (int i = 0; i < n; ++i) h->at[i] = {self.expr('w[i]', 's')}; "
                f"struct {t} *g = (struct {t} *)malloc(sizeof *h + n * sizeof(real)); memcpy(g, h, sizeof *h + n * sizeof(real)); "
                f"for (long i = 0; i < g->n; ++i) s += g->at[i] * w[g->n - 1 - i]; free(h); free(g);")

    # Blocks of the heap that grow, and that begin cleared.
    def shape_growing(self):
        return ("int size = 1, used = 0; real *g = (real *)malloc(sizeof *g); for (int i = 0; i < 2 * n; ++i) { if (used == size) { size *= 2; g = (real *)realloc(g, size * sizeof *g); } "
                f"g[used++] = {self.expr('w[i % N]', 's')}; }} for (int i = 0; i < used; ++i) {{ s += 0.25 * g[i] * g[used - 1 - i]; }} free(g);")

    def shape_cleared(self):
        return (f"real *c = (real *)calloc(n + 2, sizeof *c); for (int i = 0; i < n; ++i) {{ c[i] += {self.expr('w[i]', 's')}; c[i + 2] -= 0.5 * c[i]; }} "
                "memset(c, 0, sizeof *c); for (int i = 0; i < n + 2; ++i) s += c[i] * 0.5; free(c);")

    def shape_tagged(self):
        t = self.name("Any")
        self.decls.append(f"struct {t} {{ int tag; union {{ double d; long l; }}; real v; }};")
        return (f"struct {t} a[N]; for (int i = 0; i < n; ++i) {{ a[i].tag = i % 2; if (a[i].tag) a[i].d = 0.5; else a[i].l = 2; a[i].v = {self.expr('w[i]', 's')}; }} "
                "for (int i = 0; i < n; ++i) w[i] = sin(a[i].v * (a[i].tag ? a[i].d : (double)a[i].l));")

    # Words that are a number or something else by turns, moved as a whole.
    def shape_words_by_turns(self):
        t, r = self.name("Leaf"), self.r
        other = r.choice(["real *at", "long at", "struct %s *at" % t])
        self.decls.append(f"struct {t} {{ int tag; union {{ real d; {other}; }}; }};")
        made = {"r": "a[i].at = &w[(i + 1) % N];", "l": "a[i].at = i + 1;", "s": "a[i].at = &a[i - 1];"}[other[0]]
        used = {"r": "*q.at * q.at[0]", "l": "(double)q.at * w[0]", "s": "q.at->d * 0.5"}[other[0]]
        move = r.choice([f"struct {t} one = a[i]; a[i] = a[(i + 2) % N]; a[(i + 2) % N] = one;",
                         f"struct {t} one, two; memcpy(&one, &a[i], sizeof one); two = one; a[i] = a[0]; memcpy(&a[0], &two, sizeof two);",
                         f"struct {t} *from = &a[i], *to = &b[N - 1 - i]; *to = *from; a[i] = *to;",
                         f"struct {t} one = i % 3 ? a[i] : a[0]; b[i] = one; a[i] = b[i];"])
        if other[0] == "s":  # what others point to stays where it is
            move = f"struct {t} one = a[i]; b[N - 1 - i] = one; a[i] = b[N - 1 - i];"
        return (f"struct {t} a[N], b[N]; for (int i = 0; i < n; ++i) {{ a[i].tag = i % 2; if (a[i].tag) {{ {made} }} else a[i].d = {self.expr('w[i]', 's')}; b[i] = a[i]; }} "
                f"for (int i = 0; i < n; ++i) {{ {move} }} "
                f"for (int i = 0; i < n; ++i) {{ struct {t} q = a[i]; s += 0.5 * tanh(q.tag ? {used} : q.d * (1.0 + i)); }}")

    # One block holds records at one time and numbers at another.
    def shape_arena(self):
        t, g = self.record(), self.name("get")
        self.decls.append(f"struct {g}Arena {{ _Alignas(16) char bytes[1024]; size_t at; }}; void *{g}(struct {g}Arena *a, size_t n);".replace("_Alignas", "alignas" if self.lang == "cpp" else "_Alignas"))
        self.apart.append(f"NOINLINE void *{g}(struct {g}Arena *a, size_t n) {{ void *p = a->bytes + a->at; a->at += (n + 15) / 16 * 16; return p; }}")
        phases = [f"{{ struct {t} *q = (struct {t} *){g}(&arena, n * sizeof *q); for (int i = 0; i < n; ++i) {{ q[i].id = i; q[i].v = {self.expr('w[i]', 's')}; }} for (int i = 0; i < n; ++i) s += 0.3 * q[i].v * w[q[i].id]; }}",
                  f"{{ real *d = (real *){g}(&arena, 2 * n * sizeof *d); for (int i = 0; i < 2 * n; ++i) d[i] = {self.expr('w[i % N]', 's')}; for (int i = 0; i < 2 * n; ++i) w[i % N] = 0.5 * w[i % N] + 0.2 * sin(d[i] * d[(i + 3) % n]); }}",
                  f"{{ long *k = (long *){g}(&arena, n * sizeof *k); for (int i = 0; i < n; ++i) k[i] = (i * 2) % N; for (int i = 0; i < n; ++i) s += 0.1 * w[k[i]]; }}",
                  f"{{ real **p = (real **){g}(&arena, n * sizeof *p); for (int i = 0; i < n; ++i) p[i] = &w[(i + 2) % N]; for (int i = 0; i < n; ++i) *p[i] = 0.5 * *p[i] + {self.expr('w[i]', 's')} * 0.25; }}"]
        self.r.shuffle(phases)
        again = " arena.at = 0; "
        return f"struct {g}Arena arena; " + "".join(again + phase for phase in phases[:self.r.randrange(2, 5)])

    # What is called back gets its state as an address.
    def shape_callbacks(self):
        t, each, f, g = self.name("Seen"), self.name("each"), self.name("add"), self.name("change")
        self.decls += [f"struct {t} {{ real scale, sum; int calls; }};", f"void {each}(real *a, int n, void (*f)(void *, int, real *), void *user);",
                       f"void {f}(void *user, int i, real *v);", f"void {g}(void *user, int i, real *v);"]
        self.apart += [f"NOINLINE void {each}(real *a, int n, void (*f)(void *, int, real *), void *user) {{ for (int i = 0; i < n; ++i) f(user, i, a + i); }}",
                       f"void {f}(void *user, int i, real *v) {{ struct {t} *seen = (struct {t} *)user; seen->sum += *v * seen->scale * (double)(i + 1); seen->calls++; }}",
                       f"void {g}(void *user, int i, real *v) {{ *v = {self.expr('*v', f'((struct {t} *)user)->sum')}; }}"]
        return (f"struct {t} seen = {{w[{self.i()}], s, 0}}; void (*todo[2])(void *, int, real *) = {{{f}, {g}}}; "
                f"for (int k = 0; k < 3; ++k) {each}(w, n, todo[(k + seen.calls) % 2], &seen); s += 0.1 * tanh(seen.sum);")

    def shape_table_of_functions(self):
        f, g = self.name("one"), self.name("two")
        self.decls += [f"real {f}(real a, real b);", f"real {g}(real a, real b);"]
        self.apart += [f"real {f}(real a, real b) {{ return {self.expr('a', 'b')}; }}", f"real {g}(real a, real b) {{ return {self.expr('a', 'b')}; }}"]
        return f"real (*table[2])(real, real) = {{{f}, {g}}}; for (int i = 0; i < n; ++i) w[i] = 0.5 * table[(i + {self.i()}) % 2](w[i], s);"

    def shape_stack_of_states(self):
        t = self.name("State")
        self.decls.append(f"struct {t} {{ real at[3]; int step; }};")
        return (f"struct {t} now, *old = (struct {t} *)malloc(4 * sizeof now); memset(&now, 0, sizeof now); for (int k = 0; k < 3; ++k) now.at[k] = w[k]; now.step = 0; "
                f"for (int i = 0; i < 4; ++i) {{ old[i] = now; for (int k = 0; k < 3; ++k) now.at[k] = {self.expr('now.at[(k + 1) % 3]', 'now.at[k]')} * 0.5; now.step++; }} "
                "for (int i = 3; i >= 0; --i) s += old[i].at[i % 3] * now.at[0] * (double)(1 + old[i].step); free(old);")

    # Containers and strings.
    def shape_cxx_vector(self):
        return (f"std::vector<real> v; for (int i = 0; i < n; ++i) v.push_back({self.expr('w[i]', 's')}); v.insert(v.begin() + 1, v[2] * 0.5); v.resize(n + 3, s); "
                "std::vector<real> u = v; u.erase(u.begin()); for (size_t i = 0; i < u.size(); ++i) s += 0.25 * u[i] * v[i];")

    def shape_cxx_strings(self):
        word = self.r.choice(["short", "a text that does not fit into the object itself"])
        return (f"std::string text = \"{word}\"; for (int i = 0; i < n; ++i) {{ text += char('a' + i); w[i] = w[i] * 0.5 + {self.expr('w[i]', 's')} * (1.0 / double(text.size())); }} "
                "if (text.find(\"abc\") != std::string::npos) s += w[0];")

    def shape_cxx_map(self):
        return (f"std::map<int, real> m; for (int i = 0; i < n; ++i) m[(i * 3) % N] = {self.expr('w[i]', 's')}; for (auto &e : m) w[e.first] = sin(e.second * (1.0 + e.first));")

    def shape_cxx_named(self):
        t = self.name("Named")
        self.decls.append(f"struct {t} {{ std::string name; real v; std::vector<real> more; }};")
        return (f"std::vector<{t}> a; for (int i = 0; i < n; ++i) a.push_back({{std::string(3 + 6 * i, 'x'), {self.expr('w[i]', 's')}, {{w[i], s}}}}); "
                f"std::sort(a.begin(), a.end(), [](const {t} &p, const {t} &q) {{ return p.name.size() > q.name.size(); }}); for (int i = 0; i < n; ++i) w[i] = tanh(a[i].v + a[i].more[0]);")

    def shape_cxx_owner(self):
        t = self.name("Shape")
        self.decls.append(f"struct {t} {{ virtual real area(real x) const = 0; virtual ~{t}() = default; }}; "
                          f"struct {t}A : {t} {{ real k; {t}A(real k) : k(k) {{}} real area(real x) const override {{ return {self.expr('x', 'k')}; }} }}; "
                          f"struct {t}B : {t} {{ real area(real x) const override {{ return {self.expr('x')}; }} }};")
        return (f"std::vector<std::unique_ptr<{t}>> all; for (int i = 0; i < n; ++i) if (i % 2) all.emplace_back(new {t}A(w[i])); else all.emplace_back(new {t}B()); "
                "for (int i = 0; i < n; ++i) s += all[i]->area(w[i]);")

    def shape_cxx_function(self):
        return f"real k = w[{self.i()}]; std::function<real(real)> g = [k](real a) {{ return {self.expr('a', 'k')}; }}; for (int i = 0; i < n; ++i) w[i] = 0.5 * g(w[i]);"

    # Closures of several kinds in one container, variants and other buffers of one object or another.
    def shape_cxx_closures(self):
        r = self.r
        kinds = [f"real k = {self.expr('w[i]', 's')}; all.push_back([k](real a) {{ return {self.expr('a', 'k')}; }});",
                 f"real k = w[i]; all.push_back([k, &sum](real a) {{ sum += k * a * 0.5; return {self.expr('a', 'k')}; }});",
                 "all.push_back([&w, i](real a) { return a * 0.5 + w[i]; });",
                 "real k = w[i], l = s; all.push_back([k, l, &w, i](real a) { w[i] = k * 0.5; return tanh(a) * l + w[(i + 1) % N]; });",
                 "std::vector<real> v(w, w + N); all.push_back([v, i](real a) { return v[i] * 0.5 + a; });",
                 "float half = 0.5f; all.push_back([half, i](real a) { return a * double(half) + double(i); });",
                 "real *p = &w[(i + 1) % N]; all.push_back([p](real a) { return *p * 0.5 + sin(a); });"]
        chosen = r.sample(kinds, r.randrange(2, 5))
        cases = " ".join(f"case {k}: {{ {text} break; }}" for k, text in enumerate(chosen))
        extra = r.choice(["", "", f"std::function<real(int)> again = [&](int k) -> real {{ return k < 0 ? s : again(k - 1) * 0.5 + w[k % N]; }}; s += 0.1 * again(n - 1); ",
                          "std::swap(all[0], all[1]); ", "all.erase(all.begin() + 1); ", "auto copy = all; all = copy; "])
        return (f"real sum = 0.0; std::vector<std::function<real(real)>> all; for (int i = 0; i < n; ++i) switch (i % {len(chosen)}) {{ {cases} }} "
                f"{extra}real a = s; for (auto &f : all) a = tanh(f(a)); s += a + 0.1 * tanh(sum);")

    def shape_cxx_variant(self):
        r = self.r
        kinds = {"real *": ("&w[(i + 1) % N]", "*k * 0.5"), "std::vector<real>": ("std::vector<real>(2, w[i])", "k[0] * k[1]"),
                 "long": ("long(i)", "w[0] * double(k)"), "std::pair<real, real>": ("std::pair<real, real>(w[i], s)", "k.first * k.second"),
                 "std::string": ("std::string(3 + i, 'x')", "w[1] * double(k.size())")}
        chosen = r.sample(sorted(kinds), r.randrange(1, 3))
        t = self.name("Var")
        self.decls.append(f"typedef std::variant<real, {', '.join(chosen)}> {t};")
        cases = " ".join(f"else if (i % {len(chosen) + 1} == {n + 1}) all.push_back({t}({kinds[k][0]}));" for n, k in enumerate(chosen))
        visits = " ".join(f"if constexpr (std::is_same_v<A, {k}>) return {kinds[k][1]};" for k in chosen)
        change = r.choice(["", "all.erase(all.begin() + 1);", "std::reverse(all.begin(), all.end());", "std::swap(all[0], all[2]);", f"all.insert(all.begin() + 1, {t}(s));",
                           f"{t} one = all[1]; all[1] = all[0]; all[0] = one;", "auto copy = all; all = copy;", "std::rotate(all.begin(), all.begin() + 2, all.end());",
                           "std::stable_sort(all.begin(), all.end(), [](auto &p, auto &q) { return p.index() > q.index(); });"])
        box = r.choice(["std::vector", "std::vector", "std::deque"])
        return (f"{box}<{t}> all; for (int i = 0; i < n; ++i) if (i % {len(chosen) + 1} == 0) all.push_back({t}({self.expr('w[i]', 's')})); {cases} {change} "
                f"for (auto &v : all) s += 0.2 * tanh(std::visit([&](auto &k) -> real {{ using A = std::decay_t<decltype(k)>; if constexpr (std::is_same_v<A, real>) return k * k; {visits} }}, v));")

    def shape_cxx_any(self):
        r = self.r
        kinds = [("w[i] * 0.5", "real", "{0}"), ("&w[(i + 1) % N]", "real *", "*{0}"), ("std::vector<real>(1, w[i])", "std::vector<real>", "{0}[0]"), ("i", "int", "w[{0} % N]")]
        chosen = r.sample(kinds, 3)
        makes = " else ".join(f"if (i % 3 == {k}) all.push_back(std::any({made}));" for k, (made, _, _) in enumerate(chosen))
        reads = " else ".join(f"if (auto *p = std::any_cast<{kind}>(&v)) s += 0.5 * sin({use.format('(*p)')});" for _, kind, use in chosen)
        change = r.choice(["", "std::swap(all[0], all[1]);", "all.erase(all.begin());", "auto copy = all; all.swap(copy);"])
        return f"std::vector<std::any> all; for (int i = 0; i < n; ++i) {{ {makes} }} {change} for (auto &v : all) {{ {reads} }}"

    def shape_cxx_optional(self):
        return (f"std::vector<std::optional<std::pair<real, real *>>> all; for (int i = 0; i < n; ++i) if (i % 3) all.push_back(std::make_pair({self.expr('w[i]', 's')}, &w[(i + 2) % N])); else all.emplace_back(); "
                "std::rotate(all.begin(), all.begin() + 2, all.end()); for (auto o : all) if (o) s += 0.5 * o->first * *o->second; else s = s * 0.5;")

    def shape_cxx_queue(self):
        t = self.name("Event")
        self.decls.append(f"struct {t} {{ real t; int kind; real amount; bool operator<(const {t} &o) const {{ return t > o.t; }} }};")
        return (f"std::priority_queue<{t}> q; for (int i = 0; i < n; ++i) q.push({t}{{w[i], i % 3, {self.expr('w[i]', 's')}}}); real level = 1.0, now = 0.0; int steps = 0; "
                f"while (!q.empty() && steps++ < 12) {{ {t} e = q.top(); q.pop(); s += 0.1 * level * (e.t - now); now = e.t; "
                f"if (e.kind == 0) {{ level += 0.1 * e.amount; q.push({t}{{now + 0.5 + e.amount * e.amount, 1, e.amount * 0.5}}); }} else if (e.kind == 1) level *= 0.9; else level = sqrt(1.0 + level * level); }} w[0] += 0.1 * level;")

    def shape_cxx_list(self):
        return (f"std::list<std::pair<int, real>> a, b; for (int i = 0; i < n; ++i) (i % 2 ? a : b).emplace_back(i, {self.expr('w[i]', 's')}); a.splice(std::next(a.begin()), b); "
                "a.sort([](auto &p, auto &q) { return p.first > q.first; }); int k = 0; for (auto &p : a) w[k++] = 0.5 * sin(p.second) + w[p.first] * 0.25;")

    # Parallel regions.
    def shape_omp_map(self):
        return (f"real u[N]; \n#pragma omp parallel for num_threads({self.r.choice([1, 2, 3, 4])})\n"
                f"  for (int i = 0; i < n; ++i) u[i] = {self.expr('w[i]', 's')};\n  for (int i = 0; i < n; ++i) w[i] = u[i];")

    def shape_omp_stencil(self):
        return (f"real u[N]; \n#pragma omp parallel for num_threads(3) schedule({self.r.choice(['static', 'static, 1', 'dynamic', 'guided'])})\n"
                f"  for (int i = 0; i < n; ++i) u[i] = w[i] * 0.5 + w[(i + 1) % N] * {self.expr('w[i]', 's')};\n  memcpy(w, u, sizeof u);")

    def shape_omp_partial(self):
        return ("real part[4]; for (int t = 0; t < 4; ++t) part[t] = 0.0; \n#pragma omp parallel for num_threads(4)\n"
                f"  for (int t = 0; t < 4; ++t) {{ real mine = 0.0; for (int i = t; i < n; i += 4) mine += {self.expr('w[i]', 's')}; part[t] = mine; }}\n"
                "  for (int t = 0; t < 4; ++t) s += part[t];")

    def shape_omp_region(self):
        return ("real u[N], v[N]; \n#pragma omp parallel num_threads(2)\n  {\n#pragma omp for\n"
                f"  for (int i = 0; i < n; ++i) u[i] = {self.expr('w[i]', 's')};\n#pragma omp for\n"
                "  for (int i = 0; i < n; ++i) v[i] = u[i] * u[(i + 2) % N];\n#pragma omp single\n  v[0] += u[1];\n  }\n  for (int i = 0; i < n; ++i) w[i] = sin(v[i]);")

    def shape_omp_phases(self):
        """A region of worksharing loops over two arrays, one read at places of any kind and one written, by turns."""
        r = self.r
        rows = r.choice([3, 7, 20])
        size = f"{rows} * {r.choice([1, 4, 33])}"
        places = ["i", "m - 1 - i", "(i + 1) % m", "(3 * i + 1) % m", "j % m", "m - 1 - j % m", "0", "(i + j) % m", "at[i]", "at[(i + j) % m]", "(i + m - 1) % m"]
        read = lambda array: f"{array}[{r.choice(places)}]"
        text = (f"enum {{ SIZE = {size} }}; int m = n > 1 ? SIZE : 1, at[SIZE]; real u[SIZE], v[SIZE]; \n"
                "  for (int i = 0; i < m; ++i) { u[i] = w[i % N] * (1.0 + 0.01 * i); v[i] = s; at[i] = (7 * i + 2) % m; }\n"
                f"#pragma omp parallel num_threads({r.choice([1, 2, 3, 5])})\n  for (int t = 0; t < {r.choice([1, 1, 2])}; ++t) {{\n")
        for k in range(r.randrange(1, 4)):
            source, target = ("u", "v") if k % 2 == 0 else ("v", "u")
            inner = r.choice(["1", "3", "i % 4", "m"])
            own = r.choice(["", f" + 0.1 * {target}[i]"])
            text += (f"#pragma omp for schedule({r.choice(['static', 'static, 1', 'static, 3', 'dynamic', 'dynamic, 4', 'guided'])})\n"
                     f"  for (int i = 0; i < m; ++i) {{ real sum = {read(source).replace('j', 'i')}{own}; for (int j = 0; j < {inner}; ++j) "
                     f"{r.choice(['', 'if (j % 3 != 1) '])}sum += {self.expr(read(source), read(source))} * (1.0 / (1 + j)); {target}[i] = tanh(sum); }}\n")
        return text + "  }\n  for (int i = 0; i < m; ++i) { w[i % N] += 0.01 * u[i]; s += v[i] * (0.1 / m); }"

    def shape_omp_critical(self):
        return ("real sum = 0.0; \n#pragma omp parallel for num_threads(3)\n"
                f"  for (int i = 0; i < n; ++i) {{ real mine = {self.expr('w[i]', 'w[0]')};\n#pragma omp critical\n    sum += mine; }}\n  " + self.back("sum"))

    def shape_omp_private(self):
        return ("real shared = s; real u[N]; \n#pragma omp parallel for num_threads(2) firstprivate(shared)\n"
                f"  for (int i = 0; i < n; ++i) {{ real k = shared * 0.5; u[i] = {self.expr('w[i]', 'k')}; }}\n  for (int i = 0; i < n; ++i) w[i] = u[i];")

    # The text.
    def head(self):
        return "\n".join(self.decls)

    def other(self):
        return "\n".join(self.apart)

    def function(self):
        p = self.p
        text = (f"{'static ' if self.r.random() < 0.5 else ''}real {p}f(real *x, int n) {{\n  real w[N], s = 0.0; for (int i = 0; i < N; ++i) w[i] = x[i];\n  {self.body}\n"
                f"  for (int i = 0; i < n; ++i) s += w[i] * w[i] * (double)(i + 1);\n  return s;\n}}\n")
        if self.owned:
            long = self.number % 2
            text = (f"struct {p}Model {{ std::string name; std::vector<real> at; int n; }};\n" + text +
                    f"real {p}m({p}Model *m) {{ {self.change(long)} return {p}f(m->at.data(), m->n) * (1.0 / (1.0 + m->name.size())); }}\n")
        return text

    def change(self, long):
        return self.r.choice(["", "m->name += \"!\";", "m->name = \"another name, and quite a long one at that\";", "m->name.clear();",
                              "std::string copy = m->name; m->name.swap(copy);"])

    def numbers(self):
        rng = random.Random(f"numbers {self.number}")
        return [round(rng.uniform(-1, 1), 3) for _ in range(N)], [round(rng.uniform(-1, 1), 3) for _ in range(N)]

    def run(self, oracle):
        """The function that prints p (primal), r (gradient) and f (one direction)."""
        p, (x, t) = self.p, self.numbers()
        xs, ts = ", ".join(map(str, x)), ", ".join(map(str, t))
        say = f'printf("{self.number} %s %d %a\\n"'
        if oracle:
            call = f"{p}f(x, N)"
            setup = "real x[N]; for (int i = 0; i < N; ++i) x[i] = at[i];"
            seed = "x[k].d = 1;"
            if self.owned:
                call, seed = f"{p}m(&m)", "m.at[k].d = 1;"
                setup = f"{p}Model m; m.name = \"name\"; m.n = N; m.at.assign(at, at + N);"
            return (f"void {p}run(void) {{ double at[N] = {{{xs}}}, along[N] = {{{ts}}}, sum = 0; for (int k = 0; k < N; ++k) {{ {setup} {seed} real y = {call}; "
                    f"sum += y.d * along[k]; {say}, \"r\", k, y.d); if (!k) {say}, \"p\", 0, y.v); }} {say}, \"f\", 0, sum); }}\n")
        primal = f"{p}f(x, N)"
        reset = f"double x[N] = {{{xs}}}"
        mark = {"plain": ("", ""), "marked": ("enzyme_dup, ", "enzyme_const, "), "address": ("&enzyme_dup, ", "&enzyme_const, "),
                "split": ("enzyme_dup, ", "enzyme_const, ")}[self.entry]
        f = f"(void *){p}f"
        args = f"{mark[0]}x, d, {mark[1]}N"
        argt = f"{mark[0]}x, t, {mark[1]}N"
        grad = "d[k]"
        make = f"{reset}, d[N] = {{0}}, t[N] = {{{ts}}};"
        if self.owned:
            f, primal, grad = f"(void *){p}m", f"{p}m(&x)", "d.at[k]"
            args, argt = f"{mark[0]}&x, &d", f"{mark[0]}&x, &t"
            shadow = "name" if self.number % 3 else "another text in the shadow, a long one"
            make = (f"double at[N] = {{{xs}}}, along[N] = {{{ts}}}; {p}Model x, d, t; x.name = \"name\"; d.name = t.name = \"{shadow}\"; x.n = d.n = t.n = N; "
                    "x.at.assign(at, at + N); d.at.assign(N, 0.0); t.at.assign(along, along + N);")
        if self.entry == "split":
            reverse = f"void *tape = __enzyme_augmentfwd({f}, {args}); __enzyme_reverse({f}, {args}, 1.0, tape);"
        else:
            reverse = f"__enzyme_autodiff({f}, {args});"
        return (f"void {p}run(void) {{\n  {{ {make} {say}, \"p\", 0, {primal}); }}\n"
                f"#ifdef R{self.number}\n  {{ {make} {reverse} for (int k = 0; k < N; ++k) {say}, \"r\", k, {grad}); }}\n#endif\n"
                f"#ifdef F{self.number}\n  {{ {make} {say}, \"f\", 0, __enzyme_fwddiff({f}, {argt})); }}\n#endif\n}}\n")


def texts(programs, oracle, modes):
    """(the file with the derivatives, the file with the helpers)."""
    cxx = programs[0].lang == "cpp" or oracle
    common = COMMON + (CXX if programs[0].lang == "cpp" else "") + (DUAL if oracle else PLAIN)
    flags = "".join(f"#define {m.upper()}{n}\n" for n, ms in modes.items() for m in ms)
    # In C++ a call of run-time length by goto would pass declarations; there are none.
    main = common + ("" if oracle else ENTRIES) + flags
    for q in programs:
        main += f"# 1 \"p{q.number}.c\"\n" + q.head() + "\n" + q.text + q.run(oracle)
    main += "# 1 \"main.c\"\n#include <unistd.h>\n#include <sys/wait.h>\nint main(void) {\n"
    for q in programs:
        main += (f"  fflush(stdout); if (!fork()) {{ alarm(20); {q.p}run(); fflush(stdout); _exit(0); }} else {{ int how; wait(&how); if (how) "
                 f"printf(\"{q.number} ! 0 %a\\n\", (double)how); }}\n")
    main += "}\n"
    other = common
    for q in programs:
        other += f"# 1 \"h{q.number}.c\"\n" + q.head() + "\n" + q.other() + "\n"
    return main, other, "cpp" if cxx else "c"


class Campaign:
    def __init__(self, options):
        self.o = options
        self.folder = tempfile.mkdtemp(prefix="rg-shapes-")
        self.counts, self.refusals, self.shapes = collections.Counter(), collections.Counter(), collections.Counter()
        self.programs = self.numbers = 0
        self.started = time.time()
        self.heap = None
        if not options.plain_heap:
            self.heap = filled_heap(self.folder)

    def clang(self, ending):
        return "/usr/lib/llvm-22/bin/clang" + ("++" if ending == "cpp" else "")

    def build(self, programs, config, modes):
        """(exit code, messages, path)"""
        oracle = config is None
        main, other, ending = texts(programs, oracle, modes)
        base = os.path.join(self.folder, "oracle" if oracle else "program")
        for name, text in ((base, main), (base + "-help", other)):
            with open(f"{name}.{ending}", "w") as file:
                file.write(text if not (name == base and not (config and config["apart"])) else main.replace("# 1 \"main.c\"", other_part(programs) + "# 1 \"main.c\"", 1))
        files = [f"{base}.{ending}"] + ([f"{base}-help.{ending}"] if config and config["apart"] else [])
        if oracle:
            command = [self.clang("cpp"), "-std=gnu++20", "-O0"]
        else:
            command = [os.path.join(self.o.build, "bin", "rg-clang" + ("++" if ending == "cpp" else "")), *config["flags"], "-mllvm", f"-rg-plan={config['plan']}"]
            if ending == "cpp":
                command.append("-std=" + config["std"])
            if config["apart"]:
                command.append("-flto")
            if any(q.openmp for q in programs):
                command.append("-fopenmp")
        command += ["-w", "-ferror-limit=0", "-ffp-contract=off", *files, "-lm", "-o", base]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=600, env=dict(os.environ, LC_ALL="C", LLVM_DISABLE_CRASH_REPORT="1"))
        except subprocess.TimeoutExpired:
            return -1, "no end of compilation", base
        return done.returncode, done.stderr, base

    def results(self, base, heap=None):
        env = dict(os.environ, **({"LD_PRELOAD": heap} if heap else {}))
        out = subprocess.run([base], capture_output=True, text=True, errors="replace", timeout=900, env=env).stdout
        got = {}
        for line in out.splitlines():
            words = line.split()
            if len(words) == 4:
                try:
                    got[int(words[0]), words[1], int(words[2])] = float.fromhex(words[3])
                except ValueError:
                    got[int(words[0]), words[1], int(words[2])] = float("nan")
        return got

    def batch(self, numbers, configs=None):
        made = [Program(self.o.seed, n) for n in numbers]
        for lang in ("c", "cpp"):
            for parallel in (False, True):
                part = [q for q in made if q.lang == lang and q.openmp == parallel]
                if part:
                    self.part(part, configs)

    def part(self, part, configs):
        code, text, base = self.build(part, None, {})
        if code:
            if len(part) > 1:
                for q in part:
                    self.part([q], configs)
            else:
                self.failed(part[0], None, "invalid", text[:300])
            return
        want = self.results(base)
        self.programs += len(part)
        for q in part:
            self.shapes.update(q.used + ["entry_" + q.entry] + (["owned"] if q.owned else []))
        rng = random.Random(f"config {self.o.seed} {part[0].number}")
        for config in configs or [choose(rng)]:
            self.check(part, config, want)

    def check(self, part, config, want):
        modes = {q.number: {"r", "f"} for q in part}
        refused = collections.defaultdict(set)
        while True:
            code, text, base = self.build(part, config, modes)
            if code == 0:
                break
            if drop_refused(text, code, modes, refused, lambda number, line: line_of(part, number, line)):
                continue
            if len(part) > 1:
                half = len(part) // 2
                self.check(part[:half], config, want)
                self.check(part[half:], config, want)
                return
            said = re.search(r"\[(RG[12]\d\d\d)\]", text)
            if not said or "PLEASE submit" in text:
                self.failed(part[0], config, "crash", crash_line(text, code))
            else:  # a refusal at another place than the derivative call
                self.counts["refused"] += 1
                self.refusals[said.group(1)] += 1
            return
        try:
            got = self.results(base, self.heap)
        except subprocess.TimeoutExpired:
            got = {}
        for q in part:
            worst = None
            said = got.get((q.number, "!", 0))
            for (number, mode, index), value in want.items():
                if number != q.number or mode not in modes[number] | {"p"}:
                    continue
                scale = 1 + max(abs(v) for (m, o, _), v in want.items() if m == number and o in "rf")
                have = got.get((number, mode, index), float("nan"))
                if not abs(have - value) <= self.o.tolerance * scale:
                    worst = worst or f"{mode}[{index}] got {have!r} want {value!r}"
                else:
                    self.numbers += 1
            if said is not None or (q.number, "p", 0) not in got:
                self.failed(q, config, "died", f"status {said}")
            elif worst:
                self.failed(q, config, "wrong", worst)
            elif refused[q.number]:
                self.counts["refused"] += 1
                self.refusals.update(refused[q.number])
            else:
                self.counts["ok"] += 1

    def failed(self, q, config, verdict, detail):
        self.counts[verdict] += 1
        shown = " ".join(config["flags"]) + f" {config['plan']} {config['std']}{' apart' if config['apart'] else ''}" if config else "oracle"
        print(f"seed {self.o.seed} program {q.number} ({', '.join(q.used)}; {q.lang}, {q.entry}) {shown}: {verdict}: {detail}\n"
              f"  repeat: python3 fuzz/shapes.py --seed {self.o.seed} --only {q.number}", flush=True)
        if self.o.keep and config:
            os.makedirs(self.o.keep, exist_ok=True)
            main, _, ending = texts([q], False, {q.number: {"r", "f"}})
            with open(os.path.join(self.o.keep, f"shapes-{verdict}-{self.o.seed}-{q.number}.{ending}"), "w") as file:
                file.write(f"// {shown}: {verdict}: {detail}\n" + main.replace("# 1 \"main.c\"", other_part([q]) + "# 1 \"main.c\"", 1))

    def report(self):
        words = ", ".join(f"{n} {w}" for w, n in self.counts.most_common())
        print(f"{self.programs} programs: {words}; {self.numbers} numbers agree; {time.time() - self.started:.0f} s")
        if self.refusals:
            print("refusals: " + ", ".join(f"{n} {w}" for w, n in self.refusals.most_common()))
        if self.o.shapes:
            print("shapes: " + ", ".join(f"{n} {w}" for w, n in self.shapes.most_common()))
        return 1 if any(self.counts[w] for w in ("wrong", "crash", "died", "invalid")) else 0


def other_part(programs):
    return "".join(f"# 1 \"h{q.number}.c\"\n" + q.other() + "\n" for q in programs)


def line_of(part, number, line):
    """What stands at a line of a program, as its own messages count."""
    for q in part:
        if q.number == number:
            lines = (q.head() + "\n" + q.text + q.run(False)).splitlines()
            return lines[line - 1] if 0 < line <= len(lines) else ""
    return ""


def drop_refused(text, code, modes, refused, line_of):
    """Takes the modes that are refused at lines of programs out of `modes`, and their messages into `refused`; were there any?

    line_of(number, line): what stands at a line of a program."""
    hit = False
    if code == 1 and "PLEASE submit" not in text and not re.search(r"\[RG3\d\d\d\]", text):
        for number, line, message in re.findall(r"^(?:ld.lld: )?(?:error: )?[ph](\d+)\.c:(\d+):\d+: (?:fatal )?error: (.*)$", text, re.M):
            found, number = re.search(r"\[(RG\d+)\]", message), int(number)
            if not found or number not in modes:
                continue
            mode = "f" if "__enzyme_fwddiff" in line_of(number, int(line)) else "r"
            if mode in modes[number]:
                modes[number].discard(mode)
                refused[number].add(f"{found.group(1)} {mode}")
                hit = True
    return hit


LEVELS = (["-O0"], ["-O1"], ["-O2"], ["-O2"], ["-O3"], ["-Os"], ["-O3", "-march=native"], ["-O2", "-g"])


def choose(rng):
    return {"flags": rng.choice(LEVELS), "plan": rng.choice(["naive", "mincut"]),
            "std": rng.choice(["gnu++17", "gnu++20", "gnu++23"]), "apart": rng.random() < 0.15}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--shapes", action="store_true", help="count the shapes")
    parser.add_argument("--plain-heap", action="store_true", help="without a heap whose blocks begin with rubbish")
    parser.add_argument("--tolerance", type=float, default=1e-8)
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if options.jobs > 1:
        words = [w for k, w in enumerate(sys.argv[1:]) if w != "--jobs" and (not k or sys.argv[k] != "--jobs")]
        children = [subprocess.Popen([sys.executable, __file__, *words, "--stride", str(options.jobs), "--first",
                                      str(options.first + k * options.batch)]) for k in range(options.jobs)]
        return max(child.wait() for child in children)
    campaign = Campaign(options)
    if options.only is not None:
        if options.show:
            q = Program(options.seed, options.only)
            main_text, _, _ = texts([q], False, {q.number: {"r", "f"}})
            print(main_text.replace("# 1 \"main.c\"", other_part([Program(options.seed, options.only)]) + "# 1 \"main.c\"", 1))
            return 0
        everything = [{"flags": flags, "plan": plan, "std": std, "apart": apart} for flags in (["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-Os"])
                      for plan in ("naive", "mincut") for std in ("gnu++17", "gnu++20") for apart in (False, True)]
        campaign.batch([options.only], everything)
        return campaign.report()
    at, done = options.first, 0
    # However short the time: a run without a program would prove nothing.
    while not done or (options.seconds and time.time() - campaign.started < options.seconds) or (options.count and done < options.count):
        campaign.batch(range(at, at + options.batch))
        at += options.batch * options.stride
        done += options.batch * options.stride
    return campaign.report()


if __name__ == "__main__":
    sys.exit(main())
