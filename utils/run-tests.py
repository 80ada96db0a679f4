#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Runs every test and ends in one line: N passed, N failed, N skipped.

In order: the layering check, the formatting, the unit tests, lit over test/ and examples/. A test
that is expected to fail (XFAIL, a known gap) counts as skipped, and every skipped
test is named. Exit code 0 means that nothing failed and something passed.

With --quick, of lit: all tests that look at what single stages print and make, and one
in SHARDS of the programs that are run (--shard=N chooses others). With names of folders or
tests: lit over these, and nothing else. What lit itself takes is for lit-22, not for here.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

passed, failed, skipped = [], [], []

# For every day: folders that are run whole, and those that are run in part.
STAGES = ["Analysis", "Bitcode", "Docs", "Emit", "Entry", "Guard", "Parallel", "Pass", "Plan", "Polish", "Primal",
          "Request", "Rules", "Target"]
PROGRAMS = ["Diagnostics", "Execute"]
SHARDS = 16


def layering():
    print("== layering", flush=True)
    script = os.path.join(ROOT, "utils", "check-layering.py")
    code = subprocess.run([sys.executable, script]).returncode
    (failed if code else passed).append("utils/check-layering.py")


def formatting():
    """Is every C++ file of ours as clang-format leaves it? Tests are programs of any style."""
    name, formatter = "formatting (clang-format-22)", shutil.which("clang-format-22")
    if not formatter:
        skipped.append(name + ": clang-format-22 is not installed")
        return
    print("== formatting", flush=True)
    files = []
    for base, folders, names in os.walk(ROOT):
        if base == ROOT:
            folders[:] = [f for f in folders if f != "test" and not f.startswith((".", "build", "shared"))]
        files += [os.path.join(base, file) for file in names if file.endswith((".h", ".hpp", ".cpp"))]
    code = subprocess.run([formatter, "--dry-run", "-Werror", *files]).returncode
    (failed if code else passed).append(name)


def unit_tests(build):
    program = os.path.join(build, "bin", "RetrogradTests")
    if not os.path.exists(program):
        return
    print("== unit tests", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "unit.json")
        code = subprocess.run(
            [program, "--gtest_brief=1", f"--gtest_output=json:{report}"]).returncode
        try:
            with open(report) as file:
                suites = json.load(file)["testsuites"]
        except (OSError, ValueError):
            suites = []  # it crashed before it could write
            code = code or 1
    names = [(f"{case['classname']}.{case['name']}", case)
             for suite in suites for case in suite["testsuite"]]
    for name, case in names:
        if case.get("failures"):
            failed.append(name)
        elif case.get("result") == "SKIPPED" or case.get("status") == "NOTRUN":
            skipped.append(name)
        else:
            passed.append(name)
    if code and not any(case.get("failures") for _, case in names):
        failed.append(f"RetrogradTests (exit code {code})")


def whole(build, jobs):
    lit(build, jobs, [], [folder for folder in ("test", "examples")
                             if any(name != "lit.cfg.py" for name in os.listdir(os.path.join(ROOT, folder)))])


def quick(build, jobs, shard):
    lit(build, jobs, [], [f"test/{folder}" for folder in STAGES])
    lit(build, jobs, [f"--num-shards={SHARDS}", f"--run-shard={shard}"], [f"test/{folder}" for folder in PROGRAMS])


def why(build, reason):
    """Behind the name of a feature that a test lacks: why it is not there, where that is known."""
    try:
        with open(os.path.join(build, "python-tools", "why")) as file:
            return f" ({file.read().strip()})" if "python-nanobind" in reason else ""
    except OSError:
        return ""


def lit(build, jobs, extra, suites):
    print("== lit", " ".join(suites), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "lit.json")
        command = ["lit-22", "-v", "-j", str(jobs), "--param", f"build={build}",
                   "-o", report, *extra, *(os.path.join(ROOT, s) for s in suites)]
        if not sys.stdout.isatty():
            command.insert(1, "--no-progress-bar")
        code = subprocess.run(command).returncode
        try:
            with open(report) as file:
                tests = json.load(file)["tests"]
        except (OSError, ValueError):
            failed.append(f"lit (exit code {code})")
            return
    for test in tests:
        name = test["name"].replace(" :: ", "/", 1)
        if test["code"] in ("PASS", "FLAKYPASS"):
            passed.append(name)
        elif test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            reason = test.get("output", "").strip().splitlines()
            skipped.append(name + (f": {reason[-1]}{why(build, reason[-1])}" if reason else ""))
        elif test["code"] == "XFAIL":
            skipped.append(name + ": known gap, fails as expected")
        else:
            failed.append(f"{name} ({test['code']})")
    if not tests or (code and not failed):
        failed.append(f"lit (exit code {code}, {len(tests)} tests)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--shard", type=int, default=1)
    parser.add_argument("suites", nargs="*", metavar="TEST", help="a folder of test/ or examples/, or a test")
    options = parser.parse_args()
    build = os.path.abspath(options.build)

    if options.suites:
        if options.quick:
            parser.error("--quick chooses the tests by itself")
        for suite in options.suites:
            if not os.path.exists(suite):
                parser.error(f"there is no {suite}")
        lit(build, options.jobs, [], [os.path.abspath(suite) for suite in options.suites])
    else:
        layering()
        formatting()
        unit_tests(build)
        if options.quick:
            quick(build, options.jobs, options.shard)
        else:
            whole(build, options.jobs)

    print()
    for title, names in (("skipped", skipped), ("failed", failed)):
        for name in names:
            print(f"{title}: {name}")
    print(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
