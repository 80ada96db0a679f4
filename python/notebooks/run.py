#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs notebooks without a notebook server.

    run.py NOTEBOOK... [--save]

Runs the code cells of each notebook in order, in one namespace. Ends with an error where a
cell does; each notebook checks its own results by assertions. With --save, what the cells
print and draw is written into the notebook, so that whoever reads it sees the plots.
"""

import argparse
import base64
import contextlib
import io
import json
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402 (the backend comes first)


def run_cell(source, where, space):
    """Runs one cell; its outputs in the form of notebooks (nbformat 4)."""
    outputs, printed = [], io.StringIO()

    def show():
        for number in plt.get_fignums():
            picture = io.BytesIO()
            plt.figure(number).savefig(picture, dpi=80)
            outputs.append({"data": {"image/png": base64.b64encode(picture.getvalue()).decode()},
                            "metadata": {}, "output_type": "display_data"})
        plt.close("all")

    plt.show = show
    with contextlib.redirect_stdout(printed):
        exec(compile(source, where, "exec"), space)
    if printed.getvalue():
        outputs.insert(0, {"name": "stdout", "output_type": "stream",
                           "text": printed.getvalue().splitlines(keepends=True)})
    return outputs


def run(path, save):
    with open(path) as file:
        notebook = json.load(file)
    space, figures, executed = {"__name__": "__main__"}, 0, 0
    for number, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] != "code":
            continue
        executed += 1
        cell["outputs"] = run_cell("".join(cell["source"]), f"{path}, cell {number}", space)
        cell["execution_count"] = executed
        figures += sum(o["output_type"] == "display_data" for o in cell["outputs"])
    if save:
        with open(path, "w") as file:
            json.dump(notebook, file, indent=1)
            file.write("\n")
    print(f"{os.path.basename(path)}: {executed} cells, {figures} figures, all right")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="+")
    parser.add_argument("--save", action="store_true", help="write the outputs into the notebooks")
    options = parser.parse_args()
    for path in options.notebooks:
        run(path, options.save)


if __name__ == "__main__":
    main()
