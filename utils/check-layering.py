#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Checks who includes whom (docs/Architecture.md), names of languages and libraries, and a few forbidden things.
Every file of a folder is named on the folder's page (lib/*/README.md), and every folder has tests of its own.

Prints one line per violation, file:line: what, and fails if there is any.
A line may be excused by "layering: <reason>" in a comment on it.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Folder -> the folders whose headers it may include, besides its own.
ALLOWED = {
    "Support": [],
    "Diagnostics": ["Support"],
    "Catalogue": ["Support", "Diagnostics"],
    "Target": ["Support", "Diagnostics"],
    "Request": ["Support", "Diagnostics"],
    "Analysis": ["Support", "Diagnostics", "Catalogue", "Target", "Request"],
    "Rules": ["Support", "Diagnostics", "Catalogue", "Target", "Request", "Analysis"],
}
ALLOWED["Loops"] = ["Support", "Diagnostics", "Target"]
ALLOWED["Bitcode"] = ["Support", "Diagnostics", "Catalogue", "Target", "Request"]
ALLOWED["Plan"] = ALLOWED["Rules"] + ["Rules"]
ALLOWED["Emit"] = ALLOWED["Plan"] + ["Plan", "Bitcode"]
ALLOWED["Polish"] = ALLOWED["Emit"] + ["Emit"]
ALLOWED["Parallel"] = ALLOWED["Emit"] + ["Emit"]
ALLOWED["Guard"] = ALLOWED["Polish"] + ["Polish"]
ALLOWED["Entry"] = ALLOWED["Guard"] + ["Guard"]
ALLOWED["Primal"] = ALLOWED["Entry"] + ["Entry", "Parallel"]
ALLOWED["Offload"] = ["Support", "Diagnostics", "Catalogue", "Plan", "Primal"]
ALLOWED["Pass"] = ALLOWED["Primal"] + ["Primal", "Offload", "Loops"]

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]')
# What only some folders, or files, may have; why.
FORBIDDEN = [
    (re.compile(r'#\s*include\s*"llvm/IR/IRBuilder\.h"|\bIRBuilder<'),
     lambda path: folder_of(path) in ("Bitcode", "Loops", "Rules", "Emit", "Polish", "Parallel", "Guard", "Entry",
                                      "Primal", "Offload", "Pass"),
     "analyses and plans create no IR"),
    (re.compile(r'#\s*include\s*"llvm/Support/CommandLine\.h"'),
     lambda path: path == "lib/Support/Options.cpp",
     "options are declared in Support/Options.cpp only"),
    (re.compile(r"\breport_fatal_error\b|\berrs\(\)"),
     lambda path: folder_of(path) == "Diagnostics"
     or re.search(r"Print|Dump", os.path.basename(path)) is not None
     or path.endswith("Registry.def"),
     "messages go through Diagnostics; only printers write to errs()"),
    (re.compile(r'(?:[gs]et|has)Metadata\(\s*"rg\.|(?:Named|as)Metadata\(\s*"rg\.'),
     lambda path: False,
     "metadata of ours has one reader and one writer: SourceFact (Support/SourceFacts.def), or a constant beside both"),
]


# Names of languages, libraries and vendors: knowledge of the catalogue and of the folders that are made
# for it. Core code asks a record, the target, or a mark that such a folder left.
NAMES = re.compile(r'_ZN|_ZS|_ZK|__cxa_|__gxx_|_Unwind_|_Fortran|_QM|_Sp_counted|\bstd::|__kmpc|\bomp_|\bMPI_|\bcuda[A-Z]|'
                   r'cublas|__nv_|nvvm|omnipotent char|\bany p|vtable pointer|libstdc')
TRIPLES = re.compile(r"\bis(NVPTX|AMDGCN|AMDGPU)\(")
AT_HOME = re.compile(r"lib/(Catalogue|Target|Offload|Calls|Parallel|Primal/Language|Primal/Device)/")
def folder_of(path):
    return path.split("/")[1]


def without_comments(text):
    """The text with comments blanked, lines kept."""
    def blank(match):
        return match.group(0) if match.group(0).startswith('"') else re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', blank, text, flags=re.S)


def check(path):
    """Violations of one file of lib/, as lines."""
    with open(os.path.join(ROOT, path)) as file:
        text = file.read()
    folder = folder_of(path)
    named = []
    for number, (line, raw) in enumerate(
            zip(without_comments(text).splitlines(), text.splitlines()), 1):
        if "layering:" in raw:
            continue
        found = INCLUDE.match(line)
        if found:
            target = found.group(1).split("/")[0]
            if target in ALLOWED and target != folder and target not in ALLOWED[folder]:
                yield f"{path}:{number}: {folder} must not include {found.group(1)}"
        for pattern, may, why in FORBIDDEN:
            if pattern.search(line) and not may(path):
                yield f"{path}:{number}: {why}"
        if path.endswith((".h", ".cpp")) and not AT_HOME.match(path):
            if TRIPLES.search(line) or any(NAMES.search(s) for s in re.findall(r'"(?:\\.|[^"\\])*"', line)):
                named.append(number)
    if named:
        yield (f"{path}:{','.join(map(str, named))}: names of languages or libraries belong into lib/Catalogue, "
               f"lib/Target, lib/Primal/Language or lib/Primal/Device")


def unnamed(folder):
    """Files that the page of a folder does not name, as lines."""
    with open(os.path.join(ROOT, "lib", folder, "README.md")) as file:
        page = file.read()
    for base, _, names in os.walk(os.path.join(ROOT, "lib", folder)):
        for name in sorted(names):
            stem, suffix = os.path.splitext(name)
            if suffix in (".h", ".cpp", ".def", ".td") and not re.search(rf"\b{re.escape(stem)}\b", page):
                path = os.path.relpath(os.path.join(base, name), ROOT)
                yield f"{path}: lib/{folder}/README.md does not name {stem}"


def main():
    violations = []
    lib = os.path.join(ROOT, "lib")
    for folder in sorted(os.listdir(lib)):
        if not os.path.isdir(os.path.join(lib, folder)):
            continue
        if folder not in ALLOWED:
            violations.append(f"lib/{folder}: not in the order of docs/Architecture.md")
            continue
        violations += unnamed(folder)
        if not any(os.path.isdir(os.path.join(ROOT, tests, folder)) for tests in ("test", "unittests")):
            violations.append(f"lib/{folder}: neither test/{folder} nor unittests/{folder}")
        for base, _, names in os.walk(os.path.join(lib, folder)):
            for name in sorted(names):
                if name.endswith((".h", ".cpp", ".def")):
                    violations += check(os.path.relpath(os.path.join(base, name), ROOT))
    for line in violations:
        print(line)
    if not violations:
        print("layering: in order")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
