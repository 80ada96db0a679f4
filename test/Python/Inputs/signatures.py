"""Signatures that the source tells: each function's gradient against central differences, in the shapes that its
parameters have; and what is refused."""
import numpy as np

import retrograd as rg

names = ["table", "three", "fixed", "array", "arrayByValue", "packed", "nested", "mask", "chosen", "narrow", "gather",
         "scaled", "point", "constant", "inner::deep", "rows", "lower", "board", "boards"]
made = rg.compile("""
#include <array>
#include <cstdint>
#include <span>
#include <vector>
double table(const double x[][3], int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 3; ++j)
      s += (j + 1) * x[i][j] * x[i][(j + 1) % 3];
  return s;
}
double three(const double (&x)[3]) { return x[0] * x[1] * x[2]; }
double fixed(const double x[3]) { return x[0] * x[1] + x[2]; }
float array(const std::array<float, 3> &x) { return x[0] * x[1] * x[2]; }
double arrayByValue(std::array<double, 2> x, double k) { return x[0] * x[1] * k; }
struct Body { double mass; int kind; double at[2]; };
double packed(const Body *b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += b[i].mass * b[i].at[0] * b[i].at[1] * b[i].kind;
  return s;
}
struct V { float x, y; };
struct Two { V v[2]; double w; };
double nested(const Two &t) { return t.v[0].x * t.v[1].y * t.w; }
double mask(const bool *keep, const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    if (keep[i])
      s += x[i] * x[i];
  return s;
}
enum class Kind : unsigned char { Square, Cube };
double chosen(double x, Kind k) { return k == Kind::Square ? x * x : x * x * x; }
double narrow(std::int64_t k, std::uint32_t j, std::int8_t i, double x) { return x * x * k * j * i; }
double gather(const std::vector<int> &at, const std::vector<double> &x) {
  double s = 0;
  for (int i : at)
    s += x[i] * x[i];
  return s;
}
void scaled(std::vector<double> &x, const float *by) {
  for (auto &v : x)
    v *= v * *by;
}
double point(const double &x, double y) { return x * x * y; }
double constant(const double x, const int n) { return x * x * n; }
namespace inner { double deep(std::span<const double, 2> x) { return x[0] * x[1]; } }
void rows(const double (*x)[2], double (*y)[2], int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 2; ++j)
      y[i][j] = x[i][j] * x[i][1 - j] * (i + 1);
}
double lower(const double lambda, const double self) { return lambda * lambda * self; }
using Board = std::array<std::array<double, 2>, 3>;
double board(const Board &b) {
  double s = 0;
  for (auto &row : b)
    s += row[0] * row[0] * row[1];
  return s;
}
double boards(const std::vector<Board> &all) {
  double s = 0;
  for (auto &b : all)
    s += board(b);
  return s;
}
""", [n.rsplit("::")[-1] for n in names], language="c++")
f = {n.rsplit("::")[-1]: g for n, g in zip(names, made)}
rng = np.random.default_rng(4)


def check(g, args, tolerance=1e-6, step=1e-5):
    """The gradient of g by its plain arrays and numbers, in their shapes."""
    gradient = g.gradient(*args)
    gradient = gradient if isinstance(gradient, tuple) else (gradient,)
    places = [i for i, p in enumerate(g.parameters) if p.active]
    for i, got in zip(places, gradient):
        given = np.array(args[i], dtype=g.parameters[i].dtype)
        assert np.shape(got) == given.shape, (g, np.shape(got), given.shape)
        want = np.zeros(given.shape)
        for k in np.ndindex(given.shape):
            moved = []
            for sign in (1, -1):
                now = given.copy()
                now[k] += sign * step
                moved.append(float(g(*args[:i], now if given.ndim else now.item(), *args[i + 1:])))
            want[k] = (moved[0] - moved[1]) / 2 / step
        assert np.allclose(got, want, rtol=tolerance, atol=tolerance), (g, got, want)


check(f["table"], (rng.random((4, 3)), 4))
assert f["table"](np.arange(6.0).reshape(2, 3), 2) == f["table"](np.arange(6.0), 2)
check(f["three"], (rng.random(3),))
check(f["fixed"], (rng.random(3),))
check(f["array"], (rng.random(3).astype(np.float32),), 1e-2, 1e-2)
check(f["arrayByValue"], (rng.random(2), 1.5))
check(f["mask"], (np.array([True, False, True]), rng.random(3), 3))
check(f["chosen"], (1.5, 0))
check(f["chosen"], (1.5, 1))
check(f["narrow"], (-3, 5, -2, 0.7))
check(f["gather"], (np.array([0, 2, 2], np.intc), rng.random(3)))
check(f["point"], (1.5, 0.5))
check(f["constant"], (1.5, 4))
check(f["deep"], (rng.random(2),))
check(f["lower"], (1.5, 0.5))
check(f["board"], (rng.random((3, 2)),))
check(f["boards"], (rng.random((4, 3, 2)),))
# Structs: the gradient is one, too; its integers are nothing.
bodies = np.zeros(2, f["packed"].parameters[0].dtype)
bodies["mass"], bodies["kind"], bodies["at"] = [1, 2], [3, 4], [[5, 7], [6, 8]]
g = f["packed"].gradient(bodies, 2)
assert np.allclose(g["mass"], [3 * 35, 4 * 48]) and np.allclose(g["at"][:, 1], [1 * 3 * 5, 2 * 4 * 6])
two = np.zeros((), f["nested"].parameters[0].dtype)
two["v"]["x"][0], two["v"]["y"][1], two["w"] = 2, 3, 5
assert f["nested"](two) == 30 and f["nested"].gradient(two)["v"]["y"][1] == 10
# Arrays of variable size, which C has.
grid = rg.compile("""
double grid(int n, int m, const double a[n][m], const double b[m]) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s += a[i][j] * a[i][j] * b[j];
  return s;
}""", "grid", language="c")
check(grid, (3, 2, rng.random((3, 2)), rng.random(2)))
# Written in place, and their derivatives.
x = np.array([1.0, 2, 3])
f["scaled"](x, np.array([2], np.float32))
assert np.array_equal(x, [2, 8, 18])
(_, (dx, dby)) = f["scaled"].vjp((np.array([1.0, 2, 3]), np.array([2], np.float32)), np.ones(3))
assert np.allclose(dx, [4, 8, 12]) and np.allclose(dby, 14)
y, x = np.zeros((3, 2)), rng.random((3, 2))
f["rows"](x, y, 3)
want = x * x[:, ::-1] * np.arange(1, 4)[:, None]
assert np.allclose(y, want)
value, tangent = f["rows"].jvp((x, y, 3), (np.ones((3, 2)), y))
assert np.allclose(value, want) and np.allclose(tangent, (x + x[:, ::-1]) * np.arange(1, 4)[:, None])


def refused(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__}: {text}")


refused(ValueError, "groups of 3", lambda: f["table"](np.zeros(4), 2))
refused(ValueError, "has 3 elements", lambda: f["three"](np.zeros(4)))
refused(ValueError, "has 6 elements", lambda: f["board"](np.zeros(4)))
refused(ValueError, "groups of 6", lambda: f["boards"](np.zeros(8)))
refused(ValueError, "has 3 elements", lambda: f["array"](np.zeros(0, np.float32)))
refused(ValueError, "has 1 elements", lambda: f["point"](np.zeros(0), 1.0))
refused(ValueError, "of 2 numbers", lambda: f["arrayByValue"](np.zeros(3), 1.0))
refused(ValueError, "numbers that it cannot hold", lambda: f["gather"](np.array([0, 0.5, 1]), np.zeros(3)))
refused(TypeError, "was given None", lambda: f["three"](None))
refused(OverflowError, "holds -128 to 127", lambda: f["narrow"](1, 1, 200, 1.0))
refused(rg.CompileError, "'double **' is not supported: what it points at is a 'double *'",
        lambda: rg.compile("double f(double **x) { return **x; }", "f", language="c"))
for source, text in (("template <class T> T f(T x) { return x; }", "is a template"),
                     ("double f(double x) { return x; } double f(float x) { return x; }", "overloaded"),
                     ("#include <complex>\ndouble f(std::complex<double> z) { return norm(z); }", "is not supported"),
                     ("double f(double **p) { return **p; }", "is not supported"),
                     ("double f(void *p, double x) { return x; }", "is not supported"),
                     ("#include <string>\ndouble f(const std::string &s, double x) { return x; }", "is not supported"),
                     ("struct P { double *a; }; double f(P p) { return *p.a; }", "is not supported"),
                     ("struct S { double f(double x) { return x; } };", "is a member function"),
                     ("double f(double &&x) { return x; }", "rvalue"),
                     ("double f() { return 1; }", "no floating-point parameter")):
    refused(rg.CompileError, text, lambda: rg.compile(source, "f", language="c++", derivatives=["rev"]))

# Where the second derivative is refused, the first ones are there, and the error comes when it is asked for.
real = rg._build._run


def refusing(command, what):
    if "rev.fwd" in " ".join(command):
        raise rg.CompileError("model.c:1:1: error: a store cannot be differentiated here [RG2002]")
    real(command, what)


rg._build._run = refusing
first = rg.compile("double first(double x) { return x * x * x; }", "first", language="c")
assert first.gradient(2.0) == 12 and first.jvp((2.0,), (1.0,))[1] == 12
refused(rg.CompileError, "RG2002", lambda: first.hvp((2.0,), (1.0,)))
rg._build._run = real
print("all right")
