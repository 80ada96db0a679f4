# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Native functions under JAX: jit, grad, jacfwd, jacrev, vmap, hessian, on the CPU; those of CUDA programs on a GPU, too.

One primitive stands for all entries of a function. Its parameter `steps` names the entry:

    value     arguments                                -> outputs
    fwd       arguments, tangents                      -> tangents of the outputs
    rev       arguments, cotangents of the outputs     -> cotangents of the active parameters
    rev.fwd   arguments, cotangents, tangents          -> the second derivative, weighted with the cotangents,
                                                          along the tangents
    fwd.fwd   arguments, tangents, tangents            -> the second derivative of the outputs along both

The rules of JAX lead from each to the next: the tangent of value is fwd, whose transpose is rev; the tangent of
rev is rev.fwd, which is symmetric; and so on. Each entry is linear in what stands behind the arguments.

Outputs are the result, then the arrays that the function writes: JAX has no arrays that change, so these are
new arrays, and the arguments are their first contents.

`batch` counts leading dimensions over which an entry is repeated. In each of them an operand has the whole length,
or 1 if it is the same for all.
"""

import contextlib
import ctypes
import functools
import hashlib
import os
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.custom_partitioning import custom_partitioning
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _build

_TARGETS = {"cpu": ("retrograd_call", "retrograd_jax_call"), "cuda": ("retrograd_call_gpu", "retrograd_jax_call_gpu")}
_ARGUMENT, _ZERO_RESULT, _COPIED_RESULT, _COPY, _ZERO, _WIDENED = range(6)


def _library():
    """The handler of XLA's typed foreign function interface, compiled once for each version of jaxlib."""
    import jaxlib

    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_jax.cpp")
    with open(source, "rb") as file:
        key = hashlib.sha256(file.read() + jaxlib.__version__.encode()).hexdigest()[:24]
    made = os.path.join(_build._cache(), f"jax-{key}.so")
    if not os.path.exists(made):
        compiler = os.environ.get("CXX") or os.path.join(os.path.dirname(_build.tool()), "rg-clang++")
        with tempfile.TemporaryDirectory(dir=_build._cache()) as folder:
            new = os.path.join(folder, "jax.so")
            _build._run([compiler, "-O2", "-std=c++17", "-shared", "-fPIC", f"-I{jax.ffi.include_dir()}", source,
                         "-o", new], "the handler for JAX")
            os.replace(new, made)
    return made


def _keep_memory():
    """XLA takes the memory of each result from malloc. The one of glibc hands the top of the heap back to the system
    when an array of some hundred kilobytes is freed, and the next call touches new pages: for 100,000 numbers that can
    be a fifth of the time of a gradient. Its threshold adapts to the largest block that was ever freed, up to 32 MiB;
    one such block, never touched, sets it at the start. No setting of the process is replaced."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    libc.free.restype, libc.free.argtypes = None, [ctypes.c_void_p]
    libc.free(libc.malloc((32 << 20) - (8 << 10)))


def register(target, symbol, platform):
    """Tells XLA of a handler."""
    handler = getattr(ctypes.CDLL(_library()), symbol)
    jax.ffi.register_ffi_target(target, jax.ffi.pycapsule(handler), platform=platform)


@functools.cache
def _register(platform):
    if platform == "cpu":
        _keep_memory()
    register(*_TARGETS[platform], platform if platform == "cpu" else "CUDA")


class _Shape:
    """How the operands and results of an entry lie, from the signature of the function."""

    def __init__(self, function):
        self.parameters = function.parameters
        self.active = [i for i, p in enumerate(self.parameters) if p.active]
        self.written = [i for i, p in enumerate(self.parameters) if not p.readonly]
        self.has_result = function.result is not None
        # Outputs that have derivatives: -1 is the result.
        self.outputs = ([-1] if self.has_result else []) + self.written
        self.active_outputs = [o for o in self.outputs if o < 0 or self.parameters[o].active]


@functools.cache
def _shape(function):
    return _Shape(function)


def _groups(function, steps):
    """Kinds of operands behind the arguments, and of the results: "in" for the active parameters, "out" for the
    active outputs, "all" for all outputs."""
    return {"value": ([], "all"), "fwd": (["in"], "out"), "rev": (["out"], "in"),
            "rev.fwd": (["out", "in"], "in"), "fwd.fwd": (["in", "in"], "out")}[steps]


def _size(function, group):
    s = _shape(function)
    return {"in": len(s.active), "out": len(s.active_outputs), "all": len(s.outputs)}[group]


def _split(function, steps, operands):
    """Arguments, and one list for each group behind them."""
    n = len(function.parameters)
    lists, at = [list(operands[:n])], n
    for group in _groups(function, steps)[0]:
        count = _size(function, group)
        lists.append(list(operands[at:at + count]))
        at += count
    return lists


_p = Primitive("retrograd")
_p.multiple_results = True


def _call(function, steps, batch, *operands):
    return _p.bind(*operands, function=function, steps=steps, batch=batch)


@functools.cache
def _compiled(function, steps, batch):
    return jax.jit(functools.partial(_call, function, steps, batch))


@_p.def_impl
def _impl(*operands, function, steps, batch):
    return _compiled(function, steps, batch)(*operands)


def _explicit(operands, leading):
    """Where the types of arrays name axes of a mesh (jax.sharding.AxisType.Explicit): how a result with these leading
    dimensions is spread over it. The dimensions of one example are whole on each device."""
    batch = len(leading)
    meshes = [m for m in (getattr(getattr(o, "sharding", None), "mesh", None) for o in operands)
              if m is not None and not m.empty and m._any_axis_explicit] if batch else []
    if not meshes:
        return lambda rank: None
    axes = []
    for d in range(batch):
        named = [o.sharding.spec[d] for o in operands if o.shape[d] == leading[d] and d < len(o.sharding.spec)]
        axes.append(next((a for a in named if a is not None), None))
    return lambda rank: jax.sharding.NamedSharding(meshes[0], jax.sharding.PartitionSpec(*axes, *[None] * (rank - batch)))


def _abstract(*operands, function, steps, batch):
    s, leading = _shape(function), ()
    if batch:
        leading = np.broadcast_shapes(*(o.shape[:batch] for o in operands))
    spread = _explicit(operands, leading)

    def aval(index):
        shape = (*leading, *(() if index < 0 else operands[index].shape[batch:]))
        kind = function.result if index < 0 else s.parameters[index].dtype
        sharding = spread(len(shape))
        return jax.core.ShapedArray(shape, kind, **({"sharding": sharding} if sharding is not None else {}))

    chosen = {"in": s.active, "out": s.active_outputs, "all": s.outputs}[_groups(function, steps)[1]]
    return [aval(i) for i in chosen]


def _lower_call(platform, ctx, *operands, function, steps, batch):
    """The foreign call of one device."""
    if platform == "cuda" and function.target != "gpu":
        raise NotImplementedError(
            f"{function.name}() runs on the processor, and JAX places this computation on a GPU: put the arguments on "
            'jax.devices("cpu")[0], or use jax.default_device. On a GPU run functions of a CUDA source that was '
            'compiled with target="gpu", whose arrays are device memory, and kernels: k.jax(grid, block)')
    _register(platform)
    s, n = _shape(function), len(function.parameters)
    avals = ctx.avals_in
    plan = []

    def extent(index):
        """Bytes and elements of one example."""
        if index < 0:
            return function.result.itemsize, 1
        count = int(np.prod(avals[index].shape[batch:], dtype=np.int64))
        return count * s.parameters[index].dtype.itemsize, count // s.parameters[index].group

    def slot(kind, index, argument=-1, result=-1):
        plan.append((kind, argument, result, *extent(index), index < 0 or s.parameters[index].by_value))

    base = ([-1] if s.has_result else []) + list(range(n))
    active = [i for i in base if i < 0 or s.parameters[i].active]
    value = steps == "value"
    for i in base:
        if i < 0:
            slot(_ZERO_RESULT if value else _ZERO, i, result=0 if value else -1)
        elif i in s.written:
            slot(_COPIED_RESULT if value else _COPY, i, i, s.outputs.index(i) if value else -1)
        elif s.parameters[i].by_value and avals[i].dtype.itemsize < s.parameters[i].dtype.itemsize:
            slot(_WIDENED, i, i)
        else:
            slot(_ARGUMENT, i, i)
    place = {}  # (group number, index) -> operand
    at = n
    for number, group in enumerate(_groups(function, steps)[0]):
        for i in (s.active if group == "in" else s.active_outputs):
            place[number, i] = at
            at += 1
    result = {i: k for k, i in enumerate(s.active if _groups(function, steps)[1] == "in" else s.active_outputs)}

    def tangents(number, returned):
        """Slots with the tangents of a group; those of outputs are returned by the last group."""
        for i in active:
            given = place.get((number, i))
            if i in s.active_outputs:
                if returned:
                    slot(_ZERO_RESULT if given is None else _COPIED_RESULT, i,
                         -1 if given is None else given, result[i])
                else:
                    slot(_ZERO if given is None else _COPY, i, -1 if given is None else given)
            else:
                slot(_ARGUMENT, i, given)

    if steps == "fwd":
        tangents(0, True)
    elif steps == "rev":
        for i in active:
            given = place.get((0, i), -1)
            if i < 0:
                slot(_COPY, i, given)
            elif given >= 0:
                slot(_COPIED_RESULT, i, given, result[i])
            else:
                slot(_ZERO_RESULT, i, result=result[i])
    elif steps == "rev.fwd":
        for i in active:
            given = place.get((0, i), -1)
            slot(_ZERO if given < 0 else _COPY, i, given)
        tangents(1, False)
        for i in active:
            slot(_ZERO if i < 0 else _ZERO_RESULT, i, result=-1 if i < 0 else result[i])
    elif steps == "fwd.fwd":
        tangents(0, False)
        tangents(1, False)
        for i in active:
            out = i in s.active_outputs
            slot(_ZERO_RESULT if out else _ZERO, i, result=result[i] if out else -1)

    entry = function.entry(steps)
    rule = jax.ffi.ffi_lowering(_TARGETS[platform][0])
    return rule(ctx, *operands, library=function.entry_library(steps), symbol=entry.__name__,
                where=np.int64(batch), lengths=np.int64(len(base)), plan=np.array(plan, np.int64).reshape(-1))


# The call of one device; `retrograd` is this one, divided among devices.
_here = Primitive("retrograd_here")
_here.multiple_results = True
for _one in (_p, _here):
    _one.def_abstract_eval(_abstract)
for _platform in _TARGETS:
    mlir.register_lowering(_here, functools.partial(_lower_call, _platform), platform=_platform)


def _partitioned(shapes, leading, call):
    """`call` for XLA's partitioner: each device computes the examples that it has, and has all of what is the same for
    all examples. Dimensions of one example are never divided; nor is a dimension of the batch that would need padding,
    since a function may not bear examples that nobody gave."""
    batch = len(leading)

    def specs(mesh, arg_shapes, result_shape):
        axes, taken = [], set()
        for d in range(batch):
            wish = [x.sharding.spec[d] for x in (*result_shape, *arg_shapes)
                    if x.shape[d] == leading[d] and x.sharding is not None and d < len(x.sharding.spec)]
            axis = next((a for a in wish if a), None)
            names = axis if isinstance(axis, tuple) else (axis,)
            size = 1 if axis is None else int(np.prod([mesh.shape[n] for n in names]))
            if axis is not None and (leading[d] % size or taken & set(names)):
                axis = None
            taken |= set(names) if axis is not None else set()
            axes.append(axis)

        def sharding(x):
            lead = [a if x.shape[d] == leading[d] else None for d, a in enumerate(axes)]
            return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*lead, *[None] * (len(x.shape) - batch)))

        return sharding

    def partition(mesh, arg_shapes, result_shape):
        sharding = specs(mesh, arg_shapes, result_shape)
        return mesh, call, [sharding(x) for x in result_shape], tuple(sharding(x) for x in arg_shapes)

    def infer(mesh, arg_shapes, shape):
        sharding = specs(mesh, arg_shapes, ())
        return [sharding(x) for x in shape]

    count = iter(range(1 << 30))

    def term(shape):
        return " ".join(f"b{d}" if d < batch and n == leading[d] else f"w{next(count)}" for d, n in enumerate(shape))

    divided = custom_partitioning(call)
    inputs, outputs = shapes
    rule = f"{', '.join(map(term, inputs))} -> {', '.join(map(term, outputs))}"
    divided.def_partition(partition, infer_sharding_from_operands=infer, sharding_rule=rule)
    return divided


def _lower(ctx, *operands, function, steps, batch):
    here = functools.partial(_here.bind, function=function, steps=steps, batch=batch)
    if batch:
        shapes = [a.shape for a in ctx.avals_in], [a.shape for a in ctx.avals_out]
        here = _partitioned(shapes, np.broadcast_shapes(*(s[:batch] for s in shapes[0])), here)
    return mlir.lower_fun(here, multiple_results=True)(ctx, *operands)


for _platform in _TARGETS:
    mlir.register_lowering(_p, _lower, platform=_platform)
# JAX lowers some computations before it knows the devices, which the partitioner needs. There is no public way to say so.
with contextlib.suppress(ImportError, AttributeError):
    from jax._src import dispatch

    dispatch.prim_requires_devices_during_lowering.add(_p)


def _batch_rule(operands, axes, *, function, steps, batch):
    """The new dimension comes first; operands without it get one of length 1."""
    moved = [jnp.expand_dims(o, 0) if a is None else jnp.moveaxis(o, a, 0)
             for o, a in zip(operands, axes)]
    return _call(function, steps, batch + 1, *moved), [0] * _size(function, _groups(function, steps)[1])


batching.primitive_batchers[_p] = _batch_rule


def _zeros_like(aval):
    return jnp.zeros(aval.shape, aval.dtype)


def _dense(tangents, like):
    return [_zeros_like(x) if type(t) is ad.Zero else t for t, x in zip(tangents, like)]


def _all_zero(tangents):
    return all(type(t) is ad.Zero for t in tangents)


def _add(a, b):
    return b if a is None else [x + y for x, y in zip(a, b)]


def _jvp_rule(primals, tangents, *, function, steps, batch):
    call = functools.partial(_call, function)
    s = _shape(function)
    out = call(steps, batch, *primals)
    args, *groups = _split(function, steps, primals)
    args_dot, *groups_dot = _split(function, steps, tangents)
    active, moved = [args[i] for i in s.active], [args_dot[i] for i in s.active]
    total = None
    if not _all_zero(moved):
        after = {"value": "fwd", "fwd": "fwd.fwd", "rev": "rev.fwd"}.get(steps)
        if after is None:
            raise NotImplementedError(f"{function.name}: third derivatives are not available under JAX")
        along = _dense(moved, active)
        total = _add(total, call(after, batch, *args, *sum(groups, []), *along))
    # Linear in each group.
    for k, group_dot in enumerate(groups_dot):
        if not _all_zero(group_dot):
            now = [_dense(group_dot, g) if j == k else g for j, g in enumerate(groups)]
            total = _add(total, call(steps, batch, *args, *sum(now, [])))
    if steps == "value":
        # Integer outputs and those of constants have no tangent.
        total = iter(total if total is not None else [None] * len(s.active_outputs))
        dots = [next(total) if o in s.active_outputs else None for o in s.outputs]
    else:
        dots = total if total is not None else [None] * len(out)
    return out, [ad.Zero(jax.typeof(o).to_tangent_aval()) if d is None else d for o, d in zip(out, dots)]


ad.primitive_jvps[_p] = _jvp_rule


def _summed(x, aval, batch):
    """The cotangent of an operand that was the same for all examples is the sum over them."""
    axes = tuple(d for d in range(batch) if aval.shape[d] == 1 and x.shape[d] != 1)
    return jnp.sum(x, axes, keepdims=True) if axes else x


def _transpose_rule(cotangents, *operands, function, steps, batch):
    args, *groups = _split(function, steps, operands)
    unknown = [k for k, g in enumerate(groups) if any(ad.is_undefined_primal(x) for x in g)]
    if len(unknown) != 1 or any(ad.is_undefined_primal(a) for a in args):
        raise NotImplementedError(f"{function.name}: '{steps}' is transposed by what it is not linear in")
    k = unknown[0]
    names = _groups(function, steps)
    # <c, entry(x)> = <transpose(c), x>: cotangents of tangents of the outputs are cotangents of the outputs.
    seeds = [jnp.zeros(c.aval.shape, c.aval.dtype) if type(c) is ad.Zero else c for c in cotangents]
    other = [g for j, g in enumerate(groups) if j != k]
    if steps == "fwd":
        back, order = "rev", [seeds]
    elif steps == "rev":
        back, order = "fwd", [seeds]
    elif steps == "fwd.fwd":
        back, order = "rev.fwd", [seeds, other[0]]
    elif names[0][k] == "in":  # rev.fwd is symmetric in its direction
        back, order = "rev.fwd", [other[0], seeds]
    else:
        back, order = "fwd.fwd", [other[0], seeds]
    result = _call(function, back, batch, *args, *sum(order, []))
    answers = [None] * len(args)
    for j, g in enumerate(groups):
        if j != k:
            answers += [None] * len(g)
            continue
        answers += [_summed(r, x.aval, batch) if ad.is_undefined_primal(x) else None for r, x in zip(result, g)]
    return answers


ad.primitive_transposes[_p] = _transpose_rule


class JaxFunction:
    """The function for JAX: takes and returns its arrays, runs under its transformations."""

    def __init__(self, function):
        for p in function.parameters:
            if p.dtype.names:
                raise TypeError(f"'{p.name}' of {function.name}() has structs, which JAX has not: pass its members "
                                "as arrays of their own")
            if p.dtype.itemsize > 8:
                raise TypeError(f"'{p.name}' of {function.name}() is {p.text}, which JAX has not")
        if function.result is not None and function.result.itemsize > 8:
            raise TypeError(f"{function.name}() returns long double, which JAX has not")
        self.function = function
        self.__name__ = function.name
        self.__doc__ = function.__doc__

    def _operand(self, p, given):
        f = self.function
        wide = p.dtype.itemsize == 8 and not jax.config.jax_enable_x64
        if not hasattr(given, "dtype"):
            given = p.take(given, False) if p.by_value else np.asarray(given)
        if p.by_value and p.group == 1 and getattr(given, "ndim", 0):
            raise TypeError(f"'{p.name}' of {f.name}() is one {p.text} and was given an array of shape {given.shape}; "
                            "jax.vmap maps over one")
        if p.dtype.kind == "f" and given.dtype.kind == "c":
            raise TypeError(f"'{p.name}' of {f.name}() is real and was given complex numbers")
        if p.dtype.kind != "f" and given.dtype.kind not in "iub":
            raise TypeError(f"'{p.name}' of {f.name}() is {p.text} and was given {given.dtype}")
        if wide and not (p.by_value and p.dtype.kind == "i"):
            raise TypeError(f"'{p.name}' of {f.name}() is {p.text}, and JAX has 64-bit numbers only after "
                            "jax.config.update(\"jax_enable_x64\", True)")
        dtype = np.dtype(np.int32) if wide else p.dtype
        if dtype.kind in "iu" and given.dtype != dtype and not isinstance(given, jax.core.Tracer):
            numbers = np.asarray(given)
            if not np.array_equal(numbers.astype(dtype), numbers):
                raise ValueError(f"'{p.name}' of {f.name}() is {p.text} and was given numbers that it cannot hold")
        array = jnp.asarray(given, dtype)
        p.check_size(array.size)
        return array

    def __call__(self, *args, **named):
        f = self.function
        if f.result is not None and f.result.itemsize == 8 and not jax.config.jax_enable_x64:
            raise TypeError(f"{f.name}() returns double, and JAX has 64-bit numbers only after "
                            "jax.config.update(\"jax_enable_x64\", True)")
        args = f.arrange(args, named)
        operands = [self._operand(p, a) for p, a in zip(f.parameters, args)]
        out = _call(f, "value", 0, *operands)
        return None if not out else out[0] if len(out) == 1 else tuple(out)

    def __repr__(self):
        return f"<retrograd function for JAX: {self.__doc__}>"
