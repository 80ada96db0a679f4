// A kernel that copies words which may be pointers or integers, told apart by nothing: here a list of
// arrays and their lengths, a struct by value that it finds by an index.
// RUN: not %rgcxx -O2 --offload=cpu -g %s -o %t 2>&1 | FileCheck %s
// CHECK: error: instruction 'call' cannot be differentiated here: copy of words that hold numbers at one time and pointers or integers at another, in a kernel [RG2002]
// CHECK: device-words.cu:[[@LINE+10]]:{{[0-9]+}}: note: it is here, in 'gather
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
  double x[45] = {}, g[45] = {};
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x, g, enzyme_const, 45);
}
