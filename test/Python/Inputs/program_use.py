"""Functions of CUDA programs, which launch kernels: from NumPy, PyTorch and JAX, on the processor; on a GPU where there
is one, with tensors and arrays there.

    program_use.py numpy|torch|jax [folder of libraries program-cpu.so, program-gpu.so]
"""
import os
import sys

import numpy as np

import retrograd as rg

what, folder = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program.cu")
names = ["energy", "steps", "total"]
n = 100
rng = np.random.default_rng(3)
x, a = rng.random(n) + 0.2, 1.5
state, rate = (rng.random(n) + 0.5).astype(np.float32), (rng.random(n) + 0.5).astype(np.float32)


def functions(target):
    if folder:
        made = rg.load(os.path.join(folder, f"program-{target}.so"))
        return [made[name] for name in names]
    return rg.compile(source, names, target=target, derivatives=["rev", "fwd"])


y = a * np.sin(x) * x
expected = (y * y).sum(), (2 * y * a * (np.cos(x) * x + np.sin(x)), 2 * (y * y).sum() / a)


def moved(s, r, times):
    """steps in float64, and the derivatives of its last state by state and rate, element by element."""
    s, by_state, by_rate = s.astype(float), np.ones(n), np.zeros(n)
    for _ in range(times):
        by_rate = by_rate * (1 + 0.2 * r * s) + 0.1 * s * s
        by_state = by_state * (1 + 0.2 * r * s)
        s = s + 0.1 * r * s * s
    return s, by_state, by_rate


after, by_state, by_rate = moved(state, rate, 3)


def close(got, want, tolerance=1e-10):
    assert np.allclose(np.asarray(got), want, rtol=tolerance, atol=tolerance), (got, want)


def raises(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"no {kind.__name__}")


if what == "numpy":
    energy, steps, total = functions("cpu")
    for f in (energy, total):
        value, gradients = f.value_and_gradient(x, a, n)
        close(value, expected[0])
        for got, want in zip(gradients, expected[1]):
            close(got, want)
        tangent = f.jvp((x, a, n), (np.cos(x), 0.3))[1]
        close(tangent, expected[1][0] @ np.cos(x) + 0.3 * expected[1][1])
    now = state.copy()
    steps(now, rate, 3, n)
    close(now, after, 1e-5)
    seed = rng.random(n).astype(np.float32)
    (values, back) = steps.vjp((state, rate, 3, n), seed)
    close(values, after, 1e-5)
    close(back[0], seed * by_state, 1e-5)
    close(back[1], seed * by_rate, 1e-5)
elif what == "torch":
    import torch

    for target in ["cpu", "gpu"] if torch.cuda.is_available() else ["cpu"]:
        energy, steps, total = functions(target)
        device = "cuda" if target == "gpu" else "cpu"
        streams = [None, torch.cuda.Stream()] if target == "gpu" else [None]
        for stream in streams:
            with torch.cuda.stream(stream) if stream else torch.enable_grad():
                tx = torch.tensor(x, device=device, requires_grad=True)
                ta = torch.tensor(a, dtype=torch.float64, requires_grad=True)
                # What runs before the function on the current stream counts, and what runs behind it.
                value = energy.torch(tx * 1.0, ta, n) * 1.0
                assert value.device.type == device
                close(value.detach().cpu(), expected[0])
                gx, ga = torch.autograd.grad(value, (tx, ta))
                assert gx.device.type == device and ga.device.type == "cpu"
                close(gx.cpu(), expected[1][0])
                close(ga, expected[1][1])
                ts = torch.tensor(state, device=device, requires_grad=True)
                tr = torch.tensor(rate, device=device, requires_grad=True)
                out = steps.torch(ts, tr, 3, n)
                close(out.detach().cpu(), after, 1e-5)
                gs, gr = torch.autograd.grad((out * out).sum(), (ts, tr))
                close(gs.cpu(), 2 * after * by_state, 1e-4)
                close(gr.cpu(), 2 * after * by_rate, 1e-4)
        # A function that copies from the host takes tensors there.
        tx = torch.tensor(x, requires_grad=True)
        close(torch.autograd.grad(total.torch(tx, a, n), tx)[0], expected[1][0])
        made = torch.compile(lambda t: energy.torch(t, a, n) * 2, backend="eager")
        tx = torch.tensor(x, device=device, requires_grad=True)
        close(torch.autograd.grad(made(tx), tx)[0].cpu(), 2 * expected[1][0])
        torch.library.opcheck(energy.torch._value, (tx, torch.tensor(a, dtype=torch.float64), n))
    if torch.cuda.is_available():
        cpu = functions("cpu")[0]
        raises(TypeError, 'target="gpu"', lambda: cpu.torch(torch.tensor(x, device="cuda"), a, n))
        print("on a GPU too")
    else:
        print("PyTorch has no GPU here: tensors on one were left out")
else:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    gpus = [d for d in jax.devices() if d.platform == "gpu"]
    for target in ["cpu", "gpu"] if gpus else ["cpu"]:
        energy, steps, total = functions(target)
        with jax.default_device(gpus[0] if target == "gpu" else jax.devices("cpu")[0]):
            jx = jnp.array(x)
            value, (gx, ga) = jax.jit(jax.value_and_grad(lambda x, a: energy.jax(x, a, n), (0, 1)))(jx, a)
            close(value, expected[0])
            close(gx, expected[1][0])
            close(ga, expected[1][1])
            assert gx.devices() == jx.devices()
            tangent = jax.jit(lambda x: jax.jvp(lambda x: energy.jax(x, a, n), (x,), (jnp.cos(x),)))(jx)[1]
            close(tangent, expected[1][0] @ np.cos(x))
            many = jax.jit(jax.vmap(jax.grad(lambda x, a: energy.jax(x, a, n)), (0, None)))(jnp.stack([jx, 2 * jx]), a)
            close(many[0], expected[1][0])
            js, jr = jnp.array(state), jnp.array(rate)
            close(jax.jit(lambda s, r: steps.jax(s, r, 3, n))(js, jr), after, 1e-5)
            gs, gr = jax.jit(jax.grad(lambda s, r: jnp.sum(steps.jax(s, r, 3, n) ** 2), (0, 1)))(js, jr)
            close(gs, 2 * after * by_state, 1e-4)
            close(gr, 2 * after * by_rate, 1e-4)
            # Work of XLA in front of it and behind it.
            loss = jax.jit(jax.grad(lambda x: jnp.log(energy.jax(jnp.exp(jnp.log(x)), a, n))))
            close(loss(jx), expected[1][0] / expected[0])
    if gpus:
        cpu = functions("cpu")[0]
        raises(NotImplementedError, 'target="gpu"', lambda: cpu.jax(jax.device_put(x, gpus[0]), a, n))
        print("on a GPU too")
    else:
        print("JAX has no GPU here: arrays on one were left out")
print("all right")
