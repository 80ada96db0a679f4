#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""The tables of docs/Steps.md, from the .def files that the compiler is built from.

  utils/steps-page.py          writes them into the page
  utils/steps-page.py --check  exits with 1 if the page has others
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def records(path):
    """(macro, arguments as text) of each record: strings joined, the rest as it stands."""
    text = re.sub(r"//[^\n]*", "", open(os.path.join(ROOT, path)).read())
    for match in re.finditer(r"^(\w+_STEP|RG_CHOICE)\((?!ID|NAME)", text, re.M):
        depth, at, arguments, current = 1, match.end(), [], ""
        while depth:
            c = text[at]
            if c == '"':
                end = text.index('"', at + 1)
                current += text[at:end + 1]
                at = end + 1
                continue
            depth += (c in "([{") - (c in ")]}")
            if depth and not (depth == 1 and c == ","):
                current += c
            elif depth or current:
                arguments.append(current)
                current = ""
            at += 1
        strings = ["".join(re.findall(r'"([^"]*)"', a)) if a.strip().startswith('"') else a.strip() for a in arguments]
        yield match.group(1), strings


def steps(path):
    rows = []
    for macro, a in records(path):
        if macro == "RG_CHOICE":
            rows.append(f"| `{a[0]}` | {a[2]} |")
        else:
            rows.append(f"| `{a[1]}` | {'yes' if a[2] == 'Optional' else 'no'} | {a[-1]} |")
    return rows


def page(text):
    tables = {
        "Primal": "| step | can be left out | why here |\n|---|---|---|\n" + "\n".join(steps("lib/Primal/Primal.def")),
        "Polish": "| step | can be left out | why here |\n|---|---|---|\n" + "\n".join(steps("lib/Polish/Polish.def")),
        "Choices": "| name | what is left out |\n|---|---|\n" + "\n".join(steps("lib/Support/Choices.def")),
    }
    for name, table in tables.items():
        text = re.sub(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m: m.group(1) + table + "\n" + m.group(2), text, flags=re.S)
    return text


def main():
    path = os.path.join(ROOT, "docs", "Steps.md")
    old = open(path).read()
    new = page(old)
    if "--check" not in sys.argv:
        open(path, "w").write(new)
    elif old != new:
        sys.exit("docs/Steps.md differs from the .def files; run utils/steps-page.py")


main()
