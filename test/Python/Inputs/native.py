"""The way of a call: no copies, the interpreter's lock, types, what is refused; the same with the
extension and through ctypes."""
import ctypes
import sys
import threading
import time

import numpy as np

import retrograd as rg
from retrograd import _function

if sys.argv[1:]:
    assert (_function._native is not None) == (sys.argv[1] == "extension"), _function._native

where, nap, mix, scale, odd = rg.compile("""
#include <stdint.h>
#include <stdbool.h>
#include <unistd.h>
double where(const double *x, const float *y, double *z, long long *at) {
  at[0] = (intptr_t)x, at[1] = (intptr_t)y, at[2] = (intptr_t)z;
  return x[0] * y[0];
}
double nap(double x) { usleep(300000); return x; }
float mix(float x, double y, int n, unsigned char m, bool on, long k, const float *v) {
  return on ? x * y * v[0] * v[1] + n - m + k : x;
}
double scale(double *x, int n, double by) { // no const: x is written
  double s = 0;
  for (int i = 0; i < n; ++i) x[i] *= by, s += x[i] * x[i];
  return s;
}
long double odd(const long double *x) { return x[0] * x[0]; }
""", ["where", "nap", "mix", "scale", "odd"], language="c")

# Contiguous arrays of the right type are passed as they are, read-only ones, slices and maps too.
x, y, z = np.arange(4.0) + 2, np.ones(3, np.float32), np.zeros(2)
at = np.zeros(3, np.int64)
fixed = x[1:]
fixed.flags.writeable = False
for a in (x, x[2:], fixed, np.ones((2, 3))):
    where(a, y, z, at)
    assert list(at) == [a.ctypes.data, y.ctypes.data, z.ctypes.data]
buffer = (ctypes.c_double * 3)(5, 6, 7)
where(np.frombuffer(buffer), y, z, at)
assert at[0] == ctypes.addressof(buffer)
# What must be converted is, and says nothing of the original's address.
for a in ([2.0, 3.0], x[::2], x.astype(np.float32), x.astype(">f8"), np.arange(3)):
    assert where(a, y, z, at) == a[0] and at[0] not in (0, x.ctypes.data)
# A derivative passes inputs as they are, and a copy of what is written.
where.gradient(x, y, z, at)
one = np.zeros(3, np.int64)
where.vjp((x, y, z, one), (1.0, np.zeros(2)))
assert not one.any()

# Where a function sees one array under two names, of which it writes one, a derivative would see two arrays.
u = np.arange(4.0)
for call in (lambda: where.gradient(u, y, u, at), lambda: where.gradient(u, y, u[1:], at), lambda: where.value_and_gradient(u[:3], y, u, at),
             lambda: where.jvp((u, y, u, at), (u, y, u)), lambda: where.vjp((u, y, u, at), (1.0, u)), lambda: where.hessian(u, y, u, at)):
    try:
        call()
    except ValueError as error:
        assert "'z', which where() writes, and 'x' share memory" in str(error), error
    else:
        raise AssertionError("overlapping arrays were taken")
where(u, y, u, at)                          # the function itself may have them
where.gradient(u[:2], y, u[2:], at)         # these only touch
where.gradient(u, u.view(np.float32), np.zeros(2), at)  # nor is any of these written

# The interpreter runs on while native code does.
for work in (lambda: nap(1.0), lambda: nap.gradient(1.0), lambda: nap.jvp((1.0,), 1.0)):
    thread = threading.Thread(target=work)
    start = time.perf_counter()
    thread.start()
    other = 0
    while thread.is_alive():
        other += 1
        time.sleep(0.01)
    assert time.perf_counter() - start >= 0.3 and other >= 5, other

# Types of numbers and results.
v = np.array([2, 3], np.float32)
args = (1.5, 2.0, 3, 4, True, 5, v)
assert mix(*args) == 1.5 * 2 * 6 + 4 and type(mix(*args)) is np.float32
g = mix.gradient(*args)
assert [np.asarray(d).dtype for d in g] == [np.float32, np.float64, np.float32]
assert g[0] == 12 and g[1] == 9 and list(g[2]) == [9, 6]
value, again = mix.value_and_gradient(np.float32(1.5), np.int64(2), np.int8(3), np.uint64(4), np.True_, 5, v)
assert value == mix(*args) and all(np.array_equal(a, b) for a, b in zip(g, again))
assert mix.gradient(*args[:6], v=[2, 3])[0] == 12
assert odd.gradient(np.array([3], np.longdouble))[0] == 6

# What is written: in place by the function, not by its derivatives. Shapes are kept.
x = np.arange(6.0).reshape(2, 3)
s, (dx, dby) = scale.value_and_gradient(x, 6, 2.0)
assert s == 220 and np.array_equal(x, np.arange(6.0).reshape(2, 3))
assert dx.shape == (2, 3) and np.array_equal(dx, 8 * x) and dby == 220
assert scale(x, 6, 2.0) == 220 and x[1, 2] == 10


def raises(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"no {kind.__name__}")


raises(TypeError, "pass a writable, contiguous array of float64, not an array of float64, not contiguous",
       lambda: scale(np.ones((3, 3)).T[:, :2], 6, 1.0))
raises(TypeError, "not an array of float32", lambda: scale(np.ones(6, np.float32), 6, 1.0))
raises(TypeError, "read-only", lambda: scale(fixed, 3, 1.0))
unaligned = np.frombuffer(bytearray(33), np.uint8)[1:].view(np.float64)
raises(TypeError, "not aligned", lambda: scale(unaligned, 4, 1.0))
assert where(unaligned, y, z, at) == 0 and at[0] % 8 == 0
raises(TypeError, "'n' is one int and was given float 6.5", lambda: scale(np.ones(6), 6.5, 1.0))
raises(OverflowError, "'n' is one int, which holds -2147483648 to 2147483647", lambda: scale(np.ones(6), 2**31, 1.0))
raises(OverflowError, "'m' is one unsigned char, which holds 0 to 255", lambda: mix(1, 1, 1, -1, True, 5, v))
raises(TypeError, "complex", lambda: where(np.ones(2, complex), y, z, at))
raises(TypeError, "complex", lambda: scale(np.ones(2), 1, 1j))
raises(TypeError, "array of shape (2,)", lambda: scale(np.ones(2), 1, [1.0, 2.0]))
raises(TypeError, "takes 3 arguments and was given 4", lambda: scale(np.ones(2), 1, 1.0, 2.0))

# A derivative that was not made at first is compiled when it is asked for.
cube = rg.compile("double cube(double x) { return x * x * x; }", "cube", language="c", derivatives=["rev"])
assert cube.gradient(2.0) == 12 and cube.jvp((2.0,), 1.0)[1] == 12 and cube.hessian(2.0)[0, 0] == 12
raises(ValueError, "has no derivative 'fwd'", lambda: rg.load(cube.path)["cube"].jvp((2.0,), 1.0))
print("all right")
