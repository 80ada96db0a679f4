# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Random statements (generate.py), and what they need to be defined in C.

A statement of kind k is grown by m_k(scope, budget, depth, frees), which gives a list of statements and what they cost of
the budget; `frees` gets what has to be given back at the end of the scope.
"""

from expressions import Expressions, Scope
from program import join


class Statements(Expressions):
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
