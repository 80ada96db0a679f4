#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""The tables of docs/Steps.md, from the .def files that the compiler is built from.

A step, its file or function, and its tests share one name, which is how the table finds them.

  utils/steps-page.py          writes them into the page
  utils/steps-page.py --check  exits with 1 if the page has others
"""

import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def records(path):
    """(macro, arguments as text) of each record: strings joined, the rest as it stands."""
    text = open(os.path.join(ROOT, path)).read()
    text = re.sub(r'^#include "(\w+/\w+\.def)"', lambda m: open(os.path.join(ROOT, "lib", m.group(1))).read(), text, flags=re.M)
    text = re.sub(r"//[^\n]*", "", text)
    for match in re.finditer(r"^(\w+_STEP|PARALLEL_FORM|RG_CHOICE)\((?!ID|NAME)", text, re.M):
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


def sources():
    """Path and text of each file of lib/."""
    for path in sorted(glob.glob(os.path.join(ROOT, "lib", "**", "*.cpp"), recursive=True)):
        yield os.path.relpath(path, ROOT), open(path).read()


def file_of(identifier, files):
    """Where a step is: the file of its name, or the one with the function of its name."""
    for path, _ in files:
        if os.path.basename(path) == identifier + ".cpp":
            return path
    function = re.escape(identifier[0].lower() + identifier[1:])
    defined = re.compile(rf"^(?:[\w<>:*& ]+[ :])?(?:{function}|{identifier}Pass::run)\([^;]*?\{{$", re.M)
    found = [path for path, text in files if defined.search(text)]
    if len(found) != 1:
        sys.exit(f"steps-page: no file {identifier}.cpp, and {len(found)} with a function of this name")
    return found[0]


def test_of(name):
    """The tests of a step are the files of its name."""
    found = sorted(glob.glob(os.path.join(ROOT, "test", "*", "**", name + ".*"), recursive=True))
    if not found:
        sys.exit(f"steps-page: no test has the name {name}: looked for test/*/**/{name}.*")
    return [os.path.relpath(path, ROOT) for path in found]


def link(path):
    return f"[{'/'.join(path.split('/')[1:])}](../{path})"


def steps(path):
    rows = []
    files = list(sources())
    for macro, a in records(path):
        if macro == "RG_CHOICE":
            rows.append(f"| `{a[0]}` | {a[2]} |")
        else:
            tests = ", ".join(map(link, test_of(a[1])))
            rows.append(f"| `{a[1]}` | {'yes' if a[2] == 'Optional' else 'no'} | {a[-1]} "
                        f"| {link(file_of(a[0], files))} | {tests} |")
    return rows


HEAD = "| step | can be left out | why here | file in lib/ | tests in test/ |\n|---|---|---|---|---|\n"


def page(text):
    tables = {
        "Primal": HEAD + "\n".join(steps("lib/Primal/Primal.def")),
        "Polish": HEAD + "\n".join(steps("lib/Polish/Polish.def")),
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
