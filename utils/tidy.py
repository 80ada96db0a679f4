#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""clang-tidy with the repository's checks (.clang-tidy) over the C++ files of lib/, tools/ and unittests/.

  utils/tidy.py                  all of them: some thirty minutes of one core
  utils/tidy.py --changed[=REF]  those that differ from REF (main) and those of changed headers' names
  utils/tidy.py FILE...          these

Exit code 1 if there is a warning. Needs a build, for what is generated. With --where-possible, a line says what is
missing (a build, REF, the history down to it), and the exit code is 0; so it is with more than MOST changed files, which
take too long for continuous integration.
"""

import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FLAGS = ["-std=c++20", "-fno-rtti", "-fno-exceptions", "-D_GNU_SOURCE", "-D__STDC_CONSTANT_MACROS",
         "-D__STDC_FORMAT_MACROS", "-D__STDC_LIMIT_MACROS", '-DRETROGRAD_VERSION="0"',
         "-isystem", "/usr/lib/llvm-22/include", "-isystem", "/usr/lib/llvm-22/include/polly"]


FOLDERS = ["lib", "tools", "unittests"]
MOST = 25


def all_files():
    for folder in FOLDERS:
        for base, _, names in os.walk(os.path.join(ROOT, folder)):
            yield from (os.path.relpath(os.path.join(base, name), ROOT) for name in names if name.endswith(".cpp"))


class Impossible(Exception):
    """Says what is missing."""


def changed_files(ref):
    """Files that differ from the common ancestor with ref, a header as the file of its name."""
    found = subprocess.run(["git", "diff", "--name-only", "--diff-filter=d", "--merge-base", ref, "--", *FOLDERS],
                           cwd=ROOT, capture_output=True, text=True)
    if found.returncode:
        raise Impossible(found.stderr.strip().splitlines()[0])
    for name in found.stdout.split():
        stem, suffix = os.path.splitext(name)
        if suffix in (".cpp", ".h") and os.path.exists(os.path.join(ROOT, stem + ".cpp")):
            yield stem + ".cpp"


def check(build, path):
    """What clang-tidy says of one file."""
    top, folder = path.split("/")[:2]
    places = ["-Ilib", f"-I{build}/lib", f"-I{build}/lib/{folder}"] if top == "lib" else ["-Ilib", f"-I{top}"]
    command = ["clang-tidy-22", "--quiet", "--warnings-as-errors=*", path, "--", *FLAGS, *places]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stdout if done.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--changed", nargs="?", const="main", metavar="REF")
    parser.add_argument("--where-possible", action="store_true")
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args()
    if not shutil.which("clang-tidy-22"):
        print("tidy: skipped, clang-tidy-22 is not installed")
        return 0
    try:
        files = options.files or (changed_files(options.changed) if options.changed else all_files())
        files = sorted(set(files))
        if files and not os.path.exists(os.path.join(options.build, "lib", "Catalogue", "CatalogueTables.inc")):
            raise Impossible(f"{options.build} is no finished build")
        if options.where_possible and len(files) > MOST:
            raise Impossible(f"{len(files)} files have changed, more than {MOST}")
    except Impossible as missing:
        print(f"tidy: skipped, {missing}")
        return 0 if options.where_possible else 1
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for said in pool.map(lambda path: check(os.path.abspath(options.build), path), files):
            if said:
                bad += 1
                print(said.rstrip(), flush=True)
    print(f"tidy: {len(files)} files, {bad} with warnings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
