"""CUDA kernels under JAX: on the processor here; on a GPU where JAX has one, else what XLA is told is looked at."""
import os

import jax
import jax.numpy as jnp
import numpy as np

import retrograd as rg

here = os.path.dirname(os.path.abspath(__file__))


def has_gpu():
    try:
        return bool(jax.devices("cuda"))
    except RuntimeError:
        return False


def close(got, want, atol=1e-5):
    return np.allclose(np.asarray(got), np.asarray(want), atol=atol)


def raises(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"no {kind.__name__}")


for target in ["cpu", "gpu"] if has_gpu() else ["cpu"]:
    device = jax.devices("cuda" if target == "gpu" else "cpu")[0]
    swish, centred, blend = rg.compile(os.path.join(here, "kernel.cu"), ["swish", "centred", "blend"], target=target)
    with jax.default_device(device):
        x, seed = jax.random.normal(jax.random.key(0), (2, 1000))
        launched = swish.jax(lambda x, *_: (x.size + 255) // 256, 256)
        f = lambda x: launched(x, jnp.zeros_like(x), 1.5, x.size)
        g = lambda x: x * jax.nn.sigmoid(1.5 * x)
        assert close(f(x), g(x)) and close(jax.jit(f)(x), g(x))
        for form in (lambda c: c, jax.jit):
            for got, want in zip(form(lambda x, t: jax.jvp(f, (x,), (t,)))(x, seed), jax.jvp(g, (x,), (seed,))):
                assert close(got, want)
            assert close(form(jax.grad(lambda x: jnp.vdot(f(x), seed)))(x), jax.grad(lambda x: jnp.vdot(g(x), seed))(x))
        # One launch for each row; the derivative of that.
        rows = x.reshape(4, 250)
        assert close(jax.vmap(f)(rows), g(rows))
        assert close(jax.grad(lambda r: jnp.sum(jax.vmap(f)(r) ** 2))(rows), jax.grad(lambda r: jnp.sum(g(r) ** 2))(rows))

        rows, scale = x[:300].reshape(6, 50), jnp.abs(x[300:350])
        h = lambda r, s: centred.jax(6, 16, shared=64)(r, s, jnp.zeros_like(r), 50)
        plain = lambda r, s: (r - r.mean(1, keepdims=True)) * s
        weights = seed[:300].reshape(6, 50)
        loss = lambda h: lambda r, s: jnp.vdot(weights, h(r, s))
        for got, want in zip(jax.jit(jax.grad(loss(h), (0, 1)))(rows, scale), jax.grad(loss(plain), (0, 1))(rows, scale)):
            assert close(got, want, 1e-4)
        # What is read and written has a derivative by its first contents, and the argument keeps them.
        y = x[500:] * 1
        b = lambda x, y: blend.jax(2, 250)(x, y, 0.25, 500)
        plain = lambda x, y: 0.25 * x * x + 0.75 * y
        before = np.array(y)
        assert close(b(x[:500], y), plain(x[:500], y)) and np.array_equal(before, y)
        for got, want in zip(jax.grad(lambda *a: jnp.vdot(b(*a), seed[:500]), (0, 1))(x[:500], y),
                             jax.grad(lambda *a: jnp.vdot(plain(*a), seed[:500]), (0, 1))(x[:500], y)):
            assert close(got, want)

        raises(NotImplementedError, "second derivatives of kernels", lambda: jax.hessian(lambda x: f(x).sum())(x[:4]))
        raises(TypeError, "of swish() is passed by value", lambda: jax.jit(launched)(x, x, 1.5, 1000))
        raises(TypeError, "was given int32", lambda: launched(jnp.arange(3), x[:3], 1.5, 3))
        raises(ValueError, "grid is one to three positive integers", lambda: swish.jax(0, 256)(x, x, 1.5, 1000))

# XLA's program for a GPU can be made without one: the kernel is a call with the stream's handler.
swish = rg.compile(os.path.join(here, "kernel.cu"), "swish")
swish.target = "gpu"
text = jax.export.export(jax.jit(lambda x: swish.jax(4, 256)(x, x, 1.5, 1000)), platforms=["cuda"],
                         disabled_checks=[jax.export.DisabledSafetyCheck.custom_call("retrograd_launch_gpu")])(x).mlir_module()
assert "@retrograd_launch_gpu" in text and "output_operand_alias" in text, text
if not has_gpu():  # this kernel is one of the processor all the same
    raises(NotImplementedError, "was compiled for the GPU", lambda: swish.jax(4, 256)(x, x, 1.5, 1000))
# A host function does not run there, and says so.
square = rg.compile("double square(double x) { return x * x; }", "square", language="c")
jax.config.update("jax_enable_x64", True)
raises(NotImplementedError, "square() runs on the processor",
       lambda: jax.export.export(jax.jit(square.jax), platforms=["cuda"])(2.0))
print("on a GPU too" if has_gpu() else "JAX has no GPU here: launches on its stream were left out")
print("all right")
