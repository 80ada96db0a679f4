#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Writes docs/user/Reference.md from the tables in the code: entry calls and markers
(lib/Request/EntryPoints.def), messages (lib/Diagnostics/Diagnostics.def), options
(lib/Support/Options.cpp). The rules have a page of their own, docs/user/Rules.md.

  reference.py           writes the page, as `make docs` does
  reference.py --print   prints it
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = "docs/user/Reference.md"
STRING = r'"((?:[^"\\]|\\.)*)"'

ROLES = {"Const": "the next argument is not differentiated", "Dup": "the next two are a value and its shadow",
         "DupNoNeed": "the same; the primal's result is not looked at",
         "Out": "the next argument's derivative is returned (reverse mode)",
         "DupStrided": "as enzyme_dup; before the value stands the distance of the lanes' shadows in bytes",
         "Seed": "as enzyme_dupnoneed, and the shadow is only read (docs/Seeds.md)",
         "DupNoNeedStrided": "as enzyme_dupnoneed, likewise", "Width": "the number of lanes follows",
         "Pattern": "forward mode over sets of bits", "Scalar": "batch: one value for all lanes",
         "Vector": "batch: a value for each lane", "Buffer": "batch: an array of values",
         "PrimalReturn": "the primal's result is returned, too", "ConstReturn": "the result is not differentiated",
         "ActiveReturn": "the result is a number with a seed", "DupReturn": "the result has a shadow, which is returned",
         "NoReturn": "the result is not looked at", "Interleave": "between all values and all shadows",
         "ByRef": "the size of the next argument, which is given by its address",
         "Tape": "the tape, or memory for it, follows", "Allocated": "the size of the tape's memory follows",
         "KeepTape": "the tape outlives its reverse sweep", "NoEffect": "accepted, without effect",
         "NotYet": "refused by name"}
KINDS = {"UserError": "error in the program", "Unsupported": "not supported", "Internal": "defect of Retrograd",
         "Warning": "warning", "Note": "note"}


def read(path):
    with open(os.path.join(ROOT, path)) as file:
        return file.read()


def joined(text):
    """Adjacent string literals as one text."""
    return "".join(re.findall(STRING, text)).replace('\\"', '"').replace("\\n", " ")


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def records(text, macro):
    """Arguments of each use of a macro in a .def file, as text between its parentheses."""
    return [m.group(1) for m in re.finditer(rf"^{macro}\(((?:{STRING}|[^()\"]|\([^()]*\))*)\)", text, re.M)]


def entries():
    points = read("lib/Request/EntryPoints.def")
    body = points[points.index("#ifndef ENTRY_POINT"):]
    yield "## Entry calls\n\nA function whose name contains one of these is such a call; the longest name counts.\n"
    yield "| name | what it is |\n|---|---|"
    for record in records(body, "ENTRY_POINT"):
        if match := re.match(rf"{STRING}, (\w+), {STRING}", record):
            yield f"| `{match[1]}` | {cell(match[3])} |"
    yield "\n## Markers\n\nThey stand before arguments, or stand alone.\n"
    yield "| name | meaning |\n|---|---|"
    for record in records(body, "MARKER"):
        if match := re.match(rf"{STRING}, (\w+)", record):
            yield f"| `{match[1]}` | {cell(ROLES[match[2]])} |"


def messages():
    yield "\n## Messages\n\n`{0}`, `{1}` stand for names of your program. Examples and remedies: [Diagnostics.md](../Diagnostics.md).\n"
    yield "| id | kind | message |\n|---|---|---|"
    text = read("lib/Diagnostics/Diagnostics.def")
    parts = re.split(r"^DIAGNOSTIC\(", text, flags=re.M)[1:]
    for part in parts:
        match = re.match(rf"\w+,\s*{STRING},\s*(\w+),\s*((?:{STRING}\s*)+)", part)
        yield f"| [{match[1]}](../Diagnostics.md#{match[1].lower()}) | {KINDS[match[2]]} | {cell(joined(match[3]))} |"


def options():
    yield ("\n## Options\n\nFor clang as `-mllvm <option>`, for opt as they are, for lld in the environment variable "
           "`RETROGRAD_FLAGS` ([Loading.md](../Loading.md)). Switches take `=false`.\n")
    yield "| option | default | meaning |\n|---|---|---|"
    for statement in re.findall(r"static cl::(?:opt|list)<(.*?)\);\n", read("lib/Support/Options.cpp"), re.S):
        name = re.search(rf"\(\s*{STRING}", statement)
        meaning = re.search(rf"cl::desc\(\s*((?:{STRING}\s*)+)\)", statement)
        start = re.search(r"cl::init\(([^()]*)\)", statement)
        if not name or not meaning:
            continue
        default = start[1].split("::")[-1].strip('"').lower() if start else ""
        values = re.findall(rf"clEnumValN\([^,]*,\s*{STRING},\s*((?:{STRING}\s*)+)\)", statement)
        what = joined(meaning[1]) + "".join(f"; {f'`{v[0]}`' if v[0] else 'without a value'}: {joined(v[1])}" for v in values)
        yield f"| `-{name[1]}` | {f'`{default}`' if default else ''} | {cell(what)} |"


def page():
    return "\n".join(["# Reference", "",
                      "<!-- Generated by utils/reference.py (`make docs`) from the tables in the code. -->",
                      "", "Functions that are known by name: [Rules.md](Rules.md).", "",
                      *entries(), *messages(), *options()]) + "\n"


def main():
    text = page()
    if "--print" in sys.argv:
        sys.stdout.write(text)
        return 0
    with open(os.path.join(ROOT, PAGE), "w") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
