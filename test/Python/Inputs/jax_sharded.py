"""Batches of a native function over several devices of JAX: results and derivatives are those of one device, and each
device computes its own examples."""
import os
import re

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import retrograd as rg

jax.config.update("jax_enable_x64", True)
energy, swing = rg.compile("""
#include <cmath>
#include <stdexcept>
double energy(const double *at, int n, double k) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    if (!(at[i] > 0))
      throw std::domain_error("nobody gave this example");
    s += k * k * std::sin(at[i]) * at[(i + 1) % n] + std::log(at[i]);
  }
  return s;
}
void swing(double *state, const double *rate, int n) {
  for (int i = 0; i < n; ++i)
    state[i] = std::sin(state[i]) * rate[i % 2];
}
""", ["energy", "swing"], language="c++")
assert jax.device_count() == 4
rng = np.random.default_rng(2)
X, K = rng.random((8, 5)) + 0.5, rng.random(8) + 0.5
R = rng.random(2)


def one(x, k):
    return energy.jax(x, 5, k)


def moved(x, r):
    return swing.jax(x, r, 5)


def checked(f, args, specs, mesh, local, gathers=False, where=None):
    """`f` of arguments that are spread over the devices is `f` of the same on one. Each device runs calls whose batch
    has `local` examples."""
    spread = [jax.device_put(a, NamedSharding(mesh, s)) for a, s in zip(args, specs)]
    made = jax.jit(f).lower(*spread).compile()
    expected, found = f(*map(jnp.asarray, args)), made(*spread)
    for e, g in zip(jax.tree.leaves(expected), jax.tree.leaves(found), strict=True):
        assert np.allclose(e, g, rtol=1e-12, atol=1e-13), (e, g)
        if where is not None:
            assert g.sharding.is_equivalent_to(NamedSharding(mesh, where), g.ndim), g.sharding
    text = made.as_text()
    calls = [line for line in text.splitlines() if "custom-call(" in line and "retrograd_call" in line]
    sizes = {int(size) for line in calls for size in re.findall(r"f64\[(\d+)[,\]]", line.split("custom-call(")[0])}
    assert calls and sizes == {local}, (sizes, local, calls)
    assert ("all-gather" in text) == gathers, text


for kind in (AxisType.Auto, AxisType.Explicit):
    line = jax.make_mesh((4,), ("b",), axis_types=(kind,))
    plane = jax.make_mesh((2, 2), ("a", "b"), axis_types=(kind, kind))
    for how in (one, jax.grad(one), jax.grad(one, (0, 1)), jax.hessian(one), jax.jacfwd(one)):
        checked(jax.vmap(how), (X, K), (P("b"), P("b")), line, 2, where=P("b"))
        checked(jax.vmap(how, (0, None)), (X, K[0]), (P("b"), P()), line, 2, where=P("b"))
        checked(jax.vmap(how), (X, K), (P(("a", "b")), P(("a", "b"))), plane, 2, where=P(("a", "b")))
    # Arrays that are written.
    checked(jax.vmap(moved, (0, None)), (X, R), (P("b"), P()), line, 2, where=P("b"))
    checked(jax.vmap(jax.jacrev(moved, (0, 1)), (0, None)), (X, R), (P("b"), P()), line, 2, where=P("b"))

    # A loss over the batch: what is common to all examples gets the sum of all devices.
    def loss(x, k):
        return jnp.mean(jax.vmap(one, (0, None))(x, k) ** 2)

    checked(jax.value_and_grad(loss, (0, 1)), (X, K[0]), (P("b"), P()), line, 2)

    # Two dimensions of the batch, over both axes of the mesh.
    twice = jax.vmap(jax.vmap(jax.grad(one)))
    checked(twice, (X.reshape(4, 2, 5), K.reshape(4, 2)), (P("a", "b"), P("a", "b")), plane, 2, where=P("a", "b"))

# One example is not divided: its parts are gathered. Six examples are not spread over four devices with two that nobody gave.
line = jax.make_mesh((4,), ("b",), axis_types=(AxisType.Auto,))
wide = np.tile(X, (1, 4))
checked(jax.vmap(lambda x: energy.jax(x, 20, 0.7)), (wide,), (P(None, "b"),), line, 8, gathers=True)
part = jax.jit(lambda x, k: jax.vmap(jax.grad(one))(jax.lax.with_sharding_constraint(x[:6], NamedSharding(line, P("b"))), k[:6]))
assert np.allclose(part(X, K), jax.vmap(jax.grad(one))(X[:6], K[:6]))

# Without jit, and by shard_map.
spread = jax.device_put(X, NamedSharding(line, P("b")))
for f in (jax.vmap(jax.grad(lambda x: one(x, 0.7))),
          jax.jit(jax.shard_map(jax.vmap(jax.grad(lambda x: one(x, 0.7))), mesh=line, in_specs=P("b"), out_specs=P("b"),
                                check_vma=False))):
    found = f(spread)
    assert found.sharding.is_equivalent_to(spread.sharding, 2)
    assert np.allclose(found, jax.vmap(jax.grad(lambda x: one(x, 0.7)))(X))
# Kernels, each device launching for its own examples.
swish = rg.compile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.cu"), "swish")
launched = swish.jax(lambda x, *_: (x.size + 255) // 256, 256)
each = jax.vmap(lambda x: launched(x, jnp.zeros_like(x), 1.5, x.size))
x, mesh = rng.random((8, 1000)).astype(np.float32), jax.make_mesh((4,), ("d",))
divided = jax.jit(jax.shard_map(each, mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False))
x4 = jax.device_put(x, NamedSharding(mesh, P("d")))
y = divided(x4)
assert {s.data.shape for s in y.addressable_shards} == {(2, 1000)} and np.allclose(y, x * jax.nn.sigmoid(1.5 * x), atol=1e-5)
assert "all-gather" not in divided.lower(x4).compile().as_text()
slope = jax.jit(jax.grad(lambda x: divided(x).sum()))(x4)
assert np.allclose(slope, jax.grad(lambda x: (x * jax.nn.sigmoid(1.5 * x)).sum())(x), atol=1e-5)
print("all right")
