#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Compares the printed texts of a page with what is printed today.

  utils/check-walk.py PAGE STOP FILE

A text of the page is a fenced block behind a line <!-- walk: STOP -->. Its lines must stand
in FILE in their order, others may stand between them. Each is compared up to its own end,
without metadata (!dbg and its like) and with one space for several.
"""

import re
import sys


def plain(line):
    line = re.sub(r", ![\w.]+ ![\w()]+", "", line)
    return re.sub(r"\s+", " ", line).strip()


def main():
    page, stop, printed = sys.argv[1:]
    block = re.search(rf"<!-- walk: {re.escape(stop)} -->\n```\n(.*?)\n```", open(page).read(), re.S)
    if not block:
        sys.exit(f"{page} has no text of '{stop}'")
    lines = iter([plain(line) for line in open(printed)])
    for wanted in block.group(1).split("\n"):
        if not any(line.startswith(plain(wanted)) for line in lines):
            sys.exit(f"{page}, {stop}: not printed, or not in this order:\n  {wanted}")


main()
