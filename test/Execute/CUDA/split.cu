// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Split mode in kernels: primal and reverse sweeps with barriers, two tapes at once, static and
// dynamic shared memory.
#include "rgcuda.h"
template <typename... A> __device__ void *__enzyme_augmentfwd(void *, A...);
template <typename... A> __device__ void __enzyme_reverse(void *, A...);
extern __shared__ double tile[];

__device__ void mirror(const double *x, double *y) {
  int t = threadIdx.x;
  tile[t] = x[t] * x[t];
  __syncthreads();
  y[t] = tile[blockDim.x - 1 - t] * x[t];
}
__device__ void chain(const double *x, double *y) {
  __shared__ double s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int k = 0; k < 3; ++k) {
    __syncthreads();
    double next = s[(t + 1) % blockDim.x] * s[t];
    __syncthreads();
    s[t] = next;
  }
  y[t] = s[t];
}
__global__ void both(const double *x, double *dx, double *y, double *dy, double *z, double *dz) {
  void *first = __enzyme_augmentfwd((void *)mirror, enzyme_dup, x, dx, enzyme_dup, y, dy);
  void *second = __enzyme_augmentfwd((void *)chain, enzyme_dup, y, dy, enzyme_dup, z, dz);
  __syncthreads();
  __enzyme_reverse((void *)chain, enzyme_dup, y, dy, enzyme_dup, z, dz, second);
  __syncthreads();
  __enzyme_reverse((void *)mirror, enzyme_dup, x, dx, enzyme_dup, y, dy, first);
}
__device__ void composed(const double *x, double *z, int n) {
  __shared__ double y[64];
  mirror(x, y);
  __syncthreads();
  chain(y, z);
}
int main() {
  const int n = 37;
  // The whole at once is right, by differences; the halves give the same.
  int bad = rg::checkKernel<double, composed>("composed", n, n, 1, n, n * sizeof(double));
  rg::Buffer<double> x(n), dx(n), y(n), dy(n), z(n), dz(n), wx(n), wz(n);
  std::vector<double> X(n), W(n), Zero(n, 0.0);
  for (int i = 0; i < n; ++i)
    X[i] = 0.5 + 0.02 * i, W[i] = cos(i);
  x.set(X), dx.set(Zero), dy.set(Zero), dz.set(W), wx.set(Zero), wz.set(W);
  both<<<1, n, n * sizeof(double)>>>(x.P, dx.P, y.P, dy.P, z.P, dz.P);
  rg::must(cudaDeviceSynchronize(), "both");
  rg::gradientKernel<double, composed><<<1, n, n * sizeof(double)>>>(x.P, wx.P, z.P, wz.P, n);
  rg::must(cudaDeviceSynchronize(), "composed");
  std::vector<double> Got = dx.get(), Want = wx.get();
  for (int i = 0; i < n; ++i)
    if (!(fabs(Got[i] - Want[i]) <= 1e-12 * (1 + fabs(Want[i]))))
      ++bad, printf("dx[%d]: %.12g and not %.12g\n", i, Got[i], Want[i]);
  return bad;
}
