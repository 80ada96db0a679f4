# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA kernels of a library that `retrograd export` made.

    k = rg.compile("scale.cu", "scale", target="gpu")    # __global__ void scale(const float *x, float *y, int n)
    k(grid, block, x, y, n)                              # launches it
    k.reverse(grid, block, (x, y, n), (dx, dy))          # adds to dx what dy says
    y = k.torch(grid, block)(x, y, n)                    # an operator of PyTorch
    y = k.jax(grid, block)(x, y, n)                      # a function of JAX arrays

Memory belongs to the caller: device arrays for target="gpu" (anything with __cuda_array_interface__: CuPy,
Numba, PyTorch), NumPy arrays for target="cpu", where the kernel runs on the processor.
"""

import numpy as np

from ._function import Exported, _describe


def dimensions(given, what):
    """Blocks, or threads of a block: a number, or up to three."""
    three = (given,) if np.ndim(given) == 0 else tuple(given)
    if not 1 <= len(three) <= 3 or any(int(n) != n or n < 1 for n in three):
        raise ValueError(f"{what} is one to three positive integers and not {given!r}")
    return tuple(int(n) for n in three) + (1,) * (3 - len(three))


class Kernel(Exported):
    """A kernel. Calling it launches it; `reverse` and `forward` launch its derivatives.

    Active are the arrays of numbers but those named as constants; numbers by value are not.
    Without a stream, each call waits until the kernel has ended.
    """

    def __repr__(self):
        return f"<retrograd kernel: {self.__doc__}>"

    def _slot(self, parameter, given):
        """The address of an argument, and what has to live until the launch."""
        if parameter.by_value:
            number = parameter._number(given)
            return number.ctypes.data, number.size, number
        view = getattr(given, "__cuda_array_interface__", None) if self.target == "gpu" else None
        if view is None and self.target == "gpu":
            raise TypeError(f"'{parameter.name}' of {self.name}() is in device memory: give an array with "
                            f"__cuda_array_interface__ (CuPy, Numba, PyTorch), not {_describe(given)}")
        if view is None:
            if not (isinstance(given, np.ndarray) and given.dtype == parameter.dtype and
                    given.flags.c_contiguous and (parameter.readonly or given.flags.writeable)):
                raise TypeError(f"'{parameter.name}' of {self.name}() is a contiguous array of {parameter.dtype}, not "
                                f"{_describe(given)}; the library was made for the processor (target=\"cpu\")")
            return given.ctypes.data, given.size, given
        address, readonly = view["data"]
        if np.dtype(view["typestr"]) != parameter.dtype or view.get("strides") or (readonly and not parameter.readonly):
            raise TypeError(f"'{parameter.name}' of {self.name}() is a contiguous array of {parameter.dtype} in device "
                            f"memory, and was given one of {np.dtype(view['typestr'])}"
                            f"{', with strides' if view.get('strides') else ''}{', read-only' if readonly else ''}")
        return address or 0, int(np.prod(view["shape"], dtype=np.int64)), given

    def launch(self, steps, grid, block, args, shadows=(), shared=0, stream=None):
        """Launches an entry ("value", "rev", "fwd", ...). `shadows` has one array for each slot behind the
        parameters: for "rev" and "fwd" one for each active parameter."""
        slots = [self._slot(p, a) for p, a in zip(self.parameters, self.arrange(args, {}))]
        active = [p for p in self.parameters if p.active]
        count = len(active) * (2 ** (steps.count(".") + 1) - 1 if steps != "value" else 0)
        if len(shadows) != count:
            raise TypeError(f"{self.name}(): {count} shadows are needed, one for each of {', '.join(self.active)}, and "
                            f"{len(shadows)} were given")
        for i, shadow in enumerate(shadows):
            parameter = active[i % len(active)]
            slot = self._slot(_Writable(parameter), shadow)
            size = slots[self.parameters.index(parameter)][1]
            if slot[1] < size:
                raise ValueError(f"the shadow of '{parameter.name}' has {slot[1]} elements, and the array {size}")
            slots.append(slot)
        base = len(self.parameters)
        lengths = [size for _, size, _ in slots[:base]]
        lengths += [*dimensions(grid, "grid"), *dimensions(block, "block"), int(shared), int(stream or 0),
                    int(stream is None)]
        self.run_at(steps, [address for address, _, _ in slots], lengths)

    def __call__(self, grid, block, *args, shared=0, stream=None):
        self.launch("value", grid, block, args, (), shared, stream)

    def reverse(self, grid, block, args, shadows, shared=0, stream=None):
        """Runs the kernel and then backwards. `shadows` are arrays like the active parameters, in their order:
        those of outputs hold their adjoints and are consumed, those of inputs are added to."""
        self.launch("rev", grid, block, args, shadows, shared, stream)

    def forward(self, grid, block, args, shadows, shared=0, stream=None):
        """Runs the kernel with tangents: `shadows` hold those of the inputs, and get those of the outputs."""
        self.launch("fwd", grid, block, args, shadows, shared, stream)

    def torch(self, grid, block, shared=0):
        """The kernel as an operator of PyTorch, launched on the current stream. `grid` and `block` are numbers, up
        to three each, or functions of the arguments. Arrays that the kernel writes are outputs; their arguments are
        the first contents."""
        from ._torch import TorchKernel

        return TorchKernel(self, grid, block, shared)

    def jax(self, grid, block, shared=0):
        """The kernel as a function of JAX arrays, under jit, grad, vmap; on a GPU it is launched on XLA's stream.
        `grid` and `block` are as for torch. Arrays that the kernel writes are results; their arguments are the
        first contents. Numbers by value are Python numbers."""
        from ._jax_kernel import JaxKernel

        return JaxKernel(self, grid, block, shared)


class _Writable:
    """A parameter's shadow: like the parameter, but written."""

    def __init__(self, parameter):
        self.name = f"shadow of {parameter.name}"
        self.dtype, self.by_value, self.readonly = parameter.dtype, False, False
