# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of a library that `retrograd export` made.

An entry of such a library takes the addresses of its slots: the result and the parameters,
behind them a shadow for each active one (tools/retrograd/ExportCommand.h). ctypes releases the
interpreter's lock during a call, and no call shares memory with another one.
"""

import ctypes
import json

import numpy as np

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
    return np.dtype({"names": [n["path"].lstrip(".") for n in numbers],
                     "formats": [_leaf_dtype(n) for n in numbers],
                     "offsets": [n["offset"] for n in numbers], "itemsize": parameter["bytes"]})


class _Parameter:
    def __init__(self, described):
        self.name = described["name"]
        self.by_value = described["passing"] == "value"
        self.readonly = described["readonly"]
        self.active = described["active"]
        self.extent = described["extent"]
        self.dtype = _dtype(described)
        self.text = described["type"]

    def take(self, given, copy):
        """The array whose memory is passed; `given` itself if the type and layout are right."""
        if self.by_value:
            array = np.array(given, dtype=self.dtype)
            if array.ndim:
                raise TypeError(f"'{self.name}' is one {self.text} and was given {array.shape}")
            return array
        if not self.readonly and not copy:
            if not (isinstance(given, np.ndarray) and given.dtype == self.dtype and given.flags.c_contiguous
                    and given.flags.writeable):
                raise TypeError(f"the function writes to '{self.name}': pass a writable, contiguous array "
                                f"of {self.dtype}")
            array = given
        elif copy and not self.readonly:
            array = np.array(given, dtype=self.dtype, order="C")
        else:
            array = np.ascontiguousarray(given, dtype=self.dtype)
        if self.extent and array.size != self.extent:
            raise ValueError(f"'{self.name}' has {self.extent} elements and was given {array.size}")
        return array


class Function:
    """A native function. Calling it runs it; the methods run its derivatives.

    Arrays of the right type (`dtype`) that are contiguous are passed without a copy. An array that
    the function writes to must be one; derivatives never change what they are given.
    What is active is in `active`: all floating-point parameters but those named as constants.
    """

    def __init__(self, library, described):
        self._library = library
        self.name = described["name"]
        self.__doc__ = described["declaration"]
        self.__name__ = self.name
        self.parameters = [_Parameter(p) for p in described["parameters"]]
        self.result = None
        if described["result"] != "void":
            result = described["result"]
            kind = _NUMBER.get(result)
            self.result = kind if kind is not None else np.dtype(_INTEGER[result])
        if described["kernel"]:
            raise TypeError(f"'{self.name}' is a kernel: export a host function that launches it")
        self._entries = {}
        for steps, symbol in described["entries"].items():
            entry = getattr(library, symbol)
            entry.restype = ctypes.c_int
            entry.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
            self._entries[steps] = entry
        self.active = [p.name for p in self.parameters if p.active]

    def __repr__(self):
        return f"<retrograd function: {self.__doc__}>"

    # -- calls ------------------------------------------------------------------

    def _bind(self, args, named, copy):
        if named:
            rest = [p.name for p in self.parameters[len(args):]]
            unknown = [n for n in named if n not in rest]
            if unknown:
                raise TypeError(f"{self.name}() has no free parameter '{unknown[0]}'; it is {self.__doc__}")
            args = (*args, *(named[n] for n in rest if n in named))
        if len(args) != len(self.parameters):
            raise TypeError(f"{self.name}() takes {len(self.parameters)} arguments and was given {len(args)}; "
                            f"it is {self.__doc__}")
        arrays = [p.take(a, copy) for p, a in zip(self.parameters, args)]
        if self.result is not None:
            arrays.insert(0, np.zeros((), self.result))
        return arrays

    def _run(self, steps, slots, base):
        entry = self._entries.get(steps)
        if entry is None:
            raise ValueError(f"the library has no derivative '{steps}' of {self.name}; it has "
                             f"{', '.join(self._entries)}")
        addresses = (ctypes.c_void_p * len(slots))(*(s.ctypes.data for s in slots))
        lengths = (ctypes.c_longlong * len(base))(*(b.size for b in base))
        message = ctypes.create_string_buffer(256)
        if entry(addresses, lengths, message):
            raise NativeError(f"{self.name}: {message.value.decode(errors='replace')}")

    def _active_slots(self):
        """Index among the base slots of the result (if active) and of the active parameters."""
        at = 0 if self.result is None else 1
        slots = [0] if at else []
        return slots + [at + i for i, p in enumerate(self.parameters) if p.active]

    def __call__(self, *args, **named):
        base = self._bind(args, named, copy=False)
        self._run("value", base, base)
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
        if self.result is None:
            raise TypeError(f"{self.name}() returns nothing: use vjp with the adjoints of what it writes, or jacobian")
        base = self._bind(args, named, copy=True)
        shadows = self._shadows(base)
        shadows[0][...] = 1
        self._run("rev", base + list(shadows.values()), base)
        # A reverse derivative runs the function, too.
        return base[0][()], self._packed([shadows[i] for i in self._parameter_slots()])

    def gradient(self, *args, **named):
        """As value_and_gradient, without the value."""
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
        self._run("fwd", base + list(shadows.values()), base)
        out = self._outputs()
        return self._packed([base[i] for i in out]), self._packed([shadows[i] for i in out])

    def vjp(self, args, adjoints):
        """Reverse mode. `adjoints` is one array for each output: the result, then the active arrays
        that are written. Returns (values, adjoints of the active parameters)."""
        base = self._bind(tuple(args), {}, copy=True)
        shadows = self._shadows(base)
        out = self._outputs()
        self._seeded(base, shadows, out, adjoints, "adjoints")
        self._run("rev", base + list(shadows.values()), base)
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

    def jacobian(self, *args, wrt=None, **named):
        """Derivatives of all outputs by one active parameter (`wrt`; the first by default): an array
        of shape (outputs, inputs), one forward sweep for each input."""
        slot = self._wrt(wrt)
        base = self._bind(args, named, copy=True)
        columns = []
        out = self._outputs()
        for k in range(base[slot].size):
            now = [b.copy() for b in base]
            shadows = self._shadows(now)
            self._flat(shadows[slot])[k] = 1
            self._run("fwd", now + list(shadows.values()), now)
            columns.append(np.concatenate([self._flat(shadows[i]) for i in out]))
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
        self._run("rev.fwd", slots, base)
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
        return np.stack(rows)


def load(path):
    """The functions of a library that `retrograd export` made, by name."""
    library = ctypes.CDLL(str(path))
    try:
        text = ctypes.c_char.in_dll(library, "rg_export_json")
    except ValueError:
        raise TypeError(f"{path} was not made by 'retrograd export'") from None
    described = json.loads(ctypes.string_at(ctypes.addressof(text)).decode())
    return {f["name"]: Function(library, f) for f in described["functions"]}
