# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""What every reader of the program form that turns it into text has in common.

emit.py writes C and oracle.py writes Python. Which parts a node of the form has, and which kind each part
is of, stands here once; what a part means stands in the two of them, and only there: an
oracle that shared meanings with the text under test could not judge it."""


class Writer:
    AND, OR, NOT = "and", "or", "not "  # the language's own words

    def __init__(self, program):
        self.program = program
        self.structs = program["structs"]
        self.funcs = {f["name"]: f for f in program["funcs"]}
        self.lines = []
        self.depth = 0

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def statement(self, s):
        getattr(self, "s_" + s[0])(*s[1:])

    def statements(self, body):
        for s in body:
            self.statement(s)

    def indented(self, body):
        self.depth += 1
        self.statements(body)
        self.depth -= 1

    def f(self, e):
        return getattr(self, "f_" + e[0])(*e[1:])

    def i(self, e):
        return getattr(self, "i_" + e[0])(*e[1:])

    def c(self, e):
        return getattr(self, "c_" + e[0])(*e[1:])

    def ref(self, e):
        return getattr(self, "ref_" + e[0])(*e[1:])

    def sref(self, e):
        return getattr(self, "sref_" + e[0])(*e[1:])

    # The names of the program's things, where the language has others.
    def n(self, name):
        return name

    def function_name(self, name):
        return name

    # A number converted to a kind, and a struct as a value.
    def to(self, kind, e):
        return self.f(e)

    # Numbers.
    def f_var(self, kind, name):
        return self.n(name)

    def f_call(self, kind, function, args):
        return self.call(function, args)

    def f_fpc(self, kind, pointer, args):
        return f"{pointer}({', '.join(self.to('d', a) for a in args)})"

    def f_vext(self, kind, vector, lane):
        return f"{vector}[{lane}]"

    # Integers.
    def i_ic(self, value):
        return str(value)

    def i_iv(self, name):
        return name

    def i_ib(self, op, a, b, mask):
        return f"(({self.i(a)} {op} {self.i(b)}) & {mask})"

    def i_ild(self, array, index):
        return f"{array}[{self.i(index)}]"

    # Conditions.
    def c_icmp(self, op, a, b):
        return f"({self.i(a)} {op} {self.i(b)})"

    def c_not(self, c):
        return f"({self.NOT}{self.c(c)})"

    def c_and(self, a, b):
        return f"({self.c(a)} {self.AND} {self.c(b)})"

    def c_or(self, a, b):
        return f"({self.c(a)} {self.OR} {self.c(b)})"

    # References.
    def ref_r(self, name):
        return self.n(name)

    def ref_pt(self, table, index):
        return f"{table}[{self.i(index)}]"

    def target(self, t):
        """What a pointer is set to."""
        if t[0] in ("psel", "pick"):
            return getattr(self, "target_" + t[0])(*t[1:])
        return self.ref(t)

    # Calls.
    def argument(self, ptype, arg):
        what = ptype[0]
        if what == "s":
            return self.to(ptype[1], arg)
        if what == "i":
            return self.i(arg)
        if what in ("a", "ca"):
            return self.ref(arg)
        if what in ("st", "sa"):
            return self.sref(arg)
        if what == "sv":
            return self.by_value(ptype[1], arg)
        return self.function_name(arg[1])

    def call(self, function, args):
        texts = [self.argument(ptype, arg)
                 for (_, ptype), arg in zip(self.funcs[function]["params"], args)]
        return f"{self.function_name(function)}({', '.join(texts)})"

    def s_callv(self, function, args):
        self.line(self.call(function, args) + self.END)

    END = ""  # of a statement
