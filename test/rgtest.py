# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""The test format of Retrograd: LLVM's RUN: lines, or a program that checks itself.

A C, C++, CUDA or Fortran file without RUN: lines is compiled by our driver and run, once for
each -O level; exit code 0 is a pass. At -O0 and -O2 it is compiled by the naive plan, too, which keeps
everything: a program that only the clever plan fails has its cause in the choice of what to keep.
--param plans=all compiles by both plans at each level.
Comments in the file may say

    // RG-LEVELS: O0 O1 O2 O3 Os fast g     (default: O0 O2)
    // RG-FLAGS: -I%eigen -pthread          (for compiling and linking)
    // RG-PLANS: naive                      (at each level; default: as above)
    // RG-SWITCHES: all                     (once more without each decision of SWITCHES)
    // RG-THREADS: 1 2 8                    (run once with each OMP_NUM_THREADS)
    // RG-RANKS: 1 2 3                      (an MPI program: with each MPI there is, on so many ranks)
    // REQUIRES: eigen      // XFAIL: *     (as everywhere in lit)

--param metamorphic=all (or =split,native) compiles each program in the forms of METAMORPHOSES instead:
`make test-metamorphic`. --param fill-heap=1 runs the programs with a heap whose blocks begin with
rubbish (`make test-filled-heap`). --param memcheck=1 runs those of C and C++ under valgrind, compiled by the
clever plan: a result that depends on memory which nobody wrote fails (`make test-memcheck`).
=levels stands for those of LEVELS_ALIKE: what is accepted at one level is accepted at all.

"fast" is -O2 -ffast-math and "g" is -O2 -g; other levels are flags as they stand.
"""

import os
import shlex

import lit.formats
import lit.Test
import lit.TestRunner
import lit.util

LEVELS = {"fast": ["-O2", "-ffast-math"], "g": ["-O2", "-g"]}
PLANS = ["naive", "mincut"]
# Levels at which a program is compiled by the naive plan, too, or else the first of its levels.
NAIVE_LEVELS = ["O0", "O2"]
# Decisions that can be left out, -rg-disable=NAME; results must stay right.
SWITCHES = ["outer-counts", "nest-arrays", "tape-arrays", "recompute-phis", "skip-idle-loops",
            "pack-lanes", "contract", "alias-scopes", "inline-arena", "defer-loops", "chosen-iterations",
            "peel-first", "args-again", "non-null", "reorder-sums", "strip-additions", "disjoint-arguments", "access-order"]
# The same program in another form (--param metamorphic=NAME): its gradients must be the same. "outlined"
# makes each loop a function of its own before the plugin sees the program; "split" makes every call stay.
METAMORPHOSES = {
    "O1": ["-O1"],
    "Os": ["-Os"],
    "native": ["-O3", "-march=native"],
    "split": ["-O2", "-fno-inline"],
    "strict": ["-O2", "-ffp-model=strict"],
    "unvectorized": ["-O3", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"],
    "aliased": ["-O2", "-fno-strict-aliasing"],
    "outlined": ["-O2"],
}
# --param metamorphic=levels: `make test-levels`.
LEVELS_ALIKE = ["O0", "O2", "native"]
OUTLINE = "function(mem2reg,simplifycfg,loop-simplify,lcssa),loop-extract"
# How CUDA programs are linked that run on a GPU (--param gpu=1).
ON_GPU = ["-L/usr/local/cuda/lib64", "-Wl,--whole-archive", "-lcudart_static", "-Wl,--no-whole-archive",
          "-ldl", "-lrt", "-lpthread"]
MEMCHECK = ["valgrind", "-q", "--error-exitcode=9", "--exit-on-first-error=yes", "--track-origins=yes"]
TIMEOUT = 240  # seconds for one compilation or one run


class RetrogradTest(lit.formats.ShTest):
    def __init__(self, build, heap=None, memcheck=False):
        super().__init__(execute_external=False)
        self.build = build
        self.memcheck = memcheck
        self.heap = heap  # a library for LD_PRELOAD, or None

    def execute(self, test, lit_config):
        with open(test.getSourcePath(), "rb") as source:
            if b"RUN:" in source.read():
                if self.heap:
                    test.config.environment = {**test.config.environment, "LD_PRELOAD": self.heap}
                return super().execute(test, lit_config)
        if not test.getSourcePath().endswith((".c", ".cpp", ".cu", ".f90")):
            return lit.Test.Result(lit.Test.UNRESOLVED, "neither a RUN: line nor a program")
        return self.execute_program(test, lit_config)

    def execute_program(self, test, lit_config):
        if test.config.unsupported:
            return lit.Test.Result(lit.Test.UNSUPPORTED, "test is unsupported")

        words = {"RG-LEVELS:": [], "RG-FLAGS:": [], "RG-PLANS:": [], "RG-SWITCHES:": [], "RG-THREADS:": [],
                 "RG-RANKS:": []}

        def collect(line_number, line, output):
            return (output or []) + shlex.split(line)

        parsers = [
            lit.TestRunner.IntegratedTestKeywordParser(
                keyword, lit.TestRunner.ParserKind.CUSTOM, collect, initial_value=value
            )
            for keyword, value in words.items()
        ]
        script = lit.TestRunner.parseIntegratedTestScript(test, parsers, require_script=False)
        if isinstance(script, lit.Test.Result):
            return script
        if lit_config.noExecute:
            return lit.Test.Result(lit.Test.PASS)
        levels, flags, plans, switches, threads, ranks = (parser.getValue() or [] for parser in parsers)
        for name, value in test.config.substitutions:
            flags = [flag.replace(name, value) for flag in flags]

        source = test.getSourcePath()
        drivers = {".c": "rg-clang", ".cpp": "rg-clang++", ".cu": "rg-clang++", ".f90": "rg-flang"}
        driver = os.path.join(self.build, "bin", drivers[os.path.splitext(source)[1]])
        base = test.getExecPath()
        os.makedirs(os.path.dirname(base), exist_ok=True)
        if source.endswith(".cu"):  # CUDA runs on this machine
            flags += ON_GPU if test.config.on_gpu else ["--offload=cpu"]
        if source.endswith(".f90"):  # its modules, in a place of their own
            os.makedirs(base + ".modules", exist_ok=True)
            flags += ["-J", base + ".modules"]
        include = os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")

        report = []
        levels = levels or ["O0", "O2"]
        if not plans and test.config.every_plan:
            plans = PLANS
        naive = [level for level in levels if level in NAIVE_LEVELS] or levels[:1]
        variants = [(level, plan, None) for level in levels
                    for plan in plans or (PLANS if level in naive else ["mincut"])]
        if switches:
            variants += [(levels[-1], "mincut", s) for s in (SWITCHES if switches == ["all"] else switches)]
        metamorphic = test.config.metamorphic
        if metamorphic:
            names = METAMORPHOSES if "all" in metamorphic else [
                name for form in metamorphic for name in (LEVELS_ALIKE if form == "levels" else [form])]
            variants = [(name, "mincut", None) for name in names]
        under = []
        if self.memcheck:
            # valgrind knows the instructions of the baseline only, and needs to see one process.
            if ranks or not source.endswith((".c", ".cpp")):
                return lit.Test.Result(lit.Test.UNSUPPORTED, "not for valgrind")
            variants, threads, under = [(level, "mincut", None) for level in naive], threads[-1:], MEMCHECK
        for level, plan, switch in variants:
            program = f"{base}.{level}.{plan}" + (f".{switch}" if switch else "")
            off = ["-mllvm", f"-rg-disable={switch}"] if switch else []
            how = METAMORPHOSES.get(level, ["-" + level]) if metamorphic else LEVELS.get(level, ["-" + level])
            compiled, failure = source, None
            if metamorphic and level == "outlined":
                compiled, failure = outline(source, how, flags, include, program, test)
            if ranks:
                failure = run_ranks(test, driver, program, ranks, threads, [
                    *how, f"-I{include}", "-mllvm", f"-rg-plan={plan}", *off, "-mllvm", "-rg-verify-each",
                    source, *flags, "-lm", "-o", program])
                if failure:
                    report.append(f"--- -{level}, {plan} plan\n{failure}")
                continue
            compile_it = [driver, *how, f"-I{include}",
                          "-mllvm", f"-rg-plan={plan}", *off, "-mllvm", "-rg-verify-each",
                          compiled, *flags, "-lm", "-o", program]
            failure = failure or run(compile_it, test)
            for number in threads or [None]:
                failure = failure or run([*under, program], test, number, self.heap)
            if failure:
                without = f", without {switch}" if switch else ""
                report.append(f"--- -{level}, {plan} plan{without}\n{failure}")
            elif os.path.exists(program):
                os.remove(program)
        if report:
            if metamorphic and len(report) < len(variants):
                report.insert(0, "the forms of this program differ: " + f"{len(report)} of {len(variants)} fail")
            return lit.Test.Result(lit.Test.FAIL, "\n".join(report))
        return lit.Test.Result(lit.Test.PASS)


def run_ranks(test, driver, program, ranks, threads, arguments):
    """Compiles an MPI program with the wrapper compilers of each MPI there is, and runs it; what went
    wrong, or None. A program that waits for ever ends by MPI's own time limit."""
    kind = {"rg-clang": "cc", "rg-clang++": "cxx", "rg-flang": "fc"}[os.path.basename(driver)]
    # Derivative code is the same for each MPI but for the handles: others than the first at one level.
    mpis = [mpi for mpi in test.config.mpis if kind in mpi]
    if "-O2" not in arguments or any("naive" in word for word in arguments):
        mpis = mpis[:1]
    for mpi in mpis:
        test.config.environment[mpi[kind + "_variable"]] = driver
        failure = run([mpi[kind], *arguments], test)
        for number in ranks:
            for team in threads or [None]:
                failure = failure or run([*mpi["run"], "-n", number, program], test, team)
        if failure:
            return failure
    if os.path.exists(program):
        os.remove(program)
    return None


def outline(source, how, flags, include, program, test):
    """The program as LLVM IR whose loops are functions; its path, and what went wrong, or None."""
    plain = {".c": "clang", ".cpp": "clang++"}.get(os.path.splitext(source)[1])
    if not plain:
        return source, None
    ir, outlined = program + ".plain.bc", program + ".bc"
    includes = os.path.join(test.config.build, "include")
    steps = [
        [plain, *how, "-Xclang", "-disable-llvm-passes", f"-I{include}", f"-I{includes}", *flags, "-c",
         "-emit-llvm", source, "-o", ir],
        ["opt", f"-passes={OUTLINE}", ir, "-o", outlined],
    ]
    for step in steps:
        if failure := run(step, test):
            return source, failure
    return outlined, None


def run(command, test, threads=None, heap=None):
    """Runs a command, OpenMP with so many threads, on that heap; what went wrong, or None."""
    line = shlex.join(command)
    environment = test.config.environment
    if heap:
        line = f"LD_PRELOAD={heap} {line}"
        environment = {**environment, "LD_PRELOAD": heap}
    if threads:
        line = f"OMP_NUM_THREADS={threads} {line}"
        environment = {**environment, "OMP_NUM_THREADS": threads}
    try:
        out, err, code = lit.util.executeCommand(
            command, cwd=os.path.dirname(test.getExecPath()), env=environment,
            timeout=TIMEOUT)
    except lit.util.ExecuteCommandTimeoutException:
        return f"$ {line}\nno end after {TIMEOUT} seconds\n"
    if code == 0:
        return None
    return f"$ {line}\n{out}{err}exit code {code}\n"
