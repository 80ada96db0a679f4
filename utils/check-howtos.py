#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Checks that the pages which teach by examples show what is in the tree.

Of the pages AddA*.md of a folder (docs): the lines of every example that is a record, a row of a table or code, each as it stands in some
file of lib/ or runtime/ (spaces apart; '...' stands for anything), and the functions, files and tests that the text names.

  utils/check-howtos.py [FOLDER]
"""

import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SUFFIXES = (".td", ".h", ".cpp", ".c", ".def", ".inc")


def squeezed(text):
    return re.sub(r"\s+", "", text)


def sources():
    for folder in ("lib", "runtime", "unittests"):
        for base, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in names:
                if name.endswith(SUFFIXES):
                    with open(os.path.join(base, name)) as file:
                        yield file.read()


def examples(text):
    """Blocks of code that are no commands."""
    for block in re.findall(r"^```\n(.*?)^```", text, flags=re.S | re.M):
        yield block
    for block in re.findall(r"(?:^(?: {4}| {7}).*\n|^\n)+", text, flags=re.M):
        yield block


def main():
    bad = 0
    texts = list(sources())
    tree = "\n".join(squeezed(text) for text in texts)
    words = set(re.findall(r"\w+", "\n".join(texts)))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "docs")
    for path in sorted(glob.glob(os.path.join(folder, "AddA*.md"))):
        name = os.path.basename(path)
        with open(path) as file:
            text = file.read()
        for block in examples(text):
            for line in block.splitlines():
                line = line.strip()
                if not line or re.match(r"(//|\$T|T=|for f|build/)", line):
                    continue
                for part in squeezed(line).rstrip(";").split("..."):
                    if part not in tree:
                        print(f"{name}: not in the tree: {line}")
                        bad += 1
                        break
        prose = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
        for quoted in re.findall(r"`([^`\n]+)`", prose):
            if re.fullmatch(r"(?:lib|test|unittests|utils|runtime|bench|docs)/[\w./-]+", quoted):
                if not glob.glob(os.path.join(ROOT, quoted + "*")):
                    print(f"{name}: no file {quoted}")
                    bad += 1
            elif re.fullmatch(r"[a-z]+[A-Z]\w*|rg_\w+[a-z]", quoted) and quoted not in words:
                print(f"{name}: nothing is called {quoted}")
                bad += 1
    if not bad:
        print("how-tos: as in the tree")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
