# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles source to a library of derivatives, once for each content."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

from ._function import functions_of

_SUFFIX = {"c": ".c", "c++": ".cpp", "cpp": ".cpp", "fortran": ".f90", "cuda": ".cu"}


class CompileError(RuntimeError):
    """The source cannot be compiled or differentiated. The text is the compiler's."""


def tool():
    """Path of the program `retrograd` that compiles.

    In this order: the environment variable RETROGRAD, the compiler that the wheel carries, the
    PATH, the build folder of the repository that this package was loaded from.
    Raises FileNotFoundError with the way to get it.
    """
    given = os.environ.get("RETROGRAD")
    here = pathlib.Path(__file__).resolve()
    carried = str(here.parent / "compiler" / "bin" / "retrograd")
    beside = str(here.parents[2] / "build" / "bin" / "retrograd")
    if given and not os.access(given, os.X_OK):
        raise FileNotFoundError(f"RETROGRAD={given} is no program that can be run: it names the program 'retrograd', "
                                "which lies in the folder bin of an installation")
    # The commands of this package (_commands.py) may be on the PATH, too: they have no plugin beside them.
    installed = next((path for path in (shutil.which("retrograd", path=folder) for folder in os.get_exec_path())
                      if path and (pathlib.Path(path).resolve().parents[1] / "lib" / "Retrograd.so").exists()), None)
    for path in (given, carried, installed, beside):
        if path and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(
        "the program 'retrograd' was not found: this package was installed without a compiler. Build the project (make), "
        "then install the package again (pip install ./python), or set RETROGRAD=/path/to/bin/retrograd")


def _need_clang():
    """Raises FileNotFoundError if clang 22 is missing, with the way to get it."""
    if any(shutil.which(name) for name in ("/usr/lib/llvm-22/bin/clang", "clang-22")):
        return
    raise FileNotFoundError(
        "clang 22 was not found, neither as /usr/lib/llvm-22/bin/clang nor as clang-22 on the PATH. "
        "On Debian: apt-get install clang-22 lld-22 (flang-22 for Fortran). Elsewhere: LLVM's own packages, version 22")


def _cache():
    base = os.environ.get("RETROGRAD_CACHE")
    if not base:
        base = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "retrograd")
    os.makedirs(base, exist_ok=True)
    return base


def _digest(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def _compiler_state(program):
    """What changes when the compiler changes: the plugin's and the tool's size and time."""
    folder = os.path.dirname(os.path.realpath(program))
    state = []
    for path in (program, os.path.join(folder, "..", "lib", "Retrograd.so")):
        if os.path.exists(path):
            info = os.stat(path)
            state.append([os.path.realpath(path), info.st_size, info.st_mtime_ns])
    return state


def _included(listing):
    """Files named in a dependency file of make's form."""
    try:
        with open(listing) as file:
            text = file.read().replace("\\\n", " ")
    except OSError:
        return []
    _, _, names = text.partition(":")
    return [name.replace("\\ ", " ") for name in re.findall(r"(?:[^\s\\]|\\.)+", names)]


def _inputs(record):
    """The files that a library was made of, with the digests of their contents at the time; empty if they are not known."""
    try:
        with open(record) as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def _library(stem, inputs):
    """The library's path. Other contents have another name: a library may be in use, and pickled functions name theirs."""
    return f"{stem}-{hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()[:12]}.so"


class _More:
    """Compiles a derivative that was not asked for at first, of the source as it was then."""

    def __init__(self, source, names, inputs, flags, constants, target):
        self.source, self.names, self.inputs, self.flags = source, names, inputs, flags
        self.constants, self.target = constants, target

    def __call__(self, function, steps):
        changed = [path for path, digest in self.inputs.items() if _digest(path) != digest]
        if changed:
            raise CompileError(f"{function.name}() has no derivative '{steps}' yet, and {changed[0]} has changed since the function "
                               f"was compiled: call rg.compile again, with derivatives=[..., {steps!r}] to have it from the start")
        own = [p.name for p in function.parameters if p.name in self.constants]
        return compile(self.source, self.names[function.index], flags=self.flags, constants=own, derivatives=[steps],
                       target=self.target)


def _run(command, what):
    """Runs the compiler; says so on stderr when it takes long."""
    says = threading.Timer(2.0, lambda: print(f"retrograd: compiling {what} ...", file=sys.stderr, flush=True))
    says.daemon = True
    says.start()
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    finally:
        says.cancel()
    if done.returncode:
        raise CompileError((done.stderr or done.stdout).strip())


def compile(source, functions, *, language=None, flags=(), constants=(),
            derivatives=None, target="cpu", returns="value"):
    """Compiles functions of a source file, with their derivatives.

    source       path of a .c, .cpp, .f90 or .cu file; or the source itself, with `language`
                 "c", "c++", "fortran" or "cuda"
    functions    a name, or a list of names
    flags        flags for the compiler, as ["-O3", "-Iinclude"]
    constants    names of parameters that are not differentiated
    derivatives  which ones are made: "rev" (gradient, vjp), "fwd" (jvp, jacobian), "rev.fwd" (hvp,
                 hessian); by default all of these, of a kernel the first two. What is missing is compiled when
                 it is asked for
    returns      what f(...) gives: "value", or "value_and_gradient", so that scipy.optimize.minimize(f, x0, jac=True)
                 works as it is
    target       CUDA: "cpu" (kernels run on the processor) or "gpu" (those of this machine's GPU)

    Returns a Function, or a Kernel for a `__global__` function; a list of them if a list of names was given. Raises CompileError with
    the compiler's messages; the class of a parameter that cannot be passed is named there.
    The library is kept in ~/.cache/retrograd (or RETROGRAD_CACHE) and compiled again only when
    the source, a file that it includes, a flag or the compiler has changed.
    """
    names = [functions] if isinstance(functions, str) else list(functions)
    if returns not in ("value", "value_and_gradient"):
        raise ValueError(f'returns is "value" or "value_and_gradient", not {returns!r}')
    if target not in ("cpu", "gpu"):
        raise ValueError(f"target is 'cpu' or 'gpu', not {target!r}")
    by_default = derivatives is None
    if by_default:
        # Of a kernel, a second derivative is compiled when it is asked for.
        cuda = language == "cuda" or os.fspath(source).endswith(".cu")
        derivatives = ("rev", "fwd") if cuda else ("rev", "fwd", "rev.fwd")
    program = tool()
    cache = _cache()
    if language is not None:
        if language not in _SUFFIX:
            raise ValueError(f"language is one of {', '.join(_SUFFIX)}, not {language!r}")
        text = source.encode()
        source = os.path.join(cache, "source-" + hashlib.sha256(text).hexdigest()[:24] + _SUFFIX[language])
        if _digest(source) != hashlib.sha256(text).hexdigest():
            with tempfile.NamedTemporaryFile(dir=cache, delete=False) as file:
                file.write(text)
            os.replace(file.name, source)
    source = os.path.abspath(os.fspath(source))
    if not os.path.exists(source):
        raise FileNotFoundError(f"there is no file {source!r}; a source in a string needs language=\"c++\" or its like")
    key = json.dumps([source, names, list(flags), sorted(constants), list(derivatives), target, _compiler_state(program)])
    stem = os.path.join(cache, hashlib.sha256((key + str(_digest(source))).encode()).hexdigest()[:24])
    record = stem + ".json"
    inputs = _inputs(record)
    library = _library(stem, inputs)
    if not (os.path.exists(library) and all(_digest(path) == digest for path, digest in inputs.items())):
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            made, listing = os.path.join(folder, "lib.so"), os.path.join(folder, "deps")
            command = [program, "export", source, *names, "-o", made, "--derive=" + ",".join(derivatives)]
            derive = len(command) - 1
            if source.endswith(".cu"):
                command.append(f"--target={target}")
            command += [f"--const={name}" for name in constants]
            command += [f"--deps={listing}"]
            if flags:
                command += ["--", *flags]
            _need_clang()
            try:
                _run(command, os.path.basename(source))
            except CompileError as error:
                # A second derivative may be refused where the first ones are not. It is compiled again, and refused, when
                # it is asked for. What the program itself says is about the source and the signature.
                if not by_default or "rev.fwd" not in derivatives or str(error).startswith("retrograd:"):
                    raise
                command[derive] = "--derive=rev,fwd"
                _run(command, os.path.basename(source))
            # A flag may name a file, too: an object or a library that is linked.
            inputs = {os.path.abspath(path): _digest(path) for path in [source, *_included(listing), *flags]
                      if os.path.isfile(path) and "retrograd-export" not in path}
            library = _library(stem, inputs)
            os.replace(made, library)
            with open(os.path.join(folder, "record"), "w") as file:
                json.dump(inputs, file)
            os.replace(file.name, record)

    # The functions are in the order of the names.
    made = functions_of(library, _More(source, names, inputs, list(flags), list(constants), target), returns)
    return made[0] if isinstance(functions, str) else made
