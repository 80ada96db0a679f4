#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Recorded benchmark runs, and the tables of the documentation that show them.

A run is a file bench/results/NAME.json: what was measured, with which command, on
which machine, when, and the table that the command printed. A page of docs/ shows it
between the lines

    <!-- table: NAME -->
    <!-- end -->

    bench/tables.py                  writes these tables again from the recorded runs
    bench/tables.py --check          only says which page is not up to date (a test)
    make bench | bench/tables.py record cpu --machine "..."   records the first table read

The figures are kept as the command printed them: nothing is rounded twice.
"""

import argparse
import datetime
import glob
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, "bench", "results")
BLOCK = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.S)


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def first_table(text):
    """Columns and rows of the first Markdown table in the text; None without one."""
    lines = text.splitlines()
    for at, line in enumerate(lines[1:], 1):
        if re.fullmatch(r"\|(\s*:?-+:?\s*\|)+", line.strip()) and lines[at - 1].startswith("|"):
            rows = []
            for row in lines[at + 1:]:
                if not row.startswith("|"):
                    break
                rows.append(cells(row))
            return cells(lines[at - 1]), rows
    return None


def load(name):
    with open(os.path.join(RESULTS, name + ".json")) as file:
        return json.load(file)


def shown(name):
    """The Markdown of a recorded run: its table, and one line on where it comes from."""
    run = load(name)
    lines = ["| " + " | ".join(run["columns"]) + " |", "|" + "---|" * len(run["columns"])]
    for row in run["rows"]:
        lines.append(("| " + " | ".join(row) + " |").replace("|  |", "| |").replace("|  |", "| |"))
    source = f"`{run['command']}`; {run['machine']}; {run['date']}"
    if run.get("remark"):
        source += f". {run['remark']}"
    return "\n".join(lines) + f"\n\nRecorded run: {source.rstrip('.')}.\n"


def pages():
    return sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))


def write_pages(check):
    """Brings the tables of all pages up to date; returns the pages that were not."""
    stale = []
    for page in pages():
        with open(page) as file:
            text = file.read()
        new = BLOCK.sub(lambda m: m.group(1) + shown(m.group(2)) + m.group(3), text)
        if new != text:
            stale.append(os.path.relpath(page, ROOT))
            if not check:
                with open(page, "w") as file:
                    file.write(new)
    return stale


def record(options):
    table = first_table(sys.stdin.read())
    if not table or not table[1]:
        sys.exit("tables.py: the input has no Markdown table; did the benchmark fail?")
    path = os.path.join(RESULTS, options.name + ".json")
    old = load(options.name) if os.path.exists(path) else {}
    run = {
        "what": options.what or old.get("what", options.name),
        "command": options.command or old.get("command", ""),
        "machine": options.machine,
        "date": options.date or datetime.date.today().isoformat(),
        "remark": options.remark,
        "columns": table[0],
        "rows": table[1],
    }
    if not run["command"]:
        sys.exit("tables.py: a new run needs --command, the line that anyone can repeat")
    with open(path, "w") as file:
        json.dump(run, file, indent=1, ensure_ascii=False)
        file.write("\n")
    write_pages(check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    commands = parser.add_subparsers(dest="action")
    new = commands.add_parser("record", help="record the table on standard input")
    new.add_argument("name")
    new.add_argument("--machine", required=True)
    for option in ("what", "command", "date", "remark"):
        new.add_argument("--" + option, default="")
    options = parser.parse_args()
    if options.action == "record":
        return record(options)
    stale = write_pages(options.check)
    for page in stale:
        print(f"{page}: " + ("differs from the recorded runs; run bench/tables.py" if options.check else "written"))
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
