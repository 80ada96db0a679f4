#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Random differentiable functions as LLVM IR: what clang's front end never writes.

    fuzz/ir.py --build build --seed 1 --count 200 [--seconds 60] [--keep folder]
    fuzz/ir.py --seed 1 --show 17        the text of one function
    fuzz/ir.py --judge file.ll           one that was kept, under every configuration

A function reads and writes doubles %x and floats %y. It is made of all of LLVM's floating-point
instructions on scalars (half, float, double, x86_fp80) and vectors, integers of odd
widths, selects, switches, freezes, phis of numbers, vectors, aggregates and pointers, loops that are
irreducible or left early, element and value insertion and extraction, moves as bits, and calls.
Nothing in it is undefined or poison, and numbers stay below about ten.

There is no independent interpreter here. Three answers must agree: reverse mode, forward mode along each
input, and central differences along two directions, where these converge (two step sizes agree;
elsewhere the function has a kink close by, and only the first two are compared). What
the verdicts mean is said in harness.py."""

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
from harness import RG, crash_line

DOUBLES, FLOATS = 6, 4
CONFIGS = [(level, plan) for level in ("O0", "O1", "O2", "O3", "Os") for plan in ("naive", "mincut")]
SCALARS = ["double"] * 5 + ["float"] * 3 + ["x86_fp80", "half"]
VECTORS = ["<2 x double>", "<4 x double>", "<3 x float>", "<4 x float>"]
INTEGERS = ["i32", "i32", "i64", "i8", "i7", "i24", "i33", "i128", "i1"]
STRUCTS = ["{ double, i32, float }", "[3 x double]", "{ <2 x double>, { float, i8 } }"]
MANGLED = {"double": "f64", "float": "f32", "x86_fp80": "f80", "half": "f16",
           "<2 x double>": "v2f64", "<4 x double>": "v4f64", "<3 x float>": "v3f32",
           "<4 x float>": "v4f32"}
BITS = {"half": 16, "float": 32, "double": 64}


def lanes(t):
    return int(t[1]) if t.startswith("<") else 1


def element(t):
    return t[5:-1] if t.startswith("<") else t


def number(t, v):
    """A constant; exact in half, so in all types."""
    if t.startswith("<"):
        one = number(element(t), v)
        return "<" + ", ".join(f"{element(t)} {one}" for _ in range(lanes(t))) + ">"
    if t == "x86_fp80":
        sign, exponent, whole = v < 0, 0, abs(v)
        if whole == 0:
            return "0xK00000000000000000000"
        while whole >= 2:
            whole, exponent = whole / 2, exponent + 1
        while whole < 1:
            whole, exponent = whole * 2, exponent - 1
        return f"0xK{(sign << 15) + 16383 + exponent:04X}{int(whole * 2 ** 63):016X}"
    return f"{v:e}"


class Function:
    """One function's text. Values are known by type; of numbers also a bound of their size is kept."""

    def __init__(self, r, name, helpers):
        self.r, self.name, self.helpers = r, name, helpers
        self.lines, self.allocas, self.count = [], [], 0
        self.declared = set()

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def line(self, text):
        self.lines.append("  " + text)

    def start(self, label):
        self.lines.append(f"{label}:")
        self.block = label

    def label(self):
        self.count += 1
        return f"b{self.count}"

    def op(self, text):
        v = self.fresh()
        self.line(f"{v} = {text}")
        return v

    def intrinsic(self, name, t, args, types=None):
        types = types or [t] * len(args)
        self.declared.add(f"declare {t} @{name}({', '.join(types)})")
        return self.op(f"call {t} @{name}({', '.join(f'{u} {a}' for u, a in zip(types, args))})")

    # Picking operands. A scope is {type: [(text, bound)]}.
    def have(self, sc, t):
        return sc.get(t)

    def put(self, sc, t, v, bound=0.0):
        sc.setdefault(t, []).append((v, bound))

    def get(self, sc, t):
        pool = sc.get(t)
        if not pool or self.r.random() < 0.06:
            if t in STRUCTS:
                return self.aggregate(sc, t)
            if t.startswith("i"):
                return self.integer(t), 0.0
            v = self.r.choice([0.5, 0.25, -0.75, 1.5, -0.5, 1.25, 0.0])
            if not pool or self.r.random() < 0.5:
                return number(t, v), abs(v)
            return self.convert(sc, t)
        return self.r.choice(pool[-6:] if self.r.random() < 0.6 else pool)

    def integer(self, t):
        return self.r.choice(["true", "false"]) if t == "i1" else str(self.r.choice([0, 1, 2, 3, 5]))

    def convert(self, sc, t):
        """A number of another type, as t."""
        e, n = element(t), lanes(t)
        if n > 1:
            v, top = f"zeroinitializer", 0.0
            for k in range(n):
                a, bound = self.get(sc, e) if sc.get(e) else (number(e, 0.5), 0.5)
                v, top = self.op(f"insertelement {t} {v}, {e} {a}, i32 {k}"), max(top, bound)
            return v, top
        sources = [s for s in MANGLED if s != t and lanes(s) == 1 and sc.get(s)]
        if not sources:
            return number(t, 0.75), 0.75
        s = self.r.choice(sources)
        a, bound = self.r.choice(sc[s])
        size = {"half": 0, "float": 1, "double": 2, "x86_fp80": 3}
        return self.op(f"{'fptrunc' if size[t] < size[s] else 'fpext'} {s} {a} to {t}"), bound

    def aggregate(self, sc, t):
        v = "zeroinitializer"
        if t == STRUCTS[0]:
            parts = [("double", "0"), ("i32", "1"), ("float", "2")]
        elif t == STRUCTS[1]:
            parts = [("double", str(k)) for k in range(3)]
        else:
            parts = [("<2 x double>", "0"), ("float", "1, 0"), ("i8", "1, 1")]
        for u, at in parts:
            v = self.op(f"insertvalue {t} {v}, {u} {self.get(sc, u)[0]}, {at}")
        return v, 3.0

    def tame(self, t, v, bound):
        """v, or a bounded function of it."""
        if bound <= 6:
            return v, bound
        if t in ("half", "x86_fp80") or t.startswith("<"):
            return self.op(f"fmul {t} {v}, {number(t, 2.0 ** -6)}"), bound / 64
        name = self.r.choice(["llvm.sin", "llvm.cos", "llvm.tanh"])
        return self.intrinsic(f"{name}.{MANGLED[t]}", t, [v]), 1.0

    # Statements. Each adds to the scope.
    def arithmetic(self, sc):
        r = self.r
        t = r.choice(SCALARS + VECTORS)
        flags = r.choice(["", "", "", "fast ", "nnan ", "contract ", "reassoc nsz "])
        a, p = self.get(sc, t)
        b, q = self.get(sc, t)
        kind = r.choice(["fadd", "fsub", "fmul", "fmul", "fneg", "fdiv", "frem", "select", "fma",
                         "fabs", "minmax", "sin", "sqrt", "copysign", "exp", "pow", "round"])
        if kind in ("fadd", "fsub"):
            v, bound = self.op(f"{kind} {flags}{t} {a}, {b}"), p + q
        elif kind == "fmul":
            v, bound = self.op(f"fmul {flags}{t} {a}, {b}"), p * q
        elif kind == "fneg":
            v, bound = self.op(f"fneg {flags}{t} {a}"), p
        elif kind in ("fdiv", "sqrt", "pow"):
            # 1.5 + b^2, which is far from 0.
            square = self.op(f"fmul {t} {b}, {b}")
            safe = self.op(f"fadd {t} {square}, {number(t, 1.5)}")
            if kind == "fdiv":
                v, bound = self.op(f"fdiv {flags}{t} {a}, {safe}"), p / 1.5
            elif kind == "sqrt":
                v, bound = self.intrinsic(f"llvm.sqrt.{MANGLED[t]}", t, [safe]), 1.3 + q
            else:
                v = self.intrinsic(f"llvm.log.{MANGLED[t]}", t, [safe])
                bound = 1 + q
        elif kind == "frem":
            v, bound = self.op(f"frem {t} {a}, {number(t, 1.75)}"), 1.75
        elif kind == "select":
            c = self.condition(sc, t)
            v, bound = self.op(f"select {c[0]} {c[1]}, {t} {a}, {t} {b}"), max(p, q)
        elif kind == "fma":
            c, s = self.get(sc, t)
            name = r.choice(["llvm.fma", "llvm.fmuladd"])
            v, bound = self.intrinsic(f"{name}.{MANGLED[t]}", t, [a, b, c]), p * q + s
        elif kind == "fabs":
            v, bound = self.intrinsic(f"llvm.fabs.{MANGLED[t]}", t, [a]), p
        elif kind == "minmax":
            name = r.choice(["minnum", "maxnum", "minimum", "maximum"])
            v, bound = self.intrinsic(f"llvm.{name}.{MANGLED[t]}", t, [a, b]), max(p, q)
        elif kind == "copysign":
            v, bound = self.intrinsic(f"llvm.copysign.{MANGLED[t]}", t, [a, b]), p
        elif kind == "exp":
            s = self.intrinsic(f"llvm.sin.{MANGLED[t]}", t, [a])
            v, bound = self.intrinsic(f"llvm.exp.{MANGLED[t]}", t, [s]), 2.8
        elif kind == "round":
            name = r.choice(["floor", "trunc", "rint"])
            v, bound = self.intrinsic(f"llvm.{name}.{MANGLED[t]}", t, [a]), p + 1
        else:
            v, bound = self.intrinsic(f"llvm.sin.{MANGLED[t]}", t, [a]), 1.0
        if r.random() < 0.1:
            v = self.op(f"freeze {t} {v}")
        self.put(sc, t, *self.tame(t, v, bound))

    def condition(self, sc, t=None):
        """(type, value): i1, or for a vector sometimes one per lane."""
        r = self.r
        if t and t.startswith("<") and r.random() < 0.6:
            a, b = self.get(sc, t)[0], self.get(sc, t)[0]
            return f"<{lanes(t)} x i1>", self.op(f"fcmp {r.choice(['olt', 'ugt', 'oge'])} {t} {a}, {b}")
        roll = r.random()
        if roll < 0.4:
            u = r.choice(["double", "float"])
            return "i1", self.op(f"fcmp {r.choice(['olt', 'ogt', 'ule', 'une', 'ord', 'oge'])} {u}"
                                 f" {self.get(sc, u)[0]}, {self.get(sc, u)[0]}")
        u = r.choice([i for i in INTEGERS if i != "i1"])
        return "i1", self.op(f"icmp {r.choice(['eq', 'ne', 'slt', 'uge', 'sle'])} {u}"
                             f" {self.get(sc, u)[0]}, {self.integer(u)}")

    def integers(self, sc):
        r = self.r
        t = r.choice(INTEGERS)
        kind = r.choice(["binary", "binary", "cast", "shift", "divide", "select", "fromfp"])
        a, b = self.get(sc, t)[0], self.get(sc, t)[0]
        if kind == "binary" or t == "i1":
            v = self.op(f"{r.choice(['add', 'sub', 'mul', 'and', 'or', 'xor'])} {t} {a}, {b}")
        elif kind == "cast":
            s = r.choice([u for u in INTEGERS if u != t])
            c = self.get(sc, s)[0]
            wide = int(t[1:]) > int(s[1:])
            v = self.op(f"{r.choice(['zext', 'sext']) if wide else 'trunc'} {s} {c} to {t}")
        elif kind == "shift":
            by = self.op(f"and {t} {b}, 3")
            v = self.op(f"{r.choice(['shl', 'lshr', 'ashr'])} {t} {a}, {by}")
        elif kind == "divide":
            by = self.op(f"or {t} {b}, 1")
            v = self.op(f"{r.choice(['udiv', 'urem'])} {t} {a}, {by}")
        elif kind == "select":
            v = self.op(f"select i1 {self.condition(sc)[1]}, {t} {a}, {t} {b}")
        else:
            v = self.op(f"fptosi double {self.get(sc, 'double')[0]} to {'i32' if t == 'i1' else t}")
        self.put(sc, t, v)

    def tofp(self, sc):
        t, i = self.r.choice(["double", "float", "x86_fp80"]), self.r.choice(INTEGERS)
        small = self.op(f"and {i} {self.get(sc, i)[0]}, {'true' if i == 'i1' else 3}")
        v = self.op(f"uitofp {i} {small} to {t}")
        self.put(sc, t, v, 3.0)

    def vectors(self, sc):
        r = self.r
        t = r.choice(VECTORS)
        a, p = self.get(sc, t)
        e, n = element(t), lanes(t)
        kind = r.choice(["insert", "extract", "shuffle", "reduce", "variable", "splat"])
        if kind == "insert":
            b, q = self.get(sc, e)
            self.put(sc, t, self.op(f"insertelement {t} {a}, {e} {b}, i32 {r.randrange(n)}"), max(p, q))
        elif kind == "variable":
            index = self.op(f"urem i32 {self.get(sc, 'i32')[0]}, {n}")
            if r.random() < 0.5:
                b, q = self.get(sc, e)
                self.put(sc, t, self.op(f"insertelement {t} {a}, {e} {b}, i32 {index}"), max(p, q))
            else:
                self.put(sc, e, self.op(f"extractelement {t} {a}, i32 {index}"), p)
        elif kind == "extract":
            self.put(sc, e, self.op(f"extractelement {t} {a}, i64 {r.randrange(n)}"), p)
        elif kind == "shuffle":
            u = r.choice([v for v in VECTORS if element(v) == e])
            b, q = self.get(sc, t)
            mask = ", ".join(f"i32 {r.randrange(2 * n)}" for _ in range(lanes(u)))
            self.put(sc, u, self.op(f"shufflevector {t} {a}, {t} {b}, <{lanes(u)} x i32> <{mask}>"),
                     max(p, q))
        elif kind == "splat":
            b, q = self.get(sc, e)
            v = self.op(f"insertelement {t} poison, {e} {b}, i64 0")
            self.put(sc, t, self.op(f"shufflevector {t} {v}, {t} poison, <{n} x i32> zeroinitializer"), q)
        else:
            name = r.choice(["fadd", "fmul", "fmax", "fmin"])
            if name in ("fadd", "fmul"):
                b, q = self.get(sc, e)
                v = self.intrinsic(f"llvm.vector.reduce.{name}.{MANGLED[t]}", e, [b, a], [e, t])
                bound = q + n * p if name == "fadd" else q * p ** n
            else:
                v, bound = self.intrinsic(f"llvm.vector.reduce.{name}.{MANGLED[t]}", e, [a], [t]), p
            self.put(sc, e, *self.tame(e, v, bound))

    def aggregates(self, sc):
        r = self.r
        t = r.choice(STRUCTS)
        if not sc.get(t) or r.random() < 0.4:
            self.put(sc, t, *self.aggregate(sc, t))
            return
        a, bound = r.choice(sc[t])
        at, u = r.choice({STRUCTS[0]: [("0", "double"), ("1", "i32"), ("2", "float")],
                          STRUCTS[1]: [("0", "double"), ("2", "double")],
                          STRUCTS[2]: [("0", "<2 x double>"), ("1, 0", "float"), ("1, 1", "i8")]}[t])
        if r.random() < 0.5:
            self.put(sc, u, self.op(f"extractvalue {t} {a}, {at}"), 6.0)
        else:
            self.put(sc, t, self.op(f"insertvalue {t} {a}, {u} {self.get(sc, u)[0]}, {at}"), 6.0)

    def bits(self, sc):
        """Numbers as integers: moved, negated, without their sign, in halves."""
        r = self.r
        t = r.choice(["double", "double", "float", "half"])
        a, p = self.get(sc, t)
        i = f"i{BITS[t]}"
        v = self.op(f"bitcast {t} {a} to {i}")
        kind = r.choice(["move", "negate", "fabs", "freeze", "select"])
        if kind == "negate":
            v = self.op(f"xor {i} {v}, {-(1 << (BITS[t] - 1))}")
        elif kind == "fabs":
            v = self.op(f"and {i} {v}, {(1 << (BITS[t] - 1)) - 1}")
        elif kind == "freeze":
            v = self.op(f"freeze {i} {v}")
        elif kind == "select":
            b, q = self.get(sc, t)
            w = self.op(f"bitcast {t} {b} to {i}")
            v, p = self.op(f"select i1 {self.condition(sc)[1]}, {i} {v}, {i} {w}"), max(p, q)
        self.put(sc, t, self.op(f"bitcast {i} {v} to {t}"), p)

    # Memory: areas are (pointer, type of elements, count).
    def area(self, sc, t=None):
        pool = [m for m in sc["memory"] if t is None or m[1] == t]
        return self.r.choice(pool) if pool else None

    def place(self, sc, m):
        p, t, n = m
        roll = self.r.random()
        if roll < 0.4:
            return self.op(f"getelementptr inbounds {t}, ptr {p}, i64 {self.r.randrange(n)}")
        i = self.r.choice(["i32", "i64"])
        index = self.op(f"urem {i} {self.get(sc, i)[0]}, {n}")
        return self.op(f"getelementptr {t}, ptr {p}, {i} {index}")

    def memory(self, sc):
        r = self.r
        kind = r.choice(["load", "load", "store", "store", "alloca", "copy", "vector", "pointer",
                         "struct"])
        if kind == "alloca" or not sc["memory"]:
            t, n = r.choice(["double", "double", "float", "x86_fp80"]), r.choice([2, 4])
            p = self.fresh()
            self.allocas.append(f"  {p} = alloca {t}, i32 {n}, align 16")
            for k in range(n):
                at = self.op(f"getelementptr {t}, ptr {p}, i64 {k}")
                self.line(f"store {t} {self.get(sc, t)[0]}, ptr {at}")
            sc["memory"].append((p, t, n))
            return
        m = self.area(sc)
        t = m[1]
        if kind == "copy":
            other = self.area(sc, t)
            n = min(m[2], other[2])
            size = {"double": 8, "float": 4, "x86_fp80": 16}[t]
            name = r.choice(["llvm.memmove.p0.p0.i64", "llvm.memmove.p0.p0.i32"])
            i = name[-3:]
            self.declared.add(f"declare void @{name}(ptr, ptr, {i}, i1)")
            self.line(f"call void @{name}(ptr {m[0]}, ptr {other[0]}, {i} {size * r.randrange(1, n + 1)},"
                      " i1 false)")
        elif kind == "pointer":
            other = self.area(sc, t)
            n = min(m[2], other[2])
            p = self.op(f"select i1 {self.condition(sc)[1]}, ptr {m[0]}, ptr {other[0]}")
            sc["memory"].append((p, t, n))
        elif kind == "vector" and t in ("double", "float") and m[2] >= 2:
            n = 2 if t == "double" else 4
            if m[2] < n:
                return
            u = f"<{n} x {t}>"
            if r.random() < 0.5:
                self.put(sc, u, *self.tame(u, self.op(f"load {u}, ptr {m[0]}, align 4"), 6.0))
            else:
                self.line(f"store {u} {self.get(sc, u)[0]}, ptr {m[0]}, align 4")
        elif kind == "struct":
            u = r.choice(STRUCTS)
            p = self.fresh()
            self.allocas.append(f"  {p} = alloca {u}, align 16")
            self.line(f"store {u} {self.get(sc, u)[0]}, ptr {p}")
            self.put(sc, u, self.op(f"load {u}, ptr {p}"), 6.0)
        elif kind == "store":
            a, p = self.tame(t, *self.get(sc, t))
            self.line(f"store {t} {a}, ptr {self.place(sc, m)}")
        else:
            v = self.op(f"load {t}, ptr {self.place(sc, m)}")
            self.put(sc, t, v, 6.0)

    def call(self, sc):
        if not self.helpers:
            return self.arithmetic(sc)
        name, ret = self.r.choice(self.helpers)
        m = self.area(sc, "double")
        args = f"double {self.get(sc, 'double')[0]}, float {self.get(sc, 'float')[0]}," \
               f" ptr {m[0]}, i32 {self.get(sc, 'i32')[0]}"
        self.put(sc, ret, self.op(f"call {ret} @{name}({args})"), 6.0)

    # Control flow.
    def join(self, sc, left, right):
        """Phis of some of what two branches made; left and right are (label, scope)."""
        n = self.r.randrange(1, 5)
        for _ in range(n):
            t = self.r.choice([t for t in sc if t != "memory" and sc[t]])
            one, two = left[1][t][-1], right[1][t][-1]
            v = self.fresh()
            self.line(f"{v} = phi {t} [ {one[0]}, %{left[0]} ], [ {two[0]}, %{right[0]} ]")
            self.put(sc, t, v, max(one[1], two[1]))

    def inner(self, sc):
        copy = {t: list(v) for t, v in sc.items()}
        return copy

    def branch(self, sc, depth):
        then, other, end = self.label(), self.label(), self.label()
        self.line(f"br i1 {self.condition(sc)[1]}, label %{then}, label %{other}")
        sides = []
        for label in (then, other):
            self.start(label)
            mine = self.inner(sc)
            self.body(mine, self.r.randrange(1, 5), depth - 1)
            sides.append((self.block, mine))
            self.line(f"br label %{end}")
        self.start(end)
        self.join(sc, *sides)

    def switch(self, sc, depth):
        t = self.r.choice([i for i in INTEGERS if i != "i1"])
        end, labels = self.label(), [self.label() for _ in range(3)]
        a = self.op(f"urem {t} {self.get(sc, t)[0]}, 5")
        self.line(f"switch {t} {a}, label %{labels[0]} [ {t} 0, label %{labels[1]} {t} 1, label"
                  f" %{labels[2]} {t} 3, label %{labels[1]} ]")
        u = self.r.choice(["double", "float", "<2 x double>"])
        values = []
        for k, label in enumerate(labels):
            self.start(label)
            mine = self.inner(sc)
            self.body(mine, 2, 0)
            values.append((self.get(mine, u), self.block))
            self.line(f"br label %{end}")
        self.start(end)
        v = self.fresh()
        text = ", ".join(f"[ {a[0]}, %{b} ]" for a, b in values)
        self.line(f"{v} = phi {u} {text}")
        self.put(sc, u, v, max(a[1] for a, _ in values))

    def loop(self, sc, depth):
        """A loop with up to three carried values; entered in the middle, or left early, at times."""
        r = self.r
        head, end = self.label(), self.label()
        i = r.choice(["i32", "i64", "i8", "i24"])
        bound = self.op(f"and {i} {self.get(sc, i)[0]}, 3") if r.random() < 0.6 else "3"
        count = self.op(f"add {i} {bound}, {r.choice([0, 1])}")
        carried = []
        for t in r.sample(["double", "float", "<2 x double>", "<4 x float>", "x86_fp80", STRUCTS[1]],
                          r.randrange(1, 4)):
            a = self.get(sc, t)
            a = a if t in STRUCTS else self.tame(t, *a)
            carried.append((t, a[0], self.fresh(), self.fresh()))
        before, step, at = self.block, self.fresh(), self.fresh()
        middle = self.label() if r.random() < 0.25 else None
        if middle:
            c = self.condition(sc)[1]
            self.line(f"br i1 {c}, label %{head}, label %{middle}")
        else:
            self.line(f"br label %{head}")
        self.start(head)
        back = self.label()
        self.line(f"{at} = phi {i} [ 0, %{before} ], [ {step}, %{back} ]")
        for t, first, phi, nxt in carried:
            self.line(f"{phi} = phi {t} [ {first}, %{before} ], [ {nxt}, %{back} ]")
        mine = self.inner(sc)
        if middle:
            self.body(mine, 2, 0)
            from_head = self.block
            self.line(f"br label %{middle}")
            self.start(middle)
            mine = self.inner(sc)
            merged = [self.fresh() for _ in carried]
            turn = self.fresh()
            self.line(f"{turn} = phi {i} [ {at}, %{from_head} ], [ 0, %{before} ]")
            for (t, first, phi, _), v in zip(carried, merged):
                self.line(f"{v} = phi {t} [ {phi}, %{from_head} ], [ {first}, %{before} ]")
        else:
            merged, turn = [c[2] for c in carried], at
        for (t, *_), v in zip(carried, merged):
            self.put(mine, t, v, 6.0)
        self.put(mine, i, turn)
        self.body(mine, r.randrange(1, 5), depth - 1)
        out = []
        if r.random() < 0.3:
            go = self.label()
            c = self.condition(mine)[1]
            out.append((self.block, [(t, v) for (t, *_), v in zip(carried, merged)]))
            self.line(f"br i1 {c}, label %{end}, label %{go}")
            self.start(go)
        nexts = []
        for (t, _, _, nxt), v in zip(carried, merged):
            a, p = self.get(mine, t)
            if t in STRUCTS:
                self.line(f"{nxt} = insertvalue {t} {a}, double {self.get(mine, 'double')[0]}, 1")
            elif lanes(t) > 1 or t == "x86_fp80":
                self.line(f"{nxt} = fmul {t} {a}, {number(t, 0.5)}")
            else:
                self.declared.add(f"declare {t} @llvm.sin.{MANGLED[t]}({t})")
                self.line(f"{nxt} = call {t} @llvm.sin.{MANGLED[t]}({t} {a})")
            nexts.append((t, nxt))
        self.line(f"br label %{back}")
        self.start(back)
        self.line(f"{step} = add {i} {turn}, 1")
        c = self.op(f"icmp ult {i} {step}, {count}")
        out.append((back, nexts))
        self.line(f"br i1 {c}, label %{head}, label %{end}")
        self.start(end)
        for k, (t, *_) in enumerate(carried):
            v = self.fresh()
            text = ", ".join(f"[ {values[k][1]}, %{b} ]" for b, values in out)
            self.line(f"{v} = phi {t} {text}")
            self.put(sc, t, v, 6.0)

    def body(self, sc, budget, depth):
        for _ in range(budget):
            pool = ["arithmetic"] * 7 + ["integers"] * 2 + ["tofp", "vectors", "vectors", "aggregates",
                                                           "bits", "memory", "memory", "memory", "call"]
            if depth > 0:
                pool += ["branch", "branch", "switch", "loop", "loop", "loop"]
            what = self.r.choice(pool)
            if what in ("branch", "switch", "loop"):
                getattr(self, what)(sc, depth)
            else:
                getattr(self, what)(sc)

    def result(self, sc, t):
        """All that is left over, so that little is dead."""
        total = number("double", 0.0)
        for u in ("double", "float", "x86_fp80", "half"):
            for a, _ in sc.get(u, [])[-4:]:
                if u != "double":
                    a = self.op(f"{'fptrunc' if u == 'x86_fp80' else 'fpext'} {u} {a} to double")
                total = self.op(f"fadd double {total}, {a}")
        for u in VECTORS:
            for a, _ in sc.get(u, [])[-2:]:
                a = self.op(f"extractelement {u} {a}, i32 {self.r.randrange(lanes(u))}")
                if element(u) == "float":
                    a = self.op(f"fpext float {a} to double")
                total = self.op(f"fadd double {total}, {a}")
        for u in STRUCTS[:2]:
            for a, _ in sc.get(u, [])[-1:]:
                total = self.op(f"fadd double {total}, {self.op(f'extractvalue {u} {a}, 0')}")
        for p, u, n in sc["memory"]:
            a = self.op(f"load {u}, ptr {p}")
            if u != "double":
                a = self.op(f"{'fptrunc' if u == 'x86_fp80' else 'fpext'} {u} {a} to double")
            total = self.op(f"fadd double {total}, {a}")
        if t == "double":
            return total
        total = self.intrinsic("llvm.sin.f64", "double", [total])
        if t == STRUCTS[0]:
            return self.op(f"insertvalue {t} zeroinitializer, double {total}, 0")
        a = self.get(sc, "double")[0]
        v = self.op(f"insertelement {t} zeroinitializer, double {total}, i32 1")
        return self.op(f"insertelement {t} {v}, double {a}, i32 0")

    def text(self, ret, params, sc, budget, attributes=""):
        self.start("start")
        self.body(sc, budget, 2)
        self.line(f"ret {ret} {self.result(sc, ret)}")
        first, *rest = self.lines
        return "\n".join([f"define internal {ret} @{self.name}({params}) {attributes}{{", first,
                          *self.allocas, *rest, "}", ""])


def function(seed, index, size=None):
    """(text of the function and its helpers, declarations)."""
    r = random.Random(f"{seed}/{index}/ir")
    texts, declared, helpers = [], set(), []
    for k in range(r.choice([0, 0, 1, 2])):
        ret = r.choice(["double", "<2 x double>", STRUCTS[0]])
        f = Function(r, f"h{index}_{k}", list(helpers))
        sc = {"double": [("%a", 6.0)], "float": [("%b", 6.0)], "i32": [("%n", 0.0)],
              "memory": [("%p", "double", 2)]}
        texts.append(f.text(ret, "double %a, float %b, ptr %p, i32 %n", sc, r.randrange(2, 6),
                            "noinline " if r.random() < 0.5 else ""))
        declared |= f.declared
        helpers.append((f.name, ret))
    f = Function(r, f"f{index}", helpers)
    sc = {"i32": [("%n", 0.0)], "memory": [("%x", "double", DOUBLES), ("%y", "float", FLOATS)]}
    texts.append(f.text("double", "ptr %x, ptr %y, i32 %n", sc, size or r.choice([4, 8, 12, 20])))
    return "".join(texts), declared | f.declared


def module(numbered):
    """[(number, (text, declarations))] -> a module with the functions and what main.c calls."""
    texts, declared = [], set()
    for n, (text, more) in numbered:
        declared |= more
        both = "ptr %x, ptr %dx, ptr %y, ptr %dy, i32 %n"
        texts.append(text)
        texts.append(f"""define double @p{n}(ptr %x, ptr %y, i32 %n) {{
  %v = call double @f{n}(ptr %x, ptr %y, i32 %n)
  ret double %v
}}
define void @r{n}({both}) {{
  call void (ptr, ...) @__enzyme_autodiff_ir(ptr @f{n}, {both})
  ret void
}}
define double @d{n}({both}) {{
  %v = call double (ptr, ...) @__enzyme_fwddiff_ir(ptr @f{n}, {both})
  ret double %v
}}
""")
    declared |= {"declare void @__enzyme_autodiff_ir(ptr, ...)",
                 "declare double @__enzyme_fwddiff_ir(ptr, ...)"}
    return 'target triple = "x86_64-pc-linux-gnu"\n' + "\n".join(sorted(declared)) + "\n" + \
        "".join(texts)


MAIN = r"""
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
enum { DOUBLES = %(doubles)d, FLOATS = %(floats)d, ALL = DOUBLES + FLOATS };
%(declarations)s
typedef double primal(double *, float *, int);
typedef void reverse(double *, double *, float *, float *, int);
typedef double forward(double *, double *, float *, float *, int);
struct in { double x[DOUBLES]; float y[FLOATS]; };
static struct in inputs(int program) {
  struct in v;
  for (int i = 0; i < DOUBLES; ++i) v.x[i] = 0.3003 + 0.17 * ((i * 5 + program) %% 7) - 0.9 * (i & 1);
  for (int i = 0; i < FLOATS; ++i) v.y[i] = 0.4f + 0.125f * ((i * 3 + program) %% 5) - (i & 1);
  return v;
}
static double along(int program, primal *p, int n, double h, const double *t) {
  struct in v = inputs(program);
  for (int i = 0; i < DOUBLES; ++i) v.x[i] += h * t[i];
  return p(v.x, v.y, n);
}
static double slope(int program, primal *p, int n, double h, const double *t) {
  return (along(program, p, n, h, t) - along(program, p, n, -h, t)) / (2 * h);
}
static void check(int program, primal *p, reverse *r, forward *d, int floats) {
  for (int n = 0; n < 3; ++n) {
    struct in v = inputs(program), a;
    memset(&a, 0, sizeof a);
    r(v.x, a.x, v.y, a.y, n);
    double scale = 1;
    for (int i = 0; i < ALL; ++i) scale = fmax(scale, fabs(i < DOUBLES ? a.x[i] : a.y[i - DOUBLES]));
    for (int i = 0; i < ALL; ++i) {
      struct in w = inputs(program), t;
      memset(&t, 0, sizeof t);
      if (i < DOUBLES) t.x[i] = 1; else t.y[i - DOUBLES] = 1;
      double f = d(w.x, t.x, w.y, t.y, n), g = i < DOUBLES ? a.x[i] : a.y[i - DOUBLES];
      if (!(fabs(f - g) <= (floats ? 2e-2 : 1e-9) * scale)) {
        printf("%%d wrong n=%%d input %%d: reverse %%.10g forward %%.10g\n", program, n, i, g, f);
        return;
      }
    }
    for (int k = 0; k < 2; ++k) {
      double t[DOUBLES], want = 0;
      for (int i = 0; i < DOUBLES; ++i) {
        t[i] = 0.25 * ((i * (k + 2) + 1) %% 5) - 0.5;
        want += t[i] * a.x[i];
      }
      double h = floats ? 1e-2 : 1e-5;
      double one = slope(program, p, n, h, t), two = slope(program, p, n, h / 3, t);
      double apart = fabs(one - two);
      if (apart > (floats ? 1e-2 : 1e-6) * scale) continue; /* a kink, or noise */
      if (!(fabs(two - want) <= (floats ? 1e-1 : 1e-5) * scale)) {
        printf("%%d wrong n=%%d direction %%d: reverse %%.10g differences %%.10g and %%.10g\n", program, n,
               k, want, one, two);
        return;
      }
    }
  }
  printf("%%d ok\n", program);
}
static void run(int program, primal *p, reverse *r, forward *d, int floats) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(30);
    check(program, p, r, d, floats);
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status) printf("%%d died status %%d\n", program, status);
}
int main(void) {
%(runs)s  return 0;
}
"""


def main_c(numbers, small):
    """small: the functions that compute in float or half somewhere."""
    declarations = "".join(f"double p{n}(double *, float *, int), d{n}(double *, double *, float *,"
                           f" float *, int);\nvoid r{n}(double *, double *, float *, float *, int);\n"
                           for n in numbers)
    runs = "".join(f"  run({n}, p{n}, r{n}, d{n}, {int(n in small)});\n" for n in numbers)
    return MAIN % {"doubles": DOUBLES, "floats": FLOATS, "declarations": declarations, "runs": runs}


class Judge:
    def __init__(self, build, folder):
        self.driver = os.path.join(os.path.abspath(build), "bin", "rg-clang")
        self.folder = folder

    def run(self, made, config):
        """{number: (verdict, detail)} of {number: (text, declarations)}."""
        base = os.path.join(self.folder, "batch")
        with open(base + ".ll", "w") as file:
            file.write(module(sorted(made.items())))
        return self.run_file(base + ".ll", sorted(made), config, made)

    def run_file(self, path, numbers, config, made=None):
        base = os.path.join(self.folder, "batch")
        with open(path) as file:
            text = file.read()
        # A function's own text says whether it computes in float or half.
        small = {n for n in numbers if re.search(
            r"\b(float|half)\b", made[n][0] if made else text)}
        with open(base + ".c", "w") as file:
            file.write(main_c(numbers, small))
        level, plan = config
        words = [self.driver, "-" + level, "-w", "-mllvm", f"-rg-plan={plan}", path, base + ".c", "-o",
                 base, "-lm"]
        try:
            done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=120,
                                  env=dict(os.environ, LLVM_DISABLE_CRASH_REPORT="1"))
            code, said = done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            code, said = -1, "no end of compilation"
        if code != 0:
            if made and len(numbers) > 1:
                half, results = len(numbers) // 2, {}
                for part in (numbers[:half], numbers[half:]):
                    results.update(self.run({n: made[n] for n in part}, config))
                return results
            ids = RG.findall(said)
            if code != 1 or "PLEASE submit" in said or any(i.startswith("RG3") for i in ids):
                return {numbers[0]: ("crash", crash_line(said, code))}
            if "error in backend: Cannot select" in said:
                # LLVM's own limit: x86_fp80 in functions that are not optimised.
                return {numbers[0]: ("beyond the backend", "")}
            return {numbers[0]: ("refused", " ".join(sorted(set(ids)))) if ids
                    else ("invalid", said.strip()[:300])}
        done = subprocess.run([base], capture_output=True, text=True, errors="replace", timeout=900)
        results = {n: ("died", "no result") for n in numbers}
        for line in done.stdout.splitlines():
            n, verdict, *rest = line.split(" ", 2)
            results[int(n)] = (verdict, rest[0] if rest else "")
        return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--size", type=int, help="statements of each function, about")
    parser.add_argument("--keep", help="folder for what fails")
    parser.add_argument("--show", type=int)
    parser.add_argument("--only", type=int, help="one function, under every configuration or that of --config")
    parser.add_argument("--judge", metavar="FILE")
    parser.add_argument("--config", help="for --judge and --only, like O2,mincut; all without")
    options = parser.parse_args()
    if options.show is not None:
        print(module([(options.show, function(options.seed, options.show, options.size))]))
        return 0
    counts, refusals = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory(prefix="rg-ir-") as folder:
        judge = Judge(options.build, folder)
        if options.judge:
            with open(options.judge) as file:
                numbers = [int(n) for n in re.findall(r"@f(\d+)\(ptr %x", file.read())][:1]
            for config in [tuple(options.config.split(","))] if options.config else CONFIGS:
                print(*config, *judge.run_file(options.judge, numbers, config).values())
            return 0
        if options.only is not None:
            made = {options.only: function(options.seed, options.only, options.size)}
            bad = False
            for config in [tuple(options.config.split(","))] if options.config else CONFIGS:
                for verdict in judge.run(made, config).values():
                    print(*config, *verdict)
                    bad |= verdict[0] not in ("ok", "refused", "beyond the backend")
            return int(bad)
        end = time.time() + (options.seconds or 1e9)
        last = 1 << 60 if options.seconds else options.first + options.count
        first = options.first
        while first < last and time.time() < end:
            numbers = range(first, min(last, first + options.batch))
            made = {n: function(options.seed, n, options.size) for n in numbers}
            pick = random.Random(f"{options.seed}/{first}")
            for config in (pick.choice(CONFIGS[::2]), pick.choice(CONFIGS[1::2])):
                for n, (verdict, detail) in sorted(judge.run(made, config).items()):
                    counts[verdict] += 1
                    if verdict == "refused":
                        refusals[detail] += 1
                    elif verdict not in ("ok", "beyond the backend"):
                        print(f"seed {options.seed} function {n} -{config[0]} {config[1]}: {verdict}:"
                              f" {detail}\n  repeat: python3 fuzz/ir.py --seed {options.seed}"
                              f"{f' --size {options.size}' if options.size else ''} --only {n} --config"
                              f" {','.join(config)}", flush=True)
                        if options.keep:
                            os.makedirs(options.keep, exist_ok=True)
                            with open(os.path.join(options.keep, f"ir-{options.seed}-{n}.ll"),
                                      "w") as file:
                                file.write(module([(n, made[n])]))
            first += options.batch
    print(f"{min(first, last) - options.first} functions: " + ", ".join(f"{n} {v}" for v, n in counts.most_common()))
    if refusals:
        print("refusals: " + ", ".join(f"{n} {w}" for w, n in refusals.most_common()))
    return 1 if set(counts) - {"ok", "refused", "beyond the backend"} else 0


if __name__ == "__main__":
    sys.exit(main())
