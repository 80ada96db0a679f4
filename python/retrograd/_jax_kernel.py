# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA kernels under JAX: jit, grad, vjp, jvp, vmap; on the processor, or on a GPU on the stream that XLA hands over.

One primitive stands for the entries of a kernel. Its operands are the arrays among the arguments, then:

    value     nothing                                     -> the arrays that are written
    fwd       tangents of the active arrays               -> tangents of the active arrays that are written
    rev       cotangents of the active written arrays     -> cotangents of the active arrays

The tangent of value is fwd, whose transpose is rev. Both are linear in what stands behind the arguments.

The handler copies nothing and takes no memory. What an entry writes is a result of the call, and the operand with
its first contents is an alias of that result: XLA makes the copy where the operand is still needed. What an entry
writes and nobody reads is a result, too, which is dropped.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from ._jax import register
from ._kernel import dimensions

_ARGUMENT, _RESULT, _NUMBER = range(3)
_TARGETS = {"cpu": ("retrograd_launch", "retrograd_jax_launch"), "cuda": ("retrograd_launch_gpu", "retrograd_jax_launch_gpu")}


@functools.cache
def _register(platform):
    register(*_TARGETS[platform], platform if platform == "cpu" else "CUDA")


class _Arrays:
    """The arrays among a kernel's parameters. Indices are places among these arrays."""

    def __init__(self, kernel):
        self.parameters = [p for p in kernel.parameters if not p.by_value]
        self.active = [i for i, p in enumerate(self.parameters) if p.active]
        self.written = [i for i, p in enumerate(self.parameters) if not p.readonly]
        self.active_written = [i for i in self.written if i in self.active]


@functools.cache
def _arrays(kernel):
    return _Arrays(kernel)


_p = Primitive("retrograd_kernel")
_p.multiple_results = True


def _results(kernel, steps):
    a = _arrays(kernel)
    return {"value": a.written, "fwd": a.active_written, "rev": a.active}[steps]


@functools.cache
def _compiled(**chosen):
    return jax.jit(functools.partial(_p.bind, **chosen))


@_p.def_impl
def _impl(*operands, **chosen):
    return _compiled(**chosen)(*operands)


@_p.def_abstract_eval
def _abstract(*operands, kernel, steps, numbers, launch):
    return [jax.core.ShapedArray(operands[i].shape, operands[i].dtype) for i in _results(kernel, steps)]


def _called(*operands, kernel, steps, numbers, launch, platform):
    """The foreign call, in terms of arrays of JAX."""
    a = _arrays(kernel)
    arrays, more = list(operands[:len(a.parameters)]), iter(operands[len(a.parameters):])
    inputs, results, aliases, plan = [], [], {}, []

    def read(array):
        inputs.append(array)
        plan.append((_ARGUMENT, len(inputs) - 1, array.size))

    def write(array):
        """Gives the number of the result whose first contents `array` are."""
        aliases[len(inputs)] = len(results)
        inputs.append(array)
        results.append(jax.ShapeDtypeStruct(array.shape, array.dtype))
        plan.append((_RESULT, len(results) - 1, array.size))
        return len(results) - 1

    place, at, bits = {}, 0, iter(numbers)
    for p in kernel.parameters:
        if p.by_value:
            plan.append((_NUMBER, next(bits), 1))
            continue
        if p.readonly:
            read(arrays[at])
        else:
            place[at] = write(arrays[at])
        at += 1
    lengths = len(plan)
    if steps != "value":
        given = dict(zip(a.active if steps == "fwd" else a.active_written, more))
        for i in a.active:
            if steps == "fwd" and i not in a.written:
                read(given[i])
            else:
                place[i] = write(given[i] if i in given else jnp.zeros_like(arrays[i]))
    call = jax.ffi.ffi_call(_TARGETS[platform][0], results, input_output_aliases=aliases)
    out = call(*inputs, library=kernel.entry_library(steps), symbol=kernel.entry(steps).__name__,
               lengths=np.int64(lengths), where=np.array(launch, np.int64), plan=np.array(plan, np.int64).reshape(-1))
    return [out[place[i]] for i in _results(kernel, steps)]


def _lower(platform, ctx, *operands, **chosen):
    kernel, needed = chosen["kernel"], "cuda" if chosen["kernel"].target == "gpu" else "cpu"
    if needed != platform:
        raise NotImplementedError(
            f"{kernel.name}() was compiled for the {'GPU' if needed == 'cuda' else 'processor'}, and JAX places this "
            f"computation on the {'processor' if needed == 'cuda' else 'GPU'}: compile it with "
            f"target=\"{'cpu' if needed == 'cuda' else 'gpu'}\", or put the arguments on another device")
    _register(platform)
    return mlir.lower_fun(functools.partial(_called, platform=platform), multiple_results=True)(ctx, *operands, **chosen)


for _platform in _TARGETS:
    mlir.register_lowering(_p, functools.partial(_lower, _platform), platform=_platform)


def _batch_rule(operands, axes, **chosen):
    """One launch for each example: a kernel has its blocks and threads for itself."""
    many = [jnp.moveaxis(o, axis, 0) for o, axis in zip(operands, axes) if axis is not None]

    def one(rows):
        rows = iter(rows)
        return _p.bind(*(o if axis is None else next(rows) for o, axis in zip(operands, axes)), **chosen)

    out = jax.lax.map(one, many)
    return out, [0] * len(out)


batching.primitive_batchers[_p] = _batch_rule


def _dense(tangents, like):
    return [jnp.zeros(x.shape, x.dtype) if type(t) is ad.Zero else t for t, x in zip(tangents, like)]


def _jvp_rule(primals, tangents, *, kernel, steps, numbers, launch):
    a = _arrays(kernel)
    call = functools.partial(_p.bind, kernel=kernel, numbers=numbers, launch=launch)
    out, count = call(*primals, steps=steps), len(a.parameters)
    args, moved = primals[:count], [tangents[i] for i in a.active]
    total = None
    if not all(type(t) is ad.Zero for t in moved):
        if steps != "value":
            raise NotImplementedError(f"{kernel.name}: second derivatives of kernels are not available under JAX")
        total = call(*args, *_dense(moved, [args[i] for i in a.active]), steps="fwd")
    behind = tangents[count:]
    if not all(type(t) is ad.Zero for t in behind):
        total = call(*args, *_dense(behind, primals[count:]), steps=steps)
    places = a.active_written if steps == "value" else _results(kernel, steps)
    found = dict(zip(places, total)) if total is not None else {}
    return out, [found.get(i, ad.Zero(jax.typeof(o).to_tangent_aval())) for i, o in zip(_results(kernel, steps), out)]


ad.primitive_jvps[_p] = _jvp_rule


def _transpose_rule(cotangents, *operands, kernel, steps, numbers, launch):
    a = _arrays(kernel)
    args, behind = operands[:len(a.parameters)], operands[len(a.parameters):]
    seeds = [jnp.zeros(c.aval.shape, c.aval.dtype) if type(c) is ad.Zero else c for c in cotangents]
    out = _p.bind(*args, *seeds, kernel=kernel, steps={"fwd": "rev", "rev": "fwd"}[steps], numbers=numbers, launch=launch)
    return [None] * len(args) + [o if ad.is_undefined_primal(b) else None for o, b in zip(out, behind)]


ad.primitive_transposes[_p] = _transpose_rule


class JaxKernel:
    """The kernel for JAX: takes arrays and Python numbers, returns the arrays that the kernel writes."""

    def __init__(self, kernel, grid, block, shared):
        for p in kernel.parameters:
            if p.dtype.names or p.dtype.itemsize > 8:
                raise TypeError(f"'{p.name}' of {kernel.name}() is {p.text}, which JAX has not")
        if not _arrays(kernel).written:
            raise TypeError(f"{kernel.name}() writes nothing")
        self.kernel, self._grid, self._block, self._shared = kernel, grid, block, int(shared)
        self.__name__ = kernel.name
        self.__doc__ = kernel.__doc__

    def _array(self, p, given):
        given = given if hasattr(given, "dtype") else np.asarray(given)
        if p.dtype.itemsize == 8 and not jax.config.jax_enable_x64:
            raise TypeError(f"'{p.name}' of {self.__name__}() is {p.text}, and JAX has 64-bit numbers only after "
                            "jax.config.update(\"jax_enable_x64\", True)")
        if (given.dtype.kind == "f") != (p.dtype.kind == "f") and given.size:
            raise TypeError(f"'{p.name}' of {self.__name__}() is {p.text} and was given {given.dtype}")
        return jnp.asarray(given, p.dtype)

    def _number(self, p, given):
        if isinstance(given, jax.core.Tracer):
            raise TypeError(f"'{p.name}' of {self.__name__}() is passed by value: under jit it is a Python number, as "
                            "x.shape[0], or an argument named in static_argnames")
        number = p._number(given.item() if isinstance(given, jax.Array) and given.ndim == 0 else given)
        return int.from_bytes(number.tobytes().ljust(8, b"\0"), "little", signed=True)

    def __call__(self, *args, **named):
        k = self.kernel
        arrays, numbers, passed = [], [], []
        for p, given in zip(k.parameters, k.arrange(args, named)):
            if p.by_value:
                numbers.append(self._number(p, given))
                passed.append(given)
            else:
                arrays.append(self._array(p, given))
                passed.append(arrays[-1])
        launch = []
        for given, what in ((self._grid, "grid"), (self._block, "block")):
            launch += dimensions(given(*passed) if callable(given) else given, what)
        out = _p.bind(*arrays, kernel=k, steps="value", numbers=tuple(numbers), launch=(*launch, self._shared))
        return out[0] if len(out) == 1 else tuple(out)

    def __repr__(self):
        return f"<retrograd kernel for JAX: {self.__doc__}>"
