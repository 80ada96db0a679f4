# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How lit finds and runs the tests. `make test` runs all of them; one folder or
# file of a finished build is run with
#   lit-22 -v test/Pass
# or, for a build elsewhere, lit-22 -v --param build=<dir> test/Pass. Kernels run on
# the CPU; on a machine with a GPU and CUDA they run there with
#   lit-22 -v --param gpu=1 test/Execute/CUDA test/Offload/Programs
#
# Two kinds of tests: files with RUN: lines (LLVM's usual kind), and C or C++
# programs without, which are compiled, run and judged by their exit code at
# several -O levels under both plans (rgtest.py).

import ctypes
import os
import shutil
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import rgtest

root = os.path.dirname(here)
build = os.path.abspath(lit_config.params.get("build", os.path.join(root, "build")))
# A sanitized build has LLVM's tools once more (cmake/Sanitize.cmake).
sanitized = os.path.join(build, "host")
llvm_bin = lit_config.params.get("llvm", sanitized if os.path.isdir(sanitized) else "/usr/lib/llvm-22/bin")

config.name = "Retrograd"
heap = None
if "fill-heap" in lit_config.params:
    os.makedirs(os.path.join(build, "test"), exist_ok=True)
    heap = os.path.join(build, "test", "filled-heap.so")
    subprocess.run(
        [os.path.join(llvm_bin, "clang"), "-O1", "-fno-builtin", "-shared", "-fPIC",
         os.path.join(here, "Instrumented", "Inputs", "filled-heap.c"), "-o", heap],
        check=True,
    )
if "memcheck" in lit_config.params:
    config.available_features.add("memcheck")
config.test_format = rgtest.RetrogradTest(build, heap, memcheck="memcheck" in lit_config.params)
config.suffixes = [".c", ".cpp", ".cu", ".f90", ".rs", ".ll", ".td", ".test"]
config.excludes = ["Inputs", "include", "CMakeLists.txt", "README.md"]
if llvm_bin == sanitized:
    rgtest.TIMEOUT *= 4
else:
    config.excludes.append("sanitized-host.test")
config.test_source_root = here
config.test_exec_root = os.path.join(build, "test")

# opt, FileCheck, not, clang: those of LLVM 22, whatever else is installed.
config.environment["PATH"] = os.pathsep.join(
    [llvm_bin, os.path.join(build, "bin"), config.environment.get("PATH", os.environ["PATH"])]
)
for name in ("HOME", "TMPDIR", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

plugin = os.path.join(build, "lib", "Retrograd.so")
if not os.path.exists(plugin):
    lit_config.fatal(f"there is no {plugin}; build first (make)")

eigen = "/usr/include/eigen3"
archer = "/usr/lib/llvm-22/lib/libarcher.so"
config.substitutions += [
    ("%rgrustc", os.path.join(build, "bin", "rg-rustc")),
    ("%rgfort", os.path.join(build, "bin", "rg-flang")),
    ("%rgcxx", os.path.join(build, "bin", "rg-clang++")),
    ("%rgcc", os.path.join(build, "bin", "rg-clang")),
    ("%plugin", plugin),
    ("%loadopt", f"opt -load-pass-plugin={plugin}"),
    ("%opt", os.path.join(llvm_bin, "opt")),
    ("%clangxx", os.path.join(llvm_bin, "clang++")),
    ("%clang", os.path.join(llvm_bin, "clang")),
    ("%eigen", eigen),
    ("%include", os.path.join(root, "include")),
    ("%archer", archer),
    ("%build", build),
    ("%root", root),
    ("%{python}", sys.executable),
]

def with_numpy():
    """A Python that has NumPy: the one that runs this, or Debian's."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
            return python
    return None


numpy = with_numpy()
config.substitutions.append(("%{numpy}", numpy or "python3"))



def with_module(name):
    """A Python that has a large package: that of `make python-extras`, or the one that runs this."""
    for python in (os.environ.get("RG_PYTHON"), os.path.join(build, "python-extras/bin/python"), numpy):
        script = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{name}') is None)"
        if python and os.path.exists(python) and subprocess.run([python, "-c", script]).returncode == 0:
            return python
    return None


modules = {name: with_module(name) for name in ("jax", "torch", "scipy", "matplotlib")}
config.substitutions += [(f"%{{{name}}}", python or "python3") for name, python in modules.items()]


def with_package_tools():
    """The Python that can build the package without a network (utils/python-tools.sh), with NumPy; or None."""
    python = os.path.join(build, "python-tools/bin/python")
    script = "import nanobind, numpy, scikit_build_core"
    if os.path.exists(python) and subprocess.run([python, "-c", script], capture_output=True).returncode == 0:
        return python
    return None


package_tools = with_package_tools()
config.substitutions.append(("%{package-tools}", package_tools or "python3"))

config.on_gpu = "gpu" in lit_config.params
config.build = build
config.every_plan = lit_config.params.get("plans") == "all"
config.metamorphic = [name for name in lit_config.params.get("metamorphic", "").split(",") if name]
if config.on_gpu:
    config.substitutions.append(("--offload=cpu", " ".join(rgtest.ON_GPU)))


def has_rustc():
    """A rustc whose bitcode our LLVM reads."""
    try:
        said = subprocess.run(["rustc", "--version", "--verbose"], capture_output=True, text=True)
    except OSError:
        return False
    return "LLVM version: 22." in said.stdout


def cpu_has(*flags):
    try:
        with open("/proc/cpuinfo") as info:
            words = set(info.read().split())
    except OSError:
        return False
    return words.issuperset(flags)


def has_landlock():
    """Linux that takes the right to change files away from a program (tools/retrograd/OwnCalls.cpp)."""
    try:
        return ctypes.CDLL(None).syscall(444, None, 0, 1) >= 3
    except (OSError, AttributeError):
        return False


def all_mpis():
    """Per MPI: its wrapper compilers, the variables that name the compiler behind them, how to run."""
    found = []
    if all(shutil.which(word) for word in ("mpicc.openmpi", "mpirun.openmpi")):
        found.append({"cc": "mpicc.openmpi", "cc_variable": "OMPI_CC", "cxx": "mpicxx.openmpi",
                      "cxx_variable": "OMPI_CXX", "fc": "mpif90.openmpi", "fc_variable": "OMPI_FC",
                      "run": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--timeout", "120"]})
    if all(shutil.which(word) for word in ("mpicc.mpich", "mpirun.mpich")):
        # flang does not take the flags of its wrapper for Fortran.
        found.append({"cc": "mpicc.mpich", "cc_variable": "MPICH_CC", "cxx": "mpicxx.mpich",
                      "cxx_variable": "MPICH_CXX", "run": ["mpirun.mpich"]})
    return found


config.mpis = all_mpis()
config.environment["MPIEXEC_TIMEOUT"] = "120"  # MPICH's

# What a test may name in REQUIRES:. A test that lacks one is skipped, by name.


def has_loop_nests():
    """lib/Loops was built: its blocks have names of their own."""
    with open(plugin, "rb") as file:
        return b"rg.nest.ask" in file.read()


present = {
    "loop-nests": has_loop_nests(),
    "mpi": bool(config.mpis),
    "mpi-fortran": any("fc" in mpi for mpi in config.mpis),
    "flang": os.path.exists(os.path.join(llvm_bin, "flang")),
    "rustc": has_rustc(),
    "archer": os.path.exists(archer),
    "eigen": os.path.isdir(eigen),
    "boost": os.path.isdir("/usr/include/boost"),
    "openblas": os.path.exists("/usr/lib/x86_64-linux-gnu/libopenblas.so"),
    "tbb": os.path.isdir("/usr/include/oneapi/tbb"),
    "fftw": os.path.exists("/usr/lib/x86_64-linux-gnu/libfftw3.so"),
    "adolc": os.path.isdir("/usr/include/adolc"),
    "lld": os.path.exists(os.path.join(llvm_bin, "ld.lld")),
    "cmake": shutil.which("cmake") is not None,
    "cuda": shutil.which("nvidia-smi") is not None,
    "cuda-toolkit": shutil.which("ptxas", path="/usr/local/cuda/bin") is not None,
    "avx": cpu_has("avx", "fma"),
    "avx512": cpu_has("avx512f", "avx512dq", "avx512vl"),
    "clangd": shutil.which("clangd-22") is not None,
    "pkg-config": shutil.which("pkg-config") is not None,
    "meson": shutil.which("meson") is not None,
    "ccache": shutil.which("ccache") is not None,
    "dpkg": os.geteuid() == 0 and all(shutil.which(w) for w in ("dpkg", "dpkg-deb", "cpack")),
    "landlock": has_landlock(),
    "valgrind": shutil.which("valgrind") is not None,
    "gdb": shutil.which("gdb") is not None,
    "chromium": shutil.which("chromium") is not None,
    # Debian: qemu-user libc6-dev-arm64-cross libstdc++-12-dev-arm64-cross
    "aarch64-emulated": shutil.which("qemu-aarch64") is not None
    and os.path.exists("/usr/aarch64-linux-gnu/lib/crt1.o")
    and os.path.exists("/usr/lib/gcc-cross/aarch64-linux-gnu/12/libstdc++.so"),
    "python-numpy": numpy is not None,
    "python-nanobind": package_tools is not None,
    "python-jax": modules["jax"] is not None,
    "python-scipy": modules["scipy"] is not None,
    "python-torch": modules["torch"] is not None,
    "python-matplotlib": modules["matplotlib"] is not None,
    "asan": any(
        "libclang_rt.asan" in name
        for _, _, names in os.walk(os.path.join(llvm_bin, "..", "lib", "clang"))
        for name in names
    ),
}
config.available_features.update(name for name, there in present.items() if there)
config.available_features.add("x86_64-linux")
