#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs notebooks without a notebook server.

    run.py NOTEBOOK... [--figures FOLDER]

Runs the code cells of each notebook in order, in one namespace. Figures are saved as
FOLDER/NAME-1.png, NAME-2.png, ... or thrown away. Ends with an error where a cell does;
each notebook checks its own results by assertions.
"""

import argparse
import json
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402 (the backend comes first)


def run(path, figures):
    name, saved = os.path.splitext(os.path.basename(path))[0], 0

    def show():
        nonlocal saved
        for number in plt.get_fignums():
            saved += 1
            if figures:
                plt.figure(number).savefig(os.path.join(figures, f"{name}-{saved}.png"), dpi=110)
        plt.close("all")

    plt.show = show
    with open(path) as file:
        cells = json.load(file)["cells"]
    space = {"__name__": "__main__"}
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{path}, cell {number}", "exec"), space)
    print(f"{name}: {len(cells)} cells, {saved} figures, all right")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="+")
    parser.add_argument("--figures", help="where figures are saved")
    options = parser.parse_args()
    if options.figures:
        os.makedirs(options.figures, exist_ok=True)
    for path in options.notebooks:
        run(path, options.figures)


if __name__ == "__main__":
    main()
