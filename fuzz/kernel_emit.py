# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Program form -> CUDA, and the harness that calls the derivatives of kernels.

The entry function is a device function; a kernel per mode calls it, or its derivative, in all threads of the launch. What
a thread gets back (adjoints of numbers that were passed by value) is added up over the threads."""

import emit
from emit import CEmitter
from program import CTYPE

PRELUDE = """#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
template <typename R, typename... A> __device__ R __enzyme_autodiff(void *, A...);
template <typename R, typename... A> __device__ R __enzyme_fwddiff(void *, A...);
extern __device__ int enzyme_const;
#define memmove __builtin_memmove
#define PICK(T, K) \\
  __attribute__((noinline, unused)) static __device__ T *rgpick_##K(int c, T *a, T *b) { \\
    return c ? a : b; \\
  }
PICK(float, f)
PICK(double, d)
""" + emit.SAY + """static void rgmust(cudaError_t e) {
  if (e == cudaSuccess) return;
  fprintf(stderr, "%s\\n", cudaGetErrorString(e));
  fflush(stdout);
  _exit(3);
}
template <typename T> static T *rgup(const T *from, size_t bytes) {
  T *to;
  rgmust(cudaMalloc((void **)&to, bytes));
  rgmust(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
  return to;
}
template <typename T> static void rgdown(T *to, const T *from, size_t bytes) {
  rgmust(cudaDeviceSynchronize());
  rgmust(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}
"""

WHERE = """const int t = threadIdx.x + blockDim.x * threadIdx.y, b = blockIdx.x;
const int T = blockDim.x * blockDim.y, B = gridDim.x;"""


class KernelEmitter(CEmitter):
    GLOBAL, FUNCTION = "__constant__ static", "__device__ "

    def prologue(self, function):
        return [["where"]]

    def s_where(self):
        for text in WHERE.splitlines():
            self.line(text)

    def f_fun(self, kind, name, args):
        suffix = "f" if kind == "f" else ""
        return f"{name}{suffix}({', '.join(f'({CTYPE[kind]}){self.f(a)}' for a in args)})"

    def s_shared(self, how, kind, name, size):
        if how == "dynamic":
            self.line(f"extern __shared__ {CTYPE[kind]} rgdynamic_{kind}[];")
            self.line(f"{CTYPE[kind]} *{name} = rgdynamic_{kind};")
        else:
            self.line(f"__shared__ {CTYPE[kind]} {name}[{size}];")

    def s_stride(self, var, start, step, size, body):
        self.block(f"for (int {var} = {self.i(start)}; {var} < {size}; {var} += {self.i(step)}) {{",
                   body)

    def s_sync(self, how, mask):
        self.line("__syncthreads();" if how == "threads" else f"__syncwarp({mask}u);")

    def s_vote(self, name, how, mask, cond):
        call = {"count": "__syncthreads_count(%s)", "and": "__syncthreads_and(%s) != 0",
                "or": "__syncthreads_or(%s) != 0", "any": f"__any_sync({mask}u, %s) != 0",
                "all": f"__all_sync({mask}u, %s) != 0",
                "ballot": f"__popc(__ballot_sync({mask}u, %s))"}[how]
        self.line(f"const int {name} = {call % self.c(cond)};")

    def s_shfl(self, kind, name, how, mask, e, by, width):
        function = "__shfl_sync" if how == "idx" else f"__shfl_{how}_sync"
        self.line(f"{CTYPE[kind]} {name} = {function}({mask}u, ({CTYPE[kind]}){self.f(e)},"
                  f" {self.i(by)}, {width});")

    def s_atom(self, kind, ref, index, e):
        self.line(f"atomicAdd({self.ref(ref)} + {self.i(index)}, ({CTYPE[kind]}){self.f(e)});")

    def s_lanes(self, low, high, body):
        self.block(f"if ((t & 31) >= {low} && (t & 31) < {high}) {{", body)

    def s_bcall(self, kind, name, function, args):
        self.line(f"{CTYPE[kind]} {name} = {self.call(function, args)};")


class KernelHarness(emit.Harness):
    def declare(self, modes, ret, rtype):
        pass  # The prelude's templates are declared for all.

    def memory(self):
        return [(name, ptype) for name, ptype in self.entry["params"] if ptype[0] in ("a", "ca", "ia")]

    def signature(self, prefixes, scalars):
        """Parameters of a function: memory with a parameter per prefix (constant memory with one), numbers by value,
        with their tangents if scalars is "dup"."""
        e, out = self.emitter, []
        for name, ptype in self.entry["params"]:
            if ptype[0] in ("a", "al"):
                out += [e.param(p + name, ptype) for p in prefixes]
            else:
                out.append(e.param(name, ptype))
                if ptype[0] == "s" and scalars == "dup":
                    out.append(e.param("t_" + name, ptype))
        return out

    def passed(self, prefixes, scalars):
        """The same as arguments, within the kernel."""
        out = []
        for name, ptype in self.entry["params"]:
            if ptype[0] in ("a", "al"):
                out += [p + name for p in prefixes]
                continue
            if ptype[0] in ("ca", "ia") and len(prefixes) > 1:
                out.append("enzyme_const")
            out.append(name)
            if ptype[0] == "s" and scalars == "dup":
                out.append("t_" + name)
        return ", ".join(out)

    PREFIXES = {"p": ("",), "r": ("", "d_"), "f": ("", "t_"), "h": ("", "t_", "d_", "z_")}

    def in_front(self, mode, f, rtype):
        """The kernel of a mode."""
        scalars = [n for n, p in self.entry["params"] if p[0] == "s"]
        prefixes = self.PREFIXES[mode]
        dup = "dup" if mode in "fh" else "value"
        if mode == "h":
            params = self.signature(("", "d_"), "value")
            call = f"__enzyme_autodiff<{rtype}>((void *){f}, {self.passed(('', 'd_'), 'value')});"
            if scalars:
                params.append(f"{rtype} *out")
                call = "*out = " + call
            self.lines.append(f"__device__ static void {self.tag}grad({', '.join(params)}) {{")
            self.line(call)
            self.lines.append("}")
        params = self.signature(prefixes, dup)
        if scalars and mode in "rh":
            params.append("double *out")
        self.lines.append(f"__global__ static void {self.tag}k{mode}({', '.join(params)}) {{")
        passed = self.passed(prefixes, dup)
        if mode == "p":
            self.line(f"{f}({passed});")
        elif mode == "f":
            self.line(f"__enzyme_fwddiff<void>((void *){f}, {passed});")
        elif mode == "r":
            self.line(("" if not scalars else f"{rtype} got = ") +
                      f"__enzyme_autodiff<{rtype}>((void *){f}, {passed});")
        else:
            if scalars:
                self.line(f"{rtype} z, got;")
                self.line("memset(&z, 0, sizeof z); memset(&got, 0, sizeof got);")
                passed += ", &got, &z"
            self.line(f"__enzyme_fwddiff<void>((void *){self.tag}grad, {passed});")
        if mode in "rh":
            for k, name in enumerate(scalars):
                place = "z" if mode == "h" else "got"
                place += f".{name}" if len(scalars) > 1 else ""
                self.line(f"atomicAdd(out + {k}, (double){place});")
        self.lines.append("}")

    def mode(self, mode, scalars):
        values = {"": "b_", "d_": "d_", "t_": "t_", "z_": "z_"}
        parts = {"": 0, "t_": 1, "d_": 2, "z_": None}
        for p in self.PREFIXES[mode]:
            self.buffers(values[p], parts[p])
            for name, ptype in self.memory():
                if p == "" or ptype[0] == "a":
                    host = values[p] + name
                    kind = "int" if ptype[0] == "ia" else CTYPE[ptype[1]]
                    self.line(f"{kind} *g{host} = rgup({host}, sizeof {host});")
        args = []
        for name, ptype in self.entry["params"]:
            value = self.program["inputs"].get(name)
            if ptype[0] == "s":
                args.append(self.scalar(ptype[1], value[0]))
                if mode in "fh":
                    args.append(self.scalar(ptype[1], value[1]))
            elif ptype[0] == "i":
                args.append(str(value))
            elif ptype[0] == "al":
                args += [f"g{values[p]}{ptype[1]} + {ptype[2]}" for p in self.PREFIXES[mode]]
            else:
                args += [f"g{values[p]}{name}" for p in self.PREFIXES[mode]
                         if p == "" or ptype[0] == "a"]
        if scalars and mode in "rh":
            self.line(f"double out[{len(scalars)}] = {{0}};")
            self.line("double *gout = rgup(out, sizeof out);")
            args.append("gout")
        grid, block, dynamic = self.program["launch"]
        # Derivatives need room for the shadows of dynamic shared memory, too.
        bytes_ = dynamic * (1 if mode == "p" else 4)
        self.line(f"{self.tag}k{mode}<<<dim3({grid[0]}), dim3({block[0]}, {block[1]}), {bytes_}>>>"
                  f"({', '.join(args)});")
        self.line("rgmust(cudaGetLastError());")
        shown = values[self.PREFIXES[mode][-1]]
        for name, ptype in self.memory():
            if ptype[0] == "a":
                self.line(f"rgdown({shown}{name}, g{shown}{name}, sizeof {shown}{name});")
        if scalars and mode in "rh":
            self.line("rgdown(out, gout, sizeof out);")
            for k, (name, _) in enumerate(scalars):
                self.say(mode, name, 0, f"out[{k}]")
        self.report(mode, shown)

    def mode_p(self, f, ret, rtype, scalars):
        self.mode("p", scalars)

    def mode_r(self, f, ret, rtype, scalars):
        self.mode("r", scalars)

    def mode_f(self, f, ret, rtype, scalars):
        self.mode("f", scalars)

    def mode_h(self, f, ret, rtype, scalars):
        self.mode("h", scalars)


emit.LANGUAGES["cu"] = emit.Language(KernelEmitter, KernelHarness, PRELUDE)
