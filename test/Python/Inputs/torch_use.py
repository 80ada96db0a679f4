"""Native functions as operators of PyTorch, against the same functions written in PyTorch."""
import numpy as np
import torch
from torch.autograd import gradcheck, gradgradcheck

import retrograd as rg

energy, step, single, picky, layer, pick, volume = rg.compile("""
#include <array>
#include <cmath>
#include <stdexcept>
double energy(const double *at, int n, double k) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += k * k * std::sin(at[i]) * at[(i + 1) % n];
  return s;
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
// y = tanh(W x + b)
void layer(const double *weights, const double *bias, const double *x, double *y, int rows, int columns) {
  for (int i = 0; i < rows; ++i) {
    double s = bias[i];
    for (int j = 0; j < columns; ++j)
      s += weights[i * columns + j] * x[j];
    y[i] = std::tanh(s);
  }
}
double pick(const double (*pairs)[2], int n, const int *which, int m) {
  double s = 0;
  for (int i = 0; i < m; ++i)
    s += pairs[which[i]][0] * pairs[which[i]][1];
  return s;
}
double volume(std::array<double, 3> sides, double k) { return sides[0] * sides[1] * sides[2] * k; }
""", ["energy", "step", "single", "picky", "layer", "pick", "volume"], language="c++")
torch.manual_seed(1)
real = dict(dtype=torch.float64)


def native(x, y, k):
    norm, state = step.torch(x, y, 4, k)
    return energy.torch(x, 4, k) + norm * state.sum() + state[0]


def written(x, y, k):
    state = x + k * y * x
    return torch.sum(k * k * torch.sin(x) * torch.roll(x, -1)) + torch.sum(state**2) * state.sum() + state[0]


def inputs():
    return (torch.rand(4, **real).requires_grad_(), torch.rand(4, **real).requires_grad_(),
            torch.tensor(0.7, **real).requires_grad_())


args = inputs()
assert torch.allclose(native(*args), written(*args))
for f in (native, torch.compile(native, backend="aot_eager", fullgraph=True)):
    a = torch.autograd.grad(f(*args), args)
    b = torch.autograd.grad(written(*args), args)
    assert all(torch.allclose(u, v) for u, v in zip(a, b))
before = [a.detach().clone() for a in args]
assert gradcheck(native, args) and gradgradcheck(native, args)
assert gradcheck(lambda w, b, x: layer.torch(w, b, x, torch.zeros(3, **real), 3, 4),
                 (torch.rand(3, 4, **real).requires_grad_(), torch.rand(3, **real).requires_grad_(),
                  torch.rand(4, **real).requires_grad_()))
assert all(torch.equal(a.detach(), b) for a, b in zip(args, before))  # nothing is written
ha, hb = (torch.autograd.functional.hessian(f, tuple(a.detach() for a in args)) for f in (native, written))
assert all(torch.allclose(u, v) for r, s in zip(ha, hb) for u, v in zip(r, s))
# Only what is asked for; strided tensors; numbers that are no tensors.
x = torch.rand(8, **real)[::2].requires_grad_()
energy.torch(x, 4, 2).backward()
assert torch.allclose(x.grad, torch.autograd.grad(written(x, torch.zeros(4, **real), 0.0) * 0 + torch.sum(
    4 * torch.sin(x) * torch.roll(x, -1)), x)[0])
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
single.torch(z, 3).backward()
assert z.grad.dtype == torch.float32 and torch.allclose(z.grad, 3 * z.detach() ** 2)
# Integers of another width; elements in groups; an array by value.
pairs, which = torch.rand(3, 2, **real).requires_grad_(), torch.tensor([0, 2, 2])
assert gradcheck(lambda p: pick.torch(p, 3, which, 3), (pairs,))
assert gradcheck(lambda s, k: volume.torch(s, k), (torch.rand(3, **real).requires_grad_(), torch.rand((), **real).requires_grad_()))
# The rules of operators of PyTorch.
for operator in (energy.torch._value, step.torch._value):
    torch.library.opcheck(operator, (*((torch.rand(4, **real).requires_grad_(), 4) if operator is energy.torch._value
                                       else (torch.rand(4, **real).requires_grad_(), torch.rand(4, **real), 4)),
                                     torch.tensor(0.5, **real)))

# A layer, trained by an optimiser; what it learns is saved with it.
net = rg.torch.module(layer, weights=torch.rand(3, 4), bias=torch.zeros(3))
assert [n for n, _ in net.named_parameters()] == ["weights", "bias"] and "void layer" in repr(net)
truth = torch.rand(3, 4, **real)
data = torch.rand(16, 4, **real)
optimiser = torch.optim.Adam(net.parameters(), lr=0.05)
losses = []
for _ in range(60):
    optimiser.zero_grad()
    loss = sum(((net(x, torch.zeros(3, **real), 3, columns=4) - torch.tanh(truth @ x)) ** 2).sum() for x in data)
    loss.backward()
    optimiser.step()
    losses.append(loss.item())
assert losses[-1] < 0.05 * losses[0], losses
again = rg.torch.module(layer, weights=torch.zeros(3, 4), bias=torch.zeros(3))
again.load_state_dict(net.state_dict())
assert torch.equal(again(data[0], torch.zeros(3, **real), 3, 4), net(data[0], torch.zeros(3, **real), 3, 4))


def raises(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"no {kind.__name__}")


raises(rg.NativeError, "x is negative", lambda: picky.torch(torch.tensor(-1.0, **real)))
raises(TypeError, "give a Python integer", lambda: energy.torch(x, torch.tensor(4), 1.0))
raises(TypeError, "was given torch.complex", lambda: energy.torch(x + 1j, 4, 1.0))
raises(TypeError, "was given a tensor of shape (4,)", lambda: energy.torch(x, 4, x))
raises(TypeError, "has no parameter 'w'", lambda: rg.torch.module(layer, w=1))
raises(TypeError, "'columns' is missing", lambda: net(data[0], torch.zeros(3), 3))
raises(TypeError, "takes 3 arguments", lambda: energy.torch(x, 4))
raises(TypeError, "'n' of energy() is int and was given the float 4.5", lambda: energy.torch(x, 4.5, 1.0))
raises(ValueError, "groups of 2", lambda: pick.torch(torch.rand(3, **real), 1, which, 3))
raises(ValueError, "numbers that it cannot hold", lambda: pick.torch(pairs, 3, torch.tensor([0, 2**32]), 2))
raises(ValueError, "has 3 elements", lambda: volume.torch(torch.rand(2, **real), 1.0))
# PyTorch would take the tangents of an operator like this to be zero.
point, along = torch.rand(4, **real), torch.rand(4, **real)
raises(NotImplementedError, "forward mode", lambda: torch.func.jvp(lambda x: energy.torch(x, 4, 1.0), (point,), (along,)))
with torch.autograd.forward_ad.dual_level():
    dual = torch.autograd.forward_ad.make_dual(point, along)
    raises(NotImplementedError, "forward mode", lambda: energy.torch(dual, 4, 1.0))
    apart = point.clone().requires_grad_()
    seeded = energy.torch(apart, 4, 1.0) * dual.sum()
    raises(NotImplementedError, "forward mode", lambda: torch.autograd.grad(seeded, apart, create_graph=True))
print("all right")
