# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Random expressions of what a statement may name (generate.py): numbers, integers, conditions."""

from program import join


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


class Expressions:
    """Grows expressions; the generator has the features `on` and the random numbers `r`."""

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
