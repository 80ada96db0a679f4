// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-gpu-stack=512 -mllvm -rg-disable=segment-recurrences -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-gpu-stack=512 -mllvm -rg-plan=naive %s -o %t && %t
// Tape that local memory as the compiler has made it does not hold: on a GPU it lies on the stack, which launches
// make longer, and behind that in memory of the launch. From launch to launch more is wanted; threads want different
// amounts; a tape begins while another one has the stack, and again when that has ended.
#include "rgcuda.h"

template <int Rounds> __device__ void chain(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double p = x[i % n];
  for (int k = 0; k < Rounds + 5 * i; ++k)
    p = sin(p) * x[(i + k) % n] + 0.25 * p;
  y[i] = p;
}

// The derivative of one element, which keeps a tape of its own, twice: of rows one after the other.
__device__ double row(const double *x, int n, int from) {
  double p = x[from % n];
  for (int k = 0; k < 100 + from; ++k)
    p = sin(p) * x[(from + k) % n];
  return p;
}
__global__ void rows(const double *x, double *dx, int n, int count) {
  for (int from = blockIdx.x * blockDim.x + threadIdx.x; from < count; from += gridDim.x * blockDim.x)
    __enzyme_autodiff<double>((void *)row, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, from);
}
int checkRows() {
  const int n = 16, count = 500;
  std::vector<double> X(n), Want(n, 0.0);
  for (double &V : X)
    V = rg::uniform(0.5, 1.5);
  for (int From = 0; From < count; ++From) {
    int Rounds = 100 + From;
    std::vector<double> P(Rounds + 1, X[From % n]);
    for (int K = 0; K < Rounds; ++K)
      P[K + 1] = std::sin(P[K]) * X[(From + K) % n];
    double D = 1;
    for (int K = Rounds; K-- > 0;) {
      Want[(From + K) % n] += D * std::sin(P[K]);
      D *= std::cos(P[K]) * X[(From + K) % n];
    }
    Want[From % n] += D;
  }
  rg::Buffer<double> x(n), dx(n);
  x.set(X), dx.set(std::vector<double>(n, 0.0));
  rows<<<2, 64>>>(x.P, dx.P, n, count);
  rg::must(cudaDeviceSynchronize(), "rows");
  std::vector<double> Got = dx.get();
  int Bad = 0;
  for (int I = 0; I < n; ++I)
    if (!(std::fabs(Got[I] - Want[I]) < 1e-9 * (1 + std::fabs(Want[I]))))
      ++Bad, printf("rows: dx[%d] = %.12g and not %.12g\n", I, Got[I], Want[I]);
  return Bad != 0;
}

// Forward over reverse: both sweeps keep.
__device__ void cube(const double *x, double *y, int n) {
  double p = x[threadIdx.x];
  for (int k = 0; k < 60; ++k)
    p = sin(p) + 0.1 * x[(threadIdx.x + k) % n];
  y[threadIdx.x] = p;
}
__device__ void gradientOfCube(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff<void>((void *)cube, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
__global__ void hessian(const double *x, double *bx, double *dx, double *bdx, double *y, double *by, double *dy,
                        double *bdy, int n) {
  __enzyme_autodiff<void>((void *)gradientOfCube, enzyme_dup, x, bx, enzyme_dup, dx, bdx, enzyme_dup, y, by,
                          enzyme_dup, dy, bdy, enzyme_const, n);
}
__global__ void gradient(const double *x, double *dx, double *y, double *dy, int n) {
  gradientOfCube(x, dx, y, dy, n);
}
int checkHessian() {
  const int n = 32;
  const double h = 1e-5;
  std::vector<double> X(n), V(n), Zero(n, 0.0), One(n, 1.0), G[2];
  for (int I = 0; I < n; ++I)
    X[I] = rg::uniform(0.5, 1.5), V[I] = rg::uniform(-1, 1);
  rg::Buffer<double> x(n), bx(n), dx(n), bdx(n), y(n), by(n), dy(n), bdy(n);
  x.set(X), bx.set(Zero), dx.set(Zero), bdx.set(V), y.set(Zero), by.set(Zero), dy.set(One), bdy.set(Zero);
  hessian<<<1, n>>>(x.P, bx.P, dx.P, bdx.P, y.P, by.P, dy.P, bdy.P, n);
  rg::must(cudaDeviceSynchronize(), "hessian");
  std::vector<double> Got = bx.get();
  for (int Side = 0; Side < 2; ++Side) {
    std::vector<double> At(X);
    for (int I = 0; I < n; ++I)
      At[I] += (Side ? h : -h) * V[I];
    x.set(At), dx.set(Zero), dy.set(One);
    gradient<<<1, n>>>(x.P, dx.P, y.P, dy.P, n);
    rg::must(cudaDeviceSynchronize(), "gradient");
    G[Side] = dx.get();
  }
  int Bad = 0;
  for (int I = 0; I < n; ++I)
    if (double Want = (G[1][I] - G[0][I]) / (2 * h); !(std::fabs(Got[I] - Want) < 1e-6 * (1 + std::fabs(Want))))
      ++Bad, printf("Hessian times v [%d]: %.12g and not %.12g\n", I, Got[I], Want);
  return Bad != 0;
}

int main() {
  int Bad = rg::checkKernel<double, chain<100>>("100 rounds", 50, 96, 3, 32);
  Bad |= rg::checkKernel<double, chain<700>>("700 rounds", 50, 128, 2, 64);
  Bad |= rg::checkKernel<double, chain<2500>>("2500 rounds", 50, 64, 1, 64);
  Bad |= rg::checkKernel<double, chain<9000>>("9000 rounds", 50, 16, 1, 16);
  Bad |= rg::checkKernel<double, chain<100>>("100 rounds again", 50, 96, 3, 32);
  return Bad | checkRows() | checkHessian();
}
