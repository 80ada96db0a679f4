# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Native functions as operators of PyTorch, for tensors on the CPU; CUDA kernels and CUDA programs, for tensors on the
GPU.

Three operators for each function, made by torch.library.custom_op. Each has a fake implementation (shapes
without numbers, for torch.compile), and each but the last a derivative:

    value     arguments                                  -> outputs
    rev       arguments, gradients of the outputs        -> gradients of the active parameters
    rev.fwd   arguments, gradients, directions           -> the second derivative along the directions
    fwd       arguments, directions                      -> tangents of the outputs

The derivative of value is rev. That of rev is rev.fwd by the arguments, and fwd by the gradients. An operator
never changes its arguments: arrays that the function writes are new tensors among the outputs.
"""

import hashlib
import itertools

import numpy as np
import torch
from torch.autograd import forward_ad

_TENSOR = {np.dtype(np.float32): torch.float32, np.dtype(np.float64): torch.float64,
           np.dtype(np.int8): torch.int8, np.dtype(np.int16): torch.int16, np.dtype(np.int32): torch.int32,
           np.dtype(np.int64): torch.int64, np.dtype(np.uint8): torch.uint8, np.dtype(np.bool_): torch.bool}


class TorchFunction:
    """The function for PyTorch: takes and returns tensors."""

    _device = "cpu"  # where tensors are
    _where = ("the function runs on the CPU, give tensor.cpu(); of a CUDA source, target=\"gpu\" makes a function that takes "
              "tensors on the GPU")

    def __init__(self, function, tag=""):
        self.function = function
        self.__name__ = function.name
        self.__doc__ = function.__doc__
        for p in function.parameters:
            if p.dtype not in _TENSOR:
                raise TypeError(f"'{p.name}' of {function.name}() is {p.text}, for which PyTorch has no tensors")
        if function.result is not None and function.result not in _TENSOR:
            raise TypeError(f"{function.name}() returns a number for which PyTorch has no tensors")
        self._parameters = function.parameters
        # Integers by value are integers for PyTorch, too: they may decide on lengths.
        self._integers = [p.by_value and p.dtype.kind in "iub" for p in self._parameters]
        self._active = [i for i, p in enumerate(self._parameters) if p.active]
        self._written = [i for i, p in enumerate(self._parameters) if not p.readonly]
        self._result = function.result is not None
        self._outputs = ([-1] if self._result else []) + self._written
        self._active_outputs = [o for o in self._outputs if o < 0 or self._parameters[o].active]
        if not self._outputs:
            raise TypeError(f"{function.name}() returns and writes nothing")
        key = hashlib.sha256(f"{function.path} {function.name} {function.active}{tag}".encode()).hexdigest()[:12]
        base = "".join(c if c.isalnum() else "_" for c in function.name) + "_" + key
        self._second = self._define(base + "_second", ["seeds", "directions"], self._active, self._run_second)
        self._forward = self._define(base + "_forward", ["directions"], self._active_outputs, self._run_forward)
        self._reverse = self._define(base + "_reverse", ["seeds"], self._active, self._run_reverse)
        self._value = self._define(base, [], self._outputs, self._run_value)
        self._value.register_autograd(self._value_backward, setup_context=self._keep(len(self._parameters)))
        count = len(self._parameters)
        self._reverse.register_autograd(self._reverse_backward, setup_context=self._keep(count + 1))

    # -- operators ---------------------------------------------------------------

    def _define(self, name, lists, outputs, run):
        kinds = ["SymInt" if whole else "Tensor" for whole in self._integers] + ["Tensor[]"] * len(lists)
        names = [f"a{i}" for i in range(len(self._parameters))] + lists
        schema = f"({', '.join(f'{k} {n}' for k, n in zip(kinds, names))}) -> Tensor[]"
        made = torch.library.custom_op(f"retrograd::{name}", run, mutates_args=(), schema=schema,
                                       device_types=self._device)

        def fake(*args):
            tensors = [a for a, p in zip(args, self._parameters) if isinstance(a, torch.Tensor) and not p.by_value]
            tensors += [a for a in args if isinstance(a, torch.Tensor)]
            like = tensors[0] if tensors else torch.empty(())
            return [like.new_empty((), dtype=_TENSOR[self.function.result]) if i < 0
                    else torch.empty_like(args[i], memory_format=torch.contiguous_format) for i in outputs]

        made.register_fake(fake)
        return made

    def _arrays(self, args):
        """The base slots: the result, and the arguments; those that are written are copied."""
        arrays = [np.zeros((), self.function.result)] if self._result else []
        for i, (p, a) in enumerate(zip(self._parameters, args)):
            if self._integers[i]:
                arrays.append(p.take(a, False))
            else:
                array = a.detach().contiguous().numpy()
                arrays.append(array.copy() if not p.readonly else array)
        return arrays

    def _where_given(self, args):
        """The arguments' slots: arrays stay in the memory they are in, those that are written are copied. Numbers are
        on the host."""
        slots = []
        for i, (p, a) in enumerate(zip(self._parameters, args)):
            if self._integers[i]:
                slots.append(p.take(a, False))
            elif p.by_value:
                slots.append(a.detach().cpu().numpy())
            else:
                slots.append(a.detach().contiguous() if p.readonly
                             else a.detach().clone(memory_format=torch.contiguous_format))
        return slots

    def _slots(self):
        at = 1 if self._result else 0
        return ([-1] if self._result else []) + self._active, at

    def _shadows(self, base, tensors, order):
        """A shadow for each active slot: a copy of the tensor that is given, or zeros."""
        slots, at = self._slots()
        given = dict(zip(order, tensors))
        shadows = []
        for i in slots:
            like = base[i + at if i >= 0 else 0]
            tensor = given.get(i)
            shadows.append(np.zeros(like.shape, like.dtype) if tensor is None
                           else np.array(tensor.detach().numpy(), dtype=like.dtype, order="C"))
        return shadows

    def _taken(self, shadows, outputs):
        slots, _ = self._slots()
        return [self._tensor(shadows[slots.index(i)]) for i in outputs]

    @staticmethod
    def _tensor(array):
        return torch.from_numpy(array)

    def _run(self, steps, base, shadows):
        self.function.run(steps, base + shadows, len(base))

    def _home(self, tensors, outputs, args):
        """The results where PyTorch expects them."""
        return tensors

    def _run_value(self, *args):
        base = self._arrays(args)
        self._run("value", base, [])
        at = 1 if self._result else 0
        return self._home([self._tensor(base[i + at if i >= 0 else 0]) for i in self._outputs], self._outputs, args)

    def _run_reverse(self, *args):
        *args, seeds = args
        base = self._arrays(args)
        shadows = self._shadows(base, seeds, self._active_outputs)
        self._run("rev", base, shadows)
        return self._home(self._taken(shadows, self._active), self._active, args)

    def _run_forward(self, *args):
        *args, directions = args
        base = self._arrays(args)
        shadows = self._shadows(base, directions, self._active)
        self._run("fwd", base, shadows)
        return self._home(self._taken(shadows, self._active_outputs), self._active_outputs, args)

    def _run_second(self, *args):
        *args, seeds, directions = args
        base = self._arrays(args)
        adjoints = self._shadows(base, seeds, self._active_outputs)
        tangents = self._shadows(base, directions, self._active)
        second = self._shadows(base, [], [])
        self._run("rev.fwd", base, adjoints + tangents + second)
        return self._home(self._taken(second, self._active), self._active, args)

    # -- derivatives ---------------------------------------------------------------

    def _keep(self, count):
        """Keeps the operands for the derivative; how many of the first are single."""
        single = len(self._parameters)

        def setup(ctx, inputs, output):
            tensors = [a for a in inputs[:single] if isinstance(a, torch.Tensor)]
            ctx.seeds = len(inputs[single]) if count > single else 0
            ctx.save_for_backward(*tensors, *(inputs[single] if count > single else ()))
            ctx.integers = [None if isinstance(a, torch.Tensor) else a for a in inputs[:single]]

        return setup

    def _kept(self, ctx):
        tensors = iter(ctx.saved_tensors)
        args = [next(tensors) if whole is None else whole for whole in ctx.integers]
        return args, list(tensors)

    def _filled(self, gradients, outputs, args):
        """Gradients of the active outputs among `outputs`, zeros for those that have none."""
        filled = []
        for g, i in zip(gradients, outputs):
            if i >= 0 and not self._parameters[i].active:
                continue
            like = args[i] if i >= 0 else next((a for a in args if isinstance(a, torch.Tensor)), torch.empty(()))
            shape, kind = (like.shape, like.dtype) if i >= 0 else ((), _TENSOR[self.function.result])
            filled.append(torch.zeros(shape, dtype=kind, device=like.device) if g is None else g)
        return filled

    def _per_argument(self, gradients):
        found = dict(zip(self._active, gradients))
        return [found.get(i) for i in range(len(self._parameters))]

    def _refuse_tangents(self, tensors):
        """PyTorch asks no operator of this kind for tangents: it would take them to be zero."""
        if forward_ad._current_level < 0:
            return
        for tensor in tensors:
            if isinstance(tensor, torch.Tensor) and forward_ad.unpack_dual(tensor).tangent is not None:
                raise NotImplementedError(f"{self.function.name}() does not support the forward mode of PyTorch: use "
                                          "f.jvp(args, tangents) with NumPy arrays, or backward twice")

    def _value_backward(self, ctx, gradients):
        self._refuse_tangents(gradients)
        args, _ = self._kept(ctx)
        return tuple(self._per_argument(self._reverse(*args, self._filled(gradients, self._outputs, args))))

    def _reverse_backward(self, ctx, gradients):
        self._refuse_tangents(gradients)
        args, seeds = self._kept(ctx)
        directions = self._filled(gradients, self._active, args)
        second = self._second(*args, seeds, directions)
        return (*self._per_argument(second), list(self._forward(*args, directions)))

    # -- calls ---------------------------------------------------------------------

    def _takes(self, parameter, tensor):
        """Is the tensor where the function can reach it?"""
        return tensor.device.type == self._device or (parameter.by_value and self._device != "cpu")

    def __call__(self, *args, **named):
        f = self.function
        operands = []
        for p, whole, a in zip(self._parameters, self._integers, f.arrange(args, named)):
            if whole:
                if isinstance(a, torch.Tensor):
                    raise TypeError(f"'{p.name}' of {f.name}() is {p.text}: give a Python integer, as n.item()")
                if isinstance(a, float):
                    raise TypeError(f"'{p.name}' of {f.name}() is {p.text} and was given the float {a}")
                operands.append(a)
                continue
            kind = _TENSOR[p.dtype]
            if not isinstance(a, torch.Tensor):
                a = torch.as_tensor(a, dtype=kind)
            if not self._takes(p, a):
                raise TypeError(f"'{p.name}' of {f.name}() is on '{a.device}': {self._where}")
            if a.dtype.is_complex or a.dtype.is_floating_point != kind.is_floating_point:
                raise TypeError(f"'{p.name}' of {f.name}() is {p.text} and was given {a.dtype}")
            if p.by_value and p.group == 1 and a.dim():
                raise TypeError(f"'{p.name}' of {f.name}() is one {p.text} and was given a tensor of shape "
                                f"{tuple(a.shape)}")
            p.check_size(a.numel())
            operand = a.to(kind)
            if operand is not a and not kind.is_floating_point and not torch.compiler.is_compiling() \
                    and not torch.equal(operand.to(a.dtype), a):
                raise ValueError(f"'{p.name}' of {f.name}() is {p.text} and was given numbers that it cannot hold")
            operands.append(operand)
        self._refuse_tangents(operands)
        out = self._value(*operands)
        return out[0] if len(out) == 1 else tuple(out)

    def __repr__(self):
        return f"<retrograd function for PyTorch: {self.__doc__}>"


class TorchProgram(TorchFunction):
    """A host function of a CUDA program: each array is in device memory or in host memory, as the function wants it.
    The function waits for the current stream, and what it launches has ended when it returns."""

    _device = None  # of all kinds
    _where = "the function takes tensors on the CPU and on one GPU"

    def _takes(self, parameter, tensor):
        return tensor.device.type in ("cpu", "cuda")

    def _arrays(self, args):
        result = [np.zeros((), self.function.result)] if self._result else []
        return result + self._where_given(args)

    def _shadows(self, base, tensors, order):
        slots, at = self._slots()
        given, shadows = dict(zip(order, tensors)), []
        for i in slots:
            like, tensor = base[i + at if i >= 0 else 0], given.get(i)
            if isinstance(like, np.ndarray):
                shadows.append(np.zeros(like.shape, like.dtype) if tensor is None
                               else np.array(tensor.detach().cpu().numpy(), dtype=like.dtype))
            else:
                shadows.append(torch.zeros_like(like) if tensor is None
                               else tensor.detach().to(like).clone(memory_format=torch.contiguous_format))
        return shadows

    def _home(self, tensors, outputs, args):
        """A number goes where its argument is, the result where the first array is."""
        first = next((a for a, p in zip(args, self._parameters) if isinstance(a, torch.Tensor) and not p.by_value),
                     next((a for a in args if isinstance(a, torch.Tensor)), torch.empty(())))
        return [t.to((args[i] if i >= 0 else first).device) for t, i in zip(tensors, outputs)]

    @staticmethod
    def _tensor(array):
        return torch.from_numpy(array) if isinstance(array, np.ndarray) else array

    def _run(self, steps, base, shadows):
        slots = base + shadows
        devices = {s.device for s in slots if isinstance(s, torch.Tensor) and s.device.type == "cuda"}
        if len(devices) > 1:
            raise TypeError(f"{self.function.name}() was given tensors on {', '.join(sorted(map(str, devices)))}: "
                            f"{self._where}")

        def run():
            self.function.run_at(steps, [s.ctypes.data if isinstance(s, np.ndarray) else s.data_ptr() for s in slots],
                                 self.function.lengths([b.size if isinstance(b, np.ndarray) else b.numel() for b in base]))

        if not devices:
            return run()
        device = devices.pop()
        torch.cuda.current_stream(device).synchronize()
        with torch.cuda.device(device):
            run()
        torch.cuda.synchronize(device)


class TorchKernel(TorchFunction):
    """A kernel for PyTorch: takes and returns tensors of the kernel's device, launched on the current stream."""

    _number = itertools.count()

    def __init__(self, kernel, grid, block, shared):
        self._grid, self._block, self._shared = grid, block, shared
        self._device = "cuda" if kernel.target == "gpu" else "cpu"
        self._where = ("the kernel runs on the GPU, give tensor.cuda()" if kernel.target == "gpu" else
                       'the kernel was compiled for the processor: compile it with target="gpu", or give tensor.cpu()')
        # Each launch configuration has operators of its own.
        super().__init__(kernel, f" {next(TorchKernel._number)}")

    def _arrays(self, args):
        return self._where_given(args)

    def _shadows(self, base, tensors, order):
        given = dict(zip(order, tensors))
        return [torch.zeros_like(base[i]) if given.get(i) is None
                else given[i].detach().to(base[i].dtype).clone(memory_format=torch.contiguous_format)
                for i in self._active]

    @staticmethod
    def _tensor(array):
        return array

    def _run(self, steps, base, shadows):
        def dimension(given):
            return given(*base) if callable(given) else given  # of tensors and numbers

        on_gpu = self._device == "cuda"
        arrays = [a if on_gpu or not isinstance(a, torch.Tensor) else a.numpy() for a in base]
        shadows = [s if on_gpu else s.numpy() for s in shadows]
        stream = torch.cuda.current_stream(next(a.device for a in base if isinstance(a, torch.Tensor))).cuda_stream \
            if on_gpu else None
        self.function.launch(steps, dimension(self._grid), dimension(self._block), arrays, shadows, self._shared, stream)
