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
from expressions import Scope
from program import has_kind, join, struct_cells
from statements import Statements

FEATURES = ["float", "long", "while", "switch", "irr", "out", "heap", "ptr", "alias", "struct",
            "structptr", "sarr", "copy", "helper", "arrayhelper", "structhelper", "recursion",
            "fp", "global", "garray", "vec", "except", "ints", "early", "alparam", "stparam",
            "nest", "division", "functions", "inplace", "do", "swap", "sel", "void", "grid",
            "table", "gather", "list", "bump", "bits", "lambda", "structresult", "containers"]


class Generator(Statements):
    """Grows functions and the program."""

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
