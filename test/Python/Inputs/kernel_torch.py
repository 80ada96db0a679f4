"""CUDA kernels as operators of PyTorch."""
import os

import torch

import retrograd as rg

here = os.path.dirname(os.path.abspath(__file__))
for target in ["cpu", "gpu"] if torch.cuda.is_available() else ["cpu"]:
    device = "cuda" if target == "gpu" else "cpu"
    swish, centred = rg.compile(os.path.join(here, "kernel.cu"), ["swish", "centred"], target=target)
    x = torch.randn(1000, device=device, requires_grad=True)
    f = swish.torch(lambda x, *_: (x.numel() + 255) // 256, 256)
    y, expected = f(x, torch.empty_like(x), 1.5, 1000), x * torch.sigmoid(1.5 * x)
    seed = torch.randn_like(x)
    assert torch.allclose(y, expected, atol=1e-6)
    (got,), (want,) = torch.autograd.grad(y, x, seed), torch.autograd.grad(expected, x, seed)
    assert torch.allclose(got, want, atol=1e-5)
    rows = torch.randn(6, 50, device=device, requires_grad=True)
    scale = torch.rand(50, device=device, requires_grad=True)
    z = centred.torch(6, 16, shared=64)(rows, scale, torch.empty_like(rows), 50)
    expected = (rows - rows.mean(1, keepdim=True)) * scale
    seed = torch.randn_like(rows)
    for got, want in zip(torch.autograd.grad(z, (rows, scale), seed), torch.autograd.grad(expected, (rows, scale), seed)):
        assert torch.allclose(got, want, atol=1e-4)
print("all right")
