"""Native functions under JAX, against the same functions written in JAX and against central differences."""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

import jax
import jax.numpy as jnp
import numpy as np
from jax.test_util import check_grads

import retrograd as rg

jax.config.update("jax_enable_x64", True)
energy, waves, step, single, picky, count, pick, volume = rg.compile("""
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
double energy(const double *at, int n, double k) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += k * k * std::sin(at[i]) * at[(i + 1) % n];
  return s;
}
// Writes y; the old y counts.
void waves(std::span<const double> x, std::span<double> y, double by) {
  for (size_t i = 0; i < x.size(); ++i)
    y[i] = std::sin(x[i]) * by * x[0] + y[i] * y[i];
}
// A result and an array that is written.
double step(double *state, const double *force, long n, double dt) {
  double norm = 0;
  for (long i = 0; i < n; ++i) {
    state[i] += dt * force[i] * state[i];
    norm += state[i] * state[i];
  }
  return norm;
}
float single(const float *x, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i] * x[i];
  return s;
}
double picky(double x) {
  if (x < 0)
    throw std::domain_error("x is negative");
  return std::sqrt(x);
}
double count(const double *x, int n, int *positive) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > 0)
      s += x[i] * x[i], ++*positive;
  return s;
}
double pick(const double (*pairs)[2], int n, const int *which, int m) {
  double s = 0;
  for (int i = 0; i < m; ++i)
    s += pairs[which[i]][0] * pairs[which[i]][1];
  return s;
}
double volume(std::array<double, 3> sides, double k) { return sides[0] * sides[1] * sides[2] * k; }
""", ["energy", "waves", "step", "single", "picky", "count", "pick", "volume"], language="c++",
                                                    derivatives=["rev", "fwd", "rev.fwd", "fwd.fwd"])
rng = np.random.default_rng(1)
x, y = jnp.array(rng.random(4) + 0.5), jnp.array(rng.random(4))


def same(a, b):
    for u, v in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True):
        assert u.shape == v.shape and np.allclose(u, v, rtol=1e-10, atol=1e-12), (u, v)


def native(x, y, k):
    e = energy.jax(x, 4, k)
    w = waves.jax(x, y, k)
    norm, state = step.jax(x, y, 4, k)
    return jnp.concatenate([jnp.array([e, norm]), w, state])


def written(x, y, k):
    e = jnp.sum(k * k * jnp.sin(x) * jnp.roll(x, -1))
    state = x + k * y * x
    return jnp.concatenate([jnp.array([e, jnp.sum(state**2)]), jnp.sin(x) * k * x[0] + y**2, state])


def total(f):
    return lambda x, y, k: jnp.sum(jnp.cos(f(x, y, k)))


args, all3 = (x, y, 0.7), (0, 1, 2)
assert jax.eval_shape(native, *args).shape == (10,)
for how in (lambda f: f, jax.jit):
    same(how(native)(*args), how(written)(*args))
    for d in (jax.jacfwd, jax.jacrev):
        same(how(d(native, all3))(*args), how(d(written, all3))(*args))
    same(how(jax.grad(total(native), all3))(*args), how(jax.grad(total(written), all3))(*args))
    same(how(jax.value_and_grad(total(native)))(*args), how(jax.value_and_grad(total(written)))(*args))
for outer in (jax.jacfwd, jax.jacrev):
    for inner in (jax.jacfwd, jax.jacrev):
        same(jax.jit(outer(inner(native, all3), all3))(*args), jax.jit(outer(inner(written, all3), all3))(*args))
same(jax.hessian(total(native), all3)(*args), jax.hessian(total(written), all3)(*args))
check_grads(total(native), args, order=2, modes=["fwd", "rev"])
# The same from native code alone.
same(energy.jax(x, 4, 0.7), jnp.array(energy(np.asarray(x), 4, 0.7)))

# vmap, over some and all arguments, within and around derivatives.
xs, ys, ks = jnp.array(rng.random((3, 4)) + 0.5), jnp.array(rng.random((3, 4))), jnp.array(rng.random(3))
for axes, a in (((0, 0, 0), (xs, ys, ks)), ((0, None, None), (xs, y, 0.7)), ((None, None, 0), (x, y, ks)),
                ((1, None, 0), (xs.T, y, ks)), ((None, 0, None), (x, ys, 0.7))):
    same(jax.jit(jax.vmap(native, axes))(*a), jax.jit(jax.vmap(written, axes))(*a))
    for d in (jax.grad, jax.hessian):
        same(jax.vmap(d(total(native), all3), axes)(*a), jax.vmap(d(total(written), all3), axes)(*a))

    def mean(f):
        return lambda *b: jnp.sum(jax.vmap(f, axes)(*b) ** 2)

    same(jax.grad(mean(native), all3)(*a), jax.grad(mean(written), all3)(*a))
    same(jax.jacfwd(jax.grad(mean(native), all3), all3)(*a), jax.jacfwd(jax.grad(mean(written), all3), all3)(*a))
    same(jax.jacrev(jax.grad(mean(native), all3), all3)(*a), jax.jacrev(jax.grad(mean(written), all3), all3)(*a))
pairs = jax.vmap(jax.vmap(native, (None, None, 0)), (0, 0, None))
same(pairs(xs, ys, ks), jax.vmap(jax.vmap(written, (None, None, 0)), (0, 0, None))(xs, ys, ks))
same(jax.vmap(native, (0, 0, 0))(xs[:0], ys[:0], ks[:0]), jnp.zeros((0, 10)))

# In loops and under remat.
def descend(f):
    def body(x, _):
        return x - 0.01 * jax.grad(total(f))(x, y, 0.7), None
    return lambda x: jnp.sum(jax.lax.scan(jax.checkpoint(body), x, length=3)[0] ** 2)


same(jax.jit(jax.grad(descend(native)))(x), jax.jit(jax.grad(descend(written)))(x))

# Over devices: each computes its part of the batch.
mesh = jax.make_mesh((2,), ("batch",))
part = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))
spread = jax.device_put(jnp.array(rng.random((4, 4)) + 0.5), part)
P = jax.sharding.PartitionSpec
over = jax.jit(jax.shard_map(jax.vmap(jax.grad(lambda x: energy.jax(x, 4, 0.7))), mesh=mesh, in_specs=P("batch"),
                             out_specs=P("batch"), check_vma=False))
same(over(spread), jax.vmap(jax.grad(lambda x: jnp.sum(0.49 * jnp.sin(x) * jnp.roll(x, -1))))(np.asarray(spread)))
assert over(spread).sharding.is_equivalent_to(part, 2)

# Single precision; integers that are written; what is constant.
z = jnp.array([1, 2, 3], jnp.float32)
same(jax.grad(lambda z: single.jax(z, 3))(z), 3 * z**2)
assert jax.grad(lambda z: single.jax(z, 3))(z).dtype == jnp.float32
(s, n), d = jax.value_and_grad(lambda x: count.jax(x, 4, jnp.zeros(1, jnp.int32)), has_aux=True)(x - 1)
assert n[0] == int((x > 1).sum()) and np.allclose(d, jnp.where(x > 1, 2 * (x - 1), 0))
same(jax.grad(lambda x: energy.jax(x, k=0.7, n=4))(x), jax.grad(lambda x: energy.jax(x, 4, 0.7))(x))
# Integers of another width; elements in groups; an array by value.
two, which = jnp.array(rng.random((3, 2))), jnp.array([0, 2, 2])
same(jax.hessian(lambda p: pick.jax(p, 3, which, 3))(two), jax.hessian(lambda p: (p[which, 0] * p[which, 1]).sum())(two))
sides = jnp.array(rng.random((4, 3)))
for f in (jax.grad, jax.hessian):
    same(jax.vmap(f(volume.jax, (0, 1)), (0, None))(sides, 0.7), jax.vmap(f(lambda s, k: s.prod() * k, (0, 1)), (0, None))(sides, 0.7))


def raises(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"no {kind.__name__}")


raises(Exception, "x is negative", lambda: jax.block_until_ready(jax.jit(picky.jax)(-1.0)))
raises(TypeError, "was given complex", lambda: energy.jax(x + 1j, 4, 0.7))
raises(TypeError, "is int and was given float64", lambda: energy.jax(x, jnp.array(4.0), 0.7))
raises(TypeError, "jax.vmap maps over one", lambda: energy.jax(x, 4, x))
raises(TypeError, "takes 3 arguments", lambda: energy.jax(x, 4))
raises(ValueError, "groups of 2", lambda: pick.jax(jnp.ones(3), 1, which, 3))
raises(ValueError, "numbers that it cannot hold", lambda: pick.jax(two, 3, jnp.array([0, 2**32]), 2))
raises(ValueError, "has 3 elements", lambda: volume.jax(jnp.ones(2), 1.0))
raises(NotImplementedError, "third derivatives", lambda: jax.grad(jax.grad(jax.grad(picky.jax)))(1.0))
jax.config.update("jax_enable_x64", False)
raises(TypeError, "jax_enable_x64", lambda: energy.jax(np.ones(4), 4, 0.7))
same(jax.grad(lambda z: single.jax(z, 3))(z), 3 * z**2)
print("all right")
