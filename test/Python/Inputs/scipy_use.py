"""SciPy's minimisers, sparse Jacobians, batches, and types of parameters that the source tells."""

import numpy as np
import scipy.sparse
from scipy.optimize import least_squares, minimize, rosen

import retrograd as rg

banana, stencil, fit, branch = rg.compile("""
#include <cmath>
#include <span>
#include <vector>
double banana(const double *x, int n, double a) {
  double s = 0;
  for (int i = 0; i + 1 < n; ++i)
    s += 100 * std::pow(x[i + 1] - x[i] * x[i], 2) + std::pow(a - x[i], 2);
  return s;
}
void stencil(std::span<const double> x, std::span<double> y) {
  for (size_t i = 0; i < x.size(); ++i)
    y[i] = x[i] * x[i] - (i ? x[i - 1] : 0) * std::sin(i + 1 < x.size() ? x[i + 1] : 0);
}
// How far a * exp(-b t) is from what was measured; also the sum of squares.
double fit(double scale, const std::vector<double> &p, const double *t, const double *seen, double *r, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    r[i] = p[0] * std::exp(-p[1] * t[i]) - seen[i], s += scale * r[i] * r[i];
  return s;
}
float branch(const float *x, float *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] > 0 ? x[n - 1 - i] * x[i] : 3 * x[i];
  return y[0];
}
""", ["banana", "stencil", "fit", "branch"], language="c++", constants=["scale", "t", "seen"])
rng = np.random.default_rng(2)
x0 = np.array([1.3, 0.7, 0.8, 1.9, 1.2])

# minimize: value and gradient together, Hessian and products with it.
assert np.isclose(banana(x0, 5, 1.0), rosen(x0))
for more in ({"method": "BFGS"}, {"method": "L-BFGS-B"}, {"method": "trust-ncg", "hessp": banana.scipy.hessp},
             {"method": "Newton-CG", "hess": banana.scipy.hess}):
    found = minimize(banana.scipy, x0, args=(5, 1.0), jac=True, **more)
    assert found.success and np.allclose(found.x, 1, atol=1e-3), (more, found)
# One active parameter that comes first: the methods of the function itself.
bowl = rg.compile("double bowl(const double *x, int n) { double s = 0; for (int i = 0; i < n; ++i) s += (x[i] - i) * (x[i] - i); return s; }",
                  "bowl", language="c")
for found in (minimize(bowl.value_and_gradient, x0, args=(5,), jac=True), minimize(bowl, x0, args=(5,), jac=bowl.gradient)):
    assert found.success and np.allclose(found.x, range(5))
# A function whose call gives both works as it is.
hill, plain = rg.compile("""
#include <cmath>
#include <span>
double hill(std::span<const double> x, double a) {
  double s = 0;
  for (size_t i = 0; i < x.size(); ++i)
    s += std::cosh(x[i] - a * i);
  return s;
}
double plain(std::span<const double> x) { return hill(x, 1); }
""", ["hill", "plain"], language="c++", constants=["a"], returns="value_and_gradient")
found = minimize(plain, x0, jac=True)
assert found.success and np.allclose(found.x, range(5), atol=1e-4), found
found = minimize(hill, x0, args=(0.5,), jac=True, method="trust-ncg", hessp=hill.scipy.hessp)
assert found.success and np.allclose(found.x, np.arange(5) / 2, atol=1e-4), found
value, gradient = plain(x0)
assert isinstance(value, np.float64) and np.isclose(value, np.cosh(x0 - np.arange(5)).sum())
assert np.allclose(gradient, np.sinh(x0 - np.arange(5))) and np.allclose(plain.gradient(x0), gradient)
assert plain.value(x0) == value and np.allclose(plain.hessian(x0), np.diag(np.cosh(x0 - np.arange(5))))
values, gradients = plain.batched("x")(np.stack([x0, 2 * x0]))
assert values[0] == value and np.allclose(gradients[1], np.sinh(2 * x0 - np.arange(5)))
assert plain.returning("value")(x0) == value and plain(x=x0)[0] == value
assert rg.load(plain.path, returns="value_and_gradient")["plain"](x0)[0] == value
assert rg.load(plain.path)["plain"](x0) == value
for wrong, why in ((lambda: bowl.returning("both"), "returns is"),
                   (lambda: rg.compile("void g(double *x) { *x = 1; }", "g", language="c", returns="value_and_gradient"),
                    "has no number to differentiate")):
    try:
        wrong()
    except (TypeError, ValueError) as error:
        assert why in str(error), error
    else:
        raise AssertionError(why)
# The parameter need not be the first one.
t = np.linspace(0, 2, 9)
seen = 2 * np.exp(-0.7 * t)
r = np.zeros(9)
found = minimize(fit.scipy, [1.0, 1.0], args=(1.0, t, seen, r, 9), jac=True)
assert np.allclose(found.x, [2, 0.7], atol=1e-3)


def residuals(p):
    out = np.zeros(9)
    fit(1.0, p, t, seen, out, 9)
    return out


found = least_squares(residuals, [1.0, 1.0], jac=lambda p: fit.jacobian(1.0, p, t, seen, r, 9, wrt="p")[1:])
assert np.allclose(found.x, [2, 0.7], atol=1e-6)

# Sparse Jacobians: the same numbers, few sweeps, of float too; where branches differ.
for n in (1, 2, 15, 16, 17, 40):
    x = rng.random(n) + 0.5
    dense = stencil.jacobian(x, np.zeros(n))
    sweeps, run = [], stencil.run
    stencil.run = lambda steps, *rest: (sweeps.append(steps), run(steps, *rest))
    sparse = stencil.jacobian(x, np.zeros(n), sparse=True)
    del stencil.run
    assert isinstance(sparse, scipy.sparse.csr_array) and np.allclose(sparse.toarray(), dense)
    assert sparse.nnz <= 3 * n and sweeps.count("fwd") <= 5 and sweeps.count("pat") == -(-n // 16)
z = (rng.random(21) - 0.5).astype(np.float32)
sparse = branch.jacobian(z, np.zeros(21, np.float32), 21, sparse=True)
assert sparse.dtype == np.float32
assert np.allclose(sparse.toarray(), branch.jacobian(z, np.zeros(21, np.float32), 21))
# From float to double: the numbers are those of the dense one, to the last bit.
thirds = rg.compile("void thirds(const float *x, double *y, int n) { for (int i = 0; i < n; ++i) y[i] = (double)x[i] * x[i] / 3; }",
                    "thirds", language="c")
sparse = thirds.jacobian(z, np.zeros(21), 21, sparse=True)
assert sparse.dtype == np.float64 and np.array_equal(sparse.toarray(), thirds.jacobian(z, np.zeros(21), 21))

# Batches.
X, A = rng.random((7, 5)), rng.random(7)
each = [banana.value_and_gradient(x, 5, a) for x, a in zip(X, A)]
for threads in (1, 3):
    many = banana.batched("x", "a", threads=threads)
    assert np.array_equal(many(X, 5, A), [v for v, _ in each])
    value, (dx, da) = many.value_and_gradient(X, 5, A)
    assert np.array_equal(dx, [g[0] for _, g in each]) and np.array_equal(da, [g[1] for _, g in each])
    assert np.array_equal(value, [v for v, _ in each]) and np.array_equal(many.gradient(X, 5, A)[0], dx)
assert np.allclose(banana.batched("x").hessian(X.T.copy().T, 5, 1.0)[2], banana.hessian(X[2], 5, 1.0))
Y = np.zeros((7, 5))
assert stencil.batched("x", "y")(X, Y) is None and np.allclose(Y[3], X[3] ** 2 - np.r_[0, X[3][:-1]] * np.sin(np.r_[X[3][1:], 0]))


def raises(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"no {kind.__name__}")


raises(TypeError, "no parameter 'z'", lambda: banana.batched("z"))
raises(ValueError, "different lengths", lambda: banana.batched("x", "a")(X, 5, A[:3]))
raises(TypeError, "no number to minimise", lambda: stencil.scipy)

print("all right")
