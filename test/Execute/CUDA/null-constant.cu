// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// `enzyme_const, nullptr` behind a test for null: there is no memory without a shadow, in reverse and
// forward mode.
#include "rgcuda.h"

__device__ void fill(double x, double *c) {
  for (int k = 0; k < 6; ++k)
    c[k] = x * x * k + x;
}
// y: results, behind them room for what is computed where nothing is given.
__device__ void f(const double *x, const double *given, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const double *c;
  if (given != nullptr)
    c = given + i % 3;
  else {
    fill(x[i], y + n + i * 6);
    c = y + n + i * 6;
  }
  y[i] = c[0] * x[i] + c[1] * c[2];
}
__global__ void reverse(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff<void>((void *)f, enzyme_dup, x, dx, enzyme_const, (const double *)nullptr, enzyme_dup, y, dy,
                          enzyme_const, n);
}
__global__ void forward(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_fwddiff<void>((void *)f, enzyme_dup, x, dx, enzyme_const, (const double *)nullptr, enzyme_dup, y, dy,
                         enzyme_const, n);
}
int main() {
  constexpr int N = 40;
  double *x, *dx, *y, *dy;
  for (double **P : {&x, &dx, &y, &dy}) {
    rg::must(cudaMallocManaged((void **)P, 7 * N * sizeof(double)), "memory");
    for (int i = 0; i < 7 * N; ++i)
      (*P)[i] = 0;
  }
  int Bad = 0;
  auto Check = [&](const char *What, double Is, double Want, int i) {
    if (fabs(Is - Want) > 1e-12 * (1 + fabs(Want)) && ++Bad)
      printf("%s[%d] = %.15g and not %.15g\n", What, i, Is, Want);
  };
  // c[0] = x, c[1] = x^2 + x, c[2] = 2 x^2 + x: y = x^2 + 2 x^4 + 3 x^3 + x^2.
  auto Want = [](double v) { return 4 * v + 8 * v * v * v + 9 * v * v; };
  for (int i = 0; i < N; ++i)
    x[i] = 0.1 * i - 1, dy[i] = 1;
  reverse<<<2, 32>>>(x, dx, y, dy, N);
  rg::must(cudaDeviceSynchronize(), "reverse");
  for (int i = 0; i < N; ++i)
    Check("dx", dx[i], Want(x[i]), i), dx[i] = 1;
  forward<<<2, 32>>>(x, dx, y, dy, N);
  rg::must(cudaDeviceSynchronize(), "forward");
  for (int i = 0; i < N; ++i)
    Check("tangent", dy[i], Want(x[i]), i);
  return Bad;
}
