#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Runs the code blocks of a Markdown page, in their order, in one folder, as a reader would.

What a block is:
  // NAME            as its first line (or # NAME, ! NAME): a file of that name
  $ command          a session: each command is run, and prints the lines that follow it;
                     a line "..." stands for any lines
  ```sh              commands for the shell; directory and exported variables stay
  ```python          Python; all blocks of a page are one program

What a reader need not see stands in HTML comments before the block that it concerns:
  <!-- file: NAME -->        the block is that file
  <!-- around: NAME ... -->  the block is a part of that file: it stands where the comment has the line @@, or its
                             lines 1 to 3 where that has @@1-3. The file is compiled, with the flags of a line
                             "// flags: ..." in it, and run if it has a main
  <!-- sh: ... -->           commands that are run here
  <!-- python: ... -->       more lines of the Python program
  <!-- needs: WORD... -->    the block is left out where one is missing: a program, a header.h, python:MODULE, or fresh
                             (which is there with --fresh alone: what takes long, or changes the system)
  <!-- not run: REASON -->   the block is no code, or nobody can run it here

A block about which nothing is known is an error. The last line says how many blocks were run and how many were not.
"""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PIECE = re.compile(r"^<!-- (file|around|sh|python|needs|not run):(.*?)-->\n|^( *)```([^\n`]*)\n(.*?)^ *```$", re.S | re.M)
NAMED = re.compile(r"(?://|#|!) ([\w./-]*\.\w+|Makefile|BUILD|WORKSPACE)$")


class Failure(Exception):
    pass


def around(template, text):
    """The template with the block's lines in it; each of them has to be somewhere. A line "..." of a block is nothing."""
    lines = ["" if line.strip() == "..." else line for line in text.splitlines()]
    used, whole = set(), []
    for line in template.splitlines():
        place = re.fullmatch(r"@@(?:(\d+)-(\d*))?", line)
        if not place:
            whole.append(line)
            continue
        first, last = int(place[1] or 1), int(place[2] or len(lines))
        used |= set(range(first, last + 1))
        whole += lines[first - 1:last]
    if used != set(range(1, len(lines) + 1)):
        raise Failure("the comment before the block has no place (@@) for all of its lines")
    return "\n".join(whole) + "\n"


class Page:
    def __init__(self, path, options):
        self.path, self.options = path, options
        self.ran, self.left_out, self.python, self.python_line = 0, [], [], 0
        self.folder = options.folder or tempfile.mkdtemp(prefix="page-")
        self.state = os.path.join(self.folder, ".page-state")
        if os.path.exists(self.state):
            os.remove(self.state)
        self.environment = dict(os.environ)
        if options.build:
            tools = os.path.join(os.path.abspath(options.build), "bin")
            self.environment["PATH"] = os.pathsep.join([tools, "/usr/lib/llvm-22/bin", self.environment["PATH"]])
            self.environment["BUILD"] = os.path.abspath(options.build)
        self.environment["RETROGRAD_ROOT"] = ROOT
        if not options.fresh:
            self.environment["HOME"] = self.folder
            for name in ("examples", "python", "build"):  # as in the repository
                target = os.path.abspath(options.build) if name == "build" and options.build else os.path.join(ROOT, name)
                os.symlink(target, os.path.join(self.folder, name))

    def shell(self, commands, check=True):
        script = (f"[ -f {self.state} ] && . {self.state}; {{ set -e\n{commands}\n}}; "
                  f"{{ export -p; printf 'cd %s\\n' \"$PWD\"; }} > {self.state}")
        self.say(commands)
        ended = subprocess.run(["bash", "-c", script], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                               text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=self.options.timeout)
        if self.options.verbose:
            print("\n".join(ended.stdout.splitlines()[-self.options.verbose:]), flush=True)
        if check and ended.returncode:
            raise Failure(f"exit status {ended.returncode}:\n{commands}\n--- printed:\n{ended.stdout[-6000:]}")
        return ended.stdout

    def say(self, text):
        if self.options.verbose:
            print("\n".join("+ " + line for line in text.strip().splitlines()), flush=True)

    def session(self, text):
        """$ command, then what it prints."""
        parts = re.split(r"^\$ ", text, flags=re.M)
        if parts[0].strip():
            raise Failure("a session begins with a command")
        for part in parts[1:]:
            lines = part.split("\n")
            end = 1
            while lines[end - 1].endswith("\\"):
                end += 1
            printed = [line.rstrip() for line in self.shell("\n".join(lines[:end]), check=False).rstrip("\n").split("\n")]
            expected = [line.rstrip() for line in "\n".join(lines[end:]).rstrip("\n").split("\n")]
            if expected == [""]:
                continue
            pattern = "".join("(.*\n)*" if line.strip() == "..." else re.escape(line) + "\n" for line in expected)
            if not re.fullmatch(pattern, "\n".join(printed) + "\n"):
                raise Failure(f"$ {lines[0]}\n--- the page shows:\n" + "\n".join(expected) + "\n--- printed:\n" + "\n".join(printed))

    def compile(self, name):
        stem, kind = os.path.splitext(name)
        drivers = {".c": "rg-clang -Wall", ".cpp": "rg-clang++ -std=gnu++20 -Wall", ".f90": "rg-flang",
                   ".cu": "rg-clang++ --offload=cpu -std=gnu++20"}
        if kind not in drivers:
            raise Failure(f"nothing says how to compile {name}")
        with open(os.path.join(self.folder, name)) as file:
            text = file.read()
        whole = re.search(r"\bmain\s*\(|^program ", text, flags=re.M)
        libraries = " -lm" if kind == ".c" else ""
        flags = re.search(r"^(?://|!) flags: (.*)$", text, flags=re.M)
        libraries += f" {flags[1]}" if flags else ""
        command = f"{drivers[kind]} -O1 -I{os.path.join(ROOT, 'include')} {name} "
        self.shell(command + (f"-o {stem}{libraries} && ./{stem}" if whole else f"-c -o {stem}.o{libraries.replace(' -lm', '')}"))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        if os.path.exists(self.state):  # where the page's commands have gone
            with open(self.state) as file:
                path = os.path.join(re.findall(r"^cd (.*)$", file.read(), flags=re.M)[-1], name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.islink(path):
            os.remove(path)
        with open(path, "w") as file:
            file.write(text)

    def missing(self, words):
        for word in words:
            if word == "fresh":
                there = self.options.fresh
            elif word.endswith(".h"):
                there = any(os.path.exists(os.path.join("/usr/include", *parts)) for parts in ([word], [word[:-2], word]))
            elif word.startswith("python:"):
                script = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{word[7:]}') is None)"
                there = self.options.fresh or subprocess.run([self.options.python, "-c", script]).returncode == 0
            else:
                there = shutil.which(word, path=self.environment["PATH"] + ":/usr/lib/llvm-22/bin") is not None
            if not there:
                return word
        return None

    def end_python(self):
        if not self.python:
            return
        self.write("page.py", "".join(self.python))
        self.say("python3 page.py   # the blocks of the page")
        python = "python3" if self.options.fresh else self.options.python
        self.shell(f"{python} page.py")

    def block(self, line, language, text, about):
        words = about.get("needs", "").split()
        absent = self.missing(words)
        if "not run" in about:
            self.left_out.append(f"line {line}: {about['not run'].strip()}")
            return
        if absent:
            why = "changes the system: utils/fresh-root.py" if absent == "fresh" else f"{absent} is missing"
            self.left_out.append(f"line {line}: {why}")
            return
        first = text.split("\n", 1)[0].strip()
        named = NAMED.match(first)
        if "around" in about:
            name, _, template = about["around"].strip("\n").partition("\n")
            name = name.strip()
            self.write(name, around(template, text))
            self.compile(name)
        elif "file" in about:
            self.write(about["file"].strip(), text)
        elif language == "python":
            self.python.append(text)
        elif named:
            self.write(named[1], text)
        elif text.startswith("$ "):
            self.session(text)
        elif language == "sh":
            self.shell(text)
        else:
            raise Failure("nothing says how to run this block")
        self.ran += 1

    def run(self):
        with open(self.path) as file:
            text = file.read()
        about = {}
        for piece in PIECE.finditer(text):
            line = text.count("\n", 0, piece.start()) + 1
            try:
                if piece[1]:
                    kind, words = piece[1], piece[2]
                    if kind in ("sh", "python"):
                        if not self.missing(about.pop("needs", "").split()):
                            if kind == "python":
                                self.python.append(words.strip("\n") + "\n")
                            else:
                                self.shell(words.strip())
                    else:
                        about[kind] = words
                else:
                    indent = len(piece[3])
                    body = "".join(l[indent:] if l.startswith(" " * indent) else l for l in piece[5].splitlines(True))
                    self.block(line, piece[4].strip(), body, about)
                    about = {}
            except Failure as failure:
                raise Failure(f"{self.path}:{line}: {failure}")
            except subprocess.TimeoutExpired as failure:
                raise Failure(f"{self.path}:{line}: still running after {failure.timeout} seconds")
        try:
            self.end_python()
        except Failure as failure:
            raise Failure(f"{self.path}: the Python blocks: {failure}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--build", help="a build whose commands come first on the PATH")
    parser.add_argument("--fresh", action="store_true", help="run what changes the system, too (see utils/fresh-root.py)")
    parser.add_argument("--python", default=sys.executable, help="runs the Python blocks")
    parser.add_argument("--folder", help="where to work; default: a new folder that is deleted at the end")
    parser.add_argument("--timeout", type=int, default=3600, help="seconds for one block")
    parser.add_argument("--verbose", type=int, default=0, metavar="N", help="print each command and its last N lines")
    options = parser.parse_intermixed_args()
    failed = False
    for path in options.pages:
        page = Page(path, options)
        try:
            page.run()
        except Failure as failure:
            print(failure, file=sys.stderr)
            failed = True
            continue
        finally:
            if not options.folder:
                shutil.rmtree(page.folder, ignore_errors=True)
        for reason in page.left_out:
            print(f"{path}: not run: {reason}")
        print(f"{path}: {page.ran} blocks run, {len(page.left_out)} not", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
