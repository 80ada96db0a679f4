# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""The CUDA programs among the tests, and how each is compiled.

A program is a test that is compiled, run and judged by its exit code: a line
`RUN: %rgcxx --offload=cpu FLAGS %s -o %t && %t`, one that compiles and one that runs, or a file
without RUN: lines (test/rgtest.py).
"""

import os
import re
import shlex
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ["test/Execute/CUDA", "test/Offload/Programs", "test/Offload/Styles", "test/Offload"]
# Programs whose derivatives take in the host's part.
HOST_FOLDERS = ["test/Execute/HostDevice", "examples/cuda"]
# Tests of the processor's own: its sanitizers, its messages, its runtime.
LINE = re.compile(r"^\W*RUN:\s*%rgcxx\s(?P<before>.*?)%s(?P<after>.*?)\s-o\s+%t(?P<rest>[^|>&\n]*?)"
                  r"(?:\s*&&\s*%t|\n\W*RUN:\s*(?:env\s+(?:\w+=\S+\s+)+)?%t)\s*$", re.M)


class Program:
    def __init__(self, path, flags):
        self.path, self.flags = path, flags
        self.name = os.path.relpath(path, ROOT).removeprefix("test/")[:-len(".cu")]


def program_of(path, flags_of_file):
    with open(path) as file:
        text = file.read()
    if "RUN:" not in text:
        flags = [w for line in re.findall(r"RG-FLAGS:(.*)", text) for w in shlex.split(line)]
        return Program(path, ["-O2", "-I" + os.path.join(ROOT, "test", "include"), *flags])
    for found in LINE.finditer(text):
        words = found["before"] + found["after"] + found["rest"]
        if "--offload=cpu" in words and "-fsanitize" not in words and "-rg-check" not in words:
            for name, value in flags_of_file.items():
                words = words.replace(name, value)
            return Program(path, [w for w in shlex.split(words) if w != "--offload=cpu"])
    return None


def programs(names=(), folders=FOLDERS):
    """All, or those whose name ends in one of names; the first way that each is compiled."""
    found = []
    for folder in folders:
        folder = os.path.join(ROOT, folder)
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".cu"):
                continue
            program = program_of(os.path.join(folder, name), {
                "%root": ROOT, "%S": folder, "%include": os.path.join(ROOT, "include")})
            if program and (not names or any(program.name.endswith(n.removesuffix(".cu")) for n in names)):
                found.append(program)
    return found


def run(command, env=None, timeout=600):
    """(exit code, what it said)."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", env={**os.environ, **(env or {})}, timeout=timeout)
    except subprocess.TimeoutExpired:
        return 124, f"no end after {timeout} seconds\n"
    return done.returncode, done.stdout
