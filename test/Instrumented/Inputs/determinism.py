# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""determinism.py BUILD SOURCE[:FLAGS]...: compiles each source several times with another layout of
addresses each time (none chosen at random, other sizes of the environment, other growth of the heap, and all at random); all objects
must be the same. Without flags -O2 -g, under both plans; with flags or the naive plan, three layouts do. `fuzz` stands for a batch of random programs, and
`kernels` for one of random kernels."""

import hashlib
import os
import subprocess
import sys
import tempfile

build, sources = sys.argv[1], sys.argv[2:]
here = os.path.dirname(os.path.abspath(__file__))
root = os.path.join(here, "..", "..", "..")
LAYOUTS = [
    ([], {}),
    (["setarch", "-R"], {}),
    ([], {"RG_PADDING": "x" * 50000, "MALLOC_TOP_PAD_": "33554432"}),
    ([], {"MALLOC_MMAP_THRESHOLD_": "4096", "MALLOC_PERTURB_": "85"}),
]
bad = compiled = 0
with tempfile.TemporaryDirectory() as folder:
    for source in sources:
        source, _, flags = source.partition(":")
        path = os.path.join(root, "test", "Execute", source)
        if source in ("fuzz", "kernels"):
            language = "cu" if source == "kernels" else ""
            path = os.path.join(folder, f"{source}.{language or 'cpp'}")
            sys.path.insert(0, os.path.join(root, "fuzz"))
            import emit
            import generate
            import kernel_emit
            import kernel_generate
            import kernel_oracle
            with open(path, "w") as file:
                file.write(emit.batch([(n, generate.make("fixed", n, 3 if language else None, language)[0])
                                       for n in range(2 if language else 8)]))
        driver = os.path.join(build, "bin", "rg-clang" if path.endswith(".c") else "rg-clang++")
        for plan in ("mincut",) if flags else ("naive", "mincut"):
            seen = set()
            for prefix, extra in LAYOUTS[1:] if flags or plan == "naive" else LAYOUTS:
                out = os.path.join(folder, "out.o")
                command = [*prefix, driver, *(flags or "-O2 -g").split(), "-w", "-c", path, "-o", out,
                           "-mllvm", f"-rg-plan={plan}",
                           "-I" + os.path.join(root, "test", "include")]
                done = subprocess.run(command, env={**os.environ, **extra}, capture_output=True,
                                      text=True)
                # What cannot be had here (no personality() in a container) is left out.
                if prefix and "setarch" in done.stderr:
                    continue
                # A refusal is a result, too: its messages must be the same.
                with open(out, "rb") if done.returncode == 0 else open(os.devnull, "rb") as file:
                    seen.add((done.returncode, done.stderr,
                              hashlib.sha256(file.read()).hexdigest()))
            if len(seen) != 1 or done.returncode not in (0, 1):
                bad += 1
                print(f"{source} {flags}, {plan} plan: {len(seen)} different results")
            compiled += done.returncode == 0
            if done.returncode != 0 and source not in ("fuzz", "kernels"):
                bad += 1
                print(f"{source} {flags}, {plan} plan: {done.stderr[:1000]}")
print(f"{len(sources)} inputs, {compiled} objects, {bad} at fault")
sys.exit(1 if bad or not compiled else 0)
