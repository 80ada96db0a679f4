//===- Dg.cu - a discontinuous-Galerkin volume integral --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The volume integral of the compressible Euler equations with gravity on hexahedra
// of order 4, after D. Abdi et al. (Int. J. High Perf. Comp. Appl. 2019): a block per
// element, a thread per column of its 5 x 5 x 5 nodes. Layer by layer the threads
// put their nodes' contravariant fluxes into shared memory, meet at a barrier, and
// apply the derivative matrix, which is in shared memory too.
//
// Differentiated: the right-hand side at all nodes, by density, momentum and energy
// at all nodes.
//
//===----------------------------------------------------------------------===//

#include "GpuBench.h"

namespace dg {

#ifndef DG_REAL
#define DG_REAL float
#endif
using Real = DG_REAL;
/// Nodes along an edge.
constexpr int Q = 5;
constexpr int Nodes = Q * Q * Q;
constexpr int Fields = 5;
/// Of the geometry per node: nine metric terms, weighted Jacobian, its inverse, height.
constexpr int Terms = 12;

/// Rhs and State are [element][field][node], Geometry is [element][term][node], D is
/// the Q x Q derivative matrix. Adds to Rhs.
__device__ __forceinline__ void volume(Real *__restrict__ Rhs, const Real *__restrict__ State,
                                       const Real *__restrict__ Geometry, const Real *__restrict__ D, Real Gravity) {
  __shared__ Real SharedD[Q][Q];
  __shared__ Real FluxX[Fields][Q][Q], FluxY[Fields][Q][Q];
  constexpr Real GasLessOne = Real(0.4);

  int Element = blockIdx.x, I = threadIdx.x, J = threadIdx.y;
  SharedD[J][I] = D[J * Q + I];
  Real Sum[Fields][Q];
#pragma unroll
  for (int F = 0; F < Fields; ++F)
#pragma unroll
    for (int K = 0; K < Q; ++K)
      Sum[F][K] = 0;

#pragma unroll
  for (int K = 0; K < Q; ++K) {
    __syncthreads();
    int Node = K * Q * Q + J * Q + I;
    const Real *G = Geometry + Element * Terms * Nodes + Node;
    const Real *S = State + Element * Fields * Nodes + Node;
    Real Density = S[0], U = S[Nodes], V = S[2 * Nodes], W = S[3 * Nodes], Energy = S[4 * Nodes];
    Real Weight = G[9 * Nodes];
    Real PerDensity = 1 / Density;
    Real P = GasLessOne * (Energy - (U * U + V * V + W * W) * PerDensity / 2 - Density * Gravity * G[11 * Nodes]);
    Real X = U * PerDensity, Y = V * PerDensity, Z = W * PerDensity;
    Real Along[3][Fields] = {{U, X * U + P, X * V, X * W, X * (Energy + P)},
                             {V, Y * U, Y * V + P, Y * W, Y * (Energy + P)},
                             {W, Z * U, Z * V, Z * W + P, Z * (Energy + P)}};
    Real Up[Fields];
#pragma unroll
    for (int F = 0; F < Fields; ++F) {
      FluxX[F][J][I] = Weight * (G[0 * Nodes] * Along[0][F] + G[1 * Nodes] * Along[1][F] + G[2 * Nodes] * Along[2][F]);
      FluxY[F][J][I] = Weight * (G[3 * Nodes] * Along[0][F] + G[4 * Nodes] * Along[1][F] + G[5 * Nodes] * Along[2][F]);
      Up[F] = Weight * (G[6 * Nodes] * Along[0][F] + G[7 * Nodes] * Along[1][F] + G[8 * Nodes] * Along[2][F]);
    }
    Sum[3][K] -= Weight * Density * Gravity;
    __syncthreads();
#pragma unroll
    for (int N = 0; N < Q; ++N) {
      Real DerivativeX = SharedD[N][I], DerivativeY = SharedD[N][J], DerivativeZ = SharedD[K][N];
#pragma unroll
      for (int F = 0; F < Fields; ++F) {
        Sum[F][N] += DerivativeZ * Up[F];
        Sum[F][K] += DerivativeX * FluxX[F][J][N] + DerivativeY * FluxY[F][N][I];
      }
    }
  }
#pragma unroll
  for (int K = 0; K < Q; ++K) {
    int Node = K * Q * Q + J * Q + I;
    Real PerWeight = Geometry[Element * Terms * Nodes + 10 * Nodes + Node];
#pragma unroll
    for (int F = 0; F < Fields; ++F)
      Rhs[(Element * Fields + F) * Nodes + Node] += PerWeight * Sum[F][K];
  }
}

__global__ void primalKernel(Real *Rhs, const Real *State, const Real *Geometry, const Real *D, Real Gravity) {
  volume(Rhs, State, Geometry, D, Gravity);
}
// At most 96 registers, for 20 warps on a multiprocessor: it waits more often than it computes.
__global__ void __launch_bounds__(32, 20)
    gradientKernel(Real *Rhs, Real *DRhs, const Real *State, Real *DState, const Real *Geometry, const Real *D,
                   Real Gravity) {
  __enzyme_autodiff((void *)volume, enzyme_dup, Rhs, DRhs, enzyme_dup, State, DState, enzyme_const, Geometry,
                    enzyme_const, D, enzyme_const, Gravity);
}
__global__ void forwardKernel(Real *Rhs, Real *DRhs, const Real *State, Real *DState, const Real *Geometry,
                              const Real *D, Real Gravity) {
  __enzyme_fwddiff((void *)volume, enzyme_dup, Rhs, DRhs, enzyme_dup, State, DState, enzyme_const, Geometry,
                   enzyme_const, D, enzyme_const, Gravity);
}

/// Derivatives of the Lagrange polynomials at the nodes, [function][node], by the
/// barycentric formula.
std::vector<Real> derivativeMatrix(const double *Nodes1) {
  double Weight[Q];
  for (int A = 0; A < Q; ++A) {
    Weight[A] = 1;
    for (int B = 0; B < Q; ++B)
      if (A != B)
        Weight[A] /= Nodes1[A] - Nodes1[B];
  }
  std::vector<Real> D(Q * Q);
  for (int At = 0; At < Q; ++At) {
    double Others = 0;
    for (int Of = 0; Of < Q; ++Of)
      if (Of != At) {
        double Value = Weight[Of] / Weight[At] / (Nodes1[At] - Nodes1[Of]);
        D[Of * Q + At] = Real(Value);
        Others += Value;
      }
    D[At * Q + At] = Real(-Others);
  }
  return D;
}

} // namespace dg

using namespace dg;

int main(int Count, char **Words) {
  bench::Options Settings(Count, Words);
  int Elements = Settings.size("elements", 6, 100000);
  bench::Program Program("DG", std::to_string(Elements) + " elements", Settings);
  Settings.finish();

  // Gauss-Lobatto nodes of order 4.
  double Edge = std::sqrt(3.0 / 7);
  double Nodes1[Q] = {-1, -Edge, 0, Edge, 1};
  bench::Random Numbers(5);
  std::vector<Real> State(size_t(Elements) * Fields * Nodes), Geometry(size_t(Elements) * Terms * Nodes);
  for (int E = 0; E < Elements; ++E)
    for (int N = 0; N < Nodes; ++N) {
      auto S = [&](int F) -> Real & { return State[(size_t(E) * Fields + F) * Nodes + N]; };
      auto G = [&](int T) -> Real & { return Geometry[(size_t(E) * Terms + T) * Nodes + N]; };
      S(0) = Real(Numbers.uniform(1, 2));
      for (int F = 1; F < 4; ++F)
        S(F) = Real(Numbers.uniform(-1, 1));
      S(4) = Real(Numbers.uniform(4, 6));
      // A slightly bent unit element.
      for (int T = 0; T < 9; ++T)
        G(T) = Real((T % 4 == 0 ? 1 : 0) + Numbers.uniform(-0.1, 0.1));
      G(9) = Real(Numbers.uniform(0.5, 1));
      G(10) = 1 / G(9);
      G(11) = Real(Numbers.uniform(0, 0.1));
    }
  size_t Size = State.size();
  Real *DeviceState = bench::upload(State), *DState = bench::allocate<Real>(Size);
  Real *Rhs = bench::allocate<Real>(Size), *DRhs = bench::allocate<Real>(Size);
  Real *DeviceGeometry = bench::upload(Geometry), *D = bench::upload(derivativeMatrix(Nodes1));
  Program.field(DeviceState, DState, Size, true, false);
  Program.field(Rhs, DRhs, Size, true, true);
  Program.Step = sizeof(Real) == 4 ? 1e-2 : 1e-5;
  Program.Tolerance = sizeof(Real) == 4 ? 1e-4 : 1e-10;
  Program.DifferencesTolerance = sizeof(Real) == 4 ? 5e-3 : 1e-7;

  Real Gravity = Real(9.81);
  dim3 Block(Q, Q);
  Program.Primal = [=] { primalKernel<<<Elements, Block>>>(Rhs, DeviceState, DeviceGeometry, D, Gravity); };
  Program.Gradient = [=] {
    gradientKernel<<<Elements, Block>>>(Rhs, DRhs, DeviceState, DState, DeviceGeometry, D, Gravity);
  };
  Program.Forward = [=] {
    forwardKernel<<<Elements, Block>>>(Rhs, DRhs, DeviceState, DState, DeviceGeometry, D, Gravity);
  };
  return Program.run();
}
