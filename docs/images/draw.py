#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""The diagrams shadows.svg and request.svg.

  docs/images/draw.py          writes them
  docs/images/draw.py --check  exits with 1 if a file differs
"""

import os
import sys
from html import escape

HERE = os.path.dirname(os.path.abspath(__file__))
BLUE, GREEN, YELLOW, GREY, RED = "#ddf4ff", "#dafbe1", "#fff8c5", "#f6f8fa", "#ffebe9"
LINE, FAINT = "#24292f", "#57606a"


class Picture:
    def __init__(self, width, height):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
            '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            f'<path d="M0 0L8 4L0 8z" fill="{LINE}"/></marker></defs>',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>']

    def text(self, x, y, said, size=11, color=FAINT, anchor="start", bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x}" y="{y}" font-size="{size}" fill="{color}" text-anchor="{anchor}"{weight}>'
                          f"{escape(said)}</text>")

    def title(self, x, y, said):
        self.text(x, y, said, 12, LINE, bold=True)

    def box(self, x, y, width, height, fill, *lines):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="{fill}" stroke="{FAINT}"/>')
        first = y + height / 2 - 7 * (len(lines) - 1) + 4
        for number, line in enumerate(lines):
            self.text(x + width / 2, first + 14 * number, line, color=LINE if number == 0 else FAINT, anchor="middle")

    def arrow(self, *points, dashed=False):
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        path = " ".join(f"{'L' if n else 'M'}{x} {y}" for n, (x, y) in enumerate(points))
        self.parts.append(f'<path d="{path}" fill="none" stroke="{LINE}" marker-end="url(#a)"{dash}/>')

    def done(self):
        return "\n".join(self.parts + ["</svg>", ""])


def shadows():
    p = Picture(820, 330)
    p.title(12, 24, "memory of the program")
    p.title(140, 194, "its shadow, of the same layout")
    rows = ((40, BLUE, "x", ("name", "n = 3", "data"), ("v0", "v1", "v2")),
            (210, GREEN, "dx", ("name", "not read", "data"), ("dv0", "dv1", "dv2")))
    for y, fill, name, fields, numbers in rows:
        p.text(24, y + 22, name, 12, LINE)
        p.arrow((40, y + 18), (78, y + 18))
        for k, field in enumerate(fields):
            p.box(80 + 90 * k, y, 90, 36, GREY if k == 1 and name == "dx" else fill, field)
        p.arrow((350, y + 18), (438, y + 18))
        for k, number in enumerate(numbers):
            p.box(440 + 70 * k, y, 70, 36, fill, number)
    p.box(700, 125, 96, 36, GREY, "\"label\"")
    p.arrow((125, 76), (125, 143), (698, 143))
    p.arrow((125, 210), (125, 143), (698, 143))
    for k in range(3):
        p.arrow((475 + 70 * k, 78), (475 + 70 * k, 208), dashed=True)
    p.text(700, 118, "leads to no number:")
    p.text(700, 178, "its own shadow")
    p.text(12, 278, "Where the primal reads data[i], the reverse sweep adds to the same place of the shadow: it computes the same address, from dx in place of x.")
    p.text(12, 296, "A pointer's shadow points to the shadow of what the pointer points to. Integers have none: the counts of the primal are used.")
    p.text(12, 314, "Dashed: the number and its adjoint (reverse mode) or its tangent (forward mode).")
    return p.done()


def request():
    p = Picture(820, 430)
    p.box(20, 30, 150, 52, GREY, "the user's line", "__enzyme_autodiff(f, ...)")
    p.box(220, 30, 150, 52, BLUE, "EntryCall", "ModuleSession::requests")
    p.box(420, 30, 150, 52, BLUE, "primals", "PreparePrimal")
    p.box(620, 30, 170, 52, BLUE, "facts of the call graph", "ProgramFacts")
    for x in (170, 370, 570):
        p.arrow((x, 56), (x + 48, 56))
    p.parts.append(f'<rect x="20" y="130" width="600" height="120" rx="8" fill="none" stroke="{FAINT}" stroke-dasharray="6 4"/>')
    p.title(115, 150, "for each job, until no plan asks for another: DerivativeJobs::plan")
    jobs = (("loops", "LoopShape"), ("activity", "ActivityAnalysis"), ("overwrites", "OverwriteAnalysis"), ("plan", "DerivativePlan"))
    for k, (what, who) in enumerate(jobs):
        p.box(35 + 148 * k, 168, 124, 48, YELLOW, what, who)
        if k:
            p.arrow((11 + 148 * k, 192), (33 + 148 * k, 192))
    p.arrow((705, 82), (705, 106), (97, 106), (97, 166))
    p.arrow((541, 216), (541, 236), (97, 236), (97, 218))
    p.text(319, 231, "a call that is differentiated is a job", anchor="middle")
    p.box(660, 160, 130, 64, RED, "refused", "message with its trail", "no IR was written")
    p.arrow((603, 192), (658, 192))
    p.box(35, 300, 150, 52, GREEN, "emitted", "ForwardEmitter or", "Primal-, ReverseEmitter")
    p.box(235, 300, 150, 52, GREEN, "polished", "cleanUp, Polish.def")
    p.box(435, 300, 150, 52, GREEN, "the user's call lowered", "lowerEntryCall")
    p.box(635, 300, 150, 52, GREY, "LLVM goes on", "as with any code")
    p.arrow((110, 250), (110, 298))
    p.text(120, 280, "all jobs are planned")
    for x in (185, 385, 585):
        p.arrow((x, 326), (x + 48, 326))
    p.text(20, 388, "A refusal that more evidence of types, or fewer candidates behind a pointer, could avoid starts another attempt with new primals.")
    p.text(20, 406, "Blue and yellow: nothing of the user's module has changed. Analyses and plans write no IR.")
    return p.done()


def main():
    wrong = 0
    for name, text in (("shadows.svg", shadows()), ("request.svg", request())):
        path = os.path.join(HERE, name)
        if "--check" not in sys.argv:
            open(path, "w").write(text)
        elif not os.path.exists(path) or open(path).read() != text:
            print(f"docs/images/{name} is not what draw.py draws; run docs/images/draw.py")
            wrong = 1
    return wrong


sys.exit(main())
