// A kernel whose struct by value holds a list of arrays and their lengths, from which it finds them by an index.
#include "rgtest.h"
#include <cuda_runtime.h>
extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

struct list {
  double *of[40];
  int sizes[40];
  int number;
};
__global__ void gather(list l, double *sums) {
  int a = threadIdx.x;
  if (a >= l.number)
    return;
  double s = 0;
  for (int i = 0; i < l.sizes[a]; i++)
    s += l.of[a][i] * l.of[(a + 1) % l.number][0];
  sums[a] = s * s;
}
static double f(const double *x, int n) {
  list l;
  double *d, *sums, y[40];
  cudaMalloc(&d, 45 * sizeof(double));
  cudaMalloc(&sums, 40 * sizeof(double));
  cudaMemcpy(d, x, 45 * sizeof(double), cudaMemcpyHostToDevice);
  l.number = 40;
  for (int a = 0; a < 40; a++) {
    l.of[a] = d + a % 5;
    l.sizes[a] = 3 + a % 4;
  }
  gather<<<1, 40>>>(l, sums);
  cudaMemcpy(y, sums, sizeof y, cudaMemcpyDeviceToHost);
  cudaFree(d), cudaFree(sums);
  return y[0] + y[39];
}
int main() {
  double x[45], g[45] = {};
  for (int i = 0; i < 45; i++)
    x[i] = 0.3 + 0.1 * (i * 7 % 11);
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x, g, enzyme_const, 45);
  RG_GRADS(g, f(x, 45), x, 45);
  return rgReport();
}
