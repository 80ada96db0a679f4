"""CUDA kernels from Python, on the processor: launches, both modes, errors."""
import os

import numpy as np

import retrograd as rg

here = os.path.dirname(os.path.abspath(__file__))
swish, centred = rg.compile(os.path.join(here, "kernel.cu"), ["swish", "centred"], target="cpu")
n, beta = 100, 1.5
x = np.linspace(-2, 2, n, dtype=np.float32)
y = np.zeros_like(x)
logistic = 1 / (1 + np.exp(-beta * x))
slope = logistic + beta * x * logistic * (1 - logistic)

swish(4, 32, x, y, beta, n)
assert np.allclose(y, x * logistic, atol=1e-6)
dx, dy = np.full_like(x, 2), np.arange(n, dtype=np.float32)
swish.reverse((4,), (32, 1, 1), (x, y, beta, n), (dx, dy))
assert np.allclose(dx, 2 + slope * np.arange(n), rtol=1e-5)  # adjoints of inputs are added to
assert not dy.any()  # and those of outputs consumed
tx, ty = np.ones_like(x), np.zeros_like(x)
swish.forward(4, 32, (x, y, beta, n), (tx, ty))
assert np.allclose(ty, slope, rtol=1e-5)

# Dynamic shared memory, blocks in a row.
rows = np.random.default_rng(1).standard_normal((6, 50)).astype(np.float32)
scale, out = np.linspace(1, 2, 50, dtype=np.float32), np.zeros_like(rows)
centred(6, 16, rows, scale, out, 50, shared=64)
middle = rows - rows.mean(axis=1, keepdims=True)
assert np.allclose(out, middle * scale, atol=1e-5)
seed = np.random.default_rng(2).standard_normal(rows.shape).astype(np.float32)
drows, dscale = np.zeros_like(rows), np.zeros_like(scale)
centred.reverse(6, 16, (rows, scale, out, 50), (drows, dscale, seed.copy()), shared=64)
weighted = seed * scale
assert np.allclose(drows, weighted - weighted.mean(axis=1, keepdims=True), atol=1e-5)
assert np.allclose(dscale, (seed * middle).sum(axis=0), atol=1e-4)


def message(call, kind):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


assert "grid is one to three positive integers" in message(lambda: swish(0, 32, x, y, beta, n), ValueError)
assert "contiguous array of float32" in message(lambda: swish(4, 32, x.astype(float), y, beta, n), TypeError)
assert "2 shadows are needed" in message(lambda: swish.reverse(4, 32, (x, y, beta, n), (dx,)), TypeError)
assert "has 3 elements" in message(lambda: swish.reverse(4, 32, (x, y, beta, n), (dx, dy[:3])), ValueError)
assert "invalid configuration" in message(lambda: swish(4, 4096, x, y, beta, n), rg.NativeError)
assert "'cpu' or 'gpu'" in message(lambda: rg.compile("x.cu", "f", target="tpu"), ValueError)
print("all right")
