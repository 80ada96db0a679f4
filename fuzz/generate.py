# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Random differentiable programs.

Each program switches on a random part of the features (so that those which hide each
other's faults also appear alone), then grows helpers and an entry function. Nothing is
undefined in C: memory is written before it is read, indices are in bounds, calls with
effects stand alone in their statements. What cannot be seen from the
form (growth, kinks, domains) the oracle finds, and the next attempt is taken: a program is
fixed by (seed, index) alone.
"""

import random

import oracle
from program import has_kind, join, struct_cells

FEATURES = ["float", "long", "while", "switch", "irr", "out", "heap", "ptr", "alias", "struct",
            "structptr", "sarr", "copy", "helper", "arrayhelper", "structhelper", "recursion",
            "fp", "global", "garray", "vec", "except", "ints", "early", "alparam", "stparam",
            "nest", "division", "functions", "inplace", "do", "swap", "sel", "void", "grid",
            "table", "gather", "list", "bump", "bits", "lambda", "structresult", "containers"]


class Scope:
    """What a statement may name."""

    def __init__(self, other=None):
        copy = (lambda x: list(x)) if other else (lambda x: [])
        self.nums = list(other.nums) if other else []        # (name, kind, may be assigned)
        self.ints = list(other.ints) if other else []        # (name, may be assigned)
        self.arrays = list(other.arrays) if other else []    # (ref, kind, size, writable)
        self.ptrs = list(other.ptrs) if other else []        # (name, kind, size)
        self.srefs = list(other.srefs) if other else []      # (sref, struct)
        self.sarrs = list(other.sarrs) if other else []      # (name, struct, size)
        self.vecs = list(other.vecs) if other else []        # (name, lanes)
        self.fps = list(other.fps) if other else []
        self.tables = list(other.tables) if other else []    # (name, kind, size, entries)
        self.iarrs = list(other.iarrs) if other else []      # (name, size)
        self.lams = list(other.lams) if other else []


class Generator:
    def __init__(self, rng, size):
        self.r = rng
        self.size = size
        self.count = 0
        self.structs = {}
        self.funcs = []
        self.sigs = []       # what may be called: (name, params, ret, kind of callee)
        self.globals = []
        share = rng.choice([0.2, 0.35, 0.5])
        self.on = {f for f in FEATURES if rng.random() < share}
        self.lang = "cpp" if "except" in self.on or rng.random() < 0.3 else "c"
        self.loops = 0
        self.can_break = self.can_continue = self.can_throw = self.can_return = False

    def has(self, feature, p=1.0):
        return feature in self.on and self.r.random() < p

    def name(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def kind(self):
        pool = ["d"] * 4 + ["f"] * (3 if "float" in self.on else 0) + \
            ["l"] * (2 if "long" in self.on else 0)
        return self.r.choice(pool)

    # Expressions of integers: never negative, below 1024.
    def int_expr(self, sc, depth=2):
        r = self.r
        if sc.ints and (depth == 0 or r.random() < 0.6):
            return ["iv", r.choice(sc.ints)[0]]
        if depth == 0 or r.random() < 0.3:
            return ["ic", r.randrange(0, 6)]
        if sc.iarrs and r.random() < 0.4:
            name, size = r.choice(sc.iarrs)
            return ["ild", name, self.index(sc, size)]
        if self.has("ints", 0.15) and sc.nums:
            return ["f2i", ["bin", "d", "*", self.leaf(sc), ["const", "d", 3.7]],
                    r.choice([1, 3, 7])]
        fields = [(s, n, f) for s, n in sc.srefs for f, t in self.structs[n] if t == "i"]
        if fields and r.random() < 0.3:
            s, n, f = r.choice(fields)
            return ["ifld", s, n, f]
        return ["ib", r.choice("++*-^"), self.int_expr(sc, depth - 1),
                self.int_expr(sc, depth - 1), r.choice([1, 3, 7, 15])]

    def index(self, sc, size):
        """An index below size."""
        r = self.r
        if r.random() < 0.35 or not sc.ints:
            return ["ic", r.randrange(size)]
        e = self.int_expr(sc, 1)
        mask = 1
        while mask * 2 + 1 < size:
            mask = mask * 2 + 1
        if mask >= size:
            mask //= 2
        return ["ib", r.choice("+^"), e, ["ic", r.randrange(4)], mask] if mask else ["ic", 0]

    # Expressions of numbers.
    def leaf(self, sc):
        r = self.r
        choices = []
        if sc.nums:
            choices += ["num"] * 4
        if sc.arrays or sc.ptrs:
            choices += ["ld"] * 4
        fields = [(s, n, f, t) for s, n in sc.srefs for f, t in self.structs[n] if t != "i"]
        if fields:
            choices += ["fld"] * 3
        if sc.vecs:
            choices += ["vec"]
        if not choices or r.random() < 0.12:
            return ["const", self.kind(), r.choice([0.25, 0.5, 0.75, 1.25, 1.5, -0.5, 2.0, -0.75])]
        what = r.choice(choices)
        if what == "num":
            # Younger ones more often: longer chains.
            pool = sc.nums[-5:] if r.random() < 0.6 else sc.nums
            name, kind, _ = r.choice(pool)
            return ["var", kind, name]
        if what == "ld":
            ref, kind, size, _ = self.array(sc)
            return ["ld", kind, ref, self.index(sc, size)]
        if what == "fld":
            s, n, f, t = r.choice(fields)
            if isinstance(t, list):
                return ["ld", t[1], ["fa" if t[0] == "arr" else "fp", s, n, f],
                        self.index(sc, t[2])]
            return ["fld", t, s, n, f]
        name, lanes = r.choice(sc.vecs)
        return ["vext", "d", name, r.randrange(lanes)]

    def array(self, sc, kind=None, size=1, writable=False):
        """A reference to at least `size` numbers: (ref, kind, size, writable), or None."""
        pool = [(["r", n], k, s, True) for n, k, s in sc.ptrs] + sc.arrays
        for s, n in sc.srefs:
            for f, t in self.structs[n]:
                if isinstance(t, list):
                    pool.append((["fa" if t[0] == "arr" else "fp", s, n, f], t[1], t[2], True))
        pool += [(["pt", n, self.index(sc, m)], k, s, True) for n, k, s, m in sc.tables]
        pool = [a for a in pool if (kind is None or a[1] == kind) and a[2] >= size
                and (a[3] or not writable)]
        if not pool:
            return None
        ref, k, s, w = self.r.choice(pool)
        if s > size and "ptr" in self.on and self.r.random() < 0.2:
            by = self.r.randrange(1, s - size + 1)
            return ["off", ref, ["ic", by]], k, s - by, w
        return ref, k, s, w

    def expr(self, sc, depth=3):
        r = self.r
        if depth == 0 or r.random() < 0.15:
            return self.leaf(sc)
        roll = r.random()
        if roll < 0.62:
            a, b = self.expr(sc, depth - 1), self.expr(sc, depth - 1)
            op = r.choice("+-**")
            if self.has("division", 0.15):
                two = ["const", join("f", b[1]), 1.5]
                b = ["bin", b[1], "+", two, ["bin", b[1], "*", b, b]] if len(str(b)) < 120 else two
                return ["bin", join(a[1], b[1]), "/", a, b]
            return ["bin", join(a[1], b[1]), op, a, b]
        if roll < 0.66:
            a = self.expr(sc, depth - 1)
            return ["neg", a[1], a]
        if roll < 0.84:
            return self.function(sc, depth)
        if roll < 0.88 and "sel" in self.on:
            a, b = self.expr(sc, depth - 1), self.leaf(sc)
            return ["sel", join(a[1], b[1]), self.cond(sc, 1), a, b]
        if roll < 0.9 and ("float" in self.on or "long" in self.on):
            return ["cast", self.kind(), self.expr(sc, depth - 1)]
        if roll < 0.93 and sc.ints:
            kind = self.kind()
            return ["bin", kind, "*", ["const", kind, 0.125], ["i2f", kind, self.int_expr(sc)]]
        pure = [s for s in self.sigs if s[3] == "pure"]
        if pure and roll < 0.97:
            name, params, ret, _ = r.choice(pure)
            return ["call", ret, name, [self.expr(sc, depth - 2 if depth > 1 else 0)
                                        for _ in params]]
        if sc.lams and r.random() < 0.7:
            return ["fpc", "d", r.choice(sc.lams), [self.leaf(sc)]]
        if sc.fps and r.random() < 0.7:
            return ["fpc", "d", r.choice(sc.fps), [self.leaf(sc), self.leaf(sc)]]
        return self.leaf(sc)

    def function(self, sc, depth):
        r = self.r
        a = self.expr(sc, depth - 1)
        kind = a[1] if r.random() < 0.8 else self.kind()
        name = r.choice(["sin", "cos", "tanh", "sin"] if "functions" not in self.on else
                        ["sin", "cos", "tanh", "atan", "exp", "log", "sqrt", "fabs", "fmin",
                         "fmax", "hypot", "pow", "copysign", "fma"])
        def small(x):
            return ["fun", kind, "sin", [x]]
        def c(v):
            return ["const", kind, v]
        def safe(x):
            return ["bin", kind, "+", c(1.75), small(x)]
        if name in ("sin", "cos", "tanh", "atan"):
            return ["fun", kind, name, [a]]
        if name == "exp":
            return ["fun", kind, "exp", [small(a)]]
        if name in ("log", "sqrt"):
            return ["fun", kind, name, [safe(a)]]
        if name == "fabs":
            return ["fun", kind, "fabs", [a]]
        b = self.leaf(sc)
        if name == "pow":
            return ["fun", kind, "pow", [safe(a), ["bin", kind, "*", c(0.5), small(b)]]]
        if name == "hypot":
            return ["fun", kind, "hypot", [safe(a), b]]
        if name == "fma":
            return ["fun", kind, "fma", [a, b, self.leaf(sc)]]
        return ["fun", kind, name, [a, b]]

    def bounded(self, sc, kind=None, depth=3):
        """An expression whose value does not grow however often it is fed back."""
        e = self.expr(sc, depth)
        kind = kind or e[1]
        f = self.r.choice(["sin", "tanh", "cos", "sin"])
        k = e[1]
        if self.r.random() < 0.5:
            return ["fun", k, f, [e]]
        return ["bin", k, "*", ["const", k, self.r.choice([0.5, 0.25, 0.75])],
                ["fun", k, f, [e]]]

    def cond(self, sc, depth=1):
        r = self.r
        roll = r.random()
        if depth and roll < 0.15:
            return [r.choice(["and", "or"]), self.cond(sc, 0), self.cond(sc, 0)]
        if depth and roll < 0.2:
            return ["not", self.cond(sc, 0)]
        if sc.ints and roll < 0.6:
            return ["icmp", r.choice(["<", ">", "==", "!="]), self.int_expr(sc, 1),
                    ["ic", r.randrange(4)]]
        return ["cmp", r.choice(["<", ">", "<=", ">="]), self.expr(sc, 1),
                ["const", "d", r.choice([0.1, 0.3, 0.55, -0.2, 0.9])]]

    # Statements.
    def body(self, sc, budget, depth):
        """A list of statements in a scope of its own."""
        sc = Scope(sc)
        out, frees = [], []
        while budget > 0:
            made, cost = self.statement(sc, budget, depth, frees)
            out += made
            budget -= cost
        return out + frees if not self.leaky else out

    def target_lv(self, sc):
        """Something to assign to."""
        r = self.r
        nums = [n for n in sc.nums if n[2]]
        fields = [(s, n, f, t) for s, n in sc.srefs for f, t in self.structs[n]
                  if isinstance(t, str) and t != "i"]
        arrays = self.array(sc, writable=True)
        choices = (["num"] * 2 if nums else []) + (["fld"] * 2 if fields else []) + \
            (["ld"] * 3 if arrays else [])
        if not choices:
            return None
        what = r.choice(choices)
        if what == "num":
            name, kind, _ = r.choice(nums)
            return ["var", kind, name]
        if what == "fld":
            s, n, f, t = r.choice(fields)
            return ["fld", t, s, n, f]
        ref, kind, size, _ = arrays
        return ["ld", kind, ref, self.index(sc, size)]

    def assign(self, sc):
        lv = self.target_lv(sc)
        if lv is None:
            return self.decl(sc)
        roll = self.r.random()
        if roll < 0.3:
            return ["set", lv, "+=", self.bounded(sc)]
        if roll < 0.4:
            return ["set", lv, "*=", self.bounded(sc, depth=2)]
        if roll < 0.5:
            return ["set", lv, "-=", self.bounded(sc, depth=2)]
        e = self.bounded(sc) if self.loops or self.r.random() < 0.5 else self.expr(sc)
        return ["set", lv, "=", e]

    def decl(self, sc):
        kind, name = self.kind(), self.name("x")
        e = self.bounded(sc) if self.r.random() < 0.3 else self.expr(sc)
        sc.nums.append((name, kind, self.r.random() < 0.7))
        return ["decl", kind, name, e]

    def bound(self, sc):
        r = self.r
        small = ["ic", r.choice([1, 2, 3, 3, 4, 5])]
        if sc.ints and r.random() < 0.6:
            return ["ib", "+", self.int_expr(sc, 1), ["ic", r.randrange(3)], 3]
        return small

    def statement(self, sc, budget, depth, frees):
        r = self.r
        pool = ["decl"] * 5 + ["assign"] * 8
        if depth > 0 and budget > 2:
            pool += ["for"] * 4 + ["if"] * 3
            for f in ("while", "switch", "irr", "out", "do", "nest"):
                if f in self.on:
                    pool += [f] * 2
            if "except" in self.on:
                pool += ["try"] * 2
        pool += ["arr"] * 2
        for f in ("heap", "ptr", "struct", "sarr", "copy", "vec", "ints", "swap", "grid", "table",
                  "gather", "list", "bump", "bits"):
            if f in self.on:
                pool += [f] * 2
        if "lambda" in self.on and self.lang == "cpp" and len(sc.lams) < 2:
            pool += ["lambda"] * 2
        if self.has("inplace"):
            pool += ["inplace"] * 3
        if [s for s in self.sigs if s[3] != "pure"]:
            pool += ["call"] * 4
        if "fp" in self.on and not sc.fps and len([s for s in self.sigs if s[3] == "pure2"]) > 0:
            pool += ["fpset"] * 2
        if self.can_break:
            pool += ["break"]
        if self.can_continue:
            pool += ["continue"]
        if self.can_throw:
            pool += ["throw"] * 2
        if self.can_return and "early" in self.on:
            pool += ["ret"]
        return getattr(self, "m_" + r.choice(pool))(sc, budget, depth, frees)

    def m_decl(self, sc, budget, depth, frees):
        return [self.decl(sc)], 1

    def m_assign(self, sc, budget, depth, frees):
        return [self.assign(sc)], 1

    def inner(self, sc, budget, depth, brk=None, cont=None, ret=None, throw=None, loop=False):
        saved = self.can_break, self.can_continue, self.can_return, self.can_throw, self.loops
        if brk is not None:
            self.can_break = brk
        if cont is not None:
            self.can_continue = cont
        if ret is not None:
            self.can_return = ret and self.can_return
        if throw is not None:
            self.can_throw = throw
        self.loops += loop
        made = self.body(sc, budget, depth - 1)
        self.can_break, self.can_continue, self.can_return, self.can_throw, self.loops = saved
        return made

    def m_for(self, sc, budget, depth, frees):
        var, part = self.name("i"), self.r.randrange(1, max(2, min(budget, 6)))
        bound = self.bound(sc)
        inner = Scope(sc)
        inner.ints.append((var, False))
        body = self.inner(inner, part, depth, brk=True, cont=True, loop=True)
        return [["for", var, bound, self.r.random() < 0.2, body]], part + 1

    def m_nest(self, sc, budget, depth, frees):
        """A nest over an array, as numerical code has it."""
        a = self.array(sc, size=2, writable=True)
        if not a:
            return self.m_for(sc, budget, depth, frees)
        ref, kind, size, _ = a
        i, j = self.name("i"), self.name("i")
        inner = Scope(sc)
        inner.ints += [(i, False), (j, False)]
        self.loops += 2
        at = ["ib", "+", ["iv", i], ["iv", j], 1 if size < 4 else 3 if size < 8 else 7]
        lv = ["ld", kind, ref, at]
        body = [["set", lv, self.r.choice(["=", "+=", "*="]), self.bounded(inner)]]
        if self.r.random() < 0.5:
            body.append(self.assign(inner))
        self.loops -= 2
        n, m = self.bound(sc), self.r.choice([["ic", 3], ["ib", "+", ["iv", i], ["ic", 1], 7]])
        return [["for", i, n, False, [["for", j, m, self.r.random() < 0.2, body]]]], 4

    def m_while(self, sc, budget, depth, frees):
        fuel, part = self.name("k"), self.r.randrange(1, max(2, min(budget, 5)))
        bound, cond = self.bound(sc), self.cond(sc)
        body = self.inner(sc, part, depth, brk=True, cont=True, loop=True)
        return [["while", fuel, bound, cond, body]], part + 1

    def m_do(self, sc, budget, depth, frees):
        fuel, part = self.name("k"), self.r.randrange(1, max(2, min(budget, 5)))
        bound, cond = self.bound(sc), self.cond(sc)
        body = self.inner(sc, part, depth, brk=True, cont=False, loop=True)
        return [["do", fuel, bound, cond, body]], part + 1

    def m_if(self, sc, budget, depth, frees):
        part = self.r.randrange(1, max(2, min(budget, 5)))
        cond = self.cond(sc)
        then = self.inner(sc, part, depth)
        other = self.inner(sc, max(1, part // 2), depth) if self.r.random() < 0.5 else []
        return [["if", cond, then, other]], part + 1

    def m_switch(self, sc, budget, depth, frees):
        e = self.int_expr(sc, 1)
        cases = []
        for value in sorted(self.r.sample(range(5), self.r.randrange(1, 4))):
            cases.append([value, self.inner(sc, self.r.randrange(1, 3), depth, brk=False),
                          self.r.random() < 0.3])
        default = self.inner(sc, 1, depth, brk=False)
        return [["switch", e, cases, default]], 2 * len(cases) + 1

    def m_irr(self, sc, budget, depth, frees):
        fuel = self.name("k")
        first = self.inner(sc, 2, depth, brk=False, cont=False, loop=True)
        second = self.inner(sc, 2, depth, brk=False, cont=False, loop=True)
        return [["irr", fuel, self.bound(sc), self.cond(sc), first, second]], 5

    def m_out(self, sc, budget, depth, frees):
        return [["out", self.cond(sc), self.inner(sc, 1, depth),
                 self.inner(sc, 2, depth)]], 3

    def m_try(self, sc, budget, depth, frees):
        name = self.name("x")
        leaky, self.leaky = self.leaky, True
        body = self.inner(sc, 3, depth, throw=True, brk=False, cont=False, ret=False)
        self.leaky = leaky
        if not any(s[0] == "throw" for s in body):
            at = self.r.randrange(len(body) + 1)
            body.insert(at, ["throw", self.cond(sc), self.expr(sc, 2)])
        inner = Scope(sc)
        inner.nums.append((name, "d", False))
        handler = self.inner(inner, 2, depth)
        return [["try", body, name, handler]], 6

    def m_throw(self, sc, budget, depth, frees):
        return [["throw", self.cond(sc), self.expr(sc, 2)]], 1

    def m_break(self, sc, budget, depth, frees):
        return [["break", self.cond(sc)]], 1

    def m_continue(self, sc, budget, depth, frees):
        return [["continue", self.cond(sc)]], 1

    def m_ret(self, sc, budget, depth, frees):
        return [["ret", self.cond(sc), self.ret, self.expr(sc, 2) if self.ret != "v" else None]], 1

    def m_arr(self, sc, budget, depth, frees):
        kind, size = self.kind(), self.r.choice([2, 3, 4, 4, 8])
        name, var = self.name("A"), self.name("i")
        inner = Scope(sc)
        inner.ints.append((var, False))
        made = ["arr", kind, name, size, var, self.expr(inner, 2)]
        sc.arrays.append((["r", name], kind, size, True))
        return [made], 2

    def m_heap(self, sc, budget, depth, frees):
        kind, size = self.kind(), self.r.choice([2, 4, 4, 8])
        name, var = self.name("H"), self.name("i")
        how = self.r.choice(["malloc", "calloc", "malloc", "realloc", "vla"] +
                            (["new"] if self.lang == "cpp" else []) +
                            (["vector"] * 3 if self.lang == "cpp" and "containers" in self.on
                             else []) +
                            (["alloca"] if not self.loops else []))
        inner = Scope(sc)
        inner.ints.append((var, False))
        made = ["heap", how, kind, name, size, var, self.expr(inner, 2)]
        if self.r.random() < 0.8 and not self.early():
            frees.append(["free", how, name])
        sc.arrays.append((["r", name], kind, size, True))
        return [made], 2

    def early(self):
        return self.can_break or self.can_continue or self.can_throw or "early" in self.on

    def ptr_target(self, sc, kind, size):
        a = self.array(sc, kind, size, writable=True)
        if a is None:
            return None
        ref, _, have, _ = a
        if have > size and self.r.random() < 0.4:
            spare = have - size
            mask = 1 if spare < 3 else 3
            return ["off", ref, ["ib", "+", self.int_expr(sc, 1), ["ic", 0], mask]]
        return ref

    def m_ptr(self, sc, budget, depth, frees):
        r = self.r
        if sc.ptrs and r.random() < 0.4:
            name, kind, size = r.choice(sc.ptrs)
            t = self.ptr_target(sc, kind, size)
            # A pointer that outlives what it is set to must not be: only in straight scopes.
            if t and not self.loops and self.straight(sc, name):
                return [["pset", kind, name, t]], 1
        kind, size = self.kind(), r.choice([1, 2, 2, 4])
        one, two = self.ptr_target(sc, kind, size), self.ptr_target(sc, kind, size)
        if one is None:
            return self.m_arr(sc, budget, depth, frees)
        name = self.name("p")
        target = one
        if "alias" in self.on and r.random() < 0.6:
            target = ["psel", self.cond(sc), one, two] if r.random() < 0.6 else \
                ["pick", self.cond(sc), one, two, kind]
        sc.ptrs.append((name, kind, size))
        return [["ptr", kind, name, target]], 1

    def straight(self, sc, name):
        return sc.ptrs and sc.ptrs[-1][0] == name

    def m_swap(self, sc, budget, depth, frees):
        by = {}
        for name, kind, size in sc.ptrs:
            by.setdefault((kind, size), []).append(name)
        groups = [g for g in by.values() if len(g) > 1]
        if groups and not self.loops:
            a, b = self.r.sample(self.r.choice(groups), 2)
            return [["swap", a, b]], 1
        return self.m_ptr(sc, budget, depth, frees) if "ptr" in self.on else \
            self.m_decl(sc, budget, depth, frees)

    def m_copy(self, sc, budget, depth, frees):
        r = self.r
        structs = [s for s in sc.srefs]
        if structs and r.random() < 0.3:
            s, n = r.choice(structs)
            others = [t for t, m in structs if m == n and t != s]
            if others:
                return [["scopy", r.choice(["=", "memcpy", "memmove"]) if others else "=", n,
                         s, r.choice(others)]], 1
        big = [a for a in sc.sarrs if a[2] > 2]
        if big and r.random() < 0.3:
            name, n, size = r.choice(big)
            width = r.randrange(1, size)
            i, j = r.randrange(size - width + 1), r.randrange(size - width + 1)
            base = ["sr", name, False]
            return [["smove", n, ["el", base, ["ic", i], n], ["el", base, ["ic", j], n], width]], 1
        dst = self.array(sc, None, 1, writable=True)
        if dst is None:
            return self.m_arr(sc, budget, depth, frees)
        ref, kind, size, _ = dst
        if r.random() < 0.15:
            return [["zero", kind, ref, r.randrange(1, size + 1)]], 1
        src = self.array(sc, kind)
        n = r.randrange(1, min(size, src[2]) + 1)
        how = "memmove" if src[0] == ref or "alias" in self.on else r.choice(["memcpy", "memmove"])
        return [["copy", how, kind, ref, src[0], n]], 1

    def struct_type(self, pointers):
        name = f"S{len(self.structs)}"
        fields = []
        for k in range(self.r.randrange(1, 6)):
            roll = self.r.random()
            t = self.kind()
            if roll < 0.2:
                t = "i"
            elif roll < 0.5:  # side by side, arrays of different floats are hard to tell apart
                t = ["arr", t, self.r.choice([2, 3, 4])]
            elif roll < 0.65 and pointers:
                t = ["ptr", t, self.r.choice([1, 2])]
            fields.append([f"m{k}", t])
        fields.append(["w", self.kind()])
        self.structs[name] = fields
        return name

    def inits(self, sc, sname):
        out = []
        for _, t in self.structs[sname]:
            if t == "i":
                out.append(self.int_expr(sc, 1))
            elif isinstance(t, str):
                out.append(self.expr(sc, 2))
            elif t[0] == "arr":
                out.append([self.expr(sc, 1) for _ in range(t[2])])
            else:
                a = self.array(sc, t[1], t[2], writable=True)
                if a is None:
                    return None
                out.append(a[0])
        return out

    def m_struct(self, sc, budget, depth, frees):
        if not self.structs or self.r.random() < 0.3 and len(self.structs) < 3:
            sname = self.struct_type("structptr" in self.on)
        else:
            sname = self.r.choice(sorted(self.structs))
        inits = self.inits(sc, sname)
        if inits is None:
            return self.m_arr(sc, budget, depth, frees)
        name = self.name("s")
        sc.srefs.append((["sr", name, True], sname))
        out = [["struct", sname, name, inits]]
        if "alias" in self.on and self.r.random() < 0.4:
            p = self.name("q")
            out.append(["sptr", sname, p, ["sr", name, True]])
            sc.srefs.append((["sr", p, False], sname))
        return out, 2

    def m_sarr(self, sc, budget, depth, frees):
        sname = self.r.choice(sorted(self.structs)) if self.structs else \
            self.struct_type("structptr" in self.on)
        size = self.r.choice([2, 3, 4])
        name, var = self.name("B"), self.name("i")
        inner = Scope(sc)
        inner.ints.append((var, False))
        inits = self.inits(inner, sname)
        if inits is None:
            return self.m_arr(sc, budget, depth, frees)
        how = self.r.choice(["malloc", "local"])
        sc.sarrs.append((name, sname, size))
        sc.srefs.append((["el", ["sr", name, False], ["ic", self.r.randrange(size)], sname], sname))
        out = [["sarr", how, sname, name, size, var, inits]]
        if self.r.random() < 0.5:
            sc.srefs.append((["el", ["sr", name, False], self.index(sc, size), sname], sname))
        if how == "malloc" and not self.early():
            frees.append(["free", "malloc", name])
        return out, 3

    def m_vec(self, sc, budget, depth, frees):
        r = self.r
        if sc.vecs and r.random() < 0.6:
            name, lanes = r.choice(sc.vecs)
            same = [n for n, l in sc.vecs if l == lanes]
            if self.loops == 0 and r.random() < 0.6:
                return [["vop", name, r.choice("+-*"), r.choice(same), r.choice(same)]], 1
            return [["vins", name, r.randrange(lanes), self.bounded(sc)]], 1
        name, lanes = self.name("v"), r.choice([2, 4])
        made = ["vec", name, [self.expr(sc, 2) for _ in range(lanes)]]
        sc.vecs.append((name, lanes))
        return [made], 1

    def m_ints(self, sc, budget, depth, frees):
        own = [n for n, w in sc.ints if w]
        if own and self.r.random() < 0.5:
            return [["iset", ["iv", self.r.choice(own)],
                     ["ib", "+", self.int_expr(sc, 1), ["ic", 1], 7]]], 1
        fields = [(s, n, f) for s, n in sc.srefs for f, t in self.structs[n] if t == "i"]
        if fields and self.r.random() < 0.5:
            s, n, f = self.r.choice(fields)
            return [["iset", ["ifld", s, n, f], ["ib", "+", self.int_expr(sc, 1), ["ic", 1], 7]]], 1
        name = self.name("n")
        e = self.int_expr(sc, 2)
        sc.ints.append((name, True))
        return [["idecl", self.r.choice(["int", "long", "unsigned", "short"]), name,
                 ["ib", "+", e, ["ic", 1], 15]]], 1

    def m_inplace(self, sc, budget, depth, frees):
        """a[i] = f(a[i], a[i-1]) in a loop: what overwriting is about."""
        a = self.array(sc, size=2, writable=True)
        if not a:
            return self.m_arr(sc, budget, depth, frees)
        ref, kind, size, _ = a
        var = self.name("i")
        inner = Scope(sc)
        inner.ints.append((var, False))
        self.loops += 1
        here, other = ["ld", kind, ref, ["iv", var]], ["ld", kind, ref, self.index(inner, size)]
        e = ["bin", kind, self.r.choice("+-*"), here, other]
        e = ["fun", kind, self.r.choice(["sin", "tanh"]), [e]]
        if self.r.random() < 0.5:
            e2 = self.expr(inner, 1)
            e = ["bin", join(kind, e2[1]), self.r.choice("+*"), e, e2]
            e = ["fun", e[1], "sin", [e]]
        self.loops -= 1
        return [["for", var, ["ic", size], self.r.random() < 0.3, [["set", here, "=", e]]]], 3

    def m_grid(self, sc, budget, depth, frees):
        kind, rows, columns = self.kind(), self.r.choice([2, 3]), self.r.choice([2, 4])
        name, var = self.name("M"), self.name("i")
        inner = Scope(sc)
        inner.ints.append((var, False))
        made = ["grid", kind, name, rows, columns, var, self.expr(inner, 2)]
        sc.arrays.append((["r", name], kind, rows * columns, True))
        return [made], 2

    def m_table(self, sc, budget, depth, frees):
        kind, size = self.kind(), self.r.choice([1, 2, 2])
        parts = [self.ptr_target(sc, kind, size) for _ in range(self.r.choice([2, 2, 4]))]
        if None in parts:
            return self.m_arr(sc, budget, depth, frees)
        name = self.name("T")
        sc.tables.append((name, kind, size, len(parts)))
        return [["table", kind, name, parts]], 1

    def m_gather(self, sc, budget, depth, frees):
        name, var, size = self.name("I"), self.name("i"), self.r.choice([2, 4])
        inner = Scope(sc)
        inner.ints.append((var, False))
        made = ["iarr", name, size, var, self.int_expr(inner, 2)]
        sc.iarrs.append((name, size))
        return [made], 1

    def m_list(self, sc, budget, depth, frees):
        kind, name, var, total = self.kind(), self.name("L"), self.name("i"), self.name("x")
        inner = Scope(sc)
        inner.ints.append((var, False))
        update = self.expr(sc, 1)
        if self.r.random() < 0.7:
            update = ["fun", update[1], "sin", [update]]
        made = ["list", kind, name, self.bound(sc), var, self.bounded(inner, depth=2),
                update, total]
        sc.nums.append((total, kind, True))
        return [made], 3

    def m_bump(self, sc, budget, depth, frees):
        a = self.array(sc, size=2, writable=True)
        if not a:
            return self.m_arr(sc, budget, depth, frees)
        ref, kind, size, _ = a
        name = self.name("q")
        here = ["ld", kind, ["r", name], ["ic", 0]]
        e = self.leaf(sc)
        e = ["bin", join(kind, e[1]), self.r.choice("+*-"), here, e]
        return [["bump", kind, name, ref, self.r.randrange(1, size + 1),
                 ["fun", e[1], self.r.choice(["sin", "tanh"]), [e]]]], 2

    def m_bits(self, sc, budget, depth, frees):
        kind, name = "f" if self.has("float", 0.5) else "d", self.name("x")
        made = ["bits", kind, name, self.expr(sc, 2)]
        sc.nums.append((name, kind, True))
        return [made], 1

    def m_lambda(self, sc, budget, depth, frees):
        name, param = self.name("g"), self.name("x")
        inner = Scope(sc)
        inner.nums = [(n, k, False) for n, k, _ in inner.nums] + [(param, "d", False)]
        made = ["lam", name, param, self.bounded(inner, depth=2)]
        sc.lams.append(name)
        return [made], 2

    def m_fpset(self, sc, budget, depth, frees):
        two = [s[0] for s in self.sigs if s[3] == "pure2"]
        name = self.name("t")
        one, other = self.r.choice(two), self.r.choice(two)
        made = ["fpset", name, self.cond(sc) if one != other else None, one, other]
        sc.fps.append(name)
        return [made], 1

    def args(self, sc, params):
        out = []
        for _, p in params:
            if p[0] == "s":
                out.append(self.expr(sc, 2))
            elif p[0] == "i":
                e = self.int_expr(sc, 1)
                out.append(["ib", "+", e, ["ic", 0], 3])
            elif p[0] in ("a", "ca"):
                a = self.array(sc, p[1], p[2], writable=p[0] == "a")
                if a is None:
                    return None
                out.append(a[0])
            elif p[0] in ("st", "sv"):
                pool = [s for s, n in sc.srefs if n == p[1]]
                if not pool:
                    return None
                out.append(self.r.choice(pool))
            elif p[0] == "fp":
                two = [s[0] for s in self.sigs if s[3] == "pure2"]
                out.append(["fn", self.r.choice(sc.fps + two)])
        return out

    def m_call(self, sc, budget, depth, frees):
        pool = [s for s in self.sigs if s[3] not in ("pure", "pure2")
                and (s[3] != "throws" or self.can_throw)]
        self.r.shuffle(pool)
        for name, params, ret, _ in pool:
            args = self.args(sc, params)
            if args is None:
                continue
            if ret == "v":
                return [["callv", name, args]], 1
            if isinstance(ret, list):
                var = self.name("s")
                sc.srefs.append((["sr", var, True], ret[1]))
                return [["scall", ret[1], var, name, args]], 1
            call = ["call", ret, name, args]
            nums = [n for n in sc.nums if n[2]]
            if nums and self.loops:
                var, kind, _ = self.r.choice(nums)
                return [["set", ["var", kind, var], "=", ["fun", ret, "sin", [call]]]], 1
            kind, var = self.kind(), self.name("x")
            sc.nums.append((var, kind, True))
            return [["decl", kind, var, call]], 1
        return self.m_assign(sc, budget, depth, frees)

    # Functions.
    def start(self, params):
        sc = Scope()
        for name, p in params:
            if p[0] == "s":
                sc.nums.append((name, p[1], self.r.random() < 0.5))
            elif p[0] == "i":
                sc.ints.append((name, False))
            elif p[0] == "a":
                sc.arrays.append((["r", name], p[1], p[2], True))
            elif p[0] == "ca":
                sc.arrays.append((["r", name], p[1], p[2], False))
            elif p[0] == "st":
                sc.srefs.append((["sr", name, False], p[1]))
            elif p[0] == "sv":
                sc.srefs.append((["sr", name, True], p[1]))
            elif p[0] == "fp":
                sc.fps.append(name)
            elif p[0] == "sa":
                sc.sarrs.append((name, p[1], p[2]))
                for k in range(p[2]):
                    sc.srefs.append((["el", ["sr", name, False], ["ic", k], p[1]], p[1]))
        for name, kind, size, _ in self.globals:
            if size:
                sc.arrays.append((["r", name], kind, size, True))
            else:
                sc.nums.append((name, kind, True))
        return sc

    def finish(self, sc, ret):
        if ret == "v":
            return []
        e = self.expr(sc, 2)
        # What was computed should matter: fold some of it into the result.
        for name, kind, _ in sc.nums[-3:]:
            e = ["bin", join(e[1], kind), "+", e, ["bin", kind, "*", ["var", kind, name],
                 ["const", kind, self.r.choice([0.5, 1.0, 1.5])]]]
        for ref, kind, size, _ in sc.arrays[-3:]:
            e = ["bin", join(e[1], kind), "+", e, ["ld", kind, ref, ["ic", self.r.randrange(size)]]]
        return [["ret", None, ret, e]]

    def whole(self, name, params, ret, budget, depth, what):
        sc = self.start(params)
        self.ret, self.leaky = ret, False
        self.can_return = what != "throws"
        self.can_throw = what == "throws"
        self.loops, self.can_break, self.can_continue = 0, False, False
        frees, body = [], []
        while budget > 0:
            made, cost = self.statement(sc, budget, depth, frees)
            body += made
            budget -= cost
        end = self.finish(sc, ret)
        if end and frees:
            var = self.name("x")
            end = [["decl", ret, var, end[0][3]], *frees, ["ret", None, ret, ["var", ret, var]]]
        else:
            end = frees + end
        if what == "struct result":
            sname = self.result
            inits = self.inits(sc, sname)
            if inits is None:
                return
            var = self.name("s")
            end = [["struct", sname, var, inits], *frees, ["rets", sname, var]]
            ret = ["sv", sname]
        self.funcs.append({"name": name, "params": params, "ret": ret, "body": body + end,
                           "noinline": self.r.random() < 0.45})
        if what != "entry":
            self.sigs.append((name, params, ret, what))

    def pure(self):
        kind = self.kind()
        params = [[self.name("x"), ["s", self.kind()]] for _ in range(self.r.randrange(1, 4))]
        saved = self.globals
        self.globals = []
        self.whole(f"f{len(self.funcs)}", params, kind, self.r.randrange(1, 5), 1, "pure")
        self.globals = saved

    def pure2(self):
        params = [[self.name("x"), ["s", "d"]] for _ in range(2)]
        saved, sigs = self.globals, self.sigs
        self.globals, self.sigs = [], []
        self.whole(f"f{len(self.funcs)}", params, "d", self.r.randrange(1, 3), 1, "pure2")
        self.globals, self.sigs = saved, sigs + self.sigs

    def helper(self, what):
        params = []
        for _ in range(self.r.randrange(1, 4)):
            roll = self.r.random()
            if roll < 0.4:
                params.append([self.name("A"), ["a", self.kind(), self.r.choice([2, 2, 4])]])
            elif roll < 0.7:
                params.append([self.name("x"), ["s", self.kind()]])
            elif roll < 0.85:
                params.append([self.name("n"), ["i"]])
            elif self.structs and "structhelper" in self.on:
                params.append([self.name("s"), [self.r.choice(["st", "sv"]),
                                                self.r.choice(sorted(self.structs))]])
            elif "fp" in self.on and [s for s in self.sigs if s[3] == "pure2"]:
                params.append([self.name("t"), ["fp"]])
        if not any(p[1][0] in ("a", "s", "st", "sv") for p in params):
            params.append([self.name("x"), ["s", "d"]])
        ret = self.r.choice(["v", self.kind(), self.kind()])
        flat = [s for s in sorted(self.structs)
                if not any(isinstance(t, list) and t[0] == "ptr" for _, t in self.structs[s])]
        if flat and "structresult" in self.on and what == "any" and self.r.random() < 0.5:
            self.result, ret, what = self.r.choice(flat), "v", "struct result"
            early, self.on = self.on, self.on - {"early"}
            self.whole(f"f{len(self.funcs)}", params, ret, self.r.randrange(1, 5), 2, what)
            self.on = early
            return
        self.whole(f"f{len(self.funcs)}", params, ret, self.r.randrange(2, 8), 2, what)

    def recursive(self):
        """f(n, x, A): some work, itself with n - 1, some more."""
        name, n, x, a = f"f{len(self.funcs)}", self.name("n"), self.name("x"), self.name("A")
        kind, akind = self.kind(), self.kind()
        params = [[n, ["i"]], [x, ["s", kind]], [a, ["a", akind, 2]]]
        self.ret, self.leaky = kind, False
        self.can_return = self.can_throw = self.can_break = self.can_continue = False
        self.loops = 1
        sc = self.start(params)
        body = [["ret", ["icmp", "<", ["iv", n], ["ic", 1]], kind, self.bounded(sc, depth=1)]]
        frees = []
        for _ in range(self.r.randrange(1, 3)):
            body += self.statement(sc, 2, 1, frees)[0]
        arg = self.bounded(sc, depth=1)
        var = self.name("x")
        less = ["ib", "-", ["iv", n], ["ic", 1], 7]
        body.append(["decl", kind, var, ["call", kind, name, [less, arg, ["r", a]]]])
        sc.nums.append((var, kind, True))
        if self.r.random() < 0.5:
            body += self.statement(sc, 2, 1, frees)[0]
        body += [["decl", kind, var + "r", self.bounded(sc, depth=1)], *frees,
                 ["ret", None, kind, ["bin", kind, "+", ["var", kind, var + "r"], ["var", kind, var]]]]
        self.funcs.append({"name": name, "params": params, "ret": kind, "body": body,
                           "noinline": self.r.random() < 0.5})
        self.sigs.append((name, params, kind, "any"))

    def program(self):
        r = self.r
        for f in ("global", "garray"):
            if f in self.on:
                size = r.choice([2, 4]) if f == "garray" else 0
                values = [round(r.uniform(-1, 1), 3) for _ in range(size or 1)]
                self.globals.append([self.name("G"), self.kind(), size, values])
        if "struct" in self.on and self.on & {"structresult", "structhelper", "stparam"}:
            for _ in range(r.randrange(1, 3)):
                self.struct_type("structptr" in self.on)
        if "helper" in self.on:
            for _ in range(r.randrange(1, 3)):
                self.pure()
        if "fp" in self.on:
            self.pure2()
            self.pure2()
        if "arrayhelper" in self.on:
            for _ in range(r.randrange(1, 3)):
                self.helper("any")
        if "except" in self.on and r.random() < 0.6:
            self.helper("throws")
        if "recursion" in self.on:
            self.recursive()
        params = []
        for _ in range(r.randrange(0, 3)):
            params.append([self.name("x"), ["s", self.kind()]])
        for _ in range(r.randrange(1, 3)):
            params.append([self.name("A"), ["a", self.kind(), r.choice([2, 3, 4])]])
        if "alparam" in self.on:
            base = next(p for p in params if p[1][0] == "a")
            k = r.randrange(base[1][2])
            params.append([self.name("A"), ["al", base[0], k]])
        if self.structs and "stparam" in self.on:
            s = r.choice(sorted(self.structs))
            params.append([self.name("s"), ["st", s] if r.random() < 0.5 else ["sa", s, 2]])
        if r.random() < 0.7:
            params.append([self.name("n"), ["i"]])
        if r.random() < 0.2:
            params.append([self.name("C"), ["ca", self.kind(), 3]])
        ret = "v" if "void" in self.on and r.random() < 0.5 else self.kind()
        sizes = {n: (p[1], p[2]) for n, p in params if p[0] == "a"}
        seen = [[n, p if p[0] != "al" else ["a", sizes[p[1]][0], sizes[p[1]][1] - p[2]]]
                for n, p in params]
        self.whole("entry", seen, ret, self.size, 3, "entry")
        self.funcs[-1]["params"] = params
        program = {"lang": self.lang, "structs": self.structs, "globals": self.globals,
                   "funcs": self.funcs}
        program["float"] = has_kind([self.structs, self.globals, self.funcs], "f")
        program["inputs"] = self.inputs(params)
        return program

    def inputs(self, params):
        """Values, tangents and seeds of the entry's arguments. A number: [value, tangent,
        seed]; an array: a list of those; a struct: its cells, integers as they are, pointers
        as {"to": [numbers]}; constant memory: [[values]]."""
        r = self.r
        def cell():
            # Exact as float, so that all kinds start from the same number.
            value = r.choice([-1, 1]) * r.randrange(26, 150) / 128 if r.random() < 0.9 else 0.0
            return [value, r.randrange(-8, 9) / 8, r.choice([0.0, 0.0, 0.5, -1.25, 0.75])]
        out = {}
        for name, p in params:
            if p[0] == "s":
                out[name] = cell()
            elif p[0] == "i":
                out[name] = r.randrange(0, 5)
            elif p[0] == "a":
                out[name] = [cell() for _ in range(p[2])]
            elif p[0] == "ca":
                out[name] = [[cell()[0] for _ in range(p[2])]]
            elif p[0] in ("st", "sa"):
                memory = []
                for _, t in struct_cells(self.structs[p[1]], p[2] if p[0] == "sa" else 1):
                    memory.append(r.randrange(0, 4) if t == "i" else
                                  cell() if isinstance(t, str) else
                                  {"to": [cell() for _ in range(t[2])]})
                out[name] = memory
        return out


# By language; "" stands for all that Generator draws itself.
GENERATORS = {"": Generator}
SIZES = {"": [4, 6, 8, 12, 16]}


def make(seed, index, size=None, lang=""):
    """The program (seed, index) and what it is worth; (program, wanted)."""
    for attempt in range(200):
        rng = random.Random(f"{seed}/{index}/{attempt}")
        generator = GENERATORS[lang](rng, size or rng.choice(SIZES[lang]))
        program = generator.program()
        try:
            want = oracle.evaluate(program)
        except oracle.Rejected:
            continue
        if any(mode == "r" and abs(value) > 1e-6 for (mode, _, _), (value, _) in want.items()):
            return program, want
    raise RuntimeError(f"no fair program for seed {seed}, index {index}")
