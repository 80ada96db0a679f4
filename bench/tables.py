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

Runs are drawn, too: docs/images/NAME.svg, ratio by program against each peer (PLOTS).

The figures are kept as the command printed them: nothing is rounded twice.
"""

import argparse
import datetime
import glob
import json
import math
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, "bench", "results")
# Which columns of a run are drawn, and in which colours.
PLOTS = {
    "cpu-enzyme": {"Retrograd": "#1f6feb", "Enzyme A": "#d29922", "Enzyme B": "#e8c468", "hand": "#8b949e"},
    "cpu-codipack": {"Retrograd": "#1f6feb", "CoDiPack": "#d29922", "hand": "#8b949e"},
    "cpu-jax": {"Retrograd": "#1f6feb", "JAX": "#d29922", "JAX, value alone": "#e8c468"},
    "cpu-source": {"Retrograd": "#1f6feb", "Tapenade": "#d29922", "Clad": "#e8c468"},
}
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


def harness_table(text):
    """The same of the table that the harness of bench/Bench.cpp prints; without ADOL-C, of which most programs have none."""
    row = re.compile(r"(\S.*?) {2,}(\S.*?) {2,}(\d+) +([\d.]+ \w+) \| +([\d.]+) +([\d.]+) +\S+ \| +([\d.]+) \| +(\d+) +(\S+)$")
    rows = []
    for line in text.splitlines():
        if found := row.match(line):
            program, size, inputs, primal, by_primal, hand, by_hand, tape, error = found.groups()
            rows.append([program, size, inputs, primal, by_primal, hand, by_hand, f"{int(tape):,}", error])
        elif rows and (mean := re.match(r"geometric mean +\| +([\d.]+) +\| +([\d.]+) \|", line)):
            rows.append(["**geometric mean**", "", "", "", f"**{mean[1]}**", "", f"**{mean[2]}**", "", ""])
            return ["program", "size", "inputs", "primal", "gradient/primal", "hand/primal", "gradient/hand", "tape bytes", "error"], rows
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


def drawn(name):
    """A picture of a recorded run: per program one bar for each tool, on a logarithmic scale from 0.5 (or 0.25) to 128."""
    run, colours = load(name), PLOTS[name]
    columns = {word: run["columns"].index(word) for word in colours}
    rows = [row for row in run["rows"] if "mean" not in row[0]]
    left, width, bar, gap = 190, 560, 7, 10
    step = bar * len(columns) + gap
    height = 70 + step * len(rows)
    ratios = [float(row[k].strip("*")) for row in rows for k in columns.values() if re.fullmatch(r"[*\d.]+", row[k])]
    least = -2 if min(ratios) < 0.5 else -1
    across = lambda ratio: left + width * (max(math.log2(ratio), least) - least) / (7 - least)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 60} {height}" '
           'font-family="sans-serif" font-size="11">',
           f'<rect width="{left + width + 60}" height="{height}" fill="#ffffff"/>']
    for at, (word, colour) in enumerate(colours.items()):
        out.append(f'<rect x="{left + 130 * at}" y="8" width="10" height="10" fill="{colour}"/>'
                   f'<text x="{left + 130 * at + 15}" y="17">{word}</text>')
    for power in range(least, 8):
        x = across(2 ** power)
        out.append(f'<line x1="{x:.1f}" y1="40" x2="{x:.1f}" y2="{height - 12}" '
                   f'stroke="{"#57606a" if power == 0 else "#d0d7de"}"/>'
                   f'<text x="{x:.1f}" y="36" text-anchor="middle" fill="#57606a">{2 ** power:g}</text>')
    for at, row in enumerate(rows):
        y = 48 + step * at
        out.append(f'<text x="{left - 8}" y="{y + bar * len(columns) / 2 + 4:.1f}" text-anchor="end">'
                   f'{row[0]} {row[1]}</text>')
        for k, word in enumerate(columns):
            cell = row[columns[word]].strip("*")
            try:
                ratio = float(cell)
            except ValueError:
                continue  # not measured
            end = across(ratio)
            out.append(f'<rect x="{left:.1f}" y="{y + bar * k}" width="{end - left:.1f}" height="{bar - 1}" '
                       f'fill="{colours[word]}"/>'
                       f'<text x="{end + 3:.1f}" y="{y + bar * k + 6}" font-size="7" fill="#57606a">{cell}</text>')
    return "\n".join(out) + "\n</svg>\n"


def write_plots(check):
    stale = []
    for name in PLOTS:
        path = os.path.join(ROOT, "docs", "images", name + ".svg")
        old = open(path).read() if os.path.exists(path) else None
        if drawn(name) != old:
            stale.append(os.path.relpath(path, ROOT))
            if not check:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as file:
                    file.write(drawn(name))
    return stale


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
    text = sys.stdin.read()
    table = first_table(text) or harness_table(text)
    if not table or not table[1]:
        sys.exit("tables.py: the input has no table; did the benchmark fail?")
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
    write_plots(check=False)


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
    stale = write_pages(options.check) + write_plots(options.check)
    for page in stale:
        print(f"{page}: " + ("differs from the recorded runs; run bench/tables.py" if options.check else "written"))
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
