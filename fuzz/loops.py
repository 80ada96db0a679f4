#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Random affine loop nests: -rg-loops against the untransformed program, bit for bit.

  fuzz/loops.py BUILD [--units N] [--nests K] [--seed S] [--keep DIR]

Each unit is one C file of K functions, a nest each, and a main that runs them with many parameters (no trips, one, a
few; bounds near the ends of their types; arguments apart, equal and overlapping where they are not restrict) over one pool of
memory, whose bits are hashed before and behind. It is compiled by clang alone, by -rg-loops with the order that the search
takes, with orders that are taken at random from those that are allowed (-rg-loops-any), and with such orders by three threads (-rg-loops=parallel, which then
wakes them however little there is to do). All must print the same.
Nothing is compiled with flags that allow sums in another order.

With --sums, nests add up, and additions may be done in any order (-fassociative-math): by -rg-loops, and by three threads in orders taken at random, some of
which add to copies. They are compared with the untransformed program, up to what rounding does to it.

With --gradients, the nests of doubles are differentiated in reverse mode: by the naive plan without the steps and
decisions that know loops, and by the plan of -O2, of -O3 -march=native, of -rg-loops, and by three threads in orders taken at random. One program holds both and compares
the adjoints of all memory, up to the order of additions, and the primal's memory, bit for bit.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

HEAD = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
enum { POOL = 16384 };
static double pool_d[POOL]; static float pool_f[POOL]; static uint32_t pool_u[POOL]; static uint64_t pool_w[POOL];
static uint64_t state;
static uint64_t next(void) { state = state * 6364136223846793005u + 1442695040888963407u; return state >> 33; }
#define FILL(pool, T, value) static void fill_##T(uint64_t seed) { state = seed; for (int k = 0; k < POOL; k++) { uint64_t r = next(); pool[k] = (T)(value); } }
FILL(pool_d, double, (double)((int64_t)r % 2001 - 1000) / 512)
FILL(pool_f, float, (float)((int64_t)r % 2001 - 1000) / 512)
FILL(pool_u, uint32_t, r)
FILL(pool_w, uint64_t, r * r)
static uint64_t hash(const void *p, size_t bytes, int nan_as_one) {
  uint64_t h = 1469598103934665603u;
  for (size_t k = 0; k < bytes; k += 4) {
    uint32_t w; memcpy(&w, (const char *)p + k, 4);
    if (nan_as_one == 4 && (w & 0x7fffffff) > 0x7f800000) w = 0x7fc00000;
    if (nan_as_one == 8 && k % 8 == 0) {
      uint64_t d; memcpy(&d, (const char *)p + k, 8);
      if ((d & 0x7fffffffffffffff) > 0x7ff0000000000000) { h = (h ^ 77) * 1099511628211u; k += 4; continue; }
    }
    h = (h ^ w) * 1099511628211u; h ^= h >> 29;
  }
  return h;
}
"""
# What a gradient is compared with, and by: `all` in front, `what` the adjoints of memory.
COMPARE = r"""
static double adjoint[POOL], upwards[POOL], first_adjoint[POOL], first_pool[POOL];
static int wrong, judged;
static void begin(uint64_t seed) { fill_double(seed); state = seed + 1; for (int k = 0; k < POOL; k++) adjoint[k] = (double)((int64_t)next() % 2001 - 1000) / 512; }
/* The first way once more, rounding upwards: how far rounding alone takes each adjoint. */
static void keep_upwards(void) { memcpy(upwards, adjoint, sizeof adjoint); fesetround(FE_TONEAREST); }
static void keep(void) { memcpy(first_adjoint, adjoint, sizeof adjoint); memcpy(first_pool, pool_d, sizeof pool_d); }
static void compare(const char *what) {
  double most = 0;
  for (int k = 0; k < POOL; k++) {
    double size = fabs(first_adjoint[k]);
    if (!(size < 1e60)) return; /* grown without bound: no judge */
    if (size > most) most = size;
  }
  judged++;
  for (int k = 0; k < POOL; k++)
    if (!(fabs(first_adjoint[k] - adjoint[k]) <= 1e-9 * most + 30 * fabs(first_adjoint[k] - upwards[k])) || memcmp(&pool_d[k], &first_pool[k], sizeof(double))) {
      printf("%s: adjoint %d is %.17g and not %.17g, number %.17g and not %.17g\n", what, k, adjoint[k], first_adjoint[k], pool_d[k], first_pool[k]);
      wrong++;
      return;
    }
}
"""
# The pool, and the bytes of a number that may be NaN: which NaN is nobody's business.
TYPES = {"double": ("pool_d", 8), "float": ("pool_f", 4), "uint32_t": ("pool_u", 0), "uint64_t": ("pool_w", 0)}


class Nest:
    """One random function. Sizes are small, so that every index stays within the pool around its array."""

    def __init__(self, rng, number):
        self.rng = rng
        self.name = f"f{number}"
        self.type = rng.choice(["double", "double", "float", "uint32_t", "uint64_t"])
        self.int = rng.choice(["int"] * 5 + ["long"] * 5 + ["unsigned"])
        self.unsigned = self.int == "unsigned"
        self.moved = rng.random() < 0.08  # counters begin at s, wherever that is
        self.plain = rng.random() < 0.7  # indices as in most programs, so that most of these nests are taken
        self.arrays = ["a", "b", "c"][:rng.randint(1, 3)]
        self.restrict = rng.random() < 0.4
        self.shape = {x: rng.choice(["flat", "flat", "fixed", "row", "cube"]) for x in self.arrays}
        self.scalars = 0
        self.lines = []
        self.counters = []
        self.cells = []
        self.budget = rng.randint(1, 4)
        self.depth_left = rng.choice([2, 2, 2, 3, 3, 4])
        self.body(0)

    @classmethod
    def of_products(cls, rng, number):
        """Products of matrices and what is written like them: inner loops that go down columns."""
        nest = cls.__new__(cls)
        nest.rng, nest.name, nest.type = rng, f"f{number}", "double"
        nest.int, nest.unsigned, nest.moved, nest.plain = rng.choice(["int", "long"]), False, False, True
        nest.sizes = ((0, 0), (1, 2), (7, 5), (17, 9), (9, 18), (23, 21))
        nest.arrays, nest.restrict = ["a", "b", "c"], rng.random() < 0.5
        nest.shape = {x: rng.choice(["flat"] * 5 + ["fixed", "row"]) for x in nest.arrays}
        nest.lines, nest.counters, nest.cells = [], [], []
        depth = rng.choice([2, 3, 3, 3])
        for level in range(depth):
            v = "ijk"[level]
            low, high = "0", rng.choice(["n", "n", "m"])
            if nest.counters and rng.random() < 0.15:
                low, high = rng.choice([("0", nest.counters[-1]), (nest.counters[-1] + " + 1", high)])
            if rng.random() < 0.8:
                nest.emit(f"for ({nest.int} {v} = {low}; {v} < {high}; {v}++) {{", level)
            else:
                nest.emit(f"for ({nest.int} {v} = {high} - 1; {v} >= {low}; {v}--) {{", level)
            nest.counters.append(v)
            if level + 1 < depth and rng.random() < 0.3:
                nest.emit(f"{nest.place(rng.choice(nest.arrays))} {rng.choice(['=', '*=', '+='])} {rng.choice(['0.5', '0.0', nest.place('b')])};", level + 1)
            if level + 2 == depth and rng.random() < 0.35:
                nest.emit("double t = 0.25;", level + 1)
                nest.cells.append("t")
        for _ in range(rng.choice([1, 1, 2])):
            target = rng.choice([nest.place(rng.choice(nest.arrays))] + nest.cells * 2)
            guard = f"if ({nest.condition()}) " if rng.random() < 0.1 else ""
            nest.emit(f"{guard}{target} {rng.choice(['+=', '+=', '+=', '-=', '='])} {nest.product()};", depth)
        for level in reversed(range(depth)):
            nest.emit("}", level)
            if nest.cells and level == depth - 1:
                nest.emit(f"{nest.outer_place(level)} {rng.choice(['=', '+='])} t;", level)
        return nest

    @classmethod
    def of_sums(cls, rng, number):
        """Sums over outer loops, to arrays of one dimension and to single numbers: threads can share them if each has a copy."""
        nest = cls.__new__(cls)
        nest.rng, nest.name, nest.type = rng, f"f{number}", "double"
        nest.int, nest.unsigned, nest.moved, nest.plain = rng.choice(["int", "long"]), False, False, True
        nest.arrays, nest.restrict = ["a", "b", "c"], rng.random() < 0.7
        nest.shape = {"a": "flat", "b": rng.choice(["flat", "flat", "row"]), "c": "row"}
        nest.lines, nest.counters, nest.cells = [], [], []
        depth = rng.choice([2, 2, 3])
        for level in range(depth):
            v = "ijk"[level]
            low, high = "0", rng.choice(["n", "n", "m"])
            if nest.counters and rng.random() < 0.25:
                low, high = rng.choice([("0", nest.counters[-1] + " + 1"), (nest.counters[-1], high)])
            nest.emit(f"for ({nest.int} {v} = {low}; {v} < {high}; {v}++) {{", level)
            nest.counters.append(v)
            if level + 1 < depth and rng.random() < 0.3:
                nest.emit(f"{nest.sum_place()} {rng.choice(['+=', '+=', '-=', '='])} {nest.place('a')};", level + 1)
        for _ in range(rng.choice([1, 1, 2])):
            nest.emit(f"{nest.sum_place()} {rng.choice(['+=', '+=', '-='])} {nest.place('a')} * {nest.place(rng.choice('aab'))};", depth)
        if rng.random() < 0.2:
            nest.emit(f"{nest.place('a')} = 0.5 * {nest.place('b')};", depth)
        for level in reversed(range(depth)):
            nest.emit("}", level)
        return nest

    def sum_place(self):
        v, u = self.rng.choice(self.counters), self.rng.choice(self.counters)
        index = self.rng.choice([v, v, v, "3", f"{v} + 2", f"{v} + {u}", f"2 * {v}", f"9 - {v}"])
        return f"{self.rng.choice('cccb')}[{index}]"

    def product(self):
        rng = self.rng
        factors = [self.place(x) for x in rng.sample(self.arrays, 2)]
        if rng.random() < 0.2:
            factors.append(rng.choice(["0.5", self.place("b")]))
        text = " * ".join(factors)
        return f"{text} + {self.place('b')}" if rng.random() < 0.2 else text

    def outer_place(self, level):
        inner = self.counters[level:]
        del self.counters[level:]
        place = self.place(self.rng.choice(self.arrays))
        self.counters += inner
        return place

    sizes = ((0, 0), (1, 2), (2, 1), (5, 3), (9, 12), (12, 7))

    def pick(self, *choices):
        return self.rng.choice(choices)

    def emit(self, text, depth):
        self.lines.append("  " * (depth + 1) + text)

    def small(self):
        return self.rng.randint(0, 3) if self.unsigned else self.rng.randint(-2, 3)

    def counter(self):
        """A counter as a number from about 0 on."""
        v = self.rng.choice(self.counters)
        return f"({v} - s)" if self.moved else v

    def linear(self):
        rng = self.rng
        kind = rng.random() * (0.75 if self.plain else 1)
        v = self.counter()
        if kind < 0.75:
            text = v
        elif kind < 0.8 and len(self.counters) > 1:
            text = f"{v} + {self.counter()}"
        elif kind < 0.86 and not self.unsigned:
            text = f"{v} - {self.counter()}" if len(self.counters) > 1 else f"n - {v}"
        elif kind < 0.91:
            text = f"2 * {v}"
        elif kind < 0.95:
            text = str(rng.randint(0, 3))
        else:
            text = f"{v} + m" if self.unsigned else f"m - {v}"
        d = self.small()
        return text if not d or rng.random() < 0.65 else f"{text} + {d}" if d > 0 else f"{text} - {-d}"

    def place(self, array):
        shape = self.shape[array]
        if shape == "row":
            return f"{array}[{self.linear()}]"
        if self.plain and len(self.counters) > 1 and not self.moved:
            one, other = self.rng.sample(self.counters, 2)
            x, y = (v if self.rng.random() < 0.6 else f"{v} + {self.rng.randint(1, 2)}" if self.unsigned or self.rng.random() < 0.5
                    else f"{v} - 1" for v in (one, other))
        else:
            x, y = self.linear(), self.linear()
        if shape == "flat":
            return f"{array}[({x}) * lda + {y}]"
        if shape == "fixed":
            return f"(({self.type} (*)[40]){array})[{x}][{y}]"
        return f"{array}[(({x}) * lda + {y}) * 3 + {self.rng.randint(0, 2)}]"

    def number(self):
        return self.pick("0.5", "1.25", "-0.75", "3.0") if self.type in ("double", "float") else self.pick("3", "5u", "7")

    def value(self, depth=0):
        rng = self.rng
        kind = rng.random()
        if kind < 0.45 or depth > 2:
            return self.place(rng.choice(self.arrays))
        if kind < 0.55:
            return f"({self.type})({self.counter()} + 1)"
        if kind < 0.6 and self.cells:
            return rng.choice(self.cells)
        if kind < 0.7:
            return f"{self.number()} * {self.place(rng.choice(self.arrays))}"
        if kind < 0.8:
            x, y = self.value(depth + 1), self.value(depth + 1)
            return f"({x} < {y} ? {x} : {y})"
        return f"({self.value(depth + 1)} {self.pick('+', '-', '*', '+')} {self.value(depth + 1)})"

    def condition(self):
        rng = self.rng
        x = self.counter()
        y = self.pick("n", "m", "3", "5")
        if len(self.counters) > 1 and rng.random() < 0.6:
            y = self.counter()
        text = f"{x} {self.pick('<', '<=', '!=', '==', '>', '>=', '!=')} {y}"
        if rng.random() < 0.25:
            text = f"{text} {self.pick('&&', '||')} {self.counter()} {self.pick('<', '!=', '>')} {self.pick('n', '2', 'm')}"
        return text

    def statement(self, depth):
        rng = self.rng
        target = self.place(rng.choice(self.arrays))
        if self.cells and rng.random() < 0.4:
            target = rng.choice(self.cells)
        op = self.pick("=", "=", "+=", "-=", "+=", "*=") if self.type[0] != "u" else self.pick("=", "+=", "^=", "-=")
        guard = f"if ({self.condition()}) " if rng.random() < 0.15 else ""
        self.emit(f"{guard}{target} {op} {self.value()};", depth)
        if guard and rng.random() < 0.3:
            self.emit(f"else {self.place(rng.choice(self.arrays))} = {self.value()};", depth)

    def loop(self, depth):
        rng = self.rng
        v = "ijklpq"[len(self.counters)]
        low, high = "0", self.pick("n", "n", "m", "n - 1", "7", "n + 1")
        if self.counters and rng.random() < 0.45:
            u = self.counter()
            if rng.random() < 0.5:
                low = u if rng.random() < 0.5 else f"{u} + {rng.randint(1, 2)}"
            else:
                high = self.pick(u, f"{u} + 1", f"{u} + 2", f"({u} < m ? {u} : m)")
        elif rng.random() < 0.2:
            low = str(rng.randint(1, 3))
        if self.unsigned and "- 1" in high:
            high = "n"
        at = "s + " if self.moved else ""
        low, high = f"{at}{low}", f"{at}{high}"
        # Moved unsigned counters near the end of their type: s + n is small then, and the loop has no trips.
        step = self.pick(1, 1, 1, 1, 1, 1, 2, 3) if self.unsigned or self.plain and rng.random() < 0.7 or rng.random() < 0.75 else -self.pick(1, 1, 2)
        if step > 0:
            test = self.pick("<", "<", "<=") if not self.unsigned else "<"
            by = f"{v}++" if step == 1 else f"{v} += {step}"
            self.emit(f"for ({self.int} {v} = {low}; {v} {test} {high}; {by}) {{", depth)
        else:
            by = f"{v}--" if step == -1 else f"{v} -= {-step}"
            self.emit(f"for ({self.int} {v} = {high} - 1; {v} {self.pick('>=', '>')} {low}; {by}) {{", depth)
        self.counters.append(v)
        self.depth_left -= 1
        known = len(self.cells)
        self.body(depth + 1)
        del self.cells[known:]
        self.depth_left += 1
        self.counters.pop()
        self.emit("}", depth)

    def body(self, depth):
        rng = self.rng
        if not self.counters:
            self.loop(depth)
            if rng.random() < 0.2:
                self.loop(depth)
            return
        inner = 0
        if self.depth_left > 0:
            inner = 1 if len(self.counters) == 1 or rng.random() < 0.8 else 0
            if inner and rng.random() < 0.2:
                inner = 2
        home = None
        if inner and rng.random() < 0.3:
            t = f"t{self.scalars}"
            self.scalars += 1
            if rng.random() < 0.6:
                home = self.place(rng.choice(self.arrays))
            self.emit(f"{self.type} {t} = {home or self.value(2)};", depth)
            self.cells.append(t)
        if not inner or rng.random() < 0.3:
            for _ in range(rng.randint(1, 2)):
                self.statement(depth)
        for _ in range(inner):
            self.loop(depth)
        if home:  # a sum that goes back to where it was loaded
            self.emit(f"{home} = {t};" if rng.random() < 0.7 else f"{home} = {t} + {self.value(2)};", depth)
        if inner and not home and (rng.random() < 0.3 or self.cells):
            self.statement(depth)
            if self.cells:
                self.emit(f"{self.place(rng.choice(self.arrays))} = {self.cells[-1]};", depth)

    def head(self):
        r = "restrict " if self.restrict else ""
        arguments = ", ".join(f"{self.type} *{r}{x}" for x in self.arrays)
        return f"void {self.name}({self.int} n, {self.int} m, {self.int} s, {self.int} lda, {arguments})"

    def source(self):
        return self.head() + " {\n" + "\n".join(self.lines) + "\n}\n"

    def gradient(self):
        """The gradient, for one of two ways to compile it."""
        arguments = ", ".join(f"double *{x}, double *d{x}" for x in self.arrays)
        shadows = ", ".join(f"enzyme_dup, {x}, d{x}" for x in self.arrays)
        return (f"void WAY({self.name})({self.int} n, {self.int} m, {self.int} s, {self.int} lda, {arguments})",
                f"{{ __enzyme_autodiff((void *){self.name}, enzyme_const, n, enzyme_const, m, enzyme_const, s, enzyme_const, lda, {shadows}); }}\n")

    def calls(self, gradient=False, sums=False):
        rng = self.rng
        pool, nan = TYPES[self.type]
        starts = ["0"]
        if self.moved:
            starts = {"int": ["0", "2147483600", "-2147483000", "7"], "long": ["0", "1L << 40", "-(1L << 33)", "9223372036854775700"],
                      "unsigned": ["0", "4294967200u", "2147483640u"]}[self.int]
        for n, m in self.sizes:
            for lda in (rng.choice((1, 3, n + 1)), rng.choice((16, 30) if self.sizes is Nest.sizes else (24, 30))):
                s = rng.choice(starts)
                at = {"a": 6000, "b": 9500, "c": 13000}
                if not self.restrict:
                    for x in ("b", "c"):
                        if rng.random() < 0.5:
                            at[x] = at["a"] + rng.choice((0, 0, 1, -1, lda, -3 * lda, 40, 2 * lda + 1, 300, -400))
                if gradient or sums:
                    seed = rng.randrange(1 << 30)
                    arguments = ", ".join(f"adjoint + {at[x]}" if sums else f"pool_d + {at[x]}, adjoint + {at[x]}" for x in self.arrays)
                    what = f"{self.name} n={n} m={m} s={s} lda={lda} {' '.join(f'{x}@{at[x]}' for x in self.arrays)}"
                    call = f"{n}, {m}, {s}, {lda}, {arguments}"
                    yield (f"  begin({seed}); fesetround(FE_UPWARD); {self.name}_first({call}); keep_upwards();\n"
                           f"  begin({seed}); {self.name}_first({call}); keep();\n"
                           f'  begin({seed}); {self.name}_second({call}); compare("{what}");')
                    continue
                arguments = ", ".join(f"{pool} + {at[x]}" for x in self.arrays)
                yield (f"  fill_{self.type}({rng.randrange(1 << 30)}); {self.name}({n}, {m}, {s}, {lda}, {arguments});\n"
                       f'  printf("{self.name} n={n} m={m} s={s} lda={lda} {" ".join(f"{x}@{at[x]}" for x in self.arrays)}: %016llx\\n", '
                       f"(unsigned long long)hash({pool}, sizeof {pool}, {nan}));")


def unit(seed, count):
    rng = random.Random(seed)
    nests = [Nest(rng, k) for k in range(count)]
    runs = [f"static void run_{n.name}(void) {{\n" + "\n".join(n.calls()) + "\n}\n" for n in nests]
    main = "int main(void) {\n" + "\n".join(f"  run_{n.name}();" for n in nests) + "\n  return 0;\n}\n"
    heads = "".join(n.head() + ";\n" for n in nests)
    return nests, "#include <stdint.h>\n" + "\n".join(n.source() for n in nests), HEAD + heads + "\n".join(runs) + main


def gradient_unit(seed, count):
    rng = random.Random(seed)
    nests = []
    while len(nests) < count:
        nest = Nest.of_products(rng, len(nests)) if rng.random() < 0.4 else Nest(rng, len(nests))
        if nest.type == "double":
            nests.append(nest)
    text = "#include <stdint.h>\nextern int enzyme_dup, enzyme_const;\nvoid __enzyme_autodiff(void *, ...);\n"
    text += "\n".join("static " + n.source() + "".join(n.gradient()) for n in nests)
    heads = "".join(n.gradient()[0].replace(f"WAY({n.name})", n.name + way) + ";\n" for n in nests for way in ("_first", "_second"))
    runs = [f"static void run_{n.name}(void) {{\n" + "\n".join(n.calls(gradient=True)) + "\n}\n" for n in nests]
    main = "int main(void) {\n" + "\n".join(f"  run_{n.name}();" for n in nests)
    main += '\n  printf("%d judged\\n", judged);\n  return wrong != 0;\n}\n'
    return nests, text, "#include <fenv.h>\n#include <math.h>\n" + HEAD + COMPARE + heads + "\n".join(runs) + main


def sums_unit(seed, count):
    rng = random.Random(seed)
    nests = []
    while len(nests) < count:
        nest = Nest.of_sums(rng, len(nests)) if rng.random() < 0.7 else Nest(rng, len(nests))
        if nest.type == "double":
            nests.append(nest)
    bodies = "#include <stdint.h>\n" + "\n".join(n.source().replace(f"void {n.name}(", f"void WAY({n.name})(", 1) for n in nests)
    heads = "".join(n.head().replace(f"void {n.name}(", f"void {n.name}{way}(", 1) + ";\n" for n in nests for way in ("_first", "_second"))
    runs = [f"static void run_{n.name}(void) {{\n" + "\n".join(n.calls(sums=True)) + "\n}\n" for n in nests]
    main = "int main(void) {\n" + "\n".join(f"  run_{n.name}();" for n in nests)
    main += '\n  printf("%d judged\\n", judged);\n  return wrong != 0;\n}\n'
    return nests, bodies, "#include <fenv.h>\n#include <math.h>\n" + HEAD + COMPARE + heads + "\n".join(runs) + main


PLAIN = ["-mllvm", "-rg-plan=naive", "-mllvm",
         "-rg-disable=defer-loops,vector-columns,split-at-meetings,merge-latches,strip-additions,short-loops,late-zeros,spare-clears,zero-tangents,disjoint-arguments,access-order,runs-ahead"]
WAYS = {"-O2": ["-O2"], "-O3 -march=native": ["-O3", "-march=native"], "-O2 -rg-loops": ["-O2", "-mllvm", "-rg-loops"],
        "-rg-loops=parallel": ["-O2", "-fopenmp", "-mllvm", "-rg-loops=parallel", "-mllvm", "-rg-loops-any=3"]}


def judge(program, nests, what):
    """Runs a linked program that compares two versions of nests. How many results it judged, and what failed, or ""."""
    code, out, _ = run([program], 100)
    judged = sum(int(n) for n in re.findall(r"^(\d+) judged$", out, re.M))
    if code == 0:
        return judged, ""
    bad = [line for line in out.splitlines() if "judged" not in line] or [f"ends with {code}"]
    return judged, f"{len(bad)} {what} differ; the first: {bad[0]}\n" + "".join(n.source() for n in nests if n.name == bad[0].split()[0])


def keep(folder, files):
    """Writes (name, text) into the folder, if there is to be one."""
    if folder:
        os.makedirs(folder, exist_ok=True)
        for name, text in files:
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)


def gradients(options, rgcc, plain, flags):
    """Fails with 1 if a gradient of a nest depends on the plan or on steps."""
    judged = wrong = 0
    with tempfile.TemporaryDirectory() as work:
        for seed in range(options.seed, options.seed + options.units):
            nests, text, callers = gradient_unit(seed, options.nests)
            source, harness, first, second, program = (os.path.join(work, name) for name in ("nests.c", "main.c", "first.o", "second.o", "program"))
            for path, content in ((source, text), (harness, callers)):
                with open(path, "w") as file:
                    file.write(content)
            common = [*flags, "-fno-strict-aliasing", "-c", source]
            code, _, told = run([plain, "-O1", "-w", "-frounding-math", "-c", harness, "-o", harness + ".o"], 300)
            if code == 0:
                code, _, told = run([rgcc, "-O1", *PLAIN, "-DWAY(f)=f##_first", *common, "-o", first], 600)
            if code != 0:
                sys.exit(f"fuzz/loops.py: unit {seed}: {told[-2000:]}")
            for name, way in WAYS.items():
                code, _, told = run([rgcc, *way, "-DWAY(f)=f##_second", *common, "-o", second], 600)
                failed = ""
                if code != 0:
                    failed = f"does not compile: {told[-2000:]}"
                else:
                    code, _, told = run([rgcc, "-fopenmp", harness + ".o", first, second, "-lm", "-o", program], 100)
                    if code != 0:
                        sys.exit(f"fuzz/loops.py: unit {seed}: {told[-2000:]}")
                    counted, failed = judge(program, nests, "gradients")
                    judged += counted
                if failed:
                    wrong += 1
                    print(f"unit {seed}, {name}: {failed}", flush=True)
                    keep(options.keep, ((f"gradients{seed}.c", text), (f"gradients-main{seed}.c", callers)))
    print(f"{options.units * options.nests} nests, {judged} gradients compared in {len(WAYS)} ways, {wrong} failures")
    sys.exit(1 if wrong else 0)


ANY_ORDER = ["-O2", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math", "-Rpass=rg-loops"]


def sums(options, rgcc, plain, flags):
    """Fails with 1 if the result of a nest depends on the order of its sums by more than rounding."""
    judged = wrong = changed = copies = 0
    with tempfile.TemporaryDirectory() as work:
        for seed in range(options.seed, options.seed + options.units):
            nests, text, callers = sums_unit(seed, options.nests)
            source, harness, first, second, program = (os.path.join(work, name) for name in ("nests.c", "main.c", "first.o", "second.o", "program"))
            for path, content in ((source, text), (harness, callers)):
                with open(path, "w") as file:
                    file.write(content)
            common = [*flags, "-fno-strict-aliasing", "-c", source]
            for command in ([plain, "-O1", "-w", "-frounding-math", "-c", harness, "-o", harness + ".o"],
                            [plain, "-O1", "-frounding-math", "-DWAY(f)=f##_first", *common, "-o", first]):
                code, _, told = run(command, 300)
                if code != 0:
                    sys.exit(f"fuzz/loops.py: the generator's fault: {told[-2000:]}")
            ways = {"-rg-loops": ["-mllvm", "-rg-loops"], "-rg-loops=parallel": ["-fopenmp", "-mllvm", "-rg-loops=parallel", "-mllvm", f"-rg-loops-any={seed * 7 + 5}"]}
            for name, way in ways.items():
                code, _, told = run([rgcc, *ANY_ORDER, *way, "-DWAY(f)=f##_second", *common, "-o", second], 600)
                failed = ""
                if code != 0:
                    failed = f"does not compile: {told[-2000:]}"
                else:
                    changed += len(re.findall(r"remark: loop nest: ", told))
                    copies += len(re.findall(r"remark: loop nest: .*which add to copies", told))
                    code, _, told = run([rgcc, "-fopenmp", harness + ".o", first, second, "-lm", "-o", program], 100)
                    if code != 0:
                        sys.exit(f"fuzz/loops.py: unit {seed}: {told[-2000:]}")
                    counted, failed = judge(program, nests, "results")
                    judged += counted
                if failed:
                    wrong += 1
                    print(f"unit {seed}, {name}: {failed}", flush=True)
                    keep(options.keep, ((f"sums{seed}.c", text), (f"sums-main{seed}.c", callers)))
    print(f"{options.units * options.nests} nests, {changed} changed in 2 ways, {copies} add to copies, {judged} results compared, {wrong} failures")
    sys.exit(1 if wrong else 0)


def run(command, limit):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, "", f"more than {limit} s"
    return done.returncode, done.stdout, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--units", type=int, default=10)
    parser.add_argument("--nests", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--orders", type=int, default=1, help="orders taken at random, besides the search's")
    parser.add_argument("--gradients", action="store_true", help="compare gradients, not nests")
    parser.add_argument("--keep", help="folder for units that fail")
    parser.add_argument("--sums", action="store_true", help="sums in any order")
    options = parser.parse_args()
    rgcc = os.path.join(options.build, "bin", "rg-clang")
    plain = os.environ.get("RG_CLANG", "/usr/lib/llvm-22/bin/clang")
    flags = ["-ffp-contract=off", "-w", "-std=gnu17"]
    os.environ.update(OMP_NUM_THREADS="3", OMP_WAIT_POLICY="passive", OMP_DYNAMIC="false")
    if options.sums:
        sums(options, rgcc, plain, flags)
    if options.gradients:
        gradients(options, rgcc, plain, flags)
    changed = looked = wrong = shared = 0
    with tempfile.TemporaryDirectory() as work:
        for seed in range(options.seed, options.seed + options.units):
            nests, text, callers = unit(seed, options.nests)
            source, harness = (os.path.join(work, f"{name}{seed}.c") for name in ("nests", "main"))
            for path, content in ((source, text), (harness, callers)):
                with open(path, "w") as file:
                    file.write(content)
            code, _, told = run([plain, "-O1", "-w", "-c", harness, "-o", harness + ".o"], 300)
            if code != 0:
                sys.exit(f"fuzz/loops.py: the generator's fault: {told}")
            expected = None
            ways = [("clang -O1", [plain, "-O1", "-fno-strict-aliasing"])]
            ways += [("-rg-loops", [rgcc, "-O2", "-fno-strict-aliasing", "-mllvm", "-rg-loops", "-Rpass=rg-loops"])]
            ways += [(f"-rg-loops-any={seed * 7 + k + 1}",
                      [rgcc, "-O2", "-fno-strict-aliasing", "-mllvm", "-rg-loops", "-mllvm", f"-rg-loops-any={seed * 7 + k + 1}", "-Rpass=rg-loops"])
                     for k in range(options.orders)]
            ways += [("-rg-loops=parallel",
                      [rgcc, "-O2", "-fopenmp", "-fno-strict-aliasing", "-mllvm", "-rg-loops=parallel", "-mllvm", f"-rg-loops-any={seed * 7 + 5}", "-Rpass=rg-loops"])]
            for name, command in ways:
                program = os.path.join(work, "program")
                code, _, told = run(command + flags + [source, harness + ".o", "-lm", "-o", program], 300)
                failed = None
                if code != 0:
                    failed = f"does not compile: {told[-2000:]}"
                else:
                    code, out, _ = run([program], 60)
                    if code != 0:
                        failed = f"ends with {code}"
                    elif expected is None:
                        expected = out
                    elif out != expected:
                        lines = [(x, y) for x, y in zip(expected.splitlines(), out.splitlines()) if x != y]
                        bad = sorted({x.split()[0] for x, _ in lines}, key=lambda f: int(f[1:]))
                        failed = f"{len(lines)} results differ, of {', '.join(bad)}; the first: {lines[0][0]} and not {lines[0][1]}"
                        failed += "\n" + next(n for n in nests if n.name == bad[0]).source()
                if failed:
                    print(f"unit {seed}, {name}: {failed}", flush=True)
                    if expected is None:
                        sys.exit("fuzz/loops.py: the generator's fault")
                    wrong += 1
                    keep(options.keep, ((f"nests{seed}.c", text), (f"main{seed}.c", callers)))
                if name == "-rg-loops":
                    looked += len(nests)
                if name != "clang -O1":
                    changed += len(re.findall(r"remark: loop nest: ", told))
                    shared += len(re.findall(r"remark: loop nest: .*by threads", told))
    print(f"{looked} nests, {changed} changed in {2 + options.orders} ways, {shared} by threads, {wrong} failures")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
