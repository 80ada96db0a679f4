#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Checks who includes whom (docs/Architecture.md), names of languages and libraries, and a few forbidden things.

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
ALLOWED["Bitcode"] = ["Support", "Diagnostics", "Catalogue", "Target", "Request"]
ALLOWED["Plan"] = ALLOWED["Rules"] + ["Rules"]
ALLOWED["Emit"] = ALLOWED["Plan"] + ["Plan", "Bitcode"]
ALLOWED["Polish"] = ALLOWED["Emit"] + ["Emit"]
ALLOWED["Parallel"] = ALLOWED["Emit"] + ["Emit"]
ALLOWED["Guard"] = ALLOWED["Polish"] + ["Polish"]
ALLOWED["Entry"] = ALLOWED["Guard"] + ["Guard"]
ALLOWED["Primal"] = ALLOWED["Entry"] + ["Entry", "Parallel"]
ALLOWED["Offload"] = ["Support", "Diagnostics", "Plan", "Primal"]
ALLOWED["Pass"] = ALLOWED["Primal"] + ["Primal", "Offload"]

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]')
# What only some folders, or files, may have; why.
FORBIDDEN = [
    (re.compile(r'#\s*include\s*"llvm/IR/IRBuilder\.h"|\bIRBuilder<'),
     lambda path: folder_of(path) in ("Bitcode", "Rules", "Emit", "Polish", "Parallel", "Guard", "Entry",
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
]


# Names of languages, libraries and vendors: knowledge of the catalogue and of the folders that are made
# for it. Core code asks a record, the target, or a mark that such a folder left.
NAMES = re.compile(r'_ZN|_ZS|_ZK|__cxa_|__gxx_|_Unwind_|_Fortran|_QM|_Sp_counted|\bstd::|__kmpc|\bomp_|\bMPI_|\bcuda[A-Z]|'
                   r'cublas|__nv_|nvvm|omnipotent char|\bany p|vtable pointer|libstdc')
TRIPLES = re.compile(r"\bis(NVPTX|AMDGCN|AMDGPU)\(")
AT_HOME = re.compile(r"lib/(Catalogue|Target|Offload|Calls|Parallel|Primal/Language|Primal/Device)/")
# What is still elsewhere: the number of lines, and what has to be done about them. This list only shrinks.
EXCUSED = {
    "lib/Analysis/ProgramFacts.cpp": (2, "prefixes of library functions: a field of the catalogue"),
    "lib/Analysis/TypeAnalysis.cpp": (1, "TBAA's names: a reader of clang's type tree in Primal/Language"),
    "lib/Analysis/TypeSeeds.cpp": (6, "TBAA's names, as above"),
    "lib/Analysis/WorkOwnership.cpp": (3, "routines of OpenMP: records of the catalogue"),
    "lib/Diagnostics/RequestTrail.cpp": (1, "outlined regions in messages: a mark of lib/Parallel"),
    "lib/Primal/PrimalNormalForm.cpp": (2, "TBAA's names, as above"),
    "lib/Primal/FloatTricks.cpp": (1, "TBAA's names, as above"),
    "lib/Primal/LowerExceptions.cpp": (2, "C++'s exceptions: Primal/Language"),
    "lib/Primal/PreparePrimal.cpp": (1, "whether inline assembly is PTX: a question to Target"),
    "lib/Entry/ClangAttributes.cpp": (1, "clang's own symbol"),
    "lib/Guard/DeviceLibrary.cpp": (2, "questions of libdevice: Target"),
    "lib/Pass/ClangLoader.cpp": (1, "clang's own symbol"),
    "lib/Polish/DynamicShared.cpp": (3, "launches: records of the catalogue"),
}


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
    excused = EXCUSED.get(path, (0,))[0]
    if len(named) > excused:
        yield (f"{path}:{','.join(map(str, named))}: names of languages or libraries belong into lib/Catalogue, "
               f"lib/Target, lib/Primal/Language or lib/Primal/Device")
    elif len(named) < excused:
        yield f"{path}: {len(named)} lines with names are left of {excused}: lower the number in EXCUSED"


def main():
    violations = []
    lib = os.path.join(ROOT, "lib")
    for folder in sorted(os.listdir(lib)):
        if not os.path.isdir(os.path.join(lib, folder)):
            continue
        if folder not in ALLOWED:
            violations.append(f"lib/{folder}: not in the order of docs/Architecture.md")
            continue
        for base, _, names in os.walk(os.path.join(lib, folder)):
            for name in sorted(names):
                if name.endswith((".h", ".cpp", ".def")):
                    violations += check(os.path.relpath(os.path.join(base, name), ROOT))
    for path in EXCUSED:
        if not os.path.exists(os.path.join(ROOT, path)):
            violations.append(f"{path}: is gone, remove it from EXCUSED")
    for line in violations:
        print(line)
    if not violations:
        print("layering: in order")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
