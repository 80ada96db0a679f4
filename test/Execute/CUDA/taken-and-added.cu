// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -march=native -I%root/test/include -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include %s -o %t && %t
// A function that is not inlined changes a thread's own array in place: adjoints there are added to as numbers, and
// taken as words. The optimiser must see that both are one.
#include "rgcuda.h"

template <class T> __device__ __attribute__((noinline)) T change(T *a, int b) {
  a[1] = tanh(sin(a[1] * a[1] * sin(a[0])));
  a[1] = (a[(b ^ 1) & 1] + a[(b + 1) & 1] + T(0.25) * a[b & 1]) * (a[1] * T(1.25));
  return a[1] * T(-0.6) + a[1];
}
template <class T> __device__ void inPlace(const T *x, T *y, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  T a[4];
  for (int k = 0; k < 4; ++k)
    a[k] = x[i];
  T before = cos(x[i]) - a[1];
  T changed = change(a, blockIdx.x & 3);
  __syncthreads();
  y[i] = sin(cos(x[(i + 7) % n])) + before * T(1.5) + changed + a[3];
}
int main() {
  return rg::checkKernel<float, inPlace<float>>("in place, float", 80, 80, 2, 40) +
         rg::checkKernel<double, inPlace<double>>("in place", 80, 80, 2, 40);
}
