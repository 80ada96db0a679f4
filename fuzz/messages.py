#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Random programs with MPI: see README.md.

    fuzz/messages.py --seed 1 --count 60       a fixed set
    fuzz/messages.py --seed 1 --seconds 60     as many as there is time for
    fuzz/messages.py --seed 1 --only 17        one program, under every configuration; --show: its text

A program is C text over the type `real`, which all ranks run. Compiled with Retrograd, `real` is double
and derivatives of the sum of what all ranks return are asked for. Compiled by plain clang, `real` is a dual
number, and MPI gets a datatype and operations for it: what sends numbers sends tangents with them, so that the
oracle is the program itself, run once for each number of each rank."""

import argparse
import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import crash_line, filled_heap
from shapes import COMMON, DUAL, drop_refused

N = 5  # numbers that each rank's program takes
RANKS = (1, 2, 3, 4)
CLANG = "/usr/lib/llvm-22/bin/clang++"

PLAIN = """
#include <math.h>
typedef double real;
#define VAL(x) (x)
#define REAL MPI_DOUBLE
#define PAIR MPI_DOUBLE_INT
#define OP(name) MPI_##name
extern int enzyme_dup, enzyme_const;
#ifdef __cplusplus
extern "C" {
#endif
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#ifdef __cplusplus
}
#endif
"""
# Reductions of dual numbers. Where several are the least, the lowest rank's counts, as in derivatives: `in` is of lower ranks.
ORACLE = DUAL + r"""
#define OP(name) op_##name
static MPI_Datatype REAL, PAIR;
static MPI_Op op_SUM, op_PROD, op_MIN, op_MAX, op_MINLOC, op_MAXLOC;
struct real_pair { real v; int i; };
#define REDUCTION(name, type, takes, both) \
  static void do_##name(void *in_, void *out_, int *n, MPI_Datatype *) { type *in = (type *)in_, *out = (type *)out_; \
    for (int i = 0; i < *n; ++i) { type a = in[i], b = out[i]; out[i] = (takes) ? a : both; } }
REDUCTION(SUM, real, false, a + b)
REDUCTION(PROD, real, false, a * b)
REDUCTION(MIN, real, a.v <= b.v, b)
REDUCTION(MAX, real, a.v >= b.v, b)
REDUCTION(MINLOC, real_pair, a.v.v <= b.v.v, b)
REDUCTION(MAXLOC, real_pair, a.v.v >= b.v.v, b)
static void prepare() {
  MPI_Datatype t;
  int lengths[2] = {2, 1};
  MPI_Aint at[2] = {0, offsetof(real_pair, i)};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Type_contiguous(2, MPI_DOUBLE, &REAL), MPI_Type_commit(&REAL);
  MPI_Type_create_struct(2, lengths, at, types, &t), MPI_Type_create_resized(t, 0, sizeof(real_pair), &PAIR), MPI_Type_commit(&PAIR);
#define MAKE(name) MPI_Op_create(do_##name, 0, &op_##name);
  MAKE(SUM) MAKE(PROD) MAKE(MIN) MAKE(MAX) MAKE(MINLOC) MAKE(MAXLOC)
}
"""
WORLD = """
static int me, np;
static int ring(int by) { return ((me + by) % np + np) % np; }
static int line(int by) { return me + by < 0 || me + by >= np ? MPI_PROC_NULL : me + by; }
"""


class Program:
    """Grows one program out of exchanges: declarations, and statements over w[0..N) and s. All ranks take the same way
    through the statements, but for branches that name the rank."""

    def __init__(self, seed, number):
        self.r = random.Random(f"messages {seed} {number}")
        self.p, self.number = f"p{number}_", number
        self.decls, self.used = [], []
        self.count = self.tags = 0
        self.openmp = self.r.random() < 0.2
        self.calls = collections.Counter()
        ways = [name for name in dir(self) if name.startswith("way_") and (self.openmp or not name.startswith("way_omp_"))]
        ways += ["way_collective"] * 5 + ["way_datatype"] * 2 + ["way_own"]  # each of them is many
        body = []
        for _ in range(self.r.randrange(1, 5)):
            way = self.r.choice(ways)
            self.used.append(way[4:])
            text = getattr(self, way)()
            roll = self.r.random()
            if roll < 0.12:
                text = f"if (n > {self.r.choice([2, 9])} - np) {{ {text} }}"
            elif roll < 0.3:
                text = f"for (int round{self.count} = 0; round{self.count} < {self.r.choice(['3', 'n - 3', 'np', '2 + np % 2'])}; ++round{self.count}) {{ {text} }}"
            elif roll < 0.4:  # in a function of its own, which is given the state
                f = self.name("part")
                inline = self.r.choice(["NOINLINE ", "", "static "])
                self.decls.append(f"{inline}real {f}(real *w, real s, int n) {{ {text} return s; }}")
                text = f"s = {f}(w, s, n);"
            body.append("{ " + text + " }")
        self.text = (f"static real {self.p}f(real *x, int n) {{\n  real w[N], s = 0.0; for (int i = 0; i < N; ++i) w[i] = x[i];\n  "
                     + "\n  ".join(body) + "\n  for (int i = 0; i < n; ++i) s += w[i] * w[i] * (double)(i + 1);\n"
                     + ("  if (me) s = 0.0;\n" if self.r.random() < 0.2 else "") + "  return s;\n}\n")
        for routine in re.findall(r"\bMPI_[A-Z][a-z]+\w*(?=\()", "\n".join(self.decls) + self.text):
            self.calls[routine] += 1

    def i(self):
        return self.r.randrange(N)

    def name(self, word):
        self.count += 1
        return f"{self.p}{word}{self.count}"

    def tag(self):
        self.tags += 1
        return str(self.r.choice([self.tags, self.tags, 7]))

    def expr(self, *leaves):
        r, a, b = self.r, self.r.choice(leaves), self.r.choice(leaves)
        return r.choice([f"{a} * {b}", f"sin({a}) + {b}", f"{a} * cos({b})", f"tanh({a} - {b})", f"{a} / (2.0 + {b} * {b})",
                         f"exp(-({a}) * ({a})) * {b}", f"sqrt(1.5 + {a} * {a}) - {b}", f"{a} * {a} * 0.5 + {b}"])

    def back(self, what):
        """`what` goes into the state."""
        return self.r.choice([f"s += {what};", f"w[{self.i()}] = sin({what});", f"w[{self.i()}] += 0.25 * tanh({what});",
                              f"s = s * 0.5 + {what};"])

    def fill(self, array, count, *leaves):
        """All elements of an array; `me` makes ranks differ, so that no two have the same minimum by chance."""
        return f"for (int k = 0; k < {count}; ++k) {array}[k] = {self.expr('w[k % N]', 's', *leaves)} * (1.0 + 0.01 * me + 0.003 * k);"

    def sum(self, array, count):
        return (f"real sum = 0.0; for (int k = 0; k < {count}; ++k) sum += {self.expr(f'{array}[k]', f'{array}[({count} - 1) - k]')} * (0.3 / (1 + k)); "
                + self.back("sum"))

    def comm(self):
        """(what makes a communicator, its name, my rank and its size, what frees it)"""
        how = self.r.choice(["world"] * 5 + ["dup", "split", "split", "reversed", "cart"])
        if how == "world":
            return "", "MPI_COMM_WORLD", "me", "np", ""
        self.used.append("comm_" + how)
        make = {"dup": "MPI_Comm_dup(MPI_COMM_WORLD, &comm);", "split": "MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &comm);",
                "reversed": "MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comm);",
                "cart": "int dims[1] = {np}, periods[1] = {1}; MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm);"}[how]
        return (f"MPI_Comm comm; {make} int mine, all; MPI_Comm_rank(comm, &mine); MPI_Comm_size(comm, &all);", "comm", "mine", "all",
                "MPI_Comm_free(&comm);")

    def send(self):
        return self.r.choice(["MPI_Isend", "MPI_Isend", "MPI_Issend"])

    def wait(self, count, requests):
        """Completes `count` requests of an array in one of many ways."""
        ways = [f"MPI_Waitall({count}, {requests}, MPI_STATUSES_IGNORE);",
                f"for (int k = 0; k < {count}; ++k) MPI_Wait(&{requests}[k], MPI_STATUS_IGNORE);",
                f"for (int k = {count} - 1; k >= 0; --k) MPI_Wait(&{requests}[k], MPI_STATUS_IGNORE);",
                f"for (int k = 0; k < {count}; ++k) {{ int at; MPI_Waitany({count}, {requests}, &at, MPI_STATUS_IGNORE); }}",
                f"for (int left = {count}; left > 0;) {{ int some, which[64]; MPI_Waitsome({count}, {requests}, &some, which, MPI_STATUSES_IGNORE); left -= some; }}",
                f"for (int done = 0; !done;) MPI_Testall({count}, {requests}, &done, MPI_STATUSES_IGNORE);",
                f"for (int k = 0; k < {count}; ++k) for (int done = 0; !done;) MPI_Test(&{requests}[k], &done, MPI_STATUS_IGNORE);",
                f"MPI_Wait(&{requests}[0], MPI_STATUS_IGNORE); MPI_Waitall({count}, {requests}, MPI_STATUSES_IGNORE);"]
        return self.r.choice(ways)

    # Pairs.
    def way_shift(self):
        r, by, m = self.r, self.r.choice([1, 1, 2, -1, 0]), self.r.choice([1, 3, 5])
        to, source = f"ring({by})", f"ring({-by})"
        if r.random() < 0.4:
            to, source = f"line({by})", f"line({-by})"
        head = f"real out[{m}], in[{m}]; {self.fill('out', m)} {self.fill('in', m)} "
        tag = self.tag()
        how = r.choice(["sendrecv", "replace", "nonblocking", "recv first", "send then recv"])
        if how == "sendrecv":
            head += f"MPI_Sendrecv(out, {m}, REAL, {to}, {tag}, in, {m}, REAL, {source}, {r.choice([tag, 'MPI_ANY_TAG'])}, MPI_COMM_WORLD, MPI_STATUS_IGNORE); "
        elif how == "replace":
            head += f"memcpy(in, out, sizeof in); MPI_Sendrecv_replace(in, {m}, REAL, {to}, {tag}, {source}, {tag}, MPI_COMM_WORLD, MPI_STATUS_IGNORE); "
        elif how == "nonblocking":
            posts = [f"MPI_Irecv(in, {m}, REAL, {source}, {tag}, MPI_COMM_WORLD, &q[0]);", f"{self.send()}(out, {m}, REAL, {to}, {tag}, MPI_COMM_WORLD, &q[1]);"]
            r.shuffle(posts)
            between = r.choice(["", self.back(self.expr("w[1]", "w[2]", "s"))])
            head += f"MPI_Request q[2]; {posts[0]} {posts[1]} {between} {self.wait(2, 'q')} "
        elif how == "recv first":
            head += (f"MPI_Request q; MPI_Irecv(in, {m}, REAL, {source}, {tag}, MPI_COMM_WORLD, &q); {r.choice(['MPI_Send', 'MPI_Ssend'])}"
                     f"(out, {m}, REAL, {to}, {tag}, MPI_COMM_WORLD); MPI_Wait(&q, MPI_STATUS_IGNORE); ")
        else:
            head += (f"MPI_Request q; {self.send()}(out, {m}, REAL, {to}, {tag}, MPI_COMM_WORLD, &q); MPI_Recv(in, {m}, REAL, {source}, {tag}, MPI_COMM_WORLD, MPI_STATUS_IGNORE); "
                     "MPI_Wait(&q, MPI_STATUS_IGNORE); ")
        return head + self.sum("in", m)

    def way_halo(self):
        """Steps of a stencil whose ends come from the neighbours."""
        r = self.r
        side = r.choice(["ring", "line"])
        a, b = self.tag(), self.tag() + "0"
        steps = r.choice([1, 2, 4])
        posts = [f"MPI_Irecv(&u[0], 1, REAL, {side}(-1), {a}, MPI_COMM_WORLD, &q[0]);", f"MPI_Irecv(&u[N + 1], 1, REAL, {side}(1), {b}, MPI_COMM_WORLD, &q[1]);",
                 f"{self.send()}(&u[N], 1, REAL, {side}(1), {a}, MPI_COMM_WORLD, &q[2]);", f"{self.send()}(&u[1], 1, REAL, {side}(-1), {b}, MPI_COMM_WORLD, &q[3]);"]
        r.shuffle(posts)
        if r.random() < 0.3:
            made = " ".join(re.sub(r"MPI_I(recv|send|ssend)", lambda m: "MPI_" + m.group(1).capitalize() + "_init", q) for q in posts)
            exchange, after = f"MPI_Startall(4, q); {self.wait(4, 'q')}", "for (int k = 0; k < 4; ++k) MPI_Request_free(&q[k]);"
            self.used.append("persistent")
        else:
            made, exchange, after = "", " ".join(posts) + " " + self.wait(4, "q"), ""
        return (f"real u[N + 2], v[N + 2]; MPI_Request q[4]; u[0] = s; u[N + 1] = w[0]; for (int k = 0; k < N; ++k) u[k + 1] = w[k]; {made} "
                f"for (int t = 0; t < {steps}; ++t) {{ {exchange} for (int k = 1; k <= N; ++k) v[k] = tanh(u[k] + 0.2 * {self.expr('u[k - 1]', 'u[k]', 'u[k + 1]')}); "
                f"for (int k = 1; k <= N; ++k) u[k] = v[k]; }} {after} for (int k = 0; k < N; ++k) w[k] = u[k + 1];")

    def way_pipeline(self):
        tag, m = self.tag(), self.r.choice([1, 2])
        send = self.r.choice(["MPI_Send", "MPI_Ssend"])
        return (f"real v[{m}]; {self.fill('v', m)} if (me > 0) {{ real got[{m}]; MPI_Recv(got, {m}, REAL, me - 1, {tag}, MPI_COMM_WORLD, MPI_STATUS_IGNORE); "
                f"for (int k = 0; k < {m}; ++k) v[k] = 0.5 * {self.expr('v[k]', 'got[k]')}; }} if (me < np - 1) {send}(v, {m}, REAL, me + 1, {tag}, MPI_COMM_WORLD); "
                + self.back("v[0]"))

    def way_workers(self):
        """The first rank hands out work and takes what comes, in the order in which it comes."""
        tag, back = self.tag(), self.tag() + "1"
        source = self.r.choice(["MPI_ANY_SOURCE", "r"])
        sent = self.r.choice(["MPI_Send", "MPI_Ssend"])
        how = self.r.random()
        matched = self.r.choice(["MPI_Mprobe({0}, {1}, MPI_COMM_WORLD, &found, &at);",
                                 "for (int there = 0; !there;) MPI_Improbe({0}, {1}, MPI_COMM_WORLD, &there, &found, &at);"]).format(source, back)
        take = self.r.choice(["MPI_Mrecv(got, c, REAL, &found, MPI_STATUS_IGNORE);",
                              "MPI_Request q; MPI_Imrecv(got, c, REAL, &found, &q); MPI_Wait(&q, MPI_STATUS_IGNORE);"])
        probe = f"MPI_Status at; MPI_Message found; int c; {matched} MPI_Get_count(&at, REAL, &c); {take}" if how < 0.3 else \
            (f"MPI_Status at; MPI_Probe({source}, {back}, MPI_COMM_WORLD, &at); int c; MPI_Get_count(&at, REAL, &c); "
                 f"MPI_Recv(got, c, REAL, at.MPI_SOURCE, {back}, MPI_COMM_WORLD, MPI_STATUS_IGNORE);") if how < 0.5 else \
            f"MPI_Recv(got, 2, REAL, {source}, {back}, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        return (f"if (me == 0) {{ for (int r = 1; r < np; ++r) {{ real job[2] = {{w[r % N], {self.expr('s', 'w[1]')}}}; {sent}(job, 2, REAL, r, {tag}, MPI_COMM_WORLD); }} "
                f"real sum = 0.0; for (int r = 1; r < np; ++r) {{ real got[2]; {probe} sum += got[0] * got[1]; }} {self.back('sum')} }} "
                f"else {{ real job[2], got[2]; MPI_Recv(job, 2, REAL, 0, {tag}, MPI_COMM_WORLD, MPI_STATUS_IGNORE); got[0] = {self.expr('job[0]', 'w[2]')}; got[1] = {self.expr('job[1]', 's')}; "
                f"{sent}(got, 2, REAL, 0, {back}, MPI_COMM_WORLD); }}")

    def way_everyone(self):
        """A message to each rank and one from each, in any order."""
        tag, r = self.tag(), self.r
        post = f"for (int r = 0; r < np; ++r) MPI_Irecv(&in[2 * r], 2, REAL, {r.choice(['r', 'np - 1 - r'])}, {tag}, MPI_COMM_WORLD, &q[r]);"
        post = post.replace("&in[2 * r]", "&in[2 * (np - 1 - r)]" if "np - 1 - r" in post else "&in[2 * r]")
        send = f"for (int r = 0; r < np; ++r) {self.send()}(&out[2 * r], 2, REAL, ring(r), {tag}, MPI_COMM_WORLD, &q[np + r]);"
        parts = [post, send]
        r.shuffle(parts)
        return (f"real in[8], out[8]; MPI_Request q[8]; {self.fill('out', '2 * np')} {parts[0]} {parts[1]} {self.wait('2 * np', 'q')} " + self.sum("in", "2 * np"))

    def way_post_and_take(self):
        """Posted by one function, completed by another, by means of a struct."""
        t, f, g = self.name("Halo"), self.name("post"), self.name("take")
        tag = self.tag()
        self.decls += [f"struct {t} {{ real in[2], out[2]; MPI_Request q[2]; int n; }};",
                       f"NOINLINE void {f}(struct {t} *h, const real *w, int by) {{ h->n = 0; MPI_Irecv(h->in, 2, REAL, ring(-by), {tag}, MPI_COMM_WORLD, &h->q[h->n++]); "
                       f"h->out[0] = {self.expr('w[0]', 'w[1]')}; h->out[1] = {self.expr('w[2]', 'w[3]')}; {self.send()}(h->out, 2, REAL, ring(by), {tag}, MPI_COMM_WORLD, &h->q[h->n++]); }}",
                       f"{self.r.choice(['NOINLINE', 'static'])} real {g}(struct {t} *h) {{ {self.wait('h->n', 'h->q')} return {self.expr('h->in[0]', 'h->in[1]')}; }}"]
        heap = self.r.random() < 0.5
        two = self.r.random() < 0.4
        make = f"struct {t} *h = (struct {t} *)malloc(2 * sizeof *h);" if heap else f"struct {t} h[2];"
        order = self.r.choice([(0, 1), (1, 0)])
        # Between two ranks one tag overtakes nothing: first posted, first taken.
        again = f"{f}(&h[1], w + 1, 1);" if two else ""
        return (f"{make} {f}(&h[0], w, 1); {again} {self.back(self.expr('w[4]', 's'))} "
                + " ".join(self.back(f"{g}(&h[{k}])") for k in (order if two else [0])) + (" free(h);" if heap else ""))

    # All ranks.
    def operator(self):
        return self.r.choice(["SUM", "SUM", "SUM", "PROD", "MIN", "MAX"])

    def way_collective(self):
        r = self.r
        make, comm, mine, size, free = self.comm()
        root = r.choice(["0", f"{size} - 1", f"{self.i()} % {size}"])
        m = r.choice([1, 2, 3])
        op = f"OP({self.operator()})"
        what = r.choice(["Bcast", "Reduce", "Allreduce", "Gather", "Scatter", "Allgather", "Alltoall", "Reduce_scatter_block", "Reduce_scatter", "Scan", "Exscan",
                         "Gatherv", "Scatterv", "Allgatherv", "Alltoallv"])
        later = r.random() < 0.35
        inplace = r.random() < 0.25
        big = f"{m} * {size}"
        counts = (f"int counts[4], at[4], total = 0; for (int k = 0; k < {size}; ++k) {{ counts[k] = {r.choice(['1 + k % 2', str(m), '(k + 1) % 3'])}; at[k] = total; total += counts[k]{r.choice(['', ' + 1'])}; }} ")
        # (arguments, array that arrives, its count, count that is sent, where it arrives)
        spec = {
            "Bcast": ("", f"in, {m}, REAL, {root}", m, m, None),
            "Reduce": ("", f"out, in, {m}, REAL, {op}, {root}", m, m, f"{mine} == {root}"),
            "Allreduce": ("", f"out, in, {m}, REAL, {op}", m, m, None),
            "Scan": ("", f"out, in, {m}, REAL, {op}", m, m, None),
            "Exscan": ("", f"out, in, {m}, REAL, {op}", m, m, f"{mine} > 0"),
            "Gather": ("", f"out, {m}, REAL, in, {m}, REAL, {root}", big, m, f"{mine} == {root}"),
            "Scatter": ("", f"out, {m}, REAL, in, {m}, REAL, {root}", m, big, None),
            "Allgather": ("", f"out, {m}, REAL, in, {m}, REAL", big, m, None),
            "Alltoall": ("", f"out, {m}, REAL, in, {m}, REAL", big, big, None),
            "Reduce_scatter_block": ("", f"out, in, {m}, REAL, {op}", m, big, None),
            "Reduce_scatter": (counts.replace(" + 1;", ";"), f"out, in, counts, REAL, {op}", f"counts[{mine}]", "total", None),
            "Gatherv": (counts, f"out, counts[{mine}], REAL, in, counts, at, REAL, {root}", "total", f"counts[{mine}]", f"{mine} == {root}"),
            "Scatterv": (counts, f"out, counts, at, REAL, in, counts[{mine}], REAL, {root}", f"counts[{mine}]", "total", None),
            "Allgatherv": (counts, f"out, counts[{mine}], REAL, in, counts, at, REAL", "total", f"counts[{mine}]", None),
            "Alltoallv": (f"int counts[4], at[4], total = 0; for (int k = 0; k < {size}; ++k) {{ counts[k] = ({mine} + k) % 3; at[k] = total; total += counts[k] + {r.choice([0, 1])}; }} ",
                          "out, counts, at, REAL, in, counts, at, REAL", "total", "total", None),
        }
        before, arguments, arrives, sent, there = spec[what]
        self.used.append(what)
        if inplace and what in ("Allreduce", "Scan", "Exscan", "Allgather", "Alltoall", "Reduce_scatter_block", "Allgatherv", "Alltoallv", "Reduce_scatter"):
            arguments = arguments.replace("out", "MPI_IN_PLACE", 1)
            if what in ("Alltoall", "Alltoallv"):
                arguments = arguments.replace("MPI_IN_PLACE, counts, at, REAL", "MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL").replace(
                    f"MPI_IN_PLACE, {m}, REAL", "MPI_IN_PLACE, 0, MPI_DATATYPE_NULL")
            elif what.startswith("Allgather"):
                arguments = re.sub(r"MPI_IN_PLACE, [^,]*, REAL", "MPI_IN_PLACE, 0, MPI_DATATYPE_NULL", arguments)
            self.used.append("in place")
        before += f"real out[24], in[24]; {self.fill('out', 24)} {self.fill('in', 24)} "
        call = f"MPI_{what}({arguments}, {comm});"
        if later:
            call = f"MPI_I{what.lower()}({arguments}, {comm}, &q);"
            between = r.choice(["", self.back(self.expr("w[1]", "w[3]", "s"))])
            before += "MPI_Request q; "
            call += r.choice([f" {between} MPI_Wait(&q, MPI_STATUS_IGNORE);", f" {between} for (int done = 0; !done;) MPI_Test(&q, &done, MPI_STATUS_IGNORE);"])
        after = self.sum("in", f"({arrives})")
        if there:
            after = f"if ({there}) {{ {after} }}"
        return f"{make} {before} {call} {after} {free}"

    def way_own(self):
        """A reduction by an operation of the program's, which the order of ranks may make a difference to."""
        r, f = self.r, self.name("own")
        make, comm, mine, size, free = self.comm()
        # Each is associative, so that the library may reduce in any tree.
        width, how = r.choice([(1, "b[0] = a[0] + b[0] + a[0] * b[0];"), (1, "b[0] = sqrt(a[0] * a[0] + b[0] * b[0]);"),
                               (1, "b[0] = a[0];"), (1, "if (a[0] > b[0]) b[0] = a[0];"), (2, "b[1] = b[0] * a[1] + b[1]; b[0] = a[0] * b[0];"),
                               (2, "real t = a[0] * b[0] - a[1] * b[1]; b[1] = a[0] * b[1] + a[1] * b[0]; b[0] = t;"),
                               (2, "b[0] = (a[0] * a[1] + b[0] * b[1]) / (a[1] + b[1]); b[1] = a[1] + b[1];")])
        self.decls.append(f"static void {f}(void *in, void *out, int *n, MPI_Datatype *type) {{ real *a = (real *)in, *b = (real *)out; "
                          f"for (int k = 0; k < *n; ++k, a += {width}, b += {width}) {{ {how} }} }}")
        m = r.choice([1, 2, 3])
        type = "REAL" if width == 1 else "type"
        types = "" if width == 1 else "MPI_Datatype type; MPI_Type_contiguous(2, REAL, &type); MPI_Type_commit(&type);"
        there, given, got = None, f"{m}", f"{m}"
        what = r.choice(["Allreduce", "Allreduce", "Reduce", "Scan", "Exscan", "Reduce_scatter", "Reduce_scatter_block"])
        out, more, counts = "out", "", f"{m}"
        if what == "Reduce":
            more = f", {size} - 1"
            there = f"{mine} == {size} - 1"
        elif what == "Exscan":
            there = f"{mine} > 0"
        elif what == "Reduce_scatter_block":
            given = f"{m} * {size}"
        elif what == "Reduce_scatter":
            types += f" int counts[4], total = 0; for (int k = 0; k < {size}; ++k) total += counts[k] = {r.choice(['1 + k % 2', '(k + 1) % 3', str(m)])};"
            given, got, counts = "total", f"counts[{mine}]", "counts"
        elif r.random() < 0.3:
            out = "MPI_IN_PLACE"
        # A mean has weights that are not zero; what is received may be of no rank.
        fill = f"for (int k = 0; k < {width} * ({given}); ++k) out[k] = 0.4 + 0.3 * tanh({self.expr('w[k % N]', 's')}) * (1.0 + 0.01 * me + 0.003 * k);"
        keep = f"for (int k = 0; k < {width} * ({got}); ++k) in[k] = {'out[k]' if out != 'out' else '0.5'};"
        after = f"real sum = 0.0; for (int k = 0; k < {width} * ({got}); ++k) sum += {self.expr('in[k]', 'in[k]')} * (0.3 / (1 + k)); {self.back('sum')}"
        return (f"{make} {types} MPI_Op op; MPI_Op_create({f}, 0, &op); real out[24], in[24]; {fill} {keep} "
                f"MPI_{what}({out}, in, {counts}, {type}, op{more}, {comm}); MPI_Op_free(&op); {'' if width == 1 else 'MPI_Type_free(&type);'} "
                + (f"if ({there}) {{ {after} }}" if there else after) + f" {free}")

    def way_place(self):
        """The least or greatest number, and the rank that has it."""
        which = self.r.choice(["MINLOC", "MAXLOC"])
        t = self.name("Pair")
        self.decls.append(f"struct {t} {{ real v; int i; }};")
        return (f"struct {t} a, b; memset(&a, 0, sizeof a); memset(&b, 0, sizeof b); a.v = {self.expr('w[0]', 's')} * (1.0 + 0.1 * me) + 0.03 * me; a.i = me; "
                f"MPI_Allreduce(&a, &b, 1, PAIR, OP({which}), MPI_COMM_WORLD); real t = w[1]; MPI_Bcast(&t, 1, REAL, b.i, MPI_COMM_WORLD); " + self.back("b.v * t"))

    # Datatypes.
    def way_datatype(self):
        r, tag = self.r, self.tag()
        kind = r.choice(["contiguous", "vector", "hvector", "indexed", "indexed_block", "hindexed", "subarray", "resized"])
        self.used.append(kind)
        # (how it is made, what it spans, how many numbers it has)
        how, numbers = {
            "contiguous": ("MPI_Type_contiguous(4, REAL, &type);", 4),
            "vector": ("MPI_Type_vector(3, 2, 4, REAL, &type);", 6),
            "hvector": ("MPI_Type_create_hvector(3, 1, 2 * sizeof(real), REAL, &type);", 3),
            "indexed": ("int lengths[3] = {2, 0, 3}, at[3] = {9, 4, 1}; MPI_Type_indexed(3, lengths, at, REAL, &type);", 5),
            "indexed_block": ("int at[3] = {8, 0, 5}; MPI_Type_create_indexed_block(3, 2, at, REAL, &type);", 6),
            "hindexed": ("int lengths[2] = {3, 1}; MPI_Aint at[2] = {5 * sizeof(real), sizeof(real)}; MPI_Type_create_hindexed(2, lengths, at, REAL, &type);", 4),
            "subarray": ("int whole[2] = {3, 4}, part[2] = {2, 2}, from[2] = {1, 1}; MPI_Type_create_subarray(2, whole, part, from, MPI_ORDER_C, REAL, &type);", 4),
            "resized": ("MPI_Datatype one; MPI_Type_vector(3, 1, 4, REAL, &one); MPI_Type_create_resized(one, 0, sizeof(real), &type); MPI_Type_free(&one);", 3),
        }[kind]
        many = 3 if kind == "resized" and r.random() < 0.6 else 1
        out, into = r.choice([(f"{many}, type", f"{many}, type"), (f"{many}, type", f"{many * numbers}, REAL"), (f"{many * numbers}, REAL", f"{many}, type")])
        head = f"MPI_Datatype type; {how} MPI_Type_commit(&type); real out[12], in[12]; {self.fill('out', 12)} {self.fill('in', 12)} "
        if r.random() < 0.25:
            call = f"MPI_Bcast(in, {many}, type, np - 1, MPI_COMM_WORLD); "
        elif r.random() < 0.4:
            call = (f"MPI_Request q[2]; MPI_Irecv(in, {into}, ring(-1), {tag}, MPI_COMM_WORLD, &q[0]); {self.send()}(out, {out}, ring(1), {tag}, MPI_COMM_WORLD, &q[1]); {self.wait(2, 'q')} ")
        else:
            call = f"MPI_Sendrecv(out, {out}, ring(1), {tag}, in, {into}, ring(-1), {tag}, MPI_COMM_WORLD, MPI_STATUS_IGNORE); "
        return head + call + "MPI_Type_free(&type); " + self.sum("in", 12)

    def way_records(self):
        t, tag = self.name("Rec"), self.tag()
        fields, members = self.r.choice([("int id; real at[3]; real v;", [("id", 1, "MPI_INT"), ("at", 3, "REAL"), ("v", 1, "REAL")]),
                                         ("real v; int id, kind; real at[3];", [("v", 1, "REAL"), ("at", 3, "REAL")]),
                                         ("real at[3]; long id; real v;", [("at", 3, "REAL"), ("id", 1, "MPI_LONG"), ("v", 1, "REAL")])])
        c = len(members)
        self.decls.append(f"struct {t} {{ {fields} }};")
        make = (f"MPI_Datatype raw, type, types[{c}] = {{{', '.join(m[2] for m in members)}}}; int lengths[{c}] = {{{', '.join(str(m[1]) for m in members)}}}; "
                f"MPI_Aint at[{c}] = {{{', '.join(f'offsetof(struct {t}, {m[0]})' for m in members)}}}; MPI_Type_create_struct({c}, lengths, at, types, &raw); "
                f"MPI_Type_create_resized(raw, 0, sizeof(struct {t}), &type); MPI_Type_commit(&type); MPI_Type_free(&raw);")
        fill = (f"struct {t} a[2], b[8]; memset(a, 0, sizeof a); memset(b, 0, sizeof b); for (int k = 0; k < 2; ++k) {{ a[k].id = me + k; a[k].v = {self.expr('w[k]', 's')}; "
                f"for (int j = 0; j < 3; ++j) a[k].at[j] = {self.expr('w[j]', 'w[k + 2]')}; }}")
        call, got = self.r.choice([(f"MPI_Sendrecv(a, 2, type, ring(1), {tag}, b, 2, type, ring(-1), {tag}, MPI_COMM_WORLD, MPI_STATUS_IGNORE);", "2"),
                                   ("MPI_Allgather(a, 2, type, b, 2, type, MPI_COMM_WORLD);", "2 * np")])
        return (f"{make} {fill} {call} MPI_Type_free(&type); real sum = 0.0; for (int k = 0; k < {got}; ++k) sum += b[k].v * b[k].at[k % 3] * (1.0 + 0.1 * (double)b[k].id) + b[k].at[2]; "
                + self.back("sum"))

    # Threads beside messages.
    def way_omp_loop(self):
        return (f"real u[16]; \n#pragma omp parallel for num_threads({self.r.choice([1, 2, 3])})\n  for (int k = 0; k < 16; ++k) u[k] = {self.expr('w[k % N]', 's')};\n"
                "  MPI_Allreduce(MPI_IN_PLACE, u, 16, REAL, OP(SUM), MPI_COMM_WORLD); " + self.sum("u", 16))

    def way_omp_region(self):
        tag = self.tag()
        return (f"real u[16], edge = 0.0; \n#pragma omp parallel num_threads(2)\n  {{\n#pragma omp master\n"
                f"  {{ real out = {self.expr('w[0]', 's')}; MPI_Sendrecv(&out, 1, REAL, ring(1), {tag}, &edge, 1, REAL, ring(-1), {tag}, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }}\n"
                f"#pragma omp for\n  for (int k = 0; k < 16; ++k) u[k] = {self.expr('w[k % N]', 'w[0]')};\n  }}\n  u[0] += edge; " + self.sum("u", 16))

    # The text.
    def numbers(self):
        rng = random.Random(f"numbers {self.number}")
        return ([round(rng.uniform(-1, 1), 3) for _ in range(N * RANKS[-1])] for _ in range(2))

    def run(self, oracle):
        """The function that prints p (primal), r (gradient) and f (one direction)."""
        p, (x, t) = self.p, self.numbers()
        head = (f"void {p}run(void) {{ static const double at[] = {{{', '.join(map(str, x))}}}, along[] = {{{', '.join(map(str, t))}}};\n"
                "  const double *mine = at + N * me, *way = along + N * me; ")
        if oracle:
            return head + (f"double sum = 0; for (int k = 0; k < N * np; ++k) {{ real x[N]; for (int i = 0; i < N; ++i) x[i] = real(mine[i], k == N * me + i); "
                           f"real y = {p}f(x, N); double d = total(y.d), v = total(y.v); sum += d * along[k]; say({self.number}, 'r', k, d); if (!k) say({self.number}, 'p', 0, v); }} "
                           f"say({self.number}, 'f', 0, sum); }}\n")
        fresh = "double x[N], d[N], t[N]; for (int i = 0; i < N; ++i) x[i] = mine[i], d[i] = 0, t[i] = way[i];"
        f = f"(void *){p}f"
        return (head + f"{{ {fresh} say({self.number}, 'p', 0, total({p}f(x, N))); }}\n"
                # Twice: what a first call leaves behind must not change the second.
                f"#ifdef R{self.number}\n  for (int again = 0; again < 2; ++again) {{ {fresh} __enzyme_autodiff({f}, enzyme_dup, x, d, enzyme_const, N); gradient({self.number}, d); }}\n#endif\n"
                f"#ifdef F{self.number}\n  {{ {fresh} say({self.number}, 'f', 0, total(__enzyme_fwddiff({f}, enzyme_dup, x, t, enzyme_const, N))); }}\n#endif\n}}\n")

    def whole(self, oracle):
        return f'# 1 "p{self.number}.c"\n' + "\n".join(self.decls) + "\n" + self.text + self.run(oracle)


TOOLS = r"""
static double total(double mine) { double all; MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); return all; }
static void say(int number, char mode, int k, double v) { if (!me) printf("%d %c %d %a\n", number, mode, k, v); }
static void gradient(int number, const double *d) {
  double all[64];
  MPI_Gather(d, N, MPI_DOUBLE, all, N, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int k = 0; k < N * np; ++k) say(number, 'r', k, all[k]);
}
"""


def text_of(programs, oracle, modes):
    flags = "".join(f"#define {m.upper()}{n}\n" for n, ms in modes.items() for m in ms)
    text = COMMON + "#include <mpi.h>\n" + (ORACLE if oracle else PLAIN) + WORLD + TOOLS + flags
    text += "".join(q.whole(oracle) for q in programs)
    text += ('# 1 "main.c"\nint main(int argc, char **argv) {\n  int only = argc > 1 ? atoi(argv[1]) : -1, level;\n'
             "  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level); MPI_Comm_rank(MPI_COMM_WORLD, &me); MPI_Comm_size(MPI_COMM_WORLD, &np);\n"
             + ("  prepare();\n" if oracle else ""))
    for q in programs:
        text += f"  if (only < 0 || only == {q.number}) {{ {q.p}run(); fflush(stdout); MPI_Barrier(MPI_COMM_WORLD); }}\n"
    return text + "  MPI_Finalize();\n}\n"


def all_mpis():
    found = []
    for name, variable, run in (("openmpi", "OMPI_", ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-q"]),
                                ("mpich", "MPICH_", ["mpirun.mpich"])):
        if shutil.which(f"mpicc.{name}") and shutil.which(run[0]):
            found.append({"name": name, "variable": variable, "run": run})
    return found


def line_of(part, number, line):
    """What stands at a line of a program, as its own messages count."""
    lines = next((q for q in part if q.number == number), None)
    lines = lines.whole(False).splitlines()[1:] if lines else []
    return lines[line - 1] if line <= len(lines) else ""


class Campaign:
    def __init__(self, options):
        self.o = options
        self.folder = tempfile.mkdtemp(prefix="rg-messages-")
        self.counts, self.refusals, self.ways, self.calls = (collections.Counter() for _ in range(4))
        self.programs = self.numbers = 0
        self.started = time.time()
        self.heap = filled_heap(self.folder)
        self.mpis = all_mpis()
        if not self.mpis:
            sys.exit("neither Open MPI nor MPICH is here")

    def build(self, programs, config, modes):
        """(exit code, messages, path)"""
        oracle = config.get("oracle", False)
        base = os.path.join(self.folder, "oracle" if oracle else "program")
        cxx = oracle or config["cxx"]
        with open(base + (".cpp" if cxx else ".c"), "w") as file:
            file.write(text_of(programs, oracle, modes))
        mpi = config["mpi"]
        driver = CLANG if oracle else os.path.join(self.o.build, "bin", "rg-clang" + ("++" if cxx else ""))
        command = [f"mpi{'cxx' if cxx else 'cc'}.{mpi['name']}", *(["-std=gnu++20", "-O0"] if oracle else [*config["flags"], "-mllvm", f"-rg-plan={config['plan']}"]),
                   "-w", "-ferror-limit=0", "-ffp-contract=off", base + (".cpp" if cxx else ".c"), "-lm", "-o", base]
        if any(q.openmp for q in programs):
            command.append("-fopenmp")
        env = dict(os.environ, LC_ALL="C", LLVM_DISABLE_CRASH_REPORT="1", **{mpi["variable"] + ("CXX" if cxx else "CC"): driver})
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=600, env=env)
        except subprocess.TimeoutExpired:
            return -1, "no end of compilation", base
        return done.returncode, done.stderr, base

    def results(self, base, config, ranks, part):
        """({(number, mode, index): value}, {number: why it has none})"""
        run = [*config["mpi"]["run"], "-n", str(ranks)]
        got, why = {}, {}

        def once(only, limit):
            # The preloaded heap in front of the program alone, not of what starts it.
            words = [*run, *([] if config.get("oracle") else ["env", f"LD_PRELOAD={self.heap}"]), base, *([str(only)] if only is not None else [])]
            try:
                done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=limit, env=dict(os.environ, MPIEXEC_TIMEOUT=str(limit)))
                code, out, said = done.returncode, done.stdout, done.stderr
            except subprocess.TimeoutExpired as gone:
                code, out, said = -1, (gone.stdout or b"").decode(errors="replace"), "no end"
            seen = collections.defaultdict(list)
            for line in out.splitlines():
                words = line.split()
                if len(words) == 4 and words[1] in ("p", "r", "f") and words[0].isdigit():
                    seen[int(words[0]), words[1], int(words[2])].append(float.fromhex(words[3]))
            # Of the two gradients the one that is not the first's: a difference shows.
            for key, values in seen.items():
                got[key] = values[0] if len(values) == 1 or values[0] == values[-1] else values[-1]
            return code, said

        code, _ = once(None, 60 + 20 * len(part))
        if code:  # which of them it is
            for q in part:
                code, said = once(q.number, 60)
                if code:
                    why[q.number] = (re.findall(r"retrograd:[^\n]*", said) or [said.strip()[-200:]])[0] + f" (status {code})"
        return got, why

    def batch(self, numbers, configs=None):
        made = [Program(self.o.seed, n) for n in numbers]
        for parallel in (False, True):
            part = [q for q in made if q.openmp == parallel]
            if part:
                self.part(part, configs)

    def part(self, part, configs):
        rng = random.Random(f"config {self.o.seed} {part[0].number}")
        oracle = {"oracle": True, "mpi": self.mpis[0]}
        code, text, base = self.build(part, oracle, {})
        if code:
            if len(part) > 1:
                for q in part:
                    self.part([q], configs)
            else:
                self.failed(part[0], oracle, 0, "invalid", text[:400])
            return
        self.programs += len(part)
        for q in part:
            self.ways.update(q.used)
            self.calls.update(q.calls)
        wants = {}
        for config in configs or [choose(rng, self.mpis)]:
            for ranks in config["ranks"]:
                if ranks not in wants:
                    wants[ranks] = self.results(base, oracle, ranks, part)
                    for q in part:
                        if q.number in wants[ranks][1]:
                            self.failed(q, oracle, ranks, "invalid", wants[ranks][1][q.number])
            self.check([q for q in part if not any(q.number in w[1] for w in wants.values())], config, wants)

    def check(self, part, config, wants):
        modes = {q.number: {"r", "f"} for q in part}
        refused = collections.defaultdict(set)
        while part:
            code, text, base = self.build(part, config, modes)
            if code == 0:
                break
            if drop_refused(text, code, modes, refused, lambda number, line: line_of(part, number, line)):
                continue
            if len(part) > 1:
                half = len(part) // 2
                self.check(part[:half], config, wants)
                self.check(part[half:], config, wants)
                return
            self.failed(part[0], config, 0, "crash", crash_line(text, code))
            return
        for ranks in config["ranks"]:
            want, _ = wants[ranks]
            got, why = self.results(base, config, ranks, part) if part else ({}, {})
            for q in part:
                worst = None
                scale = 1 + max([abs(v) for (m, o, _), v in want.items() if m == q.number and o in "rf"], default=0)
                for (number, mode, index), value in want.items():
                    if number != q.number or mode not in modes[number] | {"p"}:
                        continue
                    have = got.get((number, mode, index), float("nan"))
                    if not abs(have - value) <= self.o.tolerance * scale:
                        worst = worst or f"{mode}[{index}] got {have!r} want {value!r}"
                    else:
                        self.numbers += 1
                if q.number in why:
                    self.failed(q, config, ranks, "died", why[q.number])
                elif worst:
                    self.failed(q, config, ranks, "wrong", worst)
                else:
                    self.counts["refused" if refused[q.number] else "ok"] += 1
                    self.refusals.update(refused[q.number])

    def failed(self, q, config, ranks, verdict, detail):
        self.counts[verdict] += 1
        shown = "oracle" if config.get("oracle") else f"{' '.join(config['flags'])} {config['plan']} {config['mpi']['name']}{' C++' if config['cxx'] else ''}"
        print(f"seed {self.o.seed} program {q.number} ({', '.join(q.used)}) {shown}, {ranks} ranks: {verdict}: {detail}\n"
              f"  repeat: python3 fuzz/messages.py --seed {self.o.seed} --only {q.number}", flush=True)
        if self.o.keep:
            os.makedirs(self.o.keep, exist_ok=True)
            with open(os.path.join(self.o.keep, f"messages-{verdict}-{self.o.seed}-{q.number}.c"), "w") as file:
                file.write(f"// {shown}, {ranks} ranks: {verdict}: {detail}\n" + text_of([q], False, {q.number: {"r", "f"}}))

    def report(self):
        words = ", ".join(f"{n} {w}" for w, n in self.counts.most_common())
        print(f"{self.programs} programs: {words}; {self.numbers} numbers agree; {time.time() - self.started:.0f} s")
        if self.refusals:
            print("refusals: " + ", ".join(f"{n} {w}" for w, n in self.refusals.most_common()))
        if self.o.shapes:
            print("ways: " + ", ".join(f"{n} {w}" for w, n in self.ways.most_common()))
            print("routines: " + ", ".join(f"{n} {w}" for w, n in self.calls.most_common()))
        shutil.rmtree(self.folder, ignore_errors=True)
        return 1 if any(self.counts[w] for w in ("wrong", "crash", "died", "invalid")) else 0


LEVELS = (["-O0"], ["-O1"], ["-O2"], ["-O2"], ["-O3"], ["-O3", "-march=native"], ["-Os"], ["-O2", "-g"])


def choose(rng, mpis):
    return {"flags": rng.choice(LEVELS), "plan": rng.choice(["naive", "mincut"]), "mpi": rng.choice(mpis), "cxx": rng.random() < 0.3,
            "ranks": sorted(rng.sample(RANKS, 2))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--only", type=int)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--shapes", action="store_true", help="count the ways of exchange and the routines")
    parser.add_argument("--tolerance", type=float, default=1e-8)
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if options.only is not None and options.show:
        print(text_of([Program(options.seed, options.only)], False, {options.only: {"r", "f"}}))
        return 0
    campaign = Campaign(options)
    if options.only is not None:
        campaign.batch([options.only], [{"flags": flags, "plan": plan, "mpi": mpi, "cxx": cxx, "ranks": RANKS} for flags in (["-O0"], ["-O2"], ["-O3", "-march=native"])
                                        for plan in ("naive", "mincut") for mpi in campaign.mpis for cxx in (False, True)])
        return campaign.report()
    at, done = options.first, 0
    # However short the time: a run without a program would prove nothing.
    while not done or (options.seconds and time.time() - campaign.started < options.seconds) or (options.count and done < options.count):
        campaign.batch(range(at, at + options.batch))
        at += options.batch
        done += options.batch
    return campaign.report()


if __name__ == "__main__":
    sys.exit(main())
