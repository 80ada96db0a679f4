# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""The form in which the fuzzer holds a program: nested lists, so that programs can
be stored as JSON, compared, and cut down by code that knows nothing of their meaning.

A program is a dict:

    lang      "c" or "cpp"
    structs   {name: [[field, type], ...]}    type: "f" "d" "l" "i", ["arr", kind, n],
                                              ["ptr", kind, n]
    globals   [[name, kind, size, values]]    size 0: a scalar
    funcs     [function]; the last one is the entry, the one that is differentiated
    inputs    {parameter: ...}                see generate.py, `inputs`

A function: {"name", "params": [[name, type]], "ret": kind, "v" or ["sv", s], "body": [statement],
"noinline": bool}.  Types of parameters:

    ["s", kind]          number by value          ["i"]           integer
    ["a", kind, n]       n numbers, active        ["ca", kind, n] the same, constant
    ["st", s] ["sa", s, n]  one struct, n structs, by pointer
    ["sv", s]            struct by value          ["fp"]          function pointer
    ["al", p, k]         (entry only) the array of parameter p from element k on

Kinds of numbers: "f" float, "d" double, "l" long double.

Expressions start with a word and, those of numbers, with their kind:

    ["const", kind, v] ["var", kind, name] ["ld", kind, ref, index]
    ["fld", kind, sref, s, field] ["bin", kind, op, a, b] ["neg", kind, a]
    ["fun", kind, name, args] ["cast", kind, a] ["sel", kind, cond, a, b]
    ["i2f", kind, i] ["call", kind, function, args] ["fpc", kind, pointer, args]
    ["vext", "d", vector, lane]
    integers:    ["ic", v] ["iv", name] ["ib", op, a, b, mask] ["f2i", x, mask]
                 ["ifld", sref, s, field] ["ild", array, i]
    conditions:  ["cmp", op, x, y] ["icmp", op, i, j] ["and", c, d] ["or", c, d] ["not", c]
    references to arrays:   ["r", name] ["off", ref, i] ["fa", sref, s, field]
                            ["fp", sref, s, field] ["pt", table, i]
    references to structs:  ["sr", name, is_variable] ["el", sref, i, s]

Statements are documented where emit.py writes them as C and oracle.py executes them.
"""

RANK = {"f": 0, "d": 1, "l": 2}
CTYPE = {"f": "float", "d": "double", "l": "long double", "v": "void"}
FLOAT_NODES = {"const", "var", "ld", "fld", "bin", "neg", "fun", "cast", "sel", "i2f",
               "call", "fpc", "vext"}
INT_NODES = {"ic", "iv", "ib", "f2i", "ifld", "ild"}
COND_NODES = {"cmp", "icmp", "and", "or", "not"}


def join(a, b):
    """The kind of an operation on numbers of two kinds (C's usual conversions)."""
    return a if RANK[a] >= RANK[b] else b


def cells(ftype):
    """Cells of memory that a field takes in the interpreter."""
    return ftype[2] if isinstance(ftype, list) and ftype[0] == "arr" else 1


def struct_size(fields):
    return sum(cells(t) for _, t in fields)


def field_offset(fields, name):
    at = 0
    for field, ftype in fields:
        if field == name:
            return at
        at += cells(ftype)
    raise KeyError(name)


def struct_cells(fields, count):
    """Cells of an array of structs, in memory's order: (what C writes after the array's name to
    name the cell, its type)."""
    for k in range(count):
        for field, ftype in fields:
            if isinstance(ftype, list) and ftype[0] == "arr":
                yield from ((f"[{k}].{field}[{j}]", ftype[1]) for j in range(ftype[2]))
            else:
                yield f"[{k}].{field}", ftype


def has_kind(node, kind):
    """Does any part of the program compute in this kind?"""
    if isinstance(node, dict):
        return any(has_kind(part, kind) for part in node.values())
    if isinstance(node, (list, tuple)):
        return any(part == kind or has_kind(part, kind) for part in node)
    return False


def statements(program):
    """Number of statements, for reports."""
    def count(body):
        total = 0
        for part in body:
            if isinstance(part, list):
                if part and isinstance(part[0], str):
                    total += 1 + sum(count([p]) for p in part if is_body(p))
                    if part[0] == "switch":
                        total += sum(count(case[1]) for case in part[2])
                else:
                    total += count(part)
        return total
    return sum(count(f["body"]) for f in program["funcs"])


def is_body(part):
    """Is this part of a statement a list of statements?"""
    return isinstance(part, list) and all(
        isinstance(s, list) and s and isinstance(s[0], str) and s[0] in STATEMENTS
        for s in part)


STATEMENTS = {"decl", "set", "idecl", "iset", "arr", "heap", "free", "ptr", "pset", "for",
              "while", "do", "if", "switch", "break", "continue", "irr", "out", "callv",
              "copy", "zero", "struct", "sarr", "sptr", "scopy", "try", "throw", "ret",
              "vec", "vop", "vins", "fpset", "swap", "smove", "grid", "table", "iarr", "list",
              "bump", "bits", "lam", "scall", "rets"}
