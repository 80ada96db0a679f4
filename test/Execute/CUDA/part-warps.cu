// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Shuffles where the last warp of a block is not whole (lanes that a mask names and that do
// not exist give no adjoint), where each lane asks in its own way, and their derivatives of
// derivatives. Found by fuzz/run.py --kernels 1.
#include "rgcuda.h"

// Own number where the lane that is asked does not exist.
__device__ double there(double got, double own, int source) {
  int first = threadIdx.x / 32 * 32;
  return first + source < blockDim.x ? got : own;
}
__device__ void whole(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x, lane = t % 32;
  double a = x[i] * x[i];
  double s = there(__shfl_sync(~0u, a, (t * 3) % 32), a, (t * 3) % 32);
  s += there(__shfl_xor_sync(~0u, s, 8), s, lane ^ 8) * a;
  s += there(__shfl_down_sync(~0u, s, 5), s, lane + 5 < 32 ? lane + 5 : lane);
  s += __shfl_up_sync(~0u, s * a, 2);
  y[i] = s;
}

// Distances and partners of each lane's own.
__device__ void ownWays(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  double a = x[i] * x[i];
  double s = a * __shfl_down_sync(~0u, a, lane % 3);
  s += __shfl_up_sync(~0u, s, lane / 5) * a;
  s += __shfl_xor_sync(~0u, s, lane % 4);
  y[i] = s;
}

// The second derivative of a sum of squares of neighbours' values: forward over reverse.
__device__ void pairs(const double *x, double *y) {
  int t = threadIdx.x;
  double v = __shfl_down_sync(~0u, x[t], 1, 16);
  y[t] = v * v * x[t];
}
__device__ void gradient(const double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff<void>((void *)pairs, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
__global__ void hessian(const double *x, const double *v, double *dx, double *hv, double *y, double *ty,
                        double *dy, double *tdy) {
  __enzyme_fwddiff<void>((void *)gradient, enzyme_dup, x, v, enzyme_dup, dx, hv, enzyme_dup, y, ty,
                         enzyme_dup, dy, tdy);
}
int checkHessian() {
  const int n = 32;
  std::vector<double> X(n), V(n), Zero(n, 0.0), One(n, 1.0), Want(n, 0.0);
  for (int I = 0; I < n; ++I)
    X[I] = rg::uniform(0.5, 1.5), V[I] = rg::uniform(-1, 1);
  for (int I = 0; I < n; ++I) {
    int J = I % 16 == 15 ? I : I + 1; // y = x_j^2 x_i
    Want[I] += 2 * X[J] * V[J];
    Want[J] += 2 * X[J] * V[I] + 2 * X[I] * V[J];
  }
  rg::Buffer<double> x(n), v(n), dx(n), hv(n), y(n), ty(n), dy(n), tdy(n);
  x.set(X), v.set(V), dx.set(Zero), hv.set(Zero), y.set(Zero), ty.set(Zero), dy.set(One), tdy.set(Zero);
  hessian<<<1, n>>>(x.P, v.P, dx.P, hv.P, y.P, ty.P, dy.P, tdy.P);
  rg::must(cudaDeviceSynchronize(), "hessian");
  std::vector<double> Got = hv.get();
  int Bad = 0;
  for (int I = 0; I < n; ++I)
    if (!(std::fabs(Got[I] - Want[I]) < 1e-12))
      ++Bad, printf("Hessian times v [%d]: %.12g and not %.12g\n", I, Got[I], Want[I]);
  return Bad != 0;
}

// Threads without work leave before they have touched anything: right.
__device__ void leave(const double *x, double *y, int n) {
  __shared__ double s[64];
  int t = threadIdx.x;
  if (t >= n)
    return;
  s[t] = x[t] * x[t];
  __syncthreads();
  y[t] = s[(t + 1) % n] * x[t];
}

int main() {
  int Bad = rg::checkKernel<double, whole>("33 threads", 66, 66, 2, 33);
  Bad |= rg::checkKernel<double, whole>("20 threads", 20, 20, 1, 20);
  Bad |= rg::checkKernel<double, whole>("64 threads", 64, 64, 1, 64);
  Bad |= rg::checkKernel<double, ownWays>("own ways", 64, 64, 1, 64);
  Bad |= rg::checkKernel<double, leave>("leave early", 40, 40, 1, 64);
  return Bad | checkHessian();
}
