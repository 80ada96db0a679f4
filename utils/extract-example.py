#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Prints a code block of a Markdown page, so that tests can run what pages show.

  extract-example.py PAGE NAME            the block whose first line is "// NAME"
  extract-example.py PAGE --output NAME   what follows the command that ends in "./NAME"
"""

import re
import sys


def main():
    page, *rest = sys.argv[1:]
    with open(page) as file:
        blocks = re.findall(r"^```[^\n]*\n(.*?)^```", file.read(), flags=re.S | re.M)
    for block in blocks:
        first, _, others = block.partition("\n")
        if rest[0] == "--output":
            if first.startswith("$ ") and first.endswith("./" + rest[1]):
                sys.stdout.write(others)
                return 0
        elif first.strip() == "// " + rest[0]:
            sys.stdout.write(block)
            return 0
    print(f"{page}: no block for {' '.join(rest)}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
