// Host code of a CUDA program calls min and max without a namespace, as CUDA's headers let it, with a GPU's headers and without;
// functions of the program's own of these names, and std::min behind a using, stay what they were.
// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include %s -o %t && %t
// REQUIRES: cuda-toolkit
// RUN: %rgcxx --offload-arch=sm_80 -O1 -I%root/test/include %s -o %t && %t
// RUN: %rgcxx --offload-arch=sm_80 -O1 -DOWN -I%root/test/include %s -o %t && %t
#include "rgtest.h"
#include <algorithm>
#include <cmath>
extern int enzyme_dup;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

#ifdef OWN
template <class T> T max(T a, T b) { return a < b ? b : a; }
int min(int a, int b) { return a < b ? a : b - 100; }
#endif

__host__ __device__ int both(int a, int b) { return min(a, b) + max(a, 3); }
__global__ void scale(double *x, int n) {
  int i = threadIdx.x;
  if (i < min(n, 32))
    x[i] *= max(2.0, fmin(x[i], 3.0)) + both(i, n);
}
static double f(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < min(n, 3); ++i)
    sum += max(x[i] * x[i], min(x[i], 0.5)) * max(i, 1);
  return sum;
}
static int names() {
  using namespace std;
  int a = 3, b = 4;
  return min(a, b) + max(a, 5) + std::min(a, b);
}
int main() {
#ifdef OWN
  RG_WITHIN(min(5, 4), -96, 0);
#else
  int a = 3, b = 5;
  unsigned u = 7;
  long long l = 9;
  size_t s = 8;
  RG_WITHIN(min(a, b), 3, 0);
  RG_WITHIN(max(a, b), 5, 0);
  RG_WITHIN(min(u, 3), 3, 0);
  RG_WITHIN(max(-1, 7u), 4294967295., 0);
  RG_WITHIN(max(l, 2ll), 9, 0);
  RG_WITHIN(min(s, (size_t)3), 3, 0);
  RG_WITHIN(max(1.0f, 2.5), 2.5, 0);
  RG_WITHIN(min(nanf(""), 2.0f), 2, 0);
  RG_WITHIN(max(1.0, nan("")), 1, 0);
  RG_WITHIN(both(1, 2), 4, 0);
  RG_WITHIN(names(), 11, 0);
  double x[4] = {0.5, 0.25, 2, 7}, g[4] = {};
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x, g, 3);
  RG_WITHIN(g[1], 1, 1e-14);
  RG_WITHIN(g[2], 8, 1e-14);
  RG_WITHIN(g[3], 0, 0);
#endif
  return rgReport();
}
