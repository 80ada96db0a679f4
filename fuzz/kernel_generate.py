# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Random GPU kernels.

What a thread does by itself is grown by generate.py. Memory of many threads is handed to it in a *mode*, which
says what a thread may do with it until the next barrier:

    own     each thread has cells of its own, read and written
    read    nobody writes: any cell may be read
    add     atomic additions to any cell, no reads
    one     one thread has all of it, the others nothing

A barrier draws new modes. Behind a loop or branch the modes are those from before it (a last barrier in its body sees to
that), so that any number of iterations is right. What still races the oracle rejects.

Statements of kernels, beside those of generate.py; `mask` names lanes of a warp:

    ["shared", how, kind, name, size]         how: "static" or "dynamic"
    ["stride", var, start, step, size, body]  for (var = start; var < size; var += step)
    ["sync", how, mask]                       how: "threads" or "warp"
    ["vote", name, how, mask, cond]           how: "count" "and" "or" of the block; "any" "all" "ballot"
    ["shfl", kind, name, how, mask, e, by, width]  how: "xor" "down" "up" "idx"
    ["atom", kind, ref, index, e]
    ["lanes", low, high, body]                lanes low to high - 1 only
    ["bcall", kind, name, function, args]     a call of a function in which threads meet

Integers that every function has: t (thread), b (block), T (threads of a block), B (blocks).
"""

import json
import random

import generate
import oracle
from expressions import Scope
from program import has_kind, join

# What device code can do. (No heap, no exceptions, no long double.)
ALLOWED = {"float", "while", "switch", "irr", "out", "ptr", "alias", "struct", "structptr", "copy", "helper",
           "arrayhelper", "structhelper", "recursion", "garray", "ints", "early", "nest",
           "division", "functions", "inplace", "do", "swap", "sel", "grid", "table", "gather", "bump",
           "bits", "lambda", "structresult", "alparam"}
FEATURES = ["shuffle", "votes", "lanes", "syncwarp", "uloop", "uif", "atomic", "shared", "bhelper",
            "scalars", "indices", "leave", "stride", "two", "dynamic", "gread", "reduce", "tree"]
FULL = 0xffffffff


class Array:
    """Memory of many threads: where it begins for this block, and what may be done with it now."""

    def __init__(self, base, kind, size, per, modes):
        self.base, self.kind, self.size, self.per, self.modes = base, kind, size, per, modes
        self.mode = modes[0]
        self.turn = 0  # which permutation of the threads owns its cells
        self.whole = False  # in the hands of the one thread


class KernelGenerator(generate.Generator):
    def __init__(self, rng, size):
        super().__init__(rng, size)
        share = rng.choice([0.25, 0.4, 0.6])
        self.on = (self.on & ALLOWED) | {f for f in FEATURES if rng.random() < share}
        self.lang = "cu"
        self.threads = rng.choice([32, 32, 64, 64, 96, 128, 20, 33, 48, 40])
        self.grid = rng.choice([1, 1, 2, 2, 3]) if self.threads < 128 else 1
        self.block = [self.threads, 1]
        if "two" in self.on and self.threads % 4 == 0:
            y = rng.choice([2, 4])
            self.block = [self.threads // y, y]
        self.arrays = []
        self.uniform = set()
        self.meet = False       # may the block meet here?
        self.mask = None        # the lanes that are here together; None: not known
        self.one = False
        self.dynamic = 0

    # Integers.
    def ring(self, by):
        """The number of another thread."""
        r = self.r
        roll = r.random()
        if roll < 0.3:
            return ["iv", "t"]
        if roll < 0.45:
            return ["ib", "-", ["ib", "-", ["iv", "T"], ["ic", 1], 255], ["iv", "t"], 255]
        if roll < 0.6 and self.threads % 2 == 0:
            return ["ib", "^", ["iv", "t"], ["ic", 1], 255]
        return ["ib", "%", ["ib", "+", ["iv", "t"], ["ic", by], 255], ["iv", "T"], 255]

    def owner(self, array):
        """The first of a thread's own cells."""
        turn = array.turn
        if turn == 0:
            who = ["iv", "t"]
        elif turn == 1:
            who = ["ib", "-", ["ib", "-", ["iv", "T"], ["ic", 1], 255], ["iv", "t"], 255]
        else:
            who = ["ib", "%", ["ib", "+", ["iv", "t"], ["ic", turn], 255], ["iv", "T"], 255]
        return who if array.per == 1 else ["ib", "*", who, ["ic", array.per], 1023]

    def offset(self, base, index):
        return ["off", base, index] if base[0] == "r" else ["off", base[1], ["ib", "+", base[2], index, 1023]]

    def array(self, sc, kind=None, size=1, writable=False):
        r, pool = self.r, []
        for a in self.arrays:
            if kind not in (None, a.kind):
                continue
            if a.mode == "own" and a.per >= size:
                pool.append((self.offset(a.base, self.owner(a)), a.kind, a.per, True))
            elif a.mode == "one" and a.whole and a.size >= size:
                pool.append((a.base, a.kind, a.size, True))
            elif a.mode == "read" and not writable and a.size >= size:
                ref = a.base
                if size == 1 and a.size >= self.threads and r.random() < 0.7:
                    ref = self.offset(ref, self.ring(r.randrange(self.threads)))
                    pool.append((ref, a.kind, 1, False))
                else:
                    pool.append((ref, a.kind, a.size, False))
        if pool and r.random() < 0.6:
            return r.choice(pool)
        return super().array(sc, kind, size, writable) or (r.choice(pool) if pool else None)

    def leaf(self, sc):
        if self.arrays and self.r.random() < 0.25:
            a = self.array(sc)
            if a:
                return ["ld", a[1], a[0], self.index(sc, a[2])]
        return super().leaf(sc)

    def target_lv(self, sc):
        if self.arrays and self.r.random() < 0.4:
            a = self.array(sc, writable=True)
            if a:
                return ["ld", a[1], a[0], self.index(sc, a[2])]
        return super().target_lv(sc)

    def agreed(self, sc):
        """The scope with integers that all threads of the block agree on."""
        inner = Scope(sc)
        inner.nums = [n for n in sc.nums if n[0] in self.uniform]
        inner.ints = [i for i in sc.ints if i[0] in self.uniform]
        inner.arrays, inner.ptrs, inner.srefs, inner.tables, inner.vecs, inner.lams = [], [], [], [], [], []
        inner.iarrs = [i for i in sc.iarrs if i[0] in self.uniform]
        return inner

    # Where threads meet.
    def redraw(self, modes=None):
        for k, a in enumerate(self.arrays):
            a.whole = False
            if modes:
                a.mode, a.turn = modes[k]
            else:
                a.mode = self.r.choice(a.modes)
                a.turn = self.r.choice([0, 0, 1, self.r.randrange(self.threads)])

    def modes(self):
        return [(a.mode, a.turn) for a in self.arrays]

    def barrier(self, sc, modes=None):
        self.redraw(modes)
        # What pointers lead to belongs to others now.
        sc.ptrs.clear()
        sc.tables.clear()
        sc.srefs[:] = [s for s in sc.srefs if not any(
            isinstance(t, list) and t[0] == "ptr" for _, t in self.structs[s[1]])]
        return ["sync", "threads", FULL]

    def together(self, sc, budget, depth):
        """A body in which the block may meet, with the modes of now at its end."""
        before = self.modes()
        inner = Scope(sc)
        inner.ptrs, inner.tables = [], []
        body = self.body(inner, budget, depth - 1)
        if self.modes() != before:
            body.append(self.barrier(inner, before))
        return body

    def inner(self, sc, *args, **kw):
        """Inherited loops and branches: threads go their own ways in them."""
        saved = self.meet, self.mask
        self.meet, self.mask = False, None
        made = super().inner(sc, *args, **kw)
        self.meet, self.mask = saved
        return made

    def statement(self, sc, budget, depth, frees):
        r, pool = self.r, []
        if self.meet:
            pool += ["sync"] * 3
            if depth > 0 and budget > 2:
                pool += ["uloop"] * 3 * ("uloop" in self.on) + ["uif"] * 2 * ("uif" in self.on)
            pool += ["vote"] * ("votes" in self.on)
            pool += ["bcall"] * 2 * any(s[3] == "meets" for s in self.sigs)
            pool += ["tree"] * 2 * ("tree" in self.on)
        if self.mask is not None:
            pool += ["shuffle"] * 3 * ("shuffle" in self.on) + ["wvote"] * ("votes" in self.on)
            pool += ["reduce"] * ("reduce" in self.on)
            if "lanes" in self.on and self.mask == FULL and depth > 0:
                pool += ["lanes"] * 2
        if any(a.mode == "add" for a in self.arrays):
            pool += ["atom"] * 3
        if any(a.mode == "one" for a in self.arrays) and not self.one and not self.loops:
            pool += ["one"] * 3
        if "stride" in self.on and depth > 0 and self.meet:
            pool += ["stride"]
        if pool and r.random() < 0.45:
            return getattr(self, "m_" + r.choice(pool))(sc, budget, depth, frees)
        return super().statement(sc, budget, depth, frees)

    def m_sync(self, sc, budget, depth, frees):
        if "syncwarp" in self.on and self.r.random() < 0.3:
            return [["sync", "warp", FULL]], 1
        return [self.barrier(sc)], 1

    def m_uloop(self, sc, budget, depth, frees):
        var, part = self.name("i"), self.r.randrange(2, max(3, min(budget, 6)))
        inner = Scope(sc)
        inner.ints.append((var, False))
        bound = self.bound(self.agreed(sc))
        self.uniform.add(var)
        saved = self.can_break, self.can_continue, self.can_return
        self.can_break = self.can_continue = self.can_return = False
        self.loops += 1
        body = self.together(inner, part, depth)
        self.loops -= 1
        self.can_break, self.can_continue, self.can_return = saved
        return [["for", var, bound, self.r.random() < 0.2, body]], part + 1

    def m_uif(self, sc, budget, depth, frees):
        part = self.r.randrange(1, max(2, min(budget, 5)))
        cond = self.cond(self.agreed(sc))
        then = self.together(sc, part, depth)
        other = self.together(sc, max(1, part // 2), depth) if self.r.random() < 0.4 else []
        return [["if", cond, then, other]], part + 1

    def m_vote(self, sc, budget, depth, frees):
        name = self.name("n")
        made = ["vote", name, self.r.choice(["count", "and", "or"]), FULL, self.cond(sc)]
        sc.ints.append((name, False))
        self.uniform.add(name)
        self.redraw()  # It is a barrier, too.
        sc.ptrs.clear()
        sc.tables.clear()
        return [made], 1

    def m_wvote(self, sc, budget, depth, frees):
        name = self.name("n")
        made = ["vote", name, self.r.choice(["any", "all", "ballot"]), self.mask, self.cond(sc)]
        sc.ints.append((name, False))
        return [made], 1

    def m_shuffle(self, sc, budget, depth, frees):
        """A shuffle, and what came of it; where the lane is not there, the thread's own number."""
        r, kind = self.r, self.kind()
        value, got, name = self.name("x"), self.name("x"), self.name("x")
        lanes = [k for k in range(32) if self.mask >> k & 1]
        width = r.choice([32, 32, 32, 16, 8]) if self.mask == FULL else 32
        how = r.choice(["xor", "down", "up", "idx"])
        lane = ["ib", "+", ["iv", "t"], ["ic", 0], 31]
        if how == "xor":
            by = ["ic", r.choice([1, 2, 4, 8, 16, 3, 5, 7][:5 if width == 32 else 3])]
            source = ["ib", "^", lane, by, 31]
        elif how in ("down", "up"):
            by = ["ic", r.randrange(1, 9)] if r.random() < 0.7 else self.bound(self.agreed(sc))
            source = ["ib", "+" if how == "down" else "-", ["iv", "t"], by, 31]
        else:
            by = r.choice([["ic", r.choice(lanes)], ["ib", "+", ["iv", "t"], ["ic", r.randrange(1, 31)], 31],
                           ["ib", "*", ["iv", "t"], ["ic", 3], 31]])
            if self.mask != FULL:
                by = ["ic", r.choice(lanes)]
            source = ["ib", "+", by, ["ic", 0], 31]
        if self.mask != FULL or width != 32 and how == "idx":
            # Within the lanes that are here: those of a constant, or none beyond.
            if how in ("xor", "idx"):
                by, how, width = ["ic", r.choice(lanes)], "idx", 32
                source = by
            else:
                low, high = lanes[0], lanes[-1]
        made = [["decl", kind, value, self.expr(sc, 2)],
                ["shfl", kind, got, how, self.mask, ["var", kind, value], by, width]]
        # The lane that was asked exists if its thread does and if it is one of the mask.
        first = ["ib", "-", ["iv", "t"], lane, 255]
        there = ["icmp", "<", ["ib", "+", first, source, 255], ["iv", "T"]]
        if self.mask != FULL and how in ("down", "up"):
            inside = ["icmp", "<", ["ib", "+", lane, by, 63], ["ic", high + 1]] if how == "down" else \
                ["icmp", ">", lane, ["ib", "+", by, ["ic", low - 1], 63] if low else ["ib", "-", by, ["ic", 1], 63]]
            there = ["and", inside, there]
        made.append(["decl", kind, name, ["sel", kind, there, ["var", kind, got], ["var", kind, value]]])
        sc.nums.append((name, kind, r.random() < 0.7))
        return made, 2

    def m_reduce(self, sc, budget, depth, frees):
        """The sum over a warp, as it is written everywhere."""
        if self.mask != FULL or self.threads % 32:
            return self.m_decl(sc, budget, depth, frees)
        kind, name, got, var = self.kind(), self.name("x"), self.name("x"), self.name("i")
        how = self.r.choice(["down", "xor"])
        by = ["ib", ">>", ["ic", 16], ["iv", var], 31]
        body = [["shfl", kind, got, how, FULL, ["var", kind, name], by, 32],
                ["set", ["var", kind, name], "+=", ["var", kind, got]]]
        made = [["decl", kind, name, self.bounded(sc, kind)], ["for", var, ["ic", 5], False, body],
                ["set", ["var", kind, name], "*=", ["const", kind, 0.0625]]]
        sc.nums.append((name, kind, True))
        return made, 3

    def m_tree(self, sc, budget, depth, frees):
        """Sums over the block in shared memory, halving the threads each time."""
        pool = [a for a in self.arrays if a.per == 1 and "one" in a.modes and a.size == self.threads]
        if not pool or self.threads & (self.threads - 1):
            return self.m_sync(sc, budget, depth, frees)
        a, var = self.r.choice(pool), self.name("i")
        keep = self.modes()
        half = ["ib", ">>", ["ic", self.threads // 2], ["iv", var], 127]
        here = ["ld", a.kind, self.offset(a.base, ["iv", "t"]), ["ic", 0]]
        far = ["ld", a.kind, self.offset(a.base, ["ib", "+", ["iv", "t"], half, 255]), ["ic", 0]]
        e = ["bin", a.kind, "*", ["const", a.kind, 0.5], far]
        if self.r.random() < 0.4:
            e = ["bin", a.kind, "*", far, ["fun", a.kind, "sin", [here]]]
        steps = self.threads.bit_length() - 1
        made = [self.barrier(sc, keep), ["set", here, "=", self.bounded(sc, a.kind)], ["sync", "threads", FULL],
                ["for", var, ["ic", steps], False,
                 [["if", ["icmp", "<", ["iv", "t"], half], [["set", here, "+=", e]], []], ["sync", "threads", FULL]]]]
        self.redraw()
        return made, 4

    def m_lanes(self, sc, budget, depth, frees):
        low = self.r.choice([0, 0, 4, 8])
        high = self.r.choice([16, 20, 24, 32 - (low == 0)])
        saved = self.meet, self.mask, self.can_break, self.can_continue
        self.meet, self.mask = False, sum(1 << k for k in range(low, high))
        self.can_break = self.can_continue = False
        body = self.body(Scope(sc), 2, depth - 1)
        self.meet, self.mask, self.can_break, self.can_continue = saved
        return [["lanes", low, high, body]], 3

    def m_atom(self, sc, budget, depth, frees):
        a = self.r.choice([a for a in self.arrays if a.mode == "add"])
        index = self.index(sc, a.size) if self.r.random() < 0.5 or a.size < self.threads else \
            self.ring(self.r.randrange(self.threads))
        return [["atom", a.kind, a.base, index, self.bounded(sc, depth=2)]], 1

    def m_one(self, sc, budget, depth, frees):
        """One thread works on what is its alone."""
        mine = [a for a in self.arrays if a.mode == "one"]
        who = self.r.choice([0, 0, self.threads - 1, self.r.randrange(self.threads)])
        for a in mine:
            a.whole = True
        self.one = True
        body = self.inner(sc, 2, depth)
        self.one = False
        for a in mine:
            a.whole, a.mode = False, "nobody's"  # Another thread's turn would be a race.
        return [["if", ["icmp", "==", ["iv", "t"], ["ic", who]], body, []]], 3

    def m_stride(self, sc, budget, depth, frees):
        pool = [a for a in self.arrays if a.mode == "own"]
        if not pool:
            return self.m_sync(sc, budget, depth, frees)
        a = self.r.choice(pool)
        keep = self.modes()
        # Cells dealt out one by one belong to other threads than the blocks of `own`.
        first = self.barrier(sc, keep)
        var, mode, a.mode = self.name("i"), a.mode, "nobody's"
        inner = Scope(sc)
        inner.ints.append((var, False))
        at = ["ld", a.kind, a.base, ["iv", var]]
        e = self.bounded(inner, a.kind, depth=2)
        loop = ["stride", var, ["iv", "t"], ["iv", "T"], a.size,
                [["set", at, self.r.choice(["=", "+=", "*="]), e]]]
        a.mode = mode
        return [first, loop, self.barrier(sc)], 3

    def m_call(self, sc, budget, depth, frees):
        sigs, self.sigs = self.sigs, [s for s in self.sigs if s[3] != "meets"]
        made = super().m_call(sc, budget, depth, frees)
        self.sigs = sigs
        return made

    def m_bcall(self, sc, budget, depth, frees):
        name, params, ret, _ = self.r.choice([s for s in self.sigs if s[3] == "meets"])
        args = self.args(sc, params)
        if args is None:
            return self.m_sync(sc, budget, depth, frees)
        x, raw = self.name("x"), self.name("x")
        made = [["bcall", ret, raw, name, args], ["decl", ret, x, ["fun", ret, "sin", [["var", ret, raw]]]]]
        sc.nums.append((x, ret, True))
        # Its barriers are barriers here, too, but nothing need change hands.
        return made, 2

    # Functions.
    def start(self, params):
        sc = super().start([p for p in params if p[1][0] != "shared"])
        sc.arrays = [(ref, k, s, w and ref[1] not in self.constants) for ref, k, s, w in sc.arrays]
        if self.kernel or self.r.random() < 0.3:
            sc.ints += [("t", False)] * 2 + [("b", False)]
        self.uniform |= {"b"} | {n for n, p in params if p[0] in ("i", "ia") and self.kernel}
        for n, p in params:
            if p[0] == "ia":
                sc.iarrs.append((n, p[1]))
        return sc

    constants = frozenset()
    kernel = False

    def whole(self, *args):
        """Functions in which threads do not meet."""
        arrays, self.arrays, meet, self.meet = self.arrays, [], self.meet, False
        mask, self.mask = self.mask, None
        super().whole(*args)
        self.funcs[-1]["sync"] = False
        self.arrays, self.meet, self.mask = arrays, meet, mask

    def recursive(self):
        super().recursive()
        self.funcs[-1]["sync"] = False

    def begin(self, ret):
        self.ret, self.leaky = ret, False
        self.can_return = self.can_throw = self.can_break = self.can_continue = False
        self.loops, self.kernel = 0, True
        self.meet, self.mask = True, FULL

    def shared_arrays(self, count):
        """Declarations of shared arrays, and their first contents."""
        made = []
        for _ in range(count):
            kind, name = self.kind(), self.name("S")
            per = self.r.choice([1, 1, 1, 2, 3])
            size = self.threads * per
            how = "static"
            if "dynamic" in self.on and not self.dynamic and self.kernel_body and self.r.random() < 0.5:
                how, self.dynamic = "dynamic", size * (4 if kind == "f" else 8)
            made.append(["shared", how, kind, name, size])
            modes = ["own", "own", "read", "read", "one"] + ["add"] * ("atomic" in self.on)
            self.arrays.append(Array(["r", name], kind, size, per, modes))
        return made

    def fill(self, sc, arrays):
        made = []
        for a in arrays:
            var = self.name("i")
            inner = Scope(sc)
            inner.ints.append((var, False))
            hidden, self.arrays = self.arrays, [x for x in self.arrays if x.mode == "read" and x not in arrays]
            e = self.expr(inner, 2)
            self.arrays = hidden
            if a.per == 1 and f'"{var}"' not in json.dumps(e):
                made.append(["set", ["ld", a.kind, a.base, ["iv", "t"]], "=", e])
            else:
                made.append(["stride", var, ["iv", "t"], ["iv", "T"], a.size,
                             [["set", ["ld", a.kind, a.base, ["iv", var]], "=", e]]])
        return made

    def meets(self):
        """A function in which threads meet."""
        params = [[self.name("x"), ["s", self.kind()]] for _ in range(self.r.randrange(1, 3))]
        if self.r.random() < 0.4:
            params.append([self.name("A"), ["ca", self.kind(), 2]])
        ret, name = self.kind(), f"f{len(self.funcs)}"
        self.begin(ret)
        self.kernel_body = False
        self.arrays = []
        sc = self.start(params)
        body = self.shared_arrays(self.r.choice([0, 1, 1]) if "shared" in self.on else 0)
        # Others may still be at work on the arrays, from the last call.
        body.append(["sync", "threads", FULL])
        body += self.fill(sc, self.arrays)
        body.append(self.barrier(sc))
        body += self.grow(sc, self.r.randrange(2, 5), 2)
        body += self.finish(sc, ret)
        self.arrays, self.kernel, self.meet = [], False, False
        self.funcs.append({"name": name, "params": params, "ret": ret, "body": body, "sync": True,
                           "noinline": self.r.random() < 0.5})
        self.sigs.append((name, params, ret, "meets"))

    def grow(self, sc, budget, depth):
        body = []
        while budget > 0:
            made, cost = self.statement(sc, budget, depth, [])
            body += made
            budget -= cost
        return body

    def finish(self, sc, ret):
        arrays = sc.arrays
        sc.arrays = [a for a in sc.arrays if a[0][0] == "r"]
        made = super().finish(sc, ret)
        sc.arrays = arrays
        return made

    def program(self):
        r = self.r
        if "garray" in self.on:
            values = [round(r.uniform(-1, 1), 3) for _ in range(4)]
            self.globals.append([self.name("C"), self.kind(), 4, values])
            self.constants = {self.globals[0][0]}
        if self.on & {"structresult", "structhelper"} and "struct" in self.on:
            self.struct_type("structptr" in self.on)
        if "helper" in self.on:
            self.pure()
        if "arrayhelper" in self.on:
            self.helper("any")
        if "recursion" in self.on:
            self.recursive()
        if "bhelper" in self.on:
            self.meets()
        params, arrays = [], []
        per_block = self.threads
        for k in range(r.randrange(1, 3)):
            # Each block has a part of its own.
            kind, per, name = self.kind(), r.choice([1, 1, 1, 2]), self.name("A")
            size = self.threads * per
            base = ["r", name]
            if self.grid > 1:
                base = ["off", base, ["ib", "*", ["iv", "b"], ["ic", size], 1023]]
            params.append([name, ["a", kind, size * self.grid]])
            modes = ["own", "own", "read"] + (["add"] if "atomic" in self.on else [])
            arrays.append(Array(base, kind, size, per, modes))
        if "gread" in self.on:
            name, kind, size = self.name("A"), self.kind(), r.choice([1, 4, 8, per_block])
            params.append([name, ["a", kind, size]])
            arrays.append(Array(["r", name], kind, size, 1, ["read"]))
        if "atomic" in self.on:
            name, kind, size = self.name("A"), self.kind(), r.choice([1, 2, 4, 8])
            params.append([name, ["a", kind, size]])
            arrays.append(Array(["r", name], kind, size, 1, ["add"]))
        if "scalars" in self.on:
            for _ in range(r.randrange(1, 3)):
                params.append([self.name("x"), ["s", self.kind()]])
        if r.random() < 0.7:
            params.append([self.name("n"), ["i"]])
        if "indices" in self.on:
            params.append([self.name("I"), ["ia", 4]])
        if r.random() < 0.2:
            params.append([self.name("C"), ["ca", self.kind(), 4]])
        self.begin("v")
        self.kernel_body = True
        sc = self.start([p for p in params if p[1][0] != "a"])
        self.uniform |= {n for n, p in params if p[0] == "s"}
        self.arrays = arrays
        for a in arrays:
            a.mode, a.turn = r.choice(a.modes), 0
        body = []
        count = r.choice([0, 1, 1, 2]) if "shared" in self.on else 0
        body += self.shared_arrays(count)
        own = self.arrays[len(arrays):]
        for a in own:
            a.mode = "nobody's"
        if "leave" in self.on and r.random() < 0.5:
            # Threads without work end at once.
            body.append(["ret", ["icmp", ">", ["iv", "t"], ["ic", self.threads - r.randrange(2, 9)]], "v", None])
            for a in own:
                a.modes = ["own"]
            self.meet = self.mask = None
            self.meet = True if r.random() < 0.5 else False
        body += self.fill(sc, own)
        if own or self.meet:
            body.append(self.barrier(sc))
        self.can_return = "leave" in self.on and "early" in self.on and r.random() < 0.3
        body += self.grow(sc, self.size, 3)
        self.can_return = False
        # What was computed should matter.
        if not any(a.mode in ("own", "add") for a in arrays) and self.meet:
            body.append(self.barrier(sc, [("own", 0) if "own" in a.modes else (a.modes[0], 0)
                                          for a in self.arrays]))
        for a in arrays:
            if a.mode in ("own", "add"):
                e = super().finish(sc, "d")[0][3]
                e = ["fun", e[1], "sin", [e]] if r.random() < 0.5 else e
                if a.mode == "own":
                    body.append(["set", ["ld", a.kind, self.offset(a.base, self.owner(a)), ["ic", 0]],
                                 r.choice(["=", "+="]), e])
                else:
                    body.append(["atom", a.kind, a.base, self.index(sc, a.size), e])
        self.funcs.append({"name": "entry", "params": params, "ret": "v", "body": body, "sync": True,
                           "noinline": False})
        program = {"lang": "cu", "structs": self.structs, "globals": self.globals, "funcs": self.funcs,
                   "launch": [[self.grid], self.block, self.dynamic]}
        program["float"] = has_kind([self.structs, self.globals, self.funcs], "f")
        program["inputs"] = self.inputs(params)
        return program

    def inputs(self, params):
        out = super().inputs(params)
        for name, p in params:
            if p[0] == "ia":
                out[name] = [self.r.randrange(0, 5) for _ in range(p[1])]
        return out


generate.GENERATORS["cu"] = KernelGenerator
generate.SIZES["cu"] = [4, 6, 8, 10]
