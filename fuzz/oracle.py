# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""What a program and its derivatives are worth, by an interpreter of the program form.

Nothing here knows C, LLVM or Retrograd. The program form is turned into Python and
executed on dual numbers: each number is an index into one flat list of operations
(`V` values, `D` tangents along the direction of the inputs, `PAR` which operations it
was made of, with partial derivatives and the tangents of these). Control flow, memory and
overwriting are Python's own while the list is made; afterwards there is nothing but
the list. Walking it backwards once, with dual adjoints, gives the gradient and
the product of the Hessian and the direction. The tangent of the result must agree with the gradient
along the direction, or the oracle itself is at fault (`OracleError`).

The same walk carries the sum of absolute contributions, which bounds what rounding can
do, and from which the tolerances come.

`Rejected` is raised for programs that are no fair question: a comparison that rounding could decide,
a number that grows without bound, an argument at the edge of a function's domain, too
many steps.
"""

import ctypes
import math
import sys

from program import field_offset, struct_size
from writer import Writer

MAX_STEPS = 20000


class Rejected(Exception):
    pass


class OracleError(Exception):
    pass


class Thrown(Exception):
    pass


V, D, PAR, INT_STEPS = [], [], [], [0]
LIMIT = [MAX_STEPS]


def reset(limit):
    LIMIT[0] = limit
    V.clear()
    D.clear()
    PAR.clear()
    INT_STEPS[0] = 0


def const(v):
    V.append(v)
    D.append(0.0)
    PAR.append(())
    return len(V) - 1


def leaf(v, t):
    V.append(v)
    D.append(t)
    PAR.append(())
    return len(V) - 1


def tick():
    INT_STEPS[0] += 1
    if INT_STEPS[0] > LIMIT[0] or len(V) > LIMIT[0]:
        raise Rejected("steps")


def add(i, j):
    V.append(V[i] + V[j])
    D.append(D[i] + D[j])
    PAR.append(((i, 1.0, 0.0), (j, 1.0, 0.0)))
    return len(V) - 1


def sub(i, j):
    V.append(V[i] - V[j])
    D.append(D[i] - D[j])
    PAR.append(((i, 1.0, 0.0), (j, -1.0, 0.0)))
    return len(V) - 1


def mul(i, j):
    a, b, s, t = V[i], V[j], D[i], D[j]
    V.append(a * b)
    D.append(s * b + t * a)
    PAR.append(((i, b, t), (j, a, s)))
    return len(V) - 1


def div(i, j):
    a, b, s, t = V[i], V[j], D[i], D[j]
    if abs(b) < 0.05:
        raise Rejected("division")
    q = a / b
    dq = (s - q * t) / b
    V.append(q)
    D.append(dq)
    PAR.append(((i, 1 / b, -t / (b * b)), (j, -q / b, -(dq * b - q * t) / (b * b))))
    return len(V) - 1


def neg(i):
    V.append(-V[i])
    D.append(-D[i])
    PAR.append(((i, -1.0, 0.0),))
    return len(V) - 1


def same(i):
    V.append(V[i])
    D.append(D[i])
    PAR.append(((i, 1.0, 0.0),))
    return len(V) - 1


def to_float(v):
    return ctypes.c_float(v).value


def rnd(i):
    """Rounds a number that was just made to float."""
    V[i] = ctypes.c_float(V[i]).value
    return i


def narrow(i):
    return rnd(same(i))


def unary(i, v, d1, d2):
    t = D[i]
    V.append(v)
    D.append(d1 * t)
    PAR.append(((i, d1, d2 * t),))
    return len(V) - 1


def domain(ok):
    if not ok:
        raise Rejected("domain")


def f_sin(i):
    s, c = math.sin(V[i]), math.cos(V[i])
    return unary(i, s, c, -s)


def f_cos(i):
    s, c = math.sin(V[i]), math.cos(V[i])
    return unary(i, c, -s, -c)


def f_tanh(i):
    v = math.tanh(V[i])
    return unary(i, v, 1 - v * v, -2 * v * (1 - v * v))


def f_atan(i):
    x = V[i]
    q = 1 / (1 + x * x)
    return unary(i, math.atan(x), q, -2 * x * q * q)


def f_exp(i):
    domain(V[i] < 4)
    v = math.exp(V[i])
    return unary(i, v, v, v)


def f_log(i):
    x = V[i]
    domain(x > 0.05)
    return unary(i, math.log(x), 1 / x, -1 / (x * x))


def f_sqrt(i):
    x = V[i]
    domain(x > 0.05)
    v = math.sqrt(x)
    return unary(i, v, 0.5 / v, -0.25 / (v * x))


def f_fabs(i):
    x = V[i]
    domain(abs(x) > 1e-3)
    return unary(i, abs(x), 1.0 if x > 0 else -1.0, 0.0)


def far(a, b):
    if abs(a - b) < 1e-3 * (1 + abs(a)):
        raise Rejected("kink")


def f_fmin(i, j):
    far(V[i], V[j])
    return same(i if V[i] < V[j] else j)


def f_fmax(i, j):
    far(V[i], V[j])
    return same(i if V[i] > V[j] else j)


def f_hypot(i, j):
    a, b, s, t = V[i], V[j], D[i], D[j]
    h = math.hypot(a, b)
    domain(h > 0.05)
    p, q = a / h, b / h
    dh = p * s + q * t
    V.append(h)
    D.append(dh)
    PAR.append(((i, p, (s - p * dh) / h), (j, q, (t - q * dh) / h)))
    return len(V) - 1


def f_pow(i, j):
    a, b, s, t = V[i], V[j], D[i], D[j]
    domain(0.1 < a < 20 and abs(b) < 4)
    v, la = a ** b, math.log(a)
    p, q = b * v / a, v * la
    dv = p * s + q * t
    V.append(v)
    D.append(dv)
    PAR.append(((i, p, t * v / a + b * dv / a - b * v * s / (a * a)),
                (j, q, dv * la + v * s / a)))
    return len(V) - 1


def f_copysign(i, j):
    a, b = V[i], V[j]
    domain(abs(a) > 1e-3 and abs(b) > 1e-3)
    sign = 1.0 if (a > 0) == (b > 0) else -1.0
    return unary(i, abs(a) if b > 0 else -abs(a), sign, 0.0)


def f_fma(i, j, k):
    return add(mul(i, j), k)


def cmp(op, i, j):
    tick()
    a, b = V[i], V[j]
    far(a, b)
    return a < b if op in ("<", "<=") else a > b


def whole(i, mask):
    """(int)x & mask."""
    x = V[i]
    domain(abs(x) < 1000)
    if abs(x - round(x)) < 1e-3:
        raise Rejected("kink")
    return int(x) & mask


def upwards(bound):
    """for (int i = 0; i < bound; ++i), where the body may change the bound."""
    i = 0
    while i < bound():
        yield i
        i += 1


def off(ref, n):
    return (ref[0], ref[1] + n)


def load(ref, n):
    n += ref[1]
    if n < 0:
        raise Rejected("bounds")
    return ref[0][n]


def store(ref, n, value):
    n += ref[1]
    if n < 0 or n >= len(ref[0]):
        raise Rejected("bounds")
    ref[0][n] = value


def copy(dst, src, n):
    part = src[0][src[1]:src[1] + n]
    if len(part) != n or dst[1] + n > len(dst[0]) or None in part:
        raise Rejected("bounds")
    dst[0][dst[1]:dst[1] + n] = part


def disjoint(a, b, n):
    if a[0] is b[0] and abs(a[1] - b[1]) < n:
        raise Rejected("overlap")


class Translator(Writer):
    """Program form -> Python."""

    def __init__(self, program):
        super().__init__(program)
        self.fresh = 0

    def name(self):
        self.fresh += 1
        return f"_{self.fresh}"

    # Expressions.
    def rounded(self, kind, text):
        return f"rnd({text})" if kind == "f" else text

    def to(self, kind, e):
        """The expression converted to a kind."""
        return f"narrow({self.f(e)})" if kind == "f" and e[1] != "f" else self.f(e)

    def f_const(self, kind, v):
        return f"const({to_float(v) if kind == 'f' else v!r})"

    def f_ld(self, kind, ref, index):
        return f"load({self.ref(ref)},{self.i(index)})"

    def f_fld(self, kind, sref, sname, field):
        return f"load({self.sref(sref)},{field_offset(self.structs[sname], field)})"

    def f_bin(self, kind, op, a, b):
        word = {"+": "add", "-": "sub", "*": "mul", "/": "div"}[op]
        return self.rounded(kind, f"{word}({self.f(a)},{self.f(b)})")

    def f_neg(self, kind, a):
        return f"neg({self.f(a)})"

    def f_fun(self, kind, name, args):
        return self.rounded(kind, f"f_{name}({','.join(self.to(kind, a) for a in args)})")

    def f_cast(self, kind, a):
        return self.to(kind, a)

    def f_sel(self, kind, cond, a, b):
        return f"({self.to(kind, a)} if {self.c(cond)} else {self.to(kind, b)})"

    def f_i2f(self, kind, i):
        return f"const(float({self.i(i)}))"

    def i_f2i(self, x, mask):
        return f"whole({self.f(x)},{mask})"

    def i_ifld(self, sref, sname, field):
        return self.f_fld("i", sref, sname, field)

    def c_cmp(self, op, a, b):
        return f"cmp({op!r},{self.f(a)},{self.f(b)})"

    def ref_off(self, ref, i):
        return f"off({self.ref(ref)},{self.i(i)})"

    def ref_fa(self, sref, sname, field):
        return f"off({self.sref(sref)},{field_offset(self.structs[sname], field)})"

    def ref_fp(self, sref, sname, field):
        return self.f_fld("p", sref, sname, field)

    def sref_sr(self, name, is_variable):
        return name

    def sref_el(self, sref, i, sname):
        return f"off({self.sref(sref)},{struct_size(self.structs[sname])}*{self.i(i)})"

    def by_value(self, sname, sref):
        return f"slice_of({self.sref(sref)},{struct_size(self.structs[sname])})"

    # Statements.
    def body(self, body):
        self.indented([*body, ["pass"]])

    def s_pass(self):
        self.line("pass")

    def s_decl(self, kind, name, e):
        self.line(f"{name}={self.to(kind, e)}")

    def s_set(self, lv, op, e):
        kind = lv[1]
        if op == "=":
            value = self.to(kind, e)
        else:
            word = {"+": "add", "-": "sub", "*": "mul"}[op[0]]
            value = f"{word}({self.f(lv)},{self.f(e)})"
            if kind == "f":
                value = f"rnd({value})"
        if lv[0] == "var":
            if lv[2] in self.scalars:
                self.line(f"global {lv[2]}")
            self.line(f"{lv[2]}={value}")
        elif lv[0] == "ld":
            self.line(f"store({self.ref(lv[2])},{self.i(lv[3])},{value})")
        else:
            at = field_offset(self.structs[lv[3]], lv[4])
            self.line(f"store({self.sref(lv[2])},{at},{value})")

    def s_idecl(self, ctype, name, e):
        self.line(f"{name}={self.i(e)}")

    def s_iset(self, lv, e):
        if lv[0] == "iv":
            self.line(f"{lv[1]}={self.i(e)}")
        else:
            at = field_offset(self.structs[lv[2]], lv[3])
            self.line(f"store({self.sref(lv[1])},{at},{self.i(e)})")

    def s_arr(self, kind, name, size, var, e):
        self.line(f"{name}=([None]*{size},0)")
        self.line(f"for {var} in range({size}):")
        self.line(f"  {name}[0][{var}]={self.to(kind, e)}")

    def s_heap(self, how, kind, name, size, var, e):
        if how == "calloc":
            self.line(f"{name}=([const(0.0) for _ in range({size})],0)")
        else:
            self.s_arr(kind, name, size, var, e)

    def s_grid(self, kind, name, rows, columns, var, e):
        self.s_arr(kind, name, rows * columns, var, e)

    def s_table(self, kind, name, targets):
        self.line(f"{name}=[{','.join(self.ref(t) for t in targets)}]")

    def s_iarr(self, name, size, var, e):
        self.line(f"{name}=[]")
        self.line(f"for {var} in range({size}): {name}.append({self.i(e)})")

    def s_list(self, kind, name, bound, var, value, update, sum_name):
        """n nodes, each made of its number; updated from the end; summed."""
        self.line(f"{name}=[]")
        self.line(f"for {var} in range({self.i(bound)}): {name}.append({self.to(kind, value)})")
        self.line(f"{name}.reverse()")
        node, at = self.name(), self.name()
        self.line(f"{sum_name}=const(0.0)")
        self.line(f"for {at} in range(len({name})):")
        product = self.rounded(kind, f"mul({name}[{at}],{self.f(update)})")
        self.line(f"  {name}[{at}]={product}")
        self.line(f"for {node} in {name}:")
        total = self.rounded(kind, f"add({sum_name},{node})")
        self.line(f"  {sum_name}={total}")

    def s_bump(self, kind, name, ref, n, e):
        var, base = self.name(), self.name()
        self.line(f"{base}={self.ref(ref)}")
        self.line(f"for {var} in range({n}):")
        self.line(f"  {name}=off({base},{var})")
        self.line(f"  store({name},0,{self.to(kind, e)})")

    def s_bits(self, kind, name, e):
        self.line(f"{name}={self.to(kind, e)}")

    def s_lam(self, name, param, e):
        self.line(f"def {name}({param}): return {self.to('d', e)}")

    def s_scall(self, sname, name, function, args):
        self.line(f"{name}={self.call(function, args)}")

    def s_rets(self, sname, name):
        self.line(f"return slice_of({name},{struct_size(self.structs[sname])})")

    def s_free(self, how, name):
        pass

    def s_ptr(self, kind, name, target):
        self.line(f"{name}={self.target(target)}")

    s_pset = s_ptr

    def target_psel(self, cond, one, other, kind=None):
        return f"({self.target(one)} if {self.c(cond)} else {self.target(other)})"

    target_pick = target_psel

    def s_for(self, var, bound, down, body):
        text = (f"range(({self.i(bound)})-1,-1,-1)" if down else
                f"upwards(lambda: {self.i(bound)})")
        self.line(f"for {var} in {text}:")
        self.line("  tick()")
        self.body(body)

    def s_while(self, fuel, bound, cond, body):
        self.line(f"{fuel}={self.i(bound)}")
        self.line("while True:")
        self.line(f"  if {fuel}<=0: break")
        self.line(f"  {fuel}-=1; tick()")
        self.line(f"  if not {self.c(cond)}: break")
        self.body(body)

    def s_do(self, fuel, bound, cond, body):
        self.line(f"{fuel}={self.i(bound)}")
        self.line("while True:")
        self.line("  tick()")
        self.body(body)
        self.line(f"  {fuel}-=1")
        self.line(f"  if not({fuel}>0 and {self.c(cond)}): break")

    def s_if(self, cond, then, other):
        self.line(f"if {self.c(cond)}:")
        self.body(then)
        if other:
            self.line("else:")
            self.body(other)

    def s_switch(self, e, cases, default):
        on, go, done = self.name(), self.name(), self.name()
        self.line(f"{on}={self.i(e)}; {go}=False; {done}=False")
        for value, body, falls in cases:
            self.line(f"if not {done} and ({go} or {on}=={value}):")
            self.body(body)
            self.line(f"  {go}={bool(falls)}; {done}={not falls}")
        self.line(f"if not {done}:")
        self.body(default)

    def s_break(self, cond):
        self.line(f"if {self.c(cond)}: break")

    def s_continue(self, cond):
        self.line(f"if {self.c(cond)}: continue")

    def s_irr(self, fuel, bound, cond, first, second):
        skip = self.name()
        self.line(f"{fuel}={self.i(bound)}")
        self.line(f"{skip}={self.c(cond)}")
        self.line("while True:")
        self.line("  tick()")
        self.line(f"  if not {skip}:")
        self.depth += 1
        self.body(first)
        self.depth -= 1
        self.line(f"  {skip}=False")
        self.body(second)
        self.line(f"  if {fuel}<=0: break")
        self.line(f"  {fuel}-=1")

    def s_out(self, cond, first, second):
        self.statements(first)
        self.line(f"if not {self.c(cond)}:")
        self.body(second)

    def s_copy(self, how, kind, dst, src, n):
        if how == "memcpy":
            self.line(f"disjoint({self.ref(dst)},{self.ref(src)},{n})")
        self.line(f"copy({self.ref(dst)},{self.ref(src)},{n})")

    def s_zero(self, kind, dst, n):
        var = self.name()
        self.line(f"for {var} in range({n}): store({self.ref(dst)},{var},const(0.0))")

    def fields(self, sname, target, inits):
        at = 0
        for (field, ftype), init in zip(self.structs[sname], inits):
            if isinstance(ftype, list) and ftype[0] == "arr":
                for k in range(ftype[2]):
                    self.line(f"store({target},{at + k},{self.to(ftype[1], init[k])})")
                at += ftype[2]
                continue
            value = (self.i(init) if ftype == "i" else self.ref(init) if isinstance(ftype, list)
                     else self.to(ftype, init))
            self.line(f"store({target},{at},{value})")
            at += 1

    def s_struct(self, sname, name, inits):
        self.line(f"{name}=([None]*{struct_size(self.structs[sname])},0)")
        self.fields(sname, name, inits)

    def s_sarr(self, how, sname, name, size, var, inits):
        width = struct_size(self.structs[sname])
        self.line(f"{name}=([None]*{width * size},0)")
        self.line(f"for {var} in range({size}):")
        self.depth += 1
        at = self.name()
        self.line(f"{at}=off({name},{width}*{var})")
        self.fields(sname, at, inits)
        self.depth -= 1

    def s_sptr(self, sname, name, target):
        self.line(f"{name}={self.sref(target)}")

    def s_scopy(self, how, sname, dst, src):
        self.line(f"copy({self.sref(dst)},{self.sref(src)},{struct_size(self.structs[sname])})")

    def s_smove(self, sname, dst, src, n):
        width = struct_size(self.structs[sname])
        self.line(f"copy({self.sref(dst)},{self.sref(src)},{width * n})")

    def s_try(self, body, name, handler):
        self.line("try:")
        self.body(body)
        self.line(f"except Thrown as _t:")
        self.line(f"  {name}=_t.args[0]")
        self.body(handler)

    def s_throw(self, cond, e):
        self.line(f"if {self.c(cond)}: raise Thrown({self.to('d', e)})")

    def s_ret(self, cond, kind, e):
        value = self.to(kind, e) if e else ""
        self.line(f"if {self.c(cond)}: return {value}" if cond else f"return {value}")

    def s_vec(self, name, parts):
        self.line(f"{name}=[{','.join(self.to('d', p) for p in parts)}]")

    def s_vop(self, name, op, a, b):
        word = {"+": "add", "-": "sub", "*": "mul"}[op]
        self.line(f"{name}=[{word}(_a,_b) for _a,_b in zip({a},{b})]")

    def s_vins(self, name, lane, e):
        self.line(f"{name}[{lane}]={self.to('d', e)}")

    def s_fpset(self, name, cond, one, other):
        self.line(f"{name}={one} if {self.c(cond)} else {other}" if cond else f"{name}={one}")

    def s_swap(self, a, b):
        self.line(f"{a},{b}={b},{a}")

    def prologue(self, function):
        return "tick()"

    def module(self):
        self.scalars = {g[0] for g in self.program["globals"] if not g[2]}
        for function in self.program["funcs"]:
            params = ",".join(p for p, _ in function["params"])
            self.line(f"def {function['name']}({params}):")
            self.depth += 1
            used = self.scalars_set(function["body"])
            if used:
                self.line("global " + ",".join(sorted(used)))
            self.depth -= 1
            saved, self.scalars = self.scalars, set()
            self.line("  " + self.prologue(function))
            self.body(function["body"])
            self.scalars = saved
        return "\n".join(self.lines) + "\n"

    def scalars_set(self, node):
        found = set()
        if isinstance(node, list):
            if len(node) > 2 and node[0] == "set" and node[1][0] == "var" and \
                    node[1][2] in self.scalars:
                found.add(node[1][2])
            for part in node:
                found |= self.scalars_set(part)
        return found


def slice_of(ref, n):
    return (ref[0][ref[1]:ref[1] + n], 0)


class Language:
    """How programs of a language are run: as Python, with what memory, from an entry function with
    arguments, for how many steps."""

    def __init__(self, translator=Translator, memory=list, steps=MAX_STEPS,
                 run=lambda program, entry, args: entry(*args)):
        self.translator, self.memory, self.steps, self.run = translator, memory, steps, run


LANGUAGES = {"c": Language(), "cpp": Language()}


def evaluate(program):
    """Runs the program and its derivatives; a dict of expectations, keyed as the harness
    prints its findings: (mode, name, index) -> (value, tolerance)."""
    language = LANGUAGES[program["lang"]]
    translator = language.translator(program)
    source = translator.module()
    reset(language.steps)
    scope = dict(vars(sys.modules[language.translator.__module__]))
    for name, kind, size, values in program["globals"]:
        nums = [const(v) for v in values]
        scope[name] = (nums, 0) if size else nums[0]
    exec(compile(source, "program", "exec"), scope)
    entry = program["funcs"][-1]
    inputs = program["inputs"]
    args, actives, outs, seeds = [], [], [], []
    made = {}
    for name, ptype in entry["params"]:
        value = inputs.get(name)
        if ptype[0] == "s":
            at = leaf(value[0], value[1])
            args.append(at)
            actives.append((name, 0, at))
        elif ptype[0] in ("i", "ia"):
            args.append(value)
        elif ptype[0] == "ca":
            args.append(([const(v) for v in value[0]], 0))
        elif ptype[0] == "al":
            args.append(off(made[ptype[1]], ptype[2]))
        else:
            memory = language.memory()
            buffers = {}
            for index, cell in enumerate(value):
                if isinstance(cell, int):
                    memory.append(cell)
                elif isinstance(cell, dict):
                    inner = [leaf(v, t) for v, t, _ in cell["to"]]
                    memory.append((inner, 0))
                    buffers[index] = (inner, cell["to"])
                    actives += [(f"{name}.{index}", k, at) for k, at in enumerate(inner)]
                else:
                    at = leaf(cell[0], cell[1])
                    memory.append(at)
                    actives.append((name, index, at))
            made[name] = (memory, 0)
            args.append(made[name])
            outs.append((name, memory, value))
            outs += [(f"{name}.{i}", inner, cells) for i, (inner, cells) in buffers.items()]
    try:
        result = language.run(program, scope[entry["name"]], args)
    except (OverflowError, ZeroDivisionError, ValueError, RecursionError) as e:
        raise Rejected(str(e))
    except Thrown:
        raise Rejected("thrown out")
    worst = max(map(abs, V))
    slope = max(map(abs, D))
    if not worst < 1e4 or not slope < 1e6 or len(V) > LIMIT[0]:
        raise Rejected("size")

    eps = 2e-5 if program["float"] else 1e-9
    want = {}

    # Backwards over the list, with dual adjoints and absolute sums.
    n = len(V)
    B, BT, A1, A2 = [0.0] * n, [0.0] * n, [0.0] * n, [0.0] * n
    along = 0.0
    if entry["ret"] != "v":
        B[result] += 1
        A1[result] += 1
        along += D[result]
        want["p", "ret", 0] = (V[result], eps * (1 + worst))
        want["f", "ret", 0] = (D[result], eps * (1 + worst + slope))
    for name, memory, value in outs:
        for index, (at, cell) in enumerate(zip(memory, value)):
            if not isinstance(cell, (list, tuple)):
                continue
            B[at] += cell[2]
            A1[at] += abs(cell[2])
            along += cell[2] * D[at]
            want["p", name, index] = (V[at], eps * (1 + worst))
            want["f", name, index] = (D[at], eps * (1 + worst + slope))
    for k in range(n - 1, -1, -1):
        b, bt, a1, a2 = B[k], BT[k], A1[k], A2[k]
        if a1 == 0 and a2 == 0:
            continue
        for i, p, pt in PAR[k]:
            B[i] += p * b
            BT[i] += pt * b + p * bt
            A1[i] += abs(p) * a1
            A2[i] += abs(pt) * a1 + abs(p) * a2
    # What an operation rounds comes out so much larger; of programs that iterate a steep function
    # nothing is known in the end.
    if not max(a * abs(v) for a, v in zip(A1, V)) < 1e6:
        raise Rejected("rounding")
    total = 0.0
    for name, index, at in actives:
        if not A1[at] < 1e6 or not A2[at] < 1e8:
            raise Rejected("size")
        want["r", name, index] = (B[at], eps * (1 + A1[at]))
        want["h", name, index] = (BT[at], 10 * eps * (1 + A1[at] + A2[at]))
        total += B[at] * D[at]
    # (A float's rounding is no part of the derivative, so this holds to double accuracy.)
    if abs(total - along) > 1e-6 * (1 + abs(along) + slope):
        raise OracleError(f"tangent {along} against gradient {total}")
    return want
