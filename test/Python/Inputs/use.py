"""Functions of C++, C and Fortran through the Python package, checked against NumPy."""
import os
import pickle
import subprocess
import sys
import tempfile

import numpy as np

import retrograd as rg

here = os.path.dirname(os.path.abspath(__file__))
energy, waves, norm, moment = rg.compile(os.path.join(here, "model.cpp"), ["energy", "waves", "norm", "moment"])
rng = np.random.default_rng(1)
x = rng.random(6)


def expected(x, k):
    stretch = np.diff(x) - 1
    force = np.zeros_like(x)
    force[1:] += k * stretch
    force[:-1] -= k * stretch
    return 0.5 * k * np.sum(stretch**2), force


value, force = expected(x, 2.0)
assert np.isclose(energy(x, 5, 2.0), value)
at, stiffness = energy.gradient(x, 5, 2.0)
assert np.allclose(at, force) and np.isclose(stiffness, value / 2)
assert np.isclose(energy(x, stiffness=2.0, n=5), value)
got = energy.value_and_gradient(x, 5, 2.0)
assert np.isclose(got[0], value) and np.allclose(got[1][0], force)

# Directions, Hessian: that of the chain is k times the graph's Laplacian.
direction = rng.random(6)
_, along = energy.jvp((x, 5, 2.0), (direction, 0.0))
assert np.isclose(along, force @ direction)
laplacian = np.diag([1, 2, 2, 2, 2, 1.0]) - np.eye(6, k=1) - np.eye(6, k=-1)
assert np.allclose(energy.hessian(x, 5, 2.0), 2 * laplacian)
assert np.allclose(energy.hvp((x, 5, 2.0), (direction, 0.0))[0], 2 * laplacian @ direction)

# Arrays that are written.
y = np.zeros(6)
assert waves(x, y, 3.0) is None and np.allclose(y, np.sin(x) * 3 * x[0])
jacobian = np.diag(np.cos(x) * 3 * x[0])
jacobian[:, 0] += np.sin(x) * 3
assert np.allclose(waves.jacobian(x, np.zeros(6), 3.0), jacobian)
seed = rng.random(6)
written, (dx, dy, dby) = waves.vjp((x, np.zeros(6), 3.0), seed)
assert np.allclose(written, y) and np.allclose(dx, seed @ jacobian) and np.allclose(dy, 0)
assert np.isclose(dby, seed @ (np.sin(x) * x[0]))

# No copy of what has the right type; single precision; structs.
address = x.ctypes.data
assert energy.parameters[0].take(x, False).ctypes.data == address
v = rng.random(4).astype(np.float32)
assert norm.gradient(v).dtype == np.float32 and np.allclose(norm.gradient(v), 2 * v)
bodies = np.zeros(2, moment.parameters[0].dtype)
bodies["mass"], bodies["kind"] = [2, 3], [1, 2]
bodies["at"] = [[0.5, 1], [1.5, 2]]
d = moment.gradient(bodies, 2)
assert np.allclose(d["mass"], (bodies["at"][:, 0] ** 2 + bodies["at"][:, 1]) * bodies["kind"])
assert np.allclose(d["at"][:, 0], 2 * bodies["mass"] * bodies["at"][:, 0] * bodies["kind"])


# From many threads at once.
from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(4) as pool:
    many = list(pool.map(lambda k: energy.gradient(x, 5, float(k))[0], range(1, 9)))
for k, g in enumerate(many, 1):
    assert np.allclose(g, expected(x, k)[1])


def raises(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"no {kind.__name__}")


raises(TypeError, "takes 3 arguments and was given 1", lambda: energy(x))
raises(TypeError, "no free parameter 'm'", lambda: energy(x, 5, m=1))
raises(TypeError, "pass a writable, contiguous array", lambda: waves(x, [0.0] * 6, 1.0))
raises(TypeError, "returns nothing", lambda: waves.gradient(x, y, 1.0))
raises(rg.NativeError, "there is no body", lambda: moment(bodies, 0))
raises(rg.CompileError, "error:", lambda: rg.compile("double f(double x) { return y; }", "f", language="c"))
raises(rg.CompileError, "RG", lambda: rg.compile(
    "double hidden(double); double f(double x) { return hidden(x); }", "f", language="c"))
raises(FileNotFoundError, "needs language", lambda: rg.compile("double f(double);", "f"))

# C from a string; compiled once.
square = rg.compile("double square(double x) { return x * x * x; }", "square", language="c")
assert square.gradient(2.0) == 12 and square.hessian(2.0)[0, 0] == 12
before = {name: os.stat(os.path.join(os.environ["RETROGRAD_CACHE"], name)).st_mtime_ns
          for name in os.listdir(os.environ["RETROGRAD_CACHE"]) if name.endswith(".so")}
rg.compile("double square(double x) { return x * x * x; }", "square", language="c")
for name, time in before.items():
    assert os.stat(os.path.join(os.environ["RETROGRAD_CACHE"], name)).st_mtime_ns == time

# Arrays of no elements, batches of no examples.
none = np.zeros(0)
assert square.batched("x").gradient(none).shape == (0,) and square.batched("x").hessian(none).shape == (0, 1, 1)
assert energy.batched("at").gradient(np.zeros((0, 6)), 5, 2.0)[0].shape == (0, 6)

# Structs are made of numbers by the caller: NumPy would put a number into all fields.
raises(TypeError, "array of structs with the fields", lambda: moment(np.ones(3), 3))

# A function may be pickled, for another process and as a copy; the other functions of its library, too.
for f in (energy, norm):
    again = pickle.loads(pickle.dumps(f))
    assert again.name == f.name and again.path == f.path
assert pickle.loads(pickle.dumps(energy.returning("value_and_gradient")))(x, 5, 2.0)[0] == energy(x, 5, 2.0)
assert np.array_equal(pickle.loads(pickle.dumps(norm.batched("v")))(np.ones((2, 4), np.float32)), [norm(np.ones(4))] * 2)

# Overloads are told apart by their parameters. A file may change: functions stay what they are, and a derivative that
# would be compiled from another source is an error.
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "over.cpp")
    with open(path, "w") as file:
        file.write("double f(double x) { return x * x; }\nfloat f(float x) { return 3 * x; }\n"
                   "double count(const double *x, int n) { return n ? x[0] : 0; }\n"
                   "namespace a { double f(double x) { return 5 * x; } }\n")
    made = rg.compile(path, ["f(double)", "f(float)", "a::f", "count"], derivatives=["rev"])
    assert [f.gradient(2.0) for f in made[:3]] == [4, 3, 5]
    assert made[1].jvp((2.0,), 1.0) == (6, 3)
    assert made[3].gradient(none, 0).shape == (0,) and made[3].hessian(none, 0).shape == (0, 0)
    pickled = pickle.dumps(made[0])
    with open(path, "w") as file:
        file.write("double f(double x) { return -x; }\n")
    raises(rg.CompileError, "over.cpp has changed since", lambda: made[0].hvp((2.0,), 1.0))
    raises(rg.CompileError, "over.cpp has changed since", lambda: pickle.loads(pickled).hvp((2.0,), 1.0))
    assert pickle.loads(pickled)(3.0) == 9 and rg.compile(path, "f", derivatives=["rev"])(3.0) == -3

# An object among the flags is an input like the source.
with tempfile.TemporaryDirectory() as folder:
    unit = os.path.join(folder, "unit.o")
    for factor in (2, 3):
        subprocess.run(["clang-22", "-c", "-fPIC", "-x", "c", "-", "-o", unit], check=True, text=True,
                       input=f"int unit(void) {{ return {factor}; }}")
        scaled = rg.compile("__attribute__((pure)) int unit(void); double scaled(double x) { return unit() * x * x; }", "scaled",
                            language="c", flags=[unit])
        assert scaled.gradient(1.0) == 2 * factor

if "fortran" in sys.argv:
    f = rg.compile("""
real(8) function total(x, n) bind(C, name="total")
  use iso_c_binding
  integer(c_int), value :: n
  real(c_double), intent(in) :: x(n)
  total = sum(x**3)
end function
""", "total", language="fortran")
    assert np.allclose(f.gradient(x, 6), 3 * x**2)
    # What a file includes, and the modules that it uses, belong to it.
    with tempfile.TemporaryDirectory() as folder:
        def write(name, text):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)

        write("line.f90", "real(8) function line(x) bind(C)\n  use slopes\n  real(8), value :: x\n  include 'offset.inc'\n"
                          "  line = slope * x + offset\nend function\n")
        for slope, offset in ((2, 1), (2, 5), (3, 5)):
            write("offset.inc", f"  real(8), parameter :: offset = {offset}\n")
            write("slopes.f90", f"module slopes\n  real(8), parameter :: slope = {slope}\nend module\n")
            subprocess.run(["flang-22", "-c", "slopes.f90"], cwd=folder, check=True)
            line = rg.compile(os.path.join(folder, "line.f90"), "line", flags=["-I" + folder])
            assert line(1.0) == slope + offset and line.gradient(1.0) == slope, (line(1.0), slope, offset)
print("all right")
