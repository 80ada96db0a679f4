# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Program form -> C or C++, and the harness that calls the derivatives of a batch.

Names of the program form are made unique within a batch by a prefix. Each program's text stands under a #line
of its own, so that a message of the compiler says which program it is about."""

import json

from program import CTYPE, struct_cells
from writer import Writer

SUFFIX = {"f": "f", "d": "", "l": "L"}
MODES = "prfh"  # primal, reverse, forward, forward over reverse


class CEmitter(Writer):
    AND, OR, NOT, END = "&&", "||", "!", ";"
    GLOBAL, FUNCTION = "static", ""  # what stands in front of them

    def __init__(self, program, tag):
        super().__init__(program)
        self.tag = tag
        self.globals = {g[0] for g in program["globals"]}
        self.labels = 0

    def g(self, name):
        """A name with the scope of the file."""
        return f"{self.tag}{name}"

    def n(self, name):
        return self.g(name) if name in self.globals else name

    def function_name(self, name):
        return self.g(name) if name in self.funcs else name

    # Expressions.
    def number(self, kind, v):
        return f"{v!r}{SUFFIX[kind]}" if v >= 0 else f"({v!r}{SUFFIX[kind]})"

    def f_const(self, kind, v):
        return self.number(kind, v)

    def f_ld(self, kind, ref, index):
        return f"{self.ref(ref)}[{self.i(index)}]"

    def f_fld(self, kind, sref, sname, field):
        return f"{self.sref(sref)}->{field}"

    def f_bin(self, kind, op, a, b):
        return f"({self.f(a)} {op} {self.f(b)})"

    def f_neg(self, kind, a):
        return f"(-{self.f(a)})"

    def f_fun(self, kind, name, args):
        return f"__builtin_{name}{SUFFIX[kind].lower()}({', '.join(map(self.f, args))})"

    def f_cast(self, kind, a):
        return f"(({CTYPE[kind]}){self.f(a)})"

    def f_sel(self, kind, cond, a, b):
        t = CTYPE[kind]
        return f"({self.c(cond)} ? ({t}){self.f(a)} : ({t}){self.f(b)})"

    def f_i2f(self, kind, i):
        return f"(({CTYPE[kind]})({self.i(i)}))"

    def i_f2i(self, x, mask):
        return f"((int)({self.f(x)}) & {mask})"

    def i_ifld(self, sref, sname, field):
        return f"{self.sref(sref)}->{field}"

    def c_cmp(self, op, a, b):
        return f"({self.f(a)} {op} {self.f(b)})"

    def ref_off(self, ref, i):
        return f"({self.ref(ref)} + {self.i(i)})"

    def ref_fa(self, sref, sname, field):
        return f"{self.sref(sref)}->{field}"

    ref_fp = ref_fa

    def sref_sr(self, name, is_variable):
        return f"(&{name})" if is_variable else name

    def sref_el(self, sref, i, sname):
        return f"({self.sref(sref)} + {self.i(i)})"

    def by_value(self, sname, sref):
        return "*" + self.sref(sref)

    # Statements.
    def block(self, head, body, tail="}"):
        self.line(head)
        self.indented(body)
        self.line(tail)

    def label(self, word):
        self.labels += 1
        return f"{word}{self.labels}"

    def s_decl(self, kind, name, e):
        self.line(f"{CTYPE[kind]} {name} = {self.f(e)};")

    def s_set(self, lv, op, e):
        self.line(f"{self.f(lv)} {op} {self.f(e)};")

    def s_idecl(self, ctype, name, e):
        self.line(f"{ctype} {name} = {self.i(e)};")

    def s_iset(self, lv, e):
        self.line(f"{self.i(lv)} = {self.i(e)};")

    def fill(self, name, size, var, e):
        self.line(f"for (int {var} = 0; {var} < {size}; ++{var})")
        self.line(f"  {name}[{var}] = {self.f(e)};")

    def s_arr(self, kind, name, size, var, e):
        self.line(f"{CTYPE[kind]} {name}[{size}];")
        self.fill(name, size, var, e)

    def s_heap(self, how, kind, name, size, var, e):
        t = CTYPE[kind]
        if how == "calloc":
            self.line(f"{t} *{name} = ({t} *)calloc({size}, sizeof({t}));")
            return
        if how == "vla":
            self.line(f"int n{name} = {size};")
            self.line(f"{t} {name}[n{name}];")
            self.fill(name, f"n{name}", var, e)
            return
        if how == "vector":
            self.line(f"std::vector<{t}> v{name};")
            self.line(f"for (int {var} = 0; {var} < {size}; ++{var})")
            self.line(f"  v{name}.push_back({self.f(e)});")
            self.line(f"{t} *{name} = v{name}.data();")
            return
        if how == "realloc":
            half = max(1, size // 2)
            self.line(f"{t} *{name} = ({t} *)malloc({half} * sizeof({t}));")
            self.fill(name, half, var, e)
            self.line(f"{name} = ({t} *)realloc({name}, {size} * sizeof({t}));")
            self.line(f"for (int {var} = {half}; {var} < {size}; ++{var})")
            self.line(f"  {name}[{var}] = {self.f(e)};")
            return
        make = {"malloc": f"({t} *)malloc({size} * sizeof({t}))", "new": f"new {t}[{size}]",
                "alloca": f"({t} *)__builtin_alloca({size} * sizeof({t}))"}
        self.line(f"{t} *{name} = {make[how]};")
        self.fill(name, size, var, e)

    def s_free(self, how, name):
        if how not in ("alloca", "vla", "vector"):
            self.line(f"delete[] {name};" if how == "new" else f"free({name});")

    def s_grid(self, kind, name, rows, columns, var, e):
        self.line(f"{CTYPE[kind]} m{name}[{rows}][{columns}];")
        self.line(f"{CTYPE[kind]} *{name} = &m{name}[0][0];")
        self.line(f"for (int {var} = 0; {var} < {rows * columns}; ++{var})")
        self.line(f"  m{name}[{var} / {columns}][{var} % {columns}] = {self.f(e)};")

    def s_table(self, kind, name, targets):
        texts = ", ".join(map(self.ref, targets))
        self.line(f"{CTYPE[kind]} *{name}[{len(targets)}] = {{{texts}}};")

    def s_iarr(self, name, size, var, e):
        self.line(f"int {name}[{size}];")
        self.line(f"for (int {var} = 0; {var} < {size}; ++{var}) {name}[{var}] = {self.i(e)};")

    def s_list(self, kind, name, bound, var, value, update, sum_name):
        t, node = CTYPE[kind], f"struct {self.tag}N{name}"
        self.line(f"{node} {{ {t} v; {node} *next; }};")
        self.line(f"{node} *{name} = 0;")
        self.line(f"for (int {var} = 0; {var} < {self.i(bound)}; ++{var}) {{")
        self.line(f"  {node} *made = ({node} *)malloc(sizeof({node}));")
        self.line(f"  made->v = {self.f(value)};")
        self.line(f"  made->next = {name};")
        self.line(f"  {name} = made;")
        self.line("}")
        self.line(f"for ({node} *at = {name}; at; at = at->next) at->v *= {self.f(update)};")
        self.line(f"{t} {sum_name} = 0;")
        self.line(f"while ({name}) {{")
        self.line(f"  {node} *next = {name}->next;")
        self.line(f"  {sum_name} += {name}->v;")
        self.line(f"  free({name});")
        self.line(f"  {name} = next;")
        self.line("}")

    def s_bump(self, kind, name, ref, n, e):
        t, base = CTYPE[kind], self.ref(ref)
        self.line(f"for ({t} *{name} = {base}, *e{name} = {base} + {n};"
                  f" {name} != e{name}; ++{name})")
        self.line(f"  *{name} = {self.f(e)};")

    def s_bits(self, kind, name, e):
        t, u = CTYPE[kind], {"f": "unsigned", "d": "unsigned long"}[kind]
        self.line(f"{t} {name}; {{ {t} x_ = {self.f(e)}; {u} u_; memcpy(&u_, &x_, sizeof u_);"
                  f" memcpy(&{name}, &u_, sizeof u_); }}")

    def s_lam(self, name, param, e):
        self.line(f"auto {name} = [&](double {param}) -> double {{ return {self.f(e)}; }};")

    def s_scall(self, sname, name, function, args):
        self.line(f"struct {self.g(sname)} {name} = {self.call(function, args)};")

    def s_rets(self, sname, name):
        self.line(f"return {name};")

    def s_ptr(self, kind, name, target):
        self.line(f"{CTYPE[kind]} *{name} = {self.target(target)};")

    def s_pset(self, kind, name, target):
        self.line(f"{name} = {self.target(target)};")

    def target_psel(self, cond, one, other):
        return f"({self.c(cond)} ? {self.target(one)} : {self.target(other)})"

    def target_pick(self, cond, one, other, kind):
        return f"rgpick_{kind}({self.c(cond)}, {self.target(one)}, {self.target(other)})"

    def s_for(self, var, bound, down, body):
        head = (f"for (int {var} = ({self.i(bound)}) - 1; {var} >= 0; --{var}) {{" if down else
                f"for (int {var} = 0; {var} < {self.i(bound)}; ++{var}) {{")
        self.block(head, body)

    def s_while(self, fuel, bound, cond, body):
        self.line(f"int {fuel} = {self.i(bound)};")
        self.block(f"while ({fuel}-- > 0 && {self.c(cond)}) {{", body)

    def s_do(self, fuel, bound, cond, body):
        self.line(f"int {fuel} = {self.i(bound)};")
        self.block("do {", body, f"}} while (--{fuel} > 0 && {self.c(cond)});")

    def s_if(self, cond, then, other):
        self.block(f"if ({self.c(cond)}) {{", then, "} else {" if other else "}")
        if other:
            self.indented(other)
            self.line("}")

    def s_switch(self, e, cases, default):
        self.line(f"switch ({self.i(e)}) {{")
        for value, body, falls in cases:
            self.block(f"case {value}: {{", body)
            self.line("  /* falls through */" if falls else "  break;")
        self.block("default: {", default)
        self.line("}")

    def s_break(self, cond):
        self.line(f"if ({self.c(cond)}) break;")

    def s_continue(self, cond):
        self.line(f"if ({self.c(cond)}) continue;")

    def s_irr(self, fuel, bound, cond, first, second):
        top, middle = self.label("top"), self.label("middle")
        self.line(f"int {fuel} = {self.i(bound)};")
        self.line(f"if ({self.c(cond)}) goto {middle};")
        self.block(f"{top}: {{", first)
        self.block(f"{middle}: {{", second)
        self.line(f"if ({fuel} > 0) {{ --{fuel}; goto {top}; }}")

    def s_out(self, cond, first, second):
        out = self.label("out")
        self.block("{", first)
        self.line(f"if ({self.c(cond)}) goto {out};")
        self.block("{", second)
        self.line(f"{out}:;")

    def s_copy(self, how, kind, dst, src, n):
        self.line(f"{how}({self.ref(dst)}, {self.ref(src)}, {n} * sizeof({CTYPE[kind]}));")

    def s_zero(self, kind, dst, n):
        self.line(f"memset({self.ref(dst)}, 0, {n} * sizeof({CTYPE[kind]}));")

    def fields(self, sname, target, inits):
        for (field, ftype), init in zip(self.structs[sname], inits):
            if isinstance(ftype, list) and ftype[0] == "arr":
                for k in range(ftype[2]):
                    self.line(f"{target}.{field}[{k}] = {self.f(init[k])};")
                continue
            text = (self.i(init) if ftype == "i" else
                    self.ref(init) if isinstance(ftype, list) else self.f(init))
            self.line(f"{target}.{field} = {text};")

    def s_struct(self, sname, name, inits):
        self.line(f"struct {self.g(sname)} {name};")
        self.fields(sname, name, inits)

    def s_sarr(self, how, sname, name, size, var, inits):
        s = f"struct {self.g(sname)}"
        self.line(f"{s} *{name} = ({s} *)malloc({size} * sizeof({s}));" if how == "malloc"
                  else f"{s} {name}[{size}];")
        self.line(f"for (int {var} = 0; {var} < {size}; ++{var}) {{")
        self.depth += 1
        self.fields(sname, f"{name}[{var}]", inits)
        self.depth -= 1
        self.line("}")

    def s_sptr(self, sname, name, target):
        self.line(f"struct {self.g(sname)} *{name} = {self.sref(target)};")

    def s_scopy(self, how, sname, dst, src):
        if how == "=":
            self.line(f"*{self.sref(dst)} = *{self.sref(src)};")
        else:
            self.line(f"{how}({self.sref(dst)}, {self.sref(src)},"
                      f" sizeof(struct {self.g(sname)}));")

    def s_smove(self, sname, dst, src, n):
        self.line(f"memmove({self.sref(dst)}, {self.sref(src)},"
                  f" {n} * sizeof(struct {self.g(sname)}));")

    def s_try(self, body, name, handler):
        self.block("try {", body, f"}} catch (double {name}) {{")
        self.indented(handler)
        self.line("}")

    def s_throw(self, cond, e):
        self.line(f"if ({self.c(cond)}) throw (double)({self.f(e)});")

    def s_ret(self, cond, kind, e):
        text = f"return {self.f(e)};" if e else "return;"
        self.line(f"if ({self.c(cond)}) {text}" if cond else text)

    def s_vec(self, name, parts):
        texts = ", ".join(f"(double){self.f(p)}" for p in parts)
        self.line(f"rgv{len(parts)} {name} = {{{texts}}};")

    def s_vop(self, name, op, a, b):
        self.line(f"{name} = {a} {op} {b};")

    def s_vins(self, name, lane, e):
        self.line(f"{name}[{lane}] = {self.f(e)};")

    def s_fpset(self, name, cond, one, other):
        one, other = self.function_name(one), self.function_name(other)
        value = f"{self.c(cond)} ? {one} : {other}" if cond else one
        self.line(f"double (*{name})(double, double) = {value};")

    def s_swap(self, a, b):
        self.line(f"{{ __typeof__({a}) t_ = {a}; {a} = {b}; {b} = t_; }}")

    # Whole programs.
    def prologue(self, function):
        """Statements in front of a function's own."""
        return []

    def param(self, name, ptype):
        if ptype[0] == "s":
            return f"{CTYPE[ptype[1]]} {name}"
        if ptype[0] == "i":
            return f"int {name}"
        if ptype[0] == "ia":
            return f"const int *{name}"
        if ptype[0] == "ca":
            return f"const {CTYPE[ptype[1]]} *{name}"
        if ptype[0] == "a":
            return f"{CTYPE[ptype[1]]} *{name}"
        if ptype[0] == "al":
            return f"{CTYPE[self.kind_of(ptype)]} *{name}"
        if ptype[0] in ("st", "sa"):
            return f"struct {self.g(ptype[1])} *{name}"
        if ptype[0] == "sv":
            return f"struct {self.g(ptype[1])} {name}"
        return f"double (*{name})(double, double)"

    def kind_of(self, alias):
        params = dict(self.program["funcs"][-1]["params"])
        return params[alias[1]][1]

    def text(self):
        for name, fields in self.structs.items():
            self.line(f"struct {self.g(name)} {{")
            for field, ftype in fields:
                if ftype == "i":
                    self.line(f"  int {field};")
                elif isinstance(ftype, str):
                    self.line(f"  {CTYPE[ftype]} {field};")
                elif ftype[0] == "arr":
                    self.line(f"  {CTYPE[ftype[1]]} {field}[{ftype[2]}];")
                else:
                    self.line(f"  {CTYPE[ftype[1]]} *{field};")
            self.line("};")
        for name, kind, size, values in self.program["globals"]:
            if size:
                texts = ", ".join(self.number(kind, v) for v in values)
                self.line(f"{self.GLOBAL} {CTYPE[kind]} {self.g(name)}[{size}] = {{{texts}}};")
            else:
                self.line(f"{self.GLOBAL} {CTYPE[kind]} {self.g(name)} ="
                          f" {self.number(kind, values[0])};")
        for f in self.program["funcs"]:
            inline = self.FUNCTION + ("__attribute__((noinline)) " if f["noinline"] else "")
            params = ", ".join(self.param(*p) for p in f["params"])
            ret = (CTYPE[f["ret"]] if isinstance(f["ret"], str)
                   else f"struct {self.g(f['ret'][1])}")
            self.block(f"{inline}static {ret} {self.g(f['name'])}({params}) {{",
                       [*self.prologue(f), *f["body"]])
        return "\n".join(self.lines) + "\n"


SAY = """__attribute__((noinline))
static void say(int program, char mode, const char *name, int index, double v) {
  printf("%d %c %s %d %a\\n", program, mode, name, index, v);
}
#define SAY_ALL(N, ...) \\
  _Pragma("clang loop unroll(disable) vectorize(disable)") \\
  for (int sayI = 0; sayI < N; ++sayI) SAY_ONE(__VA_ARGS__)
#define SAY_ONE(P, M, NAME, A) say(P, M, NAME, sayI, (double)A[sayI]);
"""

PRELUDE = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
typedef double rgv2 __attribute__((vector_size(16)));
typedef double rgv4 __attribute__((vector_size(32)));
#ifdef __cplusplus
extern "C" {
#endif
extern int enzyme_const, enzyme_dup, enzyme_out;
#ifdef __cplusplus
}
#endif
#define PICK(T, K) \\
  __attribute__((noinline, unused)) static T *rgpick_##K(int c, T *a, T *b) { \\
    return c ? a : b; \\
  }
PICK(float, f)
PICK(double, d)
PICK(long double, l)
""" + SAY

MAIN = """
static int run(int program, char mode) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    switch (program) {
%s    }
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status) printf("%%d %%c ! %%d 0\\n", program, mode, status);
  return status;
}
int main(void) {
%s  return 0;
}
"""


class Harness:
    """The calls of one program's derivatives: a function per mode."""

    def __init__(self, program, number, tag):
        self.program = program
        self.number = number
        self.tag = tag
        self.entry = program["funcs"][-1]
        self.emitter = LANGUAGES[program["lang"]].emitter(program, tag)
        self.lines = []

    def buffers(self, prefix, part):
        """Declares the entry's memory, named prefix + parameter, filled with the values (0),
        tangents (1) or seeds (2) of the inputs, or zeros (None)."""
        e = self.emitter
        for name, ptype in self.entry["params"]:
            value = self.program["inputs"].get(name)
            if ptype[0] == "a":
                texts = ", ".join(repr(c[part]) if part is not None else "0" for c in value)
                self.line(f"{CTYPE[ptype[1]]} {prefix}{name}[] = {{{texts}}};")
            elif ptype[0] == "ca" and part == 0:
                texts = ", ".join(map(repr, value[0]))
                self.line(f"{CTYPE[ptype[1]]} {prefix}{name}[] = {{{texts}}};")
            elif ptype[0] == "ia" and part == 0:
                self.line(f"int {prefix}{name}[] = {{{', '.join(map(str, value))}}};")
            elif ptype[0] in ("st", "sa"):
                self.struct_buffer(prefix, name, ptype, value, part)

    def struct_buffer(self, prefix, name, ptype, value, part):
        fields = self.program["structs"][ptype[1]]
        count = ptype[2] if ptype[0] == "sa" else 1
        self.line(f"struct {self.tag}{ptype[1]} {prefix}{name}[{count}];")
        self.line(f"memset({prefix}{name}, 0, sizeof {prefix}{name});")
        for at, (place, ftype) in enumerate(struct_cells(fields, count)):
            cell, place = value[at], prefix + name + place
            if ftype == "i":
                self.line(f"{place} = {cell};")
            elif isinstance(ftype, str):
                self.line(f"{place} = {cell[part] if part is not None else 0};")
            else:
                texts = ", ".join(repr(c[part]) if part is not None else "0"
                                  for c in cell["to"])
                self.line(f"{CTYPE[ftype[1]]} {prefix}{name}_{at}[] = {{{texts}}};")
                self.line(f"{place} = {prefix}{name}_{at};")

    def report(self, mode, prefix):
        for name, ptype in self.entry["params"]:
            value = self.program["inputs"].get(name)
            if ptype[0] == "a":
                self.line(f"SAY_ALL({len(value)}, {self.number}, '{mode}', \"{name}\", {prefix}{name})")
            elif ptype[0] in ("st", "sa"):
                fields = self.program["structs"][ptype[1]]
                count = ptype[2] if ptype[0] == "sa" else 1
                for at, (place, ftype) in enumerate(struct_cells(fields, count)):
                    place = prefix + name + place
                    if isinstance(ftype, list):
                        # By the buffer's own name: the program may set the pointer to another.
                        for j in range(len(value[at]["to"])):
                            self.say(mode, f"{name}.{at}", j, f"{prefix}{name}_{at}[{j}]")
                    elif ftype != "i":
                        self.say(mode, name, at, place)

    def say(self, mode, name, index, text):
        self.line(f"say({self.number}, '{mode}', \"{name}\", {index}, (double)({text}));")

    def line(self, text):
        self.lines.append("  " + text)

    def scalar(self, kind, v):
        return f"({CTYPE[kind]}){v!r}"

    def args(self, *prefixes, scalars="value"):
        """Arguments of a call: for each memory one per prefix; scalars as the mode wants."""
        out = []
        for name, ptype in self.entry["params"]:
            value = self.program["inputs"].get(name)
            if ptype[0] == "s":
                out.append(self.scalar(ptype[1], value[0]))
                if scalars == "dup":
                    out.append(self.scalar(ptype[1], value[1]))
            elif ptype[0] == "i":
                out.append(str(value))
            elif ptype[0] in ("ca", "ia"):
                if len(prefixes) > 1:
                    out.append("enzyme_const")
                out.append(f"{prefixes[0]}{name}")
            elif ptype[0] == "al":
                out += [f"{p}{ptype[1]} + {ptype[2]}" for p in prefixes]
            else:
                out += [f"{p}{name}" for p in prefixes]
        return ", ".join(out)

    def text(self, modes):
        t, entry = self.tag, self.entry
        ret = CTYPE[entry["ret"]]
        scalars = [(n, p[1]) for n, p in entry["params"] if p[0] == "s"]
        if len(scalars) > 1:
            fields = " ".join(f"{CTYPE[k]} {n};" for n, k in scalars)
            self.lines.append(f"struct {t}Out {{ {fields} }};")
        rtype = ("void" if not scalars else CTYPE[scalars[0][1]] if len(scalars) == 1
                 else f"struct {t}Out")
        self.declare(modes, ret, rtype)
        f = f"{t}{entry['name']}"
        self.starts = []  # (line, mode): what the lines of messages mean
        for mode in modes:
            self.starts.append((1001 + len(self.lines), mode))
            self.in_front(mode, f, rtype)
            self.lines.append(f"__attribute__((noinline)) static void {t}{mode}(void) {{")
            getattr(self, "mode_" + mode)(f, ret, rtype, scalars)
            self.lines.append("}")
        return "\n".join(self.lines) + "\n"

    def entry_call(self, rtype, name):
        """Declares an entry call."""
        declare = 'extern "C" ' if self.program["lang"] == "cpp" else ""
        self.lines.append(f"{declare}{rtype} {name}(void *, ...);")

    def declare(self, modes, ret, rtype):
        if "r" in modes or "h" in modes:
            self.entry_call(rtype, f"__enzyme_autodiff_{self.tag}")
        if "f" in modes:
            self.entry_call(ret, f"__enzyme_fwddiff_{self.tag}")

    def in_front(self, mode, f, rtype):
        """What a mode needs in front of the function that runs it."""
        if mode == "h":
            self.gradient_function(rtype, f)
            self.entry_call("void", f"__enzyme_fwddiff_of_{self.tag}")

    def mode_p(self, f, ret, rtype, scalars):
        self.buffers("b_", 0)
        call = f"{f}({self.args('b_')})"
        if ret == "void":
            self.line(call + ";")
        else:
            self.say("p", "ret", 0, call)
        self.report("p", "b_")

    def mode_r(self, f, ret, rtype, scalars):
        self.buffers("b_", 0)
        self.buffers("d_", 2)
        call = f"__enzyme_autodiff_{self.tag}((void *){f}, {self.args('b_', 'd_')})"
        self.line(call + ";" if rtype == "void" else f"{rtype} got = {call};")
        self.report_scalars("r", "got", scalars)
        self.report("r", "d_")

    def report_scalars(self, mode, place, scalars):
        for name, _ in scalars:
            self.say(mode, name, 0, place if len(scalars) == 1 else f"{place}.{name}")

    def mode_f(self, f, ret, rtype, scalars):
        self.buffers("b_", 0)
        self.buffers("t_", 1)
        call = (f"__enzyme_fwddiff_{self.tag}((void *){f},"
                f" {self.args('b_', 't_', scalars='dup')})")
        if ret == "void":
            self.line(call + ";")
        else:
            self.say("f", "ret", 0, call)
        self.report("f", "t_")

    def gradient_function(self, rtype, f):
        """A function of its own that calls the reverse derivative, to be differentiated."""
        e, params, args = self.emitter, [], []
        for name, ptype in self.entry["params"]:
            params.append(e.param(name, ptype))
            if ptype[0] == "ca":
                args.append("enzyme_const")
            args.append(name)
            if ptype[0] in ("a", "st", "sa", "al"):
                params.append(e.param("d_" + name, ptype))
                args.append("d_" + name)
        if rtype != "void":
            params.append(f"{rtype} *out")
        call = f"__enzyme_autodiff_{self.tag}((void *){f}, {', '.join(args)});"
        self.lines.append(f"static void {self.tag}grad({', '.join(params)}) {{")
        self.line(("" if rtype == "void" else "*out = ") + call)
        self.lines.append("}")

    def mode_h(self, f, ret, rtype, scalars):
        self.buffers("b_", 0)
        self.buffers("t_", 1)
        self.buffers("d_", 2)
        self.buffers("z_", None)
        args = []
        for name, ptype in self.entry["params"]:
            value = self.program["inputs"].get(name)
            if ptype[0] == "s":
                args += [self.scalar(ptype[1], value[0]), self.scalar(ptype[1], value[1])]
            elif ptype[0] == "i":
                args.append(str(value))
            elif ptype[0] == "ca":
                args += ["enzyme_const", "b_" + name]
            elif ptype[0] == "al":
                args += [f"{p}_{ptype[1]} + {ptype[2]}" for p in "btdz"]
            else:
                args += [f"{p}_{name}" for p in "btdz"]
        if rtype != "void":
            self.line(f"{rtype} got, z;")
            self.line("memset(&got, 0, sizeof got); memset(&z, 0, sizeof z);")
            args += ["&got", "&z"]
        self.line(f"__enzyme_fwddiff_of_{self.tag}((void *){self.tag}grad,"
                  f" {', '.join(args)});")
        self.report_scalars("h", "z", scalars)
        self.report("h", "z_")


class Language:
    """How programs of a language are written: what writes them, what calls their derivatives, what
    stands around a batch of them."""

    def __init__(self, emitter, harness, prelude=PRELUDE):
        self.emitter, self.harness, self.prelude = emitter, harness, prelude


LANGUAGES = {"c": Language(CEmitter, Harness), "cpp": Language(CEmitter, Harness)}


def mode_at(program, modes, line):
    """The mode whose code stands at a line of the program's text; None for the program itself."""
    harness = LANGUAGES[program["lang"]].harness(program, 0, "P0_")
    harness.text(modes)
    found = None
    for start, mode in harness.starts:
        if line >= start:
            found = mode
    return found


def batch(programs, modes=MODES):
    """One translation unit: [(number, program)] or [(number, program, modes)]."""
    texts, cases, runs = [LANGUAGES[programs[0][1]["lang"]].prelude], [], []
    if '"vector"' in json.dumps([item[1]["funcs"] for item in programs]):
        texts.insert(0, "#include <vector>\n")
    for item in programs:
        number, program = item[0], item[1]
        use = item[2] if len(item) > 2 else modes
        tag, language = f"P{number}_", LANGUAGES[program["lang"]]
        texts.append(f'#line 1 "p{number}.c"\n')
        texts.append(language.emitter(program, tag).text())
        texts.append(f'#line 1001 "p{number}.c"\n')
        texts.append(language.harness(program, number, tag).text(use))
        body = "".join(f"      if (mode == '{m}') {tag}{m}();\n" for m in use)
        cases.append(f"    case {number}:\n{body}      break;\n")
        runs += [f"  run({number}, '{m}');\n" for m in use]
    texts.append('#line 1 "main.c"\n')
    texts.append(MAIN % ("".join(cases), "".join(runs)))
    return "".join(texts)
