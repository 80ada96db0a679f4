# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of a library that `retrograd export` made.

An entry of such a library takes the addresses of its slots: the result and the parameters,
behind them a shadow for each active one (tools/retrograd/ExportCommand.h). The module _native fills
them, or ctypes where the package was installed without it; both release the interpreter's lock
during a call. No call shares memory with another one.
"""

import ctypes
import functools
import json
import operator
import os
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np

try:
    from . import _native
except ImportError:
    _native = None

_NUMBER = {"float": np.dtype(np.float32), "double": np.dtype(np.float64),
           "long double": np.dtype(np.longdouble)}
_INTEGER = {"int": "intc", "unsigned int": "uintc", "long": "int_", "unsigned long": "uint",
            "long long": "longlong", "unsigned long long": "ulonglong", "short": "short",
            "unsigned short": "ushort", "char": "byte", "signed char": "byte", "unsigned char": "ubyte",
            "bool": "bool_", "_Bool": "bool_"}


class NativeError(RuntimeError):
    """The function threw an exception or refused its arguments."""


def _leaf_dtype(leaf):
    if leaf["kind"] in _NUMBER:
        return _NUMBER[leaf["kind"]]
    name = _INTEGER.get(leaf["type"])
    if name is None:
        raise TypeError(f"a member of type '{leaf['type']}' has no counterpart in NumPy")
    return np.dtype(name)


def _dtype(parameter):
    numbers = parameter["numbers"]
    if len(numbers) == 1 and numbers[0]["path"] == "":
        return _leaf_dtype(numbers[0])
    if all(_ARRAY.fullmatch(n["path"].lstrip(".")) for n in numbers):
        return np.dtype({"names": [n["path"].lstrip(".") for n in numbers],
                         "formats": [_leaf_dtype(n) for n in numbers],
                         "offsets": [n["offset"] for n in numbers], "itemsize": parameter["bytes"]})
    return _members([(_STEP.findall(n["path"]), n["offset"], _leaf_dtype(n)) for n in numbers], 0, parameter["bytes"])


_ARRAY = re.compile(r"((^|\.)(_M_elems|__elems_)|\[\d+\])+")  # of numbers, and arrays of these
_STEP = re.compile(r"\[\d+\]|[^.\[]+")


def _members(leaves, start, size=None):
    """The type of what begins at the offset `start` and consists of these (path, offset, type): a number, an array or a struct."""
    if len(leaves) == 1 and not leaves[0][0]:
        return leaves[0][2]
    groups = {}
    for (first, *rest), offset, dtype in leaves:
        groups.setdefault(first, []).append((rest, offset, dtype))
    starts = {name: min(offset for _, offset, _ in group) for name, group in groups.items()}
    if all(name[0] == "[" for name in groups):
        order = list(starts.values())
        stride = order[1] - order[0] if len(order) > 1 else None
        types = [_members(group, starts[name], stride if len(group) > 1 else None) for name, group in groups.items()]
        if all(t == types[0] for t in types) and order == [order[0] + i * types[0].itemsize for i in range(len(order))]:
            return np.dtype((types[0], (len(order),)))
    else:
        types = [_members(group, starts[name]) for name, group in groups.items()]
    described = {"names": list(groups), "formats": types, "offsets": [starts[name] - start for name in groups]}
    return np.dtype({**described, "itemsize": size} if size else described)
_KIND = {"f": "f", "i": "i", "u": "u", "b": "?"}
_VALUE, _GRADIENT, _BOTH = range(3)


class _Parameter:
    def __init__(self, described):
        self.name = described["name"]
        self.by_value = described["passing"] == "value"
        self.readonly = described["readonly"]
        self.active = described["active"]
        self.extent = described["extent"]
        self.dtype = _dtype(described)
        self.group = 1
        if self.dtype.names and all(_ARRAY.fullmatch(name) for name in self.dtype.names):
            # double x[][3], std::array<double, 3>: elements are numbers, and the function counts groups of them.
            self.group, self.dtype = len(self.dtype.names), self.dtype[0]
            self.extent *= self.group
        if described["passing"] == "reference" and described["numbers"] and not self.extent:
            self.extent = self.group  # one object
        self.text = described["type"]

        self.writeonly = described["writeonly"]

    def _number(self, given):
        """The argument of a parameter that is passed by value."""
        if self.dtype.kind in "iu":
            # A float that is cut off, or a number that does not fit, is a mistake.
            whole = given.item() if isinstance(given, np.ndarray) and given.ndim == 0 else given
            try:
                whole = operator.index(whole)
            except TypeError:
                raise TypeError(f"'{self.name}' is one {self.text} and was given "
                                f"{type(given).__name__} {given!r}") from None
            low, high = np.iinfo(self.dtype).min, np.iinfo(self.dtype).max
            if not low <= whole <= high:
                raise OverflowError(f"'{self.name}' is one {self.text}, which holds {low} to {high}, "
                                    f"and was given {whole}")
            return np.array(whole, dtype=self.dtype)
        array = np.array(given, dtype=self.dtype)
        if self.group > 1:
            if array.size != self.group:
                raise ValueError(f"'{self.name}' is one {self.text} of {self.group} numbers and was given {array.size}")
            return array
        if array.ndim:
            raise TypeError(f"'{self.name}' is one {self.text} and was given an array of shape {array.shape}")
        return array

    def take(self, given, copy):
        """The array whose memory is passed; `given` itself if the type and layout are right."""
        if self.by_value:
            return self._number(given)
        if not self.readonly and not copy:
            if not (isinstance(given, np.ndarray) and given.dtype == self.dtype and given.flags.carray):
                raise TypeError(f"the function writes to '{self.name}': pass a writable, contiguous array "
                                f"of {self.dtype}, not {_describe(given)}")
            array = given
        else:
            kind = np.asarray(given).dtype.kind
            if self.dtype.names and getattr(given, "dtype", np.dtype(object)).names != self.dtype.names:
                # NumPy would put a number into all fields of a struct, and fields of other names into these by their order.
                raise TypeError(f"'{self.name}' is an array of structs with the fields {', '.join(self.dtype.names)} and was given "
                                f"{_describe(given)}: make it with np.zeros(n, f.parameters[i].dtype)")
            if kind == "c" and self.dtype.kind != "c" or kind == "O":  # None would be converted to a NaN
                raise TypeError(f"'{self.name}' is an array of {self.dtype} and was given "
                                + ("complex numbers" if kind == "c" else _describe(given)))
            array = (np.array(given, dtype=self.dtype, order="C") if not self.readonly
                     else np.require(given, self.dtype, ["C", "A"]))
            if self.dtype.kind in "iu" and kind in "iuf" and not np.array_equal(array, given):
                raise ValueError(f"'{self.name}' is an array of {self.dtype} and was given numbers that it cannot hold")
        self.check_size(array.size)
        return array

    def check_size(self, size):
        """Refuses an array of so many elements if the parameter cannot have them."""
        extent = self.group if self.by_value else self.extent
        if extent and size != extent:
            raise ValueError(f"'{self.name}' has {extent} elements and was given {size}")
        if size % self.group:
            raise ValueError(f"'{self.name}' has groups of {self.group} elements and was given {size}")

    def described_to_native(self):
        """The parameter as _native.caller wants it; None if it is left to Python."""
        kind = _KIND.get(self.dtype.kind)
        if kind is None or self.group > 1 or (self.by_value and self.dtype.itemsize > 8):
            return None
        return (kind, self.dtype.itemsize, self.by_value, self.readonly, self.active, self.extent or 0,
                self.dtype.type)


def _describe(given):
    if not isinstance(given, np.ndarray):
        return "None" if given is None else f"a {type(given).__name__}"
    layout = "" if given.flags.c_contiguous else ", not contiguous"
    layout += "" if given.flags.writeable else ", read-only"
    layout += "" if given.flags.aligned else ", not aligned"
    return f"an array of {given.dtype}{layout}"


class Exported:
    """What a library has of a function: its parameters, and its entries by steps of differentiation."""

    def __init__(self, library, described, path=None, more=None, index=0):
        self._library = library
        self.index = index  # among the functions of the library
        self.name = described["name"]
        self.__doc__ = described["declaration"]
        self.__name__ = self.name
        self.parameters = [_Parameter(p) for p in described["parameters"]]
        self.grouped = any(p.group > 1 for p in self.parameters)
        self._symbols = dict(described["entries"])
        self._entries, self._paths = {}, {}
        self._more = more  # made from source: a function of this and steps that compiles another derivative
        self.path = os.path.abspath(path) if path else None
        self.target = described["target"]  # "gpu": a function of a CUDA program, whose arrays may be device memory
        self.active = [p.name for p in self.parameters if p.active]
        self.result = None
        if described["result"] != "void":
            result = described["result"]
            kind = _NUMBER.get(result)
            self.result = kind if kind is not None else np.dtype(_INTEGER[result])

    def __reduce__(self):
        """A pickled function is its library, which must still be there when it is read: for other processes of the machine."""
        if self.path is None:
            raise TypeError(f"{self.name}() cannot be pickled: its library has no path")
        return _restored, (self.path, self.index, self._more, getattr(self, "returns", "value"))

    def entry(self, steps):
        """The entry of a derivative: "value", "rev", "fwd", "rev.fwd", ... One that the library does not
        have is compiled if the source is known."""
        found = self._entries.get(steps)
        if found is None:
            library, symbol, path = self._library, self._symbols.get(steps), self.path
            if symbol is None:
                if self._more is None:
                    raise ValueError(f"the library has no derivative '{steps}' of {self.name}; it has "
                                     f"{', '.join(self._symbols)}. Make it with 'retrograd export --derive="
                                     f"{steps}', or from the source with rg.compile")
                other = self._more(self, steps)
                library, symbol, path = other._library, other._symbols[steps], other.path
            found = getattr(library, symbol)
            found.restype = ctypes.c_int
            found.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
            self._entries[steps] = found
            self._paths[steps] = path
        return found

    def entry_library(self, steps):
        """The path of the library that has that entry."""
        self.entry(steps)
        return self._paths[steps]

    def lengths(self, sizes):
        """Lengths of the base slots as the entry counts them."""
        at = len(sizes) - len(self.parameters)
        return [n // (1 if i < at else self.parameters[i - at].group) for i, n in enumerate(sizes)]

    def run_at(self, steps, addresses, lengths):
        """Calls an entry with the addresses of its slots."""
        message = ctypes.create_string_buffer(256)
        if self.entry(steps)((ctypes.c_void_p * len(addresses))(*addresses), (ctypes.c_longlong * len(lengths))(*lengths),
                             message):
            raise NativeError(f"{self.name}: {message.value.decode(errors='replace')}")

    def address(self, steps):
        """The address of that entry: int (void *const *slots, const long long *lengths, char message[256])."""
        return ctypes.cast(self.entry(steps), ctypes.c_void_p).value

    def arrange(self, args, named):
        """The arguments in the order of the parameters."""
        if named:
            rest = [p.name for p in self.parameters[len(args):]]
            unknown = [n for n in named if n not in rest]
            if unknown:
                raise TypeError(f"{self.name}() has no free parameter '{unknown[0]}'; it is {self.__doc__}")
            args = (*args, *(named[n] for n in rest if n in named))
        if len(args) != len(self.parameters):
            raise TypeError(f"{self.name}() takes {len(self.parameters)} arguments and was given {len(args)}; "
                            f"it is {self.__doc__}")
        return args


class Function(Exported):
    """A native function. Calling it runs it; the methods run its derivatives.

    Arrays of the right type (`dtype`) that are contiguous are passed without a copy. An array that
    the function writes to must be one; derivatives never change what they are given.
    What is active is in `active`: all floating-point parameters but those named as constants.
    """

    def __init__(self, library, described, path=None, more=None, index=0):
        super().__init__(library, described, path, more, index)
        self._value = self._native_call("value", _VALUE)
        self._gradient = self._native_call("rev", _GRADIENT)
        self._both = self._native_call("rev", _BOTH)

    def _native_call(self, steps, mode):
        """The function in one mode without the way through Python; None where that is not possible."""
        if _native is None or steps not in self._symbols:
            return None
        described = [p.described_to_native() for p in self.parameters]
        result = None
        if self.result is not None:
            if self.result not in (np.float32, np.float64):
                return None
            result = (self.result.itemsize, self.result.type)
        if None in described or len(described) > 24 or (mode != _VALUE and (not result or not self.active)):
            return None
        return _native.caller(self.address(steps), mode, self.name, NativeError,
                            (np.zeros, np.ndarray, np.floating, np.integer), result, tuple(described))

    def __repr__(self):
        return f"<retrograd function: {self.__doc__}>"

    @functools.cached_property
    def jax(self):
        """This function for JAX: under jit, grad, jacfwd, jacrev, vmap, hessian. See docs/user/Python.md."""
        from ._jax import JaxFunction

        return JaxFunction(self)

    @functools.cached_property
    def torch(self):
        """This function for PyTorch: an operator with derivatives. See docs/user/Python.md."""
        from ._torch import TorchFunction, TorchProgram

        return (TorchProgram if self.target == "gpu" else TorchFunction)(self)

    returns = "value"

    def returning(self, what):
        """This function, with another answer to a call: "value", or "value_and_gradient", which SciPy wants with
        jac=True. All methods are the same."""
        if what == self.returns:
            return self
        kind = {"value": Function, "value_and_gradient": Objective}.get(what)
        if kind is None:
            raise ValueError(f'returns is "value" or "value_and_gradient", not {what!r}')
        made = kind.__new__(kind)
        made.__dict__.update({k: v for k, v in self.__dict__.items() if k not in ("jax", "torch", "scipy")})
        made._check()
        return made

    def _check(self):
        pass

    @functools.cached_property
    def scipy(self):
        """This function for scipy.optimize: minimize(f.scipy, x0, args=..., jac=True)."""
        return ScipyFunction(self)

    def batched(self, *over, threads=1):
        """This function with one more dimension in front of the parameters that are named:
        f.batched("x")(X, n) is f(X[i], n) for all i; so are .gradient, .value_and_gradient, .hessian.
        With `threads`, by as many at once, for functions that take long."""
        return Batched(self, over, threads)

    # -- calls ------------------------------------------------------------------

    def _bind(self, args, named, copy):
        args = self.arrange(args, named)
        if copy:
            self._refuse_overlap(args)
        arrays = [p.take(a, copy) for p, a in zip(self.parameters, args)]
        if self.result is not None:
            arrays.insert(0, np.zeros((), self.result))
        return arrays

    def _refuse_overlap(self, args):
        """A derivative works on copies of the arrays that are written. Where the function sees one array under two names, the
        derivative would see two."""
        arrays = [(p, a) for p, a in zip(self.parameters, args) if isinstance(a, np.ndarray) and not p.by_value]
        for p, a in arrays:
            for q, b in arrays:
                if p is not q and not p.readonly and np.shares_memory(a, b):
                    raise ValueError(f"'{p.name}', which {self.name}() writes, and '{q.name}' share memory: derivatives are of "
                                     "functions of separate arrays; pass a copy of one")

    def run(self, steps, slots, base):
        """Calls an entry. `slots` are contiguous arrays; the first `base` of them are the result and the arguments."""
        entry = self.entry(steps)
        if _native is not None and not self.grouped:
            _native.run(ctypes.cast(entry, ctypes.c_void_p).value, slots, base, self.name, NativeError)
            return
        self.run_at(steps, [s.ctypes.data for s in slots], self.lengths([b.size for b in slots[:base]]))

    def _active_slots(self):
        """Index among the base slots of the result (if active) and of the active parameters."""
        at = 0 if self.result is None else 1
        slots = [0] if at else []
        return slots + [at + i for i, p in enumerate(self.parameters) if p.active]

    def __call__(self, *args, **named):
        return self.value(*args, **named)

    def value(self, *args, **named):
        """What the function returns."""
        if self._value is not None and not named:
            answer = self._value(*args)
            if answer is not NotImplemented:
                return answer
        base = self._bind(args, named, copy=False)
        self.run("value", base, len(base))
        return None if self.result is None else base[0][()]

    def _shadows(self, base):
        return {i: np.zeros(base[i].shape, base[i].dtype) for i in self._active_slots()}

    def _parameter_slots(self):
        at = 0 if self.result is None else 1
        return [at + i for i, p in enumerate(self.parameters) if p.active]

    def _packed(self, values):
        values = [v[()] if v.ndim == 0 else v for v in values]
        return values[0] if len(values) == 1 else tuple(values)

    # -- derivatives --------------------------------------------------------------

    def value_and_gradient(self, *args, **named):
        """The number that the function returns, and its gradient: an array like the active
        parameter, or a tuple of these in the order of `active`."""
        if self._both is not None and not named:
            answer = self._both(*args)
            if answer is not NotImplemented:
                return answer
        if self.result is None:
            raise TypeError(f"{self.name}() returns nothing: use vjp with the adjoints of what it writes, or jacobian")
        base = self._bind(args, named, copy=True)
        shadows = self._shadows(base)
        shadows[0][...] = 1
        self.run("rev", base + list(shadows.values()), len(base))
        # A reverse derivative runs the function, too.
        return base[0][()], self._packed([shadows[i] for i in self._parameter_slots()])

    def gradient(self, *args, **named):
        """As value_and_gradient, without the value."""
        if self._gradient is not None and not named:
            answer = self._gradient(*args)
            if answer is not NotImplemented:
                return answer
        return self.value_and_gradient(*args, **named)[1]

    def _seeded(self, base, shadows, slots, seeds, what):
        if len(slots) == 1 and not (isinstance(seeds, (tuple, list)) and len(seeds) == 1
                                    and np.ndim(seeds[0]) == base[slots[0]].ndim):
            seeds = (seeds,)
        if len(seeds) != len(slots):
            raise TypeError(f"{len(slots)} {what} are needed ({', '.join(self.active)}) and {len(seeds)} were given")
        for slot, seed in zip(slots, seeds):
            if np.shape(seed) != base[slot].shape:
                raise ValueError(f"{what}: shape {np.shape(seed)} was given for {base[slot].shape}")
            shadows[slot][...] = seed

    def jvp(self, args, tangents):
        """Forward mode. `args` is the tuple of arguments, `tangents` one array for each active
        parameter. Returns (values, tangents) of the result, or of the arrays that are written."""
        base = self._bind(tuple(args), {}, copy=True)
        shadows = self._shadows(base)
        self._seeded(base, shadows, self._parameter_slots(), tangents, "tangents")
        self.run("fwd", base + list(shadows.values()), len(base))
        out = self._outputs()
        return self._packed([base[i] for i in out]), self._packed([shadows[i] for i in out])

    def vjp(self, args, adjoints):
        """Reverse mode. `adjoints` is one array for each output: the result, then the active arrays
        that are written. Returns (values, adjoints of the active parameters)."""
        base = self._bind(tuple(args), {}, copy=True)
        shadows = self._shadows(base)
        out = self._outputs()
        self._seeded(base, shadows, out, adjoints, "adjoints")
        self.run("rev", base + list(shadows.values()), len(base))
        return (self._packed([base[i] for i in out]),
                self._packed([shadows[i] for i in self._parameter_slots()]))

    def _outputs(self):
        first = [] if self.result is None else [0]
        at = len(first)
        return first + [at + i for i, p in enumerate(self.parameters) if p.active and not p.readonly]

    def _flat(self, array):
        if array.dtype.names:
            raise TypeError("jacobian and hessian want plain arrays, not structs; use jvp, vjp or hvp")
        return array.reshape(-1)

    def jacobian(self, *args, wrt=None, sparse=False, **named):
        """Derivatives of all outputs by one active parameter (`wrt`; the first by default): an array
        of shape (outputs, inputs), one forward sweep for each input. With `sparse` a csr_array of
        scipy.sparse, by one sweep for all columns that have no row in common."""
        slot = self._wrt(wrt)
        base = self._bind(args, named, copy=True)
        if sparse:
            from . import _sparse

            for i in (slot, *self._outputs()):
                self._flat(base[i])
            return _sparse.jacobian(self, base, slot, self._outputs())
        columns = []
        out = self._outputs()
        for k in range(base[slot].size):
            now = [b.copy() for b in base]
            shadows = self._shadows(now)
            self._flat(shadows[slot])[k] = 1
            self.run("fwd", now + list(shadows.values()), len(now))
            columns.append(np.concatenate([self._flat(shadows[i]) for i in out]))
        if not columns:
            return np.zeros((sum(base[i].size for i in out), 0))
        return np.stack(columns, axis=1)

    def _wrt(self, wrt):
        if not self.active:
            raise TypeError(f"{self.name}() has no active parameter")
        wrt = self.active[0] if wrt is None else wrt
        if wrt not in self.active:
            raise ValueError(f"'{wrt}' is no active parameter; active are {', '.join(self.active)}")
        return self._parameter_slots()[self.active.index(wrt)]

    def hvp(self, args, direction):
        """The Hessian of the result times a direction (one array for each active parameter)."""
        if self.result is None:
            raise TypeError(f"{self.name}() returns nothing: a Hessian is of a function that returns a number")
        base = self._bind(tuple(args), {}, copy=True)
        adjoints, tangents, second = self._shadows(base), self._shadows(base), self._shadows(base)
        adjoints[0][...] = 1
        self._seeded(base, tangents, self._parameter_slots(), direction, "directions")
        # Slots of the derivative of the reverse derivative: tangents of all its active ones.
        slots = base + [*adjoints.values(), *tangents.values(), *second.values()]
        self.run("rev.fwd", slots, len(base))
        return self._packed([second[i] for i in self._parameter_slots()])

    def hessian(self, *args, wrt=None, **named):
        """The Hessian of the result by one active parameter: one hvp for each input."""
        slot = self._wrt(wrt)
        base = self._bind(args, named, copy=True)
        given = base[1:] if self.result is not None else base
        zero = [np.zeros_like(base[i]) for i in self._parameter_slots()]
        at = self._parameter_slots().index(slot)
        rows = []
        for k in range(base[slot].size):
            direction = [z.copy() for z in zero]
            self._flat(direction[at])[k] = 1
            row = self.hvp(given, direction[0] if len(direction) == 1 else direction)
            row = row[at] if len(zero) > 1 else row
            rows.append(np.reshape(row, -1))
        return np.stack(rows) if rows else np.zeros((0, 0))


class Objective(Function):
    """A function whose call gives the value and the gradient, as SciPy wants it: minimize(f, x0, jac=True)."""

    returns = "value_and_gradient"

    def _check(self):
        if self.result not in (np.float32, np.float64) or not self.active:
            raise TypeError(f'{self.name}() has no number to differentiate, or nothing to differentiate it by: '
                            f'returns="value_and_gradient" is for functions that have; it is {self.__doc__}')

    def __call__(self, *args, **named):
        return self.value_and_gradient(*args, **named)


class ScipyFunction:
    """The function as scipy.optimize wants it: of the first active parameter, the other arguments in `args`.

        minimize(f.scipy, x0, args=(3, 2.0), jac=True)
        minimize(f.scipy, x0, args=(3, 2.0), jac=True, hessp=f.scipy.hessp, method="trust-ncg")
    """

    def __init__(self, function):
        if function.result is None or not function.active:
            raise TypeError(f"{function.name}() has no number to minimise, or nothing to minimise it by")
        self.function = function
        self.__name__ = function.name
        self.__doc__ = function.__doc__
        self._at = [p.active for p in function.parameters].index(True)

    def _given(self, x, args):
        return (*args[:self._at], x, *args[self._at:])

    def __call__(self, x, *args):
        value, gradient = self.function.value_and_gradient(*self._given(x, args))
        return value, gradient if len(self.function.active) == 1 else gradient[0]

    def hessp(self, x, p, *args):
        """The Hessian times p."""
        f, given = self.function, self._given(x, args)
        direction = [np.zeros_like(f.parameters[i].take(a, True)) if i != self._at else p
                     for i, a in enumerate(given) if f.parameters[i].active]
        product = f.hvp(given, direction)
        return product if len(f.active) == 1 else product[0]

    def hess(self, x, *args):
        """The Hessian."""
        return self.function.hessian(*self._given(x, args))


class Batched:
    """A function of many arguments at once: those named in `over` have one more dimension in front.
    Results are stacked."""

    def __init__(self, function, over, threads):
        names = [p.name for p in function.parameters]
        for name in over:
            if name not in names:
                raise TypeError(f"{function.name}() has no parameter '{name}'; it is {function.__doc__}")
        if not over:
            raise TypeError("name at least one parameter that has one more dimension")
        self.function, self._over, self._threads = function, set(over), threads

    def _map(self, call, args, named):
        f = self.function
        args = f.arrange(args, named)
        many = [p.name in self._over for p in f.parameters]
        sizes = {len(a) for a, m in zip(args, many) if m}
        if len(sizes) != 1:
            raise ValueError(f"batches of different lengths: {sorted(sizes)}")
        # Converted once, and so that each row is contiguous; what is written must be right already.
        args = [np.require(a, p.dtype, ["C", "A"]) if m and (p.readonly or call != f.value) else a
                for p, a, m in zip(f.parameters, args, many)]

        def one(k):
            return call(*(a[k, ...] if m and not p.by_value else a[k] if m else a
                          for p, a, m in zip(f.parameters, args, many)))

        count = sizes.pop()
        if self._threads > 1:
            with ThreadPoolExecutor(self._threads) as pool:
                return list(pool.map(one, range(count)))
        return [one(k) for k in range(count)]

    def __call__(self, *args, **named):
        if self.function.returns == "value_and_gradient":
            return self.value_and_gradient(*args, **named)
        results = self._map(self.function.value, args, named)
        return None if self.function.result is None else np.array(results, self.function.result)

    def _stacked(self, results, args, named):
        f = self.function
        many = len(f.active) != 1
        if not results:  # of no examples
            shapes = [np.shape(a) if p.name in self._over else (0, *np.shape(a))
                      for p, a in zip(f.parameters, f.arrange(args, named)) if p.active]
            made = tuple(np.zeros(shape, p.dtype) for shape, p in zip(shapes, (p for p in f.parameters if p.active)))
            return made if many else made[0]
        return tuple(np.stack(r) for r in zip(*results)) if many else np.stack(results)

    def gradient(self, *args, **named):
        return self._stacked(self._map(self.function.gradient, args, named), args, named)

    def value_and_gradient(self, *args, **named):
        results = self._map(self.function.value_and_gradient, args, named)
        return (np.array([v for v, _ in results], self.function.result),
                self._stacked([g for _, g in results], args, named))

    def hessian(self, *args, **named):
        results = self._map(self.function.hessian, args, named)
        if not results:
            f = self.function
            first = next(i for i, p in enumerate(f.parameters) if p.active)
            given = f.arrange(args, named)[first]
            shape = np.shape(given)[1 if f.parameters[first].name in self._over else 0:]
            return np.zeros((0, np.prod(shape, dtype=int), np.prod(shape, dtype=int)))
        return np.stack(results)


def functions_of(path, more=None, returns="value"):
    """The functions of a library that `retrograd export` made, in its order. `more` compiles a derivative that the library does
    not have: a function of the exported function and steps."""
    library = ctypes.CDLL(str(path))
    try:
        text = ctypes.c_char.in_dll(library, "rg_export_json")
    except ValueError:
        raise TypeError(f"{path} was not made by 'retrograd export'") from None
    described = json.loads(ctypes.string_at(ctypes.addressof(text)).decode())

    def made(index, f):
        if f["kernel"]:
            from ._kernel import Kernel

            if returns != "value":
                raise TypeError(f"{f['name']}() is a kernel, which returns nothing: returns={returns!r} is for functions")
            return Kernel(library, f, str(path), more, index)
        return Function(library, f, str(path), more, index).returning(returns)

    return [made(index, f) for index, f in enumerate(described["functions"])]


def load(path, *, returns="value"):
    """The functions of a library that `retrograd export` made, by name. `returns` is as for compile."""
    return {f.name: f for f in functions_of(path, returns=returns)}


def _restored(path, index, more, returns):
    if not os.path.exists(path):
        raise FileNotFoundError(f"the library of a pickled function is not there any more: {path}. Compile the function again")
    function = functions_of(path, more)[index]
    return function if returns == "value" else function.returning(returns)
