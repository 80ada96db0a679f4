# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Program form -> C or C++, and the harness that calls the derivatives of a batch.

Names of the program form are made unique within a batch by a prefix. Each program's text stands under a #line
of its own, so that a message of the compiler says which program it is about."""

from program import CTYPE, RANK

SUFFIX = {"f": "f", "d": "", "l": "L"}
MODES = "prfh"  # primal, reverse, forward, forward over reverse


class CEmitter:
    def __init__(self, program, tag):
        self.program = program
        self.tag = tag
        self.cpp = program["lang"] == "cpp"
        self.structs = program["structs"]
        self.funcs = {f["name"]: f for f in program["funcs"]}
        self.globals = {g[0] for g in program["globals"]}
        self.lines = []
        self.depth = 0
        self.labels = 0

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def g(self, name):
        """A name with the scope of the file."""
        return f"{self.tag}{name}"

    def n(self, name):
        return self.g(name) if name in self.globals else name

    # Expressions.
    def number(self, kind, v):
        return f"{v!r}{SUFFIX[kind]}" if v >= 0 else f"({v!r}{SUFFIX[kind]})"

    def f(self, e):
        op, kind = e[0], e[1]
        if op == "const":
            return self.number(kind, e[2])
        if op == "var":
            return self.n(e[2])
        if op == "ld":
            return f"{self.ref(e[2])}[{self.i(e[3])}]"
        if op == "fld":
            return f"{self.sref(e[2])}->{e[4]}"
        if op == "bin":
            return f"({self.f(e[3])} {e[2]} {self.f(e[4])})"
        if op == "neg":
            return f"(-{self.f(e[2])})"
        if op == "fun":
            name = "__builtin_" + e[2] + SUFFIX[kind].lower()
            return f"{name}({', '.join(map(self.f, e[3]))})"
        if op == "cast":
            return f"(({CTYPE[kind]}){self.f(e[2])})"
        if op == "sel":
            return (f"({self.c(e[2])} ? ({CTYPE[kind]}){self.f(e[3])}"
                    f" : ({CTYPE[kind]}){self.f(e[4])})")
        if op == "i2f":
            return f"(({CTYPE[kind]})({self.i(e[2])}))"
        if op == "call":
            return self.call(e[2], e[3])
        if op == "fpc":
            return f"{e[2]}({', '.join(map(self.f, e[3]))})"
        if op == "vext":
            return f"{e[2]}[{e[3]}]"
        raise ValueError(op)

    def i(self, e):
        op = e[0]
        if op == "ic":
            return str(e[1])
        if op == "iv":
            return e[1]
        if op == "ib":
            return f"(({self.i(e[2])} {e[1]} {self.i(e[3])}) & {e[4]})"
        if op == "f2i":
            return f"((int)({self.f(e[1])}) & {e[2]})"
        if op == "ifld":
            return f"{self.sref(e[1])}->{e[3]}"
        raise ValueError(op)

    def c(self, e):
        op = e[0]
        if op == "cmp":
            return f"({self.f(e[2])} {e[1]} {self.f(e[3])})"
        if op == "icmp":
            return f"({self.i(e[2])} {e[1]} {self.i(e[3])})"
        if op == "not":
            return f"!{self.c(e[1])}"
        return f"({self.c(e[1])} {'&&' if op == 'and' else '||'} {self.c(e[2])})"

    def ref(self, e):
        op = e[0]
        if op == "r":
            return self.n(e[1])
        if op == "off":
            return f"({self.ref(e[1])} + {self.i(e[2])})"
        return f"{self.sref(e[1])}->{e[3]}"

    def sref(self, e):
        if e[0] == "sr":
            return f"(&{e[1]})" if e[2] else e[1]
        return f"({self.sref(e[1])} + {self.i(e[2])})"

    def call(self, function, args):
        texts = []
        for (_, ptype), arg in zip(self.funcs[function]["params"], args):
            if ptype[0] == "s":
                texts.append(self.f(arg))
            elif ptype[0] == "i":
                texts.append(self.i(arg))
            elif ptype[0] in ("a", "ca"):
                texts.append(self.ref(arg))
            elif ptype[0] in ("st", "sa"):
                texts.append(self.sref(arg))
            elif ptype[0] == "sv":
                texts.append("*" + self.sref(arg))
            else:
                texts.append(self.function_name(arg[1]))
        return f"{self.g(function)}({', '.join(texts)})"

    def function_name(self, name):
        return self.g(name) if name in self.funcs else name

    # Statements.
    def block(self, head, body, tail="}"):
        self.line(head)
        self.depth += 1
        for s in body:
            self.statement(s)
        self.depth -= 1
        self.line(tail)

    def statement(self, s):
        getattr(self, "s_" + s[0])(*s[1:])

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
        make = {"malloc": f"({t} *)malloc({size} * sizeof({t}))", "new": f"new {t}[{size}]",
                "alloca": f"({t} *)__builtin_alloca({size} * sizeof({t}))"}
        self.line(f"{t} *{name} = {make[how]};")
        self.fill(name, size, var, e)

    def s_free(self, how, name):
        if how != "alloca":
            self.line(f"delete[] {name};" if how == "new" else f"free({name});")

    def s_ptr(self, kind, name, target):
        self.line(f"{CTYPE[kind]} *{name} = {self.target(target)};")

    def s_pset(self, kind, name, target):
        self.line(f"{name} = {self.target(target)};")

    def target(self, t):
        if t[0] == "psel":
            return f"({self.c(t[1])} ? {self.target(t[2])} : {self.target(t[3])})"
        return self.ref(t)

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
            self.depth += 1
            for s in other:
                self.statement(s)
            self.depth -= 1
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

    def s_callv(self, function, args):
        self.line(self.call(function, args) + ";")

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
        self.depth += 1
        for s in handler:
            self.statement(s)
        self.depth -= 1
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
    def param(self, name, ptype):
        if ptype[0] == "s":
            return f"{CTYPE[ptype[1]]} {name}"
        if ptype[0] == "i":
            return f"int {name}"
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
                self.line(f"static {CTYPE[kind]} {self.g(name)}[{size}] = {{{texts}}};")
            else:
                self.line(f"static {CTYPE[kind]} {self.g(name)} ="
                          f" {self.number(kind, values[0])};")
        for f in self.program["funcs"]:
            inline = "__attribute__((noinline)) " if f["noinline"] else ""
            params = ", ".join(self.param(*p) for p in f["params"])
            self.block(f"{inline}static {CTYPE[f['ret']]} {self.g(f['name'])}({params}) {{",
                       f["body"])
        return "\n".join(self.lines) + "\n"


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
static void say(int program, char mode, const char *name, int index, double v) {
  printf("%d %c %s %d %a\\n", program, mode, name, index, v);
}
"""

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
        self.emitter = CEmitter(program, tag)
        self.lines = []

    def pick(self, part):
        """Text of all memory for values (0), tangents (1) or seeds (2)."""

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
            elif ptype[0] in ("st", "sa"):
                self.struct_buffer(prefix, name, ptype, value, part)

    def struct_buffer(self, prefix, name, ptype, value, part):
        fields = self.program["structs"][ptype[1]]
        count = ptype[2] if ptype[0] == "sa" else 1
        self.line(f"struct {self.tag}{ptype[1]} {prefix}{name}[{count}];")
        self.line(f"memset({prefix}{name}, 0, sizeof {prefix}{name});")
        at = 0
        for k in range(count):
            for field, ftype in fields:
                place = f"{prefix}{name}[{k}].{field}"
                if ftype == "i":
                    self.line(f"{place} = {value[at]};")
                    at += 1
                elif isinstance(ftype, str):
                    self.line(f"{place} = {value[at][part] if part is not None else 0};")
                    at += 1
                elif ftype[0] == "arr":
                    for j in range(ftype[2]):
                        self.line(f"{place}[{j}] ="
                                  f" {value[at][part] if part is not None else 0};")
                        at += 1
                else:
                    inner = value[at]["to"]
                    texts = ", ".join(repr(c[part]) if part is not None else "0"
                                      for c in inner)
                    self.line(f"{CTYPE[ftype[1]]} {prefix}{name}_{at}[] = {{{texts}}};")
                    self.line(f"{place} = {prefix}{name}_{at};")
                    at += 1

    def report(self, mode, prefix):
        for name, ptype in self.entry["params"]:
            value = self.program["inputs"].get(name)
            if ptype[0] == "a":
                for k in range(len(value)):
                    self.say(mode, name, k, f"{prefix}{name}[{k}]")
            elif ptype[0] in ("st", "sa"):
                fields = self.program["structs"][ptype[1]]
                at = 0
                for k in range(ptype[2] if ptype[0] == "sa" else 1):
                    for field, ftype in fields:
                        place = f"{prefix}{name}[{k}].{field}"
                        if isinstance(ftype, list) and ftype[0] == "arr":
                            for j in range(ftype[2]):
                                self.say(mode, name, at + j, f"{place}[{j}]")
                            at += ftype[2]
                            continue
                        if isinstance(ftype, list):
                            for j in range(len(value[at]["to"])):
                                self.say(mode, f"{name}.{at}", j, f"{place}[{j}]")
                        elif ftype != "i":
                            self.say(mode, name, at, place)
                        at += 1

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
            elif ptype[0] == "ca":
                if len(prefixes) > 1:
                    out.append("enzyme_const")
                out.append(f"{prefixes[0]}{name}")
            elif ptype[0] == "al":
                out += [f"{p}{ptype[1]} + {ptype[2]}" for p in prefixes]
            else:
                out += [f"{p}{name}" for p in prefixes]
        return ", ".join(out)

    def text(self, modes):
        t, entry, cpp = self.tag, self.entry, self.program["lang"] == "cpp"
        ret = CTYPE[entry["ret"]]
        scalars = [(n, p[1]) for n, p in entry["params"] if p[0] == "s"]
        if len(scalars) > 1:
            fields = " ".join(f"{CTYPE[k]} {n};" for n, k in scalars)
            self.lines.append(f"struct {t}Out {{ {fields} }};")
        rtype = ("void" if not scalars else CTYPE[scalars[0][1]] if len(scalars) == 1
                 else f"struct {t}Out")
        declare = 'extern "C" ' if cpp else ""
        if "r" in modes or "h" in modes:
            self.lines.append(f"{declare}{rtype} __enzyme_autodiff_{t}(void *, ...);")
        if "f" in modes:
            self.lines.append(f"{declare}{ret} __enzyme_fwddiff_{t}(void *, ...);")
        f = f"{t}{entry['name']}"
        for mode in modes:
            if mode == "h":
                self.gradient_function(rtype, f)
                self.lines.append(f"{declare}void __enzyme_fwddiff_of_{t}(void *, ...);")
            self.lines.append(f"__attribute__((noinline)) static void {t}{mode}(void) {{")
            getattr(self, "mode_" + mode)(f, ret, rtype, scalars)
            self.lines.append("}")
        return "\n".join(self.lines) + "\n"

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


def batch(programs, modes=MODES):
    """One translation unit: [(number, program)] or [(number, program, modes)]."""
    texts, cases, runs = [PRELUDE], [], []
    for item in programs:
        number, program = item[0], item[1]
        use = item[2] if len(item) > 2 else modes
        tag = f"P{number}_"
        texts.append(f'#line 1 "p{number}.c"\n')
        texts.append(CEmitter(program, tag).text())
        texts.append(f'#line 1001 "p{number}.c"\n')
        texts.append(Harness(program, number, tag).text(use))
        body = "".join(f"      if (mode == '{m}') {tag}{m}();\n" for m in use)
        cases.append(f"    case {number}:\n{body}      break;\n")
        runs += [f"  run({number}, '{m}');\n" for m in use]
    texts.append('#line 1 "main.c"\n')
    texts.append(MAIN % ("".join(cases), "".join(runs)))
    return "".join(texts)
