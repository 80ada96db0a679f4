#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Checks the links of all Markdown pages: the file is there, and so is the heading behind '#'.
Links to other sites are not followed.

  check-links.py [FOLDER]
"""

import os
import re
import sys

LINK = re.compile(r"(?<!!)\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]\(([^()\s]*(?:\([^()]*\)[^()\s]*)*)\)")


def prose(text):
    """The page without its code."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", lambda m: "`" + "x" * (len(m[0]) - 2) + "`", text)


def anchors(text):
    """Names of the headings, as sites make them: lower case, words joined by '-'."""
    found, seen = set(), {}
    for heading in re.findall(r"^#+ +(.*?) *#*$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), flags=re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        name = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        found.add(f"{name}-{count}" if count else name)
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), ".."))
    pages = {}
    for base, folders, files in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith((".", "build"))
                      and not (base == root and f == "shared")]
        for file in files:
            if file.endswith(".md"):
                with open(os.path.join(base, file)) as text:
                    pages[os.path.join(base, file)] = text.read()
    wrong = count = 0
    for path, text in sorted(pages.items()):
        for target in LINK.findall(prose(text)):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            file, _, heading = target.partition("#")
            there = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            problem = None
            if not os.path.exists(there):
                problem = "there is no such file"
            elif heading and heading not in anchors(pages.get(there, "")):
                problem = "the page has no such heading"
            if problem:
                wrong += 1
                print(f"{os.path.relpath(path, root)}: {target}: {problem}")
    print(f"{count} links on {len(pages)} pages, {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
