// A kernel that copies words which are numbers or pointers by turns.
// RUN: not %rgcxx -O2 --offload=cpu -g %s -o %t 2>&1 | FileCheck %s
// CHECK: error: instruction 'call' cannot be differentiated here: copy of words that hold numbers at one time and pointers or integers at another, in a kernel [RG2002]
// CHECK: device-words.cu:[[@LINE+14]]:{{[0-9]+}}: note: it is here, in 'chosen
#include <cuda_runtime.h>
extern __device__ int enzyme_dup;
template <class... T> __device__ void __enzyme_autodiff(void *, T...);
struct word {
  long kind;
  union {
    double number;
    const double *place;
  };
};
__device__ double value(const word &w) { return w.kind ? *w.place : w.number; }
__device__ void chosen(const word *from, word *to, double *y, int n) {
  for (int i = 0; i < n; i++)
    to[i] = from[n - 1 - i];
  double s = 0;
  for (int i = 0; i < n; i++)
    s += value(to[i]) * value(to[i]);
  y[threadIdx.x] = s;
}
__global__ void gradient(word *from, word *dfrom, word *to, word *dto, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)chosen, enzyme_dup, from, dfrom, enzyme_dup, to, dto, enzyme_dup, y, dy, n);
}
int main() {}
